"""Spearman's rank correlation of the scores of two raters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from socialstats.agreement.kappa import pair_in_quotes
from socialstats.agreement.rating_counts import NO_PAIR
from socialstats.agreement.rating_tables import level_table
from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.inference.compare import with_pairs_holm
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    small_sample_caution,
)
from socialstats.inference.how import How
from socialstats.inference.infer import FEWEST_UNITS, Estimand, infer, influence_cautions
from socialstats.inference.rows import with_inferred
from socialstats.inference.sides import one_sided, side_text, two_sided_level
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.plots import forest_plot
from socialstats.results.rows import lowest_and_highest, undefined_text
from socialstats.sentences import stat
from socialstats.text import count, listing, number
from socialstats.voice import option

FEW = "{n} rated by both: a correlation with an error needs " + str(FEWEST_UNITS)
# units without a rater's most common score, see `units_off_the_mode`
FEWEST_OTHERS, ENOUGH, ENOUGH_CLUSTERED = 5, 15, 40
ALIKE = "a rater gave all but {others} of {n} the same score"
PERFECT = "no unit departs from a perfect correlation: no error, no interval"
ROUNDING = 1e-12  # distance from 1 of a perfect correlation
CORRELATION_RANGE = (-1.0, 1.0)  # what a correlation can be
STILL = "no variation: a rater gave every unit the same score"


def midranks(
    x: FloatArray, share: FloatArray
) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Return midranks in (-1/2, 1/2), and how a unit moves the mean of a function by moving the ranks of all."""
    _, code = np.unique(x, return_inverse=True)
    share_of_level = np.bincount(code, share)

    def mean_change(function: FloatArray) -> FloatArray:
        # a unit raises the ranks of all above it, and of those that tie with it by half
        mass = np.bincount(code, share * function)
        return np.asarray(mass[::-1].cumsum()[::-1] - mass / 2)[code]

    ranks = share_of_level.cumsum() - share_of_level / 2 - 0.5
    return ranks[code], mean_change


class PairRow(NamedTuple):
    """Row of a pair of raters, the cautions of its interval, and the skewness of what units add."""

    row: Row
    cautions: tuple[Caution, ...] = ()
    skewness: float = 0.0


def pair_row(
    design: Ratings,
    scores: FloatArray,
    pair: tuple[int, int],
    factors: Sequence[Factor],
    how: How,
) -> PairRow:
    """Return the row of a pair of raters, undefined where too few units or scores differ."""
    x, y = (scores[:, k] for k in pair)
    use = ~(np.isnan(x) | np.isnan(y))
    names, copies = [design.raters[k] for k in pair], design.unit_count[use]
    row = Row(
        term=" | ".join(names),
        role="estimate",
        key=(("rater", names[0]), ("other", names[1])),
        n=float(copies.sum()),
        n_units=int(copies.sum()),
        limits=CORRELATION_RANGE,
    )
    if copies.sum() < FEWEST_UNITS:
        few = FEW.format(n=count(copies.sum(), "unit"))
        return PairRow(replace(row, undefined=few, reason="no_data"))
    if any(len(np.unique(side[use])) == 1 for side in (x, y)):
        return PairRow(replace(row, undefined=STILL, reason="no_variation"))
    value, influence = rank_correlation(x[use], y[use], copies)
    # Fisher's z is infinite there
    if abs(value) > 1 - ROUNDING:
        row = replace(row, estimate=float(np.sign(value)))
        return PairRow(replace(row, undefined=PERFECT, reason="perfect_agreement"))
    estimand = Estimand(
        estimate=np.array([value]),
        influence=lambda: influence[:, None],
        shares=(copies / copies.sum())[:, None],
        copies=copies,
        fisher=True,
        least=CORRELATION_RANGE[0],
    )
    clusters = [factor.codes[use] for factor in factors]
    (inferred,), cautions = infer(estimand, clusters, how)
    # SS317 is raised for all pairs together
    cautions = tuple(warning for warning in cautions if warning.code != "SS317")
    row = replace(
        row,
        estimate=value,
        method="linearised s.e., Fisher z, t",
        interval="fisher_z",
        test="t",
        n_clusters=inferred.clusters if factors else None,
    )
    others = units_off_the_mode(x[use], y[use], copies)
    message = ALIKE.format(others=count(others, "unit"), n=count(copies.sum()))
    if others < FEWEST_OTHERS:
        row = replace(row, method=None, interval=None, test=None)
        return PairRow(replace(row, undefined=message, reason="no_interval"), cautions)
    rare = small_sample_caution(
        others,
        ENOUGH_CLUSTERED if factors else ENOUGH,
        message,
        affects="the interval of their correlation: nominal 95% ones held .67 to .97 of "
        "simulations",
        fix="rate more units with the rare scores",
    )
    row = with_inferred(row, inferred, how.level)
    return PairRow(row, (*cautions, *rare), inferred.skewness)


