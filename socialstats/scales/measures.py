"""Numbers of tables of ratings as functions of sums over units: mean, shares, alpha, distance from people's mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from socialstats.agreement.krippendorff_alpha import alpha_sums
from socialstats.agreement.rating_counts import rating_counts
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.matching import match_keys
from socialstats.scales.modes import mode_distances
from socialstats.shares.sources import human_source, raters_of

MOST_LEVELS = 12  # shares and alpha of more levels are left out: they are numbers
MEAN, SHARES, ALPHA, DISTANCE = "mean", "shares", "alpha", "distance"


def unit_shares(design: Ratings) -> FloatArray:
    """(units, levels) shares of a unit's ratings, means of probabilities where these are read; 0 where it has none."""
    n = len(design.units)
    columns = [np.bincount(design.unit, column, n) for column in design.read_as().T]
    counts = np.array(columns).reshape(-1, n).T
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


def has_rating(design: Ratings) -> BoolArray:
    """(units,) bool array: units with a rating."""
    return np.asarray(design.level_counts().sum(axis=1) > 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingParts:
    """What ratings of people who are a sample add to sums over units.

    Attributes
    ----------
    unit : (ratings,) int64 array
    rater : tuple of str
        The label of the rater of each.
    sums : (ratings, k) float64 array
    """

    unit: IntArray
    rater: tuple[str, ...]
    sums: FloatArray

    def at(self, units: IntArray) -> RatingParts:
        """Return those of some units, which are numbered by their place among these."""
        n_units = int(max(self.unit.max(initial=-1), units.max(initial=-1))) + 1
        new_index = np.full(n_units, -1, dtype=np.int64)
        new_index[units] = np.arange(len(units))
        kept = np.flatnonzero(new_index[self.unit] >= 0)
        return RatingParts(
            unit=new_index[self.unit[kept]],
            rater=tuple(self.rater[k] for k in kept.tolist()),
            sums=self.sums[kept],
        )


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
    defined : (units,) bool array
        Units that say something about it.
    finish : callable
        (B, k) sums -> (B, m) numbers.
    size : float
        Largest size of the values that it is made from; 1 for numbers without a unit.
    ratings : RatingParts or None
        What each rating of a person adds to the sums.
    """

    name: str
    terms: tuple[str, ...]
    statistics: FloatArray
    defined: BoolArray
    finish: Callable[[FloatArray], FloatArray]
    size: float = 1.0
    ratings: RatingParts | None = None


def ratio_of_sums(sums: FloatArray) -> FloatArray:
    """(B, k + 1) sums -> the first k over the last."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, :-1] / sums[:, -1:])


def spread_over_units(measure: Measure, where: IntArray, size: int) -> Measure:
    """Return a measure over `size` units, its own at the places `where`; the others add nothing."""
    table, defined = np.zeros((size, measure.statistics.shape[1])), np.zeros(size, dtype=bool)
    table[where], defined[where] = measure.statistics, measure.defined
    return replace(measure, statistics=table, defined=defined)


def mean_over_units(
    name: str, terms: tuple[str, ...], values: FloatArray, defined: BoolArray, size: float = 1.0
) -> Measure:
    """Return the mean over units of (units, m) values."""
    # values of the units and, last, whether they have one: sums over units give the mean
    table = np.column_stack([np.where(defined[:, None], values, 0.0), defined.astype(np.float64)])
    return Measure(
        name=name, terms=terms, statistics=table, defined=defined, finish=ratio_of_sums, size=size
    )


def mean_rating_measure(design: Ratings, drawn: BoolArray | None = None) -> Measure | None:
    """Return the mean over units of a unit's mean rating; None for levels that are no numbers.

    `drawn` are the raters who are a sample, whose ratings have parts of their own.
    """
    if not design.numeric or design.scale == "nominal":
        return None
    values = (unit_shares(design) @ design.scores)[:, None]
    measure = mean_over_units(
        MEAN, ("mean rating",), values, has_rating(design), float(np.abs(design.scores).max())
    )
    if drawn is None or not drawn.any():
        return measure
    ok = design.status == OK
    rows = np.flatnonzero(ok & drawn[design.rater])
    # a rating adds score / m and 1 / m to the sums of its unit, of m ratings
    weight = 1 / np.bincount(design.unit[ok], minlength=len(design.units))[design.unit[rows]]
    sums = np.column_stack([(design.read_as()[rows] @ design.scores) * weight, weight])
    raters = tuple(design.raters[r] for r in design.rater[rows].tolist())
    return replace(measure, ratings=RatingParts(unit=design.unit[rows], rater=raters, sums=sums))


def level_share_measure(design: Ratings) -> Measure | None:
    """Return the mean over units of the share of a unit's ratings that each level has."""
    if not 0 < len(design.levels) <= MOST_LEVELS:
        return None
    terms = tuple(f"share of {level}" for level in design.levels)
    return mean_over_units(SHARES, terms, unit_shares(design), has_rating(design))


def alpha_measure(design: Ratings) -> Measure | None:
    """Return Krippendorff's alpha at the design's scale, of units with two ratings or more."""
    counts = rating_counts(design)
    counts = counts.keep(counts.size > 1)
    if not len(counts.size) or (len(design.levels) > MOST_LEVELS and design.scale != "interval"):
        return None
    sums = alpha_sums(counts, design.scale)
    measure = Measure(
        name=ALPHA,
        terms=(f"alpha ({design.scale})",),
        statistics=sums.statistics.toarray(),
        defined=np.ones(len(counts.index), dtype=bool),
        finish=sums.alpha,
    )
    return spread_over_units(measure, counts.index, len(design.units))


def distance_measure(design: Ratings, judged: Ratings) -> Measure | None:
    """Return ADA-Met: mean distance of the answers from the people's mode; a refusal has the width of the scale."""
    source = human_source(design)
    if source is None or design.scale == "nominal":
        return None
    people = design.of_raters(raters_of(design, source, source.human))
    counts = np.zeros((len(judged.units), len(design.levels)))
    place, place_of_people = match_keys(judged.units, people.units).places
    counts[place] = people.level_counts()[place_of_people]
    # (units, levels + 1) distances from the people's mode; the last column is a refusal
    distances, has_mode = mode_distances(counts, design.scores, "mean", "max")
    is_answer = (judged.status == OK) | (judged.status == REFUSAL)
    unit = judged.unit[is_answer]
    n = np.bincount(unit, minlength=len(judged.units))
    distance = (distances[unit] * judged.read_as(refusals=True)[is_answer]).sum(axis=1)
    total = np.bincount(unit, distance, len(judged.units))
    return mean_over_units(
        DISTANCE,
        ("ADA-Met",),
        (total / np.maximum(n, 1))[:, None],
        np.asarray(has_mode & (n > 0)),
        float(np.abs(design.scores).max()),
    )
