"""Independent pieces of work in two processes, where the system can fork and nothing else is running."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")
ENGINES = {"duckdb", "polars", "pyspark", "dask"}
# fewer pieces of unknown size are not worth a process
LEAST = 4
# pieces of another kind that a process begins with: it first loads the packages that they need
SWITCH = 8
# a copied process has it; while it is set, neither makes a third
_work: Callable[[int], Any] | None = None


def in_halves(
    work: Callable[[int], T], n: int, *, least: int = LEAST, border: int | None = None
) -> list[T]:
    """Return ``[work(0), ..., work(n - 1)]``; a second process helps, from the last piece on, where that is safe.

    From piece `border` on the work is of another kind. A process leaves the kind that it began with only while several
    pieces of the other are left.

    What the second process does not deliver (an exception, a value that cannot be sent) is done here again. Therefore
    results and errors are the same with one process and with two.

    Examples
    --------
    >>> in_halves(lambda i: i * i, 5)
    [0, 1, 4, 9, 16]
    """
    global _work
    if n < least or processes() == 1:
        return [work(i) for i in range(n)]
    fork = multiprocessing.get_context("fork")
    # the pieces that neither process has begun
    left = fork.Array("l", [0, n])
    receiver, sender = fork.Pipe(duplex=False)
    second = fork.Process(target=_send_from_the_end, args=(work, left, border, sender), daemon=True)
    # a copy has it too, and makes no third process
    _work = work
    try:
        # newer Pythons warn of the threads of linear algebra, which survive a copy
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            second.start()
        # the end of the second process is then the end of what it sends
        sender.close()
        pieces = {i: work(i) for i in _from_the_start(left, border)}
        pieces |= _received(receiver)
        return [pieces[i] if i in pieces else work(i) for i in range(n)]
    finally:
        # a later call in the same process copies its own work
        _work = None
        receiver.close()
        second.kill()
        second.join()


def _from_the_start(left: Any, border: int | None) -> Iterator[int]:
    """Yield the pieces that this process begins, from the first on, until the other has taken the rest."""
    while True:
        with left.get_lock():
            start, end = left
            if start >= end or (start == border and end - start < SWITCH):
                return
            left[0] = start + 1
        yield start


def _send_from_the_end(
    work: Callable[[int], Any], left: Any, border: int | None, sender: Connection
) -> None:
    """Do pieces from the last on in the copied process, and send what came of them when none is left.

    A pipe holds few bytes: a result that is sent before the first process listens would keep this one waiting.
    """
    pieces = {}
    while True:
        with left.get_lock():
            start, end = left
            if start >= end or (end == border and end - start < SWITCH):
                break
            left[1] = end - 1
        try:
            pieces[end - 1] = pickle.dumps(work(end - 1))
        except Exception:
            # the first process does this piece again, and raises what it raises
            continue
    sender.send(pieces)


def _received(receiver: Connection) -> dict[int, Any]:
    """Return the pieces of the second process; none where it was ended."""
    try:
        return {i: pickle.loads(sent) for i, sent in receiver.recv().items()}
    except (EOFError, OSError):
        return {}


def processes() -> int:
    """Return in how many processes `in_halves` would work now: two, where this one may be copied, else one."""
    return 2 if _work is None and _alone() else 1


def _alone() -> bool:
    """Whether this process may be copied: Linux (elsewhere system libraries forbid it), two processors, one thread.

    The threads of engines do not survive a copy, which then waits for them for ever.
    """
    engines = ENGINES & sys.modules.keys()
    return (
        sys.platform == "linux"
        and (os.cpu_count() or 1) > 1
        and threading.active_count() == 1
        and not engines
    )
