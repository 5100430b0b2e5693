"""Pieces that every study of paired comparisons shares: the model, its blocks, tables and diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.comparisons import A_WON, TIED, Comparisons
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic
from socialstats.figures import forest, heat
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Block, Diagnostic, Table
from socialstats.text import count, interval, level_text, listing, number, p_value, percent

FEWEST_PAIRS = 20  # cluster-robust errors of fewer clusters are too small
FIT_ERRORS = (SocialStatsError, np.linalg.LinAlgError)


def fit_model(
    design: Comparisons, options: StudyOptions, formula: str | None, *, cluster: Any, order: bool = True
) -> BradleyTerryResult:
    """Fit the study's Bradley-Terry model."""
    fit = bradley_terry(
        design, formula, ties=options.ties, order=order, cluster=cluster, penalty=options.penalty,
        prior=options.prior, level=options.level, by=None,
    )  # fmt: skip
    if not isinstance(fit, BradleyTerryResult):
        raise InputError("one model at a time: use by= in the design")
    return fit


def default_cluster(design: Comparisons) -> Any:
    """Return the clusters to use: the declared ones, else the pairs of items where many pairs repeat."""
    if design.clusters:
        return "declared"
    pairs = len(design.pair.levels)
    return "pair" if FEWEST_PAIRS <= pairs < design.n_rows else None


def strengths_block(fit: BradleyTerryResult, options: StudyOptions, item: str = "item") -> Block:
    """Return the forest of strengths with rank sets, comparison intervals, and its table."""
    rows = tuple(r for r in fit.rows if r.group == "strength")
    ranks = fit.ranks(kind="marginal", level=options.level, seed=options.seed)
    joint = fit.ranks(kind="simultaneous", level=options.level, seed=options.seed)
    sets = {r.term: (int(r.conf_low or 0), int(r.conf_high or 0)) for r in ranks.rows}
    worth = {r.term: r for r in fit.worth(level=options.level).rows}
    quasi = _quasi(fit)
    return Block(
        id="strengths",
        question=f"Which {item} is chosen over which?",
        sentences=(fit.sentence(), ranks.sentence(), joint.sentence()),
        draw=partial(forest, rows, ranks=sets, xlabel="log-strength (0 = average)"),
        figure_title=f"Strength of every {item}, strongest first",
        caption=(
            f"Log-strengths with {level_text(options.level)} intervals ({fit.inference}); a difference of 1 means odds "
            f"of {number(float(np.e))} to 1. Right: estimate, interval, and the marginal rank set."
        ),
        tables=(_strength_table(rows, ranks, joint, worth, quasi, item),),
        results=(fit, ranks, joint, fit.worth(level=options.level)),
    )


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
            r.term, r.estimate, r.std_error, r.conf_low, r.conf_high, quasi.get(r.term), worth[r.term].estimate,
            _rank(marginal[r.term]), _span(marginal[r.term]), _span(together[r.term]), int(r.n or 0),
        )
        for r in ordered
    )  # fmt: skip
    return Table(
        caption=f"Every {item}: log-strength, worth (sum one), rank and its confidence sets",
        header=(
            item.capitalize(), "Log-strength", "SE", "Low", "High", "Quasi-SE", "Worth", "Rank", "Marginal set",
            "Simultaneous set", "Comparisons",
        ),
        cells=cells,
    )  # fmt: skip


def _rank(row: Row) -> int:
    return int(row.estimate or 0)


def _span(row: Row) -> str:
    return f"{row.conf_low:.0f}\u2013{row.conf_high:.0f}"


def effects_block(fit: BradleyTerryResult, design: Comparisons) -> Block | None:
    """Return order effect, covariates and tie parameter, with what they mean."""
    rows = tuple(r for r in fit.rows if r.group in ("order", "covariate", "tie"))
    if not rows:
        return None
    return Block(
        id="effects",
        question="Do the order of presentation, ties and covariates matter?",
        sentences=tuple(effect_sentence(r, design) for r in rows),
        draw=partial(forest, rows, xlabel="log-odds"),
        figure_title="Effects beside the strengths",
        caption=f"Log-odds per unit, with intervals ({fit.inference}).",
        tables=(row_table(rows, "Effects in log-odds"),),
        results=(),
    )


