"""Study of models on the same units: mean scores, their differences and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import permutations
from typing import Any

import numpy as np

from socialstats.designs.model_scores import TASK, is_plain_board, model_scores
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.vocabulary import TASKS
from socialstats.figures import forest, heat
from socialstats.figures import ranks as rank_figure
from socialstats.inference.halving import clusters_to_halve
from socialstats.inference.rows import share_ci
from socialstats.results import Result, Row
from socialstats.scales.board_ranks import LeaderboardResult
from socialstats.scales.leaderboard import (
    OTHER,
    WEIGHED,
    difference_of,
    leaderboard,
    ordered,
    task_group,
)
from socialstats.scales.score_boards import DIFFERENCE, MEAN, SHARED
from socialstats.sentences import (
    difference,
    estimate_text,
    is_significant,
    more_clusters_sentence,
    more_of,
    rank_with_interval,
    some_of,
)
from socialstats.studies.comparisons import last_ranked
from socialstats.studies.estimates import (
    cluster_words,
    clusters_caption,
    df_text,
    ending,
    ends,
    p_text,
    rows_table,
    table_of,
)
from socialstats.studies.multiverse import dependence_block, with_design_effect
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    Study,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.second import other_first
from socialstats.studies.verdicts import ranking
from socialstats.text import capital, count, listing, percent_of, plural_of, shorten, shortened

MOST_CELLS = 12  # models (and tasks) of a heat map
MOST_FOREST = 60  # models of a figure
MOST_LONG = 400  # models x tasks up to which every interval stands in a table


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    main : LeaderboardResult
    marginal, joint : Result
        Ranks with marginal and with simultaneous sets.
    by_task : mapping of task to Result
        Ranks with simultaneous sets; empty where they would be too many.
    """

    main: LeaderboardResult
    marginal: Result
    joint: Result
    by_task: Mapping[str, Result]

    @cached_property
    def means(self) -> list[Row]:
        """Means of all models, in the order of their names."""
        return self.group(MEAN)

    @cached_property
    def ordered(self) -> list[Row]:
        """Means that exist, the highest first."""
        return ordered(self.means)

    @cached_property
    def differences(self) -> list[Row]:
        """Differences of all pairs."""
        return self.group(DIFFERENCE)

    @cached_property
    def all_ordered(self) -> list[Row]:
        """Means of all models, the highest first, those that do not exist last."""
        return [*self.ordered, *(row for row in self.means if row.estimate is None)]

    @cached_property
    def sample(self) -> str:
        """Units and clusters, for captions."""
        clusters = clusters_caption(self.factors, None)
        return f"n = {count(self.main.counts['units'], self.unit)}" + (
            f", {clusters}" if clusters else ""
        )

    @property
    def unit(self) -> str:
        """What the scores are of, in the singular: a unit, or what its column is called."""
        return str(self.main.extras["unit"])

    @property
    def noun(self) -> str:
        """What is compared, in the singular: a model, or what its column is called."""
        return str(self.main.extras["noun"])

    @property
    def nouns(self) -> str:
        """What is compared, in the plural."""
        return plural_of(self.noun)

    @property
    def head(self) -> str:
        """Heading of what is compared in tables."""
        return capital(self.noun)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The clusters of the units."""
        return self.main.board.factors if self.main.board is not None else ()

    def group(self, name: str) -> list[Row]:
        """Return the rows of a group."""
        return [row for row in self.main.rows if row.group == name]


def by_term(rows: Iterable[Row]) -> dict[str, Row]:
    """Return rows by their terms, the models."""
    return {row.term: row for row in rows}


def places(rows: Iterable[Row]) -> dict[str, int]:
    """Return the place of each model that has a mean, 1 the highest."""
    return {row.term: k for k, row in enumerate(ordered(list(rows)), start=1)}


def away_from(cells: Sequence[Row], neutral: float) -> float:
    """Return how far estimates lie from a neutral value at most: the ends of a scale of colours."""
    return (
        max((abs(row.estimate - neutral) for row in cells if row.estimate is not None), default=0.0)
        or 1.0
    )


def span(row: Row | None) -> str | None:
    """Return a rank interval, such as 1–3; None without a rank."""
    if row is None or row.conf_low is None or row.conf_high is None:
        return None
    return f"{row.conf_low:.0f}\u2013{row.conf_high:.0f}"


def board_block(numbers: Numbers) -> Block:
    """Return the mean of each model with its interval and rank intervals."""
    marginal, joint = by_term(numbers.marginal.rows), by_term(numbers.joint.rows)
    level = percent_of(numbers.main.settings["level"])
    shown = numbers.all_ordered
    columns: dict[str, Any] = {
        "Rank": lambda r: None if (rank := marginal[r.term].estimate) is None else int(rank),
        "Mean": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "Units": "n_units",
        "Marginal rank interval": lambda r: span(marginal[r.term]),
        "Simultaneous rank interval": lambda r: span(joint[r.term]),
        "Why not": "undefined",
    }
    sets = {
        name: (int(r.conf_low), int(r.conf_high))
        for name, r in joint.items()
        if r.conf_low is not None and r.conf_high is not None
    }
    rest = len(shown) - MOST_FOREST
    title = "Mean scores by rank" + (
        f" ({count(rest, f'more {numbers.noun}')} in the table)" if rest > 0 else ""
    )
    method = interval_name(numbers)
    return Block(
        id="means",
        question=f"Which {numbers.noun} ranked first?",
        sentences=(numbers.joint.sentence(), numbers.marginal.sentence()),
        draw=partial(
            forest,
            shown[:MOST_FOREST],
            ranks=sets,
            reference=None,
            xlabel="mean score",
            sort=False,
        ),
        figure_title=title,
        caption=f"Points: means; {level} CIs ({method}), unadjusted; ranks: simultaneous {level} intervals; "
        f"{numbers.sample}.{still_words(numbers)}",
        tables=(
            table_of(
                shown, f"Mean and rank of each {numbers.noun}", (numbers.head, "term"), columns
            ),
        ),
        results=(numbers.main, numbers.marginal, numbers.joint),
    )


def still_words(numbers: Numbers) -> str:
    """Return of which models a task with equal scores adds nothing to the SE; nothing where tasks vary."""
    known = {row.term for row in numbers.means if row.std_error}
    still = dict.fromkeys(
        shorten(row.term, 30)
        for row in numbers.main.rows
        if row.label(TASK) is not None
        and row.estimate is not None
        and not row.std_error
        and row.term in known
    )
    return (
        f" Tasks whose scores are all equal add nothing to the SE of {listing(list(still), 3)}."
        if still
        else ""
    )


def ranks_block(numbers: Numbers) -> Block | None:
    """Return the ranks with both rank intervals; None where fewer than two models have a mean."""
    if len(numbers.ordered) < 2:
        return None
    level = percent_of(numbers.main.settings["level"])
    return Block(
        id="ranks",
        question=f"What is the rank interval of each {numbers.noun}?",
        sentences=(last_ranked(numbers.marginal),),
        draw=partial(rank_figure, numbers.marginal.rows, numbers.joint.rows),
        figure_title=f"Rank of each {numbers.noun}, the first at the top",
        caption=f"Discs: ranks; broad bars: marginal {level} rank intervals; thin lines: simultaneous {level} rank "
        f"intervals; {numbers.sample}.",
        part="appendix",
    )


def lead_block(numbers: Numbers) -> Block | None:
    """Return the differences of the first model from the others; None where fewer than two have a mean."""
    if len(numbers.ordered) < 2:
        return None
    best, *others = numbers.ordered
    name = shorten(best.term, 40)
    rows = [
        replace(difference_of(numbers.main, best.term, row.term), term=row.term) for row in others
    ]
    said, unit = (
        [],
        more_of(numbers.factors[0].name if numbers.factors else None, plural_of(numbers.unit)),
    )
    if len(rows) > 1:  # with two models the answer says it
        said.append(difference("the mean score", name, shorten(rows[0].term, 40), rows[0]))
    if (
        unit
        and (more := clusters_to_halve(rows[0], rows[0].n_clusters or rows[0].n_units)) is not None
    ):
        tasks = len(numbers.main.extras["tasks"])
        unit += f" in proportion over the {count(tasks, 'task')}" if tasks > 1 else ""
        said.append(
            more_clusters_sentence(
                more, unit, f"the difference between {name} and {shorten(rows[0].term, 40)}"
            )
        )
    title = f"Differences in mean score between {name} and each other {numbers.noun}"
    level = percent_of(numbers.main.settings["level"])
    return Block(
        id="lead",
        question=f"How far was {name} ahead?"
        if rows[0].estimate
        else f"How did {name} compare with the others?",
        sentences=tuple(said),
        draw=partial(
            forest, rows[:MOST_FOREST], xlabel=f"{name} minus this {numbers.noun}", sort=False
        ),
        figure_title=title,
        caption=f"Points: paired differences; unadjusted {level} CIs (t); {numbers.sample}.",
        tables=(
            rows_table(
                rows,
                f"{name} minus each other {numbers.noun}; p (Holm): over all tested pairs",
                term=numbers.head,
                labels=[row.term for row in rows],
            ),
        ),
    )


def pairs_block(numbers: Numbers) -> Block | None:
    """Return all differences of two models; None with two models, whose difference is the lead."""
    rows = numbers.differences
    if len(rows) < 2:
        return None
    tested = [row for row in rows if row.p_adjusted is not None]
    clear = sum(is_significant(row) for row in tested)
    lost = len(rows) - len(tested)
    said = some_of(
        clear, len(tested), f"{'tested ' if lost else ''}differences between two {numbers.nouns}"
    )
    said += (
        f" {count(lost, 'difference is', 'differences are')} undefined (reasons in the table)."
        if lost
        else ""
    )
    names = [row.term for row in numbers.ordered]
    cells = [
        replace(difference_of(numbers.main, one, other), term=one, group=other, n=None)
        for one, other in permutations(names if 2 < len(names) <= MOST_CELLS else [], 2)
    ]
    title = f"Differences in mean score between {numbers.nouns}"
    draw = partial(heat, cells, neutral=0.0, extreme=away_from(rows, 0.0), xlabel="minus")
    return Block(
        id="pairs",
        question=f"Which {numbers.nouns} differed?",
        sentences=(said, *two_adjustments(numbers)),
        draw=draw if cells else None,
        figure_title=title if cells else "",
        caption=f"Row minus column; {numbers.nouns} in order of rank; {numbers.sample}."
        if cells
        else "",
        tables=(pairs_table(rows, numbers.nouns),),
    )


def two_adjustments(numbers: Numbers) -> tuple[str, ...]:
    """Return the models whose rank intervals, by the max-t test, rest on other clear differences than Holm's p."""
    if numbers.joint.extras["holm"]:
        return ()
    clear = [row for row in numbers.differences if is_significant(row)]
    higher, lower = (
        Counter(
            str(row.label("model" if ((row.estimate or 0.0) > 0) == first else "minus"))
            for row in clear
        )
        for first in (True, False)
    )  # how often each model was the higher, or the lower, of two
    k = len(numbers.ordered)
    apart = [
        shorten(row.term, 30)
        for row in numbers.joint.rows
        if row.conf_low is not None
        and row.conf_high is not None
        and (lower[row.term], higher[row.term]) != (row.conf_low - 1, k - row.conf_high)
    ]
    if not apart:
        return ()
    return (
        f"Rank intervals of {listing(apart, 3)} rest on the max-t test, which found other differences than Holm's "
        "method.",
    )


