"""A study of a user's own, as commands and Python take it: its file, the rows of its table, its page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from socialstats.cli.beside import read_side, side_facts
from socialstats.cli.plan import settle
from socialstats.cli.planned import contradictions, own_hypotheses, plan_facts
from socialstats.cli.sources import Input
from socialstats.designs.aliases import Fields, Given, Levels
from socialstats.designs.settings import SETTINGS
from socialstats.errors import Caution, InputError
from socialstats.metrics import METRICS
from socialstats.proposals.reading import selected
from socialstats.results import Result, ResultGroup
from socialstats.studies.declared.asking import BETWEEN, Answered
from socialstats.studies.declared.declaration import Declaration, check_columns, nearest_of
from socialstats.studies.declared.page import (
    answer_questions,
    describe_study,
    study_outcome,
)
from socialstats.studies.declared.people import add_people
from socialstats.studies.declared.scoring import score_table
from socialstats.studies.page import Outcome, StudyOptions
from socialstats.studies.plan import Hypothesis
from socialstats.studies.plan_files import SIMULATED, Plan, read_plan
from socialstats.tables import Table
from socialstats.tables.joining import as_read, pandas_of
from socialstats.text import listing, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

COMPUTED = ("level", "seed", "resamples")
# what may be said beside the file; everything else stands in it
BESIDE = ("where", "exclude", "exclude_raters", "encoding", "people", *COMPUTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnalysis:
    """What a declared study is to compute, as `socialstats.cli.analysis.Analysis` is of other studies.

    Attributes
    ----------
    declaration : Declaration
    table : Table
        The rows that remain.
    options : StudyOptions
    hypotheses : tuple of Hypothesis
    deviations : tuple of str
    facts : dict of str to str
    notes : tuple of str
    steps : tuple of FlowStep
        Rows that were left out.
    """

    declaration: Declaration
    table: Table
    options: StudyOptions
    hypotheses: tuple[Hypothesis, ...] = ()
    deviations: Levels = ()
    facts: dict[str, str]
    notes: Levels = ()
    steps: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The study's name."""
        return self.declaration.name

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """None before questions are answered."""
        return ()

    def design_lines(self) -> list[str]:
        """Return the study in lines of text."""
        return [
            describe_study(score_table(self.table, self.declaration), self.declaration),
            *study_lines(self.declaration),
        ]

    def size_line(self) -> str:
        """Return how large the table is, the first of its lines."""
        return self.design_lines()[0]

    def column_lines(self) -> list[str]:
        """Return nothing: the lines of the study name its columns."""
        return []

    def run(self) -> tuple[Outcome, Levels]:
        """Return the outcome, and every departure from the plan."""
        outcome, departed = study_outcome(
            self.table, self.declaration, self.options, METRICS, self.hypotheses
        )
        first, *steps = outcome.flow
        all_rows = replace(first, rows=first.rows + sum(step.rows for step in self.steps))
        return replace(outcome, flow=(all_rows, *self.steps, *steps)), (*self.deviations, *departed)


def own_analysis(
    options: argparse.Namespace,
    plan: Plan,
    data: Input,
    settings: Fields,
    deviations: Levels,
    fixed: Given,
) -> OwnAnalysis:
    """Return what a declared study is to compute on a table.

    Raises
    ------
    InputError
        For options that the file decides.
    """
    assert plan.own is not None
    typed = [
        key for key in SETTINGS if getattr(options, key, None) is not None and key not in BESIDE
    ]
    if typed:
        named = listing([SETTINGS[key].option for key in typed])
        raise InputError(f"{named}: the file of the study, {plan.name}, says this. Write it there")
    table, steps = selected(data.table, settings)
    declaration, notes, facts = plan.own, data.notes, dict(data.facts)
    if settings.get("people"):
        check_columns(declaration, table)
        people = read_side("people", settings["people"])
        joined = add_people(table, people, declaration)
        table, declaration = joined.table, joined.declaration
        notes = (*notes, *joined.notes)
        facts |= side_facts("people", people)
    chosen = {key: settings[key] for key in COMPUTED if key in settings}
    computed = StudyOptions(**{**chosen, **fixed}, simulated=data.simulated)
    return OwnAnalysis(
        declaration=declaration,
        table=table,
        options=computed,
        hypotheses=own_hypotheses(plan),
        deviations=(*contradictions(plan), *deviations),
        facts={**facts, **plan_facts(plan)},
        notes=notes,
        steps=tuple(steps),
    )


