"""Rows of a mean difference."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.rows import with_ends, with_mean
from socialstats.metrics.paired_difference.analysis import Options
from socialstats.models.effect_sizes import Summary
from socialstats.models.pair_values import PairValues
from socialstats.models.signed_rank import SignedRank
from socialstats.resampling import ChanceTest
from socialstats.results import Row
from socialstats.text import count

IGNORING = "ignoring clusters"
ALIKE = "clusters weighing alike"
ALIKE_METHOD = "t of the means of clusters"


def lead_row(lead: ClusteredMean, ends: tuple[float, float] | None, why: str, options: Options) -> Row:
    """The mean difference with its test."""
    low, high = ends if ends is not None else (None, None)
    side = {"two_sided": "", "greater": "; no upper end", "less": "; no lower end"}[options.alternative]
    row = Row(
        term="difference", estimate=lead.mean, n=lead.n, n_units=int(lead.n), method=words(lead, options.ci) + side,
        n_clusters=min(lead.clusters) if lead.clusters else None,
    )  # fmt: skip
    row = with_mean(row, lead, options.level, null=options.null, alternative=options.alternative)
    return with_ends(row, low, high, options.level, why=why)


def words(lead: ClusteredMean, ci: str) -> str:
    """Name the test and the interval."""
    test = {
        "rows": "paired t", "CR2": "cluster-robust t (CR2, Satterthwaite df)",
        "two-way": "two-way cluster-robust t (CR2, Cochran df)",
    }[lead.kind]  # fmt: skip
    return test if ci == "closed" else f"{test}, {ci} bootstrap interval"


def mean_row(found: ClusteredMean, group: str, method: str, options: Options) -> Row:
    """Row of a t test beside the leading one."""
    row = Row(term="difference", group=group, estimate=found.mean, n=found.n, n_units=int(found.n), method=method)
    return with_mean(row, found, options.level, null=options.null, alternative=options.alternative)


def rank_row(ranks: SignedRank | str, clustered: bool, options: Options) -> Row:
    """Wilcoxon's test as R does it by default."""
    group = IGNORING if clustered else "test"
    if isinstance(ranks, str):
        return Row(term="wilcoxon", group=group, method="Wilcoxon signed rank", undefined=ranks)
    exact = ranks.p_exact(options.alternative) if ranks.exact_as_r else None
    how = "exact" if exact is not None else "normal, continuity-corrected"
    return Row(
        term="wilcoxon", group=group, statistic=ranks.v, n=ranks.n, n_units=int(ranks.n),
        p_value=exact if exact is not None else ranks.p_normal(options.alternative),
        method=f"Wilcoxon signed rank ({how}{', pairs taken as independent' if clustered else ''})",
    )  # fmt: skip


def flip_row(test: ChanceTest | str, lead: ClusteredMean, factors: Sequence[Factor], options: Options) -> Row:
    """The sign-flip test."""
    unit = "clusters" if factors else "pairs"
    if isinstance(test, str):
        return Row(term="sign_flip", group="test", method=f"sign flips of {unit}", undefined=test)
    drawn = f"{count(test.draws)} random flips, (b + 1)/(B + 1)" if test.draws else test.method
    how = "exact" if test.exact else drawn
    return Row(
        term="sign_flip", group="test", statistic=float(test.statistic[0]), p_value=float(test.p_value[0]),
        n=lead.n, n_units=int(lead.n), n_clusters=lead.clusters[0] if lead.clusters else None,
        method=f"sign flips of {unit} ({how})",
    )  # fmt: skip


def summary_rows(design: Paired, pairs: PairValues, summary: Summary) -> list[Row]:
    """Means and standard deviations of the conditions, of the difference, and their correlation."""
    n, rows = float(pairs.n), []
    sized, unit = pairs.sized()
    parts = zip(design.conditions, (sized.first, sized.second), (summary.sd_first, summary.sd_second), strict=True)
    for name, values, sd in parts:
        rows.append(Row(term=name, group="mean", estimate=float(sized.count @ values / n) * unit, n=n))
        rows.append(Row(term=name, group="sd", estimate=sd, n=n))
    rows.append(Row(term="difference", group="sd", estimate=summary.sd or 0.0, n=n))
    why = None if summary.r is not None else "a condition does not vary: no correlation"
    rows.append(Row(term="r", estimate=summary.r, n=n, undefined=why))
    return rows
