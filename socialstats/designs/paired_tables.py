"""Pairs from other tables: one row a unit, counted pairs, square tables, cells, values against a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats import text
from socialstats.designs.aggregate import frequency, looks_counted
from socialstats.designs.columns import Finder
from socialstats.designs.levels import opposites
from socialstats.designs.paired import Paired
from socialstats.designs.paired_options import PairedOptions, PairedRoles, distinct_parts, texts
from socialstats.designs.paired_reading import as_cells, build_pairs
from socialstats.designs.paired_values import decode
from socialstats.designs.parts import FlowStep
from socialstats.designs.rows import begin
from socialstats.designs.squares import square_counts, whole_count
from socialstats.designs.wide import make_long
from socialstats.errors import DesignError, InputError, NothingToAnalyse, caution
from socialstats.tables import Table, as_number, as_table


def wide_pairs(table: Table, first: str, second: str, options: PairedOptions) -> Paired:
    """Read one row a unit; `Paired.from_wide` documents it."""
    finder = Finder(table)
    parts = [("first", first), ("second", second), *([("unit", options.unit)] if options.unit else [])]
    belongs = [name for name in (options.by, *texts(options.cluster)) if name]
    named = [
        *parts,
        *([("count", options.count)] if options.count else []),
        *(("by or cluster", one) for one in belongs),
    ]
    for part, column in named:
        finder.explicit(part, column)
    distinct_parts(finder, [(part, column) for part, column in named if part != "by or cluster"])
    if finder.problems:
        raise DesignError(finder.problems)
    used = [column for _, column in named]
    counted = frequency(
        table, options.count, [] if options.unit else used, used, options.na_labels,
        counted=lambda: looks_counted(table, first, second),
    )  # fmt: skip
    keep = [*belongs, *([counted.column] if counted.column else [])]
    long = make_long(table, (first, second), keep, row=options.unit, name="condition")
    roles = PairedRoles(
        unit=long.row, condition=long.name, value=long.value, by=options.by, clusters=texts(options.cluster),
        count=counted.column,
    )  # fmt: skip
    typed = (opposites(long.levels) or long.levels) if long.levels else None  # yes is 1, whatever its code
    levels = options.levels if options.levels is not None or options.scale == "numeric" else typed
    full = replace(options, conditions=(first, second), levels=levels)
    done = build_pairs(long.table, roles, full, wide=table, noticed=counted.cautions)
    columns = {part: column for part, column in done.columns.items() if part not in ("unit", "condition", "value")}
    return replace(done, columns=dict(parts) | columns)


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
    options = PairedOptions(levels=None if scale == "numeric" else order, scale=scale if order else "numeric")
    done = wide_pairs(as_table(cells, source), "first", "second", replace(options, count="count"))
    total = FlowStep(label="pairs analysed", rows=done.n_pairs, note="a table of counts")
    return replace(done, conditions=asked.condition_labels or ("first", "second"), flow=(total,), columns={})


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
        f"{source}: the levels are {text.quoted(labels)}, and nothing says which counts as 1. "
        "Say levels=(zero, one), or scale='nominal' if they have no order"
    )


def cell_pairs(
    cells: Mapping[str, Any], conditions: Sequence[str], levels: Sequence[Any], source: str
) -> Paired:  # fmt: skip
    """Build binary pairs from four counts; `Paired.from_cells` documents it."""
    a, b, c, d = (whole_count(cells[name], name) for name in "abcd")
    return square_pairs([[d, c], [b, a]], conditions, levels, "binary", source)


def values_against(values: Any, bound: float, cluster: Any, name: str, missing: str, source: str) -> Paired:
    """Pair values with a constant; `Paired.one_sample` documents it."""
    if (
        isinstance(bound, bool)
        or not isinstance(bound, (int, float, np.integer, np.floating))
        or not np.isfinite(bound)
    ):
        raise InputError(f"bound={bound!r} is not a finite number")
    named = cluster if isinstance(cluster, Mapping) else {} if cluster is None else {"cluster": cluster}
    if name in named or not all(isinstance(one, str) for one in (name, *named)):
        raise InputError(f"name={name!r}: values and clusters need different names, which are texts")
    columns = {name: _vector(values, name), **{key: _vector(one, key) for key, one in named.items()}}
    sizes = {key: len(one) for key, one in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"values and clusters have different lengths: {sizes}")
    if not sizes[name]:
        raise NothingToAnalyse(f"{source}: no values: there is nothing to analyse")
    options = PairedOptions(scale="numeric", cluster=tuple(named), missing=missing)  # type: ignore[arg-type]
    rows = begin(as_table(columns, source), list(columns), ())
    rows.set_missing_aside(list(columns), drop=missing == "drop")
    numbers = decode([name], rows, options).numbers[name]
    rows.problems.raise_if_any()
    index = np.flatnonzero(rows.use)
    if not len(index):
        raise NothingToAnalyse(f"{source}: no value is left to analyse")
    count = rows.counts.n[index]
    step = FlowStep(label="values analysed", rows=int(count.sum()))
    left = "; ".join(f"{one.label}: {one.rows:,}" for one in rows.flow[1:])
    return as_cells(
        Paired(
            conditions=(name, "bound"), first=numbers[index], second=np.full(len(index), float(bound)), count=count,
            scale="numeric", clusters=tuple(rows.factor(key, index) for key in named), flow=(*rows.flow, step),
            epsilon=rows.table.epsilon(name),
            source=source, columns={"value": name, **{f"cluster{k}": key for k, key in enumerate(named, start=1)}},
            cautions=(caution("SS301", left),) if left else (),
        )
    )  # fmt: skip


def _vector(values: Any, name: str) -> Any:
    """Return values without an index of their own: they are put side by side by position."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise InputError(f"{name}: a sequence of values is needed, not {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise InputError(f"{name}: one value a unit is needed, not an array of shape {values.shape}")
    return values.array if hasattr(values, "array") and hasattr(values, "index") else list(values)
