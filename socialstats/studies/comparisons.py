"""Study of paired comparisons: which item is preferred, and by how much?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic, caution
from socialstats.figures import forest, heat
from socialstats.inference.dependence import FEW_DF, cluster_factors, cluster_text
from socialstats.inference.proportions import clustered_share
from socialstats.inference.rows import with_ends, with_share
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text, rows_table, verdict, verify_named, with_holm
from socialstats.studies.page import Block, Diagnostic, Mark, Outcome, Strip, Study, StudyOptions, Table, order_cautions
from socialstats.text import count, interval, level_text, listing, number, p_value, percent, quoted, shorten


def fit_model(
    design: Comparisons, options: StudyOptions, formula: str | None, *, cluster: Any, order: bool = True
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model; with `order`, the order effect is in it where the design declares one."""
    fit = bradley_terry(
        design,
        formula,
        ties=options.ties,
        order=order and design.order_known,
        cluster=cluster,
        penalty=options.penalty,
        prior=options.prior,
        level=options.level,
        by=None,
    )
    if not isinstance(fit, BradleyTerryResult):
        raise InputError("one model at a time: use by= in the design")
    return fit


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
    rows = [r for r in fit.rows if r.group == "strength"]
    return sorted(rows, key=lambda r: -(r.estimate or 0.0))


def group_matrix(design: Comparisons, groups: Mapping[str, str], name: str, level: float = 0.95) -> Block:
    """Return the matrix of win rates between groups of items, each with its interval."""
    labels = sorted({str(v) for v in groups.values()})
    code = np.array([labels.index(str(groups[item])) for item in design.items])
    ga, gb = code[design.item_a], code[design.item_b]
    factors = cluster_factors(design, default_cluster(design))
    rows = tuple(
        replace(won, term=labels[i], group=labels[j])
        for i in range(len(labels))
        for j in range(len(labels))
        if i != j and (won := meeting(design, (ga == i) & (gb == j), (ga == j) & (gb == i), factors, level)) is not None
    )
    best = max(rows, key=lambda r: r.estimate or 0)
    return Block(
        id=f"matrix-{name}",
        question=f"How do {name}s fare against each other?",
        sentences=(
            f"The most one-sided meeting: '{best.term}' was chosen over '{best.group}' at a rate of "
            f"{numbers_text(best, digits=3, bounded=True)}, in {count(best.n or 0, 'comparison')}.",
        ),
        draw=partial(heat, rows),
        figure_title=f"Share of comparisons that the row's {name} won against the column's",
        caption="Cells show the win rate and the number of comparisons (ties count as half); intervals are in the "
        f"table (Wilson, {cluster_text(factors)}).",
        tables=(
            Table(
                caption=f"Win rates between {name}s",
                header=(name.capitalize(), "Against", "Win rate", "Low", "High", "Comparisons"),
                cells=tuple((r.term, r.group, r.estimate, r.conf_low, r.conf_high, int(r.n or 0)) for r in rows),
            ),
        ),
    )


def meeting(
    design: Comparisons, as_a: BoolArray, as_b: BoolArray, factors: Sequence[Factor], level: float
) -> Row | None:
    """Return the win rate of one group (`as_a` rows have it as item a) against another; None if they never met.

    Wilson's interval at the comparisons that would give the rate the variance of its clusters.
    """
    met = as_a | as_b
    if not met.any():
        return None
    share = np.where(design.outcome == TIED, 0.5, (design.outcome == A_WON).astype(float))
    n = design.count[met].astype(np.float64)
    found = clustered_share(
        np.where(as_b, 1 - share, share)[met], n, [f.codes[met] for f in factors], trials=float(n.sum()), level=level
    )
    row = Row(term="", estimate=found.estimate, n=float(n.sum()))
    return with_share(row, found, level, clustered=bool(factors))


