from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.preference_shares import preference_shares, size_caution
from socialstats.datasets import journal_citations
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling import order_quantile
from socialstats.shares.counts import group_shares, share_gradient

STRENGTHS = {"a": 1.0, "b": -0.5, "c": 0.2, "d": -1.0, "e": 0.3}
GROUPS = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}


class Fake:
    """A fit with known strengths and normal refits."""

    def __init__(self, strengths=STRENGTHS, lost=0, error=0.2):
        self.strengths = dict(strengths)
        self.names = tuple(strengths)
        self.counts = {"rows": 100}
        self.design, self.settings, self.cautions = None, {}, ()
        self.lost, self.error = lost, error

    def errors_of(self, items, gradient):
        return self.error * np.sqrt((gradient**2).sum(axis=1)), np.full(len(gradient), np.inf), ""

    def bootstrap(self, *, by, resamples, seed):
        rng = np.random.default_rng(seed)
        drawn = np.array(list(self.strengths.values())) + self.error * rng.normal(
            size=(resamples, len(self.strengths))
        )
        drawn[: self.lost] = np.nan
        return SimpleNamespace(strengths=drawn, n_degenerate=self.lost)


def by_loop(strengths, scale):
    means = {}
    for g in "xyz":
        own = [strengths[i] for i in strengths if GROUPS[i] == g]
        means[g] = np.mean(np.exp(own)) if scale == "arithmetic" else np.exp(np.mean(own))
    return {g: means[g] / sum(means.values()) for g in "xyz"}


def test_the_test_of_an_equal_geometric_share_of_two_groups_is_that_of_the_contrast_of_their_means():
    fit = bradley_terry(
        Comparisons.from_counts(journal_citations()), cluster="declared", order=False
    )
    items = fit.items
    groups = {item: "one" if k < 3 else "two" for k, item in enumerate(items)}
    weights = {item: 1 / 3 if k < 3 else -1 / (len(items) - 3) for k, item in enumerate(items)}
    known = fit.contrast(weights).rows[0]
    one, two = preference_shares(fit, groups, ci="delta", scale="geometric").rows
    assert (one.statistic, one.p_value) == pytest.approx((known.statistic, known.p_value), rel=1e-9)
    assert (two.statistic, two.p_value) == pytest.approx(
        (-known.statistic, known.p_value), rel=1e-9
    )
    assert (one.test, one.df) == (known.test or "z", known.df)


@pytest.mark.parametrize("scale", ["arithmetic", "geometric"])
def test_shares_sizes_and_portions_by_the_definition(scale):
    result = preference_shares(Fake(), GROUPS, scale=scale, ci="basic", resamples=99)
    for g, share in by_loop(STRENGTHS, scale).items():
        row = result.row(g, group=scale)
        assert row.estimate == pytest.approx(share, abs=1e-12)
        assert row.n_units == list(GROUPS.values()).count(g)
        assert row.conf_low < share < row.conf_high
    assert sum(r.estimate for r in result.rows) == pytest.approx(1)
    worth = {i: np.exp(s) for i, s in STRENGTHS.items()}
    assert result.extras["portions"]["a"] == pytest.approx(worth["a"] / (worth["a"] + worth["b"]))
    assert result.extras["portions"]["e"] == 1
    text = next(c.detail for c in result.cautions if c.code == "SS110")
    assert "1 to 2 items" in text
    assert "a alone holds 81.8%" in text


def test_both_scales_by_default_and_the_level_of_strengths_does_not_matter():
    result = preference_shares(Fake(), GROUPS, ci="basic", resamples=99)
    assert [(r.term, r.group) for r in result.rows] == [
        (g, s) for s in ("arithmetic", "geometric") for g in "xyz"
    ]
    moved = preference_shares(
        Fake({i: s + 700 for i, s in STRENGTHS.items()}), GROUPS, resamples=99
    )
    for row, other in zip(result.rows, moved.rows, strict=True):
        assert (row.estimate, row.std_error) == pytest.approx(
            (other.estimate, other.std_error), rel=1e-9
        )


@pytest.mark.parametrize("scale", ["arithmetic", "geometric"])
def test_gradient_by_finite_differences_and_delta_errors(scale):
    x = np.array(list(STRENGTHS.values()))
    codes = np.array([0, 0, 1, 1, 2])
    found = share_gradient(x, codes, scale)
    for i in range(5):
        step = np.zeros(5)
        step[i] = 1e-6
        slope = (
            group_shares((x + step)[None], codes, scale)
            - group_shares((x - step)[None], codes, scale)
        ) / 2e-6
        assert found[:, i] == pytest.approx(slope[0], abs=1e-8)
    result = preference_shares(Fake(), GROUPS, scale=scale, ci="delta")
    exact = 0.2 * np.sqrt((found**2).sum(axis=1))
    assert [r.std_error for r in result.rows] == pytest.approx(exact)
    p, half = result.rows[0].estimate, 1.959963984540054 * exact[0]
    width = half / (p * (1 - p))
    assert result.rows[0].conf_low == pytest.approx(expit(logit(p) - width))


def test_basic_and_percentile_intervals_by_their_definitions():
    drawn = Fake().bootstrap(by="pair", resamples=199, seed=4).strengths
    share = np.sort(
        np.exp(drawn[:, 4])
        / (
            np.exp(drawn[:, :2]).mean(axis=1)
            + np.exp(drawn[:, 2:4]).mean(axis=1)
            + np.exp(drawn[:, 4])
        )
    )
    low, high = share[4], share[194]
    assert order_quantile(share, 0.025) == low
    got = preference_shares(Fake(), GROUPS, ci="percentile", resamples=199, seed=4).row(
        "z", group="arithmetic"
    )
    assert (got.conf_low, got.conf_high) == pytest.approx((low, high))
    got = preference_shares(Fake(), GROUPS, ci="basic", resamples=199, seed=4).row(
        "z", group="arithmetic"
    )
    p = by_loop(STRENGTHS, "arithmetic")["z"]
    assert got.conf_low == pytest.approx(expit(2 * logit(p) - logit(high)))
    assert got.conf_high == pytest.approx(expit(2 * logit(p) - logit(low)))


