"""The cells of independent groups: the values of different units under two conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aliases import (
    Levels,
    Pair,
)
from socialstats.designs.cells import counts_by
from socialstats.designs.contrasts import Contrast, ContrastScale, swapped
from socialstats.errors import DesignError, NothingToAnalyse
from socialstats.text import count as counted
from socialstats.text import shorten

if TYPE_CHECKING:
    import pandas as pd


GroupScale = ContrastScale


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupsData(Contrast):
    """Two independent groups, as cells; `Groups` documents the fields."""

    kind: ClassVar[Literal["groups"]] = "groups"
    groups: Pair
    group: IntArray
    value: FloatArray

    CELLS: ClassVar[Levels] = ("group", "value")

    def __repr__(self) -> str:
        sizes = " and ".join(
            f"{counted(n, 'unit')} of {shorten(name)}"
            for n, name in zip(self.n_units, self.groups, strict=True)
        )
        return f"<Groups: {'; '.join([f'{sizes}, {self.scale}', *self.cluster_words()])}>"

    @property
    def n_units(self) -> tuple[int, int]:
        """Units of the first and of the second group."""
        first, second = np.bincount(self.group, self.count, 2).tolist()
        return int(first), int(second)

    def square(self) -> FloatArray:
        """(2, levels) table of counts of units: group by value.

        Raises
        ------
        DesignError
            For numbers, which have no levels.
        """
        if not self.levels:
            raise DesignError(
                f"{self.source}: a table of counts needs levels; these values are numbers"
            )
        return counts_by(self.group, self.value, self.count, (2, len(self.levels)))

    def refuse_empty(self, index: IntArray, note: str) -> None:
        """Refuse a design of which a group has no unit."""
        for code, name in enumerate(self.groups):
            if not np.any(self.group[index] == code):
                raise NothingToAnalyse(
                    f"{self.source}: no unit of '{shorten(name)}' is left ({note})"
                )

    def swap(self) -> Self:
        """Exchange the two groups: differences change their sign."""
        return replace(self, groups=swapped(self.groups), group=1 - self.group)

    def table(self) -> pd.DataFrame:
        """Return the cells as a data frame: group, value, count, `by`, clusters."""
        return self.frame(
            {
                "group": np.array(self.groups, dtype=object)[self.group],
                "value": self.shown(self.value),
            }
        )
