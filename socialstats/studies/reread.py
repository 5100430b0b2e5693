"""A second parsing of the same replies, and what it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, SocialStatsError, caution
from socialstats.figures import forest
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row, combine_verifications
from socialstats.scales.measures import ALPHA, DISTANCE
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.scales.rereading import (
    AFTER,
    BEFORE,
    CHANGE,
    RereadAnswers,
    answers_of,
    changed_means,
    changed_shares,
    confusion,
    key_of,
    transitions,
)
from socialstats.studies.estimates import p_text, rows_table, verify_all
from socialstats.studies.ordinal_alignment.agreement import alphas_of
from socialstats.studies.page import Block, Design, Outcome, PageTable, StudyOptions, order_cautions
from socialstats.text import as_words, count, listing, number, percent, shorten
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
    """Add what the second parsing, `options.reread`, changes: a block, a sentence, a caution, a paragraph.

    Raises
    ------
    InputError
        If the table is not one of ratings, or the readings do not match.
    """
    second = options.reread
    if not isinstance(design, Ratings) or not isinstance(second, Ratings):
        raise InputError(
            f"a second parsing of the replies ({option('reread')}) is for tables of ratings"
        )
    answers = answers_of(design, second)
    shares = changed_shares(design, second, level=options.level)
    means = (
        None if design.scale == "nominal" else changed_means(design, second, level=options.level)
    )
    parts, others = design.split(), second.split()
    agreements = tuple(
        agreement("all answers" if len(parts) == 1 else label, part, others[label], options)
        for label, part in parts.items()
    )
    block = reread_block(answers, shares, means, agreements)
    return replace(
        outcome,
        answer=(*outcome.answer, block.sentences[0]),
        cautions=order_cautions(outcome.cautions, cautions_of(shares), once=False),
        blocks=(*outcome.blocks, block),
        methods=(*outcome.methods, methods(answers, shares, means)),
        references=tuple(
            dict.fromkeys(
                [*outcome.references, *(key for r in block.results for key in r.references)]
            )
        ),
        verifications=combine_verifications(
            outcome.verifications, verified(shares, agreements, block)
        )
        if options.verify
        else {},
    )


def agreement(label: str, one: Ratings, two: Ratings, options: StudyOptions) -> Agreement:
    """Return every alpha in both parsings, and the difference of the one on the scale of the ratings."""
    before, after = (alphas_of(part, options) if len(one.raters) > 1 else {} for part in (one, two))
    try:
        found = ratings_difference(
            two, one, labels=("second parsing", "first parsing"), **options.chosen()
        )
        rows = tuple(row for row in found.rows if row.group in (ALPHA, DISTANCE))
        difference = replace(found, rows=rows) if rows else None
    except SocialStatsError:
        difference = None
    return Agreement(label=label, before=before, after=after, difference=difference)


def verified(shares: Result, agreements: Sequence[Agreement], block: Block) -> Mapping[str, Any]:
    """Recompute the results of the block, each under a name of its own."""
    named = {"Second parsing: shares that change": shares}
    for one in agreements:
        label = shorten(one.label, 40)
        for when, alphas in (("first", one.before), ("second", one.after)):
            named |= {f"{when} parsing, {label}: {kind}": r for kind, r in alphas.items()}
        if one.difference is not None:
            named[f"both parsings, {label}: difference"] = one.difference
    return verify_all(named, [block])


def cautions_of(shares: Result) -> tuple[Caution, ...]:
    """Return caution SS319 where more than 1% of the answers change."""
    row, columns = shares.rows[0], shares.settings["columns"]
    if (row.estimate or 0.0) <= LARGE:
        return ()
    changed, n = (shares.counts[key] for key in ("changed", "answers"))
    detail = (
        f"column '{shorten(columns[1], 40)}' differs from '{shorten(columns[0], 40)}' in {changed:,} of "
        f"{count(n, 'answer')} ({percent(row.estimate)})"
    )
    return (
        caution(
            "SS319",
            detail,
            affects="every number",
            fix="read the changed replies, and report which parsing counts",
        ),
    )


def reread_block(
    answers: RereadAnswers, shares: Result, means: Result | None, agreements: Sequence[Agreement]
) -> Block:
    """Show which answers changed, from which label to which, and the changes of means and alphas."""
    changes: tuple[Row, ...] = ()
    results = [shares, *([means] if means is not None and means.rows else [])]
    if means is not None:
        gaps = [named_row(r) for r in means.rows if r.label("quantity") == CHANGE]
        changes, adjusted = adjust_family_by_holm(gaps, "changes of means")
        results += [adjusted] if adjusted else []
    for one in agreements:
        results += [
            *one.before.values(),
            *one.after.values(),
            *([one.difference] if one.difference else []),
        ]
    drawn = [r for r in changes if r.estimate is not None]
    first, second = (shorten(name, 40) for name in shares.settings["columns"])
    return Block(
        id="reread",
        question="What did a second parsing of the replies change?",
        part="appendix",
        sentences=(
            *share_words(answers, shares),
            *mean_words(changes, means),
            *alpha_words(agreements),
        ),
        draw=partial(
            forest, drawn[:MOST_ROWS], sort=False, xlabel="change of the mean (second \u2212 first)"
        )
        if drawn
        else None,
        figure_title="Changes of means, over answers that are levels in both parsings"
        if drawn
        else "",
        caption=f"First parsing: column '{first}'; second: '{second}'. Points and bars: changes and CIs "
        f"({shares.inference}); n = {count(shares.counts['answers'], 'answer')}, "
        f"{count(len(answers.first_reading.units), 'unit')}, {count(len(answers.first_reading.raters), 'rater')}."
        + (" Cells without changed answers are excluded." if drawn else ""),
        tables=(
            rows_table(
                shares.rows,
                "Share of answers that changed",
                term="Answers",
                labels=[share_label(answers, r) for r in shares.rows],
            ),
            *confusion_table(answers),
            *mean_tables(means, changes),
            *alpha_tables(agreements),
        ),
        results=tuple(results),
    )


def named_row(row: Row) -> Row:
    """Name a row by the level of the by factor, where there is one, and the rater."""
    return replace(
        row, term=f"{row.by}, {row.term}" if row.by is not None else row.term, by=None, group=None
    )


def share_label(answers: RereadAnswers, row: Row) -> str:
    """Name a share: all answers, a level of the by factor, a rater."""
    by = (
        f"{as_words(answers.first_reading.by.name, 30)} "
        if answers.first_reading.by is not None
        else ""
    )
    return f"{'rater ' if row.label('rater') else by if row.label('by') else ''}{row.term}"


def share_words(answers: RereadAnswers, shares: Result) -> list[str]:
    """State how many answers changed, where most, and from which label to which."""
    column, changed, n = (
        shorten(shares.settings["columns"][1], 40),
        shares.counts["changed"],
        shares.counts["answers"],
    )
    if not changed:
        return [
            f"The second parsing (column '{column}') gave the same answer to all {count(n, 'reply', 'replies')}."
        ]
    said = [
        f"The second parsing (column '{column}') changed {changed:,} of {count(n, 'answer')} "
        f"({sentences.estimate_text(shares.rows[0])})."
    ]
    where = []
    by = (
        f"{as_words(answers.first_reading.by.name, 30)} "
        if answers.first_reading.by is not None
        else ""
    )
    for dimension, most, word in (("rater", 2, ""), ("by", 1, by)):
        rows = sorted(
            (r for r in shares.rows if r.label(dimension) and r.estimate),
            key=lambda r: -(r.estimate or 0.0),
        )
        where += [f"{word}'{shorten(r.term, 40)}' ({percent(r.estimate)})" for r in rows[:most]]
    if where:
        said.append(f"Changes were most frequent in {listing(where)}.")
    (old, new), times = next(iter(transitions(answers).items()))
    said.append(
        f"Most often '{shorten(old, 40)}' became '{shorten(new, 40)}' ({count(times, 'answer')})."
    )
    return said


def mean_words(changes: Sequence[Row], means: Result | None) -> list[str]:
    """State how many means changed significantly, and the largest change."""
    tested = [r for r in changes if r.p_value is not None]
    if means is None or not tested:
        return []
    clear = sum(sentences.is_significant(r, 1 - means.settings["level"]) for r in tested)
    top = max(tested, key=lambda r: abs(r.estimate or 0.0))
    holm = ", Holm" if len(tested) > 1 else ""
    return [
        f"{count(clear)} of {count(len(tested), 'mean')} with changed answers changed significantly (paired t "
        f"{'tests' if len(tested) > 1 else 'test'}{holm}).",
        f"The largest change was that of {shorten(top.term, 60)}: {sentences.estimate_text(top)}.",
    ]


def alpha_words(agreements: Sequence[Agreement]) -> list[str]:
    """State alpha on the scale of the ratings in both parsings, where it changes most."""
    known = [
        (one, row)
        for one in agreements
        if one.difference is not None and one.before and one.after
        for row in one.difference.rows
        if row.group == ALPHA and row.estimate is not None
    ]
    known.sort(key=lambda pair: -abs(pair[1].estimate or 0.0))
    said = []
    for one, row in known[:MOST_SAID]:
        before, after = (
            number(list(a.values())[-1].rows[0].shown()) for a in (one.before, one.after)
        )
        said.append(
            f"Krippendorff's {row.term} changed from {before} to {after} ({shorten(one.label, 40)})."
        )
    return said


def confusion_table(answers: RereadAnswers) -> list[PageTable]:
    """Count the answers by both parsings: a square where there are few labels, else the most frequent changes."""
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
        return [
            PageTable(
                caption="Answers by first parsing (rows) and second parsing (columns)",
                digits=0,
                header=("First parsing", *(f"now {name}" for name in names)),
                cells=cells,
            )
        ]
    listed = tuple(
        (shorten(a, 40), shorten(b, 40), n) for (a, b), n in list(moves.items())[:MOST_MOVES]
    )
    return [
        PageTable(
            caption=f"The most frequent of {count(len(moves), 'kind')} of changes",
            digits=0,
            header=("First parsing", "Second parsing", "Answers"),
            cells=listed,
        )
    ]


def mean_tables(means: Result | None, changes: Sequence[Row]) -> list[PageTable]:
    """Show the means in both parsings, with the change and its test."""
    if means is None or not changes:
        return []
    known = {row.key: row.estimate for row in means.rows}
    cells = tuple(
        (
            c.term,
            *(known[key_of((c.label("rater"), c.label("by")), which)] for which in (BEFORE, AFTER)),
            c.estimate,
            c.conf_low,
            c.conf_high,
            p_text(c.p_value),
            p_text(c.p_adjusted),
            int(c.n or 0),
            c.undefined,
        )
        for c in changes
    )
    header = (
        "Answers",
        "Mean before",
        "Mean after",
        "Change",
        "Low",
        "High",
        "p",
        "p (Holm)",
        "n",
        "Why not",
    )
    return [
        PageTable(
            caption="Means of the answers that are levels in both parsings",
            header=header,
            cells=cells[:MOST_ROWS],
        )
    ]


def alpha_tables(agreements: Sequence[Agreement]) -> list[PageTable]:
    """Show every alpha (and distance from people) in both parsings."""
    cells: list[tuple[str | float | None, ...]] = []
    rows: list[Row] = []
    for one in agreements:
        for kind in dict.fromkeys([*one.before, *one.after]):
            pair = [
                alphas[kind].rows[0] if kind in alphas else Row(term=kind)
                for alphas in (one.before, one.after)
            ]
            cells.append(
                (
                    f"{one.label}: {kind}",
                    *(x for r in pair for x in (r.estimate, r.conf_low, r.conf_high)),
                )
            )
        if one.difference is not None:
            rows += [
                replace(r, term=f"{one.label}: {r.term}", group=None) for r in one.difference.rows
            ]
    header = ("Alpha", "Before", "Low", "High", "After", "Low (after)", "High (after)")
    found = (
        [
            PageTable(
                caption="Krippendorff's alpha in both parsings", header=header, cells=tuple(cells)
            )
        ]
        if cells
        else []
    )
    if rows:
        found.append(
            rows_table(
                rows, "Differences, second parsing minus first, on the same units", term="Number"
            )
        )
    return found


def methods(answers: RereadAnswers, shares: Result, means: Result | None) -> str:
    """Return the methods paragraph."""
    first, second = (shorten(name, 40) for name in shares.settings["columns"])
    text = (
        f"The same replies were parsed twice, into column '{first}' (all other results) and column '{second}', with "
        f"the same levels and refusals. Shares of changed answers have {shares.inference} and Wilson CIs for the "
        "effective sample size."
    )
    if means is not None:
        text += (
            " Changes of means were tested by paired t tests over answers that are levels in both parsings "
            f"({shares.inference}; Holm over all changes)."
        )
        if not answers.first_reading.numeric:
            text += f" Levels count as 0 to {number(len(answers.first_reading.levels) - 1, 0)} in their order."
    return (
        f"{text} Differences of alpha were bootstrapped over units (or declared clusters), the "
        f"same for both parsings."
    )
