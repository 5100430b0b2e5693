"""Biases of couples, by stratum and by order of names: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from socialstats import sentences
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.figures import forest, multiples
from socialstats.figures.forest import MOST_ROWS
from socialstats.inference.dependence import cluster_text
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.bias_analysis import (
    BIAS,
    BOTH,
    CORRECTED,
    FLIP,
    MCNEMAR,
    MEAN,
    MEANS,
    MID_P,
    MOST,
    NULL,
    OVERALL,
    PLAIN,
    POSITION,
    SAME,
    SCORE,
    unit_factor,
)
from socialstats.scales.couples import mcnemar_bounds
from socialstats.studies.estimates import df_text, p_text, rows_table
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.studies.relationship_bias.words import (
    biases_of,
    favoured,
    halving_words,
    mean_words,
    sides,
    size_text,
    told_biases,
)
from socialstats.studies.second import turned
from socialstats.text import count, listing, number, p_value, percent, percent_of, shorten

FAMILY = "pairs of groups"
Part = Literal["main", "appendix"]
MOST_PANELS, MOST_LINES = 4, 60  # limits of the scenario figure
NAIVE = (
    "McNemar's test compares the couples (same scenario, same two names) in which one group is chosen in both orders.",
    "Couples of one scenario are dependent, so its p values are too small.",
    "In simulations of 29 scenarios x 20 pairs of names its type I error rate was about 1 in 3.",
)
TESTS = {  # group of rows -> what is independent, statistic, what n counts
    BIAS: ("clusters of scenario x pair", "t", "answers"),
    MEANS: ("one difference per scenario", "t", "scenarios"),
    FLIP: ("one difference per scenario, sign flips", "sum of differences", "scenarios"),
    MCNEMAR: ("couples independent, McNemar", "χ²", "couples"),
    MID_P: ("couples independent, McNemar mid-p", "couples for the first group", "couples"),
}
LEFT_OUT = ("missing answers excluded", "excluded")  # in tables, and in the figure
SIDES = (
    ("missing answers for the first group", "all for the first"),
    ("missing answers for the second group", "all for the second"),
)
RUNGS = ("rung", "variant")  # columns that say which wording of a question was answered
AS_WRITTEN = ("0", "original", "as written")
UNTESTED = "These counts of signs are descriptive: whether scenarios differ was not tested."
EXPLAINED = "B ranges from −2 to 2; positive values favour the group named first"


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
    tables: Sequence[PageTable],
    results: Sequence[Result] = (),
    part: Part = "main",
    **drawn: Any,
) -> Block:
    """Return a block whose figure is a forest of rows in their order."""
    return Block(
        id=id,
        question=question,
        sentences=tuple(sentences),
        figure_title=title,
        caption=caption,
        part=part,
        draw=partial(forest, list(rows)[:MOST_ROWS], sort=False, **drawn),
        tables=tuple(tables),
        results=tuple(results),
    )


def bias_block(main: Result, options: StudyOptions) -> Block:
    """Return B of every pair of groups with its verdict."""
    rows, title = (
        [replace(row, group=None) for row in told_biases(main)],
        "Bias B of each pair of groups",
    )
    m = sum(row.p_adjusted is not None for row in rows)
    family = f"'{FAMILY}' (m = {m})"
    shown = (
        [
            replace(
                row,
                method=f"{row.method}; Holm over the family {family}",
                key=(*row.key, ("family", family)),
            )
            for row in rows
        ]
        if m
        else rows
    )
    return rows_block(
        "bias",
        "Whom did the model favour?",
        [favoured(row, options) for row in told_biases(main)],
        shown,
        title,
        f"Points with {percent_of(options.level)} CIs (t; {cluster_text(main.design.clusters, 'units')}); n = "
        f"{count(main.counts['answers'])} answers. {EXPLAINED}.",
        tables=[rows_table(shown, title, term="Pair of groups")],
        results=[main],
        xlabel="B (above 0: the group named first is favoured)",
    )


def overall_block(main: Result, each: Result | None) -> Block:
    """Return B_all beside its expected value without bias; with several models, also its mean over them."""
    plain, better = rows = of_group(main, OVERALL)
    null, flip = (main.row(PLAIN, group=group) for group in (NULL, FLIP))
    said, drawn, level = [size_text(main, brief=True)], [better], float(main.settings["level"])
    if better.estimate is not None and null.estimate is not None:
        said.append(
            "As a mean of absolute values, B_all is positive even without bias (expected "
            f"{number(null.estimate)} here; uncorrected estimate {number(plain.estimate)}). The correction is smaller "
            "where biases are large."
        )
    if each is not None:
        how = f"of each of {count(main.counts['raters'], 'model')}, averaged"
        more = [replace(row, term=f"{row.term} {how}") for row in of_group(each, OVERALL)]
        rows, drawn = [*rows, *more], [better, more[1]]
        said += [*mean_words(each), "Opposite biases of models do not cancel in this mean."]
    tests = [
        named(null, "expected without bias, and test of no bias", statistic=None, df=None),
        named(flip, "test of no bias by sign flips of scenarios", statistic=None),
    ]
    return rows_block(
        "overall",
        "How large was the bias over all pairs of groups?",
        [*said, *halving_words(main)],
        drawn,
        "B_all (bias-corrected), the mean absolute bias",
        f"Points with {percent_of(level)} CIs (test inversion: all B_all values not rejected, "
        f"{percent((1 - level) / 2)} per tail; may be asymmetric). The line is the value expected without bias.",
        tables=[
            rows_table([*rows, *tests], "B_all, uncorrected and bias-corrected", term="Quantity")
        ],
        results=[] if each is None else [each],
        reference=null.estimate,
        xlabel="mean absolute bias",
    )


def position_block(main: Result) -> Block:
    """Return the order effect: of couples of one group, and of both orders of those of two, in which the bias cancels.

    Every kind of couple has its mean answer beside.
    """
    same = [named(row, f"{row.term}, {row.term}") for row in of_group(main, POSITION)]
    mean = [named(row, "one group, mean") for row in of_group(main, MEAN)]
    both = [named(row, "two groups, both orders") for row in of_group(main, BOTH)]
    rows, title = (
        [*same, *mean, *both, *of_group(main, SCORE)],
        "Mean answer S of every kind of couple",
    )
    known = [
        (row, where)
        for found, where in (((*mean, *same), "names of one group"), (both, "names of two groups"))
        for row in found[:1]
    ]
    return rows_block(
        "position",
        "Did the order of the names matter?",
        [order_text(row, where) for row, where in known]
        or ["The order effect is unknown: no couple has both orders."],
        rows,
        title,
        "S ranges from −1 (always the first name) to 1 (always the second). The order effect cancels in B, and B "
        "cancels in the mean of both orders. S of one order is not tested because it mixes order effect and bias.",
        tables=[rows_table(rows, title, term="First, second name")],
        label="First, second name",
        xlabel="S: −1 always the first name, 1 always the second",
    )


def order_text(whole: Row, where: str) -> str:
    """Return which position was favoured, by the interval; or that the order effect is undefined."""
    if whole.estimate is None:
        return sentences.no_number(
            f"The order effect between {where}", whole.undefined or "no estimate"
        )
    numbers = f"mean answer between {where} S = {sentences.stat(whole)}, unadjusted"
    if whole.conf_low is None:
        return f"The order effect has no interval: {numbers}."
    if not sentences.reliable(whole):
        return f"The order effect was not reliably different from 0: {numbers}."
    return f"The name in {'second' if whole.estimate > 0 else 'first'} position was favoured: {numbers}."


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
            naive, (low, high) = (
                main.row(row.term, group=MCNEMAR),
                (number(end) for end in limits[row.term]),
            )
            said.append(
                f"{shorten(row.term, 40)}: {p_value(row.p_value)} with clusters; treating {count(naive.n or 0)} "
                f"couples as independent gave χ²({number(naive.df, 0)}) = {number(naive.statistic)}, "
                f"{p_value(naive.p_value)} (possible range of χ² given B and n: {low} to {high})."
            )
        for group, (independent, name, unit) in TESTS.items():
            r = main.row(row.term, group=group)
            value = whole(r.statistic) if group == MID_P else r.statistic
            tests.append(
                (
                    row.term,
                    independent,
                    name,
                    value,
                    df_text(r.df),
                    p_text(r.p_value),
                    whole(r.n),
                    unit,
                    r.undefined,
                )
            )
    couples = []
    for term, known in main.extras["mcnemar_cells"].items():
        names = ("first_group_both", "second_group_both", "first_place_both", "second_place_both")
        line = [int(known[name]) for name in names]
        couples.append(
            (
                term,
                *line,
                sum(line),
                *(map(number, limits[term]) if term in limits else (None, None)),
            )
        )
    return Block(
        id="tests",
        question="What does a test that ignores the scenarios give?",
        part="appendix",
        sentences=(*said, *NAIVE),
        tables=(
            PageTable(
                caption="Tests of each bias, the one to quote first",
                header=(
                    "Pair of groups",
                    "Treated as independent",
                    "Statistic",
                    "Value",
                    "df",
                    "p",
                    "n",
                    "n counts",
                    "Why not",
                ),
                cells=tuple(tests),
            ),
            PageTable(
                caption="Couples (same scenario and names) answered in both orders: n of McNemar's test, and bounds of "
                "its χ² given B and n",
                header=(
                    "Pair of groups",
                    "First group both times",
                    "Second group both times",
                    "First name both times",
                    "Second name both times",
                    "Couples",
                    "Lowest χ²",
                    "Highest χ²",
                ),
                cells=tuple(couples),
            ),
        ),
    )


def whole(value: float | None) -> int | None:
    """Return a number that counts something as an integer; None stays None."""
    return None if value is None else int(value)


def missing_block(main: Result, bounds: Sequence[Result]) -> Block | None:
    """Return the biases with all missing answers counted one way, and the other; None where none is missing."""
    if not bounds or all(row.estimate is None for row in biases_of(main)):
        return None
    rows, shown, said, told = [], [], [], list[str]()
    for row in biases_of(main):
        found = [r for result in (main, *bounds) for r in biases_of(result) if r.term == row.term]
        for (label, short), r in zip((LEFT_OUT, *SIDES), found, strict=True):
            rows.append(named(r, f"{r.term}: {label}", p_adjusted=None))
            shown.append(named(r, f"{shorten(r.term, 24)}: {short}", p_adjusted=None))
        ways = zip(
            (f"With all missing answers counted for '{side}'" for side in sides(row)),
            found[1:],
            strict=False,
        )
        told += turned(row, ways, f"B of {shorten(row.term, 40)}")
        if row.estimate is not None:
            values = [r.estimate for r in found if r.estimate is not None]
            low, high = number(min(values)), number(max(values))
            said.append(
                f"{shorten(row.term, 40)} "
                + (f"from {low} to {high}" if low != high else f"{low} in all cases")
            )
    block = rows_block(
        "missing",
        "Could missing answers change the conclusions?",
        [f"Worst-case allocations of missing answers gave B: {'; '.join(said)}."],
        shown,
        "Bias B by treatment of missing answers",
        "Worst cases: every missing answer favours the first, or the second, group of each pair.",
        tables=[rows_table(rows, "Bias B by treatment of missing answers", term="Bias")],
        results=bounds,
        part="appendix",
        xlabel="B",
    )
    return replace(block, turned=tuple(told))


def rung_of(design: Ratings) -> Factor | None:
    """Return the wording that was tried last, where the table says it."""
    return next((design.strata[name] for name in RUNGS if name in design.strata), None)


def answers_table(design: Ratings) -> PageTable:
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
        ok, refused = (
            int(times[mask & (design.status == status)].sum()) for status in (OK, REFUSAL)
        )
        if n:
            cells.append((label, n, ok, refused, n - ok - refused, percent(ok / n)))
    said = "; wording: the last one tried" if rung is not None else ""
    return PageTable(
        caption=f"Answers by groups of the first and second name{said}",
        header=("Couples", "Asked", "Answered", "Refused", "No answer", "Share answered"),
        cells=tuple(cells),
    )


def scenario_block(main: Result, scenarios: Result, biases: Sequence[Row]) -> Block | None:
    """Return the biases of the scenarios, one panel per pair of groups; None where no scenario has one."""
    panels: dict[str, list[Row]] = {}
    said, shown = [], list[Row]()
    for row in biases:
        first, second = sides(row)
        if main.row(row.term, group=MEANS).estimate is None:
            continue
        each = [
            named(r, level)
            for r in scenarios.rows
            for level in [r.label("level")]
            if level and r.term == row.term
        ]
        above, below = (sum(sign * (r.estimate or 0.0) > 0 for r in each) for sign in (1, -1))
        panels[shorten(row.term, 40)] = each
        said.append(f"{above} favoured '{first}' and {below} '{second}' ({shorten(row.term, 40)})")
        shown += [replace(r, term=f"{r.term}: {row.term}") for r in each]
    if not panels:
        return None
    most = max(map(len, panels.values()))
    drawn = dict(list(panels.items())[:MOST_PANELS])
    fits = most <= MOST_LINES
    return Block(
        id="scenarios",
        question="Did the scenarios agree?",
        sentences=(f"Of {count(most, 'scenario')}, {listing(said, MOST_PANELS)}.", UNTESTED),
        draw=partial(multiples, drawn, label="Scenario", xlabel="B", columns=len(drawn))
        if fits
        else None,
        figure_title="Bias B of each scenario",
        caption="One panel per pair of groups; points with unadjusted "
        f"{percent_of(main.settings['level'])} CIs (t over pairs of names).",
        tables=(
            rows_table(
                shown,
                "Bias B of each scenario; CIs over pairs of names",
                term="Scenario, pair of groups",
            ),
        ),
        results=(scenarios,),
        part="main" if fits else "appendix",
    )


def strata_blocks(design: Ratings, strata: Mapping[str, Result], scenarios: Result) -> list[Block]:
    """Return B and B_all by level of each stratum; tests of B adjusted over all its levels.

    A level of one scenario has the rows of that scenario, with pairs of names as clusters.
    """
    found, scenario = [], unit_factor(design, "scenario", "scenario")
    single = {(row.label("level"), row.term): row for row in scenarios.rows}
    for name, result in strata.items():
        factor = design.strata[name]
        inside = {
            level: np.unique(scenario.codes[factor.codes == k])
            for k, level in enumerate(factor.levels)
        }
        alone = {
            level: scenario.levels[codes[0]] for level, codes in inside.items() if len(codes) == 1
        }
        rows = []
        for row in result.rows:
            level = row.label("level")
            if row.role == "test":
                continue
            if level in alone:
                rows.append((f"{level}, 1 scenario", single.get((alone[level], row.term), row)))
            elif level is not None:
                rows.append((level, row))
        gaps = [row for row in result.rows if row.role == "difference"]
        known = {
            level for level in alone if any(row.label("level") == level for row in result.rows)
        }
        note = (
            f" Results of a level with one scenario ({listing([shorten(x, 40) for x in sorted(known)])}) do not "
            "generalise to other scenarios."
            if known
            else ""
        )
        results = (result, scenarios) if known else (result,)
        found += [
            *biases_blocks(name, rows, gaps, note, results),
            *sizes_blocks(name, rows, gaps, note),
        ]
    return found


Levels = Sequence[tuple[str, Row]]  # rows with the labels of their levels


def biases_blocks(
    name: str, rows: Levels, gaps: Sequence[Row], note: str, results: Sequence[Result]
) -> tuple[Block, ...]:
    """Return the biases by level with their differences, and tables of order effects and scores."""
    title = shorten(name.replace("_", " "), 40)
    heading = title.capitalize()
    own = [
        named(row, f"{level}: {row.term}", p_adjusted=None)
        for level, row in rows
        if row.label("group")
    ]
    biases, adjusted = adjust_family_by_holm(own, f"pairs of groups and levels of {name}")
    place = [
        named(row, level) for level, row in rows if row.term == SAME and not row.label("first")
    ]
    scores = [
        named(row, f"{level}: {row.label('first')}, {row.label('second')}")
        for level, row in rows
        if row.label("first")
    ]
    apart, of_s = (
        [row for row in gaps if bool(row.label("group")) == of_b and row.term != CORRECTED]
        for of_b in (True, False)
    )
    even = [replace(row, group=None) for row in results[0].rows if row.label("alike")]
    tests = [
        replace(row, term=f"{row.label('level')}: {row.term}", group=None)
        for row in results[0].rows
        if row.role == "test" and row.label("level") and row.test == "chi2"
    ]
    listed = (
        (biases, f"Bias B by {title}", heading),
        (
            apart,
            f"Differences of the biases between levels of {title} (Holm over all of them)",
            "Difference",
        ),
        (place, f"Order effect by {title}: mean answer S between names of one group", heading),
        (
            scores,
            f"Mean answer S of every kind of couple by {title}",
            f"{heading}: first, second name",
        ),
        (
            of_s,
            f"Differences of the mean answers S between levels of {title} (Holm over all of them)",
            "Difference",
        ),
        (
            even,
            f"Bias B and order effect, all levels of {title} weighted equally",
            "Pair of groups",
        ),
        (tests, f"McNemar's tests by {title}, treating couples as independent", heading),
    )
    panels: dict[str, list[Row]] = {}
    for (level, row), shown in zip(
        [(level, row) for level, row in rows if row.label("group")], biases, strict=True
    ):
        panels.setdefault(shorten(row.term, 40), []).append(replace(shown, term=level))
    cut = f"; cut at −{MOST:.0f} and {MOST:.0f}" * any(
        MOST in (-(r.conf_low or 0), r.conf_high) for r in biases
    )
    block = rows_block(
        f"stratum-{name}",
        f"Did the bias depend on {title}?",
        bias_sentences(title, biases, apart),
        biases,
        f"Bias B of each pair of groups by {title}",
        f"Points with unadjusted {percent_of(results[0].settings['level'])} CIs (t; clusters of each level{cut})."
        f"{note}",
        tables=[
            rows_table(each, caption, term=term)
            for each, caption, term in listed[:2]
            if each or each is biases
        ],
        results=results if adjusted is None else (*results, adjusted),
        label=heading,
        xlabel="B (above 0: the group named first is favoured)",
    )
    if 1 < len(panels) <= MOST_PANELS and max(map(len, panels.values())) <= MOST_LINES:
        draw = partial(
            multiples, panels, label=heading, xlabel="B", sort=False, columns=len(panels)
        )
        block = replace(block, draw=draw)
    rest = tuple(rows_table(each, caption, term=term) for each, caption, term in listed[2:] if each)
    question = f"What were order effects and mean answers by {title}?"
    if not rest:
        return (block,)
    return block, Block(
        id=f"scores-{name}", question=question, sentences=(), tables=rest, part="appendix"
    )


def bias_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> list[str]:
    """Return which biases of levels, and which differences between levels, were significant; and which have no test."""
    tested, lost = (
        [row for row in rows if (row.p_adjusted is None) == gone] for gone in (False, True)
    )
    clear = [row for row in tested if sentences.is_significant(row)]
    said = []
    if lost:
        said.append(untested(lost, f"{count(len(rows), 'bias', 'biases')} by {title}"))
    if tested and not clear:
        said.append(
            sentences.no_significance_sentence(
                len(tested), f"{'tested ' if lost else ''}biases by {title}"
            )
        )
    elif clear:
        named_text = listing(
            [
                f"{shorten(row.term, 60)} ({sentences.stat(replace(row, statistic=None))})"
                for row in clear
            ],
            most=6,
        )
        said.append(
            f"{count(len(clear))} of {count(len(tested), 'bias', 'biases')} by {title} "
            f"{'was' if len(clear) == 1 else 'were'} significant (Holm): {named_text}."
        )
    known, unknown = (
        [row for row in gaps if (row.p_value is None) == gone] for gone in (False, True)
    )
    if unknown:
        said.append(untested(unknown, f"{count(len(gaps), 'difference')} between levels"))
    apart = [row for row in known if sentences.is_significant(row)]
    own = {row.term: number(row.estimate) for row in rows if row.estimate is not None}
    for row in apart:
        values = [
            own.get(f"{row.label(side)}: {row.term}") for side in ("first level", "second level")
        ]
        named = zip(levels_of(row), values, strict=True)
        one, other = (f"{name} ({value})" if value else name for name, value in named)
        said.append(
            sentences.difference(
                f"B of {shorten(row.term, 40)}", one, other, replace(row, statistic=None)
            )
        )
    rest, also = len(known) - len(apart), "tested " if unknown else ""
    if apart and rest:
        said.append(
            f"The other {count(rest, f'{also}difference')} between levels {'was' if rest == 1 else 'were'} not "
            "significant (Holm)."
        )
    elif known and not apart:
        said.append(
            sentences.no_significance_sentence(len(known), f"{also}differences between levels")
        )
    elif not gaps and len(rows) > 1:
        said.append(f"Differences between levels of {title} were not tested.")
    return said


def untested(rows: Sequence[Row], of: str) -> str:
    """Return how many numbers have no test, and why."""
    why = listing(list(dict.fromkeys(shorten(row.undefined or "no test", 90) for row in rows)), 2)
    return f"{count(len(rows))} of {of} could not be tested: {why}."


def levels_of(row: Row) -> tuple[str, str]:
    """Return the two levels of a difference, ready for a sentence."""
    return shorten(row.label("first level") or "", 40), shorten(row.label("second level") or "", 40)


def sizes_blocks(name: str, rows: Levels, gaps: Sequence[Row], note: str) -> list[Block]:
    """Return B_all of every level with its interval; nothing where no level has one."""
    title = shorten(name.replace("_", " "), 40)
    heading = title.capitalize()
    plain, better = (
        [named(row, level) for level, row in rows if row.term == term]
        for term in (PLAIN, CORRECTED)
    )
    if not any(row.conf_low is not None for row in better):
        return []
    apart = [named(row, f"difference: {row.group}") for row in gaps if row.term == CORRECTED]
    tables = [
        rows_table(plain, f"B_all by {title}, uncorrected", term=heading),
        rows_table([*better, *apart], f"B_all by {title}, bias-corrected", term=heading),
    ]
    return [
        rows_block(
            f"sizes-{name}",
            f"How large was the bias over all pairs of groups, by {title}?",
            size_sentences(better, apart),
            [*better, *apart],
            f"B_all (bias-corrected), the mean absolute bias, by {title}",
            f"Points with unadjusted CIs (test inversion). Sampling error inflates uncorrected B_all, most where "
            f"scenarios are few.{note}",
            tables=tables,
            part="appendix",
            label=heading,
            xlabel="B_all (bias-corrected)",
        )
    ]


def size_sentences(rows: Sequence[Row], gaps: Sequence[Row]) -> list[str]:
    """Return the range of B_all over levels, which exclude 0, which have no interval, and the difference of two."""
    known = sorted(
        (row for row in rows if row.conf_low is not None), key=lambda row: row.estimate or 0.0
    )
    above = [row for row in known if sentences.reliable(row)]
    said = []
    if len(known) > 1:
        low, high = (
            f"{sentences.estimate_text(row)} ({shorten(row.term, 50)})"
            for row in (known[0], known[-1])
        )
        said.append(f"B_all (bias-corrected) ranged from {low} to {high}.")
    if above:
        levels = listing([shorten(row.term, 50) for row in above], most=6)
        said.append(
            f"The CI excluded 0 for {count(len(above))} of {count(len(known), 'level')}: {levels}."
        )
    else:
        said.append("No level's CI excluded 0.")
    if len(known) < len(rows):
        lost = len(rows) - len(known)
        said.append(f"{count(lost, 'level')} {'has' if lost == 1 else 'have'} no CI.")
    said += [sentences.difference("B_all (bias-corrected)", *levels_of(row), row) for row in gaps]
    if not gaps and len(known) > 1:
        apart = max(row.conf_low or 0.0 for row in known) > min(
            row.conf_high or 0.0 for row in known
        )
        said.append(
            f"{'Some CIs do not' if apart else 'All CIs'} overlap; no difference was tested."
        )
    return said
