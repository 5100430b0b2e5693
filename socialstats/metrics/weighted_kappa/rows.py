"""Rows of weighted kappa: all pairs together, each pair, with the reason where a number does not exist."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from socialstats.errors import Caution, UndefinedStatistic
from socialstats.inference.how import How
from socialstats.inference.infer import Disagreement, Estimand, Inferred, infer
from socialstats.inference.intervals import two_sided_p
from socialstats.inference.rows import with_inferred
from socialstats.models.kappa import KappaTable, PairKappa, sparse_columns
from socialstats.models.raters import OnUndefined, Patterns
from socialstats.results import Row
from socialstats.text import count as counted
from socialstats.text import shorten

ROUNDING = 1e-14
RESAMPLED = ("percentile", "basic", "bca")
MEAN, POOLED = "mean", "pooled"
TOGETHER = (MEAN, POOLED)
METHODS = {
    "fisher": "Fisher z of kappa", "wald": "Wald", "percentile": "bootstrap, percentile", "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa", "disagreements": "Korn and Graubard's interval of the share of disagreement",
    "hull": "Fisher z and Korn and Graubard's interval of the share of disagreement, the wider at each end",
}  # fmt: skip
NO_PAIR = "no two raters have a kappa"
TOO_FEW = "kappa needs at least 2 units with ratings of two raters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(How):
    """What the caller chose, checked."""

    weights: Any
    kind: str
    pairs: str | tuple[str, str]
    stratum: str | None
    refusal: str
    on_undefined: OnUndefined


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
    def inferred(self) -> tuple[tuple[Inferred, ...], tuple[Caution, ...]]:
        """What is known of each pair's kappa and (with several pairs) of the mean and the pooled one, and cautions."""
        table, several = self.table, len(self.table.found) > 1
        values = [math.nan if f.n < 2 or None not in f.constant else f.kappa for f in table.found]
        estimate = np.array([*values, *([table.mean, table.pooled] if several else [])])
        nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        moves = [nothing if one is None else (one.cells, one.values) for one in table.influence[: len(estimate)]]
        apart, weights, expected = table.disagreements()
        return infer(
            Estimand(
                estimate=estimate, influence=lambda: sparse_columns(moves, len(table.count)),
                shares=table.shares(), copies=table.count, statistics=table.statistics(), finish=table.finish,
                disagreement=Disagreement(values=apart, shares=weights, expected=expected),
                fisher=True, large_sample=True,
            ),
            self.patterns.clusters,
            self.options,
        )  # fmt: skip

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
        return self.filled(replace(row, estimate=value), column)

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
        row = replace(row, estimate=found.kappa)
        if any(level is not None for level in always):
            who = [shorten(self.patterns.raters[r]) for r in self.table.pairs[p]]
            said = next((r, level) for r, level in zip(who, always, strict=True) if level is not None)
            why = f"'{said[0]}' always gave '{said[1]}', so kappa is 0 whatever the other did: no error, no interval"
            return replace(row, undefined=why)
        return self.tested(self.filled(row, p), found)

    def filled(self, row: Row, column: int) -> Row:
        """Add standard error, interval, and t test (for pairs of independent units replaced by `tested`)."""
        clusters = self.patterns.clusters
        found = self.inferred[0][
            min(column, len(self.inferred[0]) - 1)
        ]  # of one pair, mean and pooled kappa are its own
        made = METHODS[found.kind if found.kind in METHODS else "fisher"]
        row = replace(
            row, n_clusters=found.clusters if clusters else None,
            method=made if found.statistic is None else f"{made}; t test of kappa over its s.e.",
        )  # fmt: skip
        return with_inferred(row, found, self.options.level)

    def tested(self, row: Row, found: PairKappa) -> Row:
        """Give a pair of independent units the z test by the null standard error."""
        if self.patterns.clusters or not found.null_error > 0:
            return row
        z = found.kappa / found.null_error
        how = f"{(row.method or '').partition(';')[0]}; z test by the null s.e."
        return replace(row, statistic=z, df=None, p_value=float(two_sided_p(np.array(z))), method=how)


def undefined_row(row: Row, why: str, on_undefined: OnUndefined) -> Row:
    """Return the row of a coefficient that does not exist, as the caller wants it."""
    if on_undefined == "raise":
        place = f" ({row.group})" if row.group is not None else ""
        raise UndefinedStatistic(f"{row.term}{place}: {why}; on_undefined='nan' gives a row with this reason")
    if on_undefined == "nan":
        return replace(row, undefined=why)
    return replace(row, estimate=1.0, undefined=f"{why}; taken as 1 by on_undefined=1.0", method="on_undefined=1.0")
