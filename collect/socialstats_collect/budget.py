"""What a run may spend: each call is reserved before it is sent, so that calls in progress count."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats.text import as_given, count
from socialstats_collect.ask import Ask
from socialstats_collect.replies import Outcome
from socialstats_collect.runfile import Limits
from socialstats_collect.tally import CallTally, amount, money, tokens_of

ROUNDING = 1 + 1e-9  # sums of decimal fractions
LOST = 2  # so many calls of a model may be lost before any of its replies says what it took
LONGEST_REPLY = 200_000  # tokens; more than models returned at most in 2026, reasoning included
DEAREST = 10_000.0  # a million tokens; above ten times the dearest list price in 2026, in dollars
MARGIN = 2.0  # a call may take twice as much as the largest before it


class BudgetSpent(Exception):
    """A limit leaves no room for a further call."""


@dataclass(slots=True)
class Budget:
    """Holds back what calls in progress may take: those of which the tally has a line and no attempt.

    The first call of each model goes alone, until its tokens and cost are known. After it as many calls are in progress
    as are known, so that a price that is too low shows early. A call that does not fit beside those in progress waits
    for them; one that does not fit alone ends the run.

    Parameters
    ----------
    limits
        Of calls, tokens and money; None where there is none.
    prices
        Of a million tokens, by model.
    tally
        What is on record, earlier runs included.
    """

    limits: Limits
    prices: Mapping[str, Mapping[str, float]]
    tally: CallTally
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.tally.end_pending()

    def claim(self, ask: Ask, **call: Any) -> dict[str, Any] | None:
        """Return the line of a call that may be sent now, or None where it has to wait.

        The line has the most tokens and money that the call takes: by ``max_tokens`` and prices, or as the largest call
        before. They are None where neither is there.

        Raises
        ------
        BudgetSpent
            Where the call fits no more, whatever those in progress take.
        """
        line = {**call, "model_requested": ask.model, **self._at_most(ask)}
        if not self.tally.pending:
            self._check(line, ask)
        elif self._must_wait(line):
            return None
        self.tally.begin(line)
        return line

    def free(self, line: Mapping[str, Any]) -> None:
        """End the claim of a call: the log says what it took, or it was not sent."""
        self.tally.drop(line)
        self.wake()

    def wake(self) -> None:
        """End all that waits for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def change(self) -> Awaitable[object]:
        """Return what is done when a call ends that is in progress now, also one that ends before it is awaited."""
        return self._changed.wait()

    def _at_most(self, ask: Ask) -> dict[str, float | None]:
        """Return the most that a call takes, by its own limit and price and by the largest call of its model so far."""
        costs, back = self.tally.by_model[ask.model], most_tokens(ask)
        if back is None and costs.counted:
            back = costs.most_back
        tokens = price = None
        if back is not None:
            sent = prompt_tokens(ask)
            tokens = max(sent + back, costs.most_tokens)
            price = money(self.prices.get(ask.model), sent, back)
        known = price is not None or costs.most_cost > 0
        cost = max(price or 0.0, costs.most_cost) if known else None
        return {"tokens_at_most": tokens, "cost_at_most": cost}

    def _spent(self) -> dict[str, float]:
        """Return calls, tokens and money that were spent, or may have been, by the limit on them."""
        tally = self.tally
        costs = tally.by_model.items()
        unsettled = sum(of_model.unsettled_tokens for _, of_model in costs)
        return {
            "max_calls": tally.calls + tally.cut_off + len(tally.pending),
            "max_tokens_total": tally.tokens + unsettled,
            "max_cost": sum(of_model.at_most(self.prices.get(model)) for model, of_model in costs),
        }

    def _exceeded(self, tokens: float, cost: float) -> Iterator[str]:
        """Yield the limits that leave no room for a call more, and for so many tokens and so much money."""
        further = {"max_calls": 1, "max_tokens_total": tokens, "max_cost": cost}
        for name, spent in self._spent().items():
            limit = getattr(self.limits, name)
            if limit is not None and spent + further[name] > limit * ROUNDING:
                yield name

    def _must_wait(self, further: Mapping[str, Any]) -> bool:
        """Return whether a call must not be sent beside those in progress."""
        limits, by_model = self.limits, self.tally.by_model
        models: Counter[str] = Counter()
        tokens = cost = 0.0
        for line in (*self.tally.pending.values(), further):
            model = line["model_requested"]
            models[model] += 1
            tokens += max(line["tokens_at_most"] or 0, MARGIN * by_model[model].most_tokens)
            cost += max(line["cost_at_most"] or 0.0, MARGIN * by_model[model].most_cost)
        bounded = limits.max_tokens_total is not None or limits.max_cost is not None
        if bounded and any(by_model[model].counted < n for model, n in models.items()):
            return True
        return any(self._exceeded(tokens, cost))

    def _check(self, line: Mapping[str, Any], ask: Ask) -> None:
        """Raise where not even a call like the largest so far fits, and nothing is in progress."""
        costs = self.tally.by_model[ask.model]
        tokens, cost = line["tokens_at_most"] or 0, line["cost_at_most"] or 0.0
        if costs.counted:
            tokens, cost = costs.most_tokens, costs.most_cost
        else:
            self._check_lost(line, ask)
        for name in self._exceeded(tokens, cost):
            raise BudgetSpent(self._words(name, cost if name == "max_cost" else tokens))

    def _check_lost(self, line: Mapping[str, Any], ask: Ask) -> None:
        """Raise where no reply of a model says what a call takes, and the lost calls may have spent a limit."""
        lost = self.tally.by_model[ask.model].unsettled_calls
        tokens = line["tokens_at_most"] or prompt_tokens(ask) + LONGEST_REPLY
        for name, amount_name, worst in (
            ("max_tokens_total", "tokens_at_most", tokens),
            ("max_cost", "cost_at_most", tokens * DEAREST / 1e6),
        ):
            limit = getattr(self.limits, name)
            if limit is None or line[amount_name] is not None:
                continue
            # else the limit plus one call covers the lost calls
            if lost >= LOST or lost * worst > limit:
                raise BudgetSpent(
                    f"limits.{name} cannot be held: {count(lost, 'call')} to '{ask.model}' may have been billed, and "
                    f"no reply says with how much. Set max_tokens and [prices], which say the most that a call takes"
                )

    def _words(self, name: str, call: float) -> str:
        """Return in words that a limit is reached."""
        room = "is reached"
        if not self.tally.calls and name != "max_calls":
            room = f"leaves no room for a call of up to {as_given(call)}"
        elif name == "max_cost":
            cost = self.tally.cost
            without = self._spent()[name] - cost
            room += f": {cost:.4g} spent"
            if without > 0:
                room += f", and up to {without:.4g} for calls without a reply"
        limit = getattr(self.limits, name)
        return f"limits.{name} ({as_given(limit)}) {room}, earlier runs of this log included"


