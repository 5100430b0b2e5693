"""The distinct rows of a table: which of them count, and those that cannot be read, with their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Texts, TextSet
from socialstats.designs.cells import group, several
from socialstats.designs.levels import codes_in, other_spelling, without_decimal_comma
from socialstats.designs.parts import Factor, FlowStep
from socialstats.designs.schema import Roles
from socialstats.errors import MOST_LINES, MOST_PROBLEMS, InputError, NothingToAnalyse, Problem
from socialstats.tables import DistinctRows, Labels, Table, as_number, missing_names
from socialstats.tables.spelling import spelling_key, told_apart
from socialstats.tables.table import Predicate
from socialstats.text import quoted, shorten
from socialstats.voice import option

MOST_ROWS = 20
A_KIND = 5


@dataclass(frozen=True, slots=True)
class Pending:
    """A problem whose rows are not looked up yet; those of the table as a whole have none.

    Attributes
    ----------
    problem : Problem
    keys : tuple of str
        Columns that make a row bad.
    predicate : function of the values of these columns, or None
    """

    problem: Problem
    keys: Levels = ()
    predicate: Predicate | None = None


MOST_PROBLEMS_SHOWN = 20
FILL = "Fill it in, or leave such rows out of the table"
# what is done where a unit has several values of a column of some kind
BELONGS = {
    **dict.fromkeys(("group", "stratum"), "It belongs to the unit: give its rows the same value"),
    "cluster": "A unit belongs to one cluster: give its rows the same value, or different units different names",
    "count": "The count says how many alike units there are: repeat it in all rows of the unit",
    "weight": "The weight belongs to the unit: repeat it in all rows of the unit",
}
Message = Callable[[IntArray], str]


def fill_or_drop() -> str:
    """Return the cure of a missing value."""
    return (
        f"Fill it in, or say {option('missing', 'drop', '--missing drop')} to leave such rows out"
    )


def if_missing(label: str) -> str:
    """Return the cure of a value that is no number."""
    return f"Correct it, or declare it with {option('na', label)} if it means a missing value"


def if_labels() -> str:
    """Return the cure of labels that are no numbers."""
    return f"if these are labels, say {option('scale', 'nominal', '--scale nominal')}"


@dataclass(slots=True, kw_only=True)
class Rows:
    """Distinct rows of a table, which of them count, and what is wrong with them.

    Attributes
    ----------
    table : Table
    counts : Counts
        Distinct rows of the columns that play a part.
    use : (rows,) bool array
        Rows that count.
    na : mapping of str to frozenset of str
        Texts that mean a missing value, by column.
    flow : list of FlowStep
    pending : list of Pending
        Problems that were found.
    noun : str
        What is counted in the flow: rows, or the values of a table with one row per unit.
    origin : Table or None
        The wide table that `table` was made of.
    numbered : sequence of str
        Columns of row numbers that were made with `table`: none is missing, and no label of them is needed.
    """

    table: Table
    counts: DistinctRows
    use: BoolArray
    na: Mapping[str, frozenset[str]]
    flow: list[FlowStep]
    pending: list[Pending] = field(default_factory=list)
    noun: str = "rows"
    origin: Table | None = None
    numbered: Texts = ()
    known: dict[str, Labels] = field(default_factory=dict)

    @property
    def n(self) -> FloatArray:
        """How often each row was read."""
        return self.counts.n

    def labels(self, column: str) -> Labels:
        """Return a column as labels, made when they are first asked for (a million distinct numbers need none)."""
        if column not in self.known:
            try:
                self.known[column] = self.counts.columns[column].labels(self.na[column])
            except TypeError as error:
                raise InputError(
                    f"{self.table.place(column)}: it holds values that are no labels ({error})"
                ) from error
        return self.known[column]

    def codes(self, column: str) -> IntArray:
        """Return a column as codes of its labels; -1 where missing."""
        return self.labels(column).codes

    def label(self, column: str, row: int) -> str:
        """Return the label of a row that has one."""
        return self.labels(column).levels[int(self.codes(column)[row])]

    def texts(self, column: str, use: BoolArray | None = None) -> BoolArray:
        """Return the rows in use (or other rows) whose value is there and spells no number."""
        there = (self.use if use is None else use) & (self.codes(column) >= 0)
        # labels that are no numbers have the number NaN
        words: BoolArray = there & np.isnan(self.labels(column).numbers())
        return words

    def mostly_numbers(self, column: str, use: BoolArray | None = None) -> bool:
        """Return whether fewer than half of the values of rows in use (or other rows) are texts."""
        n = self.n
        there = (self.use if use is None else use) & (self.codes(column) >= 0)
        return bool(n[self.texts(column, use)].sum() < 0.5 * n[there].sum())

    def engine_numbers(self, column: str) -> FloatArray | None:
        """Return a column that the engine holds as numbers, NaN where missing, without making labels of a million.

        None for columns that are no numbers, or hold a number that means a missing value.
        """
        coded = self.counts.columns[column]
        missing = [number for number in map(as_number, self.na[column]) if number is not None]
        # a declared missing value would have to be taken out of the engine's numbers: labels do
        # that
        if coded.values.dtype.kind not in "fiu" or np.isin(coded.values, missing).any():
            return None
        # + 0.0: no negative zero
        return np.append(coded.values.astype(np.float64) + 0.0, np.nan)[coded.codes]

    def used_labels(self, column: str, use: BoolArray | None = None) -> list[str]:
        """Return the labels that rows in use (or other rows) have, sorted."""
        labels = self.labels(column)
        codes = np.unique(labels.codes[self.use if use is None else use])
        return [labels.levels[code] for code in codes.tolist() if code >= 0]

    def add(
        self, message: str, bad: BoolArray, keys: Texts, *, column: str | None = None, fix: str = ""
    ) -> None:
        """Add one problem of the cells marked in `bad`; `keys` are the columns that make a row bad."""
        texts = [
            [labels.levels[code] if code >= 0 else None for code in labels.codes[bad].tolist()]
            for labels in map(self.labels, keys)
        ]
        # rows are looked for by their labels: the table is read again, where codes may differ
        keys_of_bad = {*zip(*texts, strict=True)}
        na = [self.na[key] for key in keys]

        def predicate(row: tuple[str | None, ...]) -> bool:
            return (
                tuple(None if value in out else value for value, out in zip(row, na, strict=True))
                in keys_of_bad
            )

        self.pend(
            message,
            column,
            fix,
            keys=tuple(keys),
            predicate=predicate,
            n_rows=int(self.n[bad].sum()),
        )

    def pend(
        self,
        message: str,
        column: str | None,
        fix: str,
        *,
        keys: Levels = (),
        predicate: Predicate | None = None,
        n_rows: int = 0,
    ) -> None:
        """Add a problem of the rows whose values in some columns are wanted; by default, of the table as a whole."""
        table = self.table
        problem = Problem(
            message=message,
            source=table.source,
            column=column,
            n_rows=n_rows,
            fix=fix,
            unit=table.unit,
        )
        self.pending.append(Pending(problem, keys, predicate))

    def add_missing(
        self, column: str, bad: BoolArray, keys: Texts = (), *, message: str = "", fix: str = ""
    ) -> None:
        """Add one problem of cells that miss a value, which is filled in, or left out, where no other cure is said."""
        missing = "the value is missing"
        cure = fix or fill_or_drop()
        read = self.counts.columns[column].texts_of(bad)
        if read:
            # what was read as missing may be a label of this table
            mean, labels = ("mean", "are labels") if len(read) > 1 else ("means", "is a label")
            none = option("na", False, "--na ''")
            missing += f" ({quoted(read, 5)} {mean} that)"
            cure += f". Say {none} if {quoted(read, 5)} {labels}"
        self.add(message or missing, bad, [*keys, column], column=column, fix=cure)

    def lines(self, keys: Texts, predicate: Predicate) -> str:
        """Return where rows are, as "lines 3, 9" (rows of a data frame); empty where the engine has no order."""
        (positions,) = self.table.positions(keys, [predicate], MOST_LINES + 1)
        places = [*self.table.places(positions).values()][: MOST_LINES + 1]
        if not places:
            return ""
        more = ", ..." if len(places) > MOST_LINES else ""
        listed = ", ".join(map(str, places[:MOST_LINES])) + more
        return f"{self.table.unit}{'s' if len(places) > 1 else ''} {listed}"

    def each_value(
        self,
        column: str,
        bad: BoolArray,
        keys: Texts,
        message: str,
        *,
        fix: str | Callable[[str], str] = "",
        like: Texts = (),
    ) -> None:
        """Add one problem a distinct bad value of a column, the most frequent values first.

        Parameters
        ----------
        column : str
        bad : (rows,) bool array
        keys : sequence of str
            Columns that make a row bad.
        message : str
            ``{}`` stands for the value.
        fix : str, or function of the value
        like : sequence of str
            Values that may have been meant.
        """
        codes = self.codes(column)
        levels = self.labels(column).levels
        values, inverse = np.unique(codes[bad], return_inverse=True)
        # the most frequent values come first, and only a few of them have a message each
        order = np.argsort(
            -np.bincount(inverse, weights=self.n[bad], minlength=len(values)), kind="stable"
        )
        # spelling without case and space -> the labels that have it
        alike: dict[str, list[str]] = {}
        for other in like:
            alike.setdefault(spelling_key(other), []).append(other)
        for code in values[order[:A_KIND]].tolist():
            label = levels[code]
            value = shorten(label)
            same_spelling = next(
                (other for other in alike.get(spelling_key(label), ()) if other != label), None
            )
            meant = (
                ""
                if same_spelling is None
                else f"Did you mean {told_apart(same_spelling, label)}? "
            )
            cure = meant + (fix(value) if callable(fix) else fix)
            self.add(
                message.replace("{}", value), bad & (codes == code), keys, column=column, fix=cure
            )
        last = values[order[A_KIND:]]
        if len(last):
            more = f"{len(last):,} further value{'s have' if len(last) > 1 else ' has'} the same problem"
            self.add(more, bad & np.isin(codes, last), keys, column=column)

    def in_levels(self, column: str, levels: Texts, use: BoolArray, ways: Texts) -> IntArray:
        """Return a column as places in some levels, -1 for none; report labels that are none of them.

        Parameters
        ----------
        column : str
        levels : sequence of str
        use : (rows,) bool array
            Rows that are looked at.
        ways : sequence of str
            Options that may declare such a label.
        """
        labels = self.labels(column)
        # -1, a missing value, takes the last entry
        codes = np.array([*codes_in(labels.levels, levels), -1], dtype=np.int64)[labels.codes]

        def cure(label: str) -> str:
            declared = " or ".join(option(way, label) for way in ways)
            return f"Correct it, add it to {option('levels', typed='--levels')}, or say {declared}"

        message = f"'{{}}' is none of the levels ({quoted(levels, 8)})"
        self.each_value(
            column,
            use & (codes < 0) & (labels.codes >= 0),
            [column],
            message,
            fix=cure,
            like=levels,
        )
        return codes

    def probabilities(self, column: str) -> FloatArray:
        """Return a column of probabilities; report values that are none, whose rows are used no more."""
        self.refuse_spellings(column)
        p = self.labels(column).numbers()
        bad = self.use & (self.codes(column) >= 0) & ~((p >= 0) & (p <= 1))
        self.each_value(
            column, bad, [column], "'{}' is not a probability", fix="It is a number from 0 to 1"
        )
        self.use = self.use & ~bad
        return p

    def refuse_spellings(
        self, column: str, use: BoolArray | None = None, otherwise: str = ""
    ) -> None:
        """Raise for a column of numbers that are written for people (28.4%, 1,234.5, a decimal comma).

        Parameters
        ----------
        column : str
        use : (rows,) bool array, optional
            Rows whose values count, by default those in use.
        otherwise : str
            What to say where the values are labels.
        """
        use = self.use if use is None else use
        labels = self.used_labels(column, use)
        spelling = other_spelling(labels, semicolons=self.table.semicolons)
        if spelling is None:
            return
        pattern, cure = spelling
        # most numbers have a decimal comma, which is right in such a file
        wrong = without_decimal_comma(labels) if self.table.semicolons else set()
        if wrong:
            cure = "Write decimals with a comma, as the other numbers of the column"

        def odd(label: str) -> bool:
            if wrong:
                return label in wrong
            return as_number(label) is None or bool(pattern.fullmatch(label.strip()))

        fix = f"{cure}; {otherwise}" if otherwise else cure
        bad = use & self.labels(column).mapped(odd, False)
        self.each_value(column, bad, [column], "'{}' is not spelled as a plain number", fix=fix)
        self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise `InputError` with places, if there is anything to raise."""
        if self.pending:
            raise InputError(self._placed())

    def _placed(self) -> list[Problem]:
        """Return the problems with their places."""
        pending = [p for p in self.pending[:MOST_PROBLEMS] if p.predicate is not None]
        rows_of: dict[int, list[int]] = {}
        # problems of the same columns share one reading of the table
        for keys in dict.fromkeys(p.keys for p in pending):
            group = [p for p in pending if p.keys == keys]
            rows = self.table.positions(
                keys, [p.predicate for p in group if p.predicate], MOST_ROWS
            )
            rows_of |= {id(p): positions for p, positions in zip(group, rows, strict=True)}
        places = self.table.places([row for rows in rows_of.values() for row in rows])
        problems = []
        for p in self.pending:
            positions = rows_of.get(id(p), [])
            column = p.problem.column
            # where it holds the values of several columns
            if isinstance(column, str):
                # only where all its rows are known do they tell which columns the values came from
                alone = p.keys == (column,) and len(positions) < MOST_ROWS
                column = self.table.columns_behind(column, positions if alone else ())
            lines = tuple(dict.fromkeys(places[row] for row in positions))
            noun = self.noun if len(lines) < len(positions) else "rows"
            problems.append(replace(p.problem, column=column, lines=lines, noun=noun))
        return problems

    def leave_out(self, bad: BoolArray, label: str, note: str) -> int:
        """Stop using some rows; return how many."""
        rows = int(self.n[self.use & bad].sum())
        if rows:
            self.flow.append(FlowStep(label=label, rows=rows, note=note))
            self.use = self.use & ~bad
        return rows

    def set_missing_aside(
        self, columns: Texts, *, drop: bool, fix: str = "", among: BoolArray | None = None
    ) -> None:
        """Report rows (among some) without a value in one of the columns, or leave them out."""
        for column in dict.fromkeys(columns):
            # numbers of rows are never missing
            if column in self.numbered:
                continue
            bad = self.codes(column) < 0
            bad = bad if among is None else bad & among
            if not bad.any():
                continue
            if drop:
                name = shorten(column)
                note = f"{option('missing', 'drop')}: the value of '{name}' is missing"
                self.leave_out(bad, f"no value in '{name}'", note)
            else:
                self.add_missing(column, bad, fix=fix)
                self.use = self.use & ~bad

    def key(self, columns: Texts) -> IntArray:
        """Return one code a row for the combination of some columns; -1 for rows not in use."""
        codes = [
            self.counts.columns[column].codes if column in self.numbered else self.codes(column)
            for column in columns
        ]
        # rows that do not count have no key
        out = np.full(len(self.use), -1, dtype=np.int64)
        out[self.use] = group([code[self.use] for code in codes])[1]
        return out

    def each_key(
        self,
        key: IntArray,
        bad: IntArray,
        columns: Texts,
        message: Message,
        *,
        column: str | None,
        fix: str,
        more: str,
        most: int = MOST_PROBLEMS_SHOWN - 1,
    ) -> None:
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
        for code in bad[:most].tolist():
            mask = key == code
            self.add(message(np.flatnonzero(mask)), mask, columns, column=column, fix=fix)
        if len(bad) > most:
            last = np.isin(key, bad[most:])
            self.add(
                more.replace("{}", f"{len(bad) - most:,}"), last, columns, column=column, fix=fix
            )

    def repeated(self, columns: Texts) -> bool:
        """Return whether some key has more than one row in use."""
        key = self.key(columns)
        return bool(np.bincount(key[self.use], weights=self.n[self.use]).max(initial=0) > 1)

    def refuse_repeats(self, columns: Texts, fix: str) -> None:
        """Report keys that more than one row has; `columns` are the key, with its most important column first."""
        key = self.key(columns)
        times = np.bincount(key[self.use], weights=self.n[self.use])
        bad = np.flatnonzero(times > 1)
        if not len(bad):
            return

        def message(rows: IntArray) -> str:
            return f"{self.named(columns, int(rows[0]))} has {int(self.n[rows].sum()):,} rows"

        more = "{} further keys have more than one row"
        self.each_key(key, bad, columns, message, column=columns[0], fix=fix, more=more, most=5)

    def constant(self, owner: Texts, column: str, what: str, fix: str) -> None:
        """Report owners (units, raters) for which a column that belongs to them takes several values."""
        key = self.key(owner)
        codes = self.codes(column)
        bad = several(key[self.use], codes[self.use])
        if not len(bad):
            return
        levels = self.labels(column).levels

        def message(rows: IntArray) -> str:
            labels_seen = quoted([levels[code] for code in np.unique(codes[rows]).tolist()])
            return f"{what} {self.named(owner, int(rows[0]))} has several values of '{shorten(column)}': {labels_seen}"

        more = f"{{}} further {what}s have several values of '{shorten(column)}'"
        self.each_key(
            key, bad, [*owner, column], message, column=column, fix=fix, more=more, most=5
        )

    def refuse_several(self, roles: Roles, owner: Texts) -> None:
        """Report units with several values of a column that belongs to the unit.

        Parameters
        ----------
        roles : Roles
        owner : sequence of str
            Kinds of columns that tell units apart.
        """
        for kind, cure in BELONGS.items():
            for column in roles.of(kind):
                self.constant(roles.of(*owner), column, "unit", cure)

    def named(self, columns: Texts, row: int) -> str:
        """Name a row's key: its first value, then ``column 'value'`` for the others."""
        values = [self.label(c, row) for c in columns]
        codes = [
            f"{shorten(c)} '{shorten(v)}'" for c, v in zip(columns[1:], values[1:], strict=True)
        ]
        return f"'{shorten(values[0])}'" + (f" ({', '.join(codes)})" if codes else "")

    def factor(self, column: str, rows: IntArray) -> Factor:
        """Return a column as a factor over some rows; levels of a Categorical keep their order."""
        labels = self.labels(column).take(rows)
        declared = (
            (self.origin or self.table).categories(column)
            if (self.origin or self.table).has(column)
            else ()
        )
        # an order that the table declares is kept, for those of its levels that occur
        if set(labels.levels) <= {*declared}:
            levels = tuple(level for level in declared if level in labels.levels)
            place = {level: k for k, level in enumerate(levels)}
            codes = np.array([*(place[level] for level in labels.levels), -1], dtype=np.int64)[
                labels.codes
            ]
        else:
            levels = labels.levels
            codes = labels.codes
        return Factor(name=column, codes=codes, levels=levels, mixed=labels.mixed)

    def factors(self, columns: Iterable[str], rows: IntArray) -> tuple[Factor, ...]:
        """Return some columns as factors over some rows."""
        return tuple(self.factor(column, rows) for column in columns)

    def by(self, roles: Roles, rows: IntArray) -> Factor | None:
        """Return the column that splits the table as a factor over some rows; None without one."""
        return self.factor(roles["by"], rows) if roles["by"] else None

    def steps(self) -> str:
        """Return what was left out of the rows read, and how many rows of each."""
        return "; ".join(f"{step.label}: {step.rows:,}" for step in self.flow[1:])

    def nothing(self, what: str) -> NothingToAnalyse:
        """Return the error of a table of which no row is left."""
        steps = self.steps() or "every count is 0"
        return NothingToAnalyse(f"{self.table.source}: no {what} is left to analyse ({steps})")


def begin(
    table: Table, columns: Texts, na: TextSet, names: TextSet = (), weight: str | None = None
) -> Rows:
    """Count the distinct rows of the columns that play a part.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    na : collection of str
        Texts that mean a missing value.
    names : collection of str
        Columns of names, such as units and raters: numbers of `na` are no missing values there.
    weight : str, optional
        Column of weights.

    Raises
    ------
    NothingToAnalyse
        For a table without rows.
    """
    cells = table.counts(list(dict.fromkeys(columns)), weight, na)
    if not len(cells.n):
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")
    # a number that is declared as a missing value may still name a unit or rater
    values = frozenset(na)
    naming = missing_names(na)
    commas = [column for column in columns if column in table.decimal_commas]
    notes = [
        table.source,
        table.encoding,
        table.entries,
        f"decimal commas in {quoted(commas)}" if commas else "",
    ]
    read = FlowStep(label="rows read", rows=int(cells.n.sum()), note="; ".join(filter(None, notes)))
    return Rows(
        table=table,
        counts=cells,
        use=np.ones(len(cells.n), dtype=bool),
        flow=[read],
        na={column: naming if column in names else values for column in cells.columns},
    )
