"""Study of pairs: do the same units differ between two conditions?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import Variant, leave_one_out, multiverse, without_label
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.figures import estimation, qq
from socialstats.figures.squares import MOST_LEVELS
from socialstats.metrics import lookup
from socialstats.paired.symmetry import (
    other_tests_sentence,
    simultaneous_intervals,
    verdict_sentence,
)
from socialstats.results import Result, Row
from socialstats.results.rows import digits_of
from socialstats.studies.asking import ask_result, ask_rows, page_of
from socialstats.studies.estimates import (
    cluster_ways,
    cluster_words,
    declared_clusters,
    halved,
    is_inside,
    label_of,
    single,
    tests_table,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Way,
    dependence_block,
    influence_block,
    list_variants,
    multiverse_block,
    other_analyses,
    outer_rows,
    with_design_effect,
)
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
from socialstats.studies.row_picking import pick_rows, row_term
from socialstats.studies.second import turned
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    higher_or_lower,
    is_shown,
    level_in_words,
    more_or_less_frequent,
    values_of,
    verdict_of,
)
from socialstats.text import (
    Shown,
    as_given,
    as_words,
    capital,
    count,
    count_with_noun,
    listing,
    number,
    percent,
    percent_of,
    shorten,
    significance_level_text,
)
from socialstats.voice import Word, option

IGNORING, ALIKE = "ignoring clusters", "clusters weighing alike"
METRICS = {"binary": "mcnemar", "nominal": "symmetry", "numeric": "paired_difference"}
HYPOTHESES = {
    "mcnemar": "All tests have the same null hypothesis.",
    "paired_difference": "Their null hypotheses differ. The t test is of a mean difference of 0; Wilcoxon's test and "
    "the sign flips are of differences symmetric about 0. Wilcoxon's test uses ranks, so a few large differences "
    "count little.",
    "symmetry": "Their null hypotheses differ. Tests of marginal homogeneity (Stuart-Maxwell, Wald) are of equal "
    "shares of each level under both conditions. Bowker's test is of symmetry: each change between two levels is as "
    "frequent as its reverse. Margins can be equal where changes are not symmetric.",
}  # what the tests of a metric ask
SIZES = (
    "d_z and g_z divide by the SD of the differences, d_av and d_rm by the root mean square of both SDs; d_rm "
    "corrects for the correlation."
)
# intervals of analysis variants: their names and the options that give them
INTERVALS: dict[str, dict[str, dict[str, str]]] = {
    "binary": {
        "Newcombe's interval": {"difference_ci": "newcombe"},
        "Wald's interval": {"difference_ci": "wald"},
    },
    "numeric": {
        "bootstrap, percentile": {"ci": "percentile"},
        "bootstrap, BCa": {"ci": "bca"},
        "bootstrap, studentized": {"ci": "studentized"},
    },
    "nominal": {},
}
STUDENTIZED = "bootstrap, studentized"
DISAGREE = "SS316"  # caution on tests that disagree
FEWEST_LEFT = 5  # pairs from which a single pair may be called an outlier
HALF = 0.5  # share of the difference from which a single pair stands in the answer
USED = ("seed", "resamples", "level", "smallest_effect", "effect_scale", "verify")


@dataclass(frozen=True, kw_only=True)
class PairedPage:
    """A table of pairs, and the numbers that its questions share."""

    design: Paired
    options: StudyOptions

    @cached_property
    def main(self) -> Result:
        """The comparison by the metric of the scale."""
        return single(compare(self.design, self.options))

    @cached_property
    def sizes(self) -> Result | None:
        """Standardised differences of numbers."""
        if self.design.scale != "numeric":
            return None
        function = lookup("effect_sizes").function
        return single(function(self.design, **self.options.chosen()))

    @cached_property
    def bounds(self) -> Result | None:
        """The test of equivalence; None without a smallest effect of interest."""
        return equivalence_result(self.design, self.options)

    @cached_property
    def left_out(self) -> dict[str, Result]:
        """The range of the difference without each cluster, by factor."""
        factors = [] if self.design.scale == "nominal" else self.design.clusters
        return {
            factor.name: leave_one_out(self.design, cluster=factor.name, lead=self.main.rows[0])
            for factor in factors
            if len(factor.levels) > 1
        }

    @cached_property
    def conditions(self) -> list[str]:
        """Names of the two conditions, cut."""
        return [shorten(name, LABEL) for name in self.design.conditions]

    @property
    def quoted(self) -> list[str]:
        """The same in quotes."""
        return [f"'{name}'" for name in self.conditions]

    @property
    def minus(self) -> str:
        """Direction of the differences: ``before minus after``."""
        return " minus ".join(self.conditions)

    @cached_property
    def margins(self) -> list[Row]:
        """Differences in the share of each of several levels, the largest first."""
        return sorted(margins_of(self.main), key=lambda row: -abs(row.estimate or 0.0))

    @property
    def lead(self) -> Row:
        """The difference that the page is about; of several levels the largest."""
        return self.margins[0] if self.margins else self.main.rows[0]

    def lead_of(self, result: Result) -> Row:
        """Return the row of this difference in the result of another analysis."""
        if not self.margins:
            return result.rows[0]
        lost = Row(term=self.lead.term, undefined="no pair has this level")
        return next((row for row in margins_of(result) if row.term == lost.term), lost)

    @property
    def bounded(self) -> list[Row]:
        """The differences with the intervals of the test of equivalence; nothing where it was not made."""
        if self.bounds is None:
            return []
        return margins_of(self.bounds) or [self.bounds.rows[0]]


def margins_of(result: Result) -> list[Row]:
    """Return the differences in the share of each level; nothing where values are numbers or of two levels."""
    return pick_rows(result.rows, "difference", level=True, intervals=False)


def compare(
    design: Paired, options: StudyOptions, cluster: Way = "declared", **choices: Any
) -> Any:
    """Compare the conditions by the metric of the scale; `choices` are its options."""
    choices = {"cluster": cluster, "level": options.level, **choices}
    if design.scale == "numeric":
        choices |= options.chosen("seed", "resamples")
    return lookup(METRICS[design.scale]).function(design, **choices)


def check_smallest(design: Paired, scale: str, smallest: float) -> None:
    """Refuse a smallest effect that the values cannot have.

    Raises
    ------
    InputError
        For a difference of shares of 1 or more, and for standard deviations of shares or of clustered pairs.
    """
    standardised = option("effect_scale", "d_z")
    if design.scale != "numeric":
        if scale == "d_z":
            raise InputError(
                f"{standardised} is for numbers; the smallest difference of two shares is raw, as 0.05"
            )
        if smallest >= 1:
            # percentage points are the usual mistake
            meant = f"; did you mean {smallest / 100:g}?" if smallest < 100 else ""
            setting = option("smallest_effect", Word(f"{smallest:g}"))
            raise InputError(
                f"{setting} cannot be: differences of shares lie within -1 and 1{meant}"
            )
    elif scale == "d_z" and design.clusters:
        names = listing([f"'{shorten(factor.name, 40)}'" for factor in design.clusters])
        raise InputError(
            f"{standardised} needs independent pairs, and they are clustered by {names}. State the smallest effect in "
            f"the unit of the values ({option('effect_scale', 'raw')}). If the pairs are independent, leave "
            f"{option('cluster')} out"
        )


def equivalence_result(design: Paired, options: StudyOptions) -> Result | None:
    """Test equivalence; of shares by their intervals at level 1 - 2 alpha.

    Raises
    ------
    InputError
        As `check_smallest`.
    """
    smallest, scale, level = options.smallest_effect, options.effect_scale, options.level
    if smallest is None:
        return None
    check_smallest(design, scale, smallest)
    shares = design.scale != "numeric"
    if shares:
        return single(compare(design, options, level=2 * level - 1))
    test = lookup("equivalence").function
    return single(test(design, margin=smallest, scale=scale, level=level))


# questions


def questions(a: PairedPage) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest."""
    yield levels_question(a) if a.margins else difference_question(a)
    yield cells_question(a)
    yield sizes_question(a)
    yield equivalence_question(a)
    yield outlier_question(a)
    yield tests_question(a)
    yield dependence_block(
        declared_clusters(a.design),
        partial(compare, a.design, a.options),
        rows="pairs",
        quantity=what_differs(a),
        lead=a.lead_of,
    )
    yield influence_block(a.left_out)
    yield repeats_block(a.design.repeats, a.lead, a.design.conditions, "difference")
    yield variants_question(a)


