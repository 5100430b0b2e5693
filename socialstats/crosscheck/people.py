"""Errors over units and over people who are a sample, recomputed: sums by unit, by person and by both, written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
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
        sums = summed(
            np.column_stack([self.e[:, j], self.f]), self.rater, int(self.rater.max()) + 1
        )
        return one_factor(sums[:, 0], sums[:, 1])


def numbers(labels: Any) -> Any:
    """Return labels as numbers from 0."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].ravel()


def summed(values: Any, code: Any, size: int) -> FloatArray:
    """Sum rows by code."""
    return np.column_stack([np.bincount(code, column, size) for column in np.asarray(values).T])


def joined_errors(units: Errors, parts: Sequence[Part | None], j: int = 0) -> Errors:
    """Return V1 + V2 - V12, not below V1 and V2, with Cochran's df of V1 and V2, for one statistic."""
    known = [part for part in parts if part is not None and not part.nested]
    if not known or not units.known:
        return units
    people = [part.errors(j) for part in known]
    if not all(one.known for one in people):
        return next(one for one in people if not one.known)
    if (
        len(known) == 1
        and known[0].alone
        and len(set(known[0].both.tolist())) == len(set(known[0].left.tolist()))
    ):
        return replace(
            people[0], largest=units.largest
        )  # each unit has one person: people are the coarser factor
    variance = sum(one.variance for one in people)
    df = (
        people[0].df
        if len(people) == 1
        else variance**2 / sum(one.variance**2 / one.df for one in people)
    )
    overlap = sum(float((np.bincount(part.both, part.e[:, j]) ** 2).sum()) for part in known)
    plain = units.variance + variance - overlap
    # influences by differences leave a rounding of some 1e-11 where nobody differs
    still = units.variance + variance <= STILL
    return Errors(
        variance=max(units.variance, variance, plain),
        plain=plain,
        largest=units.largest,
        df=min(units.df, df) if still else cochran([units.variance, variance], [units.df, df]),
        effective=min(units.effective, *(one.effective for one in people)),
    )
