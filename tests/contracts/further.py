"""Calls of results that follow from others on thin tables: comparisons of models, fits, families, margins, power."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import socialstats as ss
from socialstats.results import Result
from socialstats.scales.model_numbers import COMPARISON_RULES
from tests.contracts.subjects import ITEMS, run, subject_of

Calls = Iterator[tuple[str, Callable[[], Any]]]
METHODS = (
    "holm",
    "bonferroni",
    "hochberg",
    "hommel",
    "sidak",
    "holm_sidak",
    "bh",
    "by",
    "max_t",
    "max_t_single_step",
)
FITS: dict[str, dict[str, Any]] = {
    "workers": {},
    "pairs": {"cluster": "pair"},
    "rows": {"cluster": None},
    "ties": {"ties": "davidson"},
    "thresholds": {"ties": "rao_kupper", "cluster": None},
    "covariate": {"formula": "~ urgency"},
    "penalty": {"penalty": "firth", "cluster": None},
}
STEPS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("worth", (), {}),
    ("quasi_variances", (), {}),
    ("pairwise", (), {}),
    ("pairwise", (), {"adjust": "bh"}),
    ("ranks", (), {}),
    ("ranks", (), {"kind": "simultaneous", "draws": 500}),
    ("goodness_of_fit", (), {}),
    ("goodness_of_fit", (), {"cells": "pair"}),
    ("goodness_of_fit", (), {"cells": "total"}),
    ("contrast", ({"ash": 1.0, "birch": -0.5, "oak": -0.5},), {"level": 0.9}),
    ("contrast", ({"ash": 1.0, "birch": -1.0},), {"test": "equivalence", "margin": 0.5}),
    ("contrast", ({"ash": 1.0, "birch": -1.0},), {"alternative": "greater"}),
    ("win_probability", ("ash", "oak"), {}),
    ("predict", ("ash", "oak"), {"first": "a"}),
    ("effect_in_sds", ("urgency",), {}),
    ("bootstrap", (), {"resamples": 100}),
    ("bootstrap", (), {"resamples": 100, "by": "row", "ci": "basic"}),
)
MARGINS = ({"margin": 0.3}, {"low": -0.2, "high": 0.5}, {"margin": 0.3, "test": "noninferiority"})
TWO: dict[str, tuple[str, tuple[dict[str, Any], ...]]] = {
    "sensitivity_difference": (
        "win_rates",
        ({}, {"weights": "pooled"}, {"ci": "basic"}, {"level": 0.8}, {"alternative": "less"}),
    ),
    "choice_entropy_difference": (
        "win_rates",
        (
            {"unmatched": "drop"},
            {"level": 0.8, "unmatched": "drop"},
            {"alternative": "less", "unmatched": "drop"},
        ),
    ),
    "ratings_difference": ("mean_ratings", ({}, {"level": 0.8})),
}


def made(name: str, table: str, seed: int = 7, **options: Any) -> Any:
    """Return a metric of one of the thin tables, or of the whole one."""
    subject = subject_of(name)
    rows = subject.thin(seed)[table] if table else subject.rows(seed)
    return run(name, subject.design(rows), **options)


def of_models(name: str) -> Calls:
    """Yield comparisons of three tables of a metric by their first numbers, and of means over their models."""
    for table in ("", "uneven clusters", "five clusters"):
        results = {f"m{k}": made(name, table, 7 + k) for k in range(3)}
        numbers = list(COMPARISON_RULES[name].further(results["m0"]))[:2]
        for number, average in product((None, *numbers), (False, True)):
            call = partial(ss.compare_models, results, number, average=average, level=0.9)
            yield f"derived, compare_models, {name}, {table}, {number}, average={average}", call


def of_fits(way: str) -> Calls:
    """Yield what follows from a fit of few clusters, and of clusters that differ in size."""
    for table in ("five clusters", "eleven workers"):
        fit = made("bradley_terry", table, **FITS[way])
        for name, arguments, given in STEPS:
            call = partial(getattr(fit, name), *arguments, **given)
            yield f"derived, {way} of {table}, {name}{(*arguments, *given.items())}", call
        yield f"derived, {way} of {table}, anova", partial(without_covariate, fit)


def of_two_fits() -> Calls:
    """Yield differences of two fits that share their clusters, and of two that have none in common."""
    groups = {"length": {item: ("long", "short")[len(item) > 3] for item in ITEMS}}
    for table, way in product(
        ("five clusters", "eleven workers", "uneven clusters"), ("workers", "pairs", "rows")
    ):
        fits = [made("bradley_terry", table, seed, **FITS[way]) for seed in (7, 8)]
        for given in ({}, {"groups": groups, "level": 0.9}):
            call = partial(ss.bradley_terry_difference, *fits, **given)
            yield f"derived, bradley_terry_difference, {table}, {way}, {[*given]}", call


def without_covariate(fit: Any) -> Any:
    return fit.anova(fit.update("~ 1"))


def of_families(name: str) -> Calls:
    """Yield adjusted p-values and intervals of a family of tests."""
    for table, way in product(("five clusters", "uneven clusters"), METHODS):
        yield f"derived, adjust, {name}, {table}, {way}", partial(adjusted, name, table, way)


def adjusted(name: str, table: str, way: Any) -> Result:
    return ss.adjust(made(name, table), method=way, draws=1000)


def of_margins() -> Calls:
    """Yield tests against margins, of results of each kind."""
    names = ("paired_difference", "two_means", "mcnemar", "two_proportions")
    for name, table, margin in product(names, ("", "five clusters", "few units"), MARGINS):
        yield (
            f"derived, equivalence, {name}, {table}, {margin}",
            partial(against, name, table, margin),
        )


def against(name: str, table: str, margin: dict[str, Any]) -> Any:
    return ss.equivalence(made(name, table), **margin)


def of_power() -> Calls:
    """Yield the power, the size and the effect of studies, each from the two others."""
    for side, by in product(("two_sided", "greater", "less"), ("formula", "simulation")):
        sign = -1 if side == "less" else 1
        for given in (
            {"n": 20, "effect": 0.5 * sign},
            {"n": 9, "power": 0.7},
            {"effect": 0.6 * sign, "power": 0.9},
        ):
            options: dict[str, Any] = {
                **given,
                "alternative": side,
                "by": by,
                "simulations": 200,
                "alpha": 0.04,
            }
            yield f"derived, power_paired_t, {options}", partial(ss.power_paired_t, **options)
            options = {("clusters" if k == "n" else k): x for k, x in options.items()} | {
                "size": 4,
                "icc": 0.2,
            }
            yield (
                f"derived, power_clustered_mean, {options}",
                partial(ss.power_clustered_mean, **options),
            )
    sizes = (
        {"n": 40, "effect": 0.2},
        {"n": 30, "power": 0.5},
        {"effect": 0.25, "power": 0.7},
        {"effect": 0.35, "power": 0.6},
        {"n": 40, "effect": -0.2, "by": "simulation", "simulations": 200},
    )
    for test, size in product(("mid_p", "exact", "asymptotic", "corrected"), sizes):
        options = {**size, "test": test, "discordant": 0.4, "alpha": 0.06}
        yield f"derived, power_mcnemar, {options}", partial(ss.power_mcnemar, **options)


def of_two(function: str) -> Calls:
    """Yield differences of two thin tables."""
    name, options = TWO[function]
    for table, given in product(("uneven clusters", "five clusters", "few units"), options):
        yield (
            f"derived, {function}, {table}, {given}",
            partial(difference, name, table, function, given),
        )


def difference(name: str, table: str, function: str, given: dict[str, Any]) -> Any:
    subject = subject_of(name)
    designs = [subject.design(subject.thin(seed)[table]) for seed in (7, 8)]
    few = {} if function == "choice_entropy_difference" else {"resamples": 100}
    return getattr(ss, function)(*designs, **few, **given)


def of_groups() -> Calls:
    """Yield what models have in common, and how groups of them differ."""
    sizes = {
        "m0": "small",
        "m1": "small",
        "m2": "large",
        "m3": "large",
        "m4": "large",
        "m5": "huge",
    }
    for table in ("uneven clusters", "few units"):
        results = {f"m{k}": made("mean_ratings", table, k) for k in range(8)}
        call = partial(ss.over_models, results, ["all units"], groups={"size": sizes}, level=0.9)
        yield f"derived, over_models, {table}", call


FURTHER: dict[str, Callable[[], Calls]] = {
    **{f"models by {name}": partial(of_models, name) for name in COMPARISON_RULES},
    **{f"fits, {way}": partial(of_fits, way) for way in FITS},
    **{
        f"families of {name}": partial(of_families, name)
        for name in ("choice_shares", "bradley_terry", "paired_difference", "trait_profile")
    },
    **{name: partial(of_two, name) for name in TWO},
    "two fits": of_two_fits,
    "margins": of_margins,
    "power": of_power,
    "groups": of_groups,
}
