"""Study of models on the same units: mean scores, their differences and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.vocabulary import TASK, TASKS
from socialstats.figures import ranks as rank_figure
from socialstats.inference.rows import share_ci
from socialstats.results import Result, Row
from socialstats.scales.board_ranks import LeaderboardResult
from socialstats.scales.leaderboard import OTHER, WEIGHED, difference_of, leaderboard, ordered
from socialstats.scales.score_boards import MEAN
from socialstats.sentences import estimate_text, is_significant, rank_with_interval
from socialstats.studies.asking import ask_rows, page_of
from socialstats.studies.comparisons import last_ranked
from socialstats.studies.estimates import (
    Column,
    cluster_words,
    clusters_caption,
    declared_clusters,
    halved,
)
from socialstats.studies.models import difference_map
from socialstats.studies.multiverse import dependence_block, with_design_effect
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    SecondAnalysis,
    StudyOptions,
    check_single,
)
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.row_figures import cell_map, interval_points
from socialstats.studies.row_picking import add_labels, pick_rows, row_term, rows_by
from socialstats.studies.row_sentences import tally_sentence
from socialstats.studies.row_tables import grid_table, line_table, ranked_table
from socialstats.studies.second import other_first
from socialstats.studies.verdicts import ranking
from socialstats.text import capital, count, listing, percent_of, plural_of, shorten, shortened

USED = ("seed", "level", "pooling", "verify")
MOST_RANKED = 100  # models x tasks up to which ranks are made by task
MOST_LINES = 400  # models x tasks up to which all intervals stand in a table
MOST_NAMED = 3  # models and tasks that sentences name


@dataclass(frozen=True, kw_only=True)
class BoardPage:
    """What the page of one table rests on.

    Attributes
    ----------
    design : Ratings
    options : StudyOptions
    main : LeaderboardResult
    marginal, joint : Result
        Ranks with marginal and with simultaneous sets.
    by_task : dict of task to Result
        Ranks with simultaneous sets; empty where they would be too many.
    """

    design: Ratings
    options: StudyOptions
    main: LeaderboardResult
    marginal: Result
    joint: Result
    by_task: dict[str, Result]

    @cached_property
    def means(self) -> list[Row]:
        """Means of all models, the highest first, those that do not exist last."""
        rows = [row for row in self.main.rows if row.group == MEAN]
        return [*ordered(rows), *(row for row in rows if row.estimate is None)]

    @cached_property
    def ranked(self) -> list[Row]:
        """Means that exist, the highest first."""
        return ordered(self.means)

    @cached_property
    def differences(self) -> list[Row]:
        """Differences of all pairs."""
        return pick_rows(self.main.rows, "difference")

    @cached_property
    def leading(self) -> list[Row]:
        """Differences of the first model from all others that have a mean, in order of rank."""
        first, *behind = self.ranked or self.means
        return [difference_of(self.main, first.term, row.term) for row in behind]

    @property
    def pair(self) -> tuple[str, str]:
        """Names of the first two models."""
        return self.ranked[0].term, self.ranked[1].term

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
    def lacking(self) -> dict[str, int]:
        """Number of units that models have no score of, by model."""
        return {name: n for name, n in self.main.extras["missing"].items() if n}

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The clusters of the units."""
        return self.main.board.factors if self.main.board is not None else ()


def compute(design: Ratings, options: StudyOptions) -> BoardPage:
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
    return BoardPage(
        design=design,
        options=options,
        main=main,
        marginal=main.ranks(kind="marginal", seed=options.seed),
        joint=main.ranks(kind="simultaneous", seed=options.seed),
        by_task=by_task,
    )


def board(design: Ratings, options: StudyOptions, cluster: Any = "declared") -> LeaderboardResult:
    """Return the leaderboard of a design without a by factor."""
    result = leaderboard(design, pooling=options.pooling, cluster=cluster, level=options.level)
    assert isinstance(result, LeaderboardResult)
    return result


# questions


