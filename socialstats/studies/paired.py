"""Study of pairs: do the same units differ between two conditions?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.figures import estimation, forest, square, two_by_two
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.metrics.mcnemar import mcnemar
from socialstats.metrics.symmetry import symmetry
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    Verdict,
    cluster_ways,
    cluster_words,
    digits_for,
    error_of,
    is_inside,
    label_of,
    numbers_text,
    references_of,
    rows_table,
    settings_of,
    tests_table,
    verdict,
    verify_all,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    Way,
    dependence_block,
    distinct,
    influence_block,
    leave_one_out,
    multiverse,
    multiverse_block,
    with_design_effect,
    without_label,
)
from socialstats.studies.page import Block, Diagnostic, Mark, Outcome, Strip, Study, StudyOptions, Table, order_cautions
from socialstats.text import as_given, count, digits_of, level_text, listing, number, p_value, percent, shorten

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


MOST_NAMED = 3  # levels whose numbers the answer gives
MOST_MARKS = 8  # levels on the number line


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The verdict on each level.

    Attributes
    ----------
    together : Result
        Intervals that hold for all levels at once: each at level 1 - alpha / k (Bonferroni).
    narrow : Result or None
        Intervals of two one-sided tests, at level 1 - 2 alpha; None without a smallest effect.
    smallest : float or None
    level : float
        Of all simultaneous intervals together.
    """

    together: Result
    narrow: Result | None
    smallest: float | None
    level: float

    def verdicts(self) -> dict[str, Verdict]:
        """Say for each level what its simultaneous interval settles, the largest difference first."""
        rows = sorted(margins(self.together), key=lambda row: -abs(row.estimate or 0.0))
        return {row.term: verdict(row, bounds=row, smallest=self.smallest) for row in rows}

    def all_equal(self) -> bool:
        """Tell whether every share is shown to differ by less than the smallest effect: no adjustment is needed.

        That all differences are small is claimed only if every single test claims it (an intersection-union test).
        """
        if self.narrow is None or self.smallest is None:
            return False
        return all(is_inside(row, self.smallest) for row in margins(self.narrow))


def levels_of(design: Paired, main: Result, *, level: float, smallest: float | None) -> Levels:
    """Compute the intervals that the verdicts need."""
    k = len(margins(main))
    narrow: Any = None if smallest is None else symmetry(design, level=2 * level - 1)
    together: Any = symmetry(design, level=1 - (1 - level) / k)
    return Levels(together=together, narrow=narrow, smallest=smallest, level=level)


def answer_of_levels(design: Paired, main: Result, levels: Levels) -> str:
    """Return the verdict on the shares of several levels; intervals decide, not the p-value of the joint test."""
    first, second = (shorten(name, 40) for name in design.conditions)
    found = levels.verdicts()
    known = [row for row in margins(levels.together) if row.conf_low is not None]
    if not known:
        return f"No verdict: {margins(levels.together)[0].undefined or 'no share has an interval'}."
    if levels.narrow is not None and levels.smallest is not None and levels.all_equal():
        widest = levels.narrow.row(next(iter(found)), group="margin")
        return (
            f"Practically equal: no share of a level differs by {as_given(levels.smallest)} or more between {first} "
            f"and {second}; the widest difference is that of {told(widest)}."
        )
    differ = [name for name, settled in found.items() if settled in ("above", "below")]
    if not differ:
        row = levels.together.row(next(iter(found)), group="margin")
        return (
            f"The data do not settle whether {first} and {second} give different shares of the {count(len(found))} "
            f"levels; the widest difference is that of {told(row, levels.level)}, {minus(design)} ({joint(main)})."
        )
    said = "; ".join(
        f"{told(levels.together.row(name, group='margin'), levels.level)}, more frequent under "
        f"{first if found[name] == 'above' else second}" for name in differ[:MOST_NAMED]
    )  # fmt: skip
    more = len(differ) - MOST_NAMED
    said += f"; and {count(more)} more" if more > 0 else ""
    return (
        f"Yes, shares of levels differ, {minus(design)}: {said}.{rest(found)} The intervals hold for all "
        f"{count(len(found))} levels at once; {joint(main)}."
    )


