"""Ceilings of calls, tokens and money hold, whatever the workers, the prices, the failures and the kills."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from socialstats_collect.ask import Ask
from socialstats_collect.budget import (
    DEAREST,
    LONGEST_REPLY,
    Budget,
    BudgetSpent,
    prompt_tokens,
)
from socialstats_collect.replies import response_outcome
from socialstats_collect.runfile import Limits
from socialstats_collect.tally import CallTally, Costs
from tests.collect.runs import attempts, collect, write_run
from tests.collect.server import Send, fails, says, serving

ANSWER = '{"Answer": "A"}'
Cost = Callable[[int, random.Random], float]
COSTS: dict[str, Cost] = {
    "equal": lambda k, rng: 0.5,
    "uniform": lambda k, rng: rng.uniform(0.01, 0.5),
    "two values": lambda k, rng: rng.choice((0.01, 0.5)),
    "rising": lambda k, rng: 0.01 * (k + 1),
    "falling": lambda k, rng: 5 / (k + 1),
    "free": lambda k, rng: 0.0 if k % 2 else 0.3,
}


def charged(cost: Any, *, tokens: int = 2, **more: Any) -> Send:
    body = {**json.loads(says(ANSWER).body), **more}
    body["usage"] = {
        "prompt_tokens": 0,
        "completion_tokens": tokens,
        **({} if cost is None else {"cost": cost}),
    }
    return Send(body=json.dumps(body).encode())


def run(
    folder: Path,
    cost: Cost,
    workers: int,
    *,
    n: int = 120,
    limits: str = "max_cost = 4.0",
    prices: str = "",
    fault: float = 0.0,
    tokens: bool = False,
) -> tuple[int, list[float]]:
    """Collect until a ceiling; return the exit code and what the endpoint billed, call by call."""
    lock, rng, billed = threading.Lock(), random.Random(1), list[float]()

    def script(_: dict[str, Any], before: int) -> Send:
        with lock:
            billed.append(cost(len(billed), rng))
            send = charged(None, tokens=int(billed[-1])) if tokens else charged(billed[-1])
            if rng.random() < fault:
                send = rng.choice(
                    [
                        Send(body=send.body, cut=True),
                        Send(body=send.body[:-9]),
                        charged(billed[-1], choices={}),
                    ]
                )
            send.delay = rng.uniform(0, 0.01)
        return send

    with serving(script) as server:
        path = write_run(folder, server.url, n=n, concurrency=workers, limits=limits, attempts=8)
        path.write_text(path.read_text().replace("[endpoint]", f"{prices}\n[endpoint]"))
        return collect(path), billed


@pytest.mark.parametrize("workers", [1, 8, 32])
@pytest.mark.parametrize("name", COSTS)
def test_reported_costs(name: str, workers: int, tmp_path: Path) -> None:
    code, billed = run(tmp_path, COSTS[name], workers)
    assert code in (0, 1)
    assert sum(billed) <= 4.0 + max(billed)
    assert code == 0 or sum(billed) >= 4.0 - 2 * max(billed)


@pytest.mark.parametrize("workers", [1, 8, 32])
@pytest.mark.parametrize("price", ["0.0", "0.001", "100000.0"])
def test_the_larger_of_price_and_cost_counts(price: str, workers: int, tmp_path: Path) -> None:
    prices = f"[prices.toy]\ninput = 0.0\noutput = {price}"
    code, billed = run(tmp_path, lambda k, rng: 0.1, workers, prices=prices)
    line = attempts(tmp_path / "run.toml")[0]
    priced = 2 * float(price) / 1e6
    assert (line["cost_reported"], line["cost_priced"], line["cost"]) == (
        0.1,
        priced,
        max(priced, 0.1),
    )
    assert len(billed) == (20 if priced > 0.1 else 40)
    assert code == 1


@pytest.mark.parametrize("workers", [1, 8, 32])
def test_costs_by_price_alone(workers: int, tmp_path: Path) -> None:
    prices = "[prices.toy]\ninput = 0.0\noutput = 10000.0"  # 0.01 a token
    code, billed = run(
        tmp_path, lambda k, rng: rng.randint(1, 20), workers, prices=prices, tokens=True
    )
    assert code == 1
    assert 3.6 <= sum(billed) / 100 <= 4.0 + max(billed) / 100


@pytest.mark.parametrize("workers", [1, 8, 32])
def test_failures_that_are_billed_count(workers: int, tmp_path: Path) -> None:
    code, billed = run(tmp_path, lambda k, rng: 0.1, workers, fault=0.3)
    assert code == 1
    assert sum(billed) <= 4.1
    lines = attempts(tmp_path / "run.toml")
    assert {line["status"] for line in lines} == {"ok", "connection", "malformed"}
    assert all(
        ("cost" in line) != ("cost_at_most" in line) or line["attempt"] == 1 for line in lines
    )


LOST = {
    "cut": Send(body=says(ANSWER).body, cut=True),
    "no JSON": Send(body=b"<html>"),
    "nothing": Send(),
}


@pytest.mark.parametrize("workers", [1, 32])
@pytest.mark.parametrize(
    ("limit", "most", "calls"),
    [
        ("max_cost = 1.0", 20, 2),
        ("max_cost = 0.1", 20, 1),
        ("max_cost = 1.0", None, 1),
        ("max_cost = 5000", None, 2),
        ("max_tokens_total = 1000", None, 1),
        ("max_tokens_total = 500_000", None, 2),
    ],
)
@pytest.mark.parametrize("name", LOST)
def test_calls_that_never_say_what_they_took(
    name: str,
    limit: str,
    most: int | None,
    calls: int,
    workers: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A second call is sent only where the first took no more than the limit, whatever it took."""
    with serving(lambda *_: LOST[name]) as server:
        path = write_run(tmp_path, server.url, n=30, concurrency=workers, limits=limit)
        path.write_text(
            path.read_text().replace(", max_tokens = 20", f", max_tokens = {most}" if most else "")
        )
        assert [collect(path), collect(path)] == [1, 1]
        assert server.seen.total() == calls
    lost = "1 call" if calls == 1 else "2 calls"
    assert (
        f"{limit.partition(' ')[0]} cannot be held: {lost} to 'toy' may have been billed"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("name", "price"), [("max_tokens_total", 1.0), ("max_cost", DEAREST / 1e6)]
)
def test_a_lost_call_that_took_the_limit_at_most_may_be_followed_by_one(
    name: str, price: float
) -> None:
    ask = Ask(model="a", messages=({"role": "user", "content": "x" * 40},), parameters={})
    lost = {
        "run_id": "r",
        "key": "k",
        "attempt": 1,
        "model_requested": "a",
        "status": "timeout",
        "prompt_tokens": None,
        "unsettled": True,
        "tokens_at_most": None,
        "cost_at_most": None,
    }

    def claim(limit: float) -> object:
        tally = CallTally()
        tally.add(lost)
        limits: dict[str, Any] = {name: limit}
        return Budget(Limits(**limits), {}, tally).claim(ask)

    worst = price * (prompt_tokens(ask) + LONGEST_REPLY)
    assert claim(worst) is not None
    with pytest.raises(
        BudgetSpent, match=f"{name} cannot be held: 1 call to 'a' may have been billed"
    ):
        claim(worst - price)


