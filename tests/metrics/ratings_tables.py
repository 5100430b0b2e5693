"""Ratings made from small tables, for tests."""

from __future__ import annotations

import numpy as np
import pandas as pd

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings


def of_table(table, *, levels=None, scale="ordinal", scores=None):
    """Two raters, one pseudo-unit a cell that stands for its count."""
    table = np.asarray(table, dtype=float)
    k = len(table)
    i, j = np.nonzero(table)
    n = len(i)
    names = tuple(levels) if levels is not None else tuple(str(x) for x in range(1, k + 1))
    return Ratings(
        units=tuple(f"u{x:04d}" for x in range(n)),
        raters=("a", "b"),
        levels=names,
        scores=np.arange(1.0, k + 1) if scores is None else np.asarray(scores, dtype=float),
        scale=scale,
        unit=np.repeat(np.arange(n), 2),
        rater=np.tile([0, 1], n),
        value=np.column_stack([i, j]).ravel(),
        status=np.zeros(2 * n, dtype=np.int8),
        unit_count=table[i, j],
        numeric=levels is None,
    )


def of_matrix(
    values,
    *,
    levels,
    scale="ordinal",
    raters=None,
    clusters=(),
    strata=None,
    scores=None,
    refusal=None,
):
    """Units x raters of labels; None is missing, `refusal` a refusal."""
    values = [list(row) for row in values]
    n, r = len(values), len(values[0])
    raters = tuple(raters or "abcdefghij"[:r])
    place = {level: k for k, level in enumerate(levels)}
    flat = [x for row in values for x in row]
    status = np.array(
        [0 if x in place else 2 if x == refusal and x is not None else 1 for x in flat],
        dtype=np.int8,
    )
    numeric = all(isinstance(x, int | float) for x in levels)
    numbers = np.arange(float(len(levels))) if scores is None else np.asarray(scores, dtype=float)

    def factor(name, labels):
        kinds = sorted(set(labels))
        codes = np.array([kinds.index(x) for x in labels], dtype=np.int64)
        return Factor(name=name, codes=codes, levels=tuple(map(str, kinds)))

    return Ratings(
        units=tuple(f"u{x:04d}" for x in range(n)),
        raters=raters,
        levels=tuple(map(str, levels)),
        scores=np.asarray(levels, dtype=float) if numeric and scores is None else numbers,
        scale=scale,
        unit=np.repeat(np.arange(n), r),
        rater=np.tile(np.arange(r), n),
        value=np.array([place.get(x, -1) for x in flat], dtype=np.int64),
        status=status,
        unit_count=np.ones(n),
        numeric=numeric,
        clusters=tuple(factor(f"c{k}", labels) for k, labels in enumerate(clusters)),
        strata={name: factor(name, labels) for name, labels in (strata or {}).items()},
    )


def expanded(table):
    """Pairs of codes, one line a unit."""
    table = np.asarray(table).astype(int)
    i, j = np.nonzero(table)
    return np.repeat(np.column_stack([i, j]), table[i, j], axis=0)


def long_rows(matrix, raters="abc"):
    """Data frame of a units x raters matrix."""
    return pd.DataFrame(
        [
            (f"u{u}", raters[r], x)
            for u, row in enumerate(matrix)
            for r, x in enumerate(row)
            if x is not None
        ],
        columns=["unit", "rater", "value"],
    )
