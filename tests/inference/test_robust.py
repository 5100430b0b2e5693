"""Cluster-robust inference on arrays: against clubSandwich, brute force with dense matrices, and its invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from socialstats.inference import cluster_directions, one_way, robust
from socialstats.inference.intervals import cochran_df, critical_value
from socialstats.inference.robust import Joint, cluster_robust


def regression(rng, n=60, p=4, clusters=8, sizes=3):
    """Whitened rows with terms of very different size, their residuals, unequal clusters and the bread."""
    x = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-sizes, sizes + 1, p)
    codes = np.r_[np.arange(clusters), (clusters * rng.random(n - clusters) ** 2).astype(int)]
    bread = np.linalg.inv(x.T @ x)
    y = rng.normal(size=n) + rng.normal(size=clusters)[codes]
    return x, y - x @ (bread @ (x.T @ y)), codes, bread


def by_dense_matrices(x, e, codes, bread, contrasts):
    """CR2 standard errors and Satterthwaite's df as they are written down, with n x n matrices."""
    hat, groups = x @ bread @ x.T, [np.flatnonzero(codes == g) for g in np.unique(codes)]
    meat, pulls = np.zeros_like(bread), []
    for i in groups:
        values, vectors = np.linalg.eigh(np.eye(len(i)) - hat[np.ix_(i, i)])
        root = (vectors / np.sqrt(values)) @ vectors.T
        u = x[i].T @ root @ e[i]
        meat += np.outer(u, u)
        pulls.append(root @ x[i] @ bread @ contrasts.T)
    df = []
    for k in range(len(contrasts)):
        t = np.zeros((len(groups), len(e)))
        for g, i in enumerate(groups):
            t[g, i] = pulls[g][:, k]
        p = t @ (np.eye(len(e)) - hat) @ t.T
        df.append(np.trace(p) ** 2 / np.sum(p * p))
    return np.sqrt(np.diagonal(contrasts @ bread @ meat @ bread @ contrasts.T)), np.array(df)


def contrasts_for(rng, p):
    return np.vstack([np.eye(p), rng.normal(size=(3, p))])


@pytest.mark.parametrize(
    ("n", "p", "clusters"),
    [(60, 4, 8), (40, 5, 40), (60, 3, 57), (70, 8, 5), (12, 6, 12), (80, 5, 80)],
)
def test_errors_and_df_are_those_of_dense_matrices(n, p, clusters):
    rng = np.random.default_rng(n + clusters)
    x, e, codes, bread = regression(rng, n, p, clusters)
    c = contrasts_for(rng, p)
    found = cluster_robust(sparse.csr_array(x), e, [codes], bread).errors(c)
    errors, df = by_dense_matrices(x, e, codes, bread, c)
    np.testing.assert_allclose(
        found.std_error, errors, rtol=1e-9
    )  # terms differ by up to 1e6 in size
    exact = df < 45  # Kish's df are at least as large as the exact ones
    np.testing.assert_allclose(found.df[exact], df[exact], rtol=1e-9)
    assert np.all(found.df[~exact] >= df[~exact] - 1e-9)
    assert not found.refused.any()


def test_kishs_df_take_over_where_they_are_large():
    rng = np.random.default_rng(5)
    x, e, codes, bread = regression(rng, 600, 3, 400)
    found = cluster_robust(sparse.csr_array(x), e, [codes], bread).errors(np.eye(3))
    v = np.array([np.sum((x[codes == g] @ bread) ** 2, axis=0) for g in range(400)])
    kish = v.sum(axis=0) ** 2 / np.sum(v**2, axis=0)
    np.testing.assert_allclose(found.df[kish >= 50], kish[kish >= 50], rtol=1e-9)
    assert np.any(kish >= 50)


