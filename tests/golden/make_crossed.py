"""Simulate ``crossed.csv.gz``: 2,000 comparisons with ties, crossed clusters, an urgency and an order effect.

Twelve items; every worker and every prompt has its own deviation for every item, so that rows of a worker and rows
of a prompt are dependent. Run from the project's root: ``python tests/golden/make_crossed.py``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.special import ndtri

from socialstats.datasets.simulating import csv_bytes, gzip_bytes

ROWS, ITEMS, WORKERS, PROMPTS = 2000, 12, 40, 25
HEADER = ("item_a", "item_b", "urgency_a", "urgency_b", "first", "winner", "worker", "prompt")


def rows() -> list[tuple[str, ...]]:
    rng = np.random.Generator(np.random.PCG64(7))
    draw = lambda n, size=ROWS: np.floor(rng.random(size) * n).astype(int)  # noqa: E731
    strength = np.round(np.linspace(-1.2, 1.2, ITEMS), 3)
    by_worker = 0.7 * ndtri(rng.random((WORKERS, ITEMS)))
    by_prompt = 0.5 * ndtri(rng.random((PROMPTS, ITEMS)))
    a, step, worker = (
        draw(ITEMS),
        1 + draw(ITEMS - 1),
        np.floor(WORKERS * rng.random(ROWS) ** 1.5).astype(int),
    )
    b, prompt, urgency = (a + step) % ITEMS, draw(PROMPTS), 1 + draw(3, (2, ROWS))
    first = np.where(rng.random(ROWS) < 0.5, 1, -1)
    side = lambda i: strength[i] + by_worker[worker, i] + by_prompt[prompt, i]  # noqa: E731
    gap = side(a) - side(b) + 0.5 * (urgency[0] - urgency[1]) + 0.3 * first
    ways = np.exp(np.stack([gap / 2, -gap / 2, np.full(ROWS, -0.7)]))
    outcome = (rng.random(ROWS) * ways.sum(axis=0) > np.cumsum(ways, axis=0)).sum(axis=0)
    made = []
    for k in range(ROWS):
        sides = (f"i{a[k] + 1:02d}", f"i{b[k] + 1:02d}")
        label = (*sides, "tie")[outcome[k]]
        shown = sides[int(first[k] < 0)]
        people = (f"w{worker[k] + 1:02d}", f"p{prompt[k] + 1:02d}")
        made.append((*sides, str(urgency[0, k]), str(urgency[1, k]), shown, label, *people))
    return made


if __name__ == "__main__":
    Path(__file__).with_name("crossed.csv.gz").write_bytes(gzip_bytes(csv_bytes(HEADER, rows())))
