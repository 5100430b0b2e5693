"""What a run file asks for, and how much of it is left, without any call."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from socialstats.errors import InputError, Problem
from socialstats.text import count
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.budget import most_tokens, prompt_tokens
from socialstats_collect.protocols.base import replay
from socialstats_collect.runfile import RunFile
from socialstats_collect.tally import money

TEXT = "word " * 100  # stands for a reply where calls are only counted
ReplyTo = Callable[[str], Reply | None]
"""Returns the reply on record to the request of a key."""


@dataclass(slots=True)
class Work:
    """What a run file asks for: units, those finished and begun on record, and what is left, in calls and tokens."""

    units: int = 0
    finished: int = 0
    begun: int = 0
    calls: int = 0
    sent: int = 0
    bytes_sent: int = 0
    back: int = 0
    unbounded: bool = False
    cost: float = 0.0

    def __str__(self) -> str:
        """Units, those finished, and those to ask."""
        begun = f" ({self.begun:,} of them begun)" if self.begun else ""
        left = self.units - self.finished
        return f"{count(self.units, 'unit')}, {self.finished:,} finished before, {left:,} to ask{begun}"

    def add(self, ask: Ask, runfile: RunFile) -> None:
        """Count a call as if its reply had its full length."""
        most, sent = most_tokens(ask), prompt_tokens(ask)
        texts = [message["content"].encode("utf-8", "replace") for message in ask.messages]
        self.calls += 1
        self.sent += sent
        self.bytes_sent += sum(map(len, texts))
        self.back += most or 0
        self.unbounded = self.unbounded or most is None
        self.cost += money(runfile.prices.get(ask.model), sent, most or 0) or 0.0


def survey(runfile: RunFile, reply_to: ReplyTo, *, estimate: bool = False) -> Work:
    """Walk through the whole design once.

    Parameters
    ----------
    runfile
        The run file.
    reply_to
        Function of a key that returns the reply on record.
    estimate
        Count calls, tokens and money of what is left, as if every reply had its full length and none were readable.

    Raises
    ------
    InputError
        Where two units ask the very same thing: both are named.
    """
    work, first = Work(), array("Q")
    for _, asks, following in conversations(runfile, reply_to):
        begins = (*asks, following)[0]
        if begins is None:
            continue
        work.units += 1
        first.append(int(begins.key[:16], 16))
        work.finished += following is None
        work.begun += bool(asks) and following is not None
    if len(np.unique(np.frombuffer(first, dtype=np.uint64))) < len(first):
        raise InputError(list(repeated_units(runfile)))
    if estimate:
        for ask in asks_ahead(runfile, reply_to):
            work.add(ask, runfile)
    return work


def conversations(
    runfile: RunFile, reply_to: ReplyTo
) -> Iterator[tuple[Unit, list[Ask], Ask | None]]:
    """Yield each unit, its requests that have a reply, and the next one; None where it is finished."""
    for unit in runfile.design.units():
        exchanges, following = replay(runfile.design.protocol, unit, reply_to)
        yield unit, [ask for ask, _ in exchanges], following


def asks_ahead(runfile: RunFile, reply_to: ReplyTo) -> Iterator[Ask]:
    """Yield the requests that are left."""

    def supposed(key: str) -> Reply:
        return reply_to(key) or Reply(key=key, status="ok", content=TEXT)

    for _, asks, _ in conversations(runfile, supposed):
        yield from (ask for ask in asks if reply_to(ask.key) is None)


def repeated_units(runfile: RunFile) -> Iterator[Problem]:
    """Yield a problem for each unit that asks the very same thing as an earlier one."""
    names: dict[str, str] = {}
    for unit, _, ask in conversations(runfile, lambda _: None):
        if ask is None:
            continue
        if ask.key in names:
            fix = "Take one of them out; to ask a question more than once, use replicates."
            message = f"'{unit.name}' asks the very same as '{names[ask.key]}'"
            yield Problem(message=message, source=runfile.design.source, fix=fix)
        names.setdefault(ask.key, unit.name)
