"""Vectors, square arrays and tuples in place of a table, beside the peers that take them."""

from typing import Any

import choix
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar

import socialstats as ss
from socialstats.errors import InputError

RNG = np.random.default_rng(20)
X, Y = RNG.normal(size=30), RNG.normal(0.4, 1, size=30)
A, B = RNG.integers(1, 5, 60), RNG.integers(1, 5, 60)
SQUARE = [[30, 12], [5, 53]]
BEATS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "c"), ("a", "b")]


@pytest.mark.parametrize("kind", [list, tuple, np.asarray, pd.Series])
def test_two_vectors_are_pairs(kind: Any) -> None:
    result = ss.paired_difference(kind(X), kind(Y))
    peer = stats.ttest_rel(X, Y)
    assert result.rows[0].statistic == pytest.approx(peer.statistic)
    assert result.rows[0].p_value == pytest.approx(peer.pvalue)


def test_two_samples_need_not_be_of_one_length() -> None:
    result = ss.two_means(X, Y[:20])
    peer = stats.ttest_ind(X, Y[:20], equal_var=False)
    tested = next(row for row in result.rows if row.p_value is not None)
    assert tested.p_value == pytest.approx(peer.pvalue)


@pytest.mark.parametrize(
    "square", [SQUARE, np.array(SQUARE), pd.DataFrame(SQUARE, index=["n", "y"], columns=["n", "y"])]
)
def test_a_square_array_counts_pairs(square: Any) -> None:
    result = ss.mcnemar(square, test="exact")
    assert next(r.p_value for r in result.rows if r.p_value) == pytest.approx(mcnemar(SQUARE, exact=True).pvalue)


def test_vectors_and_their_crosstab_have_one_kappa() -> None:
    peer = cohen_kappa_score(A, B, weights="quadratic")
    crossed = pd.crosstab(pd.Series(A), pd.Series(B))
    for result in (ss.weighted_kappa(A, B), ss.weighted_kappa(crossed)):
        assert result.rows[0].estimate == pytest.approx(peer)
    plain = ss.weighted_kappa(crossed.to_numpy(), levels=["1", "2", "3", "4"], scale="nominal")
    assert plain.rows[0].estimate == pytest.approx(cohen_kappa_score(A, B))


def test_three_raters_have_the_names_of_their_series() -> None:
    ratings = [pd.Series(RNG.integers(0, 3, 40), name=name) for name in ("ann", "bob", "cleo")]
    wide = pd.DataFrame({data.name: data for data in ratings})
    ours = ss.krippendorff_alpha(*ratings, scale="nominal")
    theirs = ss.krippendorff_alpha(wide, raters=["ann", "bob", "cleo"], scale="nominal")
    assert [r.estimate for r in ours.rows] == [r.estimate for r in theirs.rows]


def strengths(*args: Any) -> dict[str, float]:
    return ss.bradley_terry(*args).coef()


def test_tuples_vectors_and_wins_are_the_same_comparisons() -> None:
    expected = choix.opt_pairwise(3, [("abc".index(w), "abc".index(lost)) for w, lost in BEATS])
    wins = np.zeros((3, 3))
    for won, lost in BEATS:
        wins["abc".index(won), "abc".index(lost)] += 1
    vectors = [list(column) for column in zip(*BEATS, strict=True)]
    for found in (strengths(BEATS), strengths(*vectors, vectors[0]), strengths(wins),
                  strengths([(lost, won, won) for won, lost in BEATS])):  # fmt: skip
        assert list(found.values()) == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_keywords_may_be_vectors() -> None:
    story = np.repeat(np.arange(10), 3)
    table = {"x": X, "y": Y, "story": story}
    ours = ss.paired_difference(X, Y, cluster=story)
    theirs = ss.paired_difference(table, first="x", second="y", cluster="story")
    assert ours.rows[0].std_error == theirs.rows[0].std_error
    with pytest.raises(InputError, match="cluster= has 29 values for 30 rows"):
        ss.paired_difference(X, Y, cluster=story[1:])
    with pytest.raises(InputError, match="different indexes"):
        ss.paired_difference(pd.Series(X), pd.Series(Y), cluster=pd.Series(story)[::-1])


