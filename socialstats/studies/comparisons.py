"""Study of paired comparisons: which item is preferred, and by how much?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic, caution
from socialstats.figures import forest, heat
from socialstats.inference.dependence import FEW_DF, few_clusters
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry, strengths_sentence
from socialstats.metrics.group_win_rates import group_win_rates
from socialstats.planning.adjusting import with_holm
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    NUMBERS,
    Column,
    counts_table,
    ends,
    mark_of,
    p_text,
    probability_methods,
    rows_table,
    single,
    table_of,
    verdict,
    verify_named,
    whole,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Mark,
    Outcome,
    Strip,
    Study,
    StudyOptions,
    Table,
    check_named,
    check_single,
    order_cautions,
    shared,
)
from socialstats.text import capital, count, interval, level_text, listing, number, p_value, percent, quoted, shorten
from socialstats.voice import option


def fit_model(
    design: Comparisons, options: StudyOptions, formula: str | None, *, cluster: Any, order: bool = True
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model; with `order`, the order effect is in it where the design declares one."""
    given = options.chosen("ties", "penalty", "prior", "level")
    fit = bradley_terry(design, formula, order=order and design.order_known, cluster=cluster, by=None, **given)
    if not isinstance(fit, BradleyTerryResult):
        raise InputError(f"one model at a time: use {option('by')} in the design")
    return replace(fit, cautions=(*few_pairs(design, cluster), *fit.cautions))


def few_pairs(design: Comparisons, cluster: Any) -> tuple[Caution, ...]:
    """Caution SS202 where pairs repeat, have no clusters, and are too few to show their leans."""
    pairs, gaps = len(design.pair.levels), len(design.items) - 1
    if cluster is not None or design.clusters or pairs == design.n_rows or pairs >= gaps + FEW_DF:
        return ()
    return (few_clusters(
        f"{count(pairs, 'pair')} for {count(gaps, 'difference')} of strengths: a lean of a pair can hardly be told "
        "from strengths, and the errors are those of independent comparisons",
        affects="intervals and tests of strengths: where pairs lean, nominal 95% ones held in .50 to .95",
        fix="compare more pairs of items, or cluster by pair (--cluster pair)",
    ),)  # fmt: skip


def default_cluster(design: Comparisons) -> Any:
    """Return the clusters to use: the declared ones, else the pairs of items where pairs repeat and tell their spread.

    That is: where there are at least `FEW_DF` more pairs than differences of strengths. With fewer, leans of pairs can
    hardly be told from strengths.
    """
    if design.clusters:
        return "declared"
    pairs = len(design.pair.levels)
    return "pair" if len(design.items) - 1 + FEW_DF <= pairs < design.n_rows else None


def strongest(fit: BradleyTerryResult) -> list[Row]:
    """Return the strength rows, strongest first."""
    return sorted((r for r in fit.rows if r.group == "strength"), key=lambda r: -(r.estimate or 0.0))


def group_matrix(design: Comparisons, groups: Mapping[str, str], name: str, level: float = 0.95) -> Block:
    """Return the matrix of win rates between groups of items, each with its interval (ties count as half)."""
    found = single(group_win_rates(design, groups, cluster=default_cluster(design), level=level))
    columns: dict[str, Column] = {"Against": "group", "Win rate": "estimate", "Low": "conf_low", "High": "conf_high"}
    columns["Comparisons"] = whole("n")
    return Block(
        id=f"matrix-{name}",
        question=f"How do {name}s fare against each other?",
        sentences=(found.sentence(),),
        draw=partial(heat, found.rows),
        figure_title=f"Share of comparisons that the row's {name} won against the column's",
        caption="Cells show the win rate and the number of comparisons (ties count as half); intervals are in the "
        f"table ({found.inference}).",
        tables=(table_of(found.rows, f"Win rates between {name}s", (name.capitalize(), "term"), columns),),
        results=(found,),
    )


