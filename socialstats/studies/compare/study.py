"""Study compare: do models or prompts choose differently on the same stories?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.multiverse import ends, moves
from socialstats.planning.adjusting import with_holm
from socialstats.results import Result, Row
from socialstats.studies.compare.blocks import (
    clearest,
    differences_block,
    differences_of_s,
    effects_block,
    entropy_block,
    final_p,
    items_block,
    reference_marks,
    sensitivity_block,
    settled,
    share_levels_block,
    shares_block,
    strengths_block,
)
from socialstats.studies.compare.numbers import DEFAULTS, STRENGTHS, Level, Numbers, compute, groupings_of, reference_of
from socialstats.studies.comparisons import change_cautions, fit_diagnostics, plain_fits
from socialstats.studies.estimates import numbers_text, probability_methods, verify_all
from socialstats.studies.models import comparison, lead_strip, lead_words
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    Table,
    order_cautions,
    reason_of,
    shared,
)
from socialstats.studies.role_conflict.urgency import refusals_by_level
from socialstats.studies.sources import replies_by
from socialstats.text import capital, count, inconclusive, interval, listing, number, p_value, percent, shorten
from socialstats.voice import option

__all__ = ["STUDY", "reference_of", "run"]


def answer(numbers: Numbers, options: StudyOptions, first: Sequence[Block]) -> tuple[str, ...]:
    """Return the comparison of all levels, and of a reference that was asked for; without S, what differs from it."""
    if numbers.s:
        named = options.reference is not None or numbers.reference.casefold().strip() in DEFAULTS
        beside = (*s_answer(numbers, options), *effect_answer(numbers, options))
        return (*lead_words(first), won_words(numbers, options), *(beside if named or not first else ()))
    kinds = {kind: of_kind(numbers.models, kind) for kind in ("strength", "share")}
    said = [level_answer(name, {kind: rows[name] for kind, rows in kinds.items()}, numbers, options.level)
            for name in numbers.models]  # fmt: skip
    why = "; ".join(numbers.problems)
    return tuple(said) or (f"No difference could be computed{f': {why}' if why else ''}.",)


def of_kind(models: Mapping[str, Result], kind: str) -> dict[str, list[Row]]:
    """Return the differences of a kind by level, adjusted over all levels, as in the tables of the page."""
    rows = [(name, row) for name, result in models.items() for row in result.rows if row.group == kind]
    tested, _ = with_holm([replace(row, term=f"{k}") for k, (_, row) in enumerate(rows)], f"differences of {kind}s")
    found: dict[str, list[Row]] = {name: [] for name in models}
    for (name, row), done in zip(rows, tested, strict=True):
        found[name].append(replace(row, p_adjusted=done.p_adjusted))
    return found


def level_answer(name: str, found: Mapping[str, list[Row]], numbers: Numbers, level: float) -> str:
    """State how many strengths and shares of a level differ significantly, and the clearest of them."""
    called = {kind: settled(rows, level) for kind, rows in found.items() if rows}
    counts = [
        f"{count(len(clear))} of {count(len(found[kind]), f'difference of {kind}s', f'differences of {kind}s')}"
        for kind, clear in called.items()
    ]
    rows = [row for clear in called.values() for row in clear]
    text = f"'{shorten(name)}' and '{shorten(numbers.reference)}': {listing(counts)} "
    text += f"{'is' if len(rows) == 1 else 'are'} significant (Holm over each kind)"
    if not rows:
        return f"{text}; {inconclusive('the two differ')}."
    top = clearest(rows)[0]
    strength = top.group == "strength"
    what = f"'{shorten(top.term, 40)}'" if strength else shorten(top.term, 60)
    return (
        f"{text}, most clearly {what}: {number(top.estimate, 3)}{' log-odds' if strength else ''}, "
        f"{interval(top.conf_low, top.conf_high, 3, level=level)}."
    )


def s_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer about S: how many levels differ, and the largest difference."""
    rows, _ = with_holm(differences_of_s(numbers.s), "differences in S")
    ref, cov = f"'{shorten(numbers.reference)}'", options.covariate
    called = settled(rows, options.level)
    parts = []
    for word, sign in (("closer to", -1), ("farther from", 1)):
        names = [f"'{shorten(r.term, 30)}'" for r in called if sign * (r.estimate or 0.0) > 0]
        if names:
            parts.append(f"{listing(names, most=4)} {'is' if len(names) == 1 else 'are'} {word} following {cov} than "
                         f"{ref}")  # fmt: skip
    if left := [f"'{shorten(r.term, 30)}'" for r in rows if r not in called]:
        are = "is" if len(left) == 1 else "are"
        parts.append(inconclusive(f"{listing(left, most=4)} or {ref} {are} closer to following {cov}"))
    most = clearest(rows)[0]
    p = final_p(most)
    first = (
        f"{capital('; '.join(parts))}. Difference in S, {largest(most, numbers, options)}, "
        f"{p_value(p) if p is not None else most.undefined}{' (Holm)' if len(rows) > 1 else ''}."
    )
    return (first,)