def rest(found: dict[str, Verdict]) -> str:
    """Name the levels that are practically equal, and those that are not settled."""
    equal = [shorten(name, 30) for name, settled in found.items() if settled == "equal"]
    unsettled = [shorten(name, 30) for name, settled in found.items() if settled == "open"]
    text = f" Practically equal: {listing(equal)}." if equal else ""
    return text + (f" Not settled: {listing(unsettled)}." if unsettled else "")


def told(row: Row, together: float | None = None) -> str:
    """Name a level with its difference and interval; `together` is the level of all simultaneous intervals."""
    shown = row if together is None else replace(row, conf_level=together)
    text = numbers_text(shown, digits=digits_for([row]), bounded=True)
    return f"'{shorten(row.term, 40)}' {text if together is None else text.replace('CI [', 'simultaneous CI [')}"


def joint(main: Result) -> str:
    """Return the test of all levels together."""
    test = next(row for row in main.rows if row.group == "test")
    return f"{test.method}, {p_value(test.p_value)}" if test.p_value is not None else f"no joint test: {test.undefined}"


def equivalence_words(levels: Levels) -> str:
    """Say for which levels the difference is shown to be practically nothing."""
    assert levels.narrow is not None
    assert levels.smallest is not None
    rows = margins(levels.narrow)
    inside = [shorten(row.term, 30) for row in rows if is_inside(row, levels.smallest)]
    size = as_given(levels.smallest)
    said = (
        "The intervals of all levels lie" if len(inside) == len(rows)
        else f"Of {count(len(rows))} levels, the intervals of {listing(inside)} lie" if inside
        else "The interval of no level lies"
    )  # fmt: skip
    return f"{said} between {as_given(-levels.smallest)} and {size}. Margins are called equal only where all do."


def methods_of_levels(level: float) -> str:
    """Say how the verdicts are made."""
    return (
        "A level is called more frequent under one condition where its interval at level 1 - alpha / k excludes zero "
        f"(k levels, alpha = {number(1 - level, 3, bounded=True)}: Bonferroni, so that all hold at once)."
    )


def marks_of_levels(levels: Levels) -> tuple[Mark, ...]:
    """Return the differences of the shares, the largest first, for the number line."""
    rows: Sequence[Row] = sorted(margins(levels.together), key=lambda row: -abs(row.estimate or 0.0))[:MOST_MARKS]
    return tuple(
        Mark(label=shorten(row.term, 48), value=row.estimate, low=row.conf_low, high=row.conf_high,
             undefined=row.undefined or "") for row in rows
    )  # fmt: skip


OWN = "as on this page"
INTERVALS: dict[str, dict[str, tuple[str, ...]]] = {
    "binary": {"difference_ci": ("newcombe", "wald")},
    "numeric": {"ci": ("percentile", "bca", "studentized")},
    "nominal": {},
}  # options of the interval by scale, those of the page left out
NAMES = {"newcombe": "Newcombe's interval", "wald": "Wald's interval", "percentile": "bootstrap, percentile",
         "bca": "bootstrap, BCa", "studentized": "bootstrap, studentized"}  # fmt: skip
Compute = Callable[..., Any]


def paired_multiverse(
    design: Paired,
    compute: Compute,
    *,
    lead: Callable[[Result], Row],
    left_out: Mapping[str, Result],
    quantity: str,
    digits: int,
) -> Block | None:
    """Return the block; None where nothing can be done in another way.

    Parameters
    ----------
    design : Paired
    compute : callable
        (design, options of the metric) -> Result.
    lead : callable
        Result -> the row of the difference.
    left_out : mapping of factor name to Result
        The estimate without each cluster, smallest first, where that is known.
    quantity : str
    digits : int
    """
    made = variants(design, compute, lead, left_out)
    if len(made) < 2:
        return None
    metric = made[0].compute().metric
    found = multiverse(metric, f"the {quantity}", distinct(made), reference=0.0, digits=digits, words="0")
    return multiverse_block(
        found, id="multiverse", question="Does the answer hang on a choice of analysis?", quantity=quantity
    )