EXISTS, FOLLOWS = "Does a finite estimate exist? (Ford's condition)", "Do the wins of each pair follow the model?"


def fit_diagnostics(fit: BradleyTerryResult | None, design: Comparisons, *why: str) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared; `why` says why there is no fit, first of all."""
    if fit is None:
        gone = Diagnostic(
            EXISTS, f"No: {why[0] if why else 'none was made'}.", "Nothing that stands on strengths is told."
        )
        return gone, Diagnostic(FOLLOWS, "There is no fit.", "No verdict."), evenness_check(design)
    found = f"Yes: the win graph of {count(len(design.items), 'item')} is strongly connected."
    likelihood = "maximum-likelihood" if design.replies is None else "quasi-likelihood"
    so_what = f"Strengths and intervals are {likelihood} estimates."
    if fit.fitted_state.penalised:
        found = "Not asked: a penalty or prior keeps the estimates finite."
        so_what = "Strengths are pulled together; likelihood-ratio tests are not available."
    exists = Diagnostic(EXISTS, found, so_what)
    return (exists, fit_check(fit), evenness_check(design))


def fit_check(fit: BradleyTerryResult) -> Diagnostic:
    """Say whether the wins of each pair follow the model."""
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        return Diagnostic(FOLLOWS, str(error), "No verdict.")
    misfit = "Pairs have preferences of their own beyond the strengths: trust cluster-robust errors."
    so_what = misfit if gof.cautions else "No sign of misfit."
    return Diagnostic(FOLLOWS, gof.sentence(), so_what)


def evenness_check(design: Comparisons) -> Diagnostic:
    """Say how evenly items were compared, and how many pairs met."""
    k = len(design.items)
    n = np.bincount(design.item_a, design.count, k) + np.bincount(design.item_b, design.count, k)
    low, high = int(np.argmin(n)), int(np.argmax(n))
    spread = f"{count(n[low], 'comparison')} an item"
    if n[low] != n[high]:
        least, most = (f"{count(n[i])} ('{shorten(design.items[i])}')" for i in (low, high))
        spread = f"From {least} to {most} comparisons an item"
    found = f"{spread}; {count(len(design.pair.levels))} of {count(math.comb(k, 2))} pairs met."
    so_what = "Intervals are wide where items met rarely." if n[low] * 4 < n[high] else "Evenly enough."
    return Diagnostic("How evenly were items compared?", found, so_what)


def order_table(design: Comparisons) -> Table:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first, second = presented(design)
    first_won = design.outcome == np.where(design.first > 0, A_WON, B_WON)
    tied = design.outcome == TIED
    masks = ((f"{first} was chosen", first_won), (f"{second} was chosen", ~first_won & ~tied), ("tie", tied))
    parts = [(label, design.count[mask].sum()) for label, mask in masks]
    by = "order of presentation" if design.order_known else "column (the order of presentation was not declared)"
    return counts_table(f"Choices by {by}", ("Outcome", "Rows", "Share"), parts, design.count.sum())


def presented(design: Comparisons) -> tuple[str, str]:
    """Name the two sides of a row: by the order of presentation, or by the item columns where it was not declared."""
    if design.order_known:
        return "first shown", "second shown"
    first, second = (shorten(design.columns.get(part, part), 30) for part in ("item_a", "item_b"))
    return f"item in column '{first}'", f"item in column '{second}'"


def ways_methods(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return the methods paragraph of the model."""
    terms = [r.term for r in fit.rows if r.group in ("order", "covariate")]
    with_terms = f" with effects of {listing(terms)}" if terms else ""
    ties = {
        "davidson": " Ties follow Davidson's model.",
        "rao_kupper": " Ties follow Rao and Kupper's model.",
        "half": " Ties count as half a win for each side.",
    }.get(fit.settings["ties"], "")
    if not fit.design.order_known:
        ties += " The order of presentation was not declared, and no order effect was estimated."
    likelihood = "maximum likelihood" if fit.design.replies is None else "quasi-likelihood"
    return (
        f"Strengths were estimated with the {fit.title}{with_terms} by {likelihood} (Newton's method on distinct "
        f"pairs; existence checked on the win graph).{ties} Uncertainty: {fit.inference}. Rank sets invert max-t tests "
        f"of all differences with step-down; marginal sets cover one item's rank, simultaneous sets all ranks at once."
    )


