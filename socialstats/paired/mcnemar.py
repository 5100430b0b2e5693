"""McNemar's test: proportions of two conditions on the same units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.inference.paired_score import paired_score
from socialstats.inference.rows import with_ends, with_mean, with_share
from socialstats.inference.sides import (
    OPEN,
    one_end,
    one_sided_ends,
    one_tail,
    side_text,
    two_sided_level,
)
from socialstats.paired import matched_pairs as plain
from socialstats.paired.matched_pairs import (
    CELLS,
    CLUSTERED_SCORE,
    INTERVALS,
    NAMES,
    NO_TEST,
    SPECTRAL_FLOOR,
    Cells,
    McNemarTest,
    cells_of,
    cohens_g,
    discordant_share,
    odds_ratio_interval,
    wald_std_error,
)
from socialstats.paired.mcnemar_cautions import all_cautions
from socialstats.paired.mcnemar_clusters import (
    Clustered,
    Tests,
    effective_sizes,
    one_factor,
    score_test,
    t_test,
)
from socialstats.paired.pair_values import IGNORING, clusters_by_factor, sample_text, whole_df
from socialstats.paired.peers import (
    binomial_p,
    cluster_means,
    mid_p_value,
    t_test_numbers,
    wilson_ends,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import (
    EstimateTest,
    PeerNumbers,
    PlainSample,
    RowKey,
)
from socialstats.results.peers import load_peer
from socialstats.results.rows import Interval, Test
from socialstats.sentences import apa_interval
from socialstats.tables import label_text
from socialstats.tables.spelling import spelled_alike
from socialstats.text import (
    count,
    interval,
    number,
    p_value,
    quoted,
    shorten,
)
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TestName = Literal[
    "auto",
    "mid_p",
    "exact",
    "asymptotic",
    "continuity",
    "robust_t",
    "score",
    "cluster_means_t",
    "sign_flip",
    "obuchowski",
    "durkalski",
    "yang",
    "eliasziw",
]
OddsRatioInterval = Literal["exact", "wilson", "wald"]
DifferenceInterval = Literal["tango", "newcombe", "bonett_price", "agresti_min", "wald"]

PAIR_TESTS = {
    "mid_p": "McNemar's mid-p test",
    "exact": "exact McNemar test",
    "asymptotic": "McNemar's chi-square test",
    "continuity": "McNemar's chi-square test, continuity-corrected",
}
CLUSTER_TESTS = {
    "robust_t": "cluster-robust t test",
    "score": "cluster-robust score test",
    "cluster_means_t": "t test of cluster means",
    "sign_flip": "exact sign-flip test of clusters",
    "obuchowski": "Obuchowski's test",
    "durkalski": "Durkalski's test",
    "yang": "Yang's test",
    "eliasziw": "Eliasziw and Donner's test",
}
TEST_NAMES = PAIR_TESTS | CLUSTER_TESTS
KINDS: dict[str, Test] = {
    "mid_p": "mid_p",
    "exact": "exact",
    "robust_t": "t",
    "cluster_means_t": "t",
    "score": "score",
    "sign_flip": "sign_flip",
}
ODDS_RATIO_NAMES = {
    "exact": "exact interval",
    "wilson": "Wilson's interval",
    "wald": "Wald's interval",
}
DIFFERENCE_INTERVALS: dict[str, Interval] = {
    "tango": "score",
    "newcombe": "score",
    "bonett_price": "adjusted_z",
    "agresti_min": "adjusted_z",
    "wald": "z",
}
ODDS_INTERVALS: dict[str, Interval] = {"exact": "exact", "wilson": "score", "wald": "z"}
DISCORDANT = "Wilson's interval for the effective number of discordant pairs, t"
NONE_DISCORDANT = "no discordant pairs"
SHARES = (-1.0, 1.0)  # what a difference of shares can be
WHOLE = 1e-6  # degrees of freedom nearer than this to a whole number are printed as one
ODDS = (0.0, math.inf)  # what an odds ratio can be


def chosen_test(test: str, factors: tuple[Factor, ...]) -> str:
    """Return the test that leads: mid-p for independent pairs; "auto" where clusters are to decide.

    Raises
    ------
    InputError
        If the test takes pairs as independent and clusters are used, or needs clusters that are not there.
    """
    if test == "auto":
        return "auto" if factors else "mid_p"
    names = quoted([f.name for f in factors])
    if test in PAIR_TESTS and factors:
        raise InputError(
            f"{option('test', test)} takes pairs as independent, but clusters {names} are used; "
            f"{option('cluster', None)} ignores them, {option('test', 'auto')} takes the cluster-robust "
            "test"
        )
    if test in CLUSTER_TESTS and not factors:
        raise InputError(
            f"{option('test', test)} needs clusters; declare a column with {option('cluster')} when "
            "making the design"
        )
    if test not in ("robust_t", "score") and len(factors) == 2:
        raise InputError(
            f"{option('test', test)} takes one cluster factor, got {names}; {option('test', 'robust_t')} "
            "takes two crossed ones"
        )
    return test


def check_binary(design: Paired) -> None:
    """Raise DesignError for values that are not of two levels, naming the metric that takes them."""
    if design.scale == "binary":
        return
    alike = spelled_alike(design.levels)
    if design.repeats is not None:
        raise DesignError(
            f"{design.source}: McNemar's test takes one answer of a unit under each condition, and these values are "
            "means of repeated answers. paired_difference() tests their difference"
        )
    values = np.unique([design.first, design.second]).tolist()
    if design.scale != "nominal" and len(values) == 2:  # codes such as 1 and 2
        named = option("levels", [label_text(value) or "" for value in values])
        other = f"say that they are codes of two levels, the second of which counts as one: {named}"
    elif design.scale != "nominal":
        other = "paired_difference() takes numbers"
    elif len(design.levels) == 2:
        named = option("levels", (Word("zero"), Word("one")))
        other = f"say which of the two counts as one: {named} when making the design, without {option('scale')}"
    elif alike:
        other = (
            f"{'; '.join(alike)} but for case, white space or encoding: write each level in one way"
        )
    else:
        other = "symmetry() takes k levels"
    levels = (
        f" with {count(len(design.levels), 'level')} ({quoted(design.levels)})"
        if design.levels
        else ""
    )
    raise DesignError(
        f"{design.source}: McNemar's test takes values of two levels, these are {design.scale}{levels}; {other}"
    )


def rows_of_tests(
    tests: Tests,
    cells: Cells,
    lead: str,
    group: str,
    key: tuple[str, str] | None = None,
    *,
    clusters: int | None = None,
    means: ClusteredMean | None = None,
    level: float = 0.95,
    side: Alternative = "two_sided",
) -> list[Row]:
    """One row a test, the leading one first; the t of cluster means has its own estimate."""
    rows = []
    for name in sorted(tests, key=lambda name: name != lead):
        test = tests[name]
        row = Row(
            term=name,
            group=group,
            key=(("test", name), *([key] if key else [])),
            role="test",
            test=KINDS.get(name, "chi2"),
            n=cells.n,
            n_units=int(cells.discordant),
            n_clusters=clusters,
            method=named(name, test),
        )
        if isinstance(test, McNemarTest):
            row = replace(row, statistic=test.statistic, df=test.df, p_value=test.p)
        else:
            row = replace(row, undefined=test, reason="no_variation" if test == NO_TEST else None)
        if name == "cluster_means_t" and means is not None and not means.undefined:
            row = replace(row, estimate=means.mean, method=f"{row.method}{OPEN[side]}")
            row = with_mean(row, means, level, alternative=side, within=SHARES, test=False)
        rows.append(row)
    return rows


def named(name: str, test: McNemarTest | str) -> str:
    """Name a test; where the Fourier transform of the sign flips resolves no smaller p, say that p is a bound."""
    floored = name == "sign_flip" and isinstance(test, McNemarTest) and test.p == SPECTRAL_FLOOR
    return f"{TEST_NAMES[name]} (p at most {SPECTRAL_FLOOR:g})" if floored else TEST_NAMES[name]


def both_names(interval: str, test: str) -> dict[str, Any]:
    """Return the method of a row and, as facts, the names of its interval and of its test."""
    return {
        "method": f"{interval}; {test}",
        "key": (("interval name", interval), ("test name", test)),
    }


def pair_rows(cells: Cells, settings: Mapping[str, Any], lead: str, group: str | None) -> list[Row]:
    """Difference, odds ratio and tests that take pairs as independent; no test leads beside clusters (`group`)."""
    level, kind, odds_kind = settings["level"], settings["difference_ci"], settings["odds_ratio_ci"]
    side: Alternative = settings["alternative"]
    tests, inner = (
        {name: getattr(plain, name)(cells, side) for name in PAIR_TESTS},
        two_sided_level(level, side),
    )
    test, method = tests.get(lead), NAMES[kind]
    low, high = INTERVALS[kind](cells, inner)
    row = Row(
        term="difference",
        group=group,
        role="difference",
        estimate=cells.difference,
        n=cells.n,
        n_units=int(cells.n),
        std_error=wald_std_error(cells) or None,
        method=method,
        limits=SHARES,
    )
    if isinstance(test, str):
        row = replace(row, undefined=test, reason="no_variation")
    elif test is not None:
        statistic = None if test.df is None else test.statistic
        row = replace(
            row,
            statistic=statistic,
            df=test.df,
            p_value=test.p,
            test=KINDS.get(lead, "chi2"),
            **both_names(method, TEST_NAMES[lead]),
        )
    why = (
        "" if low < high else f"{method} has no width here; {option('difference_ci', 'tango')} has"
    )
    ends, none = odds_ratio_interval(cells, odds_kind, inner), infinite(cells)
    if not none and ends is None:
        none = f"Wald's interval needs discordant pairs of both kinds; {option('odds_ratio_ci', 'exact')} does not"
    elif none and ends is not None:
        none += f"; {interval(*one_sided_ends(*ends, side, ODDS), level=level)}"
    odds = Row(
        term="odds_ratio",
        group=group,
        role="estimate",
        estimate=cells.odds_ratio,
        n=cells.n,
        n_units=int(cells.discordant),
        method=ODDS_RATIO_NAMES[odds_kind],
    )
    row = with_ends(row, low, high, inner, why=why, interval=DIFFERENCE_INTERVALS[kind])
    odds = with_ends(
        odds, *(ends or (math.nan, math.nan)), inner, why=none, interval=ODDS_INTERVALS[odds_kind]
    )
    shown = rows_of_tests(tests, cells, lead, group or "test")
    return [one_end(row, side, level), one_end(odds, side, level, ODDS), *shown]


def share_rows(cells: Cells, conditions: tuple[str, str]) -> list[Row]:
    """Return the shares of the second level under both conditions, then the shares of the four cells."""
    first, second = conditions
    # each proportion is the sum of two cells
    share = Row(term="", group="proportion", role="component", n=cells.n, limits=(0.0, 1.0))
    rows = []
    for name, n in ((first, cells.a + cells.b), (second, cells.a + cells.c)):
        key = (("condition", name),)
        rows.append(replace(share, term=name, key=key, estimate=n / cells.n))
    for cell, name in CELLS.items():
        n = getattr(cells, cell)
        row = replace(share, term=name, group="cell", key=(("cell", name),))
        rows.append(replace(row, estimate=n / cells.n, n=n))
    return rows


def infinite(cells: Cells) -> str:
    """Return why the odds ratio is not a number, or return empty text."""
    if cells.c:
        return ""
    if cells.b:
        return "no pair has the level under the second condition only: the odds ratio is infinite"
    return f"{NONE_DISCORDANT}: odds ratio 0/0"


def clustered_difference(
    clustered: Clustered,
    cells: Cells,
    test: McNemarTest | str,
    lead: str,
    level: float,
    side: Alternative,
) -> Row:
    """The difference under clusters, with its interval and the p-value of the test that leads."""
    mean, score, inner = clustered.mean, clustered.score, two_sided_level(level, side)
    row = Row(
        term="difference",
        role="difference",
        estimate=cells.difference,
        n=cells.n,
        n_units=int(cells.n),
        n_clusters=mean.n_clusters,
        limits=SHARES,
        leverage=None if score.errors is None else float(score.errors.largest[0]),
        **both_names(
            CLUSTERED_SCORE if clustered.score_leads else robust_name(mean.kind == "two-way"),
            named(lead, test),
        ),
    )
    if isinstance(test, McNemarTest):
        row = replace(
            row, statistic=test.statistic, df=test.df, p_value=test.p, test=KINDS.get(lead, "chi2")
        )
    else:
        row = replace(row, undefined=test)
    if clustered.score_leads:
        low, high = (float(end[0]) for end in score.interval(inner))
        error = None if mean.undefined else mean.std_error
        row = with_ends(row, low, high, inner, std_error=error, interval="score")
    else:
        row = with_mean(row, mean, inner, within=SHARES, test=False)
    return one_end(row, side, level)


def clustered_odds(clustered: Clustered, cells: Cells, level: float, side: Alternative) -> Row:
    """The matched odds ratio b / c under clusters: the odds of the interval of b / (b + c)."""
    why, share = infinite(cells), clustered.share
    row = Row(
        term="odds_ratio",
        role="estimate",
        estimate=cells.odds_ratio,
        n=cells.n,
        n_units=int(cells.discordant),
        n_clusters=clustered.mean.n_clusters,
        method=f"odds of {DISCORDANT}",
    )
    if share is None or share.low is None or share.high is None:
        return replace(row, undefined=why or (share.undefined if share else why))
    low, high = (end / (1 - end) if end < 1 else math.inf for end in (share.low, share.high))
    row = replace(row, leverage=share.largest)
    if why:
        return replace(
            row, undefined=f"{why}; {interval(*one_sided_ends(low, high, side, ODDS), level=level)}"
        )
    row = with_ends(row, low, high, two_sided_level(level, side), df=share.df, interval="score")
    return one_end(row, side, level, ODDS)


def g_row(clustered: Clustered | None, cells: Cells, level: float, side: Alternative) -> Row:
    """Cohen's g, signed, with Wilson's interval; with clusters of their effective number of discordant pairs."""
    inner = two_sided_level(level, side)
    values = cohens_g(cells, inner)
    row = Row(
        term="cohens_g",
        role="estimate",
        n=cells.n,
        n_units=int(cells.discordant),
        limits=(-0.5, 0.5),
    )
    if values is None:
        return replace(row, undefined=NONE_DISCORDANT)
    row = replace(row, estimate=values[0])
    if clustered is None or clustered.share is None:
        row = with_ends(row, *values[1:], inner, method="Wilson's interval", interval="score")
        return one_end(row, side, level)
    row = replace(row, n_clusters=clustered.mean.n_clusters)
    made = with_share(row, clustered.share, inner, clustered=True, shift=-0.5, method=DISCORDANT)
    return one_end(replace(made, effective=None), side, level)  # g is no share


def robust_name(crossed: bool) -> str:
    """Name the robust interval: its kind and degrees of freedom."""
    if crossed:
        return "two-way cluster-robust t interval"
    return "cluster-robust t interval, CR2 with Satterthwaite df"


PAIR_REFERENCES = (
    "mcnemar1947",
    "edwards1948",
    "fagerland2013",
    "clopper1934",
    "wilson1927",
    "tango1998",
    "newcombe1998",
    "bonettprice2012",
    "agrestimin2005",
    "cohen1988",
)
CLUSTER_REFERENCES = (
    "bellmccaffrey2002",
    "cameron2011",
    "korngraubard1998",
    "obuchowski1998",
    "durkalski2003",
    "yang2010",
    "eliasziw1991",
)


@reads(Paired, square=True)
def mcnemar(
    paired: Paired | TableLike,
    *,
    test: TestName = "auto",
    alternative: Alternative = "two_sided",
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

    Where the design declares clusters they lead: the difference has a cluster-robust t interval and test, cut at -1
    and 1. One factor: CR2 errors with Satterthwaite's degrees of freedom. Two crossed factors: the largest of V1, V2
    and V1 + V2 - V12, with Cochran's df. What takes pairs as independent stands in group ``"ignoring clusters"``.
    With fewer than 10 effective discordant pairs, or clusters without variance, Tango's score interval and test for
    clusters take their place. Their n is the effective number of pairs (n over the design effect, at least 1), their
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
    alternative : {"two_sided", "greater", "less"}
        Of the difference against 0. One-sided: p of every test is one tail; that of a chi-square is the tail of its
        signed root. The intervals of difference, odds ratio and g have one end. The other is the limit of the quantity.
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
        Rows ``difference`` (p-value of the leading test), ``odds_ratio``, ``cohens_g``. Group ``"proportion"``: both
        conditions. Group ``"test"``: one row per test, with `statistic` (chi-square, t or score), df and p. The
        statistic of exact and mid-p tests is b, that of the sign-flip test b - c. With two crossed factors also groups
        ``"<factor> alone"``, which leave the other factor out. `extras`: ``cells`` (a, b, c, d) and
        ``odds_ratio_interval`` (of independent pairs, with its infinite end). With two factors also
        ``unfloored_std_error`` of the difference, None where V1 + V2 - V12 is not positive. `n` counts pairs, as does
        `n_units` in rows ``difference``; elsewhere `n_units` counts discordant pairs, which those rows rest on. Without
        discordant pairs the exact, mid-p and sign-flip p are 1 (no outcome is less extreme). Odds ratio and other tests
        are then undefined, 0/0. Caution SS314 says so.

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
    for name, value, kinds in (
        ("test", test, TestName),
        ("odds_ratio_ci", odds_ratio_ci, OddsRatioInterval),
        ("difference_ci", difference_ci, DifferenceInterval),
    ):
        check_allowed(name, value, get_args(kinds))
    inner = two_sided_level(level, alternative)
    settings: dict[str, Any] = {
        "test": test,
        "alternative": alternative,
        "odds_ratio_ci": odds_ratio_ci,
        "difference_ci": difference_ci,
        "cluster": cluster,
        "level": level,
    }
    check_binary(paired)
    if not paired.n_pairs:
        raise NothingToAnalyse(f"{paired.source}: no pair to compare")
    factors = cluster_factors(paired, cluster)
    lead = chosen_test(test, factors)
    cells, (first, second) = cells_of(paired.first, paired.second, paired.count), paired.conditions
    exact = odds_ratio_interval(cells, "exact", inner)
    odds_ends = odds_ratio_interval(cells, odds_ratio_ci, inner) or exact or ODDS
    extras: dict[str, Any] = {"odds_ratio_interval": one_sided_ends(*odds_ends, alternative, ODDS)}
    clustered, counts, effective = None, {}, {}
    if not factors:
        difference, odds, *tests = pair_rows(cells, settings, lead, None)
    else:
        codes, d = [factor.codes for factor in factors], paired.difference
        clustered = Clustered(
            mean=clustered_mean(d, paired.count, codes, magnitude=1.0),
            score=paired_score(d, paired.count, codes),
            share=discordant_share(paired, codes, inner),
        )
        if lead == "auto":
            lead = "score" if clustered.score_leads else "robust_t"
        single = {factor.name: one_factor(paired, factor, cells, alternative) for factor in factors}
        (alone, means), *others = single.values()
        together: Tests = {
            **({} if others else alone),
            "robust_t": t_test(clustered.mean, cells, alternative),
            "score": score_test(clustered, cells, alternative),
        }
        difference = clustered_difference(
            clustered, cells, together[lead], lead, level, alternative
        )
        odds = clustered_odds(clustered, cells, level, alternative)
        how: dict[str, Any] = {"level": level, "side": alternative}
        tests = rows_of_tests(
            together, cells, lead, "test", clusters=clustered.mean.n_clusters, means=means, **how
        )
        for name, (own, mean) in single.items() if others else ():
            tests += rows_of_tests(
                own,
                cells,
                lead,
                f"{name} alone",
                ("factor", name),
                clusters=int(mean.n),
                means=mean,
                **how,
            )
        tests += pair_rows(cells, settings, "", IGNORING)
        counts = clusters_by_factor(factors, codes)
        effective = effective_sizes(clustered)
        if clustered.mean.kind == "two-way":
            extras["unfloored_std_error"] = clustered.mean.unfloored_std_error
    rows = tuple(
        replace(row, key=(("condition", first), ("minus", second), *row.key))
        if row.role == "difference"
        else row
        for row in (
            difference,
            odds,
            g_row(clustered, cells, level, alternative),
            *share_rows(cells, paired.conditions),
            *tests,
        )
    )
    title = f"McNemar's test: {shorten(first)} minus {shorten(second)}"
    inference = f"{rows[0].method}; {cluster_text(factors, 'pairs')}"
    fit = {
        "nobs": paired.n_pairs,
        "n_clusters": rows[0].n_clusters,
        "df": None if rows[0].df is None else whole_df(rows[0].df),
        "method": TEST_NAMES[lead],
        **effective,
    }
    cautions = all_cautions(paired, clustered, cells, rows, factors, level, alternative)
    return Result(
        metric="mcnemar",
        title=title,
        inference=inference,
        rows=rows,
        counts={"pairs": int(cells.n), "discordant pairs": int(cells.discordant), **counts},
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=PAIR_REFERENCES + (CLUSTER_REFERENCES if factors else ()),
        design=paired,
        extras={"cells": {name: getattr(cells, name) for name in "abcd"}, "lead": lead, **extras},
    )


def sentence(result: Result) -> str:
    """Return the difference with its interval and leading test, the odds ratio, and the test that ignores clusters."""
    design, cells = result.design, result.extras["cells"]
    first, second = (shorten(c) for c in design.conditions)
    row, odds = result.rows[0], result.rows[1]
    factors = design.factors(result.settings["cluster"])
    sizes = sample_text(result, "pairs", "pair")
    text = (
        f"Of {sizes}, {count(cells['b'])} had '{shorten(design.levels[1])}' under {first} only and "
        f"{count(cells['c'])} under {second} only. The proportions differed by "
        f"{number(row.shown())} ({first} minus {second})"
    )
    ends = ", without an interval"
    if row.has_interval:
        made = NAMES[result.settings["difference_ci"]]
        if factors:
            made = CLUSTERED_SCORE if row.interval == "score" else robust_name(len(factors) == 2)
        ends = f", {apa_interval(row)} ({made})"
    text += f"{ends}, {said_test(result)}."
    if odds.estimate is None:
        text += f" The matched odds ratio was {'infinite' if cells['b'] else 'undefined'}."
    else:
        ends = f", {apa_interval(odds)}" if odds.has_interval else ""
        text += f" The matched odds ratio was {number(odds.shown())}{ends}."
    if factors:
        p = p_value(result.row("mid_p", group=IGNORING).p_value)
        text += f" {TEST_NAMES['mid_p']} of independent pairs gave {p}{side_text(result.settings['alternative'])}."
    return text


def said_test(result: Result) -> str:
    """Return the leading test with its statistic, df and p."""
    name = result.extras["lead"]
    row = result.row(name, group="test")
    if row.undefined:
        return f"{TEST_NAMES[name]} undefined ({row.undefined})"
    p = f"{p_value(row.p_value)}{side_text(result.settings['alternative'])}"
    if row.df is None:
        return f"{TEST_NAMES[name]} {p}"
    df = number(row.df, 0 if row.test == "chi2" or abs(row.df - round(row.df)) < WHOLE else 1)
    kind = "\u03c7\u00b2" if row.test == "chi2" else "t"
    return f"{TEST_NAMES[name]} {kind}({df}) = {number(row.statistic)}, {p}"


def plot(
    result: Result, ax: Axes | None = None, *, kind: str = "difference", **options: Any
) -> Axes:
    """Draw the difference with its interval (``kind="difference"``), or the four cells (``kind="cells"``)."""
    from socialstats.figures import forest, two_by_two

    if kind == "cells":
        design = result.design
        return two_by_two(
            **result.extras["cells"],
            conditions=design.conditions,
            levels=design.levels,
            ax=ax,
            **options,
        )
    if kind != "difference":
        raise InputError(f"{option('kind', kind)} is not one of difference, cells")
    shown = [r for r in result.rows if r.term == "difference"]
    names = ["difference"] if len(shown) == 1 else ["with clusters", IGNORING]
    shown = [replace(r, term=name) for r, name in zip(shown, names, strict=True)]
    first, second = (shorten(c, 20) for c in result.design.conditions)
    settings = {"xlabel": f"Difference of proportions ({first} minus {second})", "sort": False}
    return forest(shown, ax=ax, **{**settings, **options})


def sample_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the cells of the pairs, and the estimates by their definition: shares of pairs by their two values."""
    pairs: Paired = result.design
    first, second = pairs.first == 1, pairs.second == 1
    kinds = {
        "both": first & second,
        "first only": first & ~second,
        "second only": ~first & second,
        "neither": ~first & ~second,
    }

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        share = {name: float(count @ kind / count.sum()) for name, kind in kinds.items()}
        both, b, c = share["both"], share["first only"], share["second only"]
        odds_ratio = b / c if c else math.nan
        return {
            **{(group, "difference"): b - c for group in (None, IGNORING)},
            **{(group, "odds_ratio"): odds_ratio for group in (None, IGNORING)},
            (None, "cohens_g"): b / (b + c) - 0.5 if b + c else math.nan,
            ("proportion", pairs.conditions[0]): both + b,
            ("proportion", pairs.conditions[1]): both + c,
            **{("cell", name): value for name, value in share.items()},
        }

    signs = {}
    if result.settings["difference_ci"] == "tango":
        signs = {(group, "difference"): pairs.difference for group in (None, IGNORING)}
    alike = np.column_stack([first, second]).astype(np.float64)
    counted: dict[RowKey, FloatArray] = {(None, "cohens_g"): (first != second).astype(np.float64)}
    yield PlainSample(
        count=pairs.count,
        plain=estimates,
        factors=pairs.factors(result.settings["cluster"]),
        alike=alike,
        counted=counted,
        signs=signs,
        tests={name: EstimateTest("difference") for name in ("robust_t", "score")},
    )


