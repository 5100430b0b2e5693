"""Pairs of yes/no and of levels: McNemar's, Bowker's, Stuart and Maxwell's, Cochran's and Hotelling's tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from scipy.special import betainc, betaincinv, chdtrc, fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.paired import Paired
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import critical_value, not_zero
from socialstats.inference.paired_score import PairedScore, paired_score
from socialstats.inference.proportions import ONE_CLUSTER, Share, clustered_share, wilson
from socialstats.inference.rows import with_ends, with_mean
from socialstats.inference.sides import one_tail
from socialstats.resampling import Alternative
from socialstats.resampling.permutation import flip_tail
from socialstats.results.rows import Reason, Row
from socialstats.rounding import left_of_sums, no_variation_reason

CELLS = {"a": "both", "b": "first only", "c": "second only", "d": "neither"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A paired 2 x 2 table.

    Attributes
    ----------
    a, b, c, d : float
        Pairs that have the level under both conditions, the first only, the second only, neither. Whole numbers.

    Raises
    ------
    InputError
        If a count is negative, fractional or not finite (the message names the cell), or all are 0.

    Examples
    --------
    >>> Cells(a=794, b=150, c=86, d=570).n
    1600
    """

    a: float
    b: float
    c: float
    d: float

    def __post_init__(self) -> None:
        for name, meaning in CELLS.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0 and value % 1 == 0):
                raise InputError(
                    f"cell {name} ({meaning}) must be a whole number of at least 0, not {value!r}"
                )
        if self.n == 0:
            raise InputError("all four cells are 0: there is no pair")

    @property
    def n(self) -> float:
        """All pairs."""
        return self.a + self.b + self.c + self.d

    @property
    def discordant(self) -> float:
        """Pairs whose two values differ."""
        return self.b + self.c

    @property
    def difference(self) -> float:
        """Difference of the two proportions, first minus second: (b - c) / n."""
        return (self.b - self.c) / self.n

    @property
    def odds_ratio(self) -> float | None:
        """Matched odds ratio b / c; None where c is 0."""
        return self.b / self.c if self.c else None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest:
    """A test of equal proportions: `statistic` (chi-square, t, or a count), `df` where it has one, and `p`."""

    statistic: float
    df: float | None
    p: float


NOTHING = McNemarTest(
    statistic=0.0, df=None, p=1.0
)  # no pair differs: nothing speaks against equality


def chi_square(
    statistic: float, df: float = 1.0, *, root: float = 0.0, alternative: Alternative = "two_sided"
) -> McNemarTest:
    """Return the test of a chi-square statistic; one-sided by the tail of its root, as in R's ``prop.test``.

    Parameters
    ----------
    statistic, df : float
    root : float
        What the chi-square is the square of, up to its standard error.
    alternative : {"two_sided", "greater", "less"}

    Examples
    --------
    >>> round(chi_square(3.84).p, 3), round(chi_square(3.84, root=9.0, alternative="greater").p, 3)
    (0.05, 0.025)
    """
    p = one_tail(float(not_zero(chdtrc(df, statistic))), root, alternative)
    return McNemarTest(statistic=statistic, df=df, p=p)


NO_TEST = "no discordant pairs: the statistic is 0/0"


