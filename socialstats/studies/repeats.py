"""Blocks on repeated answers: how many stand behind a value, how far they vary, and what more of them would buy."""

from __future__ import annotations

import math

from socialstats.designs.parts import Repeats
from socialstats.inference.halving import RepeatedAnswers, answers_behind, units_worth
from socialstats.results import Row
from socialstats.studies.page import Block, PageTable
from socialstats.text import count, number, percent, quoted, shorten


def each_answer(repeats: Repeats) -> str:
    """Return how many answers stand behind a value.

    Examples
    --------
    >>> import numpy as np
    >>> three = np.array([3.0, 3.0])
    >>> each_answer(Repeats(columns=(), sources=("m",), source=np.zeros(2, int), place=np.arange(2), answers=three,
    ...                     variance=np.zeros(2)))
    '3 answers each'
    """
    if repeats.fewest == repeats.most:
        return f"{count(repeats.most, 'answer')} each"
    return f"{count(repeats.fewest)} to {count(repeats.most, 'answer')} each"


def repeats_block(
    repeats: Repeats | None, lead: Row | None = None, of: tuple[str, str] = ("", ""), what: str = ""
) -> Block | None:
    """Return what repeated answers add; None where units were answered once.

    Parameters
    ----------
    repeats : Repeats or None
    lead : Row or None
        The difference between two sources, with its standard error and number of units.
    of : pair of str
        These sources.
    what : str
        The difference in words.
    """
    if repeats is None or not len(repeats.answers) or repeats.most < 2:
        return None
    total = count(int(repeats.answers.sum()), "answer")
    apart = (
        f", told apart by {quoted([shorten(name, 40) for name in repeats.columns])}"
        if repeats.columns
        else ""
    )
    texts = [
        f"Each value is a mean of repeated answers ({total}, {each_answer(repeats)}{apart}). Repeats are no units."
    ]
    behind = answers_behind(repeats, lead, of)
    if behind is not None:
        texts += worth(behind, what)
    several = [(name, repeats.of_source(name)) for name in repeats.sources]
    cells = tuple(
        (name, *spread_of(replicates))
        for name, replicates in several
        if not len(replicates.answers) or replicates.most > 1
    )
    header = (
        "Source",
        "Means",
        "Fewest answers",
        "Most answers",
        "Variance within units",
        "SD within units",
    )
    return Block(
        id="repeats",
        question="What did repeated answers add?",
        sentences=tuple(texts),
        tables=(PageTable(caption="Sources with repeated answers", header=header, cells=cells),),
        part="appendix",
    )


def worth(behind: RepeatedAnswers, what: str) -> list[str]:
    """State how much of the variance of a difference lies within units, and what twice as many answers would buy."""
    narrower = percent(1 - math.sqrt(1 - behind.share / 2))
    return [
        f"Variance within units made up {percent(behind.share)} of the variance of the {what}.",
        f"{count(behind.answers)} more answers of each source to a unit (twice as many) would narrow its interval by "
        f"about {narrower}. About {count(units_worth(behind), 'more unit')} would do the same.",
    ]


def spread_of(repeats: Repeats) -> tuple[str | int | None, ...]:
    """Return the cells of one source: means, fewest and most answers, variance and SD within units."""
    if not len(repeats.answers):
        return (0, None, None, None, None)
    within = repeats.within
    estimable = not math.isnan(within)
    return (
        len(repeats.answers),
        repeats.fewest,
        repeats.most,
        number(within) if estimable else None,
        number(math.sqrt(within)) if estimable else None,
    )
