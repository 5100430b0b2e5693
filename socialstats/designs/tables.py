"""Tables that are counted, crossed or wide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from operator import or_
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.designs.aliases import Fields, LevelOrder, Levels, Names, Texts, TextSet
from socialstats.designs.cells import unequal
from socialstats.designs.levels import categories, codes_in, declared_levels, other_spelling
from socialstats.designs.options import ReadingOptions, texts
from socialstats.designs.rows import FILL, Rows, begin, fill_or_drop
from socialstats.designs.schema import NAMING, NEEDED, DesignPart, Finder, Roles
from socialstats.designs.vocabulary import FREQUENCIES, bare, spelled
from socialstats.errors import (
    MOST_PROBLEMS,
    Caution,
    DesignError,
    InputError,
    NothingToAnalyse,
    Problem,
    caution,
)
from socialstats.tables import (
    MISSING,
    Coded,
    DistinctRows,
    Table,
    as_number,
    label_text,
    missing_labels,
)
from socialstats.tables.counting import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    WEIGHT_EXTREME,
    WEIGHT_MISSING,
    WEIGHT_NEGATIVE,
    WEIGHT_NO_NUMBER,
    WEIGHT_OK,
    WEIGHT_ZERO,
    coded_column,
    text_weight,
)
from socialstats.tables.lazy import ROW, asks, collected
from socialstats.tables.table import Stacked
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

    from socialstats.designs.groups import Groups
    from socialstats.designs.paired import Paired
    from socialstats.designs.ratings import Ratings

    D = TypeVar("D", Groups, Paired, Ratings)


FIX = "Counts are whole numbers from 0 upwards"
SPAN = 2**52  # more than any number of a row: those of stacked columns lie as far apart
ROUNDED = 0.005  # share of a total by which rounding of its digits may move it
LARGEST_TOTAL = 2.0**53  # larger whole numbers are not all floats
WEIGHTS = frozenset(spelled("weight weights w wt wgt"))
TIE_COUNTS = frozenset(
    spelled("ties tie tied nties ntied ntie draw draws drawn ndraws tiescount tiedgames equal")
)
NO_COUNTS = re.compile(
    r"(?:^|[_. ]|(?<=[a-z])(?=[A-Z]))(?:date|year|season|month|week|day|time|round|id|elo|rating|rank|seed|age)s?$",
    re.IGNORECASE,
)  # columns of whole numbers that are called like anything but a count
MOST_FREE = 20  # columns that are looked at
MOST_COUNTED = 10_000  # rows of a table that was counted and whose counts have no usual name
MOST_CELLS = 400  # combinations of values in a table that was counted
TOTALS = frozenset(spelled("total totals sum margin grandtotal gesamt summe"))
WIN_WORDS = spelled("wins win won nwins")
FEWEST_NUMBERED = (
    4  # rows from which whole numbers 1, 2, ... without a gap are taken as row numbers
)


def frequency_columns(table: Table, taken: TextSet, na: TextSet | None = None) -> list[str]:
    """Return the columns that are called like a frequency and hold whole numbers from 0 upwards, but no row numbers."""
    return [
        c
        for c in table.columns
        if bare(c) in FREQUENCIES and c not in taken and held(table, c, na).counts
    ]


@dataclass(frozen=True, slots=True)
class Held:
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
        whole = max(self.numbers, default=0) >= 2 and all(
            x >= 0 and x.is_integer() for x in self.numbers
        )
        return whole and not self.number_rows


def held(table: Table, column: str, na: TextSet | None) -> Held:
    """Return the numbers that a column holds."""
    try:
        cells = table.counts([column])
        labels = cells.columns[column].labels(missing_labels(()) if na is None else na)
    except (InputError, TypeError):  # it holds no labels
        return Held([], 0)
    numbers = [x for x in map(as_number, labels.levels) if x is not None]
    return Held(sorted(numbers) if len(numbers) == len(labels.levels) else [], int(cells.n.sum()))


def holds_numbers(table: Table, column: str) -> bool:
    """Whether a column holds numbers, several of them, which do not number the rows."""
    column_held = held(table, column, None)
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
        if len(free) == 2 and alike(table, *free):
            last = finder.problems[-1]
            finder.problems[-1] = replace(last, fix=f"{last.fix}. {beside(*free)}")
    finder.finish()
    return roles


def alike(table: Table, one: str, other: str) -> bool:
    """Whether two columns hold numbers, or share labels."""
    shared = {*table.levels(one)} & {*table.levels(other)}
    return bool(shared) or (holds_numbers(table, one) and holds_numbers(table, other))


def _crossed(table: Table, keys: Texts, times: str) -> bool:
    """Whether the other columns of a small table are crossed, each combination in one row, and `times` counts each."""
    others = [c for c in table.columns if c != times]
    try:
        return len(others) <= 4 and {*keys} <= {*others} and looks_counted(table, *others)
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
        if NO_COUNTS.search(column) or not held(table, column, na).counts:
            continue
        cells = table.counts([column, *wins]).columns
        counts, *sides = (np.nan_to_num(cells[c].labels().numbers()) for c in (column, *wins))
        if not np.array_equal(counts, np.sum(sides, axis=0)):
            odd.append(column)
    return _named(odd, "not used, beside counts of wins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """The column that says how often each row occurred (None: each row occurred once), and what is said about it."""

    column: str | None = None
    cautions: tuple[Caution, ...] = ()


def frequency(
    table: Table,
    asked: str | bool | None,
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
    few = free and not table.lazy and table.height <= MOST_COUNTED
    distinct = (
        bool(keys and (named or few)) and float(table.counts(list(keys)).n.max(initial=0.0)) == 1.0
    )
    distinct = distinct or bool(
        keys and len(named) == 1 and few and _crossed(table, [*keys], named[0])
    )
    counts = held(table, named[0], na) if distinct and len(named) == 1 else Held([], 0)
    if counts.counts and (
        len(counts.numbers) > 1 or counts.rows == 1
    ):  # a constant says nothing of single rows
        name, none = shorten(named[0]), option("count", False, "--count ''")
        detail = f"'{name}' holds whole numbers beside rows that are all different"
        fix = (
            f"{option('count', name, f'--count {name}')} says so; {none} if it means something else"
        )
        return Frequency(
            column=named[0],
            cautions=(caution("SS323", detail, affects="n, every number", fix=fix),),
        )
    odd = named or [c for c in free if bare(c) in WEIGHTS and held(table, c, na).numbers]
    if not odd and distinct and few and counted():
        others = [
            c for c in free[:MOST_FREE] if bare(c) not in TIE_COUNTS and not NO_COUNTS.search(c)
        ]
        odd = [c for c in others if held(table, c, na).counts]
    return _named(odd, "not used")


def _named(columns: Texts, how: str) -> Frequency:
    """Return caution SS324 about columns that may count rows or weigh them; nothing for none."""
    if not columns:
        return Frequency()
    name, none = shorten(columns[0]), option("count", False, "--count ''")
    detail = f"{quoted(columns)} {'is' if len(columns) == 1 else 'are'} {how}"
    fix = (
        f"{option('count', name, f'--count {name}')} if a row stands for so many, "
        f"{option('weight', name, f'--map weight={name}')} if it is a sampling weight, {none} if neither"
    )
    return Frequency(cautions=(caution("SS324", detail, affects="n, every number", fix=fix),))


def refuse_totals(columns: Texts, rows: Rows) -> None:
    """Report rows of totals (``Sum``, ``Total``) in a table of frequencies: they would be counted twice."""
    for column in columns:
        bad = rows.use & rows.labels(column).mapped(lambda level: bare(level) in TOTALS, False)
        fix = partial("Remove rows of totals, or leave them out (--exclude {}={})".format, column)
        rows.each_value(column, bad, [column], "'{}' looks like a row of totals", fix=fix)


def refuse_total_row(table: Table, names: Texts, columns: Texts, na: TextSet) -> None:
    """Report a row that is called a total in a column of names, and that is the sum of all other rows.

    Raises
    ------
    InputError
        If its number is the sum of the others in each of the columns, but for rounding.
    """
    for name in names:
        if not any(
            not level.isdigit() and bare(level) in TOTALS for level in table.levels(name, na)
        ):
            continue
        rows = begin(table, [name, *columns], na)
        bad = rows.labels(name).mapped(lambda level: bare(level) in TOTALS, False)
        for column in columns:
            numbers = np.nan_to_num(rows.labels(column).numbers())
            total = float(numbers @ rows.n)
            bad = bad & (numbers != 0) & (np.abs(2 * numbers - total) <= ROUNDED * np.abs(numbers))
        fix = partial("Remove it, or leave it out (--exclude {}={})".format, name)
        rows.each_value(
            name, bad, [name], "'{}' is a row of totals: it has the sums of the others", fix=fix
        )
        rows.raise_if_any()


def whole_numbers(column: str, rows: Rows) -> FloatArray:
    """Return a column of counts; report values that are no whole numbers from 0 upwards."""
    rows.refuse_spellings(column)
    numbers = rows.labels(column).numbers()
    wrong = (rows.codes(column) >= 0) & ~((numbers >= 0) & (numbers % 1 == 0))
    rows.each_value(column, rows.use & wrong, [column], "'{}' is not a count", fix=FIX)
    numbers = np.where(wrong | np.isnan(numbers), 0.0, numbers)
    if (total := float(np.sum(numbers[rows.use]))) > LARGEST_TOTAL:
        raise InputError(
            Problem(
                message=f"the counts add up to {total:.3g}; beyond {LARGEST_TOTAL:.3g} (2^53) sums of whole numbers "
                "are not exact",
                source=rows.table.source,
                column=column,
                fix="Divide all counts by a common factor",
            )
        )
    return numbers


def begun(
    table: Table,
    roles: Roles,
    options: ReadingOptions,
    *,
    drop: bool = False,
    fix: str = "",
    wide: Table | None = None,
    may_miss: Texts = (),
) -> Rows:
    """Count the rows of a design of units, and set those aside that miss a name or a count.

    Parameters
    ----------
    table : Table
    roles : Roles
    options : Reading
    drop : bool
        Whether rows are left out that miss a value; else they are problems.
    fix : str
        What is done where a value is missing; by default it is filled in, or its row dropped.
    wide : Table or None
        The table that `table` was made of.
    may_miss : sequence of str
        Kinds of columns that may miss a value.
    """
    rows = begin(
        table, roles.columns(), options.na_labels, roles.of(*NAMING), roles["weight"] or None
    )
    if wide is not None:
        rows.noun, rows.origin = "values", wide
        rows.numbered = [column for column in roles.of("unit") if not wide.has(column)]
        rows.flow[0] = replace(rows.flow[0], label="values read")
    needed = [kind for kind in NEEDED if kind not in may_miss]
    rows.set_missing_aside(roles.of(*needed), drop=drop, fix=fix)
    return rows


def times_of(rows: Rows, roles: Roles, labels: Texts) -> FloatArray:
    """Return how often each row of a design of units counts; rows that count 0 times are used no more.

    Parameters
    ----------
    rows : Rows
    roles : Roles
    labels : sequence of str
        Columns that may hold totals.
    """
    if not roles["count"]:
        return np.ones(len(rows.use))
    refuse_totals(labels, rows)
    times = whole_numbers(roles["count"], rows)
    rows.use = rows.use & (times > 0)
    return times


WEIGHT_PROBLEMS = {
    WEIGHT_MISSING: ("the weight is missing", ""),
    WEIGHT_NEGATIVE: ("a weight is negative", "Weights are finite numbers from 0 upwards"),
    WEIGHT_NO_NUMBER: (
        "a weight is not a finite number",
        "Weights are finite numbers from 0 upwards",
    ),
    WEIGHT_EXTREME: (
        f"a weight is below {SMALLEST_WEIGHT:g} or above {LARGEST_WEIGHT:g}",
        "Divide all weights by a common factor",
    ),
}


def set_weights_aside(
    rows: Rows, column: str, options: ReadingOptions, *, droppable: bool = True
) -> None:
    """Report weights that cannot be used, each kind with its first value, or leave rows out that miss theirs.

    Rows of weight 0 are left out. Where rows are not `droppable`, a missing weight is a problem whatever was said of
    missing values.
    """
    status, name = rows.counts.status, shorten(column)
    fill = fill_or_drop() if droppable else FILL
    if droppable and options.missing == "drop":
        note = f"{option('missing', 'drop')}: the weight is missing"
        rows.leave_out(status == WEIGHT_MISSING, f"no value in '{name}'", note)
    for state, (message, cure) in WEIGHT_PROBLEMS.items():
        bad = rows.use & (status == state)
        if not bad.any():
            continue
        seen: list[str] = []

        def wanted(row: tuple[str | None, ...], state: int = state, seen: list[str] = seen) -> bool:
            value = "" if row[0] is None or row[0] in options.na_labels else row[0]
            bad_value = text_weight(value)[1] == state
            if bad_value:
                seen.append(value)
            return bad_value

        rows.table.positions([column], [wanted], 1)
        shown = "".join(f": {shorten(value)}" for value in seen[:1] if value)
        spelled = other_spelling(seen)
        fix = spelled[1] if spelled else cure or fill
        rows.pend(
            message + shown,
            column,
            fix,
            keys=(column,),
            predicate=wanted,
            n_rows=int(rows.n[bad].sum()),
        )
    rows.use = rows.use & ((status == 0) | (status == WEIGHT_ZERO))
    rows.leave_out(status == WEIGHT_ZERO, f"weight 0 in '{name}'", "rows of weight 0 say nothing")


def weights_of(
    rows: Rows, roles: Roles, options: ReadingOptions, *, droppable: bool = True
) -> FloatArray | None:
    """Return the sampling weight of a unit in each row; None where no column has weights, or all are equal.

    Weights are relative: equal ones are none. Rows of weight 0 are used no more.
    """
    if not roles["weight"]:
        return None
    set_weights_aside(rows, roles["weight"], options, droppable=droppable)
    weight = rows.labels(roles["weight"]).numbers()
    return unequal(np.where(rows.use, weight, np.nan))


MARGINS = frozenset(spelled("total totals sum all margin"))
LARGEST = 500  # labels of a cross table


@asks
def crosstab(table: Table) -> pd.DataFrame:
    """Return a table that is a cross table of counts as a data frame with the same labels on both sides.

    The labels of the rows stand in the first column, or are those of the columns in the same order. A row or column
    of totals is left out, whatever it is called; a level that one side lacks has counts of 0. Cells may be missing.

    Raises
    ------
    InputError
        For labels that differ, and cells that are no counts, with line and column.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> crosstab(as_table({"": ["no", "yes"], "no": [44, 7], "yes": [5, 19]})).loc["yes", "no"]
    np.float64(7.0)
    """
    import pandas as pd

    columns = list(table.columns)
    first = [label or "" for label in table.texts(columns[0])]
    shared = len({bare(label) for label in first} & {bare(name) for name in columns[1:]})
    lost = _lost_labels(first, columns[1:])
    named = shared >= min(2, len(first)) or lost
    labels, heads = (first, columns[1:]) if named else (columns, columns)
    cells = np.full((len(first), len(heads)), np.nan)
    problems = []
    for k, head in enumerate(heads[:LARGEST]):
        for row, label in enumerate(table.texts(head)):
            number = as_number(label) if label is not None else None
            if number is not None:
                cells[row, k] = number
            elif (
                label is not None
                and label not in MISSING
                and not (named and label == "-" and first[row] == head)
            ):
                line = tuple(table.places([row]).values())
                message = f"'{shorten(label)}' is not a count"
                problems.append(
                    Problem(message=message, source=table.source, column=head, lines=line, fix=FIX)
                )
    size, square = len(first), None
    if named:
        square = pd.DataFrame(cells, index=labels, columns=labels if lost else heads)
        square = _matched(_without_totals(square, table.source))
    elif size == len(heads):
        square = pd.DataFrame(cells, index=labels, columns=heads)
    if square is None or not 2 <= len(square) <= LARGEST:
        raise InputError(
            f"{table.source}: a cross table has the same labels in its first column and in its header. Here the rows "
            f"are {quoted(first[:9], 8)} and the columns {quoted(heads[:9], 8)}"
        )
    if problems:
        raise InputError(problems[: MOST_PROBLEMS + 1])
    return square


def _lost_labels(rows: Texts, heads: Texts) -> bool:
    """Whether the header is V1, V2, ... (or X1, ...) over rows 1, 2, ...: R's names for columns without any."""
    numbered = [str(k) for k in range(1, len(rows) + 1)]
    return list(rows) == numbered and any(
        list(heads) == [letter + k for k in numbered] for letter in "VX"
    )


