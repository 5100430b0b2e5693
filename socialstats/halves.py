"""Independent pieces of work in two processes, where the system can fork and nothing else is running."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from typing import Any, TypeVar

T = TypeVar("T")
ENGINES = {"duckdb", "polars", "pyspark", "dask"}
# fewer pieces of unknown size are not worth a process
LEAST = 4
# CPU seconds that it takes a process to load the packages of another kind of pieces
LOADING = 0.7
# pieces of a process in which it loads them
LOADED = 2
# seconds between two looks at what the other process has done
PAUSE = 0.002
# a copied process has it; while it is set, neither makes a third
_work: Callable[[int], Any] | None = None


def in_halves(
    work: Callable[[int], T], n: int, *, least: int = LEAST, border: int | None = None
) -> list[T]:
    """Return ``[work(0), ..., work(n - 1)]``; a second process helps, from the last piece on, where that is safe.

    From piece `border` on the work is of another kind. A process leaves the kind that it began with only where half of
    the other pieces take longer than loading their packages.

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
    left = PiecesLeft(fork, n, border)
    receiver, sender = fork.Pipe(duplex=False)
    second = fork.Process(target=_send_from_the_end, args=(work, left, sender), daemon=True)
    # a copy has it too, and makes no third process
    _work = work
    try:
        # newer Pythons warn of the threads of linear algebra, which survive a copy
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            second.start()
        # the end of the second process is then the end of what it sends
        sender.close()
        pieces = {i: work(i) for i in left.from_the_start(second.is_alive)}
        pieces |= _received(receiver)
        return [pieces[i] if i in pieces else work(i) for i in range(n)]
    finally:
        # a later call in the same process copies its own work
        _work = None
        receiver.close()
        second.kill()
        second.join()


class PiecesLeft:
    """The pieces that neither of two processes has begun, and what a piece of its kind costs each of them.

    Attributes
    ----------
    border : int
        The first piece of the other kind; -1 where all pieces are of one kind.
    ends : shared array of two int
        The first piece that is left, and the one after the last.
    costs : shared array of four float
        For the process that goes from the start, and for the one from the end: CPU seconds of its pieces, and how many
        they are. Its first pieces are left out, as they load the packages.
    """

    def __init__(self, fork: ForkContext, n: int, border: int | None) -> None:
        self.border = -1 if border is None else border
        self.ends: Any = fork.Array("l", [0, n])
        self.costs: Any = fork.Array("d", [0.0, 0.0, 0.0, 0.0])

    def from_the_start(self, is_second_alive: Callable[[], bool]) -> Iterator[int]:
        """Yield the pieces that the first process begins, until the other has taken the rest.

        At the border it waits until the other has no piece left, or is so slow that the first had better help.
        """
        done = 0
        while True:
            while self.is_left_alone() and is_second_alive():
                time.sleep(PAUSE)
            with self.ends.get_lock():
                piece, end = self.ends
                if piece >= end or (piece == self.border and not self.is_worth(end - piece, 2)):
                    return
                self.ends[0] = piece + 1
            began = time.process_time()
            yield piece
            done += 1
            if done > LOADED and piece < self.border:
                self.add_cost(0, time.process_time() - began)

    def from_the_end(self) -> Iterator[int]:
        """Yield the pieces that the second process begins, from the last on."""
        done = 0
        while True:
            with self.ends.get_lock():
                start, end = self.ends
                if start >= end or (end == self.border and not self.is_worth(end - start, 0)):
                    return
                self.ends[1] = end - 1
            began = time.process_time()
            yield end - 1
            done += 1
            if done > LOADED and end > self.border:
                self.add_cost(2, time.process_time() - began)

    def is_left_alone(self) -> bool:
        """Return whether the first process has done its kind, and the rest is not worth its help so far."""
        start, end = self.ends
        return start == self.border < end and not self.is_worth(end - start, 2)

    def add_cost(self, place: int, seconds: float) -> None:
        """Count a piece of a process, whose numbers begin at a place of `costs`."""
        with self.costs.get_lock():
            self.costs[place] += seconds
            self.costs[place + 1] += 1

    def is_worth(self, n: int, place: int) -> bool:
        """Return whether half of the `n` pieces of the other process take longer than loading their packages."""
        seconds, pieces = self.costs[place : place + 2]
        return bool(pieces > 0 and n / 2 * seconds / pieces > LOADING)


def _send_from_the_end(work: Callable[[int], Any], left: PiecesLeft, sender: Connection) -> None:
    """Do pieces from the last on in the copied process, and send what came of them when none is left.

    A pipe holds few bytes: a result that is sent before the first process listens would keep this one waiting.
    """
    pieces = {}
    for piece in left.from_the_end():
        try:
            pieces[piece] = pickle.dumps(work(piece))
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
