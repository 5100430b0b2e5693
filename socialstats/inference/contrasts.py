"""Contrasts written as expressions of the names of coefficients."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError

PLACE = "coefficient_at_"  # stands for a name while Python's parser reads the expression


def linear_weights(text: str, names: Sequence[str]) -> dict[str, float]:
    """Return the weight of each coefficient in an expression of names, numbers, ``+ - * /`` and brackets.

    Parameters
    ----------
    text : str
        A name, ``"X - Y"`` of two names, which may hold signs themselves, or any expression that is linear in the
        names. Longer names are read first.
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
    parts = text.split(" - ")  # names may hold " - " themselves
    for k in range(1, len(parts)):
        left, right = " - ".join(parts[:k]).strip(), " - ".join(parts[k:]).strip()
        if left in names and right in names and left != right:
            return {left: 1.0, right: -1.0}
    longest = sorted(names, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
    written = re.sub(pattern, lambda match: f" {PLACE}{names.index(match.group())} ", text)
    try:
        weights = value_of(ast.parse(written.strip(), mode="eval").body, len(names))
    except (SyntaxError, ValueError, ZeroDivisionError):
        weights = None
    if weights is None or weights[-1] != 0 or not weights.any():
        raise InputError(
            f"contrast {text!r} is not 'X - Y', or another sum of coefficients with weights, such as 'X - (Y + Z)/2'. "
            f"Coefficients: {', '.join(names[:20])}; a mapping of names to weights is read too"
        )
    return {name: float(weight) for name, weight in zip(names, weights[:-1], strict=True) if weight}


def value_of(node: ast.expr, k: int) -> FloatArray:
    """Return the k weights and the constant of an expression, or raise ValueError where it is not linear."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return np.append(np.zeros(k), node.value)
    if isinstance(node, ast.Name) and node.id.startswith(PLACE):
        return np.asarray(np.eye(k + 1)[int(node.id.removeprefix(PLACE))])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return value_of(node.operand, k) * (-1 if isinstance(node.op, ast.USub) else 1)
    if not isinstance(node, ast.BinOp):
        raise ValueError
    left, right = value_of(node.left, k), value_of(node.right, k)
    if isinstance(node.op, ast.Add | ast.Sub):
        return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node.op, ast.Mult) and not (left[:-1].any() and right[:-1].any()):
        return np.asarray(left * right[-1] if left[:-1].any() else right * left[-1])
    if isinstance(node.op, ast.Div) and not right[:-1].any() and right[-1]:
        return np.asarray(left / right[-1])
    raise ValueError
