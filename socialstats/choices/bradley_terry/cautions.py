"""Cautions of a Bradley-Terry fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from socialstats.choices.bradley_terry.model import FitState, times_compared
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import ignored_clusters, robust_cautions
from socialstats.results import Row
from socialstats.text import count, listing, number, percent, quoted
from socialstats.voice import option

FEW_COMPARISONS = 10
NOTABLE_RATIO = 0.1


def fit_cautions(design: Comparisons, state: FitState, rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Return the cautions of a fit, most serious first."""
    return tuple(
        sort_by_severity(
            [*_cluster_cautions(design, state, rows), *_comparison_cautions(design, state)]
        )
    )


def sort_by_severity(cautions: Sequence[Caution]) -> list[Caution]:
    """Return cautions, most serious first."""
    return sorted(cautions, key=lambda c: ("stop", "caution", "info").index(c.severity))


def _cluster_cautions(
    design: Comparisons, state: FitState, rows: Sequence[Row]
) -> Iterator[Caution]:
    """Yield what clusters do to intervals: those left out, few ones, and ones that hold much of what is known."""
    # errors of the model or of rows: declared clusters were left out of them
    if state.robust is None:
        stored = design.scan.clusters if design.scan is not None else ()
        if design.clusters or stored:
            names = listing([*stored, *(f"{c.name} ({len(c.levels):,})" for c in design.clusters)])
            fix = f"leave {option('cluster', 'declared')}"
            yield ignored_clusters(
                names, "single rows", affects="every interval and p-value", fix=fix
            )
        return
    names = " and ".join(state.sizes)
    errors = state.reported_errors
    refused_terms = [row.term for row, refused in zip(rows, errors.refused, strict=True) if refused]
    if refused_terms:
        yield caution(
            "SS209",
            f"{quoted(refused_terms)} rest{'s' * (len(refused_terms) == 1)} on single clusters ({names}), so that "
            "item and cluster effects cannot be separated",
            affects="their intervals and tests, which are undefined, and their ranks, which are not known",
            fix=f"collect comparisons in more clusters or exclude these items; if clusters have no effects, use "
            f"{option('vcov', 'model')}",
        )
    yield from robust_cautions(
        names,
        [row.term for row in rows],
        [row.df for row in rows],
        errors,
        state.robust.largest_leverage,
        fix="report differences (pairwise(), contrast()), or collect comparisons in more clusters",
    )
    # a sum over clusters of outer products has a rank of their number at most
    p = len(state.fitted.beta)
    fewest = min(state.sizes.values())
    if fewest < p:
        yield caution(
            "SS203",
            f"{count(fewest, 'cluster')} for {count(p, 'parameter')}: the covariance matrix "
            "is singular; individual SEs are usable, joint tests are not",
            affects="joint tests",
            rows=["rank"],
        )
    if state.adjusted:
        yield caution(
            "SS206",
            "the two-way covariance was not positive semidefinite; correlations were adjusted, and every "
            "variance is at least that of one factor",
            affects="joint tests and quasi-variances; some SEs may be too small",
            fix=f"compare with one factor alone: {option('cluster')}",
        )
    # the model's errors are those of drawn winners, and have no part in probabilities
    ratio = None if state.probable else state.design_effects
    if ratio is not None and abs(np.median(ratio) - 1) > NOTABLE_RATIO:
        yield caution(
            "SS205",
            f"clustering by {listing(list(state.sizes))} multiplied the standard errors of the strengths by "
            f"{number(float(np.median(ratio)))} (median)",
        )


def _comparison_cautions(design: Comparisons, state: FitState) -> Iterator[Caution]:
    """Yield what ties, penalties, rarely compared items, an undeclared order and weights do to the strengths."""
    if design.n_ties:
        share = percent(design.n_ties / design.n_rows)
        name = {"davidson": "Davidson's", "rao_kupper": "Rao and Kupper's"}.get(state.ties)
        if name is None:
            yield caution(
                "SS105",
                f"{share} of the comparisons were ties, each counted as half a win for both sides, which "
                "shrinks strengths",
                affects="every strength",
                fix=f"use {option('ties', 'davidson')}",
            )
        else:
            yield caution("SS109", f"{share} of the comparisons were ties, in {name} model")
    if state.penalised:
        way = f"{state.options.prior:g} pseudo-wins an item"
        if state.options.penalty:
            way = "Firth's penalty"
        yield caution("SS102", f"{way} shrinks the strengths", affects="every strength")
    few = {
        item: k
        for item, k in zip(design.items, times_compared(design), strict=True)
        if k < FEW_COMPARISONS
    }
    if few and state.data.n_items:
        items = listing([f"{quoted([item])} ({k:g})" for item, k in few.items()], 3)
        text = f"fewer than {FEW_COMPARISONS} comparisons: {items}"
        yield caution("SS103", text, affects="their strengths and intervals", rows=few)
    if state.options.order and not design.order_known:
        first = design.columns.get("item_a", "item_a")
        yield caution(
            "SS106",
            f"{option('order', True)} took the item in column '{first}' as shown first",
            affects="the order effect and every strength",
            fix=f"declare the order in the design ({option('order', 'item_a')}, or its column), or leave out the order "
            "effect",
        )
    if design.weighted:
        yield caution(
            "SS207", "log-likelihood and tests treat weights as given", affects="standard errors"
        )
