"""Items of a run and the cells of its design: items x factors x replicates, with a seeded order of options."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats_collect.ask import Unit, canonical, digest
from socialstats_collect.readers.files import damaged, json_lines, load_json, open_bytes

ID_NAMES = ("item_id", "id", "item", "unit", "scenario_id", "rot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Items as read: every row with its identifier, the columns in order, and the hash of all that."""

    rows: tuple[Mapping[str, str], ...]
    ids: tuple[str, ...]
    columns: tuple[str, ...]
    source: str
    sha256: str


def read_items(path: Path, *, id_column: str | None = None) -> Items:
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
    rows = tuple(row for _, row in numbered)
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    name = _id_column(columns, id_column, path)
    ids = tuple(row.get(name, "") if name else str(place) for place, row in enumerate(rows, 1))
    _unique(ids, [line for line, _ in numbered], path, name)
    filled = tuple({column: row.get(column, "") for column in columns} for row in rows)
    whole = digest([ids, filled])
    return Items(rows=filled, ids=ids, columns=columns, source=path.name, sha256=whole)


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


Assignment = Mapping[str, str]


def units(
    items: Items,
    factors: Mapping[str, Sequence[str]],
    *,
    replicates: int = 1,
    order: str = "balanced",
    orders: Sequence[str] = ("as given",),
    seed: int = 0,
    once: Callable[[Mapping[str, str]], bool] = lambda _: False,
) -> Iterator[Unit]:
    """Yield every unit of a run; nothing is kept but the order of options of each item.

    Parameters
    ----------
    items
        From `read_items`.
    factors
        Factor to levels, ``model`` among them.
    replicates
        How often each cell is asked.
    order
        ``balanced``: drawn so that half of the items have each order (one more of one where their number is odd);
        ``random``: drawn for each item and cell on its own; ``all``: every cell in every order, as a factor;
        ``fixed``: the first order always. Draws depend on the seed and the item's identifier, never on its number.
    orders
        The orders that the protocol knows.
    seed
        Of the draws.
    once
        Function of an item that says whether it is asked in the first cell only, one time.

    Examples
    --------
    >>> items = Items(rows=({"t": "x"}, {"t": "y"}), ids=("a", "b"), columns=("t",), source="", sha256="")
    >>> [(u.item_id, u.factors["order"]) for u in units(items, {"model": ["m"]}, orders=("ab", "ba"))]
    [('a', 'ab'), ('b', 'ba')]
    """
    levels = dict(factors)
    if len(orders) > 1 and order == "all":
        levels["order"] = orders
    names = list(levels)
    for place, cell in enumerate(itertools.product(*levels.values())):
        given = dict(zip(names, cell, strict=True))
        shown = _shown(items.ids, given, order, orders, seed)
        for identifier, row in zip(items.ids, items.rows, strict=True):
            which = {"order": shown[identifier]} if shown else {}
            times = replicates if not once(row) else 1 if not place else 0
            for replicate in range(1, times + 1):
                yield Unit(item_id=identifier, item=row, factors={**given, **which}, replicate=replicate)


def _shown(ids: Sequence[str], cell: Assignment, order: str, orders: Sequence[str], seed: int) -> Assignment:
    """The order of options of each item in one cell; models see the same orders, so that they can be paired."""
    if len(orders) < 2 or order == "all":
        return {}
    if order == "fixed":
        return dict.fromkeys(ids, orders[0])
    salt = canonical([seed, sorted((name, level) for name, level in cell.items() if name != "model")])
    if order == "random":
        return {one: orders[_draw(salt, one) % len(orders)] for one in ids}
    shuffled = sorted(ids, key=lambda one: _draw(salt, one))
    first = list(orders)
    random.Random(_draw(salt, "start")).shuffle(first)
    return {one: first[place % len(first)] for place, one in enumerate(shuffled)}


def _draw(salt: str, text: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{salt}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8])
