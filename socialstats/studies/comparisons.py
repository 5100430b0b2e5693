"""Study of paired comparisons: strengths and ranks of items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats import sentences
from socialstats.choices.bradley_terry import (
    BradleyTerryResult,
    bradley_terry,
    effect_sentence,
    strengths_sentence,
)
from socialstats.choices.bradley_terry.ranks import MOST_MAX_T
from socialstats.choices.group_win_rates import group_win_rates
from socialstats.choices.sensitivity import reference_values
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.nouns import count_of
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.terms import column_term
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.figures import forest, wins
from socialstats.figures import ranks as rank_figure
from socialstats.inference.dependence import declared_cluster_counts
from socialstats.inference.halving import clusters_to_halve
from socialstats.matching import match_keys
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.sentences import more_clusters_sentence
from socialstats.studies.asking import (
    Part,
    add_labels,
    ask_result,
    ask_rows,
    attempt_result,
    grid_table,
    page_of,
    untested_rows,
)
from socialstats.studies.estimates import (
    counts_table,
    declared_clusters,
    halved,
    pairs_left,
    pairs_to_halve,
    probability_methods,
    rows_table,
    single,
    verdict,
)
from socialstats.studies.multiverse import dependence_block
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    StudyOptions,
    check_named,
    check_single,
)
from socialstats.studies.verdicts import LABEL, Conclusion, of_ten, ranking
from socialstats.text import (
    as_words,
    capital,
    count,
    listing,
    number,
    percent,
    percent_of,
    quoted,
    shorten,
)
from socialstats.voice import option

EXISTS = "Existence of finite strengths (Ford's condition)"
FOLLOWS = "Fit of the model to the wins of each pair"
TIED_MODELS = ("davidson", "rao_kupper")  # with ties of their own, beside wins of either item
JOINT = ("SS203", "SS206")  # cautions about joint tests, on which simultaneous rank intervals rest
RANK_SETS: tuple[Literal["marginal"], Literal["simultaneous"]] = ("marginal", "simultaneous")
RANK_REFERENCES = ("mogstad2024", "romanowolf2005", "firth2004")
MOST_NAMED = 4  # conclusions, or items whose ranks change, that a sentence names
MOST_GROUPS = 12  # groups of items
SAME = 1e-8  # log-odds: strengths nearer than this share a rank, as in choices/bradley_terry/ranks
# groups of effects, with their words
BESIDE = {"order": "the order of presentation", "covariate": "", "tie": "ties"}
TIES = {
    "davidson": "Ties followed Davidson's model.",
    "rao_kupper": "Ties followed Rao and Kupper's model.",
    "half": "Ties counted as half a win for each side.",
}
UNDECLARED = "The order of presentation was not declared, and no order effect was estimated."
BOUNDED = "Degrees of freedom are lower bounds, as rows stayed in their files."
MAX_T_RANKS = "Rank intervals inverted step-down max-t tests of all differences."
HOLM_RANKS = "Rank intervals used Holm's method, as there are many items."
MAXIMISED = (
    "Likelihoods were maximised by Newton's method on distinct pairs; existence was checked on the win graph. A "
    "marginal rank interval covers the rank of one item, simultaneous ones cover all ranks together."
)
USES = ("seed", "level", "ties", "penalty", "prior", "adjust", "group", "verify")


def fit_model(
    design: Comparisons,
    options: StudyOptions,
    formula: str | None,
    *,
    cluster: Any = "auto",
    order: bool | None = None,
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model; with `order`, the order effect is in it where the design declares one."""
    given = options.chosen("ties", "penalty", "prior", "level")
    fit = bradley_terry(design, formula, order=order, cluster=cluster, by=None, **given)
    if not isinstance(fit, BradleyTerryResult):
        raise InputError(f"one model at a time: use {option('by')} in the design")
    return fit


def strongest(fit: BradleyTerryResult) -> list[Row]:
    """Return the strength rows, strongest first."""
    return sorted(
        (r for r in fit.rows if r.group == "strength"), key=lambda r: -(r.estimate or 0.0)
    )


# checks of the data and the model