def variants(
    design: Paired, compute: Compute, lead: Callable[[Result], Row], left_out: Mapping[str, Result]
) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""
    ways = list(cluster_ways(design.clusters, "pairs").items())
    own, others = (ways[-1], ways[:-1]) if design.clusters else (("pairs independent", None), [])
    made = [Variant(label=f"all pairs, {own[0].removeprefix('pairs ')}", choice=OWN, compute=partial(compute, design),
                    lead=lead)]  # fmt: skip
    made += [
        Variant(label=label, choice="clusters", compute=partial(compute, design, cluster=way), lead=lead)
        for label, way in others
    ]
    if not design.clusters or design.scale == "numeric":
        made += [
            Variant(label=NAMES[value], choice="interval", lead=lead, compute=partial(compute, design, **{name: value}))
            for name, values in INTERVALS[design.scale].items() for value in values
        ]  # fmt: skip
    if design.scale == "binary" and len(design.clusters) == 1:
        made.append(Variant(label="clusters weigh alike", choice="weights", compute=partial(compute, design),
                            lead=lambda result: result.row("cluster_means_t")))  # fmt: skip
    for factor in design.clusters:
        made += [
            Variant(label=without_label(factor.name, factor.levels[code]), lead=lead,
                    choice=f"{shorten(factor.name, 30)} left out",
                    compute=partial(without, design, factor, code, compute))
            for code in dropped(factor, left_out.get(factor.name))
        ]  # fmt: skip
    return made


def dropped(factor: Factor, range_of: Result | None) -> list[int]:
    """Return the clusters to leave out: each of a few, else the two without which the estimate is farthest off."""
    if 2 < len(factor.levels) <= MOST_LEFT_OUT:
        return list(range(len(factor.levels)))
    if range_of is None:
        return []
    ends = (range_of.rows[0], range_of.rows[-1])
    return [factor.levels.index(row.term) for row in dict.fromkeys(ends)]


def without(design: Paired, factor: Factor, code: int, compute: Compute) -> Result:
    """Compute the difference without one cluster."""
    found: Result = compute(design.take(np.asarray(factor.codes != code)))
    return found


def check_smallest(design: Paired, options: StudyOptions) -> None:
    """Refuse a smallest effect that the values cannot have.

    Raises
    ------
    InputError
        For a difference of shares of 1 or more, standard deviations of shares or of clustered pairs.
    """
    smallest = options.smallest_effect
    if smallest is None:
        return
    given = f"smallest_effect={smallest:g}"
    shares = design.scale != "numeric"
    if shares and options.effect_scale == "d_z":
        raise InputError("effect_scale='d_z' is for numbers; the smallest difference of two shares is raw, as 0.05")
    if shares and smallest >= 1:
        meant = f"; did you mean {smallest / 100:g}?" if smallest < 100 else ""
        raise InputError(f"{given} cannot be: differences of shares lie within -1 and 1{meant}")
    if options.effect_scale == "d_z" and design.clusters:
        names = listing([f"'{shorten(factor.name, 40)}'" for factor in design.clusters])
        raise InputError(
            f"effect_scale='d_z' needs independent pairs, and they are clustered by {names}: say the smallest effect "
            "in the unit of the values (effect_scale='raw'), or leave cluster= out if the pairs are independent"
        )


def decimals(design: Paired, lead: Row) -> int:
    """Return the decimals of the leading estimate: at least 3 for shares, 2 for numbers."""
    return digits_of(error_of(lead), 2 if design.scale == "numeric" else 3)


def describe(design: Paired) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [f"{count(design.n_pairs, 'unit')} under two conditions", f"{design.scale} values", *cluster_words(design)]
    if design.unmatched:
        parts.append(f"{count(len(design.unmatched), 'unit')} left out for want of a partner")
    return "Pairs: " + ", ".join(parts)


