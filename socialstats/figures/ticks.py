"""Limits and ticks of axes: round numbers that have room beside each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from socialstats.figures.labels import widest
from socialstats.figures.style import SMALL

if TYPE_CHECKING:
    from socialstats.results import Row

Limits = tuple[float, float]
Ticks = list[tuple[float, str]]
ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # steps between ticks, times a power of ten
MOST = 9  # steps on an axis
GAP = 6.0  # points between the labels of two ticks
FLAT = (
    1e-12  # a spread that is a smaller share of the values is none: matplotlib has no axis for it
)
PLAIN = 1e6  # from this size on, and below its reciprocal, ticks are written with powers of ten


def round_places(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Return the multiples of a round step between two limits, at most `most` steps apart.

    Examples
    --------
    >>> round_places(-0.3, 0.8, 5)
    [-0.25, 0.0, 0.25, 0.5, 0.75]
    """
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    steps = [factor * power for factor in ROUND]
    step = next(step for step in steps if step >= least * (1 - 1e-9))
    if whole:
        step = float(max(1, math.ceil(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def tick_texts(places: Sequence[float], *, bounded: bool = False) -> list[str]:
    """Return the labels of ticks, all with the same decimals; without the leading zero where values are `bounded` by 1.

    Examples
    --------
    >>> tick_texts([-0.5, 0.0, 0.5], bounded=True), tick_texts([0.0, 1e7])
    (['−.5', '0.0', '.5'], ['0', '1e+07'])
    """
    largest = max(map(abs, places), default=0.0)
    if largest >= PLAIN or 0 < largest < 1 / PLAIN:
        texts = [f"{place:.6g}" for place in places]
    else:
        decimals = next(d for d in range(16) if _has_decimals(places, d))
        texts = [f"{place:.{decimals}f}" for place in places]
    texts = [text.replace("-", "\u2212") for text in texts]
    if not bounded:
        return texts
    return [re.sub(r"^(\u2212?)0(?=\.\d*[1-9])", r"\1", text) for text in texts]


def _has_decimals(places: Sequence[float], decimals: int) -> bool:
    close = 1e-4 * 10.0**-decimals
    return decimals == 15 or all(abs(round(place, decimals) - place) <= close for place in places)


def spaced_ticks(
    limits: Limits, length: float, *, bounded: bool = False, whole: bool = False, most: int = MOST
) -> Ticks:
    """Return the ticks of a horizontal axis of `length` points: as many as have room beside each other."""
    low, high = limits
    for steps in range(most, 0, -1):
        places = round_places(low, high, steps, whole=whole)
        texts = tick_texts(places, bounded=bounded)
        room = length * (places[-1] - places[0]) / (high - low) if places else 0.0
        if (len(places) - 1) * (widest(texts, SMALL) + GAP) <= room:
            break
    return list(zip(places, texts, strict=True))


def stacked_ticks(limits: Limits, length: float, *, bounded: bool = False) -> Ticks:
    """Return the ticks of a vertical axis of `length` points."""
    most = int(min(max(length / (2 * SMALL), 1), MOST))
    places = round_places(*limits, most)
    return list(zip(places, tick_texts(places, bounded=bounded), strict=True))


def padded(values: Sequence[float], share: float = 0.04) -> Limits:
    """Return axis limits around finite values; room either side where rounding leaves no spread."""
    low, high = min(values), max(values)
    spread, size = high - low, max(abs(low), abs(high))
    gap = share * spread if spread > FLAT * size else max(1.0, share * size)
    return low - gap, high + gap


def is_known(row: Row) -> bool:
    """Return whether a row has an estimate that can be drawn."""
    return row.estimate is not None and math.isfinite(row.estimate)


def ends_of(row: Row, edges: Limits | None = None) -> Limits | None:
    """Return both ends of a row's interval, or None; the open one of a one-sided interval is an edge of the axis."""
    low, high = row.conf_low, row.conf_high
    if edges is not None and row.has_interval:
        low = edges[0] if low is None else low
        high = edges[1] if high is None else high
    return None if low is None or high is None else (low, high)


def are_bounded(rows: Iterable[Row]) -> bool:
    """Return whether all rows with an estimate are of a quantity that cannot exceed 1 in size."""
    bounded = [row.bounded for row in rows if is_known(row)]
    return bool(bounded) and all(bounded)


def values_of(rows: Iterable[Row]) -> list[float]:
    """Return all finite estimates and ends of intervals, which an axis should hold."""
    values = [value for row in rows for value in (row.estimate, row.conf_low, row.conf_high)]
    return [value for value in values if value is not None and math.isfinite(value)]
