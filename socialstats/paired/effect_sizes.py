"""Standardised mean differences of pairs: d_z, g_z, d_av, d_rm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    resampling_units,
    small_sample_caution,
)
from socialstats.inference.how import How
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_ends
from socialstats.paired.noncentral_t import d_z_interval, hedges_j
from socialstats.paired.pair_sizes import (
    HULL,
    TERMS,
    PairSummary,
    SizeInterval,
    complete_summary,
    d_z_hull,
    effect_size_moments,
    jackknife_ends,
    noncentral_t_cautions,
    summary_of,
    tail_cautions,
)
from socialstats.paired.pair_values import (
    PairValues,
    cluster_counts,
    clusters_text,
    condition_names,
    pair_values,
)
from socialstats.paired.peers import MOST_WRITTEN_OUT, noncentral_ends
from socialstats.registry import Metric, reads
from socialstats.resampling import (
    Bootstrap,
    Interval,
    PlanUnits,
    bootstrap_sums,
    choose,
    jackknife_sums,
)
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.peers import load_peer
from socialstats.results.plots import forest_plot
from socialstats.results.rows import Interval as IntervalName
from socialstats.sentences import apa_interval
from socialstats.text import count, number
from socialstats.voice import check_allowed, option

# "auto" is the hull for d_z and g_z, and the jackknife for the others; see `interval_kinds`
CIS = ("auto", "noncentral_t", "jackknife", "percentile", "basic", "bca")
FEW_PAIRS = 30  # below so many pairs (clusters) bootstrap intervals tend to be too short
REFERENCES = ("cohen1988", "cumming2012", "morrisdeshon2002", "hedges1981", "steigerfouladi1997")
# further works behind a kind of interval
BY_KIND = {
    "bca": ("efron1987",),
    "jackknife": ("efrontibshirani1993", "box1953"),
    "hull": ("efrontibshirani1993", "box1953"),
}
# share of the values that their rounding may be
ROUNDING = 1e-12
NOT_VARYING = "the differences do not vary: no standardised size"
# arguments of `effect_sizes_from_summary` that a size is computed from
NEEDS = {
    "d_z": "t=, or mean= and sd=",
    "g_z": "t=, or mean= and sd=",
    "d_av": "mean=, sd_first= and sd_second=",
    "d_rm": "t= and r=",
}


@reads(Paired)
def effect_sizes(
    paired: Paired | TableLike,
    *,
    cluster: str | Sequence[str] | None = "declared",
    ci: Literal["auto", "noncentral_t", "jackknife", "percentile", "basic", "bca"] = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate standardised mean differences of pairs, first minus second, with signs.

    With M and S the mean and standard deviation of the differences, S1 and S2 those of the conditions, r their
    correlation:

        d_z  = M / S                         g_z = J(n - 1) d_z, J exact (Hedges 1981)
        d_av = M / sqrt((S1^2 + S2^2) / 2)   d_rm = d_z sqrt(2 (1 - r))

    They answer different questions and differ a lot when r is high: always name the one you quote.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result a level of it.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    ci : {"auto", "noncentral_t", "jackknife", "percentile", "basic", "bca"}
        ``"auto"``: d_z and g_z of independent pairs have the wider limits of the noncentral t interval (exact for
        normal differences) and of the jackknife's. 50 or more rounded differences that show their ends have the
        jackknife's alone. `socialstats.paired.pair_sizes.d_z_hull` has the rule and measured coverage.
        The others, and all within clusters, have the jackknife t interval. Its degrees of freedom follow from the
        kurtosis of the influence of single pairs or clusters (`socialstats.inference.influence`). Two crossed factors:
        percentile bootstrap.
        ``"noncentral_t"`` gives d_av and d_rm no interval, and needs independent pairs.
    level : float
    resamples : int
    seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Rows ``d_z``, ``g_z``, ``d_av``, ``d_rm``; `std_error` from the jackknife (with its df) or the bootstrap where
        there is one. `extras`:
        ``summary`` (n, mean, sd, sd_first, sd_second, r, t) and ``hedges_j``.

    Raises
    ------
    InputError
        For an unknown option or cluster, noncentral t with clusters, or fewer than two pairs.
    DesignError
        For nominal values.

    References
    ----------
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences (2nd ed.).
    Cumming, G. (2012). Understanding the new statistics. doi:10.4324/9780203807002
    Morris, S. B., & DeShon, R. P. (2002). doi:10.1037/1082-989X.7.1.105
    Hedges, L. V. (1981). doi:10.3102/10769986006002107
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.
    Box, G. E. P. (1953). Non-normality and tests on variances. doi:10.1093/biomet/40.3-4.318

    Examples
    --------
    >>> scores = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    >>> result = effect_sizes(scores, first="after", second="before", ci="noncentral_t")
    >>> {row.term: round(row.estimate, 3) for row in result.rows}
    {'d_z': 1.403, 'g_z': 1.12, 'd_av': 1.492, 'd_rm': 1.487}
    """
    checked_level(level)
    check_allowed("ci", ci, CIS)
    how = How(ci=ci, cluster=cluster, level=level, resamples=resamples, seed=seed)
    pairs = pair_values(paired)
    factors = cluster_factors(paired, cluster)
    if factors and ci == "noncentral_t":
        raise InputError(
            f"{option('ci', 'noncentral_t')} needs independent pairs; use {option('ci', 'bca')}, or "
            f"{option('cluster', None)} to ignore clusters"
        )
    summary = summary_of(pairs)
    kinds = interval_kinds(factors, ci)
    # d_z, d_av and d_rm are computed together: one set of resamples serves all
    intervals = ComputedIntervals()
    if kinds["d_av"] and any(value is not None for value in summary.sizes().values()):
        intervals = compute_intervals(
            pairs, resampling_units(paired, factors), kinds["d_av"], how, crossed=len(factors) == 2
        )
    clusters = min(cluster_counts(factors).values(), default=None)
    rows = tuple(
        size_row(term, summary, kind, intervals, clusters, level) for term, kind in kinds.items()
    )
    # the hull of two intervals can be the jackknife's alone
    printed_kinds = {"hull": "jackknife"} if rows[0].interval == "jackknife" else {}
    kinds_in_use = dict.fromkeys(printed_kinds.get(kind, kind) for kind in kinds.values() if kind)
    boot = intervals.boot
    dfs = [row.df for row in rows if row.df is not None]
    largest = largest_share(paired.count, factors)
    fit = {
        "nobs": pairs.n,
        "method": ", ".join(kinds_in_use),
        "seed": seed,
        "resamples": None if boot is None else resamples,
        "effective_df": min(dfs, default=None),
        "largest_leverage": largest if factors else None,
    }
    df = dfs if boot is None else [None]
    cautions = (
        *cluster_cautions(paired, factors, df=df, largest=largest),
        *effect_size_cautions(pairs, clusters or pairs.n, summary, kinds_in_use, boot),
    )
    works = [*REFERENCES]
    for kind in kinds_in_use:
        works += BY_KIND.get(kind, ())
    inference = (
        f"{'; '.join(kind_text(kind) for kind in kinds_in_use)}; {cluster_text(factors, 'pairs')}"
    )
    extras = {"summary": summary, "hedges_j": hedges_j(pairs.n - 1) if pairs.n > 2 else None}
    return Result(
        metric="effect_sizes",
        title=f"Standardised mean differences: {' minus '.join(condition_names(paired))}",
        inference=inference,
        rows=rows,
        counts={"pairs": pairs.n, **cluster_counts(factors)},
        fit=fit,
        settings=asdict(how),
        cautions=cautions,
        references=tuple(dict.fromkeys(works)),
        design=paired,
        extras=extras,
    )


