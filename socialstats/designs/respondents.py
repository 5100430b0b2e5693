"""Answers of people and of models to the same questions, as one table with a row for each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.stacking import free_name
from socialstats.designs.vocabulary import (
    NAMES_OF_PEOPLE,
    PERSONS,
    RATERS,
    bare,
    without_accents,
)
from socialstats.errors import InputError, Problem
from socialstats.tables import Table, as_number, as_table, missing_labels
from socialstats.tables.joining import as_read, keys_text, pandas_of, problem
from socialstats.tables.spelling import spelling_key, told_apart
from socialstats.text import count, listing, meant, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

PEOPLE, MODELS = "people", "models"
# columns of a table of people that number them
NUMBERED = ("id", "pid", "nr", "no", "code")
# questions or labels that a message lists
MOST_LISTED = 8
# share of a table's answers that makes them numbers; the others are refusals
MOSTLY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedAnswers:
    """Answers of people and of models.

    Attributes
    ----------
    table : Table
        A row for each answer, those of the models first. Columns that people lack are empty for them, and the reverse.
    source : str
        The column that says who answered: a model, or one of the people.
    kind : str
        The column that tells people from models.
    questions : tuple of str
        Those that both answered.
    only_models, only_people : tuple of str
        Questions of one side alone. Of people they are known where their table has a row for each answer.
    """

    table: Table
    source: str
    kind: str
    questions: Levels
    only_models: Levels = ()
    only_people: Levels = ()

    def notes(self) -> list[str]:
        """Return what was joined, and what only one side has, a line each."""
        notes = [f"{count(len(self.questions), 'question')} of people and of models"]
        for side, names in ((MODELS, self.only_models), (PEOPLE, self.only_people)):
            if names:
                notes.append(f"{count(len(names), 'question')} of {side} alone: {quoted(names, 8)}")
        return notes


def join_people(
    models: Any,
    people: Any,
    *,
    source: str,
    item: str = "",
    value: str = "",
    questions: Texts = (),
    kind: str = "",
    person: str = "",
    rounds: Texts = (),
    na: Collection[str] = (),
) -> StackedAnswers:
    """Join answers of people to those of models by question: the rows of people stand below.

    Models have a row for each answer (`item` and `value`), or a row for each round of all `questions`. People have a
    row each with a column for each question, or a row for each answer.

    Parameters
    ----------
    models, people : Table, file name, data frame or mapping of columns
    source : str
        Column of the models; people are named in it too.
    item, value : str
        Columns of the question and of the answer, where models have a row for each answer.
    questions : sequence of str
        Columns of the questions, where models have a column for each.
    kind : str
        Column that says ``people`` or ``models``. A column of that name which a table has keeps its labels. By default
        a new one.
    person : str
        Column that names people. By default the one that is called so, or whose labels repeat over rows of different
        questions. Where there is none, people with a row each are numbered.
    rounds : sequence of str
        Further columns of people that tell several rows of one person apart, such as a condition.
    na : collection of str
        Labels that are no answer: refusals, and further missing values.

    Raises
    ------
    InputError
        For columns that are not there, and tables without a common question. For people with two rows, and people who
        are called like a model. For answers that are texts where models gave numbers, or are spelled otherwise.

    Examples
    --------
    >>> models = {"model": ["gpt", "gpt"], "question": ["q1", "q2"], "answer": [4, 2]}
    >>> people = {"id": ["p1", "p2"], "age": [30, 41], "q1": [5, 3], "q2": [1, 2]}
    >>> joined = join_people(models, people, source="model", item="question", value="answer")
    >>> joined.questions, joined.kind, joined.table.texts("model")
    (('q1', 'q2'), 'kind', ['gpt', 'gpt', 'p1', 'p2', 'p1', 'p2'])
    >>> joined.table.texts("kind"), joined.table.texts("age")[2:]
    (['models', 'models', 'people', 'people', 'people', 'people'], ['30', '41', '30', '41'])
    """
    first, second = as_read(models), as_read(people)
    first.need(source, *filter(None, (item, value)), *questions)
    long = bool(item) and {item, value} <= {*second.columns}
    of_models = first.levels(item) if item else tuple(questions)
    if long:
        of_people = second.levels(item)
        columns: Levels = (value,)
    else:
        of_people = tuple(name for name in second.columns if name in of_models)
        columns = of_people
    shared = tuple(name for name in of_models if name in of_people)
    refuse_other_spellings(first, second, of_models, of_people if long else second.columns)
    if not shared:
        raise no_common_question(first, second, of_models, of_people if long else second.columns)
    missing = missing_labels([*na])
    refuse_unlike_answers(first, (value,) if item else shared, second, columns, missing)
    apart = (*((item,) if long else ()), *rounds)
    names = person_labels(second, first, source, person, columns, apart)
    kind = kind or free_name({*first.columns, *second.columns}, "kind")
    frame, below = pandas_of(first), pandas_of(second)
    below = below.drop(columns=[name for name in {person, source} if name in below.columns])
    below[source] = names
    if item and not long:
        below = melted(below, shared, item, value, second)
    for side, rows in ((MODELS, frame), (PEOPLE, below)):
        if kind not in rows.columns:
            rows[kind] = side
    import pandas as pd

    # as objects, numbers of one table and texts of the other keep their spelling
    stacked = pd.concat([frame.astype(object), below.astype(object)], ignore_index=True)
    table = as_table(stacked, f"{first.source} and {second.source}")
    # columns of people that no model answered may say what they are like: their age, their weight
    only_models = tuple(name for name in of_models if name not in of_people)
    only_people = tuple(name for name in of_people if name not in of_models)
    return StackedAnswers(
        table=table,
        source=source,
        kind=kind,
        questions=shared,
        only_models=only_models,
        only_people=only_people if long else (),
    )


def melted(people: pd.DataFrame, questions: Texts, item: str, value: str, table: Table) -> Any:
    """Return a row for each answer of people who have a row each."""
    import pandas as pd

    clash = [name for name in (item, value) if name in people.columns]
    if clash:
        message = f"a column is called '{shorten(clash[0])}', as that of the models' answers"
        raise InputError(Problem(source=table.source, message=message, fix="Rename it"))
    columns = [name for name in people.columns if name not in questions]
    parts = [
        people[columns].assign(**{item: question}, **{value: people[question]})
        for question in questions
    ]
    return pd.concat(parts, ignore_index=True)


def person_labels(
    people: Table, models: Table, source: str, person: str, columns: Texts, apart: Texts
) -> list[str]:
    """Return the name of the person of each row.

    Parameters
    ----------
    people, models : Table
    source, person : str
        Column of the models; column of people, or nothing.
    columns : sequence of str
        Columns of answers.
    apart : sequence of str
        Columns that tell the rows of one person apart; none where a person has one row.

    Raises
    ------
    InputError
        For an empty name, two answers of one person to one question, and a person who is called like a model.
    """
    if person:
        people.need(person)
    column = person or person_column(people, source, columns, apart)
    if not column:
        if apart:
            fix = "Add a column with the person of each answer, and call it 'person', 'respondent' or 'id'"
            raise InputError(
                Problem(source=people.source, message="no column names people", fix=fix)
            )
        return [f"person {row + 1}" for row in range(people.height)]
    labels = people.texts(column)
    empty = [row for row, label in enumerate(labels) if label is None]
    if empty:
        fix = "Name each person, or leave the rows out."
        raise InputError(problem(people, empty, "no name of the person", [column], fix))
    names = [label or "" for label in labels]
    refuse_repeated(people, column, apart)
    models_too = {*models.levels(source)} & {*names}
    if models_too:
        rows = [row for row, name in enumerate(names) if name in models_too]
        message = f"'{shorten(names[rows[0]])}' is called like a model of {models.source}"
        raise InputError(problem(people, rows, message, [column], "Rename one of them."))
    return names


def refuse_repeated(people: Table, column: str, apart: Texts) -> None:
    """Refuse two answers of one person to one question.

    Raises
    ------
    InputError
        With the lines of the first person and question that occur twice.
    """
    keys = [*zip(*map(people.texts, (column, *apart)), strict=True)]
    lines: dict[tuple[str | None, ...], list[int]] = {}
    for row, key in enumerate(keys):
        lines.setdefault(key, []).append(row)
    again = next((key for key, rows in lines.items() if len(rows) > 1), None)
    if again is None:
        return
    named = keys_text([tuple(part or "" for part in again)])
    if apart:
        message = f"{named} ({listing([column, *apart])}) has several rows"
        fix = "Keep one of them, or name another person."
    else:
        message = f"{named} has several rows, and each person has one"
        fix = "Keep one row a person."
    raise InputError(problem(people, lines[again], message, [column], fix))


def person_column(people: Table, source: str, columns: Texts, apart: Texts) -> str:
    """Return the column that is called like people or the source, or that names people by structure; else nothing."""
    words = {*map(bare, (*PERSONS, *RATERS.names, *NUMBERED, *NAMES_OF_PEOPLE, source))}
    words |= {f"{word}id" for word in words} | {f"{word}nr" for word in words}
    free = [name for name in people.columns if name not in columns and name not in apart]
    named = [name for name in free if {bare(name), bare(without_accents(name))} & words]
    # the column that the models are named in comes first, then what tells all rows apart
    distinct = {name: len(people.levels(name)) for name in named}
    named.sort(key=lambda name: (name != source, not apart and distinct[name] < people.height))
    if named or not apart:
        return named[0] if named else ""
    return next((name for name in free if repeats_over(people, name, apart)), "")


def repeats_over(people: Table, column: str, apart: Texts) -> bool:
    """Whether the labels of a column repeat over rows of different questions, and never over those of the same one."""
    labels = people.texts(column)
    asked = [*zip(*map(people.texts, apart), strict=True)]
    if None in labels or len({*asked}) == len(asked):
        return False
    if len({*zip(labels, asked, strict=True)}) < len(asked):
        return False
    rows = Counter(labels)
    several = sum(number > 1 for number in rows.values())
    return 2 * several > len(rows)


def refuse_other_spellings(
    models: Table, people: Table, of_models: Sequence[str], there: Sequence[str]
) -> None:
    """Refuse questions that people's table spells otherwise: other case, spaces, Unicode form."""
    spelled = {spelling_key(name): name for name in there}
    for name in of_models:
        like = spelled.get(spelling_key(name))
        if name not in there and like is not None and like not in of_models:
            message = f"{told_apart(like, name)} is {told_apart(name, like)} in {models.source}"
            fix = "Spell the question in one way"
            raise InputError(Problem(source=people.source, message=message, fix=fix))


