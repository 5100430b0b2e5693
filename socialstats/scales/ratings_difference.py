"""Differences of two tables of ratings of the same units: means, shares of levels, alpha, distance from people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.inference.compare import with_resampled_t
from socialstats.inference.dependence import cluster_names, small_sample_caution
from socialstats.inference.rows import ANYWHERE
from socialstats.matching import Match, match_keys
from socialstats.registry import reads
from socialstats.resampling import PlanUnits, bootstrap_sums
from socialstats.results import Result, Row
from socialstats.scales.measures import (
    ALPHA,
    SHARES,
    Measure,
    alpha_measure,
    distance_measure,
    level_share_measure,
    mean_rating_measure,
    spread_over_units,
)
from socialstats.shares.sources import human_source, raters_of
from socialstats.text import count, quoted, shorten

FEW = 10


def measures(design: Ratings) -> dict[str, Measure]:
    """Return what can be said of a table of ratings: mean, shares of levels, alpha, distance from people's mode."""
    # people give the mode that the others are compared with; without people all raters are judged
    source = human_source(design)
    judged = design
    if source is not None:
        judged = design.of_raters(
            [rater for other in source.others for rater in raters_of(design, source, other)]
        )
    by_measure = [distance_measure(design, judged)] if source is not None else []
    makers = [mean_rating_measure, level_share_measure]
    if source is None:
        makers.append(alpha_measure)
    # labels have no mean, and single raters no alpha
    for make in makers:
        try:
            by_measure.append(make(judged))
        except SocialStatsError:
            continue
    where = match_keys(judged.units, design.units).places[1]
    return {
        m.name: spread_over_units(m, where, len(design.units)) for m in by_measure if m is not None
    }


def on_common_units(first_design: Ratings, second_design: Ratings, match: Match) -> list[Ratings]:
    """Return both designs on the units that both have; units are sorted, so they then stand in the same order.

    Raises
    ------
    NothingToAnalyse
        If no unit is common.
    InputError
        If units stand for several alike ones: such units cannot be matched. If one lies in different clusters.
    """
    if not match.keys:
        raise NothingToAnalyse("no unit was rated in both")
    if np.any(first_design.unit_count != 1) or np.any(second_design.unit_count != 1):
        raise InputError(
            "units that stand for several alike ones cannot be matched; give one row a rating"
        )
    others = {factor.name: factor for factor in second_design.clusters}
    for factor in first_design.clusters:
        other = others.get(factor.name)
        if other is None:
            continue
        labels = match.values(factor.labels(), other.labels())
        differing = np.flatnonzero(labels[0] != labels[1])
        if len(differing):
            unit, first, second = (
                shorten(str(values[differing[0]]), 40) for values in (match.keys, *labels)
            )
            raise InputError(
                f"unit '{unit}' lies in two clusters of '{shorten(factor.name)}', '{first}' and "
                f"'{second}': give different units different names"
            )
    return [
        design.take(np.isin(design.unit, places), note="units of both")
        for design, places in zip((first_design, second_design), match.places, strict=True)
    ]


