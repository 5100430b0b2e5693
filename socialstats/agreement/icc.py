"""The intraclass correlation ICC(2,1): agreement of raters on numbers, where raters are a sample of many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray, scale_free
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import (
    Caution,
    InputError,
    NothingToAnalyse,
    UndefinedStatistic,
    caution,
)
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    small_sample_caution,
)
from socialstats.inference.infer import FEWEST_UNITS
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import dense_codes
from socialstats.inference.rows import with_ends
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.peers import load_peer
from socialstats.results.plots import forest_plot
from socialstats.sentences import estimate_text
from socialstats.text import count, number
from socialstats.voice import check_allowed, option

Ci = Literal["generalized", "f"]
METHODS = {
    "generalized": "generalized interval of mean squares",
    "f": "McGraw and Wong's F interval",
}
TERM = "ICC(2,1)"
LIMITS = (-math.inf, 1.0)
ROUNDING = 1e-12  # share of the total sum of squares that is rounding
NODES = (96, 24)  # Gauss-Legendre nodes for the mean squares of raters and of the residual
DRAWS = 400_000  # draws of mean squares that recompute the generalized interval
NEAREST = 1e-9  # to the ends of what ICC can be
FEWEST_OF_PINGOUIN = 5  # units
FEWEST, FEWEST_CLUSTERS = 50, 40  # units, and clusters, below which skewed units are not seen
SKEWED = 0.6  # share of n - 1 df that heavy tails leave, below which a caution is given
NO_SPREAD = "every rating is the same number: there is nothing to agree on"
NO_ERROR = "no variance beside that of units and raters, by which F divides"
PERFECT = "the raters never differ"
ALL_IN_ONE = "a single cluster holds all units"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanSquares:
    """The two-way analysis of variance of units by raters, one rating a cell.

    Attributes
    ----------
    units, raters, error : float64 array
        Mean squares between units (MSR), between raters (MSC), and of the residual (MSE).
    n, k : float64 array, int
        Units and raters.
    """

    units: Any
    raters: Any
    error: Any
    n: Any
    k: Any

    @property
    def icc(self) -> Any:
        """ICC(2,1), the share of the variance of one rating that units have (Shrout & Fleiss 1979, p. 423)."""
        between_raters = self.k * (self.raters - self.error) / self.n
        return (self.units - self.error) / (self.units + (self.k - 1) * self.error + between_raters)


def analyse_variance(sums: FloatArray, k: int) -> MeanSquares:
    """Return the mean squares by sums over units; what is rounding beside the sum of squares is 0.

    Parameters
    ----------
    sums : (..., 3 + k) float64 array
        Sums over units of 1, of the squared sum of a unit's scores, of its squared scores, and of each rater's score.
    k : int
        Raters.
    """
    n, squared_totals, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    by_rater = sums[..., 3:]
    correction = by_rater.sum(axis=-1) ** 2 / (n * k)
    between_units = squared_totals / k - correction
    between_raters = (by_rater**2).sum(axis=-1) / n - correction
    residual = squares - correction - between_units - between_raters
    least = ROUNDING * squares
    return MeanSquares(
        units=np.where(between_units > least, between_units, 0.0) / (n - 1),
        raters=np.where(between_raters > least, between_raters, 0.0) / (k - 1),
        error=np.where(residual > least, residual, 0.0) / ((n - 1) * (k - 1)),
        n=n,
        k=k,
    )


def statistics_of(scores: FloatArray) -> FloatArray:
    """Return what each unit adds to the sums of `analyse_variance`, (units, 3 + k)."""
    ones = np.ones(len(scores))
    return np.column_stack([ones, scores.sum(axis=1) ** 2, (scores**2).sum(axis=1), scores])


def f_interval(squares: MeanSquares, level: float) -> tuple[float, float]:
    """Return the interval of ICC(2,1) by Satterthwaite's degrees of freedom (McGraw & Wong 1996, table 7).

    Parameters
    ----------
    squares : MeanSquares
        Of one sample.
    level : float
    """
    from scipy.special import fdtri

    n, k, icc = float(squares.n), float(squares.k), float(squares.icc)
    f_raters = float(squares.raters / squares.error)
    # the denominator of ICC(2,1) is a sum of two mean squares: its df by Satterthwaite
    of_raters = k * icc * f_raters
    of_error = n * (1 + (k - 1) * icc) - k * icc
    numerator = (of_raters + of_error) ** 2
    df = (n - 1) * (k - 1) * numerator / ((n - 1) * of_raters**2 + of_error**2)
    upper = (1 + level) / 2
    f_low, f_high = float(fdtri(n - 1, df, upper)), float(fdtri(df, n - 1, upper))
    noise = k * squares.raters + (k * n - k - n) * squares.error
    low = n * (squares.units - f_low * squares.error) / (f_low * noise + n * squares.units)
    high = n * (f_high * squares.units - squares.error) / (noise + n * f_high * squares.units)
    return float(low), float(high)


def generalized_interval(
    squares: MeanSquares, df_units: float, level: float
) -> tuple[float, float]:
    """Return the generalized interval of ICC(2,1) (Ionan et al. 2014, GCI), by quadrature in place of draws.

    A variance is its mean square times df over a chi-square number. ICC is at most x where the one between units is
    at most t = (E + x ((k - 1) E + k (C - E) / n)) / (1 - x), of C between raters and E of the rest. That has the
    chance P(chi-square > df MSR / t), whose mean over C and E is the distribution of ICC.

    Parameters
    ----------
    squares : MeanSquares
        Of one sample.
    df_units : float
        Degrees of freedom of the mean square between units.
    level : float
    """
    from scipy.optimize import brentq
    from scipy.special import chdtrc, chdtri

    n, k = float(squares.n), squares.k
    (x_raters, w_raters), (x_error, w_error) = map(np.polynomial.legendre.leggauss, NODES)
    df_raters, df_error = k - 1, (n - 1) * (k - 1)
    # nodes from -1 to 1 are tail probabilities from 0 to 1
    between = squares.raters * df_raters / chdtri(df_raters, (1 + x_raters) / 2)
    error = squares.error * df_error / chdtri(df_error, (1 + x_error) / 2)
    weights = np.outer(w_raters, w_error) / 4
    # (rater nodes, error nodes)
    slope = (k - 1) * error + k * (between[:, None] - error) / n

    def chance(x: float) -> float:
        most = np.maximum((error + x * slope) / (1 - x), np.finfo(float).tiny)
        with np.errstate(over="ignore"):
            return float((weights * chdtrc(df_units, df_units * squares.units / most)).sum())

    # below it the mean square between units would be negative, whatever the others are
    least, largest = -1 / (k - 1 - k / n) + NEAREST, 1 - NEAREST
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        if chance(least) >= tail:
            ends.append(least)
        elif chance(largest) <= tail:
            ends.append(largest)
        else:
            ends.append(float(brentq(lambda x, tail=tail: chance(x) - tail, least, largest)))
    return ends[0], ends[1]


def df_between_units(means: FloatArray, copies: FloatArray, codes: Sequence[Any]) -> float:
    """Return the degrees of freedom of the mean square between units, whose means may be skewed or in clusters.

    A mean square V of normal independent units has 2 V^2 / var(V) = n - 1. The variance of V is estimated by what units
    (or clusters) add to it. Few clusters tell little of it. So the df are at most n^2 / sum r_ij^2 - 1. Here r_ij is 1
    of a unit with itself; of two units of one cluster it is the correlation of all such pairs.

    Parameters
    ----------
    means : (units,) float64 array
        Mean score of each unit.
    copies : (units,) float64 array
    codes : sequence of (units,) int64 arrays
        Clusters, by each factor.
    """
    n = copies.sum()
    deviation = means - copies @ means / n
    variance = copies @ deviation**2 / (n - 1)
    if not variance:
        return float(n - 1)
    # what a unit adds to the variance; their sum is 0
    moves = deviation**2 / (n - 1) - variance / n
    most = 2 * variance**2
    df = min(n - 1, most / max(copies @ moves**2 * n / (n - 1), most / n))
    for code in codes:
        size = np.bincount(code, copies)
        share = size / n
        squares = np.bincount(code, copies * moves) ** 2 / np.maximum(1 - share, ROUNDING)
        df = min(df, most / max(squares.sum(), most / n))
        pairs = float((size * (size - 1)).sum())
        if pairs:
            products = np.bincount(code, copies * deviation) ** 2
            within = float(products.sum() - copies @ deviation**2) / pairs
            correlation = max(within / variance, 0.0)
            df = min(df, n**2 / (n + pairs * correlation**2) - 1)
    return float(max(df, 1.0))


@reads(Ratings)
def icc(
    ratings: Ratings | TableLike,
    *,
    raters: Sequence[str] | None = None,
    ci: Ci = "generalized",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the intraclass correlation ICC(2,1) of raters who are a sample and gave every unit a number.

    With mean squares of n units (MSR), k raters (MSC) and the residual (MSE), it is (MSR - MSE) / (MSR + (k
    - 1) MSE + k (MSC - MSE) / n). It is the share of the variance of a single rating that units have. A rater who is
    always higher lowers it (absolute agreement). Units that a rater left out are not used.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Of numbers, or of ordered levels, which count 1, 2, 3. With a ``by`` factor: one result a level.
    raters : sequence of str, optional
        Only these raters.
    ci : {"generalized", "f"}
        ``"generalized"``: of mean squares over chi-square numbers (Ionan et al. 2014, GCI). The mean square between
        units has fewer degrees of freedom where units are in clusters, or a few are far from the rest.
        ``"f"``: McGraw and Wong's interval by F distributions, as psych and pingouin have it, of independent units.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent; None takes units as independent.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``ICC(2,1)``; of independent units a row ``units`` with the F test of no variance between them. `extras`:
        ``analyse_variance`` of ``units``, ``raters`` and ``error``, and ``df_units``.

    Raises
    ------
    InputError
        For nominal levels, unknown options, raters or clusters, or ``ci="f"`` with clusters.
    UndefinedStatistic
        With fewer than two raters with names.
    NothingToAnalyse
        Where fewer than three units have a rating of every rater.

    Notes
    -----
    Simulations, nominal 95 %, variances of units and error 1 and .5. Of normal scores ``"generalized"`` held .93 to
    .98 in all of 200 x 3, 200 x 5, 1,000 x 3, 100 x 10, 30 x 2 and 10 x 3 units and raters, with a variance of
    raters of .02, .2 or 1. ``"f"`` held .94 to .98 with .02, but .78 to .96 with .2 or 1, as few raters tell little
    of the variance between them. Of 6 to 20 clusters (intraclass 0 to .9) ``"generalized"`` held .92 to .96. Of
    exponential units it held .85 to .95, and .75 to .91 in clusters with intraclass .9. SS312 and SS317 warn of
    these.

    References
    ----------
    Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: Uses in assessing rater reliability.
    doi:10.1037/0033-2909.86.2.420
    McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass correlation coefficients.
    doi:10.1037/1082-989X.1.1.30
    Ionan, A. C., Polley, M.-Y. C., McShane, L. M., & Dobbin, K. K. (2014). Comparison of confidence interval methods
    for an intra-class correlation coefficient (ICC). doi:10.1186/1471-2288-14-121

    Examples
    --------
    >>> table = {"a": [9, 6, 8, 7, 10, 6], "b": [2, 1, 4, 1, 5, 2], "c": [5, 3, 6, 2, 6, 4], "d": [8, 2, 8, 6, 9, 7]}
    >>> row = icc(table, raters=["a", "b", "c", "d"], ci="f").row("ICC(2,1)")
    >>> round(row.estimate, 3), round(row.conf_low, 3), round(row.conf_high, 3)
    (0.29, 0.019, 0.761)
    """
    check_allowed("ci", ci, get_args(Ci))
    settings = {
        "raters": None if raters is None else list(raters),
        "ci": ci,
        "cluster": cluster,
        "level": checked_level(level),
    }
    if ratings.scale == "nominal":
        raise InputError(
            f"{METRIC.title} needs numbers or an order of the levels: declare "
            f"{option('scale', 'ordinal', '--scale ordinal')}, or numbers"
        )
    if raters is not None:
        ratings = ratings.of_raters(raters)
    if len(ratings.raters) < 2 or not ratings.raters_known:
        raise UndefinedStatistic(f"{TERM} needs two raters with names who rated the same units")
    factors = cluster_factors(ratings, cluster)
    if ci == "f" and factors:
        raise InputError(
            f"{option('ci', 'f')} takes units as independent, and clusters are declared; "
            f"{option('ci', 'generalized')} uses them, {option('cluster', None)} leaves them out"
        )
    scores, complete = complete_scores(ratings)
    copies = ratings.unit_count[complete]
    if copies.sum() < FEWEST_UNITS:
        raise NothingToAnalyse(
            f"{ratings.source}: {count(copies.sum(), 'unit')} with a rating of each of the "
            f"{count(len(ratings.raters), 'rater')}; {TERM} needs {FEWEST_UNITS}. Name fewer raters: "
            f"{option('raters')}"
        )
    codes = [dense_codes(factor.codes[complete])[0] for factor in factors]
    squares = analyse_variance(copies @ statistics_of(scores), scores.shape[1])
    df_units = df_between_units(scores.mean(axis=1), copies, codes)
    row = icc_row(scores, copies, codes, squares, df_units, settings)
    rows = [row]
    if row.has_interval and not factors:
        rows.append(row_of_units(squares, row))
    largest = max([float(np.bincount(code, copies).max() / copies.sum()) for code in codes] or [0])
    fit = {
        "nobs": int(row.n or 0),
        "n_clusters": row.n_clusters,
        "method": row.method,
        "effective_df": df_units,
        "largest_leverage": largest or None,
    }
    components = {
        "units": float(squares.units),
        "raters": float(squares.raters),
        "error": float(squares.error),
    }
    cautions = (
        *missing_caution(ratings, complete),
        *cluster_cautions(ratings, factors, df=[df_units], largest=largest, rows=[row]),
        *few_units(row),
        *spread_caution(df_units, row, clustered=bool(factors)),
    )
    inference = f"{METHODS[ci]}; {cluster_text(factors, 'units')}"
    counts = {"units": int(copies.sum()), "raters": scores.shape[1]}
    return Result(
        metric="icc",
        title=METRIC.title,
        inference=inference,
        rows=tuple(rows),
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=METRIC.references,
        design=ratings,
        extras={"mean_squares": components, "df_units": df_units},
    )


