"""Biases of couples, by stratum and by order of names: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.figures import estimation, forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.metrics.relationship_bias import (
    BIAS,
    CORRECTED,
    FLIP,
    MCNEMAR,
    MEAN,
    MEANS,
    MID_P,
    NULL,
    OVERALL,
    PLAIN,
    POSITION,
    SAME,
    SCORE,
    read,
    unit_factor,
)
from socialstats.models.couples import mcnemar_bounds, scenario_means
from socialstats.planning.adjusting import with_holm
from socialstats.results import Result, Row
from socialstats.studies.estimates import df_text, numbers_text, p_text, rows_table
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.relationship_bias.words import biases_of, favoured, sides
from socialstats.text import count, inconclusive, listing, number, p_value, percent, shorten

FAMILY = "pairs of groups"
NAIVE = (
    "McNemar's test compares the couples (same scenario, same two names) in which one group is chosen in both orders. "
    "Couples of one scenario are alike, so its p-values are too small: in simulations of 29 scenarios x 20 pairs of "
    "names it found a bias that is not there in every third test. It is here because publications use it."
)
TESTS = {  # group of rows -> what is independent, statistic, what n counts
    BIAS: ("clusters of scenario x pair", "t", "answers"),
    MEANS: ("one difference a scenario", "t", "scenarios"),
    FLIP: ("one difference a scenario, sign flips", "sum of differences", "scenarios"),
    MCNEMAR: ("couples independent, McNemar", "χ²", "couples"),
    MID_P: ("couples independent, McNemar mid-p", "couples for the first group", "couples"),
}
LEFT_OUT = ("missing answers left out", "left out")  # in tables, and in the figure
SIDES = (
    ("missing answers for the first group", "all for the first"),
    ("missing answers for the second group", "all for the second"),
)
RUNGS = ("rung", "variant")  # columns that say which wording of a question was answered
AS_WRITTEN = ("0", "original", "as written")
CLEAR = 0.05


def of_group(result: Result, group: str) -> list[Row]:
    """Return the rows of a group under their terms alone."""
    return [replace(row, group=None) for row in result.rows if row.group == group]


def named(row: Row, term: str, **changes: Any) -> Row:
    """Return a row under another term alone."""
    return replace(row, term=term, group=None, **changes)


def rows_block(
    id: str,
    question: str,
    sentences: Sequence[str],
    rows: Sequence[Row],
    title: str,
    caption: str,
    *,
    tables: Sequence[Table],
    results: Sequence[Result] = (),
    **drawn: Any,
) -> Block:
    """Return a block whose figure is a forest of rows in their order."""
    return Block(
        id=id, question=question, sentences=tuple(sentences), figure_title=title, caption=caption,
        draw=partial(forest, list(rows)[:MOST_ROWS], sort=False, **drawn), tables=tuple(tables), results=tuple(results),
    )  # fmt: skip


def bias_block(main: Result, options: StudyOptions) -> Block:
    """Return B of every pair of groups with its verdict."""
    rows, title = of_group(main, BIAS), "Bias B of each pair of groups"
    m = sum(row.p_adjusted is not None for row in rows)
    family = f"'{FAMILY}' (m = {m})"
    shown = [
        replace(row, method=f"{row.method}; Holm over the family {family}", key=(*row.key, ("family", family)))
        for row in rows
    ]
    return rows_block(
        "bias",
        "Whom does the model favour?",
        [f"{favoured(row, options)}." for row in rows],
        shown,
        title,
        "B = S with the group second minus S with the group first, from −2 to 2. t intervals, with scenarios "
        "and pairs of names (each pair of groups has its own) as crossed clusters; their degrees of freedom weigh both "
        "by what they add to the error.",
        tables=[rows_table(shown, title, term="Pair of groups")],
        results=[main],
        xlabel="B (above 0: the group named first is favoured)",
    )


def overall_block(main: Result, each: Result | None) -> Block:
    """Return B_all beside what it would be without any bias; with several models, also its mean over them."""
    plain, better = rows = of_group(main, OVERALL)
    null, flip = (main.row(PLAIN, group=group) for group in (NULL, FLIP))
    said = [f"B_all, the mean size of B, is {numbers_text(plain)}."]
    if better.estimate is not None and null.estimate is not None:
        said = [
            f"B_all, the mean size of B, is {number(plain.estimate)}; corrected for what chance adds to it, "
            f"{numbers_text(better)}.",
            "It averages sizes, which are above 0 even if nobody is favoured: with these scenarios and pairs of names "
            f"it would then be {number(null.estimate)} on average. Chance adds that much only where there is no bias; "
            f"to biases as large as these it adds {number((plain.estimate or 0.0) - better.estimate)}.",
            f"Test that nobody is favoured: {p_value(null.p_value)} (with the clusters of scenarios and of names).",
        ]
    if each is not None:
        how = f"of each of {count(main.counts['raters'], 'model')}, averaged"
        plain, better = more = [replace(row, term=f"{row.term} {how}") for row in of_group(each, OVERALL)]
        rows = [*rows, *more]
        said.append(
            f"Of each model by itself, then averaged, B_all is {number(plain.estimate)}, corrected "
            f"{numbers_text(better)}: models that favour different groups do not cancel in it."
        )
    if flip.p_value is not None:
        said.append(
            f"Sign flips of whole scenarios give {p_value(flip.p_value)}; they take the pairs of names as "
            "given, and find biases that are not there too often where names matter."
        )
    tests = [
        named(null, "mean by chance alone, and test that nobody is favoured", statistic=None, df=None),
        named(flip, "test by sign flips of scenarios", statistic=None),
    ]
    return rows_block(
        "overall",
        "How large is the bias over all pairs of groups?",
        said,
        rows,
        "B_all, the mean size of the biases",
        "Both rows have the interval of the population's value: every size that would not make the observed "
        "B_all a rare one, so that it need not lie evenly about either. By chance alone: the mean of |B| where every B "
        "is 0, which is its standard error times √(2/π), averaged over the pairs of groups.",
        tables=[rows_table([*rows, *tests], "B_all, as it is and corrected", term="Quantity")],
        results=[] if each is None else [each],
        reference=null.estimate,
        xlabel="mean size of B; the line is what chance alone gives",
    )


def position_block(main: Result) -> Block:
    """Return the mean answer of every kind of couple: those of one group show what the order alone does."""
    same = [named(row, f"{row.term}, {row.term}") for row in of_group(main, POSITION)]
    mean = [named(row, "one group, mean") for row in of_group(main, MEAN)]
    rows, title = [*same, *mean, *of_group(main, SCORE)], "Mean answer S of every kind of couple"
    whole = next(iter([*mean, *same]), None)
    said = "No couple of one group was asked: what the order of names does by itself is not known."
    if whole is not None and whole.estimate is not None:
        verdict = f"the {'second' if whole.estimate > 0 else 'first'} name is favoured whoever bears it"
        if whole.conf_low is None or whole.conf_high is None or whole.conf_low <= 0 <= whole.conf_high:
            verdict = inconclusive("the order of the names decides")
        said = f"Between names of one group {verdict}: mean answer {numbers_text(whole)} (0 = no effect of the order)."
    return rows_block(
        "position",
        "How much does the order of the names decide?",
        [said],
        rows,
        f"{title}; couples of one group show the order alone",
        "Without an effect of the order S of couples of one group is 0. B is the difference between the two "
        "orders of the same groups, in which that effect cancels. S of two groups has no test: the order and the bias "
        "are both in it.",
        tables=[rows_table(rows, title, term="First, second name")],
        label="First, second name",
        xlabel="S: −1 always the first name, +1 always the second",
    )


def naive_block(main: Result) -> Block:
    """Return the clustered test first, and McNemar's tests, which take couples as independent, as what they are.

    The bounds of chi-square are those that B and the number of couples alone give.
    """
    limits = {
        row.term: mcnemar_bounds(row.estimate or 0.0, row.n or 1.0)
        for row in of_group(main, MCNEMAR)
        if row.statistic is not None
    }
    said, tests = [], []
    for row in biases_of(main):
        if row.term in limits and row.p_value is not None:
            naive, (low, high) = main.row(row.term, group=MCNEMAR), (number(end) for end in limits[row.term])
            said.append(
                f"{shorten(row.term, 40)}: {p_value(row.p_value)} with clusters; taking {count(naive.n or 0)} couples "
                f"as independent, χ²({number(naive.df, 0)}) = {number(naive.statistic)}, {p_value(naive.p_value)} "
                "(from B and the number of couples alone, as a paper prints them, χ² lies between "
                f"{low} and {high})."
            )
        for group, (independent, name, unit) in TESTS.items():
            r = main.row(row.term, group=group)
            value = whole(r.statistic) if group == MID_P else r.statistic
            tests.append(
                (row.term, independent, name, value, df_text(r.df), p_text(r.p_value), whole(r.n), unit, r.undefined)
            )
    couples = []
    for term, known in main.extras["mcnemar_cells"].items():
        names = ("first_group_both", "second_group_both", "first_place_both", "second_place_both")
        line = [int(known[name]) for name in names]
        couples.append((term, *line, sum(line), *(map(number, limits[term]) if term in limits else (None, None))))
    return Block(
        id="tests",
        question="What would a test that ignores the scenarios claim?",
        sentences=(*said, NAIVE),
        tables=(
            Table(
                caption="Tests of each bias, the one to quote first",
                header=("Pair of groups", "What is independent", "Statistic", "Its value", "df", "p", "n", "n counts",
                        "Why not"),
                cells=tuple(tests),
            ),
            Table(
                caption="Couples (same scenario and names) answered in both orders: n of McNemar's test, and the "
                "bounds of its χ² that B and n alone give",
                header=("Pair of groups", "First group both times", "Second group both times",
                        "First name both times", "Second name both times", "Couples", "Lowest χ²", "Highest χ²"),
                cells=tuple(couples),
            ),
        ),
    )  # fmt: skip


def whole(value: float | None) -> int | None:
    """Return a number that counts something as an integer; None stays None."""
    return None if value is None else int(value)


def missing_block(main: Result, bounds: Sequence[Result]) -> Block | None:
    """Return the biases with all missing answers counted one way, and the other; None where none is missing."""
    if not bounds or all(row.estimate is None for row in biases_of(main)):
        return None
    rows, shown, said = [], [], []
    for row in biases_of(main):
        found = [r for result in (main, *bounds) for r in biases_of(result) if r.term == row.term]
        for (label, short), r in zip((LEFT_OUT, *SIDES), found, strict=True):
            rows.append(named(r, f"{r.term}: {label}", p_adjusted=None))
            shown.append(named(r, f"{shorten(r.term, 24)}: {short}", p_adjusted=None))
        if row.estimate is not None:
            values = [r.estimate for r in found if r.estimate is not None]
            said.append(f"{shorten(row.term, 40)} from {number(min(values))} to {number(max(values))}")
    return rows_block(
        "missing",
        "Could the missing answers change the answer?",
        [f"Whatever the missing answers would have been, B lies: {'; '.join(said)}."],
        shown,
        "Biases with all missing answers counted one way, and the other",
        "Worst cases: every missing answer favours the group named first of each pair, or the second.",
        tables=[rows_table(rows, "Biases under each way to count missing answers", term="Bias")],
        results=bounds,
        xlabel="B",
    )


def rung_of(design: Ratings) -> Factor | None:
    """Return the wording that was tried last, where the table says it."""
    return next((design.strata[name] for name in RUNGS if name in design.strata), None)


def answers_table(design: Ratings) -> Table:
    """Count answers, refusals and missing answers by kind of couple, and by the wording that was tried last."""
    first, second = (design.strata[name] for name in ("group_first", "group_second"))
    times, rung = design.unit_count[design.unit], rung_of(design)
    kinds = [
        (f"{a}, {b}", ((first.codes == i) & (second.codes == j))[design.unit])
        for i, a in enumerate(first.levels)
        for j, b in enumerate(second.levels)
    ]
    for k, level in enumerate(rung.levels if rung is not None else ()):
        label = f"wording {shorten(level, 20)}" + (" (as written)" if level in AS_WRITTEN else "")
        kinds.append((label, rung.codes[design.unit] == k))  # type: ignore[union-attr]
    cells = []
    for label, mask in kinds:
        n = int(times[mask].sum())
        ok, refused = (int(times[mask & (design.status == status)].sum()) for status in (OK, REFUSAL))
        if n:
            cells.append((label, n, ok, refused, n - ok - refused, percent(ok / n)))
    said = "; wording: the last that was tried" if rung is not None else ""
    return Table(
        caption=f"Answers by groups of the first and second name{said}",
        header=("Couples", "Asked", "Answered", "Refused", "No answer", "Share answered"), cells=tuple(cells),
    )  # fmt: skip


def scenario_blocks(design: Ratings, main: Result, scenarios: Result, biases: Sequence[Row]) -> list[Block]:
    """Return the estimation plot of the scenarios' differences of each pair of groups."""
    found: list[Block] = []
    asked, _ = read(design, dict(main.settings))
    for row in biases:
        mean, flip = (main.row(row.term, group=group) for group in (MEANS, FLIP))
        if mean.estimate is None:
            continue
        first, second = sides(row)
        one, other = (asked.groups.index(row.label(side) or "") for side in ("group", "other"))
        after, before = (means.ravel() for means in scenario_means(asked.answers, one, other, 1))
        both = np.isfinite(after) & np.isfinite(before)
        each = [named(r, level) for r in scenarios.rows for level in [r.label("level")] if level and r.term == row.term]
        above, below = (sum(sign * (r.estimate or 0.0) > 0 for r in each) for sign in (1, -1))
        test = ""
        if mean.statistic is not None and mean.df is not None:
            test = f", t({number(mean.df, 0)}) = {number(mean.statistic)}, {p_value(mean.p_value)}"
        found.append(
            Block(
                id=f"scenarios-{biases.index(row) + 1}",
                question=f"Do the scenarios agree about '{first}' and '{second}'?",
                sentences=(
                    f"{count(above)} of {count(len(each), 'scenario')} favour '{first}' and {count(below)} '{second}'. "
                    f"With one difference a scenario, all alike, B is {numbers_text(mean)}{test}; "
                    f"sign flips of whole scenarios give {p_value(flip.p_value)}. "
                    "Both take the pairs of names as given.",
                ),
                draw=partial(estimation, after[both], before[both], None, mean, binary=False, unit="scenario",
                             ylabel="mean answer of a scenario", conditions=(f"{first} second", f"{first} first")),
                figure_title=f"Mean answers of the scenarios in both orders of {first} and {second}, and their "
                "difference",
                caption=f"Left: the same scenario with {first} in the second and in the first place (+1: the second "
                f"name is right). Right: their differences, above 0 where {first} is favoured.",
                tables=(rows_table(each, f"Bias {row.term} of each scenario; intervals by pairs of names, within the "
                                   "scenario", term="Scenario"),),
                results=(scenarios,) if row is biases[0] else (),
            )
        )  # fmt: skip
    return found


