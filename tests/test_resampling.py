from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import sparse, stats

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling import (
    Bootstrap,
    PlanUnits,
    basic,
    bca,
    bootstrap_sums,
    choose,
    jackknife_sums,
    order_quantile,
    percentile,
    studentized,
    weight_blocks,
)
from socialstats.resampling.intervals import check_resamples

X = np.array([3.0, 1.5, 9.0, 4.0, 4.5, 2.0, 7.0, 12.0, 1.0, 5.5, 3.5, 6.0])
TABLE = np.column_stack([X, X**2, np.ones(len(X))])


def mean(sums):
    return sums[:, [0]] / sums[:, [2]]


def variance(sums):
    return sums[:, [1]] / sums[:, [2]] - mean(sums) ** 2


def rows(n):
    return PlanUnits.rows(np.ones(n))


def weights(units, **options):
    return np.concatenate(
        list(weight_blocks(units, **({"resamples": 200, "seed": 3, "block": 200} | options)))
    )


# --- weights ---------------------------------------------------------------------------------------------------


def test_cluster_weights_sum_to_the_number_of_clusters_and_have_multinomial_moments():
    w = weights(PlanUnits.clusters(np.array([5, 5, 9, 9, 7, 2])), resamples=40000)
    assert w.shape == (40000, 4)
    assert np.all(w.sum(axis=1) == 4)
    assert np.allclose(w.mean(axis=0), 1, atol=5 * np.sqrt(0.75 / 40000))
    assert np.allclose(np.cov(w.T), np.eye(4) - 1 / 4, atol=0.03)


@pytest.mark.parametrize(
    "count", [[1, 1, 1, 1], [1, 2, 3, 4], [400, 300, 200, 100], [4000, 1000, 500, 500]]
)
def test_row_weights_have_the_moments_of_rows_drawn_one_by_one(count):
    count = np.array(count, dtype=float)
    drawn = weights(PlanUnits.rows(count), resamples=40000) * count
    n = count.sum()
    assert np.all(np.isclose(drawn.sum(axis=1), n))
    assert np.allclose(drawn.mean(axis=0), count, atol=5 * np.sqrt(count.max() / 40000))
    exact = np.diag(count) - np.outer(count, count) / n
    assert np.allclose(np.cov(drawn.T), exact, atol=0.04 * count.max())


def test_crossed_weights_are_products_of_two_independent_draws():
    a, b = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 1])
    units = PlanUnits.clusters(a, b)
    assert units.n_units == 5
    assert units.sizes == (3, 2)
    assert units.n_clusters == 2
    w = weights(units, resamples=50)
    for row in w:
        pairs = itertools.product(
            itertools.product(range(4), repeat=3), itertools.product(range(3), repeat=2)
        )
        assert any(
            sum(u) == 3
            and sum(v) == 2
            and np.array_equal(row, [u[i] * v[j] for i, j in zip(a, b, strict=True)])
            for u, v in pairs
        )


def test_poisson_weights_have_variance_one_and_vary_in_total():
    w = weights(PlanUnits.clusters(np.arange(5)), resamples=40000, scheme="poisson")
    assert np.allclose(w.mean(axis=0), 1, atol=0.03)
    assert np.allclose(w.var(axis=0), 1, atol=0.05)
    assert len(set(w.sum(axis=1))) > 5


@pytest.mark.parametrize(
    "units",
    [
        PlanUnits.clusters(np.arange(7)),
        PlanUnits.clusters(np.arange(12) % 5, np.arange(12) % 4),
        PlanUnits.rows(np.array([1.0, 3.0, 2.0])),
        PlanUnits.rows(np.array([100.0, 3.0, 50.0])),
    ],
)
@pytest.mark.parametrize("scheme", ["multinomial", "poisson"])
def test_weights_do_not_depend_on_the_block_size(units, scheme):
    whole = weights(units, resamples=33, scheme=scheme)
    for block in (1, 2, 5, 32):
        assert weights(units, resamples=33, block=block, scheme=scheme).tobytes() == whole.tobytes()
    assert weights(units, resamples=33, seed=4, scheme=scheme).tobytes() != whole.tobytes()


@pytest.mark.parametrize("seed", [None, -1, 1.5, True, "x"])
def test_the_seed_is_explicit(seed):
    with pytest.raises(InputError, match="seed"):
        weights(rows(3), seed=seed)


