"""Answers of people and of models, told apart, and refusals among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from socialstats.arrays import unique_rows
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import OK, Factor, taken
from socialstats.designs.ratings import Ratings
from socialstats.designs.replies import replies_of
from socialstats.errors import SocialStatsError
from socialstats.results import Result, ResultGroup, Row
from socialstats.sentences import estimate_text
from socialstats.shares.counts import join_labels
from socialstats.shares.reply_shares import RATER, reply_shares
from socialstats.shares.sources import RaterSource, human_source, raters_of
from socialstats.studies.asking import ask_rows
from socialstats.studies.estimates import single
from socialstats.studies.page import Block
from socialstats.studies.row_figures import interval_points
from socialstats.studies.second import turned
from socialstats.text import capital, count, number

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
    unit_codes = np.argsort(order)[code.ravel()]
    unit, level = keys[order].T
    rows = np.lexsort((design.rater, unit_codes))
    clusters = tuple(taken(factor, unit) for factor in design.clusters)
    by_unit = Factor(
        name=design.columns.get("unit", "unit"),
        codes=np.arange(len(design.units)),
        levels=design.units,
    )
    return replace(
        design,
        **design.answers_at(rows),
        units=tuple(labels[k] for k in order.tolist()),
        unit=unit_codes[rows],
        rater=design.rater[rows],
        unit_count=design.unit_count[unit],
        by=None,
        clusters=clusters or (taken(by_unit, unit),),
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
    by_model = Factor(name=source.name, codes=codes, levels=levels)
    return replace(design, rater_groups={**design.rater_groups, source.name: by_model})


def replies_by(design: Comparisons | Ratings, level: float) -> Block | None:
    """Show the unusable replies of each rater at each level of the by factor; None where all were usable."""
    replies, source, condition = replies_of(design), RATER, None
    if isinstance(design, Ratings) and design.by is not None and len(design.raters) > 1:
        answered = design.take(design.by.codes >= 0)  # others are people's, of all levels
        people = human_source(answered)
        answered = answered if people is None else model_by_model(answered, people)
        named = answered.raters if people is None else answered.rater_groups[people.name].levels
        if 1 < len(named) <= MOST_RATERS:
            replies, condition = crossed(answered), design.by.name
            source = RATER if people is None else people.name
    several = source if condition or len(replies.raters) > 1 else None
    return replies_block(
        replies, reply_shares(replies, source=several, stratum=condition, level=level)
    )


def replies_block(design: Ratings, shares: Result | ResultGroup) -> Block | None:
    """Ask which replies were refused, missing or unparsed, by source; None where all were usable."""
    if np.all(design.status == OK):
        return None
    result = single(shares)
    usable = [row for row in result.rows if row.term == "usable"]
    return ask_rows(
        "replies",
        "Which replies could not be used?",
        result,
        [row for row in result.rows if row.term != "usable"],
        quantity="shares of refused, and of missing or unreadable replies",
        say=[result.sentence()],
        draw=interval_points(None),
        tables={"Shares of usable replies": usable},
        note="Questions that were never asked are not counted.",
        part="appendix",
    )


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
    results: dict[Rule, Result] = {}
    rows: dict[Rule, Row] = {}
    for rule, words in RULES.items():
        try:
            results[rule] = compute(rule)
            rows[rule] = replace(lead(results[rule]), term=words, group=None)
        except SocialStatsError as error:
            rows[rule] = Row(term=words, undefined=str(error))
    the = quantity if quantity == "S" else f"the {quantity}"
    block = ask_rows(
        "refusals",
        f"How much could refusals change {the}?",
        next(iter(results.values()), None),
        [*rows.values()],
        quantity=f"{quantity}, by treatment of refusals",
        names=[*RULES.values()],
        say=[bounds_sentence(rows, refused, capital(quantity), target)],
        draw=interval_points(label="Rule"),
        results=[*results.values()][1:],
        note="The last two count every refusal the same way and bound the effect of refusals.",
    )
    if block is None or "drop" not in results:
        return block
    bounds = [
        (f"With {row.term} {target}", row) for row in rows.values() if row.estimate is not None
    ]
    return replace(block, turned=turned(rows["drop"], bounds, the, reference(results["drop"])))


def bounds_sentence(rows: Mapping[Rule, Row], refused: int, name: str, target: str = "it") -> str:
    """State the estimate without refusals and its bounds.

    Examples
    --------
    >>> rows = {rule: Row(term=rule, estimate=x, conf_low=0.277, conf_high=0.485, limits=(0.0, 1.0))
    ...         for rule, x in (("drop", 0.375), ("against", 0.3), ("for", 0.5))}
    >>> print(bounds_sentence(rows, 20, "Share of 'comply'"))
    Share of 'comply' was .375, 95% CI [.277, .485] without the 20 refusals; counting all refusals against it gives
    .300, and for it .500.
    """
    against, favour = (
        "undefined" if rows[rule].estimate is None else number(rows[rule].shown())
        for rule in ("against", "for")
    )
    return (
        f"{name} was {estimate_text(rows['drop'])} without the {count(refused, 'refusal')}; counting all refusals "
        f"against {target} gives {against}, and for {target} {favour}."
    )
