"""Study of two independent groups: do different units differ?"""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.designs.groups import Groups
from socialstats.errors import InputError
from socialstats.paired.equivalence import equivalence
from socialstats.paired.two_means import two_means
from socialstats.paired.two_ordinal import two_ordinal
from socialstats.paired.two_proportions import two_proportions
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_result, ask_rows, page_of
from socialstats.studies.estimates import cluster_words, halved, label_of, single
from socialstats.studies.page import Block, Diagnostic, Outcome, StudyOptions, check_single
from socialstats.studies.paired import quantity, value_name, verdict_on_sides
from socialstats.studies.repeats import each_answer
from socialstats.studies.row_figures import interval_points
from socialstats.studies.verdicts import LABEL, Conclusion, higher_or_lower, of_ten, values_of
from socialstats.text import capital, count, count_with_noun, listing, percent_of, shorten
from socialstats.voice import option

USED = ("level", "smallest_effect", "verify")
CHANCE = 0.5  # probability of superiority of equal groups
METRICS: dict[str, Any] = {"binary": two_proportions, "numeric": two_means}


def run(design: Groups, options: StudyOptions) -> Outcome:
    """Answer: do the groups differ, and by how much?"""
    check_single(design)
    # the comparison of ordered answers refuses labels
    compare = METRICS.get(design.scale, two_ordinal)
    result = single(compare(design, level=options.level))
    bounds = equivalence_result(design, options)
    lead = result.rows[0]
    names = [shorten(name, LABEL) for name in design.groups]
    return page_of(
        "groups",
        f"Is there a difference between {' and '.join(names)}?",
        design,
        options,
        describe=describe(design),
        verdict=verdict_on_groups(design, result),
        answer=[answer(design, lead), *([capital(bounds.sentence())] if bounds else [])],
        leading={"Difference": result},
        blocks=[
            difference_question(design, result),
            ask_result(
                "equivalence",
                bounds,
                "Is the difference smaller than the smallest effect of interest?",
            ),
        ],
        uses=USED,
        planning=halved(design.clusters, lead, design.n_rows, "the difference", df=lead.df),
        diagnostics=diagnostics(design),
        methods=[
            f"Differences in {compared(design)} of two independent groups ({' minus '.join(names)}) were estimated "
            f"over {count(design.n_rows, 'unit')}. Test and {percent_of(options.level)} CI: {result.inference}."
        ],
    )


def compared(design: Groups) -> str:
    """Name what is compared."""
    if design.scale == "ordinal":
        return f"values of {value_name(design)}"
    return quantity(design).removeprefix("the ")


def equivalence_result(design: Groups, options: StudyOptions) -> Result | None:
    """Test whether the difference is smaller than the smallest effect of interest; None where none is said.

    Raises
    ------
    InputError
        For ordered answers, whose comparison is no difference.
    """
    smallest = options.smallest_effect
    if smallest is None:
        return None
    if design.scale == "ordinal":
        raise InputError(
            f"{option('smallest_effect', smallest)}: groups of ordered answers are "
            "compared by a probability, and equivalence is of differences. Leave it out"
        )
    return single(equivalence(design, margin=smallest, level=options.level))


def verdict_on_groups(design: Groups, result: Result) -> Conclusion:
    """Return which group is higher, or that the data do not show it."""
    lead, names = result.rows[0], [shorten(name, LABEL) for name in design.groups]
    if design.scale == "ordinal":
        higher = max(lead.estimate or CHANCE, 1 - (lead.estimate or CHANCE))
        size = "" if lead.estimate is None else f": in {of_ten(higher)} pairs"
        first, second = (f"for {name}" for name in names)
        values = values_of(value_name(design))
        return higher_or_lower(lead, values, first, second, size, null=CHANCE)
    means = [row for row in result.rows if row.role == "estimate"]
    return verdict_on_sides(design, names, lead, means)


def answer(design: Groups, lead: Row) -> str:
    """Return the comparison in one sentence."""
    first, second = (f"'{shorten(name, 40)}'" for name in design.groups)
    if design.scale != "ordinal":
        return sentences.difference(quantity(design), first, second, lead)
    what = f"The probability that {first} is higher than {second}"
    return sentences.reference_sentence(what, lead, CHANCE, "chance")


def difference_question(design: Groups, result: Result) -> Block | None:
    """Ask how much the groups differ: both groups and their difference."""
    lead, *_ = result.rows
    first, second = (shorten(name, LABEL) for name in design.groups)
    drawn = [*(row for row in result.rows if row.role == "estimate"), lead]
    axis, null = f"{compared(design)}, and difference", 0.0
    if design.scale == "ordinal":
        axis, null = "probability of superiority", CHANCE
    points = interval_points(null)(drawn, [label_of(row) for row in drawn], axis)
    return ask_rows(
        "difference",
        f"How much did {first} and {second} differ?",
        result,
        result.rows,
        quantity=f"both groups and their difference ({first} minus {second})",
        say=[result.sentence()],
        draw=lambda *_: points,
        names=label_of,
    )


def describe(design: Groups) -> str:
    """Return the design in one line: kind, and n at every level."""
    sizes = zip(design.n_units, design.groups, strict=True)
    parts = [listing([f"{count(n, 'unit')} of {shorten(name, 40)}" for n, name in sizes])]
    if design.repeats is not None:
        parts.append(each_answer(design.repeats))
    parts += [f"{design.scale} values", *cluster_words(design)]
    return "Independent groups: " + ", ".join(parts)


def diagnostics(design: Groups) -> list[Diagnostic]:
    """Return whether a unit is in one group, and where clusters lie."""
    answer_of_units = "Yes." if "unit" in design.columns else "Each row is a unit."
    independent = "The groups are compared as independent samples."
    checks = [Diagnostic("Is each unit in one group only?", answer_of_units, independent)]
    for factor in design.clusters:
        first, second = (np.unique(factor.codes[design.group == side]) for side in (0, 1))
        shared = len(np.intersect1d(first, second))
        so_what = "Their number in each group limits what is known."
        if shared:
            so_what = "The difference within them counts."
        check = f"Do clusters of {shorten(factor.name, 40)} have units of both groups?"
        of = f"{count_with_noun(shared, 'cluster')} of {count(len(factor.levels))}."
        checks.append(Diagnostic(check, of, so_what))
    return checks
