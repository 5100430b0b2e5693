"""What every reader does with values of unknown shape, and the one log that all readers make."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from socialstats.harness_logs.files import Source
from socialstats.harness_logs.log import KEYS, Claim, Log, Quantity, Status, StudyReading
from socialstats.harness_logs.streaming import Spelled
from socialstats.tables import label_text
from socialstats.text import count, listing

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 200
# An object of a log
Members = dict[str, Any]
Row = dict[str, Any]
Score = tuple[float | None, Status]
WORDS: dict[str, str] = {
    "error": "the sample ended in an error",
    "unscored": "no score",
    "unparsed": "the score is not a number",
    "refusal": "a refusal",
    "missing": "not in the log",
}


def member(value: Any, *path: str) -> Any:
    """Return what stands at a path of members; None where an object or a member of it is not there.

    Examples
    --------
    >>> member({"a": {"b": 1}}, "a", "b"), member({"a": 3}, "a", "b")
    (1, None)
    """
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def at(value: Any, *path: str) -> Members:
    """Return the object at a path of members, or an empty one.

    Examples
    --------
    >>> at({"a": {"b": {"c": 1}}}, "a", "b"), at({"a": 3}, "a", "b")
    ({'c': 1}, {})
    """
    inner = member(value, *path)
    return inner if isinstance(inner, dict) else {}


def items(value: Any, *path: str) -> list[Any]:
    """Return the list at a path of members, or an empty one."""
    inner = member(value, *path)
    return inner if isinstance(inner, list) else []


def objects(value: Any, *path: str) -> list[Members]:
    """Return the list at a path of members, with an empty object for each element that is none.

    Examples
    --------
    >>> objects({"a": [{"b": 1}, 2]}, "a")
    [{'b': 1}, {}]
    """
    return [at(element) for element in items(value, *path)]


def text(value: Any, *path: str) -> str:
    """Return what stands at a path of members as text, empty where nothing does."""
    return cell(member(value, *path)) or ""


def cell(value: Any) -> str | None:
    """Write a value as text for a table; characters that no file can hold are made visible.

    Examples
    --------
    >>> cell(True), cell(3), cell({"a": [1]}), cell(None)
    ('True', '3', '{"a": [1]}', None)
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    text = (
        json.dumps(value, ensure_ascii=False, default=str)
        if isinstance(value, (dict, list))
        else str(value)
    )
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
    return cell(value if isinstance(value, (list, dict)) else label_text(value))


def printed(value: Any) -> str:
    """Write a number as its file spells it."""
    return value.text if isinstance(value, Spelled) else repr(value)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number (a truth value is none)."""
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and -1e308 < value < 1e308
    )


def whole(value: Any, *path: str) -> int | None:
    """Return the whole number at a path of members, which counts something; None for anything else."""
    number = member(value, *path)
    return int(number) if isinstance(number, int) and is_number(number) else None


def column(name: str) -> str:
    """Name a metadata column so that it does not hide one of the log's own."""
    return f"meta_{name}" if name in KEYS else name


def scored(value: Any, *, failed: bool = False, absent: Status = "unscored") -> Score:
    """Return the number that a log gives as a score, with its status.

    Examples
    --------
    >>> scored(True), scored(0.25), scored(None), scored("high"), scored(1, failed=True)
    ((1.0, 'ok'), (0.25, 'ok'), (None, 'unscored'), (None, 'unparsed'), (None, 'error'))
    """
    if failed:
        return None, "error"
    if isinstance(value, bool) or is_number(value):
        return float(value), "ok"
    return None, absent if value is None else "unparsed"


def row(
    *,
    unit: Any,
    scorer: Any,
    score: Score,
    model: Any = "",
    task: Any = "",
    epoch: Any = 1,
    filter: Any = "",
    answer: Any = None,
    metadata: Mapping[str, Any] | None = None,
) -> Row:
    """Make one row, with metadata as texts; only rows with status ``ok`` keep their value."""
    value, status = score
    keys = {
        "model": cell(model),
        "task": cell(task),
        "unit": cell(unit),
        "epoch": cell(epoch),
        "scorer": cell(scorer),
        "filter": cell(filter),
        "value": value if status == "ok" else None,
        "answer": cell(answer),
        "status": status,
    }
    return keys | flat(metadata or {})


