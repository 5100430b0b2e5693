"""Conditional win rates once more: pandas over rows, statsmodels for Wilson intervals, matrices of clusters."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table, worst
from socialstats.crosscheck.row_arithmetic import end_checks, relative
from socialstats.crosscheck.share_errors import (
    MATRICES,
    ROOTS,
    clustered_share_checks,
    counted,
    share_errors,
    wilson_roots,
)
from socialstats.designs.parts import Factor
from socialstats.inference.dependence import cluster_factors
from socialstats.results import Check, Result, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same sums in another order"


def verify(result: Result) -> Verification:
    """Recompute rates, Wilson intervals (``ci="wilson"``) or cluster standard errors of every item.

    Returns
    -------
    Verification
        For each condition the item with the largest difference.
    """
    settings = result.settings
    table = long_table(result.design, settings["covariate"])
    pooled = settings["weights"] == "pooled"
    checks: dict[tuple[str, str], list[Check]] = {}
    factors = cluster_factors(result.design, settings["cluster"])
    for (item, condition), rows in table.groupby(["item", "condition"]):
        row = result.row(str(item), group=str(condition))
        share = rows["w"] if pooled else rows["w"] / rows.groupby("opponent")["w"].transform("sum")
        rate = float((share * rows["score"]).sum() / share.sum())
        name = f"win rate of '{item}', {condition}"
        checks.setdefault((str(condition), "rates"), []).append(
            compare(name, row.estimate, rate, package="pandas", tolerance=1e-10, why=SAME)
        )
        found = wilson_checks if settings["ci"] == "wilson" else partial(error_checks, factors)
        for kind, check in found(result, row, rows, share, rate, name):
            checks.setdefault((str(condition), kind), []).append(check)
    return Verification(checks=tuple(worst(group, kind) for (_, kind), group in checks.items() if group))


def wilson_checks(
    result: Result, row: Any, rows: pd.DataFrame, share: pd.Series, rate: float, name: str
) -> list[tuple[str, Check]]:
    """Compare both ends with statsmodels' proportion_confint at the effective number of comparisons."""
    from statsmodels.stats.proportion import proportion_confint

    squares = rows["w2"] * (share / rows["w"]) ** 2
    n = float(share.sum() ** 2 / squares.sum())
    low, high = proportion_confint(rate * n, n, alpha=1 - result.settings["level"], method="wilson")
    why = "the same closed form"
    return [
        ("lower ends", compare(f"{name}, low", row.conf_low, low, package="statsmodels", tolerance=1e-9, why=why)),
        (
            "upper ends",
            compare(f"{name}, high", row.conf_high, high, package="statsmodels", tolerance=1e-9, why=why),
        ),
    ]


def error_checks(
    factors: tuple[Factor, ...], result: Result, row: Any, rows: pd.DataFrame, share: pd.Series, rate: float, name: str
) -> list[tuple[str, Check]]:  # fmt: skip
    """Compare the linearised standard error, df and ends with sums and matrices by clusters, or by single rows."""
    if row.conf_low is None or (result.design.weighted and not factors):
        return []
    cells, level = rows["cell"].to_numpy(), result.settings["level"]
    squares = float((rows["w2"] * (share / rows["w"]) ** 2).sum())
    answers = float(share.sum()) ** 2 / squares
    groups = np.column_stack([f.codes[cells] for f in factors]) if factors else np.arange(len(rows))[:, None]
    shown = replace(row, term=name, group=None)
    if factors:
        found = clustered_share_checks(shown, rows["score"], share, groups, answers=answers, level=level)
        return [(check.quantity.rpartition(", ")[2], check) for check in found]
    errors = share_errors(rows["score"], share, groups)[1]
    if errors is None:
        return []
    out = [("s.e.", relative(f"{name}, s.e.", row.std_error, math.sqrt(errors.variance), "numpy", MATRICES))]
    ends = wilson_roots(rate, counted(rate * (1 - rate), errors, answers), level, None)
    return [*(out if row.std_error is not None else []),
            *(("ends", check) for check in end_checks(shown, *ends, "numpy", ROOTS, 1e-7))]  # fmt: skip
