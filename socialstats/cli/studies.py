"""The command studies: the list of the studies."""

from __future__ import annotations

import argparse

from socialstats.studies import STUDIES


def run(options: argparse.Namespace) -> int:
    """List the studies."""
    for study in STUDIES.values():
        print(f"{study.name}  {study.title}\n    design {study.design}; needs {study.needs}")
    return 0
