"""Study of pairs: do the same units differ between two conditions?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import (
    Variant,
    distinct,
    leave_one_out,
    multiverse,
    without_label,
)
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.figures import estimation, forest, qq, square, two_by_two
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.paired.mcnemar import mcnemar
from socialstats.paired.symmetry import symmetry
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    Verdict,
    cluster_ways,
    cluster_words,
    ending,
    halved,
    is_inside,
    label_of,
    rows_table,
    tests_table,
    verdict,
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
    Outcome,
    PageTable,
    SecondAnalysis,
    Study,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.second import turned, turns
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    higher_or_lower,
    is_shown,
    more_or_less_frequent,
    values_of,
    verdict_of,
)
from socialstats.text import (
    Shown,
    as_given,
    capital,
    count,
    count_with_noun,
    digits_of,
    listing,
    number,
    p_value,
    percent,
    percent_of,
    shorten,
    significance_level_text,
)
from socialstats.voice import Word, option

IGNORING, ALIKE = "ignoring clusters", "clusters weighing alike"
ONE = "All tests have the same null hypothesis."
QUESTIONS = {
    "paired_difference": "Their null hypotheses differ. The t test is of a mean difference of 0; Wilcoxon's test and "
    "the sign flips are of differences symmetric about 0. Wilcoxon's test uses ranks, so a few large differences "
    "count little.",
    "symmetry": "Their null hypotheses differ. Tests of marginal homogeneity (Stuart-Maxwell, Wald) are of equal "
    "shares of each level under both conditions. Bowker's test is of symmetry: each change between two levels is as "
    "frequent as its reverse. Margins can be equal where changes are not symmetric.",
}  # by metric; all others: ONE


def is_test(row: Row) -> bool:
    """Return whether a row is one of several tests of the same question."""
    group = row.group or ""
    return group == "test" or (
        row.p_value is not None and (group == IGNORING or group.endswith(" alone"))
    )


def minus(design: Paired) -> str:
    """Name the direction: ``before minus after``."""
    return " minus ".join(shorten(name, 30) for name in design.conditions)


def difference_block(design: Paired, result: Result) -> Block:
    """Return the estimation plot of the difference, with what is not a test."""
    rows = [r for r in result.rows if not is_test(r)]
    binary = design.scale == "binary"
    own = (
        binary and not design.clusters
    )  # with clusters, odds ratio and g have the ends of one share
    first, second = (shorten(name, 40) for name in design.conditions)
    one = (
        f"'{shorten(design.levels[1], 30)}'"
        if binary
        else plain(design.columns.get("value", "value"))
    )
    drawn = (
        f"Left: share of {one}. Right: discordant pairs as shares of all pairs, and their difference"
        if binary
        else "Left: pairs and condition means. Right: differences and their mean"
    )
    lead = result.rows[0]
    draw = partial(
        estimation, design.first, design.second, design.count, lead, conditions=design.conditions
    )
    digits = lead.decimals
    return Block(
        id="difference",
        question=f"How much did {first} and {second} differ?",
        sentences=(beside_text(design, result),),
        draw=partial(draw, binary=binary, ylabel=one, digits=digits),
        figure_title=f"Difference, {first} minus {second}",
        caption=f"{drawn}; {ci_text(lead, lead.label('interval name') or lead.method)}.",
        tables=(
            rows_table(
                rows, f"Difference ({minus(design)}) and its components{methods_of(rows) * own}"
            ),
        ),
        results=(result,),
        turned=turned_words(result, lead),
    )


def methods_of(rows: Sequence[Row]) -> str:
    """Name the method of the interval of each row; those of one share by two methods can disagree."""
    named = [
        f"{label_of(row)}: {row.label('interval name') or row.method}" for row in rows if row.method
    ]
    return f"; intervals: {listing(named)}" if named else ""


def ci_text(row: Row, method: str | None) -> str:
    """Return what a caption says of an interval: level, method and n."""
    how = f" ({method})" if method else ""
    return f"{percent_of(row.conf_level or 0.95)} CI{how}; n = {count(row.n or 0, 'pair')}"


def beside_text(design: Paired, result: Result) -> str:
    """Return the means (shares) of both conditions, and what stands beside their difference."""
    binary = design.scale == "binary"
    made = []
    for name in design.conditions:
        centre = result.row(name, group="proportion" if binary else "mean")
        sd = None if binary else result.row(name, group="sd")
        places, spread = result.rows[0].decimals, ""
        if (
            sd is not None and sd.estimate is not None
        ):  # beside a huge value, a mean keeps what its own error shows
            places = max(places, digits_of(sd.estimate / math.sqrt(sd.n or 1.0)))
            spread = f" (SD = {number(sd.shown())})"
        value = number(centre.estimate, places, bounded=binary)
        made.append(f"{value}{spread} for {shorten(name, 40)}")
    said = f"{capital(quantity(design))} was {' and '.join(made)}"
    if not binary:
        r = result.row("r")
        return said + (
            f"; the conditions correlated r = {number(r.shown())}."
            if r.estimate is not None
            else "."
        )
    odds = result.row("odds_ratio", group=None)
    if odds.estimate is None and result.extras["cells"]["b"]:
        none, other = f"'{shorten(design.levels[1], 30)}'", shorten(design.conditions[1], 40)
        return f"{said}. No pair had {none} under {other} only, so the matched odds ratio was infinite."
    if odds.estimate is None:
        return f"{said}. {sentences.no_number('The matched odds ratio', odds.undefined or 'no discordant pairs')}"
    return f"{said}; the matched odds ratio was {sentences.estimate_text(odds)}."


def plain(name: str) -> str:
    """Write the name of a column with blanks."""
    return shorten(name.replace("_", " "), 30)


def quantity(design: Paired) -> str:
    """Name what is compared: the share of a level, or the mean of a value."""
    if design.scale == "binary":
        return f"the share of '{shorten(design.levels[1], 30)}'"
    if design.repeats is not None and design.repeats.share_of:
        return f"the mean share of '{shorten(design.repeats.share_of, 30)}'"
    name = plain(design.columns.get("value", "value"))
    return "the mean" if name.lower() == "value" else f"the mean {name}"


def cells_block(design: Paired, result: Result) -> Block:
    """Return the 2 x 2 table of both answers."""
    a, b, c, d = (float(result.extras["cells"][name]) for name in "abcd")
    first, second = (shorten(name, 40) for name in design.conditions)
    one = shorten(design.levels[1], 30)
    sentence = (
        f"Of {count(design.n_pairs, 'pair')}, {count(a)} had '{one}' under both conditions and {count(d)} under "
        f"neither. The discordant pairs, {count(b)} under {first} only and {count(c)} under {second} only, alone "
        "inform the test and the odds ratio."
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
    draw = partial(forest, rows[:MOST_ROWS], xlabel=f"difference of shares ({minus(design)})")
    if few:
        draw = partial(square, design.square(), levels=design.levels, conditions=design.conditions)
    about = "The same with simultaneous CIs (Bonferroni)"
    return Block(
        id="difference",
        question=f"Which levels were more frequent under {first} than under {second}?",
        sentences=(result.sentence(),),
        draw=draw,
        figure_title=f"Rows: {first}; columns: {second}"
        if few
        else "Difference of the shares of each level",
        caption="Each cell: pairs, and their share of all pairs."
        if few
        else f"{capital(result.inference)}.",
        tables=(
            rows_table(
                rows,
                f"Difference in the share of each level ({minus(design)}); p (Holm): over the levels",
                term="Level",
            ),
            rows_table(joint, about, term="Level"),
            cells_table(design, "Pairs by both values"),
        ),
        results=(result, together),
    )


def cells_table(design: Paired, caption: str) -> PageTable:
    """Return the counts of every pair of values that occurs."""
    table, total = design.square(), float(design.n_pairs)
    cells = tuple(
        (one, other, int(table[i, j]), Shown(float(table[i, j]) / total, 3, True))
        for i, one in enumerate(design.levels)
        for j, other in enumerate(design.levels)
        if table[i, j]
    )
    header = (*(shorten(name, 40) for name in design.conditions), "Pairs", "Share")
    return PageTable(caption=caption, header=header, cells=cells)


def tests_block(result: Result, level: float) -> Block | None:
    """Return every test of the same question side by side; None where there is one."""
    rows = [r for r in result.rows if is_test(r)]
    if len(rows) < 2:
        return None
    asked, alpha = QUESTIONS.get(result.metric, ONE), significance_level_text(level)
    disagree = [c.detail for c in result.cautions if c.code == "SS316"]
    known = [r for r in rows if r.p_value is not None]
    which = (
        "Tests"
        if len(known) == len(rows) and sentences.with_p(result.rows[0])
        else "The tests that have a p value"
    )
    said = f"{which} agreed at \u03b1 = {alpha}. " if len(known) > 1 else ""
    said = f"Tests disagreed at \u03b1 = {alpha}: {disagree[0]}. " if disagree else said
    said = "" if result.metric == "symmetry" else said
    note = (
        " Rows of group 'ignoring clusters' treat pairs as independent."
        if any(r.group == IGNORING for r in rows)
        else ""
    )
    return Block(
        id="tests",
        question="What do other tests say?",
        sentences=(
            f"{said}{asked} Report the test chosen in advance, not the smallest p-value.{note}",
        ),
        tables=(tests_table(rows, "Tests of no difference, unadjusted"),),
    )


def effects_block(design: Paired, result: Result, mean: Row) -> Block:
    """Return the standardised differences with their intervals, beside that of the mean difference."""
    rows = [r for r in result.rows if r.group is None]
    lead, *others = [r for r in rows if r.estimate is not None] or rows[:1]
    said = result.sentence()
    if lead.estimate is not None:
        beside = "".join(f", {r.term} = {number(r.estimate)}" for r in others)
        said = (
            f"The standardised difference was {lead.term} = {sentences.estimate_text(lead)}{beside}. "
            f"Report it with its unit of analysis, {count(lead.n or 0, 'pair')}."
        )
    apart = [
        r.term
        for r in rows
        if r.conf_low is not None
        and mean.conf_low is not None
        and sentences.direction(r) != sentences.direction(mean)
    ]
    if apart:
        said += f" CIs of {listing(apart)} and of the mean difference disagree about 0; quote the mean difference."
    return Block(
        id="effect-sizes",
        question="How large was the standardised difference?",
        sentences=(said,),
        draw=partial(forest, rows, sort=False, reference=0.0, xlabel=f"SD units ({minus(design)})"),
        figure_title="Standardised differences",
        caption=f"d_z and g_z divide by the SD of the differences, d_av and d_rm by the root mean square of both "
        f"SDs; d_rm corrects for the correlation; {ci_text(lead, None)}.",
        tables=(rows_table(result.rows, f"Standardised differences{ways_text(result)}"),),
        results=(result,),
    )


def ways_text(result: Result) -> str:
    """Return by which method each standardised difference has its interval: ``; CIs: d_z and g_z by ...``."""
    ways: dict[str, list[str]] = {}
    for row in result.rows:
        if row.method and row.conf_low is not None:
            ways.setdefault(row.method, []).append(row.term)
    said = [f"{listing(terms)} by the {way}" for way, terms in ways.items()]
    return f"; CIs: {'; '.join(said)}" if said else ""


def outlier_block(design: Paired, numbers: Numbers, options: StudyOptions) -> Block | None:
    """Return the distribution of the differences, and the comparison without the one farthest from their mean."""
    lead = numbers.lead
    if (
        design.scale != "numeric"
        or lead.conf_low is None
        or lead.estimate is None
        or design.n_pairs < FEWEST_LEFT
    ):
        return None
    differences = design.difference
    far = int(np.argmax(np.abs(differences - lead.estimate)))
    left = design.count - (np.arange(len(differences)) == far)
    without = compare(replace(design, count=left).take(left > 0), options)
    row = without.rows[0]
    was, still = sentences.is_significant(lead), sentences.is_significant(row)
    said = {(True, True): "remained", (True, False): "was no longer", (False, True): "became"}
    kept = f"the difference {said.get((was, still), 'was still not')} significant"
    if row.p_value is None:
        kept = "the difference had no test"
    named = (
        []
        if design.units is None
        else np.array(design.units.names(), dtype=object)[design.units.cell == far]
    )
    name = f" ('{shorten(named[0], 30)}')" if len(named) == 1 else ""
    one = f"Without the pair whose difference was farthest from the mean{name}"
    told, share = (
        turned(lead, [(one, row)], "the difference"),
        1 - (row.estimate or 0.0) / (lead.estimate or 1.0),
    )
    if not told and share >= HALF:
        smaller = f"{one}, the difference would be {percent(share)} smaller."
        told = (SecondAnalysis(f"{one}, the difference was {sentences.stat(row)}.", smaller),)
    return Block(
        id="outliers",
        question="Does the result depend on an outlier?",
        sentences=(
            f"{one}, {kept} (mean difference = {sentences.stat(row)}).",
            *(
                [f"Without it the difference was {percent(share)} smaller."]
                if HALF <= share <= 1
                else []
            ),
        ),
        turned=told,
        draw=partial(
            qq,
            differences,
            design.count,
            level=options.level,
            ylabel=minus(design),
            digits=lead.decimals,
        ),
        figure_title="Normal Q-Q plot of the differences",
        caption=f"Points: pairs, by their difference; band: pointwise {percent_of(options.level)} range of a normal "
        f"sample with the same mean and SD; n = {count(design.n_pairs, 'pair')}.",
        tables=(
            rows_table(
                [
                    replace(lead, term="all pairs", group=None),
                    replace(row, term="without that pair"),
                ],
                f"Mean difference ({minus(design)}) with and without the most extreme pair",
                term="Pairs",
            ),
        ),
        results=(without,),
    )


FEWEST_LEFT = 5  # pairs from which one of them may be called an outlier
HALF = 0.5  # share of the difference from which a single pair stands in the answer


MOST_NAMED = 3  # levels whose numbers the answer gives


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
        """Return the verdict of the simultaneous interval of a level."""
        return verdict(row, bounds=row, smallest=self.smallest)


def answer_of_levels(design: Paired, main: Result, levels: Levels) -> str:
    """Return the verdict on the shares of several levels; intervals decide, not the p-value of the joint test."""
    first, second = (f"'{shorten(name, 40)}'" for name in design.conditions)
    rows = levels.sorted()
    narrow = [] if levels.narrow is None else margins(levels.narrow)
    if all(row.conf_low is None for row in rows):
        return sentences.no_number(
            "The difference in shares", margins(levels.together)[0].undefined or "no interval"
        )
    # that all differences are small is claimed only if every single test claims it (an intersection-union test)
    if levels.smallest is not None and all(is_inside(row, levels.smallest) for row in narrow):
        widest = next(row for row in narrow if row.term == rows[0].term)
        return (
            f"{first} and {second} were equivalent in the share of every level within \u00b1"
            f"{as_given(levels.smallest).lstrip('0')}; the largest difference was that of {told(widest)}."
        )
    differ = [row for row in rows if levels.verdict(row) in ("above", "below")]
    if not differ:
        return (
            f"The shares of the {count(len(rows))} levels did not differ reliably between {first} and {second}; the "
            f"largest difference was that of {told(rows[0], levels.level)} ({joint(main)})."
        )
    said = "; ".join(
        f"that of {told(row, levels.level)} was higher for {first if levels.verdict(row) == 'above' else second}"
        for row in differ[:MOST_NAMED]
    )
    more = len(differ) - MOST_NAMED
    said += f"; {count(more)} more differed." if more > 0 else "."
    for verdict_, words in (("equal", "Equivalent"), ("open", "Inconclusive")):
        names = [
            shorten(row.term, 30)
            for row in rows
            if levels.verdict(row) == verdict_ and row.conf_low is not None
        ]
        said += f" {words}: {listing(names)}." if names else ""
    gone = [shorten(row.term, 30) for row in rows if row.conf_low is None]
    said += f" Undefined: {listing(gone)}." if gone else ""
    return f"Shares differed reliably between {first} and {second} ({joint(main)}): {said}"


def told(row: Row, together: float | None = None) -> str:
    """Name a level with its difference and interval; `together` is the level of all simultaneous intervals."""
    shown = row if together is None else replace(row, conf_level=together)
    kind = "" if together is None else "simultaneous"
    return f"'{shorten(row.term, 40)}' ({sentences.estimate_text(shown, kind=kind)})"


def joint(main: Result) -> str:
    """Return the test of all levels together."""
    test = next(row for row in main.rows if row.group == "test")
    return (
        f"{test.method}, {p_value(test.p_value)}"
        if test.p_value is not None
        else f"no joint test: {test.undefined}"
    )


def equivalence_words(narrow: Result, options: StudyOptions) -> str:
    """Return for which levels equivalence was shown."""
    rows, size = margins(narrow), as_given(options.smallest_effect or 0.0).lstrip("0")
    inside = [
        shorten(row.term, 30) for row in rows if is_inside(row, options.smallest_effect or 0.0)
    ]
    which = f"{listing(inside)} only" if inside else "no level"
    if len(inside) == len(rows):
        which = "every level"
    return f"Equivalence within \u00b1{size} was shown for {which}. Margins are equivalent only where all levels are."


OWN = "as on this page"
INTERVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "binary": ("difference_ci", ("newcombe", "wald")),
    "numeric": ("ci", ("percentile", "bca", "studentized")),
    "nominal": ("", ()),
}  # options of the interval by scale, those of the page left out
NAMES = {
    "newcombe": "Newcombe's interval",
    "wald": "Wald's interval",
    "percentile": "bootstrap, percentile",
    "bca": "bootstrap, BCa",
    "studentized": "bootstrap, studentized",
}
Compute = Callable[..., Any]


def variants(
    design: Paired, compute: Compute, lead: Callable[[Result], Row], left_out: Mapping[str, Result]
) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(
        label: str, choice: str, data: Callable[[], Paired] = lambda: design, **choices: Any
    ) -> Variant:
        return Variant(
            label=label, choice=choice, compute=lambda: compute(data(), **choices), lead=lead
        )

    ways = list(cluster_ways(design.clusters, "pairs").items())
    own = ways[-1][0] if design.clusters else "independent"
    made = [way(f"all pairs, {own}", OWN)]
    made += [
        way(label, "clusters", cluster=one) for label, one in (ways[:-1] if design.clusters else [])
    ]
    if not design.clusters or design.scale == "numeric":
        name, values = INTERVALS[design.scale]
        choices: list[dict[str, Any]] = [{name: value} for value in values]
        made += [
            way(NAMES[value], "interval", **one) for value, one in zip(values, choices, strict=True)
        ]
    if design.scale == "binary" and len(design.clusters) == 1:
        means = replace(
            way("clusters weighted equally", "weights"),
            lead=lambda result: result.row("cluster_means_t"),
        )
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
    return [
        factor.levels.index(row.term)
        for row in dict.fromkeys((range_of.rows[0], range_of.rows[-1]))
    ]


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
        raise InputError(
            f"{option('effect_scale', 'd_z')} is for numbers; the smallest difference of two shares is "
            "raw, as 0.05"
        )
    if shares and smallest >= 1:
        meant = f"; did you mean {smallest / 100:g}?" if smallest < 100 else ""
        raise InputError(f"{given} cannot be: differences of shares lie within -1 and 1{meant}")
    if options.effect_scale == "d_z" and design.clusters:
        names = listing([f"'{shorten(factor.name, 40)}'" for factor in design.clusters])
        raise InputError(
            f"{option('effect_scale', 'd_z')} needs independent pairs, and they are clustered by {names}. State the "
            f"smallest effect in the unit of the values ({option('effect_scale', 'raw')}). If the pairs are "
            f"independent, leave {option('cluster')} out"
        )


def describe(design: Paired) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        f"{count(design.n_pairs, 'unit')} under two conditions",
        f"{design.scale} values",
        *cluster_words(design),
    ]
    if design.repeats is not None:
        parts.insert(1, each_answer(design.repeats))
    if design.unmatched:
        parts.append(f"{count(len(design.unmatched), 'unit')} excluded: one condition missing")
    return "Pairs: " + ", ".join(parts)


def pairing(design: Paired) -> str:
    """State what made two values a pair: the unit's key, their row, or nothing that a table of counts could lack."""
    if "condition" in design.columns:
        return "Pairs were joined by key, not by position."
    if "first" in design.columns and "count" not in design.columns:
        return "Each row is a pair."
    return "The table counts pairs."


