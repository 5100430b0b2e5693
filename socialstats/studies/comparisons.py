"""Study of paired comparisons: strengths and ranks of items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats import sentences
from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry import BradleyTerryResult, bradley_terry, strengths_sentence
from socialstats.choices.bradley_terry.ranks import MOST_MAX_T
from socialstats.choices.group_win_rates import group_win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.nouns import count_of
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.terms import column_term
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic, caution
from socialstats.figures import forest, heat, wins
from socialstats.figures import ranks as rank_figure
from socialstats.inference.dependence import declared_cluster_counts
from socialstats.inference.halving import clusters_to_halve
from socialstats.matching import match_keys
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    NUMBERS,
    Column,
    counts_table,
    df_text,
    ends,
    p_text,
    pairs_left,
    pairs_to_halve,
    probability_methods,
    rows_table,
    single,
    table_of,
    verdict,
    verify_all,
    whole,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    check_named,
    check_single,
    order_cautions,
    shared,
)
from socialstats.studies.verdicts import LABEL, Conclusion, of_ten, ranking
from socialstats.text import (
    Shown,
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


def group_matrix(
    design: Comparisons, groups: Mapping[str, str], name: str, level: float = 0.95
) -> Block:
    """Return the matrix of win rates between groups of items, each with its interval (ties count as half)."""
    found, kind = single(group_win_rates(design, groups, level=level)), as_words(name)
    columns: dict[str, Column] = {
        "Against": "group",
        "Win rate": "estimate",
        "Low": "conf_low",
        "High": "conf_high",
    }
    columns["Comparisons"] = whole("n")
    return Block(
        id=f"matrix-{name}",
        question=f"How often did each {kind} win against the others?",
        sentences=(found.sentence(),),
        draw=partial(heat, found.rows),
        figure_title=f"Win rates of each {kind} (rows) against the others (columns)",
        caption=f"Cells: win rate and number of comparisons, ties as half wins; {percent_of(level)} CIs in the table "
        f"({found.inference}).",
        tables=(
            table_of(
                found.rows, f"Win rates between groups by {kind}", (capital(kind), "term"), columns
            ),
        ),
        results=(found,),
    )


EXISTS, FOLLOWS = (
    "Existence of finite strengths (Ford's condition)",
    "Fit of the model to the wins of each pair",
)


def fit_diagnostics(
    fit: BradleyTerryResult | None, design: Comparisons, *why: str
) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared; `why` says why there is no fit, first of all."""
    if fit is None:
        gone = Diagnostic(
            EXISTS,
            f"No finite strengths: {why[0] if why else 'no model was fitted'}.",
            "No strengths are reported.",
        )
        return (
            gone,
            Diagnostic(FOLLOWS, "No model was fitted.", "Not tested."),
            evenness_check(design),
        )
    found = f"Finite: the win graph of {count(len(design.items), 'item')} is strongly connected."
    likelihood = "maximum-likelihood" if design.replies is None else "quasi-likelihood"
    so_what = f"Strengths and intervals are {likelihood} estimates."
    if fit.fitted_state.penalised:
        found = "Not needed: a penalty or prior keeps the estimates finite."
        so_what = "Strengths are shrunk; likelihood-ratio tests are unavailable."
    exists = Diagnostic(EXISTS, found, so_what)
    return (exists, fit_check(fit), evenness_check(design))


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
    k = len(design.items)
    n = np.bincount(design.item_a, design.count, k) + np.bincount(design.item_b, design.count, k)
    low, high = int(np.argmin(n)), int(np.argmax(n))
    spread = f"{count(n[low], 'comparison')} per item"
    if n[low] != n[high]:
        least, most = (f"{count(n[i])} ('{shorten(design.items[i])}')" for i in (low, high))
        spread = f"{least} to {most} comparisons per item"
    found = f"{spread}; {count(len(design.pair.levels))} of {count(math.comb(k, 2))} pairs were compared."
    wide = "Intervals are wide for items with few comparisons."
    so_what = wide if n[low] * 2 < n[high] else "Numbers of comparisons are similar."
    return Diagnostic("Balance of comparisons over items", found, so_what)


