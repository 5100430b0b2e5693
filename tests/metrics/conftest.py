"""Seeded role-conflict tables, as rows a test can count by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


def simulate(seed=0, n_items=7, ties=0.0, keep=0.9, gap=1.0):
    """Rows of pairs x 3 x 3 urgencies, some left out, sides swapped at random."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=n_items)
    rows = []
    for i in range(n_items):
        for j in range(i + 1, n_items):
            if (i + j) % 5 == 4:
                continue
            for ui in (1, 2, 3):
                for uj in (1, 2, 3):
                    eta = gap * (ui - uj) + strength[i] - strength[j]
                    i_won = rng.random() < 1 / (1 + np.exp(-eta))
                    a, b, ua, ub = (i, j, ui, uj) if rng.random() < 0.5 else (j, i, uj, ui)
                    winner = "tie" if rng.random() < ties else f"r{i if i_won else j}"
                    if rng.random() < keep:
                        rows.append((f"r{a}", f"r{b}", ua, ub, winner, f"w{rng.integers(5)}"))
    columns = ["item_a", "item_b", "urgency_a", "urgency_b", "winner", "worker"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture
def conflict_rows():
    return simulate


def long(rows, weight=None):
    """Two plain records a row: item, opponent, condition, score, weight."""
    records = []
    for r in rows.to_dict("records"):
        for me, other, mine, its in (
            ("item_a", "item_b", "urgency_a", "urgency_b"),
            ("item_b", "item_a", "urgency_b", "urgency_a"),
        ):
            condition = "higher" if r[mine] > r[its] else "lower" if r[mine] < r[its] else "equal"
            score = 0.5 if r["winner"] == "tie" else float(r["winner"] == r[me])
            records.append(
                (r[me], r[other], condition, score, 1.0 if weight is None else r[weight])
            )
    return records


def brute_rate(records, item, condition, weights):
    """Win rate and effective n of one item under one condition, by loops."""
    mine = [r for r in records if r[0] == item and r[2] == condition]
    if not mine:
        return None, 0.0
    if weights == "pooled":
        total = sum(r[4] for r in mine)
        return sum(r[4] * r[3] for r in mine) / total, total**2 / sum(r[4] ** 2 for r in mine)
    rates, inverse = [], 0.0
    for other in sorted({r[1] for r in mine}):
        own = [r for r in mine if r[1] == other]
        total = sum(r[4] for r in own)
        rates.append(sum(r[4] * r[3] for r in own) / total)
        inverse += sum(r[4] ** 2 for r in own) / total**2
    return sum(rates) / len(rates), len(rates) ** 2 / inverse


@pytest.fixture
def by_hand():
    """(rows, item, condition, weights[, weight]) -> win rate and effective n."""
    return lambda rows, item, condition, weights, weight=None: brute_rate(
        long(rows, weight), item, condition, weights
    )


@pytest.fixture
def records_of():
    """The plain records of some rows, and the function that makes a rate of records."""
    return long, brute_rate
