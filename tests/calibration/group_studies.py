"""Simulations of what comparisons say of many items at once: shares of groups, and the pooled win rate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from share_studies import EVEN, HOLDS, SIZE, ZIPF, noted, sizes, uneven
from simulate import marginal
from studies import fit_to_probabilities
from tally import Line, Tally

import socialstats as ss
from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import MleDoesNotExist
from socialstats.inference.dependence import RARE
from socialstats.inference.means import mean_errors
from socialstats.inference.proportions import effective_share_interval
from socialstats.shares.counts import group_shares

GROUPS = 3
TIMES = 9  # comparisons of a pair of items
MEAN_SIZE = 6  # comparisons of a pair of items, on average
STRONG = 2.0  # log-strength of the one strong item above the others
BY_PAIR = "t, pair cluster (default)"


def equal_shares(each: int, strong: bool, scale: Any, sd: float) -> FloatArray:
    """Return log-strengths whose groups have equal shares in the model that is fitted under a pair effect of `sd`.

    Groups have normal strengths of SD .8. With `strong` the first item of the first group is stronger than all others.
    That group is then shifted as a whole until its share is that of the others.
    """
    codes = np.repeat(np.arange(GROUPS), each)
    base = np.tile(0.8 * ndtri((np.arange(each) + 0.5) / each), GROUPS)
    if not strong:
        return base
    base[0] = base[each - 1] + STRONG

    def off(shift: float) -> float:
        moved = base + np.where(codes == 0, shift, 0.0)
        seen = fit_to_probabilities(marginal(moved[:, None] - moved[None, :], sd))
        return float(group_shares(seen[None, :], codes, scale)[0][0] - 1 / GROUPS)

    return base + np.where(codes == 0, brentq(off, -3.0, 3.0, xtol=1e-8), 0.0)


def share_tests(rng: np.random.Generator, sims: int, *, strong: bool) -> list[Line]:
    """Rejections of equal shares that are equal, by items of a group."""
    lines: list[Line] = []
    kind = "one item stronger than all others" if strong else "groups of alike strengths"
    for each, sd in product((2, 3, 5, 8, 20), (1.0,) if strong else (0.0, 1.0)):
        tally = Tally(
            f"Test of an equal preference share: {kind}",
            nominal=0.05,
            setting=f"{GROUPS} groups of {each} items, pair effect SD {sd:g}",
        )
        for scale in ("arithmetic", "geometric") if strong else ("both",):
            truth = equal_shares(each, strong, scale, sd)
            for _ in range(sims):
                share_rejections(tally, drawn_pairs(rng, truth, sd), scale)
        lines += tally.lines({key: SIZE for key in tally.shares if np.mean(tally.said[key]) < 0.5})
    return lines


def drawn_pairs(rng: np.random.Generator, truth: FloatArray, sd: float) -> ss.Comparisons:
    """Draw all pairs of items, each compared `TIMES` times, with a normal effect of the pair."""
    names = [f"item {k:02d}" for k in range(len(truth))]
    a, b = np.triu_indices(len(truth), 1)
    won = rng.binomial(TIMES, expit(truth[a] - truth[b] + sd * rng.standard_normal(len(a))))
    table = pd.DataFrame(
        {
            "item_a": pd.Categorical.from_codes(np.tile(a, 2), names),
            "item_b": pd.Categorical.from_codes(np.tile(b, 2), names),
            "winner": np.repeat(["item_a", "item_b"], len(a)),
            "times": np.r_[won, TIMES - won],
        }
    )
    return ss.Comparisons.from_frame(table[table["times"] > 0], count="times")


def share_rejections(tally: Tally, design: ss.Comparisons, scale: Any) -> None:
    """Note the share of groups whose test rejects; tables without finite strengths do not count."""
    each = len(design.items) // GROUPS
    member = {item: f"group {k // each}" for k, item in enumerate(sorted(design.items))}
    try:
        fit = ss.bradley_terry(design, cluster="pair")
    except MleDoesNotExist:
        return
    found = ss.preference_shares(fit, member, scale=scale, ci="delta")
    for kind in {row.group: 0 for row in found.rows}:
        p = [row.p_value for row in found.rows if row.group == kind and row.p_value is not None]
        if p:
            tally.add(BY_PAIR, f"{kind} shares", float(np.mean(np.less(p, 0.05))), found.cautions)


def pooled_rates(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the pooled rate at which the more urgent item wins; pairs have leans of their own."""
    lines: list[Line] = []
    kinds = {
        "no leans of pairs": (0.0, False),
        "leans of SD 1, either item more urgent": (1.0, False),
        "leans of SD 1, the same item more urgent": (1.0, True),
        "leans of SD 2, the same item more urgent": (2.0, True),
    }
    for groups, size, (kind, (sd, one_way)) in product(
        (4, 6, 15, 45, 190), (EVEN, ZIPF), kinds.items()
    ):
        tally = Tally(
            "Pooled win rate of all items", f"{groups} {size.replace('cluster', 'pair')}, {kind}"
        )
        must = {}
        for p in (0.02, 0.1, 0.5):
            n = sizes(groups, MEAN_SIZE, size)
            wins = pooled_wins(rng, n, win_log_odds(p, sd), sd, sims, one_way=one_way)
            low, high, said = pooled_intervals(wins, n)
            noted(tally, BY_PAIR, f"p = {p:g}", (low <= p) & (p <= high), said)
            if said.mean() < 0.5:
                must[BY_PAIR, f"p = {p:g}"] = HOLDS
        lines += tally.lines(must)
    return lines


def win_log_odds(p: float, sd: float) -> float:
    """Return the log-odds of a win whose probability is p, averaged over leans of pairs."""
    return float(brentq(lambda x: marginal(np.array([x]), sd)[0] - p, -20.0, 20.0))


def pooled_wins(
    rng: np.random.Generator, n: IntArray, log_odds: float, sd: float, sims: int, *, one_way: bool
) -> FloatArray:
    """Draw wins of the more urgent item in each pair, (pairs, simulations)."""
    shape = (len(n), sims)
    lean, times = sd * rng.standard_normal(shape), np.repeat(n[:, None], sims, axis=1)
    first = (
        times if one_way else rng.binomial(times, 0.5)
    )  # comparisons in which the pair's first item is more urgent
    won = rng.binomial(first, expit(log_odds + lean)) + rng.binomial(
        times - first, expit(log_odds - lean)
    )
    return won.astype(np.float64)


def pooled_intervals(wins: FloatArray, n: IntArray) -> tuple[FloatArray, FloatArray, Any]:
    """Both ends of `win_rates(weights="pooled")` of all items, and whether a caution is said of this rate."""
    p, total = wins.sum(axis=0) / n.sum(), n.sum()
    found = mean_errors(
        (wins - n[:, None] * p) / total,
        np.repeat(n[:, None] / total, len(p), axis=1),
        [np.arange(len(n))],
    )
    low, high, trials = effective_share_interval(p, found, np.inf, level=0.95)
    rare = trials * np.minimum(p, 1 - p)
    few = (rare > 0) & (rare < RARE * np.maximum(1, found.clusters / (found.df + 1)))
    return low, high, few | uneven(found, len(n))


GROUP_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "alike_shares": partial(share_tests, strong=False),
    "strong_shares": partial(share_tests, strong=True),
    "pooled_rates": pooled_rates,
}
