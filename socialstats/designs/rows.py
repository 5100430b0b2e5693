"""A long table on its way to pairs or ratings: distinct rows, which of them count, what was left out, what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from socialstats import text
from socialstats.designs.cells import group
from socialstats.designs.parts import Factor, FloatArray, FlowStep, IntArray
from socialstats.designs.problems import BoolArray, Problems, na_of
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import Counts, Labels, Table, as_number

SHOWN = 20
FILL = "Fill it in, or leave such rows out of the table"
FILL_OR_DROP = "Fill it in, or say missing='drop' (--missing drop) to leave such rows out"
Message = Callable[[IntArray], str]


class LazyLabels(Mapping[str, Labels]):
    """The labels of columns, made when they are first asked for (a million distinct numbers need none)."""

    def __init__(self, counts: Counts, na: Mapping[str, frozenset[str]], source: str) -> None:
        self._counts, self._na, self._source = counts, na, source
        self._done: dict[str, Labels] = {}

    def __getitem__(self, column: str) -> Labels:
        if column not in self._done:
            try:
                self._done[column] = self._counts.columns[column].labels(self._na[column])
            except TypeError as error:
                raise InputError(
                    f"{self._source}, column '{column}': it holds values that are no labels ({error})"
                ) from error
        return self._done[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts.columns)

    def __len__(self) -> int:
        return len(self._counts.columns)


@dataclass(slots=True, kw_only=True)
class Rows:
    """Distinct rows of a long table.

    Attributes
    ----------
    table : Table
    counts : Counts
        Distinct rows of the columns that play a part.
    problems : Problems
    use : (rows,) bool array
        Rows that count.
    na : mapping of str to frozenset of str
        Texts that mean a missing value.
    flow : list of FlowStep
    noun : str
        What is counted in the flow: rows, or the values of a table with one row a unit.
    origin : Table or None
        The wide table that `table` was made of.
    """

    table: Table
    counts: Counts
    problems: Problems
    use: BoolArray
    na: Mapping[str, frozenset[str]]
    flow: list[FlowStep] = field(default_factory=list)
    noun: str = "rows"
    origin: Table | None = None

    def become_wide(self, origin: Table) -> None:
        """Say that every row of the table is one value of a wide table."""
        self.noun, self.origin = "values", origin
        self.flow[0] = replace(self.flow[0], label="values read")

    def labels(self, column: str) -> Labels:
        """Return a column as labels."""
        return self.problems.labels[column]

    def codes(self, column: str) -> IntArray:
        """Return a column as codes of its labels; -1 where missing."""
        return self.labels(column).codes

    def engine_numbers(self, column: str) -> FloatArray | None:
        """Return a column that the engine holds as numbers, NaN where missing, without making labels of a million.

        None for columns that are no numbers, or hold a number that means a missing value.
        """
        coded = self.counts.columns[column]
        missing = [number for number in map(as_number, self.na[column]) if number is not None]
        if coded.values.dtype.kind not in "fiu" or np.isin(coded.values, missing).any():
            return None
        return np.append(coded.values.astype(np.float64) + 0.0, np.nan)[coded.codes]  # + 0.0: no negative zero

    def used_labels(self, column: str) -> list[str]:
        """Return the labels that rows in use have, sorted."""
        labels = self.labels(column)
        return [labels.levels[code] for code in np.unique(labels.codes[self.use]).tolist() if code >= 0]

    def leave_out(self, bad: BoolArray, label: str, note: str) -> int:
        """Stop using some rows; return how many."""
        rows = int(self.counts.n[self.use & bad].sum())
        if rows:
            self.flow.append(FlowStep(label=label, rows=rows, note=note))
            self.use = self.use & ~bad
        return rows

    def set_missing_aside(self, columns: Sequence[str], *, drop: bool, fix: str = FILL_OR_DROP) -> None:
        """Report rows without a value in one of the columns, or leave them out."""
        for column in dict.fromkeys(columns):
            bad = self.codes(column) < 0
            if not bad.any():
                continue
            if drop:
                name = text.shorten(column)
                self.leave_out(bad, f"no value in '{name}'", f"missing='drop': the value of '{name}' is missing")
            else:
                message, cure = missing_words(self.counts, column, bad, fix)
                self.problems.add(message, bad, [column], column=column, fix=cure)
                self.use = self.use & ~bad

    def key(self, columns: Sequence[str]) -> IntArray:
        """Return one code a row for the combination of some columns; -1 for rows not in use."""
        out = np.full(len(self.use), -1, dtype=np.int64)
        out[self.use] = group([self.codes(column)[self.use] for column in columns])[1]
        return out

    def each_key(
        self, key: IntArray, bad: IntArray, columns: Sequence[str], message: Message, *, column: str | None, fix: str,
        more: str, most: int = SHOWN - 1,
    ) -> None:  # fmt: skip
        """Add one problem a bad key, with its rows.

        Parameters
        ----------
        key : (rows,) int64 array
        bad : array of keys
        columns : sequence of str
            Columns that make a row bad.
        message : callable
            Rows of the key -> what is wrong.
        column : str or None
        fix : str
        more : str
            What the keys beyond `most` have in common; ``{}`` stands for their number.
        most : int
        """
        for one in bad[:most].tolist():
            mask = key == one
            self.problems.add(message(np.flatnonzero(mask)), mask, columns, column=column, fix=fix)
        if len(bad) > most:
            rest = np.isin(key, bad[most:])
            self.problems.add(more.replace("{}", f"{len(bad) - most:,}"), rest, columns, column=column, fix=fix)

    def refuse_repeats(self, columns: Sequence[str], fix: str) -> None:
        """Report keys that more than one row has; `columns` are the key, with its most important column first."""
        key = self.key(columns)
        times = np.bincount(key[self.use], weights=self.counts.n[self.use])
        bad = np.flatnonzero(times > 1)
        if not len(bad):
            return

        def message(rows: IntArray) -> str:
            return f"{self.named(columns, int(rows[0]))} has {int(self.counts.n[rows].sum()):,} rows"

        more = "{} further keys have more than one row"
        self.each_key(key, bad, columns, message, column=columns[0], fix=fix, more=more, most=5)

    def constant(self, owner: Sequence[str], column: str, what: str, fix: str) -> None:
        """Report owners (units, raters) for which a column that belongs to them takes several values."""
        key, codes = self.key(owner), self.codes(column)
        low = np.full(int(key.max(initial=-1)) + 1, np.iinfo(np.int64).max)
        high = np.full(len(low), -1, dtype=np.int64)
        np.minimum.at(low, key[self.use], codes[self.use])
        np.maximum.at(high, key[self.use], codes[self.use])
        bad = np.flatnonzero(low < high)
        if not len(bad):
            return
        levels = self.labels(column).levels

        def message(rows: IntArray) -> str:
            seen = text.quoted([levels[code] for code in np.unique(codes[rows]).tolist()])
            return f"{what} {self.named(owner, int(rows[0]))} has several values of '{text.shorten(column)}': {seen}"

        more = f"{{}} further {what}s have several values of '{text.shorten(column)}'"
        self.each_key(key, bad, [*owner, column], message, column=column, fix=fix, more=more, most=5)

    def named(self, columns: Sequence[str], row: int) -> str:
        """Name a row's key: its first value, then ``column 'value'`` for the others."""
        values = [self.labels(c).levels[int(self.codes(c)[row])] for c in columns]
        others = [f"{text.shorten(c)} '{text.shorten(v)}'" for c, v in zip(columns[1:], values[1:], strict=True)]
        return f"'{text.shorten(values[0])}'" + (f" ({', '.join(others)})" if others else "")

    def factor(self, column: str, rows: IntArray) -> Factor:
        """Return a column as a factor over some rows."""
        labels = self.labels(column).take(rows)
        return Factor(name=column, codes=labels.codes, levels=labels.levels, mixed=labels.mixed)


