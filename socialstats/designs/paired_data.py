"""The cells of pairs: the values of the same units under two conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aliases import (
    Levels,
    Pair,
)
from socialstats.designs.cells import counts_by
from socialstats.designs.contrasts import Contrast, swapped
from socialstats.errors import DesignError, NothingToAnalyse
from socialstats.text import count as counted
from socialstats.text import shorten

if TYPE_CHECKING:
    import pandas as pd


PairedScale = Literal["binary", "nominal", "numeric"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PairedData(Contrast):
    """Pairs, as cells; `Paired` documents the fields."""

    kind: ClassVar[Literal["paired"]] = "paired"
    conditions: Pair
    first: FloatArray
    second: FloatArray
    scale: PairedScale
    unmatched: Levels = ()

    CELLS: ClassVar[Levels] = ("first", "second")

    def __repr__(self) -> str:
        parts = [
            f"{counted(self.n_pairs, 'pair')}, {' and '.join(map(shorten, self.conditions))}, {self.scale}"
        ]
        return f"<Paired: {'; '.join(parts + self.cluster_words())}>"

    @property
    def n_pairs(self) -> int:
        """Pairs analysed: a pair is the unit of every metric of this design."""
        return self.n_rows

    @property
    def difference(self) -> FloatArray:
        """(cells,) float64 array: first minus second.

        Raises
        ------
        DesignError
            For nominal values, which have no difference.
        """
        if self.scale == "nominal":
            raise DesignError(
                f"{self.source}: differences need numbers or two levels; these values are nominal"
            )
        return self.first - self.second

    def square(self) -> FloatArray:
        """(levels, levels) table of pair counts: value under the first condition by value under the second.

        Raises
        ------
        DesignError
            For numbers, which have no levels.
        """
        if self.scale == "numeric":
            raise DesignError(
                f"{self.source}: a table of pairs needs levels; these values are numbers"
            )
        k = len(self.levels)
        return counts_by(self.first, self.second, self.count, (k, k))

    def refuse_empty(self, index: IntArray, note: str) -> None:
        """Refuse a design without pairs."""
        if not len(index):
            raise NothingToAnalyse(f"{self.source}: no pair is left ({note})")

    def swap(self) -> Self:
        """Exchange the two conditions: differences change their sign."""
        return replace(
            self, conditions=swapped(self.conditions), first=self.second, second=self.first
        )

    def table(self) -> pd.DataFrame:
        """Return the cells as a data frame: values under the two conditions, count, `by`, clusters."""
        return self.frame({"first": self.shown(self.first), "second": self.shown(self.second)})
