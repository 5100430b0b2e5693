"""Vectors, square arrays and tuples in place of a table, beside the peers that take them."""

from typing import Any

import choix
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

import socialstats as ss
from socialstats.errors import DesignError, InputError

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
    assert next(r.p_value for r in result.rows if r.p_value) == pytest.approx(
        mcnemar(SQUARE, exact=True).pvalue
    )


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


def strengths_of(table: Any, **columns: Any) -> dict[str, float]:
    return ss.bradley_terry(table, **columns).coef()


def test_tuples_vectors_and_wins_are_the_same_comparisons() -> None:
    expected = choix.opt_pairwise(3, [("abc".index(w), "abc".index(lost)) for w, lost in BEATS])
    wins = np.zeros((3, 3))
    for won, lost in BEATS:
        wins["abc".index(won), "abc".index(lost)] += 1
    vectors = [list(column) for column in zip(*BEATS, strict=True)]
    for found in (
        strengths(BEATS),
        strengths(*vectors, vectors[0]),
        strengths(wins),
        strengths([(lost, won, won) for won, lost in BEATS]),
    ):
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
    assert (
        ss.paired_difference(frame, first=0, second=1).rows[0].p_value
        == ss.paired_difference(X, Y).rows[0].p_value
    )


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
    "spec",
    ["a - d", "a * b", "a - b + 1", "a - a", "a / b", "a -", "__import__('os')", "a ** 2", [1, -1]],
)
def test_what_is_no_contrast_is_refused(spec: Any) -> None:
    with pytest.raises(InputError, match="contrast"):
        ss.bradley_terry(BEATS).contrast(spec)


SPELLINGS = [
    ("two.sided", "two-sided"),
    ("two-sided", "two-sided"),
    ("larger", "greater"),
    ("smaller", "less"),
]


@pytest.mark.parametrize(("spelling", "scipys"), SPELLINGS)
def test_spellings_of_the_alternative(spelling: str, scipys: str) -> None:
    row = ss.paired_difference(X, Y, alternative=spelling).rows[0]
    assert row.p_value == pytest.approx(stats.ttest_rel(X, Y, alternative=scipys).pvalue)
    with pytest.raises(
        InputError, match="alternative='both' is not one of two_sided, greater, less"
    ):
        ss.paired_difference(X, Y, alternative="both")


def test_a_crosstab_says_by_its_names_who_lost() -> None:
    won, lost = (pd.Series(list(column)) for column in zip(*BEATS, strict=True))
    for crossed in (
        pd.crosstab(won, lost),
        pd.crosstab(lost.rename("loser"), won.rename("winner")),
    ):
        assert list(strengths(crossed).values()) == pytest.approx(list(strengths(BEATS).values()))
    undefined = pd.crosstab(won, lost).where(~np.eye(3, dtype=bool))
    assert list(strengths(undefined).values()) == pytest.approx(list(strengths(BEATS).values()))


def test_a_crosstab_may_lack_a_label() -> None:
    a, b = pd.Series([1, 2, 3, 3, 1]), pd.Series([1, 2, 2, 1, 1])
    found = ss.weighted_kappa(pd.crosstab(a, b))
    assert found.rows[0].estimate == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))


def test_a_pivoted_table_is_no_crosstab() -> None:
    frame = pd.DataFrame(
        {"question": ["q1", "q2", "q3"] * 2, "model": ["m", "n"] * 3, "score": [1, 2, 2, 1, 2, 1]}
    )
    wide = frame.pivot(index="question", columns="model", values="score")
    with pytest.raises(InputError, match="unit"):
        ss.weighted_kappa(wide)


def test_rows_of_an_array_are_winner_and_loser() -> None:
    pairs = [("abc".index(w), "abc".index(lost)) for w, lost in BEATS]
    assert strengths(np.array(pairs)) == strengths(pairs)


# What peers' functions take: every number beside the peer's, and what is open refused with the calls of both readings.

MATRIX = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
)
COUNTED = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
THREE = RNG.integers(1, 4, size=(12, 3))
ARMS = pd.DataFrame({"yes": [14, 32], "no": [56, 48]}, index=["old", "new"])
LOW = ["low", "mid", "high"]
ORDERED = [pd.Categorical(RNG.choice(LOW, 25), LOW, ordered=True) for _ in range(2)]


