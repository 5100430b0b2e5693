"""Shares over simulations with their Monte-Carlo error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the page.

    Attributes
    ----------
    study, setting, method, quantity : str
    share, error : float
        Mean over simulations of the share that held (or was rejected), and its standard error.
    simulations : int
    nominal : float
    must : pair of float or None
        Bounds that `make calibrate` insists on.
    """

    study: str
    setting: str
    method: str
    quantity: str
    share: float
    error: float
    simulations: int
    nominal: float
    must: tuple[float, float] | None = None

    @property
    def holds(self) -> bool:
        """False when the share is outside what is insisted on."""
        return self.must is None or self.must[0] <= self.share <= self.must[1]


@dataclass(slots=True)
class Tally:
    """Shares by (method, quantity), one number a simulation."""

    study: str
    setting: str
    nominal: float = 0.95
    shares: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def add(self, method: str, quantity: str, share: float) -> None:
        """Note the share of one simulation."""
        self.shares.setdefault((method, quantity), []).append(float(share))

    def covers(self, method: str, quantity: str, rows: Iterable[Any], truth: Iterable[float]) -> None:
        """Note the share of rows whose interval holds its truth; a row without an interval does not count."""
        held = [
            row.conf_low - 1e-12 <= value <= row.conf_high + 1e-12
            for row, value in zip(rows, truth, strict=True)
            if row.conf_low is not None and row.conf_high is not None
        ]
        if held:
            self.add(method, quantity, float(np.mean(held)))

    def lines(self, must: dict[tuple[str, str], tuple[float, float]] | None = None) -> list[Line]:
        """The finished lines."""
        return [
            Line(study=self.study, setting=self.setting, method=method, quantity=quantity, share=float(np.mean(found)),
                 error=float(np.std(found, ddof=1) / np.sqrt(len(found))), simulations=len(found),
                 nominal=self.nominal, must=(must or {}).get((method, quantity)))
            for (method, quantity), found in self.shares.items()
        ]  # fmt: skip