def spent(
    ask: Ask, outcome: Outcome, price: Mapping[str, float] | None, call: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a call took, for the log: as reported and by price, of which the larger counts; else at most.

    An answer without counts of tokens has estimated ones.
    """
    sent, back = (outcome.detail.get(name) for name in ("prompt_tokens", "completion_tokens"))
    line: dict[str, Any] = {}
    if outcome.billed and (sent is None or back is None):
        text = outcome.content or outcome.refusal
        estimates = [prompt_tokens(ask), tokens_of(text, ask.model)]
        line["tokens_estimated"] = estimates
        sent = estimates[0] if sent is None else sent
        back = estimates[1] if back is None else back
    counted = sent is not None or back is not None
    if counted:
        line["cost_priced"] = money(price, sent or 0, back or 0)
    costs = (outcome.detail.get("cost_reported"), line.get("cost_priced"))
    line["cost"] = max((cost for cost in costs if cost is not None), default=None)
    priced = line["cost"] is not None
    if outcome.billable and (not counted or ("usage_wrong" in outcome.detail and not priced)):
        line["unsettled"] = True
        line["cost_at_most"] = None if priced else call["cost_at_most"]
        line["tokens_at_most"] = None if counted else call["tokens_at_most"]
    return line


def prompt_tokens(ask: Ask) -> int:
    """Return about how many tokens a request sends."""
    return sum(tokens_of(message["content"], ask.model) + 4 for message in ask.messages)


def most_tokens(ask: Ask) -> int | None:
    """Return the most tokens that a request lets come back; None where it does not say (-1 is no limit either)."""
    most = ask.parameters.get("max_completion_tokens", ask.parameters.get("max_tokens"))
    return most if isinstance(most, int) and amount(most) else None