def effect_size_cautions(
    pairs: PairValues,
    units: int,
    summary: PairSummary,
    kinds: dict[str, None],
    boot: Bootstrap | None,
) -> tuple[Caution, ...]:
    """Cautions about the shape of differences (SS317), small samples (SS312) and lost resamples (SS204)."""
    cautions: list[Caution] = []
    if boot is not None:
        lost = boot.caution("bootstrap intervals")
        units_text = f"{units:,} independent pairs (or clusters)"
        cautions += small_sample_caution(
            units,
            FEW_PAIRS,
            units_text,
            affects="bootstrap intervals, which tend to be too short",
            basis=units_text,
        )
        cautions += [lost] if lost else []
    elif set(kinds) & {"hull", "jackknife"}:
        cautions += tail_cautions(pairs, units, summary.sizes()["d_z"])
    return (*cautions, *(noncentral_t_cautions(pairs, summary) if "noncentral_t" in kinds else ()))


def interval_kinds(factors: Sequence[Factor], ci: str) -> dict[str, str]:
    """Return the kind of interval of each term; empty text for none."""
    if ci == "noncentral_t":
        return {"d_z": ci, "g_z": ci, "d_av": "", "d_rm": ""}
    drawn = ci
    if ci == "auto":
        drawn = "percentile" if len(factors) == 2 else "jackknife"
    # d_z of independent pairs has the noncentral t too, and the hull holds both intervals
    exact = "hull" if ci == "auto" and not factors else drawn
    return {"d_z": exact, "g_z": exact, "d_av": drawn, "d_rm": drawn}


