"""Study of paired comparisons: strengths and ranks of items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.choices.bradley_terry import (
    BradleyTerryResult,
    bradley_terry,
    effect_sentence,
    strengths_sentence,
)
from socialstats.choices.bradley_terry.model import ORDER
from socialstats.choices.bradley_terry.ranks import MOST_MAX_T
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.nouns import count_of
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.terms import column_term
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.figures import forest, wins
from socialstats.inference.dependence import declared_cluster_counts
from socialstats.inference.halving import clusters_to_halve
from socialstats.matching import match_keys
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.asking import Part, ask_result, ask_rows, attempt_result, page_of
from socialstats.studies.estimates import (
    counts_table,
    declared_clusters,
    halved,
    pairs_to_halve,
    probability_methods,
    single,
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
from socialstats.studies.row_picking import add_labels, untested_rows
from socialstats.studies.row_tables import grid_table
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
    design: Comparisons, options: StudyOptions, formula: str | None, **choices: Any
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model; the order effect is in it where the design declares an order."""
    chosen = {**options.chosen("ties", "penalty", "prior", "level"), **choices}
    fit: Any = bradley_terry(design, formula, by=None, **chosen)
    return fit  # type: ignore[no-any-return]


def strongest(fit: BradleyTerryResult) -> list[Row]:
    """Return the strength rows, strongest first."""
    rows = [row for row in fit.rows if row.group == "strength"]
    return sorted(rows, key=lambda row: -(row.estimate or 0.0))


# checks of the data and the model


def fit_diagnostics(
    fit: BradleyTerryResult | None,
    design: Comparisons,
    why: str = "no model was fitted",
    cure: str = "No strengths are reported.",
) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared; without a fit, say why and what to do."""
    if fit is None:
        lost = Diagnostic(EXISTS, f"No finite strengths: {why}.", cure)
        untested = Diagnostic(FOLLOWS, "No model was fitted.", "Not tested.")
        return lost, untested, evenness_check(design)
    finite = f"Finite: the win graph of {count(len(design.items), 'item')} is strongly connected."
    so_what = "Strengths are maximum-likelihood estimates."
    if fit.fitted_state.penalised:
        finite = "Not needed: a penalty or prior keeps the estimates finite."
        so_what = "Strengths are shrunk; likelihood-ratio tests are unavailable."
    elif design.replies is not None:
        so_what = "Strengths are quasi-likelihood estimates."
    return Diagnostic(EXISTS, finite, so_what), fit_check(fit), evenness_check(design)


def fit_check(fit: BradleyTerryResult) -> Diagnostic:
    """Return the test of fit of each pair's wins, and what it implies given the clusters of the fit."""
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        return Diagnostic(FOLLOWS, str(error), "Not tested.")
    so_what = "No significant misfit."
    if sentences.is_significant(gof.rows[-1]):
        so_what = "Wins of pairs deviated from the model. Rely on cluster-robust errors."
        if set(fit.fitted_state.sizes) - {"pair"}:
            so_what = "The test assumes independent rows, so dependence within clusters may explain the misfit."
    return Diagnostic(FOLLOWS, gof.sentence(), so_what)


def evenness_check(design: Comparisons) -> Diagnostic:
    """Return how evenly items were compared, and how many pairs were."""
    sides = np.concatenate([design.item_a, design.item_b])
    sizes = np.bincount(sides, np.tile(design.count, 2), len(design.items))
    least, most = sizes.min(), sizes.max()
    spread = count(most) if least == most else f"{count(least)} to {count(most)}"
    pairs = f"{count(len(design.pair.levels))} of {count(math.comb(len(sizes), 2))} pairs"
    even = "Numbers of comparisons are similar."
    if least * 2 < most:
        even = "Intervals are wide for items with few comparisons."
    return Diagnostic(
        "Balance of comparisons over items",
        f"{spread} comparisons per item; {pairs} were compared.",
        even,
    )


