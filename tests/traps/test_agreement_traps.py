"""docs/agreement-traps.md: every number it prints of another package and of ours, computed here.

A newer release of a package may cure its trap; the test of its number is then skipped with both versions, and the page
has to be written again. Our own number is always tested.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.results import Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agreement-traps.md"
SEEN_WITH = {
    "statsmodels": "0.15.0",
    "scikit-learn": "1.9.1",
    "krippendorff": "0.9.0",
    "pingouin": "0.7.0",
    "scipy": "1.17.1",
}
SLEEP = (
    np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]),
    np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]),
)
WORDS = (
    ["low", "medium", "high", "high", "low", "medium", "medium", "high"],
    ["low", "low", "high", "medium", "low", "medium", "high", "high"],
)
GAPS = ([1, 2, 5, 5, 1, 2, 2, 5], [1, 1, 5, 2, 1, 2, 5, 5])
THREE = np.array(
    [[1, 2, 3, 3, 2, 1, 2, 3], [1, 2, 3, 3, 2, 2, 3, 3], [np.nan, 3, 3, 3, 2, 1, 1, 3]]
)
TIMES_40 = 40 * np.array([[2, 1, 0], [0, 3, 0], [0, 0, 3], [1, 0, 2], [3, 0, 0], [0, 1, 2]])
SINGULAR = np.array([[1, 0.5, -0.5], [0.5, 1, 0.5], [-0.5, 0.5, 1]])


def theirs(package: str, call: Callable[[], float], seen: float) -> None:
    """The number that the page prints; skipped where another release gives another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(call())
    same = (math.isnan(found) and math.isnan(seen)) or found == pytest.approx(
        seen, abs=6e-4, rel=6e-4
    )
    if not same and version(package) != SEEN_WITH[package]:
        pytest.skip(f"{package} {version(package)} gives {found}, {SEEN_WITH[package]} gave {seen}")
    assert same, (package, found, seen)


def kappa(first, second, **options):
    wide = {"a": first, "b": second}
    design = ss.Ratings.from_wide(
        wide,
        raters_in="columns",
        **{k: options.pop(k) for k in ("levels", "scale") if k in options},
    )
    return ss.weighted_kappa(design, **options).rows[0]


def paired(first, second):
    return ss.Paired.from_wide({"x": first, "y": second}, first="x", second="y", scale="numeric")


