"""Estimates under analysis variants, and without each cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.errors import InputError, SocialStatsError, UndefinedStatistic
from socialstats.halves import in_halves
from socialstats.progress import say
from socialstats.registry import refuse_weights
from socialstats.results import KINDS, Check, Result, Row, as_published
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.sentences import apa_interval
from socialstats.text import capital, count, listing, number, quoted, shorten

if TYPE_CHECKING:
    from socialstats.designs.paired import Paired

Side = Literal["above", "below", "holds", "unknown"]
SAME = 1e-9  # estimates nearer than this to each other, relative to their size, count as the same
SIDES: dict[Side, str] = {
    "above": "lies above",
    "below": "lies below",
    "holds": "includes",
    "unknown": "is undefined for",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do the analysis.

    Attributes
    ----------
    label : str
        In words; no two variants share one.
    choice : str
        The decision that it takes differently, such as ``ties``; the page's own analysis has ``"as on this page"``.
    compute : callable
        () -> Result.
    lead : callable
        Result -> the row of the estimate; by default the first.

    Examples
    --------
    >>> import socialstats as ss
    >>> from socialstats.results import Row
    >>> row = lambda value: ss.Result(metric="x", title="x", rows=(Row(term="mean", estimate=value),))
    >>> pooled = ss.Variant(label="pooled", choice="weights", compute=lambda: row(0.9))
    >>> pooled.lead(pooled.compute()).estimate
    0.9
    """

    label: str
    choice: str
    compute: Callable[[], Result]
    lead: Callable[[Result], Row] = lambda result: result.rows[0]

    def computed(self) -> tuple[Result, Row]:
        """Compute the result and take its leading row."""
        result = self.compute()
        return result, self.lead(result)


def multiverse(
    metric: str, quantity: str, variants: Sequence[Variant], *, reference: float, words: str = ""
) -> Result:
    """Compute every variant of an estimate; the first is the page's own.

    Parameters
    ----------
    metric : str
        Registry name of the metric.
    quantity : str
        What is estimated, in words.
    variants : sequence of Variant
        At least two; the first is the analysis that all others are compared with.
    reference : float
        The value that the conclusion turns on, such as no effect.
    digits : int
        Decimals in sentences.
    words : str
        What `reference` is, for the sentence; by default the number.

    Returns
    -------
    Result
        One row per variant: term = its label, group = the choice, estimate and interval of the variant; an
        undefined one says why.

    Raises
    ------
    InputError
        For fewer than two variants, or two of one name.
    SocialStatsError
        Whatever the page's own analysis raises.

    Examples
    --------
    >>> row = lambda value: Result(metric="x", title="x", rows=(Row(term="m", estimate=value),))
    >>> found = multiverse("x", "the mean", [
    ...     Variant(label="all", choice="as on this page", compute=lambda: row(1.0)),
    ...     Variant(label="without ties", choice="ties", compute=lambda: row(1.5)),
    ...     Variant(label="pooled", choice="weights", compute=lambda: row(0.9)),
    ... ], reference=0.0)
    >>> moves(found.rows)
    {'ties': 0.5, 'weights': -0.1}

    References
    ----------
    Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W. (2016). Increasing transparency through a multiverse
    analysis. Perspectives on Psychological Science, 11(5), 702-712. doi:10.1177/1745691616658637
    """
    labels = [v.label for v in variants]
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InputError(
            f"a multiverse needs at least two variants, each with a name of its own; got {quoted(labels)}"
        )
    results, leads, rows = {}, {}, []
    # an error of the page's own analysis is raised; that of a variant is the reason why its row is undefined
    outcomes = [variants[0].computed(), *_compute_all(variants[1:])]
    for variant, computed in zip(variants, outcomes, strict=True):
        if isinstance(computed, str):
            # an undefined variant is a row with its reason
            rows.append(Row(term=variant.label, group=variant.choice, undefined=computed))
            continue
        result, lead = computed
        results[variant.label], leads[variant.label] = result, lead
        rows.append(
            replace(
                lead,
                term=variant.label,
                group=variant.choice,
                by=None,
                method=result.inference,
                places=rows[0].decimals if rows else lead.decimals,
            )
        )
    page_result = results[labels[0]]
    return Result(
        metric=metric,
        title=f"{capital(quantity)} under {count(len(rows), 'analysis variant')}",
        rows=tuple(rows),
        inference="the interval of each analysis; nothing is pooled",
        counts=page_result.counts,
        settings={"reference": reference},
        references=("steegen2016",),
        design=page_result.design,
        words=_words(tuple(rows), quantity, reference, words or f"{reference:g}"),
        extras={"results": results, "leads": leads},
        check=recheck_farthest,
    )


