"""Two or more models (or prompts) on the same pairs of items: how do they differ, compared pair by pair?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.choice_entropy import choice_entropy_difference
from socialstats.metrics.sensitivity import sensitivity, sensitivity_difference
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result, Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.compare_blocks import (
    differences_block,
    effects_block,
    entropy_block,
    sensitivity_block,
    shares_block,
    strengths_block,
    strip_of,
)
from socialstats.studies.compare_refits import Refitted, difference, on_common_pairs, refit
from socialstats.studies.comparisons import item_groups
from socialstats.studies.estimates import with_holm
from socialstats.studies.outcome import Block, Outcome, Table
from socialstats.studies.urgency_multiverse import of_effect, of_sensitivity, single
from socialstats.text import count, interval, listing, number, p_value, percent, shorten

DEFAULTS = ("default", "baseline", "base", "none", "no persona", "original", "control", "neutral")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What is computed for one level by itself; `s`, `higher` and `ratio` only with a covariate."""

    design: Comparisons
    fit: BradleyTerryResult
    s: Result | None = None
    rates: Result | None = None
    ratio: Result | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Every level by itself, and every other level minus the reference, by level.

    `problems` say which differences do not exist, `left` which pairs of items only one of two levels has.
    """

    reference: str
    levels: Mapping[str, Level]
    s: Mapping[str, Result]
    models: Mapping[str, Result]
    entropy: Mapping[str, Result]
    ranges: Mapping[str, tuple[Result, ...]]
    problems: tuple[str, ...] = ()
    left: tuple[Caution, ...] = ()


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: do the levels of the by factor differ, on the same pairs of items?"""
    if design.by is None or len(design.by.levels) < 2:
        raise InputError("study 'compare' needs by=: a column with the models (or prompts) to compare, two at least")
    numbers = compute(design, options)
    shown = blocks(numbers, design, options)
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
        methods=(methods(numbers, options),),
        references=tuple(dict.fromkeys(keys)),
        verifications={name: result.verify() for name, result in verified.items()},
        settings=options.echo() | {"reference": numbers.reference},
        simulated=options.simulated,
    )


def reference_of(names: tuple[str, ...], wanted: str | None) -> str:
    """Return the level that the others are compared with: the one asked for, one called default, or the first."""
    if wanted is not None and wanted not in names:
        raise InputError(f"reference='{shorten(wanted)}' is no level; levels: {listing([shorten(n) for n in names])}")
    if wanted is not None:
        return wanted
    return next((name for word in DEFAULTS for name in names if name.casefold().strip() == word), names[0])


def has_covariate(design: Comparisons, options: StudyOptions) -> bool:
    """Tell whether the covariate that should decide is there, with unequal sides."""
    c = design.covariates.get(options.covariate)
    return c is not None and np.issubdtype(c.a.dtype, np.number) and bool(np.any(c.a != c.b))


def one_level(name: str, design: Comparisons, options: StudyOptions, fitted: Any) -> Level:
    """Compute one level by itself."""
    fit = fitted(design)
    if not has_covariate(design, options):
        return Level(design=design, fit=fit)
    groups = next(iter(item_groups(design).values()), None)
    try:
        s = single(sensitivity(design, options.covariate, groups=groups, resamples=options.resamples,
                               seed=options.seed, level=options.level))  # fmt: skip
        rates = single(win_rates(design, options.covariate, weights="pooled", level=options.level))
    except SocialStatsError as error:
        error.args = (f"{shorten(name)}: {error}",)
        raise
    try:
        ratio: Result | None = fit.effect_in_sds(options.covariate, level=options.level)
    except UndefinedStatistic:
        ratio = None
    return Level(design=design, fit=fit, s=s, rates=rates, ratio=ratio)


