"""A run: workers that ask what is missing and write down every attempt, until all is answered or a limit is reached."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import platform
import signal
import time
import uuid
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

import socialstats
from socialstats.errors import InputError, MissingDependency, Problem
from socialstats.text import count
from socialstats_collect.ask import DATA, Ask, Reply, Unit, digest
from socialstats_collect.budget import Budget, BudgetSpent, Claim, most_tokens, prompt_tokens, spent
from socialstats_collect.endpoint import Door, Outcome, lost
from socialstats_collect.log import Log, reply_of
from socialstats_collect.protocols.base import Exchange, replay
from socialstats_collect.runfile import Endpoint, RunFile
from socialstats_collect.secrets import host_of
from socialstats_collect.tally import MOST, CallTally, money

if TYPE_CHECKING:
    from openai import AsyncOpenAI

UNREAD = ("ambiguous", "unparsed", "empty", "out_of_range")
SYNC_SECONDS = 1.0
IN_A_ROW = 20  # so many requests at fault, or calls that never connect, one after another: the run file is wrong
TEXT = "word " * 100  # stands for a reply where calls are only counted


@dataclass(slots=True)
class Run:
    """The state of one run.

    Parameters
    ----------
    runfile
        What to ask.
    log
        Open for appending.
    report
        Called after every attempt, with the tally.
    counts_unread
        Whether to read every reply at once, to count those that cannot be read.
    """

    runfile: RunFile
    log: Log
    report: Callable[[CallTally], None] = lambda _: None
    counts_unread: bool = False
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    stopped: str = ""
    fault: bool = False
    patient: bool = False
    shut: dict[str, str] = field(default_factory=dict)
    _talking: int = 0
    _last: bool = False
    _budget: Budget = field(init=False)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _clients: dict[Endpoint, AsyncOpenAI] = field(default_factory=dict)
    _doors: dict[Endpoint, Door] = field(default_factory=dict)
    _synced: float = 0.0
    _at_fault: int = 0

    def __post_init__(self) -> None:
        self._budget = Budget(self.runfile.limits, self.runfile.prices, self.tally)

    @property
    def tally(self) -> CallTally:
        """Counts over the whole log, and this run's units."""
        return self.log.tally

    def stop(self, why: str, *, fault: bool = False, patient: bool = False) -> None:
        """Start nothing more; calls under way are waited for and written down."""
        if not self.stopped:
            self.stopped, self.fault, self.patient = why, fault, patient
        self._stop.set()

    async def go(self) -> None:
        """Ask everything that is missing.

        Raises
        ------
        OSError
            When the log cannot be written; everything before is intact.
        """
        client_of = _client_module().client_of
        waiting, limits = self._ahead(self.runfile.design.units()), self.runfile.limits
        async with contextlib.AsyncExitStack() as stack:
            for endpoint in {self.runfile.endpoint_of(model) for model in self.runfile.models}:
                client = client_of(endpoint, endpoint.key(), limits)
                self._clients[endpoint] = await stack.enter_async_context(client)
                self._doors[endpoint] = Door(limits.requests_per_minute)
            with self._signals():
                try:
                    async with asyncio.TaskGroup() as group:
                        for _ in range(limits.concurrency):
                            group.create_task(self._work(waiting))
                except BaseExceptionGroup as several:
                    raise next(_leaves(several)) from None

    def _ahead(self, units: Iterator[Unit]) -> Iterator[Unit]:
        """Yield the units, and know when the last one begins."""
        unit = next(units, None)
        while unit is not None:
            following = next(units, None)
            self._last = following is None
            yield unit
            unit = following

    async def _work(self, waiting: Iterator[Unit]) -> None:
        for unit in waiting:
            if self._stop.is_set():
                return
            self._talking += 1
            await self._converse(unit)
            self._talking -= 1

    async def _converse(self, unit: Unit) -> None:
        conversation = self.runfile.design.protocol.conversation(unit)
        ask = next(conversation, None)
        exchanges: list[Exchange] = []
        calls = 0
        while ask is not None:
            reply = self.log.reply(ask.key)
            calls += reply is None
            reply = reply or await self._fetch(unit, ask)
            if reply is None:
                return
            exchanges.append((ask, reply))
            try:
                ask = conversation.send(reply)
            except StopIteration:
                break
        self.tally.units_done += 1
        self.tally.units_replayed += not calls
        if self.counts_unread:
            rows = self.runfile.design.protocol.rows(unit, exchanges)
            self.tally.unread += sum(row["answer_status"] in UNREAD for row in rows)

    async def _fetch(self, unit: Unit, ask: Ask) -> Reply | None:
        """Ask until there is an answer, the request has used up its attempts, or patience or a budget ends."""
        limits, endpoint = self.runfile.limits, self.runfile.endpoint_of(ask.model)
        door, number, own = self._doors[endpoint], len(self.log.entries(ask.key)), 0
        while own < limits.attempts and ask.model not in self.shut:
            if (claim := await self._admitted(door, ask)) is None:
                return None
            started = asyncio.get_running_loop().time()
            number += 1
            outcome = await self._attempt(unit, ask, number, claim)
            if outcome.status in DATA:
                door.answered(started)
                self._at_fault = 0
                return reply_of(
                    {
                        "key": ask.key,
                        "status": outcome.status,
                        "content": outcome.content,
                        "refusal": outcome.refusal,
                        **outcome.detail,
                    }
                )
            self._hopeless(ask, outcome)
            if outcome.own:
                return None
            own += not outcome.shared or (
                self._alone(door, started) and (outcome.http_status or 0) >= 500
            )
            if outcome.shared:
                door.failed(outcome.retry_after, started)
                self._patience(door, outcome)
            elif (
                outcome.status == "timeout" and not self.tally.answers and self._again() >= IN_A_ROW
            ):
                self.stop(
                    f"{self._at_fault} attempts in a row failed ({outcome.words})", fault=True
                )
            elif own < limits.attempts:
                await self._unless_stopped(asyncio.sleep(min(10.0, 0.5 * 2.0**own)))
        return None

    def _alone(self, door: Door, started: float) -> bool:
        """Whether the endpoint answers others, or no other is left: then a failure of its own is the request's."""
        return door.latest > started or (self._last and self._talking == 1 and door.latest > 0.0)

    def _patience(self, door: Door, outcome: Outcome) -> None:
        """Stop where an endpoint has had no time for longer than the run has patience, or says that it will not."""
        limits = self.runfile.limits
        wait = outcome.retry_after or 0.0
        if wait > min(limits.max_wait, limits.patience):
            self.stop(
                f"the endpoint asks to wait {wait:,.0f} s ({outcome.words}): run again later",
                patient=True,
            )
        elif door.failing > limits.patience:
            self.stop(
                f"no answer for {door.failing:,.0f} s, the run's patience ({outcome.words}): run again later",
                patient=True,
            )
        elif (
            not self.tally.answers and outcome.status == "connection" and self._again() >= IN_A_ROW
        ):
            self.stop(f"{self._at_fault} attempts in a row failed ({outcome.words})", fault=True)

    def _again(self) -> int:
        self._at_fault += 1
        return self._at_fault

    def _hopeless(self, ask: Ask, outcome: Outcome) -> None:
        """Give up a model that an endpoint does not know, an endpoint that takes no key, or a run file at fault."""
        why, alone = lost(outcome)
        if why:
            endpoint = self.runfile.endpoint_of(ask.model)
            gone = [
                one
                for one in self.runfile.models
                if one == ask.model or (not alone and self.runfile.endpoint_of(one) == endpoint)
            ]
            self.shut |= dict.fromkeys(gone, f"{why} ({outcome.words})")
            if set(self.shut) >= set(self.runfile.models):
                self.stop(self.shut[ask.model], fault=True)
        elif outcome.own and self._again() >= IN_A_ROW and not self.tally.answers:
            self.stop(f"{self._at_fault} attempts in a row failed ({outcome.words})", fault=True)

    async def _admitted(self, door: Door, ask: Ask) -> Claim | None:
        """Return the claim of a call when it may be sent; None where the run stops before."""
        claim = None
        while claim is None:
            await self._unless_stopped(door.opened())
            if self._stop.is_set():
                return None
            try:
                claim = self._budget.claim(ask)
            except BudgetSpent as reason:
                self.stop(str(reason))
                return None
            await self._unless_stopped(door.wait() if claim else self._budget.change())
        if self._stop.is_set():
            self._budget.free(claim)
            return None
        return claim

    async def _attempt(self, unit: Unit, ask: Ask, number: int, claim: Claim) -> Outcome:
        """Write down that a call is sent, make it, and write down what came back."""
        start, began = datetime.now(UTC), time.perf_counter()
        try:
            self.log.append(
                {
                    "type": "call",
                    "run_id": self.run_id,
                    "key": ask.key,
                    "attempt": number,
                    "model_requested": ask.model,
                    "tokens_at_most": claim.tokens,
                    "cost_at_most": claim.cost,
                }
            )
            endpoint = self.runfile.endpoint_of(ask.model)
            client = self._clients[endpoint]
            send_ask = _client_module().send_ask
            outcome: Outcome = await send_ask(client, ask, endpoint, self.runfile.raw)
            line = self._line(unit, ask, outcome, number, start, time.perf_counter() - began, claim)
            self.log.append(line)
        finally:
            self._budget.free(claim)
        self._check_costs(unit, ask, outcome, line)
        self.report(self.tally)
        if began - self._synced > SYNC_SECONDS:
            self._synced = began
            self.log.sync()
        return outcome

    def _check_costs(self, unit: Unit, ask: Ask, outcome: Outcome, line: Mapping[str, Any]) -> None:
        """Stop where a reply does not say what it took, and a limit asks for it; or says what is no amount."""
        if wrong := line.get("usage_wrong"):
            why = f"the reply to '{unit.name}' ({ask.step}) reports {wrong}: not a finite number of at least 0"
            why += f", or more than {MOST:.0e}"
            way = "Set trust_usage = false in [endpoint] to count estimated tokens, and money by [prices]"
            self.stop(f"{why}. {way}", fault=True)
        if self.runfile.limits.max_cost is not None and outcome.billed and "cost" not in line:
            why = f"limits.max_cost cannot be held: neither the endpoint nor [prices] says what '{ask.model}' costs"
            self.stop(why, fault=True)

    def _line(
        self,
        unit: Unit,
        ask: Ask,
        outcome: Outcome,
        number: int,
        start: datetime,
        seconds: float,
        claim: Claim,
    ) -> dict[str, Any]:
        """One line of the log: everything needed to know what was asked and what came back."""
        line: dict[str, Any] = {
            "type": "attempt",
            "run_id": self.run_id,
            "key": ask.key,
            "parent": ask.parent,
            "step": ask.step,
            "item_id": unit.item_id,
            "factors": dict(unit.factors),
            "replicate": unit.replicate,
            "attempt": number,
            "status": outcome.status,
            "content": outcome.content,
            "refusal": outcome.refusal or None,
            "model_requested": ask.model,
            "parameters": dict(ask.parameters),
            "host": host_of(self.runfile.endpoint_of(ask.model).base_url),
            "http_status": outcome.http_status,
            "retry_after_s": outcome.retry_after,
            "t_start": start.isoformat(),
            "t_end": datetime.now(UTC).isoformat(),
            "latency_s": round(seconds, 4),
            "prompt_sha256": digest([dict(message) for message in ask.messages]),
            **outcome.detail,
        }
        if number == 1:
            line["messages"] = [dict(message) for message in ask.messages]
        line |= spent(ask, outcome, self.runfile.prices.get(ask.model), claim)
        return {name: value for name, value in line.items() if value is not None}

    async def _unless_stopped(self, waiting: Any) -> None:
        """Wait, but no longer than the run goes on."""
        task, stop = asyncio.ensure_future(waiting), asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        for one in (task, stop):
            one.cancel()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C, a polite kill or a closed terminal stop the run after the calls under way; a second one at once."""
        loop = asyncio.get_running_loop()
        main = asyncio.current_task()

        def interrupted() -> None:
            if self._stop.is_set() and main is not None:
                main.cancel()
            self.stop("interrupted")

        several = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for one in several:
            loop.add_signal_handler(one, interrupted)
        try:
            yield
        finally:
            for one in several:
                loop.remove_signal_handler(one)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, at any depth."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


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


def survey(
    runfile: RunFile, reply_to: Callable[[str], Reply | None], *, estimate: bool = False
) -> Work:
    """Walk through the whole design once, without any call.

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
    work, protocol = Work(), runfile.design.protocol
    first = array("Q")
    for unit in runfile.design.units():
        exchanges, ask = replay(protocol, unit, reply_to)
        if (begins := exchanges[0][0] if exchanges else ask) is None:
            continue
        work.units += 1
        first.append(int(begins.key[:16], 16))
        work.finished += ask is None
        work.begun += bool(exchanges) and ask is not None
        if estimate and ask is not None:
            _estimate(runfile, unit, reply_to, work)
    if len(np.unique(np.frombuffer(first, dtype=np.uint64))) < len(first):
        raise InputError(list(_twice(runfile, reply_to)))
    return work


