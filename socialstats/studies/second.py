"""Second analyses: refusals counted otherwise, other weights, tests or models. One that turns a conclusion is told.

A block has its second analyses that turn a conclusion (`turned`); the page's answer ends with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from socialstats.results import Row
from socialstats.sentences import direction, is_significant, stat, with_p
from socialstats.studies.page import Outcome, SecondAnalysis
from socialstats.text import count, shorten

MOST = 4  # sentences of the answer


def turns(conclusion: Row, second: Row, reference: float = 0.0) -> bool:
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
    analyses = (conclusion, second)
    values = [row.estimate - reference for row in analyses if row.estimate is not None]
    tested = {is_significant(row) for row in analyses if with_p(row)}
    sides = {direction(row, reference) for row in analyses if row.conf_low is not None}
    return (len(values) == 2 and values[0] * values[1] < 0) or max(len(tested), len(sides)) > 1


def turned(
    conclusion: Row,
    analyses: Iterable[tuple[str, Row]],
    quantity: str,
    reference: float = 0.0,
    *,
    here: str = "",
) -> tuple[SecondAnalysis, ...]:
    """Return each other analysis that turns a conclusion; each comes with how it differs, in words.

    `here` is how the page analyses, where `own` is the conclusion that opens it.

    Examples
    --------
    >>> own = Row(term="d", estimate=0.2, p_value=0.01)
    >>> (other,) = turned(own, [("With equal weights", Row(term="d", estimate=0.1, p_value=0.2))], "the difference")
    >>> other.text
    'With equal weights, the difference was 0.10, p = .200.'
    >>> other.short
    'With equal weights, the difference would not be significant.'
    """
    return tuple(
        SecondAnalysis(
            f"{how}, {quantity} was {stat(row)}{reference_side_text(row, reference)}.",
            f"{how}, {quantity} would {change_text(conclusion, row, reference)}.",
            how=how,
            change=f"{quantity} would {change_text(conclusion, row, reference)}",
            here=here,
        )
        for how, row in analyses
        if turns(conclusion, row, reference)
    )


def reference_side_text(row: Row, reference: float) -> str:
    """Return whether the interval of a row without a test holds the reference."""
    if with_p(row) or row.conf_low is None:
        return ""
    verb = "includes" if direction(row, reference) == "none" else "excludes"
    return f", which {verb} {reference:g}"


def change_text(conclusion: Row, second: Row, reference: float) -> str:
    """Return what becomes of a conclusion under another analysis, in plain words."""
    sides = [(row.estimate or 0.0) - reference for row in (conclusion, second)]
    if sides[0] * sides[1] < 0:
        return "have the other direction"
    if with_p(conclusion) and with_p(second):
        return "be significant" if is_significant(second) else "not be significant"
    clear = direction(second, reference) != "none"
    return "be clear" if clear else "not be clear"


def other_first(rows: Sequence[Row], second_rows: Sequence[Row]) -> bool:
    """Return whether the first of some rows lies behind the first of another analysis; both are in order of rank."""
    second_estimates = {row.term: row.estimate for row in second_rows}
    return (
        bool(rows)
        and rows[0].term in second_estimates
        and second_estimates[rows[0].term] != second_rows[0].estimate
    )


def with_turned(outcome: Outcome) -> Outcome:
    """Return a page whose answer ends with the second analyses of its blocks that turn a conclusion.

    The opening of the page tells them where a reader asks what could be wrong.
    """
    analyses = [
        with_level(block.level, analysis) for block in outcome.blocks for analysis in block.turned
    ]
    more = len(analyses) - MOST
    if more > 0:
        text = f"{count(more, 'further analysis', 'further analyses')} changed a conclusion."
        analyses = [*analyses[:MOST], SecondAnalysis(text, text)]
    texts = [analysis.text for analysis in analyses]
    return replace(outcome, answer=(*outcome.answer, *texts), turned=tuple(analyses))


def told_together(analyses: Iterable[SecondAnalysis]) -> list[str]:
    """Return second analyses in plain words; those that change the same are one sentence.

    Examples
    --------
    >>> main, second = Row(term="d", estimate=0.2, p_value=0.01), Row(term="d", estimate=0.1, p_value=0.2)
    >>> ways = [("With equal weights", second), ("Without refusals", second)]
    >>> told_together(turned(main, ways, "the difference"))
    ['With equal weights or without refusals, the difference would not be significant.']
    """
    by_change: dict[str, list[SecondAnalysis]] = {}
    for analysis in analyses:
        by_change.setdefault(analysis.change or analysis.short, []).append(analysis)
    texts = []
    for change, (first, *more) in by_change.items():
        ways = [first.how]
        ways += [f"{analysis.how[:1].lower()}{analysis.how[1:]}" for analysis in more]
        texts.append(f"{' or '.join(ways)}, {change}." if more else first.short)
    return texts


def with_level(level: str, analysis: SecondAnalysis) -> SecondAnalysis:
    """Return an analysis with the level of the by factor that it is of."""
    if not level:
        return analysis
    name = shorten(level)
    return replace(
        analysis,
        text=f"{name} (unadjusted): {analysis.text}",
        short=f"{name}: {analysis.short}",
        how="",
        change="",
    )