def recheck_farthest(result: Result) -> Iterator[Check]:
    """Return the checks of the analysis whose estimate lies farthest from the page's, by its own `verify`.

    The rows must also be those of the analyses that they name: one that is not is a check that fails.
    """
    leads: dict[str, Row] = result.extras["leads"]
    page = leads[result.rows[0].term].estimate or 0.0
    farthest = max(leads, key=lambda label: abs((leads[label].estimate or 0.0) - page))
    for row in result.rows:
        if row.estimate is not None:
            yield from compare_copies(row, leads[row.term])
    analysis: Result = result.extras["results"][farthest]
    lead = next(k for k, row in enumerate(analysis.rows) if row is leads[farthest])
    shown = next(row for row in result.rows if row.term == farthest)
    for check in analysis.verify():
        renamed = replace(check, quantity=f"{farthest}: {check.quantity}", row=None, field="")
        if check.row == lead and check.ours is not None and check.field in KINDS:
            yield replace(renamed, ours=as_published(check.ours, getattr(shown, check.field)))
        elif check.ok is not None:
            yield renamed
    for row in result.rows:
        if row is not shown:
            yield from list_other_analysis(row)


def compare_copies(row: Row, lead: Row) -> Iterator[Check]:
    """Yield a check that fails for each number of a row that is not that of its analysis."""
    for name in KINDS:
        ours, theirs = getattr(row, name), getattr(lead, name)
        if ours != theirs:
            yield Check(
                quantity=f"{row.term}: {name}",
                ours=ours,
                theirs=theirs,
                package="socialstats",
                version="",
                tolerance=0.0,
                ok=False,
                why="copied from the analysis of that name",
            )


def list_other_analysis(row: Row) -> Iterator[Check]:
    """Yield that the numbers of an analysis were not recomputed."""
    for name in KINDS:
        if getattr(row, name) is not None:
            yield Check(
                quantity=f"{row.term}: {name}",
                ours=getattr(row, name),
                theirs=None,
                package="",
                version="",
                tolerance=0.0,
                ok=None,
                note="of all analyses, the one farthest from the page's own was recomputed",
                lack="variants",
            )


def _compute_all(variants: Sequence[Variant]) -> list[tuple[Result, Row] | str]:
    """Compute each variant and its leading row; where one has none, return the reason."""

    def result_of(k: int) -> tuple[Result, Row] | str:
        say(f"analysis variant: {variants[k].label}")
        try:
            return variants[k].computed()
        except SocialStatsError as error:
            return str(error).split("\n")[0]

    return in_halves(result_of, len(variants))


def distinct(variants: Sequence[Variant]) -> list[Variant]:
    """Give variants that share a label a number each: labels of the data were cut, or differ only in what is unseen."""
    by_label: dict[str, Variant] = {}
    for variant in variants:
        label, k = variant.label, 1
        while label in by_label:
            k += 1
            label = f"{variant.label} ({k})"
        by_label[label] = replace(variant, label=label)
    return list(by_label.values())


