"""Ratings from other tables: wide matrices with a named axis, counts of levels, square tables of two raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats import text
from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aggregate import frequency, frequency_columns, looks_counted, whole_numbers
from socialstats.designs.cells import group
from socialstats.designs.columns import Finder
from socialstats.designs.levels import declared_levels, opposites
from socialstats.designs.paired_options import check_choice, texts
from socialstats.designs.parts import FlowStep
from socialstats.designs.ratings import SCALES, Ratings, Scale
from socialstats.designs.ratings_options import RATER_NAMES, UNITS, RatingsOptions, RatingsRoles, check_scale
from socialstats.designs.ratings_reading import build_from, size_cautions
from socialstats.designs.rows import FILL, Rows, begin
from socialstats.designs.squares import square_counts
from socialstats.designs.suspects import NAME, cluster_suspects, item_suspects
from socialstats.designs.wide import as_named, make_long
from socialstats.errors import DesignError, InputError, NothingToAnalyse, caution
from socialstats.tables import as_number, as_table

AXES = ("columns", "rows")
BELONG = ("stratum", "strata", "stage", "trait", "category", "split", "language", "block", "fold", "weight")
MOST_NAMED = 8
SQUARE_FIX = "declare scale= (scale='ordinal' for levels in order)"


def wide_ratings(data: Any, raters_in: str, columns: Any, source: str, options: RatingsOptions) -> Ratings:
    """Read a matrix of ratings; `Ratings.from_wide` documents it."""
    check_choice("raters_in", raters_in, AXES)
    table = as_table(as_named(data), source)
    finder = Finder(table)
    by_column = raters_in == "columns"
    row, row_part = (options.unit, "unit") if by_column else (options.rater, "rater")
    mine = (*texts(options.strata), *texts(options.cluster)) if by_column else texts(options.rater_groups)
    if by_column and row is None and columns is None:
        row = next((name for name in UNITS if name in table.columns and name not in (*mine, options.by)), None)
    keep = [*mine, *([options.rater_source] if options.rater_source and not by_column else [])]
    keep += [name for name in (options.by, options.count) if name]
    _refuse_other_axis(options, raters_in)
    for part, name in ((row_part, row), *(("strata, cluster, group, by or count", name) for name in keep)):
        if name:
            finder.explicit(part, name)
    counts = frequency_columns(table, [*keep, row or ""], options.na_labels) if by_column else []
    chosen = (
        texts(columns) if columns is not None else tuple(c for c in table.columns if c not in (row, *keep, *counts))
    )
    for name in chosen:
        finder.explicit("raters" if by_column else "units", name)
    if finder.problems:
        raise DesignError(finder.problems)
    if by_column and columns is None:
        _refuse_others(table.source, chosen)
    if not chosen:
        raise DesignError(f"{table.source}: no column holds ratings (columns: {text.quoted(table.columns, 10)})")
    used = [*chosen, *keep, *([row] if row else [])]
    asked = options.count if by_column else False
    counted = frequency(
        table, asked, [] if row else used, used, options.na_labels,
        counted=lambda: len(chosen) == 2 and looks_counted(table, chosen[0], chosen[1]),
    )  # fmt: skip
    keep += [counted.column] if counted.column and counted.column not in keep else []
    noticed = [*counted.cautions, *(item_suspects(chosen) if by_column else [])]
    long = make_long(table, chosen, keep, row=row, name="rater" if by_column else "unit")
    roles = RatingsRoles(
        unit=long.row if by_column else long.name, rater=long.name if by_column else long.row, value=long.value,
        by=options.by, status=None, source=options.rater_source, groups=texts(options.rater_groups),
        strata=texts(options.strata), clusters=texts(options.cluster), count=counted.column,
    )  # fmt: skip
    full = replace(options, levels=options.levels if options.levels is not None else long.levels)
    done = build_from(long.table, roles, full, wide=table, noticed=noticed)
    parts = {part: column for part, column in roles.parts().items() if part not in ("unit", "rater", "value")}
    return replace(done, columns={row_part: row, **parts} if row else parts)


def _refuse_others(source: str, chosen: Sequence[str]) -> None:
    """Refuse to take columns with the name of a cluster, unit or stratum as raters because nothing else was said."""
    known = {*UNITS, *BELONG}
    other = [c for c in chosen if (c.casefold() in known or NAME.search(c)) and c.casefold() not in RATER_NAMES]
    if not other:
        return
    rest = [c for c in chosen if c not in other]
    fix = f"raters={rest!r}" if 1 < len(rest) <= MOST_NAMED else "raters=[...] with the columns of the raters"
    raise DesignError(
        f"{source}: without raters= all other columns are raters, here {text.quoted(chosen, 8)}; but "
        f"{text.quoted(other)} {'has' if len(other) == 1 else 'have'} the name of a unit, cluster or stratum. Say "
        f"{fix}, and unit=, cluster= or strata= for a column that belongs to the unit"
    )


def _refuse_other_axis(options: RatingsOptions, raters_in: str) -> None:
    by_column = raters_in == "columns"
    wrong = {"rater_groups": options.rater_groups, "rater_source": options.rater_source, "rater": options.rater}
    if not by_column:
        wrong = {
            "strata": options.strata, "cluster": options.cluster, "unit": options.unit, "count": options.count or None,
        }  # fmt: skip
    for name, value in wrong.items():
        if value:
            what = "raters are columns" if by_column else "units are columns"
            raise InputError(
                f"{name}={value!r}: with raters_in='{raters_in}' {what}; use Ratings.from_frame (long table)"
            )
    if options.status:
        raise InputError(f"status={options.status!r}: a wide table has no status; use Ratings.from_frame (long table)")


def counted_ratings(
    data: Any, columns: Sequence[str] | None, levels: Sequence[Any] | None, source: str, options: RatingsOptions
) -> Ratings:
    """Read units by levels; `Ratings.from_counts` documents it."""
    table = as_table(as_named(data), source)
    finder = Finder(table)
    belongs = list(dict.fromkeys((*texts(options.strata), *texts(options.cluster))))
    others = [name for name in (options.unit, options.by, *belongs) if name]
    for name in others:
        finder.explicit("unit, by, strata or cluster", name)
    chosen = texts(columns) if columns is not None else tuple(c for c in table.columns if c not in others)
    for name in chosen:
        finder.explicit("columns", name)
    if finder.problems:
        raise DesignError(finder.problems)
    labels = declared_levels(levels) or chosen
    if len(labels) != len(chosen):
        sizes = f"{text.count(len(labels), 'level')} for {text.count(len(chosen), 'column')}"
        raise InputError(f"{table.source}: {sizes} ({text.quoted(chosen, 8)})")
    scale, note = _scale_of(labels, options.scale, levels is not None or columns is not None, table.source)
    rows = begin(table, [*others, *chosen], ())
    rows.set_missing_aside(others, drop=False, fix=FILL)
    rows.set_missing_aside(chosen, drop=False, fix="Write 0 where nobody gave the level")
    counts = np.column_stack([whole_numbers(name, rows.use, rows.problems) for name in chosen])
    if options.unit:
        fix = "A unit has one row: add its counts up, or name what tells these rows apart with by="
        rows.refuse_repeats([options.unit, *([options.by] if options.by else [])], fix)
        for name in belongs:
            rows.constant([options.unit], name, "unit", "It belongs to the unit: give its rows the same value")
    rows.problems.raise_if_any()
    done = _from_counts(rows, counts, labels, scale, options, belongs)
    notes = [caution("SS310", note, affects="weights and distances between levels", fix="declare scale= (--scale)")]
    suspects = cluster_suspects(table, [*others, *chosen], int(done.unit_count.sum()))
    return replace(done, cautions=(*(notes if note else []), *suspects))


def _scale_of(labels: Sequence[str], scale: Scale | None, declared: bool, source: str) -> tuple[Scale, str]:
    """Return the scale of levels, and a note where it was not declared."""
    check_scale(scale, labels, source)
    if scale is not None:
        return scale, ""
    if None not in [as_number(label) for label in labels]:
        return "interval", f"numbers from {labels[0]} to {labels[-1]}, taken as an interval scale"
    if not declared and opposites(labels):
        return "nominal", f"{text.quoted(labels)} taken as nominal"
    if declared:
        return "ordinal", ""
    raise DesignError(
        f"{source}: the levels are texts, and nothing says their order: {text.quoted(labels, 12)}. Pass levels= or "
        "columns= in order, the lowest first, or say scale='nominal' if they have none"
    )


def _square_scale(labels: Sequence[str], scale: Scale | None, named: bool, source: str) -> tuple[Scale, str]:
    """Return the scale of a square table and a note: a confusion table is nominal, unless its labels are numbers."""
    check_scale(scale, labels, source)
    if scale is not None:
        return scale, ""
    if not named:
        return "nominal", f"the levels have no names, numbered {labels[0]} to {labels[-1]} and taken as nominal"
    if None not in [as_number(label) for label in labels]:
        return "interval", f"numbers from {labels[0]} to {labels[-1]}, taken as an interval scale"
    return "nominal", f"{text.quoted(labels)} taken as nominal"


def _from_counts(
    rows: Rows, counts: FloatArray, labels: Sequence[str], scale: Scale, options: RatingsOptions, belongs: Sequence[str]
) -> Ratings:
    """One unit a row (or, without names, one a distinct row, standing for all like it); raters 1, 2, ... a unit."""
    use = np.flatnonzero(rows.use & (counts.sum(axis=1) > 0))
    if not len(use):
        raise NothingToAnalyse(f"{rows.table.source}: every count is 0: there is nothing to analyse")
    empty = int(rows.counts.n[rows.use & (counts.sum(axis=1) == 0)].sum())
    keys = [rows.codes(name) for name in ([options.unit] if options.unit else [])]
    order = use[np.argsort(group([*(k[use] for k in keys), *counts[use].T, *_other(rows, options, belongs, use)])[1])]
    if options.unit:
        names, unit_of = np.unique(rows.codes(options.unit)[order], return_inverse=True)
        units = tuple(rows.labels(options.unit).levels[code] for code in names.tolist())
    else:
        unit_of = np.arange(len(order))
        units = numbered(len(order))
    first = np.unique(unit_of, return_index=True)[1]
    ratings = counts[order].astype(np.int64)
    row, value, rater = _expand(ratings)
    numbers = [as_number(label) for label in labels]
    numeric = None not in numbers
    read = int(rows.counts.n[rows.use].sum())
    steps = [FlowStep(label="rows read", rows=read, note="a row counts the ratings of a unit")]
    steps += [FlowStep(label="units without a rating", rows=empty)] if empty else []
    by = rows.factor(options.by, order[row]) if options.by else None
    unit_count = np.ones(len(units)) if options.unit else rows.counts.n[order]
    done = Ratings(
        units=units, raters=numbered(int(rater.max()) + 1), levels=tuple(labels), scale=scale, numeric=numeric,
        scores=np.array([x or 0.0 for x in numbers] if numeric else range(len(labels)), dtype=np.float64),
        unit=unit_of[row].astype(np.int64), rater=rater, value=value, status=np.zeros(len(row), dtype=np.int8),
        unit_count=unit_count, by=by, raters_known=False, source=rows.table.source,
        clusters=tuple(rows.factor(name, order[first]) for name in texts(options.cluster)),
        strata={name: rows.factor(name, order[first]) for name in texts(options.strata)},
        columns={"unit": options.unit} if options.unit else {}, flow=tuple(steps),
    )  # fmt: skip
    return replace(done, flow=(*steps, FlowStep(label="ratings analysed", rows=done.n_rows)))


def _expand(ratings: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the row, the level and the number within its row of every rating of a (rows, levels) table."""
    size, levels = ratings.shape
    totals = ratings.sum(axis=1)
    row = np.repeat(np.arange(size), totals)
    value = np.repeat(np.tile(np.arange(levels), size), ratings.ravel())
    return row, value, np.arange(len(row)) - np.repeat(np.cumsum(totals) - totals, totals)


