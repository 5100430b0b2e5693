"""The values of pairs: numbers, two levels in order, or labels without an order; decided once for the whole column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray, FloatArray
from socialstats.designs.levels import categories, codes_in, in_order, opposites
from socialstats.designs.paired import PairedScale
from socialstats.designs.paired_options import PairedOptions
from socialstats.designs.rows import Rows
from socialstats.errors import DesignError
from socialstats.tables import as_number

MOSTLY = 0.5
LABELS = "if these are labels, say scale='nominal' (--scale nominal)"
ZERO_ONE = {0.0, 1.0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Values:
    """Decoded values.

    Attributes
    ----------
    scale : {"binary", "nominal", "numeric"}
    levels : tuple of str
        Empty for numbers.
    numbers : mapping of str to (rows,) float64 array
        By column: numbers, or codes into `levels`; NaN where missing or not decoded.
    """

    scale: PairedScale
    levels: tuple[str, ...]
    numbers: Mapping[str, FloatArray]


def decode(columns: Sequence[str], rows: Rows, options: PairedOptions) -> Values:
    """Decode the value column (or the two columns of a wide or counted table).

    Parameters
    ----------
    columns : sequence of str
    rows : Rows
        Collects values that do not fit.
    options : PairedOptions

    Raises
    ------
    DesignError
        For two texts without an order.
    """
    fast = _engine_numbers(columns, rows, options)
    if fast is not None:
        return Values(scale="numeric", levels=(), numbers=fast)
    used = sorted({label for column in columns for label in rows.used_labels(column)})
    levels = options.level_labels
    if levels is None and options.scale == "nominal":
        levels = _category_levels(columns, rows, used) or in_order(used)
    if levels is not None:
        scale: PairedScale = options.scale or ("binary" if len(levels) == 2 else "nominal")
        return Values(scale=scale, levels=levels, numbers=_by_level(columns, rows, levels, declared=True))
    rows.problems.refuse_spellings(columns, rows.use, LABELS)
    numbers = [as_number(label) for label in used]
    if None not in numbers:
        return _numbers(columns, rows, options, {x for x in numbers if x is not None})
    if pair := opposites(used):
        return _opposites(columns, rows, options, pair)
    if options.scale == "numeric" or _text_share(columns, rows) < MOSTLY:
        return _not_numbers(columns, rows)
    levels = _category_levels(columns, rows, used) or _levels_of_texts(columns, rows, options, used)
    return Values(
        scale="binary" if len(levels) == 2 else "nominal", levels=levels,
        numbers=_by_level(columns, rows, levels, declared=False),
    )  # fmt: skip


def _engine_numbers(columns: Sequence[str], rows: Rows, options: PairedOptions) -> dict[str, FloatArray] | None:
    """Return finite numbers that the engine holds as such, without making labels of them; None when not plain."""
    if options.levels is not None or options.scale not in (None, "numeric"):
        return None
    found: dict[str, FloatArray] = {}
    for column in columns:
        numbers = rows.engine_numbers(column)
        if numbers is None or np.isinf(numbers[rows.use]).any():
            return None
        found[column] = numbers
    used = np.unique(np.concatenate([numbers[rows.use] for numbers in found.values()]))
    if options.scale is None and np.isin(used[~np.isnan(used)], (0.0, 1.0)).all():
        return None
    return found


def _numbers(columns: Sequence[str], rows: Rows, options: PairedOptions, found: set[float]) -> Values:
    if found <= ZERO_ONE and options.scale != "numeric":
        return Values(scale="binary", levels=("0", "1"), numbers=_by_level(columns, rows, ("0", "1"), declared=False))
    if options.scale == "binary":
        listed = text.listing([f"{x:g}" for x in sorted(found)], most=6)
        cure = "Say which two values count as 0 and 1: levels=(zero, one) (--levels zero,one)"
        raise DesignError(
            f"{rows.table.source}, column '{columns[0]}': scale='binary', but the values are {listed}. {cure}"
        )
    return Values(scale="numeric", levels=(), numbers=_parsed(columns, rows))


def _opposites(columns: Sequence[str], rows: Rows, options: PairedOptions, pair: tuple[str, str]) -> Values:
    codes = _by_level(columns, rows, pair, declared=False)
    if options.scale == "numeric":
        return Values(scale="numeric", levels=(), numbers=codes)
    return Values(scale="binary", levels=pair, numbers=codes)


def _parsed(columns: Sequence[str], rows: Rows) -> dict[str, FloatArray]:
    out = {}
    for column in columns:
        labels = rows.labels(column)
        numbers = [as_number(label) for label in labels.levels]
        table = np.array([*(np.nan if x is None else x + 0.0 for x in numbers), np.nan], dtype=np.float64)
        out[column] = table[labels.codes]
    return out


def _text_cells(column: str, rows: Rows) -> BoolArray:
    labels = rows.labels(column)
    is_text = np.array([*(as_number(label) is None for label in labels.levels), False])
    found: BoolArray = rows.use & is_text[labels.codes]
    return found


def _text_share(columns: Sequence[str], rows: Rows) -> float:
    n = rows.counts.n
    words = sum(float(n[_text_cells(column, rows)].sum()) for column in columns)
    every = sum(float(n[rows.use & (rows.codes(column) >= 0)].sum()) for column in columns)
    return words / every if every else 0.0


def _not_numbers(columns: Sequence[str], rows: Rows) -> Values:
    fix = "Correct it, or declare it with na='{}' (--na) if it means a missing value"
    for column in columns:
        rows.problems.each_value(column, _text_cells(column, rows), [column], "'{}' is not a finite number", fix=fix)
    return Values(scale="numeric", levels=(), numbers=_parsed(columns, rows))


def _by_level(columns: Sequence[str], rows: Rows, levels: Sequence[str], *, declared: bool) -> dict[str, FloatArray]:
    """Decode labels as codes, and report those that are no level."""
    out = {}
    for column in columns:
        labels = rows.labels(column)
        codes = np.array([*codes_in(labels.levels, levels), -1], dtype=np.int64)[labels.codes]
        bad = rows.use & (codes < 0) & (labels.codes >= 0)
        if declared and bad.any():
            message = f"'{{}}' is none of the declared levels ({text.quoted(levels, 8)})"
            fix = "Correct it, add it to levels= (--levels), or say na='{}' (--na) if it means a missing value"
            rows.problems.each_value(column, bad, [column], message, fix=fix, like=levels)
        out[column] = np.where(codes >= 0, codes, np.nan)
    return out


def _category_levels(columns: Sequence[str], rows: Rows, used: Sequence[str]) -> tuple[str, ...] | None:
    """Return the order that the column's own type declares, if it explains every value."""
    found = {categories(rows.table, column) for column in columns}
    levels = found.pop() if len(found) == 1 else None
    if levels is None or len(levels) < 2 or not set(used) <= set(levels):
        return None
    return levels


def _levels_of_texts(columns: Sequence[str], rows: Rows, options: PairedOptions, used: list[str]) -> tuple[str, ...]:
    if len(used) > 2 and options.scale != "binary":
        return in_order(used)
    place = f"{rows.table.source}, column '{columns[0]}'"
    listed = text.quoted(used, 6)
    raise DesignError(
        f"{place}: the values are the text{'s' if len(used) > 1 else ''} {listed}, and nothing says which counts as 1. "
        "Say levels=(zero, one) (--levels zero,one), the one that counts as 1 last, or scale='nominal' "
        "(--scale nominal) if they have no order"
    )
