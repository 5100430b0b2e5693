"""Two readings of the same replies: what the second one changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import BoolArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import (
    FEW_DF,
    cluster_names,
    few_df,
    shape_cautions,
    share_cautions,
)
from socialstats.matching import Match, match_keys
from socialstats.paired.unit_means import Inference, UnitSample, sample_mean_row
from socialstats.registry import refuse_weights
from socialstats.results import Result, Row
from socialstats.results.definitions import (
    PlainSample,
    key_of_row,
    sample_of_mean,
)
from socialstats.results.rows import RowKey
from socialstats.scales.plain_scores import numbered_factor
from socialstats.sentences import estimate_text
from socialstats.shares.counts import IntervalOptions, merge_cells, share_row
from socialstats.text import as_words, count, listing, percent, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

REFUSED, MISSED, ALL = "refusal", "no answer", "all answers"
SHARE, BEFORE, AFTER, CHANGE = "share changed", "mean before", "mean after", "change of the mean"
MOST_RATERS = 30
# Units (clusters) with a change below which intervals were too short (`few_changes`).
FEWEST_CHANGED = 10
Cell = tuple[str | None, str | None]  # rater and level of the by factor; None: all


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RereadAnswers:
    """The replies of a table in two readings.

    Attributes
    ----------
    first_reading, second_reading : Ratings
        Same replies (rows), the first reading and the second.
    labels : tuple of str
        Levels of both readings, then a refusal and no answer at all.
    before, after : (answers,) int64 arrays
        Indexes into `labels`.
    clusters : tuple of (units,) int64 arrays
        The declared clusters of units, or each unit by itself.
    match : Match
        Replies of both, by unit, rater and level of the by factor.
    """

    first_reading: Ratings
    second_reading: Ratings
    labels: tuple[str, ...]
    before: IntArray
    after: IntArray
    clusters: tuple[IntArray, ...]
    match: Match

    @property
    def changed(self) -> BoolArray:
        """(answers,) bool array."""
        return np.asarray(self.before != self.after)

    @property
    def levels(self) -> tuple[str, ...]:
        """Levels of the by factor."""
        return self.first_reading.by.levels if self.first_reading.by is not None else ()

    @property
    def raters(self) -> tuple[str, ...]:
        """Raters who have rows of their own: several, and not too many."""
        return (
            self.first_reading.raters if 1 < len(self.first_reading.raters) <= MOST_RATERS else ()
        )

    def cell(self, cell: Cell) -> BoolArray:
        """(answers,) bool array: answers of a rater (None: all) at a level of the by factor (None: all)."""
        rater, by = cell
        inside = np.ones(len(self.before), dtype=bool)
        if rater is not None:
            inside &= self.first_reading.rater == self.first_reading.raters.index(rater)
        if by is not None and self.first_reading.by is not None:
            inside &= self.first_reading.by.codes == self.first_reading.by.levels.index(by)
        return inside


def answers_of(first: Ratings, second: Ratings) -> RereadAnswers:
    """Match two readings of the same replies.

    Parameters
    ----------
    first, second : Ratings
        Read from the same rows with the same options, but for the column of the values.

    Raises
    ------
    InputError
        If the two do not hold the same replies, or are on different scales.
    """
    columns = [(d.columns.get("value", "value"), d) for d in (first, second)]
    name = columns[1][0]
    # distances of changes need one scale
    if first.scale != second.scale:
        raise InputError(
            f"{first.source}: column '{columns[0][0]}' is read on a scale that is {first.scale}, and '{name}' on "
            f"one that is {second.scale}: say one for both with {option('scale')}"
        )
    # a reply is told by its unit, rater and level of the by factor
    match = match_keys(reply_keys(first), reply_keys(second))
    if not match.complete:
        matched = match.text("reply", [f"'{column}'" for column, _ in columns])
        raise InputError(
            f"{first.source}: reading column '{name}' gives other rows than the first reading ({matched}); check "
            f"{option('na')}"
        )
    extra = [level for level in second.levels if level not in first.levels]
    labels = (*first.levels, *extra)
    places = np.array([labels.index(level) for level in second.levels], dtype=np.int64)
    # levels of both readings share one list, so that indexes can be compared
    before, after = match.values(
        level_places(first, np.arange(len(first.levels)), len(labels)),
        level_places(second, places, len(labels)),
    )
    return RereadAnswers(
        first_reading=first,
        second_reading=second,
        labels=(*labels, REFUSED, MISSED),
        before=before,
        after=after,
        match=match,
        clusters=tuple(f.codes for f in first.clusters) or (np.arange(len(first.units)),),
    )


def reply_keys(design: Ratings) -> list[tuple[str, str, str | None]]:
    """Return unit, rater and level of the by factor of each reply."""
    units, raters = (np.array(labels, dtype=object) for labels in (design.units, design.raters))
    by = [None] * len(design.unit) if design.by is None else design.by.labels().tolist()
    return list(zip(units[design.unit].tolist(), raters[design.rater].tolist(), by, strict=True))


def level_places(design: Ratings, level_places: IntArray, refused: int) -> IntArray:
    """(answers,) int64 array: place of each answer's level, `refused` for a refusal, one more for no answer."""
    places = np.where(design.status == REFUSAL, refused, refused + 1)
    ok = design.status == OK
    places[ok] = level_places[design.value[ok]]
    return places.astype(np.int64)


