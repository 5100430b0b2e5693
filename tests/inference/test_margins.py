"""Tests against a margin: R's one-sided t tests, statsmodels' ttost, normal tails by hand, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import socialstats as ss
from socialstats.errors import InputError
from socialstats.inference.margins import against_margin
from socialstats.results import Result, Row
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(8)
FIRST, SECOND = RNG.normal(0.3, 1, 40), RNG.normal(0.0, 1, 40)
TABLE = {"new": FIRST.tolist(), "old": SECOND.tolist(), "story": [k // 4 for k in range(40)]}


def sleep():
    rows = golden_frame("paired_sleep.csv")
    return ss.paired_difference({"x": rows["x"], "y": rows["y"]}, first="x", second="y")


def test_noninferiority_and_equivalence_of_a_result_are_rs_one_sided_t_tests():
    r = golden("paired")["tost"]
    one = ss.equivalence(sleep().row("difference"), test="noninferiority", margin=2.5)
    assert (one.rows[1].statistic, one.rows[1].p_value) == pytest.approx(
        (r["low"]["t"], r["low"]["p"]), rel=1e-9
    )
    assert (one.rows[0].conf_low, one.rows[0].conf_high) == pytest.approx(r["interval90"], rel=1e-9)
    assert [row.term for row in one.rows] == ["difference", "noninferiority"]
    assert one.extras["verdict"] == "noninferior"
    two = ss.equivalence(sleep().row("difference"), low=-2.5, high=0.5)
    assert two.row("below high").p_value == pytest.approx(r["high"]["p"], rel=1e-9)
    assert two.extras["verdict"] == "equivalent"


@pytest.mark.parametrize("margin", [0.2, 0.5, 0.9])
def test_a_result_gives_what_statsmodels_and_the_pairs_give(margin):
    found = ss.equivalence(ss.paired_difference(TABLE, first="new", second="old"), margin=margin)
    p, above, below = DescrStatsW(FIRST - SECOND).ttost_mean(-margin, margin)
    assert found.row("equivalence").p_value == pytest.approx(p, rel=1e-9)
    assert found.row("above low").statistic == pytest.approx(above[0], rel=1e-9)
    assert found.row("below high").p_value == pytest.approx(below[1], rel=1e-9)
    pairs = ss.equivalence(TABLE, first="new", second="old", margin=margin)
    for one, other in zip(found.rows[1:], pairs.rows[1:], strict=True):
        for name in ("statistic", "p_value", "df"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9), (
                one.term,
                name,
            )
    assert (found.rows[0].conf_level, pairs.rows[0].conf_level) == (0.9, pytest.approx(0.9))
    assert found.verify().ok
    assert pairs.verify().ok


@pytest.mark.parametrize("alpha", [0.05, 0.025])
def test_the_interval_at_1_minus_2_alpha_decides(alpha):
    """The margin at which TOST turns is the further end of the interval."""
    row = ss.paired_difference(TABLE, first="new", second="old", cluster="story").row("difference")
    whole = ss.equivalence(row, margin=5, level=1 - alpha).rows[0]
    assert whole.conf_level == pytest.approx(1 - 2 * alpha)
    for test, end in (
        ("equivalence", max(-whole.conf_low, whole.conf_high)),
        ("noninferiority", -whole.conf_low),
    ):
        turns = ss.equivalence(row, margin=end, level=1 - alpha, test=test)
        assert turns.row(test).p_value == pytest.approx(alpha, rel=1e-9)
        shown = [
            ss.equivalence(row, margin=end * x, level=1 - alpha, test=test).extras["verdict"]
            for x in (0.99, 1.01)
        ]
        assert shown == [
            "undecided",
            {"equivalence": "equivalent", "noninferiority": "noninferior"}[test],
        ]


@pytest.mark.parametrize("cluster", [None, "pair"])
def test_contrasts_of_a_bradley_terry_fit(cluster):
    fit = ss.bradley_terry(ss.datasets.role_conflict(), cluster=cluster)
    plain = fit.contrast("doctor - lawyer").rows[0]
    law = stats.norm if plain.df is None else stats.t(plain.df)
    for margin in (0.1, 0.4):
        found = fit.contrast("doctor - lawyer", test="noninferiority", margin=margin)
        assert found.rows[1].p_value == pytest.approx(
            law.sf((plain.estimate + margin) / plain.std_error), rel=1e-9
        )
        assert found.rows[0].conf_low == pytest.approx(
            plain.estimate - law.ppf(0.95) * plain.std_error, rel=1e-9
        )
        both = fit.contrast("doctor - lawyer", test="equivalence", margin=margin)
        sides = (
            law.sf((plain.estimate + margin) / plain.std_error),
            law.cdf((plain.estimate - margin) / plain.std_error),
        )
        assert both.row("equivalence").p_value == pytest.approx(max(sides), rel=1e-9)
        assert found.verify().ok
        assert "Noninferiority with a margin of" in found.sentence()
        rows = list(both.rows)
        rows[1] = replace(rows[1], p_value=rows[1].p_value / 2)
        assert not replace(both, rows=tuple(rows)).verify().ok


def test_every_difference_of_a_result():
    fit = ss.bradley_terry(ss.datasets.journal_citations())
    found = ss.equivalence(fit.pairwise(), margin=0.5)
    assert len(found.rows) == 4 * 6
    assert list(found.extras["verdicts"]) == [row.name for row in fit.pairwise().rows]
    for row in fit.pairwise().rows:
        alone = ss.equivalence(row, margin=0.5)
        assert (
            found.row("equivalence", group=f"test of {row.name}").p_value
            == alone.row("equivalence").p_value
        )
        assert found.extras["verdicts"][row.name] == alone.extras["verdict"]
    assert (
        found.sentence()
        == "Equivalence within [\u22120.5, 0.5] was shown for 1 of 6 differences (unadjusted)."
    )
    assert found.verify().ok


def test_noninferiority_of_pairs():
    yes_no = {"new": (FIRST > 0).astype(int).tolist(), "old": (SECOND > 0.2).astype(int).tolist()}
    for table, more in (
        (TABLE, {}),
        (TABLE, {"cluster": "story"}),
        (TABLE, {"scale": "d_z"}),
        (yes_no, {}),
    ):
        both = ss.equivalence(table, first="new", second="old", margin=0.3, **more)
        one = ss.equivalence(
            table, first="new", second="old", margin=0.3, test="noninferiority", **more
        )
        assert one.row("noninferiority").p_value == both.row("above low").p_value
        assert one.rows[0] == both.rows[0]
        assert one.verify().ok, one.verify().tidy().to_string()
        assert "Noninferiority with a margin of 0.3 was" in one.sentence()
        assert one.settings["high"] is None
    low = ss.equivalence(
        Row(term="a - b", estimate=-2.0, std_error=0.1), margin=0.3, test="noninferiority"
    )
    assert low.extras["verdict"] == "inferior"
    assert low.sentence().endswith(
        "was not shown (one-sided p > .999); the CI lies below the margin."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs margin=, or low= and high="),
        ({"margin": 0.1, "low": -0.1}, "stands for low=-0.1 and high=0.1"),
        ({"margin": -0.1}, "must be above 0"),
        ({"margin": 0.0}, "must be above 0"),
        ({"margin": float("nan")}, "not a finite number"),
        ({"test": "noninferiority"}, "needs margin="),
        ({"test": "noninferiority", "low": -1.0}, "needs margin="),
        ({"margin": 0.1, "test": "superiority"}, "is not one of equivalence, noninferiority"),
        ({"margin": 0.1, "level": 0.5}, "above 0.5"),
        ({"margin": 0.1, "scale": "d_z"}, "belong to a table of pairs"),
        ({"margin": 0.1, "unit": "u"}, "this is a result"),
    ],
)
def test_what_is_refused(options, said):
    result = ss.paired_difference(TABLE, first="new", second="old")
    with pytest.raises(InputError, match=said):
        ss.equivalence(result, **options)


def test_the_reason_why_a_difference_has_no_error_is_told():
    row = Row(term="a - b", role="difference", estimate=0.1, undefined="a single pair")
    whole = Result(metric="x", title="Gap", rows=(row,))
    with pytest.raises(
        InputError, match="no row is a difference with a standard error: a single pair"
    ):
        against_margin(whole, margin=0.2)


def test_rows_that_have_no_t_interval_are_refused():
    yes_no = {"new": [1, 0, 1, 1, 0, 1], "old": [0, 0, 1, 0, 0, 1]}
    score = ss.mcnemar(yes_no, first="new", second="old").row("difference")
    with pytest.raises(
        InputError, match=r"of the kind 'score'|needs an estimate and a standard error"
    ):
        ss.equivalence(score, margin=0.1)
    with pytest.raises(InputError, match="no row is a difference"):
        ss.equivalence(ss.bradley_terry(ss.datasets.journal_citations()), margin=0.1)
    fit = ss.bradley_terry(ss.datasets.journal_citations())
    for options in ({"test": "equivalence"}, {"margin": 0.1}):
        with pytest.raises(InputError, match="test= and margin= go together"):
            fit.contrast("JASA - JRSS-B", **options)


def test_a_difference_lies_beyond_the_bounds_by_the_interval_of_one_sided_tests() -> None:
    """At 2 x 0.95 - 1: 0.5 - 1.7247 x 0.1 = .3275 is above .32, and 0.5 - 2.0860 x 0.1 = .2914 would not be."""
    found = ss.equivalence(Row(term="a - b", estimate=0.5, std_error=0.1, df=20.0), margin=0.32)
    assert found.extras["verdict"] == "different"
    row = found.rows[0]
    assert row.conf_level == pytest.approx(0.9)
    assert (row.conf_low, row.conf_high) == pytest.approx(
        (0.5 - 0.17247182, 0.5 + 0.17247182), abs=1e-7
    )
