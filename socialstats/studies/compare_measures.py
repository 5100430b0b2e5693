"""Numbers of two tables of ratings on the same units, and their differences resampled unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.inference.compare import with_resampled_t
from socialstats.inference.dependence import small_sample
from socialstats.inference.rows import ANYWHERE
from socialstats.models.agreement import alpha_sums, rating_counts
from socialstats.models.alignment import mode_distances
from socialstats.resampling import Units, bootstrap
from socialstats.results import Check, Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.sources import human_source, raters_of
from socialstats.text import count, quoted, shorten

MOST_LEVELS = 12  # shares and alpha of more levels are left out: they are numbers
FEW = 10
MEAN, SHARES, ALPHA, DISTANCE = "mean", "shares", "alpha", "distance"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measure:
    """A number of a table, from sums over units.

    Attributes
    ----------
    name : str
        Kind of number: mean, shares, alpha, distance.
    terms : tuple of str
        Names of the m numbers.
    statistics : (units, k) float64 array
    known : (units,) bool array
        Units that say something about it.
    finish : callable
        (B, k) sums -> (B, m) numbers.
    """

    name: str
    terms: tuple[str, ...]
    statistics: FloatArray
    known: BoolArray
    finish: Callable[[FloatArray], FloatArray]


class RatingsDifference(Result):
    """Differences between two tables of ratings; ``extras["parts"]`` holds both."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the differences with pandas and the krippendorff package."""
        from socialstats.crosscheck.ratings_difference import checks_of

        checks: Sequence[Check] = checks_of(self.rows, self.extras["parts"], self.extras["people"])
        return checks


def ratio(sums: FloatArray) -> FloatArray:
    """(B, k + 1) sums -> the first k over the last."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, :-1] / sums[:, -1:])


def measures(design: Ratings) -> dict[str, Measure]:
    """Return what can be said of a table of ratings: mean, shares of levels, alpha, distance from people's mode."""
    source = human_source(design)
    judged = design
    if source is not None:
        judged = design.of_raters([rater for other in source.others for rater in raters_of(design, source, other)])
    found = [distance(design, judged)] if source is not None else []
    makers = (mean_of, shares_of, alpha_of) if source is None else (mean_of, shares_of)
    for make in makers:
        try:
            found.append(make(judged))
        except SocialStatsError:
            continue
    place = {name: k for k, name in enumerate(design.units)}
    where = np.array([place[name] for name in judged.units], dtype=np.int64)
    return {m.name: spread(m, where, len(design.units)) for m in found if m is not None}


def spread(measure: Measure, where: IntArray, size: int) -> Measure:
    """Return a measure over all units of the design; units that it does not know add nothing."""
    if len(measure.known) == size:
        return measure
    table, known = np.zeros((size, measure.statistics.shape[1])), np.zeros(size, dtype=bool)
    table[where], known[where] = measure.statistics, measure.known
    return Measure(name=measure.name, terms=measure.terms, statistics=table, known=known, finish=measure.finish)


def of_units(name: str, terms: tuple[str, ...], values: FloatArray, known: BoolArray) -> Measure:
    """Return the mean over units of (units, m) values."""
    table = np.column_stack([np.where(known[:, None], values, 0.0), known.astype(np.float64)])
    return Measure(name=name, terms=terms, statistics=table, known=known, finish=ratio)


def mean_of(design: Ratings) -> Measure | None:
    """Return the mean over units of a unit's mean rating; None for levels that are no numbers."""
    if not design.numeric or design.scale == "nominal":
        return None
    return of_units(MEAN, ("mean rating",), (unit_shares(design) @ design.scores)[:, None], answered(design))


def shares_of(design: Ratings) -> Measure | None:
    """Return the mean over units of the share of a unit's ratings that each level has."""
    if len(design.levels) > MOST_LEVELS:
        return None
    terms = tuple(f"share of {level}" for level in design.levels)
    return of_units(SHARES, terms, unit_shares(design), answered(design))


def alpha_of(design: Ratings) -> Measure | None:
    """Return Krippendorff's alpha at the design's scale, of units with two ratings or more."""
    counts = rating_counts(design)
    counts = counts.keep(counts.size > 1)
    if not len(counts.size) or (len(design.levels) > MOST_LEVELS and design.scale != "interval"):
        return None
    sums = alpha_sums(counts, design.scale)
    table, known = np.zeros((len(design.units), sums.statistics.shape[1])), np.zeros(len(design.units), dtype=bool)
    table[counts.index], known[counts.index] = sums.statistics.toarray(), True
    return Measure(name=ALPHA, terms=(f"alpha ({design.scale})",), statistics=table, known=known, finish=sums.alpha)


def distance(design: Ratings, judged: Ratings) -> Measure | None:
    """Return ADA-Met: mean distance of the answers from the people's mode; a refusal has the width of the scale."""
    source = human_source(design)
    if source is None or design.scale == "nominal":
        return None
    people = design.of_raters(raters_of(design, source, source.human))
    counts = np.zeros((len(judged.units), len(design.levels)))
    place = {name: k for k, name in enumerate(judged.units)}
    given_levels = people.level_counts()
    for k, name in enumerate(people.units):
        if name in place:
            counts[place[name]] = given_levels[k]
    table, known = mode_distances(counts, design.scores, "mean", "max")
    given = (judged.status == OK) | (judged.status == REFUSAL)
    answer = np.where(judged.status == REFUSAL, len(design.levels), judged.value)[given]
    unit = judged.unit[given]
    n = np.bincount(unit, minlength=len(judged.units))
    total = np.bincount(unit, table[unit, answer], len(judged.units))
    return of_units(DISTANCE, ("ADA-Met",), (total / np.maximum(n, 1))[:, None], np.asarray(known & (n > 0)))