def questions(a: BoardPage) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest."""
    yield means_question(a)
    yield lead_question(a)
    yield pairs_question(a)
    yield tasks_question(a)
    yield shared_question(a)
    yield pooling_question(a)
    if not a.leading:
        return
    yield ranks_question(a)
    between = " and ".join(shorten(name, 40) for name in a.pair)
    yield repeats_block(a.design.repeats, a.leading[0], a.pair, f"difference between {between}")
    if a.leading[0].std_error is None:
        return
    yield dependence_block(
        declared_clusters(a.design),
        partial(board, a.design, a.options),
        rows="units",
        quantity=f"difference, {between.replace(' and ', ' minus ')}",
        lead=partial(leading_difference_of, a),
    )


def leading_difference_of(a: BoardPage, result: Result) -> Row:
    """Return the difference between the first two models of the page in the result of another analysis."""
    return difference_of(result, *a.pair)


def means_question(a: BoardPage) -> Block | None:
    """Ask which model ranked first: means with their intervals, and rank intervals."""
    columns: dict[str, Column] = {
        "Mean": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "Units": "n_units",
    }
    ranks = {
        "Marginal rank interval": a.marginal.rows,
        "Simultaneous rank interval": a.joint.rows,
    }
    return ask_rows(
        "means",
        f"Which {a.noun} had the highest mean score?",
        a.main,
        a.means,
        quantity="mean score",
        say=[a.joint.sentence(), a.marginal.sentence()],
        draw=interval_points(None, ranks=a.joint.rows),
        table=ranked_table(a.means, f"Mean and rank of each {a.noun}", a.noun, columns, ranks),
        results=[a.marginal, a.joint],
        note=f"Ranks: simultaneous {percent_of(a.options.level)} intervals.{constant_tasks(a)}",
    )


def constant_tasks(a: BoardPage) -> str:
    """Return of which models a task with equal scores adds nothing to the SE; nothing where tasks vary."""
    with_error = {row.term for row in a.means if row.std_error}
    names = dict.fromkeys(
        shorten(row.term, 30)
        for row in pick_rows(a.main.rows, task=True)
        if row.estimate is not None and not row.std_error and row.term in with_error
    )
    if not names:
        return ""
    named = listing(list(names), MOST_NAMED)
    return f" Tasks whose scores are all equal add nothing to the SE of {named}."


def lead_question(a: BoardPage) -> Block | None:
    """Ask how far the first model is ahead of all others."""
    if not a.leading:
        return None
    name = shorten(a.ranked[0].term, 40)
    question = f"How far was {name} ahead?"
    if not a.leading[0].estimate:
        question = f"How did {name} compare with the others?"
    return ask_rows(
        "lead",
        question,
        a.main,
        a.leading,
        quantity=f"mean score of {name} minus this {a.noun}",
        say=[tally_sentence(a.leading, "difference", f" of {name} from the others")],
        names=[row.term for row in a.ranked[1:]],
        draw=interval_points(),
        caption=f"{name} minus each other {a.noun}; p (Holm): over all tested pairs",
        heading=a.noun,
    )


def pairs_question(a: BoardPage) -> Block | None:
    """Ask which models differ; with two models their difference is the lead."""
    rows = a.differences
    if len(rows) < 2:
        return None
    tested = sum(row.p_adjusted is not None for row in rows)
    of_pairs = f"p (Holm): over {count(tested, 'tested pair')}"
    return ask_rows(
        "pairs",
        f"Which {a.nouns} differed?",
        a.main,
        rows,
        quantity=f"difference in mean score between {a.nouns}",
        say=[tally_sentence(rows, "difference", f" between two {a.nouns}"), other_test_note(a)],
        draw=difference_map(rows, [row.term for row in a.ranked]) if a.leading else None,
        names=row_term,
        caption=f"All pairs of {a.nouns}, first minus second; {of_pairs}",
        heading="difference",
        note=f"Figure: row minus column; {a.nouns} in order of rank.",
    )


def other_test_note(a: BoardPage) -> str:
    """Return the models whose rank intervals, by the max-t test, rest on other significant differences than Holm's."""
    if a.joint.extras["holm"]:
        return ""
    higher, lower = Counter[str](), Counter[str]()
    for row in filter(is_significant, a.differences):
        sides = [row.label("model") or "", row.label("minus") or ""]
        above, below = sides if (row.estimate or 0.0) > 0 else reversed(sides)
        higher[above] += 1
        lower[below] += 1
    k = len(a.ranked)
    apart = [
        shorten(row.term, 30)
        for row in a.joint.rows
        if row.ends() not in (None, (lower[row.term] + 1, k - higher[row.term]))
    ]
    if not apart:
        return ""
    return (
        f"Rank intervals of {listing(apart, MOST_NAMED)} rest on the max-t test, which shows other differences than "
        "Holm's method."
    )


