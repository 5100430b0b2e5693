"""Two readings of the same replies: which answers differ, what that does to means, and to agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import InputError
from socialstats.models.shares import How, merged, share_row
from socialstats.models.unit_means import Inference, Sample, mean_row
from socialstats.results import Check, Result, Row
from socialstats.text import count

REFUSED, MISSED, ALL = "refusal", "no answer", "all answers"
SHARE, BEFORE, AFTER, CHANGE = "share changed", "mean before", "mean after", "change of the mean"
MOST_RATERS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The replies of a table in two readings.

    Attributes
    ----------
    one, two : Ratings
        Same replies (rows), the first reading and the second.
    labels : tuple of str
        Levels of both readings, then a refusal and no answer at all.
    before, after : (answers,) int64 arrays
        Indexes into `labels`.
    clusters : tuple of (units,) int64 arrays
        The declared clusters of units, or each unit by itself.
    """

    one: Ratings
    two: Ratings
    labels: tuple[str, ...]
    before: IntArray
    after: IntArray
    clusters: tuple[IntArray, ...]

    @property
    def changed(self) -> BoolArray:
        """(answers,) bool array."""
        return np.asarray(self.before != self.after)

    def cell(self, rater: str | None, by: str | None) -> BoolArray:
        """(answers,) bool array: answers of a rater (None: all) at a level of the by factor (None: all)."""
        found = np.ones(len(self.before), dtype=bool)
        if rater is not None:
            found &= self.one.rater == self.one.raters.index(rater)
        if by is not None and self.one.by is not None:
            found &= self.one.by.codes == self.one.by.levels.index(by)
        return found


class Rereading(Result):
    """Numbers about two readings; ``extras["cells"]`` says of which rater and level of the by factor each row is."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the numbers with pandas, scipy and statsmodels."""
        from socialstats.crosscheck.reread import checks_of

        checks: Sequence[Check] = checks_of(self)
        return checks


def answers_of(one: Ratings, two: Ratings) -> Answers:
    """Match two readings of the same replies.

    Parameters
    ----------
    one, two : Ratings
        Read from the same rows with the same options, but for the column of the values.

    Raises
    ------
    InputError
        If the two do not hold the same replies, or are on different scales.
    """
    columns = [(d.columns.get("value", "value"), d) for d in (one, two)]
    name = columns[1][0]
    if one.scale != two.scale:
        raise InputError(
            f"{one.source}: column '{columns[0][0]}' is read on a scale that is {one.scale}, and '{name}' on one that "
            f"is {two.scale}: say one for both with scale="
        )
    same = one.units == two.units and one.raters == two.raters and len(one.unit) == len(two.unit)
    if not (same and np.array_equal(one.unit, two.unit) and np.array_equal(one.rater, two.rater)):
        raise InputError(f"{one.source}: reading column '{name}' gives other rows than the first reading; check na=")
    extra = [level for level in two.levels if level not in one.levels]
    labels = (*one.levels, *extra)
    where = np.array([labels.index(level) for level in two.levels], dtype=np.int64)
    return Answers(
        one=one, two=two, labels=(*labels, REFUSED, MISSED), before=coded(one, np.arange(len(one.levels)), len(labels)),
        after=coded(two, where, len(labels)),
        clusters=tuple(f.codes for f in one.clusters) or (np.arange(len(one.units)),),
    )  # fmt: skip


def coded(design: Ratings, where: IntArray, refused: int) -> IntArray:
    """(answers,) int64 array: place of each answer's level, `refused` for a refusal, one more for no answer."""
    found = np.where(design.status == REFUSAL, refused, refused + 1)
    ok = design.status == OK
    found[ok] = where[design.value[ok]]
    return found.astype(np.int64)


def changed_shares(answers: Answers, level: float) -> Rereading:
    """Estimate the share of answers that the second reading changes: all, by level of the by factor, by rater.

    A share is the mean of 0 (same) and 1 (changed); errors count the answers to one unit as one cluster (CR2), the
    interval is Wilson's with n = p(1 - p)/(s.e.)^2 and Satterthwaite's t quantile (Korn & Graubard, 1998).
    """
    by = answers.one.by.levels if answers.one.by is not None else ()
    raters = answers.one.raters if 1 < len(answers.one.raters) <= MOST_RATERS else ()
    cells = [(None, None), *((None, name) for name in by), *((name, None) for name in raters)]
    rows = []
    for rater, own in cells:
        held = answers.cell(rater, own)
        values, n = answers.changed[held].astype(np.float64), float(held.sum())
        units = answers.one.unit[held]
        data = merged(values, np.ones(len(values)), [c[units] for c in answers.clusters], n)
        row = share_row(
            Row(term=rater or own or ALL, group=SHARE if rater or own else None), data,
            How(ci="wilson", level=level, resamples=0, seed=0),
        )  # fmt: skip
        rows.append(replace(row, n_units=len(np.unique(units))))
    return rereading(answers, "Share of answers that another reading changes", rows, cells, level)


