"""Tables of one row per unit: the columns that may be measurements, in groups of one scale; what their names say."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations

from socialstats.designs.cluster_columns import clusters_of_units
from socialstats.designs.column_pairs import (
    OPPOSITES,
    SIDES,
    differing,
    paired_names,
    same_scale,
)
from socialstats.designs.column_profile import FEW, ColumnProfile, Columns
from socialstats.designs.people import HUMANS, MACHINES
from socialstats.designs.profile import (
    BRACKETED,
    DERIVED,
    MOST_KEYS,
    TableProfile,
    stem,
)
from socialstats.designs.roles import (
    FAMILIES,
    is_setting,
)
from socialstats.designs.suspects import PLAIN_STEMS, RATER_STEMS, item_suspects
from socialstats.designs.vocabulary import (
    BASELINES,
    CONDITIONS,
    CONTROLS,
    COVARIATES,
    DATES,
    JUDGE_COUPLES,
    JUDGEMENTS,
    LABELLINGS,
    LATER,
    MEANS,
    MET_WORDS,
    PERSONS,
    PREDICTIONS,
    RATERS,
    READINGS,
    REPEATS,
    SCORES,
    SIZES,
    SPREADS,
    STIMULI,
    SUMMARIES,
    UNITS,
    VALUES,
    bare,
)
from socialstats.proposals.readings.contests import meet_themselves
from socialstats.proposals.readings.proposal import (
    Pair,
    ends_of,
)
from socialstats.proposals.readings.waves import waves_of

QUESTION = 4  # words of a name that is a question
LONGEST = 11  # levels of a scale of answers
SOMEWHAT = 0.3  # concordance below which two columns are of different things
SAME = 0.6  # concordance from which numbered columns are raters of one quantity


class WideRows:
    """A table of one row per unit: the column that names the rows, and the columns that may hold measurements.

    Attributes
    ----------
    profile : Profile
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

    def __init__(self, profile: TableProfile) -> None:
        name = profile.row_id()
        self.profile, self.identity = profile, profile.columns[name] if name is not None else None
        self.named = bool(name)
        self.units = (
            [self.identity] if self.identity is not None and self.identity.name.strip() else []
        )
        stamped = any(c.timing for c in [*profile.every][:1])
        called = self.identity is not None and self.identity.called(PERSONS)
        self.persons = stamped or called
        self.is_stimulus = self.identity is not None and self.identity.called(STIMULI, MET_WORDS)
        self.described = any(bare(name) in COVARIATES for name in profile.columns)
        others = [c for c in profile.every if c.name not in profile.frequencies]
        self.counted = bool(profile.frequencies and not name and profile.distinct(*others))
        self.less = 3.0 if profile.long else 1.0 if profile.is_cross else 0.0

    @cached_property
    def values(self) -> list[ColumnProfile]:
        """Columns that may be measurements: no keys, dates, covariates, summaries, or shares of another's labels."""
        profile = self.profile
        out = {
            *profile.frequencies,
            *profile.crossed,
            *profile.no_values,
            *profile.shares,
            *profile.arm_sizes,
        }
        free = [
            c for c in profile.every if c.levels and c is not self.identity and c.name not in out
        ]
        free = [c for c in free if not is_setting(profile, c)]
        means = [c for c in free if any(is_mean(c, d) for d in free if d is not c)]
        selected = [
            c
            for c in free
            if BRACKETED.fullmatch(c.name) or (may_measure(c) and not self.names_one(c))
        ]
        selected = [c for c in free if c in selected or c in means]
        numbers = [c for c in free if not c.text]
        lone = len(numbers) == 2 and {*selected} < {*numbers} == {*free} and same_scale(*numbers)
        return (
            numbers if lone else selected
        )  # where two columns hold numbers, neither is a date or unit

    def names_one(self, column: ColumnProfile) -> bool:
        """Whether one word names a column as unit or rater, where no other column names the rows."""
        lone = len(column.tokens) == 1 and column.names_things and column.called(UNITS, RATERS)
        return lone and (column.unique or not self.named) and not column.ranks


