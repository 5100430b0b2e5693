"""Long tables, a row an answer: what they compare or who rates, on which units, and which answers are averaged.

`designs/roles.py` finds the columns: `contrasts` what may be compared, `outcome_columns` what may be the answer,
`board_of_labels` the units. Here each of them becomes a question, whose score follows from what the columns are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from socialstats.designs.aliases import Fields
from socialstats.designs.answer_columns import outcome_columns
from socialstats.designs.boards import BoardColumns, board_of_labels, crossed_samples
from socialstats.designs.cluster_columns import holds_units
from socialstats.designs.column_pairs import paired_names
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.group_columns import independent_groups, only_measure, tells_groups
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import opposites
from socialstats.designs.nouns import MODEL, noun_for
from socialstats.designs.profile import FEW_COLUMNS, TableProfile, names_text
from socialstats.designs.repeated_answers import SourceCells
from socialstats.designs.roles import (
    EQUAL,
    FEWEST_UNNAMED,
    MET_BY,
    ContrastColumn,
    contrasts,
    is_designed,
    met_share,
    model_columns,
    names_raters,
    names_units,
    people_among,
    says_who_answered,
)
from socialstats.designs.vocabulary import (
    CALLS,
    CONDITIONS,
    CONFIDENCE,
    COVARIATES,
    EARLIER,
    METHODS,
    NUMBERINGS,
    OCCASIONS,
    PERSONS,
    RATERS,
    REPEATS,
    RIGHT,
    STIMULI,
    TASKS,
    TREATMENTS,
    UNITS,
    VALUES,
    WEAK_VALUES,
)
from socialstats.proposals.readings.boards import (
    LEADERBOARD,
    each_answer,
    measures_in,
    of_one_measure,
)
from socialstats.proposals.readings.proposal import (
    Parts,
    Proposal,
    Proposals,
    later_first,
    level_settings,
    two_conditions,
    two_of,
)
from socialstats.text import quoted

MOST_CONTRASTS, MOST_RATERS = 5, 3  # columns of each kind that are tried
MOST_KINDS = 4  # labels of a column that tells kinds of raters apart
MOST_BY = 12  # labels of what a page is made by
MOST_VALUES = 2  # columns of values that groups are compared by
STRONG = 8.5  # likelihood of a contrast that is rather asked about than averaged
BESIDE_PEOPLE, FEW_MET = 9.6, 0.2
WITHIN_MODELS, AVERAGED = 9.5, 8.2
RATED, RATED_BY_PERSONS, RATED_UNNAMED, COMPARED_FIRST = 8.8, 6.9, 5.5, 1.2
GROUPED, GROUPED_UNNAMED, OF_MODELS, OF_PERSONS, UNCLEAR = 8.9, 7.9, 7.4, 6.9, 4.0
THINGS_RATED = 1.6  # what is taken where persons may rate the labels of an unnamed column
ALONE = 4.5
UNEVEN = 2  # ratio of the most to the fewest answers from which nothing planned how many there are
MEAN_OF_SEVERAL = 1.0  # taken where a value is the mean of columns that are called alike
ONE_OF_SEVERAL = 2.0  # taken where a value is one of three or more that are called alike


def long_tables(profile: TableProfile) -> Proposals:
    """Look for what is compared, for raters and for groups of units; for values of one source where there are none."""
    judged = not model_columns(profile) and any(names_raters(profile, c) for c in profile.varying())
    if (
        measures_in(profile) is not None and not judged
    ):  # criteria of judges are kinds of one rating
        yield from of_one_measure(profile, long_tables)
        return
    values = outcome_columns(profile)
    yield from answers_of_people_and_models(profile, values)
    compared = [*contrasts_within(profile, values)]
    for contrast, board in compared:
        yield from comparison(profile, contrast, board)
    less = COMPARED_FIRST * any(contrast.likely >= STRONG for contrast, _ in compared)
    yield from groups_of_units(profile, less)
    yield from ratings(profile, values, less)
    yield from values_of_one_source(profile, values)


def contrasts_within(
    profile: TableProfile, values: Columns
) -> Iterator[tuple[ContrastColumn, BoardColumns]]:
    """Yield the contrasts whose labels the units met, with these units."""
    for contrast in contrasts(profile)[:MOST_CONTRASTS]:
        board = board_of_labels(
            profile, contrast.column, [c for c in values if c is not contrast.column]
        )
        named = board is not None and (
            board.named or contrast.likely >= STRONG or names_units(board.unit[0])
        )
        if board is not None and named:
            yield contrast, board


def fit(profile: TableProfile, board: BoardColumns) -> float:
    """Return what is taken from the likelihood of a question: unnamed values, unnamed or few units."""
    unit, value = board.unit[0], board.value
    named = board.named or unit.called(PERSONS) or unit.id_named
    clear = value.called(VALUES) or value.yes_no
    lone = (
        value.name in profile.siblings and not board.alike
    )  # one of several answers, a column each
    several = bool(board.alike) and not value.called(REPEATS)  # several answers have one mean
    return (
        0.4 * (not clear)
        + 0.5 * (not named)
        + 0.3 * (unit.size < FEWEST_UNNAMED)
        + ONE_OF_SEVERAL * lone
        + MEAN_OF_SEVERAL * several
    )


def has_order(value: ColumnProfile) -> bool:
    """Whether labels of more than one letter have an order that everybody knows."""
    return max(map(len, value.levels)) > 1 and bool(conventional_order(value.levels))


def is_nominal(value: ColumnProfile) -> bool:
    """Whether a column holds labels without an order, more than two: they have no mean."""
    return value.numbers is None and value.size > 2 and not has_order(value)


def comparison(profile: TableProfile, contrast: ContrastColumn, board: BoardColumns) -> Proposals:
    """Propose to compare the labels of a contrast on the units that met them."""
    source, value = contrast.column, board.value
    rated = contrast.kind in ("unnamed", "lettered") and board.unit[0].called(PERSONS)
    score = contrast.likely - fit(profile, board) - THINGS_RATED * (rated and not board.repeat)
    if value.numbers is None and value.size > 2 and not (has_order(value) and source.size == 2):
        yield from shares(profile, contrast, board, score)
        return
    models = [
        c
        for c in model_columns(profile)
        if c is not source and not profile.constant(c, board.unit[0])
    ]
    if contrast.kind == "source":
        factors = [
            c
            for c in contrasts(profile)
            if c.column in board.repeat or varies_within(profile, board, c.column)
        ]
        averaged = any(c.likely >= STRONG and c.column.size == 2 for c in factors)
        yield leaderboard(profile, board, min(score, AVERAGED) if averaged else score)
        return
    stages = (
        contrast.kind in ("time", "period", "setting")
        and not source.called(TREATMENTS)
        and source.called(CONDITIONS, OCCASIONS)
    )
    two = source.size == 2 or stages  # the last stage minus the first
    least, most = board.answers
    even = most <= UNEVEN * least and (most == 1 or profile.row_id() is None)  # else rows are units
    planned = bool(board.repeat) or even
    two = two and planned
    rates = (
        source.size > 2 and source.called(METHODS) and not board.repeat
    )  # methods measure one quantity, as raters
    if rates and value.numbers is not None:
        yield as_ratings(profile, source, board, RATED)
    strong = two and len(models) == 1 and contrast.likely >= STRONG
    if strong and (inner := within_models(profile, board, models[0])) is not None:
        yield conditions_of_units(
            profile, source, inner, WITHIN_MODELS - fit(profile, board), by=models[0]
        )
    yield (
        conditions_of_units(profile, source, board, score)
        if two
        else leaderboard(profile, board, score)
    )
    if not two and source.size > 2 and planned:
        yield conditions_of_units(profile, source, board, score - 1)


def varies_within(profile: TableProfile, board: BoardColumns, column: ColumnProfile) -> bool:
    """Whether a column varies among the answers of one source to one unit."""
    return any(within.name == column.name for within in cells_of(profile, board).within)


def cells_of(profile: TableProfile, board: BoardColumns, *factors: ColumnProfile) -> SourceCells:
    """Return the rows of a board by unit, source and further factors."""
    return SourceCells(
        profile,
        [c.name for c in board.unit],
        [c.name for c in (board.model, *factors)],
        board.value.name,
    )


def within_models(
    profile: TableProfile, board: BoardColumns, model: ColumnProfile
) -> BoardColumns | None:
    """Return a board whose units met both conditions under each model; None where these did not vary within units."""
    cells = cells_of(profile, board, model)
    repeat = cells.repeats() if cells.repeated else ()
    if len(cells.n) <= len(cells_of(profile, board).n) or (cells.repeated and not repeat):
        return None
    return replace(board, repeat=[profile.columns[name] for name in repeat], answers=cells.answers)


def leaderboard(profile: TableProfile, board: BoardColumns, score: float) -> Proposal:
    """Propose scores of all labels of a source on the same units."""
    source, value = board.model, board.value
    averaged = f", with {each_answer(board.answers)} averaged" if board.answers[1] > 1 else ""
    names = "the models" if noun_for(source.name, source.levels) == MODEL else "what is compared"
    means = f"a leaderboard: {source} names {names}, a unit is {board.of}{averaged}, {value_of(board)} is the "
    means += f"score{instead_of(profile, board)}"
    parts = {
        "rater": [source],
        "unit": board.unit,
        "value": board.values,
        "task": board.task,
        "repeat": board.repeat,
    }
    return Proposal(
        "ratings", score, means, parts, {**LEADERBOARD, **cluster_of(board), **two_levels(value)}
    )


def tasks_within(profile: TableProfile, board: BoardColumns) -> list[ColumnProfile]:
    """Return the task of a board whose units met several of them: pairs and ratings average these."""
    return [c for c in board.task if not profile.constant(c, board.unit[0])]


def left_out(profile: TableProfile, unit: Columns, source: ColumnProfile) -> dict[str, str]:
    """Return the setting that leaves units out which lack a label, where there are some."""
    met, units = profile.combinations(*unit, source), profile.combinations(*unit)
    return {"missing": "drop"} if met < units * source.size else {}


def two_levels(value: ColumnProfile) -> Fields:
    """Return the setting that says which of two labels counts as 1, where they are no opposites."""
    return (
        level_settings(value.levels, "paired")
        if value.text and opposites(value.levels) is None
        else {}
    )


def conditions_of_units(
    profile: TableProfile,
    source: ColumnProfile,
    board: BoardColumns,
    score: float,
    by: ColumnProfile | None = None,
) -> Proposal:
    """Propose the difference of two labels of a source on the same units."""
    if by is None:
        board = crossed_samples(profile, source, board)
    unit, repeat = board.unit, [*board.repeat, *tasks_within(profile, board)]
    parts = {"unit": unit, "condition": [source], "value": board.values, "repeat": repeat}
    options: Fields = {
        "conditions": two_conditions(source),
        **({"by": by.name} if by is not None else {}),
    }
    options |= {**cluster_of(board), **left_out(profile, board.unit, source)}
    for_each = f", for each {by}" if by is not None else ""
    unnumbered = board.answers[1] > 1 and not repeat
    what = (
        f"{each_answer(board.answers)}, which no column numbers,"
        if unnumbered
        else names_text(repeat)
    )
    averaged = f"; {what} averaged" if repeat or unnumbered else ""
    if len(board.cluster) > 1:
        averaged = f"; {names_text(board.cluster)} are crossed clusters"
    means = f"{value_of(board)} of the same {names_text(unit)} under {two_of(source)}{for_each}{averaged}"
    means += instead_of(profile, board)
    return Proposal("paired", score, means, parts, options, unnumbered=unnumbered)


def shares(
    profile: TableProfile, contrast: ContrastColumn, board: BoardColumns, score: float
) -> Proposals:
    """Propose the shares of each label among the answers of each source, or of two conditions."""
    source, value, unit = contrast.column, board.value, [*board.unit, *board.repeat]
    options: Fields = {"cluster": [unit[0].name]} if len(unit) > 1 else {}
    if contrast.kind == "source" and source.size > 2:
        means = f"shares of each {value} among the answers of each {source}, by {names_text(unit)}"
        settings = {**options, "scale": "nominal", "source": "rater"}
        parts = {"unit": unit, "rater": [source], "value": [value]}
        yield Proposal("ratings", score, means, parts, settings, "choice_shares")
        score -= 0.5
    options = {"conditions": two_conditions(source), **options, **left_out(profile, unit, source)}
    means = (
        f"{value} of the same {names_text(unit)} under {two_of(source)}{instead_of(profile, board)}"
    )
    yield Proposal(
        "paired", score, means, {"unit": unit, "condition": [source], "value": [value]}, options
    )


def cluster_of(board: BoardColumns) -> Fields:
    """Return the setting that names the cluster of units, or the first of two columns that name them together."""
    clusters = board.cluster or board.unit[: board.within]
    return {"cluster": [c.name for c in clusters]} if clusters else {}


def value_of(board: BoardColumns) -> str:
    """Return what the value is: a column, or the mean of several."""
    return f"the mean of {names_text(board.alike)}" if board.alike else str(board.value)


def instead_of(profile: TableProfile, board: BoardColumns) -> str:
    """Return which further columns may be the value, as the end of a sentence."""
    others = outcome_columns(profile, [board.model, *board.unit, *board.repeat, *board.values])
    alike = [c for c in others if c.text is board.value.text and not c.called(WEAK_VALUES)]
    more = [c for c in alike if c.called(VALUES)][:FEW_COLUMNS]
    return f"; {names_text(more)} may be the value instead" if more else ""


def ratings(profile: TableProfile, values: Columns, less: float) -> Proposals:
    """Propose the agreement of raters who judged the same units; `less` is taken where a comparison comes first."""
    raters = [
        c
        for c in profile.varying()
        if c.names_things and not (c.unique or c.prose or has_twin(profile, c))
    ]
    named = [c for c in raters if names_raters(profile, c)]
    persons = [c for c in raters if c not in named and c.called(PERSONS) and not c.called(REPEATS)]
    others = [c for c in raters if c not in (*named, *persons) and c.text and may_rate(profile, c)]
    for columns, score in ((named, RATED), (persons, RATED_BY_PERSONS), (others, RATED_UNNAMED)):
        for rater in columns[:MOST_RATERS]:
            board = board_of_labels(profile, rater, [c for c in values if c is not rater], met=0)
            if board is None or board.unit[0].prose or names_raters(profile, board.unit[0]):
                continue
            board = replace(board, alike=())  # agreement on one answer, and not on a mean
            if columns is not others or board.named or names_units(board.unit[0]):
                yield as_ratings(profile, rater, board, score - less - fit(profile, board))
                yield from choices(profile, rater, board)


def has_twin(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether another column is called as this one is, of the other side, or holds the same labels.

    Of two columns that are equal in each row, the first has no twin.
    """
    before = [*profile.every][: [*profile.columns].index(column.name)]
    twins = [c for c in profile.every if c is not column and c.text and c.labels == column.labels]
    return any(
        c in before or not profile.constant(c, column) for c in twins
    ) or profile.has_partner(column)


