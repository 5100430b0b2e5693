"""Adjusted p-values from the joint distribution of several statistics: single-step and step-down max-t."""

from __future__ import annotations

import numpy as np

from socialstats.errors import InputError
from socialstats.resampling.units import FloatArray

ROUNDING = 1e-9


def max_t(statistics: FloatArray, draws: FloatArray, *, step_down: bool = True) -> tuple[FloatArray, FloatArray]:
    """Adjust the p-values of m two-sided tests by the largest |t|.

    Single-step: p_j is the share of draws whose largest |t| of all m tests reaches |t_j|. Step-down: the tests in
    order of |t|, each against the largest of itself and those after it, then made monotone (Westfall & Young 1993,
    algorithm 4.1). Shares are (b + 1)/(B + 1).

    Parameters
    ----------
    statistics : (m,) float64 array
    draws : (B, m) float64 array
        Joint draws of the statistics under the hypothesis that no test has an effect.
    step_down : bool

    Returns
    -------
    p, error : (m,) float64 arrays
        Adjusted p-values and their Monte-Carlo standard errors.

    Raises
    ------
    InputError
        If shapes do not fit, or a number is not finite.

    References
    ----------
    Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple testing. Wiley.

    Examples
    --------
    >>> noise = np.random.default_rng(1).standard_normal((4000, 2))
    >>> p, _ = max_t(np.array([2.5, 0.5]), noise)
    >>> [round(x, 2) for x in p.tolist()]
    [0.02, 0.62]
    """
    size = np.abs(np.asarray(statistics, dtype=np.float64))
    noise = np.abs(np.asarray(draws, dtype=np.float64))
    if noise.ndim != 2 or size.ndim != 1 or noise.shape[1] != len(size) or not noise.size:
        raise InputError(f"draws of shape {noise.shape} do not fit {len(size)} statistics: (draws, statistics) needed")
    if not (np.all(np.isfinite(size)) and np.all(np.isfinite(noise))):
        raise InputError("statistics and draws must be finite numbers; leave tests that do not exist out")
    order = np.argsort(-size, kind="stable")
    edge = size[order] * (1 - ROUNDING)  # a draw equal to the statistic reaches it
    largest = np.maximum.accumulate(noise[:, order[::-1]], axis=1)[:, ::-1]
    reference = largest if step_down else largest[:, :1]
    share = (1 + (reference >= edge).sum(axis=0)) / (1 + len(noise))
    p = np.empty(len(size))
    p[order] = np.maximum.accumulate(share)
    return p, np.sqrt(p * (1 - p) / len(noise))
