from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.agreement.agreement_weights import WEIGHTS, agreement_weights, order_by_levels
from socialstats.errors import InputError


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("scores", [[1, 2], [1, 2, 5], [0, 1, 2, 3, 4], [5.0, 1.0, 3.0], [7]])
def test_weights_are_symmetric_between_0_and_1_with_a_unit_diagonal(name, scores):
    w = agreement_weights(name, scores)
    assert w.shape == (len(scores), len(scores))
    np.testing.assert_array_equal(w, w.T)
    np.testing.assert_array_equal(np.diag(w), 1)
    assert w.min() >= 0
    if len(scores) > 1:
        assert w.min() == 0


def test_weights_by_hand():
    x = [1.0, 2.0, 5.0]
    for i in range(3):
        for j in range(3):
            d = abs(x[i] - x[j])
            assert agreement_weights("unweighted", x)[i, j] == (i == j)
            assert agreement_weights("linear", x)[i, j] == pytest.approx(1 - d / 4)
            assert agreement_weights("quadratic", x)[i, j] == pytest.approx(1 - d**2 / 16)
            assert agreement_weights("ratio", x)[i, j] == pytest.approx(
                1 - (d / (x[i] + x[j])) ** 2 / (4 / 6) ** 2
            )
            pairs = [0, 1, 3][abs(i - j)]  # C(2, 2), C(3, 2)
            assert agreement_weights("ordinal", x)[i, j] == pytest.approx(1 - pairs / 3)


def test_ratio_weights_of_a_zero_level():
    assert agreement_weights("ratio", [0, 1, 2]).tolist()[0] == [1, 0, 0]
    with pytest.raises(InputError, match="-1"):
        agreement_weights("ratio", [-1, 1])


def test_custom_disagreement_and_agreement_say_the_same():
    v = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    w = agreement_weights(v, [1, 2, 3], kind="disagreement")
    np.testing.assert_allclose(w, 1 - v / 6)
    np.testing.assert_allclose(agreement_weights(w, [1, 2, 3]), w)


def test_labelled_matrix_is_put_in_the_order_of_the_levels():
    levels = ("low", "medium", "high")
    v = pd.DataFrame(
        [[0, 3, 1], [3, 0, 6], [1, 6, 0]],
        index=["low", "high", "medium"],
        columns=["low", "high", "medium"],
    )
    w = agreement_weights(v, [0, 1, 2], kind="disagreement", levels=levels)
    np.testing.assert_allclose(w, 1 - np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]]) / 6)
    with pytest.raises(InputError, match="'huge'"):
        agreement_weights(
            v.rename(index={"high": "huge"}), [0, 1, 2], kind="disagreement", levels=levels
        )


AGREE, DISAGREE = [[1, 0.5], [0.5, 1]], [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("weights", "options", "said"),
    [
        (DISAGREE, {}, "kind='disagreement'"),
        (AGREE, {"kind": "disagreement"}, "kind='agreement'"),
        ("squared", {}, "squared.*quadratic"),
        ("linear", {"kind": "disagreement"}, "leave kind out"),
        (AGREE, {"kind": "distance"}, "distance"),
        ([[1, 0.5], [0.4, 1]], {}, "not symmetric: row 1, column 2 is 0.5"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], {}, "3 x 3; 2 levels"),
        ([[1, np.nan], [np.nan, 1]], {}, "missing"),
        ([[1, -0.2], [-0.2, 1]], {}, "-0.2"),
        ([[1, 1.5], [1.5, 1]], {}, "1.5"),
        ([[1, 1], [1, 1]], {}, "every choice"),
        ([[0, 0], [0, 0]], {"kind": "disagreement"}, "every choice"),
        ([[0, -1], [-1, 0]], {"kind": "disagreement"}, "-1"),
        ([["a", "b"], ["c", "d"]], {}, "numbers"),
        (0.5, {}, "single number"),
    ],
)
def test_unusable_weights_are_named(weights, options, said):
    with pytest.raises(InputError, match=said):
        agreement_weights(weights, [1, 2], **options)


