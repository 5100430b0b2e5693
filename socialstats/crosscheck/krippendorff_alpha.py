"""Krippendorff's alpha once more: the krippendorff package on counts of values, and direct sums.

The package is called with float counts (small integers overflow) and the ascending list of the values that occur (its
`value_domain`, whose order it does not check).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from socialstats.crosscheck.agreement_direct import (
    LABEL,
    Tallies,
    alpha_of,
    alpha_parts,
    checkable,
    direct,
    error_checks,
    name_of,
    tallies,
)
from socialstats.crosscheck.agreement_resamples import bootstrap_checks
from socialstats.crosscheck.long import compare
from socialstats.results import Check, Result, Row, Verification

LARGEST = 20_000_000
MOST_KINDS, MOST_SLOPES = 250, 10_000  # kinds of units, and times levels, whose slopes take a second or two
SAME = "the same sums in another order of arithmetic"
SLOPES = "central differences of the same sums, error about h^2"


def verify(result: Result) -> Verification:
    """Recompute alpha of all units and of each stratum, and the linearised standard error."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 2)
        checks.append(peer_check(row, result, units))
        theirs = alpha_of(list(Counter(units.units).items()), result.settings["scale"], units.scores)
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        kinds = set(units.units)
        used = {level for unit in kinds for level, _ in unit}
        if len(kinds) <= MOST_KINDS and len(kinds) * len(used) <= MOST_SLOPES:
            checks += error_checks(
                row, result, units, alpha_parts(units.units, result.settings["scale"], units.scores), SLOPES
            )
    return Verification(checks=(*checks, *bootstrap_checks(result, 2)))


def peer_check(row: Row, result: Result, units: Tallies) -> Check:
    """Compare with krippendorff.alpha."""
    import krippendorff

    used = sorted({level for unit in units.units for level, _ in unit})
    if len(units.units) * len(used) ** 2 > LARGEST:
        note = f"needs {len(units.units):,} x {len(used):,} x {len(used):,} numbers at once: see {LABEL}"
        return compare(name_of(row), None, None, package="krippendorff", tolerance=0.0, why="", note=note)
    place = {level: j for j, level in enumerate(used)}
    counts = np.zeros((len(units.units), len(used)))
    for u, unit in enumerate(units.units):
        for level, n in unit:
            counts[u, place[level]] = n
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=[units.scores[level] for level in used],
        level_of_measurement=result.settings["scale"],
    )  # fmt: skip
    return compare(name_of(row), row.estimate, float(theirs), package="krippendorff", tolerance=1e-9, why=SAME)
