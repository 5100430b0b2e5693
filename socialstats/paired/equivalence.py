"""Equivalence of two conditions: two one-sided tests against bounds that were stated beforehand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import (
    SHOWN_FROM,
    cluster_cautions,
    cluster_factors,
    cluster_text,
    floored_caution,
    largest_share,
)
from socialstats.inference.intervals import not_zero
from socialstats.inference.margins import (
    BEYOND,
    REFERENCES,
    MarginTest,
    TwoTests,
    against_margin,
    checked_alpha,
    checked_bounds,
    margin_test_words,
    refuse_impossible,
    test_terms,
)
from socialstats.inference.paired_score import PairedScore, paired_score
from socialstats.inference.proportions import ONE_CLUSTER
from socialstats.inference.rows import with_ends
from socialstats.metrics import lookup
from socialstats.paired.noncentral_t import d_z_interval, noncentral_t_tail
from socialstats.paired.pair_values import (
    PairValues,
    cluster_counts,
    clusters_text,
    condition_names,
    pair_values,
    whole_df,
)
from socialstats.paired.peers import newcombe_ends, newcombe_p, noncentral_ends
from socialstats.paired.two_proportions import sample_group_shares, shares_of_groups
from socialstats.paired.two_shares import margin_tests
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import (
    EstimateTest,
    PeerNumbers,
    PlainSample,
    RowKey,
)
from socialstats.results.rows import Interval
from socialstats.sentences import apa_interval
from socialstats.text import count, number, p_value
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = ("raw", "d_z")
SCORE = "score (Tango)"
# skewness of a mean: with .1 to .4, one-sided t tests rejected .07 to .20 of true nulls
SKEWED = 0.1
SMALLEST_OF_SCIPY = 1e-8  # p below which scipy's tails and roots have too few digits


@reads(Paired, Groups, also=(Result, Row))
def equivalence(
    paired: Paired | Groups | Result | Row | TableLike,
    *,
    low: float | None = None,
    high: float | None = None,
    margin: float | None = None,
    test: MarginTest = "equivalence",
    scale: Literal["raw", "d_z"] = "raw",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Test whether the mean difference (first minus second) lies between two bounds.

    Two one-sided tests (Schuirmann 1987): difference > `low` and difference < `high`, each at 1 - `level`; both must
    hold, so p is the larger one. Equivalent exactly when the interval at 2 `level` - 1 (90% for 95%) lies between
    the bounds. A large p against no difference is no evidence of equivalence; this test is.

    Numbers are tested by t, yes-or-no values (0 and 1) by Tango's (1998) score at the bounds, with his interval. Under
    clusters the score has the effective number of pairs and t, so that it exists where all pairs agree.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result per level of it. Or a result, of which each
        difference is tested by its own standard error and df, or one row of a result. Or `Groups`, as a result of
        `two_means` or `two_proportions`, whose intervals are inverted.
    low, high : float
        Smallest and largest difference that would not matter, stated before looking.
    margin : float
        Stands for ``low=-margin, high=margin``.
    test : {"equivalence", "noninferiority"}
        Noninferiority is the first of the two tests alone: difference > -`margin` (Blackwelder 1982). Where small
        values are good, exchange the sides.
    scale : {"raw", "d_z"}
        Unit of the bounds: that of the values, or standard deviations of the differences. Then tests and interval are
        of d_z by the noncentral t, and pairs must be independent.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    level : float
        1 minus the error rate of each test.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`, or of `read_groups` with its ``group=``.

    Returns
    -------
    Result
        ``difference`` (or ``d_z``) with its interval at 2 `level` - 1; group ``"test"``: ``above low``, ``below high``
        (t or score, df, one-sided p) and ``equivalence`` (the larger p), or ``noninferiority``. `extras`: ``verdict``
        ("equivalent", "different", "undecided"; "noninferior", "inferior") and ``bounds``; of a result with several
        differences ``verdicts``, by row.

    Raises
    ------
    InputError
        For missing or crossed bounds, an unknown option or cluster, a level of 0.5 or less, or fewer than two pairs.
        For rows of a result whose intervals do not follow from estimate, error and df.
    DesignError
        For nominal values.

    Notes
    -----
    Rejections of a true null at the nominal 5%: of t with differences skewed as a lognormal of SD 1, .20 to .10 at 10
    to 200 pairs, as exponential values .12 to .07. Caution SS213 is raised below 25 effective pairs or clusters. It is
    also raised where sum e^3 / (sum e^2)^1.5 of the deviations (of clusters: `ClusteredMean.skewness`) exceeds .1 in
    size. That was so in .96 to .99 of samples of 25 to 100 exponential differences, and in all but .01 of lognormal
    ones. For 25, 30, 50 and 100 normal differences it was so in .23, .16, .035 and 0. A trigger that normal values
    seldom reach misses a seventh of 30 exponential ones, of whose tests .14 reject.

    References
    ----------
    Schuirmann, D. J. (1987). doi:10.1007/BF01068419
    Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design. Statistics in Medicine, 17(8), 891-908.
    Blackwelder, W. C. (1982). doi:10.1016/0197-2456(82)90024-1
    Lakens, D., Scheel, A. M., & Isager, P. M. (2018). doi:10.1177/2515245918770963

    Examples
    --------
    >>> scores = {"new": [3, 5, 4, 6, 5, 4], "old": [3, 4, 4, 6, 6, 4]}
    >>> equivalence(scores, first="new", second="old", low=-1, high=1).extras["verdict"]
    'equivalent'
    >>> from socialstats import paired_difference
    >>> difference = paired_difference(scores, first="new", second="old")
    >>> print(equivalence(difference.row("difference"), test="noninferiority", margin=1).sentence())
    difference = 0.00, approximate 90% CI [−0.52, 0.52]. Noninferiority with a margin of 1 was shown
    (one-sided p = .006).
    """
    check_allowed("scale", scale, SCALES)
    if isinstance(paired, Groups):
        compare = lookup("two_proportions" if paired.scale == "binary" else "two_means").function
        # two groups are compared first; the test is then one of their difference
        compared: Any = compare(paired, cluster=cluster, level=level)
        paired = compared
        cluster = "declared"
    if (
        isinstance(paired, Result)
        and paired.metric == "two_proportions"
        and paired.design is not None
    ):
        settings = paired.settings
        tested = margin_tests(paired.design, settings["choice"], settings["cluster"])
        # the score test has another standard error at each bound: it is not one of estimate and error
        if paired.rows[0].interval == "score" and scale == "raw":
            return against_margin(
                paired,
                low=low,
                high=high,
                margin=margin,
                test=test,
                level=level,
                tested=tested,
                check=OF_SHARES,
            )
    if isinstance(paired, Result | Row):
        if scale != "raw" or cluster != "declared":
            raise InputError(
                f"{option('scale')} and {option('cluster')} belong to a table of pairs; a result has its own"
            )
        return against_margin(paired, low=low, high=high, margin=margin, test=test, level=level)
    assert isinstance(paired, Paired)
    level = checked_alpha(level)
    bounds = checked_bounds(low, high, margin, test)
    return estimate(paired, bounds=bounds, test=test, scale=scale, cluster=cluster, level=level)


