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
