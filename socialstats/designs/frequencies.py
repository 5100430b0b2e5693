"""Columns that count rows or weigh them: by name, by content, and beside columns of wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.aliases import Texts, TextSet
from socialstats.designs.schema import DesignPart, Finder, Roles
from socialstats.designs.vocabulary import FREQUENCIES, bare, spelled
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table, as_number, missing_labels
from socialstats.text import quoted, shorten
from socialstats.voice import option

WEIGHTS = frozenset(spelled("weight weights w wt wgt"))
TIE_COUNTS = frozenset(
    spelled("ties tie tied nties ntied ntie draw draws drawn ndraws tiescount tiedgames equal")
)
# columns of whole numbers that are called like anything but a count
NO_COUNTS = re.compile(
    r"(?:^|[_. ]|(?<=[a-z])(?=[A-Z]))(?:date|year|season|month|week|day|time|round|id|elo|rating|rank|seed|age)s?$",
    re.IGNORECASE,
)
# columns that are looked at
MOST_FREE = 20
# rows of a table that was counted and whose counts have no usual name
MOST_COUNTED = 10_000
# combinations of values in a table that was counted
MOST_CELLS = 400
WIN_WORDS = spelled("wins win won nwins")
# rows from which whole numbers 1, 2, ... without a gap are taken as row numbers
FEWEST_NUMBERED = 4


def frequency_columns(table: Table, used: TextSet, na: TextSet | None = None) -> list[str]:
    """Return the columns that are called like a frequency and hold whole numbers from 0 upwards, but no row numbers."""
    return [
        c
        for c in table.columns
        if bare(c) in FREQUENCIES and c not in used and numbers_of_column(table, c, na).counts
    ]


@dataclass(frozen=True, slots=True)
class ColumnNumbers:
    """The distinct numbers of a column in order, none where it holds anything else, and the rows of the table."""

    numbers: list[float]
    rows: int

    @property
    def number_rows(self) -> bool:
        """Whether these are 1, 2, ... (or 0, 1, ...), each number in one row."""
        low = next(iter(self.numbers), -1.0)
        return (
            self.rows >= FEWEST_NUMBERED
            and low in (0, 1)
            and self.numbers == [low + k for k in range(self.rows)]
        )

    @property
    def counts(self) -> bool:
        """Whether these are whole numbers from 0 upwards, one of them above 1, which do not number the rows."""
        are_whole = max(self.numbers, default=0) >= 2 and all(
            x >= 0 and x.is_integer() for x in self.numbers
        )
        return are_whole and not self.number_rows


def numbers_of_column(table: Table, column: str, na: TextSet | None) -> ColumnNumbers:
    """Return the numbers that a column holds."""
    try:
        cells = table.counts([column])
        labels = cells.columns[column].labels(missing_labels(()) if na is None else na)
    except (InputError, TypeError):
        # it holds no labels
        return ColumnNumbers([], 0)
    numbers = [x for x in map(as_number, labels.levels) if x is not None]
    return ColumnNumbers(
        sorted(numbers) if len(numbers) == len(labels.levels) else [], int(cells.n.sum())
    )


def holds_numbers(table: Table, column: str) -> bool:
    """Whether a column holds numbers, several of them, which do not number the rows."""
    column_held = numbers_of_column(table, column, None)
    return len(column_held.numbers) > 1 and not column_held.number_rows


def roles_of_two(
    table: Table, parts: Sequence[DesignPart], options: Any, beside: Callable[[str, str], str]
) -> Roles:
    """Find the columns of a design of two sides; where each side has a column, the message says what to write.

    Parameters
    ----------
    table, parts, options
        As for `Finder.roles`.
    beside : callable
        What to write where the only two other columns, which hold numbers or the same labels, are the two sides.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    roles = finder.roles(parts, options)
    if finder.problems and options.value is None and not table.lazy:
        taken = roles.replaced(value=()).columns()
        free = [column for column in table.columns if column not in taken]
        if len(free) == 2 and are_comparable(table, *free):
            last = finder.problems[-1]
            finder.problems[-1] = replace(last, fix=f"{last.fix}. {beside(*free)}")
    finder.finish()
    return roles


def are_comparable(table: Table, first: str, second: str) -> bool:
    """Whether two columns hold numbers, or share labels."""
    shared = {*table.levels(first)} & {*table.levels(second)}
    return bool(shared) or (holds_numbers(table, first) and holds_numbers(table, second))


