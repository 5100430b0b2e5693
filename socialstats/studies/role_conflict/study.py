"""Study role-conflict: effects of urgency and of role preferences on choices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import without_cited
from socialstats.errors import MleDoesNotExist, UndefinedStatistic
from socialstats.results import Result, combine_verifications
from socialstats.studies import comparisons
from socialstats.studies.compare import study as compare
from socialstats.studies.comparisons import (
    Pairs,
    change_cautions,
    cluster_block,
    describe,
    effects_block,
    evenness_check,
    fit_diagnostics,
    fit_model,
    further_groups,
    order_table,
    plain_fits,
    rank_answer,
    strengths_block,
    strongest,
    unmatched_items,
    ways_methods,
    with_strength_effect,
    without_order,
)
from socialstats.studies.estimates import (
    design_effect,
    ends,
    literature,
    probability_methods,
    verify_all,
    verify_named,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    check_single,
    order_cautions,
    shared,
)
from socialstats.studies.role_conflict.labels import (
    check_labels,
    read_item_groups,
    read_labels,
)
from socialstats.studies.role_conflict.shares import share_blocks, share_methods
from socialstats.studies.role_conflict.urgency import (
    Counts,
    answer_sentences,
    balance_table,
    brief_methods,
    count_up,
    grid_table,
    label_blocks,
    later_blocks,
    own_cautions,
    rates_blocks,
    sensitivity_block,
    sensitivity_methods,
    urgency_multiverses,
    verdict_on_covariate,
    weight_block,
    won_share,
)
from socialstats.text import interval, number

CHECK = "Existence of finite strengths (Ford's condition; separation)"
FIRTH = "Use Firth's penalty (--penalty firth), which makes all of them finite and shrinks them."
PRIOR = "Use pseudo-wins (--prior 0.5), which connect the groups by assumption, or compare roles of both groups."


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Analyse the effects of urgency and of role preferences on choices."""
    design = design.whole()
    check_single(design)
    plain = without_cited(design)
    try:
        fit = fit_model(plain, options, options.formula)
        beside = without_order(fit, plain, options, options.formula)
        counts = count_up(design, options)
        parts, named = with_model(plain, fit, beside, counts, options)
    except MleDoesNotExist as error:
        counts = count_up(design, options)
        parts, named = without_model(plain, counts, options, error)
    return Outcome(
        study="role-conflict",
        title=f"Does {options.covariate} decide, or the role?",
        opening="win-rates",
        data=(
            grid_table(plain, options.covariate),
            balance_table(plain, options.covariate),
            order_table(plain),
        ),
        verifications=verify_all(named, parts["blocks"]) if options.verify else {},
        settings=options.echo(),
        **parts,
        **shared(plain, options),
    )


def without_model(
    design: Comparisons, counts: Counts, options: StudyOptions, error: MleDoesNotExist
) -> tuple[dict[str, Any], dict[str, Result]]:
    """Analyse what needs no strengths, and give the reason why there are none.

    Parameters
    ----------
    design : Comparisons
    counts : Counts
    options : StudyOptions
    error : MleDoesNotExist
        What the fit raised.

    Returns
    -------
    parts : dict
        Fields of the outcome.
    named : dict of str to Result
        What is recomputed by other packages, by name.
    """
    covariate, wins = options.covariate, won_share(design)
    strips = urgency_multiverses(design, None, counts.s, counts.groups, options)
    reason = error.reason.split(": ", 1)[-1]
    way_out = PRIOR if error.separate else FIRTH
    lacking = sentences.no_number(
        "the Bradley-Terry model of these choices", f"no finite estimate exists; {reason}"
    )
    rates = rates_blocks(
        counts.rates, sorted(wins, key=lambda item: -wins[item]), options, counts.pooled
    )
    missing = Block(
        id="strengths",
        question=f"Which role was preferred at equal {covariate}?",
        sentences=(
            lacking,
            "Strengths, worths (RPI) and preference shares need that model.",
            way_out,
        ),
    )
    parts: dict[str, Any] = {
        "design": describe(design, None),
        "verdict": verdict_on_covariate(counts.s, counts.pooled, options),
        "answer": (*answer_sentences(counts.s, counts.pooled, options), lacking),
        "cautions": order_cautions(
            own_cautions(design, None, options), design.cautions, *counts.cautions()
        ),
        "blocks": (
            sensitivity_block(counts.s),
            rates[0],
            missing,
            *later_blocks(counts, design, options),
            rates[1],
            *strips,
        ),
        "diagnostics": (
            Diagnostic(CHECK, f"No finite strengths: {reason}.", way_out),
            evenness_check(design),
        ),
        "methods": (
            brief_methods(counts.s, options, None),
            *sensitivity_methods(options, drawn=design.replies is None),
            *probability_methods(design),
        ),
        "references": literature(
            counts.results(), ("ford1957", "konis2007", "firth1993", "steegen2016")
        ),
    }
    return parts, counts.named() | {
        result.title: result for block in strips for result in block.results
    }


