"""Errors by clusters recomputed: CR2 of one parameter, two crossed factors, effective sizes, and intervals from these.

A mean, a share, a ratio of sums or a linearised statistic has two parts. Its rows contribute deviations (e, with the
sum 0) and weights (f, with the sum 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.row_arithmetic import quantile, relative
from socialstats.results import Check

CR2 = "Bell and McCaffrey's CR2 and Satterthwaite's df, P entry by entry; crossed factors by sums written out"
# rounding of a sum of scores, as a share of their sizes
ROUNDING = 64 * float(np.finfo(np.float64).eps)
ALONE = 1e-9  # what is left of 1 where one cluster is the whole statistic
WIDER = 1e-6  # widening of the bracket of a root
SMOOTH = 1e-6  # agreement that errors from derivatives allow


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Variance and df (NaN of one cluster), 1 / sum f^2, the largest f, and V1 + V2 - V12 of two factors."""

    variance: float
    df: float
    effective: float
    largest: float
    plain: float

    @property
    def known(self) -> bool:
        """Whether there are two clusters or more."""
        return not math.isnan(self.variance)


def crossing(groups: Any) -> Any:
    """Number the levels of one or two factors, (rows, factors); of two nested factors the coarser alone counts."""
    codes = [np.unique(column, return_inverse=True)[1].ravel() for column in np.asarray(groups).T]
    if not codes:
        return np.zeros((len(groups), 0), dtype=np.int64)
    if len(codes) == 2:
        sizes = [int(code.max(initial=0)) for code in codes]
        # as many pairs of levels as levels of the finer factor: each of its levels lies in one of the other
        if intersections(*codes).max(initial=0) == max(sizes):
            codes = [codes[int(np.argmin(sizes))]]
    return np.column_stack(codes)


def intersections(first: Any, second: Any) -> Any:
    """Number the pairs of levels of two factors."""
    width = int(np.max(second, initial=0)) + 1
    return np.unique(first * width + second, return_inverse=True)[1].ravel()


def errors_by(e: Any, f: Any, codes: Any) -> Errors:
    """Return the errors of a statistic under independent rows, one factor of clusters, or two crossed ones.

    Two factors: the largest of V1, V2 (by CR2) and V1 + V2 - V12 (plain squares of intersections), Cochran's df.

    Parameters
    ----------
    e, f : (rows,) arrays
    codes : (rows, factors) array of labels
    """
    e, f = np.asarray(e, dtype=np.float64), np.asarray(f, dtype=np.float64)
    columns = list(crossing(codes).T) if np.size(codes) else [np.arange(len(e))]
    parts = [
        one_factor(
            np.bincount(code, e).astype(np.float64),
            np.bincount(code, f).astype(np.float64),
        )
        for code in columns
    ]
    return errors_of_factors(parts, e, columns)


def errors_of_gap(e: Any, f: Any, second: Any, codes: Any, units: Any = 1.0) -> Errors:
    """Return the errors of the difference of two means, each with its own fitted value; rows are of one of them.

    Of one factor, with E = diag(1 / sqrt(1 - f)), cluster sums u = E e of each mean and P = E (diag(f) - f f') E, the
    variance is the sum of (u_1 - u_2)^2. The degrees of freedom are (tr Q)^2 / tr(Q^2) of Q = v_1 P_1 + v_2 P_2, the
    smaller of those with v = sum of u^2 and with v = sum of squared weights of rows.

    Parameters
    ----------
    e, f : (rows,) arrays
        `e` has the sign of the mean in the difference, and `f` sums to 1 in each mean.
    second : (rows,) bool array
        Rows of the second mean.
    codes : (rows, factors) array of labels
    units : (rows,) array, optional
        Alike units of each row.
    """
    columns = list(crossing(codes).T)
    parts = [one_gap(e, f, second, code, units) for code in columns]
    return errors_of_factors(parts, e, columns)


def one_gap(e: Any, f: Any, second: Any, code: Any, units: Any = 1.0) -> Errors:
    """Return `errors_of_gap` of one factor, the traces of products of diag(d) - w w' written out."""
    size = int(code.max()) + 1
    means = (~second, second)
    # (2, clusters) sums of each mean
    sums = np.array([np.bincount(code[rows], e[rows], size) for rows in means])
    share = np.array([np.bincount(code[rows], f[rows], size) for rows in means])
    largest = float(share.max())
    effective = float((1 / (share**2).sum(axis=1)).min())
    if largest > 1 - ALONE:
        return Errors(
            variance=math.nan, df=math.nan, effective=effective, largest=largest, plain=math.nan
        )
    u = sums / np.sqrt(1 - share)
    d = share / (1 - share)
    w = share / np.sqrt(1 - share)
    # tr(P_i P_j) of both means, of P = diag(d) - w w'
    trace = d @ d.T - d @ (w**2).T - w**2 @ d.T + (w @ w.T) ** 2
    observed = (u**2).sum(axis=1)
    squares = f**2 / units
    of_equal_rows = np.array([float(squares[rows].sum()) for rows in means])
    # a mean whose rows are all alike has no observed variance
    weightings = [v for v in (observed, of_equal_rows) if v.any()]
    df = min(float(v.sum() ** 2 / (v @ trace @ v)) for v in weightings)
    variance = float((u.sum(axis=0) ** 2).sum())
    return Errors(variance=variance, df=df, effective=effective, largest=largest, plain=variance)


