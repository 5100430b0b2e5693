"""Answers of people in a table of their own, joined by question to those of models (``--people people.csv``)."""

from __future__ import annotations

from dataclasses import replace

from socialstats.cli.beside import read_side
from socialstats.cli.sources import Input
from socialstats.designs.aliases import Fields
from socialstats.designs.answer_columns import answer_column
from socialstats.designs.profile import TableProfile
from socialstats.designs.respondents import join_people, person_column
from socialstats.designs.roles import model_columns
from socialstats.designs.schema import Finder
from socialstats.designs.settings import Settings
from socialstats.designs.stacking import free_name
from socialstats.designs.surveys import QUESTIONS, free_column
from socialstats.designs.vocabulary import MODELS, RATERS
from socialstats.errors import InputError, Problem
from socialstats.proposals.deciding import mapped_columns, parts_of, words
from socialstats.tables import Table, as_table
from socialstats.tables.joining import pandas_of
from socialstats.text import quoted

SURVEY = "survey"
# parts of the study survey, and those of ratings in general
PARTS = {"question": "unit", "person": "rater", "value": "value", "kind": "rater_source"}


def join_people_file(models: Input, settings: Settings) -> tuple[Input, Fields]:
    """Return the answers of models with those of people below, and the settings that say which column is what.

    Without ``--people`` both are returned as they are.

    Raises
    ------
    InputError
        For columns that cannot be told, and whatever `join_people` finds.
    """
    path = settings.get("people")
    if path is None:
        return models, {**settings}
    people = read_side("people", path)
    named = mapped_columns(settings)
    parts = {part: named.get(part) or named.get(other, "") for part, other in PARTS.items()}
    table = models.table
    source = parts["person"] or column_of_models(table)
    if not source:
        fix = "Name it with --map person=COLUMN"
        raise InputError(Problem(source=table.source, message="no column names models", fix=fix))
    parts["question"] = parts["question"] or free_column(table, QUESTIONS, {source})
    if parts["question"] and not parts["value"]:
        parts["value"] = answer_column(table, {source, parts["question"]})
    shared = [name for name in people.columns if name in table.columns and name != source]
    if parts["question"] or parts["value"] or not shared or len(table.levels(source)) == 0:
        by_part = {"unit": parts["question"], "rater": source, "value": parts["value"]}
        entries = [f"{part}={column}" for part, column in by_part.items() if column]
        read = parts_of("ratings", table, {"map": entries})
        item, value = read["unit"], read["value"]
    else:
        table, item, value = one_row_an_answer(table, shared)
    no_answers = [*words(settings.get("na")), *words(settings.get("refusal"))]
    person, rounds = "", []
    if {item, value} <= {*people.columns}:
        # what models were asked under tells answers of a person apart, too
        person = person_column(people, source, (value,), (item,))
        played = {source, item, value, parts["kind"], person}
        rounds = [name for name in people.columns if name in table.columns and name not in played]
    joined = join_people(
        table,
        people,
        source=source,
        item=item,
        value=value,
        kind=parts["kind"],
        person=person,
        rounds=rounds,
        na=no_answers,
    )
    digest = people.sha256() if people.sha256 is not None else ""
    facts = {**models.facts, "people": people.source, "sha256 of the people": digest}
    joined_input = replace(
        models, table=joined.table, facts=facts, notes=(*models.notes, *joined.notes())
    )
    columns = {"question": item, "person": source, "value": value, "kind": joined.kind}
    return joined_input, with_parts(settings, columns)


def column_of_models(table: Table) -> str:
    """Return the column that names models, by a usual name, in another language or by its labels; else nothing."""
    named = Finder(table).free((*MODELS.names, *RATERS.names))
    return named or next((c.name for c in model_columns(TableProfile(table))), "")


def with_parts(settings: Settings, columns: dict[str, str]) -> Fields:
    """Return the settings with the columns of the joined table, for the study survey unless another one is named."""
    study = settings.get("study") or SURVEY
    played = {*PARTS, *PARTS.values()}
    entries = [e for e in words(settings.get("map")) if e.partition("=")[0] not in played]
    for part, column in columns.items():
        entries.append(f"{part if study == SURVEY else PARTS[part]}={column}")
    return {**settings, "study": study, "map": entries}


def one_row_an_answer(models: Table, questions: list[str]) -> tuple[Table, str, str]:
    """Return models with a column for each question as a row for each answer, and the new columns."""
    frame = pandas_of(models)
    item = free_name(frame.columns, "question")
    value = free_name(frame.columns, "answer")
    of_person = [name for name in frame.columns if name not in questions]
    if not questions:
        raise InputError(f"{models.source} has no question of people ({quoted(models.columns, 8)})")
    long = frame.melt(of_person, questions, var_name=item, value_name=value)
    return as_table(long, models.source), item, value
