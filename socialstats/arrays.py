"""Names of the arrays that functions take and return: numpy arrays of any shape, by their values."""

from __future__ import annotations

from typing import Any

import numpy as np

AnyArray = np.ndarray[Any, np.dtype[Any]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
