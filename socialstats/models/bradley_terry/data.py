"""From a Comparisons design to the arrays of the likelihood: distinct linear predictors with outcome weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import TIED, Comparisons


def sums(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values with each code, shape (size,)."""
    return np.asarray(np.bincount(codes, values, size), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairData:
    """Distinct linear predictors eta = strength[a] - strength[b] + z @ theta, each with its outcome weights.

    Attributes
    ----------
    n_items : int
        Length of the strength block; 0 when strengths are not free.
    a, b : (m,) int64 arrays
        Items, oriented so that a < b.
    z : (m, k) float64 array
        Order effect and covariate differences, a minus b.
    z_names : tuple of str
    w : (3, m) float64 array
        Weight of a wins, b wins and ties.
    w_sq : (3, m) float64 array
        Sum of squared row weights, for the row sandwich.
    cell : (cells,) int64 array
        Predictor of each cell of the design.
    flipped : (cells,) bool array
        True where the cell was turned round to make a < b.
    """

    n_items: int
    a: IntArray
    b: IntArray
    z: FloatArray
    z_names: tuple[str, ...]
    w: FloatArray
    w_sq: FloatArray
    cell: IntArray
    flipped: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def free(self) -> bool:
        """True when every item has a strength of its own."""
        return self.n_items > 0

    @property
    def n_z(self) -> int:
        """Number of order and covariate columns."""
        return int(self.z.shape[1])

    def eta(self, beta: FloatArray) -> FloatArray:
        """Return the linear predictor for parameters of shape (p, ...)."""
        n = self.n_items
        eta = beta[self.a] - beta[self.b] if self.free else np.zeros((len(self.a), *beta.shape[1:]))
        return eta + self.z @ beta[n : n + self.n_z] if self.n_z else eta


def pair_data(design: Comparisons, z: FloatArray, z_names: tuple[str, ...], *, free: bool = True) -> PairData:
    """Collapse the cells of a design to distinct predictors.

    Parameters
    ----------
    design : Comparisons
    z : (cells, k) array
        Order effect and covariate differences (side a minus side b) of each cell.
    z_names : tuple of str
    free : bool
        False when items have no strength of their own.
    """
    flipped = design.item_a > design.item_b
    a = np.where(flipped, design.item_b, design.item_a)
    b = np.where(flipped, design.item_a, design.item_b)
    outcome = np.where(flipped & (design.outcome != TIED), 1 - design.outcome, design.outcome).astype(np.int64)
    z = np.where(flipped[:, None], -z, z)
    n = len(design.items)
    key = a * n + b
    if z.shape[1]:
        _, z_code = np.unique(z, axis=0, return_inverse=True)
        key = key * (int(z_code.max()) + 1) + z_code.reshape(-1)
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    m = len(first)
    slot = outcome * m + cell
    w = sums(slot, design.weight, 3 * m).reshape(3, m)
    w_sq = sums(slot, design.weight_sq, 3 * m).reshape(3, m) if design.weighted else w
    return PairData(
        n_items=n if free else 0, a=a[first], b=b[first], z=z[first], z_names=z_names, w=w, w_sq=w_sq,
        cell=cell.reshape(-1), flipped=flipped,
    )  # fmt: skip


def with_ghost(data: PairData, pseudo: float) -> PairData:
    """Add a ghost item that every item beats and loses to `pseudo` times (the last item of the result).

    The pseudo-wins tie all items together, so that a finite estimate exists for any table.
    """
    n = data.n_items
    rows = np.arange(n)
    extra = np.zeros((3, n))
    extra[:2] = pseudo
    return replace(
        data,
        n_items=n + 1,
        a=np.concatenate([data.a, rows]),
        b=np.concatenate([data.b, np.full(n, n)]),
        z=np.concatenate([data.z, np.zeros((n, data.n_z))]),
        w=np.concatenate([data.w, extra], axis=1),
        w_sq=np.concatenate([data.w_sq, np.zeros((3, n))], axis=1),
    )
