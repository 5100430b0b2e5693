"""One engine that computes a result again from a plain definition and the numbers of other packages.

A metric states a plain definition of its estimates, in ten lines that a reader can check at sight. It names the
packages that have some of its numbers (`Definition`). From these the engine recomputes the estimates. It takes standard
errors and degrees of freedom from derivatives of the plain definition, and t tests and intervals from both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import CR2, SMOOTH, Errors, errors_by, unfloored_check
from socialstats.crosscheck.paired_tables import MOST_ROWS, set_aside
from socialstats.crosscheck.profile_score import PROFILE, profile_interval, score_checks
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    inner_level,
    label,
    wald_checks,
    with_open_end,
)
from socialstats.crosscheck.shares import clustered_share_checks
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.verification import Definition, PeerNumbers, Published, marked

STEP = 1e-4  # relative step of a central difference, whose error is of the order of its square
MOST_GROUPS = 2_000  # clusters, or cells of independent pairs, whose weight is varied one by one
PLAIN = "the plain definition of the metric, by counting"


def verify(result: Result, definition: Definition) -> Verification:
    """Recompute the estimates of a result, their errors, t tests and intervals, and what other packages have."""
    pairs: Paired = result.design
    estimates = definition.plain(pairs, pairs.count)
    checks = [
        check
        for row in result.rows
        if (value := estimates.get((row.group, row.term))) is not None and row.estimate is not None
        for check in field_checks(row, "numpy", PLAIN, estimate=value)
    ]
    for row in result.rows:
        checks += check_error(result, row, definition)
        checks += check_score(result, row)
    rows = {(row.group, row.term): row for row in result.rows}
    for theirs in definition.peers(pairs, result.settings):
        if theirs.row in rows:
            checks += check_numbers(rows[theirs.row], theirs)
    return Verification(checks=(*checks, *check_copies(result, checks)))


def check_error(result: Result, row: Row, definition: Definition) -> list[Check]:
    """Compare standard error, df, test and interval of a row with those of the estimate that it is about."""
    term = definition.t_tests.get(row.term, row.term)
    is_test = term != row.term
    settings, pairs = result.settings, result.design
    estimate = definition.plain(pairs, pairs.count).get((None, term))
    if estimate is None or (row.statistic is None if is_test else row.std_error is None):
        return []
    factors = factors_of_row(row, pairs.factors(settings["cluster"]))
    contributions = contributions_of(pairs, definition, term, factors)
    if isinstance(contributions, str):
        return [set_aside(label(row, "s.e."), row.std_error, None, "numpy", contributions)]
    errors = contributions.errors()
    if row.interval == "score" and row.limits and row.role == "estimate" and factors:
        return check_share(row, estimate, errors, contributions.total, settings)
    error = math.sqrt(errors.variance)
    checks = [] if is_test else field_checks(row, "numpy", CR2, SMOOTH, std_error=error)
    if row is result.rows[0] and "unfloored_std_error" in result.extras:
        checks.append(unfloored_check(result.extras["unfloored_std_error"], errors))
    shown = row if row.test == "t" else replace(row, statistic=None, df=None, p_value=None)
    return checks + wald_checks(
        shown,
        settings["level"],
        estimate,
        error,
        errors.df if factors else None,
        alternative=settings.get("alternative", "two_sided"),
        cut=row.limits,
        ends=row.interval in ("t", "z"),
        why=CR2,
        close=SMOOTH,
    )


def check_share(
    row: Row, estimate: float, errors: Errors, answers: float, settings: Mapping[str, Any]
) -> list[Check]:
    """Compare error and Wilson's interval of a share in clusters, whose scale may begin elsewhere than at 0."""
    shift = row.limits[0] if row.limits else 0.0
    shifted = replace(
        row,
        conf_low=_moved(row.conf_low, -shift),
        conf_high=_moved(row.conf_high, -shift),
    )
    side, level = settings["alternative"], inner_level(settings)
    return clustered_share_checks(
        shifted, estimate - shift, errors, answers=answers, level=level, side=side
    )


def _moved(end: float | None, shift: float) -> float | None:
    """Return an end of an interval on another scale, which still stands for the published one."""
    return None if end is None else marked(end + shift, end)


def check_score(result: Result, row: Row) -> list[Check]:
    """Compare Tango's interval of a difference of paired shares, and its test, by a numerical likelihood."""
    settings, pairs = result.settings, result.design
    ends = row.interval == "score" and row.role == "difference" and row.has_interval
    if not (ends and settings.get("difference_ci", "tango") == "tango") and row.test != "score":
        return []
    if pairs.n_pairs > MOST_ROWS:
        return []
    difference = np.repeat(pairs.difference, pairs.count.astype(np.int64))
    side, inner = settings["alternative"], inner_level(settings)
    factors = factors_of_row(row, pairs.factors(settings["cluster"]))
    if factors:
        codes = np.column_stack([factor.codes for factor in factors])
        groups = np.repeat(codes, pairs.count.astype(np.int64), axis=0)
        shown = row if ends else replace(row, conf_low=None)
        test = row if row.test == "score" else replace(row, statistic=None)
        return score_checks(shown, test, difference, groups, inner, side)
    b, c = float((difference > 0).sum()), float((difference < 0).sum())
    table = np.array([[len(difference) - b - c, c], [b, 0.0]])
    low, high = with_open_end(*profile_interval(table, inner), side, row.limits)
    return end_checks(row, low, high, "scipy", PROFILE, SMOOTH, least=(high - low) / 2)


