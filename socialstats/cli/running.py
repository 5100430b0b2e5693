"""Run a command whose words are parsed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from socialstats.cli.options import words_of


def run_safely(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command whose words are parsed: nothing in its files and words is run as code.

    Every way from a command line to an analysis leads through here, also that of the R package.
    """
    # formulas are heavy, and the list of commands needs none
    from socialstats.designs.terms import names_only

    with names_only(), writing_safely(options):
        return run(options)


def writing_safely(options: argparse.Namespace) -> AbstractContextManager[None]:
    """Keep a command that writes files from writing over what it reads, and over files of other kinds."""
    if "overwrite" not in options:
        return nullcontext()
    from socialstats.tables.writing import writing

    keep_formulas = getattr(options, "keep_formulas", False)
    return writing(
        words_of(vars(options)), overwrite=options.overwrite, keep_formulas=keep_formulas
    )
