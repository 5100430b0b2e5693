"""JSON files: one object a line (jsonl), a list of records, or an object of lists.

Numbers keep their spelling (``1e5`` and ``7.0`` stay text), so that a file means the same in csv and in json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import narwhals as nw

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.tables.headers import check_names, refuse_wide
from socialstats.tables.table import Table
from socialstats.tables.text import Source, bad_text, open_text, refuse_other_encodings

PROBLEMS_AT_MOST = 20
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character beyond U+FFFF: an emoji is two of them
SHAPES = "Write a list of records, an object of lists, or one object a line (.jsonl)"


class _UnusableError(ValueError):
    """JSON that is no table's: an object that names a key twice, or half a character."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _UnusableError(f"the key '{twice}' occurs twice")
    return found


def _constant(name: str) -> str | None:
    return None if name == "NaN" else name


def parse(text: str) -> Any:
    """Parse JSON with numbers as they are spelled, NaN as missing; repeated keys and half characters refused."""
    found = json.loads(text, parse_int=str, parse_float=str, parse_constant=_constant, object_pairs_hook=_once)
    if SURROGATE.search(text):
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise _UnusableError(f"{half} is half a character: write the file anew with it replaced") from error
    return found


def read_jsonl(source: Source) -> Table:
    """Read one JSON object a line; blank lines are skipped.

    Raises
    ------
    InputError
        Naming up to 20 lines that are no JSON objects.
    NothingToAnalyse
        For an empty file.
    """
    refuse_other_encodings(source)
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    try:
        with open_text(source) as text:
            for line, content in enumerate(text, start=1):
                if not content.strip():
                    continue
                lines.append(line)
                row = _object(content, line, source.name, problems)
                if row is not None:
                    rows.append(row)
                if len(problems) == PROBLEMS_AT_MOST:
                    break
    except UnicodeDecodeError as error:
        raise bad_text(source) from error
    if problems:
        raise InputError(problems)

    def locate(positions: Sequence[int]) -> list[int]:
        return [lines[position] for position in positions]

    frame, columns = _from_records(rows, source)
    return Table(frame=frame, columns=columns, source=source.name, unit="line", is_file=True, locate=locate)


def _object(content: str, line: int, source: str, problems: list[Problem]) -> dict[str, Any] | None:
    fix = "Every line must be one JSON object"
    try:
        row = parse(content)
    except (json.JSONDecodeError, _UnusableError, RecursionError) as error:
        problems.append(Problem(message=_json_reason(error), source=source, lines=(line,), n_rows=1, fix=fix))
        return None
    if not isinstance(row, dict):
        message = f"a JSON {_kind(row)} where an object is needed"
        problems.append(Problem(message=message, source=source, lines=(line,), n_rows=1, fix=fix))
        return None
    return row


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg.lower()}, character {error.colno})"
    return f"not usable JSON ({error})"


def _kind(value: Any) -> str:
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "value"


def read_json(source: Source) -> Table:
    """Read a JSON file: a list of records, or an object of lists.

    Raises
    ------
    InputError
        For anything else, with the line where the JSON breaks.
    """
    refuse_other_encodings(source)
    try:
        with open_text(source) as text:
            content = text.read()
    except UnicodeDecodeError as error:
        raise bad_text(source) from error
    try:
        data = parse(content)
    except json.JSONDecodeError as error:
        fix = "Is it one object a line? Then say format='jsonl'" if error.msg == "Extra data" else SHAPES
        problem = Problem(message=_json_reason(error), source=source.name, lines=(error.lineno,), fix=fix)
        raise InputError(problem) from error
    except (_UnusableError, RecursionError) as error:
        raise InputError(f"{source.name}: {_json_reason(error)}") from error
    frame, columns = _from_object(data, source) if isinstance(data, dict) else _from_list(data, source)
    return Table(frame=frame, columns=columns, source=source.name, unit="record", is_file=True)


def _from_list(data: Any, source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    if not isinstance(data, list):
        raise InputError(f"{source.name}: a JSON {_kind(data)} is not a table. {SHAPES}")
    for position, row in enumerate(data, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{source.name} record {position}: a JSON {_kind(row)} is not a record. {SHAPES}")
    return _from_records(data, source)


def _from_object(data: dict[str, Any], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    sizes = {name: len(column) if isinstance(column, list) else -1 for name, column in data.items()}
    bad = next((name for name, size in sizes.items() if size < 0), None)
    if bad is not None:
        raise InputError(f"{source.name}: '{bad}' is a JSON {_kind(data[bad])}, not a list of values. {SHAPES}")
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(f"{source.name}: the columns have different lengths ({listed})")
    if not sizes or not max(sizes.values()):
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")
    return _frame(data, source)


def _from_records(rows: list[dict[str, Any]], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    if not rows:
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")
    names = dict.fromkeys(name for row in rows for name in row)
    return _frame({name: [row.get(name) for row in rows] for name in names}, source)


def _frame(columns: dict[str, list[Any]], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    import pandas as pd

    refuse_wide([*columns], source.name)
    check_names([*columns], source.name)
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    return nw.from_native(frame, eager_only=True), tuple(columns)