def _without_totals(square: pd.DataFrame, source: str) -> pd.DataFrame:
    """Leave out a last row and a last column that hold the sums of the others.

    Raises
    ------
    InputError
        For a row and column called like totals that are none.
    """
    names = [bare(str(label)) for label in (*square.index, *square.columns)]
    row, column = names[len(square) - 1], names[-1]
    down, across = (
        len(side) > 2 and np.allclose(side.iloc[:-1].sum(axis=0), side.iloc[-1])
        for side in (square, square.T)
    )
    if row == column and row in MARGINS and not (down and across):
        raise InputError(
            f"{source}: '{shorten(str(square.index[-1]))}' is not the sum of the other rows and columns"
        )
    if row == column:
        down = across = down and across
    else:
        down, across = down and names.count(row) == 1, across and names.count(column) == 1
    return square.iloc[: len(square) - down, : square.shape[1] - across]


def _matched(square: pd.DataFrame) -> pd.DataFrame | None:
    """Give both sides the same labels, spelled and ordered as in the rows; levels that one side lacks hold 0.

    None where labels repeat, or each side has levels that the other lacks: two different variables.
    """
    spelled = {bare(str(label)): str(label) for label in square.index}
    square = square.rename(columns={c: spelled.get(bare(str(c)), str(c)) for c in square.columns})
    every = [*square.index, *(name for name in square.columns if name not in square.index)]
    if (
        square.index.has_duplicates
        or square.columns.has_duplicates
        or len(every) > max(square.shape)
    ):
        return None
    absent = [~np.isin(every, axis) for axis in (square.index, square.columns)]
    full = square.reindex(index=every, columns=every)
    return full.mask(absent[0][:, None] | absent[1][None, :], 0.0)