def won_words(numbers: Numbers, options: StudyOptions) -> str:
    """State for the levels with the fewest and the most how often the side with more of the covariate won."""
    higher = {k: v.rates.row("all", group="higher") for k, v in numbers.levels.items() if v.rates is not None}
    low, high = (pick(higher, key=lambda k: higher[k].estimate or 0.0) for pick in (min, max))
    if percent(higher[low].estimate) == percent(higher[high].estimate):
        return f"The higher {options.covariate} won {percent(higher[low].estimate)} of the time for each."
    shares = [f"{numbers_text(higher[name], digits=3, bounded=True)} ('{shorten(name, 40)}')" for name in (low, high)]
    return f"The higher {options.covariate} won a share of choices from {shares[0]} to {shares[1]}."


def largest(row: Row, numbers: Numbers, options: StudyOptions, unit: str = "") -> str:
    """Write a level minus the reference with its interval."""
    return (
        f"{shorten(row.term, 40)} minus {shorten(numbers.reference, 40)}: {number(row.estimate)}{unit}, "
        f"{interval(row.conf_low, row.conf_high, level=options.level)}"
    )


def effect_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer about the effect of one step of the covariate, beside strengths of their own."""
    changes = [
        replace(row, term=name, group=None)
        for name, result in numbers.models.items() for row in result.rows
        if row.group == "effect" and row.term == options.covariate
    ]  # fmt: skip
    if not changes:
        return ()
    rows, _ = with_holm(changes, "differences of the effect")
    return (
        f"With roles of every strength held equal, one step of {options.covariate} weighs differently than for "
        f"'{shorten(numbers.reference)}' in {count(len(settled(rows, options.level)))} of {count(len(rows), 'level')}"
        f"{' (Holm)' if len(rows) > 1 else ''}; {largest(clearest(rows)[0], numbers, options, ' log-odds')}.",
    )


def cautions_of(numbers: Numbers, design: Comparisons) -> tuple[Caution, ...]:
    """Return the cautions of the table, of every level and of the differences."""
    levels = [c for v in numbers.levels.values() for r in (v.fit, v.s) if r is not None for c in r.cautions]
    pairs = [c for group in (numbers.s, numbers.models, numbers.entropy) for r in group.values() for c in r.cautions]
    return order_cautions(change_cautions(numbers.beside), numbers.left, tuple(pairs), tuple(levels), design.cautions)


def level_table(numbers: Numbers, by: str) -> Table:
    """Count rows, pairs and ties of every level; and what could not be computed."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (name, v.design.n_rows, len(v.design.pair.levels), v.design.n_ties, "; ".join([
            *(["reference"] if name == numbers.reference else []),
            *(f"no {what}: {reason_of(error)}" for what, error in v.lost.items()),
            *(p for p in numbers.problems if p.startswith(f"{shorten(name)} minus "))]))
        for name, v in numbers.levels.items()
    ]  # fmt: skip
    cells += [(name, 0, 0, 0, why) for name, why in numbers.silent.items()]
    return Table(caption=f"What each level of {by} has", header=(by, "Rows", "Pairs", "Ties", "Note"),
                 cells=tuple(cells))  # fmt: skip


def methods(numbers: Numbers, options: StudyOptions) -> str:
    """Return the methods paragraph."""
    return (
        f"Every level is compared with '{shorten(numbers.reference)}' on the pairs of items that both have. Pairs are "
        f"resampled in both together (seed {options.seed}), so what makes a pair hard for both cancels; p-values of a "
        "family are adjusted by Holm's method. Entropies are compared by paired t tests over pairs."
    )


MOST_TOLD = 6  # levels with a finding of their own that are written out


def diagnostics(levels: Mapping[str, Level]) -> tuple[Diagnostic, ...]:
    """Return the checks of every level's model: levels with one finding in one breath."""
    each = {name: fit_diagnostics(level.fit, level.design, *map(reason_of, level.lost.values()))
            for name, level in levels.items()}  # fmt: skip
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
    """Write every text once, after the levels that it is true of; `alone`: bare where it is true of all."""
    by_text: dict[str, list[str]] = {}
    for name, text in texts.items():
        by_text.setdefault(text, []).append(shorten(name, 30))
    if len(by_text) == 1:
        text = next(iter(by_text))
        return [text if alone or len(texts) == 1 else f"All {count(len(texts), 'level')}: {text}"]
    return [f"{listing(names, most=4)}: {text}" for text, names in by_text.items()]


