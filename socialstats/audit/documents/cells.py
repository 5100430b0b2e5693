"""Cells with several numbers, such as ``72.2 ± 2.8``: their parts, named by the head and the caption."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats.audit.documents.sheets import MISSING, Sheet

LONGEST = 200  # characters of a cell that can be numbers
# what readers of documents write behind a bold cell: a letter that has no width
BOLD = "\u2063"
MARKS = f"*∗†‡§¶#⋆★☆↑↓▲▼✓^¹²³⁴ᵃᵇᶜᵈ{BOLD}"  # marks of significance, footnotes and directions
THIN = str.maketrans(
    dict.fromkeys("\u00a0\u2007\u2009\u200a\u202f", " ") | dict.fromkeys("\u200b\u2060\ufeff", "")
)
SIGN = "-+−–‐"
N = (
    rf"(?:[<>≤≥=]=?\s?)?(?:[{SIGN}]\s?)?(?:\d{{1,3}}(?:[,. ]\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d*)?|[.,]\d+)"
    r"(?:[eE][-+−]?\d+)?(?:\s?%)?"
)
LABEL = r"(?:\d\d(?:\.\d)?\s?%\s?)?[A-Za-z][A-Za-z. ]{0,20}?"
BREAK = r"\s*(?:,|;|:|\bto\b|–|—|-|\.\.\.?)\s*"
PIECES = tuple(
    re.compile(rf"\s*{pattern}\s*[{re.escape(MARKS)}]*\s*")
    for pattern in (
        rf"(?:±|\+\s?/\s?[-−–]|\+-)\s?(?P<half>{N})",
        r"/\s?(?P<total>\d[\d,]*)(?![.\d])",
        r"[(\[](?P<count>\d[\d,]*)\s?/\s?(?P<total>\d[\d,]*)[)\]]",
        rf"[,;]?\s*[(\[](?:(?P<label>{LABEL})\s*[=:]?\s*)?(?P<one>{N})[)\]]",
        rf"[,;]?\s*[(\[](?:{LABEL}\s*[=:,]?\s*)?(?P<low>{N}){BREAK}(?P<high>{N})[)\]]",
    )
)
FIRST = re.compile(
    rf"\s*(?:(?P<name>[A-Za-z]{{1,2}}2?)\s?(?==|<|>|≤|≥))?(?P<value>{N})\s*[{re.escape(MARKS)}]*\s*"
)
SPREADS = {
    "CI": r"\bC\.?I\.?s?\b|confidence interval|credible interval|\bHDI\b",
    "SE": r"\bS\.?E\.?M?\.?s?\b|\bstd\.? ?err|\bstandard errors?\b|\bstderr\b",
    "SD": r"\bS\.?D\.?s?\b|\bstd\.?(?! ?err)\b|\bstd\.? ?dev|\bstandard deviations?\b",
    "percent": r"%|\bpercent",
    "n": r"^n$|^N$",
    "p": r"^p$|p-value",
}
WORDS = {"low": "CI low", "high": "CI high"}
COUNTS, MEANS = ("n", "no", "#", "count", "freq", "frequency"), ("", "m", "mean", "average", "avg")
OUTER = re.compile(
    r"^(?P<base>.*?)\s*(?:[(\[]\s*(?:±\s*)?(?P<inner>[^()\[\]]+)[)\]]|(?:±|\+/-)\s*(?P<half>.+))\s*$"
)
ARROW = re.compile(r"^\s*(?P<arrow>[↑↓▲▼])\s*(?=[\d.])")
SUPERSCRIPT = re.compile(r"(?<=[\d%)\]*])\s*\^\{?[\w*∗†‡§, ]{1,6}\}?(?=\s|[(\[±]|$)")
SUBSCRIPT = re.compile(rf"(?<=[\d%])\s*_\s?\{{?(?=[±(\d.])(?:±\s?|\()?(?P<n>{N})\)?\}}?")
COMMA, POINT = (
    re.compile(r"\d,(?:\d{1,2}|\d{4,})(?!\d)|\d\.\d{3},\d"),
    re.compile(r"\d\.(?:\d{1,2}|\d{4,})(?!\d)"),
)


def parts_of(text: str) -> dict[str, str]:
    """Return the numbers of a cell by what they are there; empty where it is not one number with its companions.

    Examples
    --------
    >>> parts_of("3.96** (0.28)"), parts_of("0.45 [0.40, 0.50]")
    ({'': '3.96', '()': '0.28'}, {'': '0.45', 'low': '0.40', 'high': '0.50'})
    >>> parts_of("705/976 (72.2%)"), parts_of("GPT-4 (8k)"), parts_of("72.2 ± 2.8 ± 1.0")
    ({'': '705', 'total': '976', 'percent': '72.2%'}, {}, {})
    """
    if len(text) > LONGEST:
        return {}
    text = SUPERSCRIPT.sub("", text.translate(THIN))
    text = SUBSCRIPT.sub(lambda m: f" ± {m['n']}" if "±" in m[0] else f" ({m['n']})", text)
    text = text.strip(MARKS + " ")
    numbers: dict[str, str] = {}
    at = 0
    if first := FIRST.match(text):
        numbers[""] = first["value"].removeprefix("=").strip()
        at = first.end()
    while at < len(text):
        matches = (pattern.match(text, at) for pattern in PIECES)
        piece = next((match for match in matches if match and match.end() > at), None)
        parts = piece_parts(piece, numbers.get("", "").isdigit()) if piece else {}
        if piece is None or not parts or parts.keys() & numbers.keys():
            return {}
        numbers |= parts
        at = piece.end()
    return numbers


def piece_parts(piece: re.Match[str], counted: bool) -> dict[str, str]:
    """Return the numbers of a piece of a cell by what they are; `counted` where the first number may be a count."""
    parts = {name: text.strip() for name, text in piece.groupdict().items() if text}
    label = parts.pop("label", "") or "()"
    if "half" in parts:
        return {"±": parts["half"]}
    if "one" in parts:
        percent = label == "()" and counted and parts["one"].endswith("%")
        return {"percent" if percent else label: parts["one"]}
    return {} if parts.keys() == {"total"} and not counted else parts


def spread_said(text: str) -> str:
    """Return what a head says that ± or the number in parentheses is; empty where it does not say, or says several.

    Examples
    --------
    >>> spread_said("Standard errors in parentheses"), spread_said("M, SD and SE"), spread_said("SD")
    ('SE', '', 'SD')
    """
    kinds = [
        kind
        for kind, words in SPREADS.items()
        if re.search(words, text, 0 if kind == "n" else re.IGNORECASE)
    ]
    kinds = [kind for kind in kinds if kind != "percent"] or kinds  # the percent sign of a 95% CI
    return kinds[0] if len(kinds) == 1 else ""


def said_in_caption(caption: str, part: str) -> str:
    """Return what a caption says about ± or about parentheses: in the clause that names them, else anywhere."""
    signs = "±|plus.minus" if part == "±" else r"parenthes|bracket|\(\s*(?:SD|SE|s\.d\.|s\.e\.|std)"
    clauses = [
        clause
        for clause in re.split(r"[;:]|(?<=[a-z)])\.\s|,\s(?=and\b)", caption)
        if re.search(signs, clause, re.IGNORECASE)
    ]
    kind = spread_said(" ".join(clauses)) or ("" if clauses else spread_said(caption))
    return "" if kind == "percent" else kind  # the unit of the first number


def named_parts(column: str, caption: str, parts: Sequence[str]) -> dict[str, str]:
    """Return the names of the columns that the parts of a column's cells become.

    Examples
    --------
    >>> named_parts("GPT-4 / M (SD)", "", ["", "()"]), named_parts("Acc. (%)", "mean ± s.e.", ["", "±"])
    ({'': 'GPT-4 / M', '()': 'GPT-4 / SD'}, {'': 'Acc. (%)', '±': 'Acc. (%) SE'})
    >>> named_parts("n (%)", "", ["", "percent"]), named_parts("Acc", "", ["", "±"])
    ({'': 'count', 'percent': 'percent'}, {'': 'Acc', '±': 'Acc ±'})
    """
    above, slash, last = column.rpartition(" / ")
    match = OUTER.match(last)
    inner = spread_said(match["inner"] or match["half"] or "") if match else ""
    outer = ((match["base"] if match else "") or last).strip(" .").casefold()
    counts = outer in COUNTS or ("total" in parts and "count" not in parts)
    if inner == "percent" and not counts:
        inner = ""  # the unit of the first number
    base = match["base"] if match and (inner or match["half"]) else last
    bare = outer in MEANS or outer in COUNTS
    names: dict[str, str] = {}
    for part in parts:
        kind = (
            inner or said_in_caption(caption, part)
            if part in ("±", "()")
            else WORDS.get(part, part)
        )
        kind = "CI half width" if (kind, part) == ("CI", "±") else kind or part
        if part == "":
            name = base if not counts else "count" if bare else f"{base} count"
        else:
            kind = kind.removeprefix("CI ") if spread_said(base) == "CI" else kind
            name = kind if bare or not base else f"{base} {kind}"
        names[part] = above + slash + name
    return names


def split_cells(sheet: Sheet) -> Sheet:
    """Return a sheet with each part of its cells in a column of its own, and marks and thin spaces gone."""
    texts = [cell for row in sheet.rows for cell in row.values() if parts_of(cell)]
    reading = sheet.reading
    if any(map(COMMA.search, texts)) and not any(map(POINT.search, texts)):
        reading = replace(reading, decimal=",")
    columns: list[str] = []
    rows: list[dict[str, str]] = [{} for _ in sheet.rows]
    bold = set[tuple[int, str]]()
    for column in sheet.columns:
        cells = _signed([row[column] for row in sheet.rows])
        parsed = [parts_of(cell) for cell in cells]
        present = [
            numbers
            for cell, numbers in zip(cells, parsed, strict=True)
            if cell.strip().casefold() not in MISSING
        ]
        parts = list(dict.fromkeys(part for numbers in present for part in numbers))
        bold_rows = [row for row, texts in enumerate(sheet.rows) if BOLD in texts[column]]
        several = parts not in ([], [""]) and sum(map(bool, present)) > len(present) / 2
        names = named_parts(column, sheet.title, parts) if several else {"": column}
        names = {part: _free(name, columns) for part, name in names.items()}
        columns += names.values()
        first = next(iter(names))
        bold.update((row, names[first]) for row in bold_rows)
        for cell, numbers, row in zip(cells, parsed, rows, strict=True):
            printed = numbers if several else {"": _bare(cell, numbers)}
            if not printed and cell.strip():
                printed = {first: cell}
            row.update({name: printed.get(part, "") for part, name in names.items()})
    return replace(
        sheet,
        columns=tuple(columns),
        rows=tuple(rows),
        reading=replace(reading, decimals="printed", strip=MARKS, lenient=True),
        bold=frozenset(bold),
    )


def _signed(cells: Sequence[str]) -> list[str]:
    """Return cells with arrows before numbers as signs, where a column has arrows up and down before its numbers.

    Examples
    --------
    >>> _signed(["↑2.1", "↓ 0.4"]), _signed(["↓2.1", "↓0.4"]), _signed(["78.1↑", "70.2↓"])
    (['+2.1', '−0.4'], ['↓2.1', '↓0.4'], ['78.1↑', '70.2↓'])
    """
    before = [m for cell in cells if (m := ARROW.match(cell))]
    if not {"↑▲".find(m["arrow"]) >= 0 for m in before} >= {True, False}:
        return list(cells)
    return [ARROW.sub(lambda m: "+" if m["arrow"] in "↑▲" else "−", cell) for cell in cells]


def _bare(cell: str, parts: Mapping[str, str]) -> str:
    """Return a plain number without its marks; other cells unchanged."""
    return parts[""] if set(parts) == {""} else cell.translate(THIN).strip()


def _free(name: str, columns: Sequence[str]) -> str:
    """Return a name that no column has yet."""
    names = (f"{name} ({i})" for i in range(2, len(columns) + 2))
    return next(free for free in (name, *names) if free not in columns)
