"""Errors over units and over people who are a sample, recomputed: sums by unit, by person and by both, written out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import Errors, cochran, intersections, one_factor

STILL = 1e-20  # a variance that is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsOfPeople:
    """What the ratings of people who are a sample add to a statistic.

    Attributes
    ----------
    e, f : (ratings,) float64 arrays
        Deviations, with the sum 0, and weights, with the sum 1.
    unit, person : (ratings,) int64 arrays
        Cluster (or unit), and who gave the rating.
    alone : bool
        Nobody else has part in the statistic.
    """

    e: FloatArray
    f: FloatArray
    unit: IntArray
    person: IntArray
    alone: bool

    @property
    def pair(self) -> Any:
        """Number of the cluster and person of each rating."""
        return intersections(self.unit, self.person)

    @property
    def nested(self) -> bool:
        """Whether each person rated in one cluster."""
        return len(set(self.pair.tolist())) == len(set(self.person.tolist()))

    @property
    def has_one_person_a_unit(self) -> bool:
        """Whether one person rated each cluster."""
        return len(set(self.pair.tolist())) == len(set(self.unit.tolist()))

    def errors(self) -> Errors:
        """Return the errors by person."""
        e = np.bincount(self.person, self.e)
        f = np.bincount(self.person, self.f)
        return one_factor(e.astype(np.float64), f.astype(np.float64))


def numbers(labels: Any) -> Any:
    """Return labels as numbers from 0."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].ravel()


def joined_errors(units: Errors, ratings: RatingsOfPeople | None) -> Errors:
    """Return V1 + V2 - V12, not below V1 and V2, with Cochran's df of V1 and V2."""
    # people who rated in one cluster each add nothing to the variance of clusters
    if ratings is None or ratings.nested or not units.known:
        return units
    people = ratings.errors()
    if not people.known:
        return people
    if ratings.alone and ratings.has_one_person_a_unit:
        # people are then the coarser factor
        return replace(people, largest=units.largest)
    overlap = float((np.bincount(ratings.pair, ratings.e) ** 2).sum())
    plain = units.variance + people.variance - overlap
    # influences by differences leave a rounding of some 1e-11 where nobody differs
    if units.variance + people.variance <= STILL:
        df = min(units.df, people.df)
    else:
        df = cochran([units.variance, people.variance], [units.df, people.df])
    return Errors(
        variance=max(units.variance, people.variance, plain),
        plain=plain,
        largest=units.largest,
        df=df,
        effective=min(units.effective, people.effective),
    )
