"""Covariates of the two sides: numbers when every value is one, else labels; never a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, BoolArray
from socialstats.designs.parts import Covariate
from socialstats.designs.problems import Problems
from socialstats.tables import Labels, as_number, as_text

MOSTLY = 0.5


def covariate(
    name: str, columns: tuple[str, str], use: BoolArray, problems: Problems, allowed: Sequence[Any] | None
) -> Covariate | None:
    """Decode one covariate; None when its values are a problem.

    Parameters
    ----------
    name : str
    columns : pair of str
    use : (cells,) bool array
        Cells whose values count; the others may hold anything.
    problems : Problems
    allowed : sequence, optional
        The only values the covariate may have.
    """
    sides = [problems.labels[column] for column in columns]
    if allowed is not None:
        return _declared(name, columns, sides, use, problems, allowed)
    spelled = [[as_number(level) for level in side.levels] for side in sides]
    is_text = [
        use & np.array([*(value is None for value in values), False])[side.codes]
        for values, side in zip(spelled, sides, strict=True)
    ]
    rows = float(problems.n[use].sum())
    text_rows = sum(float(problems.n[bad].sum()) for bad in is_text)
    if text_rows == 0:
        a, b = (_numbers(values)[side.codes] for values, side in zip(spelled, sides, strict=True))
        return Covariate(name=name, a=a, b=b)
    problems.refuse_spellings(columns, use)
    if text_rows >= MOSTLY * 2 * rows:
        return Covariate(name=name, a=_labels(sides[0]), b=_labels(sides[1]))
    fix = f"Correct it, or declare it with na='{{}}' (--na) if it means a missing value (covariate {name})"
    for column, bad in zip(columns, is_text, strict=True):
        if bad.any():
            problems.each_value(column, bad, [column], "'{}' is not a number", fix=fix)
    return None


def _numbers(values: Sequence[float | None]) -> AnyArray:
    return np.array([*(np.nan if v is None else v for v in values), np.nan], dtype=np.float64)


def _labels(side: Labels) -> AnyArray:
    return np.array([*side.levels, None], dtype=object)[side.codes]


def _declared(
    name: str, columns: tuple[str, str], sides: Sequence[Labels], use: BoolArray, problems: Problems,
    allowed: Sequence[Any],
) -> Covariate | None:  # fmt: skip
    wanted = [as_text(value) for value in allowed]
    numbers = [as_number(value or "") for value in wanted]
    numeric = None not in numbers
    listed = [value or "" for value in wanted]
    head = ", ".join(listed[:-1])
    message = "'{}' is not " + (f"{head} or {listed[-1]}" if head else listed[-1])
    fine = True
    for column, side in zip(columns, sides, strict=True):
        known = [as_number(level) in numbers if numeric else level in wanted for level in side.levels]
        bad = use & ~np.array([*known, True])[side.codes]
        fine = fine and not bad.any()
        problems.each_value(column, bad, [column], message, fix="Correct it, or allow it")
    if not fine:
        return None
    if numeric:
        a, b = (_numbers([as_number(level) for level in side.levels])[side.codes] for side in sides)
        return Covariate(name=name, a=a, b=b)
    return Covariate(name=name, a=_labels(sides[0]), b=_labels(sides[1]))
