"""Comparisons of models from what each unit adds to their numbers, and ranks counted again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import AnyArray, FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.crosscheck.row_arithmetic import adjusted_p
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.results import Result, Row
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    key_of_row,
    sample_of_mean,
)
from socialstats.scales.model_numbers import RANK, ModelNumber

ROUNDED = 8  # digits to which numbers that share a rank agree


def sample_compared_models(result: Result) -> Iterator[PlainSample]:
    """Yield the numbers of the models, and the units of both models of each difference."""
    numbers: dict[str, ModelNumber] = {
        number.row.term: number for number in result.extras["numbers"]
    }
    levels = {
        model: PairsOfLevel.of(by_model)
        for model, by_model in result.extras["by_model"].items()
        if numbers[model].pairs is not None
    }
    yield sample_numbers(result, numbers, levels)
    for row in result.rows:
        if row.role != "difference" or row.estimate is None:
            continue
        models = str(row.label("model")), str(row.label("minus"))
        if levels:
            sample = sample_levels(row, levels[models[0]], levels[models[1]])
        else:
            sample = sample_shared_units(row, numbers[models[0]], numbers[models[1]])
        reach = result.extras["kind"].reach
        yield replace(sample, limits={key_of_row(row): (-reach, reach)})


def sample_numbers(
    result: Result, numbers: dict[str, ModelNumber], levels: dict[str, PairsOfLevel]
) -> PlainSample:
    """Return the number of each model: a mean of pairs, or its sums over units, cut at what is possible."""
    estimates: dict[RowKey, float] = {}
    for row in result.rows:
        if row.role != "estimate" or row.estimate is None:
            continue
        value = numbers[row.term].value
        if row.term in levels:
            value = levels[row.term].mean
        low, high = row.limits or (-math.inf, math.inf)
        estimates[key_of_row(row)] = min(max(value, low), high)
    return PlainSample(
        count=np.ones(1), plain=lambda _: estimates, no_errors="intervals are those of the metric"
    )


def sample_shared_units(row: Row, first: ModelNumber, second: ModelNumber) -> PlainSample:
    """Return the units of both models: the differences of their values, or the sums that numbers are functions of.

    Errors of means follow from the units. Those of other numbers leave units out one by one, and are the row's.
    """
    key = key_of_row(row)
    labels, of_first, of_second = np.intersect1d(
        np.array(first.units, dtype=object),
        np.array(second.units, dtype=object),
        return_indices=True,
    )
    complete = len(labels) == len(first.units) == len(second.units)
    sides = ((first, of_first), (second, of_second))
    values = [values_of_units(number, places) for number, places in sides]
    if values[0] is not None and values[1] is not None:
        clusters = [np.array(cluster, dtype=object)[of_first] for cluster in first.clusters]
        factors = [factor_of_labels(cluster) for cluster in clusters]
        sample = sample_of_mean(key, values[0] - values[1], np.ones(len(labels)), factors)
        size = max(first.size, second.size)
        return replace(sample, yes_or_no=False, unbiased=True, size=size)
    numbers = [
        number.value if complete else number_of_units(number, places) for number, places in sides
    ]
    estimates = {key: numbers[0] - numbers[1]}
    return PlainSample(count=np.ones(1), plain=lambda _: estimates, errors_of_rows=True)


def number_of_units(number: ModelNumber, places: AnyArray) -> float:
    """Return the number of a model in some units, by their sums."""
    sums = np.asarray(number.sums[places].sum(axis=0), dtype=np.float64)
    return float(number.finish(sums.reshape(1, -1))[0]) - number.bias


def values_of_units(number: ModelNumber, places: AnyArray) -> FloatArray | None:
    """Return the number of each unit alone, where that of a model is the mean of these; else None.

    The difference of two means of units has no value of a unit, and people who are a sample have errors beside units.
    """
    if not number.linear or number.ratings is not None:
        return None
    sums = number.sums[places]
    dense = sums if isinstance(sums, np.ndarray) else sums.toarray()
    with np.errstate(invalid="ignore", divide="ignore"):
        values: FloatArray = np.asarray(number.finish(dense), dtype=np.float64)
    mean = number_of_units(number, places)
    is_mean = np.isclose(values.mean(), mean, rtol=1e-9, atol=1e-9 * number.size)
    return values if is_mean else None


def factor_of_labels(labels: AnyArray) -> Factor:
    """Return labels as a factor."""
    levels, codes = np.unique(labels, return_inverse=True)
    return Factor(name="cluster", codes=codes.ravel(), levels=tuple(map(str, levels)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairsOfLevel:
    """The pairs of a level.

    Attributes
    ----------
    difference, count : (cells,) float64 arrays
    clusters : tuple of (cells,) arrays of labels
    units : (cells,) array of labels or None
        None where units have no names.
    """

    difference: FloatArray
    count: FloatArray
    clusters: tuple[AnyArray, ...]
    units: AnyArray | None

    @classmethod
    def of(cls, result: Result) -> PairsOfLevel:
        """Read the pairs of a level, by unit where units have names."""
        design: Paired = result.design
        cell, count, units = np.arange(len(design.count)), design.count, None
        if design.units is not None:
            cell = design.units.cell
            count = np.ones(len(cell))
            units = np.array(design.units.levels, dtype=object)[design.units.codes]
        clusters = tuple(
            factor.labels()[cell] for factor in design.factors(result.settings["cluster"])
        )
        difference = (design.first - design.second)[cell]
        return cls(difference=difference, count=count, clusters=clusters, units=units)

    @property
    def mean(self) -> float:
        """Of all pairs."""
        return float(np.average(self.difference, weights=self.count))


def sample_levels(row: Row, first: PairsOfLevel, second: PairsOfLevel) -> PlainSample:
    """Return the differences of units of both levels; without such units, the pairs of one level and of the other."""
    key = key_of_row(row)
    if first.units is not None and second.units is not None:
        labels, of_first, of_second = np.intersect1d(first.units, second.units, return_indices=True)
        if len(labels):
            values = first.difference[of_first] - second.difference[of_second]
            factors = [factor_of_labels(cluster[of_first]) for cluster in first.clusters]
            sample = sample_of_mean(key, values, np.ones(len(values)), factors)
            return replace(sample, yes_or_no=False, unbiased=True)
    values = np.concatenate([first.difference, second.difference])
    is_second = np.repeat([False, True], [len(first.difference), len(second.difference)])
    factors = [
        factor_of_labels(np.concatenate(sides))
        for sides in zip(first.clusters, second.clusters, strict=True)
    ]

    def difference(count: FloatArray) -> dict[RowKey, float]:
        means = [
            float(count[inside] @ values[inside] / count[inside].sum())
            for inside in (~is_second, is_second)
        ]
        return {key: means[0] - means[1]}

    return PlainSample(
        count=np.concatenate([first.count, second.count]),
        plain=difference,
        factors=tuple(factors),
        alike=np.column_stack([values, is_second]),
        second=is_second,
        unbiased=True,
        # matrices of each level have variances of their own
        errors_of_rows=bool(factors),
    )


def ask_for_ranks_of_models(result: Result) -> Iterator[PeerNumbers]:
    """Ranks of scipy, and their sets from statsmodels' adjusted p-values: the models found to be better and worse."""
    from scipy.stats import rankdata

    ranked = [row for row in result.rows if row.role == "estimate" and row.estimate is not None]
    if not result.extras["kind"].ranked or not ranked:
        return
    sign = -1.0 if result.settings["best"] == "highest" else 1.0
    estimates = np.array([row.estimate for row in ranked], dtype=np.float64)
    scaled = np.round(estimates / (np.abs(estimates).max() or 1.0), ROUNDED)
    ranks = rankdata(sign * scaled, method="min").astype(np.float64).tolist()
    apart = models_apart(result, sign)
    for row, rank in zip(ranked, ranks, strict=True):
        key = (RANK, row.term)
        yield PeerNumbers(package="scipy", row=key, numbers={"estimate": rank})
        ends = math.nan, math.nan
        if apart is not None:
            n_better, n_worse = (float(models.count(row.term)) for models in apart)
            ends = min(1.0 + n_better, rank), max(len(ranked) - n_worse, rank)
        yield PeerNumbers(package="statsmodels", row=key, ends=ends)


def models_apart(result: Result, sign: float) -> tuple[list[str], list[str]] | None:
    """Return the models that some model is better than, and those that it is worse than, once for each difference.

    None where statsmodels is not installed.
    """
    tests = [row for row in result.rows if row.role == "difference" and row.p_value is not None]
    beaten: list[str] = []
    beating: list[str] = []
    if not tests:
        return beaten, beating
    p_values = adjusted_p([row.p_value for row in tests])
    if np.isnan(p_values).any():
        return None
    for row, p in zip(tests, p_values, strict=True):
        if p > 1 - result.settings["level"]:
            continue
        models = [str(row.label("model")), str(row.label("minus"))]
        if sign * (row.estimate or 0.0) > 0:
            models.reverse()
        beating.append(models[0])
        beaten.append(models[1])
    return beaten, beating


def tests_of_models(row: Row) -> tuple[object, ...] | None:
    """Return what tells apart families of tests: of differences, and of the numbers of the models."""
    return None if row.family is None else (row.family, row.role)


MODELS_COMPARED = Definition(
    samples=sample_compared_models, peers=ask_for_ranks_of_models, family=tests_of_models
)
