"""From a long table to pairs: the columns, the two conditions, the join by key, the cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats import text
from socialstats.arrays import FloatArray
from socialstats.designs.aggregate import frequency, refuse_totals, whole_numbers
from socialstats.designs.cells import group
from socialstats.designs.factors import taken
from socialstats.designs.labels import label_cautions
from socialstats.designs.levels import categories
from socialstats.designs.paired import Paired
from socialstats.designs.paired_join import Joined, join
from socialstats.designs.paired_options import PairedOptions, PairedRoles, paired_roles
from socialstats.designs.paired_values import Values, decode
from socialstats.designs.parts import Factor, FlowStep
from socialstats.designs.rows import Rows, begin
from socialstats.designs.suspects import cluster_suspects, code_suspects
from socialstats.errors import Caution, DesignError, NothingToAnalyse, caution
from socialstats.tables import Table


def build_paired(table: Table, options: PairedOptions) -> Paired:
    """Read a long table as pairs.

    Raises
    ------
    DesignError
        When columns are missing, the conditions are not two, or two texts have no order.
    InputError
        When rows are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no pair is left.
    """
    return build_pairs(table, paired_roles(table, options), options)


def build_pairs(
    table: Table, roles: PairedRoles, options: PairedOptions, *, wide: Table | None = None,
    noticed: Sequence[Caution] | None = None,
) -> Paired:  # fmt: skip
    """Read a long table whose columns are known as pairs.

    Parameters
    ----------
    table : Table
    roles : PairedRoles
    options : PairedOptions
    wide : Table, optional
        The table with one row a unit that `table` was made of: there, an empty field is a missing partner.
    noticed : sequence of Caution, optional
        What was said of a column of frequencies; None where none was looked for.
    """
    rows = begin(table, roles.columns(), options.na_labels, [*roles.key, roles.condition, *roles.clusters])
    if wide is not None:
        rows.become_wide(wide)
    if noticed is None:
        noticed = frequency(table, options.count, [], roles.columns(), options.na_labels).cautions
    needed = [*roles.key, roles.condition, *roles.clusters, *([roles.count] if roles.count else [])]
    rows.set_missing_aside(needed, drop=options.missing == "drop")
    conditions, cautions = _conditions(rows, roles, options)
    values = decode([roles.value], rows, options)
    fix = (
        f"A unit has one row under each condition: name a column that tells these rows apart as part of '{roles.unit}'"
    )
    rows.refuse_repeats([*roles.key[:1], roles.condition, *roles.key[1:]], f"{fix}, or summarise them first")
    times = _times(rows, roles)
    for column in roles.clusters:
        cure = "A unit belongs to one cluster: give its rows the same value, or different units different names"
        rows.constant(roles.key, column, "unit", cure)
    if values.scale == "numeric":
        noticed = [*noticed, *code_suspects(rows.problems, [roles.value], rows.use)]
    joined = join(rows, roles, values.numbers[roles.value], conditions, options)
    rows.problems.raise_if_any()
    return _finish(rows, roles, joined, values, conditions, [*noticed, *cautions], times[joined.row])


def _times(rows: Rows, roles: PairedRoles) -> FloatArray:
    """Return how many alike units each row's unit stands for; units that never occurred are left out."""
    if roles.count is None:
        return np.ones(len(rows.use))
    refuse_totals([roles.value], rows.use, rows.problems)
    rows.problems.raise_if_any()
    times = whole_numbers(roles.count, rows.use, rows.problems)
    rows.constant(
        roles.key, roles.count, "unit", "The count says how many alike units there are: repeat it in all rows"
    )
    if not times[rows.use].any():
        raise NothingToAnalyse(f"{rows.table.source}: no pair is left to analyse (every count is 0)")
    rows.use = rows.use & (times > 0)
    return times