def value_name(design: Paired | Groups) -> str:
    """Name what values are: the column of numbers, or the level of two that is counted."""
    if design.scale == "binary":
        return f"'{shorten(design.levels[-1], 30)}'"
    return as_words(design.columns.get("value", "value"), 30)


def quantity(design: Paired | Groups) -> str:
    """Name what is compared: the share of a level, or the mean of a value."""
    name = value_name(design)
    if design.scale == "binary":
        return f"the share of {name}"
    if design.repeats is not None and design.repeats.share_of:
        return f"the mean share of '{shorten(design.repeats.share_of, 30)}'"
    return "the mean" if name.lower() == "value" else f"the mean {name}"


def what_differs(a: PairedPage) -> str:
    """Name the leading difference."""
    if a.margins:
        return f"difference in shares of '{shorten(a.lead.term, 30)}'"
    return f"difference in {quantity(a.design)}"


def is_test(row: Row) -> bool:
    """Return whether a row is one of several tests of the same question, also one that ignores clusters."""
    ignoring = row.role == "difference" and row.group == IGNORING
    return row.role == "test" or (ignoring and row.p_value is not None)


def difference_question(a: PairedPage) -> Block | None:
    """Ask how much the two conditions differ in a mean, or in the share of a level."""
    design, lead = a.design, a.lead
    first, second = a.conditions
    drawn = "Left: pairs and condition means. Right: differences and their mean."
    if design.scale == "binary":
        drawn = (
            "Left: shares. Right: discordant pairs as shares of all pairs, and their difference."
        )
    # cells have a question of their own
    rows = [row for row in a.main.rows if not is_test(row) and row.group != "cell"]
    draw = partial(
        estimation,
        design.first,
        design.second,
        design.count,
        lead,
        conditions=design.conditions,
        binary=design.scale == "binary",
        ylabel=value_name(design),
        digits=lead.decimals,
    )
    return ask_rows(
        "difference",
        f"How much did {first} and {second} differ?",
        a.main,
        rows,
        quantity=f"difference ({a.minus})",
        say=[sides_sentence(a)],
        draw=lambda *_: draw,
        names=label_of,
        note=drawn,
        turned=turned_by_tests(a),
    )


