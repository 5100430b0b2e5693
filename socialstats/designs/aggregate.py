"""Tables that were counted already: columns of wins and ties, and columns that say how often each row occurred."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.problems import Problems
from socialstats.errors import Caution, InputError, Problem, caution
from socialstats.tables import Table, as_number, as_text, missing_labels

FIX = "Counts are whole numbers from 0 upwards"
LARGEST_TOTAL = 2.0**53  # larger whole numbers are not all floats
FREQUENCIES = frozenset({
    "count", "counts", "cnt", "n", "freq", "freqs", "frequency", "frequencies", "wtn", "nobs", "times", "cases",
    "ncases", "size",
})  # fmt: skip
WEIGHTS = frozenset({"weight", "weights", "w", "wt", "wgt"})
TIE_COUNTS = frozenset({
    "ties", "tie", "tied", "nties", "ntied", "ntie", "draw", "draws", "drawn", "ndraws",
    "tiescount", "tiedgames", "equal",
})  # fmt: skip
NO_COUNTS = re.compile(
    r"(?:^|[_. ]|(?<=[a-z])(?=[A-Z]))(?:date|year|season|month|week|day|time|round|id|elo|rating|rank|seed|age)s?$",
    re.IGNORECASE,
)  # columns of whole numbers that are called like anything but a count
MOST_FREE = 20  # columns that are looked at
MOST_COUNTED = 10_000  # rows of a table that was counted and whose counts have no usual name
MOST_CELLS = 400  # combinations of values in a table that was counted
TOTALS = frozenset({"total", "totals", "sum", "margin"})
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
    return [c for c in table.columns if bare(c) in FREQUENCIES and c not in taken and held(table, c, na).counts]


@dataclass(frozen=True, slots=True)
class Held:
    """The distinct numbers of a column in order, none where it holds anything else, and the rows of the table."""

    numbers: list[float]
    rows: int

    @property
    def several(self) -> bool:
        """Whether there are several numbers."""
        return len(self.numbers) > 1

    @property
    def number_rows(self) -> bool:
        """Whether these are 1, 2, ... (or 0, 1, ...), each number in one row."""
        found = self.numbers
        in_turn = self.rows >= FEWEST_NUMBERED and len(found) == self.rows
        return in_turn and found[-1] - found[0] == self.rows - 1 and found[0] in (0, 1)

    @property
    def counts(self) -> bool:
        """Whether these are whole numbers from 0 upwards, one of them above 1, which do not number the rows."""
        found = self.numbers
        whole = bool(found) and found[-1] >= 2 and all(x >= 0 and x.is_integer() for x in found)
        return whole and not self.number_rows


def held(table: Table, column: str, na: Collection[str] | None) -> Held:
    """Return the numbers that a column holds."""
    try:
        cells = table.counts([column])
        labels = cells.columns[column].labels(missing_labels(()) if na is None else na)
    except (InputError, TypeError):  # it holds no labels
        return Held([], 0)
    numbers = [as_number(level) for level in labels.levels]
    known = sorted(x for x in numbers if x is not None)
    return Held(known if len(known) == len(numbers) else [], int(cells.n.sum()))


def holds_numbers(table: Table, column: str) -> bool:
    """Whether a column holds numbers, several of them, which do not number the rows."""
    found = held(table, column, None)
    return found.several and not found.number_rows


def _crossed(table: Table, keys: Sequence[str], times: str) -> bool:
    """Whether the other columns of a small table are crossed, each combination in one row, and `times` counts each."""
    others = [c for c in table.columns if c != times]
    if len(others) > 4 or not {*keys} <= {*others}:
        return False
    try:
        cells = table.counts(others)
    except (InputError, TypeError):
        return False
    most = int(np.prod([len(cells.columns[c].values) for c in others]))
    return bool(len(cells.n) == cells.n.sum() and 4 <= most <= 2 * len(cells.n) and most <= MOST_CELLS)


def looks_counted(table: Table, first: str, second: str) -> bool:
    """Whether two columns of few values are crossed: at least half of their combinations occur, each in one row."""
    cells = table.counts([first, second])
    most = len(cells.columns[first].values) * len(cells.columns[second].values)
    return bool(len(cells.n) == cells.n.sum() and 4 <= most <= 2 * len(cells.n) and most <= MOST_CELLS)


def unused_beside_wins(table: Table, wins: Sequence[str], used: Collection[str], na: Collection[str]) -> Frequency:
    """Return caution SS324 about columns of counts beside counts of wins, such as ties; their sum is no such column."""
    odd = []
    for column in [c for c in table.columns if c not in used][:MOST_FREE]:
        if NO_COUNTS.search(column) or not held(table, column, na).counts:
            continue
        cells = table.counts([column, *wins]).columns
        values = [
            [as_number(as_text(v) or "") or 0.0 for v in [*cells[c].values.tolist(), None]] for c in (column, *wins)
        ]
        rows = [np.array(one)[cells[c].codes] for one, c in zip(values, (column, *wins), strict=True)]
        if not np.array_equal(rows[0], np.sum(rows[1:], axis=0)):
            odd.append(column)
    return _named(odd, "not used, beside counts of wins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """The column that says how often each row occurred (None: each row occurred once), and what is said about it."""

    column: str | None = None
    cautions: tuple[Caution, ...] = ()


def frequency(
    table: Table, asked: str | bool | None, keys: Sequence[str], used: Collection[str], na: Collection[str],
    weight: str | None = None, counted: Callable[[], bool] = lambda: False,
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
    counted : callable
        Returns whether the rows look as if they had been counted: any column of whole numbers may be the counts.
        Asked in tables of few rows only, so that no group-by of many rows is added.
    """
    if isinstance(asked, str) and asked:
        return Frequency(column=asked)
    if asked is not None:  # False, or empty text
        return Frequency()
    if weight is not None:
        odd = [weight] if bare(weight) in FREQUENCIES and held(table, weight, na).counts else []
        return _named(odd, "used as sampling weights, which leave n as it is")
    free = [c for c in table.columns if c not in used]
    named = [c for c in free if bare(c) in FREQUENCIES and not held(table, c, na).number_rows]
    few = free and not isinstance(table.frame, nw.LazyFrame) and table.frame.shape[0] <= MOST_COUNTED
    distinct = bool(keys and (named or few)) and float(table.counts(list(keys)).n.max(initial=0.0)) == 1.0
    distinct = distinct or bool(keys and len(named) == 1 and few and _crossed(table, [*keys], named[0]))
    found = held(table, named[0], na) if distinct and len(named) == 1 else Held([], 0)
    if found.counts and (found.several or found.rows == 1):  # a constant says nothing of single rows
        name = text.shorten(named[0])
        return Frequency(column=named[0], cautions=(caution(
            "SS323", f"'{name}' holds whole numbers beside rows that are all different", affects="n, every number",
            fix=f"count='{name}' (--count {name}) says so; count=False (--count '') if it means something else",
        ),))  # fmt: skip
    odd = named or [c for c in free if bare(c) in WEIGHTS and held(table, c, na).numbers]
    if not odd and distinct and few and counted():
        odd = [c for c in free[:MOST_FREE] if bare(c) not in TIE_COUNTS and not NO_COUNTS.search(c)
               and held(table, c, na).counts]  # fmt: skip
    return _named(odd, "not used")


