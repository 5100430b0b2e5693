"""The public function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import NothingToAnalyse
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.metrics.mcnemar.analysis import Analysis, analyse
from socialstats.metrics.mcnemar.cautions import all_cautions
from socialstats.metrics.mcnemar.options import (
    TEST_NAMES,
    DifferenceInterval,
    OddsRatioInterval,
    TestName,
    check_binary,
    check_options,
    chosen_test,
)
from socialstats.metrics.mcnemar.rows import all_rows
from socialstats.models.pair_values import whole
from socialstats.results import Result, ResultGroup, by_levels
from socialstats.text import shorten

PAIR_REFERENCES = (
    "mcnemar1947", "edwards1948", "fagerland2013", "clopper1934", "wilson1927", "tango1998", "newcombe1998",
    "bonettprice2012", "agrestimin2005", "cohen1988",
)  # fmt: skip
CLUSTER_REFERENCES = (
    "bellmccaffrey2002", "cameron2011", "korngraubard1998", "obuchowski1998", "durkalski2003", "yang2010",
    "eliasziw1991",
)  # fmt: skip


@reads(Paired)
def mcnemar(
    paired: Paired | TableLike,
    *,
    test: TestName = "auto",
    odds_ratio_ci: OddsRatioInterval = "exact",
    difference_ci: DifferenceInterval = "tango",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Compare the proportions of two conditions on the same units (McNemar's test).

    Of n pairs, a have the second of the two levels under both conditions, b under the first only, c under the second
    only, d under neither. Difference of proportions (b - c)/n, first minus second; matched odds ratio b/c; Cohen's
    g = b/(b + c) - 1/2, signed.

    Where the design declares clusters they lead: the difference has a cluster-robust t interval and test (CR2 errors
    with Satterthwaite's degrees of freedom; of two crossed factors V1 + V2 - V12, not below the larger of V1 and V2,
    with Cochran's df; cut at -1 and 1), and what takes pairs as independent stands in group ``"ignoring clusters"``.
    With fewer than 10 effective discordant pairs, or clusters that show no variance, Tango's score interval and test
    for clusters take their place: n is the effective number of pairs (n over the design effect, at least 1), and the
    quantile that of t. Odds ratio and Cohen's g follow from Wilson's interval of b/(b + c), clusters weighed by their
    discordant pairs.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        With values of two levels. With a ``by`` factor: one result a level.
    test : str
        The test whose p-value the row ``difference`` shows. ``"auto"``: ``"mid_p"``, with clusters ``"robust_t"``, or
        ``"score"`` where its interval leads. Independent pairs: ``"mid_p"``, ``"exact"``, ``"asymptotic"``,
        ``"continuity"`` (not corrected when b = c, as in R). One cluster factor: ``"robust_t"``, ``"score"``,
        ``"cluster_means_t"``, ``"sign_flip"``, ``"obuchowski"``, ``"durkalski"``, ``"yang"``, ``"eliasziw"``; two:
        ``"robust_t"``, ``"score"``. All that apply are rows of the result.
    odds_ratio_ci : {"exact", "wilson", "wald"}
        Interval of the odds ratio of independent pairs.
    difference_ci : {"tango", "newcombe", "bonett_price", "agresti_min", "wald"}
        Interval of the difference of independent pairs.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Rows ``difference`` (p-value of the leading test), ``odds_ratio``, ``cohens_g``; group ``"proportion"``: both
        conditions; group ``"test"``: one row a test (`statistic`: chi-square, t, score, or for exact and mid-p tests b
        and for the sign-flip test b - c; df; p). With two crossed factors also groups ``"<factor> alone"``, which leave
        the other factor out. `extras`: ``cells`` (a, b, c, d), ``odds_ratio_interval`` (of independent pairs, with
        its infinite end), with two factors ``unfloored_std_error`` (of the difference, without the floor; None
        where V1 + V2 - V12 is not positive). `n` counts pairs; `n_units` too in rows ``difference``, and discordant
        pairs in those of the odds ratio, g and the tests, which rest on these alone. Without discordant pairs every p
        is 1 and the odds ratio is undefined (caution SS314).

    Raises
    ------
    DesignError
        If the values are not of two levels.
    InputError
        For an unknown option or cluster, or a test that does not fit the clusters.
    NothingToAnalyse
        If there is no pair.

    References
    ----------
    McNemar, Q. (1947). doi:10.1007/BF02295996
    Fagerland, M. W., Lydersen, S., & Laake, P. (2013). doi:10.1186/1471-2288-13-91
    Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design. Statistics in Medicine, 17(8), 891-908.
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Yang, Z., Sun, X., & Hardin, J. W. (2010). doi:10.1002/bimj.201000035
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). doi:10.1198/jbes.2010.07136

    Examples
    --------
    >>> approval = {"survey 1": ["yes", "yes", "no", "no"], "survey 2": ["yes", "no", "yes", "no"],
    ...             "people": [794, 150, 86, 570]}
    >>> result = mcnemar(approval, first="survey 1", second="survey 2", count="people", levels=["no", "yes"])
    >>> row = result.row("difference")
    >>> round(row.estimate, 3), round(row.conf_low, 4), round(row.conf_high, 4)
    (0.04, 0.0214, 0.059)
    >>> round(result.row("exact").p_value, 8)
    3.716e-05
    """
    check_options(test, odds_ratio_ci, difference_ci, level)
    settings: dict[str, Any] = {
        "test": test, "odds_ratio_ci": odds_ratio_ci, "difference_ci": difference_ci, "cluster": cluster,
        "level": level,
    }  # fmt: skip
    return by_levels(paired, "declared", lambda one: estimate(one, settings), Paired)


