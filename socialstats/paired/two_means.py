"""TwoGroupMeans of two independent groups, and their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, DesignError
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    floored_caution,
    shape_cautions,
    small_sample_caution,
)
from socialstats.inference.rows import ANYWHERE, with_mean
from socialstats.inference.sides import OPEN, side_text, two_sided_level
from socialstats.inference.weights import (
    NAMED,
    WORKS,
    effective_text,
    group_weighings,
    sum_weighings,
    weight_cautions,
    weight_counts,
)
from socialstats.paired.group_samples import GroupUnits, written_out
from socialstats.paired.pair_values import checked_number, cluster_counts, fit_of_mean
from socialstats.paired.two_groups import (
    TwoGroupMeans,
    check_sizes,
    cluster_place,
    group_means,
    groups_and_difference,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.plots import forest_plot
from socialstats.sentences import stat
from socialstats.text import count, number, shorten
from socialstats.voice import option

KINDS = {
    "rows": "Welch's t",
    "CR2": "cluster-robust t (CR2, Satterthwaite df)",
    "two-way": "two-way cluster-robust t (CR2, Cochran df)",
}
OF_SCIPY = {"statistic": "statistic", "df": "df", "p_value": "pvalue"}  # field of a row: scipy's
SHARES, GAPS = (0.0, 1.0), (-1.0, 1.0)
# ten equal values leave other values a share of at most 1 - .05^(1/10) = 26% (95% limit)
FEWEST_CONSTANT = 10


@reads(Groups, weighted=True)
def two_means(
    samples: Groups | TableLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Compare the means of two independent groups: the first minus the second.

    Independent units: Welch's t, s.e. = sqrt(s1^2 / n1 + s2^2 / n2) with

        df = (s1^2 / n1 + s2^2 / n2)^2 / ((s1^2 / n1)^2 / (n1 - 1) + (s2^2 / n2)^2 / (n2 - 1)).

    One cluster factor: CR2 errors of the difference with Satterthwaite's degrees of freedom, whether clusters lie
    within groups or have units of both. Two crossed factors: the largest of V1, V2 and V1 + V2 - V12.

    Parameters
    ----------
    samples : Groups, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result a level of it.
    null : float
        Difference under the hypothesis.
    alternative : {"two_sided", "greater", "less"}
        One-sided: the interval of the difference has one end. The other is infinite; of shares -1 or 1.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes units as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_groups`.

    Returns
    -------
    Result
        ``difference`` (estimate, s.e., interval, t, df, p against `null`); group ``"mean"``: the mean of each group
        with its t interval; group ``"sd"``: their standard deviations. With sampling weights (``weight=``) all are
        weighted, and the error is linearised, as in R's survey, with Welch's combination of Satterthwaite's df.

    Raises
    ------
    InputError
        For an unknown option or cluster.
    DesignError
        For labels without numbers, and a group of a single unit.

    References
    ----------
    Welch, B. L. (1947). The generalization of Student's problem when several different population variances are
    involved. doi:10.1093/biomet/34.1-2.28
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> from socialstats import Groups
    >>> trial = Groups.from_samples([3, 5, 4, 6, 5], [2, 3, 4, 4], groups=("drug", "placebo"))
    >>> print(two_means(trial).sentence())
    The mean was 4.60 in drug (5 units) and 3.25 in placebo (4 units), a difference of 1.35, approximate
    95% CI [−0.31, 3.01], t(7.0) = 1.93, p = .095.
    """
    # raises for levels of which a one-sided interval would leave the estimate out
    two_sided_level(level, alternative)
    null = checked_number(null, "null")
    refuse_labels(samples)
    check_sizes(samples)
    factors = cluster_factors(samples, cluster)
    means = group_means(samples, samples.value, factors)
    # means of values that are 0 or 1, or of shares of a unit's answers
    share_of = samples.repeats.share_of if samples.repeats is not None else None
    shares = samples.scale == "binary" or bool(share_of)
    rows = two_mean_rows(samples, means, shares, level, null, alternative)
    gap, sides = means.difference, group_weighings(samples)
    weighing = sum_weighings(sides)
    # both ends, of which one is infinite with a one-sided alternative
    ends = None if gap.undefined else gap.interval(level, alternative=alternative)
    how = KINDS[gap.kind] + (NAMED if weighing else "")
    cautions = (
        *two_mean_cautions(samples, factors, means, rows),
        *weight_cautions(sides, "unit", samples),
    )
    references = (
        "welch1947",
        *(("bellmccaffrey2002",) if factors else ()),
        *(WORKS if sides else ()),
    )
    title = f"Difference of means: {' minus '.join(shorten(name, 40) for name in samples.groups)}"
    counts = {
        "units": samples.n_rows,
        **weight_counts(weighing, "units"),
        **cluster_counts(factors),
    }
    return Result(
        metric="two_means",
        title=title,
        inference=f"{how}; {cluster_text(factors, 'units')}",
        rows=rows,
        counts=counts,
        fit=fit_of_mean(gap, samples.n_rows, how),
        settings={"null": null, "alternative": alternative, "cluster": cluster, "level": level},
        cautions=cautions,
        references=references,
        design=samples,
        extras={"lead": gap, "weighings": sides, "interval": ends},
    )


