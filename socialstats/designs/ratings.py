"""Ratings: who gave which unit which value.

Long format: one rating a row. Levels have a declared order, the scale is declared, and a refusal stays a refusal
until a metric decides what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.factors import named_factors, taken
from socialstats.designs.parts import Factor, FlowStep
from socialstats.designs.ratings_sources import RatingsSources
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.text import count as counted
from socialstats.text import listing, shorten

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ratings", "Scale", "SCALES"]

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[str, ...] = ("nominal", "ordinal", "interval", "ratio")
OK, MISSING, REFUSAL = 0, 1, 2
STATUSES = ("ok", "missing", "refusal")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ratings(RatingsSources):
    """A checked table of ratings.

    Attributes
    ----------
    units, raters : tuple of str
        Labels, sorted by code point.
    levels : tuple of str
        Labels of the values, in their declared order (numbers: ascending).
    scores : (levels,) float64 array
        Numbers of the levels: their own when every level is a number, else 0, 1, 2, ...
    scale : {"nominal", "ordinal", "interval", "ratio"}
    unit, rater : (ratings,) int64 arrays
        Indexes into `units` and `raters`.
    value : (ratings,) int64 array
        Index into `levels`; -1 where `status` is not 0.
    status : (ratings,) int8 array
        0 ok, 1 missing (or unparsed), 2 refusal.
    unit_count : (units,) float64 array
        How many alike units each stands for; 1 for long tables.
    by : Factor or None
        Codes run over the ratings.
    clusters : tuple of Factor
        Declared dependence between units; codes run over the *units*.
    strata : mapping of str to Factor
        Groups of units (domain, stage, trait); codes run over the units.
    rater_groups : mapping of str to Factor
        Groups of raters (source, age, gender); codes run over the raters, -1 for a rater without a group (the age of
        a model).
    levels_declared : bool
        False when `levels` are only those that occur.
    numeric : bool
        True when every level is a number (then `scores` are those numbers).
    raters_known : bool
        False when the table says how many raters gave each level, but not who: nothing may tell raters apart.
    flow, source, columns, cautions
        As in `Comparisons`.
    """

    units: tuple[str, ...]
    raters: tuple[str, ...]
    levels: tuple[str, ...]
    scores: FloatArray
    scale: Scale
    unit: IntArray
    rater: IntArray
    value: IntArray
    status: np.ndarray[Any, np.dtype[np.int8]]
    unit_count: FloatArray
    by: Factor | None = None
    clusters: tuple[Factor, ...] = ()
    strata: Mapping[str, Factor] = field(default_factory=dict)
    rater_groups: Mapping[str, Factor] = field(default_factory=dict)
    levels_declared: bool = True
    numeric: bool = False
    raters_known: bool = True
    flow: tuple[FlowStep, ...] = ()
    source: str = "data frame"
    columns: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()

    def __repr__(self) -> str:
        parts = [
            f"{counted(self.n_rows, 'rating')}, {counted(int(self.unit_count.sum()), 'unit')}, "
            f"{counted(len(self.raters), 'rater')}, {counted(len(self.levels), 'level')}, {self.scale}"
        ]
        if self.clusters:
            parts.append(f"clusters {shorten(listing([c.name for c in self.clusters]))}")
        return f"<Ratings: {'; '.join(parts)}>"

    @property
    def n_rows(self) -> int:
        """Ratings with a value."""
        return int(self.unit_count[self.unit[self.status == OK]].sum())

    @property
    def count(self) -> FloatArray:
        """(units,) float64 array: alike units, the rows that are resampled."""
        return self.unit_count

    def matrix(self) -> FloatArray:
        """(units, raters) float64 array of indexes into `levels`; NaN where there is no value."""
        out = np.full((len(self.units), len(self.raters)), np.nan)
        ok = self.status == OK
        out[self.unit[ok], self.rater[ok]] = self.value[ok]
        return out

    def level_counts(self) -> FloatArray:
        """(units, levels) float64 array: how many raters gave the unit each level."""
        ok = self.status == OK
        k = len(self.levels)
        cell = self.unit[ok] * k + self.value[ok]
        return np.bincount(cell, minlength=len(self.units) * k).reshape(-1, k).astype(np.float64)

    def factors(self, names: str | Sequence[str] | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors (over units) by name; as `Comparisons.factors`."""
        return named_factors([*self.clusters], None, names)

    def take(self, mask: AnyArray, *, note: str = "ratings taken") -> Ratings:
        """Return some ratings as a design of their own, with the units and raters that they use.

        Parameters
        ----------
        mask : (ratings,) bool array
        note : str
            Label of the step in the flow.

        Raises
        ------
        NothingToAnalyse
            If no rating is taken.
        """
        index = np.flatnonzero(mask)
        if not len(index):
            raise NothingToAnalyse(f"{self.source}: no rating is left ({note})")
        units, unit = np.unique(self.unit[index], return_inverse=True)
        raters, rater = np.unique(self.rater[index], return_inverse=True)
        done = replace(
            self, units=tuple(self.units[u] for u in units.tolist()),
            raters=tuple(self.raters[r] for r in raters.tolist()), unit=unit.astype(np.int64),
            rater=rater.astype(np.int64), value=self.value[index], status=self.status[index],
            unit_count=self.unit_count[units], by=taken(self.by, index) if self.by else None,
            clusters=tuple(taken(factor, units) for factor in self.clusters),
            strata={name: taken(factor, units) for name, factor in self.strata.items()},
            rater_groups={name: taken(factor, raters) for name, factor in self.rater_groups.items()},
        )  # fmt: skip
        return replace(done, flow=(*self.flow, FlowStep(label=note, rows=done.n_rows)))

    def split(self) -> dict[str, Ratings]:
        """Return one design a level of `by` (just this one, under ``"all"``, without `by`)."""
        if self.by is None:
            return {"all": self}
        return {
            level: replace(self.take(self.by.codes == code, note=f"{self.by.name} = {level}"), by=None)
            for code, level in enumerate(self.by.levels)
        }

    def split_units(self, stratum: str) -> dict[str, Ratings]:
        """Return one design a level of a stratum (or cluster) of the units.

        Raises
        ------
        InputError
            If nothing of that name is declared.
        """
        known = {**self.strata, **{factor.name: factor for factor in self.clusters}}
        if stratum not in known:
            listed = ", ".join(f"'{name}'" for name in known) or "none"
            raise InputError(f"no stratum '{stratum}'. Declared: {listed}; declare others with strata=")
        factor = known[stratum]
        return {
            level: self.take(factor.codes[self.unit] == code, note=f"{stratum} = {level}")
            for code, level in enumerate(factor.levels)
        }

    def of_raters(self, raters: Sequence[str]) -> Ratings:
        """Return the ratings of some raters.

        Raises
        ------
        InputError
            If a name is no rater.
        """
        place = {name: code for code, name in enumerate(self.raters)}
        unknown = [name for name in raters if name not in place]
        if unknown:
            raise InputError(f"no rater '{shorten(unknown[0])}'. Raters: {listing(list(self.raters), most=10)}")
        codes = [place[name] for name in raters]
        return self.take(np.isin(self.rater, codes), note=f"raters {listing(list(raters), most=4)}")

    def square(self, rater_a: str, rater_b: str) -> FloatArray:
        """(levels, levels) table of units that both raters rated: levels of the first by levels of the second.

        Raises
        ------
        InputError
            If a name is no rater.
        """
        from socialstats.designs.ratings_views import square_of

        return square_of(self, rater_a, rater_b)

    def relabel_raters(self, labels: Mapping[str, str]) -> Ratings:
        """Give raters new labels; raters that `labels` does not name keep theirs.

        Raises
        ------
        InputError
            If a name is no rater, or two raters would share a label.
        """
        from socialstats.designs.ratings_views import relabelled

        return relabelled(self, labels)

    def table(self) -> pd.DataFrame:
        """Return the ratings as a long data frame: unit, rater, value, status, and what belongs to them."""
        from socialstats.designs.ratings_views import table_of

        return table_of(self)
