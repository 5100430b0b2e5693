"""Another reading of the same replies: what does it change?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, SocialStatsError, caution
from socialstats.figures import forest
from socialstats.metrics.ratings_difference import ratings_difference
from socialstats.metrics.rereading import (
    CHANGE,
    Answers,
    answers_of,
    changed_means,
    changed_shares,
    confusion,
    transitions,
)
from socialstats.models.measures import ALPHA, DISTANCE
from socialstats.planning.adjusting import with_holm
from socialstats.results import Result, Row, joined
from socialstats.studies.estimates import numbers_text, p_text, rows_table, verify_all
from socialstats.studies.ordinal_alignment.blocks import alphas_of
from socialstats.studies.page import Block, Design, Outcome, StudyOptions, Table, order_cautions
from socialstats.text import capital, count, number, percent, shorten
from socialstats.voice import option

LARGE = 0.01  # a share of changed answers above this is a caution
MOST_LABELS, MOST_ROWS, MOST_SAID, MOST_MOVES = 14, 200, 6, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Alphas of one level of the by factor in both readings, by kind, and the differences (second minus first)."""

    label: str
    before: dict[str, Result]
    after: dict[str, Result]
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
        raise InputError(f"another reading of the replies ({option('reread')}) is for tables of ratings")
    answers = answers_of(design, second)
    shares = changed_shares(design, second, level=options.level)
    means = None if design.scale == "nominal" else changed_means(design, second, level=options.level)
    parts = design.split()
    agreements = tuple(
        agreement("all answers" if len(parts) == 1 else label, part, two, options)
        for (label, part), two in zip(parts.items(), second.split().values(), strict=True)
    )
    block = reread_block(answers, shares, means, agreements)
    return replace(
        outcome,
        answer=(*outcome.answer, block.sentences[0]),
        cautions=order_cautions(outcome.cautions, cautions_of(shares), once=False),
        blocks=(*outcome.blocks, block),
        methods=(*outcome.methods, methods(answers, shares, means)),
        references=tuple(dict.fromkeys([*outcome.references, *(key for r in block.results for key in r.references)])),
        verifications=joined(outcome.verifications, verified(shares, agreements, block)) if options.verify else {},
    )  # fmt: skip


