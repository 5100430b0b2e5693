"""Simulations of thin and skewed data: means in crossed clusters, d_z, pooled similarities, S of few roles."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtr
from simulate import FloatArray, IntArray, marginal
from tally import Line, Tally, Widths

import socialstats as ss
from socialstats.inference.clustered_mean import CLEARLY, clustered_mean, skewness_statistic
from socialstats.inference.dependence import FEW_DF, shape_cautions
from socialstats.shares.ceiling import LEAST
from socialstats.shares.counts import StratumCells
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.pooled_similarity import pooled
from socialstats.shares.similarity import ComparedSources

HOLDS = (0.925, 1.0)
CR2 = "CR2, Satterthwaite's df (default)"
CROSSED = "V1 + V2 - V12 by CR2, Cochran's df (default)"
LOG_MEAN, LOG_SD = math.exp(0.5), math.sqrt((math.e - 1) * math.e)
SLOW = 20  # bootstraps are made in every twentieth simulation
Draw = Callable[[np.random.Generator, int], FloatArray]
SHAPES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "lognormal": lambda rng, n: (rng.lognormal(size=n) - LOG_MEAN) / LOG_SD,
    "lognormal, tail on the other side": lambda rng, n: (LOG_MEAN - rng.lognormal(size=n)) / LOG_SD,
    "t with 3 df": lambda rng, n: rng.standard_t(3, n) / math.sqrt(3),
}


def crossing(name: str, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Codes of two factors."""
    if name.startswith("complete"):
        g, h, times = {"complete 50 x 2": (50, 2, 3), "complete 12 x 12": (12, 12, 1)}[name]
        a, b = np.meshgrid(np.arange(g), np.arange(h), indexing="ij")
        return np.repeat(a.ravel(), times), np.repeat(b.ravel(), times)
    g, h, n = {"Dirichlet 29 x 50": (29, 50, 1500), "Dirichlet 15 x 60, size .3": (15, 60, 900)}[
        name
    ]
    size = 0.3 if name.endswith(".3") else 1.0
    return (
        rng.choice(g, n, p=rng.dirichlet(np.full(g, size))),
        rng.choice(h, n, p=rng.dirichlet(np.full(h, size))),
    )


def thin_crossed(rng: np.random.Generator, sims: int) -> list[Line]:
    """Means of values in two crossed factors of unequal or few levels: effects of both, of the first, of none."""
    lines: list[Line] = []
    for name in (
        "Dirichlet 29 x 50",
        "Dirichlet 15 x 60, size .3",
        "complete 12 x 12",
        "complete 50 x 2",
    ):
        g, h = crossing(name, rng)
        for effects, (a, b) in {"both": (1, 1), "the first": (1, 0), "none": (0, 0)}.items():
            for shape in ("normal", "lognormal"):
                tally = Tally(
                    "Means in two crossed factors", f"{name}, {shape} effects of {effects}"
                )
                draw = SHAPES[shape]
                for _ in range(sims):
                    y = a * draw(rng, 60)[g] + b * draw(rng, 60)[h] + draw(rng, len(g))
                    found = clustered_mean(y, np.ones(len(y)), [g, h])
                    low, high = found.interval()
                    said = found.df < FEW_DF or bool(shape_cautions([found]))
                    tally.add(CROSSED, "mean", float(low <= 0 <= high), said)
                must = {(CROSSED, "mean"): HOLDS} if shape == "normal" else None
                lines += tally.lines(must)
    return lines


def thin_means(rng: np.random.Generator, sims: int) -> list[Line]:
    """Means of few skewed values: the t interval, the studentized bootstrap, and how often the caution is said."""
    lines: list[Line] = []
    for shape in ("normal", "exponential", "lognormal"):
        for n in (8, 15, 20, 30, 50, 100):
            tally = Tally("Means of few skewed values", f"{shape}, n = {n}")
            for k in range(sims):
                values = SHAPES[shape](rng, n)
                design = ss.Paired.one_sample(values)
                found = clustered_mean(values, np.ones(n))
                low, high = found.interval()
                tally.add("t (default)", "mean", float(low <= 0 <= high), shape_cautions([found]))
                if k % SLOW == 0:
                    other = ss.paired_difference(
                        design, ci="studentized", resamples=399, flips=99, seed=1
                    )
                    tally.covers(
                        "studentized bootstrap", "mean", other.rows[:1], [0.0], other.cautions
                    )
            lines += tally.lines({("t (default)", "mean"): HOLDS} if shape == "normal" else None)
    return lines + thin_clusters(rng, sims)


