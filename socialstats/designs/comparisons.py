"""Comparisons: who was compared with whom, who won, under which conditions.

Every decision about columns, missing values, labels and order is taken here, once. What comes out is a table of
*cells* (distinct rows, with counts): nothing that uses the design depends on the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

A_WON, B_WON, TIED = 0, 1, 2

IntArray = np.ndarray[Any, np.dtype[np.int64]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factor:
    """A grouping variable on the cells.

    Attributes
    ----------
    name : str
    codes : (cells,) int64 array, indexes into `levels`
    levels : tuple of str
    """

    name: str
    codes: IntArray
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Covariate:
    """A variable with one value for each side of a comparison (numbers as float64, labels as str objects).

    Attributes
    ----------
    name : str
        Without the side: ``urgency`` for the columns ``urgency_a`` and ``urgency_b``.
    a, b : (cells,) arrays
    """

    name: str
    a: AnyArray
    b: AnyArray


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step from the rows read to the rows analysed: what happened, to how many rows, and why."""

    label: str
    rows: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """A checked table of paired comparisons, as cells.

    Attributes
    ----------
    items : tuple of str
        Labels, sorted by code point.
    item_a, item_b : (cells,) int64 arrays
        Indexes into `items`; ``item_a != item_b``.
    outcome : (cells,) int8 array
        ``A_WON``, ``B_WON`` or ``TIED``.
    first : (cells,) int8 array
        +1 where item_a was shown first, -1 where item_b was.
    order_known : bool
        False when no column said who was shown first, and item_a was taken to be (`first` is all +1).
    count : (cells,) float64 array
        Rows in the cell.
    weight, weight_sq : (cells,) float64 arrays
        Sum of the rows' weights and of their squares (both equal `count` without weights).
    covariates : mapping of str to Covariate
    by : Factor or None
    clusters : tuple of Factor
        Declared dependence, at most two crossed factors are used together.
    flow : tuple of FlowStep
        From rows read to rows analysed.
    source : str
        File name or ``data frame``.
    columns : mapping of str to str
        Which column of the user's table plays which part.
    weighted : bool
    """

    items: tuple[str, ...]
    item_a: IntArray
    item_b: IntArray
    outcome: np.ndarray[Any, np.dtype[np.int8]]
    first: np.ndarray[Any, np.dtype[np.int8]]
    order_known: bool
    count: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    covariates: Mapping[str, Covariate] = field(default_factory=dict)
    by: Factor | None = None
    clusters: tuple[Factor, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    source: str = "data frame"
    columns: Mapping[str, str] = field(default_factory=dict)
    weighted: bool = False

    @property
    def n_rows(self) -> int:
        """Rows analysed."""
        return int(self.count.sum())

    @property
    def n_ties(self) -> int:
        """Rows that are ties."""
        return int(self.count[self.outcome == TIED].sum())

    @property
    def pair(self) -> Factor:
        """The unordered pair of items, as a factor: the default cluster of repeated comparisons."""
        low, high = np.minimum(self.item_a, self.item_b), np.maximum(self.item_a, self.item_b)
        keys, codes = np.unique(low * len(self.items) + high, return_inverse=True)
        levels = tuple(f"{self.items[k // len(self.items)]} | {self.items[k % len(self.items)]}" for k in keys)
        return Factor(name="pair", codes=codes.astype(np.int64), levels=levels)

    def factors(self, names: str | Sequence[str] | None) -> tuple[Factor, ...]:
        """Return the cluster factors by name.

        Parameters
        ----------
        names : str, sequence of str or None
            ``"declared"``: all declared clusters. ``"pair"``: the unordered pair, unless a declared cluster has
            that name. None: no clusters.
        """
        raise NotImplementedError

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        item_a: str | None = None,
        item_b: str | None = None,
        winner: str | None = None,
        order: str | None = None,
        covariates: Sequence[str] | Mapping[str, tuple[str, str]] | None = None,
        weight: str | None = None,
        by: str | None = None,
        cluster: str | Sequence[str] = (),
        tie: str | Sequence[str] = ("tie",),
        missing: str = "error",
        source: str = "data frame",
    ) -> Comparisons:
        """Build the design from a data frame (pandas, polars, pyarrow, or any engine narwhals knows)."""
        raise NotImplementedError
