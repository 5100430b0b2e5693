"""A run: what is missing, whether the log belongs to it, and workers that ask and write down every attempt."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import platform
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from socialstats.errors import InputError, Problem
from socialstats.text import count
from socialstats_collect.ask import DATA, Ask, Reply, Unit, digest
from socialstats_collect.endpoint import Backoff, Outcome, Pacer, again, attempt, fatal, open_client
from socialstats_collect.items import units
from socialstats_collect.log import Log
from socialstats_collect.parse import VERSION
from socialstats_collect.protocols.base import Exchange, replay
from socialstats_collect.runfile import Endpoint, RunFile
from socialstats_collect.tally import Tally

if TYPE_CHECKING:
    import openai


UNREAD = ("ambiguous", "unparsed", "empty", "out_of_range")
SYNC_SECONDS = 1.0
IN_A_ROW = 20  # so many failures one after another, and no answer for a while: nobody is there
SILENCE = 20.0  # seconds without an answer before that is said; at once where there never was one and nothing connects


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
    report: Callable[[Tally], None] = lambda _: None
    counts_unread: bool = False
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    stopped: str = ""
    fault: bool = False
    _flying: int = 0
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _clients: dict[Endpoint, openai.AsyncOpenAI] = field(default_factory=dict)
    _pacers: dict[str, Pacer] = field(default_factory=dict)
    _synced: float = 0.0
    _failed: int = 0
    _answered: float = field(default_factory=time.monotonic)

    @property
    def tally(self) -> Tally:
        """Counts over the whole log, and this run's units."""
        return self.log.tally

    def stop(self, why: str, *, fault: bool = False) -> None:
        """Start nothing more; calls under way are waited for and written down."""
        self.stopped = self.stopped or why
        self.fault = self.fault or fault
        self._stop.set()

    async def go(self) -> None:
        """Ask everything that is missing.

        Raises
        ------
        OSError
            When the log cannot be written; everything before is intact.
        """
        waiting = all_units(self.runfile)
        async with contextlib.AsyncExitStack() as stack:
            for model in [*self.runfile.factors["model"], *self.runfile.settings.judges]:
                await self._open(model, stack)
            with self._signals():
                await self._together(waiting)

    async def _open(self, model: str, stack: contextlib.AsyncExitStack) -> None:
        endpoint = self.runfile.endpoint_of(model)
        if endpoint in self._clients:
            return
        client = open_client(endpoint.base_url, endpoint.key(), connections=self.runfile.limits.concurrency)
        self._clients[endpoint] = await stack.enter_async_context(client)
        self._pacers.setdefault(endpoint.base_url, Pacer(per_minute=self.runfile.limits.requests_per_minute))

    async def _together(self, waiting: Iterator[Unit]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.runfile.limits.concurrency):
                    group.create_task(self._work(waiting))
        except BaseExceptionGroup as several:
            raise next(_leaves(several)) from None

    async def _work(self, waiting: Iterator[Unit]) -> None:
        for unit in waiting:
            if self._stop.is_set():
                return
            await self._converse(unit)

    async def _converse(self, unit: Unit) -> None:
        conversation = self.runfile.protocol.conversation(unit)
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
            rows = self.runfile.protocol.rows(unit, exchanges)
            self.tally.unread += sum(row["answer_status"] in UNREAD for row in rows)

    async def _fetch(self, unit: Unit, ask: Ask) -> Reply | None:
        """Ask until there is an answer, the attempts are used up, or the run stops."""
        limits = self.runfile.limits
        backoff = Backoff()
        for number in range(1, limits.attempts + 1):
            outcome = await self._attempt(unit, ask)
            if outcome is None:
                return None
            if outcome.status in DATA:
                self._failed, self._answered = 0, time.monotonic()
                return Reply(
                    key=ask.key, status=outcome.status, content=outcome.content, refusal=outcome.refusal,
                    model=str(outcome.detail.get("model_returned") or ""),
                )  # fmt: skip
            if why := fatal(outcome):
                self.stop(f"{why} ({_words(outcome)})", fault=True)
            self._nobody_there(outcome)
            if not again(outcome) or number == limits.attempts or self._stop.is_set():
                return None
            await self._pause(ask, outcome, backoff.pause(number))
        return None

    async def _attempt(self, unit: Unit, ask: Ask) -> Outcome | None:
        """Make one attempt when it may start, and write it down; None when the run has stopped or spent its budget."""
        endpoint = self.runfile.endpoint_of(ask.model)
        if not self._pacers[endpoint.base_url].open:
            await self._unless_stopped(self._pacers[endpoint.base_url].wait())
        if not self._may_call():
            return None
        self._flying += 1
        start, began = datetime.now(UTC), time.perf_counter()
        try:
            outcome = await attempt(self._clients[endpoint], ask, timeout=self.runfile.limits.timeout)
        finally:
            self._flying -= 1
        line = self._line(unit, ask, outcome, start, time.perf_counter() - began)
        self.log.append(line)
        self.report(self.tally)
        if began - self._synced > SYNC_SECONDS:
            self._synced = began
            self.log.sync()
        return outcome

    def _line(self, unit: Unit, ask: Ask, outcome: Outcome, start: datetime, seconds: float) -> dict[str, Any]:
        """One line of the log: everything needed to know what was asked and what came back."""
        number = self.log.attempts.get(bytes.fromhex(ask.key), 0) + 1
        line: dict[str, Any] = {
            "type": "attempt", "run_id": self.run_id, "key": ask.key, "parent": ask.parent, "step": ask.step,
            "item_id": unit.item_id, "factors": dict(unit.factors), "replicate": unit.replicate, "attempt": number,
            "status": outcome.status, "content": outcome.content, "refusal": outcome.refusal or None,
            "model_requested": ask.model, "parameters": dict(ask.parameters),
            "host": urlsplit(self.runfile.endpoint_of(ask.model).base_url).netloc,
            "http_status": outcome.http_status, "retry_after_s": outcome.retry_after,
            "t_start": start.isoformat(), "t_end": datetime.now(UTC).isoformat(), "latency_s": round(seconds, 4),
            "prompt_sha256": digest([dict(message) for message in ask.messages]),
            **outcome.detail,
        }  # fmt: skip
        if number == 1:
            line["messages"] = [dict(message) for message in ask.messages]
        return {name: value for name, value in line.items() if value is not None}

    async def _pause(self, ask: Ask, outcome: Outcome, pause: float) -> None:
        """Wait before the next attempt: as long as the endpoint asks (all workers with it), else a growing while."""
        if outcome.retry_after is None:
            return await self._unless_stopped(asyncio.sleep(pause))
        if outcome.retry_after > self.runfile.limits.max_wait:
            self.stop(
                f"the endpoint asks to wait {outcome.retry_after:,.0f} s, more than limits.max_wait "
                f"({self.runfile.limits.max_wait:g} s): run again later",
                fault=True,
            )
            return None
        self._pacers[self.runfile.endpoint_of(ask.model).base_url].close_for(outcome.retry_after)
        return None

    async def _unless_stopped(self, waiting: Any) -> None:
        """Wait, but no longer than the run goes on."""
        if self._stop.is_set():
            waiting.close()
            return
        task, stop = asyncio.ensure_future(waiting), asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        for one in (task, stop):
            one.cancel()

    def _may_call(self) -> bool:
        limits = self.runfile.limits
        if limits.max_calls is not None and self.tally.calls + self._flying >= limits.max_calls:
            self.stop(f"limits.max_calls ({limits.max_calls:,}) is reached, earlier runs of this log included")
        under_way = self._flying * self.tally.tokens_a_call
        if limits.max_tokens_total is not None and self.tally.tokens + under_way >= limits.max_tokens_total:
            self.stop(f"limits.max_tokens_total ({limits.max_tokens_total:,}) is reached, earlier runs included")
        return not self._stop.is_set()

    def _nobody_there(self, outcome: Outcome) -> None:
        """Stop after a long row of failures: a dead endpoint, or a run file whose every request is refused."""
        if outcome.http_status == 429:
            return
        self._failed += 1
        most = max(IN_A_ROW, 4 * self.runfile.limits.concurrency)
        never = not self.tally.answers and (outcome.status == "connection" or outcome.http_status == 400)
        quiet = time.monotonic() - self._answered > SILENCE
        if self._failed >= (IN_A_ROW if never else most) and (never or quiet):
            self.stop(f"{self._failed} attempts in a row failed ({_words(outcome)})", fault=True)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and a polite kill stop the run after the calls under way; a second one stops it at once."""
        loop = asyncio.get_running_loop()
        main = asyncio.current_task()

        def interrupted() -> None:
            if self._stop.is_set() and main is not None:
                main.cancel()
            self.stop("interrupted")

        for one in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(one, interrupted)
        try:
            yield
        finally:
            for one in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(one)


def all_units(runfile: RunFile) -> Iterator[Unit]:
    """Return the units of a run, one after another."""
    return units(
        runfile.items, runfile.factors, replicates=runfile.replicates, order=runfile.order,
        orders=runfile.protocol.orders, seed=runfile.seed, once=runfile.protocol.once,
    )  # fmt: skip


def _words(outcome: Outcome) -> str:
    said = outcome.detail.get("error_message") or outcome.detail.get("error_code") or outcome.status
    status = f"status {outcome.http_status}: " if outcome.http_status else ""
    return f"{status}{str(said)[:200]}"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, at any depth."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


TOKEN_CHARACTERS = 4  # a usual estimate for English text; other scripts need more tokens
SAME = ("protocol", "options", "texts", "system", "parameters", "judges", "judge_parameters")
SHOWN = 20


@dataclass(slots=True)
class Work:
    """What a run file asks for: units, those finished and begun on record, and a rough number of tokens to send."""

    units: int = 0
    finished: int = 0
    begun: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __str__(self) -> str:
        """Units, those finished, and those to ask."""
        begun = f" ({self.begun:,} of them begun)" if self.begun else ""
        left = self.units - self.finished
        return f"{count(self.units, 'unit')}, {self.finished:,} finished before, {left:,} to ask{begun}"


def survey(runfile: RunFile, reply_to: Callable[[str], Reply | None]) -> Work:
    """Walk through the whole design once, without any call.

    Parameters
    ----------
    runfile
        The run file.
    reply_to
        Function of a key that returns the reply on record.

    Raises
    ------
    InputError
        Where two units ask the very same thing: both are named.
    """
    work = Work()
    seen: dict[bytes, int] = {}
    problems: list[Problem] = []
    for place, unit in enumerate(all_units(runfile)):
        exchanges, ask = replay(runfile.protocol, unit, reply_to)
        first = exchanges[0][0] if exchanges else ask
        if first is None:
            continue
        work.units += 1
        key = bytes.fromhex(first.key)
        if key in seen:
            earlier = next(one for at, one in enumerate(all_units(runfile)) if at == seen[key])
            fix = "Take one of them out; to ask a question more than once, use replicates."
            message = f"'{unit.name}' asks the very same as '{earlier.name}'"
            problems.append(Problem(message=message, source=runfile.items.source, fix=fix))
            if len(problems) > SHOWN:
                break
        seen.setdefault(key, place)
        work.finished += ask is None
        work.begun += bool(exchanges) and ask is not None
        if exchanges or ask is None:
            continue
        work.prompt_tokens += sum(len(message["content"]) for message in ask.messages) // TOKEN_CHARACTERS
        most = ask.parameters.get("max_tokens", ask.parameters.get("max_completion_tokens", 0))
        work.completion_tokens += most if isinstance(most, int) else 0
    if problems:
        raise InputError(problems)
    return work


def header(runfile: RunFile, run_id: str, n_units: int) -> dict[str, Any]:
    """Return the line that opens a run in its log: enough to read the log without the run file; no key, no secret."""
    settings = runfile.settings
    return {
        "type": "run", "run_id": run_id, "started": datetime.now(UTC).isoformat(), "protocol": runfile.protocol.name,
        "options": dict(settings.options), "texts": dict(runfile.protocol.texts), "system": settings.system,
        "parameters": dict(settings.parameters), "judges": list(settings.judges),
        "judge_parameters": dict(settings.judge_parameters),
        "factors": {name: list(levels) for name, levels in runfile.factors.items()},
        "order": runfile.order, "orders": len(runfile.protocol.orders), "replicates": runfile.replicates,
        "seed": runfile.seed, "n_units": n_units, "run_file": runfile.name, "items": runfile.items.source,
        "items_sha256": runfile.items.sha256,
        "rows": list(zip(runfile.items.ids, map(dict, runfile.items.rows), strict=True)),
        "parser_version": VERSION, "versions": versions(),
    }  # fmt: skip


def versions() -> Mapping[str, str]:
    """Return the versions of what makes the requests."""
    import socialstats

    openai = importlib.metadata.version("openai")
    return {"socialstats": socialstats.__version__, "python": platform.python_version(), "openai": openai}


def belongs(log: Log, line: dict[str, Any]) -> list[str]:
    """Check that a log was begun by the same questions; return what changed without harm.

    The items are taken out of the line where the log's last run had the same.

    Raises
    ------
    InputError
        Where protocol, prompt or parameters differ: their answers would mix in one table.
    """
    if not log.runs:
        return []
    before = log.runs[-1]
    old, new = ({name: value for one in SAME for name, value in _named(one, run.get(one))} for run in (before, line))
    different = [name for name in {**old, **new} if digest(old.get(name)) != digest(new.get(name))]
    if different:
        was = "; ".join(f"{name} was {_short(old.get(name))}, is {_short(new.get(name))}" for name in different)
        fix = "Give the changed run a log of its own (-o)."
        raise InputError(
            Problem(message=f"this log was begun with other settings: {was}", source=log.path.name, fix=fix)
        )
    if before.get("items_sha256") != line["items_sha256"]:
        return ["the items changed since the last run: new and changed ones are asked, the table takes the newest text"]
    line.pop("rows")
    return []


def _named(name: str, value: object) -> list[tuple[str, object]]:
    return [(f"{name}.{key}", one) for key, one in value.items()] if isinstance(value, dict) else [(name, value)]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."
