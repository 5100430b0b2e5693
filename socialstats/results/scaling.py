"""Sizes of numbers: the power of two that keeps their squares and fourth powers within the range of floats."""

from __future__ import annotations

import math

import numpy as np

from socialstats.arrays import FloatArray

SAFE = 200  # binary exponents: fourth powers of sizes up to 2^200, and of their rounding errors, are normal floats


def size_unit(*values: FloatArray) -> float:
    """Return the power of two next to the largest size of some numbers, or 1 for sizes from 2^-200 to 2^200.

    Division by it is exact (but for the loss of numbers 2^1000 times smaller), so that statistics without a unit stay
    as they are, and those with a unit are multiplied by it.

    Parameters
    ----------
    *values : float64 arrays
        Finite.

    Examples
    --------
    >>> size_unit(np.array([3.0, -1e20])), size_unit(np.array([3e300, 1.0])) == 2.0**998, size_unit(np.zeros(2))
    (1.0, True, 1.0)
    """
    largest = max((float(np.abs(one).max(initial=0.0)) for one in values), default=0.0)
    exponent = math.frexp(largest)[1] - 1
    return 1.0 if largest == 0 or abs(exponent) <= SAFE else math.ldexp(1.0, exponent)


def scaled(values: FloatArray) -> FloatArray:
    """Return numbers divided by their `size_unit`, for statistics that do not depend on a common factor."""
    return values / size_unit(values)
