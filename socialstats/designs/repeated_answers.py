"""Rows that share a unit and a source: repeats, parts of the unit, or measures; `roles.py` has the three kinds."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.cells import joint_codes
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import (
    EQUAL,
    FEWEST_UNNAMED,
    MOST_SOURCES,
    is_call,
    model_columns,
    names_sources,
)
from socialstats.designs.rows import Rows
from socialstats.designs.schema import UNIT, Roles
from socialstats.designs.vocabulary import (
    CONDITIONS,
    COSTS,
    CUES,
    DATES,
    IDENTITIES,
    MEASURES,
    MODELS,
    PERSONS,
    RATERS,
    REPEATS,
    SCORERS,
    SUBJECTS,
    SUMMARIES,
    TASKS,
    TIMINGS,
    UNITS,
    VARIANTS,
)
from socialstats.errors import InputError
from socialstats.tables import Table
from socialstats.text import quoted, shorten
from socialstats.voice import option

Kind = Literal["repeat", "part", "measure", "scorer", "factor", "nested"]
# what a name says of a column that varies within a unit and source
NAMED: tuple[tuple[Kind, Iterable[str]], ...] = (
    ("measure", MEASURES),
    ("scorer", SCORERS),
    ("repeat", REPEATS),
    ("factor", (*MODELS, *CONDITIONS)),
)
# what stands beside an answer
BESIDES = (*COSTS, *TIMINGS, *SUMMARIES)
# names of units that may mean something else
WEAK = (
    *REPEATS,
    *CONDITIONS,
    *TASKS,
    "sample",
    "id",
)
# names of units that may number answers, or name who gave them
UNIT_WORDS = (
    *WEAK,
    *PERSONS,
    *RATERS,
    *VARIANTS,
)
# share of units and sources that have several rows where these are repeats by structure alone
OFTEN = 0.25
# share of the labels of a plan that occur in a cell on average
MET = 0.5
# standard errors of a correlation beyond which two sources share the effect of a label.
SURE = 3.5
# p-value below which units differ.
ALIKE = 1e-3
# ratio of medians from which two measures are of different kinds.
APART = 20.0


@dataclass(frozen=True, slots=True)
class Within:
    """A column that varies within the rows of one unit and source.

    Attributes
    ----------
    name : str
    kind : {"repeat", "part", "measure", "scorer", "factor", "nested"}
        "scorer": several judges, or scoring rules, of one and the same answer. "factor": models, prompts or conditions
        that units met under each source. "nested": each label has rows of one source only, as people in groups do.
    numbers : bool
        Whether it tells all rows of a unit and source apart.
    evidence : {"structure", "name"}
    """

    name: str
    kind: Kind
    numbers: bool
    evidence: Literal["structure", "name"]


class SourceCells:
    """The rows of a table by unit and source.

    Parameters
    ----------
    profile : Profile
    unit, source : sequence of str
        Columns that tell the units, and the sources, apart.
    value : str or None
        The column of the answers.
    used : sequence of str
        Further columns that play a part.
    """

    def __init__(
        self,
        profile: TableProfile,
        unit: Texts,
        source: Texts,
        value: str | None,
        used: Texts = (),
    ) -> None:
        self.profile = profile
        self.unit = tuple(unit)
        self.source = tuple(source)
        self.value = value
        self.used = {*unit, *source, value, *used}
        self.n = profile.table.counts([*self.unit, *self.source]).n

    @property
    def repeated(self) -> bool:
        """Whether some unit has several rows of one source."""
        return bool(self.n.max(initial=0) > 1)

    @property
    def rows(self) -> float:
        """Rows of the table."""
        return float(self.n.sum())

    @property
    def answers(self) -> tuple[int, int]:
        """The fewest and the most rows of one unit and source."""
        return int(self.n.min()), int(self.n.max())

    @cached_property
    def within(self) -> list[Within]:
        """Columns that vary within the rows of a unit and source, those that number them first."""
        free = (
            c
            for c in self.profile.every
            if c.name not in self.used and c.size > 1 and self._varies(c)
        )
        reasons = (reason for column in free if (reason := self._within(column)) is not None)
        return sorted(
            reasons, key=lambda r: (not r.numbers, not self.profile.columns[r.name].called(REPEATS))
        )

    def repeats(self, kinds: Set[Kind] = frozenset(("repeat",))) -> Levels:
        """Return the columns that number the answers of a source to a unit; empty where none does."""
        columns = [reason for reason in self.within if reason.kind in kinds]
        for column in columns:
            if column.numbers:
                return (column.name,)
        pairs = combinations([column.name for column in columns], 2)
        return next((pair for pair in pairs if self._numbers(pair)), ())

    def rather_unit(self, repeat: Texts) -> ColumnProfile | None:
        """Return a column of repeats that rather names the units: structure alone says so, and it has more labels.

        Beside a column that is called like units these are persons only, where that column has few labels.
        """
        named = self.profile.column(self.unit[0])
        if len(self.unit) > 1 or named is None:
            return None
        by_structure = {reason.name for reason in self.within if reason.evidence == "structure"}
        columns = [
            c
            for name in repeat
            if name in by_structure and not self._in_turn(c := self.profile.columns[name])
        ]
        if named.called(UNITS) and not named.called(WEAK):
            columns = [c for c in columns if named.size < FEWEST_UNNAMED and c.called(PERSONS)]
        return next((c for c in columns if named.size < c.size <= self.rows / 2), None)

    def first(self, kind: Kind) -> str | None:
        """Return the first column of a kind, one that is called so before others."""
        reasons = [reason for reason in self.within if reason.kind == kind]
        return min(reasons, key=lambda reason: reason.evidence != "name").name if reasons else None

    def _varies(self, column: ColumnProfile) -> bool:
        return len(self.profile.table.counts([*self.unit, *self.source, column.name]).n) > len(
            self.n
        )

    def _numbers(self, names: Texts) -> bool:
        cells = self.profile.table.counts([*self.unit, *self.source, *names])
        return float(cells.n.max(initial=0)) == 1.0

    def _within(self, column: ColumnProfile) -> Within | None:
        """Return why a column varies within a unit and source; None where it holds another answer, or says nothing."""
        numbers = self._numbers([column.name])
        # a call has an id or a time of its own; a free text says nothing
        if 2 * column.size > self.rows:
            call = column.timing or column.called(IDENTITIES, TIMINGS, DATES, REPEATS)
            return Within(column.name, "repeat", numbers, "structure") if numbers and call else None
        if self._is_nested(column):
            return Within(column.name, "nested", numbers, "structure")
        if column.called(VARIANTS):
            return Within(column.name, "repeat", numbers, "name")
        if not column.called(TASKS):
            for kind, words in NAMED:
                if column.called(words):
                    return Within(column.name, kind, numbers, "name")
        if self._is_measure(column):
            return Within(column.name, "measure", numbers, "structure")
        if self._in_turn(column):
            return Within(column.name, "repeat", numbers, "structure")
        if np.mean(self.n > 1) < OFTEN:
            return None
        if (
            not (self._crossed(column) or (numbers and column.text))
            or column.called(BESIDES)
            or is_call(column)
        ):
            who = column.called(PERSONS, RATERS)
            return Within(column.name, "scorer", numbers, "name") if numbers and who else None
        if self._is_part(column):
            return Within(column.name, "part", numbers, "structure")
        subject = column.called(SUBJECTS) and names_sources(column)
        # within a paper, say
        numbered = column.numbering and column.called(UNITS) and not column.called(UNIT_WORDS)
        if column.called(TASKS) or subject or numbered:
            return Within(column.name, "part", numbers, "name")
        return Within(
            column.name, "factor" if names_sources(column) else "repeat", numbers, "structure"
        )

    def _in_turn(self, column: ColumnProfile) -> bool:
        """Whether whole numbers count the rows of most units up, over all sources: which trial it was."""
        if not column.whole or column.filled < column.rows:
            return False
        cells = self.profile.table.counts([*self.unit, column.name])
        unit = joint_codes([cells.columns[name].labels().codes for name in self.unit])
        size = np.bincount(unit)
        last = np.zeros(int(unit.max()) + 1)
        np.maximum.at(last, unit, cells.columns[column.name].labels().numbers())
        return bool(cells.n.max() == 1 and np.mean((last == size) | (last == size - 1)) >= EQUAL)

    def _is_nested(self, column: ColumnProfile) -> bool:
        """Whether each label has rows of one source only, of several units: people in groups, stories of one author."""
        table = self.profile.table
        source = self.profile.column(self.source[0])
        if source is None or source.size < 2 or not self.profile.constant(source, column):
            return False
        if column.called(REPEATS, CUES) or source in model_columns(self.profile):
            # each run of a model has a label of its own, and each of two groups has names
            return False
        if column.size <= MOST_SOURCES and not column.called(PERSONS, IDENTITIES):
            # names of two kinds, say, which every unit met
            return False
        units = len(table.counts([*self.unit, column.name]).n)
        return 2 * source.size < column.size <= units / 2

    def _crossed(self, column: ColumnProfile) -> bool:
        """Whether the labels are those of a plan: most of them, equally often, in each unit and source.

        Another answer to the same question is not: its labels come as they come.
        """
        cells = self.profile.table.counts([*self.unit, *self.source, column.name])
        _, often = np.unique(cells.n, return_counts=True)
        labels = len(cells.n) / len(self.n)
        return bool(often.max() >= EQUAL * len(cells.n) and labels >= MET * column.size)

    def _is_measure(self, column: ColumnProfile) -> bool:
        """Whether the numbers of different labels are of different kinds: their ranges lie far apart."""
        values = self._numbers_by(column.name)
        if values is None or column.size > 30 or not column.text:
            return False
        label, x = values
        sizes = np.array([np.median(np.abs(x[label == k])) for k in np.unique(label)])
        return bool(sizes.size > 1 and sizes.min() > 0 and sizes.max() / sizes.min() >= APART)

    def _numbers_by(self, name: str) -> tuple[IntArray, FloatArray] | None:
        value = self.profile.column(self.value) if self.value else None
        if self.value is None or value is None or value.numbers is None:
            return None
        cells = self.profile.table.counts([name, self.value])
        label = cells.columns[name].labels().codes
        x = cells.columns[self.value].labels().numbers()
        there = (label >= 0) & ~np.isnan(x)
        times = cells.n[there].astype(np.int64)
        return np.repeat(label[there], times), np.repeat(x[there], times)

    def _is_part(self, column: ColumnProfile) -> bool:
        """Whether a label is part of what the unit is: sources agree on it, and a unit without it means nothing.

        Repeats are exchangeable. What remains of two sources' answers after the mean of each unit is then unrelated,
        and the means of the units differ. Where units are numbered anew within each label, it is the other way round.
        """
        if self.value is None:
            return False
        cells = self.profile.table.counts([*self.unit, *self.source, column.name, self.value])
        coded = [
            cells.columns[name].labels().codes for name in (*self.unit, *self.source, column.name)
        ]
        x = answers_as_numbers(self.profile, self.value, cells.columns[self.value].labels())
        if x is None:
            return False
        there = ~np.isnan(x) & np.all([codes >= 0 for codes in coded], axis=0)
        n = cells.n[there]
        x = x[there]
        k = len(self.unit)
        unit, source = (joint_codes([c[there] for c in part]) for part in (coded[:k], coded[k:-1]))
        label = coded[-1][there]
        residual = x - means_by(joint_codes([unit, source]), x, n)[joint_codes([unit, source])]
        shared = shared_residual(joint_codes([unit, label]), source, residual, n)
        return shared > SURE and unit_p_value(unit, source, label, x, n) > ALIKE


def answers_as_numbers(profile: TableProfile, value: str, labels: object) -> FloatArray | None:
    """Return answers as numbers: their own, or 0 and 1 of two labels; None where there are more labels."""
    column = profile.column(value)
    if column is None:
        return None
    codes: IntArray = labels.codes  # type: ignore[attr-defined]
    if not column.text:
        numbers: FloatArray = labels.numbers()  # type: ignore[attr-defined]
        return numbers
    return np.where(codes < 0, np.nan, codes.astype(np.float64)) if column.size == 2 else None


def means_by(codes: IntArray, x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of the values of each code."""
    return np.bincount(codes, weights=weights * x) / np.bincount(codes, weights=weights)


