"""The command check: what is in a table, or what is wrong with it; with a plan or a study, the analysis is tried."""

from __future__ import annotations

import argparse
import sys

from socialstats.cli import analysis
from socialstats.cli.helping import Parser
from socialstats.cli.options import EVERYDAY, OTHERS, add_analysis, add_data
from socialstats.cli.plan import plan_of
from socialstats.cli.voices import hint
from socialstats.designs.aliases import Fields
from socialstats.text import count, shorten

PARSER: Fields = {
    "usage": "socialstats check [DATA ...] [options]",
    "description": "Read a table and say what is in it, or what is wrong with it. With --plan or --study the analysis "
    "is tried as well,\nwith few resamples, and says what the report would refuse. Nothing is written.",
    "epilog": """examples, with the tables in examples/data:
  socialstats check choices.csv
  socialstats check answers.csv --map unit=item --map value=correct --cluster scenario""",
    "allow_abbrev": False,
    "add_help": False,  # the help depends on the study
}
TRIED = 100  # resamples in a dry run


def add_options(parser: Parser) -> None:
    """Add how the table is read and analysed."""
    add_data(parser, several=True)
    add_analysis(parser)
    parser.set_defaults(example=None)
    parser.shorten(("data", *EVERYDAY, "plan"), OTHERS.format(command="check"))


def run(options: argparse.Namespace) -> int:
    """Read a table and say what is in it; with a plan or a study, try the analysis too."""
    prepared = analysis.prepare(options, plan_of(options), verify=False, resamples=TRIED)
    print("\n".join([*prepared.design_lines(), *prepared.column_lines()]), flush=True)
    cautions = prepared.cautions
    for note in prepared.notes:
        print(f"note        {shorten(note, 400)}")
    if options.plan is not None or options.study is not None:
        from socialstats.studies.plan import HYPOTHESES

        outcome, deviations = prepared.run()
        cautions = outcome.cautions
        asked = [block for block in outcome.blocks if block.id != HYPOTHESES]
        questions = count(len(asked), "question")
        print(
            f"report      study {prepared.name} runs: {questions}, {count(len(cautions), 'caution')}"
        )
        for deviation in deviations:
            print(f"deviation   {shorten(deviation, 400)}")
    for caution in cautions:
        print(f"caution: {caution.advice}", file=sys.stderr)
    sys.stderr.write(hint(cautions))
    return 0