def diagnostics(design: Paired) -> tuple[Diagnostic, ...]:
    """Return whether every unit has its partner, and how even the clusters are."""
    n = len(design.unmatched)
    names = listing([shorten(unit, 30) for unit in design.unmatched])
    missing = f"No: {count(n)} excluded, one condition missing ({names})." if n else "Yes."
    found = [
        Diagnostic(
            "Does every unit have a value under both conditions?",
            missing,
            "The difference is of complete pairs." if n else pairing(design),
        )
    ]
    for factor in design.clusters:
        sizes = np.bincount(factor.codes, design.count, len(factor.levels))
        least, most = float(sizes.min()), float(sizes.max())
        span = (
            f"{count(least, 'pair')} each"
            if least == most
            else f"{count(least)} to {count(most, 'pair')}"
        )
        so_what = (
            "Uneven clusters make intervals less reliable." if most > 4 * least else "Even enough."
        )
        check = f"How even are the clusters of {shorten(factor.name, 40)}?"
        found.append(
            Diagnostic(check, f"{count_with_noun(len(sizes), f'clusters of {span}')}.", so_what)
        )
    return tuple(found)


def methods(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraphs, the first one brief."""
    lead, level = numbers.main, percent_of(options.level)
    alpha = significance_level_text(options.level)
    what = "shares of each level" if numbers.levels is not None else quantity(design)
    brief = f"Differences in {what} ({minus(design)}) were estimated over {count(design.n_pairs, 'pair')}. "
    if design.scale == "binary":
        row = numbers.lead
        test, ci = row.label("test name"), row.label("interval name") or row.method
        brief += (
            f"Test: {test}; " * bool(test) + f"{level} CI: {ci}; {lead.inference.split('; ')[-1]}."
        )
    else:
        none = (
            not sentences.with_p(numbers.lead)
            and numbers.lead.conf_low is None
            and numbers.lead.undefined
        )
        brief += (
            f"There was no test or CI: {sentences.because(none)}."
            if none
            else f"Test and {level} CI: {lead.inference}."
        )
    if numbers.levels is not None:
        brief += f" Levels were called different where the simultaneous {level} CI (Bonferroni) excluded 0."
    if numbers.bounds is not None:
        brief += f" Equivalence was tested by two one-sided tests (\u03b1 = {alpha})."
    more = []
    if design.scale == "binary":
        more.append(binary_methods(design, lead))
    if design.clusters:
        more.append(
            "The clustered test leads; tests that treat pairs as independent stand beside it."
        )
    if numbers.sizes is not None:
        more.append(f"Standardised differences: {numbers.sizes.inference}.")
    if numbers.bounds is not None and numbers.bounds is not lead:
        more.append(f"Equivalence: {numbers.bounds.inference}.")
    return (brief, " ".join(more)) if more else (brief,)


def binary_methods(design: Paired, result: Result) -> str:
    """Name the interval of each size, and define Cohen's g."""
    row, odds, g = (result.row(term) for term in ("difference", "odds_ratio", "cohens_g"))
    interval, test = row.label("interval name") or row.method, row.label("test name")
    how = [f"Interval of the difference: {interval}."] if interval else []
    how += [
        f"Interval of {label_of(other)}: {other.method}." for other in (odds, g) if other.method
    ]
    first = shorten(design.conditions[0], 40)
    tested = f"Leading test: {test}. " if test else ""
    return f"{tested}{' '.join(how)} Cohen's g is the share of {first} among the discordant pairs minus one half."


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
        verdict=verdict_on_pairs(design, numbers, options),
        answer=answer(design, numbers, options),
        planning=planned(design, numbers, shown),
        cautions=order_cautions(
            numbers.main.cautions, design.cautions, *(r.cautions for r in results[1:])
        ),
        diagnostics=diagnostics(design),
        methods=methods(design, numbers, options),
        **ending(design, options, named(numbers), shown, USED),
    )