def tasks_question(a: BoardPage) -> Block | None:
    """Ask how the models score on each task."""
    heads = {"model": capital(a.noun)}
    order = {row.term: k for k, row in enumerate(a.means)}
    rows = sorted(pick_rows(a.main.rows, task=True), key=lambda row: order[row.term])
    ranks = [
        added
        for task, result in a.by_task.items()
        for row in result.rows
        for added in add_labels([row], model=row.term, task=task)
    ]
    ranks.sort(key=lambda row: order[row.term])
    title = f"Mean score by {a.noun} and task"
    grids = [grid_table(rows, title, "model", "task", cell="interval", headings=heads)]
    if ranks:
        caption = f"Rank of each {a.noun} by task, with simultaneous intervals"
        grids.append(grid_table(ranks, caption, "model", "task", cell="interval", headings=heads))
    if len(rows) <= MOST_LINES:
        labels = [f"{row.term} / {row.label(TASK)}" for row in rows]
        grids.append(line_table(rows, "All means by task", labels, heading=f"{a.noun} / task"))
    return ask_rows(
        "tasks",
        f"How did the {a.nouns} score on each task?",
        a.main,
        rows,
        quantity="mean score by task",
        say=[
            *task_winners(a, rows),
            "These task winners were not tested; rank intervals by task are in the tables.",
        ],
        draw=cell_map("model", "task", neutral=None, extreme=None),
        table=grids[0],
        more=grids[1:],
        results=a.by_task,
        note="Colour: distance from the median of all cells.",
    )


def task_winners(a: BoardPage, rows: Sequence[Row]) -> list[str]:
    """State which models have the highest mean in most tasks, alone or tied."""
    tasks = rows_by(rows, TASK)
    first: dict[str, list[str]] = {}
    for task, group in tasks.items():
        best = ordered(group)
        for row in best:
            if row.estimate == best[0].estimate:
                first.setdefault(row.term, []).append(task)
    tied = ", alone or tied," if sum(map(len, first.values())) > len(tasks) else ""
    most = sorted(first, key=lambda name: -len(first[name]))[:MOST_NAMED]
    return [
        f"{shorten(name, 40)} had the highest mean{tied} in {count(len(first[name]))} of "
        f"{count(len(tasks), 'task')} ({listing(shortened(first[name]))})."
        for name in most
    ]


def first_sentence(a: BoardPage, where: str, rows: Sequence[Row]) -> str:
    """State which model has the highest mean of another kind, and how many models change their rank."""
    best = ordered(list(rows))
    if not best:
        reason = rows[0].undefined if rows else f"no unit has scores of all {a.nouns}"
        return f"{where}, no {a.noun} has a mean score ({reason})."
    places = {row.term: k for k, row in enumerate(best)}
    moved = sum(places.get(row.term, k) != k for k, row in enumerate(a.ranked))
    return (
        f"{where}, {shorten(best[0].term)} had the highest mean score ({estimate_text(best[0])}). "
        f"{count(moved, a.noun)} of {count(len(a.ranked))} changed rank."
    )


