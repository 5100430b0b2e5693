"""Simulations of yes-or-no answers in clusters: shares, differences of pairs, odds ratios, equivalence.

All simulations of a setting are columns of one table, so that the array functions of `socialstats.inference` compute
their intervals at once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit
from tally import Line, Tally

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.dependence import FEW_CLUSTERS, FEW_DF, LARGE, RARE, SHOWN_FROM, UNEVEN
from socialstats.inference.means import MeanErrors, mean_errors
from socialstats.inference.paired_score import PairedScore, paired_score
from socialstats.inference.proportions import effective_share_interval, wilson
from socialstats.paired.equivalence import SKEWED

HOLDS, SIZE = (0.925, 1.0), (0.0, 0.07)
EVEN, ZIPF = "equal clusters", "cluster sizes as 1/rank"
NOW = "CR2, effective answers, t(Satterthwaite) (default)"


def sizes(groups: int, mean: int, kind: str) -> IntArray:
    """Answers of each cluster."""
    weight = np.ones(groups) if kind == EVEN else 1 / np.arange(1, groups + 1)
    return np.maximum(1, np.round(groups * mean * weight / weight.sum())).astype(np.int64)


def rates(rng: np.random.Generator, p: float, icc: float, shape: tuple[int, int]) -> FloatArray:
    """Beta rates of clusters with mean p and the intraclass correlation of their answers."""
    if not icc:
        return np.full(shape, p)
    return rng.beta(p * (1 / icc - 1), (1 - p) * (1 / icc - 1), shape)


def errors_of(hits: FloatArray, n: FloatArray) -> tuple[FloatArray, MeanErrors]:
    """Shares of hits among n, (clusters, simulations) each, and their errors."""
    total = np.maximum(n.sum(axis=0), 1)
    p = hits.sum(axis=0) / total
    return p, mean_errors((hits - n * p) / total, n / total, [np.arange(len(hits))])


def noted(tally: Tally, method: str, quantity: str, held: Any, said: Any = None) -> None:
    """Note whether the interval of each simulation held, and whether a caution was said."""
    tally.shares[method, quantity] = [float(x) for x in held]
    if said is not None:
        tally.said[method, quantity] = [bool(x) for x in said]


def uneven(errors: MeanErrors, groups: int) -> Any:
    """Whether SS202 or SS211 is said of each simulation."""
    large = (errors.largest > LARGE) | (errors.df + 1 < groups / UNEVEN)
    return (large & (groups >= FEW_CLUSTERS)) | (errors.df < FEW_DF)


def before(p: FloatArray, e: FloatArray, n: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval with CR1 and t(G - 1); every cluster one trial where nothing varies."""
    groups = len(e)
    variance = (e**2).sum(axis=0) * groups / (groups - 1)
    seen = (p > 0) & (p < 1) & (variance > 1e-20)
    trials = np.where(
        seen, np.minimum(p * (1 - p) / np.where(seen, variance, 1), n), min(groups, n)
    )
    return wilson(p, trials, df=np.full(len(p), groups - 1.0))


def shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of Wilson's interval of a share in clusters of ten answers."""
    lines: list[Line] = []
    for groups, kind, icc in product((4, 8, 30, 100), (EVEN, ZIPF), (0.0, 0.2)):
        tally = Tally(
            "Shares in clusters of ten answers", f"{groups} {kind}, intraclass correlation {icc:g}"
        )
        must = {}
        for p in (0.02, 0.1, 0.5, 0.98):
            n = np.repeat(sizes(groups, 10, kind)[:, None], sims, axis=1).astype(np.float64)
            hits = rng.binomial(n.astype(np.int64), rates(rng, p, icc, (sims, groups)).T).astype(
                np.float64
            )
            found, errors = errors_of(hits, n)
            low, high, trials = effective_share_interval(found, errors, n[:, 0].sum(), level=0.95)
            rare = trials * np.minimum(found, 1 - found)
            factor = np.maximum(1, errors.clusters / (errors.df + 1))
            told = ((rare > 0) & (rare < RARE * factor)) | uneven(errors, groups)
            noted(tally, NOW, f"p = {p:g}", (low <= p) & (p <= high), told)
            low, high = before(found, (hits - n * found) / n[:, 0].sum(), float(n[:, 0].sum()))
            noted(tally, "CR1, t(G - 1)", f"p = {p:g}", (low <= p) & (p <= high))
            if told.mean() < 0.5:
                must[NOW, f"p = {p:g}"] = HOLDS
        lines += tally.lines(must)
    return lines


