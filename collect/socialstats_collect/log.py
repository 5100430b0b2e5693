"""The log of a run: append-only JSON lines, one ``os.write`` a line, one process at a time, torn ends repaired."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import DATA, Reply
from socialstats_collect.tally import Tally

CHUNK = 1 << 20


@dataclass(slots=True)
class Log:
    """A log that this process may append to; use as a context manager.

    Attributes
    ----------
    path
        The file.
    torn
        Bytes of an unfinished last line that were taken off when the log was opened.
    broken
        Lines in the middle that are not JSON; they are left as they are.
    attempts
        Key to attempts already on record, for every request.
    tally
        Counts over all attempts on record.
    runs
        The lines that open runs, oldest first.
    """

    path: Path
    torn: int = 0
    broken: list[int] = field(default_factory=list)
    attempts: dict[bytes, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    runs: list[dict[str, Any]] = field(default_factory=list)
    _answers: dict[bytes, int] = field(default_factory=dict)
    _descriptor: int = -1
    _size: int = 0

    def __enter__(self) -> Log:
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _lock(self._descriptor, self.path)
            self.torn = _repair(self._descriptor)
            self._index()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._descriptor)
        os.close(self._descriptor)

    def append(self, line: dict[str, Any]) -> None:
        """Write one line, whole or not at all.

        Raises
        ------
        OSError
            When the disk is full or gone; what was written of the line is taken back first.
        """
        data = encode(line)
        written = 0
        try:
            written = os.write(self._descriptor, data)
            if written < len(data):
                raise OSError(28, "No space left on device", str(self.path))
        except OSError:
            if written:
                os.ftruncate(self._descriptor, self._size)
            raise
        key = line.get("key")
        if isinstance(key, str):
            self._note(bytes.fromhex(key), line, self._size)
        self._size += len(data)

    def sync(self) -> None:
        """Ask the system to put everything on the disk."""
        os.fsync(self._descriptor)

    def reply(self, key: str) -> Reply | None:
        """Return the first answer on record for a request; later ones never replace it."""
        place = self._answers.get(bytes.fromhex(key))
        if place is None:
            return None
        return reply_of(json.loads(line_at(self._descriptor, place)))

    def _index(self) -> None:
        for number, place, text in placed_lines(self._descriptor):
            line = as_line(text)
            if line is None:
                self.broken.append(number)
            elif line["type"] == "run":
                self.runs.append(line)
            else:
                self._note(bytes.fromhex(line["key"]), line, place)
        self._size = os.fstat(self._descriptor).st_size

    def _note(self, key: bytes, line: dict[str, Any], place: int) -> None:
        self.attempts[key] = self.attempts.get(key, 0) + 1
        self.tally.add(line)
        if line.get("status") in DATA:
            self._answers.setdefault(key, place)


def encode(line: dict[str, Any]) -> bytes:
    """Return a line of the log as bytes; half characters are escaped, everything else is plain UTF-8.

    Examples
    --------
    >>> encode({"content": "é"}).decode()
    '{"content": "é"}\\n'
    """
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line).encode() + b"\n"


def as_line(text: bytes) -> dict[str, Any] | None:
    """Return a line of a log, or None where it is neither a run's nor an attempt's.

    Examples
    --------
    >>> as_line(b'{"type": "run"}'), as_line(b"[1]"), as_line(b'{"type": "attempt", "key": "x"}')
    ({'type': 'run'}, None, None)
    """
    try:
        line = json.loads(text)
        if line["type"] == "run":
            return dict(line)
        bytes.fromhex(line["key"])
        whole = line["type"] == "attempt" and {"status", "item_id", "factors"} <= set(line)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return dict(line) if whole else None


def reply_of(line: dict[str, Any]) -> Reply:
    """Return the reply that a line of the log records."""
    return Reply(
        key=line["key"],
        status=line["status"],
        content=line.get("content") or "",
        refusal=line.get("refusal") or "",
        model=str(line.get("model_returned") or ""),
    )


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system: the one-process rule is then the user's
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        fix = "Wait until it has ended, or give this run a log of its own (-o)."
        raise InputError(Problem(message="another process is writing to this log", source=path.name, fix=fix)) from None


def _repair(descriptor: int) -> int:
    """Take off an unfinished last line and return its length in bytes."""
    end = os.fstat(descriptor).st_size
    place = end
    while place > 0:
        start = max(0, place - CHUNK)
        found = os.pread(descriptor, place - start, start).rfind(b"\n")
        if found >= 0:
            place = start + found + 1
            break
        place = start
    if place < end:
        os.ftruncate(descriptor, place)
    return end - place


def placed_lines(descriptor: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of every finished line."""
    place, number, rest = 0, 0, b""
    offset = 0
    while chunk := os.pread(descriptor, CHUNK, offset):
        offset += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            if line.strip():
                yield number, place, line
            place += len(line) + 1


def line_at(descriptor: int, place: int) -> bytes:
    """Return the line of a log that begins at a place, without its newline."""
    parts = []
    while chunk := os.pread(descriptor, 1 << 14, place):
        end = chunk.find(b"\n")
        if end >= 0:
            parts.append(chunk[:end])
            break
        parts.append(chunk)
        place += len(chunk)
    return b"".join(parts)
