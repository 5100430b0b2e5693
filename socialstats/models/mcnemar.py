"""McNemar's tests of a paired 2 x 2 table, on its cells.

Cells: a both, b first only, c second only, d neither. Only the discordant pairs b and c carry the tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betainc, betaincinv, chdtrc

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value, not_zero
from socialstats.inference.proportions import wilson

CELLS = {"a": "both", "b": "first only", "c": "second only", "d": "neither"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A paired 2 x 2 table.

    Attributes
    ----------
    a, b, c, d : float
        Pairs that have the level under both conditions, the first only, the second only, neither. Whole numbers.

    Raises
    ------
    InputError
        If a count is negative, fractional or not finite (the message names the cell), or all are 0.

    Examples
    --------
    >>> Cells(a=794, b=150, c=86, d=570).n
    1600
    """

    a: float
    b: float
    c: float
    d: float

    def __post_init__(self) -> None:
        for name, meaning in CELLS.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0 and value % 1 == 0):
                raise InputError(f"cell {name} ({meaning}) must be a whole number of at least 0, not {value!r}")
        if self.n == 0:
            raise InputError("all four cells are 0: there is no pair")

    @property
    def n(self) -> float:
        """All pairs."""
        return self.a + self.b + self.c + self.d

    @property
    def discordant(self) -> float:
        """Pairs whose two values differ."""
        return self.b + self.c

    @property
    def difference(self) -> float:
        """Difference of the two proportions, first minus second: (b - c) / n."""
        return (self.b - self.c) / self.n

    @property
    def odds_ratio(self) -> float | None:
        """Matched odds ratio b / c; None where c is 0."""
        return self.b / self.c if self.c else None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest:
    """A test of equal proportions: `statistic` (chi-square, t, or a count), `df` where it has one, two-sided `p`."""

    statistic: float
    df: float | None
    p: float


def asymptotic(cells: Cells) -> McNemarTest:
    """McNemar's chi-square: (b - c)^2 / (b + c), 1 df (McNemar 1947). Without discordant pairs: 0, p = 1.

    Examples
    --------
    >>> round(asymptotic(Cells(a=794, b=150, c=86, d=570)).statistic, 4)
    17.3559
    """
    return _chi_square(abs(cells.b - cells.c), cells.discordant)


def continuity(cells: Cells) -> McNemarTest:
    """Chi-square with Edwards's (1948) correction: (abs(b - c) - 1)^2 / (b + c).

    As in R, b = c is not corrected: the statistic is 0 and p = 1.
    """
    return _chi_square(max(abs(cells.b - cells.c) - 1.0, 0.0), cells.discordant)


def _chi_square(gap: float, discordant: float) -> McNemarTest:
    if not discordant:
        return McNemarTest(statistic=0.0, df=1.0, p=1.0)
    statistic = gap**2 / discordant
    return McNemarTest(statistic=statistic, df=1.0, p=float(not_zero(chdtrc(1.0, statistic))))


def exact(cells: Cells) -> McNemarTest:
    """Exact test: b of b + c against a half; twice the smaller binomial tail, at most 1. `statistic` is b."""
    tail = half_tail(min(cells.b, cells.c), cells.discordant) if cells.discordant else 1.0
    return McNemarTest(statistic=cells.b, df=None, p=float(not_zero(min(2 * tail, 1.0))))


def mid_p(cells: Cells) -> McNemarTest:
    """Mid-p test: the exact p less the probability of the table itself (Fagerland et al. 2013).

    2 P(X <= m) - P(X = m) = P(X <= m) + P(X <= m - 1), m the smaller of b and c, X binomial(b + c, 1/2).
    """
    least, n = min(cells.b, cells.c), cells.discordant
    if not n:
        return McNemarTest(statistic=0.0, df=None, p=1.0)
    below = half_tail(least - 1, n) if least >= 1 else 0.0
    return McNemarTest(statistic=cells.b, df=None, p=float(not_zero(min(half_tail(least, n) + below, 1.0))))


def half_tail(k: float, n: float) -> float:
    """P(X <= k) of X binomial(n, 1/2), by the incomplete beta function: scipy's bdtr loses digits for large n."""
    return float(betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def share_interval(cells: Cells, method: str, level: float) -> tuple[float, float]:
    """Interval of b / (b + c), "exact" (Clopper & Pearson 1934) or "wilson"; (0, 1) without discordant pairs."""
    b, c, n = cells.b, cells.c, cells.discordant
    if not n:
        return 0.0, 1.0
    if method == "wilson":
        low, high = wilson(_array(b / n), _array(n), level=level)
        return (float(low[0]) if b else 0.0), (float(high[0]) if c else 1.0)
    tail = (1 - level) / 2
    low_end = float(betaincinv(b, c + 1, tail)) if b else 0.0
    return low_end, (float(betaincinv(b + 1, c, 1 - tail)) if c else 1.0)


def odds_ratio_interval(cells: Cells, method: str, level: float) -> tuple[float, float] | None:
    """Interval of the matched odds ratio b / c.

    ``"exact"`` and ``"wilson"`` turn the interval of b / (b + c) into odds; ``"wald"`` is
    exp(log(b / c) -+ z sqrt(1/b + 1/c)) (Agresti 2002), None where b or c is 0. Ends may be 0 or infinite.

    Examples
    --------
    >>> low, high = odds_ratio_interval(Cells(a=794, b=150, c=86, d=570), "exact", 0.95)
    >>> round(low, 4), round(high, 4)
    (1.3292, 2.301)
    """
    if method == "wald":
        if not (cells.b and cells.c):
            return None
        reach = critical_value(level) * math.sqrt(1 / cells.b + 1 / cells.c)
        return cells.b / cells.c * math.exp(-reach), cells.b / cells.c * math.exp(reach)
    low, high = share_interval(cells, method, level)
    return low / (1 - low), (high / (1 - high) if high < 1 else math.inf)


def cohens_g(cells: Cells, level: float) -> tuple[float, float, float] | None:
    """Cohen's g, signed: b / (b + c) - 1/2, with Wilson's interval; None without discordant pairs."""
    if not cells.discordant:
        return None
    low, high = share_interval(cells, "wilson", level)
    return cells.b / cells.discordant - 0.5, low - 0.5, high - 0.5


def _array(value: float) -> FloatArray:
    import numpy as np

    return np.array([value], dtype=np.float64)
