"""Questions about composites, changes and weights that the study of staged values answers, one block each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest, trajectories
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_tables import cross_table
from socialstats.studies.stage_weights import of_group
from socialstats.studies.stage_words import (
    ALL,
    change_name,
    changed,
    changes,
    ends_text,
    last_change,
    leans,
    size_of,
    with_test,
)
from socialstats.text import count, listing, number, shorten


def part_rows(result: Result, measure: str) -> list[Row]:
    """Return the rows of each model at each stage, the stage as their group."""
    start = f"{measure}: "
    return [replace(r, group=(r.group or "")[len(start) :]) for r in result.rows if (r.group or "").startswith(start)]


def stage_table(rows: Sequence[Row], caption: str, digits: int = 2) -> Table:
    """Return rows of models at stages, a line a model and a column a stage."""
    return cross_table(rows, caption, line=lambda r: r.term, column=lambda r: r.group or "all stages", digits=digits)


def zero_mean(zero: Mapping[str, float]) -> float:
    """Return the mean of the judges' zeros."""
    return sum(zero.values()) / len(zero)


def lean_block(profile: Result, lean: Sequence[Row], tests: Result | None, options: StudyOptions) -> Block:
    """Return the composite of each model against the zero."""
    anchored = options.zero is not None
    place = "the judges' own zero" if anchored else "the centre of the scale"
    rows = [replace(r, group=None) for r in lean]
    said = [f"Against {place}: {leans(lean, options)}.", profile.sentence()]
    tables = [rows_table(rows, f"Composite over all stages against {place}", term="Model")]
    if anchored:
        raw = of_group(profile, "composite")
        tables.append(rows_table(raw, "Composite over all stages as the judges gave it, against 0", term="Model"))
        apart = sum((r.p_value or 1.0) < 1 - options.level for r in raw)
        said.insert(1, f"Against 0, with the judges' lean in it, {count(apart)} of {count(len(raw), 'model')} would "
                       "have differed, one by one.")  # fmt: skip
    return Block(
        id="lean",
        question="Where do the models lean?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_ROWS], xlabel=f"composite, against {place}", digits=1, label="Model"),
        figure_title=f"Weighted composite of each model over all stages, against {place}",
        caption=f"Mean over scenarios of the judges' mean composite. {profile.inference}.",
        tables=tuple(tables),
        results=(profile,) if tests is None else (profile, tests),
    )  # fmt: skip


