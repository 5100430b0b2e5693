from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean, difference_of_clustered_means
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(0)
CODE = np.repeat([0, 1, 2, 3, 4], [1, 2, 7, 3, 9])
Y = RNG.normal(size=22) + CODE / 2
ONES = np.ones(22)


def penicillin():
    rows = golden_frame("cluster_penicillin.csv")
    codes = [np.unique(rows[c], return_inverse=True)[1] for c in ("g1", "g2")]
    return rows["y"].to_numpy(float), np.ones(len(rows)), codes, golden("cluster_penicillin")["r"]


@pytest.mark.parametrize("kind", ["CR0", "CR1", "CR2", "CR3"])
def test_one_factor_is_clubsandwichs(kind):
    y, ones, codes, r = penicillin()
    m = clustered_mean(y, ones, codes[:1], kind=kind)
    assert m.mean == pytest.approx(r["mean"], rel=1e-12)
    assert m.std_error == pytest.approx(r[f"se_g1_{kind}"], rel=1e-12)
    assert m.clusters == (r["G1"],)
    if kind == "CR2":
        assert m.df == pytest.approx(r["CR2_satterthwaite_df"], rel=1e-10)
        assert m.p_value() == pytest.approx(r["CR2_p"], rel=1e-9)


def test_independent_values_are_rs():
    y, ones, _, r = penicillin()
    assert clustered_mean(y, ones).std_error == pytest.approx(r["se_naive"], rel=1e-12)


@pytest.mark.parametrize("name", ["uneven", "narrow", "raised", "penicillin"])
def test_two_crossed_factors_are_clubsandwichs_parts(name):
    """clubSandwich inverts matrices and differentiates numerically: eight digits."""
    r = golden("clustered_mean")[name]
    y, ones, codes, _ = penicillin()
    if "y" in r:
        y, ones = np.array(r["y"]), np.ones(len(r["y"]))
        codes = [np.unique(r[c], return_inverse=True)[1] for c in ("g", "h")]
    m = clustered_mean(y, ones, codes)
    assert (m.mean, m.std_error, m.df, m.p_value()) == pytest.approx(
        (r["mean"], r["se"], r["df"], r["p"]), rel=1e-8
    )
    assert m.interval() == pytest.approx(r["interval"], rel=1e-8)
    assert m.floored == (r["plain"] < max(r["v"][:2]))
    assert m.unfloored_std_error == (
        pytest.approx(math.sqrt(r["plain"]), rel=1e-8) if r["plain"] > 0 else None
    )
    assert m.kind == "two-way"


def brute_cr2(y, code):
    """Bell and McCaffrey's estimator with its degrees of freedom, in matrices."""
    n = len(y)
    x = np.ones((n, 1))
    hat, identity = x @ x.T / n, np.eye(n)
    e, variance, columns = y - y.mean(), 0.0, []
    for g in np.unique(code):
        at = code == g
        values, vectors = np.linalg.eigh((identity - hat)[np.ix_(at, at)])
        s = (vectors @ np.diag(values**-0.5) @ vectors.T @ x[at])[:, 0] / n
        variance += (s @ e[at]) ** 2
        columns.append((identity - hat)[:, at] @ s)
    p = np.array(columns) @ np.array(columns).T
    return math.sqrt(variance), np.trace(p) ** 2 / np.trace(p @ p)


def test_unequal_clusters_against_matrices():
    m = clustered_mean(Y, ONES, [CODE])
    assert (m.std_error, m.df) == pytest.approx(brute_cr2(Y, CODE), rel=1e-12)
    assert m.df < 4


def test_unequal_clusters_are_clubsandwichs():
    r = golden("paired")["unequal"]
    y, code = np.array(r["y"]), np.unique(r["g"], return_inverse=True)[1]
    for kind in ("CR0", "CR1", "CR2", "CR3"):
        m = clustered_mean(y, np.ones(len(y)), [code], kind=kind)
        assert m.std_error == pytest.approx(r["se"][kind], rel=1e-10)
    m = clustered_mean(y, np.ones(len(y)), [code])
    assert m.df == pytest.approx(r["df"], rel=1e-8)  # clubSandwich inverts matrices numerically
    assert m.p_value() == pytest.approx(r["p"], rel=1e-8)


def test_clusters_of_one_are_independent_values():
    one, rows = clustered_mean(Y, ONES, [np.arange(22)]), clustered_mean(Y, ONES)
    assert (one.std_error, one.df) == pytest.approx((rows.std_error, rows.df))
    assert rows.std_error == pytest.approx(Y.std(ddof=1) / math.sqrt(22))