def order_table(design: Comparisons) -> PageTable:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first, second = presented(design)
    first_won = design.outcome == np.where(design.first > 0, A_WON, B_WON)
    tied = design.outcome == TIED
    masks = (
        (f"{first} was chosen", first_won),
        (f"{second} was chosen", ~first_won & ~tied),
        ("tie", tied),
    )
    parts = [(label, design.count[mask].sum()) for label, mask in masks]
    by = (
        "order of presentation"
        if design.order_known
        else "column (the order of presentation was not declared)"
    )
    return counts_table(f"Choices by {by}", ("Outcome", "Rows", "Share"), parts, design.count.sum())


def presented(design: Comparisons) -> tuple[str, str]:
    """Name the two sides of a row: by the order of presentation, or by the item columns where it was not declared."""
    if design.order_known:
        return "first shown", "second shown"
    first, second = (shorten(design.columns.get(part, part), 30) for part in ("item_a", "item_b"))
    return f"item in column '{first}'", f"item in column '{second}'"


def ways_methods(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, str]:
    """Return the methods paragraphs of the model, the brief one first."""
    terms = [r.term for r in fit.rows if r.group in ("order", "covariate")]
    with_terms = f" with effects of {listing([as_words(term) for term in terms])}" if terms else ""
    level = percent_of(options.level)
    ties = {
        "davidson": " Ties followed Davidson's model.",
        "rao_kupper": " Ties followed Rao and Kupper's model.",
        "half": " Ties counted as half a win for each side.",
    }.get(fit.settings["ties"], "")
    if not fit.design.order_known:
        ties += " The order of presentation was not declared, and no order effect was estimated."
    likelihood = "maximum likelihood" if fit.design.replies is None else "quasi-likelihood"
    model = f"{fit.fitted_state.model.name} model{' of probabilities' * fit.fitted_state.probable}"
    likelihood = "Firth's penalised likelihood" if fit.settings["penalty"] else likelihood
    if prior := fit.settings["prior"]:
        likelihood += f" with {count(prior, 'pseudo-win')} an item"
    robust = fit.fitted_state.robust
    bounded = robust is not None and any(part.bounded for part in robust.parts)
    kept = " Degrees of freedom are lower bounds, as rows stayed in their files." if bounded else ""
    return (
        f"Log-strengths (0: the average item) were estimated with the {model}{with_terms} by {likelihood}.{ties} "
        f"{level} CIs used "
        f"{fit.inference}.{kept} Rank intervals "
        + (
            "used Holm's method, as there are many items."
            if len(fit.items) > MOST_MAX_T
            else "inverted step-down max-t tests of all differences."
        ),
        "Likelihoods were maximised by Newton's method on distinct pairs; existence was checked on the win graph. "
        "A marginal rank interval covers the rank of one item, simultaneous ones cover all ranks together.",
    )


MOST_MOVED = 3  # items named whose ranks change
SAME = 1e-8  # log-odds: strengths nearer than this share a rank, as in choices/bradley_terry/ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOrder:
    """A fit of the page with the order effect, and the same fit without it."""

    fit: BradleyTerryResult
    plain: BradleyTerryResult


Pairs = Mapping[
    str, WithoutOrder
]  # by level of the by factor, "" without one; empty where no fit has an order effect


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
    rows = strongest(fit)
    found = {
        "the strongest item": listing(sorted(firsts(rows))),
        "its lead": "reliable" if verdict(lead(rows, fit)) == "above" else "not reliable",
    }
    for row in fit.rows:
        if row.group == "covariate":
            size = row.estimate or 0.0
            sign = "zero" if abs(size) <= SAME else "positive" if size > 0 else "negative"
            certain = "not reliable" if verdict(row) == "open" else "reliable"
            found[f"the effect of {as_words(row.term, 30)}"] = f"{sign} and {certain}"
    return found


def lead(rows: Sequence[Row], fit: BradleyTerryResult) -> Row:
    """Return the difference between the first two of the strength rows, strongest first."""
    return lead_result(rows, fit).rows[0]


def lead_result(rows: Sequence[Row], fit: BradleyTerryResult) -> Result:
    """Return the contrast of the first two of the strength rows as a result, which other code recomputes."""
    return fit.contrast({rows[0].term: 1.0, rows[1].term: -1.0})