def discordant(
    rng: np.random.Generator, n: IntArray, share: tuple[float, float], icc: float, sims: int
) -> tuple[FloatArray, FloatArray]:
    """Pairs that are first only and second only, (clusters, simulations); their shares vary by cluster (Dirichlet)."""
    mean = np.array([*share, 1 - sum(share)])
    chance = np.broadcast_to(mean, (sims, len(n), 3))
    if icc:
        drawn = rng.gamma(np.maximum(mean * (1 / icc - 1), 1e-12), size=(sims, len(n), 3))
        chance = drawn / drawn.sum(axis=-1, keepdims=True)
    b = rng.binomial(n, chance[..., 0])
    left = np.maximum(1 - chance[..., 0], 1e-12)
    c = rng.binomial(n - b, np.clip(chance[..., 1] / left, 0, 1))
    return b.T.astype(np.float64), c.T.astype(np.float64)


def scored(b: FloatArray, c: FloatArray, n: IntArray) -> PairedScore:
    """Score of each simulation, from cells of each cluster: first only, second only, the rest."""
    clusters, sims = b.shape
    found = [
        paired_score(
            np.repeat([1.0, -1.0, 0.0], clusters),
            np.concatenate([b[:, k], c[:, k], n - b[:, k] - c[:, k]]),
            [np.tile(np.arange(clusters), 3)],
        )
        for k in range(sims)
    ]
    return PairedScore(
        **{
            name: np.concatenate([getattr(one, name) for one in found])
            for name in ("first", "second", "n", "df")
        },
        errors=MeanErrors(
            **{
                name: np.concatenate([getattr(one.errors, name) for one in found])
                for name in MeanErrors.__slots__
            }
        ),
    )


