"""The gender that a model attributes to each name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.errors import InputError
from socialstats.results import Result
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.relationship_bias.blocks import named, rows_block
from socialstats.tables import Table
from socialstats.text import count, quoted, shorten

COLUMNS = ("name", "group", "expected", "phrasing", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCheck:
    """Answers to several phrasings of a question about each name.

    Attributes
    ----------
    ratings : Ratings
        Units are names, raters phrasings, the group a stratum.
    expected : mapping of str to str
        Name -> the answer that is right; of a neutral name, the answer whose share is shown.
    shares : tuple of str
        Groups of neutral names.
    """

    ratings: Ratings
    expected: dict[str, str]
    shares: tuple[str, ...]


def read_names(table: Table) -> NameCheck:
    """Read the check of the names, one row a name and phrasing.

    Parameters
    ----------
    table : Table
        Columns ``name``, ``group``, ``phrasing``, ``answer`` (as ``female`` and ``male``), and ``expected``: the right
        answer of the name's group. Empty for neutral names, whose share of ``male`` (of the second answer in the
        alphabet, where they have other words) is shown instead.

    Raises
    ------
    InputError
        For columns that are not there, a name in two groups, a group with two right answers, or answers that are not
        of two kinds.
    """
    need_columns(table, COLUMNS, f"a name check has {', '.join(COLUMNS)}")
    ratings = Ratings.from_frame(
        table, unit="name", rater="phrasing", value="answer", scale="nominal", strata="group"
    )
    if len(ratings.levels) != 2:
        raise InputError(
            f"{table.source}: answers {quoted(ratings.levels)}; a name check has two, female and male"
        )
    right = right_answers(table, ratings.levels)
    factor = ratings.strata["group"]
    groups = np.array(factor.levels)[factor.codes].tolist()
    expected = {
        name: right[group] or ratings.levels[1]
        for name, group in zip(ratings.units, groups, strict=True)
    }
    return NameCheck(
        ratings=ratings,
        expected=expected,
        shares=tuple(g for g, answer in right.items() if not answer),
    )


def right_answers(table: Table, answers: tuple[str, ...]) -> dict[str, str]:
    """Return the right answer of each group; empty text for neutral names.

    Raises
    ------
    InputError
    """
    cells = table.counts(["group", "expected"])
    coded = [cells.columns[column].labels() for column in ("group", "expected")]
    groups, expected = (
        [one.levels[k] if k >= 0 else "" for k in one.codes.tolist()] for one in coded
    )
    right: dict[str, str] = {}
    for group, answer in zip(groups, expected, strict=True):
        if right.setdefault(group, answer) != answer:
            raise InputError(
                f"{table.source}: group '{shorten(group)}' has two right answers, {quoted([right[group], answer])}"
            )
        if answer not in ("", *answers):
            raise InputError(
                f"{table.source}: expected '{shorten(answer)}' is no answer; answers: {quoted(answers)}"
            )
    return right


def check_names(check: NameCheck, options: StudyOptions) -> Result:
    """Return how often the majority of the phrasings gives a name the gender of its group."""
    found: Any = majority_vote_accuracy(
        check.ratings,
        truth=check.expected,
        stratum="group",
        level=options.level,
        resamples=options.resamples,
        seed=options.seed,
    )
    result: Result = found
    return result


def names_block(check: NameCheck, result: Result) -> Block:
    """Return the accuracy of each group of names, and for neutral ones the share of one answer."""
    rows = [r for r in result.rows if r.term == "accuracy" and r.group is not None]
    second = check.ratings.levels[1]
    said, shown = [], []
    for row in rows:
        label, taken = ("recognised", "recognised")
        if row.group in check.shares:
            label, taken = f"taken for {second}", f"taken for {second}"
        shown.append(named(row, shorten(f"{row.group}: {label}", 60)))
        said.append(
            f"The share of {shorten(row.group or '', 40)} names {taken} by the majority of "
            f"{count(len(check.ratings.raters), 'phrasing')} was {sentences.estimate_text(row)}."
        )
    return rows_block(
        "names",
        "Did the model recognise the gender of the names?",
        said,
        shown,
        "Names recognised as of the gender of their group",
        "Points with CIs (Wilson) over names. The majority of the phrasings counts, a tie as half.",
        tables=[
            rows_table(shown, "Names recognised as of the gender of their group", term="Names")
        ],
        results=[result],
        reference=None,
        xlabel="share of the names",
    )