def without_label(factor: str, level: str) -> str:
    """Name the analysis that leaves out one level; a level that says its factor is not said twice.

    Examples
    --------
    >>> without_label("topic", "money"), without_label("judge", "judge 2"), without_label("model", "Model-3")
    ('without topic money', 'without judge 2', 'without Model-3')
    """
    kind, named = shorten(factor, 20), shorten(level, 30)
    repeats = (
        named.lower().startswith(kind.lower()) and not named[len(kind) : len(kind) + 1].isalpha()
    )
    return f"without {named}" if repeats else f"without {kind} {named}"


def with_estimate(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have an estimate."""
    return [row for row in rows if row.estimate is not None]


def ends(rows: Sequence[Row]) -> tuple[Row, Row]:
    """Return the rows of the smallest and the largest estimate."""
    ascending = sorted(with_estimate(rows), key=lambda row: row.estimate or 0.0)
    return ascending[0], ascending[-1]


def moves(rows: Sequence[Row]) -> dict[str, float]:
    """Return for each choice the largest shift of the estimate from the page's own, largest first."""
    base = rows[0].estimate or 0.0
    shifts: dict[str, float] = {}
    for row in with_estimate(rows[1:]):
        shift = round((row.estimate or 0.0) - base, 12)
        # the largest shift among the variants of a choice stands for it
        if abs(shift) >= abs(shifts.get(row.group or "", 0.0)):
            shifts[row.group or ""] = shift
    return dict(sorted(shifts.items(), key=lambda pair: -abs(pair[1])))


def side(row: Row, reference: float) -> Side:
    """Return where the interval of a row lies from the reference value."""
    if row.conf_low is None or row.conf_high is None:
        return "unknown"
    if row.conf_low > reference:
        return "above"
    return "below" if row.conf_high < reference else "holds"


def _words(rows: tuple[Row, ...], quantity: str, reference: float, name: str) -> str:
    """Return the range, the choice with the largest effect, and how many variants share the conclusion."""
    page_value, n = number(rows[0].shown()), len(with_estimate(rows))
    if n < 2:
        return f"{capital(quantity)} was {page_value} on this page. No other analysis variant has an estimate."
    low, high = (f"{number(row.shown())} ({shorten(row.term, 60)})" for row in ends(rows))
    text = f"{capital(quantity)} was {page_value} under all {count(n)} analysis variants."
    if largest := mover(rows):
        text = (
            f"Over {count(n)} analysis variants, {quantity} ranged from {low} to {high}. {largest} "
        )
        text += f"On this page it was {page_value}."
    inside = [row for row in rows if row.conf_low is not None]
    page_side = side(rows[0], reference)
    # without an interval of its own the page shares no conclusion
    if page_side == "unknown" or len(inside) < 2:
        return text
    others = [row for row in inside if side(row, reference) != page_side]
    same = len(inside) - 1 - len(others)
    text += f" The interval on this page {SIDES[page_side]} {name}, "
    if not others:
        return f"{text}as in {'the other variant' if same == 1 else f'all {count(same)} other variants'}."
    exceptions = listing(
        [f"{shorten(row.term, 60)} ({_interval(row, reference)})" for row in others], most=3
    )
    shared = f"as in {count(same, 'other variant')}" if same else "unlike in all other variants"
    return (
        f"{text}{shared}. Exceptions: {exceptions}." if same else f"{text}{shared}: {exceptions}."
    )


def _interval(row: Row, reference: float) -> str:
    """Write an interval, with as many more decimals (at most three) as show on which side of the reference it lies."""
    low, high, digits = row.conf_low or 0.0, row.conf_high or 0.0, row.decimals
    # an end that is rounded to the reference would not tell on which side it lies
    for places in range(digits, digits + 4):
        if side(
            replace(row, conf_low=round(low, places), conf_high=round(high, places)), reference
        ) == side(row, reference):
            digits = places
            break
    return apa_interval(replace(row, places=digits))


def mover(rows: tuple[Row, ...]) -> str:
    """Return which choice had the largest effect on the estimate; empty where none had any."""
    shifts = moves(rows)
    choice, shift = next(iter(shifts.items()), ("", 0.0))
    if abs(shift) <= SAME * max(1.0, abs(rows[0].estimate or 0.0)):
        return ""
    size = number(replace(rows[0], estimate=shift).shown())
    return f"{capital(choice)} had the largest effect ({'+' if shift > 0 else ''}{size})."


def leave_one_out(paired: Paired, *, cluster: str, lead: Row | None = None) -> Result:
    """Compute the mean difference of pairs without each cluster in turn: (S - S_g) / (n - n_g).

    Parameters
    ----------
    paired : Paired
    cluster : str
        A declared factor with two levels or more.
    lead : Row, optional
        The difference of all pairs; by default computed, without its error and limits.

    Returns
    -------
    Result
        A row for each cluster, smallest difference first, without intervals: a range.

    Raises
    ------
    InputError
        If the factor is not declared.
    UndefinedStatistic
        If it has a single level.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall. Chapter 11.

    Examples
    --------
    >>> table = {"unit": [1, 2, 3], "old": [1.0, 2.0, 2.0], "new": [2.0, 2.0, 5.0], "story": ["s", "s", "t"]}
    >>> from socialstats import Paired
    >>> pairs = Paired.from_wide(table, first="new", second="old", unit="unit", cluster="story")
    >>> leave_one_out(pairs, cluster="story").coef()
    {'t': 0.5, 's': 3.0}
    """
    refuse_weights(paired, "leave_one_out()")
    design = paired
    (factor,) = design.factors(cluster)
    if len(factor.levels) < 2:
        raise UndefinedStatistic(
            f"all pairs are in one {shorten(factor.name, 40)}: nothing is left without it"
        )
    if lead is None:
        lead = Row(
            term="difference", estimate=float(np.average(design.difference, weights=design.count))
        )
    k = len(factor.levels)
    sums = np.bincount(factor.codes, weights=design.count * design.difference, minlength=k)
    sizes = np.bincount(factor.codes, weights=design.count, minlength=k)
    # (S - S_g) / (n - n_g)
    left = sizes.sum() - sizes
    values = (sums.sum() - sums) / left
    order = np.argsort(values, kind="stable")
    rows = tuple(
        Row(
            term=factor.levels[g],
            group=f"without this {factor.name}",
            key=(("without", factor.levels[g]),),
            role="component",
            limits=lead.limits,
            estimate=float(values[g]),
            n=float(left[g]),
            method="mean difference of the other pairs",
        )
        for g in order.tolist()
    )
    low, high = rows[0], rows[-1]
    name = shorten(factor.name, 40)
    ends_text = (
        f"{number(replace(lead, estimate=row.estimate).shown())} (without '{shorten(row.term, 40)}')"
        for row in (low, high)
    )
    words = f"The difference was {number(lead.shown())}. Omitting one {name} at a time gave {' to '.join(ends_text)}."
    return Result(
        metric="paired_difference",
        title=f"Difference without each {name}",
        rows=rows,
        inference="a range, not an interval",
        counts={"pairs": design.n_pairs, name: k},
        design=design,
        words=words,
        extras={"factor": factor},
        check=Definition(samples=sample_of_other_pairs),
    )


def sample_of_other_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs, whose mean difference is taken without those of each cluster."""
    design, clusters = result.design, result.extras["factor"].labels()
    difference = design.first - design.second
    outside = {(row.group, row.term): clusters != row.term for row in result.rows}

    def means(count: FloatArray) -> dict[RowKey, float]:
        return {
            key: float(np.average(difference[pairs], weights=count[pairs]))
            for key, pairs in outside.items()
        }

    # the rows have no interval, and so the result has no level
    yield PlainSample(count=design.count.astype(np.float64), plain=means, level=0.95)