def order_table(design: Comparisons) -> PageTable:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first_won = design.outcome == np.where(design.first > 0, A_WON, B_WON)
    tied = design.outcome == TIED
    first, second = presented(design)
    outcomes = {
        f"{first} was chosen": first_won,
        f"{second} was chosen": ~first_won & ~tied,
        "tie": tied,
    }
    by = "column (the order of presentation was not declared)"
    if design.order_known:
        by = "order of presentation"
    parts = [(name, design.count[rows].sum()) for name, rows in outcomes.items()]
    header = ("Outcome", "Rows", "Share")
    return counts_table(f"Choices by {by}", header, parts, design.count.sum())


def presented(design: Comparisons) -> tuple[str, str]:
    """Name the two sides of a row: by the order of presentation, or by the item columns where it was not declared."""
    if design.order_known:
        return "first shown", "second shown"
    first, second = (shorten(design.columns.get(part, part), 30) for part in ("item_a", "item_b"))
    return f"item in column '{first}'", f"item in column '{second}'"


def model_methods(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, str]:
    """Return the methods paragraphs of the model, the brief one first."""
    state, prior = fit.fitted_state, fit.settings["prior"]
    terms = [as_words(row.term) for row in fit.rows if row.group in ("order", "covariate")]
    effects = f", with effects of {listing(terms)}" if terms else ""
    likelihood = "quasi-likelihood" if state.probable else "maximum likelihood"
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

# by level of the by factor ("" without one): the fit of the page, and that without its order effect
Pairs = Mapping[str, tuple[BradleyTerryResult, BradleyTerryResult]]


def without_order(fits: Mapping[str, BradleyTerryResult]) -> Pairs:
    """Return fits beside the same without the order effect; those that have no order effect are left out."""
    with_order = {level: fit for level, fit in fits.items() if ORDER in fit.names}
    return {level: (fit, fit.update(order=False)) for level, fit in with_order.items()}


def lead_result(fit: BradleyTerryResult) -> Result:
    """Return the lead of the strongest item over the next."""
    first, second = strongest(fit)[:2]
    return fit.contrast(first.term, second.term)


