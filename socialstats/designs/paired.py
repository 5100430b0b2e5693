"""Paired: the same units under two conditions.

What comes out of reading a table are *cells*: distinct pairs of values within a cluster, with how many units they
stand for. Nothing that uses the design depends on the order of rows, and pairs were joined by key, never by position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.designs.factors import named_factors, taken
from socialstats.designs.paired_sources import PairedSources
from socialstats.designs.parts import Factor, FlowStep
from socialstats.errors import Caution, DesignError, NothingToAnalyse
from socialstats.tables import EPSILON
from socialstats.text import count as counted
from socialstats.text import listing, shorten

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Paired", "PairedScale"]

PairedScale = Literal["binary", "nominal", "numeric"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Paired(PairedSources):
    """A checked table of pairs, as cells. Every difference is the first condition minus the second.

    Attributes
    ----------
    conditions : pair of str
        Labels of the two conditions, in the declared order.
    first, second : (cells,) float64 arrays
        Values under the two conditions: numbers, or codes into `levels` (binary: 0 and 1).
    count : (cells,) float64 array
        Pairs in the cell: whole numbers from 1.
    scale : {"binary", "nominal", "numeric"}
    levels : tuple of str
        Labels of the codes 0, 1, ...; empty for numbers.
    by : Factor or None
    clusters : tuple of Factor
        Declared dependence between pairs; codes run over the cells.
    unmatched : tuple of str
        Units left out because one condition is missing.
    epsilon : float
        Relative rounding error of the values: that of the type of their column (1.2e-7 of single precision).
    flow, source, columns, cautions
        As in `Comparisons`.
    """

    conditions: tuple[str, str]
    first: FloatArray
    second: FloatArray
    count: FloatArray
    scale: PairedScale
    levels: tuple[str, ...] = ()
    by: Factor | None = None
    clusters: tuple[Factor, ...] = ()
    unmatched: tuple[str, ...] = ()
    epsilon: float = EPSILON
    flow: tuple[FlowStep, ...] = ()
    source: str = "data frame"
    columns: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()

    def __repr__(self) -> str:
        parts = [f"{counted(self.n_pairs, 'pair')}, {' and '.join(map(shorten, self.conditions))}, {self.scale}"]
        if self.clusters:
            parts.append(f"clusters {shorten(listing([c.name for c in self.clusters]))}")
        return f"<Paired: {'; '.join(parts)}>"

    @property
    def n_pairs(self) -> int:
        """Pairs analysed."""
        return int(self.count.sum())

    @property
    def n_rows(self) -> int:
        """Pairs analysed: a pair is the unit of every metric of this design."""
        return self.n_pairs

    @property
    def difference(self) -> FloatArray:
        """(cells,) float64 array: first minus second.

        Raises
        ------
        DesignError
            For nominal values, which have no difference.
        """
        if self.scale == "nominal":
            raise DesignError(f"{self.source}: differences need numbers or two levels; these values are nominal")
        return self.first - self.second

    def square(self) -> FloatArray:
        """(levels, levels) table of pair counts: value under the first condition by value under the second.

        Raises
        ------
        DesignError
            For numbers, which have no levels.
        """
        if self.scale == "numeric":
            raise DesignError(f"{self.source}: a table of pairs needs levels; these values are numbers")
        k = len(self.levels)
        cell = self.first.astype(np.int64) * k + self.second.astype(np.int64)
        return np.bincount(cell, weights=self.count, minlength=k * k).reshape(k, k).astype(np.float64)

    def factors(self, names: str | Sequence[str] | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors by name; as `Comparisons.factors`."""
        return named_factors(self.clusters, self.by, names)

    def take(self, mask: AnyArray, *, note: str = "cells taken") -> Paired:
        """Return some cells as a design of their own.

        Raises
        ------
        NothingToAnalyse
            If no cell is taken.
        """
        index = np.flatnonzero(mask)
        if not len(index):
            raise NothingToAnalyse(f"{self.source}: no pair is left ({note})")
        step = FlowStep(label=note, rows=int(self.count[index].sum()))
        return replace(
            self, first=self.first[index], second=self.second[index], count=self.count[index],
            by=taken(self.by, index) if self.by else None,
            clusters=tuple(taken(factor, index) for factor in self.clusters), flow=(*self.flow, step),
        )  # fmt: skip

    def split(self) -> dict[str, Paired]:
        """Return one design a level of `by` (just this one, under ``"all"``, without `by`)."""
        if self.by is None:
            return {"all": self}
        return {
            level: replace(self.take(self.by.codes == code, note=f"{self.by.name} = {level}"), by=None)
            for code, level in enumerate(self.by.levels)
        }

    def swap(self) -> Paired:
        """Exchange the two conditions: differences change their sign."""
        return replace(self, conditions=(self.conditions[1], self.conditions[0]), first=self.second, second=self.first)

    def table(self) -> pd.DataFrame:
        """Return the cells as a data frame: values under the two conditions, count, `by`, clusters."""
        from socialstats.designs.paired_views import table_of

        return table_of(self)
