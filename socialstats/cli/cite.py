"""The command cite: how to cite socialstats, or the literature of a method."""

from __future__ import annotations

import argparse

from socialstats import __version__
from socialstats.audit.checks.catalogue import CHECKS
from socialstats.metrics import lookup
from socialstats.references import bibtex, citation

TITLE = "socialstats: Statistics for the social behaviour of language models"


def run(options: argparse.Namespace) -> int:
    """Print how to cite socialstats, or the literature of a method."""
    if options.metric is not None:
        keys = works_cited(options.metric.replace("-", "_"))
        print(bibtex(keys) if options.bibtex else "\n".join(citation(key) for key in keys))
        return 0
    print(f"The socialstats developers (2026). {TITLE}. Version {__version__}.\n")
    print("@software{socialstats,\n  author = {{The socialstats developers}},")
    print(f"  title = {{{TITLE}}},\n  year = {{2026}},\n  version = {{{__version__}}}\n}}")
    return 0


def works_cited(name: str) -> tuple[str, ...]:
    """Return the keys of the works that a check of printed numbers, or a metric, cites."""
    if name in CHECKS and CHECKS[name].references:
        return tuple(CHECKS[name].references)
    return tuple(lookup(name).references)