def ask_peers(result: Result) -> Iterator[PeerNumbers]:
    """Tests of statsmodels and scipy, and their intervals of b / (b + c), of pairs taken as independent."""
    from scipy.stats import binomtest

    pairs, settings = result.design, result.settings
    cells = cells_of(pairs.first, pairs.second, pairs.count)
    b, c, side = int(cells.b), int(cells.c), settings["alternative"]
    factors = pairs.factors(settings["cluster"])
    clustered = bool(factors)
    yield from ask_for_cluster_means(pairs, factors, settings)
    tests, estimates = (IGNORING, IGNORING) if clustered else ("test", None)
    for name, p in (("exact", binomial_p(b, c, side)), ("mid_p", mid_p_value(b, c, side))):
        numbers = {"statistic": float(b), "p_value": p}
        yield PeerNumbers(package="scipy", row=(tests, name), numbers=numbers)
    if not b + c:
        return
    theirs = load_peer("statsmodels.stats.contingency_tables", "mcnemar")
    for name, corrected in (("asymptotic", False), ("continuity", True)):
        note = ""
        if corrected and b == c:
            note = "statsmodels corrects b = c too, to 1/(b + c); R does not: statistic 0"
        test = theirs([[0, b], [c, 0]], exact=False, correction=corrected)
        p = float(one_tail(test.pvalue, b - c, side))
        numbers = {"statistic": float(test.statistic), "p_value": p}
        yield PeerNumbers(package="statsmodels", row=(tests, name), numbers=numbers, note=note)
        yield PeerNumbers(package="numpy", row=(tests, name), numbers={"df": 1.0})
    inner = two_sided_level(settings["level"], side)
    if c and settings["odds_ratio_ci"] != "wald":
        share = binomtest(b, b + c).proportion_ci(inner, method=settings["odds_ratio_ci"])
        low, high = (float(end) / (1 - float(end)) for end in (share.low, share.high))
        odds = one_sided_ends(low, high, side, ODDS)
        yield PeerNumbers(package="scipy", row=(estimates, "odds_ratio"), ends=odds, close=1e-7)
    if not clustered:
        low, high = wilson_ends(b, b + c, inner)
        ends = one_sided_ends(low - 0.5, high - 0.5, side, (-0.5, 0.5))
        yield PeerNumbers(package="statsmodels", row=(None, "cohens_g"), ends=ends)


def ask_for_cluster_means(
    pairs: Paired, factors: Sequence[Factor], settings: Mapping[str, Any]
) -> Iterator[PeerNumbers]:
    """scipy's t test of the mean differences of clusters, by each factor alone."""
    side, level = settings["alternative"], settings["level"]
    for factor in factors:
        means = cluster_means(pairs.difference, pairs.count, factor)
        group = "test" if len(factors) == 1 else f"{factor.name} alone"
        row = (group, "cluster_means_t")
        yield t_test_numbers(means, row, side=side, level=level, cut=SHARES)


METRIC = Metric(
    name="mcnemar",
    title="Difference of two paired proportions (McNemar)",
    design="paired",
    function=mcnemar,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_pairs, peers=ask_peers),
    estimand="Difference in the share of units with the second of two levels, first condition minus second. The odds "
    "that a discordant unit has it under the first.",
    assumptions=(
        "every unit is seen once under each condition",
        "clusters (or pairs, where none are declared) are independent of each other",
        "t intervals: about 10 clusters or more, and no cluster that holds most pairs",
    ),
    references=PAIR_REFERENCES + CLUSTER_REFERENCES,
    swap="none",  # the difference and g change sign, but the odds ratio becomes its inverse and the tests stay
    values="binary",
)