def compute(design: Comparisons, options: StudyOptions) -> Numbers:
    """Compute every level by itself and every difference from the reference."""
    parts = {name: replace(part, by=None) for name, part in design.split().items()}
    reference = reference_of(tuple(parts), options.reference)
    by_covariate = has_covariate(design, options)
    formula = f"~ {options.covariate}" if by_covariate else None
    groups = item_groups(design)
    chosen = groups.get(options.group or "", next(iter(groups.values()), {}))
    kept: dict[int, Refitted] = {}

    def again(part: Comparisons) -> Refitted:
        if id(part) not in kept:
            kept[id(part)] = refit(part, options, formula, chosen, order=True)
        return kept[id(part)]

    def fitted(part: Comparisons) -> BradleyTerryResult:
        from socialstats.studies.pair_model import default_cluster, fit_model

        return fit_model(part, options, formula, cluster=default_cluster(part))

    levels = {name: one_level(name, part, options, fitted) for name, part in parts.items()}
    order = [name for name in parts if name != reference]
    problems: list[str] = []
    left: list[Caution] = []
    found: dict[str, dict[str, Result]] = {"s": {}, "models": {}, "entropy": {}}
    for name in order:
        labels = (name, reference)
        one, two, pairs, dropped = on_common_pairs(parts[name], parts[reference])
        left += [replace(c, detail=f"{shorten(name)} and {shorten(reference)}: {c.detail}") for c in dropped]

        def models(one: Comparisons = one, two: Comparisons = two, labels: Any = labels, pairs: int = pairs) -> Result:
            if options.penalty or options.prior:
                raise UndefinedStatistic("a penalty or prior was used: no refits")
            return difference(again(one), again(two), labels, options, pairs)

        def of_s(one: Comparisons = one, two: Comparisons = two, labels: Any = labels) -> Result:
            return sensitivity_difference(one, two, options.covariate, labels=labels, resamples=options.resamples,
                                          seed=options.seed, level=options.level)  # fmt: skip

        def of_entropy(one: Comparisons = one, two: Comparisons = two, labels: Any = labels) -> Result:
            return choice_entropy_difference(one, two, labels=labels, level=options.level)

        for what, make in (("s", of_s), ("models", models), ("entropy", of_entropy)):
            if what == "s" and not by_covariate:
                continue
            try:
                found[what][name] = make()
            except SocialStatsError as error:
                problems.append(f"{shorten(name)} minus {shorten(reference)}: {str(error).split(chr(10))[0]}")
    return Numbers(
        reference=reference, levels=levels, **found, problems=tuple(problems), left=tuple(left),
        ranges=ranges(levels, options) if by_covariate else {},
    )  # fmt: skip


def ranges(levels: Mapping[str, Level], options: StudyOptions) -> dict[str, tuple[Result, ...]]:
    """Return the multiverses of S and of the effect of the covariate for each level."""
    found: dict[str, tuple[Result, ...]] = {}
    for name, level in levels.items():
        if level.s is not None:
            groups = item_groups(level.design)
            found[name] = (
                of_sensitivity(level.design, level.s, groups, options, clusters=False),
                of_effect(level.design, level.fit, groups, options, clusters=False),
            )
    return found


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
            {k: v.rates for k, v in numbers.levels.items()}, numbers.models, by, numbers.reference, options,
        ),
        shares_block(numbers.models, numbers.reference),
        strengths_block(fits, numbers.models, numbers.reference),
        entropy_block(numbers.entropy, by, numbers.reference),
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


def answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the verdicts: which levels follow the covariate more or less than the reference, or are preferred."""
    if numbers.s:
        return s_answer(numbers, options)
    said = []
    for name, result in numbers.models.items():
        rows, _ = with_holm([r for r in result.rows if r.group == "strength"], f"strengths, {name}")
        differ = [r for r in rows if r.p_adjusted is not None and r.p_adjusted < 1 - options.level]
        top = max(differ, key=lambda r: abs(r.statistic or 0.0), default=None)
        text = f"'{shorten(name)}' and '{shorten(numbers.reference)}': "
        text += f"{count(len(differ))} of {count(len(rows), 'strength')} differ (Holm)"
        if top is not None:
            text += f", most '{shorten(top.term, 40)}' by {number(top.estimate)} "
            text += f"log-odds, {interval(top.conf_low, top.conf_high, level=options.level)}"
        said.append(f"{text}." if differ else f"{text}: the data do not settle whether any do.")
    return tuple(said) or ("No difference could be computed; see the problems below.",)


def s_answer(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the answer about S: how many levels differ, and the largest difference."""
    rows, _ = with_holm(s_rows(numbers.s), "differences in S")
    ref, cov = f"'{shorten(numbers.reference)}'", options.covariate
    alpha = 1 - options.level
    tests = {r.term: (r.p_adjusted if r.p_adjusted is not None else r.p_value) for r in rows}
    settled = [r for r in rows if (p := tests[r.term]) is not None and p < alpha]
    closer = [r for r in settled if (r.estimate or 0.0) < 0]
    farther = [r for r in settled if (r.estimate or 0.0) > 0]
    open_ = [shorten(r.term, 30) for r in rows if r not in settled]
    parts = []
    for found, word in ((closer, "closer to"), (farther, "farther from")):
        if found:
            parts.append(f"{listing([shorten(r.term, 30) for r in found], most=4)} "
                         f"{'is' if len(found) == 1 else 'are'} {word} following {cov} than {ref}")  # fmt: skip
    if open_:
        parts.append(f"for {listing(open_, most=4)} the data do not settle which is closer to following {cov}")
    most = max(rows, key=lambda r: abs(r.statistic or 0.0))
    test = p_value(tests[most.term]) if tests[most.term] is not None else str(most.undefined)
    first = (
        f"{'; '.join(parts)}. Difference in S, {shorten(most.term, 40)} minus {shorten(numbers.reference, 40)}: "
        f"{number(most.estimate)}, {interval(most.conf_low, most.conf_high, level=options.level)}, {test}"
        f"{' (Holm)' if len(rows) > 1 else ''}."
    )
    higher = {k: v.rates.row("all", group="higher") for k, v in numbers.levels.items() if v.rates is not None}
    low, high = (pick(higher, key=lambda k: higher[k].estimate or 0.0) for pick in (min, max))
    second = (
        f"The higher {cov} won from {percent(higher[low].estimate)} ({shorten(low, 40)}) to "
        f"{percent(higher[high].estimate)} ({shorten(high, 40)}) of the time."
    )
    return (first[0].upper() + first[1:], second, *effect_answer(numbers, options))


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
    tests = {r.term: (r.p_adjusted if r.p_adjusted is not None else r.p_value) for r in rows}
    settled = [r for r in rows if (p := tests[r.term]) is not None and p < 1 - options.level]
    most = max(rows, key=lambda r: abs(r.statistic or 0.0))
    return (
        f"With roles of every strength held equal, one step of {options.covariate} weighs differently than for "
        f"'{shorten(numbers.reference)}' in {count(len(settled))} of {count(len(rows), 'level')}"
        f"{' (Holm)' if len(rows) > 1 else ''}; {shorten(most.term, 40)} minus {shorten(numbers.reference, 40)}: "
        f"{number(most.estimate)} log-odds, {interval(most.conf_low, most.conf_high, level=options.level)}.",
    )


def s_rows(found: Mapping[str, Result]) -> list[Row]:
    """Return the differences in S by level: corrected for noise where that exists."""
    rows = []
    for name, result in found.items():
        row = result.row("S_corrected", group="difference")
        row = row if row.estimate is not None else result.row("S", group="difference")
        rows.append(replace(row, term=name, group=None))
    return rows


def cautions_of(numbers: Numbers, design: Comparisons) -> tuple[Caution, ...]:
    """Return the cautions of the table, of every level and of the differences."""
    levels = [c for v in numbers.levels.values() for r in (v.fit, v.s) if r is not None for c in r.cautions]
    pairs = [c for group in (numbers.s, numbers.models, numbers.entropy) for r in group.values() for c in r.cautions]
    return order_cautions(numbers.left, tuple(pairs), tuple(levels), design.cautions)


def level_table(numbers: Numbers, by: str) -> Table:
    """Count rows, pairs and ties of every level; and what could not be computed."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (name, v.design.n_rows, len(v.design.pair.levels), v.design.n_ties, "reference" if name == numbers.reference
         else "; ".join(p for p in numbers.problems if p.startswith(f"{shorten(name)} minus ")))
        for name, v in numbers.levels.items()
    ]  # fmt: skip
    return Table(caption=f"What each level of {by} has", header=(by, "Rows", "Pairs", "Ties", "Note"),
                 cells=tuple(cells))  # fmt: skip


def methods(numbers: Numbers, options: StudyOptions) -> str:
    """Return the methods paragraph."""
    return (
        f"Every level is compared with '{shorten(numbers.reference)}' on the pairs of items that both have. Pairs are "
        f"resampled in both together (seed {options.seed}), so what makes a pair hard for both cancels; p-values of a "
        "family are adjusted by Holm's method. Entropies are compared by paired t tests over pairs."
    )


def checked(numbers: Numbers) -> dict[str, Result]:
    """Return the results that other packages recompute, by name."""
    found: dict[str, Result] = {}
    for name, level in numbers.levels.items():
        found[f"{shorten(name, 40)}: strengths and effects"] = level.fit
    return found | {f"{shorten(name, 40)} minus reference: S": r for name, r in numbers.s.items()}


STUDY = Study(
    name="compare",
    title="How do models (or prompts) differ on the same pairs of items?",
    design="comparisons",
    needs="item_a, item_b, winner, and by= a column with two models or prompts at least",
    suits=lambda design: design.by is not None and len(design.by.levels) > 1,
    run=run,
    levels=run,
)
