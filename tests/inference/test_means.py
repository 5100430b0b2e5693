"""Variances of means and ratios under clusters, against the general equations with dense matrices."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from scipy import sparse, stats

from socialstats.inference.intervals import cochran_df
from socialstats.inference.means import (
    DrawnRaters,
    MeanErrors,
    difference_errors,
    effective_trials,
    mean_errors,
    with_drawn,
)

RNG = np.random.default_rng(5)
GROUP, OTHER = RNG.integers(0, 7, 40), RNG.integers(0, 5, 40)


def ratio(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Scores and shares of two ratios whose second leaves half of the cells out."""
    x, y = (
        RNG.normal(size=(n, 2)),
        RNG.uniform(0.2, 2, (n, 2)) * np.column_stack([np.ones(n), np.arange(n) % 2]),
    )
    scores = (x * (y > 0) - (x * (y > 0)).sum(axis=0) / y.sum(axis=0) * y) / y.sum(axis=0)
    return scores, y / y.sum(axis=0)


def by_matrices(scores: np.ndarray, shares: np.ndarray, code: np.ndarray) -> tuple[float, float]:
    """CR2 and Satterthwaite's df of one parameter, from the definitions of Pustejovsky and Tipton (2018)."""
    clusters = [code == level for level in np.unique(code)]
    root = np.sqrt(shares)  # F = sqrt(share): sum F'F = 1, so the bread B is 1
    e = np.divide(scores, root, out=np.zeros_like(scores), where=root > 0)
    variance, w = 0.0, []
    for mine in clusters:
        f = root[mine]
        values, vectors = np.linalg.eigh(np.eye(mine.sum()) - np.outer(f, f))
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        variance += (f @ adjust @ e[mine]) ** 2
        w.append(np.zeros(len(root)))
        w[-1][mine] = adjust @ f
    hat = np.outer(root, root)
    p = np.array([[a @ (np.eye(len(root)) - hat) @ b for b in w] for a in w])
    return variance, np.trace(p) ** 2 / np.trace(p @ p)


@pytest.mark.parametrize("column", [0, 1])
def test_one_factor_is_cr2_with_satterthwaites_df(column: int) -> None:
    scores, shares = ratio()
    found = mean_errors(scores, shares, [GROUP])
    variance, df = by_matrices(scores[:, column], shares[:, column], GROUP)
    assert found.variance[column] == pytest.approx(variance, rel=1e-10)
    assert found.df[column] == pytest.approx(df, rel=1e-9)


def test_independent_rows_are_clusters_of_one_and_alike_rows_may_stand_together() -> None:
    values, copies = np.array([1.0, 2.0, 5.0]), np.array([4.0, 3.0, 2.0])
    rows = np.repeat(values, copies.astype(int))
    scores = ((values - rows.mean()) * copies / 9)[:, None]
    found = mean_errors(scores, copies[:, None] / 9, alike=copies)
    assert found.variance[0] == pytest.approx(rows.var(ddof=1) / 9, rel=1e-12)
    assert (found.df[0], found.clusters[0], found.effective[0]) == (8.0, 9.0, pytest.approx(9.0))


@pytest.mark.parametrize("factors", [[], [GROUP], [GROUP, OTHER]], ids=["rows", "one", "two"])
def test_sparse_tables_give_the_same(factors: list[np.ndarray]) -> None:
    scores, shares = ratio()
    dense, thin = (
        mean_errors(scores, shares, factors),
        mean_errors(sparse.csr_array(scores), sparse.csr_array(shares), factors),
    )
    for field in fields(MeanErrors):
        np.testing.assert_allclose(
            getattr(thin, field.name), getattr(dense, field.name), rtol=1e-12
        )


def test_two_factors_take_the_largest_of_three_variances() -> None:
    scores, shares = ratio()
    one, two = (mean_errors(scores, shares, [code]) for code in (GROUP, OTHER))
    both = mean_errors(scores, shares, [GROUP, OTHER])
    sums = np.zeros((7, 5, 2))
    np.add.at(sums, (GROUP, OTHER), scores)
    plain = one.variance + two.variance - (sums**2).sum(axis=(0, 1))
    np.testing.assert_allclose(both.plain, plain, rtol=1e-12)
    np.testing.assert_allclose(
        both.variance, np.max([plain, one.variance, two.variance], axis=0), rtol=1e-12
    )
    assert np.all((both.df >= np.minimum(one.df, two.df)) & (both.df <= np.maximum(one.df, two.df)))


