"""Ratings from tables of other layouts: a column for each rater or unit, counts by level, a square table of counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.aliases import LevelOrder, Levels, Texts
from socialstats.designs.cells import group
from socialstats.designs.crosstabs import numbers_in, square_counts, sums_alike
from socialstats.designs.frequencies import frequency, frequency_columns, looks_counted
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.levels import declared_levels, opposites
from socialstats.designs.options import check_choice, texts
from socialstats.designs.parts import FlowStep
from socialstats.designs.ratings_data import RatingsData
from socialstats.designs.ratings_options import RatingsOptions, check_scale
from socialstats.designs.ratings_reading import (
    MOST_NAMED,
    PARTS,
    RATED_UNITS,
    build_from,
    size_cautions,
    undeclared_levels,
)
from socialstats.designs.rows import BELONGS, FILL, Rows, begin
from socialstats.designs.schema import Finder, Roles, plain_parts
from socialstats.designs.stacking import free_name, make_long
from socialstats.designs.suspects import cluster_suspects, item_suspects
from socialstats.designs.tables import as_named, whole_numbers
from socialstats.designs.vocabulary import CLUSTER_NAME, RATERS, spelled
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.tables import Table, as_number, as_table
from socialstats.text import count as counted
from socialstats.text import quoted
from socialstats.voice import Word, option

AXES = ("columns", "rows")
# by which a table is seen to hold no counts
FIRST_ROWS = 50
WIDE = plain_parts(
    "unit rater by rater_source:source count weight rater_groups:rater_group strata:stratum "
    "cluster repeat"
)
BELONG = spelled("stratum strata stage trait category split language block fold weight")


def wide_ratings(
    data: Any, raters_in: str, columns: Any, source: str, options: RatingsOptions
) -> RatingsData:
    """Read a matrix of ratings; `Ratings.from_wide` documents it."""
    check_choice("raters_in", raters_in, AXES)
    if options.probabilities:
        raise InputError(
            f"{option('probabilities', options.probabilities)} is for one row per rating"
        )
    table = as_table(as_named(data), source)
    by_column = raters_in == "columns"
    _refuse_other_axis(options, raters_in)
    row_part, axis = ("unit", "raters") if by_column else ("rater", "units")
    finder = Finder(table)
    row = getattr(options, row_part)
    if by_column and row is None and columns is None:
        row = finder.free(
            RATED_UNITS, (*texts(options.strata), *texts(options.cluster), *texts(options.by))
        )
    given = finder.roles(WIDE, options, **{row_part: row})
    used = given.columns()
    keep = [name for name in used if name != row]
    counts = frequency_columns(table, used, options.na_labels) if by_column else []
    free = [c for c in table.columns if c not in (*used, *counts)]
    chosen = finder.several(axis, columns if columns is not None else free)
    finder.finish()
    if by_column and columns is None:
        _refuse_others(table.source, chosen)
    if not chosen:
        raise DesignError(
            f"{table.source}: no column holds ratings (columns: {quoted(table.columns, 10)})"
        )
    if options.levels is None:
        _refuse_counts(table, chosen, by_column, not isinstance(data, np.ndarray | list | tuple))
    used += chosen
    frequencies = frequency(
        table,
        options.count if by_column else False,
        [] if row else used,
        used,
        options.na_labels,
        given["weight"] or None,
        counted=lambda: len(chosen) == 2 and looks_counted(table, *chosen),
    )
    given = given.counted(frequencies.column)
    keep = list(dict.fromkeys([*keep, *given.of("count")]))
    noticed = [*frequencies.cautions, *(item_suspects(chosen) if by_column else [])]
    long = make_long(table, chosen, keep, row=row, name=axis[:-1])
    unit, rater = (long.row, long.name) if by_column else (long.name, long.row)
    roles = Roles(PARTS, given.played).replaced(unit=[unit], rater=[rater], value=[long.value])
    full = replace(options, levels=options.levels if options.levels is not None else long.levels)
    return replace(
        build_from(long.table, roles, full, wide=table, noticed=noticed), columns=given.parts()
    )


def _refuse_counts(table: Table, chosen: Levels, by_column: bool, named: bool) -> None:
    """Refuse counts of ratings by level, whose units have the same number of raters, as ratings.

    Raises
    ------
    InputError
        With what to write for each reading.
    """
    if table.lazy or len(chosen) < 2 or table.height < 2:
        return
    columns = numbers_in(table, chosen, FIRST_ROWS if by_column else None)
    if by_column and sums_alike(zip(*columns, strict=True)):
        columns = numbers_in(table, chosen)
    total = sums_alike(zip(*columns, strict=True))
    turned = not (total or by_column)
    if turned:
        total = sums_alike(columns)
    levels = sorted({x for column in columns for x in column if x is not None}) if total else []
    if not total or levels[0] != 0 or levels[-1] < 2:
        return
    data = "data.T" if turned else "data"
    counts = f"pass Ratings.from_counts({data})"
    if named and not turned:
        counts = f"say {option('columns', list(chosen))} alone"
    raise InputError(
        f"{table.source}: the numbers of each {'column' if turned else 'row'} sum to {total}, as counts of ratings by "
        f"level do. Where a row is a unit, and a column counts who gave it that level, {counts}. Where they are "
        f"ratings, name their levels: {option('levels', [int(x) for x in levels])}"
    )


def _refuse_others(source: str, chosen: Texts) -> None:
    """Refuse to take columns with the name of a cluster, unit or stratum as raters because nothing else was said."""
    belong = {*RATED_UNITS, *BELONG} - {*RATERS.names}
    key_columns = [
        c
        for c in chosen
        if c.casefold() in belong or (CLUSTER_NAME.search(c) and c not in RATERS.names)
    ]
    if not key_columns:
        return
    value_columns = [c for c in chosen if c not in key_columns]
    fix = option("raters", value_columns)
    if not 1 < len(value_columns) <= MOST_NAMED:
        fix = f"{option('raters', [Word('...')])} with the columns of the raters"
    have = "has" if len(key_columns) == 1 else "have"
    raise DesignError(
        f"{source}: without {option('raters')} all other columns are raters, here {quoted(chosen, 8)}; but "
        f"{quoted(key_columns)} {have} the name of a unit, cluster or stratum. "
        f"Say {fix}, and {option('unit')}, {option('cluster')} or {option('strata')} "
        "for a column that belongs to the unit"
    )


def _refuse_other_axis(options: RatingsOptions, raters_in: str) -> None:
    by_column = raters_in == "columns"
    key_columns = (
        ("rater_groups", "rater_source", "rater")
        if by_column
        else ("strata", "cluster", "unit", "count", "weight")
    )
    why = f"with {option('raters_in', raters_in)} {'raters' if by_column else 'units'} are columns"
    for name, reason in (
        *((name, why) for name in key_columns),
        ("status", "a wide table has no status"),
    ):
        if value := getattr(options, name):
            raise InputError(
                f"{option(name, value)}: {reason}; use Ratings.from_frame (long table)"
            )


def counted_ratings(
    data: Any, columns: Texts | None, levels: LevelOrder, source: str, options: RatingsOptions
) -> RatingsData:
    """Read units by levels; `Ratings.from_counts` documents it."""
    table = as_table(as_named(data), source)
    finder = Finder(table)
    roles = finder.roles(WIDE, options)
    role_columns = roles.columns()
    free = [c for c in table.columns if c not in role_columns]
    chosen = finder.several("columns", columns if columns is not None else free)
    finder.finish()
    labels = declared_levels(levels) or chosen
    if len(labels) != len(chosen):
        sizes = f"{counted(len(labels), 'level')} for {counted(len(chosen), 'column')}"
        raise InputError(f"{table.source}: {sizes} ({quoted(chosen, 8)})")
    scale, note = _scale_of(
        labels, options.scale, levels is not None or columns is not None, table.source
    )
    rows = begin(table, [*role_columns, *chosen], ())
    rows.set_missing_aside(role_columns, drop=False, fix=FILL)
    rows.set_missing_aside(chosen, drop=False, fix="Write 0 where no rater gave the level")
    counts = np.column_stack([whole_numbers(name, rows) for name in chosen])
    if options.unit:
        fix = f"A unit has one row: add its counts up, or name what tells these rows apart with {option('by')}"
        rows.refuse_repeats(roles.of("unit", "by"), fix)
        rows.refuse_several(roles, ["unit"])
    rows.raise_if_any()
    done = _from_counts(rows, counts, labels, scale, roles)
    notes = undeclared_levels(note, f"declare {option('scale', typed='--scale')}")
    suspects = cluster_suspects(table, [*role_columns, *chosen], int(done.unit_count.sum()))
    return replace(done, cautions=(*notes, *suspects))


def _scale_of(
    labels: Texts, scale: Scale | None, declared: bool, source: str, square: bool = False
) -> tuple[Scale, str]:
    """Return the scale of levels, and a note where it was not declared.

    A square (confusion) table is nominal, unless its labels are numbers.
    """
    check_scale(scale, labels, source)
    if scale is not None:
        return scale, ""
    if square and not declared:
        return (
            "nominal",
            f"the levels have no names, numbered {labels[0]} to {labels[-1]} and taken as nominal",
        )
    if None not in [as_number(label) for label in labels]:
        return (
            "interval",
            ""
            if declared
            else f"numbers from {labels[0]} to {labels[-1]}, taken as an interval scale",
        )
    if square or (not declared and opposites(labels)):
        return "nominal", f"{quoted(labels)} taken as nominal"
    if declared:
        return "ordinal", ""
    raise DesignError(
        f"{source}: the levels are texts whose order is undeclared: {quoted(labels, 12)}. Pass "
        f"{option('levels')} or {option('columns')} in order, the lowest first, or {option('scale', 'nominal')} "
        "if they have none"
    )


def _from_counts(
    rows: Rows, counts: FloatArray, labels: Texts, scale: Scale, roles: Roles
) -> RatingsData:
    """One unit a row (or, without names, one a distinct row, standing for all like it); raters 1, 2, ... a unit."""
    given = counts.sum(axis=1) > 0
    use = np.flatnonzero(rows.use & given)
    if not len(use):
        raise NothingToAnalyse(
            f"{rows.table.source}: every count is 0: there is nothing to analyse"
        )
    first, then = (
        [rows.codes(name)[use] for name in roles.of(*kinds)]
        for kinds in (["unit"], ["by", *BELONGS])
    )
    order = use[np.argsort(group([*first, *counts[use].T, *then])[1])]
    ratings = counts[order].astype(np.int64)
    totals = ratings.sum(axis=1)
    row = np.repeat(np.arange(len(order)), totals)
    value = np.repeat(np.tile(np.arange(len(labels)), len(order)), ratings.ravel())
    rater = np.arange(len(row)) - np.repeat(np.cumsum(totals) - totals, totals)
    at = order[row]
    unit = roles["unit"]
    names = rows.factor(unit, at).labels() if unit else np.array(number_labels(len(order)))[row]
    belong = {name: rows.factor(name, at).labels() for name in roles.of("by", *BELONGS)}
    parts = {part: free_name(belong, part) for part in ("unit", "rater", "value", "count")}
    columns = [
        names,
        np.array(number_labels(int(rater.max()) + 1))[rater],
        np.array(labels)[value],
        rows.n[at],
    ]
    table = as_table(belong | dict(zip(parts.values(), columns, strict=True)), rows.table.source)
    options = RatingsOptions(levels=labels, scale=scale, na=False, try_clusters=False)
    long = Roles(PARTS, roles.played).replaced(**{part: [name] for part, name in parts.items()})
    done = build_from(table, long, options, noticed=())
    read, empty = (int(rows.n[which].sum()) for which in (rows.use, rows.use & ~given))
    steps = (
        FlowStep(label="rows read", rows=read, note="a row counts the ratings of a unit"),
        FlowStep(label="units without a rating", rows=empty),
        FlowStep(label="ratings analysed", rows=done.n_rows),
    )
    flow = steps if empty else steps[::2]
    return replace(done, raters_known=False, flow=flow, columns={"unit": unit} if unit else {})


def number_labels(n: int) -> Levels:
    """Return labels 1, 2, ... that sort as numbers.

    Examples
    --------
    >>> number_labels(3), number_labels(10)[0]
    (('1', '2', '3'), '01')
    """
    return tuple(f"{k:0{len(str(n))}d}" for k in range(1, n + 1))


def square_ratings(
    table: Any, raters: Texts, levels: LevelOrder, scale: Scale | None, source: str
) -> RatingsData:
    """Read a square table of two raters; `Ratings.from_table` documents it."""
    names = texts(raters)
    if len(names) != 2:
        raise InputError(f"{option('raters', raters)}: name the two raters, rows first")
    check_choice("scale", scale, (*SCALES, None))
    vectors = "Ratings.from_wide({'x': x, 'y': y}, raters_in='columns')"
    labels, counts, named = square_counts(table, levels, start=1, source=source, vectors=vectors)
    chosen, note = _scale_of(labels, scale, named, source, square=True)
    declare = f"declare {option('scale')} ({option('scale', 'ordinal')} for levels in order)"
    row, column = np.nonzero(counts)
    values = np.array(labels, dtype=object)
    unit_count = counts[row, column]
    unit, count = (free_name(names, part) for part in ("unit", "count"))
    cells = {
        unit: number_labels(len(row)),
        names[0]: values[row],
        names[1]: values[column],
        count: unit_count,
    }
    options = RatingsOptions(
        unit=unit, count=count, levels=labels, scale=chosen, na=False, try_clusters=False
    )
    done = wide_ratings(cells, "columns", names, source, options)
    step = FlowStep(label="units counted", rows=int(unit_count.sum()), note="a table of two raters")
    notes = undeclared_levels(note, declare)
    cautions = (*notes, *size_cautions(int(unit_count.sum()), 2))
    return replace(done, flow=(step,), columns={}, cautions=cautions)
