"""How the bundled data sets are read by `--example`: the options that a user would have typed."""

from __future__ import annotations

from socialstats.designs.aliases import Fields
from socialstats.designs.settings import Settings
from socialstats.proposals.deciding import words

READINGS: dict[str, Fields] = {
    "baseball": {"order": "home"},
    "ice_hockey": {"map": ["item_a=visitor", "item_b=opponent"], "order": ""},
    "norm_goal": {
        "study": "norm-goal",
        "map": ["unit=scenario", "rater=rater", "value=action", "rater_source=source"],
        "scale": "nominal",
        "strata": ["domain"],
        "by": "pressure",
    },
    "social_norms": {
        "study": "ordinal-alignment",
        "map": ["unit=item", "rater=rater", "value=answer", "rater_source=source"],
        "levels": ["A", "B", "C", "D", "E"],
        "refusal": ["F"],
        "strata": ["area"],
        "rater_groups": [
            "gender",
            "age",
            "income",
            "education",
            "marital_status",
            "children",
            "residence",
            "social_class",
            "ethnicity",
        ],
    },
}


def dataset_of(name: str) -> str:
    """Return the name of the data set as the library spells it.

    Examples
    --------
    >>> dataset_of("norm-goal")
    'norm_goal'
    """
    return name.replace("-", "_")


def with_reading(name: str, settings: Settings) -> Fields:
    """Add the options with which a bundled data set is read; what was given stays.

    Examples
    --------
    >>> with_reading("norm-goal", {"strata": ["pressure"], "map": ["unit=domain"]})["map"]
    ['unit=domain', 'rater=rater', 'value=action', 'rater_source=source']
    """
    reading = READINGS.get(dataset_of(name), {})
    if settings.get("design") is not None or settings.get("study") not in (
        None,
        reading.get("study"),
    ):
        reading = {key: value for key, value in reading.items() if key != "study"}
    mapped = words(settings.get("map"))
    parts = {entry.partition("=")[0] for entry in mapped}
    reading = {key: value for key, value in reading.items() if key not in parts}
    merged = [
        *mapped,
        *(entry for entry in reading.get("map", []) if entry.partition("=")[0] not in parts),
    ]
    return {**reading, **settings, **({"map": merged} if merged else {})}
