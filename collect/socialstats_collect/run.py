"""A run: workers that ask what is missing and write down every attempt, until all is answered or a limit is reached."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import itertools
import platform
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import socialstats
from socialstats.errors import MissingDependency
from socialstats_collect.ask import DATA, Ask, Reply, Unit, digest
from socialstats_collect.budget import Budget, BudgetSpent, spent
from socialstats_collect.endpoint import Door, lost
from socialstats_collect.log import Log, reply_of
from socialstats_collect.protocols.base import replay
from socialstats_collect.replies import Outcome
from socialstats_collect.runfile import Endpoint, RunFile
from socialstats_collect.tally import MOST, CallTally

UNREAD = ("ambiguous", "unparsed", "empty", "out_of_range")
SYNC_SECONDS = 1.0
# exit codes: a limit is reached; the run file is at fault; an endpoint had no time for longer than the run's patience
STOPPED, BAD_INPUT, UNFINISHED, INTERRUPTED = 1, 2, 4, 130
IN_A_ROW = 20  # so many requests at fault, or calls that never connect, one after another: the run file is wrong
LONGEST_PAUSE = 10.0  # seconds between two attempts of a request that is alone at fault


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

    Attributes
    ----------
    stopped
        Why the run started nothing more; empty while it goes on.
    code
        The exit code that says so; 0 while it goes on.
    shut
        Models that were given up, and why.
    """

    runfile: RunFile
    log: Log
    report: Callable[[CallTally], None] = lambda _: None
    counts_unread: bool = False
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    stopped: str = ""
    code: int = 0
    shut: dict[str, str] = field(default_factory=dict)
    _talking: int = 0
    _last: bool = False
    _budget: Budget = field(init=False)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _doors: dict[Endpoint, Door] = field(default_factory=dict)
    _synced: float = 0.0
    _at_fault: int = 0

    def __post_init__(self) -> None:
        self._budget = Budget(self.runfile.limits, self.runfile.prices, self.tally)

    @property
    def tally(self) -> CallTally:
        """Counts over the whole log, and this run's units."""
        return self.log.tally

    def stop(self, why: str, code: int = STOPPED) -> None:
        """Start nothing more; calls under way are waited for and written down."""
        if not self.stopped:
            self.stopped, self.code = why, code
        self._stop.set()
        self._budget.wake()

    async def go(self) -> None:
        """Ask everything that is missing.

        Raises
        ------
        OSError
            When the log cannot be written; everything before is intact.
        """
        client_of = _client_module().client_of
        limits = self.runfile.limits
        async with contextlib.AsyncExitStack() as stack:
            for endpoint in {self.runfile.endpoint_of(model) for model in self.runfile.models}:
                client = client_of(endpoint, endpoint.key(), limits)
                await stack.enter_async_context(client)
                self._doors[endpoint] = Door(client, limits.requests_per_minute)
            self._heed_signals()
            # each unit with the one after it
            units = itertools.pairwise(itertools.chain(self.runfile.design.units(), [None]))
            try:
                async with asyncio.TaskGroup() as workers:
                    for _ in range(limits.concurrency):
                        workers.create_task(self._work(units))
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None

    def _heed_signals(self) -> None:
        """Stop at Ctrl-C, SIGTERM or a closed terminal after the calls in progress, and at a second signal at once."""
        loop, main = asyncio.get_running_loop(), asyncio.current_task()

        def interrupt() -> None:
            if self._stop.is_set() and main is not None:
                main.cancel()
            self.stop("interrupted", INTERRUPTED)

        # the loop forgets them when it closes
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, interrupt)

    async def _work(self, units: Iterator[tuple[Unit | None, Unit | None]]) -> None:
        for unit, following in units:
            if self._stop.is_set() or unit is None:
                return
            self._last = following is None
            self._talking += 1
            await self._converse(unit)
            self._talking -= 1

    async def _converse(self, unit: Unit) -> None:
        protocol = self.runfile.design.protocol
        replies: dict[str, Reply] = {}

        def reply_to(key: str) -> Reply | None:
            return replies.get(key) or self.log.reply(key)

        exchanges, ask = replay(protocol, unit, reply_to)
        self.tally.units_replayed += ask is None
        while ask is not None:
            reply = await self._fetch(unit, ask)
            if reply is None:
                return
            replies[ask.key] = reply
            exchanges, ask = replay(protocol, unit, reply_to)
        self.tally.units_done += 1
        if self.counts_unread:
            rows = protocol.rows(unit, exchanges)
            self.tally.unread += sum(row["answer_status"] in UNREAD for row in rows)

    async def _fetch(self, unit: Unit, ask: Ask) -> Reply | None:
        """Ask until there is an answer, the request has used up its attempts, or patience or a budget ends."""
        most = self.runfile.limits.attempts
        door = self._doors[self.runfile.endpoint_of(ask.model)]
        number, failures = len(self.log.entries(ask.key)), 0
        while failures < most and ask.model not in self.shut:
            number += 1
            call = await self._admitted(door, ask, number)
            if call is None:
                return None
            started = asyncio.get_running_loop().time()
            outcome, line = await self._attempt(unit, ask, call)
            if outcome.status in DATA:
                door.answered(started)
                return reply_of(line)
            self._give_up(ask, outcome)
            if outcome.own:
                return None
            if not outcome.shared or self._alone(door, started, outcome):
                failures += 1
            if outcome.shared:
                door.failed(outcome.retry_after, started)
                self._lose_patience(door, outcome)
                continue
            if outcome.status == "timeout":
                self._count_fault(outcome)
            if failures < most:
                await self._pause(min(LONGEST_PAUSE, 0.5 * 2.0**failures))
        return None

    def _alone(self, door: Door, started: float, outcome: Outcome) -> bool:
        """Return whether a failure is the request's: the endpoint answers others, or no other is left."""
        answers = door.latest > started
        last = self._last and self._talking == 1 and door.latest > 0.0
        return (answers or last) and (outcome.http_status or 0) >= 500

    def _lose_patience(self, door: Door, outcome: Outcome) -> None:
        """Stop where an endpoint has had no time for longer than the run has patience, or says that it will not."""
        limits, wait = self.runfile.limits, outcome.retry_after or 0.0
        later = f"({outcome.words}): run again later"
        if wait > min(limits.max_wait, limits.patience):
            self.stop(f"the endpoint asks to wait {wait:,.0f} s {later}", UNFINISHED)
        elif door.failing > limits.patience:
            why = f"no answer for {door.failing:,.0f} s, the run's patience {later}"
            self.stop(why, UNFINISHED)
        elif outcome.status == "connection":
            self._count_fault(outcome)

    def _count_fault(self, outcome: Outcome) -> None:
        """Stop where so many attempts failed, one after another, before any answer."""
        self._at_fault += 1
        if self._at_fault >= IN_A_ROW and not self.tally.answers:
            why = f"{self._at_fault} attempts in a row failed ({outcome.words})"
            self.stop(why, BAD_INPUT)

    def _give_up(self, ask: Ask, outcome: Outcome) -> None:
        """Give up a model that an endpoint does not know, an endpoint that takes no key, or a run file at fault."""
        why, alone = lost(outcome)
        models, endpoint = self.runfile.models, self.runfile.endpoint_of(ask.model)
        if why:
            there = [model for model in models if self.runfile.endpoint_of(model) == endpoint]
            gone = [ask.model] if alone else there
            self.shut |= dict.fromkeys(gone, f"{why} ({outcome.words})")
            if {*models} <= {*self.shut}:
                self.stop(self.shut[ask.model], BAD_INPUT)
        elif outcome.own:
            self._count_fault(outcome)

    async def _admitted(self, door: Door, ask: Ask, number: int) -> dict[str, Any] | None:
        """Return the line of a call when it may be sent; None where the run stops before."""
        call = None
        while not self._stop.is_set():
            if door.closed_for > 0.0:
                await self._pause(door.closed_for)
            elif call is not None:
                await self._pause(door.turn())
                if door.closed_for <= 0.0 and not self._stop.is_set():
                    return call
            else:
                try:
                    call = self._budget.claim(ask, run_id=self.run_id, key=ask.key, attempt=number)
                except BudgetSpent as reason:
                    self.stop(str(reason))
                    return None
                if call is None:
                    await self._budget.change()
        if call is not None:
            self._budget.free(call)
        return None

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stop.wait()

    async def _attempt(
        self, unit: Unit, ask: Ask, call: dict[str, Any]
    ) -> tuple[Outcome, dict[str, Any]]:
        """Write down that a call is sent, make it, and write down what came back."""
        endpoint = self.runfile.endpoint_of(ask.model)
        client, price = self._doors[endpoint].client, self.runfile.prices.get(ask.model)
        start, began = datetime.now(UTC), time.perf_counter()
        try:
            self.log.append({"type": "call", **call})
            outcome: Outcome = await _client_module().send_ask(
                client, ask, endpoint, self.runfile.raw
            )
            line: dict[str, Any] = {"type": "attempt"}
            line |= {name: call[name] for name in ("run_id", "key", "attempt", "model_requested")}
            line |= asked_columns(unit, ask, first=call["attempt"] == 1)
            line |= reply_columns(outcome)
            line |= {"host": self.runfile.design.hosts[ask.model], "t_start": start.isoformat()}
            line["t_end"] = datetime.now(UTC).isoformat()
            line["latency_s"] = round(time.perf_counter() - began, 4)
            line |= spent(ask, outcome, price, call)
            line = {name: value for name, value in line.items() if value is not None}
            self.log.append(line)
        finally:
            self._budget.free(call)
        self._check_costs(unit, ask, outcome, line)
        self.report(self.tally)
        if began - self._synced > SYNC_SECONDS:
            self._synced = began
            self.log.sync()
        return outcome, line

    def _check_costs(self, unit: Unit, ask: Ask, outcome: Outcome, line: Mapping[str, Any]) -> None:
        """Stop where a reply does not say what it took, and a limit asks for it; or says what is no amount."""
        if wrong := line.get("usage_wrong"):
            why = f"the reply to '{unit.name}' ({ask.step}) reports {wrong}: not a finite number of at least 0"
            why += f", or more than {MOST:.0e}"
            way = "Set trust_usage = false in [endpoint] to count estimated tokens, and money by [prices]"
            self.stop(f"{why}. {way}", BAD_INPUT)
        if self.runfile.limits.max_cost is not None and outcome.billed and "cost" not in line:
            why = f"limits.max_cost cannot be held: neither the endpoint nor [prices] says what '{ask.model}' costs"
            self.stop(why, BAD_INPUT)


def asked_columns(unit: Unit, ask: Ask, *, first: bool) -> dict[str, Any]:
    """Return what was asked, for a line of the log; the messages stand in that of the first attempt."""
    messages = [dict(message) for message in ask.messages]
    return {
        "parent": ask.parent,
        "step": ask.step,
        "item_id": unit.item_id,
        "factors": dict(unit.factors),
        "replicate": unit.replicate,
        "parameters": dict(ask.parameters),
        "prompt_sha256": digest(messages),
        "messages": messages if first else None,
    }


def reply_columns(outcome: Outcome) -> dict[str, Any]:
    """Return what came back, for a line of the log."""
    return {
        "status": outcome.status,
        "content": outcome.content,
        "refusal": outcome.refusal or None,
        "http_status": outcome.http_status,
        "retry_after_s": outcome.retry_after,
        **outcome.detail,
    }


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
    installed = {"socialstats": socialstats.__version__, "python": platform.python_version()}
    for name in ("openai", "httpx2"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed
