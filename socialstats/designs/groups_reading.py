"""From a table, two vectors or counts to independent groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from socialstats.designs.aliases import Pair, Texts
from socialstats.designs.contrasts import ContrastScale
from socialstats.designs.contrasts_reading import (
    COMMON,
    OWNER,
    ContrastOptions,
    Values,
    averaged,
    choose_two,
    decode,
    two_labels,
    vector,
    with_table,
)
from socialstats.designs.groups import Groups
from socialstats.designs.levels import categories, declared_levels
from socialstats.designs.parts import FlowStep
from socialstats.designs.roles import repeats_of
from socialstats.designs.rows import Rows, code_suspects
from socialstats.designs.schema import Part, Roles, find_roles
from socialstats.designs.tables import bare, begun, frequency, times_of
from socialstats.designs.undeclared import of_groups, with_dependence
from socialstats.designs.vocabulary import CONDITIONS, CONTROLS, TREATMENTS, UNITS, without_accents
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table, as_table
from socialstats.tables.lazy import asks
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import option

PARTS = (
    Part("unit", "unit", UNITS.names, wanted=False),
    Part("group", "condition", tuple(dict.fromkeys((*TREATMENTS, *CONDITIONS.names)))),
    *COMMON,
)
MOST_CELLS = 10_000  # columns of a table of counts


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsOptions(ContrastOptions):
    """How to read a table as two groups; `Groups.from_frame` documents every field."""

    group: str | None = None
    groups: Texts | None = None

    PAIR: ClassVar[str] = "groups"
    PART: ClassVar[str] = "group"
    UNIT: ClassVar[str] = "unit"

    @property
    def value_scale(self) -> ContrastScale | None:
        """The scale that values are decoded for: levels in order are read as any levels, and numbers as numbers."""
        if self.scale != "ordinal":
            return self.scale
        return "nominal" if self.levels is not None else None

    def order_of(self, table: Table, column: str, one: str, other: str) -> Pair | None:
        """Return two labels of a column with the first of the difference first: the control group is the second."""
        return ContrastOptions.order_of(self, table, column, one, other) or treated_first(one, other)


def groups_roles(table: Table, options: GroupsOptions) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    return find_roles(table, PARTS, options)


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
    groups, undeclared_order = choose_two(rows, roles, options)
    values = ordered_values(rows, roles, options)
    times = rows.n * times_of(rows, roles, [roles["value"]])
    if roles["unit"]:
        refuse_both(rows, roles)
        rows.refuse_several(roles, OWNER)
    refuse_missing(rows, roles, values, options)
    rows.raise_if_any()
    if not values.levels:
        cautions += code_suspects(rows, [roles["value"]])
    cautions += [*undeclared_order, *(values.cautions if values.scale == "numeric" else ())]
    repeat = repeats_of(rows, roles, unnumbered=True, wide=False) if roles["unit"] else None
    means = None
    if repeat is not None:
        roles = roles.replaced(repeat=repeat)
        values, means = averaged(rows, roles, values, options)
        cautions.append(means.note)
        times = np.ones(len(times))
    rows.raise_if_any()
    labels = rows.labels(roles["group"])
    side = labels.mapped(lambda label: groups.index(label) if label in groups else -1, -1, np.int64)
    at = np.flatnonzero(rows.use & (side >= 0))
    for code, name in enumerate(groups):
        if not np.any(side[at] == code):
            raise rows.nothing(f"unit of '{shorten(name)}'")
    fields = with_table(
        rows,
        roles,
        options,
        two=groups,
        values=values,
        at=at,
        times=times,
        cautions=cautions,
        unit="units",
        note="" if roles["unit"] else "each row is a unit",
    )
    repeats = None if means is None else means.behind(at, groups, side[at], np.arange(len(at)))
    design = Groups(group=side[at], value=values.numbers[at], repeats=repeats, **fields).merged()
    again = None if roles["count"] else partial(build_groups, table)
    return with_dependence(
        design, table, roles, options, design.n_rows, of_groups, again, used=groups, names=UNITS.names
    )


def treated_first(one: str, other: str) -> Pair | None:
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
    values = decode(column, rows, options)
    scale: Any = values.scale
    if scale == "nominal" and options.scale != "nominal":
        ordered = options.levels is not None or categories(rows.table, column) is not None
        scale = "ordinal" if ordered else scale
    if options.scale == "ordinal":
        if scale == "nominal":
            raise DesignError(
                f"{rows.table.place(column)}: {option('scale', 'ordinal')} needs the order of the texts "
                f"{quoted(values.levels, 6)}: {option('levels', ('low', '...', 'high'))}"
            )
        scale = "ordinal" if scale == "numeric" else scale
    return replace(values, scale=scale)


def refuse_both(rows: Rows, roles: Roles) -> None:
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


def samples_as_groups(
    first: Any, second: Any, groups: Texts, levels: Any, scale: Any, missing: Any, source: str
) -> Groups:
    """Read two vectors; `Groups.from_samples` documents it."""
    names = two_labels("groups", groups)
    samples = [[*vector(values, name)] for name, values in zip(names, (first, second), strict=True)]
    columns = {
        "group": [name for name, values in zip(names, samples, strict=True) for _ in values],
        "value": [value for values in samples for value in values],
    }
    options = GroupsOptions(unit=False, count=False, groups=names, levels=levels, scale=scale, missing=missing)
    table = as_table(columns, source)
    return replace(build_groups(table, groups_roles(table, options), options), columns={})


def counts_as_groups(table: Any, groups: Any, levels: Any, scale: Any, source: str) -> Groups:
    """Read counts by group and level; `Groups.from_table` documents it."""
    framed = hasattr(table, "index") and hasattr(table, "columns")
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != 2 or not 2 <= cells.shape[1] <= MOST_CELLS:
        raise InputError(
            f"{source}: a table of counts has two rows, one a group, and at least two columns, one a "
            f"level. This one has the shape {cells.shape}"
        )
    names = two_labels("groups", groups or (tuple(table.index) if framed else ("first", "second")))
    given = levels if levels is not None else tuple(table.columns) if framed else tuple(range(cells.shape[1]))
    labels = declared_levels(given) or ()
    if len(labels) != cells.shape[1]:
        raise InputError(
            f"{option('levels')} names {counted(len(labels), 'level')}, and the table has "
            f"{counted(cells.shape[1], 'column')}"
        )
    size = len(labels)
    rows = {
        "group": [names[0]] * size + [names[1]] * size,
        "value": [*labels, *labels],
        "count": cells.ravel().tolist(),
    }
    numeric = scale == "numeric"
    options = GroupsOptions(
        unit=False, groups=names, levels=None if numeric else labels, scale=scale, count="count", na=False
    )
    long = as_table(rows, source)
    done = build_groups(long, groups_roles(long, options), options)
    total = FlowStep(label="units analysed", rows=done.n_rows, note="a table of counts")
    return replace(done, flow=(total,), columns={})
