"""Wide label tables of the ADA-Met repository: one row a rule of thumb, one column a rater or model.

Labels are A to E (agreement of people that is anticipated, from almost nobody to almost everybody, 0 to 4) and F for a
refusal or an answer that is none. Which columns hold labels is told by their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from socialstats.claims.types import Log, Status
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import read_table
from socialstats.text import count, listing
from socialstats_collect.readers.files import Source, head_of
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    column,
    frame,
    label,
    natural,
    row,
    status_notes,
    without_long,
)

NAME = "ada-met"
NEEDS = "a csv with a column 'rot' or 'rot_id' and several columns of labels A to F (ADA-Met)"
CODES = {letter: float(code) for code, letter in enumerate("ABCDE")}
REFUSAL = "F"
EMPTY = ("", "NA", "N/A", "nan", "None")
SHARE = 0.5
RULES = {"rot", "rot_id", "rot-id"}
ANSWER = re.compile(r"\(?([A-F])(?:[).:].*)?", re.DOTALL)
IDS = ("rot_id", "rot-id", "id", "rot", "unit")


def recognises(source: Source) -> bool:
    """Tell whether this is a wide table of labels: each rule (of a prompt) in one row, several columns of labels."""
    if source.kind not in ("text", "list", "lines") or not _names(source) & RULES:
        return False
    try:
        columns = _columns(source)
    except (InputError, NothingToAnalyse):
        return False
    key = _key(columns)
    if key is None or len(_labels(columns)) < 2:
        return False
    places = list(zip(columns[key], _prompts(columns), strict=True))
    return len(set(places)) == len(places)


def _names(source: Source) -> set[str]:
    """Return the names of the columns, in small letters, from the first look or the first line."""
    if source.kind != "text":
        return {name.strip().lower() for name in source.first}
    line = head_of(source.path, 1 << 16).decode("utf-8-sig", "replace").partition("\n")[0]
    return {name.strip(' "\r').lower() for name in line.replace("\t", ",").replace(";", ",").split(",")}


def _key(columns: Mapping[str, list[str | None]]) -> str | None:
    """Return the column that names the rules: their number before their text."""
    return next((name for wanted in IDS for name in columns if name.strip().lower() == wanted), None)


def _prompts(columns: Mapping[str, list[str | None]]) -> list[str]:
    """Return the prompt of each row, where there is such a column."""
    held = next((values for name, values in columns.items() if name.strip().lower() == "prompt"), None)
    return [value or "" for value in held] if held else [""] * len(next(iter(columns.values())))


def _columns(source: Source) -> dict[str, list[str | None]]:
    native: Any = read_table(source.path).frame
    return {str(name): [label(v) for v in values] for name, values in native.to_dict(as_series=False).items()}


def _letter(text: str | None) -> str:
    """Return the letter of an answer (``A``, ``(B)``, ``C. some people``), or its text.

    Examples
    --------
    >>> _letter("A"), _letter("(B)"), _letter("C. some"), _letter("Anyone")
    ('A', 'B', 'C', 'Anyone')
    """
    said = (text or "").strip()
    match = ANSWER.fullmatch(said)
    return match[1] if match else said


def _labels(columns: Mapping[str, list[str | None]]) -> list[str]:
    """Name the columns whose values are mostly labels."""
    found = []
    for name, values in columns.items():
        held = [letter for letter in map(_letter, values) if letter not in EMPTY]
        if held and sum(letter in CODES or letter == REFUSAL for letter in held) >= SHARE * len(held):
            found.append(name)
    return found


def read(source: Source) -> Log:
    """Read a wide table: a row a rule and rater, with the label as answer and its place from 0 to 4 as value."""
    columns = _columns(source)
    labels, key = _labels(columns), _key(columns)
    if key is None or not labels:
        raise InputError(f"{source.path.name}: no column of rules (rot_id, rot) or none of labels A to F")
    rows = list(_rows(columns, labels, key))
    kept, long = without_long(rows)
    return Log(harness=NAME, files=(source.path.name,), rows=frame(kept), notes=(*_notes(labels, rows), *long))


def _rows(columns: dict[str, list[str | None]], labels: list[str], key: str) -> Iterator[Row]:
    rest = [name for name in columns if name not in labels and name != key]
    prompts = _prompts(columns)
    for k, unit in enumerate(columns[key]):
        metadata = {column(name): cell(columns[name][k]) for name in rest}
        for rater in labels:
            said = _letter(columns[rater][k])
            status: Status = (
                "ok" if said in CODES else "refusal" if said == REFUSAL else "missing" if said in EMPTY else "unparsed"
            )
            yield row(
                model=rater, task="ada-met", unit=unit, scorer="label", filter=prompts[k], value=CODES.get(said),
                status=status, answer=said or None, metadata={**metadata, "rater": rater},
            )  # fmt: skip


def _notes(labels: list[str], rows: list[Row]) -> Iterator[str]:
    yield f"{count(len(labels), 'column')} of labels: {listing(sorted(labels, key=natural), most=6)}"
    yield from status_notes(rows)
    yield "rows are joined to other tables by the rule's own id, never by position: orders of such files differ"
    yield (
        "the converted table is read by: socialstats report TABLE --study ordinal-alignment --map value=answer "
        "--levels A,B,C,D,E --refusal F"
    )
