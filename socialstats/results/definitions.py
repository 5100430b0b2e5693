"""What a metric is, without its own arithmetic: samples with plain estimates, and the numbers of other packages.

`socialstats.crosscheck.definition` puts them together. A definition stands in the file of its metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.designs.parts import Factor

if TYPE_CHECKING:
    from socialstats.results.rows import Row

RowKey = tuple[str | None, str]
"""The group and the term of a row (`key_of_row`)."""


def key_of_row(row: Row) -> RowKey:
    """Return the group and the term of a row; before the group, the level of the factor that it is of."""
    # rows of several levels have the same groups and terms
    group = row.group if row.by is None else f"{row.by}: {row.group}"
    return group, row.term


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainSample:
    """Cells of alike units in clusters, and a plain definition of what is estimated from them.

    Attributes
    ----------
    count : (cells,) float64 array
        Units in each cell.
    plain : function of (cells,) counts -> mapping of `RowKey` to float
        The estimates by their definition, a few lines that a reader can check at sight. NaN where an estimate does not
        exist. Errors follow from derivatives by the counts, and resamples from drawn counts.
    factors : tuple of Factor
        Clusters, with a code for each cell. Without any, units are independent.
    people : Factor, optional
        Who gave the ratings of each cell, where raters are a sample: a further factor. -1 for other raters.
    people_weight : (cells,) float64 array, optional
        What a unit of a cell weighs among those of people; by default as in the denominator.
    independent_units : bool
        Whether the only factor numbers independent units, of several ratings each.
    strata : (cells,) int64 array, optional
        Strata of fixed weight in the estimate: what varies is units within each. By default units are of one stratum.
    alike : (cells,) or (cells, values) array, optional
        Cells of units that are alike but for their clusters; by default each cell stands for itself.
    counted : mapping of RowKey to (cells,) float64 array
        What a unit of a cell weighs in the denominator of an estimate; by default 1.
    answers : mapping of RowKey to float
        The most independent answers that an interval of a share may count; by default the units.
    signs : mapping of RowKey to (cells,) float64 array
        Of a difference of shares of the same units: 1, 0 or -1 of each unit, for Tango's score.
    tests : mapping of str to EstimateTest
        By the term of a row of a test: the estimate that it tests.
    standardised : mapping of RowKey to float
        Of a mean difference over its standard deviation: the factor beside this ratio (Hedges' J, or 1).
    disagreements : mapping of RowKey to DisagreementParts
        Of a coefficient of agreement.
    linear : mapping of RowKey to RowKey
        Estimate of `plain` whose derivatives the error takes, where the row's has a factor for small samples.
    large_sample : bool
        Whether the error of independent units has the divisor n, and their interval and t test n - 1.
    cost : float
        How much longer than a mean the plain definition takes.
    no_errors : str
        Why errors, tests and intervals are not recomputed.
    resampled_errors : bool
        Whether a standard error beside a bootstrap interval is that of the resamples.
    unbiased : bool
        Whether the variance of independent units has the divisor n - 1 also where a row shows no df.
    second : (cells,) bool array, optional
        Of an estimate that is a difference: units of the second of two groups, whose variances stand alone.
    null : float, optional
        What a t test compares estimates with; by default the setting `null`, or 0.
    limits : mapping of RowKey to pair of float
        What an estimate can be, where its row does not say so.
    level : float, optional
        Of intervals with two ends, whatever level and alternative the result is asked for.
    yes_or_no : bool
        Whether units answer yes or no: an interval without a name is Wilson's.
    mean_squares : bool
        Whether cells are a complete table of two factors, whose error is made of mean squares.
    added : mapping of RowKey to pair of float
        Variance and degrees of freedom of what is estimated apart, and was subtracted from every value.
    errors_of_rows : bool
        Whether the definition gives no errors: tests and intervals follow from the errors of the rows.
    size : float
        Of the values, where it is larger than the estimates: their rounding is a part of it.
    left_out : function of (..., cells) counts -> (...) array, optional
        The statistic whose values without each unit (cluster), and without each person beside them, make the
        jackknife's errors of all rows.
    centres : mapping of RowKey to RowKey
        Estimate around which the jackknife's interval of another one lies, and which its t tests. Such an interval, and
        that of a bootstrap, reaches to its own estimate, and is cut at `limits` alone.
    resampled_centres : mapping of RowKey to RowKey
        The same of a basic bootstrap: what its resamples are drawn from.
    units_df : bool
        Whether the jackknife's t has the number of units less 1 as df, whatever their kurtosis.
    """

    count: FloatArray
    plain: Callable[[FloatArray], Mapping[RowKey, float]]
    factors: tuple[Factor, ...] = ()
    people: Factor | None = None
    people_weight: FloatArray | None = None
    independent_units: bool = False
    strata: IntArray | None = None
    alike: FloatArray | None = None
    counted: Mapping[RowKey, FloatArray] = field(default_factory=dict)
    answers: Mapping[RowKey, float] = field(default_factory=dict)
    signs: Mapping[RowKey, FloatArray] = field(default_factory=dict)
    tests: Mapping[str, EstimateTest] = field(default_factory=dict)
    standardised: Mapping[RowKey, float] = field(default_factory=dict)
    disagreements: Mapping[RowKey, DisagreementParts] = field(default_factory=dict)
    linear: Mapping[RowKey, RowKey] = field(default_factory=dict)
    large_sample: bool = False
    cost: float = 1.0
    no_errors: str = ""
    resampled_errors: bool = True
    unbiased: bool = False
    second: BoolArray | None = None
    null: float | None = None
    limits: Mapping[RowKey, tuple[float, float]] = field(default_factory=dict)
    level: float | None = None
    yes_or_no: bool = False
    mean_squares: bool = False
    added: Mapping[RowKey, tuple[float, float]] = field(default_factory=dict)
    errors_of_rows: bool = False
    size: float = 0.0
    left_out: Callable[[FloatArray], FloatArray] | None = None
    centres: Mapping[RowKey, RowKey] = field(default_factory=dict)
    resampled_centres: Mapping[RowKey, RowKey] = field(default_factory=dict)
    units_df: bool = False


@dataclass(frozen=True, slots=True)
class EstimateTest:
    """A t or score test of an estimate.

    Attributes
    ----------
    term : str
        Of the estimate.
    null : float, optional
        By default that of the sample.
    side : {"two_sided", "greater", "less"}, optional
        By default that of the result.
    """

    term: str
    null: float | None = None
    side: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DisagreementParts:
    """A coefficient of agreement as 1 - (mean disagreement within units) / (expected disagreement).

    Attributes
    ----------
    within, weight : (cells,) float64 arrays
        DisagreementParts within a unit, from 0 to 1, and what it weighs in the mean.
    expected : float
    """

    within: FloatArray
    weight: FloatArray
    expected: float


def weighted_means(
    values: Mapping[RowKey, FloatArray],
) -> Callable[[FloatArray], dict[RowKey, float]]:
    """Return the plain definition of means over units, each of a value of every unit.

    Examples
    --------
    >>> plain = weighted_means({(None, "share"): np.array([1.0, 0.0])})
    >>> plain(np.array([3.0, 1.0]))
    {(None, 'share'): 0.75}
    """

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        return {key: float(count @ value / count.sum()) for key, value in values.items()}

    return estimates


def sample_of_mean(
    key: RowKey,
    values: FloatArray,
    count: FloatArray,
    factors: Sequence[Factor] = (),
    answers: float | None = None,
    people: Factor | None = None,
) -> PlainSample:
    """Return the sample of a row that is a mean over units, without the units that have no value.

    Parameters
    ----------
    key : RowKey
    values : (cells,) float64 array
        NaN where a unit does not count.
    count : (cells,) float64 array
        Units in each cell.
    factors : sequence of Factor
    answers : float, optional
        The most answers that an interval of a share may count; by default the units.
    people : Factor, optional

    Examples
    --------
    >>> sample = sample_of_mean((None, "share"), np.array([1.0, 0.0, np.nan]), np.array([3.0, 1.0, 5.0]))
    >>> sample.count.tolist(), sample.plain(sample.count)
    ([1.0, 3.0], {(None, 'share'): 0.75})
    """
    valued = np.flatnonzero(~np.isnan(values))
    crossed = [*factors, *([] if people is None else [people])]
    columns = [factor.codes[valued] for factor in crossed]
    # cells ascend by clusters and value, in the order in which the library draws them
    cells, _, place = unique_rows(np.column_stack([*columns, values[valued]]))
    units = np.bincount(place, count[valued], len(cells)).astype(np.float64)
    value = cells[:, -1]
    yes_or_no = bool(np.isin(value, (0.0, 1.0)).all())
    of_cells = [
        replace(factor, codes=cells[:, k].astype(np.int64)) for k, factor in enumerate(crossed)
    ]
    return PlainSample(
        count=units,
        plain=lambda count: {key: float(count @ value / count.sum()) if count.sum() else np.nan},
        factors=tuple(of_cells[: len(factors)]),
        people=None if people is None else of_cells[-1],
        alike=value,
        answers={} if answers is None else {key: answers},
        resampled_errors=False,
        # p(1 - p) / n is the variance of a share of yes and no
        unbiased=not yes_or_no,
        yes_or_no=yes_or_no,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerNumbers:
    """What another package gives for a row of a result.

    Attributes
    ----------
    package : str
    row : RowKey
    numbers : mapping of str to float
        By field of the row.
    ends : pair of float, optional
        Of the interval.
    close : float
        The largest difference that counts as agreement, as a share of the number.
    note : str
        Why the package is known to be wrong here: its number is told, and not compared.
    """

    package: str
    row: RowKey
    numbers: Mapping[str, float] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    close: float = 1e-8
    note: str = ""


def ways_to_leave_out(factors: Sequence[IntArray]) -> list[IntArray]:
    """Return the codes whose levels the jackknife leaves out: of one factor, or of two and their intersections.

    Where each level of the second lies in one of the first, the first holds all dependence and stands alone. A code of
    -1 is not left out.

    Examples
    --------
    >>> [way.tolist() for way in ways_to_leave_out([np.array([0, 0, 1]), np.array([0, 1, 1])])]
    [[0, 0, 1], [0, 1, 1], [0, 1, 2]]
    >>> len(ways_to_leave_out([np.array([0, 0, 1]), np.array([0, 1, 2])]))
    1
    """
    if len(factors) < 2:
        return list(factors)
    first, second = factors
    drawn = second >= 0
    pairs, _, place = unique_rows(np.column_stack(factors)[drawn])
    if len(pairs) == len(np.unique(second[drawn])):
        return [first]
    # intersections are numbered, and those without a level of the second are not left out
    intersections = np.full(len(first), -1)
    intersections[drawn] = place
    return [first, second, intersections]
