"""Two or more models (or prompts) on the same pairs of items: how do they differ, compared pair by pair?"""

from __future__ import annotations

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.results import Result
from socialstats.studies.base import Study, StudyOptions
from socialstats.studies.compare_blocks import (
    differences_block,
    effects_block,
    entropy_block,
    sensitivity_block,
    shares_block,
    strengths_block,
    strip_of,
)
from socialstats.studies.compare_diagnostics import diagnostics, with_level_effect
from socialstats.studies.compare_items import items_block
from socialstats.studies.compare_levels import share_levels_block
from socialstats.studies.compare_numbers import Numbers, compute, groupings_of, reference_of
from socialstats.studies.compare_words import answer, cautions_of, level_table, methods
from socialstats.studies.estimates import verify_all
from socialstats.studies.order_effect import plain_fits
from socialstats.studies.outcome import Block, Outcome, Table
from socialstats.studies.urgency_refusals import refusals_by_level
from socialstats.text import count, number, shorten

__all__ = ["STUDY", "reference_of", "run"]


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: do the levels of the by factor differ, on the same pairs of items?"""
    if design.by is None or len(design.by.levels) < 2:
        raise InputError("study 'compare' needs by=: a column with the models (or prompts) to compare, two at least")
    numbers = compute(design, options)
    shown = with_level_effect(blocks(numbers, design, options), {k: v.fit for k, v in numbers.levels.items()})
    keys = [key for v in numbers.levels.values() for key in v.fit.references]
    keys += [key for block in shown for r in block.results for key in r.references]
    by, n = shorten(design.by.name, 40), count(len(numbers.levels), "level")
    verified = checked(numbers) if options.verify else {}
    return Outcome(
        study="compare",
        title=f"How do {n} of {by} differ, on the same pairs?",
        design=f"{count(design.n_rows, 'comparison')}, {count(len(design.items), 'item')}, "
        f"{n} of {by}; reference: '{shorten(numbers.reference)}'",
        answer=answer(numbers, options),
        strip=strip_of({k: v.s for k, v in numbers.levels.items() if v.s is not None}),
        cautions=cautions_of(numbers, design),
        blocks=shown,
        flow=design.flow,
        data=(level_table(numbers, design.by.name),),
        diagnostics=diagnostics(numbers.levels),
        methods=(methods(numbers, options),),
        references=tuple(dict.fromkeys(keys)),
        verifications=verify_all(
            verified, [block for block in shown if block.id == "levels-shares"] if verified else []
        ),
        settings=options.echo() | {"reference": numbers.reference},
        simulated=options.simulated,
    )


def blocks(numbers: Numbers, design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of the page."""
    names = list(numbers.levels)
    by = design.by.name if design.by is not None else "level"
    fits = {name: level.fit for name, level in numbers.levels.items()}
    found = (
        sensitivity_block({k: v.s for k, v in numbers.levels.items() if v.s}, by, options),
        differences_block(numbers.s, by, numbers.reference, options),
        effects_block(
            {k: v.fit for k, v in numbers.levels.items()}, {k: v.ratio for k, v in numbers.levels.items()},
            {k: v.rates for k, v in numbers.levels.items()}, numbers.models, numbers.beside, by,
            numbers.reference, options,
        ),
        share_levels_block(fits, groupings_of(design, options), by, options.level),
        shares_block(numbers.models, numbers.reference, groupings_of(design, options)),
        strengths_block(fits, numbers.models, numbers.reference),
        items_block(numbers.items, by, numbers.reference, options.level),
        entropy_block(numbers.entropy, by, numbers.reference, options.level),
        refusals_by_level({k: v.design for k, v in numbers.levels.items()}, by, options) if numbers.s else None,
        ranges_block(numbers, names),
    )  # fmt: skip
    return tuple(block for block in found if block is not None)


def ranges_block(numbers: Numbers, names: list[str]) -> Block | None:
    """Show for each level how far S and the effect run over the choices of analysis."""
    from socialstats.studies.multiverse import ends, moves

    if not numbers.ranges:
        return None
    cells: list[tuple[str | float | int | None, ...]] = []
    for name in names:
        for what, result in zip(("S", "urgency effect"), numbers.ranges.get(name, ()), strict=False):
            low, high = ends(result.rows)
            mover, shift = next(iter(moves(result.rows).items()), ("nothing", 0.0))
            cells.append((name, what, result.rows[0].estimate, low.estimate, low.term, high.estimate, high.term,
                          f"{mover} ({number(shift)})"))  # fmt: skip
    table = Table(
        caption="Smallest and largest estimate over all choices of analysis, by level",
        header=("Level", "Quantity", "Here", "Smallest", "Analysis", "Largest", "Its analysis", "Moved most by"),
        cells=tuple(cells), digits=2,
    )  # fmt: skip
    return Block(
        id="multiverse", question="Does any of it hang on the analysis?",
        sentences=tuple(f"{shorten(name)}: {numbers.ranges[name][0].sentence()}" for name in names if
                        name in numbers.ranges),
        tables=(table,), results=tuple(r for found in numbers.ranges.values() for r in found),
    )  # fmt: skip


def checked(numbers: Numbers) -> dict[str, Result]:
    """Return the results that other packages recompute, by name."""
    found: dict[str, Result] = {}
    for name, level in numbers.levels.items():
        found[f"{shorten(name, 40)}: strengths and effects"] = level.fit
    found |= {f"{shorten(name, 40)} minus reference: S": r for name, r in numbers.s.items()}
    found |= plain_fits(numbers.beside)
    return found | {f"{shorten(name, 40)} minus reference: items chosen": r for name, r in numbers.items.items()}


STUDY = Study(
    name="compare",
    title="How do models (or prompts) differ on the same pairs of items?",
    design="comparisons",
    needs="item_a, item_b, winner, and by= a column with two models or prompts at least",
    suits=lambda design: design.by is not None and len(design.by.levels) > 1,
    run=run,
    levels=run,
)
