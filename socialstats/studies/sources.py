"""Ratings of several sources: who is the human one, and a by factor as a part of what is rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.designs.factors import taken
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.results import Result, Row

HUMANS = ("human", "humans", "people", "person", "persons")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The rater group that says the source: its name, the human level, and the others in order."""

    name: str
    human: str
    others: tuple[str, ...]


def human_source(design: Ratings) -> Source | None:
    """Return the rater group of which one level is called human; None where there is none, or nothing beside it."""
    for name, factor in design.rater_groups.items():
        used = {factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0}
        for level in factor.levels:
            if level.strip().casefold() in HUMANS and level in used and len(used) > 1:
                others = tuple(other for other in factor.levels if other != level and other in used)
                return Source(name=name, human=level, others=others)
    return None


def raters_of(design: Ratings, source: Source, level: str) -> tuple[str, ...]:
    """Return the raters of a source."""
    factor = design.rater_groups[source.name]
    code = factor.levels.index(level)
    return tuple(rater for rater, own in zip(design.raters, factor.codes.tolist(), strict=True) if own == code)


def crossed(design: Ratings) -> Ratings:
    """Return the design with its by factor as part of the units and as a stratum of them.

    A scenario under six pressures becomes six units of one cluster: the declared clusters, or the scenario itself.
    """
    if design.by is None:
        return design
    by, width = design.by, len(design.by.levels)
    keys, code = np.unique(design.unit * width + by.codes, return_inverse=True)
    unit, level = keys // width, keys % width
    pairs = [(design.units[u], by.levels[v]) for u, v in zip(unit.tolist(), level.tolist(), strict=True)]
    labels = [f"{one}, {other}" for one, other in pairs]
    if len(set(labels)) < len(labels):  # 'a, b' under 'c' and 'a' under 'b, c'
        labels = [" | ".join(map(repr, pair)) for pair in pairs]
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    own = place[code.ravel()]
    unit, level = unit[order], level[order]
    rows = np.lexsort((design.rater, own))
    clusters = tuple(taken(factor, unit) for factor in design.clusters)
    whole = Factor(name=design.columns.get("unit", "unit"), codes=np.arange(len(design.units)), levels=design.units)
    return replace(
        design, units=tuple(labels[k] for k in order.tolist()), unit=own[rows], rater=design.rater[rows],
        value=design.value[rows], status=design.status[rows], unit_count=design.unit_count[unit], by=None,
        clusters=clusters or (taken(whole, unit),),
        strata={**{name: taken(factor, unit) for name, factor in design.strata.items()},
                by.name: Factor(name=by.name, codes=level, levels=by.levels)},
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Rows of a result of choice shares by what they are about; a stratum of None is all units.

    Attributes
    ----------
    shares : mapping of (source, stratum) to rows of the levels
    gaps : mapping of (other source, stratum) to rows of the differences to the reference
    tests : mapping of (other source, stratum) to the row of any difference: swapped in whole clusters
    naive : mapping of (other source, stratum) to the same of ratings taken as independent
    """

    shares: dict[tuple[str, str | None], tuple[Row, ...]]
    gaps: dict[tuple[str, str | None], tuple[Row, ...]]
    tests: dict[tuple[str, str | None], Row]
    naive: dict[tuple[str, str | None], Row]


def unpacked(result: Result, strata: Sequence[str] = ()) -> Shares:
    """Sort the rows of a result of choice shares, which come in a fixed order; labels are not read back."""
    counts = result.extras["counts"]
    sources, among = list(counts), (None, *strata)
    m = len(counts[sources[0]])
    rows = iter(result.rows)

    def some() -> tuple[Row, ...]:
        return tuple(next(rows) for _ in range(m))

    found = Shares(shares={(s, g): some() for g in among for s in sources}, gaps={}, tests={}, naive={})
    for other in (s for s in sources if s != result.settings["reference"]):
        for part in ((None,), tuple(strata)):
            found.gaps.update({(other, g): some() for g in part})
            found.tests.update({(other, g): next(rows) for g in part})
            found.naive.update({(other, g): next(rows) for g in part})
    return found
