"""Csv outputs of promptfoo: one row a test, and for each prompt its output, status and scores, cut to two decimals."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from socialstats.claims.types import Status
from socialstats.errors import InputError
from socialstats_collect.readers.files import MOST_BYTES, head_of, open_bytes
from socialstats_collect.readers.source import Source
from socialstats_collect.readers.tabular import Row, column, row

STATUS, SCORE, LAST = "Status", "Score", "Grader Reason"
METRIC = "Metric: "
LABEL = re.compile(r"\[(?P<provider>[^\]]*)\] ?(?P<label>.*)", re.DOTALL)
STATUSES: dict[str, Status] = {"PASS": "ok", "FAIL": "ok", "ERROR": "error"}
ROUNDED = "a csv holds scores cut to two decimals: convert the .json output for whole ones, and for totals to check"


def is_csv(source: Source) -> bool:
    """Tell whether this is promptfoo's csv: for each prompt an output, then columns named Status and Score."""
    if source.kind != "text":
        return False
    names = next(_records(head_of(source.path, 1 << 20).decode("utf-8-sig", "replace"), source.path.name), [])
    return LAST in names and bool(_starts(names))


def _starts(header: list[str]) -> list[int]:
    """Return where the columns of each prompt start."""
    pairs = enumerate(pairwise(header))
    return [k - 1 for k, pair in pairs if k > 0 and pair == (STATUS, SCORE)]


def _records(text: str, name: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise InputError(f"{name}: the csv cannot be read ({error}). Convert the .json output") from error


def _text(source: Source) -> str:
    with open_bytes(source.path) as raw:
        data = raw.read(MOST_BYTES)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} at offset {error.start:,} is not UTF-8"
        raise InputError(f"{source.path.name}: {message}. Save the file as UTF-8") from error


def rows_of(source: Source) -> list[Row]:
    """Read the rows; repeats of a test are told by equal variables."""
    name = source.path.name
    header, *records = _records(_text(source), name)
    starts = _starts(header)
    ends = [*starts[1:], len(header)]
    units: dict[tuple[str, ...], str] = {}
    seen: Counter[str] = Counter()
    found: list[Row] = []
    for line, record in enumerate(records, start=2):
        if len(record) != len(header):
            raise InputError(
                f"{source.path.name} record {line}: {len(record)} fields where the header has {len(header)}"
            )
        given = tuple(record[: starts[0]])
        unit = units.setdefault(given, f"test {len(units) + 1}")
        seen[unit] += 1
        metadata = {column(name): value for name, value in zip(header[: starts[0]], given, strict=True)}
        for position, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
            found += _prompt(header[start:end], record[start:end], (unit, seen[unit], f"prompt {position}"), metadata)
    return found


def _prompt(
    header: Sequence[str], fields: Sequence[str], place: tuple[str, int, str], metadata: dict[str, str]
) -> Iterator[Row]:
    """Yield the rows of one test and prompt."""
    unit, epoch, side = place
    named = LABEL.match(header[0])
    status = STATUSES.get(fields[1], "unparsed")
    scores = {"score": fields[2], "pass": {"PASS": "1", "FAIL": "0"}.get(fields[1], "")}
    scores |= {n.removeprefix(METRIC): v for n, v in zip(header, fields, strict=True) if n.startswith(METRIC) and v}
    about = metadata | {"prompt_label": named["label"] if named else header[0]}
    for scorer, text in scores.items():
        value = _number(text) if status == "ok" else None
        yield row(
            model=named["provider"] if named else "", task="", unit=unit, epoch=epoch, scorer=scorer, filter=side,
            value=value, status="unparsed" if status == "ok" and value is None else status, answer=fields[0],
            metadata=about,
        )  # fmt: skip


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
