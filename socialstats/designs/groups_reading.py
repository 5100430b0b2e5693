"""From a table, two vectors or counts to independent groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from socialstats.designs.aliases import Levels, Pair, Texts
from socialstats.designs.contrasts_reading import (
    COMMON,
    OWNER,
    Arranged,
    ContrastOptions,
    DecodedValues,
    decode,
    read_contrast,
    two_labels,
    vector,
)
from socialstats.designs.frequencies import roles_of_two
from socialstats.designs.groups_data import GroupsData
from socialstats.designs.levels import categories, declared_levels, opposites, sort_labels
from socialstats.designs.parts import FlowStep
from socialstats.designs.repeated_answers import repeat_columns
from socialstats.designs.rows import Rows
from socialstats.designs.schema import DesignPart, Roles
from socialstats.designs.undeclared import group_scores
from socialstats.designs.vocabulary import (
    CONDITIONS,
    CONTROLS,
    TREATMENTS,
    UNITS,
    bare,
    without_accents,
)
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table, as_number, as_table
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import option

PARTS = (
    DesignPart("unit", "unit", UNITS.names, required=False),
    DesignPart("group", "condition", tuple(dict.fromkeys((*TREATMENTS, *CONDITIONS.names)))),
    *COMMON,
)
# columns of a table of counts
MOST_CELLS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsOptions(ContrastOptions):
    """How to read a table as two groups; `Groups.from_frame` documents every field."""

    group: str | None = None
    groups: Texts | None = None

    PAIR: ClassVar[str] = "groups"
    PART: ClassVar[str] = "group"
    UNIT: ClassVar[str] = "unit"

    DESIGN = GroupsData
    SCORES = staticmethod(group_scores)

    def decoded(self, rows: Rows, roles: Roles) -> DecodedValues:
        """Decode the values; levels that were declared, or come from the type of the column, are in order.

        For an ordinal scale, levels in order are read as any levels, and numbers as numbers.

        Raises
        ------
        DesignError
            For texts that should be ordinal, and have no order.
        """
        column = roles["value"]
        ordinal = self.scale == "ordinal"
        in_order = self.levels is not None or categories(rows.table, column) is not None
        values = decode(
            column,
            rows,
            self,
            ("nominal" if self.levels is not None else None) if ordinal else self.scale,
        )
        scale = values.scale
        if ordinal and scale == "nominal" and not in_order:
            raise DesignError(
                f"{rows.table.place(column)}: {option('scale', 'ordinal')} needs the order of the texts "
                f"{quoted(values.levels, 6)}: {option('levels', ('low', '...', 'high'))}"
            )
        if (scale == "nominal" and in_order and self.scale != "nominal") or (
            scale == "numeric" and ordinal
        ):
            scale = "ordinal"
        return replace(values, scale=scale, cautions=values.cautions if scale == "numeric" else ())

    def set_aside(self, rows: Rows, roles: Roles, values: DecodedValues) -> None:
        """Report units that are in both groups, which are pairs, and missing values, or leave these out."""
        column = roles["value"]
        if roles["unit"]:
            fix = (
                "A unit is in one group. Units under both conditions are pairs, which read_paired reads "
                f"({option('design', 'paired', '--design paired')}). "
                f"{option('unit', False, '--map unit=')} says that each row is a unit"
            )
            rows.constant(roles.of(*OWNER), roles["group"], "unit", fix)
            rows.refuse_several(roles, OWNER)
        blank = rows.use & (rows.codes(column) < 0 if values.levels else np.isnan(values.numbers))
        if blank.any() and not rows.pending and self.missing == "error":
            rows.add_missing(column, blank, roles.of(*OWNER, "condition"))
        elif not rows.pending:
            note = f"{option('missing', 'drop')}: the value of '{shorten(column)}' is missing"
            rows.leave_out(blank, f"no value in '{shorten(column)}'", note)
        rows.raise_if_any()

    def repeat_columns(self, rows: Rows, roles: Roles) -> Levels | None:
        """Return the columns that number the answers of a unit, whatever tells them apart."""
        return repeat_columns(rows, roles, unnumbered=True, wide=False) if roles["unit"] else None

    def arranged(self, rows: Rows, roles: Roles, values: DecodedValues, two: Pair) -> Arranged:
        """Find the row of each unit; refuse a group without any."""
        rows.raise_if_any()
        side = rows.labels(roles["group"]).mapped(
            lambda label: two.index(label) if label in two else -1, -1, np.int64
        )
        at = np.flatnonzero(rows.use & (side >= 0))
        for code, name in enumerate(two):
            if not np.any(side[at] == code):
                raise rows.nothing(f"unit of '{shorten(name)}'")
        return Arranged(
            row=at,
            fields={"group": side[at], "value": values.numbers[at]},
            rows=at,
            side=side[at],
            place=np.arange(len(at)),
            note="" if roles["unit"] else "each row is a unit",
        )

    def order_of(self, table: Table, column: str, first: str, second: str) -> Pair | None:
        """Return two labels of a column with the first of the difference first: the control group is the second."""
        return ContrastOptions.order_of(self, table, column, first, second) or treated_first(
            first, second
        )


def groups_roles(table: Table, options: GroupsOptions) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """

    def beside(first: str, second: str) -> str:
        return (
            f"Where each group has a column, pass both columns: data[{first!r}], data[{second!r}]"
        )

    return roles_of_two(table, PARTS, options, beside)


