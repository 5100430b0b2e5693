"""From a rule to the checks it asks for: which cells each of them takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats.audit.checks import Check
from socialstats.audit.finding import Finding
from socialstats.audit.numbers import printed
from socialstats.audit.rulebook import Rule
from socialstats.audit.sheets import Cell, Sheet, matches
from socialstats.errors import InputError
from socialstats.text import listing, shorten

LABELS_SHOWN = 3
LOOKED_AT = 50  # rows that tell which columns hold labels
SIZES = ("n", "low", "high", "items", "scale", "step", "bound", "center", "divisor", "shift", "df", "df1")


class Unmatched(Exception):
    """A cell that a rule refers to is not there; the check cannot be made for this row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One check with its cells: can be run again with some of them changed."""

    rule: Rule
    check: Check
    where: str
    one: Mapping[str, Cell]
    many: Mapping[str, tuple[Cell, ...]]
    problem: str = ""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of a table that takes part."""
        every = [*self.one.values(), *(cell for cells in self.many.values() for cell in cells)]
        return tuple(cell for cell in every if cell.source)

    @property
    def printed_cells(self) -> tuple[Cell, ...]:
        """Cells that hold a published number, and not the size of something."""
        every = [cell for name, cell in self.one.items() if name not in SIZES]
        every += [cell for name in self.check.many if name in self.many for cell in self.many[name]]
        return tuple(cell for cell in every if cell.source)

    def run(self, sheets: Mapping[str, Sheet], changed: Mapping[tuple[str, int, str], Cell] | None = None) -> Finding:
        """Make the check; a missing number makes it not checkable."""
        swap = changed or {}
        name = self.rule.check
        keys = tuple(cell.key for cell in self.cells)
        base = Finding(rule=name, verdict="not_checkable", message=self.problem, where=self.where, cells=keys,
                       title=self.rule.name)  # fmt: skip
        if self.problem:
            return base
        empty = [cell for cell in self.cells if cell.number is None]
        if empty:
            places = listing([f"line {c.line}, column '{shorten(c.column)}'" for c in empty], 3)
            return replace(base, message=f"no number in {places}")
        one = {k: swap.get(c.key, c).number if c.source else c.number for k, c in self.one.items()}
        many = {k: [swap.get(c.key, c).number if c.source else c.number for c in cs] for k, cs in self.many.items()}
        try:
            found = self.check.function(**one, **many, **self.rule.options)
        except InputError as error:
            return replace(base, message=str(error))
        return replace(found, where=self.where, cells=keys, title=self.rule.name)


