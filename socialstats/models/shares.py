"""Shares of groups in the total worth, on arrays."""

from __future__ import annotations

from typing import Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray

Scale = Literal["arithmetic", "geometric"]


def group_shares(strengths: FloatArray, groups: IntArray, scale: Scale) -> FloatArray:
    """Share of each group: its mean worth over the sum of the groups' mean worths.

    Parameters
    ----------
    strengths : (B, items) float64 array
        Log-strengths; adding a constant to a row changes nothing.
    groups : (items,) int64 array
        Codes from 0 without gaps.
    scale : {"arithmetic", "geometric"}
        Mean of exp(strength), or exp of the mean strength.

    Returns
    -------
    (B, groups) float64 array
        Rows sum to 1.

    Examples
    --------
    >>> group_shares(np.log([[1.0, 3.0, 6.0]]), np.array([0, 0, 1]), "arithmetic").round(3).tolist()
    [[0.25, 0.75]]
    """
    member = np.equal.outer(groups, np.arange(int(groups.max()) + 1)).astype(np.float64)
    sizes = member.sum(axis=0)
    top = strengths.max(axis=1, keepdims=True)
    if scale == "geometric":
        means = (strengths - top) @ member / sizes
        worth = np.exp(means - means.max(axis=1, keepdims=True))
    else:
        worth = np.exp(strengths - top) @ member / sizes
    share: FloatArray = worth / worth.sum(axis=1, keepdims=True)
    return share


def share_gradient(strengths: FloatArray, groups: IntArray, scale: Scale) -> FloatArray:
    """Derivative of each share by each log-strength: dP_g/dl_i = (1[i in g] - P_g) P_{g(i)} s_i.

    s_i is item i's share of its group's mean: worth_i over the group's total (arithmetic), 1 over the group's
    size (geometric).

    Returns
    -------
    (groups, items) float64 array
    """
    share = group_shares(strengths[None, :], groups, scale)[0]
    own = group_portions(strengths, groups) if scale == "arithmetic" else (1 / np.bincount(groups))[groups]
    inside = np.equal.outer(np.arange(len(share)), groups).astype(np.float64)
    gradient: FloatArray = (inside - share[:, None]) * (share[groups] * own)[None, :]
    return gradient


def group_portions(strengths: FloatArray, groups: IntArray) -> FloatArray:
    """Each item's portion of the total worth of its group: (items,), sums to 1 in a group."""
    worth = np.exp(strengths - strengths.max())
    portion: FloatArray = worth / np.bincount(groups, worth)[groups]
    return portion
