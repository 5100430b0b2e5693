"""Poisson weights of clusters from their names alone: equal on every engine, in any order of rows, in any parts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.poisson import poisson_cdf

# constants of SplitMix64 (Steele, Lea & Flood 2014)
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


class HashedWeights:
    """Independent Poisson(1) weights of the levels of a factor, for resamples that are numbered from 0.

    Seed, factor and level have a BLAKE2b hash. Its first eight bytes, least significant first, seed a SplitMix64
    generator. The k-th number of the generator gives the weight in resample k, by the inverse distribution function.

    Parameters
    ----------
    factor : str
    levels : sequence of str
    seed : int

    References
    ----------
    Steele, G. L., Lea, D., & Flood, C. H. (2014). Fast splittable pseudorandom number generators.
    doi:10.1145/2660193.2660195

    Examples
    --------
    >>> hashed = HashedWeights("judge", [f"j{k}" for k in range(4000)], seed=1)
    >>> weights = hashed.weights(np.arange(4000), 0, 50)
    >>> weights.shape, round(float(weights.mean()), 2), round(float(weights.var()), 2)
    ((4000, 50), 1.0, 1.0)
    """

    def __init__(self, factor: str, levels: Sequence[str], seed: int) -> None:
        digests = (
            hashlib.blake2b(f"{seed}\n{factor}\n{level}".encode(), digest_size=8).digest()
            for level in levels
        )
        self._state = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
        self._cdf = poisson_cdf(1.0)

    def weights(self, level: IntArray, start: int, stop: int) -> FloatArray:
        """Return the weights of some levels in the resamples from `start` to before `stop`, (levels, resamples)."""
        # state + k steps, mixed, is the k-th number: no number needs the one before it
        x = self._state[level][:, None] + STEP * np.arange(start + 1, stop + 1, dtype=np.uint64)
        x = (x ^ (x >> np.uint64(30))) * FIRST
        x = (x ^ (x >> np.uint64(27))) * SECOND
        x = x ^ (x >> np.uint64(31))
        # the upper 53 bits, as many as a float has
        uniform = (x >> np.uint64(11)) * 2.0**-53
        return np.asarray(np.searchsorted(self._cdf, uniform, side="right"), dtype=np.float64)
