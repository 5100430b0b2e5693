"""Pairs: is there a difference between two conditions on the same units?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from socialstats.designs.paired import Paired
from socialstats.errors import InputError
from socialstats.metrics.mcnemar import mcnemar
from socialstats.metrics.symmetry import symmetry
from socialstats.results import Result, Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import (
    digits_for,
    numbers_text,
    references_of,
    settings_of,
    verdict,
    verify_all,
)
from socialstats.studies.outcome import Block, Mark, Outcome, Strip
from socialstats.studies.paired_blocks import (
    cells_block,
    difference_block,
    effects_block,
    equivalence_block,
    margins,
    minus,
    most_shifted,
    square_block,
    tests_block,
)
from socialstats.studies.paired_levels import Levels, answer_of_levels, equivalence_words, levels_of, marks_of_levels
from socialstats.studies.paired_multiverse import paired_multiverse
from socialstats.studies.paired_smallest import check_smallest, decimals
from socialstats.studies.paired_words import describe, diagnostics, methods
from socialstats.studies.robustness import Way, dependence_block, influence_block, leave_one_out, with_design_effect
from socialstats.text import as_given, number, p_value, shorten

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