def counts_in(cells: Any) -> bool:
    """Whether all cells are whole numbers from 0 upwards."""
    numbers = [
        x
        for x in np.ravel(cells)
        if isinstance(x, (int, float, np.number)) and not isinstance(x, bool)
    ]
    return 0 < len(numbers) == np.size(cells) and all(
        x >= 0 and float(x).is_integer() for x in numbers
    )


def may_count(cells: Any) -> bool:
    """Whether an array of ratings may count ratings by level instead: rows of one sum, or with zeros beside more.

    Examples
    --------
    >>> may_count([[0, 3], [1, 2]]), may_count([[1, 3], [2, 4]]), may_count([[0, 1], [1, 1]])
    (True, False, False)
    """
    if not counts_in(cells):
        return False
    numbers = np.array(cells, dtype=np.float64)
    sums = np.unique(numbers.sum(axis=1))
    return bool((len(sums) == 1 and sums[0] > 1) or (numbers.min() == 0 and numbers.max() > 1))


def numbers_in(table: Table, columns: Texts, most: int | None = None) -> list[list[float | None]]:
    """Return the numbers of columns, of the first rows where there are `most`; None for anything else."""
    frame = table.frame.select([*columns])
    held = collected(frame if most is None else frame.head(most))

    def number(value: Any) -> float | None:
        return (
            None if isinstance(value, list | dict | bytes) else as_number(label_text(value) or "")
        )

    return [[*map(number, held.get_column(column).to_list())] for column in columns]