def no_common_question(
    models: Table, people: Table, questions: Sequence[str], there: Sequence[str]
) -> InputError:
    """Return the error of two tables without a common question."""
    listed = quoted([*questions], MOST_LISTED)
    message = f"no question of {models.source} is here: {listed}"
    fix = (
        f"{meant(questions[0] if questions else '', there)}Here are {quoted([*there], MOST_LISTED)}"
    )
    return InputError(Problem(source=people.source, message=message, fix=fix))


def refuse_unlike_answers(
    models: Table,
    of_models: Sequence[str],
    people: Table,
    of_people: Sequence[str],
    missing: Collection[str],
) -> None:
    """Refuse answers of people that are no numbers, or spelled otherwise, where those of the models are.

    Raises
    ------
    InputError
        With column, value and lines.
    """
    texts = [text for name in of_models for text in models.texts(name)]
    answers = [text for text in texts if text is not None and text not in missing]
    # refusals of models are texts among numbers
    numbers = sum(as_number(text) is not None for text in answers)
    numeric = numbers > MOSTLY * len(answers)
    labels = {*answers}
    spelled = {spelling_key(text): text for text in labels}
    problems = []
    for name in of_people:
        wrong: dict[str, list[int]] = {}
        for row, text in enumerate(people.texts(name)):
            if text is None or text in missing or text in labels:
                continue
            if numeric and as_number(text) is not None:
                continue
            if numeric or spelling_key(text) in spelled:
                wrong.setdefault(text, []).append(row)
        for text, rows in wrong.items():
            if not numeric:
                like = spelled[spelling_key(text)]
                message = f"{told_apart(text, like)} is {told_apart(like, text)} in {models.source}"
                fix = "Spell the answer in one way."
            else:
                message = f"'{shorten(text)}' is not a number, but answers in {models.source} are"
                fix = "Code it as a number, or declare it as a missing value or a refusal."
            problems.append(problem(people, rows, message, [name], fix))
    if problems:
        raise InputError(problems)
