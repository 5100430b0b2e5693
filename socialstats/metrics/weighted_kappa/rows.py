"""Rows of weighted kappa: all pairs together, each pair, with the reason where a number does not exist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import critical_value, two_sided_p
from socialstats.models.kappa import KappaTable, PairKappa, standard_error
from socialstats.models.raters import OnUndefined, Patterns
from socialstats.resampling import Bootstrap, Interval, bootstrap, choose, jackknife
from socialstats.results import Row
from socialstats.text import count as counted
from socialstats.text import shorten

ROUNDING = 1e-14
RESAMPLED = ("percentile", "basic", "bca")
MEAN, POOLED = "mean", "pooled"
TOGETHER = (MEAN, POOLED)
METHODS = {
    "closed": "Fisher z of kappa", "wald": "Wald", "percentile": "bootstrap, percentile", "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa",
}  # fmt: skip
PERFECT = "perfect agreement: the standard error is 0, so there is no interval"
FLAT = "no unit moves kappa: the standard error is 0, so there is no interval"
ONE_CLUSTER = "a single cluster: no standard error and no interval"
NO_PAIR = "no two raters have a kappa"
TOO_FEW = "kappa needs at least 2 units with ratings of two raters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose, checked."""

    weights: Any
    kind: str
    pairs: str | tuple[str, str]
    stratum: str | None
    refusal: str
    ci: str
    cluster: str | Sequence[str] | None
    on_undefined: OnUndefined
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """All units (group None), or those of one level of the stratum.

    Attributes
    ----------
    group : str or None
    patterns : Patterns
    table : KappaTable
    names : tuple of str
        Of the pairs of `table`.
    """

    group: str | None
    patterns: Patterns
    table: KappaTable
    names: tuple[str, ...]
    options: Options

    @cached_property
    def resampled(self) -> tuple[Interval, Bootstrap] | str | None:
        """Bootstrap intervals of all columns; why there are none; None where none were asked for."""
        o, table = self.options, self.table
        if o.ci not in RESAMPLED or np.isnan(table.pooled):
            return None
        if any(len(np.unique(codes)) < 2 for codes in self.patterns.clusters):
            return ONE_CLUSTER
        units = self.patterns.units()
        statistics = table.statistics()
        boot = bootstrap(statistics, table.finish, units, resamples=o.resamples, seed=o.seed)
        leave_out = o.ci == "bca" and len(self.patterns.clusters) < 2
        jack = jackknife(statistics, table.finish, units) if leave_out else None
        return choose(o.ci, boot, level=o.level, jack=jack), boot

    def rows(self) -> list[Row]:
        """Return the rows of all pairs together (where there are several), then those of each pair."""
        together = len(self.patterns.raters) > 2 or self.options.pairs == "pooled"
        out = [self.joint_row(MEAN), self.joint_row(POOLED)] if together else []
        if self.options.pairs != "pooled":
            out += [self.pair_row(p) for p in range(len(self.names))]
        return out

    def joint_row(self, term: str) -> Row:
        """Row of the mean or the pooled kappa."""
        column = len(self.names) + (MEAN, POOLED).index(term)
        value = (self.table.mean, self.table.pooled)[(MEAN, POOLED).index(term)]
        row = Row(
            term=term, group=self.group, n=float(sum(f.n for f in self.table.found)), n_units=self.patterns.n_units
        )
        if self.patterns.n_units < 2:
            return replace(row, undefined=TOO_FEW)
        if math.isnan(value):
            why = NO_PAIR if not any(f.n for f in self.table.found) else "no variation: " + NO_PAIR
            return undefined_row(row, why, self.options.on_undefined if any(f.n for f in self.table.found) else "nan")
        value = 0.0 if abs(value) < ROUNDING else value
        return self.filled(replace(row, estimate=value), column, PERFECT if value == 1 else "")

    def pair_row(self, p: int) -> Row:
        """Row of one pair of raters."""
        found = self.table.found[p]
        row = Row(term=self.names[p], group=self.group, n=found.n, n_units=int(found.n))
        if found.n < 2:
            units = "no unit" if found.n == 0 else "only one unit"
            return replace(row, undefined=f"{units} has ratings of both; kappa needs at least 2")
        always = [None if code is None else shorten(self.patterns.levels[code]) for code in found.constant]
        if math.isnan(found.kappa):
            why = "no variation: the weights say that all levels they gave agree fully"
            if always[0] is not None and always[0] == always[1]:
                why = f"no variation: both raters gave '{always[0]}' to all {counted(found.n, 'unit')}"
            return undefined_row(row, why, self.options.on_undefined)
        row, why = replace(row, estimate=found.kappa), ""
        if any(level is not None for level in always):
            who = [shorten(self.patterns.raters[r]) for r in self.table.pairs[p]]
            said = next((r, level) for r, level in zip(who, always, strict=True) if level is not None)
            why = f"'{said[0]}' always gave '{said[1]}', so kappa is 0 whatever the other did: no error, no interval"
        elif found.kappa == 1:
            why = PERFECT
        return self.tested(self.filled(row, p, why), p, found)

    def filled(self, row: Row, column: int, why: str) -> Row:
        """Add standard error, interval, and t test (for pairs of independent units replaced by `tested`)."""
        o, clusters = self.options, self.patterns.clusters
        error, g = standard_error(self.table.influence[column], self.patterns.count, clusters)
        row = replace(row, n_clusters=g if clusters else None, method=METHODS[o.ci])
        if not why and math.isnan(error):
            why = ONE_CLUSTER
        if not why and error <= 1e-9:
            why = FLAT
        if why:
            return replace(row, undefined=why)
        value = float(row.estimate or 0.0)
        p = float(two_sided_p(np.array(value / error), g - 1))
        low, high, why = self.ends(column, value, error, g)
        there = not why
        return replace(
            row, std_error=error, conf_low=low if there else None, conf_high=high if there else None,
            conf_level=o.level if there else None, statistic=value / error, df=float(g - 1), p_value=p,
            undefined=why or None, method=f"{METHODS[o.ci]}; t test of kappa over its s.e.",
        )  # fmt: skip

    def tested(self, row: Row, p: int, found: PairKappa) -> Row:
        """Give a pair of independent units the z test by the null standard error."""
        if self.patterns.clusters or not found.null_error > 0:
            return row
        z = found.kappa / found.null_error
        how = f"{METHODS[self.options.ci]}; z test by the null s.e."
        return replace(row, statistic=z, df=None, p_value=float(two_sided_p(np.array(z))), method=how)

    def ends(self, column: int, value: float, error: float, g: int) -> tuple[float, float, str]:
        """Return the interval, or why there is none."""
        o = self.options
        if isinstance(self.resampled, str):
            return math.nan, math.nan, self.resampled
        if self.resampled is not None:
            found, boot = self.resampled
            column = min(column, len(found.low) - 1)  # a single pair has one column for all three
            if boot.is_constant[column]:
                return math.nan, math.nan, "all resamples give the same kappa, so there is no interval"
            return float(found.low[column]), float(found.high[column]), found.undefined[column]
        if o.ci == "wald":
            reach = critical_value(o.level, g - 1 if self.patterns.clusters else None) * error
            return value - reach, value + reach, ""
        small = 1.0 if self.patterns.clusters else math.sqrt(g / (g - 1))
        return fisher_interval(value, error * small, df=g - 1, level=o.level)


def fisher_interval(value: float, error: float, *, df: float, level: float) -> tuple[float, float, str]:
    """Interval of a coefficient in (-1, 1) by its Fisher z: tanh(atanh(value) -+ t error / (1 - value^2)).

    Examples
    --------
    >>> low, high, _ = fisher_interval(0.5, 0.1, df=99, level=0.95)
    >>> round(low, 3), round(high, 3)
    (0.277, 0.672)
    """
    if abs(value) >= 1:
        return math.nan, math.nan, "kappa is not inside (-1, 1), where its Fisher z exists; use ci='percentile'"
    reach = critical_value(level, df) * error / (1 - value**2)
    low, high = math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)
    return low, high, ""


def undefined_row(row: Row, why: str, on_undefined: OnUndefined) -> Row:
    """Return the row of a coefficient that does not exist, as the caller wants it."""
    if on_undefined == "raise":
        place = f" ({row.group})" if row.group is not None else ""
        raise UndefinedStatistic(f"{row.term}{place}: {why}; on_undefined='nan' gives a row with this reason")
    if on_undefined == "nan":
        return replace(row, undefined=why)
    return replace(row, estimate=1.0, undefined=f"{why}; taken as 1 by on_undefined=1.0", method="on_undefined=1.0")
