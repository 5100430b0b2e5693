"""Contrasts written as expressions of the names of coefficients."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.text import meant

# stands for a name while Python's parser reads the expression
PLACE = "coefficient_at_"
# an expression, weights by name, or one for each name
Spec: TypeAlias = str | Mapping[str, float] | Sequence[float]


def contrasts_of(spec: Any, names: Sequence[str]) -> dict[str, Mapping[str, float]] | None:
    """Return the weights of several contrasts by their labels; None where `spec` is one contrast.

    Raises
    ------
    InputError
        For none, and for two of one label.

    Examples
    --------
    >>> contrasts_of(["A - B", "B"], ["A", "B"]), contrasts_of({"gap": "A - B"}, ["A", "B"])
    ({'A - B': {'A': 1.0, 'B': -1.0}, 'B': {'B': 1.0}}, {'gap': {'A': 1.0, 'B': -1.0}})
    >>> contrasts_of([1, -1], ["A", "B"]), contrasts_of({"A": 1, "B": -1}, ["A", "B"])
    (None, None)
    """
    if isinstance(spec, str):
        return None
    mapped = isinstance(spec, Mapping)
    named = [(str(label), value) for label, value in spec.items()] if mapped else []
    if not mapped:
        named = [("", value) for value in spec]
    # numbers alone are the weights of one contrast
    if (named or mapped) and not any(
        isinstance(value, str | Mapping) or np.ndim(value) for _, value in named
    ):
        return None
    if not named:
        raise InputError(
            "no contrast is named: pass an expression such as 'X - Y', or several in a list"
        )
    contrasts = [
        (spec_of_label, contrast_weights(spec_of_label, names), label)
        for label, spec_of_label in named
    ]
    labels = [
        label or contrast_label(spec_of_label, weights)
        for spec_of_label, weights, label in contrasts
    ]
    if len({*labels}) < len(labels):
        raise InputError(
            f"several contrasts need different labels, and these have {', '.join(labels)}"
        )
    return {label: weights for label, (_, weights, _) in zip(labels, contrasts, strict=True)}


def difference_weights(
    first: Any, second: Any, names: Sequence[str]
) -> tuple[str, Mapping[str, float]]:
    """Return the label and the weights of the first coefficient minus the second.

    Raises
    ------
    InputError
        For what is no name of a coefficient, and for one name twice.

    Examples
    --------
    >>> difference_weights("A", "B - C", ["A", "B - C"])
    ('A - B - C', {'A': 1.0, 'B - C': -1.0})
    """
    for name in (first, second):
        if not isinstance(name, str) or name not in names:
            raise InputError(
                f"contrast of two coefficients: {name!r} is none of {', '.join(names[:20])}. Expressions stand alone, "
                "as in contrast('X - (Y + Z)/2')"
            )
    if first == second:
        raise InputError(f"contrast of '{first}' with itself: name two coefficients")
    return f"{first} - {second}", {first: 1.0, second: -1.0}


def contrast_label(spec: Any, weights: Mapping[str, float]) -> str:
    """Return the label of a contrast: its expression, or its weights in words."""
    return (
        spec
        if isinstance(spec, str)
        else " + ".join(f"{w:g} {name}" for name, w in weights.items())
    )


def contrast_weights(spec: Any, names: Sequence[str]) -> Mapping[str, float]:
    """Return the weights of one contrast: as given, in the order of the coefficients, or of an expression of them.

    Raises
    ------
    InputError
        For what is no linear expression of the names, or has another number of weights.

    Examples
    --------
    >>> contrast_weights([1, 0, -1], ["A", "B", "C"])
    {'A': 1.0, 'C': -1.0}
    """
    if isinstance(spec, str):
        return linear_weights(spec, names)
    if isinstance(spec, Mapping):
        wrong = [name for name, weight in spec.items() if not isinstance(weight, Real)]
        if wrong:
            raise InputError(
                f"the weight of '{wrong[0]}' in a contrast is not a number: {spec[wrong[0]]!r}"
            )
        return spec
    weights = np.asarray(spec, dtype=object)
    if weights.shape != (len(names),) or not all(isinstance(weight, Real) for weight in weights):
        raise InputError(
            f"a contrast of {len(names)} coefficients needs {len(names)} weights, not {weights.size}: "
            f"{', '.join(names[:20])}"
        )
    return {
        name: float(weight) for name, weight in zip(names, weights.tolist(), strict=True) if weight
    }


def linear_weights(text: str, names: Sequence[str]) -> dict[str, float]:
    """Return the weight of each coefficient in an expression of names, numbers, ``+ - * /`` and brackets.

    Parameters
    ----------
    text : str
        A name, ``"X - Y"`` of two names, which may hold signs themselves, or any expression that is linear in the
        names. Longer names are read first. ``"X = Y"`` and ``"X - Y = 0"`` are the difference.
    names : sequence of str

    Raises
    ------
    InputError
        For what is no linear expression of the names, and a constant that is left over.

    Examples
    --------
    >>> linear_weights("A - (B + C)/2", ["A", "B", "C"])
    {'A': 1.0, 'B': -0.5, 'C': -0.5}
    >>> linear_weights("gpt-4-gpt-4-mini", ["gpt-4", "gpt-4-mini"])
    {'gpt-4': 1.0, 'gpt-4-mini': -1.0}
    """
    if text in names:
        return {text: 1.0}
    # names may hold " - " themselves
    parts = text.split(" - ")
    for k in range(1, len(parts)):
        left, right = " - ".join(parts[:k]).strip(), " - ".join(parts[k:]).strip()
        if left in names and right in names and left != right:
            return {left: 1.0, right: -1.0}
    longest = sorted(names, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
    written = re.sub(pattern, lambda match: f" {PLACE}{names.index(match.group())} ", text)
    # "A - B = 0", as multcomp writes it, and "A = B"
    sides = re.split(r"==?", written)
    try:
        values = [
            linear_coefficients(ast.parse(side.strip(), mode="eval").body, len(names))
            for side in sides
        ]
        weights = values[0] if len(values) == 1 else None
        if len(values) == 2:
            weights = values[0] - values[1]
    except (SyntaxError, ValueError, ZeroDivisionError):
        weights = None
    if weights is None or weights[-1] != 0 or not weights.any():
        if stranger := unknown_name(written):
            raise InputError(
                f"contrast {text!r}: no coefficient is called '{stranger}'. {meant(stranger, names)}Coefficients: "
                f"{', '.join(names[:20])}"
            )
        raise InputError(
            f"contrast {text!r} is not 'X - Y', or another sum of coefficients with weights, such as 'X - (Y + Z)/2'. "
            f"Coefficients: {', '.join(names[:20])}; a mapping of names to weights is read too"
        )
    return {name: float(weight) for name, weight in zip(names, weights[:-1], strict=True) if weight}


def unknown_name(written: str) -> str:
    """Return the first term of an expression that stands for no coefficient and no number; empty where none does.

    Examples
    --------
    >>> unknown_name(f"{PLACE}0 - (Bx + {PLACE}2)/2"), unknown_name(f"{PLACE}0 vs {PLACE}1"), unknown_name("2 - 3")
    ('Bx', '', '')
    """
    for term in re.split(r"(?:^|\s+)[-+](?:\s+|$)|==?", written):
        name = re.sub(r"^[\s(]*(?:[\d.]+\s*\*)?[\s(]*|[\s)]*(?:[*/]\s*[\d.]+)?[\s)]*$", "", term)
        if PLACE not in name and re.search(r"[^\W\d]", name):
            return name
    return ""


def linear_coefficients(node: ast.expr, k: int) -> FloatArray:
    """Return the k weights and the constant of an expression, or raise ValueError where it is not linear."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return np.append(np.zeros(k), node.value)
    if isinstance(node, ast.Name) and node.id.startswith(PLACE):
        return np.asarray(np.eye(k + 1)[int(node.id.removeprefix(PLACE))])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return linear_coefficients(node.operand, k) * (-1 if isinstance(node.op, ast.USub) else 1)
    if not isinstance(node, ast.BinOp):
        raise ValueError
    left, right = linear_coefficients(node.left, k), linear_coefficients(node.right, k)
    if isinstance(node.op, ast.Add | ast.Sub):
        return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node.op, ast.Mult) and not (left[:-1].any() and right[:-1].any()):
        return np.asarray(left * right[-1] if left[:-1].any() else right * left[-1])
    if isinstance(node.op, ast.Div) and not right[:-1].any() and right[-1]:
        return np.asarray(left / right[-1])
    raise ValueError