def differences(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the difference of paired shares in clusters of five pairs."""
    lines: list[Line] = []
    cells = [(50, EVEN, 0.0), *product((5, 10, 20, 50), (EVEN, ZIPF), (0.2,))]
    for groups, kind, icc in cells:
        tally = Tally(
            "Paired differences in clusters of five pairs",
            f"{groups} {kind}, intraclass correlation {icc:g}",
        )
        must = {}
        for q, r in product((0.02, 0.05, 0.2), (0.75, 1.0)):
            n = sizes(groups, 5, kind)
            b, c = discordant(rng, n, (q * r, q * (1 - r)), icc, sims)
            truth, name = q * (2 * r - 1), f"discordance {q:g}, {r:.0%} one way"
            found = scored(b, c, n)
            d = (b - c).sum(axis=0) / n.sum()
            assert found.df is not None
            assert found.errors is not None
            low, high = found.interval(0.95)
            by_score = (low <= truth) & (truth <= high)
            seen = found.errors.variance > 1e-18
            reach = stdtrit(found.df, 0.975) * np.sqrt(found.errors.variance)
            by_t = (np.abs(d - truth) <= reach) & seen
            chosen = np.where(found.leads, by_score, by_t)
            noted(
                tally,
                "t, or Tango's score below ten effective discordant pairs (default)",
                name,
                chosen,
                uneven(found.errors, groups),
            )
            noted(tally, "Tango's score, effective pairs, t(Satterthwaite)", name, by_score)
            noted(tally, "t, CR2 (no interval: not held)", name, by_t)
            must["t, or Tango's score below ten effective discordant pairs (default)", name] = (
                0.92,
                1.0,
            )
        lines += tally.lines(must)
    return lines


def odds_ratios(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the matched odds ratio, by the share of first only among the discordant pairs of clusters."""
    lines: list[Line] = []
    for groups, kind, icc in product((5, 20, 50), (EVEN, ZIPF), (0.0, 0.2)):
        tally = Tally(
            "Matched odds ratios in clusters of twenty pairs",
            f"{groups} {kind}, intraclass correlation {icc:g}",
        )
        for q, r in product((0.05, 0.3), (0.5, 0.9)):
            n = np.repeat(sizes(groups, 20, kind)[:, None], sims, axis=1)
            mixed = rng.binomial(n, rates(rng, q, icc, (sims, groups)).T)
            b = rng.binomial(mixed, rates(rng, r, icc, (sims, groups)).T).astype(np.float64)
            m, name = mixed.astype(np.float64), f"discordance {q:g}, odds {r / (1 - r):.0f}"
            p, errors = errors_of(b, m)
            low, high, _ = effective_share_interval(p, errors, m.sum(axis=0), level=0.95)
            known = ~np.isnan(low) & (m.sum(axis=0) > 0)
            noted(
                tally,
                "odds of Wilson's interval of b/(b + c), clusters (default)",
                name,
                ((low <= r) & (r <= high))[known],
                uneven(errors, groups)[known],
            )
            c = m - b
            both = (b.sum(axis=0) > 0) & (c.sum(axis=0) > 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                u = b / b.sum(axis=0) - c / c.sum(axis=0)
                g = (m > 0).sum(axis=0)
                reach = stdtrit(g - 1.0, 0.975) * np.sqrt((u**2).sum(axis=0) * g / (g - 1))
                held = np.abs(np.log(b.sum(axis=0) / c.sum(axis=0)) - np.log(r / (1 - r))) <= reach
            noted(tally, "t of the log, CR1, G - 1 (where it exists)", name, held[both & (g > 1)])
        lines += tally.lines()
    return lines


def equivalences(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections at the margin: yes-or-no values as rows and in clusters of five, and skewed numbers."""
    lines: list[Line] = []
    for groups, kind, icc in [
        (30, "", 0.0),
        (60, "", 0.0),
        (100, "", 0.0),
        *product((10, 30, 60, 200), (EVEN, ZIPF), (0.0, 0.2)),
    ]:
        rows = not kind
        setting = (
            f"{groups} pairs"
            if rows
            else f"{groups} {kind} of five, intraclass correlation {icc:g}"
        )
        tally, must = (
            Tally("Equivalence of yes-or-no values, at the margin", setting, nominal=0.05),
            {},
        )
        for q, margin in ((0.06, 0.05), (0.1, 0.08), (0.2, 0.08)):
            n = np.ones(groups, dtype=np.int64) if rows else sizes(groups, 5, kind)
            r, name = (1 + margin / q) / 2, f"discordance {q:g}, margin {margin:g}"
            b, c = discordant(rng, n, (q * r, q * (1 - r)), icc, sims)
            score = scored(b, c, n)
            score_errors = score.errors
            assert score_errors is not None
            assert score.df is not None
            d, error, df = (b - c).sum(axis=0) / n.sum(), np.sqrt(score_errors.variance), score.df
            if rows:
                totals = (b.sum(axis=0), c.sum(axis=0))
                score = PairedScore(
                    first=totals[0], second=totals[1], n=np.full(sims, float(groups))
                )
            p = np.maximum(score.p_value(-margin, "greater"), score.p_value(margin, "less"))
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.maximum(stdtr(df, -(d + margin) / error), stdtr(df, (d - margin) / error))
            noted(
                tally,
                "Tango's score (default)",
                name,
                p < 0.05,
                None if rows else uneven(score_errors, groups),
            )
            noted(tally, "t (undefined: no rejection)", name, (t < 0.05) & (error > 1e-9))
            if rows or kind == EVEN:
                must["Tango's score (default)", name] = SIZE
        lines += tally.lines(must)
    return lines + skewed(rng, sims)


def skewed(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of the one-sided t that skewness inflates, and how often it is cautioned."""
    lines: list[Line] = []
    draws: dict[str, Callable[[tuple[int, int]], FloatArray]] = {
        "normal": rng.standard_normal,
        "exponential": lambda shape: rng.exponential(size=shape) - 1,
        "lognormal, SD of logs 1": lambda shape: rng.lognormal(0, 1, shape) - np.exp(0.5),
    }
    for (kind, draw), n in product(draws.items(), (10, 30, 100)):
        tally = Tally(
            "Equivalence of numbers, at the margin", f"{kind} differences, {n} pairs", nominal=0.05
        )
        x = draw((sims, n))
        mean, off = x.mean(axis=1), x - x.mean(axis=1, keepdims=True)
        squares = (off**2).sum(axis=1)
        t = mean / np.sqrt(squares / (n - 1) / n)
        said = (np.abs((off**3).sum(axis=1)) / squares**1.5 > SKEWED) | (n < SHOWN_FROM)
        noted(tally, "t (default)", "upper bound, long tail above", stdtr(n - 1, t) < 0.05, said)
        lines += tally.lines()
    return lines


SHARE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "clustered_shares": shares,
    "clustered_differences": differences,
    "clustered_odds": odds_ratios,
    "equivalences": equivalences,
}