def estimate(
    design: Paired,
    bounds: tuple[float, float],
    test: MarginTest,
    scale: str,
    cluster: str | Sequence[str] | None,
    level: float,
) -> Result:
    """Compute the tests of one design."""
    pairs = pair_values(design)
    are_shares = is_binary(pairs) or (design.repeats is not None and bool(design.repeats.share_of))
    refuse_impossible(bounds, (-1.0, 1.0) if are_shares and scale == "raw" else None, test)
    factors = cluster_factors(design, cluster)
    if scale == "d_z" and factors:
        raise InputError(
            f"{option('scale', 'd_z')} needs independent pairs; state the bounds in raw units, or use "
            f"{option('cluster', None)}"
        )
    codes = [factor.codes for factor in factors]
    mean = clustered_mean(pairs.difference, pairs.count, codes, magnitude=pairs.magnitude)
    score = None
    name = method_of_tests(mean, scale)
    if scale == "raw" and is_binary(pairs):
        score = paired_score(pairs.difference, pairs.count, codes)
        name = SCORE
    if score is not None:
        tests, why = score_tests(score, bounds, level)
    elif mean.undefined:
        tests = None
        why = mean.undefined
    else:
        tests, why = t_tests(mean, bounds, scale, level)
    verdict = tests.verdict(bounds, level, test) if tests is not None else "undefined"
    df = None if tests is None else tests.df
    largest = largest_share(pairs.count, factors)
    # clusters of equal size that would have the same degrees of freedom
    effective = mean.df + 1 if score is None or score.df is None else float(score.df[0]) + 1
    fit = {"nobs": pairs.n, "df": None if df is None else whole_df(df), "method": name}
    fit |= {"effective_df": df, "largest_leverage": largest} if factors else {}
    settings = {
        "low": bounds[0],
        "high": bounds[1] if test == "equivalence" else None,
        "test": test,
        "scale": scale,
        "cluster": cluster,
        "level": level,
    }
    # the score test does not assume that the mean is near normal
    skewness = skewness_caution(mean) if score is None else ()
    cautions = (
        *cluster_cautions(design, factors, df=[df], largest=largest, effective=effective),
        *floored_caution(mean),
        *skewness,
    )
    tango = () if score is None else ("tango1998",)
    title = f"{test.capitalize()}: {' minus '.join(condition_names(design))}"
    inference = f"{'two ' * (test == 'equivalence')}one-sided {name} tests; {cluster_text(factors, 'pairs')}"
    references = (*REFERENCES[test], *tango, *works_on_errors(factors))
    return Result(
        metric="equivalence",
        title=title,
        inference=inference,
        rows=difference_and_tests(mean, tests, why, scale, level, name, test),
        counts={"pairs": pairs.n, **cluster_counts(factors)},
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=references,
        design=design,
        extras={"verdict": verdict, "bounds": bounds, "lead": mean},
    )


