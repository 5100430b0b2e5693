"""The divergence against R and scipy, its bias, halves, and tests by swapping and exchanging."""

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from socialstats.errors import InputError
from socialstats.inference.power import quadratic_intervals
from socialstats.resampling import PlanUnits
from socialstats.shares.counts import StratumCells
from socialstats.shares.divergence import (
    RaterTable,
    bootstrap_with_raters,
    exchange_test,
    jackknife_moments,
    jensen_shannon,
    joint_df,
    level_parts,
    one_factor_moments,
    quadratic_moments,
    unit_corrected,
    with_raters,
)
from socialstats.shares.pooled_similarity import joint_tests
from socialstats.shares.similarity import ComparedSources
from socialstats.shares.split_half import split_half
from socialstats.shares.two_sources import swap_test
from tests.golden_data import golden


def test_divergence_is_that_of_r():
    wanted = golden("jsd_base2")
    for case, jsd, distance in zip(
        wanted["inputs"], wanted["r"]["jsd"], wanted["r"]["distance"], strict=True
    ):
        found = float(jensen_shannon(np.array(case["p"], float), np.array(case["q"], float)))
        assert found == pytest.approx(jsd, rel=1e-12, abs=1e-15)
        assert np.sqrt(found) == pytest.approx(distance, rel=1e-12, abs=1e-15)


def test_divergence_is_the_square_of_scipys_distance():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (2, 200, 4)).astype(float) + np.array([1, 0, 0, 0])
    theirs = [jensenshannon(p, q, base=2) ** 2 for p, q in zip(a, b, strict=True)]
    np.testing.assert_allclose(jensen_shannon(a, b), theirs, atol=1e-12)


def test_shares_that_differ_by_rounding_are_0_where_scipy_is_nan():
    p = np.array([0.1, 0.2, 0.7])
    q = p * np.array([1 + 2e-16, 1, 1 - 2e-16])
    found = jensen_shannon(p, q)
    assert 0 <= found < 1e-15
    assert np.isnan(jensen_shannon(np.zeros(3), p))
    assert jensen_shannon(np.array([1.0, 0, 0]), np.array([0, 1.0, 1.0])) == 1


@pytest.mark.parametrize("clusters", [False, True])
def test_jackknife_moments_is_that_of_r(clusters):
    wanted = golden("sources")
    human, model = (np.array(wanted[k], float) for k in ("human", "model"))
    codes = (np.array(wanted["cluster"]),) if clusters else ()
    found = jackknife_moments(
        np.hstack([human, model]),
        lambda s: jensen_shannon(s[:, :3], s[:, 3:])[:, None],
        np.ones(12),
        codes,
        np.ones((12, 1)),
    )
    name = "bias_clusters" if clusters else "bias_units"
    assert found.bias[0] == pytest.approx(wanted["divergence"][name], rel=1e-9)


def test_bias_of_crossed_factors_adds_and_subtracts():
    rng = np.random.default_rng(3)
    table = rng.integers(1, 5, (30, 6)).astype(float)
    one, two = np.arange(30) % 5, np.arange(30) // 5
    finish = lambda s: jensen_shannon(s[:, :3], s[:, 3:])[:, None]  # noqa: E731
    parts = [
        jackknife_moments(table, finish, np.ones(30), (c,), np.ones((30, 1))).bias[0]
        for c in (one, two, np.arange(30))
    ]
    both = jackknife_moments(table, finish, np.ones(30), (one, two), np.ones((30, 1))).bias[0]
    assert both == pytest.approx(parts[0] + parts[1] - parts[2], abs=1e-12)


def test_one_cluster_has_no_bias_estimate():
    found = jackknife_moments(
        np.ones((4, 2)), lambda s: s[:, :1], np.ones(4), (np.zeros(4, int),), np.ones((4, 1))
    ).bias
    assert np.isnan(found[0])