def missing_words(counts: Counts, column: str, bad: BoolArray, fix: str) -> tuple[str, str]:
    """Return what to say of missing values and of the cure; the texts that were taken as missing are named."""
    read = counts.columns[column].texts_of(bad)
    if not read:
        return "the value is missing", fix
    word = "mean" if len(read) > 1 else "means"
    cure = f"{fix}. Say na=False (--na '') if {text.quoted(read, 5)} {'are labels' if len(read) > 1 else 'is a label'}"
    return f"the value is missing ({text.quoted(read, 5)} {word} that)", cure


def begin(table: Table, columns: Sequence[str], na: Collection[str], names: Collection[str] = ()) -> Rows:
    """Count the distinct rows of the columns that play a part.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    na : collection of str
        Texts that mean a missing value.
    names : collection of str
        Columns of names, such as units and raters.

    Raises
    ------
    NothingToAnalyse
        For a table without rows.
    """
    cells = table.counts(list(dict.fromkeys(columns)))
    if not len(cells.n):
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")
    marked = na_of(columns, na, names)
    problems = Problems(table, LazyLabels(cells, marked, table.source), cells.n, marked)
    begun = Rows(table=table, counts=cells, problems=problems, use=np.ones(len(cells.n), dtype=bool), na=marked)
    begun.flow.append(FlowStep(label="rows read", rows=int(cells.n.sum()), note=table.source))
    return begun