def fits_table(pairs: Pairs) -> PageTable:
    """Return strongest item, its lead, and the effects of covariates, with and without the order effect."""
    cells: list[tuple[str | float | None, ...]] = []
    effects: list[Row] = []
    for level, pair in pairs.items():
        for label, fit in (("with", pair.fit), ("without", pair.plain)):
            rows = strongest(fit)
            effects = [row for row in fit.rows if row.group == "covariate"]
            numbers = [x for row in (lead(rows, fit), *effects) for x in ends(row)]
            cells.append(
                (
                    *([level] if level else []),
                    label,
                    rows[0].term,
                    rows[0].shown(),
                    rows[1].term,
                    *numbers,
                )
            )
    named = [text for row in effects for text in (row.term, "Low", "High")]
    header = ["Order effect", "Strongest", "Log-strength", "Next", "Lead", "Low", "High", *named]
    caption = "The fit with and without the order effect: strongest item, lead (log-odds), effects of covariates"
    return PageTable(caption, tuple(header if "" in pairs else ["Level", *header]), tuple(cells))


def changes(pairs: Pairs) -> str:
    """Return which conclusions change without the order effect, in words; empty where none does."""
    told = []
    for level, pair in pairs.items():
        own, plain = conclusions(pair.fit), conclusions(pair.plain)
        texts = [
            f"{name} was {plain[name]} (with it {own[name]})"
            for name in own
            if own[name] != plain[name]
        ]
        told += (
            [f"{shorten(level, 30)}: {listing(texts)}" if level else listing(texts)]
            if texts
            else []
        )
    return f"without the order effect, {'; '.join(told)}" if told else ""


def turned_by_order(pairs: Pairs) -> tuple[str, ...]:
    """Return the conclusions that change without the order effect, for the answer."""
    said = changes(pairs)
    return (f"{capital(said)}.",) if said else ()


def changes_sentence(pairs: Pairs) -> str:
    """Return the conclusions without the order effect as a sentence."""
    said = changes(pairs)
    if said:
        return f"{capital(said)}."
    moved = {level: names for level, pair in pairs.items() if (names := moved_items(pair))}
    text = (
        "Without the order effect, no conclusion on the strongest item, the reliability of "
        "its lead or a sign changed"
    )
    if not moved:
        return f"{text}, nor did a rank."
    named = "; ".join(
        f"{shorten(level, 30)}: {listing(names)}" if level else listing(names)
        for level, names in moved.items()
    )
    return f"{text}. Ranks changed: {named}."


def moved_items(pair: WithoutOrder) -> list[str]:
    """Return the items whose rank differs without the order effect, with both ranks, the farthest first."""
    places = [
        {row.term: k for k, row in enumerate(strongest(fit), 1)} for fit in (pair.fit, pair.plain)
    ]
    own, plain = places
    moved = sorted(
        (item for item in own if own[item] != plain[item]),
        key=lambda item: -abs(own[item] - plain[item]),
    )
    texts = [
        f"{shorten(item, 30)} (rank {own[item]} with it, {plain[item]} without)"
        for item in moved[:MOST_MOVED]
    ]
    more = len(moved) - MOST_MOVED
    return [*texts, *([f"{count(more, 'further item')}"] if more > 0 else [])]


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    said, fix = changes(pairs), "report both fits; randomise who is shown first within every pair"
    return (
        (caution("SS111", said, affects="the answer and the strengths", fix=fix),) if said else ()
    )


def plain_fits(pairs: Pairs) -> dict[str, Result]:
    """Return the fits without the order effect, and the leads of both fits, by the name of their verification."""
    found: dict[str, Result] = {}
    for level, pair in pairs.items():
        name = f"{shorten(level, 40)}: " if level else ""
        found[f"{name}without the order effect"] = pair.plain
        for how, fit in (("with", pair.fit), ("without", pair.plain)):
            found[f"{name}lead {how} the order effect"] = lead_result(strongest(fit), fit)
    return found


MOST_ROWS = 200  # rows of a figure; the table has all
MOST_GROUPS = 12  # groups of items
RANK_SETS: tuple[Literal["marginal"], Literal["simultaneous"]] = ("marginal", "simultaneous")
RANK_REFERENCES = ("mogstad2024", "romanowolf2005", "firth2004")
BESIDE = {
    "order": "the order of presentation",
    "covariate": "",
    "tie": "ties",
}  # groups of effects, with their words