def test_unit_correction_is_the_jackknife_over_the_ratings_of_each_source():
    a, b = (
        np.array([[3.0, 2.0, 0.0], [1.0, 0.0, 0.0]]),
        np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 0.0]]),
    )
    sides = [np.repeat(np.arange(3), one.astype(int)) for one in (a[0], b[0])]
    whole = wanted = float(jensen_shannon(a[0], b[0]))
    for k, ratings in enumerate(sides):
        values = []
        for left in combinations(range(len(ratings)), len(ratings) - 1):
            lists = [np.bincount(one, minlength=3).astype(float) for one in sides]
            lists[k] = np.bincount(ratings[list(left)], minlength=3).astype(float)
            values.append(float(jensen_shannon(*lists)))
        wanted -= (len(ratings) - 1) * (np.mean(values) - whole)
    n, m = (len(ratings) for ratings in sides)
    found = unit_corrected(a, b, 1)
    both = left_out(sides, 1, 1)
    wanted += (
        (n - 1) * (m - 1) * (both - left_out(sides, 1, 0) - left_out(sides, 0, 1) + whole)
    )  # one after the other
    assert found[0] == pytest.approx(wanted, abs=1e-12)
    assert np.isnan(found[1])


def left_out(sides, r, s):
    """Mean divergence over all ways to leave r ratings of the first and s of the second side out."""
    kept = [
        [
            np.bincount(x[list(one)], minlength=3).astype(float)
            for one in combinations(range(len(x)), len(x) - k)
        ]
        for x, k in zip(sides, (r, s), strict=True)
    ]
    return float(np.mean([jensen_shannon(*pair) for pair in product(*kept)]))


def test_the_second_order_leaves_two_ratings_out_as_well():
    a, b = (
        np.array([[3.0, 2.0, 0.0], [1.0, 1.0, 0.0]]),
        np.array([[1.0, 1.0, 2.0], [0.0, 2.0, 1.0]]),
    )
    for k in range(2):
        sides = [np.repeat(np.arange(3), one.astype(int)) for one in (a[k], b[k])]
        weights = [(n * n / 2, -((n - 1) ** 2), (n - 2) ** 2 / 2) for n in map(len, sides)]
        wanted = sum(
            weights[0][r] * weights[1][s] * left_out(sides, r, s)
            for r in range(3)
            for s in range(3)
            if weights[0][r] * weights[1][s]
        )
        assert unit_corrected(a, b)[k] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("n", "m", "most"), [(7, 5, 0.035), (20, 5, 0.02), (3, 3, 0.085)])
