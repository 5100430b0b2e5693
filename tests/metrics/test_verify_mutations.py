"""verify() sees every number of a row: change one by two per cent and it must disagree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.metrics import METRICS
from socialstats.results import Result
from tests.contracts.subjects import subject_of
from tests.metrics.remembered import remember

FIELDS = (
    "estimate",
    "std_error",
    "conf_low",
    "conf_high",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
)
CHECKS = "socialstats.crosscheck"
OF_THE_DATA = (  # what the checks make of the data alone, whatever the rows say
    f"{CHECKS}.engine.redrawn",
    "pingouin.chi2_mcnemar",
    "sklearn.metrics.cohen_kappa_score",
    "statsmodels.stats.inter_rater.cohens_kappa",
)
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "kappa": ("weighted_kappa", {"cluster": None}),
    "kappa, clusters": ("weighted_kappa", {}),
    "kappa, strata, Wald": ("weighted_kappa", {"cluster": None, "stratum": "domain", "ci": "wald"}),
    "kappa, crossed": ("weighted_kappa", {"cluster": ("story", "topic")}),
    "mcnemar": ("mcnemar", {"cluster": None}),
    "mcnemar, clusters": ("mcnemar", {}),
    "mcnemar, crossed": ("mcnemar", {"cluster": ("story", "topic"), "odds_ratio_ci": "wald"}),
    "percent": ("percent_agreement", {"cluster": None}),
    "percent, clusters": ("percent_agreement", {"stratum": "domain"}),
    "percent, crossed": ("percent_agreement", {"cluster": ("story", "topic")}),
    "majority": ("majority_vote_accuracy", {"truth": "ann", "cluster": None}),
    "majority, clusters": ("majority_vote_accuracy", {"truth": "ann", "ties": "split"}),
    "difference": ("paired_difference", {"cluster": None}),
    "difference, clusters": ("paired_difference", {}),
    "difference, crossed": ("paired_difference", {"cluster": ("story", "topic")}),
    "equivalence": ("equivalence", {"cluster": None}),
    "equivalence, clusters": ("equivalence", {}),
    "equivalence, crossed": ("equivalence", {"cluster": ("story", "topic")}),
    "symmetry": ("symmetry", {"cluster": None}),
    "symmetry, clusters": ("symmetry", {}),
    "Q": ("cochran_q", {"cluster": None}),
    "Q, clusters": ("cochran_q", {}),
    "symmetry, crossed": ("symmetry", {"cluster": ("story", "topic")}),
    "Q, crossed": ("cochran_q", {"cluster": ("story", "topic")}),
    "sizes": ("effect_sizes", {"cluster": None}),
    "alpha": ("krippendorff_alpha", {"cluster": None, "stratum": "domain"}),
    "alpha, clusters": ("krippendorff_alpha", {"scale": "nominal"}),
    "alpha, crossed": ("krippendorff_alpha", {"cluster": ("story", "topic")}),
    "gwet": ("gwet_ac", {"cluster": None, "stratum": "domain"}),
    "gwet, clusters": ("gwet_ac", {}),
    "gwet, crossed": ("gwet_ac", {"cluster": ("story", "topic")}),
    "fleiss": ("fleiss_kappa", {"cluster": None}),
    "fleiss, clusters": ("fleiss_kappa", {"stratum": "domain"}),
    "fleiss, crossed": ("fleiss_kappa", {"cluster": ("story", "topic")}),
}
UNITS: dict[str, dict[str, Any]] = {
    "units": {"cluster": None},
    "clusters": {"cluster": "story"},
    "crossed": {"cluster": ("story", "topic")},
}
DRAWN: dict[str, tuple[str, ...]] = {
    "effect_sizes": ("bca", "percentile", "basic"),
    "paired_difference": ("bca", "percentile", "basic", "studentized"),
    "percent_agreement": ("bca", "percentile", "basic"),
    "majority_vote_accuracy": ("bca", "percentile", "basic"),
    "weighted_kappa": ("bca", "percentile", "basic"),
    "krippendorff_alpha": ("bca", "percentile", "basic"),
    "gwet_ac": ("bca", "percentile", "basic"),
    "fleiss_kappa": ("bca", "percentile", "basic"),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "percent_agreement": {"stratum": "domain"},
    "majority_vote_accuracy": {"truth": "ann"},
    "paired_difference": {"flips": 999},
    "weighted_kappa": {"weights": "ordinal"},
    "gwet_ac": {"stratum": "domain"},
}
# rows that stand for the others, whose bootstraps go through the same code
SAME_CODE = {
    "paired_difference": 1,
    "percent_agreement": 2,
    "majority_vote_accuracy": 2,
    "weighted_kappa": 3,
}
CASES |= {
    f"{name}, {ci}, {units}": (
        name,
        {"ci": ci, "resamples": 199, **options, **OPTIONS.get(name, {})},
    )
    for name, kinds in DRAWN.items()
    for ci in kinds
    for units, options in UNITS.items()
    if units != "crossed" or ci in ("percentile", "basic")
}


def result_of(name: str, options: dict[str, Any]) -> Result:
    """Run a metric on the contract tests' table, with a second cluster factor that crosses the stories."""
    subject = subject_of(name)
    rows = subject.rows()
    rows["topic"] = [f"t{int(unit[1:]) % 7}" for unit in rows["unit"]]
    columns: dict[str, Any] = {"cluster": ("story", "topic")}
    if METRICS[name].design == "paired":
        scale = "nominal" if METRICS[name].values == "nominal" else None
        design: Any = Paired.from_frame(
            rows, conditions=("after", "before"), scale=scale, **columns
        )
    else:
        levels = sorted(set(rows["value"]), key=["0", "1", "low", "medium", "high"].index)
        design = Ratings.from_frame(
            rows, levels=levels, scale="ordinal", strata="domain", **columns
        )
    return METRICS[name].function(
        design, **{**METRICS[name].options, "cluster": "story", **options}
    )


