"""Families of tests: R's p.adjust and multcomp, statsmodels, and every way to name a family."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from socialstats import InputError, PlanResult, Result, ResultGroup, adjust
from socialstats.results import Row
from tests.golden_data import golden

METHODS = ("holm", "bonferroni", "hochberg", "hommel", "bh", "by")
R_NAMES = {"bh": "BH", "by": "BY"}
P = {"one": 0.01, "two": 0.04, "three": 0.03}


def adjusted(result):
    return [row.p_adjusted for row in result.rows]


def rows_of(entry):
    """Rows of a family of contrasts that R made."""
    keys = ("terms", "estimate", "std_error", "statistic", "p")
    return [
        Row(
            term=term,
            estimate=e,
            std_error=s,
            statistic=t,
            df=float(entry["df"]),
            p_value=p,
            method="t",
        )
        for term, e, s, t, p in zip(*(entry[k] for k in keys), strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("bonf", "bonferroni"),
        ("Bonferroni", "b"),
        ("sidak", "s"),
        ("holm-sidak", "hs"),
        ("holm", "h"),
        ("simes-hochberg", "sh"),
        ("hommel", "ho"),
        ("fdr_bh", "fdr_i"),
        ("BH", "fdr_i"),
        ("fdr", "fdr_i"),
        ("BY", "fdr_n"),
        ("fdr_by", "fdr_n"),
    ],
)
def test_names_of_peers(name, theirs):
    rng = np.random.default_rng(8)
    for m in (1, 2, 5, 40):
        p = np.clip(rng.beta(0.4, 1, m).round(3), 1e-6, 1)  # rounded: some are equal
        expected = multipletests(p, method=theirs)[1]
        assert adjusted(adjust(p.tolist(), method=name)) == pytest.approx(
            expected.tolist(), rel=1e-12
        )


def test_a_series_keeps_its_labels():
    found = adjust(pd.Series([0.01, 0.2, 0.03], index=["topic", "type", "stage"]), method="BH")
    assert [row.term for row in found.rows] == ["topic", "type", "stage"]


@pytest.mark.parametrize("method", METHODS)
def test_r_p_adjust(method):
    r = golden("planning")["adjust"]
    found = adjust(r["p"], method=method, family="f")
    assert adjusted(found) == pytest.approx(r["adjusted"][R_NAMES.get(method, method)], rel=1e-12)
    missing = [math.nan if p is None else p for p in r["p_missing"]]
    theirs = r["adjusted_missing"][R_NAMES.get(method, method)]
    got = adjusted(adjust(missing, method=method))
    assert [g is None for g in got] == [t is None for t in theirs] == [False, True, False]
    assert [g for g in got if g is not None] == pytest.approx(
        [t for t in theirs if t is not None], rel=1e-12
    )


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=40)
@given(p=st.lists(st.floats(1e-12, 1), min_size=1, max_size=12))
def test_statsmodels_agrees(method, p):
    result = adjust(p, method=method)
    assert result.verify().ok
    assert all(a >= b for a, b in zip(adjusted(result), p, strict=True))


def test_the_check_notices_a_wrong_number():

    result = adjust(P)
    rows = (dataclasses.replace(result.rows[0], p_adjusted=0.04), *result.rows[1:])
    assert not dataclasses.replace(result, rows=rows).verify().ok


def test_the_check_notices_a_p_that_is_not_that_of_its_statistic():
    rows = [
        Row(term=name, statistic=t, df=9.0, test="t", p_value=2 * stats.t.sf(t, 9))
        for name, t in (("a", 2.0), ("b", 3.0))
    ]
    assert adjust(rows).verify().ok
    assert (
        not adjust([dataclasses.replace(rows[0], p_value=0.9 * rows[0].p_value), rows[1]])
        .verify()
        .ok
    )


@pytest.mark.parametrize("family", ["tension", "cell"])
@pytest.mark.parametrize(
    ("method", "key"), [("max_t", "free"), ("max_t_single_step", "single_step")]
)
def test_max_t_is_that_of_multcomp(family, method, key):
    r = golden("planning")["max_t"][family]
    draws = 200_000
    found = adjust(
        rows_of(r), method=method, covariance=r["covariance"], draws=draws, seed=3, family=family
    )
    for row, theirs in zip(found.rows, r[key], strict=True):
        # five Monte-Carlo standard errors, and the 1e-3 that multcomp's own integral may be off
        assert row.p_adjusted == pytest.approx(
            theirs, abs=5 * math.sqrt(theirs * (1 - theirs) / draws) + 1e-4
        )
        reach = (row.conf_high - row.conf_low) / 2 / row.std_error
        assert reach == pytest.approx(r["critical"], abs=0.02)
        assert "m = " in row.method
    assert found.verify().ok, found.verify().tidy().to_string()


def test_max_t_of_equal_tests_is_no_correction_and_of_independent_ones_is_sidak():
    rows = [
        Row(term=str(k), estimate=2.0, std_error=1.0, statistic=2.0, p_value=0.045500263896358)
        for k in range(4)
    ]
    same = adjust(rows, method="max_t_single_step", covariance=np.ones((4, 4)), draws=200_000)
    apart = adjust(rows, method="max_t_single_step", covariance=np.eye(4), draws=200_000)
    assert adjusted(same) == pytest.approx([0.0455] * 4, abs=0.002)
    assert adjusted(apart) == pytest.approx([1 - (1 - 0.0455) ** 4] * 4, abs=0.004)


@pytest.mark.parametrize("freedom", [(3.0, 60.0), (60.0, 3.0), (3.0, None), (None, 3.0)])
def test_max_t_has_the_fewest_degrees_of_freedom_of_its_tests(freedom):
    """Of equal tests the largest is one t: half the interval is its quantile with 3 df."""
    rows = [
        Row(
            term=str(k),
            estimate=2.0,
            std_error=1.0,
            statistic=2.0,
            df=df,
            p_value=2 * (stats.norm.sf(2) if df is None else stats.t.sf(2, df)),
        )
        for k, df in enumerate(freedom)
    ]
    found = adjust(rows, method="max_t_single_step", covariance=np.ones((2, 2)), draws=200_000)
    assert adjusted(found) == pytest.approx([2 * stats.t.sf(2, 3)] * 2, abs=0.004)


def test_max_t_from_bootstrap_replicates_follows_their_correlation():
    rng = np.random.default_rng(1)
    boot = np.repeat(
        5 + 3 * rng.standard_normal((40_000, 1)), 3, axis=1
    ) + 1e-3 * rng.standard_normal((40_000, 3))
    boot[::100, 1] = np.nan  # a resample without one of the estimates is left out whole
    rows = [
        Row(term=str(k), estimate=6.0, std_error=3.0, statistic=2.0, p_value=0.045500263896358)
        for k in range(3)
    ]
    found = adjust(rows, method="max_t", replicates=boot)
    assert adjusted(found) == pytest.approx([0.0455] * 3, abs=0.006)
    assert "39,600 resamples" in found.rows[0].method
    with_df = [
        Row(term=r.term, estimate=6.0, std_error=3.0, statistic=2.0, df=5.0, p_value=0.10193947588)
        for r in rows
    ]
    assert adjusted(adjust(with_df, method="max_t", replicates=boot)) == pytest.approx(
        [0.102] * 3, abs=0.01
    )


@pytest.mark.parametrize("df", [None, 7.0])
@pytest.mark.parametrize("method", ["max_t", "max_t_single_step"])
@pytest.mark.parametrize("source", ["replicates", "covariance"])
def test_a_changed_number_of_max_t_is_found(method, source, df):
    rng = np.random.default_rng(2)
    mix = np.array([[1.0, 0.6, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    joint = (
        {"replicates": rng.standard_normal((999, 3)) @ mix}
        if source == "replicates"
        else {"covariance": mix.T @ mix}
    )
    sizes = {"a": 2.4, "b": -1.1, "c": 3.0}
    rows = [
        Row(
            term=name,
            estimate=2 * t,
            std_error=2.0,
            statistic=t,
            df=df,
            p_value=float(2 * (stats.norm.sf(abs(t)) if df is None else stats.t.sf(abs(t), df))),
        )
        for name, t in sizes.items()
    ]
    found = adjust(rows, method=method, **joint)
    assert found.verify().ok, found.verify().tidy().to_string()
    least = (
        0.98 if source == "replicates" else 0.6
    )  # integrals know p up to the Monte-Carlo error of the draws
    for k, row in enumerate(found.rows):
        for field, factor in (
            ("p_adjusted", least),
            ("conf_low", 0.98),
            ("conf_high", 0.98),
            ("p_value", 0.98),
        ):
            new = dataclasses.replace(row, **{field: factor * getattr(row, field)})
            other = dataclasses.replace(found, rows=(*found.rows[:k], new, *found.rows[k + 1 :]))
            assert not other.verify().ok, (row.term, field)


def test_a_single_result_brings_its_covariance():
    from socialstats import Comparisons, bradley_terry, datasets

    fit = bradley_terry(Comparisons.from_frame(datasets.baseball()))
    chosen = [name for name in fit.names if (fit.row(name).p_value is not None)]
    found = adjust(fit, method="max_t", terms=chosen, draws=20_000)
    index = [fit.names.index(name) for name in chosen]
    again = adjust(
        [fit.row(t) for t in chosen],
        method="max_t",
        covariance=fit.covariance[np.ix_(index, index)],
        draws=20_000,
    )
    assert adjusted(found) == adjusted(again)


def test_families_span_results_and_keep_their_names():
    one = Result(
        metric="bradley_terry",
        title="One",
        rows=tuple(Row(term=t, p_value=p) for t, p in P.items()),
    )
    two = Result(
        metric="bradley_terry",
        title="Two",
        rows=(Row(term="one", p_value=0.2), Row(term="mean", estimate=3.0)),
    )
    both = adjust([one, two], family="all of it")
    assert both.counts == {"tests": 4, "below before": 3, "below after": 1, "undefined": 0}
    assert len({(r.term, r.group, r.by) for r in both.rows}) == 4
    apart = adjust({"a": one, "b": two.rows}, method="bonferroni")
    assert adjusted(apart) == pytest.approx([0.03, 0.12, 0.09, 0.2])
    assert {row.group for row in apart.rows} == {"a", "b"}
    assert "over the family 'b' (m = 1)" in apart.rows[-1].method
    assert apart.verify().ok
    group = ResultGroup(by="model", results={"x": one, "y": two})
    assert [row.by for row in adjust(group).rows] == ["x", "x", "x", "y"]
    assert "'One'" in adjust(one).inference
    assert adjusted(adjust(one, terms=["one", "three"])) == pytest.approx([0.02, 0.03])


def test_a_hypothesis_that_a_result_tests_in_several_ways_counts_once():
    from socialstats import Paired, mcnemar, paired_difference

    pairs = Paired.from_wide(
        {"x": [1.0, 2, 4, 3, 6], "y": [0.0, 2, 3, 1, 2]}, first="x", second="y", scale="numeric"
    )
    answers = Paired.from_table([[10, 12], [3, 9]])
    found = adjust([paired_difference(pairs), mcnemar(answers)], method="bonferroni", family="both")
    assert found.extras["m"] == {"both": 2}
    assert [row.p_adjusted for row in found.rows if row.p_value] == pytest.approx(
        [2 * paired_difference(pairs).rows[0].p_value, 2 * mcnemar(answers).rows[0].p_value]
    )
    assert adjust(mcnemar(answers), groups="test").counts["tests"] == 4


def test_a_test_that_does_not_exist_stays_and_does_not_count():
    rows = [
        Row(term="a", p_value=0.02),
        Row(term="b", undefined="all differences equal"),
        Row(term="c", p_value=0.03),
    ]
    found = adjust(rows, family="f")
    assert adjusted(found) == [0.04, None, 0.04]
    assert found.rows[1].undefined == "all differences equal"
    assert found.extras["m"] == {"f": 2}
    assert "1 undefined row did not count" in found.sentence()
    assert adjust({"a": 0.02, "b": None}).rows[1].undefined


def test_no_adjusted_p_is_zero():
    assert all(p > 0 for p in adjusted(adjust([0.0, 1e-320, 0.5])))


def test_reads_like_any_result():
    found = adjust(P, family="bias <b>by</b>\ntopic")
    assert isinstance(found, PlanResult)
    sentence = found.sentence()
    assert "\n" not in sentence
    assert sentence.startswith(
        "Adjusted by Holm over 'bias <b>by</b> topic' (3 tests), 1 of 3 tests had p < .05 (3 before)"
    )
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["metric"] == "adjust"
    assert pickle.loads(pickle.dumps(found)).sentence() == sentence
    assert found.tidy()["p_adjusted"].tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert "Holm" in found.cite()
    assert adjust(P, seed=2).to_dict()["terms"] == adjust(P).to_dict()["terms"]


T = [
    Row(term=t, estimate=2.0, std_error=1.0, statistic=2.0, p_value=0.045500263896358) for t in "ab"
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0.1, 1.5],), "1.5"),
        (([0.1, -0.1],), "-0.1"),
        (({"a": 0.1, "b": math.inf},), "inf"),
        (([Row(term="x", p_value=2.0)],), "'x' has p = 2"),
        (([],), "no test"),
        (([math.nan],), "no test"),
        (([Row(term="x", estimate=1.0)],), "no test"),
        (("0.04",), "0.04"),
        (([0.1, "0.04"],), "0.04"),
        (([True, 0.1],), "True"),
        (({"a": P, "b": {}},), "'b' has no test"),
        ((P, {"method": "tukey"}), "holm_sidak, hommel, hochberg, bh, by, max_t"),
        ((P, {"level": 95}), "95"),
        ((P, {"terms": ["four"]}), "four"),
        ((P, {"groups": "model"}), "model"),
        (({"a": P}, {"family": "b"}), "one place"),
        ((P, {"covariance": np.eye(3)}), "max_t"),
        ((T, {"method": "max_t"}), "covariance="),
        ((T, {"method": "max_t", "covariance": np.eye(3)}), r"\(2, 2\)"),
        ((T, {"method": "max_t", "covariance": [[1, 0.5], [0.2, 1]]}), "symmetric"),
        ((T, {"method": "max_t", "covariance": [[1, 0], [0, 0]]}), "variance of 0"),
        ((T, {"method": "max_t", "covariance": np.eye(2), "replicates": np.eye(2)}), "not both"),
        ((T, {"method": "max_t", "replicates": np.ones((50, 3))}), "50, 3"),
        ((T, {"method": "max_t", "replicates": np.ones((50, 2))}), "never varies"),
        ((T, {"method": "max_t", "covariance": np.eye(2), "draws": 10}), "10"),
        (({"a": T, "b": T}, {"method": "max_t", "covariance": np.eye(2)}), "one family"),
        (
            (
                [Row(term="x", statistic=4.0, p_value=0.0455)],
                {"method": "max_t", "covariance": [[1]]},
            ),
            "two-sided",
        ),
    ],
)
def test_bad_input_is_an_error_that_names_it(arguments, said):
    subject, *options = arguments
    with pytest.raises(InputError, match=said):
        adjust(subject, **(options[0] if options else {}))


def test_p_of_exactly_5_percent_is_not_below_it():
    assert (
        adjust([0.05, 1.0], method="bh").counts["below before"] == 0
    )  # 1 - 0.95 is 0.05000000000000004


def test_kappas_of_all_pairs_together_are_no_hypotheses_of_their_own():
    from socialstats import Ratings, weighted_kappa

    rng = np.random.default_rng(4)
    truth = rng.integers(1, 4, 60)
    noisy = {name: np.clip(truth + rng.integers(-1, 2, 60), 1, 3) for name in "abc"}
    found = weighted_kappa(
        Ratings.from_wide(noisy | {"d": np.ones(60, int)}, raters_in="columns", scale="ordinal")
    )
    assert sum(row.p_value is None for row in found.rows) == 3  # pairs with d, who never varies
    taken = adjust(found)
    assert [row.term for row in taken.rows] == ["a | b", "a | c", "b | c"]
    assert taken.counts["tests"] == 3
    assert [row.term for row in adjust(found, terms=["mean", "pooled"]).rows] == ["mean", "pooled"]
    pooled = weighted_kappa(found.design, pairs="pooled")
    assert [row.term for row in adjust(pooled).rows] == ["mean", "pooled"]
