"""Sentences of a page on rows of results: how many are significant, which is the largest, how far they spread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from socialstats import sentences
from socialstats.results import Result, Row
from socialstats.studies.row_picking import LABEL, compared_sides, leading_difference, name_rows
from socialstats.text import capital, count, number, shorten

# differences below it come from the order in which floating-point numbers are added
ROUNDING = 1e-9


def tally_sentence(
    rows: Sequence[Row], what: str = "difference", where: str = "", *, within: str = "Holm"
) -> str:
    """State how many of some tests were significant, and how many rows have none.

    Examples
    --------
    >>> rows = [Row(term="a", p_adjusted=0.01), Row(term="b", p_adjusted=0.2), Row(term="c")]
    >>> tally_sentence(rows), tally_sentence(rows[1:2], "difference", " by domain")
    ('1 of 2 differences was significant (Holm). 1 has no test.', 'The difference by domain was not significant.')
    """
    tested = [row for row in rows if row.p_value is not None or row.p_adjusted is not None]
    significant = sum(sentences.is_significant(row) for row in tested)
    untested = len(rows) - len(tested)
    rest = f" {count(untested, 'has', 'have')} no test." if untested else ""
    if not tested:
        reason = next((row.undefined for row in rows if row.undefined), "")
        return f"No {what}{where} has a test" + (
            f": {sentences.because(reason)}." if reason else "."
        )
    if len(tested) == 1:
        return f"The {what}{where} was {'' if significant else 'not '}significant.{rest}"
    tests = f"{count(len(tested), what)}{where}"
    if not significant:
        return f"None of {tests} was significant ({within}).{rest}"
    verb = "was" if significant == 1 else "were"
    return f"{count(significant)} of {tests} {verb} significant ({within}).{rest}"


def largest_sentence(
    rows: Sequence[Row],
    every: Iterable[Row],
    *,
    of: str = "",
    dimensions: tuple[str, str] = ("source", "reference"),
    null: float = 0.0,
) -> str:
    """State the largest of some differences, with both numbers behind it.

    Parameters
    ----------
    rows : sequence of Row
        The differences.
    every : iterable of Row
        Rows of the result, among which `compared_sides` finds both parts.
    of : str
        Whose differences: `` of model a``.
    dimensions : (str, str)
        As of `compared_sides`.
    null : float
        As of `leading_difference`.
    """
    gap = leading_difference(rows, null)
    if gap is None:
        reason = rows[0].undefined if rows else None
        return sentences.no_number(f"the difference{of}", reason or "no data")
    size = abs((gap.estimate or 0.0) - null)
    larger = any(abs((row.estimate or 0.0) - null) > size for row in rows)
    kind = " significant" if sentences.is_significant(gap) else " tested"
    which = f"largest{kind * larger}"
    # a term may be made of labels already
    places = [
        shorten(label, LABEL)
        for name, label in gap.key
        if name not in (*dimensions, "family")
        and label not in gap.term
        and len({row.label(name) for row in rows}) > 1
    ]
    where = f" ({', '.join(places)})" if places else ""
    start = f"The {which} difference{of} was for '{shorten(gap.term, LABEL)}'{where}"
    numbers = sentences.stat(replace(gap, statistic=None))
    sides = compared_sides(gap, every, dimensions)
    if sides is None:
        return f"{start}: {numbers}."
    first, second = ((side.estimate or 0.0) for side in sides)
    # shares are of all units of a source, and a difference is of the units that both have
    shared = abs(first - second - (gap.estimate or 0.0)) > ROUNDING
    what = "difference on the units that both have" if shared else "difference"
    parts = " versus ".join(
        f"{shorten(gap.label(name) or '', LABEL)} {number(side.shown())}"
        for name, side in zip(dimensions, sides, strict=True)
    )
    return f"{start}: {parts} ({what} = {numbers})."


def span_sentence(rows: Sequence[Row], what: str) -> str:
    """State the smallest and the largest of some estimates.

    Examples
    --------
    >>> rows = [Row(term=t, estimate=e, limits=(0.0, 1.0)) for t, e in (("a", 0.2), ("b", 0.75))]
    >>> span_sentence(rows, "the share"), span_sentence([rows[0], rows[0]], "the share")
    ('The share lay between .200 (a) and .750 (b).', 'The share was .200 in all 2 cases.')
    """
    estimated = [row for row in rows if row.estimate is not None]
    if not estimated:
        return sentences.no_number(what, rows[0].undefined or "no data" if rows else "no data")
    printed = {number(row.shown()) for row in estimated}
    if len(printed) == 1 and len(estimated) > 1:
        return f"{capital(what)} was {printed.pop()} in all {count(len(estimated), 'case')}."
    names = dict(zip(map(id, estimated), name_rows(estimated), strict=True))
    ranked = sorted(estimated, key=lambda row: row.estimate or 0.0)
    low, high = (
        f"{sentences.estimate_text(row) if row.has_interval else number(row.shown())} ({names[id(row)]})"
        for row in (ranked[0], ranked[-1])
    )
    if len(ranked) == 1:
        return f"{capital(what)} was {sentences.estimate_text(ranked[0])}."
    return f"{capital(what)} lay between {low} and {high}."


def design_effect_note(rows: Iterable[Row]) -> str:
    """Return by how many times clusters multiply the variance of shares (median), for a caption.

    It is the number of answers over the number of independent ones that are worth as much (Kish, 1965).

    Examples
    --------
    >>> design_effect_note([Row(term="a", n=30.0, effective=20.0), Row(term="b")])
    'Median design effect: 1.5.'
    """
    ratios = [row.n / row.effective for row in rows if row.n and row.effective]
    return f"Median design effect: {number(median(ratios), 1)}." if ratios else ""


def interval_level(rows: Iterable[Row], result: Result) -> float:
    """Return the level of the intervals of some rows; that of a test of equivalence is not the setting.

    Examples
    --------
    >>> result = Result(metric="x", title="x", rows=(), settings={"level": 0.95})
    >>> interval_level([Row(term="a"), Row(term="b", conf_level=0.9)], result), interval_level([], result)
    (0.9, 0.95)
    """
    levels = [row.conf_level for row in rows if row.conf_level is not None]
    return levels[0] if levels else float(result.settings.get("level", 0.95))


def sizes_text(rows: Iterable[Row]) -> str:
    """Return on how many answers, units or pairs some rows rest, for a caption.

    Examples
    --------
    >>> sizes_text([Row(term="a", n=1200.0), Row(term="b", n=40.0), Row(term="c")])
    'n = 40 to 1,200'
    """
    sizes = sorted({int(row.n) for row in rows if row.n is not None})
    if not sizes:
        return ""
    least, most = count(sizes[0]), count(sizes[-1])
    return f"n = {least}" if len(sizes) == 1 else f"n = {least} to {most}"