def pooling_question(a: BoardPage) -> Block | None:
    """Ask whether the ranking depends on how tasks are pooled; nothing where both poolings agree."""
    pooling = str(a.main.settings["pooling"])
    rows = [row for row in a.main.rows if row.group == OTHER[pooling]]
    (alternative,) = set(OTHER) - {pooling}
    where = f"With {WEIGHED[alternative]}"
    block = ask_rows(
        "pooling",
        "Does the ranking depend on how tasks are pooled?",
        a.main,
        rows,
        quantity=f"mean score with {WEIGHED[alternative]}",
        say=[first_sentence(a, where, rows)],
        names=row_term,
        part="appendix",
    )
    best = ordered(rows)
    if block is None or not other_first(a.ranked[:1], best):
        return block
    first, name = a.ranked[0].term, shorten(best[0].term)
    was = next(row for row in rows if row.term == first)
    text = (
        f"{where}, {name} had the highest mean score ({estimate_text(best[0])}), not {shorten(first)} "
        f"({estimate_text(was)}). This difference was not tested."
    )
    short = f"{where}, {name} would have the highest mean score."
    return replace(block, turned=(SecondAnalysis(text, short, here=f"with {WEIGHED[pooling]}"),))


def shared_question(a: BoardPage) -> Block | None:
    """Ask whether missing scores change the ranking; nothing where nothing is missing."""
    if not a.lacking:
        return None
    rows = pick_rows(a.main.rows, units="shared")
    where = f"On the {count(a.main.extras['shared'], a.unit)} shared by all {a.nouns}"
    return ask_rows(
        "missing",
        "Did missing scores change the ranking?",
        a.main,
        rows or a.means,
        quantity=f"mean score on the {plural_of(a.unit)} shared by all {a.nouns}",
        say=[
            f"{count(len(a.lacking), a.noun)} lacked scores of some units: {lacking_text(a)}.",
            first_sentence(a, where, rows),
        ],
        names=row_term,
    )


def lacking_text(a: BoardPage) -> str:
    """Return which models lack scores, and of how many units."""
    return listing([f"{shorten(name, 40)} ({count(n)})" for name, n in a.lacking.items()], 10)


def ranks_question(a: BoardPage) -> Block:
    """Ask for the rank interval of each model, marginal and simultaneous."""
    level = percent_of(a.options.level)
    return Block(
        id="ranks",
        question=f"What is the rank interval of each {a.noun}?",
        sentences=(last_ranked(a.marginal),),
        draw=partial(rank_figure, a.marginal.rows, a.joint.rows),
        figure_title=f"Rank of each {a.noun}, the first at the top",
        caption=f"Discs: ranks; broad bars: marginal {level} rank intervals; thin lines: simultaneous {level} rank "
        "intervals.",
        part="appendix",
    )


