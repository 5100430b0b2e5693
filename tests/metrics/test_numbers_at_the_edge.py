"""Single cases of numbers at the edge of floats, against closed forms; `tests/contracts/test_edges.py` seeks more."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import socialstats as ss
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.paired import Paired
from socialstats.errors import DesignError, InputError, MleDoesNotExist, NothingToAnalyse
from socialstats.paired.pair_values import merge_ties
from socialstats.tables import as_table
from tests.golden_data import golden

EQUAL = "all 30 values equal"


def single(n=30, seed=1):
    """Single-precision scores, the second column 0.1 above the first but for rounding."""
    before = np.random.default_rng(seed).normal(3, 1, n).astype(np.float32)
    return pd.DataFrame({"before": before, "after": (before + np.float32(0.1)).astype(np.float32)})


def long(table):
    parts = [
        pd.DataFrame({"unit": range(len(table)), "condition": c, "value": table[c]}) for c in table
    ]
    return pd.concat(parts, ignore_index=True)


# --- precision of the columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        single(),
        pl.from_pandas(single()),
        single().astype("Float32"),
        single().assign(after=lambda t: t.after.astype(float)),
    ],
    ids=["pandas", "polars", "Float32", "one column of double precision"],
)
def test_a_constant_difference_in_single_precision_is_constant(table):
    columns = {"first": "after", "second": "before"}
    assert EQUAL in ss.paired_difference(table, **columns).rows[0].undefined
    assert ss.effect_sizes(table, **columns).row("d_z").estimate is None
    assert EQUAL in ss.equivalence(table, low=-1, high=1, **columns).rows[0].undefined


def test_precision_travels_from_long_tables_and_lists_of_values():
    design = Paired.from_frame(
        long(single()), unit="unit", value="value", conditions=("after", "before")
    )
    assert design.epsilon == design.swap().epsilon == np.finfo(np.float32).eps
    assert EQUAL in ss.paired_difference(design).rows[0].undefined
    assert Paired.one_sample(single()["after"], bound=3).epsilon == np.finfo(np.float32).eps
    assert (
        Paired.from_frame(long(single().astype(float)), unit="unit", value="value").epsilon
        == np.finfo(float).eps
    )
    assert as_table({"x": [1.0, 2.0]}).epsilon("x") == np.finfo(float).eps


def test_single_precision_that_varies_is_analysed_as_it_is():
    rng = np.random.default_rng(2)
    x = rng.normal(100, 1, 20_000).astype(np.float32)
    y = (x + rng.normal(0.01, 1, 20_000)).astype(np.float32)
    result = ss.paired_difference(pd.DataFrame({"x": x, "y": y}), first="y", second="x", flips=99)
    t = stats.ttest_rel(y.astype(float), x.astype(float))
    v = stats.wilcoxon(y.astype(float) - x.astype(float), correction=True, method="approx")
    # differences within the precision of the columns, 1e-5, may be taken as ties: the mean moves by less than that
    assert result.rows[0].statistic == pytest.approx(t.statistic, abs=1e-5 * math.sqrt(20_000))
    assert result.row("wilcoxon").p_value == pytest.approx(v.pvalue, rel=1e-3)


def test_values_too_dense_for_ties_stay_as_they_are():
    dense = np.arange(1.0, 2.0, 1e-4)
    assert merge_ties(dense, 1e-3).tolist() == dense.tolist()
    assert merge_ties(np.array([1.0, 1.0005, 5.0, -1.0]), 1e-3).tolist() == [
        1.0005,
        1.0005,
        5.0,
        -1.0005,
    ]
    assert merge_ties(
        np.array([1.0, 1.5, 1000.0, 1000.5]), np.array([1e-9, 1e-9, 1.0, 1.0])
    ).tolist() == [
        1,
        1.5,
        1000.5,
        1000.5,
    ]


# --- sizes of values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e155, 1e200, 1e300])
def test_t_d_and_p_do_not_depend_on_the_unit(factor):
    r = golden("paired_sleep")["r"]
    table = pd.read_csv("tests/golden/paired_sleep.csv")
    one = table.columns[-2:].tolist()
    data = {name: table[name] * factor for name in one}
    result, sizes = (
        f(data, first=one[0], second=one[1]) for f in (ss.paired_difference, ss.effect_sizes)
    )
    assert abs(result.rows[0].statistic) == pytest.approx(abs(r["t"]), rel=1e-12)
    assert result.rows[0].p_value == pytest.approx(stats.t.sf(abs(r["t"]), r["df"]) * 2, rel=1e-10)
    assert abs(sizes.row("d_z").estimate) == pytest.approx(
        abs(r["t"]) / math.sqrt(r["df"] + 1), rel=1e-12
    )
    assert result.rows[0].std_error == pytest.approx(
        abs(result.rows[0].estimate / r["t"]), rel=1e-12
    )


def test_what_leaves_the_range_of_floats_has_a_reason():
    far = {"a": [1.7e308, -1.7e308, 1e307], "b": [0.0, 0.0, 0.0]}
    sd = ss.paired_difference(far, first="a", second="b").row("difference", group="sd")
    assert (
        sd.estimate == pytest.approx(math.sqrt(1.5) * 1.4e308, rel=0.1)
        or "beyond the range" in sd.undefined
    )
    with pytest.raises(DesignError, match="larger unit"):
        ss.paired_difference({"a": [1.7e308, 2.0], "b": [-1.7e308, 1.0]}, first="a", second="b")
    equal = ss.paired_difference(
        {"a": [3e300, 5e300], "b": [1e300, 3e300]}, first="a", second="b"
    ).rows[0]
    assert equal.undefined.startswith("all 2 values equal 2e+300")
    null = ss.paired_difference(
        {"a": [3.0, 5.0, 4.5], "b": [1.0, 2.0, 4.0]}, first="a", second="b", null=1e300
    )
    assert null.rows[0].p_value == pytest.approx(
        2 * stats.t.cdf(null.rows[0].statistic, 2), rel=1e-9
    )
    assert null.row("sign_flip").statistic == pytest.approx(-1e300)


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_values_that_other_packages_cannot_square_are_not_compared(factor):
    data = {"a": [1 * factor, 2 * factor, 4 * factor], "b": [0.0, 1 * factor, 1 * factor]}
    for metric in (ss.paired_difference, ss.effect_sizes):
        checks = metric(data, first="a", second="b").verify()
        assert all(check.ok is None for check in checks)
        assert any("range of floats" in check.note for check in checks)


def test_summary_numbers_of_any_size():
    plain, large = (
        ss.effect_sizes_from_summary(n=20, mean=f, sd_first=2 * f, sd_second=3 * f, r=0.5)
        for f in (1.0, 2.0**900)
    )
    for a, b in zip(plain.rows, large.rows, strict=True):
        assert (a.estimate, a.conf_low, a.conf_high) == (b.estimate, b.conf_low, b.conf_high)


# --- weights, counts, comparisons ---------------------------------------------------------------------------------

GAMES = pd.DataFrame({"item_a": list("aabbcc"), "item_b": list("bccaab"), "winner": list("abccab")})


@pytest.mark.parametrize("weight", [1e308, 1e101, 1e-101, 5e-324])
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas, lambda t: t.astype({"w": str})])
def test_a_weight_far_from_1_is_named_with_its_row(weight, engine):
    table = engine(GAMES.assign(w=[1.0, 2.0, weight, 1.0, 1.0, 1.0]))
    with pytest.raises(
        InputError, match=r"row 2, column 'w'.*below 1e-100 or above 1e\+100.*common factor"
    ):
        Comparisons.from_frame(table, weight="w")


def test_counts_that_floats_cannot_add_up_are_named():
    with pytest.raises(InputError, match=r"column 'n'.*add up to 1.8e\+16.*Divide all counts"):
        Comparisons.from_frame(GAMES.assign(n=[2**53, 2**53, 1, 1, 1, 1]), count="n")


def test_a_leaderboard_names_its_largest_number_of_units():
    table = pd.DataFrame(
        {
            "model": ["x", "x", "y", "y"],
            "unit": [1, 2] * 2,
            "score": [1, 2, 2, 4],
            "n": [10**12, 1] * 2,
        }
    )
    with pytest.raises(InputError, match="up to 1,000,000 units"):
        ss.leaderboard(table, count="n")


@pytest.mark.parametrize("odds", [1e6, 1e9, 1e12])
def test_log_likelihood_of_lopsided_pairs_keeps_its_digits(odds):
    pairs = pd.DataFrame(
        {"item_a": ["a", "b"], "item_b": ["b", "c"], "wins_a": [odds, odds], "wins_b": [1, 1]}
    )
    fit = ss.bradley_terry(Comparisons.from_counts(pairs))
    expected = 2 * (-odds * math.log1p(1 / odds) - math.log1p(odds))
    assert fit.fit["loglik"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", ["auto", "davidson", "rao_kupper"])
def test_ties_alone_have_no_maximum_likelihood(ties):
    tied = Comparisons.from_frame(GAMES.assign(winner="tie"))
    with pytest.raises(MleDoesNotExist, match="every row is a tie") as found:
        ss.bradley_terry(tied, ties=ties)
    assert found.value.terms == ("log_theta" if ties == "rao_kupper" else "log_nu",)
    assert all(
        row.estimate == 0
        for row in ss.bradley_terry(tied, ties="half").rows
        if row.group == "strength"
    )


# --- ordinal levels that are numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [ss.weighted_kappa, ss.gwet_ac, ss.fleiss_kappa])
@pytest.mark.parametrize(
    ("levels", "options", "said"),
    [
        ([0, 1, 10], {}, True),
        ([0, 1, 10], {"weights": "linear"}, True),
        ([0, 1, 10], {"weights": "ordinal"}, False),
        ([0, 1, 10], {"weights": "unweighted"}, False),
        ([0, 5, 10], {"weights": "quadratic"}, False),
    ],
)
def test_weights_say_when_they_take_unequal_numbers_of_ordinal_levels(
    metric, levels, options, said
):
    rng = np.random.default_rng(3)
    table = {name: rng.choice(levels, 40) for name in ("ann", "bob")}
    result = metric(
        table,
        raters=["ann", "bob"],
        levels=levels,
        scale="ordinal",
        **({"weights": "quadratic"} | options),
    )
    assert ("SS330" in [c.code for c in result.cautions]) == said
    interval = metric(table, raters=["ann", "bob"], levels=levels, scale="interval", **options)
    assert "SS330" not in [c.code for c in interval.cautions]


def test_a_difference_far_smaller_than_the_values_of_other_pairs_has_a_rank_in_the_check_too():
    """0 and 1e-150 differ by 1e-150 exactly; beside other pairs' values of 2 that is no rounding."""
    pairs = {"after": [5e-151, 1e-150, -8e-151], "before": [-1.0, 0.0, 2.0]}
    result = ss.paired_difference(pairs, first="after", second="before")
    assert (
        result.row("wilcoxon").statistic == 3
    )  # ranks 2 and 1 of the positive differences 1 and 1e-150
    assert result.verify().ok
    near = {
        "after": [1000.1, 1.1, 0.3, 5.0],
        "before": [999.1, 0.1, 1.3, 3.0],
    }  # 1, 1, -1 and 2 but for rounding
    result = ss.paired_difference(near, first="after", second="before")
    assert result.row("wilcoxon").statistic == 8
    assert result.verify().ok


