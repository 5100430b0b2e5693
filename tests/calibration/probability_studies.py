"""Simulations of numbers from probabilities of answers: strengths in thin designs, shares in few clusters."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
from simulate import FloatArray, marginal
from studies import fit_to_probabilities
from tally import Line, Tally

import socialstats as ss

HOLDS = (0.925, 1.0)
BY_REPLY, BY_PAIR = "by reply (HC2, Satterthwaite's df)", "by pair (CR2, Satterthwaite's df)"


def probable(
    rng: np.random.Generator,
    pairs: list[tuple[int, int]],
    times: int,
    log_odds: FloatArray,
    sd: float,
    noise: float,
) -> ss.Comparisons:
    """Replies whose winner is a probability: log-odds of a pair, a normal effect of the pair, and one of the reply."""
    a, b = (np.repeat([pair[k] for pair in pairs], times) for k in (0, 1))
    at = np.repeat(
        log_odds + sd * rng.standard_normal(len(pairs)), times
    ) + noise * rng.standard_normal(len(a))
    table = pd.DataFrame(
        {"item_a": a.astype(str), "item_b": b.astype(str), "p": 1 / (1 + np.exp(-at))}
    )
    return ss.Comparisons.from_frame(table, winner="p", winner_coding="probability")


def thin_probabilities(rng: np.random.Generator, sims: int) -> list[Line]:
    """Strengths from probabilities of winners, and shares of probabilities, in thin designs; by reply and by pair."""
    half = [(i, i + 5) for i in range(5)]
    every = {n: list(combinations(range(n), 2)) for n in (3, 6, 8)}
    spread = np.array([2.0, 1.2, 0.4, -0.4, -1.2, -2.0])
    designs: dict[str, tuple[list[tuple[int, int]], int]] = {
        "3 items, all pairs x 6": (every[3], 6),
        "6 items, all pairs x 1": (every[6], 1),
        "6 items, all pairs x 4": (every[6], 4),
        "6 items from -2 to 2, all pairs x 4": (every[6], 4),
        "10 items, 5 rounds x 2": (
            [(i, (i + s) % 10) for s in (1, 3) for i in range(10)] + half,
            2,
        ),
        "20 leaves on a core of 8, x 4": ([*every[8], *[(0, k) for k in range(8, 28)]], 4),
        "60 items, 5 rounds x 2": (
            [(i, (i + s) % 60) for s in (1, 7) for i in range(60)]
            + [(i, i + 30) for i in range(30)],
            2,
        ),
    }
    lines: list[Line] = []
    for name, (pairs, times) in designs.items():
        own = spread if "from -2" in name else np.zeros(1 + max(map(max, pairs)))
        log_odds = np.array([own[a] - own[b] for a, b in pairs])
        for sd, noise in ((0.0, 0.5), (0.0, 3.0), (1.0, 0.5)):
            truth = (
                fit_to_probabilities(marginal(own[:, None] - own, math.hypot(sd, noise)))
                if own.any()
                else own
            )
            setting = f"{name}, effects of pairs SD {sd:g}, of replies SD {noise:g}"
            tally = Tally("Strengths from probabilities of winners", setting)
            for _ in range(sims):
                design = probable(rng, pairs, times, log_odds, sd, noise)
                for method, cluster in ((BY_REPLY, None), (BY_PAIR, "pair")):
                    fit = ss.bradley_terry(design, cluster=cluster)
                    at = {item: truth[int(item)] for item in fit.items}
                    rows = [row for row in fit.rows if row.conf_low is not None]
                    tally.covers(
                        method, "strengths", rows, [at[row.term] for row in rows], fit.cautions
                    )
                    known = [row for row in fit.pairwise().rows if row.conf_low is not None]
                    gaps = [
                        at[str(row.label("item"))] - at[str(row.label("other"))] for row in known
                    ]
                    tally.covers(method, "differences", known, gaps, fit.cautions)
            insisted = [BY_PAIR] if sd or times == 1 else [BY_PAIR, BY_REPLY]
            must = {
                (method, of): HOLDS for method in insisted for of in ("strengths", "differences")
            }
            lines += tally.lines({key: ends for key, ends in must.items() if key in tally.shares})
    return lines + probable_shares(rng, sims)


def probable_shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Shares of probabilities of replies in few clusters of three units with two replies each."""
    lines: list[Line] = []
    for groups in (5, 10, 30):
        for mean in (0.0, -3.0):
            for sd, noise in ((0.5, 0.5), (1.0, 3.0)):
                truth = float(marginal(np.array([mean]), math.hypot(sd, noise))[0])
                tally = Tally(
                    "Shares of probabilities in clusters",
                    f"{groups} clusters, share {truth:.2f}, effects "
                    f"of clusters SD {sd:g}, of replies SD {noise:g}",
                )
                for _ in range(sims):
                    cluster = np.repeat(np.arange(groups), 6)
                    at = (
                        mean
                        + sd * rng.standard_normal(groups)[cluster]
                        + noise * rng.standard_normal(len(cluster))
                    )
                    p = 1 / (1 + np.exp(-at))
                    table = pd.DataFrame(
                        {
                            "unit": np.arange(len(p)) // 2,
                            "rater": np.arange(len(p)) % 2,
                            "cluster": cluster,
                            "value": np.where(rng.random(len(p)) < p, "yes", "no"),
                            "p_yes": p,
                            "p_no": 1 - p,
                        }
                    )
                    design = ss.Ratings.from_frame(
                        table,
                        levels=["yes", "no"],
                        scale="nominal",
                        cluster="cluster",
                        probabilities="p_",
                    )
                    found = ss.choice_shares(design)
                    tally.covers(
                        "Wilson, effective answers (default)",
                        "share",
                        [found.row("yes")],
                        [truth],
                        found.cautions,
                    )
                lines += tally.lines(
                    {("Wilson, effective answers (default)", "share"): HOLDS} if mean == 0 else None
                )
    return lines


PROBABILITY_STUDIES = {"thin_probabilities": thin_probabilities}
