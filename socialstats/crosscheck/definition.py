"""From what a result is computed again: the definition of a metric, which is called to check a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from socialstats.results import Result, Row, Verification
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.equations import EquationSample


def _nothing(result: Result) -> Iterator[Any]:
    """Return nothing: no sample of this kind, or no other package, has the numbers."""
    return iter(())


def _family_name(row: Row) -> object:
    """Return the name of the family of tests, None for rows without one; each stratum has its own."""
    # the name says which tests were corrected for, and strata share it
    return (row.family, row.label("stratum")) if row.family else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """From what a result is computed again; called with a result, it returns the checks of its numbers.

    Attributes
    ----------
    samples : function of a result -> iterable of `PlainSample`
        They read the design and the settings of the result, never its numbers.
    equations : function of a result -> iterable of `EquationSample` or str
        Samples whose estimates solve an equation; a text says why there is none.
    peers : function of a result -> iterable of `PeerNumbers`
        Numbers of other packages.
    family : function of a row -> object
        What tells apart families of tests whose name is the same, by default their name; None: p is not compared.
    """

    samples: Callable[[Result], Iterable[PlainSample]] = _nothing
    equations: Callable[[Result], Iterable[EquationSample | str]] = _nothing
    peers: Callable[[Result], Iterable[PeerNumbers]] = _nothing
    family: Callable[[Row], object] = _family_name

    def __call__(self, result: Result) -> Verification:
        """Return the checks of a result."""
        # metrics load without the code that checks them
        from socialstats.crosscheck.engine import verify

        return verify(
            result,
            samples=self.samples(result),
            equations=self.equations(result),
            peers=self.peers(result),
            family=self.family,
        )
