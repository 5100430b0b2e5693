"""The difference of two proportions of ratings, treating each rating as independent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_t
from socialstats.registry import reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.peers import load_peer
from socialstats.shares.counts import source_counts
from socialstats.shares.two_sources import PairTable, rated_by_both
from socialstats.text import count, quoted
from socialstats.voice import option

LIMITS = (-1.0, 1.0)  # ends of a difference of shares


@reads(Ratings)
def independent_ratings(
    ratings: Ratings | TableLike,
    *,
    source: str,
    first: str,
    second: str,
    choice: str,
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate a source's share of one level minus that of another, each rating counting as independent.

    p1 - p2 with s.e. sqrt(p1 (1 - p1) / n1 + p2 (1 - p2) / n2) (Wald), on the units that both rated. Ratings of one
    unit are seldom independent: `choice_shares` takes units, or clusters of them, as the sample.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
    source : str
        A rater group.
    first, second : str
        Two of its levels.
    choice : str
        The level of the ratings whose share is compared.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        One row.

    Raises
    ------
    InputError
        If the choice is no level.
    NothingToAnalyse
        If no unit was rated by both.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions.
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I

    Examples
    --------
    >>> table = {"unit": [1, 1, 2, 2, 3, 3], "rater": ["a", "m"] * 3, "value": [*"ynyyny"], "who": ["human", "ai"] * 3}
    >>> result = independent_ratings(
    ...     table, rater_groups="who", scale="nominal", source="who", first="ai", second="human", choice="y"
    ... )
    >>> round(result.rows[0].estimate, 3)
    0.0
    """
    design = ratings
    assert isinstance(design, Ratings)
    if choice not in design.levels:
        raise InputError(
            f"{option('choice', choice)}: no such level. Levels: {quoted(design.levels)}"
        )
    checked_level(level)
    place = design.levels.index(choice)
    data = source_counts(design, source, "missing")
    counts_first, counts_second = (
        data.counts[:, data.index(name, "source")] for name in (first, second)
    )
    # units that only one source rated would compare different units
    pair = rated_by_both(
        counts_first, counts_second, data.copies, (), np.ones(len(counts_first), dtype=bool)
    )
    n = pair.totals.sum(axis=1).tolist()
    hits = pair.totals[:, place].tolist()
    if min(n) == 0:
        raise NothingToAnalyse(f"no unit was rated by both '{first}' and '{second}'")
    p = [h / m for h, m in zip(hits, n, strict=True)]
    # Wald's standard error (Newcombe 1998, method 1)
    error = float(np.sqrt(sum(q * (1 - q) / m for q, m in zip(p, n, strict=True))))
    row = Row(
        term=choice,
        group=f"{first} - {second}",
        role="difference",
        estimate=p[0] - p[1],
        n=sum(n),
        limits=LIMITS,
    )
    if error > 0:
        method = "z of two proportions, treating ratings as independent"
        row = with_t(row, error, None, level, within=LIMITS, method=method)
    else:
        why = "both shares are 0 or 1: no standard error"
        row = replace(row, undefined=why, reason="no_variation")
    return Result(
        metric="choice_shares",
        title="Difference of shares, treating ratings as independent",
        rows=(row,),
        inference="z of two proportions; ratings taken as independent",
        counts={"ratings": int(sum(n))},
        settings={"level": level},
        design=design,
        words="Treating ratings as independent gave this difference.",
        cautions=repeated_ratings_caution(pair),
        extras={"counts": tuple(zip(hits, n, strict=True))},
        check=Definition(samples=sample_two_groups, peers=ask_statsmodels),
    )


def repeated_ratings_caution(pair: PairTable) -> tuple[Caution, ...]:
    """Caution SS322 where units have several ratings of one source, which the test counts as independent.

    Of 40 units with five ratings of either source that mostly agreed, nominal 95% intervals held .76 of simulations.
    """
    several = np.maximum(pair.first.sum(axis=1), pair.second.sum(axis=1)) > 1
    if not several.any():
        return ()
    units = f"{count(int(several.sum()), 'unit')} of {count(len(several))} with several ratings of one source"
    affects = "the interval and its test, which can be far too short"
    fix = "use choice_shares(), whose sample is of units or clusters"
    return (caution("SS322", units, affects=affects, fix=fix),)


def sample_two_groups(result: Result) -> Iterator[PlainSample]:
    """Yield the ratings of two groups, hits and others: the estimate is the difference of the shares of hits."""
    (row,), ((a, n), (b, m)) = result.rows, result.extras["counts"]
    counts = np.array([a, n - a, b, m - b], dtype=np.float64)
    hit = np.array([1.0, 0.0, 1.0, 0.0])
    second = np.array([False, False, True, True])

    def difference(count: FloatArray) -> dict[RowKey, float]:
        shares = [
            float(count[inside] @ hit[inside] / count[inside].sum()) for inside in (~second, second)
        ]
        return {(row.group, row.term): shares[0] - shares[1]}

    yield PlainSample(count=counts, plain=difference, second=second)


def ask_statsmodels(result: Result) -> Iterator[PeerNumbers]:
    """Wald's interval of statsmodels."""
    (row,), ((a, n), (b, m)) = result.rows, result.extras["counts"]
    if row.conf_low is not None:
        theirs = load_peer("statsmodels.stats.proportion", "confint_proportions_2indep")
        level = row.conf_level or 0.95
        low, high = theirs(a, n, b, m, method="wald", compare="diff", alpha=1 - level)
        key = (row.group, row.term)
        # statsmodels' interval goes beyond what a difference of shares can be
        ends = max(float(low), LIMITS[0]), min(float(high), LIMITS[1])
        yield PeerNumbers(package="statsmodels", row=key, ends=ends)