def key_of(cell: Cell, quantity: str) -> RowKey:
    """Return what a row is about: a share or a mean, of a rater, at a level of the by factor."""
    named = zip(("quantity", "rater", "by"), (quantity, *cell), strict=True)
    return tuple((dimension, label) for dimension, label in named if label is not None)


def changed_shares(first: Ratings, second: Ratings, *, level: float = 0.95) -> Result:
    """Estimate the share of answers that a second reading changes: all, by level of the by factor, by rater.

    Parameters
    ----------
    first, second : Ratings
        Two readings of the same replies: of the same rows with the same options, but for the column of the values.
    level : float

    Returns
    -------
    Result
        The mean of 0 (same) and 1 (changed). Errors are clustered by unit, or by a declared cluster of units (CR2). The
        interval is Wilson's with n = p(1 - p)/(s.e.)^2 and Satterthwaite's t quantile.

    Raises
    ------
    InputError
        If the two do not hold the same replies, or are on different scales.

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> table = {"unit": [1, 2, 3, 4], "rater": ["m"] * 4, "read": ["a", "b", "a", "b"], "again": ["a", "b", "b", "b"]}
    >>> one, two = (Ratings.from_frame(table, value=name, levels=["a", "b"]) for name in ("read", "again"))
    >>> changed_shares(one, two).rows[0].estimate
    0.25
    """
    for design in (first, second):
        refuse_weights(design, "changed_shares()")
    answers = answers_of(first, second)
    cells: list[Cell] = [
        (None, None),
        *((None, level) for level in answers.levels),
        *((r, None) for r in answers.raters),
    ]
    rows = []
    for cell in cells:
        # a reply changed or did not: its mean is a share, with Wilson's interval
        inside, name = answers.cell(cell), cell[0] or cell[1]
        units, n = answers.first_reading.unit[inside], float(inside.sum())
        changed = answers.changed[inside].astype(np.float64)
        codes = [cluster[units] for cluster in answers.clusters]
        data = merge_cells(changed, np.ones(len(units)), codes, n)
        group, key = SHARE if name else None, key_of(cell, "share")
        row = Row(term=name or ALL, group=group, key=key, role="component")
        row = share_row(row, data, IntervalOptions(ci="wilson", level=level, resamples=0, seed=0))
        rows.append(replace(row, n_units=len(np.unique(units))))
    cautions = share_cautions(first, first.clusters, rows)
    shares = rereading(
        answers, "Share of answers that a second parsing changes", rows, level, cautions
    )
    return replace(shares, words=changed_answers_text(answers, shares))


def changed_answers_text(answers: RereadAnswers, shares: Result) -> str:
    """State how many answers changed, where most, and from which label to which."""
    column = f"The second parsing (column '{shorten(shares.settings['columns'][1], 40)}')"
    changed, n = shares.counts["changed"], shares.counts["answers"]
    if not changed:
        return f"{column} gave the same answer to all {count(n, 'reply', 'replies')}."
    share = estimate_text(shares.rows[0])
    text = f"{column} changed {count(changed)} of {count(n, 'answer')} ({share})."
    by = answers.first_reading.by
    factor = "" if by is None else f"{as_words(by.name, 30)} "
    places = []
    # the raters, and the level, with the largest shares
    for dimension, most, what in (("rater", 2, ""), ("by", 1, factor)):
        rows = [row for row in shares.rows if row.label(dimension) and row.estimate]
        rows.sort(key=lambda row: -(row.estimate or 0.0))
        places += [
            f"{what}'{shorten(row.term, 40)}' ({percent(row.estimate)})" for row in rows[:most]
        ]
    if places:
        text += f" Changes were most frequent in {listing(places)}."
    (before, after), times = next(iter(transitions(answers).items()))
    labels = f"'{shorten(before, 40)}' became '{shorten(after, 40)}'"
    return f"{text} Most often {labels} ({count(times, 'answer')})."


