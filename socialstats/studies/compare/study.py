"""Study of models or prompts that choose on the same stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.custom.multiverse import ends, moves
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.sentences import is_significant, no_number, stat
from socialstats.studies.compare.blocks import (
    SHARE,
    clearest,
    clustered,
    differences_block,
    differences_of_s,
    effects_block,
    entropy_block,
    items_block,
    labelled,
    range_words,
    sensitivity_block,
    share_levels_block,
    shares_block,
    some_words,
    strengths_block,
    told,
)
from socialstats.studies.compare.numbers import (
    DEFAULTS,
    STRENGTHS,
    Level,
    Numbers,
    compute,
    groupings_of,
    reference_of,
)
from socialstats.studies.comparisons import (
    change_cautions,
    fit_diagnostics,
    unmatched_items,
)
from socialstats.studies.estimates import probability_methods, verify_all
from socialstats.studies.models import (
    comparison,
    lead_words,
    verdict_on_levels,
    verdict_on_models,
)
from socialstats.studies.multiverse import other_analyses
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    order_cautions,
    reason_of,
    shared,
)
from socialstats.studies.role_conflict.variants import refusals_by_level
from socialstats.studies.sources import replies_by
from socialstats.text import count, count_with_noun, listing, number, percent_of, shorten
from socialstats.voice import option

__all__ = ["STUDY", "reference_of", "run"]


def answer(numbers: Numbers, options: StudyOptions, first: Sequence[Block]) -> tuple[str, ...]:
    """Return the comparison of all levels, and the differences from a named reference; without S, other differences."""
    if numbers.s:
        beside = () if first and not named(numbers, options) else s_answer(numbers, options)
        about_s = (*lead_words(first), *beside)
        towards = (f"Lower S is closer to following {options.covariate} alone.",) if about_s else ()
        return (*about_s, *towards, *won_words(numbers, options), *effect_answer(numbers, options))
    kinds = {kind: of_kind(numbers.models, kind) for kind in ("strength", "share")}
    said = [
        level_answer(name, {kind: rows[name] for kind, rows in kinds.items()}, numbers)
        for name in numbers.models
    ]
    return tuple(said) or without_strengths(numbers)


def without_strengths(numbers: Numbers) -> tuple[str, ...]:
    """Return that no difference in strength exists, and the differences in choices that do."""
    why = "".join(f" For {problem}." for problem in numbers.problems)
    what = "difference in strength" if numbers.items else "difference"
    lacking = f"No {what} could be computed.{why}"
    if not numbers.items:
        return (lacking,)
    tested, _ = adjust_family_by_holm(labelled(numbers.items, "item"), "items chosen")
    return (lacking, some_words(tested, "differences in the share chosen", numbers.reference))


def named(numbers: Numbers, options: StudyOptions) -> bool:
    """Return whether one of several levels was named as the reference, by an option or by its name."""
    found = options.reference is not None or numbers.reference.casefold().strip() in DEFAULTS
    return found and len(numbers.s) > 1


def of_kind(models: Mapping[str, Result], kind: str) -> dict[str, list[Row]]:
    """Return the differences of a kind by level, adjusted over all levels, as in the tables of the page."""
    rows = [
        (name, row) for name, result in models.items() for row in result.rows if row.group == kind
    ]
    tested, _ = adjust_family_by_holm(
        [replace(row, term=f"{k}") for k, (_, row) in enumerate(rows)], f"differences of {kind}s"
    )
    found: dict[str, list[Row]] = {name: [] for name in models}
    for (name, row), done in zip(rows, tested, strict=True):
        found[name].append(replace(row, p_adjusted=done.p_adjusted))
    return found


def level_answer(name: str, found: Mapping[str, list[Row]], numbers: Numbers) -> str:
    """Return how many strengths and shares of a level differed significantly, and the largest difference."""
    clear = [row for rows in found.values() for row in rows if is_significant(row)]
    counts = [
        f"{count(sum(is_significant(row) for row in rows))} of "
        f"{count_with_noun(len(rows), f'differences in {WORDS[kind]}')}"
        for kind, rows in found.items()
        if rows
    ]
    text = f"{shorten(name, 40)} minus {shorten(numbers.reference, 40)}: {listing(counts)} "
    text += f"{'was' if len(clear) == 1 else 'were'} significant (Holm within each kind)."
    tested = clear or [row for rows in found.values() for row in rows if row.p_value is not None]
    if not tested:
        return text
    top = clearest(tested)[0]
    unit = " log-odds" if top.group == "strength" else ""
    return f"{text} The largest was {shorten(top.term, 60)} ({stat(top, unit=unit)})."


WORDS = {"strength": "strength", "share": "preference shares"}


def s_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return which levels differed from the reference in S."""
    rows, _ = adjust_family_by_holm(differences_of_s(numbers.s), "differences in S")
    name = "corrected" if rows[0].label("kind") == "corrected" else "plug-in"
    return told(rows, numbers.reference, f"{name} sensitivity S")