def sides_sentence(a: PairedPage) -> str:
    """State the mean or share under both conditions, with their correlation or odds ratio."""
    parts = []
    for name, label in zip(a.design.conditions, a.conditions, strict=True):
        side, *spread = [row for row in a.main.rows if row.term == name]
        deviation = "".join(f" (SD = {number(row.shown())})" for row in spread)
        # beside a huge value, a mean keeps what its own error shows
        errors = [(row.estimate or 0.0) / math.sqrt(row.n or 1.0) for row in spread]
        places = max([a.lead.decimals, *map(digits_of, errors)])
        mean = number(side.estimate, places, bounded=a.design.scale == "binary")
        parts.append(f"{mean}{deviation} for {label}")
    beside = label_of(row := a.main.row("odds_ratio" if a.design.scale == "binary" else "r"))
    text = f"{capital(quantity(a.design))} was {' and '.join(parts)}"
    return f"{text}; the {beside} was {sentences.estimate_text(row)}."


def cells_question(a: PairedPage) -> Block | None:
    """Ask which answers of two levels changed."""
    if a.design.scale != "binary":
        return None
    cells = a.main.extras["cells"]
    first, second = a.conditions
    text = (
        f"The discordant pairs, {count(cells['b'])} with {value_name(a.design)} under {first} only and "
        f"{count(cells['c'])} under {second} only, alone inform the test and the odds ratio."
    )
    return Block(
        id="cells",
        question="Which answers changed?",
        sentences=(text,),
        draw=partial(a.main.plot, kind="cells"),
        figure_title=f"Rows: {first}; columns: {second}",
        caption="Each cell: pairs, and their share of all pairs.",
        tables=(cells_table(a),),
    )


def levels_question(a: PairedPage) -> Block | None:
    """Ask which of several levels are more frequent under the first condition."""
    first, second = a.conditions
    rows = margins_of(a.main)
    few = len(a.design.levels) <= MOST_LEVELS
    cells = f" Rows: {first}; columns: {second}. Each cell: pairs, and their share of all pairs."
    draw = partial(a.main.plot, kind="table" if few else "margins")
    return ask_rows(
        "difference",
        f"Which levels were more frequent under {first} than under {second}?",
        a.main,
        rows,
        quantity=f"difference in the share of each level ({a.minus})",
        say=[other_tests_sentence(a.main)],
        draw=lambda *_: draw,
        names=row_term,
        tables={"The same with simultaneous CIs (Bonferroni)": simultaneous_intervals(a.main)},
        more=[cells_table(a)],
        note=f"p (Holm): over the levels.{cells * few}",
    )