@pytest.mark.parametrize("kind", ["equal", "unlike", "repeats itself"])
def test_unit_correction_is_near_the_truth_whatever_the_shares(n, m, most, kind):
    """Units with shares of their own; the plug-in value is up to .24 too large, and the rest is a small part of it."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1.0, 1.0, 1.0], 4000)
    others = {
        "equal": p,
        "unlike": rng.dirichlet([1.0, 1.0, 1.0], 4000),
        "repeats itself": np.eye(3)[rng.integers(0, 3, 4000)],
    }
    q = others[kind]
    a, b = (rng.multinomial(k, one).astype(float) for k, one in ((n, p), (m, q)))
    truth = jensen_shannon(p, q).mean()
    assert abs(unit_corrected(a, b).mean() - truth) < most
    if kind != "repeats itself":
        assert jensen_shannon(a, b).mean() - truth > 2 * abs(unit_corrected(a, b).mean() - truth)


def cells_of(codes, labels=()):
    return StratumCells(names=("cell",) if labels else (), labels=labels, codes=np.array(codes))


def test_halves_are_halves_and_their_mean_is_that_of_all_splits():
    """Four ratings of two levels, all 6 halvings listed."""
    counts = np.array([[2.0, 2.0]])
    values = [
        float(jensen_shannon(np.array([k, 2.0 - k]), np.array([2.0 - k, float(k)])))
        for k in (0, 1, 1, 1, 1, 2)
    ]
    found, *_ = split_half(counts, np.ones(1), cells_of([0]), splits=4000, pooled=True)
    error = found[:, 0].std() / np.sqrt(4000)
    assert abs(found[:, 0].mean() - np.mean(values)) < 4 * error


def test_halves_of_alike_units_are_those_of_the_units():
    counts, cells, times = (
        np.array([[3.0, 1.0], [1.0, 2.0]]),
        cells_of([0, 1], ("a", "b")),
        np.array([3.0, 2.0]),
    )
    packed, *_ = split_half(counts, times, cells, splits=99, pooled=True)
    alone = cells_of([0, 0, 0, 1, 1], ("a", "b"))
    long, *_ = split_half(
        np.repeat(counts, [3, 2], axis=0), np.ones(5), alone, splits=99, pooled=True
    )
    np.testing.assert_array_equal(packed, long)
    assert packed[:, 3] == pytest.approx(packed[:, 1:3].mean(axis=1))
    values, units, _ = split_half(counts, times, cells, splits=99, pooled=False)
    assert values.shape == (99, 4)
    assert not np.isnan(values).any()
    assert values[:, 1].mean() == pytest.approx(units[0])


def test_a_single_rating_has_no_halves():
    values, units, _ = split_half(
        np.array([[1.0, 0.0]]), np.ones(1), cells_of([0]), splits=99, pooled=True
    )
    assert np.isnan(values).all()
    assert np.isnan(units).all()


def gap(p, q):
    return jensen_shannon(p, q)[:, None]


def test_swaps_are_every_pattern_of_signs_by_brute_force():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 6, (7, 3)).astype(float), rng.integers(0, 6, (7, 3)).astype(float)
    a, b = a / a.sum(), b / b.sum()
    patterns = np.array(np.meshgrid(*[[True, False]] * 7)).reshape(7, -1).T[:, :, None]
    values = [
        float(jensen_shannon(np.where(s, a, b).sum(axis=0), np.where(s, b, a).sum(axis=0)))
        for s in patterns
    ]
    exact = np.mean(np.array(values) >= float(jensen_shannon(a.sum(axis=0), b.sum(axis=0))) - 1e-12)
    test = swap_test(a, b, gap, np.ones(7), (), permutations=20_000, seed=1)
    assert abs(test.p_value[0] - exact) < 4 * test.mc_error[0] + 1e-4


def test_swaps_without_a_number_count_for_nothing_and_none_leave_no_test():
    """A difference that is told only where a sum is above 0: with units 3, 2 and -4 of signs, 4 of 8 patterns tell."""
    one, two = np.array([[3.0], [2.0], [4.0]]), np.zeros((3, 1))

    def above(
        p, q
    ):  # of patterns of signs of 3, 2, 4: sums 9, 5, 3, 1 and their negatives, which tell nothing
        return np.where(p - q > 0, p - q, np.nan)

    test = swap_test(one, two, above, np.ones(3), (), permutations=20_000, seed=3)
    assert test.statistic[0] == 9
    assert (
        abs(test.p_value[0] - 1 / 4) < 4 * test.mc_error[0]
    )  # of the four that tell, one is as large
    rng = np.random.default_rng(0)
    many = rng.random((40, 1))
    alone = swap_test(
        many,
        0 * many,
        lambda p, q: np.where(p - q > 0.99 * many.sum(), p - q, np.nan),
        np.ones(40),
        (),
        permutations=999,
        seed=0,
    )
    assert alone.statistic[0] == pytest.approx(many.sum())
    assert np.isnan([alone.p_value[0], alone.mc_error[0]]).all()
    single = swap_test(
        np.ones((1, 1)), np.zeros((1, 1)), above, np.ones(1), (), permutations=999, seed=0
    )
    assert np.isnan(single.p_value[0])
    twice = swap_test(
        np.ones((1, 1)), np.zeros((1, 1)), above, np.array([2.0]), (), permutations=20_000, seed=0
    )
    assert (
        abs(twice.p_value[0] - 1) < 1e-9
    )  # two alike units: of the patterns that tell, the only one


def test_swapping_holds_its_size_where_exchanging_ratings_does_not():
    """A model whose five runs repeat each other, with the people's shares on average: 5% of 300 tables."""
    swapped = exchanged = 0
    for seed in range(300):
        rng = np.random.default_rng([7, seed])
        people = rng.multinomial(7, [0.5, 0.3, 0.2], 40).astype(float)
        model = 5.0 * rng.multinomial(1, [0.5, 0.3, 0.2], 40)
        test = swap_test(
            people / 280, model / 200, gap, np.ones(40), (), permutations=199, seed=seed
        )
        swapped += test.p_value[0] <= 0.05
        single = rng.multivariate_hypergeometric(
            (people + model).sum(axis=0).astype(int), 280, size=199
        )
        both = (people + model).sum(axis=0)
        other = jensen_shannon(single.astype(float), both - single)
        seen = float(jensen_shannon(people.sum(axis=0), model.sum(axis=0)))
        exchanged += (1 + (other >= seen).sum()) / 200 <= 0.05
    assert 2 <= swapped <= 28  # 15 expected; the binomial's 99.9% range is 4 to 28
    assert exchanged > 60


