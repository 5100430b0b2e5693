"""Two comparison designs as one, items and factors matched by label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.cells import merged
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Covariate, Factor


def joined(one: Comparisons, two: Comparisons) -> Comparisons:
    """Return the comparisons of both designs, which were read from the same columns.

    Examples
    --------
    >>> rows = {"item_a": ["x", "y"], "item_b": ["y", "z"], "winner": ["x", "z"]}
    >>> parts = [Comparisons.from_frame({name: [column[k]] for name, column in rows.items()}) for k in (0, 1)]
    >>> joined(*parts).items, joined(*parts).n_rows
    (('x', 'y', 'z'), 2)
    """
    items = tuple(sorted({*one.items, *two.items}))
    place = {name: k for k, name in enumerate(items)}

    def codes(name: str) -> IntArray:
        parts = [np.array([place[item] for item in d.items])[getattr(d, name)] for d in (one, two)]
        return np.asarray(np.concatenate(parts), dtype=np.int64)

    plain: dict[str, Any] = {
        name: np.concatenate([getattr(one, name), getattr(two, name)])
        for name in ("outcome", "first", "count", "weight", "weight_sq")
    }
    covariates = {
        name: Covariate(name=name, a=np.concatenate([c.a, two.covariates[name].a]),
                        b=np.concatenate([c.b, two.covariates[name].b]))
        for name, c in one.covariates.items() if name in two.covariates
    }  # fmt: skip
    clusters = tuple(
        _stacked(f, next(g for g in two.clusters if g.name == f.name))
        for f in one.clusters if f.name in {g.name for g in two.clusters}
    )  # fmt: skip
    whole = replace(
        one, items=items, item_a=codes("item_a"), item_b=codes("item_b"), covariates=covariates, clusters=clusters,
        by=None, cited=None, refused=None, **plain,
    )  # fmt: skip
    return merged(whole)


def _stacked(one: Factor, two: Factor) -> Factor:
    levels = tuple(sorted({*one.levels, *two.levels}))
    place = {name: k for k, name in enumerate(levels)}
    parts = [np.array([place[level] for level in f.levels], dtype=np.int64)[f.codes] for f in (one, two)]
    return Factor(name=one.name, codes=np.concatenate(parts), levels=levels)
