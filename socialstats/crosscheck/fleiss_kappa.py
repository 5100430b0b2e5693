"""Fleiss' kappa once more: statsmodels where all units have equally many ratings, and direct sums."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.agreement_direct import (
    Tallies,
    chance_parts,
    chance_values,
    checkable,
    direct,
    error_checks,
    name_of,
    tallies,
)
from socialstats.crosscheck.agreement_resamples import bootstrap_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import same_p, tail_p
from socialstats.results import Check, Result, Row, Verification

SAME = "the same sums in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute kappa of all units and of each stratum, Gwet's standard error, and the z of the null test."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 1)
        w = result.extras["weights"]
        theirs = chance_values(units.units, w, "fleiss")[0]
        checks.append(peer_check(row, result, units))
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        checks += error_checks(row, result, units, chance_parts(units.units, w, "fleiss"), SAME)
    nulls = [row for row in result.rows if row.term == "null test"]
    checks += [null_check(row, result) for row in nulls]
    checks += [same_p("null test, p", r.p_value, tail_p(r.statistic, None)) for r in nulls if r.statistic is not None]
    return Verification(checks=(*checks, *bootstrap_checks(result, 1)))


def peer_check(row: Row, result: Result, units: Tallies) -> Check:
    """Compare with statsmodels' fleiss_kappa, which knows no weights and one number of raters only."""
    sizes = {sum(n for _, n in unit) for unit in units.units}
    note = ""
    if result.settings["weights"] != "unweighted":
        note = "has no weights"
    elif len(sizes) > 1:
        note = f"takes the same number of ratings for every unit; here {min(sizes)} to {max(sizes)}"
    if note:
        return compare(name_of(row), None, None, package="statsmodels", tolerance=0.0, why="", note=note)
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = np.zeros((len(units.units), len(result.extras["levels"])))
    for u, unit in enumerate(units.units):
        for level, n in unit:
            table[u, level] = n
    theirs = float(fleiss_kappa(table, method="fleiss"))
    return compare(name_of(row), row.estimate, theirs, package="statsmodels", tolerance=1e-9, why=SAME)


def null_check(row: Row, result: Result) -> Check:
    """Compute z from the counts of the levels (Fleiss, Nee & Landis 1979), with plain sums."""
    units = tallies(result, result.rows[0], 1).units
    m, n = sum(b for _, b in units[0]), len(units)
    p = [sum(dict(unit).get(k, 0) for unit in units) / (n * m) for k in range(len(result.extras["levels"]))]
    total = sum(x * (1 - x) for x in p)
    variance = 2 / (n * m * (m - 1)) * (total**2 - sum(x * (1 - x) * (1 - 2 * x) for x in p)) / total**2
    value = chance_values(units, result.extras["weights"], "fleiss")[0]
    return direct("null test, z", row.statistic, value / variance**0.5, 1e-8, SAME)