def compare(
    design: Paired,
    options: StudyOptions,
    cluster: Way = "declared",
    level: float | None = None,
    **choices: Any,
) -> Any:
    """Compare the conditions with the metric of the scale; `choices` are options of the metric."""
    choices |= {"cluster": cluster, "level": options.level if level is None else level}
    if design.scale != "numeric":
        return (mcnemar if design.scale == "binary" else symmetry)(design, **choices)
    from socialstats.paired.paired_difference import paired_difference

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
        from socialstats.paired.effect_sizes import effect_sizes

        sizes = effect_sizes(design, **options.chosen())
    left_out = {
        factor.name: leave_one_out(design, cluster=factor.name, lead=lead)
        for factor in design.clusters
        if len(factor.levels) > 1
    }
    return Numbers(
        main=main, lead=lead, sizes=sizes, bounds=bounds(design, options), left_out=left_out
    )


def bounds(design: Paired, options: StudyOptions) -> Any:
    """Test equivalence; None where no smallest effect of interest was given."""
    smallest = options.smallest_effect
    if smallest is None:
        return None
    if design.scale == "binary":
        return compare(design, options, level=2 * options.level - 1)
    from socialstats.paired.equivalence import equivalence

    return equivalence(
        design, low=-smallest, high=smallest, scale=options.effect_scale, level=options.level
    )