def test_columns_called_by_numbers() -> None:
    frame = pd.DataFrame({0: X, 1: Y})
    assert ss.paired_difference(frame, first=0, second=1).rows[0].p_value == ss.paired_difference(X, Y).rows[0].p_value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.paired_difference(X, Y[:20]), "30 and 20 values"),
        (lambda: ss.paired_difference(pd.Series(X), pd.Series(Y)[::-1]), "different indexes"),
        (lambda: ss.equivalence(X, Y, margin=1), "pairs or two samples"),
        (lambda: ss.paired_difference(X, Y, X), "takes two vectors, not 3"),
        (lambda: ss.bradley_terry(["a", "b"], ["b", "a"]), "takes three vectors"),
        (lambda: ss.paired_difference(X, Y, first="x"), "vectors have none"),
        (lambda: ss.bradley_terry([[1, 3], [2, 0]]), "cannot win over themselves, and 1 did"),
        (lambda: ss.mcnemar([[1, -3], [2, 0]]), "-3"),
    ],
)
def test_what_is_open_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_names_of_statsmodels() -> None:
    result = ss.bradley_terry(BEATS)
    assert result.params.to_dict() == result.coef()
    assert result.bse.tolist() == [row.std_error for row in result.rows]
    assert result.pvalues.tolist() == [row.p_value for row in result.rows]
    pd.testing.assert_frame_equal(result.conf_int(alpha=0.1), result.confint(0.9))


@pytest.mark.parametrize(
    ("spec", "weights"),
    [
        ("a-b", [1, -1, 0]),
        ("a - (b + c)/2", [1, -0.5, -0.5]),
        ("(a + b) * 0.5 - c", [0.5, 0.5, -1]),
        ("-a + 2*c - c", [-1, 0, 1]),
        ("a", [1, 0, 0]),
    ],
)
def test_contrasts_are_expressions_or_vectors(spec: str, weights: list[float]) -> None:
    fit = ss.bradley_terry(BEATS)
    row, by_vector = fit.contrast(spec).rows[0], fit.contrast(weights).rows[0]
    w, cov = np.array(weights), fit.vcov().to_numpy()
    assert row.estimate == pytest.approx(w @ fit.params.to_numpy()) == by_vector.estimate
    assert row.std_error == pytest.approx(np.sqrt(w @ cov @ w)) == by_vector.std_error


@pytest.mark.parametrize(
    "spec", ["a - d", "a * b", "a - b + 1", "a - a", "a / b", "a -", "__import__('os')", "a ** 2", [1, -1]]
)
def test_what_is_no_contrast_is_refused(spec: Any) -> None:
    with pytest.raises(InputError, match="contrast"):
        ss.bradley_terry(BEATS).contrast(spec)


SPELLINGS = [("two.sided", "two-sided"), ("two-sided", "two-sided"), ("larger", "greater"), ("smaller", "less")]


@pytest.mark.parametrize(("spelling", "scipys"), SPELLINGS)
def test_spellings_of_the_alternative(spelling: str, scipys: str) -> None:
    row = ss.paired_difference(X, Y, alternative=spelling).rows[0]
    assert row.p_value == pytest.approx(stats.ttest_rel(X, Y, alternative=scipys).pvalue)
    with pytest.raises(InputError, match="alternative='both' is not one of two_sided, greater, less"):
        ss.paired_difference(X, Y, alternative="both")


def test_a_crosstab_says_by_its_names_who_lost() -> None:
    won, lost = (pd.Series(list(column)) for column in zip(*BEATS, strict=True))
    for crossed in (pd.crosstab(won, lost), pd.crosstab(lost.rename("loser"), won.rename("winner"))):
        assert list(strengths(crossed).values()) == pytest.approx(list(strengths(BEATS).values()))
    undefined = pd.crosstab(won, lost).where(~np.eye(3, dtype=bool))
    assert list(strengths(undefined).values()) == pytest.approx(list(strengths(BEATS).values()))


def test_a_crosstab_may_lack_a_label() -> None:
    a, b = pd.Series([1, 2, 3, 3, 1]), pd.Series([1, 2, 2, 1, 1])
    found = ss.weighted_kappa(pd.crosstab(a, b))
    assert found.rows[0].estimate == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))


def test_a_pivoted_table_is_no_crosstab() -> None:
    frame = pd.DataFrame({"question": ["q1", "q2", "q3"] * 2, "model": ["m", "n"] * 3, "score": [1, 2, 2, 1, 2, 1]})
    wide = frame.pivot(index="question", columns="model", values="score")
    with pytest.raises(InputError, match="unit"):
        ss.weighted_kappa(wide)


def test_rows_of_an_array_are_winner_and_loser() -> None:
    pairs = [("abc".index(w), "abc".index(lost)) for w, lost in BEATS]
    assert strengths(np.array(pairs)) == strengths(pairs)
