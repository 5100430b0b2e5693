"""Percent agreement: how often two raters of the same unit agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.agreement.kappa import (
    RatingPatterns,
    RefusalRule,
    agreement_matrix,
    missing_rating_cautions,
    pair_in_quotes,
    pair_names,
    rating_patterns,
    require_pairs,
    too_many_pairs_reason,
    unit_agreement,
    units_by_stratum,
)
from socialstats.agreement.rating_tables import agrees, level_table, pair_agreement, strata_of
from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.dependence import cluster_factors, share_cautions
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, sample_of_mean
from socialstats.results.plots import forest_plot, rows_with_groups
from socialstats.shares.counts import (
    IntervalOptions,
    interval_options,
    merge_cells,
    share_row,
    shares_header,
)
from socialstats.text import count
from socialstats.voice import check_allowed, option

Ci = Literal["auto", "wilson", "percentile", "basic", "bca"]
ALL = "all pairs"
NOBODY = "no unit has ratings of both"


@reads(Ratings, labels="single")
def percent_agreement(
    ratings: Ratings | TableLike,
    *,
    tolerance: float = 0.0,
    pairs: Literal["all", "pooled"] = "all",
    stratum: str | None = None,
    refusal: RefusalRule = "missing",
    ci: Ci = "auto",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the share of pairs of raters who gave a unit the same level.

    A unit's agreement is the share of its pairs of ratings that agree. The estimate is its mean over units with at
    least two ratings (Gwet's pa). It is not corrected for chance: see `weighted_kappa`.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    tolerance : float
        Levels at most this far apart agree: in the levels' own numbers, or in steps where they are no numbers.
    pairs : {"all", "pooled"}
        With more than two raters: every pair besides all together, or only all together.
    stratum : str, optional
        A declared stratum of the units: rows for each of its levels follow those of all units.
    refusal : {"missing", "level"}
        A refusal is no rating; or a level of its own, which agrees with itself only.
    ci : {"auto", "wilson", "percentile", "basic", "bca"}
        ``"auto"`` is ``"wilson"``: with n units for two raters and independent units. Else n = p(1 - p)/(s.e.)^2, at
        most the number of pairs of ratings, with a t quantile (clusters: CR2, Satterthwaite's df). Where that cap
        binds, the row's `method` says that the s.e. is without it. The others resample units or clusters.
    cluster : str, pair of str or None
        Declared clusters of units (two are taken as crossed); None takes units as independent.
    level : float
    resamples, seed : int
        Of the bootstrap intervals.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows ``"all pairs"`` (with more than two raters) and one for each pair ``"ann | bob"``. `group` is the level of
        the stratum. Estimates are shares in [0, 1]; `n` counts units with ratings of two raters (of both).

    Raises
    ------
    InputError
        For unknown options, strata or clusters, a tolerance that is negative or asked of nominal levels, or more than
        100,000 pairs of raters with ``pairs="all"``.
    UndefinedStatistic
        With fewer than two raters, or a single unit rated twice.
    NothingToAnalyse
        If no unit has two ratings.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": [1, 2, 3, 4] * 2, "rater": ["ann"] * 4 + ["bob"] * 4,
    ...                      "value": [1, 2, 3, 3, 1, 1, 3, 1]})
    >>> design = Ratings.from_frame(rows, levels=[1, 2, 3], scale="ordinal")
    >>> percent_agreement(design).row("ann | bob").estimate
    0.5
    >>> percent_agreement(design, tolerance=1).row("ann | bob").estimate
    0.75
    """
    how = interval_options(ci, level, resamples, seed, get_args(Ci))
    check_allowed("pairs", pairs, ("all", "pooled"))
    settings = {
        "tolerance": tolerance,
        "pairs": pairs,
        "stratum": stratum,
        "refusal": refusal,
        "cluster": cluster,
        **asdict(how),
    }
    factors = cluster_factors(ratings, cluster)
    agree = agreement_matrix(ratings, tolerance, refusal)
    pooled = pairs == "pooled"
    # rows of all pairs of many raters would be no table
    why = "" if pooled else too_many_pairs_reason(len(ratings.raters))
    if why:
        raise InputError(f"{ratings.source}: {why}; use {option('pairs', 'pooled')}")
    strata = {
        group: rating_patterns(ratings, factors, refusal=refusal, among=among, by_rater=not pooled)
        for group, among in units_by_stratum(ratings, stratum)
    }
    overall = strata[None]
    require_pairs(ratings, overall)
    rows = [
        row
        for group, stratum_patterns in strata.items()
        for row in pair_agreement_rows(group, stratum_patterns, agree, pairs, how)
    ]
    within = f" within {tolerance:g}" if tolerance else ""
    counts = {
        "ratings": overall.n_ratings,
        "units": overall.n_units,
        "raters": len(overall.raters),
    }
    cautions = (
        *missing_rating_cautions(ratings, overall, refusal),
        *share_cautions(ratings, factors, rows),
    )
    return Result(
        metric="percent_agreement",
        title=f"Percent agreement{within}",
        rows=tuple(rows),
        counts=counts,
        **shares_header(how, factors, rows, nobs=overall.n_ratings, n_clusters=rows[0].n_clusters),
        settings=settings,
        cautions=cautions,
        references=METRIC.references,
        design=ratings,
        extras={"agrees": agree},
    )


