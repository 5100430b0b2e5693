"""Spreads over wordings recomputed: pandas' standard deviations, scipy's t and Wilcoxon tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.paired_difference import RANKS, SIDES, exact_rank_p, near
from socialstats.crosscheck.row_arithmetic import label, same_p
from socialstats.crosscheck.trait_profile import (
    KEYS,
    across_units,
    clusters_of,
    composite,
    d_z_checks,
    mean_checks,
    pooled,
    score_table,
)
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd


def verify(result: Result) -> Verification:
    """Recompute the spread of every question, the means by stage and model, the change and its tests."""
    settings, design = result.settings, result.design
    spreads, unit = question_spreads(result), settings["unit_of_analysis"]
    models = pooled(score_table(design, settings))
    clusters = clusters_of(design, unit, settings) if unit != "answer" else None
    checks: list[Check] = []
    for row in result.rows:
        model, start = row.label("model"), row.label("baseline")
        cells = spreads.xs(row.label("stage"), level="stage")
        if start is not None:
            cells = (cells - spreads.xs(start, level="stage")).dropna()
        if model is not None:
            values = cells.xs(model, level="model").to_frame()
        else:
            values = (
                cells.to_frame()
                if unit == "answer"
                else across_units(cells.to_frame(), unit, models)
            )
        if row.role == "test":
            checks += rank_checks(row, values.iloc[:, 0].to_numpy(), settings["alternative"])
        elif row.role == "effect_size":
            checks += d_z_checks("d_z", row, values, settings)
        elif unit != "answer" or not design.factors(settings["cluster"]):
            checks += mean_checks(label(row), row, values, settings, clusters)
        elif row.estimate is not None:
            checks.append(
                near("spread or change", row.estimate, float(values.to_numpy().mean()), "pandas")
            )
    return Verification(checks=tuple(checks))


def question_spreads(result: Result) -> pd.Series[float]:
    """Standard deviation over wordings of the judges' mean: index model, scenario, stage."""
    import pandas as pd

    table, settings = score_table(result.design, result.settings), result.settings
    weights = settings["weights"]
    values = (
        table.iloc[:, 0]
        if weights is None
        else composite(table, settings["centre"], pd.Series(weights))
    )
    answer = values.groupby(level=KEYS).mean()
    asked = answer.reset_index().groupby("stage")["wording"].nunique()
    group = answer.groupby(level=KEYS[:3])
    full = group.size() == asked.reindex(group.size().index.get_level_values("stage")).to_numpy()
    return group.std(ddof=1)[full].dropna()


def rank_checks(row: Row, values: Any, alternative: str) -> list[Check]:
    """Wilcoxon's V and p."""
    from scipy.stats import wilcoxon

    if row.p_value is None:
        return []
    exact = row.test == "exact_signed_rank"
    x = np.round(values, 10)  # scipy would rank rounding noise
    kept = x[x != 0]
    tied = exact and len(np.unique(np.abs(kept))) < len(kept)
    theirs: Any = wilcoxon(
        x,
        zero_method="wilcox",
        correction=not exact,
        alternative=SIDES[alternative],
        method="exact" if exact and not tied else "approx",
    )
    p = exact_rank_p(np.asarray(kept), alternative) if tied else float(theirs.pvalue)
    checks = [same_p("Wilcoxon p", row.p_value, p, "numpy" if tied else "scipy", RANKS, 1e-7)]
    if alternative != "two_sided":
        checks.append(near("Wilcoxon V", row.statistic, float(theirs.statistic), "scipy"))
    return checks