@pytest.mark.parametrize(
    ("n", "clusters", "factors"), [(60, 8, 1), (90, 90, 1), (700, 700, 1), (300, 200, 2)]
)
def test_all_differences_are_those_of_single_contrasts(n, clusters, factors):
    rng = np.random.default_rng(n)
    x, e, codes, bread = regression(rng, n, 6, clusters)
    given = [codes, rng.integers(0, 9, n)][:factors]
    found = cluster_robust(sparse.csr_array(x), e, given, bread)
    i, j = np.triu_indices(4, 1)
    one, all_at_once = found.errors(np.eye(6)[i] - np.eye(6)[j]), found.differences(4)
    for name in ("variance", "df", "unit", "refused"):
        np.testing.assert_allclose(
            getattr(all_at_once, name), getattr(one, name), rtol=1e-7, err_msg=name
        )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_names_of_clusters_and_coordinates_change_nothing(seed):
    rng = np.random.default_rng(seed)
    x, e, codes, bread = regression(rng, sizes=0)
    c = contrasts_for(rng, 4)
    base = cluster_robust(sparse.csr_array(x), e, [codes], bread).errors(c)
    turn, order = np.triu(rng.normal(size=(4, 4)), 1) + np.eye(4), rng.permutation(len(e))
    signs = rng.choice([-1.0, 1.0], len(e))  # sides exchanged
    back = np.linalg.inv(turn)
    other = cluster_robust(
        sparse.csr_array((x @ turn * signs[:, None])[order]),
        (e * signs)[order],
        [rng.permutation(50)[codes][order]],
        back @ bread @ back.T,
    ).errors(c @ turn)
    np.testing.assert_allclose(other.std_error, base.std_error, rtol=1e-8)  # two inverses
    np.testing.assert_allclose(other.df, base.df, rtol=1e-8)


def test_clusters_whose_directions_are_not_computed_give_the_same_errors(monkeypatch):
    rng = np.random.default_rng(8)
    x, e, codes, bread = regression(rng, 900, 4, 300)
    usual = cluster_robust(sparse.csr_array(x), e, [codes], bread)
    monkeypatch.setattr(robust, "MOST_NUMBERS", 0)
    large = cluster_robust(sparse.csr_array(x), e, [codes], bread)
    c = contrasts_for(rng, 4)
    np.testing.assert_allclose(large.errors(c).std_error, usual.errors(c).std_error, rtol=1e-9)
    several = usual.errors(c).df >= 50
    assert several.any()
    np.testing.assert_allclose(large.errors(c).df[several], usual.errors(c).df[several], rtol=1e-9)