def pairs_table(rows: Sequence[Row], nouns: str) -> PageTable:
    """Return the table of all pairs."""
    columns: dict[str, Any] = {
        "Estimate": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "t": "statistic",
        "df": lambda r: df_text(r.df),
        "p": lambda r: p_text(r.p_value),
        "p (Holm)": lambda r: p_text(r.p_adjusted),
        "n": "n_units",
    }
    columns |= {"Why not": "undefined"} if any(row.undefined for row in rows) else {}
    tested = sum(row.p_adjusted is not None for row in rows)
    caption = (
        f"All pairs of {nouns}, first minus second; p (Holm): over {count(tested, 'tested pair')}"
    )
    return table_of(rows, caption, ("Difference", "term"), columns)


def tasks_block(numbers: Numbers) -> Block | None:
    """Return the means by task; None with one task."""
    tasks = numbers.main.extras["tasks"]
    if not tasks:
        return None
    by_task = {task: by_term(numbers.group(task_group(task))) for task in tasks}
    names = [row.term for row in numbers.all_ordered]
    best = {
        task: max((r.estimate for r in rows.values() if r.estimate is not None), default=None)
        for task, rows in by_task.items()
    }
    wins = {
        name: [t for t in tasks if best[t] is not None and by_task[t][name].estimate == best[t]]
        for name in names
    }
    tied = (
        ", alone or tied,"
        if sum(map(len, wins.values())) > sum(top is not None for top in best.values())
        else ""
    )
    said = [
        f"{shorten(name, 40)} had the highest mean{tied} in {count(len(won))} of {count(len(tasks), 'task')} "
        f"({listing(shortened(won))})."
        for name, won in sorted(wins.items(), key=lambda pair: -len(pair[1]))
        if won
    ][:3]
    said.append("These task winners were not tested; rank intervals by task are in the tables.")
    cells = [replace(by_task[t][name], group=t, n=None) for name in names for t in tasks]
    known = [row.estimate for row in cells if row.estimate is not None]
    middle = float(np.mean(known)) if known else 0.0
    small = len(names) <= 2 * MOST_CELLS - 4 and len(tasks) <= MOST_CELLS
    draw = partial(heat, cells, neutral=middle, extreme=away_from(cells, middle), xlabel="task")
    title = f"Mean score by {numbers.noun} and task"
    wide = PageTable(
        caption=title,
        header=(numbers.head, *tasks),
        cells=tuple((name, *(ends(by_task[t][name])[0] for t in tasks)) for name in names),
    )
    tables = [wide]
    if numbers.by_task:
        sets = {t: by_term(result.rows) for t, result in numbers.by_task.items()}
        tables.append(
            PageTable(
                caption=f"Simultaneous rank interval of each {numbers.noun} by task",
                header=(numbers.head, *sets),
                cells=tuple(
                    (name, *(span(rows.get(name)) for rows in sets.values())) for name in names
                ),
                rows=tuple(row for rows in sets.values() for row in rows.values()),
            )
        )
    if len(names) * len(tasks) <= MOST_LONG:
        every = [by_task[t][name] for name in names for t in tasks]
        columns: dict[str, Any] = {
            "Task": lambda r: r.label(TASK),
            "Mean": "estimate",
            "SE": "std_error",
            "Low": "conf_low",
            "High": "conf_high",
            "Units": "n_units",
            "Why not": "undefined",
        }
        tables.append(table_of(every, "All means by task", (numbers.head, "term"), columns))
    return Block(
        id="tasks",
        question=f"How did the {numbers.nouns} score on each task?",
        sentences=tuple(said),
        draw=draw if small else None,
        figure_title=title if small else "",
        caption="Colour: distance from the mean of all cells; intervals are in the table."
        if small
        else "",
        tables=tuple(tables),
        results=tuple(numbers.by_task.values()),
    )