def units_off_the_mode(x: FloatArray, y: FloatArray, copies: FloatArray) -> float:
    """Return how many units do not have a rater's most common score, infinity where it has fewer than half.

    Nominal 95% intervals of Spearman's rho of two binary or skewed scores held .27 to .89 with fewer than 5 such units
    of 30 to 300. They held .67 to .97 with 5 to 14 (with 6 to 40 clusters of ten: with 5 to 39), and .92 to .97 with
    more.

    Parameters
    ----------
    x, y, copies : (n,) float64 arrays
        Scores of both raters, and how many units have them.
    """
    most = max(
        np.bincount(np.unique(side, return_inverse=True)[1], copies).max() for side in (x, y)
    )
    return float(copies.sum() - most) if most > copies.sum() / 2 else np.inf


def sentence(result: Result) -> str:
    """Return a sentence on the correlation of two raters, or the range of those of all pairs."""
    defined = [row for row in result.rows if row.estimate is not None]
    row, pairs = result.rows[0], f"{count(len(result.rows), 'pair')} of raters"
    if len(result.rows) > 1 and not defined:
        return f"{result.title} of {pairs} is undefined: {undefined_text(result.rows)}."
    if len(result.rows) > 1:
        low, high = lowest_and_highest(defined)
        text = f"{result.title} of {pairs} ranged from {_end(low)} to {_end(high)}"
        if len(low) == len(defined):
            text = f"{result.title} of {pairs} was {_end(low)}"
        undefined = [r for r in result.rows if r.estimate is None]
        if undefined:
            text += f"; undefined for {len(undefined)}: {undefined_text(undefined)}"
        return f"{text}."
    start = f"{result.title} of {pair_in_quotes(row.term)}"
    if row.estimate is None:
        return f"{start} is undefined: {row.undefined}."
    side = side_text(result.settings["alternative"]) if row.p_value is not None else ""
    return f"{start} was {stat(row)}{side} (n = {count(row.n or 0)})."


def _end(rows: Sequence[Row]) -> str:
    """Write the lowest or highest correlation, with the pairs of raters that have it."""
    who = listing([pair_in_quotes(row.term) for row in rows], 3)
    return f"{number(rows[0].shown())} ({who})"


