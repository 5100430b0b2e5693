"""Tables that were counted already: columns of wins and ties, and columns that say how often each row occurred."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats import text
from socialstats.designs.parts import A_WON, B_WON, TIED, FloatArray, IntArray
from socialstats.designs.problems import BoolArray, Problems
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table, as_number, missing_labels

FIX = "Counts are whole numbers from 0 upwards"
FREQUENCIES = frozenset({
    "count", "counts", "cnt", "n", "freq", "freqs", "frequency", "frequencies", "wtn", "nobs", "times", "cases",
    "ncases", "size",
})  # fmt: skip
TIE_COUNTS = frozenset({"ties", "tie", "tied", "nties", "ntied", "draw", "draws", "drawn", "ndraws"})
WIN_WORDS = ("wins", "win", "won", "nwins")
FEWEST_NUMBERED = 4  # rows from which whole numbers 1, 2, ... without a gap are taken as row numbers


def bare(name: str) -> str:
    """Return a column name without case, white space and punctuation.

    Examples
    --------
    >>> bare("N_obs"), bare(" Freq. ")
    ('nobs', 'freq')
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def frequency_columns(table: Table, taken: Collection[str], na: Collection[str] | None = None) -> list[str]:
    """Return the columns that are called like a frequency and hold whole numbers from 0 upwards, but no row numbers."""
    return [c for c in table.columns if bare(c) in FREQUENCIES and c not in taken and _holds_counts(table, c, na)]


def _holds_counts(table: Table, column: str, na: Collection[str] | None) -> bool:
    try:
        cells = table.counts([column])
        labels = cells.columns[column].labels(missing_labels(()) if na is None else na)
    except (InputError, TypeError):  # it holds no labels
        return False
    numbers = [as_number(level) for level in labels.levels]
    if (
        not all(x is not None and x >= 0 and x.is_integer() for x in numbers)
        or max(map(float, labels.levels), default=0) < 2
    ):
        return False
    found, rows = sorted(x for x in numbers if x is not None), int(cells.n.sum())
    return not (rows >= FEWEST_NUMBERED and len(found) == rows and found[-1] - found[0] == rows - 1 and found[0] <= 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """The column that says how often each row occurred (None: each row occurred once), and what is said about it."""

    column: str | None = None
    cautions: tuple[Caution, ...] = ()


def frequency(
    table: Table, asked: str | bool | None, keys: Sequence[str], used: Collection[str], na: Collection[str],
    weight: str | None = None,
) -> Frequency:  # fmt: skip
    """Return the column of frequencies: as named, or the only one by name and content beside rows that are distinct.

    Parameters
    ----------
    table : Table
    asked : str, False or None
        A column; there is none; or to be found.
    keys : sequence of str
        Columns whose combinations are distinct where rows were counted. Empty: nothing is taken by itself.
    used : collection of str
        Columns that play a part.
    na : collection of str
        Texts that mean a missing value.
    weight : str, optional
        Column of sampling weights.
    """
    if isinstance(asked, str):
        return Frequency(column=asked)
    if weight is not None and asked is None and bare(weight) in FREQUENCIES and _holds_counts(table, weight, na):
        name = text.shorten(weight)
        return Frequency(cautions=(caution(
            "SS324", f"'{name}' is used as sampling weights, which leave n as it is, and holds whole numbers",
            affects="n, standard errors",
            fix=f"count='{name}' (--count {name}) in its place if a row stands for so many",
        ),))  # fmt: skip
    found = [] if asked is False else frequency_columns(table, used, na)
    if not found:
        return Frequency()
    name = text.shorten(found[0])
    if len(found) == 1 and keys and float(table.counts(list(keys)).n.max(initial=0.0)) == 1.0:
        return Frequency(column=found[0], cautions=(caution(
            "SS323", f"'{name}' holds whole numbers beside rows that are all different", affects="n, every number",
            fix=f"count='{name}' (--count {name}) says so; count=False (--count '') if it means something else",
        ),))  # fmt: skip
    listed = text.quoted(found)
    return Frequency(cautions=(caution(
        "SS324", f"{listed} {'is' if len(found) == 1 else 'are'} called like a frequency and "
        f"{'holds' if len(found) == 1 else 'hold'} whole numbers", affects="n, every number",
        fix=f"count='{name}' (--count {name}) if a row stands for so many; count=False (--count '') if not",
    ),))  # fmt: skip


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
        problems.refuse_spellings([column], bad)
        problems.each_value(column, bad, [column], "'{}' is not a count", fix=FIX)
    numbers = [value if ok and value is not None else 0.0 for value, ok in zip(values, fine, strict=True)]
    return np.array([*numbers, 0.0])[labels.codes]