def strata_blocks(design: Ratings, strata: Mapping[str, Result], scenarios: Result) -> list[Block]:
    """Return B and B_all by level of each stratum; tests of B adjusted over all its levels.

    A level of one scenario has the rows of that scenario, with pairs of names as clusters.
    """
    found, scenario = [], unit_factor(design, "scenario", "scenario")
    single = {(row.label("level"), row.term): row for row in scenarios.rows}
    for name, result in strata.items():
        factor = design.strata[name]
        inside = {level: np.unique(scenario.codes[factor.codes == k]) for k, level in enumerate(factor.levels)}
        alone = {level: scenario.levels[codes[0]] for level, codes in inside.items() if len(codes) == 1}
        rows = []
        for row in result.rows:
            level = row.label("level")
            if row.role == "test":
                continue
            if level in alone:
                rows.append((f"{level} (1 scenario)", single.get((alone[level], row.term), row)))
            elif level is not None:
                rows.append((level, row))
        gaps = [row for row in result.rows if row.role == "difference"]
        known = {level for level in alone if any(row.label("level") == level for row in result.rows)}
        note = (
            f" A level of one scenario ({listing([shorten(x, 40) for x in sorted(known)])}) says nothing about other "
            "scenarios: its numbers are about that scenario, over pairs of names alone."
            if known else ""
        )  # fmt: skip
        results = (result, scenarios) if known else (result,)
        found += [biases_block(name, rows, gaps, note, results), *sizes_blocks(name, rows, gaps, note)]
    return found


