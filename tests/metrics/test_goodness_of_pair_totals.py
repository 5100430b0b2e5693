"""Pearson's chi-squared of each pair's total wins, recomputed pair by pair from predicted probabilities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss


def table(share_of_ties: float) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = []
    for a, b in combinations("abcdef", 2):
        for _ in range(12):
            winner = "tie" if rng.random() < share_of_ties else rng.choice([a, b])
            rows.append({"item_a": a, "item_b": b, "winner": winner})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("share_of_ties", [0.0, 0.35])
def test_each_pair_by_hand(share_of_ties: float) -> None:
    frame = table(share_of_ties)
    fit = ss.bradley_terry(ss.Comparisons.from_frame(frame))
    wanted = 0.0
    for (a, b), games in frame.groupby(["item_a", "item_b"]):
        win, tie = fit.predict(a, b).rows[0].estimate, 0.0
        if share_of_ties:
            tie = fit.predict(a, b).row("tie").estimate
        score = (games.winner == a).sum() + 0.5 * (games.winner == "tie").sum()
        mean = win + tie / 2
        variance = win * (1 - mean) ** 2 + tie * (0.5 - mean) ** 2 + (1 - win - tie) * mean**2
        wanted += (score - len(games) * mean) ** 2 / (len(games) * variance)
    row = fit.goodness_of_fit(cells="total").rows[0]
    assert row.statistic == pytest.approx(
        wanted, rel=1e-8
    )  # both from the same fitted probabilities
    assert row.df == 15 - 5


def test_without_ties_and_covariates_totals_are_the_pair_cells() -> None:
    fit = ss.bradley_terry(ss.Comparisons.from_frame(table(0.0)))
    total, pair = (fit.goodness_of_fit(cells=cells).row("Pearson") for cells in ("total", "pair"))
    assert (total.statistic, total.df) == pytest.approx((pair.statistic, pair.df), rel=1e-10)