def thin_clusters(rng: np.random.Generator, sims: int) -> list[Line]:
    """Means of values in few or uneven clusters of five: effects of clusters and of values have the same shape."""
    lines: list[Line] = []
    for groups, power in (
        (8, 0.0),
        (20, 0.0),
        (30, 0.0),
        (40, 0.0),
        (60, 0.0),
        (30, 1.0),
        (100, 1.0),
    ):
        weight = np.arange(1, groups + 1) ** -power
        sizes = np.maximum(1, np.round(5 * groups * weight / weight.sum())).astype(int)
        code = np.repeat(np.arange(groups), sizes)
        for shape in ("normal", "exponential", "lognormal"):
            where = f"{groups} clusters{', sizes as 1/rank' if power else ''}, {shape}"
            tally = Tally("Means in few clusters of five values", where)
            for _ in range(sims):
                y = SHAPES[shape](rng, groups)[code] + SHAPES[shape](rng, len(code))
                found = clustered_mean(y, np.ones(len(y)), [code])
                low, high = found.interval()
                tally.add(
                    "t, CR2 (default)",
                    "mean",
                    float(low <= 0 <= high),
                    found.df < FEW_DF or bool(shape_cautions([found])),
                )
            lines += tally.lines(
                {("t, CR2 (default)", "mean"): (0.92, 1.0)} if shape == "normal" else None
            )
    return lines


def thin_effects(rng: np.random.Generator, sims: int) -> list[Line]:
    """d_z of few and of skewed differences: default, noncentral t, one or the other by the skewness seen; cautions."""
    lines: list[Line] = []
    for shape, draw in SHAPES.items():
        for n in (8, 15, 30, 60):
            for truth in (0.0, 0.5, 1.2):
                tally = Tally(
                    "Effect size d_z of few or skewed pairs", f"{shape}, n = {n}, d_z = {truth:g}"
                )
                for k in range(sims):
                    design = ss.Paired.one_sample(draw(rng, n) + truth)
                    default = ss.effect_sizes(design)
                    tally.covers(
                        "noncentral t or jackknife t (default)",
                        "d_z",
                        [default.row("d_z")],
                        [truth],
                        default.cautions,
                    )
                    if k % SLOW == 0:
                        plain = ss.effect_sizes(design, ci="noncentral_t")
                        tally.covers(
                            "noncentral t", "d_z", [plain.row("d_z")], [truth], plain.cautions
                        )
                        values = design.first - design.second
                        far = skewness_statistic(values - values.mean(), design.count) > CLEARLY
                        either = default if far else plain
                        tally.covers(
                            "noncentral t, default only where skewed",
                            "d_z",
                            [either.row("d_z")],
                            [truth],
                            either.cautions,
                        )
                must = (
                    {("noncentral t or jackknife t (default)", "d_z"): HOLDS}
                    if shape == "normal"
                    else None
                )
                lines += tally.lines(must)
    return lines


HEAPS = {  # differences that are rounded, with the share of each
    "one in ten is 1, others 0": {0: 0.9, 1: 0.1},
    "half are 1, others 0": {0: 0.5, 1: 0.5},
    "80% 0, 16% 1, 4% -1": {-1: 0.04, 0: 0.8, 1: 0.16},
    "83% 0, from -1 to 2": {-1: 0.02, 0: 0.83, 1: 0.1, 2: 0.05},
    "normal with mean .25 and SD .3": {
        k: float(ndtr((k + 0.25) / 0.3) - ndtr((k - 0.75) / 0.3)) for k in (-1, 0, 1, 2)
    },
}


