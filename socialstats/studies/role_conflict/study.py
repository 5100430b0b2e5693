"""Study role-conflict: does urgency decide, or the role?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.designs.comparisons import Comparisons, without_cited
from socialstats.errors import Caution, InputError, MleDoesNotExist, UndefinedStatistic
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Result, joined
from socialstats.studies.compare import study as compare
from socialstats.studies.comparisons import (
    Pairs,
    change_cautions,
    cluster_block,
    default_cluster,
    describe,
    effects_block,
    evenness_check,
    fit_diagnostics,
    fit_model,
    further_groups,
    order_table,
    plain_fits,
    strengths_block,
    strongest,
    ways_methods,
    with_strength_effect,
    without_order,
)
from socialstats.studies.estimates import design_effect, verify_named
from socialstats.studies.page import Block, Diagnostic, Outcome, Study, StudyOptions, order_cautions
from socialstats.studies.role_conflict.labels import (
    check_labels,
    labels_block,
    read_item_groups,
    read_labels,
    references_of,
)
from socialstats.studies.role_conflict.shares import share_blocks
from socialstats.studies.role_conflict.urgency import (
    Counts,
    balance_table,
    count_up,
    exp_interval,
    grid_table,
    later_blocks,
    lead_sentence,
    own_cautions,
    rates_block,
    sensitivity_block,
    sensitivity_methods,
    sensitivity_strip,
    urgency_multiverses,
    weight_block,
    won_share,
)
from socialstats.text import count, interval, number, shorten

CHECK = "Does a finite estimate of the strengths exist? (Ford's condition; separation)"
FIRTH = "Firth's penalty (--penalty firth) makes all of them finite, and pulls them together."
LITERATURE = ("ford1957", "konis2007", "firth1993", "steegen2016")
PRIOR = "Pseudo-wins (--prior 0.5) tie the groups by assumption; data tie them where their roles are compared."


def without_model(design: Comparisons, options: StudyOptions, error: MleDoesNotExist) -> Outcome:
    """Answer what can be answered without strengths, and say why there are none.

    Parameters
    ----------
    design : Comparisons
    options : StudyOptions
    error : MleDoesNotExist
        What the fit raised.
    """
    counts = count_up(design, options)
    design, covariate = without_cited(design), options.covariate
    strips = urgency_multiverses(design, None, counts.s, counts.groups, options)
    verified = counts.named() | {result.title: result for block in strips for result in block.results}
    return Outcome(
        study="role-conflict",
        title=f"Does {covariate} decide, or the role?",
        design=describe(design, None),
        answer=(lead_sentence(counts.s, counts.pooled, options), lacking(error, covariate)),
        strip=sensitivity_strip(counts.s),
        cautions=order_cautions(own_cautions(design, None, options), design.cautions, *counts.cautions()),
        blocks=(*blocks_of_urgency(design, counts, options, error), *strips),
        flow=design.flow,
        data=(grid_table(design, covariate), balance_table(design, covariate), order_table(design)),
        diagnostics=(
            Diagnostic(check=CHECK, found=f"No: {reason(error)}.", so_what=way_out(error)),
            evenness_check(design),
        ),
        methods=(sensitivity_methods(options),),
        references=tuple(dict.fromkeys((*counts.references(), *LITERATURE))),
        verifications=verify_named(verified) if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )


def blocks_of_urgency(
    design: Comparisons, counts: Counts, options: StudyOptions, error: MleDoesNotExist
) -> tuple[Block, ...]:
    """Return the questions in the order of the page; that of the strengths with the reason why it has no answer."""
    missing = Block(
        id="strengths",
        question=f"Which role is preferred at equal {options.covariate}, and by how much?",
        sentences=(lacking(error, options.covariate), way_out(error)),
    )
    return (
        sensitivity_block(counts.s),
        replace(
            rates_block(counts.rates, by_wins(design), options, counts.pooled),
            figure_title=f"Win rates of every role by {options.covariate}, most wins first",
        ),
        missing,
        *later_blocks(counts, design, options),
    )


def reason(error: MleDoesNotExist) -> str:
    """Return why there is no finite estimate, without the ways out."""
    return str(error).split(". Ways out")[0].split(": ", 1)[-1]


def way_out(error: MleDoesNotExist) -> str:
    """Return what makes the estimates finite: a penalty, or wins that nobody had between groups that never met."""
    return PRIOR if error.separate else FIRTH


def lacking(error: MleDoesNotExist, covariate: str) -> str:
    """Say which numbers do not exist, and why."""
    return (
        f"Strengths of the roles, the weight of {covariate} against them, worths (RPI) and preference shares stand on "
        f"one model of all choices, which has no finite estimate here: {reason(error)}."
    )


def by_wins(design: Comparisons) -> list[str]:
    """Return the items by their share of comparisons won, largest first."""
    shares = won_share(design)
    return sorted(design.items, key=lambda item: -shares[item])


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes: the model (and without its order effect), S, win rates, urgency in sds, shares."""

    fit: BradleyTerryResult
    beside: Pairs
    ratio: Result | None
    counts: Counts
    shares: tuple[Block, ...]
    multiverses: tuple[Block, ...]


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: does urgency decide, and how much do role preferences weigh against it?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    try:
        numbers = compute(design, options)
    except MleDoesNotExist as error:
        return without_model(design, options, error)
    design = without_cited(design)
    fit, counts = numbers.fit, numbers.counts
    keys = (*counts.references(), *fit.references, "mogstad2024", "firth2004", "steegen2016")
    return Outcome(
        study="role-conflict",
        title=f"Does {options.covariate} decide, or the role?",
        design=describe(design, fit),
        answer=answer(counts.s, counts.pooled, numbers.ratio, fit, options),
        strip=sensitivity_strip(counts.s),
        cautions=all_cautions(design, numbers, options),
        blocks=blocks(design, numbers, options),
        flow=design.flow,
        data=(grid_table(design, options.covariate), balance_table(design, options.covariate), order_table(design)),
        diagnostics=fit_diagnostics(fit, design),
        methods=(sensitivity_methods(options), ways_methods(fit, options)),
        references=tuple(dict.fromkeys(keys)),
        verifications=verify_named(named(numbers)) if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )


