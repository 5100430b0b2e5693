"""The mean size of correlated estimates: chance alone, and the interval of the true one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special, stats

from socialstats.paired.mean_sizes import (
    MeanSizeEstimates,
    chi_square_quantiles,
    influence_correlation,
    nearest_values,
    no_bias,
    size_interval,
)

CORRELATION = np.array([[1, 0.5, -0.2], [0.5, 1, 0.1], [-0.2, 0.1, 1]])
THREE = MeanSizeEstimates(
    value=np.array([0.4, -0.15, 0.02]),
    error=np.array([0.2, 0.3, 0.1]),
    df=np.array([19.0, 19.0, 12.0]),
    correlation=CORRELATION,
    weight=np.array([0.5, 0.25, 0.25]),
    block=np.array([0, 1, 2]),
)


def test_the_correction_takes_off_what_the_means_of_folded_normals_are_above_the_sizes():
    size = np.abs(THREE.value) @ THREE.weight
    folded = stats.foldnorm.mean(np.abs(THREE.value) / THREE.error, scale=THREE.error)
    excess = (folded - np.abs(THREE.value)) @ THREE.weight
    assert THREE.corrected == pytest.approx(max(size - excess, 0.0))
    strong = replace(THREE, value=4 * THREE.value)
    folded = stats.foldnorm.mean(np.abs(strong.value) / strong.error, scale=strong.error)
    excess = (folded - np.abs(strong.value)) @ strong.weight
    assert strong.corrected == pytest.approx(np.abs(strong.value) @ strong.weight - excess)
    assert strong.corrected > 0


def single(value, df=12.0):
    return MeanSizeEstimates(
        value=np.array([value]),
        error=np.array([0.4]),
        df=np.array([df]),
        correlation=np.ones((1, 1)),
        weight=np.ones(1),
        block=np.zeros(1, dtype=np.int64),
    )


def scipy_errors(estimates, n, seed):
    """Correlated t's of scipy, with a chi-square for each block."""
    rng = np.random.default_rng(seed)
    drawn = stats.multivariate_normal(cov=estimates.correlation, allow_singular=True).rvs(
        n, random_state=rng
    )
    for block in set(estimates.block.tolist()):
        df = estimates.df[estimates.block == block].min()
        drawn[:, estimates.block == block] /= np.sqrt(
            stats.chi2(df).rvs((n, 1), random_state=rng) / df
        )
    return drawn * estimates.error


def test_without_any_bias_a_single_mean_is_a_t_test():
    one = single(2.1 * 0.4)
    found = no_bias(one, one.draw_errors(2))
    exact = 2 * stats.t(12).sf(2.1)
    assert found.p_value == pytest.approx(exact, abs=5 * np.sqrt(exact / found.draws))


@pytest.mark.parametrize("block", [[0, 1, 2], [0, 0, 1], [0, 0, 0]])
def test_without_any_bias_several_are_folded_normals(block):
    some = replace(THREE, block=np.array(block))
    found = no_bias(some, some.draw_errors(0))
    assert found.null_mean == pytest.approx(
        sum(
            w * stats.foldnorm.mean(0, scale=s)
            for w, s in zip(some.weight, some.error, strict=True)
        )
    )
    p = np.mean(np.abs(scipy_errors(some, 200_000, 4)) @ some.weight >= some.size)
    assert found.p_value == pytest.approx(p, abs=5 * np.sqrt(p / found.draws))
    assert no_bias(some, some.draw_errors(0)) == found
    assert no_bias(some, some.draw_errors(1)) != found


def test_one_block_of_equal_df_is_the_multivariate_t():
    some = replace(THREE, block=np.zeros(3, dtype=np.int64), df=np.full(3, 6.0))
    drawn = (
        np.abs(stats.multivariate_t(shape=CORRELATION, df=6.0, seed=4).rvs(200_000) * some.error)
        @ some.weight
    )
    for share in (0.1, 0.5, 0.9):
        ours = np.quantile(np.abs(some.draw_errors(3)) @ some.weight, share)
        assert ours == pytest.approx(
            np.quantile(drawn, share), rel=0.03
        )  # Monte-Carlo error below 1%


@pytest.mark.parametrize("size", [0.0, 0.05, 0.1, 0.2, 0.2425, 0.4, 1.2])
def test_nearest_values_are_those_of_an_optimiser(size):
    """Over all signs: the minimum on each face of the surface, by quadratic programming."""
    best = np.inf
    for signs in np.array(np.meshgrid(*[[1, -1]] * 3)).reshape(3, -1).T:
        face = THREE.weight * signs
        bounds = [(0, None) if s > 0 else (None, 0) for s in signs]
        found = optimize.minimize(
            lambda x: float(np.sum(((x - THREE.value) / THREE.error) ** 2)),
            signs * size,
            method="SLSQP",
            bounds=bounds,
            constraints={"type": "eq", "fun": lambda x, f=face: f @ x - size},
            options={"ftol": 1e-14},
        )
        if found.success and found.fun < best:
            best, where = found.fun, found.x
    ours = nearest_values(THREE, size)
    assert np.abs(ours) @ THREE.weight == pytest.approx(size, abs=1e-12)
    assert float(np.sum(((ours - THREE.value) / THREE.error) ** 2)) == pytest.approx(best, abs=1e-6)
    assert ours == pytest.approx(where, abs=1e-4)