def test_bad_units_are_named():
    with pytest.raises(InputError, match="single cluster"):
        PlanUnits.clusters(np.zeros(4, dtype=np.int64))
    with pytest.raises(InputError, match="not 3"):
        PlanUnits.clusters(*[np.arange(3)] * 3)
    with pytest.raises(InputError, match="whole numbers"):
        PlanUnits.rows(np.array([1.0, 0.5]))
    with pytest.raises(InputError, match="poison"):
        weights(rows(3), scheme="poison")
    with pytest.raises(InputError, match="statistics have 2 rows"):
        bootstrap_sums(np.ones((2, 1)), lambda s: s, rows(3), resamples=50)


# --- engine ----------------------------------------------------------------------------------------------------


def test_replicates_equal_a_plain_loop_over_the_same_weights():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(30, 3))
    a, b = rng.integers(0, 4, 30), rng.integers(0, 5, 30)
    units = PlanUnits.clusters(a, b)
    boot = bootstrap_sums(cells, lambda s: s[:, :2] + s[:, 2:], units, resamples=20, seed=9)
    w = weights(units, resamples=20, seed=9, block=3)
    for r in range(20):
        total = np.zeros(3)
        for cell in range(30):
            total += w[r, units.unit[cell]] * cells[cell]
        assert np.allclose(boot.replicates[r], total[:2] + total[2], rtol=1e-12)
    assert np.allclose(boot.estimate, cells.sum(axis=0)[:2] + cells.sum(axis=0)[2])


def test_same_bytes_whatever_the_memory_and_whether_sparse_or_dense():
    table = np.random.default_rng(1).normal(size=(97, 5))
    table[np.abs(table) < 0.8] = 0
    finish = lambda s: np.column_stack([s[:, 0] / (1 + s[:, 1] ** 2), s.sum(axis=1)])  # noqa: E731
    units = PlanUnits.clusters(np.arange(97) % 41)
    whole = bootstrap_sums(table, finish, units, resamples=101, seed=5)
    for memory in (1, 5000, 40000):
        assert bootstrap_sums(
            table, finish, units, resamples=101, seed=5, memory=memory
        ).replicates.tobytes() == (whole.replicates.tobytes())
    thin = bootstrap_sums(sparse.csr_array(table), finish, units, resamples=101, seed=5)
    assert thin.replicates.tobytes() == whole.replicates.tobytes()
    other = bootstrap_sums(table, finish, units, resamples=101, seed=6)
    assert other.replicates.tobytes() != whole.replicates.tobytes()


def test_exact_bootstrap_distribution_of_four_rows_by_enumeration():
    x = np.array([0.0, 1.0, 4.0, 10.0])
    exact = np.array([np.mean(x[list(pick)]) for pick in itertools.product(range(4), repeat=4)])
    boot = bootstrap_sums(
        np.column_stack([x, x, np.ones(4)]), mean, rows(4), resamples=40000, seed=2
    )
    assert abs(boot.replicates.mean() - exact.mean()) < 4 * exact.std() / 200
    assert abs(boot.std_error[0] - exact.std()) < 4 * exact.std() / 200
    for value in np.unique(exact):
        share, true = np.mean(boot.replicates == value), np.mean(exact == value)
        assert abs(share - true) < 5 * np.sqrt(true * (1 - true) / 40000) + 1e-9


def test_alike_rows_as_one_cell_have_the_distribution_of_the_rows():
    x = np.array([0.0, 1.0, 4.0])
    count = np.array([3.0, 2.0, 1.0])
    cells = bootstrap_sums(
        np.column_stack([x * count, x, count]), mean, PlanUnits.rows(count), resamples=30000, seed=1
    )
    long = np.repeat(x, count.astype(int))
    exact = long.std() / np.sqrt(6)
    assert cells.estimate[0] == pytest.approx(long.mean())
    assert abs(cells.std_error[0] - exact) < 4 * exact / np.sqrt(2 * 30000)


def test_degenerate_replicates_are_counted_left_out_and_cautioned():
    x = np.array([1.0, 0.0, 0.0])
    ratio = lambda s: np.where(s[:, [0]] > 0, s[:, [1]] / np.maximum(s[:, [0]], 1), np.inf)  # noqa: E731
    boot = bootstrap_sums(
        np.column_stack([x, [2.0, 3.0, 5.0]]), ratio, rows(3), resamples=3000, seed=1
    )
    share = boot.n_degenerate[0] / 3000
    assert abs(share - (2 / 3) ** 3) < 4 * np.sqrt(0.3 * 0.7 / 3000)
    assert np.isnan(boot.replicates).sum() == boot.n_degenerate[0]
    assert boot.caution().code == "SS204"
    usable = np.sort(boot.replicates[~np.isnan(boot.replicates)])
    assert percentile(boot).low[0] == order_quantile(usable, 0.025)
    assert bootstrap_sums(TABLE, mean, rows(12), resamples=100).caution() is None


