"""The difference of two shares as if every rating were independent: what a naive analysis would claim."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import NothingToAnalyse
from socialstats.inference.rows import with_t
from socialstats.results import Check, Result, Row
from socialstats.studies.sources import Source

NAME = "ratings independent"


class RatingsAlone(Result):
    """A difference of two proportions of ratings; ``extras["counts"]`` holds hits and ratings of both."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the difference, its error and interval by statsmodels."""
        from socialstats.crosscheck.shares import two_proportions

        checks: Sequence[Check] = two_proportions(self.rows[0], self.extras["counts"])
        return checks


def ratings_alone(design: Ratings, source: Source, other: str, place: int, level: float) -> RatingsAlone:
    """Return a source's share of one level minus that of people, each rating counting as independent.

    p1 - p2 with s.e. sqrt(p1 (1 - p1)/n1 + p2 (1 - p2)/n2) (Wald), on the units that both rated.

    Raises
    ------
    NothingToAnalyse
        If there is no such unit.
    """
    factor, given = design.rater_groups[source.name], design.status == OK
    code = factor.codes[design.rater]
    own = [given & (code == factor.levels.index(name)) for name in (other, source.human)]
    both = set(design.unit[own[0]].tolist()) & set(design.unit[own[1]].tolist())
    shared = np.isin(design.unit, sorted(both))
    weight = design.unit_count[design.unit]
    n = [float(weight[mask & shared].sum()) for mask in own]
    if min(n) == 0:
        raise NothingToAnalyse(f"no unit was rated by both '{other}' and '{source.human}'")
    hits = [float(weight[mask & shared & (design.value == place)].sum()) for mask in own]
    p = [h / m for h, m in zip(hits, n, strict=True)]
    error = float(np.sqrt(sum(q * (1 - q) / m for q, m in zip(p, n, strict=True))))
    row = Row(term=design.levels[place], group=f"{other} - {source.human}", estimate=p[0] - p[1], n=sum(n))
    if error > 0:
        row = with_t(row, error, None, level, method="z of two proportions, ratings as independent")
    return RatingsAlone(
        metric="choice_shares", title="Difference of shares, ratings as independent", rows=(row,),
        inference="z of two proportions; ratings taken as independent", counts={"ratings": int(sum(n))},
        settings={"level": level}, design=design, words="What a test of rows would claim.",
        extras={"counts": tuple(zip(hits, n, strict=True))},
    )  # fmt: skip
