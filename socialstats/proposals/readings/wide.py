"""One row per unit: columns of raters or of two conditions, counts of raters by level, or one row per rater."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np

from socialstats.designs.boards import BoardColumns
from socialstats.designs.column_pairs import (
    differing,
    label_overlap,
    same_scale,
)
from socialstats.designs.column_profile import FEW, ColumnProfile, Columns
from socialstats.designs.frequencies import WIN_WORDS
from socialstats.designs.people import HUMANS, MACHINES
from socialstats.designs.profile import (
    BRACKETED,
    DERIVED,
    MOST_COLUMNS,
    MOST_KEYS,
    TableProfile,
    names_text,
    stem,
)
from socialstats.designs.roles import (
    FAMILIES,
    model_columns,
    people_among,
    says_who_answered,
)
from socialstats.designs.surveys import MANY_PEOPLE
from socialstats.designs.suspects import item_suspects
from socialstats.designs.tables import TOTALS
from socialstats.designs.vocabulary import (
    FREQUENCIES,
    MODELS,
    OCCASIONS,
    PREDICTIONS,
    RATER_COUNTS,
    RATERS,
    REFERENCES,
    REPEATS,
    RIGHT,
    SCORES,
    VALUES,
    bare,
)
from socialstats.proposals.readings.answers import conditions_of_units
from socialstats.proposals.readings.crosstabs import label_column, square_tables
from socialstats.proposals.readings.proposal import (
    Pair,
    Proposal,
    Proposals,
    drop_gaps,
    ends_of,
    later_first,
    level_settings,
)
from socialstats.proposals.readings.wide_rows import SAME, Group, WideRows, alike
from socialstats.tables import as_number
from socialstats.text import count

MOST_LABELLED = 40  # columns that are compared with each other by name
NO_LEVELS = (
    *VALUES,
    *REPEATS,
    *RIGHT,
    *DERIVED,
)  # names of columns that count no raters of a level
FEWEST_ITEMS = 3  # columns that are numbered alike, beyond which no two are conditions
MOST_APART = 3  # labels of a source for each of which a table of pairs is compared apart
ANY_TWO = 4.45  # score of two of several columns that no name pairs
BY_TIME = 7.5  # score of what is compared where a plan says who answered again
SEVERAL_TIMES = 2.0  # taken where persons answered several times, which is rather compared


def wide_tables(profile: TableProfile) -> Proposals:
    """Look for columns of one scale, one row per unit: two conditions, or several raters."""
    if (
        len(profile.table.columns) > MOST_COLUMNS
    ):  # a group would lack columns that were not looked at
        return
    if profile.is_cross and not any(square_tables(profile)):  # a matrix of distances, say
        return
    rows = WideRows(profile)
    if rows.identity is not None and rows.identity in model_columns(profile):
        return  # a row a model: columns are benchmarks
    labels_twice = labelled_twice(profile)
    if labels_twice:
        yield reference_and_model(rows, *labels_twice)
    for columns in alike(
        rows.values, rows.identity is not None or len(rows.values) == len(profile.columns) == 2
    ):
        group = Group(rows, columns)
        people_answer = rows.persons and profile.rows >= MANY_PEOPLE and group.discrete
        if people_answer and group.size >= FEWEST_ITEMS and not group.called_raters:
            yield as_survey(group)
        if group.asked:
            yield as_answers(group)
            yield from by_time(group)
        if len(columns) > 2 and all(
            BRACKETED.fullmatch(c.name) and names_model(c.name) for c in columns
        ):
            yield as_board(group)
        if group.unlike or (labels_twice and {*columns} == {*labels_twice}):
            continue
        likely = group.agree_all or rows.is_stimulus  # raters of a thing that is shown may disagree
        rated = group.many and likely and not (group.pairs or rows.persons)
        if group.discrete or group.raters or group.size == 2 or rated:
            yield as_raters(group)
        items = group.size > FEWEST_ITEMS and len(group.stems) == 1 and not group.pairs
        many = group.size > 8 and (group.items or not group.pairs) and not group.repeated
        if not ((group.raters and group.size > 2) or items or many):
            yield from [as_two_columns(group, two) for two in group.crossed[:2]] or [
                as_two_columns(group)
            ]


def pairs_of_a_plan(profile: TableProfile) -> Proposals:
    """Look for two numbers in each row of a plan of units and sources, such as scores of two versions of a sentence."""
    if profile.plan is None or profile.plan[1].size > MOST_KEYS:
        return
    unit, source = profile.plan
    numbers = [c for c in WideRows(profile).values if not c.text and not c.describes]
    for two in combinations(numbers[:MOST_KEYS], 2):
        if any(differing(c, two[0]) and c not in two for c in numbers):
            continue  # several criteria are no two versions
        if differing(*two) and same_scale(*two) and profile.concordance(*two) >= SAME:
            first, second = later_first(*two)
            apart = source.size <= MOST_APART or source in model_columns(profile)
            parts = {
                "unit": [unit] if apart else [unit, source],
                "first": [first],
                "second": [second],
            }
            options = {"by": source.name} if apart else {"cluster": [unit.name, source.name]}
            of_source = f", for each {source}" if apart else f" and {source}"
            means = f"{first} minus {second} of each {unit}{of_source}"
            yield Proposal("paired", 9.5, means, parts, options)
            return


def labelled_twice(profile: TableProfile) -> Pair | None:
    """Return two columns of the same labels that are called like a reference and what is compared with it."""
    few = [c for c in profile.varying() if c.discrete and not c.unique][:MOST_LABELLED]
    for a, b in permutations(few, 2):
        named = (
            {*a.tokens, bare(a.name)} & {*REFERENCES, *HUMANS},
            {*b.tokens, bare(b.name)} & {*PREDICTIONS, *MACHINES},
        )
        if all(named) and label_overlap(a, b) >= 0.5:
            return (
                (a, b)
                if not any(c not in (a, b) and label_overlap(a, c) >= 0.5 for c in few)
                else None
            )
    return None


def reference_and_model(rows: WideRows, truth: ColumnProfile, model: ColumnProfile) -> Proposal:
    """Propose agreement of a reference and a model."""
    raters = [truth, model]
    means = f"{truth} and {model} label each row"
    return Proposal(
        "ratings",
        8.3 - rows.less / 2,
        means,
        {"raters": raters, "unit": rows.units},
        drop_gaps(raters),
    )


def as_answers(group: Group) -> Proposal:
    """Propose columns as units that the person of a row rates."""
    means = f"one row per person, who rates {count(group.size, 'unit')} in columns"
    score = (7.4 if group.sure else 5.6) - group.rows.less
    profile = group.rows.profile
    source = [
        c for c in profile.varying() if people_among(c) and says_who_answered(profile, c, None)
    ][:1]
    waves = group.waves
    parts = {"rater": group.units, "units": group.columns, "rater_source": source}
    model = next(
        (c for c in model_columns(profile) if not source and 2 * c.size <= profile.rows), None
    )
    free = [c for c in profile.varying() if c is not model and c not in group.columns]
    repeat = profile.telling_apart([model], free) if model else []
    persons = group.rows.persons or group.rows.described  # who judged what a model wrote, say
    if model is not None and (repeat or not persons):  # each model answered several times
        parts = {"rater": [model], "units": group.columns, "repeat": repeat}
        means = f"{model} answers {count(group.size, 'question')} in columns, several times each"
        score = 8.8 - group.rows.less
        return Proposal("ratings", score, means, parts, unnumbered=not repeat)
    if waves is not None:  # rows are no persons
        parts = {**parts, "rater": [waves.person], "repeat": waves.times}
        means = f"{waves.person} answers {count(group.size, 'question')} in columns, {waves.apart}"
        score -= SEVERAL_TIMES
        return Proposal("ratings", score, means, parts, unnumbered=not waves.times)
    if source:  # people and runs of models
        return Proposal("ratings", 9.0, f"{means}; {source[0]} says who is a person", parts)
    return Proposal("ratings", score, means, parts)


def as_survey(group: Group) -> Proposal:
    """Propose columns as questions that the person of a row answers."""
    means = (
        f"a survey: one row per person, with answers to {count(group.size, 'question')} in columns"
    )
    named = {"map": [f"person={group.units[0].name}"]} if group.units else {}
    options = {"study": "survey", "units": [c.name for c in group.columns], **named}
    options |= level_settings((x for c in group.columns for x in c.levels), "ratings")
    return Proposal("ratings", 8.6 - group.rows.less, means, {}, options)


def by_time(group: Group) -> Proposals:
    """Propose the mean of the columns at two times at which the same persons answered."""
    waves = group.waves
    if waves is None or len(waves.times) != 1:
        return
    board = BoardColumns(
        model=waves.times[0],
        unit=[waves.person],
        value=group.columns[0],
        task=(),
        cluster=(),
        repeat=(),
        answers=(1, 1),
        named=True,
        alike=group.columns,
    )
    several = board.model.size > 2 and not board.model.called(OCCASIONS)  # all may be compared
    yield conditions_of_units(group.rows.profile, board.model, board, BY_TIME - several)


def names_model(name: str) -> bool:
    """Whether the last brackets of a question name a model or an assistant."""
    inner = label_column(name.rpartition("[")[2].rstrip("] "))
    return inner.called(MODELS) or bool(FAMILIES.search(inner.name))


def as_board(group: Group) -> Proposal:
    """Propose that each row scores all models, a column each."""
    means = f"a leaderboard: {count(group.size, 'column')} name what is compared, a unit is a row"
    parts = {"raters": group.columns, "unit": group.units}
    return Proposal("ratings", 8.2 - group.rows.less, means, parts, {"study": "leaderboard"})


def as_raters(group: Group) -> Proposal:
    """Propose columns as raters of the row's unit."""
    score = (
        6.5 if group.size > 2 and group.many else 4.5
    ) - 0.6 * group.rows.persons  # persons rate the columns
    if group.items and group.discrete:
        score = 5.2 if group.size > 3 else 4
    elif group.raters or (group.many and len(group.stems) == 1):
        score = 7.5
    raters, means = group.columns, f"{count(group.size, 'rater')}, a column each"
    if group.crossed and group.called_raters:  # several readings of each rater
        raters = [first for first, _ in group.crossed]
        more = names_text([second for _, second in group.crossed], 4)
        again = ",".join(c.name for c in group.crossed[0])
        means = f"{count(len(raters), 'rater')}, a column each; {more} hold second readings of the same raters "
        means += f"(--raters {again} compares the readings of one)"
    parts = {"raters": raters, "unit": group.units}
    options = {**group.times, **group.clusters}
    return Proposal("ratings", score - group.rows.less - group.lower, means, parts, options)