def test_exchanging_raters_within_a_unit_is_exact_by_listing():
    """One unit, 2 against 2 ratings of levels (x x | y y): 2 of 6 labellings are as far apart."""
    test = exchange_test(
        np.array([[2.0, 0.0]]),
        np.array([[0.0, 2.0]]),
        np.ones(1),
        np.zeros(1, int),
        1,
        permutations=20_000,
        seed=0,
    )
    assert abs(test.p_value[0] - 1 / 3) < 4 * test.mc_error[0]
    assert test.p_value[0] == test.p_value[1]


def test_tests_refuse_few_permutations():
    with pytest.raises(InputError, match="12"):
        swap_test(np.eye(2), np.eye(2), gap, np.ones(2), (), permutations=12, seed=0)


@pytest.mark.parametrize("how", ["units", "clusters"])
def test_moments_of_chance_and_the_jackknife_are_those_of_r(how):
    data = golden("jackknife")["divergence"]
    r, codes = (
        data[how],
        () if how == "units" else (np.repeat(np.arange(7), [1, 2, 3, 4, 2, 1, 3]),),
    )
    table = np.stack([np.array(data["a"], float), np.array(data["b"], float)], axis=1)[:, None]
    mean, square = quadratic_moments(table, np.ones(16), codes)
    assert (mean, square) == pytest.approx((r["mean"], r["square"]), rel=1e-10)

    def finish(sums):
        both = sums.reshape(-1, 2, 3)
        return jensen_shannon(both[:, 0], both[:, 1])[:, None]

    found = jackknife_moments(
        table.reshape(16, -1), finish, np.ones(16), codes, np.ones((16, 1), bool)
    )
    ours = (found.bias[0], math.sqrt(found.variance[0]), found.df[0])
    assert ours == pytest.approx((r["value"] - r["corrected"], r["se"], r["df"]), rel=1e-9)
    ends = quadratic_intervals(*(np.array([r[k]]) for k in ("value", "mean", "square")), 0.95)
    assert np.ravel(ends) == pytest.approx(r["noncentral"], abs=1e-9)


def test_alike_units_and_the_mean_of_several_pairs():
    rng = np.random.default_rng(3)
    table = rng.multinomial(4, [0.5, 0.3, 0.2], size=(5, 2, 2)).astype(float)
    times = np.array([1, 3, 2, 1, 2])
    one = quadratic_moments(table * times[:, None, None, None], times.astype(float), ())
    assert one == pytest.approx(quadratic_moments(np.repeat(table, times, axis=0), np.ones(9), ()))
    each = [quadratic_moments(table[:, k : k + 1], np.ones(5), ())[0] for k in (0, 1)]
    assert quadratic_moments(table, np.ones(5), ())[0] == pytest.approx(np.mean(each))