Levels = Sequence[tuple[str, Row]]  # rows with the labels of their levels


def biases_block(name: str, rows: Levels, gaps: Sequence[Row], note: str, results: Sequence[Result]) -> Block:
    """Return a forest of the biases by level, with tables of differences, effects of the place and scores."""
    title = shorten(name, 40)
    heading = title.capitalize()
    own = [named(row, f"{level}: {row.term}", p_adjusted=None) for level, row in rows if row.label("group")]
    biases, adjusted = with_holm(own, f"pairs of groups and levels of {name}")
    place = [named(row, level) for level, row in rows if row.term == SAME and not row.label("first")]
    scores = [
        named(row, f"{level}: {row.label('first')}, {row.label('second')}") for level, row in rows if row.label("first")
    ]
    apart, of_s = ([row for row in gaps if bool(row.label("group")) == of_b and row.term != CORRECTED]
                   for of_b in (True, False))  # fmt: skip
    even = [replace(row, group=None) for row in results[0].rows if row.label("alike")]
    tests = [replace(row, term=f"{row.label('level')}: {row.term}", group=None) for row in results[0].rows
             if row.role == "test" and row.label("level") and row.test == "chi2"]  # fmt: skip
    listed = (
        (biases, f"Bias B by {title}", heading),
        (place, f"Effect of the place by {title}: mean answer S between names of one group", heading),
        (scores, f"Mean answer S of every kind of couple by {title}", f"{heading}: first, second name"),
        (apart, f"Differences of the biases between levels of {title} (p (Holm): over all of them)", "Difference"),
        (of_s, f"Differences of the mean answers S between levels of {title} (p (Holm): over all of them)",
         "Difference"),
        (even, f"Bias B and effect of the place, all levels of {title} weighing alike", "Pair of groups"),
        (tests, f"McNemar's tests by {title}: couples of both orders as independent", heading),
    )  # fmt: skip
    return rows_block(
        f"stratum-{name}",
        f"Does the bias differ by {title}?",
        bias_sentences(title, biases, apart),
        biases,
        f"Bias B of each pair of groups by {title}",
        "Each level by itself, with the clusters it has: few scenarios make long intervals, cut where B ends "
        f"(−2 and 2).{note}",
        tables=[rows_table(each, caption, term=term) for each, caption, term in listed if each or each is biases],
        results=results if adjusted is None else (*results, adjusted),
        label=heading,
        xlabel="B (above 0: the group named first is favoured)",
    )