def icc_row(
    scores: FloatArray,
    copies: FloatArray,
    codes: Sequence[IntArray],
    squares: MeanSquares,
    df_units: float,
    settings: Mapping[str, Any],
) -> Row:
    """Return the row of the coefficient, or why there is none."""
    n_clusters = min((len(np.unique(code)) for code in codes), default=None)
    row = Row(
        term=TERM,
        role="estimate",
        n=float(copies.sum()) * scores.shape[1],
        n_units=int(copies.sum()),
        n_clusters=n_clusters,
        limits=LIMITS,
    )
    total = float(squares.units + squares.raters + squares.error)
    if total <= ROUNDING * float((scores**2).max(initial=0.0)) or not total:
        return replace(row, undefined=NO_SPREAD, reason="no_variation")
    if float(squares.raters + squares.error) <= ROUNDING * total:
        return replace(row, estimate=1.0, undefined=PERFECT, reason="perfect_agreement")
    row = replace(row, estimate=float(squares.icc))
    if n_clusters == 1:
        return replace(row, undefined=ALL_IN_ONE, reason="one_cluster")
    if settings["ci"] == "f" and float(squares.error) <= ROUNDING * total:
        return replace(row, undefined=NO_ERROR, reason="no_interval")
    if settings["ci"] == "f":
        ends = f_interval(squares, settings["level"])
    else:
        ends = generalized_interval(squares, df_units, settings["level"])
    row = replace(row, method=METHODS[settings["ci"]], interval="test_inversion")
    return with_ends(row, *ends, settings["level"], interval="test_inversion")