def fit_diagnostics(fit: BradleyTerryResult, design: Comparisons) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and how evenly items were compared."""
    return (existence_check(fit, design), fit_check(fit), evenness_check(design))


def existence_check(fit: BradleyTerryResult, design: Comparisons) -> Diagnostic:
    """Say whether a finite estimate exists, or was made to."""
    check = "Does a finite estimate exist? (Ford's condition)"
    if fit.fitted_state.penalised:
        return Diagnostic(
            check=check,
            found="Not asked: a penalty or prior keeps the estimates finite.",
            so_what="Strengths are pulled together; likelihood-ratio tests are not available.",
        )
    return Diagnostic(
        check=check,
        found=f"Yes: the win graph of {count(len(design.items), 'item')} is strongly connected.",
        so_what="Strengths and intervals are maximum-likelihood estimates.",
    )


def fit_check(fit: BradleyTerryResult) -> Diagnostic:
    """Say whether the wins of each pair follow the model."""
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        return Diagnostic(check="Goodness of fit", found=str(error), so_what="No verdict.")
    misfit = "Pairs have preferences of their own beyond the strengths: trust cluster-robust errors."
    return Diagnostic(
        check="Do the wins of each pair follow the model?",
        found=gof.sentence(),
        so_what=misfit if gof.cautions else "No sign of misfit.",
    )


def evenness_check(design: Comparisons) -> Diagnostic:
    """Say how evenly items were compared, and how many pairs met."""
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    low, high = int(np.argmin(n)), int(np.argmax(n))
    spread = f"{count(n[low])} comparisons an item"
    if n[low] != n[high]:
        ends = [f"{count(n[i])} ('{shorten(design.items[i])}')" for i in (low, high)]
        spread = f"From {ends[0]} to {ends[1]} comparisons an item"
    return Diagnostic(
        check="How evenly were items compared?",
        found=f"{spread}; {count(len(design.pair.levels))} of {count(_all_pairs(design))} pairs met.",
        so_what="Intervals are wide where items met rarely." if n[low] * 4 < n[high] else "Evenly enough.",
    )


def _all_pairs(design: Comparisons) -> int:
    return len(design.items) * (len(design.items) - 1) // 2


def order_table(design: Comparisons) -> Table:
    """Count outcomes by who was shown first, or by column where the design does not say."""
    first, second = presented(design)
    a_first = design.first > 0
    first_won = np.where(a_first, design.outcome == A_WON, design.outcome == 1 - A_WON)
    tied = design.outcome == TIED
    total = design.count.sum()
    cells = [
        (label, int(n), percent(float(n / total)))
        for label, n in (
            (f"{first} was chosen", design.count[first_won & ~tied].sum()),
            (f"{second} was chosen", design.count[~first_won & ~tied].sum()),
            ("tie", design.count[tied].sum()),
        )
    ]
    by = "order of presentation" if design.order_known else "column (the order of presentation was not declared)"
    return Table(caption=f"Choices by {by}", header=("Outcome", "Rows", "Share"), cells=tuple(cells))


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
    return (
        f"Strengths were estimated with the {fit.title}{with_terms} by maximum likelihood (Newton's method on distinct "
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
    """Fit the model of a page again without its order effect.

    Parameters
    ----------
    fit : BradleyTerryResult
    design : Comparisons
        What it was fitted to, with its default clusters.
    options : StudyOptions
    formula : str or None
    level : str
        Level of the by factor; empty without one.

    Returns
    -------
    dict of str to WithoutOrder
        Both fits under the level; nothing where the fit has no order effect.
    """
    if all(row.group != "order" for row in fit.rows):
        return {}
    plain = fit_model(design, options, formula, cluster=default_cluster(design), order=False)
    return {level: WithoutOrder(fit=fit, plain=plain)}


def conclusions(fit: BradleyTerryResult) -> dict[str, str]:
    """Return what a page concludes from a fit, by name: who leads, how surely, and the sign of every covariate."""
    rows = strongest(fit)
    top = [row.term for row in rows if (rows[0].estimate or 0.0) - (row.estimate or 0.0) <= SAME]
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
            ends = [end for row in (lead(rows, fit), *effects) for end in (row.estimate, row.conf_low, row.conf_high)]
            cells.append((*([level] if level else []), label, rows[0].term, rows[0].estimate, rows[1].term, *ends))
    header = (*([] if "" in pairs else ["Level"]), "Order effect", "Strongest", "Log-strength", "Next", "Lead", "Low",
              "High", *(text for row in effects for text in (row.term, "Low", "High")))  # fmt: skip
    caption = "The fit with and without the order effect: strongest item, its lead (log-odds), effects of covariates"
    return Table(caption=caption, header=header, cells=tuple(cells))


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
    return f"{said[0].upper()}{said[1:]}."


def change_cautions(pairs: Pairs) -> tuple[Caution, ...]:
    """Return caution SS111 where a conclusion depends on the order effect."""
    said, fix = changes(pairs), "report both fits; randomise who is shown first within every pair"
    return (caution("SS111", said, affects="the answer and the strengths", fix=fix),) if said else ()


def plain_fits(pairs: Pairs) -> dict[str, Result]:
    """Return the fits without the order effect, by the name under which they are verified."""
    return {f"{shorten(level, 40)}{': ' if level else ''}without the order effect": pair.plain
            for level, pair in pairs.items()}  # fmt: skip


MOST_ROWS = 200  # of a figure; the table has them all


def strengths_block(fit: BradleyTerryResult, options: StudyOptions, item: str = "item") -> Block:
    """Return the forest of strengths with rank sets, comparison intervals, and its table."""
    rows = tuple(r for r in fit.rows if r.group == "strength")
    ranks = fit.ranks(kind="marginal", level=options.level, seed=options.seed)
    joint = fit.ranks(kind="simultaneous", level=options.level, seed=options.seed)
    sets = {r.term: (int(r.conf_low or 0), int(r.conf_high or 0)) for r in ranks.rows}
    worth = {r.term: r for r in fit.worth(level=options.level).rows}
    quasi = _quasi(fit)
    drawn = sorted(rows, key=lambda row: -(row.estimate or 0.0))[:MOST_ROWS]
    every = (
        f"every {item}" if len(drawn) == len(rows) else f"the {count(len(drawn), item)} of {count(len(rows))} that lead"
    )
    return Block(
        id="strengths",
        question=f"Which {item} is chosen over which?",
        sentences=(
            fit.sentence().replace(f"Of {count(len(rows))} items,", f"Of {count(len(rows), item)},", 1),
            *rank_sentences(ranks, joint, item),
        ),
        draw=partial(forest, drawn, ranks=sets, xlabel="log-strength (0 = average)"),
        figure_title=f"Strength of {every}, strongest first",
        caption=(
            f"Log-strengths with {level_text(options.level)} intervals ({fit.inference}); a difference of 1 means odds "
            f"of {number(float(np.e))} to 1. Right: estimate, interval, and the marginal rank set."
        ),
        tables=(_strength_table(rows, ranks, joint, worth, quasi, item),),
        results=(fit, ranks, joint, fit.worth(level=options.level)),
    )


def rank_sentences(ranks: Result, joint: Result, item: str) -> tuple[str, ...]:
    """Say who could be first, and how many places the data leave open, one by one and for all ranks at once."""
    level = level_text(ranks.rows[0].conf_level or 0.95)
    n = len(ranks.rows)
    found = []
    for result, covers in ((ranks, f"the rank of each {item} by itself"), (joint, "all ranks at once")):
        first = [r.term for r in result.rows if r.conf_low == 1]
        places = np.mean([(r.conf_high or 0) - (r.conf_low or 0) + 1 for r in result.rows])
        found.append(
            f"With {level} confidence for {covers}, {count(len(first), item)} could be first ({quoted(first)}); on "
            f"average {number(float(places), 1)} of {n} places stay possible."
        )
    return tuple(found)


def _quasi(fit: BradleyTerryResult) -> dict[str, float | None]:
    try:
        return {r.term: r.std_error for r in fit.quasi_variances().rows}
    except UndefinedStatistic:
        return {}


def _strength_table(
    rows: Sequence[Row], ranks: Result, joint: Result, worth: dict[str, Row], quasi: dict[str, Any], item: str
) -> Table:
    marginal, together = ({r.term: r for r in result.rows} for result in (ranks, joint))
    ordered = sorted(rows, key=lambda r: -(r.estimate or 0.0))
    cells = tuple(
        (
            r.term,
            r.estimate,
            r.std_error,
            r.conf_low,
            r.conf_high,
            quasi.get(r.term),
            worth[r.term].estimate,
            worth[r.term].conf_low,
            worth[r.term].conf_high,
            _rank(marginal[r.term]),
            _span(marginal[r.term]),
            _span(together[r.term]),
            int(r.n or 0),
        )
        for r in ordered
    )
    return Table(
        caption=f"Every {item}: log-strength, worth (sum one), rank and its confidence sets",
        header=(
            item.capitalize(),
            "Log-strength",
            "SE",
            "Low",
            "High",
            "Quasi-SE",
            "Worth (RPI)",
            "Low of worth",
            "High of worth",
            "Rank",
            "Marginal set",
            "Simultaneous set",
            "Comparisons",
        ),
        cells=cells,
    )


def _rank(row: Row) -> int:
    return int(row.estimate or 0)


def _span(row: Row) -> str:
    return f"{row.conf_low:.0f}\u2013{row.conf_high:.0f}"


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
    found = tuple(r for r in fit.rows if r.group in ("order", "covariate", "tie"))
    if not found:
        return None
    rows, adjusted = with_holm(found, "effects beside the strengths")
    return Block(
        id="effects",
        question=f"What changes with {_kinds(rows, said)}?",
        sentences=(
            *(effect_sentence(r) for r in rows if r.term not in said),
            *([changes_sentence(beside)] if beside else []),
        ),
        draw=partial(forest, rows, xlabel="log-odds"),
        figure_title="Effects beside the strengths",
        caption=f"Log-odds per unit, with intervals ({fit.inference}).",
        tables=(rows_table(rows, "Effects in log-odds"), *([fits_table(beside)] if beside else [])),
        results=(*([] if adjusted is None else [adjusted]), *(pair.plain for pair in beside.values())),
    )


def _kinds(rows: Sequence[Row], said: Sequence[str]) -> str:
    """Name the kinds of effects in a question: the order of presentation, ties, and covariates by name."""
    names = {"order": "the order of presentation", "tie": "ties"}
    found = [names.get(str(row.group), shorten(row.term, 30)) for row in rows if row.term not in said]
    return listing(list(dict.fromkeys(found))) or "covariates"


def effect_sentence(row: Row) -> str:
    """Say one effect: order, tie parameter, or covariate."""
    level = row.conf_level or 0.95
    if row.estimate is None or row.conf_low is None:
        return f"{row.term}: {row.undefined}."
    inside = interval(row.conf_low, row.conf_high, level=level)
    if row.group == "tie":
        if row.term == "log_nu":
            share = np.exp(row.estimate) / (2 + np.exp(row.estimate))
            model = "Davidson's"
        else:
            share = np.tanh(row.estimate / 2)
            model = "Rao and Kupper's"
        return (
            f"Two equal items tie with probability {number(float(share), bounded=True)} in {model} model "
            f"({row.term} = {number(row.estimate)}, {inside})."
        )
    verdict = settled(row, "raises", "lowers")
    what = "Being shown first" if row.group == "order" else f"One unit of {row.term}"
    tested = p_value(row.p_value) + (f", adjusted {p_value(row.p_adjusted)}" if row.p_adjusted is not None else "")
    return f"{what} {verdict} the log-odds of being chosen: {number(row.estimate)}, {inside}, {tested}."


def settled(row: Row, above: str, below: str) -> str:
    """Return the verb when the interval excludes zero, else that the data do not settle it."""
    return {"above": above, "below": below}.get(verdict(row), "may raise or lower (the data do not settle it)")


def row_table(rows: Sequence[Row], caption: str, digits: int = 3) -> Table:
    """Return the rows of a result as a table."""
    return Table(
        caption=caption,
        header=("Term", "Estimate", "SE", "Low", "High", "Statistic", "df", "p", "n", "Why no interval"),
        cells=tuple(
            (
                r.term if r.group is None or r.group in ("order", "tie", "covariate") else f"{r.term} ({r.group})",
                r.estimate,
                r.std_error,
                r.conf_low,
                r.conf_high,
                r.statistic,
                None if r.df is None else int(r.df),
                p_value(r.p_value, name="").strip(" =") if r.p_value is not None else None,
                None if r.n is None else int(r.n),
                r.undefined,
            )
            for r in rows
        ),
        digits=digits,
    )


def cluster_block(design: Comparisons, options: StudyOptions, formula: str | None, fit: BradleyTerryResult) -> Block:
    """Show what each way of clustering does to the standard errors."""
    fits = {label: try_fit(design, options, formula, cluster) for label, cluster in cluster_ways(design).items()}
    base = strength_errors(next(iter(fits.values())))
    cells = tuple(cluster_cells(label, one, base) for label, one in fits.items())
    ratios = [
        f"{number(row[3])} when {row[0]} (design effect {row[5]})" for row in cells[1:] if isinstance(row[3], float)
    ]
    lead = (
        f"Against independent rows, the standard errors of the strengths are (median ratio) {listing(ratios)}. "
        f"The page uses: {fit.inference}."
    )
    table = Table(
        caption="Standard errors under each assumption about dependence (same estimates)",
        header=(
            "Rows are",
            "Clusters",
            "Median SE of strengths",
            "Median of the ratios to the first line",
            "SE of order effect",
            "Median design effect of strengths",
        ),
        cells=cells,
    )
    return Block(
        id="clusters",
        question="What does the dependence of the rows do to the errors?",
        sentences=(lead,),
        tables=(table,),
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


def cluster_ways(design: Comparisons) -> dict[str, Any]:
    """Return every way of clustering that the design has, by its label."""
    names = [f.name for f in design.clusters]
    ways: dict[str, Any] = {"independent": None} | {f"clustered by {name}": name for name in names}
    if len(names) == 2:
        ways[f"clustered by {names[0]} x {names[1]}"] = tuple(names)
    return ways if "pair" in names else ways | {"clustered by pair of items": "pair"}


def try_fit(
    design: Comparisons, options: StudyOptions, formula: str | None, cluster: Any
) -> BradleyTerryResult | SocialStatsError:
    """Return the fit with these clusters, or why there is none."""
    try:
        return fit_model(design, options, formula, cluster=cluster)
    except SocialStatsError as error:
        return error


def strength_errors(fit: BradleyTerryResult | SocialStatsError) -> FloatArray:
    """Return the standard errors of the strengths."""
    rows = fit.rows if isinstance(fit, BradleyTerryResult) else ()
    return np.array([r.std_error or np.nan for r in rows if r.group == "strength"])


def cluster_cells(
    label: str, fit: BradleyTerryResult | SocialStatsError, base: FloatArray
) -> tuple[str | float | int | None, ...]:
    """Return one line of the table of clusterings."""
    if isinstance(fit, SocialStatsError):
        return (f"{label}: {fit}", None, None, None, None, None)
    robust = fit.fitted_state.robust
    clusters = " x ".join(f"{g:,}" for g in robust.n_clusters) if robust else "\u2014"
    errors = strength_errors(fit)
    order = next((r.std_error for r in fit.rows if r.group == "order"), None)
    ratios = np.divide(errors, base, out=np.full(len(errors), np.nan), where=base > 0)
    return (label, clusters, _median(errors), _median(ratios), order, number(_median(ratios**2)))


def _median(values: FloatArray) -> float | None:
    """The median of the numbers there are; None where there is none, as when clusters cancel exactly."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


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
