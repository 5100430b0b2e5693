"""Other analyses of choices under a covariate: refusals counted otherwise, other tables, weights and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.sensitivity import lead_row, reference_values, sensitivity
from socialstats.choices.win_rates import win_rates
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import combine_designs, merged
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.inference.dependence import settled_cluster
from socialstats.results import Result, Row
from socialstats.studies.asking import pick_rows
from socialstats.studies.comparisons import fit_model
from socialstats.studies.estimates import single
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.page import Block, SecondAnalysis, StudyOptions
from socialstats.studies.sources import Rule, refusal_block
from socialstats.text import count, percent, shorten

THIS_PAGE = "as on this page"
POOLED = "pooled over opponents (micro)"
TIE_RULES = ("davidson", "rao_kupper", "half")
FEWEST_LEFT = 3  # levels that a factor needs before leaving one out says something
EQUAL = (
    "Between equals, a refusal counts half for each side, or (against) for the side that won more "
    "other comparisons."
)

Groups = Mapping[str, Mapping[str, Any]]


def steps(design: Comparisons, covariate: str) -> FloatArray:
    """Return the sign of the difference of the covariate, side a minus side b, (cells,)."""
    sides = design.covariates[covariate]
    return np.asarray(np.sign(sides.a.astype(np.float64) - sides.b.astype(np.float64)))


def won_shares(design: Comparisons) -> dict[str, float]:
    """Return the share of its comparisons that each item won, ties as halves."""
    rates = single(win_rates(design, None, weights="pooled"))
    return {row.term: row.estimate or 0.0 for row in rates.rows}


# refusals


def filled(design: Comparisons, covariate: str, rule: Rule) -> Comparisons:
    """Return the design with every refusal decided by a rule: left out, against the covariate, or for it."""
    refused = design.refused
    if rule == "drop" or refused is None:
        return design
    sign = steps(refused, covariate) * (1 if rule == "for" else -1)
    if rule == "against":
        shares = won_shares(design)
        share = np.array([shares.get(name, 0.5) for name in refused.items])
        ahead = np.sign(share[refused.item_a] - share[refused.item_b])
        sign = np.where(sign == 0, ahead, sign)
    outcome = np.select([sign > 0, sign < 0], [A_WON, B_WON], default=TIED)
    return combine_designs(design, replace(refused, outcome=outcome.astype(np.int8)))


def share_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return pooled win rates under a rule."""
    table = filled(design, covariate, rule)
    return single(win_rates(table, covariate, weights="pooled", level=options.level))


