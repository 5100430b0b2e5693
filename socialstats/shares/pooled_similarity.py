"""Similarity of the pooled shares of two sources: bias and errors by the jackknife, and a noncentral chi-square."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.inference.intervals import critical_values
from socialstats.inference.power import quadratic_intervals
from socialstats.paired.robust_tests import WaldTest
from socialstats.resampling import ChanceTest
from socialstats.shares.divergence import (
    RaterTable,
    jackknife_moments,
    jensen_shannon,
    quadratic_moments,
    with_raters,
)
from socialstats.shares.similarity import ComparedSources, JointTests, Similarities
from socialstats.shares.split_half import divergence_of_sides
from socialstats.shares.two_sources import PairTable, joint_share_test, swap_test


def pooled(sources: ComparedSources, settings: Mapping[str, Any]) -> Similarities:
    """Compare the pooled shares of two sources in each group of units."""
    cells, copies, codes = sources.cells, sources.copies, sources.codes
    counts = np.concatenate(sources.sides, axis=1) * copies[:, None]
    flat = cells.in_columns(counts)
    total = flat.sum(axis=0)
    finish = cells.by_group(divergence_of_sides)
    plain = finish(total[None, :])[0]
    every = np.ones((len(copies), 1), dtype=bool)
    if sources.independent_units(every)[0] < 2:
        return Similarities.alone(plain, np.full(len(plain), math.nan))
    entered = cells.units_in_groups(counts.sum(axis=1) > 0)
    moments = jackknife_moments(flat, finish, copies, codes, entered)
    raters = rater_table(sources, entered)
    if raters is not None:
        moments = with_raters(moments, total, finish, raters)
    bias = moments.bias
    if cells.labels:
        # the mean of the cells has the mean of their biases
        bias[-1] = bias[1:-1].mean()
    corrected = plain - bias
    table = flat.reshape(len(flat), cells.size, 2, -1)
    test = swaps(table, sources, settings) if raters is None else joint_tests(sources)
    if settings["ci"] != "noncentral":
        without = replace(Similarities.alone(plain, corrected), test=test)
        if raters is not None:
            without = replace(without, plain_df=moments.df)
        # a replicate has the bias twice: of the sample, and its own
        return without.resampled(flat, finish, sources, settings, shift=2 * bias, raters=raters)
    of_groups = [
        quadratic_moments(counts_of_group, copies, codes, raters_of_group)
        for counts_of_group, raters_of_group in tables_of_groups(table, raters, sources)
    ]
    mean, square = np.array(of_groups).T
    low, high = quadratic_intervals(plain, mean, square, settings["level"])
    error = moments.std_error
    reach = critical_values(settings["level"], moments.df) * error
    # the lower end alone says whether shares may be equal: a jackknife, of a statistic that is flat there, says yes
    low = np.where(np.isnan(low), corrected - reach, low)
    high = np.fmax(high, corrected + reach)
    return Similarities(
        plain=plain,
        corrected=corrected,
        test=test,
        low=1 - high,
        high=1 - low,
        error=error,
        why=tuple(sources.no_variation if flat else "" for flat in np.isnan(error).tolist()),
        plain_df=moments.df,
    )


def rater_table(sources: ComparedSources, entered: BoolArray) -> RaterTable | None:
    """Return the ratings of raters who are a sample as rows of the sums of both sources in all cells."""
    parts = []
    for side, people in sources.people:
        every = np.ones(len(sources.copies), dtype=bool)
        rows, weight, cluster = people.rows(sources.copies, sources.codes, every)
        unit = people.unit[rows]
        counts = people.counts[rows] * weight[:, None]
        # the columns of the first source stand before those of the second
        columns = [counts, np.zeros_like(counts)]
        if side:
            columns.reverse()
        cells = replace(sources.cells, codes=sources.cells.codes[unit])
        table = cells.in_columns(np.concatenate(columns, axis=1))
        parts.append((table, unit, cluster, people.rater[rows], entered[unit]))
    if not parts:
        return None
    table, row, cluster, rater, touched = (
        np.concatenate(side) for side in zip(*parts, strict=True)
    )
    return RaterTable(table=table, row=row, cluster=cluster, rater=rater, touched=touched)


def tables_of_groups(
    table: FloatArray, raters: RaterTable | None, sources: ComparedSources
) -> list[tuple[FloatArray, RaterTable | None]]:
    """Return the (units, k, 2, levels) counts of all units, of each cell and of all cells, with those of raters."""

    def by_group(counts: FloatArray) -> list[FloatArray]:
        if not sources.cells.labels:
            return [counts]
        of_all_units = counts.sum(axis=1, keepdims=True)
        return [of_all_units, *np.split(counts, sources.cells.size, axis=1), counts]

    groups = by_group(table)
    if raters is None:
        return [(counts, None) for counts in groups]
    rated = by_group(raters.table.reshape(-1, *table.shape[1:]))
    return [
        (counts, raters.of_counts(counts_of_raters))
        for counts, counts_of_raters in zip(groups, rated, strict=True)
    ]


def joint_tests(sources: ComparedSources) -> JointTests:
    """Test equal shares of all units and of each cell, with units and raters as crossed factors."""
    cells = sources.cells
    every = np.ones(len(sources.copies), dtype=bool)
    groups = [every, *(cells.codes == k for k in range(len(cells.labels)))]
    return JointTests(tests=tuple(joint_test(sources, inside) for inside in groups))


def joint_test(sources: ComparedSources, inside: BoolArray) -> WaldTest | str:
    """Test equal shares of some units, or say why that is not possible."""
    used = inside & ((sources.first + sources.second).sum(axis=1) > 0)
    pair = PairTable(
        first=sources.first[used],
        second=sources.second[used],
        copies=sources.copies[used],
        codes=tuple(code[used] for code in sources.codes),
    )
    totals = pair.totals.sum(axis=1)
    if np.any(totals <= 0):
        return "no ratings of both"
    drawn = []
    for side, people in sources.people:
        sign = 1.0 - 2.0 * side
        total = float(totals[side])
        drawn += people.drawn(sources.copies, sources.codes, used, total=total, sign=sign)
    return joint_share_test(pair, drawn)


def swaps(
    table: FloatArray, sources: ComparedSources, settings: Mapping[str, Any]
) -> ChanceTest | None:
    """Test equal shares of all units and of each cell by swapping the sources, (units, cells, 2, levels) counts."""
    groups = np.concatenate([table.sum(axis=1, keepdims=True), table], axis=1)
    totals = groups.sum(axis=(0, 3))
    shares = groups / np.where(totals > 0, totals, 1.0)[None, :, :, None]
    shape = (-1, groups.shape[1], groups.shape[3])

    def finish(first: FloatArray, second: FloatArray) -> FloatArray:
        return jensen_shannon(first.reshape(shape), second.reshape(shape))

    first, second = (shares[:, :, k].reshape(len(shares), -1) for k in range(2))
    return swap_test(
        first,
        second,
        finish,
        sources.copies,
        sources.codes,
        permutations=settings["permutations"],
        seed=settings["seed"],
    )
