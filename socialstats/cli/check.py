"""The command check: what is in a table, or what is wrong with it; with a plan or a study, the analysis is tried."""

from __future__ import annotations

import argparse
import sys

from socialstats.cli import analysis
from socialstats.cli.plan import plan_of
from socialstats.cli.voices import hint
from socialstats.results.verification import verified_text
from socialstats.studies.plan import HYPOTHESES
from socialstats.studies.recomputed import recomputed
from socialstats.text import count, shorten

TRIED = 100  # resamples in a dry run


def run(options: argparse.Namespace) -> int:
    """Read a table and say what is in it; with a plan or a study, try the analysis too."""
    prepared = analysis.prepare(options, plan_of(options), resamples=TRIED)
    print("\n".join([*prepared.design_lines(), *prepared.column_lines()]), flush=True)
    cautions = prepared.cautions
    for note in prepared.notes:
        print(f"note        {shorten(note, 400)}")
    if options.plan is not None or options.study is not None:
        outcome, deviations = prepared.run()
        cautions = outcome.checked_cautions()
        answered = [block for block in outcome.blocks if block.id != HYPOTHESES]
        questions = count(len(answered), "question")
        print(
            f"report      study {prepared.name} runs: {questions}, {count(len(cautions), 'caution')}"
        )
        print(f"recomputed  {verified_text(recomputed(outcome), ())}")
        for deviation in deviations:
            print(f"deviation   {shorten(deviation, 400)}")
    for caution in cautions:
        print(f"caution: {caution.advice}", file=sys.stderr)
    sys.stderr.write(hint(cautions))
    return 0
