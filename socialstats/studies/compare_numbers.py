"""What the compare study computes: every level by itself, and every level minus the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.views import without_cited
from socialstats.errors import Caution, InputError, SocialStatsError, UndefinedStatistic
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.choice_entropy import choice_entropy_difference
from socialstats.metrics.sensitivity import sensitivity, sensitivity_difference
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.compare_items import item_changes
from socialstats.studies.compare_refits import Refitted, difference, on_common_pairs, refit
from socialstats.studies.comparisons import further_groups, item_groups
from socialstats.studies.order_effect import Pairs, without_order
from socialstats.studies.pair_model import default_cluster, fit_model
from socialstats.studies.urgency_multiverse import of_effect, of_sensitivity, single
from socialstats.text import listing, shorten

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

    `items` say how often each item is chosen, story by story; `problems` which differences do not exist; `left` which
    pairs of items only one of two levels has; `beside` has the fit of every level without its order effect.
    """

    reference: str
    levels: Mapping[str, Level]
    s: Mapping[str, Result]
    models: Mapping[str, Result]
    entropy: Mapping[str, Result]
    items: Mapping[str, Result]
    ranges: Mapping[str, tuple[Result, ...]]
    beside: Pairs
    problems: tuple[str, ...] = ()
    left: tuple[Caution, ...] = ()


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


def one_level(name: str, design: Comparisons, options: StudyOptions, formula: str | None) -> Level:
    """Compute one level by itself."""
    try:
        fit = fit_model(design, options, formula, cluster=default_cluster(design))
        if not has_covariate(design, options):
            return Level(design=design, fit=fit)
        groups = next(iter(item_groups(design).values()), None)
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


@dataclass(slots=True, kw_only=True)
class Comparing:
    """What every difference needs: how the models are refitted (each part once), and what went wrong so far."""

    options: StudyOptions
    reference: str
    formula: str | None
    groupings: Mapping[str, Mapping[str, Any]]
    kept: dict[int, tuple[Comparisons, Refitted]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def refitted(self, part: Comparisons) -> Refitted:
        """Return a part's model with its refits, made once."""
        if id(part) not in self.kept:
            made = refit(part, self.options, self.formula, self.groupings)
            self.kept[id(part)] = part, made  # holds the part, so that its id is not used again
        return self.kept[id(part)][1]

    def attempt(self, name: str, make: Callable[[], Result]) -> dict[str, Result]:
        """Return a difference by its level; nothing, and a problem, where it does not exist."""
        try:
            return {name: make()}
        except SocialStatsError as error:
            said = f"{shorten(name)} minus {shorten(self.reference)}: {str(error).split(chr(10))[0]}"
            self.problems.append(said)
            return {}

    def models(self, one: Comparisons, two: Comparisons, labels: tuple[str, str], pairs: int) -> Result:
        """Return the differences of strengths, effects and shares, refitted together."""
        if self.options.penalty or self.options.prior:
            raise UndefinedStatistic("a penalty or prior was used: no refits")
        return difference(self.refitted(one), self.refitted(two), labels, self.options, pairs)

    def s(self, one: Comparisons, two: Comparisons, labels: tuple[str, str]) -> Result:
        """Return the difference in S, paired by pairs of items."""
        return sensitivity_difference(one, two, self.options.covariate, labels=labels, seed=self.options.seed,
                                      resamples=self.options.resamples, level=self.options.level)  # fmt: skip


def compute(design: Comparisons, options: StudyOptions) -> Numbers:
    """Compute every level by itself and every difference from the reference."""
    parts = {name: replace(part, by=None) for name, part in without_cited(design).split().items()}
    reference = reference_of(tuple(parts), options.reference)
    by_covariate = has_covariate(design, options)
    formula = f"~ {options.covariate}" if by_covariate else None
    doing = Comparing(options=options, reference=reference, formula=formula, groupings=groupings_of(design, options))
    levels = {name: one_level(name, part, options, formula) for name, part in parts.items()}
    beside = {k: pair for name, level in levels.items()
              for k, pair in without_order(level.fit, level.design, options, formula, name).items()}  # fmt: skip
    left: list[Caution] = []
    found: dict[str, dict[str, Result]] = {"s": {}, "models": {}, "entropy": {}, "items": {}}
    for name in (name for name in parts if name != reference):
        labels = (name, reference)
        one, two, pairs, dropped = on_common_pairs(parts[name], parts[reference])
        left += [replace(c, detail=f"{shorten(name)} and {shorten(reference)}: {c.detail}") for c in dropped]
        makers: dict[str, Callable[[], Result]] = {
            "s": partial(doing.s, one, two, labels), "models": partial(doing.models, one, two, labels, pairs),
            "entropy": partial(choice_entropy_difference, one, two, labels=labels, level=options.level),
            "items": partial(item_changes, one, two, labels, level=options.level),
        }  # fmt: skip
        for what, make in makers.items():
            if what != "s" or by_covariate:
                found[what] |= doing.attempt(name, make)
    return Numbers(
        reference=reference, levels=levels, **found, problems=tuple(doing.problems), left=tuple(left),
        ranges=ranges(levels, options) if by_covariate else {}, beside=beside,
    )  # fmt: skip


def groupings_of(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the items: of the table's columns (or the one asked for), and from beside the table."""
    found = item_groups(design)
    if options.group is not None and options.group in found:
        found = {options.group: found[options.group]}
    return found | further_groups(design, options)


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
