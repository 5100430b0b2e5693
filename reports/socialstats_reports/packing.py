"""Lists of like records with each name and each returning value once: much smaller, and the same when unpacked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

COLUMNS, SAME, ROWS, TEXTS = "packed columns", "same", "rows", "texts"
ABSENT: list[Any] = []  # stands where a record has no such key: values are never lists
FEWEST = 3  # shorter lists gain nothing
POOL, PLACE = "pool", "@"  # long values that return, and what stands before the place of one
LONGEST_PLACE = 7  # characters of a place in quotes
WITHIN = ":"  # stands between a key and the keys of a record within the record


def packed(value: Any) -> Any:
    """Return JSON with every list of flat records as columns, what all records share, rows, and texts that return.

    Examples
    --------
    >>> packed([{"term": "a", "n": 2}, {"term": "b", "n": 2}, {"term": "c", "n": 2, "p": 0.5}])
    {'packed columns': ['term', 'n', 'p'], 'same': {'n': 2}, 'rows': [['a'], ['b'], ['c', 0.5]]}
    """
    if isinstance(value, dict):
        return {key: packed(inner) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) < FEWEST or not all(map(_is_record, value)):
        return [packed(inner) for inner in value]
    value = [_flat(record) for record in value]
    columns = _columns(value)
    if not all(list(record) == [name for name in columns if name in record] for record in value):
        return [_whole(record) for record in value]
    same = {name: value[0][name] for name in columns if _is_shared(name, value)}
    rest = [name for name in columns if name not in same]
    texts = {name: found for name in rest if (found := _returning(name, value))}
    place = {name: {text: k for k, text in enumerate(found)} for name, found in texts.items()}
    rows = [_trimmed([place[n][r[n]] if n in texts and n in r else r.get(n, ABSENT) for n in rest]) for r in value]
    return {COLUMNS: columns, SAME: same, ROWS: rows} | ({TEXTS: texts} if texts else {})


def unpacked(value: Any) -> Any:
    """Return what `packed` was given.

    Examples
    --------
    >>> unpacked({"packed columns": ["term", "n"], "same": {"n": 2}, "rows": [["a"], ["b"]]})
    [{'term': 'a', 'n': 2}, {'term': 'b', 'n': 2}]
    """
    if isinstance(value, list):
        return [unpacked(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if set(value) - {TEXTS} != {COLUMNS, SAME, ROWS}:
        return {key: unpacked(inner) for key, inner in value.items()}
    columns, same, texts = value[COLUMNS], value[SAME], value.get(TEXTS, {})
    rest = [name for name in columns if name not in same]
    if any(len(row) > len(rest) for row in value[ROWS]):
        raise ValueError("a row is longer than its columns")
    records = [same | dict(zip(rest, row, strict=False)) for row in value[ROWS]]
    for name, found in texts.items():
        for record in records:
            if record.get(name, ABSENT) != ABSENT:
                record[name] = found[record[name]]
    return [_whole({n: record[n] for n in columns if record.get(n, ABSENT) != ABSENT}) for record in records]


def pooled(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record whose parts have long texts and numbers that return once, in a list, and else their place in it.

    Values of the record itself stay as they are. A text that looks like a place is in the list, too.

    Examples
    --------
    >>> pooled({"study": "s", "rows": ["a longer text", "a longer text", "a longer text", 0.5, "@0"]})
    {'study': 's', 'rows': ['@0', '@0', '@0', 0.5, '@1'], 'pool': ['a longer text', '@0']}
    """
    inner = {name: value for name, value in found.items() if isinstance(value, dict | list)}
    times: dict[str, int] = {}
    for leaf in _leaves(list(inner.values())):
        text = json.dumps(leaf)
        times[text] = times.get(text, 0) + 1
    most = sorted(times, key=lambda text: -times[text])
    kept = [t for t in most if t.startswith(f'"{PLACE}') or (times[t] - 1) * len(t) > (times[t] + 1) * LONGEST_PLACE]
    at = {text: f"{PLACE}{k}" for k, text in enumerate(kept)}
    done = {name: _mapped(value, lambda leaf: at.get(json.dumps(leaf), leaf)) for name, value in inner.items()}
    return {**found, **done} | ({POOL: [json.loads(text) for text in kept]} if kept else {})


def unpooled(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `pooled` was given.

    Examples
    --------
    >>> unpooled({"study": "s", "rows": ["@0", 0.5, "@1"], "pool": ["a longer text", "@0"]})
    {'study': 's', 'rows': ['a longer text', 0.5, '@0']}
    """
    pool = found.get(POOL, [])

    def whole(leaf: Any) -> Any:
        return pool[int(leaf[len(PLACE) :])] if isinstance(leaf, str) and leaf.startswith(PLACE) else leaf

    return {name: _mapped(value, whole) if pool and isinstance(value, dict | list) else value
            for name, value in found.items() if name != POOL}  # fmt: skip


def _leaves(value: Any) -> Iterator[str | float]:
    """Return the texts and the numbers with decimals within a value."""
    if isinstance(value, str | float):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with its texts and numbers with decimals changed."""
    if isinstance(value, dict):
        return {key: _mapped(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mapped(inner, change) for inner in value]
    return change(value) if isinstance(value, str | float) else value


def _returning(name: str, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the texts of a column that has only texts, each at least twice on average; else nothing."""
    values = [record[name] for record in records if name in record]
    texts = list(dict.fromkeys(values))
    return texts if all(isinstance(text, str) for text in texts) and 2 * len(texts) <= len(values) else []


def _trimmed(row: list[Any]) -> list[Any]:
    """Return a row without what is absent at its end."""
    while row and isinstance(row[-1], list) and not row[-1]:  # an empty list is ABSENT; numpy's == is no truth value
        row.pop()
    return row


def _is_record(record: Any) -> bool:
    """Tell whether a value is a record of single values and of records of single values, without `WITHIN` in a key."""
    if not isinstance(record, dict) or any(WITHIN in name for name in record):
        return False
    return not any(isinstance(value, dict | list) for value in _flat(record).values())


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record whose inner records are columns of their own."""
    out: dict[str, Any] = {}
    for name, value in record.items():
        inside = isinstance(value, dict) and bool(value)
        out |= {f"{name}{WITHIN}{key}": inner for key, inner in value.items()} if inside else {name: value}
    return out


def _whole(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record that `_flat` made columns of."""
    out: dict[str, Any] = {}
    for name, value in record.items():
        outer, within, inner = name.partition(WITHIN)
        if within:
            out.setdefault(outer, {})[inner] = value
        else:
            out[name] = value
    return out


def _columns(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys of all records in an order that each record's keys have; any order where there is none."""
    before: dict[str, dict[str, None]] = {}
    for record in records:
        names = list(record)
        for k, name in enumerate(names):
            before.setdefault(name, {}).update(dict.fromkeys(names[max(k - 1, 0) : k]))
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError:
        return list(before)


def _is_shared(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether all records have the same value; 1, 1.0 and true are three."""
    return len({json.dumps(record[name]) if name in record else "" for record in records}) == 1
