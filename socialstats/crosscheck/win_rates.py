"""Conditional win rates once more: pandas over rows, statsmodels for Wilson intervals and cluster errors."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table, worst
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
    """Compare the linearised standard error with that of a weighted mean by statsmodels WLS."""
    from statsmodels.regression.linear_model import WLS

    if row.std_error is None or len(factors) > 1 or (result.design.weighted and not factors):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels warns of few clusters; only the matrix is read
        model = WLS(rows["score"].to_numpy(), np.ones(len(rows)), weights=share.to_numpy())
        if factors:
            groups = factors[0].codes[rows["cell"].to_numpy()]
            n, g = len(rows), len(np.unique(groups))
            fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
            scale = g / (g - 1)
        else:
            fit = model.fit(cov_type="HC0")
            n = len(rows)
            scale = n / (n - 1)
    theirs = float(np.sqrt(fit.cov_params()[0, 0] * scale))
    why = "the sandwich of a weighted mean, times G/(G-1)"
    return [("s.e.", compare(f"{name}, s.e.", row.std_error, theirs, package="statsmodels", tolerance=1e-9, why=why))]
