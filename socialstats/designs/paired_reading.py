"""From a table to pairs: long, wide, or counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.comparisons import group
from socialstats.designs.level_orders import ordered
from socialstats.designs.levels import categories, declared_levels, in_order, opposites, two_in_order, which_counts
from socialstats.designs.means import AVERAGED, Means, mean_answers, refuse_means
from socialstats.designs.options import Missing, Reading, check_choice
from socialstats.designs.paired import Paired, PairedScale
from socialstats.designs.parts import FlowStep, UnitNames, taken_all, taken_by
from socialstats.designs.roles import repeats_of
from socialstats.designs.rows import (
    Rows,
    begin,
    code_suspects,
    if_labels,
    if_missing,
    label_cautions,
)
from socialstats.designs.schema import Finder, Part, Roles
from socialstats.designs.tables import (
    begun,
    frequency,
    looks_counted,
    make_long,
    refuse_total_row,
    square_counts,
    times_of,
)
from socialstats.designs.undeclared import is_tried, of_pairs, with_dependence
from socialstats.designs.vocabulary import CONDITIONS, UNITS, VALUES
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.tables import Table, as_number, as_table, as_text
from socialstats.tables.lazy import asks
from socialstats.text import count as counted
from socialstats.text import listing, quoted, shorten
from socialstats.voice import Word, option

WIDE_PAIRS = (("after", "before"), ("post", "pre"), ("posttest", "pretest"), ("followup", "baseline"))
"""Names of two columns with one row per unit, the later one first: differences are changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedOptions(Reading):
    """How to read a table as pairs; `Paired.from_frame`, `from_wide` and `from_counts` document every field."""

    unit: str | None = None
    condition: str | None = None
    value: str | None = None
    conditions: Sequence[str] | None = None
    levels: Sequence[Any] | None = None
    scale: PairedScale | None = None
    unmatched: Missing | None = None

    def __post_init__(self) -> None:
        Reading.__post_init__(self)
        check_choice("unmatched", self.unmatched, (*get_args(Missing), None))
        check_choice("scale", self.scale, (*get_args(PairedScale), None))
        levels = declared_levels(self.levels)
        if levels is not None and len(levels) != 2 and self.scale == "binary":
            raise InputError(f"{option('scale', 'binary')} needs two levels (zero, one), not {quoted(levels)}")
        if levels is not None and len(levels) < 2:
            raise InputError(f"{option('levels')} needs at least two levels, not {quoted(levels)}")
        if self.conditions is not None:
            _check_conditions(self.conditions)

    @property
    def condition_labels(self) -> tuple[str, str] | None:
        """Declared conditions as labels, first minus second."""
        if self.conditions is None:
            return None
        first, second = (as_text(label) or "" for label in self.conditions)
        return first, second

    @property
    def drop_unmatched(self) -> bool:
        """Whether units that miss a condition are left out: as `missing` says, unless `unmatched` does."""
        return (self.unmatched or self.missing) == "drop"

    @property
    def declared(self) -> frozenset[str]:
        """Labels of levels and conditions."""
        return frozenset((*(declared_levels(self.levels) or ()), *(self.condition_labels or ())))


def _check_conditions(conditions: Sequence[Any]) -> None:
    if isinstance(conditions, str) or len(conditions) != 2:
        raise InputError(f"{option('conditions', conditions)}: name two, the first minus the second: "
                         f"{option('conditions', ('a', 'b'))}")  # fmt: skip
    first, second = (as_text(label) for label in conditions)
    if first is None or second is None or first == second:
        raise InputError(f"{option('conditions', tuple(conditions))}: the two conditions must be different and not "
                         "empty")  # fmt: skip


PARTS = (
    Part("unit", "unit", UNITS.names), Part("condition", "condition", CONDITIONS.names),
    Part("value", "value", VALUES.names), Part("by", "by"), Part("count", "count"), Part("cluster", "cluster"),
    Part("repeat", "repeat"),
)  # fmt: skip
WIDE = (
    Part("first", "value"), Part("second", "value"), Part("unit", "unit"), Part("by", "by"), Part("cluster", "cluster"),
    Part("count", "count"),
)  # fmt: skip


