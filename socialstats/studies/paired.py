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
from socialstats.metrics.multiverse import Variant, distinct, leave_one_out, multiverse, without_label
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
    mark_of,
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
    Way,
    dependence_block,
    influence_block,
    multiverse_block,
    other_analyses,
    with_design_effect,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Mark,
    Outcome,
    Strip,
    Study,
    StudyOptions,
    Table,
    check_single,
    order_cautions,
    shared,
)
from socialstats.text import (
    as_given,
    capital,
    count,
    counted,
    digits_of,
    inconclusive,
    level_text,
    listing,
    number,
    p_value,
    percent,
    shorten,
)
from socialstats.voice import Word, option

IGNORING = "ignoring clusters"
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
    return group == "test" or (row.p_value is not None and (group == IGNORING or group.endswith(" alone")))


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
    lead = result.rows[0]
    draw = partial(estimation, design.first, design.second, design.count, lead, conditions=design.conditions)
    digits = digits_of(error_of(lead), 3 if binary else 2)
    return Block(
        id="difference",
        question=f"How much do {first} and {second} differ?",
        sentences=(result.sentence(),),
        draw=partial(draw, binary=binary, ylabel=one, digits=digits),
        figure_title=f"{first} minus {second}",
        caption=f"{capital(drawn)}, with its interval ({result.inference}).",
        tables=(rows_table(rows, f"Difference ({minus(design)}) and what it is made of"),),
        results=(result,),
    )


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
    levels = (design.levels[0], design.levels[1])
    return Block(
        id="cells",
        question="Which answers changed?",
        sentences=(sentence,),
        draw=partial(two_by_two, a=a, b=b, c=c, d=d, conditions=design.conditions, levels=levels),
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
    rows = margins(result)
    joint = [replace(row, p_value=None, p_adjusted=None) for row in margins(together)]
    few = len(design.levels) <= MOST_LEVELS
    draw = partial(forest, rows[:MOST_ROWS], digits=3, xlabel=f"difference of shares ({minus(design)})")
    if few:
        draw = partial(square, design.square(), levels=design.levels, conditions=design.conditions)
    about = "The same with intervals that hold for all levels at once (Bonferroni)"
    return Block(
        id="difference",
        question=f"Which levels are more frequent under {first} than under {second}?",
        sentences=(result.sentence(),),
        draw=draw,
        figure_title=f"Rows: {first}; columns: {second}" if few else "Difference of the shares of each level",
        caption="Each cell: pairs, and their share of all pairs." if few else f"Intervals: {result.inference}.",
        tables=(
            rows_table(rows, f"Share of each level ({minus(design)}); Holm: over the levels", term="Level"),
            rows_table(joint, about, term="Level"),
            cells_table(design, "Pairs by both values"),
        ),
        results=(result, together),
    )


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
    asked = QUESTIONS.get(result.metric, ONE)
    disagree = [c.detail for c in result.cautions if c.code == "SS316"]
    said = f"They disagree: {disagree[0]}. " if disagree else "They agree about the 5% line. "
    said = "" if result.metric == "symmetry" else said
    note = " Rows of group 'ignoring clusters' take pairs as independent, which they are not."
    note = note if any(r.group == IGNORING for r in rows) else ""
    one, why = (" of the same question", ", as the question is one") if asked == ONE else ("", "")
    return Block(
        id="tests",
        question=f"What do other tests{one} say?",
        sentences=(f"{said}{asked} Quote the one chosen in advance, not the smallest p-value.{note}",),
        tables=(tests_table(rows, f"Tests of no difference; p-values are not adjusted{why}"),),
    )


def effects_block(design: Paired, result: Result) -> Block:
    """Return the standardised differences with their intervals."""
    rows = [r for r in result.rows if r.group is None]
    xlabel = f"standard deviations ({minus(design)})"
    return Block(
        id="effect-sizes",
        question="How large is the difference in standard deviations?",
        sentences=(result.sentence(),),
        draw=partial(forest, rows, sort=False, reference=0.0, digits=2, xlabel=xlabel),
        figure_title="Standardised differences",
        caption="d_z and g_z divide by the standard deviation of the differences, d_av and d_rm by that of the values "
        "(d_rm corrected for their correlation).",
        tables=(rows_table(result.rows, "Standardised differences"),),
        results=(result,),
    )


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

    def sorted(self) -> list[Row]:
        """Return the simultaneous intervals, the largest difference first."""
        return sorted(margins(self.together), key=lambda row: -abs(row.estimate or 0.0))

    def verdict(self, row: Row) -> Verdict:
        """Say what the simultaneous interval of a level settles."""
        return verdict(row, bounds=row, smallest=self.smallest)


def answer_of_levels(design: Paired, main: Result, levels: Levels) -> str:
    """Return the verdict on the shares of several levels; intervals decide, not the p-value of the joint test."""
    first, second = (shorten(name, 40) for name in design.conditions)
    rows = levels.sorted()
    narrow = [] if levels.narrow is None else margins(levels.narrow)
    if all(row.conf_low is None for row in rows):
        return f"No verdict: {margins(levels.together)[0].undefined or 'no share has an interval'}."
    # that all differences are small is claimed only if every single test claims it (an intersection-union test)
    if levels.smallest is not None and all(is_inside(row, levels.smallest) for row in narrow):
        widest = next(row for row in narrow if row.term == rows[0].term)
        return (
            f"Practically equal: no share of a level differs by {as_given(levels.smallest)} or more between {first} "
            f"and {second}; the widest difference is that of {told(widest)}."
        )
    differ = [row for row in rows if levels.verdict(row) in ("above", "below")]
    if not differ:
        return (
            f"{capital(inconclusive(f'{first} and {second} give different shares of the {count(len(rows))} levels'))}"
            f"; the widest difference is that of {told(rows[0], levels.level)}, {minus(design)} ({joint(main)})."
        )
    said = "; ".join(
        f"{told(row, levels.level)}, more frequent under {first if levels.verdict(row) == 'above' else second}"
        for row in differ[:MOST_NAMED]
    )
    more = len(differ) - MOST_NAMED
    said += f"; and {count(more)} more." if more > 0 else "."
    for settled, words in (("equal", "Practically equal"), ("open", "Inconclusive")):
        names = [shorten(row.term, 30) for row in rows if levels.verdict(row) == settled]
        said += f" {words}: {listing(names)}." if names else ""
    return (
        f"Yes, shares of levels differ, {minus(design)}: {said} The intervals hold for all {count(len(rows))} levels "
        f"at once; {joint(main)}."
    )


def told(row: Row, together: float | None = None) -> str:
    """Name a level with its difference and interval; `together` is the level of all simultaneous intervals."""
    shown = row if together is None else replace(row, conf_level=together)
    text = numbers_text(shown, digits=digits_for([row]), bounded=True)
    return f"'{shorten(row.term, 40)}' {text if together is None else text.replace('CI [', 'simultaneous CI [')}"


def joint(main: Result) -> str:
    """Return the test of all levels together."""
    test = next(row for row in main.rows if row.group == "test")
    return f"{test.method}, {p_value(test.p_value)}" if test.p_value is not None else f"no joint test: {test.undefined}"


def equivalence_words(narrow: Result, options: StudyOptions) -> str:
    """Say for which levels the difference is shown to be practically nothing."""
    rows, smallest = margins(narrow), as_given(options.smallest_effect or 0.0)
    inside = [shorten(row.term, 30) for row in rows if is_inside(row, options.smallest_effect or 0.0)]
    said = f"Of {count(len(rows))} levels, the intervals of {listing(inside)} lie"
    if len(inside) in (0, len(rows)):
        said = "The intervals of all levels lie" if inside else "The interval of no level lies"
    low = as_given(-(options.smallest_effect or 0.0))
    return f"{said} between {low} and {smallest}. Margins are called equal only where all do."


OWN = "as on this page"
INTERVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "binary": ("difference_ci", ("newcombe", "wald")),
    "numeric": ("ci", ("percentile", "bca", "studentized")),
    "nominal": ("", ()),
}  # options of the interval by scale, those of the page left out
NAMES = {"newcombe": "Newcombe's interval", "wald": "Wald's interval", "percentile": "bootstrap, percentile",
         "bca": "bootstrap, BCa", "studentized": "bootstrap, studentized"}  # fmt: skip
