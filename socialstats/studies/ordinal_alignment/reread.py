"""Another reading of the same replies: what does it change?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, SocialStatsError, caution
from socialstats.figures import forest
from socialstats.models.shares import How, merged, share_row
from socialstats.models.unit_means import Inference, Sample, mean_row
from socialstats.results import Check, Result, Row, joined
from socialstats.studies.compare.numbers import ALPHA, DISTANCE, ratings_difference
from socialstats.studies.estimates import numbers_text, p_text, rows_table, verify_all, with_holm
from socialstats.studies.ordinal_alignment.blocks import Alphas, alphas_of
from socialstats.studies.page import Block, Design, Outcome, StudyOptions, Table, order_cautions
from socialstats.text import count, number, percent, shorten

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


LARGE = 0.01  # a share of changed answers above this is a caution
MOST_LABELS, MOST_ROWS, MOST_SAID, MOST_MOVES = 14, 200, 6, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Alphas of one level of the by factor in both readings, and the differences (second minus first)."""

    label: str
    before: Alphas | None
    after: Alphas | None
    difference: Result | None


def with_reread(outcome: Outcome, design: Design, options: StudyOptions) -> Outcome:
    """Add what the second reading, `options.reread`, changes: a block, a sentence, a caution, a paragraph.

    Raises
    ------
    InputError
        If the table is not one of ratings, or the readings do not match.
    """
    second = options.reread
    if not isinstance(design, Ratings) or not isinstance(second, Ratings):
        raise InputError("another reading of the replies (reread=) is for tables of ratings")
    answers = answers_of(design, second)
    shares, means = changed_shares(answers, options.level), changed_means(answers, options.level)
    agreements = tuple(agreement(label, *pair, options) for label, pair in parts_of(answers).items())
    block = reread_block(answers, shares, means, agreements)
    return replace(
        outcome,
        answer=(*outcome.answer, block.sentences[0]),
        cautions=order_cautions(outcome.cautions, cautions_of(shares), once=False),
        blocks=(*outcome.blocks, block),
        methods=(*outcome.methods, methods(answers, shares, means)),
        references=tuple(dict.fromkeys([*outcome.references, *(key for r in block.results for key in r.references)])),
        verifications=joined(outcome.verifications, verified(block, agreements)) if options.verify else {},
    )  # fmt: skip


def parts_of(answers: Answers) -> Mapping[str, tuple[Ratings, Ratings]]:
    """Return both readings of each level of the by factor, or of the whole table."""
    first, second = answers.one.split(), answers.two.split()
    return {"all answers" if len(first) == 1 else label: (part, second[label]) for label, part in first.items()}


