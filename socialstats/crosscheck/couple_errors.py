"""Errors and degrees of freedom of a contrast of cell means: what every answer adds to it, summed by cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import crossing, errors_by
from socialstats.crosscheck.couple_records import Key
from socialstats.results import FloatArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Weighted answers, those of several levels one below the other.

    Attributes
    ----------
    cell : (answers,) int array
    off : (answers,) float64 array
        What an answer adds to the mean of its cell: its deviation times its share of the weight.
    unit : (answers,) int array
    groups : (answers, factors) int array
        Without `declared` clusters the unit.
    row : (answers,) int array
        Cells of the design.
    size : int
        Number of cells.
    """

    cell: Any
    off: FloatArray
    unit: Any
    groups: Any
    declared: bool
    row: Any
    size: int

    @classmethod
    def of(cls, table: pd.DataFrame) -> Answers:
        """Read `couple_records.weighted` tables with the code of their ``cell``."""
        cell, w = table["cell"].to_numpy(), table["w"].to_numpy()
        share = w / np.bincount(cell, w)[cell]
        off = share * (table["score"].to_numpy() - np.bincount(cell, share * table["score"])[cell])
        names = [name for name in ("g0", "g1") if name in table]
        return cls(
            cell=cell, off=off, unit=table["unit"].to_numpy(), groups=crossing(table[names or ["unit"]].to_numpy()),
            declared=bool(names), row=crossing(table[["row"]].to_numpy())[:, 0], size=int(cell.max()) + 1,
        )  # fmt: skip

    def error(self, contrast: dict[Key, float], cells: dict[Key, int]) -> tuple[float, float]:
        """Standard error and degrees of freedom of a contrast; NaN where there is one cluster only.

        CR2 with the residuals of the saturated regression; a cluster's share is that of the units.
        """
        there, times = np.zeros(self.size, dtype=bool), np.zeros(self.size)
        for key, value in contrast.items():
            there[cells[key]], times[cells[key]] = True, value
        at = np.flatnonzero(there[self.cell])
        first = np.zeros(len(at))
        first[np.unique(self.unit[at], return_index=True)[1]] = 1.0
        groups = crossing(self.groups[at]) if self.groups.shape[1] == 2 else self.groups[at]
        found = errors_by(self.off[at] * times[self.cell[at]], first / first.sum(), groups)
        return math.sqrt(found.variance), found.df

    def correlations(self, contrasts: list[dict[Key, float]], cells: dict[Key, int]) -> FloatArray:
        """Correlations of contrasts: products of the sums of their influences in clusters, added over factors."""
        times = np.zeros((self.size, len(contrasts)))
        for k, contrast in enumerate(contrasts):
            times[[cells[key] for key in contrast], k] = list(contrast.values())
        at = np.flatnonzero(times.any(axis=1)[self.cell])
        total = np.zeros((len(contrasts), len(contrasts)))
        for column in (self.groups if self.declared else self.row[:, None])[at].T:
            sums = np.bincount(column * self.size + self.cell[at], self.off[at], (column.max() + 1) * self.size)
            moved = sums.reshape(-1, self.size) @ times
            many = len(np.unique(column))
            total += moved.T @ moved * many / max(many - 1, 1)
        spread = np.sqrt(np.diag(total))
        return np.asarray(total / np.outer(spread, spread))
