"""Two conditions that are compared: what pairs and independent groups have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aliases import Fields, Levels, Names, Pair, Texts
from socialstats.designs.cells import group, totals, unequal
from socialstats.designs.parts import (
    Design,
    Factor,
    FlowStep,
    Repeats,
    UnitNames,
    named_factors,
    taken,
    taken_fields,
)
from socialstats.tables import EPSILON

if TYPE_CHECKING:
    import pandas as pd

ContrastScale = Literal["binary", "nominal", "ordinal", "numeric"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Contrast(Design):
    """Values under two conditions, as cells. Every difference is the first condition minus the second.

    Attributes
    ----------
    count : (cells,) float64 array
        Pairs, or units, in the cell: whole numbers from 1.
    scale : {"binary", "nominal", "ordinal", "numeric"}
    levels : tuple of str
        Labels of the codes 0, 1, ...; empty for numbers.
    units : UnitNames or None
    epsilon : float
    repeats : Repeats or None
    weight : (cells,) float64 array, or None
        Sampling weight of each unit in the cell; None where all units have the same.
    CELLS : tuple of str
        The arrays that make a cell.
    """

    count: FloatArray
    scale: ContrastScale
    levels: Levels = ()
    units: UnitNames | None = None
    epsilon: float = EPSILON
    repeats: Repeats | None = None
    weight: FloatArray | None = None

    CELLS: ClassVar[Levels] = ()

    @property
    def n_rows(self) -> int:
        """Pairs, or units, analysed."""
        return int(self.count.sum())

    @property
    def weighted(self) -> bool:
        """Whether units have different sampling weights."""
        return self.weight is not None

    def factors(self, names: Names | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors by name; as `Comparisons.factors`."""
        return named_factors(self.clusters, self.by, names)

    @abstractmethod
    def refuse_empty(self, index: IntArray, note: str) -> None:
        """Refuse cells that are too few for a design."""

    def take(self, mask: AnyArray, *, note: str = "cells taken") -> Self:
        """Return some cells as a design of their own.

        Raises
        ------
        NothingToAnalyse
            If no cell, or none of a group, is taken.
        """
        index = np.flatnonzero(mask)
        size = len(self.count)
        self.refuse_empty(index, note)
        step = FlowStep(label=note, rows=int(self.count[index].sum()))
        return replace(
            self._at(index),
            flow=(*self.flow, step),
            units=self.units and self.units.take(index, size),
            repeats=self.repeats and self.repeats.take(index, size),
        )

    def _at(self, index: IntArray) -> Self:
        """Return the arrays and factors of some cells."""
        fields = taken_fields(self, ("by", "clusters", "count", *self.CELLS), index)
        return replace(self, **fields, weight=unequal(taken(self.weight, index)))

    def merged(self) -> Self:
        """Return the design with equal cells counted together, in canonical order."""
        # + 0: no negative zero
        arrays = {name: getattr(self, name) + 0 for name in self.CELLS}
        weights = [] if self.weight is None else [self.weight]
        index, cell = group(
            [*(factor.codes for factor in self.splits()), *arrays.values(), *weights]
        )
        units = self.units and replace(self.units, cell=cell[self.units.cell])
        repeats = self.repeats and replace(self.repeats, place=cell[self.repeats.place])
        count = totals(cell, self.count, len(index))
        cells = replace(self, **arrays)._at(index)
        return replace(cells, count=count, units=units, repeats=repeats)

    def shown(self, values: AnyArray) -> AnyArray:
        """Return values as labels where they have levels."""
        return (
            np.array(self.levels, dtype=object)[values.astype(np.int64)] if self.levels else values
        )

    def frame(self, columns: Fields) -> pd.DataFrame:
        """Return columns of the cells with their count, `by` and clusters as a data frame."""
        import pandas as pd

        columns["count"] = self.count
        if self.weight is not None:
            columns["weight"] = self.weight
        for factor in self.splits():
            columns[factor.name if factor.name not in columns else f"{factor.name} (cluster)"] = (
                factor.labels()
            )
        return pd.DataFrame(columns)


def swapped(two: Texts) -> Pair:
    """Return two labels in the other order."""
    first, second = two
    return second, first
