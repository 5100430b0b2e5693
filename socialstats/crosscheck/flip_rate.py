"""Flip rate recomputed: every pair of answers of every unit by itself; statsmodels for Wilson's interval."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.percent_agreement import answers, ratings_by_unit
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Verification


def verify(result: Result) -> Verification:
    """Recompute each row by going through the distinct rows of answers, each with how many units have it."""
    units = ratings_by_unit(result, result.extras["stratum"])
    near = np.asarray(result.extras["agrees"], dtype=float).tolist()
    sources = {group for _, _, group, _ in units.values()}
    checks: list[Check] = []
    for row in result.rows:
        among = {
            u: (answers(codes, None, near), weight, clusters)
            for u, (codes, weight, group, clusters) in units.items()
            if row.term == group or row.term not in sources
        }
        differed = {
            u: (1 - yes / n, weight, clusters)
            for u, ((yes, n), weight, clusters) in among.items()
            if n
        }
        checks += share_checks(
            result, row, differed, sum(n * weight for (_, n), weight, _ in among.values())
        )
    return Verification(checks=tuple(checks))