def strengths_block(
    fit: BradleyTerryResult, options: StudyOptions, item: str = "item", *, planning: bool = True
) -> Block:
    """Return the forest of strengths with rank intervals, and its table; `planning`: and what halves an interval."""
    rows = strongest(fit)
    ranks, joint = (
        fit.ranks(kind=kind, level=options.level, seed=options.seed) for kind in RANK_SETS
    )
    quoted_ranks = ranks if untrusted(fit) else joint  # those of the answer
    worth, level = fit.worth(level=options.level), percent_of(options.level)
    first, second = (shorten(row.term, 40) for row in rows[:2])
    lead = fit.win_probability(rows[0].term, rows[1].term)
    return Block(
        id="strengths",
        question=f"Which {item} was preferred?",
        sentences=(
            strengths_sentence(fit, item),
            rank_sentence(ranks, None if untrusted(fit) else joint),
            *(strength_halving(fit, rows[0], item) if planning else ()),
        ),
        draw=partial(
            forest,
            rows,
            xlabel="log-strength (0 = average)",
            ranks={
                r.term: (int(r.conf_low or 0), int(r.conf_high or 0)) for r in quoted_ranks.rows
            },
        ),
        figure_title=f"Log-strength of each {item}, strongest first",
        caption=f"Points: log-strengths; {level} CIs ({errors_text(fit)}); right: {RANK_SETS[not untrusted(fit)]} "
        "rank intervals; "
        f"n = {count(fit.design.n_rows)} comparisons. A difference of 1 means odds of {number(math.e)} to 1.",
        tables=(
            strength_table(fit, ranks, joint, worth, item),
            rows_table(lead.rows, f"Win probability of {first} over {second}"),
        ),
        results=(fit, ranks, joint, worth, lead),
    )


def last_ranked(marginal: Result) -> str:
    """State the rank of the last item with its marginal rank interval."""
    known = [row for row in marginal.rows if row.estimate is not None]
    last = max(known, key=lambda row: row.estimate or 0.0)
    return sentences.rank_with_interval(
        shorten(last.term, 40), last, len(known), last.conf_level or 0.95, simultaneous=False
    )


def rank_figures(
    fit: BradleyTerryResult, marginal: Result, joint: Result, item: str = "item"
) -> list[Block]:
    """Return the leaderboard of ranks with both rank intervals, and the map of expected wins."""
    rows = [row for row in strongest(fit) if row.estimate is not None]
    if len(rows) < 2:
        return []
    against = fit.win_probability(rows[0].term, rows[-1].term)
    last = shorten(rows[-1].term, 40)
    level = percent_of(marginal.rows[0].conf_level or 0.95)
    return [
        Block(
            id="ranks",
            question=f"What is the rank interval of each {item}?",
            sentences=(last_ranked(marginal),),
            draw=partial(rank_figure, marginal.rows, joint.rows),
            figure_title=f"Rank of each {item}, the first at the top",
            caption=f"Discs: ranks; broad bars: marginal {level} rank intervals"
            f"; thin lines: simultaneous {level} rank intervals; n = {count(fit.design.n_rows)} comparisons.",
            part="appendix",
        ),
        Block(
            id="wins",
            question=f"How often was each {item} expected to win?",
            sentences=(
                f"{shorten(rows[0].term, 40)} was expected to win against {last} with probability "
                f"{sentences.estimate_text(against.rows[0])}.",
            ),
            draw=partial(wins, rows),
            results=(against,),
            figure_title=f"Expected win probabilities of each {item} (lines) against the others (columns)",
            caption="Blue: above .50; orange: below. Probabilities of decided comparisons under the Bradley-Terry "
            "model"
            + (
                ", without the order effect."
                if any(row.group == "order" for row in fit.rows)
                else "."
            ),
            part="appendix",
        ),
    ]


def errors_text(fit: BradleyTerryResult) -> str:
    """Return how the standard errors were made, for a caption."""
    sizes = fit.fitted_state.sizes
    return (
        f"CR2, {' x '.join(f'{size:,} {as_words(name)} clusters' for name, size in sizes.items())}"
        if sizes
        else (fit.inference)
    )


