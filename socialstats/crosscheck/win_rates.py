"""Win rates of items and groups, and their differences, recomputed: pandas over rows, errors by clusters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import Errors, codes_of, counted, errors_by
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.crosscheck.shares import ROOTS, clustered_share_checks, wilson_roots
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same sums in another order"
SANDWICH = "CR2 of a weighted mean whose rows are clusters of their own, by sums"
ALL = "all"


def verify(result: Result) -> Verification:
    """Recompute rates, standard errors and intervals of every item, and of all items together."""
    design, settings = result.design.whole(), result.settings
    long = long_table(design, settings["covariate"])
    if settings["covariate"] is None:
        long["condition"] = result.rows[0].group
    table = with_shares(long, pooled=settings["weights"] == "pooled")
    factors = design.factors(settings["cluster"]) if settings["ci"] == "cluster" else ()
    codes = codes_of(factors, table["cell"].to_numpy())
    columns = {
        name: table[name].to_numpy()
        for name in ("score", "rate", "w", "w2", "row", "of_item", "of_all")
    }
    named: dict[Any, Row] = {(row.term, row.group): row for row in result.rows}
    pooled = settings["weights"] == "pooled"
    groups = [
        (key, at, "of_item") for key, at in table.groupby(["item", "condition"]).indices.items()
    ]
    if ALL not in design.items and settings["covariate"] is not None:
        groups += [
            ((ALL, name), at, "of_all") for name, at in table.groupby("condition").indices.items()
        ]
    checks: list[Check] = []
    for key, at, share in groups:
        own = {name: column[at] for name, column in columns.items()}
        ratio = pooled and share == "of_all"  # one ratio, around its own value
        if ratio:
            own["rate"] = np.full(len(at), own[share] @ own["score"])
        checks += rate_checks(result, named[key], own, own[share], codes[at], capped=not ratio)
    return Verification(checks=tuple(checks))


def with_shares(table: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Add the share of each record in the rate of its item (sum 1), and in that of all items."""
    met = table.groupby(["condition", "item", "opponent"])["w"].transform("sum")
    each = table["w"] if pooled else table["w"] / met
    total = each.groupby([table["condition"], table["item"]]).transform("sum")
    table = table.assign(of_item=each / total)
    table["rate"] = (
        (table["of_item"] * table["score"])
        .groupby([table["condition"], table["item"]])
        .transform("sum")
    )
    items = table.groupby("condition")["item"].transform("nunique")
    whole = each.groupby(table["condition"]).transform("sum")
    return table.assign(of_all=each / whole if pooled else table["of_item"] / items)


def rate_checks(
    result: Result,
    row: Row,
    rows: dict[str, FloatArray],
    share: FloatArray,
    codes: FloatArray,
    *,
    capped: bool,
) -> list[Check]:
    """Compare a rate, its standard error and both ends."""
    settings, p = result.settings, float(share @ rows["score"])
    checks = [compare(label(row), row.estimate, p, package="pandas", tolerance=1e-10, why=SAME)]
    if row.conf_low is None:
        return checks
    n = 1 / float(
        rows["w2"] @ (share / rows["w"]) ** 2
    )  # independent comparisons that the rate is worth
    n = n if result.design.replies is None else math.inf
    if settings["ci"] == "wilson":
        proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")

        error = math.sqrt(p * (1 - p) / n)
        low, high = proportion_confint(p * n, n, alpha=1 - settings["level"], method="wilson")
        ends = end_checks(row, float(low), float(high), "statsmodels", "the same closed form", 1e-8)
    elif codes.shape[1]:
        errors = errors_by(share * (rows["score"] - rows["rate"]), share, codes)
        most = n if capped else math.inf
        return checks + clustered_share_checks(
            row, p, errors, answers=most, level=settings["level"]
        )
    else:
        errors = independent_errors(rows, share, result.design.weighted)
        error, trials = math.sqrt(errors.variance), counted(p * (1 - p), errors, n)
        ends = end_checks(
            row, *wilson_roots(p, trials, settings["level"], None), "numpy", ROOTS, 1e-7
        )
    if row.std_error is not None:
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-8))
    return checks + ends


def independent_errors(rows: dict[str, FloatArray], share: FloatArray, weighted: bool) -> Errors:
    """Variance of a rate of independent comparisons, each a cluster; a weighted cell stands for several alike."""
    _, first, code = np.unique(rows["row"], return_index=True, return_inverse=True)
    alike = rows["w"][first] ** 2 / rows["w2"][first] if weighted else np.ones(len(first))
    e, f = (
        np.bincount(code, share * (rows["score"] - rows["rate"])),
        np.bincount(code, share) / alike,
    )
    variance = float(np.sum(e**2 / alike / (1 - f)))
    return Errors(
        variance=variance,
        df=math.nan,
        plain=variance,
        largest=float(f.max()),
        effective=1 / float(np.sum(alike * f**2)),
    )