def changed_means(first: Ratings, second: Ratings, *, level: float = 0.95) -> Result:
    """Estimate how far means move from one reading to another, over the answers that are levels in both.

    Parameters
    ----------
    first, second, level
        As for `changed_shares`.

    Returns
    -------
    Result
        Of all raters and of each: the means, and the mean difference of an answer's two scores, tested by t with errors
        clustered by unit (CR2). Cells in which no answer changed are left out.

    Raises
    ------
    InputError
        As for `changed_shares`, and for nominal levels.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> table = {"unit": [1, 2, 3, 4], "rater": ["m"] * 4, "read": [1, 2, 1, 3], "again": [1, 2, 3, 3]}
    >>> one, two = (Ratings.from_frame(table, value=name, scale="ordinal") for name in ("read", "again"))
    >>> changed_means(one, two).row("all answers", group="change of the mean").estimate
    0.5
    """
    for design in (first, second):
        refuse_weights(design, "changed_means()")
    answers = answers_of(first, second)
    if answers.first_reading.scale == "nominal":
        raise InputError(
            f"{answers.first_reading.source}: means need an order of the levels, and these are nominal"
        )
    readings = (answers.first_reading, answers.second_reading)
    levels_in_both = np.logical_and(*answers.match.values(*(d.status == OK for d in readings)))
    # a value of -1, which is no level, takes the NaN at the end
    scores = (np.append(design.scores, np.nan)[design.value] for design in readings)
    first_scores, second_scores = answers.match.values(*scores)
    rows, means, differing = [], list[ClusteredMean](), dict[str, int]()
    for by in answers.levels or (None,):
        for rater in (None, *answers.raters):
            inside = levels_in_both & answers.cell((rater, by))
            # means of answers that did not change do not move
            if not np.any(answers.changed & inside):
                continue
            before, after, unit = (
                first_scores[inside],
                second_scores[inside],
                answers.first_reading.unit[inside],
            )
            largest = float(max(np.abs(before).max(), np.abs(after).max()))
            how = Inference(
                unit="answer", level=level, clusters=answers.clusters, magnitude=largest
            )
            for group, values in ((BEFORE, before), (AFTER, after), (CHANGE, after - before)):
                data = UnitSample(values=values[:, None], unit=unit, how=how)
                row = sample_mean_row(rater or ALL, group, data, test=group == CHANGE)
                means.append(data.mean())
                if group == CHANGE:
                    differing[row.name] = changed_clusters(answers, unit[values != 0])
                rows.append(
                    replace(
                        row,
                        by=by,
                        n_units=len(np.unique(unit)),
                        key=key_of((rater, by), group),
                        role="difference" if group == CHANGE else "estimate",
                    )
                )
    names = [row.name for row in rows]
    few = [name for name, mean in zip(names, means, strict=True) if mean.df < FEW_DF]
    cautions = (
        *few_df((mean.df for mean in means), rows, beside=few),
        *few_changes(differing),
        *shape_cautions(means, names=names, what="units"),
    )
    return rereading(answers, "Means before and after", rows, level, cautions)


def changed_clusters(answers: RereadAnswers, unit: IntArray) -> int:
    """Return how many clusters some units lie in; of two factors, those of the factor with fewer."""
    return min(len(np.unique(codes[unit])) for codes in answers.clusters)


def few_changes(differing: Mapping[str, int]) -> tuple[Caution, ...]:
    """Caution SS212: mean changes that rest on fewer than ten units (clusters) with a change.

    Where 2% of three replies to each of 200 units in 40 clusters change, nominal 95% intervals held .81 of simulations.
    """
    few = {name: n for name, n in differing.items() if n < FEWEST_CHANGED}
    if not few:
        return ()
    least = count(min(few.values()), "unit or cluster", "units or clusters")
    return (
        caution(
            "SS212",
            f"{count(len(few), 'mean change')} {'rests' if len(few) == 1 else 'rest'} on fewer than "
            f"{FEWEST_CHANGED} units (clusters) with a change, the least on {least}",
            affects="these intervals and tests: nominal 95% intervals held .81 to .90 of simulations",
            fix="quote the share of answers that changed",
            rows=few,
        ),
    )


