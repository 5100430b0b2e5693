from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from socialstats import Paired, equivalence
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(31)
STORY = np.repeat(np.arange(10), [2, 3, 4, 5, 6, 7, 8, 2, 3, 4])
D = RNG.normal(0.1, 1, len(STORY)) + 0.4 * RNG.normal(size=10)[STORY]


def pairs(first, second=None, *, clusters=()):
    first = np.asarray(first, dtype=float)
    second = np.zeros(len(first)) if second is None else np.asarray(second, dtype=float)
    factors = tuple(
        Factor(
            name=name,
            codes=np.asarray(c, dtype=np.int64),
            levels=tuple(map(str, range(max(c) + 1))),
        )
        for name, c in clusters
    )
    return Paired(
        conditions=("new", "old"),
        first=first,
        second=second,
        count=np.ones(len(first)),
        scale="numeric",
        clusters=factors,
    )


def sleep():
    rows = golden_frame("paired_sleep.csv")
    return pairs(rows["x"], rows["y"])


def test_both_tests_are_rs():
    r, result = golden("paired")["tost"], equivalence(sleep(), low=-2.5, high=0.5)
    for name, key in (("above low", "low"), ("below high", "high")):
        row = result.row(name)
        assert (row.statistic, row.p_value) == pytest.approx((r[key]["t"], r[key]["p"]), rel=1e-9)
    first = result.rows[0]
    assert (first.conf_low, first.conf_high) == pytest.approx(r["interval90"], rel=1e-9)
    assert first.conf_level == pytest.approx(0.9)
    assert result.row("equivalence").p_value == pytest.approx(r["low"]["p"], rel=1e-9)
    assert result.extras["verdict"] == "equivalent"
    assert result.verify().ok, result.verify().tidy().to_string()
    assert "90% CI" in result.sentence()


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-3, 0, "equivalent"),
        (-0.5, 0.5, "different"),
        (-2, 2, "undecided"),
        (1, 2, "different"),
        (-1, 1, "undecided"),
    ],
)
def test_verdict_follows_the_interval(low, high, verdict):
    result = equivalence(sleep(), low=low, high=high)
    row = result.rows[0]
    inside, outside = (
        low < row.conf_low and row.conf_high < high,
        row.conf_low > high or row.conf_high < low,
    )
    assert (
        result.extras["verdict"]
        == verdict
        == ("equivalent" if inside else "different" if outside else "undecided")
    )
    assert (result.row("equivalence").p_value < 0.05) == inside
    said = result.sentence()
    assert (" was shown (TOST p" in said) == inside
    assert said.endswith("; the CI lies outside the bounds.") == outside


def test_clusters_lead():
    result = equivalence(pairs(D, clusters=[("story", STORY)]), low=-1, high=1)
    m = clustered_mean(D, np.ones(len(D)), [STORY])
    p = max(
        stats.t.sf((m.mean + 1) / m.std_error, m.df), stats.t.cdf((m.mean - 1) / m.std_error, m.df)
    )
    assert result.row("equivalence").p_value == pytest.approx(p)
    assert result.rows[0].n_clusters == 10
    assert result.verify().ok, result.verify().tidy().to_string()
    writer = np.arange(len(D)) % 6
    crossed = equivalence(pairs(D, clusters=[("story", STORY), ("writer", writer)]), low=-1, high=1)
    assert crossed.rows[0].df == pytest.approx(
        clustered_mean(D, np.ones(len(D)), [STORY, writer]).df
    )
    assert crossed.verify().ok, crossed.verify().tidy().to_string()


