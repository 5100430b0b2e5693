"""A request that is to be made, the unit it belongs to, and the reply it got. Its key is the hash of what it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Status = Literal[
    "ok",
    "refusal",
    "empty",
    "blocked",
    "truncated",
    "malformed",
    "http_error",
    "timeout",
    "connection",
]
STATUSES: tuple[Status, ...] = get_args(Status)
DATA: tuple[Status, ...] = STATUSES[:5]
"""Statuses that are answers of the model, or a filter's in its place: never asked again, always a row of the table."""

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One cell of the design: an item under one combination of factors, once.

    Parameters
    ----------
    item_id
        The item's identifier in its file.
    item
        Its columns, as text.
    factors
        Factor to level: always ``model``, then the protocol's and the run file's own (``prompt``, ``order``).
    replicate
        1, 2, ... where the same question is asked more than once.
    drawn
        The name under which the item was first asked: orders are drawn by it.

    Examples
    --------
    >>> Unit(item_id="s1", item={"text": "..."}, factors={"model": "m"}).name
    's1 / model=m'
    """

    item_id: str
    item: Mapping[str, str]
    factors: Mapping[str, str]
    replicate: int = 1
    drawn: str = ""

    @property
    def name(self) -> str:
        """How messages and logs call it."""
        parts = [
            self.item_id,
            *(f"{name}={level}" for name, level in self.factors.items() if level),
        ]
        return " / ".join([*parts, f"replicate {self.replicate}"] if self.replicate > 1 else parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request of a unit's conversation.

    Parameters
    ----------
    model
        The model that is asked: the unit's own, or a judge.
    messages
        Role and content of each message.
    parameters
        Everything else that is sent: temperature, max_tokens, seed, response_format, ...
    step
        Name of the step within the protocol: ``answer``, ``rung 2``, ``stage 1``, ``judge debrief``.
    replicate
        The unit's.
    parent
        Key of the reply that led to this request; empty for the first of a unit. With it the same words in answer to
        different replies are different requests.

    Examples
    --------
    >>> one = Ask(model="m", messages=({"role": "user", "content": "A or B?"},), parameters={"temperature": 0})
    >>> one.key == Ask(model="m", messages=one.messages, parameters={"temperature": 0}, replicate=2).key
    False
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    step: str = "answer"
    replicate: int = 1
    parent: str = ""

    @property
    def key(self) -> str:
        """Hash of everything that makes the request what it is; neither keys, limits nor the address belong to it."""
        return digest({"kind": "chat", **{name: getattr(self, name) for name in self.__slots__}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered.

    Parameters
    ----------
    key
        The key of the request.
    status
        One of `DATA`; any other status means that there is no answer yet.
    content
        The text; empty where there is none.
    refusal
        The text of a refusal that the endpoint marks as one.
    model
        The model's name as the endpoint returned it.
    blocked_by
        The word with which a filter said that it blocked.
    logprobs
        Log-probabilities of the text's tokens, as the endpoint returned them.
    choice
        The label that a person chose, in place of a text.
    """

    key: str
    status: Status
    content: str = ""
    refusal: str = ""
    model: str = ""
    blocked_by: str = ""
    logprobs: Any = None
    choice: str | None = None


def canonical(value: object) -> str:
    """Return one spelling of a JSON value: sorted keys, no spaces; texts are left as they are.

    Examples
    --------
    >>> canonical({"b": 1.0, "a": "é"})
    '{"a":"é","b":1.0}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def digest(value: object) -> str:
    """Return the SHA-256 of a value's canonical spelling, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
