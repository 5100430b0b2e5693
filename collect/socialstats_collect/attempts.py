"""Where each attempt stands in a log: 17 bytes an attempt, so that logs of millions of calls fit in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from socialstats_collect.ask import STATUSES, Status

MASK = (1 << 64) - 1


class AttemptIndex:
    """Places and statuses of the attempts of a log, by the key of their request.

    Keys are kept as hashes of 64 bits. Who reads a line compares its key, since two keys may share a hash.

    Examples
    --------
    >>> index = AttemptIndex()
    >>> for place, (key, status) in enumerate([("a", "timeout"), ("b", "ok"), ("a", "ok")]):
    ...     index.add(key, place, status)
    >>> index.entries("a"), index.entries("c")
    ([(0, 'timeout'), (2, 'ok')], [])
    >>> list(index)
    [(0, 'timeout'), (1, 'ok'), (2, 'ok')]
    """

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._places = array("Q")
        self._statuses = bytearray()
        # sorted hashes, and the order of the attempts by them; None where attempts were added since
        self._sorted: tuple[Any, Any] | None = None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield place and status of each attempt, in the order of the log."""
        for place, status in zip(self._places, self._statuses, strict=True):
            yield place, STATUSES[status]

    def add(self, key: str, place: int, status: Status) -> None:
        """Add an attempt at a request, which stands at a place of the log."""
        self._hashes.append(hash(key) & MASK)
        self._places.append(place)
        self._statuses.append(STATUSES.index(status))
        self._sorted = None

    def entries(self, key: str) -> list[tuple[int, str]]:
        """Return place and status of the attempts at a request, in the order of the log."""
        if self._sorted is None:
            hashes = np.array(self._hashes, dtype=np.uint64)
            order = np.argsort(hashes, kind="stable")
            self._sorted = hashes[order], order
        hashes, order = self._sorted
        wanted = np.uint64(hash(key) & MASK)
        first, past = (int(hashes.searchsorted(wanted, side)) for side in ("left", "right"))
        return [
            (self._places[at], STATUSES[self._statuses[at]]) for at in order[first:past].tolist()
        ]
