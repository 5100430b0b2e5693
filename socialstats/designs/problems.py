"""Everything wrong with a table, collected over its cells; rows and lines are looked up once, at the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray
from socialstats.designs.labels import plain, told_apart
from socialstats.designs.levels import other_spelling
from socialstats.errors import LINES_SHOWN, SHOWN_AT_MOST, InputError, Problem
from socialstats.tables import Labels, Table, as_number, missing_names
from socialstats.tables.table import Wanted

ROWS_FOUND = 20
A_KIND = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A problem whose rows are not looked up yet."""

    message: str
    column: str | None
    keys: tuple[str, ...]
    wanted: Wanted | None
    n_rows: int
    fix: str


def na_of(columns: Sequence[str], na: Collection[str], names: Collection[str]) -> dict[str, frozenset[str]]:
    """Return the texts that count as missing in each column, where some columns hold names."""
    values, naming = frozenset(na), missing_names(na)
    return {column: naming if column in names else values for column in columns}


class Problems:
    """Collects problems of the cells of one table.

    Parameters
    ----------
    table : Table
    labels : mapping of str to Labels
        Columns over the cells.
    n : (cells,) array
        Rows in each cell.
    na : mapping of str to frozenset of str
        Texts that count as missing, by column.
    """

    def __init__(self, table: Table, labels: Mapping[str, Labels], n: Any, na: Mapping[str, frozenset[str]]) -> None:
        self.table, self.labels, self.n, self.na = table, labels, n, na
        self.pending: list[Pending] = []

    def add(
        self, message: str, bad: BoolArray, keys: Sequence[str], *, column: str | None = None, fix: str = ""
    ) -> None:
        """Add one problem of the cells marked in `bad`; `keys` are the columns that make a row bad."""
        found = {tuple(self._row(keys, cell)) for cell in np.flatnonzero(bad).tolist()}
        na = [self.na[key] for key in keys]

        def wanted(row: tuple[str | None, ...]) -> bool:
            return tuple(None if value in out else value for value, out in zip(row, na, strict=True)) in found

        n_rows = int(self.n[bad].sum())
        self.pending.append(
            Pending(message=message, column=column, keys=tuple(keys), wanted=wanted, n_rows=n_rows, fix=fix)
        )

    def add_rows(self, message: str, column: str, wanted: Wanted, n_rows: int, fix: str) -> None:
        """Add one problem of the rows whose value in one column `wanted` accepts."""
        self.pending.append(
            Pending(message=message, column=column, keys=(column,), wanted=wanted, n_rows=n_rows, fix=fix)
        )

    def lines(self, keys: Sequence[str], wanted: Wanted) -> str:
        """Return where rows are, as "lines 3, 9" (rows of a data frame); empty where the engine has no order."""
        (found,) = self.table.positions(keys, [wanted], LINES_SHOWN + 1)
        places = [*self.table.places(found).values()][: LINES_SHOWN + 1]
        if not places:
            return ""
        more = ", ..." if len(places) > LINES_SHOWN else ""
        listed = ", ".join(map(str, places[:LINES_SHOWN])) + more
        return f"{self.table.unit}{'s' if len(places) > 1 else ''} {listed}"

    def say(self, message: str, *, column: str | None = None, fix: str = "") -> None:
        """Add a problem of the table as a whole."""
        self.pending.append(Pending(message=message, column=column, keys=(), wanted=None, n_rows=0, fix=fix))

    def each_value(
        self,
        column: str,
        bad: BoolArray,
        keys: Sequence[str],
        message: str,
        *,
        fix: str = "",
        like: Sequence[str] = (),
    ) -> None:
        """Add one problem a distinct bad value of a column, the most frequent values first.

        Parameters
        ----------
        column : str
        bad : (cells,) bool array
        keys : sequence of str
            Columns that make a row bad.
        message, fix : str
            ``{}`` stands for the value.
        like : sequence of str
            Values that may have been meant.
        """
        codes = self.labels[column].codes
        values, inverse = np.unique(codes[bad], return_inverse=True)
        order = np.argsort(-np.bincount(inverse, weights=self.n[bad], minlength=len(values)), kind="stable")
        for code in values[order[:A_KIND]].tolist():
            label = self.labels[column].levels[code]
            value, cure = text.shorten(label), _meant(label, like) + fix
            self.add(
                message.replace("{}", value),
                bad & (codes == code),
                keys,
                column=column,
                fix=cure.replace("{}", value),
            )
        rest = values[order[A_KIND:]]
        if len(rest):
            more = f"{len(rest):,} further value{'s have' if len(rest) > 1 else ' has'} the same problem"
            self.add(more, bad & np.isin(codes, rest), keys, column=column)

    def refuse_spellings(self, columns: Sequence[str], use: BoolArray, otherwise: str = "") -> None:
        """Raise for columns of numbers that are written for people (28.4%, 1,234.5, a decimal comma).

        Parameters
        ----------
        columns : sequence of str
            Columns of values.
        use : (cells,) bool array
            Cells that count.
        otherwise : str
            What to say where the values are labels.
        """
        for column in columns:
            labels = self.labels[column]
            used = [labels.levels[code] for code in np.unique(labels.codes[use]).tolist() if code >= 0]
            found = other_spelling(used, semicolons=self.table.semicolons)
            if found is None:
                continue
            odd = [as_number(label) is None or bool(found[0].fullmatch(label.strip())) for label in labels.levels]
            bad = use & np.array([*odd, False])[labels.codes]
            fix = f"{found[1]}" + (f"; {otherwise}" if otherwise else "")
            self.each_value(column, bad, [column], "'{}' is not spelled as a plain number", fix=fix)
            self.raise_if_any()

    def _row(self, keys: Sequence[str], cell: int) -> list[str | None]:
        row: list[str | None] = []
        for key in keys:
            code = int(self.labels[key].codes[cell])
            row.append(self.labels[key].levels[code] if code >= 0 else None)
        return row

    def raise_if_any(self) -> None:
        """Raise `InputError` with places, if there is anything to raise."""
        if self.pending:
            raise InputError(self._placed())

    def _placed(self) -> list[Problem]:
        shown = [p for p in self.pending[:SHOWN_AT_MOST] if p.wanted is not None]
        found: dict[int, list[int]] = {}
        for keys in dict.fromkeys(p.keys for p in shown):
            group = [p for p in shown if p.keys == keys]
            rows = self.table.positions(keys, [p.wanted for p in group if p.wanted], ROWS_FOUND)
            found |= {id(p): positions for p, positions in zip(group, rows, strict=True)}
        places = self.table.places([row for rows in found.values() for row in rows])
        return [
            Problem(
                message=p.message, source=self.table.source, column=p.column, n_rows=p.n_rows, fix=p.fix,
                lines=tuple(places[row] for row in found.get(id(p), ())), unit=self.table.unit,
            )
            for p in self.pending
        ]  # fmt: skip


def _meant(label: str, like: Sequence[str]) -> str:
    """Return a question when the label is a known one but for case, white space or the encoding of characters."""
    match = next((known for known in like if known != label and plain(known) == plain(label)), None)
    return f"Did you mean {told_apart(match, label)}? " if match is not None else ""