def bias_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> list[str]:
    """Say which levels differ from no bias after adjustment, and whether two levels differ from each other."""
    lost = [row for row in rows if row.p_adjusted is None]
    clear = [row for row in rows if row.p_adjusted is not None and row.p_adjusted < CLEAR]
    said = f"Of {count(len(rows), 'bias', 'biases')} by {title}, "
    if lost:
        why = listing(list(dict.fromkeys(shorten(row.undefined or "no test", 90) for row in lost)), 2)
        said += f"{count(len(lost))} cannot be tested ({why}); of the other {count(len(rows) - len(lost))}, "
    after = "from 0 after adjustment (Holm-adjusted p below .05)"
    if clear:
        named_text = listing([f"{shorten(row.term, 60)} ({numbers_text(row)})" for row in clear], most=6)
        said += f"{count(len(clear))} {'differs' if len(clear) == 1 else 'differ'} {after}: {named_text}."
    else:
        said += f"none differs {after}."
    sentences = [said]
    for row in gaps:
        if row.estimate is not None and row.p_value is not None:
            which = (
                "differs" if row.p_adjusted is not None and row.p_adjusted < CLEAR else "does not differ significantly"
            )
            sentences.append(
                f"B of {shorten(row.term, 40)} {which} between levels ({shorten(row.group or '', 60)}: "
                f"{numbers_text(row)}, {p_value(row.p_adjusted, name='Holm-adjusted p')})."
            )
    return sentences


