"""Questions that a study of pairs answers, one block each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats.designs.paired import Paired
from socialstats.figures import estimation, forest, square, two_by_two
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.results import Result, Row
from socialstats.studies.estimates import error_of, rows_table, tests_table
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, digits_of, percent, shorten

ONE = "They ask one question of the same data."
QUESTIONS = {
    "paired_difference": "They do not ask quite the same: the t tests whether the mean difference is 0, Wilcoxon's "
    "test and the sign flips whether the differences are symmetric about 0 (Wilcoxon's by their ranks, so that a few "
    "large differences weigh little).",
    "symmetry": "They ask two questions: tests of marginal homogeneity (Stuart-Maxwell, Wald) whether each level is as "
    "frequent under one condition as under the other, Bowker's test of symmetry whether every change from one level "
    "to another is as frequent as the change back. Margins can be equal where changes are not symmetric.",
}  # by metric; all others: ONE


def is_test(row: Row) -> bool:
    """Tell whether a row is one of several tests of the same question."""
    group = row.group or ""
    return group == "test" or (row.p_value is not None and (group == "ignoring clusters" or group.endswith(" alone")))


def minus(design: Paired) -> str:
    """Name the direction: ``before minus after``."""
    return " minus ".join(shorten(name, 30) for name in design.conditions)


def difference_block(design: Paired, result: Result) -> Block:
    """Return the estimation plot of the difference, with what is not a test."""
    rows = [r for r in result.rows if not is_test(r)]
    binary = design.scale == "binary"
    first, second = (shorten(name, 40) for name in design.conditions)
    one = f"'{shorten(design.levels[1], 30)}'" if binary else design.columns.get("value", "value")
    drawn = (
        f"left: share of {one}; right: pairs with it under one condition only, as shares of all pairs, whose "
        "difference is the estimate"
        if binary else "left: pairs and means; right: distribution of the differences, and their mean"
    )  # fmt: skip
    return Block(
        id="difference",
        question=f"How much do {first} and {second} differ?",
        sentences=(result.sentence(),),
        draw=partial(
            estimation, design.first, design.second, design.count, result.rows[0], conditions=design.conditions,
            binary=binary, ylabel=one, digits=digits_of(error_of(result.rows[0]), 3 if binary else 2),
        ),
        figure_title=f"{first} minus {second}",
        caption=f"{drawn[0].upper()}{drawn[1:]}, with its interval ({result.inference}).",
        tables=(rows_table(rows, f"Difference ({minus(design)}) and what it is made of"),),
        results=(result,),
    )  # fmt: skip


def cells_block(design: Paired, result: Result) -> Block:
    """Return the 2 x 2 table of both answers."""
    a, b, c, d = (float(result.extras["cells"][name]) for name in "abcd")
    first, second = (shorten(name, 40) for name in design.conditions)
    one = shorten(design.levels[1], 30)
    sentence = (
        f"Of {count(design.n_pairs, 'pair')}, {count(a)} had '{one}' under both conditions, {count(b)} under {first} "
        f"only, {count(c)} under {second} only, {count(d)} under neither. Only pairs with it under one condition "
        "say anything about a difference."
    )
    return Block(
        id="cells",
        question="Which answers changed?",
        sentences=(sentence,),
        draw=partial(
            two_by_two, a=a, b=b, c=c, d=d, conditions=design.conditions, levels=(design.levels[0], design.levels[1])
        ),
        figure_title=f"Rows: {first}; columns: {second}",
        caption="Each cell: pairs, and their share of all pairs.",
        tables=(cells_table(design, "Pairs by both answers"),),
    )


def margins(result: Result) -> list[Row]:
    """Return the differences of the shares of each level."""
    return [row for row in result.rows if row.group == "margin"]


def square_block(design: Paired, result: Result, together: Result) -> Block:
    """Return the square table of both values, and the shares of each level; `together` has simultaneous intervals."""
    first, second = (shorten(name, 40) for name in design.conditions)
    rows, joint = margins(result), margins(together)
    few = len(design.levels) <= MOST_LEVELS
    draw = (
        partial(square, design.square(), levels=design.levels, conditions=design.conditions)
        if few
        else partial(forest, rows[:MOST_ROWS], digits=3, xlabel=f"difference of shares ({minus(design)})")
    )
    return Block(
        id="difference",
        question=f"Which levels are more frequent under {first} than under {second}?",
        sentences=(result.sentence(),),
        draw=draw,
        figure_title=f"Rows: {first}; columns: {second}" if few else "Difference of the shares of each level",
        caption="Each cell: pairs, and their share of all pairs." if few else f"Intervals: {result.inference}.",
        tables=(rows_table(rows, f"Share of each level ({minus(design)}); Holm: over the levels", term="Level"),
                rows_table([replace(row, p_value=None, p_adjusted=None) for row in joint],
                           "The same with intervals that hold for all levels at once (Bonferroni)", term="Level"),
                cells_table(design, "Pairs by both values")),
        results=(result, together),
    )  # fmt: skip


def cells_table(design: Paired, caption: str) -> Table:
    """Return the counts of every pair of values that occurs."""
    table, total = design.square(), float(design.n_pairs)
    cells = tuple(
        (one, other, int(table[i, j]), percent(float(table[i, j]) / total))
        for i, one in enumerate(design.levels) for j, other in enumerate(design.levels) if table[i, j]
    )  # fmt: skip
    header = (*(shorten(name, 40) for name in design.conditions), "Pairs", "Share")
    return Table(caption=caption, header=header, cells=cells)


def tests_block(result: Result) -> Block | None:
    """Return every test of the same question side by side; None where there is one."""
    rows = [r for r in result.rows if is_test(r)]
    if len(rows) < 2:
        return None
    disagree = [c for c in result.cautions if c.code == "SS316"]
    ignoring = any(r.group == "ignoring clusters" for r in rows)
    said = f"They disagree: {disagree[0].detail}." if disagree else "They agree about the 5 % line."
    if result.metric == "symmetry":
        said = ""
    asked = QUESTIONS.get(result.metric, ONE)
    why = ", as the question is one" if asked == ONE else ""
    note = " Rows of group 'ignoring clusters' take pairs as independent, which they are not." if ignoring else ""
    return Block(
        id="tests",
        question="What do other tests say?" if asked != ONE else "What do other tests of the same question say?",
        sentences=(f"{said} {asked} Quote the one chosen in advance, not the smallest p-value.{note}".strip(),),
        tables=(tests_table(rows, f"Tests of no difference; p-values are not adjusted{why}"),),
    )


def effects_block(design: Paired, result: Result) -> Block:
    """Return the standardised differences with their intervals."""
    rows = result.rows
    return Block(
        id="effect-sizes",
        question="How large is the difference in standard deviations?",
        sentences=(result.sentence(),),
        draw=partial(forest, [r for r in rows if r.group is None], sort=False, reference=0.0, digits=2,
                     xlabel=f"standard deviations ({minus(design)})"),
        figure_title="Standardised differences",
        caption="d_z and g_z divide by the standard deviation of the differences, d_av and d_rm by that of the values "
        "(d_rm corrected for their correlation).",
        tables=(rows_table(rows, "Standardised differences"),),
        results=(result,),
    )  # fmt: skip


def equivalence_block(result: Result, rows: Sequence[Row], sentence: str, title: str) -> Block:
    """Return the test that the difference is practically nothing."""
    return Block(
        id="equivalence",
        question="Is the difference practically nothing?",
        sentences=(sentence,),
        tables=(rows_table(rows, title),),
        results=(result,),
    )


def most_shifted(result: Result) -> Row:
    """Return the level whose shares differ most."""
    return max(margins(result), key=lambda r: abs(r.estimate or 0.0))