def sums_alike(rows: Iterable[Sequence[float | None]]) -> int:
    """Return the sum of each row of whole numbers from 0 upwards, where all sums are alike and above 1; else 0.

    Examples
    --------
    >>> sums_alike([[0, 3], [1, 2]]), sums_alike([[1, 0], [0, 1]]), sums_alike([[0, 3], [1, 3]])
    (3, 0, 0)
    """
    total = 0.0
    for row in rows:
        found = 0.0
        for x in row:
            if x is None or x < 0 or x % 1:
                return 0
            found += x
        if found < 2 or (total and found != total):
            return 0
        total = found
    return int(total)


LOSERS = frozenset(spelled("loser losers lost loses defeated"))


def win_counts(square: pd.DataFrame, corner: str = "") -> dict[str, list[Any]]:
    """Return a matrix of wins as one row per pair that met: items and wins of both.

    The row's item won over the column's, but where the corner of the table says that the rows are the losers.
    """
    square = square.T if bare(corner) in LOSERS else square
    labels = np.array([*map(str, square.index)], dtype=object)
    wins = np.nan_to_num(square.to_numpy(dtype=np.float64))
    a, b = np.nonzero(np.triu(wins + wins.T, k=1))
    return {
        "item_a": labels[a].tolist(),
        "item_b": labels[b].tolist(),
        "wins_a": wins[a, b].tolist(),
        "wins_b": wins[b, a].tolist(),
    }


