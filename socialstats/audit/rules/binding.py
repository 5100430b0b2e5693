"""Rules bound to the cells of tables: a check with its cells, which can be run again with some of them changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from socialstats.audit.checks.catalogue import CheckSignature
from socialstats.audit.documents.sheets import Cell, Sheet, label_columns
from socialstats.audit.numbers import Finding, printed
from socialstats.audit.rules.rule import Rule
from socialstats.errors import InputError
from socialstats.text import listing, shorten

LABELS_SHOWN = 3
# parameters that are the size of something, and no published number
SIZES = frozenset(
    [
        "n",
        "n1",
        "n2",
        "most",
        "low",
        "high",
        "items",
        "scale",
        "step",
        "bound",
        "center",
        "divisor",
        "shift",
        "df",
        "df1",
    ]
)


class Unmatched(Exception):
    """A cell that a rule refers to is not there; the check cannot be made for this row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One check with its cells: can be run again with some of them changed."""

    rule: Rule
    check: CheckSignature
    where: str
    one: Mapping[str, Cell]
    many: Mapping[str, tuple[Cell, ...]]
    problem: str = ""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of a table that takes part."""
        several = chain.from_iterable(self.many.values())
        return tuple(cell for cell in (*self.one.values(), *several) if cell.source)

    @property
    def printed_cells(self) -> tuple[Cell, ...]:
        """Cells that hold a published number, and not the size of something."""
        cells = [cell for name, cell in self.one.items() if name not in SIZES]
        cells += chain.from_iterable(self.many.get(name, ()) for name in self.check.many)
        return tuple(cell for cell in cells if cell.source and not cell.computed)

    @property
    def exacting(self) -> bool:
        """Whether few numbers pass: many lie within limits and bear out a claim, which is no evidence for any digit."""
        return self.rule.claim is None and self.rule.check != "within"

    def subject(self, finding: Finding) -> list[Cell]:
        """Return the cell whose number a finding is about."""
        return [
            cell
            for cell in self.printed_cells
            if cell.number and cell.number.text == finding.published
        ][:1]

    def run(self, changed: Mapping[tuple[str, int, str], Cell] | None = None) -> Finding:
        """Make the check; a missing number makes it not checkable."""
        swap = changed or {}
        finding = Finding(
            rule=self.rule.check,
            verdict="not_checkable",
            message=self.problem or self.missing(),
            where=self.where,
            cells=tuple(cell.key for cell in self.cells),
            title=self.rule.name,
        )
        if finding.message:
            return finding

        def number(cell: Cell) -> Any:
            return swap.get(cell.key, cell).number

        one = {name: number(cell) for name, cell in self.one.items()}
        many: dict[str, list[Any]] = {
            name: list(map(number, cells)) for name, cells in self.many.items()
        }
        if self.check.grid:
            name = self.check.many[0]
            by_row = defaultdict[int, list[Any]](list)
            for cell in self.many[name]:
                by_row[cell.row].append(number(cell))
            many[name] = list(by_row.values())
        try:
            outcome = self.check.function(**one, **many, **self.rule.options)
        except InputError as error:
            return replace(finding, message=str(error))
        return replace(outcome, where=finding.where, cells=finding.cells, title=finding.title)

    def missing(self) -> str:
        """Return which numbers are not there, or why one could not be computed; empty where all are."""
        empty = [cell for cell in self.cells if cell.number is None]
        reasons = [cell.text for cell in empty if cell.computed]
        if reasons or not empty:
            return reasons[0] if reasons else ""
        places = [f"line {cell.line}, column '{shorten(cell.column)}'" for cell in empty]
        return f"no number in {listing(places, 3)}"


def bind(rule: Rule, check: CheckSignature, sheets: Mapping[str, Sheet]) -> Iterator[Bound]:
    """Yield the checks of a rule: one for each row (or group of rows) and column."""
    sheet = sheets[rule.table]
    labels = label_columns(sheet)
    for rows in rule.groups(sheet):
        for column in rule.columns or ("",):
            yield _Place(rule, check, sheets, sheet, rows, column, labels).bound()


