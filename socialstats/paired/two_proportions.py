"""Shares of two independent groups, and their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.errors import Caution
from socialstats.inference.dependence import (
    cluster_factors,
    cluster_text,
    few_df,
    rare_answers,
    share_cautions,
)
from socialstats.inference.sides import one_sided, one_sided_ends, side_text, two_sided_level
from socialstats.inference.weights import (
    NAMED,
    WORKS,
    effective_text,
    group_weighings,
    sum_weighings,
    weight_cautions,
    weight_counts,
)
from socialstats.paired.group_samples import GroupUnits
from socialstats.paired.pair_values import cluster_counts, whole_df
from socialstats.paired.peers import newcombe_ends
from socialstats.paired.two_groups import (
    TwoGroupMeans,
    cluster_place,
    fisher_exact,
    group_means,
    groups_and_difference,
)
from socialstats.paired.two_shares import (
    DIFFERENCE_RANGE,
    group_share_rows,
    level_indicator,
    share_difference_row,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.plots import forest_plot
from socialstats.sentences import stat
from socialstats.text import count, number, shorten


@reads(Groups, square=True, weighted=True)
def two_proportions(
    samples: Groups | TableLike,
    *,
    choice: str | None = None,
    alternative: Alternative = "two_sided",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Compare the shares of two independent groups: the first minus the second.

    The share p of x ones among n units has Wilson's interval (l, u). The difference has Newcombe's (1998, method 10),

        p1 - p2 - sqrt((p1 - l1)^2 + (u2 - p2)^2)  to  p1 - p2 + sqrt((u1 - p1)^2 + (p2 - l2)^2),

    and Fisher's exact test. With clusters within groups, l and u are Wilson's ends for the effective number of units.
    The test is then the t test of the CR2 difference. Where clusters have units of both groups, interval and
    test are of this t. With sampling weights (``weight=``) l and u are Wilson's ends for p (1 - p) / V units with t
    quantiles, V being the linearised variance; these are at most Kish's effective number. The test is Welch's t.

    Parameters
    ----------
    samples : Groups, data frame, mapping of columns, or path of a file
        Of two levels (0 and 1) or more. With a ``by`` factor: one result a level of it. Also two vectors of values, or
        values and ``group=``. Of counts: ``count=`` and ``nobs=``, the successes and sizes of the two groups, as
        statsmodels names them (R's ``x=`` and ``n=`` too). Or a data frame with a row for each group and a column for
        each level. A 2 x 2 array without labels is refused: R's prop.test has the successes first, and
        `Groups.from_table` has them last. With ``levels=`` they are last.
    choice : str, optional
        The level whose share is compared; by default the second of two.
    alternative : {"two_sided", "greater", "less"}
        One-sided: Fisher's p is one tail, and the interval of the difference has one end. The other is -1 or 1.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes units as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_groups`.

    Returns
    -------
    Result
        ``difference`` (estimate, s.e., interval, p); group ``"share"``: the share of each group. `extras`: ``hits`` and
        ``n`` of both groups. Units with several answers have the share of their answers as value, and count as
        clusters of these.

    Raises
    ------
    InputError
        For an unknown option or cluster, or a choice that is no level.
    DesignError
        For numbers, which have no shares, and several levels without a choice.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of
    eleven methods. doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
    Fisher, R. A. (1935). The design of experiments, section 21.
    Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect measures. doi:10.1002/sim.3095
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> from socialstats import Groups
    >>> print(two_proportions(Groups.from_table([[14, 56], [32, 48]], groups=("new", "old"))).sentence())
    The share of '1' was .800 in new (56 of 70) and .600 in old (48 of 80), a difference of .200, score
    95% CI [.052, .334], exact test p = .013.
    """
    inner = two_sided_level(level, alternative)
    ones, label = level_indicator(samples, choice)
    factors = cluster_factors(samples, cluster)
    means = group_means(samples, ones, factors)
    sides = group_weighings(samples)
    # single yes-or-no answers that are independent and weigh alike: Newcombe's interval and Fisher's test
    plain = not factors and samples.repeats is None and not sides
    # a one-sided interval has an end of a two-sided one at a lower level, made of shares at that level
    shares, inside = (group_share_rows(samples, ones, factors, at) for at in (level, inner))
    gap_row, test_name = share_difference_row(samples, inside, means, plain, inner)
    lead = one_sided(gap_row, alternative, level)
    in_groups = [samples.group == side for side in (0, 1)]
    hits = tuple(float(samples.count[in_group] @ ones[in_group]) for in_group in in_groups)
    if plain:
        # the interval is a score interval, the test exact
        p = fisher_exact(hits, samples.n_units, alternative)
        lead = replace(lead, p_value=p, test="exact") if p is not None else lead
    leverage: dict[str, float | None] = {}
    if factors:
        leverage = {"effective_df": lead.df, "largest_leverage": means.difference.largest or None}
    rows = (lead, *shares)
    how = ", ".join(dict.fromkeys([str(gap_row.method), test_name])) + (NAMED if sides else "")
    counts = {
        "units": samples.n_rows,
        **weight_counts(sum_weighings(sides), "units"),
        **cluster_counts(factors),
    }
    cautions = (
        *share_difference_cautions(samples, factors, rows, means, plain),
        *weight_cautions(sides, "unit", samples),
    )
    references = (
        "newcombe1998independent",
        *(("wilson1927", "fisher1935") if plain else ("zoudonner2008", "bellmccaffrey2002")),
        *(WORKS if sides else ()),
    )
    title = f"Difference of shares: {' minus '.join(shorten(name, 40) for name in samples.groups)}"
    fit = {
        "nobs": samples.n_rows,
        "n_clusters": lead.n_clusters,
        "method": gap_row.method,
        "df": None if plain else whole_df(means.difference.df),
        **leverage,
    }
    extras = {"hits": hits, "n": samples.n_units, "choice": label, "weighings": sides}
    return Result(
        metric="two_proportions",
        title=title,
        inference=f"{how}; {cluster_text(factors, 'units')}",
        rows=rows,
        counts=counts,
        fit=fit,
        settings={"choice": label, "alternative": alternative, "cluster": cluster, "level": level},
        cautions=cautions,
        references=references,
        design=samples,
        extras=extras,
    )


