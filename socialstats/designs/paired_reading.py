"""From a table to pairs: long, wide, or counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, IntArray
from socialstats.designs.aliases import LevelOrder, Levels, Missing, Pair, Texts
from socialstats.designs.contrasts_reading import (
    COMMON,
    OWNER,
    Arranged,
    ContrastOptions,
    DecodedValues,
    decode,
    read_contrast,
    vector,
)
from socialstats.designs.crosstabs import square_counts
from socialstats.designs.frequencies import frequency, looks_counted, roles_of_two
from socialstats.designs.levels import opposites
from socialstats.designs.options import check_choice
from socialstats.designs.paired_data import PairedData, PairedScale
from socialstats.designs.parts import FlowStep
from socialstats.designs.rows import Rows, begin
from socialstats.designs.schema import DesignPart, Roles, find_roles, plain_parts
from socialstats.designs.stacking import make_long
from socialstats.designs.tables import refuse_total_row
from socialstats.designs.undeclared import is_tried, of_pairs, with_dependence
from socialstats.designs.vocabulary import CONDITIONS, UNITS
from socialstats.errors import DesignError, InputError, NothingToAnalyse, caution
from socialstats.tables import Table, as_number, as_table
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import Word, option

WIDE_PAIRS = (
    ("after", "before"),
    ("post", "pre"),
    ("posttest", "pretest"),
    ("followup", "baseline"),
)
"""Names of two columns with one row per unit, the later one first: differences are changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedOptions(ContrastOptions):
    """How to read a table as pairs; `Paired.from_frame`, `from_wide` and `from_counts` document every field."""

    condition: str | None = None
    conditions: Texts | None = None
    unmatched: Missing | None = None

    SCALES: ClassVar[tuple[Any, ...]] = get_args(PairedScale)
    DESIGN = PairedData
    SCORES = staticmethod(of_pairs)

    def __post_init__(self) -> None:
        check_choice("unmatched", self.unmatched, (*get_args(Missing), None))
        ContrastOptions.__post_init__(self)

    def arranged(self, rows: Rows, roles: Roles, values: DecodedValues, two: Pair) -> Arranged:
        """Arrange the two rows of each unit side by side, by key; report or leave out units without a partner."""
        key = rows.key(roles.of(*OWNER))
        labels = rows.labels(roles["condition"])
        size = int(key.max(initial=-1)) + 1
        # no labels are made of a million distinct numbers
        numbers = rows.engine_numbers(roles["value"])
        blank: BoolArray = rows.codes(roles["value"]) < 0 if numbers is None else np.isnan(numbers)
        row = np.full((2, size), -1, dtype=np.int64)
        for side, condition in enumerate(two):
            code = labels.levels.index(condition) if condition in labels.levels else -2
            # an empty field of a wide table is no row
            gone = blank if rows.origin is not None else False
            at = np.flatnonzero(rows.use & (labels.codes == code) & ~np.asarray(gone))
            row[side, key[at]] = at
        has = row >= 0
        value = np.where(has, values.numbers[row], np.nan)
        there = key if rows.origin is None else np.where(blank, -1, key)
        unmatched = _set_alone_aside(rows, roles, there, has, two, self)
        paired: BoolArray = has[0] & has[1]
        empty: BoolArray = (paired & np.isnan(value).any(axis=0)) | ~(has[0] | has[1])
        bad = blank & _of_keys(key, empty)
        if bad.any() and self.missing == "error":
            message = ""
            # both values of a row: say so once
            if rows.origin is not None:
                message = "both values are missing"
                bad = bad & (labels.codes == labels.codes[bad][0])
            rows.add_missing(roles["value"], bad, roles.of(*OWNER, "condition"), message=message)
        elif bad.any() and not rows.pending:
            note = f"{option('missing', 'drop')}: a value of '{shorten(roles['value'])}' is missing"
            rows.leave_out(_of_keys(key, empty), "pairs without both values", note)
        keep = paired & ~empty
        first, second = value[:, keep]
        n = len(first)
        return Arranged(
            row=row[1, keep],
            fields={"first": first, "second": second, "unmatched": unmatched},
            rows=row[:, keep].ravel(),
            side=np.repeat([0, 1], n),
            place=np.tile(np.arange(n), 2),
            note="two rows per pair" if rows.origin is None else "",
            unmatched=unmatched,
        )


PARTS = (
    DesignPart("unit", "unit", UNITS.names),
    DesignPart("condition", "condition", CONDITIONS.names),
    *COMMON,
)
WIDE = plain_parts("first:value second:value unit by cluster count weight")