def estimate(design: Paired, settings: dict[str, Any]) -> Result:
    """Compute everything of one design."""
    check_binary(design)
    if not design.n_pairs:
        raise NothingToAnalyse(f"{design.source}: no pair to compare")
    factors = cluster_factors(design, settings["cluster"])
    lead = chosen_test(settings["test"], factors)
    found = analyse(design, factors, settings["level"])
    if lead == "auto":
        lead = "score" if found.score_leads else "robust_t"
    rows, extras = all_rows(found, lead, design.conditions, settings)
    first, second = design.conditions
    return Result(
        metric="mcnemar",
        title=f"McNemar's test: {shorten(first)} minus {shorten(second)}",
        inference=f"{rows[0].method}; {cluster_text(factors, 'pairs')}",
        rows=rows,
        counts=sizes(found, factors),
        fit={
            "nobs": design.n_pairs,
            "n_clusters": rows[0].n_clusters,
            "df": None if rows[0].df is None else whole(rows[0].df),
            "method": TEST_NAMES[lead],
            **effective(found),
        },
        settings=settings,
        cautions=all_cautions(design, found, rows, factors),
        references=PAIR_REFERENCES + (CLUSTER_REFERENCES if factors else ()),
        design=design,
        extras={"cells": {name: getattr(found.cells, name) for name in "abcd"}, "lead": lead, **extras},
    )


def effective(found: Analysis) -> dict[str, float | None]:
    """Smallest effective df of difference and odds ratio, and the largest share of one cluster."""
    errors, share = found.score.errors if found.score else None, found.discordant
    if errors is None:
        return {}
    df = [x for x in (float(errors.df[0]), share.df if share else None) if x is not None and x == x]
    most = [float(errors.largest[0])] + ([share.largest] if share else [])
    return {"effective_df": min(df, default=None), "largest_leverage": max(most)}


def sizes(found: Analysis, factors: tuple[Factor, ...]) -> dict[str, int]:
    """Count pairs, discordant pairs, and the levels of each cluster factor."""
    counts = {"pairs": int(found.cells.n), "discordant pairs": int(found.cells.discordant)}
    levels = found.robust.clusters if found.robust is not None else ()
    return counts | {f"clusters of '{shorten(f.name)}'": n for f, n in zip(factors, levels, strict=True)}