def may_rate(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column of texts may name raters although it is not called so: planned, or persons of several kinds."""
    plays = (*REPEATS, *UNITS, *TASKS, *VALUES, *CALLS)
    return not (column.describes or column.id_named or column.called(plays)) and (
        is_designed(profile, column)
        or any(profile.constant(c, column) and tells_groups(c) for c in profile.varying())
    )


def as_ratings(
    profile: TableProfile, rater: ColumnProfile, board: BoardColumns, score: float
) -> Proposal:
    """Propose that the labels of a column rate the units; what tells kinds of raters or answers apart is named."""
    value, unit, repeat = board.value, board.unit, [*board.repeat, *tasks_within(profile, board)]
    if not repeat and board.answers[1] > 1:
        plans = [
            c
            for c in profile.varying()
            if c.size <= MOST_BY and c not in (*unit, rater, value) and c.names_things
        ]
        repeat = profile.telling_apart([*unit, rater], plans)
    by = [
        c for c in (*unit[1:], *repeat) if c.text and c.size <= MOST_BY and is_designed(profile, c)
    ]
    by = [c for c in by if not (c.called(REPEATS) or names_raters(profile, c))][:1]
    unit, repeat = ([c for c in columns if c not in by] for columns in (unit, repeat))
    if is_nominal(value):  # labels have no mean
        unit, repeat = [*unit, *repeat], []
    groups = kinds_of(profile, rater, unit[0])
    source = [c for c in groups if people_among(c)][:1]
    options: Fields = {"by": by[0].name} if by else cluster_of(board)
    options |= {"rater_groups": [c.name for c in groups[:1]]} if groups and not source else {}
    averaged = f". Answers told apart by {names_text(repeat)} are averaged" if repeat else ""
    means = f"{rater} rates {names_text(unit)}, {value} is the rating{instead_of(profile, board)}{averaged}"
    means += f". {groups[0]} tells kinds of {rater} apart" if groups else ""
    parts = {
        "unit": unit,
        "rater": [rater],
        "value": [value],
        "rater_source": source,
        "repeat": repeat,
    }
    return Proposal("ratings", score, means, parts, options)


def choices(profile: TableProfile, rater: ColumnProfile, board: BoardColumns) -> Proposals:
    """Propose shares of labels of which each person gave one to each unit, where nothing was done to either."""
    value, unit = board.value, board.unit[0]
    treated = any(tells_groups(c) for c in profile.varying() if c is not value)
    if (
        not (is_nominal(value) and rater.called(PERSONS))
        or names_raters(profile, rater)
        or treated
        or board.repeat
    ):
        return
    means = f"shares of each {value}, of which each {rater} gave one to each {unit}"
    parts = {"unit": [rater], "rater": [unit], "value": [value]}
    yield Proposal(
        "ratings", RATED_BY_PERSONS + 0.5, means, parts, {"scale": "nominal"}, "choice_shares"
    )


def kinds_of(
    profile: TableProfile, rater: ColumnProfile, unit: ColumnProfile
) -> list[ColumnProfile]:
    """Return texts of few labels that each rater has one of, as where people and models answer: those called so first.

    What differs by unit as well says nothing of raters.
    """
    few = [
        c
        for c in profile.varying()
        if c.numbers is None and 2 <= c.size <= MOST_KINDS and c.filled == c.rows
    ]
    few = [c for c in few if c not in (rater, unit) and 3 * c.size <= rater.size]
    kinds = [c for c in few if profile.constant(c, rater) and not profile.constant(c, unit)]
    return sorted(kinds, key=lambda c: not tells_groups(c))


def answers_of_people_and_models(profile: TableProfile, values: Columns) -> Proposals:
    """Propose that people and models answered: each rater has one label of a column that names people among others."""
    things = [c for c in profile.varying() if c.names_things and (not c.prose or c.called(UNITS))]
    sources = [c for c in things if people_among(c) and c.size <= MOST_BY and not c.called(VALUES)]
    units = [c for c in things if c.called(UNITS) or c.numbering or c.name in profile.planned]
    units = [c for c in units if not (c.called(REPEATS, PERSONS) or names_raters(profile, c))]
    for source, rater, unit in product(sources, things, units):
        if (
            len({source, rater, unit}) < 3
            or profile.has_partner(source)
            or profile.constant(source, unit)
        ):
            continue
        if not says_who_answered(profile, source, rater):
            continue
        if unit.prose and met_share(profile, rater, unit) < FEW_MET:
            continue  # texts that one task each showed
        free = [
            c for c in values if c not in (unit, rater, source) and not profile.constant(c, unit)
        ]
        if not (
            free
            and answer_for(profile, rater, source)
            and answer_once(profile, rater, source, unit)
        ):
            continue
        parts = {"unit": [unit], "rater": [rater], "value": [free[0]], "rater_source": [source]}
        again = repeats_of(profile, [unit, source, rater])  # labels in words are conditions
        parts["repeat"] = [
            c for c in again if c.called(REPEATS) or c.numbers is not None or c.is_enumeration
        ]
        means = f"{rater} answers {unit} with {free[0]}, {source} says who is a person"
        yield Proposal("ratings", BESIDE_PEOPLE, means, parts)
        return


def answer_for(profile: TableProfile, rater: ColumnProfile, source: ColumnProfile) -> bool:
    """Whether labels may be those of people and of runs of models: of one source each, or numbered anew in each."""
    is_stimulus = rater.called(STIMULI)
    labelled = (rater.text or rater.identifies or rater.is_enumeration) and not is_stimulus
    named = rater.called(PERSONS, RATERS) or labelled
    apart = profile.constant(source, rater) or met_share(profile, source, rater) < EQUAL
    plain = not (rater.describes or rater.prose or rater.called(CALLS))
    return named and plain and apart and rater.size > 2 * source.size


def answer_once(
    profile: TableProfile, rater: ColumnProfile, source: ColumnProfile, unit: ColumnProfile
) -> bool:
    """Whether raters of each source answered the same units, once each or in numbered repeats."""
    once = bool(repeats_of(profile, [unit, source, rater])) or profile.distinct(unit, source, rater)
    return once and not profile.constant(unit, rater) and met_share(profile, source, unit) >= MET_BY


def repeats_of(profile: TableProfile, key: Columns) -> list[ColumnProfile]:
    """Return the columns that number the rows of a key; empty where its rows are all different."""
    numbers = [
        c
        for c in profile.varying()
        if c not in key and (c.called(REPEATS) or c.name in profile.planned)
    ]
    return [] if profile.distinct(*key) else profile.telling_apart(key, numbers)


def groups_of_units(profile: TableProfile, less: float) -> Proposals:
    """Propose a comparison of two groups of different units for each of the likeliest columns of values."""
    groups = independent_groups(profile)
    if groups is None:
        return
    group, owner = groups.group, groups.unit
    picked = {} if group.size == 2 else {"groups": [*group.levels[:2]]}
    single = next((c for c in profile.every if c.unique and c.called(UNITS, PERSONS)), None)
    single = single or profile.columns.get(profile.row_id() or "")
    owners = [c for c in (owner, *groups.crossed) if c is not None]
    clusters = owners if groups.crossed or (groups.several and single is not None) else []
    units = [single] if clusters and single is not None else owners
    used = [group, *units, *owners]
    options = {
        "design": "groups",
        **({"cluster": [c.name for c in clusters]} if clusters else {}),
        **picked,
    }
    values = [
        c
        for c in outcome_columns(profile, used)
        if not (c.describes or c.called(COVARIATES, NUMBERINGS))
    ]
    values = [c for c in values if not is_nominal(c) and not has_later(c, values)]
    lone = only_measure(profile, groups)
    values = values or [c for c in (lone,) if c is not None]
    before = {
        c.name
        for c in values
        if any(has_later(d, [c]) for d in profile.every) and not c.called("final")
    }
    values.sort(key=lambda c: (c.name not in before, c.says(EARLIER)))  # measured before as well
    best = GROUPED
    for value in values[:MOST_VALUES]:
        clear = value.called(VALUES) or value.yes_no or value.discrete
        parts = {
            "group": [group],
            **({"unit": units} if units else {}),
            "value": [value],
        }
        means = f"{value} of different units, by {group}"
        means += f" (two of {quoted(group.levels, 4)})" if picked else ""
        means += f"; {names_text(clusters)} are crossed clusters" if groups.crossed else ""
        score = (
            (GROUPED if clear else GROUPED_UNNAMED)
            if tells_groups(group)
            else OF_MODELS
            if clear
            else UNCLEAR
        )
        score = score if groups.named else OF_PERSONS
        score -= ONE_OF_SEVERAL * (value.name in profile.siblings and not tells_groups(group))
        best = min(best, score)
        yield Proposal("groups", best - less, means, parts, options)
        best -= 0.1


def has_later(column: ColumnProfile, others: Columns) -> bool:
    """Whether another column holds the same at a later time."""
    return any(
        paired_names(column, c) and later_first(column, c)[0] is c
        for c in others
        if c is not column
    )


def values_of_one_source(profile: TableProfile, values: Columns) -> Proposals:
    """Propose the mean or share of the only column of values, where nothing can be compared.

    Each row is a unit, or a unit has several rows, such as the answers to one question or the turns of a talk.
    """
    keys = [c for c in profile.every if c.unique and (c.text or c.identifies or c.numbers_rows)]
    free = [c for c in values if c not in keys]
    value = only_value([c for c in free if not is_nominal(c)] or free)
    if value is None or independent_groups(profile) is not None:
        return
    nominal = is_nominal(value)
    options: Fields = {"scale": "nominal"} if nominal else {}
    repeated = [
        c
        for c in profile.varying()
        if c.names_things and not c.unique and not c.prose and c is not value
    ]
    repeated = [c for c in repeated if c.size >= FEWEST_UNNAMED]
    repeated = [c for c in repeated if c.id_named or c.called(UNITS) or c.name in profile.planned]
    owner = max(repeated, key=lambda c: c.size, default=None)
    if is_compared(profile, [*keys, value], owner):
        return
    if owner is not None:
        others = [
            c for c in profile.every if c not in (owner, value) and c.names_things and not c.prose
        ]
        others.sort(key=lambda c: not c.called(REPEATS, CALLS))
        repeat = profile.telling_apart([owner], others)
        if not repeat:
            return
        words = f"{value} of each {owner}, with several rows "
        parts: Parts = {"unit": [owner], "value": [value], "rater": [], "repeat": repeat}
        if nominal:  # labels have no mean
            parts = {**parts, "unit": [owner, *repeat], "repeat": []}
            options["cluster"] = [owner.name]
        words += "as clusters" if nominal else "averaged"
        yield Proposal("ratings", ALONE, f"{words}, all of one source", parts, options)
    elif keys:
        key = next((c for c in keys if c.identifies or c.called(UNITS)), keys[0])
        means = f"{value} of each {key}, all of one source"
        yield Proposal(
            "ratings", ALONE, means, {"unit": [key], "value": [value], "rater": []}, options
        )


def only_value(values: Columns) -> ColumnProfile | None:
    """Return the only column that may hold values: called so, or of two opposites, or the only one at all."""
    free = [c for c in values if not (c.called(COVARIATES, NUMBERINGS, CALLS) or c.describes)]
    for likely in (
        [c for c in free if c.called(VALUES, RIGHT)],
        [c for c in free if c.yes_no],
        [c for c in free if c.numbers is not None and not c.called(REPEATS, CONFIDENCE)],
    ):
        if likely:
            return likely[0] if len(likely) == 1 else None
    return None


def is_compared(profile: TableProfile, used: Columns, owner: ColumnProfile | None) -> bool:
    """Whether a column may name what is compared: models, raters or conditions, or labels of no other kind.

    What is the same in all rows of a unit, the `owner` of several, describes it.
    """
    candidates = [
        c
        for c in profile.varying()
        if c not in used and c.filled == c.rows and c.size < profile.rows
    ]
    candidates = [
        c
        for c in candidates
        if c is not owner and not (owner is not None and profile.constant(c, owner))
    ]
    candidates = [
        c
        for c in candidates
        if not (c.prose or c.describes or c.numbering or c.id_named or holds_units(c))
    ]
    candidates = [c for c in candidates if not c.called(CALLS, REPEATS, UNITS, COVARIATES, TASKS)]
    return any(c.text or names_raters(profile, c) or c.called(CONDITIONS) for c in candidates)
