"""Independent pieces of work in two processes, where the system can fork and nothing else is running."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
ENGINES = {"duckdb", "polars", "pyspark", "dask"}
# fewer pieces of unknown size are not worth a process
LEAST = 4
# a copied process has it; while it is set, neither makes a third
_work: Callable[[int], Any] | None = None


def in_halves(work: Callable[[int], T], n: int, *, least: int = LEAST) -> list[T]:
    """Return ``[work(0), ..., work(n - 1)]``; a second process helps, from the last piece on, where that is safe.

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
    _work, pool = work, ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork"))
    try:
        # newer Pythons warn of the threads of linear algebra, which survive a copy
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            # the second process begins at the end, and this one at the start, until they meet
            sent = [pool.submit(_piece, i) for i in reversed(range(n))][::-1]
        # pieces that the second process has begun cannot be cancelled
        mine = {i: work(i) for i in range(n) if sent[i].cancel()}
        return [
            mine[i] if i in mine else work(i) if sent[i].exception() else sent[i].result()
            for i in range(n)
        ]
    finally:
        # a later call in the same process copies its own work
        _work = None
        pool.shutdown(cancel_futures=True)


def _piece(i: int) -> Any:
    """Do a piece in the copied process."""
    assert _work is not None
    return _work(i)


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