def square_counts(
    table: Any, levels: LevelOrder, *, start: int, source: str, vectors: str
) -> tuple[Levels, FloatArray, bool]:
    """Check a square table of counts.

    Parameters
    ----------
    table : (k, k) array-like, or pandas data frame with the same labels on both sides
    levels : sequence, optional
        Labels of the rows and columns; with a data frame, the order to put its labels into.
    start : int
        First of the default labels of a plain array.
    source : str
        Name for messages.
    vectors : str
        What to call with two vectors of values instead.

    Returns
    -------
    levels : tuple of str
    counts : (k, k) float64 array
    named : bool
        False where the labels are the default ones.

    Raises
    ------
    InputError
        Naming every cell that is no count.
    NothingToAnalyse
        When all counts are 0.
    """
    declared = declared_levels(levels)
    framed = hasattr(table, "columns") and hasattr(table, "index")
    labels = _frame_labels(table, source) if framed else declared
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.shape[0] < 2:
        shape = " x ".join(map(str, cells.shape)) or "a single value"
        raise InputError(
            f"{source}: a square table of counts is needed, not {shape}. For two vectors of values use {vectors}"
        )
    size = cells.shape[0]
    labels = labels or tuple(str(start + k) for k in range(size))
    if len(labels) != size:
        raise InputError(
            f"{source}: {len(labels)} levels ({quoted(labels, 8)}) for a {size} x {size} table"
        )
    counts = _numbers(cells, labels, source)
    if size > 2:
        refuse_margins(counts, labels[-1], source)
    if not counts.any():
        raise NothingToAnalyse(f"{source}: every count is 0: there is nothing to analyse")
    return (
        *_ordered(labels, counts, declared, source),
        declared is not None or hasattr(table, "columns"),
    )


def refuse_margins(counts: FloatArray, label: str, source: str) -> None:
    """Refuse a table of counts whose last row and column are the sums of the others.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_margins(np.array([[1, 2, 3], [4, 5, 9], [5, 7, 12]]), "All", "table")
    Traceback (most recent call last):
    socialstats.errors.InputError: table: the last row and the last column ('All') are the sums of the others. ...
    """
    by_row = np.array_equal(counts[:, -1], counts[:, :-1].sum(axis=1))
    if counts.any() and by_row and np.array_equal(counts[-1], counts[:-1].sum(axis=0)):
        raise InputError(
            f"{source}: the last row and the last column ('{shorten(label)}') are the sums of the others. Leave "
            "them out: pd.crosstab without margins, or table.iloc[:-1, :-1]"
        )