def bind(rule: Rule, check: Check, sheets: Mapping[str, Sheet]) -> Iterator[Bound]:
    """Yield the checks of a rule: one for each row (or group of rows) and column."""
    sheet = sheets[rule.table]
    rows = [row for row in range(len(sheet.rows)) if matches(sheet, row, rule.where)]
    labels = label_columns(sheet)
    groups: dict[tuple[str, ...], list[int]] = {}
    if rule.by:
        for row in rows:
            groups.setdefault(tuple(sheet.label(row, column) for column in rule.by), []).append(row)
    for group in groups.values() if rule.by else [[row] for row in rows]:
        for column in rule.columns or ("",):
            yield _bound(
                _Place(rule=rule, check=check, sheets=sheets, sheet=sheet, rows=group, column=column, labels=labels)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The rows that a check stands on, and the column that is being gone through."""

    rule: Rule
    check: Check
    sheets: Mapping[str, Sheet]
    sheet: Sheet
    rows: list[int]
    column: str
    labels: tuple[str, ...]

    def given(self) -> dict[str, Any]:
        """Return the parameters of the rule, the current column filling the first that is missing."""
        given = dict(self.rule.parameters)
        if self.column:
            free = [name for name in self.check.required if name not in given]
            free += [name for name in self.check.optional if name not in given and not free]
            if free:
                given[free[0]] = self.column
        return given

    def constant(self, value: Any) -> Cell:
        """Return a number of the rules file."""
        from fractions import Fraction

        number = printed(Fraction(value) if isinstance(value, int) else value)
        return Cell(number=number, text=str(value))

    def single(self, name: str, spec: Any) -> Cell:
        """Return the one cell that a parameter names."""
        if isinstance(spec, str) or (isinstance(spec, Mapping) and "value" not in spec):
            cells = self.several(name, spec)
            if len(cells) != 1:
                places = listing([f"line {cell.line}" for cell in cells], 3)
                raise Unmatched(
                    f"{name}: {len(cells)} rows match, one is needed ({places})" if cells else f"{name}: no row matches"
                )
            return cells[0]
        return self.constant(spec["value"] if isinstance(spec, Mapping) else spec)

    def several(self, name: str, spec: Any) -> list[Cell]:
        """Return all cells that a parameter names."""
        if isinstance(spec, str):
            return [self.sheet.cell(row, spec) for row in self.rows]
        if isinstance(spec, Mapping) and "value" not in spec:
            return self._referred(name, spec)
        if isinstance(spec, list):
            return [cell for one in spec for cell in self.several(name, one)]
        return [self.constant(spec["value"] if isinstance(spec, Mapping) else spec)]

    def _referred(self, name: str, spec: Mapping[str, Any]) -> list[Cell]:
        """Return the cells of the rows of a table whose keys are those of this place."""
        other = self.sheets[spec.get("table", self.rule.table)]
        keys = spec.get("by", {column: column for column in self.rule.by})
        wanted = {theirs: self.sheet.label(self.rows[0], ours) for ours, theirs in keys.items()}
        where = spec.get("where", self.rule.where if other is self.sheet and self.rule.by else {})
        column = spec.get("column") or self.column
        if not column:
            raise InputError(
                f"rule '{self.rule.name}': {name} names no column, and the rule has no columns to go through"
            )
        found = [
            row for row in range(len(other.rows))
            if all(other.label(row, key) == label for key, label in wanted.items()) and matches(other, row, where)
        ]  # fmt: skip
        if not found:
            said = ", ".join(f"{key} = {shorten(label, 30)}" for key, label in wanted.items())
            raise Unmatched(f"{name}: no row of {other.name} has {said or 'what is asked for'}")
        return [other.cell(row, column) for row in found]

    def along(self, name: str, spec: Any, leaders: Sequence[Cell], leading: Any) -> list[Cell]:
        """Return one cell for each cell of the leading parameter, joined by row, by label or by column."""
        if isinstance(spec, str):
            return [self._sheet_of(leading).cell(cell.row, spec) for cell in leaders]
        if isinstance(spec, Mapping) and "columns" in spec:
            return [self.constant(self._one_of(name, spec["columns"], cell.column)) for cell in leaders]
        if isinstance(spec, Mapping) and "match" in spec:
            labels = [self._sheet_of(leading).label(cell.row, spec["match"]) for cell in leaders]
            if "values" in spec:
                return [self.constant(self._one_of(name, spec["values"], label)) for label in labels]
            other = self.sheets[spec["table"]]
            return [self._row_with(name, other, spec, label) for label in labels]
        return self.several(name, spec)

    def _sheet_of(self, leading: Any) -> Sheet:
        first = leading[0] if isinstance(leading, list) and leading else leading
        return self.sheets[first.get("table", self.rule.table)] if isinstance(first, Mapping) else self.sheet

    def _one_of(self, name: str, values: Mapping[str, Any], key: str) -> Any:
        if key not in values:
            raise Unmatched(f"{name}: nothing is given for '{shorten(key)}'")
        return values[key]

    def _row_with(self, name: str, other: Sheet, spec: Mapping[str, Any], label: str) -> Cell:
        key = spec.get("key", spec["match"])
        rows = [row for row in range(len(other.rows)) if other.label(row, key) == label]
        rows = [row for row in rows if matches(other, row, spec.get("where", {}))]
        if len(rows) != 1:
            raise Unmatched(f"{name}: {len(rows)} rows of {other.name} have {key} = '{shorten(label)}', one is needed")
        return other.cell(rows[0], spec["column"])

    def where(self) -> str:
        """Return the place in words: file, line, column, labels."""
        row = self.rows[0]
        lines = f"line {self.sheet.lines[row]}" if len(self.rows) == 1 else f"{len(self.rows)} rows"
        shown = self.rule.label or self.rule.by or self.labels
        labels = [shorten(self.sheet.rows[row][self.sheet.known(column)], 40) for column in shown[:LABELS_SHOWN]]
        parts = [f"{self.sheet.sources[row]} {lines}", *([f"column {shorten(self.column)}"] if self.column else [])]
        return ", ".join(parts) + (f": {', '.join(labels)}" if labels else "")


def label_columns(sheet: Sheet) -> tuple[str, ...]:
    """Return the columns that hold text in most of the first rows."""
    some = sheet.rows[:LOOKED_AT]
    return tuple(column for column in sheet.columns if sum(_is_text(row[column]) for row in some) > len(some) / 2)


def _is_text(cell: str) -> bool:
    try:
        printed(cell)
    except InputError:
        return bool(cell.strip())
    return False


def _bound(place: _Place) -> Bound:
    given, check = place.given(), place.check
    one: dict[str, Cell] = {}
    many: dict[str, tuple[Cell, ...]] = {}
    problem = ""
    try:
        one = {name: place.single(name, given[name]) for name in check.one if name in given}
        many = {name: tuple(place.several(name, given[name])) for name in check.many if name in given}
        leader = check.many[0] if check.many else ""
        for name in (name for name in check.along if name in given):
            many[name] = tuple(place.along(name, given[name], many[leader], given[leader]))
    except Unmatched as error:
        problem = str(error)
    return Bound(rule=place.rule, check=check, where=place.where(), one=one, many=many, problem=problem)
