"""Poisson counts drawn from tables: how often the levels of a factor are drawn, many resamples at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray

SmallArray = np.ndarray[Any, np.dtype[np.int16]]
BITS = 12
BUCKETS = 2**BITS
# standard deviations of the total left to single draws: T > N a few times in a million
RESERVE = 4.5
# tables of all counts up to here take 8 MB
LARGEST_COUNT = 1000
# from this many rows on, the reserve is at most a fifth of them
FEWEST_ROWS = 500


def suits_tables(copies: FloatArray) -> bool:
    """Return True where the rows are many enough for the reserve, and the cells small enough for tables."""
    return bool(copies.sum() >= FEWEST_ROWS and copies.max() <= LARGEST_COUNT)


class PoissonTables:
    """Draws multinomial (N; copies / N) counts, N the sum of `copies`.

    A count is the inverse Poisson distribution function at u = (k + f) / 4096. The twelve bits k are drawn first; where
    they do not determine the count, f is drawn and the function inverted at u. Bits, fractions, single draws and
    repeated draws have streams of their own, each read in the order of the resamples. The numbers do not depend on how
    many resamples are drawn at once.

    Parameters
    ----------
    copies : (cells,) array
        Rows in each cell: positive whole numbers.
    rng : numpy Generator
        Its four children are used, not itself.

    References
    ----------
    Brown, M. B., & Bromberg, J. (1984). An efficient two-stage procedure for generating random variates from the
    multinomial distribution. The American Statistician, 38(3), 216-219.
    Devroye, L. (1986). Non-uniform random variate generation, chapter XI. doi:10.1007/978-1-4613-8643-8

    Examples
    --------
    >>> tables = PoissonTables(np.full(300, 2.0), np.random.default_rng(1))
    >>> tables.draw(2).sum(axis=1)
    array([600., 600.])
    """

    def __init__(self, copies: FloatArray, rng: np.random.Generator) -> None:
        self.size, self.rows = len(copies), int(copies.sum())
        # 64-bit words for 16 bits a cell
        self.words = -(-self.size // 4)
        levels, self.level = np.unique(copies, return_inverse=True)
        self.offset = self.level.astype(np.intp) * BUCKETS
        # a little less than the copies: the total of a resample seldom exceeds the rows
        rates = levels * (1 - RESERVE / np.sqrt(self.rows))
        self.cdf = [poisson_cdf(float(rate)) for rate in rates]
        self.table = np.concatenate([bucket_table(cdf) for cdf in self.cdf])
        self.cell_of_row = np.repeat(np.arange(self.size), copies.astype(np.int64))
        self.bits, self.fractions, self.singles, self.again = rng.spawn(4)

    def draw(self, n: int) -> FloatArray:
        """Return the counts of n resamples, (n, cells) float64."""
        counts = self._poisson(n, self.bits, self.fractions)
        total = counts.sum(axis=1, dtype=np.int64)
        for resample in np.flatnonzero(total > self.rows):
            # a resample with too many rows is drawn again; one with too few is filled by single
            # draws
            while total[resample] > self.rows:
                counts[resample] = self._poisson(1, self.again, self.again)[0]
                total[resample] = counts[resample].sum(dtype=np.int64)
        n_missing = self.rows - total
        drawn_row = self.singles.integers(0, self.rows, size=int(n_missing.sum()))
        cell_of_draw = self.cell_of_row[drawn_row]
        flat_cell = np.repeat(np.arange(n) * self.size, n_missing) + cell_of_draw
        added = np.bincount(flat_cell, minlength=n * self.size).reshape(n, self.size)
        return np.add(counts, added, dtype=np.float64)

    def _poisson(
        self, n: int, bits: np.random.Generator, fractions: np.random.Generator
    ) -> SmallArray:
        """Return independent Poisson counts, (n, cells)."""
        # one random word holds the bits of four cells, whatever the byte order of the machine
        random_words = bits.integers(0, 2**64, size=n * self.words, dtype=np.uint64)
        random_bits = random_words.astype("<u8", copy=False).view("<u2").reshape(n, -1)
        # (n, cells), the upper 12 of 16 bits
        buckets = random_bits[:, : self.size] >> (16 - BITS)
        counts: SmallArray = self.table.take(self.offset + buckets)
        # a bucket that holds several counts is -1 in the table: its fraction decides
        undecided = np.flatnonzero(counts.ravel() < 0)
        uniforms = (buckets.ravel()[undecided] + fractions.random(len(undecided))) / BUCKETS
        levels = self.level[undecided % self.size]
        flat = counts.reshape(-1)
        for a_level in np.unique(levels):
            in_level = levels == a_level
            flat[undecided[in_level]] = np.searchsorted(
                self.cdf[a_level], uniforms[in_level], side="right"
            )
        return counts


def poisson_cdf(rate: float) -> FloatArray:
    """Return the Poisson distribution function at 0, 1, 2, ... up to where it is 1 in floating point."""
    from scipy.special import pdtr

    # counts beyond ten standard deviations are never drawn
    largest = int(rate + 10 * np.sqrt(rate) + 30)
    return np.asarray(pdtr(np.arange(largest), rate))


def bucket_table(cdf: FloatArray) -> SmallArray:
    """Return the count that each of 4096 equal parts of (0, 1) stands for, -1 where a part holds several."""
    parts = np.arange(BUCKETS) / BUCKETS
    table: SmallArray = np.searchsorted(cdf, parts, side="right").astype(np.int16)
    jumps = np.floor(cdf * BUCKETS).astype(np.int64)
    table[jumps[jumps < BUCKETS]] = -1
    return table
