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
from socialstats.custom.multiverse import Variant, multiverse, without_label
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import combine_designs, merged
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.inference.dependence import settled_cluster
from socialstats.results import Result, Row
from socialstats.studies.comparisons import fit_model
from socialstats.studies.estimates import single
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    list_variants,
    multiverse_block,
    other_analyses,
)
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.sources import Rule, refusal_block
from socialstats.text import count, shorten

THIS_PAGE = "as on this page"
TIE_RULES = ("davidson", "rao_kupper", "half")
FEWEST_LEFT = 3  # levels that a factor needs before leaving one out says something
EQUAL = (
    "Between equals, a refusal counts half for each side, or (against) for the side that won more "
    "other comparisons."
)

Groups = Mapping[str, Mapping[str, Any]]
Compute = Callable[..., Result]
Lead = Callable[[Result], Row]


def steps(design: Comparisons, covariate: str) -> FloatArray:
    """Return the sign of the difference of the covariate, side a minus side b, (cells,)."""
    sides = design.covariates[covariate]
    return np.asarray(np.sign(sides.a.astype(np.float64) - sides.b.astype(np.float64)))


# refusals


def filled(design: Comparisons, covariate: str, rule: Rule) -> Comparisons:
    """Return the design with every refusal decided by a rule: left out, against the covariate, or for it."""
    refused = design.refused
    if rule == "drop" or refused is None:
        return design
    sign = steps(refused, covariate) * (1 if rule == "for" else -1)
    if rule == "against":
        # between equals the side counts that won more of its comparisons
        rates = single(win_rates(design, None, weights="pooled"))
        shares = {row.term: row.estimate for row in rates.rows}
        share = np.array([shares.get(name) or 0.5 for name in refused.items])
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
    about_s = refusal_block(
        partial(s_of, design, covariate, options),
        refused.n_rows,
        quantity="S",
        lead=lead_row,
        target=f"the higher {covariate}",
        reference=coin_value,
    )
    unequal = int(refused.count[steps(refused, covariate) != 0].sum())
    note = f"{count(refused.n_rows, 'refusal')}, {unequal:,} of them between unequal sides. {EQUAL}"
    if about_s is not None:
        yield replace(about_s, id="refusals-s", caption=f"{about_s.caption} {note}")
    about_rate = rate_bounds(design, options, unequal)
    if about_rate is not None:
        yield replace(about_rate, id="refusals-share", part="appendix")


def refusals_by_level(parts: Mapping[str, Comparisons], options: StudyOptions) -> Iterator[Block]:
    """Yield the bounds of the share of choices for the higher covariate, of every level that refused."""
    for k, (name, part) in enumerate(parts.items(), 1):
        refused = 0 if part.refused is None else part.refused.n_rows
        block = rate_bounds(part, options, refused)
        if block is not None:
            question = f"How much could refusals of {shorten(name, 40)} change its rate?"
            yield replace(block, id=f"refusals-{k}", level=name, question=question, part="appendix")


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


def other_tables(
    design: Comparisons, groups: Groups, covariate: str
) -> Iterator[tuple[str, str, Callable[[], Comparisons]]]:
    """Yield choice, label and table: ties counted otherwise, and without each group of items and each cluster."""
    if design.n_ties:
        # a tie of unequal sides can hide a choice for either
        yield "ties", "ties left out", design.drop_ties
        for side, sign in (("higher", 1), ("lower", -1)):
            decided = partial(ties_for, design, covariate, sign)
            yield "ties", f"ties count for the {side} {covariate}", decided
    for name, mapping in groups.items():
        levels = sorted({str(group) for group in mapping.values()})
        for level in few_levels(levels):
            yield without_level(name, level, partial(without_group, design, mapping, level))
    for factor in design.clusters:
        for level in few_levels(factor.levels):
            remaining = factor.labels() != level
            note = f"without {factor.name} {level}"
            yield without_level(factor.name, level, partial(design.take, remaining, note=note))


