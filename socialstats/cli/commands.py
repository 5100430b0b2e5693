"""What each command does. Each function takes the parsed options and returns an exit code."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from socialstats.cli.inputs import read_design, settle
from socialstats.cli.plan import Plan, read_plan, write_plan
from socialstats.errors import InputError
from socialstats.text import count, listing, percent, shorten

PLAN_COMMENTS = {
    "study": "Which question is asked, and whether the data had been seen.\nstatus: exploratory or confirmatory.",
    "data": "Which column plays which part; clusters say which rows depend on each other.",
    "inference": "Level, seed and resamples of every interval; the tie model.",
}


def report(options: argparse.Namespace) -> int:
    """Write the HTML report."""
    from socialstats.cli.report import run_report

    return run_report(options)


def check(options: argparse.Namespace) -> int:
    """Read a table and say what is in it."""
    settings, _ = settle(options, Plan())
    design = read_design(options.data, settings, options.input_format)
    print("\n".join(describe_design(design)))
    for note in design.cautions:
        print(f"caution: {note}", file=sys.stderr)
    return 0


def describe_design(design: Any) -> list[str]:
    """Return what a design holds, a line a fact."""
    import numpy as np

    from socialstats.models.bradley_terry.data import pair_data
    from socialstats.models.bradley_terry.existence import win_graph
    from socialstats.studies import STUDIES

    parts = ", ".join(f"{part} = {shorten(column)}" for part, column in design.columns.items())
    lines = [
        f"{shorten(design.source)}: {count(design.n_rows, 'comparison')} of {count(len(design.items), 'item')}",
        f"columns     {parts}",
        f"pairs       {count(len(design.pair.levels))} met",
        f"ties        {count(design.n_ties)} ({percent(design.n_ties / design.n_rows)})",
        f"order       {'known' if design.order_known else 'unknown: item_a counts as first'}",
        f"covariates  {', '.join(design.covariates) or 'none'}",
        f"clusters    {', '.join(f'{c.name} ({len(c.levels):,})' for c in design.clusters) or 'none declared'}",
    ]
    if design.by is not None:
        lines.append(f"by          {design.by.name} ({listing(list(design.by.levels))})")
    lines += [
        f"flow        {step.label}: {count(step.rows)}" + (f" ({step.note})" if step.note else "")
        for step in design.flow
    ]
    graph = win_graph(pair_data(design, np.zeros((len(design.item_a), 0)), ()))
    if graph.connected:
        lines.append("strengths   finite: every item can be compared with every other")
    else:
        lone = [f"{shorten(design.items[i])} never lost" for i in graph.unbeaten[:5]]
        lone += [f"{shorten(design.items[i])} never won" for i in graph.winless[:5]]
        lines.append(f"strengths   not finite: {'; '.join(lone) or count(len(graph.groups), 'separate group')}")
    lines.append(f"studies     {', '.join(s.name for s in STUDIES.values() if s.applies(design))}")
    return lines


def init(options: argparse.Namespace) -> int:
    """Guess a plan for a table and print it."""
    from socialstats.studies import STUDIES, StudyOptions, pick

    settings, _ = settle(options, Plan())
    design = read_design(options.data, settings, options.input_format)
    study = pick(STUDIES, None, design)
    chosen = StudyOptions()
    sections = {
        "study": {"name": study.name, "title": study.title, "status": "exploratory"},
        "data": {
            "file": options.data, "map": mapped_parts(design), "cluster": [c.name for c in design.clusters],
            "by": settings.get("by"), "where": settings.get("where"), "tie": settings.get("tie"),
            "na": settings.get("na"), "missing": settings.get("missing", "error"),
            "winner_coding": settings.get("winner_coding"),
        },
        "inference": {
            "level": chosen.level, "seed": chosen.seed, "resamples": chosen.resamples, "ties": chosen.ties,
        },
    }  # fmt: skip
    print(write_plan(sections, PLAN_COMMENTS))
    return 0


def mapped_parts(design: Any) -> dict[str, str]:
    """Return the parts of the mapping that `--map` understands."""
    skip = {"by"} | {c.name for c in design.clusters}
    return {
        part: column for part, column in design.columns.items() if part not in skip and not part.startswith("cluster")
    }


def studies(options: argparse.Namespace) -> int:
    """List the studies."""
    from socialstats.studies import STUDIES

    for study in STUDIES.values():
        print(f"{study.name}  {study.title}\n    design {study.design}; needs {study.needs}")
    return 0


def datasets(options: argparse.Namespace) -> int:
    """List the bundled data, describe one, or print it."""
    from socialstats import datasets as bundled

    if options.name is None:
        for entry in bundled.datasets():
            kind = "simulated" if entry.simulated else "real"
            print(f"{entry.name}  {entry.title} ({count(entry.n_rows, 'row')}, {kind})")
        return 0
    name = options.name.replace("-", "_")
    entry = bundled.describe(name)
    if options.csv:
        entry.load().to_csv(sys.stdout, index=False, lineterminator="\n")
    else:
        print(entry)
    return 0


def cite(options: argparse.Namespace) -> int:
    """Print how to cite socialstats, or the literature of a method."""
    from socialstats import __version__
    from socialstats.references import citation
    from socialstats.registry import lookup

    if options.metric is not None:
        for key in lookup(options.metric.replace("-", "_")).references:
            print(citation(key))
        return 0
    title = "socialstats: Statistics for the social behaviour of language models"
    print(f"The socialstats developers (2026). {title}. Version {__version__}.\n")
    print("@software{socialstats,\n  author = {{The socialstats developers}},")
    print(f"  title = {{{title}}},\n  year = {{2026}},\n  version = {{{__version__}}}\n}}")
    return 0


def load_plan(path: str | None) -> Plan:
    """Read the plan, or return an empty one."""
    plan = read_plan(path) if path else Plan()
    status = plan.values.get("status", "exploratory")
    if status not in ("exploratory", "confirmatory"):
        raise InputError(f"{plan.name}: status = {status!r} is not 'exploratory' or 'confirmatory'")
    return plan