def _estimate(
    runfile: RunFile, unit: Unit, reply_to: Callable[[str], Reply | None], work: Work
) -> None:
    protocol = runfile.design.protocol
    known = len(replay(protocol, unit, reply_to)[0])
    supposed = replay(
        protocol, unit, lambda key: reply_to(key) or Reply(key=key, status="ok", content=TEXT)
    )[0]
    for ask, _ in supposed[known:]:
        most = most_tokens(ask)
        work.calls += 1
        sent = prompt_tokens(ask)
        work.sent, work.back = work.sent + sent, work.back + (most or 0)
        work.bytes_sent += sum(
            len(message["content"].encode("utf-8", "replace")) for message in ask.messages
        )
        work.unbounded = work.unbounded or most is None
        work.cost += money(runfile.prices.get(ask.model), sent, most or 0) or 0.0


def _twice(runfile: RunFile, reply_to: Callable[[str], Reply | None]) -> Iterator[Problem]:
    """Name units that ask the very same thing as an earlier one."""
    seen: dict[str, str] = {}
    for unit in runfile.design.units():
        exchanges, ask = replay(runfile.design.protocol, unit, reply_to)
        if (begins := exchanges[0][0] if exchanges else ask) is None:
            continue
        if begins.key in seen:
            fix = "Take one of them out; to ask a question more than once, use replicates."
            message = f"'{unit.name}' asks the very same as '{seen[begins.key]}'"
            yield Problem(message=message, source=runfile.design.source, fix=fix)
        seen.setdefault(begins.key, unit.name)


def _client_module() -> Any:
    """Return the module that makes requests; only a run needs its packages.

    Raises
    ------
    MissingDependency
        Where they are not installed.
    """
    try:
        from socialstats_collect import client
    except ImportError:
        raise MissingDependency(
            "collecting needs openai: pip install 'socialstats[collect]'"
        ) from None
    return client


def versions() -> Mapping[str, str]:
    """Return the versions of what makes the requests, as far as it is installed."""
    found = {"socialstats": socialstats.__version__, "python": platform.python_version()}
    for name in ("openai", "httpx2"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found