def _named(columns: Sequence[str], how: str) -> Frequency:
    """Return caution SS324 about columns that may count rows or weigh them; nothing for none."""
    if not columns:
        return Frequency()
    name = text.shorten(columns[0])
    return Frequency(cautions=(caution(
        "SS324", f"{text.quoted(columns)} {'is' if len(columns) == 1 else 'are'} {how}", affects="n, every number",
        fix=f"count='{name}' (--count {name}) if a row stands for so many, weight='{name}' (--map weight={name}) if it "
        "weighs comparisons, count=False (--count '') if neither",
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


def refuse_totals(columns: Sequence[str], use: BoolArray, problems: Problems) -> None:
    """Report rows of totals (``Sum``, ``Total``) in a table of frequencies: they would be counted twice."""
    for column in columns:
        labels = problems.labels[column]
        bad = use & np.array([*(bare(level) in TOTALS for level in labels.levels), False])[labels.codes]
        fix = "Remove rows of totals, or leave them out (--exclude COLUMN={})"
        problems.each_value(column, bad, [column], "'{}' looks like a row of totals", fix=fix.replace("COLUMN", column))


def whole_numbers(column: str, use: BoolArray, problems: Problems) -> FloatArray:
    """Return a column of counts; report values that are no whole numbers from 0 upwards."""
    labels = problems.labels[column]
    problems.refuse_spellings([column], use)
    values = [as_number(level) for level in labels.levels]
    fine = [value is not None and value >= 0 and value.is_integer() for value in values]
    bad = use & ~np.array([*fine, True])[labels.codes]
    if bad.any():
        problems.each_value(column, bad, [column], "'{}' is not a count", fix=FIX)
    numbers = [value if ok and value is not None else 0.0 for value, ok in zip(values, fine, strict=True)]
    found = np.array([*numbers, 0.0])[labels.codes]
    if (total := float(np.sum(found[use]))) > LARGEST_TOTAL:
        raise InputError(Problem(
            message=f"the counts add up to {total:.3g}; beyond {LARGEST_TOTAL:.3g} (2^53) sums of whole numbers are "
            "not exact", source=problems.table.source, column=column, fix="Divide all counts by a common factor",
        ))  # fmt: skip
    return found