def share_difference_cautions(
    design: Groups,
    factors: Sequence[Factor],
    rows: Sequence[Row],
    means: TwoGroupMeans,
    plain: bool,
) -> tuple[Caution, ...]:
    """Cautions about clusters, rare answers and few degrees of freedom."""
    shares = rows[1:]
    cautions = share_cautions(design, factors, shares)
    if not factors:
        return (*cautions, *rare_answers(shares))
    # few degrees of freedom of the difference are told once, where those of shares are not told already
    needs_df = not means.difference.undefined and not any(
        caution.code == "SS202" for caution in cautions
    )
    return (*cautions, *(few_df([means.difference.df], rows[:1]) if needs_df else ()))


def sentence(result: Result) -> str:
    """Return both shares, their difference, its interval and test."""
    lead, first, second = result.rows[0], *(result.rows[1:3])
    choice = shorten(result.extras["choice"], 30)
    # weights and repeated answers have no counts of hits
    sizes = ["", ""]
    if weighings := result.extras.get("weighings"):
        sizes = [f" ({count(side.units, 'unit')}, {effective_text(side)})" for side in weighings]
    elif result.design.repeats is None:
        pairs = zip(result.extras["hits"], result.extras["n"], strict=True)
        sizes = [f" ({count(hits)} of {count(n)})" for hits, n in pairs]
    shown = [
        f"{number(row.shown())} in {shorten(row.term, 40)}{size}"
        for row, size in zip((first, second), sizes, strict=True)
    ]
    where = cluster_place(result.counts)
    side = side_text(result.settings["alternative"]) if lead.p_value is not None else ""
    return f"The share of '{choice}' was {' and '.join(shown)}{where}, a difference of {stat(lead)}{side}."


def units_of_shares(result: Result) -> GroupUnits:
    """Return the units of both groups: 1 where they have the level, or the share of their answers."""
    design, repeats = result.design, result.design.repeats
    values, answers = design.value, dict(zip(design.groups, design.n_units, strict=True))
    if repeats is None:
        # codes of levels count from 0
        values = (values == design.levels.index(result.settings["choice"])).astype(np.float64)
    else:
        answers = {name: float(repeats.of_source(name).answers.sum()) for name in design.groups}
    if design.weight is not None:
        for side, name in enumerate(design.groups):
            # unequal weights make the answers worth fewer
            inside = design.group == side
            count, weight = design.count[inside], design.weight[inside]
            effective = float((count @ weight) ** 2 / (count @ weight**2))
            answers[name] *= effective / float(count.sum())
    factors = design.factors(result.settings["cluster"])
    return GroupUnits(
        design=design,
        values=values,
        factors=factors,
        mean_group="share",
        level=result.settings["level"],
        answers=answers,
        unbiased=bool(factors or repeats is not None or design.weighted),
    )


def sample_group_shares(result: Result) -> Iterator[PlainSample]:
    """Yield the units of both groups, with their shares and the difference."""
    yield from units_of_shares(result).samples()


def shares_of_groups(result: Result) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return hits and units of both groups; None under clusters, weights and repeated answers."""
    units = units_of_shares(result)
    if units.unbiased:
        return None
    first, values, count = units.design.group == 0, units.values, units.design.count
    hits, second_hits = (float(count[i] @ values[i]) for i in (first, ~first))
    n, m = (float(count[i].sum()) for i in (first, ~first))
    return (hits, n), (second_hits, m)


def ask_for_newcombe(result: Result) -> Iterator[PeerNumbers]:
    """Newcombe's interval of statsmodels and Fisher's test of scipy, of independent yes and no."""
    from scipy.stats import fisher_exact

    shares = shares_of_groups(result)
    if shares is None:
        return
    (a, n), (b, m) = shares
    side = result.settings["alternative"]
    theirs: Any = fisher_exact
    test = theirs(np.array([[a, n - a], [b, m - b]]), alternative=side.replace("_", "-"))
    row = (None, "difference")
    yield PeerNumbers(package="scipy", row=row, numbers={"p_value": float(test.pvalue)})
    low, high = newcombe_ends((a, n), (b, m), two_sided_level(result.settings["level"], side))
    ends = one_sided_ends(low, high, side, DIFFERENCE_RANGE)
    yield PeerNumbers(package="statsmodels", row=row, ends=ends)


METRIC = Metric(
    name="two_proportions",
    title="Difference of two shares",
    design="groups",
    function=two_proportions,
    sentence=sentence,
    plot=forest_plot(groups_and_difference, xlabel="Share, and difference of shares"),
    definition=Definition(samples=sample_group_shares, peers=ask_for_newcombe),
    estimand="The share of units of the first group with one level minus that of the second.",
    assumptions=(
        "units (or the named clusters of units) are independent; no unit is in both groups",
        "each group is a random sample of its units, or units were assigned to the groups at random",
    ),
    references=("newcombe1998independent", "wilson1927", "fisher1935"),
    values="binary",
)