def refuse_labels(design: Groups) -> None:
    """Refuse labels, which have no mean."""
    # labels of two levels count as 0 and 1
    if design.levels and design.scale != "binary":
        other = "two_ordinal" if design.scale == "ordinal" else "two_proportions"
        say = f"{option('scale', 'numeric', '--scale numeric')} with {option('levels', typed='--levels')} in order"
        raise DesignError(
            f"{design.source}: means need numbers, and these values are {design.scale}. {other} compares "
            f"them; {say} counts them as numbers, in equal steps"
        )


def two_mean_rows(
    design: Groups,
    means: TwoGroupMeans,
    shares: bool,
    level: float,
    null: float,
    alternative: Alternative,
) -> tuple[Row, ...]:
    """Rows of the difference, of both means and of their standard deviations."""
    gap, key = means.difference, (("group", design.groups[0]), ("minus", design.groups[1]))
    lead = Row(
        term="difference",
        role="difference",
        key=key,
        estimate=gap.mean,
        n=float(design.n_rows),
        n_units=design.n_rows,
        n_clusters=gap.n_clusters,
        method=f"{KINDS[gap.kind]}{NAMED * design.weighted}{OPEN[alternative]}",
    )
    gap_limits, mean_limits = (GAPS, SHARES) if shares else (ANYWHERE, ANYWHERE)
    lead = with_mean(lead, gap, level, null=null, alternative=alternative, within=gap_limits)
    method = "t" if gap.kind == "rows" else KINDS[gap.kind]
    mean_rows, spreads = [], []
    for name, mean in zip(design.groups, means.sides, strict=True):
        side_row = Row(term=name, key=(("group", name),), n=mean.n, n_units=int(mean.n))
        row = replace(
            side_row,
            group="mean",
            role="estimate",
            estimate=mean.mean,
            n_clusters=mean.n_clusters,
            method=f"{method}{NAMED * design.weighted}",
        )
        row = with_mean(row, mean, level, within=mean_limits, test=False, df=mean.df)
        mean_rows.append(row)
        spreads.append(replace(side_row, group="sd", role="spread", estimate=mean.sd))
    return (lead, *mean_rows, *spreads)


