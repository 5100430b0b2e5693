"""Any table of paired comparisons: who is preferred, by how much, and how sure the order is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.rows import with_ends
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import verify_named
from socialstats.studies.order_effect import change_cautions, plain_fits, without_order
from socialstats.studies.outcome import Block, Mark, Outcome, Strip
from socialstats.studies.pair_blocks import (
    cluster_block,
    effects_block,
    strengths_block,
    with_strength_effect,
)
from socialstats.studies.pair_matrix import group_matrix
from socialstats.studies.pair_model import default_cluster, fit_model, strongest
from socialstats.studies.pair_tables import fit_diagnostics, order_table, ways_methods
from socialstats.text import count, interval, listing, number, percent, quoted, shorten


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: which item is chosen over which, and how sure is the order?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    formula = adjusting_formula(design, options)
    fit = fit_model(design, options, formula, cluster=default_cluster(design))
    beside = without_order(fit, design, options, formula)
    blocks = [
        strengths_block(fit, options),
        effects_block(fit, beside),
        cluster_block(design, options, formula, fit),
    ]
    blocks += [group_matrix(design, groups, name, options.level) for name, groups in item_groups(design).items()]
    return Outcome(
        study="comparisons",
        title=f"Which of {count(len(design.items), 'item')} is preferred, and how sure is the order?",
        design=describe(design, fit),
        answer=answer(design, fit, options),
        strip=lead_strip(fit),
        cautions=order_cautions(
            change_cautions(beside), fit.cautions, design.cautions, unused_covariates(design, options)
        ),
        blocks=with_strength_effect(blocks, fit),
        flow=design.flow,
        data=(order_table(design),),
        diagnostics=fit_diagnostics(fit, design),
        methods=(ways_methods(fit, options),),
        references=tuple(dict.fromkeys((*fit.references, "mogstad2024", "romanowolf2005", "firth2004"))),
        verifications=verify_named({"Strengths": fit, **plain_fits(beside)}) if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )


def describe(design: Comparisons, fit: BradleyTerryResult | None) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "comparison"),
        count(len(design.items), "item"),
        count(len(design.pair.levels) if fit is None else fit.counts["pairs"], "pair"),
    ]
    if design.n_ties:
        parts.append(f"{percent(design.n_ties / design.n_rows)} ties")
    parts += [f"{count(len(c.levels))} {c.name}s" for c in design.clusters]
    return "Paired comparisons: " + ", ".join(parts)


def answer(design: Comparisons, fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer: the strongest item against the next one, and who may be first."""
    rows = strongest(fit)
    top, second = rows[0], rows[1]
    ranks = fit.ranks(kind="marginal", level=options.level, seed=options.seed)
    joint = fit.ranks(kind="simultaneous", level=options.level, seed=options.seed)
    possible = {r.term for r in joint.rows if r.conf_low == 1}
    first = [r.term for r in rows if r.term in possible]
    chance = head_to_head(fit, top.term, second.term)
    inside = interval(chance.conf_low, chance.conf_high, level=options.level, bounded=True)
    own = next(r for r in ranks.rows if r.term == top.term)
    certain = chance.conf_low is not None and chance.conf_low > 0.5
    verdict = "is preferred" if certain else "leads, but the data do not settle it"
    lead = (
        f"'{shorten(top.term)}' {verdict}: log-strength {number(top.estimate)}, "
        f"{interval(top.conf_low, top.conf_high, level=options.level)} (0 = average item); against the next, "
        f"'{shorten(second.term)}' ({number(second.estimate)}), it is expected to win "
        f"{number(chance.estimate, bounded=True)} of decided comparisons, {inside} (.50 = no preference)."
    )
    order = (
        f"Its rank may be {own.conf_low:.0f} to {own.conf_high:.0f}; with all {count(len(rows))} ranks covered "
        f"at once, {count(len(first), 'item')} could be first ({listing([shorten(n, 30) for n in first], most=4)})."
        if own.conf_high != own.conf_low or len(first) > 1
        else "No other item could be first."
    )
    return (lead, order)


