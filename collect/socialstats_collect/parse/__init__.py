"""Replies in free text as labels: each parser returns a `Parsed` for any string, and never guesses."""

from __future__ import annotations

from socialstats_collect.parse.actions import ACTIONS, parse_action
from socialstats_collect.parse.answers import parse_answer, values_named
from socialstats_collect.parse.mentions import Option
from socialstats_collect.parse.options import parse_options
from socialstats_collect.parse.scores import parse_scores
from socialstats_collect.parse.types import STATUSES, VERSION, Parsed, Status
from socialstats_collect.parse.who import parse_who

__all__ = [
    "ACTIONS",
    "Option",
    "Parsed",
    "STATUSES",
    "Status",
    "VERSION",
    "parse_action",
    "parse_answer",
    "parse_options",
    "parse_scores",
    "parse_who",
    "values_named",
]