def errors_of_factors(parts: Sequence[Errors], e: FloatArray, columns: Sequence[Any]) -> Errors:
    """Join one factor, or two crossed ones, into the errors of a statistic with the scores e."""
    # where one factor has a single cluster, there are no errors
    undefined = [part for part in parts if not part.known]
    if undefined:
        return undefined[0]
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    overlap = float((np.bincount(intersections(*columns), e) ** 2).sum())
    total = first.variance + second.variance
    plain = total - overlap
    # variances that are rounding say nothing of which factor has the larger one
    if total <= (ROUNDING * float(np.abs(e).sum())) ** 2:
        df = min(first.df, second.df)
    else:
        df = cochran([first.variance, second.variance], [first.df, second.df])
    return Errors(
        variance=max(first.variance, second.variance, plain),
        df=df,
        effective=min(first.effective, second.effective),
        largest=max(first.largest, second.largest),
        plain=plain,
    )


def one_factor(e: FloatArray, f: FloatArray) -> Errors:
    """CR2 variance and Satterthwaite's df of sums by cluster (Bell & McCaffrey 2002).

    As (I - H)^-1/2 of a cluster is 1 / sqrt(1 - f) in the direction that counts, V = sum e^2 / (1 - f), and P has f on
    its diagonal and -f_g f_h / sqrt((1 - f_g)(1 - f_h)) beside it. The degrees of freedom are (tr P)^2 / tr(P^2), its
    squares added pair by pair from the smallest.
    """
    # clusters without weight are no part of the sample
    weighted = f > 0
    e, f = e[weighted], f[weighted]
    squares = float(f @ f)
    largest = float(f.max(initial=0.0))
    if len(f) < 2 or largest > 1 - ALONE:
        return Errors(
            variance=math.nan, df=math.nan, effective=1.0, largest=largest, plain=math.nan
        )
    # squares of P beside its diagonal are products of these, added up from the smallest
    r = np.sort(f * f / (1 - f))
    beside = 2 * float(r[1:] @ np.cumsum(r)[:-1])
    variance = float((e * e / (1 - f)).sum())
    return Errors(
        variance=variance,
        df=float(f.sum()) ** 2 / (squares + beside),
        effective=1 / squares,
        largest=largest,
        plain=variance,
    )


def errors_in_strata(e: Any, f: Any, units: Any, code: Any, stratum: Any) -> Errors:
    """Return the errors of a sum over strata of fixed weight of their means, by clusters that may be in several.

    It is CR2 of a regression on strata. Of n_gt of the n_t units, (I - H)^-1/2 of a cluster is 1 / sqrt(1 - n_gt / n_t)
    in the direction that counts. P is diag(D) - F F', with F = f / sqrt((1 - n_gt / n_t) n_t) of clusters and strata.

    Parameters
    ----------
    e, f : (rows,) arrays
        Deviations from the mean of the stratum, and weights with the sum 1.
    units : (rows,) array
        How many units each row stands for.
    code, stratum : (rows,) int arrays
    """
    clusters, strata = int(np.max(code)) + 1, int(np.max(stratum)) + 1
    cell = np.asarray(code) * strata + stratum
    shape = clusters, strata
    sums = np.bincount(cell, e, clusters * strata).reshape(shape)
    share = np.bincount(cell, f, clusters * strata).reshape(shape)
    of_stratum = share.sum(axis=0)
    size = np.maximum(np.bincount(stratum, units, strata), 1.0)
    left = 1 - share / np.where(of_stratum > 0, of_stratum, 1.0)
    # a cluster that holds the whole stratum says nothing of what varies in it
    root = np.where(left > ALONE, 1 / np.sqrt(np.maximum(left, ALONE)), 0.0)
    adjusted = share * root / np.sqrt(size)
    diagonal = (of_stratum * share * root**2 / size).sum(axis=1)
    squares = (adjusted**2).sum(axis=1)
    # tr P and tr P^2
    trace = float((diagonal - squares).sum())
    of_square = float(diagonal @ (diagonal - 2 * squares) + ((adjusted.T @ adjusted) ** 2).sum())
    variance = float(((sums * root).sum(axis=1) ** 2).sum())
    of_cluster = share.sum(axis=1)
    return Errors(
        variance=variance,
        df=trace**2 / of_square if of_square > 0 else math.nan,
        effective=1 / float(of_cluster @ of_cluster),
        largest=float(of_cluster.max()),
        plain=variance,
    )


