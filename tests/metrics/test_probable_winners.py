"""Comparisons whose winner is a probability: R's quasi-likelihood and sandwich, drawn winners as a limit, refusals."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats import Comparisons, bradley_terry
from socialstats.choices.group_win_rates import group_win_rates
from socialstats.choices.win_rate_difference import win_rate_difference
from socialstats.designs.comparisons_data import combine_designs
from socialstats.errors import InputError, SocialStatsError, UndefinedStatistic
from socialstats.metrics import METRICS

GOLDEN = Path(__file__).parents[1] / "golden"
FROM_R = json.loads((GOLDEN / "probabilities.json").read_text())


def design(**options: Any) -> Comparisons:
    table = pd.read_csv(GOLDEN / "probabilities.csv")
    return Comparisons.from_frame(
        table, **{"winner": "p", "winner_coding": "probability", "order": "first", **options}
    )


@pytest.mark.parametrize(("cluster", "key"), [((), "reply"), ("worker", "worker")])
def test_quasi_likelihood_has_the_numbers_of_glm_and_sandwich(cluster: Any, key: str) -> None:
    fit = bradley_terry(design(cluster=cluster), "~ urgency", order=True, cluster="declared")
    for wanted in FROM_R[key]:
        first, minus, _ = wanted["term"].partition(" - ")
        row = fit.contrast(wanted["term"]).rows[0] if minus else fit.row(first)
        assert row.estimate == pytest.approx(wanted["estimate"], rel=1e-9, abs=1e-9)
        assert row.std_error == pytest.approx(wanted["std_error"], rel=1e-8)
        if row.df is not None and row.df < 50:  # from 50 on they are Kish's
            assert row.df == pytest.approx(wanted["df"], rel=1e-6)
    assert fit.crosscheck().ok


def test_added_terms_are_tested_by_robust_f_and_not_by_likelihood_ratio() -> None:
    small, large = (
        bradley_terry(design(cluster="worker"), formula, order=True, cluster="declared")
        for formula in (None, "~ urgency")
    )
    robust, ratio = small.anova(large).rows
    wanted = FROM_R["urgency_by_worker"]
    assert robust.statistic == pytest.approx(wanted["F"], rel=1e-7)
    assert robust.p_value == pytest.approx(wanted["p"], rel=1e-6)
    assert ratio.p_value is None
    assert (
        ratio.undefined
        == "the winners are probabilities: a quasi-likelihood, which has no likelihood ratio"
    )


def quarters(replies: int = 60, seed: int = 3) -> pd.DataFrame:
    """Replies of five items whose probabilities are quarters."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(replies):
        a, b = rng.choice(5, 2, replace=False)
        u, v = rng.integers(0, 3, 2)
        p = int(rng.binomial(4, 1 / (1 + np.exp(0.5 * (a - b) - 0.6 * (u - v))))) / 4
        rows.append((f"i{a}", f"i{b}", p, u, v, f"s{k}"))
    return pd.DataFrame(rows, columns=["item_a", "item_b", "p", "urgency_a", "urgency_b", "story"])


def as_read(table: pd.DataFrame, **options: Any) -> Comparisons:
    return Comparisons.from_frame(
        table, winner="p", winner_coding="probability", covariates=["urgency"], **options
    )


def drawn(table: pd.DataFrame) -> Comparisons:
    """Each reply as four drawn winners, of which the first item has its share."""
    four = table.loc[table.index.repeat(4)]
    first = np.tile(np.arange(4), len(table)) < 4 * four["p"]
    return Comparisons.from_frame(
        four.assign(winner=np.where(first, four["item_a"], four["item_b"])),
        covariates=["urgency"],
        cluster="story",
    )


@pytest.mark.parametrize(
    "estimate",
    [
        lambda d: bradley_terry(d, "~ urgency", cluster="declared", order=False),
        lambda d: ss.win_rates(d, cluster=None),
        lambda d: group_win_rates(d, {f"i{k}": "xy"[k % 2] for k in range(5)}),
        lambda d: Alone(ss.choice_entropy(d).row("H")),
        lambda d: Alone(ss.sensitivity(d, resamples=99).row("S")),
        lambda d: ss.preference_shares(
            bradley_terry(d, cluster=None), {f"i{k}": "xy"[k % 2] for k in range(5)}
        ),
    ],
    ids=["strengths", "win rates", "groups", "entropy", "S", "shares"],
)
def test_a_probability_counts_as_as_many_drawn_winners(estimate: Any) -> None:
    table = quarters()
    one, many = (estimate(made(table)) for made in (as_read, drawn))
    assert [row.estimate for row in one.rows] == pytest.approx(
        [row.estimate for row in many.rows], abs=1e-9
    )