def fit_diagnostics(
    fit: BradleyTerryResult | None, design: Comparisons, *why: str
) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared; `why` says why there is no fit, first of all."""
    if fit is None:
        reason = f"No finite strengths: {why[0] if why else 'no model was fitted'}."
        return (
            Diagnostic(EXISTS, reason, "No strengths are reported."),
            Diagnostic(FOLLOWS, "No model was fitted.", "Not tested."),
            evenness_check(design),
        )
    likelihood = "maximum-likelihood" if design.replies is None else "quasi-likelihood"
    exists = Diagnostic(
        EXISTS,
        f"Finite: the win graph of {count(len(design.items), 'item')} is strongly connected.",
        f"Strengths and intervals are {likelihood} estimates.",
    )
    if fit.fitted_state.penalised:
        exists = Diagnostic(
            EXISTS,
            "Not needed: a penalty or prior keeps the estimates finite.",
            "Strengths are shrunk; likelihood-ratio tests are unavailable.",
        )
    return exists, fit_check(fit), evenness_check(design)


def fit_check(fit: BradleyTerryResult) -> Diagnostic:
    """Return the test of fit of each pair's wins, and what it implies given the clusters of the fit."""
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        return Diagnostic(FOLLOWS, str(error), "Not tested.")
    if not sentences.is_significant(gof.rows[-1]):
        return Diagnostic(FOLLOWS, gof.sentence(), "No significant misfit.")
    misfit = "Wins of pairs deviated from the model. Rely on cluster-robust errors."
    if set(fit.fitted_state.sizes) - {"pair"}:
        misfit = "The test assumes independent rows, so dependence within clusters may explain the misfit."
    return Diagnostic(FOLLOWS, gof.sentence(), misfit)


def evenness_check(design: Comparisons) -> Diagnostic:
    """Return how evenly items were compared, and how many pairs were."""
    sides = np.concatenate([design.item_a, design.item_b])
    sizes = np.bincount(sides, np.tile(design.count, 2), len(design.items))
    (least, fewest), *_, (most, largest) = sorted(zip(sizes.tolist(), design.items, strict=True))
    spread = count(least)
    if least != most:
        spread = f"{count(least)} ('{shorten(fewest)}') to {count(most)} ('{shorten(largest)}')"
    pairs = f"{count(len(design.pair.levels))} of {count(math.comb(len(sizes), 2))} pairs"
    return Diagnostic(
        "Balance of comparisons over items",
        f"{spread} comparisons per item; {pairs} were compared.",
        "Intervals are wide for items with few comparisons."
        if least * 2 < most
        else "Numbers of comparisons are similar.",
    )


def order_table(design: Comparisons) -> PageTable:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first_won = design.outcome == np.where(design.first > 0, A_WON, B_WON)
    tied = design.outcome == TIED
    sides = zip(presented(design), (first_won, ~first_won & ~tied), strict=True)
    parts = [(f"{side} was chosen", design.count[won].sum()) for side, won in sides]
    by = "column (the order of presentation was not declared)"
    if design.order_known:
        by = "order of presentation"
    header = ("Outcome", "Rows", "Share")
    parts.append(("tie", design.count[tied].sum()))
    return counts_table(f"Choices by {by}", header, parts, design.count.sum())


def presented(design: Comparisons) -> tuple[str, str]:
    """Name the two sides of a row: by the order of presentation, or by the item columns where it was not declared."""
    if design.order_known:
        return "first shown", "second shown"
    first, second = (shorten(design.columns.get(part, part), 30) for part in ("item_a", "item_b"))
    return f"item in column '{first}'", f"item in column '{second}'"


def model_methods(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, str]:
    """Return the methods paragraphs of the model, the brief one first."""
    state = fit.fitted_state
    terms = [as_words(row.term) for row in fit.rows if row.group in ("order", "covariate")]
    effects = f", with effects of {listing(terms)}" if terms else ""
    likelihood = "quasi-likelihood" if state.probable else "maximum likelihood"
    prior = fit.settings["prior"]
    pseudo_wins = f" with {count(prior, 'pseudo-win')} an item" if prior else ""
    texts = [
        f"Log-strengths (0: the average item) were estimated by {likelihood}{pseudo_wins}: {fit.title}{effects}.",
        TIES.get(fit.settings["ties"], ""),
        "" if fit.design.order_known else UNDECLARED,
        f"{percent_of(options.level)} CIs used {fit.inference}.",
        BOUNDED if state.robust and any(part.bounded for part in state.robust.parts) else "",
        HOLM_RANKS if len(fit.items) > MOST_MAX_T else MAX_T_RANKS,
    ]
    return " ".join(filter(None, texts)), MAXIMISED


