"""What a run file asks for, and how much of it is left, without any call."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from socialstats.errors import InputError, Problem
from socialstats.text import count, quoted
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.budget import most_tokens, prompt_tokens
from socialstats_collect.design import RunDesign
from socialstats_collect.protocols.base import Exchange, replay
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
        Where two units ask the very same thing: both are named. For items that leave their question empty.
    """
    design, work, first = runfile.design, Work(), array("Q")
    if problems := [*blank_items(design)]:
        raise InputError(problems)
    for _, exchanges, following in replayed(design, reply_to):
        begins = exchanges[0][0] if exchanges else following
        if begins is None:
            continue
        work.units += 1
        first.append(int(begins.key[:16], 16))
        work.finished += following is None
        work.begun += bool(exchanges) and following is not None
    if len(np.unique(np.frombuffer(first, dtype=np.uint64))) < len(first):
        raise InputError([*repeated_units(design)])
    for ask in asks_ahead(design, reply_to) if estimate else ():
        work.add(ask, runfile)
    return work


def replayed(
    design: RunDesign, reply_to: ReplyTo
) -> Iterator[tuple[Unit, list[Exchange], Ask | None]]:
    """Yield each unit, its requests with their replies, and the next request; None where it is finished."""
    for unit in design.units():
        yield unit, *replay(design.protocol, unit, reply_to)


def asks_ahead(design: RunDesign, reply_to: ReplyTo) -> Iterator[Ask]:
    """Yield the requests that are left, as if every reply had its full length and none were readable."""

    def supposed(key: str) -> Reply:
        return reply_to(key) or Reply(key=key, status="ok", content=TEXT)

    for _, exchanges, _ in replayed(design, supposed):
        yield from (ask for ask, reply in exchanges if reply.content is TEXT)


def blank_items(design: RunDesign) -> Iterator[Problem]:
    """Yield a problem for each item without any text in the columns that its question names."""
    protocol = design.protocol
    units = {unit.item_id: unit for unit in design.units()}
    for unit in units.values():
        named = [name for name in protocol.columns if name in unit.item]
        if not named or any(unit.item[name].strip() for name in named):
            continue
        stripped = {name: text.strip() for name, text in unit.item.items()}
        emptied = dict.fromkeys(unit.item, "")
        first, of_nothing = (
            next(protocol.conversation(replace(unit, item=item))) for item in (stripped, emptied)
        )
        if first.messages == of_nothing.messages:
            fix = "Fill it in, or take the item out."
            message = (
                f"item '{unit.item_id}' has nothing in {quoted(named)}, which its question names"
            )
            yield Problem(message=message, source=design.source, fix=fix)


def repeated_units(design: RunDesign) -> Iterator[Problem]:
    """Yield a problem for each unit that asks the very same thing as an earlier one."""
    names: dict[str, str] = {}
    for unit, _, ask in replayed(design, lambda _: None):
        if ask is None:
            continue
        if ask.key in names:
            fix = "Take one of them out; to ask a question more than once, use replicates."
            message = f"'{unit.name}' asks the very same as '{names[ask.key]}'"
            yield Problem(message=message, source=design.source, fix=fix)
        names.setdefault(ask.key, unit.name)