def heaped_effects(rng: np.random.Generator, sims: int) -> list[Line]:
    """d_z of differences that are rounded to few even steps, by the default and the noncentral t; widths."""
    lines: list[Line] = []
    study = "Effect size d_z of rounded differences"
    for name, shares in HEAPS.items():
        values, p = np.array(list(shares), dtype=float), np.array(list(shares.values()))
        p /= p.sum()
        truth = float(p @ values / np.sqrt(p @ (values - p @ values) ** 2))
        for n in (60, 100, 200):
            tally = Tally(study, f"{name}, n = {n}")
            widths = Widths(f"{study}: median width over the oracle's", f"{name}, n = {n}")
            for _ in range(sims):
                design = ss.Paired.one_sample(rng.choice(values, n, p=p))
                for ci, method in (
                    ("auto", "jackknife t or both (default)"),
                    ("noncentral_t", "noncentral t"),
                ):
                    found = ss.effect_sizes(design, ci=ci)
                    tally.covers(method, "d_z", [found.row("d_z")], [truth], found.cautions)
                    widths.add(method, "d_z", [found.row("d_z")])
            lines += tally.lines({("jackknife t or both (default)", "d_z"): HOLDS})
            lines += widths.lines({"jackknife t or both (default)": (0.0, 1.25)} if n > 60 else {})
    return sorted(lines, key=lambda line: line.study)


def thin_similarities(rng: np.random.Generator, sims: int) -> list[Line]:
    """Pooled similarities of uneven shares: three people and five runs a unit."""
    pairs = {
        "uneven (.90/.08/.02, .97/.02/.01)": ((0.9, 0.08, 0.02), (0.97, 0.02, 0.01)),
        "even (.40/.35/.25, .25/.35/.40)": ((0.4, 0.35, 0.25), (0.25, 0.35, 0.4)),
        "equal (.90/.08/.02)": ((0.9, 0.08, 0.02), (0.9, 0.08, 0.02)),
        "two levels (.98/.02, .90/.10)": ((0.98, 0.02), (0.9, 0.1)),
    }
    lines: list[Line] = []
    settings = {"permutations": 99, "seed": 0, "ci": "noncentral", "level": 0.95}
    for name, shares in pairs.items():
        truth = 1 - float(jensen_shannon(*map(np.array, shares)))
        for units in (30, 80, 200):
            tally = Tally(
                "Jensen-Shannon similarity of few ratings a unit", f"{name}, {units} units"
            )
            cells = StratumCells(names=(), labels=(), codes=np.zeros(units, dtype=np.int64))
            for _ in range(sims):
                sides = [
                    rng.multinomial(k, p, size=units).astype(float)
                    for k, p in zip((3, 5), shares, strict=True)
                ]
                sources = ComparedSources(
                    first=sides[0], second=sides[1], copies=np.ones(units), cells=cells
                )
                found = pooled(sources, settings)
                if not found.why[0]:
                    low, high = float(found.low[0]), min(float(found.high[0]), 1.0)
                    totals = np.array([(side > 0).sum(axis=0) for side in sides])
                    used = totals.any(axis=0)
                    rare = bool((totals[:, used] < LEAST).any())
                    tally.add(
                        "noncentral, lower end not above the jackknife's (default)",
                        "similarity",
                        float(low <= truth <= high + 1e-12),
                        rare,
                    )
            lines += tally.lines()
    return lines


def thin_sensitivity(rng: np.random.Generator, sims: int) -> list[Line]:
    """S of few roles: every pair under three by three urgencies."""
    lines: list[Line] = []
    for roles in (4, 6, 10):
        pairs = list(combinations(range(roles), 2))
        rows = pd.DataFrame(
            [
                (f"r{i}", f"r{j}", u, v, k)
                for k, (i, j) in enumerate(pairs)
                for u in range(3)
                for v in range(3)
            ],
            columns=["item_a", "item_b", "urgency_a", "urgency_b", "pair"],
        )
        step = np.sign(rows["urgency_a"] - rows["urgency_b"]).to_numpy()
        for name, (slope, sd) in {
            "coin flips": (0.0, 0.0),
            "pair effect SD 1": (0.0, 1.0),
            "urgency, pair effect SD 1": (1.5, 1.0),
        }.items():
            tally = Tally("Sensitivity S of few roles", f"{roles} roles, {name}")
            p = marginal(slope * np.array([1.0, 0.0, -1.0]), sd)
            truth = 100 * float(((p - np.array([1.0, 0.5, 0.0])) ** 2).sum())
            for _ in range(sims):
                log_odds = slope * step + sd * rng.standard_normal(len(pairs))[rows["pair"]]
                won = rng.random(len(rows)) < 1 / (1 + np.exp(-log_odds))
                design = ss.Comparisons.from_frame(
                    rows.assign(winner=np.where(won, rows["item_a"], rows["item_b"]))
                )
                for ci in ("jackknife", "basic"):
                    found = ss.sensitivity(design, ci=ci, resamples=199, seed=1)
                    for term in ("S", "S_corrected"):
                        tally.covers(
                            f"{ci}{' (default)' if ci == 'jackknife' else ''}",
                            term,
                            [found.row(term)],
                            [truth],
                            found.cautions,
                        )
            lines += tally.lines({("jackknife (default)", "S_corrected"): HOLDS})
    return lines