def lead(result: Any) -> Any:
    return result.rows[0]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_a_matrix_of_raters_says_its_direction(scale: Any) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    expected = pytest.approx(krippendorff.alpha(MATRIX, level_of_measurement=scale))
    frame = pd.DataFrame(MATRIX.T, columns=["r1", "r2", "r3", "r4"])
    assert lead(ss.krippendorff_alpha(MATRIX, raters_in="rows", scale=scale)).estimate == expected
    assert (
        lead(ss.krippendorff_alpha(MATRIX.T, raters_in="columns", scale=scale)).estimate == expected
    )
    assert lead(ss.krippendorff_alpha(frame, scale=scale)).estimate == expected
    assert lead(ss.krippendorff_alpha(*MATRIX, scale=scale)).estimate == expected


def test_counts_of_ratings_and_raters_are_told_apart() -> None:
    counts, raters = (
        pd.DataFrame(COUNTED, columns=list("abcde")),
        pd.DataFrame(THREE, columns=["ann", "bob", "cleo"]),
    )
    expected = pytest.approx(fleiss_kappa(COUNTED))
    assert lead(ss.fleiss_kappa(ss.Ratings.from_counts(COUNTED))).estimate == expected
    assert lead(ss.fleiss_kappa(counts, columns=list("abcde"))).estimate == expected
    assert lead(ss.fleiss_kappa(raters)).estimate == pytest.approx(
        fleiss_kappa(aggregate_raters(THREE)[0])
    )
    with pytest.raises(
        DesignError, match=r"raters=\['a', .*; where each counts .* columns=\['a', "
    ):
        ss.fleiss_kappa(counts)
    with pytest.raises(DesignError, match="unit"):  # n may count the rows
        ss.krippendorff_alpha({"ann": [1, 2, 3], "bob": [1, 2, 2], "n": [2, 1, 1]})


def test_two_columns_are_two_raters() -> None:
    expected = pytest.approx(cohen_kappa_score(A, B, weights="quadratic"))
    assert lead(ss.weighted_kappa(np.column_stack([A, B]))).estimate == expected
    assert lead(ss.weighted_kappa(pd.DataFrame({"a": A, "b": B}))).estimate == expected


@pytest.mark.parametrize(
    "pairs",
    [
        np.column_stack([X, Y]),
        np.array([X, Y]),
        [X, Y],
        list(zip(X, Y, strict=True)),
        zip(X, Y, strict=True),
    ],
)
def test_an_array_or_an_iterator_of_pairs(pairs: Any) -> None:
    assert lead(ss.paired_difference(pairs)).p_value == pytest.approx(stats.ttest_rel(X, Y).pvalue)


def test_columns_of_an_array_and_generators_are_vectors() -> None:
    expected = pytest.approx(stats.ttest_ind(X, Y, equal_var=False).pvalue)
    assert lead(ss.two_means(X[:, None], Y[:, None])).p_value == expected
    assert lead(ss.two_means((x for x in X), (y for y in Y))).p_value == expected


