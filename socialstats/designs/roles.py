"""Which column of a table plays which part, and which rows depend on each other: decided here, from structure first.

Rows that share a unit and a source are answers that this source gave to this unit several times. The columns that vary
within such rows say why:

- They number the answers (1, 2, ..., a seed, a time, an id of the call), or no column does: *repeats*.
- They are part of what the unit is, as where the questions of each task are numbered from 1: *parts of the unit*.
  Then the answers of two sources to the same pair of labels are alike, and those to the unit alone are not.
- Their values are numbers of different kinds (accuracy and latency): *measures*, of which one has to be chosen.

Repeats never count as units. Names (`designs/vocabulary.py`) decide where structure leaves two readings.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.cells import joint_codes
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.people import HUMANS, MACHINES, people_level, words_of_label
from socialstats.designs.profile import (
    FEW,
    MOST_GRADES,
    OPPOSITES,
    ColumnProfile,
    Columns,
    TableProfile,
    names_text,
)
from socialstats.designs.rows import Rows
from socialstats.designs.schema import UNIT, Roles
from socialstats.designs.tables import bare
from socialstats.designs.undeclared import holds_outcomes
from socialstats.designs.vocabulary import (
    BENCHMARKS,
    CALLS,
    CLUSTER_NAME,
    CLUSTERS,
    CONDITIONS,
    CONFIDENCE,
    CONTROLS,
    COSTS,
    COVARIATES,
    CUES,
    DATES,
    EXPORTED,
    GOLD,
    GRADERS,
    IDENTITIES,
    KINDS_OF,
    LABELLINGS,
    MEASURES,
    MODELS,
    OCCASIONS,
    OF_ANSWERS,
    OF_MODELS,
    ORDINALS,
    PERIODS,
    PERSONS,
    PICKED,
    PROSE,
    PROVIDERS,
    RATERS,
    REACTIONS,
    REPEATS,
    RESPONSES,
    RIGHT,
    SCORERS,
    SOURCES,
    STATES,
    SUBJECTS,
    SUMMARIES,
    TASKS,
    TIMINGS,
    TREATMENTS,
    UNITS,
    VALUES,
    VARIANTS,
    WEAK_VALUES,
    WEIGHTS,
    without_accents,
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
# share of cells that hold the labels of a plan equally often
EQUAL = 0.7
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
        self.profile, self.unit, self.source, self.value = (
            profile,
            tuple(unit),
            tuple(source),
            value,
        )
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
        size, last = np.bincount(unit), np.zeros(int(unit.max()) + 1)
        np.maximum.at(last, unit, cells.columns[column.name].labels().numbers())
        return bool(cells.n.max() == 1 and np.mean((last == size) | (last == size - 1)) >= EQUAL)

    def _is_nested(self, column: ColumnProfile) -> bool:
        """Whether each label has rows of one source only, of several units: people in groups, stories of one author."""
        table, source = self.profile.table, self.profile.column(self.source[0])
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
        label, x = cells.columns[name].labels().codes, cells.columns[self.value].labels().numbers()
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
        n, x = cells.n[there], x[there]
        k = len(self.unit)
        unit, source = (joint_codes([c[there] for c in part]) for part in (coded[:k], coded[k:-1]))
        label = coded[-1][there]
        residual = x - means_by(joint_codes([unit, source]), x, n)[joint_codes([unit, source])]
        shared = shared_residual(joint_codes([unit, label]), source, residual, n)
        return shared > SURE and unit_p_value(unit, source, label, x, n) > ALIKE


def is_call(column: ColumnProfile) -> bool:
    """Whether a column says how an answer was asked for, its size, or what became of the reply.

    Numbers called context are so many tokens. Labels called so are kinds of context.
    """
    return column.called(STATES) or (column.numbers is not None and column.called(CALLS))


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
    df_between, df_inside = len(sizes) - 1, len(mean) - len(sizes)
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
    unit, source, repeat = (
        roles.of(*UNIT),
        roles.of("rater", "source", "condition", "by"),
        roles.of("repeat"),
    )
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
    this, that = shorten(cells.unit[0]), shorten(alternative.name)
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
        name, unit = column.name, ",".join([*cells.unit, column.name])
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumns:
    """Scores of models on the same units, in a table of one row per answer.

    Attributes
    ----------
    model, value : Column
    unit : sequence of Column
        Columns that name the unit together.
    task, cluster : sequence of Column
        The column that groups units, if there is one: fixed tasks, or clusters of dependent units.
    repeat : sequence of Column
        Columns that number the answers of a model to a unit.
    answers : pair of int
        The fewest and the most answers of a model to a unit.
    named : bool
        Whether the unit is called like one.
    anew : bool
        Whether units are numbered anew within each label of a second column, such as questions of each subject.
    alike : sequence of Column
        Columns of further answers of the same kind, such as runs or items of a scale: their mean is the value.
    """

    model: ColumnProfile
    unit: Columns
    value: ColumnProfile
    task: Columns
    cluster: Columns
    repeat: Columns
    answers: tuple[int, int]
    named: bool
    anew: bool = False
    alike: Columns = ()

    @property
    def of(self) -> str:
        """The columns that name the units, as they are told."""
        return names_text(self.unit) + "".join(f" of each {task}" for task in self.task)

    @property
    def values(self) -> Columns:
        """The columns whose mean is the value: one, or several of one kind."""
        return self.alike or [self.value]

    @property
    def within(self) -> bool:
        """Whether units lie within the labels of their first column, and are not only numbered anew in each label."""
        return len(self.unit) > 1 and not self.anew


# what models are called
FAMILIES = re.compile(
    r"gpt|claude|llama|mistral|mixtral|gemini|gemma|qwen|bert|deepseek|falcon|vicuna|starcoder|palm|phi-|command-r|"
    r"opus|sonnet|davinci|(?<![a-z])t5(?![a-z])|bloom|pythia|olmo|grok|zephyr|haiku|nemo|\byi-|solar|tulu|luminous|pplx|openchat|dolly|"
    r"\bsft|\bdpo|rlhf|grpo|ckpt|checkpoint|instruct|ernie|hunyuan|glm|baichuan|kimi|minimax|\bo[134]\b|\bo[134]-|nova-|jamba|aya-",
    re.IGNORECASE,
)
# what Qualtrics showed, in its order
RANDOMISER = re.compile(r"FL_\d+_DO|.+_DO", re.IGNORECASE)
# labels of a column that is not called so and names what is compared
MOST_SOURCES = 12
# labels of a source that a unit met on average
SEVERAL_MET = 1.3
# share of units x models that occur in a board, from which it is one
MET_BY = 0.5
# labels from which a column of texts may name units whatever they look like
MANY_UNITS = 20
# labels of a cluster that is called so, and of one that is not
FEWEST_CLUSTERS, FEWEST_UNNAMED = (
    5,
    8,
)
MEAN_WORDS = ("mean", "average", "avg", "mw", "mittelwert", "media", "moyenne", "promedio")
# words of a name that is a question
QUESTION = 4
# labels of a column that tells groups apart whatever it is called
MOST_UNNAMED = 3
# labels of a column that tells groups apart
MOST_GROUPS = 6
# labels of a column called like units that rather are conditions, such as two prompts
FEW_NAMED = 4
# columns that are tried as units
MOST_UNITS = 12


def called_model(column: ColumnProfile) -> bool:
    """Whether a column is called like models, and not like what belongs to one, such as its persona."""
    named = column.called(MODELS) and not is_question(column)
    return named and not column.ends(OF_MODELS)


def is_question(column: ColumnProfile) -> bool:
    """Whether a name is a question, whose words say less than those of a short name."""
    return len(column.tokens) >= QUESTION and (
        column.name.strip()[-1:] in "?？)]" or len(column.tokens) > 2 * QUESTION
    )


def holds_families(column: ColumnProfile) -> bool:
    """Whether most labels are those of families of models."""
    return 2 * sum(bool(FAMILIES.search(x)) for x in column.levels) > column.size


def model_columns(profile: TableProfile) -> list[ColumnProfile]:
    """Return the columns that name models, by their names or their labels; of nested ones the finest."""
    texts = [c for c in profile.every if c.names_things and c.text and not (c.unique or c.prose)]
    texts = [c for c in texts if not profile.has_partner(c)]
    texts = [c for c in texts if not (c.called(GRADERS) or (c.id_named and c.size > MOST_SOURCES))]
    # a row a model, whose provider says more of it
    if any(c.unique and c.called(MODELS) for c in profile.every):
        texts = [c for c in texts if not c.called(PROVIDERS)]
    named = [c for c in texts if called_model(c)]
    named = named or [c for c in texts if holds_families(c)]
    few = [c for c in named if c.size <= MOST_SOURCES]
    # no runs of each model
    named = [c for c in named if c in few or not any(profile.constant(d, c) for d in few)]
    finest = [
        c
        for c in named
        if all(profile.constant(alternative, c) for alternative in named if alternative is not c)
    ]
    # a provider with one model stands beside it
    finest.sort(key=lambda c: c.called(PROVIDERS))
    return finest[:1] or named


# how likely the labels of a kind of column are what a table compares, from 0 to 10
LIKELY = {
    "source": 9.4,
    "people": 9.2,
    "time": 9.0,
    "treatment": 9.25,
    "condition": 8.5,
    "cue": 8.0,
    "unnamed": 7.4,
    "setting": 8.0,
    "lettered": 6.6,
    "period": 6.5,
}


@dataclass(frozen=True, slots=True)
class ContrastColumn:
    """A column whose labels may be compared.

    Attributes
    ----------
    column : Column
    kind : str
        A key of `LIKELY`. "source": models. "people": people and machines. "time": labels of what came first and
        later. "treatment", "condition", "cue", "period": by the name. "setting": a few numbers that were
        set, such as temperatures. "unnamed", "lettered": by few labels alone.
    """

    column: ColumnProfile
    kind: str

    @property
    def likely(self) -> float:
        """How likely it is, from 0 to 10."""
        return LIKELY[self.kind]


def contrasts(profile: TableProfile) -> list[ContrastColumn]:
    """Return the columns whose labels may be compared, the likeliest first."""
    models = model_columns(profile)
    kinds = [(c, "source" if c in models else contrast_kind(profile, c)) for c in profile.varying()]
    every = [ContrastColumn(c, kind) for c, kind in kinds if kind]
    coarsest = [c for c in every if not any(is_finer(profile, c, d) for d in every)]
    return sorted(coarsest, key=lambda c: -c.likely)


def is_finer(profile: TableProfile, first: ContrastColumn, second: ContrastColumn) -> bool:
    """Whether labels of one contrast are kinds of labels of another, such as names of two groups."""
    nested = first.column.size > second.column.size and profile.constant(
        second.column, first.column
    )
    return nested and first.kind != "source" and first.likely <= second.likely


def is_designed(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether labels were planned by structure: once a cell, one for each unit, or equally often for most units.

    Answers come as they come.
    """
    if column.name in profile.planned:
        return True
    candidates = [c for c in profile.repeating if c.size > column.size and names_keys(profile, c)][
        :MOST_UNITS
    ]
    return any(profile.constant(column, c) or is_balanced(profile, column, c) for c in candidates)


