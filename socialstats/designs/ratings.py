"""Ratings: who gave which unit which value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aliases import (
    ColumnOption,
    Fields,
    LevelOrder,
    Levels,
    Missing,
    Names,
    NaTexts,
    Repeat,
    Texts,
)
from socialstats.designs.cells import counts_by, unequal
from socialstats.designs.instrument import Instrument
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.options import among, texts
from socialstats.designs.parts import (
    FINE,
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
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.designs.stacking import several_values, values_were_read
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import as_number, as_table, with_joint
from socialstats.text import count as counted
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ratings", "SCALES", "Scale"]


Refusal = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(Refusal)
REFUSED = "(refusal)"


class RatingsSources:
    """Constructors of `Ratings`."""

    __slots__ = ()

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        unit: Names | None = None,
        rater: ColumnOption = None,
        value: Names | None = None,
        levels: LevelOrder = None,
        scale: Scale | None = None,
        refusal: Names = (),
        na: NaTexts = (),
        status: str | None = None,
        rater_source: str | None = None,
        rater_groups: Names = (),
        strata: Names = (),
        cluster: Names = (),
        by: str | None = None,
        shared: Literal["people"] | None = None,
        count: ColumnOption = None,
        weight: str | None = None,
        missing: Missing = "drop",
        probabilities: str | Mapping[str, str] | None = None,
        repeat: Repeat = None,
        source: str = "data frame",
    ) -> Ratings:
        """Build the design from a long table: one rating a row.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            Of any engine that narwhals knows.
        unit, rater, value : str, optional
            Columns; `unit` may be several that name the unit together. Several of `value` are repeats of one answer,
            such as the items of a scale: their mean is the value. By default ``unit`` (or ``item``,
            ``question``, ``sample``, ``id``, ...), ``rater`` (or ``judge``, ``annotator``, ``model``, ...) and
            ``value`` (or ``rating``, ``score``, ``label``, ...). ``rater=False``: all values are of one source. This
            is the default where every column plays another part.
        levels : sequence, optional
            The possible values, the lowest first. An ordered categorical brings its own; numbers may go without
            (those that occur, ascending); texts may not, unless they are nominal.
        scale : {"nominal", "ordinal", "interval", "ratio"}, optional
            By default texts with levels are ordinal, numbers interval, true/false and yes/no nominal.
        refusal : str or sequence of str
            Values that mean a refusal to answer.
        na : str, sequence of str, or False
            Texts that mean a missing value, beside those of pandas.read_csv, ``.`` and -2147483648 (R's NA). They
            do unless they are declared as something else. Numbers mean that among values, not among names of units,
            items or raters. False: empty fields alone are missing.
        status : str, optional
            Column that says ``ok``, ``corrected`` (a rating that took back another) or ``refusal``; anything else
            means that there is no rating, listed in `flow`.
        rater_source : str, optional
            Column of the raters' source (human, model). A label in two sources is two raters, and a rater group.
        rater_groups : str or sequence of str
            Columns that belong to the rater (age, gender). A column may be empty in all rows of a rater: a model
            has no age. Such a rater is in no group of it.
        strata : str or sequence of str
            Columns that belong to the unit (domain, stage).
        cluster : str or sequence of str
            Columns whose units are not independent of each other. A unit lies in one cluster.
        by : str, optional
            Column that splits the table.
        shared : {"people"}, optional
            The ratings of people (raters whose `rater_source` is called human) have no value in `by` and belong to all
            its levels. Prompts differ between models only.
        count : str or False, optional
            Column of frequencies: how many alike units the rows of a unit stand for, the same in all of them. False:
            there is none, and a column of that name is not mentioned.
        weight : str, optional
            Column of sampling weights of units: finite numbers from 0 upwards, the same in all rows of a unit. Only
            their ratios matter; units of weight 0 are left out, and counted in `flow`. Metrics that would ignore them
            refuse them.
        missing : {"error", "drop"}
            Missing ratings are listed as errors, or kept as missing and counted (caution SS315).
        probabilities : str or mapping, optional
            Start of the names of the columns that hold the probability of each level in a reply (``"p_"``), or the
            column of each level. They come from a model's log-probabilities. Shares, means, distances and similarities
            of pooled answers read them in place of the value that was drawn. Rows without them, as those of people,
            count by their value.
        repeat : str, sequence of str, or True, optional
            Columns that number the answers of a rater to a unit (sample, epoch, run, seed). Their mean is the value:
            repeats are no units. By default they are found by structure: the columns that alone tell the rows of a
            unit and rater apart (caution SS341 names them). True: several rows are repeats, whether or not a column
            numbers them.
        source : str
            Name for messages.

        Returns
        -------
        Ratings

        Raises
        ------
        DesignError
            When columns are missing, or texts have no declared order; says what to pass.
        InputError
            When rows are wrong (repeated, no level): up to 20 problems of all kinds at once, with their rows.
        NothingToAnalyse
            When no row is left.

        Examples
        --------
        >>> from socialstats import Ratings
        >>> rows = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "rating": ["low", "high", "low", "low"]}
        >>> design = Ratings.from_frame(rows, levels=["low", "high"])
        >>> design.matrix().tolist(), design.scale
        ([[0.0, 1.0], [0.0, 0.0]], 'ordinal')
        """
        from socialstats.designs.ratings_reading import (
            build_from,
            lone_source,
            ratings_roles,
            with_source,
        )

        table, key = with_joint(as_table(data, source), unit)
        table, stacked, _ = several_values(table, value, repeat)
        options = among(RatingsOptions, locals(), unit=key, **stacked)
        options = lone_source(table, options)
        done = build_from(*with_source(table, ratings_roles(table, options)), options)
        done = values_were_read(done, table)
        if options.rater is False:
            return replace(
                done, columns={part: name for part, name in done.columns.items() if part != "rater"}
            )
        return done

    @classmethod
    def from_wide(
        cls,
        data: Any,
        *,
        raters_in: Literal["columns", "rows"],
        unit: str | None = None,
        raters: Texts | None = None,
        units: Texts | None = None,
        source: str = "data frame",
        **options: Any,
    ) -> Ratings:
        """Build the design from a matrix of ratings whose axis of raters is named.

        Parameters
        ----------
        data : data frame, mapping of columns, Table, or 2-D array
            Columns of an array are numbered from 1.
        raters_in : {"columns", "rows"}
            ``"columns"``: a row is a unit, each rater has a column. ``"rows"``: a row is a rater, each unit a column.
        unit : str, optional
            With raters in columns, the column that names the units. By default ``unit`` or an alias where `raters`
            is not given, else rows are numbered.
        raters : sequence of str, optional
            With raters in columns, their columns. By default all that play no other part, unless one of these has the
            name of a unit, cluster or stratum (an error says which).
        units : sequence of str, optional
            With raters in rows, the columns of the units; by default all that play no other part.
        source : str
            Name for messages.
        **options
            ``levels``, ``scale``, ``refusal``, ``na``, ``by``, ``missing`` as in `from_frame`; with raters in columns
            ``strata``, ``cluster``, ``count`` and ``weight``; with raters in rows ``rater`` (the column that names
            them), ``rater_source`` and ``rater_groups``. With raters in columns and no unit, a column called ``count``,
            ``n``, ``freq``, ... beside rows that are all different is the count (caution SS323).

        Raises
        ------
        DesignError, InputError, NothingToAnalyse
            As `from_frame`.

        Examples
        --------
        >>> from socialstats import Ratings
        >>> design = Ratings.from_wide({"ann": [1, 2, 3], "bob": [1, 2, 2]}, raters_in="columns", scale="ordinal")
        >>> design.raters, design.matrix().tolist()
        (('ann', 'bob'), [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
        """
        from socialstats.designs.ratings_layouts import wide_ratings

        # names of the axis that the columns are not
        columns_of_rows = units if raters_in == "columns" else raters
        if columns_of_rows is not None:
            name = "units" if raters_in == "columns" else "raters"
            raise InputError(
                f"{option(name, columns_of_rows)}: with {option('raters_in', raters_in)} the columns are the other axis"
            )
        columns = raters if raters_in == "columns" else units
        return wide_ratings(data, raters_in, columns, source, RatingsOptions(unit=unit, **options))

    @classmethod
    def from_counts(
        cls,
        data: Any,
        *,
        columns: Texts | None = None,
        levels: LevelOrder = None,
        scale: Scale | None = None,
        unit: str | None = None,
        strata: Names = (),
        cluster: Names = (),
        by: str | None = None,
        source: str = "data frame",
    ) -> Ratings:
        """Build the design from counts: one row per unit, how many raters gave it each level (Fleiss' table).

        Who the raters are is not known (`raters_known` is False): they are numbered within each unit.

        Parameters
        ----------
        data : data frame, mapping of columns, Table, or 2-D array
            Units may have different numbers of ratings. Counts are whole numbers from 0 upwards.
        columns : sequence of str, optional
            Columns of the levels, the lowest first; by default all that play no other part.
        levels : sequence, optional
            What the columns stand for; by default their names.
        scale : {"nominal", "ordinal", "interval", "ratio"}, optional
            By default numbers are interval, texts that `columns` or `levels` put in order ordinal.
        unit : str, optional
            Column that names the units; without one, alike rows are one unit with its `unit_count`.
        strata, cluster, by : as in `from_frame`
        source : str
            Name for messages.

        Raises
        ------
        DesignError, InputError, NothingToAnalyse
            As `from_frame`.

        Examples
        --------
        >>> from socialstats import Ratings
        >>> design = Ratings.from_counts({"yes": [3, 1, 3], "no": [0, 2, 0]}, scale="nominal")
        >>> design.level_counts().tolist(), design.unit_count.tolist()
        ([[1.0, 2.0], [3.0, 0.0]], [1.0, 2.0])
        """
        from socialstats.designs.ratings_layouts import counted_ratings

        options = RatingsOptions(unit=unit, scale=scale, strata=strata, cluster=cluster, by=by)
        return counted_ratings(data, columns, levels, source, options)

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        raters: Texts = ("rater 1", "rater 2"),
        levels: LevelOrder = None,
        scale: Scale | None = None,
        source: str = "table",
    ) -> Ratings:
        """Build the design from a square table of counts: levels of the first rater by levels of the second.

        Parameters
        ----------
        table : (k, k) array-like, or pandas data frame with the same labels on both sides
            Rows: the first rater. Columns: the second. Each cell that is not 0 becomes one unit with its `unit_count`.
        raters : pair of str
        levels : sequence, optional
            What the rows and columns stand for, the lowest first; by default the labels of the data frame, else 1,
            2, ...
        scale : {"nominal", "ordinal", "interval", "ratio"}, optional
            By default texts, and levels without names, are nominal (so that kappa is unweighted); numbers that
            `levels` or the data frame names are interval. Caution SS310 says which. Levels in order need
            ``scale="ordinal"``.
        source : str
            Name for messages.

        Raises
        ------
        InputError
            For tables that are not square, and cells that are no counts (each is named).
        NothingToAnalyse
            When every count is 0.

        Examples
        --------
        >>> from socialstats import Ratings
        >>> design = Ratings.from_table([[44, 5], [7, 19]], levels=["no", "yes"])
        >>> design.n_rows, design.square("rater 1", "rater 2").tolist()
        (150, [[44.0, 5.0], [7.0, 19.0]])
        >>> design.scale, Ratings.from_table([[44, 5], [7, 19]], levels=["low", "high"], scale="ordinal").scale
        ('nominal', 'ordinal')
        """
        from socialstats.designs.ratings_layouts import square_ratings

        return square_ratings(table, raters, levels, scale, source)


OK, MISSING, REFUSAL = 0, 1, 2
STATUSES = ("ok", "missing", "refusal")
DESIGN_COLUMNS = ("unit", "rater", "value", "status", "count", "weight", "score")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ratings(RatingsSources, Design):
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
    unit_weight : (units,) float64 array, or None
        Sampling weight of each unit; None where all have the same.
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
    ends : pair of float, or None
        The lowest and the highest value that there can be: declared, or 0 and 1 where just these occur. Means of
        repeated answers keep the ends of the answers.
    raters_known : bool
        False when the table says how many raters gave each level, but not who: nothing may tell raters apart.
    probabilities : (ratings, levels) float64 array, or None
        Probability of each level in each reply; rows sum to 1 or less, the rest being other answers, or are NaN.
    repeats : Repeats or None
        The answers behind each value, where raters rated units several times and the values are means (of labels: the
        first answers).
    shared : Repeats or None
        The same where `probabilities` are the shares of levels among repeated answers.
    instrument : Instrument or None
        What judges score, where the table declares it.
    flow, source, columns, cautions
        As in `Comparisons`.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"unit": [1, 1, 2, 2], "rater": ["ann", "bob"] * 2, "value": ["low", "high", "low", "low"]}
    >>> ratings = ss.Ratings.from_frame(table, levels=["low", "high"])
    >>> ratings.raters, ratings.scale, ratings.value.tolist()
    (('ann', 'bob'), 'ordinal', [0, 1, 0, 0])
    """

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
        parts = [
            f"{counted(self.n_rows, 'rating')}, {counted(int(self.unit_count.sum()), 'unit')}, "
            f"{counted(len(self.raters), 'rater')}, {counted(len(self.levels), 'level')}, {self.scale}"
        ]
        return f"<Ratings: {'; '.join(parts + self.cluster_words())}>"

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

    def of_answers(self) -> Ratings:
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
        return counts_by(
            self.unit[ok],
            self.value[ok],
            np.ones(int(ok.sum())),
            (len(self.units), len(self.levels)),
        )

    def factors(self, names: Names | None = "declared") -> tuple[Factor, ...]:
        """Return the cluster factors (over units) by name; as `Comparisons.factors`."""
        return named_factors([*self.clusters], None, names)

    def answers_at(self, index: AnyArray) -> Fields:
        """Return what was answered in the ratings at some places: `value`, `status`, `probabilities`."""
        return taken_fields(self, ("value", "status", "probabilities"), index)

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
            self,
            **self.answers_at(index),
            **taken_fields(self, ("unit_count", "clusters", "strata"), units),
            unit_weight=unequal(taken(self.unit_weight, units)),
            units=tuple(self.units[u] for u in units.tolist()),
            raters=tuple(self.raters[r] for r in raters.tolist()),
            unit=unit.astype(np.int64),
            rater=rater.astype(np.int64),
            by=taken(self.by, index),
            rater_groups=taken(self.rater_groups, raters),
            repeats=self.repeats and self.repeats.take(index, len(self.value)),
            shared=self.shared and self.shared.take(index, len(self.value)),
        )
        return replace(done, flow=(*self.flow, FlowStep(label=note, rows=done.n_rows)))

    def split_units(self, stratum: str) -> dict[str, Ratings]:
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

    def of_raters(self, raters: Texts) -> Ratings:
        """Return the ratings of some raters.

        Raises
        ------
        InputError
            If a name is no rater.
        """
        raters, place = texts(raters), {name: code for code, name in enumerate(self.raters)}
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
        # units that one of the two did not rate have no cell
        both_present = (codes[0] >= 0) & (codes[1] >= 0)
        return counts_by(
            codes[0][both_present], codes[1][both_present], self.unit_count[both_present], (k, k)
        )

    def relabel_raters(self, labels: Mapping[str, str]) -> Ratings:
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
        answers: Fields = {
            name: renamed_sources(repeats.take(rows, len(self.value)), labels)
            for name, repeats in (("repeats", self.repeats), ("shared", self.shared))
            if repeats is not None
        }
        return replace(
            self,
            **self.answers_at(rows),
            raters=tuple(new[k] for k in order.tolist()),
            rater=rater[rows],
            unit=self.unit[rows],
            by=taken(self.by, rows),
            rater_groups=taken(self.rater_groups, order),
            **answers,
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
        factors = [(f, f.codes) for f in ([self.by] if self.by else [])]
        factors += [(f, f.codes[self.unit]) for f in (*self.strata.values(), *self.clusters)]
        factors += [(f, f.codes[self.rater]) for f in self.rater_groups.values()]
        for factor, codes in factors:
            name = f"{factor.name}_" if factor.name in DESIGN_COLUMNS else factor.name
            # -1: no level
            columns[name] = np.array([*factor.levels, None], dtype=object)[codes]
        return pd.DataFrame(columns)


def renamed_sources(repeats: Repeats, labels: Mapping[str, str]) -> Repeats:
    """Return repeats whose sources have new labels."""
    return replace(repeats, sources=tuple(labels.get(name, name) for name in repeats.sources))