def test_nothing_left_is_an_error():
    def only_the_sample_itself(sums):
        return np.where(np.all(sums == 1, axis=1), 1.0, np.nan)[:, None]

    with pytest.raises(UndefinedStatistic, match="none of the 50 resamples"):
        bootstrap_sums(np.eye(30), only_the_sample_itself, rows(30), resamples=50)


# --- intervals -------------------------------------------------------------------------------------------------


def test_order_quantile_is_the_order_statistic_of_davison_and_hinkley():
    assert order_quantile(np.arange(1.0, 1000.0), 0.975) == 975
    assert order_quantile(np.arange(1.0, 40.0), 0.025) == 1
    x = np.sort(
        np.random.default_rng(0).normal(size=200)
    )  # interpolation exact for a normal quantile function
    k = np.arange(1, 201) / 201
    assert order_quantile(stats.norm.ppf(k), 0.037) == pytest.approx(
        stats.norm.ppf(0.037), abs=1e-12
    )
    assert x[4] < order_quantile(x, 0.0275) < x[5]
    assert np.isnan(order_quantile(x, 0.001))
    assert np.isnan(order_quantile(x, 0.999))


@pytest.mark.parametrize(
    ("method", "name"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
def test_intervals_agree_with_scipy_within_monte_carlo_error(method, name):
    units = rows(len(X))
    boot = bootstrap_sums(TABLE, variance, units, resamples=9999, seed=4)
    ours = choose(method, boot, jack=jackknife_sums(TABLE, variance, units))
    theirs = stats.bootstrap(
        (X,), np.var, n_resamples=9999, method=name, rng=np.random.default_rng(8), vectorized=True
    ).confidence_interval
    for mine, error, other in (
        (ours.low, ours.error_low, theirs.low),
        (ours.high, ours.error_high, theirs.high),
    ):
        assert abs(mine[0] - other) < 4 * np.sqrt(2) * error[0] + 1e-3
        assert 0 < error[0] < 1
    assert ours.method == method
    assert ours.undefined == ("",)


def test_jackknife_equals_a_loop_and_for_the_mean_the_usual_standard_error():
    units = PlanUnits.clusters(np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5]))
    jack = jackknife_sums(TABLE, variance, units)
    for g in range(6):
        assert jack.values[g, 0] == pytest.approx(np.var(X[units.unit != g]))
    d = jack.values.mean() - jack.values[:, 0]
    assert jack.std_error[0] == pytest.approx(np.sqrt(5 / 6 * np.sum(d**2)))
    assert jack.acceleration[0] == pytest.approx(np.sum(d**3) / (6 * np.sum(d**2) ** 1.5))
    simple = jackknife_sums(TABLE, mean, rows(12))
    assert simple.std_error[0] == pytest.approx(X.std(ddof=1) / np.sqrt(12))
    assert jackknife_sums(TABLE, variance, rows(12)).bias[0] == pytest.approx(
        np.var(X) - np.var(X, ddof=1)
    )


def test_jackknife_of_cells_equals_the_jackknife_of_their_rows():
    x, count = np.array([0.0, 1.0, 4.0]), np.array([3.0, 2.0, 1.0])
    table = np.column_stack([x, x**2, np.ones(3)]) * count[:, None]
    long = np.repeat(x, 3 - np.arange(3))
    cells = jackknife_sums(table, variance, PlanUnits.rows(count))
    each = jackknife_sums(np.column_stack([long, long**2, np.ones(6)]), variance, rows(6))
    for quantity in ("std_error", "acceleration", "bias"):
        assert getattr(cells, quantity) == pytest.approx(getattr(each, quantity))


def test_basic_interval_mirrors_the_percentile_interval_and_takes_a_centre():
    boot = bootstrap_sums(TABLE, mean, rows(12), resamples=999, seed=3)
    p, b = percentile(boot), basic(boot)
    assert b.low == pytest.approx(2 * boot.estimate - p.high)
    assert b.high == pytest.approx(2 * boot.estimate - p.low)
    moved = basic(boot, centre=boot.estimate + 1)
    assert moved.low == pytest.approx(b.low + 1)


