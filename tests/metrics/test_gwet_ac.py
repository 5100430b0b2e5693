from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

import socialstats
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.inference.intervals import critical_value
from tests.golden_data import golden, golden_frame
from tests.rated import long_table, ratings

WEIGHTS = ("unweighted", "linear", "quadratic", "ordinal")
LEVELS = {"alpha_krippendorff_4x12": [1, 2, 3, 4, 5], "agree_anxiety": [1, 2, 3, 4, 5, 6]}


def golden_design(name, **options):
    matrix = golden_frame(f"{name}.csv").replace("", np.nan).to_numpy(dtype=float)
    return ratings(matrix, levels=LEVELS[name], **options)


def abstractors():
    """Two abstractors of 100 charts, as a table of counts."""
    frame = golden_frame("cac_table_abstractors.csv")
    table = pd.DataFrame(
        frame.to_numpy(dtype=int), index=list(frame.columns), columns=list(frame.columns)
    )
    return Ratings.from_table(table, levels=list(frame.columns), scale="ordinal")


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", list(LEVELS))
def test_what_irrcac_printed(name, weights):
    result = gwet_ac(golden_design(name), weights=weights)
    entry = golden(name)["r"]["irrCAC"][f"gwet.ac1.raw {weights}"]
    term = "AC1" if weights == "unweighted" else "AC2"
    assert entry["coeff.name"] == term
    row = result.row(term)
    assert row.estimate == pytest.approx(entry["coeff.val"], abs=0.51e-5)  # five decimals
    assert row.std_error == pytest.approx(entry["coeff.se"], abs=0.51e-5)
    assert result.extras["observed_agreement"] == pytest.approx(entry["pa"], rel=1e-12)
    assert result.extras["chance_agreement"] == pytest.approx(entry["pe"], rel=1e-12)
    low, high = (float(x) for x in entry["conf.int"].strip("()").split(","))
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (low, high), abs=0.51e-3
    )  # three decimals
    assert stdtr(row.df, -row.statistic) == pytest.approx(
        entry["p.value"], rel=1e-3
    )  # one-sided, of a rounded t
    assert row.n == entry["tot.obs"]
    assert result.verify().ok


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("case", ["four", "anxiety", "made"])
def test_rs_formulas_to_full_precision(case, weights):
    entry = golden("agreement")[case]
    name = {"four": "alpha_krippendorff_4x12", "anxiety": "agree_anxiety"}.get(case)
    design = (
        golden_design(name)
        if name
        else ratings(np.array(entry["ratings"], dtype=float), levels=entry["levels"])
    )
    want = entry["gwet"][weights]
    row = gwet_ac(design, weights=weights).rows[0]
    found = (row.estimate, row.std_error, row.conf_low, row.conf_high, row.p_value, row.df)
    assert found == pytest.approx(
        [want[k] for k in ("value", "std_error", "low", "high", "p", "df")], rel=1e-10
    )


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_two_raters_from_a_table_of_counts(weights):
    entry = golden("cac_table_abstractors")
    want = entry["r"][f"gwet.ac1.table {weights}"]
    result = gwet_ac(abstractors(), weights=weights)
    row = result.rows[0]
    assert row.estimate == pytest.approx(want["coeff.val"], rel=entry["rtol"])
    # irrCAC divides by n in its functions of a table, and by n - 1 in those of raw ratings, which are followed here
    error = row.std_error * np.sqrt(99 / 100)
    assert error == pytest.approx(want["coeff.se"], rel=entry["rtol"])
    low, high = (float(x) for x in want["coeff.ci"].strip("()").split(","))
    reach = critical_value(0.95, row.df) * error
    assert (row.estimate - reach, row.estimate + reach) == pytest.approx((low, high), abs=0.6e-3)
    assert (row.conf_low, row.conf_high) == pytest.approx((low, high), abs=1.5e-3)
    assert (row.n, row.n_units, row.df) == (200, 100, 99)
    assert result.verify().ok


def test_default_weights_follow_the_scale():
    matrix = golden_frame("agree_anxiety.csv").to_numpy(dtype=float)
    assert (
        gwet_ac(ratings(matrix, levels=LEVELS["agree_anxiety"], scale="nominal")).rows[0].term
        == "AC1"
    )
    ordinal = gwet_ac(ratings(matrix, levels=LEVELS["agree_anxiety"], scale="ordinal"))
    assert (ordinal.rows[0].term, ordinal.settings["weights"]) == ("AC2", "quadratic")
    assert "quadratic weights" in ordinal.sentence()


