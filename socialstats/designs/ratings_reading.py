"""From a long table to ratings: the columns, who the raters are, the levels, what belongs to units and raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats import text
from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aggregate import frequency, refuse_totals, whole_numbers
from socialstats.designs.labels import label_cautions
from socialstats.designs.levels import plain_number
from socialstats.designs.parts import Factor, FlowStep
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.designs.ratings_options import RatingsOptions, RatingsRoles, ratings_roles
from socialstats.designs.ratings_values import Rated, rate
from socialstats.designs.rows import FILL, Rows, begin
from socialstats.designs.suspects import cluster_suspects
from socialstats.errors import Caution, DesignError, NothingToAnalyse, caution
from socialstats.tables import Table


def build_ratings(table: Table, options: RatingsOptions) -> Ratings:
    """Read a long table as ratings.

    Raises
    ------
    DesignError
        When columns are missing, or texts have no declared order.
    InputError
        When rows are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no row is left.
    """
    return build_from(table, ratings_roles(table, options), options)


def build_from(
    table: Table, roles: RatingsRoles, options: RatingsOptions, *, wide: Table | None = None,
    noticed: Sequence[Caution] | None = None,
) -> Ratings:  # fmt: skip
    """Read a long table whose columns are known.

    Parameters
    ----------
    table : Table
    roles : RatingsRoles
    options : RatingsOptions
    wide : Table, optional
        The table that `table` was made of.
    noticed : sequence of Caution, optional
        What was said of the columns already; None where no column of frequencies was looked for.
    """
    if noticed is None:
        noticed = frequency(table, options.count, [], roles.columns(), options.na_labels).cautions
    rows = begin(table, roles.columns(), options.na_labels, [*roles.names(), *roles.groups])
    if wide is not None:
        rows.become_wide(wide)
    rows.set_missing_aside(roles.needed(), drop=False, fix=FILL)
    rated = rate(rows, roles, options)
    by = [roles.by] if roles.by else []
    fix = "A rater rates a unit once: name what tells these rows apart in the unit, or with by=, or keep one of them"
    if options.repeats == "error":
        rows.refuse_repeats([*roles.what, *roles.who, *by], fix)
    times = np.ones(len(rows.use))
    if roles.count is not None:
        refuse_totals([roles.value], rows.use, rows.problems)
        times = whole_numbers(roles.count, rows.use, rows.problems)
        rows.use = rows.use & (times > 0)
    for column in dict.fromkeys((*roles.strata, *roles.clusters, *([roles.count] if roles.count else []))):
        rows.constant(roles.what, column, "unit", "It belongs to the unit: give its rows the same value")
    for column in dict.fromkeys(roles.groups):
        _rater_group(rows, roles, column)
    rows.problems.raise_if_any()
    rated = rated if options.repeats == "error" else averaged(rows, roles, rated)
    return _finish(rows, roles, rated, times, noticed)


def averaged(rows: Rows, roles: RatingsRoles, rated: Rated) -> Rated:
    """Keep one row of each unit and rater, with the mean of its scores; say how many rows were averaged.

    A rater with a score of the unit has no refusal and no missing rating of it.
    """
    key = rows.key([*roles.what, *roles.who, *([roles.by] if roles.by else [])])
    n = np.where(rows.use, rows.counts.n, 0.0)
    cells, ok = int(key.max(initial=-1)) + 1, rows.use & (rated.status == OK)
    times = np.bincount(key[ok], weights=n[ok], minlength=cells)
    repeated = np.bincount(key[rows.use], weights=n[rows.use], minlength=cells) > 1
    if not repeated.any() or not ok.any():
        return rated
    scores = np.where(ok, rated.scores[rated.value], 0.0)
    totals = np.bincount(key[ok], weights=(n * scores)[ok], minlength=cells)
    order = np.lexsort((rated.status != OK, key))
    first = order[np.unique(key[order], return_index=True)[1]]
    first = first[key[first] >= 0]  # the first row of each cell, one with a score where there is one
    several = times > 1
    exact = np.zeros(cells)
    exact[key[first]] = scores[first]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(several, [float(f"{x:.12g}") for x in totals / times], exact)  # 12 digits: no order of rows
    known = first[rated.status[first] == OK]
    levels, value = np.unique(means[key[known]], return_inverse=True)
    values = np.full(len(key), -1, dtype=np.int64)
    values[known] = value
    kept = np.zeros(len(key), dtype=bool)
    kept[first] = True
    total, made = int(n[repeated[key] & rows.use].sum()), int(repeated.sum())
    rows.flow.append(FlowStep(label="rows averaged", rows=total, note=f"to {text.count(made, 'mean')}"))
    rows.use = rows.use & kept
    detail = f"{text.count(total, 'row')} of {text.count(made, 'unit and rater', 'units and raters')}"
    note = caution("SS341", detail, affects="nothing: units, not repeats, are taken as independent")
    return replace(rated, levels=tuple(plain_number(x) for x in levels.tolist()), scores=levels, value=values,
                   scale="interval", declared=False, numeric=True, cautions=(*rated.cautions, note))  # fmt: skip


def _rater_group(rows: Rows, roles: RatingsRoles, column: str) -> None:
    """Report a column of raters that changes within a rater, is empty in some of a rater's rows, or in all rows."""
    empty = rows.use & (rows.codes(column) < 0)
    if empty.any():
        rater, named = rows.key(roles.who), rows.use & ~empty
        partly = empty & np.isin(rater, rater[named])
        if not named.any():
            rows.problems.say("no rater has a value", column=column, fix=NO_RATERS)
        elif partly.any():
            rows.problems.add("the value is missing", partly, [*roles.who, column], column=column, fix=SOME_RATERS)
        rows.use = rows.use & ~partly
    rows.constant(roles.who, column, "rater", "It belongs to the rater: give the rater's rows the same value")


