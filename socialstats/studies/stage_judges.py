"""Questions about judges and wordings that the study of staged values answers, one block each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import numbers_text, rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.studies.stage_controls import control_table
from socialstats.studies.stage_tables import cross_table
from socialstats.studies.stage_words import with_test
from socialstats.text import count, listing, number, shorten


def agreement_block(
    alpha: Result | None, kappa: Result | None, commitment: Result | None, stages: Sequence[str]
) -> Block | None:
    """Return agreement of the judges by stage: alpha of trait scores, kappa of each pair, alpha of commitment."""
    if alpha is None or kappa is None:
        return None
    rows = by_stage(alpha, stages)
    whole, parts = rows[0], [r for r in rows[1:] if r.estimate is not None]
    said = [f"Krippendorff's alpha of the trait scores is {numbers_text(whole, bounded=True)}."]
    if parts:
        high, low = max(parts, key=lambda r: r.estimate or 0.0), min(parts, key=lambda r: r.estimate or 0.0)
        said.append(
            f"By stage it runs from {numbers_text(low, bounded=True)} ({shorten(low.term, 40)}) to "
            f"{numbers_text(high, bounded=True)} ({shorten(high.term, 40)})."
        )
    pairs = [r for r in kappa.rows if r.group is None]
    said.append(
        "Quadratic weighted kappa: "
        + listing([f"{shorten(r.term, 60)} {numbers_text(r, bounded=True)}" for r in pairs], most=6) + "."
    )  # fmt: skip
    tables = [
        rows_table(rows, "Krippendorff's alpha (interval) of the trait scores", term="Stage"),
        rows_table(kappa.rows, "Quadratic weighted kappa of the judges", term="Judges, stage",
                   labels=[r.term if r.group is None else f"{r.term}, {r.group}" for r in kappa.rows]),
    ]  # fmt: skip
    if commitment is not None:
        own = by_stage(commitment, stages)
        said.append(f"Alpha of commitment is {numbers_text(own[0], bounded=True)}.")
        tables.append(rows_table(own, "Krippendorff's alpha (interval) of commitment", term="Stage"))
    shown = [*rows, *(replace(r, term=f"kappa {r.term}") for r in pairs)]
    return Block(
        id="agreement",
        question="Do the judges agree, stage by stage?",
        sentences=tuple(said),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, digits=3, xlabel="1 = perfect agreement"),
        figure_title="Agreement of the judges: alpha by stage, and kappa of each pair",
        caption="Traits differ in their means, which raises agreement over all traits; an offset of a judge lowers "
        "it, and does not touch a comparison of models.",
        tables=tuple(tables),
        results=(alpha, kappa) if commitment is None else (alpha, kappa, commitment),
    )


def by_stage(result: Result, stages: Sequence[str]) -> list[Row]:
    """Return the rows in all and by stage, in their order, named by the stage."""
    rows = sorted(result.rows, key=lambda r: -1 if r.group is None else stages.index(r.group))
    return [replace(r, term="all stages" if r.group is None else r.group, group=None) for r in rows]


def judges_block(profile: Result, options: StudyOptions) -> Block | None:
    """Return how far each judge lies from the judges' mean, and what leaving each out does."""
    rows = [replace(r, group=None) for r in profile.rows if r.group == "judge offset"]
    if not rows:
        return None
    said = [
        "Against the judges' mean, "
        + "; ".join(f"{shorten(r.term, 40)} gives {numbers_text(r)}" for r in rows) + "."
    ]  # fmt: skip
    out = [r for r in profile.rows if (r.group or "").startswith("without judge '")]
    ranges = profile.extras["leave_one_judge_out"]
    if ranges:
        term, (low, high) = max(ranges.items(), key=lambda pair: pair[1][1] - pair[1][0])
        said.append(
            f"Leaving out any one judge moves the composite of {shorten(term, 40)}, the most affected, between "
            f"{number(low)} and {number(high)}."
        )
    tables = [rows_table(rows, "Composite of each judge minus the judges' mean", term="Judge")]
    if options.zero is not None:
        said.append(
            "On control texts that are neutral the judges give "
            + listing([f"{number(v)} ({shorten(j, 40)})" for j, v in options.zero.items()], most=8)
            + ": that is their own zero."
        )
        tables.append(zero_table(options))
    tables.append(cross_table(out, "Composite without each judge", line=who, digits=1,
                              column=lambda r: (r.group or "").removesuffix(" of all models")))  # fmt: skip
    return Block(
        id="judges",
        question="How far do the judges lie apart, and does the answer hang on one of them?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, digits=1, xlabel="composite minus the judges' mean"),
        figure_title="Offset of each judge",
        caption=f"Judges are {'fixed' if profile.settings['judges'] == 'fixed' else 'drawn'}: with "
        f"{count(len(rows))} of them nothing is said about others.",
        tables=tuple(tables),
    )


def who(row: Row) -> str:
    """Name the model of a row without a judge."""
    return "all models" if (row.group or "").endswith(" of all models") else row.term


def zero_table(options: StudyOptions) -> Table:
    """Return the composites of all control texts; of their mean alone where nothing else is known."""
    if options.controls is not None:
        return control_table(options.controls, options.weights, options.level)
    cells = tuple((judge, number(value)) for judge, value in (options.zero or {}).items())
    caption = "The judges' own zero: composite of neutral control texts"
    return Table(caption=caption, header=("Judge", "Composite"), cells=cells)


def wordings_block(spread: Result) -> Block:
    """Return the spread over wordings and its change."""
    rows = [replace(r, group=None) for r in spread.rows if r.group == "spread"]
    own = [replace(r, term=f"{r.term}, {(r.group or '').partition(': ')[2]}", group=None)
           for r in spread.rows if (r.group or "").startswith("spread: ")]  # fmt: skip
    moved = [replace(r, group=None) for r in spread.rows if r.group == "change"]
    said = [spread.sentence()]
    row = moved[0] if moved else None
    if row is not None and row.estimate is not None and row.conf_low is not None and row.conf_high is not None:
        first = row.term.partition(" minus ")[0]
        verdict = (
            f"Answers depend more on the wording at {shorten(first, 40)}" if row.conf_low > 0
            else f"Answers depend less on the wording at {shorten(first, 40)}" if row.conf_high < 0
            else "The data do not settle whether the spread over wordings changes"
        )  # fmt: skip
        said.insert(0, f"{verdict} ({with_test(row)}).")
    tables = [rows_table(rows, "Mean standard deviation over wordings", term="Stage")]
    tables += [rows_table(own, "The same, by model", term="Model, stage")] if own else []
    tables += [rows_table(moved, "Its change", term="Change")] if moved else []
    return Block(
        id="wordings",
        question="How much do the answers hang on the wording?",
        sentences=tuple(said),
        draw=partial(forest, [*rows, *own][:MOST_ROWS], sort=False, reference=None,
                     xlabel="standard deviation of the composite over wordings"),
        figure_title="Standard deviation of the composite over wordings of the same question",
        caption="The noise of models and judges is part of it, at all stages alike.",
        tables=tuple(tables),
        results=(spread,),
    )  # fmt: skip