SAME = 1e-8  # log-odds: strengths nearer than this share a rank, as in models/bradley_terry/ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOrder:
    """A fit of the page with the order effect, and the same fit without it."""

    fit: BradleyTerryResult
    plain: BradleyTerryResult


Pairs = Mapping[str, WithoutOrder]  # by level of the by factor, "" without one; empty where no fit has an order effect


def without_order(
    fit: BradleyTerryResult, design: Comparisons, options: StudyOptions, formula: str | None, level: str = ""
) -> dict[str, WithoutOrder]:
    """Fit the model of a page again without its order effect, with the default clusters of its design.

    Returns
    -------
    dict of str to WithoutOrder
        Both fits under the level of the by factor (empty without one); nothing where the fit has no order effect.
    """
    if all(row.group != "order" for row in fit.rows):
        return {}
    plain = fit_model(design, options, formula, cluster=default_cluster(design), order=False)
    return {level: WithoutOrder(fit=fit, plain=plain)}


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return what a page concludes from a fit, by name: who leads, how surely, and the sign of every covariate."""
    rows = strongest(fit)
    top = sorted(row.term for row in rows if (rows[0].estimate or 0.0) - (row.estimate or 0.0) <= SAME)
    found = {
        "the strongest item": listing([f"'{shorten(term)}'" for term in top]),
        "its lead": "reliable" if verdict(lead(rows, fit)) == "above" else "not reliable",
    }
    for row in fit.rows:
        if row.group == "covariate":
            size = row.estimate or 0.0
            sign = "zero" if abs(size) <= SAME else "positive" if size > 0 else "negative"
            certain = "not reliable" if verdict(row) == "open" else "reliable"
            found[f"the effect of '{shorten(row.term, 30)}'"] = f"{sign} and {certain}"
    return found


def lead(rows: Sequence[Row], fit: BradleyTerryResult) -> Row:
    """Return the difference between the first two of the strength rows, strongest first."""
    return fit.contrast({rows[0].term: 1.0, rows[1].term: -1.0}).rows[0]


def fits_table(pairs: Pairs) -> Table:
    """Return who leads, by how much, and the effects of covariates, with and without the order effect."""
    cells: list[tuple[str | float | None, ...]] = []
    effects: list[Row] = []
    for level, pair in pairs.items():
        for label, fit in (("with", pair.fit), ("without", pair.plain)):
            rows = strongest(fit)
            effects = [row for row in fit.rows if row.group == "covariate"]
            numbers = [x for row in (lead(rows, fit), *effects) for x in ends(row)]
            cells.append((*([level] if level else []), label, rows[0].term, rows[0].estimate, rows[1].term, *numbers))
    named = [text for row in effects for text in (row.term, "Low", "High")]
    header = ["Order effect", "Strongest", "Log-strength", "Next", "Lead", "Low", "High", *named]
    caption = "The fit with and without the order effect: strongest item, its lead (log-odds), effects of covariates"
    return Table(caption, tuple(header if "" in pairs else ["Level", *header]), tuple(cells))


def changes(pairs: Pairs) -> str:
    """Return which conclusions differ without the order effect, in words; empty where none does."""
    told = []
    for level, pair in pairs.items():
        own, plain = conclusions(pair.fit), conclusions(pair.plain)
        texts = [f"{name} is {plain[name]} (with it {own[name]})" for name in own if own[name] != plain[name]]
        told += [f"{shorten(level, 30)}: {listing(texts)}" if level else listing(texts)] if texts else []
    return f"without the order effect, {'; '.join(told)}" if told else ""


def changes_sentence(pairs: Pairs) -> str:
    """Return what would be concluded without the order effect, as a sentence."""
    said = changes(pairs) or "without the order effect, no conclusion on the strongest item, its lead or a sign differs"
    return f"{capital(said)}."


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    said, fix = changes(pairs), "report both fits; randomise who is shown first within every pair"
    return (caution("SS111", said, affects="the answer and the strengths", fix=fix),) if said else ()


def plain_fits(pairs: Pairs) -> dict[str, Result]:
    """Return the fits without the order effect, by the name under which they are verified."""
    names = [f"{shorten(level, 40)}: " if level else "" for level in pairs]
    return {f"{name}without the order effect": pair.plain for name, pair in zip(names, pairs.values(), strict=True)}


MOST_ROWS = 200  # of a figure; the table has them all
MOST_GROUPS = 12  # of items
RANK_SETS: tuple[Literal["marginal"], Literal["simultaneous"]] = ("marginal", "simultaneous")
RANK_REFERENCES = ("mogstad2024", "romanowolf2005", "firth2004")
BESIDE = {"order": "the order of presentation", "covariate": "", "tie": "ties"}  # groups of effects, with their words


def strengths_block(fit: BradleyTerryResult, options: StudyOptions, item: str = "item") -> Block:
    """Return the forest of strengths with rank sets, comparison intervals, and its table."""
    rows = strongest(fit)
    shown, drawn = len(rows), rows[:MOST_ROWS]
    ranks, joint = (fit.ranks(kind=kind, level=options.level, seed=options.seed) for kind in RANK_SETS)
    worth = fit.worth(level=options.level)
    every = f"every {item}" if shown == len(drawn) else f"the {count(len(drawn), item)} of {count(shown)} that lead"
    return Block(
        id="strengths",
        question=f"Which {item} is chosen over which?",
        sentences=(strengths_sentence(fit, item), *(rank_sentence(ranks, f"the rank of each {item} by itself", item),
                           rank_sentence(joint, "all ranks at once", item))),
        draw=partial(forest, drawn, xlabel="log-strength (0 = average)",
                     ranks={r.term: (int(r.conf_low or 0), int(r.conf_high or 0)) for r in ranks.rows}),
        figure_title=f"Strength of {every}, strongest first",
        caption=f"Log-strengths with {level_text(options.level)} intervals ({fit.inference}); a difference of 1 means "
        f"odds of {number(float(np.e))} to 1. Right: estimate, interval, and the marginal rank set.",
        tables=(strength_table(fit, ranks, joint, worth, item),),
        results=(fit, ranks, joint, worth),
    )  # fmt: skip


def rank_sentence(ranks: Result, covers: str, item: str) -> str:
    """Say who could be first, and how many places the data leave open."""
    level = level_text(ranks.rows[0].conf_level or 0.95)
    first = [r.term for r in ranks.rows if r.conf_low == 1]
    places = np.mean([(r.conf_high or 0) - (r.conf_low or 0) + 1 for r in ranks.rows])
    return (
        f"With {level} confidence for {covers}, {count(len(first), item)} could be first ({quoted(first)}); on "
        f"average {number(float(places), 1)} of {len(ranks.rows)} places stay possible."
    )


def strength_table(fit: BradleyTerryResult, ranks: Result, joint: Result, worth: Result, item: str) -> Table:
    """Return log-strengths, worths, and ranks with both confidence sets, strongest first."""
    marginal, together, worths = ({r.term: r for r in result.rows} for result in (ranks, joint, worth))
    try:
        quasi = {r.term: r.std_error for r in fit.quasi_variances().rows}
    except UndefinedStatistic:
        quasi = {}

    def span(row: Row) -> str:
        return f"{row.conf_low:.0f}\u2013{row.conf_high:.0f}"

    columns: dict[str, Column] = {
        "Log-strength": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "Quasi-SE": lambda r: quasi.get(r.term),
        "Worth (RPI)": lambda r: worths[r.term].estimate,
        "Low of worth": lambda r: worths[r.term].conf_low,
        "High of worth": lambda r: worths[r.term].conf_high,
        "Rank": lambda r: int(marginal[r.term].estimate or 0),
        "Marginal set": lambda r: span(marginal[r.term]),
        "Simultaneous set": lambda r: span(together[r.term]),
        "Comparisons": lambda r: int(r.n or 0),
    }
    caption = f"Every {item}: log-strength, worth (sum one), rank and its confidence sets"
    return table_of(strongest(fit), caption, (item.capitalize(), "term"), columns)


def effects_block(fit: BradleyTerryResult, beside: Pairs, said: Sequence[str] = ()) -> Block | None:
    """Return order effect (and the fit without it), covariates and tie parameter, with what they mean.

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
    rows, adjusted = with_holm(found, "effects beside the strengths")
    sentences = [effect_sentence(r) for r in rows if r.term not in said]
    tables = [rows_table(rows, "Effects in log-odds")]
    if beside:
        sentences.append(changes_sentence(beside))
        tables.append(fits_table(beside))
    kinds = [BESIDE[str(row.group)] or shorten(row.term, 30) for row in rows if row.term not in said]
    return Block(
        id="effects",
        question=f"What changes with {listing(list(dict.fromkeys(kinds))) or 'covariates'}?",
        sentences=tuple(sentences),
        draw=partial(forest, rows, xlabel="log-odds"),
        figure_title="Effects beside the strengths",
        caption=f"Log-odds per unit, with intervals ({fit.inference}).",
        tables=tuple(tables),
        results=(*([] if adjusted is None else [adjusted]), *(pair.plain for pair in beside.values())),
    )