def shared_residual(cell: IntArray, source: IntArray, residual: FloatArray, n: FloatArray) -> float:
    """Return by how many standard errors the residuals of different sources in the same cell correlate.

    The sum over cells of the products of residuals of two sources, beside what it would vary by if they were unrelated.
    """
    cell_and_source = joint_codes([cell, source])
    mean = means_by(cell_and_source, residual, n)
    first = np.unique(cell_and_source, return_index=True)[1]
    cell_of = cell[first]
    total = np.bincount(cell_of, weights=mean)
    squares = np.bincount(cell_of, weights=mean**2)
    # over the pairs of sources
    products = (total**2 - squares) / 2
    fourth = np.bincount(cell_of, weights=mean**4)
    variance = ((squares**2 - fourth) / 2).sum()
    return float(products.sum() / np.sqrt(variance)) if variance > 0 else 0.0


def unit_p_value(
    unit: IntArray, source: IntArray, label: IntArray, x: FloatArray, n: FloatArray
) -> float:
    """Return the p-value of equal means of the units, among cells of units and labels: an F test of cell means."""
    adjusted = x - means_by(source, x, n)[source]
    cell = joint_codes([unit, label])
    mean = means_by(cell, adjusted, n)
    unit_of = unit[np.unique(cell, return_index=True)[1]]
    sizes = np.bincount(unit_of)
    centre = np.bincount(unit_of, weights=mean) / sizes
    between = float((sizes * (centre - mean.mean()) ** 2).sum())
    inside = float(((mean - centre[unit_of]) ** 2).sum())
    df_between = len(sizes) - 1
    df_inside = len(mean) - len(sizes)
    # a cell a unit leaves nothing inside
    if df_between < 1 or inside <= 0:
        return 0.0
    return float(fdtrc(df_between, df_inside, between / df_between / (inside / df_inside)))


