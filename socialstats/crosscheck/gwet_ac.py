"""Gwet's AC1 and AC2 once more: no package for a current Python has them, so direct sums over pairs of ratings."""

from __future__ import annotations

from socialstats.crosscheck.agreement_direct import (
    chance_parts,
    chance_values,
    checkable,
    direct,
    error_checks,
    name_of,
    tallies,
)
from socialstats.crosscheck.agreement_resamples import bootstrap_checks
from socialstats.results import Check, Result, Verification

SAME = "the same sums in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute the coefficient of all units and of each stratum, and Gwet's standard error."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 1)
        w = result.extras["weights"]
        theirs = chance_values(units.units, w, "gwet")[0]
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        checks += error_checks(row, result, units, chance_parts(units.units, w, "gwet"), SAME)
    return Verification(checks=(*checks, *bootstrap_checks(result, 1)))
