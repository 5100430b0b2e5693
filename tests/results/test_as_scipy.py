"""Parts of results by the names of scipy and statsmodels: one number where one is meant, else which there are."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results.lone import THEIRS

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=16), RNG.normal(0.6, 1.3, size=16)
A, B = RNG.integers(1, 5, 40), RNG.integers(1, 5, 40)
BEATS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "c"), ("a", "b")]
FIT = ss.bradley_terry(BEATS)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_result_of_one_test_has_scipys_numbers(level: float) -> None:
    ours, peer = ss.two_means(X, Y), stats.ttest_ind(X, Y, equal_var=False)
    assert (ours.pvalue, ours.statistic) == pytest.approx((peer.pvalue, peer.statistic))
    assert ours.confidence_interval(level) == pytest.approx(tuple(peer.confidence_interval(level)))
    assert ours.confidence_interval(confidence_level=level).low == pytest.approx(
        peer.confidence_interval(level).low
    )


def test_the_interval_is_that_of_what_is_tested() -> None:
    paired = ss.paired_difference(X, Y)
    assert paired.confidence_interval() == pytest.approx(
        tuple(stats.ttest_rel(X, Y).confidence_interval())
    )
    mean = ss.mean_ratings(X)
    assert mean.confidence_interval(0.9) == pytest.approx(
        tuple(stats.ttest_1samp(X, 0).confidence_interval(0.9))
    )
    open_ended = ss.two_means(X, Y, alternative="less")
    peer = stats.ttest_ind(X, Y, equal_var=False, alternative="less").confidence_interval()
    assert open_ended.confidence_interval() == pytest.approx(tuple(peer))
    assert open_ended.confidence_interval().low == -np.inf


@pytest.mark.parametrize(
    ("result", "name", "said"),
    [
        (
            ss.paired_difference(X, Y),
            "pvalue",
            "3 rows of this result have a p-value. Say which: row('difference').p_value, row('wilcoxon').p_value and "
            "row('sign_flip').p_value. All: pvalues",
        ),
        (ss.paired_difference(X, Y), "statistic", "row('wilcoxon').statistic"),
        (ss.fleiss_kappa(A, B), "pvalue", "row('kappa').p_value and row('null test').p_value"),
        (FIT, "pvalue", "row('a').p_value, row('b').p_value and row('c').p_value"),
    ],
)
def test_several_tests_are_never_the_first_one(result: Any, name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        getattr(result, name)
    assert said in str(caught.value)
    for call in said.split("Say which: ")[-1].split(". All")[0].replace(" and ", ", ").split(", "):
        value = eval(f"result.{call}", {"result": result})
        assert isinstance(value, float)


def test_several_intervals_are_never_the_first_one() -> None:
    with pytest.raises(InputError, match=r"row\('a'\)\.conf_low.*All: confint\(\)"):
        FIT.confidence_interval()
    shares = ss.choice_shares(["a", "b", "a", "c"])
    with pytest.raises(InputError, match=r"row\('a'\)\.conf_low, row\('b'\)\.conf_low"):
        shares.confidence_interval()
    with pytest.raises(InputError, match="level must be between 0 and 1"):
        ss.two_means(X, Y).confidence_interval(95)


def test_what_is_not_there_is_said_to_be_undefined() -> None:
    with pytest.raises(UndefinedStatistic, match="Mean rating has no p-value"):
        _ = ss.mean_ratings(X).pvalue
    with pytest.raises(UndefinedStatistic, match="'difference' has no statistic"):
        _ = ss.two_proportions(count=[3, 5], nobs=[9, 9]).statistic
    flat = ss.two_means([1, 1, 1], [1, 1, 1])
    with pytest.raises(UndefinedStatistic, match=r"no p-value: \S+"):
        _ = flat.pvalue
    with pytest.raises(UndefinedStatistic, match="no interval"):
        ss.adjust([0.1, 0.2]).confidence_interval()


def test_a_row_without_its_test_is_not_passed_over() -> None:
    """Where the leading test is undefined, the only p-value left is not given as if it were that test's."""
    rows = ss.paired_difference([1.0, 2.0], [0.0, 1.0]).rows
    assert rows[0].p_value is None
    assert any(row.p_value is not None for row in rows)
    with pytest.raises(InputError, match=r"row\('difference'\)\.p_value \(there is none: "):
        _ = ss.paired_difference([1.0, 2.0], [0.0, 1.0]).pvalue