def repeat_columns(
    rows: Rows, roles: Roles, *, unnumbered: bool, wide: bool, cure: str = ""
) -> Levels | None:
    """Return the columns that number the answers of a source to a unit; None where there is one answer each.

    They are the declared columns, or those that the structure of the table shows; none where rows are repeats that no
    column numbers. Other repeated rows are problems of the table, which are added to `rows`.

    Parameters
    ----------
    rows : Rows
    roles : Roles
    unnumbered : bool
        Whether several rows are repeats although no column numbers them.
    wide : bool
        Whether the rows were made of a table with several values a row, whose other columns number nothing.
    cure : str
        What is done where rows are no repeats.

    Raises
    ------
    InputError
        For rows that are told apart by a column which has to be chosen from, or is part of the unit.
    """
    unit = roles.of(*UNIT)
    source = roles.of("rater", "source", "condition", "by")
    repeat = roles.of("repeat")
    key = [*unit[:1], *source, *unit[1:]]
    if not rows.repeated(key):
        return None
    if repeat:
        rows.refuse_repeats(
            [*key, *repeat], "Number the answers of a source to a unit, or leave copies out"
        )
        return tuple(repeat)
    cells = (
        None
        if wide
        else SourceCells(TableProfile(rows.table), unit, source, roles["value"], roles.columns())
    )
    numbered = cells.repeats() if cells is not None else ()
    if unnumbered:
        return numbered
    if cells is not None:
        refuse_other_answers(rows.table, cells)
        if numbered:
            refuse_few_units(rows.table, cells, numbered)
            return numbered
    mean = option("repeat", True)
    rows.refuse_repeats(
        key,
        cure or f"If they are several answers, say {mean} to take their mean. Or leave copies out",
    )
    return None


