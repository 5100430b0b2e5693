from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr, stdtr
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from tests.golden_data import golden, golden_frame
from tests.rated import ratings

WEIGHTS = ("unweighted", "linear", "quadratic", "ordinal")
LEVELS = {"alpha_krippendorff_4x12": [1, 2, 3, 4, 5], "agree_anxiety": [1, 2, 3, 4, 5, 6]}
FLEISS1971 = [  # counts of Fleiss's (1971) table 1, first ten of 30 patients, six raters, five diagnoses
    [0, 0, 0, 6, 0],
    [0, 3, 0, 0, 3],
    [0, 1, 4, 0, 1],
    [0, 0, 0, 0, 6],
    [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2],
    [2, 0, 3, 1, 0],
    [2, 0, 0, 4, 0],
    [0, 0, 0, 0, 6],
]


def golden_design(name, **options):
    matrix = golden_frame(f"{name}.csv").replace("", np.nan).to_numpy(dtype=float)
    return ratings(matrix, levels=LEVELS[name], **options)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", list(LEVELS))
def test_what_irrcac_printed(name, weights):
    result = fleiss_kappa(golden_design(name), weights=weights)
    entry = golden(name)["r"]["irrCAC"][f"fleiss.kappa.raw {weights}"]
    row = result.row("kappa")
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
    conger = golden(name)["r"]["irrCAC"][f"conger.kappa.raw {weights}"]
    assert result.extras["conger_chance"] == pytest.approx(conger["pe"], rel=1e-12)
    assert result.extras["conger"] == pytest.approx(conger["coeff.val"], abs=0.51e-5)
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
    want = entry["fleiss"][weights]
    result = fleiss_kappa(design, weights=weights)
    row = result.row("kappa")
    found = (row.estimate, row.std_error, row.conf_low, row.conf_high, row.p_value, row.df)
    assert found == pytest.approx(
        [want[k] for k in ("value", "std_error", "low", "high", "p", "df")], rel=1e-9
    )
    assert result.extras["conger_chance"] == pytest.approx(entry["conger_pe"][weights], rel=1e-12)


def test_the_null_test_is_irrs_and_stands_alone():
    entry = golden("agree_anxiety")["r"]
    result = fleiss_kappa(golden_design("agree_anxiety"))
    null, row = result.row("null test"), result.row("kappa")
    assert row.estimate == pytest.approx(entry["kappam_fleiss"]["value"], rel=1e-12)
    assert null.statistic == pytest.approx(entry["kappam_fleiss"]["z"], rel=1e-10)
    assert null.p_value == pytest.approx(entry["kappam_fleiss"]["p"], rel=1e-10)
    assert (null.estimate, null.std_error, null.conf_low) == (None, None, None)
    assert "not for intervals" in null.method
    assert row.std_error != pytest.approx(
        row.estimate / null.statistic, rel=0.05
    )  # the s.e. under kappa = 0
    assert result.extras["conger"] == pytest.approx(entry["kappam_fleiss_exact_conger"], rel=1e-12)
    assert golden("agreement")["anxiety"]["fleiss_null"]["z"] == pytest.approx(
        null.statistic, rel=1e-10
    )


def test_the_null_test_only_where_its_standard_error_holds():
    anxiety = golden_design("agree_anxiety")
    assert len(fleiss_kappa(anxiety).rows) == 2
    assert len(fleiss_kappa(anxiety, weights="linear").rows) == 1
    assert (
        len(fleiss_kappa(golden_design("alpha_krippendorff_4x12")).rows) == 1
    )  # unequal numbers of raters
    matrix = golden_frame("agree_anxiety.csv").to_numpy(dtype=float)
    clustered = ratings(matrix, {"story": [f"s{k // 2}" for k in range(20)]})
    assert len(fleiss_kappa(clustered).rows) == 1
    assert len(fleiss_kappa(clustered, cluster=None).rows) == 2


def test_counts_of_levels_without_names_of_raters():
    design = Ratings.from_counts(
        pd.DataFrame(FLEISS1971, columns=list("abcde")), columns=list("abcde"), scale="nominal"
    )
    result = fleiss_kappa(design)
    assert result.row("kappa").estimate == pytest.approx(
        statsmodels_kappa(np.array(FLEISS1971)), rel=1e-12
    )
    assert result.row("kappa").n_units == 10
    assert result.extras["conger"] is None  # it needs to know who is who
    assert "raters" not in result.counts
    assert result.verify().ok
    assert {c.package for c in result.verify() if c.ok} == {"numpy", "scipy", "statsmodels"}
    with pytest.raises(InputError, match="names"):
        fleiss_kappa(design, raters=["1", "2"])


