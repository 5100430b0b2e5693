"""Differences of estimates, and families of tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.adjusted_p import holm
from socialstats.inference.rows import ANYWHERE, with_ends, with_t, without_error
from socialstats.resampling.engine import Replicates
from socialstats.resampling.intervals import basic
from socialstats.results.rows import Row
from socialstats.rounding import no_variation_reason
from socialstats.text import count

UNDEFINED = "one of the two is undefined"
NO_ERROR = "no standard error of one of the two"
ONE_CLUSTER = "a single cluster in one of the two"
ONE_UNIT = "a single independent unit: no interval"
HOLM = "Holm over {tests}"


def rows_with_holm(
    rows: Sequence[Row], template: str = "", *, fewest: int = 1, family: str | None = None
) -> list[Row]:
    """Return rows with Holm-adjusted p-values over those that have a p-value.

    Parameters
    ----------
    rows : sequence of Row
    template : str
        Added to `method` of the rows adjusted; ``{m}`` is their number, ``{tests}`` the same with its noun.
    fewest : int
        Fewer tests than this are left as they are.
    family : str, optional
        The name of the family; without it the words of `template`.

    Examples
    --------
    >>> rows = rows_with_holm([Row(term="a", p_value=0.01), Row(term="b"), Row(term="c", p_value=0.04)])
    >>> [row.p_adjusted for row in rows]
    [0.02, None, 0.04]
    """
    at = [k for k, row in enumerate(rows) if row.p_value is not None]
    out = list(rows)
    if len(at) < fewest:
        return out
    adjusted = holm(np.array([rows[k].p_value for k in at], dtype=np.float64))
    for k, p in zip(at, adjusted.tolist(), strict=True):
        words = template.format(m=count(len(at)), tests=count(len(at), "test"))
        method = f"{rows[k].method}; {words}" if template else rows[k].method
        out[k] = replace(rows[k], p_adjusted=p, family=family or words or None, method=method)
    return out


def with_pairs_holm(rows: Sequence[Row]) -> list[Row]:
    """Return rows, one a pair of raters, with p adjusted by Holm over the pairs that have a test, if two or more."""
    return rows_with_holm(rows, HOLM, fewest=2, family="pairs of raters")


def gap_limits(first: Row, second: Row) -> tuple[float, float]:
    """Return what the difference of two quantities can be, from what each can be.

    Examples
    --------
    >>> share = Row(term="share", limits=(0.0, 1.0))
    >>> gap_limits(share, share), gap_limits(share, Row(term="mean"))
    ((-1.0, 1.0), (-inf, inf))
    """
    # the difference is largest where one number is at its top and the other at its bottom
    (low, high), (least, most) = first.limits or ANYWHERE, second.limits or ANYWHERE
    return low - most, high - least


def with_welch(
    row: Row,
    first: Row,
    second: Row,
    level: float,
    *,
    within: tuple[float, float] | None = None,
    dfs: tuple[float, float] | None = None,
) -> Row:
    """Return the first minus the second of two independent estimates, with Welch's (1947) s.e. and df.

    Parameters
    ----------
    row : Row
        Its names.
    first, second : Row
        With `estimate`, `std_error`, and `n_clusters` (or `n_units`).
    level, within
        As for `with_ends`; by default `gap_limits`.
    dfs : pair of float, optional
        Degrees of freedom of the two variances, by default those numbers less 1. A variance V with df degrees of
        freedom varies by 2 V^2 / df, so that the sum of two has (V1 + V2)^2 / (V1^2 / df1 + V2^2 / df2).

    References
    ----------
    Welch, B. L. (1947). The generalization of Student's problem when several different population variances are
    involved. doi:10.1093/biomet/34.1-2.28

    Examples
    --------
    >>> a, b = (Row(term="a", estimate=x, std_error=1.0, n_clusters=10) for x in (3.0, 1.0))
    >>> row = with_welch(Row(term="a - b"), a, b, 0.95)
    >>> row.estimate, round(row.std_error, 3), round(row.df, 3)
    (2.0, 1.414, 18.0)
    """
    if (
        first.estimate is None
        or second.estimate is None
        or not first.std_error
        or not second.std_error
    ):
        return replace(row, undefined=NO_ERROR)
    row = replace(row, estimate=first.estimate - second.estimate)
    parts = (first.std_error**2, second.std_error**2)
    sizes = [r.n_clusters or r.n_units or 0 for r in (first, second)]
    if min(sizes) < 2:
        return replace(row, undefined=ONE_CLUSTER)
    # Welch (1947): (V1 + V2)^2 / (V1^2 / df1 + V2^2 / df2)
    df_of_parts = dfs or tuple(g - 1.0 for g in sizes)
    # squares of very large variances would be infinite
    top = max(parts)
    df = sum(v / top for v in parts) ** 2 / sum(
        (v / top) ** 2 / d for v, d in zip(parts, df_of_parts, strict=True)
    )
    within = gap_limits(first, second) if within is None else within
    return with_t(row, float(np.sqrt(sum(parts))), df, level, within=within, n_clusters=sum(sizes))


def with_both_intervals(
    row: Row, first: Row, second: Row, *, estimate: float | None = None, **fields: Any
) -> Row:
    """Return the first minus the second of two estimates by the intervals of both (Zou & Donner 2008).

    With estimates d = a - b and intervals (a1, a2), (b1, b2): d - sqrt((a - a1)^2 + (b2 - b)^2) to d + sqrt((a2 - a)^2
    + (b - b1)^2). Positive dependence between the two estimates makes it conservative. `estimate`: that of the
    difference where it is of shared units alone; the interval then lies around it.

    References
    ----------
    Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect measures: a general approach.
    doi:10.1002/sim.3095
    """
    why = first.undefined or second.undefined
    if first.estimate is None or second.estimate is None:
        return replace(row, undefined=why or UNDEFINED)
    gap = first.estimate - second.estimate if estimate is None else estimate
    row = replace(row, estimate=gap)
    if None in (first.conf_low, first.conf_high, second.conf_low, second.conf_high):
        return replace(row, undefined=why)
    (a1, a2, a), (b1, b2, b) = (
        (r.conf_low or 0.0, r.conf_high or 0.0, r.estimate or 0.0) for r in (first, second)
    )
    # MOVER (Zou & Donner 2008): each end has the distances to the ends that move the difference its way
    low, high = gap - math.hypot(a - a1, b2 - b), gap + math.hypot(a2 - a, b - b1)
    return with_ends(row, low, high, first.conf_level or 0.95, **fields)


def with_resamples(
    rows: Sequence[Row],
    boot: Replicates,
    level: float,
    *,
    centre: FloatArray | None = None,
    tested: Sequence[bool] | None = None,
) -> list[Row]:
    """Return differences with basic intervals over joint resamples, and z from the bootstrap standard error.

    Parameters
    ----------
    rows : sequence of Row
        Their names, one for each column of `boot`, whose estimates are the differences.
    boot : Replicates
        Of the differences: both sides of one resample are of the same draws.
    level : float
    centre : array, optional
        Estimates around which the interval lies, where they are not those of the rows.
    tested : sequence of bool, optional
        Which rows have a test; default all.
    """
    ends = basic(boot, level=level) if centre is None else basic(boot, level=level, centre=centre)
    errors, out = boot.std_error, []
    for j, row in enumerate(rows):
        value, error = float(boot.estimate[j]), float(errors[j])
        row = replace(row, estimate=None if math.isnan(value) else value)
        if row.estimate is None:
            out.append(replace(row, undefined=row.undefined or UNDEFINED))
        elif not error > 0:
            out.append(
                replace(row, undefined=no_variation_reason("resamples"), reason="no_variation")
            )
        else:
            # z from the bootstrap error tests; the interval is the basic one
            z = with_t(row, error, None, level, test=tested is None or tested[j])
            out.append(
                with_ends(
                    z,
                    float(ends.low[j]),
                    float(ends.high[j]),
                    level,
                    why=ends.undefined[j],
                    hold=True,
                    interval="basic",
                )
            )
    return out


def with_jackknife(
    rows: Sequence[Row],
    estimate: FloatArray,
    errors: FloatArray,
    centre: FloatArray,
    df: FloatArray,
    level: float,
    tested: Sequence[bool],
) -> list[Row]:
    """Return differences with jackknife t intervals, and tests, around other (corrected) estimates.

    Parameters
    ----------
    rows : sequence of Row
        Their names.
    estimate, errors, centre, df : (k,) float64 arrays
        Of the rows; jackknife standard errors; around which the interval lies, and what t tests against 0; degrees of
        freedom.
    level : float
    tested : sequence of bool
        Which rows have a test.
    """
    out = []
    for j, row in enumerate(rows):
        value, middle, error, t_df = (float(values[j]) for values in (estimate, centre, errors, df))
        if math.isnan(value):
            out.append(replace(row, undefined=UNDEFINED))
        elif not error > 0:
            out.append(without_error(replace(row, estimate=value), level))
        else:
            # t is about the centre of the jackknife; the row shows the estimate of all units
            tested_row = replace(
                with_t(replace(row, estimate=middle), error, t_df, level, test=tested[j]),
                estimate=value,
            )
            out.append(
                with_ends(
                    tested_row,
                    tested_row.conf_low,
                    tested_row.conf_high,
                    level,
                    hold=True,
                    df=t_df,
                    interval="jackknife",
                )
            )
    return out


def with_resampled_t(
    row: Row, value: float, error: float, g: int, level: float, **fields: Any
) -> Row:
    """Return a difference with the t of its bootstrap standard error over g clusters.

    Resamples of g clusters vary as g - 1 of g: the error is multiplied by sqrt(g / (g - 1)), and t has g - 1 df.
    """
    if math.isnan(value):
        return replace(row, undefined=UNDEFINED)
    row = replace(row, estimate=value)
    if g < 2 or not error > 0:
        return replace(
            row,
            undefined=no_variation_reason("resamples") if g > 1 else ONE_UNIT,
            reason="no_variation" if g > 1 else "one_unit",
        )
    # Davison & Hinkley (1997), section 2.3
    return with_t(row, error * math.sqrt(g / (g - 1)), g - 1.0, level, **fields)
