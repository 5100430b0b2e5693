"""Files of JSON: a list of records, an object of lists, or an object a line; numbers stay as they are spelled.

Nested objects become columns (`nested`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.tables.aliases import Positions
from socialstats.tables.headers import check_column_names, refuse_lengths, refuse_many_columns
from socialstats.tables.limits import check_limit, depth_of, exceeded, limit
from socialstats.tables.nested import (
    SPARSE,
    Rows,
    records_of,
    with_columns,
    with_entries,
    with_lone_values,
    with_rows,
)
from socialstats.tables.sources import ByteSource, open_text, refuse_empty
from socialstats.tables.table import Table, of_file
from socialstats.voice import option

PROBLEMS_AT_MOST = 20
# half of a character beyond U+FFFF: an emoji is two of them
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
SHAPES = "Write a list of records, an object of lists, or one object a line (.jsonl)"


class UnusableError(ValueError):
    """JSON that is no table's: an object that names a key twice, or half a character."""


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; a key that it names twice is an error."""
    values = dict(pairs)
    if len(values) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise UnusableError(
            f"the key '{next(key for key in times if times[key] > 1)}' occurs twice"
        )
    return values


def parse_json(text: str) -> Any:
    """Parse JSON with numbers as they are spelled, NaN as missing; repeated keys and half characters refused.

    Raises
    ------
    RecursionError
        For lists and objects that are nested deeper than the limit.
    """
    value = json.loads(
        text,
        parse_int=str,
        parse_float=str,
        parse_constant=lambda name: None if name == "NaN" else name,
        object_pairs_hook=without_twins,
    )
    if depth_of(value) > limit("depth"):
        raise RecursionError
    if SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise UnusableError(
                f"{half} is half a character: write the file anew with it replaced"
            ) from error
    return value


def attempt(text: str, source: ByteSource, line: int = 0) -> tuple[Any, Exception | None]:
    """Return what `parse_json` makes of a text, and what is wrong with it; nesting beyond the limit is raised.

    Raises
    ------
    InputError
    """
    try:
        return parse_json(text), None
    except (json.JSONDecodeError, UnusableError) as error:
        return None, error
    except RecursionError as error:
        raise exceeded("depth", source.name, line=line) from error


def read_jsonl(source: ByteSource) -> Table:
    """Read one JSON object a line; blank lines are skipped.

    Raises
    ------
    InputError
        Naming up to 20 lines that are no JSON objects.
    NothingToAnalyse
        For an empty file.
    """
    rows: dict[int, dict[str, Any]] = {}
    problems: list[Problem] = []
    refuse_empty(source)
    with open_text(source) as text:
        for line, content in enumerate(text, start=1):
            if not content.strip():
                continue
            row, error = attempt(content, source, line)
            if error is None and isinstance(row, dict):
                rows[line] = row
                continue
            reason = (
                json_error_reason(error)
                if error
                else f"a JSON {json_type_name(row)} where an object is needed"
            )
            problems.append(
                source.problem(reason, line, n_rows=1, fix="Every line must be one JSON object")
            )
            if len(problems) == PROBLEMS_AT_MOST:
                break
    if problems:
        raise InputError(problems)
    return as_objects([*rows.values()], [*rows], source, "line")


def json_error_reason(error: Exception) -> str:
    """Return what is wrong with a text that is no JSON, or none of a table."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg.lower()}, character {error.colno})"
    return f"not usable JSON ({error})"


def json_type_name(value: Any) -> str:
    """Return what JSON calls a value."""
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "value"


def read_json(source: ByteSource) -> Table:
    """Read a JSON file: a list of records, or an object of lists.

    Raises
    ------
    InputError
        For anything else, with the line where the JSON breaks.
    """
    refuse_empty(source)
    with open_text(source) as text:
        content = text.read()
    value, error = attempt(content, source)
    if isinstance(error, json.JSONDecodeError):
        fix = (
            f"Is it one object a line? Then say {option('format', 'jsonl')}"
            if error.msg == "Extra data"
            else SHAPES
        )
        raise InputError(source.problem(json_error_reason(error), error.lineno, fix=fix)) from error
    if error:
        raise InputError(f"{source.name}: {json_error_reason(error)}") from error
    records = records_of(value) if isinstance(value, dict) else None
    if records is not None:
        return as_objects(
            records[0], range(1, len(records[0]) + 1), source, "record", entries=records[1]
        )
    if isinstance(value, dict):
        refuse_unequal(value, source)
        refuse_many_columns(value, source.name)
        value = [
            dict(zip(value, cells, strict=True)) for cells in zip(*value.values(), strict=True)
        ]
        return as_objects(value, range(1, len(value) + 1), source, "record")
    if not isinstance(value, list):
        raise InputError(f"{source.name}: a JSON {json_type_name(value)} is not a table. {SHAPES}")
    for position, row in enumerate(value, start=1):
        if not isinstance(row, dict):
            raise InputError(
                f"{source.name} record {position}: a JSON {json_type_name(row)} is not a record. {SHAPES}"
            )
    return as_objects(value, range(1, len(value) + 1), source, "record")


def refuse_unequal(columns: Mapping[str, Any], source: ByteSource) -> None:
    """Refuse an object that holds no lists of values, or lists of different lengths.

    Raises
    ------
    InputError, NothingToAnalyse
    """
    for name, values in columns.items():
        if not isinstance(values, list):
            raise InputError(
                f"{source.name}: '{name}' is a JSON {json_type_name(values)}, not a list of values. {SHAPES}"
            )
    refuse_lengths(columns, source.name)
    if not any(columns.values()):
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")


def records_to_columns(
    rows: Sequence[Mapping[str, Any]], source: ByteSource
) -> dict[str, list[Any]]:
    """Return records as columns; names that a record lacks are missing in it."""
    if not rows:
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")
    names = [*dict.fromkeys(name for row in rows for name in row)]
    if not names:
        raise NothingToAnalyse(f"{source.name} has no columns: there is nothing to analyse")
    refuse_many_columns(names, source.name)
    cells = len(names) * len(rows)
    # records that share few names would make a table of empty cells
    if cells > SPARSE * sum(map(len, rows)):
        check_limit("cells", cells, source.name, fix="Leave out names that few records have")
    return {name: [row.get(name) for row in rows] for name in names}


def as_objects(
    records: Rows, numbers: Positions, source: ByteSource, unit: str, *, entries: str = ""
) -> Table:
    """Return the table of records of JSON values, without nested objects.

    `numbers` says where each record stands, and `entries` what was made of the file already.
    """
    import pandas as pd

    long, of_record, listed = with_entries(with_columns(records, source.name), source.name)
    rows, of_entry, notes = with_rows(with_lone_values(long), source.name)
    origins = [of_record[k] for k in of_entry]
    entries = ", and ".join(filter(None, (entries, listed, notes)))
    columns = records_to_columns(rows, source)
    check_column_names([*columns], source.name)
    frame = pd.DataFrame(
        {name: pd.Series(values, dtype=object) for name, values in columns.items()}
    )
    places = [numbers[origin] for origin in origins]
    return of_file(
        frame, source.name, unit, locate=lambda found: [places[k] for k in found], entries=entries
    )