def compute(design: Comparisons, options: StudyOptions) -> Numbers:
    """Compute everything the page shows."""
    plain = without_cited(design)
    fit = fit_model(plain, options, f"~ {options.covariate}", cluster=default_cluster(plain))
    counts = count_up(design, options)
    return Numbers(
        fit=fit,
        beside=without_order(fit, plain, options, f"~ {options.covariate}"),
        ratio=urgency_in_sds(fit, options),
        counts=counts,
        shares=tuple(share_blocks(fit, plain, counts.groups | further_groups(plain, options), options)),
        multiverses=urgency_multiverses(plain, fit, counts.s, counts.groups, options),
    )


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that are recomputed by other packages, by name."""
    found: dict[str, Result] = {"Strengths and effects": numbers.fit, **plain_fits(numbers.beside)}
    found |= numbers.counts.named()
    found |= {} if numbers.ratio is None else {numbers.ratio.title: numbers.ratio}
    found |= {
        f"Preference shares by {block.id.removeprefix('shares-')}" + (", plain fit" if k else ""): result
        for block in numbers.shares for k, result in enumerate(block.results)
    }  # fmt: skip
    return found | {result.title: result for block in numbers.multiverses for result in block.results}


def sensitivity_effect(s: Result, multiverses: tuple[Block, ...]) -> str:
    """Return the design effect of the clusters on S, from the multiverse's analysis with independent rows."""
    leads = multiverses[0].results[0].extras["leads"]
    loose = leads.get("rows independent")
    effect = None if loose is None else design_effect(s.row("S"), loose)
    return "" if effect is None else f" Design effect of the clusters: {number(effect, 1)}."


