"""The small pieces of a design: outcomes, factors, covariates, steps of the flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

A_WON, B_WON, TIED = 0, 1, 2

IntArray = np.ndarray[Any, np.dtype[np.int64]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factor:
    """A grouping variable on the cells.

    Attributes
    ----------
    name : str
    codes : (cells,) int64 array, indexes into `levels`
    levels : tuple of str
    mixed : tuple of str
        Levels that the column writes both as a number and as text, when it is read.
    """

    name: str
    codes: IntArray
    levels: tuple[str, ...]
    mixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Covariate:
    """A variable with one value for each side of a comparison (numbers as float64, labels as str objects).

    Attributes
    ----------
    name : str
        Without the side: ``urgency`` for the columns ``urgency_a`` and ``urgency_b``.
    a, b : (cells,) arrays
    """

    name: str
    a: AnyArray
    b: AnyArray


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step from the rows read to the rows analysed: what happened, to how many rows, and why."""

    label: str
    rows: int
    note: str = ""
