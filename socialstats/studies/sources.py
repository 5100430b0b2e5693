"""Answers of people and of models, told apart, and refusals among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from socialstats.arrays import unique_rows
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import OK, Factor, taken
from socialstats.designs.ratings import Ratings
from socialstats.designs.replies import replies_of
from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.results import Result, ResultGroup, Row
from socialstats.sentences import estimate_text
from socialstats.shares.counts import join_labels
from socialstats.shares.reply_shares import RATER, reply_shares
from socialstats.shares.sources import RaterSource, human_source, raters_of
from socialstats.studies.estimates import ends, rows_table, single
from socialstats.studies.page import Block, PageTable
from socialstats.studies.second import turned
from socialstats.text import capital, count, number, shorten

MOST_DRAWN = 60
MOST_RATERS = 30  # more are not shown at each level


def crossed(design: Ratings) -> Ratings:
    """Return the design with its by factor as part of the units and as a stratum of them.

    A scenario under six pressures becomes six units of one cluster: the declared clusters, or the scenario itself.
    """
    if design.by is None:
        return design
    by = design.by
    keys, _, code = unique_rows(np.column_stack([design.unit, by.codes]))
    labels = join_labels([(design.units[u], by.levels[v]) for u, v in keys.tolist()])
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.int64)
    own = np.argsort(order)[code.ravel()]
    unit, level = keys[order].T
    rows = np.lexsort((design.rater, own))
    clusters = tuple(taken(factor, unit) for factor in design.clusters)
    whole = Factor(
        name=design.columns.get("unit", "unit"),
        codes=np.arange(len(design.units)),
        levels=design.units,
    )
    return replace(
        design,
        **design.answers_at(rows),
        units=tuple(labels[k] for k in order.tolist()),
        unit=own[rows],
        rater=design.rater[rows],
        unit_count=design.unit_count[unit],
        by=None,
        clusters=clusters or (taken(whole, unit),),
        strata={
            **{name: taken(factor, unit) for name, factor in design.strata.items()},
            by.name: Factor(name=by.name, codes=level, levels=by.levels),
        },
    )


def model_by_model(design: Ratings, source: RaterSource) -> Ratings:
    """Return the design with each rater that is no person as a source of its own; people stay one."""
    people = set(raters_of(design, source, source.human))
    labels = [source.human if rater in people else rater for rater in design.raters]
    levels = tuple(dict.fromkeys((source.human, *labels)))
    codes = np.array([levels.index(label) for label in labels], dtype=np.int64)
    own = Factor(name=source.name, codes=codes, levels=levels)
    return replace(design, rater_groups={**design.rater_groups, source.name: own})


def replies_by(design: Comparisons | Ratings, level: float) -> Block | None:
    """Show the unusable replies of each rater at each level of the by factor; None where all were usable."""
    replies, source, condition = replies_of(design), RATER, None
    if isinstance(design, Ratings) and design.by is not None and len(design.raters) > 1:
        known = design.take(design.by.codes >= 0)  # others are people's, of all levels
        people = human_source(known)
        known = known if people is None else model_by_model(known, people)
        named = known.raters if people is None else known.rater_groups[people.name].levels
        if 1 < len(named) <= MOST_RATERS:
            replies, condition = crossed(known), design.by.name
            source = RATER if people is None else people.name
    several = source if condition or len(replies.raters) > 1 else None
    return replies_block(
        replies, reply_shares(replies, source=several, stratum=condition, level=level)
    )


def replies_block(design: Ratings, shares: Result | ResultGroup) -> Block | None:
    """Show the shares of refused and of missing or unparsed replies by source; None where all were usable."""
    if np.all(design.status == OK):
        return None
    lost = single(shares)
    rows = [
        replace(row, term=f"{shorten(row.group or '', 40)}: {row.term}", group=None)
        for row in lost.rows
    ]
    shown = [row for row, own in zip(rows, lost.rows, strict=True) if own.term != "usable"]
    return Block(
        id="replies",
        question="Which replies could not be used?",
        part="appendix",
        sentences=(lost.sentence(),),
        draw=partial(
            forest, shown[:MOST_DRAWN], sort=False, reference=None, xlabel="share of replies"
        ),
        figure_title="Shares of refused, and of missing or unreadable replies",
        caption=f"Points and bars: shares and CIs ({lost.inference}). Questions that were never asked are not counted.",
        tables=(rows_table(rows, "Shares of replies by source", term="Source and kind"),),
        results=(lost,),
    )


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

    @property
    def strata(self) -> tuple[str, ...]:
        """Labels of the strata."""
        return tuple(dict.fromkeys(stratum for _, stratum in self.shares if stratum is not None))


def unpacked(result: Result) -> Shares:
    """Sort the rows of a result of choice shares, those of changes left out."""
    found = Shares(shares={}, gaps={}, tests={}, naive={})
    for row in result.rows:
        at = row.label("source") or "", row.label("stratum")
        if row.label("base") is not None or row.role == "component":
            continue
        if row.role == "test":
            (found.naive if row.test == "chi2" else found.tests)[at] = row
        else:
            kind = found.shares if row.role == "estimate" else found.gaps
            kind[at] = (*kind.get(at, ()), row)
    return found


Rule = Literal["drop", "against", "for"]
RULES: dict[Rule, str] = {
    "drop": "refusals excluded",
    "against": "all refusals counted against",
    "for": "all refusals counted for",
}


def refusal_block(
    compute: Callable[[Rule], Result],
    refused: int,
    *,
    quantity: str,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
    target: str = "it",
    reference: Callable[[Result], float] = lambda result: 0.0,
) -> Block | None:
    """Show an estimate under the three rules of counting refusals; None without refusals.

    Parameters
    ----------
    compute : callable
        Rule -> Result: the metric on the same table. Every refusal is excluded ("drop"), or scored as the answer that
        counts most against the model ("against") or most for it ("for").
    refused : int
        Refusals in the table.
    quantity : str
        What is estimated, in words.
    lead : callable
        Result -> the row of the estimate; by default the first.
    target : str
        What the refusals are counted against or for.
    reference : callable
        Result -> the value that the answer compares the estimate with: where a rule turns this, the answer says so.
    """
    if refused <= 0:
        return None
    found: dict[str, Result] = {}
    problems = []
    for rule, words in RULES.items():
        try:
            found[words] = compute(rule)
        except SocialStatsError as error:
            problems.append((words, None, None, None, str(error)))
    rows = {words: replace(lead(result), term=words, group=None) for words, result in found.items()}
    cells = [(words, *ends(r), r.undefined) for words, r in rows.items()]
    name, the = capital(quantity), quantity if quantity == "S" else f"the {quantity}"
    own, *others = (rows.get(words) for words in RULES.values())
    ways = [
        (f"With {words} {target}", row)
        for words, row in zip(list(RULES.values())[1:], others, strict=True)
        if row is not None
    ]
    return Block(
        id="refusals",
        question=f"How much could refusals change {the}?",
        sentences=(bounds_sentence(rows, refused, name, target),),
        draw=partial(forest, tuple(rows.values()), sort=False, xlabel=quantity, label="Rule"),
        figure_title=f"{name}, by treatment of refusals",
        caption="Points and bars: estimates and CIs. The last two count every refusal the same way and bound the "
        "effect of refusals.",
        tables=(
            PageTable(
                caption=f"{name} under each rule",
                header=("Rule", "Estimate", "Low", "High", "Why not"),
                cells=(*cells, *problems),
            ),
        ),
        results=tuple(found.values()),
        turned=() if own is None else turned(own, ways, the, reference(found[RULES["drop"]])),
    )


def bounds_sentence(rows: dict[str, Row], refused: int, name: str, target: str = "it") -> str:
    """State the estimate without refusals and its bounds.

    Examples
    --------
    >>> values = zip(RULES.values(), (0.375, 0.3, 0.5))
    >>> rows = {words: Row(term=words, estimate=x, conf_low=0.277, conf_high=0.485, limits=(0.0, 1.0))
    ...         for words, x in values}
    >>> print(bounds_sentence(rows, 20, "Share of 'comply'"))
    Share of 'comply' was .375, 95% CI [.277, .485] without the 20 refusals; counting all refusals against it gives
    .300, and for it .500.
    """
    without, against, favour = (rows.get(words) for words in RULES.values())
    first = "undefined" if without is None else estimate_text(without)
    ends = ["undefined" if row is None else number(row.shown()) for row in (against, favour)]
    return (
        f"{name} was {first} without the {count(refused, 'refusal')}; counting all refusals against {target} "
        f"gives {ends[0]}, and for {target} {ends[1]}."
    )
