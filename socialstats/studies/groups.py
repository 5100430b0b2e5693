"""Study of two independent groups: do different units differ?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.designs.groups import Groups
from socialstats.errors import InputError
from socialstats.figures import forest
from socialstats.paired.equivalence import equivalence
from socialstats.paired.two_means import two_means
from socialstats.paired.two_ordinal import two_ordinal
from socialstats.paired.two_proportions import two_proportions
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    cluster_words,
    ending,
    halved,
    rows_table,
    single,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.repeats import each_answer
from socialstats.studies.verdicts import (
    LABEL,
    Conclusion,
    higher_or_lower,
    level_in_words,
    more_or_less_frequent,
    of_ten,
    values_of,
)
from socialstats.text import (
    as_words,
    capital,
    count,
    count_with_noun,
    listing,
    number,
    percent_of,
    shorten,
)
from socialstats.voice import option

USED = ("level", "smallest_effect", "verify")


def compare(design: Groups, options: StudyOptions) -> Result:
    """Compare the groups with the metric of the scale."""
    known: dict[str, Any] = {"binary": two_proportions, "numeric": two_means}
    return single(
        known.get(design.scale, two_ordinal)(design, level=options.level)
    )  # it refuses labels


def quantity(design: Groups) -> str:
    """Name what is compared."""
    if design.scale == "ordinal":
        return f"the values of {as_words(design.columns.get('value', 'value'), 30)}"
    if design.levels:
        return f"the share of '{shorten(design.levels[-1], 30)}'"
    if design.repeats is not None and design.repeats.share_of:
        return f"the mean share of '{shorten(design.repeats.share_of, 30)}'"
    return f"the mean of {as_words(design.columns.get('value', 'value'), 30)}"


def minus(design: Groups) -> str:
    """Name the direction: ``drug minus placebo``."""
    return " minus ".join(shorten(name, 30) for name in design.groups)


def run(design: Groups, options: StudyOptions) -> Outcome:
    """Answer: do the groups differ, and by how much?"""
    check_single(design)
    result = compare(design, options)
    lead = result.rows[0]
    first, second = (f"'{shorten(name, 40)}'" for name in design.groups)
    blocks = [difference_block(design, result, lead), *equivalence_blocks(design, options)]
    return Outcome(
        study="groups",
        title=f"Is there a difference between {shorten(design.groups[0], 40)} and {shorten(design.groups[1], 40)}?",
        design=describe(design),
        verdict=verdict_on_groups(design, result, lead),
        answer=(
            answer(design, lead, first, second),
            *(said for block in blocks[1:] for said in block.sentences),
        ),
        planning=halved(design.clusters, lead, design.n_rows, "the difference", df=lead.df),
        cautions=order_cautions(result.cautions, design.cautions),
        diagnostics=diagnostics(design),
        methods=(methods(design, result, options),),
        **ending(design, options, {"Difference": result}, blocks, USED),
    )


def verdict_on_groups(design: Groups, result: Result, lead: Row) -> Conclusion:
    """Return which group is higher, or that the data do not show it."""
    first, second = (f"for {shorten(name, LABEL)}" for name in design.groups)
    if design.scale == "ordinal":
        size = "" if lead.estimate is None else f": in {of_ten(higher_share(lead))} pairs"
        values = values_of(as_words(design.columns.get("value", "value"), 30))
        return higher_or_lower(lead, values, first, second, size, null=CHANCE)
    if design.levels:
        means = [row.estimate for row in result.rows if row.role == "estimate"]
        known = [mean for mean in means if mean is not None]
        shares = (known[0], known[1]) if len(known) == 2 else None
        level = level_in_words(design.levels[-1], design.columns.get("value"))
        return more_or_less_frequent(lead, level, first, second, shares)
    values = values_of(as_words(design.columns.get("value", "value"), 30))
    size = (
        ""
        if lead.estimate is None
        else f", by {number(abs(lead.estimate), lead.decimals)} on average"
    )
    return higher_or_lower(lead, values, first, second, size)


def higher_share(lead: Row) -> float:
    """Return the probability that a value of the higher group is the higher one."""
    return max(lead.estimate or CHANCE, 1 - (lead.estimate or CHANCE))


CHANCE = 0.5  # probability of superiority of equal groups


def answer(design: Groups, lead: Row, first: str, second: str) -> str:
    """Return the comparison in one sentence."""
    if design.scale != "ordinal":
        return sentences.difference(quantity(design), first, second, lead)
    return sentences.reference_sentence(
        f"The probability that {first} is higher than {second}", lead, CHANCE, "chance"
    )


def estimand(design: Groups) -> str:
    """Name what the interval is of."""
    return "Probability of superiority" if design.scale == "ordinal" else "Difference"


def axis_of(design: Groups) -> str:
    """Name the axis of the answer."""
    if design.scale == "ordinal":
        return "probability of superiority"
    return f"difference in {quantity(design).removeprefix('the ')}"


def difference_block(design: Groups, result: Result, lead: Row) -> Block:
    """Return both groups and their difference, drawn and as a table."""
    first, second = (shorten(name, 40) for name in design.groups)
    drawn = [*(row for row in result.rows if row.role == "estimate"), lead]
    what = quantity(design).removeprefix("the ")
    reference, label = (
        (CHANCE, axis_of(design)) if design.scale == "ordinal" else (0.0, f"{what}, and difference")
    )
    return Block(
        id="difference",
        question=f"How much did {first} and {second} differ?",
        sentences=(result.sentence(),),
        draw=partial(forest, drawn, sort=False, reference=reference, xlabel=label),
        figure_title=f"Both groups, and the difference {minus(design)}",
        caption=f"{percent_of(lead.conf_level or 0.95)} CIs. {estimand(design)}: {lead.method}; "
        f"n = {count(design.n_rows, 'unit')}.",
        tables=(rows_table(result.rows, f"Both groups and their difference ({minus(design)})"),),
        results=(result,),
    )


def equivalence_blocks(design: Groups, options: StudyOptions) -> list[Block]:
    """Return whether the difference is smaller than the smallest effect of interest; nothing where none is said.

    Raises
    ------
    InputError
        For ordered answers, whose comparison is no difference.
    """
    if options.smallest_effect is None:
        return []
    if design.scale == "ordinal":
        raise InputError(
            f"{option('smallest_effect', options.smallest_effect)}: groups of ordered answers are "
            "compared by a probability, and equivalence is of differences. Leave it out"
        )
    result = single(equivalence(design, margin=options.smallest_effect, level=options.level))
    return [
        Block(
            id="equivalence",
            question="Is the difference smaller than the smallest effect of interest?",
            sentences=(capital(result.sentence()),),
            tables=(rows_table(result.rows, f"Two one-sided tests ({minus(design)})"),),
            results=(result,),
        )
    ]


def describe(design: Groups) -> str:
    """Return the design in one line: kind, and n at every level."""
    sizes = [
        f"{count(n, 'unit')} of {shorten(name, 40)}"
        for n, name in zip(design.n_units, design.groups, strict=True)
    ]
    parts = [listing(sizes), f"{design.scale} values", *cluster_words(design)]
    if design.repeats is not None:
        parts.insert(1, each_answer(design.repeats))
    return "Independent groups: " + ", ".join(parts)


def diagnostics(design: Groups) -> tuple[Diagnostic, ...]:
    """Return whether a unit is in one group, and where clusters lie."""
    named = "unit" in design.columns
    found = "Yes." if named else "Each row is a unit."
    found_of = [
        Diagnostic(
            "Is each unit in one group only?",
            found,
            "The groups are compared as independent samples.",
        )
    ]
    for factor in design.clusters:
        sides = [np.unique(factor.codes[design.group == side]) for side in (0, 1)]
        both = len(np.intersect1d(sides[0], sides[1]))
        so_what = (
            "The difference within them counts."
            if both
            else "Their number in each group limits what is known."
        )
        found_of.append(
            Diagnostic(
                f"Do clusters of {shorten(factor.name, 40)} have units of both groups?",
                f"{count_with_noun(both, 'cluster')} of {count(len(factor.levels))}.",
                so_what,
            )
        )
    return tuple(found_of)


def methods(design: Groups, result: Result, options: StudyOptions) -> str:
    """Return the methods paragraph."""
    said = f"{quantity(design).removeprefix('the ')} of two independent groups"
    return (
        f"Differences in {said} ({minus(design)}) were estimated over {count(design.n_rows, 'unit')}. "
        f"Test and {percent_of(options.level)} CI: {result.inference}."
    )