def test_two_raters_are_scotts_pi():
    frame = golden_frame("cac_table_abstractors.csv")
    table = pd.DataFrame(
        frame.to_numpy(dtype=int), index=list(frame.columns), columns=list(frame.columns)
    )
    design = Ratings.from_table(table, levels=list(frame.columns), scale="ordinal")
    for weights in ("unweighted", "linear", "quadratic"):
        want = golden("cac_table_abstractors")["r"][f"scott2.table {weights}"]
        cohen = golden("cac_table_abstractors")["r"][f"kappa2.table {weights}"]
        result = fleiss_kappa(design, weights=weights)
        assert result.row("kappa").estimate == pytest.approx(want["coeff.val"], rel=1e-12)
        # irrCAC divides by n in its functions of a table, and by n - 1 in those of raw ratings, which are followed here
        assert result.row("kappa").std_error * np.sqrt(99 / 100) == pytest.approx(
            want["coeff.se"], rel=1e-10
        )
        assert result.extras["conger"] == pytest.approx(
            cohen["coeff.val"], rel=1e-12
        )  # Conger's is Cohen's for two
        assert result.verify().ok


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_bootstrap_of_units(ci):
    matrix = np.array(golden("agreement")["made"]["ratings"], dtype=float)
    row = fleiss_kappa(ratings(matrix, levels=[1, 2, 3, 4, 5]), ci=ci, seed=3).row("kappa")
    closed = fleiss_kappa(ratings(matrix, levels=[1, 2, 3, 4, 5])).row("kappa")
    assert row.conf_low < row.estimate < row.conf_high
    assert row.std_error == pytest.approx(closed.std_error, rel=0.15)
    assert row.p_value is None


@pytest.mark.slow
def test_the_null_z_is_standard_normal_where_raters_guess():
    rng = np.random.default_rng(4)
    z = []
    for _ in range(300):
        x = rng.choice([1.0, 2.0, 3.0], p=[0.5, 0.3, 0.2], size=(60, 4))
        z.append(fleiss_kappa(ratings(x, levels=[1, 2, 3])).row("null test").statistic)
    # s.e. of the mean .058, of the sd .041
    assert abs(np.mean(z)) < 0.2
    assert abs(np.std(z) - 1) < 0.15
    assert ndtr(0) == 0.5


def test_the_table_of_bad_input():
    same = ratings([[1, 1], [1, 1], [1, 1]], levels=[1, 2])
    row = fleiss_kappa(same).row("kappa")
    assert row.estimate is None
    assert "no variation" in row.undefined
    assert len(fleiss_kappa(same).rows) == 1
    assert fleiss_kappa(same, on_undefined=1.0).row("kappa").estimate == 1
    with pytest.raises(UndefinedStatistic):
        fleiss_kappa(same, on_undefined="raise")
    perfect = fleiss_kappa(ratings([[1, 1], [2, 2], [1, 1]])).row("kappa")
    assert (perfect.estimate, perfect.std_error, perfect.p_value, perfect.conf_high) == (
        1,
        None,
        None,
        1,
    )
    assert perfect.conf_low == pytest.approx(
        1 - (1 - 0.025 ** (1 / 3)) / (4 / 9)
    )  # Clopper and Pearson's end of 0 of 3
    with pytest.raises(NothingToAnalyse):
        fleiss_kappa(ratings([[1], [2]]))
    opposite = fleiss_kappa(ratings([[1, 2]] * 4)).row("kappa")
    assert opposite.estimate == pytest.approx(-1)
    assert math.isclose(opposite.n_units, 4)
    assert "alike" in opposite.undefined


def test_weights_under_which_all_given_levels_agree():
    result = fleiss_kappa(
        ratings([[1, 2], [2, 1], [1, 1]], levels=[1, 2, 3]),
        weights=[[1, 1, 0], [1, 1, 0], [0, 0, 1]],
    )
    assert result.row("kappa").estimate is None
    assert "weights" in result.row("kappa").undefined


def test_a_stratum_without_ratings_has_no_coefficient_to_recompute() -> None:
    rows = {
        "unit": [1, 1, 2, 2, 3, 3, 4, 4],
        "rater": ["a", "b"] * 4,
        "value": ["x", "x", "x", "y", "y", "y", None, None],
        "site": ["p"] * 6 + ["q"] * 2,
    }
    result = fleiss_kappa(rows, strata="site", stratum="site", scale="nominal")
    assert result.verify().ok
