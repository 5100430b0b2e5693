"""Flip rate: how often two answers of one source to the same unit differ."""

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
    rating_patterns,
    unit_agreement,
    units_by_stratum,
)
from socialstats.agreement.rating_tables import agrees, level_table, pair_agreement, strata_of
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.repeated import NUMBER, repeated_answers
from socialstats.errors import DesignError
from socialstats.inference.dependence import cluster_factors, share_cautions
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, sample_of_mean
from socialstats.results.plots import forest_plot
from socialstats.shares.counts import (
    IntervalOptions,
    interval_options,
    merge_cells,
    share_row,
    shares_header,
)
from socialstats.text import count, listing

Ci = Literal["auto", "wilson", "percentile", "basic", "bca"]
ALL = "all"  # the row of all sources, where there are several
ONCE = "no unit has two answers of it"


@reads(repeated_answers, Ratings, labels="single")
def flip_rate(
    answers: Ratings | TableLike,
    *,
    tolerance: float = 0.0,
    refusal: RefusalRule = "missing",
    ci: Ci = "auto",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how often a source changes its answer when it is asked again.

    A unit's flip rate is the share of pairs of a source's answers to it that differ. The estimate is the mean over
    units with at least two answers: the probability that two answers of the source to a random unit differ.

    Parameters
    ----------
    answers : Ratings, data frame, mapping of columns, or path of a file
        One row for each answer; Ratings as `repeated_answers` of socialstats.designs.repeated makes them.
    tolerance : float
        Answers at most this far apart are alike: in their own numbers, or in steps where they are no numbers.
    refusal : {"missing", "level"}
        A refusal is no answer; or an answer of its own, which is like other refusals only.
    ci : {"auto", "wilson", "percentile", "basic", "bca"}
        As in `percent_agreement`: Wilson's interval with n = p(1 - p)/(s.e.)^2, at most the number of pairs of answers,
        and a t quantile. The others resample clusters.
    cluster : str, pair of str or None
        Declared clusters of units; by default each unit is one.
    level : float
    resamples, seed : int
        Of the bootstrap intervals.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.
        The source of an answer is the ``rater``, and ``repeat`` numbers the answers.

    Returns
    -------
    Result
        A row for each source, and ``"all"`` where there are several. Estimates are shares in [0, 1]; `n` counts units
        with two answers or more.

    Raises
    ------
    DesignError
        If no source answered a unit twice, or ratings are no repeated answers.
    InputError
        For unknown options and columns, and answers told apart by a judge, a measure or a condition.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> table = {"item": [1, 1, 1, 2, 2, 2], "model": ["m"] * 6, "run": [1, 2, 3] * 2, "answer": list("aabccc")}
    >>> round(flip_rate(table, value="answer").row("m").estimate, 3)
    0.333
    """
    how = interval_options(ci, level, resamples, seed, get_args(Ci))
    settings = {
        "tolerance": tolerance,
        "refusal": refusal,
        "cluster": cluster,
        **asdict(how),
    }
    stratum = next(iter(answers.strata), None)
    if answers.columns.get("rater") != NUMBER or stratum is None:
        raise DesignError(
            f"{answers.source}: flip_rate takes a table with one row for each answer, or what "
            "repeated_answers makes of it"
        )
    factors = cluster_factors(answers, cluster)
    # (levels, levels): within the tolerance answers are the same
    agree = agreement_matrix(answers, tolerance, refusal)
    parts = {
        group: rating_patterns(answers, factors, refusal=refusal, among=among, by_rater=False)
        for group, among in units_by_stratum(answers, stratum)
    }
    all_answers = parts.pop(None)
    if len(parts) > 1:  # the row of a single source is that of all answers
        parts = {ALL: all_answers, **parts}
    rows = [rate_row(str(group), part, agree, how) for group, part in parts.items()]
    counts = {
        "answers": all_answers.n_ratings,
        "units": all_answers.n_units,
        "sources": len(parts) - (len(parts) > 1),
    }
    cautions = (
        *missing_rating_cautions(answers, all_answers, refusal),
        *share_cautions(answers, factors, rows),
    )
    return Result(
        metric="flip_rate",
        title="Flip rate: answers of one source to one unit that differ",
        rows=tuple(rows),
        counts=counts,
        **shares_header(
            how, factors, rows, nobs=all_answers.n_ratings, n_clusters=rows[0].n_clusters
        ),
        settings=settings,
        cautions=cautions,
        references=METRIC.references,
        design=answers,
        extras={"agrees": agree, "stratum": stratum},
    )


def rate_row(name: str, part: RatingPatterns, agree: Any, how: IntervalOptions) -> Row:
    """Return the row of one source: the mean over units of the share of pairs of answers that differ."""
    if not len(part.count):
        return Row(term=name, n=0.0, n_units=0, undefined=ONCE)
    # for each pattern of answers to a unit the share of pairs that agree, and the number of pairs
    share, n_pairs = unit_agreement(part, agree)
    flips = merge_cells(1 - share, part.count, part.clusters, float(part.count @ n_pairs))
    return share_row(Row(term=name), flips, how)


def sentence(result: Result) -> str:
    """State how often answers differed, by source."""
    estimated = [row for row in result.rows if row.estimate is not None and row.term != ALL]
    if not estimated:
        return sentences.no_number("flip rate", result.rows[0].undefined or "no estimate")
    rates = listing([f"{sentences.estimate_text(row)} of {row.term}" for row in estimated], 6)
    return f"Two answers to the same unit differed at a rate of {rates} ({count(estimated[0].n or 0, 'unit')})."


def sample_answers(result: Result) -> Iterator[PlainSample]:
    """Yield the units of each source, with the share of their pairs of answers that differ."""
    design, settings = result.design, result.settings
    table = level_table(design, settings["refusal"])
    near = agrees(design, settings["tolerance"], int(table.max()) + 1)
    factors = design.factors(settings["cluster"])
    share, pairs = pair_agreement(table, near)
    for source, among in strata_of(design, result.extras["stratum"]):
        # without several sources no row has this name, and the engine passes over the sample
        term = ALL if source is None else source
        values = np.where(among, 1 - share, np.nan)
        answers = float(design.unit_count[among] @ pairs[among])
        yield sample_of_mean((None, term), values, design.unit_count, factors, answers)


METRIC = Metric(
    name="flip_rate",
    title="Flip rate",
    design="ratings",
    function=flip_rate,
    sentence=sentence,
    plot=forest_plot(xlabel="Share of pairs of answers that differ", reference=None),
    definition=Definition(samples=sample_answers),
    estimand="Mean over units of the share of pairs of answers of one source to the unit that differ.",
    assumptions=(
        "units (or the named clusters of units) are independent",
        "answers of a source to a unit are alike",
    ),
    references=("wilson1927", "korngraubard1998"),
)