def unit_shares(design: Ratings) -> FloatArray:
    """(units, levels) shares of a unit's ratings; 0 where it has none."""
    counts = design.level_counts()
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


def answered(design: Ratings) -> BoolArray:
    """(units,) bool array: units with a rating."""
    return np.asarray(design.level_counts().sum(axis=1) > 0)


def on_common_units(one: Ratings, two: Ratings) -> tuple[Ratings, Ratings]:
    """Return both designs on the units that both have; units are sorted, so they then stand in the same order.

    Raises
    ------
    NothingToAnalyse
        If no unit is common.
    InputError
        If units stand for several alike ones: such units cannot be matched.
    """
    common = sorted(set(one.units) & set(two.units))
    if not common:
        raise NothingToAnalyse("no unit was rated in both")
    if np.any(one.unit_count != 1) or np.any(two.unit_count != 1):
        raise InputError("units that stand for several alike ones cannot be matched; give one row a rating")
    kept = set(common)
    first, second = (
        d.take(np.array([name in kept for name in d.units])[d.unit], note="units of both") for d in (one, two)
    )
    return first, second


def ratings_difference(one: Ratings, two: Ratings, labels: tuple[str, str], options: StudyOptions) -> Result:
    """Return first minus second of every measure that both have, by a bootstrap of the units (clusters) of both.

    The interval is the difference -+ t s.e., with the bootstrap's standard error times sqrt(G / (G - 1)) and G - 1
    degrees of freedom, G resampled units: a bootstrap of G units is too narrow by that factor (Davison & Hinkley, 1997,
    section 2.3). Units count where both tables know them. People's ratings, where they give the mode, are fixed.

    Raises
    ------
    NothingToAnalyse, InputError
        As `on_common_units`.
    """
    one, two = on_common_units(one, two)
    first, second = measures(one), measures(two)
    found = [(a, second[name]) for name, a in first.items() if name in second and second[name].terms == a.terms]
    both = [a.known & b.known for a, b in found]
    parts = [m.statistics * known[:, None] for pair, known in zip(found, both, strict=True) for m in pair]
    if not parts:
        raise NothingToAnalyse("the two tables have no number in common")
    units = Units.clusters(*(f.codes for f in one.clusters)) if one.clusters else Units.rows(np.ones(len(one.units)))
    finish = partial(finish_of, found)
    boot = bootstrap(np.concatenate(parts, axis=1), finish, units, resamples=options.resamples, seed=options.seed)
    g = min(len(f.levels) for f in one.clusters) if one.clusters else len(one.units)
    terms = [(a.name, term, int(n.sum())) for (a, _), n in zip(found, both, strict=True) for term in a.terms]
    flat, errors = boot.is_constant, boot.std_error
    rows = tuple(
        with_resampled_t(
            Row(term=term, group=kind, n_units=n, n_clusters=g), float(boot.estimate[j]),
            0.0 if flat[j] else float(errors[j]), g, options.level, within=(-1.0, 1.0) if kind == SHARES else ANYWHERE,
        )
        for j, (kind, term, n) in enumerate(terms)
    )  # fmt: skip
    lost = boot.caution("intervals of the differences")
    by = " x ".join(f.name for f in one.clusters) or "unit"
    return RatingsDifference(
        metric="krippendorff_alpha", title=f"Differences between two tables of ratings: {labels[0]} minus {labels[1]}",
        rows=rows, inference=f"{count(options.resamples, 'bootstrap resample')} by {by}, the same for both; t with "
        f"{g - 1} df", counts={"units": len(one.units), "clusters": g}, settings={"labels": labels},
        cautions=(*small_sample(
            g, FEW, f"{count(g)} of {shorten(by, 40)}: a bootstrap of so few knows little about their spread",
            affects="intervals and tests of differences", fix="compare on more units",
        ), *(() if lost is None else (lost,))),
        references=("davisonhinkley1997", "krippendorff2019"),
        design=(one, two), words=f"Differences on the same units: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras={"parts": (one, two), "people": human_source(one)},
    )  # fmt: skip


def finish_of(found: Sequence[tuple[Measure, Measure]], sums: FloatArray) -> FloatArray:
    """(B, k) sums of every measure of both tables, one after the other -> (B, m) differences."""
    out, at = [], 0
    for a, b in found:
        middle, end = at + a.statistics.shape[1], at + a.statistics.shape[1] + b.statistics.shape[1]
        out.append(a.finish(sums[:, at:middle]) - b.finish(sums[:, middle:end]))
        at = end
    return np.concatenate(out, axis=1)


def values_of(design: Ratings) -> Mapping[str, Mapping[str, float]]:
    """Return every number of one table, by measure and term."""
    found = {}
    for name, m in measures(design).items():
        made = m.finish(m.statistics.sum(axis=0)[None, :])[0]
        found[name] = dict(zip(m.terms, (float(x) for x in made), strict=True))
    return found