def _conditions(rows: Rows, roles: PairedRoles, options: PairedOptions) -> tuple[tuple[str, str], list[Caution]]:
    """Return the two conditions in order; rows of others are left out when two were picked."""
    column, found = roles.condition, rows.used_labels(roles.condition)
    place = f"{rows.table.source}, column '{text.shorten(column)}'"
    listed = text.quoted(found, 12) or "none"
    if (picked := options.condition_labels) is not None:
        for label in picked:
            if label not in found and found:
                raise DesignError(f"{place}: no condition '{text.shorten(label)}'. Conditions: {listed}")
        labels = rows.labels(column)
        other = ~np.isin(labels.codes, [labels.levels.index(label) for label in picked if label in labels.levels])
        rows.leave_out(other, "other conditions", f"conditions={picked!r} picks two")
        return picked, []
    if not found:
        rows.problems.raise_if_any()
        raise _nothing(rows)
    if len(found) != 2:
        example = [text.shorten(label) for label in [*found, "..."][:2]]
        fix = f"Say which two to compare, the first minus the second: conditions=({example[0]!r}, {example[1]!r})"
        many = f"{len(found)} conditions ({listed}), and pairs have two" if len(found) > 2 else f"only one, {listed}"
        raise DesignError(f"{place}: {many}. " + (fix if len(found) > 2 else "Pairs need a second condition"))
    declared = categories(rows.table, column)
    if declared is not None:
        found = [label for label in declared if label in found]
        return (found[0], found[1]), []
    first, second = (text.shorten(label) for label in found)
    detail = f"differences are '{first}' minus '{second}' (the order of the letters)"
    fix = f"conditions=('{second}', '{first}') (--conditions) turns them round, and declares the order"
    return (found[0], found[1]), [caution("SS310", detail, affects="the sign of differences", fix=fix)]


def _nothing(rows: Rows) -> NothingToAnalyse:
    steps = "; ".join(f"{step.label}: {step.rows:,}" for step in rows.flow[1:]) or "no row is in use"
    return NothingToAnalyse(f"{rows.table.source}: no pair is left to analyse ({steps})")


def _finish(
    rows: Rows, roles: PairedRoles, joined: Joined, values: Values, conditions: tuple[str, str],
    cautions: list[Caution], times: FloatArray,
) -> Paired:  # fmt: skip
    pairs = len(joined.row)
    if not pairs:
        raise _nothing(rows)
    steps = [
        FlowStep(label=f"{rows.noun} analysed", rows=int(rows.counts.n[rows.use].sum())),
        FlowStep(
            label="pairs analysed",
            rows=int(times.sum()),
            note=f"two {rows.noun} a pair" if roles.count is None else "each row counts several pairs",
        ),
    ]
    by = rows.factor(roles.by, joined.row) if roles.by else None
    clusters = tuple(rows.factor(column, joined.row) for column in roles.clusters)
    noticed = [
        *_left_out(rows, joined),
        *cautions,
        *label_cautions({"conditions": conditions, "levels": values.levels}, (by, *clusters)),
    ]
    noticed += cluster_suspects(rows.origin or rows.table, [*roles.columns(), *conditions], pairs)
    return as_cells(
        Paired(
            conditions=conditions, first=joined.first, second=joined.second, count=times,
            scale=values.scale, levels=values.levels, by=by, clusters=clusters, unmatched=joined.unmatched,
            epsilon=rows.table.epsilon(roles.value),
            flow=(*rows.flow, *steps), source=rows.table.source, columns=roles.parts(), cautions=tuple(noticed),
        )
    )  # fmt: skip


def _left_out(rows: Rows, joined: Joined) -> list[Caution]:
    steps = [step for step in rows.flow[1:] if step.label != "other conditions"]
    if not steps:
        return []
    detail = "; ".join(f"{step.label}: {step.rows:,}" for step in steps) + f" of {rows.flow[0].rows:,} {rows.noun}"
    if joined.unmatched:
        detail += f"; units without a partner: {text.quoted(joined.unmatched)}"
    return [caution("SS301", detail)]


def as_cells(design: Paired) -> Paired:
    """Return the design with equal pairs counted together, in canonical order."""
    from dataclasses import replace

    factors = [*([design.by] if design.by else []), *design.clusters]
    index, cell = group([*(factor.codes for factor in factors), design.first + 0.0, design.second + 0.0])
    count = np.bincount(cell, weights=design.count, minlength=len(index)).astype(np.float64)

    def at(factor: Factor) -> Factor:
        return taken(factor, index)

    return replace(
        design, first=design.first[index] + 0.0, second=design.second[index] + 0.0, count=count,
        by=at(design.by) if design.by else None, clusters=tuple(at(factor) for factor in design.clusters),
    )  # fmt: skip
