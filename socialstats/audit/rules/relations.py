"""Columns, rows and levels that follow from the others by their numbers, whatever they are called.

They are sums, means, percentages of counts, differences, or parts of 100 percent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations
from typing import Any

from socialstats.audit.checks.catalogue import CHECKS
from socialstats.audit.documents.columns import PrintedColumn
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.numbers import Finding
from socialstats.audit.rules.binding import Bound, bind
from socialstats.audit.rules.rule import Rule
from socialstats.text import listing

PARTS = {"mean_of": 3, "mean_abs": 3, "sum_to": 2}
"""Checks in the order in which they are tried, and the fewest parts: of two parts, many numbers are nearly the mean."""
MEANING = {"mean_of": "the means", "mean_abs": "the mean sizes", "sum_to": "the sums"}
ROWS = 500  # larger tables hold data, and no summaries
EVIDENCE = 5  # cells with parts of their own that agree
# the same for what agrees by chance in few rows: percentages of two counts, parts of 100, differences that a head names
CLEAR_EVIDENCE = 3
MOST_COLUMNS = 12  # columns of a table whose pairs are tried
DIFFERENCE = re.compile(
    r"(?:Δ|∆|delta|diff(?:erence)?|change|gain|drop|improvement|differenz|différence|diferencia|差|差值)\b.*|[Δ∆].*",
    re.IGNORECASE,
)
SPREAD = 10  # units of the last digit between the parts of such a cell: alike parts have any mean
EXCEPTIONS, MISPRINTS = (
    0.1,
    3,
)  # the largest share of the cells, and their largest number, that may be misprints


def relations(sheet: Sheet, table: str, numeric: Mapping[str, PrintedColumn]) -> Iterator[Rule]:
    """Yield the rules that nearly all cells of a table bear out, of its columns and its first and last rows and levels.

    Parameters
    ----------
    sheet : Sheet
    table : str
        Its name in the rules.
    numeric : mapping of str to PrintedColumn
        Its columns of numbers.
    """
    if len(sheet.rows) > ROWS:
        return
    names = list(numeric)
    for candidates in (*_of_columns(sheet, table, names), *_of_levels(sheet, table, names)):
        yield from _best(candidates, sheet, EVIDENCE)
    if len(names) > MOST_COLUMNS:
        return
    candidates_by_target = (
        *_parts_of_all(sheet, table, numeric),
        *_percentages(table, numeric),
        *_differences(table, numeric),
    )
    for candidates in candidates_by_target:
        yield from _best(candidates, sheet, CLEAR_EVIDENCE)


def _best(candidates: Sequence[Rule], sheet: Sheet, evidence: int) -> Iterator[Rule]:
    """Yield the rule that the fewest cells fail, if there is one that nearly all cells bear out."""
    failures = [
        (failing, rule)
        for rule in candidates
        if (failing := failures_of(rule, sheet, evidence)) is not None
    ]
    if failures:
        yield min(failures, key=lambda one: one[0])[1]


def failures_of(rule: Rule, sheet: Sheet, evidence: int = EVIDENCE) -> int | None:
    """Return how many cells fail a rule; None where too few agree, or too alike ones, or more than misprints fail."""
    failing, agreeing = 0, set[tuple[str, ...]]()
    cells = len(rule.groups(sheet)) * max(1, len(rule.columns))
    allowed = min(MISPRINTS, max(1, EXCEPTIONS * cells))
    for bound in bind(rule, CHECKS[rule.check], {rule.table: sheet}):
        found = bound.run()
        failing += found.verdict == "disagree"
        if failing > allowed:
            return None
        if found.verdict == "agree" and (parts := _parts_apart(bound, found)):
            agreeing.add(parts)
    return failing if len(agreeing) >= evidence else None


def _parts_apart(bound: Bound, found: Finding) -> tuple[str, ...]:
    """Return the parts of a cell as printed, where they differ enough to say something; else nothing.

    Sums and means of numbers that are alike agree with many numbers. Other relations have no such parts.
    """
    cells = bound.many.get("parts", bound.cells)
    numbers = [cell.number for cell in cells if cell.number]
    values = [number.value for number in numbers]
    least = SPREAD * max(number.unit for number in numbers) if "parts" in bound.many else 0
    apart = bool(found.noticed) and max(values) - min(values) >= least
    return tuple(number.text for number in numbers) if apart else ()


def _of_columns(sheet: Sheet, table: str, numeric: Sequence[str]) -> Iterator[list[Rule]]:
    """Yield what each column of numbers may be of its neighbours on one side; the longest blocks come first."""
    for are_numbers, run in groupby(sheet.columns, lambda column: column in numeric):
        columns = list(run) if are_numbers else []
        last = len(columns) - 1
        for at, target in enumerate(columns):
            blocks = [columns[:at], columns[at + 1 :]]
            blocks += [columns[first:at] for first in range(1, at) if at == last]
            blocks += [columns[at + 1 : end] for end in range(last, 1, -1) if at == 0]
            yield [
                _rule(
                    table,
                    check,
                    target,
                    listing(others),
                    parameters={"parts": others, "total" if check == "sum_to" else "value": target},
                )
                for others in blocks
                for check, fewest in PARTS.items()
                if len(others) >= fewest
            ]


def _parts_of_all(
    sheet: Sheet, table: str, numeric: Mapping[str, PrintedColumn]
) -> Iterator[list[Rule]]:
    """Yield which neighbouring columns may be all parts of 100 percent, or of 1; the longest blocks come first."""
    for are_shares, run in groupby(
        sheet.columns, lambda name: name in numeric and holds_shares(numeric[name])
    ):
        columns = list(run) if are_shares else []
        blocks = [
            columns[first : first + size]
            for size in range(len(columns), 1, -1)
            for first in range(len(columns) - size + 1)
        ]
        yield [_all_parts(table, block) for block in blocks]


def _all_parts(table: str, block: list[str]) -> Rule:
    name = f"{table}: sum_to of {listing(block)}"
    assumes = "all parts of 100 percent"
    return Rule(
        name=name, check="sum_to", table=table, assumes=assumes, parameters={"parts": block}
    )


def holds_shares(column: PrintedColumn) -> bool:
    """Whether a column may hold shares or percentages of something."""
    return all(0 <= number.value <= 100 for number in column.numbers)


def _percentages(table: str, numeric: Mapping[str, PrintedColumn]) -> Iterator[list[Rule]]:
    """Yield what each column may be the percentages of: two columns of counts."""
    counts = [name for name, column in numeric.items() if column.whole]
    for target, column in numeric.items():
        if column.whole or not holds_shares(column):
            continue
        yield [
            _percentages_of(table, target, column.scale, *pair) for pair in permutations(counts, 2)
        ]


def _percentages_of(table: str, percent: str, scale: int, count: str, total: str) -> Rule:
    return Rule(
        name=f"{table}: count_percent of {listing([count, percent, total])}",
        check="count_percent",
        table=table,
        assumes=f"percentages of {listing([count, total])}",
        parameters={"count": count, "percent": percent, "total": total},
        options={"scale": scale},
    )


def _differences(table: str, numeric: Mapping[str, PrintedColumn]) -> Iterator[list[Rule]]:
    """Yield what each column with such a head may be the difference of: two other columns."""
    for target in numeric:
        if not DIFFERENCE.fullmatch(target.rpartition(" / ")[2].strip()):
            continue
        names = [name for name in numeric if name != target]
        yield [_difference(table, target, *pair) for pair in permutations(names, 2)]


def _difference(table: str, target: str, first: str, second: str) -> Rule:
    difference = f"{first} minus {second}"
    return Rule(
        name=f"{table}: {target} = {difference}",
        check="linear_composite",
        table=table,
        assumes=difference,
        parameters={"value": target, "scores": [first, second], "weights": [1, -1]},
    )


def _of_levels(sheet: Sheet, table: str, numeric: Sequence[str]) -> Iterator[list[Rule]]:
    """Yield what the first and the last level of a column of labels may be of the others, under the same labels."""
    labels = [column for column in sheet.columns if column not in numeric]
    rows = range(len(sheet.rows))
    for column in labels if numeric else ():
        levels = list(dict.fromkeys(sheet.label(row, column) for row in rows))
        keys = [other for other in labels if other != column]
        cells = {
            (sheet.label(row, column), *(sheet.label(row, key) for key in keys)) for row in rows
        }
        if len(cells) != len(rows) or len(rows) % max(1, len(levels)):
            continue  # levels with other rows than the others are no summary of them
        for level in dict.fromkeys((levels[0], levels[-1])) if levels else ():
            parts = {"by": {key: key for key in keys}, "where": {column: {"not": level}}}
            yield [
                _rule(
                    table,
                    check,
                    level,
                    f"the other levels of {column}",
                    parameters={"parts": parts},
                    where={column: level},
                    columns=tuple(numeric),
                )
                for check, fewest in PARTS.items()
                if len(levels) > fewest
            ]


def _rule(table: str, check: str, target: str, others: str, **more: Any) -> Rule:
    said = f"{MEANING[check]} of {others}"
    return Rule(name=f"{table}: {target} = {said}", check=check, table=table, assumes=said, **more)
