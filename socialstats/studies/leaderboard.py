"""Leaderboard: which model has the highest mean score on the same units, by how much, and how sure is its rank?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from socialstats.designs.model_scores import TASK, TASKS, is_plain_board, model_scores
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.metrics.leaderboard import DIFFERENCE, LeaderboardResult, leaderboard
from socialstats.results import Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import cluster_words, references_of, settings_of, verify_all
from socialstats.studies.leaderboard_blocks import (
    Numbers,
    board_block,
    lead_block,
    missing_block,
    pairs_block,
    pooling_block,
    tasks_block,
)
from socialstats.studies.outcome import Block, Diagnostic, Mark, Outcome, Strip, Table
from socialstats.studies.robustness import dependence_block, with_design_effect
from socialstats.text import count, level_text, listing, shorten

USED = ("seed", "level", "pooling", "verify")
PARTS = ("unit", "rater", "value", "task")
MOST_RANKED = 100  # models x tasks up to which ranks are made by task
MOST_MARKS = 5
SHOWN = {"tasks": "each task counts the same", "units": "each unit counts the same"}


def read(
    table: Table, *, unit: str | None = None, rater: str | None = None, value: str | None = None,
    task: str | None = None, raters: Sequence[str] | None = None, by: str | None = None, na: Sequence[str] = (),
    refusal: Sequence[str] = (), cluster: Sequence[str] = (), missing: Any = "drop",
) -> Ratings:  # fmt: skip
    """Read a table of scores of models in any of the shapes of `model_scores`."""
    return model_scores(
        table, unit=unit, rater=rater, value=value, task=task, raters=raters, by=by, na=na, refusal=refusal,
        cluster=cluster, missing=missing,
    )  # fmt: skip


def suits(design: Ratings) -> bool:
    """Tell whether the design has numbers (or two levels) of two raters or more, whose names are known."""
    return (design.numeric or len(design.levels) == 2) and design.raters_known and len(design.raters) > 1


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: which model has the highest mean, how far is it above the others, and where, and how sure is that?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    numbers = compute(design, options)
    main = numbers.main
    shown = blocks(design, numbers, options)
    return Outcome(
        study="leaderboard",
        title=f"Which of {count(len(design.raters), 'model')} has the highest mean score?",
        design=describe(design, main),
        answer=(main.sentence(), numbers.joint.sentence()),
        strip=strip(numbers),
        cautions=order_cautions(main.cautions, design.cautions),
        blocks=shown,
        flow=design.flow,
        data=task_counts(main),
        diagnostics=diagnostics(main),
        methods=methods(design, numbers),
        references=references_of((main, numbers.marginal, numbers.joint), shown),
        verifications=verify_all({"Leaderboard": main}, shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute the means, differences and ranks of the page."""
    main = board(design, options)
    tasks = main.extras["tasks"]
    by_task = {}
    if len(tasks) > 1 and len(tasks) * len(design.raters) <= MOST_RANKED:
        parts = design.split_units(TASK)
        by_task = {
            name: board(parts[name], options).ranks(kind="simultaneous", seed=options.seed)
            for name in tasks if len(parts[name].raters) > 1
        }  # fmt: skip
    return Numbers(
        main=main, marginal=main.ranks(kind="marginal", seed=options.seed),
        joint=main.ranks(kind="simultaneous", seed=options.seed), by_task=by_task,
    )  # fmt: skip


def board(design: Ratings, options: StudyOptions, cluster: Any = "declared") -> LeaderboardResult:
    """Return the leaderboard of a design without a by factor."""
    found = leaderboard(design, pooling=options.pooling, cluster=cluster, level=options.level)
    assert isinstance(found, LeaderboardResult)
    return found


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    gap = numbers.gap
    term = "" if gap is None else gap.term

    def top(result: Any) -> Row:
        found: Row = result.row(term, group=DIFFERENCE)
        return found

    found = [
        board_block(numbers), lead_block(numbers), pairs_block(numbers), tasks_block(numbers), pooling_block(numbers),
        missing_block(numbers),
    ]  # fmt: skip
    if gap is not None and gap.std_error is not None:
        found.append(dependence_block(
            design.clusters, lambda way: board(design, options, way), rows="units", quantity=f"difference {term}",
            lead=top,
        ))  # fmt: skip
    return with_design_effect([block for block in found if block is not None], design.clusters, lead=top)


