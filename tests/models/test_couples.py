from __future__ import annotations

import itertools

import numpy as np
import pytest

from socialstats.errors import InputError
from socialstats.paired.mean_sizes import folded_mean
from socialstats.scales.alignment import flipped_mean_absolute
from socialstats.scales.couples import (
    CoupleAnswers,
    cell_scores,
    clustered_difference_of,
    clustered_mean_of,
    combine_cells,
    match_couples,
    mcnemar_bounds,
    scenario_means,
)
from tests.golden_data import golden


def answers_of(rows):
    """Answers from (scenario, pair, first, second, score)."""
    s, p, first, second, score = (np.array(x) for x in zip(*rows, strict=True))
    return CoupleAnswers(
        score=score.astype(float),
        count=np.ones(len(s)),
        unit=np.arange(len(s)),
        scenario=s,
        pair=p,
        rater=np.zeros(len(s), dtype=np.int64),
        first=first,
        second=second,
    )


def test_bounds_hold_for_every_table():
    """Every split of N couples with the same B: the bounds hold, and the widest splits attain them."""
    for n in (1, 7, 20):
        for b, c in itertools.product(range(n + 1), repeat=2):
            if not 0 < b + c <= n:
                continue
            low, high = mcnemar_bounds(2 * (b - c) / n, n)
            chi = (b - c) ** 2 / (b + c)
            assert low - 1e-9 <= chi <= high + 1e-9
            if b + c == n:
                assert chi == pytest.approx(low)
            if b == 0 or c == 0:
                assert chi == pytest.approx(high)


def test_bounds_of_published_cells():
    """Cells that cannot be significant whatever the discordance, and one that always is."""
    for b, n in ((0.019, 320), (0.006, 320), (0.008, 320)):
        assert mcnemar_bounds(b, n)[1] < 3.841
    assert mcnemar_bounds(0.5, 580)[0] > 3.841
    assert mcnemar_bounds(0, 10) == (0.0, 0.0)
    assert mcnemar_bounds(-0.2, 580) == mcnemar_bounds(0.2, 580)


@pytest.mark.parametrize(
    ("b", "n"), [(2.1, 10), (float("nan"), 10), (0.1, 0), (0.1, 1.5), (0.1, float("inf"))]
)
def test_bounds_refuse_what_cannot_be(b, n):
    with pytest.raises(InputError, match=r"B=|N="):
        mcnemar_bounds(b, n)


def test_the_folded_mean_is_the_integral():
    for entry in golden("relationship_bias")["folded"]:
        assert folded_mean(entry["mean"], entry["sd"]) == pytest.approx(entry["value"], rel=1e-8)


def test_flips_by_enumeration():
    rng = np.random.default_rng(5)
    values, weight = rng.normal(0.2, 1, (6, 2)), np.array([0.3, 0.7])
    values[2, 1] = np.nan
    n = (~np.isnan(values)).sum(axis=0)
    every = [
        np.abs((np.array(sign)[:, None] * np.nan_to_num(values)).sum(axis=0) / n) @ weight
        for sign in itertools.product((-1, 1), repeat=6)
    ]
    observed = np.abs(np.nansum(values, axis=0) / n) @ weight
    found = flipped_mean_absolute(values, weight)
    assert found.observed == pytest.approx(observed)
    assert found.null_mean == pytest.approx(np.mean(every))
    assert found.p_value == pytest.approx(np.mean(np.array(every) >= observed - 1e-12))
    assert (found.mc_error, found.flips) == (0.0, 0)


def test_random_flips_are_near_the_exact_ones():
    rng = np.random.default_rng(6)
    values = rng.normal(0.1, 1, (13, 2))
    exact = flipped_mean_absolute(values, np.array([0.5, 0.5]))
    padded = (
        np.vstack([values, np.zeros((1, 2))]) * 14 / 13
    )  # a scenario of 0 changes nothing but the number of flips
    drawn = flipped_mean_absolute(padded, np.array([0.5, 0.5]), seed=3)
    assert exact.flips == 0
    assert drawn.flips == 10_000
    assert abs(drawn.null_mean - exact.null_mean) < 5 * drawn.mc_error
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5 * np.sqrt(exact.p_value / 10_000))
    assert flipped_mean_absolute(padded, np.array([0.5, 0.5]), seed=3) == drawn
    assert "single scenario" in flipped_mean_absolute(values[:1], np.array([0.5, 0.5]))