def test_resamples_of_units_and_raters_count_those_without_a_number():
    """Six units by three drawn raters, and a fixed one; the last number rests on the first rater alone."""
    unit, rater = np.divmod(np.arange(18), 3)
    table = np.column_stack([rater + unit, rater == 0]).astype(float)
    fixed = np.column_stack([np.full(6, 10.0), np.zeros(6)])
    statistics = fixed + np.column_stack([np.bincount(unit, column) for column in table.T])
    raters = RaterTable(table=table, row=unit, cluster=unit, rater=rater, touched=table > 0)

    def finish(sums):
        return np.column_stack([sums[:, 0], np.where(sums[:, 1] > 0, sums[:, 1], np.nan)])

    found = bootstrap_with_raters(
        statistics, finish, PlanUnits.clusters(np.arange(6)), raters, resamples=4000, seed=1
    )
    assert found.estimate.tolist() == [60 + 18 + 45, 6]
    assert found.replicates[:, 0].mean() == pytest.approx(
        123, abs=4 * found.replicates[:, 0].std() / 4000**0.5
    )
    lost = np.isnan(found.replicates).sum(axis=0)
    assert found.n_degenerate.tolist() == lost.tolist()
    assert lost[0] == 0
    assert lost[1] / 4000 == pytest.approx(
        (2 / 3) ** 3, abs=0.03
    )  # the first rater is in none of three draws


def test_parts_of_levels_add_up_to_the_divergence():
    x, y = np.array([3, 0, 2]), np.array([1, 4, 1])
    parts = [level_parts(int(t), 5, 6)[k] for t, k in zip(x + y, x, strict=True)]
    assert sum(parts) == pytest.approx(float(jensen_shannon(x.astype(float), y.astype(float))))


def exchanged(x, y):
    """Divergences of all ways to hand the ratings of one unit to two sources of the same sizes."""
    ratings = np.repeat(np.arange(len(x)), x + y)
    values = []
    for mine in combinations(range(len(ratings)), int(x.sum())):
        first = np.bincount(ratings[list(mine)], minlength=len(x))
        values.append(float(jensen_shannon(first.astype(float), (x + y - first).astype(float))))
    return np.array(values)


def test_exchanges_of_cells_with_alike_units_are_listed():
    """A cell of two units alike, one of a unit with more ratings of a source, and an empty one."""
    first, second = np.array([[2, 0, 0], [3, 1, 0]]), np.array([[0, 2, 0], [0, 1, 1]])
    test = exchange_test(
        first.astype(float),
        second.astype(float),
        np.array([2.0, 1.0]),
        np.array([0, 1]),
        3,
        permutations=20_000,
        seed=0,
    )
    one, other = (exchanged(x, y) for x, y in zip(first, second, strict=True))
    pairs = (one[:, None] + one).ravel()
    every = (pairs[:, None] + other).ravel()
    whole = float(jensen_shannon(*(side[1].astype(float) for side in (first, second))))
    assert test.statistic[:3] == pytest.approx([(2 + whole) / 3, 1, whole])
    expected = [
        np.mean(values >= least - 1e-9)
        for values, least in ((every, 2 + whole), (pairs, 2), (other, whole))
    ]
    assert np.all(np.abs(test.p_value[:3] - expected) < 4 * test.mc_error[:3])
    assert np.isnan([test.statistic[3], test.p_value[3], test.mc_error[3]]).all()


def test_degrees_of_freedom_are_those_of_the_factors_that_vary():
    assert joint_df(np.array([0.0, 3.0]), np.array([math.nan, 5.0])) == pytest.approx(5)
    assert joint_df(np.array([2.0, 1.0]), np.array([4.0, 4.0])) == pytest.approx(4)
    assert math.isnan(joint_df(np.zeros(2), np.array([4.0, 5.0])))
    assert math.isnan(joint_df(np.array([1.0, 2.0]), np.array([4.0, math.nan])))


def ratio_of_sums(sums):
    return np.column_stack([sums[:, 0] / sums[:, 1], sums[:, 0] * sums[:, 2]])


