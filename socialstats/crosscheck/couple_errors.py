"""Errors and degrees of freedom of a contrast of cell means, by weighted regression with clustered errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.couple_records import Key
from socialstats.results import FloatArray

if TYPE_CHECKING:
    import pandas as pd


def contrast_error(table: pd.DataFrame, contrast: dict[Key, float], cells: dict[Key, int]) -> tuple[float, float]:
    """Standard error and degrees of freedom of a contrast.

    Parameters
    ----------
    table : DataFrame
        Weighted answers (`couple_records.weighted`), those of several levels one below the other, with the code of
        their ``cell``.
    contrast : mapping
        Coefficients of cells.
    cells : mapping
        Codes of cells.

    Returns
    -------
    tuple of float
        Not a number where there is one cluster only.
    """
    own = {cells[key]: value for key, value in contrast.items()}
    mine = table[table["cell"].isin(list(own))]
    mine = mine.assign(cell=np.unique(mine["cell"], return_inverse=True)[1])
    coefficient = np.array([own[code] for code in sorted(own)])
    codes = [np.unique(mine[name], return_inverse=True)[1] for name in ("g0", "g1") if name in mine]
    if any(code.max(initial=0) < 1 for code in codes):
        return np.nan, np.nan
    if len(codes) == 2:
        return two_way(mine, coefficient, codes)
    return one_way(mine, coefficient, codes[0]) if codes else independent(mine, coefficient)


def fitted(mine: pd.DataFrame) -> Any:
    """Weighted regression of the answers on dummies of the cells."""
    import pandas as pd
    import statsmodels.api as sm

    dummies = pd.get_dummies(mine["cell"]).sort_index(axis=1).to_numpy(dtype=float)
    return sm.WLS(mine["score"].to_numpy(), dummies, weights=mine["w"].to_numpy()).fit()


def two_way(mine: pd.DataFrame, contrast: FloatArray, codes: list[Any]) -> tuple[float, float]:
    """V1 + V2 - V12 with G/(G-1) for each, not below the larger of V1 and V2; Cochran's degrees of freedom."""
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    both, one, two = cov_cluster_2groups(fitted(mine), codes[0], codes[1], use_correction=False)
    sizes = [len(np.unique(c)) for c in codes]
    sizes.append(len(np.unique(np.column_stack(codes), axis=0)))
    parts = [
        float(contrast @ v @ contrast) * g / (g - 1) for v, g in zip((one, two, one + two - both), sizes, strict=True)
    ]
    error = float(np.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1])))
    return error, cochran(parts[:2], [g - 1 for g in sizes[:2]]) if sum(parts[:2]) > 0 else np.nan


def cochran(parts: list[float], dfs: list[int]) -> float:
    """Degrees of freedom whose t quantile is the mean of those of the parts, weighted by them: a root of scipy's t."""
    from scipy import optimize, stats

    wanted = float(np.average(stats.t.ppf(0.975, dfs), weights=parts))
    low, high = min(dfs), max(dfs)
    if low == high:
        return float(low)

    def beyond(df: float) -> float:
        return float(stats.t.ppf(0.975, df)) - wanted

    return float(optimize.brentq(beyond, 0.999 * low, 1.001 * high, xtol=1e-12, rtol=1e-13))


def one_way(mine: pd.DataFrame, contrast: FloatArray, code: Any) -> tuple[float, float]:
    """CR2 of a mean: sums of the residuals by cluster, each over the root of 1 - its share of the units.

    The degrees of freedom are tr(P)^2 / tr(P^2) with P of independent units written out as a matrix.
    """
    off = mine["w"] * fitted(mine).resid * contrast[mine["cell"].to_numpy()]
    sums = np.bincount(code, off / mine.groupby("cell")["w"].transform("sum"))
    size = np.bincount(mine.assign(code=code).drop_duplicates("unit")["code"]).astype(float)
    left = 1 - size / size.sum()
    p = (np.diag(size) - np.outer(size, size) / size.sum()) / np.sqrt(np.outer(left, left))
    return float(np.sqrt((sums**2 / left).sum())), float(np.trace(p) ** 2 / (p * p).sum())


def independent(mine: pd.DataFrame, contrast: FloatArray) -> tuple[float, float]:
    """Clusters of single units (of all answers to it), with n/(n-1)."""
    from statsmodels.stats.sandwich_covariance import cov_cluster

    units = np.unique(mine["unit"], return_inverse=True)[1]
    n = int(units.max(initial=0)) + 1
    if n < 2:
        return np.nan, np.nan
    cov = cov_cluster(fitted(mine), units, use_correction=False)
    return float(np.sqrt(float(contrast @ cov @ contrast) * n / (n - 1))), float(n - 1)
