"""Differences of estimates between parts that share no cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from socialstats.crosscheck.definition import Definition
from socialstats.inference.compare import with_welch
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, key_of_row
from socialstats.results.rows import RowKey
from socialstats.sentences import is_significant, some_of, stat
from socialstats.text import number, shorten


def part_gaps(rows: Sequence[Row], dimension: str, stratum: str, level: float) -> Result | None:
    """Estimate the differences of all pairs of parts; None without two parts that have an error.

    Parameters
    ----------
    rows : sequence of Row
        Estimates of parts. Those whose keys differ in the dimension alone are compared.
    dimension : str
        Dimension of the keys that names the part.
    stratum : str
        What the parts are levels of.
    level : float
    """
    gaps, pairs = [], []
    for what, parts in grouped_parts(rows, dimension).items():
        for first, second in combinations(parts, 2):
            row = Row(
                term=f"{first} minus {second}",
                group=name_of_key(what),
                role="difference",
                key=(*what, ("one", first), ("two", second)),
                method="Welch's t, clusters of both parts",
            )
            gaps.append(with_welch(row, parts[first], parts[second], level))
            pairs.append((parts[first], parts[second]))
    tested, _ = adjust_family_by_holm(gaps, f"differences between levels of {stratum}")
    if not any(row.p_value is not None for row in tested):
        return None
    words = part_gaps_text(tested, pairs, shorten(stratum, 40))
    # rows of shares and of similarities are of one page, whose metric is that of the shares
    return Result(
        metric="choice_shares",
        title=f"Differences between levels of {shorten(stratum, 40)}",
        rows=tested,
        inference="t tests of independent groups of clusters, unequal variances (Welch)",
        counts={"differences": len(tested)},
        settings={"level": level},
        references=("welch1947",),
        words=words,
        extras={"pairs": tuple(pairs)},
        check=Definition(samples=sample_gaps, peers=ask_for_welch),
    )


def grouped_parts(rows: Sequence[Row], dimension: str) -> dict[RowKey, dict[str, Row]]:
    """Return the rows of each estimate by their part."""
    groups: dict[RowKey, dict[str, Row]] = {}
    for row in rows:
        what = tuple(pair for pair in row.key if pair[0] not in (dimension, "family"))
        groups.setdefault(what, {})[row.label(dimension) or ""] = row
    return groups


def name_of_key(key: RowKey) -> str:
    """Name what an estimate is of, by its key.

    Examples
    --------
    >>> name_of_key((("source", "model"), ("reference", "human"), ("level", "comply")))
    'model minus human, comply'
    """
    names: list[str] = []
    for dimension, label in key:
        if dimension == "reference":
            names[-1] += f" minus {shorten(label, 30)}"
        else:
            names.append(shorten(label, 30))
    return ", ".join(names)


def part_gaps_text(rows: Sequence[Row], pairs: Sequence[tuple[Row, Row]], stratum: str) -> str:
    """State the largest difference between two parts, with both values, and how many were significant."""
    tested = [row for row in rows if row.p_value is not None]
    clear = sum(map(is_significant, tested))
    count_text = some_of(clear, len(tested), f"differences between levels of {stratum}")
    row, parts = max(zip(rows, pairs, strict=True), key=lambda pair: abs(pair[0].estimate or 0.0))
    first, second = (
        f"{shorten(row.label(side) or '', 40)} ({number(part.shown())})"
        for side, part in zip(("one", "two"), parts, strict=True)
    )
    gap = stat(replace(row, statistic=None))
    return (
        f"{row.group} differed most between {first} and {second}, difference = {gap}. {count_text}"
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