def test_names_of_statsmodels() -> None:
    found = ss.two_means(X, Y)
    pd.testing.assert_frame_equal(FIT.cov_params(), FIT.vcov())
    pd.testing.assert_frame_equal(found.conf_int(level=0.9), found.conf_int(alpha=0.1))
    fitted = sm.OLS(X, np.ones(16)).fit()
    assert ss.mean_ratings(X).conf_int(level=0.9).to_numpy()[0] == pytest.approx(
        fitted.conf_int(0.1)[0]
    )
    with pytest.raises(InputError, match=r"alpha=0\.1 and level=0\.9 both"):
        found.conf_int(0.1, level=0.9)
    with pytest.raises(UndefinedStatistic, match="no covariance matrix"):
        found.cov_params()


def test_two_names_are_a_contrast() -> None:
    by_names, written = FIT.contrast("a", "c", level=0.9), FIT.contrast("a - c", level=0.9)
    assert by_names.rows == written.rows
    assert by_names.verify().ok
    assert by_names.pvalue == written.rows[0].p_value
    dashed = ss.bradley_terry(
        [(won.replace("b", "b - c"), lost) for won, lost in BEATS[:2]]
        + [
            ("b - c", "a"),
            ("a", "b - c"),
            ("c", "a"),
            ("a", "c"),
            ("b", "b - c"),
            ("b - c", "b"),
        ]
    )
    row = dashed.contrast("b", "b - c").rows[0]
    assert row.estimate == pytest.approx(dashed.params["b"] - dashed.params["b - c"])


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("a", "d"), "'d' is none of a, b, c"),
        (("a", "a"), "'a' with itself"),
        (("a - b", "c"), "'a - b' is none of a, b, c"),
        ((["a"], "b"), "is none of a, b, c"),
        (("a", 0.9), "0.9 is none of a, b, c"),
    ],
)
def test_what_are_no_two_names_is_refused(names: Any, said: str) -> None:
    with pytest.raises(InputError, match="contrast") as caught:
        FIT.contrast(*names)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", THEIRS)
def test_names_of_other_packages_are_told_what_to_write(name: str) -> None:
    result = ss.two_means(X, Y)
    with pytest.raises(AttributeError) as caught:
        getattr(result, name)
    assert str(caught.value) == f"'Result' object has no attribute '{name}'. Write {THEIRS[name]}"
    for call in THEIRS[name].split(", or "):
        scope = {"term": "difference", "path": None}
        assert (
            eval(
                f"result.{call}",
                {
                    "result": ss.adjust([result], "holm")
                    if "adjusted" in call
                    else FIT
                    if "fit[" in call
                    else result,
                    **scope,
                },
            )
            is not None
        )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("difference", "row('difference')"),
        ("p_value", "tidy()['p_value']"),
        ("p-val", "row(term), or tidy()[column]"),
        (0, "statistic, pvalue, or rows[0]"),
    ],
)
def test_brackets_are_told_what_to_write(key: Any, said: str) -> None:
    with pytest.raises(TypeError) as caught:
        _ = ss.two_means(X, Y)[key]  # type: ignore[index]
    assert str(caught.value).endswith(f"Write {said}")


def test_a_result_is_not_taken_apart_as_a_tuple() -> None:
    with pytest.raises(TypeError, match=r"Write statistic, pvalue, or rows\[0\]"):
        _statistic, _p = ss.two_means(X, Y)  # type: ignore[misc]
    result = ss.two_means(X, Y)
    assert np.asarray(result).shape == ()
    assert pd.Series([result, result]).tolist() == [result, result]


def test_results_without_an_attribute_are_as_other_objects() -> None:
    result = ss.two_means(X, Y)
    assert not hasattr(result, "tvalues")
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = result.nonsense
    assert copy.copy(result).rows == result.rows
    assert pickle.loads(pickle.dumps(copy.copy(result))).rows == result.rows


def test_a_group_of_results_says_how_each_is_read() -> None:
    table = {
        "model": [*"mmmnnn"],
        "item_a": [*"xxxxxx"],
        "item_b": [*"yyyyyy"],
        "winner": [*"xxyxyy"],
    }
    group = ss.bradley_terry(ss.Comparisons.from_frame(table, by="model"))
    with pytest.raises(AttributeError, match=r"one result a level: group\['m'\]\.pvalues"):
        _ = group.pvalues
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = group.nonsense
    assert group["m"].pvalues.index.tolist() == ["x", "y"]
