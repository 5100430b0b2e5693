"""What a run did so far: calls, answers by status, tokens; and one line on a terminal that shows it."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TextIO

from socialstats.text import count
from socialstats_collect.ask import DATA


@dataclass(slots=True)
class Tally:
    """Counts over attempts; ``calls`` and ``tokens`` include those already in the log.

    ``units_done`` counts this run's finished units, ``units_replayed`` those that needed no call, ``unread`` their rows
    with an answer that was not parsed. ``spent`` counts tokens by model and kind, ``served`` answers by what served
    them.

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
    errors: Counter[str] = field(default_factory=Counter)
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)
    served: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    estimated: int = 0
    cost: float = 0.0

    def add(self, line: Mapping[str, Any]) -> None:
        """Count one attempt of the log."""
        self.calls += 1
        status, asked = str(line.get("status")), str(line.get("model_requested"))
        status = "blocked" if status == "content_filter" else status
        self.by_status[status] += 1
        estimate = line.get("tokens_estimated") or (0, 0)
        self.estimated += "tokens_estimated" in line
        for name, guess in zip(("prompt_tokens", "completion_tokens"), estimate, strict=True):
            self.spent[asked, name] += _whole(line.get(name)) or guess
        self.tokens = self.spent.total()
        self.cost += line.get("cost") or 0.0
        if status not in DATA:
            why = line.get("error_code") or line.get("error_type") or line.get("error_message") or ""
            self.errors[f"{status} {line.get('http_status') or ''} {str(why)[:60]}".strip()] += 1
            return
        self.days[str(line.get("t_start"))[:10]] += 1
        self.served.update((name, asked, str(line[name])) for name in COUNTED if line.get(name))

    @property
    def answers(self) -> int:
        """Attempts that ended in an answer of the model."""
        return sum(self.by_status[status] for status in DATA)

    @property
    def tokens_back(self) -> float:
        """Tokens that came back with an answer on average so far."""
        back = sum(n for (_, name), n in self.spent.items() if name == "completion_tokens")
        return back / self.answers if self.answers else 0.0

    @property
    def mean_cost(self) -> float:
        """Money that an answer took on average so far."""
        return self.cost / self.answers if self.answers else 0.0

    def costs(self) -> list[str]:
        """State what each model took in tokens, what was estimated of that, and what it cost."""
        said = [
            f"{model}: {self.spent[model, 'prompt_tokens']:,} tokens sent, "
            f"{self.spent[model, 'completion_tokens']:,} received"
            for model in dict.fromkeys(model for model, _ in self.spent)
        ]
        if self.estimated:
            said.append(f"{count(self.estimated, 'answer')} came without counts of tokens: theirs are estimated")
        return [*said, f"cost: {self.cost:.4g}"] if self.cost else said

    def changes(self) -> list[str]:
        """State where a model answered under more than one name or fingerprint, or from more than one endpoint."""
        said = []
        for kind, asked in dict.fromkeys((kind, asked) for kind, asked, _ in self.served):
            found = [f"{name} ({n:,})" for (*key, name), n in self.served.items() if key == [kind, asked]]
            if len(found) > 1:
                said.append(f"{asked} answered under more than one {COUNTED[kind]}: {', '.join(found)}")
        return said


COUNTED = {"model_returned": "name", "system_fingerprint": "fingerprint", "host": "endpoint"}
BYTES_A_TOKEN = 4  # a usual estimate, of UTF-8 text; byte-level tokenizers need at most one token a byte


@cache
def _encoding(model: str) -> Any:
    """The tokenizer of a model where tiktoken is installed and has it at hand, else None."""
    try:
        import tiktoken  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    for find, name in ((tiktoken.encoding_for_model, model), (tiktoken.get_encoding, "o200k_base")):
        try:
            return find(name)
        except Exception:  # it is not on this machine, and there may be no way to fetch it
            continue
    return None


def tokens_of(text: str, model: str) -> int:
    """Return about how many tokens a text has: counted by tiktoken where it is installed, else by its bytes.

    Examples
    --------
    >>> tokens_of("", "toy"), tokens_of("A or B?", "toy") > 0
    (0, True)
    """
    encoding = _encoding(model)
    if encoding is not None:
        return len(encoding.encode(text, disallowed_special=()))
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def money(price: Mapping[str, float] | None, line: Mapping[str, Any]) -> float | None:
    """Return what a call cost, by prices a million tokens; None without prices.

    Examples
    --------
    >>> money({"input": 1.0, "output": 2.0}, {"prompt_tokens": 500_000, "completion_tokens": 250_000})
    1.0
    """
    if price is None:
        return None
    sent, back = line.get("tokens_estimated") or (line.get("prompt_tokens", 0), line.get("completion_tokens", 0))
    return float(_whole(round(sent)) * price.get("input", 0.0) + _whole(round(back)) * price.get("output", 0.0)) / 1e6


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


EVERY, QUIET = 0.2, 60.0  # seconds between two lines, on a terminal and elsewhere


@dataclass(slots=True)
class Progress:
    """Writes over one line of a terminal, or one line per minute to anything else.

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
    _last: float = field(default_factory=time.monotonic)

    def __call__(self, tally: Tally) -> None:
        """Show the tally, at most five times a second on a terminal."""
        now, shown = time.monotonic(), self._terminal()
        if now - self._last < (EVERY if shown else QUIET):
            return
        self._last = now
        line = self.line(tally, now - self._start)
        room = shutil.get_terminal_size().columns - 1
        self.stream.write(f"\r\x1b[K{line[:room]}" if shown else f"{line}\n")
        self.stream.flush()

    def line(self, tally: Tally, seconds: float) -> str:
        """Return what is shown after so many seconds.

        Examples
        --------
        >>> import sys
        >>> tally = Tally(units_done=50, tokens=1200)
        >>> tally.by_status.update(ok=48, blocked=2)
        >>> Progress(sys.stderr, total=200).line(tally, 10.0)
        '50 of 200 units, 30 s left, 5.0 a second, 2 refused, 0 unread, 0 failed, 1,200 tokens'
        """
        rate = (tally.units_done - tally.units_replayed) / seconds if seconds > 0 else 0.0
        refused = tally.by_status["refusal"] + tally.by_status["blocked"]
        failed = sum(tally.by_status.values()) - tally.answers
        left = f"{_time((self.total - tally.units_done) / rate)} left" if rate else "time left unknown"
        return (
            f"{tally.units_done:,} of {self.total:,} units, {left}, {rate:.1f} a second, {refused:,} refused, "
            f"{tally.unread:,} unread, {failed:,} failed, {tally.tokens:,} tokens"
        )

    def close(self) -> None:
        """Leave the terminal's line clean."""
        if self._terminal():
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def _terminal(self) -> bool:
        """Only a terminal that can go back on its line is written over."""
        return self.stream.isatty() and os.environ.get("TERM") != "dumb"


def _time(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