# the page


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: which model ranks first, by how much, and with which rank interval?"""
    check_single(design)
    a = compute(design, options)
    first, *others = [block for block in questions(a) if block is not None]
    # the first question has all rows of the leaderboard
    others = [without_result(block, a.main) for block in others]
    return page_of(
        "leaderboard",
        f"Which of {count(len(design.raters), a.noun)} has the highest mean score?",
        design,
        options,
        describe=describe(a),
        verdict=ranking(
            pick_rows(a.joint.rows, "rank"),
            "has the highest mean score",
            "score higher than",
            a.noun,
        ),
        answer=[a.main.sentence(), *rank_sentence(a)],
        planning=planning(a),
        leading={"Leaderboard": a.main},
        blocks=with_design_effect(
            [first, *others], design.clusters, lead=partial(leading_difference_of, a)
        ),
        uses=USED,
        data=task_sizes(a),
        diagnostics=[scores_diagnostic(a)],
        methods=methods(a),
    )


def without_result(block: Block, result: Result) -> Block:
    """Return a block without a result that another block has."""
    return replace(block, results=tuple(other for other in block.results if other is not result))


def rank_sentence(a: BoardPage) -> list[str]:
    """Return the rank interval of the first model; nothing where it has none or shares the first rank."""
    ranks = {row.term: row for row in a.joint.rows}
    top = [ranks[row.term] for row in a.ranked[:2]]
    tied = [row.estimate for row in top].count(1) > 1
    if tied or not top or top[0].ends() is None:
        return []
    level, n = float(a.main.settings["level"]), len(a.ranked)
    return [rank_with_interval(shorten(top[0].term), top[0], n, level, simultaneous=True)]


def planning(a: BoardPage) -> list[str]:
    """Return how many more units halve the interval of the difference between the first two models."""
    if not a.leading:
        return []
    row = a.leading[0]
    what = f"the difference between {' and '.join(shorten(name, 40) for name in a.pair)}"
    texts = halved(a.factors, row, row.n_units, what, unit=plural_of(a.unit))
    tasks = len(a.main.extras["tasks"])
    if texts and tasks > 1:
        return [*texts, f"Take them in proportion over the {count(tasks, 'task')}."]
    return list(texts)


def describe(a: BoardPage) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = a.main.counts
    parts = [count(len(a.means), a.noun)]
    if "tasks" in n:
        parts.append(count(n["tasks"], "task"))
    parts.append(count(n["units"], a.unit))
    if a.design.repeats is not None:
        parts.append(each_answer(a.design.repeats))
    parts += [count(n["scores"], "score"), *cluster_words(a.design)]
    return f"Scores of {a.nouns}: {', '.join(parts)}"


def task_sizes(a: BoardPage) -> list[PageTable]:
    """Return the units of each task; nothing with one task."""
    sizes = a.main.extras["sizes"]
    return (
        [PageTable("Units of each task", ("Task", "Units"), tuple(sizes.items()))] if sizes else []
    )


def scores_diagnostic(a: BoardPage) -> Diagnostic:
    """Return whether all models have scores of all units."""
    check = f"Does every {a.noun} have a score of every unit?"
    if not a.lacking:
        return Diagnostic(check, "Yes.", "All differences are on all units.")
    return Diagnostic(
        check,
        f"No. Of {count(a.main.counts['units'], a.unit)}, some are missing: {lacking_text(a)}.",
        f"Means are over each {a.noun}'s own units; differences are over the units of both {a.nouns}.",
    )


def methods(a: BoardPage) -> tuple[str, str]:
    """Return the methods: first in brief, then in full."""
    main, tasks = a.main, a.main.extras["tasks"]
    scores = "Mean scores (of 0 or 1)" if main.extras["shares"] else "Mean scores"
    units = count(main.counts["units"], a.unit)
    if tasks:
        units += f" ({count(len(tasks), 'fixed task')}, {WEIGHED[main.settings['pooling']]})"
    brief = [f"{scores} of {count(len(a.means), a.noun)} were estimated over {units}."]
    if a.design.repeats is not None:
        brief.append(f"Repeated scores of one {a.noun} and unit were averaged.")
    pairs = sum(row.p_adjusted is not None for row in a.differences)
    draws = "Holm's method" if a.marginal.extras["holm"] else "the max-t test"
    brief += [
        f"{percent_of(main.settings['level'])} CIs of means used {interval_name(a)}.",
        f"Differences have t intervals and were tested by {test_name(a)}.",
        f"p values were Holm-adjusted within all tested pairs (m = {count(pairs)}).",
        f"Rank intervals used {draws}.",
    ]
    full = []
    if a.design.columns.get("unit") in TASKS.names:
        full.append("The tasks were the units, taken as a sample of tasks.")
    if tasks:
        full.append(
            "Units were taken as sampled within fixed tasks; results do not generalise to other tasks."
        )
    full.append(f"Intervals and tests: {main.inference}.")
    full.append(f"Rank intervals: {a.marginal.inference}; {a.joint.inference}.")
    return " ".join(brief), " ".join(full)


def interval_name(a: BoardPage) -> str:
    """Name the intervals of the means."""
    if not a.main.extras["shares"]:
        return "t intervals"
    effective = bool(a.main.extras["tasks"] or a.factors)
    return share_ci(a.means) + " for effective numbers of units" * effective


def test_name(a: BoardPage) -> str:
    """Name the test of a difference."""
    clusters = clusters_caption(a.factors, None)
    if clusters:
        return f"cluster-robust paired t tests (CR2; {clusters})"
    if a.main.extras["tasks"]:
        return "paired t tests with Satterthwaite's df (tasks taken as equally variable)"
    return "paired t tests"
