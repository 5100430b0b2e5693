"""Differences of estimates between parts that share no cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from socialstats.inference.compare import with_welch
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.text import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEstimates:
    """An estimate by part: what it is of (and whose), and a row for each part."""

    what: str
    whose: str
    rows: Mapping[str, Row]


def part_gaps(parts: Sequence[PartEstimates], stratum: str, level: float) -> Result | None:
    """Estimate the differences of all pairs of parts; None without two parts that have an error."""
    rows, pairs = [], []
    for part in parts:
        for first, second in combinations(part.rows, 2):
            row = Row(
                term=f"{first} minus {second}",
                group=f"{part.whose}: {part.what}",
                role="difference",
                key=(("whose", part.whose), ("what", part.what), ("one", first), ("two", second)),
                method="Welch's t, clusters of both parts",
            )
            rows.append(with_welch(row, part.rows[first], part.rows[second], level))
            pairs.append((part.rows[first], part.rows[second]))
    tested, _ = adjust_family_by_holm(rows, f"differences between levels of {stratum}")
    if not any(row.p_value is not None for row in tested):
        return None
    return Result(
        metric="choice_shares",
        title=f"Differences between levels of {shorten(stratum, 40)}",
        rows=tested,
        inference="t tests of independent groups of clusters, unequal variances (Welch)",
        counts={"differences": len(tested)},
        settings={"level": level},
        references=("welch1947",),
        words="Differences between parts that share no cluster.",
        extras={"pairs": tuple(pairs)},
        check="socialstats.crosscheck.multiverse:part_gap_checks",
    )
