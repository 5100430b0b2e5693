"""Bradley-Terry fits where single clusters hold what is known: hubs, trees, cycles, few and unequal workers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic

MET_ONCE = "met in one pair only: a lean of that pair cannot be told from its strength"


def coin_flips(pairs, per_pair, rng, lean=0.0, **options):
    """Comparisons of equal items; `lean` is the sd of the pairs' own log-odds."""
    pairs = np.array(pairs)
    wins = rng.binomial(per_pair, expit(lean * rng.standard_normal(len(pairs))))
    table = pd.DataFrame(
        {"item_a": pairs[:, 0], "item_b": pairs[:, 1], "wins_a": wins, "wins_b": per_pair - wins}
    )
    return Comparisons.from_counts(table.astype({"item_a": str, "item_b": str}), **options)


CORE = list(combinations(range(10), 2))
HUB = [*CORE, *[(0, k) for k in range(10, 30)]]


def hub():
    return bradley_terry(coin_flips(HUB, 20, np.random.default_rng(1)), cluster="pair")


def test_no_leaf_of_a_hub_of_coin_flips_is_significant():
    fit = hub()
    leaves = [fit.row(str(k)) for k in range(10, 30)]
    assert {row.undefined for row in leaves} == {MET_ONCE}
    assert all(
        row.estimate is not None and row.std_error is row.p_value is row.df is None
        for row in leaves
    )
    core = [fit.row(str(k)) for k in range(1, 10)]
    assert all(0.1 < row.std_error < 0.4 for row in core)  # the model's are .15
    differences = {row.term: row for row in fit.pairwise().rows}
    assert sum(row.undefined is None for row in differences.values()) == len(CORE)
    assert min(row.p_adjusted for row in differences.values() if row.undefined is None) > 0.05
    assert all(row.p_adjusted is None for row in differences.values() if row.undefined)
    for kind in ("marginal", "simultaneous"):
        for row in fit.ranks(kind=kind).rows:
            assert (row.conf_low, row.conf_high) == (1, 30), row.term
    assert fit.verify().ok


def test_a_fit_says_what_rests_on_single_clusters_and_what_was_borrowed():
    fit = hub()
    told = {c.code: c for c in fit.cautions}
    assert told["SS209"].severity == "caution"
    assert "exclude these items" in told["SS209"].fix
    assert "vcov='model'" in told["SS209"].fix
    assert "of the variance of 9 coefficients" in told["SS208"].detail
    assert "SS202" not in told
    glance = fit.glance().iloc[0]
    assert glance["largest_leverage"] == pytest.approx(1)
    assert glance["effective_df"] == pytest.approx(
        min(row.df for row in fit.rows if row.df is not None)
    )
    assert fit.vcov().loc["10"].isna().all()
    assert np.isfinite(fit.vcov().loc["1", "2"])


def test_what_follows_from_a_leaf_has_no_interval_either():
    fit = hub()
    none = "rests on single clusters (pair), whose own effects cannot be told from it"
    for row in (
        fit.contrast("10 - 1").rows[0],
        fit.predict("10", "1").rows[0],
        fit.worth().row("10"),
    ):
        assert row.estimate is not None
        assert (row.undefined, row.std_error, row.conf_low) == (none, None, None)
    assert fit.contrast("1 - 2").rows[0].df > 5
    quasi = fit.quasi_variances()
    assert quasi.row("10").undefined == none
    assert set(quasi.extras["quasi_variance"]) == {
        str(k) for k in range(1, 10)
    }  # 0 rests on its leaves


@pytest.mark.parametrize("pairs", [[(0, k) for k in range(1, 6)], [(k, k + 1) for k in range(5)]])
def test_a_tree_has_estimates_and_nothing_else(pairs):
    fit = bradley_terry(coin_flips(pairs, 20, np.random.default_rng(2)), cluster="pair")
    assert all(
        row.estimate is not None and row.undefined and row.std_error is None for row in fit.rows
    )
    assert all(row.undefined for row in fit.pairwise().rows)
    assert fit.fit["effective_df"] is None
    with pytest.raises(
        UndefinedStatistic, match="at least three items whose strengths have standard errors"
    ):
        fit.quasi_variances()
    model = bradley_terry(fit.design, cluster=None)
    assert all(row.std_error for row in model.rows)


def test_few_effective_clusters_are_a_caution_and_the_interval_allows_for_them():
    fit = bradley_terry(
        coin_flips([(k, (k + 1) % 7) for k in range(7)], 20, np.random.default_rng(3)),
        cluster="pair",
    )
    told = next(c for c in fit.cautions if c.code == "SS202")
    assert "rests on about 1.0 effective clusters" in told.detail
    row = fit.rows[0]
    assert row.df == pytest.approx(1)
    assert row.conf_high - row.estimate == pytest.approx(12.7062 * row.std_error, rel=1e-5)


def test_one_worker_who_decides_half_of_an_item_is_named():
    rng = np.random.default_rng(5)
    worker = np.repeat(np.arange(9), [60, 5, 5, 5, 5, 5, 5, 5, 5])
    table = pd.DataFrame({"item_a": rng.choice(list("ab"), 100), "item_b": "c", "worker": worker})
    table["winner"] = np.where(rng.random(100) < 0.5, table["item_a"], "c")
    fit = bradley_terry(Comparisons.from_frame(table, cluster="worker"))
    assert fit.fit["largest_leverage"] > 0.5
    told = next(c for c in fit.cautions if c.code == "SS210")
    assert told.severity == "info"