def is_binary(pairs: PairValues) -> bool:
    """Return whether all values are 0 or 1."""
    return bool(np.isin(pairs.first, (0.0, 1.0)).all() and np.isin(pairs.second, (0.0, 1.0)).all())


def score_tests(
    score: PairedScore, bounds: tuple[float, float], level: float
) -> tuple[TwoTests | None, str]:
    """Run both score tests and invert them: the interval lies between the bounds exactly when both reject."""
    if np.isnan(score.n[0]):
        return None, ONE_CLUSTER
    low, high = score.interval(2 * level - 1)
    # arrays of one test each
    above, below = (float(score.statistic(bound)[0]) for bound in bounds)
    p_above = float(score.p_value(bounds[0], "greater")[0])
    p_below = float(score.p_value(bounds[1], "less")[0])
    interval = float(low[0]), float(high[0])
    df = None if score.df is None else float(score.df[0])
    return TwoTests(
        above=above, below=below, p_above=p_above, p_below=p_below, interval=interval, df=df
    ), ""


def skewness_caution(mean: ClusteredMean) -> tuple[Caution, ...]:
    """Caution SS213 where one-sided t tests of a mean this skewed, or of so few values, reject too often."""
    # few values cannot show how skewed those are that they come from
    few = mean.df + 1 < SHOWN_FROM
    if mean.undefined or (not few and mean.skewness <= SKEWED):
        return ()
    text = f"the mean difference has a skewness of about {number(mean.skewness, 2)}"
    if few:
        text += f", and about {number(mean.df + 1, 1)} independent values hardly show it"
    return (
        caution(
            "SS213",
            text,
            affects="one-sided t tests, which at 5% rejected up to 20% of true nulls in simulations",
            fix="collect more pairs, or test a transformed value",
        ),
    )


def t_tests(
    mean: ClusteredMean, bounds: tuple[float, float], scale: str, level: float
) -> tuple[TwoTests | None, str]:
    """Run both tests, on the raw or the standardised scale."""
    inner = 2 * level - 1  # two one-sided tests at 1 - level have this interval (Schuirmann 1987)
    if scale == "raw":
        above, below = (mean.t(bound) for bound in bounds)
        tests = TwoTests(
            above=above,
            below=below,
            p_above=mean.p_value(bounds[0], alternative="greater"),
            p_below=mean.p_value(bounds[1], alternative="less"),
            interval=mean.interval(inner),
            df=mean.df,
        )
        return tests, ""
    # t of n pairs is noncentral with d sqrt(n), where the standardised difference is d
    root = math.sqrt(mean.n)
    t = mean.t()
    try:
        span = d_z_interval(t, mean.n, inner)
    except UndefinedStatistic as error:
        return None, str(error)
    # P(T >= t | low sqrt(n)) and P(T <= t | high sqrt(n))
    p_above = float(not_zero(noncentral_t_tail(t, mean.df, bounds[0] * root, upper=True)))
    p_below = float(not_zero(noncentral_t_tail(t, mean.df, bounds[1] * root, upper=False)))
    return TwoTests(
        above=t, below=t, p_above=p_above, p_below=p_below, interval=span, df=mean.df
    ), ""


