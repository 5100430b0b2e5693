"""Errors over units and over people who are a sample, recomputed: sums by unit, by person and by both, written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import Errors, cochran, intersections, one_factor, one_gap

STILL = 1e-20  # a variance that is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What people who are a sample add to k statistics.

    Attributes
    ----------
    e, f : (ratings, k) array, (ratings,) array
        Deviations, and weights; of a difference within people, weights sum to 1 on either side.
    left, rater : (ratings,) int arrays
        Cluster (or unit), and person.
    second : (ratings,) bool array or None
        Ratings on the side that is subtracted.
    alone : bool
        Nobody else has part in the statistics.
    """

    e: Any
    f: Any
    left: Any
    rater: Any
    second: Any = None
    alone: bool = False

    @property
    def both(self) -> Any:
        """Number of the cluster and person of each rating."""
        return intersections(self.left, self.rater)

    @property
    def nested(self) -> bool:
        """Whether each person rated in one cluster."""
        return len(set(self.both.tolist())) == len(set(self.rater.tolist()))

    def errors(self, j: int) -> Errors:
        """Errors of one statistic by person."""
        if self.second is not None:
            return one_gap(self.e[:, j], self.f, self.second, self.rater)
        e = np.bincount(self.rater, self.e[:, j])
        f = np.bincount(self.rater, self.f)
        return one_factor(e.astype(np.float64), f.astype(np.float64))


def numbers(labels: Any) -> Any:
    """Return labels as numbers from 0."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].ravel()


def joined_errors(units: Errors, parts: Sequence[Part | None], j: int = 0) -> Errors:
    """Return V1 + V2 - V12, not below V1 and V2, with Cochran's df of V1 and V2, for one statistic."""
    # people who rated in one cluster each add nothing to the variance of clusters
    crossed = [part for part in parts if part is not None and not part.nested]
    if not crossed or not units.known:
        return units
    people = [part.errors(j) for part in crossed]
    undefined = [errors for errors in people if not errors.known]
    if undefined:
        return undefined[0]
    if len(crossed) == 1 and crossed[0].alone and has_one_person_a_unit(crossed[0]):
        # people are then the coarser factor
        return replace(people[0], largest=units.largest)
    variance = sum(errors.variance for errors in people)
    df = people[0].df
    if len(people) > 1:
        df = variance**2 / sum(errors.variance**2 / errors.df for errors in people)
    overlap = 0.0
    for part in crossed:
        sums = np.bincount(part.both, part.e[:, j])
        overlap += float((sums**2).sum())
    plain = units.variance + variance - overlap
    # influences by differences leave a rounding of some 1e-11 where nobody differs
    if units.variance + variance <= STILL:
        df = min(units.df, df)
    else:
        df = cochran([units.variance, variance], [units.df, df])
    return Errors(
        variance=max(units.variance, variance, plain),
        plain=plain,
        largest=units.largest,
        df=df,
        effective=min(units.effective, *(errors.effective for errors in people)),
    )


def has_one_person_a_unit(part: Part) -> bool:
    """Return whether one person rated each cluster."""
    return len(set(part.both.tolist())) == len(set(part.left.tolist()))
