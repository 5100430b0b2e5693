"""One line on a terminal while a run goes on: done, rate, refusals, failures, tokens, time left."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass, field
from typing import TextIO

from socialstats_collect.tally import Tally

EVERY = 0.2  # seconds between two lines


@dataclass(slots=True)
class Progress:
    """Writes over one line of a terminal; writes nothing anywhere else.

    Parameters
    ----------
    stream
        Where to; usually stderr.
    total
        Units of the run.
    """

    stream: TextIO
    total: int
    _start: float = field(default_factory=time.monotonic)
    _last: float = 0.0

    def __call__(self, tally: Tally) -> None:
        """Show the tally, at most five times a second."""
        now = time.monotonic()
        if now - self._last < EVERY or not self._shown():
            return
        self._last = now
        room = shutil.get_terminal_size().columns - 1
        self.stream.write(f"\r\x1b[K{self.line(tally, now - self._start)[:room]}")
        self.stream.flush()

    def line(self, tally: Tally, seconds: float) -> str:
        """Return what is shown after so many seconds.

        Examples
        --------
        >>> import sys
        >>> tally = Tally(units_done=50, tokens=1200)
        >>> tally.by_status.update(ok=48, refusal=2)
        >>> Progress(sys.stderr, total=200).line(tally, 10.0)
        '50 of 200 units, 5.0 a second, 2 refusals, 0 unread, 0 failed attempts, 1,200 tokens, 30 s left'
        """
        rate = (tally.units_done - tally.units_replayed) / seconds if seconds > 0 else 0.0
        refused = tally.by_status["refusal"] + tally.by_status["content_filter"]
        failed = sum(tally.by_status.values()) - tally.answers
        left = f"{_time((self.total - tally.units_done) / rate)} left" if rate else "time left unknown"
        return (
            f"{tally.units_done:,} of {self.total:,} units, {rate:.1f} a second, {refused:,} refusals, "
            f"{tally.unread:,} unread, {failed:,} failed attempts, {tally.tokens:,} tokens, {left}"
        )

    def close(self) -> None:
        """Leave the terminal's line clean."""
        if self._shown():
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def _shown(self) -> bool:
        """Only a terminal that can go back on its line shows progress."""
        return self.stream.isatty() and os.environ.get("TERM") != "dumb"


def _time(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
