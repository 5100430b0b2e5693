"""Probability that a unit of one group has a higher value than one of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, DesignError
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    small_sample_caution,
)
from socialstats.inference.rows import with_mean
from socialstats.inference.sides import OPEN, side_text, two_sided_level
from socialstats.paired.group_samples import written_out
from socialstats.paired.pair_values import IGNORING, cluster_counts, fit_of_mean
from socialstats.paired.two_groups import (
    Superiority,
    check_sizes,
    cluster_place,
    rank_sum,
    superiority,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample, RowKey
from socialstats.results.plots import forest_plot
from socialstats.sentences import stat
from socialstats.text import count, number, p_value, quoted, shorten
from socialstats.voice import option

# Of a value of one group above one of the other where both have one distribution.
CHANCE = 0.5
KINDS = {
    "rows": "Brunner-Munzel t",
    "CR2": "Brunner-Munzel t with CR2 errors (Satterthwaite df)",
    "two-way": "Brunner-Munzel t with two-way CR2 errors (Cochran df)",
}
MOST_LEVELS = 3_000  # different values whose pairs are compared one by one
FEWEST = 10  # units (or effective clusters) of the smaller group below which intervals were too short in simulations


@reads(Groups, square=True)
def two_ordinal(
    samples: Groups | TableLike,
    *,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the probability that a unit of the first group has a higher value than one of the second.

    theta = P(X > Y) + P(X = Y) / 2, which needs an order of the values and nothing else. With u_i the share of the
    second group below unit i of the first (ties count a half), and v_j likewise, theta is the mean of u,

        s.e. = sqrt(var(u) / n1 + var(v) / n2),   t = (theta - 1/2) / s.e.

    with Welch's degrees of freedom of u and v (Brunner & Munzel 2000). Clusters: CR2 errors of mean(u) - mean(v).

    Parameters
    ----------
    samples : Groups, data frame, mapping of columns, or path of a file
        Numbers, or ordered levels. With a ``by`` factor: one result a level of it. Also two vectors, or a table of
        counts with a row for each group and a column for each level, the lowest first.
    alternative : {"two_sided", "greater", "less"}
        Of theta against 1/2. One-sided: p of both tests is one tail, and the interval has one end. The other is 0 or 1.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes units as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_groups`.

    Returns
    -------
    Result
        ``superiority`` (estimate, s.e., interval, t, df, p against 1/2), and group ``"test"``: ``rank_sum``, the
        Wilcoxon-Mann-Whitney test (statistic U). It is exact up to 60 units, whatever ties, and else normal with
        continuity correction. With clusters it stands in group ``"ignoring clusters"``.

    Raises
    ------
    InputError
        For an unknown option or cluster.
    DesignError
        For labels without an order, and a group of a single unit.

    References
    ----------
    Brunner, E., & Munzel, U. (2000). The nonparametric Behrens-Fisher problem: asymptotic theory and a small-sample
    approximation. doi:10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U
    Mann, H. B., & Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically larger than
    the other. doi:10.1214/aoms/1177730491

    Examples
    --------
    >>> from socialstats import Groups
    >>> trial = Groups.from_samples([3, 5, 4, 5, 5, 4], [2, 3, 4, 4, 1, 3], groups=("drug", "placebo"))
    >>> print(two_ordinal(trial).sentence())
    The probability that drug is higher than placebo (ties count a half) was .861, approximate 95% CI [.633, 1.000],
    t(9.5) = 3.55, p = .006; U = 31.0, p = .054 (6 and 6 units).
    """
    # raises for levels of which a one-sided interval would leave the estimate out
    two_sided_level(level, alternative)
    if samples.scale == "nominal":
        say = option("levels", ("low", "...", "high"), "--levels LOW,...,HIGH")
        raise DesignError(
            f"{samples.source}: the values {quoted(samples.levels, 6)} have no order ({say}); "
            "two_proportions compares the share of one of them, by its option choice"
        )
    check_sizes(samples)
    factors = cluster_factors(samples, cluster)
    probability = superiority(samples, factors)
    rows = (
        superiority_row(samples, probability, level, alternative),
        rank_sum_row(samples, bool(factors), alternative),
    )
    error = probability.error
    references = (
        "brunnermunzel2000",
        "mannwhitney1947",
        *(("bellmccaffrey2002",) if factors else ()),
    )
    title = (
        f"Probability of superiority: {' over '.join(shorten(name, 40) for name in samples.groups)}"
    )
    inference = f"{KINDS[error.kind]}; {cluster_text(factors, 'units')}"
    fit = fit_of_mean(error, samples.n_rows, KINDS[error.kind])
    return Result(
        metric="two_ordinal",
        title=title,
        inference=inference,
        rows=rows,
        counts={"units": samples.n_rows, **cluster_counts(factors)},
        fit=fit,
        settings={"alternative": alternative, "cluster": cluster, "level": level},
        cautions=superiority_cautions(samples, factors, probability, rows),
        references=references,
        design=samples,
        extras={"chance": CHANCE, "n": samples.n_units},
    )


def superiority_row(
    design: Groups, probability: Superiority, level: float, alternative: Alternative
) -> Row:
    """Row of the probability with its interval and t test against one half."""
    error = probability.error
    row = Row(
        term="superiority",
        role="effect_size",
        key=(("group", design.groups[0]), ("over", design.groups[1])),
        estimate=probability.estimate,
        n=float(design.n_rows),
        n_units=design.n_rows,
        limits=(0.0, 1.0),
        n_clusters=error.n_clusters,
        method=f"{KINDS[error.kind]}{OPEN[alternative]}",
    )
    if error.undefined and error.sd == 0:
        why = "the groups do not overlap, or all values tie: no standard error"
        return replace(row, undefined=why, reason="no_variation")
    if error.undefined:
        return replace(row, undefined=error.undefined, reason=None)
    # the error is that of a difference of placements, around the probability itself
    around_estimate = replace(error, mean=probability.estimate)
    return with_mean(
        row, around_estimate, level, null=CHANCE, alternative=alternative, within=(0.0, 1.0)
    )