@pytest.mark.parametrize("sparse_below", [0, 10**9], ids=["sparse", "dense"])
@pytest.mark.parametrize("penalty", [0.0, 5.0])
def test_clusters_with_few_of_many_items_are_added_by_the_numbers_that_are_not_0(
    sparse_below, penalty, monkeypatch
):
    """Degrees of freedom had seven digits, and 1,000 items by 400 judges took 34 seconds of CPU time."""
    rng = np.random.default_rng(11)
    n, p, clusters = 800, 30, 25
    a = rng.integers(0, p, n)
    b = (a + rng.integers(1, p, n)) % p
    x = (np.eye(p)[a] - np.eye(p)[b]) * rng.uniform(0.3, 1, n)[:, None]
    codes, information = np.sort(rng.integers(0, clusters, n)), x.T @ x
    bread = (
        np.linalg.inv(information + penalty * np.eye(p)) if penalty else np.linalg.pinv(information)
    )
    y = rng.normal(size=n)
    rows, e = sparse.csr_array(x), y - x @ (np.linalg.pinv(information) @ (x.T @ y))
    usual = cluster_robust(rows, e, [codes], bread)
    monkeypatch.setattr(cluster_directions, "SPARSE", sparse_below)
    monkeypatch.setattr(robust, "MOST_NUMBERS", 0)
    large = robust.robust_of_blocks(lambda _: [(rows, e, (codes,))], information, bread, [1.0])
    c = np.eye(p)[1:] - np.eye(p)[0]
    np.testing.assert_allclose(large.covariance()[0], usual.covariance()[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(large.errors(c).std_error, usual.errors(c).std_error, rtol=1e-10)
    v = np.array(
        [
            np.sum((x[codes == g] @ np.linalg.pinv(information) @ information @ bread) ** 2, axis=0)
            for g in range(clusters)
        ]
    )
    kish = v.sum(axis=0) ** 2 / np.sum(v**2, axis=0)
    np.testing.assert_allclose(large.errors(np.eye(p)).df, kish, rtol=1e-9)


def test_the_dispersion_is_1_on_average_where_clusters_have_no_effect(monkeypatch):
    rng = np.random.default_rng(9)
    x, _, codes, bread = regression(rng, 400, 5, 150)
    found = []
    for limit in (robust.MOST_NUMBERS, 0):
        monkeypatch.setattr(robust, "MOST_NUMBERS", limit)
        phi = []
        for _ in range(60):
            y = rng.normal(size=400)
            e = y - x @ (bread @ (x.T @ y))
            phi.append(cluster_robust(sparse.csr_array(x), e, [codes], bread).parts[0].phi)
        found.append((np.mean(phi), np.std(phi) / np.sqrt(60)))
    for mean, error in found:
        assert abs(mean - 1) < 4 * error


def test_the_dispersion_is_squared_residuals_over_what_is_expected_of_them():
    """Of each cluster's residuals counts the part in the span of its rows; e has the covariance I - H."""
    rng = np.random.default_rng(10)
    x, e, codes, bread = regression(rng, 60, 4, 8, sizes=0)
    hat, squares, expected = x @ bread @ x.T, 0.0, 0.0
    for i in (np.flatnonzero(codes == g) for g in range(8)):
        span = x[i] @ np.linalg.pinv(x[i])
        squares += e[i] @ span @ e[i]
        expected += np.trace(span @ (np.eye(len(i)) - hat[np.ix_(i, i)]))
    assert cluster_robust(sparse.csr_array(x), e, [codes], bread).parts[0].phi == pytest.approx(
        squares / expected
    )


def edges(pairs, n_items, rng, per_pair=20):
    """Least-squares strengths from one mean a pair: pairs are the clusters."""
    x = np.zeros((len(pairs), n_items))
    for k, (a, b) in enumerate(pairs):
        x[k, a], x[k, b] = 1, -1
    x *= np.sqrt(per_pair)
    bread = np.linalg.pinv(x.T @ x)
    y = rng.normal(size=len(pairs))
    return sparse.csr_array(x), y - x @ (bread @ (x.T @ y)), [np.arange(len(pairs))], bread


def difference(n, a, b):
    c = np.zeros((1, n))
    c[0, a], c[0, b] = 1, -1
    return c


TRIANGLE_WITH_LEAF = [(0, 1), (1, 2), (0, 2), (2, 3)]


def test_what_rests_on_one_cluster_alone_has_no_error():
    """Item 3 is met in one pair: its residual is 0 whatever its strength, so nothing is known of its error."""
    found = cluster_robust(*edges(TRIANGLE_WITH_LEAF, 4, np.random.default_rng(1)))
    leaf, core = found.errors(difference(4, 2, 3)), found.errors(difference(4, 0, 1))
    assert leaf.refused[0]
    assert leaf.unit[0] == pytest.approx(1)
    assert np.isnan(leaf.std_error[0])
    assert not core.refused[0]
    assert core.unit[0] == 0
    assert found.largest_leverage == pytest.approx(1)


def test_a_part_that_rests_on_one_cluster_borrows_the_dispersion_of_the_others():
    rows, e, codes, bread = edges(TRIANGLE_WITH_LEAF, 4, np.random.default_rng(1))
    c = np.array([[1, -0.8, 0, -0.2]])
    found = cluster_robust(rows, e, codes, bread).errors(c)
    unseen = (0.2**2 / 20) / (c @ bread @ c.T).item()  # the leaf's pair has variance 1/20
    assert found.unit[0] == pytest.approx(unseen, rel=1e-9)
    phi = float(e @ e) / (4 - 3)
    lent = 0.2**2 / 20 * max(1, phi)
    leverage = np.diagonal(rows.toarray() @ bread @ rows.toarray().T)[:3]
    pulls = (rows.toarray() @ bread @ c.T).ravel()[:3]
    own = np.sum(pulls**2 * e[:3] ** 2 / (1 - leverage))
    assert found.variance[0] == pytest.approx(own + lent, rel=1e-9)
    alone = cluster_robust(rows, e, codes, bread).errors(np.array([[1, -0.8, -0.2, 0]]))
    assert found.df[0] == pytest.approx(
        (own + lent) ** 2 / (own**2 / alone.df[0] + lent**2), rel=1e-9
    )


def test_a_tree_has_no_errors_at_all():
    found = cluster_robust(*edges([(0, 1), (1, 2), (1, 3)], 4, np.random.default_rng(2)))
    assert found.errors(np.eye(4) - 0.25).refused.all()
    assert found.parts[0].phi is None


def test_two_crossed_factors_take_the_largest_variance_and_cochrans_df():
    rng = np.random.default_rng(3)
    x, e, first, bread = regression(rng, 90, 4, 9)
    second = rng.integers(0, 7, 90)
    c = contrasts_for(rng, 4)
    rows = sparse.csr_array(x)
    crossed = cluster_robust(rows, e, [first, second], bread)
    one, two = (cluster_robust(rows, e, [f], bread).errors(c) for f in (first, second))
    u = np.array(
        [
            x[(first == g) & (second == h)].T @ e[(first == g) & (second == h)]
            for g in range(9)
            for h in range(7)
        ]
    )
    overlap = np.diagonal(c @ bread @ u.T @ u @ bread @ c.T)
    found = crossed.errors(c)
    both = one.variance + two.variance - overlap
    np.testing.assert_allclose(
        found.variance, np.max([one.variance, two.variance, both], axis=0), rtol=1e-9
    )
    df = [
        cochran_df(v, d)
        for v, d in zip(np.c_[one.variance, two.variance], np.c_[one.df, two.df], strict=True)
    ]
    np.testing.assert_allclose(found.df, df, rtol=1e-9)
    v, _ = crossed.covariance()
    np.testing.assert_allclose(np.diagonal(v), found.variance[:4], rtol=1e-9)
    assert np.linalg.eigvalsh(v / np.sqrt(np.outer(np.diagonal(v), np.diagonal(v))))[0] > -1e-9


class Part:
    """The errors of one of two factors, as they are given."""

    def __init__(self, variance, df):
        k = len(variance)
        self.made = one_way.ContrastErrors(
            variance=np.array(variance),
            df=np.array(df),
            unit=np.linspace(0, 0.4, k),
            refused=np.zeros(k, bool),
            rounding=np.full(k, 1e-3),
        )

    def errors(self, contrasts):
        return self.made


def test_a_factor_whose_clusters_are_alike_adds_neither_variance_nor_df():
    """Of four contrasts both factors vary, the first alone, the second alone, and neither."""
    one, two = (
        Part([4.0, 1.0, 1e-8, 1e-8], [5, 6, 7, 8]),
        Part([1.0, 1e-8, 9.0, 1e-8], [3, 2, 9, 4]),
    )
    crossed = robust.Robust(parts=(one, two), n_clusters=(9, 9), overlap=np.diag([2.0, 0, 0, 0]))
    found = crossed.errors(np.eye(4))
    np.testing.assert_allclose(found.variance, [4, 1, 9, 0])
    df = cochran_df(np.array([4.0, 1.0]), np.array([5.0, 3.0]))
    np.testing.assert_allclose(found.df, [df, 6, 9, 4])
    np.testing.assert_allclose(found.rounding, np.array([2**0.5, 1, 1, 2**0.5]) * 1e-3)
    np.testing.assert_allclose(found.std_error, [2, 1, 3, np.nan])
    np.testing.assert_allclose(found.unit, np.linspace(0, 0.4, 4))
    less = robust.Robust(parts=(one, two), n_clusters=(9, 9), overlap=np.diag([0.5, 0, 0, 0]))
    np.testing.assert_allclose(less.errors(np.eye(4)).variance, [4.5, 1, 9, 0])


def test_of_nested_factors_the_coarser_one_counts():
    rng = np.random.default_rng(4)
    x, e, fine, bread = regression(rng, 90, 4, 30)
    rows = sparse.csr_array(x)
    both, coarse = (
        cluster_robust(rows, e, f, bread).errors(np.eye(4))
        for f in ([fine, fine // 4], [fine // 4])
    )
    np.testing.assert_allclose(both.std_error, coarse.std_error, rtol=1e-12)
    np.testing.assert_allclose(both.df, coarse.df, rtol=1e-12)


def test_a_joint_test_of_one_term_is_its_t_test_squared():
    x, e, codes, bread = regression(np.random.default_rng(6))
    found = cluster_robust(sparse.csr_array(x), e, [codes], bread)
    c = np.array([[1.0, 2.0, 0.0, 0.0]])
    test, one = found.joint(c, np.array([0.5])), found.errors(c)
    assert isinstance(test, Joint)
    assert test.f == pytest.approx((0.5 / one.std_error[0]) ** 2, rel=1e-9)
    assert test.df_denominator == pytest.approx(one.df[0], rel=1e-9)


def test_a_joint_test_of_more_terms_than_the_clusters_can_carry_is_refused():
    x, e, codes, bread = regression(np.random.default_rng(6), 60, 4, 3)
    reason = cluster_robust(sparse.csr_array(x), e, [codes], bread).joint(np.eye(4), np.ones(4))
    assert reason == "too few clusters for 4 terms"


@pytest.mark.parametrize(("different", "refused"), [(3, True), (4, False)])
def test_a_joint_test_needs_more_clusters_that_differ_than_terms(
    different: int, refused: bool
) -> None:
    """Of nine clusters all but a few have no residuals: these are alike, and count as one."""
    x, e, codes, bread = regression(np.random.default_rng(6), 90, 4, 9)
    found = cluster_robust(sparse.csr_array(x), e * (codes < different), [codes], bread)
    reason = found.joint(np.eye(4), np.ones(4))
    assert ("no more than 4 of them differ" in str(reason)) == refused


@pytest.mark.parametrize("sizes", [[60, 20, 10, 10, 5, 5, 5, 5], [3] * 40, [2, 2, 2, 40, 40]])
@pytest.mark.slow
def test_intervals_hold_with_few_and_unequal_clusters(sizes):
    """A random intercept of clusters and a covariate of the cluster; 600 draws have a Monte-Carlo error of .009."""
    rng = np.random.default_rng(len(sizes))
    codes = np.repeat(np.arange(len(sizes)), sizes)
    x = np.c_[np.ones(len(codes)), rng.normal(size=len(codes)) + rng.normal(size=len(sizes))[codes]]
    bread, rows = np.linalg.inv(x.T @ x), sparse.csr_array(x)
    held = 0
    for _ in range(600):
        y = rng.normal(size=len(codes)) + rng.normal(size=len(sizes))[codes]
        beta = bread @ (x.T @ y)
        found = cluster_robust(rows, y - x @ beta, [codes], bread).errors(np.array([[0.0, 1.0]]))
        held += abs(beta[1]) <= critical_value(0.95, found.df[0]) * found.std_error[0]
    assert held / 600 >= 0.925


def test_squares_of_light_clusters_lie_below_their_bound() -> None:
    """Clusters of one or two rows, none with a leverage above `LIGHT`: v_g from its definition."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(30_000), rng.integers(1, 3, 30_000))
    rows = rng.choice([-1.0, 1.0], (len(codes), 13))
    information = rows.T @ rows
    bread = np.linalg.inv(information)
    root = one_way.inverse_root(information)
    faint = cluster_directions.FaintClusters(root, bread @ (information @ root), kept=False)
    left, *_ = faint.add(sparse.csr_array(rows), rng.normal(size=len(codes)), codes)
    assert left.shape[0] == 0
    assert faint.largest <= cluster_directions.LIGHT
    v = np.zeros((30_000, 13))
    np.add.at(v, codes, (rows @ bread) ** 2)
    assert np.all((v**2).sum(axis=0) <= faint.fourth)
    assert np.all(faint.fourth <= cluster_directions.LIGHT * np.diag(bread) ** 2)


@pytest.mark.parametrize("slab", [cluster_directions.SLAB, 7])
def test_faint_clusters_of_every_size_add_their_adjusted_scores(
    slab: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clusters around the size from which their rows are handled in another way; rows in slabs of any size."""
    monkeypatch.setattr(cluster_directions, "SLAB", slab)
    monkeypatch.setattr(cluster_directions, "LIGHT", 0.1)
    rng = np.random.default_rng(4)
    tiny = cluster_directions.TINY
    codes = np.repeat(np.arange(60), np.resize([1, tiny - 1, tiny, tiny + 1], 60))
    rows, e = rng.normal(size=(len(codes), 5)), rng.normal(size=len(codes))
    information = rows.T @ rows
    bread, root = np.linalg.inv(information), one_way.inverse_root(information)
    faint = cluster_directions.FaintClusters(root, bread @ (information @ root), kept=True)
    left, *_ = faint.add(sparse.csr_array(rows), e, codes)
    assert left.shape[0] == 0
    scores = []
    for x, own in ((rows[codes == g], e[codes == g]) for g in range(60)):
        values, vectors = np.linalg.eigh(np.eye(len(x)) - x @ bread @ x.T)
        scores.append(root.T @ x.T @ (vectors / np.sqrt(values)) @ vectors.T @ own)
    np.testing.assert_allclose(faint.meat, np.transpose(scores) @ scores, atol=1e-10)
    np.testing.assert_allclose(faint.total, np.sum(scores, axis=0), atol=1e-10)
    v, bound = np.zeros((60, 5)), np.zeros(60)
    np.add.at(v, codes, (rows @ bread) ** 2)
    np.add.at(bound, codes, np.einsum("ra,ab,rb->r", rows, bread, rows))
    light = (bound <= cluster_directions.LIGHT)[:, None]
    assert 0 < light.sum() < 60
    fourth = np.where(light, bound[:, None] * v * np.diag(bread), v**2).sum(axis=0)
    np.testing.assert_allclose(faint.fourth, fourth, rtol=1e-5)
    assert faint.largest == pytest.approx(bound.max())


def test_errors_of_many_contrasts_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contrasts are taken in blocks, here of one."""
    rng = np.random.default_rng(6)
    x, e, codes, bread = regression(rng)
    found = cluster_robust(sparse.csr_array(x), e, [codes], bread)
    contrasts = contrasts_for(rng, 4)
    whole = found.errors(sparse.csr_array(contrasts))
    monkeypatch.setattr(one_way, "BLOCK", 1)
    monkeypatch.setattr(cluster_directions, "BLOCK", 1)
    for name in one_way.ContrastErrors.__slots__:
        np.testing.assert_allclose(
            getattr(found.errors(sparse.csr_array(contrasts)), name),
            getattr(whole, name),
            rtol=1e-12,
            err_msg=name,
        )
    errors, _ = by_dense_matrices(x, e, codes, bread, contrasts)
    np.testing.assert_allclose(whole.std_error, errors, rtol=1e-9)


def test_entries_of_a_row_end_where_it_ends() -> None:
    rows = sparse.csr_array(
        np.array([[0.0, 2.0, 3.0], [4.0, 0.0, 0.0], [0, 0, 0], [5.0, 6.0, 7.0]])
    )
    columns, values = cluster_directions.padded_entries(rows)
    assert columns.tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 0], [0, 1, 2]]
    assert values.tolist() == [[2, 3, 0], [4, 0, 0], [0, 0, 0], [5, 6, 7]]


def test_a_covariance_that_needs_no_repair_stays() -> None:
    part = np.random.default_rng(1).normal(size=(6, 3))
    v = part.T @ part
    found, floored = robust.repair_covariance(v, np.diagonal(v) / 2)
    assert not floored
    np.testing.assert_allclose(found, v)
    larger = np.diagonal(v) * [4.0, 1.0, 9.0]
    found, floored = robust.repair_covariance(v, larger)
    assert not floored
    np.testing.assert_allclose(found, v * np.outer([2, 1, 3], [2, 1, 3]))


def test_a_repaired_covariance_has_the_variances_that_it_needs_and_no_negative_one() -> None:
    """The correlations are those whose negative eigenvalues became 0 (Rebonato & Jaeckel 1999)."""
    corr = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    sd = np.array([1.0, 20.0, 0.5])
    v = np.zeros((4, 4))
    v[:3, :3] = corr * np.outer(sd, sd)  # the last is a reference
    least = np.append(sd**2 * [1.0, 1.21, 1.0], 0.0)
    found, floored = robust.repair_covariance(v, least)
    assert floored
    np.testing.assert_allclose(np.diagonal(found), least)
    assert np.all(found[3] == 0)
    assert np.linalg.eigvalsh(found[:3, :3] / np.outer(sd, sd)).min() > -1e-12
    smaller = corr.copy()
    smaller[1], smaller[:, 1] = smaller[1] / 1.1, smaller[:, 1] / 1.1
    np.fill_diagonal(smaller, 1.0)
    values, vectors = np.linalg.eigh(smaller)
    kept = (vectors * np.maximum(values, 0)) @ vectors.T
    scale = np.sqrt(np.diagonal(kept))
    wanted = np.sqrt(least[:3])
    np.testing.assert_allclose(
        found[:3, :3] / np.outer(wanted, wanted), kept / np.outer(scale, scale), atol=1e-12
    )
