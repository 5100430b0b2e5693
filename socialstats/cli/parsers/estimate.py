"""What the command estimate takes."""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path
from typing import Any

import socialstats
from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields
from socialstats.metrics import METRICS

PARSER: Fields = {"add_help": False}
USAGE = """usage: socialstats estimate METRIC TABLE [options]

metrics (METRIC --help lists the options of one):"""
DERIVED = ("choice_entropy_difference", "sensitivity_difference")  # results of two tables
NAMES = tuple(sorted([*METRICS, *DERIVED]))


class ListMetrics(argparse.Action):
    """``--help`` before the name of a metric: a line for each."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the list and leave."""
        sys.stdout.write(listed_metrics())
        parser.exit()


def add_options(parser: Parser) -> None:
    """Take the words from the metric on as they are: each metric has a parser of its own."""
    parser.add_argument("-h", "--help", action=ListMetrics, nargs=0)
    parser.add_argument("words", nargs=argparse.REMAINDER)


def listed_metrics() -> str:
    """Return a line for each metric, by the groups of the public names."""
    lines = [USAGE]
    for group, (about, homes) in socialstats._GROUPS.items():
        metrics = [
            f"  {name:<26} {first_line_of(module, name)}"
            for module, names in homes.items()
            for name in names.split()
            if name in NAMES
        ]
        lines += [f"{group}: {about}", *metrics] if metrics else []
    return "\n".join(lines) + "\n"


def first_line_of(module: str, name: str) -> str:
    """Return the first line of a function's docstring, as its file has it: nothing is loaded.

    Examples
    --------
    >>> first_line_of("paired.mcnemar", "mcnemar")[:14]
    'Compare the pr'
    """
    home = Path(socialstats.__file__).parent.joinpath(*module.split("."))
    for file in sorted(home.rglob("*.py")) or [home.with_suffix(".py")]:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""