def complete_scores(design: Ratings) -> tuple[FloatArray, IntArray]:
    """Return the scores of the units that every rater rated, (units, raters), around their mean; and which they are.

    Scores are divided by a power of two, so that their squares stay within the range of floats.
    """
    level = design.matrix()
    complete = np.flatnonzero(~np.isnan(level).any(axis=1)).astype(np.int64)
    rated = scale_free(design.scores)[level[complete].astype(np.int64)]
    return rated - (rated.mean() if rated.size else 0.0), complete


def row_of_units(squares: MeanSquares, row: Row) -> Row:
    """Return the row of the F test of no variance between units."""
    from scipy.special import fdtrc

    down = (squares.n - 1) * (squares.k - 1)
    statistic = float(squares.units / squares.error) if squares.error else math.inf
    return Row(
        term="units",
        role="test",
        test="f",
        statistic=statistic,
        df=float(squares.n - 1),
        p_value=float(fdtrc(squares.n - 1, down, statistic)),
        n=row.n,
        n_units=row.n_units,
        method=f"F test of no variance between units, {down:g} denominator df",
    )


def missing_caution(design: Ratings, complete: IntArray) -> tuple[Caution, ...]:
    """Caution SS301 where units lack a rating of some rater."""
    lost = int(design.unit_count.sum() - design.unit_count[complete].sum())
    if not lost:
        return ()
    detail = f"{count(lost, 'unit')} without a rating of each rater, which are left out"
    return (
        caution("SS301", detail, affects="all rows", fix="name fewer raters, or rate all units"),
    )


