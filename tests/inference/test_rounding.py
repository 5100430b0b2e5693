"""The gate of standard errors: variances of rounding have none, and real ones pass however small and in any unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import socialstats as ss
from socialstats.choices.bradley_terry.covariance import rank_sets
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.means import mean_errors
from socialstats.inference.proportions import clustered_share
from socialstats.inference.robust import Robust, cluster_robust
from socialstats.inference.rows import with_ends, with_spread, with_t
from socialstats.paired.matched_pairs import hotelling
from socialstats.paired.robust_tests import robust_wald
from socialstats.resampling import PlanUnits, bootstrap_sums, jackknife_sums
from socialstats.results import Row
from socialstats.rounding import full_rank, no_variation_reason

RNG = np.random.default_rng(8)
UNITS = (1e-300, 1e-12, 1e-9, 1.0, 1e9, 1e12, 1e300)


def regression(clusters: int, same: bool, unit: float = 1.0) -> Robust:
    """Three columns on rows of so many clusters; their rows and residuals are the same, or differ."""
    x, e = RNG.normal(size=(12, 3)), RNG.normal(size=12)
    e -= x @ np.linalg.lstsq(x, e, rcond=None)[0]
    rows = np.tile(x, (clusters, 1))
    residuals = np.concatenate([e[RNG.permutation(12)] if not same else e for _ in range(clusters)])
    residuals = residuals - rows @ np.linalg.lstsq(rows, residuals, rcond=None)[0]
    code = np.repeat(np.arange(clusters), 12)
    rows = rows * unit
    return cluster_robust(sparse.csr_array(rows), residuals, [code], np.linalg.inv(rows.T @ rows))


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_regression_of_clusters_that_are_alike_has_no_error_and_no_joint_test(
    unit: float,
) -> None:
    still, lively = regression(6, True, unit), regression(6, False, unit)
    assert np.isnan(still.errors(np.eye(3)).std_error).all()
    assert np.isnan(still.differences(3).std_error).all()
    assert np.all(lively.errors(np.eye(3)).std_error > 0)
    assert np.all(lively.differences(3).std_error > 0)
    said = still.joint(np.eye(3)[:2], np.ones(2))
    assert isinstance(said, str)
    assert "alike in a combination" in said


def test_fewer_different_clusters_than_terms_have_no_joint_test_however_many_their_copies() -> None:
    x = RNG.normal(size=(12, 3))
    pattern = [RNG.normal(size=12) for _ in range(2)]
    residuals = np.concatenate([pattern[k % 2] for k in range(20)])
    rows = np.tile(x, (20, 1))
    residuals = residuals - rows @ np.linalg.lstsq(rows, residuals, rcond=None)[0]
    fit = cluster_robust(
        sparse.csr_array(rows),
        residuals,
        [np.repeat(np.arange(20), 12)],
        np.linalg.inv(rows.T @ rows),
    )
    assert np.all(fit.errors(np.eye(3)).std_error > 0)
    said = fit.joint(np.eye(3)[:2], np.ones(2))
    assert isinstance(said, str)
    assert "alike in a combination of the 2 terms" in said
    assert not isinstance(fit.joint(np.eye(3)[:1], np.ones(1)), str)


@pytest.mark.parametrize("unit", UNITS)
def test_a_mean_scales_with_its_values(unit: float) -> None:
    values, code = RNG.normal(size=60), np.repeat(np.arange(12), 5)
    one, other = (clustered_mean(values * u, np.ones(60), [code]) for u in (1.0, unit))
    assert other.std_error == pytest.approx(one.std_error * unit, rel=1e-9)
    still = clustered_mean(np.tile(values[:5], 12) * unit, np.ones(60), [code])
    assert still.undefined == no_variation_reason("clusters")


def test_real_differences_pass_however_small_beside_the_values() -> None:
    """A thousand numbers with SD 1 around 1.7e9 (times in seconds), and one of 10^9 rows that differs."""
    times = 1.7e9 + RNG.normal(size=1000)
    found = clustered_mean(times, np.ones(1000), [np.arange(1000) % 50])
    assert 0.01 < found.std_error < 0.1
    for m in (1e4, 1e7, 1e9):
        yes, n, code = (
            np.array([1.0, 0.0] * 3),
            np.array([m, m, m, m, m + 1, m - 1]),
            np.repeat(np.arange(3), 2),
        )
        error = clustered_share(yes, n, [code]).std_error
        assert error == pytest.approx(1 / 6 / m, rel=1e-3)
        design = {
            "item_a": ["a"] * 6,
            "item_b": ["b"] * 6,
            "winner": ["a", "b"] * 3,
            "n": n.astype(int),
            "g": code,
        }
        fit = ss.bradley_terry(design, count="n", cluster="g")
        assert fit.rows[0].std_error == pytest.approx(1 / 3 / m, rel=1e-3)
        assert fit.rows[0].p_value == pytest.approx(0.42265, rel=1e-4)  # t(2) of 1


def test_a_standard_deviation_of_values_far_from_zero_is_no_rounding() -> None:
    times = 1.7e9 + RNG.normal(size=200)
    row = with_spread(Row(term="t"), times, 0.95)
    assert row.estimate == pytest.approx(times.std(ddof=1), rel=1e-6)
    assert row.undefined is None
    assert with_spread(Row(term="t"), np.full(9, 0.1), 0.95).reason == "no_variation"


def test_large_tables_know_clusters_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the eigenvectors of the clusters, also under a penalty, whose score all clusters share."""
    monkeypatch.setattr("socialstats.inference.robust.MOST_NUMBERS", 0)
    still, lively = regression(40, True), regression(40, False)
    assert np.isnan(still.errors(np.eye(3)).std_error).all()
    assert np.isnan(still.differences(3).std_error).all()
    assert np.all(lively.errors(np.eye(3)).std_error > 0)
    x = RNG.normal(size=(12, 3))
    rows, code = np.tile(x, (40, 1)), np.repeat(np.arange(40), 12)
    bread = np.linalg.inv(rows.T @ rows + 5 * np.eye(3))
    pulled = cluster_robust(sparse.csr_array(rows), np.tile(x @ np.ones(3), 40), [code], bread)
    assert np.all(pulled.errors(np.eye(3)).variance > 1e-6)
    assert np.isnan(pulled.errors(np.eye(3)).std_error).all()