def is_mean(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether a column holds the means of a source beside those of another, or of people beside answers of models."""
    shared = first.words & second.words & {*MEANS} and differing(first, second)
    people = first.says(MEANS) and first.called(HUMANS) and may_measure(second)
    return bool(shared or people) and not (first.text or second.text) and same_scale(first, second)


def may_measure(column: ColumnProfile) -> bool:
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
        agree = (
            self.numbered and not self.discrete and rows.profile.concordance(*columns[:2]) >= SAME
        )
        self.raters = self.called_raters or agree
        self.times = (
            {"count": rows.profile.frequencies[0]} if rows.counted and self.discrete else {}
        )
        named = rows.identity is not None and rows.identity.called(PERSONS)
        self.waves = None if named else waves_of(rows.profile, columns)
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
        lone = (
            self.size == 2 and columns[0].size > 3 and not meet_themselves(rows.profile, *columns)
        )
        sides = all(rows.profile.opposed(*pair) for pair in combinations(first, 2))
        self.unlike = columns[0].text and (differ or lone or sides)

    @cached_property
    def agree_all(self) -> bool:
        """Whether each two of the first columns agree somewhat, as raters of one quantity do."""
        pairs = combinations([c for c in self.columns if not c.text][:MOST_KEYS], 2)
        return all(self.rows.profile.concordance(*pair) >= SOMEWHAT for pair in pairs)

    def _cluster(self) -> ColumnProfile | None:
        """Return what holds rows together: the persons who have several, or what these lie within."""
        profile, person = self.rows.profile, self.waves.person if self.waves is not None else None
        free = [c for c in profile.varying() if c not in self.columns and c is not person]
        clusters = clusters_of_units(
            profile, person, [c for c in free if c is not self.rows.identity]
        )
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


def beside_control(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether two names differ in one word, which calls one of them a control or a baseline."""
    return not {*CONTROLS, *BASELINES}.isdisjoint(differing(first, second) or ())


def is_later(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether one word of two names says what came first, and the same word of the other what came later."""
    a, b = differing(first, second) or ("", "")
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
    own_tokens = [tuple(token for token in c.tokens if token not in shared) for c in columns]
    words = {word for tokens in own_tokens for word in tokens}
    worded = all(
        any(not token.isdigit() for token in tokens) for tokens in own_tokens
    )  # numbers tell questions apart
    plain = all(own_tokens) and worded and len({*own_tokens}) == len(own_tokens)
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
            couples = [
                [c for c, what in zip(columns, whats, strict=True) if what == name]
                for name in stems
            ]
            words = {"".join(tokens) for tokens in conditions}
            opposite = any(words == {*pair} for pair in (*OPPOSITES, *SIDES))
            crossings.append((opposite, last, [(x, y) for x, y in couples]))
    return max(crossings, key=lambda crossing: crossing[:2], default=(False, False, []))[2]


def two_judges(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether two columns are called like one judgement of two persons, and nothing says which came later."""
    shared, words = first.words & second.words, first.words | second.words
    if any({x, y} <= words for x, y in LATER):
        return False
    if shared & {*LABELLINGS} and first.text and len(first.tokens) == len(second.tokens) == 2:
        return True  # alice_label, bob_label
    return bool(shared & {*JUDGEMENTS}) and any({x, y} <= words for x, y in JUDGE_COUPLES)


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
    if len(groups) == len(numbered) == 2 and within_stems(joined := [*numbered[0], *numbered[1]]):
        groups = [joined]  # several answers of each of two systems
    scaled: list[list[ColumnProfile]] = []
    for column in (c for c in values if not any(c in g for g in groups)):
        home = next((g for g in scaled if same_scale(g[0], column)), None)
        if home is None:
            scaled.append([column])
        else:
            home.append(column)
    if joined := people_beside_models(values):
        groups, scaled = (
            [[c for c in g if c not in joined] for g in gs] for gs in (groups, scaled)
        )
        groups.append(joined)
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
    stems = {frozenset(word for word in c.words - {*named} if word.isalpha()) for c in people}
    if len(stems) != 1:
        return []
    models = [c for c in values if is_machine(c) and all(words <= c.words for words in stems)]
    sources = [c for c in values if c in people or c in models]
    alike = all(
        c.text is sources[0].text and same_scale(people[0], c)
        for c in sources
        if c is not people[0]
    )
    return sources if models and alike else []


def overlap(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether the ranges of two columns of numbers overlap."""
    (low, high), (least, most) = ends_of(first), ends_of(second)
    return min(high, most) > max(low, least)
