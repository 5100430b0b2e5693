"""Kappas of all pairs of many raters once more: the table of every pair, one after the other, none of them kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import fisher_ends
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import (
    FORMULA,
    end_checks,
    label,
    same_p,
    statistic_checks,
    t_ends,
    tail_p,
)
from socialstats.results import Check, FloatArray, Result, Row

if TYPE_CHECKING:
    import pandas as pd

SAME = "the table of every pair written out; the quantiles by sorting"
CLOSED = "the same closed form in another order of arithmetic"
TOLERANCE, LEAST = 1e-9, 1e-12
SAMPLED = 200  # of many pairs, those that statsmodels gets
JOINT = ("mean", "pooled")


def checks_of(result: Result, places: Mapping[str, float]) -> list[Check]:
    """Recompute the quantiles of the kappas.

    Parameters
    ----------
    result : Result
        Rows by the names of `places`.
    places : mapping of str to float
        Which quantile each row is.
    """
    values = sorted(kappas(result))
    return [
        compare(f"{row.term} of the kappas", row.estimate, type_7(values, places[row.term]), package="numpy",
                tolerance=1e-10, why=SAME)
        for row in result.rows
    ]  # fmt: skip


def kappas(result: Result) -> list[float]:
    """Return 1 - Do/De of every pair with two units and an expected disagreement."""
    disagreement = 1 - np.asarray(result.extras["weights"])
    tables = pair_tables(result.design.matrix(), result.design.unit_count, len(disagreement))
    parts = (parts_of(table, disagreement) for table, _ in tables)
    return [1 - do / de for n, do, de in parts if n >= 2 and de > LEAST]


def pair_tables(wide: FloatArray, count: FloatArray, k: int) -> Iterator[tuple[FloatArray, Any]]:
    """Yield for each pair of columns its square table of units by levels, and which lines have both.

    Parameters
    ----------
    wide : (lines, raters) float64 array
        Levels; NaN where there is none.
    count : (lines,) float64 array
        Units of each line.
    k : int
        Number of levels.
    """
    given = ~np.isnan(wide.T)
    levels = np.where(given, wide.T, 0).astype(int)
    for a, b in combinations(range(len(levels)), 2):
        both = given[a] & given[b]
        cells = np.bincount((levels[a] * k + levels[b])[both], count[both], k * k)
        yield cells.reshape(k, k).astype(np.float64), both


def parts_of(table: FloatArray, disagreement: FloatArray) -> tuple[float, float, float]:
    """Return n, observed and expected disagreement of a square table."""
    n = float(table.sum())
    if n == 0:
        return 0.0, math.nan, math.nan
    expected = table.sum(axis=1) @ disagreement @ table.sum(axis=0)
    return n, float((table * disagreement).sum()) / n, float(expected) / n**2


def type_7(values: list[float], place: float) -> float:
    """Return a quantile of sorted values, linear between two neighbours."""
    at = place * (len(values) - 1)
    low, high = math.floor(at), math.ceil(at)
    return values[low] + (at - low) * (values[high] - values[low])


def many_checks(
    rows: Mapping[str, Row], part: pd.DataFrame, names: Sequence[str], group: str | None, result: Result
) -> Iterator[Check]:
    """Compare numbers of many pairs: all by sums over their tables, every so many of them with statsmodels.

    Parameters
    ----------
    rows : mapping of str to Row
        Of one group of units.
    part : data frame
        One line a distinct row of ratings: levels by rater, and ``count``.
    names : sequence of str
        Of the pairs, in order.
    group : str or None
    result : Result

    Notes
    -----
    The standard errors of all pairs together would need slopes in every unit of every pair, and are left out.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    v = 1 - np.asarray(result.extras["weights"])
    made: dict[str, Any] = {"tolerance": TOLERANCE, "why": CLOSED}
    ours = result.extras["pairs"][group or "all units"]
    wide, count = part[range(len(result.design.raters))].to_numpy(dtype=float), part["count"].to_numpy(dtype=float)
    parts, used = [], {term: np.zeros(len(part), dtype=bool) for term in JOINT}
    for k, (name, (table, both)) in enumerate(zip(names, pair_tables(wide, count, len(v)), strict=True)):
        n, do, de = parts_of(table, v)
        parts.append((n, do, de))
        used["pooled"] |= both
        if n < 2 or not de > LEAST:
            continue
        used["mean"] |= both
        kappa = rows[name].estimate if name in rows else ours[name]["kappa"]
        yield compare(f"kappa of {name}", kappa, 1 - do / de, package="numpy", **made)
        if k % (len(names) // SAMPLED) == 0:
            theirs = float(cohens_kappa(table, weights=v).kappa)
            yield compare(f"kappa of {name}", kappa, theirs, package="statsmodels", **made)
    known = [1 - do / de for n, do, de in parts if n >= 2 and de > LEAST]
    joint = {"mean": sum(known) / len(known) if known else None, "pooled": pooled(parts)}
    factors = [factor.codes for factor in result.design.factors(result.settings["cluster"])]
    for term, value in joint.items():
        row, units = rows[term], part.index.to_numpy()[used[term]]
        if row.method == "on_undefined=1.0":
            continue
        yield compare(term, row.estimate, value, package="numpy", **made)
        if row.std_error is not None and row.statistic is not None:
            g = min((len(np.unique(code[units])) for code in factors), default=float(count[used[term]].sum()))
            yield from row_arithmetic(row, g, bool(factors), result.settings)
            note = f"slopes of {len(names):,} pairs would take too long"
            yield compare(f"s.e. of {term}", row.std_error, None, package="numpy", note=note, **made)


def pooled(parts: list[tuple[float, float, float]]) -> float | None:
    """1 - sum n Do / sum n De."""
    total = sum(n * de for n, _, de in parts if n)
    return 1 - sum(n * do for n, do, _ in parts if n) / total if total > 1e-12 else None


def row_arithmetic(row: Row, g: float, clustered: bool, options: Mapping[str, Any]) -> list[Check]:
    """Compare test, p and closed interval of a row of g clusters (or units)."""
    out: list[Check] = []
    if row.statistic is not None and row.df is None:  # the z by the null error is compared with statsmodels
        out.append(same_p(label(row, "p"), row.p_value, tail_p(row.statistic, None)))
    elif row.statistic is not None:
        out += statistic_checks(row, df=g - 1)
    if options["ci"] == "wald":
        out += t_ends(row, options["level"], g - 1 if clustered else None)
    elif options["ci"] == "closed":
        small = 1.0 if clustered else math.sqrt(g / (g - 1))
        error = (row.std_error or 0.0) * small
        out += end_checks(row, *fisher_ends(row.estimate or 0.0, error, g - 1, options["level"]), "scipy", FORMULA)
    return out
