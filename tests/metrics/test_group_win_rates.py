"""Win rates between groups of items: counted row by row, and as plain rates of two groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from socialstats.choices.group_win_rates import group_win_rates
from socialstats.errors import InputError, NothingToAnalyse

GROUPS = {"a": "x", "b": "x", "c": "y", "d": "z"}


def choices(seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    pairs = [rng.permutation(list(GROUPS))[:2] for _ in range(120)]
    return pd.DataFrame(
        [(a, b, (a, b, "tie")[rng.choice(3, p=[0.5, 0.4, 0.1])]) for a, b in pairs],
        columns=["item_a", "item_b", "winner"],
    )


def test_rates_are_counted_row_by_row() -> None:
    """Brute force: every row, each ordered pair of groups."""
    table = choices()
    result = group_win_rates(table, GROUPS)
    assert {(r.term, r.group) for r in result.rows} == {
        (p, q) for p in "xyz" for q in "xyz" if p != q
    }
    for row in result.rows:
        won = [
            0.5 if w == "tie" else float(GROUPS[w] == row.term)
            for a, b, w in table.to_numpy()
            if {GROUPS[a], GROUPS[b]} == {row.term, row.group}
        ]
        assert row.estimate == pytest.approx(np.mean(won))
        assert row.n == len(won)


def test_without_clusters_intervals_are_wilsons_with_t() -> None:
    """Of n rows the variance is p (1 - p) / (n - 1): Wilson's formula at n - 1 with the quantile of t."""
    table = choices()
    for row in group_win_rates(table[table["winner"] != "tie"], GROUPS, cluster=None).rows:
        p, n = row.estimate, row.n - 1
        z = student.ppf(0.975, n)
        middle, reach = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        assert (row.conf_low, row.conf_high) == pytest.approx(
            ((middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n))
        )
        assert group_win_rates(table, GROUPS, cluster=None).verify().ok


def test_items_without_a_group_and_groups_that_never_met() -> None:
    with pytest.raises(InputError, match="no group of 'd'"):
        group_win_rates(choices(), {k: v for k, v in GROUPS.items() if k != "d"})
    with pytest.raises(NothingToAnalyse, match="another group"):
        group_win_rates(choices(), dict.fromkeys(GROUPS, "one"))
