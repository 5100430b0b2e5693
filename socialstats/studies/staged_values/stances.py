"""Stances of answers in words: labels of answers, one row per answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from socialstats import sentences
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.errors import InputError
from socialstats.figures import forest
from socialstats.results import Result
from socialstats.shares.label_counts import label_counts
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Block, StudyOptions
from socialstats.tables import Table
from socialstats.text import count, quoted, shorten

NEEDED = ("answer", "stance")
PARTS = ("model", "scenario")


def read_stances(table: Table) -> Table:
    """Return the table of stances: columns ``answer`` and ``stance``, best with ``model`` and ``scenario``.

    Raises
    ------
    InputError
        For columns that are not there.
    """
    need_columns(table, NEEDED, "stances have answer, stance, model, scenario")
    return table


def check_stances(table: Table, design: Ratings) -> None:
    """Raise InputError for models and scenarios that the scores do not have, which would be counted as answers."""
    for part in PARTS:
        if part not in table.columns or part not in design.strata:
            continue
        known = design.strata[part].levels
        extra = [
            label
            for label in table.counts([part]).columns[part].labels().levels
            if label not in known
        ]
        if extra:
            raise InputError(
                f"{table.source}, column '{part}': the scores have no {part} {quoted(extra, 5)}; they "
                f"have {quoted(known, 10)}. Correct the names, or leave these answers out"
            )


def stance_counts(table: Table, options: StudyOptions) -> Result:
    """Return how often each stance is taken, by model, with scenarios as clusters."""
    return label_counts(
        table,
        labels="stance",
        unit="answer",
        group="model" if "model" in table.columns else None,
        cluster="scenario" if "scenario" in table.columns else None,
        **options.chosen(),
    )


def stances_block(result: Result) -> Block:
    """Return the shares of answers that take each stance."""
    rows = result.rows[1::3]  # a count and two shares a label: the share of units
    shown = [
        replace(
            row, term=f"{shorten(row.group or 'all answers', 30)}: {row.label('label')}", group=None
        )
        for row in rows
    ]
    whole = [row for row in rows if row.group is None]
    best = max(whole, key=lambda row: row.estimate or 0.0)
    return Block(
        id="stances",
        question="Which stances did the answers take?",
        sentences=(
            f"Of {count(result.counts['units'], 'answer')}, the largest share took the "
            f"stance '{shorten(best.label('label') or '', 40)}': {sentences.estimate_text(best)}.",
        ),
        draw=partial(forest, shown[:60], sort=False, reference=None, xlabel="share of answers"),
        figure_title="Share of answers that took each stance",
        caption=f"Points: shares of answers; CIs: {result.inference}.",
        tables=(
            rows_table(shown, "Share of answers that took each stance", term="Model and stance"),
        ),
        results=(result,),
    )