def as_two_columns(group: Group, crossed: Pair | None = None) -> Proposal:
    """Propose two columns of a group as two conditions of the row's unit: those of a crossing, or the likeliest."""
    profile, less = group.rows.profile, group.rows.less + group.lower
    pairs = combinations(group.columns[:MOST_KEYS], 2)
    subtracted = (
        None if crossed else next((pair for pair in pairs if profile.subtracted(*pair)), None)
    )
    first, second = later_first(
        *(crossed or subtracted or likeliest_pair(profile, group.columns, group.pairs))
    )
    lone = group.size == 2 and sum(not c.text for c in group.rows.values) <= 2
    score = (6.4 if group.many and group.discrete else 7.3) if group.pairs else 6.8 if lone else 6
    if not group.pairs and group.size > 2 and group.agree_all and not group.rows.persons:
        score = ANY_TWO  # two of several raters are a question of their own
    labels = {*first.levels, *second.levels}
    coded = first.text and len(labels) > 2 and not group.pairs
    score = (
        5 if group.items and not group.repeated else 4.4 if coded else score
    )  # labels that two columns share are rather codes
    score = 8.8 if subtracted else score - less  # the table holds their difference
    score += 0.2 * (first.yes_no and first.called(RIGHT))
    parts = {"unit": group.units, "first": [first], "second": [second]}
    means = f"{first} minus {second}, one row per unit"
    return Proposal("paired", score, means, parts, {**group.times, **group.clusters})


