"""The two rows of each unit side by side, by key; units without a partner and pairs without a value are set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats import text
from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.paired_options import PairedOptions, PairedRoles
from socialstats.designs.rows import FILL_OR_DROP, Rows, missing_words
from socialstats.errors import DesignError

UNMATCHED_SHOWN = 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """Pairs, one a unit.

    Attributes
    ----------
    first, second : (pairs,) float64 arrays
    row : (pairs,) int64 array
        A row of the pair, for what belongs to its unit.
    unmatched : tuple of str
        Units left out because one condition is missing.
    """

    first: FloatArray
    second: FloatArray
    row: IntArray
    unmatched: tuple[str, ...]


def join(
    rows: Rows, roles: PairedRoles, values: FloatArray, conditions: Sequence[str], options: PairedOptions
) -> Joined:
    """Put the two rows of each unit side by side, by key; report or leave out units without a partner."""
    key = rows.key(roles.key)
    size = int(key.max(initial=-1)) + 1
    labels = rows.labels(roles.condition)
    blank = _blank(rows, roles.value)
    value = np.full((2, size), np.nan)
    has = np.zeros((2, size), dtype=bool)
    row = np.zeros(size, dtype=np.int64)
    for side, condition in enumerate(conditions):
        code = labels.levels.index(condition) if condition in labels.levels else -2
        mine = rows.use & (labels.codes == code)
        at = np.flatnonzero(mine if rows.origin is None else mine & ~blank)  # an empty field of a wide table is no row
        value[side, key[at]] = values[at]
        has[side, key[at]] = True
        row[key[at]] = at
    alone = has[0] != has[1]
    there = key if rows.origin is None else np.where(blank, -1, key)
    unmatched = _set_alone_aside(rows, roles, there, alone, has, conditions, options)
    paired = has[0] & has[1]
    empty = (paired & np.isnan(value).any(axis=0)) | ~has.any(axis=0)
    _set_empty_aside(rows, roles, key, blank & _of_keys(key, empty), empty, options)
    keep = np.flatnonzero(paired & ~empty)
    return Joined(first=value[0, keep], second=value[1, keep], row=row[keep], unmatched=unmatched)


def _of_keys(key: IntArray, marked: BoolArray) -> BoolArray:
    return np.append(marked, False)[key]  # a key of -1 is a row not in use


def _set_alone_aside(
    rows: Rows, roles: PairedRoles, key: IntArray, alone: BoolArray, has: AnyArray, conditions: Sequence[str],
    options: PairedOptions,
) -> tuple[str, ...]:  # fmt: skip
    bad = np.flatnonzero(alone)
    if not len(bad):
        return ()
    if not rows.problems.pending and not (has[0] & has[1]).any() and has[0].any() and has[1].any():
        raise DesignError(_two_groups(rows, roles, has, conditions))
    at = _of_keys(key, alone)
    if options.drop_unmatched:
        first_row = np.flatnonzero(at)[np.unique(key[at], return_index=True)[1]]
        names = tuple(rows.named(roles.key, int(one)) if roles.by else _label(rows, roles, one) for one in first_row)
        rows.leave_out(
            _of_keys(rows.key(roles.key), alone),
            "units without a partner",
            "missing='drop': the unit has one of the two conditions",
        )
        return tuple(sorted(names))
    a, b = (text.shorten(label) for label in conditions)
    message = (
        f"{text.count(len(bad), 'unit')} without a partner: {text.count(has[0].sum(), 'unit')} under '{a}', "
        f"{text.count(has[1].sum(), 'unit')} under '{b}', {text.count((has[0] & has[1]).sum(), 'pair')}"
    )
    fix = "Add the missing rows, or say missing='drop' (--missing drop) to leave such units out"
    named = roles.unit if (rows.origin or rows.table).has(roles.unit) else None
    rows.problems.say(message, column=named, fix=fix)

    what = "row" if rows.origin is None else "value"

    def one(found: IntArray) -> str:
        there = rows.codes(roles.condition)[found[0]] == rows.labels(roles.condition).levels.index(conditions[0])
        return f"{rows.named(roles.key, int(found[0]))} has no {what} under '{b if there else a}'"

    more = "{} further units have no partner"
    columns = [*roles.key, roles.condition]
    rows.each_key(key, bad, columns, one, column=named, fix="", more=more, most=UNMATCHED_SHOWN)
    return ()


def _two_groups(rows: Rows, roles: PairedRoles, has: AnyArray, conditions: Sequence[str]) -> str:
    """Say that no unit has both conditions: a comparison of two groups, or a wrong unit."""
    a, b = (text.shorten(label) for label in conditions)
    unit = text.shorten(roles.unit)
    return (
        f"{rows.table.source}, column '{unit}': no unit has a value under both conditions "
        f"({text.count(has[0].sum(), 'unit')} under '{a}', {text.count(has[1].sum(), 'other unit')} under '{b}'): "
        "these are two independent groups, not pairs. If rows of the two belong together, name the column that links "
        "them: unit='COLUMN' (--map unit=COLUMN); if not, no test of pairs applies"
    )


def _label(rows: Rows, roles: PairedRoles, row: int) -> str:
    labels = rows.labels(roles.unit)
    return labels.levels[int(labels.codes[row])]


def _blank(rows: Rows, column: str) -> BoolArray:
    """Return the rows without a value; of numbers that the engine holds as such, without making labels of them."""
    numbers = rows.engine_numbers(column)
    return rows.codes(column) < 0 if numbers is None else np.isnan(numbers)


def _set_empty_aside(
    rows: Rows, roles: PairedRoles, key: IntArray, bad: BoolArray, empty: BoolArray, options: PairedOptions
) -> None:  # fmt: skip
    """Report missing values, or leave out the pairs that have one."""
    column = roles.value
    if not bad.any():
        return
    if options.missing == "error":
        message, fix = missing_words(rows.counts, column, bad, FILL_OR_DROP)
        if rows.origin is not None:  # both values of a row: say so once
            message = "both values are missing"
            bad = bad & (rows.codes(roles.condition) == rows.codes(roles.condition)[bad][0])
        keys = [*roles.key, roles.condition, column]
        rows.problems.add(message, bad, keys, column=column, fix=fix)
    elif not rows.problems.pending:
        note = f"missing='drop': a value of '{text.shorten(column)}' is missing"
        rows.leave_out(_of_keys(key, empty), "pairs without both values", note)
