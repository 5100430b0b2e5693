"""Items of a run, and other small tables beside it, as read from a file."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.harness_logs.files import json_lines, load_json, open_bytes
from socialstats.harness_logs.streaming import CHUNK
from socialstats.tables.reading import read_source
from socialstats.tables.sources import from_path
from socialstats_collect.design import Item, same_form

MOST_BYTES, MOST_LINES = 1 << 27, 2_000_000
ID_NAMES = ("item_id", "id", "item", "unit", "scenario_id", "rot_id")


def read_items(path: Path, *, id_column: str | None = None) -> tuple[Item, ...]:
    """Return the items of a csv, tsv, jsonl or json file, gzipped or not.

    Parameters
    ----------
    path
        The file. Texts are kept as they are; other JSON values are written as JSON.
    id_column
        The column that names an item. Without it: the first of ``item_id``, ``id``, ``item``, ``unit``,
        ``scenario_id``, ``rot_id``; else the row's number.

    Raises
    ------
    InputError
        For a file that cannot be read, a repeated identifier (both lines named), or a missing column.
    NothingToAnalyse
        For a file without rows.
    """
    rows = read_rows(path)
    if not rows:
        raise NothingToAnalyse(f"{path.name}: no items in it")
    columns = dict.fromkeys(name for _, row in rows for name in row)
    if id_column is not None and id_column not in columns:
        message = f"no column '{id_column}' for the identifiers (there are {', '.join(columns)})"
        raise InputError(Problem(message=message, source=path.name))
    column = id_column or next((name for name in ID_NAMES if name in columns), None)
    first_lines: dict[str, int] = {}
    items, problems = [], []
    for place, (line, row) in enumerate(rows, 1):
        identifier = row.get(column, "") if column else str(place)
        message = _wrong_identifier(same_form(identifier), first_lines, line)
        if message:
            problem = Problem(message=message, source=path.name, column=column, lines=(line,))
            problems.append(replace(problem, fix="Every item needs its own identifier."))
        texts = {name: row.get(name, "") for name in columns}
        items.append(Item(id=identifier, columns=texts, drawn=identifier))
    if problems:
        raise InputError(problems)
    return tuple(items)


def _wrong_identifier(identifier: str, first_lines: dict[str, int], line: int) -> str:
    """Return what is wrong with an identifier, and note the line that has it first."""
    if not identifier.strip():
        return "no identifier"
    first = first_lines.setdefault(identifier, line)
    return "" if first == line else f"'{identifier}' was already used in line {first}"


def read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a csv, tsv, jsonl or json file, gzipped or not, each with its line.

    Raises
    ------
    InputError
        For a file that cannot be read, with the line.
    """
    _check_size(path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix == ".parquet":
        fix = "Write the items as csv or jsonl."
        raise InputError(
            Problem(message="items are not read from parquet", source=path.name, fix=fix)
        )
    if suffix in {".jsonl", ".ndjson"}:
        return [(line, _texts(row, path.name, line)) for line, row in json_lines(path)]
    if suffix == ".json":
        content = load_json(path)
        objects = content if isinstance(content, list) else [content]
        return [(k, _texts(row, path.name, k)) for k, row in enumerate(objects, 1)]
    source = replace(from_path(path), encoding="UTF-8")
    table = read_source(source, "tsv" if suffix == ".tsv" else "csv")
    rows = table.frame.lazy().collect().rows(named=True)
    lines = table.locate(range(len(rows))) if table.locate else ()
    return [
        (line, row)
        for line, row in zip(lines, rows, strict=True)
        if any(cell.strip() for cell in row.values())
    ]


def _check_size(path: Path) -> None:
    """Raise where a file is larger, after unpacking, than memory should hold."""
    size = lines = 0
    with (
        suppress(InputError),
        open_bytes(path) as file,
    ):  # the reader of the rows says what else is wrong
        while size <= MOST_BYTES and lines <= MOST_LINES and (chunk := file.read(CHUNK)):
            size, lines = size + len(chunk), lines + chunk.count(b"\n")
    if size > MOST_BYTES or lines > MOST_LINES:
        limit = f"{MOST_BYTES:,} bytes" if size > MOST_BYTES else f"{MOST_LINES:,} lines"
        fix = "Split the file: each part of the items takes a run file and a log of its own."
        raise InputError(
            Problem(message=f"more than {limit} after unpacking", source=path.name, fix=fix)
        )


def _texts(row: object, source: str, line: int) -> dict[str, str]:
    place = Problem(message="not an object with one key a column", source=source, lines=(line,))
    if not isinstance(row, dict):
        raise InputError(place)
    texts = {
        str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in row.items()
    }
    try:
        "".join([*texts, *texts.values()]).encode()
    except UnicodeEncodeError:
        message = "half a character (a lone surrogate)"
        problem = replace(place, message=message, fix="Mend the \\ud800-like escapes.")
        raise InputError(problem) from None
    return {name: "" if row[name] is None else text for name, text in texts.items()}