def names_keys(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether labels are those of things, and no replies or measurements: other answers plan nothing.

    Texts in full are things where each occurs equally often.
    """
    even = not column.prose or np.ptp(profile.combined(column)[0]) == 0
    return even and (
        column.lists or column.name in profile.planned or column.called(UNITS, PERSONS)
    )


def names_answers(column: ColumnProfile) -> bool:
    """Whether a column is called like an answer, and not like the source or the kind of one."""
    return column.called(VALUES) and not column.ends(OF_ANSWERS, IDENTITIES)


def is_met(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether labels may have been drawn anew for each row: some units met all of them, or no unit has several rows."""
    candidates = [c for c in profile.repeating if c.size > column.size and not c.prose][:MOST_UNITS]
    return not candidates or any(met_share(profile, column, c) == 1 for c in candidates)


def is_balanced(profile: TableProfile, column: ColumnProfile, unit: ColumnProfile) -> bool:
    """Whether most units met every label of a column, and equally often."""
    _, often = np.unique(profile.combined(unit, column)[0], return_counts=True)
    return bool(often.max(initial=0) >= EQUAL * unit.size * column.size)


def describes_persons(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether each person, or each rater, has one label of a column: it says what these are like."""
    persons = [
        c for c in profile.repeating if c.size > column.size and c.called(PERSONS, RATERS, "pid")
    ]
    return any(profile.constant(column, c) for c in persons)


def contrast_kind(profile: TableProfile, column: ColumnProfile) -> str:
    """Return the kind of contrast that a column holds which names no models; empty for none."""
    c = column
    if is_setting(profile, c):
        return "setting"
    are_things = c.names_things and not (c.unique or c.prose) and 1 < c.size <= MOST_SOURCES
    condition = c.called(CONDITIONS) or c.called(TREATMENTS)
    describes = c.describes and not (c.called(CUES) or c.words <= {*CONDITIONS})
    # a label that was shown
    manipulated = c.text and of_people_and_machines(c) and is_designed(profile, c)
    answers = c.called(RESPONSES) or (names_answers(c) and not condition and not manipulated)
    answers = answers or (c.text and c.ends(LABELLINGS) and len(c.tokens) > 1)
    if not are_things or describes or answers or profile.has_partner(c) or is_call(c):
        return ""
    if c.called(RATERS, GRADERS, MEASURES) or c.ends(IDENTITIES):
        return ""
    # tasks T1, T2, ... are no times
    numbered = c.called(TASKS, UNITS)
    if c.text and later_and_earlier(c.levels) and not (c.called(REPEATS) or numbered):
        return "time"
    if c.called(OCCASIONS) and any(d.called(PERSONS) for d in profile.repeating):
        return "time"
    if c.text and c.size <= MOST_GROUPS and of_people_and_machines(c):
        return "people"
    if c.called(TREATMENTS) or (c.text and words_among(c) & {*CONTROLS}):
        return "treatment"
    if (
        c.text
        and c.called(SOURCES)
        and is_designed(profile, c)
        and not describes_persons(profile, c)
    ):
        return "people"
    if c.called(PERIODS, OCCASIONS):
        return "period"
    if condition and not c.called(REPEATS):
        return "condition" if c.text else "period"
    plays = (*UNITS, *TASKS, *PERSONS)
    if (
        not c.text
        or c.called(REPEATS, SUMMARIES)
        or is_ordinal(c)
        or (c.called(plays) and c.size > FEW_NAMED)
    ):
        return ""
    if describes_persons(profile, c):
        return ""
    if c.called(CUES):
        return "" if any(d.unique and d.called(PERSONS) for d in profile.every) else "cue"
    if not (is_designed(profile, c) or is_met(profile, c)):
        return ""
    if any({bare(level) for level in c.levels} == {*pair} for pair in OPPOSITES):
        return "condition"
    return "unnamed" if names_sources(c) and is_designed(profile, c) else "lettered"


def is_choice(column: ColumnProfile) -> bool:
    """Whether two opposites are called like a choice: of each set one was picked, as often as in the next set."""
    return column.yes_no and column.called(PICKED)


def is_setting(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a few numbers, not all whole, were met equally often by most units, as temperatures are; no repeats."""
    few = column.numbers is not None and 1 < column.size <= MOST_GROUPS
    return (
        few
        and not all(map(float.is_integer, column.numbers or ()))
        and is_designed(profile, column)
    )


def outcome_columns(profile: TableProfile, used: Columns = ()) -> list[ColumnProfile]:
    """Return the columns that may hold the answers, the likeliest first.

    Answers come as they come: what was planned, numbered, timed or counted is none. A name tells most. Then come two
    opposites, shares and short scales. What stands beside an answer, such as a reaction time, comes last.
    """
    free = [
        c for c in profile.varying() if c not in used and (c.numbers is not None or c.size <= FEW)
    ]
    free = [c for c in free if not (c.prose or c.unique_key or numbers_things(c))]
    free = [c for c in free if not (is_call(c) or c.says(WEIGHTS))]
    free = [c for c in free if not (c.unique and c.is_enumeration)]
    free = [c for c in free if is_choice(c) or not is_designed(profile, c)]
    plays = (*TREATMENTS, *RATERS, *CUES)
    # where no label repeats by unit, names tell what was done
    drawn = not profile.repeating
    free = [c for c in free if not drawn or c.called(VALUES) or not c.called(plays)]
    free = [c for c in free if c.name not in profile.aside]
    free = [c for c in free if c.name not in profile.no_values or c.numbering or is_choice(c)]
    return sorted(
        [c for c in free if not c.describes] or free, key=lambda c: answer_rank(profile, c)
    )


def numbers_things(column: ColumnProfile) -> bool:
    """Whether a column is called like an id, or like a number of something and has more labels than a scale."""
    numbering = column.numbering and column.size > MOST_GRADES
    return column.identifies or numbering or (column.id_named and not column.called(VALUES))


def answer_rank(profile: TableProfile, column: ColumnProfile) -> tuple[Any, ...]:
    """Rank a column that may hold the answers; the least comes first."""
    weak = column.called(WEAK_VALUES, CONFIDENCE) and not column.called(RIGHT)
    beside = column.called(REACTIONS) or names_a_count(column)
    sure_of = column.called(CONFIDENCE)
    summary = column.says(MEAN_WORDS, "rank")
    picked = column.called(PICKED) and not column.called(RESPONSES)
    is_summary = summary and is_mean_of(profile, column)
    named = (names_answers(column) or picked or is_summary) and not (
        weak or beside or (summary and not is_summary)
    )
    plays = column.called(REPEATS, CONDITIONS) or (column.unique and column.whole)
    label = column.numbers is None and not (column.yes_no and not is_question(column))
    label = label and not conventional_order(column.levels)
    remark = column.text and not column.yes_no and (column.ends(PROSE) or has_sentences(column))
    place = [*profile.columns].index(column.name)
    kinds = (
        remark or is_reference(column),
        sure_of,
        named,
        label or plays,
        beside,
        weak or summary,
        True,
    )
    kind = (6, 5, 0, 4, 3, 2, 1)[kinds.index(True)]
    return (
        profile.nearly_constant(column) or 2 * column.filled < column.rows,
        not is_summary,
        kind,
        not (column.yes_no and column.called(RIGHT)),
        may_be_age(column),
        column.numbers is None and not (column.yes_no or conventional_order(column.levels)),
        not within_one(column),
        place,
    )


def is_reference(column: ColumnProfile) -> bool:
    """Whether a column is called like the right answer, which is the same for everybody."""
    return column.says(GOLD)


def has_sentences(column: ColumnProfile) -> bool:
    """Whether labels are what was said rather than names of it: some end like sentences."""
    return (
        3 * sum(label.rstrip("\"'”")[-1:] in tuple(".!?。！？") for label in column.levels)
        >= column.size
    )


def may_be_age(column: ColumnProfile) -> bool:
    """Whether whole numbers are as many and as large as the ages of those who answered."""
    numbers = column.numbers or [0.0]
    return column.whole and column.size > MOST_GRADES and 14 <= min(numbers) <= max(numbers) <= 100


def is_mean_of(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column is called the mean of two or more numbered columns: score_mean beside score_1, score_2."""
    stem = [token for token in column.tokens if token not in MEAN_WORDS]
    numbered = [c for c in profile.every if [*c.tokens[:-1]] == stem and c.tokens[-1].isdigit()]
    return bool(stem) and len(numbered) > 1


def names_a_count(column: ColumnProfile) -> bool:
    """Whether a column is called like a number of things, such as n_messages."""
    return len(column.tokens) > 1 and column.tokens[0] in ("n", "num", "number", "count")


def within_one(column: ColumnProfile) -> bool:
    """Whether values are two opposites, or lie between 0 and 1, as right or wrong and shares do; times do not."""
    numbers = column.numbers
    return column.yes_no or (numbers is not None and min(numbers) >= 0 and max(numbers) <= 1)


def find_board(profile: TableProfile, values: Columns) -> BoardColumns | None:
    """Return the roles of a long table of scores of models; None where it is none, or may be read in two ways.

    Parameters
    ----------
    profile : Profile
    values : sequence of Column
        Columns that may be the score, the likeliest first.
    """
    models = model_columns(profile)
    if len(models) > 1 or not (
        models or not any(names_raters(profile, c) for c in profile.varying())
    ):
        return None
    boards = (board_of_labels(profile, contrast.column, values) for contrast in contrasts(profile))
    return next((board for board in boards if board is not None), None)


def board_of_labels(
    profile: TableProfile, source: ColumnProfile, values: Columns, met: float = MET_BY
) -> BoardColumns | None:
    """Return the likeliest units that met the labels of a column, with what these gave them; None where there are none.

    Parameters
    ----------
    profile : Profile
    source : Column
        Models, raters or conditions.
    values : sequence of Column
        Columns that may be the answer, the likeliest first.
    met : float, optional
        Least share of the pairs of a unit and a label that occur.
    """
    units = [
        unit for unit in units_met(profile, source, met) if not is_answer(profile, source, unit)
    ]
    boards = [
        board
        for unit in units
        if (board := board_of_one_unit(profile, source, unit, values)) is not None
    ]
    return max(boards, key=lambda board: unit_rank(profile, board), default=None)


def unit_rank(profile: TableProfile, board: BoardColumns) -> tuple[Any, ...]:
    """Rank the unit of a board: enough of them for a test, called like one, no texts in full, planned, and many."""
    unit = board.unit[0]
    repeated = unit.called(REPEATS) and not unit.id_named
    planned = unit.name in profile.planned or unit.id_named
    is_named_unit = unit.lists or unit.id_named or board.named
    return (
        unit.size >= FEWEST_UNNAMED,
        not repeated,
        board.named,
        not unit.prose,
        is_named_unit,
        planned,
        unit.size,
    )


def units_met(
    profile: TableProfile, source: ColumnProfile, met: float = MET_BY
) -> list[ColumnProfile]:
    """Return the columns that may name units which met the labels of a column, those called so and of many first."""
    out = (*CALLS, *SCORERS, *MEASURES, *CONFIDENCE, *REACTIONS, "period")
    free = [c for c in profile.varying() if c is not source and c.names_things and c.size > 2]
    free = [
        c
        for c in free
        if not (
            c.unique
            or c.timing
            or c.describes
            or c.called(out)
            or is_ordinal(c)
            or names_a_count(c)
        )
    ]
    free = [
        c
        for c in free
        if c.called(UNITS) or c.id_named or not c.called(REPEATS) or fills_rows(profile, source, c)
    ]
    free = [
        c
        for c in free
        if c.called(UNITS) or (c.text and not names_answers(c)) or numbers_units(profile, source, c)
    ]
    free = [c for c in free if is_unit(profile, source, c)]
    # talks of one model each are the units, and those who judged several are none
    if owned_by(profile, source):
        free = [c for c in free if not names_raters(profile, c)]
    free.sort(key=lambda c: (not c.called(UNITS), -c.size))
    return [c for c in free[:MOST_UNITS] if meets(profile, source, c, met)]


def is_unit(profile: TableProfile, source: ColumnProfile, column: ColumnProfile) -> bool:
    """Whether a name, or else the structure, says that a column names units: texts and covariates need structure."""
    named = column.called(UNITS, PERSONS) and not (column.prose or column.called(COVARIATES))
    labelled = not column.prose and names_units(column)
    planned = column.name in profile.planned or is_balanced(profile, source, column)
    return named or labelled or planned or column.id_named


def fills_rows(profile: TableProfile, source: ColumnProfile, unit: ColumnProfile) -> bool:
    """Whether each label of one column met each of the other once: occasions of that kind are units."""
    return unit.size * source.size == profile.rows


def numbers_units(profile: TableProfile, source: ColumnProfile, column: ColumnProfile) -> bool:
    """Whether whole numbers name units: planned, those of a list, or met by each source equally often."""
    listed = column.is_enumeration or column.identifies or column.name in profile.planned
    return listed or is_balanced(profile, source, column)


def meets(profile: TableProfile, source: ColumnProfile, unit: ColumnProfile, least: float) -> bool:
    """Whether units met labels of a source often enough, several each, and neither lies within the other."""
    nested = profile.constant(unit, source) or profile.constant(source, unit)
    return not nested and met_share(profile, source, unit) * source.size >= max(
        least * source.size, SEVERAL_MET
    )


def is_answer(profile: TableProfile, column: ColumnProfile, unit: ColumnProfile) -> bool:
    """Whether two opposites come as they come in the rows of each unit, as answers do; conditions are planned."""
    if column.called(RESPONSES):
        return True
    answer = column.text and column.yes_no and not column.called(CONDITIONS)
    return answer and not is_balanced(profile, column, unit)


def is_ordinal(column: ColumnProfile) -> bool:
    """Whether every label is an ordinal word, as those of repeats are: first, second."""
    return {without_accents(label).casefold() for label in column.levels} <= {*ORDINALS}


def names_raters(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column is called like raters, and no model that is compared is."""
    # user_turns
    counted = column.called(CALLS) or names_a_count(column)
    named = column.called(RATERS, GRADERS) and not (names_answers(column) or counted)
    names = (
        column.lists or column.id_named or len(column.tokens) == 1 or column.name in profile.planned
    )
    return column.names_things and names and named and column not in model_columns(profile)


def names_sources(column: ColumnProfile) -> bool:
    """Whether the labels are few words of their own, as names of models are; repeats are numbered, or a, b, c."""
    short = column.size <= MOST_SOURCES and max(map(len, column.levels)) > 1
    numbered = any(letter.isdigit() for label in column.levels for letter in label)
    words = {
        word
        for label in column.levels
        for word in re.findall(r"[^\W\d_]+", without_accents(label).casefold())
    }
    return short and not numbered and not words & {*ORDINALS}


def names_units(column: ColumnProfile) -> bool:
    """Whether labels look like those of units: numbers, or texts of which most hold a number, or many of them."""
    numbered = sum(any(letter.isdigit() for letter in label) for label in column.levels)
    return not column.text or 5 * numbered >= 4 * column.size or column.size >= MANY_UNITS


def met_share(profile: TableProfile, model: ColumnProfile, unit: ColumnProfile) -> float:
    """Return the share of pairs of a unit and a model that occur in the table."""
    return profile.combinations(model, unit) / (unit.size * model.size)


def board_of_one_unit(
    profile: TableProfile, model: ColumnProfile, unit: ColumnProfile, values: Columns
) -> BoardColumns | None:
    """Return the board of one unit; None where something else than repeats tells its rows apart."""
    value = next(
        (c for c in values if c not in (model, unit) and not profile.constant(c, unit)), None
    )
    if value is None or (unit.size < FEWEST_UNNAMED and owned_by(profile, model)):
        # talks, games or sessions of one label each are the units
        return None
    alike = answers_alike(profile, value)
    if unit in alike or model in alike:
        return None
    cells = SourceCells(profile, [unit.name], [model.name], value.name)
    part = [
        profile.columns[name]
        for name in [cells.first("part")]
        if cells.repeated and name is not None
    ]
    if part:
        cells = SourceCells(profile, [unit.name, part[0].name], [model.name], value.name)
    persons = unit.called(PERSONS) or unit.id_named
    # each met several items of either kind
    persons = persons and met_share(profile, model, unit) >= EQUAL
    if cells.repeated and (cells.first("measure") or (cells.first("nested") and not persons)):
        return None
    # judges of one answer: their mean
    kinds: set[Kind] = {"repeat", "factor", "scorer", "nested"}
    names = cells.repeats(kinds) if cells.repeated else ()
    if cells.rather_unit(names) is not None:
        return None
    repeat = [profile.columns[name] for name in names]
    owners = [
        c
        for c in profile.varying()
        if c not in (unit, *part, model, value, *repeat)
        and c.names_things
        and 1 < c.size <= unit.size / 2
        and profile.constant(c, unit)
        and not c.called(COSTS, TIMINGS)
    ]
    task = [c for c in (*part, *owners) if c.called(BENCHMARKS)][:1]
    # few infer nothing
    clusters = [c for c in owners if c.size >= FEWEST_UNNAMED and c not in task and holds_units(c)]
    return BoardColumns(
        model=model,
        unit=[unit, *(c for c in part if c not in task)],
        value=value,
        task=task,
        cluster=clusters[:1],
        repeat=repeat,
        answers=cells.answers,
        named=unit.called(UNITS, PERSONS) and (unit.id_named or not unit.called(REPEATS)),
        anew=any(is_numbered_anew(unit, c) for c in part),
        alike=alike,
    )


def answers_alike(profile: TableProfile, value: ColumnProfile) -> Columns:
    """Return the columns of numbers or opposites that are called as one is but for a number; none for it alone.

    They are runs, or items of a scale. Where names say that they are repeats, two are enough.
    """
    columns = profile.numbered_alike(value)
    enough = len(columns) > 2 or (len(columns) == 2 and value.called(REPEATS))
    plain = all(c.numbers is not None or c.yes_no for c in columns)
    return columns if enough and plain and not any("," in c.name for c in columns) else ()


def holds_units(column: ColumnProfile) -> bool:
    """Whether a column is called like what holds several units together: a topic, a document, a school."""
    return bool(CLUSTER_NAME.search(column.name)) or (
        column.called(UNITS) and not column.called(WEAK)
    )


DEPENDENT = (*UNITS, *RATERS, *CLUSTERS, *PERSONS, "user", "visitor", "ip", "instruction")


def cluster_columns(
    profile: TableProfile, a: ColumnProfile, b: ColumnProfile, used: Texts
) -> list[str]:
    """Return at most two columns whose labels repeat across pairs of items: judges, prompts, sessions.

    A name that says so is enough for few labels. Others need many labels, and texts or ids rather than numbers. What
    lies within another such column is left to that one.

    Parameters
    ----------
    profile : Profile
    a, b : Column
        Those of the items.
    used : sequence of str
        Further columns that play a part.
    """
    pair, pairs = (a.name, b.name), profile.combinations(a, b)

    def named(c: ColumnProfile) -> bool:
        return c.called(DEPENDENT) and not c.called(REPEATS, VALUES)

    def told(c: ColumnProfile) -> bool:
        return c.text or c.identifies or (c.lists and not c.called(REPEATS))

    def numbers(c: ColumnProfile) -> bool:
        # the samples of each pair
        few = c.whole and c.size < FEWEST_UNNAMED
        return few and c.name in profile.planned and not (c.called(PERSONS, RATERS) or c.numbering)

    # says the same as the pair, has several rows, and is enough of a sample
    def unit_of(
        c: ColumnProfile,
    ) -> bool:
        return c.called(UNITS) and 2 * len(a.labels | b.labels) <= c.size <= profile.rows / 2

    free = [
        c
        for c in profile.varying()
        if c.names_things
        and not (c.describes or numbers(c) or (c.prose and not named(c)))
        and c.name not in (*pair, *used)
        and FEWEST_CLUSTERS <= c.size <= profile.rows / 2
        and not profile.has_partner(c)
        and (named(c) or (c.size >= FEWEST_UNNAMED and told(c)))
        # else the pair says it
        and (profile.combinations(c, a, b) != pairs or unit_of(c))
        and not holds_outcomes(pair, used, profile.table, c)
    ]
    free.sort(key=lambda c: (c.size < FEWEST_UNNAMED, not named(c), c.size))
    first = free[:1]
    apart = [
        c for c in free if not any(profile.constant(d, c) or profile.constant(c, d) for d in first)
    ]
    return [c.name for c in (*first, *apart[:1])]


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """Independent groups: a column whose labels are met by different units.

    Attributes
    ----------
    group : Column
    unit : Column or None
        What names the units; None where each row is one.
    several : bool
        Whether a unit has several rows.
    named : bool
        Whether names or labels tell the groups; else they are the only labels that persons, or classes of them, have.
    """

    group: ColumnProfile
    unit: ColumnProfile | None
    several: bool
    named: bool = True


def independent_groups(profile: TableProfile) -> GroupColumn | None:
    """Return the groups of different units that a table compares; None where no column is called or labelled like that.

    Each row is a unit of its own, or people, stories, ... with several rows have one label of the group only. What lies
    within units that met several groups, such as a session of a person, tells no groups apart.
    """
    # these are compared, and groups are groups of items
    models = model_columns(profile)
    are_things = [c for c in profile.varying() if c.names_things and not c.describes]
    values = outcome_columns(profile)
    if any(
        owned_by(profile, model) and board_of_labels(profile, model, values) is None
        for model in models
    ):
        # each talk is of one model
        models = []
    likely = [
        c for c in are_things if c.size <= MOST_GROUPS and c not in models and is_group(profile, c)
    ]
    for group in sorted(likely, key=lambda c: not c.called(TREATMENTS)):
        board = board_of_labels(profile, group, [c for c in values if c is not group])
        if board is not None and any(c.name in profile.planned for c in board.unit):
            # units met both
            continue
        met = [
            c
            for c in are_things
            if c.size > group.size
            and (c.text or c.identifies or c.called(UNITS, PERSONS))
            and not c.prose
            and met_share(profile, group, c) > MET_BY
            and names_units(c)
        ]
        inner = [
            c
            for c in are_things
            if c.size > 2 * group.size
            and profile.constant(group, c)
            and names_units(c)
            and not (c.called(CALLS) or (c.called(VALUES) and not c.called(PERSONS)))
            and (c.id_named or not c.called(REPEATS))
            and (c.lists or c.called(UNITS))
        ]
        repeated = [
            c
            for c in inner
            if 3 * c.size <= 2 * profile.rows
            and (
                c.called(PERSONS)
                or not any(profile.constant(alternative, c) for alternative in met)
            )
        ]
        if repeated and (not models or group.called(TREATMENTS)):
            return GroupColumn(group, min(repeated, key=lambda c: c.size), several=True)
        if models:
            continue
        planned = any(
            fills_rows(profile, group, c) and profile.distinct(c, group) for c in are_things
        )
        if not planned and not any(c.called(UNITS) or c.size >= FEWEST_UNNAMED for c in met):
            return GroupColumn(group, next((c for c in inner if c.unique), None), several=False)
    return unnamed_groups(profile) if not models else None


def only_measure(profile: TableProfile, groups: GroupColumn | None) -> ColumnProfile | None:
    """Return the one column of numbers beside groups of different units, such as a time; None where there are several.

    It is what the groups are compared by, whatever it is called: nothing else was measured.
    """
    if groups is None:
        return None
    used = (groups.group, groups.unit)
    free = [c for c in profile.varying() if c not in used and not c.text]
    free = [c for c in free if not (c.numbers_rows or c.numbering or c.identifies or c.unique_key)]
    words = [c for c in profile.varying() if c not in used and c.text and not c.unique]
    return free[0] if len(free) == 1 and not words and free[0].size > 2 else None


def unnamed_groups(profile: TableProfile) -> GroupColumn | None:
    """Return the groups of persons, a row each, that the only column of two or three labels tells; None otherwise.

    Yes and no may be answers, unless all persons of a class, say, have one of them.
    """
    person = next((c for c in profile.every if c.unique and c.called(PERSONS)), None)
    if person is None:
        return None
    beside = (*COVARIATES, *CUES, *EXPORTED, *PROSE, *STATES, *REPEATS)
    few = [c for c in profile.varying() if c.text and c.size <= MOST_UNNAMED and c.filled == c.rows]
    few = [
        c for c in few if not (c.called(beside) or names_answers(c) or profile.nearly_constant(c))
    ]
    classes = [c for c in profile.repeating if c.size >= FEWEST_CLUSTERS and not c.prose]
    owners = {c.name: owner for c in few for owner in classes if profile.constant(c, owner)}
    few = [c for c in few if c.name in owners] or [c for c in few if not c.yes_no]
    if len(few) != 1:
        return None
    owner = owners.get(few[0].name)
    return GroupColumn(few[0], owner or person, several=owner is not None, named=False)


def owned_by(profile: TableProfile, group: ColumnProfile) -> bool:
    """Whether units with several rows, other than raters, have one label of a column each."""
    owners = [
        c
        for c in profile.repeating
        if c.size > 2 * group.size and not (c.prose or c.called(REPEATS))
    ]
    owners = [c for c in owners if not names_raters(profile, c)]
    return any(profile.constant(group, c) for c in owners)


def is_group(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column may tell groups of units apart: models that no unit met together, or called or labelled so."""
    return tells_groups(column) or column in model_columns(profile)


def tells_groups(column: ColumnProfile) -> bool:
    """Whether a column is called like a treatment, or has a control group, or people and machines among its labels."""
    kind = column.ends(KINDS_OF) and column.text
    if column.called(TREATMENTS) or kind or RANDOMISER.fullmatch(column.name.strip()):
        return True
    return bool(words_among(column) & {*CONTROLS}) or of_people_and_machines(column)


def people_among(column: ColumnProfile) -> str:
    """Return the label that names people beside others; empty where none or several do."""
    return people_level(column.levels)


def says_who_answered(source: ColumnProfile) -> bool:
    """Whether a column says who answered, and not what two groups of people met, such as advice of people or of AI."""
    named = (
        source.called(SOURCES, KINDS_OF)
        or any(map(FAMILIES.search, source.levels))
        or source.size > 2
    )
    return named and not source.called(TREATMENTS)


def of_people_and_machines(column: ColumnProfile) -> bool:
    """Whether labels name people and machines, as who wrote a text or gave an answer."""
    words = words_among(column)
    return not (words.isdisjoint(HUMANS) or words.isdisjoint(MACHINES))


def words_among(column: ColumnProfile) -> set[str]:
    """Return the words of a column's labels, in lower case."""
    return {word for label in column.levels for word in words_of_label(label)}
