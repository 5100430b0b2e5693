"""Errors over units and over people who are a sample, recomputed: sums by unit, by person and by both, written out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import Errors, cochran, intersections, one_factor, one_gap
from socialstats.crosscheck.row_arithmetic import label, relative, same_p
from socialstats.results import Check, Row

if TYPE_CHECKING:
    import pandas as pd

SUMS = "units and people as crossed factors, by sums written out"
STILL = 1e-20  # a variance that is rounding
CLEAR = 1e-10  # eigenvalues below this share of the largest are 0


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

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        values: Any,
        weight: Any,
        *,
        sign: float = 1.0,
        alone: bool = False,
    ) -> Part | None:
        """Return the part of the people in a table of ratings; `weight` is what each rating counts in the whole."""
        person = table["person"].to_numpy(dtype=bool)
        if not person.any():
            return None
        x, w = (
            np.asarray(values, dtype=np.float64)[person],
            np.asarray(weight, dtype=np.float64)[person],
        )
        own = table[person]
        e = sign * w[:, None] * (x - np.average(x, axis=0, weights=w))
        return cls(
            e=e,
            f=w / w.sum(),
            left=numbers(own["left"]),
            rater=numbers(own["rater"]),
            alone=alone and bool(person.all()),
        )

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

    def matrices(self) -> tuple[FloatArray, FloatArray]:
        """Covariances by person (CR2), and by cluster and person."""
        sides = (
            [np.ones(len(self.f), dtype=bool)]
            if self.second is None
            else [~self.second, self.second]
        )
        size = int(self.rater.max()) + 1
        u = np.zeros((size, self.e.shape[1]))
        for side in sides:
            f = np.bincount(self.rater[side], self.f[side], size)
            u += summed(self.e[side], self.rater[side], size) / np.sqrt(1 - f)[:, None]
        cells = summed(self.e, self.both, int(self.both.max()) + 1)
        return u.T @ u, cells.T @ cells


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


def joint_checks(
    row: Row, mean: Any, e: Any, f: Any, left: Any, parts: Sequence[Part | None]
) -> list[Check]:
    """Compare the F test that k means are 0: deviations (rows, k) and weights of units or clusters, and of people."""
    if row.p_value is None or row.statistic is None:
        return []
    from scipy import stats

    code = numbers(left)
    size = int(code.max()) + 1
    share = summed(np.asarray(f)[:, None], code, size)[:, 0]
    sums = summed(e, code, size) / np.sqrt(1 - share)[:, None]
    units = sums.T @ sums
    df_units = one_factor(np.zeros(size), share).df
    known = [part for part in parts if part is not None and not part.nested]
    if not known:
        return []
    both = [part.matrices() for part in known]
    people, overlap = (np.sum([pair[k] for pair in both], axis=0) for k in (0, 1))
    dfs = [min(part.errors(j).df for j in range(len(mean))) for part in known]
    df_people = cochran([float(np.trace(pair[0])) for pair in both], dfs)
    freedom = cochran([float(np.trace(units)), float(np.trace(people))], [df_units, df_people])
    statistic, q, down = smallest_f(
        np.asarray(mean, dtype=np.float64), units, people, overlap, freedom
    )
    p = float(stats.f.sf(statistic, q, down))
    checks = [
        relative(label(row, "F"), row.statistic, statistic, "scipy", SUMS, 1e-6, size=1e-6),
        same_p(label(row, "p"), row.p_value, p, "scipy", SUMS, 1e-6),
    ]
    return (
        checks
        if row.df is None
        else [*checks, relative(label(row, "df"), row.df, q, "numpy", SUMS)]
    )


def smallest_f(
    mean: FloatArray, units: FloatArray, people: FloatArray, overlap: FloatArray, freedom: float
) -> tuple[float, float, float]:
    """F, and its df: the smallest of V1 + V2 - V12 (V1 + V2 where that is not positive), V1 and V2, by pinvh."""
    from scipy.linalg import pinvh

    def rank(matrix: FloatArray) -> int:
        return int(
            np.linalg.matrix_rank(matrix, hermitian=True, tol=CLEAR * float(np.abs(matrix).max()))
        )

    full, plain = units + people, units + people - overlap
    q = rank(full)
    positive = (
        float(np.linalg.eigvalsh(plain).min()) >= -CLEAR * float(np.trace(plain))
        and rank(plain) == q
    )
    larger = max((plain, units, people), key=lambda v: float(np.trace(v)))
    lead = larger if q == 1 else plain if positive else full
    used = [lead, *(v for v in (units, people) if rank(v) == q)]
    wald = min(float(mean @ pinvh(v, rtol=CLEAR) @ mean) for v in used)
    down = freedom - q + 1
    return down / (freedom * q) * wald, float(q), down if down > 0 else math.nan