def test_an_end_of_a_kappa_next_to_0_is_checked_to_the_rounding_of_1():
    """People always say 5 and models always 1: no agreement beyond chance, and an end that is 0 but for rounding."""
    rows = [
        (f"u{k}", rater, value, f"c{k}")
        for k in range(6)
        for rater, value in (("r0", 5), ("r1", 5), ("r2", 1), ("r3", 1))
        if (k, rater) != (2, "r2")
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "value", "story"])
    roles = {
        "unit": "unit",
        "rater": "rater",
        "value": "value",
        "levels": [1, 2, 3, 5],
        "cluster": "story",
    }
    result = ss.weighted_kappa(table, weights="quadratic", level=0.99, **roles)
    assert result.row("mean").conf_low == pytest.approx(0, abs=1e-12)
    assert [check for check in result.verify() if check.ok is False] == []


def test_two_tables_of_refusals_have_no_number_in_common():
    rows = pd.DataFrame(
        {"unit": ["a", "b", "c"] * 2, "rater": ["x"] * 3 + ["y"] * 3, "value": "refused"}
    )
    one, two = (ss.Ratings.from_frame(rows, refusal="refused") for _ in range(2))
    assert one.level_counts().shape == (3, 0)
    with pytest.raises(NothingToAnalyse, match="no number in common"):
        ss.ratings_difference(one, two)


def test_levels_that_differ_by_rounding_alone_are_checked_without_its_loss():
    """One rater always says 0.1 + 0.2, the other 0.3: whatever the unit, alpha is that of two levels."""
    rows = [
        (f"u{k}", rater, value)
        for k in range(12)
        for rater, value in (("a", 0.1 + 0.2), ("b", 0.3))
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    result = ss.krippendorff_alpha(
        table, unit="unit", rater="rater", value="value", scale="interval"
    )
    assert result.rows[0].estimate == pytest.approx(
        1 - 23 / 12
    )  # (n - 1) D_o / D_e of two levels, 12 times each
    assert [check for check in result.verify() if check.ok is False] == []