def _other(rows: Rows, options: RatingsOptions, belongs: Sequence[str], use: IntArray) -> list[IntArray]:
    return [rows.codes(name)[use] for name in (*([options.by] if options.by else []), *belongs)]


def numbered(n: int) -> tuple[str, ...]:
    """Return labels 1, 2, ... that sort as numbers.

    Examples
    --------
    >>> numbered(3), numbered(10)[0]
    (('1', '2', '3'), '01')
    """
    return tuple(f"{k:0{len(str(n))}d}" for k in range(1, n + 1))


def square_ratings(
    table: Any, raters: Sequence[str], levels: Sequence[Any] | None, scale: Scale | None, source: str
) -> Ratings:
    """Read a square table of two raters; `Ratings.from_table` documents it."""
    names = texts(raters)
    if len(names) != 2:
        raise InputError(f"raters={raters!r}: name the two raters, rows first")
    check_choice("scale", scale, (*SCALES, None))
    vectors = "Ratings.from_wide({'x': x, 'y': y}, raters_in='columns')"
    labels, counts, named = square_counts(table, levels, start=1, source=source, vectors=vectors)
    chosen, note = _square_scale(labels, scale, named, source)
    row, column = np.nonzero(counts)
    n = len(row)
    order = (0, 1) if names[0] < names[1] else (1, 0)
    unit_count = counts[row, column]
    numbers = [as_number(label) for label in labels]
    numeric = None not in numbers
    step = FlowStep(label="units counted", rows=int(unit_count.sum()), note="a table of two raters")
    notes = (caution("SS310", note, affects="weights and distances between levels", fix=SQUARE_FIX),)
    return Ratings(
        units=numbered(n), raters=tuple(sorted(names)), levels=labels, scale=chosen, numeric=numeric,
        scores=np.array([x or 0.0 for x in numbers] if numeric else range(len(labels)), dtype=np.float64),
        unit=np.repeat(np.arange(n), 2), rater=np.tile([0, 1], n),
        value=np.column_stack([(row, column)[k] for k in order]).ravel().astype(np.int64),
        status=np.zeros(2 * n, dtype=np.int8), unit_count=unit_count, levels_declared=True, flow=(step,),
        source=source, cautions=(*(notes if note else ()), *size_cautions(int(unit_count.sum()), 2)),
    )  # fmt: skip
