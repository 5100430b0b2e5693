"""Simulations about pairs and ratings: error rates of clustered tests, coverage of d_z, kappa and alpha."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from made import (
    Raters,
    crossed_answers,
    differences,
    ordinal_alpha,
    quadratic_kappa,
    rank_correlation,
)
from tally import Line, Tally

import socialstats as ss

RESAMPLES = 399
HOLDS = (0.0, 0.07)
SIZES = (30, 100, 400)
DEMET = (
    (29, 50, 0.0, 0.0),
    (29, 50, 0.5, 0.0),
    (29, 50, 0.5, 0.3),
    (29, 50, 1.0, 0.0),
    (109, 14, 0.5, 0.3),
    (109, 14, 1.0, 1.0),
    (29, 50, 2.0, 1.0),
)
DEFAULT = {
    "both": "score of clusters scenario and pair (default)",
    "one": "score of cluster scenario",
}
SHAPES = {
    "normal": "normal differences",
    "towards": "exponential, long tail on the effect's side",
    "away": "exponential, long tail on the other side",
}
CALLED = {"noncentral_t": "noncentral t", "auto": "noncentral t or jackknife t (default)"}
KAPPA_CALLED = {"closed": "Fisher z, t (default)", "wald": "Wald"}
ALPHA_CALLED = {"closed": "linearised, t (default)"}
TESTS = {
    ("mid_p", "ignoring clusters"): "row-level McNemar, mid-p",
    ("asymptotic", "ignoring clusters"): "row-level McNemar, chi-square",
    ("obuchowski", "scenario alone"): "Obuchowski, scenario",
    ("durkalski", "scenario alone"): "Durkalski, scenario",
    ("cluster_means_t", "scenario alone"): "t of scenario means",
    ("sign_flip", "scenario alone"): "sign flip, scenario",
    ("robust_t", "pair alone"): "cluster-robust t, pair",
}


def clustered_tests(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of a true null: yes/no answers of scenarios x name pairs, with effects of both."""
    lines: list[Line] = []
    for scenarios, pairs, sd_scenario, sd_pair in DEMET:
        setting = f"{scenarios} x {pairs}, scenario SD {sd_scenario:g}, pair SD {sd_pair:g}"
        tally = Tally(
            "Paired yes/no answers: scenarios x name pairs, no difference", setting, nominal=0.05
        )
        for _ in range(sims):
            design = crossed_answers(rng, scenarios, pairs, sd_scenario, sd_pair)
            found = ss.mcnemar(design)
            tally.add(DEFAULT["both"], "difference", found.rows[0].p_value < 0.05, found.cautions)
            for (term, group), method in TESTS.items():
                tally.add(method, "difference", found.row(term, group=group).p_value < 0.05)
            one = ss.mcnemar(design, cluster="scenario")
            tally.add(DEFAULT["one"], "difference", one.rows[0].p_value < 0.05, one.cautions)
        insisted = {(DEFAULT["both"], "difference"): HOLDS}
        if not sd_pair:
            insisted[DEFAULT["one"], "difference"] = HOLDS
        lines += tally.lines(insisted)
    return lines


def covered(
    study: str,
    setting: str,
    sims: int,
    draw: Callable[[], Any],
    truth: float,
    methods: dict[str, Callable[[Any], Any]],
) -> list[Line]:
    """Shares of simulations whose interval, by each method, holds the truth; and how many had no interval."""
    tally = Tally(study, setting)
    for _ in range(sims):
        design = draw()
        for name, method in methods.items():
            found = method(design)
            row = found.row("d_z") if study.startswith("Effect") else found.rows[0]
            tally.covers(name, f"truth {truth:.3f}", [row], [truth], found.cautions)
    return tally.lines()


