"""The row of a result, its fixed columns, and values as built-in types."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np

from socialstats.errors import InputError

OUT_OF_RANGE = "beyond the range of floating-point numbers: give the values in another unit"


def checked_level(level: float, fix: str = "") -> float:
    """Return a confidence level, or raise `InputError` when it is no number between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}{fix}")
    return level


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One term of a result. Empty fields do not apply to the term.

    Attributes
    ----------
    term : str
        What is estimated: an item, a coefficient, a component.
    by : str
        Level of the `by=` variable (for example the model) this row belongs to.
    group : str
        Family of terms or subgroup: ``strength``, ``order``, a condition, a rater group.
    estimate, std_error : float
        In the unit that the metric's documentation states.
    conf_low, conf_high, conf_level : float
    statistic, df, p_value : float
        Test of the hypothesis that the metric's documentation states.
    p_adjusted : float
        p-value adjusted over the family that `method` names.
    n : float
        Rows (or sum of weights) behind this term; `n_units`, `n_clusters` likewise.
    method : str
        How the interval and the test were obtained.
    undefined : str
        Why `estimate` or its interval is missing; this and what follows are no columns of `tidy()`.
    leverage : float
        Largest share of the denominator that one cluster holds.
    effective : float
        Independent answers that would give a share the variance it has under clusters.
    """

    term: str
    by: str | None = None
    group: str | None = None
    estimate: float | None = None
    std_error: float | None = None
    conf_low: float | None = None
    conf_high: float | None = None
    conf_level: float | None = None
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    n: float | None = None
    n_units: int | None = None
    n_clusters: int | None = None
    method: str | None = None
    undefined: str | None = None
    leverage: float | None = None
    effective: float | None = None


def within_floats(row: Row) -> Row:
    """Return a row whose numbers are all finite: what overflowed is undefined, with what was computed from it."""
    beyond = [name for name in NUMBERS if math.isinf(getattr(row, name) or 0.0)]
    if not beyond:
        return row
    first = min(NUMBERS.index(name) for name in beyond)
    gone: dict[str, Any] = dict.fromkeys(("conf_low", "conf_high", "conf_level") if first < 4 else ())
    gone |= dict.fromkeys(beyond) | dict.fromkeys(NUMBERS[4:] if first in (0, 1, 4) else ())
    why = f"its {beyond[0].replace('_', ' ')} is {OUT_OF_RANGE}"
    return replace(row, **gone, undefined=row.undefined or why)


NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted")
BESIDE = ("undefined", "leverage", "effective")
TIDY_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(Row) if f.name not in BESIDE)
TEXT_COLUMNS = ("term", "by", "group", "method")
GLANCE_COLUMNS = (
    "nobs", "n_clusters", "loglik", "aic", "df", "converged", "iterations", "method", "seed", "resamples",
    "effective_df", "largest_leverage",
)  # fmt: skip


def plain(value: Any) -> Any:
    """Turn numpy scalars, arrays, tuples and mappings into built-in types; NaN and infinity into None/text.

    Examples
    --------
    >>> plain({"a": np.float64(2.0), "b": (np.int64(1), float("nan"))})
    {'a': 2.0, 'b': [1, None]}
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
