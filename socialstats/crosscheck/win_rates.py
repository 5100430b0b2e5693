"""Conditional win rates once more: pandas over rows, cluster sums written out, Wilson's ends as roots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.crosscheck.unit_share_rows import ROOTS, trials_of, wilson_roots
from socialstats.results import Check, FloatArray, Result, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same sums in another order"
SANDWICH = "the sandwich of a weighted mean by sums over clusters, times G/(G - 1)"
ALL = "all"
FLAT = 1e-14  # a variance up to here is none


def verify(result: Result) -> Verification:
    """Recompute rates, standard errors and intervals of every item, and of all items together."""
    design, settings = result.design, result.settings
    table = with_shares(long_table(design, settings["covariate"]), pooled=settings["weights"] == "pooled")
    factors = design.factors(settings["cluster"]) if settings["ci"] == "cluster" else ()
    for k, factor in enumerate(factors):
        table[f"g{k}"] = factor.codes[table["cell"].to_numpy()]
    checks: list[Check] = []
    for condition, rows in table.groupby("condition"):
        for item, own in rows.groupby("item"):
            checks += rate_checks(result, (str(item), str(condition)), own, own["of_item"], len(factors))
        if ALL not in design.items:
            checks += rate_checks(result, (ALL, str(condition)), rows, rows["of_all"], len(factors))
    return Verification(checks=tuple(checks))


def with_shares(table: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Add the share of each record in the rate of its item (sum 1), and in that of all items."""
    met = table.groupby(["condition", "item", "opponent"])["w"].transform("sum")
    each = table["w"] if pooled else table["w"] / met
    total = each.groupby([table["condition"], table["item"]]).transform("sum")
    table = table.assign(of_item=each / total)
    table["rate"] = (table["of_item"] * table["score"]).groupby([table["condition"], table["item"]]).transform("sum")
    items = table.groupby("condition")["item"].transform("nunique")
    whole = each.groupby(table["condition"]).transform("sum")
    return table.assign(of_all=each / whole if pooled else table["of_item"] / items)


def rate_checks(
    result: Result, name: tuple[str, str], rows: pd.DataFrame, share: pd.Series, factors: int
) -> list[Check]:  # fmt: skip
    """Compare a rate, its standard error and both ends."""
    from statsmodels.stats.proportion import proportion_confint

    row, settings = result.row(name[0], group=name[1]), result.settings
    p = float((share * rows["score"]).sum())
    checks = [compare(label(row), row.estimate, p, package="pandas", tolerance=1e-10, why=SAME)]
    if row.conf_low is None:
        return checks
    n = 1 / float(own_noise(rows, share))
    if settings["ci"] == "wilson":
        error = math.sqrt(p * (1 - p) / n)
        low, high = proportion_confint(p * n, n, alpha=1 - settings["level"], method="wilson")
        ends = end_checks(row, float(low), float(high), "statsmodels", "the same closed form", 1e-8)
    else:
        variance, g = clustered_variance(rows, share * (rows["score"] - rows["rate"]), factors, result.design.weighted)
        error, df = math.sqrt(variance) if variance > FLAT else 0.0, max(g - 1, 1.0) if factors else None
        low, high = wilson_roots(p, trials_of(p, error, g, n), settings["level"], df)
        ends = end_checks(row, low, high, "numpy", ROOTS, 1e-7)
    if row.std_error is not None:
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-8))
    return checks + ends


def own_noise(rows: pd.DataFrame, share: pd.Series) -> Any:
    """Sum over records of (share of a row)^2: one over the independent comparisons that the rate is worth."""
    return (rows["w2"] * (share / rows["w"]) ** 2).sum()


def clustered_variance(rows: pd.DataFrame, influence: pd.Series, factors: int, weighted: bool) -> tuple[float, float]:
    """Variance of a rate by sums of influences, and its number of clusters; two factors: V1 + V2 - V12, at least 0."""
    if not factors:
        even = rows["w2"] / rows["w"] ** 2 if weighted else 1.0
        own = (influence * np.sqrt(even)).groupby(rows["row"]).sum()
        return spread(own.to_numpy(), float(rows.drop_duplicates("row")["copies"].sum()))
    names = [f"g{k}" for k in range(factors)]
    by = [names[:1], names[1:], names] if factors == 2 else [names]
    sums = [influence.groupby([rows[name] for name in some]).sum().to_numpy() for some in by]
    found = [spread(one, float(len(one))) for one in sums]
    if len(found) == 1:
        return found[0]
    (v1, g1), (v2, g2), (v12, _) = found
    return max(v1 + v2 - v12, 0.0), min(g1, g2)


def spread(sums: FloatArray, groups: float) -> tuple[float, float]:
    """G/(G - 1) times the sum of squares."""
    return float(sums @ sums) * groups / (groups - 1) if groups > 1 else math.nan, groups