def changed_means(answers: Answers, level: float) -> Rereading | None:
    """Estimate how far means move, over the answers that are levels in both readings; None for nominal levels.

    The change is the mean difference of an answer's two scores, tested by t with errors clustered by unit (CR2); cells
    in which no answer changed are left out.
    """
    if answers.one.scale == "nominal":
        return None
    both = (answers.one.status == OK) & (answers.two.status == OK)
    by: Sequence[str | None] = answers.one.by.levels if answers.one.by is not None else (None,)
    raters = answers.one.raters if 1 < len(answers.one.raters) <= MOST_RATERS else ()
    cells = [(rater, own) for own in by for rater in (None, *raters)]
    cells = [(r, b) for r, b in cells if np.any(answers.changed & both & answers.cell(r, b))]
    scores = [np.append(d.scores, np.nan)[d.value] for d in (answers.one, answers.two)]
    rows = [row for rater, own in cells for row in three_rows(answers, scores, both, (rater, own), level)]
    return rereading(answers, "Means before and after", rows, [c for c in cells for _ in range(3)], level)


def three_rows(
    answers: Answers, scores: Sequence[FloatArray], both: BoolArray, cell: tuple[str | None, str | None], level: float
) -> list[Row]:
    """Return the rows of a cell: its mean before, after, and the change."""
    held = both & answers.cell(*cell)
    before, after = (score[held] for score in scores)
    unit = answers.one.unit[held]
    largest = float(max(np.abs(before).max(), np.abs(after).max()))
    how = Inference(unit="answer", level=level, clusters=answers.clusters, magnitude=largest)
    term = cell[0] or ALL
    found = []
    for group, values in ((BEFORE, before), (AFTER, after), (CHANGE, after - before)):
        row = mean_row(term, group, Sample(values=values[:, None], unit=unit, how=how), test=group == CHANGE)
        found.append(replace(row, by=cell[1], n_units=len(np.unique(unit))))
    return found


def rereading(
    answers: Answers, title: str, rows: Sequence[Row], cells: Sequence[tuple[str | None, str | None]], level: float
) -> Rereading:
    """Return rows about two readings as a result."""
    by = " x ".join(f.name for f in answers.one.clusters) or answers.one.columns.get("unit", "unit")
    n = len(answers.before)
    names = tuple(d.columns.get("value", "value") for d in (answers.one, answers.two))
    return Rereading(
        metric="paired_difference", title=title, rows=tuple(rows), inference=f"errors clustered by {by} (CR2)",
        counts={"answers": n, "changed": int(answers.changed.sum()), "units": len(answers.one.units)},
        settings={"columns": names, "level": level, "ci": "wilson"},
        references=("bellmccaffrey2002", "korngraubard1998"), design=(answers.one, answers.two),
        words=f"{count(int(answers.changed.sum()))} of {count(n, 'answer')} are another one in the second reading.",
        extras={"cells": tuple(cells), "answers": answers},
    )  # fmt: skip


def transitions(answers: Answers) -> Mapping[tuple[str, str], int]:
    """Count the answers that changed by what they were and what they became, the most frequent first."""
    width = len(answers.labels)
    moved = answers.changed
    times = np.bincount(answers.before[moved] * width + answers.after[moved], minlength=width * width)
    order = sorted(np.flatnonzero(times).tolist(), key=lambda k: (-int(times[k]), k))
    return {(answers.labels[k // width], answers.labels[k % width]): int(times[k]) for k in order}


def confusion(answers: Answers) -> IntArray:
    """(labels, labels) int64 array: answers by first reading (rows) and second (columns)."""
    width = len(answers.labels)
    both = np.bincount(answers.before * width + answers.after, minlength=width * width)
    return both.reshape(width, width).astype(np.int64)
