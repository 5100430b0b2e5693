"""The ratings of a design by source, stratum and cluster: what rows of choice shares are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.compare import rows_with_holm
from socialstats.paired.robust_tests import WaldTest
from socialstats.results import Row
from socialstats.shares.counts import SourceCounts, StratumCells, free_label
from socialstats.shares.two_sources import f_text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingsBySource:
    """The ratings of a design by source, stratum and cluster, and what was asked of them.

    Attributes
    ----------
    data : SourceCounts
    cells : StratumCells
    codes : tuple of (units,) int64 arrays
        Cluster factors.
    first : int
        Place of the source that others are compared with.
    settings : dict
    names : list of str
        Names of groups of rows in use: labels of strangers may spell each other's ("a, b" of source "a").
    probable : bool
        Whether replies count with the probabilities of their levels.
    replies : tuple of (replies,) arrays, or None
        Unit, source (-1: none) and entropy in bits of the replies that have probabilities.
    """

    data: SourceCounts
    cells: StratumCells
    codes: tuple[IntArray, ...]
    first: int
    settings: dict[str, Any]
    names: list[str] = field(default_factory=list)
    probable: bool = False
    replies: tuple[IntArray, IntArray, FloatArray] | None = None

    @property
    def further(self) -> list[int]:
        """Places of the other sources."""
        return [k for k in range(len(self.data.sources)) if k != self.first]

    def name_of(self, sides: Sequence[int]) -> str:
        """Name a source, or one source less another."""
        return " - ".join(self.data.sources[k] for k in sides)

    def base(
        self, sides: Sequence[int], stratum: str | None, *, group: str | None = None, **fields: Any
    ) -> Row:
        """Return what the rows of a group share: its key, and its name, with apostrophes where it is in use.

        By default a group has the name of its source (or difference of sources) and stratum.
        """
        if group is None:
            group = ", ".join([self.name_of(sides), *([] if stratum is None else [stratum])])
        self.names.append(free_label(group, self.names))
        dimensions = zip(("source", "reference"), sides, strict=False)
        key = [(name, self.data.sources[k]) for name, k in dimensions]
        key += [("stratum", stratum)] if stratum is not None else []
        return Row(term="", group=self.names[-1], key=tuple(key), **fields)

    def terms_of_tests(self) -> tuple[str, str]:
        """Terms of the tests of any difference: by swapping, and as if ratings were independent."""
        levels = self.data.levels
        row_level = free_label("any level (ratings independent)", levels)
        return free_label("any level", levels), row_level


def row_of_level(row: Row, level: str, **fields: Any) -> Row:
    """Return the row of one level."""
    return replace(row, term=level, key=(*row.key, ("level", level)), **fields)


def holm_adjusted(rows: Sequence[Row], over: str) -> list[Row]:
    """Add Holm's p-values over the rows that have a p, where there are several."""
    return rows_with_holm(rows, f"Holm over {{m}} {over}", fewest=2)


def fill_f_test(row: Row, test: WaldTest | str) -> Row:
    """Return the row of the F test of all levels, with units (or clusters) and drawn raters as crossed factors."""
    if isinstance(test, str):
        return replace(row, undefined=test, reason="unidentified")
    return replace(row, statistic=test.statistic, df=test.df, p_value=test.p, method=f_text(test))