@pytest.mark.parametrize("value", [1.2, 2.0, -1.2])
def test_the_interval_of_a_single_size_has_a_closed_form(value):
    """abs(N(m, s)) at least as large as observed: two tails of a normal."""
    one = single(value, df=1e7)

    def beyond(m, share):
        return (
            stats.norm.sf((abs(value) - m) / 0.4) + stats.norm.cdf((-abs(value) - m) / 0.4) - share
        )

    low = optimize.brentq(beyond, 0, 3, args=(0.025,)) if beyond(0, 0.025) < 0 else 0.0
    high = optimize.brentq(beyond, 0, 5, args=(0.975,))
    found = size_interval(one, one.draw_errors(0), level=0.95, most=9.0)
    assert found == pytest.approx((low, high), abs=0.02)  # Monte-Carlo error below .008


def test_at_both_ends_what_was_observed_is_as_rare_as_asked():
    clear = replace(THREE, value=np.array([0.8, -0.9, 0.3]))
    for some, level in (
        (clear, 0.95),
        (clear, 0.8),
        (replace(clear, block=np.zeros(3, dtype=np.int64)), 0.9),
    ):
        low, high = size_interval(some, some.draw_errors(0), level=level, most=2.0)
        assert 0 < low < some.size < high < 2
        errors, tail = scipy_errors(some, 200_000, 9), (1 - level) / 2
        above = np.mean(np.abs(errors + nearest_values(some, low)) @ some.weight >= some.size)
        below = np.mean(np.abs(errors + nearest_values(some, high)) @ some.weight <= some.size)
        assert (above, below) == pytest.approx((tail, tail), abs=5 * np.sqrt(tail / 20_000))


def test_the_lower_end_is_0_where_no_bias_is_not_rejected_and_the_upper_has_an_error():
    assert size_interval(THREE, THREE.draw_errors(0), level=0.95, most=2.0)[0] == 0.0
    assert no_bias(THREE, THREE.draw_errors(0)).p_value > 0.025
    tiny = replace(THREE, value=np.full(3, 1e-4))  # far less than chance alone gives
    low, high = size_interval(tiny, tiny.draw_errors(0), level=0.95, most=2.0)
    summed = np.quantile(np.abs(tiny.draw_errors(0) @ tiny.weight), 0.95)
    assert (low, high) == (0.0, pytest.approx(tiny.corrected + summed))
    assert size_interval(THREE, THREE.draw_errors(0), level=0.95, most=0.3)[1] == 0.3


def test_correlations_of_estimates_are_those_of_their_clusters():
    rng = np.random.default_rng(8)
    influence, code = rng.normal(size=(40, 3)), rng.integers(0, 6, 40)
    sums = np.array([influence[code == g].sum(axis=0) for g in range(6)])
    assert influence_correlation(influence, [code]) == pytest.approx(
        (sums.T @ sums) / np.outer(*[np.sqrt((sums**2).sum(axis=0))] * 2)
    )
    other = rng.integers(0, 5, 40)
    more = np.array([influence[other == g].sum(axis=0) for g in range(5)])
    total = sums.T @ sums * 6 / 5 + more.T @ more * 5 / 4
    scale = np.sqrt(np.diag(total))
    assert influence_correlation(influence, [code, other]) == pytest.approx(
        total / np.outer(scale, scale)
    )


def test_an_estimate_of_zero_is_not_certain():
    one = MeanSizeEstimates(
        value=np.zeros(1),
        error=np.array([0.5]),
        df=np.array([20.0]),
        correlation=np.ones((1, 1)),
        weight=np.ones(1),
        block=np.zeros(1, dtype=np.int64),
    )
    low, high = size_interval(one, one.draw_errors(0), level=0.95, most=2.0)
    assert low == 0
    assert 0.5 < high < 1.5


def test_draws_hang_together_where_degrees_of_freedom_differ_by_rounding():
    def drawn(df):
        return MeanSizeEstimates(
            value=np.ones(1),
            error=np.ones(1),
            df=np.array([df]),
            correlation=np.ones((1, 1)),
            weight=np.ones(1),
            block=np.zeros(1, dtype=np.int64),
        ).draw_errors(3)

    assert drawn(2.0) == pytest.approx(drawn(2.0 + 1e-12), rel=1e-9)


@pytest.mark.parametrize(
    ("df", "close"), [(0.5, 1e-9), (1.0, 1e-11), (4.7, 1e-11), (60.0, 1e-11), (1e6, 1e-11)]
)
def test_quantiles_of_chi_square_are_those_of_scipy(df, close):
    share = np.random.default_rng(2).random(20_000)
    wanted = 2 * special.gammaincinv(df / 2, share)
    assert chi_square_quantiles(df, share) == pytest.approx(wanted, rel=close)
