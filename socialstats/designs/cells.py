"""Arithmetic on cells: merging equal ones, sorting them, and taking some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Covariate, Factor


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
        codes = column if column.dtype.kind in "iu" and column.size and column.min() >= 0 else dense(column)
        width = int(codes.max()) + 1 if codes.size else 1
        if size > 2**62 // width:
            key = dense(key)
            size = int(key.max()) + 1
        key = key * width + codes
        size *= width
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.astype(np.int64)


def cell_columns(design: Comparisons) -> list[AnyArray]:
    """Return every column that makes a cell, in canonical order."""
    columns: list[AnyArray] = [design.item_a, design.item_b, design.outcome, design.first]
    columns += [side for covariate in design.covariates.values() for side in (covariate.a, covariate.b)]
    factors = [*([design.by] if design.by else []), *([design.cited] if design.cited else []), *design.clusters]
    return columns + [factor.codes for factor in factors]


def merged(design: Comparisons) -> Comparisons:
    """Return the design with equal cells merged and cells in sorted order."""
    first, of_cell = group(cell_columns(design))
    size = len(first)

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(of_cell, weights=values, minlength=size).astype(np.float64, copy=False)

    count = total(design.count)
    weight, weight_sq = (total(design.weight), total(design.weight_sq)) if design.weighted else (count, count)
    sums = {"count": count, "weight": weight, "weight_sq": weight_sq}
    return replaced(design, take_columns(design, first) | sums)


def take_columns(design: Comparisons, index: IntArray | BoolArray) -> dict[str, Any]:
    """Return the fields of some cells."""
    fields: dict[str, Any] = {
        name: getattr(design, name)[index]
        for name in ("item_a", "item_b", "outcome", "first", "count", "weight", "weight_sq")
    }
    fields["covariates"] = {
        name: Covariate(name=name, a=c.a[index], b=c.b[index]) for name, c in design.covariates.items()
    }
    fields["by"] = take_factor(design.by, index) if design.by else None
    fields["cited"] = take_factor(design.cited, index) if design.cited else None
    fields["clusters"] = tuple(take_factor(factor, index) for factor in design.clusters)
    return fields


def take_factor(factor: Factor, index: IntArray | BoolArray) -> Factor:
    """Return a factor on some cells, without the levels that they do not use."""
    used, codes = np.unique(factor.codes[index], return_inverse=True)
    levels = tuple(factor.levels[code] for code in used.tolist())
    return Factor(name=factor.name, codes=codes.astype(np.int64), levels=levels)


def drop_unused_items(fields: dict[str, Any], items: tuple[str, ...]) -> dict[str, Any]:
    """Re-code the item columns of some cells to the items that they use."""
    both = np.concatenate([fields["item_a"], fields["item_b"]])
    used, codes = np.unique(both, return_inverse=True)
    half = len(fields["item_a"])
    codes = codes.astype(np.int64)
    return fields | {
        "items": tuple(items[code] for code in used.tolist()), "item_a": codes[:half], "item_b": codes[half:]
    }  # fmt: skip


def replaced(design: Comparisons, fields: dict[str, Any]) -> Comparisons:
    """Return a copy of the design with some fields replaced."""
    from dataclasses import replace

    return replace(design, **fields)
