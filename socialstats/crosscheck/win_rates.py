"""Conditional win rates once more: pandas over rows, cluster sums written out, Wilson's ends as roots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.crosscheck.share_errors import ROOTS, ShareErrors, clustered_share_checks, counted, wilson_roots
from socialstats.results import Check, Result, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same sums in another order"
SANDWICH = "CR2 of a weighted mean whose rows are clusters of their own, by sums"
ALL = "all"


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
    elif factors:
        groups = rows[[f"g{k}" for k in range(factors)]].to_numpy()
        made: dict[str, Any] = {"answers": n, "level": settings["level"], "around": rows["rate"]}
        return checks + clustered_share_checks(row, rows["score"], share, groups, **made)
    else:
        found = independent_errors(rows, share, result.design.weighted)
        error, trials = math.sqrt(found.variance), counted(p * (1 - p), found, n)
        ends = end_checks(row, *wilson_roots(p, trials, settings["level"], None), "numpy", ROOTS, 1e-7)
    if row.std_error is not None:
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-8))
    return checks + ends


def own_noise(rows: pd.DataFrame, share: pd.Series) -> Any:
    """Sum over records of (share of a row)^2: one over the independent comparisons that the rate is worth."""
    return (rows["w2"] * (share / rows["w"]) ** 2).sum()


def independent_errors(rows: pd.DataFrame, share: pd.Series, weighted: bool) -> ShareErrors:
    """Variance of a rate of independent comparisons, each a cluster; a weighted cell stands for several alike."""
    own = rows.assign(e=share * (rows["score"] - rows["rate"]), f=share).groupby("row")
    alike = (own["w"].first() ** 2 / own["w2"].first()).to_numpy() if weighted else np.ones(own.ngroups)
    e, f = own["e"].sum().to_numpy(), own["f"].sum().to_numpy() / alike
    return ShareErrors(variance=float(np.sum(e**2 / alike / (1 - f))), df=None, largest=float(f.max()),
                       effective=1 / float(np.sum(alike * f**2)))  # fmt: skip
