"""The log of a run: JSON lines with a checksum each, one writer at a time; a damaged line costs itself and no other."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats.tables.limits import exceeded, limit
from socialstats.text import count
from socialstats_collect.ask import DATA, STATUSES, Reply
from socialstats_collect.attempts import AttemptIndex
from socialstats_collect.design import Item, item_of
from socialstats_collect.secrets import hide
from socialstats_collect.tally import CallTally

CHUNK = 1 << 20
SUM = re.compile(rb', "sum": "([0-9a-f]{8})"\}')
START = re.compile(rb'\{"type": "')
OLD_BLOCK = "content_filter"  # what version 0.1 called a block
NEAR = 8  # beginnings tried for a record whose line lost its own
MOST_NAMED = 5
OURS = frozenset(
    ("type", "run_id", "key", "parent", "status", "after", "items_of", "protocol", "order")
)
"""Fields that no reply fills, and without which a log cannot be read: a short key may stand in them by chance."""


@dataclass(slots=True)
class Log:
    """A log, open for reading or, with `writing`, for appending too; use as a context manager.

    The index holds the key, the place and the status of each attempt; texts stay in the file.

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
    _attempts: AttemptIndex = field(default_factory=AttemptIndex)
    _items: dict[str, dict[int, Item]] = field(default_factory=dict)

    def __enter__(self) -> Log:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if self.writing else os.O_RDONLY
        try:
            self._descriptor = os.open(self.path, flags | os.O_NONBLOCK, 0o644)
        except FileNotFoundError:
            fix = "'socialstats collect RUN.toml' writes it"
            if self.writing:
                fix = "Make its folder first"
            raise self._fault("there is no such file", fix) from None
        except OSError as error:
            raise self._fault(error.strerror or "cannot be read") from None
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
        self._attempts = AttemptIndex()
        self._items.clear()
        self.runs.clear()

    def _fault(self, message: str, fix: str = "") -> InputError:
        return InputError(
            Problem(message=message, source=self.path.name or str(self.path), fix=fix)
        )

    def _open(self) -> None:
        if not os.path.isfile(self.path):
            raise self._fault(
                "not a file that a log can be in", "Name a file, such as run.log.jsonl."
            )
        if self.writing and not _locked(self._descriptor):
            fix = "Wait until it has ended, or give this run a log of its own (-o)."
            raise self._fault("another process is writing to this log", fix)
        last, n_records = self._index()
        if os.fstat(self._descriptor).st_size and not n_records:
            fix = "Name another file. Logs of other harnesses: socialstats convert."
            raise self._fault("not a log of socialstats collect", fix)
        if self.writing and last not in b"\n":
            try:
                self._put(b"\n")
            except OSError as error:
                fix = "Make room, and run the same command again."
                why = f"cannot be written: {error.strerror or error}"
                raise self._fault(why, fix) from None

    def _index(self) -> tuple[bytes, int]:
        """Read every record once; return the last byte of the file, and how many records it holds."""
        # each run numbers its records: a byte for each number, 1 where its record was read
        numbers: defaultdict[str, bytearray] = defaultdict(bytearray)
        last, size, n_records = b"", os.fstat(self._descriptor).st_size, 0
        for number, place, text in _lines(self._descriptor, self.path.name):
            last = text[-1:]
            records, complete = _records(text.rstrip())
            n_records += len(records)
            for at, record in records:
                n = record.get("n", -1)
                if (n is None and numbers) or (n is not None and n > size):
                    complete = False  # a line of another hand, in a log with checksums
                    continue
                if n is not None and n >= 0:
                    seen = numbers[record["run_id"]]
                    seen.extend(bytes(max(0, n + 1 - len(seen))))
                    if seen[n]:
                        continue
                    seen[n] = 1
                for part in upgraded(record, self.runs):
                    self._take(part, place + at)
            if not complete:
                self.damaged.append(number)
        self.runs.sort(key=lambda run: str(run.get("started", "")))
        # in the order in which they began: a run may name one that named another
        for run in self.runs:
            earlier = self._items.get(run.get("items_of", ""), {})
            run["items"] = self._items.setdefault(run["run_id"], earlier)
        self.lost = sum(seen.count(0) for seen in numbers.values())
        return last, n_records

    def _take(self, record: dict[str, Any], place: int) -> None:
        kind = record["type"]
        # designs are written twice
        if kind == "run" and record["run_id"] not in [run["run_id"] for run in self.runs]:
            self.runs.append(record)
        elif kind == "item":
            items = self._items.setdefault(record["run_id"], {})
            items.setdefault(record["place"], item_of(record))
        elif kind == "call":
            self.tally.begin(record)
        elif kind == "attempt":
            self._attempts.add(record["key"], place, record["status"])
            self.tally.add(record)

    def append(self, line: dict[str, Any]) -> None:
        """Write one line, whole or not at all; nothing secret is in it.

        Raises
        ------
        OSError
            When the disk is full or gone; what was written of the line is taken back first.
        """
        self._still_there()
        line = {name: value if name in OURS else hide(value) for name, value in line.items()}
        self._put(encode(line | {"n": self._written}))
        self._written += 1
        if line["type"] == "attempt":
            self.tally.add(line)

    def _put(self, data: bytes) -> None:
        written, size = 0, os.fstat(self._descriptor).st_size
        try:
            while written < len(data):
                more = os.write(self._descriptor, data[written:])
                if not more:
                    raise OSError(28, "No space left on device", str(self.path))
                written += more
        except OSError:
            if written:
                os.ftruncate(self._descriptor, size)
            raise

    def _still_there(self) -> None:
        """Go on in a copy where the file was moved, deleted or replaced."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._descriptor), os.stat(self.path)):
                return
        names = (self.path.name, *(f"{self.path.stem}.saved-{k}.jsonl" for k in range(1, 100)))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
        for path in (
            folder / name
            for folder in (self.path.parent, Path(tempfile.gettempdir()))
            for name in names
        ):
            with suppress(OSError):
                new = os.open(path, flags, 0o644)
                break
        else:
            raise OSError(2, "The log is gone, and no place takes a copy of it", str(self.path))
        _locked(new)
        place = 0
        while chunk := os.pread(self._descriptor, CHUNK, place):
            place += os.write(new, chunk)
        os.fsync(new)
        os.close(self._descriptor)
        what = f"{self.path.name} was moved, deleted or replaced"
        self.notes.append(f"{what}: the run went on in {path}, which has all of it")
        self._descriptor, self.path = new, path

    def sync(self) -> None:
        """Ask the system to put everything on the disk."""
        os.fsync(self._descriptor)

    def entries(self, key: str) -> list[tuple[int, str]]:
        """Return place and status of the attempts that were on record for a request when the log was opened."""
        return self._attempts.entries(key)

    def answer(self, key: str) -> dict[str, Any] | None:
        """Return the line of the first answer to a request; a later one never replaces it."""
        for place, status in self.entries(key):
            if status in DATA and (line := self.at(place))["key"] == key:
                return line
        return None

    def answers(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of all first answers on record."""
        for place, status in self._attempts:
            if status not in DATA:
                continue
            line = self.at(place)
            first = next(at for at, kind in self.entries(line["key"]) if kind in DATA)
            if place == first:
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
        return upgraded(json.JSONDecoder().raw_decode(text)[0])[0]

    def repairs(self) -> Iterator[str]:
        """State which lines are damaged and how many records are lost."""
        if self.damaged:
            numbers = ", ".join(map(str, self.damaged[:MOST_NAMED]))
            more = ", ..." if len(self.damaged) > MOST_NAMED else ""
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


