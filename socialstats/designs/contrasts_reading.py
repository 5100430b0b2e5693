"""From a table to two conditions: which two, what the values are, what pairs and groups say of the table alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aliases import Fields, LevelOrder, Levels, Pair, Texts
from socialstats.designs.cells import unequal
from socialstats.designs.contrasts import ContrastScale
from socialstats.designs.frequencies import frequency
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import (
    categories,
    declared_levels,
    opposites,
    sort_labels,
    two_in_order,
    which_counts,
)
from socialstats.designs.means import AVERAGED, Means, mean_answers, refuse_averaging
from socialstats.designs.options import ReadingOptions, check_choice
from socialstats.designs.parts import FlowStep, UnitNames, taken
from socialstats.designs.repeated_answers import repeat_columns
from socialstats.designs.rows import Rows, if_labels, if_missing
from socialstats.designs.schema import DesignPart, Roles, plain_parts
from socialstats.designs.suspects import code_suspects, label_cautions
from socialstats.designs.tables import begun, times_of, unit_weights
from socialstats.designs.undeclared import with_dependence
from socialstats.designs.vocabulary import UNITS, VALUES
from socialstats.errors import Caution, DesignError, InputError, caution
from socialstats.tables import Table, as_number, label_text
from socialstats.tables.lazy import asks
from socialstats.text import listing, meant, quoted, shorten
from socialstats.voice import Word, option

# kinds of columns that tell units apart
OWNER = ("unit", "by")
BINARY = {0.0, 1.0}
# parts of every table of two conditions
COMMON = (
    DesignPart("value", "value", VALUES.names),
    *plain_parts("by count weight cluster repeat"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastOptions(ReadingOptions, ABC):
    """How to read a table of two conditions.

    Attributes
    ----------
    PAIR : str
        The option that names the two.
    PART : str
        The part of their column.
    UNIT : str
        What is analysed.
    SCALES : tuple
    DESIGN : type
    SCORES : function of a design
        The scores by which columns that were not declared are tried as clusters.
    """

    unit: str | bool | None = None
    value: str | None = None
    levels: LevelOrder = None
    scale: ContrastScale | None = None

    PAIR: ClassVar[str] = "conditions"
    PART: ClassVar[str] = "condition"
    UNIT: ClassVar[str] = "pair"
    SCALES: ClassVar[tuple[Any, ...]] = get_args(ContrastScale)
    DESIGN: ClassVar[Any]
    SCORES: ClassVar[Any]

    def __post_init__(self) -> None:
        ReadingOptions.__post_init__(self)
        check_choice("scale", self.scale, (*self.SCALES, None))
        levels = declared_levels(self.levels)
        if levels is not None and len(levels) != 2 and self.scale == "binary":
            raise InputError(
                f"{option('scale', 'binary')} needs two levels (zero, one), not {quoted(levels)}"
            )
        if levels is not None and len(levels) < 2:
            raise InputError(f"{option('levels')} needs at least two levels, not {quoted(levels)}")
        _ = self.two

    @property
    def two(self) -> Pair | None:
        """The labels that are compared, the first minus the second, where they are named."""
        named = getattr(self, self.PAIR)
        return None if named is None else two_labels(self.PAIR, named)

    def order_of(self, table: Table, column: str, first: str, second: str) -> Pair | None:
        """Return two labels of a column with the first of the difference first; None where nothing tells the order."""
        return two_in_order(table, column, (first, second))

    def decoded(self, rows: Rows, roles: Roles) -> DecodedValues:
        """Decode the values."""
        return decode(roles["value"], rows, self, self.scale)

    def set_aside(self, rows: Rows, roles: Roles, values: DecodedValues) -> None:
        """Report rows that do not fit the design, or leave them out, before repeats are averaged."""

    def repeat_columns(self, rows: Rows, roles: Roles) -> Levels | None:
        """Return the columns that number the answers of a unit; None where there is one answer each."""
        return repeat_columns(
            rows, roles, unnumbered=self.repeat is True, wide=rows.origin is not None
        )

    @abstractmethod
    def arranged(self, rows: Rows, roles: Roles, values: DecodedValues, two: Pair) -> Arranged:
        """Find the rows of each unit; report units that lack any, or leave them out."""

    @property
    def declared(self) -> frozenset[str]:
        """Labels of levels and conditions."""
        return frozenset((*(declared_levels(self.levels) or ()), *(self.two or ())))


def two_labels(name: str, labels: Sequence[Any]) -> Pair:
    """Return the two labels that an option names.

    Raises
    ------
    InputError
        For anything but two different labels.
    """
    if isinstance(labels, str) or len(labels) != 2:
        example = option(name, ("a", "b"))
        raise InputError(f"{option(name, labels)}: name two, the first minus the second: {example}")
    first, second = (label_text(label) for label in labels)
    if first is None or second is None or first == second:
        raise InputError(
            f"{option(name, tuple(labels))}: the two {name} must be different and not empty"
        )
    return first, second


def choose_two(rows: Rows, roles: Roles, options: ContrastOptions) -> tuple[Pair, list[Caution]]:
    """Return the two conditions in order; rows of others are left out when two were picked.

    Raises
    ------
    DesignError
        If the conditions are not two, or those that were picked do not occur.
    """
    column = roles[options.PART]
    part = options.PART
    name = options.PAIR
    used = rows.used_labels(column)
    place = rows.table.place(column)
    listed = quoted(used, 12) or "none"
    if (picked := options.two) is not None:
        if used and (absent := [label for label in picked if label not in used]):
            near = meant(absent[0], used)
            raise DesignError(
                f"{place}: no {part} '{shorten(absent[0])}'. {near}{name.capitalize()}: {listed}"
            )
        is_third = ~rows.labels(column).mapped(picked.__contains__, False)
        rows.leave_out(is_third, f"other {name}", f"{option(name, picked)} picks two")
        return picked, []
    if not used:
        rows.raise_if_any()
        raise rows.nothing(options.UNIT)
    if len(used) == 1:
        raise DesignError(f"{place}: only one {part}, {listed}. A comparison needs a second {part}")
    if len(used) > 2:
        example = option(name, tuple(shorten(label) for label in used[:2]))
        raise DesignError(
            f"{place}: {len(used)} {name} ({listed}), and two are compared. Say which two to compare, the first minus "
            f"the second: {example}"
        )
    first, second = used
    order = options.order_of(rows.table, column, first, second)
    if order is not None:
        return order, []
    detail = (
        f"differences are '{shorten(first)}' minus '{shorten(second)}' (the order of the letters)"
    )
    fix = f"{option(name, (shorten(second), shorten(first)), f'--{name}')} turns them round, and declares the order"
    return (first, second), [caution("SS310", detail, affects="the sign of differences", fix=fix)]


@dataclass(frozen=True, slots=True, eq=False)
class DecodedValues:
    """Decoded values.

    Attributes
    ----------
    scale : {"binary", "nominal", "ordinal", "numeric"}
    levels : tuple of str
        Empty for numbers.
    numbers : (rows,) float64 array
        Numbers, or codes into `levels`; NaN where missing or not decoded.
    cautions : tuple of Caution
        On how the order of the levels was used.
    """

    scale: ContrastScale
    levels: Levels
    numbers: FloatArray
    cautions: tuple[Caution, ...] = ()


def decode(
    column: str, rows: Rows, options: ContrastOptions, scale: ContrastScale | None
) -> DecodedValues:
    """Decode the value column.

    Parameters
    ----------
    column : str
    rows : Rows
        Collects values that do not fit.
    options : ContrastOptions
    scale : {"binary", "nominal", "ordinal", "numeric"} or None
        What the values are decoded for.

    Raises
    ------
    DesignError
        For two texts without an order.
    """
    if options.levels is None and scale in (None, "numeric"):
        engine = _engine_numbers(column, rows, scale)
        if engine is not None:
            return DecodedValues("numeric", (), engine)
    levels = declared_levels(options.levels)
    used = rows.used_labels(column)
    typed = categories(rows.table, column) if levels is None else None
    categories_used = (
        typed if typed is not None and len(typed) >= 2 and {*used} <= {*typed} else None
    )
    if levels is None and scale == "nominal":
        levels = categories_used or sort_labels(used)
    if levels is not None:
        return _as_levels(column, rows, levels, scale, options)
    rows.refuse_spellings(column, otherwise=if_labels())
    numbers = {as_number(label) for label in used}
    binary = ("0", "1") if numbers <= BINARY and scale != "numeric" else None
    levels = opposites(used) if None in numbers else binary
    if levels and scale == "numeric":
        return DecodedValues("numeric", (), _by_level(column, rows, levels))
    if levels is None and None not in numbers and scale == "binary":
        listed = listing([f"{x:g}" for x in sorted(x for x in numbers if x is not None)], most=6)
        raise DesignError(
            f"{rows.table.place(column)}: {option('scale', 'binary')}, but the values are {listed}. Say which two "
            f"values count as 0 and 1: {option('levels', (Word('ZERO'), Word('ONE')))}"
        )
    if levels is None and (
        None not in numbers or scale == "numeric" or rows.mostly_numbers(column)
    ):
        if None in numbers:
            rows.each_value(
                column, rows.texts(column), [column], "'{}' is not a finite number", fix=if_missing
            )
        return DecodedValues("numeric", (), rows.labels(column).numbers())
    if levels is None and categories_used is None:
        if len(used) <= 2 or scale == "binary":
            raise DesignError(
                f"{rows.table.place(column)}: the values are the text{'s' if len(used) > 1 else ''} "
                f"{quoted(used, 6)}, and which counts as 1 is undeclared. Declare {which_counts(used)}"
            )
        categories_used = tuple(conventional_order(used)) or sort_labels(used)
    return _as_levels(column, rows, levels or categories_used or (), None, options)


def _as_levels(
    column: str, rows: Rows, levels: Levels, scale: ContrastScale | None, options: ContrastOptions
) -> DecodedValues:
    """Decode labels as codes of levels; without a scale, of two levels it is binary.

    Of a numeric scale they are the numbers that levels are or, of words, 0, 1, 2, ... in order. Levels in order that
    are compared as categories unasked get caution SS345.
    """
    codes = _by_level(column, rows, levels)
    if scale == "numeric":
        numbers = [as_number(level) for level in levels]
        steps = f"{quoted(levels, 8)} count as 0 to {len(levels) - 1}, in equal steps"
        if None in numbers:
            return DecodedValues(
                scale, (), codes, (caution("SS310", steps, affects="means and differences"),)
            )
        scores = np.array([*numbers, np.nan], dtype=np.float64)
        return DecodedValues(
            scale, (), scores[np.where(np.isnan(codes), len(levels), codes).astype(np.int64)]
        )
    letters = all(len(level) == 1 for level in levels)
    cautions: tuple[Caution, ...] = ()
    if (
        options.scale is None
        and len(levels) > 2
        and (options.levels or (conventional_order(levels) and not letters))
    ):
        declare = f"{option('scale', 'numeric', '--scale numeric')} with {option('levels', typed='--levels')} in order"
        none = option("scale", "nominal", "--scale nominal")
        fix = f"{declare} compares their means; {none} says that they have none"
        detail = f"{quoted(levels, 8)} were compared as categories"
        cautions = (caution("SS345", detail, affects="tests and shares", fix=fix),)
    return DecodedValues(
        scale or ("binary" if len(levels) == 2 else "nominal"), levels, codes, cautions
    )


def _engine_numbers(column: str, rows: Rows, scale: ContrastScale | None) -> FloatArray | None:
    """Return finite numbers that the engine holds as such, without making labels of them; None when not plain."""
    numbers = rows.engine_numbers(column)
    used = np.zeros(0) if numbers is None else numbers[rows.use & ~np.isnan(numbers)]
    binary = scale is None and bool(np.isin(used, (0.0, 1.0)).all())
    return None if binary or np.isinf(used).any() else numbers


def _by_level(column: str, rows: Rows, levels: Texts) -> FloatArray:
    """Decode labels as codes, and report those that are no level."""
    codes = rows.in_levels(column, levels, rows.use, ["na"])
    return np.where(codes >= 0, codes, np.nan)


def average_by_condition(
    rows: Rows, roles: Roles, values: DecodedValues, options: ContrastOptions
) -> tuple[DecodedValues, Means]:
    """Keep one row of each unit and condition, with the mean of its answers.

    Raises
    ------
    InputError
        For labels, which have no mean, frequencies of units, and missing answers.
    NothingToAnalyse
        Where no answer has a value.
    """
    binary = values.scale == "binary"
    if (values.levels and not binary) or roles["count"]:
        refuse_averaging(rows, roles, numeric=False)
    blank = rows.use & np.isnan(values.numbers)
    if blank.any() and options.missing == "error":
        rows.add_missing(roles["value"], blank, roles.of(*OWNER, "condition"))
    if blank[rows.use].all():
        rows.raise_if_any()
        rows.leave_out(blank, f"no value in '{shorten(roles['value'])}'", option("missing", "drop"))
        raise rows.nothing(options.UNIT)
    means = mean_answers(rows, roles, values.numbers, values.levels[1] if binary else "")
    return DecodedValues("numeric", (), means.values), means


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arranged:
    """The rows of each unit.

    Attributes
    ----------
    row : (units,) int64 array
        A row of the unit, for what belongs to it.
    fields : dict
        Arrays over the units, as the design has them.
    rows, side, place : (values,) int64 arrays
        The row of each value, its condition, its unit.
    note : str
        How units lie in the rows of a table that is not counted.
    unmatched : tuple of str
        Units left out because one condition is missing.
    """

    row: IntArray
    fields: Fields
    rows: IntArray
    side: IntArray
    place: IntArray
    note: str
    unmatched: Levels = ()


@asks
def read_contrast(
    table: Table,
    roles: Roles,
    options: ContrastOptions,
    *,
    wide: Table | None = None,
    noticed: Sequence[Caution] | None = None,
) -> Any:
    """Read a long table whose columns are known as two conditions: pairs, or groups.

    Parameters
    ----------
    table : Table
    roles : Roles
    options : ContrastOptions
    wide : Table, optional
        The table with one row per unit that `table` was made of: there, an empty field is a missing partner.
    noticed : sequence of Caution, optional
        What was said of a column of frequencies; None where none was looked for.

    Raises
    ------
    DesignError
        When the conditions are not two, or two texts have no order.
    InputError
        When rows are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no unit is left.
    """
    if noticed is None:
        keys = [] if roles["unit"] else roles.columns()
        used = roles.columns()
        counts = frequency(
            table, options.count, keys, used, options.na_labels, roles["weight"] or None
        )
        roles = roles.counted(counts.column)
        noticed = counts.cautions
    rows = begun(table, roles, options, drop=options.missing == "drop", wide=wide)
    two, undeclared_order = choose_two(rows, roles, options)
    values = options.decoded(rows, roles)
    times = rows.n * times_of(rows, roles)
    options.set_aside(rows, roles, values)
    repeat = options.repeat_columns(rows, roles)
    if roles["unit"]:
        rows.refuse_several(roles, OWNER)
    weight = unit_weights(rows, roles, options)
    suspects = [] if values.levels else code_suspects(rows, [roles["value"]])
    cautions = [*noticed, *suspects, *undeclared_order, *values.cautions]
    means = None
    if repeat is not None:
        roles = roles.replaced(repeat=repeat)
        values, means = average_by_condition(rows, roles, values, options)
        cautions.append(means.note)
        times = np.ones(len(times))
    units = options.arranged(rows, roles, values, two)
    rows.raise_if_any()
    at = units.row
    if not len(at):
        raise rows.nothing(options.UNIT)
    by = rows.by(roles, at)
    clusters = rows.factors(roles.of("cluster"), at)
    flow = flow_of_rows(rows)
    note = f"each row counts several {options.UNIT}s" if roles["count"] else units.note
    analysed = FlowStep(label=f"{options.UNIT}s analysed", rows=int(times[at].sum()), note=note)
    left_out = cautions_of_flow(flow, options, units)
    alike = label_cautions({options.PAIR: two, "levels": values.levels}, (by, *clusters))
    parts: Fields = {options.PAIR: two, "by": by, "clusters": clusters, **units.fields}
    parts["weight"] = unequal(taken(weight, at))
    if means is not None:
        parts["repeats"] = means.behind(units.rows, two, units.side, units.place)
    design = options.DESIGN(
        count=times[at],
        scale=values.scale,
        levels=values.levels,
        units=names_of_units(rows, roles, at),
        epsilon=table.epsilon(roles["value"]),
        source=table.source,
        columns=roles.parts(),
        flow=(*flow, analysed),
        cautions=(*left_out, *cautions, *alike),
        **parts,
    ).merged()
    again = None if wide is not None or roles["count"] else partial(read_contrast, table)
    return with_dependence(
        design,
        wide or table,
        roles,
        options,
        design.n_rows,
        options.SCORES,
        again,
        used=two,
        names=UNITS.names,
    )


def names_of_units(rows: Rows, roles: Roles, at: IntArray) -> UnitNames | None:
    """Return the names of the units of some rows; None where no column of the table names them, or they are counted."""
    column = roles["unit"]
    if not column or roles["count"] or not (rows.origin or rows.table).has(column):
        return None
    labels = rows.labels(column)
    return UnitNames(codes=labels.codes[at], levels=labels.levels, cell=np.arange(len(at)))


def flow_of_rows(rows: Rows) -> list[FlowStep]:
    """Return the steps from the rows read to those analysed, in rows of the table that was read."""
    read = replace(rows.flow[0], label="rows read")
    analysed = FlowStep(label="rows analysed", rows=int(rows.n[rows.use].sum()))
    # a row of a wide table holds the two values of a pair
    per_row = 1 if rows.origin is None else 2
    steps = (read, *rows.flow[1:], analysed)
    return [replace(step, rows=step.rows // per_row) for step in steps]


def cautions_of_flow(
    flow: Sequence[FlowStep], options: ContrastOptions, units: Arranged
) -> list[Caution]:
    """Return caution SS301 on rows that were left out; rows of conditions that were not picked are none of them."""
    none_lost = (f"other {options.PAIR}", AVERAGED)
    left = [step for step in flow[1:-1] if step.label not in none_lost]
    if not left:
        return []
    steps = "; ".join(f"{step.label}: {step.rows:,}" for step in left)
    alone = f"; units without a partner: {quoted(units.unmatched)}" if units.unmatched else ""
    return [caution("SS301", f"{steps} of {flow[0].rows:,} rows{alone}")]


def vector(values: Any, name: str) -> Any:
    """Return values without an index of their own: they are put side by side by position.

    Raises
    ------
    InputError
        For anything but a sequence with one value per unit.
    """
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise InputError(f"{name}: a sequence of values is needed, not {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise InputError(
            f"{name}: one value per unit is needed, not an array of shape {values.shape}"
        )
    return values.array if hasattr(values, "array") and hasattr(values, "index") else list(values)
