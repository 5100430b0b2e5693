"""Intervals of the difference of two paired proportions, (b - c) / n."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from socialstats.inference.intervals import critical_value
from socialstats.inference.paired_score import PairedScore
from socialstats.inference.proportions import wilson
from socialstats.models.mcnemar import Cells

Ends = tuple[float, float]


def wald_std_error(cells: Cells) -> float:
    """Standard error of the difference: sqrt(b + c - (b - c)^2 / n) / n."""
    return math.sqrt(max(cells.b + cells.c - (cells.b - cells.c) ** 2 / cells.n, 0.0)) / cells.n


def wald(cells: Cells, level: float) -> Ends:
    """Difference -+ z s.e.; far too short in small samples, and without width when no pair is discordant."""
    return _around(cells.difference, critical_value(level) * wald_std_error(cells))


def added(cells: Cells, level: float, extra: float) -> Ends:
    """Wald's interval after `extra` pairs were added to b and to c, and 2 to n, cut at -1 and 1.

    extra = 1: Bonett and Price (2012); extra = 1/2: Agresti and Min (2005).
    """
    n = cells.n + 2
    p12, p21 = (cells.b + extra) / n, (cells.c + extra) / n
    reach = critical_value(level) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / n)
    return _around(p12 - p21, reach)


def bonett_price(cells: Cells, level: float) -> Ends:
    """Bonett and Price's (2012) Laplace-adjusted Wald interval."""
    return added(cells, level, 1.0)


def agresti_min(cells: Cells, level: float) -> Ends:
    """Agresti and Min's (2005) interval: half a pair added to each cell."""
    return added(cells, level, 0.5)


def newcombe(cells: Cells, level: float) -> Ends:
    """Newcombe's (1998) method 10: Wilson's intervals of both proportions, squared and added with their correlation.

    Lower: D - sqrt(dl1^2 - 2 phi dl1 du2 + du2^2), with dl1 = p1 - l1, du2 = u2 - p2; upper likewise. phi is the
    table's, its numerator a d - b c lessened by n / 2 (not below 0) when positive; 0 where a margin is empty.
    """
    a, b, c, d, n = cells.a, cells.b, cells.c, cells.d, cells.n
    p = np.array([a + b, a + c]) / n
    low, high = wilson(p, np.array([n, n]), level=level)
    below, above = p - low, high - p
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    top = a * d - b * c
    phi = (max(top - n / 2, 0.0) if top > 0 else top) / math.sqrt(margins) if margins else 0.0
    down = below[0] ** 2 - 2 * phi * below[0] * above[1] + above[1] ** 2
    up = above[0] ** 2 - 2 * phi * above[0] * below[1] + below[1] ** 2
    return cells.difference - math.sqrt(max(down, 0.0)), cells.difference + math.sqrt(max(up, 0.0))


def tango(cells: Cells, level: float) -> Ends:
    """Tango's (1998) score interval: the differences that the score test does not reject.

    The ends solve (b - c - n delta)^2 = z^2 n (2 q + delta (1 - delta)), q the constrained maximum-likelihood
    estimate of P(second only). It has width, and covers, without discordant pairs too.

    Examples
    --------
    >>> low, high = tango(Cells(a=794, b=150, c=86, d=570), 0.95)
    >>> round(low, 6), round(high, 6)
    (0.021362, 0.058998)
    """
    b, c, n = (np.array([value], dtype=np.float64) for value in (cells.b, cells.c, cells.n))
    low, high = PairedScore(first=b, second=c, n=n).interval(level)
    return float(low[0]), float(high[0])


def _around(middle: float, reach: float) -> Ends:
    return max(middle - reach, -1.0), min(middle + reach, 1.0)


INTERVALS: dict[str, Callable[[Cells, float], Ends]] = {
    "tango": tango, "newcombe": newcombe, "bonett_price": bonett_price, "agresti_min": agresti_min, "wald": wald,
}  # fmt: skip
NAMES = {
    "tango": "Tango's score interval", "newcombe": "Newcombe's interval (method 10)",
    "bonett_price": "Bonett and Price's interval", "agresti_min": "Agresti and Min's interval",
    "wald": "Wald's interval",
}  # fmt: skip