def errors_of_table(e: FloatArray, codes: IntArray) -> Errors:
    """Return the errors of the mean of a complete table, rows and columns drawn, by its mean squares; Cochran's df.

    Parameters
    ----------
    e : (cells,) array
        Deviations from the mean, over the number of cells.
    codes : (cells, 2) array
    """
    table = np.zeros(codes.max(axis=0) + 1)
    table[codes[:, 0], codes[:, 1]] = e
    n, k = table.shape
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    residuals = table - rows[:, None] / k - columns / n
    of_rows = n / (n - 1) * float(rows @ rows)
    of_columns = k / (k - 1) * float(columns @ columns)
    freedom = (n - 1) * (k - 1)
    of_residuals = n * k / freedom * float((residuals**2).sum())
    # the variance of rows and columns has that of residuals twice
    plain = of_rows + of_columns - of_residuals
    return Errors(
        variance=max(plain, of_rows, of_columns),
        df=cochran([of_rows, of_columns], [n - 1.0, k - 1.0]),
        effective=float(min(n, k)),
        largest=1 / min(n, k),
        plain=plain,
    )


def cochran(variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Cochran's df: the t distribution whose 97.5% point is the mean of those of the parts, weighted by the parts."""
    from scipy.optimize import brentq
    from scipy.special import stdtrit

    weights = np.asarray(variances, dtype=np.float64)
    varies = weights > 0
    weights, of_parts = weights[varies], np.asarray(dfs, dtype=np.float64)[varies]
    if not varies.any():
        return float(min(dfs))
    low, high = float(of_parts.min()), float(of_parts.max())
    if low == high:
        return low
    point = float(np.average(stdtrit(of_parts, 0.975), weights=weights))

    def beyond(df: float) -> float:
        return float(stdtrit(df, 0.975)) - point

    return float(brentq(beyond, low * (1 - WIDER), high * (1 + WIDER), xtol=1e-12))


def errors_of_mean(values: Any, groups: Any, weights: Any = None) -> Errors:
    """Return the errors of a (weighted) mean of rows.

    Parameters
    ----------
    values : (rows,) array
    groups : (rows, factors) array of labels
    weights : (rows,) array, optional
    """
    x = np.asarray(values, dtype=np.float64)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    f = w / w.sum()
    # equal values differ from their weighted mean by rounding alone
    deviations = x - f @ x if np.ptp(x) else np.zeros(len(x))
    return errors_by(f * deviations, f, groups)


def effective_number(spread: float, errors: Errors, most: float = math.inf) -> float:
    """Return how many independent values of variance `spread` would have the variance, between 1 and `most`."""
    # without a variance that is more than rounding, the clusters' own number counts
    least = ALONE * spread / max(errors.effective, 1.0)
    if not (spread > 0 and errors.variance > least):
        return min(errors.effective, most)
    return min(max(spread / errors.variance, 1.0), most)


def disagreement_ends(
    value: float, apart: FloatArray, weight: FloatArray, expected: float, codes: Any, level: float
) -> tuple[float, float, float]:
    """Effective disagreements, and the ends of 1 - q / expected by Korn and Graubard's interval of q.

    Parameters
    ----------
    value : float
        The coefficient.
    apart, weight : (units,) arrays
        Disagreement within each unit, and what it weighs.
    expected : float
    codes : (units, factors) array
    level : float
    """
    from scipy.stats import beta, t

    share = weight / weight.sum()
    q = float(share @ apart)
    errors = errors_by(share * (apart - q), share, codes)
    if not errors.known:
        return math.nan, math.nan, math.nan
    n = effective_number(q * (1 - q), errors)
    tail = (1 - level) / 2
    # Korn and Graubard (1998): fewer trials by the ratio of t quantiles of all units and of clusters
    most = float((weight > 0).sum()) - 1
    trials = n * min(1.0, (t.ppf(1 - tail, most) / t.ppf(1 - tail, errors.df)) ** 2)
    x = q * trials
    # Clopper and Pearson's ends of x in so many trials
    low = float(beta.ppf(tail, x, trials - x + 1)) if x > 0 else 0.0
    high = float(beta.ppf(1 - tail, x + 1, trials - x)) if x < trials else 1.0
    slope = (1 - value) / q if q > 0 else 1 / expected
    return q * n, max(-1.0, 1 - slope * high), 1 - slope * low


def fisher_ends(value: float, error: float, df: float, level: float) -> tuple[float, float]:
    """tanh of atanh(value) -+ t s.e. / (1 - value^2)."""
    # the derivative of atanh is 1 / (1 - x^2)
    reach = quantile(level, df) * error / (1 - value**2)
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)


def unfloored_check(ours: float | None, errors: Errors) -> Check:
    """Compare the standard error of V1 + V2 - V12 as it is; None where that is not positive."""
    theirs = math.sqrt(errors.plain) if errors.plain > 0 else None
    why = "V1 + V2 - V12 by sums written out, without a floor"
    name = "s.e., V1 + V2 - V12 as it is"
    return relative(name, ours, theirs, "numpy", why, SMOOTH, math.sqrt(errors.variance))
