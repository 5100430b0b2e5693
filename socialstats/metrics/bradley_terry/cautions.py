"""Cautions of a Bradley-Terry fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import few_clusters, ignored_clusters
from socialstats.metrics.bradley_terry.model import State, times_compared
from socialstats.results import Row
from socialstats.text import count, listing, number, percent, quoted

FEW_DF = 5.0  # with fewer degrees of freedom a t interval is more than 1.3 times as wide as the normal one
BORROWED = 0.01  # share of a variance
DECISIVE = 0.5  # leverage of one cluster
FEW_COMPARISONS = 10
NOTABLE_RATIO = 0.1


def fit_cautions(design: Comparisons, state: State, rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Return the cautions of a fit, most serious first."""
    found = [*_clusters(design, state, rows), *_ties(design, state), *_items(design, state)]
    if state.options.order and not design.order_known:
        first = design.columns.get("item_a", "item_a")
        found.append(caution(
            "SS106", f"order=True took the item in column '{first}' as shown first",
            affects="the order effect and every strength",
            fix="declare it in the design (order='item_a', or the column that says it), or leave out the order effect",
        ))  # fmt: skip
    if design.weighted:
        found.append(caution("SS207", "log-likelihood and tests treat weights as given", affects="standard errors"))
    return tuple(by_severity(found))


def by_severity(cautions: Sequence[Caution]) -> list[Caution]:
    """Return cautions, most serious first."""
    return sorted(cautions, key=lambda c: ("stop", "caution", "info").index(c.severity))


def _clusters(design: Comparisons, state: State, rows: Sequence[Row]) -> list[Caution]:
    found: list[Caution] = []
    names = listing([f"{c.name} ({len(c.levels):,})" for c in design.clusters])
    if design.clusters and state.robust is None:
        fix = "leave cluster='declared'"
        found.append(ignored_clusters(names, "single rows", affects="every interval and p-value", fix=fix))
    if state.robust is None:
        return found
    sizes = state.sizes
    found += _thin(state, rows, " and ".join(sizes))
    p = len(state.fitted.beta)
    if min(sizes.values()) < p:
        found.append(caution(
            "SS203", f"{count(min(sizes.values()), 'cluster')} for {count(p, 'parameter')}: the covariance matrix "
            "is singular, single standard errors stand, joint tests do not", affects="joint tests",
        ))  # fmt: skip
    if state.adjusted:
        found.append(caution(
            "SS206", "V1 + V2 - V12 was not positive: its correlations were adjusted; every variance is at least that "
            "of one factor alone", affects="joint tests and quasi-variances",
            fix="compare with one factor alone: cluster=",
        ))  # fmt: skip
    ratio = state.design_effects
    if ratio is not None and abs(np.median(ratio) - 1) > NOTABLE_RATIO:
        found.append(caution(
            "SS205", f"clustering by {listing(list(sizes))} makes the standard errors of the strengths "
            f"{number(float(np.median(ratio)))} times as large as with independent rows (median)",
        ))  # fmt: skip
    return found


def _thin(state: State, rows: Sequence[Row], names: str) -> list[Caution]:
    """Return what clusters that hold much, or all, of what is known do to intervals."""
    found: list[Caution] = []
    assert state.robust is not None
    errors = state.reported
    none = [row.term for row, refused in zip(rows, errors.refused, strict=True) if refused]
    if none:
        found.append(caution(
            "SS209", f"{quoted(none)}: no interval, as each rests on single clusters ({names}), whose leans cannot be "
            "told from it", affects="their intervals, tests and ranks",
            fix="collect comparisons in more clusters, leave these items out, or use vcov='model' where clusters have "
            "no leans of their own",
        ))  # fmt: skip
    lent = {
        row.term: float(unit)
        for row, unit, refused in zip(rows, errors.unit, errors.refused, strict=True)
        if unit > BORROWED and not refused
    }
    if lent:
        most = max(lent, key=lambda term: lent[term])
        found.append(caution(
            "SS208", f"up to {percent(lent[most])} of the variance of {count(len(lent), 'coefficient')} (most: "
            f"{quoted([most])}) cannot be seen between clusters ({names}) and was taken from the others",
            affects="these intervals, which assume that clusters are alike",
            fix="quote differences (pairwise(), contrast()), or collect comparisons in more clusters",
        ))  # fmt: skip
    known = {row.term: row.df for row in rows if row.df is not None and row.df < FEW_DF}
    if known:
        least = min(known, key=lambda term: known[term])
        others = f" ({count(len(known), 'coefficient')} on fewer than {FEW_DF:g})" if len(known) > 1 else ""
        rests = f"{quoted([least])} rests on about {number(known[least], 1)} effective clusters{others}"
        found.append(few_clusters(f"{rests}; intervals with few degrees of freedom are longer"))
    largest = state.robust.largest_leverage
    if largest > DECISIVE and not none:
        found.append(caution(
            "SS210", f"one cluster ({names}) decides {percent(largest)} of what is known about something",
            affects="coefficients that rest on it", fix="see which coefficients have few degrees of freedom (df)",
        ))  # fmt: skip
    return found


def _ties(design: Comparisons, state: State) -> list[Caution]:
    if not design.n_ties:
        return []
    share = percent(design.n_ties / design.n_rows)
    if state.ties == "half":
        return [caution(
            "SS105", f"{share} of the comparisons are ties, each counted as half a win for both sides: strengths "
            "are shrunken towards each other", affects="every strength", fix="use ties='davidson'",
        )]  # fmt: skip
    name = {"davidson": "Davidson's", "rao_kupper": "Rao and Kupper's"}[state.ties]
    return [caution("SS109", f"{share} of the comparisons are ties, in {name} model")]


def _items(design: Comparisons, state: State) -> list[Caution]:
    found: list[Caution] = []
    if state.penalised:
        way = "Firth's penalty" if state.options.penalty else f"{state.options.prior:g} pseudo-wins an item"
        found.append(caution("SS102", f"{way} pulls the strengths together", affects="every strength"))
    few = [item for item, k in zip(design.items, times_compared(design), strict=True) if k < FEW_COMPARISONS]
    if few and state.data.n_items:
        found.append(caution(
            "SS103", f"{quoted(few)}: fewer than {FEW_COMPARISONS} comparisons each",
            affects="their strengths and intervals",
        ))  # fmt: skip
    return found
