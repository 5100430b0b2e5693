"""Answers of people and of models, told apart, and refusals among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from socialstats.designs.parts import Factor, taken
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import wilson
from socialstats.inference.rows import with_ends
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text
from socialstats.studies.page import Block, Table
from socialstats.text import count, number

HUMANS = ("human", "humans", "people", "person", "persons")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The rater group that says the source: its name, the human level, and the others in order."""

    name: str
    human: str
    others: tuple[str, ...]


def human_source(design: Ratings) -> Source | None:
    """Return the rater group of which one level is called human; None where there is none, or nothing beside it."""
    for name, factor in design.rater_groups.items():
        used = {factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0}
        for level in factor.levels:
            if level.strip().casefold() in HUMANS and level in used and len(used) > 1:
                others = tuple(other for other in factor.levels if other != level and other in used)
                return Source(name=name, human=level, others=others)
    return None


def raters_of(design: Ratings, source: Source, level: str) -> tuple[str, ...]:
    """Return the raters of a source."""
    factor = design.rater_groups[source.name]
    code = factor.levels.index(level)
    return tuple(rater for rater, own in zip(design.raters, factor.codes.tolist(), strict=True) if own == code)


def crossed(design: Ratings) -> Ratings:
    """Return the design with its by factor as part of the units and as a stratum of them.

    A scenario under six pressures becomes six units of one cluster: the declared clusters, or the scenario itself.
    """
    if design.by is None:
        return design
    by, width = design.by, len(design.by.levels)
    keys, code = np.unique(design.unit * width + by.codes, return_inverse=True)
    unit, level = keys // width, keys % width
    pairs = [(design.units[u], by.levels[v]) for u, v in zip(unit.tolist(), level.tolist(), strict=True)]
    labels = [f"{one}, {other}" for one, other in pairs]
    if len(set(labels)) < len(labels):  # 'a, b' under 'c' and 'a' under 'b, c'
        labels = [" | ".join(map(repr, pair)) for pair in pairs]
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    own = place[code.ravel()]
    unit, level = unit[order], level[order]
    rows = np.lexsort((design.rater, own))
    clusters = tuple(taken(factor, unit) for factor in design.clusters)
    whole = Factor(name=design.columns.get("unit", "unit"), codes=np.arange(len(design.units)), levels=design.units)
    return replace(
        design, units=tuple(labels[k] for k in order.tolist()), unit=own[rows], rater=design.rater[rows],
        value=design.value[rows], status=design.status[rows], unit_count=design.unit_count[unit], by=None,
        clusters=clusters or (taken(whole, unit),),
        strata={**{name: taken(factor, unit) for name, factor in design.strata.items()},
                by.name: Factor(name=by.name, codes=level, levels=by.levels)},
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Rows of a result of choice shares by what they are about; a stratum of None is all units.

    Attributes
    ----------
    shares : mapping of (source, stratum) to rows of the levels
    gaps : mapping of (other source, stratum) to rows of the differences to the reference
    tests : mapping of (other source, stratum) to the row of any difference: swapped in whole clusters
    naive : mapping of (other source, stratum) to the same of ratings taken as independent
    """

    shares: dict[tuple[str, str | None], tuple[Row, ...]]
    gaps: dict[tuple[str, str | None], tuple[Row, ...]]
    tests: dict[tuple[str, str | None], Row]
    naive: dict[tuple[str, str | None], Row]


def unpacked(result: Result, strata: Sequence[str] = ()) -> Shares:
    """Sort the rows of a result of choice shares, which come in a fixed order; labels are not read back."""
    counts = result.extras["counts"]
    sources, among = list(counts), (None, *strata)
    m = len(counts[sources[0]])
    rows = iter(result.rows)

    def some() -> tuple[Row, ...]:
        return tuple(next(rows) for _ in range(m))

    found = Shares(shares={(s, g): some() for g in among for s in sources}, gaps={}, tests={}, naive={})
    for other in (s for s in sources if s != result.settings["reference"]):
        for part in ((None,), tuple(strata)):
            found.gaps.update({(other, g): some() for g in part})
            found.tests.update({(other, g): next(rows) for g in part})
            found.naive.update({(other, g): next(rows) for g in part})
    return found


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