def test_couples_are_matched_by_scenario_pair_and_order():
    rows = [
        (0, 0, 0, 1, -1),
        (0, 0, 1, 0, 1),  # group 0 in both orders
        (0, 1, 0, 1, 1),
        (0, 1, 1, 0, -1),  # group 1 in both orders
        (1, 0, 0, 1, -1),
        (1, 0, 1, 0, -1),  # the first place twice
        (1, 1, 0, 1, 1),  # one order only
        (1, 2, 0, 0, 1),  # the same group
    ]
    found = match_couples(answers_of(rows))
    cells = found.cells(0, 1)
    assert (cells.a, cells.b, cells.c, cells.d) == (1, 1, 1, 0)
    assert found.complete.tolist() == [True, True, True, False]
    assert found.of_answer.tolist() == [0, 0, 1, 1, 2, 2, 3, -1]
    assert not found.repeated.any()
    twice = match_couples(answers_of([*rows, (1, 1, 0, 1, -1)]))
    assert twice.repeated.tolist() == [False, False, False, True]
    assert match_couples(answers_of(rows[-2:])).cells(0, 1) is None


TIMES = np.array([2, 1, 3, 1, 2, 1])


def scored(times=None):
    """Six units of two cells, each with an answer; alike units are counted, or written out."""
    score, first = np.array([1.0, -1, 1, 1, -1, 0.5]), np.array([0, 0, 0, 1, 1, 1])
    scenario, rows = np.array([0, 0, 1, 0, 1, 1]), np.arange(6)
    written = times is None
    if written:
        rows = np.repeat(rows, TIMES)
    n = len(rows)
    answers = CoupleAnswers(
        score=score[rows],
        count=np.ones(n) if written else times.astype(float),
        unit=np.arange(n),
        scenario=scenario[rows],
        pair=np.zeros(n, dtype=np.int64),
        rater=np.zeros(n, dtype=np.int64),
        first=first[rows],
        second=1 - first[rows],
    )
    return answers, np.ones(n) if written else times.astype(float), rows


@pytest.mark.parametrize("aggregate", ["pooled", "scenario"])
@pytest.mark.parametrize("clustered", [False, True])
def test_units_counted_are_units_written_out(aggregate, clustered):
    found = []
    for times in (TIMES, None):
        answers, count, rows = scored(times)
        means = cell_scores(answers, aggregate)
        parts = [combine_cells(means, side, len(count)) for side in np.eye(2)]
        both = combine_cells(means, np.array([1.0, -1.0]), len(count))
        codes = [rows // 2] if clustered else []
        mean = clustered_mean_of(both, count, codes)
        difference = clustered_difference_of(*parts, count, codes)
        assert mean.mean == pytest.approx(means.mean[0] - means.mean[1])
        assert difference.mean == pytest.approx(mean.mean)
        found.append([mean.std_error, mean.df, difference.std_error, difference.df])
    assert found[0] == pytest.approx(found[1])


def test_means_of_cells_weigh_answers_or_scenarios_alike():
    answers, _, _ = scored(TIMES)
    pooled, by_scenario = cell_scores(answers), cell_scores(answers, "scenario")
    assert pooled.mean == pytest.approx([4 / 6, (1 - 2 + 0.5) / 4])
    assert pooled.n.tolist() == [6, 4]
    assert by_scenario.mean == pytest.approx([(1 / 3 + 1) / 2, (1 + (-2 + 0.5) / 3) / 2])
    for means in (pooled, by_scenario):
        sums = (
            np.bincount(means.cell, means.weight),
            np.bincount(means.cell, means.weight * answers.score),
        )
        assert sums[0] == pytest.approx([1, 1])
        assert sums[1] == pytest.approx(means.mean)
    one, other = scenario_means(answers, 1, 0, 1)
    assert one.ravel() == pytest.approx([1 / 3, 1])
    assert other.ravel() == pytest.approx([1, -0.5])