def trajectories_block(profile: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return the course of every model's composite, with the judges' own zero as a line."""
    rows = part_rows(profile, "composite")
    joint = of_group(profile, f"composite {ALL}") or [replace(r, term=r.group or "", group=None) for r in rows]
    known = [r for r in joint if r.estimate is not None]
    lines = {"centre": 0.0}
    if options.zero is not None:
        lines = {"centre": 0.0, "judges' own zero": zero_mean(options.zero)}
    many = len({r.term for r in rows}) > 1
    said = "No stage has a composite."
    if known:
        said = f"The composite{' of all models' if many else ''} is {ends_text(known, at='at')}."
    few = rows[: MOST_ITEMS * len(stages)] if len({r.term for r in rows}) <= MOST_ITEMS else []
    tables = [rows_table(joint, "Composite of all models at each stage", term="Stage")]
    if options.zero is not None:
        off = of_group(profile, f"composite minus zero {ALL}")
        tables.append(rows_table(off, "The same minus the judges' own zero", term="Stage"))
    tables.append(stage_table(rows, "Composite of each model at each stage", 1))
    return Block(
        id="trajectories",
        question="How do the models move over the stages?",
        sentences=(said,),
        draw=partial(trajectories, few, stages=stages, lines=lines, ylabel="composite, from −100 to 100") if few
        else partial(forest, joint, sort=False, xlabel="composite, from −100 to 100"),
        figure_title="Composite at each stage, a line a model",
        caption="Bars: interval of each mean over scenarios. Whether a model moved is tested within scenarios (next "
        "question): overlapping bars do not say that it did not.",
        tables=tuple(tables),
    )  # fmt: skip


def change_tables(result: Result, what: str) -> tuple[Table, ...]:
    """Return the changes of all models and of each model, and their d_z."""
    rows = changes(result)
    own = [r for r in result.rows if (r.group or "").startswith("composite change: ")]
    names = [change_name(r) for r in rows]
    holm = "p (Holm): over stages"
    tables = [rows_table(rows, f"Changes of {what} of all models ({holm})", term="Change", labels=names)]
    sizes = [s for r in rows for s in [size_of(result, r)] if s is not None]
    tables.append(rows_table(sizes, "d_z of these changes", term="Change", labels=names))
    if own != rows:
        caption = f"Changes of {what} of each model, adjusted over models and stages"
        tables.append(cross_table(own, caption, line=lambda r: r.term, column=change_name))
        sizes = [s for r in own for s in [size_of(result, r)] if s is not None]
        tables.append(cross_table(sizes, f"d_z of the changes of {what} of each model", line=lambda r: r.term,
                                  column=change_name))  # fmt: skip
    return tuple(tables)


def changes_block(profile: Result, options: StudyOptions) -> Block:
    """Return the changes of the composite against the baseline."""
    rows = changes(profile)
    said = "; ".join(changed(profile, row, "the composite", options) for row in rows)
    shown = [replace(r, term=change_name(r), group=None) for r in rows]
    return Block(
        id="changes",
        question="What do the stages change?",
        sentences=(f"{said[0].upper()}{said[1:]}.",),
        draw=partial(forest, shown, sort=False, digits=1, xlabel="change of the composite of all models"),
        figure_title="Change of the composite of all models against the baseline",
        caption="Paired within scenarios; d_z is the mean change over the standard deviation of the changes.",
        tables=change_tables(profile, "the composite"),
    )


def commitment_block(commitment: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return mean commitment at each stage, and its changes with d_z."""
    rows = part_rows(commitment, "composite")
    joint = of_group(commitment, f"composite {ALL}")
    few = rows if rows and len({r.term for r in rows}) <= MOST_ITEMS else []
    said = "; ".join(changed(commitment, row, "commitment", options) for row in changes(commitment))
    last = last_change(commitment)
    tables = [rows_table(joint, "Commitment of all models at each stage", term="Stage")] if joint else []
    tables.append(stage_table(rows, "Commitment of each model at each stage"))
    return Block(
        id="commitment",
        question="Does commitment grow?",
        sentences=(f"{said[0].upper()}{said[1:]}.",
                   f"The units of analysis are {count(last.n_units or last.n or 0, 'scenario')}."),
        draw=partial(trajectories, few, stages=stages, ylabel="commitment", digits=2) if few
        else partial(forest, joint, sort=False, xlabel="commitment"),
        figure_title="Mean commitment at each stage, a line a model",
        caption="Bars: interval of each mean over scenarios; changes are paired within scenarios.",
        tables=(*tables, *change_tables(commitment, "commitment")),
        results=(commitment,),
    )  # fmt: skip


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
        sentences=(said, clear_changes(profile, "activation", "the number"), *entropy_sentences(profile)),
        draw=partial(forest, shown, sort=False, xlabel="active traits", reference=None),
        figure_title="Mean number of active traits at each stage, all models",
        caption="A count above a line loses what happens on either side of it: composites and scores say more.",
        tables=(
            *measure_tables(profile, "activation", "the number of active traits", shown),
            *([stage_table(rows, "Active traits of each model at each stage")] if joint else []),
            *measure_tables(profile, "entropy", "the entropy of the trait scores", entropy_stages(profile)),
        ),
    )  # fmt: skip


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
        f"The entropy of the traits' shares in the scores, in nats, is {ends_text(known, at='at', digits=3)}; scores "
        f"all alike would have ln {profile.counts['traits']} = {number(math.log(profile.counts['traits']), 3)}.",
        clear_changes(profile, "entropy", "entropy", 3),
    )


def traits_block(profile: Result) -> Block | None:
    """Return the mean score of each trait."""
    joint = of_group(profile, "score of all models")
    own = [r for r in profile.rows if (r.group or "").startswith("score: ")]
    shown = joint or [replace(r, group=None) for r in own]
    known = [r for r in shown if r.estimate is not None]
    if not known:
        return None
    named = [replace(r, term=words(r.term)) for r in shown]
    tables = [rows_table(named, "Mean score of each trait", term="Trait")]
    if joint:
        tables.append(cross_table(own, "Mean score of each trait, by model", corner="Trait",
                                  line=lambda r: words(r.term), column=lambda r: (r.group or "").partition(": ")[2],
                                  digits=1))  # fmt: skip
    return Block(
        id="traits",
        question="Which traits do the answers show?",
        sentences=(f"The mean score is {ends_text([r for r in named if r.estimate is not None], at='for')}; 10 is "
                   "neutral.",),
        draw=partial(forest, named[:MOST_ROWS], reference=10.0, xlabel="mean score, 0 to 20"),
        figure_title="Mean score of each trait over all stages and models",
        caption="The line is the neutral score.",
        tables=tuple(tables),
    )  # fmt: skip


def words(trait: str) -> str:
    """Write the name of a trait with blanks."""
    return shorten(trait.replace("_", " "), 40)