NO_RATERS = "It belongs to the rater: fill it in, or take it out of rater_groups= (--rater-group)"
SOME_RATERS = "It belongs to the rater: fill it in, or leave it empty in all rows of a rater who has no such group"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Named:
    """Units or raters: sorted labels, the code of each row, and one row of each."""

    labels: tuple[str, ...]
    codes: IntArray
    row: IntArray


def _names(rows: Rows, index: IntArray, columns: Sequence[str]) -> Named:
    """Label units or raters by one column; where a second tells namesakes apart, with it in front."""
    key = rows.key(columns)[index]
    _, at = np.unique(key, return_index=True)
    plain = [_label(rows, columns[0], int(row)) for row in index[at]]
    labels = plain
    if len(columns) > 1:
        full = [f"{_label(rows, columns[1], int(row))}: {name}" for row, name in zip(index[at], plain, strict=True)]
        times = Counter(plain)
        labels = [f if times[p] > 1 else p for f, p in zip(full, plain, strict=True)]
        labels = labels if len(set(labels)) == len(labels) else full
        if len(set(labels)) < len(labels):
            clash = next(name for name in labels if labels.count(name) > 1)
            raise DesignError(f"{rows.table.source}: two would be called '{text.shorten(clash)}'. Rename one")
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Named(labels=tuple(labels[k] for k in order.tolist()), codes=place[key], row=index[at[order]])


def _label(rows: Rows, column: str, row: int) -> str:
    labels = rows.labels(column)
    return labels.levels[int(labels.codes[row])]


def _finish(rows: Rows, roles: RatingsRoles, rated: Rated, times: FloatArray, noticed: Sequence[Caution]) -> Ratings:
    index = np.flatnonzero(rows.use)
    if not len(index):
        raise NothingToAnalyse(f"{rows.table.source}: no rating is left to analyse")
    units, raters = _names(rows, index, roles.what), _names(rows, index, roles.who)
    by = rows.factor(roles.by, index) if roles.by else None
    order = np.lexsort((raters.codes, units.codes, *([by.codes] if by else [])))
    status = rated.status[index][order]
    groups = [*([roles.source] if roles.source else []), *roles.groups]
    unit_count = times[units.row]
    note = "each row counts several units" if roles.count else ""
    step = FlowStep(label="ratings analysed", rows=int(unit_count[units.codes[order]][status == OK].sum()), note=note)
    cautions = [*noticed, *rated.cautions, *_cautions(rows, roles, int(unit_count.sum()), raters, status)]
    clusters = tuple(rows.factor(column, units.row) for column in roles.clusters)
    strata = {column: rows.factor(column, units.row) for column in roles.strata}
    rater_groups = {column: rows.factor(column, raters.row) for column in dict.fromkeys(groups)}
    named = {"levels": rated.levels, "raters": raters.labels}
    cautions += label_cautions(named, (by, *clusters, *strata.values(), *rater_groups.values()))
    return Ratings(
        units=units.labels, raters=raters.labels, levels=rated.levels, scores=rated.scores, scale=rated.scale,
        unit=units.codes[order], rater=raters.codes[order], value=rated.value[index][order], status=status,
        unit_count=unit_count,
        by=Factor(name=by.name, codes=by.codes[order], levels=by.levels) if by else None,
        clusters=clusters, strata=strata, rater_groups=rater_groups,
        levels_declared=rated.declared, numeric=rated.numeric, flow=(*rows.flow, step), source=rows.table.source,
        columns=roles.parts(), cautions=tuple(cautions),
    )  # fmt: skip


def _cautions(rows: Rows, roles: RatingsRoles, units: int, raters: Named, status: AnyArray) -> list[Caution]:
    found = size_cautions(units, len(raters.labels))
    refused, total = int((status == REFUSAL).sum()), len(status)
    missing = int((status != OK).sum()) - refused
    if refused or missing:
        detail = f"{text.count(refused, 'refusal')} and {text.count(missing, 'missing rating')} of {total:,}"
        found.append(
            caution("SS315", detail, affects="which units and raters count", fix="metrics say how they use them")
        )
    return found + _suspects(rows, roles, units, raters.labels)


def _suspects(rows: Rows, roles: RatingsRoles, units: int, raters: Sequence[str]) -> list[Caution]:
    used = [*roles.columns(), *(raters if rows.origin is not None else ())]
    return cluster_suspects(rows.origin or rows.table, used, units)


def size_cautions(units: int, raters: int) -> list[Caution]:
    """Return caution SS309 where there are more raters than units."""
    if raters <= units:
        return []
    detail = f"{text.count(raters, 'rater')}, {text.count(units, 'unit')}"
    fix = "check which column is the unit and which the rater (in wide tables: raters_in=)"
    return [caution("SS309", detail, affects="every number", fix=fix)]