# the fit without its order effect


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOrder:
    """A fit of the page with the order effect, and the same fit without it."""

    fit: BradleyTerryResult
    plain: BradleyTerryResult


# by level of the by factor, "" without one; empty where no fit has an order effect
Pairs = Mapping[str, WithoutOrder]


def without_order(
    fit: BradleyTerryResult,
    design: Comparisons,
    options: StudyOptions,
    formula: str | None,
    level: str = "",
) -> dict[str, WithoutOrder]:
    """Fit the model of a page again without its order effect, with the default clusters of its design.

    Returns
    -------
    dict of str to WithoutOrder
        Both fits under the level of the by factor (empty without one); nothing where the fit has no order effect.
    """
    if all(row.group != "order" for row in fit.rows):
        return {}
    plain = fit_model(design, options, formula, order=False)
    return {level: WithoutOrder(fit=fit, plain=plain)}


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return the conclusions from a fit, by name: strongest item, its lead, and the sign of every covariate."""
    reliable = verdict(lead_result(fit).rows[0]) == "above"
    texts = {
        "the strongest item": listing(sorted(firsts(strongest(fit)))),
        "its lead": "reliable" if reliable else "not reliable",
    }
    for row in (row for row in fit.rows if row.group == "covariate"):
        size = row.estimate or 0.0
        sign = "zero" if abs(size) <= SAME else "positive" if size > 0 else "negative"
        certain = "not reliable" if verdict(row) == "open" else "reliable"
        texts[f"the effect of {as_words(row.term, 30)}"] = f"{sign} and {certain}"
    return texts


def lead_result(fit: BradleyTerryResult) -> Result:
    """Return the lead of the strongest item over the next."""
    first, second = strongest(fit)[:2]
    return fit.contrast(first.term, second.term)


def fits_table(pairs: Pairs) -> PageTable:
    """Return strongest item, its lead, and the effects of covariates, with and without the order effect."""
    rows: list[Row] = []
    for level, pair in pairs.items():
        for how, fit in (("with", pair.fit), ("without", pair.plain)):
            effects = [row for row in fit.rows if row.group == "covariate"]
            shown = [strongest(fit)[0], *lead_result(fit).rows, *effects]
            labels = {"level": level} if level else {}
            rows += add_labels(shown, **labels, **{"order effect": how})
    caption = (
        "The fit with and without the order effect: strongest item, its lead over the next "
        "(log-odds), effects of covariates"
    )
    labels_of_rows = [
        ": ".join(filter(None, (row.label("level"), row.label("order effect"), row.term)))
        for row in rows
    ]
    return rows_table(
        untested_rows(rows), caption, term="Level: order effect: term", labels=labels_of_rows
    )


def changed_conclusions(pairs: Pairs) -> str:
    """Return which conclusions change without the order effect, in words; empty where none does."""
    changed: dict[str, list[str]] = {}
    for level, pair in pairs.items():
        page, plain = conclusions(pair.fit), conclusions(pair.plain)
        changed[level] = [
            f"{name} was {plain[name]} (with it {page[name]})"
            for name in page
            if page[name] != plain[name]
        ]
    text = by_level_text(changed)
    return f"without the order effect, {text}" if text else ""


def by_level_text(texts: Mapping[str, Sequence[str]]) -> str:
    """Return texts of levels as a list, each after its level; one level without a name stands alone."""
    parts = [
        f"{shorten(level, 30)}{': ' * bool(level)}{listing(list(named), most=MOST_NAMED)}"
        for level, named in texts.items()
        if named
    ]
    return "; ".join(parts)


def turned_by_order(pairs: Pairs) -> tuple[SecondAnalysis, ...]:
    """Return the conclusions that change without the order effect, for the answer."""
    text = f"{capital(changed_conclusions(pairs))}."
    return (SecondAnalysis(text, text),) if changed_conclusions(pairs) else ()


def changes_sentence(pairs: Pairs) -> str:
    """Return the conclusions without the order effect as a sentence."""
    for analysis in turned_by_order(pairs):
        return analysis.text
    moved = by_level_text({level: moved_items(pair) for level, pair in pairs.items()})
    ranks = f". Ranks changed: {moved}." if moved else ", nor did a rank."
    return (
        "Without the order effect, no conclusion on the strongest item, the reliability of "
        f"its lead or a sign changed{ranks}"
    )


def moved_items(pair: WithoutOrder) -> list[str]:
    """Return the items whose rank differs without the order effect, with both ranks, the farthest first."""
    ranks, plain = (
        {row.term: rank for rank, row in enumerate(strongest(fit), 1)}
        for fit in (pair.fit, pair.plain)
    )
    moved = [item for item in ranks if ranks[item] != plain[item]]
    moved.sort(key=lambda item: -abs(ranks[item] - plain[item]))
    return [
        f"{shorten(item, 30)} (rank {ranks[item]} with it, {plain[item]} without)" for item in moved
    ]


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    text, fix = (
        changed_conclusions(pairs),
        "report both fits; randomise who is shown first within every pair",
    )
    if not text:
        return ()
    return (caution("SS111", text, affects="the answer and the strengths", fix=fix),)


def order_results(pairs: Pairs) -> list[Result]:
    """Return the fits without the order effect, and the leads of both fits."""
    results: list[Result] = []
    for pair in pairs.values():
        results.append(replace(pair.plain, title="Model without the order effect"))
        results += [lead_result(pair.fit), lead_result(pair.plain)]
    return results


# questions


def group_question(
    design: Comparisons, groups: Mapping[str, str], name: str, level: float, part: Part = "main"
) -> Block | None:
    """Ask how often each group of items won against the others (ties count as half)."""
    rates = single(group_win_rates(design, groups, level=level))
    kind = as_words(name)
    question = f"How often did each {kind} win against the others?"
    note = "Ties are half wins."
    return ask_result(f"matrix-{name}", rates, question, note=note, part=part)


def strengths_question(
    fit: BradleyTerryResult, options: StudyOptions, item: str, say: Sequence[str]
) -> Block | None:
    """Ask which item was preferred: strengths, worths, ranks, and the win probability of the first two."""
    rows = untested_rows(strongest(fit))
    marginal, joint = (
        fit.ranks(kind=kind, level=options.level, seed=options.seed) for kind in RANK_SETS
    )
    quoted_ranks = marginal if untrusted(fit) else joint  # those of the answer
    intervals = {
        row.term: (int(row.conf_low or 0), int(row.conf_high or 0)) for row in quoted_ranks.rows
    }
    worth = fit.worth(level=options.level)
    chance = fit.win_probability(rows[0].term, rows[1].term)
    quasi = attempt_result(fit.quasi_variances)
    # one line for each item, as readers look up items
    parts = {"worth (RPI, sum 1)": worth, "marginal rank": marginal, "simultaneous rank": joint}
    beside = [
        row for name, result in parts.items() for row in add_labels(result.rows, quantity=name)
    ]
    effects = fit.fitted_state.design_effects  # ratios of standard errors
    clustered = (
        f" Median design effect: {number(float(np.median(effects**2)))}."
        if effects is not None
        else ""
    )
    return ask_rows(
        "strengths",
        f"Which {item} was preferred?",
        fit,
        rows,
        quantity=f"log-strength of each {item} (0: average), strongest first",
        say=[*say, quoted_ranks.sentence()],
        draw=lambda rows, _names, xlabel: partial(
            forest, rows, xlabel="log-strength (0 = average)", ranks=intervals
        ),
        tables={
            f"Win probability of {shorten(rows[0].term, 40)} over {shorten(rows[1].term, 40)}": chance.rows,
            "Quasi-standard errors, by which any two can be compared": ()
            if quasi is None
            else quasi.rows,
        },
        more=[
            grid_table(
                beside, f"Worth and rank of each {item}", "item", "quantity", cell="interval"
            )
        ],
        results=[marginal, joint, worth, chance],
        note=f"Right: {quoted_ranks.settings['kind']} rank intervals. "
        f"A difference of 1 means odds of {number(math.e)} to 1.{clustered}",
    )


def last_ranked(marginal: Result) -> str:
    """State the rank of the last item with its marginal rank interval."""
    known = [row for row in marginal.rows if row.estimate is not None]
    last = max(known, key=lambda row: row.estimate or 0.0)
    return sentences.rank_with_interval(
        shorten(last.term, 40), last, len(known), last.conf_level or 0.95, simultaneous=False
    )


def rank_questions(
    fit: BradleyTerryResult, strengths: Block, options: StudyOptions
) -> list[Block | None]:
    """Ask for the rank interval of each item, and how often each is expected to win, in the appendix."""
    rows = [row for row in strongest(fit) if row.estimate is not None]
    if len(rows) < 2:
        return []
    _, marginal, joint, *_ = strengths.results
    against = fit.win_probability(rows[0].term, rows[-1].term)
    order = any(row.group == "order" for row in fit.rows)
    ranks = ask_rows(
        "ranks",
        "What is the rank interval of each item?",
        marginal,
        marginal.rows,
        quantity="rank of each item, the first at the top",
        say=[last_ranked(marginal)],
        draw=lambda *_: partial(rank_figure, marginal.rows, joint.rows),
        note="Discs: ranks; broad bars: marginal rank intervals; thin lines: simultaneous ones.",
        part="appendix",
    )
    expected = ask_rows(
        "wins",
        "How often was each item expected to win?",
        against,
        against.rows,
        quantity="expected win probability of each item (lines) against the others (columns)",
        say=[against.sentence()],
        draw=lambda *_: partial(wins, rows),
        note="Blue: above .50; orange: below. Probabilities are of decided comparisons under the model"
        f"{', without the order effect' * order}.",
        part="appendix",
    )
    return [ranks, expected]


def strength_planning(fit: BradleyTerryResult, row: Row, item: str = "item") -> tuple[str, ...]:
    """Return how many more comparisons, pairs or clusters halve the interval of a strength."""
    state, quantity = fit.fitted_state, f"the log-strength of {shorten(row.term, 40)}"
    compared = int(row.n or 0)
    if compared * 2 < np.median([other.n or 0 for other in strongest(fit)]):
        # its error rests on its comparisons, and df grow with opponents, not with these
        more = clusters_to_halve(replace(row, df=None), compared)
        unit = f"comparisons of {shorten(row.term, 40)}, which has {count(compared)}"
        return () if more is None else (more_clusters_sentence(more, unit, quantity),)
    if set(state.sizes) == {"pair"}:
        # new opponents take new items, which make it another question
        more = clusters_to_halve(row)
        enough = more is not None and more <= pairs_left(fit.design)
        return pairs_to_halve(more or 0, fit.design, item, quantity) if enough else ()
    return halved(state.factors, row, fit.design.n_rows, quantity, unit="comparisons")


def effects_question(
    fit: BradleyTerryResult, pairs: Pairs, answered: Sequence[str] = (), part: Part = "main"
) -> Block | None:
    """Ask for order effect (and the fit without it), covariates and tie parameter.

    Parameters
    ----------
    fit : BradleyTerryResult
    pairs : mapping of str to WithoutOrder
        The fit and the one without its order effect (`without_order`).
    answered : sequence of str
        Terms that have their own question.
    part : {"main", "appendix"}
    """
    effects = [row for row in fit.rows if row.group in BESIDE]
    # 0 is no hypothesis of a tie parameter
    ties = untested_rows(row for row in effects if row.group == "tie")
    tested = [row for row in effects if row.group != "tie"]
    rows, adjusted = adjust_family_by_holm([*tested, *ties], "effects beside the strengths")
    asked = [row for row in rows if row.term not in answered]
    kinds = [BESIDE[str(row.group)] or as_words(row.term, 30) for row in asked]
    terms = {row.term for row in rows}
    touching = tuple(c for c in fit.cautions if c.rows is not None and terms & set(c.rows))
    block = ask_rows(
        "effects",
        f"What were the effects of {listing(list(dict.fromkeys(kinds))) or 'covariates'}?",
        replace(fit, rows=rows, cautions=touching),
        rows,
        quantity="effect in log-odds",
        names=[as_words(row.term) for row in rows],
        say=[*map(effect_sentence, asked), changes_sentence(pairs) if pairs else ""],
        more=[fits_table(pairs)] if pairs else [],
        results=[*([] if adjusted is None else [adjusted]), *order_results(pairs)],
        part=part,
    )
    return None if block is None else replace(block, turned=turned_by_order(pairs))


def clusters_question(
    design: Comparisons, options: StudyOptions, formula: str | None, fit: BradleyTerryResult
) -> Block | None:
    """Ask whether the leading strength depends on the clusters."""
    first = strongest(fit)[0].term
    return dependence_block(
        declared_clusters(design) or (design.pair.name,),
        lambda way: fit_model(design, options, formula, cluster=way),
        rows="comparisons",
        quantity=f"log-strength of {shorten(first, 40)}",
        lead=lambda result: result.row(first, group="strength"),
    )


# the page


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Analyse strengths and ranks of items."""
    check_single(design)
    terms = [
        column_term(term) if term in design.covariate_names else term for term in options.adjust
    ]
    formula = f"~ {' + '.join(terms)}" if terms else None
    fit = fit_model(design, options, formula)
    pairs = without_order(fit, design, options, formula)
    strengths = strengths_question(fit, options, "item", [strengths_sentence(fit, "item")])
    groups = item_groups(design).items()
    return page_of(
        "comparisons",
        f"Which of {count(len(design.items), 'item')} was preferred?",
        design,
        options,
        describe=describe(design, fit),
        verdict=verdict_on_items(fit, options),
        answer=answer(fit, options),
        leading={"Strengths": fit},
        blocks=[
            strengths,
            effects_question(fit, pairs),
            clusters_question(design, options, formula, fit),
            *([] if strengths is None else rank_questions(fit, strengths, options)),
            *(group_question(design, group, name, options.level) for name, group in groups),
        ],
        uses=USES,
        cautions=[
            change_cautions(pairs),
            fit.cautions,
            design.cautions,
            unused_covariates(design, options),
        ],
        data=[order_table(design)],
        diagnostics=fit_diagnostics(fit, design),
        methods=[*model_methods(fit, options), *probability_methods(design)],
        references=RANK_REFERENCES,
        planning=strength_planning(fit, strongest(fit)[0]),
    )


