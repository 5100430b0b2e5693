"""Results that follow from a Bradley-Terry fit by a formula."""

from __future__ import annotations

import importlib

from socialstats.results import Result, Row, Verification
from socialstats.sentences import apa_interval


class DerivedResult(Result):
    """Numbers that follow from a fit by a formula; ``extras["fit"]`` is that fit."""

    __slots__ = ()

    def crosscheck(self) -> Verification:
        """Recompute the numbers by their definitions, with derivatives taken numerically."""
        verification: Verification = importlib.import_module(
            "socialstats.crosscheck.pair_derived"
        ).verify(self)
        return verification


def interval_or_reason(row: Row) -> str:
    """Return the interval of a row in words, or why there is none."""
    if row.conf_level is None:
        return f"no interval ({row.undefined})"
    return apa_interval(row)