def flat(metadata: Mapping[str, Any], prefix: str = "") -> dict[str, str | None]:
    """Return metadata as text columns; objects in it are spread to ``outer_inner`` once, deeper ones are JSON.

    Examples
    --------
    >>> flat({"scenario": "s1", "epoch": 3, "who": {"age": 4}})
    {'scenario': 's1', 'meta_epoch': '3', 'who_age': '4'}
    """
    fields: dict[str, str | None] = {}
    for name, value in metadata.items():
        if isinstance(value, dict) and not prefix:
            fields.update(flat(value, f"{name}_"))
        else:
            field = cell(f"{prefix}{name}") or ""
            fields[column(field)] = cell(value)
    return fields


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Stack rows in one table: the log's own columns first, then metadata in order of appearance."""
    import pandas as pd

    names = dict.fromkeys((*KEYS, *(name for members in rows for name in members)))
    table = pd.DataFrame(
        {name: pd.Series([r.get(name) for r in rows], dtype="object") for name in names}
    )
    return table.astype({"value": "float64"})


def harness_of(module: str) -> str:
    """Name a harness as its module is called.

    Examples
    --------
    >>> harness_of("socialstats.harness_logs.lm_eval")
    'lm-eval'
    """
    return module.rpartition(".")[2].replace("_", "-")


ALWAYS = (
    "rot",
    "item_a",
    "item_b",
    "winner",
    "order",
)  # columns that studies read, however long their texts


def log_of(
    module: str,
    source: Source,
    rows: Iterable[Row],
    *,
    about: Mapping[str, Any] | None = None,
    files: Iterable[str] = (),
    notes: Iterable[str | StudyReading] = (),
    claims: Iterable[Claim] = (),
    version: Any = None,
) -> Log:
    """Make the log of a reader: its rows without long texts, and notes on statuses and on what was left out.

    Parameters
    ----------
    module
        Name of the reader's module, which names the harness.
    rows, notes, claims, version
        As in `Log`.
    source
        What was read, where ``files`` does not say it.
    about
        What all rows share that do not say it themselves: model and task of the run.
    """
    shared = {name: cell(value) for name, value in (about or {}).items()}
    rows = [r | {name: value for name, value in shared.items() if not r.get(name)} for r in rows]
    long = {
        name
        for r in rows
        for name, value in r.items()
        if isinstance(value, str) and len(value) > LONGEST
    }
    long -= {*KEYS, *ALWAYS}
    counts = Counter(str(r["status"]) for r in rows if r["status"] != "ok")
    status_notes = [
        f"status {status}: {count(n)} of {count(len(rows), 'row')} ({WORDS[status]})"
        for status, n in sorted(counts.items())
    ]
    if long:
        rows = [{name: value for name, value in r.items() if name not in long} for r in rows]
        status_notes.append(
            f"columns with long texts were left out: {listing(sorted(long), most=8)}"
        )
    named = tuple(files) or (source.path.name,)
    parts = (*notes, *status_notes)
    reading = next((part for part in parts if isinstance(part, StudyReading)), None)
    texts = [part.sentence() if isinstance(part, StudyReading) else part for part in parts]
    return Log(
        harness=harness_of(module),
        version=cell(version),
        files=named,
        claims=tuple(claims),
        notes=tuple(texts),
        reading=reading,
        rows=frame(rows),
    )


def claim(
    name: str,
    quantity: Quantity,
    value: Any,
    where: str,
    select: Mapping[str, str],
    n: int | None = None,
    **settings: object,
) -> Iterator[Claim]:
    """Make a claim of a value that is a number."""
    if is_number(value):
        yield Claim(
            name=name,
            quantity=quantity,
            printed=printed(value),
            where=where,
            select=select,
            settings=settings,
            n=n,
        )


def read_by(rows: Sequence[Row], study: str, options: str = "") -> StudyReading:
    """Return how a study reads the rows: those that have a value."""
    words = ["--study", study, *shlex.split(options)]
    if any(r["status"] != "ok" for r in rows):
        words += ["--where", "status=ok"]
    return StudyReading(options=tuple(words))


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key in which numbers count as numbers.

    Examples
    --------
    >>> sorted(["s.10", "s.9"], key=natural)
    ['s.9', 's.10']
    """
    return [
        (int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part)
        for part in re.split(r"(\d+)", text)
    ]