def rank_sentence(marginal: Result, joint: Result | None) -> str:
    """Return how many ranks the marginal (and the simultaneous) rank intervals contained on average."""
    level = percent_of(marginal.rows[0].conf_level or 0.95)
    kind = sentences.name_of_interval(max(marginal.rows, key=lambda row: row.approximate))
    said = f"{capital(kind)}{level} marginal rank intervals contained {mean_width(marginal)} of "
    said += f"{count(len(marginal.rows))} ranks on average"
    return (
        f"{said}." if joint is None else f"{said}; simultaneous ones contained {mean_width(joint)}."
    )


def mean_width(ranks: Result) -> str:
    """Return the mean number of ranks in a rank interval."""
    return number(
        float(np.mean([(r.conf_high or 0) - (r.conf_low or 0) + 1 for r in ranks.rows])), 1
    )


def strength_halving(fit: BradleyTerryResult, row: Row, item: str = "item") -> tuple[str, ...]:
    """Return how many more clusters halve the interval of a strength."""
    sizes, quantity = fit.fitted_state.sizes, f"the log-strength of {shorten(row.term, 40)}"
    own = {r.term: int(r.n or 0) for r in fit.rows if r.group == "strength"}
    if own[row.term] * 2 < np.median(
        list(own.values())
    ):  # its own comparisons are what its error rests on
        more = clusters_to_halve(
            replace(row, df=None), own[row.term]
        )  # df grow with opponents, not with these
        what = f"comparisons of {shorten(row.term, 40)}, which has {count(own[row.term])}"
        return () if more is None else (sentences.more_clusters_sentence(more, what, quantity),)
    if not sizes:
        more = clusters_to_halve(row, fit.design.n_rows)
        return (
            ()
            if more is None
            else (sentences.more_clusters_sentence(more, "comparisons", quantity),)
        )
    name, more = min(sizes, key=lambda one: sizes[one]), clusters_to_halve(row)
    if more is None:
        return ()
    if name == "pair" and more > pairs_left(fit.design):
        return ()  # new opponents take new items, which make it another question
    if name == "pair":
        return pairs_to_halve(more, fit.design, item, quantity)
    units = [sentences.more_of(one) for one in (name, *(other for other in sizes if other != name))]
    if not all(units):
        return ()
    beside = f", and {listing(units[1:])} in proportion" if units[1:] else ""
    return (sentences.more_clusters_sentence(more, f"{units[0]}{beside}", quantity),)


def strength_table(
    fit: BradleyTerryResult, ranks: Result, joint: Result, worth: Result, item: str
) -> PageTable:
    """Return log-strengths, worths, and ranks with both rank intervals, strongest first."""
    marginal, together, worths = (
        {r.term: r for r in result.rows} for result in (ranks, joint, worth)
    )
    try:
        quasi = {r.term: r.std_error for r in fit.quasi_variances().rows if r.std_error is not None}
    except UndefinedStatistic:
        quasi = {}

    def span(row: Row) -> str:
        return f"{row.conf_low:.0f}\u2013{row.conf_high:.0f}"

    columns: dict[str, Column] = {
        "Log-strength": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "Quasi-SE": lambda r: Shown(quasi[r.term], r.decimals) if r.term in quasi else None,
        "Worth (RPI)": lambda r: worths[r.term].shown(),
        "Low of worth": lambda r: worths[r.term].shown("conf_low"),
        "High of worth": lambda r: worths[r.term].shown("conf_high"),
        "Rank": lambda r: int(marginal[r.term].estimate or 0),
        "Marginal rank interval": lambda r: span(marginal[r.term]),
        "Simultaneous rank interval": lambda r: span(together[r.term]),
        "Comparisons": lambda r: int(r.n or 0),
    }
    caption = f"Each {item}: log-strength, worth (RPI, sum 1), rank and rank intervals"
    return table_of(strongest(fit), caption, (item.capitalize(), "term"), columns)