def describe(design: Comparisons, fit: BradleyTerryResult | None) -> str:
    """Return the design in one line: kind, and n at every level."""
    pairs = len(design.pair.levels) if fit is None else fit.counts["pairs"]
    sizes = declared_cluster_counts(design, {} if fit is None else fit.fitted_state.sizes)
    parts = [
        count(design.n_rows, "comparison"),
        count(len(design.items), "item"),
        count(pairs, "pair"),
        *([f"{percent(design.n_ties / design.n_rows)} ties"] if design.n_ties else []),
        *(count_of(size, name) for name, size in sizes.items() if name != "pair"),
    ]
    return f"Paired comparisons: {', '.join(parts)}"


def win_chance(fit: BradleyTerryResult) -> Row:
    """Return the probability that the strongest item wins against the next."""
    first, second = strongest(fit)[:2]
    return fit.win_probability(first.term, second.term).rows[0]


def of_decided(fit: BradleyTerryResult) -> bool:
    """Return whether win probabilities leave out ties, which have probabilities of their own."""
    return fit.settings["ties"] in TIED_MODELS and fit.design.n_ties > 0


def verdict_on_items(fit: BradleyTerryResult, options: StudyOptions) -> Conclusion:
    """Return which item is preferred most, and how often it is chosen over the next one."""
    chance = win_chance(fit)
    size = "" if chance.estimate is None else of_ten(chance.estimate)
    second = shorten(strongest(fit)[1].term, LABEL)
    over = f", and over {second} in {size} {'decided ' * of_decided(fit)}choices"
    ranks = page_ranks(fit, options).rows
    return ranking(ranks, "is preferred most", "are preferred to", "item", over)


