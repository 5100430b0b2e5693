"""Numbers of resamples, of levels left out and of permutations, from which errors, ends and p follow again.

The function is called again on the data themselves. What it returns of other data is taken as it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import cochran
from socialstats.crosscheck.comparing import compare
from socialstats.crosscheck.resamples import quantiles, share_below
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    label,
    relative,
    wald_checks,
)
from socialstats.results import Check, Result, Row

CALLED = "the function, called again"
OF_REPLICATES = "of the numbers of the resamples"
OF_PERMUTATIONS = "of the numbers of the permutations, counted again"
TIE = 1e-10  # numbers nearer than this to each other, relative to the largest, are ties


def recheck_estimates(result: Result) -> Iterator[Check]:
    """Compare the estimates with those of another call of the function on the data."""
    statistic, plan = result.extras["statistic"], result.extras["plan"]
    values = statistic.values(plan.pieces.data if statistic.spread else result.design)
    for row, value in zip(result.rows, values.tolist(), strict=False):
        if row.estimate is not None and not math.isnan(value):
            yield relative(label(row), row.estimate, value, "numpy", CALLED, size=1e-3)


def recheck_bootstrap(result: Result) -> Iterator[Check]:
    """Compare estimates, and errors and ends by the numbers of the resamples and without each unit."""
    yield from recheck_estimates(result)
    left = result.extras["left_out"]
    ci, level = result.settings["ci"], result.settings["level"]
    for j, row in enumerate(result.rows):
        replicates = result.extras["replicates"][:, j]
        replicates = replicates[np.isfinite(replicates)]
        if row.std_error is not None:
            # squares of huge and tiny numbers leave the range of floats
            unit = float(np.abs(replicates).max())
            error = unit * float(np.std(replicates / unit, ddof=1))
            yield relative(label(row, "s.e."), row.std_error, error, "numpy", OF_REPLICATES)
        if row.conf_low is not None or row.conf_high is not None:
            value = float(row.estimate or 0.0)
            parts = [part[:, j] for part in left.parts]
            low, high = resampled_ends(value, replicates, parts, left.crossed, ci, level)
            least, most = row.limits or (-math.inf, math.inf)
            # limits cut an interval, and never put its end beyond the estimate
            low, high = min(max(low, least), value), max(min(high, most), value)
            yield from end_checks(row, low, high, why=OF_REPLICATES, least=high - low)


def resampled_ends(
    value: float,
    replicates: FloatArray,
    parts: Sequence[FloatArray],
    crossed: bool,
    ci: str,
    level: float,
) -> tuple[float, float]:
    """Return the ends of an interval by resamples.

    Parameters
    ----------
    value : float
        The estimate.
    replicates : (resamples,) float64 array
    parts : sequence of (levels,) float64 arrays
        The number without each level: of the only factor, of both crossed factors, or of each stratum.
    crossed : bool
    ci : {"expanded", "bca", "percentile", "basic"}
    level : float
    """
    from scipy import stats

    tail = (1 - level) / 2
    if ci in ("percentile", "basic"):
        low, high = quantiles(replicates, np.array([tail, 1 - tail]))
        return (low, high) if ci == "percentile" else (2 * value - high, 2 * value - low)
    unit = max(float(np.abs(part).max()) for part in parts)
    scaled = [part / unit for part in parts]
    # what each level adds to the number; their skewness is six times the acceleration (Efron 1987)
    moves = np.concatenate([(part.mean() - part) * (1 - 1 / len(part)) for part in scaled])
    acceleration = float(stats.skew(moves)) / (6 * math.sqrt(len(moves)))
    reach = float(stats.norm.isf(tail))
    if ci == "expanded":
        # Hesterberg (2015): t quantiles, and what the variance of resamples is short by
        variances = jackknife_variances(scaled)
        short = np.array([1 - 1 / len(part) for part in scaled])
        enlarged = math.sqrt(variances.sum() / float(variances @ short))
        reach = float(stats.t.isf(tail, jackknife_df(scaled, crossed))) * enlarged
    z0 = stats.norm.ppf(share_below(replicates, value))
    shifted = z0 + np.array([-reach, reach])
    tails = stats.norm.cdf(z0 + shifted / (1 - acceleration * shifted))
    if ci == "expanded":
        extreme = 1 / (len(replicates) + 1)
        tails = np.clip(tails, extreme, 1 - extreme)
    return quantiles(replicates, tails)


def jackknife_variances(parts: Sequence[FloatArray]) -> FloatArray:
    """Return the jackknife's variance of each factor or stratum (Efron & Tibshirani 1993, 11.5)."""
    return np.array([(len(part) - 1) * float(part.var()) for part in parts])


