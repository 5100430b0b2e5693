"""Covariates of comparisons: one value for each side, numbers or labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.designs.aliases import LevelOrder, Levels, Pair, Texts, TextSet
from socialstats.designs.columns import Contest
from socialstats.designs.options import Options
from socialstats.designs.parts import Covariate
from socialstats.designs.rows import Rows, if_missing
from socialstats.designs.suspects import code_suspects
from socialstats.errors import Caution, caution
from socialstats.tables import Table, as_number, label_text
from socialstats.tables.counting import R_INTEGER_NA
from socialstats.tables.lazy import asks, collected, height
from socialstats.text import quoted
from socialstats.voice import option

# share of texts from which a column holds labels, of which none is a misspelt number
MOSTLY = 0.5
# distinct rows of covariates, among the first rows of a table, from which they make no cells
MANY_VALUES = 10_000
FIRST_ROWS = 100_000
# rows up to which a table that is in memory anyway is counted in cells
EAGER_ROWS = 1_000_000
# labels of a covariate that was found by its name, of which many nearly identify the rows
UNUSED_LABELS = 50


@asks
def continuous(
    table: Table, covariates: Mapping[str, Pair], items: Pair, na: TextSet
) -> dict[str, Pair]:
    """Return the covariates that make no cells: numbers that differ in most rows, and of which no row misses any.

    Those that have one number for each item make no more cells. Rows that miss a number are an error, or are left out,
    with their places: for that all columns make cells.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> rows = {"item_a": ["x", "y"], "item_b": ["y", "z"], "n_a": [1, 2], "n_b": [3, 4]}
    >>> continuous(as_table(rows), {"n": ("n_a", "n_b")}, ("item_a", "item_b"), ())
    {}
    """
    frame = table.frame
    if not covariates or (not table.lazy and table.height < EAGER_ROWS):
        return {}
    schema: Any = frame.select(
        *{column for pair in covariates.values() for column in pair}
    ).collect_schema()
    numeric = {
        name: pair
        for name, pair in covariates.items()
        if all(schema[column].is_numeric() for column in pair)
    }
    if not numeric:
        return {}
    columns = list(
        dict.fromkeys([*items, *(column for pair in covariates.values() for column in pair)])
    )
    first: Any = collected(frame.select(*columns).head(FIRST_ROWS))

    def distinct(*names: str) -> int:
        return len(first.select(*dict.fromkeys(names)).unique())

    of_items = {
        name
        for name, pair in covariates.items()
        if all(distinct(item, c) == distinct(item) for item, c in zip(items, pair, strict=True))
    }
    numeric = {name: pair for name, pair in numeric.items() if name not in of_items}
    stored: dict[str, Pair] = {}
    for name in sorted(numeric, key=lambda name: -distinct(*numeric[name])):
        single_columns = [
            c
            for name_of_pair, pair in covariates.items()
            if name_of_pair not in {*stored, *of_items}
            for c in pair
        ]
        if distinct(*single_columns) < MANY_VALUES:
            break
        stored[name] = numeric[name]
    gone = nw.lit(False)
    codes = [float(R_INTEGER_NA), *(x for x in map(as_number, na) if x is not None)]
    for column in {c for pair in stored.values() for c in pair}:
        value = nw.col(column).cast(nw.Float64)
        gone = gone | value.is_null() | value.is_nan() | ~value.is_finite() | value.is_in(codes)
    return {} if stored and height(frame.filter(gone)) else stored


def read_covariates(
    rows: Rows, roles: Contest, options: Options, stored: Mapping[str, Pair]
) -> tuple[dict[str, Covariate], list[Caution]]:
    """Decode the covariates; texts that were only found by name and nearly identify the rows are left out.

    Parameters
    ----------
    rows : Rows
    roles : Contest
    options : Options
    stored : mapping of str to pair of str
        Covariates that stay with the table.
    """
    decoded: dict[str, Covariate] = {}
    unused: list[str] = []
    cautions: list[Caution] = []
    most = max(UNUSED_LABELS, float(rows.n.sum()) / 10)
    for name, columns in roles.covariates.items():
        sides = (
            None if name in stored else covariate(name, columns, rows, options.allowed.get(name))
        )
        if sides is None:
            continue
        if sides.a.dtype != object:
            cautions += code_suspects(rows, columns)
        elif (
            name in roles.undeclared
            and max(len(rows.labels(column).levels) for column in columns) > most
        ):
            unused.append(name)
            continue
        decoded[name] = sides
    if unused:
        detail = f"{quoted(unused)} hold text that differs in most rows; declare {option('covariates')} to use them"
        cautions.append(caution("SS307", detail))
    return decoded, cautions


def covariate(name: str, columns: Pair, rows: Rows, allowed: LevelOrder) -> Covariate | None:
    """Decode one covariate; None when its values are a problem.

    Parameters
    ----------
    name : str
    columns : pair of str
    rows : Rows
        Those that are not in use may hold anything.
    allowed : sequence, optional
        The only values the covariate may have.
    """
    is_text = [rows.texts(column) for column in columns]
    numeric = not np.any(is_text)
    if allowed is not None:
        fine, numeric = _check_values(columns, rows, allowed)
        if not fine:
            return None
    elif not numeric:
        for column in columns:
            rows.refuse_spellings(column)
        if sum(float(rows.n[bad].sum()) for bad in is_text) < MOSTLY * 2 * float(
            rows.n[rows.use].sum()
        ):
            for column, bad in zip(columns, is_text, strict=True):
                rows.each_value(
                    column,
                    bad,
                    [column],
                    "'{}' is not a number",
                    fix=lambda label: f"{if_missing(label)} (covariate {name})",
                )
            return None
    sides = (rows.labels(column) for column in columns)
    a, b = (side.numbers() if numeric else side.mapped(str, None, object) for side in sides)
    return Covariate(name=name, a=a, b=b, levels=() if numeric else ordered_labels(rows, columns))


def ordered_labels(rows: Rows, columns: Texts) -> Levels:
    """Return the labels of some columns in the order of their categories; none where a column has no order."""
    orders = [rows.table.categories(column) for column in columns]
    used = {label for column in columns for label in rows.used_labels(column)}
    levels = tuple(dict.fromkeys(label for order in orders for label in order))
    return (
        tuple(label for label in levels if label in used)
        if all(orders) and used <= {*levels}
        else ()
    )


def _check_values(columns: Pair, rows: Rows, allowed: Sequence[Any]) -> tuple[bool, bool]:
    """Report values that are not allowed; return whether all are, and whether those that are allowed are numbers."""
    listed = [label_text(value) or "" for value in allowed]
    numbers = [as_number(value) for value in listed]
    numeric = None not in numbers
    message = "'{}' is not " + " or ".join(
        part for part in (", ".join(listed[:-1]), listed[-1]) if part
    )
    fine = True
    for column in columns:
        fits = rows.labels(column).mapped(
            lambda x: as_number(x) in numbers if numeric else x in listed, True
        )
        bad = rows.use & ~fits
        fine = fine and not bad.any()
        rows.each_value(column, bad, [column], message, fix="Correct it, or allow it")
    return fine, numeric