def quoted(*texts):
    """All texts stand on the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert [text for text in texts if text not in page] == []


# --- McNemar ------------------------------------------------------------------------------------------------------


def statsmodels_mcnemar(table, **options):
    from statsmodels.stats.contingency_tables import mcnemar

    return mcnemar(table, **options)


def test_correction_where_both_sides_are_equal():
    row = ss.mcnemar(ss.Paired.from_table([[10, 5], [5, 10]])).row("continuity")
    assert (row.statistic, row.p_value) == (0.0, 1.0)
    quoted("0.1 (p .752)")
    theirs(
        "statsmodels", lambda: statsmodels_mcnemar([[10, 5], [5, 10]], exact=False).statistic, 0.1
    )
    theirs(
        "statsmodels", lambda: statsmodels_mcnemar([[10, 5], [5, 10]], exact=False).pvalue, 0.7518
    )


def test_no_discordant_pair():
    result = ss.mcnemar(ss.Paired.from_table([[10, 0], [0, 10]]))
    assert {row.term: row.p_value for row in result.rows if row.group == "test"} == {
        "mid_p": 1.0,
        "exact": 1.0,
        "asymptotic": None,
        "continuity": None,
    }
    assert result.row("odds_ratio").undefined
    quoted("p = 0.0")
    theirs("statsmodels", lambda: statsmodels_mcnemar([[10, 0], [0, 10]], exact=False).pvalue, 0.0)


def test_negative_counts():
    with pytest.raises(ss.InputError, match="-3"):
        ss.Paired.from_table([[10, -3], [8, 10]])
    theirs("statsmodels", lambda: statsmodels_mcnemar([[10, -3], [8, 10]], exact=True).pvalue, 0.0)


def test_odds_ratio_of_pairs():
    from statsmodels.stats.contingency_tables import Table2x2

    result = ss.mcnemar(ss.Paired.from_table([[570, 86], [150, 794]]))
    assert result.row("odds_ratio", group=result.rows[0].group or None).estimate == pytest.approx(
        150 / 86
    )
    quoted("35.08", "1.744")
    theirs("statsmodels", lambda: Table2x2([[794, 150], [86, 570]]).oddsratio, 35.084)


def test_symmetry_with_an_empty_cell():
    from statsmodels.stats.contingency_tables import SquareTable

    design = ss.Paired.from_table([[10, 0], [5, 3]], scale="nominal")
    bowker = next(row for row in ss.symmetry(design).rows if row.statistic is not None)
    assert bowker.statistic == pytest.approx(5.0)
    assert bowker.p_value == pytest.approx(0.02535, abs=1e-5)
    quoted("3.68 (p .055)", "5.00 (p .025)")
    theirs(
        "statsmodels", lambda: SquareTable(np.array([[10, 0], [5, 3]])).symmetry().statistic, 3.6818
    )


# --- kappa --------------------------------------------------------------------------------------------------------


def sklearn_kappa(first, second, **options):
    from sklearn.metrics import cohen_kappa_score

    return cohen_kappa_score(first, second, **options)


def test_words_have_no_order_of_their_own():
    levels = ["low", "medium", "high"]
    row = kappa(*WORDS, levels=levels, scale="ordinal", weights="linear")
    assert row.estimate == pytest.approx(0.5862, abs=1e-4)
    assert row.estimate == pytest.approx(
        sklearn_kappa(*WORDS, weights="linear", labels=levels), abs=1e-12
    )
    with pytest.raises(ss.InputError, match="levels"):
        kappa(*WORDS, scale="ordinal", weights="linear")
    quoted(".310", ".586")
    theirs("scikit-learn", lambda: sklearn_kappa(*WORDS, weights="linear"), 0.3103)
    ordered = [pd.Categorical(words, categories=levels, ordered=True) for words in WORDS]
    theirs("scikit-learn", lambda: sklearn_kappa(*ordered, weights="linear"), 0.3103)


def test_levels_that_nobody_chose():
    row = kappa(*GAPS, levels=[1, 2, 3, 4, 5], scale="ordinal", weights="linear")
    assert row.estimate == pytest.approx(0.5254, abs=1e-4)
    quoted(".586", ".525")
    theirs("scikit-learn", lambda: sklearn_kappa(*GAPS, weights="linear"), 0.5862)


def test_labels_that_leave_rows_out():
    with pytest.raises(ss.InputError, match="3"):
        kappa([1, 2, 3, 3, 1], [1, 1, 3, 2, 1], levels=[1, 2], scale="nominal")
    quoted("`labels=[1, 2]`")
    theirs(
        "scikit-learn", lambda: sklearn_kappa([1, 2, 3, 3, 1], [1, 1, 3, 2, 1], labels=[1, 2]), 0.0
    )


def test_both_raters_constant():
    row = kappa([1, 1, 1], [1, 1, 1], levels=[1, 2], scale="nominal")
    assert row.estimate is None
    assert "no variation" in row.undefined
    theirs("scikit-learn", lambda: sklearn_kappa([1, 1, 1], [1, 1, 1]), math.nan)


def test_agreement_weights_taken_for_disagreement():
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.array([[11, 1, 1], [2, 3, 1], [4, 2, 5]])
    agreement = 1 - np.abs(np.subtract.outer(range(3), range(3))) / 2
    design = ss.Ratings.from_table(table, levels=[1, 2, 3], scale="ordinal")
    assert ss.weighted_kappa(design, weights=agreement).rows[0].estimate == pytest.approx(
        0.4313, abs=1e-4
    )
    with pytest.raises(ss.InputError):
        ss.weighted_kappa(design, weights=agreement, kind="disagreement")
    quoted("−.381", ".431")
    theirs(
        "statsmodels", lambda: cohens_kappa(table, weights=agreement, return_results=False), -0.3808
    )


# --- alpha --------------------------------------------------------------------------------------------------------


def krippendorff_alpha(*data, **options):
    import krippendorff

    return krippendorff.alpha(*data, **options)


def alpha(table, **options):
    wide = {f"r{k}": row for k, row in enumerate(table)}
    return (
        ss.krippendorff_alpha(ss.Ratings.from_wide(wide, raters_in="columns", **options))
        .rows[0]
        .estimate
    )


def test_order_of_the_value_domain():
    assert alpha(THREE, scale="ordinal") == pytest.approx(0.6812, abs=1e-4)
    quoted(".681", ".579")
    options = {"level_of_measurement": "ordinal"}
    assert krippendorff_alpha(THREE, **options) == pytest.approx(0.6812, abs=1e-4)
    theirs(
        "krippendorff", lambda: krippendorff_alpha(THREE, value_domain=[3, 1, 2], **options), 0.5793
    )


def test_units_and_raters_exchanged():
    with pytest.raises(TypeError, match="raters_in"):
        ss.Ratings.from_wide(THREE)
    quoted("−.081")
    theirs(
        "krippendorff", lambda: krippendorff_alpha(THREE.T, level_of_measurement="ordinal"), -0.0813
    )


@pytest.mark.parametrize(("kind", "seen"), [("int8", -0.020687), ("uint8", -2.12073)])
def test_small_integers_wrap(kind, seen):
    columns = {str(level): TIMES_40[:, k].astype(kind) for k, level in enumerate((1, 2, 3))}
    design = ss.Ratings.from_counts(pd.DataFrame(columns), columns=["1", "2", "3"], scale="ordinal")
    assert ss.krippendorff_alpha(design).rows[0].estimate == pytest.approx(0.6894, abs=1e-4)
    quoted("−0.021, −2.121", ".689")
    options = {"level_of_measurement": "ordinal", "value_domain": [1, 2, 3]}
    theirs(
        "krippendorff",
        lambda: krippendorff_alpha(value_counts=TIMES_40.astype(kind), **options),
        seen,
    )


# --- differences of pairs -----------------------------------------------------------------------------------------


def test_effect_size_of_a_paired_t_test():
    import pingouin

    result = ss.effect_sizes(paired(*SLEEP), ci="noncentral_t")
    row = result.row("d_z")
    assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx(
        (-1.2846, -2.1180, -0.4146), abs=1e-4
    )
    assert result.row("g_z").estimate == pytest.approx(-1.1739, abs=1e-4)
    quoted(
        "0.832",
        "−1.285",
        "[−2.251, −0.318]",
        "[−2.118, −0.415]",
        "−0.797",
        "−1.174",
        ".650",
        ".950",
    )
    theirs("pingouin", lambda: pingouin.ttest(*SLEEP, paired=True)["cohen_d"].iloc[0], 0.83218)
    theirs("pingouin", lambda: pingouin.ttest(*SLEEP, paired=True)["power"].iloc[0], 0.65004)
    theirs(
        "pingouin", lambda: pingouin.compute_effsize(*SLEEP, paired=True, eftype="hedges"), -0.79702
    )
    options = {"nx": 10, "ny": 10, "paired": True, "decimals": 4}
    theirs("pingouin", lambda: pingouin.compute_esci(-1.28456, **options)[0], -2.2510)
    assert ss.power_paired_t(n=10, effect=row.estimate).row("power").estimate == pytest.approx(
        0.950, abs=5e-4
    )


def test_lengths_that_do_not_match():
    import pingouin

    with pytest.raises(ss.InputError):
        paired([1, 2, 3, 4], [2, 3, 5])
    quoted("3.96")
    theirs(
        "pingouin",
        lambda: pingouin.ttest([1, 2, 3, 4], [2, 3, 5], paired=True)["dof"].iloc[0],
        3.9593,
    )


def test_unsigned_numbers_wrap():
    from scipy.stats import ttest_rel

    x, y = (np.array(v, dtype=np.uint8) for v in ([1, 2, 3], [2, 4, 9]))
    assert ss.paired_difference(paired(x, y)).rows[0].statistic == pytest.approx(-1.96396, abs=1e-5)
    quoted("165.6", "−1.964")
    theirs("scipy", lambda: ttest_rel(x, y).statistic, 165.627)


def test_missing_values_in_a_permutation_test():
    from scipy.stats import permutation_test

    d = np.array([0.2, 0.4, -0.1, np.nan, 0.3, 0.1])
    with pytest.raises(ss.InputError):
        ss.Paired.one_sample(d)
    theirs("scipy", lambda: permutation_test((d,), np.mean, permutation_type="samples").pvalue, 0.0)


def test_differences_that_are_all_equal():
    from scipy.stats import ttest_rel

    x = np.array([0.1, 0.2, 0.3, 0.7])
    row = ss.paired_difference(paired(x, x + 1)).rows[0]
    assert row.p_value is None
    assert "equal" in row.undefined
    theirs("scipy", lambda: ttest_rel(x, x + 1).pvalue, 0.0)


def test_clusters_that_are_alike():
    from statsmodels.regression.linear_model import OLS

    d, group = np.tile([0.3, 1.2, -0.4, 0.9], 10), np.repeat(np.arange(10), 4)
    row = ss.paired_difference(
        {"x": d, "y": 0 * d, "g": group}, first="x", second="y", cluster="g"
    ).rows[0]
    assert row.p_value is None
    assert row.undefined.startswith("the clusters are alike")
    quoted("undefined: the clusters are alike")
    fit = OLS(d, np.ones(40))
    theirs(
        "statsmodels",
        lambda: fit.fit(cov_type="cluster", cov_kwds={"groups": group}).pvalues[0],
        0.0,
    )


# --- families -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_missing_p_values_and_impossible_ones():
    from statsmodels.stats.multitest import multipletests

    ours = [row.p_adjusted for row in ss.adjust([0.01, math.nan, 0.03]).rows]
    assert ours == [0.02, None, 0.03]
    with pytest.raises(ss.InputError, match=r"1\.5"):
        ss.adjust([0.01, 1.5])
    quoted(".03 and .06", ".02 and .03")
    theirs("statsmodels", lambda: multipletests([0.01, math.nan, 0.03], method="holm")[1][2], 0.06)
    theirs(
        "statsmodels",
        lambda: multipletests([0.01, math.nan, 0.03], method="fdr_bh")[1][0],
        math.nan,
    )
    theirs("statsmodels", lambda: multipletests([0.01, 1.5], method="holm")[1][1], 1.0)


def test_multivariate_t_with_singular_correlations():
    from scipy.stats import multivariate_t

    t = 3.80185600780486
    rows = [
        Row(
            term=str(k),
            estimate=t,
            std_error=1.0,
            statistic=t,
            df=50.0,
            p_value=0.000391384184576626,
        )
        for k in range(3)
    ]
    found = ss.adjust(rows, method="max_t_single_step", covariance=SINGULAR, draws=400_000)
    assert found.rows[0].p_adjusted == pytest.approx(0.00112, abs=3e-4)  # R multcomp: .00112
    quoted(".0011", ".0106")
    options = {"shape": SINGULAR, "df": 50, "allow_singular": True, "random_state": 1}
    theirs(
        "scipy", lambda: 1 - multivariate_t.cdf([t] * 3, lower_limit=[-t] * 3, **options), 0.010593
    )
