from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.special import stdtrit
from statsmodels.stats.proportion import proportion_confint

from socialstats.choices.win_rates import win_rates
from socialstats.datasets import role_conflict
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.inference.proportions import wilson
from socialstats.results import ResultGroup

CONDITIONS = ("higher", "equal", "lower")


def rates_of(result):
    return {(r.term, r.group): r for r in result.rows}


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_rates_and_counts_equal_a_loop_over_rows(conflict_rows, by_hand, weights, ties):
    rows = conflict_rows(seed=1, ties=ties)
    found = rates_of(win_rates(Comparisons.from_frame(rows), weights=weights))
    items = sorted(set(rows.item_a) | set(rows.item_b))
    assert len(found) == 3 * len(items) + 3
    for item in items:
        for condition in CONDITIONS:
            rate, _ = by_hand(rows, item, condition, weights)
            row = found[item, condition]
            assert row.estimate == pytest.approx(rate, abs=1e-12)
            mine = (rows.item_a == item) | (rows.item_b == item)
            sign = np.where(rows.item_a == item, 1, -1) * np.sign(rows.urgency_a - rows.urgency_b)
            want = {"higher": 1, "equal": 0, "lower": -1}[condition]
            assert row.n == np.sum(mine & (sign == want))
            there = rows[mine & (sign == want)]
            assert row.n_units == len((set(there.item_a) | set(there.item_b)) - {item})


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
def test_weights_and_wilson_intervals_against_loops_and_statsmodels(
    conflict_rows, by_hand, weights
):
    rows = conflict_rows(seed=2)
    rows["w"] = np.random.default_rng(0).integers(1, 5, len(rows)) / 2
    design = Comparisons.from_frame(rows, weight="w")
    for row in win_rates(design, weights=weights, ci="wilson", level=0.9).rows:
        if row.term == "all":
            continue
        rate, n = by_hand(rows, row.term, row.group, weights, "w")
        low, high = proportion_confint(rate * n, n, alpha=0.1, method="wilson")
        assert row.estimate == pytest.approx(rate, abs=1e-12)
        assert (row.conf_low, row.conf_high) == pytest.approx((low, high), abs=1e-9)
        assert row.std_error == (
            pytest.approx(np.sqrt(rate * (1 - rate) / n)) if 0 < rate < 1 else None
        )


def test_whole_weights_equal_repeated_rows_in_the_estimate(conflict_rows):
    rows = conflict_rows(seed=3)
    rows["w"] = np.random.default_rng(0).integers(1, 4, len(rows))
    repeated = rows.loc[rows.index.repeat(rows["w"])].drop(columns="w")
    for weights in ("opponent", "pooled"):
        a = win_rates(Comparisons.from_frame(rows, weight="w"), weights=weights)
        b = win_rates(Comparisons.from_frame(repeated), weights=weights)
        assert [r.estimate for r in a.rows] == pytest.approx(
            [r.estimate for r in b.rows], abs=1e-12
        )


def test_overall_rates(conflict_rows, by_hand):
    rows = conflict_rows(seed=4)
    design = Comparisons.from_frame(rows)
    macro, pooled = rates_of(win_rates(design)), rates_of(win_rates(design, weights="pooled"))
    unequal = rows[rows.urgency_a != rows.urgency_b]
    higher = np.where(unequal.urgency_a > unequal.urgency_b, unequal.item_a, unequal.item_b)
    assert pooled["all", "higher"].estimate == pytest.approx(np.mean(higher == unequal.winner))
    assert pooled["all", "lower"].estimate == pytest.approx(np.mean(higher != unequal.winner))
    assert pooled["all", "equal"].estimate == pytest.approx(0.5)
    assert pooled["all", "equal"].conf_low is None
    assert "1/2" in pooled["all", "equal"].undefined
    assert pooled["all", "higher"].n == len(unequal)
    assert pooled["all", "equal"].n == len(rows) - len(unequal)
    items = design.items
    by_item = [by_hand(rows, item, "higher", "opponent")[0] for item in items]
    assert macro["all", "higher"].estimate == pytest.approx(np.mean(by_item))


