"""Mean difference of two conditions on the same units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray, size_unit
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.inference.clustered_mean import (
    KINDS,
    ClusteredMean,
    clustered_mean,
    mean_in_unit,
    rounding,
    t_p_value,
)
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    floored_caution,
    mean_cautions,
    small_sample_caution,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.rows import with_ends, with_mean
from socialstats.inference.sides import OPEN, one_sided_ends, side_text, two_sided_level
from socialstats.inference.weights import (
    NAMED,
    NO_RANKS,
    WORKS,
    Weighing,
    effective_text,
    refuse_resamples,
    weight_cautions,
    weight_counts,
)
from socialstats.paired.pair_sizes import PairSummary, summary_of
from socialstats.paired.pair_values import (
    IGNORING,
    ROUNDING_ERRORS,
    PairValues,
    checked_number,
    cluster_counts,
    clusters_text,
    condition_names,
    fit_of_mean,
    mean_interval,
    merge_ties,
    pair_values,
)
from socialstats.paired.peers import MOST_WRITTEN_OUT, cluster_means, t_test_numbers
from socialstats.paired.signed_rank import ask_for_wilcoxon, signed_rank
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative, ChanceTest, sign_flip_test, sum_cells_to_clusters
from socialstats.resampling.permutation import checked_draws
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.sentences import name_of_interval
from socialstats.tables import EPSILON
from socialstats.text import count, interval, number, p_value, shorten, significance_level_text
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# 100,000 flips of more values take over a second, and their normal approximation is then right.
MOST_FLIPPED = 20_000
FEWEST_FLIPS = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifferenceOptions:
    """The options of one call."""

    null: float
    alternative: Alternative
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    flips: int
    seed: int


def mean_difference_row(
    mean: ClusteredMean, method: str, options: PairedDifferenceOptions, group: str | None = None
) -> Row:
    """Row of a mean difference with its t test."""
    row = Row(
        term="difference",
        group=group,
        role="difference",
        estimate=mean.mean,
        n=mean.n,
        n_units=int(mean.n),
        n_clusters=mean.n_clusters,
        method=method,
    )
    return with_mean(row, mean, options.level, null=options.null, alternative=options.alternative)


def with_bootstrap_interval(
    row: Row, pairs: PairValues, factors: Sequence[Factor], options: PairedDifferenceOptions
) -> tuple[Row, tuple[float, float] | None]:
    """Give the row of the mean difference a bootstrap interval; return both ends too (one may be infinite)."""
    boot_interval = mean_interval(
        pairs.difference,
        pairs.count,
        [f.codes for f in factors],
        ci=options.ci,
        level=two_sided_level(options.level, options.alternative),
        resamples=options.resamples,
        seed=options.seed,
        magnitude=pairs.magnitude,
    )
    low, high, why = (
        float(boot_interval.low[0]),
        float(boot_interval.high[0]),
        boot_interval.undefined[0],
    )
    if not why and not low < high:
        why = "all resamples give the same interval end: too few different units"
    low, high = one_sided_ends(low, high, options.alternative)
    kind: Any = options.ci
    return with_ends(row, low, high, options.level, why=why, interval=kind), None if why else (
        low,
        high,
    )


def method_text(lead: ClusteredMean, ci: str) -> str:
    """Name the test and the interval."""
    test = {
        "rows": "paired t",
        "CR2": "cluster-robust t (CR2, Satterthwaite df)",
        "two-way": "two-way cluster-robust t (CR2, Cochran df)",
    }[lead.kind]
    return test if ci == "closed" else f"{test}, {ci} bootstrap interval"


def differences_from_null(pairs: PairValues, options: PairedDifferenceOptions) -> FloatArray:
    """Differences minus the hypothesised mean, free of rounding noise."""
    return (
        merge_ties(pairs.difference - options.null, tolerances(pairs, options))
        if options.null
        else pairs.difference
    )


def tolerances(pairs: PairValues, options: PairedDifferenceOptions) -> FloatArray:
    """Return how far rounding may move each difference minus the hypothesised mean."""
    return np.maximum(pairs.tolerance, ROUNDING_ERRORS * EPSILON * abs(options.null))


def wilcoxon(
    pairs: PairValues, clustered: bool, options: PairedDifferenceOptions
) -> tuple[Row, dict[str, float | None]]:
    """Wilcoxon's test, exact given the ranks where they tie or are few; and all p-values: exact, normal, Pratt's."""
    row = Row(
        term="wilcoxon",
        group=IGNORING if clustered else "test",
        role="test",
        method="Wilcoxon signed rank",
    )
    if pairs.weight is not None:
        return replace(row, undefined=NO_RANKS), {}
    values, side = differences_from_null(pairs, options), options.alternative
    try:
        # zeros are left out of the ranks, or (Pratt 1959) ranked first and then left out
        ranks, pratt = (
            signed_rank(values, pairs.count, zeros=zeros) for zeros in ("wilcoxon", "pratt")
        )
    except UndefinedStatistic as error:
        return replace(row, undefined=str(error)), {}
    p_values = {
        "v": ranks.v,
        "zeros": ranks.zeros,
        "p_exact": ranks.p_exact(side),
        "p_normal_corrected": ranks.p_normal(side),
        "p_normal": ranks.p_normal(side, corrected=False),
        "z_pratt": pratt.z(),
        "p_pratt": pratt.p_normal(side, corrected=False),
        "p_pratt_exact": pratt.p_exact(side),
    }
    p, exact = ranks.p_value(side)
    how = "exact" if exact else "normal, continuity-corrected"
    how += ", pairs taken as independent" if clustered else ""
    return replace(
        row,
        statistic=ranks.v,
        n=ranks.n,
        n_units=int(ranks.n),
        test="exact_signed_rank" if exact else "signed_rank",
        p_value=p,
        method=f"Wilcoxon signed rank ({how})",
    ), p_values


def flips_of(
    pairs: PairValues, factors: Sequence[Factor], options: PairedDifferenceOptions
) -> tuple[ChanceTest | str, dict[str, float]]:
    """Flip the signs of pairs or of whole clusters (the statistic is a mean), or say why there is no test.

    Returns
    -------
    tuple
        The test or a reason; its normal approximation, z = sum / sqrt(sum of squares), empty without one.
    """
    if len(factors) == 2:
        return (
            f"signs cannot be flipped along two crossed factors at once; name one of them with {option('cluster')}",
            {},
        )
    if pairs.weight is not None:
        return NO_RANKS, {}
    # in a unit of their own size, so that no square of a value leaves the range of floats
    values, copies = differences_from_null(pairs, options), pairs.count
    unit = size_unit(values)
    values, noise = values / unit, tolerances(pairs, options) / unit
    if factors:
        sums = sum_cells_to_clusters(values, pairs.count, factors[0].codes)
        # a cluster's rows have one sign together: its sum is flipped
        values, copies = merge_ties(sums, pairs.n * float(noise.max())), np.ones(len(sums))
    normal = {}
    if np.any(values):
        z = float(values @ copies / math.sqrt(float(values**2 @ copies)))
        normal = {"z": z, "p": t_p_value(z, math.inf, options.alternative)}
    if copies.sum() < 2:
        return (
            f"a single {'cluster' if factors else 'pair'}: its sign alone cannot be tested",
            normal,
        )
    many = len(values) > MOST_FLIPPED
    try:
        flips = FEWEST_FLIPS if many else options.flips
        test = sign_flip_test(
            values,
            copies,
            alternative=options.alternative,
            flips=flips,
            seed=options.seed,
            noise=float(noise @ pairs.count),
        )
    except UndefinedStatistic as error:
        return str(error), normal
    test = replace(test, statistic=test.statistic / float(pairs.n) * unit)
    if many and not test.exact:
        method = f"normal approximation: more than {count(MOST_FLIPPED)} different values"
        test = replace(
            test, p_value=np.array([normal["p"]]), mc_error=np.zeros(1), draws=0, method=method
        )
    return test, normal


def flip_row(test: ChanceTest | str, lead: ClusteredMean) -> Row:
    """The sign-flip test."""
    method = "sign flips of clusters" if lead.clusters else "sign flips of pairs"
    row = Row(term="sign_flip", group="test", role="test", method=method)
    if isinstance(test, str):
        return replace(row, undefined=test)
    how = f"{count(test.draws)} random flips, (b + 1)/(B + 1)" if test.draws else test.method
    how = "exact" if test.exact else how
    return replace(
        row,
        statistic=float(test.statistic[0]),
        p_value=float(test.p_value[0]),
        n=lead.n,
        n_units=int(lead.n),
        n_clusters=lead.clusters[0] if lead.clusters else None,
        test="sign_flip",
        method=f"{method} ({how})",
    )


class EqualClusters(NamedTuple):
    """The mean of the means of clusters, its difference to the mean of all pairs, and p of that difference."""

    mean: ClusteredMean
    gap: float
    p: float


def clusters_alike(pairs: PairValues, factors: Sequence[Factor]) -> EqualClusters | None:
    """Weigh the clusters of one factor alike; None where their numbers of pairs are all the same.

    A cluster with share f of the pairs and mean y adds f (y - m) to the error of the mean m of all pairs. To that of
    the mean u of the G means it adds (y - u)/G. The error of u - m is the root of G/(G-1) times the sum of squares of
    these differences, and its t has G - 1 degrees of freedom.
    """
    if len(factors) != 1:
        return None
    code = np.unique(factors[0].codes, return_inverse=True)[1]
    n = np.bincount(code, pairs.count)
    if len(n) < 2 or not np.ptp(n):
        return None
    sized, unit = pairs.in_size_unit()
    means = np.bincount(code, sized.count * sized.difference) / n
    mean = clustered_mean(means, np.ones(len(n)), magnitude=sized.magnitude)
    # clusters are independent, and both means are sums over them: so is their difference
    share, overall = n / n.sum(), float(n @ means / n.sum())
    deviation = (means - mean.mean) / len(n) - share * (means - overall)
    top = float(np.abs(deviation).max()) or 1.0  # squares of very large deviations overflow
    error = top * math.sqrt(len(n) / (len(n) - 1) * float((deviation / top) @ (deviation / top)))
    gap = mean.mean - overall
    p = t_p_value(gap / error, len(n) - 1.0) if error > rounding(sized.magnitude) else 1.0
    return EqualClusters(mean_in_unit(mean, unit, float(means[0]) * unit), gap * unit, p)


ALIKE = "clusters weighing alike"


def summary_rows(design: Paired, pairs: PairValues, summary: PairSummary) -> list[Row]:
    """Means and standard deviations of the conditions, of the difference, and their correlation."""
    n, rows = float(pairs.n), []
    sized, unit = pairs.in_size_unit()
    parts = zip(
        design.conditions,
        (sized.first, sized.second),
        (summary.sd_first, summary.sd_second),
        strict=True,
    )
    for name, values, sd in parts:
        row = Row(term=name, key=(("condition", name),), n=n)
        rows.append(
            replace(
                row, group="mean", role="component", estimate=float(sized.mass @ values / n) * unit
            )
        )
        rows.append(replace(row, group="sd", role="spread", estimate=sd))
    rows.append(Row(term="difference", group="sd", role="spread", estimate=summary.sd or 0.0, n=n))
    r = Row(term="r", role="component", estimate=summary.r, n=n, limits=(-1.0, 1.0))
    if summary.r is None:
        r = replace(r, undefined="a condition does not vary: no correlation", reason="no_variation")
    return [*rows, r]


FEW_UNITS = 20
LINE = 0.05


def paired_cautions(
    rows: tuple[Row, ...], lead: ClusteredMean, pairs: PairValues, options: PairedDifferenceOptions
) -> tuple[Caution, ...]:
    """Cautions SS206 (floored variance), SS312 (small sample) and SS316 (tests on both sides of the line)."""
    cautions = [*floored_caution(lead, "standard error, interval, t")]
    # SS202 is about resamples of few clusters
    if options.ci != "closed" and not (lead.clusters and options.ci in RESAMPLED):
        units = min((*lead.clusters, pairs.n))
        detail = f"a bootstrap of {units} units"
        cautions += small_sample_caution(
            units, FEW_UNITS, detail, affects="the interval", fix=option("ci", "closed")
        )
    # tests of all pairs that take clusters into account
    tests = {
        r.method: r.p_value
        for r in rows
        if r.p_value is not None and r.group not in (IGNORING, ALIKE)
    }
    sides = {p <= 1 - options.level for p in tests.values()}
    if len(sides) == 2:
        detail = "; ".join(f"{name}: {p_value(p)}" for name, p in tests.items())
        cautions.append(
            caution(
                "SS316",
                detail,
                short=f"tests disagree at \u03b1 = {significance_level_text(options.level)}",
            )
        )
    return tuple(cautions)


def weights_tell(alike: EqualClusters | None, lead: ClusteredMean) -> tuple[Caution, ...]:
    """Caution SS303: clusters with more pairs differ from those with fewer."""
    # clusters of one size weigh alike in both means
    if alike is None or alike.p >= LINE:
        return ()
    detail = (
        f"the mean was {number(lead.mean)} over all pairs and {number(alike.mean.mean)} over clusters (difference "
        f"{number(alike.gap)}, {p_value(alike.p)})"
    )
    return (
        caution(
            "SS303",
            detail,
            affects="the estimand",
            short="the mean depends on the weights of clusters with different numbers of pairs",
            fix=f"state which mean is meant; group '{ALIKE}' has that over clusters",
        ),
    )


def works(factors: Sequence[Factor], options: PairedDifferenceOptions) -> tuple[str, ...]:
    """Keys of the works behind these numbers."""
    keys = ["student1908", "wilcoxon1945", "fisher1935"]
    if len(factors) == 1:
        keys += ["bellmccaffrey2002", "pustejovskytipton2018"]
    if len(factors) == 2:
        keys += ["bellmccaffrey2002", "cameron2011", "cochran1964"]
    return (
        *keys,
        *({"bca": ("efron1987",), "closed": ()}.get(options.ci, ("davisonhinkley1997",))),
    )


def sentence(result: Result) -> str:
    """Return the mean difference, its interval and test."""
    row, names = result.rows[0], condition_names(result.design)
    where = clusters_text(result.counts)
    repeats = result.design.repeats
    share = (
        f" in the share of '{shorten(repeats.share_of, 30)}'"
        if repeats is not None and repeats.share_of
        else ""
    )
    text = f"The mean difference{share} ({names[0]} minus {names[1]}) was {number(row.shown())}"
    text += f" over {count(row.n or 0, 'pair')}{where}"
    if weighing := result.extras.get("weighing"):
        text += f" ({effective_text(weighing)})"
    if row.statistic is None:
        return f"{text}; {row.undefined}."
    ends, span = result.extras["interval"], f"interval undefined ({row.undefined})"
    if ends:
        span = name_of_interval(row) + interval(
            ends[0], ends[1], row.decimals, level=result.settings["level"]
        )
    null = result.settings["null"]
    df = number(row.df, 0 if row.df is not None and abs(row.df - round(row.df)) < 1e-9 else 1)
    test = f"t({df}) = {number(row.statistic)}, {p_value(row.p_value)}"
    kind = side_text(result.settings["alternative"])
    against = f" against {number(null)}" if null else ""
    robust = "" if not row.n_clusters else ", cluster-robust"
    return f"{text}, {span}, {test}{kind}{against}{robust}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the pairs, their differences, and the mean difference with its interval."""
    from socialstats.figures.estimation import estimation

    design = result.design
    return estimation(
        design.first,
        design.second,
        design.count,
        result.rows[0],
        ax=ax,
        **{"conditions": design.conditions, "reference": result.settings["null"], **options},
    )


