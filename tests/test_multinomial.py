"""Exact multinomial counts from Poisson tables: against enumeration, moments, and single draws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from socialstats.resampling import PlanUnits, poisson, weight_blocks
from socialstats.resampling.poisson import BUCKETS, PoissonTables, bucket_table, poisson_cdf


def tables(copies, seed=1):
    return PoissonTables(np.asarray(copies, dtype=float), np.random.default_rng(seed))


def probability(drawn, copies):
    """Multinomial probability of the drawn counts, from factorials."""
    n = sum(copies)
    ways = math.factorial(n) / math.prod(math.factorial(d) for d in drawn)
    return ways * math.prod((c / n) ** d for c, d in zip(copies, drawn, strict=True))


@pytest.mark.parametrize(
    "reserve", [0.2, 1.0, 2.0]
)  # a small reserve is often exceeded, and drawn again
@pytest.mark.parametrize("copies", [(1, 2, 3), (2, 2, 2), (4, 1, 1)])
@pytest.mark.slow
def test_joint_distribution_is_the_multinomial_by_enumeration(monkeypatch, reserve, copies):
    monkeypatch.setattr(poisson, "RESERVE", reserve)
    draws = 40000
    drawn = tables(copies, seed=7).draw(draws).astype(int)
    outcomes = [o for o in itertools.product(range(7), repeat=3) if sum(o) == 6]
    expected = np.array([probability(o, copies) for o in outcomes])
    assert expected.sum() == pytest.approx(1, abs=1e-12)
    seen = np.array([np.all(drawn == o, axis=1).sum() for o in outcomes])
    assert seen.sum() == draws
    rare = expected * draws < 5
    pooled = [np.append(x[~rare], x[rare].sum()) for x in (seen, expected * draws)]
    if pooled[1][-1] < 5:
        pooled = [x[:-1] for x in pooled]
        pooled[1] = pooled[1] * pooled[0].sum() / pooled[1].sum()
    assert stats.chisquare(*pooled).pvalue > 1e-3


def test_moments_of_many_cells_of_different_sizes():
    copies = np.array([1, 2, 3, 5, 8, 40, 1, 2, 300, 250] * 2, dtype=float)
    drawn = tables(copies).draw(20000)
    n = copies.sum()
    assert np.all(drawn.sum(axis=1) == n)
    covariance = np.diag(copies) - np.outer(copies, copies) / n
    assert np.abs(drawn.mean(axis=0) - copies).max() < 4.5 * np.sqrt(copies.max() / 20000)
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.abs((np.cov(drawn.T) - covariance) / size).max() < 5 * np.sqrt(2 / 20000)


def test_one_cell_is_binomial_as_if_rows_were_drawn_one_by_one():
    copies = np.full(200, 3.0)
    drawn = tables(copies).draw(20000)[:, 17].astype(int)
    expected = stats.binom.pmf(np.arange(11), 600, 3 / 600)
    seen = np.bincount(drawn, minlength=11)[:11]
    keep = expected * 20000 > 5
    assert (
        stats.chisquare(seen[keep], expected[keep] * seen[keep].sum() / expected[keep].sum()).pvalue
        > 1e-3
    )
    rng = np.random.default_rng(3)
    singly = (rng.integers(0, 600, size=(5000, 600)) // 3 == 17).sum(axis=1)
    assert stats.ks_2samp(drawn, singly).pvalue > 1e-3


@pytest.mark.parametrize("rate", [0.2, 1.0, 7.3, 95.0, 900.0])
def test_tables_are_the_inverse_distribution_function_wherever_they_answer(rate):
    table = bucket_table(poisson_cdf(rate))
    for edge in (1e-9, 0.5, 1 - 1e-9):
        u = (np.arange(BUCKETS) + edge) / BUCKETS
        assert np.all((table < 0) | (table == stats.poisson.ppf(u, rate)))
    assert 0 < (table < 0).sum() < 0.1 * BUCKETS


@pytest.mark.parametrize("reserve", [0.05, 4.5])
def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch, reserve):
    monkeypatch.setattr(poisson, "RESERVE", reserve)
    copies = np.array([1, 2, 7, 3, 90] * 51, dtype=float)
    whole = tables(copies, seed=5).draw(37)
    for sizes in ([1] * 37, [30, 7], [2, 5, 13, 17]):
        one = tables(copies, seed=5)
        assert np.concatenate([one.draw(n) for n in sizes]).tobytes() == whole.tobytes()
    assert tables(copies, seed=6).draw(37).tobytes() != whole.tobytes()


def test_weights_of_rows_come_from_the_tables_where_cells_hold_several_rows():
    count = np.array([1.0, 4.0, 6.0, 9.0] * 40)
    assert poisson.suits_tables(count)
    for block in (1, 4, 9):
        blocks = weight_blocks(PlanUnits.rows(count), resamples=9, seed=2, block=block)
        drawn = np.concatenate(list(blocks)) * count
        assert np.allclose(drawn.sum(axis=1), count.sum())
        assert np.allclose(drawn, np.round(drawn), atol=1e-9)
        child = np.random.default_rng(np.random.SeedSequence(2).spawn(1)[0])
        assert np.allclose(drawn, PoissonTables(count, child).draw(9))
