"""Paired: the same units under two conditions.

What comes out of reading a table are *cells*: distinct pairs of values within a cluster, with how many units they
stand for. Nothing that uses the design depends on the order of rows, and pairs were joined by key, never by position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.designs.parts import AnyArray, Factor, FloatArray, FlowStep
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse
from socialstats.tables import as_table
from socialstats.text import count as counted
from socialstats.text import listing, shorten

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Paired", "PairedScale"]

PairedScale = Literal["binary", "nominal", "numeric"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Paired:
    """A checked table of pairs, as cells. Every difference is the first condition minus the second.

    Attributes
    ----------
    conditions : pair of str
        Labels of the two conditions, in the declared order.
    first, second : (cells,) float64 arrays
        Values under the two conditions: numbers, or codes into `levels` (binary: 0 and 1).
    count : (cells,) float64 array
        Pairs in the cell: whole numbers from 1.
    scale : {"binary", "nominal", "numeric"}
    levels : tuple of str
        Labels of the codes 0, 1, ...; empty for numbers.
    by : Factor or None
    clusters : tuple of Factor
        Declared dependence between pairs; codes run over the cells.
    unmatched : tuple of str
        Units left out because one condition is missing.
    flow, source, columns, cautions
        As in `Comparisons`.
    """

    conditions: tuple[str, str]
    first: FloatArray
    second: FloatArray
    count: FloatArray
    scale: PairedScale
    levels: tuple[str, ...] = ()
    by: Factor | None = None
    clusters: tuple[Factor, ...] = ()
    unmatched: tuple[str, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    source: str = "data frame"
    columns: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()

    def __repr__(self) -> str:
        parts = [f"{counted(self.n_pairs, 'pair')}, {' and '.join(map(shorten, self.conditions))}, {self.scale}"]
        if self.clusters:
            parts.append(f"clusters {shorten(listing([c.name for c in self.clusters]))}")
        return f"<Paired: {'; '.join(parts)}>"

    @property
    def n_pairs(self) -> int:
        """Pairs analysed."""
        return int(self.count.sum())

    @property
    def n_rows(self) -> int:
        """Pairs analysed: a pair is the unit of every metric of this design."""
        return self.n_pairs

    @property
    def difference(self) -> FloatArray:
        """(cells,) float64 array: first minus second.

        Raises
        ------
        DesignError
            For nominal values, which have no difference.
        """
        if self.scale == "nominal":
            raise DesignError(f"{self.source}: differences need numbers or two levels; these values are nominal")
        return self.first - self.second

    def square(self) -> FloatArray:
        """(levels, levels) table of pair counts: value under the first condition by value under the second.

        Raises
        ------
        DesignError
            For numbers, which have no levels.
        """
        if self.scale == "numeric":
            raise DesignError(f"{self.source}: a table of pairs needs levels; these values are numbers")
        k = len(self.levels)
        cell = self.first.astype(np.int64) * k + self.second.astype(np.int64)
        return np.bincount(cell, weights=self.count, minlength=k * k).reshape(k, k).astype(np.float64)

    def factors(self, names: str | Sequence[str] | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors by name; as `Comparisons.factors`."""
        return named_factors(self.clusters, self.by, names)

    def take(self, mask: AnyArray, *, note: str = "cells taken") -> Paired:
        """Return some cells as a design of their own.

        Raises
        ------
        NothingToAnalyse
            If no cell is taken.
        """
        index = np.flatnonzero(mask)
        if not len(index):
            raise NothingToAnalyse(f"{self.source}: no pair is left ({note})")
        step = FlowStep(label=note, rows=int(self.count[index].sum()))
        return replace(
            self, first=self.first[index], second=self.second[index], count=self.count[index],
            by=taken(self.by, index) if self.by else None,
            clusters=tuple(taken(factor, index) for factor in self.clusters), flow=(*self.flow, step),
        )  # fmt: skip

    def split(self) -> dict[str, Paired]:
        """Return one design a level of `by` (just this one, under ``"all"``, without `by`)."""
        if self.by is None:
            return {"all": self}
        return {
            level: replace(self.take(self.by.codes == code, note=f"{self.by.name} = {level}"), by=None)
            for code, level in enumerate(self.by.levels)
        }

    def swap(self) -> Paired:
        """Exchange the two conditions: differences change their sign."""
        return replace(self, conditions=(self.conditions[1], self.conditions[0]), first=self.second, second=self.first)

    def table(self) -> pd.DataFrame:
        """Return the cells as a data frame: values under the two conditions, count, `by`, clusters."""
        from socialstats.designs.paired_views import table_of

        return table_of(self)

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        unit: str | None = None,
        condition: str | None = None,
        value: str | None = None,
        conditions: Sequence[str] | None = None,
        levels: Sequence[Any] | None = None,
        scale: PairedScale | None = None,
        by: str | None = None,
        cluster: str | Sequence[str] = (),
        missing: Literal["error", "drop"] = "error",
        unmatched: Literal["error", "drop"] = "error",
        na: str | Sequence[str] = (),
        source: str = "data frame",
    ) -> Paired:
        """Build the design from a long table: one row a unit and condition, joined by key.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            Of any engine that narwhals knows.
        unit : str, optional
            Column that names the unit (question, story, person), within `by`. By default ``unit`` or an alias
            (``item``, ``question``, ``story``, ``sample``, ``subject``, ``id``, ...).
        condition : str, optional
            Column of the two conditions. By default ``condition`` or an alias (``arm``, ``time``, ``model``, ...).
        value : str, optional
            Column of values. By default ``value`` or an alias (``score``, ``correct``, ``answer``, ...).
        conditions : pair of str, optional
            The two to compare: the first minus the second. Rows of other conditions are left out and counted in
            `flow`. By default the two labels that occur: in the order of an ordered categorical, else in that of
            their letters (caution SS310).
        levels : sequence, optional
            Levels of text values; two are (zero, one). Only numbers, 0/1, true/false and yes/no need none.
        scale : {"binary", "nominal", "numeric"}, optional
            By default 0/1, true/false, yes/no and two levels are binary, other numbers numeric, other texts nominal.
        by : str, optional
            Column that splits the table (for example the model).
        cluster : str or sequence of str
            Columns whose units are not independent of each other. A unit lies in one cluster.
        missing : {"error", "drop"}
            Missing values are an error that lists their rows, or their pairs are left out and counted in `flow`.
        unmatched : {"error", "drop"}
            Units with one condition only are an error that lists them, or are left out and listed in `unmatched`.
        na : str or sequence of str
            Further texts that mean a missing value. By default only empty fields are missing.
        source : str
            Name for messages.

        Returns
        -------
        Paired

        Raises
        ------
        DesignError
            When columns are missing, the conditions are not two, or two texts have no order.
        InputError
            When rows are wrong (repeated, unmatched, not numbers): up to 20 problems at once, with their rows.
        NothingToAnalyse
            When no pair is left.

        Examples
        --------
        >>> rows = {"item": [1, 1, 2, 2], "time": ["before", "after"] * 2, "score": [3, 5, 4, 4]}
        >>> design = Paired.from_frame(rows, conditions=("after", "before"))
        >>> design.difference.tolist(), design.n_pairs
        ([0.0, 2.0], 2)
        """
        from socialstats.designs.paired_options import PairedOptions
        from socialstats.designs.paired_reading import build_paired

        options = PairedOptions(
            unit=unit, condition=condition, value=value, conditions=conditions, levels=levels, scale=scale, by=by,
            cluster=cluster, missing=missing, unmatched=unmatched, na=na,
        )  # fmt: skip
        return build_paired(as_table(data, source), options)


def taken(factor: Factor, index: AnyArray) -> Factor:
    """Return a factor at some places, with the levels that are left."""
    codes, dense = np.unique(factor.codes[index], return_inverse=True)
    return Factor(
        name=factor.name, codes=dense.astype(np.int64), levels=tuple(factor.levels[code] for code in codes.tolist())
    )


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
