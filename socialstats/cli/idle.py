"""Which options a study looks at; others are refused, so that nobody believes that they did something."""

from __future__ import annotations

from socialstats.cli.beside import OPTIONS as BESIDE
from socialstats.designs.settings import OF_DESIGN, SETTINGS, Settings
from socialstats.errors import InputError
from socialstats.proposals.shapes import DECIDING, parts_of_study
from socialstats.studies import STUDIES, StudyOptions
from socialstats.studies.page import Study
from socialstats.text import listing

CHOSEN = tuple(dict.fromkeys(key for keys in OF_DESIGN.values() for key in keys))
OWN_USES = ("reference", "first", "rater_groups", "pooling")
UNUSED = {  # by studies of the right design
    "role-conflict": ("adjust",),
    "comparisons": ("covariate", "group", "value_levels"),
}
WORDS = {
    "comparisons": "X_a, X_b: the two sides of a covariate X; values: labels that a row cites",
    "paired": "first, second: the two conditions, where a row is a unit",
}  # what parts are, by design


def takes(study: Study, key: str) -> bool:
    """Return whether a setting may have an effect on a study.

    Examples
    --------
    >>> [takes(STUDIES["leaderboard"], key) for key in ("pooling", "first", "level")]
    [True, False, True]
    """
    if key in OWN_USES:
        return bool({key, f"by {key}"} & {*study.uses})
    if key in BESIDE:
        return key == "models" or BESIDE[key] in study.beside
    if study.read is not None and key in DECIDING and not SETTINGS[key].everyday:
        return key in study.takes
    designs = SETTINGS[key].of.split()
    return (not designs or study.design in designs) and key not in UNUSED.get(study.name, ())


def about(study: Study) -> str:
    """Return what a study asks, what it needs, and the parts that ``--map`` may name for it."""
    parts = parts_of_study(study)
    words_of_design = (
        f"{WORDS[study.design]}\n" if study.read is None and study.design in WORDS else ""
    )
    return (
        f"Study {study.name}: {study.title}\nIt needs {study.needs}.\n\n"
        f"parts for --map: {', '.join(parts)}\n{words_of_design}\nBeside the options of --help, it takes:"
    )


def refuse_idle(study: Study, settings: Settings) -> None:
    """Refuse options of the analysis that have no effect on a study.

    Raises
    ------
    InputError
        Naming the option, and the kind of study that has it.
    """
    for key in OWN_USES:
        if not settings.get(key) or key in study.uses:
            continue
        by = f"by {key}" in study.uses
        if by and settings.get("by"):
            continue
        named = listing(
            [one.name for one in STUDIES.values() if {key, f"by {key}"} & {*one.uses}], 8
        )
        where = "without --by there is nothing to compare" if by else f"it is for {named}"
        raise InputError(
            f"{SETTINGS[key].option} has no effect on study {study.name}; {where}. Leave it out"
        )
    if study.read is not None:  # reads tables of its own shape, and says itself what it takes
        return
    defaults = StudyOptions()
    for key in CHOSEN:
        value = settings.get(key)
        if value in (None, [], getattr(defaults, key)) or takes(study, key):
            continue
        homes = [
            design for design, keys in OF_DESIGN.items() if key in keys and design != study.design
        ]
        where = (
            f"it is for studies of {homes[0]}" if homes else "another study of comparisons has it"
        )
        raise InputError(
            f"{SETTINGS[key].option} has no effect on study {study.name}; {where}. Leave it out"
        )
    if (
        settings.get("effect_scale") not in (None, "raw")
        and settings.get("smallest_effect") is None
    ):
        raise InputError(
            "--effect-scale is the unit of --smallest-effect, which is not given: say both, or neither"
        )