def answer(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer: the strongest item, whether its lead is reliable, and its rank interval."""
    return lead_sentence(fit, options), rank_answer(fit, options)[0]


def lead_sentence(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return the strongest item and whether its lead is reliable.

    The lead is that over the next item alone. Where rank intervals, which are adjusted for all items, leave other items
    beside the strongest, the same sentence says so.
    """
    rows = strongest(fit)
    tied = firsts(rows)
    if len(tied) > 1:
        return sentences.tied_first(
            tied, len(rows), "item", f"log-strength {number(rows[0].shown())}"
        )
    chance = win_chance(fit)
    among = (page_ranks(fit, options).row(rows[0].term).conf_high or 0) > 1
    return sentences.first_ranked(
        shorten(rows[0].term),
        rows[0],
        shorten(rows[1].term),
        chance,
        reliable=sentences.direction(chance, 0.5) == "above",
        adjusted=not among,
        decided=of_decided(fit),
    )


def rank_answer(fit: BradleyTerryResult, options: StudyOptions) -> list[str]:
    """Return the ranks of the strongest and the weakest item with intervals."""
    ranks, rows = page_ranks(fit, options), strongest(fit)
    joint = not untrusted(fit)
    return [
        sentences.rank_with_interval(
            shorten(item), ranks.row(item), len(rows), options.level, simultaneous=joint
        )
        for item in (rows[0].term, rows[-1].term)
    ]


def firsts(rows: Sequence[Row]) -> list[str]:
    """Return the items that share the first rank, of strength rows with the strongest first."""
    return [
        shorten(row.term)
        for row in rows
        if (rows[0].estimate or 0.0) - (row.estimate or 0.0) <= SAME
    ]


def untrusted(fit: BradleyTerryResult) -> bool:
    """Return whether a caution touches joint tests, and so simultaneous rank intervals."""
    return any(caution.code in JOINT for caution in fit.cautions)


def page_ranks(fit: BradleyTerryResult, options: StudyOptions) -> Result:
    """Return the ranks that the answer quotes: simultaneous, and marginal where a caution touches joint tests."""
    return fit.ranks(kind=RANK_SETS[not untrusted(fit)], level=options.level, seed=options.seed)


# groups of items


def unused_covariates(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Return a caution on covariates that differ between comparisons of an item and are not in the model."""
    names = [
        name
        for name in design.covariate_names
        if name not in {*constant_covariates(design), *options.adjust}
    ]
    if not names:
        return ()
    detail = f"strengths are not adjusted for {quoted(names)}"
    fix = f"if they should be held equal, use {option('adjust')}"
    return (
        caution(
            "SS308", detail, affects="strengths, if these covariates should be held equal", fix=fix
        ),
    )


def constant_covariates(design: Comparisons) -> dict[str, dict[str, Any]]:
    """Return the covariates that have one value for each item, as item -> value."""
    groups = {name: attempt_result(design.group_of, name) for name in design.covariates}
    return {name: by_item for name, by_item in groups.items() if by_item is not None}


def item_groups(design: Comparisons) -> dict[str, dict[str, Any]]:
    """Return the covariates that sort the items into a few groups."""
    most = min(MOST_GROUPS, len(design.items) - 1)
    return {
        name: groups
        for name, groups in constant_covariates(design).items()
        if 2 <= len(set(map(str, groups.values()))) <= most
    }


def choose_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the items to report: the one asked for, or all that the table has."""
    found = item_groups(design)
    check_named("group", options.group, list(found), "grouping of the items")
    return found if options.group is None else {options.group: found[options.group]}


def sizes_text(groups: Mapping[str, object], noun: str = "item") -> str:
    """Return how many items each group has.

    Examples
    --------
    >>> sizes_text({"nun": "faith", "imam": "faith", "son": "family"})
    'faith 2 items and family 1 item'
    """
    sizes = Counter(str(group) for group in groups.values())
    return listing(
        [f"{shorten(name, 30)} {count(sizes[name], noun)}" for name in sorted(sizes)], most=8
    )


def further_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings from beside the table, of the items that it has."""
    in_table, groupings = item_groups(design), {}
    for name, groups in (options.item_groups or {}).items():
        present = {item: group for item, group in groups.items() if item in design.items}
        if name not in in_table and len(set(present.values())) > 1:
            groupings[name] = present
    return groupings


def unmatched_items(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Return which items only the table or only the groups from beside it name."""
    if not options.item_groups:
        return ()
    named = dict.fromkeys(item for groups in options.item_groups.values() for item in groups)
    return match_keys(named, design.items).cautions(
        "item", ("the item groups", "the comparisons"), "shares of groups"
    )


def choosers_table(s: Result) -> PageTable:
    """Return S of choosers that follow a simple rule on the design of a result."""
    cells = tuple((line.label, line.value, line.words) for line in reference_values(s))
    header = ("Chooser", "S", "Rule of choice")
    return PageTable("S of reference choosers on this design", header, cells, 2)
