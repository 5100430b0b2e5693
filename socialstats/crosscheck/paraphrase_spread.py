"""Spreads over wordings once more: pandas' standard deviations, scipy's t and Wilcoxon tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.paired_difference import SIDES, near
from socialstats.crosscheck.row_arithmetic import label, same_p
from socialstats.crosscheck.trait_profile import (
    Sample,
    across_units,
    clusters_of,
    composite,
    d_z_checks,
    mean_checks,
    score_table,
)
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd


def verify(result: Result) -> Verification:
    """Recompute the spread of every question, the means by stage and model, the change and its tests."""
    settings, design = result.settings, result.design
    spreads = question_spreads(result)
    unit = settings["unit_of_analysis"]
    clusters = clusters_of(design, unit, settings) if unit != "answer" else None
    known = unit != "answer" or not design.factors(settings["cluster"])
    checks: list[Check] = []
    for row in result.rows:
        values = sample(row, spreads, settings)
        if values is not None and known:
            checks += mean_checks(label(row), row, Sample.of(values), settings, clusters)
        elif values is not None and row.estimate is not None:
            checks.append(near("spread or change", row.estimate, float(values.to_numpy().mean()), "pandas"))
    return Verification(checks=(*checks, *change_checks(result, spreads)))


def question_spreads(result: Result) -> pd.Series[float]:
    """Standard deviation over wordings of the judges' mean: index model, scenario, stage."""
    table = score_table(result.design, result.settings)
    values = composite(table, result.settings) if result.settings["weights"] is not None else table.iloc[:, 0]
    answer = values.groupby(level=["model", "scenario", "stage", "wording"]).mean()
    asked = answer.reset_index().groupby("stage")["wording"].nunique()
    group = answer.groupby(level=["model", "scenario", "stage"])
    full = group.size() == asked.reindex(group.size().index.get_level_values("stage")).to_numpy()
    return group.std(ddof=1)[full].dropna()


def sample(row: Row, spreads: pd.Series[float], settings: Any) -> pd.DataFrame | None:
    """Return the values behind a row of a mean, one a unit of analysis; None for other rows."""
    if row.group == "spread":
        return units(spreads.xs(row.term, level="stage"), spreads, settings)
    stages = {f"spread: {stage}": stage for stage in spreads.index.get_level_values("stage").unique()}
    if row.group in stages:
        return spreads.xs(stages[row.group], level="stage").xs(row.term, level="model").to_frame()
    if row.group == "change" and row.term not in ("wilcoxon", "d_z"):
        return units(change(spreads, settings), spreads, settings)
    return None


def change(spreads: pd.Series[float], settings: Any) -> pd.Series[float]:
    """First minus second stage, of questions that have both."""
    one, two = (spreads.xs(stage, level="stage") for stage in settings["change"])
    return (one - two).dropna()


def units(values: pd.Series[float], spreads: pd.Series[float], settings: Any) -> pd.DataFrame:
    """Average over models or scenarios, as the unit of analysis says."""
    frame, unit = values.to_frame("value"), settings["unit_of_analysis"]
    models = spreads.index.get_level_values("model").nunique()
    return frame if unit == "answer" else across_units(frame, unit, models)


def change_checks(result: Result, spreads: pd.Series[float]) -> list[Check]:
    """Wilcoxon's V and p, and d_z."""
    from scipy.stats import wilcoxon

    settings = result.settings
    rows = {row.term: row for row in result.rows if row.group == "change" and row.term in ("wilcoxon", "d_z")}
    if not rows:
        return []
    values = units(change(spreads, settings), spreads, settings)
    checks = d_z_checks("d_z", rows["d_z"], Sample.of(values), settings)
    row = rows["wilcoxon"]
    if row.p_value is None:
        return checks
    exact = "exact" in (row.method or "")
    x = np.round(values["value"].to_numpy(), 10)  # scipy would rank rounding noise
    theirs: Any = wilcoxon(x, zero_method="wilcox", correction=not exact, alternative=SIDES[settings["alternative"]],
                           method="exact" if exact else "approx")  # fmt: skip
    checks.append(same_p("Wilcoxon p", row.p_value, float(theirs.pvalue), "scipy", "scipy's ranks", 1e-7))
    if settings["alternative"] != "two_sided":
        checks.append(near("Wilcoxon V", row.statistic, float(theirs.statistic), "scipy"))
    return checks
