"""Adjusted p-values of a family of tests, by the names that R, statsmodels and pingouin give the methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError
from socialstats.inference.intervals import not_zero
from socialstats.voice import option


def unsorted(adjusted: FloatArray, order: IntArray) -> FloatArray:
    """Return adjusted p-values, at most 1, in the order of the tests."""
    out = np.empty(len(order))
    out[order] = np.minimum(adjusted, 1)
    return out


def holm(p: FloatArray) -> FloatArray:
    """Return Holm's (1979) step-down adjusted p-values.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    m = len(p)
    # the i-th smallest of m is multiplied by m - i + 1
    stepped = np.maximum.accumulate((m - np.arange(m)) * p[order])
    return unsorted(stepped, order)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Return Benjamini and Hochberg's (1995) step-up adjusted p-values.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(-p, kind="stable")
    m = len(p)
    stepped = np.minimum.accumulate(m / (m - np.arange(m)) * p[order])
    return unsorted(stepped, order)


def bonferroni(p: FloatArray) -> FloatArray:
    """Return p-values times their number, at most 1.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.4, 0.03])).tolist()
    [0.03, 1.0, 0.09]
    """
    return np.asarray(np.minimum(len(p) * p, 1))


def hochberg(p: FloatArray) -> FloatArray:
    """Return Hochberg's (1988) step-up adjusted p-values: those of Holm read from the largest p down.

    Examples
    --------
    >>> hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(-p, kind="stable")
    return unsorted(np.minimum.accumulate((1 + np.arange(len(p))) * p[order]), order)


def benjamini_yekutieli(p: FloatArray) -> FloatArray:
    """Return Benjamini and Yekutieli's (2001, theorem 1.3) adjusted p-values: valid under any dependence.

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04])).round(4).tolist()
    [0.03, 0.06]
    """
    m = len(p)
    order = np.argsort(-p, kind="stable")
    penalty = float((1 / np.arange(1, m + 1)).sum())
    stepped = np.minimum.accumulate(penalty * m / (m - np.arange(m)) * p[order])
    return unsorted(stepped, order)


def sidak(p: FloatArray) -> FloatArray:
    """Return Sidak's (1967) adjusted p-values, 1 - (1 - p)^m: exact for independent tests.

    Examples
    --------
    >>> sidak(np.array([0.01, 0.4])).round(4).tolist()
    [0.0199, 0.64]
    """
    return np.asarray(-np.expm1(len(p) * np.log1p(-np.minimum(p, 1 - 1e-16))))


def holm_sidak(p: FloatArray) -> FloatArray:
    """Return the step-down form of Sidak's adjusted p-values: max over j <= i of 1 - (1 - p(j))^(m - j + 1).

    Examples
    --------
    >>> holm_sidak(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.0297, 0.0591, 0.0591]
    """
    order = np.argsort(p, kind="stable")
    left = len(p) - np.arange(len(p))
    single = -np.expm1(left * np.log1p(-np.minimum(p[order], 1 - 1e-16)))
    return unsorted(np.maximum.accumulate(single), order)


def hommel(p: FloatArray) -> FloatArray:
    """Return Hommel's (1988) adjusted p-values: of every set of tests with a test in it, the largest p of Simes.

    Among the sets of one size, the set with the largest p of Simes holds the test and the largest other p-values.

    Examples
    --------
    >>> hommel(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p, kind="stable")
    ascending, m = p[order], len(p)
    largest = ascending.copy()
    for size in range(2, m + 1):
        simes = size * ascending[m - size :] / np.arange(1, size + 1)
        # the test and the size - 1 largest
        beside = np.minimum(size * ascending[: m - size], simes[1:].min())
        largest = np.maximum(largest, np.concatenate([beside, np.full(size, simes.min())]))
    return unsorted(largest, order)


P_METHODS: dict[str, tuple[str, Callable[[FloatArray], FloatArray], tuple[str, ...]]] = {
    "holm": ("Holm", holm, ("holm1979",)),
    "bonferroni": ("Bonferroni", bonferroni, ("holm1979",)),
    "sidak": ("Sidak", sidak, ("sidak1967",)),
    "holm_sidak": ("Holm-Sidak", holm_sidak, ("holm1979", "sidak1967")),
    "hommel": ("Hommel", hommel, ("hommel1988",)),
    "hochberg": ("Hochberg", hochberg, ("hochberg1988",)),
    "bh": ("Benjamini-Hochberg", benjamini_hochberg, ("benjamini1995",)),
    "by": ("Benjamini-Yekutieli", benjamini_yekutieli, ("benjaminiyekutieli2001",)),
}
# as R, statsmodels and pingouin call them
PEERS = {
    "bonf": "bonferroni",
    "simes_hochberg": "hochberg",
    "fdr": "bh",
    "fdr_bh": "bh",
    "fdr_by": "by",
}
AdjustMethod = Literal[
    "holm", "bonferroni", "hochberg", "hommel", "sidak", "holm_sidak", "bh", "by"
]


def method_named(name: Any, *others: str, key: str = "method") -> str:
    """Return the name of a method of adjusting, also for R's, statsmodels' and pingouin's name of it.

    Parameters
    ----------
    name : str
    *others : str
        What is allowed besides the methods of `P_METHODS`.
    key : str
        The option, for messages.

    Raises
    ------
    InputError
        For another name.

    Examples
    --------
    >>> method_named("fdr_bh"), method_named("BH"), method_named("holm-sidak"), method_named("none", "none")
    ('bh', 'bh', 'holm_sidak', 'none')
    """
    plain = name.lower().replace("-", "_") if isinstance(name, str) else name
    plain = PEERS.get(plain, plain) if isinstance(plain, str) else plain
    if plain not in (*P_METHODS, *others):
        raise InputError(f"{option(key, name)} is not one of {', '.join([*P_METHODS, *others])}")
    return str(plain)


def adjust_p_values(p: FloatArray, method: str) -> FloatArray:
    """Return the adjusted p-values of one family; never 0 (see `not_zero`).

    Parameters
    ----------
    p : (m,) float64 array
        All in [0, 1]; tests that do not exist are left out before.
    method : str
        Key of `P_METHODS`.
    """
    return not_zero(P_METHODS[method][1](p))