def describe(design: Ratings, main: LeaderboardResult) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = main.counts
    parts = [count(n["models"], "model"), *([count(n["tasks"], "task")] if "tasks" in n else []),
             count(n["units"], "unit"), count(n["scores"], "score"), *cluster_words(design)]  # fmt: skip
    return f"Scores of models: {', '.join(parts)}"


def strip(numbers: Numbers) -> Strip | None:
    """Return the means of the first models."""
    known = numbers.ordered[:MOST_MARKS]
    if not known:
        return None
    marks = tuple(Mark(label=shorten(r.term, 30), value=r.estimate, low=r.conf_low, high=r.conf_high) for r in known)
    title = "Mean score" + ("" if len(known) == len(numbers.means) else f" of the first {count(len(known), 'model')}")
    return Strip(title=title, axis="mean score", marks=marks, digits=numbers.digits)


def task_counts(main: LeaderboardResult) -> tuple[Table, ...]:
    """Return the units of each task; nothing with one task."""
    sizes: Mapping[str, int] = main.extras["sizes"]
    if not sizes:
        return ()
    return (Table(caption="Units of each task", header=("Task", "Units"), cells=tuple(sizes.items())),)


def diagnostics(main: LeaderboardResult) -> tuple[Diagnostic, ...]:
    """Say whether all models have scores of all units."""
    lost = {name: n for name, n in main.extras["missing"].items() if n}
    if not lost:
        found, so_what = "Yes.", "Every difference of two models is on all units."
    else:
        named = listing([f"'{shorten(name, 40)}' lacks {count(n)}" for name, n in lost.items()], 10)
        found = f"No: of {count(main.counts['units'], 'unit')}, {named}."
        so_what = "Means are over each model's own units, differences over the units that both models have."
    return (Diagnostic(check="Does every model have a score of every unit?", found=found, so_what=so_what),)


def methods(design: Ratings, numbers: Numbers) -> tuple[str, ...]:
    """Return the methods paragraph."""
    main = numbers.main
    level = level_text(main.settings["level"])
    tasks = main.extras["tasks"]
    pooled = (
        f"Means were pooled over {count(len(tasks), 'task')} ({SHOWN[main.settings['pooling']]}). Tasks were taken as "
        "fixed, and units as drawn within tasks, so that results hold for these tasks. "
        if tasks else ""
    )  # fmt: skip
    if design.columns.get("unit") in TASKS:
        pooled = "The tasks were the units, taken as drawn from tasks like these. "
    repeats = [c for c in main.cautions if c.code == "SS341"]
    averaged = "Repeated scores of one model and unit were averaged. " if repeats else ""
    test = "t tests of paired differences on the units that both models have"
    pairs = sum(row.p_adjusted is not None for row in main.rows)
    return (
        f"{averaged}{pooled}{main.inference}; {level} intervals. Differences of models: {test}, with p values "
        f"Holm-adjusted over all pairs (m = {count(pairs)}). Rank intervals: {numbers.marginal.inference}; "
        f"{numbers.joint.inference}.",
    )


STUDY = Study(
    name="leaderboard",
    title="Which model has the highest mean score, by how much, and how sure is its rank?",
    design="ratings",
    needs="model, item and score, best with task; or one row per item or model, with a column for each of the others",
    suits=suits,
    run=run,
    read=read,
    parts=PARTS,
    takes=("raters",),
    knows=is_plain_board,
)