@pytest.mark.parametrize("scores", [[1, 1], [1, np.inf], [], [[1, 2]]])
def test_unusable_scores(scores):
    with pytest.raises(InputError, match="scores"):
        agreement_weights("linear", scores)


def test_a_labelled_matrix_is_put_in_the_order_of_the_levels_and_a_wrong_side_is_named() -> None:
    plain = np.array([[1.0, 0.8, 0.1], [0.7, 1.0, 0.3], [0.2, 0.4, 1.0]])
    labelled = pd.DataFrame(plain, index=["a", "b", "c"], columns=["c", "a", "b"])
    found = order_by_levels(labelled, ["b", "c", "a"])
    assert found.tolist() == [[labelled.loc[row, column] for column in "bca"] for row in "bca"]
    numbered = pd.DataFrame(plain)
    assert order_by_levels(numbered, ["b", "c", "a"]).tolist() == plain.tolist()
    swapped = pd.DataFrame(plain, index=[1, 0, 2], columns=[0, 1, 2])
    assert order_by_levels(swapped, ["0", "1", "2"]).tolist() == plain[[1, 0, 2]].tolist()
    assert order_by_levels(labelled, None).tolist() == plain.tolist()
    with pytest.raises(InputError, match=r"^the rows of the weights are 'a', 'b' and 'c'"):
        order_by_levels(labelled, ["x", "y", "z"])
    with pytest.raises(InputError, match=r"^the columns of the weights are 'c', 'a' and 'b'"):
        order_by_levels(labelled.set_axis(["x", "y", "z"]), ["x", "y", "z"])


@pytest.mark.parametrize(
    ("numbers", "scale", "weights", "told"),
    [
        ([1, 2, 5], "ordinal", "linear", True),
        ([1, 2, 5], "ordinal", "quadratic", True),
        ([1, 2, 5], "ordinal", "ordinal", False),
        ([1, 2, 5], "interval", "linear", False),
        ([1, 2, 3], "ordinal", "linear", False),
        ([0.1, 0.2, 0.3, 0.4], "ordinal", "linear", False),
        ([1, 5], "ordinal", "linear", False),
        (["low", "mid", "high"], "ordinal", "linear", False),
    ],
)
def test_weights_that_follow_uneven_numbers_say_so(
    numbers: list[Any], scale: str, weights: str, told: bool
) -> None:
    rng = np.random.default_rng(1)
    value = np.array(numbers, dtype=object)[rng.integers(0, len(numbers), 40)]
    rows = {"unit": np.repeat(np.arange(20), 2), "rater": ["a", "b"] * 20, "value": value}
    design = ss.Ratings.from_frame(rows, levels=numbers, scale=scale)
    found = ss.gwet_ac(design, weights=weights)
    assert ("SS330" in [caution.code for caution in found.cautions]) == told


@pytest.mark.parametrize("copies", [1, 3])
def test_missing_ratings_are_counted_in_a_caution(copies: int) -> None:
    """Of four units and three raters; where a unit stands for three, all counts are three times as large."""
    rows = pd.DataFrame(
        {
            "unit": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4],
            "rater": ["a", "b", "c", "a", "b", "c", "a", "b", "c", "a"],
            "value": ["x", "y", "x", "y", "no", None, "x", "x", "y", "y"],
        }
    )
    design = ss.Ratings.from_frame(rows, refusal="no", scale="nominal", missing="drop")
    design = replace(design, unit_count=copies * design.unit_count)
    (told,) = [c for c in ss.krippendorff_alpha(design).cautions if c.code == "SS315"]
    assert [int(n) for n in re.findall(r"\d+", told.detail)] == [
        copies * n for n in (1, 3, 12, 1, 2)
    ]
    assert re.sub(r"\d+", "n", told.detail).replace("refusals", "refusal").replace(
        "units", "unit"
    ) == (
        "n refusal counted as missing; n of n ratings missing or not asked for; "
        "n of them written as missing; n unit with fewer than two ratings"
    )