@pytest.mark.parametrize("workers", [1, 8, 32])
@pytest.mark.parametrize("most", [20, 200])
def test_tokens(most: int, workers: int, tmp_path: Path) -> None:
    """The run file asks for 20 tokens at most; some endpoints return more."""
    code, billed = run(
        tmp_path,
        lambda k, rng: rng.randint(1, most),
        workers,
        limits="max_tokens_total = 700",
        tokens=True,
    )
    assert code == 1
    assert sum(billed) <= 700 + max(billed)
    assert sum(billed) >= 700 - 2 * max(29, *billed)


@pytest.mark.parametrize("workers", [1, 8, 32])
def test_calls_are_never_exceeded(workers: int, tmp_path: Path) -> None:
    with serving(lambda *_: fails(400) if workers % 2 else says(ANSWER)) as server:
        path = write_run(
            tmp_path, server.url, n=60, concurrency=workers, limits="max_calls = 7", patience=60.0
        )
        assert collect(path) == 1
        assert collect(path) == 1
        assert server.seen.total() == 7


def test_without_a_price_the_first_call_goes_alone(tmp_path: Path) -> None:
    active, most = [0], [0]
    lock = threading.Lock()

    def script(_: dict[str, Any], before: int) -> Send:
        with lock:
            active[0] += 1
            most.append(active[0])
        threading.Event().wait(0.05)
        with lock:
            active[0] -= 1
        return charged(0.01)

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=24, concurrency=8, limits="max_cost = 100")
        assert collect(path) == 0
    assert most[1:4] == [1, 1, 2] or most[1:3] == [1, 1]
    assert max(most) > 4


