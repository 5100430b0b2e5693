"""Kappas of all pairs of many raters once more: the table of every pair by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.results import Check, Result

SAME = "the table of every pair written out; the quantiles by sorting"


def checks_of(result: Result, places: Mapping[str, float]) -> list[Check]:
    """Recompute the quantiles of the kappas.

    Parameters
    ----------
    result : Result
        Rows by the names of `places`.
    places : mapping of str to float
        Which quantile each row is.
    """
    values = sorted(kappas(result))
    return [
        compare(f"{row.term} of the kappas", row.estimate, quantile(values, places[row.term]), package="numpy",
                tolerance=1e-10, why=SAME)
        for row in result.rows
    ]  # fmt: skip


def kappas(result: Result) -> list[float]:
    """Return 1 - Do/De of every pair with two units and an expected disagreement."""
    design, disagreement = result.design, 1 - np.asarray(result.extras["weights"])
    k = len(disagreement)
    wide = design.matrix()
    found = []
    for a, b in combinations(range(len(design.raters)), 2):
        both = ~np.isnan(wide[:, a]) & ~np.isnan(wide[:, b])
        table = np.zeros((k, k))
        np.add.at(table, (wide[both, a].astype(int), wide[both, b].astype(int)), design.unit_count[both])
        n = float(table.sum())
        expected = table.sum(axis=1) @ disagreement @ table.sum(axis=0) / n**2 if n >= 2 else 0.0
        if expected > 1e-12:
            found.append(1 - float((table * disagreement).sum()) / n / float(expected))
    return found


def quantile(values: list[float], place: float) -> float:
    """Return a quantile of sorted values, linear between two neighbours."""
    at = place * (len(values) - 1)
    low, high = math.floor(at), math.ceil(at)
    return values[low] + (at - low) * (values[high] - values[low])