def jackknife_df(parts: Sequence[FloatArray], crossed: bool) -> float:
    """Return degrees of freedom: n - 1 of one factor, Cochran's of two, Satterthwaite's of strata."""
    variances = jackknife_variances(parts)
    dfs = np.array([len(part) - 1.0 for part in parts])
    if crossed or len(parts) == 1:
        return cochran(variances.tolist(), dfs.tolist())
    # the square of a variance with df degrees of freedom is too large by (df + 2) / df
    df = float(variances.sum() ** 2 / (variances**2 / (dfs + 2)).sum() - 2)
    return min(max(df, float(dfs.min())), float(dfs.sum()))


def recheck_jackknife(result: Result) -> Iterator[Check]:
    """Compare estimates, and bias, errors, df, tests and ends by the numbers without each level."""
    yield from recheck_estimates(result)
    left = result.extras["left_out"]
    numbers = result.rows[: len(left.estimate)]
    defined = [j for j, row in enumerate(numbers) if row.std_error is not None]
    corrected = result.rows[len(numbers) :]
    for j, less_bias in zip(defined, corrected, strict=True):
        parts = [part[:, j] for part in left.parts]
        cells = None if left.cells is None else left.cells[:, j]
        value = float(left.estimate[j])
        yield from recheck_left_out(numbers[j], value, parts, cells, left.crossed, result)
        bias = math.fsum((len(part) - 1) * (float(part.mean()) - value) for part in parts)
        name = label(less_bias)
        yield relative(name, less_bias.estimate, value - bias, "numpy", CALLED, size=1e-3)


def recheck_left_out(
    row: Row,
    value: float,
    parts: Sequence[FloatArray],
    cells: FloatArray | None,
    crossed: bool,
    result: Result,
) -> Iterator[Check]:
    """Compare standard error, df, test and interval of a row; its parameters are as in `resampled_ends`.

    `cells` has the number without each combination of two crossed factors.
    """
    unit = max(float(np.abs(part).max()) for part in parts)
    scaled = [part / unit for part in parts]
    variances = jackknife_variances(scaled)
    variance = float(variances.sum())
    if cells is not None:
        # MacKinnon, Nielsen & Webb (2024): the largest of V1, V2 and V1 + V2 - V12
        joint = float(jackknife_variances([cells / unit])[0])
        variance = max(float(variances.max()), variance - joint)
    error, df = unit * math.sqrt(variance), jackknife_df(scaled, crossed)
    null, level = result.settings["null"] or 0.0, result.settings["level"]
    yield from field_checks(row, std_error=error, df=df)
    yield from wald_checks(row, level, value, error, df, null=null, cut=row.limits)


def recheck_permutations(result: Result) -> Iterator[Check]:
    """Compare estimates, and p by the numbers of the permutations."""
    yield from recheck_estimates(result)
    alternative, exact = result.settings["alternative"], result.extras["exact"]
    for j, row in enumerate(result.rows):
        if row.p_value is None or row.estimate is None:
            continue
        numbers = result.extras["null"][:, j]
        numbers = numbers[np.isfinite(numbers)]
        p = permutation_p(numbers, float(row.estimate), alternative, exact)
        name = label(row, "p")
        why = OF_PERMUTATIONS
        yield compare(name, row.p_value, p, package="numpy", tolerance=1e-12, why=why)


def permutation_p(numbers: FloatArray, value: float, alternative: str, exact: bool) -> float:
    """Return the share of permutations as extreme as a value; of random ones the data are one more.

    Examples
    --------
    >>> permutation_p(np.array([1.0, 2.0, 3.0, 4.0]), 4.0, "greater", exact=True)
    0.25
    >>> permutation_p(np.array([1.0, 2.0, 3.0, 4.0]), 4.0, "two_sided", exact=False)
    0.8
    """
    width = TIE * max(float(np.abs(numbers).max()), abs(value))
    tails = {
        "greater": int((numbers >= value - width).sum()),
        "less": int((numbers <= value + width).sum()),
    }
    added = 0 if exact else 1
    shares = {side: (n + added) / (len(numbers) + added) for side, n in tails.items()}
    if alternative == "two_sided":
        return min(1.0, 2 * min(shares.values()))
    return shares[alternative]
