"""What each command does. Each function takes the parsed options and returns an exit code."""

from __future__ import annotations

import argparse
import sys

from socialstats.cli.deciding import NoDesign
from socialstats.cli.describe import data_section, shaped_section
from socialstats.cli.designs import read
from socialstats.cli.guessing import guessed
from socialstats.cli.inputs import settle
from socialstats.cli.plan import Plan, plan_of, write_plan
from socialstats.cli.proposals import proposed
from socialstats.cli.shapes import shaped
from socialstats.cli.voices import hint
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import CAUTIONS, InputError
from socialstats.studies.page import Design
from socialstats.tables import read_table
from socialstats.tables.writing import as_bytes
from socialstats.text import count, shorten

PLAN_COMMENTS = {
    "study": "Which question is asked, and whether the data had been seen.\nstatus: exploratory or confirmatory.",
    "data": "Which column plays which part; clusters say which rows depend on each other. Guessed: check every line.\n"
    'To leave rows out: exclude = [{rows = "column=value", reason = "why"}]',
    "inference": "Level, seed and resamples of every interval.",
}
HYPOTHESES = """# What is expected, written down before the data are seen: one of these for each hypothesis.
# metric and terms name the decisive test (terms: those of the metric's table; by default the leading one);
# the tests of one family are adjusted together by Holm's method;
# smallest_effect: the smallest effect of interest.
# [[hypothesis]]
# id = "H1"
# text = "..."
# metric = "{metric}"
# terms = ["..."]
# alternative = "two-sided"
# smallest_effect = 0.1
# family = "main\""""
OF_STUDY = {
    "leaderboard": "leaderboard",
    "norm-goal": "choice_shares",
    "ordinal-alignment": "ada_met",
    "relationship-bias": "relationship_bias",
    "staged-values": "trait_profile",
}
TRIED = 100  # resamples in a dry run
LEADING = {"binary": "mcnemar", "nominal": "symmetry", "numeric": "paired_difference"}


def check(options: argparse.Namespace) -> int:
    """Read a table and say what is in it; with a plan or a study, try the analysis too."""
    from socialstats.cli.analysis import prepare

    analysis = prepare(options, plan_of(options), verify=False, resamples=TRIED)
    print("\n".join([*analysis.design_lines(), *analysis.column_lines()]), flush=True)
    notes = analysis.cautions
    print("".join(f"note        {shorten(note, 400)}\n" for note in analysis.notes), end="")
    if options.plan is not None or options.study is not None:
        outcome, deviations = analysis.run()
        questions, notes = count(len(outcome.blocks), "question"), outcome.cautions
        print(
            f"report      study {analysis.name} runs: {questions}, {count(len(notes), 'caution')}"
        )
        print("".join(f"deviation   {shorten(text, 400)}\n" for text in deviations), end="")
    for note in notes:
        print(f"caution: {note.advice}", file=sys.stderr)
    sys.stderr.write(hint(notes))
    return 0


def init(options: argparse.Namespace) -> int:
    """Guess a plan for a table and print it."""
    from socialstats.studies import STUDIES, StudyOptions, pick

    said, _ = settle(options, Plan())
    table = read_table(options.data, options.input_format, said.get("encoding"))
    seen = ""
    try:
        read(table, said)
    except NoDesign as error:
        seen = proposed(error, [options.data])[1] + "\n"
    except InputError:
        pass  # what is wrong is said again where the guess is read
    settings = guessed(table, said)
    own = shaped(table, settings)
    design = read(table, settings)
    study = own or pick(STUDIES, None, design)
    chosen = StudyOptions()
    inference = {"level": chosen.level, "seed": chosen.seed, "resamples": chosen.resamples}
    data = data_section(design, settings) if own is None else shaped_section(settings)
    sections = {
        "study": {"name": study.name, "status": "exploratory"},
        "data": {"file": options.data, **data},
        "inference": inference | ({"ties": chosen.ties} if study.design == "comparisons" else {}),
    }
    print("".join(f"# {line}\n" for line in seen.splitlines()), end="")
    print(
        write_plan(sections, PLAN_COMMENTS)
        + "\n\n"
        + HYPOTHESES.format(metric=leading_metric(study.name, design))
    )
    return 0


def leading_metric(study: str, design: Design) -> str:
    """Name a metric that a hypothesis about such a table may use."""
    if study in OF_STUDY:
        return OF_STUDY[study]
    if isinstance(design, Groups):
        return "two_proportions" if design.scale == "binary" else "two_means"
    if isinstance(design, Paired):
        return LEADING[design.scale]
    if study == "one-source" and isinstance(design, Ratings):
        return "mean_ratings" if design.numeric and design.scale != "nominal" else "choice_shares"
    return "bradley_terry" if isinstance(design, Comparisons) else "krippendorff_alpha"


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
    entry = bundled.describe(options.name.replace("-", "_"))
    if options.csv:
        sys.stdout.write(as_bytes(entry.load(), "csv").decode())
    else:
        print(entry)
    return 0


def explain(options: argparse.Namespace) -> int:
    """Print cause, effect and remedy of cautions."""
    from socialstats.cautions import explained

    print("\n\n".join(explained(code) for code in options.codes or CAUTIONS))
    return 0


def cite(options: argparse.Namespace) -> int:
    """Print how to cite socialstats, or the literature of a method."""
    from socialstats import __version__
    from socialstats.references import bibtex, citation

    if options.metric is not None:
        from socialstats.audit.rules import CHECKS
        from socialstats.metrics import lookup

        name = options.metric.replace("-", "_")
        keys = (name in CHECKS and CHECKS[name].references) or tuple(lookup(name).references)
        print(bibtex(keys) if options.bibtex else "\n".join(citation(key) for key in keys))
        return 0
    title = "socialstats: Statistics for the social behaviour of language models"
    print(f"The socialstats developers (2026). {title}. Version {__version__}.\n")
    print("@software{socialstats,\n  author = {{The socialstats developers}},")
    print(f"  title = {{{title}}},\n  year = {{2026}},\n  version = {{{__version__}}}\n}}")
    return 0