def refuse_wide(finder: Finder) -> None:
    """Refuse a table with one row per unit, known by two columns such as before and after.

    Raises
    ------
    DesignError
    """
    pair = wide_pair(finder.columns)
    if pair is None or any(name in finder.columns for name in CONDITIONS.names):
        return
    one, two = pair
    raise DesignError(
        f"{finder.table.source}: the columns '{one}' and '{two}' look like two conditions with one row per unit. "
        f"Name both, {option('first', one, f'--map first={one}')} and "
        f"{option('second', two, f'--map second={two}')}. Of a data frame: Paired.from_wide(data, first='{one}', "
        f"second='{two}'). Differences are the first minus the second"
    )


def wide_pair(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return two columns that are called like two conditions of one row.

    Examples
    --------
    >>> wide_pair(["id", "pre", "post"]), wide_pair(["id", "score"])
    (('post', 'pre'), None)
    """
    return next((pair for pair in WIDE_PAIRS if set(pair) <= set(columns)), None)


def paired_roles(table: Table, options: PairedOptions) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    if options.condition is None and options.value is None:
        refuse_wide(finder)
    roles = finder.roles(PARTS, options)
    finder.finish()
    return roles


PAIR = ("unit", "by")  # kinds of columns that tell pairs apart
UNMATCHED_SHOWN = 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """Pairs, one a unit.

    Attributes
    ----------
    first, second : (pairs,) float64 arrays
    row : (pairs,) int64 array
        A row of the pair, for what belongs to its unit.
    rows : (2, pairs) int64 array
        The rows of its two values.
    unmatched : tuple of str
        Units left out because one condition is missing.
    """

    first: FloatArray
    second: FloatArray
    row: IntArray
    rows: IntArray
    unmatched: tuple[str, ...]


def join(rows: Rows, roles: Roles, values: FloatArray, conditions: Sequence[str], options: PairedOptions) -> Joined:
    """Arrange the two rows of each unit side by side, by key; report or leave out units without a partner."""
    key, labels = rows.key(roles.of(*PAIR)), rows.labels(roles["condition"])
    size = int(key.max(initial=-1)) + 1
    numbers = rows.engine_numbers(roles["value"])  # no labels are made of a million distinct numbers
    blank: BoolArray = rows.codes(roles["value"]) < 0 if numbers is None else np.isnan(numbers)
    value = np.full((2, size), np.nan)
    has = np.zeros((2, size), dtype=bool)
    row = np.zeros((2, size), dtype=np.int64)
    for side, condition in enumerate(conditions):
        code = labels.levels.index(condition) if condition in labels.levels else -2
        mine = rows.use & (labels.codes == code)
        at = np.flatnonzero(mine if rows.origin is None else mine & ~blank)  # an empty field of a wide table is no row
        value[side, key[at]] = values[at]
        has[side, key[at]] = True
        row[side, key[at]] = at
    there = key if rows.origin is None else np.where(blank, -1, key)
    unmatched = _set_alone_aside(rows, roles, there, has, conditions, options)
    paired = has.all(axis=0)
    empty = (paired & np.isnan(value).any(axis=0)) | ~has.any(axis=0)
    _set_empty_aside(rows, roles, key, blank & _of_keys(key, empty), empty, options)
    keep = np.flatnonzero(paired & ~empty)
    return Joined(first=value[0, keep], second=value[1, keep], row=row[1, keep], rows=row[:, keep], unmatched=unmatched)


def _of_keys(key: IntArray, marked: BoolArray) -> BoolArray:
    return np.append(marked, False)[key]  # a key of -1 is a row not in use


def _set_alone_aside(
    rows: Rows, roles: Roles, key: IntArray, has: AnyArray, conditions: Sequence[str], options: PairedOptions
) -> tuple[str, ...]:
    """Report units with one condition, or leave them out and return their names."""
    alone = has[0] != has[1]
    bad = np.flatnonzero(alone)
    if not len(bad):
        return ()
    pairs = int(has.all(axis=0).sum())
    if not rows.pending and not pairs and has.any(axis=1).all():
        raise DesignError(_two_groups(rows, roles, has, conditions))
    if options.drop_unmatched:
        at = np.flatnonzero(_of_keys(key, alone))
        first_row = at[np.unique(key[at], return_index=True)[1]].tolist()
        rows.leave_out(
            _of_keys(rows.key(roles.of(*PAIR)), alone),
            "units without a partner",
            f"{option('missing', 'drop')}: the unit has one of the two conditions",
        )
        return tuple(
            sorted(rows.named(roles.of(*PAIR), k) if roles["by"] else rows.label(roles["unit"], k) for k in first_row)
        )
    a, b = (shorten(label) for label in conditions)
    message = (
        f"{counted(len(bad), 'unit')} without a partner: {counted(has[0].sum(), 'unit')} under '{a}', "
        f"{counted(has[1].sum(), 'unit')} under '{b}', {counted(pairs, 'pair')}"
    )
    fix = f"Add the missing rows, or say {option('missing', 'drop', '--missing drop')} to leave such units out"
    column = roles["unit"] if (rows.origin or rows.table).has(roles["unit"]) else None
    rows.say(message, column=column, fix=fix)
    what = "row" if rows.origin is None else "value"

    def one(found: IntArray) -> str:
        there = rows.label(roles["condition"], int(found[0])) == conditions[0]
        return f"{rows.named(roles.of(*PAIR), int(found[0]))} has no {what} under '{b if there else a}'"

    more = "{} further units have no partner"
    keys = roles.of(*PAIR, "condition")
    rows.each_key(key, bad, keys, one, column=column, fix="", more=more, most=UNMATCHED_SHOWN)
    return ()


def _two_groups(rows: Rows, roles: Roles, has: AnyArray, conditions: Sequence[str]) -> str:
    """State that no unit has both conditions: a comparison of two groups, or a wrong unit."""
    a, b = (shorten(label) for label in conditions)
    unit = shorten(roles["unit"])
    return (
        f"{rows.table.source}, column '{unit}': no unit has a value under both conditions "
        f"({counted(has[0].sum(), 'unit')} under '{a}', {counted(has[1].sum(), 'other unit')} under '{b}'): "
        "these are two independent groups, not pairs. If rows of the two belong together, name the column that links "
        f"them: {option('unit', 'COLUMN', '--map unit=COLUMN')}. If not, they are read as groups by "
        f"{option('group', roles['condition'])}, for the metrics two_proportions, two_means, two_ordinal and "
        "equivalence"
    )


def _set_empty_aside(
    rows: Rows, roles: Roles, key: IntArray, bad: BoolArray, empty: BoolArray, options: PairedOptions
) -> None:  # fmt: skip
    """Report missing values, or leave out the pairs that have one."""
    column = roles["value"]
    if not bad.any():
        return
    if options.missing == "error":
        message = ""
        if rows.origin is not None:  # both values of a row: say so once
            message = "both values are missing"
            bad = bad & (rows.codes(roles["condition"]) == rows.codes(roles["condition"])[bad][0])
        rows.add_missing(column, bad, roles.of(*PAIR, "condition"), message=message)
    elif not rows.pending:
        note = f"{option('missing', 'drop')}: a value of '{shorten(column)}' is missing"
        rows.leave_out(_of_keys(key, empty), "pairs without both values", note)


ZERO_ONE = {0.0, 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Decoded values.

    Attributes
    ----------
    scale : {"binary", "nominal", "numeric"}
    levels : tuple of str
        Empty for numbers.
    numbers : (rows,) float64 array
        Numbers, or codes into `levels`; NaN where missing or not decoded.
    cautions : tuple of Caution
        On how the order of the levels was used.
    """

    scale: PairedScale
    levels: tuple[str, ...]
    numbers: FloatArray
    cautions: tuple[Caution, ...] = ()


def decode(column: str, rows: Rows, options: PairedOptions) -> Values:
    """Decode the value column.

    Parameters
    ----------
    column : str
    rows : Rows
        Collects values that do not fit.
    options : PairedOptions

    Raises
    ------
    DesignError
        For two texts without an order.
    """
    fast = _engine_numbers(column, rows, options)
    if fast is not None:
        return Values("numeric", (), fast)
    used, levels, numeric = rows.used_labels(column), declared_levels(options.levels), options.scale == "numeric"
    if levels is None and options.scale == "nominal":
        levels = _category_levels(column, rows, used) or in_order(used)
    if levels is not None:
        if numeric:
            return _as_numbers(column, rows, levels)
        scale: PairedScale = options.scale or ("binary" if len(levels) == 2 else "nominal")
        return Values(scale, levels, _by_level(column, rows, levels), _unused_order(levels, options))
    rows.refuse_spellings(column, otherwise=if_labels())
    numbers = {as_number(label) for label in used}
    zero_one = ("0", "1") if numbers <= ZERO_ONE and not numeric else None
    pair = opposites(used) if None in numbers else zero_one
    if pair:
        codes = _by_level(column, rows, pair)
        return Values("numeric", (), codes) if numeric else Values("binary", pair, codes)
    if None not in numbers and options.scale == "binary":
        listed = listing([f"{x:g}" for x in sorted(x for x in numbers if x is not None)], most=6)
        named = option("levels", (Word("ZERO"), Word("ONE")))
        cure = f"Say which two values count as 0 and 1: {named}"
        raise DesignError(
            f"{rows.table.place(column)}: {option('scale', 'binary')}, but the values are {listed}. {cure}"
        )
    if None not in numbers or numeric or rows.mostly_numbers(column):
        if None in numbers:
            rows.each_value(column, rows.texts(column), [column], "'{}' is not a finite number", fix=if_missing)
        return Values("numeric", (), rows.labels(column).numbers())
    levels = _category_levels(column, rows, used) or _levels_of_texts(column, rows, options, used)
    scale = "binary" if len(levels) == 2 else "nominal"
    return Values(scale, levels, _by_level(column, rows, levels), _unused_order(levels, options))


def _as_numbers(column: str, rows: Rows, levels: Sequence[str]) -> Values:
    """Decode levels as numbers: as they are or, of words, 0, 1, 2, ... in order."""
    numbers = [as_number(level) for level in levels]
    plain = None not in numbers
    codes = _by_level(column, rows, levels)
    scores = np.array([*(numbers if plain else range(len(levels))), np.nan], dtype=np.float64)
    values = scores[np.where(np.isnan(codes), len(levels), codes).astype(np.int64)]
    steps = f"{quoted(levels, 8)} count as 0 to {len(levels) - 1}, in equal steps"
    noted = () if plain else (caution("SS310", steps, affects="means and differences"),)
    return Values("numeric", (), values, noted)


def _unused_order(levels: Sequence[str], options: PairedOptions) -> tuple[Caution, ...]:
    """Return what is said of levels in order, declared or known, that are compared as categories unasked."""
    letters = all(len(level) == 1 for level in levels)
    if options.scale is not None or len(levels) < 3 or not (options.levels or (ordered(levels) and not letters)):
        return ()
    declare = f"{option('scale', 'numeric', '--scale numeric')} with {option('levels', typed='--levels')} in order"
    fix = f"{declare} compares their means; {option('scale', 'nominal', '--scale nominal')} says that they have none"
    return (caution("SS345", f"{quoted(levels, 8)} were compared as categories", affects="tests and shares", fix=fix),)


def _engine_numbers(column: str, rows: Rows, options: PairedOptions) -> FloatArray | None:
    """Return finite numbers that the engine holds as such, without making labels of them; None when not plain."""
    numbers = rows.engine_numbers(column)
    if numbers is None or options.levels is not None or options.scale not in (None, "numeric"):
        return None
    used = numbers[rows.use & ~np.isnan(numbers)]
    binary = options.scale is None and bool(np.isin(used, (0.0, 1.0)).all())
    return None if binary or np.isinf(used).any() else numbers


def _by_level(column: str, rows: Rows, levels: Sequence[str]) -> FloatArray:
    """Decode labels as codes, and report those that are no level."""
    codes = rows.in_levels(column, levels, rows.use, ["na"])
    return np.where(codes >= 0, codes, np.nan)


def _category_levels(column: str, rows: Rows, used: Sequence[str]) -> tuple[str, ...] | None:
    """Return the order that the column's own type declares, if it explains every value."""
    levels = categories(rows.table, column)
    return levels if levels is not None and len(levels) >= 2 and set(used) <= set(levels) else None


def _levels_of_texts(column: str, rows: Rows, options: PairedOptions, used: list[str]) -> tuple[str, ...]:
    if len(used) > 2 and options.scale != "binary":
        return tuple(ordered(used)) or in_order(used)
    raise DesignError(
        f"{rows.table.place(column)}: the values are the text{'s' if len(used) > 1 else ''} "
        f"{quoted(used, 6)}, and which counts as 1 is undeclared. Declare {which_counts(used)}"
    )


@asks
def build_pairs(
    table: Table, roles: Roles, options: PairedOptions, *, wide: Table | None = None,
    noticed: Sequence[Caution] | None = None,
) -> Paired:  # fmt: skip
    """Read a long table whose columns are known as pairs.

    Parameters
    ----------
    table : Table
    roles : Roles
    options : PairedOptions
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
        When no pair is left.
    """
    rows, cautions = begun(table, roles, options, drop=options.missing == "drop", wide=wide, noticed=noticed)
    conditions, undeclared_order = _conditions(rows, roles, options)
    values = decode(roles["value"], rows, options)
    repeat = repeats_of(rows, roles, unnumbered=options.repeat is True, wide=wide is not None)
    times = times_of(rows, roles, [roles["value"]])
    rows.refuse_several(roles, PAIR)
    if values.scale == "numeric":
        cautions += code_suspects(rows, [roles["value"]])
    cautions += [*undeclared_order, *values.cautions]
    means = None
    if repeat is not None:
        roles = roles.replaced(repeat=repeat)
        values, means = averaged(rows, roles, values, options)
        cautions.append(means.note)
    joined = join(rows, roles, values.numbers, conditions, options)
    rows.raise_if_any()
    done = _finish(rows, roles, joined, values, conditions, cautions, times[joined.row], means)
    return with_dependence(
        done, wide or table, roles, options, done.n_pairs, of_pairs,
        None if wide is not None or roles["count"] else partial(build_pairs, table), used=conditions,
        names=UNITS.names,
    )  # fmt: skip


def averaged(rows: Rows, roles: Roles, values: Values, options: PairedOptions) -> tuple[Values, Means]:
    """Keep one row of each unit and condition, with the mean of its answers.

    Raises
    ------
    InputError
        For labels, which have no mean, and frequencies of units.
    """
    column = roles["value"]
    if values.scale == "nominal" or roles["count"]:
        refuse_means(rows, roles, numeric=False)
    blank = rows.use & np.isnan(values.numbers)
    if blank.any() and options.missing == "error":
        rows.add_missing(column, blank, roles.of(*PAIR, "condition"))
    means = mean_answers(rows, roles, values.numbers, values.levels[1] if values.scale == "binary" else "")
    return Values("numeric", (), means.values), means


def _conditions(rows: Rows, roles: Roles, options: PairedOptions) -> tuple[tuple[str, str], list[Caution]]:
    """Return the two conditions in order; rows of others are left out when two were picked."""
    column, found = roles["condition"], rows.used_labels(roles["condition"])
    place = rows.table.place(column)
    listed = quoted(found, 12) or "none"
    if (picked := options.condition_labels) is not None:
        for label in picked:
            if label not in found and found:
                raise DesignError(f"{place}: no condition '{shorten(label)}'. Conditions: {listed}")
        labels = rows.labels(column)
        other = ~np.isin(labels.codes, [labels.levels.index(label) for label in picked if label in labels.levels])
        rows.leave_out(other, "other conditions", f"{option('conditions', picked)} picks two")
        return picked, []
    if not found:
        rows.raise_if_any()
        raise rows.nothing("pair")
    if len(found) != 2:
        example = [shorten(label) for label in [*found, "..."][:2]]
        fix = f"Say which two to compare, the first minus the second: {option('conditions', tuple(example))}"
        many = f"{len(found)} conditions ({listed}), and pairs have two" if len(found) > 2 else f"only one, {listed}"
        raise DesignError(f"{place}: {many}. " + (fix if len(found) > 2 else "Pairs need a second condition"))
    if (told := two_in_order(rows.table, column, found)) is not None:
        return told, []
    first, second = (shorten(label) for label in found)
    detail = f"differences are '{first}' minus '{second}' (the order of the letters)"
    fix = f"{option('conditions', (second, first), '--conditions')} turns them round, and declares the order"
    return (found[0], found[1]), [caution("SS310", detail, affects="the sign of differences", fix=fix)]


def _finish(
    rows: Rows, roles: Roles, joined: Joined, values: Values, conditions: tuple[str, str],
    cautions: list[Caution], times: FloatArray, means: Means | None,
) -> Paired:  # fmt: skip
    pairs = len(joined.row)
    if not pairs:
        raise rows.nothing("pair")
    flow = _flow(rows)
    note = "two rows per pair" if rows.origin is None else ""
    note = "each row counts several pairs" if roles["count"] else note
    by, clusters = rows.by(roles, joined.row), rows.factors(roles.of("cluster"), joined.row)
    noticed = [*_left_out(flow[:-1], joined), *cautions]
    noticed += label_cautions({"conditions": conditions, "levels": values.levels}, (by, *clusters))
    labels = rows.labels(roles["unit"])
    named = not roles["count"] and (rows.origin or rows.table).has(roles["unit"])
    units = UnitNames(codes=labels.codes[joined.row], levels=labels.levels, cell=np.arange(pairs))
    repeats = None
    if means is not None:
        both, sides = joined.rows.ravel(), np.repeat(np.arange(2), pairs)
        repeats = means.behind(both, conditions, sides, np.tile(np.arange(pairs), 2))
    return as_cells(
        Paired(
            repeats=repeats, conditions=conditions, first=joined.first, second=joined.second, count=times,
            scale=values.scale, levels=values.levels, by=by, clusters=clusters, unmatched=joined.unmatched,
            units=units if named else None, epsilon=rows.table.epsilon(roles["value"]), source=rows.table.source,
            columns=roles.parts(),
            flow=(*flow, FlowStep(label="pairs analysed", rows=int(times.sum()), note=note)),
            cautions=tuple(noticed),
        )
    )  # fmt: skip


def _flow(rows: Rows) -> list[FlowStep]:
    """Return the steps in rows of the table as it was given: a row of a wide one holds the two values of a pair."""
    values = 1 if rows.origin is None else 2
    done = FlowStep(label="rows analysed", rows=int(rows.n[rows.use].sum()))
    steps = [replace(rows.flow[0], label="rows read"), *rows.flow[1:], done]
    return [replace(step, rows=step.rows // values) for step in steps]


def _left_out(flow: Sequence[FlowStep], joined: Joined) -> list[Caution]:
    steps = [step for step in flow[1:] if step.label not in ("other conditions", AVERAGED)]
    if not steps:
        return []
    detail = "; ".join(f"{step.label}: {step.rows:,}" for step in steps) + f" of {flow[0].rows:,} rows"
    if joined.unmatched:
        detail += f"; units without a partner: {quoted(joined.unmatched)}"
    return [caution("SS301", detail)]


def as_cells(design: Paired) -> Paired:
    """Return the design with equal pairs counted together, in canonical order."""
    factors = [*([design.by] if design.by else []), *design.clusters]
    index, cell = group([*(factor.codes for factor in factors), design.first + 0.0, design.second + 0.0])
    count = np.bincount(cell, weights=design.count, minlength=len(index)).astype(np.float64)
    return replace(
        design, first=design.first[index] + 0.0, second=design.second[index] + 0.0, count=count,
        by=taken_by(design.by, index), clusters=taken_all(design.clusters, index),
        units=None if design.units is None else replace(design.units, cell=cell[design.units.cell]),
        repeats=None if design.repeats is None else replace(design.repeats, place=cell[design.repeats.place]),
    )  # fmt: skip


def wide_pairs(table: Table, first: str, second: str, options: PairedOptions) -> Paired:
    """Read one row per unit; `Paired.from_wide` documents it."""
    finder = Finder(table)
    given = finder.roles(WIDE, options, first=first, second=second)
    finder.finish()
    used = given.columns()
    free = [column for column in table.columns if column not in used]
    called = [column for k, column in enumerate(free) if k == 0 or column in UNITS.names]
    refuse_total_row(table, given.of("unit") or called, (first, second), options.na_labels)
    frequencies = frequency(
        table, options.count, [] if given["unit"] else used, used, options.na_labels,
        counted=lambda: looks_counted(table, first, second),
    )  # fmt: skip
    given = given.counted(frequencies.column)
    long = make_long(
        table, (first, second), given.of("by", "cluster", "count"), row=given["unit"] or None, name="condition"
    )
    roles = Roles(PARTS, given.played).replaced(unit=[long.row], condition=[long.name], value=[long.value])
    typed = (opposites(long.levels) or long.levels) if long.levels else None  # yes is 1, whatever its code
    levels = options.levels if options.levels is not None or options.scale == "numeric" else typed
    full = replace(options, conditions=(first, second), levels=levels)
    done = build_pairs(long.table, roles, full, wide=table, noticed=frequencies.cautions)
    done = replace(done, columns=given.parts())
    if frequencies.column is not None or not is_tried(table):
        return done
    return with_dependence(
        done, table, given, options, done.n_pairs, of_pairs, lambda _, wider: wide_pairs(table, first, second, wider)
    )


def square_pairs(
    table: Any, conditions: Sequence[str], levels: Sequence[Any] | None, scale: Any, source: str
) -> Paired:
    """Read a square table of counts; `Paired.from_table` documents it."""
    asked = PairedOptions(conditions=conditions, levels=None if scale == "numeric" else levels, scale=scale)
    labels, counts, named = square_counts(
        table, levels, start=0, source=source, vectors="Paired.from_wide({'x': x, 'y': y}, first='x', second='y')"
    )
    order = labels if levels is not None or not named else _order_of_frame(labels, scale, source)
    row, column = np.nonzero(counts)
    names = np.array(labels, dtype=object)
    cells = {"first": names[row], "second": names[column], "count": counts[row, column]}
    options = PairedOptions(levels=None if scale == "numeric" else order, scale=_scale_of_square(scale, order))
    done = wide_pairs(as_table(cells, source), "first", "second", replace(options, count="count"))
    total = FlowStep(label="pairs analysed", rows=done.n_pairs, note="a table of counts")
    return replace(done, conditions=asked.condition_labels or ("first", "second"), flow=(total,), columns={})


def _scale_of_square(scale: Any, order: Sequence[str] | None) -> Any:
    """Return the scale of a square table: of three or more levels it is one of categories."""
    if not order:
        return "numeric"
    return scale or ("nominal" if len(order) > 2 else None)


def _order_of_frame(labels: tuple[str, ...], scale: Any, source: str) -> tuple[str, ...] | None:
    """Return the levels of a table whose labels come from a data frame, in order; None for numbers."""
    numbers = {as_number(label) for label in labels}
    if scale == "nominal":
        return labels
    if numbers == {0.0, 1.0} and scale != "numeric":
        return tuple(sorted(labels, key=float))
    if None not in numbers and scale != "binary":
        return None
    if pair := opposites(labels):
        return pair
    if len(labels) > 2 and scale is None:
        return labels
    raise DesignError(
        f"{source}: the levels are {quoted(labels)}, and which counts as 1 is undeclared. "
        f"Declare {option('levels', (Word('zero'), Word('one')))}"
    )


def values_against(values: Any, bound: float, cluster: Any, name: str, missing: str, source: str) -> Paired:
    """Pair values with a constant; `Paired.one_sample` documents it."""
    number = isinstance(bound, (int, float, np.integer, np.floating)) and not isinstance(bound, bool)
    if not number or not np.isfinite(bound):
        raise InputError(f"{option('bound', bound)} is not a finite number")
    named = cluster if isinstance(cluster, Mapping) else {} if cluster is None else {"cluster": cluster}
    if name in named or not all(isinstance(one, str) for one in (name, *named)):
        raise InputError(f"{option('name', name)}: values and clusters need different names, which are texts")
    columns = {key: _vector(one, key) for key, one in {name: values, **named}.items()}
    sizes = {key: len(one) for key, one in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"values and clusters have different lengths: {sizes}")
    if not sizes[name]:
        raise NothingToAnalyse(f"{source}: no values: there is nothing to analyse")
    options = PairedOptions(scale="numeric", cluster=tuple(named), missing=missing)  # type: ignore[arg-type]
    rows = begin(as_table(columns, source), list(columns), ())
    rows.set_missing_aside(list(columns), drop=missing == "drop")
    numbers = decode(name, rows, options).numbers
    rows.raise_if_any()
    index = np.flatnonzero(rows.use)
    if not len(index):
        raise rows.nothing("value")
    count = rows.n[index]
    step = FlowStep(label="values analysed", rows=int(count.sum()))
    roles = Roles(PARTS, {"value": (name,), "cluster": tuple(named)})
    return as_cells(
        Paired(
            conditions=(name, "bound"), first=numbers[index], second=np.full(len(index), float(bound)), count=count,
            scale="numeric", clusters=tuple(rows.factor(key, index) for key in named), flow=(*rows.flow, step),
            epsilon=rows.table.epsilon(name), source=source, columns=roles.parts(),
            cautions=(caution("SS301", rows.steps()),) if rows.steps() else (),
        )
    )  # fmt: skip


def _vector(values: Any, name: str) -> Any:
    """Return values without an index of their own: they are put side by side by position."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise InputError(f"{name}: a sequence of values is needed, not {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise InputError(f"{name}: one value per unit is needed, not an array of shape {values.shape}")
    return values.array if hasattr(values, "array") and hasattr(values, "index") else list(values)
