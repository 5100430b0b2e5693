"""People beside models in a declared study: their answers below those of models, as a source of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from socialstats.designs.options import texts
from socialstats.designs.people import HUMANS
from socialstats.designs.respondents import StackedAnswers, join_people
from socialstats.errors import InputError, Problem
from socialstats.studies.declared.declaration import Declaration, Scale, Texts, nearest_of
from socialstats.studies.declared.scoring import MOST_LINES, item_numbers
from socialstats.tables import Table, as_table
from socialstats.tables.joining import pandas_of
from socialstats.text import shorten

HUMAN, MODEL = HUMANS[0], "model"
RESPONDENT = "respondent"  # the column that tells answers apart where none is declared


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyWithPeople:
    """The rows of models and people, the study with the parts of added columns, and what was joined."""

    table: Table
    declaration: Declaration
    notes: tuple[str, ...]


def add_people(table: Table, people: Table, declaration: Declaration) -> StudyWithPeople:
    """Return the rows of models with those of people below.

    Questions of people are labels of the column of units, or of items, or the items of scales. Each answer of a person
    has the source ``human``, and the column of kinds tells it from those of models.

    Parameters
    ----------
    table : Table
        Of models, as the study declares it.
    people : Table
        One row for each person with a column for each question, or one row for each answer.
    declaration : Declaration

    Raises
    ------
    InputError
        For questions that people were not asked, persons that occur twice, and answers that the study does not allow.
    """
    key = question_column(declaration)
    value = next(iter(declaration.of("value")), "")
    respondents = respondent_columns(declaration, key)
    frame = pandas_of(table)
    parts = dict(declaration.parts)
    if respondents == (RESPONDENT,):
        # a model answered once
        frame[RESPONDENT] = "1"
        parts["repeat"] = (RESPONDENT,)
    source = next(iter(declaration.of("source")), respondents[0])
    kind = next(iter(declaration.of("kind")), "")
    named = [name for name in respondents if name in people.columns]
    person, rounds = persons_and_rounds(people, declaration, key)
    stacked = join_people(
        as_table(frame, table.source),
        people,
        source=source,
        item=key,
        value=value if key else "",
        questions=() if key else declaration.items,
        kind=kind,
        person=person,
        rounds=rounds,
        na=no_answers(declaration),
    )
    check_answers(people, stacked, declaration)
    rows = pandas_of(stacked.table)
    added = rows.index >= table.height
    names = rows.loc[added, source].astype(str)
    copies = int(added.sum()) // max(people.height, 1)
    for column in named:
        # a row of people has as many copies as it has columns of questions
        rows.loc[added, column] = people.texts(column) * copies
    for column in respondents:
        if column in named:
            continue
        # a person and a repeat of a model may have the same number
        of_models = {*rows.loc[~added, column].astype(str)} if column != source else set()
        clash = not of_models.isdisjoint(names)
        rows.loc[added, column] = [f"person {name}" for name in names] if clash else names
    if declaration.of("source"):
        rows.loc[added, source] = HUMAN
    if not kind:
        rows[stacked.kind] = [HUMAN if of_person else MODEL for of_person in added]
        parts["kind"] = (stacked.kind,)
    return StudyWithPeople(
        table=as_table(rows, stacked.table.source),
        declaration=replace(declaration, parts=parts),
        notes=tuple(stacked.notes()),
    )


def question_column(declaration: Declaration) -> str:
    """Return the column whose labels are the questions of people; none where items of scales are columns.

    Raises
    ------
    InputError
        Where no column is declared.
    """
    if declaration.scales and not declaration.of("item"):
        return ""
    part = "item" if declaration.of("item") else "unit"
    if not declaration.of(part):
        fix = 'Write unit = "COLUMN" in [data.map]: its labels are columns of people'
        raise InputError(declaration.wrong("data", "people: no column of questions", fix))
    return declaration.of(part)[0]


def respondent_columns(declaration: Declaration, key: str) -> Texts:
    """Return the columns that tell persons apart: those of raters, repeats and units, or one to add."""
    declared = [name for part in ("rater", "repeat", "unit") for name in declaration.of(part)]
    return tuple(name for name in declared if name != key) or (RESPONDENT,)


def persons_and_rounds(people: Table, declaration: Declaration, key: str) -> tuple[str, Texts]:
    """Return the column of the study that names people, if they have one, and what tells rows of a person apart.

    Raters name people before repeats do. Units that the table of people has are not people.
    """
    persons = [name for part in ("rater", "repeat") for name in declaration.of(part)]
    there = [name for name in persons if name in people.columns and name != key]
    person = there[0] if there else ""
    units = [name for name in declaration.of("unit") if name in people.columns and name != key]
    if not (person or (units and persons)):
        return "", ()
    answers = {*declaration.items, *declaration.of("value"), *declaration.of("item"), key, person}
    labelled = {*declaration.of("source"), *declaration.of("kind")}
    names = [name for name in declaration.columns(people) if name not in answers | labelled]
    return person, tuple(names)


def no_answers(declaration: Declaration) -> Texts:
    """Return the labels that are no answer: missing values and refusals."""
    return (*texts(declaration.reading.get("na")), *texts(declaration.reading.get("refusal")))


def check_answers(people: Table, stacked: StackedAnswers, declaration: Declaration) -> None:
    """Refuse questions that people were not asked, and answers that the study does not allow.

    Raises
    ------
    InputError
        With file, lines, column and value of each.
    """
    used = declaration.items or stacked.only_models
    problems = [
        Problem(
            source=people.source,
            message=f"no column '{shorten(question)}': the study asks this question",
            fix=f"{nearest_of(question, people.columns)}. Add it, or leave the question out with exclude",
        )
        for question in stacked.only_models
        if question in used
    ]
    levels = declaration.levels
    any_level = Scale(name="", title="", items=(), options=levels, fewest=1) if levels else None
    for question in stacked.questions if not problems else ():
        scale = declaration.scale_of(question) or any_level
        if question in people.columns and scale is not None:
            item_numbers(people, question, [scale] * people.height, declaration, problems)
    if problems:
        raise InputError(problems[:MOST_LINES])