def study_lines(declaration: Declaration) -> list[str]:
    """Return a study in lines of text: parts, scales, contrasts, questions, tables."""
    lines = [f"{part:<12}{quoted(names, 8)}" for part, names in declaration.parts.items() if names]
    for scale in declaration.scales.values():
        items = [f"{'-' if item in scale.turned else ''}{item}" for item in scale.items]
        lines.append(f"scale       {shorten(scale.name, 30)}: {listing(items, 12)}")
    for contrast in declaration.contrasts.values():
        expected = f", expected {contrast.expect} than 0" if contrast.expect else ""
        pair = " minus ".join(map(shorten, contrast.pair))
        lines.append(f"contrast    {shorten(contrast.name, 30)}: {pair}{expected}")
    for question in declaration.questions.values():
        words = f"; {shorten(question.ask, 200)}" if question.ask else ""
        lines.append(f"question    {shorten(question.id, 30)}: {question.metric}{words}")
    for grid in declaration.grids:
        sides = " x ".join(filter(None, (", ".join(grid.rows), grid.columns)))
        lines.append(f"table       {shorten(grid.name, 30)}: {sides}; {shorten(grid.title, 100)}")
    return lines


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OwnStudy:
    """A study that a file declares, as `read_study` returns it.

    Attributes
    ----------
    plan : Plan
        The file as read.
    declaration : Declaration
    """

    plan: Plan
    declaration: Declaration

    def __repr__(self) -> str:
        return "\n".join([f"<{self.declaration.title}>", *study_lines(self.declaration)])

    def analysis(self, data: Any, **options: Any) -> OwnAnalysis:
        """Return what is to be computed on a table; `options` are fields of `StudyOptions`."""
        none = argparse.Namespace()
        settings, _ = settle(none, self.plan)
        simulated = SIMULATED if self.plan.values.get("simulated") else ""
        read = Input(table=as_read(data), facts={}, simulated=simulated)
        return own_analysis(none, self.plan, read, settings, (), options)

    def scores(self, data: Any) -> pd.DataFrame:
        """Return a row for each answer and scale: ``scale``, ``score``, and the columns that the study names."""
        analysis = self.analysis(data)
        return pandas_of(score_table(analysis.table, analysis.declaration).scores)

    def answers(
        self, data: Any, questions: Sequence[str] | None = None, **options: Any
    ) -> dict[str, Result | ResultGroup]:
        """Return the result of each question, or the results of its cells, by its id.

        Parameters
        ----------
        data : data frame, mapping of columns, or path
        questions : sequence of str, optional
            Ids of some questions; by default all are answered.
        **options
            ``level``, ``seed``, ``resamples``.

        Raises
        ------
        InputError
            For a question that the file does not have.
        """
        of_file = self.declaration.questions
        chosen = [*of_file] if questions is None else questions
        for name in chosen:
            if name not in of_file:
                raise InputError(
                    f"{self.declaration.source} has no question '{shorten(name)}'. {nearest_of(name, of_file)}"
                )
        analysis = self.analysis(data, **options)
        _, answered = answer_questions(
            analysis.table, analysis.declaration, analysis.options, METRICS, chosen
        )
        return {name: as_group(answer) for name, answer in answered.items()}

    def outcome(self, data: Any, **options: Any) -> Outcome:
        """Return the page of a table, for `socialstats_reports.render`; parameters as for `answers`."""
        return self.analysis(data, **options).run()[0]


def as_group(answered: Answered) -> Result | ResultGroup:
    """Return the result of a question with one cell, or the results of its cells by their labels."""
    results = {BETWEEN.join(cell): result for cell, result in answered.results.items()}
    if not answered.dimensions:
        return next(iter(results.values()))
    return ResultGroup(by=BETWEEN.join(answered.dimensions), results=results)


def read_study(path: str) -> OwnStudy:
    """Read a study of your own: a file of roles, scales, contrasts and questions, which ``socialstats new`` begins.

    Parameters
    ----------
    path : str
        A TOML file, as docs/own-study.md describes it. It is data: nothing in it is run.

    Returns
    -------
    OwnStudy
        With `scores`, `answers` and `outcome` of a table.

    Raises
    ------
    InputError
        With a problem for each key that is wrong, and its line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "study.toml"
    >>> text = '''
    ... [data]
    ... map = {unit = "text"}
    ... [scale.warm]
    ... items = ["kind", "cold"]
    ... reversed = ["cold"]
    ... range = [1, 5]
    ... [[question]]
    ... id = "warmth"
    ... metric = "mean_ratings"
    ... '''
    >>> _ = file.write_text(text, encoding="utf-8")
    >>> study = read_study(str(file))
    >>> table = {"text": ["a", "b", "c"], "kind": [5, 4, 3], "cold": [2, 2, 3]}
    >>> study.scores(table)["score"].tolist()
    [4.5, 4.0, 3.0]
    >>> print(study.answers(table)["warmth"]["warm"].sentence())
    The mean rating was 3.83, approximate 95% CI [1.94, 5.73].
    """
    plan = read_plan(str(path))
    if plan.own is None:
        raise InputError(
            f"{path}: this plan has no [[question]], so that it is no study of its own"
        )
    return OwnStudy(plan=plan, declaration=plan.own)
