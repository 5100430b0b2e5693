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
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from socialstats.designs.column_pairs import OPPOSITES
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.people import HUMANS, MACHINES, people_level, words_of_label
from socialstats.designs.profile import TableProfile
from socialstats.designs.vocabulary import (
    CALLS,
    CONDITIONS,
    CONTROLS,
    CUES,
    GRADERS,
    IDENTITIES,
    KINDS,
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
    PROMPTED,
    PROVIDERS,
    RATERS,
    REPEATS,
    RESPONSES,
    SOURCES,
    STATES,
    SUMMARIES,
    TASKS,
    TREATMENTS,
    UNITS,
    VALUES,
    bare,
    without_accents,
)

# share of cells that hold the labels of a plan equally often
EQUAL = 0.7


def is_call(column: ColumnProfile) -> bool:
    """Whether a column says how an answer was asked for, its size, or what became of the reply.

    Numbers called context are so many tokens. Labels called so are kinds of context.
    """
    return column.called(STATES) or (column.numbers is not None and column.called(CALLS))


# what models are called
FAMILIES = re.compile(
    r"gpt|claude|llama|mistral|mixtral|gemini|gemma|qwen|bert|deepseek|falcon|vicuna|starcoder|palm|phi-|command-r|"
    r"opus|sonnet|davinci|(?<![a-z])t5(?![a-z])|bloom|pythia|olmo|grok|zephyr|haiku|nemo|\byi-|solar|tulu|luminous|pplx|openchat|dolly|"
    r"\bsft|\bdpo|rlhf|grpo|ckpt|checkpoint|instruct|ernie|hunyuan|glm|baichuan|kimi|minimax|\bo[134]\b|\bo[134]-|nova-|jamba|aya-",
    re.IGNORECASE,
)
# labels of a column that is not called so and names what is compared
MOST_SOURCES = 12
# labels from which a column of texts may name units whatever they look like
MANY_UNITS = 20
# labels of a cluster that is called so, and of one that is not
FEWEST_CLUSTERS = 5
FEWEST_UNNAMED = 8
# words of a name that is a question
QUESTION = 4
# labels of a column that tells groups apart
MOST_GROUPS = 6
# labels of a column called like units that rather are conditions, such as two prompts
FEW_NAMED = 4
# share of units x models that occur in a board, from which it is one
MET_BY = 0.5
# models of which each gets results of its own
MOST_APART = 50
# labels of a kind of units that one reports by
MOST_KINDS = 12
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


def is_setting(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a few numbers, not all whole, were met equally often by most units, as temperatures are; no repeats."""
    few = column.numbers is not None and 1 < column.size <= MOST_GROUPS
    return (
        few
        and not all(map(float.is_integer, column.numbers or ()))
        and is_designed(profile, column)
    )


def names_a_count(column: ColumnProfile) -> bool:
    """Whether a column is called like a number of things, such as n_messages."""
    return len(column.tokens) > 1 and column.tokens[0] in ("n", "num", "number", "count")


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


def is_kind_of_units(column: ColumnProfile) -> bool:
    """Whether a column is called like a kind of units, such as their domain, and has few labels: one reports by it."""
    name = column.name.casefold()
    return column.size <= MOST_KINDS and any(word in name for word in KINDS)


def met_share(profile: TableProfile, model: ColumnProfile, unit: ColumnProfile) -> float:
    """Return the share of pairs of a unit and a model that occur in the table."""
    return profile.combinations(model, unit) / (unit.size * model.size)


def people_among(column: ColumnProfile) -> str:
    """Return the label that names people beside others; empty where none or several do."""
    return people_level(column.levels)


def who_answered(
    profile: TableProfile, rater: ColumnProfile, free: Iterable[ColumnProfile]
) -> ColumnProfile | None:
    """Return the column that tells raters who are people from models; None where none does."""
    kinds = [c for c in free if people_among(c) and profile.constant(c, rater)]
    kinds = [c for c in kinds if says_who_answered(profile, c, rater)]
    return min(kinds, key=lambda c: not c.called(SOURCES), default=None)


def says_who_answered(
    profile: TableProfile, source: ColumnProfile, rater: ColumnProfile | None
) -> bool:
    """Whether a column says who answered, and not what two groups of people met, such as advice of people or of AI.

    Labels of raters who are no people may be names of models. Names of columns come second. Else many people stand
    beside few others: treated groups are of one size.
    """
    if rater is not None and are_models(profile, source, rater):
        return True
    if source.called(TREATMENTS):
        return False
    named = source.called(SOURCES, KINDS_OF) or any(map(FAMILIES.search, source.levels))
    if named or source.size > 2 or rater is None:
        return named or source.size > 2
    people, others = people_and_others(profile, source, rater)
    few = of_people_and_machines(source) and len(others) <= min(MOST_SOURCES, len(people) / 3)
    return few or not rater.called(PERSONS)


def are_models(profile: TableProfile, source: ColumnProfile, rater: ColumnProfile) -> bool:
    """Whether the labels of raters who are no people by the labels of a source are names of models."""
    _, others = people_and_others(profile, source, rater)
    return 2 * sum(FAMILIES.search(label) is not None for label in others) > len(others)


def people_and_others(
    profile: TableProfile, source: ColumnProfile, rater: ColumnProfile
) -> tuple[list[str], list[str]]:
    """Return the raters of people, and of each other label of a source, by their labels."""
    _, (kinds, who) = profile.combined(source, rater)
    is_person = kinds.codes == kinds.levels.index(people_among(source))
    filled = (kinds.codes >= 0) & (who.codes >= 0)
    people, others = (who.codes[filled & chosen].tolist() for chosen in (is_person, ~is_person))
    return [who.levels[code] for code in people], [who.levels[code] for code in others]


def answered_apart(
    profile: TableProfile, free: Columns, sides: Columns = ()
) -> list[ColumnProfile]:
    """Return the columns that one analyses apart, the likeliest first: models, or few prompts or personas.

    Parameters
    ----------
    profile : TableProfile
    free : sequence of ColumnProfile
        Those that play no part.
    sides : sequence of ColumnProfile, optional
        The two columns of items of a comparison: models chose between these where most pairs met them, and none is an
        item.
    """
    models = [c for c in model_columns(profile) if c in free and c.size <= MOST_APART]
    named = [c for c in free if c.called(PROMPTED) and not (c.unique or c.prose)]
    likely = [*models, *(c for c in named if c.size < FEWEST_CLUSTERS and not models)]
    return [c for c in likely if not sides or chose(profile, c, sides)]


def chose(profile: TableProfile, model: ColumnProfile, sides: Columns) -> bool:
    """Whether most pairs of items met most labels of a column, and no label is an item."""
    pairs = profile.combinations(*sides)
    apart = all(model.labels.isdisjoint(side.labels) for side in sides)
    return apart and profile.combinations(*sides, model) >= MET_BY * model.size * pairs


def of_people_and_machines(column: ColumnProfile) -> bool:
    """Whether labels name people and machines, as who wrote a text or gave an answer."""
    words = words_among(column)
    return not (words.isdisjoint(HUMANS) or words.isdisjoint(MACHINES))


def words_among(column: ColumnProfile) -> set[str]:
    """Return the words of a column's labels, in lower case."""
    return {word for label in column.levels for word in words_of_label(label)}
