"""What a run did so far: calls, answers by status, tokens; and one line on a terminal that shows it."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TextIO

from socialstats.text import count
from socialstats_collect.ask import DATA
from socialstats_collect.parse import printable

MOST = 1e15  # tokens, money, seconds or bytes: sums of such numbers are exact enough, and none is infinite


def amount(value: object) -> float | int | None:
    """Return a number of tokens, or of money, where it lies between 0 and `MOST`; else None.

    Examples
    --------
    >>> amount(0.5), amount(-5), amount("1"), amount(float("nan")), amount(True), amount(10**400)
    (0.5, None, None, None, None, None)
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST else None


@dataclass(slots=True)
class Costs:
    """What the calls of one model took, in tokens and money.

    Attributes
    ----------
    sent, back
        Tokens of all requests, and of all replies.
    counted
        Calls whose cost or tokens are on record.
    most_tokens, most_back, most_cost
        The largest of a single call: all tokens, those of the reply, money.
    cost
        Of all calls on record.
    unpriced_sent, unpriced_back
        Tokens of calls whose cost is not on record.
    unsettled_tokens, unsettled_cost
        The most that calls took of which no reply says what they took.
    unsettled_calls
        Such calls of which not even that is known.
    """

    sent: int = 0
    back: int = 0
    counted: int = 0
    most_tokens: int = 0
    most_back: int = 0
    most_cost: float = 0.0
    cost: float = 0.0
    unpriced_sent: int = 0
    unpriced_back: int = 0
    unsettled_tokens: int = 0
    unsettled_cost: float = 0.0
    unsettled_calls: int = 0

    def settle(self, sent: int, back: int, cost: float | None) -> None:
        """Count a call whose reply says what it took."""
        self.counted += 1
        self.most_tokens = max(self.most_tokens, sent + back)
        self.most_back = max(self.most_back, back)
        if cost is None:
            self.unpriced_sent += sent
            self.unpriced_back += back
        else:
            self.most_cost = max(self.most_cost, cost)
            self.cost += cost

    def suspect(self, line: Mapping[str, Any]) -> None:
        """Count a call that may have taken as much as its line says."""
        cost = amount(line.get("cost_at_most"))
        self.unsettled_tokens += math.ceil(amount(line.get("tokens_at_most")) or 0)
        self.unsettled_cost += cost or 0.0
        self.unsettled_calls += cost is None

    def at_most(self, price: Mapping[str, float] | None = None) -> float:
        """Return the most that the calls on record cost; a price counts for those whose cost is not on record."""
        unpriced = money(price, self.unpriced_sent, self.unpriced_back) or 0.0
        return self.cost + unpriced + self.unsettled_cost + self.unsettled_calls * self.most_cost


