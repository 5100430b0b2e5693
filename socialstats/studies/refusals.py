"""How far refusals could move an answer: left out, all counted against it, all counted for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from socialstats.errors import InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import wilson
from socialstats.inference.rows import with_ends
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, number

Rule = Literal["drop", "against", "for"]
RULES: dict[Rule, str] = {
    "drop": "refusals left out", "against": "all refusals counted against", "for": "all refusals counted for",
}  # fmt: skip


def share_bounds(successes: float, answered: float, refused: float, *, level: float = 0.95) -> tuple[Row, Row, Row]:
    """Return a share without the refusals, and its bounds if every refusal had gone one way.

    k / n, k / (n + r) and (k + r) / (n + r): worst-case bounds (Manski, 1989), which hold whatever made the model
    refuse. Each has Wilson's (1927) score interval, for independent rows.

    Parameters
    ----------
    successes, answered, refused : float
        k of n answers, beside r refusals.
    level : float

    Returns
    -------
    tuple of Row
        Terms "drop", "against", "for". Of no answer at all, the first has no estimate and says why.

    Raises
    ------
    InputError
        For counts that cannot be, or nothing counted.

    Examples
    --------
    >>> [round(row.estimate, 3) for row in share_bounds(30, 80, 20)]
    [0.375, 0.3, 0.5]
    """
    if not 0 <= successes <= answered or refused < 0 or answered + refused == 0:
        raise InputError(f"{successes:g} of {answered:g} answers beside {refused:g} refusals is no count of answers")
    checked_level(level)
    whole = answered + refused
    parts: dict[Rule, tuple[float, float]] = {
        "drop": (successes, answered), "against": (successes, whole), "for": (successes + refused, whole),
    }  # fmt: skip
    one, against, other = (_share(rule, k, n, level) for rule, (k, n) in parts.items())
    return one, against, other


def _share(rule: Rule, k: float, n: float, level: float) -> Row:
    """Return k / n with Wilson's interval."""
    if n == 0:
        return Row(term=rule, group="share", n=0.0, undefined="every row is a refusal")
    low, high = (float(end[0]) for end in wilson(np.array([k / n]), np.array([float(n)]), level=level))
    row = Row(term=rule, group="share", estimate=k / n, n=n, method=f"{RULES[rule]}; Wilson's score interval")
    return with_ends(row, low, high, level)


def refusal_block(
    compute: Callable[[Rule], Result],
    refused: int,
    *,
    quantity: str,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
    bounded: bool = False,
) -> Block | None:
    """Show an estimate under the three rules of counting refusals; None without refusals.

    Parameters
    ----------
    compute : callable
        Rule -> Result: the metric on the same table, with every refusal left out ("drop"), scored as the answer that
        speaks most against the model ("against"), or most for it ("for").
    refused : int
        Refusals in the table.
    quantity : str
        What is estimated, in words.
    lead : callable
        Result -> the row of the estimate; by default the first.
    bounded : bool
        The estimate cannot exceed 1 in size.
    """
    if refused <= 0:
        return None
    found: dict[Rule, Result] = {}
    problems: dict[str, str] = {}
    for rule, words in RULES.items():
        try:
            found[rule] = compute(rule)
        except SocialStatsError as error:
            problems[words] = str(error)
    rows = {RULES[rule]: lead(result) for rule, result in found.items()}
    shown = tuple(replace(row, term=words, group=None) for words, row in rows.items())
    cells = [(words, r.estimate, r.conf_low, r.conf_high, r.undefined) for words, r in rows.items()]
    cells += [(words, None, None, None, problem) for words, problem in problems.items()]
    name = f"{quantity[0].upper()}{quantity[1:]}"
    return Block(
        id="refusals",
        question=f"How far could refusals move the {quantity}?",
        sentences=(bounds_sentence(rows, refused, name, bounded=bounded),),
        draw=partial(forest, shown, sort=False, digits=3, xlabel=quantity, label="Rule"),
        figure_title=f"{name}, by what a refusal counts as",
        caption="The last two: every refusal had gone one way, the extremes of what it hides. Intervals add sampling "
        "error.",
        tables=(Table(caption=f"{name} under each rule", header=("Rule", "Estimate", "Low", "High", "Why not"),
                      cells=tuple(cells)),),
        results=tuple(found.values()),
    )  # fmt: skip


def bounds_sentence(rows: dict[str, Row], refused: int, name: str, *, bounded: bool) -> str:
    """Say the estimate without refusals and its bounds.

    Examples
    --------
    >>> rows = {words: row for words, row in zip(RULES.values(), share_bounds(30, 80, 20))}
    >>> print(bounds_sentence(rows, 20, "Share of 'comply'", bounded=True))
    Share of 'comply' is .375, 95% CI [.277, .485] without the 20 refusals; had all of them gone against it, it would
    be .300, had all gone for it, .500.
    """
    without, against, favour = (rows.get(words) for words in RULES.values())
    first = "undefined" if without is None else numbers_text(without, digits=3, bounded=bounded)
    ends = [number(None if row is None else row.estimate, 3, bounded=bounded) for row in (against, favour)]
    return (
        f"{name} is {first} without the {count(refused, 'refusal')}; had all of them gone against it, it would be "
        f"{ends[0]}, had all gone for it, {ends[1]}."
    )