def effect_sentence(row: Row, design: Comparisons) -> str:
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
    if row.group == "order":
        shown = (
            "being shown first"
            if design.order_known
            else f"standing in column '{design.columns.get('item_a', 'item_a')}'"
        )
        return f"{shown[0].upper()}{shown[1:]} {verdict} the log-odds of being chosen: {number(row.estimate)}, {inside}, {p_value(row.p_value)}."
    return f"One unit of {row.term} {verdict} the log-odds by {number(row.estimate)}, {inside}, {p_value(row.p_value)}."


def settled(row: Row, above: str, below: str) -> str:
    """Return the verb when the interval excludes zero, else that the data do not settle it."""
    if row.conf_low is not None and row.conf_low > 0:
        return above
    if row.conf_high is not None and row.conf_high < 0:
        return below
    return "may raise or lower (the data do not settle it)"


def row_table(rows: Sequence[Row], caption: str, digits: int = 3) -> Table:
    """Return the rows of a result as a table."""
    return Table(
        caption=caption,
        header=("Term", "Estimate", "SE", "Low", "High", "Statistic", "df", "p", "n"),
        cells=tuple(
            (r.term if r.group is None or r.group in ("order", "tie", "covariate") else f"{r.term} ({r.group})",
             r.estimate, r.std_error, r.conf_low, r.conf_high, r.statistic,
             None if r.df is None else int(r.df), p_value(r.p_value, name="").strip(" =") if r.p_value is not None else None,
             None if r.n is None else int(r.n))
            for r in rows
        ),
        digits=digits,
    )  # fmt: skip


def cluster_block(design: Comparisons, options: StudyOptions, formula: str | None, fit: BradleyTerryResult) -> Block:
    """Show what each way of clustering does to the standard errors."""
    ways: list[tuple[str, Any]] = [("rows independent (model)", None)]
    names = [f.name for f in design.clusters]
    ways += [(f"clustered by {name}", name) for name in names]
    if len(names) == 2:
        ways.append((f"clustered by {names[0]} x {names[1]}", tuple(names)))
    if "pair" not in names:
        ways.append(("clustered by pair of items", "pair"))
    base: Any = None
    cells: list[tuple[str | float | int | None, ...]] = []
    for label, cluster in ways:
        try:
            one = fit_model(design, options, formula, cluster=cluster)
        except FIT_ERRORS as error:
            cells.append((f"{label}: {error}", None, None, None, None))
            continue
        se = np.array([r.std_error or np.nan for r in one.rows if r.group == "strength"])
        base = se if base is None else base
        order = next((r for r in one.rows if r.group == "order"), None)
        state = one.fitted_state
        clusters = " x ".join(f"{g:,}" for g in state.robust.n_clusters) if state.robust else "\u2014"
        cells.append((
            label, clusters, float(np.nanmedian(se)), float(np.nanmedian(se / base)),
            order.std_error if order else None,
        ))  # fmt: skip
    ratio = next((c.detail for c in fit.cautions if c.code == "SS205"), "")
    lead = ratio[0].upper() + ratio[1:] + "." if ratio else "The choice of clusters changes the standard errors little."
    return Block(
        id="clusters",
        question="What does the dependence of the rows do to the errors?",
        sentences=(lead,),
        tables=(Table(
            caption="Standard errors under each assumption about dependence (same estimates)",
            header=("Rows are", "Clusters", "Median SE of strengths", "Ratio to model", "SE of order effect"),
            cells=tuple(cells),
        ),),
    )  # fmt: skip


def fit_diagnostics(fit: BradleyTerryResult, design: Comparisons) -> tuple[Diagnostic, ...]:
    """Check existence, fit, and balance of presentation order."""
    found = [Diagnostic(
        check="Does a finite estimate exist? (Ford's condition)",
        found=f"Yes: the win graph of {count(len(design.items), 'item')} is strongly connected."
        if not fit.fitted_state.penalised else "Not asked: a penalty or prior keeps the estimates finite.",
        so_what="Strengths and intervals are maximum-likelihood estimates." if not fit.fitted_state.penalised
        else "Strengths are pulled together; likelihood-ratio tests are not available.",
    )]  # fmt: skip
    try:
        gof = fit.goodness_of_fit(cells="total")
    except UndefinedStatistic as error:
        found.append(Diagnostic(check="Goodness of fit", found=str(error), so_what="No verdict."))
    else:
        bad = bool(gof.cautions)
        found.append(Diagnostic(
            check="Do the wins of each pair follow the model?",
            found=gof.sentence(),
            so_what="Pairs have preferences of their own beyond the strengths: trust cluster-robust errors, not the model's."
            if bad else "No sign of misfit.",
        ))  # fmt: skip
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    low, high = int(np.argmin(n)), int(np.argmax(n))
    found.append(Diagnostic(
        check="How evenly were items compared?",
        found=f"From {count(n[low])} ('{design.items[low]}') to {count(n[high])} ('{design.items[high]}') "
        f"comparisons an item; {count(len(design.pair.levels))} of {count(_all_pairs(design))} pairs met.",
        so_what="Intervals are wide where items met rarely." if n[low] * 4 < n[high] else "Evenly enough.",
    ))  # fmt: skip
    return tuple(found)