CIS = ("closed", "percentile", "basic", "bca", "studentized")


@reads(Paired, weighted=True)
def paired_difference(
    paired: Paired | TableLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    ci: Literal["closed", "percentile", "basic", "bca", "studentized"] = "closed",
    level: float = 0.95,
    resamples: int = 2000,
    flips: int = 100_000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate and test the mean difference of two conditions on the same units: first minus second.

    Independent pairs: paired t. One cluster factor: CR2 errors, t with Satterthwaite's degrees of freedom. Two crossed
    factors: the largest of V1, V2 and V1 + V2 - V12, t with Cochran's df. Wilcoxon's signed-rank test and a sign-flip
    test (of whole clusters) are computed too.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result a level of it.
    null : float
        Mean difference under the hypothesis (for one sample: the value it is compared with).
    alternative : {"two_sided", "greater", "less"}
        One-sided: the interval has one end, the other is infinite.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    ci : {"closed", "percentile", "basic", "bca", "studentized"}
        ``"closed"`` is the t interval; the others resample pairs, clusters, or two crossed factors (percentile and
        basic only). Standard error, t, df and p stay those of the t test.
    level : float
    resamples : int
        Of the bootstrap.
    flips : int
        Random sign patterns where the exact distribution of the sign-flip test takes too long (with more than 20,000
        different values its normal approximation takes their place).
    seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        ``difference`` (estimate, s.e., interval, t, df, p against `null`). Group ``"test"``: ``wilcoxon``
        (statistic V) and ``sign_flip`` (statistic: mean difference minus `null`). Wilcoxon's test leaves zeros out. It
        is exact below 50 differences and where ranks tie, and else normal with continuity correction; R's
        ``wilcox.test`` is normal wherever ranks tie or differences are 0. With clusters the t test of independent pairs
        and Wilcoxon's stand in group ``"ignoring clusters"``. One factor whose clusters have different numbers of
        pairs: group ``"clusters weighing alike"`` has the mean of their means, with its t test.
        Groups ``"mean"`` and ``"sd"``: of
        each condition, and the sd of the difference; ``r``: correlation of the conditions. `extras`:

        - ``wilcoxon``: all p-values of Wilcoxon's test, exact and normal, also with zeros ranked before they are left
          out (Pratt 1959)
        - ``flip_error``, ``flip_normal``: Monte-Carlo error of the sign flips, and their normal approximation
        - ``interval``: both ends of the interval
        - ``std_errors``: variants of the clustered error
        - ``unfloored_std_error``: with two factors, the root of V1 + V2 - V12 without the floor of V1 and V2; None
          where that is not positive

        All differences equal: no test of the mean, and the row says so.

        With sampling weights (``weight=``) means, standard deviations and r are weighted. The error is linearised, as
        in R's survey, with Satterthwaite's df (clusters: CR2). Wilcoxon's test and sign flips are undefined; ``ci=`` is
        "closed".

    Raises
    ------
    InputError
        For an unknown option or cluster, or fewer than two pairs.
    DesignError
        For nominal values.

    References
    ----------
    Student. (1908). The probable error of a mean. doi:10.1093/biomet/6.1.1
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. doi:10.2307/3001968
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures.
    doi:10.1080/01621459.1959.10501526
    Streitberg, B., & Roehmel, J. (1986). Exact distributions for permutation and rank tests. Statistical Software
    Newsletter, 12(1), 10-17.
    Fisher, R. A. (1935). The design of experiments, section 21.

    Examples
    --------
    >>> scores = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    >>> print(paired_difference(scores, first="after", second="before").sentence())
    The mean difference (after minus before) was 1.60 over 5 pairs, approximate 95% CI [0.18, 3.02], t(4) = 3.14,
    p = .035.
    """
    two_sided_level(level, alternative)
    check_allowed("ci", ci, CIS)
    options = PairedDifferenceOptions(
        null=checked_number(null, "null"),
        alternative=alternative,
        cluster=cluster,
        ci=ci,
        level=level,
        resamples=resamples,
        flips=checked_draws(flips, "flips"),
        seed=seed,
    )
    return estimate(paired, options=options)


def estimate(design: Paired, options: PairedDifferenceOptions) -> Result:
    """Compute the tests of one design."""
    pairs = pair_values(design)
    factors = cluster_factors(design, options.cluster)
    codes = [factor.codes for factor in factors]
    weighing = None if pairs.weight is None else Weighing.of_units(pairs.count, pairs.weight)
    if options.ci != "closed":
        refuse_resamples(weighing, option("ci", options.ci), design)
    mean_of = partial(
        clustered_mean,
        pairs.difference,
        pairs.count,
        magnitude=pairs.magnitude,
        weight=pairs.weight,
    )
    lead = mean_of(codes)
    how = method_text(lead, options.ci) + (NAMED if weighing else "")
    rows = [mean_difference_row(lead, how + OPEN[options.alternative], options)]
    # one of these ends is infinite with a one-sided alternative
    ends = None if lead.undefined else lead.interval(options.level, alternative=options.alternative)
    if options.ci != "closed" and not lead.undefined:
        rows[0], ends = with_bootstrap_interval(rows[0], pairs, factors, options)
    alike = None if weighing else clusters_alike(pairs, factors)
    if alike is not None:
        rows.append(mean_difference_row(alike.mean, "t of the means of clusters", options, ALIKE))
    if factors:
        rows.append(
            mean_difference_row(
                mean_of(), "paired t, pairs taken as independent", options, IGNORING
            )
        )
    ranked, ranks = wilcoxon(pairs, bool(factors), options)
    flipped, normal = flips_of(pairs, factors, options)
    key = tuple(zip(("condition", "minus"), design.conditions, strict=True))
    rows = [replace(row, key=key) for row in rows]
    all_rows = (
        *rows,
        ranked,
        flip_row(flipped, lead),
        *summary_rows(design, pairs, summary_of(pairs)),
    )
    kinds = {kind: mean_of(codes, kind=kind) for kind in KINDS} if len(factors) == 1 else {}
    resamples = None if options.ci == "closed" else options.resamples
    extras = {
        "wilcoxon": ranks,
        "flip_error": None if isinstance(flipped, str) else float(flipped.mc_error[0]),
        "flip_normal": normal,
        "weighing": weighing,
        "interval": ends,
        "lead": lead,
        "bounds": (options.null,),
        "std_errors": {kind: mean.std_error for kind, mean in kinds.items() if not mean.undefined},
    }
    if lead.kind == "two-way":
        extras["unfloored_std_error"] = lead.unfloored_std_error
    cautions = (
        *dependence_cautions(design, factors, lead, options),
        *paired_cautions(all_rows, lead, pairs, options),
        *weights_tell(alike, lead),
        *weight_cautions([weighing] if weighing else (), "pair", design),
    )
    counts = {"pairs": pairs.n, **weight_counts(weighing, "pairs"), **cluster_counts(factors)}
    fit = fit_of_mean(lead, pairs.n, how, seed=options.seed, resamples=resamples)
    references = (*works(factors, options), *(WORKS if weighing else ()))
    return Result(
        metric="paired_difference",
        title=f"Mean difference: {' minus '.join(condition_names(design))}",
        inference=f"{how}; {cluster_text(factors, 'pairs')}",
        rows=all_rows,
        counts=counts,
        fit=fit,
        settings=asdict(options),
        cautions=cautions,
        references=references,
        design=design,
        extras=extras,
    )


def dependence_cautions(
    design: Paired, factors: Sequence[Factor], lead: ClusteredMean, options: PairedDifferenceOptions
) -> tuple[Caution, ...]:
    """Cautions about clusters; of the t interval also about the shape of the differences."""
    if options.ci != "closed":
        df = None if options.ci in RESAMPLED else lead.df
        dfs = [] if lead.undefined else [df]
        return cluster_cautions(design, factors, df=dfs, largest=lead.largest)
    fix = f"use {option('ci', 'studentized')}" if len(factors) < 2 else ""
    return mean_cautions(design, factors, [lead], fix=fix)


def sample_values(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs, and their means, standard deviations and correlation by definition."""
    pairs = result.design
    first, second = pairs.conditions
    values = {first: pairs.first, second: pairs.second, "difference": pairs.first - pairs.second}
    weight = np.ones(len(pairs.count)) if pairs.weight is None else pairs.weight
    differences: list[RowKey] = [(None, "difference"), (IGNORING, "difference")]

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        mass, n = count * weight, count.sum()
        mean = {name: float(mass @ x / mass.sum()) for name, x in values.items()}
        square = {name: float(mass @ (x - mean[name]) ** 2) for name, x in values.items()}
        sd = {name: math.sqrt(total / mass.sum() * n / (n - 1)) for name, total in square.items()}
        product = (pairs.first - mean[first]) * (pairs.second - mean[second])
        norm = math.sqrt(square[first] * square[second])
        numbers: dict[RowKey, float] = dict.fromkeys(differences, mean["difference"])
        numbers |= {("mean", name): mean[name] for name in pairs.conditions}
        numbers |= {("sd", name): value for name, value in sd.items()}
        numbers[None, "r"] = float(mass @ product) / norm if norm else math.nan
        return numbers

    alike = np.column_stack([pairs.first, pairs.second, weight])
    size = float(np.abs([pairs.first, pairs.second]).max())
    yield PlainSample(
        count=pairs.count,
        plain=estimates,
        factors=pairs.factors(result.settings["cluster"]),
        alike=alike,
        counted=dict.fromkeys(differences, weight),
        resampled_errors=False,
        unbiased=True,
        size=size,
    )


def ask_for_tests(result: Result) -> Iterator[PeerNumbers]:
    """scipy's t tests of independent pairs and of the means of clusters, and Wilcoxon's test."""
    pairs, settings = result.design, result.settings
    if pairs.weight is not None or pairs.n_pairs > MOST_WRITTEN_OUT:
        return
    factors = pairs.factors(settings["cluster"])
    times = pairs.count.astype(np.int64)
    first, second = np.repeat(pairs.first, times), np.repeat(pairs.second, times)
    side, null = settings["alternative"], settings["null"]
    how = {"null": null, "side": side, "level": settings["level"]}
    group = IGNORING if factors else None
    t_test = t_test_numbers(first - second, (group, "difference"), **how)
    yield t_test if factors or settings["ci"] == "closed" else replace(t_test, ends=None)
    if len(factors) == 1:
        means = cluster_means(pairs.difference, pairs.count, factors[0])
        if len(means) > 1:
            yield t_test_numbers(means, (ALIKE, "difference"), **how)
    yield from ask_for_wilcoxon(result.row("wilcoxon"), first, second, null, side)


METRIC = Metric(
    name="paired_difference",
    title="Mean difference of pairs",
    design="paired",
    function=paired_difference,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_values, peers=ask_for_tests),
    estimand="Mean over pairs of the value under the first condition minus that under the second.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "t: the mean difference is close to normal; Wilcoxon and sign flips: differences are symmetric about null",
    ),
    references=("student1908", "wilcoxon1945", "fisher1935"),
    swap="none",
    values="numeric",
)
