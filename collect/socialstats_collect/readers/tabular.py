"""What every reader does with values of unknown shape, and the one table that all readers fill."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from socialstats.claims.types import KEYS, Claim, Quantity, Status
from socialstats.tables import as_text
from socialstats.text import count, listing
from socialstats_collect.readers.streaming import Spelled

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 200
Row = dict[str, Any]
WORDS: dict[str, str] = {
    "error": "the sample ended in an error", "unscored": "no score", "unparsed": "a score that is no number",
    "refusal": "a refusal", "missing": "not in the log",
}  # fmt: skip


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def cell(value: Any) -> str | None:
    """Write a value as text for a table; characters that no file can hold are made visible.

    Examples
    --------
    >>> cell(True), cell(3), cell({"a": [1]}), cell(None)
    ('True', '3', '{"a": [1]}', None)
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, Spelled):
        return value.text
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (dict, list)) else str(value)
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def label(value: Any) -> str | None:
    """Write a cell of a table as its other readers do: 7.0 is 7, and nothing is missing.

    Examples
    --------
    >>> label(7.0), label(float("nan")), label(["a"])
    ('7', None, '["a"]')
    """
    return cell(value if isinstance(value, (list, dict)) else as_text(value))


def printed(value: Any) -> str:
    """Write a number as its file spells it."""
    return value.text if isinstance(value, Spelled) else repr(value)


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number (a truth value is none)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e308 < value < 1e308


def column(name: str) -> str:
    """Name a metadata column so that it does not hide one of the log's own."""
    return f"meta_{name}" if name in KEYS else name


def row(
    *, model: Any, task: Any, unit: Any, scorer: Any, value: float | None, status: Status, epoch: Any = 1,
    filter: Any = "", answer: Any = None, metadata: Mapping[str, Any] | None = None,
) -> Row:  # fmt: skip
    """Make one row; only rows with status ``ok`` keep their value."""
    keys = {
        "model": cell(model), "task": cell(task), "unit": cell(unit), "epoch": cell(epoch), "scorer": cell(scorer),
        "filter": cell(filter), "value": value if status == "ok" else None, "answer": cell(answer), "status": status,
    }  # fmt: skip
    return keys if not metadata else {**keys, **metadata}


def flat(metadata: Mapping[str, Any], prefix: str = "") -> dict[str, str | None]:
    """Return metadata as text columns; objects in it are spread to ``outer_inner`` once, deeper ones are JSON.

    Examples
    --------
    >>> flat({"scenario": "s1", "epoch": 3, "who": {"age": 4}})
    {'scenario': 's1', 'meta_epoch': '3', 'who_age': '4'}
    """
    found: dict[str, str | None] = {}
    for name, value in metadata.items():
        if isinstance(value, dict) and not prefix:
            found.update(flat(value, f"{name}_"))
        else:
            found[column(cell(f"{prefix}{name}") or "")] = cell(value)
    return found


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Put rows in one table: the log's own columns first, then metadata in order of appearance."""
    import pandas as pd

    names = dict.fromkeys((*KEYS, *(name for each in rows for name in each)))
    table = pd.DataFrame({name: pd.Series([r.get(name) for r in rows], dtype="object") for name in names})
    return table.astype({"value": "float64"})


def without_long(rows: Iterable[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """Leave out metadata columns that hold long texts (questions, answers), and name them."""
    kept = list(rows)
    long = {n for r in kept for n, v in r.items() if n not in KEYS and isinstance(v, str) and len(v) > LONGEST}
    if not long:
        return kept, ()
    note = f"columns with long texts were left out: {listing(sorted(long), most=8)}"
    return [{name: value for name, value in r.items() if name not in long} for r in kept], (note,)


def status_notes(rows: Iterable[Row]) -> tuple[str, ...]:
    """Count the rows that have no value, by status."""
    counts = Counter(str(r["status"]) for r in rows)
    return tuple(
        f"status {status}: {count(n)} of {count(sum(counts.values()), 'row')} ({WORDS[status]})"
        for status, n in sorted(counts.items())
        if status != "ok"
    )


def claims_of(
    numbers: Mapping[str, tuple[Quantity, Any]], *, where: str, select: Mapping[str, str], n: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Iterator[Claim]:  # fmt: skip
    """Make a claim of each number that is one."""
    for name, (quantity, value) in numbers.items():
        if is_number(value):
            yield Claim(
                name=name, quantity=quantity, printed=printed(value), where=f"{where}.{name}", select=dict(select),
                settings=dict(settings or {}), n=n,
            )  # fmt: skip


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key in which numbers count as numbers.

    Examples
    --------
    >>> sorted(["s.10", "s.9"], key=natural)
    ['s.9', 's.10']
    """
    return [(int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part) for part in re.split(r"(\d+)", text)]