def test_many_rows_in_another_order_are_the_same_clusters() -> None:
    base = RNG.normal(size=200_000) * 1e3 + 1e6
    values = np.concatenate([RNG.permutation(base) for _ in range(4)])
    code = np.repeat(np.arange(4), len(base))
    assert clustered_mean(values, np.ones(len(values)), [code]).undefined == no_variation_reason(
        "clusters"
    )
    values[0] += 1.0
    assert clustered_mean(values, np.ones(len(values)), [code]).std_error == pytest.approx(
        1 / len(base) / 4, rel=0.01
    )


def test_shares_near_one_of_ten_million_rows_have_their_errors() -> None:
    n = 10_000_000
    for missed in (1, 1000):
        found = clustered_share(
            np.array([1.0, 0.0]), np.array([n - missed, missed], dtype=np.float64)
        )
        assert found.std_error == pytest.approx(missed**0.5 / n, rel=1e-3)
    values = np.ones(100_000)
    values[:100] = 0
    assert clustered_share(values, np.ones(100_000), [np.arange(100_000) % 100]).std_error is None


def test_values_equal_but_for_rounding_have_no_error() -> None:
    values = 0.3 + np.array([0, 1, 2, 3]) * 1e-16
    assert "alike" in clustered_mean(values, np.ones(4)).undefined
    assert clustered_mean(np.full(4, 0.3), np.ones(4)).undefined.startswith("all 4 values equal")


@pytest.mark.parametrize("factors", [1, 2])
def test_errors_of_scores_know_what_they_are_made_of(factors: int) -> None:
    """Both factors are alike: each value occurs once in each of their levels."""
    values = np.array([[k ^ j for j in range(4)] for k in range(4)], dtype=np.float64).ravel() / 7
    codes = [np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)][:factors]
    found = mean_errors(
        ((values - values.mean()) / 16)[:, None], np.full((16, 1), 1 / 16), codes, size=1.0
    )
    assert np.isnan(found.std_error[0])
    assert not np.isnan(found.variance[0])


