"""Errors of shares in clusters once more: sums in dictionaries, degrees of freedom from matrices, ends as roots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile, relative
from socialstats.results import Check, FloatArray, Row

MATRICES = "CR2 of the linearised share; df as (tr P)^2 / tr(P^2), with P written out; crossed factors by sums"
ROOTS = "Wilson's ends are the roots of (p - x)^2 = q^2 x (1 - x)/n"
LARGEST = 3000  # clusters of which P is written out


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareErrors:
    """Variance, df (None: too many clusters for matrices), 1 / sum f^2 and the largest f of a share in clusters."""

    variance: float
    df: float | None
    effective: float
    largest: float


def share_errors(values: Any, weights: Any, groups: Any, around: Any = None) -> tuple[float, ShareErrors | None]:
    """Return the weighted mean of some rows, and its errors by one or two columns of clusters; None of one cluster.

    `around` holds what each row deviates from, where that is not the mean of all.
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    there = w > 0
    x, w, names = x[there], w[there], np.asarray(groups)[there]
    p = float(np.average(x, weights=w))
    e, f = w * (x - (p if around is None else np.asarray(around)[there])) / w.sum(), w / w.sum()
    parts = [one_factor(e, f, column.tolist()) for column in names.T]
    if any(part is None for part in parts):
        return p, None
    known = [part for part in parts if part is not None]
    if len(known) == 1:
        return p, known[0]
    both = summed(e, [tuple(row) for row in names.tolist()])
    joint = known[0].variance + known[1].variance - sum(value * value for value in both.values())
    return p, ShareErrors(
        variance=max(joint, known[0].variance, known[1].variance), df=cochran(known),
        effective=min(part.effective for part in known), largest=max(part.largest for part in known),
    )  # fmt: skip


def summed(values: FloatArray, names: Iterable[object]) -> dict[object, float]:
    """Sum values by name."""
    found: dict[object, float] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        found[name] = found.get(name, 0.0) + value
    return found


def one_factor(e: FloatArray, f: FloatArray, names: list[object]) -> ShareErrors | None:
    """Sums of e and f by cluster; P = diag(f/(1-f)) - q q', q = f / sqrt(1 - f), of independent errors."""
    top, share = summed(e, names), np.array(list(summed(f, names).values()))
    if share.max() > 1 - 1e-9:
        return None
    sums = np.array(list(top.values()))
    df = None
    if len(share) <= LARGEST:
        q = share / np.sqrt(1 - share)
        p = np.diag(share / (1 - share)) - np.outer(q, q)
        df = float(np.trace(p) ** 2 / np.sum(p * p))
    return ShareErrors(variance=float(np.sum(sums * sums / (1 - share))), df=df,
                       effective=1 / float(np.sum(share**2)), largest=float(share.max()))  # fmt: skip


def cochran(parts: list[ShareErrors]) -> float | None:
    """Return the df whose critical value is the mean of the parts' own, weighted by their variances."""
    from scipy.optimize import brentq
    from scipy.stats import t

    if any(part.df is None for part in parts):
        return None
    known = [(part.variance, float(part.df or 0)) for part in parts if part.variance > 0]
    if len({df for _, df in known}) < 2:
        return known[0][1] if known else min(float(part.df or 0) for part in parts)
    wanted = sum(v * t.ppf(0.975, df) for v, df in known) / sum(v for v, _ in known)
    ends = min(df for _, df in known), max(df for _, df in known)
    return float(brentq(lambda df: t.ppf(0.975, df) - wanted, *ends, xtol=1e-12, rtol=1e-13))


def counted(spread: float, errors: ShareErrors, most: float) -> float:
    """Return how many independent values of variance `spread` would have the variance, between 1 and `most`."""
    seen = spread > 0 and errors.variance > 1e-9 * spread / max(errors.effective, 1.0)
    return min(max(spread / errors.variance, 1.0) if seen else errors.effective, most)


def wilson_roots(p: float, trials: float, level: float, df: float | None) -> tuple[float, float]:
    """Wilson's ends as the roots of a polynomial; with `df` for a t quantile."""
    share = quantile(level, df) ** 2 / trials
    roots = np.sort(np.roots([1 + share, -(2 * p + share), p * p]).real)
    return (0.0 if p == 0 else float(roots[0])), (1.0 if p == 1 else float(roots[1]))


def clustered_share_checks(
    row: Row, values: Any, weights: Any, groups: Any, *, answers: float, level: float, ends: bool = True,
    around: Any = None,
) -> list[Check]:  # fmt: skip
    """Compare standard error, df and Wilson's ends of a row of a share in clusters.

    Parameters
    ----------
    row : Row
    values, weights : (rows,) arrays
    groups : (rows, factors) array of labels
    answers : float
        Most answers that the interval may count.
    level : float
    ends : bool
        False where the interval is a bootstrap's.
    around : (rows,) array, optional
        What each row deviates from; the mean of all by default.
    """
    p, errors = share_errors(values, weights, groups, around)
    if errors is None:
        return []
    out = []
    if row.std_error is not None:
        out.append(relative(label(row, "s.e."), row.std_error, math.sqrt(errors.variance), "numpy", MATRICES))
    if row.conf_low is None or not ends or errors.df is None:
        return out
    trials = counted(p * (1 - p), errors, answers)
    out.append(relative(label(row, "df"), row.df, errors.df, "scipy", MATRICES, 1e-7))
    return [*out, *end_checks(row, *wilson_roots(p, trials, level, errors.df), "numpy", ROOTS, 1e-7)]


def effective_pairs(d: FloatArray, groups: Any) -> tuple[FloatArray, float] | None:
    """Table of pairs (first only at [1, 0], second only at [0, 1]) for the effective number of pairs, and df of t.

    Parameters
    ----------
    d : (pairs,) array of -1, 0 and 1
    groups : (pairs, factors) array of labels
    """
    errors = share_errors(d, np.ones(len(d)), groups)[1]
    if errors is None or errors.df is None:
        return None
    part = counted(float(np.var(d)), errors, len(d)) / len(d)
    b, c = part * float(np.sum(d > 0)), part * float(np.sum(d < 0))
    return np.array([[part * len(d) - b - c, c], [b, 0.0]]), errors.df
