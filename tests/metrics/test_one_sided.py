"""One-sided tests: tails and ends of R, ends of the two-sided interval at 2 L - 1, words, spellings, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

import socialstats as ss
from socialstats.crosscheck.row_arithmetic import MULTIPLETESTS
from socialstats.datasets import journal_citations
from socialstats.errors import InputError
from socialstats.paired.matched_pairs import spectral_sign_flip
from socialstats.resampling.permutation import exact_p
from socialstats.results import Result, Row
from tests.contracts.subjects import subject_of
from tests.figures.drawn_marks import spans
from tests.golden_data import golden

R = golden("one_sided")
SIDES = ("greater", "less")
Call = Callable[..., Any]


def of(result: Any) -> Result:
    assert isinstance(result, Result)
    verification = result.verify()
    assert verification.ok, [check for check in verification.checks if check.ok is False]
    return result


def end_of(row: Row, side: str) -> float | None:
    return row.conf_low if side == "greater" else row.conf_high


def known_end(known: dict[str, Any], side: str) -> float:
    return known["low" if side == "greater" else "high"]


def pairs_of(b: int, c: int, a: int = 20, d: int = 10) -> list[list[int]]:
    return [[d, c], [b, a]]  # rows: first, columns: second


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("k", range(4))
def test_two_shares_have_fishers_tail_and_newcombes_end(k: int, side: str) -> None:
    known = R["tables"][k]
    (a, b), (n, m) = known["x"], known["n"]
    row = of(
        ss.two_proportions(ss.Groups.from_table([[n - a, a], [m - b, b]]), alternative=side)
    ).rows[0]
    assert row.p_value == pytest.approx(known["fisher"][side], rel=1e-9)
    assert row.p_value == pytest.approx(
        fisher_exact([[a, n - a], [b, m - b]], alternative=side).pvalue
    )
    assert end_of(row, side) == pytest.approx(known_end(known, side), rel=1e-7)
    assert (row.conf_high if side == "greater" else row.conf_low) == (
        1.0 if side == "greater" else -1.0
    )


@pytest.mark.parametrize("side", SIDES)
def test_two_shares_in_clusters_have_a_tail_of_t(side: str) -> None:
    known = R["clusters"]
    table = {name: known[name] for name in ("cluster", "group", "value")}
    row = of(
        ss.two_proportions(table, group="group", value="value", cluster="cluster", alternative=side)
    ).rows[0]
    assert (row.std_error, row.df) == pytest.approx((known["se"], known["df"]), rel=1e-9)
    assert (row.p_value, end_of(row, side)) == pytest.approx(
        (known["p"][side], known_end(known, side)), rel=1e-9
    )


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["tied", "free", "many"])
def test_rank_sums_and_brunner_and_munzels_t_have_rs_tails(name: str, side: str) -> None:
    known = R["ranks"][name]
    lead, ranks = of(ss.two_ordinal(known["x"], known["y"], alternative=side)).rows
    assert lead.p_value == pytest.approx(known["p"][side], rel=1e-9)
    assert end_of(lead, side) == pytest.approx(min(max(known_end(known, side), 0.0), 1.0), rel=1e-9)
    assert ranks.p_value == pytest.approx(known["ranks"][side], rel=1e-9)
    assert ranks.test == ("rank_sum" if name == "many" else "exact_rank_sum")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("k", range(5))
def test_mcnemars_tests_have_binomial_tails_and_roots_of_chi_squares(k: int, side: str) -> None:
    known = R["mcnemar"][k]
    result = of(ss.mcnemar(pairs_of(known["b"], known["c"]), alternative=side, test="exact"))
    assert result.extras["cells"]["b"] == known["b"]
    for test in ("exact", "mid_p", "asymptotic", "continuity"):
        assert result.row(test).p_value == pytest.approx(known[test][side], rel=1e-9), test
    tail = binomtest(known["b"], known["b"] + known["c"], alternative=side).pvalue
    assert result.row("difference").p_value == pytest.approx(tail, rel=1e-9)
    odds = result.row("odds_ratio")
    if odds.estimate is None:
        assert f"95% CI [{0 if side == 'less' else round(known['low'], 2):.2f}, ∞)" in str(
            odds.undefined
        )
    else:
        assert end_of(odds, side) == pytest.approx(known_end(known, side), rel=1e-9)
        assert (odds.conf_high if side == "greater" else odds.conf_low) == (
            None if side == "greater" else 0.0
        )


@pytest.mark.parametrize("side", SIDES)
def test_mcnemars_tests_in_clusters_have_tails_of_their_own(side: str) -> None:
    known = R["mcnemar_clusters"]
    table = {
        "unit": range(len(known["first"])),
        **{name: known[name] for name in ("cluster", "first", "second")},
    }
    reading = {"first": "first", "second": "second", "unit": "unit", "cluster": "cluster"}
    result = of(ss.mcnemar(table, **reading, alternative=side))
    for test in ("robust_t", "cluster_means_t", "sign_flip", "obuchowski", "durkalski"):
        assert result.row(test).p_value == pytest.approx(known[test][side], rel=1e-9), test
    lead = result.row("difference", group=None)
    assert (lead.p_value, end_of(lead, side)) == pytest.approx(
        (known["robust_t"][side], known_end(known, side))
    )
    two = ss.mcnemar(table, **reading)
    for test in ("yang", "eliasziw"):  # of one sign with the difference
        p = two.row(test).p_value
        assert result.row(test).p_value == pytest.approx(
            p / 2 if side == "greater" else 1 - p / 2
        ), test


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("way", ["units", "clusters"])
def test_a_rank_correlation_has_a_tail_and_an_end_on_fishers_scale(way: str, side: str) -> None:
    data, known = golden("spearman_rho"), R["spearman"][way]
    table = {name: data[name] for name in ("judge", "person", "story")}
    cluster = {"cluster": "story" if way == "clusters" else None}
    raters = {"raters": ["judge", "person"], "scale": "ordinal"}
    row = of(ss.spearman_rho(table, **raters, **cluster, alternative=side)).row("judge | person")
    assert (row.p_value, end_of(row, side)) == pytest.approx(
        (known["p"][side], known_end(known, side)), rel=1e-8
    )
    assert (row.conf_high if side == "greater" else row.conf_low) == (
        1.0 if side == "greater" else -1.0
    )


@pytest.mark.parametrize("side", SIDES)
def test_a_contrast_is_multcomps(side: str) -> None:
    fit, known = ss.bradley_terry(journal_citations()), R["contrast"][side]
    row = of(fit.contrast("JASA - JRSS-B", alternative=side)).rows[0]
    assert (row.p_value, end_of(row, side)) == pytest.approx((known["p"], known["end"]), rel=1e-6)
    assert (row.conf_high if side == "greater" else row.conf_low) is None
    with pytest.raises(InputError, match="is one-sided already"):
        fit.contrast("JASA - JRSS-B", alternative=side, test="equivalence", margin=0.2)


CLUSTERED = {"first": "a", "second": "b", "unit": "u", "cluster": "c"}


def clustered_pairs() -> dict[str, Any]:
    rng = np.random.default_rng(37)
    lean = rng.normal(size=20).repeat(4)
    a, b = ((lean + rng.normal(size=80) > at).astype(int) for at in (-0.4, 0.2))
    return {
        "u": np.arange(80),
        "a": a,
        "b": b,
        "c": np.arange(80) // 4,
        "k": np.arange(80) % 9,
        "g": np.where(np.arange(80) % 2, "x", "y"),
        "o": rng.integers(1, 6, 80),
    }


def contrast(**options: Any) -> Any:
    return ss.bradley_terry(
        subject_of("bradley_terry").design(subject_of("bradley_terry").rows())
    ).contrast("ash - birch", **options)


def shares(**options: Any) -> Any:
    groups = dict.fromkeys(["Biometrika", "Comm Statist", "JRSS-B"], "other") | {"JASA": "general"}
    return ss.preference_shares(journal_citations(), groups, cluster=None, **options)


def of_two(function: Call, **options: Any) -> Any:
    subject = subject_of("win_rates")
    return function(*(subject.design(subject.rows(seed)) for seed in (7, 8)), **options)


PAIRS, GROUPS = clustered_pairs(), {"group": "g", "cluster": "c"}
RATED = {
    "judge": PAIRS["o"],
    "person": np.clip(PAIRS["o"] + PAIRS["a"] - PAIRS["b"], 1, 5),
    "c": PAIRS["c"],
}
CALLS: dict[str, Call] = {
    "two_means": lambda **o: ss.two_means(PAIRS, **GROUPS, value="o", **o),
    "two_means of shares": lambda **o: ss.two_means(PAIRS, **GROUPS, value="a", **o),
    "two_proportions": lambda **o: ss.two_proportions(PAIRS, group="g", value="a", **o),
    "two_proportions, clusters of both": lambda **o: ss.two_proportions(
        PAIRS, **GROUPS, value="a", **o
    ),
    "two_proportions, clusters of one": lambda **o: ss.two_proportions(
        PAIRS | {"c": PAIRS["c"] * 2 + (PAIRS["g"] == "x")}, **GROUPS, value="a", **o
    ),
    "two_ordinal": lambda **o: ss.two_ordinal(PAIRS, group="g", value="o", scale="ordinal", **o),
    "two_ordinal, crossed": lambda **o: ss.two_ordinal(
        PAIRS, group="g", value="o", scale="ordinal", cluster=["c", "k"], **o
    ),
    "mcnemar": lambda **o: ss.mcnemar(pairs_of(8, 21), **o),
    "mcnemar, wald": lambda **o: ss.mcnemar(
        pairs_of(8, 21), difference_ci="wald", odds_ratio_ci="wald", **o
    ),
    "mcnemar, clusters": lambda **o: ss.mcnemar(PAIRS, **CLUSTERED, **o),
    "mcnemar, crossed": lambda **o: ss.mcnemar(PAIRS, **CLUSTERED | {"cluster": ["c", "k"]}, **o),
    "mcnemar, score": lambda **o: ss.mcnemar(
        PAIRS | {"b": np.where(np.arange(80) < 76, PAIRS["a"], PAIRS["b"])}, **CLUSTERED, **o
    ),
    "spearman_rho": lambda **o: ss.spearman_rho(
        RATED, raters=["judge", "person"], scale="ordinal", cluster="c", **o
    ),
    "paired_difference": lambda **o: ss.paired_difference(PAIRS, **CLUSTERED, **o),
    "contrast": contrast,
    "preference_shares": lambda **o: shares(**o),
    "preference_shares, refits": lambda **o: shares(ci="basic", resamples=99, **o),
    "sensitivity_difference": lambda **o: of_two(ss.sensitivity_difference, **o),
    "sensitivity_difference, basic": lambda **o: of_two(
        ss.sensitivity_difference, ci="basic", resamples=199, **o
    ),
    "choice_entropy_difference": lambda **o: of_two(
        ss.choice_entropy_difference, unmatched="drop", **o
    ),
}
TWO_ENDS = ("mean", "share", "proportion", "sd")  # groups of rows whose intervals keep both ends
EXACT = (
    "exact",
    "mid_p",
    "sign_flip",
    "exact_rank_sum",
    "signed_rank",
    "exact_signed_rank",
    "rank_sum",
)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", CALLS)
def test_each_end_is_that_of_the_two_sided_interval_at_2l_less_1_and_p_a_tail(
    name: str, side: str
) -> None:
    call = CALLS[name]
    one, two = of(call(alternative=side, level=0.95)), of(call(level=0.9))
    assert [(row.term, row.group) for row in one.rows] == [
        (row.term, row.group) for row in two.rows
    ]
    opened = 0
    for row, both in zip(one.rows, two.rows, strict=True):
        assert row.estimate == both.estimate
        assert (row.statistic, row.df, row.std_error) == (both.statistic, both.df, both.std_error)
        if row.has_interval and row.group not in TWO_ENDS and row.term != "d_z":
            opened += 1
            assert row.conf_level == 0.95
            assert end_of(row, side) == pytest.approx(end_of(both, side), rel=1e-9, abs=1e-12), (
                row.name
            )
            far = row.conf_high if side == "greater" else row.conf_low
            assert far is None or far in (-225, -100, -25, -1, -0.5, 0, 0.5, 1, 25, 100, 225), (
                row.name
            )
        if row.p_value is not None and row.test not in EXACT and both.p_value is not None:
            assert min(row.p_value, 1 - row.p_value) == pytest.approx(both.p_value / 2, rel=1e-6), (
                row.name
            )
    assert opened
    assert f"(one-sided: {side})" in one.sentence()
    assert "one-sided" not in two.sentence()
    assert one.summary()
    assert one.tidy(all=True).shape == two.tidy(all=True).shape


@pytest.mark.parametrize("name", CALLS)
def test_both_tails_make_the_whole_and_the_smaller_one_half_of_a_two_sided_p(name: str) -> None:
    above, below, two = (CALLS[name](alternative=side) for side in (*SIDES, "two_sided"))
    for more, less, both in zip(above.rows, below.rows, two.rows, strict=True):
        if both.p_value is not None:
            most = (
                1.0 if both.test not in EXACT or both.test == "mid_p" else 2.0
            )  # exact tails both hold what was seen
            assert 1 - 1e-9 <= more.p_value + less.p_value <= most + 1e-9, both.name
            assert both.test == "exact" or min(more.p_value, less.p_value) * 2 == pytest.approx(
                both.p_value, rel=0.05, abs=1e-12
            ), both.name


@pytest.mark.parametrize("name", CALLS)
def test_spellings_of_peers_are_read_and_others_and_low_levels_refused(name: str) -> None:
    call = CALLS[name]
    for spelling, side in (("larger", "greater"), ("smaller", "less"), ("two.sided", "two_sided")):
        found, same = call(alternative=spelling), call(alternative=side)
        assert found.rows == same.rows
        assert found.settings["alternative"] == side
    with pytest.raises(InputError, match=r"'bigger'.*two_sided, greater, less"):
        call(alternative="bigger")
    with pytest.raises(
        InputError, match=r"a one-sided interval needs a level above 0\.5, not 0\.5"
    ):
        call(alternative="greater", level=0.5)
    call(level=0.5)


@pytest.mark.parametrize("side", SIDES)
def test_pairs_that_do_not_differ_say_nothing_for_either_side(side: str) -> None:
    result = of(ss.mcnemar(pairs_of(0, 0), alternative=side))
    assert (result.row("exact").p_value, result.row("mid_p").p_value) == (1.0, 0.5)
    assert result.row("asymptotic").undefined == "no discordant pairs: the statistic is 0/0"
    said = next(caution for caution in result.cautions if caution.code == "SS314")
    assert "exact and sign-flip p are 1, mid-p is .5" in said.detail
    balanced = of(ss.mcnemar(pairs_of(4, 4), alternative=side))
    assert balanced.row("asymptotic").p_value == balanced.row("continuity").p_value == 0.5


def test_a_single_end_is_approximate_where_a_caution_says_so() -> None:
    fit = ss.bradley_terry(journal_citations())
    said = {side: fit.contrast("JASA - Biometrika", alternative=side).sentence() for side in SIDES}
    assert "95% CI [−0.58, ∞), p > .999 (one-sided: greater)" in said["greater"]
    assert "95% CI (−∞, −0.38], p < .001 (one-sided: less)" in said["less"]
    few = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    for side in SIDES:
        text = ss.paired_difference(
            few, first="after", second="before", alternative=side
        ).sentence()
        assert "approximate 95% CI" in text


def test_a_lost_side_of_a_limit_stays_at_the_limit() -> None:
    row = of(ss.two_proportions(ss.Groups.from_table([[0, 9], [9, 0]]), alternative="less")).rows[0]
    assert (row.estimate, row.conf_low, row.conf_high) == (1.0, -1.0, 1.0)
    assert math.isclose(row.p_value or 0.0, 1.0)


@pytest.mark.parametrize("name", ["two_means", "paired_difference", "contrast"])
def test_a_one_sided_interval_is_not_tested_against_a_margin(name: str) -> None:
    with pytest.raises(
        InputError,
        match=r"one-sided, and tests against a margin need both ends\. Leave alternative=",
    ):
        ss.equivalence(CALLS[name](alternative="less"), margin=0.3)
    assert ss.equivalence(CALLS[name](), margin=0.3).verify().ok


@pytest.mark.parametrize("side", SIDES)
def test_sums_of_many_signs_have_both_tails_by_fouriers_transform(side: str) -> None:
    sizes, times = np.array([1, 3]), np.array([40, 20])
    for observed in (-7.0, 0.0, 16.0):
        exact = exact_p(observed, sizes.astype(float), times.astype(float), 0.5, side)
        found = spectral_sign_flip(sizes, times, observed, side)
        assert exact is not None
        assert found.p == pytest.approx(exact[0], rel=1e-9)


def test_metrics_without_a_side_name_those_with_one() -> None:
    for call in (
        lambda: ss.cochran_q([1, 0, 1], [1, 1, 0], [0, 0, 1], alternative="greater"),
        lambda: ss.symmetry([[3, 4, 1], [2, 5, 1], [1, 2, 4]], alternative="less"),
    ):
        with pytest.raises(
            InputError, match=r"both sides only; alternative= is an option of .*mcnemar.*contrast"
        ):
            call()


@pytest.mark.parametrize(("side", "shown"), [("greater", "[−0.58, ∞)"), ("less", "(−∞, −0.38]")])
def test_figures_and_tables_show_the_open_end(side: str, shown: str) -> None:
    found = ss.bradley_terry(journal_citations()).contrast("JASA - Biometrika", alternative=side)
    ax = found.plot()
    assert shown in [text.get_text() for text in ax.texts]
    [ends] = spans(ax).values()
    end = 0 if side == "less" else 1
    assert ends[end] == ax.get_xlim()[end]
    assert shown in str(ss.table({"a": found, "b": found}))


@pytest.mark.parametrize("method", [*MULTIPLETESTS, "none"])
def test_several_contrasts_of_one_side_are_recomputed(method: str) -> None:
    fit = ss.bradley_terry(ss.datasets.journal_citations())
    found = fit.contrast(
        ["JRSS-B - Biometrika", "JASA - Biometrika"], alternative="larger", adjust=method
    )
    assert found.sentence().endswith(" (one-sided: greater).")
    assert [row.conf_high for row in found.rows] == [None, None]
    assert found.verify().ok