def test_values_and_their_groups() -> None:
    groups = np.repeat(["a", "b"], 15)
    expected = pytest.approx(stats.ttest_ind(X[:15], X[15:], equal_var=False).pvalue)
    table = {"arm": groups, "score": X}
    assert lead(ss.two_means(X, group=groups)).p_value == expected
    assert lead(ss.two_means(data=table)).p_value == expected
    assert lead(ss.two_means({"a": X[:12], "b": Y})).estimate == pytest.approx(
        X[:12].mean() - Y.mean()
    )
    clustered = ss.two_means(X, group=groups, cluster=np.arange(30) // 3)
    blocks = {**table, "block": np.arange(30) // 3}
    assert lead(clustered).std_error == lead(ss.two_means(blocks, cluster="block")).std_error


def test_one_vector_of_ratings() -> None:
    assert lead(ss.mean_ratings([4, 5, 3])).estimate == 4
    assert [row.estimate for row in ss.choice_shares(["a", "b", "a", "c"]).rows][:3] == [
        0.5,
        0.25,
        0.25,
    ]
    assert [row.estimate for row in ss.choice_shares(["a", "b"], count=[6, 2]).rows][:2] == [
        0.75,
        0.25,
    ]
    assert lead(ss.choice_shares([5, 3, 5, 5], scale="interval")).estimate == 0.25
    unit, rater, value = np.repeat(np.arange(12), 3), ["x", "y", "z"] * 12, THREE.ravel()
    long = {"unit": unit, "rater": rater, "value": value}
    assert (
        lead(ss.krippendorff_alpha(value, unit=unit, rater=rater)).estimate
        == lead(ss.krippendorff_alpha(long)).estimate
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: ss.two_proportions(count=[14, 32], nobs=[70, 80]),
        lambda: ss.two_proportions([14, 32], nobs=[70, 80]),
        lambda: ss.two_proportions(x=[14, 32], n=[70, 80]),
        lambda: ss.two_proportions([[56, 14], [48, 32]], levels=("no", "yes")),
        lambda: ss.two_proportions(ARMS),
        lambda: ss.two_proportions(ARMS[["no", "yes"]]),
        lambda: ss.two_proportions(ARMS, levels=("no", "yes")),
        lambda: ss.two_proportions(ARMS.set_axis([1, 0], axis=1)),
        lambda: ss.two_proportions(ss.Groups.from_table(ARMS)),
    ],
)
def test_successes_of_two_groups(call: Any) -> None:
    result = call()
    low, high = confint_proportions_2indep(14, 70, 32, 80, method="newcomb")
    assert (lead(result).conf_low, lead(result).conf_high) == pytest.approx((low, high))
    assert lead(result).p_value == pytest.approx(stats.fisher_exact([[14, 56], [32, 48]]).pvalue)
    assert [row.estimate for row in result.rows[1:]] == pytest.approx([0.2, 0.4])


def test_ordered_categoricals_keep_their_order() -> None:
    first, second = (data.codes for data in ORDERED)
    expected = pytest.approx(stats.mannwhitneyu(first, second).statistic / 25**2)
    assert lead(ss.two_ordinal(*ORDERED)).estimate == expected
    assert lead(ss.two_ordinal(*map(pd.Series, ORDERED))).estimate == expected
    counts = np.array([np.bincount(codes, minlength=3) for codes in (first, second)])
    assert lead(ss.two_ordinal(counts)).estimate == expected
    kappa = cohen_kappa_score(first, second, weights="quadratic")
    assert lead(ss.weighted_kappa(*ORDERED)).estimate == pytest.approx(kappa)


def test_winners_and_losers_in_every_dress() -> None:
    won, lost = ([pair[k] for pair in BEATS] for k in (0, 1))
    table, times = (
        pd.DataFrame({"winner": won, "loser": lost}),
        pd.Series(BEATS).value_counts().to_dict(),
    )
    for data in (
        table,
        table[["loser", "winner"]],
        iter(BEATS),
        times,
        table.value_counts().reset_index(),
    ):
        assert strengths(data) == pytest.approx(strengths(BEATS))
    assert strengths(table["winner"], table["loser"]) == strengths(table["loser"], table["winner"])
    with_draws = table.assign(
        remis=[0, 1, 0, 0, 1, 0]
    )  # a column that nobody declared may say that none won
    with pytest.raises(DesignError, match=r"item_a='winner'.*\n.*item_b='loser'"):
        ss.bradley_terry(with_draws)
    assert strengths_of(with_draws, item_a="winner", item_b="loser") == strengths(BEATS)
    assert strengths_of(table.assign(story=list("xxyyzz")), cluster="story") == strengths(BEATS)


CALLS: list[tuple[Any, str]] = [
    (
        lambda: ss.krippendorff_alpha(MATRIX),
        r"\(data, raters_in='rows'\); .* \(?.*raters_in='columns'\)$",
    ),
    (
        lambda: ss.fleiss_kappa(COUNTED),
        r"raters_in='columns'\); .*fleiss_kappa\(Ratings.from_counts\(data\)\)",
    ),
    (
        lambda: ss.two_proportions([[14, 56], [32, 48]]),
        r"\(count=\[14, 32\], nobs=\[70, 80\]\)\. The second: .*56, 48",
    ),
    (
        lambda: ss.two_proportions(ARMS.set_axis(["dead", "alive"], axis=1)),
        "levels='dead', .*counts as 1|levels=",
    ),
    (lambda: ss.two_proportions([14, 32], [70, 80]), r"two_proportions\(count="),
    (lambda: ss.two_proportions(14, 70, 32, 80), "not the number 14.*count="),
    (lambda: ss.two_proportions(count=[14.5, 32], nobs=[70, 80]), "whole numbers"),
    (lambda: ss.two_means(set(X), set(Y)), "a set has no order"),
    (lambda: ss.two_means(X[:2], ["a", "b"]), r"two_means\(values, group=labels\)"),
    (lambda: ss.two_means(X), r"one vector is not enough.*group=labels"),
    (lambda: ss.two_means(X, [*Y[:3], None]), "'second' are missing at 3 .of 0 to 3"),
    (lambda: ss.paired_difference([[1, 2], [3, 4]]), "rows or the columns"),
    (lambda: ss.symmetry([[30, 12, 1], [5, 53, 2]]), r"is square.*shape \(2, 3\)"),
    (lambda: ss.mcnemar([30, 12, 5, 53]), r"mcnemar\(\[\[30, 12\], \[5, 53\]\]\)"),
    (lambda: ss.bradley_terry(["a"], ["b"]), r"bradley_terry\(list\(zip\(winners, losers\)\)\)"),
    (lambda: ss.bradley_terry([("a", "b"), ("b", "a", "tie")]), "some rows have two entries"),
    (lambda: ss.krippendorff_alpha([1, 2], ["x", "y"], [3, 4]), "unit=units, rater=raters"),
    (lambda: ss.two_means(X, Y, weights=X), r"Did you mean weight= \?"),
    (lambda: ss.two_means(X, Y, alpha=0.1), r"Say level=0\.9$"),
    (lambda: ss.krippendorff_alpha(A, B, level_of_measurement="ordinal"), "scale="),
    (lambda: ss.krippendorff_alpha(A, B, level="ordinal"), "scale='ordinal'"),
    (lambda: ss.krippendorff_alpha(reliability_data=MATRIX), r"\(data, raters_in=\'rows\'\)"),
    (lambda: ss.choice_shares(pd.Series(["a", "b", "a"]).value_counts()), "values or counts"),
    (
        lambda: ss.choice_shares([10, 5, 5]),
        r"scale='interval'.*choice_shares\(.*count=\[10, 5, 5\]\)",
    ),
    (lambda: ss.choice_shares({"a": 10, "b": 5}), r"\(\['a', 'b'\], count=\[10, 5\]\)"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_the_message_has_the_call(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_several_contrasts_are_one_family() -> None:
    fit = ss.bradley_terry(BEATS)
    found = fit.contrast(["a - b", "b - c = 0", "a = c"], adjust="bh")
    single = [lead(fit.contrast(spec)) for spec in ("a - b", "b - c", "a - c")]
    assert [row.estimate for row in found.rows] == [row.estimate for row in single]
    p = [row.p_value for row in single]
    assert [row.p_adjusted for row in found.rows] == pytest.approx(
        multipletests(p, method="fdr_bh")[1]
    )
    by_matrix = fit.contrast(np.array([[1, -1, 0], [0, 1, -1], [1, 0, -1]]), adjust="none")
    assert [row.p_adjusted for row in by_matrix.rows] == pytest.approx(p)
    assert [row.term for row in fit.contrast({"gap": "a - b", "rest": {"b": 1, "c": -1}}).rows] == [
        "gap",
        "rest",
    ]
    assert [row.p_adjusted for row in fit.contrast(["a - b", "a - c", "b - c"]).rows] == [
        row.p_adjusted for row in fit.pairwise().rows
    ]


@pytest.mark.parametrize(
    "spec", [["a - b", "a - b"], [], {"a": "x - y"}, [[1, -1]], {"a": None, "b": 1}, ["a", None]]
)
def test_what_is_no_family_is_refused(spec: Any) -> None:
    with pytest.raises(InputError, match="contrast"):
        ss.bradley_terry(BEATS).contrast(spec)


def test_the_method_may_stand_second() -> None:
    p = pd.Series([0.01, 0.04, 0.03, 0.2], index=list("abcd"))
    found = ss.adjust(p, "BH")
    assert [row.p_adjusted for row in found.rows] == pytest.approx(
        multipletests(p, method="fdr_bh")[1]
    )
    with pytest.raises(InputError, match=r"method=0\.05"):
        ss.adjust(p, 0.05)  # type: ignore[arg-type]