def kind_text(kind: str) -> str:
    """Name a kind of interval."""
    names = {
        "noncentral_t": "noncentral t",
        "bca": "BCa bootstrap",
        "jackknife": "jackknife t",
        "hull": HULL,
    }
    return names.get(kind, f"{kind} bootstrap")


def size_interval_name(row: Row) -> str:
    """Name the interval of a standardised difference; empty text without one."""
    return next((kind_text(kind) for kind, field in FIELDS.items() if field == row.interval), "")


class ComputedIntervals(NamedTuple):
    """What the intervals of d_z, d_av and d_rm are made of: the jackknife's, or resamples with their intervals."""

    jackknife: Sequence[SizeInterval | str] = ("",) * len(TERMS)
    boot: Bootstrap | None = None
    resampled: Interval | None = None


# kind of interval -> how its ends were made, as rows name it
FIELDS: dict[str, IntervalName] = {
    "hull": "outer_ends",
    "noncentral_t": "noncentral_t",
    "jackknife": "jackknife",
    "percentile": "percentile",
    "basic": "basic",
    "bca": "bca",
}


def compute_intervals(
    pairs: PairValues, units: PlanUnits, kind: str, how: How, *, crossed: bool
) -> ComputedIntervals:
    """Return the intervals of d_z, d_av and d_rm that are computed together, by the jackknife or from resamples."""
    table, finish = effect_size_moments(pairs)
    if kind == "jackknife":
        if crossed:
            raise InputError(
                f"{option('ci', 'jackknife')} needs pairs or one cluster factor, not two crossed ones; "
                "use 'percentile'"
            )
        return ComputedIntervals(jackknife_ends(table, finish, units, how.level))
    boot = bootstrap_sums(table, finish, units, resamples=how.resamples, seed=how.seed)
    # the acceleration of BCa is the jackknife's, which two crossed factors have none of
    jack = jackknife_sums(table, finish, units) if kind == "bca" and not crossed else None
    resampled = choose(kind, boot, level=how.level, jack=jack)
    return ComputedIntervals(boot=boot, resampled=resampled)


def size_row(
    term: str,
    summary: PairSummary,
    kind: str,
    intervals: ComputedIntervals,
    clusters: int | None,
    level: float,
) -> Row:
    """Make the row of one effect size."""
    n = summary.n
    size = "d_z" if term == "g_z" else term
    value = summary.sizes()[size]
    column = TERMS.index(size)
    row = Row(
        term=term,
        role="estimate",
        n=n,
        n_units=int(n),
        n_clusters=clusters,
        method=kind_text(kind) if kind else None,
    )
    if value is None:
        return replace(row, undefined=missing_size_reason(term, summary))
    if term == "g_z" and n <= 2:
        return replace(row, undefined="Hedges' correction needs at least 3 pairs")
    # Hedges (1981): the estimate, its error and its limits are multiplied alike
    j = hedges_j(n - 1) if term == "g_z" else 1.0
    row = replace(row, estimate=j * value)
    if not kind:
        why = f"the noncentral t has no interval for this size; use {option('ci', 'jackknife')}"
        return replace(row, undefined=why)
    try:
        ends = effect_size_interval(kind, summary, column, intervals, level)
    except UndefinedStatistic as none:
        return replace(row, undefined=str(none))
    # where one interval holds the other, or does not exist, the row names the one that is left
    if kind == "hull" and (ends.std_error is None or ends is intervals.jackknife[column]):
        kind = "noncentral_t" if ends.std_error is None else "jackknife"
        row = replace(row, method=kind_text(kind))
    error = None if ends.std_error is None else j * ends.std_error
    low = j * ends.low
    high = j * ends.high
    return with_ends(row, low, high, level, std_error=error, df=ends.df, interval=FIELDS[kind])


