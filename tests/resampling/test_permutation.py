from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling import PlanUnits, permutation_test

RNG = np.random.default_rng(6)


def gap(one, two):
    with np.errstate(invalid="ignore", divide="ignore"):
        return one[:, :1] / one[:, 1:] - two[:, :1] / two[:, 1:]


def table(x):
    return np.column_stack([x, np.ones(len(x))])


def rows(n):
    return PlanUnits.rows(np.ones(n))


def brute(x, label, alternative):
    x, chosen = np.asarray(x), np.asarray(label, dtype=bool)
    seen = x[chosen].mean() - x[~chosen].mean()
    found = []
    for some in itertools.combinations(range(len(x)), int(chosen.sum())):
        at = np.isin(np.arange(len(x)), some)
        value = x[at].mean() - x[~at].mean()
        found.append(
            {
                "two_sided": abs(value) >= abs(seen) - 1e-9,
                "greater": value >= seen - 1e-9,
                "less": value <= seen + 1e-9,
            }[alternative]
        )
    return np.mean(found)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
@pytest.mark.parametrize(
    "x", [[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0], [0.1, 0.2, 0.3, 0.3, 0.1, 0.2, 0.9]]
)
def test_exact_p_is_that_of_all_labellings(x, alternative):
    label = np.array([1, 0, 1, 0, 0, 1, 0])
    test = permutation_test(table(x), label, gap, rows(7), alternative=alternative)
    assert test.p_value[0] == pytest.approx(brute(x, label, alternative), rel=1e-12)
    assert test.exact
    assert test.mc_error[0] == 0


def test_scipy_agrees():
    x, y = RNG.normal(size=6), RNG.normal(1, 1, size=5)
    test = permutation_test(
        table(np.r_[x, y]), np.r_[np.ones(6), np.zeros(5)], gap, rows(11), alternative="less"
    )
    theirs = stats.permutation_test(
        (x, y), lambda a, b: a.mean() - b.mean(), n_resamples=np.inf, alternative="less"
    )
    assert test.p_value[0] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_random_labels_are_right_within_their_error():
    x = RNG.normal(size=80) + np.r_[np.full(40, 0.3), np.zeros(40)]
    test = permutation_test(
        table(x), np.repeat([1, 0], 40), gap, rows(80), permutations=20_000, seed=2
    )
    normal = stats.ttest_ind(x[:40], x[40:]).pvalue
    assert not test.exact
    assert test.p_value[0] == pytest.approx(normal, abs=4 * test.mc_error[0] + 0.005)
    assert test.mc_error[0] == pytest.approx(
        np.sqrt(test.p_value[0] * (1 - test.p_value[0]) / 20_000)
    )


def test_0_1_data_as_counts_are_fishers_exact_test():
    counts = np.array([30.0, 20.0, 18.0, 32.0])  # (first, 1), (first, 0), (second, 1), (second, 0)
    values, label = np.array([1.0, 0, 1, 0]), np.array([1, 1, 0, 0])
    cells = np.column_stack([values * counts, counts])
    test = permutation_test(
        cells, label, gap, PlanUnits.rows(counts), permutations=40_000, alternative="greater"
    )
    fisher = stats.fisher_exact([[30, 20], [18, 32]], alternative="greater").pvalue
    assert test.p_value[0] == pytest.approx(fisher, abs=4 * test.mc_error[0])


def test_whole_clusters_change_their_label():
    code, label = np.array([0, 0, 1, 2, 2, 2, 3]), np.array([1, 1, 0, 1, 1, 1, 0])
    x = np.array([4.0, 6, 1, 7, 8, 9, 2])
    test = permutation_test(table(x), label, gap, PlanUnits.clusters(code))
    sums = {g: (x[code == g].sum(), (code == g).sum()) for g in range(4)}
    found = []
    for some in itertools.combinations(range(4), 2):
        (s, n), (t, m) = (
            np.sum([sums[g] for g in part], axis=0) for part in (some, set(range(4)) - set(some))
        )
        found.append(abs(s / n - t / m) >= abs(34 / 5 - 3 / 2) - 1e-9)
    assert test.p_value[0] == pytest.approx(np.mean(found))


def test_seed_and_memory():
    x, label = RNG.normal(size=60), np.arange(60) % 2
    one = permutation_test(table(x), label, gap, rows(60), permutations=500, seed=1)
    two = permutation_test(table(x), label, gap, rows(60), permutations=500, seed=1, memory=10_000)
    other = permutation_test(table(x), label, gap, rows(60), permutations=500, seed=2)
    assert one.p_value.tobytes() == two.p_value.tobytes()
    assert other.p_value[0] != one.p_value[0]


def test_several_statistics_at_once_and_p_is_never_zero():
    x = np.r_[np.full(40, 5.0), np.zeros(40)] + RNG.normal(size=80) / 10
    both = lambda a, b: np.hstack([gap(a, b), -gap(a, b)])  # noqa: E731
    test = permutation_test(table(x), np.repeat([1, 0], 40), both, rows(80), permutations=199)
    assert test.p_value.tolist() == pytest.approx([1 / 200, 1 / 200])
    assert test.statistic[0] == pytest.approx(-test.statistic[1])


@pytest.mark.parametrize(
    ("label", "units", "options", "said"),
    [
        ([1, 0, 1, 0], PlanUnits.clusters(np.array([0, 0, 1, 1])), {}, "both groups"),
        ([1, 1, 1, 1], rows(4), {}, "both groups"),
        (
            [1, 0, 1, 0],
            PlanUnits.clusters(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])),
            {},
            "crossed",
        ),
        ([1, 0, 1], rows(4), {}, "labels are"),
        ([1, 0, 1, 0], rows(4), {"alternative": "up"}, "up"),
        ([1, 0, 1, 0], rows(4), {"permutations": 1}, "permutations"),
        ([1, 0, 1, 0], rows(4), {"seed": 1.5}, "seed"),
    ],
)
def test_bad_input(label, units, options, said):
    with pytest.raises(InputError, match=said):
        permutation_test(table(np.arange(4.0)), np.array(label), gap, units, **options)


def test_no_statistic_at_all_is_said():
    with pytest.raises(UndefinedStatistic, match="no labelling"):
        permutation_test(
            table(np.arange(4.0)), np.array([1, 0, 1, 0]), lambda a, b: a[:, :1] * np.nan, rows(4)
        )
