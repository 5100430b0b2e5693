"""From options and plan to an outcome: what `report` writes, and what `check` tries."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from socialstats.cli.beside import read_beside, with_factors
from socialstats.cli.describe import columns_read, describe, first_line
from socialstats.cli.examples import dataset_of, with_reading
from socialstats.cli.helping import Parser
from socialstats.cli.idle import refuse_idle
from socialstats.cli.options import add_analysis, add_data
from socialstats.cli.plan import settle
from socialstats.cli.planned import contradictions, hypotheses_of, plan_facts, refuse_terms
from socialstats.cli.sources import Input, read_files, read_release
from socialstats.designs.aliases import Fields, Levels
from socialstats.designs.settings import COMPUTED, Settings
from socialstats.errors import Caution, InputError
from socialstats.metrics import METRICS
from socialstats.proposals.deciding import NoDesign, words
from socialstats.proposals.reading import read, second_reading, values_below
from socialstats.proposals.shapes import shaped
from socialstats.studies import STUDIES, Study, StudyOptions, pick, run_study
from socialstats.studies.page import FACTORS, Design, Outcome
from socialstats.studies.page import named as named_study
from socialstats.studies.plan_files import SIMULATED, Plan
from socialstats.tables import Table, as_table, rows_where
from socialstats.text import quoted, shorten

if TYPE_CHECKING:
    from socialstats.cli.own_study import OwnAnalysis
    from socialstats.harness_logs.log import StudyReading
    from socialstats.studies.plan import Hypothesis

ANSWER = ("model", "task", "unit", "epoch", "filter")  # what an answer of a log is told by


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What is to be computed.

    Attributes
    ----------
    table : Table
        As read, before rows were chosen.
    design : Comparisons, Paired or Ratings
    study : Study
    options : StudyOptions
    hypotheses : tuple of Hypothesis
    deviations : tuple of str
        Where options departed from the plan.
    facts : mapping of str to str
        What identifies the data, for the reproduce block.
    notes : tuple of str
        What was seen while files were put together.
    """

    table: Table
    design: Design
    study: Study
    options: StudyOptions
    hypotheses: tuple[Hypothesis, ...]
    deviations: Levels
    facts: dict[str, str]
    notes: Levels = ()

    @property
    def name(self) -> str:
        """The study's name."""
        return self.study.name

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Those of the design."""
        return self.design.cautions

    def design_lines(self) -> list[str]:
        """Return the design in lines of text."""
        return describe(self.design)

    def size_line(self) -> str:
        """Return how large the design is, the first of its lines."""
        return first_line(self.design)

    def column_lines(self) -> list[str]:
        """Return what each column that was used holds."""
        return columns_read(self.design, self.table)

    def run(self) -> tuple[Outcome, Levels]:
        """Return the outcome, and every departure from the plan."""
        found = run_study(self.study, self.design, self.options)
        if self.options.models is not None and not any(
            block.id.startswith(FACTORS) for block in found.blocks
        ):
            raise InputError(
                "--models has no effect: this page compares no models by their factors. Leave it out"
            )
        if not self.hypotheses:
            return found, self.deviations
        # only a plan has hypotheses
        from socialstats.studies.plan import with_hypotheses

        outcome, departed = with_hypotheses(
            found, self.hypotheses, self.design, self.options, METRICS
        )
        return outcome, (*self.deviations, *departed)


def prepare(options: argparse.Namespace, plan: Plan, **fixed: Any) -> Analysis | OwnAnalysis:
    """Read the data and settle what is to be computed.

    Parameters
    ----------
    options : argparse.Namespace
    plan : Plan
    **fixed
        Fields of `StudyOptions` that neither options nor plan decide.

    Raises
    ------
    InputError
        For whatever cannot be read, done, or has no effect.
    """
    settings, deviations = settle(options, plan)
    planned = plan.values.get("file")
    if options.data is None and options.example is None:
        options.data = planned
    elif planned is not None and planned != (options.data or options.example):
        deviations += (
            f"file: the plan says {planned!r}, the command line {options.data or options.example!r}",
        )
    if options.example is not None:
        settings = with_reading(options.example, settings)
    source = read_input(options, settings)
    if plan.own is None and settings.get("people") is not None:
        # answers of people in a table of their own are read like a survey
        from socialstats.cli.with_people import join_people_file

        source, settings = join_people_file(source, settings)
    if plan.values.get("simulated") and not source.simulated:
        source = replace(source, simulated=SIMULATED)
    if plan.own is not None:
        # a study of a user's own has code that no other page runs
        from socialstats.cli.own_study import own_analysis

        return own_analysis(options, plan, source, settings, deviations, fixed)
    try:
        table, settings, design, notes = read_rows(source, settings)
    except NoDesign:
        release = read_release(options.data) if options.data and not source.logs else None
        if release is None:
            raise
        source = replace(release, simulated=source.simulated)
        table, settings, design, notes = read_rows(source, settings)
    by_shape = shaped(table, settings)
    applies = by_shape is not None and by_shape.knows is not None and by_shape.applies(design)
    study = (
        by_shape
        if by_shape is not None and applies
        else pick(STUDIES, settings.get("study"), design)
    )
    refuse_idle(study, settings)
    refuse_terms(settings, plan, options, getattr(design, "covariate_names", ()))
    named = settings.get("study")
    if named not in (None, study.name):
        notes += (
            f"study {named} cannot be run ({STUDIES[named].reason(design)}); this page is study {study.name}",
        )
    beside, beside_facts = read_beside(options, settings, study)
    again = {"reread": second_reading(table, settings, design)}
    chosen = {
        setting.key: settings[setting.key]
        for setting in COMPUTED
        if setting.key in settings and setting.key != "study"
    }
    chosen |= {
        key: tuple(words(chosen[key])) for key in ("adjust", "value_levels") if chosen.get(key)
    }
    chosen |= beside | again | fixed
    return Analysis(
        table=table,
        design=design,
        study=study,
        options=StudyOptions(**chosen, simulated=source.simulated),
        hypotheses=hypotheses_of(plan, METRICS),
        deviations=(*contradictions(plan), *deviations),
        facts={**source.facts, **beside_facts, **plan_facts(plan)},
        notes=notes,
    )


def read_rows(data: Input, settings: Fields) -> tuple[Table, Fields, Design, Levels]:
    """Return the rows to analyse, the settings that read them, the design, and notes on both."""
    notes = data.notes
    study, reading = settings.get("study"), data.reading
    if data.logs and not settings.get("design"):
        chosen: Levels = ()
        if reading is not None and study in (None, reading.study):
            settings, chosen = with_log_reading(reading, settings)
        elif reading is None and study is None:
            settings, chosen = of_logs(data.table, settings)
        notes += chosen
    table, settings = values_below(with_factors(data.table, settings), settings)
    return table, settings, read(table, settings, design_of(settings.get("study"))), notes


def with_log_reading(reading: StudyReading, settings: Settings) -> tuple[Fields, Levels]:
    """Return the settings with those by which a study reads the rows of logs; what was typed counts more."""
    parser = Parser(allow_abbrev=False, add_help=False)
    add_data(parser, several=True)
    add_analysis(parser)
    declared, _ = settle(parser.parse_args(reading.options), Plan())
    rows = {
        key: [*declared.get(key, ()), *settings.get(key, ())]
        for key in ("where", "exclude")
        if key in declared or key in settings
    }
    return {**declared, **settings, **rows}, (f"read by {shlex.join(reading.options)}",)


def of_logs(table: Table, settings: Settings) -> tuple[Fields, Levels]:
    """Return the settings with what logs are, and what was chosen: scores of models, or games of two.

    Questions of games are clusters. Of several scores of each answer the first is analysed.
    """
    if not {"item_a", "item_b", "winner"} <= {*table.columns} or table.levels("scorer") != (
        "winner",
    ):
        first = first_scorer(table, settings)
        settings = {**settings, "study": "leaderboard"}
        if not first:
            return settings, ()
        where = [*words(settings.get("where")), f"scorer={first}"]
        names = quoted([level for level in table.levels("scorer") if level != first], 4)
        note = f"each answer has several scores: '{shorten(first)}' is analysed, and --where scorer=NAME takes {names}"
        return {**settings, "where": where}, (note,)
    read_as = {**settings, "study": "comparisons"}
    if table.levels("status") != ("ok",):
        read_as["where"] = [*words(settings.get("where")), "status=ok"]
    if not settings.get("cluster") and len(table.levels("unit")) < table.height:
        read_as["cluster"] = ["unit"]
    return read_as, ()


def first_scorer(table: Table, settings: Settings) -> str:
    """Return the first of several scorers of each answer; empty where a setting names them, or one lacks an answer."""
    entries = [
        *words(settings.get("where")),
        *words(settings.get("exclude")),
        *words(settings.get("map")),
    ]
    if any("scorer" in entry for entry in entries) or len(table.levels("scorer")) < 2:
        return ""
    answers = table.counts([*ANSWER])
    first = table.texts("scorer")[0] or ""
    scored = rows_where(table, "scorer", first)[0].counts([*ANSWER])
    return first if len(scored.n) == len(answers.n) < table.height else ""


def read_input(options: argparse.Namespace, settings: Fields) -> Input:
    """Return the table of the files, or of a bundled data set."""
    if (options.example is None) == (options.data is None):
        both = ", not both" if options.data is not None else ""
        raise InputError(f"name a file (or - for stdin), or --example NAME{both}")
    if options.example is None:
        return read_files((options.data, *options.more), options.input_format, settings)
    from socialstats import datasets

    entry = datasets.describe(dataset_of(options.example))
    simulated = f"These data are simulated: {entry.title}." if entry.simulated else ""
    table = as_table(entry.load(), entry.name)
    return Input(table=table, facts={"data": f"bundled data set {entry.name}"}, simulated=simulated)


def design_of(study: str | None) -> str | None:
    """Return the design of a study.

    Raises
    ------
    InputError
        For an unknown name.
    """
    if study is None:
        return None
    return named_study(STUDIES, study).design