def pair_agreement_rows(
    group: str | None, table: RatingPatterns, agree: FloatArray, pairs: str, how: IntervalOptions
) -> list[Row]:
    """Rows of all pairs of raters together, then of each pair."""
    several = len(table.raters) > 2 or pairs == "pooled"
    # with two raters all pairs are the one pair
    out = [all_pairs_row(group, table, agree, how)] if several else []
    if pairs == "pooled":
        return out
    for (a, b), name in pair_names(table.raters).items():
        # codes of the levels that each rater gave; -1 where a rater did not rate
        first, second = table.codes[:, a], table.codes[:, b]
        rated_by_both = (first >= 0) & (second >= 0)
        row = Row(term=name, group=group)
        if not rated_by_both.any():
            out.append(Row(term=name, group=group, n=0.0, n_units=0, undefined=NOBODY))
            continue
        values, n = agree[first[rated_by_both], second[rated_by_both]], table.count[rated_by_both]
        codes = [code[rated_by_both] for code in table.clusters]
        out.append(share_row(row, merge_cells(values, n, codes, float(n.sum())), how))
    return out


def all_pairs_row(
    group: str | None, part: RatingPatterns, agree: FloatArray, how: IntervalOptions
) -> Row:
    """Row of all pairs: the mean over units of the share of their pairs that agree."""
    row = Row(term=ALL, group=group)
    if not len(part.count):
        return Row(term=ALL, group=group, n=0.0, n_units=0, undefined="no unit has two ratings")
    # an interval counts pairs of raters as answers, and no more of them than there are
    share, n_pairs = unit_agreement(part, agree)
    return share_row(
        row, merge_cells(share, part.count, part.clusters, float(part.count @ n_pairs)), how
    )


def sentence(result: Result) -> str:
    """State how often two raters of a unit agreed."""
    row = result.rows[0]
    tolerance = result.settings["tolerance"]
    what = f"differed by at most {tolerance:g}" if tolerance else "gave the same level"
    who = "two raters of a unit" if row.term == ALL else f"the raters {pair_in_quotes(row.term)}"
    if row.estimate is None:
        return sentences.no_number("percent agreement", row.undefined or "no estimate")
    return f"The rate at which {who} {what} was {sentences.estimate_text(row)} ({count(row.n or 0, 'unit')})."


def sample_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units of each row, with the share of their pairs of ratings that agree."""
    design, settings = result.design, result.settings
    table = level_table(design, settings["refusal"])
    near = agrees(design, settings["tolerance"], int(table.max()) + 1)
    factors = design.factors(settings["cluster"])
    several = settings["pairs"] == "pooled" or len(design.raters) > 2
    names = {ALL: list(range(len(design.raters)))} if several else {}
    if settings["pairs"] == "all":
        names |= {name: [*pair] for pair, name in pair_names(design.raters).items()}
    for group, among in strata_of(design, settings["stratum"]):
        for term, raters in names.items():
            share, pairs = pair_agreement(table[:, raters], near)
            values = np.where(among, share, np.nan)
            answers = float(design.unit_count[among] @ pairs[among])
            yield sample_of_mean((group, term), values, design.unit_count, factors, answers)


METRIC = Metric(
    name="percent_agreement",
    title="Percent agreement",
    design="ratings",
    function=percent_agreement,
    sentence=sentence,
    plot=forest_plot(rows_with_groups, xlabel="Share of pairs that agree", reference=None),
    definition=Definition(samples=sample_units),
    estimand="Mean over units of the share of pairs of raters who gave the unit the same level.",
    assumptions=(
        "units (or the named clusters of units) are independent",
        "agreement is not corrected for chance",
    ),
    references=("wilson1927", "korngraubard1998"),
)
