"""Tables of couples, and of the check of their names: what a study of couples reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.designs.couples import EXTRA, RATERS, couples_design, written_answers
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.errors import InputError
from socialstats.results import Result
from socialstats.studies.asking import ask_rows
from socialstats.studies.estimates import single
from socialstats.studies.page import Block, PageTable, StudyOptions, check_named
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows
from socialstats.tables import Table
from socialstats.text import count, percent, quoted, shorten

# the columns of the table; those of RUNGS say which wording of a question was answered
RUNGS = ("rung", "variant")
AS_WRITTEN = ("0", "original", "as written")
STRATA = (*EXTRA, *RUNGS)
# columns of a check of names
NAMES = ("name", "group", "expected", "phrasing", "answer")


def read(
    table: Table,
    *,
    by: str | None = None,
    na: Sequence[str] = (),
    refusal: Sequence[str] = (),
    cluster: Sequence[str] = (),
    missing: str | None = None,
    probabilities: str | None = None,
) -> Ratings:
    """Read a table with one answer a row: -1 the first name is right, 1 the second (or 1 and 2, NAME1 and NAME2).

    A column ``answer_status`` says which replies are answers, as in `couples_design`.

    Raises
    ------
    InputError
        For clusters (scenario and pair are crossed clusters already), and whatever `couples_design` finds.
    """
    if cluster:
        raise InputError(
            "--cluster: this study takes scenario and pair as crossed clusters; leave the option out"
        )
    alone = by is None and not any(column in table.columns for column in RATERS)
    there = [column for column in STRATA if column in table.columns]
    # a wording that was tried last is of one model
    strata = [column for column in there if alone or column not in RUNGS]
    design = couples_design(
        table,
        strata=strata,
        by=by,
        na=na,
        refusal=refusal,
        answers=written_answers(table) or ("-1", "1"),
        probabilities=probabilities,
        source=table.source,
    )
    return replace(design, levels=("-1", "1"), scores=np.array([-1.0, 1.0]), numeric=True)


def group_order(design: Ratings, first: str | None) -> tuple[str, ...]:
    """Return the groups of names in order, the one that a positive bias favours first.

    Raises
    ------
    InputError
        If the first is no group.
    """
    sides = [design.strata[name].levels for name in ("group_first", "group_second")]
    groups = sorted({*sides[0], *sides[1]})
    check_named("first", first, groups, "group of names")
    return tuple(sorted(groups, key=lambda group: group != first))


def filled(design: Ratings, side: int, groups: Sequence[str] | None = None) -> Ratings:
    """Return the design with every missing answer counted for the first (0) or second (1) group of each B.

    Groups are in the order of `relationship_bias`: sorted, or that of `groups`. Couples of one group keep their missing
    answers.
    """
    order = groups or group_order(design, None)
    first, second = (
        np.array([order.index(level) for level in factor.levels])[factor.codes[design.unit]]
        for factor in (design.strata["group_first"], design.strata["group_second"])
    )
    lost = (design.status != OK) & (first != second)
    # the name that is favoured stands first
    ahead = (first < second) == (side == 0)
    value = np.where(ahead, design.levels.index("-1"), design.levels.index("1"))
    status = np.where(lost, OK, design.status).astype(design.status.dtype)
    return replace(design, value=np.where(lost, value, design.value), status=status)


def wording_of(design: Ratings) -> Factor | None:
    """Return the wording that was tried last, where the table says it."""
    return next((design.strata[name] for name in RUNGS if name in design.strata), None)


def answers_table(design: Ratings) -> PageTable:
    """Count answers, refusals and missing answers by kind of couple, and by the wording that was tried last."""
    first, second = (design.strata[name] for name in ("group_first", "group_second"))
    pairs = zip(first.codes.tolist(), second.codes.tolist(), strict=True)
    labels = [np.array([f"{first.levels[i]}, {second.levels[j]}" for i, j in pairs])]
    wording = wording_of(design)
    if wording is not None:
        written = [
            f"{level} (as written)" if level in AS_WRITTEN else level for level in wording.levels
        ]
        labels.append(np.array([f"wording {written[code]}" for code in wording.codes.tolist()]))
    times, cells = design.unit_count[design.unit], []
    for of_unit in labels:
        kinds, code = np.unique(of_unit, return_inverse=True)
        asked, answered, refused = (
            np.bincount(code[design.unit], times * inside, len(kinds)).astype(int).tolist()
            for inside in (design.status >= 0, design.status == OK, design.status == REFUSAL)
        )
        for kind, n, ok, no in zip(kinds.tolist(), asked, answered, refused, strict=True):
            cells.append((kind, n, ok, no, n - ok - no, percent(ok / n)))
    return PageTable(
        caption="Answers by groups of the first and second name, and by the wording that was tried last",
        header=("Couples", "Asked", "Answered", "Refused", "No answer", "Share answered"),
        cells=tuple(cells),
    )


# the check of the names


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
    need_columns(table, NAMES, f"a name check has {', '.join(NAMES)}")
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
    right: dict[str, str] = {}
    for group, answer in zip(table.texts("group"), table.texts("expected"), strict=True):
        name, expected = group or "", answer or ""
        if right.setdefault(name, expected) != expected:
            two = quoted([right[name], expected])
            raise InputError(
                f"{table.source}: group '{shorten(name)}' has two right answers, {two}"
            )
        if expected not in ("", *answers):
            raise InputError(
                f"{table.source}: expected '{shorten(expected)}' is no answer; answers: {quoted(answers)}"
            )
    return right


def check_names(check: NameCheck, options: StudyOptions) -> Result:
    """Return how often the majority of the phrasings gives a name the gender of its group."""
    result: Any = majority_vote_accuracy(
        check.ratings,
        truth=check.expected,
        stratum="group",
        level=options.level,
        resamples=options.resamples,
        seed=options.seed,
    )
    return single(result)


def ask_names(check: NameCheck, result: Result) -> Block | None:
    """Ask whether the model recognised the names of each group; of neutral ones the share of one answer is shown."""
    rows = pick_rows(result.rows, measure="accuracy", stratum=True)
    second = check.ratings.levels[1]
    phrasings = count(len(check.ratings.raters), "phrasing")
    names, texts = [], []
    for row in rows:
        how = f"taken for {second}" if row.group in check.shares else "recognised"
        group = shorten(row.group or "", 40)
        names.append(f"{group}: {how}")
        texts.append(
            f"The share of {group} names {how} by the majority of {phrasings} was {sentences.estimate_text(row)}."
        )
    return ask_rows(
        "names",
        "Did the model recognise the gender of the names?",
        result,
        rows,
        quantity="share of names recognised as of the gender of their group",
        names=names,
        say=texts,
        draw=interval_points(None),
        note="The majority of the phrasings counts, a tie as half.",
    )