def asymptotic(cells: Cells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """McNemar's chi-square: (b - c)^2 / (b + c), 1 df (McNemar 1947); without discordant pairs why there is none.

    Examples
    --------
    >>> round(asymptotic(Cells(a=794, b=150, c=86, d=570)).statistic, 4)
    17.3559
    """
    if not cells.discordant:
        return NO_TEST
    gap = cells.b - cells.c
    return chi_square(gap**2 / cells.discordant, root=gap, alternative=alternative)


def continuity(cells: Cells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Chi-square with Edwards's (1948) correction: (abs(b - c) - 1)^2 / (b + c); without discordant pairs why not.

    As in R, b = c is not corrected: the statistic is 0 and p = 1.
    """
    if not cells.discordant:
        return NO_TEST
    gap = cells.b - cells.c
    return chi_square(
        max(abs(gap) - 1.0, 0.0) ** 2 / cells.discordant, root=gap, alternative=alternative
    )


def exact(cells: Cells, alternative: Alternative = "two_sided") -> McNemarTest:
    """Exact test: b of b + c against a half. `statistic` is b.

    p is twice the smaller binomial tail, at most 1; one-sided, P(X >= b) or P(X <= b).

    Examples
    --------
    >>> exact(Cells(a=0, b=3, c=1, d=0)).p, exact(Cells(a=0, b=3, c=1, d=0), "greater").p
    (0.625, 0.3125)
    """
    tail = half_tail(tail_end(cells, alternative), cells.discordant)
    return McNemarTest(
        statistic=cells.b, df=None, p=float(not_zero(min(sides(alternative) * tail, 1.0)))
    )


def mid_p(cells: Cells, alternative: Alternative = "two_sided") -> McNemarTest:
    """Mid-p test: the exact p less the probability of the table itself (Fagerland et al. 2013).

    2 P(X <= m) - P(X = m) = P(X <= m) + P(X <= m - 1), m the smaller of b and c, X binomial(b + c, 1/2). One-sided, the
    half of this sum, with m = c (``"greater"``) or m = b.

    Examples
    --------
    >>> mid_p(Cells(a=0, b=3, c=1, d=0)).p, mid_p(Cells(a=0, b=3, c=1, d=0), "less").p
    (0.375, 0.8125)
    """
    end, n = tail_end(cells, alternative), cells.discordant
    below = half_tail(end - 1, n) if end >= 1 else 0.0
    p = (half_tail(end, n) + below) * sides(alternative) / 2
    return McNemarTest(statistic=cells.b, df=None, p=float(not_zero(min(p, 1.0))))


def tail_end(cells: Cells, alternative: Alternative) -> float:
    """Return k of the binomial tail P(X <= k) of an alternative; P(X >= b) is P(X <= c)."""
    return {"two_sided": min(cells.b, cells.c), "greater": cells.c, "less": cells.b}[alternative]


def sides(alternative: Alternative) -> int:
    """Return how many tails count."""
    return 2 if alternative == "two_sided" else 1


def half_tail(k: float, n: float) -> float:
    """P(X <= k) of X binomial(n, 1/2), by the incomplete beta function: scipy's bdtr loses digits for large n."""
    return float(betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def share_interval(cells: Cells, method: str, level: float) -> tuple[float, float]:
    """Interval of b / (b + c), "exact" (Clopper & Pearson 1934) or "wilson"; (0, 1) without discordant pairs."""
    b, c, n = cells.b, cells.c, cells.discordant
    if not n:
        return 0.0, 1.0
    if method == "wilson":
        low, high = wilson(np.array([b / n]), np.array([n]), level=level)
        return (float(low[0]) if b else 0.0), (float(high[0]) if c else 1.0)
    tail = (1 - level) / 2
    low_end = float(betaincinv(b, c + 1, tail)) if b else 0.0
    return low_end, (float(betaincinv(b + 1, c, 1 - tail)) if c else 1.0)


def odds_ratio_interval(cells: Cells, method: str, level: float) -> tuple[float, float] | None:
    """Interval of the matched odds ratio b / c.

    ``"exact"`` and ``"wilson"`` turn the interval of b / (b + c) into odds; ``"wald"`` is
    exp(log(b / c) -+ z sqrt(1/b + 1/c)) (Agresti 2002), None where b or c is 0. Ends may be 0 or infinite.

    Examples
    --------
    >>> low, high = odds_ratio_interval(Cells(a=794, b=150, c=86, d=570), "exact", 0.95)
    >>> round(low, 4), round(high, 4)
    (1.3292, 2.301)
    """
    if method == "wald":
        if not (cells.b and cells.c):
            return None
        reach = critical_value(level) * math.sqrt(1 / cells.b + 1 / cells.c)
        return cells.b / cells.c * math.exp(-reach), cells.b / cells.c * math.exp(reach)
    low, high = share_interval(cells, method, level)
    return low / (1 - low), (high / (1 - high) if high < 1 else math.inf)


def cohens_g(cells: Cells, level: float) -> tuple[float, float, float] | None:
    """Cohen's g, signed: b / (b + c) - 1/2, with Wilson's interval; None without discordant pairs."""
    if not cells.discordant:
        return None
    low, high = share_interval(cells, "wilson", level)
    return cells.b / cells.discordant - 0.5, low - 0.5, high - 0.5


LARGEST_SUM = 2e8  # distinct sizes x discordance: a few seconds
SPECTRAL_FLOOR = 1e-12  # smallest tail that a Fourier transform resolves


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterCells:
    """The four cells of each cluster.

    Attributes
    ----------
    a, b, c, d : (clusters,) float64 arrays
        As in `Cells`, by cluster.
    """

    a: FloatArray
    b: FloatArray
    c: FloatArray
    d: FloatArray

    @property
    def n(self) -> FloatArray:
        """(clusters,) float64 array: pairs in each cluster."""
        return self.a + self.b + self.c + self.d

    @property
    def gap(self) -> FloatArray:
        """(clusters,) float64 array: b - c."""
        return self.b - self.c


KINDS = {"a": (1, 1), "b": (1, 0), "c": (0, 1), "d": (0, 0)}


def cells_of(first: FloatArray, second: FloatArray, count: FloatArray) -> Cells:
    """Count the pairs of 0 and 1 of a table, (cells,) arrays."""
    return Cells(
        **{k: float(count @ ((first == x) & (second == y))) for k, (x, y) in KINDS.items()}
    )


def cluster_cells(
    first: FloatArray, second: FloatArray, count: FloatArray, code: IntArray
) -> ClusterCells:
    """Count the cells of each cluster.

    Parameters
    ----------
    first, second : (cells,) arrays of 0 and 1
    count : (cells,) float64 array
    code : (cells,) int64 array
        Cluster of each cell; levels that no cell has are left out.
    """
    dense = np.unique(code, return_inverse=True)[1]
    found = {
        name: np.bincount(dense, count * ((first == x) & (second == y))).astype(np.float64)
        for name, (x, y) in KINDS.items()
    }
    return ClusterCells(**found)


def _ratio(
    root: float, bottom: float, clusters: int, alternative: Alternative
) -> McNemarTest | str:
    """Chi-square root^2 / bottom, or why there is none; of whole counts, `bottom` is 0 without rounding."""
    if clusters < 2:
        return "a single cluster"
    if bottom <= 0:
        return no_variation_reason("clusters")
    return chi_square(root**2 / bottom, root=root, alternative=alternative)


def obuchowski(cells: ClusterCells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Obuchowski's (1998) test: D^2 / (K/(K-1) sum d_k^2), in the form of Yang, Sun and Hardin (2010).

    Returns
    -------
    McNemarTest, or str
        The reason where the statistic does not exist.

    Examples
    --------
    >>> none = np.zeros(3)
    >>> cells = ClusterCells(a=none, b=np.array([2.0, 1.0, 0.0]), c=np.array([0.0, 0.0, 1.0]), d=none)
    >>> round(obuchowski(cells).statistic, 4)
    0.4444
    """
    k = len(cells.n)
    return _ratio(
        float(cells.gap.sum()), k / max(k - 1, 1) * float(cells.gap @ cells.gap), k, alternative
    )


def durkalski(cells: ClusterCells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Durkalski et al.'s (2003) test: (sum d_k/n_k)^2 / sum (d_k/n_k)^2; clusters weigh alike."""
    rate = cells.gap / cells.n
    return _ratio(float(rate.sum()), float(rate @ rate), len(rate), alternative)


def yang(cells: ClusterCells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Yang, Sun and Hardin's (2010) modified Obuchowski test.

    The variance is the mean of Obuchowski's, under the hypothesis, and the one around the estimate:
    K/(K-1) (sum d_k^2 + sum (d_k - n_k D/N)^2) / 2.
    """
    k, gap = len(cells.n), cells.gap
    off = gap - cells.n * gap.sum() / cells.n.sum()
    return _ratio(
        float(gap.sum()), k / max(k - 1, 1) * float(gap @ gap + off @ off) / 2, k, alternative
    )


def eliasziw(cells: ClusterCells, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Eliasziw and Donner's (1991) test: McNemar's chi-square over a design effect 1 + (n_c - 1) rho.

    rho is the correlation of the discordant pairs within clusters, from the analysis-of-variance estimate over the four
    cells. A negative estimate is taken as 0, so that the test is never larger than McNemar's.
    """
    s = cells.b + cells.c
    if len(s) > 1 and np.count_nonzero(s) < 2:
        return "fewer than two clusters hold a discordant pair"
    rho = discordant_correlation(cells) if len(s) > 1 else 0.0
    if rho is None:
        return "every cluster holds one pair, so no correlation within clusters can be estimated"
    effect = 1 + (discordant_size(s) - 1) * max(rho, 0.0) if len(s) > 1 else 1.0
    return _ratio(float(cells.gap.sum()), float(s.sum()) * max(effect, 1.0), len(s), alternative)


def discordant_correlation(cells: ClusterCells) -> float | None:
    """Correlation of discordant pairs within clusters (Eliasziw & Donner 1991); None where clusters are single pairs.

    rho* = (BMS - WMS) / (BMS + (n0 - 1) WMS), pooled over the four cells; rho = rho* / (rho* + P (1 - rho*)), P the
    share of discordant pairs.
    """
    table = np.column_stack([cells.a, cells.b, cells.c, cells.d])
    n, k = cells.n, len(cells.n)
    mean = float(n.mean())
    if mean <= 1:
        return None
    share = table.sum(axis=0) / n.sum()
    between = float(((table - np.outer(n, share)) ** 2 / n[:, None]).sum()) / k
    within = float((table * (n[:, None] - table) / n[:, None]).sum()) / (k * (mean - 1))
    n0 = mean - float(((n - mean) ** 2).sum()) / (k * (k - 1) * mean)
    whole = between + (n0 - 1) * within
    pooled = max((between - within) / whole, 0.0) if whole > 0 else 0.0
    return pooled / (pooled + float(share[1] + share[2]) * (1 - pooled)) if pooled else 0.0


def discordant_size(s: FloatArray) -> float:
    """Average number of discordant pairs a cluster, n_c of Eliasziw and Donner (1991), from the numbers by cluster."""
    k, mixed = len(s), int(np.count_nonzero(s))
    mean = float(s.sum()) / mixed
    spread = float(((s - mean) ** 2).sum()) - (k - mixed) * mean**2
    s0 = mean - spread / (mixed * (mixed - 1) * mean)
    return s0 + mixed * (mean - s0)


def sign_flip(gap: FloatArray, alternative: Alternative = "two_sided") -> McNemarTest | str:
    """Exact test that flips the sign of each cluster's b - c; `statistic` is D.

    The distribution of sum +-d_k over all 2^K signs, by convolution (with very many clusters by Fourier transform,
    then p is not below 1e-12); p = P(abs(sum) >= abs(D)), one-sided P(sum >= D) or P(sum <= D).

    Parameters
    ----------
    gap : (clusters,) array of whole numbers
    alternative : {"two_sided", "greater", "less"}

    Examples
    --------
    >>> sign_flip(np.array([2.0, 1.0, 3.0])).p, sign_flip(np.array([2.0, 1.0, 3.0]), "greater").p
    (0.25, 0.125)
    """
    steps = np.abs(gap[gap != 0]).astype(np.int64)
    observed = float(gap.sum())
    if not len(steps) or (not observed and alternative == "two_sided"):
        return McNemarTest(statistic=0.0, df=None, p=1.0)
    sizes, times = np.unique(steps, return_counts=True)
    least = least_sum(observed, alternative)
    found = flip_tail(
        sizes.astype(np.float64), times.astype(np.float64), least - 0.5
    )  # sums are whole
    if found is None:
        return spectral_sign_flip(sizes, times, observed, alternative)
    return McNemarTest(
        statistic=observed, df=None, p=float(not_zero(min(sides(alternative) * found[0], 1.0)))
    )


def least_sum(observed: float, alternative: Alternative) -> float:
    """Return the sum from which on sums, whose signs are symmetric, count as extreme."""
    return {"two_sided": abs(observed), "greater": observed, "less": -observed}[alternative]


def spectral_sign_flip(
    sizes: IntArray, times: IntArray, observed: float, alternative: Alternative = "two_sided"
) -> McNemarTest | str:
    """Compute the same p for many clusters, from the characteristic function prod cos(d_k theta).

    Parameters
    ----------
    sizes, times : (k,) arrays of whole numbers above 0
        Distinct sizes of b - c, and clusters with each.
    observed : float
        D; two-sided not 0.
    alternative : {"two_sided", "greater", "less"}
    """
    reach = int(sizes @ times)
    if len(sizes) * reach > LARGEST_SUM:
        return "too many clusters for the exact distribution; use the t test"
    points = 2 * reach + 2
    theta = 2 * np.pi * np.arange(reach + 2) / points
    wave = np.ones(reach + 2)
    for size, k in zip(sizes.tolist(), times.tolist(), strict=True):
        wave *= np.cos(size * theta) ** k
    chance = np.fft.irfft(wave, n=points)  # the sums 0, 1, ..., reach, then the negative ones
    least = int(least_sum(observed, alternative))
    above = float(chance[max(least, 1 - least) : reach + 1].sum())
    tail = above if least > 0 else 1 - above  # P(sum < least) = P(sum > -least)
    p = min(max(sides(alternative) * tail, SPECTRAL_FLOOR), 1.0)
    return McNemarTest(statistic=observed, df=None, p=p)


def discordant_share(design: Paired, codes: Sequence[IntArray], level: float) -> Share | None:
    """Share b / (b + c) of the discordant pairs that are first only, with Wilson's interval for clusters.

    Clusters weigh by their discordant pairs (`clustered_share`). The odds of its ends are those of the matched odds
    ratio b / c; with b or c of 0 one of them is 0 or infinite. None without discordant pairs.
    """
    first, second, count = design.first, design.second, design.count
    mixed = first != second
    if not mixed.any():
        return None
    n = count[mixed]
    kept = [code[mixed] for code in codes]
    return clustered_share(
        (first > second)[mixed].astype(np.float64), n, kept, trials=float(n.sum()), level=level
    )


Ends = tuple[float, float]


def wald_std_error(cells: Cells) -> float:
    """Standard error of the difference: sqrt(b + c - (b - c)^2 / n) / n."""
    return math.sqrt(max(cells.b + cells.c - (cells.b - cells.c) ** 2 / cells.n, 0.0)) / cells.n


def wald(cells: Cells, level: float) -> Ends:
    """Difference -+ z s.e.; far too short in small samples, and without width when no pair is discordant."""
    return _around(cells.difference, critical_value(level) * wald_std_error(cells))


def added(cells: Cells, level: float, extra: float) -> Ends:
    """Wald's interval after `extra` pairs were added to b and to c, and 2 to n, cut at -1 and 1.

    extra = 1: Bonett and Price (2012); extra = 1/2: Agresti and Min (2005).
    """
    n = cells.n + 2
    p12, p21 = (cells.b + extra) / n, (cells.c + extra) / n
    reach = critical_value(level) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / n)
    return _around(p12 - p21, reach)


def newcombe(cells: Cells, level: float) -> Ends:
    """Newcombe's (1998) method 10: Wilson's intervals of both proportions, squared and added with their correlation.

    Lower: D - sqrt(dl1^2 - 2 phi dl1 du2 + du2^2), with dl1 = p1 - l1, du2 = u2 - p2; upper likewise. phi is the
    table's, its numerator a d - b c lessened by n / 2 (not below 0) when positive. 0 where a margin is empty.
    """
    a, b, c, d, n = cells.a, cells.b, cells.c, cells.d, cells.n
    p = np.array([a + b, a + c]) / n
    low, high = wilson(p, np.array([n, n]), level=level)
    below, above = p - low, high - p
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    top = a * d - b * c
    phi = (max(top - n / 2, 0.0) if top > 0 else top) / math.sqrt(margins) if margins else 0.0
    down = below[0] ** 2 - 2 * phi * below[0] * above[1] + above[1] ** 2
    up = above[0] ** 2 - 2 * phi * above[0] * below[1] + below[1] ** 2
    return cells.difference - math.sqrt(max(down, 0.0)), cells.difference + math.sqrt(max(up, 0.0))


def tango(cells: Cells, level: float) -> Ends:
    """Tango's (1998) score interval: the differences that the score test does not reject.

    The ends solve (b - c - n delta)^2 = z^2 n (2 q + delta (1 - delta)), q the constrained maximum-likelihood
    estimate of P(second only). It has width, and covers, without discordant pairs too.

    Examples
    --------
    >>> low, high = tango(Cells(a=794, b=150, c=86, d=570), 0.95)
    >>> round(low, 6), round(high, 6)
    (0.021362, 0.058998)
    """
    b, c, n = (np.array([value], dtype=np.float64) for value in (cells.b, cells.c, cells.n))
    low, high = PairedScore(first=b, second=c, n=n).interval(level)
    return float(low[0]), float(high[0])


def _around(middle: float, reach: float) -> Ends:
    return max(middle - reach, -1.0), min(middle + reach, 1.0)


INTERVALS: dict[str, Callable[[Cells, float], Ends]] = {
    "tango": tango,
    "newcombe": newcombe,
    "bonett_price": partial(added, extra=1.0),
    "agresti_min": partial(added, extra=0.5),
    "wald": wald,
}
NAMES = {
    "tango": "Tango's score interval",
    "newcombe": "Newcombe's interval (method 10)",
    "bonett_price": "Bonett and Price's interval",
    "agresti_min": "Agresti and Min's interval",
    "wald": "Wald's interval",
}


CLUSTERED_SCORE = "Tango's score interval and test for clusters"


def with_share_difference(
    row: Row,
    first: FloatArray,
    second: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray],
    level: float,
) -> Row:
    """Return a row with the difference of two shares seen on the same units, its interval and test.

    Independent pairs: Tango's interval and McNemar's mid-p test. Clusters: t interval (cut at -1
    and 1) and test of `clustered_mean`, or those of `paired_score` where it leads (few effective discordant pairs).

    Parameters
    ----------
    row : Row
    first, second : (cells,) arrays of 0 and 1
    count : (cells,) float64 array
    codes : none, one or two (cells,) int64 arrays
    level : float

    Examples
    --------
    >>> x, y, n = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 1, 0]), np.array([794.0, 150, 86, 570])
    >>> found = with_share_difference(Row(term="x - y"), x, y, n, (), 0.95)
    >>> round(found.estimate, 3), round(found.conf_low, 4), round(found.conf_high, 4)
    (0.04, 0.0214, 0.059)
    """
    cells = cells_of(first, second, count)
    row = replace(row, estimate=cells.difference, method="cluster-robust t")
    if not codes:
        return with_ends(
            row,
            *tango(cells, level),
            level,
            std_error=wald_std_error(cells) or None,
            p_value=mid_p(cells).p,
            method="Tango's score interval; McNemar's mid-p test",
            interval="score",
            test="mid_p",
        )
    d = np.asarray(first - second)
    score, found = paired_score(d, count, codes), clustered_mean(d, count, codes, magnitude=1.0)
    if score.df is None or np.isnan(score.n[0]):
        return replace(row, undefined=ONE_CLUSTER)
    if score.leads[0] or found.undefined:
        low, high = (float(end[0]) for end in score.interval(level))
        return with_ends(
            row,
            low,
            high,
            level,
            df=float(score.df[0]),
            std_error=None if found.undefined else found.std_error,
            statistic=float(score.statistic(0.0)[0]),
            p_value=float(score.p_value(0.0)[0]),
            method=CLUSTERED_SCORE,
            interval="score",
            test="score",
        )
    return with_mean(row, found, level, within=(-1.0, 1.0))


RANK = 1e-10


def bowker(table: FloatArray) -> McNemarTest:
    """Bowker's (1948) test of symmetry: sum over i < j of (n_ij - n_ji)^2 / (n_ij + n_ji).

    Pairs of cells that are both empty are uninformative and left out. The degrees of freedom are the number of other
    pairs, k (k - 1) / 2 when none is empty. No cell is shifted. Without pairs that differ: 0, p = 1.

    Parameters
    ----------
    table : (k, k) array of counts

    Examples
    --------
    >>> test = bowker(np.array([[10.0, 0.0], [5.0, 3.0]]))
    >>> test.statistic, test.df, round(test.p, 4)
    (5.0, 1.0, 0.0253)
    """
    upper, lower = (part[np.triu_indices(len(table), 1)] for part in (table, table.T))
    total = upper + lower
    met = total > 0
    if not met.any():
        return NOTHING
    return chi_square(float(np.sum((upper - lower)[met] ** 2 / total[met])), float(met.sum()))


def stuart_maxwell(table: FloatArray) -> McNemarTest:
    """Stuart's (1955) and Maxwell's (1970) test of marginal homogeneity: d' S^- d.

    d_i = n_i. - n_.i, S_ii = n_i. + n_.i - 2 n_ii, S_ij = -(n_ij + n_ji). S is singular by one for each group of levels
    that exchange pairs. Levels without exchange are separate groups. d lies in its range, so the inverse is taken there
    and df is its rank: k - 1 when all levels are connected.

    Parameters
    ----------
    table : (k, k) array of counts

    Examples
    --------
    >>> test = stuart_maxwell(np.array([[10.0, 0.0], [5.0, 3.0]]))
    >>> round(test.statistic, 6), test.df
    (5.0, 1.0)
    """
    gap = table.sum(axis=1) - table.sum(axis=0)
    spread = np.diag(table.sum(axis=1) + table.sum(axis=0)) - table - table.T
    values, vectors = np.linalg.eigh(spread)
    kept = values > RANK * max(float(values[-1]), 1.0)
    if not kept.any():
        return NOTHING
    turned = vectors[:, kept].T @ gap
    return chi_square(float(turned**2 @ (1 / values[kept])), float(kept.sum()))


def cochran_q(values: FloatArray, count: FloatArray) -> McNemarTest:
    """Cochran's (1950) Q: (k - 1) (k sum C_j^2 - T^2) / (k T - sum R_i^2), chi-square with k - 1 df.

    C_j are the column sums, R_i the row sums, T the total. Both parts are added up from whole numbers that are 0 for
    rows of one value: sum (k C_j - T)^2 / k and sum R_i (k - R_i). With two columns Q is McNemar's chi-square. Without
    a row that differs within itself: 0, p = 1.

    Parameters
    ----------
    values : (units, k) array of 0 and 1
    count : (units,) float64 array
        How many alike units each row stands for.

    Examples
    --------
    >>> import numpy as np
    >>> test = cochran_q(np.array([[1.0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.ones(4))
    >>> round(test.statistic, 4), test.df
    (4.5, 2.0)
    """
    k = values.shape[1]
    rows = values.sum(axis=1)
    off = count @ (k * values - rows[:, None])
    inside = float(count @ (rows * (k - rows)))
    return chi_square((k - 1) * float(off @ off) / k / inside if inside > 0 else 0.0, k - 1.0)


SINGULAR = 1e-10  # smallest over largest eigenvalue of the covariance


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotelling:
    """T-squared with its number of means and p; NaN where there is none, and `undefined` and `reason` say why."""

    statistic: float
    df: int
    p_value: float
    undefined: str = ""
    reason: Reason | None = None

    @classmethod
    def none(cls, df: int, why: str, reason: Reason) -> Self:
        """State why there is no test."""
        return cls(statistic=math.nan, df=df, p_value=math.nan, undefined=why, reason=reason)


def hotelling(values: FloatArray) -> Hotelling:
    """Test that all columns of (n, m) independent rows have mean 0.

    T^2 = n mean' S^-1 mean; (n - m) / (m (n - 1)) T^2 is F with m and n - m degrees of freedom for normal rows
    (Hotelling 1931). With n = m the F has no degrees of freedom, and with one more row a single one: there is no test.

    Examples
    --------
    >>> test = hotelling(np.array([[1.0, 0.0], [2.0, 1.0], [0.5, 2.0], [1.5, -1.0], [2.0, 0.5]]))
    >>> round(test.statistic, 3), test.df
    (31.0, 2)
    """
    n, m = values.shape
    if not m:
        return Hotelling.none(0, "a single level: nothing can change", "no_variation")
    if n <= m + 1:
        return Hotelling.none(m, f"too few clusters ({n}) for {m} means", "unidentified")
    mean, cov = values.mean(axis=0), np.atleast_2d(np.cov(values, rowvar=False))
    sizes = np.linalg.eigvalsh(cov)
    rounding = left_of_sums(math.sqrt(max(float(sizes[-1]), 0.0)), float(np.abs(values).max()))
    if sizes[0] <= max(SINGULAR * sizes[-1], rounding**2):
        return Hotelling.none(
            m, "a level that never changes, or always with another: no joint test", "unidentified"
        )
    statistic = float(n * mean @ np.linalg.solve(cov, mean))
    p = float(not_zero(fdtrc(m, n - m, statistic * (n - m) / (m * (n - 1)))))
    return Hotelling(statistic=statistic, df=m, p_value=p)