def effect_size_interval(
    kind: str, summary: PairSummary, column: int, intervals: ComputedIntervals, level: float
) -> SizeInterval:
    """Return the interval of one size, with its standard error where it has one.

    Raises
    ------
    UndefinedStatistic
        With the reason where there is none.
    """
    jack = intervals.jackknife[column]
    boot = intervals.boot
    resampled = intervals.resampled
    if kind == "jackknife":
        if isinstance(jack, str):
            raise UndefinedStatistic(jack)
        return jack
    if kind == "hull":
        return d_z_hull(summary, jack, level)
    if boot is None or resampled is None:
        low, high = d_z_interval(summary.t or 0.0, summary.n, level)
        return SizeInterval(low=low, high=high)
    if resampled.undefined[column]:
        raise UndefinedStatistic(resampled.undefined[column])
    low = float(resampled.low[column])
    high = float(resampled.high[column])
    return SizeInterval(low=low, high=high, std_error=float(boot.std_error[column]))


def missing_size_reason(term: str, summary: PairSummary) -> str:
    """Return why an effect size is missing."""
    if summary.t is None and term != "d_av" and summary.mean is not None:
        return NOT_VARYING
    if term == "d_av" and summary.sd_first is not None and not summary.varies:
        return "the values do not vary: no standardised size"
    if term == "d_rm" and summary.r is None and 0 in (summary.sd_first, summary.sd_second):
        return "a condition does not vary: no correlation"
    return f"not given: {NEEDS[term]}"


UNSEEN = caution(
    "SS317",
    "summary numbers do not show whether the differences are skewed or have long tails",
    affects="noncentral t intervals: of exponential differences with d_z = 1, nominal 95% ones held .70 to .80 of "
    "simulations",
    fix="use effect_sizes() with the pairs",
    short="the shape of the differences is not known",
    rows=("d_z", "g_z"),
)


def effect_sizes_from_summary(
    *,
    n: int,
    t: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    sd_first: float | None = None,
    sd_second: float | None = None,
    r: float | None = None,
    level: float = 0.95,
) -> Result:
    """Compute standardised mean differences from published numbers of independent pairs.

    Parameters
    ----------
    n : int
        Pairs.
    t : float, optional
        Of the paired test.
    mean : float, optional
        Mean difference, first minus second.
    sd : float, optional
        Standard deviation of the differences (n - 1).
    sd_first, sd_second : float, optional
        Standard deviations of the conditions.
    r : float, optional
        Correlation of the conditions.
    level : float

    Returns
    -------
    Result
        As `effect_sizes`: d_z and g_z with noncentral-t intervals, d_av and d_rm without. The shape of the values, that
        would widen these intervals, is unknown. A size whose numbers are not given says so.

    Raises
    ------
    InputError
        For impossible numbers, the same thing said twice, or too little for any size.

    References
    ----------
    As `effect_sizes`.

    Examples
    --------
    >>> row = effect_sizes_from_summary(t=-4.0621277, n=10).row("d_z")
    >>> round(row.estimate, 4), round(row.conf_low, 4), round(row.conf_high, 4)
    (-1.2846, -2.118, -0.4146)
    """
    checked_level(level)
    numbers: dict[str, Any] = {
        "n": n,
        "t": t,
        "mean": mean,
        "sd": sd,
        "sd_first": sd_first,
        "sd_second": sd_second,
        "r": r,
    }
    summary = complete_summary(**numbers)
    # without the pairs there is nothing to leave out or to resample
    kinds = interval_kinds((), "noncentral_t")
    rows = [
        size_row(term, summary, kind, ComputedIntervals(), None, level)
        for term, kind in kinds.items()
    ]
    extras = {"summary": summary, "hedges_j": hedges_j(n - 1) if n > 2 else None}
    return Result(
        metric="effect_sizes",
        title="Standardised mean differences, from summary numbers",
        inference="noncentral t; pairs taken as independent",
        rows=tuple(rows),
        counts={"pairs": int(n)},
        fit={"nobs": int(n), "method": "noncentral_t"},
        settings={**numbers, "level": level},
        cautions=(UNSEEN,),
        references=REFERENCES,
        extras=extras,
    )


def sentence(result: Result) -> str:
    """Return d_z with its interval, and the others."""
    row = next((r for r in result.rows if r.estimate is not None), result.rows[0])
    names = ""
    if result.design is not None:
        names = f" ({' minus '.join(condition_names(result.design))})"
    where = clusters_text(result.counts)
    if row.estimate is None:
        return (
            f"The standardised mean difference{names} over {count(row.n or 0, 'pair')} is "
            f"undefined: {row.undefined}."
        )
    further = [
        f"{r.term} = {number(r.shown())}"
        for r in result.rows
        if r.estimate is not None and r is not row
    ]
    ends = f", {apa_interval(row)} ({row.method})" if row.conf_low is not None else ""
    text = f"The standardised mean difference{names} was {row.term} = {number(row.shown())}{ends}"
    sizes = f"; {', '.join(further)}" if further else ""
    return f"{text}, over {count(row.n or 0, 'pair')}{where}{sizes}."