def conclusion_rows(fit: BradleyTerryResult) -> list[Row]:
    """Return the strongest item, its lead, and the effects of covariates."""
    effects = [row for row in fit.rows if row.group == "covariate"]
    return [strongest(fit)[0], *lead_result(fit).rows, *effects]


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return the conclusions from a fit, by name: strongest item, its lead, and the sign of every covariate."""
    _, lead, *effects = conclusion_rows(fit)
    certain = {True: "clear", False: "not clear"}
    texts = {
        "the strongest item": listing(sorted(firsts(strongest(fit)))),
        "its lead": certain[sentences.reliable(lead)],
    }
    for row in effects:
        size = row.estimate or 0.0
        sign = "zero" if abs(size) <= SAME else "positive" if size > 0 else "negative"
        name = f"the effect of {as_words(row.term, 30)}"
        texts[name] = f"{sign} and {certain[sentences.reliable(row)]}"
    return texts


def changed_conclusions(pairs: Pairs) -> str:
    """Return which conclusions change without the order effect; empty where none does."""
    parts = []
    for level, (fit, plain) in pairs.items():
        with_order, without = conclusions(fit), conclusions(plain)
        changed = [
            f"{name} was {without[name]} (with it {with_order[name]})"
            for name in with_order
            if with_order[name] != without[name]
        ]
        if changed:
            start = f"{shorten(level, 30)}: " if level else ""
            parts.append(start + listing(changed, most=MOST_NAMED))
    return f"without the order effect, {'; '.join(parts)}" if parts else ""


def moved_items(pairs: Pairs) -> str:
    """Return that items have other ranks without the order effect, and which."""
    moved: dict[str, None] = {}
    for pair in pairs.values():
        orders = [[row.term for row in strongest(fit)] for fit in pair]
        moved |= {page: None for page, plain in zip(*orders, strict=True) if page != plain}
    names = listing([shorten(item, 30) for item in moved], most=MOST_NAMED)
    return f"Ranks changed without it: {names}." if moved else "No rank changed without it."


def order_question(pairs: Pairs, *, here: str = "") -> Block | None:
    """Ask whether conclusions depend on the order effect: each fit beside the one without it.

    `here` says that the page has the order effect, where its verdict is of the strongest item.
    """
    if not pairs:
        return None
    rows: list[Row] = []
    results: list[Result] = []
    for level, (fit, plain) in pairs.items():
        labels = {"level": level} if level else {}
        results += [replace(plain, title="Model without the order effect")]
        for how, version in (("with", fit), ("without", plain)):
            rows += add_labels(conclusion_rows(version), **labels, **{"order effect": how})
            results.append(lead_result(version))
    changed = changed_conclusions(pairs)
    text = f"{capital(changed)}."
    unchanged = "Without the order effect, the strongest item, how clear its lead was and signs were the same."
    names = [(row.label("level") or "", row.label("order effect"), row.term) for row in rows]
    return ask_rows(
        "order",
        "Do conclusions depend on the order effect?",
        results[0],
        untested_rows(rows),
        quantity="strongest item, its lead and covariates, with and without the order effect (log-odds)",
        names=[": ".join(filter(None, name)) for name in names],
        say=[text if changed else unchanged, moved_items(pairs)],
        results=results[1:],
        part="appendix",
        turned=[SecondAnalysis(text, text, here=here)] if changed else [],
    )


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    changed = changed_conclusions(pairs)
    fix = "report both fits; randomise who is shown first within every pair"
    affected = "the answer and the strengths"
    return (caution("SS111", changed, affects=affected, fix=fix),) if changed else ()


# questions


def group_question(
    design: Comparisons, groups: Mapping[str, str], name: str, level: float, part: Part = "main"
) -> Block | None:
    """Ask how often each group of items won against the others (ties count as half)."""
    # few tables have groups of items
    from socialstats.choices.group_win_rates import group_win_rates

    rates = single(group_win_rates(design, groups, level=level))
    question = f"How often did each {as_words(name)} win against the others?"
    return ask_result(f"matrix-{name}", rates, question, note="Ties are half wins.", part=part)


def rank_results(fit: BradleyTerryResult, options: StudyOptions) -> tuple[Result, Result]:
    """Return ranks with simultaneous and marginal intervals.

    The first are those of the answer: the marginal ones where a caution touches joint tests.
    """
    how = options.chosen("level", "seed")
    joint, marginal = (fit.ranks(kind="simultaneous", **how), fit.ranks(kind="marginal", **how))
    untrusted = any(caution.code in JOINT for caution in fit.cautions)
    return (marginal, joint) if untrusted else (joint, marginal)


def strengths_question(
    fit: BradleyTerryResult, ranks: Sequence[Result], item: str, say: Sequence[str]
) -> Block | None:
    """Ask which item was preferred: strengths, worths, ranks, and the win probability of the first two."""
    rows = untested_rows(strongest(fit))
    names = [shorten(row.term, 40) for row in rows[:2]]
    intervals = {
        row.term: (int(row.conf_low or 0), int(row.conf_high or 0)) for row in ranks[0].rows
    }
    worth, chance = fit.worth(), fit.win_probability(rows[0].term, rows[1].term)
    quasi = attempt_result(fit.quasi_variances)
    # one line for each item, as readers look up items
    beside = add_labels(worth.rows, quantity="worth (RPI, sum 1)")
    for result in ranks:
        beside += add_labels(result.rows, quantity=f"{result.settings['kind']} rank")
    effects = fit.fitted_state.design_effects  # ratios of standard errors
    clustered = ""
    if effects is not None:
        clustered = f" Median design effect: {number(float(np.median(effects**2)))}."
    return ask_rows(
        "strengths",
        f"Which {item} was preferred?",
        fit,
        rows,
        quantity=f"log-strength of each {item} (0: average), strongest first",
        say=[*say, ranks[0].sentence()],
        draw=lambda rows, *_: partial(
            forest, rows, xlabel="log-strength (0 = average)", ranks=intervals
        ),
        tables={
            f"Win probability of {' over '.join(names)}": chance.rows,
            "Quasi-standard errors, by which any two can be compared": quasi.rows if quasi else (),
        },
        more=[
            grid_table(
                beside, f"Worth and rank of each {item}", "item", "quantity", cell="interval"
            )
        ],
        results=[*ranks, worth, chance],
        note=f"Right: {ranks[0].settings['kind']} rank intervals. "
        f"A difference of 1 means odds of {number(math.e)} to 1.{clustered}",
    )


def last_ranked(ranks: Result) -> str:
    """State the rank of the last item with its interval."""
    return rank_statement(ranks, max(ranks.rows, key=lambda row: row.estimate or 0.0))


def rank_statement(ranks: Result, row: Row) -> str:
    """State a rank with its interval."""
    joint = ranks.settings.get("kind") == "simultaneous"
    ranked = sum(row.estimate is not None for row in ranks.rows)
    level = row.conf_level or 0.95
    return sentences.rank_with_interval(
        shorten(row.term, 40), row, ranked, level, simultaneous=joint
    )


def wins_question(fit: BradleyTerryResult) -> Block | None:
    """Ask how often each item is expected to win against the others."""
    rows = strongest(fit)
    extremes = fit.win_probability(rows[0].term, rows[-1].term)
    without = ", without the order effect" * (ORDER in fit.names)
    return ask_rows(
        "wins",
        "How often was each item expected to win?",
        extremes,
        extremes.rows,
        quantity="expected win probability of each item (lines) against the others (columns)",
        say=[extremes.sentence()],
        draw=lambda *_: partial(wins, rows),
        note=f"Blue: above .50; orange: below. Probabilities are of decided comparisons under the model{without}.",
        part="appendix",
    )


def effects_question(
    fit: BradleyTerryResult, answered: Sequence[str] = (), part: Part = "main"
) -> Block | None:
    """Ask for order effect, covariates and tie parameter; terms that were `answered` have their own question."""
    effects = [row for row in fit.rows if row.group in BESIDE]
    # 0 is no hypothesis of a tie parameter
    ties = untested_rows(row for row in effects if row.group == "tie")
    tested = [row for row in effects if row.group != "tie"]
    rows, adjusted = adjust_family_by_holm([*tested, *ties], "effects beside the strengths")
    asked = [row for row in rows if row.term not in answered]
    kinds = [BESIDE[str(row.group)] or as_words(row.term, 30) for row in asked]
    terms = {row.term for row in rows}
    touching = tuple(c for c in fit.cautions if c.rows is not None and terms & set(c.rows))
    return ask_rows(
        "effects",
        f"What were the effects of {listing(list(dict.fromkeys(kinds))) or 'covariates'}?",
        replace(fit, rows=rows, cautions=touching),
        rows,
        quantity="effect in log-odds",
        names=[as_words(row.term) for row in rows],
        say=map(effect_sentence, asked),
        results=[adjusted],
        part=part,
    )


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
    names = design.covariate_names
    terms = [column_term(term) if term in names else term for term in options.adjust]
    formula = f"~ {' + '.join(terms)}" if terms else None
    fit = fit_model(design, options, formula)
    pairs = without_order({"": fit})
    ranks = rank_results(fit, options)
    groups = item_groups(design).items()
    return page_of(
        "comparisons",
        f"Which of {count(len(design.items), 'item')} was preferred?",
        design,
        options,
        describe=describe(design, fit),
        verdict=verdict_on_items(fit, ranks[0]),
        answer=[lead_sentence(fit, ranks[0]), rank_answer(fit, ranks[0])[0]],
        leading={"Strengths": fit},
        blocks=[
            strengths_question(fit, ranks, "item", [strengths_sentence(fit, "item")]),
            effects_question(fit),
            order_question(pairs, here="with the order effect taken into account"),
            clusters_question(design, options, formula, fit),
            wins_question(fit),
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
        planning=strength_planning(fit),
    )


def describe(design: Comparisons, fit: BradleyTerryResult | None) -> str:
    """Return the design in one line: kind, and n at every level."""
    sizes = declared_cluster_counts(design, {} if fit is None else fit.fitted_state.sizes)
    ties = design.n_ties / design.n_rows
    parts = [
        count(design.n_rows, "comparison"),
        count(len(design.items), "item"),
        count(len(design.pair.levels) if fit is None else fit.counts["pairs"], "pair"),
        f"{percent(ties)} ties" if ties else "",
        *(count_of(size, name) for name, size in sizes.items() if name != "pair"),
    ]
    return f"Paired comparisons: {', '.join(filter(None, parts))}"


def strength_planning(fit: BradleyTerryResult) -> tuple[str, ...]:
    """Return how many more comparisons, pairs or clusters halve the interval of the first strength."""
    state, rows = fit.fitted_state, strongest(fit)
    row, name = rows[0], shorten(rows[0].term, 40)
    quantity, compared = f"the strength of {name}", int(row.n or 0)
    if compared * 2 < np.median([item.n or 0 for item in rows]):
        # its error rests on its comparisons, and df grow with opponents, not with these
        alone = replace(row, df=None, n_clusters=None)
        unit = f"comparisons of {name}, which has {count(compared)}"
        return halved((), alone, compared, quantity, unit=unit)
    if set(state.sizes) == {"pair"}:
        more = clusters_to_halve(row)
        return () if more is None else pairs_to_halve(more, fit.design, "item", quantity)
    return halved(state.factors, row, fit.design.n_rows, quantity, unit="comparisons")


# the answer


def win_chance(fit: BradleyTerryResult) -> Row:
    """Return the probability that the strongest item wins against the next."""
    first, second = strongest(fit)[:2]
    return fit.win_probability(first.term, second.term).rows[0]


def of_decided(fit: BradleyTerryResult) -> bool:
    """Return whether win probabilities leave out ties, which have probabilities of their own."""
    return fit.settings["ties"] in TIED_MODELS and fit.design.n_ties > 0


def verdict_on_items(fit: BradleyTerryResult, ranks: Result) -> Conclusion:
    """Return which item is preferred most, and how often it is chosen over the next one."""
    chance, second = win_chance(fit).estimate, shorten(strongest(fit)[1].term, LABEL)
    size = "" if chance is None else of_ten(chance)
    over = f", and over {second} in {size} {'decided ' * of_decided(fit)}choices"
    return ranking(ranks.rows, "is preferred most", "are preferred to", "item", over)


def lead_sentence(fit: BradleyTerryResult, ranks: Result) -> str:
    """Return the strongest item and whether its lead is clear.

    The lead is that over the next item alone. Where rank intervals, which are adjusted for all items, leave other items
    beside the strongest, the same sentence says so.
    """
    rows = strongest(fit)
    tied = firsts(rows)
    if len(tied) > 1:
        score = f"log-strength {number(rows[0].shown())}"
        return sentences.tied_first(tied, len(rows), "item", score)
    chance = win_chance(fit)
    return sentences.first_ranked(
        shorten(rows[0].term),
        rows[0],
        shorten(rows[1].term),
        chance,
        clear=sentences.direction(chance, 0.5) == "above",
        adjusted=(ranks.row(rows[0].term).conf_high or 0) <= 1,
        decided=of_decided(fit),
    )


def rank_answer(fit: BradleyTerryResult, ranks: Result) -> list[str]:
    """Return the ranks of the strongest and the weakest item with intervals."""
    rows = strongest(fit)
    return [rank_statement(ranks, ranks.row(row.term)) for row in (rows[0], rows[-1])]


def firsts(rows: Sequence[Row]) -> list[str]:
    """Return the items that share the first rank, of strength rows with the strongest first."""
    top = rows[0].estimate or 0.0
    return [shorten(row.term) for row in rows if top - (row.estimate or 0.0) <= SAME]


# groups of items


def unused_covariates(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Return a caution on covariates that differ between comparisons of an item and are not in the model."""
    used = {*constant_covariates(design), *options.adjust}
    names = [name for name in design.covariate_names if name not in used]
    if not names:
        return ()
    detail = f"strengths are not adjusted for {quoted(names)}"
    affected = "strengths, if these covariates should be held equal"
    fix = f"if they should be held equal, use {option('adjust')}"
    return (caution("SS308", detail, affects=affected, fix=fix),)


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
    groupings = item_groups(design)
    check_named("group", options.group, list(groupings), "grouping of the items")
    return groupings if options.group is None else {options.group: groupings[options.group]}


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
    # pages without S need nothing of it
    from socialstats.choices.sensitivity import reference_values

    cells = tuple((line.label, line.value, line.words) for line in reference_values(s))
    header = ("Chooser", "S", "Rule of choice")
    return PageTable("S of reference choosers on this design", header, cells, 2)