def refuse_few_units(table: Table, cells: SourceCells, repeat: Texts) -> None:
    """Refuse repeats that have more labels than there are units: rather, these are the units.

    Raises
    ------
    InputError
        Naming both columns.
    """
    alternative = cells.rather_unit(repeat)
    if alternative is None:
        return
    this = shorten(cells.unit[0])
    that = shorten(alternative.name)
    raise InputError(
        f"{table.source}: '{that}' tells the rows of a unit '{this}' apart, and has more values: it may be the unit. "
        f"Say {option('unit', alternative.name, f'--map unit={that}')} and "
        f"{option('repeat', cells.unit[0], f'--map repeat={this}')}, or the other way round"
    )


def refuse_other_answers(
    table: Table,
    cells: SourceCells,
    kinds: Sequence[Kind] = ("measure", "part", "scorer", "factor", "nested"),
) -> None:
    """Refuse rows of one unit and source that are several measures, scorers, units or conditions.

    Raises
    ------
    InputError
        Naming the column, its values, and the settings that say what it is.
    """
    for kind in kinds:
        column = cells.profile.columns.get(cells.first(kind) or "")
        if column is None:
            continue
        name = column.name
        unit = ",".join([*cells.unit, column.name])
        chosen = f"choose one, as in --where {shlex.quote(f'{shorten(name)}={shorten(column.levels[0])}')}"
        joint = option("unit", [*cells.unit, name], f"--map unit={shorten(unit)}")
        cluster = option("cluster", cells.unit[0], f"--cluster {shorten(cells.unit[0])}")
        among = (
            ""
            if is_numbered_anew(cells.profile.columns[cells.unit[0]], column)
            else f", with {cluster}"
        )
        ways = {
            "measure": f"These are numbers of different kinds: {chosen}",
            "part": f"It is part of what a unit is: say {joint}{among}",
            "factor": f"Name it with {option('by', name, f'--by {shorten(name)}')}, or as a part of the unit: {joint}",
            "nested": f"Each of its values has rows of one {shorten(cells.source[0])} only: these are groups of "
            f"different {shorten(name)}, and no pairs. Compare them as independent samples",
            "scorer": f"Take their mean with {option('repeat', name, f'--map repeat={shorten(name)}')}, or {chosen}",
        }
        raise OtherAnswers(
            f"{table.source}: a unit has several rows of one source, and column '{shorten(name)}' tells them apart "
            f"({quoted(column.levels, 8)}). {ways[kind]}",
            name,
        )


class OtherAnswers(InputError):
    """Rows of one unit and source that are no repeats.

    Attributes
    ----------
    column : str
        What tells them apart.
    """

    def __init__(self, message: str, column: str = "") -> None:
        super().__init__(message)
        self.column = column


def is_numbered_anew(unit: ColumnProfile, part: ColumnProfile) -> bool:
    """Whether units may be numbered anew within each label of a part, as questions are within subjects."""
    return (unit.whole and part.text) or part.called(TASKS, SUBJECTS)