def diagnostics(design: Paired) -> tuple[Diagnostic, ...]:
    """Say whether every unit has its partner, and how even the clusters are."""
    n = len(design.unmatched)
    found = [
        Diagnostic(
            check="Does every unit have a value under both conditions?",
            found=f"No: {count(n)} left out ({listing([shorten(u, 30) for u in design.unmatched])})." if n else "Yes.",
            so_what="The difference is that of complete pairs." if n else "Pairs were joined by key, not by position.",
        )
    ]
    for factor in design.clusters:
        sizes = [0.0] * len(factor.levels)
        for code, times in zip(factor.codes.tolist(), design.count.tolist(), strict=True):
            sizes[code] += times
        uneven = max(sizes) > 4 * min(sizes)
        found.append(
            Diagnostic(
                check=f"How even are the clusters of {shorten(factor.name, 40)}?",
                found=f"{count(len(sizes))} clusters of {span(min(sizes), max(sizes))}.",
                so_what="Uneven clusters make intervals less reliable." if uneven else "Even enough.",
            )
        )  # fmt: skip
    return tuple(found)


def span(least: float, most: float) -> str:
    """Write the sizes of clusters.

    Examples
    --------
    >>> span(4, 4), span(1, 12)
    ('4 pairs each', '1 to 12 pairs')
    """
    return f"{count(least, 'pair')} each" if least == most else f"{count(least)} to {count(most, 'pair')}"


