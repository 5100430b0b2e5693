"""What the columns of a printed table hold, by their names, their neighbours and their numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

from socialstats.audit.documents.cells import MARKS
from socialstats.audit.documents.data_tables import data_tables
from socialstats.audit.documents.sheets import MISSING, Sheet
from socialstats.audit.numbers import Printed

TABLES = data_tables("columns")
KINDS: Mapping[str, Sequence[str]] = TABLES["names"]
HEADS: Mapping[str, Any] = TABLES["heads"]
POSSIBLE: Mapping[str, Mapping[str, float]] = TABLES["possible"]
SPLIT = re.compile(r"[\s_.,;:/()\[\]-]+")
UNIT = re.compile(r"\s*(?:[(\[]\s*(?:%|in %|percent|↑|↓|pct)\s*[)\]]|[↑↓]|(?<=\w) ?%)\s*$")
# "Refused, n (%)" holds counts and percentages: neither is its kind
COUNT_AND_PERCENT = re.compile(r",?\s*(?:\bn|\bno\.?|#)\s*\(%\)", re.IGNORECASE)
CONFIDENCE = re.compile(r"\b\d\d(?:\.\d)?\s?%\s?(?=c\.?i\b)", re.IGNORECASE)
AGAIN = re.compile(r" \(\d+\)$")  # suffix of a repeated head
SIZE = re.compile(r"\bn\s*=\s*(\d[\d,]*)", re.IGNORECASE)
# degrees of freedom of a test in its head: "t(58)", "F(1, 98)", "χ²(2, N = 80)"
DEGREES = re.compile(
    r"(?<=[tTFrQ²2χ])\s*\(\s*(?:df\s*=\s*)?(?P<df>\d+)(?:\s*[,;]\s*(?P<df2>\d+))?"
    r"(?:\s*[,;]\s*n\s*=\s*\d+)?\s*\)\s*$"
)
RANGE = re.compile(
    r"(?<![\d.])(?P<low>-?\d{1,2})\s*(?:–|—|-|to|\.\.\.?)\s*(?P<high>\d{1,3})(?![\d.]|\s*%)"
)
SHARES = re.compile(
    r"\b(?:accurac|correct|proportion|shares? of|rates?\b|percentages?\b)", re.IGNORECASE
)
RETRIEVED = {"p": "precision", "r": "recall"}  # beside F1
# Kinds that also name rows: means, totals and shares of the rows above them
SUMMARIES = {"mean", "total", "percent"}
MEASURES = ("share", "f1", "precision", "recall", "kappa", "b")

# The columns of one measure by their kinds; a size that a head prints (Control (n = 40)) is a number
Family = dict[str, str | int]


def kind_of(column: str) -> tuple[str, str]:
    """Return what a column seems to hold, and the rest of its name.

    Examples
    --------
    >>> kind_of("Std Err"), kind_of("acc_stderr"), kind_of("SD (harm)"), kind_of("model")
    (('std_error', ''), ('std_error', 'acc'), ('sd', 'harm'), ('', 'model'))
    >>> kind_of("GPT-4 / Acc. (%)"), kind_of("Accuracy / GPT-4"), kind_of("GPT-4 / Acc. SD")
    (('share', 'gpt_4'), ('share', 'gpt_4'), ('sd', 'gpt_4_acc'))
    """
    levels = COUNT_AND_PERCENT.sub("", AGAIN.sub("", column)).split(" / ")
    for place in (len(levels) - 1, 0):
        kind, stem = _kind_of_level(levels[place])
        if kind:
            levels_around = levels[:place] + levels[place + 1 :]
            around = joined_words(" ".join(levels_around))
            return kind, "_".join(filter(None, (around, stem)))
    return "", joined_words(column)


def joined_words(text: str) -> str:
    """Return the words of a head, in lower case and without marks and units, joined by ``_``."""
    return "_".join(_words(text))


def _words(text: str) -> list[str]:
    text = COUNT_AND_PERCENT.sub("", CONFIDENCE.sub("", text))
    plain = UNIT.sub("", SIZE.sub("", text.strip().casefold().strip(MARKS)))
    words = [word for word in SPLIT.split(plain) if word]
    return words or list(filter(None, [plain.strip()]))


def _kind_of_level(name: str) -> tuple[str, str]:
    """Return the kind that one level of a head names, and the other words."""
    name = DEGREES.sub("", name)
    plain, words = name.strip().casefold(), _words(RANGE.sub("", name))
    head = "_".join(words)
    present = {*words, *SPLIT.split(plain)}
    if sum(not present.isdisjoint(group) for group in HEADS["joined"]) > 2:
        return "", head  # heads of several columns that could not be told apart
    for kind, names in KINDS.items():
        if head in names or plain in names:
            return kind, ""
    for kind in HEADS["parts_of_names"]:
        for part in sorted(KINDS[kind], key=len, reverse=True):
            stem = _rest_of(words, part.split("_"))
            if stem:
                return kind, "_".join(stem)
    percent = "%" in plain and UNIT.search(name)
    return ("percent" if percent else ""), head


def _rest_of(words: list[str], part: list[str]) -> list[str]:
    """Return the other words of a name that begins or ends with a part; none where it does not."""
    if words[: len(part)] == part:
        return words[len(part) :]
    return words[: -len(part)] if words[-len(part) :] == part else []


@dataclass(frozen=True)
class PrintedColumn:
    """A column of a table.

    Attributes
    ----------
    name : str
    kind, stem : str
        What it seems to hold (empty: unknown), and the rest of its name.
    numbers : tuple of Printed
        Its cells that are numbers.
    numeric : bool
        Whether most of its cells that are not missing are numbers.
    """

    name: str
    kind: str
    stem: str
    numbers: tuple[Printed, ...]
    numeric: bool

    @cached_property
    def words(self) -> str:
        """Its name in words."""
        return joined_words(self.name)

    @cached_property
    def whole(self) -> bool:
        """Whether it holds whole numbers that are printed without decimals."""
        return all(n.unit == 1 and n.value >= 0 and not n.percent for n in self.numbers)

    @cached_property
    def scale(self) -> int:
        """100 for a column of shares in percent, 1 for shares (and for numbers with a percent sign)."""
        percent = any(n.percent or abs(n.value) > 1 for n in self.numbers)
        return 100 if percent else 1

    def holds(self, kind: str) -> bool:
        """Return whether its numbers can be shares, or percentages: those up to 1 are shares."""
        if any(not 0 <= n.value <= 100 for n in self.numbers):
            return False
        return kind == "share" or any(n.percent or n.value > 1 for n in self.numbers)


def columns_of(sheet: Sheet) -> dict[str, PrintedColumn]:
    """Return the columns of a table by name.

    A column P of numbers above 1 holds no p-values, and P and R beside F1 are precision and recall. A column N of
    decimals holds no sizes, and one named SD, SE or F of negative numbers neither deviations nor ratios. A total below
    0 is a sum, not a number of answers. Of the heads A, B, C and D none is a statistic. Numbers that all end with %
    are percentages under any head.
    """
    kinds = {name: kind_of(name) for name in sheet.columns}
    letters = {name.strip(MARKS).casefold() for name in sheet.columns}
    lettered = {"a", "b", "c"} <= letters
    retrieval = any(kind == "f1" for kind, _ in kinds.values())
    reading = replace(sheet.reading, rounding="half", strip=MARKS)
    columns = {}
    for name, (kind, stem) in kinds.items():
        texts = [row[name] for row in sheet.rows]
        numbers = tuple(reading.number(text) for text in texts if reading.is_number(text))
        if lettered and name.strip(MARKS).casefold() in "bdefg":
            kind, stem = "", stem or name
        elif retrieval and kind in RETRIEVED and not stem:
            kind = RETRIEVED[kind]
        elif _impossible(kind, numbers):
            kind, stem = "", stem or joined_words(name)
        elif not kind and numbers and all(number.percent for number in numbers):
            kind = "percent"
        present = sum(text.strip().casefold() not in MISSING for text in texts)
        columns[name] = PrintedColumn(name, kind, stem, numbers, len(numbers) > present / 2)
    return columns


def _impossible(kind: str, numbers: Sequence[Printed]) -> bool:
    """Return whether most numbers of a column contradict its name; one is enough for totals."""
    if kind == "total":
        return any(n.value < 0 for n in numbers)
    if kind not in POSSIBLE:
        return False
    low, high = POSSIBLE[kind]["low"], POSSIBLE[kind].get("high", inf)
    outside = [not low <= n.value <= high or (kind == "n" and n.unit < 1) for n in numbers]
    return 2 * sum(outside) > len(numbers)


def upright(sheet: Sheet) -> Sheet:
    """Return a table with its rows as columns, where the labels of the rows are heads such as n, mean and SD.

    Labels that all differ name two kinds at least, which are no summaries of other rows, and no head of a column names
    one.
    """
    label, *heads = sheet.columns
    labels = [row[label].strip() for row in sheet.rows]
    kinds = [kind for kind, _ in map(kind_of, labels) if kind]
    named = len({*kinds} - SUMMARIES) > 1 and 3 * len(kinds) >= 2 * len(labels)
    if not named or not heads or len({*labels, label, ""}) < len(labels) + 2:
        return sheet
    if any(kind_of(head)[0] for head in heads) or len({*sheet.sources}) > 1:
        return sheet
    cells = dict(zip(labels, sheet.rows, strict=True))
    rows = [{label: head, **{name: cells[name][head] for name in labels}} for head in heads]
    return replace(
        sheet,
        columns=(label, *labels),
        rows=tuple(rows),
        lines=(sheet.lines[0],) * len(rows),
        sources=(sheet.sources[0],) * len(rows),
        turned=dict(zip(labels, sheet.lines, strict=True)),
        bold=frozenset(),
    )


def families(columns: Mapping[str, PrintedColumn], title: str) -> list[Family]:
    """Return, for each measure of a table, the columns of its kinds; sizes without a measure belong to all."""
    measures: dict[str, Family] = {}
    heads: dict[str, PrintedColumn] = {}
    last = ""
    for column in columns.values():
        if not column.numeric:
            continue
        heads.setdefault(column.words, column)
        kind, stem = column.kind, column.stem
        if kind not in HEADS["beside"]:
            last = stem if kind else column.words
        elif not stem and (kind != "n" or AGAIN.search(column.name)):
            stem = last
        if kind:
            measures.setdefault(stem, {}).setdefault(kind, column.name)
        degrees = DEGREES.search(column.name)
        if degrees and kind in HEADS["with_degrees"]:
            measures[stem] |= _degrees(degrees)
        size = SIZE.search(column.name)
        if size and kind != "n":
            measures.setdefault(stem, {}).setdefault("n", int(size[1].replace(",", "")))
    general = measures.get("", {})
    shared = {kind: general[kind] for kind in general if kind in HEADS["shared"]}
    for stem, family in measures.items():
        if stem in heads:
            _add_measure(family, heads[stem], "n" in shared or "total" in shared, title)
        for kind in ("share", "percent"):
            if kind in family and not columns[str(family[kind])].holds(kind):
                del family[kind]
    return [shared | family for family in measures.values()]


def _degrees(match: re.Match[str]) -> Family:
    """Return the degrees of freedom that a head prints, as ``t(58)`` and ``F(1, 98)`` do."""
    first, second = match["df"], match["df2"]
    return {"df": int(first)} if second is None else {"df1": int(first), "df": int(second)}


def _add_measure(family: Family, head: PrintedColumn, sized: bool, title: str) -> None:
    """Add the column that has the name of the measure: ``54 (52.9%)`` under ``Control (n = 102)`` is a count."""
    percent = family.get("percent")
    if percent and percent != head.name and ("n" in family or (sized and head.whole)):
        family.setdefault("count", head.name)
    elif family.keys().isdisjoint(("mean", "share", "percent")):
        shares = SHARES.search(title) and not head.kind and head.holds("share")
        named = head.kind if head.kind in MEASURES else "value"
        family["share" if shares else named] = head.name