def effect_size(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of d_z by the noncentral t and by bootstraps."""
    methods = {
        CALLED.get(ci, ci): lambda design, ci=ci: ss.effect_sizes(
            design, ci=ci, resamples=RESAMPLES, seed=1
        )
        for ci in ("auto", "noncentral_t", "percentile", "basic", "bca")
    }
    return [
        line
        for shape, said in SHAPES.items()
        for n in SIZES
        for line in covered(
            "Effect size d_z of pairs",
            f"{said}, n = {n}",
            sims,
            lambda n=n, shape=shape: differences(rng, n, 0.5, shape),
            0.5,
            methods,
        )
    ]


RATERS = {
    "3 even levels": Raters(reliability=0.8, shares=np.array([0.4, 0.35, 0.25])),
    "5 levels, most of them the lowest": Raters(
        reliability=0.6, shares=np.array([0.6, 0.2, 0.1, 0.06, 0.04])
    ),
}


def kappa(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of quadratic kappa of two raters."""
    methods = {
        KAPPA_CALLED.get(ci, ci): lambda design, ci=ci: ss.weighted_kappa(
            design, ci=ci, resamples=RESAMPLES, seed=1
        )
        for ci in ("closed", "wald", "percentile", "basic", "bca")
    }
    return [
        line
        for name, raters in RATERS.items()
        for n in SIZES
        for line in covered(
            "Quadratic kappa of two raters",
            f"{name}, n = {n}",
            sims,
            lambda n=n, raters=raters: raters.draw(rng, n),
            quadratic_kappa(raters.joint()),
            methods,
        )
    ]


def alpha(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of ordinal alpha of three raters, a fifth of the ratings missing."""
    methods = {
        ALPHA_CALLED.get(ci, ci): lambda design, ci=ci: ss.krippendorff_alpha(
            design, ci=ci, resamples=RESAMPLES, seed=1
        )
        for ci in ("closed", "percentile", "basic", "bca")
    }
    lines = []
    for name, two in RATERS.items():
        raters = Raters(reliability=two.reliability, shares=two.shares, missing=0.2, raters=3)
        for n in SIZES:
            setting, study = f"{name}, n = {n}", "Ordinal alpha of three raters, a fifth missing"
            truth = ordinal_alpha(raters.joint())
            lines += covered(
                study, setting, sims, lambda n=n, raters=raters: raters.draw(rng, n), truth, methods
            )
    return lines


RARE = {
    "5 even levels": (0.2,) * 5,
    "5 levels, .85 the lowest": (0.85, 0.06, 0.04, 0.03, 0.02),
    "2 levels, .8": (0.8, 0.2),
    "2 levels, .9": (0.9, 0.1),
    "2 levels, .95": (0.95, 0.05),
}


def spearman(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of Spearman's rho of few units, few clusters and rare levels."""
    lines = []
    for name, shares in RARE.items():
        for reliability in (0.3, 0.8):
            raters = Raters(reliability=reliability, shares=np.array(shares))
            truth = rank_correlation(raters.joint())
            for n, clusters in (
                (10, 0),
                (30, 0),
                (100, 0),
                (300, 0),
                (60, 6),
                (100, 10),
                (200, 20),
                (400, 40),
            ):
                setting = (
                    f"{name}, reliability {reliability:g}, "
                    f"{f'{clusters} clusters of 10' if clusters else f'n = {n}'}"
                )
                lines += covered(
                    "Spearman's rho of two raters",
                    setting,
                    sims,
                    lambda raters=raters, n=n, clusters=clusters: raters.draw(rng, n, clusters),
                    truth,
                    {"linearised, Fisher z, t (default)": ss.spearman_rho},
                )
    return lines


SHAPES_OF_UNITS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "normal units": lambda rng, n: rng.standard_normal(n),
    "exponential units": lambda rng, n: rng.standard_exponential(n) - 1,
}


def intraclass(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of ICC(2,1): variances of units and error 1 and .5, few raters who differ, skewed units, clusters."""
    lines = []
    for shape, draw_units in SHAPES_OF_UNITS.items():
        for raters, variance in ((2, 0.2), (3, 0.02), (3, 1.0), (10, 0.2)):
            for n, clusters in ((10, 0), (30, 0), (200, 0), (60, 6), (100, 10), (200, 20)):
                truth = 1 / (1.5 + variance)
                setting = f"{shape}, {raters} raters of variance {variance:g}, n = {n}"
                setting += f", {clusters} clusters" if clusters else ""

                def draw(
                    n: int = n,
                    clusters: int = clusters,
                    raters: int = raters,
                    variance: float = variance,
                    draw_units: Callable[[np.random.Generator, int], Any] = draw_units,
                ) -> Any:
                    units = draw_units(rng, n)
                    group = np.arange(n)
                    if clusters:
                        group = np.arange(n) * clusters // n
                        units = 0.6 * draw_units(rng, clusters)[group] + 0.8 * units
                    scores = units[:, None] + np.sqrt(variance) * rng.standard_normal(raters)
                    scores = scores + np.sqrt(0.5) * rng.standard_normal((n, raters))
                    names = [f"r{k}" for k in range(raters)]
                    table = {**dict(zip(names, scores.T, strict=True)), "school": group}
                    cluster = {"cluster": "school"} if clusters else {}
                    return ss.read_ratings(table, raters=names, scale="interval", **cluster)

                lines += covered(
                    "Intraclass correlation ICC(2,1)",
                    setting,
                    sims,
                    draw,
                    truth,
                    {"generalized (default)": ss.icc},
                )
    return lines


AGREEMENT_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "clustered_tests": clustered_tests,
    "effect_size": effect_size,
    "kappa": kappa,
    "alpha": alpha,
    "spearman": spearman,
    "intraclass": intraclass,
}
