"""Differences of the numbers of two models: on the units of both, or of samples that share none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray, size_unit
from socialstats.inference.clustered_mean import sums_by_cluster
from socialstats.inference.compare import with_welch
from socialstats.inference.influence import influence_df
from socialstats.inference.means import (
    DrawnRaters,
    MeanErrors,
    dense_codes,
    gap_errors,
    mean_errors,
    with_drawn,
)
from socialstats.inference.rows import with_ends, with_t
from socialstats.matching import match_keys, shared_codes
from socialstats.paired.size_differences import MeanSizes, SizeDifference
from socialstats.results import Row
from socialstats.results.rows import Reason, distinct_cautions
from socialstats.rounding import AGAIN
from socialstats.scales.model_numbers import ModelNumber, PairDifferences
from socialstats.shares.counts import ONE_PERSON
from socialstats.text import shorten

DIFFERENCE = "difference"
NO_SHARED_UNIT = "no unit has answers of both"
SINGLE_CLUSTER = "a single cluster holds all units of both: no standard error, no test"
MOVED = "a unit of both lies in different clusters: give different units different names"
NO_SIZES = "a bias B has no standard error on the units of both: no interval and no test of sizes"
SIZES = "inverted tests of both sizes, combined"
CHANGED = "leaving out one unit makes the number undefined: no standard error, no test"
# all units shared; some; neither units nor clusters; clusters only
Way = Literal["units", "part", "apart", "clusters"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelDifference:
    """Two models on the units of both.

    Attributes
    ----------
    estimate : float
    influence : (units,) float64 array
        What each unit adds to the difference.
    codes : list of (units,) int64 arrays
        Clusters.
    size : float
        As of `ModelNumber`.
    drawn : tuple of DrawnRaters
        What people who are a sample add.
    complete : bool
        Whether both have these units alone.
    why : str
        Why there is no test.
    folded : bool
        As of `ModelNumber`, of one of both.
    sizes : SizeDifference or None
        Of `folded`.
    """

    estimate: float
    influence: FloatArray
    codes: list[IntArray]
    drawn: tuple[DrawnRaters, ...] = ()
    size: float = 1.0
    complete: bool = True
    why: str = ""
    folded: bool = False
    sizes: SizeDifference | None = None

    @property
    def unit(self) -> float:
        """The unit of the influence; see `size_unit`."""
        return size_unit(self.influence)

    def errors(self, *, linear: bool = True) -> MeanErrors:
        """Return the error of the difference, by what units (clusters) and people who are a sample add to it.

        It is in the unit of the influence. For numbers that are not means, the degrees of freedom over units are at
        most those of `influence_df`.
        """
        n = len(self.influence)
        unit = self.unit
        scores = (self.influence / unit)[:, None]
        shares = np.full((n, 1), 1 / max(n, 1))
        errors = mean_errors(scores, shares, self.codes, size=AGAIN * n * self.size / unit)
        if not linear and len(self.codes) < 2:
            code = self.codes[0] if self.codes else np.arange(n)
            sums = sums_by_cluster(np.unique(code, return_inverse=True)[1], self.influence / unit)
            most_df = influence_df(sums[:, None], np.ones(len(sums)))
            errors = replace(errors, df=np.minimum(errors.df, most_df))
        drawn = tuple(replace(group, scores=group.scores / unit) for group in self.drawn)
        return with_drawn(errors, drawn)


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchedModels:
    """All models, matched by the labels of their units."""

    numbers: tuple[ModelNumber, ...]
    influence_of_all: dict[int, tuple[float, FloatArray]] = field(default_factory=dict)
    all_sizes: dict[int, MeanSizes | None] = field(default_factory=dict)

    @cached_property
    def codes(self) -> list[list[IntArray]]:
        """Clusters of the units of each model, by codes that are the same for all models."""
        depth = max(len(number.clusters) for number in self.numbers)
        # a model without clusters has its units in their place, so that all have equally many factors
        labels = [
            [*number.clusters, *[number.units] * (depth - len(number.clusters))]
            for number in self.numbers
        ]
        joint = [shared_codes(*(clusters_of[k] for clusters_of in labels)) for k in range(depth)]
        return [[codes[j] for codes in joint] for j in range(len(self.numbers))]

    def influence(self, k: int) -> tuple[float, FloatArray]:
        """What each unit of a model adds to its number, computed once."""
        if k not in self.influence_of_all:
            self.influence_of_all[k] = self.numbers[k].influence(
                np.arange(len(self.numbers[k].units))
            )
        return self.influence_of_all[k]

    def difference(self, j: int, k: int) -> ModelDifference | None:
        """The difference of two models on the units of both; of all units of both, that of their own numbers."""
        first = self.numbers[j]
        second = self.numbers[k]
        # most models have the same units: what each adds is then computed once a model
        if first.units and first.units == second.units:
            complete = True
            places: tuple[IntArray, ...] = (np.arange(len(first.units)),) * 2
            a, influence_first = self.influence(j)
            b, influence_second = self.influence(k)
        else:
            match = match_keys(first.units, second.units)
            if not match.keys:
                return None
            complete = match.complete
            places = match.places
            (a, influence_first), (b, influence_second) = (
                n.influence(i) for n, i in zip((first, second), places, strict=True)
            )
        # on all units of both, also in another order, it is that of the numbers themselves
        return ModelDifference(
            estimate=first.value - second.value if complete else a - b,
            influence=influence_first - influence_second,
            size=max(first.size, second.size),
            complete=complete,
            drawn=self.drawn((j, k), places),
            codes=[code[places[0]] for code in self.codes[j]],
            why=self.moved(j, k, places),
            **self.sizes(j, k, places),
        )

    def sizes(self, j: int, k: int, at: Sequence[IntArray]) -> dict[str, Any]:
        """Return whether a size of two models folds, and then their difference in some units."""
        first = self.numbers[j]
        second = self.numbers[k]
        if not (first.folded or second.folded) or first.sizes is None or second.sizes is None:
            return {"folded": first.folded or second.folded}
        sizes_first, sizes_second = (
            self.sizes_of(m, places) for m, places in zip((j, k), at, strict=True)
        )
        if sizes_first is None or sizes_second is None:
            return {"folded": True}
        codes = [code[at[0]] for code in self.codes[j]]
        return {
            "folded": True,
            "sizes": SizeDifference.from_sizes(sizes_first, sizes_second, codes),
        }

    def sizes_of(self, k: int, at: IntArray) -> MeanSizes | None:
        """Return the values whose sizes a number averages, in some units; of all its units computed once."""
        sizes = self.numbers[k].sizes
        assert sizes is not None
        if len(at) < len(self.numbers[k].units):
            return sizes(at)
        if k not in self.all_sizes:
            self.all_sizes[k] = sizes(np.arange(len(at)))
        return self.all_sizes[k]

    def drawn(self, models: Sequence[int], at: Sequence[IntArray]) -> tuple[DrawnRaters, ...]:
        """Return what people who are a sample add to one number, or to a number less another, in some units.

        People are matched by their labels. Units are the same in both, by their places in `at`.
        """
        scores, shares, cluster, rater, side = [], [], [], list[str](), []
        # with people as a sample there is one cluster factor at most: people are the second
        codes = self.codes[models[0]]
        code = codes[0][at[0]] if codes else np.arange(len(at[0]))
        for k, (m, units) in enumerate(zip(models, at, strict=True)):
            if self.numbers[m].ratings is None:
                continue
            ratings, influence = self.numbers[m].rating_influence(units)
            if not len(influence):
                continue
            scores.append(influence * (1 - 2 * k))  # the second number is subtracted
            # (ratings,): ratings of one number count alike
            shares.append(np.full(len(influence), 1 / len(influence)))
            cluster.append(code[ratings.unit])
            rater += ratings.rater
            side.append(np.full(len(influence), k == 1))
        if not scores:
            return ()
        second = np.concatenate(side)
        has_two_sides = bool(second.any() and not second.all())
        rater_codes = np.unique(np.array(rater, dtype=object), return_inverse=True)[1]
        drawn = DrawnRaters(
            scores=np.concatenate(scores)[:, None],
            shares=np.concatenate(shares)[:, None],
            cluster=dense_codes(np.concatenate(cluster))[0],
            rater=dense_codes(rater_codes)[0],
            second=second if has_two_sides else None,
        )
        return (drawn,)

    def moved(self, j: int, k: int, at: Sequence[IntArray]) -> str:
        """State that a unit of two levels of pairs lies in different clusters, or return empty text."""
        if self.numbers[j].pairs is None:
            return ""
        agree = all(
            np.array_equal(a[at[0]], b[at[1]])
            for a, b in zip(self.codes[j], self.codes[k], strict=True)
        )
        return "" if agree else MOVED


def model_difference_row(
    first: Row,
    second: Row,
    difference: ModelDifference | None,
    reach: float,
    level: float,
    *,
    linear: bool,
) -> Row:
    """Return the row of the difference of two models: t, by what units (clusters) add to it.

    Sizes of values near 0 are not near normal: their interval and test are those of `SizeDifference`. For numbers that
    are not means, the degrees of freedom are at most those of `influence_df`, as few units may decide.
    """
    row = empty_difference(first, second)
    if difference is None:
        return replace(row, undefined=NO_SHARED_UNIT, reason="no_data")
    n = len(difference.influence)
    clusters = min((len(np.unique(code)) for code in difference.codes), default=None)
    row = replace(row, n=float(n), n_units=n, n_clusters=clusters)
    if difference.why:
        return replace(row, undefined=difference.why, reason="unidentified")
    # a unit that decides whether the number exists, or one model without it
    if np.isnan(difference.estimate):
        return replace(
            row, undefined=first.undefined or second.undefined or CHANGED, reason="no_data"
        )
    row = replace(row, estimate=difference.estimate)
    if difference.folded:
        if difference.sizes is None:
            return replace(row, undefined=NO_SIZES, reason="no_interval")
        # each of the two sizes lies between 0 and half of the largest difference
        low, high = difference.sizes.interval(level, most=reach / 2)
        return with_ends(
            row,
            low,
            high,
            level,
            within=(-reach / 2, reach / 2),
            hold=True,
            method=SIZES,
            p_value=difference.sizes.p_value(),
            interval="test_inversion",
        )
    if not np.isfinite(difference.influence).all():
        return replace(row, undefined=CHANGED, reason="no_interval")
    if any(group.raters < 2 for group in difference.drawn):
        return replace(row, undefined=ONE_PERSON, reason="unidentified")
    errors = difference.errors(linear=linear)
    if np.isnan(errors.variance[0]):
        return replace(row, undefined=SINGLE_CLUSTER, reason="one_cluster")
    method = "t of the difference on the units of both"
    method += ", over units and raters" if difference.drawn else ""
    error = float(errors.std_error[0]) * difference.unit
    return with_t(row, error, float(errors.df[0]), level, within=(-reach, reach), method=method)


def empty_difference(first: Row, second: Row) -> Row:
    """Return the row of a difference without its numbers."""
    return Row(
        term=f"{first.term} - {second.term}",
        group=DIFFERENCE,
        role="difference",
        cautions=distinct_cautions((first, second)),
        key=(("model", first.term), ("minus", second.term)),
    )


def row_without_shared_units(
    first: Row,
    second: Row,
    pairs: tuple[PairDifferences, PairDifferences],
    reach: float,
    level: float,
) -> tuple[Row, Way]:
    """Return the difference of two levels of pairs that share no unit, and whether they share clusters.

    Levels without a common cluster are independent: Welch's standard error and degrees of freedom, each variance with
    those of the level's own mean. Where clusters are in both, they are summed over both (`gap_errors`).
    """
    means = [side.mean for side in pairs]
    joint_factors = []  # for each factor the codes of both levels, equal where labels are equal
    for factors in zip(*(side.factors for side in pairs), strict=True):
        joint = shared_codes(*(factor.levels for factor in factors))
        joint_factors.append([c[factor.codes] for c, factor in zip(joint, factors, strict=True)])
    common = any(len(np.intersect1d(*codes)) for codes in joint_factors)
    row = replace(
        empty_difference(first, second),
        n=sum(mean.n for mean in means),
        n_units=int(sum(mean.n for mean in means)),
        estimate=means[0].mean - means[1].mean,
    )
    reasons = [
        f"{shorten(r.term, 40)}: {mean.undefined}"
        for r, mean in zip((first, second), means, strict=True)
        if mean.undefined
    ]
    way: Way = "clusters" if common else "apart"
    clusters = min((len(np.unique(np.concatenate(c))) for c in joint_factors), default=None)
    if reasons:
        reason: Reason = "no_variation"
        if any(mean.clusters and min(mean.clusters) < 2 for mean in means):
            reason = "one_cluster"
        elif min(mean.n for mean in means) < 2:
            reason = "one_unit"
        return replace(row, n_clusters=clusters, undefined="; ".join(reasons), reason=reason), way
    within = (-reach, reach)
    if not common:
        row_first, row_second = [
            replace(
                r,
                estimate=mean.mean,
                std_error=mean.std_error,
                n_units=int(mean.n),
                n_clusters=None,
            )
            for r, mean in zip((first, second), means, strict=True)
        ]
        dfs = (means[0].df, means[1].df)
        row = with_welch(row, row_first, row_second, level, within=within, dfs=dfs)
        return replace(row, n_clusters=clusters, method="Welch's t of two independent levels"), way
    samples = [side.sample([codes[k] for codes in joint_factors]) for k, side in enumerate(pairs)]
    error, df = gap_errors(*samples)
    method = "t of the difference, by the clusters of both levels"
    row = replace(row, n_clusters=clusters)
    return with_t(row, error, df, level, within=within, method=method), way