def rank_sum_row(design: Groups, clustered: bool, alternative: Alternative) -> Row:
    """Row of the Wilcoxon-Mann-Whitney test."""
    row = Row(
        term="rank_sum",
        group=IGNORING if clustered else "test",
        role="test",
        n=float(design.n_rows),
        n_units=design.n_rows,
        method="Wilcoxon-Mann-Whitney",
    )
    test = rank_sum(design, alternative)
    if test is None:
        return replace(row, undefined="all values tie: no test", reason="no_variation")
    how = "exact" if test.exact else "normal, continuity-corrected"
    return replace(
        row,
        statistic=test.u,
        p_value=test.p_value,
        test="exact_rank_sum" if test.exact else "rank_sum",
        method=f"{row.method} ({how}{', units taken as independent' if clustered else ''})",
    )


def superiority_cautions(
    design: Groups, factors: Sequence[Factor], probability: Superiority, rows: Sequence[Row]
) -> tuple[Caution, ...]:
    """Cautions about clusters, and groups too small for the t approximation."""
    error = probability.error
    dfs = [] if error.undefined else [error.df]
    cautions = cluster_cautions(design, factors, df=dfs, largest=error.largest, rows=rows[:1])
    # clusters have cautions of their own, on degrees of freedom
    if factors:
        return cautions
    least = min(design.n_units)
    return (
        *cautions,
        *small_sample_caution(
            least,
            FEWEST,
            f"the smaller group has {count(least, 'unit')}",
            affects="the t interval and its test",
            fix="quote the exact rank-sum test",
            rows=["superiority"],
        ),
    )


def sentence(result: Result) -> str:
    """Return the probability, its interval and test, and the rank-sum test."""
    lead, test = result.rows
    first, second = (shorten(name, 40) for name in result.design.groups)
    where = cluster_place(result.counts)
    sizes = " and ".join(count(n) for n in result.extras["n"])
    rank_text = (
        ""
        if test.p_value is None
        else f"; U = {number(test.statistic, 1)}, {p_value(test.p_value)}"
    )
    side = "" if test.p_value is None else side_text(result.settings["alternative"])
    return (
        f"The probability that {first} is higher than {second} (ties count a half) was {stat(lead)}{rank_text}{side} "
        f"({sizes} units{where})."
    )


def sample_ranked_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units of both groups, with the share of pairs in which the first is higher."""
    design = result.design
    first = design.group == 0
    levels, level = np.unique(design.value, return_inverse=True)
    if len(levels) > MOST_LEVELS:
        return
    # 1 where the level of the first unit is higher, one half where both are alike
    higher = np.sign(levels[:, None] - levels) / 2 + 0.5

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        ones = np.bincount(level[first], count[first], len(levels))
        others = np.bincount(level[~first], count[~first], len(levels))
        return {(None, "superiority"): float(ones @ higher @ others / (ones.sum() * others.sum()))}

    yield PlainSample(
        count=design.count,
        plain=estimates,
        factors=design.factors(result.settings["cluster"]),
        alike=np.column_stack([design.value, ~first]),
        second=~first,
        null=CHANCE,
        unbiased=True,
    )


def ask_for_ranks(result: Result) -> Iterator[PeerNumbers]:
    """scipy's test of Brunner and Munzel of independent units, and its rank-sum test."""
    from scipy.stats import brunnermunzel, mannwhitneyu

    lead, test = result.rows
    sides = written_out(result.design)
    if sides is None:
        return
    side = result.settings["alternative"].replace("_", "-")
    if lead.statistic is not None and not result.design.factors(result.settings["cluster"]):
        munzel: Any = brunnermunzel
        theirs = munzel(*sides, alternative=side)
        # scipy compares the second group with the first
        numbers = {"statistic": -float(theirs.statistic), "p_value": float(theirs.pvalue)}
        yield PeerNumbers(package="scipy", row=(None, lead.term), numbers=numbers)
    if test.p_value is None:
        return
    exact = test.test == "exact_rank_sum"
    both = np.concatenate(sides)
    rank_sum_test: Any = mannwhitneyu
    theirs = rank_sum_test(*sides, method="exact" if exact else "asymptotic", alternative=side)
    numbers = {"statistic": float(theirs.statistic)}
    # scipy's exact distribution has no ties
    if not exact or len(np.unique(both)) == len(both):
        numbers["p_value"] = float(theirs.pvalue)
    yield PeerNumbers(package="scipy", row=(test.group, test.term), numbers=numbers)


METRIC = Metric(
    name="two_ordinal",
    title="Probability of superiority",
    design="groups",
    function=two_ordinal,
    sentence=sentence,
    plot=forest_plot(
        lambda result: result.rows[:1], xlabel="Probability of superiority", reference=CHANCE
    ),
    definition=Definition(samples=sample_ranked_units, peers=ask_for_ranks),
    estimand="The probability that a unit of the first group has a higher value than one of the second, ties halved.",
    assumptions=(
        "units (or the named clusters of units) are independent; no unit is in both groups",
        "values are ordered; nothing is assumed of their distances",
    ),
    references=("brunnermunzel2000", "mannwhitney1947"),
    values="ordinal",
)
