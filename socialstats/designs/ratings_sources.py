"""The ways to make ratings: long, wide, counted and square tables, files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from socialstats.errors import InputError
from socialstats.tables import Format, as_table, read_table, with_joint

if TYPE_CHECKING:
    from socialstats.designs.ratings import Ratings, Scale


class RatingsSources:
    """Constructors of `Ratings`."""

    __slots__ = ()

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        unit: str | Sequence[str] | None = None,
        rater: str | None = None,
        value: str | None = None,
        levels: Sequence[Any] | None = None,
        scale: Scale | None = None,
        refusal: str | Sequence[str] = (),
        na: str | Sequence[str] | Literal[False] = (),
        status: str | None = None,
        rater_source: str | None = None,
        rater_groups: str | Sequence[str] = (),
        strata: str | Sequence[str] = (),
        cluster: str | Sequence[str] = (),
        by: str | None = None,
        count: str | Literal[False] | None = None,
        missing: Literal["error", "drop"] = "drop",
        source: str = "data frame",
    ) -> Ratings:
        """Build the design from a long table: one rating a row.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            Of any engine that narwhals knows.
        unit, rater, value : str, optional
            Columns; `unit` may be several that name the unit together. By default ``unit`` (or ``item``,
            ``question``, ``sample``, ``id``, ...), ``rater`` (or ``judge``, ``annotator``, ``model``, ...) and
            ``value`` (or ``rating``, ``score``, ``label``, ...).
        levels : sequence, optional
            The possible values, the lowest first. An ordered categorical brings its own; numbers may go without
            (those that occur, ascending); texts may not, unless they are nominal.
        scale : {"nominal", "ordinal", "interval", "ratio"}, optional
            By default texts with levels are ordinal, numbers interval, true/false and yes/no nominal.
        refusal : str or sequence of str
            Values that mean a refusal to answer.
        na : str, sequence of str, or False
            Texts that mean a missing value, beside NA, N/A, NaN, null, ``.`` and -2147483648 (R's integer NA), which
            do unless they are declared as something else. Numbers mean that among values, not among names of units,
            items or raters. False: empty fields alone are missing.
        status : str, optional
            Column that says ``ok`` or ``refusal``; anything else means that there is no rating, listed in `flow`.
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
        count : str or False, optional
            Column of frequencies: how many alike units the rows of a unit stand for, the same in all of them. False:
            there is none, and a column of that name is not mentioned.
        missing : {"error", "drop"}
            Missing ratings are listed as errors, or kept as missing and counted (caution SS315).
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
        from socialstats.designs.ratings_options import RatingsOptions
        from socialstats.designs.ratings_reading import build_ratings

        table, key = with_joint(as_table(data, source), unit) if unit else (as_table(data, source), None)
        options = RatingsOptions(
            unit=key, rater=rater, value=value, levels=levels, scale=scale, refusal=refusal, na=na, status=status,
            rater_source=rater_source, rater_groups=rater_groups, strata=strata, cluster=cluster, by=by,
            count=count, missing=missing,
        )  # fmt: skip
        return build_ratings(table, options)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, format: Format | None = None, **options: Any) -> Ratings:
        """Read a file of any format of `socialstats.tables.read_table`; ``-`` for standard input.

        Options are those of `from_frame`; with ``raters=`` or ``raters_in=`` those of `from_wide`, with ``columns=``
        those of `from_counts`. Errors name the file's lines.
        """
        from socialstats.designs.reading import ratings_of

        return ratings_of(read_table(path, format), options)

    @classmethod
    def from_wide(
        cls,
        data: Any,
        *,
        raters_in: Literal["columns", "rows"],
        unit: str | None = None,
        raters: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
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
            With raters in columns, their columns; by default all that play no other part, unless one of these has the
            name of a unit, cluster or stratum (an error says which).
        units : sequence of str, optional
            With raters in rows, the columns of the units; by default all that play no other part.
        source : str
            Name for messages.
        **options
            ``levels``, ``scale``, ``refusal``, ``na``, ``by``, ``missing`` as in `from_frame`; with raters in columns
            ``strata``, ``cluster`` and ``count``; with raters in rows ``rater`` (the column that names them),
            ``rater_source`` and ``rater_groups``. With raters in columns and no unit, a column called ``count``, ``n``,
            ``freq``, ... beside rows that are all different is the count (caution SS323).

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
        from socialstats.designs.ratings_options import RatingsOptions
        from socialstats.designs.ratings_tables import wide_ratings

        other = units if raters_in == "columns" else raters
        if other is not None:
            name = "units" if raters_in == "columns" else "raters"
            raise InputError(f"{name}={other!r}: with raters_in={raters_in!r} the columns are the other axis")
        columns = raters if raters_in == "columns" else units
        return wide_ratings(data, raters_in, columns, source, RatingsOptions(unit=unit, **options))

    @classmethod
    def from_counts(
        cls,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        levels: Sequence[Any] | None = None,
        scale: Scale | None = None,
        unit: str | None = None,
        strata: str | Sequence[str] = (),
        cluster: str | Sequence[str] = (),
        by: str | None = None,
        source: str = "data frame",
    ) -> Ratings:
        """Build the design from counts: one row a unit, how many raters gave it each level (Fleiss' table).

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
        from socialstats.designs.ratings_options import RatingsOptions
        from socialstats.designs.ratings_tables import counted_ratings

        options = RatingsOptions(unit=unit, scale=scale, strata=strata, cluster=cluster, by=by)
        return counted_ratings(data, columns, levels, source, options)

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        raters: Sequence[str] = ("rater 1", "rater 2"),
        levels: Sequence[Any] | None = None,
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
        from socialstats.designs.ratings_tables import square_ratings

        return square_ratings(table, raters, levels, scale, source)
