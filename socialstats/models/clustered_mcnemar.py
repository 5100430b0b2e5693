"""McNemar's test when pairs come in clusters, from the cells of each cluster.

With d_k = b_k - c_k and n_k pairs in cluster k of K, D = sum d_k, N = sum n_k. All statistics are chi-square with 1 df.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.paired import Paired
from socialstats.inference.intervals import not_zero
from socialstats.inference.proportions import Share, clustered_share
from socialstats.models.mcnemar import McNemarTest
from socialstats.resampling.flip_exact import flip_tail

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


def cluster_cells(first: FloatArray, second: FloatArray, count: FloatArray, code: IntArray) -> ClusterCells:
    """Count the cells of each cluster.

    Parameters
    ----------
    first, second : (cells,) arrays of 0 and 1
    count : (cells,) float64 array
    code : (cells,) int64 array
        Cluster of each cell; levels that no cell has are left out.
    """
    dense = np.unique(code, return_inverse=True)[1]
    kinds = {"a": (1, 1), "b": (1, 0), "c": (0, 1), "d": (0, 0)}
    size = int(dense.max()) + 1
    found = {
        name: np.bincount(dense, count * ((first == x) & (second == y)), minlength=size).astype(np.float64)
        for name, (x, y) in kinds.items()
    }
    return ClusterCells(**found)


def _ratio(top: float, bottom: float) -> McNemarTest | str:
    """Chi-square top / bottom, or why there is none."""
    if bottom <= 0:
        return "the clusters show no variance to judge the difference by"
    return McNemarTest(statistic=top / bottom, df=1.0, p=float(not_zero(chdtrc(1.0, top / bottom))))


def obuchowski(cells: ClusterCells) -> McNemarTest | str:
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
    if k < 2:
        return "a single cluster"
    return _ratio(float(cells.gap.sum()) ** 2, k / (k - 1) * float(cells.gap @ cells.gap))


def durkalski(cells: ClusterCells) -> McNemarTest | str:
    """Durkalski et al.'s (2003) test: (sum d_k/n_k)^2 / sum (d_k/n_k)^2; clusters weigh alike."""
    if len(cells.n) < 2:
        return "a single cluster"
    rate = cells.gap / cells.n
    return _ratio(float(rate.sum()) ** 2, float(rate @ rate))


def yang(cells: ClusterCells) -> McNemarTest | str:
    """Yang, Sun and Hardin's (2010) modified Obuchowski test.

    The variance is the mean of Obuchowski's, under the hypothesis, and the one around the estimate:
    K/(K-1) (sum d_k^2 + sum (d_k - n_k D/N)^2) / 2.
    """
    k, gap = len(cells.n), cells.gap
    if k < 2:
        return "a single cluster"
    off = gap - cells.n * gap.sum() / cells.n.sum()
    return _ratio(float(gap.sum()) ** 2, k / (k - 1) * float(gap @ gap + off @ off) / 2)


def eliasziw(cells: ClusterCells) -> McNemarTest | str:
    """Eliasziw and Donner's (1991) test: McNemar's chi-square over a design effect 1 + (n_c - 1) rho.

    rho is the correlation of the discordant pairs within clusters, from the analysis-of-variance estimate over the
    four cells; a negative estimate is taken as 0, so that the test is never larger than McNemar's.
    """
    s = cells.b + cells.c
    mixed = int(np.count_nonzero(s))
    if len(s) < 2:
        return "a single cluster"
    if mixed < 2:
        return "fewer than two clusters hold a discordant pair"
    rho = discordant_correlation(cells)
    if rho is None:
        return "every cluster holds one pair, so no correlation within clusters can be estimated"
    size = discordant_size(s)
    effect = 1 + (size - 1) * max(rho, 0.0)
    return _ratio(float(cells.gap.sum()) ** 2, float(s.sum()) * max(effect, 1.0))


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


def sign_flip(gap: FloatArray) -> McNemarTest | str:
    """Exact test that flips the sign of each cluster's b - c; `statistic` is D.

    The distribution of sum +-d_k over all 2^K signs, by convolution (with very many clusters by Fourier transform,
    then p is not below 1e-12); p = P(abs(sum) >= abs(D)).

    Parameters
    ----------
    gap : (clusters,) array of whole numbers

    Examples
    --------
    >>> sign_flip(np.array([2.0, 1.0, 3.0])).p
    0.25
    """
    steps = np.abs(gap[gap != 0]).astype(np.int64)
    observed = float(gap.sum())
    if not observed:
        return McNemarTest(statistic=0.0, df=None, p=1.0)
    sizes, times = np.unique(steps, return_counts=True)
    found = flip_tail(sizes.astype(np.float64), times.astype(np.float64), abs(observed) - 0.5)  # sums are whole
    if found is None:
        return spectral_sign_flip(sizes, times, observed)
    return McNemarTest(statistic=observed, df=None, p=float(not_zero(min(2 * found[0], 1.0))))


def spectral_sign_flip(sizes: IntArray, times: IntArray, observed: float) -> McNemarTest | str:
    """Compute the same p for many clusters, from the characteristic function prod cos(d_k theta).

    Parameters
    ----------
    sizes, times : (k,) arrays of whole numbers above 0
        Distinct sizes of b - c, and clusters with each.
    observed : float
        D, not 0.
    """
    reach = int(sizes @ times)
    if len(sizes) * reach > LARGEST_SUM:
        return "too many clusters for the exact distribution; use the t test"
    points = 2 * reach + 2
    theta = 2 * np.pi * np.arange(reach + 2) / points
    wave = np.ones(reach + 2)
    for size, k in zip(sizes.tolist(), times.tolist(), strict=True):
        wave *= np.cos(size * theta) ** k
    chance = np.fft.irfft(wave, n=points)  # of the sums 0, 1, ..., reach; the rest are the negative ones
    tail = 2 * float(chance[int(abs(observed)) : reach + 1].sum())
    return McNemarTest(statistic=observed, df=None, p=min(max(tail, SPECTRAL_FLOOR), 1.0))


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
    return clustered_share((first > second)[mixed].astype(np.float64), n, kept, trials=float(n.sum()), level=level)
