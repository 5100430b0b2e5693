"""The log of a run: JSON lines with a checksum each, one writer at a time; a damaged line costs itself and no other."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from socialstats.errors import InputError, Problem
from socialstats.tables.limits import exceeded, limit
from socialstats.text import count
from socialstats_collect.ask import DATA, STATUSES, Reply
from socialstats_collect.design import Item, item_of
from socialstats_collect.secrets import hide
from socialstats_collect.tally import CallTally

CHUNK = 1 << 20
SUM = re.compile(rb', "sum": "([0-9a-f]{8})"\}')
START = b'{"type": "'
NEAR = 8  # beginnings tried for a record whose line lost its own
SHOWN = 5
OURS = frozenset(
    ("type", "run_id", "key", "parent", "status", "after", "items_of", "protocol", "order")
)
"""Fields that no reply fills, and without which a log cannot be read: a short key may stand in them by chance."""


@dataclass(slots=True)
class Log:
    """A log, open for reading or, with `writing`, for appending too; use as a context manager.

    The index holds 17 bytes an attempt; texts stay in the file.

    Attributes
    ----------
    path
        The file.
    runs
        The lines that open runs, oldest first, each with its items under ``items``.
    tally
        Counts over all attempts on record.
    damaged
        Numbers of lines of which something could not be read.
    lost
        Records that were written, and stand in no line that can be read.
    notes
        What happened to the file while it was written.
    """

    path: Path
    writing: bool = False
    runs: list[dict[str, Any]] = field(default_factory=list)
    tally: CallTally = field(default_factory=CallTally)
    damaged: list[int] = field(default_factory=list)
    lost: int = 0
    notes: list[str] = field(default_factory=list)
    _descriptor: int = -1
    _written: int = 0
    _keys: array[int] = field(default_factory=lambda: array("Q"))
    _places: array[int] = field(default_factory=lambda: array("Q"))
    _statuses: bytearray = field(default_factory=bytearray)
    _items: dict[str, dict[int, Item]] = field(default_factory=dict)
    _sorted: Any = None
    _order: Any = None

    def __enter__(self) -> Log:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if self.writing else os.O_RDONLY
        try:
            self._descriptor = os.open(self.path, flags | os.O_NONBLOCK, 0o644)
        except FileNotFoundError:
            fix = (
                "'socialstats collect RUN.toml' writes it"
                if not self.writing
                else "Make its folder first"
            )
            raise InputError(
                Problem(message="there is no such file", source=self.path.name, fix=fix)
            ) from None
        except OSError as error:
            raise InputError(
                Problem(message=error.strerror or "cannot be read", source=self.path.name)
            ) from None
        try:
            self._open()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.writing:
            os.fsync(self._descriptor)
        os.close(self._descriptor)
        self._keys = self._places = array("Q")
        self._sorted = self._order = None
        self._items.clear()
        self.runs.clear()

    def _open(self) -> None:
        if not os.path.isfile(self.path):
            raise InputError(
                Problem(message="not a file that a log can be in", source=self.path.name)
            )
        if self.writing:
            _lock(self._descriptor, self.path)
        last, n_records = self._index()
        if os.fstat(self._descriptor).st_size and not n_records:
            fix = "Name another file. Logs of other harnesses: socialstats convert."
            raise InputError(
                Problem(message="not a log of socialstats collect", source=self.path.name, fix=fix)
            )
        if self.writing and last not in b"\n":
            try:
                self._put(b"\n")
            except OSError as error:
                fix = "Make room, and run the same command again."
                why = f"cannot be written: {error.strerror or error}"
                raise InputError(Problem(message=why, source=self.path.name, fix=fix)) from None
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        self._order = np.argsort(keys, kind="stable").astype(
            np.uint32 if len(keys) < 2**32 else np.uint64
        )
        self._sorted = keys[self._order]

    def _index(self) -> tuple[bytes, int]:
        """Read every record once; return the last byte of the file, and how many records it holds."""
        seen: dict[object, bytearray] = {}
        last, size, n_records = b"", os.fstat(self._descriptor).st_size, 0
        for number, place, text in _lines(self._descriptor, self.path.name):
            last = text[-1:]
            text = text.rstrip()
            if not text:
                continue
            found, whole = _records(text)
            n_records += len(found)
            for at, record in found:
                n = record.get("n", -1)
                if (n is None and seen) or (n is not None and n > size):
                    whole = False  # a line of another hand, in a log with checksums
                elif n in (None, -1) or _first(seen.setdefault(record["run_id"], bytearray()), n):
                    self._take(record, place + at)
            if not whole:
                self.damaged.append(number)
        self.runs.sort(key=lambda run: str(run.get("started", "")))
        for (
            run
        ) in self.runs:  # in the order in which they began: one may name a run that named another
            self._items.setdefault(run["run_id"], self._items.get(run.get("items_of", ""), {}))
            run["items"] = self._items[run["run_id"]]
        self.lost = sum(marks.count(0) for marks in seen.values())
        return last, n_records

    def _take(self, record: dict[str, Any], place: int) -> None:
        kind = record["type"]
        if kind == "run":
            self._design(record)
        elif kind == "item":
            self._items.setdefault(record["run_id"], {}).setdefault(
                record["place"], item_of(record)
            )
        elif kind == "call":
            self.tally.begin(record)
        elif kind == "attempt":
            self._keys.append(int(record["key"][:16], 16))
            self._places.append(place)
            self._statuses.append(STATUSES.index(status_of(record)))
            self.tally.add(record)

    def _design(self, run: dict[str, Any]) -> None:
        if any(one["run_id"] == run["run_id"] for one in self.runs):
            return  # designs are written twice
        if (
            "format" not in run
        ):  # version 0.1: each run replaces all before, and has its items in one line
            run["after"] = [one["run_id"] for one in self.runs if "format" not in one]
            rows = enumerate(run.pop("rows", ()))
            found = {k: item_of({"id": name, "columns": row}) for k, (name, row) in rows}
            self._items[run["run_id"]] = found or self._items.get(
                run["after"][-1] if run["after"] else "", {}
            )
        self.runs.append(run)

    def append(self, line: dict[str, Any]) -> None:
        """Write one line, whole or not at all; nothing secret is in it.

        Raises
        ------
        OSError
            When the disk is full or gone; what was written of the line is taken back first.
        """
        self._still_there()
        line = {
            **{name: value if name in OURS else hide(value) for name, value in line.items()},
            "n": self._written,
        }
        self._put(encode(line))
        self._written += 1
        if line["type"] == "attempt":
            self.tally.add(line)

    def _put(self, data: bytes) -> None:
        written, size = 0, os.fstat(self._descriptor).st_size
        try:
            while written < len(data):
                if not (more := os.write(self._descriptor, data[written:])):
                    raise OSError(28, "No space left on device", str(self.path))
                written += more
        except OSError:
            if written:
                os.ftruncate(self._descriptor, size)
            raise

    def _still_there(self) -> None:
        """Go on in a copy where the file was moved, deleted or replaced."""
        here = os.fstat(self._descriptor)
        with suppress(OSError):
            if os.path.samestat(here, os.stat(self.path)):
                return
        names = (self.path.name, *(f"{self.path.stem}.saved-{k}.jsonl" for k in range(1, 100)))
        folders = (self.path.parent, Path(tempfile.gettempdir()))
        new, path = -1, self.path
        for path in (folder / name for folder in folders for name in names):
            with suppress(OSError):
                new = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
                break
        if new < 0:
            raise OSError(2, "The log is gone, and no place takes a copy of it", str(self.path))
        _lock(new, path)
        place = 0
        while chunk := os.pread(self._descriptor, CHUNK, place):
            place += os.write(new, chunk)
        os.fsync(new)
        os.close(self._descriptor)
        self.notes.append(
            f"{self.path.name} was moved, deleted or replaced: the run went on in {path}, which has all of it"
        )
        self._descriptor, self.path = new, path

    def sync(self) -> None:
        """Ask the system to put everything on the disk."""
        os.fsync(self._descriptor)

    def entries(self, key: str) -> list[tuple[int, str]]:
        """Return place and status of the attempts that were on record for a request when the log was opened."""
        short = np.uint64(int(key[:16], 16))
        first, past = (
            np.searchsorted(self._sorted, short),
            np.searchsorted(self._sorted, short, side="right"),
        )
        return [
            (self._places[at], STATUSES[self._statuses[at]])
            for at in self._order[first:past].tolist()
        ]

    def answer(self, key: str) -> dict[str, Any] | None:
        """Return the line of the first answer to a request; a later one never replaces it."""
        for place, status in self.entries(key):
            if status in DATA and (line := self.at(place))["key"] == key:
                return line
        return None

    def answers(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of all first answers on record."""
        for place, status in zip(self._places, self._statuses, strict=True):
            if STATUSES[status] not in DATA:
                continue
            line = self.at(place)
            entries = self.entries(line["key"])
            if place == next(first for first, kind in entries if kind in DATA):
                yield line

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield every record that can be read, in the order of the file."""
        for _, _, text in _lines(self._descriptor, self.path.name):
            for _, record in _records(text.strip())[0]:
                yield record

    def reply(self, key: str) -> Reply | None:
        """Return the first answer on record for a request."""
        line = self.answer(key)
        return None if line is None else reply_of(line)

    def at(self, place: int) -> dict[str, Any]:
        """Return the record at a place."""
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            file.seek(place)
            text = file.readline().decode("utf-8", "replace")
        record: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
        return record

    def repairs(self) -> Iterator[str]:
        """State which lines are damaged and how many records are lost."""
        if self.damaged:
            numbers = ", ".join(map(str, self.damaged[:SHOWN]))
            more = ", ..." if len(self.damaged) > SHOWN else ""
            lines = count(len(self.damaged), "line")
            unread = f"{lines} of the log cannot be read in full (line {numbers}{more})"
            yield f"{unread}; they are kept unchanged, and every other line is read"
        if self.lost:
            yield f"{count(self.lost, 'record')} that a run wrote can be read in no line: its request is asked again"


def encode(line: dict[str, Any]) -> bytes:
    """Return a line of the log with its checksum (CRC-32); half characters are escaped, all else is plain UTF-8.

    Examples
    --------
    >>> encode({"content": "é"}).decode()
    '{"content": "é", "sum": "9be247fa"}\\n'
    """
    try:
        text = json.dumps(line, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = json.dumps(line).encode()
    return text[:-1] + b', "sum": "%08x"}\n' % zlib.crc32(text[:-1])


def _first(marks: bytearray, n: int) -> bool:
    """Mark a record of a run by its number; return whether it is met for the first time."""
    marks.extend(bytes(max(0, n + 1 - len(marks))))
    marks[n], before = 1, marks[n]
    return not before


def _records(text: bytes) -> tuple[list[tuple[int, dict[str, Any]]], bool]:
    """Return the records in a line with their places, and whether that is all of it.

    A line that lost its end, or stands after junk, holds whole records still: each ends in its checksum.
    """
    ends = list(SUM.finditer(text))
    found: list[tuple[int, dict[str, Any]]] = []
    if not ends:
        record = _record(text)  # version 0.1 wrote no checksums
        return ([(0, record | {"n": None})], True) if record and "n" not in record else ([], False)
    past, whole = 0, True
    for end in ends:
        starts = [one.start() for one in re.finditer(re.escape(START), text[past : end.start()])]
        for start in (past, *(past + one for one in starts[: -NEAR - 1 : -1])):
            body = text[start : end.start()]
            if zlib.crc32(body) == int(end[1], 16) and (record := _record(body + b"}")):
                found.append((start, record))
                whole = whole and start == past
                past = end.end()
                break
    return found, whole and past == len(text)


def _record(text: bytes) -> dict[str, Any] | None:
    """Return a record of a log, or None where it is not one.

    Examples
    --------
    >>> _record(b'{"type": "end", "run_id": "r"}'), _record(b"[1]"), _record(b'{"type": "attempt", "key": "x"}')
    ({'type': 'end', 'run_id': 'r'}, None, None)
    """
    try:
        record: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        return None
    needs = NEEDS.get(str(record.get("type"))) if isinstance(record, dict) else None
    if needs is None or needs.keys() - record.keys():
        return None
    kinds = needs | MAY_HAVE.get(record["type"], {})
    if not all(_fits(record[name], kind) for name, kind in kinds.items() if name in record):
        return None
    if record["type"] == "run" and not record["factors"].get("model"):
        return None
    n = record.get("n", 0)
    if not (isinstance(n, int) and n >= 0 and isinstance(record.get("run_id", ""), str)):
        return None
    if record["type"] == "attempt" and not (
        status_of(record) in STATUSES and KEY.fullmatch(record["key"])
    ):
        return None
    return record


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value is of a type; a tuple is that of a list or table, and that of what it holds."""
    if isinstance(kind, tuple):
        outer, inner = kind
        held = value.values() if isinstance(value, dict) else value
        return isinstance(value, outer) and all(_fits(one, inner) for one in held)
    if isinstance(value, str) and HALF.search(value):
        return False
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