def test_one_cluster_that_is_everything_has_no_variance() -> None:
    found = mean_errors(np.array([[0.1], [-0.1]]), np.array([[0.5], [0.5]]), [np.array([3, 3])])
    assert np.isnan(found.variance[0])
    assert np.isnan(found.df[0])
    assert found.largest[0] == pytest.approx(1.0)


def test_trials_without_spread_count_clusters_by_their_evenness() -> None:
    code = np.array([0, 0, 0, 1, 2])
    found = mean_errors(np.zeros((5, 1)), np.full((5, 1), 0.2), [code])
    assert effective_trials(np.array([1.0]), found, 5.0)[0] == pytest.approx(
        1 / (0.36 + 0.04 + 0.04)
    )
    independent = mean_errors(np.array([[0.5], [-0.5]]) / 2, np.full((2, 1), 0.5))
    assert effective_trials(np.array([0.5]), independent, 9.0)[0] == pytest.approx(
        0.25 / independent.variance[0]
    )


def two_means(values: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, shares and unit variances of the means of rows that are not, and that are, of the second."""
    own = np.column_stack([~second, second]).astype(float)
    shares = own / own.sum(axis=0)
    return shares * (values[:, None] - values @ shares), shares, 1 / own.sum(axis=0)


def two_by_matrices(
    values: np.ndarray, second: np.ndarray, code: np.ndarray, sd: np.ndarray
) -> tuple[float, float]:
    """CR2 of a regression on two indicators, and Satterthwaite's df where errors have the sd given."""
    x = np.column_stack([~second, second]).astype(float)
    bread = np.linalg.inv(x.T @ x)
    out = np.eye(len(x)) - x @ bread @ x.T
    c, w = np.array([1.0, -1.0]), []
    for level in np.unique(code):
        mine = code == level
        inner, vectors = np.linalg.eigh(out[np.ix_(mine, mine)])
        w.append(np.zeros(len(x)))
        w[-1][mine] = vectors @ np.diag(inner**-0.5) @ vectors.T @ x[mine] @ bread @ c
    parts = np.array([one @ out for one in w])
    p = parts @ np.diag(sd[second.astype(int)] ** 2) @ parts.T
    return float(((parts @ values) ** 2).sum()), float(np.trace(p) ** 2 / np.trace(p @ p))


@pytest.mark.parametrize("spread", [1.0, 9.0])
def test_a_difference_of_two_means_is_cr2_of_two_indicators(spread: float) -> None:
    """Some clusters are of one mean, others of both."""
    second = (GROUP > 4) | ((GROUP > 2) & (np.arange(40) % 2 == 0))
    values = RNG.normal(size=40) * np.where(second, spread, 1.0)
    scores, shares, unit = two_means(values, second)
    found = difference_errors(scores, shares, unit, [GROUP])
    seen = [mean_errors(scores[:, [k]], shares[:, [k]], [GROUP]).variance[0] for k in (0, 1)]
    variance, of_cr2 = two_by_matrices(values, second, GROUP, np.ones(2))
    _, of_welch = two_by_matrices(values, second, GROUP, np.sqrt(np.array(seen) / unit))
    assert found.variance[0] == pytest.approx(variance, rel=1e-9)
    assert found.df[0] == pytest.approx(min(of_cr2, of_welch), rel=1e-9)
    held = np.array([np.bincount(GROUP, column, 7) for column in shares.T])
    assert found.effective[0] == pytest.approx((1 / (held**2).sum(axis=1)).min())
    assert found.largest[0] == pytest.approx(held.max())
    assert found.clusters[0] == (held > 0).sum(axis=1).min()


def test_a_difference_of_two_means_is_welchs_or_paired_t() -> None:
    x, y = RNG.normal(size=6), RNG.normal(size=6) * 3
    values, second = np.concatenate([x, y]), np.repeat([False, True], 6)
    apart = difference_errors(*two_means(values, second), [np.arange(12)])
    welch = stats.ttest_ind(x, y, equal_var=False)
    assert (apart.variance[0] ** 0.5, apart.df[0]) == pytest.approx(
        ((x - y).mean() / welch.statistic, welch.df)
    )
    paired = difference_errors(*two_means(values, second), [np.tile(np.arange(6), 2)])
    assert (paired.variance[0] ** 0.5, paired.df[0]) == pytest.approx((stats.sem(x - y), 5.0))


def test_alike_rows_of_two_means_may_stand_together() -> None:
    values, second, copies = (
        np.array([1.0, 2.0, 4.0, 9.0]),
        np.array([False, False, True, True]),
        np.array([3, 2, 1, 4]),
    )
    rows = two_means(np.repeat(values, copies), np.repeat(second, copies))
    wide = difference_errors(*rows)
    sums = [
        np.array(
            [part[place].sum(axis=0) for place in np.split(np.arange(10), np.cumsum(copies)[:-1])]
        )
        for part in rows[:2]
    ]
    found = difference_errors(*sums, rows[2], alike=copies.astype(float))
    for part in fields(MeanErrors):
        assert getattr(found, part.name)[0] == pytest.approx(getattr(wide, part.name)[0]), part.name


def test_a_mean_with_one_cluster_has_no_difference() -> None:
    scores, shares, unit = two_means(RNG.normal(size=6), np.array([False] * 4 + [True] * 2))
    assert np.isnan(
        difference_errors(scores, shares, unit, [np.array([0, 0, 1, 1, 2, 2])]).variance[0]
    )


def test_df_of_alike_clusters_and_alike_people_do_not_depend_on_rounding() -> None:
    """Each cluster has one hit of six by fixed raters; what is left of its variance is 0 or 1e-34, by the order."""
    cluster = np.repeat(np.arange(3), 6)
    hits = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 3)
    rater = np.tile([0, 1, 0, 2, 3, 3], 3)
    people = rater < 3
    dfs = set()
    for scale in (1.0, 1 / 3, 1 / 7, 1e6 / 7):
        x = hits * scale
        drawn = DrawnRaters.of_means(
            x[people, None], np.ones(people.sum()), cluster[people], rater[people], total=18.0
        )
        units = mean_errors(
            (x - x.mean())[:, None] / 18, np.full((18, 1), 1 / 18), [cluster], size=scale
        )
        found = with_drawn(units, [drawn])
        assert np.isnan(found.std_error[0])
        dfs.add(round(float(found.df[0]), 9))
    assert dfs == {round(float(drawn.errors().df[0]), 9)}