def likeliest_pair(profile: TableProfile, group: Columns, pairs: Sequence[Columns]) -> Columns:
    """Return two columns of a group: paired by name or the first two, or where these differ, those that agree best."""
    two = pairs[0] if pairs else group[:2]
    if len(group) == 2 or len({stem(c.name) for c in group}) == 1 or any(c.text for c in group):
        return two

    def likeness(pair: Columns) -> float:
        return profile.concordance(*pair) + 0.3 * bool({*pair[0].tokens} & {*pair[1].tokens})

    differ = likeness(two) < (0.1 if pairs else 0.3)
    return max(combinations(group[:MOST_KEYS], 2), key=likeness) if differ else two


def fleiss_tables(profile: TableProfile) -> Proposals:
    """Look for counts of raters by level: whole numbers that add up to one number in each row, or have many zeros."""
    out = {profile.row_id(), *profile.frequencies, *profile.crossed}
    columns = [c for c in profile.every if c.whole and c.name not in out and not profile.is_cross]
    columns = [
        c
        for c in columns
        if not (c.identifies or c.describes or c.numbers_rows or c.called(NO_LEVELS))
    ]
    total, parts = max(profile.totals.items(), key=lambda total: len(total[1]), default=("", []))
    counted = bare(total) in (*FREQUENCIES, *RATER_COUNTS, *TOTALS)  # how many rated the unit
    if counted or len(parts) > 2:
        columns = [profile.columns[name] for name in parts]
    gaps = any(c.filled < c.rows for c in columns)
    if (
        not 2 <= len(columns) <= FEW
        or profile.rows < 3
        or gaps
        or all(ends_of(c)[1] < 2 for c in columns)
    ):
        return
    rows = profile.values(columns)
    sums, zeros, names = rows.sum(axis=0), float((rows == 0).mean()), [c.name for c in columns]
    steady = zeros >= 0.1 if counted else len(set(sums.tolist())) == 1 and zeros > 0
    items = bool(item_suspects(names))
    sparse = len(names) > 2 and zeros >= 0.4 and sums.max() <= 2 * np.median(sums) + 2 and not items
    first = as_number(names[0])
    named = first is not None and [*map(as_number, names)] == [first + k for k in range(len(names))]
    scale = 2 < len(names) <= 12 and named
    levels = scale and (
        rows.min() == 0 or rows.max() > FEW
    )  # the names are 1, 2, ..., the values no such levels
    wins = any(c.called(WIN_WORDS, SCORES) for c in columns)
    shared = (
        zeros > 0
        and len(names) > 2
        and not (items or wins)
        and sums.var() < 0.7 * rows.var(axis=1).sum()
    )
    if (
        not (steady or sparse or levels or shared)
        or (sums.max() > 1000 and not levels)
        or (parts and (items or wins))
    ):
        return
    levels_of = {"level_columns": columns, "unit": WideRows(profile).units}
    score = 9 if steady else 8.5 if levels else 7.7 if sparse else 6.7
    yield Proposal(
        "ratings",
        score,
        "how many raters gave the unit each level",
        levels_of,
        {"scale": "nominal"},
    )


def transposed_tables(profile: TableProfile) -> Proposals:
    """Look for one row per rater: a column called so with a value of its own in every row, and one column per unit."""
    named = [c for c in profile.every if c.unique and c.called(RATERS, MODELS.names)][:1]
    units = [c for c in profile.every if c not in named]
    named = named if len(profile.table.columns) <= MOST_COLUMNS else []
    if named and len(units) > 2 and len({stem(c.name) for c in units}) == 1:
        means = f"one row per rater, {count(len(units), 'unit')} in columns"
        yield Proposal("ratings", 8, means, {"rater": named, "units": units})