def effect_sentence(row: Row) -> str:
    """Say one effect: order, tie parameter, or covariate."""
    if row.estimate is None or row.conf_low is None:
        return f"{row.term}: {row.undefined}."
    inside = interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)
    if row.group == "tie":
        half = np.exp(row.estimate) / (2 + np.exp(row.estimate))
        share, model = (half, "Davidson's") if row.term == "log_nu" else (np.tanh(row.estimate / 2), "Rao and Kupper's")
        return (
            f"Two equal items tie with probability {number(float(share), bounded=True)} in {model} model "
            f"({row.term} = {number(row.estimate)}, {inside})."
        )
    verb = {"above": "raises", "below": "lowers"}.get(verdict(row), "has no reliable effect on")
    what = "Being shown first" if row.group == "order" else f"One unit of {row.term}"
    tested = p_value(row.p_value) + (f", adjusted {p_value(row.p_adjusted)}" if row.p_adjusted is not None else "")
    return f"{what} {verb} the log-odds of being chosen: {number(row.estimate)}, {inside}, {tested}."


def row_table(rows: Sequence[Row], caption: str, digits: int = 3) -> Table:
    """Return the rows of a result as a table, with their test."""
    columns = NUMBERS | {"df": whole("df"), "p": lambda r: p_text(r.p_value), "n": whole("n")}
    columns["Why no interval"] = "undefined"
    labels = [r.term if r.group in (None, *BESIDE) else f"{r.term} ({r.group})" for r in rows]
    return table_of(rows, caption, ("Term", labels), columns, digits)


