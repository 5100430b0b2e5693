"""The same question under other reasonable choices, and what the answer rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.halves import in_halves
from socialstats.progress import say
from socialstats.results import KINDS, Check, Result, Row, marked
from socialstats.studies.estimates import (
    cluster_ways,
    clusters_caption,
    design_effect,
    digits_for,
    numbers_text,
    p_text,
    table_of,
    whole,
)
from socialstats.studies.page import Block, Table
from socialstats.text import capital, count, interval, number, p_value, quoted, shorten

Side = Literal["above", "below", "holds", "unknown"]
MOST_LEFT_OUT = 12  # levels of a factor that are left out one at a time
SAME = 1e-9  # estimates nearer than this to each other, relative to their size, count as the same
SIDES: dict[Side, str] = {
    "above": "lies above it", "below": "lies below it", "holds": "holds it", "unknown": "does not exist",
}  # fmt: skip


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
    """

    label: str
    choice: str
    compute: Callable[[], Result]
    lead: Callable[[Result], Row] = lambda result: result.rows[0]


OWN = "socialstats"


class Multiverse(Result):
    """An estimate under every choice: one row a variant, ``extras["results"]`` the Result of each by its label."""

    __slots__ = ()

    def crosscheck(self) -> Iterator[Check]:
        """Recompute the estimate that lies farthest from the page's own by the crosscheck of its metric.

        The rows must also be those of the analyses that they name: one that is not is a check that fails.
        """
        leads: Mapping[str, Row] = self.extras["leads"]
        base = leads[self.rows[0].term].estimate or 0.0
        farthest = max(leads, key=lambda label: abs((leads[label].estimate or 0.0) - base))
        result, shown = self.extras["results"][farthest], {row.term: row for row in self.rows}
        made = [(row, name, getattr(row, name)) for row in self.rows for name in KINDS]
        for row, name, ours in made:
            if row.estimate is not None and ours != (theirs := getattr(leads[row.term], name)):
                yield Check(quantity=f"{row.term}: {name}", ours=ours, theirs=theirs, package=OWN, version="",
                            tolerance=0.0, ok=False, why="copied from the analysis of that name")  # fmt: skip
        lead = next(k for k, row in enumerate(result.rows) if row is leads[farthest])
        for check in result.verify():
            named = replace(check, quantity=f"{farthest}: {check.quantity}", row=None, field="")
            if check.row == lead and check.ours is not None and check.field in KINDS:
                yield replace(named, ours=marked(check.ours, getattr(shown[farthest], check.field)))
            elif check.ok is not None:
                yield named
        others = "of all analyses, the one farthest from the page's own was recomputed"
        for row, name, ours in made:
            if row.term != farthest and ours is not None:
                yield Check(quantity=f"{row.term}: {name}", ours=ours, theirs=None, package="", version="",
                            tolerance=0.0, ok=None, note=others)  # fmt: skip


def multiverse(
    metric: str, quantity: str, variants: Sequence[Variant], *, reference: float, digits: int = 2, words: str = ""
) -> Multiverse:
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
    Multiverse
        One row a variant: term = its label, group = the choice, estimate and interval of the variant; an
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
        raise InputError(f"a multiverse needs at least two variants, each with a name of its own; got {quoted(labels)}")
    results, leads, rows = {}, {}, []
    for variant, result in zip(variants, [variants[0].compute(), *_computed(variants[1:])], strict=True):
        if isinstance(result, str):
            rows.append(Row(term=variant.label, group=variant.choice, undefined=result))
            continue
        lead = variant.lead(result)
        results[variant.label], leads[variant.label] = result, lead
        rows.append(replace(lead, term=variant.label, group=variant.choice, by=None, method=result.inference))
    own = results[labels[0]]
    return Multiverse(
        metric=metric, title=f"{capital(quantity)} under {count(len(rows), 'analysis', 'analyses')}",
        rows=tuple(rows), inference="the interval of each analysis; nothing is pooled", counts=own.counts,
        settings={"reference": reference, "digits": digits}, references=("steegen2016",), design=own.design,
        words=_words(tuple(rows), quantity, reference, digits, words or f"{reference:g}"),
        extras={"results": results, "leads": leads},
    )  # fmt: skip


def _computed(variants: Sequence[Variant]) -> list[Result | str]:
    """Compute each variant, or say why it has no result."""

    def one(k: int) -> Result | str:
        say(f"analysis variant: {variants[k].label}")
        try:
            return variants[k].compute()
        except SocialStatsError as error:
            return str(error).split("\n")[0]

    return in_halves(one, len(variants))