def refuse_wide(table: Table) -> None:
    """Refuse a table with one row per unit, known by two columns such as before and after.

    Raises
    ------
    DesignError
    """
    pair = wide_pair(table.columns)
    if pair is None or any(name in table.columns for name in CONDITIONS.names):
        return
    first, second = pair
    raise DesignError(
        f"{table.source}: the columns '{first}' and '{second}' look like two conditions with one row per "
        f"unit. Name both, {option('first', first, f'--map first={first}')} and "
        f"{option('second', second, f'--map second={second}')}. Of a data frame: Paired.from_wide(data, "
        f"first='{first}', second='{second}'). Differences are the first minus the second"
    )


def wide_pair(columns: Texts) -> Pair | None:
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
    if options.condition is None and options.value is None:
        refuse_wide(table)

    def beside(first: str, second: str) -> str:
        return (
            f"Where each condition has a column, say {option('first', first, f'--map first={first}')}, "
            f"{option('second', second, f'--map second={second}')}"
        )

    return roles_of_two(table, PARTS, options, beside)


MOST_UNMATCHED = 18


def _of_keys(key: IntArray, marked: BoolArray) -> BoolArray:
    # a key of -1 is a row not in use
    return np.append(marked, False)[key]


def _set_alone_aside(
    rows: Rows,
    roles: Roles,
    key: IntArray,
    has: AnyArray,
    conditions: Texts,
    options: PairedOptions,
) -> Levels:
    """Report units with one condition, or leave them out and return their names."""
    alone = has[0] != has[1]
    bad = np.flatnonzero(alone)
    if not len(bad):
        return ()
    pairs = int(has.all(axis=0).sum())
    if not rows.pending and not pairs and has.any(axis=1).all():
        raise _two_groups_error(rows, roles, has, conditions)
    owner = roles.of(*OWNER)
    if (options.unmatched or options.missing) == "drop":
        at = np.flatnonzero(_of_keys(key, alone))
        first = at[np.unique(key[at], return_index=True)[1]].tolist()
        note = f"{option('missing', 'drop')}: the unit has one of the two conditions"
        rows.leave_out(_of_keys(rows.key(owner), alone), "units without a partner", note)
        return tuple(
            sorted(
                rows.named(owner, k) if roles["by"] else rows.label(roles["unit"], k) for k in first
            )
        )
    a, b = (shorten(label) for label in conditions)
    message = (
        f"{counted(len(bad), 'unit')} without a partner: {counted(has[0].sum(), 'unit')} under '{a}', "
        f"{counted(has[1].sum(), 'unit')} under '{b}', {counted(pairs, 'pair')}"
    )
    fix = f"Add the missing rows, or say {option('missing', 'drop', '--missing drop')} to leave such units out"
    column = roles["unit"] if (rows.origin or rows.table).has(roles["unit"]) else None
    rows.pend(message, column, fix)
    what = "row" if rows.origin is None else "value"

    def lone(of_unit: IntArray) -> str:
        row = int(of_unit[0])
        missing_column = b if rows.label(roles["condition"], row) == conditions[0] else a
        return f"{rows.named(owner, row)} has no {what} under '{missing_column}'"

    more = "{} further units have no partner"
    rows.each_key(
        key,
        bad,
        [*owner, roles["condition"]],
        lone,
        column=column,
        fix="",
        more=more,
        most=MOST_UNMATCHED,
    )
    return ()


def _two_groups_error(rows: Rows, roles: Roles, has: AnyArray, conditions: Texts) -> DesignError:
    """Return the error of units that never have both conditions: two groups that are compared, or a wrong unit."""
    a, b = (shorten(label) for label in conditions)
    first, second = has.sum(axis=1).tolist()
    sizes = f"{counted(first, 'unit')} under '{a}', {counted(second, 'other unit')} under '{b}'"
    return DesignError(
        f"{rows.table.source}, column '{shorten(roles['unit'])}': no unit has a value under both conditions ({sizes}): "
        "these are two independent groups, not pairs. If rows of the two belong together, name the column that links "
        f"them: {option('unit', 'COLUMN', '--map unit=COLUMN')}. If not, they are read as groups by "
        f"{option('group', roles['condition'])}, for the metrics two_proportions, two_means, two_ordinal and "
        "equivalence"
    )


def wide_pairs(table: Table, first: str, second: str, options: PairedOptions) -> PairedData:
    """Read one row per unit; `Paired.from_wide` documents it."""
    given = find_roles(table, WIDE, options, first=first, second=second)
    used = given.columns()
    free = [column for column in table.columns if column not in used]
    called = [column for k, column in enumerate(free) if k == 0 or column in UNITS.names]
    refuse_total_row(table, given.of("unit") or called, (first, second), options.na_labels)
    frequencies = frequency(
        table,
        options.count,
        [] if given["unit"] else used,
        used,
        options.na_labels,
        given["weight"] or None,
        counted=lambda: looks_counted(table, first, second),
    )
    given = given.counted(frequencies.column)
    long = make_long(
        table,
        (first, second),
        given.of("by", "cluster", "count", "weight"),
        row=given["unit"] or None,
        name="condition",
    )
    roles = Roles(PARTS, given.played).replaced(
        unit=[long.row], condition=[long.name], value=[long.value]
    )
    # yes is 1, whatever its code
    typed = (opposites(long.levels) or long.levels) if long.levels else None
    levels = options.levels if options.levels is not None or options.scale == "numeric" else typed
    full = replace(options, conditions=(first, second), levels=levels)
    done: PairedData = read_contrast(
        long.table, roles, full, wide=table, noticed=frequencies.cautions
    )
    done = replace(done, columns=given.parts())
    if frequencies.column is not None or not is_tried(table):
        return done
    return with_dependence(
        done,
        table,
        given,
        options,
        done.n_pairs,
        of_pairs,
        lambda _, wider: wide_pairs(table, first, second, wider),
    )


