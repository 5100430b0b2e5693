"""B_all once more: folded normals by scipy, and its interval by the engine's draws with roots found by scipy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.couple_errors import Answers
from socialstats.crosscheck.couple_records import Key, bias_contrasts, value_of
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import near
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative
from socialstats.results import Check, FloatArray, Row

DRAWS = 20_000  # of the library
MC_DRAWS, MC_WIDTH = 20_000, 5.0
SAME_DRAWS, CLOSE = "the same draws, every size weighed anew", 1e-6
STEP = 1e-7  # of the engine: draws are steps, which may cross the line more than once
MOST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sizes:
    """Every B of a level of the stratum: value, standard error, df, weight, its pair of groups, and correlations."""

    value: FloatArray
    error: FloatArray
    df: FloatArray
    weight: FloatArray
    pair: list[str]
    correlation: FloatArray

    @property
    def size(self) -> float:
        """B_all."""
        return float(np.average(np.abs(self.value), weights=self.weight))

    def draws(self, normal: FloatArray, square: Any) -> FloatArray:
        """Errors from correlated normals and a source of chi-squares, one for each pair of groups, by name."""
        found = normal.copy()
        for pair in sorted(set(self.pair)):
            own = [k for k, name in enumerate(self.pair) if name == pair]
            df = float(self.df[own].min())
            found[:, own] /= np.sqrt(square(df) / df)[:, None]
        return np.asarray(found * self.error)


def sizes_of(
    answers: Answers, means: dict[Key, float], cells: dict[Key, int], pairs: list[tuple[str, str, str]], level: str
) -> Sizes | None:
    """Read every B of a level, with its error; None where an error is not known."""
    kept = [(a, b, one) for _, a, b in pairs for one in [bias_contrasts(means, a, b, level)] if one]
    listed = [(f"{min(a, b)} / {max(a, b)}", c, 1 / len(one) / len(kept)) for a, b, one in kept for c in one]
    if not listed:
        return None
    found = np.array([answers.error(contrast, cells) for _, contrast, _ in listed])
    if not np.all(found[:, 0] > 0):
        return None
    contrasts = [contrast for _, contrast, _ in listed]
    return Sizes(
        value=np.array([value_of(c, means) for c in contrasts]), error=found[:, 0], df=found[:, 1],
        weight=np.array([w for _, _, w in listed]), pair=[name for name, _, _ in listed],
        correlation=answers.correlations(contrasts, cells),
    )  # fmt: skip


def corrected(sizes: Sizes) -> float:
    """B_all less the excess of folded normal means."""
    from scipy.stats import foldnorm

    means = foldnorm.mean(np.abs(sizes.value) / sizes.error, scale=sizes.error)
    return max(sizes.size - float(np.average(means - np.abs(sizes.value), weights=sizes.weight)), 0.0)


def nearest(sizes: Sizes, size: float) -> FloatArray:
    """Values of a mean size nearest to the estimates, the Lagrange multiplier by a root."""
    from scipy.optimize import brentq

    rate = sizes.weight * sizes.error**2
    least = -(MOST + 1) / float(sizes.weight @ rate)
    most = float((np.abs(sizes.value) / rate).max())

    def off(multiplier: float) -> float:
        return float(np.maximum(np.abs(sizes.value) - multiplier * rate, 0.0) @ sizes.weight) - size

    at = most if size <= 0 else float(brentq(off, least, most, xtol=1e-14 * max(1.0, most), rtol=1e-14))
    return np.asarray(np.sign(sizes.value) * np.maximum(np.abs(sizes.value) - at * rate, 0.0))


def ends(sizes: Sizes, seed: int, level: float) -> tuple[float, float]:
    """Both ends: the sizes at which the observed one is the upper, and the lower, quantile of the seeded draws."""
    from scipy.optimize import brentq

    rng = np.random.Generator(np.random.PCG64(seed))
    left, roots, _ = np.linalg.svd(sizes.correlation, hermitian=True)
    normal = rng.standard_normal((DRAWS, len(sizes.value))) @ (left @ np.diag(np.sqrt(roots)) @ left.T)
    errors = sizes.draws(normal, lambda df: rng.chisquare(df, DRAWS))

    def beyond(size: float, percent: float) -> float:
        found = np.abs(errors + nearest(sizes, size)) @ sizes.weight
        return float(np.percentile(found, percent)) - sizes.size

    few, many = 50 * (1 - level), 50 * (1 + level)
    low = 0.0 if beyond(0.0, many) >= 0 else float(brentq(beyond, 0.0, sizes.size, (many,), STEP))
    if beyond(sizes.size, few) >= 0:
        high = sizes.size
    elif beyond(MOST, few) <= 0:
        high = MOST
    else:
        high = float(brentq(beyond, sizes.size, MOST, (few,), STEP))
    better = corrected(sizes)
    return min(low, better), max(high, better)


def size_checks(
    plain: Row, better: Row, sizes: Sizes | None, settings: Mapping[str, Any], *, closed: bool
) -> list[Check]:
    """Compare B_all corrected, and (closed) the interval of both rows."""
    if sizes is None or better.estimate is None:
        return []
    checks = [near(label(better), better.estimate, corrected(sizes), "scipy", "the same integral in another form")]
    if not closed or plain.conf_low is None:
        return checks
    low, high = ends(sizes, settings["seed"], settings["level"])
    return checks + [c for row in (plain, better) for c in end_checks(row, low, high, "scipy", SAME_DRAWS, CLOSE)]


def gap_checks(gap: Row, one: Row, two: Row) -> list[Check]:
    """Compare a difference of B_all corrected, and its interval from those of both levels (Zou & Donner 2008)."""
    if gap.estimate is None:
        return []
    a, b = (np.array([row.estimate, row.conf_low, row.conf_high], dtype=np.float64) for row in (one, two))
    low = a[0] - b[0] - np.sqrt((a[0] - a[1]) ** 2 + (b[2] - b[0]) ** 2)
    high = a[0] - b[0] + np.sqrt((a[2] - a[0]) ** 2 + (b[0] - b[1]) ** 2)
    return [near(label(gap), gap.estimate, float(a[0] - b[0]), "numpy"),
            near(label(gap, "n"), gap.n, (one.n or 0.0) + (two.n or 0.0), "numpy"),
            *end_checks(gap, float(low), float(high), "numpy", "the intervals of both levels")]  # fmt: skip


def null_checks(row: Row, sizes: Sizes | None) -> list[Check]:
    """Compare the mean of B_all without any bias, and its test with draws of scipy's normals and chi-squares."""
    from scipy import stats

    if row.estimate is None or row.p_value is None or sizes is None:
        return []
    rng = np.random.default_rng(1)
    normals: Any = stats.multivariate_normal(cov=sizes.correlation, allow_singular=True)
    normal = np.reshape(normals.rvs(MC_DRAWS, random_state=rng), (MC_DRAWS, -1))
    drawn = sizes.draws(normal, lambda df: stats.chi2(df).rvs(MC_DRAWS, random_state=rng))
    p = float(np.mean(np.abs(drawn) @ sizes.weight >= sizes.size))
    error = MC_WIDTH * np.sqrt(row.p_value * (1 - row.p_value) * (1 / MC_DRAWS + 1 / DRAWS)) + 2 / MC_DRAWS
    why = f"{MC_DRAWS:,} draws of scipy: {MC_WIDTH:g} Monte-Carlo standard errors"
    mean = float(sizes.weight @ sizes.error * stats.halfnorm.mean())
    return [
        near(label(row, "mean"), row.estimate, mean, "scipy", "the same sandwich from another implementation", 1e-7),
        near(label(row, "statistic"), row.statistic, sizes.size, "pandas"),
        relative(label(row, "df"), row.df, float(sizes.df.min()), "statsmodels"),
        compare(label(row, "p"), row.p_value, p, package="scipy", tolerance=float(error), why=why),
    ]  # fmt: skip