def test_groups_of_drawn_raters_add_their_variances_with_satterthwaites_df() -> None:
    """People and models are samples of their own; units are joined with both by Cochran's df."""
    unit, rater = np.repeat(np.arange(8), 7), np.tile(np.arange(7), 8)
    values = RNG.normal(size=(56, 2)) + 2 * RNG.normal(size=7)[rater][:, None]
    people = rater < 3
    groups = [
        DrawnRaters.of_means(values[mine], np.ones(mine.sum()), unit[mine], rater[mine], total=56.0)
        for mine in (people, ~people)
    ]
    means = values.reshape(8, 7, 2).mean(axis=1)
    scores = (means - means.mean(axis=0)) / 8
    errors = mean_errors(scores, np.full((8, 2), 1 / 8), [np.arange(8)])
    found, turned = (with_drawn(errors, some) for some in (groups, groups[::-1]))
    parts = [group.errors() for group in groups]
    both = parts[0].variance + parts[1].variance
    df = both**2 / sum(part.variance**2 / part.df for part in parts)
    for k in range(2):
        wanted = cochran_df([errors.variance[k], both[k]], [errors.df[k], df[k]])
        assert found.df[k] == pytest.approx(wanted)
    overlap = sum(group.overlap for group in groups)
    plain = errors.variance + both - overlap
    np.testing.assert_allclose(found.plain, plain)
    np.testing.assert_allclose(found.variance, np.max([plain, errors.variance, both], axis=0))
    np.testing.assert_allclose(found.effective, turned.effective)
    np.testing.assert_allclose(found.df, turned.df)
    assert found.clusters.tolist() == errors.clusters.tolist()