def groups_from_table(table: Table, options: GroupsOptions) -> GroupsData:
    """Read a long table as two groups; `Groups.from_frame` documents it."""
    design: GroupsData = read_contrast(table, groups_roles(table, options), options)
    return design


def treated_first(first: str, second: str) -> Pair | None:
    """Return two labels with the control group second; None where not exactly one is called so.

    Examples
    --------
    >>> treated_first("control", "drug"), treated_first("a", "b")
    (('drug', 'control'), None)
    """
    first_is_control, second_is_control = (
        bare(without_accents(label)).startswith(CONTROLS) for label in (first, second)
    )
    if first_is_control == second_is_control:
        return None
    return (second, first) if first_is_control else (first, second)


def samples_as_groups(
    first: Any, second: Any, groups: Texts, levels: Any, scale: Any, missing: Any, source: str
) -> GroupsData:
    """Read two vectors; `Groups.from_samples` documents it."""
    names = two_labels("groups", groups)
    samples = [[*vector(values, name)] for name, values in zip(names, (first, second), strict=True)]
    columns = {
        "group": [name for name, values in zip(names, samples, strict=True) for _ in values],
        "value": [value for values in samples for value in values],
    }
    options = GroupsOptions(unit=False, groups=names, levels=levels, scale=scale, missing=missing)
    table = as_table(columns, source)
    return replace(groups_from_table(table, options), columns={})


def counts_as_groups(table: Any, groups: Any, levels: Any, scale: Any, source: str) -> GroupsData:
    """Read counts by group and level; `Groups.from_table` documents it."""
    framed = hasattr(table, "index") and hasattr(table, "columns")
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != 2 or not 2 <= cells.shape[1] <= MOST_CELLS:
        raise InputError(
            f"{source}: a table of counts has two rows, one a group, and at least two columns, one a "
            f"level. This one has the shape {cells.shape}"
        )
    names = two_labels("groups", groups or (tuple(table.index) if framed else ("first", "second")))
    named = declared_levels(tuple(table.columns)) or () if framed else ()
    ascending = (
        sort_labels(named) if all(as_number(label) is not None for label in named) else named
    )
    labels = (
        declared_levels(levels)
        or opposites(named)
        or ascending
        or tuple(map(str, range(cells.shape[1])))
    )
    if {*labels} == {*named}:
        cells = cells[:, [named.index(label) for label in labels]]
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
        unit=False,
        groups=names,
        levels=None if numeric else labels,
        scale=scale,
        count="count",
        na=False,
    )
    long = as_table(rows, source)
    done = groups_from_table(long, options)
    total = FlowStep(label="units analysed", rows=done.n_rows, note="a table of counts")
    return replace(done, flow=(total,), columns={})
