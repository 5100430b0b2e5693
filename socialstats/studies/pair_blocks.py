"""Questions that every study of paired comparisons answers: strengths, effects, clusters, groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import SocialStatsError, UndefinedStatistic
from socialstats.figures import forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import rows_table, with_holm
from socialstats.studies.order_effect import Pairs, changes_sentence, fits_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.pair_model import fit_model
from socialstats.studies.verdicts import verdict
from socialstats.text import count, interval, level_text, listing, number, p_value, quoted, shorten

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
