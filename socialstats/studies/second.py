"""Second analyses: refusals counted otherwise, other weights, tests or models. One that turns a conclusion is told.

A block has the sentences of its second analyses that turn a conclusion (`turned`); the page's answer ends with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from socialstats.results import Row
from socialstats.sentences import direction, is_significant, stat, with_p
from socialstats.studies.page import Outcome
from socialstats.text import count, shorten

MOST = 4  # sentences of the answer


def turns(own: Row, other: Row, reference: float = 0.0) -> bool:
    """Return whether another analysis turns a conclusion: the side of a reference, or on what side p or interval lie.

    p is compared with its level, adjusted where it is, and the interval with the reference: each where both have one.

    Examples
    --------
    >>> own = Row(term="d", estimate=0.2, p_value=0.01)
    >>> turns(own, Row(term="d", estimate=0.1, p_value=0.2)), turns(own, Row(term="d", estimate=0.1))
    (True, False)
    >>> turns(own, Row(term="d", estimate=-0.1)), turns(own, Row(term="d", estimate=0.3, p_value=0.001))
    (True, False)
    """
    both = (own, other)
    values = [row.estimate - reference for row in both if row.estimate is not None]
    tested = {is_significant(row) for row in both if with_p(row)}
    sides = {direction(row, reference) for row in both if row.conf_low is not None}
    return (len(values) == 2 and values[0] * values[1] < 0) or max(len(tested), len(sides)) > 1


def turned(
    own: Row, others: Iterable[tuple[str, Row]], quantity: str, reference: float = 0.0
) -> tuple[str, ...]:
    """Return a sentence for each other analysis that turns a conclusion; each comes with how it differs, in words."""

    def side(row: Row) -> str:
        if with_p(row) or row.conf_low is None:
            return ""
        return f", which {'includes' if direction(row, reference) == 'none' else 'excludes'} {reference:g}"

    return tuple(
        f"{how}, {quantity} was {stat(row)}{side(row)}."
        for how, row in others
        if turns(own, row, reference)
    )


def other_first(own: Sequence[Row], other: Sequence[Row]) -> bool:
    """Return whether the first of some rows lies behind the first of another analysis; both are in order of rank."""
    known = {row.term: row.estimate for row in other}
    return bool(own) and own[0].term in known and known[own[0].term] != other[0].estimate


def with_turned(outcome: Outcome) -> Outcome:
    """Return a page whose answer ends with the second analyses of its blocks that turn a conclusion.

    The opening of the page tells them where a reader asks what could be wrong.
    """
    said = [
        f"{shorten(b.level)} (unadjusted): {text}" if b.level else text
        for b in outcome.blocks
        for text in b.turned
    ]
    more = len(said) - MOST
    if more > 0:
        said = [
            *said[:MOST],
            f"{count(more, 'further analysis', 'further analyses')} changed a conclusion.",
        ]
    return replace(outcome, answer=(*outcome.answer, *said), turned=tuple(said))