def test_models_do_not_know_the_costs_of_others(tmp_path: Path) -> None:
    """A dear model begins when the cost of the cheap one is known: its first call goes alone all the same."""
    billed: list[float] = []

    def script(body: dict[str, Any], before: int) -> Send:
        billed.append(1.0 if body["model"] == "dear" else 0.001)
        send = charged(billed[-1])
        send.delay = 0.02
        return send

    with serving(script) as server:
        path = write_run(tmp_path, server.url, n=40, concurrency=16, limits="max_cost = 2.0")
        path.write_text(path.read_text().replace('["toy"]', '["toy", "dear"]'))
        assert collect(path) == 1
    assert sum(billed) <= 2.0 + 1e-9


def test_an_earlier_run_counts_at_the_prices_of_today(tmp_path: Path) -> None:
    with serving(lambda *_: charged(None, tokens=10)) as server:
        path = write_run(tmp_path, server.url, n=40, limits="max_calls = 10")
        assert collect(path) == 1
        write_run(tmp_path, server.url, n=40, limits="max_cost = 0.2")
        path.write_text(
            path.read_text().replace(
                "[endpoint]", "[prices.toy]\ninput = 0.0\noutput = 1000.0\n[endpoint]"
            )
        )
        assert collect(path) == 1
        assert server.seen.total() == 20


def test_calls_that_a_kill_cut_off_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda *_: charged(0.5)) as server:
        path = write_run(tmp_path, server.url, n=40, concurrency=1, limits="max_cost = 5.0")
        path.write_text(path.read_text().replace("max_cost = 5.0", "max_cost = 2.0"))
        assert collect(path) == 1
        log = path.with_name("log.jsonl")
        lines = log.read_bytes().splitlines(keepends=True)
        last = max(k for k, line in enumerate(lines) if line.startswith(b'{"type": "attempt"'))
        log.write_bytes(b"".join(lines[:last]))  # killed before the last reply was written
        path.write_text(path.read_text().replace("max_cost = 2.0", "max_cost = 5.0"))
        assert collect(path) == 1
        assert server.seen.total() == 10
    said = capsys.readouterr().err
    assert (
        "limits.max_cost (5) is reached: 4.5 spent, and up to 0.5 for calls without a reply" in said
    )
    assert "1 call may have been billed without a reply" in said


