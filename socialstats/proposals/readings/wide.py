"""One row per unit: columns of raters or of two conditions, counts of raters by level, or one row per rater."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, permutations

import numpy as np

from socialstats.designs.boards import BoardColumns, holds_units
from socialstats.designs.column_pairs import (
    OPPOSITES,
    SIDES,
    differing,
    label_overlap,
    paired_names,
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
    FEWEST_UNNAMED,
    is_setting,
    model_columns,
    names_a_count,
    people_among,
    says_who_answered,
)
from socialstats.designs.surveys import MANY_PEOPLE
from socialstats.designs.suspects import PLAIN_STEMS, RATER_STEMS, item_suspects
from socialstats.designs.tables import TOTALS
from socialstats.designs.vocabulary import (
    BASELINES,
    CONDITIONS,
    CONTROLS,
    COVARIATES,
    DATES,
    FREQUENCIES,
    JUDGE_COUPLES,
    JUDGEMENTS,
    LABELLINGS,
    LATER,
    MEANS,
    MET_WORDS,
    MODELS,
    OCCASIONS,
    PERSONS,
    PREDICTIONS,
    RATER_COUNTS,
    RATERS,
    READINGS,
    REFERENCES,
    REPEATS,
    RIGHT,
    SCORES,
    SIZES,
    SPREADS,
    STIMULI,
    SUMMARIES,
    UNITS,
    VALUES,
    bare,
)
from socialstats.proposals.readings.answers import as_conditions as conditions_of_units
from socialstats.proposals.readings.contests import meet_themselves
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
from socialstats.proposals.readings.waves import waves_of
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
QUESTION = 4  # words of a name that is a question
LONGEST = 11  # levels of a scale of answers
ANY_TWO = 4.45  # score of two of several columns that no name pairs
SOMEWHAT = 0.3  # concordance below which two columns are of different things
BY_TIME = 7.5  # score of what is compared where a plan says who answered again
SEVERAL_TIMES = 2.0  # taken where persons answered several times, which is rather compared
SAME = 0.6  # concordance from which numbered columns are raters of one quantity


class WideRows:
    """A table of one row per unit: the column that names the rows, and the columns that may hold measurements.

    Attributes
    ----------
    seen : Profile
    identity : Column or None
        The column that names the rows.
    named : bool
        Whether that column has a name.
    units : list of Column
        The same, where the name can be typed.
    persons : bool
        Whether rows are persons by the name of the column that names them, or by when they answered.
    is_stimulus : bool
        Whether rows are things that are shown or judged, by the name of the column that names them.
    described : bool
        Whether the table describes those who answered.
    counted : bool
        Whether rows were counted: a frequency beside rows that are all different.
    less : float
        What a wide reading loses: the table has several rows a unit, or is a square.
    """

    def __init__(self, seen: TableProfile) -> None:
        name = seen.row_id()
        self.seen, self.identity = seen, seen.columns[name] if name is not None else None
        self.named = bool(name)
        self.units = (
            [self.identity] if self.identity is not None and self.identity.name.strip() else []
        )
        stamped = any(c.timing for c in [*seen.every][:1])
        called = self.identity is not None and self.identity.called(PERSONS)
        self.persons = stamped or called
        self.is_stimulus = self.identity is not None and self.identity.called(STIMULI, MET_WORDS)
        self.described = any(bare(name) in COVARIATES for name in seen.columns)
        others = [c for c in seen.every if c.name not in seen.frequencies]
        self.counted = bool(seen.frequencies and not name and seen.distinct(*others))
        self.less = 3.0 if seen.long else 1.0 if seen.is_cross else 0.0

    @cached_property
    def values(self) -> list[ColumnProfile]:
        """Columns that may be measurements: no keys, dates, covariates, summaries, or shares of another's labels."""
        seen = self.seen
        out = {*seen.frequencies, *seen.crossed, *seen.no_values, *seen.shares, *seen.arm_sizes}
        free = [c for c in seen.every if c.levels and c is not self.identity and c.name not in out]
        free = [c for c in free if not is_setting(seen, c)]
        means = [c for c in free if any(is_mean(c, d) for d in free if d is not c)]
        kept = [
            c
            for c in free
            if BRACKETED.fullmatch(c.name) or (measures(c) and not self.names_one(c))
        ]
        kept = [c for c in free if c in kept or c in means]
        numbers = [c for c in free if not c.text]
        lone = len(numbers) == 2 and {*kept} < {*numbers} == {*free} and same_scale(*numbers)
        return (
            numbers if lone else kept
        )  # where two columns hold numbers, neither is a date or unit

    def names_one(self, column: ColumnProfile) -> bool:
        """Whether one word names a column as unit or rater, where no other column names the rows."""
        lone = len(column.tokens) == 1 and column.names_things and column.called(UNITS, RATERS)
        return lone and (column.unique or not self.named) and not column.ranks

    def is_cluster(self, column: ColumnProfile) -> bool:
        """Whether a column is called like what holds units together, and has several rows for each of its labels."""
        several = FEWEST_UNNAMED <= column.size <= column.rows / 2
        names = column.names_things and column is not self.identity and not names_a_count(column)
        return several and names and holds_units(column)