def sample_standardised_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs, with the mean difference in units of three standard deviations."""
    pairs = result.design
    if pairs is None:
        return
    first, second = pairs.first, pairs.second
    keys: list[RowKey] = [(None, term) for term in ("d_z", "g_z", "d_av", "d_rm")]
    n = float(pairs.count.sum())
    correction = hedges_by_gamma(n - 1) if n > 2 else math.nan

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        total, taken = count.sum(), count > 0
        if total < 2:
            return dict.fromkeys(keys, math.nan)
        size = max(float(np.abs(x[taken]).max()) for x in (first, second))

        def sd(values: FloatArray, size: float = size) -> float:
            # values that are alike differ by rounding alone
            if np.ptp(values[taken]) <= ROUNDING * size:
                return 0.0
            off = values - count @ values / total
            return math.sqrt(float(count @ off**2 / (total - 1)))

        mean = float(count @ (first - second) / total)
        one, two, between = sd(first), sd(second), sd(first - second)
        d_z = mean / between if between else math.nan
        pooled = math.sqrt((one**2 + two**2) / 2)
        d_av = mean / pooled if pooled else math.nan
        # sqrt(2 (1 - r)) is the standard deviation of the difference of both in units of their own
        root = sd(first / one - second / two, size=0.0) if one and two else math.nan
        return dict(zip(keys, (d_z, correction * d_z, d_av, d_z * root), strict=True))

    yield PlainSample(
        count=pairs.count,
        plain=estimates,
        factors=pairs.factors(result.settings["cluster"]),
        alike=np.column_stack([first, second]),
        standardised={(None, "d_z"): 1.0, (None, "g_z"): correction},
        cost=8.0,
    )


def hedges_by_gamma(df: float) -> float:
    """Return Hedges' (1981) correction by scipy's gamma function."""
    from scipy.special import gammaln

    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / math.sqrt(df / 2))


def ask_for_sizes(result: Result) -> Iterator[PeerNumbers]:
    """pingouin's sizes of pairs; of summary numbers their formulas, and the noncentral t of scipy."""
    pairs, summary = result.design, result.extras["summary"]
    if pairs is not None:
        if pairs.n_pairs > MOST_WRITTEN_OUT:
            return
        times = pairs.count.astype(np.int64)
        first, second = np.repeat(pairs.first, times), np.repeat(pairs.second, times)
        theirs = load_peer("pingouin", "compute_effsize")
        for term, kind in (("d_z", "cohen_dz"), ("d_av", "cohen")):
            size = float(theirs(first, second, paired=True, eftype=kind))
            # pingouin's d_av has no sign
            size = math.copysign(size, float(np.mean(first - second)))
            yield PeerNumbers(package="pingouin", row=(None, term), numbers={"estimate": size})
        return
    if summary.t is not None:
        size = summary.t / math.sqrt(summary.n)
        ends = noncentral_ends(summary.t, summary.n, result.settings["level"])
        for term, j in (("d_z", 1.0), ("g_z", hedges_by_gamma(summary.n - 1))):
            yield PeerNumbers(
                package="scipy",
                row=(None, term),
                numbers={"estimate": j * size},
                ends=(j * ends[0], j * ends[1]),
                close=1e-6,
            )
    if None not in (summary.mean, summary.sd_first, summary.sd_second):
        pooled = math.hypot(summary.sd_first, summary.sd_second) / math.sqrt(2)
        numbers = {"estimate": summary.mean / pooled}
        yield PeerNumbers(package="numpy", row=(None, "d_av"), numbers=numbers, close=1e-6)


METRIC = Metric(
    name="effect_sizes",
    title="Standardised mean differences of pairs",
    design="paired",
    function=effect_sizes,
    sentence=sentence,
    plot=forest_plot(xlabel="Standardised mean difference"),
    definition=Definition(samples=sample_standardised_pairs, peers=ask_for_sizes),
    estimand="Mean difference of pairs over a standard deviation: of the differences, or of the conditions.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "noncentral t: differences are normal; jackknife: more than a handful of pairs (clusters), tails not too long",
    ),
    references=REFERENCES,
    swap="negates",
    values="numeric",
)
