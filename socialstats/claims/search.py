"""Which other definitions give a printed number."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from socialstats.claims.bench import Bench
from socialstats.claims.definitions import Definition, is_redundant, others
from socialstats.claims.samples import UNPARSED, ZERO, Reading, Sample
from socialstats.claims.target import Target
from socialstats.claims.types import Claim
from socialstats.errors import InputError
from socialstats.resampling.units import IntArray

DIGITS = 13  # of values that count as equal


@dataclass(frozen=True, slots=True)
class Twins:
    """Readings and columns that were met, so that none is counted twice under another name."""

    readings: dict[bytes, Reading] = field(default_factory=dict)
    columns: dict[bytes, str] = field(default_factory=dict)

    def known(self, definition: Definition, sample: Sample) -> bool:
        """Tell whether an earlier reading has the same values, or an earlier column the same groups."""
        values = np.round(sample.value, DIGITS).tobytes()
        if self.readings.setdefault(values, definition.reading) != definition.reading:
            return True
        code = sample.columns.get(definition.column)
        if code is None:
            return False
        groups = in_order(code).tobytes()
        return self.columns.setdefault(groups, definition.column) != definition.column


def in_order(code: IntArray) -> IntArray:
    """Return codes numbered by first appearance.

    Examples
    --------
    >>> in_order(np.array([7, 2, 7, 0])).tolist()
    [0, 1, 0, 2]
    """
    first, dense = np.unique(code, return_index=True, return_inverse=True)[1:]
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[dense]


def search(
    bench: Bench, claim: Claim, base: Definition, target: Target, repeats: int, *, most: int
) -> tuple[int, list[Definition]]:
    """Try definitions other than the documented one.

    Parameters
    ----------
    bench, claim, base, target
        The log, the claim, its documented definition, and what its print can stand for.
    repeats : int
        Most repeats of one unit.
    most : int
        Choices in which a definition may differ from `base`.

    Returns
    -------
    tried : int
        Definitions that have a value and differ in what they look at or compute.
    fitting : list of Definition
        Those that give the printed number, simplest first.
    """
    tried, fitting = 0, []
    whole = bench.sample(claim.select, base.reading)
    twins = Twins()
    twins.known(base, whole)
    for candidate in others(claim, base, bench.table, repeats, most=most):
        if candidate.entry.random and not base.entry.random:
            continue
        if whole.rows == whole.ok_rows and candidate.reading.rows in (ZERO, UNPARSED):
            continue
        try:
            sample = bench.sample(claim.select, candidate.reading)
            if is_redundant(candidate, sample) or twins.known(candidate, sample):
                continue
            value = bench.value(claim, candidate)
        except InputError:
            continue
        if not math.isfinite(value) or (value == 0 and candidate.scale != 1):
            continue
        tried += 1
        size = bench.size(claim, candidate.reading) * candidate.scale
        if target.holds(value, size=size, noise=bench.noise(claim, candidate, value)):
            fitting.append(candidate)
    return tried, fitting
