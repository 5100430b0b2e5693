"""The page of every example, made once in a process."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

from html_page import Page

from socialstats.studies.page import Outcome
from socialstats_reports import render

STUDY_TESTS = Path(__file__).parents[1] / "studies"
sys.path.insert(0, str(STUDY_TESTS))
from study_examples import outcome_of  # noqa: E402

RUN: dict[str, Any] = {
    "command": "socialstats report data.csv",
    "facts": {"data": "data.csv", "sha256": "ab" * 32},
    "status": "exploratory",
    "plan_text": "[study]\ntitle = 'x'\n",
    "plan_sha256": "cd" * 32,
    "deviations": ("seed changed",),
}


def made(name: str, hostile: bool = False) -> tuple[Outcome, str]:
    """Return the outcome of an example and its page."""
    # a cache takes a default that is left out and its value for two calls
    return outcome_and_page(name, hostile)


def read(name: str, hostile: bool = False) -> Page:
    """Return the page of an example as a reader sees it."""
    return page_as_read(name, hostile)


@functools.cache
def outcome_and_page(name: str, hostile: bool) -> tuple[Outcome, str]:
    """Run the study of an example and make its page, once in a process."""
    outcome = outcome_of(name, hostile=hostile)
    return outcome, render(outcome, **RUN)


@functools.cache
def page_as_read(name: str, hostile: bool) -> Page:
    """Parse the page of an example, once in a process."""
    return Page(made(name, hostile)[1])