def _frame_labels(table: Any, source: str) -> Levels:
    rows, columns = (
        tuple(label_text(label) or "" for label in axis) for axis in (table.index, table.columns)
    )
    if rows != columns:
        raise InputError(
            f"{source}: the rows are {quoted(rows, 8)} and the columns {quoted(columns, 8)}. Both sides need the same "
            "levels in the same order: table.reindex(index=levels, columns=levels, fill_value=0)"
        )
    if len({*rows} - {""}) < len(rows):
        raise InputError(f"{source}: levels must be distinct and not empty, not {quoted(rows, 8)}")
    return rows


def _numbers(cells: Any, labels: Texts, source: str) -> FloatArray:
    numbers = {place: _count(value) for place, value in np.ndenumerate(cells)}
    problems = []
    for row, column in [place for place, number in numbers.items() if number is None][
        : MOST_PROBLEMS + 1
    ]:
        place = f"row {row + 1} ('{shorten(labels[row])}'), column {column + 1} ('{shorten(labels[column])}')"
        message = f"{place}: {shorten(str(cells[row, column]))} is not a count"
        problems.append(Problem(message=message, source=source, fix=FIX))
    if problems:
        raise InputError(problems)
    return np.array([*numbers.values()], dtype=np.float64).reshape(cells.shape)


def _count(value: Any) -> float | None:
    """Return a whole number from 0 upwards, None for anything else (text and missing values too)."""
    number = -1.0
    if not isinstance(value, (str, bytes, complex)):
        with suppress(TypeError, ValueError):
            number = float(value)
    return number if number >= 0 and number.is_integer() else None


def whole_count(value: Any, place: str) -> float:
    """Return one count.

    Raises
    ------
    InputError
        Naming the value and its place.
    """
    number = _count(value)
    if number is None:
        raise InputError(f"{place}={value!r} is not a count. {FIX}")
    return number


def _ordered(
    labels: Levels, counts: FloatArray, declared: Levels | None, source: str
) -> tuple[Levels, FloatArray]:
    """Arrange the labels of a data frame in the declared order; levels that it lacks have counts of 0."""
    if declared is None or declared == labels:
        return labels, counts
    codes = codes_in(labels, declared)
    if unknown := [label for label, code in zip(labels, codes, strict=True) if code < 0]:
        raise InputError(
            f"{source}: {quoted(unknown)} is none of the declared levels ({quoted(declared, 8)})"
        )
    out = np.zeros((len(declared), len(declared)))
    out[np.ix_(codes, codes)] = counts
    return declared, out


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """A wide table made long.

    Attributes
    ----------
    table : Table
        Its lines are those of the wide table.
    row, name, value : str
        Columns: what the row stands for, which column the value came from, the value.
    levels : tuple of str or None
        The order that all columns' type declares.
    """

    table: Table
    row: str
    name: str
    value: str
    levels: Levels | None


@asks
def make_long(table: Table, columns: Texts, keep: Texts, *, row: str | None, name: str) -> Long:
    """Stack some columns of a table.

    Parameters
    ----------
    table : Table
    columns : sequence of str
        Columns of values.
    keep : sequence of str
        Columns that belong to the row.
    row : str, optional
        Column that names the rows; by default they are numbered as messages do (data frames from 0, files from 1).
    name : str
        What the columns are (condition, rater, unit).
    """
    label = "value" if len(columns) > 6 else listing([shorten(column, 30) for column in columns])
    value, which, numbered = (free_name([*keep, row or ""], text) for text in (label, name, "row"))
    kept = list(dict.fromkeys([*keep, *([row] if row else [])]))
    added = (which, value, "" if row else numbered)
    kind, cells = _common_kind(table, columns), None
    long: Any
    if kind is not None:
        rows, long = SPAN, _stacked_lazily(table, columns, kept, added, kind)
    else:
        frame: Any = table.frame
        if table.lazy:
            frame = collected(frame.select(*dict.fromkeys([*columns, *kept])))
        stack = _Stack(frame, columns, kept, added, first=table.unit != "row")
        rows, long = stack.rows, stack.frame
        cells = stack.cells(table.source) if rows and not row else None
    if not rows:
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")

    def locate(positions: Sequence[int]) -> list[int]:
        places = table.places([position % rows for position in positions])
        return [places[position % rows] for position in positions]

    kinds = {categories(table, column) for column in columns}
    stacked = Table(
        data=long,
        columns=(*kept, *([] if row else [numbered]), which, value),
        source=table.source,
        unit=table.unit,
        is_file=table.is_file,
        semicolons=table.semicolons,
        encoding=table.encoding,
        entries=table.entries,
        locate=locate,
        epsilons={value: max(table.epsilon(column) for column in columns)},
        stacked=Stacked(value, tuple(columns), rows),
    )
    if cells is not None:
        stacked.counted[frozenset(stacked.columns)] = cells
    levels = kinds.pop() if len(kinds) == 1 else None
    return Long(table=stacked, row=row or numbered, name=which, value=value, levels=levels)