def test_a_matrix_of_weights():
    design = golden_design("agree_anxiety")
    distance = (np.subtract.outer(np.arange(6), np.arange(6)) ** 2).astype(float)
    named = gwet_ac(design, weights="quadratic").rows[0]
    for matrix, kind in ((1 - distance / 25, "agreement"), (3 * distance, "disagreement")):
        row = gwet_ac(design, weights=matrix, kind=kind).rows[0]
        assert (row.estimate, row.std_error) == pytest.approx((named.estimate, named.std_error))
    with pytest.raises(InputError, match="disagreement"):
        gwet_ac(design, weights=distance)


def test_levels_that_nobody_used_count():
    matrix = [[1, 1], [1, 2], [2, 2], [1, 1]]
    two, five = (
        gwet_ac(ratings(matrix, levels=lv), weights="unweighted")
        for lv in ([1, 2], [1, 2, 3, 4, 5])
    )
    pi = 5 / 8
    assert two.extras["chance_agreement"] == pytest.approx(2 * pi * (1 - pi))
    assert five.extras["chance_agreement"] == pytest.approx(2 * pi * (1 - pi) / 4)
    said = "AC1 and AC2 depend on their number"
    assert not any(said in c.detail for c in two.cautions)
    open_ended = gwet_ac(ratings(matrix), weights="unweighted").cautions
    assert any(c.code == "SS310" and said in c.detail for c in open_ended)


def test_kappas_paradox_does_not_touch_ac1():
    """Gwet (2008): 118 of 125 charts positive for both raters, 5 and 2 for one only: kappa is about 0, AC1 high."""
    table = pd.DataFrame([[118, 5], [2, 0]], index=["+", "-"], columns=["+", "-"])
    row = gwet_ac(Ratings.from_table(table, scale="nominal", levels=["+", "-"])).rows[0]
    pi = (123 + 120) / 250
    pe = 2 * pi * (1 - pi)
    assert row.estimate == pytest.approx((118 / 125 - pe) / (1 - pe), rel=1e-12)
    assert row.estimate > 0.94


@pytest.mark.parametrize("ci", ["closed", "percentile", "basic", "bca"])
@pytest.mark.parametrize("weights", ["unweighted", "quadratic"])
def test_clusters_and_bootstrap(ci, weights):
    entry = golden("agreement")["made"]
    story = {"story": [f"s{c:02d}" for c in entry["cluster"]]}
    design = ratings(np.array(entry["ratings"], dtype=float), story, levels=entry["levels"])
    result = gwet_ac(design, weights=weights, ci=ci, resamples=999)
    row = result.rows[0]
    assert row.conf_low < row.estimate < row.conf_high
    assert row.n_clusters == 10
    assert result.verify().ok
    closed = gwet_ac(design, weights=weights).rows[0]
    assert closed.df == 9
    assert row.std_error == pytest.approx(closed.std_error, rel=0.3)  # ten clusters


def test_one_cluster_a_unit_is_independence_up_to_its_degrees_of_freedom():
    matrix = np.array(golden("agreement")["made"]["ratings"], dtype=float)
    alone = ratings(matrix, {"own": [f"c{k}" for k in range(len(matrix))]}, levels=[1, 2, 3, 4, 5])
    one, two = gwet_ac(alone).rows[0], gwet_ac(alone, cluster=None).rows[0]
    assert (one.std_error, one.df) == pytest.approx((two.std_error, two.df))


def test_strata_raters_and_refusals():
    table = long_table(
        [["a", "a", "?"], ["a", "b", "b"], ["b", "b", "b"], ["a", "?", "?"], ["b", "a", "a"]],
        {"part": list("xxyyy")},
    )
    design = Ratings.from_frame(
        table, levels=["a", "b"], scale="nominal", refusal="?", strata="part"
    )
    for refusal in ("missing", "level"):
        result = gwet_ac(design, refusal=refusal, stratum="part")
        assert [r.group for r in result.rows] == [None, "x", "y"]
        assert result.verify().ok
        assert len(result.extras["levels"]) == 2 + (refusal == "level")
    with pytest.raises(InputError, match="refusal"):
        gwet_ac(
            Ratings.from_frame(table, levels=["a", "b"], refusal="?"),
            weights="linear",
            refusal="level",
        )
    assert gwet_ac(design, raters=["r000", "r002"]).counts["raters"] == 2


