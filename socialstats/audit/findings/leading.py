"""What a disagreement changes, the sentence that its number stands in, and which one leads a report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats.audit.documents.passages import Passage
from socialstats.audit.documents.sheets import Cell, Sheet, label_columns
from socialstats.audit.numbers import Finding, as_decimal, decimals_of
from socialstats.errors import InputError
from socialstats.text import shorten

WORD = re.compile(r"[^\W\d_]{3,}|\w*\d\w*-?\w+")
LONGEST_LABEL = 40


def told(
    finding: Finding,
    cells: Sequence[Cell],
    sheets: Mapping[str, Sheet],
    passages: Sequence[Passage],
) -> Finding:
    """Return a disagreement with what it changes and the sentence that its number stands in.

    Parameters
    ----------
    finding : Finding
    cells : sequence of Cell
        The cells of the check.
    sheets : mapping of name to Sheet
    passages : sequence of Passage
        Sentences of the document; without one that prints the number beside the row's label, the table's caption.
    """
    printed = finding.published.rpartition(" = ")[2]
    there = [one for one in cells if one.number and one.source]
    if finding.verdict != "disagree" or not there:
        return finding
    cell = next((one for one in there if one.number and one.number.text == printed), there[0])
    sheet = next(
        one for one in sheets.values() if cell.column in one.columns and cell.place in one.places
    )
    labels = label_columns(sheet)
    words = [cell.column, *(sheet.rows[cell.row][column] for column in labels)]
    return replace(
        finding,
        changes=finding.changes or _changed(finding, cell, sheet, labels),
        passage=finding.passage or _sentence(cell, words, passages) or sheet.title,
    )


def _changed(finding: Finding, cell: Cell, sheet: Sheet, labels: Sequence[str]) -> str:
    """Return which sign or order in the column is another one with the implied number; empty where none is."""
    if (
        finding.implied is None
        or cell.number is None
        or not finding.published.endswith(cell.number.text)
    ):
        return ""
    low, high = finding.implied
    if low > 0 > cell.number.value or high < 0 < cell.number.value:
        return f"The sign is {'positive' if low > 0 else 'negative'} by the other numbers."
    near = min(max(cell.number.value, low), high)
    mine, passed = [sheet.rows[cell.row][column] for column in labels], []
    for row in range(len(sheet.rows)):
        theirs = [sheet.rows[row][column] for column in labels]
        apart = [text for text, own in zip(theirs, mine, strict=True) if text != own]
        if len(apart) > 1 or row == cell.row:
            continue  # rows are compared that differ in one label: models on one scenario, groups of one model
        try:
            other = sheet.cell(row, cell.column).number
        except InputError:
            continue  # text among the numbers
        if (
            other
            and other.relation == "="
            and (cell.number.value - other.value) * (near - other.value) < 0
        ):
            passed.append(apart[0] if apart else f"line {sheet.lines[row]}")
    if not passed:
        return ""
    name = f"{mine[0]} ({mine[1]})" if len(mine) > 1 else [*mine, f"line {cell.line}"][0]
    implied = as_decimal(near, decimals_of(cell.number.unit))
    side = "above" if near > cell.number.value else "below"
    shown = ", ".join(shorten(one, LONGEST_LABEL) for one in passed[:3]) + (
        ", ..." if len(passed) > 3 else ""
    )
    order = f"{shorten(name, LONGEST_LABEL)} lies {side} {shown} in {shorten(cell.column)}"
    return f"With {implied} instead of {cell.number.text}, {order}."


def _sentence(cell: Cell, words: Sequence[str], passages: Sequence[Passage]) -> str:
    """Return the sentence that prints a number with most of the words of its row and column; empty without any."""
    number = re.compile(rf"(?<![\d.,]){re.escape(cell.text.strip())}(?![\d]|[.,]\d)")
    wanted = {word.casefold() for text in words for word in WORD.findall(text)}
    best, most = "", 0
    for passage in passages:
        if number.search(passage.text):
            there = len(wanted & {word.casefold() for word in WORD.findall(passage.text)})
            if there > most:
                best, most = passage.text, there
    return best


def leading(findings: Sequence[Finding]) -> Finding | None:
    """Return the disagreement that leads a report: a major one first, one that changes something, the largest gap.

    Examples
    --------
    >>> import socialstats as ss
    >>> leading([ss.audit.grim("5.19", 40), ss.audit.grim("5.20", 40)]).published
    '5.19'
    """
    bad = [one for one in findings if one.verdict == "disagree"]
    return max(
        bad, key=lambda one: (one.severity == "major", bool(one.changes), one.gap), default=None
    )
