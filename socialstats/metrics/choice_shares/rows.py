"""Rows of choice shares: the shares, the differences of two sources, and the tests of any difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.compare import with_holm
from socialstats.inference.rows import with_mean
from socialstats.models.choice_tables import PairTable, chi_square, common, level_shares, share_differences, swap_p
from socialstats.models.raters import BoolArray
from socialstats.models.source_counts import Cells, SourceCounts, free_label
from socialstats.models.unit_shares import How, share_row
from socialstats.results import Row
from socialstats.text import count

HUMAN = "human"
SWAPPED = "sources swapped in whole clusters"
ROW_LEVEL = "chi-square of ratings taken as independent"


def base_source(data: SourceCounts, reference: str | None) -> int:
    """Return the place of the source that others are compared with."""
    if reference is not None:
        return data.index(reference, "reference")
    return data.sources.index(HUMAN) if HUMAN in data.sources else 0


def all_rows(
    data: SourceCounts, cells: Cells, codes: tuple[Any, ...], first: int, settings: dict[str, Any]
) -> list[Row]:
    """Shares of all units and of each stratum, then differences and tests, adjusted over the strata."""
    every = np.ones(len(cells.codes), dtype=bool)
    among = [every, *(cells.codes == k for k in range(len(cells.labels)))]
    how = How(ci=settings["ci"], level=settings["level"], resamples=settings["resamples"], seed=settings["seed"])
    names = group_names(data, cells, first)
    size = len(data.sources)
    rows = [
        one_share(data, k, j, names[g * size + k], units, codes, how)
        for g, units in enumerate(among) for k in range(size) for j in range(len(data.levels))
    ]  # fmt: skip
    after = size * len(among)
    for k in range(size):
        if k == first:
            continue
        pairs = [
            (names[after + g], common(data.counts[:, k], data.counts[:, first], data.copies, codes, units))
            for g, units in enumerate(among)
        ]
        after += len(among)
        rows += family(pairs[:1], data, settings, "levels")
        rows += family(pairs[1:], data, settings, "levels and strata")
    return rows


def group_names(data: SourceCounts, cells: Cells, first: int) -> list[str]:
    """Names of the groups of rows: shares by stratum and source, then differences by source and stratum.

    Labels of strangers may spell each other's names ("a, b" of source "a"): such names get an apostrophe.
    """
    strata = [None, *cells.labels]
    wanted = [name if label is None else f"{name}, {label}" for label in strata for name in data.sources]
    gaps = [f"{name} - {data.sources[first]}" for k, name in enumerate(data.sources) if k != first]
    wanted += [gap if label is None else f"{gap}, {label}" for gap in gaps for label in strata]
    names: list[str] = []
    for name in wanted:
        names.append(free_label(name, names))
    return names


def one_share(
    data: SourceCounts, k: int, j: int, group: str, units: BoolArray, codes: tuple[Any, ...], how: How
) -> Row:
    """Row of the share of a level."""
    counts = np.where(units[:, None], data.counts[:, k], 0.0)
    rated = counts.sum(axis=1) > 0
    row = Row(term=data.levels[j], group=group)
    if not rated.any():
        return replace(row, n=0.0, n_units=0, undefined="no rating")
    shares = level_shares(counts, j, data.copies, codes)
    made = share_row(row, shares, how)
    made = replace(made, n_units=int(data.copies[rated].sum()))
    return made if codes else replace(made, n_clusters=None, leverage=None, effective=None)


def family(
    pairs: Sequence[tuple[str, PairTable]], data: SourceCounts, settings: dict[str, Any], over: str
) -> list[Row]:
    """Differences and tests of two sources in some strata, with Holm's p over all of them."""
    gaps, tests = [], []
    for group, pair in pairs:
        if not len(pair.copies):
            gone = Row(term="", group=group, n=0.0, n_units=0, undefined="no unit was rated by both sources")
            gaps += [replace(gone, term=one) for one in data.levels]
            tests += [[replace(gone, term=term) for term in terms_of_tests(data)]]
            continue
        found = zip(data.levels, share_differences(pair), strict=True)
        gaps += [difference_row(Row(term=one, group=group), mean, pair, settings) for one, mean in found]
        tests.append(rows_of_tests(group, pair, data, settings))
    return [*adjusted(gaps, over), *adjusted([t[0] for t in tests], "strata"), *(t[1] for t in tests)]


def adjusted(rows: Sequence[Row], over: str) -> list[Row]:
    """Add Holm's p-values over the rows that have a p, where there are several."""
    return with_holm(rows, f"Holm over {{m}} {over}", fewest=2)


def sized(row: Row, pair: PairTable) -> Row:
    """Say from how many ratings, units and clusters of both sources a row was computed."""
    clusters = min((len(np.unique(code)) for code in pair.codes), default=None)
    return replace(row, n=float(pair.totals.sum()), n_units=int(pair.copies.sum()), n_clusters=clusters)


def difference_row(row: Row, mean: ClusteredMean, pair: PairTable, settings: dict[str, Any]) -> Row:
    """Row of a difference of shares."""
    made = replace(sized(row, pair), estimate=mean.mean, method=f"t, paired units ({mean.kind})")
    return with_mean(made, mean, settings["level"], within=(-1.0, 1.0))


def terms_of_tests(data: SourceCounts) -> tuple[str, str]:
    """Terms of the tests of any difference: by swapping, and as if ratings were independent."""
    return free_label("any level", data.levels), free_label("any level (ratings independent)", data.levels)


def rows_of_tests(group: str, pair: PairTable, data: SourceCounts, settings: dict[str, Any]) -> list[Row]:
    """Rows of the tests of equal shares."""
    swap_term, plain_term = terms_of_tests(data)
    base, chi = sized(Row(term=swap_term, group=group), pair), chi_square(pair)
    if chi.undefined:
        return [replace(base, undefined=chi.undefined), replace(base, term=plain_term, undefined=chi.undefined)]
    base = replace(base, statistic=chi.statistic, df=float(chi.df))
    test = swap_p(pair, permutations=settings["permutations"], seed=settings["seed"])
    plain = replace(base, term=plain_term, p_value=chi.p_value, method=ROW_LEVEL)
    if test is None or math.isnan(test.p_value[0]):
        why = "two crossed factors: no swap of whole clusters" if test is None else "a single cluster: no test"
        return [replace(base, statistic=None, df=None, undefined=why), plain]
    method = f"chi-square; {SWAPPED}, {count(test.draws, 'draw')}"
    return [replace(base, p_value=float(test.p_value[0]), method=method), plain]