def few_units(row: Row) -> tuple[Caution, ...]:
    """Caution SS312 where units, or clusters, are so few that they do not show whether they are skewed."""
    if not row.has_interval:
        return ()
    units = row.n_clusters is None
    n = row.n_units if units else row.n_clusters
    rated = count(n or 0, "unit" if units else "cluster")
    return small_sample_caution(
        n or 0,
        FEWEST if units else FEWEST_CLUSTERS,
        rated,
        basis=rated,
        affects="intervals: nominal 95% CIs covered in .85 to .92 of simulations with exponential units",
        fix=f"rate {FEWEST} units or more" if units else f"take {FEWEST_CLUSTERS} clusters or more",
        rows=(row.name,),
    )


def spread_caution(df: float, row: Row, *, clustered: bool) -> tuple[Caution, ...]:
    """Caution SS317 where a few units, or clusters, decide how far units differ."""
    if not row.has_interval or df >= SKEWED * ((row.n_units or 0) - 1):
        return ()
    what = "clusters" if clustered else "units"
    return (
        caution(
            "SS317",
            f"few {what} decide how far units differ: {number(df)} degrees of freedom of {row.n_units} units",
            affects="intervals: nominal 95% CIs covered in .75 to .95 of simulations",
            fix=f"rate more {what}",
            rows=(row.name,),
        ),
    )


