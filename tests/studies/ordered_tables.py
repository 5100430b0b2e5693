"""Pair tables with sorted columns, and their strengths by brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd

BEATS = {
    ("A", "B"): (120, 80),
    ("A", "C"): (40, 60),
    ("B", "C"): (10, 90),
}  # wins of each, the columns sorted


def counted(wins: dict[tuple[str, str], tuple[int, int]]) -> pd.DataFrame:
    """One row a comparison, from how often the first and the second of a pair won."""
    rows = [
        (a, b, won)
        for (a, b), both in wins.items()
        for won, n in zip((a, b), both, strict=True)
        for _ in range(n)
    ]
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner"])


def zermelo(wins: dict[tuple[str, str], tuple[int, int]]) -> dict[str, float]:
    """Log-strengths with sum zero by Zermelo's iteration (Hunter, 2004, equation 3)."""
    worth = dict.fromkeys(sorted({item for pair in wins for item in pair}), 1.0)
    for _ in range(2000):
        won, met = dict.fromkeys(worth, 0.0), dict.fromkeys(worth, 0.0)
        for (a, b), (x, y) in wins.items():
            won[a], won[b] = won[a] + x, won[b] + y
            for item in (a, b):
                met[item] += (x + y) / (worth[a] + worth[b])
        worth = {item: won[item] / met[item] for item in worth}
    logs = {item: float(np.log(value)) for item, value in worth.items()}
    return {item: value - sum(logs.values()) / len(logs) for item, value in logs.items()}
