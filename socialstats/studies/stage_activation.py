"""Which traits are active, and how evenly the scores are spread over them: one block of the study of staged values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.results import Result, Row
from socialstats.studies.estimates import rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_tables import part_rows, stage_table, words
from socialstats.studies.stage_weights import of_group
from socialstats.studies.stage_words import ALL, change_name, changes, ends_text, with_test
from socialstats.text import count, listing, number, shorten


def activation_block(profile: Result) -> Block | None:
    """Return how many traits are active, and the entropy of the traits' shares."""
    rows, joint = part_rows(profile, "activation"), of_group(profile, f"activation {ALL}")
    shown = joint or [replace(r, term=r.group or "", group=None) for r in rows]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    said = (
        f"Of {count(profile.counts['traits'], 'trait')}, the mean number that is active (judges' mean score of at "
        f"least {number(profile.settings['activation'], 0)}) is {ends_text(known, at='at')}."
    )
    return Block(
        id="activation",
        question="How many traits are active, and how evenly are the scores spread over the traits?",
        sentences=(said, clear_changes(profile, "activation", "the number"), *active_text(profile),
                   *entropy_sentences(profile)),
        draw=partial(forest, shown, sort=False, xlabel="active traits", reference=None),
        figure_title="Mean number of active traits at each stage, all models",
        caption="A count above a line loses what happens on either side of it: composites and scores say more.",
        tables=(
            *measure_tables(profile, "activation", "the number of active traits", shown),
            *([stage_table(rows, "Active traits of each model at each stage")] if joint else []),
            *([rows_table([replace(r, term=words(r.term)) for r in active_rows(profile)],
                          "Share of answers in which each trait is active", term="Trait")]),
            *measure_tables(profile, "entropy", "the entropy of the trait scores", entropy_stages(profile)),
        ),
    )  # fmt: skip


def active_rows(profile: Result) -> list[Row]:
    """Return the share of answers in which each trait is active."""
    return of_group(profile, "active of all models") or of_group(profile, "active")


def active_text(profile: Result) -> tuple[str, ...]:
    """Say which traits are active most and least often."""
    known = [replace(r, term=words(r.term)) for r in active_rows(profile) if r.estimate is not None]
    return (
        (f"The share of answers in which a trait is active is {ends_text(known, at='for', digits=3)}.",)
        if known
        else ()
    )


def measure_tables(profile: Result, measure: str, what: str, stages: Sequence[Row]) -> tuple[Table, ...]:
    """Return a measure at each stage, and its changes."""
    moved = changes(profile, measure)
    tables = [rows_table(stages, f"{what[4].upper()}{what[5:]} at each stage", term="Stage")] if stages else []
    if moved:
        names = [change_name(r) for r in moved]
        tables.append(rows_table(moved, f"Changes of {what}", term="Change", labels=names))
    return tuple(tables)


def clear_changes(profile: Result, measure: str, what: str, digits: int = 2) -> str:
    """Say which changes of a measure are below .05 after adjustment."""
    clear = [r for r in changes(profile, measure) if r.p_adjusted is not None and r.p_adjusted < 0.05]
    named = listing([f"{shorten(change_name(r), 40)} ({with_test(r, digits)})" for r in clear], most=4)
    if not clear:
        return f"No change of {what} is below .05 after adjustment."
    return f"Changes of {what} below .05 after adjustment: {named}."


def entropy_stages(profile: Result) -> list[Row]:
    """Return the entropy at each stage."""
    own = [replace(r, term=r.group or "", group=None) for r in part_rows(profile, "entropy")]
    return of_group(profile, f"entropy {ALL}") or own


def entropy_sentences(profile: Result) -> tuple[str, ...]:
    """Say where the scores are spread most and least evenly over the traits, and what changed."""
    known = [r for r in entropy_stages(profile) if r.estimate is not None]
    if not known:
        return ()
    return (
        f"The entropy of the traits' shares in the scores, in nats, is {ends_text(known, at='at', digits=3)}; the "
        f"largest possible, ln {profile.counts['traits']}, would be scores all alike.",
        clear_changes(profile, "entropy", "entropy", 3),
    )