class Alone:
    """One row of a result."""

    def __init__(self, row: Any) -> None:
        self.rows = (row,)


def test_errors_by_reply_are_those_of_four_drawn_winners_in_its_cluster() -> None:
    table = quarters()
    one, many = (
        bradley_terry(as_read(table), "~ urgency", cluster="declared", order=False),
        bradley_terry(drawn(table), "~ urgency", cluster="story", order=False),
    )
    for row, wanted in zip(one.rows, many.rows, strict=True):
        assert (row.std_error, row.df) == pytest.approx((wanted.std_error, wanted.df), rel=1e-9)


def test_alike_replies_are_replies_of_their_own() -> None:
    table = quarters().drop(columns="story")
    apart = table.assign(cluster=np.arange(len(table)))
    alike = table.drop_duplicates()
    assert len(alike) < len(table)  # some replies are alike in every column
    one, two = (
        bradley_terry(as_read(table), cluster="declared", order=False),
        bradley_terry(as_read(apart, cluster="cluster"), cluster="declared", order=False),
    )
    assert [r.std_error for r in one.rows] == pytest.approx(
        [r.std_error for r in two.rows], rel=1e-12
    )
    assert one.counts["rows"] == len(table)


def test_one_half_is_no_tie_and_certain_replies_are_wins() -> None:
    table = quarters()
    assert as_read(table).n_ties == 0
    sure = table.assign(p=(table["p"] > 0.4).astype(float))
    winner = np.where(sure["p"] == 1, sure["item_a"], sure["item_b"])
    plain = Comparisons.from_frame(
        sure.drop(columns="p").assign(winner=winner), covariates=["urgency"]
    )
    one, two = (
        bradley_terry(as_read(sure), cluster="declared", order=False),
        bradley_terry(plain, cluster="declared", order=False),
    )
    assert one.strengths == pytest.approx(two.strengths, abs=1e-9)


def test_sides_may_be_exchanged() -> None:
    made = as_read(quarters())
    one, two = (
        bradley_terry(made, "~ urgency", cluster="declared", order=False),
        bradley_terry(made.swap(), "~ urgency", cluster="declared", order=False),
    )
    for row, other in zip(one.rows, two.rows, strict=True):
        assert (row.estimate, row.std_error) == pytest.approx(
            (other.estimate, other.std_error), rel=1e-9
        )


@pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if metric.design == "comparisons"]
)
def test_every_metric_of_comparisons_agrees_with_another_implementation(name: str) -> None:
    more = {
        "sensitivity": {"resamples": 99},
        "group_win_rates": {"groups": {f"i{k}": "xy"[k % 2] for k in range(5)}},
        "preference_shares": {"groups": {f"i{k}": "xy"[k % 2] for k in range(5)}},
    }.get(name, {})
    for cluster in ({}, {"cluster": "story"}):
        made = as_read(
            quarters().assign(story=lambda d: [f"s{k // 4}" for k in range(len(d))]), **cluster
        )
        try:
            found = METRICS[name].function(made, **more)
        except UndefinedStatistic as error:
            if "probabilit" not in str(error):
                raise
            continue
        checks = found.crosscheck()
        assert [c for c in getattr(checks, "checks", checks) if c.ok is False] == []
        assert found.sentence()
        assert found.plot() is not None


@pytest.mark.parametrize(
    "ask",
    [
        lambda fit: bradley_terry(fit.design, vcov="model", cluster="declared", order=False),
        lambda fit: bradley_terry(fit.design, vcov="sandwich", cluster="declared", order=False),
        lambda fit: bradley_terry(fit.design, penalty="firth", cluster="declared", order=False),
        lambda fit: fit.goodness_of_fit(),
        lambda fit: fit.log_likelihood,
        lambda fit: ss.win_rates(fit.design, ci="wilson"),
        lambda fit: ss.choice_entropy_difference(fit.design, fit.design),
        lambda fit: win_rate_difference(fit.design, fit.design),
    ],
)
def test_what_takes_winners_as_drawn_is_refused(ask: Any) -> None:
    with pytest.raises(SocialStatsError, match="probabilities"):
        ask(bradley_terry(as_read(quarters()), cluster="declared", order=False))