def test_error_of_the_pooled_rate_is_that_of_one_ratio_of_sums_by_pair():
    rows = role_conflict()
    own = rows[rows.urgency_a != rows.urgency_b]
    more = np.where(own.urgency_a > own.urgency_b, own.role_a, own.role_b)
    pair = [f"{min(two)}|{max(two)}" for two in zip(own.role_a, own.role_b, strict=True)]
    _, code = np.unique(pair, return_inverse=True)
    wins, n = np.bincount(code, own.choice == more), np.bincount(code)
    rate, share = wins.sum() / n.sum(), n / n.sum()
    error = np.sqrt(
        np.sum((wins - rate * n) ** 2 / n.sum() ** 2 / (1 - share))
    )  # .00428; by item it was .00534
    found = rates_of(win_rates(rows, covariates=["urgency"], weights="pooled"))
    higher, lower = found["all", "higher"], found["all", "lower"]
    assert higher.std_error == pytest.approx(error, rel=1e-9)
    assert lower.std_error == pytest.approx(error, rel=1e-9)
    assert (lower.conf_low, lower.conf_high) == pytest.approx(
        (1 - higher.conf_high, 1 - higher.conf_low)
    )
    reach = stdtrit(len(n) - 1, 0.975) * error
    assert (higher.conf_low, higher.conf_high) == pytest.approx(
        (rate - reach, rate + reach), abs=1e-4
    )  # score, not t


def test_cluster_interval_is_a_score_interval_at_the_clusters_own_sample_size(conflict_rows):
    rows = conflict_rows(seed=5, keep=1.0)
    result = win_rates(Comparisons.from_frame(rows))
    seen = 0
    for row in result.rows:
        if row.std_error is None or row.term == "all":
            continue
        p, df = row.estimate, row.df
        n = min(p * (1 - p) / row.std_error**2, row.n)  # equal counts: effective n is n
        t = stdtrit(df, 0.975)
        gap = lambda x, p=p, t=t, n=n: (p - x) ** 2 - t**2 * x * (1 - x) / n  # noqa: E731
        if n < row.n:
            seen += 1
            low, high = brentq(gap, 0, p), brentq(gap, p, 1)
            assert row.conf_low == pytest.approx(low, abs=1e-9)
            assert row.conf_low <= row.estimate <= row.conf_high
            assert row.conf_high == pytest.approx(high, abs=1e-9)
    assert seen > 3
    low, high = wilson(np.array([0.3]), np.array([17.0]), df=np.array([8.0]))
    t = stdtrit(8, 0.975)
    score = lambda x: (0.3 - x) ** 2 - t**2 * x * (1 - x) / 17  # noqa: E731
    assert low[0] == pytest.approx(brentq(score, 0, 0.3))
    assert high[0] == pytest.approx(brentq(score, 0.3, 1))


@pytest.mark.parametrize("cluster", ["pair", None, "worker"])
@pytest.mark.parametrize("weights", ["opponent", "pooled"])
def test_verify_agrees_for_every_cluster(conflict_rows, cluster, weights):
    rows = conflict_rows(seed=6, ties=0.1)
    result = win_rates(
        Comparisons.from_frame(rows, cluster="worker"), cluster=cluster, weights=weights
    )
    checks = [c for c in result.verify() if c.field != "counts"]
    assert all(c.ok for c in checks)
    assert {c.package for c in checks} >= {"numpy"}


