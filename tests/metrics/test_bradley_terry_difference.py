"""Differences of two Bradley-Terry fits, whose clusters are matched by their labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InputError

ITEMS = tuple("abcdefg")


def votes(seed: int, judges: int, each: int, lean: float = 0.0, kind: str = "j") -> pd.DataFrame:
    """Comparisons of items of equal strength; every judge has a lean of its own for each item."""
    rng = np.random.default_rng(seed)
    parts = []
    for judge in range(judges):
        own = rng.normal(0, lean, len(ITEMS))
        one = rng.integers(0, len(ITEMS), each)
        two = (one + rng.integers(1, len(ITEMS), each)) % len(ITEMS)
        won = rng.random(each) < 1 / (1 + np.exp(own[two] - own[one]))
        names = np.array(ITEMS)
        parts.append(
            pd.DataFrame(
                {
                    "item_a": names[one],
                    "item_b": names[two],
                    "winner": np.where(won, names[one], names[two]),
                    "judge": f"{kind}{judge}",
                    "prompt": rng.integers(0, 20, each),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def fits(one: pd.DataFrame, two: pd.DataFrame, cluster: object) -> tuple[object, object]:
    return ss.bradley_terry(one, cluster=cluster), ss.bradley_terry(two, cluster=cluster)  # type: ignore[arg-type]


def test_clusters_of_one_fit_alone_add_their_own_variance() -> None:
    """Judges of two fits without a common one are independent: the variances add."""
    one, two = fits(votes(1, 8, 60, 0.5, "x"), votes(2, 9, 60, 0.5, "y"), "judge")
    found = ss.bradley_terry_difference(one, two)  # type: ignore[arg-type]
    assert (
        found.inference == "CR2, Satterthwaite's df; clusters: 17 of judge, each in one of the two"
    )
    for item in ITEMS:
        parts = [fit.row(item).std_error for fit in (one, two)]  # type: ignore[attr-defined]
        row = found.row(item)
        assert row.std_error == pytest.approx(np.hypot(*parts), rel=1e-9)
        assert row.df is not None
        assert min(fit.row(item).df for fit in (one, two)) <= row.df <= 15  # type: ignore[attr-defined]


def test_what_clusters_add_to_both_cancels() -> None:
    """The same choices twice differ by nothing; without half of one judge, by little, with a small error."""
    table = votes(3, 12, 50, 0.8)
    one, two = fits(table, table, "judge")
    same = ss.bradley_terry_difference(one, two)  # type: ignore[arg-type]
    assert all(row.estimate == 0 and row.undefined for row in same.rows)
    one, two = fits(table, table[(table.judge != "j0") | (table.index % 2 == 0)], "judge")
    near = ss.bradley_terry_difference(one, two)  # type: ignore[arg-type]
    assert all(near.row(item).std_error < 0.5 * one.row(item).std_error for item in ITEMS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("cluster", [None, "judge", ["judge", "prompt"]])
@pytest.mark.parametrize("kind", ["j", "k"])
def test_errors_are_those_of_dense_matrices(cluster: object, kind: str) -> None:
    """Both fits as one likelihood, its maximum and derivatives found numerically: errors, df, intervals and p."""
    one, two = fits(votes(4, 7, 70, 0.4), votes(5, 8, 60, 0.4, kind), cluster)
    numbers = ss.bradley_terry_difference(one, two).verify().numbers()  # type: ignore[arg-type]
    compared = [ok for (_, field), ok in numbers.items() if field != "counts"]
    assert compared == [True] * (7 * len(ITEMS))


def test_shares_of_groups_have_the_errors_of_their_gradient() -> None:
    """A small step along each strength moves the share as the delta method assumes."""
    one, two = fits(votes(6, 9, 60, 0.5, "x"), votes(7, 9, 60, 0.5, "y"), "judge")
    groups = {"kind": {item: "early" if item < "d" else "late" for item in ITEMS}}
    row = ss.bradley_terry_difference(one, two, groups=groups).row("share of early")  # type: ignore[arg-type]
    total = 0.0
    for fit in (one, two):
        beta = np.array([fit.strengths[item] for item in ITEMS])  # type: ignore[attr-defined]

        def share(x: np.ndarray) -> float:
            means = [np.exp(x[:3]).mean(), np.exp(x[3:]).mean()]
            return float(means[0] / sum(means))

        steps = 1e-6 * np.eye(len(ITEMS))
        slope = np.array([(share(beta + step) - share(beta - step)) / 2e-6 for step in steps])
        total += slope @ fit.strength_covariance @ slope  # type: ignore[attr-defined]
    assert row.std_error == pytest.approx(np.sqrt(total), rel=1e-6)


def test_other_pairs_and_other_clusters_are_refused() -> None:
    table = votes(8, 6, 60)
    one, two = fits(table, table[(table.item_a != "a") & (table.item_b != "a")], "judge")
    with pytest.raises(InputError, match="other pairs of items"):
        ss.bradley_terry_difference(one, two)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="other clusters, judge and prompt"):
        ss.bradley_terry_difference(
            ss.bradley_terry(table, cluster="judge"), ss.bradley_terry(table, cluster="prompt")
        )  # type: ignore[arg-type]


def test_fits_of_eight_rows_whose_clusters_are_single_have_reasons() -> None:
    """Pairs that hold all that is known of an item: the reason names the clusters."""
    pairs = [
        ("a", "b"),
        ("a", "b"),
        ("b", "c"),
        ("b", "c"),
        ("c", "d"),
        ("c", "d"),
        ("d", "a"),
        ("d", "a"),
    ]
    one = pd.DataFrame(pairs, columns=["item_a", "item_b"]).assign(
        winner=[pair[k % 2] for k, pair in enumerate(pairs)]
    )
    two = one.assign(winner=[pair[(k // 2) % 2] for k, pair in enumerate(pairs)])
    made = [ss.bradley_terry(table, cluster=None, prior=0.5) for table in (one, two)]
    rows = ss.bradley_terry_difference(*made).rows
    assert {row.term for row in rows} == set("abcd")
    assert all(row.std_error is not None or row.undefined for row in rows)


def test_numbers_of_one_fit_alone_are_counted() -> None:
    table = votes(8, 6, 60)
    rng = np.random.default_rng(1)
    urgent = table.assign(
        urgency_a=rng.integers(1, 4, len(table)), urgency_b=rng.integers(1, 4, len(table))
    )
    found = ss.bradley_terry_difference(
        ss.bradley_terry(urgent, "~ urgency", cluster="judge"),
        ss.bradley_terry(urgent, cluster="judge"),
    )
    assert "7 numbers of both; 1 number only from 'first'" in found.sentence()


@pytest.mark.slow
def test_few_judges_beside_many_people_differ_by_chance_as_often_as_stated() -> None:
    """Three judges and twenty people lean by item; resampled pairs of items, which ignore them, rejected .27."""
    tests = []
    for seed in range(60):
        pair = fits(
            votes(100 + seed, 3, 200, 0.6, "x"), votes(200 + seed, 20, 45, 0.6, "y"), "judge"
        )
        tests += [row.p_value for row in ss.bradley_terry_difference(*pair).rows]  # type: ignore[arg-type]
    assert np.mean(np.array(tests) < 0.05) < 0.12
