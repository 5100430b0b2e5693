"""What a parser answers: a label or the reason there is none, the rule that found it, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VERSION = "2"
"""Raised whenever any reply would parse differently; stored beside every parsed row."""

LONGEST = 30_000
"""Characters of a reply, thinking apart, that are read: nobody needs more for an answer, and it bounds hostile ones."""

Status = Literal["ok", "refusal", "ambiguous", "unparsed", "empty", "out_of_range"]
STATUSES: tuple[Status, ...] = ("ok", "refusal", "ambiguous", "unparsed", "empty", "out_of_range")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """One reply, read.

    Parameters
    ----------
    label
        The answer, or None: a label is given only with status ``ok``.
    status
        ``ok``; ``refusal`` (declines, and gives no answer); ``ambiguous`` (two answers); ``unparsed``; ``empty``;
        ``out_of_range`` (a number outside the scale: kept as missing, never clamped).
    rule
        Name of the rule that decided, for tables of how answers were read.
    conflict
        Whether a later part of the reply states another answer. The label follows the first.
    span
        Start and end of the deciding text in the raw reply, in characters.

    Examples
    --------
    >>> Parsed(status="empty", rule="empty").label is None
    True
    """

    status: Status
    rule: str
    label: str | None = None
    conflict: bool = False
    span: tuple[int, int] | None = None