def with_model(
    design: Comparisons,
    fit: BradleyTerryResult,
    beside: Pairs,
    counts: Counts,
    options: StudyOptions,
) -> tuple[dict[str, Any], dict[str, Result]]:
    """Analyse everything: returns as `without_model`; `beside` has the fit without its order effect."""
    covariate = options.covariate
    try:
        ratio = fit.effect_in_sds(covariate, level=options.level)
    except UndefinedStatistic:
        ratio = None
    shares = share_blocks(fit, design, counts.groups | further_groups(design, options), options)
    strips = urgency_multiverses(design, fit, counts.s, counts.groups, options)
    rates, table = rates_blocks(
        counts.rates, [r.term for r in strongest(fit)], options, counts.pooled
    )
    order = effects_block(fit, beside, said=(covariate,))
    strengths = strengths_block(fit, options, item="role", planning=False)
    blocks = (
        sensitivity_block(counts.s, sensitivity_effect(counts.s, strips)),
        rates,
        weight_block(fit, ratio, options),
        with_lead(strengths, fit, options),
        *shares,
        *later_blocks(counts, design, options),
        table,
        None if order is None else replace(order, part="appendix"),
        cluster_block(design, options, options.formula, fit),
        *strips,
    )
    own = (*change_cautions(beside), *own_cautions(design, fit, options))
    more = [result.cautions for block in shares for result in block.results]
    parts: dict[str, Any] = {
        "design": describe(design, fit),
        "verdict": verdict_on_covariate(counts.s, counts.pooled, options),
        "answer": answer(counts.s, counts.pooled, ratio, fit, options),
        "cautions": order_cautions(
            own,
            fit.cautions,
            design.cautions,
            *counts.cautions(),
            *more,
            unmatched_items(design, options),
        ),
        "blocks": with_strength_effect(blocks, fit),
        "diagnostics": fit_diagnostics(fit, design),
        "methods": (
            brief_methods(counts.s, options, fit),
            *sensitivity_methods(options, drawn=design.replies is None),
            *ways_methods(fit, options),
            *share_methods(shares),
            *probability_methods(design),
        ),
        "references": literature(
            [*counts.results(), fit], ("mogstad2024", "firth2004", "steegen2016")
        ),
    }
    named: dict[str, Result] = {
        "Strengths and effects": fit,
        **plain_fits(beside),
        **counts.named(),
    }
    named |= {} if ratio is None else {ratio.title: ratio}
    named |= {
        result.title: result
        for block in shares
        for result in block.results
        if result.metric != "adjust"
    }
    return parts, named | {result.title: result for block in strips for result in block.results}


def with_lead(block: Block, fit: BradleyTerryResult, options: StudyOptions) -> Block:
    """Return the block of strengths that begins with the strongest role and whether its lead is reliable."""
    chance = fit.win_probability(*(row.term for row in strongest(fit)[:2]))
    return replace(
        block,
        sentences=(comparisons.answer(fit, options)[0], *block.sentences[1:]),
        results=(*block.results, chance),
    )


def sensitivity_effect(s: Result, multiverses: tuple[Block, ...]) -> str:
    """Return the design effect of the clusters on S, from the multiverse's analysis with independent rows."""
    leads = multiverses[0].results[0].extras["leads"]
    loose = leads.get("rows independent")
    effect = None if loose is None else design_effect(s.row("S"), loose)
    return "" if effect is None else f" Design effect: {number(effect, 1)}."


def answer(
    s: Result, pooled: Result, ratio: Result | None, fit: BradleyTerryResult, options: StudyOptions
) -> tuple[str, ...]:
    """Return the answer: a verdict with S beside coin flips, urgency in SD of the strengths, and the extreme roles."""
    name, step = options.covariate, fit.row(options.covariate, group="covariate")
    odds, low, high = (
        None if v is None else float(np.exp(v)) for v in (step.estimate or 0.0, *ends(step)[1:])
    )
    second = f"Each step of {name} multiplied the odds of being chosen by {number(odds)}"
    if step.p_value is not None and not sentences.is_significant(step):
        second = f"The effect of {name} was not significant: each step multiplied the odds of being chosen by "
        second += number(odds)
    if low is not None:
        second += f", {sentences.name_of_interval(step)}{interval(low, high, level=step.conf_level or 0.95)}"
    if ratio is not None:
        sd = sentences.estimate_text(ratio.rows[0], unit=" SD of the role strengths")
        second += f" ({sd})"
    return (
        *answer_sentences(s, pooled, options),
        f"{second}.",
        "; ".join(rank_answer(fit, options, f"At equal {name}, ")),
    )


def levels(design: Comparisons, options: StudyOptions) -> Outcome:
    """Compare models (or prompts) on the same pairs of roles."""
    outcome = replace(compare.run(design, options), study="role-conflict")
    if options.labels is None:
        return outcome
    numbers = check_labels(options.labels, options)
    results = {f"Label check: {name}": result for name, result in numbers.results.items()}
    verified = verify_named(results) if options.verify else {}
    return replace(
        outcome,
        blocks=(*outcome.blocks, *label_blocks(options, numbers)),
        verifications=combine_verifications(outcome.verifications, verified),
        references=tuple(dict.fromkeys((*outcome.references, *literature([*results.values()])))),
    )


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
    uses=("by reference",),
    run=run,
    levels=levels,
    beside={"labels": read_labels, "item_groups": read_item_groups},
)
