"""What a protocol is: the items it needs, its factors, the conversation with a model, and the rows of its table."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from socialstats_collect.ask import Ask, Message, Reply, Unit
from socialstats_collect.templates import fill

Conversation = Generator[Ask, Reply, None]
"""Yields requests and is sent their replies; it ends when the unit needs nothing more."""

Exchange = tuple[Ask, Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run file sets for its protocol.

    Parameters
    ----------
    template
        The prompt, where the user gives one instead of the protocol's own.
    system
        A system message, for every conversation.
    parameters
        Sent with every request of the respondents.
    judges
        Models that score replies, for protocols that use them.
    judge_parameters
        Sent with the judges' requests.
    options
        The protocol's own settings, checked by it.
    """

    template: str = ""
    system: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    judge_parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class CollectionProtocol(Protocol):
    """A way of asking. Instances are made from `Settings` and hold no state of a run."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the items must have (or factors of the same name)."""
        ...

    @property
    def factors(self) -> Mapping[str, Sequence[str]]:
        """Factors of the protocol's own, with the levels used by default: ``{"prompt": ["options"]}``."""
        ...

    @property
    def known(self) -> Mapping[str, Sequence[str]]:
        """Factors whose levels are fixed by the protocol, with all levels there are."""
        ...

    @property
    def provides(self) -> tuple[str, ...]:
        """Names that a user's prompt may use beside columns and factors: ``option_a``, ``option_b``, ..."""
        ...

    @property
    def orders(self) -> tuple[str, ...]:
        """Names of the orders in which options can be shown; one name where there is nothing to order."""
        ...

    def conversation(self, unit: Unit) -> Conversation:
        """Return the conversation with a unit's model."""
        ...

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return the table's rows for a unit: at least one, also where nothing was answered."""
        ...


def prompt(settings: Settings, unit: Unit, text: str) -> tuple[Message, ...]:
    """Return the messages of a first request: the system message where there is one, then the text."""
    system = ({"role": "system", "content": filled(settings.system, unit)},) if settings.system else ()
    return (*system, {"role": "user", "content": text})


def ask(settings: Settings, unit: Unit, messages: tuple[Message, ...], *, step: str = "answer", parent: str = "",
        **parameters: Any) -> Ask:  # fmt: skip
    """Return a request to a unit's own model; a seed in the parameters moves on with the replicates."""
    sent = {**settings.parameters, **parameters}
    if isinstance(sent.get("seed"), int):
        sent["seed"] += unit.replicate - 1
    return Ask(
        model=unit.factors["model"],
        messages=messages,
        parameters=sent,
        step=step,
        replicate=unit.replicate,
        parent=parent,
    )


def filled(template: str, unit: Unit, **more: str) -> str:
    """Return a template filled with a unit's columns, its factors, and what a protocol adds."""
    return fill(template, {**unit.item, **unit.factors, "item_id": unit.item_id, **more})


def about(unit: Unit) -> dict[str, object]:
    """Return the columns with which every row of a unit begins: identifier, factors, replicate.

    The order of the options is called ``option_order``: ``order`` means other things to the studies.
    """
    named = {"option_order" if name == "order" else name: level for name, level in unit.factors.items()}
    return {"item_id": unit.item_id, **named, "replicate": unit.replicate}
