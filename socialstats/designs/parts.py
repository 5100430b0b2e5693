"""Parts of designs: arrays, factors, covariates, steps of the flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.errors import InputError

A_WON, B_WON, TIED = 0, 1, 2


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


def taken(factor: Factor, index: AnyArray) -> Factor:
    """Return a factor at some places, with the levels that are left; -1 (no level) stays -1."""
    codes, dense = np.unique(factor.codes[index], return_inverse=True)
    none = int(np.sum(codes < 0))
    return Factor(
        name=factor.name, codes=dense.astype(np.int64) - none,
        levels=tuple(factor.levels[code] for code in codes[none:].tolist()),
    )  # fmt: skip


def named_factors(
    clusters: Sequence[Factor], by: Factor | None, names: str | Sequence[str] | None
) -> tuple[Factor, ...]:
    """Return declared factors by name.

    Parameters
    ----------
    clusters : sequence of Factor
    by : Factor or None
        May be named too.
    names : str, sequence of str or None
        ``"declared"``: all of `clusters`; None: none.

    Raises
    ------
    InputError
        If a name is not declared.
    """
    if names is None:
        return ()
    if isinstance(names, str) and names == "declared":
        return tuple(clusters)
    known: dict[str, Any] = {factor.name: factor for factor in (*([by] if by else []), *clusters)}
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in known:
            listed = ", ".join(f"'{n}'" for n in known) or "none"
            raise InputError(f"no cluster '{name}'. Clusters declared: {listed}; declare others with cluster=")
    return tuple(known[name] for name in wanted)