def without_level(
    name: str, level: str, make: Callable[[], Comparisons]
) -> tuple[str, str, Callable[[], Comparisons]]:
    """Return choice, label and table of an analysis without one level of a factor."""
    return f"leaving out one {shorten(name, 20)}", without_label(name, level), make


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

    def compute(table: Comparisons, **how: Any) -> Result:
        return single(sensitivity(table, options.covariate, **options.chosen(), **how))

    page = Variant(
        label=THIS_PAGE, choice=THIS_PAGE, compute=lambda: s, lead=lambda result: result.row(term)
    )
    analyses = [("weights", "pooled over opponents (micro)", {"weights": "pooled"})]
    names = [factor.name for factor in design.clusters if factor.name != "pair"]
    analyses += [clustering(name) for name in (None, *names) if clusters]
    tables = other_tables(design, groups, options.covariate)
    first, *changed = list_variants(page, compute, design, analyses, tables)
    plug_in = []
    if term != "S":
        why = "its interval is that of the bias-corrected S"
        plain = replace(s.row("S"), conf_low=None, conf_high=None, conf_level=None, undefined=why)
        alone = replace(s, rows=(plain,))
        plug_in.append(Variant(label="plug-in", choice="bias correction", compute=lambda: alone))
    variants = [first, *plug_in, *changed]
    coin = reference_values(s)[1]
    words = f"S of {coin.label}"
    return multiverse("sensitivity", "S", variants, reference=coin.value, words=words)


def clustering(name: str | None) -> tuple[str, str, dict[str, Any]]:
    """Return choice, label and option of how an analysis takes the rows."""
    label = "rows independent" if name is None else f"clustered by {shorten(name, 30)}"
    return "clusters", label, {"cluster": name}


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
    page = Variant(
        label=THIS_PAGE,
        choice=THIS_PAGE,
        compute=lambda: fit,
        lead=lambda result: result.row(options.covariate, group="covariate"),
    )
    analyses: list[tuple[str, str, Mapping[str, Any]]] = []
    for name in dict.fromkeys([None, *design.declared, "pair"]) if clusters else ():
        if [name] != (fit.settings["cluster"] or [None]):
            analyses.append(clustering(name))
    if any(row.group == "order" for row in fit.rows):
        analyses.append(("order", "order of presentation left out", {"order": False}))
    # pseudo-wins are of items, which this analysis leaves out
    if not options.prior:
        alone = {"strengths": "none", "penalty": None, "cluster": default}
        choice = "leaving out the items' strengths"
        analyses.append((choice, "item strengths left out", alone))
    if not fit.fitted_state.penalised:
        analyses.append(("penalty", "strengths pulled together (Firth)", {"penalty": "firth"}))
    for rule in TIE_RULES if design.n_ties else ():
        if rule != fit.settings["ties"]:
            analyses.append(("ties", f"ties: {rule.replace('_', ' and ')}", {"ties": rule}))

    def compute(table: Comparisons, **changed: Any) -> Result:
        if table is design:
            return fit.update(**changed)
        return fit_model(table, options, options.formula, cluster=default)

    tables = other_tables(design, groups, options.covariate)
    variants = list_variants(page, compute, design, analyses, tables)
    if len(variants) < 2:
        return None
    quantity = f"the effect of one step of {options.covariate} (log-odds)"
    return multiverse("bradley_terry", quantity, variants, reference=0.0, words="zero")


def variant_questions(
    about_s: Result, about_effect: Result | None, covariate: str, lost: str
) -> Iterator[Block]:
    """Yield whether S and the effect of the covariate depend on the analysis; `lost` is said of rows left out."""
    why = "Pooling over opponents changes nothing where every pair has as many comparisons. "
    s_note = f"{why}{lost}"
    question = other_analyses("S")
    yield multiverse_block(about_s, id="multiverse-s", question=question, quantity="S", note=s_note)
    if about_effect is not None:
        yield multiverse_block(
            about_effect,
            id="multiverse-urgency",
            question=other_analyses(f"the effect of {covariate}"),
            quantity=f"effect of one step of {covariate} (log-odds)",
            note=lost,
        )
