"""Independent groups: different units under two conditions, and how they are made of tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from socialstats.designs.aliases import (
    ColumnOption,
    Given,
    LevelOrder,
    Missing,
    Names,
    NaTexts,
    Texts,
)
from socialstats.designs.constructors import Constructors
from socialstats.designs.groups_data import GroupScale, GroupsData
from socialstats.designs.groups_reading import (
    GroupsOptions,
    counts_as_groups,
    groups_from_table,
    groups_roles,
    samples_as_groups,
)
from socialstats.designs.options import among
from socialstats.designs.stacking import several_values, values_were_read
from socialstats.tables import as_table, with_joint

__all__ = ["GroupScale", "Groups"]


class Groups(Constructors, GroupsData):
    """A checked table of two independent groups, as cells. Every difference is the first group minus the second.

    Attributes
    ----------
    groups : pair of str
        Labels of the two groups, in the declared order.
    group : (cells,) int64 array
        0 for the first group, 1 for the second.
    value : (cells,) float64 array
        Numbers, or codes into `levels` (binary: 0 and 1).
    count : (cells,) float64 array
        Units in the cell: whole numbers from 1.
    scale : {"binary", "nominal", "ordinal", "numeric"}
    levels : tuple of str
        Labels of the codes 0, 1, ...; empty for numbers.
    by : Factor or None
    clusters : tuple of Factor
        Declared dependence between units; codes run over the cells.
    units : UnitNames or None
        Names of the units; None where they have no names.
    epsilon : float
        Relative rounding error of the values.
    repeats : Repeats or None
        The answers behind each value, where units answered several times and the values are means.
    flow, source, columns, cautions
        As in `Comparisons`.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"arm": ["a", "a", "b"], "score": [1.0, 3.0, 2.5], "site": ["x", "y", "x"]}
    >>> groups = ss.Groups.from_frame(table, groups=("b", "a"), cluster="site")
    >>> groups.groups, groups.n_units, groups.scale
    (('b', 'a'), (1, 2), 'numeric')
    """

    __slots__ = ()

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        group: str | None = None,
        value: Names | None = None,
        unit: NaTexts | None = None,
        groups: Texts | None = None,
        levels: LevelOrder = None,
        scale: GroupScale | None = None,
        by: str | None = None,
        cluster: Names = (),
        count: ColumnOption = None,
        weight: str | None = None,
        missing: Missing = "error",
        na: NaTexts = (),
        repeat: Names | None = None,
        source: str = "data frame",
    ) -> Groups:
        """Build the design from a long table: one row a unit, or several rows of a unit, whose mean is its value.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            Of any engine that narwhals knows.
        group : str, optional
            Column of the two groups. By default ``condition`` or an alias (``treatment``, ``arm``, ``group``, ...).
        value : str or sequence of str, optional
            Column of values. By default ``value`` or an alias (``score``, ``correct``, ``answer``, ...). Several
            columns are repeats of one answer, such as the items of a scale: their mean is the value.
        unit : str, sequence of str, or False, optional
            Column that names the unit (person, prompt, story), within `by`; several columns that name it together. By
            default ``unit`` or an alias (``participant``, ``item``, ``id``, ...). Without one, or if False, each row is
            a unit.
        groups : pair of str, optional
            The two to compare: the first minus the second. Rows of other groups are left out and counted in `flow`. By
            default the two labels that occur, in the order of an ordered categorical. Else what comes later, or was
            treated, is first (``treatment`` minus ``control``), or the first by its letters (caution SS310).
        levels : sequence, optional
            Levels of text values, ascending; two are (zero, one). Only numbers, 0/1, true/false and yes/no need none.
        scale : {"binary", "nominal", "ordinal", "numeric"}, optional
            By default 0/1, true/false, yes/no and two levels are binary, other numbers numeric, other texts nominal.
            Three or more levels are ordinal where they are declared, or those of an ordered categorical.
        by : str, optional
            Column that splits the table (for example the model).
        cluster : str or sequence of str
            Columns whose units are not independent of each other. A unit lies in one cluster; a cluster may have units
            of both groups.
        count : str or False, optional
            Column of frequencies: how many alike units the row stands for. By default the only column of that name
            beside rows that are all different (caution SS323). False: there is none.
        weight : str, optional
            Column of sampling weights: finite numbers from 0 upwards, the same in all rows of a unit. Only their ratios
            matter; units of weight 0 are left out, and counted in `flow`. Metrics that would ignore them refuse them.
        missing : {"error", "drop"}
            Missing values are an error that lists their rows, or their rows are excluded, and counted in `flow`.
        na : str, sequence of str, or False
            Texts that mean a missing value, as in `Paired.from_frame`.
        repeat : str or sequence of str, optional
            Columns that number the answers of a unit (sample, epoch, run, seed). Repeats are no units: their mean (of
            two levels the share of the second) is the unit's value (caution SS341).
        source : str
            Name for messages.

        Returns
        -------
        Groups

        Raises
        ------
        DesignError
            When columns are missing, the groups are not two, or two texts have no order.
        InputError
            When rows are wrong: units in both groups or in several clusters, values that are no numbers.
        NothingToAnalyse
            When a group has no unit left.

        Examples
        --------
        >>> from socialstats import Groups
        >>> rows = {"person": [1, 2, 3, 4], "arm": ["drug", "drug", "placebo", "placebo"], "score": [3, 5, 4, 4]}
        >>> design = Groups.from_frame(rows)
        >>> design.groups, design.n_units
        (('drug', 'placebo'), (2, 2))
        """
        table, key = with_joint(as_table(data, source), unit or None)
        table, stacked, row = several_values(table, value, repeat)
        options = among(GroupsOptions, locals(), unit=False if unit is False else key, **stacked)
        if row and not groups_roles(table, options)["unit"]:
            options = replace(options, unit=row)
        return cls.of(values_were_read(groups_from_table(table, options), table))

    @classmethod
    def from_samples(
        cls,
        first: Any,
        second: Any,
        *,
        groups: Texts = ("first", "second"),
        levels: LevelOrder = None,
        scale: GroupScale | None = None,
        missing: Missing = "error",
        source: str = "samples",
    ) -> Groups:
        """Build the design from two vectors, one value a unit.

        Parameters
        ----------
        first, second : (n,) and (m,) sequences
            Values of either group.
        groups : pair of str
            Their names.
        levels, scale, missing, source
            As in `from_frame`.

        Raises
        ------
        DesignError, InputError, NothingToAnalyse
            As `from_frame`.

        Examples
        --------
        >>> from socialstats import Groups
        >>> Groups.from_samples([1, 0, 1], [0, 0, 1, 0], groups=("new", "old")).n_units
        (3, 4)
        """
        design = samples_as_groups(first, second, groups, levels, scale, missing, source)
        return cls.of(design)

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        groups: Texts | None = None,
        levels: LevelOrder = None,
        scale: GroupScale | None = None,
        source: str = "table",
    ) -> Groups:
        """Build the design from counts: a row for each of the two groups, a column for each level of the values.

        Parameters
        ----------
        table : (2, k) array-like, or pandas data frame
            Counts of units. Levels ascend: of two columns, the second counts the units with 1. Columns called no and
            yes, or by numbers, are found in any order. R's prop.test has the ones in the first column.
        groups : pair of str, optional
            Names of the rows, by default those of the data frame, else ``first`` and ``second``.
        levels : sequence, optional
            What the columns stand for, or the order of the labels of the data frame. By default these labels, else 0,
            1, ...
        scale : {"binary", "nominal", "ordinal", "numeric"}, optional
            By default two levels are binary, more are ordinal.
        source : str
            Name for messages.

        Raises
        ------
        InputError
            For tables of another shape, and cells that are no counts.
        NothingToAnalyse
            When a group has no unit.

        Examples
        --------
        >>> from socialstats import Groups
        >>> Groups.from_table([[14, 56], [32, 48]], groups=("new", "old")).square().tolist()
        [[14.0, 56.0], [32.0, 48.0]]
        """
        return cls.of(counts_as_groups(table, groups, levels, scale, source))

    @classmethod
    def from_keywords(cls, data: Any, options: Given) -> Groups:
        """Build the design of a table: groups have one layout."""
        return cls.from_frame(data, **options)
