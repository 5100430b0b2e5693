"""The data of ratings: who gave which unit which value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self, cast, get_args

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aliases import (
    Fields,
    Levels,
    Names,
    Texts,
)
from socialstats.designs.cells import counts_by, unequal
from socialstats.designs.instrument import Instrument
from socialstats.designs.level_orders import Scale
from socialstats.designs.options import texts
from socialstats.designs.parts import (
    FINE,
    OK,
    REFUSAL,
    STATUSES,
    Coverage,
    Design,
    Factor,
    FlowStep,
    Repeats,
    StatusArray,
    named_factors,
    rename_labels,
    taken,
    taken_fields,
)
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import as_number
from socialstats.text import count as counted
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd


Refusal = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(Refusal)
REFUSED = "(refusal)"


# arrays of what was answered
ANSWERED = ("value", "status", "probabilities")
DESIGN_COLUMNS = ("unit", "rater", "value", "status", "count", "weight", "score")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RatingsData(Design):
    """Ratings, and what belongs to their units and raters; `Ratings` documents the fields."""

    kind: ClassVar[Literal["ratings"]] = "ratings"
    units: Levels
    raters: Levels
    levels: Levels
    scores: FloatArray
    scale: Scale
    unit: IntArray
    rater: IntArray
    value: IntArray
    status: StatusArray
    unit_count: FloatArray
    strata: Mapping[str, Factor] = field(default_factory=dict)
    rater_groups: Mapping[str, Factor] = field(default_factory=dict)
    levels_declared: bool = True
    numeric: bool = False
    ends: tuple[float, float] | None = None
    raters_known: bool = True
    probabilities: FloatArray | None = None
    repeats: Repeats | None = None
    shared: Repeats | None = None
    instrument: Instrument | None = None
    unit_weight: FloatArray | None = None

    def __repr__(self) -> str:
        sizes = {
            "rating": self.n_rows,
            "unit": int(self.unit_count.sum()),
            "rater": len(self.raters),
            "level": len(self.levels),
        }
        many = ", ".join(counted(n, what) for what, n in sizes.items())
        return f"<Ratings: {'; '.join([f'{many}, {self.scale}', *self.cluster_words()])}>"

    @property
    def n_rows(self) -> int:
        """Ratings with a value."""
        return int(self.unit_count[self.unit[self.status == OK]].sum())

    @property
    def count(self) -> FloatArray:
        """(units,) float64 array: alike units, the rows that are resampled."""
        return self.unit_count

    @property
    def weighted(self) -> bool:
        """Whether units have different sampling weights."""
        return self.unit_weight is not None

    def matrix(self) -> FloatArray:
        """(units, raters) float64 array of indexes into `levels`; NaN where there is no value."""
        out = np.full((len(self.units), len(self.raters)), np.nan)
        ok = self.status == OK
        out[self.unit[ok], self.rater[ok]] = self.value[ok]
        return out

    def read_as(self, *, refusals: bool = False) -> FloatArray:
        """(ratings, levels) float64 array: the value of each rating as 1, or the probabilities of its levels.

        Probabilities are given that the answer is one of the levels, as multiples of 2^-32, so that sums are exact. A
        rating without them counts by its value; one without a value is all 0. `refusals`: a last column is 1 for them.
        """
        out = np.zeros((len(self.value), len(self.levels) + refusals))
        ok = np.flatnonzero(self.status == OK)
        out[ok, self.value[ok]] = 1.0
        out[self.status == REFUSAL, len(self.levels) :] = 1.0
        if self.probabilities is None:
            return out
        # NaN: the reply came without probabilities, and counts with its label
        rows = np.flatnonzero(~np.isnan(self.probabilities).any(axis=1))
        p = self.probabilities[rows] / self.probabilities[rows].sum(axis=1, keepdims=True)
        # multiples of 1 / FINE sum without rounding, so that no order of rows matters
        out[rows, : len(self.levels)] = np.floor(p * FINE) / FINE
        # what is cut off goes to the likeliest level: each reply still counts 1
        out[rows, p.argmax(axis=1)] += 1.0 - out[rows].sum(axis=1)
        return out

    @property
    def coverage(self) -> Coverage | None:
        """How much of the replies the levels' probabilities tell; None without. Raters who never have any give none."""
        if self.probabilities is None or self.shared is not None:
            return None
        rows = ~np.isnan(self.probabilities).any(axis=1)
        is_in_rows = np.isin(self.rater, self.rater[rows]) & (self.status == OK)
        remainder = (
            float(np.maximum(1 - self.probabilities[rows].sum(axis=1), 0).mean())
            if rows.any()
            else None
        )
        return Coverage(
            replies=int(rows.sum()), none=int((is_in_rows & ~rows).sum()), rest=remainder
        )

    def of_answers(self) -> Self:
        """Return the design of single answers, where the values are means of several; others as they are.

        A value is the first answer of the rater to the unit, and `probabilities` hold the shares of all levels among
        the rater's answers. Without shares (of more levels than a scale has) means stay.
        """
        repeats = self.repeats
        if repeats is None or repeats.shares is None or repeats.first is None:
            return self
        value = np.full(len(self.value), -1, dtype=np.int64)
        value[repeats.place] = repeats.first
        probabilities = np.full((len(self.value), len(repeats.levels)), np.nan)
        probabilities[repeats.place] = repeats.shares
        numbers = [as_number(level) for level in repeats.levels]
        numeric_levels = np.array([x for x in numbers if x is not None], dtype=np.float64)
        numeric = len(numeric_levels) == len(numbers)
        return replace(
            self,
            levels=repeats.levels,
            scale=cast(Scale, repeats.scale or self.scale),
            scores=numeric_levels if numeric else np.arange(len(numbers), dtype=np.float64),
            numeric=numeric,
            value=value,
            probabilities=probabilities,
            repeats=None,
            shared=repeats,
        )

    def level_counts(self) -> FloatArray:
        """(units, levels) float64 array: how many raters gave the unit each level."""
        ok = self.status == OK
        shape = (len(self.units), len(self.levels))
        return counts_by(self.unit[ok], self.value[ok], np.ones(int(ok.sum())), shape)

    def factors(self, names: Names | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors (over units) by name; as `Comparisons.factors`."""
        return named_factors([*self.clusters], None, names)

    def answers_at(self, index: AnyArray) -> Fields:
        """Return what was answered in the ratings at some places: `value`, `status`, `probabilities`."""
        return taken_fields(self, ANSWERED, index)

    def take(self, mask: AnyArray, *, note: str = "ratings taken") -> Self:
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
        of_ratings = taken_fields(self, (*ANSWERED, "by"), index)
        of_units = taken_fields(self, ("unit_count", "clusters", "strata"), units)
        size = len(self.value)
        done = replace(
            self,
            **of_ratings,
            **of_units,
            unit_weight=unequal(taken(self.unit_weight, units)),
            units=tuple(self.units[u] for u in units.tolist()),
            raters=tuple(self.raters[r] for r in raters.tolist()),
            unit=unit.astype(np.int64),
            rater=rater.astype(np.int64),
            rater_groups=taken(self.rater_groups, raters),
            repeats=self.repeats and self.repeats.take(index, size),
            shared=self.shared and self.shared.take(index, size),
        )
        return replace(done, flow=(*self.flow, FlowStep(label=note, rows=done.n_rows)))

    def split_units(self, stratum: str) -> dict[str, Self]:
        """Return one design a level of a stratum (or cluster) of the units.

        Raises
        ------
        InputError
            If nothing of that name is declared.
        """
        factors = {**self.strata, **{factor.name: factor for factor in self.clusters}}
        if stratum not in factors:
            listed = ", ".join(f"'{name}'" for name in factors) or "none"
            raise InputError(
                f"no stratum '{stratum}'. Declared: {listed}; declare others with {option('strata')}"
            )
        factor = factors[stratum]
        return {
            level: self.take(factor.codes[self.unit] == code, note=f"{stratum} = {level}")
            for code, level in enumerate(factor.levels)
        }

    def of_raters(self, raters: Texts) -> Self:
        """Return the ratings of some raters.

        Raises
        ------
        InputError
            If a name is no rater.
        """
        raters = texts(raters)
        place = {name: code for code, name in enumerate(self.raters)}
        unknown = [name for name in raters if name not in place]
        if unknown:
            raise InputError(
                f"no rater '{shorten(unknown[0])}'. Raters: {listing(list(self.raters), most=10)}"
            )
        codes = [place[name] for name in raters]
        return self.take(np.isin(self.rater, codes), note=f"raters {listing(list(raters), most=4)}")

    def square(self, rater_a: str, rater_b: str) -> FloatArray:
        """(levels, levels) table of units that both raters rated: levels of the first by levels of the second.

        Raises
        ------
        InputError
            If a name is no rater.
        """
        k = len(self.levels)
        codes = []
        for name in (rater_a, rater_b):
            if name not in self.raters:
                raise InputError(
                    f"{quoted([name])}: no such rater. Raters: {quoted(self.raters, 10)}"
                )
            rated = (self.rater == self.raters.index(name)) & (self.status == OK)
            values = np.full(len(self.units), -1, dtype=np.int64)
            values[self.unit[rated]] = self.value[rated]
            codes.append(values)
        first, second = codes
        # units that one of the two did not rate have no cell
        rated = (first >= 0) & (second >= 0)
        return counts_by(first[rated], second[rated], self.unit_count[rated], (k, k))

    def relabel_raters(self, labels: Mapping[str, str]) -> Self:
        """Give raters new labels; raters that `labels` does not name keep theirs.

        Raises
        ------
        InputError
            If a name is no rater, or two raters would share a label.
        """
        new = rename_labels(self.raters, labels, "rater")
        order = np.argsort(np.array(new, dtype=object))
        rater = np.argsort(order)[self.rater]
        # sorted as they were made, now by the new names
        rows = np.lexsort((rater, self.unit, *([self.by.codes] if self.by else [])))
        of_ratings = taken_fields(self, (*ANSWERED, "unit", "by"), rows)
        for name in ("repeats", "shared"):
            repeats: Repeats | None = getattr(self, name)
            if repeats is not None:
                of_ratings[name] = renamed_sources(repeats.take(rows, len(rows)), labels)
        return replace(
            self,
            **of_ratings,
            raters=tuple(new[k] for k in order.tolist()),
            rater=rater[rows],
            rater_groups=taken(self.rater_groups, order),
        )

    def table(self) -> pd.DataFrame:
        """Return the ratings as a long data frame: unit, rater, value, status, and what belongs to them."""
        import pandas as pd

        levels = np.array([*self.levels, None], dtype=object)
        columns: Fields = {
            "unit": np.array(self.units, dtype=object)[self.unit],
            "rater": np.array(self.raters, dtype=object)[self.rater],
            "value": levels[self.value],
            "status": np.array(STATUSES, dtype=object)[self.status],
            "count": self.unit_count[self.unit],
        }
        if self.unit_weight is not None:
            columns["weight"] = self.unit_weight[self.unit]
        if self.numeric:
            columns["score"] = np.append(self.scores, np.nan)[self.value]
        factors = [self.by] if self.by else []
        of_units = (*self.strata.values(), *self.clusters)
        factors += [replace(f, codes=f.codes[self.unit]) for f in of_units]
        factors += [replace(f, codes=f.codes[self.rater]) for f in self.rater_groups.values()]
        for factor in factors:
            name = f"{factor.name}_" if factor.name in DESIGN_COLUMNS else factor.name
            columns[name] = factor.labels()
        return pd.DataFrame(columns)


def renamed_sources(repeats: Repeats, labels: Mapping[str, str]) -> Repeats:
    """Return repeats whose sources have new labels."""
    return replace(repeats, sources=tuple(labels.get(name, name) for name in repeats.sources))
