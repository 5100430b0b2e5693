"""The test by exchanging raters within units: does it matter which source a unit's raters belong to?"""

from __future__ import annotations

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.divergence import jensen_shannon, level_parts
from socialstats.resampling.chance import TIE, ChanceTest, as_extreme, checked_draws, checked_seed, monte_carlo_p


def exchange_test(
    first: FloatArray, second: FloatArray, copies: FloatArray, codes: IntArray, n_cells: int, *, permutations: int,
    seed: int,
) -> ChanceTest:  # fmt: skip
    """Test the mean over units of the divergence of two sources, by exchanging the raters of each unit.

    The divergence of a unit is the same when its two sources swap names, so single ratings change their source here:
    the hypothesis is that, given the unit, all its ratings are exchangeable.

    Parameters
    ----------
    first, second : (units, levels) float64 arrays of counts
        Units that both sources rated.
    copies : (units,) float64 array
    codes : (units,) int64 array
        Cell of each unit.
    n_cells : int
    permutations, seed : int

    Returns
    -------
    ChanceTest
        Of all units (first) and of each cell; NaN for a cell without units.

    References
    ----------
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> one = np.array([[4.0, 0.0]] * 5)
    >>> test = exchange_test(one, one[:, ::-1], np.ones(5), np.zeros(5, dtype=np.int64), 1, permutations=999, seed=1)
    >>> float(test.statistic[0]), float(test.p_value[0])
    (1.0, 0.001)
    """
    permutations, seed = checked_draws(permutations, "permutations"), checked_seed(seed)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    levels = first.shape[1]
    rows, place = np.unique(np.column_stack([codes, first, second]), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), copies, len(rows)).astype(np.int64)
    observed, drawn = np.zeros(n_cells), np.zeros((permutations, n_cells))
    weight = np.zeros(n_cells)
    for row, n in zip(rows.astype(np.int64), times.tolist(), strict=True):
        one, both = row[1 : 1 + levels], row[1 : 1 + levels] + row[1 + levels :]
        some = rng.multivariate_hypergeometric(both, int(one.sum()), size=(permutations, n), method="marginals")
        for level, t in enumerate(both.tolist()):
            drawn[:, row[0]] += level_parts(t, int(one.sum()), int(row[1 + levels :].sum()))[some[:, :, level]].sum(
                axis=1
            )
        observed[row[0]] += n * float(jensen_shannon(one.astype(np.float64), (both - one).astype(np.float64)))
        weight[row[0]] += n
    every = np.concatenate([drawn.sum(axis=1, keepdims=True), drawn], axis=1)
    found = np.concatenate([[observed.sum()], observed])
    size = np.concatenate([[weight.sum()], weight])
    extreme = as_extreme(every, found, 100 * TIE * (1 + np.abs(found)), "greater").sum(axis=0)
    p, error = monte_carlo_p(extreme.astype(np.int64), permutations)
    with np.errstate(invalid="ignore"):
        statistic = found / size
    return ChanceTest(
        statistic=statistic, p_value=np.where(size > 0, p, np.nan), mc_error=np.where(size > 0, error, np.nan),
        exact=False, draws=permutations, method="raters exchanged within units",
    )  # fmt: skip