@pytest.mark.parametrize("ci", ["delta", "basic", "percentile"])
def test_a_row_has_a_test_only_where_its_interval_is_of_the_same_inference(ci):
    rows = preference_shares(Fake(error=0.6), GROUPS, ci=ci, resamples=99).rows
    assert all((row.p_value is not None) == (ci == "delta") for row in rows)
    for row in rows if ci == "delta" else ():
        assert (row.p_value < 0.05) == (not row.conf_low <= 1 / 3 <= row.conf_high)


def test_lost_refits_are_counted_and_too_many_are_an_error():
    codes = [
        c.code for c in preference_shares(Fake(lost=20), GROUPS, ci="basic", resamples=200).cautions
    ]
    assert codes == ["SS110", "SS204"]
    assert [
        c.code for c in preference_shares(Fake(lost=1), GROUPS, ci="basic", resamples=200).cautions
    ] == ["SS110"]
    with pytest.raises(UndefinedStatistic, match="none of 50 refits"):
        preference_shares(Fake(lost=50), GROUPS, ci="basic", resamples=50)


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        ({k: v for k, v in GROUPS.items() if k != "d"}, "no group for 'd'"),
        (GROUPS | {"f": "x"}, "'f'"),
        (dict.fromkeys(GROUPS, "x"), "at least two"),
    ],
)
def test_groups_must_map_every_item_and_no_other(groups, match):
    with pytest.raises(InputError, match=match):
        preference_shares(Fake(), groups)


@pytest.mark.parametrize("options", [{"scale": "harmonic"}, {"ci": "bca"}, {"level": 0}])
def test_unusable_options(options):
    with pytest.raises(InputError):
        preference_shares(Fake(), GROUPS, **options)


@pytest.fixture(scope="module")
def real():
    rng = np.random.default_rng(0)
    rows = [
        (
            f"r{i}",
            f"r{j}",
            f"r{i if rng.random() < 1 / (1 + np.exp((j - i) / 3 * (-1) ** i)) else j}",
        )
        for i in range(6)
        for j in range(i + 1, 6)
        for _ in range(12)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    design = Comparisons.from_frame(dict(zip(("item_a", "item_b", "winner"), columns, strict=True)))
    return bradley_terry(design, cluster="declared", order=False)


def test_with_a_real_fit_it_verifies_against_choix_and_is_deterministic(real):
    groups = {f"r{i}": "even" if i % 2 == 0 else "odd" for i in range(6)}
    result = preference_shares(real, groups, ci="basic", resamples=199, seed=1)
    checks = list(result.verify())
    assert result.verify().ok
    assert {c.package for c in checks} >= {"choix", "numpy"}
    assert sum(c.field == "std_error" and c.ok for c in checks) >= 4
    again = preference_shares(real, groups, ci="basic", resamples=199, seed=1)
    assert [r.conf_low for r in result.rows] == [r.conf_low for r in again.rows]
    for row in result.rows:
        assert row.conf_low < row.estimate < row.conf_high
    two = [r for r in result.rows if r.group == "arithmetic"]
    assert two[0].std_error == pytest.approx(two[1].std_error)
    assert two[0].conf_low == pytest.approx(1 - two[1].conf_high)
    top = max(two, key=lambda r: r.estimate)
    assert f"{top.term} {top.estimate:.3f}".replace("0.", ".") in result.sentence()
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.plot() is not None
    assert result.plot(scale="geometric") is not None


def test_delta_and_bootstrap_errors_agree_with_a_real_fit(real):
    groups = {f"r{i}": "low" if i < 3 else "high" for i in range(6)}
    result = preference_shares(
        real, groups, scale="geometric", ci="percentile", by="row", resamples=999
    )
    row = result.row("low")
    assert (row.conf_high - row.conf_low) / (2 * 1.96) == pytest.approx(row.std_error, rel=0.2)


def test_groups_of_the_same_size_are_said_to_have_one_size() -> None:
    caution = size_caution(
        ["a", "b", "c", "d"], ["x", "y"], np.array([0, 0, 1, 1]), np.array([0.6, 0.4, 0.5, 0.5])
    )
    assert caution.detail.startswith(
        "groups such as x have 2 items each; a alone holds 60.0% of the worth of its group x"
    )


def test_shares_of_a_penalised_fit_with_ties_are_verified_at_its_own_maximum():
    """The penalised likelihood with ties has no peer; the maximum without a penalty, far away here, is none."""
    rng = np.random.default_rng(11)
    names = np.array(list("abcd"))
    pairs = np.array([rng.choice(4, 2, replace=False) for _ in range(40)])
    won = np.where(
        rng.random(40) < 0.2, "tie", names[np.minimum(*pairs.T)]
    )  # the first in the alphabet always wins
    table = {
        "item_a": names[pairs[:, 0]],
        "item_b": names[pairs[:, 1]],
        "winner": won,
        "judge": rng.integers(0, 9, 40),
    }
    fit = bradley_terry(table, cluster="judge", penalty="firth")
    checks = (
        preference_shares(fit, {"a": "x", "b": "y", "c": "x", "d": "y"}, ci="delta").verify().checks
    )
    assert any(check.field == "std_error" and check.ok for check in checks)
    assert not [check for check in checks if check.ok is False]