def test_units_that_do_not_touch_a_statistic_are_not_left_out_of_it():
    """Units 4 and 5 have no part in the second statistic; alike units count as often as there are."""
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 2, (5, 3))
    table[3:, 0] = table[3:, 2] = 0
    count = np.array([2.0, 1.0, 1.0, 1.0, 3.0])
    touched = np.column_stack([np.ones(5, bool), np.arange(5) < 3])
    rows = np.repeat(np.arange(5), count.astype(int))
    found = jackknife_moments(table * count[:, None], ratio_of_sums, count, (), touched)

    def brute(labels, column):
        used = np.unique(labels[touched[rows][:, column]])
        whole = ratio_of_sums(table[rows].sum(axis=0)[None])[0, column]
        left = np.array(
            [ratio_of_sums(table[rows][labels != k].sum(axis=0)[None])[0, column] for k in used]
        )
        share = (len(used) - 1) / len(used)
        return share * (left - whole).sum(), share * ((left - left.mean()) ** 2).sum()

    wanted = [brute(np.arange(8), column) for column in (0, 1)]
    assert found.bias == pytest.approx([bias for bias, _ in wanted])
    assert found.variance == pytest.approx([variance for _, variance in wanted])
    codes = np.array([0, 0, 1, 2, 2])
    found = one_factor_moments(table * count[:, None], ratio_of_sums, count, (codes,), touched)
    wanted = [brute(codes[rows], column) for column in (0, 1)]
    assert found.bias == pytest.approx([bias for bias, _ in wanted])
    assert found.variance == pytest.approx([variance for _, variance in wanted])
    alone = one_factor_moments(table, ratio_of_sums, count, (np.zeros(5, int),), touched)
    assert np.isnan([alone.bias, alone.variance, alone.df]).all()


def test_units_and_drawn_raters_are_two_crossed_factors():
    """Eight units by four raters, each rating an entry: sums over units, and over raters, of the same ratings."""
    rng = np.random.default_rng(6)
    unit, rater = (code.ravel() for code in np.indices((8, 4)))
    table = rng.uniform(1, 2, (32, 3))
    touched, ones = np.ones((32, 2), bool), np.ones(32)
    raters = RaterTable(table=table, row=unit, cluster=unit, rater=rater, touched=touched)
    of_units = one_factor_moments(table, ratio_of_sums, ones, (unit,), touched)
    found = with_raters(of_units, table.sum(axis=0), ratio_of_sums, raters)
    wanted = jackknife_moments(table, ratio_of_sums, ones, (unit, rater), touched)
    for name in ("bias", "variance", "df"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name))
    shifted = with_raters(of_units, table.sum(axis=0) + 5, ratio_of_sums, raters)
    assert not np.allclose(shifted.variance, wanted.variance)
    own = RaterTable(table=table, row=unit, cluster=unit, rater=np.arange(32), touched=touched)
    assert own.nested.tolist() == [True, True]
    assert with_raters(of_units, table.sum(axis=0), ratio_of_sums, own) is of_units
    part = RaterTable(
        table=table,
        row=unit,
        cluster=unit,
        rater=np.where(unit < 4, rater, 100 + np.arange(32)),
        touched=np.column_stack([np.ones(32, bool), unit >= 4]),
    )
    assert part.nested.tolist() == [False, True]