@dataclass(slots=True)
class CallTally:
    """Counts over attempts; ``calls`` and ``tokens`` include those already in the log.

    ``units_done`` counts this run's finished units, ``units_replayed`` those that needed no call, ``unread`` their rows
    with an answer that was not parsed. ``by_model`` has tokens and money, ``served`` answers by what served them.
    ``pending`` holds the lines of calls without an attempt on record: they are in progress, or a kill ended them.
    ``cut_off`` counts those of earlier runs, and ``unsettled`` the calls that may have been billed without a reply.

    Examples
    --------
    >>> tally = CallTally()
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
    served: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    estimated: int = 0
    unsettled: int = 0
    cut_off: int = 0
    by_model: defaultdict[str, Costs] = field(default_factory=lambda: defaultdict(Costs))
    pending: dict[tuple[str, ...], Mapping[str, Any]] = field(default_factory=dict)

    def begin(self, line: Mapping[str, Any]) -> None:
        """Note a call that is about to be sent."""
        self.pending[_call(line)] = line

    def drop(self, line: Mapping[str, Any]) -> None:
        """Forget a call: it was not sent, or its attempt is on record."""
        self.pending.pop(_call(line), None)

    def end_pending(self) -> None:
        """Count the calls without an attempt on record as calls that may have been billed."""
        for line in self.pending.values():
            self.cut_off += 1
            self.unsettled += 1
            self.by_model[str(line.get("model_requested"))].suspect(line)
        self.pending.clear()

    def add(self, line: Mapping[str, Any]) -> None:
        """Count one attempt of the log."""
        self.calls += 1
        self.drop(line)
        status, model = str(line.get("status")), str(line.get("model_requested"))
        self.by_status[status] += 1
        self._count(line, self.by_model[model])
        if status not in DATA:
            reasons = (line.get(f"error_{name}") for name in ("code", "type", "message"))
            why = str(next(filter(None, reasons), ""))
            self.errors[f"{status} {line.get('http_status') or ''} {why[:60]}".strip()] += 1
            return
        self.days[printable(str(line.get("t_start"))[:10])] += 1
        for name in COUNTED:
            if line.get(name):
                self.served[name, model, printable(str(line[name]))] += 1

    def _count(self, line: Mapping[str, Any], costs: Costs) -> None:
        """Count the tokens and the money of an attempt, or the most that it took."""
        guess = line.get("tokens_estimated")
        self.estimated += guess is not None
        guesses = guess if isinstance(guess, list) and len(guess) == 2 else (0, 0)
        reported = (line.get("prompt_tokens"), line.get("completion_tokens"))
        sent, back = (
            math.ceil(amount(number) or amount(other) or 0)
            for number, other in zip(reported, guesses, strict=True)
        )
        costs.sent += sent
        costs.back += back
        self.tokens += sent + back
        cost = amount(line.get("cost"))
        if "cost" in line and cost is None:  # version 0.1 kept any value that was reported
            costs.suspect({})
        if line.get("unsettled"):
            self.unsettled += 1
            costs.suspect(line)
        elif cost or sent + back:
            costs.settle(sent, back, cost)

    @property
    def answers(self) -> int:
        """Attempts that ended in an answer of the model."""
        return sum(self.by_status[status] for status in DATA)

    @property
    def cost(self) -> float:
        """Money that the calls on record took."""
        return sum(costs.cost for costs in self.by_model.values())

    def costs(self) -> list[str]:
        """State what each model took in tokens, what was estimated of that, and what it cost."""
        words = [
            f"{model}: {costs.sent:,} tokens sent, {costs.back:,} received"
            for model, costs in self.by_model.items()
        ]
        if self.estimated:
            answers = count(self.estimated, "answer")
            words.append(f"{answers} came without counts of tokens: theirs are estimated")
        if self.unsettled:
            calls = count(self.unsettled, "call")
            words.append(f"{calls} may have been billed without a reply; limits count them in full")
        if self.cost:
            words.append(f"cost: {self.cost:.4g}")
        return words

    def changes(self) -> list[str]:
        """State where a model answered under more than one name or fingerprint, or from more than one endpoint."""
        names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        # the commonest first
        for (kind, model, name), n in sorted(
            self.served.items(), key=lambda entry: (-entry[1], entry[0])
        ):
            names[kind, model].append(f"{name} ({n:,})")
        return [
            f"{model} answered under more than one {COUNTED[kind]}: {', '.join(several)}"
            for (kind, model), several in names.items()
            if len(several) > 1
        ]


def _call(line: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a call and its attempt have in common."""
    return tuple(str(line.get(name)) for name in ("run_id", "key", "attempt"))


COUNTED = {"model_returned": "name", "system_fingerprint": "fingerprint", "host": "endpoint"}
BYTES_A_TOKEN = (
    4  # a usual estimate, of UTF-8 text; byte-level tokenizers need at most one token a byte
)


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


def money(price: Mapping[str, float] | None, sent: float, back: float) -> float | None:
    """Return what tokens cost, by prices of a million; None without prices.

    Examples
    --------
    >>> money({"input": 1.0, "output": 2.0}, 500_000, 250_000)
    1.0
    """
    if price is None:
        return None
    return (sent * price.get("input", 0.0) + back * price.get("output", 0.0)) / 1e6


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

    def __call__(self, tally: CallTally) -> None:
        """Show the tally, at most five times a second on a terminal."""
        now, shown = time.monotonic(), self._terminal()
        if now - self._last < (EVERY if shown else QUIET):
            return
        self._last = now
        line = self.line(tally, now - self._start)
        room = shutil.get_terminal_size().columns - 1
        self.stream.write(f"\r\x1b[K{line[:room]}" if shown else f"{line}\n")
        self.stream.flush()

    def line(self, tally: CallTally, seconds: float) -> str:
        """Return what is shown after so many seconds.

        Examples
        --------
        >>> import sys
        >>> tally = CallTally(units_done=50, tokens=1200)
        >>> tally.by_status.update(ok=48, blocked=2)
        >>> Progress(sys.stderr, total=200).line(tally, 10.0)
        '50 of 200 units, 30 s left, 5.0 a second, 2 refused, 0 unread, 0 failed, 1,200 tokens'
        """
        rate = (tally.units_done - tally.units_replayed) / seconds if seconds > 0 else 0.0
        refused = tally.by_status["refusal"] + tally.by_status["blocked"]
        failed = sum(tally.by_status.values()) - tally.answers
        left = (
            f"{_time((self.total - tally.units_done) / rate)} left" if rate else "time left unknown"
        )
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
    rounded = max(0, round(seconds))
    if rounded < 120:
        return f"{rounded} s"
    minutes = rounded // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