@reads(Ratings, tables=2)
def ratings_difference(
    first: Ratings | TableLike,
    second: Ratings | TableLike,
    *,
    labels: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result:
    """Estimate the differences of two tables of ratings of the same units: first minus second.

    Rows of what both tables have: the mean rating, the share of each of at most 12 levels, Krippendorff's alpha. With a
    rater group that has a level called human, ADA-Met of the others replaces alpha. Units are matched by their labels.
    People's ratings, where they give the mode, are fixed.

    Parameters
    ----------
    first, second : Ratings, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    labels : pair of str
    level : float
    resamples, seed : int
        Of the bootstrap of the units (clusters) of both.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Groups ``"mean"``, ``"shares"``, ``"alpha"``, ``"distance"``: the difference -+ t s.e. with G - 1 degrees of
        freedom for G resampled units. The bootstrap's standard error is multiplied by sqrt(G / (G - 1)), by which it is
        too small (Davison & Hinkley 1997, section 2.3). Only units of both tables count.

    Raises
    ------
    NothingToAnalyse
        If no unit, or no number, is common.
    InputError
        If units stand for several alike ones: such units cannot be matched.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge University Press.
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> one = {"unit": [1, 2, 3, 4], "rater": ["a"] * 4, "value": [3, 4, 5, 5]}
    >>> two = {"unit": [1, 2, 3, 4], "rater": ["a"] * 4, "value": [2, 4, 3, 4]}
    >>> round(ratings_difference(one, two, scale="interval").row("mean rating").estimate, 3)
    1.0
    """
    match = match_keys(first.units, second.units)
    first_common, second_common = on_common_units(first, second, match)
    of_first, of_second = measures(first_common), measures(second_common)
    common = [
        (a, of_second[name])
        for name, a in of_first.items()
        if name in of_second and of_second[name].terms == a.terms
    ]
    # a difference needs units with the number in both tables
    defined_units = [a.defined & b.defined for a, b in common]
    parts = [
        m.statistics * defined[:, None]
        for pair, defined in zip(common, defined_units, strict=True)
        for m in pair
    ]
    if not parts:
        raise NothingToAnalyse("the two tables have no number in common")
    units = (
        PlanUnits.clusters(*(f.codes for f in first_common.clusters))
        if first_common.clusters
        else PlanUnits.rows(np.ones(len(first_common.units)))
    )
    finish, sizes = (
        partial(finish_of, common),
        np.array([max(a.size, b.size) for a, b in common for _ in a.terms]),
    )
    boot = bootstrap_sums(
        np.concatenate(parts, axis=1), finish, units, resamples=resamples, seed=seed, size=sizes
    )
    g = (
        min(len(f.levels) for f in first_common.clusters)
        if first_common.clusters
        else len(first_common.units)
    )
    terms = [
        (a.name, term, int(n.sum()))
        for (a, _), n in zip(common, defined_units, strict=True)
        for term in a.terms
    ]
    errors = boot.std_error
    rows = []
    for j, (kind, term, n) in enumerate(terms):
        limits = WITHIN.get(kind)
        row = Row(term=term, group=kind, role="difference", n_units=n, n_clusters=g, limits=limits)
        value, error = float(boot.estimate[j]), float(errors[j])
        rows.append(with_resampled_t(row, value, error, g, level, within=limits or ANYWHERE))
    lost = boot.caution("intervals of the differences")
    by = cluster_names(first_common.clusters) or "unit"
    cautions = (
        *match.cautions("unit", [quoted([label]) for label in labels], "every row"),
        *small_sample_caution(
            g,
            FEW,
            f"{count(g)} of {shorten(by, 40)}: a bootstrap of so few knows little about their spread",
            affects="intervals and tests of differences",
            fix="compare on more units",
        ),
        *(() if lost is None else (lost,)),
    )
    extras = {
        "parts": (first, second),
        "people": (human_source(first_common), human_source(second_common)),
        "matched": match.text("unit", [quoted([label]) for label in labels]),
    }
    return Result(
        metric="krippendorff_alpha",
        title=f"Differences between two tables of ratings: {labels[0]} minus {labels[1]}",
        rows=tuple(rows),
        inference=f"{count(resamples, 'bootstrap resample')} by {by}, the same for both; t with "
        f"{g - 1} df",
        counts={"units": len(first_common.units), "clusters": g},
        settings={"labels": labels},
        cautions=cautions,
        references=("davisonhinkley1997", "krippendorff2019"),
        design=(first_common, second_common),
        words=f"Differences on the same units: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras=extras,
        check="socialstats.crosscheck.ratings_difference:checks_of",
    )


def finish_of(pairs: Sequence[tuple[Measure, Measure]], sums: FloatArray) -> FloatArray:
    """(B, k) sums of every measure of both tables, one after the other -> (B, m) differences."""
    out, start = [], 0
    for a, b in pairs:
        split, end = (
            start + a.statistics.shape[1],
            start + a.statistics.shape[1] + b.statistics.shape[1],
        )
        with np.errstate(invalid="ignore"):  # sums beyond the range of floats: no difference
            out.append(a.finish(sums[:, start:split]) - b.finish(sums[:, split:end]))
        start = end
    return np.concatenate(out, axis=1)


LIMITS = {SHARES: (0.0, 1.0), ALPHA: (-math.inf, 1.0)}  # what the numbers can be
WITHIN = {SHARES: (-1.0, 1.0), ALPHA: (-2.0, 2.0)}  # what differences can be


def values_of(design: Ratings) -> Mapping[str, Mapping[str, float]]:
    """Return every number of one table, by measure and term."""
    values = {}
    for name, m in measures(design).items():
        estimates = m.finish(m.statistics.sum(axis=0)[None, :])[0]
        values[name] = dict(zip(m.terms, (float(x) for x in estimates), strict=True))
    return values


def rows_of_levels(values: Mapping[str, Mapping[str, Mapping[str, float]]], kind: str) -> list[Row]:
    """Return the numbers of one measure of several tables (`values_of` of each, by name) as rows."""
    return [
        Row(
            term=term,
            key=(("level", name), ("number", term)),
            estimate=value,
            limits=LIMITS.get(kind),
        )
        for name, by_measure in values.items()
        for term, value in by_measure.get(kind, {}).items()
    ]