def stack_values(table: Table, columns: Texts) -> Long:
    """Stack columns of one kind of answer; all other columns belong to the row."""
    of_rows = [name for name in (*table.columns, *table.index) if name not in columns]
    return make_long(table, columns, of_rows, row=None, name="column")


def several_values(
    table: Table, value: Names | None, repeat: Names | bool | None
) -> tuple[Table, Fields, str]:
    """Stack the columns of ``value=["a", "b"]`` as repeats of one answer, so that their mean is the value.

    Returns
    -------
    table : Table
        With a row for each value, where several columns hold values; else as it is.
    changed : dict
        The keywords that this changes.
    row : str
        The column that numbers the rows of the table; empty where nothing was stacked.

    Raises
    ------
    InputError
        For a name that no column has.
    """
    if value is None or isinstance(value, str):
        return table, {}, ""
    columns = list(dict.fromkeys(value))
    table.need(*columns)
    if len(columns) == 1:
        return table, {"value": columns[0]}, ""
    long = stack_values(table, columns)
    further = () if isinstance(repeat, bool) or repeat is None else texts(repeat)
    return long.table, {"value": long.value, "repeat": (*further, long.name)}, long.row


def values_were_read(design: D, table: Table) -> D:
    """Return a design whose flow begins with values, where the columns of a table were stacked."""
    if table.stacked is None:
        return design
    read, *steps = design.flow
    return replace(design, flow=(replace(read, label="values read"), *steps))


def _common_kind(table: Table, columns: Texts) -> nw.dtypes.DType | type[nw.dtypes.DType] | None:
    """Return the type that stacked columns of a lazy table have; None where its rows are to be read first."""
    if not table.lazy:
        return None
    schema = table.frame.collect_schema()
    kinds = [schema[column] for column in columns]
    if ROW not in schema:
        return None
    if len({*kinds}) == 1 and (kinds[0].is_numeric() or kinds[0] in (nw.String, nw.Boolean)):
        return kinds[0]
    return nw.Float64 if all(kind.is_numeric() or kind == nw.Boolean for kind in kinds) else None


def _stacked_lazily(
    table: Table, columns: Texts, kept: Texts, added: tuple[str, str, str], kind: Any
) -> nw.LazyFrame[Any]:
    """Return a lazy frame with a row for each value; `added` names the columns of what it is, the value, the row."""
    which, value, numbered = added
    frame: Any = table.frame
    row = nw.col(ROW).cast(nw.Int64)
    numbers = [(row + int(table.unit != "row")).alias(numbered)] if numbered else []
    return nw.concat(
        [
            frame.select(
                *kept,
                *numbers,
                nw.lit(column).alias(which),
                nw.col(column).cast(kind).alias(value),
                (row + k * SPAN).alias(ROW),
            )
            for k, column in enumerate(columns)
        ]
    )


class _Stack:
    """Columns in memory that stand one below the other; rows are numbered from 0, or from 1.

    Numbered rows make cells of one row each, so that most designs never need the frame.
    """

    def __init__(
        self, frame: Any, columns: Texts, keep: Texts, added: tuple[str, str, str], *, first: bool
    ) -> None:
        import pandas as pd

        self.columns = columns
        self.which, self.value, self.numbered = added
        self.rows = len(frame)
        self.values = pd.Series(_stacked(frame, columns))
        self.kept = {column: pd.Series(_array(frame.get_column(column))) for column in keep}
        self.numbers = np.arange(self.rows) + first
        self.of_column = np.repeat(np.arange(len(columns)), self.rows)

    def frame(self) -> nw.DataFrame[Any]:
        """Return the rows."""
        import pandas as pd

        times = len(self.columns)
        data: Fields = {
            column: np.tile(series.to_numpy(), times) for column, series in self.kept.items()
        }
        if self.numbered:
            data[self.numbered] = np.tile(self.numbers, times)
        data[self.which] = pd.Categorical.from_codes(
            self.of_column, categories=pd.Index([*self.columns])
        )
        return nw.from_native(pd.DataFrame(data | {self.value: self.values}), eager_only=True)

    def cells(self, source: str) -> DistinctRows:
        """Return the cells of all columns, a row each, in their order."""
        times = len(self.columns)
        columns = {}
        for name, series in self.kept.items():
            coded = coded_column(series, name, source)
            columns[name] = replace(coded, codes=np.tile(coded.codes, times))
        places = np.tile(np.arange(self.rows), times)
        columns[self.numbered] = Coded(codes=places, values=self.numbers)
        names = np.array(self.columns, dtype=object)
        columns[self.which] = Coded(codes=self.of_column, values=names)
        columns[self.value] = coded_column(self.values, self.value, source)
        ones = np.ones(len(places))
        status = np.full(len(places), WEIGHT_OK, dtype=np.int64)
        return DistinctRows(columns=columns, n=ones, weight=ones, weight_sq=ones, status=status)


