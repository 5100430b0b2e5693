"""Questions about composites, changes and weights that the study of staged values answers, one block each."""

from __future__ import annotations

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
from socialstats.studies.stage_tables import cross_table, part_rows, stage_table, words
from socialstats.studies.stage_weights import of_group
from socialstats.studies.stage_words import (
    ALL,
    change_name,
    changes,
    changes_text,
    ends_text,
    leans,
    size_of,
)
from socialstats.text import count, level_text, listing, shorten


def zero_mean(zero: Mapping[str, float]) -> float:
    """Return the mean of the judges' zeros."""
    return sum(zero.values()) / len(zero)


def lean_block(profile: Result, lean: Sequence[Row], tests: Result | None, options: StudyOptions) -> Block:
    """Return the composite of each model against the zero."""
    anchored = options.zero is not None
    place = "the judges' own zero" if anchored else "the centre of the scale"
    rows = [replace(r, group=None) for r in lean]
    said = [f"Against {place}: {leans(lean, options)}."]
    tables = [rows_table(rows, f"Composite over all stages against {place}", term="Model")]
    if anchored:
        raw = of_group(profile, "composite")
        tables.append(rows_table(raw, "Composite over all stages as the judges gave it, against 0", term="Model"))
        apart = sum((r.p_value or 1.0) < 1 - options.level for r in raw)
        said.append(f"Against 0, as the judges gave it and without adjustment, {count(apart)} of "
                    f"{count(len(raw), 'model')} would differ.")  # fmt: skip
    else:
        said.append(profile.sentence())
    pairs = of_group(profile, "composite difference")
    if pairs:
        said.append(pairs_text(pairs))
        tables.append(
            rows_table(
                pairs,
                "Differences of any two models, paired within scenarios; the judges' zero does "
                f"not touch them (p (Holm): over {count(len(pairs), 'pair')})",
                term="Models",
            )
        )
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


def pairs_text(pairs: Sequence[Row]) -> str:
    """Say which models differ from each other."""
    clear = [r for r in pairs if r.p_adjusted is not None and r.p_adjusted < 0.05]
    rest = [shorten(r.term, 60) for r in pairs if r not in clear]
    said = (
        f"Compared with each other in the same scenarios, {count(len(clear))} of {count(len(pairs), 'pair')} of models"
    )
    differ = f"{said} {'differs' if len(clear) == 1 else 'differ'} (Holm-adjusted p < .05)"
    return f"{differ}; open: {listing(rest, most=6)}." if rest else f"{differ}."


def trajectories_block(profile: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return the course of every model's composite, with the judges' own zero as a line."""
    rows = part_rows(profile, "composite")
    joint = of_group(profile, f"composite {ALL}") or [replace(r, term=r.group or "", group=None) for r in rows]
    known = [r for r in joint if r.estimate is not None]
    lines, anchored = {"centre": 0.0}, options.zero is not None
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
        caption=f"{bars_text(profile, stages)} Composites are as the judges gave them"
        f"{', their own zero is a line' if anchored else ''}. Whether a model moved is tested within scenarios (next "
        "question): overlapping bars do not say that it did not.",
        tables=tuple(tables),
    )  # fmt: skip


def bars_text(result: Result, stages: Sequence[str]) -> str:
    """Say what the bars and the numbers of trajectories are."""
    n = count(result.counts["scenarios"], "scenario")
    level = next((r.conf_level for r in result.rows if r.conf_level is not None), 0.95)
    last = shorten(stages[-1], 40)
    return f"Bars: {level_text(level)} interval of each mean over {n}; numbers at the right: {last}."


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
    shown = [replace(r, term=change_name(r), group=None) for r in rows]
    return Block(
        id="changes",
        question="What do the stages change?",
        sentences=(changes_text(profile, "the composite", options),),
        draw=partial(forest, shown, sort=False, digits=1, xlabel="change of the composite of all models"),
        figure_title="Change of the composite of all models against the baseline",
        caption=f"{level_text(options.level)} intervals, paired within {count(int(rows[-1].n or 0), 'scenario')}; d_z "
        "is the mean change over the standard deviation of the changes.",
        tables=change_tables(profile, "the composite"),
    )


def commitment_block(commitment: Result, stages: Sequence[str], options: StudyOptions) -> Block:
    """Return mean commitment at each stage, and its changes with d_z."""
    rows = part_rows(commitment, "composite")
    joint = of_group(commitment, f"composite {ALL}")
    few = rows if rows and len({r.term for r in rows}) <= MOST_ITEMS else []
    tables = [rows_table(joint, "Commitment of all models at each stage", term="Stage")] if joint else []
    tables.append(stage_table(rows, "Commitment of each model at each stage"))
    return Block(
        id="commitment",
        question="Does commitment grow?",
        sentences=(changes_text(commitment, "commitment", options),),
        draw=partial(trajectories, few, stages=stages, ylabel="commitment", digits=2) if few
        else partial(forest, joint, sort=False, xlabel="commitment"),
        figure_title="Mean commitment at each stage, a line a model",
        caption=f"{bars_text(commitment, stages)} Changes are paired within scenarios.",
        tables=(*tables, *change_tables(commitment, "commitment")),
        results=(commitment,),
    )  # fmt: skip


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
