"""What a run did so far: calls, answers by status, tokens; and one line on a terminal that shows it."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from socialstats_collect.ask import DATA


@dataclass(slots=True)
class Tally:
    """Counts over attempts; ``calls`` and ``tokens`` include those already in the log.

    ``units_done`` are this run's finished units, ``units_replayed`` those of them that needed no call, ``unread`` their
    rows whose answer could not be read, ``spent`` tokens by model and kind.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add({"status": "ok", "prompt_tokens": 9, "completion_tokens": 1, "model_returned": "m-1"})
    >>> tally.calls, tally.tokens, tally.by_status["ok"]
    (1, 10, 1)
    """

    calls: int = 0
    tokens: int = 0
    units_done: int = 0
    units_replayed: int = 0
    unread: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    models: Counter[tuple[str, str]] = field(default_factory=Counter)
    fingerprints: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, line: Mapping[str, Any]) -> None:
        """Count one attempt of the log."""
        self.calls += 1
        self.by_status[str(line.get("status"))] += 1
        self.tokens += sum(_whole(line.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        asked = str(line.get("model_requested"))
        for name in ("prompt_tokens", "completion_tokens"):
            self.spent[asked, name] += _whole(line.get(name))
        for name, counts in (("model_returned", self.models), ("system_fingerprint", self.fingerprints)):
            if line.get(name):
                counts[asked, str(line[name])] += 1
        if line.get("status") not in DATA:
            why = line.get("error_code") or line.get("error_type") or line.get("error_message") or ""
            self.errors[f"{line.get('status')} {line.get('http_status') or ''} {str(why)[:60]}".strip()] += 1

    @property
    def answers(self) -> int:
        """Attempts that ended in an answer of the model."""
        return sum(self.by_status[status] for status in DATA)

    @property
    def tokens_a_call(self) -> float:
        """Tokens that an answer took on average so far."""
        return self.tokens / self.answers if self.answers else 0.0

    def costs(self) -> list[str]:
        """Say what each model took in tokens."""
        models = dict.fromkeys(model for model, _ in self.spent)
        return [
            f"{model}: {self.spent[model, 'prompt_tokens']:,} tokens sent, "
            f"{self.spent[model, 'completion_tokens']:,} received"
            for model in models
        ]

    def changes(self) -> list[str]:
        """Say where a model answered under more than one name or fingerprint."""
        said = []
        for what, counts in (("name", self.models), ("fingerprint", self.fingerprints)):
            for asked in dict.fromkeys(model for model, _ in counts):
                found = [f"{name} ({n:,})" for (model, name), n in counts.items() if model == asked]
                if len(found) > 1:
                    said.append(f"{asked} answered under more than one {what}: {', '.join(found)}")
        return said


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


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