def with_constant(table: Table, wanted: str, label: str) -> tuple[Table, str]:
    """Add a column that holds one label in every row; return its name as well."""
    name = free_name(table.columns, wanted)
    frame: Any = table.frame
    return replace(
        table, data=frame.with_columns(nw.lit(label).alias(name)), columns=(*table.columns, name)
    ), name


def free_name(taken: TextSet, wanted: str) -> str:
    """Return a name that no column has."""
    while wanted in taken:
        wanted += "_"
    return wanted


def _array(series: nw.Series[Any]) -> AnyArray:
    """Return a column as numbers, or as objects."""
    if series.dtype.is_numeric():
        numbers: AnyArray = series.to_numpy()
        if numbers.dtype.kind in "fiu":
            return numbers
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _stacked(frame: Any, columns: Texts) -> AnyArray:
    """Stack columns; where some are numbers, truth values are 0 and 1."""
    series = [frame.get_column(column) for column in columns]
    arrays = [_array(column) for column in series]
    truth = [column.dtype == nw.Boolean for column in series]
    numbers = [array.dtype != object for array in arrays]
    if not all(truth) and all(map(or_, truth, numbers)):
        arrays = [
            np.array(array, dtype=np.float64) if of_truth else array
            for array, of_truth in zip(arrays, truth, strict=True)
        ]
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)


def as_named(data: Any, prefix: str = "") -> Any:
    """Return a 2-D array as a data frame with columns ``1``, ``2``, ...; anything else as it is.

    Raises
    ------
    InputError
        For arrays of other shapes.
    """
    if isinstance(data, (list, tuple)):
        data = np.array(data, dtype=object)
    if not isinstance(data, np.ndarray):
        return data
    if data.ndim != 2:
        raise InputError(
            f"a 2-D array is needed, not one of shape {data.shape}. Pass a data frame, or a 2-D array"
        )
    import pandas as pd

    width = len(str(data.shape[1]))
    return pd.DataFrame(data, columns=[f"{prefix}{k + 1:0{width}d}" for k in range(data.shape[1])])


def need_columns(table: Table, names: Iterable[str], what: str) -> None:
    """Refuse a table of another kind.

    Parameters
    ----------
    table : Table
    names : iterable of str
        Columns that it must have.
    what : str
        What such a table is, for the message.

    Raises
    ------
    InputError
        Naming the columns that it lacks, and those it has.
    """
    absent = [name for name in names if name not in table.columns]
    if absent:
        message = f"no column {quoted(absent)}; {what}"
        raise InputError(
            Problem(
                source=table.source, message=message, fix=f"Columns: {quoted(table.columns, 20)}"
            )
        )


def groupings(table: Table, names: Texts, what: str) -> tuple[Levels, dict[str, dict[str, str]]]:
    """Read groupings of items (models) from a table with a row for each.

    Parameters
    ----------
    table : Table
        One column that names the item, and one for each grouping. An empty field: the item is in no group of it.
    names : sequence of str
        What the first column may be called.
    what : {"item", "model"}

    Returns
    -------
    items : tuple of str
        Those that have a row.
    groups : dict of grouping to dict of item to group

    Raises
    ------
    DesignError
        If no column names the items, or there is no other column.
    InputError
        If an item has two rows.
    """
    item = next((name for name in names if name in table.columns), None)
    others = [name for name in table.columns if name != item]
    if item is None or not others:
        missing = f"that names the {what}" if item is None else "of a grouping"
        raise DesignError(
            f"{table.source}: no column {missing} (columns: {quoted(list(table.columns), 20)}). One column is called "
            f"'{names[0]}' (or '{names[1]}'), every other one is a grouping"
        )
    columns = [*map(table.texts, others)]
    groups_of: dict[str, tuple[str | None, ...]] = {}
    for label, groups in zip(table.texts(item), zip(*columns, strict=True), strict=True):
        if label and groups_of.setdefault(label, groups) != groups:
            raise InputError(
                f"{table.source}: '{shorten(label)}' has several rows; give every {what} one"
            )
    return tuple(groups_of), {
        name: {label: group for label in sorted(groups_of) if (group := groups_of[label][k])}
        for k, name in enumerate(others)
    }