def effects_block(fit: BradleyTerryResult, beside: Pairs, said: Sequence[str] = ()) -> Block | None:
    """Return order effect (and the fit without it), covariates and tie parameter, for which 0 is no hypothesis.

    Parameters
    ----------
    fit : BradleyTerryResult
    beside : mapping of str to WithoutOrder
        The fit and the one without its order effect (`without_order`).
    said : sequence of str
        Terms that have their own block.
    """
    found = tuple(r for r in fit.rows if r.group in BESIDE)
    if not found:
        return None
    untested = [
        replace(row, statistic=None, p_value=None) if row.group == "tie" else row for row in found
    ]
    rows, adjusted = adjust_family_by_holm(untested, "effects beside the strengths")
    told = [effect_sentence(r) for r in rows if r.term not in said]
    tables = [rows_table(rows, "Effects in log-odds", labels=[as_words(row.term) for row in rows])]
    if beside:
        told.append(changes_sentence(beside))
        tables.append(fits_table(beside))
    about = tuple(
        c for c in fit.cautions if c.rows is not None and {row.term for row in rows} & set(c.rows)
    )
    kinds = [
        BESIDE[str(row.group)] or as_words(row.term, 30) for row in rows if row.term not in said
    ]
    return Block(
        id="effects",
        question=f"What were the effects of {listing(list(dict.fromkeys(kinds))) or 'covariates'}?",
        sentences=tuple(told),
        tables=tuple(tables),
        results=(
            *([replace(fit, rows=rows, cautions=about)] if about else []),
            *([] if adjusted is None else [adjusted]),
            *(pair.plain for pair in beside.values()),
        ),
        turned=turned_by_order(beside),
    )


def effect_sentence(row: Row) -> str:
    """Return one effect as a sentence: order, tie parameter, or covariate."""
    if row.estimate is None or row.conf_low is None:
        return sentences.no_number(
            f"the interval of {as_words(row.term)}", row.undefined or "no estimate"
        )
    if row.group == "tie":
        half = np.exp(row.estimate) / (2 + np.exp(row.estimate))
        share, model = (
            (half, "Davidson's")
            if row.term == "log_nu"
            else (np.tanh(row.estimate / 2), "Rao and Kupper's")
        )
        return (
            f"Two equal items tied with probability {number(float(share), bounded=True)} in {model} model "
            f"({as_words(row.term)} = {sentences.estimate_text(row)})."
        )
    numbers = f"({sentences.stat(row)}, log-odds)"
    tested = row.p_value is not None
    clear = sentences.is_significant(row) if tested else sentences.reliable(row)
    name = (
        "The order effect"
        if row.group == "order"
        else f"The effect of one unit of {as_words(row.term)}"
    )
    if not clear:
        return (
            f"{name} was not {'significant' if tested else 'reliably different from 0'} {numbers}."
        )
    if row.group == "order":
        return f"Items shown {'first' if row.estimate > 0 else 'second'} were preferred {numbers}."
    return (
        f"{capital(as_words(row.term))} {'raised' if row.estimate > 0 else 'lowered'} the odds of "
        f"being chosen {numbers}."
    )


def row_table(rows: Sequence[Row], caption: str) -> PageTable:
    """Return the rows of a result as a table, with their test."""
    columns = NUMBERS | {
        "df": lambda r: df_text(r.df),
        "p": lambda r: p_text(r.p_value),
        "n": whole("n"),
    }
    columns["Why no interval"] = "undefined"
    labels = [r.term if r.group in (None, *BESIDE) else f"{r.term} ({r.group})" for r in rows]
    return table_of(rows, caption, ("Term", labels), columns)


def cluster_block(
    design: Comparisons, options: StudyOptions, formula: str | None, fit: BradleyTerryResult
) -> Block:
    """Return the standard errors under each way of clustering."""
    names = design.declared
    ways: dict[str, Any] = {"independent": None} | {f"clustered by {name}": name for name in names}
    if len(names) == 2:
        ways[f"clustered by {names[0]} x {names[1]}"] = names
    if "pair" not in names:
        ways["clustered by pair of items"] = "pair"
    cells: list[tuple[str | float | int | None, ...]] = []
    base = np.array([])
    for label, cluster in ways.items():
        try:
            used = () if cluster is None else (cluster,) if isinstance(cluster, str) else cluster
            one = (
                fit
                if used == (*fit.fitted_state.sizes,)
                else fit_model(design, options, formula, cluster=cluster)
            )
        except SocialStatsError as error:
            cells.append((f"{label}: {error}", None, None, None, None, None))
            continue
        base = strength_errors(one) if cluster is None else base
        cells.append(cluster_cells(label, one, base))
    known = [(label, x, effect) for label, _, _, x, _, effect in cells[1:] if isinstance(x, float)]
    ratios = [f"{number(x)} if {label} (design effect {effect})" for label, x, effect in known]
    found = f"Median ratios to the errors of independent rows were {listing(ratios)}."
    header = (
        "Rows are",
        "Clusters",
        "Median SE of strengths",
        "Median ratio to the first line",
        "SE of order effect",
        "Median design effect of strengths",
    )
    caption = "Standard errors under each assumption about dependence (same estimates)"
    return Block(
        id="clusters",
        question="How did dependence of rows change standard errors?",
        sentences=(*([found] if ratios else []), f"This page used {fit.inference}."),
        tables=(PageTable(caption, header, tuple(cells)),),
        part="appendix",
    )