def is_mean(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether a column holds the means of a source beside those of another, or of people beside answers of models."""
    both = one.words & other.words & {*MEANS} and differing(one, other)
    people = one.says(MEANS) and one.called(HUMANS) and measures(other)
    return bool(both or people) and not (one.text or other.text) and same_scale(one, other)


def measures(column: ColumnProfile) -> bool:
    """Whether a column may hold measurements by its name and its labels."""
    of_means = len(column.tokens) > 1 and column.says(SPREADS, SIZES)  # human_sd, human_n
    beside = column.called(DERIVED, REPEATS) or bare(column.name) in (
        *DATES,
        *COVARIATES,
        *SUMMARIES,
    )
    if of_means or beside:
        return False
    return not column.text or (column.size <= FEW and not column.unique)


class Group:
    """Columns of one scale: what their names and values say of raters, items and conditions.

    Attributes
    ----------
    rows : Rows
    columns : list of Column
    names : list of str
    size : int
    stems : set of str
        Names without numbers.
    discrete : bool
        Whether all values can be levels.
    many : bool
        Whether these are (nearly) all columns that hold measurements, three or more.
    called_raters : bool
        Whether names say raters: words for them, initials, or two persons who rate.
    items : bool
        Whether the columns are called like items of a questionnaire.
    numbered : bool
        Whether the columns are numbered from 1 by a word that is no plain one and no condition.
    sure : bool
        Whether names say that somebody answered items.
    asked : bool
        Whether the columns are answers of persons, a row each.
    waves : Waves or None
        The persons who have several rows each; None where each row may be a person.
    units : list of Column
        The columns that name the rows, where these can be typed.
    lower : float
        What other readings lose where the columns are items that persons answered.
    raters : bool
        Whether the columns are raters by name, or numbered measurements that agree.
    times, clusters : dict
        The settings that name the frequencies of rows that were counted, and the cluster of the rows.
    repeated : bool
        Whether the columns hold the same items before and after.
    crossed, pairs : list of pairs of Column
        Those of two measurements or more under the same two conditions, by name. Where there are none, those that are
        called like two conditions or sides.
    unlike : bool
        Whether texts say nothing of raters or conditions: their labels differ, or are two items that never meet.
    """

    def __init__(self, rows: WideRows, columns: list[ColumnProfile]) -> None:
        self.rows, self.columns, self.size = rows, columns, len(columns)
        self.names = [c.name for c in columns]
        self.stems = {stem(name) for name in self.names}
        self.discrete = all(c.discrete for c in columns)
        more = self.size > 2
        self.many = more and self.size >= len(rows.values) - (self.size > 3)
        matrix = all(
            BRACKETED.fullmatch(name) for name in self.names
        )  # a question about several things
        self.called_raters = not matrix and self._call_raters()
        asked = more and all(len(c.name.split()) >= QUESTION for c in columns)
        self.items = (matrix or asked or bool(item_suspects(self.names))) and not self.called_raters
        plain = self.size <= 3 or len(self.stems) > 1 or self.stems & {*PLAIN_STEMS, *CONDITIONS}
        self.numbered = not plain and all(
            name.endswith(str(k)) for k, name in enumerate(self.names, 1)
        )
        self.sure = self.items or self.numbered or rows.described
        free = (
            self.size > 3 - asked
            and not (self.called_raters or rows.counted)
            and (self.sure or rows.persons)
        )
        self.asked = free and is_scale(columns, self.items or self.numbered)
        first = columns[:MOST_KEYS]
        self.crossed = within_stems(first)
        self.repeated = any(
            is_later(*pair) for pair in self.crossed
        )  # before and after, item by item
        self.asked = self.asked and not self.repeated
        self.lower = 1.5 * (self.asked and self.sure)
        agree = self.numbered and not self.discrete and rows.seen.concordance(*columns[:2]) >= SAME
        self.raters = self.called_raters or agree
        self.times = {"count": rows.seen.frequencies[0]} if rows.counted and self.discrete else {}
        named = rows.identity is not None and rows.identity.called(PERSONS)
        self.waves = None if named else waves_of(rows.seen, columns)
        self.units = rows.units or (self.waves.key if self.waves is not None else [])
        cluster = self._cluster()
        self.clusters = (
            {"cluster": [cluster.name]} if cluster is not None and not self.times else {}
        )
        pairs = combinations(first, 2)
        self.pairs = self.crossed or [
            pair for pair in pairs if paired_names(*pair) or beside_control(*pair)
        ]
        differ = len({c.levels for c in columns}) > 1 and not (
            self.pairs or self.raters or self.many
        )
        lone = self.size == 2 and columns[0].size > 3 and not meet_themselves(rows.seen, *columns)
        sides = all(rows.seen.opposed(*pair) for pair in combinations(first, 2))
        self.unlike = columns[0].text and (differ or lone or sides)

    @cached_property
    def agree_all(self) -> bool:
        """Whether each two of the first columns agree somewhat, as raters of one quantity do."""
        pairs = combinations([c for c in self.columns if not c.text][:MOST_KEYS], 2)
        return all(self.rows.seen.concordance(*pair) >= SOMEWHAT for pair in pairs)

    def _cluster(self) -> ColumnProfile | None:
        """Return what holds rows together: the persons who have several, or what these lie within."""
        profile, person = self.rows.seen, self.waves.person if self.waves is not None else None
        free = [c for c in profile.varying() if c not in self.columns and c is not person]
        clusters = [c for c in free if self.rows.is_cluster(c)]
        if person is not None:
            clusters = [c for c in clusters if profile.constant(c, person)]
        return next(iter(clusters), person)

    def _call_raters(self) -> bool:
        """Whether names say raters: words for them, initials, or persons who rate."""
        shared = frozenset.intersection(*(c.words for c in self.columns))
        if self.size == 2 and two_judges(*self.columns):
            return True
        if self.size > 2:
            initials = all(re.fullmatch(r"[A-Z]{1,3}", name.strip()) for name in self.names)
            people = any(c.called(HUMANS) for c in self.columns) and any(
                map(is_machine, self.columns)
            )
            people = people and (not shared or bool(shared & {*JUDGEMENTS, *PREDICTIONS}))
            if (
                initials
                or people
                or (
                    shared & {*JUDGEMENTS, *VALUES, *SCORES}
                    and one_word_apart(self.columns, shared)
                )
            ):
                return True
        numbered = len(self.stems) == 1 and self.stems <= RATER_STEMS
        return (
            numbered
            or all(c.called(READINGS) for c in self.columns)
            or any(map(is_rater, self.columns))
        )


def is_machine(column: ColumnProfile) -> bool:
    """Whether a column is called like a model, and like no person."""
    named = column.says(MACHINES) or FAMILIES.search(column.name) is not None
    return named and not column.says(HUMANS)


def beside_control(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether two names differ in one word, which calls one of them a control or a baseline."""
    return not {*CONTROLS, *BASELINES}.isdisjoint(differing(one, other) or ())


def is_later(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether one word of two names says what came first, and the same word of the other what came later."""
    a, b = differing(one, other) or ("", "")
    return any(
        (a.endswith(x) and b.endswith(y)) or (a.endswith(y) and b.endswith(x)) for x, y in LATER
    )


def is_rater(column: ColumnProfile) -> bool:
    """Whether a column is called like a rater."""
    return column.called(RATERS)


def one_word_apart(columns: Columns, shared: frozenset[str]) -> bool:
    """Whether names begin or end with a word that they share, and differ in words that are no conditions or numbers.

    Names of persons are like that: responses.anna.rating, responses.ben.rating, rating_by_chi.
    """
    rest = [tuple(token for token in c.tokens if token not in shared) for c in columns]
    words = {word for tokens in rest for word in tokens}
    worded = all(
        any(not token.isdigit() for token in tokens) for tokens in rest
    )  # numbers tell questions apart
    plain = all(rest) and worded and len({*rest}) == len(rest)
    ends = any(len({c.tokens[k] for c in columns}) == 1 for k in (0, -1))
    return plain and ends and not any({*pair} <= words for pair in (*OPPOSITES, *SIDES))


def within_stems(columns: Columns) -> list[Pair]:
    """Return the pairs of two measurements under two conditions each, such as x_1990, x_2010, y_1990, y_2010.

    Conditions are opposites, or else the last words. Empty where the names are no such crossing.
    """
    crossings: list[tuple[bool, bool, list[Pair]]] = []
    for last in (True, False):
        whats = [c.tokens[:-1] if last else c.tokens[1:] for c in columns]
        whens = [c.tokens[-1:] if last else c.tokens[:1] for c in columns]
        stems, conditions = [*dict.fromkeys(whats)], [*dict.fromkeys(whens)]
        crossed = (
            len({*zip(whats, whens, strict=True)})
            == len(columns)
            == 2 * len(stems)
            > 2
            == len(conditions)
        )
        if crossed and all(stems):
            both = [
                [c for c, what in zip(columns, whats, strict=True) if what == name]
                for name in stems
            ]
            words = {"".join(tokens) for tokens in conditions}
            opposite = any(words == {*pair} for pair in (*OPPOSITES, *SIDES))
            crossings.append((opposite, last, [(x, y) for x, y in both]))
    return max(crossings, key=lambda crossing: crossing[:2], default=(False, False, []))[2]


def wide_tables(seen: TableProfile) -> Proposals:
    """Look for columns of one scale, one row per unit: two conditions, or several raters."""
    if len(seen.table.columns) > MOST_COLUMNS:  # a group would lack columns that were not looked at
        return
    if seen.is_cross and not any(square_tables(seen)):  # a matrix of distances, say
        return
    rows = WideRows(seen)
    if rows.identity is not None and rows.identity in model_columns(seen):
        return  # a row a model: columns are benchmarks
    known = labelled_twice(seen)
    if known:
        yield reference_and_model(rows, *known)
    for columns in alike(
        rows.values, rows.identity is not None or len(rows.values) == len(seen.columns) == 2
    ):
        group = Group(rows, columns)
        people_answer = rows.persons and seen.rows >= MANY_PEOPLE and group.discrete
        if people_answer and group.size >= FEWEST_ITEMS and not group.called_raters:
            yield as_survey(group)
        if group.asked:
            yield as_answers(group)
            yield from by_time(group)
        if len(columns) > 2 and all(
            BRACKETED.fullmatch(c.name) and names_model(c.name) for c in columns
        ):
            yield as_board(group)
        if group.unlike or (known and {*columns} == {*known}):
            continue
        likely = group.agree_all or rows.is_stimulus  # raters of a thing that is shown may disagree
        rated = group.many and likely and not (group.pairs or rows.persons)
        if group.discrete or group.raters or group.size == 2 or rated:
            yield as_raters(group)
        items = group.size > FEWEST_ITEMS and len(group.stems) == 1 and not group.pairs
        many = group.size > 8 and (group.items or not group.pairs) and not group.repeated
        if not ((group.raters and group.size > 2) or items or many):
            yield from [as_conditions(group, two) for two in group.crossed[:2]] or [
                as_conditions(group)
            ]


def pairs_of_a_plan(seen: TableProfile) -> Proposals:
    """Look for two numbers in each row of a plan of units and sources, such as scores of two versions of a sentence."""
    if seen.plan is None or seen.plan[1].size > MOST_KEYS:
        return
    unit, source = seen.plan
    numbers = [c for c in WideRows(seen).values if not c.text and not c.describes]
    for two in combinations(numbers[:MOST_KEYS], 2):
        if any(differing(c, two[0]) and c not in two for c in numbers):
            continue  # several criteria are no two versions
        if differing(*two) and same_scale(*two) and seen.concordance(*two) >= SAME:
            first, second = later_first(*two)
            apart = source.size <= MOST_APART or source in model_columns(seen)
            parts = {
                "unit": [unit] if apart else [unit, source],
                "first": [first],
                "second": [second],
            }
            options = {"by": source.name} if apart else {"cluster": [unit.name, source.name]}
            each = f", for each {source}" if apart else f" and {source}"
            means = f"{first} minus {second} of each {unit}{each}"
            yield Proposal("paired", 9.5, means, parts, options)
            return


def labelled_twice(seen: TableProfile) -> Pair | None:
    """Return two columns of the same labels that are called like a reference and what is compared with it."""
    few = [c for c in seen.varying() if c.discrete and not c.unique][:MOST_LABELLED]
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
    both = [truth, model]
    means = f"{truth} and {model} label each row"
    return Proposal(
        "ratings", 8.3 - rows.less / 2, means, {"raters": both, "unit": rows.units}, drop_gaps(both)
    )


def two_judges(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether two columns are called like one judgement of two persons, and nothing says which came later."""
    both, words = one.words & other.words, one.words | other.words
    if any({x, y} <= words for x, y in LATER):
        return False
    if both & {*LABELLINGS} and one.text and len(one.tokens) == len(other.tokens) == 2:
        return True  # alice_label, bob_label
    return bool(both & {*JUDGEMENTS}) and any({x, y} <= words for x, y in JUDGE_COUPLES)


def as_answers(group: Group) -> Proposal:
    """Propose columns as units that the person of a row rates."""
    means = f"one row per person, who rates {count(group.size, 'unit')} in columns"
    score = (7.4 if group.sure else 5.6) - group.rows.less
    seen = group.rows.seen
    source = [c for c in seen.varying() if people_among(c) and says_who_answered(c)][:1]
    waves = group.waves
    parts = {"rater": group.units, "units": group.columns, "rater_source": source}
    model = next((c for c in model_columns(seen) if not source and 2 * c.size <= seen.rows), None)
    free = [c for c in seen.varying() if c is not model and c not in group.columns]
    repeat = seen.telling_apart([model], free) if model else []
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
    options |= level_settings(group.columns, "ratings")
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
    yield conditions_of_units(group.rows.seen, board.model, board, BY_TIME - several)


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


def as_conditions(group: Group, crossed: Pair | None = None) -> Proposal:
    """Propose two columns of a group as two conditions of the row's unit: those of a crossing, or the likeliest."""
    seen, less = group.rows.seen, group.rows.less + group.lower
    pairs = combinations(group.columns[:MOST_KEYS], 2)
    subtracted = None if crossed else next((pair for pair in pairs if seen.subtracted(*pair)), None)
    first, second = later_first(
        *(crossed or subtracted or nearest(seen, group.columns, group.pairs))
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


def is_scale(group: Columns, items: bool) -> bool:
    """Whether columns hold answers on one short scale; columns that are not numbered as items have the same ends."""
    levels = {level for c in group for level in c.levels}
    if len(levels) > LONGEST or not all(c.discrete for c in group):
        return False
    if any(c.text for c in group):
        return len(levels) > 2 and (items or len({c.levels for c in group}) == 1)
    ends = [ends_of(c) for c in group]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return low >= 0 and (items or 2 * ends.count((low, high)) >= len(group))


def nearest(seen: TableProfile, group: Columns, pairs: Sequence[Columns]) -> Columns:
    """Return two columns of a group: paired by name or the first two, or where these differ, those that agree best."""
    two = pairs[0] if pairs else group[:2]
    if len(group) == 2 or len({stem(c.name) for c in group}) == 1 or any(c.text for c in group):
        return two

    def likeness(pair: Columns) -> float:
        return seen.concordance(*pair) + 0.3 * bool({*pair[0].tokens} & {*pair[1].tokens})

    differ = likeness(two) < (0.1 if pairs else 0.3)
    return max(combinations(group[:MOST_KEYS], 2), key=likeness) if differ else two


def alike(values: Columns, rows_named: bool) -> list[list[ColumnProfile]]:
    """Return at most three groups of columns that are called alike, or else of one scale, the largest first."""
    by_name: dict[str, list[ColumnProfile]] = {}
    for column in values:
        by_name.setdefault(stem(column.name), []).append(column)
    groups = [g for g in by_name.values() if len(g) > 1 and len({c.text for c in g}) == 1]
    readings = [c for g in groups for c in g if c.called(READINGS)]
    if len(groups) > 1 and within_stems(readings):  # several readings of each rater
        groups = [readings]
    numbered = [g for g in groups if len(g) > 2 and not g[0].text]
    if len(groups) == len(numbered) == 2 and within_stems(both := [*numbered[0], *numbered[1]]):
        groups = [both]  # several answers of each of two systems
    scaled: list[list[ColumnProfile]] = []
    for column in (c for c in values if not any(c in g for g in groups)):
        home = next((g for g in scaled if same_scale(g[0], column)), None)
        if home is None:
            scaled.append([column])
        else:
            home.append(column)
    if both := people_beside_models(values):
        groups, scaled = ([[c for c in g if c not in both] for g in gs] for gs in (groups, scaled))
        groups.append(both)
    groups = [g for g in [*groups, *scaled] if len(g) > 1 and any(c.size > 1 for c in g)]
    numbers = [c for c in values if not c.text and c.size > 1]
    lone = rows_named and len(numbers) == 2 and (paired_names(*numbers) or overlap(*numbers))
    return sorted(groups, key=len, reverse=True)[:3] or ([numbers] if lone else [])


def people_beside_models(values: Columns) -> list[ColumnProfile]:
    """Return columns of people, or of raters, and of models that hold one quantity; none where there is one kind alone.

    What else the names say is the same in those of people, and stands in those of models.
    """
    named = (*HUMANS, *RATERS)
    people = [c for c in values if c.says(named) and not is_machine(c)]
    rest = {frozenset(word for word in c.words - {*named} if word.isalpha()) for c in people}
    if len(rest) != 1:
        return []
    models = [c for c in values if is_machine(c) and all(words <= c.words for words in rest)]
    both = [c for c in values if c in people or c in models]
    alike = all(
        c.text is both[0].text and same_scale(people[0], c) for c in both if c is not people[0]
    )
    return both if models and alike else []


def overlap(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether the ranges of two columns of numbers overlap."""
    (low, high), (least, most) = ends_of(one), ends_of(other)
    return min(high, most) > max(low, least)


def fleiss_tables(seen: TableProfile) -> Proposals:
    """Look for counts of raters by level: whole numbers that add up to one number in each row, or have many zeros."""
    out = {seen.row_id(), *seen.frequencies, *seen.crossed}
    columns = [c for c in seen.every if c.whole and c.name not in out and not seen.is_cross]
    columns = [
        c
        for c in columns
        if not (c.identifies or c.describes or c.numbers_rows or c.called(NO_LEVELS))
    ]
    total, parts = max(seen.totals.items(), key=lambda total: len(total[1]), default=("", []))
    counted = bare(total) in (*FREQUENCIES, *RATER_COUNTS, *TOTALS)  # how many rated the unit
    if counted or len(parts) > 2:
        columns = [seen.columns[name] for name in parts]
    gaps = any(c.filled < c.rows for c in columns)
    if (
        not 2 <= len(columns) <= FEW
        or seen.rows < 3
        or gaps
        or all(ends_of(c)[1] < 2 for c in columns)
    ):
        return
    rows = seen.values(columns)
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
    levels_of = {"level_columns": columns, "unit": WideRows(seen).units}
    score = 9 if steady else 8.5 if levels else 7.7 if sparse else 6.7
    yield Proposal(
        "ratings",
        score,
        "how many raters gave the unit each level",
        levels_of,
        {"scale": "nominal"},
    )


def transposed_tables(seen: TableProfile) -> Proposals:
    """Look for one row per rater: a column called so with a value of its own in every row, and one column per unit."""
    named = [c for c in seen.every if c.unique and c.called(RATERS, MODELS.names)][:1]
    rest = [c for c in seen.every if c not in named]
    named = named if len(seen.table.columns) <= MOST_COLUMNS else []
    if named and len(rest) > 2 and len({stem(c.name) for c in rest}) == 1:
        means = f"one row per rater, {count(len(rest), 'unit')} in columns"
        yield Proposal("ratings", 8, means, {"rater": named, "units": rest})
