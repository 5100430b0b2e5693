"""Errors and degrees of freedom of a contrast of cell means, by weighted regression with clustered errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.couple_records import Key
from socialstats.crosscheck.row_arithmetic import weighted_df
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
    """The largest of V1, V2 (by CR2) and V1 + V2 - V12 (plain squares of intersections); Cochran's df."""
    both = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()
    if both.max() == max(int(code.max()) for code in codes):
        return one_way(mine, contrast, min(codes, key=lambda code: int(code.max())))
    parts = [one_way(mine, contrast, code) for code in codes]
    first, second = (error**2 for error, _ in parts)
    overlap = float((np.bincount(both, moved(mine, contrast)) ** 2).sum())
    error = float(np.sqrt(max(first, second, first + second - overlap)))
    return error, weighted_df([first, second], [df for _, df in parts]) if first + second > 0 else np.nan


def moved(mine: pd.DataFrame, contrast: FloatArray) -> FloatArray:
    """What every answer adds to the contrast: its residual over the weight of its cell."""
    off = mine["w"] * fitted(mine).resid * contrast[mine["cell"].to_numpy()]
    return np.asarray(off / mine.groupby("cell")["w"].transform("sum"), dtype=np.float64)


def one_way(mine: pd.DataFrame, contrast: FloatArray, code: Any) -> tuple[float, float]:
    """CR2 of a mean: sums of the residuals by cluster, each over the root of 1 - its share of the units.

    The degrees of freedom are tr(P)^2 / tr(P^2) with P of independent units written out as a matrix.
    """
    sums = np.bincount(code, moved(mine, contrast))
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
