"""Cells: equal rows as one, with their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray


def dense(values: AnyArray) -> IntArray:
    """Return ranks (from 0, without gaps) of the values of an array."""
    if values.dtype == object:
        distinct = {value: code for code, value in enumerate(sorted(set(values.tolist())))}
        return np.array([distinct[value] for value in values.tolist()], dtype=np.int64)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def group(columns: Sequence[AnyArray]) -> tuple[IntArray, IntArray]:
    """Group equal rows of some columns in sorted order.

    Returns
    -------
    first : (groups,) int64 array
        One row of each group.
    group : (rows,) int64 array
        The group of each row.
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    size = 1
    for column in columns:
        codes = (
            column
            if column.dtype.kind in "iu" and column.size and column.min() >= 0
            else dense(column)
        )
        width = int(codes.max()) + 1 if codes.size else 1
        if size > 2**62 // width:
            key = dense(key)
            size = int(key.max()) + 1
        key = key * width + codes
        size *= width
    order = np.argsort(key, kind="stable")
    key = key[order]
    new = np.append(True, key[1:] != key[:-1])[: len(key)]
    of_row = np.empty(len(key), dtype=np.int64)
    of_row[order] = np.cumsum(new) - 1
    return order[new].astype(np.int64, copy=False), of_row


def joint_codes(codes: Sequence[AnyArray]) -> IntArray:
    """Return one code for each combination of codes, in sorted order."""
    return group(codes)[1]


def several(outer: AnyArray, inner: AnyArray) -> IntArray:
    """Return the codes of one factor in which another has several."""
    pairs, _ = group([outer, inner])
    return np.flatnonzero(np.bincount(outer[pairs]) > 1)


def totals(codes: IntArray, weights: FloatArray, size: int) -> FloatArray:
    """(size,) float64 array: the sum of the weights of each code."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64, copy=False)


def unequal(weight: FloatArray | None) -> FloatArray | None:
    """Return sampling weights, or None where all that are known are equal: these are relative, and so none.

    Examples
    --------
    >>> unequal(np.array([2.0, np.nan, 2.0])), unequal(np.array([2.0, 1.0])).tolist()
    (None, [2.0, 1.0])
    """
    positive_weights = np.zeros(0) if weight is None else weight[~np.isnan(weight)]
    return (
        weight
        if len(positive_weights) and positive_weights.min() < positive_weights.max()
        else None
    )


def mass(count: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Return what each cell weighs: the sum of its units' weights, in the unit in which all sum to the number of units.

    Examples
    --------
    >>> mass(np.array([2.0, 1.0]), np.array([0.5, 5.0])).tolist(), mass(np.array([2.0, 1.0]), None).tolist()
    ([0.5, 2.5], [2.0, 1.0])
    """
    if weight is None:
        return count
    weighted_count = count * (weight / weight.max())
    return np.asarray(weighted_count * (count.sum() / weighted_count.sum()), dtype=np.float64)


def kish(count: FloatArray, weight: FloatArray | None) -> float:
    """Return the effective number of units, (sum w)^2 / sum w^2 (Kish 1965): equal ones of so many weigh as evenly.

    Examples
    --------
    >>> kish(np.array([2.0, 1.0]), np.array([1.0, 2.0])), kish(np.array([2.0, 1.0]), None)
    (2.6666666666666665, 3.0)
    """
    if weight is None:
        return float(count.sum())
    w = weight / weight.max()
    return float((count @ w) ** 2 / (count @ w**2))


def counts_by(
    row: AnyArray, column: AnyArray, weights: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return a table of sums of weights, by two columns of codes."""
    cell = row.astype(np.int64) * shape[1] + column.astype(np.int64)
    return totals(cell, weights, shape[0] * shape[1]).reshape(shape)