@dataclass(frozen=True, slots=True)
class _Place:
    """The rows that a check stands on, and the column that is being gone through."""

    rule: Rule
    check: CheckSignature
    sheets: Mapping[str, Sheet]
    sheet: Sheet
    rows: list[int]
    column: str
    labels: tuple[str, ...]

    def bound(self) -> Bound:
        """Return the check with its cells, or with the reason why one of them is not there."""
        specs, check = self.specs(), self.check
        one: dict[str, Cell] = {}
        many: dict[str, tuple[Cell, ...]] = {}
        problem = ""
        try:
            one = {name: self.single(name, specs[name]) for name in check.one if name in specs}
            for name in check.many:
                if name in specs:
                    many[name] = tuple(self.several(name, specs[name]))
            for name in check.along:
                if name in specs:
                    leader = check.many[0]
                    cells = self.along(name, specs[name], many[leader], specs[leader])
                    many[name] = tuple(cells)
        except Unmatched as error:
            problem = str(error)
        return Bound(
            rule=self.rule, check=check, where=self.where(), one=one, many=many, problem=problem
        )

    def specs(self) -> dict[str, Any]:
        """Return the parameters of the rule, the current column filling the first that is missing."""
        specs = dict(self.rule.parameters)
        free = [name for name in (*self.check.required, *self.check.optional) if name not in specs]
        return specs | ({free[0]: self.column} if self.column and free else {})

    def constant(self, value: Any) -> Cell:
        """Return a number of the rules file."""
        number = printed(Fraction(value) if isinstance(value, int) else value)
        return Cell(number=number, text=str(value))

    def single(self, name: str, spec: Any) -> Cell:
        """Return the one cell that a parameter names."""
        cells = [self.constant(spec)] if isinstance(spec, list) else self.several(name, spec)
        if not cells:
            raise Unmatched(f"{name}: no row matches")
        if len(cells) > 1:
            places = listing([f"line {cell.line}" for cell in cells], 3)
            raise Unmatched(f"{name}: {len(cells)} rows match, one is needed ({places})")
        return cells[0]

    def several(self, name: str, spec: Any) -> list[Cell]:
        """Return all cells that a parameter names."""
        if isinstance(spec, str):
            return [self.sheet.cell(row, spec) for row in self.rows]
        if isinstance(spec, list):
            return [cell for part in spec for cell in self.several(name, part)]
        if not isinstance(spec, Mapping) or "value" in spec:
            return [self.constant(spec["value"] if isinstance(spec, Mapping) else spec)]
        other = self.sheets[spec.get("table", self.rule.table)]
        keys = spec.get("by", {column: column for column in self.rule.by})
        labels = {theirs: self.sheet.label(self.rows[0], ours) for ours, theirs in keys.items()}
        grouped = other is self.sheet and (self.rule.by or self.rule.whole)
        where = spec.get("where", self.rule.where if grouped else {})
        column = spec.get("column") or self.column
        if not column:
            message = f"{name} names no column, and the rule has no columns to go through"
            raise InputError(f"rule '{self.rule.name}': {message}")
        rows = other.where(labels, where)
        if not rows:
            pairs = [f"{key} = {shorten(label, 30)}" for key, label in labels.items()]
            sought = ", ".join(pairs) or "what is asked for"
            raise Unmatched(f"{name}: no row of {other.name} has {sought}")
        return [other.cell(row, column) for row in rows]

    def along(self, name: str, spec: Any, leaders: Sequence[Cell], leading: Any) -> list[Cell]:
        """Return one cell for each cell of the leading parameter, joined by row, by label or by column."""
        first = leading[0] if isinstance(leading, list) and leading else leading
        sheet = self.sheet
        if isinstance(first, Mapping):
            sheet = self.sheets[first.get("table", self.rule.table)]
        if isinstance(spec, str):
            return [sheet.cell(cell.row, spec) for cell in leaders]
        if not isinstance(spec, Mapping) or not {"columns", "match"} & set(spec):
            return self.several(name, spec)
        by_column = "columns" in spec
        labels = [
            cell.column if by_column else sheet.label(cell.row, spec["match"]) for cell in leaders
        ]
        constants = spec["columns"] if by_column else spec.get("values", {})
        values = {label: [partial(self.constant, value)] for label, value in constants.items()}
        if not by_column and "values" not in spec:
            other, key = self.sheets[spec["table"]], spec.get("key", spec["match"])
            for row in other.where(spec.get("where", {})):
                values.setdefault(other.label(row, key), []).append(
                    partial(other.cell, row, spec["column"])
                )
        for label in labels:
            count = len(values.get(label, []))
            if count != 1:
                many = f"{count} numbers are" if count else "nothing is"
                raise Unmatched(f"{name}: {many} given for '{shorten(label)}'")
        return [values[label][0]() for label in labels]

    def _lines(self, row: int) -> str:
        """Return the line of a row; several where the document prints what it holds below each other."""
        columns = {*self.sheet.columns}.intersection(
            value for value in self.rule.parameters.values() if isinstance(value, str)
        )
        lines = {self.sheet.line_of(row, column) for column in columns} or {self.sheet.lines[row]}
        numbers = listing([str(line) for line in sorted(lines)])
        return f"line {numbers}" if len(lines) == 1 else f"lines {numbers}"

    def where(self) -> str:
        """Return the place in words: file, line, column, labels."""
        row = self.rows[0]
        lines = self._lines(row) if len(self.rows) == 1 else f"{len(self.rows)} rows"
        parts = [f"{self.sheet.sources[row]} {lines}"]
        if self.column:
            parts.append(f"column {shorten(self.column)}")
        columns = (self.rule.label or self.rule.by or self.labels)[:LABELS_SHOWN]
        cells = self.sheet.rows[row]
        labels = [shorten(cells[self.sheet.known(column)], 40) for column in columns]
        place = ", ".join(parts)
        return f"{place}: {', '.join(labels)}" if labels else place