def changed(result: Result, first: int | None = None) -> Iterator[tuple[str, Result]]:
    """Yield every number of every row (or of the first ones) changed, with its name."""
    for i, row in enumerate(result.rows[:first]):
        for field in FIELDS:
            value = getattr(row, field)
            if value is None:
                continue
            new = 0.98 * value if value else 1e-3
            rows = (*result.rows[:i], replace(row, **{field: new}), *result.rows[i + 1 :])
            yield f"{row.group}: {row.term}: {field}", replace(result, rows=rows)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_a_changed_number_is_found(case, monkeypatch):
    metric, options = CASES[case]
    result = result_of(metric, options)
    remember(monkeypatch, *OF_THE_DATA)
    found = result.verify()
    assert found.ok, [c for c in found if c.ok is False]
    some = SAME_CODE.get(metric) if "resamples" in options else None
    unseen = [name for name, other in changed(result, some) if other.verify().ok]
    not_recomputed = {
        f"{result.rows[k].group}: {result.rows[k].term}: {field}" for k, field in found.lacks()
    }
    assert set(unseen) <= not_recomputed
    assert np.isfinite([c.tolerance for c in found]).all()


def test_a_changed_p_of_fleiss_null_test_is_found():
    rows = subject_of("fleiss_kappa").rows()
    whole = rows.groupby("unit")["value"].transform("size") == 3
    design = Ratings.from_frame(rows[whole], levels=["low", "medium", "high"], scale="nominal")
    result = METRICS["fleiss_kappa"].function(design)
    assert result.row("null test").p_value is not None
    assert result.verify().ok
    assert [
        name for name, other in changed(result) if "null test" in name and other.verify().ok
    ] == []


@pytest.mark.parametrize("metric", ["mcnemar", "paired_difference"])
def test_a_changed_error_without_the_floor_is_found(metric):
    result = result_of(metric, {"cluster": ("story", "topic")})
    assert result.verify().ok
    known = result.extras["unfloored_std_error"]
    extras = {**result.extras, "unfloored_std_error": 0.98 * known if known else 0.1}
    assert not replace(result, extras=extras).verify().ok