def method_of_tests(mean: ClusteredMean, scale: str) -> str:
    """Name the tests."""
    if scale == "d_z":
        return "noncentral t"
    return {
        "rows": "paired t",
        "CR2": "cluster-robust t (CR2, Satterthwaite df)",
        "two-way": "two-way cluster-robust t (V1 + V2 - V12)",
    }[mean.kind]


def difference_and_tests(
    mean: ClusteredMean,
    tests: TwoTests | None,
    why: str,
    scale: str,
    level: float,
    name: str,
    test: MarginTest,
) -> tuple[Row, ...]:
    """Rows of the difference and of the tests."""
    blank = Row(
        term="",
        n=mean.n,
        n_units=int(mean.n),
        n_clusters=mean.n_clusters,
        undefined=why or None,
    )
    first = replace(blank, term="difference", role="difference", estimate=mean.mean, method=name)
    if scale == "d_z":
        first = replace(
            first,
            term="d_z",
            estimate=None if mean.undefined else mean.mean / mean.sd,
        )
    elif not mean.undefined:
        first = replace(first, std_error=mean.std_error)
    blank = replace(blank, group="test", role="test")
    if tests is None:
        return (first, *(replace(blank, term=term) for term in test_terms(test)))
    score = name == SCORE
    span: Interval = "score" if score else "t"
    if scale == "d_z":
        span = "noncentral_t"
    first = with_ends(first, *tests.interval, 2 * level - 1, df=tests.df, interval=span)
    return first, *tests.rows(replace(blank, test="score" if score else "t"), test, name)


def works_on_errors(factors: Sequence[Factor]) -> tuple[str, ...]:
    """Keys of the works behind the standard error."""
    # without clusters, with one factor, with two crossed ones
    return (("steigerfouladi1997",), ("bellmccaffrey2002",), ("cameron2011",))[len(factors)]


def sentence(result: Result) -> str:
    """Return the difference, and whether equivalence was shown within the bounds."""
    row = result.rows[0]
    bounds = result.extras["bounds"]
    names = " minus ".join(condition_names(result.design))
    where = clusters_text(result.counts)
    what = "difference" if row.term == "difference" else "standardised difference d_z"
    text = f"The {what} ({names}) over {count(row.n or 0, 'pair')}{where} was {number(row.shown())}"
    test = result.settings["test"]
    claim = margin_test_words(bounds, test)
    if row.conf_low is None or row.conf_level is None:
        return f"{text}; {claim[0].lower()}{claim[1:]} is undefined: {row.undefined}."
    verdict = result.extras["verdict"]
    success = "shown" if verdict in ("equivalent", "noninferior") else "not shown"
    p = p_value(result.row(test).p_value, name="TOST p" if test == "equivalence" else "one-sided p")
    return f"{text}, {apa_interval(row)}. {claim} was {success} ({p}){BEYOND.get(verdict, '')}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the difference with its interval between the bounds."""
    from socialstats.figures import forest

    row = result.rows[0]
    low, high = result.extras["bounds"]
    name = "Mean difference" if row.term == "difference" else "Standardised difference d_z"
    # noninferiority has one bound
    drawn = [low] if result.settings["test"] == "noninferiority" else [low, high]
    settings = {"xlabel": f"{name} (bounds dashed)", "reference": 0.0, "bounds": drawn}
    return forest([row], ax=ax, **{**settings, **options})


