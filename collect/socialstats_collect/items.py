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
    numbered = read_rows(path)
    if not numbered:
        raise NothingToAnalyse(f"{path.name}: no items in it")
    columns = tuple(dict.fromkeys(name for _, row in numbered for name in row))
    name = _id_column(columns, id_column, path)
    ids = tuple(
        row.get(name, "") if name else str(place) for place, (_, row) in enumerate(numbered, 1)
    )
    _unique(ids, [line for line, _ in numbered], path, name)
    return tuple(
        Item(id=one, columns={column: row.get(column, "") for column in columns}, drawn=one)
        for one, (_, row) in zip(ids, numbered, strict=True)
    )


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
        whole = load_json(path)
        return [
            (k, _texts(one, path.name, k))
            for k, one in enumerate(whole if isinstance(whole, list) else [whole], 1)
        ]
    table = read_source(
        replace(from_path(path), encoding="UTF-8"), "tsv" if suffix == ".tsv" else "csv"
    )
    columns = table.frame.lazy().collect().to_dict(as_series=False)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
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
    if not isinstance(row, dict):
        raise InputError(
            Problem(message="not an object with one key a column", source=source, lines=(line,))
        )
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        fix = "Mend the \\ud800-like escapes."
        raise InputError(
            Problem(
                message="half a character (a lone surrogate)", source=source, lines=(line,), fix=fix
            )
        ) from None
    return {
        str(name): value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False)
        for name, value in row.items()
    }


def _id_column(columns: tuple[str, ...], asked: str | None, path: Path) -> str | None:
    if asked is not None and asked not in columns:
        message = f"no column '{asked}' for the identifiers (there are {', '.join(columns)})"
        raise InputError(Problem(message=message, source=path.name))
    return asked or next((name for name in ID_NAMES if name in columns), None)


def _unique(ids: tuple[str, ...], lines: list[int], path: Path, name: str | None) -> None:
    seen: dict[str, int] = {}
    problems = []
    for identifier, line in zip(map(same_form, ids), lines, strict=True):
        if not identifier.strip():
            problems.append(
                Problem(message="no identifier", source=path.name, column=name, lines=(line,))
            )
        elif identifier in seen:
            message = f"'{identifier}' was already used in line {seen[identifier]}"
            fix = "Every item needs its own identifier."
            problems.append(
                Problem(message=message, source=path.name, column=name, lines=(line,), fix=fix)
            )
        seen.setdefault(identifier, line)
    if problems:
        raise InputError(problems)
