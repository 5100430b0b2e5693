"""Study of models or prompts that choose on the same stories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.bradley_terry.difference import bradley_terry_difference
from socialstats.choices.bradley_terry.model import ORDER
from socialstats.choices.choice_entropy import choice_entropy_difference
from socialstats.choices.conditions import common_pairs
from socialstats.choices.preference_shares import preference_shares
from socialstats.choices.sensitivity import reference_values, sensitivity, sensitivity_difference
from socialstats.choices.win_rate_difference import win_rate_difference
from socialstats.choices.win_rates import win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import without_cited
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_rows, attempt_result, page_of
from socialstats.studies.compare.differences import (
    DEFAULTS,
    Differences,
    ask_differences,
    compare_levels,
    difference_sentences,
    reference_of,
)
from socialstats.studies.comparisons import (
    Pairs,
    change_cautions,
    choose_groups,
    choosers_table,
    fit_diagnostics,
    fit_model,
    further_groups,
    item_groups,
    order_question,
    sizes_text,
    unmatched_items,
    without_order,
)
from socialstats.studies.estimates import probability_methods, single
from socialstats.studies.models import comparison, lead_words, verdict_on_levels, verdict_on_models
from socialstats.studies.multiverse import other_analyses, variants_table
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    StudyOptions,
    order_cautions,
    reason_of,
)
from socialstats.studies.role_conflict.variants import (
    effect_variants,
    refusals_by_level,
    sensitivity_variants,
)
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import add_labels, pick_rows, rows_by
from socialstats.studies.row_sentences import span_sentence
from socialstats.studies.row_tables import grid_table, kind_tables
from socialstats.studies.sources import replies_by
from socialstats.text import as_words, count, listing, number, percent_of, quoted, shorten
from socialstats.voice import option

__all__ = ["reference_of", "run"]

STRENGTHS = "strengths"
MOST_TOLD = 6  # levels with a finding of their own that are written out


# compute


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What exists for one level by itself; `s`, `rates` and `ratio` only with a covariate; `lost` says why not more."""

    design: Comparisons
    fit: BradleyTerryResult | None
    s: Result | None = None
    rates: Result | None = None
    ratio: Result | None = None
    lost: Mapping[str, SocialStatsError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Every level by itself, and every other level minus the reference.

    Attributes
    ----------
    design : Comparisons
    options : StudyOptions
    reference : str
    levels : mapping of str to Level
    silent : mapping of str to str
        Why further levels have no choice.
    beside : mapping
        The fit of every level without its order effect.
    groupings : mapping
        Groups of the items, by the name of the grouping.
    found : mapping of str to mapping of level to Result
        Differences of sensitivity (``s``), of strengths, effects and shares (``models``), of ``entropy``, and of how
        often each item is chosen (``items``).
    problems : tuple of str
        Which differences do not exist.
    left : tuple of Caution
        Which pairs of items only one of two levels has.
    """

    design: Comparisons
    options: StudyOptions
    reference: str
    levels: Mapping[str, Level]
    silent: Mapping[str, str]
    beside: Pairs
    groupings: Mapping[str, Mapping[str, Any]]
    found: Mapping[str, Mapping[str, Result]]
    problems: tuple[str, ...]
    left: tuple[Caution, ...]

    @property
    def fits(self) -> dict[str, BradleyTerryResult]:
        """The model of every level that has one."""
        return {name: level.fit for name, level in self.levels.items() if level.fit is not None}

    @property
    def own_s(self) -> dict[str, Result]:
        """S of every level by itself."""
        return {name: level.s for name, level in self.levels.items() if level.s is not None}

    def why(self, what: str) -> dict[str, str]:
        """State why levels have no such number, by level."""
        lost = {name: level.lost.get(what) for name, level in self.levels.items()}
        reasons = {name: reason_of(error) for name, error in lost.items() if error is not None}
        return reasons | dict(self.silent)

    def differ(
        self, name: str, kind: str, dimension: str = "number", **picks: Any
    ) -> Differences | None:
        """Return the differences of a kind from the reference; `picks` are fields of its rows."""

        def pick(result: Result) -> list[Row]:
            return [
                row
                for row in result.rows
                if all(getattr(row, field) == value for field, value in picks.items())
            ]

        return compare_levels(name, self.reference, self.found[kind], pick, dimension=dimension)


def compute(design: Comparisons, options: StudyOptions) -> Choices:
    """Compute every level by itself and every difference from the reference."""
    parts = {name: replace(part, by=None) for name, part in without_cited(design).split().items()}
    reference = reference_of(tuple(parts), options.reference)
    by_covariate = has_covariate(design, options)
    formula = options.formula if by_covariate else None
    groupings = choose_groups(design, options) | further_groups(design, options)
    levels = {name: one_level(name, part, options, formula) for name, part in parts.items()}
    lost = [(name, error) for name, level in levels.items() for error in level.lost.values()]
    if lost and all(level.fit is None and level.s is None for level in levels.values()):
        name, error = lost[0]
        error.args = (f"{shorten(name)}: {error}",)
        raise error
    fits = {name: level.fit for name, level in levels.items() if level.fit is not None}
    skipped = {"models", "items"} if options.brief and by_covariate else set()
    skipped |= set() if by_covariate else {"s"}
    left: list[Caution] = []
    problems: list[str] = []
    results: dict[str, dict[str, Result]] = {"s": {}, "models": {}, "entropy": {}, "items": {}}
    fitted_parts: list[tuple[Comparisons, BradleyTerryResult]] = []

    def fitted(part: Comparisons) -> BradleyTerryResult:
        """Return the fit of a table, which is that of the reference for each level on the same pairs."""
        for table, fit in fitted_parts:
            if table is part:
                return fit
        cluster = "declared" if part.declared else "pair"
        fitted_parts.append((part, fit_model(part, options, formula, cluster=cluster)))
        return fitted_parts[-1][1]

    def strengths(part_a: Comparisons, part_b: Comparisons, **how: Any) -> Result:
        return bradley_terry_difference(fitted(part_a), fitted(part_b), groups=groupings, **how)

    for name in (name for name in parts if name != reference):
        versus = f"{shorten(name)} minus {shorten(reference)}"
        try:
            part_a, part_b, _, dropped = common_pairs(parts[name], parts[reference], "drop")
        except SocialStatsError as error:
            problems.append(f"{versus}: {reason_of(error)}")
            continue
        left += [replace(c, detail=f"{quoted([name, reference])}: {c.detail}") for c in dropped]
        how: dict[str, Any] = {"labels": (name, reference), "level": options.level}
        drawn = options.chosen("seed", "resamples")
        makers: dict[str, Callable[[], Result]] = {
            "s": partial(sensitivity_difference, part_a, part_b, options.covariate, **drawn, **how),
            "models": partial(strengths, part_a, part_b, **how),
            "entropy": partial(choice_entropy_difference, part_a, part_b, **how),
            "items": partial(win_rate_difference, part_a, part_b, **how),
        }
        for kind, make in makers.items():
            if kind in skipped:
                continue
            try:
                results[kind][name] = make()
            except SocialStatsError as error:
                problems.append(f"{versus}: {reason_of(error)}")
    return Choices(
        design=design,
        options=options,
        reference=reference,
        levels=levels,
        silent=design.silent(),
        beside=without_order(fits),
        groupings=groupings,
        found=results,
        problems=tuple(problems),
        left=tuple(left),
    )


def has_covariate(design: Comparisons, options: StudyOptions) -> bool:
    """Return whether the covariate that should decide is there, with unequal sides."""
    c = design.covariates.get(options.covariate)
    return c is not None and np.issubdtype(c.a.dtype, np.number) and bool(np.any(c.a != c.b))


def one_level(name: str, design: Comparisons, options: StudyOptions, formula: str | None) -> Level:
    """Compute what exists of one level by itself.

    Raises
    ------
    InputError
        For options that cannot be used, naming the level.
    """
    lost: dict[str, SocialStatsError] = {}

    def attempt(what: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except InputError as error:
            error.args = (f"{shorten(name)}: {error}",)
            raise
        except SocialStatsError as error:
            lost[what] = error
            return None

    fit = attempt(STRENGTHS, lambda: fit_model(design, options, formula))
    if formula is None:
        return Level(design=design, fit=fit, lost=lost)
    covariate, level = options.covariate, options.level
    how: dict[str, Any] = {"groups": next(iter(item_groups(design).values()), None)}
    how |= options.chosen()
    s = attempt("S", lambda: single(sensitivity(design, covariate, **how)))
    rates = attempt(
        "win rates", lambda: single(win_rates(design, covariate, weights="pooled", level=level))
    )
    ratio = None
    if fit is not None:
        with suppress(UndefinedStatistic):
            ratio = fit.effect_in_sds(covariate, level=level)
    return Level(design=design, fit=fit, s=s, rates=rates, ratio=ratio, lost=lost)


# questions


def by_level(results: Mapping[str, Result], group: str | None = None) -> list[Row]:
    """Return the rows (of a group) of the result of each level, with the level in their keys."""
    rows = []
    for level, result in results.items():
        group_rows = [row for row in result.rows if group in (None, row.group)]
        rows += add_labels(group_rows, level=level)
    return rows


def kind_of_sensitivity(results: Mapping[str, Result]) -> str:
    """Return the kind of S that every level has: corrected where that exists, else plug-in."""
    corrected = [result.row("S_corrected").estimate for result in results.values()]
    return "plug_in" if None in corrected else "corrected"


def differences_of_s(choices: Choices) -> Differences | None:
    """Return the differences in S: of the corrected S, or of the plug-in S where a level has no other."""
    results = choices.found["s"]
    gaps = [result.row("S_corrected", group="difference") for result in results.values()]
    corrected = all(row.estimate is not None for row in gaps)
    name = f"{'corrected' if corrected else 'plug-in'} sensitivity S"
    term = "S_corrected" if corrected else "S"
    return choices.differ(name, "s", term=term, group="difference")


def questions(choices: Choices, by: str, led: bool) -> Iterator[Block | None]:
    """Yield the questions in the order of the page; what the comparison of all levels repeats is in the appendix."""
    options, reference = choices.options, shorten(choices.reference, 40)
    named = is_named(choices)
    towards = f"Below 0: closer to following {options.covariate}."
    block = sensitivity_question(choices, by)
    yield block and replace(block, part="appendix" if led else "main")
    yield ask_differences(
        differences_of_s(choices),
        "s",
        f"Which differed from {reference} on the same pairs?",
        note=towards,
        part="appendix" if led and not named else "main",
    )
    yield effects_question(choices, by)
    yield order_question(choices.beside)
    yield shares_question(choices, by)
    yield ask_differences(
        choices.differ("preference shares", "models", "group", group="share"),
        "shares",
        "Did the preferences between groups of items differ?",
        note=sizes_note(choices),
    )
    yield strengths_question(choices)
    yield ask_differences(
        choices.differ("strength", "models", "item", group="strength"),
        "strengths",
        f"Which items differed in strength from {reference}?",
        note="Differences are in log-strengths.",
    )
    yield ask_differences(
        choices.differ("the share chosen", "items", "item", group="item"),
        "items",
        "Which items were chosen more often on the same stories?",
        note="Shares are of the stories of both that are no ties.",
    )
    sizes = choices.differ("entropy (d_z over pairs of items)", "entropy", term="d_z")
    yield ask_differences(
        choices.differ("choice entropy (bits)", "entropy", term="H", group="difference"),
        "entropy",
        f"Which differed from {reference} in choice entropy?",
        note="Above 0: less consistent choices.",
        part="appendix",
        more=[] if sizes is None else kind_tables(sizes.rows, sizes.name),
    )
    yield replies_by(choices.design, options.level)
    if choices.own_s:
        parts = {name: level.design for name, level in choices.levels.items()}
        yield from refusals_by_level(parts, options)
        yield variants_question(choices)


def is_named(choices: Choices) -> bool:
    """Return whether one of several levels was named as the reference, by an option or by its name."""
    chosen = choices.options.reference is not None
    return len(choices.found["s"]) > 1 and (
        chosen or choices.reference.casefold().strip() in DEFAULTS
    )


def sensitivity_question(choices: Choices, by: str) -> Block | None:
    """Ask how far each level was from following the covariate alone, beside reference choosers."""
    results = choices.own_s
    if not results:
        return None
    first, *_ = results.values()
    kind, every = kind_of_sensitivity(results), by_level(results)
    rows = pick_rows(every, part="S", kind=kind)
    lines = reference_values(first)
    named = listing([f"{line.label} {number(line.value)}" for line in lines[:3]])
    name = f"{kind.replace('_', '-')} sensitivity S"
    return ask_rows(
        "levels-s",
        f"How far was each {by} from following {choices.options.covariate} alone?",
        results,
        rows,
        quantity=name,
        say=[span_sentence(rows, f"the {name}"), f"Reference values of S: {named}."],
        draw=interval_points(lines[1].value),
        more=[
            *kind_tables([row for row in every if row not in rows], "S and its parts"),
            choosers_table(first),
        ],
        note=f"Line: {lines[1].label}.",
    )


def effects_question(choices: Choices, by: str) -> Block | None:
    """Ask how large the effects beside the strengths were in each level, and how they differ from the reference."""
    every = [*by_level(choices.fits, "covariate"), *by_level(choices.fits, "order")]
    if not every:
        return None
    lead = choices.options.covariate
    if lead not in {row.term for row in every}:
        lead = every[0].term
    rows = [row for row in every if row.term == lead]
    step = "being shown first" if lead == ORDER else f"one step of {lead}"
    changed = choices.differ("effects", "models", "effect", group="effect")
    differences = () if changed is None else changed.rows
    return ask_rows(
        "levels-effects",
        f"How large was the effect of {lead} in each {by}?",
        choices.fits[rows[0].label("level") or ""],
        rows,
        quantity=f"effect of {step} (log-odds)",
        say=[span_sentence(rows, f"the effect of {step} on the log-odds of being chosen")],
        draw=interval_points(),
        more=[
            *kind_tables([row for row in every if row not in rows], "effect"),
            *kind_tables(beside_effects(choices), "effect in SDs of the strengths, and share won"),
            *kind_tables(differences, "effects"),
        ],
        results=changed.adjusted if changed else (),
        note="Separate fits, adjusted for item strength.",
    )


def beside_effects(choices: Choices) -> list[Row]:
    """Return the effect of the covariate in SDs of the strengths, and the share that it won, in each level."""
    levels = choices.levels.items()
    ratios = {name: level.ratio for name, level in levels if level.ratio is not None}
    rows = [add_labels(ratio.rows[:1], level=name)[0] for name, ratio in ratios.items()]
    return [*rows, *won_rows(choices)]


def won_rows(choices: Choices) -> list[Row]:
    """Return the share of choices that the side with more of the covariate won, in each level."""
    rates = {name: level.rates for name, level in choices.levels.items() if level.rates}
    return [row for row in by_level(rates, "higher") if row.term == "all"]


def sizes_note(choices: Choices) -> str:
    """Return for which items shares hold."""
    sizes = "; ".join(sizes_text(groups) for groups in choices.groupings.values())
    return f"Shares hold for these items: {sizes}."


def shares_question(choices: Choices, by: str) -> Block | None:
    """Ask which groups of items each level preferred; its rows are those of the first grouping."""
    by_grouping: dict[str, dict[str, Result]] = {}
    for grouping, groups in choices.groupings.items():
        for level, fit in choices.fits.items():
            of_items = {item: str(group) for item, group in groups.items() if item in fit.strengths}
            how = {"ci": "delta", "ungrouped": "leave_out", "level": choices.options.level}
            shares = attempt_result(preference_shares, fit, of_items, **how)
            if shares is not None:
                title = f"{shorten(level, 40)}: shares by {grouping}"
                by_grouping.setdefault(grouping, {})[level] = replace(shares, title=title)
    if not by_grouping:
        return None
    first = next(iter(by_grouping.values()))
    rows = by_level(first, "arithmetic")
    tables = [
        grid_table(
            by_level(results), f"Preference shares by {as_words(name)}", ["group", "scale"], "level"
        )
        for name, results in by_grouping.items()
    ]
    return ask_rows(
        "levels-shares",
        f"Which groups of items did each {by} prefer?",
        first,
        rows,
        quantity=f"preference share by {as_words(next(iter(by_grouping)))}",
        say=[
            span_sentence(of_level, f"the share of a group for {shorten(level, 40)}")
            for level, of_level in rows_by(rows, "level").items()
        ],
        draw=interval_points(None, panels="level"),
        table=tables[0],
        more=tables[1:],
        note=f"Share: mean worth of a group over the sum of the group means, from separate fits. {sizes_note(choices)}",
    )


def strengths_question(choices: Choices) -> Block | None:
    """Ask how strong each item was in each level; `why` levels have no strengths, or no differences of these."""
    lost = [
        sentences.no_number(f"the strengths of {shorten(name, 40)}", why, plural=True)
        for name, why in choices.why(STRENGTHS).items()
    ]
    question = "How strong was each item in each level?"
    if not choices.fits:
        return Block(id="levels-strengths", question=question, sentences=tuple(lost))
    rows = by_level(choices.fits, "strength")
    worths = by_level({level: fit.worth() for level, fit in choices.fits.items()})
    if not choices.found["models"]:
        why = listing(choices.problems) if choices.problems else "a page with many levels"
        lost.insert(0, f"Differences in strength were not tested ({why}).")
    return ask_rows(
        "levels-strengths",
        question,
        choices.fits,
        rows,
        quantity="log-strength (0: average item)",
        say=lost,
        draw=interval_points(panels="level"),
        table=grid_table(rows, "Log-strengths (0 = average item)", "item", "level"),
        more=[grid_table(worths, "RPI: worths that sum to 1", "item", "level", name="rpi")],
        note=level_effect_note(choices.fits),
    )


def variants_question(choices: Choices) -> Block | None:
    """Ask whether S and the effect of the covariate depend on the analysis variant, for each level."""
    results: dict[str, Result] = {}
    for name, level in choices.levels.items():
        if level.s is None or choices.options.brief:
            continue
        groups = item_groups(level.design)
        settings = (groups, choices.options)
        results[name] = sensitivity_variants(level.design, level.s, *settings, clusters=False)
        if level.fit is not None:
            effect = effect_variants(level.design, level.fit, *settings, clusters=False)
            results |= {} if effect is None else {f"{name}, effect": effect}
    rows = by_level(results)
    return ask_rows(
        "multiverse",
        other_analyses("the answer"),
        results,
        rows,
        quantity="estimate by analysis variant",
        say=[f"{shorten(name)}: {variants.sentence()}" for name, variants in results.items()],
        names=[f"{row.label('level')}: {row.term}" for row in rows],
        table=variants_table(results, "Estimates by analysis variant"),
        part="appendix",
    )


# answer


def answer(choices: Choices, first: Sequence[Block]) -> list[str]:
    """Return the comparison of all levels and the differences from a named reference; without S, other differences."""
    covariate = choices.options.covariate
    texts: list[str] = []
    compared = [
        choices.differ("strength", "models", "item", group="strength"),
        choices.differ("preference shares", "models", "group", group="share"),
    ]
    if choices.found["s"]:
        texts += lead_words(first)
        gaps = differences_of_s(choices)
        if gaps is not None and (not first or is_named(choices)):
            texts += difference_sentences(gaps)
        texts += [f"Lower S is closer to following {covariate} alone."] * bool(texts)
        won = won_rows(choices)
        share = f"the share of choices won by the side with higher {covariate}"
        texts += [span_sentence(won, share)] if won else []
        name = f"effect of {covariate} (log-odds, adjusted for item strength)"
        compared = [choices.differ(name, "models", group="effect", term=covariate)]
    elif not choices.found["models"]:
        why = "".join(f" For {problem}." for problem in choices.problems)
        what = "difference in strength" if choices.found["items"] else "difference"
        texts.append(f"No {what} could be computed.{why}")
        compared = [choices.differ("the share chosen", "items", "item", group="item")]
    texts += [
        text
        for differences in compared
        if differences
        for text in difference_sentences(differences)
    ]
    silent = choices.silent.items()
    return [
        *texts,
        *(sentences.no_number(f"the result of {shorten(name)}", why) for name, why in silent),
    ]


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Answer: did the levels of the by factor differ on the same pairs of items?"""
    design = design.whole()
    if design.by is None or len(design.by.levels) < 2:
        raise InputError(
            f"study 'compare' needs {option('by')}: a column with the models (or prompts) to compare, "
            "two at least"
        )
    choices, by = compute(design, options), shorten(design.by.name, 40)
    first = comparison(choices.own_s, options, design.by.name, lost=choices.why("S"), led=True)
    blocks = [*first, *questions(choices, by, bool(first))]
    levels = f"{count(len(choices.levels) + len(choices.silent), 'level')} of {by}"
    sizes = f"{count(design.n_rows, 'comparison')}, {count(len(design.items), 'item')}"
    present = [block for block in blocks if block is not None]
    page = page_of(
        "compare",
        f"How did {levels} differ on the same pairs?",
        design,
        options,
        describe=f"{sizes}, {levels}; reference: '{shorten(choices.reference)}'",
        verdict=verdict_on_models(first) or verdict_on_levels(present),
        answer=answer(choices, first),
        leading=checked_results(choices),
        blocks=blocks,
        uses=(),
        cautions=[cautions_of(choices)],
        data=[table_of_levels(choices)],
        diagnostics=diagnostics(choices.levels),
        methods=[*methods(choices), *probability_methods(design)],
    )
    return replace(page, settings=options.echo() | {"reference": choices.reference})


def level_effect_note(fits: Mapping[str, BradleyTerryResult]) -> str:
    """Return the design effect of the clusters, the median over the strengths of each level, for a caption."""
    ratios = [fit.fitted_state.design_effects for fit in fits.values()]
    # they are ratios of standard errors
    effects = [float(np.median(ratio**2)) for ratio in ratios if ratio is not None]
    if not effects:
        return ""
    low, high = number(min(effects)), number(max(effects))
    span = low if low == high else f"{low} to {high}, level by level"
    return f"Design effect of the clusters (median over the strengths): {span}."


def cautions_of(choices: Choices) -> tuple[Caution, ...]:
    """Return the cautions of the levels and of the differences."""
    results = [
        *(one for kind in ("s", "models", "entropy") for one in choices.found[kind].values()),
        *(one for level in choices.levels.values() for one in (level.fit, level.s) if one),
    ]
    return order_cautions(
        change_cautions(choices.beside),
        choices.left,
        *(result.cautions for result in results),
        choices.design.cautions,
        unmatched_items(choices.design, choices.options),
    )


def checked_results(choices: Choices) -> dict[str, Result]:
    """Return the results that other packages recompute, by name."""
    results: dict[str, Result] = {
        f"{shorten(name, 40)}: strengths and effects": fit for name, fit in choices.fits.items()
    }
    for kind, what in (("s", "S"), ("items", "items chosen")):
        for name, result in choices.found[kind].items():
            results[f"{shorten(name, 40)} minus reference: {what}"] = result
    return results


# what was read, and how it was analysed


def table_of_levels(choices: Choices) -> PageTable:
    """Count rows, pairs and ties of every level; and what could not be computed."""
    cells: list[tuple[str | int, ...]] = []
    for name, level in choices.levels.items():
        notes = [f"no {what}: {reason_of(error)}" for what, error in level.lost.items()]
        notes += [text for text in choices.problems if text.startswith(f"{shorten(name)} minus ")]
        note = "; ".join(["reference", *notes] if name == choices.reference else notes)
        design = level.design
        cells.append((name, design.n_rows, len(design.pair.levels), design.n_ties, note))
    cells += [(name, 0, 0, 0, why) for name, why in choices.silent.items()]
    header = ("Level", "Rows", "Pairs", "Ties", "Note")
    return PageTable("What each level has", header, tuple(cells))


def methods(choices: Choices) -> tuple[str, str]:
    """Return the methods: first in brief, then in full."""
    level = percent_of(choices.options.level)
    how = {
        kind: listing(
            list(dict.fromkeys(result.inference for result in choices.found[kind].values()))
        )
        for kind in ("s", "models")
    }
    jackknife = f"{level} CIs of differences in sensitivity S came from the jackknife over pairs. "
    s_tests = f" S: {how['s']}." if how["s"] else ""
    tests = f"Their differences had t tests ({how['models']}). "
    return (
        f"Levels were compared on the same pairs of items. {jackknife if how['s'] else ''}Strengths came from "
        f"Bradley-Terry models with cluster-robust standard errors. {tests if how['models'] else ''}p values were "
        "Holm-adjusted within each kind of difference.",
        f"Every level was compared with {shorten(choices.reference)} on the pairs of items of both. The two models of "
        "strengths were taken as one, whose clusters were matched by their labels, so what both share cancels. Choice "
        f"entropies were compared by paired t tests over pairs.{s_tests}",
    )


def diagnostics(levels: Mapping[str, Level]) -> list[Diagnostic]:
    """Return the checks of every level's fit; levels with the same finding share a sentence."""
    at_levels = {
        name: fit_diagnostics(level.fit, level.design, *map(reason_of, [*level.lost.values()][:1]))
        for name, level in levels.items()
    }
    return [
        together(dict(zip(at_levels, checks, strict=True)))
        for checks in zip(*at_levels.values(), strict=True)
    ]


def together(diagnostics: Mapping[str, Diagnostic]) -> Diagnostic:
    """Join the findings of one check.

    Examples
    --------
    >>> one = Diagnostic(check="Even?", found="Yes.", so_what="Fine.")
    >>> together({"a": one, "b": one}).found
    'All 2 levels: Yes.'
    >>> together({"a": one, "b": replace(one, found="No.")}).found
    'a: Yes. b: No.'
    """
    names: dict[str, list[str]] = {}
    for name, diagnostic in diagnostics.items():
        names.setdefault(diagnostic.found, []).append(shorten(name, 30))
    texts = [f"{listing(levels, most=4)}: {finding}" for finding, levels in names.items()]
    if len(names) == 1:
        texts = [f"All {count(len(diagnostics), 'level')}: {finding}" for finding in names]
    more = len(texts) - MOST_TOLD
    if more > 0:
        texts[MOST_TOLD:] = [f"{count(more, 'more finding')} on the pages of single levels."]
    implications = dict.fromkeys(diagnostic.so_what for diagnostic in diagnostics.values())
    check = next(iter(diagnostics.values())).check
    return Diagnostic(check=check, found=" ".join(texts), so_what=" ".join(implications))