def agreement(label: str, one: Ratings, two: Ratings, options: StudyOptions) -> Agreement:
    """Compute every alpha in both readings, and the difference of the one on the scale of the ratings."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    several = len(one.raters) > 1
    before, after = ((alphas_of(label, part, None, common) if several else None) for part in (one, two))
    try:
        found = ratings_difference(two, one, ("second reading", "first reading"), options)
        rows = tuple(row for row in found.rows if row.group in (ALPHA, DISTANCE))
        difference = replace(found, rows=rows) if rows else None
    except SocialStatsError:
        difference = None
    return Agreement(label=label, before=before, after=after, difference=difference)


def verified(block: Block, agreements: Sequence[Agreement]) -> Mapping[str, Any]:
    """Recompute the results of the block, each under a name of its own."""
    named = {"Another reading: shares that change": block.results[0]}
    for one in agreements:
        for when, alphas in (("first", one.before), ("second", one.after)):
            found = alphas.results.items() if alphas is not None else ()
            named |= {f"{when} reading, {shorten(one.label, 40)}: {kind}": result for kind, result in found}
        if one.difference is not None:
            named[f"both readings, {shorten(one.label, 40)}: difference"] = one.difference
    return verify_all(named, [block])


def cautions_of(shares: Result) -> tuple[Caution, ...]:
    """Return caution SS319 where more than 1 % of the answers change."""
    row, columns = shares.rows[0], shares.settings["columns"]
    if (row.estimate or 0.0) <= LARGE:
        return ()
    changed, n = (shares.counts[key] for key in ("changed", "answers"))
    detail = (
        f"column '{shorten(columns[1], 40)}' says something else than '{shorten(columns[0], 40)}' in {changed:,} of "
    )
    return (caution("SS319", f"{detail}{count(n, 'answer')} ({percent(row.estimate)})", affects="every number",
                    fix="read the replies that changed, and say which reading counts"),)  # fmt: skip


def reread_block(
    answers: Answers, shares: Result, means: Result | None, agreements: Sequence[Agreement]
) -> Block:  # fmt: skip
    """Show what changed, from which label to which, and what means and alphas become."""
    changes: tuple[Row, ...] = ()
    adjusted: Result | None = None
    if means is not None:
        gaps = [named_row(r) for r in means.rows if r.group == CHANGE]
        changes, adjusted = with_holm(gaps, "changes of means")
    drawn = [r for r in changes if r.estimate is not None]
    tables = [rows_table(shares.rows, "Share of answers that changed", term="Answers", labels=share_labels(shares)),
              *confusion_table(answers), *mean_tables(means, changes), *alpha_tables(agreements)]  # fmt: skip
    results = [shares, *([means] if means is not None and means.rows else []), *([adjusted] if adjusted else [])]
    for one in agreements:
        results += [r for alphas in (one.before, one.after) if alphas is not None for r in alphas.results.values()]
        results += [one.difference] if one.difference is not None else []
    return Block(
        id="reread",
        question="What does another reading of the replies change?",
        sentences=(*share_words(answers, shares), *mean_words(changes, means), *alpha_words(agreements)),
        draw=partial(forest, drawn[:MOST_ROWS], sort=False, digits=3, xlabel="change of the mean (second - first)")
        if drawn else None,
        figure_title="How far the means move, over answers that are levels in both readings" if drawn else "",
        caption=f"First reading: column '{shorten(shares.settings['columns'][0], 40)}'; second: "
        f"'{shorten(shares.settings['columns'][1], 40)}'. {count(shares.counts['answers'], 'answer')}, "
        f"{count(len(answers.one.units), 'unit')}, {count(len(answers.one.raters), 'rater')}. "
        f"{shares.inference[0].upper()}{shares.inference[1:]}."
        + (" Cells in which no answer changed are left out." if drawn else ""),
        tables=tuple(tables), results=tuple(results),
    )  # fmt: skip


def named_row(row: Row) -> Row:
    """Name a row by the level of the by factor, where there is one, and the rater."""
    return replace(row, term=f"{row.by}, {row.term}" if row.by is not None else row.term, by=None, group=None)


def share_labels(shares: Result) -> list[str]:
    """Name the shares: all answers, a level of the by factor, a rater."""
    kinds = [
        "" if cell == (None, None) else "rater" if cell[0] is not None else "by" for cell in shares.extras["cells"]
    ]
    by = shares.design[0].by
    words = {"": "", "rater": "rater ", "by": f"{shorten(by.name, 30)} " if by is not None else ""}
    return [f"{words[kind]}{row.term}" for kind, row in zip(kinds, shares.rows, strict=True)]


def share_words(answers: Answers, shares: Result) -> list[str]:
    """Say how many answers changed, where most, and from which label to which."""
    row, column = shares.rows[0], shorten(shares.settings["columns"][1], 40)
    changed, n = (shares.counts[key] for key in ("changed", "answers"))
    if not changed:
        return [f"The other reading (column '{column}') gives the same answer to all {count(n, 'reply', 'replies')}."]
    said = [f"The other reading (column '{column}') changes {changed:,} of {count(n, 'answer')}, a share of "
            f"{numbers_text(row, digits=3, bounded=True)}."]  # fmt: skip
    where, by = [], answers.one.by
    for kind in (0, 1):  # raters, then levels of the by factor
        rows = [r for r, cell in zip(shares.rows, shares.extras["cells"], strict=True) if cell[kind] is not None]
        top = sorted((r for r in rows if r.estimate), key=lambda r: -(r.estimate or 0.0))[: 2 if kind == 0 else 1]
        word = "" if kind == 0 or by is None else f"{shorten(by.name, 30)} "
        where += [f"{word}'{shorten(r.term, 40)}' ({numbers_text(r, digits=3, bounded=True)})" for r in top]
    if where:
        said.append(f"Most change in {'; '.join(where)}.")
    (old, new), times = next(iter(transitions(answers).items()))
    said.append(f"Most often '{shorten(old, 40)}' became '{shorten(new, 40)}' ({count(times, 'answer')}).")
    return said


def mean_words(changes: Sequence[Row], means: Result | None) -> list[str]:
    """Say how many means move by more than chance, and the one that moves most clearly."""
    tested = [r for r in changes if r.p_value is not None]
    if means is None or not tested:
        return []
    level = means.settings["level"]
    clear = [r for r in tested if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 0.0) < 1 - level]
    top = max(tested, key=lambda r: abs(r.estimate or 0.0))
    at = next(k for k, r in enumerate(means.rows) if r.group == CHANGE and named_row(r).term == top.term)
    before, after = (number(means.rows[k].estimate or 0.0, 3) for k in (at - 2, at - 1))
    holm = " (Holm)" if len(tested) > 1 else ""
    return [
        f"Of {count(len(tested), 'mean')} with changed answers {number(len(clear), 0)} "
        f"{'moves' if len(clear) == 1 else 'move'} by more than their noise{holm}. The largest move is that of "
        f"{shorten(top.term, 60)}: from {before} to {after}, by {numbers_text(top, digits=3)}."
    ]


def alpha_words(agreements: Sequence[Agreement]) -> list[str]:
    """Say alpha on the scale of the ratings before and after, of the levels where it moves most."""
    found = [(one, next((r for r in one.difference.rows if r.group == ALPHA), None))
             for one in agreements if one.difference is not None]  # fmt: skip
    known = [
        (one, row) for one, row in found if row is not None and row.estimate is not None and one.before and one.after
    ]
    known.sort(key=lambda pair: -abs(pair[1].estimate or 0.0))
    said = []
    for one, row in known[:MOST_SAID]:
        pair = (a for a in (one.before, one.after) if a is not None)
        ends = [number(a.ordered.rows[0].estimate, 3, bounded=True) for a in pair]
        by = numbers_text(row, digits=3, bounded=True)
        said.append(f"{shorten(one.label, 40)}: from {ends[0]} to {ends[1]}, by {by}")
    return [f"Krippendorff's {known[0][1].term} moves: {'; '.join(said)}."] if said else []


def confusion_table(answers: Answers) -> list[Table]:
    """Count the answers by both readings: a square where there are few labels, else the most frequent changes."""
    moves = transitions(answers)
    if not moves:
        return []
    counts = confusion(answers)
    used = [k for k in range(len(answers.labels)) if counts[k].any() or counts[:, k].any()]
    if len(used) <= MOST_LABELS:
        names = [shorten(answers.labels[k], 24) for k in used]
        cells: tuple[tuple[str | float | int | None, ...], ...] = tuple(
            (names[i], *(int(counts[k, j]) for j in used)) for i, k in enumerate(used)
        )
        return [Table(caption="Answers by first reading (rows) and second reading (columns)", digits=0,
                      header=("First reading", *(f"now {name}" for name in names)), cells=cells)]  # fmt: skip
    listed = tuple((shorten(a, 40), shorten(b, 40), n) for (a, b), n in list(moves.items())[:MOST_MOVES])
    return [Table(caption=f"The most frequent of {count(len(moves), 'kind')} of changes", digits=0,
                  header=("First reading", "Second reading", "Answers"), cells=listed)]  # fmt: skip


def mean_tables(means: Result | None, changes: Sequence[Row]) -> list[Table]:
    """Put the means before and after beside each other, with the change and its test."""
    if means is None or not changes:
        return []
    before = [r for r in means.rows if r.group == BEFORE]
    after = [r for r in means.rows if r.group == AFTER]
    cells: tuple[tuple[str | float | int | None, ...], ...] = tuple(
        (c.term, b.estimate, a.estimate, c.estimate, c.conf_low, c.conf_high, p_text(c.p_value), p_text(c.p_adjusted),
         int(c.n or 0), c.undefined)
        for b, a, c in zip(before, after, changes, strict=True)
    )  # fmt: skip
    header = ("Answers", "Mean before", "Mean after", "Change", "Low", "High", "p", "p (Holm)", "n", "Why not")
    return [
        Table(caption="Means of the answers that are levels in both readings", header=header, cells=cells[:MOST_ROWS])
    ]


def alpha_tables(agreements: Sequence[Agreement]) -> list[Table]:
    """Put every alpha (and distance from people) before and after beside each other."""
    cells: list[tuple[str | float | None, ...]] = []
    rows: list[Row] = []
    for one in agreements:
        kinds = dict.fromkeys(k for a in (one.before, one.after) if a is not None for k in a.results)
        for kind in kinds:
            pair = [a.results[kind].rows[0] if a is not None and kind in a.results else None
                    for a in (one.before, one.after)]  # fmt: skip
            ends = [x for r in pair for x in ((None,) * 3 if r is None else (r.estimate, r.conf_low, r.conf_high))]
            cells.append((f"{one.label}: {kind}", *ends))
        if one.difference is not None:
            rows += [replace(r, term=f"{one.label}: {r.term}", group=None) for r in one.difference.rows]
    header = ("Alpha", "Before", "Low", "High", "After", "Low (after)", "High (after)")
    found = [Table(caption="Krippendorff's alpha in both readings", header=header, cells=tuple(cells))] if cells else []
    if rows:
        found.append(rows_table(rows, "Differences, second reading minus first, on the same units", term="Number"))
    return found


def methods(answers: Answers, shares: Result, means: Result | None) -> str:
    """Return the methods paragraph."""
    first, second = (shorten(name, 40) for name in shares.settings["columns"])
    text = (
        f"The same replies were read twice: column '{first}' (everything above) and column '{second}', with the same "
        f"levels and refusals. Shares of changed answers have {shares.inference} and Wilson's interval with the sample "
        "size that the error speaks for."
    )
    if means is not None:
        text += (
            " Changes of means are paired, answer by answer, over answers that are levels in both readings "
            f"({shares.inference}; t tests; Holm over all changes)."
        )
        if not answers.one.numeric:
            text += f" Levels count 0 to {number(len(answers.one.levels) - 1, 0)} in their order."
    return (
        f"{text} Differences of alpha are bootstrapped over units (or declared clusters), the same for both readings."
    )