def test_studentized_interval_of_a_mean_equals_its_own_definition():
    boot = bootstrap_sums(
        TABLE, lambda s: np.hstack([mean(s), variance(s)]), rows(12), resamples=999, seed=3
    )
    se = np.sqrt(boot.replicates[:, [1]] / 12)
    only = Bootstrap(
        estimate=boot.estimate[:1],
        replicates=boot.replicates[:, :1],
        n_degenerate=boot.n_degenerate[:1],
        units=boot.units,
        seed=3,
        scheme="multinomial",
    )
    s = np.sqrt(boot.estimate[1:] / 12)
    found = studentized(only, std_error=s, std_errors=se)
    t = np.sort((boot.replicates[:, 0] - X.mean()) / se[:, 0])
    assert found.low[0] == pytest.approx(X.mean() - t[974] * s[0])
    assert found.high[0] == pytest.approx(X.mean() - t[24] * s[0])
    assert (
        found.high[0] > percentile(only).high[0]
    )  # a right-skewed sample needs a longer right arm


def test_studentized_interval_without_standard_error_says_so():
    boot = bootstrap_sums(TABLE, mean, rows(12), resamples=99, seed=3)
    found = studentized(boot, std_error=np.array([np.nan]), std_errors=np.ones((99, 1)))
    assert np.isnan(found.low[0])
    assert "standard error" in found.undefined[0]


def test_bca_of_a_constant_is_undefined_with_a_reason():
    flat = np.column_stack([np.ones(5), np.ones(5), np.ones(5)])
    units = rows(5)
    boot = bootstrap_sums(flat, mean, units, resamples=200)
    found = bca(boot, jackknife_sums(flat, mean, units))
    assert np.isnan(found.low[0])
    assert "resamples are alike" in found.undefined[0]


def test_too_few_resamples_and_impossible_levels_are_errors():
    boot = bootstrap_sums(TABLE, mean, rows(12), resamples=38, seed=3)
    with pytest.raises(InputError, match="at least 39"):
        percentile(boot)
    with pytest.raises(InputError, match="level"):
        percentile(boot, level=95)
    with pytest.raises(InputError, match="percentile, basic, bca"):
        choose("wald", boot)
    with pytest.raises(InputError, match="crossed"):
        choose("bca", boot)
    with pytest.raises(InputError, match="at least 1"):
        bootstrap_sums(TABLE, mean, rows(12), resamples=0)
    with pytest.raises(InputError, match="crossed"):
        jackknife_sums(TABLE, mean, PlanUnits.clusters(np.arange(12) % 3, np.arange(12) % 4))


def test_monte_carlo_error_matches_the_spread_over_seeds():
    intervals = [
        percentile(bootstrap_sums(TABLE, mean, rows(12), resamples=399, seed=s)) for s in range(200)
    ]
    spread = np.std([i.low[0] for i in intervals])
    typical = np.mean([i.error_low[0] for i in intervals])
    assert 0.75 < typical / spread < 1.3


@pytest.mark.parametrize("filled", [1.0, 0.5, 0.1])
def test_crossed_sums_are_those_of_the_multiplied_weights(filled):
    """Full and half-full grids are summed factor by factor, sparse ones by combination: the same numbers."""
    rng = np.random.default_rng(8)
    row, column = (i.ravel() for i in np.indices((30, 12)))
    kept = rng.random(row.size) < filled
    kept[:30] = True
    units = PlanUnits.clusters(row[kept], column[kept])
    table = np.column_stack([rng.standard_normal(kept.sum()), np.ones(kept.sum())])
    boot = bootstrap_sums(table, lambda sums: sums, units, resamples=70, seed=4)
    products = np.concatenate(list(weight_blocks(units, resamples=70, seed=4, block=70)))
    np.testing.assert_allclose(
        boot.replicates, products @ units.total(table).toarray(), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(boot.estimate, table.sum(axis=0), rtol=1e-12)


def test_memory_does_not_grow_with_resamples_of_many_units():
    """300,000 units: a resample's weights are 2.4 MB; 32 of them at once would be 77 MB and more."""
    table = np.column_stack([np.arange(300_000.0), np.ones(300_000)])
    units = PlanUnits.rows(np.ones(300_000))
    tracemalloc.start()
    bootstrap_sums(table, lambda sums: sums[:, :1] / sums[:, 1:], units, resamples=40, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize(
    ("level", "needed"), [(0.5, 3), (0.8, 9), (0.9, 19), (0.95, 39), (0.99, 199)]
)
def test_the_fewest_resamples_have_their_outermost_ones_as_ends(level, needed):
    check_resamples(needed, level)
    with pytest.raises(InputError, match=f"use at least {needed}$"):
        check_resamples(needed - 1, level)
    draws = np.arange(needed, dtype=float)
    alpha = (1 - level) / 2
    assert order_quantile(draws, alpha) == pytest.approx(0)
    assert order_quantile(draws, 1 - alpha) == pytest.approx(needed - 1)