def blocks(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    main, levels, what = numbers.main, numbers.levels, f"difference in {quantity(design)}"
    same = equivalent(design, numbers, options)
    found: list[Block | None] = [difference_block(design, main)] if levels is None else []
    if levels is not None:
        what = f"difference in shares of '{shorten(numbers.lead.term, 30)}'"
        found += [square_block(design, main, levels.together), same]
    else:
        found.append(cells_block(design, main) if design.scale == "binary" else None)
        found += [
            None if numbers.sizes is None else effects_block(design, numbers.sizes, numbers.lead),
            same,
        ]
        found.append(None if options.brief else outlier_block(design, numbers, options))
    found.append(tests_block(main, options.level))
    lead = partial(leading, numbers)
    found.append(
        dependence_block(
            design.clusters,
            lambda way: compare(design, options, way),
            rows="pairs",
            quantity=what,
            lead=lead,
        )
    )
    found.append(influence_block(numbers.left_out))
    found.append(repeats_block(design.repeats, numbers.lead, design.conditions, "difference"))
    made = variants(
        design, lambda data, **choices: compare(data, options, **choices), lead, numbers.left_out
    )
    if len(made) > 1 and not options.brief:
        about = multiverse(main.metric, f"the {what}", distinct(made), reference=0.0, words="0")
        block = multiverse_block(
            about, id="multiverse", question=other_analyses("the answer"), quantity=what
        )
        found.append(
            block
            if len({row.estimate for row in about.rows}) > 1
            else of_intervals(block, about, main)
        )
    shown = with_design_effect(
        [block for block in found if block is not None], design.clusters, lead=lead
    )
    return tuple(replace(block, part="appendix") if block.id in LATER else block for block in shown)


LATER = ("equivalence", "tests", "dependence", "influence", "multiverse")  # blocks of the appendix


def of_intervals(block: Block, found: Result, main: Result) -> Block | None:
    """Return the block of analyses that share one estimate, whose intervals are compared; None without intervals.

    Where values are skewed (SS317), the studentized interval stands in the answer if it turns the conclusion.
    """
    own, *others = found.rows
    known = [row for row in others if row.conf_low is not None and row.conf_high is not None]
    if own.conf_low is None or not known:
        return None
    side = sentences.direction(own)
    agreed = sum(sentences.direction(row) == side for row in known)
    verdict = "included 0" if side == "none" else "excluded 0"
    low = min((row.conf_low or 0.0 for row in known), default=None)
    high = max((row.conf_high or 0.0 for row in known), default=None)
    others_of = count(len(known), "other interval")
    same = f"so did {count(agreed)} of {others_of}" if agreed else f"none of {others_of} did"
    said = (
        f"The {percent_of(own.conf_level or 0.95)} CI of this page {verdict}; {same} "
        f"(lowest limit {number(low, own.decimals, bounded=own.bounded)}, "
        f"highest {number(high, own.decimals, bounded=own.bounded)})."
    )
    skewed = any(c.code == "SS317" for c in main.cautions)
    advised = [
        (
            "By the studentized interval, which skewed values need",
            replace(row, statistic=None, p_value=None),
        )
        for row in known
        if skewed and row.term == NAMES["studentized"]
    ]
    return replace(
        block,
        sentences=(said,),
        caption="Same estimate; only the method of the interval differs.",
        turned=turned(own, advised, "the difference"),
    )


def leading(numbers: Numbers, result: Result) -> Row:
    """Return the row of a result that the page is about."""
    if numbers.levels is None:
        return result.rows[0]
    term = numbers.lead.term
    missing = Row(term=term, group="margin", undefined="no pair has this level")
    return next((row for row in result.rows if row.group == "margin" and row.term == term), missing)


def equivalent(design: Paired, numbers: Numbers, options: StudyOptions) -> Block | None:
    """Return the test of equivalence; None without a smallest effect of interest."""
    result, smallest = numbers.bounds, options.smallest_effect
    if result is None or smallest is None:
        return None
    rows: Sequence[Row] = result.rows
    if numbers.levels is not None:
        rows, said = margins(result), equivalence_words(result, options)
    else:
        rows, said = (
            rows[:1] if design.scale == "binary" else rows,
            equivalence_text(design, numbers, options),
        )
    return Block(
        id="equivalence",
        question="Was the difference smaller than the smallest effect of interest?",
        sentences=(said,),
        tables=(
            rows_table(
                rows, f"Equivalence test, bounds \u00b1{as_given(smallest)}{unit_of(options)}"
            ),
        ),
        results=(result,),
    )


def unit_of(options: StudyOptions) -> str:
    """Return the unit of the smallest effect of interest, after a blank; nothing for that of the values."""
    return "" if options.effect_scale == "raw" else " SD of the differences"


def equivalence_text(design: Paired, numbers: Numbers, options: StudyOptions) -> str:
    """Return whether equivalence was shown; nothing where it was not tested, or level by level."""
    result, smallest = numbers.bounds, options.smallest_effect
    if result is None or smallest is None or numbers.levels is not None:
        return ""
    first, second = (f"'{shorten(name, 40)}'" for name in design.conditions)
    p = None if design.scale == "binary" else result.row("equivalence").p_value
    return sentences.equivalence_sentence(
        first, second, result.rows[0], smallest, p, unit=unit_of(options)
    )


def answer(design: Paired, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the difference, and whether the conditions were equivalent."""
    first, second = (f"'{shorten(name, 40)}'" for name in design.conditions)
    if numbers.levels is not None:
        return (answer_of_levels(design, numbers.main, numbers.levels),)
    lead = numbers.lead
    said = sentences.difference(quantity(design), first, second, lead)
    found = (
        said,
        equivalence_text(design, numbers, options),
    )
    return tuple(text for text in found if text)


def verdict_on_pairs(design: Paired, numbers: Numbers, options: StudyOptions) -> Conclusion:
    """Return under which condition values are higher, or a level more frequent, or that the data do not show it."""
    lead, conditions = numbers.lead, design.conditions
    first, second = (f"for {shorten(name, LABEL)}" for name in conditions)
    if is_equivalent(numbers, options):
        return verdict_of(
            f"{first[4:]} and {second[4:]} are alike up to a difference that does not matter",
            certainty="alike",
        )
    if numbers.levels is not None:
        # the largest difference may be uncertain where a smaller one is not
        row = max(numbers.levels.sorted(), key=is_shown)
        return more_or_less_frequent(row, f"'{shorten(row.term, LABEL)}'", first, second, None)
    if design.scale == "binary":
        shares = [
            row.estimate
            for name in conditions
            for row in numbers.main.rows
            if (row.term, row.group) == (name, "proportion") and row.estimate is not None
        ]
        level = f"'{shorten(design.levels[-1], LABEL)}'"
        both = (shares[0], shares[1]) if len(shares) == 2 else None
        return more_or_less_frequent(lead, level, first, second, both)
    values = values_of(plain(design.columns.get("value", "value")))
    size = (
        ""
        if lead.estimate is None
        else f", by {number(abs(lead.estimate), lead.decimals)} on average"
    )
    return higher_or_lower(lead, values, first, second, size, pairs_in_direction(design, lead))


def is_equivalent(numbers: Numbers, options: StudyOptions) -> bool:
    """Return whether the test of equivalence puts every difference within the smallest effect of interest."""
    if numbers.bounds is None or options.smallest_effect is None:
        return False
    tests = [row for row in numbers.bounds.rows if row.term == "equivalence"]
    if tests:
        # the smallest effect may be in standard deviations, and the interval is not
        return sentences.is_significant(tests[0], 1 - options.level)
    rows = margins(numbers.bounds) if numbers.levels is not None else numbers.bounds.rows[:1]
    return all(is_inside(row, options.smallest_effect) for row in rows)


def pairs_in_direction(design: Paired, lead: Row) -> str:
    """Return how many pairs differ in the direction of the mean difference."""
    difference = np.sign(design.first - design.second) * np.sign(lead.estimate or 0.0)
    n = int(design.count[difference > 0].sum())
    return f", and so in {count(n)} of {count(design.n_pairs, 'pair')}"


def turned_words(result: Result, lead: Row) -> tuple[SecondAnalysis, ...]:
    """Return the mean with clusters weighing alike, and the tests, that turn the conclusion of the answer."""
    alike = [
        ("With clusters weighing alike", row)
        for row in result.rows
        if row.role == "difference" and row.group == ALIKE
    ]
    few = any(
        c.code == "SS314" for c in result.cautions
    )  # chi-square and t tests are then not quoted
    tests = [
        (r.test, Row(term="", p_value=r.p_value, conf_level=lead.conf_level))
        for r in result.rows
        if r.group == "test" and r.test and not (few and r.test in ("chi2", "t"))
    ]
    others = [
        (f"the {sentences.TESTS[test]} test", row.p_value)
        for test, row in tests
        if lead.p_value is not None and turns(lead, row)
    ]
    verb = "was" if len(others) == 1 else "were"
    clear = "not " * sentences.is_significant(lead)
    named = capital(listing([f"{name} ({p_value(p)})" for name, p in others]))
    short = capital(listing([name for name, _ in others]))
    tested = SecondAnalysis(
        f"{named} {verb} {clear}significant.", f"{short} {verb} {clear}significant."
    )
    return (*turned(lead, alike, "the difference"), *([tested] if others else []))


def planned(design: Paired, numbers: Numbers, shown: Sequence[Block]) -> tuple[str, ...]:
    """Return how many more pairs halve the interval; nothing for levels, nor where outliers turn the answer."""
    if numbers.levels is not None or any(
        block.id == "outliers" and block.turned for block in shown
    ):
        return ()
    return halved(design.clusters, numbers.lead, design.n_pairs, "the difference", unit="pairs")


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found = {"Difference": numbers.main}
    for name, result in (("Effect sizes", numbers.sizes), ("Equivalence", numbers.bounds)):
        found |= {name: result} if result is not None else {}
    return found | {
        f"Without one {shorten(name, 40)}": result for name, result in numbers.left_out.items()
    }


STUDY = Study(
    name="paired",
    title="Is there a difference between two conditions on the same units?",
    design="paired",
    needs="unit, condition, value (or two columns, one row per unit)",
    suits=lambda design: True,
    run=run,
)
