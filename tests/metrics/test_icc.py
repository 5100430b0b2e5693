"""ICC(2,1): psych's values, what does not exist, copies, missing ratings, clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.agreement.icc import MeanSquares, df_between_units
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from tests.golden_data import golden

GOLDEN = golden("icc")


def table(name: str) -> pd.DataFrame:
    rows = np.array(GOLDEN[name], dtype=float)
    return pd.DataFrame(rows, columns=[f"r{k}" for k in range(rows.shape[1])])


@pytest.mark.parametrize("name", ["shrout", "simulated"])
def test_psych_gives_the_same(name: str) -> None:
    rows = table(name)
    result = ss.icc(rows, raters=list(rows.columns), ci="f")
    wanted = GOLDEN[f"{name}_icc"]
    row, test = result.row("ICC(2,1)"), result.row("units")
    for field in ("estimate", "conf_low", "conf_high"):
        assert getattr(row, field) == pytest.approx(wanted[field], rel=1e-9), field
    for field in ("statistic", "df", "p_value"):
        assert getattr(test, field) == pytest.approx(wanted[field], rel=1e-9), field
    assert f"{wanted['df_denominator']} denominator df" in test.method
    assert result.verify().ok
    assert result.to_dict()["terms"][1]["df"] == wanted["df"]


def test_clusters_make_the_interval_longer_and_take_the_f_test_away() -> None:
    rows = table("simulated").assign(school=GOLDEN["group"])
    names = ["r0", "r1", "r2"]
    clustered = ss.icc(rows, raters=names, cluster="school")
    independent = ss.icc(rows, raters=names)
    assert clustered.rows[0].estimate == independent.rows[0].estimate
    assert clustered.rows[0].n_clusters == 12
    assert [row.term for row in clustered.rows] == ["ICC(2,1)"]
    width = [row.conf_high - row.conf_low for row in (clustered.rows[0], independent.rows[0])]
    assert width[0] > width[1]
    assert clustered.extras["df_units"] < independent.extras["df_units"]
    assert clustered.verify().ok


BOUNDS: dict[str, tuple[str, list[float], list[int] | None]] = {
    "even units": ("n - 1", [-1.0, 1, -1, 1], None),
    "a far unit": ("units", [0.0, 0, 0, 0, 0, 0, 1, 10], None),
    "a far cluster": ("clusters", [9.0, -9, 1, -1, 1, -1, 2, -2], [0, 0, 1, 1, 2, 2, 3, 3]),
    "alike units": (
        "pairs",
        [-1.0, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
    ),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_df_of_units_are_the_least_of_four_bounds(case: str) -> None:
    lead, values, clusters = BOUNDS[case]
    means, n = np.array(values), len(values)
    deviation = means - means.mean()
    variance = means.var(ddof=1)
    moves = deviation**2 / (n - 1) - variance / n
    bounds = {"n - 1": n - 1.0}
    if moves.any():
        bounds["units"] = 2 * variance**2 / (moves @ moves * n / (n - 1))
    if clusters is not None:
        groups = [np.flatnonzero(np.array(clusters) == k) for k in sorted(set(clusters))]
        squares = [moves[g].sum() ** 2 / (1 - len(g) / n) for g in groups]
        bounds["clusters"] = 2 * variance**2 / sum(squares) if sum(squares) > 1e-20 else np.inf
        pairs = [deviation[i] * deviation[j] for g in groups for i in g for j in g if i != j]
        correlation = max(np.mean(pairs) / variance, 0.0)
        bounds["pairs"] = n**2 / (n + len(pairs) * correlation**2) - 1
    assert min(bounds, key=bounds.__getitem__) == lead, bounds
    codes = [] if clusters is None else [np.array(clusters)]
    df = df_between_units(means, np.ones(n), codes)
    assert df == pytest.approx(max(1.0, bounds[lead]), rel=1e-9)
    assert df > 1


def test_the_generalized_interval_has_the_quantiles_of_drawn_mean_squares() -> None:
    rows = table("simulated")
    result = ss.icc(rows, raters=list(rows.columns), level=0.9)
    squares = MeanSquares(n=len(rows), k=3, **result.extras["mean_squares"])
    rng = np.random.default_rng(1)
    units = squares.units * result.extras["df_units"]
    units = units / rng.chisquare(result.extras["df_units"], 10**6)
    raters = squares.raters * 2 / rng.chisquare(2, 10**6)
    error = squares.error * 2 * (len(rows) - 1) / rng.chisquare(2 * (len(rows) - 1), 10**6)
    drawn = MeanSquares(units=units, raters=raters, error=error, n=len(rows), k=3).icc
    row = result.rows[0]
    assert (row.conf_low, row.conf_high) == pytest.approx(
        np.quantile(drawn, [0.05, 0.95]), abs=3e-3
    )


@pytest.mark.parametrize("ci", ["generalized", "f"])
def test_every_number_is_recomputed(ci: str) -> None:
    rows = table("simulated")
    verification = ss.icc(rows, raters=list(rows.columns), ci=ci).verify()
    assert verification.ok
    kinds = verification.recomputed().kinds
    assert all(kind.unchecked == 0 for name, kind in kinds.items() if name != "counts")


@pytest.mark.parametrize("n", [17, 40])
def test_intervals_of_skewed_units_are_recomputed(n: int) -> None:
    rng = np.random.default_rng(n)
    scores = rng.exponential(size=(n, 1)) ** 1.5 + rng.normal(size=(n, 3))
    result = ss.icc(dict(zip("abc", scores.T, strict=True)), raters=list("abc"), scale="interval")
    assert result.extras["df_units"] < 0.95 * (n - 1)
    assert result.verify().ok


def test_far_units_are_cautioned() -> None:
    rng = np.random.default_rng(5)
    units = np.append(rng.normal(size=40), 12.0)
    scores = units[:, None] + rng.normal(size=(41, 3))
    result = ss.icc(dict(zip("abc", scores.T, strict=True)), raters=list("abc"))
    assert "SS317" in {caution.code for caution in result.cautions}
    plain = ss.icc(dict(zip("abc", scores[:40].T, strict=True)), raters=list("abc"))
    assert "SS317" not in {caution.code for caution in plain.cautions}


def test_a_rater_who_is_always_higher_lowers_it() -> None:
    scores = np.array([1.0, 2, 3, 4, 5, 6])
    wobble = np.array([0.1, -0.1, 0.2, -0.2, 0.1, -0.1])
    same = ss.icc({"a": scores, "b": scores + wobble}, raters=["a", "b"])
    higher = ss.icc({"a": scores, "b": scores + 2 + wobble}, raters=["a", "b"])
    assert same.rows[0].estimate > 0.99
    # of two raters: 2 S_ab / (S_a + S_b + d^2 - S_d / n), d the difference of their means
    cov = np.cov(scores, scores + wobble)
    gap, spread = 2 + wobble.mean(), np.var(wobble, ddof=1) / len(scores)
    by_hand = 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + gap**2 - spread)
    assert higher.rows[0].estimate == pytest.approx(by_hand, rel=1e-12)
    assert higher.extras["mean_squares"]["error"] == pytest.approx(
        same.extras["mean_squares"]["error"]
    )


def test_scale_and_place_of_the_scores_change_nothing() -> None:
    rows = table("shrout")
    names = list(rows.columns)
    base = ss.icc(rows, raters=names).rows[0]
    for other in (rows * 1e150, rows * 1e-150, rows + 1e6, -3 * rows + 7):
        row = ss.icc(other, raters=names).rows[0]
        assert row.estimate == pytest.approx(base.estimate, rel=1e-6)
        assert row.conf_high == pytest.approx(base.conf_high, rel=1e-6)


def test_alike_units_counted_are_units() -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, 80)
    rows = pd.DataFrame({"a": a, "b": np.clip(a + rng.integers(-1, 2, 80), 0, 3)})
    counted = rows.value_counts().reset_index(name="times")
    names = ["a", "b"]
    one = ss.icc(rows, raters=names, scale="ordinal").rows[0]
    two = ss.icc(counted, raters=names, scale="ordinal", count="times").rows[0]
    assert (two.estimate, two.conf_low, two.n) == pytest.approx(
        (one.estimate, one.conf_low, one.n), rel=1e-12
    )


def test_units_with_a_missing_rating_are_left_out_and_told() -> None:
    rows = table("simulated")
    complete = ss.icc(rows.iloc[2:], raters=list(rows.columns))
    rows.iloc[0, 1] = np.nan
    rows.iloc[1, :] = np.nan
    result = ss.icc(rows, raters=list(rows.columns))
    assert result.rows[0].estimate == pytest.approx(complete.rows[0].estimate, rel=1e-12)
    assert result.counts["units"] == len(rows) - 2
    told = {caution.code: caution.detail for caution in result.cautions}
    assert "without a rating of each rater" in told["SS301"]


def test_what_does_not_exist_says_why() -> None:
    names = ["a", "b"]
    flat = ss.icc({"a": [2, 2, 2], "b": [2, 2, 2]}, raters=names, scale="interval").rows[0]
    assert (flat.estimate, flat.reason) == (None, "no_variation")
    perfect = ss.icc({"a": [1, 2, 3], "b": [1, 2, 3]}, raters=names, scale="interval").rows[0]
    assert (perfect.estimate, perfect.conf_low, perfect.reason) == (1.0, None, "perfect_agreement")
    with pytest.raises(NothingToAnalyse, match="2 units with a rating of each of the 2 raters"):
        ss.icc({"a": [1, 2], "b": [2, 1]}, raters=names, scale="interval")
    with pytest.raises(InputError, match="order of the levels"):
        ss.icc({"a": ["x", "y", "x"], "b": ["y", "x", "y"]}, raters=names, scale="nominal")
    with pytest.raises(UndefinedStatistic, match="two raters"):
        ss.icc({"unit": [1, 2, 3], "rater": ["a"] * 3, "value": [1, 2, 3]}, scale="interval")
    rows = table("simulated").assign(school=GOLDEN["group"])
    with pytest.raises(InputError, match="takes units as independent"):
        ss.icc(rows, raters=["r0", "r1", "r2"], cluster="school", ci="f")


def test_mean_squares_of_0_have_intervals() -> None:
    names = ["a", "b"]
    # means of units and of raters are alike: -1 / (k - 1 - k / n), whatever the residual is
    opposite = ss.icc({"a": [1, 2, 3, 4, 5, 6], "b": [6, 5, 4, 3, 2, 1]}, raters=names).rows[0]
    assert opposite.estimate == pytest.approx(-1.5)
    assert (opposite.conf_low, opposite.undefined) == (None, "the interval has no width")
    # units without variance, whose sum of squares comes out below 0, and raters who differ by a constant
    names = list("abcde")
    constant = {name: [k] * 3 for k, name in zip((1, 1, 1, 1, 2), names, strict=True)}
    row = ss.icc(constant, raters=names, scale="interval").rows[0]
    assert (row.estimate, row.conf_low, row.undefined) == (0, None, "the interval has no width")
    names = ["a", "b"]
    # raters alike in their means, and raters who differ by a constant alone
    alike = ss.icc({"a": [1, 2, 3, 4, 5, 6], "b": [2, 1, 4, 3, 6, 5]}, raters=names).rows[0]
    assert alike.conf_low < alike.estimate < alike.conf_high < 1
    shifted = {"a": [1, 2, 3, 4, 5, 6], "b": [3, 4, 5, 6, 7, 8]}
    row = ss.icc(shifted, raters=names).rows[0]
    assert 0 <= row.conf_low < row.estimate < row.conf_high <= 1
    assert "by which F divides" in ss.icc(shifted, raters=names, ci="f").rows[0].undefined


def test_the_sentence_has_units_and_raters() -> None:
    rows = table("shrout")
    sentence = ss.icc(rows, raters=list(rows.columns)).sentence()
    assert sentence == (
        "The intraclass correlation of single ratings was .290, approximate 95% CI [.027, .745] "
        "(24 ratings of 6 units)."
    )
