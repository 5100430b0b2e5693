"""Independent pieces of work in two processes, where the system can fork and nothing else is running."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
LEAST = 4  # fewer pieces of unknown size are not worth a process
_halved = False  # while two processes share a piece of work, neither makes a third


def in_halves(work: Callable[[int], T], n: int, *, least: int = LEAST) -> list[T]:
    """Return ``[work(0), ..., work(n - 1)]``; a second process helps, from the last piece on, where that is safe.

    Whatever the second process does not deliver (an exception, a value that cannot be sent) is done here again, so
    that results and errors are the same with one process and with two.

    Examples
    --------
    >>> in_halves(lambda i: i * i, 5)
    [0, 1, 4, 9, 16]
    """
    global _halved
    if n < least or processes() == 1:
        return [work(i) for i in range(n)]
    permits, reading, writing = _permits(n), *os.pipe()
    _halved = True
    child = _fork()
    if child == 0:
        _deliver(work, reversed(range(n)), permits, reading, writing)
    os.close(writing)
    mine: dict[int, T] = {}
    try:
        for i in _allowed(range(n), permits):
            mine[i] = work(i)
    finally:
        _halved = False
        os.close(permits)
        with open(reading, "rb") as stream:
            sent = stream.read()
        os.waitpid(child, 0)
    mine |= _received(sent)
    return [mine[i] if i in mine else work(i) for i in range(n)]


def processes() -> int:
    """Return in how many processes `in_halves` would work now: two, where this one may be copied, else one."""
    return 2 if not _halved and _alone() else 1


def _alone() -> bool:
    """Whether this process may be copied: Linux (elsewhere system libraries forbid it), two processors, one thread."""
    return sys.platform == "linux" and (os.cpu_count() or 1) > 1 and threading.active_count() == 1


def _fork() -> int:
    """Copy this process. Newer Pythons warn of threads of the linear algebra library, which survives a copy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _permits(n: int) -> int:
    """Return a pipe with one byte for each piece of work: who reads a byte may take a piece."""
    reading, writing = os.pipe()
    os.write(writing, bytes(n))
    os.close(writing)
    return reading


def _allowed(pieces: Iterable[int], permits: int) -> Iterator[int]:
    """Yield pieces as long as there are permits: from opposite ends, two processes never take the same one."""
    for i in pieces:
        if not os.read(permits, 1):
            return
        yield i


def _deliver(work: Callable[[int], Any], pieces: Iterable[int], permits: int, reading: int, writing: int) -> None:
    """In the copy: do the pieces, send what there is, and end without running anything of the original's ending."""
    try:
        os.close(reading)
        done: dict[int, Any] = {}
        with contextlib.suppress(Exception):
            for i in _allowed(pieces, permits):
                done[i] = work(i)
        with open(writing, "wb") as stream:
            stream.write(pickle.dumps(done))
    finally:
        os._exit(0)


def _received(sent: bytes) -> dict[int, Any]:
    try:
        return dict(pickle.loads(sent))
    except Exception:
        return {}
