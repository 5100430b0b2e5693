"""Replies in free text as labels: each parser returns a `Parsed` for any string, and never guesses."""

from __future__ import annotations

from socialstats.designs.vocabulary import ACTIONS
from socialstats_collect.parse.answers import (
    parse_action,
    parse_answer,
    parse_scores,
    values_named,
)
from socialstats_collect.parse.options import Option, parse_options
from socialstats_collect.parse.probabilities import ChoiceProbabilities, choice_probabilities
from socialstats_collect.parse.text import STATUSES, VERSION, Parsed, Status, printable
from socialstats_collect.parse.who import parse_who

__all__ = [
    "ACTIONS",
    "ChoiceProbabilities",
    "Option",
    "Parsed",
    "STATUSES",
    "Status",
    "VERSION",
    "choice_probabilities",
    "parse_action",
    "parse_answer",
    "parse_options",
    "parse_scores",
    "parse_who",
    "printable",
    "values_named",
]