def test_bounds_in_standard_deviations():
    d = RNG.normal(0.05, 2, 60)
    result = equivalence(pairs(d), low=-0.5, high=0.5, scale="d_z")
    t, root = stats.ttest_1samp(d, 0).statistic, math.sqrt(60)
    assert result.rows[0].estimate == pytest.approx(t / root)
    assert result.row("above low").p_value == pytest.approx(
        stats.nct.sf(t, 59, -0.5 * root), abs=1e-9
    )
    assert result.row("below high").p_value == pytest.approx(
        stats.nct.cdf(t, 59, 0.5 * root), abs=1e-9
    )
    row = result.rows[0]
    assert (result.extras["verdict"] == "equivalent") == (
        row.conf_low > -0.5 and row.conf_high < 0.5
    )
    assert result.verify().ok, result.verify().tidy().to_string()
    assert equivalence(pairs(-d), low=-0.5, high=0.5, scale="d_z").verify().ok
    with pytest.raises(InputError, match="independent pairs"):
        equivalence(pairs(D, clusters=[("story", STORY)]), low=-1, high=1, scale="d_z")


def test_standard_tests_agree_with_the_noncentral_interval_at_its_ends():
    d = RNG.normal(0.3, 1, 25)
    ends = equivalence(pairs(d), low=-9, high=9, scale="d_z").rows[0]
    at_low = equivalence(pairs(d), low=ends.conf_low, high=9, scale="d_z")
    assert at_low.row("above low").p_value == pytest.approx(0.05, abs=1e-8)
    at_high = equivalence(pairs(d), low=-9, high=ends.conf_high, scale="d_z")
    assert at_high.row("below high").p_value == pytest.approx(0.05, abs=1e-8)


def test_conditions_exchanged_with_mirrored_bounds():
    one, two = (
        equivalence(sleep(), low=-2.5, high=0.5),
        equivalence(sleep().swap(), low=-0.5, high=2.5),
    )
    assert two.row("equivalence").p_value == pytest.approx(one.row("equivalence").p_value)
    assert two.row("above low").p_value == pytest.approx(one.row("below high").p_value)
    assert two.rows[0].conf_high == pytest.approx(-one.rows[0].conf_low)


@pytest.mark.parametrize("scale", ["raw", "d_z"])
def test_equal_differences_are_undefined(scale):
    result = equivalence(pairs([2.0, 3, 4], [1.0, 2, 3]), low=-2, high=2, scale=scale)
    assert all("all 3 values equal 1" in row.undefined for row in result.rows)
    assert result.extras["verdict"] == "undefined"
    assert "undefined" in result.sentence()
    assert result.row("equivalence").p_value is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"low": -1}, "needs margin=, or low= and high="),
        ({"high": 1}, "needs margin=, or low= and high="),
        ({"low": 1, "high": -1}, "below"),
        ({"low": 1, "high": 1}, "below"),
        ({"low": -math.inf, "high": 1}, "finite"),
        ({"low": "-1", "high": 1}, "not a number"),
        ({"low": -1, "high": 1, "scale": "sd"}, "d_z"),
        ({"low": -1, "high": 1, "level": 0.5}, "0.5"),
        ({"low": -1, "high": 1, "level": 95}, "95"),
        ({"low": -1, "high": 1, "cluster": "village"}, "village"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(InputError, match=said):
        equivalence(sleep(), **options)


def test_error_rate_at_a_bound():
    rng, hits = np.random.default_rng(6), 0
    for _ in range(500):
        hits += (
            equivalence(pairs(rng.normal(0.5, 1, 40)), low=-0.5, high=0.5).extras["verdict"]
            == "equivalent"
        )
    assert hits / 500 == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 500))


def test_p_far_out_is_neither_zero_nor_a_stand_in():
    """P(T >= t) with noncentrality -3 sqrt(n) is some 1e-100, not the smallest float."""
    x = np.random.default_rng(1).normal(0.2, 1, 50)
    result = equivalence(pairs(x), low=-3, high=3, scale="d_z")
    for name in ("above low", "below high"):
        assert 1e-200 < result.row(name).p_value < 1e-60
    # scipy's noncentral t has too few digits there
    unchecked = [at for at, ok in result.verify().numbers().items() if ok is None]
    assert {(1, "p_value"), (2, "p_value")} <= set(unchecked)


def test_a_difference_beyond_the_bounds_keeps_its_p_beside_what_it_tests():
    said = equivalence(pairs([3.0, 4, 5, 4, 3, 5]), low=-1, high=1).sentence()
    assert said.endswith("was not shown (TOST p > .999); the CI lies outside the bounds.")
    assert "different" not in said
