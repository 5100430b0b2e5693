"""Rows and columns that are named total, all or average: the rules that they are sums and means of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from socialstats.audit.documents.cells import MARKS
from socialstats.audit.documents.columns import PrintedColumn, columns_of
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.rules.rule import CERTAIN, OPEN, Rule
from socialstats.text import listing

TOTALS = re.compile(
    r"(?:grand\s+|sub-?)?totals?\b.*|sum|all|overall|combined|pooled|Σ|gesamt|summe", re.IGNORECASE
)
MEANS = re.compile(
    r"(?:(?:macro|micro|(?:un)?weighted)[- ]?)?(?:average|avg|mean)\b.*|mittelwert", re.IGNORECASE
)
SUBTOTALS = re.compile(r".*\b(?:sub)?totals?", re.IGNORECASE)
# rows that are no unit of the table
APART = re.compile(
    r"(?:Δ|delta|diff(?:erence)?s?|gap|gain|improvement|best|worst|max(?:imum)?|min(?:imum)?|median|range|"
    r"rank|sd|s\.d\.|std)\b.*|Δ.*",
    re.IGNORECASE,
)
# rows whose numbers may come from other questions, or from theory
REFERENCES = re.compile(
    r".*\b(?:humans?|people|random|chance|majority|experts?|crowd|annotators?|baseline)\b.*",
    re.IGNORECASE,
)
MEASURES = ("", "share", "percent", "mean", "value", "f1", "precision", "recall")
COUNTS = ("n", "count", "total", "tp", "fp", "fn", "tn")
FULL = ("100", "100.0", "100.00")


@dataclass(frozen=True)
class PrintedTable:
    """A table with what its columns and its rows are named."""

    name: str
    sheet: Sheet

    @cached_property
    def columns(self) -> dict[str, PrintedColumn]:
        """Its columns by name."""
        return columns_of(self.sheet)

    @cached_property
    def numeric(self) -> dict[str, PrintedColumn]:
        """Its columns of numbers."""
        return {name: column for name, column in self.columns.items() if column.numeric}

    @cached_property
    def label(self) -> str:
        """The first column of words, which names the rows; the first column where there is none."""
        names = [name for name in self.columns if name != "section" and name not in self.numeric]
        return names[0] if names else self.sheet.columns[0]

    def labels_of(self, *rows: int) -> list[str]:
        """Return what names each row."""
        return [self.sheet.label(row, self.label) for row in rows]

    def rows_named(self, words: re.Pattern[str]) -> list[int]:
        """Return the rows whose labels are such words; none where no column names rows."""
        if self.label in self.numeric:
            return []
        labels = enumerate(self.labels_of(*range(len(self.sheet.rows))))
        return [row for row, label in labels if words.fullmatch(label.strip(" :*"))]

    @cached_property
    def totals(self) -> list[int]:
        """Rows that are named totals."""
        return self.rows_named(TOTALS)

    @cached_property
    def means(self) -> list[int]:
        """Rows that are named means."""
        return self.rows_named(MEANS)

    @cached_property
    def apart(self) -> list[int]:
        """Rows of differences, extremes, ranks and spreads."""
        return self.rows_named(APART)

    @cached_property
    def references(self) -> list[int]:
        """Rows of people, of chance and of baselines."""
        return self.rows_named(REFERENCES)

    @cached_property
    def margins(self) -> set[str]:
        """Labels of the rows that summarise others, or stand apart from them."""
        subtotals = self.rows_named(SUBTOTALS)
        return {*self.labels_of(*self.totals, *self.means, *self.apart, *subtotals)}

    @cached_property
    def values(self) -> list[PrintedColumn]:
        """Columns of numbers that have a mean."""
        return [column for column in self._data if column.kind in MEASURES]

    @cached_property
    def counts(self) -> list[PrintedColumn]:
        """Columns of numbers that have a sum."""
        return [c for c in self._data if c.kind in COUNTS or (not c.kind and c.whole)]

    @cached_property
    def size(self) -> str:
        """The column of sizes of the rows; empty where there is none."""
        sizes = [c.name for c in self._data if c.kind == "n" and not c.stem]
        return sizes[0] if sizes else ""

    @cached_property
    def _data(self) -> list[PrintedColumn]:
        return [column for column in self.numeric.values() if column.name != self.label]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """A row that is a sum or a mean of others.

    Attributes
    ----------
    row : int
    about : str
        Its label, with the section in which it stands.
    where, others : mapping
        What selects the row, and what selects the rows that it summarises.
    sums, total : bool
        Whether its label may mean a sum ("all"), and whether it means nothing else ("total").
    """

    row: int
    about: str
    where: dict[str, Any]
    others: dict[str, Any]
    sums: bool
    total: bool

    @property
    def parts(self) -> dict[str, Any]:
        """Its parts as a rule refers to them."""
        return {"by": {}, "where": self.others}


def guessed_rule(
    table: str, check: str, parameters: Mapping[str, Any], about: str = "", **more: Any
) -> Rule:
    """Return a rule that is named by its table, its check and its columns."""
    columns = [value for value in parameters.values() if isinstance(value, str)]
    name = f"{table}: {check} of {about or listing(columns)}"
    return Rule(name=name, check=check, table=table, parameters=parameters, **more)


def margin_rules(table: PrintedTable) -> Iterator[Rule]:
    """Yield rules about rows and columns that are named total, all, average: sums and means of the others."""
    for row in (*table.totals, *table.means):
        margin = _margin(table, row)
        if margin:
            yield from _rules_of_row(table, margin)
    yield from _rules_of_columns(table)


def _margin(table: PrintedTable, row: int) -> SummaryRow | None:
    """Return which rows a row summarises: those above it in its section; None where they cannot be told."""
    sheet, label = table.sheet, table.label
    name, section = sheet.label(row, label), sheet.rows[row].get("section", "")
    same = {"section": section} if section else {}
    units = [i for i in sheet.where(same) if sheet.label(i, label) not in table.margins]
    above = [i for i in units if i < row]
    below = [i for i in units if i > row] if len(above) > 1 else []
    sections = {cells.get("section", "") for cells in sheet.rows}
    unclear = len(sections) > 1 and not section
    repeated = len(sheet.where({label: name}, same)) > 1
    if unclear or repeated or len(above if below else units) < 2:
        return None
    omitted = table.margins.union(table.labels_of(*below))
    sums = row in table.totals
    return SummaryRow(
        row=row,
        about=f"{name}{' in ' + section if section else ''}",
        where={label: name, **same},
        others={label: {"not": sorted(omitted)}, **same},
        sums=sums,
        total=sums and "total" in name.casefold(),
    )


def _rules_of_row(table: PrintedTable, margin: SummaryRow) -> Iterator[Rule]:
    counts = [column.name for column in table.counts]
    decimals = [
        c.name for c in table.values if margin.total and not c.kind and c.name not in counts
    ]
    for columns in (counts if margin.sums else [], decimals):
        if columns:
            yield guessed_rule(
                table.name,
                "sum_to",
                {"parts": margin.parts},
                f"{margin.about} of {listing(columns)}",
                columns=tuple(columns),
                where=margin.where,
                options={"counts": columns is counts},
                assumes="the sums of the other rows",
                odds=CERTAIN if margin.total else OPEN,
            )
    full = _full_columns(table, margin) if margin.sums else []
    if table.size:
        yield from _percentages_of_total(table, margin, full)
    others = {*counts, *decimals, *full}
    yield from _means_of_rows(table, margin, [c.name for c in table.values if c.name not in others])


def _full_columns(table: PrintedTable, margin: SummaryRow) -> list[str]:
    """Return the columns of percentages in which the row is 100, or 100%."""
    cells = table.sheet.rows[margin.row]
    percents = [column.name for column in table.values if column.kind == "percent"]
    texts = {name: cells[name].strip(" %" + MARKS).replace(",", ".") for name in percents}
    return [name for name in percents if texts[name] in FULL]


def _percentages_of_total(
    table: PrintedTable, margin: SummaryRow, columns: Sequence[str]
) -> Iterator[Rule]:
    size = table.size
    total = {"column": size, "by": {}, "where": margin.where}
    for column in columns:
        yield guessed_rule(
            table.name,
            "count_percent",
            {"count": size, "percent": column, "total": total},
            f"{size} and {column}",
            where=margin.others,
            assumes="percentages of that total",
            odds=CERTAIN,
        )


def _means_of_rows(
    table: PrintedTable, margin: SummaryRow, columns: Sequence[str]
) -> Iterator[Rule]:
    """Yield that a row has the means of the others; weighted by their sizes, where it is not named mean."""
    parameters: dict[str, Any] = {"parts": margin.parts}
    mean = margin.row in table.means
    if not columns or not (mean or table.size):
        return
    if not mean:
        parameters["weights"] = table.size
    yield guessed_rule(
        table.name,
        "mean_of" if mean else "weighted_mean",
        parameters,
        margin.about,
        columns=tuple(columns),
        where=margin.where,
        assumes="the means of the other rows" + ("" if mean else f" by {table.size}"),
        odds=OPEN,
    )


def _rules_of_columns(table: PrintedTable) -> Iterator[Rule]:
    """Yield that a column has the sums or the means of those beside it, under the same head."""
    counts = [column.name for column in table.counts]
    where = {table.label: {"not": sorted(table.margins)}} if table.margins else {}
    for column in table.numeric:
        above, _, head = column.rpartition(" / ")
        head = head.strip()
        sums = TOTALS.fullmatch(head) is not None
        means = MEANS.fullmatch(head) or head.casefold() == "overall"
        candidates = table.counts if sums else table.values
        parts = [
            c.name
            for c in candidates
            if c.name != column
            and (not above or c.name.rpartition(" / ")[0] == above)
            and c.kind not in ("n", "mean", "total")
        ]
        if column == table.label or len(parts) < 2:
            continue
        if sums and column in counts:
            yield guessed_rule(
                table.name,
                "sum_to",
                {"parts": parts, "total": column},
                column,
                where=where,
                options={"counts": True},
                assumes=f"the sums of {listing(parts)}",
            )
        elif means and column not in counts:
            yield guessed_rule(
                table.name,
                "mean_of",
                {"parts": parts, "value": column},
                column,
                where=where,
                assumes=f"the means of {listing(parts)}",
            )
