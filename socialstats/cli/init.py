"""The command init: a plan guessed from a table, as TOML."""

from __future__ import annotations

import argparse

from socialstats.cli.describe import data_section, shaped_section
from socialstats.cli.plan import settle
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.proposals.deciding import NoDesign
from socialstats.proposals.guessing import guessed
from socialstats.proposals.proposing import proposed
from socialstats.proposals.reading import read
from socialstats.proposals.shapes import shaped
from socialstats.studies import STUDIES, StudyOptions, pick
from socialstats.studies.page import Design
from socialstats.studies.plan_files import Plan, write_plan
from socialstats.tables import read_table

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
LEADING = {"binary": "mcnemar", "nominal": "symmetry", "numeric": "paired_difference"}


def run(options: argparse.Namespace) -> int:
    """Guess a plan for a table and print it."""
    typed, _ = settle(options, Plan())
    table = read_table(options.data, options.input_format, typed.get("encoding"))
    readings = ""
    try:
        read(table, typed)
    except NoDesign as error:
        readings = proposed(error, [options.data])[1] + "\n"
    except InputError:
        pass  # what is wrong is told again where the guess is read
    settings = guessed(table, typed)
    shape = shaped(table, settings)
    design = read(table, settings)
    study = shape or pick(STUDIES, None, design)
    chosen = StudyOptions()
    inference = {"level": chosen.level, "seed": chosen.seed, "resamples": chosen.resamples}
    data = data_section(design, settings) if shape is None else shaped_section(settings)
    sections = {
        "study": {"name": study.name, "status": "exploratory"},
        "data": {"file": options.data, **data},
        "inference": inference | ({"ties": chosen.ties} if study.design == "comparisons" else {}),
    }
    print("".join(f"# {line}\n" for line in readings.splitlines()), end="")
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
