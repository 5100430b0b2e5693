"""Repeats of one unit joined into one value: mean, median, most frequent, pass@k ..."""

from __future__ import annotations

import re

import numpy as np

from socialstats.resampling.units import FloatArray, IntArray

POOLED = "pooled"
PLAIN = ("mean", "median", "mode", "max", "min", "first")
WITH_K = re.compile(r"^(?P<name>at_least|pass_at|pass_k)(?:_(?P<k>\d+))?$")
WORDS = {
    "mean": "repeats of a unit averaged first",
    "median": "the median of a unit's repeats",
    "mode": "the most frequent of a unit's repeats",
    "max": "the best of a unit's repeats",
    "min": "the worst of a unit's repeats",
    "first": "only the first of a unit's repeats",
    POOLED: "every repeat as a row of its own",
    "at_least": "1 where at least {k} of a unit's repeats score 1",
    "pass_at": "chance that {k} of a unit's repeats hold a score of 1 (pass@{k})",
    "pass_k": "chance that {k} of a unit's repeats all score 1",
}


def words_of(how: str) -> str:
    """Say how repeats were joined.

    Examples
    --------
    >>> words_of("at_least_2")
    "1 where at least 2 of a unit's repeats score 1"
    """
    name, k = parts_of(how)
    return WORDS[name].format(k=k)


def parts_of(how: str) -> tuple[str, int]:
    """Split the name of a reducer from its k (1 where it has none)."""
    found = WITH_K.match(how)
    return (found["name"], int(found["k"] or 1)) if found else (how, 1)


def is_known(how: str) -> bool:
    """Tell whether `join` knows a reducer."""
    return parts_of(how)[0] in WORDS


def join(value: FloatArray, unit: IntArray, how: str, kind: IntArray | None = None) -> tuple[FloatArray, IntArray]:
    """Join the repeats of each unit.

    Parameters
    ----------
    value : (rows,) array without NaN
    unit : (rows,) int64 array
    how : str
        ``pooled`` leaves rows alone; else a name of `WORDS`, with its k: ``pass_at_3``.
    kind : (rows,) int64 array, optional
        What ``mode`` counts, where two labels may stand for one value.

    Returns
    -------
    values : (units,) array
    first : (units,) int64 array
        Position of each unit's first row.

    Examples
    --------
    >>> join(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1]), "mean")[0].tolist()
    [0.5, 1.0]
    """
    if how == POOLED:
        return value, np.arange(len(value), dtype=np.int64)
    first, dense, count = np.unique(unit, return_index=True, return_inverse=True, return_counts=True)[1:]
    name, k = parts_of(how)
    if name == "first":
        return value[first], first.astype(np.int64)
    if name in ("at_least", "pass_at", "pass_k"):
        joined = of_counts(name, k, count, np.bincount(dense, value >= 1).astype(np.float64))
    elif name == "mode":
        joined = most_frequent(value, dense, kind)
    elif name == "mean":
        joined = np.bincount(dense, value) / count
    else:
        joined = of_order(name, value, dense, count)
    kept = ~np.isnan(joined)
    return joined[kept], first[kept].astype(np.int64)


def of_counts(name: str, k: int, n: IntArray, correct: FloatArray) -> FloatArray:
    """At least k; pass@k = 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, eq. 1); C(c, k)/C(n, k). NaN below k repeats."""
    if name == "at_least":
        return np.asarray(correct >= k, dtype=np.float64)
    chosen = correct if name == "pass_k" else n - correct
    ratio = np.ones(len(n))
    for i in range(k):
        ratio *= np.maximum(chosen - i, 0) / np.maximum(n - i, 1)
    found = ratio if name == "pass_k" else 1 - ratio
    return np.asarray(np.where(n < k, np.nan, found), dtype=np.float64)


def most_frequent(value: FloatArray, dense: IntArray, kind: IntArray | None = None) -> FloatArray:
    """Most frequent value (or kind of value) of each unit; of several, the one that came first."""
    kind = np.unique(value if kind is None else kind, return_inverse=True)[1].astype(np.int64)
    both, first, count = np.unique(dense * (kind.max() + 1) + kind, return_index=True, return_counts=True)
    owner = both // (kind.max() + 1)
    order = np.lexsort((first, -count, owner))
    chosen = order[np.unique(owner[order], return_index=True)[1]]
    return np.asarray(value[first[chosen]], dtype=np.float64)


def of_order(name: str, value: FloatArray, dense: IntArray, count: IntArray) -> FloatArray:
    """Median, largest or smallest value of each unit."""
    ordered = value[np.lexsort((value, dense))]
    start = np.cumsum(count) - count
    if name == "max":
        return np.asarray(ordered[start + count - 1], dtype=np.float64)
    if name == "min":
        return np.asarray(ordered[start], dtype=np.float64)
    return np.asarray((ordered[start + (count - 1) // 2] + ordered[start + count // 2]) / 2, dtype=np.float64)