def test_a_fit_to_probabilities_has_no_likelihood() -> None:
    fit = bradley_terry(as_read(quarters()), cluster="declared", order=False)
    assert (fit.fit["loglik"], fit.fit["aic"]) == (None, None)
    assert (
        fit.inference
        == "robust standard errors by reply (60 replies; HC2, t with Satterthwaite's df)"
    )


def test_the_bootstrap_draws_whole_replies() -> None:
    fit = bradley_terry(as_read(quarters(200)), cluster="declared", order=False)
    drawn_again = fit.bootstrap(by="row", resamples=400, seed=1)
    ratio = [
        row.std_error / own.std_error for row, own in zip(drawn_again.rows, fit.rows, strict=True)
    ]
    assert ratio == pytest.approx(
        [1.0] * len(ratio), abs=0.2
    )  # halves of replies drawn apart give 1.5 and more
    assert all(check.ok for check in drawn_again.crosscheck())


def test_entropies_of_replies_and_their_bounds() -> None:
    rng = np.random.default_rng(1)
    table = quarters(40).assign(p_rest=rng.uniform(0, 0.3, 40).round(3))
    rows = {row.term: row.estimate for row in ss.choice_entropy(as_read(table)).rows}

    def h(p: float) -> float:
        return sum(-x * math.log2(x) for x in (p, 1 - p) if x > 0)

    def by_pair(value: Any) -> float:
        pairs = table.apply(lambda r: frozenset((r.item_a, r.item_b)), axis=1)
        return float(table.apply(value, axis=1).groupby(pairs).mean().mean())

    grid = np.linspace(0, 1, 3001)
    filled = [
        [h(row.p * (1 - row.p_rest) + share * row.p_rest) for share in grid]
        for row in table.itertuples()
    ]
    low, high = ([f(each) for each in filled] for f in (min, max))
    assert rows["H_reply"] == pytest.approx(by_pair(lambda r: h(r.p)), abs=1e-9)
    assert rows["H_reply_low"] == pytest.approx(
        by_pair(lambda r: low[r.name]), abs=1e-6
    )  # a grid of 3,000 steps
    assert rows["H_reply_high"] == pytest.approx(by_pair(lambda r: high[r.name]), abs=1e-6)
    assert "H_corrected" not in rows
    assert rows["H_reply"] <= rows["H"]
    without = ss.choice_entropy(as_read(table.drop(columns="p_rest"))).row("H_reply_low")
    assert without.estimate is None
    assert "p_rest" in str(without.undefined)


def test_rows_without_a_probability_and_much_rest_are_said() -> None:
    table = quarters().assign(p_rest=0.08)
    table.loc[:9, "p"] = np.nan
    with pytest.raises(InputError, match="the value is missing"):
        as_read(table)
    made = as_read(table, missing="drop")
    (said,) = [c for c in made.cautions if c.code == "SS331"]
    assert "8.0% of the probability" in said.detail
    assert "10 of 60 replies" in said.detail
    assert made.coverage is not None
    assert (made.coverage.replies, made.coverage.none) == (50, 10)
    assert not [c for c in as_read(quarters().assign(p_rest=0.04)).cautions if c.code == "SS331"]


def test_the_rest_of_a_certain_reply_weighs_as_much_as_that_of_an_open_one() -> None:
    table = quarters()[:4].assign(p=[1.0, 0.5, 0.0, 0.25], p_rest=[0.2, 0.0, 0.2, 0.0])
    made = as_read(table)
    assert made.coverage is not None
    assert made.coverage.rest == pytest.approx(0.1)


def test_s_of_probabilities_says_that_nothing_is_taken_off() -> None:
    found = ss.sensitivity(as_read(quarters(300)), covariate="urgency")
    assert found.row("S").interval == "basic"
    assert found.row("S_corrected").estimate is None
    (said,) = [c for c in found.cautions if c.code == "SS333"]
    assert "no sampling error to subtract" in said.detail
    assert "(plug-in)" in found.sentence()
    halves = as_read(quarters(300).assign(p=0.5))
    line = {
        one.label: one.value
        for one in ss.sensitivity(halves, covariate="urgency").extras["reference_lines"]
    }
    assert ss.sensitivity(halves, covariate="urgency").row("S").estimate == pytest.approx(
        line["coin flips"]
    )