def s_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return S under a rule."""
    return single(sensitivity(filled(design, covariate, rule), covariate, **options.chosen()))


def higher_rate(rates: Result) -> Row:
    """Return the rate over all comparisons at which the side with the higher covariate won."""
    (row,) = pick_rows(rates.rows, item=False, condition="higher")
    return row


def coin_value(s: Result) -> float:
    """Return the S of coin flips."""
    return reference_values(s)[1].value


def refusal_questions(design: Comparisons, options: StudyOptions) -> Iterator[Block]:
    """Yield the bounds of S and of the win rate where the table has refusals."""
    refused, covariate = design.refused, options.covariate
    if refused is None:
        return
    unequal = int(refused.count[steps(refused, covariate) != 0].sum())
    about_s = refusal_block(
        partial(s_of, design, covariate, options),
        refused.n_rows,
        quantity="S",
        lead=lead_row,
        target=f"the higher {covariate}",
        reference=coin_value,
    )
    note = f"{count(refused.n_rows, 'refusal')}, {unequal:,} of them between unequal sides. {EQUAL}"
    if about_s is not None:
        yield replace(about_s, id="refusals-s", caption=f"{about_s.caption} {note}")
    about_rate = rate_bounds(design, options, unequal)
    if about_rate is not None:
        yield replace(about_rate, id="refusals-share", part="appendix")


def refusals_by_level(
    parts: Mapping[str, Comparisons], options: StudyOptions, silent: Mapping[str, str]
) -> Block | None:
    """Return the bounds of the share of choices for the higher covariate, of every level that refused.

    `silent`: why further levels have no choice; nothing bounds their share.
    """
    blocks: dict[str, Block] = {}
    share: dict[str, float] = {}
    for name, part in parts.items():
        n = 0 if part.refused is None else part.refused.n_rows
        block = rate_bounds(part, options, n)
        if block is not None:
            blocks[shorten(name, 40)] = block
            share[shorten(name, 40)] = n / (part.n_rows + n)
    if not blocks:
        return None
    most = max(share, key=lambda name: share[name])
    return replace(
        blocks[most],
        question="How much could refusals change the rates?",
        sentences=(
            *(f"{shorten(name, 40)} has no bounds: {why}." for name, why in silent.items()),
            f"{most} refused most often ({percent(share[most])} of its comparisons).",
            *blocks[most].sentences,
        ),
        figure_title=f"{most}: {blocks[most].figure_title}",
        tables=tuple(
            replace(table, caption=f"{name}: {table.caption}")
            for name, block in blocks.items()
            for table in block.tables
        ),
        results=tuple(result for block in blocks.values() for result in block.results),
        turned=tuple(
            SecondAnalysis(f"{name}: {analysis.text}", f"{name}: {analysis.short}")
            for name, block in blocks.items()
            for analysis in block.turned
        ),
    )


def rate_bounds(design: Comparisons, options: StudyOptions, refused: int) -> Block | None:
    """Return the bounds of the rate at which the side with the higher covariate wins."""
    return refusal_block(
        partial(share_of, design, options.covariate, options),
        refused,
        quantity=f"win rate of the side with the higher {options.covariate}",
        lead=higher_rate,
        target="the higher side",
        reference=lambda rates: 0.5,
    )


# other tables, and estimates under each


def table_variants(
    design: Comparisons,
    groups: Groups,
    covariate: str,
    compute: Callable[[Comparisons], Result],
    lead: Callable[[Result], Row],
) -> Iterator[Variant]:
    """Yield an estimate with ties counted otherwise, and without each group of items and each cluster."""

    def variant(label: str, choice: str, make: Callable[[], Comparisons]) -> Variant:
        return Variant(label=label, choice=choice, compute=lambda: compute(make()), lead=lead)

    # a tie of unequal sides can hide a choice for either
    ties: dict[str, Callable[[], Comparisons]] = {
        "left out": design.drop_ties,
        f"count for the higher {covariate}": partial(ties_for, design, covariate, 1),
        f"count for the lower {covariate}": partial(ties_for, design, covariate, -1),
    }
    for how, make in ties.items() if design.n_ties else ():
        yield variant(f"ties {how}", "ties", make)
    for name, mapping in groups.items():
        for level in few_levels(sorted({str(group) for group in mapping.values()})):
            remaining = partial(without_group, design, mapping, level)
            yield variant(
                without_label(name, level), f"leaving out one {shorten(name, 20)}", remaining
            )
    for factor in design.clusters:
        for level in few_levels(factor.levels):
            note = f"without {factor.name} {level}"
            remaining = partial(design.take, factor.labels() != level, note=note)
            choice = f"leaving out one {shorten(factor.name, 20)}"
            yield variant(without_label(factor.name, level), choice, remaining)


def few_levels(levels: Sequence[str]) -> Sequence[str]:
    """Return levels that are left out one at a time; nothing where they are too few or too many."""
    return levels if FEWEST_LEFT <= len(levels) <= MOST_LEFT_OUT else ()


def ties_for(design: Comparisons, covariate: str, sign: int) -> Comparisons:
    """Return the design with every tie of unequal sides won by the side with more (or less) of the covariate."""
    more = steps(design, covariate) * sign
    decided = np.where(more > 0, A_WON, B_WON)
    unequal_ties = (design.outcome == TIED) & (more != 0)
    outcome = np.where(unequal_ties, decided, design.outcome).astype(np.int8)
    return merged(replace(design, outcome=outcome))


def without_group(design: Comparisons, mapping: Mapping[str, Any], level: str) -> Comparisons:
    """Return the design without the items of one group."""
    out = np.array([str(mapping[item]) == level for item in design.items])
    return design.take(~(out[design.item_a] | out[design.item_b]), note=f"without {level}")


def sensitivity_variants(
    design: Comparisons, s: Result, groups: Groups, options: StudyOptions, *, clusters: bool = True
) -> Result:
    """Compute S by other weights, clusters and tie rules, as plug-in value, and without each group in turn.

    Without `clusters`, the choices that move intervals only are left out.
    """
    term = lead_row(s).term

    def lead(result: Result) -> Row:
        return result.row(term)

    def compute(table: Comparisons, **how: Any) -> Result:
        return single(sensitivity(table, options.covariate, **options.chosen(), **how))

    def variant(label: str, choice: str, **how: Any) -> Variant:
        return Variant(
            label=label, choice=choice, compute=partial(compute, design, **how), lead=lead
        )

    variants = [replace(variant(THIS_PAGE, THIS_PAGE), compute=lambda: s)]
    if term != "S":
        plug_in = variant("plug-in", "bias correction")
        alone = partial(plug_in_alone, s)
        variants.append(replace(plug_in, compute=alone, lead=lambda result: result.row("S")))
    variants.append(variant(POOLED, "weights", weights="pooled"))
    names = [factor.name for factor in design.clusters if factor.name != "pair"]
    for name in (None, *names) if clusters else ():
        variants.append(variant(clustering_label(name), "clusters", cluster=name))
    variants += table_variants(design, groups, options.covariate, compute, lead)
    coin = reference_values(s)[1]
    return multiverse(
        "sensitivity", "S", distinct(variants), reference=coin.value, words=f"S of {coin.label}"
    )


def clustering_label(name: str | None) -> str:
    """Return how an analysis takes the rows."""
    return "rows independent" if name is None else f"clustered by {shorten(name, 30)}"


def plug_in_alone(s: Result) -> Result:
    """Return S without the interval of the plug-in value, which is that of the bias-corrected one."""
    why = "its interval is that of the bias-corrected S"
    plain = replace(s.row("S"), conf_low=None, conf_high=None, conf_level=None, undefined=why)
    return replace(s, rows=tuple(plain if row.term == "S" else row for row in s.rows))


def effect_variants(
    design: Comparisons,
    fit: BradleyTerryResult,
    groups: Groups,
    options: StudyOptions,
    *,
    clusters: bool = True,
) -> Result | None:
    """Compute the effect by other clusters, models of ties and order, and without each group in turn.

    None where there is no other analysis (a penalty or prior leaves fewer).
    """
    default = settled_cluster(design, "auto", parameters=len(design.items) - 1)

    def lead(result: Result) -> Row:
        return result.row(options.covariate, group="covariate")

    def compute(table: Comparisons) -> Result:
        return fit_model(table, options, options.formula, cluster=default)

    def variant(label: str, choice: str, **changed: Any) -> Variant:
        return Variant(
            label=label, choice=choice, compute=partial(fit.update, **changed), lead=lead
        )

    variants = [replace(variant(THIS_PAGE, THIS_PAGE), compute=lambda: fit)]
    for name in dict.fromkeys([None, *design.declared, "pair"]) if clusters else ():
        if [name] != (fit.settings["cluster"] or [None]):
            variants.append(variant(clustering_label(name), "clusters", cluster=name))
    if any(row.group == "order" for row in fit.rows):
        variants.append(variant("order of presentation left out", "order", order=False))
    # pseudo-wins are of items, which this analysis leaves out
    if not options.prior:
        alone = {"strengths": "none", "penalty": None, "cluster": default}
        choice = "leaving out the items' strengths"
        variants.append(variant("item strengths left out", choice, **alone))
    if not fit.fitted_state.penalised:
        label = "strengths pulled together (Firth)"
        variants.append(variant(label, "penalty", penalty="firth"))
    for rule in TIE_RULES if design.n_ties else ():
        if rule != fit.settings["ties"]:
            variants.append(variant(f"ties: {rule.replace('_', ' and ')}", "ties", ties=rule))
    variants += table_variants(design, groups, options.covariate, compute, lead)
    variants = distinct(variants)
    if len(variants) < 2:
        return None
    quantity = f"the effect of one step of {options.covariate} (log-odds)"
    return multiverse("bradley_terry", quantity, variants, reference=0.0, words="zero")


def variant_questions(
    about_s: Result, about_effect: Result | None, covariate: str, lost: str
) -> Iterator[Block]:
    """Yield whether S and the effect of the covariate depend on the analysis; `lost` is said of rows left out."""
    why = "Pooling over opponents changes nothing where every pair has as many comparisons. "
    yield multiverse_block(
        about_s,
        id="multiverse-s",
        question=other_analyses("S"),
        quantity="S",
        note=f"{why}{lost}",
    )
    if about_effect is not None:
        yield multiverse_block(
            about_effect,
            id="multiverse-urgency",
            question=other_analyses(f"the effect of {covariate}"),
            quantity=f"effect of one step of {covariate} (log-odds)",
            note=lost,
        )