def cluster_block(design: Comparisons, options: StudyOptions, formula: str | None, fit: BradleyTerryResult) -> Block:
    """Show what each way of clustering does to the standard errors."""
    names = [f.name for f in design.clusters]
    ways: dict[str, Any] = {"independent": None} | {f"clustered by {name}": name for name in names}
    if len(names) == 2:
        ways[f"clustered by {names[0]} x {names[1]}"] = tuple(names)
    if "pair" not in names:
        ways["clustered by pair of items"] = "pair"
    cells: list[tuple[str | float | int | None, ...]] = []
    base = np.array([])
    for label, cluster in ways.items():
        try:
            one = fit_model(design, options, formula, cluster=cluster)
        except SocialStatsError as error:
            cells.append((f"{label}: {error}", None, None, None, None, None))
            continue
        base = strength_errors(one) if cluster is None else base
        cells.append(cluster_cells(label, one, base))
    known = [(label, x, effect) for label, _, _, x, _, effect in cells[1:] if isinstance(x, float)]
    ratios = [f"{number(x)} when {label} (design effect {effect})" for label, x, effect in known]
    lead = (
        f"Against independent rows, the standard errors of the strengths are (median ratio) {listing(ratios)}. "
        f"The page uses: {fit.inference}."
    )
    header = ("Rows are", "Clusters", "Median SE of strengths", "Median of the ratios to the first line",
              "SE of order effect", "Median design effect of strengths")  # fmt: skip
    caption = "Standard errors under each assumption about dependence (same estimates)"
    return Block(
        id="clusters",
        question="What does the dependence of the rows do to the errors?",
        sentences=(lead,),
        tables=(Table(caption, header, tuple(cells)),),
    )


