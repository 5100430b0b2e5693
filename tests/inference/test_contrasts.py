"""Contrasts as expressions: the weights give the value of the expression, whatever the coefficients are."""

from __future__ import annotations

import pytest

from socialstats.errors import InputError
from socialstats.inference.contrasts import contrast_weights, linear_weights

NAMES = ("A", "B", "C")
X = dict(zip(NAMES, (2.3, -0.7, 5.1), strict=True))
EXPRESSIONS = (
    "A",
    "-A",
    "+A - B",
    "2*A - B*3",
    "(A + B)/2 - C",
    "A/4 - (B - C)*0.5",
    "3*(A - B)/6 + C",
    "A - -B - 2*C",
    "-(A - B)*2 + 2*C",
    "(1 + 2)*A - 6/3*B",
)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_weights_give_the_value_of_the_expression(text: str) -> None:
    weights = linear_weights(text, NAMES)
    value = sum(weight * X[name] for name, weight in weights.items())
    assert value == pytest.approx(eval(text, {}, dict(X)))


@pytest.mark.parametrize("text", ["A = B", "A == B", "A - B = 0", "0 = B - A", "A = (B + B)/2"])
def test_equations_are_differences_of_their_sides(text: str) -> None:
    assert linear_weights(text, NAMES) == {"A": 1.0, "B": -1.0}


@pytest.mark.parametrize(
    ("text", "names", "first", "second"),
    [
        ("a - b - c", ("a - b", "c"), "a - b", "c"),
        ("a - b - c", ("a", "b - c"), "a", "b - c"),
        ("a-b - c", ("a-b", "a", "c"), "a-b", "c"),
        ("x = y - z", ("x = y", "z"), "x = y", "z"),
    ],
)
def test_names_may_hold_signs(text: str, names: tuple[str, ...], first: str, second: str) -> None:
    assert linear_weights(text, names) == {first: 1.0, second: -1.0}


@pytest.mark.parametrize(
    "text",
    ["A*B", "A/B", "A + 1", "A - A", "1 - 2", "A = B = C", "A**2", "A/0", "A -", "", "A = A"],
)
def test_what_is_not_linear_or_no_contrast_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not 'X - Y', or another sum"):
        linear_weights(text, NAMES)


@pytest.mark.parametrize("spec", [{"A": "1", "B": -1}, {"A": 1, "B": "-1"}])
def test_each_weight_of_a_mapping_is_a_number(spec: dict[str, object]) -> None:
    with pytest.raises(InputError, match="in a contrast is not a number"):
        contrast_weights(spec, NAMES)


@pytest.mark.parametrize(
    "spec", [[1, -1], [1, -1, 0, 0], ["1", -1, 0], [1, -1, "0"], [[1], [0], [0]]]
)
def test_a_vector_has_a_weight_for_each_coefficient(spec: object) -> None:
    with pytest.raises(InputError, match="a contrast of 3 coefficients needs 3 weights"):
        contrast_weights(spec, NAMES)