def test_errors_of_clusters_are_not_compared_with_those_of_drawn_winners() -> None:
    found = bradley_terry(as_read(quarters(300)), cluster="pair", order=False)
    assert "SS205" not in {c.code for c in found.cautions}
    assert "SS205" in {
        c.code for c in bradley_terry(drawn(quarters(300)), cluster="story", order=False).cautions
    }


def test_win_rates_of_groups_may_be_surer_than_as_many_drawn_winners() -> None:
    table = quarters(80).assign(p=0.5)
    table.loc[::2, "p"] = 0.55
    groups = {f"i{k}": "xy"[k % 2] for k in range(5)}
    row = group_win_rates(as_read(table), groups, cluster=None).row("x", group="y")
    assert row.conf_low is not None
    wide = 2 * 1.96 * math.sqrt(0.25 / float(row.n or 0))
    assert row.conf_high - row.conf_low < wide / 3


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"p": 1.5}, {}, "'1.5' is not a probability"),
        ({"p": "high"}, {}, "'high' is not a probability"),
        ({}, {"winner_coding": "auto"}, "winner_coding='probability'"),
        ({}, {"winner_coding": "score"}, "winner_coding='probability'"),
        ({"w": 2.0}, {"weight": "w"}, "without weights and counts"),
        ({"n": 2}, {"count": "n"}, "without weights and counts"),
    ],
)
def test_what_cannot_be_read_says_how(
    change: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Comparisons.from_frame(
            quarters().assign(**change),
            **{"winner": "p", "winner_coding": "probability", **options},
        )


def test_refusals_and_replies_without_probabilities_are_told_apart() -> None:
    table = quarters().assign(answer_status="ok", p_rest=0.01)
    table.loc[:7, ["answer_status", "p", "p_rest"]] = ["refusal", np.nan, np.nan]
    table.loc[8:9, "p"] = np.nan
    made = as_read(table, missing="drop")
    assert made.coverage is not None
    assert (made.coverage.replies, made.coverage.none) == (50, 2)
    assert made.refused is not None
    assert (made.refused.n_rows, made.refused.n_ties) == (8, 8)
    assert made.refused.replies is not None
    both = combine_designs(made, made.refused)
    assert (both.n_rows, both.n_ties) == (58, 8)
    halves = as_read(table.fillna({"p": 0.5}).drop(index=[8, 9]).assign(answer_status="ok"))
    one, two = (ss.win_rates(d, cluster=None, weights="pooled") for d in (both, halves))
    assert [r.estimate for r in one.rows] == pytest.approx(
        [r.estimate for r in two.rows], abs=1e-12
    )
    errors = [[r.std_error or 0.0 for r in found.rows] for found in (one, two)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


def test_parts_of_a_design_keep_their_replies() -> None:
    table = pd.concat([quarters(seed=k).assign(model=f"m{k}", p_rest=k / 100) for k in (1, 2)])
    made = as_read(table, by="model")
    for k, part in ((1, "m1"), (2, "m2")):
        own = made.split()[part]
        alone = as_read(quarters(seed=k).assign(p_rest=k / 100))
        assert own.coverage == alone.coverage
        one, two = (
            bradley_terry(own, cluster="declared", order=False),
            bradley_terry(alone, cluster="declared", order=False),
        )
        assert [r.std_error for r in one.rows] == pytest.approx(
            [r.std_error for r in two.rows], rel=1e-12
        )
    assert made.n_rows == 120
    assert made.table()["count"].sum() == 120


def test_all_pairs_of_a_reply_each_can_be_fitted() -> None:
    rows = [(f"i{a}", f"i{b}", 0.5 + 0.1 * (b - a)) for a, b in combinations(range(4), 2)]
    fit = bradley_terry(
        as_read_plain(pd.DataFrame(rows, columns=["item_a", "item_b", "p"])),
        cluster="declared",
        order=False,
    )
    assert [row.term for row in sorted(fit.rows, key=lambda r: -(r.estimate or 0))] == [
        "i0",
        "i1",
        "i2",
        "i3",
    ]


def as_read_plain(table: pd.DataFrame) -> Comparisons:
    return Comparisons.from_frame(table, winner="p", winner_coding="probability")
