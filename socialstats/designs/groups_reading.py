"""From a table, two vectors or counts to independent groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import group as grouped
from socialstats.designs.groups import Groups, GroupScale
from socialstats.designs.levels import categories, declared_levels, two_in_order
from socialstats.designs.means import AVERAGED, Means, mean_answers, refuse_means
from socialstats.designs.options import Reading, check_choice
from socialstats.designs.paired_reading import PairedOptions, Values, decode
from socialstats.designs.parts import FlowStep, UnitNames, taken_all, taken_by
from socialstats.designs.roles import repeats_of
from socialstats.designs.rows import Rows, code_suspects, label_cautions
from socialstats.designs.schema import Finder, Part, Roles
from socialstats.designs.tables import bare, begun, frequency, times_of
from socialstats.designs.undeclared import of_groups, with_dependence
from socialstats.designs.vocabulary import CONDITIONS, CONTROLS, TREATMENTS, UNITS, VALUES, without_accents
from socialstats.errors import Caution, DesignError, InputError, caution
from socialstats.tables import Table, as_table, as_text
from socialstats.tables.lazy import asks
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import option

PARTS = (
    Part("unit", "unit", UNITS.names, wanted=False),
    Part("group", "condition", tuple(dict.fromkeys((*TREATMENTS, *CONDITIONS.names)))),
    Part("value", "value", VALUES.names), Part("by", "by"), Part("count", "count"), Part("cluster", "cluster"),
    Part("repeat", "repeat"),
)  # fmt: skip
OWNER = ("unit", "by")  # kinds of columns that tell units apart
MOST_CELLS = 10_000  # columns of a table of counts


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsOptions(Reading):
    """How to read a table as two groups; `Groups.from_frame` documents every field."""

    unit: str | bool | None = None
    group: str | None = None
    value: str | None = None
    groups: Sequence[str] | None = None
    levels: Sequence[Any] | None = None
    scale: GroupScale | None = None

    def __post_init__(self) -> None:
        Reading.__post_init__(self)
        check_choice("scale", self.scale, (*get_args(GroupScale), None))
        if self.groups is not None:
            checked_names(self.groups)
        _ = self.of_values

    @property
    def of_values(self) -> PairedOptions:
        """How values are decoded: as those of pairs, whose scales are these but for the order of levels."""
        scale: Any = {"ordinal": "nominal" if self.levels is not None else None}.get(self.scale or "", self.scale)
        return PairedOptions(levels=self.levels, scale=scale, missing=self.missing, na=self.na)

    @property
    def declared(self) -> frozenset[str]:
        """Labels of levels and groups."""
        return frozenset((*(declared_levels(self.levels) or ()), *(checked_names(self.groups) if self.groups else ())))


def checked_names(groups: Sequence[Any]) -> tuple[str, str]:
    """Return the labels of two groups.

    Raises
    ------
    InputError
        For anything but two different labels.
    """
    if isinstance(groups, str) or len(groups) != 2:
        raise InputError(f"{option('groups', groups)}: name two, the first minus the second: "
                         f"{option('groups', ('a', 'b'))}")  # fmt: skip
    first, second = (as_text(label) for label in groups)
    if first is None or second is None or first == second:
        raise InputError(f"{option('groups', tuple(groups))}: the two groups must be different and not empty")
    return first, second


def groups_roles(table: Table, options: GroupsOptions) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    roles = finder.roles(PARTS, options)
    finder.finish()
    return roles


@asks
def build_groups(table: Table, roles: Roles, options: GroupsOptions) -> Groups:
    """Read a long table whose columns are known as two groups.

    Raises
    ------
    DesignError
        When the groups are not two, or two texts have no order.
    InputError
        When rows are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When a group has no unit left.
    """
    keys = [] if roles["unit"] else roles.columns()
    counts = frequency(table, options.count, keys, roles.columns(), options.na_labels)
    roles = roles.counted(counts.column)
    rows, cautions = begun(table, roles, options, drop=options.missing == "drop", noticed=counts.cautions)
    groups, undeclared_order = two_groups(rows, roles, options)
    values = ordered_values(rows, roles, options)
    times = rows.n * times_of(rows, roles, [roles["value"]])
    if roles["unit"]:
        refuse_both(rows, roles, groups)
        rows.refuse_several(roles, OWNER)
    refuse_missing(rows, roles, values, options)
    rows.raise_if_any()
    if not values.levels:
        cautions += code_suspects(rows, [roles["value"]])
    cautions += [*undeclared_order, *(values.cautions if values.scale == "numeric" else ())]
    means = None
    if roles["unit"]:
        repeat = repeats_of(rows, roles, unnumbered=True, wide=False)
        if repeat is not None:
            roles = roles.replaced(repeat=repeat)
            values, means = averaged(rows, roles, values)
            cautions.append(means.note)
            times = np.ones(len(times))
    rows.raise_if_any()
    done = finished(rows, roles, values, groups, cautions, times, means)
    again = None if roles["count"] else partial(build_groups, table)
    return with_dependence(
        done, table, roles, options, done.n_rows, of_groups, again, used=groups, names=UNITS.names
    )  # fmt: skip


def two_groups(rows: Rows, roles: Roles, options: GroupsOptions) -> tuple[tuple[str, str], list[Caution]]:
    """Return the two groups in order; rows of others are left out when two were picked."""
    column, found = roles["group"], rows.used_labels(roles["group"])
    place = rows.table.place(column)
    listed = quoted(found, 12) or "none"
    if options.groups is not None:
        picked = checked_names(options.groups)
        for label in picked:
            if label not in found and found:
                raise DesignError(f"{place}: no group '{shorten(label)}'. Groups: {listed}")
        labels = rows.labels(column)
        other = ~np.isin(labels.codes, [labels.levels.index(label) for label in picked if label in labels.levels])
        rows.leave_out(other, OTHERS, f"{option('groups', picked)} picks two")
        return picked, []
    if not found:
        rows.raise_if_any()
        raise rows.nothing("unit")
    if len(found) != 2:
        example = tuple(shorten(label) for label in [*found, "..."][:2])
        if len(found) < 2:
            raise DesignError(f"{place}: only one group, {listed}. A comparison needs a second group")
        fix = f"Say which two to compare, the first minus the second: {option('groups', example)}"
        raise DesignError(f"{place}: {len(found)} groups ({listed}), and two are compared. {fix}")
    order = two_in_order(rows.table, column, found) or treated_first(*found)
    if order is not None:
        return order, []
    first, second = (shorten(label) for label in found)
    detail = f"differences are '{first}' minus '{second}' (the order of the letters)"
    fix = f"{option('groups', (second, first), '--groups')} turns them round, and declares the order"
    return (found[0], found[1]), [caution("SS310", detail, affects="the sign of differences", fix=fix)]


OTHERS = "other groups"


def treated_first(one: str, other: str) -> tuple[str, str] | None:
    """Return two labels with the control group second; None where not exactly one is called so.

    Examples
    --------
    >>> treated_first("control", "drug"), treated_first("a", "b")
    (('drug', 'control'), None)
    """
    one_is, other_is = (bare(without_accents(label)).startswith(CONTROLS) for label in (one, other))
    if one_is == other_is:
        return None
    return (other, one) if one_is else (one, other)


def ordered_values(rows: Rows, roles: Roles, options: GroupsOptions) -> Values:
    """Decode the values; levels that were declared, or come from the type of the column, are in order.

    Raises
    ------
    DesignError
        For texts that should be ordinal, and have no order.
    """
    column = roles["value"]
    values = decode(column, rows, options.of_values)
    scale: Any = values.scale
    if scale == "nominal" and options.scale != "nominal":
        ordered = options.levels is not None or categories(rows.table, column) is not None
        scale = "ordinal" if ordered else scale
    if options.scale == "ordinal":
        if scale == "nominal":
            raise DesignError(f"{rows.table.place(column)}: {option('scale', 'ordinal')} needs the order of the texts "
                              f"{quoted(values.levels, 6)}: {option('levels', ('low', '...', 'high'))}")  # fmt: skip
        scale = "ordinal" if scale == "numeric" else scale
    return replace(values, scale=scale)


def refuse_both(rows: Rows, roles: Roles, groups: Sequence[str]) -> None:
    """Report units that are in both groups: they are pairs."""
    fix = (
        "A unit is in one group. Units under both conditions are pairs, which read_paired reads "
        f"({option('design', 'paired', '--design paired')}). "
        f"{option('unit', False, '--map unit=')} says that each row is a unit"
    )
    rows.constant(roles.of(*OWNER), roles["group"], "unit", fix)


def refuse_missing(rows: Rows, roles: Roles, values: Values, options: GroupsOptions) -> None:
    """Report missing values, or leave their rows out."""
    column = roles["value"]
    blank = rows.use & (rows.codes(column) < 0 if values.levels else np.isnan(values.numbers))
    if not blank.any() or rows.pending:
        return
    if options.missing == "error":
        rows.add_missing(column, blank, roles.of(*OWNER, "condition"))
    else:
        note = f"{option('missing', 'drop')}: the value of '{shorten(column)}' is missing"
        rows.leave_out(blank, f"no value in '{shorten(column)}'", note)


def averaged(rows: Rows, roles: Roles, values: Values) -> tuple[Values, Means]:
    """Keep one row of each unit, with the mean of its answers.

    Raises
    ------
    InputError
        For labels, which have no mean, and frequencies of units.
    """
    labelled = bool(values.levels) and values.scale != "binary"
    if labelled or roles["count"]:
        refuse_means(rows, roles, numeric=False)
    means = mean_answers(rows, roles, values.numbers, values.levels[1] if values.levels else "")
    return Values("numeric", (), means.values), means


def finished(
    rows: Rows, roles: Roles, values: Values, groups: tuple[str, str], cautions: list[Caution], times: FloatArray,
    means: Means | None,
) -> Groups:  # fmt: skip
    """Return the design of the rows that are in use."""
    labels = rows.labels(roles["group"])
    code = np.array([*(groups.index(x) if x in groups else -1 for x in labels.levels), -1], dtype=np.int64)
    at = np.flatnonzero(rows.use & (code[labels.codes] >= 0))
    group = code[labels.codes][at]
    for side, name in enumerate(groups):
        if not np.any(group == side):
            raise rows.nothing(f"unit of '{shorten(name)}'")
    by, clusters = rows.by(roles, at), rows.factors(roles.of("cluster"), at)
    noticed = [
        *left_out(rows),
        *cautions,
        *label_cautions({"groups": groups, "levels": values.levels}, (by, *clusters)),
    ]
    units, repeats = None, None
    if roles["unit"] and not roles["count"]:
        named = rows.labels(roles["unit"])
        units = UnitNames(codes=named.codes[at], levels=named.levels, cell=np.arange(len(at)))
    if means is not None:
        repeats = means.behind(at, groups, group, np.arange(len(at)))
    n, note = int(times[at].sum()), "" if roles["unit"] else "each row is a unit"
    note = "rows count several units" if roles["count"] else note
    read = FlowStep(label="rows analysed", rows=int(rows.n[rows.use].sum()))
    scale: Any = values.scale
    return as_cells(
        Groups(
            groups=groups, group=group, value=values.numbers[at], count=times[at], scale=scale, levels=values.levels,
            units=units, repeats=repeats, by=by, clusters=clusters, epsilon=rows.table.epsilon(roles["value"]),
            source=rows.table.source, columns=roles.parts(), cautions=tuple(noticed),
            flow=(*rows.flow, read, FlowStep(label="units analysed", rows=n, note=note)),
        )
    )  # fmt: skip


def left_out(rows: Rows) -> list[Caution]:
    """Return caution SS301 about rows that were left out."""
    steps = [step for step in rows.flow[1:] if step.label not in (OTHERS, AVERAGED)]
    said = "; ".join(f"{step.label}: {step.rows:,}" for step in steps)
    return [caution("SS301", f"{said} of {rows.flow[0].rows:,} rows")] if steps else []


def as_cells(design: Groups) -> Groups:
    """Return the design with equal units counted together, in canonical order."""
    factors = [*([design.by] if design.by else []), *design.clusters]
    index, cell = grouped([*(factor.codes for factor in factors), design.group, design.value + 0.0])
    count = np.bincount(cell, weights=design.count, minlength=len(index)).astype(np.float64)
    return replace(
        design, group=design.group[index], value=design.value[index] + 0.0, count=count,
        by=taken_by(design.by, index), clusters=taken_all(design.clusters, index),
        units=None if design.units is None else replace(design.units, cell=cell[design.units.cell]),
        repeats=None if design.repeats is None else replace(design.repeats, place=cell[design.repeats.place]),
    )  # fmt: skip


def samples_as_groups(
    first: Any, second: Any, groups: Sequence[str], levels: Any, scale: Any, missing: Any, source: str
) -> Groups:
    """Read two vectors; `Groups.from_samples` documents it."""
    names = checked_names(groups)
    columns: dict[str, list[Any]] = {"group": [], "value": []}
    for name, values in zip(names, (first, second), strict=True):
        one = vector(values, name)
        columns["group"] += [name] * len(one)
        columns["value"] += one
    options = GroupsOptions(unit=False, count=False, groups=names, levels=levels, scale=scale, missing=missing)
    table = as_table(columns, source)
    return replace(build_groups(table, groups_roles(table, options), options), columns={})


def vector(values: Any, name: str) -> list[Any]:
    """Return the values of one group as a list."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise InputError(f"'{shorten(name)}': a sequence of values is needed, not {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise InputError(f"'{shorten(name)}': one value a unit is needed, not an array of shape {values.shape}")
    return list(values)


def counts_as_groups(table: Any, groups: Any, levels: Any, scale: Any, source: str) -> Groups:
    """Read counts by group and level; `Groups.from_table` documents it."""
    framed = hasattr(table, "index") and hasattr(table, "columns")
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != 2 or not 2 <= cells.shape[1] <= MOST_CELLS:
        raise InputError(f"{source}: a table of counts has two rows, one a group, and at least two columns, one a "
                         f"level. This one has the shape {cells.shape}")  # fmt: skip
    names = checked_names(groups or (tuple(table.index) if framed else ("first", "second")))
    given = levels if levels is not None else tuple(table.columns) if framed else tuple(range(cells.shape[1]))
    labels = declared_levels(given) or ()
    if len(labels) != cells.shape[1]:
        raise InputError(f"{option('levels')} names {counted(len(labels), 'level')}, and the table has "
                         f"{counted(cells.shape[1], 'column')}")  # fmt: skip
    rows: dict[str, list[Any]] = {"group": [], "value": [], "count": []}
    for name, line in zip(names, cells, strict=True):
        rows["group"] += [name] * len(labels)
        rows["value"] += labels
        rows["count"] += line.tolist()
    numeric = scale == "numeric"
    options = GroupsOptions(
        unit=False, groups=names, levels=None if numeric else labels, scale=scale, count="count", na=False
    )  # fmt: skip
    long = as_table(rows, source)
    done = build_groups(long, groups_roles(long, options), options)
    total = FlowStep(label="units analysed", rows=done.n_rows, note="a table of counts")
    return replace(done, flow=(total,), columns={})