def square_pairs(
    table: Any, conditions: Texts, levels: LevelOrder, scale: Any, source: str
) -> PairedData:
    """Read a square table of counts; `Paired.from_table` documents it."""
    paired_options = PairedOptions(
        conditions=conditions, levels=None if scale == "numeric" else levels, scale=scale
    )
    labels, counts, named = square_counts(
        table,
        levels,
        start=0,
        source=source,
        vectors="Paired.from_wide({'x': x, 'y': y}, first='x', second='y')",
    )
    order = labels if levels is not None or not named else _order_of_frame(labels, scale, source)
    row, column = np.nonzero(counts)
    names = np.array(labels, dtype=object)
    cells = {"first": names[row], "second": names[column], "count": counts[row, column]}
    of_square: Any = (scale or ("nominal" if len(order) > 2 else None)) if order else "numeric"
    options = PairedOptions(
        levels=None if scale == "numeric" else order, scale=of_square, count="count"
    )
    done = wide_pairs(as_table(cells, source), "first", "second", options)
    total = FlowStep(label="pairs analysed", rows=done.n_pairs, note="a table of counts")
    return replace(
        done, conditions=paired_options.two or ("first", "second"), flow=(total,), columns={}
    )


def _order_of_frame(labels: Levels, scale: Any, source: str) -> Levels | None:
    """Return the levels of a table whose labels come from a data frame, in order; None for numbers."""
    numbers = {as_number(label) for label in labels}
    if numbers == {0.0, 1.0} and scale not in ("nominal", "numeric"):
        return tuple(sorted(labels, key=float))
    if None not in numbers and scale not in ("nominal", "binary"):
        return None
    if scale == "nominal" or (len(labels) > 2 and scale is None):
        return labels
    if pair := opposites(labels):
        return pair
    raise DesignError(
        f"{source}: the levels are {quoted(labels)}, and which counts as 1 is undeclared. "
        f"Declare {option('levels', (Word('zero'), Word('one')))}"
    )


def values_against(
    values: Any, bound: float, cluster: Any, name: str, missing: str, source: str
) -> PairedData:
    """Pair values with a constant; `Paired.one_sample` documents it."""
    number = isinstance(bound, (int, float, np.integer, np.floating)) and not isinstance(
        bound, bool
    )
    if not number or not np.isfinite(bound):
        raise InputError(f"{option('bound', bound)} is not a finite number")
    clusters = (
        cluster if isinstance(cluster, Mapping) else {} if cluster is None else {"cluster": cluster}
    )
    if name in clusters or not all(isinstance(key, str) for key in (name, *clusters)):
        raise InputError(
            f"{option('name', name)}: values and clusters need different names, which are texts"
        )
    columns = {key: vector(column, key) for key, column in {name: values, **clusters}.items()}
    sizes = {key: len(column) for key, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"values and clusters have different lengths: {sizes}")
    if not sizes[name]:
        raise NothingToAnalyse(f"{source}: no values: there is nothing to analyse")
    options = PairedOptions(scale="numeric", cluster=tuple(clusters), missing=missing)  # type: ignore[arg-type]
    rows = begin(as_table(columns, source), list(columns), ())
    rows.set_missing_aside(list(columns), drop=missing == "drop")
    numbers = decode(name, rows, options, "numeric").numbers
    rows.raise_if_any()
    index = np.flatnonzero(rows.use)
    if not len(index):
        raise rows.nothing("value")
    count = rows.n[index]
    step = FlowStep(label="values analysed", rows=int(count.sum()))
    roles = Roles(PARTS, {"value": (name,), "cluster": tuple(clusters)})
    left_out = rows.steps()
    return PairedData(
        conditions=(name, "bound"),
        first=numbers[index],
        second=np.full(len(index), float(bound)),
        count=count,
        scale="numeric",
        clusters=rows.factors(clusters, index),
        flow=(*rows.flow, step),
        epsilon=rows.table.epsilon(name),
        source=source,
        columns=roles.parts(),
        cautions=(caution("SS301", left_out),) if left_out else (),
    ).merged()