def test_two_crossed_factors_are_no_surer_than_either(conflict_rows):
    rows = conflict_rows(seed=7)
    rows["both"] = ["|".join(sorted(x)) for x in rows[["item_a", "item_b"]].to_numpy()]
    design = Comparisons.from_frame(rows, cluster=["worker", "both"])
    one, two = (rates_of(win_rates(design, cluster=name)) for name in ("worker", "both"))
    crossed = rates_of(win_rates(design, cluster=("worker", "both")))
    for key, row in crossed.items():
        if row.std_error is not None:
            parts = [x[key] for x in (one, two)]
            assert row.std_error >= max(x.std_error or 0 for x in parts) * (1 - 1e-9)
            assert (
                min(x.df for x in parts) * (1 - 1e-9)
                <= row.df
                <= max(x.df for x in parts) * (1 + 1e-9)
            )


def test_empty_condition_is_undefined_never_zero():
    rows = pd.DataFrame(
        [("x", "y", 2, 1, "x"), ("x", "z", 3, 1, "z"), ("y", "z", 1, 1, "y")],
        columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"],
    )
    result = win_rates(Comparisons.from_frame(rows))
    row = result.row("x", group="lower")
    assert (row.estimate, row.conf_low, row.n) == (None, None, 0)
    assert row.undefined == "no comparison under this condition"
    assert any(c.code == "SS302" and "'x'" in c.detail for c in result.cautions)
    assert "z" not in [
        r.term for r in result.rows if r.group == "higher" and r.estimate is not None
    ]


def test_only_equal_urgency_has_no_rate_to_say():
    rows = pd.DataFrame(
        [("x", "y", 1, 1, "x"), ("x", "y", 2, 2, "y")],
        columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"],
    )
    result = win_rates(Comparisons.from_frame(rows), ci="wilson")
    assert result.row("all", group="higher").estimate is None
    assert "undefined" in result.sentence()


def test_all_win_and_coin_closed_forms():
    pairs = [(a, b) for a in "abcd" for b in "abcd" if a < b]
    rows = pd.DataFrame(
        [
            (a, b, ua, ub, a if ua > ub else b)
            for a, b in pairs
            for ua in (1, 2, 3)
            for ub in (1, 2, 3)
            if ua != ub
        ],
        columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"],
    )
    result = win_rates(Comparisons.from_frame(rows))
    for row in result.rows:
        if row.group == "higher":
            assert row.estimate == 1.0
            assert row.conf_high == 1.0
            assert row.conf_low < 0.8
        if row.group == "lower":
            assert row.estimate == 0.0


def test_invariant_to_row_order_labels_and_swapped_sides(conflict_rows):
    rows = conflict_rows(seed=8, ties=0.1)
    base = [r.estimate for r in win_rates(Comparisons.from_frame(rows)).rows]
    shuffled = rows.sample(frac=1, random_state=1)
    swapped = rows.rename(
        columns={
            "item_a": "item_b",
            "item_b": "item_a",
            "urgency_a": "urgency_b",
            "urgency_b": "urgency_a",
        }
    )
    renamed = rows.replace({f"r{i}": f"x{i} | <b>" for i in range(7)})
    for other in (shuffled, swapped, renamed):
        assert [r.estimate for r in win_rates(Comparisons.from_frame(other)).rows] == pytest.approx(
            base, abs=1e-12
        )


def test_levels_of_by_are_kept_apart(conflict_rows):
    rows = pd.concat([conflict_rows(seed=s).assign(model=f"m{s}") for s in (1, 2)])
    found = win_rates(Comparisons.from_frame(rows, by="model"))
    assert isinstance(found, ResultGroup)
    alone = win_rates(Comparisons.from_frame(conflict_rows(seed=2)))
    assert [r.estimate for r in found["m2"].rows] == pytest.approx([r.estimate for r in alone.rows])