def with_level_effect(blocks: Sequence[Block], fits: Mapping[str, BradleyTerryResult]) -> tuple[Block, ...]:
    """State the clusters' effect in the first figure's caption, as the median over the levels' strengths."""
    ratios = [fit.fitted_state.design_effects for fit in fits.values()]  # ratios of standard errors
    found = [float(np.median(ratio**2)) for ratio in ratios if ratio is not None]
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not found or first is None:
        return tuple(blocks)
    low, high = number(min(found)), number(max(found))
    said = f"Design effect of the clusters (median over the strengths): {low}" + ("." if low == high else
            f" to {high}, level by level.")  # fmt: skip
    told = replace(blocks[first], caption=f"{blocks[first].caption} {said}".lstrip())
    return (*blocks[:first], told, *blocks[first + 1 :])


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: do the levels of the by factor differ, on the same pairs of items?"""
    if design.by is None or len(design.by.levels) < 2:
        raise InputError(f"study 'compare' needs {option('by')}: a column with the models (or prompts) to compare, "
                         "two at least")  # fmt: skip
    numbers = compute(design, options)
    first = comparison(numbers.own_s, options, design.by.name, lost=numbers.why("S"))
    shown = (*first, *with_level_effect(blocks(numbers, design, options), numbers.fits))
    keys = [key for fit in numbers.fits.values() for key in fit.references]
    keys += [key for block in shown for r in block.results for key in r.references]
    by, n = shorten(design.by.name, 40), count(len(numbers.levels) + len(numbers.silent), "level")
    verified = checked(numbers) if options.verify else {}
    return Outcome(
        study="compare",
        title=f"How do {n} of {by} differ, on the same pairs?",
        design=f"{count(design.n_rows, 'comparison')}, {count(len(design.items), 'item')}, "
        f"{n} of {by}; reference: '{shorten(numbers.reference)}'",
        answer=(
            *answer(numbers, options, first),
            *(f"{shorten(name)}: {why}." for name, why in numbers.silent.items()),
        ),
        strip=lead_strip(first, reference_marks(numbers.own_s)),
        cautions=cautions_of(numbers, design),
        blocks=shown,
        data=(level_table(numbers, design.by.name),),
        diagnostics=diagnostics(numbers.levels),
        methods=(methods(numbers, options), *probability_methods(design)),
        references=tuple(dict.fromkeys(keys)),
        verifications=verify_all(
            verified, [*first, *(block for block in shown if block.id == "levels-shares")] if verified else []
        ),
        settings=options.echo() | {"reference": numbers.reference},
        **shared(design, options),
    )


def blocks(numbers: Numbers, design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of the page."""
    by = design.by.name if design.by is not None else "level"
    fits, groupings, reference = numbers.fits, groupings_of(design, options), numbers.reference
    found = (
        sensitivity_block(numbers.own_s, by, options),
        differences_block(numbers.s, by, reference, options),
        effects_block(numbers, by, options),
        share_levels_block(fits, groupings, by, options.level),
        shares_block(numbers.models, reference, groupings),
        strengths_block(fits, numbers.models, reference, numbers.why(STRENGTHS)),
        items_block(numbers.items, by, reference, options.level),
        entropy_block(numbers.entropy, by, reference, options.level),
        replies_by(design, options.level),
        refusals_by_level({k: v.design for k, v in numbers.levels.items()}, by, options, numbers.silent)
        if numbers.own_s
        else None,
        ranges_block(numbers.ranges),
    )
    return tuple(block for block in found if block is not None)


def ranges_block(ranges: Mapping[str, tuple[Result, ...]]) -> Block | None:
    """Show for each level how far S and the effect run over the choices of analysis."""
    if not ranges:
        return None
    cells: list[tuple[str | float | int | None, ...]] = []
    for name, results in ranges.items():
        for what, result in zip(("S", "urgency effect"), results, strict=False):
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
        id="multiverse", question="Are the results the same under other defensible analyses?",
        sentences=tuple(f"{shorten(name)}: {results[0].sentence()}" for name, results in ranges.items()),
        tables=(table,), results=tuple(result for results in ranges.values() for result in results),
    )  # fmt: skip


def checked(numbers: Numbers) -> dict[str, Result]:
    """Return the results that other packages recompute, by name."""
    found: dict[str, Result] = {
        f"{shorten(name, 40)}: strengths and effects": fit for name, fit in numbers.fits.items()
    }
    found |= {f"{shorten(name, 40)} minus reference: S": r for name, r in numbers.s.items()}
    found |= plain_fits(numbers.beside)
    return found | {f"{shorten(name, 40)} minus reference: items chosen": r for name, r in numbers.items.items()}


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
