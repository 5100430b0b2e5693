"""Resamples drawn here: rows, clusters or two crossed factors with replacement, by numpy.

A seed gives the same rows as in `socialstats.resampling` where that draws row by row or by numpy's multinomial: one
generator PCG64 a factor, spawned from the seed, read in order. Large tables are resampled there by tables of Poisson
counts; the draws here are then others, and a comparison has a Monte-Carlo error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.results import FloatArray

BLOCK = 64
FEW_ROWS, MANY_ROWS, LARGEST_CELL = 1.5, 500, 1000  # rows a cell, and rows, from which the engine draws otherwise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """What is resampled: cells of alike rows, each in a cluster of every factor; without factors single rows.

    Attributes
    ----------
    count : (cells,) float64 array
        Alike rows that each cell stands for.
    codes : tuple of (cells,) arrays
        None, one or two factors, numbered from 0 without gaps.
    """

    count: FloatArray
    codes: tuple[Any, ...] = ()

    @classmethod
    def of(cls, count: Any, codes: Any = ()) -> Cells:
        """Number the levels of each factor."""
        dense = tuple(np.unique(np.asarray(code), return_inverse=True)[1].ravel() for code in codes)
        return cls(count=np.asarray(count, dtype=np.float64), codes=dense)

    @property
    def seeded(self) -> bool:
        """Whether a seed gives the rows that the engine draws."""
        rows, many = self.count.sum(), self.count.sum() >= FEW_ROWS * len(self.count)
        return bool(self.codes or not many or rows < MANY_ROWS or self.count.max() > LARGEST_CELL)

    @property
    def units(self) -> int:
        """Clusters of one factor, or cells."""
        return int(self.codes[0].max()) + 1 if self.codes else len(self.count)

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield how many rows of each cell a resample holds, (cells,), for one resample after the other."""
        children = np.random.SeedSequence(seed).spawn(max(len(self.codes), 1))
        streams = [np.random.Generator(np.random.PCG64(child)) for child in children]
        for start in range(0, resamples, BLOCK):
            n = min(BLOCK, resamples - start)
            if not self.codes:
                yield from self._rows(streams[0], n)
                continue
            times = np.tile(self.count, (n, 1))
            for rng, code in zip(streams, self.codes, strict=True):
                size = int(code.max()) + 1
                picked = rng.integers(0, size, size=(n, size))
                times *= np.array([np.bincount(one, minlength=size) for one in picked])[:, code]
            yield from times

    def _rows(self, rng: np.random.Generator, n: int) -> Iterator[FloatArray]:
        total = int(self.count.sum())
        if total >= FEW_ROWS * len(self.count):
            yield from rng.multinomial(total, self.count / total, size=n).astype(np.float64)
            return
        cell = np.repeat(np.arange(len(self.count)), self.count.astype(np.int64))
        for picked in rng.integers(0, total, size=(n, total)):
            yield np.bincount(cell[picked], minlength=len(self.count)).astype(np.float64)

    def without_one(self) -> Iterator[FloatArray]:
        """Yield the rows left when one unit (cluster, or row of a cell) is left out."""
        for unit in range(self.units):
            if self.codes:
                yield np.where(self.codes[0] == unit, 0.0, self.count)
            else:
                yield self.count - (np.arange(len(self.count)) == unit)

    @property
    def copies(self) -> Any:
        """How many alike units each left-out one stands for."""
        return np.ones(self.units, dtype=np.int64) if self.codes else self.count.astype(np.int64)


def half_width(x: FloatArray, tail: float, errors: float = 5.0) -> float:
    """Monte-Carlo error of a difference of the `tail` quantiles of two sets of as many draws as x, `errors` times.

    The quantiles at tail -+ errors sqrt(2 tail (1 - tail)/B), half their distance.
    """
    reach = errors * np.sqrt(2 * tail * (1 - tail) / len(x))
    low, high = np.quantile(x, np.clip([tail - reach, tail + reach], 0, 1))
    return float(high - low) / 2


def spread_error(x: FloatArray, errors: float = 5.0) -> float:
    """Monte-Carlo error of a difference of standard deviations, relative: sqrt((kurtosis - 1)/(4 B)) for each."""
    z = (x - x.mean()) / x.std()
    return float(errors * np.sqrt((max(3.0, float((z**4).mean())) - 1) / 4 * 2 / len(x)))