def cells_table(a: PairedPage) -> PageTable:
    """Return the counts of every pair of values that occurs."""
    levels, table = a.design.levels, a.design.square()
    total = float(a.design.n_pairs)
    cells = tuple(
        (levels[i], levels[j], int(table[i, j]), Shown(float(table[i, j]) / total, 3, True))
        for i, j in np.argwhere(table).tolist()
    )
    return PageTable("Pairs by both values", (*a.conditions, "Pairs", "Share"), cells)


def sizes_question(a: PairedPage) -> Block | None:
    """Ask how large the standardised differences are."""
    question = "How large was the standardised difference?"
    block = ask_result("effect-sizes", a.sizes, question, note=SIZES)
    if a.sizes is None or block is None or a.lead.conf_low is None:
        return block
    side = sentences.direction(a.lead)
    apart = [
        row.term
        for row in a.sizes.rows
        if row.conf_low is not None and sentences.direction(row) != side
    ]
    if not apart:
        return block
    text = f"CIs of {listing(apart)} and of the mean difference disagree about 0; quote the mean difference."
    return replace(block, sentences=(*block.sentences, text))


def equivalence_question(a: PairedPage) -> Block | None:
    """Ask whether differences are smaller than the smallest effect of interest."""
    if a.bounds is None:
        return None
    tests = pick_rows(a.bounds.rows, "test") if a.design.scale == "numeric" else []
    return ask_rows(
        "equivalence",
        "Was the difference smaller than the smallest effect of interest?",
        a.bounds,
        [*a.bounded, *tests],
        quantity=f"equivalence test, bounds ±{as_given(a.options.smallest_effect or 0.0)}{unit_of(a.options)}",
        say=[equivalence_text(a)],
        names=label_of,
        part="appendix",
    )


def equivalence_text(a: PairedPage) -> str:
    """State whether equivalence was shown; of several levels, for which."""
    smallest = a.options.smallest_effect or 0.0
    if not a.margins and a.bounds is not None:
        first, second = a.quoted
        p = a.bounds.row("equivalence").p_value if a.design.scale == "numeric" else None
        unit = unit_of(a.options)
        return sentences.equivalence_sentence(first, second, a.bounded[0], smallest, p, unit=unit)
    inside = [shorten(row.term, 30) for row in a.bounded if is_inside(row, smallest)]
    which = f"{listing(inside)} only" if inside else "no level"
    which = "every level" if len(inside) == len(a.bounded) else which
    size = as_given(smallest).lstrip("0")
    return f"Equivalence within ±{size} was shown for {which}. Margins are equivalent only where all levels are."


def unit_of(options: StudyOptions) -> str:
    """Return the unit of the smallest effect of interest, after a blank; nothing for that of the values."""
    return "" if options.effect_scale == "raw" else " SD of the differences"


def outlier_question(a: PairedPage) -> Block | None:
    """Ask whether the mean difference rests on the pair that is farthest from it."""
    design, lead = a.design, a.lead
    few = design.n_pairs < FEWEST_LEFT or lead.conf_low is None or lead.estimate is None
    if design.scale != "numeric" or few or a.options.brief:
        return None
    mean = lead.estimate or 0.0
    far = int(np.argmax(np.abs(design.difference - mean)))
    left = design.count - (np.arange(len(design.count)) == far)
    without = single(compare(replace(design, count=left).take(left > 0), a.options))
    row = without.rows[0]
    pair = f"Without the pair whose difference was farthest from the mean{pair_name(design, far)}"
    text = f"{pair}, the difference was {sentences.stat(row)}."
    changes = turned(lead, [(pair, row)], "the difference", here="with every pair counted")
    smaller = 1 - (row.estimate or 0.0) / (mean or 1.0)
    share = f"Without it the difference was {percent(smaller)} smaller."
    if not changes and smaller >= HALF:
        short = f"{pair}, the difference would be {percent(smaller)} smaller."
        changes = (SecondAnalysis(text, short, here="with every pair counted"),)
    level = percent_of(a.options.level)
    draw = partial(qq, design.difference, design.count, level=a.options.level, digits=lead.decimals)
    return ask_rows(
        "outliers",
        "Does the result depend on an outlier?",
        without,
        [lead, row],
        quantity=f"mean difference ({a.minus}) with and without the most extreme pair",
        say=[text, share * (HALF <= smaller <= 1)],
        draw=lambda *_: partial(draw, ylabel=a.minus),
        names=["all pairs", "without that pair"],
        note="Figure: normal Q-Q plot of the differences. Points are pairs, by their difference; band: pointwise "
        f"{level} range of a normal sample with the same mean and SD.",
        turned=changes,
    )


