"""What the shares of a source settle beside those of people: three-way, with the numbers that say so."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import numbers_text
from socialstats.studies.norm_goal_blocks import widest
from socialstats.studies.sources import Shares, Source
from socialstats.studies.verdicts import Verdict, equivalence_bounds, is_inside
from socialstats.text import digits_of, number, p_value, shorten


def shares_verdict(gaps: Sequence[Row], test: Row, *, alpha: float, smallest: float | None = None) -> Verdict:
    """Say what the differences of all shares of two sources settle together.

    Parameters
    ----------
    gaps : sequence of Row
        One row an action: the difference of shares with its t interval.
    test : Row
        The test of any difference.
    alpha : float
        Level of the test.
    smallest : float, optional
        Differences of shares smaller than this, either way, are practically nothing.

    Returns
    -------
    {"equal", "differs", "open", "none"}
        "equal" where two one-sided tests put every difference inside the smallest that matters (each at level alpha,
        which holds the level of the claim about all of them: Berger, 1982), even if the test of any difference is
        significant; "none" without a test.

    Examples
    --------
    >>> gap = Row(term="comply", estimate=0.01, std_error=0.01, conf_low=-0.0096, conf_high=0.0296, conf_level=0.95)
    >>> shares_verdict([gap], Row(term="any", p_value=0.3), alpha=0.05, smallest=0.05)
    'equal'
    >>> shares_verdict([gap], Row(term="any", p_value=0.3), alpha=0.05)
    'open'

    References
    ----------
    Berger, R. L. (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics, 24(4), 295-300.
    doi:10.2307/1267823
    """
    if smallest is not None and gaps and all(is_inside(equivalence_bounds(row), smallest) for row in gaps):
        return "equal"
    if test.p_value is None:
        return "none"
    return "differs" if test.p_value < alpha else "open"


def answer(
    whole: Shares, similarity: Result, source: Source, other: str, options: StudyOptions, unit: str = "unit"
) -> str:
    """Return the verdict on one source, with its numbers; `unit` names what is swapped whole."""
    human, name, test = shorten(source.human, 30), shorten(other, 30), whole.tests[other, None]
    beside = beside_text(similarity, other, human)
    gaps = whole.gaps[other, None]
    gap = widest(gaps)
    own, theirs = (next(r for r in whole.shares[who, None] if r.term == gap.term) for who in (other, source.human))
    apart = (own.estimate or 0.0) - (theirs.estimate or 0.0) - (gap.estimate or 0.0)
    where = "difference" if abs(apart) < 1e-9 else "difference on the units that both rated"
    far = (
        f"The widest gap is in '{shorten(gap.term, 30)}': {number(own.estimate, 3, bounded=True)} against "
        f"{number(theirs.estimate, 3, bounded=True)}, {where} {numbers_text(gap, digits=3, bounded=True)}"
    )
    found = shares_verdict(gaps, test, alpha=1 - options.level, smallest=options.smallest_effect)
    tested = "" if test.p_value is None else f"{p_value(test.p_value)} by swapping the two, {unit} by {unit}"
    if found == "equal":
        near = number(options.smallest_effect, 3, bounded=True)
        also = f"; any difference at all: {tested}" if tested else ""
        return f"{name} chooses practically as {human} raters do: every share within ±{near}{also}. {far}. {beside}."
    if found == "none":
        why = test.undefined or "no test by clusters"
        apart = "no unit" in why  # what is alike or not are then answers to other units
        return f"No verdict on {name}: {why}." + ("" if apart else f" {beside}.")
    if found == "open":
        return f"The data do not settle whether {name} chooses as {human} raters do ({tested}). {far}. {beside}."
    return f"{name} does not choose as {human} raters do ({tested}). {far}. {beside}."


def beside_text(similarity: Result, other: str, human: str) -> str:
    """Return the similarity of a source, beside its ceiling."""
    like = next(r for r in similarity.rows if r.term == other and r.group is None)
    top = halves(similarity)
    said = f"Jensen-Shannon similarity {numbers_text(like, digits=3, bounded=True)}"
    if top.estimate is None:
        return said
    digits = digits_of(top.std_error, 3)
    return (
        f"{said} (1: equal shares; two random halves of the {human} ratings, noise not taken off: "
        f"{numbers_text(top, digits=digits, bounded=True)})"
    )


def halves(result: Result) -> Row:
    """Return the split-half ceiling of all units: the last of their rows."""
    return [row for row in result.rows if row.group is None][-1]