def with_strength_effect(blocks: Sequence[Block | None], fit: BradleyTerryResult) -> tuple[Block, ...]:
    """Say the design effect of the page's clusters in the caption of the strengths; leave out blocks that are None."""
    found = [block for block in blocks if block is not None]
    ways = next((block.tables[0].cells[1:] for block in found if block.id == "clusters"), ())
    own = _median(strength_errors(fit))
    effect = next((cells[-1] for cells in ways if cells[2] == own), None)
    if effect is None:
        return tuple(found)
    said = f"Design effect of the clusters: {effect} (median over the strengths)."
    return tuple(
        replace(block, caption=f"{block.caption} {said}".lstrip()) if block.id == "strengths" else block
        for block in found
    )


def strength_errors(fit: BradleyTerryResult) -> FloatArray:
    """Return the standard errors of the strengths."""
    return np.array([r.std_error or np.nan for r in fit.rows if r.group == "strength"])


def cluster_cells(label: str, fit: BradleyTerryResult, base: FloatArray) -> tuple[str | float | int | None, ...]:
    """Return one line of the table of clusterings."""
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
    """Answer: which item is chosen over which, and how sure is the order?"""
    check_single(design)
    formula = "~ " + " + ".join(options.adjust) if options.adjust else None
    fit = fit_model(design, options, formula, cluster=default_cluster(design))
    beside = without_order(fit, design, options, formula)
    blocks = [
        strengths_block(fit, options),
        effects_block(fit, beside),
        cluster_block(design, options, formula, fit),
        *(group_matrix(design, groups, name, options.level) for name, groups in item_groups(design).items()),
    ]
    own = (change_cautions(beside), fit.cautions, design.cautions, unused_covariates(design, options))
    return Outcome(
        study="comparisons",
        title=f"Which of {count(len(design.items), 'item')} is preferred, and how sure is the order?",
        design=describe(design, fit),
        answer=answer(fit, options),
        strip=lead_strip(fit),
        cautions=order_cautions(*own),
        blocks=with_strength_effect(blocks, fit),
        data=(order_table(design),),
        diagnostics=fit_diagnostics(fit, design),
        methods=(ways_methods(fit, options), *probability_methods(design)),
        references=tuple(dict.fromkeys((*fit.references, *RANK_REFERENCES))),
        verifications=verify_named({"Strengths": fit, **plain_fits(beside)}) if options.verify else {},
        settings=options.echo(),
        **shared(design, options),
    )


