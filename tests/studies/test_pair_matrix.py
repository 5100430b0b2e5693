"""The matrix of win rates between groups: rates by hand, intervals as an independent clustered mean has them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import socialstats as ss
from socialstats.inference.proportions import wilson
from socialstats.studies.comparisons import group_question


def choices(seed: int = 3) -> pd.DataFrame:
    """Sixteen items of two teams, each pair of items met six times with a liking of its own; one in nine is a tie."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(16):
        for j in range(i + 1, 16):
            p = rng.beta(2, 2)
            for _ in range(6):
                u = rng.random()
                winner = "tie" if u < 1 / 9 else f"i{i:02d}" if rng.random() < p else f"i{j:02d}"
                a, b = (i, j) if rng.random() < 0.5 else (j, i)
                rows.append((f"i{a:02d}", f"i{b:02d}", winner))
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])


def test_rates_and_clustered_intervals() -> None:
    frame = choices()
    team = {
        item: "red" if int(item[1:]) % 3 else "blue"
        for item in set(frame["item_a"]) | set(frame["item_b"])
    }
    block = group_question(ss.Comparisons.from_frame(frame), team, "team", 0.95)
    assert block is not None
    met = frame[frame["item_a"].map(team) != frame["item_b"].map(team)]
    red = np.where(met["item_a"].map(team) == "red", met["item_a"], met["item_b"])
    won = np.where(met["winner"] == "tie", 0.5, (met["winner"].to_numpy() == red).astype(float))
    pair = pd.factorize(
        np.where(
            met["item_a"] < met["item_b"],
            met["item_a"] + met["item_b"],
            met["item_b"] + met["item_a"],
        )
    )[0]
    fit = sm.OLS(won, np.ones(len(won))).fit(
        cov_type="cluster", cov_kwds={"groups": pair, "use_correction": False}
    )  # equal clusters: CR2 of a mean is CR0 times G / (G - 1)
    clusters = len(np.unique(pair))
    variance = fit.bse[0] ** 2 * clusters / (clusters - 1)
    trials = won.mean() * (1 - won.mean()) / variance
    low, high = wilson(
        won.mean(keepdims=True), np.array([min(trials, len(won))]), df=np.array([clusters - 1.0])
    )
    table = {
        (row.label("group"), row.label("other")): (row.estimate, row.conf_low, row.conf_high, row.n)
        for row in block.results[0].rows
    }
    assert table["red", "blue"] == pytest.approx((won.mean(), low[0], high[0], len(won)))
    assert table["blue", "red"] == pytest.approx(
        (1 - won.mean(), 1 - high[0], 1 - low[0], len(won))
    )
    assert "95% CI" in block.sentences[0]
    assert "clusters: 120 pairs of items" in block.caption
