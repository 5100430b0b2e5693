"""Differences of estimates between parts that share no cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from socialstats.crosscheck.definition import Definition
from socialstats.inference.compare import with_welch
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, key_of_row
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
        check=Definition(samples=sample_gaps, peers=ask_for_welch),
    )


def sample_gaps(result: Result) -> Iterator[PlainSample]:
    """Yield the differences of the estimates of two parts, whose tests and intervals follow from the rows' errors."""
    gaps = {
        key_of_row(row): (first.estimate or 0.0) - (second.estimate or 0.0)
        for row, (first, second) in zip(result.rows, result.extras["pairs"], strict=True)
    }
    yield PlainSample(count=np.ones(1), plain=lambda count: gaps, errors_of_rows=True)


def ask_for_welch(result: Result) -> Iterator[PeerNumbers]:
    """Yield standard error and df of each difference, by Welch (1947)."""
    for row, parts in zip(result.rows, result.extras["pairs"], strict=True):
        if row.std_error is None:
            continue
        variances = np.array([(part.std_error or 0.0) ** 2 for part in parts])
        dfs = np.array([(part.n_clusters or part.n_units or 2) - 1 for part in parts])
        variance = float(variances.sum())
        numbers = {
            "std_error": variance**0.5,
            "df": variance**2 / float((variances**2 / dfs).sum()),
        }
        yield PeerNumbers(package="numpy", row=key_of_row(row), numbers=numbers)