def thin_comparisons(rng: np.random.Generator, sims: int) -> list[Line]:
    """Strengths, differences and ranks where items meet in few pairs; every pair leans by a normal effect."""
    core, half = list(combinations(range(8), 2)), [(i, i + 5) for i in range(5)]
    designs: dict[str, tuple[list[tuple[int, int]], int]] = {
        "20 leaves on a core of 8": ([*core, *[(0, k) for k in range(8, 28)]], 20),
        "10 items, 5 rounds": ([(i, (i + s) % 10) for s in (1, 3) for i in range(10)] + half, 20),
        "6 items, all pairs": (list(combinations(range(6), 2)), 30),
        "20 items, 6 rounds": ([(i, (i + s) % 20) for s in (1, 3, 8) for i in range(20)], 9),
        "20 items, 2 pairs each": ([(i, (i + 1) % 20) for i in range(20)], 20),
        "3 items, all pairs": (list(combinations(range(3), 2)), 30),
        "12 items, all pairs": (list(combinations(range(12), 2)), 9),
        "60 items, 3 rounds": (
            [(i, (i + 1) % 60) for i in range(60)] + [(i, i + 30) for i in range(30)],
            10,
        ),
        "60 items, 5 rounds": (
            [(i, (i + s) % 60) for s in (1, 7) for i in range(60)]
            + [(i, i + 30) for i in range(30)],
            10,
        ),
        "60 items, 8 rounds": ([(i, (i + s) % 60) for s in (1, 7, 11, 23) for i in range(60)], 10),
        "200 items, 4 rounds": ([(i, (i + s) % 200) for s in (1, 17) for i in range(200)], 10),
        "8 items, all pairs, 70% ties": (list(combinations(range(8), 2)), 40),
    }
    lines: list[Line] = []
    for name, (pairs, times) in designs.items():
        for sd in (0.0, 1.0):
            tally = Tally(
                "Strengths in thin designs, clustered by pair", f"{name}, pair effect SD {sd:g}"
            )
            false = Tally(
                "False differences in thin designs, clustered by pair", tally.setting, nominal=0.05
            )
            a, b = (np.repeat([pair[k] for pair in pairs], times) for k in (0, 1))
            for _ in range(sims // 4 if len(pairs) > 300 else sims):
                p = 1 / (1 + np.exp(-np.repeat(sd * rng.standard_normal(len(pairs)), times)))
                winner = np.where(rng.random(len(a)) < p, a, b).astype(object)
                if "ties" in name:
                    tied = 14 / 3 * np.sqrt(p * (1 - p))  # Davidson: ties are 70% where p is a half
                    winner[rng.random(len(a)) < tied / (1 + tied)] = "tie"
                table = pd.DataFrame({"item_a": a, "item_b": b, "winner": winner}).astype(str)
                try:
                    fit = ss.bradley_terry(ss.Comparisons.from_frame(table), cluster="pair")
                except ss.MleDoesNotExist:
                    continue
                rows = [
                    row for row in fit.rows if row.conf_low is not None and row.group == "strength"
                ]
                tally.covers(CR2, "strengths", rows, [0.0] * len(rows), fit.cautions)
                tally.add(
                    "has no interval, and says why", "strengths", 1 - len(rows) / len(fit.items)
                )
                compared = fit.pairwise()
                tests = compared.rows
                known = [row for row in tests if row.conf_low is not None]
                said = [*fit.cautions, *compared.cautions]
                tally.covers(CR2, "differences", known, [0.0] * len(known), said)
                false.add(
                    "Holm over all pairs",
                    "any difference",
                    float(
                        any(row.p_adjusted is not None and row.p_adjusted < 0.05 for row in tests)
                    ),
                    said,
                )
                ranks = fit.ranks(kind="simultaneous")
                false.add(
                    "simultaneous rank sets",
                    "any item's first rank lost",
                    float(any((row.conf_low or 1) > 1 for row in ranks.rows)),
                    said,
                )
            lines += tally.lines({(CR2, "strengths"): HOLDS, (CR2, "differences"): HOLDS})
            lines += false.lines(
                {
                    ("Holm over all pairs", "any difference"): (0.0, 0.07),
                    ("simultaneous rank sets", "any item's first rank lost"): (0.0, 0.07),
                }
            )
    return lines


def thin_factors(rng: np.random.Generator, sims: int) -> list[Line]:
    """Strengths where workers of very unequal numbers of answers have leanings of their own; one and two factors."""
    lines: list[Line] = []
    crossings = {
        "8 workers": (8, None),
        "15 workers": (15, None),
        "40 workers": (40, None),
        "8 workers x 10 prompts": (8, 10),
        "13 workers x 124 prompts": (13, 124),
    }
    for name, (workers, prompts) in crossings.items():
        tally = Tally("Strengths of 12 items where few workers lean", name)
        cluster = ["worker", "prompt"] if prompts else ["worker"]
        for _ in range(sims):
            if prompts:
                worker, prompt = (
                    x.ravel()
                    for x in np.meshgrid(np.arange(workers), np.arange(prompts), indexing="ij")
                )
                worker, prompt = np.tile(worker, 3), np.tile(prompt, 3)
            else:
                rate = 1 / np.arange(1, workers + 1)
                worker = np.repeat(
                    np.arange(workers),
                    np.maximum(12, np.round(2000 * rate / rate.sum())).astype(int),
                )
                prompt = np.zeros(len(worker), dtype=int)
            leans = (
                0.5 * rng.standard_normal((workers, 12)),
                0.5 * rng.standard_normal((prompts or 1, 12)),
            )
            a = rng.integers(0, 12, len(worker))
            b = (a + rng.integers(1, 12, len(worker))) % 12
            log_odds = leans[0][worker, a] - leans[0][worker, b]
            if prompts:
                log_odds = log_odds + leans[1][prompt, a] - leans[1][prompt, b]
            won = rng.random(len(a)) < 1 / (1 + np.exp(-log_odds))
            table = pd.DataFrame({"item_a": a, "item_b": b, "winner": np.where(won, a, b)}).astype(
                str
            )
            design = ss.Comparisons.from_frame(
                table.assign(worker=worker, prompt=prompt), cluster=cluster
            )
            fit = ss.bradley_terry(design)
            compared = fit.pairwise()
            rows = [row for row in fit.rows if row.conf_low is not None and row.group == "strength"]
            known = [row for row in compared.rows if row.conf_low is not None]
            said = [*fit.cautions, *compared.cautions]
            rule = CROSSED if prompts else CR2
            tally.covers(rule, "strengths", rows, [0.0] * len(rows), fit.cautions)
            tally.covers(rule, "differences", known, [0.0] * len(known), said)
        lines += tally.lines({(rule, "strengths"): HOLDS, (rule, "differences"): HOLDS})
    return lines + thin_joint(rng, sims)


def thin_joint(rng: np.random.Generator, sims: int) -> list[Line]:
    """Joint tests of two covariates without an effect on average, whose slopes differ between unequal workers."""
    lines: list[Line] = []
    for workers in (8, 15, 40):
        tally = Tally(
            "Joint test of two covariates whose slopes differ between workers",
            f"{workers} workers",
            0.05,
        )
        rate = 1 / np.arange(1, workers + 1)
        worker = np.repeat(
            np.arange(workers), np.maximum(12, np.round(1500 * rate / rate.sum())).astype(int)
        )
        for _ in range(sims):
            a = rng.integers(0, 6, len(worker))
            b = (a + rng.integers(1, 6, len(worker))) % 6
            x = rng.standard_normal((4, len(worker)))
            slopes = 0.4 * rng.standard_normal((2, workers))
            log_odds = slopes[0][worker] * (x[0] - x[1]) + slopes[1][worker] * (x[2] - x[3])
            won = rng.random(len(a)) < 1 / (1 + np.exp(-log_odds))
            table = pd.DataFrame({"item_a": a, "item_b": b, "winner": np.where(won, a, b)}).astype(
                str
            )
            table = table.assign(
                worker=worker, long_a=x[0], long_b=x[1], polite_a=x[2], polite_b=x[3]
            )
            design = ss.Comparisons.from_frame(
                table, cluster=["worker"], covariates=["long", "polite"]
            )
            large = ss.bradley_terry(design, "~ long + polite")
            found = large.anova(ss.bradley_terry(design))
            row = found.rows[0]
            if row.p_value is not None:
                tally.add(
                    "HTZ (default)",
                    "type I error",
                    float(row.p_value < 0.05),
                    [*found.cautions, *large.cautions],
                )
        lines += tally.lines({("HTZ (default)", "type I error"): (0.0, 0.07)})
    return lines


def thin_agreement(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coefficients of agreement in few clusters that differ in how hard they are, and of few independent units."""
    metrics = {
        "kappa": ss.weighted_kappa,
        "Fleiss' kappa": ss.fleiss_kappa,
        "alpha": ss.krippendorff_alpha,
        "Gwet's AC1": ss.gwet_ac,
    }
    lines: list[Line] = []
    for clusters, size in ((5, 8), (10, 10), (20, 5), (0, 30), (0, 50)):
        for right in (0.6, 0.85, 0.98):
            for raters, shares in ((2, (0.5, 0.5)), (5, (0.9, 0.05, 0.05))):
                kind = (
                    "two even levels, 2 raters"
                    if raters == 2
                    else "a level of .9 and two of .05, 5 raters"
                )
                where = f"{clusters} clusters of {size}" if clusters else f"{size} units"
                tally = Tally(
                    "Agreement, few clusters and few disagreements",
                    f"{where}, right {right:g}, {kind}",
                )
                names = (
                    ("kappa", "alpha", "Gwet's AC1")
                    if raters == 2
                    else ("Fleiss' kappa", "alpha", "Gwet's AC1")
                )
                many = rated(
                    rng, 3000 if clusters else 1, 14 if clusters else 40_000, right, raters, shares
                )
                truth = {
                    name: coefficient(metrics[name], many, len(shares), None).rows[0].estimate
                    for name in names
                }
                for _ in range(sims):
                    values, group = rated(rng, max(clusters, 1), size, right, raters, shares)
                    for name in names:
                        found = coefficient(
                            metrics[name], (values, group), len(shares), clusters or None
                        )
                        tally.covers(
                            "closed (default)", name, found.rows[:1], [truth[name]], found.cautions
                        )
                must = (
                    {("closed (default)", name): HOLDS for name in names}
                    if clusters and raters == 2
                    else None
                )
                lines += tally.lines(must)
    return lines


def rated(
    rng: np.random.Generator,
    clusters: int,
    size: int,
    right: float,
    raters: int,
    shares: tuple[float, ...],
) -> tuple[IntArray, IntArray]:
    """(units, raters) levels and the cluster of each unit; a rater gives the unit's level, or any by the shares."""
    group = np.repeat(np.arange(clusters), size)
    each = rng.beta(8 * right, 8 * (1 - right), clusters) if clusters > 1 else np.full(1, right)
    level = rng.choice(len(shares), len(group), p=shares)
    other = rng.choice(len(shares), (len(group), raters), p=shares)
    return np.where(
        rng.random((len(group), raters)) < each[group][:, None], level[:, None], other
    ), group


def coefficient(
    metric: Callable[..., ss.Result],
    rows: tuple[IntArray, IntArray],
    levels: int,
    clusters: int | None,
) -> ss.Result:
    """Compute a coefficient of made ratings."""
    values, group = rows
    n, raters = values.shape
    table = {
        "unit": np.repeat(np.arange(n), raters),
        "rater": np.tile([f"r{k}" for k in range(raters)], n),
        "value": values.ravel(),
        "story": np.repeat(group, raters),
    }
    design = ss.Ratings.from_frame(
        pd.DataFrame(table),
        levels=list(range(levels)),
        scale="nominal",
        cluster=["story"] if clusters else None,
    )
    plain = {"weights": "unweighted"} if metric in (ss.weighted_kappa, ss.gwet_ac) else {}
    return metric(design, **plain)


THIN_STUDIES = {
    "thin_crossed": thin_crossed,
    "thin_means": thin_means,
    "thin_effects": thin_effects,
    "thin_similarities": thin_similarities,
    "thin_sensitivity": thin_sensitivity,
    "thin_comparisons": thin_comparisons,
    "thin_agreement": thin_agreement,
    "thin_factors": thin_factors,
}
