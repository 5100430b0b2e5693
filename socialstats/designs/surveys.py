"""Surveys: people answer questions, and what they answer is of interest, not whether they agree.

A judging task has the same shape: raters give units values. There the units are a sample, raters are fixed or few, and
agreement is of interest. `is_survey` says by structure which of the two a table is:

- A survey has many people and few questions; a judging task has more units than raters. So people outnumber questions.
- Each person answers each question once. Workers who share a judging task rate a part of it each, and models answer
  several times. So most cells are filled, and there are no repeats.
- With fewer than twenty people both readings are usual: five judges of three essays, five respondents. Then the name of
  their column decides (participant, respondent). Judges and annotators never answer a survey.

The user's word comes first: ``--study survey`` or ``--study agreement``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.designs.aliases import Texts, TextSet
from socialstats.designs.answer_columns import answer_column
from socialstats.designs.column_profile import MOST_GRADES
from socialstats.designs.levels import opposites
from socialstats.designs.nouns import name_words
from socialstats.designs.parts import OK, taken
from socialstats.designs.people import is_people
from socialstats.designs.ratings import Ratings
from socialstats.designs.respondents import PEOPLE, person_column
from socialstats.designs.stacking import free_name
from socialstats.designs.vocabulary import (
    CLUSTERS,
    COVARIATES,
    GRADERS,
    PERSONS,
    bare,
    spelled,
)
from socialstats.errors import InputError, Problem
from socialstats.tables import Table, as_number, as_table
from socialstats.tables.joining import pandas_of
from socialstats.text import quoted

# people from whom structure alone tells a survey
MANY_PEOPLE = 20
# share of the cells of people and questions that have an answer
ANSWERED = 0.5
# what a column of questions is called
QUESTIONS = spelled(
    "question item statement questionid itemid qid frage aussage pregunta question_id item_id"
)
# columns of a wide table that are no questions although their values could be answers
NO_QUESTIONS = (
    *COVARIATES,
    *CLUSTERS.words,
    *spelled("gender weight gewicht count n year jahr wave"),
)
SOURCE, PERSON = "source", "person"


def is_survey(design: Ratings) -> bool:
    """Whether the raters of a design are people who answer a survey; the module says by which rule.

    Examples
    --------
    >>> people = {"person": [1, 1, 2, 2, 3, 3], "item": ["a", "b"] * 3, "value": [1, 2, 2, 3, 3, 5]}
    >>> is_survey(Ratings.from_frame(people, unit="item", rater="person"))
    True
    >>> is_survey(Ratings.from_frame(people | {"judge": people["person"]}, unit="item", rater="judge"))
    False
    """
    if not design.raters_known or design.repeats is not None or design.shared is not None:
        return False
    # what depends on each other, or has weights, are then units; people are no sample
    if design.clusters or design.weighted or np.any(design.unit_count != 1):
        return False
    people, questions = len(design.raters), len(design.units)
    periods = 1 if design.by is None else len(design.by.levels)
    filled = np.sum(design.status == OK) / (people * questions * periods)
    if people <= questions or filled < ANSWERED:
        return False
    words = {bare(word) for word in name_words(design.columns.get("rater", ""))}
    if words & ({*GRADERS} - {"rater"}):
        return False
    return people >= MANY_PEOPLE or bool(words & {*PERSONS})


def is_respondents_design(design: Ratings) -> bool:
    """Whether a design was read as a survey: its units are people and its raters are questions."""
    return PERSON in design.columns


def with_people_as_units(design: Ratings) -> Ratings:
    """Return the design of a survey with people as units and questions as raters.

    People are then the sample, and the mean of a rater is that of a question.
    """
    of_ratings: dict[str, Any] = {}
    order = (design.unit, design.rater)
    rows = np.lexsort(order if design.by is None else (*order, design.by.codes))
    if design.by is not None:
        of_ratings["by"] = taken(design.by, rows)
    columns = dict(design.columns)
    columns["unit"] = design.columns.get("rater", "person")
    columns["rater"] = design.columns.get("unit", "question")
    # many raters of few units are what a survey is
    cautions = tuple(note for note in design.cautions if note.code != "SS309")
    return replace(
        design,
        **design.answers_at(rows),
        **of_ratings,
        units=design.raters,
        raters=design.units,
        unit=design.rater[rows],
        rater=design.unit[rows],
        unit_count=np.ones(len(design.raters)),
        clusters=(),
        strata=dict(design.rater_groups),
        rater_groups=dict(design.strata),
        columns=columns,
        cautions=cautions,
    )


def read_survey(
    table: Table,
    *,
    person: str = "",
    question: str = "",
    value: str = "",
    kind: str = "",
    repeat: Texts = (),
    weight: str | None = None,
    units: Texts = (),
    cluster: Texts = (),
    **options: Any,
) -> Ratings:
    """Read a survey: people are units, questions are raters.

    A table has a row for each person with a column for each question, or a row for each answer.

    Parameters
    ----------
    table : Table
    person, question, value : str
        Columns; by default those that are called so.
    kind : str
        Column that tells people from models, as `join_people` makes it.
    repeat : sequence of str
        Columns that tell repeated answers of a model apart; by default they are numbered.
    weight : str, optional
        Sampling weight of each person.
    units : sequence of str
        Columns of the questions; by default those that hold answers of note_on_names kind.
    cluster : sequence of str
        Columns whose people are not independent, such as schools.
    **options
        As of `Ratings.from_frame`: ``levels``, ``scale``, ``na``, ``refusal``, ``missing``, ``by``.

    Raises
    ------
    InputError
        For a column that is not there, and a table without questions.
    """
    table.need(*filter(None, (person, question, value, kind, weight)), *units, *cluster)
    used = {name for name in (person, kind, weight, *cluster, *repeat) if name}
    if not units:
        question = question or free_column(table, QUESTIONS, used)
        value = value or (answer_column(table, {*used, question}) if question else "")
    named = {"weight": weight, "cluster": cluster, **options}
    if question and value:
        person = person or person_column(table, "", (value, *used), (question,))
        if not person:
            fix = "Name it with --map person=COLUMN"
            raise InputError(
                Problem(source=table.source, message="no column names people", fix=fix)
            )
        strata: list[str] = []
        if kind:
            table, person, source = with_rounds(table, person, question, kind, repeat)
            table = filled_for_models(table, person, kind, weight, cluster)
            strata = [source]
        design = Ratings.from_frame(
            table, unit=person, rater=question, value=value, strata=strata, **named
        )
        return replace(design, columns={**design.columns, PERSON: person})
    person = person or person_column(table, "", units, ())
    questions = list(units) or question_columns(table, {*used, person})
    if not questions:
        fix = "Name the columns of the questions with --units A,B,C"
        raise InputError(Problem(source=table.source, message="no column holds answers", fix=fix))
    design = Ratings.from_wide(
        table, raters_in="columns", unit=person or None, raters=questions, **named
    )
    unused = [name for name in table.columns if name not in {*questions, *used, person}]
    if not units and unused:
        # the first step of the page's flow says which columns were taken
        note = f"questions: {quoted(questions, 8)}; no questions: {quoted(unused, 8)}"
        first = replace(design.flow[0], note=note)
        design = replace(design, flow=(first, *design.flow[1:]))
    # numbers of questions in a name are no sign that raters were mistaken
    cautions = tuple(note for note in design.cautions if note.code != "SS326")
    return replace(design, cautions=cautions, columns={**design.columns, PERSON: person or "row"})


def free_column(table: Table, names: Texts, used: TextSet) -> str:
    """Return the first column that has one of the names and plays no other part; empty where there is none."""
    by_name = {bare(name): name for name in reversed(table.columns) if name not in used}
    return next((by_name[bare(name)] for name in names if bare(name) in by_name), "")


def question_columns(table: Table, used: TextSet) -> list[str]:
    """Return columns that hold answers: few numbers, or labels that another column has too.

    Examples
    --------
    >>> table = as_table({"id": ["a", "b"], "q1": [1, 5], "q2": [2, 2], "age": [31, 40], "city": ["Bonn", "Ulm"]})
    >>> question_columns(table, {"id"})
    ['q1', 'q2']
    """
    levels = {
        name: {*table.levels(name)}
        for name in table.columns
        if name not in used and bare(name) not in NO_QUESTIONS
    }
    columns = []
    for name, labels in levels.items():
        numbers = [as_number(label) for label in labels]
        # identifiers and ages have more values than scales have
        few = 0 < len(labels) <= MOST_GRADES
        shared = any(
            labels & their_labels for column, their_labels in levels.items() if column != name
        )
        if few and (None not in numbers or shared or opposites(labels)):
            columns.append(name)
    return columns


def with_rounds(
    table: Table, source: str, question: str, kind: str, repeat: Texts
) -> tuple[Table, str, str]:
    """Add a column of respondents, which are people and rounds of models, and one of their sources.

    Each round of a model, in which it answers every question, is a respondent: its answers vary as those of a sample.

    Returns
    -------
    table : Table
    respondent, source : str
        Names of the columns. People are one source.
    """
    sources, kinds = table.texts(source), table.texts(kind)
    questions = table.texts(question)
    rounds = list(zip(*map(table.texts, repeat), strict=True)) if repeat else [()] * table.height
    respondents, origins = [], []
    times: dict[tuple[str | None, ...], int] = {}
    for row, (name, label) in enumerate(zip(sources, kinds, strict=True)):
        if is_people(label or ""):
            respondents.append(name or "")
            origins.append(PEOPLE)
            continue
        key = (name, questions[row])
        times[key] = times.get(key, 0) + 1
        nth = " ".join(part or "" for part in rounds[row]) or str(times[key])
        respondents.append(f"{name} #{nth}")
        origins.append(name or "")
    frame = pandas_of(table)
    respondent = free_name(frame.columns, "respondent")
    origin = free_name(frame.columns, SOURCE)
    frame[respondent], frame[origin] = respondents, origins
    return as_table(frame, table.source), respondent, origin


def filled_for_models(
    table: Table, respondent: str, kind: str, weight: str | None, cluster: Texts
) -> Table:
    """Return the table with a weight of 1, and a cluster of its own, for each round of a model that has none."""
    frame = pandas_of(table)
    models = np.array([not is_people(label or "") for label in table.texts(kind)])
    for name in cluster:
        empty = frame[name].isna().to_numpy() & models
        frame.loc[empty, name] = frame.loc[empty, respondent]
    if weight:
        frame.loc[frame[weight].isna().to_numpy() & models, weight] = 1.0
    return as_table(frame, table.source)