def pair_name(design: Paired, cell: int) -> str:
    """Return the name of a pair in brackets; nothing where it has none."""
    if design.units is None:
        return ""
    names = np.array(design.units.names(), dtype=object)[design.units.cell == cell]
    return f" ('{shorten(names[0], 30)}')" if len(names) == 1 else ""


def tests_question(a: PairedPage) -> Block | None:
    """Ask what other tests of the same question say."""
    rows = [row for row in a.main.rows if is_test(row)]
    if len(rows) < 2:
        return None
    alpha = significance_level_text(a.options.level)
    texts = [
        f"Tests disagreed at α = {alpha}: {c.detail}."
        for c in a.main.cautions
        if c.code == DISAGREE
    ]
    if not texts and sum(row.p_value is not None for row in rows) > 1:
        texts = [f"The tests that have a p value agreed at α = {alpha}."]
    texts = [] if a.margins else texts[:1]
    texts += [
        HYPOTHESES[a.main.metric],
        "Report the test chosen in advance, not the smallest p-value.",
    ]
    if any(row.group == IGNORING for row in rows):
        texts.append(f"Rows of group '{IGNORING}' treat pairs as independent.")
    return Block(
        id="tests",
        question="What do other tests say?",
        sentences=(" ".join(texts),),
        tables=(tests_table(rows, "Tests of no difference, unadjusted"),),
        part="appendix",
    )


def turned_by_tests(a: PairedPage) -> tuple[SecondAnalysis, ...]:
    """Return the mean with clusters weighing alike, and the tests, that turn the conclusion of the answer."""
    differences = pick_rows(a.main.rows, "difference")
    analyses = [("With clusters weighing alike", row) for row in differences if row.group == ALIKE]
    # with few discordant pairs chi-square and t tests are not quoted
    few = any(caution.code == "SS314" for caution in a.main.cautions)
    excluded = ("chi2", "t") if few else ()
    alone = replace(a.lead, statistic=None, conf_low=None, conf_high=None)
    for row in pick_rows(a.main.rows, "test"):
        if row.group == "test" and row.test is not None and row.test not in excluded:
            test = replace(alone, p_value=row.p_value)
            analyses.append((f"By the {sentences.TESTS[row.test]} test", test))
    return turned(a.lead, analyses, "the difference", here="by the analysis of this page")


# analysis variants


def variants_question(a: PairedPage) -> Block | None:
    """Ask whether the difference depends on the analysis variant.

    Where values are skewed (SS317), the studentized interval stands in the answer if it turns the conclusion.
    """
    variants = [] if a.options.brief else pair_variants(a)
    if len(variants) < 2:
        return None
    what = what_differs(a)
    result = multiverse(a.main.metric, f"the {what}", variants, reference=0.0, words="0")
    page, *variants_of_page = result.rows
    if page.conf_low is None and len({row.estimate for row in result.rows}) == 1:
        return None
    question = other_analyses("the answer")
    block = multiverse_block(result, id="multiverse", question=question, quantity=what)
    if not any(caution.code == "SS317" for caution in a.main.cautions):
        return block
    advised = [
        (
            "By the studentized interval, which skewed values need",
            replace(row, statistic=None, p_value=None),
        )
        for row in variants_of_page
        if row.term == STUDENTIZED and row.conf_low is not None
    ]
    return replace(
        block, turned=turned(page, advised, "the difference", here="by the interval of this page")
    )