def with_strength_effect(
    blocks: Sequence[Block | None], fit: BradleyTerryResult
) -> tuple[Block, ...]:
    """Add the design effect of the clusters to the caption of the strengths; leave out blocks that are None."""
    found = [block for block in blocks if block is not None]
    ways = next((block.tables[0].cells[1:] for block in found if block.id == "clusters"), ())
    own = _median(strength_errors(fit))
    effect = next((cells[-1] for cells in ways if cells[2] == own), None)
    if effect is None:
        return tuple(found)
    said = f"Median design effect: {effect}."
    return tuple(
        replace(block, caption=f"{block.caption} {said}".lstrip())
        if block.id == "strengths"
        else block
        for block in found
    )


def strength_errors(fit: BradleyTerryResult) -> FloatArray:
    """Return the standard errors of the strengths."""
    return np.array([r.std_error or np.nan for r in fit.rows if r.group == "strength"])


def cluster_cells(
    label: str, fit: BradleyTerryResult, base: FloatArray
) -> tuple[str | float | int | None, ...]:
    """Return one line of the table of ways of clustering."""
    robust, errors = fit.fitted_state.robust, strength_errors(fit)
    clusters = " x ".join(f"{g:,}" for g in robust.n_clusters) if robust else "\u2014"
    order = next((r.std_error for r in fit.rows if r.group == "order"), None)
    ratios = np.divide(errors, base, out=np.full(len(errors), np.nan), where=base > 0)
    return (label, clusters, _median(errors), _median(ratios), order, number(_median(ratios**2)))


def _median(values: FloatArray) -> float | None:
    """The median of the numbers there are; None where there is none, as when clusters cancel exactly."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Analyse strengths and ranks of items."""
    check_single(design)
    named = [
        column_term(term) if term in design.covariate_names else term for term in options.adjust
    ]
    formula = "~ " + " + ".join(named) if named else None
    fit = fit_model(design, options, formula)
    beside = without_order(fit, design, options, formula)
    strengths = strengths_block(fit, options)
    blocks = [
        strengths,
        effects_block(fit, beside),
        cluster_block(design, options, formula, fit),
        *rank_figures(fit, strengths.results[1], strengths.results[2]),
        *(
            group_matrix(design, groups, name, options.level)
            for name, groups in item_groups(design).items()
        ),
    ]
    shown = with_strength_effect(blocks, fit)
    own = (
        change_cautions(beside),
        fit.cautions,
        design.cautions,
        unused_covariates(design, options),
    )
    return Outcome(
        study="comparisons",
        title=f"Which of {count(len(design.items), 'item')} was preferred?",
        design=describe(design, fit),
        verdict=verdict_on_items(fit, options),
        answer=answer(fit, options),
        cautions=order_cautions(*own),
        blocks=shown,
        data=(order_table(design),),
        diagnostics=fit_diagnostics(fit, design),
        methods=(*ways_methods(fit, options), *probability_methods(design)),
        references=tuple(dict.fromkeys((*fit.references, *RANK_REFERENCES))),
        verifications=verify_all({"Strengths": fit, **plain_fits(beside)}, shown)
        if options.verify
        else {},
        settings=options.echo(),
        **shared(design, options),
    )


