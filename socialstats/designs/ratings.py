"""Ratings: who gave which unit which value, and how they are made of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from socialstats.designs.aliases import (
    ColumnOption,
    Given,
    LevelOrder,
    Missing,
    Names,
    NaTexts,
    Repeat,
    Texts,
)
from socialstats.designs.constructors import Constructors
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.options import among
from socialstats.designs.ratings_data import RatingsData
from socialstats.designs.ratings_layouts import counted_ratings, square_ratings, wide_ratings
from socialstats.designs.ratings_options import RatingsOptions
from socialstats.designs.ratings_reading import (
    build_from,
    lone_source,
    rater_columns,
    ratings_roles,
    with_source,
)
from socialstats.designs.stacking import several_values, values_were_read
from socialstats.errors import InputError
from socialstats.tables import as_table, with_joint
from socialstats.voice import option

__all__ = ["Ratings", "SCALES", "Scale"]


class Ratings(Constructors, RatingsData):
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
        table, key = with_joint(as_table(data, source), unit)
        table, stacked, _ = several_values(table, value, repeat)
        options = among(RatingsOptions, locals(), unit=key, **stacked)
        options = lone_source(table, options)
        done = build_from(*with_source(table, ratings_roles(table, options)), options)
        done = values_were_read(done, table)
        if options.rater is False:
            done = replace(
                done, columns={part: name for part, name in done.columns.items() if part != "rater"}
            )
        return cls.of(done)

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
        # names of the axis that the columns are not
        columns_of_rows = units if raters_in == "columns" else raters
        if columns_of_rows is not None:
            name = "units" if raters_in == "columns" else "raters"
            raise InputError(
                f"{option(name, columns_of_rows)}: with {option('raters_in', raters_in)} the columns are the other axis"
            )
        columns = raters if raters_in == "columns" else units
        settings = RatingsOptions(unit=unit, **options)
        return cls.of(wide_ratings(data, raters_in, columns, source, settings))

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
        options = RatingsOptions(unit=unit, scale=scale, strata=strata, cluster=cluster, by=by)
        return cls.of(counted_ratings(data, columns, levels, source, options))

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
        return cls.of(square_ratings(table, raters, levels, scale, source))

    @classmethod
    def from_keywords(cls, data: Any, options: Given) -> Ratings:
        """Make ratings of a table by the constructor of `Ratings` whose keywords are given.

        Raises
        ------
        InputError
            For columns of two layouts at once, and as the constructors.

        Examples
        --------
        >>> Ratings.from_keywords({"ann": [1, 2, 3], "bob": [1, 2, 2]}, {"raters": ["ann", "bob"]}).raters
        ('ann', 'bob')
        """
        if "columns" in options:
            return cls.from_counts(data, **options)
        if not {"raters", "units", "raters_in"} & set(options):
            if not set(options) - {"levels", "scale"}:
                table = as_table(data)
                if names := rater_columns(table, RatingsOptions(**options)):
                    return cls.from_wide(table, raters=names, raters_in="columns", **options)
            return cls.from_frame(data, **options)
        if options.get("value") is not None:
            raise InputError(
                f"{option('value', options['value'])} names the column of values where each row is one rating; "
                f"{option('raters')} and {option('units')} name several columns of values. Leave one of them out"
            )
        return cls.from_wide(
            data, **{"raters_in": "rows" if "units" in options else "columns", **options}
        )
