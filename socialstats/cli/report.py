"""The report command: read, run the study, render, write."""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from socialstats.cli.beside import read_beside
from socialstats.cli.commands import load_plan
from socialstats.cli.controls import zero_of
from socialstats.cli.describe import describe
from socialstats.cli.designs import Design, read
from socialstats.cli.examples import dataset_of, with_reading
from socialstats.cli.idle import refuse_idle
from socialstats.cli.inputs import design_of, read_design, settle
from socialstats.cli.plan import Plan
from socialstats.cli.planned import contradictions, hypotheses_of, plan_facts
from socialstats.cli.wording import as_typed, typed_caution
from socialstats.errors import InputError
from socialstats.metrics import METRICS
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.outcome import Outcome
from socialstats.studies.planned import with_hypotheses
from socialstats.tables import as_table

OPTION_KEYS = (
    "level", "seed", "resamples", "ties", "penalty", "prior", "covariate", "group", "reference", "adjust",
    "smallest_effect",
    "effect_scale",
)  # fmt: skip
SEVERITIES = {"never": (), "caution": ("caution", "stop"), "stop": ("stop",)}


def run_report(options: argparse.Namespace) -> int:
    """Write the page (and JSON) that the options ask for."""
    plan = load_plan(options.plan)
    settings, deviations = settle(options, plan)
    planned = plan.values.get("file")
    if options.data is None and options.example is None:
        options.data = planned
    elif planned is not None and planned != (options.data or options.example):
        deviations += (f"file: the plan says {planned!r}, the command line {options.data or options.example!r}",)
    if options.example is not None:
        settings = with_reading(options.example, settings)
    design, simulated, facts = read_input(options, settings)
    chosen = {key: settings[key] for key in OPTION_KEYS if key in settings}
    if "adjust" in chosen:
        chosen["adjust"] = tuple([chosen["adjust"]] if isinstance(chosen["adjust"], str) else chosen["adjust"])
    study = pick(STUDIES, settings.get("study"), design)
    refuse_idle(study, settings)
    progress(options, f"{describe(design)[0]}; study {study.name}")
    zero, control_facts = zero_of(options, study)
    beside, beside_facts = read_beside(options, settings, study)
    analysis = StudyOptions(**chosen, **beside, zero=zero, verify=not options.no_verify, simulated=simulated)
    hypotheses = hypotheses_of(plan, METRICS)
    outcome, departed = with_hypotheses(run_study(study, design, analysis), hypotheses, design, analysis, METRICS)
    deviations = (*contradictions(plan), *deviations, *(as_typed(text) for text in departed))
    write(options, outcome, plan, deviations, facts | control_facts | beside_facts | plan_facts(plan))
    tell(options, outcome)
    reached = any(c.severity in SEVERITIES[options.fail_on] for c in outcome.cautions)
    return 1 if reached else 0


def read_input(options: argparse.Namespace, settings: dict[str, Any]) -> tuple[Design, str, dict[str, str]]:
    """Return the design, what says that it is simulated, and facts about the data for the reproduce block."""
    if (options.example is None) == (options.data is None):
        raise InputError("name a file (or - for stdin), or --example NAME, not both")
    if options.example is not None:
        return read_example(options.example, settings)
    design = read_design(options.data, settings, options.input_format, settings.get("study"))
    facts = {"data": design.source}
    if options.data != "-":
        facts["sha256"] = hashlib.sha256(Path(options.data).read_bytes()).hexdigest()
    return design, "", facts


def read_example(name: str, settings: dict[str, Any]) -> tuple[Design, str, dict[str, str]]:
    """Return the design of a bundled data set."""
    from socialstats import datasets

    entry = datasets.describe(dataset_of(name))
    design = read(as_table(entry.load(), entry.name), settings, design_of(settings.get("study")))
    simulated = f"These data are simulated: {entry.title}." if entry.simulated else ""
    return design, simulated, {"data": f"bundled data set {entry.name}"}


def write(
    options: argparse.Namespace, outcome: Outcome, plan: Plan, deviations: tuple[str, ...], facts: dict[str, str]
) -> None:
    """Render and write the page and the JSON."""
    import socialstats_reports

    outcome = replace(outcome, cautions=tuple(typed_caution(c) for c in outcome.cautions))
    if plan.values.get("title"):
        outcome = replace(outcome, title=plan.values["title"])
    page = socialstats_reports.render(
        outcome,
        command=command_line(),
        facts=facts,
        plan_text=plan.text,
        plan_sha256=plan.sha256,
        deviations=deviations,
        status=plan.values.get("status", "exploratory"),
        date=options.date or source_date(),
    )
    target = options.output or ("-" if options.json == "-" and options.output is None else "report.html")
    if options.json == "-" and options.output is None:
        target = ""
    refuse_to_overwrite(options, [target, options.json or ""])
    if target == "-" and sys.stdout.isatty():
        raise InputError("not printing HTML to a terminal; name a file with -o")
    for name, text in ((target, page), (options.json, socialstats_reports.as_json(outcome))):
        if name == "-":
            sys.stdout.write(text)
        elif name:
            Path(name).write_text(text, encoding="utf-8")
            progress(options, f"wrote {Path(name).resolve()}", always=True)


def refuse_to_overwrite(options: argparse.Namespace, targets: list[str]) -> None:
    """Refuse outputs that are the data or the plan, and two outputs in one place."""
    named = [t for t in targets if t]
    if len(set(named)) < len(named):
        raise InputError(f"-o and --json both name '{named[0]}': give each its own place")
    sources = [Path(name).resolve() for name in (options.data, options.plan) if name and name != "-"]
    for target in named:
        if target != "-" and Path(target).resolve() in sources:
            raise InputError(f"{target} is an input of this report: name another file with -o or --json")


def command_line() -> str:
    """Return the command as typed, without the path of the program."""
    return shlex.join(["socialstats", *sys.argv[1:]])


def source_date() -> str:
    """Return the date of SOURCE_DATE_EPOCH, if set, as YYYY-MM-DD."""
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%d") if epoch.isdigit() else ""


def progress(options: argparse.Namespace, message: str, *, always: bool = False) -> None:
    """Print progress to stderr: on a terminal only, unless `always`."""
    if not options.quiet and (always or sys.stderr.isatty()):
        print(message, file=sys.stderr)


def tell(options: argparse.Namespace, outcome: Outcome) -> None:
    """Print the answer and the cautions to stderr."""
    if options.quiet:
        return
    for sentence in outcome.answer:
        print(sentence, file=sys.stderr)
    for caution in outcome.cautions:
        if caution.severity != "info":
            print(as_typed(f"caution: {caution}"), file=sys.stderr)
