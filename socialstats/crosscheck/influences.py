"""Derivatives of plain definitions by the weights of clusters, or of cells of independent units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.crosscheck.clusters import SMOOTH
from socialstats.crosscheck.contributions import Contributions
from socialstats.designs.parts import Factor
from socialstats.results.definitions import PlainSample, RowKey

EPSILON = float(np.finfo(np.float64).eps)
STEP = 1e-4  # relative step of a central difference, whose error is of the order of its square
MOST_GROUPS = 2_000  # clusters, or cells of independent units, whose weight is varied one by one
MANY_NUMBERS = 200_000_000  # groups times cells of a sample whose weights are varied one by one


class Influences:
    """What clusters, or cells of independent units, add to the estimates of a sample.

    Parameters
    ----------
    sample : PlainSample
    estimates : mapping of RowKey to float
        Its estimates.
    """

    def __init__(self, sample: PlainSample, estimates: Mapping[RowKey, float]) -> None:
        self.sample, self.estimates = sample, estimates
        self._derivatives: dict[tuple[str, ...], tuple[IntArray, FloatArray, FloatArray] | str] = {}

    @property
    def rounding(self) -> float:
        """Rounding of a difference quotient of values of the sample's size, as a share of `SMOOTH`."""
        return 10 * EPSILON * self.sample.size / (STEP * SMOOTH)

    def contributions(self, key: RowKey, factors: Sequence[Factor]) -> Contributions | str:
        """Return the contributions of clusters, or of cells of independent units; or why there are none.

        There are none for more than `MOST_GROUPS` clusters, and where one cluster holds all units.
        """
        if self.sample.no_errors:
            return self.sample.no_errors
        names = tuple(factor.name for factor in factors)
        if names not in self._derivatives:
            self._derivatives[names] = self.derivatives(factors)
        derivatives = self._derivatives[names]
        if isinstance(derivatives, str):
            return derivatives
        group, groups, by_key = derivatives
        count = self.sample.count
        weighed = count * self.sample.counted.get(key, 1.0)
        units = np.bincount(group, count, len(groups)).astype(np.float64)
        weight = np.bincount(group, weighed, len(groups)).astype(np.float64)
        # groups that the denominator does not count say nothing of the estimate, nor of which factors are nested
        entering = np.flatnonzero(weight)
        codes = groups[entering][:, : len(factors)].astype(np.int64)
        if factors and min(len(np.unique(code)) for code in codes.T) < 2:
            return "one cluster holds all units"
        people, people_weight, strata, second = None, None, None, None
        # columns of `groups` after those of the factors: `derivatives`
        if self.sample.people is not None:
            people = groups[entering, len(factors)].astype(np.int64)
        if self.sample.people_weight is not None:
            of_people = np.bincount(group, count * self.sample.people_weight, len(groups))
            people_weight = of_people[entering].astype(np.float64)
        if self.sample.strata is not None:
            strata = groups[entering, len(factors) + (people is not None)].astype(np.int64)
        if self.sample.second is not None:
            # groups are of one side
            second = np.bincount(group, self.sample.second, len(groups))[entering] > 0
        # some errors are those of a linear form of the estimate
        linear = self.sample.linear.get(key, key)
        influence = by_key[:, list(self.estimates).index(linear)]
        return Contributions(
            influence=influence[entering],
            units=units[entering],
            weight=weight[entering],
            codes=codes,
            people=people,
            people_weight=people_weight,
            strata=strata,
            second=second,
            independent_units=self.sample.independent_units,
            mean_squares=self.sample.mean_squares,
        )

    def derivatives(
        self, factors: Sequence[Factor]
    ) -> tuple[IntArray, FloatArray, FloatArray] | str:
        """Return what groups of cells that are alike in clusters and people add to all estimates.

        Returns
        -------
        tuple of (cells,), (groups, columns) and (groups, estimates) arrays, or str
            The group of each cell; its clusters, person and values; and the derivatives; or why there are none.
        """
        sample, count = self.sample, self.sample.count
        columns: list[Any] = [factor.codes for factor in factors]
        if sample.people is not None:
            columns.append(sample.people.codes)
        if sample.strata is not None:
            columns.append(sample.strata)
        cells = np.arange(len(count)) if sample.alike is None else sample.alike
        # without clusters each cell is a group, and groups are of one side of a difference
        if not factors or sample.second is not None:
            columns.append(cells)
        groups, _, group = unique_rows(np.column_stack(columns))
        kinds, _, kind = unique_rows(np.column_stack([cells]))
        # the plain definition is called as rarely as possible
        if len(groups) <= len(kinds):
            by_group = self.differences(group, len(groups))
            return by_group if isinstance(by_group, str) else (group, groups, by_group)
        by_kind = self.differences(kind, len(kinds))
        if isinstance(by_kind, str):
            return by_kind
        # alike units add the same to an estimate, in whichever cluster they are
        part = count / np.bincount(kind, count)[kind]
        by_group = np.zeros((len(groups), by_kind.shape[1]))
        np.add.at(by_group, group, part[:, None] * by_kind[kind])
        return group, groups, by_group

    def differences(self, group: IntArray, n_groups: int) -> FloatArray | str:
        """Return central differences of all estimates by the relative weight of each group, (groups, estimates)."""
        count, keys = self.sample.count, list(self.estimates)
        if n_groups > MOST_GROUPS:
            return f"more than {MOST_GROUPS:,} clusters, whose weights are not varied one by one"
        if n_groups * len(count) * self.sample.cost > MANY_NUMBERS:
            return "so many cells and levels, whose weights are not varied one by one"
        by_group = np.zeros((n_groups, len(keys)))
        with np.errstate(all="ignore"):
            for k in range(n_groups):
                move = STEP * (group == k)
                above = self.sample.plain(count * (1 + move))
                below = self.sample.plain(count * (1 - move))
                by_group[k] = [(above[key] - below[key]) / (2 * STEP) for key in keys]
        # what rounding leaves of a difference quotient is no influence
        sizes = np.array([max(abs(self.estimates[key]), self.sample.size, 1.0) for key in keys])
        by_group[np.abs(by_group) <= 10 * EPSILON * sizes / STEP] = 0.0
        return by_group