def _are_crossed(table: Table, keys: Texts, times: str) -> bool:
    """Whether the other columns of a small table are crossed, each combination in one row, and `times` counts each."""
    other_columns = [c for c in table.columns if c != times]
    try:
        return (
            len(other_columns) <= 4
            and {*keys} <= {*other_columns}
            and looks_counted(table, *other_columns)
        )
    except (InputError, TypeError):
        return False


def looks_counted(table: Table, *columns: str) -> bool:
    """Whether columns of few values are crossed: at least half of their combinations occur, each in one row."""
    cells = table.counts(columns)
    most = int(np.prod([len(cells.columns[c].values) for c in columns]))
    return bool(
        len(cells.n) == cells.n.sum() and 4 <= most <= 2 * len(cells.n) and most <= MOST_CELLS
    )


def unused_beside_wins(table: Table, wins: Texts, used: TextSet, na: TextSet) -> Frequency:
    """Return caution SS324 about columns of counts beside counts of wins, such as ties; their sum is no such column."""
    odd = []
    for column in [c for c in table.columns if c not in used][:MOST_FREE]:
        if NO_COUNTS.search(column) or not numbers_of_column(table, column, na).counts:
            continue
        cells = table.counts([column, *wins]).columns
        counts, *sides = (np.nan_to_num(cells[c].labels().numbers()) for c in (column, *wins))
        if not np.array_equal(counts, np.sum(sides, axis=0)):
            odd.append(column)
    return _frequency_caution(odd, "not used, beside counts of wins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """The column that says how often each row occurred (None: each row occurred once), and what is said about it."""

    column: str | None = None
    cautions: tuple[Caution, ...] = ()


def frequency(
    table: Table,
    count: str | bool | None,
    keys: Texts,
    used: TextSet,
    na: TextSet,
    weight: str | None = None,
    counted: Callable[[], bool] = lambda: False,
) -> Frequency:
    """Return the column of frequencies: as named, or the only one by name and content beside rows that are distinct.

    Parameters
    ----------
    table : Table
    count : str, False or None
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
    if isinstance(count, str) and count:
        return Frequency(column=count)
    # False, or empty text
    if count is not None:
        return Frequency()
    if weight is not None:
        odd = (
            [weight]
            if bare(weight) in FREQUENCIES and numbers_of_column(table, weight, na).counts
            else []
        )
        return _frequency_caution(odd, "used as sampling weights, which leave n as it is")
    free = [c for c in table.columns if c not in used]
    named = [
        c
        for c in free
        if bare(c) in FREQUENCIES and not numbers_of_column(table, c, na).number_rows
    ]
    few = free and not table.lazy and table.height <= MOST_COUNTED
    distinct = (
        bool(keys and (named or few)) and float(table.counts(list(keys)).n.max(initial=0.0)) == 1.0
    )
    distinct = distinct or bool(
        keys and len(named) == 1 and few and _are_crossed(table, [*keys], named[0])
    )
    counts = (
        numbers_of_column(table, named[0], na)
        if distinct and len(named) == 1
        else ColumnNumbers([], 0)
    )
    # a constant says nothing of single rows
    if counts.counts and (len(counts.numbers) > 1 or counts.rows == 1):
        name = shorten(named[0])
        none = option("count", False, "--count ''")
        detail = f"'{name}' holds whole numbers beside rows that are all different"
        fix = (
            f"{option('count', name, f'--count {name}')} says so; {none} if it means something else"
        )
        return Frequency(
            column=named[0],
            cautions=(caution("SS323", detail, affects="n, every number", fix=fix),),
        )
    odd = named or [
        c for c in free if bare(c) in WEIGHTS and numbers_of_column(table, c, na).numbers
    ]
    if not odd and distinct and few and counted():
        other_columns = [
            c for c in free[:MOST_FREE] if bare(c) not in TIE_COUNTS and not NO_COUNTS.search(c)
        ]
        odd = [c for c in other_columns if numbers_of_column(table, c, na).counts]
    return _frequency_caution(odd, "not used")


def _frequency_caution(columns: Texts, how: str) -> Frequency:
    """Return caution SS324 about columns that may count rows or weigh them; nothing for none."""
    if not columns:
        return Frequency()
    name = shorten(columns[0])
    none = option("count", False, "--count ''")
    detail = f"{quoted(columns)} {'is' if len(columns) == 1 else 'are'} {how}"
    fix = (
        f"{option('count', name, f'--count {name}')} if a row stands for so many, "
        f"{option('weight', name, f'--map weight={name}')} if it is a sampling weight, {none} if neither"
    )
    return Frequency(cautions=(caution("SS324", detail, affects="n, every number", fix=fix),))
