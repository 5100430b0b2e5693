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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What a call may take.

    Attributes
    ----------
    model
        Who is asked.
    sent
        About how many tokens the request has.
    tokens, cost
        The most that it takes, for the log: by ``max_tokens`` and prices, or as the largest call before. None where
        neither is there.
    held
        What no other call may spend meanwhile, by the limit on it.
    """

    model: str
    sent: int
    tokens: float | None
    cost: float | None
    held: Mapping[str, float]


@dataclass(slots=True)
class Budget:
    """Holds back what calls in progress may take.

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
    _claims: list[Reservation] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.tally.end_pending()

    def claim(self, ask: Ask) -> Reservation | None:
        """Return a claim for a call that may be sent now, or None where it has to wait.

        Raises
        ------
        BudgetSpent
            Where the call fits no more, whatever those in progress take.
        """
        claim = self._expected(ask)
        if not self._claims:
            self._check(claim)
        elif self._must_wait(claim):
            return None
        self._claims.append(claim)
        return claim

    def free(self, claim: Reservation) -> None:
        """End a claim: the log says what the call took."""
        self._claims.remove(claim)
        self.wake()

    def wake(self) -> None:
        """End all that waits for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def change(self) -> Awaitable[object]:
        """Return what is done when a call ends that is in progress now, also one that ends before it is awaited."""
        return self._changed.wait()

    def _spent(self) -> dict[str, float]:
        """Return calls, tokens and money that were spent, or may have been, by the limit on them."""
        tally = self.tally
        costs = tally.by_model.items()
        unsettled = sum(of_model.unsettled_tokens for _, of_model in costs)
        money_spent = sum(of_model.at_most(self.prices.get(model)) for model, of_model in costs)
        return {
            "max_calls": tally.calls + tally.cut_off + len(self._claims),
            "max_tokens_total": tally.tokens + unsettled,
            "max_cost": money_spent,
        }

    def _exceeded(self, further: Mapping[str, float]) -> Iterator[str]:
        """Yield the limits that leave no room for so much more."""
        for name, spent in self._spent().items():
            limit = getattr(self.limits, name)
            if limit is not None and spent + further[name] > limit * ROUNDING:
                yield name

    def _expected(self, ask: Ask) -> Reservation:
        """Return what a call may take, by its own limit and price and by the largest call of its model so far."""
        costs, sent, back = self.tally.by_model[ask.model], prompt_tokens(ask), most_tokens(ask)
        if back is None and costs.counted:
            back = costs.most_back
        tokens = price = None
        if back is not None:
            tokens, price = sent + back, money(self.prices.get(ask.model), sent, back)
        cost = max(price or 0.0, costs.most_cost) if price is not None or costs.most_cost else None
        held = {
            "max_calls": 1,
            "max_tokens_total": max(tokens or 0, MARGIN * costs.most_tokens),
            "max_cost": max(cost or 0.0, MARGIN * costs.most_cost),
        }
        if tokens is not None:
            tokens = max(tokens, costs.most_tokens)
        return Reservation(model=ask.model, sent=sent, tokens=tokens, cost=cost, held=held)

    def _must_wait(self, further: Reservation) -> bool:
        """Return whether a call must not be sent beside those in progress."""
        limits, claims = self.limits, (*self._claims, further)
        if limits.max_tokens_total is not None or limits.max_cost is not None:
            by_model = Counter(claim.model for claim in claims)
            if any(self.tally.by_model[model].counted < n for model, n in by_model.items()):
                return True
        held = {name: sum(claim.held[name] for claim in claims) for name in further.held}
        return any(self._exceeded(held | {"max_calls": 1}))

    def _check(self, claim: Reservation) -> None:
        """Raise where not even a call like the largest so far fits, and nothing is in progress."""
        costs = self.tally.by_model[claim.model]
        alone = {"max_calls": 1, "max_tokens_total": claim.tokens, "max_cost": claim.cost}
        if costs.counted:
            alone |= {"max_tokens_total": costs.most_tokens, "max_cost": costs.most_cost}
        else:
            self._check_lost(claim)
        for name in self._exceeded({limit: most or 0 for limit, most in alone.items()}):
            raise BudgetSpent(self._words(name, alone[name]))

    def _check_lost(self, claim: Reservation) -> None:
        """Raise where no reply of a model says what a call takes, and the lost calls may have spent a limit."""
        lost = self.tally.by_model[claim.model].unsettled_calls
        tokens = claim.tokens or claim.sent + LONGEST_REPLY
        for name, most, worst in (
            ("max_tokens_total", claim.tokens, tokens),
            ("max_cost", claim.cost, tokens * DEAREST / 1e6),
        ):
            limit = getattr(self.limits, name)
            # else the limit plus one call covers the lost calls
            if limit is None or most is not None or (lost < LOST and lost * worst <= limit):
                continue
            raise BudgetSpent(
                f"limits.{name} cannot be held: {count(lost, 'call')} to '{claim.model}' may have been billed, and "
                f"no reply says with how much. Set max_tokens and [prices], which say the most that a call takes"
            )

    def _words(self, name: str, call: float | None) -> str:
        """Return in words that a limit is reached."""
        room = "is reached"
        if not self.tally.calls and name != "max_calls":
            room = f"leaves no room for a call of up to {as_given(call or 0)}"
        elif name == "max_cost":
            cost, most = self.tally.cost, self._spent()[name]
            without = most - cost
            room += f": {cost:.4g} spent"
            if without > 0:
                room += f", and up to {without:.4g} for calls without a reply"
        limit = getattr(self.limits, name)
        return f"limits.{name} ({as_given(limit)}) {room}, earlier runs of this log included"


def spent(
    ask: Ask, outcome: Outcome, price: Mapping[str, float] | None, claim: Reservation
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
        line["cost_at_most"] = None if priced else claim.cost
        line["tokens_at_most"] = None if counted else claim.tokens
    return line


def prompt_tokens(ask: Ask) -> int:
    """Return about how many tokens a request sends."""
    return sum(tokens_of(message["content"], ask.model) + 4 for message in ask.messages)


def most_tokens(ask: Ask) -> int | None:
    """Return the most tokens that a request lets come back; None where it does not say (-1 is no limit either)."""
    most = ask.parameters.get("max_completion_tokens", ask.parameters.get("max_tokens"))
    return most if isinstance(most, int) and amount(most) else None