# --- the table of bad input --------------------------------------------------------------------------------------


def test_no_variation():
    same = [[1, 1], [1, 1], [1, 1]]
    declared = gwet_ac(ratings(same, levels=[1, 2, 3]), weights="unweighted").rows[0]
    assert declared.estimate == 1  # chance agreement is 0, not 0/0: AC1 exists
    worst = 1 - 0.025 ** (1 / 3)  # Clopper and Pearson's upper end of 0 of 3
    assert (declared.std_error, declared.conf_high) == (None, 1)
    assert declared.conf_low == pytest.approx(
        1 - worst / (1 - gwet_ac(ratings(same, levels=[1, 2, 3])).extras["chance_agreement"])
    )
    alone = ratings(same)
    row = gwet_ac(alone).rows[0]
    assert row.estimate is None
    assert "a single level" in row.undefined
    assert gwet_ac(alone, on_undefined=1.0).rows[0].estimate == 1
    with pytest.raises(UndefinedStatistic, match="a single level"):
        gwet_ac(alone, on_undefined="raise")


def test_no_pairs_one_unit_and_all_units_alike():
    with pytest.raises(NothingToAnalyse, match="two ratings"):
        gwet_ac(ratings([[1], [2]]))
    assert "1 unit" in gwet_ac(ratings([[1, 2]])).rows[0].undefined
    result = gwet_ac(ratings([[1, 2]] * 5), weights="unweighted")
    assert result.rows[0].estimate == pytest.approx(-1)  # pa 0, pe 1/2
    assert "alike" in result.rows[0].undefined
    assert result.verify().ok
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"weights": "cubic"}, "cubic"),
        ({"kind": "both"}, "both"),
        ({"ci": "wald"}, "wald"),
        ({"level": 1.5}, "1.5"),
        ({"refusal": "x"}, "'x'"),
        ({"cluster": "village"}, "village"),
    ],
)
def test_impossible_options(options, named):
    with pytest.raises(InputError, match=named):
        gwet_ac(golden_design("agree_anxiety"), **options)


def test_measurements_are_no_levels():
    x = np.random.default_rng(0).normal(size=(700, 3))
    with pytest.raises(InputError, match="2,100 different values"):
        gwet_ac(ratings(x))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, np.nan]), min_size=3, max_size=3),
        min_size=3,
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_units_raters_and_nominal_labels_may_be_permuted(matrix, random):
    x = np.array(matrix)
    if not np.any((~np.isnan(x)).sum(axis=1) > 1):
        return
    rows, columns = list(range(len(x))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(columns)
    one, two = (
        gwet_ac(ratings(m, levels=[1, 2, 3], scale="nominal"))
        for m in (x, (4 - x)[rows][:, columns])
    )
    a, b = one.rows[0], two.rows[0]
    assert a.estimate == pytest.approx(b.estimate, abs=1e-12)
    assert (a.std_error is None) == (b.std_error is None)
    if a.std_error is not None:
        assert a.std_error == pytest.approx(b.std_error, rel=1e-9)
    assert one.verify().ok


@pytest.mark.parametrize(
    "field", ["std_error", "conf_low", "conf_high", "statistic", "df", "p_value"]
)
@pytest.mark.parametrize(
    "metric", [gwet_ac, socialstats.fleiss_kappa, socialstats.krippendorff_alpha]
)
def test_the_check_notices_every_number_of_the_row(metric, field):
    random = np.random.default_rng(4)
    base = random.integers(0, 3, 40)
    table = np.where(
        random.random((40, 3)) < 0.6, base[:, None], random.integers(0, 3, (40, 3))
    ).astype(float)
    result = metric(
        ratings(table, {"story": [i % 9 for i in range(40)]}, levels=[0, 1, 2], scale="nominal")
    )
    assert result.verify().ok
    row = replace(result.rows[0], **{field: getattr(result.rows[0], field) * 1.001})
    assert not replace(result, rows=(row, *result.rows[1:])).verify().ok
