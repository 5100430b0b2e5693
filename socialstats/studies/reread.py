"""A second parsing of the same replies, and what it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, combine_verifications
from socialstats.scales.measures import ALPHA, DISTANCE
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.scales.rereading import (
    CHANGE,
    RereadAnswers,
    answers_of,
    changed_means,
    changed_shares,
    confusion,
)
from socialstats.studies.alphas import agreement_question, alphas_by_part, kinds_sentences
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.estimates import literature, verify_all
from socialstats.studies.page import Block, Design, Outcome, PageTable, StudyOptions, order_cautions
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.row_sentences import largest_sentence, tally_sentence
from socialstats.studies.row_tables import grid_table
from socialstats.text import count, percent, shorten
from socialstats.voice import option

LARGE = 0.01  # a share of changed answers above this is a caution
MOST_LABELS = 14
READINGS = ("first parsing", "second parsing")


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
    means = None
    if design.scale != "nominal":
        means = changed_means(design, second, level=options.level)
    pairs = pairs_of(design, second)
    parts = {
        f"{name}, {reading}": part
        for name, pair in pairs.items()
        for reading, part in zip(READINGS, pair, strict=True)
    }
    alphas = alphas_by_part(parts, options)
    agreement = agreement_question(
        alphas,
        kinds_sentences(alphas),
        differences_of(pairs, options),
        id="reread-alphas",
        question="Did a second parsing of the replies change the agreement of raters?",
        part="appendix",
    )
    asked = (reread_question(answers, shares, means), agreement)
    blocks = [block for block in asked if block is not None]
    checks = combine_verifications(outcome.verifications, verify_all({}, blocks))
    return replace(
        outcome,
        answer=(*outcome.answer, shares.sentence()),
        cautions=order_cautions(outcome.cautions, cautions_of(shares), once=False),
        blocks=(*outcome.blocks, *blocks),
        methods=(*outcome.methods, methods(answers, shares, means)),
        references=tuple(
            dict.fromkeys(
                [*outcome.references, *literature([r for b in blocks for r in b.results])]
            )
        ),
        verifications=checks if options.verify else {},
    )


def pairs_of(first: Ratings, second: Ratings) -> dict[str, tuple[Ratings, Ratings]]:
    """Return both readings of each level of the by factor."""
    parts = second.split()
    pairs = {level: (part, parts[level]) for level, part in first.split().items()}
    return pairs if len(pairs) > 1 else dict.fromkeys(["all answers"], *pairs.values())


def differences_of(
    pairs: Mapping[str, tuple[Ratings, Ratings]], options: StudyOptions
) -> list[Result]:
    """Return the differences of alpha and of the distance from people, second minus first parsing."""
    differences = []
    for name, (first, second) in pairs.items():
        result = attempt_result(
            ratings_difference, second, first, labels=READINGS[::-1], **options.chosen()
        )
        rows = [] if result is None else [r for r in result.rows if r.group in (ALPHA, DISTANCE)]
        if rows:
            title = f"{' minus '.join(READINGS[::-1])}: {name}"
            differences.append(replace(result, rows=tuple(rows), title=title))
    return differences


def cautions_of(shares: Result) -> tuple[Caution, ...]:
    """Return caution SS319 where more than 1% of the answers change."""
    share = shares.rows[0].estimate or 0.0
    if share <= LARGE:
        return ()
    first, second = (shorten(name, 40) for name in shares.settings["columns"])
    changed, n = (count(shares.counts[key]) for key in ("changed", "answers"))
    return (
        caution(
            "SS319",
            f"column '{second}' differs from '{first}' in {changed} of {n} answers ({percent(share)})",
            affects="every number",
            fix="read the changed replies, and report which parsing counts",
        ),
    )


def reread_question(answers: RereadAnswers, shares: Result, means: Result | None) -> Block | None:
    """Ask which answers changed, from which label to which, and how far means changed."""
    mean_rows = () if means is None else means.rows
    changes = pick_rows(mean_rows, "difference", quantity=CHANGE)
    tested, adjusted = adjust_family_by_holm(changes, "changes of means")
    changes = [row for row in tested if row.estimate is not None]
    mean_title = "Means of the answers that are levels in both parsings"
    return ask_rows(
        "reread",
        "What did a second parsing of the replies change?",
        (shares, means, adjusted),
        changes or shares.rows,
        quantity="change of the mean (second \u2212 first)" if changes else "share that changed",
        say=[
            shares.sentence(),
            tally_sentence(changes, "paired t test", " of means with changed answers"),
            largest_sentence(changes, ()) if changes else "",
        ],
        names=[f"{row.by}, {row.term}" if row.by else row.term for row in changes] or None,
        draw=interval_points() if changes else None,
        tables={"Share of answers that changed": shares.rows if changes else ()},
        more=[
            confusion_table(answers),
            grid_table(mean_rows, mean_title, ("by", "rater"), "quantity"),
        ],
        note="Cells without changed answers are excluded.",
        part="appendix",
    )


def confusion_table(answers: RereadAnswers) -> PageTable:
    """Count the answers by both parsings, of the labels with most answers that changed."""
    counts = confusion(answers)
    changed = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    order = np.argsort(-changed, kind="stable")[:MOST_LABELS]
    used = [k for k in sorted(order.tolist()) if counts[k].any() or counts[:, k].any()]
    labels = [shorten(answers.labels[k], 24) for k in used]
    cells = tuple((label, *counts[k, used].tolist()) for label, k in zip(labels, used, strict=True))
    header = ("First parsing", *(f"now {label}" for label in labels))
    caption = "Answers by first parsing (rows) and second parsing (columns)"
    return PageTable(caption, header, cells if changed.any() else (), digits=0)


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
            last = count(len(answers.first_reading.levels) - 1)
            text += f" Levels count as 0 to {last} in their order."
    return f"{text} Differences of alpha were bootstrapped over units or clusters, the same for both parsings."