def distinct(variants: Sequence[Variant]) -> list[Variant]:
    """Give variants that share a label a number each: labels of the data were cut, or differ only in what is unseen."""
    found: dict[str, Variant] = {}
    for variant in variants:
        label, k = variant.label, 1
        while label in found:
            k += 1
            label = f"{variant.label} ({k})"
        found[label] = replace(variant, label=label)
    return list(found.values())


def without_label(factor: str, level: str) -> str:
    """Name the analysis that leaves out one level; a level that says its factor is not said twice.

    Examples
    --------
    >>> without_label("topic", "money"), without_label("judge", "judge 2"), without_label("model", "Model-3")
    ('without topic money', 'without judge 2', 'without Model-3')
    """
    kind, named = shorten(factor, 20), shorten(level, 30)
    said = named.lower().startswith(kind.lower()) and not named[len(kind) : len(kind) + 1].isalpha()
    return f"without {named}" if said else f"without {kind} {named}"


def known(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have an estimate."""
    return [row for row in rows if row.estimate is not None]


def ends(rows: Sequence[Row]) -> tuple[Row, Row]:
    """Return the rows of the smallest and the largest estimate."""
    found = sorted(known(rows), key=lambda row: row.estimate or 0.0)
    return found[0], found[-1]


def moves(rows: Sequence[Row]) -> dict[str, float]:
    """Return for each choice the largest shift of the estimate from the page's own, largest first."""
    base = rows[0].estimate or 0.0
    shifts: dict[str, float] = {}
    for row in known(rows[1:]):
        shift = round((row.estimate or 0.0) - base, 12)
        if abs(shift) >= abs(shifts.get(row.group or "", 0.0)):
            shifts[row.group or ""] = shift
    return dict(sorted(shifts.items(), key=lambda pair: -abs(pair[1])))


def side(row: Row, reference: float) -> Side:
    """Say where the interval of a row lies from the reference value."""
    if row.conf_low is None or row.conf_high is None:
        return "unknown"
    return "above" if row.conf_low > reference else "below" if row.conf_high < reference else "holds"


def _words(rows: tuple[Row, ...], quantity: str, reference: float, digits: int, name: str) -> str:
    """Return range, the choice that moves the estimate most, and how often the conclusion stays."""
    own, mover, n = number(rows[0].estimate, digits), _mover(rows, digits), len(known(rows))
    if n < 2:
        return f"On this page {quantity} is {own}. {mover}"
    low, high = (f"{number(row.estimate, digits)} ({shorten(row.term, 60)})" for row in ends(rows))
    text = (
        f"Over {count(n, 'analysis', 'analyses')}, {quantity} runs from {low} to {high}; on this page it is {own}. "
        f"{mover}"
    )
    inside = [row for row in rows if row.conf_low is not None]
    mine = side(rows[0], reference)
    if mine == "unknown" or len(inside) < 2:
        return text
    others = [row for row in inside if side(row, reference) != mine]
    verdict = f"{text} The interval on this page {SIDES[mine].replace('it', name)}; so do those of"
    if not others:
        return f"{verdict} all {count(len(inside) - 1)} others."
    told = ", ".join(f"{shorten(row.term, 60)} ({_interval(row, digits, reference)})" for row in others[:3])
    more = f" and {count(len(others) - 3)} more" if len(others) > 3 else ""
    return f"{verdict} {count(len(inside) - 1 - len(others))} others, but not: {told}{more}."


def _interval(row: Row, digits: int, reference: float) -> str:
    """Write an interval, with as many more decimals (at most three) as show on which side of the reference it lies."""
    low, high = row.conf_low or 0.0, row.conf_high or 0.0
    for places in range(digits, digits + 4):
        if side(replace(row, conf_low=round(low, places), conf_high=round(high, places)), reference) == side(
            row, reference
        ):
            digits = places
            break
    return interval(row.conf_low, row.conf_high, digits, level=row.conf_level or 0.95)


def _mover(rows: tuple[Row, ...], digits: int) -> str:
    """Say which choice moves the estimate most."""
    shifts = moves(rows)
    if not shifts:
        return "No other analysis has an estimate."
    choice, shift = next(iter(shifts.items()))
    if abs(shift) <= SAME * max(1.0, abs(rows[0].estimate or 0.0)):
        return "No choice moves it."
    sign = "+" if shift > 0 else ""
    return f"What moves it most is {choice} ({sign}{number(shift, digits)})."


def other_analyses(what: str) -> str:
    """Ask whether a number rests on the analysis that was chosen."""
    return f"Does {what} change under other defensible analyses?"


def multiverse_block(found: Multiverse, *, id: str, question: str, quantity: str, note: str = "") -> Block:
    """Show a multiverse: one line an analysis, the page's own as the vertical line."""
    digits, rows = found.settings["digits"], found.rows
    low, high = (number(row.estimate, digits) for row in ends(rows))
    caption = (
        f"From {low} to {high}; the line is the analysis of this page. {_mover(rows, digits)} Intervals: of each "
        f"analysis by itself. {note}"
    )
    title = f"{capital(quantity)} under every choice of analysis"
    base = rows[0].estimate or 0.0
    columns: dict[str, Any] = {
        "Choice": "group", "Estimate": "estimate",
        "Shift": lambda row: None if row.estimate is None else row.estimate - base, "SE": "std_error",
        "Low": "conf_low", "High": "conf_high", "n": whole("n"), "Interval": "method", "Why not": "undefined",
    }  # fmt: skip
    return Block(
        id=id,
        question=question,
        sentences=(found.sentence(),),
        draw=partial(
            forest, rows, sort=False, digits=digits, label="Analysis", xlabel=quantity, reference=rows[0].estimate
        ),
        figure_title=title,
        caption=caption.strip(),
        tables=(table_of(rows, title, ("Analysis", "term"), columns, max(3, digits)),),
        results=(found,),
    )


Way = str | tuple[str, str] | None


def dependence_block(
    factors: tuple[Factor, ...],
    compute: Callable[[Way], Result],
    *,
    rows: str,
    quantity: str,
    bounded: bool = False,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
    naive: tuple[str, Result] | None = None,
) -> Block | None:
    """Show one estimate under each assumption about dependence; None where no cluster is declared.

    Parameters
    ----------
    factors : tuple of Factor
    compute : callable
        Cluster option -> Result.
    rows : str
        What is independent without clusters: pairs, units.
    quantity : str
    bounded : bool
        The estimate cannot exceed 1 in size.
    lead : callable
        Result -> the row of the estimate; by default the first.
    naive : (label, Result), optional
        What even less dependence than without clusters would give; stands first.
    """
    if not factors:
        return None
    found: dict[str, Result] = {} if naive is None else {naive[0]: naive[1]}
    problems: dict[str, str] = {}
    for label, way in cluster_ways(factors, rows).items():
        try:
            found[label] = compute(way)
        except SocialStatsError as error:
            problems[label] = str(error)
    shown = tuple(replace(lead(result), term=label) for label, result in found.items())
    digits = digits_for(shown)
    title = f"{capital(quantity)} under each assumption about dependence"
    columns: dict[str, Any] = {
        "Clusters": "n_clusters", "Estimate": "estimate", "SE": "std_error", "Low": "conf_low", "High": "conf_high",
        "p": lambda r: p_text(r.p_value),
        "Design effect": lambda r: None if (e := design_effect(r, shown[0])) is None else number(e, 2),
        "Why not": "undefined",
    }  # fmt: skip
    lost = tuple(Row(term=label, undefined=problem) for label, problem in problems.items())
    return Block(
        id="dependence",
        question=f"What does the dependence of the {rows} do to the answer?",
        sentences=(_dependence_sentence(shown, bounded, digits),),
        draw=partial(forest, shown, sort=False, xlabel=quantity, digits=digits, label="Assumption"),
        figure_title=title,
        caption="The estimate is that of the same data; what changes is how much they are worth.",
        tables=(table_of((*shown, *lost), title, ("Assumption", "term"), columns, digits),),
        results=tuple(found.values()),
    )


def _dependence_sentence(rows: Sequence[Row], bounded: bool, digits: int) -> str:
    """Say what the row-level test would have claimed, beside each clustered one."""
    naive, *others = (
        (row.term, numbers_text(row, digits=digits, bounded=bounded)
         + ("" if row.p_value is None else f", {p_value(row.p_value)}"))
        for row in rows
    )  # fmt: skip
    rest = "; ".join(f"{label}: {said}" for label, said in others)
    return f"With {naive[0]}, a row-level test would have claimed {naive[1]}. {capital(rest)}."


def with_design_effect(
    blocks: Sequence[Block], factors: Sequence[Factor], *, lead: Callable[[Result], Row] = lambda result: result.rows[0]
) -> tuple[Block, ...]:
    """Say the clusters and their design effect in the caption of the first block that draws a figure.

    Parameters
    ----------
    blocks : sequence of Block
        With that of `dependence_block`, whose first result takes rows as independent, and whose last has all clusters.
    factors : sequence of Factor
    lead : callable
        Result -> the row of the estimate.
    """
    ways = next((block.results for block in blocks if block.id == "dependence"), ())
    effect = design_effect(lead(ways[-1]), lead(ways[0])) if len(ways) > 1 else None
    said = clusters_caption(factors, effect)
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not said or first is None:
        return tuple(blocks)
    caption = blocks[first].caption
    named = "clusters: " + " x ".join(f"{count(len(np.unique(f.codes)))} of {f.name}" for f in factors)
    if named in caption and effect is not None:  # the caption names them already
        caption = caption.replace(named, f"{named}, design effect {number(effect, 1)}")
    else:
        caption = f"{caption} {capital(said)}.".lstrip()
    return (*blocks[:first], replace(blocks[first], caption=caption), *blocks[first + 1 :])


MOST_CHECKED = 200


class LeftOut(Result):
    """The estimate without each cluster in turn; ``extras["factor"]`` is the cluster factor."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the difference without each cluster (of many: the ends of the range) from the pairs, by pandas."""
        import pandas as pd

        from socialstats.crosscheck.long import compare

        design, factor = self.design, self.extras["factor"]
        pairs = pd.DataFrame({"gap": design.first - design.second, "n": design.count})
        pairs["cluster"] = [factor.levels[code] for code in factor.codes.tolist()]
        checks = []
        for row in self.rows if len(self.rows) <= MOST_CHECKED else outer_rows(self):
            others = pairs[pairs["cluster"] != row.term]
            theirs = float((others["gap"] * others["n"]).sum() / others["n"].sum())
            checks.append(compare(f"difference without '{row.term}'", row.estimate, theirs, package="pandas",
                                  tolerance=1e-9 * max(1.0, abs(theirs)), why="sums in another order"))  # fmt: skip
        return checks


def leave_one_out(design: Paired, factor: Factor, lead: Row, metric: str) -> Result:
    """Return the mean difference without each cluster in turn, sorted: (S - S_g) / (n - n_g)."""
    k = len(factor.levels)
    sums = np.bincount(factor.codes, weights=design.count * design.difference, minlength=k)
    sizes = np.bincount(factor.codes, weights=design.count, minlength=k)
    left = sizes.sum() - sizes
    values = (sums.sum() - sums) / left
    order = np.argsort(values, kind="stable")
    rows = tuple(
        Row(term=factor.levels[g], group=f"without this {factor.name}", key=(("without", factor.levels[g]),),
            role="component", estimate=float(values[g]), n=float(left[g]),
            method="mean difference of the other pairs")
        for g in order.tolist()
    )  # fmt: skip
    low, high = rows[0], rows[-1]
    name = shorten(factor.name, 40)
    digits = digits_for([lead])
    words = (
        f"Leaving out one {name} at a time, the difference runs from {number(low.estimate, digits)} (without "
        f"'{shorten(low.term, 40)}') to {number(high.estimate, digits)} (without '{shorten(high.term, 40)}'); with "
        f"all of them it is {number(lead.estimate, digits)}."
    )
    return LeftOut(
        metric=metric, title=f"Difference without each {name}", rows=rows, inference="a range, not an interval",
        counts={"pairs": design.n_pairs, name: k}, design=design, words=words, extras={"factor": factor},
    )  # fmt: skip


def influence_block(results: Mapping[str, Result], *, digits: int = 3) -> Block | None:
    """Show the range of the estimate when one cluster is left out; None without clusters to leave out."""
    if not results:
        return None
    cells = tuple(
        (f"without {shorten(row.term, 28)}", result.extras["factor"].name, row.estimate, int(row.n or 0))
        for result in results.values() for row in outer_rows(result)
    )  # fmt: skip
    return Block(
        id="influence",
        question="Does the answer depend on a single cluster?",
        sentences=tuple(result.sentence() for result in results.values()),
        tables=(Table(caption="Smallest and largest estimate when one cluster is left out", cells=cells,
                      header=("Left out", "Cluster", "Estimate", "Pairs left"), digits=digits),),
        results=tuple(results.values()),
    )  # fmt: skip


def outer_rows(result: Result) -> tuple[Row, ...]:
    """Return the smallest and the largest row, once where they agree."""
    return result.rows[:1] if len(result.rows) == 1 else (result.rows[0], result.rows[-1])
