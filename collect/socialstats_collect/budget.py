"""What a run may spend: each call is reserved before it is sent, so that calls in progress count."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats.text import count
from socialstats_collect.ask import Ask
from socialstats_collect.replies import Outcome
from socialstats_collect.runfile import Limits
from socialstats_collect.tally import CallTally, Costs, amount, money, tokens_of

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
    held_tokens, held_cost
        What no other call may spend meanwhile.
    """

    model: str
    sent: int
    tokens: float | None
    cost: float | None
    held_tokens: float
    held_cost: float


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
    _cut_off: dict[str, Costs] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        for line in self.tally.pending.values():
            costs = self._cut_off.setdefault(str(line.get("model_requested")), Costs())
            costs.suspect(amount(line.get("tokens_at_most")), amount(line.get("cost_at_most")))

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
        self._changed.set()
        self._changed = asyncio.Event()

    def change(self) -> Awaitable[object]:
        """Return what is done when a call ends that is in progress now, also one that ends before it is awaited."""
        return self._changed.wait()

    @property
    def calls(self) -> int:
        """Calls on record, cut off and in progress."""
        return self.tally.calls + len(self.tally.pending) + len(self._claims)

    @property
    def tokens(self) -> float:
        """Tokens that the calls on record took, and that those without a reply may have taken."""
        several = (*self.tally.by_model.values(), *self._cut_off.values())
        return self.tally.tokens + sum(costs.unsettled_tokens for costs in several)

    @property
    def cost(self) -> float:
        """Money that the calls on record took, and that those without a reply may have taken."""
        on_record = sum(
            costs.at_most(self.prices.get(model)) for model, costs in self.tally.by_model.items()
        )
        unknown = sum(
            cut.unsettled_calls * self._costs(model).most_cost
            for model, cut in self._cut_off.items()
        )
        return on_record + unknown + sum(cut.unsettled_cost for cut in self._cut_off.values())

    def _costs(self, model: str) -> Costs:
        return self.tally.by_model.get(model, Costs())

    def _expected(self, ask: Ask) -> Reservation:
        """Return what a call may take, by its own limit and price and by the largest call of its model so far."""
        costs, sent, most = self._costs(ask.model), prompt_tokens(ask), most_tokens(ask)
        back = most if most is not None else costs.most_back if costs.counted else None
        tokens = None if back is None else sent + back
        price = None if back is None else money(self.prices.get(ask.model), sent, back)
        cost = max(price or 0.0, costs.most_cost) if price is not None or costs.most_cost else None
        return Reservation(
            model=ask.model,
            sent=sent,
            tokens=None if tokens is None else max(tokens, costs.most_tokens),
            cost=cost,
            held_tokens=max(tokens or 0, MARGIN * costs.most_tokens),
            held_cost=max(cost or 0.0, MARGIN * costs.most_cost),
        )

    def _must_wait(self, further: Reservation) -> bool:
        """Return whether a call must not be sent beside those in progress."""
        limits, claims = self.limits, (*self._claims, further)
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            return True
        if limits.max_tokens_total is None and limits.max_cost is None:
            return False
        by_model = Counter(claim.model for claim in claims)
        if any(self._costs(model).counted < n for model, n in by_model.items()):
            return True
        tokens = self.tokens + sum(claim.held_tokens for claim in claims)
        cost = self.cost + sum(claim.held_cost for claim in claims)
        return (limits.max_tokens_total is not None and tokens > limits.max_tokens_total) or (
            limits.max_cost is not None and cost > limits.max_cost * ROUNDING
        )

    def _check(self, claim: Reservation) -> None:
        """Raise where not even a call like the largest so far fits, and nothing is in progress."""
        limits, costs = self.limits, self._costs(claim.model)
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            raise BudgetSpent(
                f"limits.max_calls ({limits.max_calls:,}) is reached, earlier runs of this log included"
            )
        lost = costs.unsettled_calls + self._cut_off.get(claim.model, Costs()).unsettled_calls
        tokens = claim.tokens or claim.sent + LONGEST_REPLY
        for name, most, worst in (
            ("max_tokens_total", claim.tokens, tokens),
            ("max_cost", claim.cost, tokens * DEAREST / 1e6),
        ):
            limit = getattr(limits, name)
            if limit is None or most is not None or costs.counted:
                continue
            if (
                lost >= LOST or lost * worst > limit
            ):  # else the limit plus one call covers the lost calls
                raise BudgetSpent(
                    f"limits.{name} cannot be held: {count(lost, 'call')} to '{claim.model}' may have been billed, and "
                    f"no reply says with how much. Set max_tokens and [prices], which say the most that a call takes"
                )
        tokens = costs.most_tokens if costs.counted else claim.tokens or 0
        cost = costs.most_cost if costs.counted else claim.cost or 0.0
        if limits.max_tokens_total is not None and self.tokens + tokens > limits.max_tokens_total:
            room = (
                "is reached"
                if self.tally.calls
                else f"leaves no room for a call of about {tokens:,.0f}"
            )
            raise BudgetSpent(
                f"limits.max_tokens_total ({limits.max_tokens_total:,}) {room}, earlier runs included"
            )
        if limits.max_cost is not None and self.cost + cost > limits.max_cost * ROUNDING:
            room = (
                "is reached"
                if self.tally.calls
                else f"leaves no room for a call of up to {cost:.4g}"
            )
            raise BudgetSpent(
                f"limits.max_cost ({limits.max_cost:g}) {room}: {self._spent()}, earlier runs included"
            )

    def _spent(self) -> str:
        """Return what was spent, in words."""
        cost, most = self.tally.cost, self.cost
        without = f", and up to {most - cost:.4g} for calls without a reply" if most > cost else ""
        return f"{cost:.4g} spent{without}"


def spent(
    ask: Ask, outcome: Outcome, price: Mapping[str, float] | None, claim: Reservation
) -> dict[str, Any]:
    """Return what a call took, for the log: as reported and by price, of which the larger counts; else at most.

    An answer without counts of tokens has estimated ones.
    """
    sent, back = (outcome.detail.get(name) for name in ("prompt_tokens", "completion_tokens"))
    line: dict[str, Any] = {}
    if outcome.billed and (sent is None or back is None):
        line["tokens_estimated"] = [
            prompt_tokens(ask),
            tokens_of(outcome.content or outcome.refusal, ask.model),
        ]
        sent, back = (
            guess if number is None else number
            for number, guess in zip((sent, back), line["tokens_estimated"], strict=True)
        )
    counted = sent is not None or back is not None
    if counted:
        line["cost_priced"] = money(price, sent or 0, back or 0)
    costs = [
        cost
        for cost in (outcome.detail.get("cost_reported"), line.get("cost_priced"))
        if cost is not None
    ]
    line["cost"] = max(costs, default=None)
    if outcome.billable and (not counted or ("usage_wrong" in outcome.detail and not costs)):
        line |= {"unsettled": True, "cost_at_most": None if costs else claim.cost}
        line["tokens_at_most"] = None if counted else claim.tokens
    return line


def prompt_tokens(ask: Ask) -> int:
    """Return about how many tokens a request sends."""
    return sum(tokens_of(message["content"], ask.model) + 4 for message in ask.messages)


def most_tokens(ask: Ask) -> int | None:
    """Return the most tokens that a request lets come back; None where it does not say (-1 is no limit either)."""
    most = ask.parameters.get("max_completion_tokens", ask.parameters.get("max_tokens"))
    return most if isinstance(most, int) and amount(most) else None
