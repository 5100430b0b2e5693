"""Two sources whose answers are compared, and the similarities of groups of units with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.errors import Caution
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.paired.robust_tests import WaldTest
from socialstats.resampling import ChanceTest, PlanUnits, Replicates, bootstrap_sums, choose
from socialstats.resampling.engine import Finish
from socialstats.rounding import no_variation_reason
from socialstats.shares.counts import RaterCounts, StratumCells
from socialstats.shares.divergence import RaterTable, bootstrap_with_raters

ALONE = "a single independent unit: no correction, no interval and no test"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparedSources:
    """The answers of two sources, unit by unit.

    Attributes
    ----------
    first, second : (units, levels) float64 arrays
        Counts of the reference, and of the source.
    copies : (units,) float64 array
        Alike units.
    cells : StratumCells
    codes : tuple of (units,) int64 arrays
        Cluster factors.
    people : sequence of (int, RaterCounts)
        Raters who are a sample, of the first (0) or the second (1).
    """

    first: FloatArray
    second: FloatArray
    copies: FloatArray
    cells: StratumCells
    codes: tuple[IntArray, ...] = ()
    people: Sequence[tuple[int, RaterCounts]] = ()

    @property
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Counts of both sources."""
        return self.first, self.second

    def take(self, places: IntArray) -> ComparedSources:
        """Return some units; people keep the places of all units."""
        codes = tuple(code[places] for code in self.codes)
        return replace(
            self,
            first=self.first[places],
            second=self.second[places],
            copies=self.copies[places],
            cells=replace(self.cells, codes=self.cells.codes[places]),
            codes=codes,
        )

    def independent_units(self, entered: BoolArray) -> FloatArray:
        """Return how many independent units enter each group, (groups,)."""
        return independent(entered, self.copies, self.codes)

    @property
    def no_variation(self) -> str:
        """Why there is no interval where independent units are alike."""
        return still(self.codes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTests:
    """F tests of equal shares, with units and raters as crossed factors, of all units and of each cell.

    Attributes
    ----------
    tests : tuple of WaldTest or str
        The reason where there is no test.
    """

    tests: tuple[WaldTest | str, ...]

    @property
    def p_value(self) -> FloatArray:
        """(groups,) float64 array: NaN without a test."""
        return np.array([math.nan if isinstance(test, str) else test.p for test in self.tests])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Similarities:
    """Divergences and intervals of similarities of m groups of units (`StratumCells.groups`).

    Attributes
    ----------
    plain, corrected : (m,) float64 arrays
        Divergences; NaN where there is none.
    test : ChanceTest, JointTests or None
        Of all units and of each cell.
    low, high, error : (m,) float64 arrays
        Of the corrected similarities.
    df : (m,) float64 array or None
        Of t intervals within units.
    plain_df : (m,) float64 array or None
        Of t around the plug-in values; None: independent units less one.
    why : tuple of str
        Why there is no interval; empty where there is one.
    lost : Caution or None
        Of resamples without a value.
    mean : ClusteredMean or None
        Of divergences of all units, for t intervals within units.
    """

    plain: FloatArray
    corrected: FloatArray
    test: ChanceTest | JointTests | None = None
    low: FloatArray
    high: FloatArray
    error: FloatArray
    df: FloatArray | None = None
    plain_df: FloatArray | None = None
    why: tuple[str, ...]
    lost: Caution | None = None
    mean: ClusteredMean | None = None

    @classmethod
    def alone(
        cls, plain: FloatArray, corrected: FloatArray, test: ChanceTest | None = None
    ) -> Similarities:
        """Return values without an interval: there are not two independent units."""
        none = np.full(len(plain), math.nan)
        return cls(
            plain=plain,
            corrected=corrected,
            test=test,
            low=none,
            high=none,
            error=none,
            why=(ALONE,) * len(plain),
        )

    def resampled(
        self,
        table: FloatArray,
        finish: Finish,
        sources: ComparedSources,
        settings: Mapping[str, Any],
        *,
        shift: FloatArray | float = 0.0,
        raters: RaterTable | None = None,
    ) -> Similarities:
        """Return the same with bootstrap intervals of units or clusters (and raters).

        Parameters
        ----------
        table : (units, k) float64 array
            What is summed over units.
        finish : callable
            (B, k) sums -> (B, groups) divergences.
        sources : ComparedSources
        settings : mapping
        shift : (groups,) float64 array or float
            By which divergences of resamples are moved.
        raters : RaterTable, optional
        """
        units = PlanUnits.rows(sources.copies)
        if sources.codes:
            units = PlanUnits.clusters(*sources.codes)
        draw = bootstrap_sums if raters is None else partial(bootstrap_with_raters, raters=raters)
        boot: Replicates = draw(
            table, finish, units, resamples=settings["resamples"], seed=settings["seed"]
        )
        similar = Replicates(
            estimate=1 - self.corrected,
            replicates=1 - (boot.replicates - shift),
            n_degenerate=boot.n_degenerate,
        )
        ends = choose(settings["ci"], similar, level=settings["level"])
        return replace(
            self,
            low=ends.low,
            high=ends.high,
            error=similar.std_error,
            why=ends.undefined,
            lost=similar.caution(),
        )


def independent(entered: BoolArray, copies: FloatArray, codes: Sequence[IntArray]) -> FloatArray:
    """(groups,) numbers of independent units: levels of the factor with fewer, or units."""
    numbers = [
        min((len(np.unique(code[used])) for code in codes), default=float(copies[used].sum()))
        for used in entered.T
    ]
    return np.array(numbers, dtype=np.float64)


def still(codes: Sequence[IntArray]) -> str:
    """State that independent units, or their clusters, are alike."""
    return no_variation_reason("clusters" if codes else "units")