def two_mean_cautions(
    design: Groups, factors: Sequence[Factor], means: TwoGroupMeans, rows: Sequence[Row]
) -> tuple[Caution, ...]:
    """Cautions about clusters, the shape of the values, and a variance that was raised."""
    all_means = (means.difference, *means.sides)
    # the difference, then the means of both groups
    dfs = [mean.df for mean in all_means if not mean.undefined]
    largest = max((mean.largest for mean in all_means if not mean.undefined), default=0.0)
    return (
        *cluster_cautions(design, factors, df=dfs, largest=largest, rows=rows[:3]),
        *shape_cautions(all_means, names=[row.name for row in rows[:3]], what="units"),
        *floored_caution(means.difference, "standard error, interval, t"),
        *constant_cautions(design, means),
    )


def constant_cautions(design: Groups, means: TwoGroupMeans) -> tuple[Caution, ...]:
    """Return a caution where a group has few values that are all alike, as rounds of a model may be.

    Welch's test takes their variance for 0. Three draws from three levels are alike in a ninth of all cases.
    """
    if means.difference.undefined:
        return ()
    sides = zip(design.groups, means.sides, strict=True)
    # the difference is defined, so one side has no variance at most
    constant = [(name, side.n) for name, side in sides if side.undefined]
    if not constant:
        return ()
    name, n = constant[0]
    detail = (
        f"all {count(n)} values of '{shorten(name, 40)}' are alike. So few do not show how much they vary: "
        "the interval and the test take them as fixed"
    )
    fix = f"Collect at least {FEWEST_CONSTANT} values of each group"
    affects = "standard error, interval, test"
    return small_sample_caution(n, FEWEST_CONSTANT, detail, affects=affects, fix=fix)


def sentence(result: Result) -> str:
    """Return both means, their difference, its interval and test."""
    lead, first, second = result.rows[:3]
    sizes = [
        f", {effective_text(side)}" if side else ""
        for side in result.extras.get("weighings") or (None, None)
    ]
    shown = [
        f"{number(row.shown())} in {shorten(row.term, 40)} ({count(row.n or 0, 'unit')}{size})"
        for row, size in zip((first, second), sizes, strict=True)
    ]
    where = cluster_place(result.counts)
    settings = result.settings
    side = side_text(settings["alternative"]) if lead.p_value is not None else ""
    against = f" against {number(settings['null'])}" if settings["null"] else ""
    return (
        f"The mean was {' and '.join(shown)}{where}, a difference of {stat(lead)}{side}{against}."
    )


def sample_group_means(result: Result) -> Iterator[PlainSample]:
    """Yield the units of both groups, with their means, standard deviations and the difference."""
    design = result.design
    units = GroupUnits(
        design=design,
        values=design.value,
        factors=design.factors(result.settings["cluster"]),
        mean_group="mean",
        level=result.settings["level"],
    )
    yield from units.samples()


def ask_for_welch(result: Result) -> Iterator[PeerNumbers]:
    """scipy's t test of independent units with uneven variances."""
    from scipy.stats import ttest_ind

    settings, sides = result.settings, written_out(result.design)
    if sides is None or result.design.factors(settings["cluster"]):
        return
    null, side, row = settings["null"], settings["alternative"], result.rows[0]
    theirs: Any = ttest_ind
    test = theirs(sides[0] - null, sides[1], equal_var=False, alternative=side.replace("_", "-"))
    low, high = (float(end) + null for end in test.confidence_interval(settings["level"]))
    least, most = row.limits or ANYWHERE
    yield PeerNumbers(
        package="scipy",
        row=(None, "difference"),
        numbers={name: float(getattr(test, field)) for name, field in OF_SCIPY.items()},
        ends=(max(low, least), min(high, most)),
    )


METRIC = Metric(
    name="two_means",
    title="Difference of two means",
    design="groups",
    function=two_means,
    sentence=sentence,
    plot=forest_plot(groups_and_difference, xlabel="Mean, and difference of means"),
    definition=Definition(samples=sample_group_means, peers=ask_for_welch),
    estimand="The mean over units of the first group minus that of the second.",
    assumptions=(
        "units (or the named clusters of units) are independent; no unit is in both groups",
        "t: the difference of both means is close to normal",
    ),
    references=("welch1947",),
    values="numeric",
)