def blocks(design: Comparisons, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of the page."""
    fit, counts = numbers.fit, numbers.counts
    found = (
        sensitivity_block(counts.s, sensitivity_effect(counts.s, numbers.multiverses)),
        rates_block(counts.rates, [r.term for r in strongest(fit)], options, counts.pooled),
        weight_block(fit, numbers.ratio, options),
        strengths_block(fit, options, item="role"),
        effects_block(fit, numbers.beside, said=(options.covariate,)),
        *numbers.shares,
        *later_blocks(counts, design, options),
        cluster_block(design, options, f"~ {options.covariate}", fit),
        *numbers.multiverses,
    )
    return with_strength_effect(found, fit)


def all_cautions(design: Comparisons, numbers: Numbers, options: StudyOptions) -> tuple[Caution, ...]:
    """Return the cautions of the study, its results and the table, most serious first."""
    more = [result.cautions for block in numbers.shares for result in block.results]
    own = (*change_cautions(numbers.beside), *own_cautions(design, numbers.fit, options))
    return order_cautions(own, numbers.fit.cautions, design.cautions, *numbers.counts.cautions(), *more)


def urgency_in_sds(fit: BradleyTerryResult, options: StudyOptions) -> Result | None:
    """Return the urgency step in sds of the role strengths, or None where that is undefined."""
    try:
        return fit.effect_in_sds(options.covariate, level=options.level)
    except UndefinedStatistic:
        return None


def answer(
    s: Result, pooled: Result, ratio: Result | None, fit: BradleyTerryResult, options: StudyOptions
) -> tuple[str, ...]:
    """Return the answer: a verdict with S beside its reference lines, urgency against roles, and the extreme roles."""
    step = fit.row(options.covariate, group="covariate")
    odds = number(np.exp(step.estimate or 0.0))
    second = f"One step of {options.covariate} multiplies the odds of being chosen by {odds}, {exp_interval(step)}"
    if ratio is not None:
        row = ratio.rows[0]
        second += f": as much as {number(row.estimate)} standard deviations between roles, "
        second += interval(row.conf_low, row.conf_high, level=options.level)
    rows = strongest(fit)
    ranks = fit.ranks(kind="simultaneous", level=options.level, seed=options.seed)
    lead = {r.term for r in ranks.rows if r.conf_low == 1}
    tail = {r.term for r in ranks.rows if r.conf_high == len(rows)}
    third = (
        f"At equal {options.covariate}, the model ranks '{shorten(rows[0].term)}' first and '{shorten(rows[-1].term)}' "
        f"last (log-strengths {number(rows[0].estimate)} and {number(rows[-1].estimate)}); with all ranks covered at "
        f"once, {count(len(lead), 'role')} could be first and {count(len(tail), 'role')} last."
    )
    return (lead_sentence(s, pooled, options), f"{second}.", third)


def levels(design: Comparisons, options: StudyOptions) -> Outcome:
    """Compare models (or prompts) on the same pairs of roles."""
    outcome = replace(compare.run(design, options), study="role-conflict")
    if options.labels is None:
        return outcome
    checked = check_labels(options.labels, options)
    block = labels_block(options.labels, checked)
    verified = verify_named(checked.named()) if options.verify else {}
    return replace(
        outcome, blocks=(*outcome.blocks, block), verifications=joined(outcome.verifications, verified),
        references=tuple(dict.fromkeys((*outcome.references, *references_of(checked)))),
    )  # fmt: skip


def _applies(design: Comparisons) -> bool:
    c = design.covariates.get("urgency")
    varies = c is not None and np.issubdtype(c.a.dtype, np.number) and bool(np.any(c.a != c.b))
    return varies and len(design.items) > 2


STUDY = Study(
    name="role-conflict",
    title="Does urgency decide, or the role?",
    design="comparisons",
    needs="item_a, item_b, winner, urgency_a, urgency_b (numbers); best with order and domain_a, domain_b",
    suits=_applies,
    run=run,
    levels=levels,
    beside={"labels": read_labels, "item_groups": read_item_groups},
)