def sentence(result: Result) -> str:
    """State the coefficient with its interval, units and raters."""
    row = result.rows[0]
    if row.estimate is None:
        return f"The intraclass correlation is undefined: {row.undefined}."
    ratings = f"{count(row.n or 0, 'rating')} of {count(row.n_units or 0, 'unit')}"
    return f"The intraclass correlation of single ratings was {estimate_text(row)} ({ratings})."


def rated_by_all(design: Ratings) -> tuple[FloatArray, IntArray]:
    """Return the scores of the units that every rater rated, (units, raters), and which units these are."""
    table = design.matrix()
    complete = np.flatnonzero(~np.isnan(table).any(axis=1))
    return design.scores[table[complete].astype(np.int64)], complete


def plain_mean_squares(scores: FloatArray, count: FloatArray) -> tuple[float, float, float]:
    """Return the mean squares of units, of raters and of the error, of units that count so often."""
    n, k = count.sum(), scores.shape[1]
    unit, rater = scores.mean(axis=1), count @ scores / n
    grand = float(count @ unit / n)
    residual = scores - unit[:, None] - rater + grand
    units = k * float(count @ (unit - grand) ** 2) / (n - 1)
    raters = n * float(((rater - grand) ** 2).sum()) / (k - 1)
    return units, raters, float(count @ (residual**2).sum(axis=1)) / ((n - 1) * (k - 1))


def share_of_units(units: Any, raters: Any, error: Any, n: float, k: int) -> Any:
    """Return the variance of units as a share of that of a single rating, from mean squares."""
    return (units - error) / (units + (k - 1) * error + k * (raters - error) / n)