def describe(design: Comparisons, fit: BradleyTerryResult | None) -> str:
    """Return the design in one line: kind, and n at every level."""
    pairs = len(design.pair.levels) if fit is None else fit.counts["pairs"]
    parts = [count(design.n_rows, "comparison"), count(len(design.items), "item"), count(pairs, "pair")]
    parts += [f"{percent(design.n_ties / design.n_rows)} ties"] * bool(design.n_ties)
    parts += [f"{count(len(c.levels))} {c.name}s" for c in design.clusters if c.name != "pair"]
    return "Paired comparisons: " + ", ".join(parts)


def answer(fit: BradleyTerryResult, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer: the strongest item against the next one, and who may be first."""
    rows = strongest(fit)
    top, second = rows[:2]
    ranks, joint = (fit.ranks(kind=kind, level=options.level, seed=options.seed) for kind in RANK_SETS)
    possible = {r.term for r in joint.rows if r.conf_low == 1}
    first = [r.term for r in rows if r.term in possible]
    chance, own = fit.win_probability(top.term, second.term).rows[0], ranks.row(top.term)
    certain = chance.conf_low is not None and chance.conf_low > 0.5
    lead = (
        f"'{shorten(top.term)}' {'is preferred' if certain else 'leads, but not reliably'}: log-strength "
        f"{number(top.estimate)}, {interval(top.conf_low, top.conf_high, level=options.level)} (0 = average item); "
        f"against the next, '{shorten(second.term)}' ({number(second.estimate)}), it is expected to win "
        f"{number(chance.estimate, bounded=True)} of decided comparisons, "
        f"{interval(chance.conf_low, chance.conf_high, level=options.level, bounded=True)} (.50 = no preference)."
    )
    if own.conf_high == own.conf_low and len(first) < 2:
        return (lead, "No other item could be first.")
    return (
        lead,
        f"Its rank may be {own.conf_low:.0f} to {own.conf_high:.0f}; with all {count(len(rows))} ranks covered "
        f"at once, {count(len(first), 'item')} could be first ({listing([shorten(n, 30) for n in first], most=4)}).",
    )


def lead_strip(fit: BradleyTerryResult) -> Strip:
    """Return the chances of the strongest item against second, middle and last, beside one half."""
    top, *others = strongest(fit)
    places = {"second": others[0]}
    if len(others) > 2:
        places["middle"] = others[(len(others) + 1) // 2 - 1]
    if len(others) > 1:
        places["last"] = others[-1]
    marks = [
        mark_of(fit.win_probability(top.term, row.term).rows[0], f"{place}: {shorten(row.term, 28)}")
        for place, row in places.items()
    ]
    return Strip(
        title=f"How often {shorten(top.term, 40)} wins against the {listing(list(places))} strongest",
        axis="probability of winning a decided comparison",
        marks=(Mark(label="no preference", value=0.5, kind="reference"), *marks),
    )


def unused_covariates(design: Comparisons, options: StudyOptions) -> tuple[Caution, ...]:
    """Note covariates that differ between comparisons of an item and are not in the model."""
    names = [name for name in design.covariates if name not in {*constant_covariates(design), *options.adjust}]
    if not names:
        return ()
    detail = f"strengths are not adjusted for {quoted(names)}"
    return (caution("SS308", detail, affects="nothing, unless they should be held equal", fix="--adjust NAME"),)


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
    return {name: groups for name, groups in found.items() if 2 <= len({str(v) for v in groups.values()}) <= most}


def choose_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the items to report: the one asked for, or all that the table has."""
    found = item_groups(design)
    check_named("group", options.group, list(found), "grouping of the items")
    return found if options.group is None else {options.group: found[options.group]}


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
    known, found = item_groups(design), {}
    for name, groups in (options.item_groups or {}).items():
        kept = {item: group for item, group in groups.items() if item in design.items}
        if name not in known and len(set(kept.values())) > 1:
            found[name] = kept
    return found


STUDY = Study(
    name="comparisons",
    title="Which item is preferred over which, and how sure is the order?",
    design="comparisons",
    needs="item_a, item_b, winner",
    suits=lambda design: True,
    run=run,
)