def test_cautions_name_ties_and_ignored_clusters(conflict_rows):
    rows = conflict_rows(seed=9, ties=0.2)
    codes = [
        c.code
        for c in win_rates(Comparisons.from_frame(rows, cluster="worker"), cluster="pair").cautions
    ]
    assert "SS105" in codes
    assert "SS201" in codes
    codes = [c.code for c in win_rates(Comparisons.from_frame(rows, cluster="worker")).cautions]
    assert "SS201" not in codes
    assert "SS202" in codes


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"covariate": "haste"}, "haste.*urgency"),
        ({"weights": "mean"}, "opponent, pooled"),
        ({"ci": "wald"}, "cluster, wilson"),
        ({"level": 95}, "level"),
        ({"cluster": "prompt"}, "prompt"),
    ],
)
def test_unusable_options_list_what_is_allowed(conflict_rows, options, match):
    with pytest.raises(InputError, match=match):
        win_rates(Comparisons.from_frame(conflict_rows()), **options)


def test_labels_are_not_numbers(conflict_rows):
    rows = conflict_rows().replace(
        {"urgency_a": {1: "low", 2: "mid", 3: "high"}, "urgency_b": {1: "low", 2: "mid", 3: "high"}}
    )
    with pytest.raises(InputError, match="rank"):
        win_rates(Comparisons.from_frame(rows))


def test_sentence_plot_and_dict(conflict_rows):
    result = win_rates(Comparisons.from_frame(conflict_rows()))
    text = result.sentence()
    assert f"{result.row('all', group='higher').estimate:.3f}"[1:] in text
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.plot() is not None


def test_repeated_terms_keep_their_rows_apart() -> None:
    import socialstats as ss

    result = ss.win_rates(ss.datasets.role_conflict())
    known = [r for r in result.rows if r.estimate is not None]
    assert len(result.coef()) == len(known)
    assert result.coef()["child [lower]"] == result.row("child", group="lower").estimate
    assert result.confint().index.is_unique
    with pytest.raises(ss.InputError, match="stands in several groups"):
        result.row("child")


@pytest.mark.parametrize("cluster", ["auto", None, "judge", ["judge", "prompt"]])
def test_rates_without_a_covariate_are_those_of_all_comparisons(cluster):
    """The mean over opponents of the share of wins against each, by hand; a tie counts one half."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 5, 400)
    b = (a + rng.integers(1, 5, 400)) % 5
    names = np.array(["k", "l", "m", "n", "o"])
    table = pd.DataFrame(
        {
            "item_a": names[a],
            "item_b": names[b],
            "judge": rng.integers(0, 20, 400),
            "prompt": rng.integers(0, 40, 400),
            "winner": np.choose(
                rng.choice(3, 400, p=[0.5, 0.35, 0.15]),
                [names[np.minimum(a, b)], names[np.maximum(a, b)], np.array(["tie"] * 400)],
            ),
        }
    )
    result = win_rates(table, cluster=cluster)
    both = pd.concat(
        [
            table.assign(item=table["item_a"], other=table["item_b"]),
            table.assign(item=table["item_b"], other=table["item_a"]),
        ]
    )
    both["won"] = np.where(both["winner"] == "tie", 0.5, both["winner"] == both["item"])
    wanted = both.groupby(["item", "other"])["won"].mean().groupby("item").mean()
    assert {row.term: row.estimate for row in result.rows} == pytest.approx(wanted.to_dict())
    assert {row.group for row in result.rows} == {"win rate"}
    assert [row.n for row in result.rows] == both.groupby("item").size().tolist()
    assert f"{wanted.idxmax()} (" in result.sentence().partition("won most often")[0]
    assert f"{wanted.idxmin()} (" in result.sentence().partition("won most often")[2]
    assert result.verify().ok
    assert result.plot() is not None


def test_a_covariate_that_is_not_urgency_is_used_where_it_is_named(conflict_rows):
    rows = conflict_rows().rename(columns={"urgency_a": "size_a", "urgency_b": "size_b"})
    plain, named = (
        win_rates(rows, covariates=["size"], **more) for more in ({}, {"covariate": "size"})
    )
    assert plain.settings["covariate"] is None
    assert named.row("all", group="higher").estimate is not None
