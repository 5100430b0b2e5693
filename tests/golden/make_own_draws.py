"""Write own_draws.csv.gz: rows (from 1) of 999 resamples of 10 rows and, in two strata, of 6 + 7 rows, drawn by numpy.

Run in tests/golden: python make_own_draws.py. One generator PCG64 a sample, spawned from the seed 7.
"""

import gzip

import numpy as np

RESAMPLES, SEED = 999, 7


def drawn(sizes: list[int]) -> np.ndarray:
    """Return the rows of each resample; the rows of a stratum stand together."""
    streams = [
        np.random.Generator(np.random.PCG64(one))
        for one in np.random.SeedSequence(SEED).spawn(len(sizes))
    ]
    starts = np.cumsum([0, *sizes[:-1]])
    return np.concatenate(
        [
            start + rng.integers(0, n, size=(RESAMPLES, n))
            for rng, n, start in zip(streams, sizes, starts, strict=True)
        ],
        axis=1,
    )


if __name__ == "__main__":
    with gzip.GzipFile("own_draws.csv.gz", "wb", mtime=0) as file:
        np.savetxt(
            file, np.concatenate([drawn([10]), drawn([6, 7])], axis=1) + 1, fmt="%d", delimiter=","
        )