def pair_variants(a: PairedPage) -> list[Variant]:
    """Return the page's analysis, then others by clusters, interval and weights, and without single clusters."""
    design = a.design
    *ways, (last, _) = cluster_ways(declared_clusters(design), "pairs").items()
    label = f"all pairs, {last if design.clusters else 'independent'}"
    page = Variant(label=label, choice="as on this page", compute=lambda: a.main, lead=a.lead_of)
    analyses: list[tuple[str, str, dict[str, Any]]]
    analyses = [("clusters", label, {"cluster": way}) for label, way in ways]
    if not design.clusters or design.scale == "numeric":
        intervals = INTERVALS[design.scale].items()
        analyses += [("interval", label, choices) for label, choices in intervals]
    left_out = [
        (factor, name) for factor in design.clusters for name in omitted_clusters(a, factor)
    ]
    tables = [
        (
            f"{shorten(factor.name, 30)} left out",
            without_label(factor.name, name),
            partial(design.take, factor.labels() != name),
        )
        for factor, name in left_out
    ]
    compute = partial(compare, options=a.options)
    variants = list_variants(page, compute, design, analyses, tables)
    if design.scale == "binary" and len(design.clusters) == 1:
        alike = replace(page, choice="weights", label="clusters weighted equally")
        alike = replace(alike, lead=lambda result: result.row("cluster_means_t"))
        variants.insert(1 + len(analyses), alike)
    return variants


def omitted_clusters(a: PairedPage, factor: Factor) -> Sequence[str]:
    """Return the clusters to leave out: all of a few, else the two without which the estimate is farthest off."""
    if 2 < len(factor.levels) <= MOST_LEFT_OUT:
        return factor.levels
    ranged = a.left_out.get(factor.name)
    return [] if ranged is None else [row.term for row in outer_rows(ranged)]


# answer


def answer(a: PairedPage) -> Iterator[str]:
    """Yield the difference, and whether the conditions were equivalent."""
    first, second = a.quoted
    if a.margins:
        yield verdict_sentence(a.main)
    else:
        yield sentences.difference(quantity(a.design), first, second, a.lead)
    if a.bounds is not None:
        yield equivalence_text(a)


def is_equivalent(a: PairedPage) -> bool:
    """Return whether every difference lies within the smallest effect of interest, by the test of equivalence.

    Two one-sided tests of all levels hold together: a claim on all needs each of them (Berger, 1982).
    """
    smallest = a.options.smallest_effect
    return smallest is not None and all(is_inside(row, smallest) for row in a.bounded)


def verdict(a: PairedPage) -> Conclusion:
    """Return under which condition values are higher, or a level more frequent, or that the data do not show it."""
    design = a.design
    if is_equivalent(a):
        text = f"{' and '.join(a.conditions)} are alike up to a difference that does not matter"
        return verdict_of(text, certainty="alike")
    if a.margins:
        # the largest difference may be uncertain where a smaller one is not
        row = max(a.margins, key=is_shown)
        first, second = (f"for {name}" for name in a.conditions)
        return more_or_less_frequent(row, f"'{shorten(row.term, LABEL)}'", first, second, None)
    shares = [row for row in a.main.rows if row.group == "proportion"]
    # pairs whose difference has the direction of the mean
    sign = np.sign(a.lead.estimate or 0.0)
    n = int(design.count[np.sign(design.first - design.second) == sign].sum())
    agreeing = f", and so in {count(n)} of {count(design.n_pairs, 'pair')}"
    return verdict_on_sides(design, a.conditions, a.lead, shares, agreeing)


def verdict_on_sides(
    design: Paired | Groups,
    names: Sequence[str],
    lead: Row,
    shares: Sequence[Row],
    agreeing: str = "",
) -> Conclusion:
    """Return on which of two sides values are higher or a level is more frequent, or that the data do not show it.

    Parameters
    ----------
    design : Paired or Groups
        Of numbers or two levels.
    names : sequence of str
        Of both sides.
    lead : Row
        The difference.
    shares : sequence of Row
        The shares of both sides, of two levels.
    agreeing : str
        A further size, of numbers.
    """
    first, second = (f"for {name}" for name in names)
    if design.scale == "binary":
        level = level_in_words(design.levels[-1], design.columns.get("value"))
        estimates = [row.estimate for row in shares if row.estimate is not None]
        pair = (estimates[0], estimates[1]) if len(estimates) == 2 else None
        return more_or_less_frequent(lead, level, first, second, pair)
    size = ""
    if lead.estimate is not None:
        size = f", by {number(abs(lead.estimate), lead.decimals)} on average"
    values = values_of(value_name(design))
    return higher_or_lower(lead, values, first, second, size, agreeing)


