"""Tables that were counted already: one row a pair, with how often each side won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.designs.parts import A_WON, B_WON, TIED, FloatArray, IntArray
from socialstats.designs.problems import BoolArray, Problems
from socialstats.tables import as_number

FIX = "Counts are whole numbers from 0 upwards"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expanded:
    """Cells by outcome.

    Attributes
    ----------
    cell : (k,) int64 array
        The table's cell.
    outcome : (k,) int64 array
    times : (k,) float64 array
        Comparisons that each row of the cell stands for.
    """

    cell: IntArray
    outcome: IntArray
    times: FloatArray


def plain(outcome: IntArray) -> Expanded:
    """Return cells in which a row is one comparison."""
    return Expanded(cell=np.arange(len(outcome), dtype=np.int64), outcome=outcome, times=np.ones(len(outcome)))


def expand(wins: Sequence[str], use: BoolArray, problems: Problems) -> Expanded:
    """Split each row into the comparisons that a won, that b won, and that were tied.

    Parameters
    ----------
    wins : sequence of str
        Columns: wins of a, wins of b and, optionally, ties.
    use : (cells,) bool array
    problems : Problems
    """
    cells: list[IntArray] = []
    outcomes: list[IntArray] = []
    times: list[FloatArray] = []
    for column, outcome in zip(wins, (A_WON, B_WON, TIED), strict=False):
        numbers = whole_numbers(column, use, problems)
        cell = np.flatnonzero(use & (numbers > 0))
        cells.append(cell)
        outcomes.append(np.full(len(cell), outcome, dtype=np.int64))
        times.append(numbers[cell])
    return Expanded(cell=np.concatenate(cells), outcome=np.concatenate(outcomes), times=np.concatenate(times))


def whole_numbers(column: str, use: BoolArray, problems: Problems) -> FloatArray:
    """Return a column of counts; report values that are no whole numbers from 0 upwards."""
    labels = problems.labels[column]
    values = [as_number(level) for level in labels.levels]
    fine = [value is not None and value >= 0 and value.is_integer() for value in values]
    bad = use & ~np.array([*fine, True])[labels.codes]
    if bad.any():
        problems.each_value(column, bad, [column], "'{}' is not a count", fix=FIX)
    numbers = [value if ok and value is not None else 0.0 for value, ok in zip(values, fine, strict=True)]
    return np.array([*numbers, 0.0])[labels.codes]
