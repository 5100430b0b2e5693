"""Differences of models on the same units, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.bradley_terry.difference import bradley_terry_difference
from socialstats.choices.choice_entropy import choice_entropy_difference
from socialstats.choices.conditions import common_pairs
from socialstats.choices.sensitivity import sensitivity, sensitivity_difference
from socialstats.choices.win_rate_difference import win_rate_difference
from socialstats.choices.win_rates import win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import without_cited
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic
from socialstats.results import Result
from socialstats.studies.comparisons import (
    Pairs,
    choose_groups,
    fit_model,
    further_groups,
    item_groups,
    without_order,
)
from socialstats.studies.estimates import single
from socialstats.studies.page import StudyOptions, check_named, reason_of
from socialstats.studies.role_conflict.variants import effect_variants, sensitivity_variants
from socialstats.text import quoted, shorten

STRENGTHS = "strengths"
DEFAULTS = ("default", "baseline", "base", "none", "no persona", "original", "control", "neutral")


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
class Numbers:
    """Every level by itself, and every other level minus the reference, by level.

    `items` say how often each item is chosen, story by story; `silent` why further levels have no choice; `problems`
    which differences do not exist. `untested` says why no difference of a kind does, `left` which pairs of items only
    one of two levels has. `beside` has the fit of every level without its order effect.
    """

    reference: str
    levels: Mapping[str, Level]
    s: Mapping[str, Result]
    models: Mapping[str, Result]
    entropy: Mapping[str, Result]
    items: Mapping[str, Result]
    ranges: Mapping[str, tuple[Result, ...]]
    beside: Pairs
    silent: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    untested: Mapping[str, str] = field(default_factory=dict)
    left: tuple[Caution, ...] = ()

    @property
    def fits(self) -> dict[str, BradleyTerryResult]:
        """The model of every level that has one."""
        return {name: level.fit for name, level in self.levels.items() if level.fit is not None}

    def why(self, what: str) -> dict[str, str]:
        """State why levels have no such number, by level."""
        found = {
            name: reason_of(level.lost[what])
            for name, level in self.levels.items()
            if what in level.lost
        }
        return found | dict(self.silent)

    @property
    def own_s(self) -> dict[str, Result]:
        """S of every level by itself."""
        return {name: level.s for name, level in self.levels.items() if level.s is not None}


def reference_of(names: tuple[str, ...], wanted: str | None) -> str:
    """Return the level that the others are compared with: the one asked for, one called default, or the first."""
    check_named("reference", wanted, names, "level")
    if wanted is not None:
        return wanted
    return next(
        (name for word in DEFAULTS for name in names if name.casefold().strip() == word), names[0]
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

    def tried(what: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except InputError as error:
            error.args = (f"{shorten(name)}: {error}",)
            raise
        except SocialStatsError as error:
            lost[what] = error
            return None

    fit = tried(STRENGTHS, lambda: fit_model(design, options, formula))
    if formula is None:
        return Level(design=design, fit=fit, lost=lost)
    groups = next(iter(item_groups(design).values()), None)
    s = tried(
        "S",
        lambda: single(sensitivity(design, options.covariate, groups=groups, **options.chosen())),
    )
    rates = tried(
        "win rates",
        lambda: single(win_rates(design, options.covariate, weights="pooled", level=options.level)),
    )
    ratio = None
    if fit is not None:
        with suppress(UndefinedStatistic):
            ratio = fit.effect_in_sds(options.covariate, level=options.level)
    return Level(design=design, fit=fit, s=s, rates=rates, ratio=ratio, lost=lost)


def compute(design: Comparisons, options: StudyOptions) -> Numbers:
    """Compute every level by itself and every difference from the reference."""
    parts = {name: replace(part, by=None) for name, part in without_cited(design).split().items()}
    reference = reference_of(tuple(parts), options.reference)
    by_covariate = has_covariate(design, options)
    formula = options.formula if by_covariate else None
    groupings = groupings_of(design, options)
    levels = {name: one_level(name, part, options, formula) for name, part in parts.items()}
    if all(level.fit is None and level.s is None for level in levels.values()):
        name, error = next(
            (name, error) for name, level in levels.items() for error in level.lost.values()
        )
        error.args = (f"{shorten(name)}: {error}",)
        raise error
    beside = {
        k: pair
        for name, level in levels.items()
        if level.fit is not None
        for k, pair in without_order(level.fit, level.design, options, formula, name).items()
    }
    kept: dict[
        int, tuple[Comparisons, BradleyTerryResult]
    ] = {}  # holds each part, so that its id is not used again

    def fitted(part: Comparisons) -> BradleyTerryResult:
        if id(part) not in kept:
            kept[id(part)] = (
                part,
                fit_model(part, options, formula, cluster="declared" if part.declared else "pair"),
            )
        return kept[id(part)][1]

    def models(one: Comparisons, two: Comparisons, labels: tuple[str, str]) -> Result:
        return bradley_terry_difference(
            fitted(one), fitted(two), labels=labels, groups=groupings, level=options.level
        )

    s_options: dict[str, Any] = {
        "seed": options.seed,
        "resamples": options.resamples,
        "level": options.level,
    }
    left: list[Caution] = []
    problems: list[str] = []
    untested: dict[str, str] = {}
    found: dict[str, dict[str, Result]] = {"s": {}, "models": {}, "entropy": {}, "items": {}}
    for name in (name for name in parts if name != reference):
        labels = (name, reference)
        try:
            one, two, _, dropped = common_pairs(parts[name], parts[reference], "drop")
        except SocialStatsError as error:
            problems.append(
                f"{shorten(name)} minus {shorten(reference)}: {str(error).splitlines()[0]}"
            )
            continue
        left += [replace(c, detail=f"{quoted([name, reference])}: {c.detail}") for c in dropped]
        makers: dict[str, Callable[[], Result]] = {
            "s": partial(
                sensitivity_difference, one, two, options.covariate, labels=labels, **s_options
            ),
            "models": partial(models, one, two, labels),
            "entropy": partial(
                choice_entropy_difference, one, two, labels=labels, level=options.level
            ),
            "items": partial(win_rate_difference, one, two, labels=labels, level=options.level),
        }
        for what, make in makers.items():
            if (what == "s" and not by_covariate) or (
                options.brief and by_covariate and what in ("models", "items")
            ):
                continue
            try:
                found[what][name] = make()
            except SocialStatsError as error:
                why = str(error).split("\n")[0]
                problems.append(f"{shorten(name)} minus {shorten(reference)}: {why}")
                untested.setdefault(what, why)
    return Numbers(
        reference=reference,
        levels=levels,
        **found,
        silent=design.silent(),
        problems=tuple(problems),
        left=tuple(left),
        untested={what: why for what, why in untested.items() if not found[what]},
        ranges=ranges(levels, options) if by_covariate and not options.brief else {},
        beside=beside,
    )


def groupings_of(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the items: of the table's columns (or the one asked for), and from beside the table."""
    return choose_groups(design, options) | further_groups(design, options)


def ranges(levels: Mapping[str, Level], options: StudyOptions) -> dict[str, tuple[Result, ...]]:
    """Return the multiverses of S and of the effect of the covariate for each level."""
    found: dict[str, tuple[Result, ...]] = {}
    for name, level in levels.items():
        if level.s is not None:
            groups = item_groups(level.design)
            s, fit = (
                sensitivity_variants(level.design, level.s, groups, options, clusters=False),
                level.fit,
            )
            effect = (
                None
                if fit is None
                else effect_variants(level.design, fit, groups, options, clusters=False)
            )
            found[name] = (s,) if effect is None else (s, effect)
    return found