def planning(a: PairedPage, blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return how many more pairs halve the interval; nothing for levels, nor where outliers turn the answer."""
    turned_by_pair = any(block.id == "outliers" and block.turned for block in blocks)
    if a.margins or turned_by_pair:
        return ()
    return halved(a.design.clusters, a.lead, a.design.n_pairs, "the difference", unit="pairs")


# the page


def run(design: Paired, options: StudyOptions) -> Outcome:
    """Answer: is there a difference, how large is it, and does it depend on what is taken as independent?"""
    check_single(design)
    a = PairedPage(design=design, options=options)
    answered = [block for block in questions(a) if block is not None]
    blocks = with_design_effect(answered, design.clusters, lead=a.lead_of)
    first, second = a.conditions
    leading = {"Difference": a.main, "Effect sizes": a.sizes, "Equivalence": a.bounds}
    leading |= {f"Without one {shorten(name, 40)}": result for name, result in a.left_out.items()}
    return page_of(
        "paired",
        f"Is there a difference between {first} and {second}?",
        design,
        options,
        describe=describe(design),
        verdict=verdict(a),
        answer=answer(a),
        planning=planning(a, blocks),
        leading={name: result for name, result in leading.items() if result is not None},
        blocks=blocks,
        uses=USED,
        diagnostics=[pairs_diagnostic(design), *cluster_diagnostics(design)],
        methods=methods(a),
    )


def describe(design: Paired) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [f"{count(design.n_pairs, 'unit')} under two conditions"]
    if design.repeats is not None:
        parts.append(each_answer(design.repeats))
    parts += [f"{design.scale} values", *cluster_words(design)]
    if design.unmatched:
        parts.append(f"{count(len(design.unmatched), 'unit')} excluded: one condition missing")
    return "Pairs: " + ", ".join(parts)


def pairs_diagnostic(design: Paired) -> Diagnostic:
    """Return whether every unit has its partner, else which have none."""
    check = "Does every unit have a value under both conditions?"
    if design.unmatched:
        names = listing([shorten(unit, 30) for unit in design.unmatched])
        missing = f"No: {count(len(design.unmatched))} excluded, one condition missing ({names})."
        return Diagnostic(check, missing, "The difference is of complete pairs.")
    joined = "Pairs were joined by key, not by position."
    if "condition" not in design.columns:
        joined = "Each row is a pair, or counts pairs."
    return Diagnostic(check, "Yes.", joined)


def cluster_diagnostics(design: Paired) -> Iterator[Diagnostic]:
    """Yield how even the clusters of each factor are."""
    for factor in design.clusters:
        sizes = np.bincount(factor.codes, design.count, len(factor.levels))
        least, most = sizes.min(), sizes.max()
        span = "" if least == most else f"{count(least)} to "
        even = (
            "Uneven clusters make intervals less reliable." if most > 4 * least else "Even enough."
        )
        name = shorten(factor.name, 40)
        sizes_text = f"{count_with_noun(len(sizes), 'clusters')} of {span}{count(most, 'pair')}."
        yield Diagnostic(f"How even are the clusters of {name}?", sizes_text, even)


def methods(a: PairedPage) -> list[str]:
    """Return the methods: a brief paragraph, then the rest."""
    level = percent_of(a.options.level)
    what = "shares of each level" if a.margins else quantity(a.design)
    brief = (
        f"Differences in {what} ({a.minus}) were estimated over {count(a.design.n_pairs, 'pair')}. "
        f"Test and {level} CI: {a.main.inference}."
    )
    more = []
    if a.margins:
        more.append(f"Levels differ where the simultaneous {level} CI (Bonferroni) excludes 0.")
    if a.design.scale == "binary":
        sizes = [a.main.row("odds_ratio"), a.main.row("cohens_g")]
        more += [f"Interval of {label_of(row)}: {row.method}." for row in sizes if row.method]
        first = a.conditions[0]
        more.append(f"Cohen's g is the share of {first} among the discordant pairs minus one half.")
    further = {"Standardised differences": a.sizes, "Equivalence": a.bounds}
    more += [f"{name}: {result.inference}." for name, result in further.items() if result]
    return [brief, " ".join(more)] if more else [brief]
