"""A bootstrap of few clusters says that its intervals are too short; one of many does not."""

from __future__ import annotations

import inspect

import pandas as pd
import pytest

from socialstats.inference.how import RESAMPLED
from socialstats.metrics import METRICS
from tests.contracts.subjects import Subject, run, subject_of


def kinds() -> list[tuple[str, str]]:
    """Return every metric with the bootstraps that it names in `ci`, or in the type of it."""
    found = []
    for name, metric in METRICS.items():
        option = inspect.signature(metric.function, eval_str=True).parameters.get("ci")
        known = str(option.annotation) if option is not None else ""
        found += [(name, ci) for ci in RESAMPLED if f"'{ci}'" in known]
    return found


def clustered(subject: Subject, groups: int) -> pd.DataFrame:
    """Return the subject's rows in so many clusters."""
    rows = subject.rows()
    if subject.kind == "comparisons":
        return rows.assign(worker=[f"w{k % groups}" for k in range(len(rows))])
    if subject.kind == "traits":  # units of analysis are scenarios
        few = rows[rows["scenario"] < "s05"]
        copies = range(groups // 5)
        return pd.concat(
            [few.assign(scenario=few["scenario"] + f"-{k}") for k in copies], ignore_index=True
        )
    if subject.kind == "couples":  # pairs of names in a scenario are a scenario of their own
        few = rows[rows["scenario"] < "s05"]
        return few if groups == 5 else rows.assign(scenario=rows["scenario"] + rows["pair"].str[-1])
    code = rows["unit"].astype("category").cat.codes
    return rows.assign(story=[f"s{k % groups}" for k in code])


def test_bootstraps_are_found() -> None:
    assert {"krippendorff_alpha", "choice_shares", "preference_shares", "trait_profile"} <= {
        name for name, _ in kinds()
    }


@pytest.mark.parametrize(("name", "ci"), kinds())
@pytest.mark.slow
def test_a_bootstrap_of_five_clusters_has_a_caution_and_one_of_sixty_has_none(
    name: str, ci: str
) -> None:
    subject = subject_of(name)
    options = {"comparisons": {"cluster": "worker"}, "couples": {"cluster": "scenario"}}.get(
        subject.kind, {}
    )
    if "by" in inspect.signature(METRICS[name].function).parameters:
        options = {}  # it resamples the clusters of the fit
    resamples = {} if name == "ada_met" else {"resamples": 999}

    def said(groups: int) -> list[str]:
        design = subject.design(clustered(subject, groups))
        made = run(name, design, ci=ci, **options, **resamples)
        return [
            f"{c} {c.affects}"
            for c in made.cautions
            if c.code in ("SS202", "SS312") and "units of" not in c.detail
        ]

    few = said(5)
    assert few
    assert subject.kind == "traits" or any("too short" in text and ".85" in text for text in few)
    assert not any("level of" in text or "levels of" in text for text in said(60))