def sample_tested_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs, with their mean difference, or its ratio to the standard deviation of the differences."""
    pairs, settings = result.design, result.settings
    d, (low, high) = pairs.first - pairs.second, result.extras["bounds"]

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        n = count.sum()
        mean = float(count @ d / n)
        if settings["scale"] == "raw":
            return {(None, "difference"): mean}
        variance = float(count @ (d - mean) ** 2 / (n - 1))
        return {(None, "d_z"): mean / math.sqrt(variance) if variance else math.nan}

    above = EstimateTest("difference", null=low, side="greater")
    below = EstimateTest("difference", null=high, side="less")
    tests = {"noninferiority": above, "above low": above, "below high": below}
    binary = bool(np.isin([pairs.first, pairs.second], (0.0, 1.0)).all())
    mean = float(pairs.count @ d / pairs.count.sum())
    # the nearer bound has the larger p; of scores it may have the smaller one where bounds are uneven
    even = not binary or low == -high
    if even and not math.isclose(mean - low, high - mean):
        tests["equivalence"] = above if mean - low < high - mean else below
    size = float(np.abs([pairs.first, pairs.second]).max())
    yield PlainSample(
        count=pairs.count,
        plain=estimates,
        factors=pairs.factors(settings["cluster"]),
        alike=d,
        signs={(None, "difference"): d} if binary else {},
        tests=tests,
        unbiased=True,
        level=2 * settings["level"] - 1,
        size=size,
    )


def ask_for_noncentral_t(result: Result) -> Iterator[PeerNumbers]:
    """scipy's noncentral t: the tails at bounds of d_z, and the sizes whose tails end the interval."""
    from scipy.stats import nct

    pairs, row = result.design, result.rows[0]
    if result.settings["scale"] == "raw" or not row.has_interval:
        return
    d, count, n = pairs.first - pairs.second, pairs.count, float(pairs.count.sum())
    mean = float(count @ d / n)
    t = mean / math.sqrt(float(count @ (d - mean) ** 2) / (n - 1) / n)
    ends = noncentral_ends(t, n, 2 * result.settings["level"] - 1)
    yield PeerNumbers(package="scipy", row=(None, "d_z"), ends=ends, close=1e-6)
    low, high = (bound * math.sqrt(n) for bound in result.extras["bounds"])
    tails = {
        "above low": float(nct.sf(t, n - 1, low)),
        "noninferiority": float(nct.sf(t, n - 1, low)),
        "below high": float(nct.cdf(t, n - 1, high)),
    }
    tails["equivalence"] = max(tails["above low"], tails["below high"])
    for term, p in tails.items():
        numbers = {"statistic": t, "df": n - 1}
        # scipy integrates to some ten digits of 1
        if p > SMALLEST_OF_SCIPY:
            numbers["p_value"] = p
        yield PeerNumbers(package="scipy", row=("test", term), numbers=numbers, close=1e-5)


def ask_for_inverted_intervals(result: Result) -> Iterator[PeerNumbers]:
    """statsmodels' interval of a difference of independent shares, and the levels at which it ends at a bound."""
    row, *tests = result.rows
    shares = shares_of_groups(result.extras["source"])
    if shares is None:
        return
    ends = newcombe_ends(*shares, round(2 * result.settings["level"] - 1, 12))
    (hits, n), (second_hits, m) = shares
    gap = hits / n - second_hits / m
    name = (row.group, row.term)
    yield PeerNumbers(package="statsmodels", row=name, numbers={"estimate": gap}, ends=ends)
    low, high = result.extras["bounds"]
    above = newcombe_p(*shares, low, above=True)
    below = newcombe_p(*shares, high, above=False)
    p = {"above low": above, "noninferiority": above, "below high": below}
    p["equivalence"] = max(above, below)
    for test in tests:
        numbers = {"p_value": p[test.term]} if p[test.term] > SMALLEST_OF_SCIPY else {}
        key = (test.group, test.term)
        yield PeerNumbers(package="statsmodels", row=key, numbers=numbers, close=1e-5)


def sample_source(result: Result) -> Iterator[PlainSample]:
    """Yield the groups of the difference of two shares that is tested against bounds."""
    return sample_group_shares(result.extras["source"])


OF_SHARES = Definition(samples=sample_source, peers=ask_for_inverted_intervals)
METRIC = Metric(
    name="equivalence",
    title="Equivalence of two conditions",
    design="paired",
    function=equivalence,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_tested_pairs, peers=ask_for_noncentral_t),
    estimand="Whether the mean difference, first minus second, lies between two stated bounds.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "the mean difference is close to normal; the bounds were stated before looking",
    ),
    references=REFERENCES["equivalence"],
    swap="negates",
    values="numeric",
    options={"low": -1.0, "high": 1.0},
)
