"""Mean difference of pairs: t (cluster-robust where there are clusters), Wilcoxon, sign flips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text, mean_cautions
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level
from socialstats.metrics.paired_difference.analysis import (
    Options,
    clusters_alike,
    flips_of,
    interval_of,
    normal_flips,
    rank_variants,
    ranked,
    variants,
)
from socialstats.metrics.paired_difference.rows import (
    ALIKE,
    ALIKE_METHOD,
    IGNORING,
    flip_row,
    lead_row,
    mean_row,
    rank_row,
    summary_rows,
    words,
)
from socialstats.metrics.paired_difference.words import own_cautions, plot, references, sentence, weights_tell
from socialstats.models.effect_sizes import summary_of
from socialstats.models.pair_values import (
    PairValues,
    checked_choice,
    checked_number,
    cluster_counts,
    condition_names,
    pair_values,
    whole,
)
from socialstats.registry import Metric
from socialstats.resampling import ALTERNATIVES, Alternative
from socialstats.resampling.chance import checked_draws
from socialstats.results import Result, ResultGroup, by_levels

CIS = ("closed", "percentile", "basic", "bca", "studentized")


@reads(Paired)
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

    Independent pairs: paired t. One cluster factor: CR2 errors, t with Satterthwaite's degrees of freedom. Two
    crossed factors: the largest of V1, V2 and V1 + V2 - V12, t with Cochran's df. Beside it Wilcoxon's signed-rank and
    a sign-flip test (of whole clusters).

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
        ``difference`` (estimate, s.e., interval, t, df, p against `null`). Group ``"test"``: ``wilcoxon`` (statistic V;
        exact below 50 differences without ties and zeros, else normal with continuity correction, as R's
        ``wilcox.test``) and ``sign_flip`` (statistic: mean difference minus `null`). With clusters the t test of
        independent pairs and Wilcoxon's stand in group ``"ignoring clusters"``. One factor whose clusters have
        different numbers of pairs: group ``"clusters weighing alike"`` has the mean of their means, with its t test.
        Groups ``"mean"`` and ``"sd"``: of
        each condition, and the sd of the difference; ``r``: correlation of the conditions. `extras`: all p-values of
        Wilcoxon's test (``wilcoxon``), the Monte-Carlo error of the sign flips (``flip_error``) and their normal
        approximation (``flip_normal``), both ends of the interval (``interval``), the variants of the clustered error
        (``std_errors``), with two factors the root of V1 + V2 - V12 without the floor of V1 and V2
        (``unfloored_std_error``, None where that is not positive). All differences equal: no test
        of the mean, and the row says so.

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
    Fisher, R. A. (1935). The design of experiments, section 21.

    Examples
    --------
    >>> scores = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    >>> print(paired_difference(scores, first="after", second="before").sentence())
    The mean difference (after minus before) was 1.60 over 5 pairs, 95% CI [0.18, 3.02], t(4) = 3.14, p = .035.
    """
    checked_level(level)
    checked_choice(alternative, ALTERNATIVES, "alternative")
    checked_choice(ci, CIS, "ci")
    if alternative != "two_sided" and level <= 0.5:
        raise InputError(f"a one-sided interval needs a level above 0.5, not {level!r}")
    options = Options(
        null=checked_number(null, "null"), alternative=alternative, cluster=cluster, ci=ci, level=level,
        resamples=resamples, flips=checked_draws(flips, "flips"), seed=seed,
    )  # fmt: skip
    return by_levels(paired, "declared", lambda one: estimate(one, options), Paired)


def estimate(design: Paired, options: Options) -> Result:
    """Compute the tests of one design."""
    pairs = pair_values(design)
    factors = cluster_factors(design, options.cluster)
    codes = [factor.codes for factor in factors]
    lead = clustered_mean(pairs.difference, pairs.count, codes, magnitude=pairs.magnitude)
    ends, why = interval_of(lead, pairs, factors, options)
    rows = [lead_row(lead, ends, why, options)]
    alike = clusters_alike(pairs, factors)
    if alike is not None:
        rows.append(mean_row(alike.mean, ALIKE, ALIKE_METHOD, options))
    alone = clustered_mean(pairs.difference, pairs.count, magnitude=pairs.magnitude)
    if factors:
        rows.append(mean_row(alone, IGNORING, "paired t, pairs taken as independent", options))
    ranks, flipped = ranked(pairs, options), flips_of(pairs, factors, options)
    rows += [rank_row(ranks, bool(factors), options), flip_row(flipped, lead, factors, options)]
    summary = summary_of(pairs)
    rows += summary_rows(design, pairs, summary)
    found = tuple(rows)
    return Result(
        metric="paired_difference",
        title=f"Mean difference: {' minus '.join(condition_names(design))}",
        inference=f"{words(lead, options.ci)}; {cluster_text(factors, 'pairs')}",
        rows=found,
        counts={"pairs": pairs.n, **cluster_counts(factors)},
        fit=fit_of(lead, pairs, factors, options),
        settings={name: getattr(options, name) for name in Options.__dataclass_fields__},
        cautions=(
            *dependence(design, factors, lead, options), *own_cautions(found, lead, pairs, options),
            *weights_tell(alike, lead),
        ),
        references=references(factors, options),
        design=design,
        extras={
            "wilcoxon": {} if isinstance(ranks, str) else rank_variants(ranks, pairs, options),
            "flip_error": None if isinstance(flipped, str) else float(flipped.mc_error[0]),
            "flip_normal": normal_flips(pairs, factors, options), "interval": ends,
            "std_errors": variants(pairs, factors), "lead": lead, "bounds": (options.null,),
            **({"unfloored_std_error": lead.unfloored_std_error} if lead.kind == "two-way" else {}),
        },
    )  # fmt: skip


def dependence(design: Paired, factors: Sequence[Factor], lead: ClusteredMean, options: Options) -> tuple[Caution, ...]:
    """Cautions about clusters; of the t interval also about the shape of the differences."""
    if options.ci != "closed":
        dfs = [] if lead.undefined else [None if options.ci in RESAMPLED else lead.df]
        return cluster_cautions(design, factors, df=dfs, largest=lead.largest)
    fix = "ci='studentized'" if len(factors) < 2 else ""
    return mean_cautions(design, factors, [lead], fix=fix)


def fit_of(lead: ClusteredMean, pairs: PairValues, factors: Sequence[Factor], options: Options) -> dict[str, Any]:
    """Values of the glance table."""
    drawn = options.ci != "closed"
    known = bool(factors) and not lead.undefined
    return {
        "nobs": pairs.n, "n_clusters": min(lead.clusters) if lead.clusters else None,
        "df": whole(lead.df), "method": words(lead, options.ci), "seed": options.seed,
        "resamples": options.resamples if drawn else None, "effective_df": lead.df if known else None,
        "largest_leverage": lead.largest if known else None,
    }  # fmt: skip


METRIC = Metric(
    name="paired_difference",
    title="Mean difference of pairs",
    design="paired",
    function=paired_difference,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.paired_difference:verify",
    estimand="Mean over pairs of the value under the first condition minus that under the second.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "t: the mean difference is close to normal; Wilcoxon and sign flips: differences are symmetric about null",
    ),
    references=("student1908", "wilcoxon1945", "fisher1935"),
    swap="none",
    values="numeric",
)