@pytest.mark.parametrize(
    "limit",
    ["max_cost = nan", "max_cost = inf", "max_cost = -1", "max_tokens_total = 0", "timeout = inf"],
)
def test_a_limit_that_is_none_is_refused(
    limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1", limits="" if "timeout" in limit else limit)
    path.write_text(
        path.read_text().replace("timeout = 5.0", limit if "timeout" in limit else "timeout = 5.0")
    )
    assert collect(path) == 2
    assert f"limits.{limit} is not " in capsys.readouterr().err


@pytest.mark.parametrize("price", ["-1", "nan", "inf"])
def test_a_price_that_is_none_is_refused(
    price: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_run(tmp_path, "http://127.0.0.1:9/v1")
    path.write_text(
        path.read_text().replace("[endpoint]", f"[prices.toy]\ninput = {price}\n[endpoint]")
    )
    assert collect(path) == 2
    assert (
        f"prices.toy.input = {price} is not a finite number of at least 0"
        in capsys.readouterr().err
    )


@dataclass(slots=True)
class World:
    """Runs of one log without a server: calls begin and end at random, and kills cut runs off.

    A call costs at most what its price and its tokens allow, or twice as much as the dearest before; one without a
    reply at most as much as the dearest before.
    """

    rng: random.Random
    priced: bool
    ceiling: float
    tally: CallTally = field(default_factory=CallTally)
    billed: list[float] = field(default_factory=list)
    in_progress: list[tuple[dict[str, Any], float]] = field(default_factory=list)

    def live(self, budget: Budget, asks: list[Ask], workers: int) -> None:
        """Make calls until the budget is spent or luck ends."""
        for number in range(self.rng.randrange(300)):
            try:
                call = None
                if len(self.in_progress) < workers:
                    run_id = str(self.rng.random())
                    ask = self.rng.choice(asks)
                    call = budget.claim(ask, run_id=run_id, key=str(number), attempt=1)
            except BudgetSpent:
                assert not self.in_progress
                return
            if call is None:
                self.end(budget)
            else:
                self.begin(call)
            while self.in_progress and self.rng.random() < 0.4:
                self.end(budget)

    def begin(self, call: dict[str, Any]) -> None:
        dearest = self.tally.by_model.get(call["model_requested"], Costs()).most_cost
        most = (call["cost_at_most"] or 0.0) if self.priced else 2 * dearest or 1.0
        self.in_progress.append((call, self.rng.uniform(0, most)))

    def end(self, budget: Budget) -> None:
        call, cost = self.in_progress.pop(self.rng.randrange(len(self.in_progress)))
        line = {**call, "prompt_tokens": 1}
        if self.rng.random() < 0.1:
            self.billed.append(min(cost, call["cost_at_most"] or 0.0))
            line |= {"status": "timeout", "prompt_tokens": None, "unsettled": True}
        else:
            self.billed.append(cost)
            line |= {"status": "ok", "cost": cost}
        self.tally.add(line)
        budget.free(call)

    def kill(self) -> None:
        """End the calls in progress: their lines stay in the tally."""
        for call, cost in self.in_progress:
            self.billed.append(min(cost, call["cost_at_most"] or 0.0))
        self.in_progress.clear()


def simulate(seed: int) -> World:
    rng = random.Random(seed)
    world = World(rng, priced=rng.random() < 0.5, ceiling=rng.uniform(1, 40))
    prices = {
        model: {"input": rng.uniform(0, 9e3), "output": rng.uniform(0, 9e3)}
        for model in "ab"
        if world.priced
    }
    asks = [
        Ask(
            model=model,
            messages=({"role": "user", "content": "x" * rng.randrange(400)},),
            parameters={"max_tokens": rng.choice((10, 100))},
        )
        for model in "ab"
        for _ in range(5)
    ]
    for _ in range(rng.randrange(1, 5)):
        budget = Budget(Limits(max_cost=world.ceiling), prices, world.tally)
        world.live(budget, asks, rng.choice((1, 2, 8, 32)))
        world.kill()
    return world


@pytest.mark.parametrize("seeds", [100, pytest.param(3000, marks=pytest.mark.slow)])
def test_simulated_logs(seeds: int) -> None:
    reached = 0
    for seed in range(seeds):
        world = simulate(seed)
        assert sum(world.billed) <= world.ceiling + max(world.billed, default=0.0) + 1e-9, seed
        reached += sum(world.billed) > 0.7 * world.ceiling
    assert reached > 0.3 * seeds


def test_reported_amounts_are_kept_beside_those_that_count() -> None:
    outcome = response_outcome(charged(0.25).body)
    assert outcome.detail["cost_reported"] == 0.25
    assert "cost_reported" not in response_outcome(charged(0.25).body, usage=False).detail


def test_a_call_that_ends_before_another_waits_for_it_wakes_it() -> None:
    """A worker that was told to wait first runs when others have had their turn: a call may end in between."""

    async def waits() -> None:
        ask = Ask(
            model="a", messages=({"role": "user", "content": "x"},), parameters={"max_tokens": 10}
        )
        budget = Budget(Limits(max_calls=1), {}, CallTally())
        claim = budget.claim(ask)
        assert claim is not None
        assert budget.claim(ask) is None
        change = budget.change()
        budget.free(claim)
        await asyncio.wait_for(change, 5)

    asyncio.run(waits())