def pooling_block(numbers: Numbers) -> Block | None:
    """Return both poolings side by side; None where they agree."""
    lead = str(numbers.main.settings["pooling"])
    second = numbers.group(OTHER[lead])
    if not second:
        return None
    other = next(name for name in OTHER if name != lead)
    own, places_then = by_term(second), places(second)
    moved = [
        name for name, k in places(numbers.means).items() if places_then.get(name) not in (k, None)
    ]
    best = ordered(second)
    said = f"With {WEIGHED[other]}, no {numbers.noun} has a mean score ({second[0].undefined})."
    if best:
        said = f"With {WEIGHED[other]}, {shorten(best[0].term)} ranked first (mean score {estimate_text(best[0])}). "
        said += f"{count(len(moved), numbers.noun)} of {count(len(numbers.ordered))} changed rank."
    cells = tuple(
        (
            r.term,
            *ends(r),
            *ends(own[r.term]),
            places_then.get(r.term),
            own[r.term].undefined or r.undefined,
        )
        for r in numbers.means
    )
    first, then = (WEIGHED[name].capitalize() for name in (lead, other))
    top = numbers.ordered[:1]
    behind: tuple[SecondAnalysis, ...] = ()
    if other_first(top, best):
        mean, was = (
            estimate_text(best[0]),
            f"{shorten(top[0].term)} ({estimate_text(own[top[0].term])})",
        )
        text = (
            f"With {WEIGHED[other]}, {shorten(best[0].term)} had the highest mean score ({mean}), not {was}. "
            "This difference was not tested."
        )
        short = f"With {WEIGHED[other]}, {shorten(best[0].term)} would have the highest mean score."
        behind = (SecondAnalysis(text, short),)
    return Block(
        id="pooling",
        question="Does the ranking depend on how tasks are pooled?",
        sentences=(said,),
        tables=(
            PageTable(
                caption=f"Means with {WEIGHED[lead]}, and with {WEIGHED[other]}",
                cells=cells,
                header=(
                    numbers.head,
                    first,
                    "Low",
                    "High",
                    then,
                    "Low ",
                    "High ",
                    "New rank",
                    "Why not",
                ),
            ),
        ),
        part="appendix",
        turned=behind,
    )