def test_two_factors_in_matrices():
    other = np.arange(22) % 6
    (v1, df1), (v2, df2) = ((e**2, df) for e, df in (brute_cr2(Y, c) for c in (CODE, other)))
    off, both = (Y - Y.mean()) / 22, np.unique(CODE * 6 + other, return_inverse=True)[1]
    v12 = float((np.bincount(both, off) ** 2).sum())
    m = clustered_mean(Y, ONES, [CODE, other])
    assert m.std_error == pytest.approx(math.sqrt(max(v1, v2, v1 + v2 - v12)))
    wanted = np.average(stats.t.ppf(0.975, [df1, df2]), weights=[v1, v2])
    assert stats.t.ppf(0.975, m.df) == pytest.approx(wanted)
    assert min(df1, df2) < m.df < max(df1, df2)
    assert m.largest == pytest.approx(9 / 22)


def test_nested_factors_are_the_outer_one():
    m, outer = clustered_mean(Y, ONES, [CODE, np.arange(22)]), clustered_mean(Y, ONES, [CODE])
    assert (m.std_error, m.df, m.floored) == (outer.std_error, outer.df, False)


def test_a_two_way_variance_below_its_parts_is_floored():
    a, b = np.repeat([0, 1], 2), np.tile([0, 1], 2)
    y = np.array([1.0, 0.0, 0.0, 1.0]) + np.array(
        [0, 0, 1e-3, 1e-3]
    )  # interaction only: V1 + V2 < V12
    m = clustered_mean(y, np.ones(4), [a, b])
    assert m.floored
    assert m.std_error == pytest.approx(clustered_mean(y, np.ones(4), [a]).std_error)


@pytest.mark.parametrize(
    "codes", [[], [np.arange(22) % 7], [np.arange(22) % 6, CODE], [np.arange(22) % 6, CODE // 2]]
)
def test_skewness_is_that_of_what_is_summed_by_six_clusters_or_more(codes):
    sums = [np.bincount(c, Y - Y.mean()) for c in codes if len(np.unique(c)) > 5] or [Y - Y.mean()]
    theirs = max(abs(stats.skew(x)) / math.sqrt(len(x)) for x in sums)
    assert clustered_mean(Y, ONES, codes).skewness == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("codes", [[], [CODE], [CODE, np.arange(22) % 3]])
def test_counts_are_repeated_values(codes):
    times = np.arange(22) % 3 + 1
    long = clustered_mean(
        np.repeat(Y, times), np.ones(times.sum()), [np.repeat(c, times) for c in codes]
    )
    short = clustered_mean(Y, times, codes)
    assert (short.mean, short.std_error, short.df, short.sd, short.n) == pytest.approx(
        (long.mean, long.std_error, long.df, long.sd, long.n)
    )


@pytest.mark.parametrize(
    ("y", "codes", "reason"),
    [
        ([0.5], [], "one value only"),
        ([3.0, 3.0, 3.0], [], "all 3 values equal 3"),
        ([0.1, 0.1, 0.1], [], "all 3 values equal 0.1"),
        ([1.1 - 0.1, 1.3 - 0.3, 1.7 - 0.7], [], "all 3 values equal 1"),
        ([1.0, 2.0, 3.0], [[0, 0, 0]], "single cluster"),
        ([1.0, 2.0, 1.0, 2.0], [[0, 0, 1, 1]], "the clusters are alike"),
        ([1.0, 2.0, 2.0, 1.0], [[0, 0, 1, 1], [0, 1, 0, 1]], "the clusters are alike"),
    ],
)
def test_no_variance_is_a_reason_and_not_a_number(y, codes, reason):
    m = clustered_mean(np.array(y), np.ones(len(y)), [np.array(c) for c in codes])
    assert reason in m.undefined
    assert math.isnan(m.std_error)
    assert math.isnan(m.p_value())
    assert m.mean == pytest.approx(np.mean(y))


def test_small_integers_do_not_wrap():
    m = clustered_mean(np.array([250, 3, 251], dtype=np.uint8), np.ones(3, dtype=np.uint8))
    assert m.mean == pytest.approx(168)


def test_one_sided_tests_and_intervals():
    r = golden("paired_sleep")["r"]
    rows = golden_frame("paired_sleep.csv")
    m = clustered_mean((rows["x"] - rows["y"]).to_numpy(), np.ones(10))
    assert m.p_value(alternative="greater") == pytest.approx(r["p_greater"], rel=1e-10)
    assert m.p_value(alternative="less") == pytest.approx(r["p_less"], rel=1e-10)
    assert m.interval(0.95, alternative="greater") == (
        pytest.approx(r["ci_greater_low"], rel=1e-10),
        math.inf,
    )
    assert m.interval(0.9) == pytest.approx(r["ci90"], rel=1e-10)


def test_unusable_options():
    with pytest.raises(InputError, match="CR9"):
        clustered_mean(Y, ONES, [CODE], kind="CR9")
    with pytest.raises(InputError, match="at most two"):
        clustered_mean(Y, ONES, [CODE] * 3)
    with pytest.raises(InputError, match="at least one"):
        clustered_mean(np.array([]), np.array([]))


@pytest.mark.parametrize("pair_sd", [0.0, 0.3])
@pytest.mark.parametrize("size", [2, 3, 5, 10])
@pytest.mark.slow
def test_differences_of_two_means_reject_a_true_null_seldom_enough(
    size: int, pair_sd: float
) -> None:
    """Scenarios of one mean (SD .35), pairs of names of both: at most .05 and three Monte-Carlo errors."""
    rng, sims, pairs = np.random.default_rng(size), 1000, 8
    s, p = (x.ravel() for x in np.indices((2 * size, pairs)))
    second = (s >= size).astype(int)
    count = np.column_stack([1 - second, second]).astype(float)
    rejected = 0
    for _ in range(sims):
        x = (
            rng.normal(0, 0.35, 2 * size)[s]
            + rng.normal(0, pair_sd, (2, pairs))[second, p]
            + rng.normal(size=len(s))
        )
        found = difference_of_clustered_means(np.column_stack([x, x]), count, [s, p], magnitude=1.0)
        rejected += found.p_value() < 0.05
    assert rejected / sims <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sims)


def test_a_difference_of_two_means_of_alike_values_or_of_one_cluster_is_undefined() -> None:
    x, second = np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.0, 0.0, 1.0, 1.0])
    count = np.column_stack([1 - second, second])
    alike = difference_of_clustered_means(np.column_stack([x, x]), count, magnitude=3.0)
    assert "equal 3" in alike.undefined
    single = difference_of_clustered_means(
        np.column_stack([x, x + second * np.arange(4)]),
        count,
        [np.array([0, 1, 2, 2])],
        magnitude=3.0,
    )
    assert single.undefined == "a single cluster: no standard error"


