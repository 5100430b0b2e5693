"""Pairs as plain vectors, one row a pair, for the peers that want them so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.results import FloatArray

MOST_ROWS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vectors:
    """One entry a pair.

    Attributes
    ----------
    x, y : (pairs,) float64 arrays
    groups : (pairs, factors) int64 array
    """

    x: FloatArray
    y: FloatArray
    groups: np.ndarray[Any, np.dtype[np.int64]]


def vectors(design: Paired, names: Any) -> Vectors | None:
    """Return the pairs of a design and the levels of some cluster factors; None for too many pairs."""
    if design.n_pairs > MOST_ROWS:
        return None
    times = design.count.astype(np.int64)
    factors = design.factors(names)
    codes = np.column_stack([f.codes for f in factors]) if factors else np.zeros((len(times), 0), dtype=np.int64)
    return Vectors(
        x=np.repeat(design.first, times), y=np.repeat(design.second, times), groups=np.repeat(codes, times, axis=0)
    )


def matrix_cr2(residual: FloatArray, group: Any, n: int) -> tuple[float, float]:
    """CR2 error of a mean and Satterthwaite's df, by inverse square roots of matrices.

    A_g = (I - H_gg)^(-1/2) with H = 11'/n by eigenvalues; V = sum (1'A_g e_g)^2 / n^2; df = tr(P)^2/tr(P^2) from the
    rows (I - H)_g' A_g 1 / n written out.
    """
    groups = [np.flatnonzero(group == g) for g in np.unique(group)]
    variance, columns = 0.0, np.zeros((len(groups), n))
    for k, at in enumerate(groups):
        values, vectors_ = np.linalg.eigh(np.eye(len(at)) - 1 / n)
        s = vectors_ @ ((vectors_.T @ np.ones(len(at))) / np.sqrt(values)) / n
        variance += float(s @ residual[at]) ** 2
        columns[k, at] += s
        columns[k] -= s.sum() / n
    p = columns @ columns.T
    return float(np.sqrt(variance)), float(np.trace(p) ** 2 / np.sum(p * p))