def rereading(
    answers: RereadAnswers,
    title: str,
    rows: Sequence[Row],
    level: float,
    cautions: tuple[Caution, ...],
) -> Result:
    """Return rows about two readings as a result."""
    by = cluster_names(answers.first_reading.clusters) or answers.first_reading.columns.get(
        "unit", "unit"
    )
    n, changed = len(answers.before), int(answers.changed.sum())
    names = tuple(
        d.columns.get("value", "value") for d in (answers.first_reading, answers.second_reading)
    )
    counts = {"answers": n, "changed": changed, "units": len(answers.first_reading.units)}
    return Result(
        metric="paired_difference",
        title=title,
        rows=tuple(rows),
        inference=f"errors clustered by {by} (CR2)",
        counts=counts,
        settings={"columns": names, "level": level, "ci": "wilson"},
        cautions=cautions,
        references=("bellmccaffrey2002", "korngraubard1998"),
        design=(answers.first_reading, answers.second_reading),
        words=f"{count(changed)} of {count(n, 'answer')} changed in the second parsing.",
        check=Definition(samples=sample_rereading),
    )


def confusion(answers: RereadAnswers) -> IntArray:
    """(labels, labels) int64 array: answers by first reading (rows) and second (columns)."""
    counts = np.zeros((len(answers.labels),) * 2, dtype=np.int64)
    np.add.at(counts, (answers.before, answers.after), 1)
    return counts


def transitions(answers: RereadAnswers) -> Mapping[tuple[str, str], int]:
    """Count the answers that changed by what they were and what they became, the most frequent first."""
    counts, labels = confusion(answers), answers.labels
    moves = [(int(counts[i, j]), i, j) for i, j in np.argwhere(counts).tolist() if i != j]
    return {(labels[i], labels[j]): n for n, i, j in sorted(moves, key=lambda move: -move[0])}


def sample_rereading(result: Result) -> Iterator[PlainSample]:
    """Yield the answers of each row: whether they changed, their scores, or the changes of these."""
    table = answers_in_both(result.design)
    first, _ = result.design
    names = [factor.name for factor in first.clusters] or ["unit"]
    # a label is a status and a level
    changed = table["label_before"] != table["label_after"]
    scores = table[["score_before", "score_after"]].to_numpy(dtype=np.float64).T
    before, after = np.where(np.isnan(scores).any(axis=0), np.nan, scores)
    values = {
        "share": changed.to_numpy(dtype=np.float64),
        BEFORE: before,
        AFTER: after,
        CHANGE: after - before,
    }
    for row in result.rows:
        inside = np.ones(len(table), dtype=bool)
        for column in ("rater", "by"):
            if row.label(column) is not None:
                inside &= (table[column] == row.label(column)).to_numpy(dtype=bool)
        factors = [numbered_factor(name, table[name].to_numpy()) for name in names]
        of_row = np.where(inside, values[str(row.label("quantity"))], np.nan)
        answers = float(inside.sum())
        yield sample_of_mean(key_of_row(row), of_row, np.ones(len(table)), factors, answers)


def answers_in_both(designs: tuple[Ratings, Ratings]) -> pd.DataFrame:
    """Return a row for each answer: unit, rater and level of the by factor, labels and scores of both readings."""

    before, after = (answers_of_reading(design) for design in designs)
    keys = ["unit", "rater", "by"]
    columns = [*keys, "label", "score"]
    return before.merge(after[columns], on=keys, suffixes=("_before", "_after"), validate="1:1")


def answers_of_reading(design: Ratings) -> pd.DataFrame:
    """Return a row for each answer of one reading, with its clusters."""
    import pandas as pd

    # an answer that gave no level has the last label, and no score
    levels = np.array([*design.levels, None], dtype=object)[design.value]
    scores = np.append(design.scores, np.nan)[design.value]
    by = np.full(len(design.unit), "", dtype=object)
    if design.by is not None:
        # answers of people have no level of the factor
        by = np.array([level or "" for level in design.by.labels()], dtype=object)
    columns: dict[str, Any] = {
        "unit": np.array(design.units, dtype=object)[design.unit],
        "rater": np.array(design.raters, dtype=object)[design.rater],
        "by": by,
        "label": list(zip(design.status.tolist(), levels.tolist(), strict=True)),
        "score": np.where(design.status == OK, scores, np.nan),
    }
    clusters = {factor.name: factor.codes[design.unit] for factor in design.clusters}
    return pd.DataFrame({**columns, **clusters})
