"""Items of a run, and other small tables beside it, as read from a file."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats_collect.design import Item
from socialstats_collect.readers.files import damaged, json_lines, load_json, open_bytes

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
    ids = tuple(row.get(name, "") if name else str(place) for place, (_, row) in enumerate(numbered, 1))
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
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix == ".parquet":
        fix = "Write the items as csv or jsonl."
        raise InputError(Problem(message="items are not read from parquet", source=path.name, fix=fix))
    if suffix in {".jsonl", ".ndjson"}:
        return [(line, _texts(row, path.name, line)) for line, row in json_lines(path)]
    if suffix == ".json":
        whole = load_json(path, spelled=False)
        return [
            (k, _texts(one, path.name, k)) for k, one in enumerate(whole if isinstance(whole, list) else [whole], 1)
        ]
    try:
        with open_bytes(path) as raw:
            text = raw.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fix = "Save the file as UTF-8."
        raise InputError(Problem(message=f"byte {error.start + 1} is not UTF-8", source=path.name, fix=fix)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(path.name, error) from None
    return list(_delimited(text, path, "\t" if suffix == ".tsv" else ","))


def _delimited(text: str, path: Path, separator: str) -> Iterator[tuple[int, dict[str, str]]]:
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    try:
        header = next(reader, [])
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) != len(header):
                    message = f"{len(cells)} cells where the header has {len(header)}"
                    fix = "Put quotes around texts that hold commas."
                    raise InputError(Problem(message=message, source=path.name, lines=(line,), fix=fix))
                yield line, dict(zip(header, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(Problem(message=str(error), source=path.name, lines=(reader.line_num,))) from None


def _texts(row: object, source: str, line: int) -> dict[str, str]:
    if not isinstance(row, dict):
        raise InputError(Problem(message="not an object with one key a column", source=source, lines=(line,)))
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        fix = "Mend the \\ud800-like escapes."
        raise InputError(
            Problem(message="half a character (a lone surrogate)", source=source, lines=(line,), fix=fix)
        ) from None
    return {
        str(name): value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
        for name, value in row.items()
    }


def _id_column(columns: tuple[str, ...], asked: str | None, path: Path) -> str | None:
    if asked is None:
        return next((name for name in ID_NAMES if name in columns), None)
    if asked in columns:
        return asked
    raise InputError(
        Problem(message=f"no column '{asked}' for the identifiers (there are {', '.join(columns)})", source=path.name)
    )


def _unique(ids: tuple[str, ...], lines: list[int], path: Path, name: str | None) -> None:
    seen: dict[str, int] = {}
    problems = []
    for identifier, line in zip(ids, lines, strict=True):
        if not identifier.strip():
            problems.append(Problem(message="no identifier", source=path.name, column=name, lines=(line,)))
        elif identifier in seen:
            message = f"'{identifier}' was already used in line {seen[identifier]}"
            fix = "Every item needs its own identifier."
            problems.append(Problem(message=message, source=path.name, column=name, lines=(line,), fix=fix))
        seen.setdefault(identifier, line)
    if problems:
        raise InputError(problems)