def describe(design: Comparisons, fit: BradleyTerryResult | None) -> str:
    """Return the design in one line: kind, and n at every level."""
    pairs = len(design.pair.levels) if fit is None else fit.counts["pairs"]
    parts = [
        count(design.n_rows, "comparison"),
        count(len(design.items), "item"),
        count(pairs, "pair"),
    ]
    parts += [f"{percent(design.n_ties / design.n_rows)} ties"] * bool(design.n_ties)
    sizes = declared_cluster_counts(design, {} if fit is None else fit.fitted_state.sizes)
    parts += [count_of(size, name) for name, size in sizes.items() if name != "pair"]
    return "Paired comparisons: " + ", ".join(parts)


def verdict_on_items(fit: BradleyTerryResult, options: StudyOptions) -> Conclusion:
    """Return which item is preferred most, and how often it is chosen over the next one."""
    top, second = strongest(fit)[:2]
    chance = fit.win_probability(top.term, second.term).rows[0]
    size = "" if chance.estimate is None else of_ten(chance.estimate)
    decided = "decided " * (fit.settings["ties"] in TIED_MODELS and fit.design.n_ties > 0)
    over = f", and over {shorten(second.term, LABEL)} in {size} {decided}choices"
    ranks = page_ranks(fit, options).rows
    return ranking(ranks, "is preferred most", "are preferred to", "item", over)


TIED_MODELS = ("davidson", "rao_kupper")  # with ties of their own, beside wins of either item
JOINT = ("SS203", "SS206")  # cautions about joint tests, on which simultaneous rank intervals rest


def answer(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer: the strongest item, whether its lead is reliable, and its rank interval.

    The lead is that over the next item alone. Where rank intervals, which are adjusted for all items, leave other items
    beside the strongest, the same sentence says so.
    """
    rows = strongest(fit)
    ranks, tied = f"{rank_answer(fit, options)[0]}", firsts(rows)
    if len(tied) > 1:
        score = f"log-strength {number(rows[0].shown())}"
        return (sentences.tied_first(tied, len(rows), "item", score), f"{ranks}.")
    top, second = rows[:2]
    chance = fit.win_probability(top.term, second.term).rows[0]
    reliable = sentences.direction(chance, 0.5) == "above"
    among = (page_ranks(fit, options).row(top.term).conf_high or 0) > 1
    said = sentences.first_ranked(
        shorten(top.term),
        top,
        shorten(second.term),
        chance,
        reliable=reliable,
        adjusted=not among,
        decided=fit.settings["ties"] in TIED_MODELS and fit.design.n_ties > 0,
    )
    return (said, f"{ranks}.")


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


def rank_answer(fit: BradleyTerryResult, options: StudyOptions, start: str = "") -> tuple[str, ...]:
    """Return the ranks of the strongest and the weakest item with intervals, a phrase and a sentence."""
    joint, ranks, rows = not untrusted(fit), page_ranks(fit, options), strongest(fit)
    said = [
        sentences.rank_with_interval(
            shorten(row.term), ranks.row(row.term), len(rows), options.level, simultaneous=joint
        )
        for row in (rows[0], rows[-1])
    ]
    return (f"{start}{said[0].rstrip('.')}", said[1])


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
    found = {}
    for name in design.covariates:
        with suppress(InputError):
            found[name] = design.group_of(name)
    return found


def item_groups(design: Comparisons) -> dict[str, dict[str, Any]]:
    """Return the covariates that sort the items into a few groups."""
    found = constant_covariates(design)
    most = min(MOST_GROUPS, len(design.items) - 1)
    return {
        name: groups
        for name, groups in found.items()
        if 2 <= len({str(v) for v in groups.values()}) <= most
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
    known, found = item_groups(design), {}
    for name, groups in (options.item_groups or {}).items():
        kept = {item: group for item, group in groups.items() if item in design.items}
        if name not in known and len(set(kept.values())) > 1:
            found[name] = kept
    return found


def unmatched_items(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Return which items only the table or only the groups from beside it name."""
    if not options.item_groups:
        return ()
    named = dict.fromkeys(item for groups in options.item_groups.values() for item in groups)
    return match_keys(named, design.items).cautions(
        "item", ("the item groups", "the comparisons"), "shares of groups"
    )


STUDY = Study(
    name="comparisons",
    title="Which item is preferred, and how reliable is the ranking?",
    design="comparisons",
    needs="item_a, item_b, winner",
    suits=lambda design: True,
    run=run,
)