def won_words(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the smallest and the largest share of choices won by the side with more of the covariate."""
    higher = [
        replace(v.rates.row("all", group="higher"), term=name, limits=SHARE)
        for name, v in numbers.levels.items()
        if v.rates is not None
    ]
    what = f"The share of choices won by the side with higher {options.covariate}"
    return (range_words(what, higher),) if higher else ()


def effect_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return how the effect of the covariate, adjusted for item strength, differed from that of the reference."""
    changes = [
        replace(row, term=name, group=None)
        for name, result in numbers.models.items()
        for row in result.rows
        if row.group == "effect" and row.term == options.covariate
    ]
    if not changes:
        return ()
    rows, _ = adjust_family_by_holm(changes, "differences of the effect")
    what = f"effect of {options.covariate} (log-odds, adjusted for item strength)"
    if len(rows) == 1:
        return told(rows, numbers.reference, what)
    clear = clearest([row for row in rows if is_significant(row)])
    reference, n = shorten(numbers.reference, 40), count(len(rows), "level")
    text = f"Adjusted for item strength, the {options.covariate} effect differed from {reference}'s in "
    text += f"{count(len(clear))} of {n} (Holm)."
    if clear:
        text += f" The largest difference was for {shorten(clear[0].term, 40)} ({stat(clear[0], unit=' log-odds')})."
    return (text,)


def cautions_of(
    numbers: Numbers, design: Comparisons, options: StudyOptions
) -> tuple[Caution, ...]:
    """Return the cautions of the table, the levels and the differences."""
    levels = [
        c
        for v in numbers.levels.values()
        for r in (v.fit, v.s)
        if r is not None
        for c in r.cautions
    ]
    pairs = [
        c
        for group in (numbers.s, numbers.models, numbers.entropy)
        for r in group.values()
        for c in r.cautions
    ]
    own = change_cautions(numbers.beside)
    beside = unmatched_items(design, options)
    return order_cautions(own, numbers.left, tuple(pairs), tuple(levels), design.cautions, beside)


def level_table(numbers: Numbers, by: str) -> PageTable:
    """Count rows, pairs and ties of every level; and what could not be computed."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (
            name,
            v.design.n_rows,
            len(v.design.pair.levels),
            v.design.n_ties,
            "; ".join(
                [
                    *(["reference"] if name == numbers.reference else []),
                    *(f"no {what}: {reason_of(error)}" for what, error in v.lost.items()),
                    *(p for p in numbers.problems if p.startswith(f"{shorten(name)} minus ")),
                ]
            ),
        )
        for name, v in numbers.levels.items()
    ]
    cells += [(name, 0, 0, 0, why) for name, why in numbers.silent.items()]
    return PageTable(
        caption=f"What each level of {by} has",
        header=(by, "Rows", "Pairs", "Ties", "Note"),
        cells=tuple(cells),
    )


def methods(numbers: Numbers, options: StudyOptions) -> tuple[str, str]:
    """Return the methods: first in brief, then in full."""
    tested = ", ".join(dict.fromkeys(result.inference for result in numbers.s.values()))
    brief = "Levels were compared on the same pairs of items. "
    if numbers.s:
        brief += f"{percent_of(options.level)} CIs of differences in sensitivity S came from the jackknife over pairs. "
    brief += "Strengths came from Bradley-Terry models with cluster-robust standard errors. "
    if numbers.models:
        brief += f"Their differences had t tests ({clustered(numbers.models)}). "
    brief += "p values were Holm-adjusted within each kind of difference."
    return brief, (
        f"Every level was compared with {shorten(numbers.reference)} on the pairs of items of both. The two models of "
        "strengths were taken as one, whose clusters were matched by their labels, so what both share cancels. Choice "
        "entropies were compared by paired t tests over pairs."
        + (f" S: {tested}." if tested else "")
    )


MOST_TOLD = 6  # levels with a finding of their own that are written out


def diagnostics(levels: Mapping[str, Level]) -> tuple[Diagnostic, ...]:
    """Return the checks of every level's fit; levels with the same finding share a sentence."""
    each = {
        name: fit_diagnostics(level.fit, level.design, *map(reason_of, level.lost.values()))
        for name, level in levels.items()
    }
    checks = range(len(next(iter(each.values()))))
    return tuple(together({name: found[k] for name, found in each.items()}) for k in checks)


def together(each: Mapping[str, Diagnostic]) -> Diagnostic:
    """Join the findings of one check.

    Examples
    --------
    >>> one = Diagnostic(check="Even?", found="Yes.", so_what="Fine.")
    >>> together({"a": one, "b": one}).found
    'All 2 levels: Yes.'
    >>> together({"a": one, "b": replace(one, found="No.")}).found
    'a: Yes. b: No.'
    """
    findings = _grouped({name: d.found for name, d in each.items()})
    more = len(findings) - MOST_TOLD
    told = findings[:MOST_TOLD] + (
        [f"{count(more, 'more finding')} on the pages of single levels."] if more > 0 else []
    )
    first = next(iter(each.values()))
    so_what = _grouped({name: d.so_what for name, d in each.items()}, alone=True)
    return Diagnostic(check=first.check, found=" ".join(told), so_what=" ".join(so_what))


def _grouped(texts: Mapping[str, str], *, alone: bool = False) -> list[str]:
    """Return every text once, after the levels that it holds for; `alone`: bare where it holds for all."""
    by_text: dict[str, list[str]] = {}
    for name, text in texts.items():
        by_text.setdefault(text, []).append(shorten(name, 30))
    if len(by_text) == 1:
        text = next(iter(by_text))
        return [text if alone or len(texts) == 1 else f"All {count(len(texts), 'level')}: {text}"]
    return [f"{listing(names, most=4)}: {text}" for text, names in by_text.items()]


def with_level_effect(
    blocks: Sequence[Block], fits: Mapping[str, BradleyTerryResult]
) -> tuple[Block, ...]:
    """Add the design effect of the clusters, the median over the levels' strengths, to the first figure's caption."""
    ratios = [fit.fitted_state.design_effects for fit in fits.values()]  # ratios of standard errors
    found = [float(np.median(ratio**2)) for ratio in ratios if ratio is not None]
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not found or first is None:
        return tuple(blocks)
    low, high = number(min(found)), number(max(found))
    said = f"Design effect of the clusters (median over the strengths): {low}" + (
        "." if low == high else f" to {high}, level by level."
    )
    told = replace(blocks[first], caption=f"{blocks[first].caption} {said}".lstrip())
    return (*blocks[:first], told, *blocks[first + 1 :])


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: did the levels of the by factor differ on the same pairs of items?"""
    design = design.whole()
    if design.by is None or len(design.by.levels) < 2:
        raise InputError(
            f"study 'compare' needs {option('by')}: a column with the models (or prompts) to compare, "
            "two at least"
        )
    numbers = compute(design, options)
    first = comparison(numbers.own_s, options, design.by.name, lost=numbers.why("S"), led=True)
    shown = (
        *first,
        *with_level_effect(blocks(numbers, design, options, several=bool(first)), numbers.fits),
    )
    keys = [key for fit in numbers.fits.values() for key in fit.references]
    keys += [key for block in shown for r in block.results for key in r.references]
    by, n = shorten(design.by.name, 40), count(len(numbers.levels) + len(numbers.silent), "level")
    return Outcome(
        study="compare",
        title=f"How did {n} of {by} differ on the same pairs?",
        design=f"{count(design.n_rows, 'comparison')}, {count(len(design.items), 'item')}, "
        f"{n} of {by}; reference: '{shorten(numbers.reference)}'",
        verdict=verdict_on_models(first) or verdict_on_levels(shown),
        answer=(
            *answer(numbers, options, first),
            *(
                no_number(f"the result of {shorten(name)}", why)
                for name, why in numbers.silent.items()
            ),
        ),
        cautions=cautions_of(numbers, design, options),
        blocks=shown,
        data=(level_table(numbers, design.by.name),),
        diagnostics=diagnostics(numbers.levels),
        methods=(*methods(numbers, options), *probability_methods(design)),
        references=tuple(dict.fromkeys(keys)),
        verifications=verify_all(checked(numbers), shown) if options.verify else {},
        settings=options.echo() | {"reference": numbers.reference},
        **shared(design, options),
    )


def blocks(
    numbers: Numbers, design: Comparisons, options: StudyOptions, *, several: bool
) -> tuple[Block, ...]:
    """Return the blocks in the order of the page; those that the comparison of all levels repeats are appendix."""
    by = design.by.name if design.by is not None else "level"
    fits, groupings, reference = numbers.fits, groupings_of(design, options), numbers.reference
    found = (
        sensitivity_block(numbers.own_s, by, options),
        differences_block(numbers.s, by, reference, options),
        effects_block(numbers, by, options),
        share_levels_block(fits, groupings, by, options.level),
        shares_block(numbers.models, reference, groupings),
        strengths_block(
            fits,
            numbers.models,
            reference,
            numbers.why(STRENGTHS),
            numbers.untested.get("models", ""),
        ),
        items_block(numbers.items, by, reference, options.level),
        entropy_block(numbers.entropy, by, reference, options.level),
        replies_by(design, options.level),
        refusals_by_level({k: v.design for k, v in numbers.levels.items()}, options, numbers.silent)
        if numbers.own_s
        else None,
        ranges_block(numbers.ranges),
    )
    aside = {"levels-s"} if several else set()
    aside |= {"differences-s"} if several and not named(numbers, options) else set()
    return tuple(
        replace(block, part="appendix") if block.id in aside else block
        for block in found
        if block is not None
    )


def ranges_block(ranges: Mapping[str, tuple[Result, ...]]) -> Block | None:
    """Return the range of S and of the effect over analysis variants, for each level."""
    if not ranges:
        return None
    cells: list[tuple[str | float | int | None, ...]] = []
    for name, results in ranges.items():
        for what, result in zip(("S", "urgency effect"), results, strict=False):
            low, high = ends(result.rows)
            choice, shift = next(iter(moves(result.rows).items()), ("none", 0.0))
            cells.append(
                (
                    name,
                    what,
                    result.rows[0].estimate,
                    low.estimate,
                    low.term,
                    high.estimate,
                    high.term,
                    f"{choice} ({number(shift)})",
                )
            )
    table = PageTable(
        caption="Smallest and largest estimate over all analysis variants, by level",
        header=(
            "Level",
            "Quantity",
            "This page",
            "Smallest",
            "Variant of the smallest",
            "Largest",
            "Variant of the largest",
            "Largest effect",
        ),
        cells=tuple(cells),
        rows=tuple(row for results in ranges.values() for result in results for row in result.rows),
    )
    return Block(
        id="multiverse",
        question=other_analyses("the answer"),
        sentences=tuple(
            f"{shorten(name)}: {results[0].sentence()}" for name, results in ranges.items()
        ),
        tables=(table,),
        results=tuple(result for results in ranges.values() for result in results),
        part="appendix",
    )


def checked(numbers: Numbers) -> dict[str, Result]:
    """Return the results that other packages recompute, by name."""
    found: dict[str, Result] = {
        f"{shorten(name, 40)}: strengths and effects": fit for name, fit in numbers.fits.items()
    }
    found |= {f"{shorten(name, 40)} minus reference: S": r for name, r in numbers.s.items()}
    return found | {
        f"{shorten(name, 40)} minus reference: items chosen": r for name, r in numbers.items.items()
    }


STUDY = Study(
    name="compare",
    title="How do models (or prompts) differ on the same pairs of items?",
    design="comparisons",
    needs="item_a, item_b, winner, and by, a column with two models or prompts at least",
    suits=lambda design: design.by is not None and len(design.by.levels) > 1,
    uses=("reference",),
    run=run,
    levels=run,
)