def test_chance_of_shares_by_units_and_raters_is_that_of_two_crossed_factors():
    rng = np.random.default_rng(7)
    unit, rater = (code.ravel() for code in np.indices((9, 4)))
    ratings = np.zeros((36, 1, 2, 3))
    ratings[np.arange(36), 0, rater % 2, rng.integers(0, 3, 36)] = 1
    table = np.zeros((9, 1, 2, 3))
    np.add.at(table, unit, ratings)
    raters = RaterTable(
        table=ratings.reshape(36, -1),
        row=unit,
        cluster=unit,
        rater=rater,
        touched=np.ones((36, 1), bool),
    )
    codes = (np.arange(9),)
    found = quadratic_moments(table, np.ones(9), codes, raters)
    assert found == pytest.approx(quadratic_moments(ratings, np.ones(36), (unit, rater)))
    own = RaterTable(
        table=ratings.reshape(36, -1),
        row=unit,
        cluster=unit,
        rater=np.arange(36),
        touched=np.ones((36, 1), bool),
    )
    alone = quadratic_moments(table, np.ones(9), codes)
    assert quadratic_moments(table, np.ones(9), codes, own) == pytest.approx(alone)
    empty = table.copy()
    empty[:, :, 1] = 0
    assert np.isnan(quadratic_moments(empty, np.ones(9), codes)).all()
    assert np.isnan(quadratic_moments(table[:1], np.ones(1), (np.zeros(1, int),))).all()


def test_a_rating_counts_the_product_of_the_draws_of_its_unit_and_rater():
    unit, rater = (code.ravel() for code in np.indices((6, 3)))
    table = np.column_stack([np.eye(18), np.zeros((18, 6))])
    fixed = np.column_stack([np.zeros((6, 18)), np.eye(6)])
    statistics = fixed.copy()
    np.add.at(statistics, unit, table)
    raters = RaterTable(table=table, row=unit, cluster=unit, rater=rater, touched=table > 0)
    found = bootstrap_with_raters(
        statistics,
        lambda sums: sums,
        PlanUnits.clusters(np.arange(6)),
        raters,
        resamples=200,
        seed=1,
    )
    products, of_units = found.replicates[:, :18].reshape(-1, 6, 3), found.replicates[:, 18:]
    np.testing.assert_allclose(of_units.sum(axis=1), 6)
    of_raters = products.sum(axis=1) / 6
    np.testing.assert_allclose(of_raters.sum(axis=1), 3)
    np.testing.assert_allclose(products, of_units[:, :, None] * of_raters[:, None])
    assert len(np.unique(of_raters, axis=0)) > 5


@pytest.mark.parametrize("seed", range(4))
def test_of_two_factors_the_largest_variance_of_chance_is_taken(seed):
    """V1, V2 or V1 + V2 - V12 by its trace; a factor on which ratings do not hang adds nothing."""
    rng = np.random.default_rng(seed)
    unit, rater = (code.ravel() for code in np.indices((9, 4)))
    ratings = np.zeros((36, 1, 2, 2))
    level = (rng.random(36) < np.where(unit % 2, 0.9, 0.1)).astype(int) if seed > 1 else rater % 2
    ratings[np.arange(36), 0, rng.integers(0, 2, 36), level] = 1
    ones = np.ones(36)
    one, two, both = (
        quadratic_moments(ratings, ones, (code,)) for code in (unit, rater, np.arange(36))
    )
    found = quadratic_moments(ratings, ones, (unit, rater))
    joint = one[0] + two[0] - both[0]
    assert found[0] == pytest.approx(max(one[0], two[0], joint))
    largest = max(one, two)
    if largest[0] > joint:
        assert found == pytest.approx(largest)


def test_cells_without_ratings_of_a_source_have_no_joint_test():
    rng = np.random.default_rng(9)
    first, second = (rng.multinomial(4, [0.5, 0.5], size=12).astype(float) for _ in range(2))
    second[8:] = 0
    cells = cells_of(np.repeat([0, 1], [8, 4]), ("p", "q"))
    sources = ComparedSources(
        first=first, second=second, copies=np.ones(12), cells=cells, codes=(np.arange(12),)
    )
    tests = joint_tests(sources)
    assert tests.tests[2] == "no ratings of both"
    assert np.isnan(tests.p_value).tolist() == [False, False, True]
    first_cell = replace(sources.take(np.arange(8)), cells=cells_of(np.zeros(8, int), ("p",)))
    alone = joint_tests(first_cell)
    assert tests.p_value[1] == pytest.approx(alone.p_value[0])
    assert alone.p_value[1] == pytest.approx(alone.p_value[0])
