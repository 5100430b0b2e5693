"""Coverage of intervals from probabilities of answers, simulated with a seed; more designs in docs/calibration.md."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

import socialstats as ss
from socialstats import Comparisons, Ratings

SIMULATIONS, HOLDS = 200, 0.905  # of nominal .95: three Monte-Carlo standard errors below it
LEVELS = ["0", "1", "2", "3"]


def inside(row: ss.Row, truth: float) -> bool:
    assert row.conf_low is not None
    assert row.conf_high is not None
    return row.conf_low <= truth <= row.conf_high


@pytest.mark.slow
def test_strengths_by_pair_hold_where_pairs_have_leans_of_their_own() -> None:
    """Six items of equal strength, four replies a pair, effects of pairs of sd 1, of replies of sd 0.5."""
    rng, pairs = np.random.default_rng(11), list(combinations(range(6), 2))
    held = []
    for _ in range(SIMULATIONS):
        at = np.repeat(rng.standard_normal(len(pairs)), 4) + 0.5 * rng.standard_normal(
            4 * len(pairs)
        )
        table = pd.DataFrame(
            np.repeat(np.array(pairs).astype(str), 4, axis=0), columns=["item_a", "item_b"]
        )
        design = Comparisons.from_frame(
            table.assign(p=expit(at)), winner="p", winner_coding="probability"
        )
        fit = ss.bradley_terry(design, cluster="pair")
        held += [inside(row, 0.0) for row in fit.rows]
    assert np.mean(held) > HOLDS


def answers(rng: np.random.Generator, units: int, runs: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Five people, and runs of a model whose probabilities are a softmax of normal effects of units and replies."""
    people = rng.dirichlet([4.0, 1.0, 0.5, 0.5], units)
    own = rng.standard_normal((units, 1, 4)) + 0.5 * rng.standard_normal((units, runs, 4))
    p = np.exp(own) / np.exp(own).sum(axis=2, keepdims=True)
    rows = [
        (f"u{u:02}", f"h{k}", "human", rng.choice(LEVELS, p=people[u]), *[None] * 4)
        for u in range(units)
        for k in range(5)
    ]
    rows += [
        (f"u{u:02}", f"m{r}", "model", rng.choice(LEVELS, p=p[u, r]), *p[u, r])
        for u in range(units)
        for r in range(runs)
    ]
    columns = ["unit", "rater", "source", "value", *(f"p_{level}" for level in LEVELS)]
    return pd.DataFrame(rows, columns=columns), p


@pytest.mark.slow
def test_shares_means_and_similarities_hold() -> None:
    """Shares of levels are .25 each by symmetry; people's .67, .17, .08, .08; 30 units, two runs."""
    rng, human = np.random.default_rng(12), np.array([4.0, 1.0, 0.5, 0.5]) / 6
    model = np.full(4, 0.25)
    middle = (human + model) / 2
    similar = 1 - sum(float(stats.entropy(x, middle, base=2)) for x in (human, model)) / 2
    held: dict[str, list[bool]] = {"share": [], "difference": [], "mean": [], "similarity": []}
    for _ in range(SIMULATIONS):
        table, _ = answers(rng, 30, 2)
        design = Ratings.from_frame(
            table, levels=LEVELS, scale="ordinal", rater_source="source", probabilities="p_"
        )
        shares = ss.choice_shares(design, permutations=99)
        held["share"] += [inside(shares.row(level, group="model"), 0.25) for level in LEVELS]
        held["difference"] += [
            inside(shares.row(level, group="model - human"), 0.25 - h)
            for level, h in zip(LEVELS, human, strict=True)
        ]
        alone = design.of_raters(["m0", "m1"])
        held["mean"].append(inside(ss.mean_ratings(alone).row("all units"), 1.5))
        held["similarity"].append(
            inside(ss.js_similarity(design, permutations=99, splits=99).row("model"), similar)
        )
    assert {
        name: round(float(np.mean(one)), 3) for name, one in held.items() if np.mean(one) < HOLDS
    } == {}


@pytest.mark.slow
def test_distances_hold_for_people_whose_mode_is_clear() -> None:
    """Twenty-one people of whom nearly all give level 1: a distance is the sum of p |level - 1|."""
    rng, held = np.random.default_rng(13), []
    truth = 0.25 * (1 + 0 + 1 + 2)  # by symmetry each level has a mean of one quarter
    for _ in range(SIMULATIONS):
        table, _ = answers(rng, 30, 1)
        table = table[table["source"] == "model"]
        people = pd.DataFrame(
            [
                (f"u{u:02}", f"h{k:02}", "human", "1" if rng.random() < 0.9 else "2", *[None] * 4)
                for u in range(30)
                for k in range(21)
            ],
            columns=table.columns,
        )
        design = Ratings.from_frame(
            pd.concat([people, table]),
            levels=LEVELS,
            scale="ordinal",
            rater_source="source",
            probabilities="p_",
        )
        held.append(inside(ss.ada_met(design, resamples=100).row("m0", group=None), truth))
    assert np.mean(held) > HOLDS