def factors_of_row(row: Row, factors: Sequence[Factor]) -> tuple[Factor, ...]:
    """Return the clusters that a row takes into account: none without a number of clusters, or those it names."""
    if row.n_clusters is None:
        return ()
    named = row.label("factor")
    return tuple(factor for factor in factors if named in (None, factor.name))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contributions:
    """What groups of pairs, which are alike in their clusters, add to an estimate; those that add nothing are left out.

    Attributes
    ----------
    influence : (groups,) float64 array
        Derivative of the estimate by the relative weight of the group.
    weight : (groups,) float64 array
        Pairs that the denominator of the estimate counts.
    codes : (groups, factors) int64 array
        Clusters of the group; without factors a group is a cell of independent pairs.
    """

    influence: FloatArray
    weight: FloatArray
    codes: IntArray

    @property
    def total(self) -> float:
        """Pairs that the denominator counts."""
        return float(self.weight.sum())

    def errors(self) -> Errors:
        """Return variance and df under clusters, or of independent pairs: the squares added up."""
        if self.codes.shape[1]:
            return errors_by(self.influence, self.weight / self.total, self.codes)
        variance = float(self.influence**2 @ (1 / self.weight))
        return Errors(
            variance=variance,
            df=math.inf,
            effective=self.total,
            largest=1 / self.total,
            plain=variance,
        )


def contributions_of(
    pairs: Paired, definition: Definition, term: str, factors: Sequence[Factor]
) -> Contributions | str:
    """Return the contributions to an estimate, by central differences of its plain definition; or why there are none.

    There are none for more than `MOST_GROUPS` clusters, and where one cluster holds all pairs.
    """
    # independent pairs with the same values add the same to an estimate
    alike: list[Any] = [factor.codes for factor in factors] or [pairs.first, pairs.second]
    codes, group = np.unique(np.column_stack(alike), axis=0, return_inverse=True)
    group = group.ravel()
    among = definition.among.get(term)
    counted = pairs.count * (1.0 if among is None else among(pairs))
    weight = np.bincount(group, counted).astype(np.float64)
    # clusters that the denominator does not count say nothing of the estimate, nor of which factors are nested
    entering = np.flatnonzero(weight)
    if len(entering) > MOST_GROUPS:
        return f"more than {MOST_GROUPS:,} clusters, whose weights are not varied one by one"
    codes = codes[entering]
    if factors and min(len(np.unique(code)) for code in codes.T) < 2:
        return "one cluster holds all pairs"
    influence = np.zeros(len(entering))
    for k, at in enumerate(entering):
        move = STEP * (group == at)
        above, below = (definition.plain(pairs, pairs.count * (1 + s * move)) for s in (1, -1))
        influence[k] = (above[None, term] - below[None, term]) / (2 * STEP)
    codes = codes.astype(np.int64) if factors else np.zeros((len(entering), 0), dtype=np.int64)
    return Contributions(influence=influence, weight=weight[entering], codes=codes)


def check_numbers(row: Row, theirs: PeerNumbers) -> Iterator[Check]:
    """Compare fields of a row with what another package gives for them."""
    package, why = theirs.package, f"{theirs.package}'s own function"
    if theirs.note:
        for name, value in theirs.numbers.items():
            yield set_aside(label(row, name), getattr(row, name), value, package, theirs.note)
        return
    yield from field_checks(row, package, why, theirs.close, **theirs.numbers)
    if theirs.ends is not None:
        reach = (theirs.ends[1] - theirs.ends[0]) / 2
        least = reach if math.isfinite(reach) else 0.0
        yield from end_checks(row, *theirs.ends, package, why, theirs.close, least)


def check_copies(result: Result, checks: Sequence[Check]) -> Iterator[Check]:
    """Compare the test that the first row shows with the row of this test (`lead`), which was recomputed."""
    recomputed = {
        check.ours.at: check for check in checks if isinstance(check.ours, Published) and check.ok
    }
    row = result.rows[0]
    lead = next((test for test in result.rows if test.term == result.extras.get("lead")), row)
    for name in ("statistic", "df", "p_value"):
        ours, of_test = getattr(row, name), getattr(lead, name)
        check = recomputed.get(of_test.at) if isinstance(of_test, Published) else None
        if ours is not None and lead is not row and check is not None:
            agrees = abs(ours - (check.theirs or 0.0)) <= check.tolerance
            yield replace(check, quantity=label(row, name), ours=ours, ok=agrees)