def head_to_head(fit: BradleyTerryResult, one: str, other: str) -> Row:
    """Return the probability that one beats the other among decided comparisons (ties left out)."""
    gap = fit.contrast({one: 1.0, other: -1.0}).rows[0]
    chance, low, high = (None if v is None else float(1 / (1 + np.exp(-v))) for v in (
        gap.estimate, gap.conf_low, gap.conf_high))  # fmt: skip
    row = Row(term=f"{one} beats {other}", estimate=chance)
    return with_ends(row, low, high, gap.conf_level or 0.95, why=gap.undefined)


def lead_strip(fit: BradleyTerryResult) -> Strip:
    """Return the chances of the strongest item against second, middle and last, beside one half."""
    rows = strongest(fit)
    top = rows[0]
    places = {"second": rows[1], "middle": rows[len(rows) // 2], "last": rows[-1]}
    if len(rows) < 4:
        places = {"second": rows[1], "last": rows[-1]} if len(rows) == 3 else {"second": rows[1]}
    marks = [Mark(label="no preference", value=0.5, kind="reference")]
    for place, row in places.items():
        chance = head_to_head(fit, top.term, row.term)
        label = f"{place}: {shorten(row.term, 28)}"
        marks.append(Mark(label=label, value=chance.estimate, low=chance.conf_low, high=chance.conf_high))
    return Strip(
        title=f"How often {shorten(top.term, 40)} wins against the {listing(list(places))} strongest",
        axis="probability of winning a decided comparison",
        marks=tuple(marks),
    )


def adjusting_formula(design: Comparisons, options: StudyOptions) -> str | None:
    """Return a formula of the covariates that the caller asked to adjust for."""
    return "~ " + " + ".join(options.adjust) if options.adjust else None


def unused_covariates(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Note covariates that differ between comparisons of an item and are not in the model."""
    groups = constant_covariates(design)
    names = [name for name in design.covariates if name not in groups and name not in options.adjust]
    if not names:
        return ()
    detail = f"strengths are not adjusted for {quoted(names)}"
    return (caution("SS308", detail, affects="nothing, unless they should be held equal", fix="--adjust NAME"),)


def constant_covariates(design: Comparisons) -> dict[str, dict[str, Any]]:
    """Return the covariates that have one value for each item, as item -> value."""
    found = {}
    for name in design.covariates:
        try:
            found[name] = design.group_of(name)
        except InputError:
            continue
    return found


def item_groups(design: Comparisons) -> dict[str, dict[str, Any]]:
    """Return the covariates that sort the items into a few groups."""
    sizes = {name: len({str(v) for v in groups.values()}) for name, groups in constant_covariates(design).items()}
    return {
        name: groups
        for name, groups in constant_covariates(design).items()
        if 2 <= sizes[name] <= 12 and sizes[name] < len(design.items)
    }


def sizes_text(groups: Mapping[str, object], noun: str = "item") -> str:
    """Say how many items each group has.

    Examples
    --------
    >>> sizes_text({"nun": "faith", "imam": "faith", "son": "family"})
    'faith 2 items and family 1 item'
    """
    sizes = Counter(str(group) for group in groups.values())
    return listing([f"{shorten(name, 30)} {count(sizes[name], noun)}" for name in sorted(sizes)], most=8)


def further_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings from beside the table, of the items that it has."""
    given = {} if options.item_groups is None else options.item_groups
    known = item_groups(design)
    kept = {
        name: {item: group for item, group in groups.items() if item in design.items}
        for name, groups in given.items() if name not in known
    }  # fmt: skip
    return {name: groups for name, groups in kept.items() if len(set(groups.values())) > 1}


def blocks_of(*blocks: Block | None) -> tuple[Block, ...]:
    """Return the blocks that exist."""
    return tuple(block for block in blocks if block is not None)


STUDY = Study(
    name="comparisons",
    title="Which item is preferred over which, and how sure is the order?",
    design="comparisons",
    needs="item_a, item_b, winner",
    suits=lambda design: True,
    run=run,
)