def _all_pairs(design: Comparisons) -> int:
    return len(design.items) * (len(design.items) - 1) // 2


def order_table(design: Comparisons) -> Table:
    """Count outcomes by who was shown first."""
    a_first = design.first > 0
    first_won = np.where(a_first, design.outcome == A_WON, design.outcome == 1 - A_WON)
    tied = design.outcome == TIED
    total = design.count.sum()
    cells = [
        (label, int(n), percent(float(n / total)))
        for label, n in (
            ("first shown was chosen", design.count[first_won & ~tied].sum()),
            ("second shown was chosen", design.count[~first_won & ~tied].sum()),
            ("tie", design.count[tied].sum()),
        )
    ]  # fmt: skip
    note = (
        "" if design.order_known else f" (no order column: '{design.columns.get('item_a', 'item_a')}' counts as first)"
    )
    return Table(
        caption=f"Choices by order of presentation{note}", header=("Outcome", "Rows", "Share"), cells=tuple(cells)
    )


def group_matrix(design: Comparisons, groups: dict[str, Any], name: str) -> Block:
    """Return the matrix of win rates between groups of items."""
    labels = sorted({str(v) for v in groups.values()})
    code = np.array([labels.index(str(groups[item])) for item in design.items])
    k = len(labels)
    wins, games = np.zeros((k, k)), np.zeros((k, k))
    ga, gb = code[design.item_a], code[design.item_b]
    a_share = np.where(design.outcome == TIED, 0.5, (design.outcome == A_WON).astype(float))
    np.add.at(wins, (ga, gb), design.count * a_share)
    np.add.at(wins, (gb, ga), design.count * (1 - a_share))
    np.add.at(games, (ga, gb), design.count)
    np.add.at(games, (gb, ga), design.count)
    rows = tuple(
        Row(term=labels[i], group=labels[j], estimate=float(wins[i, j] / games[i, j]), n=float(games[i, j]))
        for i in range(k) for j in range(k) if i != j and games[i, j] > 0
    )  # fmt: skip
    best = max(rows, key=lambda r: r.estimate or 0)
    return Block(
        id=f"matrix-{name}",
        question=f"How do {name}s fare against each other?",
        sentences=(
            f"'{best.term}' was chosen over '{best.group}' in {percent(best.estimate)} of {count(best.n or 0, 'comparison')}, "
            "the most one-sided meeting.",
        ),
        draw=partial(heat, rows),
        figure_title=f"Share of comparisons that the row's {name} won against the column's",
        caption="Cells show the win rate and the number of comparisons (ties count as half).",
        tables=(Table(caption=f"Win rates between {name}s", header=(name.capitalize(), "Against", "Win rate", "Comparisons"),
                      cells=tuple((r.term, r.group, r.estimate, int(r.n or 0)) for r in rows)),),
    )  # fmt: skip


def ways_methods(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return the methods paragraph of the model."""
    terms = [r.term for r in fit.rows if r.group in ("order", "covariate")]
    with_terms = f" with effects of {listing(terms)}" if terms else ""
    ties = {
        "davidson": " Ties follow Davidson's model.",
        "rao_kupper": " Ties follow Rao and Kupper's model.",
        "half": " Ties count as half a win for each side.",
    }.get(fit.settings["ties"], "")
    return (
        f"Strengths were estimated with the {fit.title}{with_terms} by maximum likelihood (Newton's method on distinct "
        f"pairs; existence checked on the win graph).{ties} Uncertainty: {fit.inference}. Rank sets invert max-t tests of "
        f"all differences with step-down; marginal sets cover one item's rank, simultaneous sets all ranks at once."
    )


def data_cautions(design: Comparisons) -> tuple[Caution, ...]:
    """Return what was noticed while the table was read."""
    return design.cautions