def sizes_blocks(name: str, rows: Levels, gaps: Sequence[Row], note: str) -> list[Block]:
    """Return B_all of every level with its interval; nothing where no level has one."""
    title = shorten(name, 40)
    heading = title.capitalize()
    plain, better = ([named(row, level) for level, row in rows if row.term == term] for term in (PLAIN, CORRECTED))
    if not any(row.conf_low is not None for row in better):
        return []
    apart = [named(row, f"difference: {row.group}") for row in gaps if row.term == CORRECTED]
    tables = [
        rows_table(plain, f"B_all by {title}, as it is", term=heading),
        rows_table([*better, *apart], f"B_all by {title}, corrected for what chance adds", term=heading),
    ]
    return [
        rows_block(
            f"sizes-{name}",
            f"How large is the bias over all pairs of groups, by {title}?",
            size_sentences(title, better, apart),
            [*better, *apart],
            f"Mean size of the biases, B_all corrected, by {title}",
            "B_all is the mean of |B| over the pairs of groups. Chance adds to it, most where scenarios are few: "
            f"compare corrected values, by their intervals.{note}",
            tables=tables,
            label=heading,
            xlabel="B_all, corrected: mean size of B",
        )
    ]


def size_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> list[str]:
    """Say from where to where B_all runs, and whether the levels can be told apart."""
    known = sorted((row for row in rows if row.conf_low is not None), key=lambda row: row.estimate or 0.0)
    above = [row for row in known if (row.conf_low or 0.0) > 0]
    said = []
    if len(known) > 1:
        low, high = (f"{numbers_text(row)} ({shorten(row.term, 50)})" for row in (known[0], known[-1]))
        said.append(f"B_all, corrected, lies between {low} and {high}.")
    if above:
        levels = listing([shorten(row.term, 50) for row in above], most=6)
        said.append(f"The interval leaves 0 out in {count(len(above))} of {count(len(known), 'level')}: {levels}.")
    else:
        said.append("Every interval reaches 0: no level by itself settles that somebody is favoured.")
    for row in gaps:
        if row.conf_low is not None and row.conf_high is not None:
            open_ = row.conf_low <= 0 <= row.conf_high
            verdict = ": the data do not settle which is larger" if open_ else ""
            said.append(f"Between the two levels it differs by {numbers_text(row)}{verdict}.")
    if not gaps and len(known) > 1:
        apart = max(row.conf_low or 0.0 for row in known) > min(row.conf_high or 0.0 for row in known)
        together = f"All these intervals overlap: the data do not settle which {title} has more."
        said.append("Some of these intervals do not overlap." if apart else together)
    return said