Compute = Callable[..., Any]


def variants(
    design: Paired, compute: Compute, lead: Callable[[Result], Row], left_out: Mapping[str, Result]
) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Paired] = lambda: design, **choices: Any) -> Variant:
        return Variant(label=label, choice=choice, compute=lambda: compute(data(), **choices), lead=lead)

    ways = list(cluster_ways(design.clusters, "pairs").items())
    own = ways[-1][0] if design.clusters else "independent"
    made = [way(f"all pairs, {own}", OWN)]
    made += [way(label, "clusters", cluster=one) for label, one in (ways[:-1] if design.clusters else [])]
    if not design.clusters or design.scale == "numeric":
        name, values = INTERVALS[design.scale]
        choices: list[dict[str, Any]] = [{name: value} for value in values]
        made += [way(NAMES[value], "interval", **one) for value, one in zip(values, choices, strict=True)]
    if design.scale == "binary" and len(design.clusters) == 1:
        means = replace(way("clusters weigh alike", "weights"), lead=lambda result: result.row("cluster_means_t"))
        made.append(means)
    for factor in design.clusters:
        for code in dropped(factor, left_out.get(factor.name)):
            take = partial(design.take, np.asarray(factor.codes != code))
            label = without_label(factor.name, factor.levels[code])
            made.append(way(label, f"{shorten(factor.name, 30)} left out", take))
    return made