@reads(Ratings)
def spearman_rho(
    ratings: Ratings | TableLike,
    *,
    raters: Sequence[str] | None = None,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Spearman's rho, the correlation of midranks, of each pair of raters on the units that both rated.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Of ordered levels or numbers. With a ``by`` factor: one result a level.
    raters : sequence of str, optional
        Only these raters, such as a judge and a person.
    alternative : {"two_sided", "greater", "less"}
        Of rho against 0, for each pair. One-sided: the intervals have one end. The other is -1 or 1.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows ``"ann | bob"``: rho, linearised s.e. (Borkowf 2002), t interval on Fisher's z scale, t of rho = 0,
        `p_adjusted` by Holm over the pairs.

    Raises
    ------
    InputError, UndefinedStatistic, NothingToAnalyse
        For nominal levels, unknown options, raters or clusters; fewer than two raters with names; no rating.

    References
    ----------
    Borkowf, C. B. (2002). Nonnull asymptotic variance of Spearman's rank correlation. doi:10.1016/S0167-9473(01)00081-0

    Examples
    --------
    >>> table = {"judge": [1, 2, 3, 4, 5, 5], "person": [2, 1, 3, 5, 4, 5]}
    >>> round(spearman_rho(table, raters=["judge", "person"], scale="ordinal").row("judge | person").estimate, 4)
    0.8088
    """
    inner = two_sided_level(level, alternative)
    how = How(ci="closed", cluster=cluster, level=inner, resamples=0, seed=0)
    if ratings.scale == "nominal":
        raise InputError(
            f"{METRIC.title} needs an order of the levels: declare "
            f"{option('scale', 'ordinal', '--scale ordinal')}, or numbers"
        )
    if raters is not None:
        ratings = ratings.of_raters(tuple(raters))
    if len(ratings.raters) < 2 or not ratings.raters_known:
        raise UndefinedStatistic(
            f"{METRIC.title} needs two raters with names who rated the same units"
        )
    if not ratings.levels:
        raise NothingToAnalyse(f"{ratings.source}: {NO_PAIR}")
    factors = cluster_factors(ratings, cluster)
    table = ratings.matrix()
    scores = np.where(
        np.isnan(table), np.nan, ratings.scores[np.nan_to_num(table).astype(np.int64)]
    )
    pairs = combinations(range(scores.shape[1]), 2)
    computed = [pair_row(ratings, scores, pair, factors, how) for pair in pairs]
    rows = tuple(
        with_pairs_holm(
            [one_sided(pair.row, alternative, level, CORRELATION_RANGE) for pair in computed]
        )
    )
    largest = max((row.leverage or 0.0 for row in rows), default=0.0)
    # the first caution of each code stands
    warned = {warning.code: warning for pair in reversed(computed) for warning in pair.cautions}
    skewness = [pair.skewness for pair in computed]
    shapes = influence_cautions(
        skewness, bool(factors), "a correlation", [row.name for row in rows]
    )
    shown = [row.df for row in rows if row.has_interval]
    fit = {
        "nobs": ratings.n_rows,
        "n_clusters": rows[0].n_clusters,
        "method": "linearised",
        "effective_df": min((df for df in shown if df is not None), default=None),
        "largest_leverage": largest or None,
    }
    settings = {
        "raters": None if raters is None else list(raters),
        "alternative": alternative,
        "cluster": cluster,
        "level": level,
    }
    counts = {"units": int(ratings.unit_count.sum()), "raters": len(ratings.raters)}
    cautions = (
        *cluster_cautions(ratings, factors, df=shown, largest=largest),
        *shapes,
        *warned.values(),
    )
    return Result(
        metric="spearman_rho",
        title=METRIC.title,
        rows=rows,
        design=ratings,
        references=METRIC.references,
        inference=f"Fisher z intervals with linearised standard errors; {cluster_text(factors, 'units')}",
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
    )


def rank_correlation(x: FloatArray, y: FloatArray, copies: FloatArray) -> tuple[float, FloatArray]:
    """Return rho of units, and what the (alike) units of each entry add to it to first order (Borkowf 2002)."""
    share = copies / copies.sum()
    # centred midranks, and how a unit moves the mean of a function by moving the ranks of all
    (f, rank_influence_f), (g, rank_influence_g) = midranks(x, share), midranks(y, share)
    a, b = share @ f**2, share @ g**2
    rho = float(share @ (f * g) / np.sqrt(a * b))
    # delta method of rho = cov / sqrt(a b): the midranks f and g depend on the weights of units too
    influence = (f * g + rank_influence_f(g) + rank_influence_g(f)) / np.sqrt(a * b)
    influence -= (
        rho / 2 * ((f**2 + 2 * rank_influence_f(f)) / a + (g**2 + 2 * rank_influence_g(g)) / b)
    )
    return rho, share * (influence - share @ influence)


def sample_pairs_of_raters(result: Result) -> Iterator[PlainSample]:
    """Yield the units that two raters rated, by both scores; rho is the correlation of the midranks."""
    design: Ratings = result.design
    table = level_table(design, "missing")
    for row in result.rows:
        pair = [design.raters.index(str(row.label(part))) for part in ("rater", "other")]
        units = np.flatnonzero((table[:, pair] >= 0).all(axis=1))
        if row.estimate is None:
            continue
        factors = design.factors(result.settings["cluster"])
        first, second = design.scores[table[units][:, pair]].T
        yield PlainSample(
            count=design.unit_count[units],
            plain=rank_correlation_of((row.group, row.term), first, second),
            factors=tuple(factor.take(units) for factor in factors),
            alike=np.column_stack([first, second]),
        )


def rank_correlation_of(
    key: RowKey, first: FloatArray, second: FloatArray
) -> Callable[[FloatArray], dict[RowKey, float]]:
    """Return the function from the units of each cell to the correlation of the ranks of two scores."""
    codes = [np.unique(scores, return_inverse=True)[1] for scores in (first, second)]

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        ranks = []
        for code in codes:
            units = np.bincount(code, count)
            # the mean rank of equal scores: all units below, and half of the equal ones
            ranks.append((np.cumsum(units) - units / 2)[code])
        cov = np.cov(np.stack(ranks), aweights=count)
        return {key: float(cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]))}

    return estimates


def ask_scipy(result: Result) -> Iterator[PeerNumbers]:
    """The coefficient of scipy, of single units."""
    from scipy.stats import spearmanr

    estimated = [row for row in result.rows if row.estimate is not None]
    for row, sample in zip(estimated, sample_pairs_of_raters(result), strict=True):
        if sample.alike is not None:
            scores = np.repeat(sample.alike, sample.count.astype(np.int64), axis=0)
            numbers = {"estimate": float(spearmanr(scores).statistic)}
            yield PeerNumbers(package="scipy", row=(row.group, row.term), numbers=numbers)


METRIC = Metric(
    name="spearman_rho",
    title="Spearman's rho",
    design="ratings",
    function=spearman_rho,
    sentence=sentence,
    plot=forest_plot(),
    definition=Definition(samples=sample_pairs_of_raters, peers=ask_scipy),
    estimand="The correlation of the ranks that two raters give to the same units.",
    assumptions=("units (or the named clusters) are independent draws from the units of interest",),
    references=("borkowf2002",),
    swap="none",
)
