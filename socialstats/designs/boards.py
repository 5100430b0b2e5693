"""Units that met the labels of a column, with what these gave them: the board of a comparison of models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from socialstats.designs.cluster_columns import clusters_of_units
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.profile import TableProfile, names_text
from socialstats.designs.repeated_answers import Kind, SourceCells, is_numbered_anew
from socialstats.designs.roles import (
    EQUAL,
    FEWEST_CLUSTERS,
    FEWEST_UNNAMED,
    MET_BY,
    MOST_UNITS,
    contrasts,
    is_balanced,
    is_ordinal,
    met_share,
    model_columns,
    names_a_count,
    names_answers,
    names_raters,
    names_units,
)
from socialstats.designs.vocabulary import (
    BENCHMARKS,
    CALLS,
    CONDITIONS,
    CONFIDENCE,
    COSTS,
    COVARIATES,
    MEASURES,
    PERSONS,
    RATERS,
    REACTIONS,
    REPEATS,
    RESPONSES,
    SCORERS,
    TIMINGS,
    UNITS,
)

# labels of a source that a unit met on average
SEVERAL_MET = 1.3


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
    of_unit = cells.first("part") if cells.repeated else None
    part = [] if of_unit is None else [profile.columns[of_unit]]
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
    used = (unit, *part, model, value, *repeat)
    owners = [
        c
        for c in profile.varying()
        if c not in used
        and c.names_things
        and 1 < c.size <= unit.size / 2
        and profile.constant(c, unit)
        and not c.called(COSTS, TIMINGS)
    ]
    task = [c for c in (*part, *owners) if c.called(BENCHMARKS)][:1]
    free = [c for c in profile.varying() if c not in (*used, *task)]
    clusters = clusters_of_units(profile, unit, free)
    named = unit.called(UNITS, PERSONS) and (unit.id_named or not unit.called(REPEATS))
    return BoardColumns(
        model=model,
        unit=[unit, *(c for c in part if c not in task)],
        value=value,
        task=task,
        cluster=clusters[:1],
        repeat=repeat,
        answers=cells.answers,
        named=named,
        anew=any(is_numbered_anew(unit, c) for c in part),
        alike=alike,
    )


def crossed_samples(
    profile: TableProfile, source: ColumnProfile, board: BoardColumns
) -> BoardColumns:
    """Return a board whose units are pairs of two samples, such as persons and stories, with both as clusters.

    Each person who met every story in both conditions differs in how large the difference is. A mean over the persons
    would leave that out of the error, as a mean over the stories would for these (Clark, 1973, doi:10.1016/
    S0022-5371(73)80014-3). Numbered answers and few labels are averaged.
    """
    unit, repeat = board.unit, board.repeat
    if len(unit) != 1 or len(repeat) != 1 or repeat[0].size < FEWEST_CLUSTERS:
        return board
    sample = repeat[0].called(PERSONS, RATERS, UNITS) or repeat[0].id_named
    pairs = [*unit, *repeat]
    n_pairs = profile.combinations(*pairs)
    if (
        not sample
        or repeat[0].called(REPEATS)
        or profile.combinations(*pairs, source) < EQUAL * n_pairs * source.size
    ):
        return board
    clusters = [*(board.cluster or unit), *repeat]
    return replace(board, unit=pairs, repeat=[], cluster=clusters, answers=(1, 1))


def answers_alike(profile: TableProfile, value: ColumnProfile) -> Columns:
    """Return the columns of numbers or opposites that are called as one is but for a number; none for it alone.

    They are runs, or items of a scale. Where names say that they are repeats, two are enough.
    """
    columns = profile.numbered_alike(value)
    enough = len(columns) > 2 or (len(columns) == 2 and value.called(REPEATS))
    plain = all(c.numbers is not None or c.yes_no for c in columns)
    return columns if enough and plain and not any("," in c.name for c in columns) else ()


def owned_by(profile: TableProfile, group: ColumnProfile) -> bool:
    """Whether units with several rows, other than raters, have one label of a column each."""
    owners = [
        c
        for c in profile.repeating
        if c.size > 2 * group.size and not (c.prose or c.called(REPEATS))
    ]
    owners = [c for c in owners if not names_raters(profile, c)]
    return any(profile.constant(group, c) for c in owners)