def dropped(factor: Factor, range_of: Result | None) -> list[int]:
    """Return the clusters to leave out: each of a few, else the two without which the estimate is farthest off."""
    if 2 < len(factor.levels) <= MOST_LEFT_OUT:
        return list(range(len(factor.levels)))
    if range_of is None:
        return []
    return [factor.levels.index(row.term) for row in dict.fromkeys((range_of.rows[0], range_of.rows[-1]))]


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
    given = option("smallest_effect", Word(f"{smallest:g}"))
    shares = design.scale != "numeric"
    if shares and options.effect_scale == "d_z":
        raise InputError(f"{option('effect_scale', 'd_z')} is for numbers; the smallest difference of two shares is "
                         "raw, as 0.05")  # fmt: skip
    if shares and smallest >= 1:
        meant = f"; did you mean {smallest / 100:g}?" if smallest < 100 else ""
        raise InputError(f"{given} cannot be: differences of shares lie within -1 and 1{meant}")
    if options.effect_scale == "d_z" and design.clusters:
        names = listing([f"'{shorten(factor.name, 40)}'" for factor in design.clusters])
        raise InputError(
            f"{option('effect_scale', 'd_z')} needs independent pairs, and they are clustered by {names}: say the "
            f"smallest effect in the unit of the values ({option('effect_scale', 'raw')}), or leave "
            f"{option('cluster')} out if the pairs are independent"
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
    names = listing([shorten(unit, 30) for unit in design.unmatched])
    missing = f"No: {count(n)} left out ({names})." if n else "Yes."
    so_what = "The difference is that of complete pairs." if n else "Pairs were joined by key, not by position."
    found = [Diagnostic("Does every unit have a value under both conditions?", missing, so_what)]
    for factor in design.clusters:
        sizes = np.bincount(factor.codes, design.count, len(factor.levels))
        least, most = float(sizes.min()), float(sizes.max())
        span = f"{count(least, 'pair')} each" if least == most else f"{count(least)} to {count(most, 'pair')}"
        so_what = "Uneven clusters make intervals less reliable." if most > 4 * least else "Even enough."
        check = f"How even are the clusters of {shorten(factor.name, 40)}?"
        found.append(Diagnostic(check, f"{counted(len(sizes), f'clusters of {span}')}.", so_what))
    return tuple(found)


def methods(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraphs."""
    lead = numbers.main
    text = f"{lead.title}. Every difference is {minus(design)}. Uncertainty: {lead.inference}; "
    text += f"{level_text(options.level)} intervals."
    if design.scale == "binary":
        text += f" {binary_methods(design, lead)}"
    if numbers.levels is not None:
        alpha = number(1 - options.level, 3, bounded=True)
        text += (
            " A level is called more frequent under one condition where its interval at level 1 - alpha / k excludes "
            f"zero (k levels, alpha = {alpha}: Bonferroni, so that all hold at once)."
        )
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
    interval, test = row.label("interval name") or row.method, row.label("test name")
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
    """Answer: is there a difference, how large is it, and does it depend on what is taken as independent?"""
    check_single(design)
    numbers = compute(design, options)
    first, second = (shorten(name, 40) for name in design.conditions)
    results = [r for r in (numbers.main, numbers.sizes, numbers.bounds) if r is not None]
    shown = blocks(design, numbers, options)
    return Outcome(
        study="paired",
        title=f"Is there a difference between {first} and {second}?",
        design=describe(design),
        answer=(answer(design, numbers, options),),
        strip=strip(design, numbers, options),
        cautions=order_cautions(numbers.main.cautions, design.cautions, *(r.cautions for r in results[1:])),
        blocks=shown,
        diagnostics=diagnostics(design),
        methods=methods(design, numbers, options),
        references=references_of(results, shown),
        verifications=verify_all(named(numbers), shown) if options.verify else {},
        settings=settings_of(options, USED),
        **shared(design, options),
    )


def compare(
    design: Paired, options: StudyOptions, cluster: Way = "declared", level: float | None = None, **choices: Any
) -> Any:
    """Compare the conditions with the metric of the scale; `choices` are options of the metric."""
    choices |= {"cluster": cluster, "level": options.level if level is None else level}
    if design.scale != "numeric":
        return (mcnemar if design.scale == "binary" else symmetry)(design, **choices)
    from socialstats.metrics.paired_difference import paired_difference

    return paired_difference(design, **options.chosen("seed", "resamples"), **choices)


def compute(design: Paired, options: StudyOptions) -> Numbers:
    """Compute every number of the page."""
    check_smallest(design, options)
    main = compare(design, options)
    if design.scale == "nominal":
        level, smallest = options.level, options.smallest_effect
        rows = margins(main)
        narrow = None if smallest is None else compare(design, options, level=2 * level - 1)
        together = compare(design, options, level=1 - (1 - level) / len(rows))
        found = Levels(together=together, narrow=narrow, smallest=smallest, level=level)
        lead = max(rows, key=lambda r: abs(r.estimate or 0.0))
        return Numbers(main=main, lead=lead, bounds=narrow, levels=found)
    lead = main.rows[0]
    sizes: Any = None
    if design.scale == "numeric":
        from socialstats.metrics.effect_sizes import effect_sizes

        sizes = effect_sizes(design, **options.chosen())
    left_out = {
        factor.name: leave_one_out(design, cluster=factor.name, lead=lead.estimate, digits=digits_for([lead]))
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
    main, levels, quantity = numbers.main, numbers.levels, "difference"
    same = equivalent(design, numbers, options)
    found: list[Block | None] = [difference_block(design, main)] if levels is None else []
    if levels is not None:
        quantity = f"difference of shares of '{shorten(numbers.lead.term, 30)}'"
        found += [square_block(design, main, levels.together), same]
    else:
        found.append(cells_block(design, main) if design.scale == "binary" else None)
        found += [None if numbers.sizes is None else effects_block(design, numbers.sizes), same]
    found.append(tests_block(main))
    lead, digits = partial(leading, numbers), decimals(design, numbers.lead)
    found.append(
        dependence_block(
            design.clusters, lambda way: compare(design, options, way), rows="pairs", quantity=quantity,
            bounded=design.scale != "numeric", lead=lead,
        )
    )  # fmt: skip
    found.append(influence_block(numbers.left_out, digits=digits_for([numbers.lead])))
    made = variants(design, lambda data, **choices: compare(data, options, **choices), lead, numbers.left_out)
    if len(made) > 1 and not options.brief:
        about = multiverse(main.metric, f"the {quantity}", distinct(made), reference=0.0, digits=digits, words="0")
        found.append(multiverse_block(about, id="multiverse", question=other_analyses("the answer"), quantity=quantity))
    return with_design_effect([block for block in found if block is not None], design.clusters, lead=lead)


def leading(numbers: Numbers, result: Result) -> Row:
    """Return the row of a result that the page is about."""
    if numbers.levels is None:
        return result.rows[0]
    term = numbers.lead.term
    missing = Row(term=term, group="margin", undefined="no pair has this level")
    return next((row for row in result.rows if row.group == "margin" and row.term == term), missing)


def equivalent(design: Paired, numbers: Numbers, options: StudyOptions) -> Block | None:
    """Return the test that the difference is practically nothing; None without a smallest effect that matters."""
    result, smallest = numbers.bounds, options.smallest_effect
    if result is None or smallest is None:
        return None
    rows: Sequence[Row] = result.rows
    said, what = "", "the difference lies"
    if numbers.levels is not None:
        rows, said, what = margins(result), equivalence_words(result, options), "differences lie"
    elif design.scale == "binary":
        rows = rows[:1]
        inside = "lies" if is_inside(rows[0], smallest) else "does not lie"
        said = (
            f"The difference is {numbers_text(rows[0], digits=decimals(design, rows[0]), bounded=True)}; the interval "
            f"(that of two one-sided tests at {number(1 - options.level, 2, bounded=True)}) {inside} between "
            f"{as_given(-smallest)} and {as_given(smallest)}."
        )
    title = f"Test that {what} between {as_given(-smallest)} and {smallest_text(options)}"
    return Block(
        id="equivalence",
        question="Is the difference practically nothing?",
        sentences=(said or result.sentence(),),
        tables=(rows_table(rows, title),),
        results=(result,),
    )


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
        return is_inside(result.rows[0], smallest)
    return bool(result.extras["verdict"] == "equivalent")


def answer(design: Paired, numbers: Numbers, options: StudyOptions) -> str:
    """Return the verdict with its numbers."""
    first, second = (shorten(name, 40) for name in design.conditions)
    if numbers.levels is not None:
        return answer_of_levels(design, numbers.main, numbers.levels)
    lead, digits = numbers.lead, decimals(design, numbers.lead)
    what = f"the share of '{shorten(design.levels[1], 30)}'" if design.scale == "binary" else "the mean"
    inside = f"{minus(design)} {numbers_text(lead, digits=digits, bounded=design.scale == 'binary')}"
    inside += f", {p_value(lead.p_value)}" if lead.p_value is not None else ""
    settled = verdict(lead)
    equal = is_equal(design, numbers, options)
    if lead.estimate is None or (lead.conf_low is None and not equal):
        return f"No verdict: {inside}."
    if settled == "open" and not equal:
        return f"{capital(inconclusive(f'{first} and {second} differ'))}: {inside}."
    if settled == "open":
        return f"Practically equal: {what} differs by less than {smallest_text(options)}; {inside}."
    higher, lower = (first, second) if settled == "above" else (second, first)
    text = f"Yes: {what} is higher under {higher} than under {lower}; {inside}."
    nothing = f" Yet the difference is practically nothing: smaller than {smallest_text(options)}."
    return text + nothing if equal else text


def strip(design: Paired, numbers: Numbers, options: StudyOptions) -> Strip | None:
    """Return the difference beside zero and the smallest effect that matters."""
    lead, smallest = numbers.lead, options.smallest_effect
    marks = [Mark(label="no difference", value=0.0, kind="reference")]
    if smallest is not None and options.effect_scale == "raw":
        marks += [Mark(label="smallest that matters", value=v, kind="reference") for v in (-smallest, smallest)]
    title, what = f"Difference, {minus(design)}, with its interval", "shares"
    if numbers.levels is None:
        marks.append(mark_of(lead, shorten(minus(design), 48)))
    else:
        marks += [mark_of(row, shorten(row.term, 48)) for row in numbers.levels.sorted()[:MOST_MARKS]]
        title = f"Differences of shares, {minus(design)}, with simultaneous intervals"
    if design.scale == "numeric":
        what = design.columns.get("value", "value")
    return Strip(title=title, axis=f"difference of {what}", marks=tuple(marks), digits=decimals(design, lead))


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
