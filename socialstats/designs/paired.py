"""Pairs: the same units under two conditions, and how they are made of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from socialstats.designs.contrasts_reading import read_contrast
from socialstats.designs.crosstabs import whole_count
from socialstats.designs.options import among
from socialstats.designs.paired_data import PairedData, PairedScale
from socialstats.designs.paired_reading import (
    PairedOptions,
    paired_roles,
    square_pairs,
    values_against,
    wide_pairs,
)
from socialstats.designs.stacking import several_values, values_were_read
from socialstats.errors import InputError
from socialstats.tables import as_table, with_joint
from socialstats.voice import option

__all__ = ["Paired", "PairedScale"]


class Paired(Constructors, PairedData):
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
    units : UnitNames or None
        Names of the units, by which levels of `by` are matched. None where units have no names: pairs that are
        counted, and rows of a wide table without a column of units.
    unmatched : tuple of str
        Units left out because one condition is missing.
    epsilon : float
        Relative rounding error of the values: that of the type of their column (1.2e-7 of single precision).
    flow, source, columns, cautions
        As in `Comparisons`.
    repeats : Repeats or None
        The answers behind each value, where units answered several times under a condition and the values are means.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"story": ["s", "s", "t"], "before": [1, 2, 2], "after": [2, 2, 5]}
    >>> pairs = ss.Paired.from_wide(table, first="after", second="before", cluster="story")
    >>> pairs.conditions, pairs.scale, (pairs.first - pairs.second).tolist()
    (('after', 'before'), 'numeric', [1.0, 0.0, 3.0])
    """

    __slots__ = ()

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        unit: Names | None = None,
        condition: str | None = None,
        value: Names | None = None,
        conditions: Texts | None = None,
        levels: LevelOrder = None,
        scale: PairedScale | None = None,
        by: str | None = None,
        cluster: Names = (),
        count: ColumnOption = None,
        weight: str | None = None,
        missing: Missing = "error",
        unmatched: Missing | None = None,
        na: NaTexts = (),
        repeat: Repeat = None,
        source: str = "data frame",
    ) -> Paired:
        """Build the design from a long table: one row per unit and condition, joined by key.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            Of any engine that narwhals knows.
        unit : str or sequence of str, optional
            Column that names the unit (question, story, person), within `by`; several columns that name it together.
            By default ``unit`` or an alias (``item``, ``question``, ``story``, ``sample``, ``subject``, ``id``, ...).
        condition : str, optional
            Column of the two conditions. By default ``condition`` or an alias (``arm``, ``time``, ``model``, ...).
        value : str or sequence of str, optional
            Column of values. By default ``value`` or an alias (``score``, ``correct``, ``answer``, ...). Several
            columns are repeats of one answer, such as the items of a scale: their mean is the value.
        conditions : pair of str, optional
            The two to compare: the first minus the second. Rows of other conditions are left out and counted in
            `flow`. By default the two labels that occur, in the order of an ordered categorical. Labels that say
            when (pre, post) have the later one first, and others the order of their letters (caution SS310).
        levels : sequence, optional
            Levels of text values; two are (zero, one). Only numbers, 0/1, true/false and yes/no need none.
        scale : {"binary", "nominal", "numeric"}, optional
            By default 0/1, true/false, yes/no and two levels are binary, other numbers numeric, other texts nominal.
        by : str, optional
            Column that splits the table (for example the model).
        cluster : str or sequence of str
            Columns whose units are not independent of each other. A unit lies in one cluster.
        count : str or False, optional
            Column of frequencies: how many alike units the rows of a unit stand for, the same in both rows. False:
            there is none, and a column of that name is not mentioned.
        weight : str, optional
            Column of sampling weights: finite numbers from 0 upwards, the same in all rows of a unit. Only their ratios
            matter; units of weight 0 are left out, and counted in `flow`. Metrics that would ignore them refuse them.
        missing : {"error", "drop"}
            Missing values and units with one condition only are an error that lists their rows, or are excluded. Those
            excluded are counted in `flow`, and listed in `unmatched`.
        unmatched : {"error", "drop"}, optional
            Another rule than `missing` for units with one condition only.
        na : str, sequence of str, or False
            Texts that mean a missing value, beside those of pandas.read_csv, ``.`` and -2147483648 (R's NA). They
            do unless they are declared as something else. Numbers mean that among values, not among names of units,
            items or raters. False: empty fields alone are missing.
        repeat : str, sequence of str, or True, optional
            Columns that number the answers of a unit under a condition (sample, epoch, run, seed). Their mean is the
            value: repeats are no units. By default they are found by structure: the columns that alone tell such rows
            apart (caution SS341 names them). True: several rows are repeats, whether or not a column numbers them.
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
        >>> from socialstats import Paired
        >>> rows = {"item": [1, 1, 2, 2], "time": ["before", "after"] * 2, "score": [3, 5, 4, 4]}
        >>> design = Paired.from_frame(rows, conditions=("after", "before"))
        >>> design.difference.tolist(), design.n_pairs
        ([0.0, 2.0], 2)
        """
        table, key = with_joint(as_table(data, source), unit)
        table, stacked, _ = several_values(table, value, repeat)
        options = among(PairedOptions, locals(), unit=key, **stacked)
        design: PairedData = read_contrast(table, paired_roles(table, options), options)
        return cls.of(values_were_read(design, table))

    @classmethod
    def from_wide(
        cls,
        data: Any,
        *,
        first: str,
        second: str,
        unit: Names | None = None,
        source: str = "data frame",
        **options: Any,
    ) -> Paired:
        """Build the design from a table with one row per unit and one column per condition.

        The two values of a row belong together; a row that lacks one of them is a unit without a partner.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
        first, second : str
            Columns of values: differences are the first minus the second. Their names are the conditions.
        unit : str, optional
            Column that names the units; by default rows are numbered.
        source : str
            Name for messages.
        **options
            ``levels``, ``scale``, ``by``, ``cluster``, ``count``, ``weight``, ``missing``, ``na`` as in `from_frame`.
            Without `unit`, a column called ``count``, ``n``, ``freq``, ... beside rows that are all different is the
            count (caution SS323).

        Raises
        ------
        DesignError, InputError, NothingToAnalyse
            As `from_frame`.

        Examples
        --------
        >>> from socialstats import Paired
        >>> Paired.from_wide({"before": [3, 4], "after": [5, 4]}, first="after", second="before").difference.tolist()
        [0.0, 2.0]
        """
        table, key = with_joint(as_table(data, source), unit)
        return cls.of(wide_pairs(table, first, second, PairedOptions(unit=key, **options)))

    @classmethod
    def from_counts(
        cls,
        data: Any,
        *,
        first: str,
        second: str,
        count: str,
        source: str = "data frame",
        **options: Any,
    ) -> Paired:
        """Build the design from counted pairs: one row for each combination of values (and cluster).

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
        first, second : str
            Columns of values under the two conditions; their names are the conditions.
        count : str
            Column of counts: how many pairs the row stands for; whole numbers from 0 upwards.
        source : str
            Name for messages.
        **options
            ``levels``, ``scale``, ``by``, ``cluster``, ``weight``, ``missing``, ``na`` as in `from_frame`.

        Raises
        ------
        DesignError, InputError, NothingToAnalyse
            As `from_frame`.

        Examples
        --------
        >>> from socialstats import Paired
        >>> rows = {"before": [0, 1, 1], "after": [1, 1, 0], "n": [8, 30, 2]}
        >>> Paired.from_counts(rows, first="before", second="after", count="n").square().tolist()
        [[0.0, 8.0], [2.0, 30.0]]
        """
        counted = PairedOptions(count=count, **options)
        return cls.of(wide_pairs(as_table(data, source), first, second, counted))

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        conditions: Texts = ("first", "second"),
        levels: LevelOrder = None,
        scale: PairedScale | None = None,
        source: str = "table",
    ) -> Paired:
        """Build the design from a square table of counts: value under the first condition by value under the second.

        Two vectors of values are no table: use `from_wide`. Where rows and columns might be mistaken for each other,
        `from_cells` names every count.

        Parameters
        ----------
        table : (k, k) array-like, or pandas data frame with the same labels on both sides
            Rows: the first condition. Columns: the second.
        conditions : pair of str
        levels : sequence, optional
            What the rows and columns stand for, in this order. By default the labels of the data frame, else 0, 1,
            ...: of a 2 x 2 array, ``table[1][0]`` counts the pairs with 1 under the first condition only.
        scale : {"binary", "nominal", "numeric"}, optional
            By default two levels are binary, more are nominal; the numbers of a data frame's labels are numeric.
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
        >>> from socialstats import Paired
        >>> design = Paired.from_table([[570, 86], [150, 794]], conditions=("May", "June"))
        >>> design.n_pairs, design.square()[1, 0]
        (1600, np.float64(150.0))

        Levels ascend: row 0 holds the pairs with 0 under the first condition, so that the last cell counts 1 under
        both, and [1][0] the first only. The cells of `from_cells` start with both:

        >>> same = Paired.from_cells(a=794, b=150, c=86, d=570, conditions=("May", "June"))
        >>> bool((same.square() == design.square()).all())
        True
        """
        return cls.of(square_pairs(table, conditions, levels, scale, source))

    @classmethod
    def from_cells(
        cls,
        *,
        a: float,
        b: float,
        c: float,
        d: float,
        conditions: Texts = ("first", "second"),
        levels: Sequence[Any] = ("0", "1"),
        source: str = "cells",
    ) -> Paired:
        """Build binary pairs from their four counts.

        Parameters
        ----------
        a, b, c, d : int
            Pairs with 1 under both conditions, under the first only, under the second only, under neither.
        conditions : pair of str
        levels : pair
            Labels of 0 and of 1.
        source : str
            Name for messages.

        Raises
        ------
        InputError
            For anything that is no count.
        NothingToAnalyse
            When every count is 0.

        Examples
        --------
        >>> from socialstats import Paired
        >>> cells = Paired.from_cells(a=794, b=150, c=86, d=570)
        >>> cells.square().tolist()
        [[570.0, 86.0], [150.0, 794.0]]

        That is the layout of `from_table`, [[d, c], [b, a]] with levels ascending, not [[a, b], [c, d]]:

        >>> Paired.from_table([[570, 86], [150, 794]]).square().tolist() == cells.square().tolist()
        True
        """
        a, b, c, d = (whole_count(x, name) for name, x in {"a": a, "b": b, "c": c, "d": d}.items())
        return cls.of(square_pairs([[d, c], [b, a]], conditions, levels, "binary", source))

    @classmethod
    def one_sample(
        cls,
        values: Any,
        *,
        bound: float = 0.0,
        cluster: Any = None,
        name: str = "value",
        missing: Missing = "error",
        source: str = "values",
    ) -> Paired:
        """Pair values with a constant, for one-sample tests: differences are value minus bound.

        Parameters
        ----------
        values : (n,) sequence of numbers
        bound : float
            The constant.
        cluster : (n,) sequence, or mapping of names to such sequences, optional
            Values with the same cluster are not independent of each other.
        name : str
            What the values are; the conditions are this and ``"bound"``.
        missing : {"error", "drop"}
        source : str
            Name for messages.

        Raises
        ------
        InputError
            For values that are no finite numbers, and different lengths.
        NothingToAnalyse
            When no value is left.

        Examples
        --------
        >>> from socialstats import Paired
        >>> Paired.one_sample([1, 4, 4], bound=3).difference.tolist()
        [-2.0, 1.0]
        """
        return cls.of(values_against(values, bound, cluster, name, missing, source))

    @classmethod
    def from_keywords(cls, data: Any, options: Given) -> Paired:
        """Make pairs of a table by the constructor of `Paired` whose keywords are given.

        Raises
        ------
        InputError
            For columns of two layouts at once, and as the constructors.

        Examples
        --------
        >>> from socialstats import Paired
        >>> table = {"before": [3, 4], "after": [5, 4]}
        >>> Paired.from_keywords(table, {"first": "after", "second": "before"}).difference.tolist()
        [0.0, 2.0]
        """
        wide = [name for name in ("first", "second") if name in options]
        if len(wide) == 1:
            raise InputError(
                f"{option(wide[0], options[wide[0]])}: name both columns, {option('first')} and "
                f"{option('second')}; differences are the first minus the second"
            )
        long = [
            name for name in ("condition", "value", "conditions") if options.get(name) is not None
        ]
        if wide and long:
            raise InputError(
                f"{option(wide[0])} names a column of a table with one row per unit, {option(long[0])} belongs to a "
                f"table with one row per unit and condition. Leave {option(long[0])} out, or name {option('unit')}, "
                f"{option('condition')} and {option('value')}"
            )
        return cls.from_wide(data, **options) if wide else cls.from_frame(data, **options)