def sample_complete_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units that every rater rated, and ICC(2,1) by the sums of squares of an analysis of variance."""
    design: Ratings = result.design
    scores, complete = rated_by_all(design)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        squares = plain_mean_squares(scores, count)
        return {(None, TERM): share_of_units(*squares, count.sum(), scores.shape[1])}

    yield PlainSample(
        count=design.unit_count[complete],
        plain=estimates,
        factors=tuple(f.take(complete) for f in design.factors(result.settings["cluster"])),
    )


def redrawn_ends(scores: FloatArray, result: Result) -> PeerNumbers:
    """The interval again: of McGraw and Wong by the roots of F = MSR / (a MSC + b MSE), the generalized one by draws.

    Parameters
    ----------
    scores : (units, raters) float64 array
        Of independent units.
    result : Result
    """
    from scipy.optimize import brentq
    from scipy.stats import f

    n, k = scores.shape
    level = result.settings["level"]
    tails = ((1 - level) / 2, (1 + level) / 2)
    msr, msc, mse = plain_mean_squares(scores, np.ones(n))
    if result.settings["ci"] == "generalized":
        unit = scores.mean(axis=1)
        spread = (unit - unit.mean()) ** 2
        df = min(n - 1, 2 * n * spread.mean() ** 2 / spread.var(ddof=1))
        rng = np.random.default_rng(0)
        degrees = (df, k - 1, (n - 1) * (k - 1))
        units, raters, error = (
            square * d / rng.chisquare(d, DRAWS)
            for square, d in zip((msr, msc, mse), degrees, strict=True)
        )
        low, high = np.quantile(share_of_units(units, raters, error, n, k), tails)
        ends = float(low), float(high)
        return PeerNumbers(package="numpy", row=(None, TERM), ends=ends, close=0.01)

    def coefficients(x: float) -> tuple[float, float]:
        return k * x / (n * (1 - x)), 1 + k * x * (n - 1) / (n * (1 - x))

    a, b = coefficients(share_of_units(msr, msc, mse, n, k))
    parts = a * msc, b * mse
    df = sum(parts) ** 2 / (parts[0] ** 2 / (k - 1) + parts[1] ** 2 / ((n - 1) * (k - 1)))

    def gap(x: float, tail: float) -> float:
        a, b = coefficients(x)
        return float(f.sf(msr / (a * msc + b * mse), n - 1, df)) - tail

    # below it the denominator of F is negative
    least = -n * mse / (k * msc + (k * n - k - n) * mse) + NEAREST
    low, high = (float(brentq(gap, least, 1 - NEAREST, args=(tail,))) for tail in tails)
    return PeerNumbers(package="scipy", row=(None, TERM), ends=(low, high), close=1e-6)


def ask_peers(result: Result) -> Iterator[PeerNumbers]:
    """ICC and its F test by pingouin, of independent units; and the interval again."""
    import pandas as pd

    design: Ratings = result.design
    scores, complete = rated_by_all(design)
    n, k = scores.shape
    if np.any(design.unit_count[complete] != 1) or not result.rows[0].has_interval:
        return
    if not result.design.factors(result.settings["cluster"]):
        yield redrawn_ends(scores, result)
    columns = {
        "unit": np.repeat(np.arange(n), k),
        "rater": np.tile(np.arange(k), n),
        "score": scores.ravel(),
    }
    intraclass_corr = load_peer("pingouin", "intraclass_corr")
    if n >= FEWEST_OF_PINGOUIN:
        long = pd.DataFrame(columns)
        theirs = intraclass_corr(long, targets="unit", raters="rater", ratings="score")
        of_ratings = {"estimate": "ICC"}
        of_units = {"statistic": "F", "df": "df1", "p_value": "pval"}
        for term, names in ((TERM, of_ratings), ("units", of_units)):
            if isinstance(theirs, float):
                numbers = dict.fromkeys(names, math.nan)
            else:
                numbers = {name: float(theirs.iloc[1][theirs_]) for name, theirs_ in names.items()}
            yield PeerNumbers(package="pingouin", row=(None, term), numbers=numbers)


METRIC = Metric(
    name="icc",
    title="Intraclass correlation ICC(2,1)",
    design="ratings",
    function=icc,
    sentence=sentence,
    plot=forest_plot(lambda result: result.rows[:1], xlabel=TERM),
    definition=Definition(samples=sample_complete_units, peers=ask_peers),
    estimand="The share of the variance of a single rating that is variance between units.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are draws from the raters of interest",
        "numbers are equally far apart where they differ by one",
    ),
    references=("shrout1979", "mcgraw1996", "ionan2014"),
    swap="invariant",
    values="numeric",
)