def missing_block(numbers: Numbers) -> Block | None:
    """Return which models lack units, and the ranking on shared units; None where nothing is missing."""
    missing: Mapping[str, int] = numbers.main.extras["missing"]
    lost = {name: n for name, n in missing.items() if n}
    if not lost:
        return None
    shared = by_term(numbers.group(SHARED))
    known = ordered(list(shared.values()))
    order, order_shared = places(numbers.means), places(known)
    n = numbers.main.extras["shared"]
    named = listing([f"{shorten(name, 40)} ({count(k)})" for name, k in lost.items()], 8)
    said = [f"{count(len(lost), numbers.noun)} lacked scores of some units: {named}."]
    if known:
        first = f"{shorten(known[0].term)} ranked first (mean score {estimate_text(known[0])})"
        said.append(f"On the {count(n, numbers.unit)} shared by all {numbers.nouns}, {first}.")
    else:
        reason = (
            next(iter(shared.values())).undefined
            if shared
            else f"no unit has scores of all {numbers.nouns}"
        )
        said.append(f"A ranking on shared units is undefined: {reason}.")
    cells = tuple(
        (
            row.term,
            row.n_units,
            missing[row.term],
            ends(row)[0],
            order.get(row.term),
            *(
                (*ends(r), order_shared.get(row.term))
                if (r := shared.get(row.term)) is not None
                else (None, None, None, None)
            ),
        )
        for row in numbers.means
    )
    return Block(
        id="missing",
        question="Did missing scores change the ranking?",
        sentences=tuple(said),
        tables=(
            PageTable(
                caption=f"Units of each {numbers.noun}, and its mean on the units shared by all {numbers.nouns}",
                header=(
                    numbers.head,
                    "Units",
                    "Missing",
                    "Mean",
                    "Rank",
                    "Mean on shared units",
                    "Low",
                    "High",
                    "Rank on shared units",
                ),
                cells=cells,
            ),
        ),
    )


