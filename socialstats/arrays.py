"""Names of arrays, with numpy arrays of any shape by their values; distinct rows; the unit of sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

AnyArray = np.ndarray[Any, np.dtype[Any]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]

# binary exponents: fourth powers of sizes up to 2^200, and of their rounding errors, are normal
# floats
SAFE = 200


def unique_rows(rows: AnyArray) -> tuple[AnyArray, IntArray, IntArray]:
    """Return the distinct rows of a table, ascending, the first place of each, and which of them each row is.

    These are the results of ``np.unique(axis=0)``, which compares whole rows and is five to twenty times slower.

    Parameters
    ----------
    rows : (n, k) array
        Without NaN.

    Returns
    -------
    distinct : (m, k) array
    first : (m,) int64 array
    place : (n,) int64 array

    Examples
    --------
    >>> found, first, place = unique_rows(np.array([[1, 2], [0, 5], [1, 2]]))
    >>> found.tolist(), first.tolist(), place.tolist()
    ([[0, 5], [1, 2]], [1, 0], [1, 0, 1])
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return ordered[new], order[new], place


def size_unit(*values: FloatArray) -> float:
    """Return the power of two next to the largest size of some numbers, or 1 for sizes from 2^-200 to 2^200.

    Division by it is exact (but for the loss of numbers 2^1000 times smaller), so that statistics without a unit keep
    their values. Those with a unit are multiplied by it.

    Parameters
    ----------
    *values : float64 arrays
        Finite.

    Examples
    --------
    >>> size_unit(np.array([3.0, -1e20])), size_unit(np.array([3e300, 1.0])) == 2.0**998, size_unit(np.zeros(2))
    (1.0, True, 1.0)
    """
    largest = max((float(np.abs(array).max(initial=0.0)) for array in values), default=0.0)
    exponent = math.frexp(largest)[1] - 1
    return 1.0 if largest == 0 or abs(exponent) <= SAFE else math.ldexp(1.0, exponent)


def scale_free(values: FloatArray) -> FloatArray:
    """Return numbers divided by their `size_unit`, for statistics that do not depend on a common factor."""
    return values / size_unit(values)