KEY = re.compile("[0-9a-f]{64}")
HALF = re.compile("[\ud800-\udfff]")  # half a character, which no design has
TEXTS, TABLE = (list, str), (dict, str)
NEEDS: dict[str, dict[str, Any]] = {
    "run": {
        "run_id": str,
        "protocol": str,
        "texts": TABLE,
        "factors": (dict, TEXTS),
        "order": str,
        "replicates": int,
        "seed": int,
    },
    "item": {"run_id": str, "place": int, "id": str, "columns": TABLE},
    "call": {"run_id": str, "key": str, "attempt": int},
    "attempt": {"key": str, "status": str, "item_id": str, "factors": dict},
    "end": {"run_id": str},
}
"""What a record of each type must hold."""
MAY_HAVE: dict[str, dict[str, Any]] = {
    "run": {
        "after": TEXTS,
        "options": dict,
        "system": str,
        "parameters": dict,
        "judges": TEXTS,
        "judge_parameters": dict,
        "hosts": dict,
        "versions": dict,
        "n_items": int,
        "items_of": str,
        "run_file": str,
        "items_file": str,
        "rows": (list, list),
    },
    "item": {"drawn": str, "batch": int, "gone": bool},
}
"""What else of a record is read."""


def status_of(record: dict[str, Any]) -> str:
    """Return the status of an attempt; version 0.1 called a block by its commonest reason."""
    status = str(record["status"])
    return "blocked" if status == "content_filter" else status


def reply_of(line: dict[str, Any]) -> Reply:
    """Return the reply that a line of the log records."""
    return Reply(
        key=line["key"],
        status=status_of(line),  # type: ignore[arg-type]
        content=_text(line.get("content")),
        refusal=_text(line.get("refusal")),
        model=str(line.get("model_returned") or ""),
        blocked_by=str(line.get("blocked_by") or ""),
        logprobs=line.get("logprobs"),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system: the one-process rule is then the user's
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        fix = "Wait until it has ended, or give this run a log of its own (-o)."
        raise InputError(
            Problem(message="another process is writing to this log", source=path.name, fix=fix)
        ) from None


def _lines(descriptor: int, name: str) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of every line, its newline included; the last may have none.

    Raises
    ------
    InputError
        For a line that is longer than memory should hold.
    """
    place, most = 0, int(min(limit("length"), sys.maxsize))
    with os.fdopen(os.dup(descriptor), "rb", buffering=CHUNK) as file:
        file.seek(0)
        for number, text in enumerate(iter(lambda: file.readline(most), b""), 1):
            if len(text) == most:
                raise exceeded("length", name, line=number)
            yield number, place, text
            place += len(text)