def _records(text: bytes) -> tuple[list[tuple[int, dict[str, Any]]], bool]:
    """Return the records in a line with their places, and whether that is all of it.

    A line that lost its end, or stands after junk, holds whole records still: each ends in its checksum.
    """
    past, complete = 0, True
    records: list[tuple[int, dict[str, Any]]] = []
    for end in SUM.finditer(text):
        starts = [start.start() for start in START.finditer(text, past, end.start())]
        for start in (past, *starts[: -NEAR - 1 : -1]):
            body = text[start : end.start()]
            if zlib.crc32(body) == int(end[1], 16) and (record := _record(body + b"}")):
                records.append((start, record))
                complete = complete and start == past
                past = end.end()
                break
    if not records:
        record = _record(text)  # version 0.1 wrote no checksums
        if record and "n" not in record:
            return [(0, record | {"n": None})], True
    return records, complete and past == len(text)


def _record(text: bytes) -> dict[str, Any] | None:
    """Return a record of a log, or None where it is not one.

    Examples
    --------
    >>> _record(b'{"type": "end", "run_id": "r"}'), _record(b"[1]"), _record(b'{"type": "attempt", "key": "x"}')
    ({'type': 'end', 'run_id': 'r'}, None, None)
    """
    try:
        record: dict[str, Any] = json.loads(text)
        there = all(name in record for name in REQUIRED[record["type"]])
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    fitting = there and all(_fits(record[name], FIELDS[name]) for name in FIELDS.keys() & record)
    if fitting and record["type"] == "run":
        fitting = _fits(record["factors"], LEVELS)
    return record if fitting else None


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value is of a kind.

    That is a type, a range, a pattern of texts, or a tuple. A tuple has the type of a list or table, the kind of what
    it holds, and the names that it must have.
    """
    if isinstance(kind, range):
        return type(value) is int and value in kind
    if isinstance(kind, re.Pattern):
        return isinstance(value, str) and kind.fullmatch(value) is not None
    if isinstance(kind, tuple):
        outer, inner, *names = kind
        if not isinstance(value, outer) or not all(value.get(name) for name in names):
            return False
        contents = value.values() if isinstance(value, dict) else value
        return all(_fits(part, inner) for part in contents)
    if isinstance(value, str) and HALF.search(value):
        return False
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


HALF = re.compile("[\ud800-\udfff]")  # half a character, which no design has
TEXTS, TABLE = (list, str), (dict, str)
LEVELS = (dict, TEXTS, "model")
FIELDS: dict[str, Any] = {
    "run_id": str,
    "n": range(2**63),
    "protocol": str,
    "texts": TABLE,
    "order": str,
    "replicates": int,
    "seed": int,
    "after": TEXTS,
    "options": dict,
    "system": str,
    "judges": TEXTS,
    "judge_parameters": dict,
    "hosts": dict,
    "versions": dict,
    "n_items": int,
    "items_of": str,
    "run_file": str,
    "items_file": str,
    "rows": (list, list),
    "place": int,
    "id": str,
    "columns": TABLE,
    "drawn": str,
    "batch": int,
    "gone": bool,
    "attempt": int,
    "item_id": str,
    "factors": dict,
    "parameters": dict,
    "key": re.compile("[0-9a-f]{64}"),
    "status": re.compile("|".join([*STATUSES, OLD_BLOCK])),
}
"""What is read of records, and the kind of each."""
REQUIRED = {
    "run": ("run_id", "protocol", "texts", "factors", "order", "replicates", "seed"),
    "item": ("run_id", "place", "id", "columns"),
    "call": ("run_id", "key", "attempt"),
    "attempt": ("key", "status", "item_id", "factors"),
    "end": ("run_id",),
}


def upgraded(
    record: dict[str, Any], runs: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Return a record as this version writes it; `runs` are those before it.

    Version 0.1 called a block by its commonest reason, and wrote the items of a run in the line of the run.
    """
    if record["type"] == "attempt" and record["status"] == OLD_BLOCK:
        return [record | {"status": "blocked"}]
    if record["type"] != "run" or "format" in record:
        return [record]
    # a run replaced all before, and went on with their items where it had none
    earlier = [run["run_id"] for run in runs if "format" not in run]
    run = record | {"after": earlier}
    rows = run.pop("rows", [])
    if earlier and not rows:
        run["items_of"] = earlier[-1]
    item = {"type": "item", "run_id": run["run_id"]}
    items = [
        item | {"place": place, "id": name, "columns": columns}
        for place, (name, columns) in enumerate(rows)
    ]
    return [run, *items]


def reply_of(line: Mapping[str, Any]) -> Reply:
    """Return the reply that a line of the log records."""
    texts = {name: line.get(name) for name in ("content", "refusal", "blocked_by")}
    return Reply(
        key=line["key"],
        status=line["status"],
        model=str(line.get("model_returned") or ""),
        logprobs=line.get("logprobs"),
        **{name: text if isinstance(text, str) else "" for name, text in texts.items()},
    )


def _locked(descriptor: int) -> bool:
    """Lock a log; return whether this process is the one that writes to it."""
    try:
        import fcntl
    except ImportError:  # not on this system: the one-process rule is then the user's
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


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