USED = ("seed", "level", "pooling", "verify")
PARTS = ("unit", "rater", "value", "task", "repeat")
MOST_RANKED = 100  # models x tasks up to which ranks are made by task


def suits(design: Ratings) -> bool:
    """Return whether the design has numbers (or two levels) of two raters or more, whose names are known."""
    return (
        (design.numeric or len(design.levels) == 2)
        and design.raters_known
        and len(design.raters) > 1
    )


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: which model ranks first, by how much, and with which rank interval?"""
    check_single(design)
    numbers = compute(design, options)
    main = numbers.main
    shown = blocks(design, numbers, options)
    return Outcome(
        study="leaderboard",
        title=f"Which of {count(len(design.raters), numbers.noun)} has the highest mean score?",
        design=describe(design, numbers),
        verdict=ranking(
            [row for row in numbers.joint.rows if row.role == "rank"],
            "has the highest mean score",
            "score higher than",
            numbers.noun,
        ),
        answer=(main.sentence(), *rank_words(numbers)),
        cautions=order_cautions(main.cautions, design.cautions),
        data=task_counts(main),
        diagnostics=diagnostics(numbers),
        methods=methods(design, numbers),
        **ending(design, options, {"Leaderboard": main}, shown, USED),
    )


def rank_words(numbers: Numbers) -> tuple[str, ...]:
    """Return the rank interval of the first model; nothing where it has none or shares the first rank."""
    ranks = by_term(numbers.joint.rows)
    found = [ranks[row.term] for row in numbers.ordered[:2]]
    if (
        not found
        or found[0].conf_low is None
        or found[0].conf_high is None
        or [r.estimate for r in found].count(1) > 1
    ):
        return ()
    level = float(numbers.main.settings["level"])
    return (
        rank_with_interval(
            shorten(found[0].term), found[0], len(numbers.ordered), level, simultaneous=True
        ),
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute means, differences and ranks."""
    main = board(design, options)
    tasks = main.extras["tasks"]
    by_task = {}
    if len(tasks) > 1 and len(tasks) * len(design.raters) <= MOST_RANKED:
        parts = design.split_units(TASK)
        by_task = {
            name: board(parts[name], options).ranks(kind="simultaneous", seed=options.seed)
            for name in tasks
            if len(parts[name].raters) > 1
        }
    return Numbers(
        main=main,
        marginal=main.ranks(kind="marginal", seed=options.seed),
        joint=main.ranks(kind="simultaneous", seed=options.seed),
        by_task=by_task,
    )