def agreement(label: str, one: Ratings, two: Ratings, options: StudyOptions) -> Agreement:
    """Compute every alpha in both readings, and the difference of the one on the scale of the ratings."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    before, after = (alphas_of(part, None, common) if len(one.raters) > 1 else {} for part in (one, two))
    try:
        found = ratings_difference(two, one, labels=("second reading", "first reading"), **options.chosen())
        rows = tuple(row for row in found.rows if row.group in (ALPHA, DISTANCE))
        difference = replace(found, rows=rows) if rows else None
    except SocialStatsError:
        difference = None
    return Agreement(label=label, before=before, after=after, difference=difference)


def verified(shares: Result, agreements: Sequence[Agreement], block: Block) -> Mapping[str, Any]:
    """Recompute the results of the block, each under a name of its own."""
    named = {"Another reading: shares that change": shares}
    for one in agreements:
        label = shorten(one.label, 40)
        for when, alphas in (("first", one.before), ("second", one.after)):
            named |= {f"{when} reading, {label}: {kind}": r for kind, r in alphas.items()}
        if one.difference is not None:
            named[f"both readings, {label}: difference"] = one.difference
    return verify_all(named, [block])


def cautions_of(shares: Result) -> tuple[Caution, ...]:
    """Return caution SS319 where more than 1% of the answers change."""
    row, columns = shares.rows[0], shares.settings["columns"]
    if (row.estimate or 0.0) <= LARGE:
        return ()
    changed, n = (shares.counts[key] for key in ("changed", "answers"))
    detail = (
        f"column '{shorten(columns[1], 40)}' says something else than '{shorten(columns[0], 40)}' in {changed:,} of "
    )
    return (caution("SS319", f"{detail}{count(n, 'answer')} ({percent(row.estimate)})", affects="every number",
                    fix="read the replies that changed, and say which reading counts"),)  # fmt: skip


def reread_block(answers: Answers, shares: Result, means: Result | None, agreements: Sequence[Agreement]) -> Block:
    """Show what changed, from which label to which, and what means and alphas become."""
    changes: tuple[Row, ...] = ()
    results = [shares, *([means] if means is not None and means.rows else [])]
    if means is not None:
        gaps = [named_row(r) for r in means.rows if r.label("quantity") == CHANGE]
        changes, adjusted = with_holm(gaps, "changes of means")
        results += [adjusted] if adjusted else []
    for one in agreements:
        results += [*one.before.values(), *one.after.values(), *([one.difference] if one.difference else [])]
    drawn = [r for r in changes if r.estimate is not None]
    first, second = (shorten(name, 40) for name in shares.settings["columns"])
    return Block(
        id="reread",
        question="What does another reading of the replies change?",
        sentences=(*share_words(answers, shares), *mean_words(changes, means), *alpha_words(agreements)),
        draw=partial(forest, drawn[:MOST_ROWS], sort=False, digits=3, xlabel="change of the mean (second - first)")
        if drawn else None,
        figure_title="How far the means move, over answers that are levels in both readings" if drawn else "",
        caption=f"First reading: column '{first}'; second: '{second}'. {count(shares.counts['answers'], 'answer')}, "
        f"{count(len(answers.one.units), 'unit')}, {count(len(answers.one.raters), 'rater')}. "
        f"{capital(shares.inference)}."
        + (" Cells in which no answer changed are left out." if drawn else ""),
        tables=(
            rows_table(shares.rows, "Share of answers that changed", term="Answers",
                       labels=[share_label(answers, r) for r in shares.rows]),
            *confusion_table(answers), *mean_tables(means, changes), *alpha_tables(agreements),
        ),
        results=tuple(results),
    )  # fmt: skip


def named_row(row: Row) -> Row:
    """Name a row by the level of the by factor, where there is one, and the rater."""
    return replace(row, term=f"{row.by}, {row.term}" if row.by is not None else row.term, by=None, group=None)


def share_label(answers: Answers, row: Row) -> str:
    """Name a share: all answers, a level of the by factor, a rater."""
    by = f"{shorten(answers.one.by.name, 30)} " if answers.one.by is not None else ""
    return f"{'rater ' if row.label('rater') else by if row.label('by') else ''}{row.term}"


def share_words(answers: Answers, shares: Result) -> list[str]:
    """Say how many answers changed, where most, and from which label to which."""
    column, changed, n = shorten(shares.settings["columns"][1], 40), shares.counts["changed"], shares.counts["answers"]
    if not changed:
        return [f"The other reading (column '{column}') gives the same answer to all {count(n, 'reply', 'replies')}."]
    said = [f"The other reading (column '{column}') changes {changed:,} of {count(n, 'answer')}, a share of "
            f"{numbers_text(shares.rows[0], digits=3, bounded=True)}."]  # fmt: skip
    where = []
    by = f"{shorten(answers.one.by.name, 30)} " if answers.one.by is not None else ""
    for dimension, most, word in (("rater", 2, ""), ("by", 1, by)):
        rows = sorted((r for r in shares.rows if r.label(dimension) and r.estimate), key=lambda r: -(r.estimate or 0.0))
        where += [f"{word}'{shorten(r.term, 40)}' ({numbers_text(r, digits=3, bounded=True)})" for r in rows[:most]]
    if where:
        said.append(f"Most change in {'; '.join(where)}.")
    (old, new), times = next(iter(transitions(answers).items()))
    said.append(f"Most often '{shorten(old, 40)}' became '{shorten(new, 40)}' ({count(times, 'answer')}).")
    return said


def mean_words(changes: Sequence[Row], means: Result | None) -> list[str]:
    """Say how many means move by more than chance, and the one that moves most clearly."""
    tested = [(k, r) for k, r in enumerate(changes) if r.p_value is not None]
    if means is None or not tested:
        return []
    clear = sum((r.p_adjusted if r.p_adjusted is not None else r.p_value or 0.0) < 1 - means.settings["level"]
                for _, r in tested)  # fmt: skip
    k, top = max(tested, key=lambda one: abs(one[1].estimate or 0.0))
    before, after = (number(r.estimate or 0.0, 3) for r in means.rows[3 * k : 3 * k + 2])
    holm = " (Holm)" if len(tested) > 1 else ""
    return [
        f"Of {count(len(tested), 'mean')} with changed answers {number(clear, 0)} "
        f"{'moves' if clear == 1 else 'move'} by more than their noise{holm}. The largest move is that of "
        f"{shorten(top.term, 60)}: from {before} to {after}, by {numbers_text(top, digits=3)}."
    ]


def alpha_words(agreements: Sequence[Agreement]) -> list[str]:
    """Say alpha on the scale of the ratings before and after, of the levels where it moves most."""
    known = [(one, row) for one in agreements if one.difference is not None and one.before and one.after
             for row in one.difference.rows if row.group == ALPHA and row.estimate is not None]  # fmt: skip
    known.sort(key=lambda pair: -abs(pair[1].estimate or 0.0))
    said = []
    for one, row in known[:MOST_SAID]:
        ends = [number(list(a.values())[-1].rows[0].estimate, 3, bounded=True) for a in (one.before, one.after)]
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
    cells = tuple(
        (c.term, b.estimate, a.estimate, c.estimate, c.conf_low, c.conf_high, p_text(c.p_value), p_text(c.p_adjusted),
         int(c.n or 0), c.undefined)
        for b, a, c in zip(means.rows[::3], means.rows[1::3], changes, strict=True)
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
        for kind in dict.fromkeys([*one.before, *one.after]):
            pair = [alphas[kind].rows[0] if kind in alphas else Row(term=kind) for alphas in (one.before, one.after)]
            cells.append((f"{one.label}: {kind}", *(x for r in pair for x in (r.estimate, r.conf_low, r.conf_high))))
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