def methods(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraphs."""
    lead = numbers.main
    text = f"{lead.title}. Every difference is {minus(design)}. Uncertainty: {lead.inference}; "
    text += f"{level_text(options.level)} intervals."
    if design.scale == "binary":
        text += f" {binary_methods(design, lead)}"
    if numbers.levels is not None:
        text += f" {methods_of_levels(options.level)}"
    if design.clusters:
        text += " The clustered test leads; tests that take pairs as independent are shown beside it."
    more = []
    if numbers.sizes is not None:
        more.append(f"Standardised differences: {numbers.sizes.inference}.")
    if numbers.bounds is not None and numbers.bounds is not lead:
        more.append(
            f"A difference counts as practically nothing when two one-sided tests at "
            f"{number(1 - options.level, 3, bounded=True)} reject both bounds ({numbers.bounds.inference})."
        )
    return (text, " ".join(more)) if more else (text,)


def binary_methods(design: Paired, result: Result) -> str:
    """Name the test that leads and the interval of each size, and say what Cohen's g is."""
    row, odds, g = (result.row(term) for term in ("difference", "odds_ratio", "cohens_g"))
    interval, _, test = (row.method or "").partition("; ")
    how = [f"difference: {interval}"] if interval else []
    how += [f"{label_of(other)}: {other.method}" for other in (odds, g) if other.method]
    first = shorten(design.conditions[0], 40)
    tested = f"Leading test: {test}. " if test else ""
    return (
        f"{tested}Intervals: {'; '.join(how)}. Cohen's g is the share of {first} among the pairs that have "
        f"'{shorten(design.levels[1], 30)}' under one condition only, minus one half."
    )


USED = ("seed", "resamples", "level", "smallest_effect", "effect_scale", "verify")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes: the comparison, sizes, the test of equivalence, the ranges without each cluster.

    `levels` has the verdicts on several levels without order.
    """

    main: Result
    lead: Row
    sizes: Result | None = None
    bounds: Result | None = None
    left_out: dict[str, Result] = field(default_factory=dict)
    levels: Levels | None = None


def run(design: Paired, options: StudyOptions) -> Outcome:
    """Answer: is there a difference, how large is it, and does the answer hang on what is taken as independent?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    numbers = compute(design, options)
    main = numbers.main
    first, second = (shorten(name, 40) for name in design.conditions)
    others = (numbers.sizes, numbers.bounds)
    shown = blocks(design, numbers, options)
    return Outcome(
        study="paired",
        title=f"Is there a difference between {first} and {second}?",
        design=describe(design),
        answer=answer(design, numbers, options),
        strip=strip(design, numbers, options),
        cautions=order_cautions(main.cautions, design.cautions, *(r.cautions for r in others if r is not None)),
        blocks=shown,
        flow=design.flow,
        diagnostics=diagnostics(design),
        methods=methods(design, numbers, options),
        references=references_of((main, *(r for r in others if r is not None)), shown),
        verifications=verify_all(named(numbers), shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )  # fmt: skip


def compare(
    design: Paired, options: StudyOptions, cluster: Way = "declared", level: float | None = None, **choices: Any
) -> Any:
    """Compare the conditions with the metric of the scale; `choices` are options of the metric."""
    used = options.level if level is None else level
    if design.scale == "binary":
        return mcnemar(design, cluster=cluster, level=used, **choices)
    if design.scale == "nominal":
        return symmetry(design, cluster=cluster, level=used, **choices)
    from socialstats.metrics.paired_difference import paired_difference

    return paired_difference(
        design, cluster=cluster, level=used, seed=options.seed, resamples=options.resamples, **choices
    )


def compute(design: Paired, options: StudyOptions) -> Numbers:
    """Compute every number of the page."""
    check_smallest(design, options)
    main = compare(design, options)
    if design.scale == "nominal":
        found = levels_of(design, main, level=options.level, smallest=options.smallest_effect)
        return Numbers(main=main, lead=most_shifted(main), bounds=found.narrow, levels=found)
    lead = main.rows[0]
    sizes: Any = None
    if design.scale == "numeric":
        from socialstats.metrics.effect_sizes import effect_sizes

        sizes = effect_sizes(design, level=options.level, seed=options.seed, resamples=options.resamples)
    left_out = {
        factor.name: leave_one_out(design, factor, lead, main.metric)
        for factor in design.clusters if len(factor.levels) > 1
    }  # fmt: skip
    return Numbers(main=main, lead=lead, sizes=sizes, bounds=bounds(design, options), left_out=left_out)


def bounds(design: Paired, options: StudyOptions) -> Any:
    """Test that the difference is practically nothing; None where no smallest effect was given."""
    smallest = options.smallest_effect
    if smallest is None:
        return None
    if design.scale == "binary":
        return compare(design, options, level=2 * options.level - 1)
    from socialstats.metrics.equivalence import equivalence

    return equivalence(design, low=-smallest, high=smallest, scale=options.effect_scale, level=options.level)


def blocks(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    main = numbers.main
    found: list[Block | None] = []
    if numbers.levels is not None:
        found += [square_block(design, main, numbers.levels.together), equivalent(design, numbers, options)]
        found.append(tests_block(main))
    else:
        found.append(difference_block(design, main))
        found.append(cells_block(design, main) if design.scale == "binary" else None)
        found.append(effects_block(design, numbers.sizes) if numbers.sizes is not None else None)
        found.append(equivalent(design, numbers, options))
        found.append(tests_block(main))
    lead, quantity = partial(leading, numbers), quantity_of(numbers)
    found.append(
        dependence_block(
            design.clusters, lambda way: compare(design, options, way), rows="pairs", quantity=quantity,
            bounded=design.scale != "numeric", lead=lead,
        )
    )  # fmt: skip
    found.append(influence_block(numbers.left_out, digits=digits_for([numbers.lead])))
    found.append(
        paired_multiverse(
            design, lambda data, **choices: compare(data, options, **choices), lead=lead, left_out=numbers.left_out,
            quantity=quantity, digits=decimals(design, numbers.lead),
        )
    )  # fmt: skip
    return with_design_effect([block for block in found if block is not None], design.clusters, lead=lead)


def leading(numbers: Numbers, result: Result) -> Row:
    """Return the row of a result that the page is about."""
    if numbers.levels is None:
        return result.rows[0]
    term = numbers.lead.term
    missing = Row(term=term, group="margin", undefined="no pair has this level")
    return next((row for row in result.rows if row.group == "margin" and row.term == term), missing)


def quantity_of(numbers: Numbers) -> str:
    """Name what the page is about."""
    return "difference" if numbers.levels is None else f"difference of shares of '{shorten(numbers.lead.term, 30)}'"


def equivalent(design: Paired, numbers: Numbers, options: StudyOptions) -> Block | None:
    """Return the block of the smallest effect that matters."""
    result, smallest = numbers.bounds, options.smallest_effect
    if result is None or smallest is None:
        return None
    title = f"Test that the difference lies between {as_given(-smallest)} and {smallest_text(options)}"
    if numbers.levels is not None:
        said = equivalence_words(numbers.levels)
        return equivalence_block(result, margins(result), said, title.replace("the difference lies", "differences lie"))
    if design.scale != "binary":
        return equivalence_block(result, result.rows, result.sentence(), title)
    row = result.rows[0]
    inside = verdict(row, bounds=row, smallest=smallest) == "equal"
    said = (
        f"The difference is {numbers_text(row, digits=decimals(design, row), bounded=True)}; the interval (that of two "
        f"one-sided tests at {number(1 - options.level, 2, bounded=True)}) {'lies' if inside else 'does not lie'} "
        f"between {as_given(-smallest)} and {as_given(smallest)}."
    )
    return equivalence_block(result, result.rows[:1], said, title)


def smallest_text(options: StudyOptions) -> str:
    """Write the smallest effect that matters, with its unit."""
    unit = "" if options.effect_scale == "raw" else " standard deviations of the differences"
    return f"{as_given(options.smallest_effect or 0.0)}{unit}"


def is_equal(design: Paired, numbers: Numbers, options: StudyOptions) -> bool:
    """Tell whether the difference is shown to be smaller than the smallest effect that matters."""
    result, smallest = numbers.bounds, options.smallest_effect
    if result is None or smallest is None:
        return False
    if design.scale == "binary":
        return verdict(result.rows[0], bounds=result.rows[0], smallest=smallest) == "equal"
    return bool(result.extras["verdict"] == "equivalent")


def answer(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the verdict with its numbers."""
    first, second = (shorten(name, 40) for name in design.conditions)
    if design.scale == "nominal":
        assert numbers.levels is not None
        return (answer_of_levels(design, numbers.main, numbers.levels),)
    lead, digits = numbers.lead, decimals(design, numbers.lead)
    what = f"the share of '{shorten(design.levels[1], 30)}'" if design.scale == "binary" else "the mean"
    inside = f"{minus(design)} {numbers_text(lead, digits=digits, bounded=design.scale == 'binary')}"
    inside += f", {p_value(lead.p_value)}" if lead.p_value is not None else ""
    settled = verdict(lead)
    equal = is_equal(design, numbers, options)
    if lead.estimate is None or (lead.conf_low is None and not equal):
        text = f"No verdict: {inside}."
    elif settled == "open" and not equal:
        text = f"The data do not settle whether {first} and {second} differ: {inside}."
    elif settled == "open":
        text = f"Practically equal: {what} differs by less than {smallest_text(options)}; {inside}."
    else:
        higher, lower = (first, second) if settled == "above" else (second, first)
        text = f"Yes: {what} is higher under {higher} than under {lower}; {inside}."
        if equal:
            text += f" Yet the difference is practically nothing: smaller than {smallest_text(options)}."
    return (text,)


def strip(design: Paired, numbers: Numbers, options: StudyOptions) -> Strip | None:
    """Return the difference beside zero and the smallest effect that matters."""
    lead, smallest = numbers.lead, options.smallest_effect
    marks = [Mark(label="no difference", value=0.0, kind="reference")]
    if smallest is not None and options.effect_scale == "raw":
        marks += [Mark(label="smallest that matters", value=v, kind="reference") for v in (-smallest, smallest)]
    own = Mark(label=shorten(minus(design), 48), value=lead.estimate, low=lead.conf_low, high=lead.conf_high,
               undefined=lead.undefined or "")  # fmt: skip
    marks += [own] if numbers.levels is None else marks_of_levels(numbers.levels)
    what = design.columns.get("value", "value") if design.scale == "numeric" else "shares"
    title = f"Difference, {minus(design)}, with its interval"
    title = title if numbers.levels is None else f"Differences of shares, {minus(design)}, with simultaneous intervals"
    return Strip(title=title, axis=f"difference of {what}", marks=tuple(marks),
                 digits=decimals(design, lead))  # fmt: skip


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found = {"Difference": numbers.main}
    for name, result in (("Effect sizes", numbers.sizes), ("Equivalence", numbers.bounds)):
        found |= {name: result} if result is not None else {}
    return found | {f"Without one {shorten(name, 40)}": result for name, result in numbers.left_out.items()}


STUDY = Study(
    name="paired",
    title="Is there a difference between two conditions on the same units?",
    design="paired",
    needs="unit, condition, value (or two columns, one row a unit)",
    suits=lambda design: True,
    run=run,
)