def board(design: Ratings, options: StudyOptions, cluster: Any = "declared") -> LeaderboardResult:
    """Return the leaderboard of a design without a by factor."""
    found = leaderboard(design, pooling=options.pooling, cluster=cluster, level=options.level)
    assert isinstance(found, LeaderboardResult)
    return found


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the blocks of the page."""
    first = [row.term for row in numbers.ordered[:2]]

    def top(result: Result) -> Row:
        return difference_of(result, *first)

    found = [
        board_block(numbers),
        lead_block(numbers),
        pairs_block(numbers),
        tasks_block(numbers),
        pooling_block(numbers),
        missing_block(numbers),
        ranks_block(numbers),
    ]
    if len(first) > 1:
        found.append(
            repeats_block(design.repeats, top(numbers.main), (first[0], first[1]), between(first))
        )
    if len(first) > 1 and top(numbers.main).std_error is not None:
        minus = " minus ".join(shorten(name, 40) for name in first)
        found.append(
            dependence_block(
                design.clusters,
                lambda way: board(design, options, way),
                rows="units",
                quantity=f"difference, {minus}",
                lead=top,
            )
        )
    return with_design_effect(
        [block for block in found if block is not None], design.clusters, lead=top
    )


def between(models: Sequence[str]) -> str:
    """Name the difference between two models."""
    return f"difference between {shorten(models[0], 40)} and {shorten(models[1], 40)}"


def describe(design: Ratings, numbers: Numbers) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = numbers.main.counts
    parts = [
        count(len(numbers.means), numbers.noun),
        *([count(n["tasks"], "task")] if "tasks" in n else []),
        count(n["units"], numbers.unit),
        *([each_answer(design.repeats)] if design.repeats is not None else []),
        count(n["scores"], "score"),
        *cluster_words(design),
    ]
    return f"Scores of {numbers.nouns}: {', '.join(parts)}"


def task_counts(main: LeaderboardResult) -> tuple[PageTable, ...]:
    """Return the units of each task; nothing with one task."""
    sizes: Mapping[str, int] = main.extras["sizes"]
    if not sizes:
        return ()
    return (
        PageTable(
            caption="Units of each task", header=("Task", "Units"), cells=tuple(sizes.items())
        ),
    )


def diagnostics(numbers: Numbers) -> tuple[Diagnostic, ...]:
    """Return whether all models have scores of all units."""
    main, noun = numbers.main, numbers.noun
    lost = {name: n for name, n in main.extras["missing"].items() if n}
    if not lost:
        found, so_what = "Yes.", "All differences are on all units."
    else:
        named = listing([f"{shorten(name, 40)} lacks {count(n)}" for name, n in lost.items()], 10)
        found = f"No. Of {count(main.counts['units'], numbers.unit)}, {named}."
        so_what = f"Means are over each {noun}'s own units; differences are over the units of both {numbers.nouns}."
    return (
        Diagnostic(
            check=f"Does every {noun} have a score of every unit?", found=found, so_what=so_what
        ),
    )


def interval_name(numbers: Numbers) -> str:
    """Name the intervals of the means."""
    if not numbers.main.extras["shares"]:
        return "t intervals"
    effective = numbers.main.extras["tasks"] or numbers.factors
    return share_ci(numbers.means) + " for effective numbers of units" * bool(effective)


def methods(design: Ratings, numbers: Numbers) -> tuple[str, ...]:
    """Return the methods: first in brief, then in full."""
    main = numbers.main
    level, tasks = percent_of(main.settings["level"]), main.extras["tasks"]
    pooled = (
        f" ({count(len(tasks), 'fixed task')}, {WEIGHED[main.settings['pooling']]})"
        if tasks
        else ""
    )
    pairs = sum(row.p_adjusted is not None for row in main.rows)
    draws = "Holm's method" if numbers.marginal.extras["holm"] else "the max-t test"
    models, units = (
        count(len(numbers.means), numbers.noun),
        count(main.counts["units"], numbers.unit),
    )
    clusters = clusters_caption(numbers.factors, None)
    tests = f"cluster-robust paired t tests (CR2; {clusters})" if clusters else "paired t tests"
    tests += (
        " with Satterthwaite's df (tasks taken as equally variable)"
        if tasks and not clusters
        else ""
    )
    averaged = design.repeats is not None
    brief = (
        f"Mean scores{' (of 0 or 1)' * main.extras['shares']} of {models} were estimated over {units}{pooled}. "
        + f"Repeated scores of one {numbers.noun} and unit were averaged. " * averaged
        + f"{level} CIs of means used "
        f"{interval_name(numbers)}. Differences have t intervals and were tested by {tests}. p values "
        f"were Holm-adjusted within all tested pairs (m = {count(pairs)}). Rank intervals used {draws}."
    )
    full = [
        f"Intervals and tests: {main.inference}.",
        f"Rank intervals: {numbers.marginal.inference}; {numbers.joint.inference}.",
    ]
    if tasks:
        full.insert(
            0,
            "Units were taken as sampled within fixed tasks; results do not generalise to other tasks.",
        )
    if design.columns.get("unit") in TASKS.names:
        full.insert(0, "The tasks were the units, taken as a sample of tasks.")
    return brief, " ".join(full)


STUDY = Study(
    name="leaderboard",
    title="Which model has the highest mean score, by how much, and with which rank interval?",
    design="ratings",
    needs="model (or what is compared), item and score, best with task; or one row per item or model, with columns of "
    "the others",
    suits=suits,
    run=run,
    read=model_scores,
    parts=PARTS,
    uses=("pooling",),
    takes=("raters",),
    knows=is_plain_board,
    otherwise="one-source",
)
