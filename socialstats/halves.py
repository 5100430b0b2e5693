"""Independent pieces of work in two processes, where the system can fork and nothing else is running."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
LEAST = 4  # fewer pieces are not worth a process


def in_halves(work: Callable[[int], T], n: int) -> list[T]:
    """Return ``[work(0), ..., work(n - 1)]``; a second process does every second piece where that is safe.

    Whatever the second process does not deliver (an exception, a value that cannot be sent) is done here again, so
    that results and errors are the same with one process and with two.

    Examples
    --------
    >>> in_halves(lambda i: i * i, 5)
    [0, 1, 4, 9, 16]
    """
    if n < LEAST or not _alone():
        return [work(i) for i in range(n)]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _deliver(work, range(1, n, 2), reading, writing)
    os.close(writing)
    mine: dict[int, T] = {}
    try:
        for i in range(0, n, 2):
            mine[i] = work(i)
    finally:
        with open(reading, "rb") as stream:
            sent = stream.read()
        os.waitpid(child, 0)
    mine |= _received(sent)
    return [mine[i] if i in mine else work(i) for i in range(n)]


def _alone() -> bool:
    """Whether this process may be copied: a system with fork, two processors, and no other thread."""
    return hasattr(os, "fork") and (os.cpu_count() or 1) > 1 and threading.active_count() == 1


def _deliver(work: Callable[[int], Any], pieces: range, reading: int, writing: int) -> None:
    """In the copy: do the pieces, send what there is, and end without running anything of the original's ending."""
    try:
        os.close(reading)
        done: dict[int, Any] = {}
        with contextlib.suppress(Exception):
            for i in pieces:
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