def test_a_wald_test_of_means_needs_clusters_that_differ() -> None:
    block = RNG.normal(size=(5, 2))
    values, code = np.tile(block, (30, 1)), np.repeat(np.arange(30), 5)
    assert robust_wald(values, np.ones(150), [code]) == no_variation_reason("clusters")
    assert robust_wald(values[RNG.permutation(150)], np.ones(150), [code]) != no_variation_reason(
        "clusters"
    )


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_hotellings_test_in_any_unit(unit: float) -> None:
    rows = RNG.normal(size=(9, 2)) + 1
    assert hotelling(rows * unit).p_value == pytest.approx(hotelling(rows).p_value, rel=1e-9)
    assert hotelling((np.tile(rows[:1], (9, 1)) + 1e-17 * RNG.normal(size=(9, 2))) * unit).undefined


def test_full_rank_does_not_depend_on_the_units_of_the_terms() -> None:
    v = np.array([[2.0, 0.5], [0.5, 1.0]])
    for unit in (1e-9, 1.0, 1e9):
        scale = np.diag([1.0, unit])
        assert full_rank(scale @ v @ scale, 1e-14 * scale @ v @ scale)
        assert not full_rank(scale @ np.ones((2, 2)) @ scale, 1e-14 * scale @ v @ scale)


def test_differences_without_variance_are_no_ranks() -> None:
    """Two of three models differ by the same number on every unit: their order is not known for certain."""
    moves = RNG.normal(size=(200, 3)) / 200
    moves[:, 1] = moves[:, 0]
    sets = rank_sets(
        np.array([0.0, 0.1, 5.0]),
        moves.T @ moves,
        level=0.95,
        simultaneous=False,
        draws=500,
        seed=0,
    )
    assert sets.low.tolist() == [2, 2, 1]
    assert sets.high.tolist() == [3, 3, 1]


@pytest.mark.parametrize("unit", UNITS[1:-1])
def test_resamples_and_left_out_units_in_any_unit(unit: float) -> None:
    def mean(sums: np.ndarray) -> np.ndarray:
        return sums[:, :1] / sums[:, 1:]

    x = RNG.normal(size=20) * unit
    for values, there in ((x, True), (np.tile(x[:4] - x[:4].mean(), 5), False)):
        table, units = (
            np.column_stack([values, np.ones(20)]),
            PlanUnits.clusters(np.repeat(np.arange(5), 4)),
        )
        boot = bootstrap_sums(table, mean, units, resamples=50, size=float(np.abs(x).max()))
        jack = jackknife_sums(table, mean, units, size=float(np.abs(x).max()))
        assert (boot.std_error[0] > 0, jack.std_error[0] > 0) == (there, there)
        assert boot.is_constant[0] != there


def test_rows_without_an_error_or_width_say_why() -> None:
    row = Row(term="mean", estimate=2.0, n_clusters=6)
    assert with_t(row, float("nan"), 5.0, 0.95).undefined == no_variation_reason("clusters")
    assert with_t(Row(term="mean", estimate=2.0), 0.0, 5.0, 0.95).undefined == no_variation_reason(
        "units"
    )
    assert with_t(row, float("nan"), 5.0, 0.95).reason == "no_variation"
    assert with_ends(row, 2.0, 2.0 + 1e-15, 0.95).undefined == "the interval has no width"
    assert with_ends(Row(term="a", role="rank", estimate=1.0), 1.0, 1.0, 0.95).undefined is None
    assert with_ends(row, 2.0 - 1e-12, 2.0 + 1e-12, 0.95).undefined is None


@pytest.mark.parametrize("power", [-900, -3, 900])
def test_a_spread_in_another_unit_is_the_same_in_that_unit(power: int) -> None:
    values, unit = np.random.default_rng(3).gamma(2, 1, 20), 2.0**power
    wanted, found = (with_spread(Row(term="t"), x, 0.95) for x in (values, values * unit))
    assert wanted.estimate == pytest.approx(values.std(ddof=1))
    for name in ("estimate", "conf_low", "conf_high"):
        assert getattr(found, name) / unit == pytest.approx(getattr(wanted, name))
    assert found.effective == pytest.approx(wanted.effective)
