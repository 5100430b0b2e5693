"""What results of the coefficients of agreement say besides their rows: inference, cautions, counts, sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    rare_level_cautions,
    small_sample,
)
from socialstats.inference.how import NAMES
from socialstats.models.rating_counts import RatingCounts
from socialstats.models.reliability import AgreementOptions, Group
from socialstats.results import Row
from socialstats.text import count, interval, listing, number, p_value, shorten

SMALL = 50


def inference_text(design: Ratings, options: AgreementOptions) -> str:
    """Say how the intervals were obtained."""
    factors = cluster_factors(design, options.cluster)
    over = cluster_text(factors, "units")
    if options.ci == "closed":
        made = (
            "Fisher z intervals with standard errors by" if factors else "t intervals with linearised standard errors;"
        )
        return f"{made} {over}"
    return f"{NAMES[options.ci]} bootstrap intervals, {count(options.resamples)} resamples, seed {options.seed}; {over}"


def agreement_cautions(
    design: Ratings, groups: Sequence[Group], rows: Sequence[Row], options: AgreementOptions, largest: float
) -> tuple[Caution, ...]:
    """Cautions on clusters, small samples, constant ratings, and missing ratings."""
    factors: tuple[Factor, ...] = cluster_factors(design, options.cluster)
    found = list(cluster_cautions(design, factors, df=[r.df for r in rows if r.conf_low is not None], largest=largest))
    units = groups[0].n_paired
    if not factors:
        fix = f"rate {SMALL} units or more, or read the interval as approximate"
        found += small_sample(units, SMALL, f"{count(units, 'unit')} with two or more ratings", fix=fix)
    counts = groups[0].counts
    carriers = np.bincount(counts.level, counts.copies[counts.unit], len(counts.levels))
    found += rare_level_cautions(carriers.astype(np.float64), counts.n_units, groups[0].n_clusters)
    still = [row for row in rows if row.undefined and row.undefined.startswith("no variation")]
    if still:
        where = ", ".join(shorten(row.group) for row in still[:5] if row.group) or "all units"
        found.append(caution("SS313", f"every rating is the same in {where}", affects="the coefficient there",
                             fix="take units that differ: a reliability needs something to tell apart"))  # fmt: skip
    return (*found, *missing_cautions(design, groups[0], options))


def missing_cautions(design: Ratings, group: Group, options: AgreementOptions) -> tuple[Caution, ...]:
    """Caution SS315: refusals, missing ratings, and units with fewer than two ratings."""
    copies = design.unit_count[design.unit]
    refused = int(copies[design.status == REFUSAL].sum())
    rated = int(copies[design.status == OK].sum())
    cells = int(design.unit_count.sum()) * len(design.raters)
    unparsed = int(copies[design.status == MISSING].sum())
    alone = int(design.unit_count.sum()) - group.n_paired
    said = []
    if refused:
        as_what = "counted as a level" if options.refusal == "level" else "counted as missing"
        said.append(f"{count(refused, 'refusal')} {as_what}")
    if cells > rated + refused and design.raters_known and not spread_evenly(design):
        said.append(f"{count(cells - rated - refused)} of {count(cells)} ratings missing or not asked for")
    if unparsed and design.raters_known and unparsed < cells - rated - refused:
        said.append(f"{count(unparsed)} of them written as missing")
    if alone:
        said.append(f"{count(alone, 'unit')} with fewer than two ratings")
    if not said:
        return ()
    return (caution("SS315", "; ".join(said), affects="which ratings enter; units must be missing at random"),)


def spread_evenly(design: Ratings) -> bool:
    """Tell whether ratings were shared out: every unit has as many as any other, with none refused or missing.

    Where people rate a part of the units each, most cells of the table of units by raters are empty by design; nothing
    is missing then.
    """
    rated = np.bincount(design.unit, minlength=len(design.units))
    return bool(np.all(design.status == OK) and len(rated) > 0 and rated.min() == rated.max())


def reliability_counts(design: Ratings, counts: RatingCounts) -> dict[str, int]:
    """Number of units, raters (where they are known) and ratings of a result."""
    raters = {"raters": len(design.raters)} if design.raters_known else {}
    return {"units": counts.n_units, **raters, "ratings": counts.n_ratings}


def reliability_sentence(result: Any, name: str) -> str:
    """Say the coefficient of all units with its interval and what it was computed from.

    Parameters
    ----------
    result : Result
        With counts of units, raters (where known) and ratings, and the coefficient of all units as its first row.
    name : str
        Of the coefficient, in words.
    """
    row, n = result.rows[0], result.counts
    known = [count(n[f"{what}s"], what) for what in ("unit", "rater", "rating") if f"{what}s" in n]
    of = listing(known)
    start = f"{name} of {of}"
    if row.estimate is None:
        return f"{start} does not exist: {row.undefined}."
    value = f"{start} was {number(row.estimate, 3, bounded=True)}"
    if row.conf_low is None:
        return f"{value}, without an interval: {row.undefined}."
    ends = interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)
    over = f", over {count(row.n_clusters, 'cluster')}" if row.n_clusters else ""
    if row.statistic is None:
        return f"{value}, {ends} ({row.method}{over})."
    test = f"t({number(row.df, 0)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    return f"{value}, {ends}; against 0, {test}{over}."


def reliability_rows(result: Any, term: str) -> list[Row]:
    """Rows of the coefficient `term` for a figure, named by their group."""
    return [replace(row, term=row.group or "all units", group=None) for row in result.rows if row.term == term]