def test_skewness_of_a_difference_grows_with_what_clusters_share() -> None:
    """The skewness of single values times the root of the design effect, here above that of the clusters' sums."""
    rng = np.random.default_rng(5)
    code = np.repeat(np.arange(16), 10)
    first = code < 6
    x = rng.exponential(size=160) ** 2 + np.resize([3.0, -3.0], 16)[code]
    values, count = np.zeros((160, 2)), np.zeros((160, 2))
    values[first, 0], values[~first, 1] = x[first], x[~first]
    count[first, 0] = count[~first, 1] = 1.0
    found = difference_of_clustered_means(values, count, [code], magnitude=float(np.abs(x).max()))
    moved = np.where(
        first, (x - x[first].mean()) / first.sum(), -(x - x[~first].mean()) / (~first).sum()
    )
    sums = np.bincount(code, moved)
    single, clustered = (abs(np.sum(e**3)) / np.sum(e**2) ** 1.5 for e in (moved, sums))
    welch = x[first].var(ddof=1) / first.sum() + x[~first].var(ddof=1) / (~first).sum()
    inflated = single * math.sqrt(found.std_error**2 / welch)
    assert inflated > clustered
    assert found.skewness == pytest.approx(inflated, rel=1e-9)
    pooled = (x[first].var() * first.sum() + x[~first].var() * (~first).sum()) / (len(x) - 2)
    assert found.sd == pytest.approx(math.sqrt(pooled))


@pytest.mark.parametrize("power", [-900, 0, 900])
def test_values_in_another_unit_have_the_same_mean_in_that_unit(power):
    """Also what is rounding of their magnitude: a spread of 1e-13 is none among numbers of 1000."""
    scale = 2.0**power
    wanted = clustered_mean(Y, ONES, [CODE])
    found = clustered_mean(Y * scale, ONES, [CODE])
    assert (found.mean / scale, found.std_error / scale, found.df) == pytest.approx(
        (wanted.mean, wanted.std_error, wanted.df), rel=1e-12
    )
    small = 1 + 1e-13 * Y
    near, far = (
        clustered_mean(small * scale, ONES, [CODE], magnitude=size * scale) for size in (1, 1000)
    )
    assert not near.undefined
    assert far.undefined


def test_weighted_independent_values_have_the_linearised_variance_of_a_ratio():
    """As svymean of R's survey: n / (n - 1) times the sum of (w (x - m) / sum w)^2."""
    w = np.linspace(0.3, 2.0, 22)
    found = clustered_mean(Y, ONES, weight=w)
    mean = np.average(Y, weights=w)
    off = w * (Y - mean) / w.sum()
    assert found.mean == pytest.approx(mean)
    assert found.std_error == pytest.approx(math.sqrt(22 / 21 * float(off @ off)))
    assert found.largest == pytest.approx(w.max() / w.sum())
    twice = clustered_mean(Y, 2 * ONES, weight=w)
    assert twice.std_error == pytest.approx(math.sqrt(44 / 43 / 2 * float(off @ off)))
