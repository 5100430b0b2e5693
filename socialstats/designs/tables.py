"""Rows of a design with their counts and weights, and columns that a table needs or names anew.

Columns that count are found in `frequencies.py`; `crosstabs.py` and `stacking.py` have crossed and wide tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.aliases import Levels, Texts, TextSet
from socialstats.designs.cells import unequal
from socialstats.designs.crosstabs import FIX_OF_COUNTS
from socialstats.designs.levels import other_spelling
from socialstats.designs.options import ReadingOptions
from socialstats.designs.rows import FILL, Rows, begin, fill_or_drop
from socialstats.designs.schema import NAMING, NEEDED, Roles
from socialstats.designs.vocabulary import bare, spelled
from socialstats.errors import (
    DesignError,
    InputError,
    Problem,
)
from socialstats.tables import (
    Table,
)
from socialstats.tables.counting import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    WEIGHT_EXTREME,
    WEIGHT_MISSING,
    WEIGHT_NEGATIVE,
    WEIGHT_NO_NUMBER,
    WEIGHT_ZERO,
    text_weight,
)
from socialstats.text import quoted, shorten
from socialstats.voice import option

# share of a total by which rounding of its digits may move it
ROUNDED = 0.005
# larger whole numbers are not all floats
LARGEST_TOTAL = 2.0**53
TOTALS = frozenset(spelled("total totals sum margin grandtotal gesamt summe"))


def refuse_totals(columns: Texts, rows: Rows) -> None:
    """Report rows of totals (``Sum``, ``Total``) in a table of frequencies: they would be counted twice."""
    for column in columns:
        bad = rows.use & rows.labels(column).mapped(lambda level: bare(level) in TOTALS, False)
        fix = partial("Remove rows of totals, or leave them out (--exclude {}={})".format, column)
        rows.each_value(column, bad, [column], "'{}' looks like a row of totals", fix=fix)


def refuse_total_row(table: Table, names: Texts, columns: Texts, na: TextSet) -> None:
    """Report a row that is called a total in a column of names, and that is the sum of all other rows.

    Raises
    ------
    InputError
        If its number is the sum of the others in each of the columns, but for rounding.
    """
    for name in names:
        if not any(
            not level.isdigit() and bare(level) in TOTALS for level in table.levels(name, na)
        ):
            continue
        rows = begin(table, [name, *columns], na)
        bad = rows.labels(name).mapped(lambda level: bare(level) in TOTALS, False)
        for column in columns:
            numbers = np.nan_to_num(rows.labels(column).numbers())
            total = float(numbers @ rows.n)
            bad = bad & (numbers != 0) & (np.abs(2 * numbers - total) <= ROUNDED * np.abs(numbers))
        fix = partial("Remove it, or leave it out (--exclude {}={})".format, name)
        rows.each_value(
            name, bad, [name], "'{}' is a row of totals: it has the sums of the others", fix=fix
        )
        rows.raise_if_any()


def whole_numbers(column: str, rows: Rows) -> FloatArray:
    """Return a column of counts; report values that are no whole numbers from 0 upwards."""
    rows.refuse_spellings(column)
    numbers = rows.labels(column).numbers()
    wrong = (rows.codes(column) >= 0) & ~((numbers >= 0) & (numbers % 1 == 0))
    rows.each_value(column, rows.use & wrong, [column], "'{}' is not a count", fix=FIX_OF_COUNTS)
    numbers = np.where(wrong | np.isnan(numbers), 0.0, numbers)
    if (total := float(np.sum(numbers[rows.use]))) > LARGEST_TOTAL:
        raise InputError(
            Problem(
                message=f"the counts add up to {total:.3g}; beyond {LARGEST_TOTAL:.3g} (2^53) sums of whole numbers "
                "are not exact",
                source=rows.table.source,
                column=column,
                fix="Divide all counts by a common factor",
            )
        )
    return numbers


def begun(
    table: Table,
    roles: Roles,
    options: ReadingOptions,
    *,
    drop: bool = False,
    fix: str = "",
    wide: Table | None = None,
    may_miss: Texts = (),
) -> Rows:
    """Count the rows of a design of units, and set those aside that miss a name or a count.

    Parameters
    ----------
    table : Table
    roles : Roles
    options : Reading
    drop : bool
        Whether rows are left out that miss a value; else they are problems.
    fix : str
        What is done where a value is missing; by default it is filled in, or its row dropped.
    wide : Table or None
        The table that `table` was made of.
    may_miss : sequence of str
        Kinds of columns that may miss a value.
    """
    rows = begin(
        table, roles.columns(), options.na_labels, roles.of(*NAMING), roles["weight"] or None
    )
    if wide is not None:
        rows.noun = "values"
        rows.origin = wide
        rows.numbered = [column for column in roles.of("unit") if not wide.has(column)]
        rows.flow[0] = replace(rows.flow[0], label="values read")
    needed = [kind for kind in NEEDED if kind not in may_miss]
    rows.set_missing_aside(roles.of(*needed), drop=drop, fix=fix)
    return rows


def times_of(rows: Rows, roles: Roles) -> FloatArray:
    """Return how often each row of a design of units counts; rows that count 0 times are used no more."""
    if not roles["count"]:
        return np.ones(len(rows.use))
    refuse_totals([roles["value"]], rows)
    times = whole_numbers(roles["count"], rows)
    rows.use = rows.use & (times > 0)
    return times


WEIGHT_PROBLEMS = {
    WEIGHT_MISSING: ("the weight is missing", ""),
    WEIGHT_NEGATIVE: ("a weight is negative", "Weights are finite numbers from 0 upwards"),
    WEIGHT_NO_NUMBER: (
        "a weight is not a finite number",
        "Weights are finite numbers from 0 upwards",
    ),
    WEIGHT_EXTREME: (
        f"a weight is below {SMALLEST_WEIGHT:g} or above {LARGEST_WEIGHT:g}",
        "Divide all weights by a common factor",
    ),
}


def set_weights_aside(
    rows: Rows, column: str, options: ReadingOptions, *, droppable: bool = True
) -> None:
    """Report weights that cannot be used, each kind with its first value, or leave rows out that miss theirs.

    Rows of weight 0 are left out. Where rows are not `droppable`, a missing weight is a problem whatever was said of
    missing values.
    """
    status = rows.counts.status
    name = shorten(column)
    fill = fill_or_drop() if droppable else FILL
    if droppable and options.missing == "drop":
        note = f"{option('missing', 'drop')}: the weight is missing"
        rows.leave_out(status == WEIGHT_MISSING, f"no value in '{name}'", note)
    for state, (message, cure) in WEIGHT_PROBLEMS.items():
        bad = rows.use & (status == state)
        if not bad.any():
            continue
        seen: list[str] = []

        def wanted(row: tuple[str | None, ...], state: int = state, seen: list[str] = seen) -> bool:
            value = "" if row[0] is None or row[0] in options.na_labels else row[0]
            bad_value = text_weight(value)[1] == state
            if bad_value:
                seen.append(value)
            return bad_value

        rows.table.positions([column], [wanted], 1)
        shown = "".join(f": {shorten(value)}" for value in seen[:1] if value)
        spelled = other_spelling(seen)
        fix = spelled[1] if spelled else cure or fill
        rows.pend(
            message + shown,
            column,
            fix,
            keys=(column,),
            predicate=wanted,
            n_rows=int(rows.n[bad].sum()),
        )
    rows.use = rows.use & ((status == 0) | (status == WEIGHT_ZERO))
    rows.leave_out(status == WEIGHT_ZERO, f"weight 0 in '{name}'", "rows of weight 0 say nothing")


def unit_weights(
    rows: Rows, roles: Roles, options: ReadingOptions, *, droppable: bool = True
) -> FloatArray | None:
    """Return the sampling weight of a unit in each row; None where no column has weights, or all are equal.

    Weights are relative: equal ones are none. Rows of weight 0 are used no more.
    """
    if not roles["weight"]:
        return None
    set_weights_aside(rows, roles["weight"], options, droppable=droppable)
    weight = rows.labels(roles["weight"]).numbers()
    return unequal(np.where(rows.use, weight, np.nan))


def as_named(data: Any, prefix: str = "") -> Any:
    """Return a 2-D array as a data frame with columns ``1``, ``2``, ...; anything else as it is.

    Raises
    ------
    InputError
        For arrays of other shapes.
    """
    if isinstance(data, (list, tuple)):
        data = np.array(data, dtype=object)
    if not isinstance(data, np.ndarray):
        return data
    if data.ndim != 2:
        raise InputError(
            f"a 2-D array is needed, not one of shape {data.shape}. Pass a data frame, or a 2-D array"
        )
    import pandas as pd

    width = len(str(data.shape[1]))
    return pd.DataFrame(data, columns=[f"{prefix}{k + 1:0{width}d}" for k in range(data.shape[1])])


def need_columns(table: Table, names: Iterable[str], what: str) -> None:
    """Refuse a table of another kind.

    Parameters
    ----------
    table : Table
    names : iterable of str
        Columns that it must have.
    what : str
        What such a table is, for the message.

    Raises
    ------
    InputError
        Naming the columns that it lacks, and those it has.
    """
    absent = [name for name in names if name not in table.columns]
    if absent:
        message = f"no column {quoted(absent)}; {what}"
        raise InputError(
            Problem(
                source=table.source, message=message, fix=f"Columns: {quoted(table.columns, 20)}"
            )
        )


def groupings(table: Table, names: Texts, what: str) -> tuple[Levels, dict[str, dict[str, str]]]:
    """Read groupings of items (models) from a table with a row for each.

    Parameters
    ----------
    table : Table
        One column that names the item, and one for each grouping. An empty field: the item is in no group of it.
    names : sequence of str
        What the first column may be called.
    what : {"item", "model"}

    Returns
    -------
    items : tuple of str
        Those that have a row.
    groups : dict of grouping to dict of item to group

    Raises
    ------
    DesignError
        If no column names the items, or there is no other column.
    InputError
        If an item has two rows.
    """
    item = next((name for name in names if name in table.columns), None)
    others = [name for name in table.columns if name != item]
    if item is None or not others:
        missing = f"that names the {what}" if item is None else "of a grouping"
        raise DesignError(
            f"{table.source}: no column {missing} (columns: {quoted(list(table.columns), 20)}). One column is called "
            f"'{names[0]}' (or '{names[1]}'), every other one is a grouping"
        )
    columns = [*map(table.texts, others)]
    groups_of: dict[str, tuple[str | None, ...]] = {}
    for label, groups in zip(table.texts(item), zip(*columns, strict=True), strict=True):
        if label and groups_of.setdefault(label, groups) != groups:
            raise InputError(
                f"{table.source}: '{shorten(label)}' has several rows; give every {what} one"
            )
    return tuple(groups_of), {
        name: {label: group for label in sorted(groups_of) if (group := groups_of[label][k])}
        for k, name in enumerate(others)
    }
