"""Standard errors, intervals and tests of numbers that are functions of sums over independent units or clusters.

What is undefined, cut or one-sided is decided here, and the cautions on lost resamples and on few disagreements are
raised here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.inference.clustered_mean import (
    CLEARLY,
    FEWEST_SHAPED,
    skewness_statistic,
    sums_by_cluster,
)
from socialstats.inference.how import RESAMPLED, How
from socialstats.inference.intervals import critical_value, two_sided_p
from socialstats.inference.means import dense_codes, effective_trials, mean_errors
from socialstats.inference.proportions import korn_graubard
from socialstats.resampling import (
    Bootstrap,
    Interval,
    PlanUnits,
    bootstrap_sums,
    choose,
    jackknife_sums,
)
from socialstats.rounding import no_variation_reason
from socialstats.text import count, number, quoted
from socialstats.voice import option

# effective disagreements below which intervals of a coefficient itself tend to be too short
FEW = 10.0
# two units give alpha two influences of one size: an error of no meaning
FEWEST_UNITS = 3
MOST_CELLS = 5_000_000
# one over a small disagreement by chance, by which influences are divided
LARGE = 100.0
ONE_CLUSTER = "a single cluster holds all units: no standard error and no interval"
OUTSIDE = "the coefficient is not inside (-1, 1), where its Fisher z exists"
TOO_FEW = "{n}: too few for a standard error"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Disagreement:
    """Coefficients that are 1 - q / expected, q a mean over units of disagreements between 0 and 1.

    Attributes
    ----------
    values : (cells, m) array, dense or sparse
        Disagreement within a unit of each cell, times the cell's share of q.
    shares : (cells, m) array, dense or sparse
        Columns sum to 1.
    expected : (m,) float64 array
        What q would be by chance.
    """

    values: Any
    shares: Any
    expected: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimand:
    """Numbers that are functions of sums over units.

    Attributes
    ----------
    estimate : (m,) float64 array
        NaN where a number does not exist.
    influence : callable
        Returns the (cells, m) array, dense or sparse, of what the units of each cell add to each number to first order;
        columns sum to 0.
    shares : (cells, m) array, dense or sparse
        What each cell weighs in each number; columns sum to 1.
    copies : (cells,) float64 array
        Alike units that each cell stands for.
    statistics, finish
        As for `socialstats.resampling.bootstrap_sums`; None where numbers cannot be made from other weights.
    disagreement : Disagreement, optional
    fisher : bool
        Intervals of independent units are made on Fisher's z scale; those of clusters always are where the numbers
        lie in (-1, 1).
    large_sample : bool
        The error of independent units is printed without its factor n / (n - 1), as in its source; intervals have it.
    bounded : bool
        Numbers are at most 1 in size; False for their differences.
    least : float
        What the numbers cannot be below.
    """

    estimate: FloatArray
    influence: Callable[[], Any]
    shares: Any
    copies: FloatArray
    statistics: Any = None
    finish: Callable[[FloatArray], FloatArray] | None = None
    disagreement: Disagreement | None = None
    fisher: bool = False
    large_sample: bool = False
    bounded: bool = True
    least: float = -math.inf

    @property
    def sizes(self) -> FloatArray:
        """(m,) largest sizes of what influences are differences of: disagreements over those by chance."""
        expected = (
            np.ones(len(self.estimate)) if self.disagreement is None else self.disagreement.expected
        )
        return np.maximum(LARGE, 1 / np.where(expected > 0, expected, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """What is known of the uncertainty of one number.

    Attributes
    ----------
    std_error, low, high, statistic, df, p : float or None
        The test is t, of 0.
    kind : str
        ``"t"``, ``"fisher"``, ``"wald"``,
        ``"disagreements"``, ``"hull"`` (the wider limits of the last and of Fisher's z) or the name of a bootstrap.
    why : str
        Why there is no interval; empty where there is one.
    clusters : int
        Clusters (or units) that take part; of the factor with fewer.
    largest : float
        Largest share of the number that one cluster holds.
    least, most : float
        What the number cannot be below and above: `socialstats.inference.rows` cuts the interval there.
    skewness : float
        Of what units (or clusters) add to the number, over the root of how many there are.
    """

    std_error: float | None = None
    low: float | None = None
    high: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    kind: str = "t"
    why: str = ""
    clusters: int = 0
    largest: float = 0.0
    least: float = -math.inf
    most: float = math.inf
    skewness: float = 0.0


def infer(
    estimand: Estimand,
    clusters: Sequence[IntArray],
    how: How,
    what: str = "a coefficient",
    names: Sequence[str] = (),
) -> tuple[tuple[Inferred, ...], tuple[Caution, ...]]:
    """Return errors, intervals and tests of the numbers of an estimand, and the cautions they need.

    Closed intervals. Independent units: t (or Fisher z) with the linearised standard error. Clusters: t on Fisher's z
    scale, with the linearised CR2 standard error and its degrees of freedom (`mean_errors`). Without any disagreement,
    the interval is that of Korn and Graubard (1998) for the share of disagreement q, with known chance disagreement;
    its upper limit is 1. A t limit above 1 is cut at 1, as by irrCAC in R. Under clusters with fewer than 10 effective
    disagreements each end is the outer one of both intervals. There is then no test: t would rest on the error alone.

    Parameters
    ----------
    estimand : Estimand
        Of m numbers.
    clusters : none, one or two (cells,) int64 arrays
    how : How
    what : str
        Of what coefficient the numbers are, for cautions.
    names : sequence of str
        Names of the rows of the numbers, in their order; cautions name those that they touch.
    """
    errors = mean_errors(
        estimand.influence(),
        estimand.shares,
        clusters,
        None if clusters else estimand.copies,
        size=estimand.sizes,
    )
    error = errors.std_error
    resampled = _bootstrap_intervals(estimand, clusters, how) if how.ci in RESAMPLED else None
    m = len(estimand.estimate)
    disagreements: list[DisagreementInterval | None] = [None] * m
    # no disagreement in any unit
    perfect = np.zeros(m, dtype=bool)
    if estimand.disagreement is not None:
        perfect = np.asarray(estimand.disagreement.values.sum(axis=0)).ravel() <= 0
        if how.ci == "closed":
            disagreements = _disagreement_intervals(estimand, clusters, how.level)
    inferences = []
    for j, value in enumerate(estimand.estimate.tolist()):
        inference = Inferred(
            clusters=int(errors.clusters[j]),
            largest=float(errors.largest[j]) if clusters else 0.0,
            least=estimand.least,
            most=1.0 if estimand.bounded else math.inf,
        )
        if math.isnan(value):
            inferences.append(inference)
        elif clusters and np.isnan(errors.variance[j]):
            inferences.append(replace(inference, why=ONE_CLUSTER))
        elif resampled is not None:
            inferences.append(
                _resampled_interval(inference, j, resampled, perfect=bool(perfect[j]))
            )
        else:
            inferences.append(
                _closed_interval(
                    inference,
                    value,
                    float(error[j]),
                    float(errors.df[j]),
                    disagreements[j],
                    estimand,
                    clusters,
                    how,
                )
            )
    lost = resampled[1].caution("the interval") if isinstance(resampled, tuple) else None
    # intervals of a share of disagreement, and of resamples, do not assume a normal estimate
    normal = [
        inference.kind in ("t", "fisher", "hull") and inference.low is not None
        for inference in inferences
    ]
    rows = tuple(names) or ("",) * m
    effective = {
        k: interval.effective
        for k, interval in enumerate(disagreements)
        if interval and normal[k] and not clusters
    }
    if any(normal):
        skewness = zip(_skewness(estimand, clusters), normal, strict=True)
        inferences = [
            replace(inference, skewness=x if shown else 0.0)
            for inference, (x, shown) in zip(inferences, skewness, strict=True)
        ]
    skews = [inference.skewness for inference in inferences]
    return tuple(inferences), (
        *((lost,) if lost else ()),
        *_few_cautions(effective, what, rows),
        *influence_cautions(skews, bool(clusters), what, rows),
    )


def _name_rows(which: Iterable[int], names: Sequence[str]) -> tuple[str, tuple[str, ...] | None]:
    """Return how to name some of several numbers, after the name of their coefficient, and the rows that they are."""
    rows = tuple(names[k] for k in which)
    if not all(rows):
        return "", None
    return (f" of {quoted(rows, 2)}" if len(names) > 1 else ""), rows


def _skewness(estimand: Estimand, clusters: Sequence[IntArray]) -> list[float]:
    """Skewness of what units (or clusters) add to each number, over the root of how many there are."""
    moves: Any = estimand.influence()
    # thousands of pairs of raters: no caution is worth the memory
    if moves.shape[0] * moves.shape[1] > MOST_CELLS:
        return [0.0] * moves.shape[1]
    table: Any = moves if isinstance(moves, np.ndarray) else moves.toarray()
    if not clusters:
        return [skewness_statistic(column / estimand.copies, estimand.copies) for column in table.T]
    sums = [
        [sums_by_cluster(dense_codes(code)[0], column) for code in clusters] for column in table.T
    ]
    return [
        max(
            skewness_statistic(e, np.ones(len(e))) if len(e) >= FEWEST_SHAPED else 0.0
            for e in by_factor
        )
        for by_factor in sums
    ]


# numbers of which one may look skewed, and very skewed, by chance
SEVERAL, MANY = 10, 50
FEW_OF_THEM = 0.2


def influence_cautions(
    skewness: Sequence[float], clustered: bool, what: str, names: Sequence[str]
) -> tuple[Caution, ...]:
    """Caution SS317: single units or clusters decide a coefficient, as where a level is rare.

    Of several numbers some reach the line by chance. Five even levels and ten pairs of raters of 80 units reached it in
    .034 of pairs, in .26 of samples; these pairs held .950. One to a fifth of at least `SEVERAL` numbers is no caution,
    unless fewer than `MANY` hold one at twice the line.
    """
    skew = {k: x for k, x in enumerate(skewness) if x > CLEARLY}
    if not skew:
        return ()
    chance = len(names) >= MANY or max(skew.values()) < 2 * CLEARLY
    if chance and len(names) >= SEVERAL and len(skew) <= FEW_OF_THEM * len(names):
        return ()
    which, rows = _name_rows(skew, names)
    return (
        caution(
            "SS317",
            f"few {'clusters' if clustered else 'units'} determine {what}{which}, as where a level is rare. The "
            f"skewness of their influence over the root of their number is up to {number(max(skew.values()))}, above "
            f"{number(CLEARLY)}",
            affects="intervals: nominal 95% CIs covered in .80 to .90 of simulations with one rare level",
            fix=f"rate more units{' in more clusters' if clustered else ''} with the rare levels",
            rows=rows,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementInterval:
    """Disagreements of one number: their share, effective number, and the interval of the number they give."""

    share: float
    effective: float
    low: float
    high: float


def _disagreement_intervals(
    estimand: Estimand, clusters: Sequence[IntArray], level: float
) -> list[DisagreementInterval | None]:
    """Korn and Graubard's interval of the share of disagreement q, carried over to 1 - q / expected."""
    if estimand.disagreement is None:
        return [None] * len(estimand.estimate)
    # (cells, m), dense or sparse; its columns sum to q
    u: Any = estimand.disagreement.values
    shares: Any = estimand.disagreement.shares
    q = np.asarray(u.sum(axis=0), dtype=np.float64).ravel()
    diagonal: Any = sparse.diags_array(q)
    centred = u - (shares * q if isinstance(shares, np.ndarray) else shares @ diagonal)
    errors = mean_errors(centred, shares, clusters, None if clusters else estimand.copies, size=1.0)
    n = effective_trials(np.clip(q, 0, 1), errors, math.inf)
    units = (
        mean_errors(centred, shares, (), estimand.copies).clusters if clusters else errors.clusters
    )
    out: list[DisagreementInterval | None] = []
    for j, value in enumerate(estimand.estimate.tolist()):
        if math.isnan(value + n[j] + errors.df[j]):
            out.append(None)
            continue
        low, high = korn_graubard(
            float(q[j]), float(n[j]), df=float(errors.df[j]), most=float(units[j]) - 1, level=level
        )
        # 1 - q / expected falls by 1 / expected = (1 - value) / q for each unit of q
        slope = float((1 - value) / q[j] if q[j] > 0 else 1 / estimand.disagreement.expected[j])
        out.append(
            DisagreementInterval(
                share=float(q[j]),
                effective=float(q[j] * n[j]),
                low=max(-1.0, 1 - slope * high),
                high=1 - slope * low,
            )
        )
    return out


def _closed_interval(
    inference: Inferred,
    value: float,
    error: float,
    df: float,
    disagreements: DisagreementInterval | None,
    estimand: Estimand,
    clusters: Sequence[IntArray],
    how: How,
) -> Inferred:
    """Fill in a closed or Wald interval, and the t test of 0 where there is an error."""
    short = not clusters and inference.clusters < FEWEST_UNITS
    if short:
        error = math.nan
    plain = math.sqrt(df / (df + 1)) if estimand.large_sample and not clusters else 1.0
    if error > 0:
        t = value / (error * plain)
        inference = replace(
            inference,
            std_error=error * plain,
            statistic=t,
            df=df,
            p=float(two_sided_p(np.asarray(t), df)),
        )
    few = disagreements if how.ci == "closed" else None
    if few is not None and few.share > 0 and few.effective >= FEW:
        few = None
    if few is not None and (few.share == 0 or (clusters and not error > 0)):
        return replace(
            inference,
            low=few.low,
            high=few.high,
            df=df,
            kind="disagreements",
            statistic=None,
            p=None,
        )
    if short:
        return replace(inference, why=TOO_FEW.format(n=count(inference.clusters, "unit")))
    if not error > 0:
        return replace(inference, why=no_variation_reason("clusters" if clusters else "units"))
    if how.ci == "wald":
        reach = critical_value(how.level, None if plain < 1 else df) * error * plain
        return replace(inference, low=value - reach, high=value + reach, kind="wald")
    reach = critical_value(how.level, df) * error
    if not estimand.bounded or not (clusters or estimand.fisher):
        return replace(inference, low=value - reach, high=value + reach)
    if abs(value) >= 1:
        resample = f"; use {option('ci', 'percentile')}" if estimand.finish else ""
        return replace(inference, statistic=None, p=None, why=OUTSIDE + resample)
    # delta method: dz/dx = 1 / (1 - x^2)
    z, far = math.atanh(value), reach / (1 - value**2)
    # t on the z scale; otherwise .125 of true nulls of five units were rejected
    t = z * (1 - value**2) / error
    inference = replace(
        inference,
        low=math.tanh(z - far),
        high=math.tanh(z + far),
        kind="fisher",
        statistic=t,
        p=float(two_sided_p(np.asarray(t), df)),
    )
    if few is None or not clusters:
        return inference
    low, high = min(few.low, inference.low or 0.0), max(few.high, inference.high or 0.0)
    return replace(inference, low=low, high=high, kind="hull", statistic=None, p=None)


def _bootstrap_intervals(
    estimand: Estimand, clusters: Sequence[IntArray], how: How
) -> tuple[Interval, Bootstrap] | str:
    """Return bootstrap intervals of all numbers, or why there are none."""
    if any(len(np.unique(code)) < 2 for code in clusters):
        return ONE_CLUSTER
    units = PlanUnits.clusters(*clusters) if clusters else PlanUnits.rows(estimand.copies)
    assert estimand.finish is not None
    try:
        boot = bootstrap_sums(
            estimand.statistics, estimand.finish, units, resamples=how.resamples, seed=how.seed
        )
    except UndefinedStatistic as error:
        return str(error)
    leave_out = how.ci == "bca" and len(clusters) < 2
    jack = jackknife_sums(estimand.statistics, estimand.finish, units) if leave_out else None
    return choose(how.ci, boot, level=how.level, jack=jack), boot


def _resampled_interval(
    inference: Inferred, j: int, resampled: tuple[Interval, Bootstrap] | str, *, perfect: bool
) -> Inferred:
    """Fill in a bootstrap interval, or why there is none."""
    if isinstance(resampled, str):
        return replace(inference, why=resampled)
    intervals, boot = resampled
    inference = replace(inference, kind=intervals.method)
    if boot.is_constant[j]:
        closed = f"perfect agreement in every unit: resamples cannot vary; {option('ci', 'closed')} has an interval"
        return replace(inference, why=closed if perfect else no_variation_reason("resamples"))
    inference = replace(inference, std_error=float(boot.std_error[j]))
    if intervals.undefined[j]:
        return replace(inference, why=intervals.undefined[j])
    return replace(inference, low=float(intervals.low[j]), high=float(intervals.high[j]))


def _few_cautions(
    effective: Mapping[int, float], what: str, names: Sequence[str]
) -> tuple[Caution, ...]:
    """Caution SS329: coefficients of independent units with few disagreements, of those with so many."""
    few, of = {k: x for k, x in effective.items() if x < FEW}, len(effective)
    if not few:
        return ()
    which, rows = _name_rows(few, names)
    detail = f"{what}{which}: about {number(min(few.values()), 1)} effective disagreements"
    if of > 1:
        least = " at the least" if len(few) > 1 else ""
        detail += f"{least} ({len(few)} of {count(of, 'coefficient')} with fewer than {FEW:g})"
    return (
        caution(
            "SS329",
            detail,
            affects="intervals: with one rare level, nominal 95% ones held in about .6 (10 units), "
            ".82 (30) and .89 (50) of simulations",
            fix="rate more units; without disagreement, and under clusters, an interval of their share is used",
            rows=rows,
        ),
    )