@pytest.mark.parametrize("cluster", ["pair", "worker", ("worker", "pair")])
def test_names_of_items_sides_and_order_of_rows_change_no_error(cluster):
    rng = np.random.default_rng(6)
    pairs = np.array(CORE)[rng.integers(0, 45, 400)]
    table = pd.DataFrame(
        {"item_a": pairs[:, 0], "item_b": pairs[:, 1], "worker": rng.integers(0, 12, 400) ** 2}
    )
    table["winner"] = np.where(rng.random(400) < 0.5, table["item_a"], table["item_b"])
    new = rng.permutation(10)
    other = table.assign(**{c: new[table[c]] for c in ("item_a", "item_b", "winner")}).sample(
        frac=1, random_state=1
    )
    swap = rng.random(400) < 0.5
    other = other.assign(
        item_a=other["item_a"].where(swap, other["item_b"]),
        item_b=other["item_b"].where(swap, other["item_a"]),
        worker=other["worker"] + 7,
    )

    def fit(frame):
        names = {c: frame[c].map(lambda k: f"x{k}") for c in ("item_a", "item_b", "winner")}
        return bradley_terry(
            Comparisons.from_frame(frame.assign(**names), cluster="worker"), cluster=cluster
        )

    one, two = fit(table), fit(other)
    for k in range(10):
        a, b = one.row(f"x{k}"), two.row(f"x{new[k]}")
        for name in ("std_error", "df", "conf_low", "conf_high", "p_value"):
            assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-6), name


WORKERS = np.repeat(np.arange(40), np.r_[[120, 80, 60, 50], np.full(36, 10)])


def by_worker(rng):
    """670 comparisons of 6 equal items by 40 very unequal workers, who lean for items of their own (sd 1)."""
    pairs = np.array(list(combinations(range(6), 2)))[rng.integers(0, 15, len(WORKERS))]
    lean = rng.standard_normal((40, 6))
    won = rng.random(len(WORKERS)) < expit(lean[WORKERS, pairs[:, 0]] - lean[WORKERS, pairs[:, 1]])
    table = pd.DataFrame({"item_a": pairs[:, 0], "item_b": pairs[:, 1], "worker": WORKERS}).astype(
        str
    )
    return Comparisons.from_frame(
        table.assign(winner=np.where(won, table["item_a"], table["item_b"])), cluster="worker"
    )


CELLS = {
    "core of a hub": (
        lambda rng: coin_flips([*CORE[:15], *[(0, k) for k in range(10, 16)]], 20, rng),
        "pair",
        "2",
    ),
    "cycle": (
        lambda rng: coin_flips([(k, (k + 1) % 6) for k in range(6)], 30, rng, 0.5),
        "pair",
        "2",
    ),
    "ten items, five rounds": (lambda rng: coin_flips(ROUNDS, 20, rng, 0.7), "pair", "2"),
    "forty workers": (by_worker, "worker", "2"),
}
ROUNDS = [(i, (i + s) % 10) for s in (1, 3) for i in range(10)] + [(i, i + 5) for i in range(5)]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.slow
def test_intervals_of_thin_designs_hold_what_is_true_and_rarely_call_a_false_difference(cell):
    """240 draws: Monte-Carlo error of a coverage of .95 is .014, of a family-wise error of .05 likewise."""
    draw, cluster, item = CELLS[cell]
    rng = np.random.default_rng(11)
    held = false = exact = 0
    for _ in range(240):
        fit = bradley_terry(draw(rng), cluster=cluster)
        row = fit.row(item)
        if (
            row.conf_low is None
        ):  # six pairs in a circle that the strengths fit exactly: no residual, no error
            exact += 1
            continue
        held += row.conf_low <= 0 <= row.conf_high
        false += any(r.p_adjusted is not None and r.p_adjusted < 0.05 for r in fit.pairwise().rows)
    assert exact <= 2
    assert held / (240 - exact) >= 0.925 - 0.014
    assert false / 240 <= 0.07 + 0.014


def test_a_factor_whose_clusters_are_alike_leaves_an_effect_to_the_other() -> None:
    """With a prior the scores of alike clusters do not sum to 0: each is pulled as much, and that is no variance."""
    table = pd.DataFrame(
        [
            tuple(row.split())
            for row in (
                "a b a c1 d0",
                "a b a c0 d1",
                "b a b c1 d0",
                "a b a c1 d1",
                "b a a c1 d0",
                "b a b c1 d1",
                "b a b c0 d1",
                "a b b c0 d1",
                "a b b c0 d0",
                "b a a c1 d0",
                "a b a c0 d0",
                "b a b c0 d0",
            )
        ],
        columns=["item_a", "item_b", "winner", "judge", "story"],
    )
    fits = {
        cluster: bradley_terry(table, cluster=cluster, order="item_a", prior=0.5).row("order")
        for cluster in ("judge", "story")
    }
    both = bradley_terry(table, cluster=["judge", "story"], order="item_a", prior=0.5).row("order")
    assert fits["judge"].std_error is None
    assert "the clusters are alike" in fits["judge"].undefined
    assert (both.std_error, both.df) == pytest.approx(
        (fits["story"].std_error, fits["story"].df), rel=1e-9
    )
