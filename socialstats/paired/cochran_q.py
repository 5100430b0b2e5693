"""Cochran's Q: equality of the shares of several raters (models, conditions) on the same units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import (
    cluster_factors,
    cluster_facts,
    cluster_text,
    share_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import with_ends, with_share
from socialstats.paired.matched_pairs import cochran_q as q_test
from socialstats.paired.matched_pairs import with_share_difference
from socialstats.paired.pair_values import IGNORING, clusters_by_factor, sample_text
from socialstats.paired.peers import ask_for_mid_p, wilson_ends
from socialstats.paired.robust_tests import (
    WALD,
    WaldTest,
    cautions_of_tests,
    robust_test,
    wald_and_chi_square_rows,
    wald_or_chi_square_text,
)
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    weighted_means,
)
from socialstats.results.peers import load_peer
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PAIRED = 20  # raters up to which all pairs are compared
EFFECTIVE = "Wilson's interval for the effective number of units, t"
NAMES = {"cochran_q": "Cochran's Q", "robust_wald": "cluster-robust Wald test"}
Missing = Literal["drop", "error"]  # what is done with units that some rater did not rate
# works cited where units lie in clusters
CLUSTERED = ("bellmccaffrey2002", "cameron2011", "korngraubard1998", "pustejovskytipton2018")


@reads(Ratings)
def cochran_q(
    ratings: Ratings | TableLike,
    *,
    missing: Missing = "drop",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Test whether raters give the second of two levels equally often to the same units (Cochran's Q).

    The raters of the design are the conditions that are compared: judges, models, prompts. With two raters Q is
    McNemar's chi-square.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Of two levels; the share is that of the second. With a ``by`` factor: one result per level of it.
    missing : {"drop", "error"}
        Units that not all raters rated: left out and counted (caution SS301), or an error.
    cluster : str, sequence of str or None
        Clusters of units: ``"declared"``, one or two names, or None (units independent, caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Group ``"share"``: each rater's share, with Wilson's interval (with clusters: for the effective number of
        units, with t). Group ``"difference"`` (up to 20 raters): each pair, first minus second, interval and p,
        `p_adjusted` by Holm. These are Tango's and mid-p; with clusters robust t, or Tango's score for effective
        pairs where few are discordant. Group ``"test"``: ``cochran_q`` (chi-square
        with k - 1 df). With clusters ``robust_wald`` leads (F; `df` is its numerator's, the denominator's is
        ``extras["df_denominator"]``) and Q stands in group ``"ignoring clusters"``.

    Raises
    ------
    DesignError
        If there are not two levels, or fewer than two raters.
    InputError
        For incomplete units with ``missing="error"``, or an unknown option.
    NothingToAnalyse
        If no unit was rated by all raters.

    References
    ----------
    Cochran, W. G. (1950). doi:10.1093/biomet/37.3-4.256
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Pustejovsky, J. E., & Tipton, E. (2018). doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> judges = {"A": ["yes", "yes", "yes", "no"], "B": ["yes", "no", "yes", "yes"], "C": ["no"] * 4}
    >>> row = cochran_q(judges, raters=["A", "B", "C"]).row("cochran_q")
    >>> round(row.statistic, 4), row.df
    (4.5, 2.0)
    """
    checked_level(level)
    check_allowed("missing", missing, get_args(Missing))
    settings = {"missing": missing, "cluster": cluster, "level": level}
    k = len(ratings.raters)
    if len(ratings.levels) != 2:
        raise DesignError(
            f"{ratings.source}: Cochran's Q takes two levels, these ratings have {len(ratings.levels)} "
            f"({quoted(ratings.levels)})"
        )
    if k < 2:
        raise DesignError(
            f"{ratings.source}: Cochran's Q compares raters; there is one, {quoted(ratings.raters)}"
        )
    factors = cluster_factors(ratings, cluster)
    # Q is about units that every rater rated
    values, complete = complete_units(ratings)
    dropped = int(ratings.unit_count[~complete].sum())
    if dropped and missing == "error":
        raise InputError(
            f"{ratings.source}: {count(dropped, 'unit')} not rated by all {k} raters; "
            f"{option('missing', 'drop')} leaves them out"
        )
    if not complete.any():
        raise NothingToAnalyse(
            f"{ratings.source}: no unit was rated by all {k} raters; take fewer with of_raters()"
        )
    # (units, raters) of 0 and 1, and how many units of the data each row stands for
    times = ratings.unit_count[complete]
    codes = [factor.codes[complete] for factor in factors]
    n = float(times.sum())
    mixed = float(times @ (np.ptp(values, axis=1) > 0))
    # less the unit's mean: Q compares raters within units
    wald = robust_test(values - values.mean(axis=1, keepdims=True), times, codes)
    shares = [
        rater_share_row(name, column, times, codes, level)
        for name, column in zip(ratings.raters, values.T, strict=True)
    ]
    differences = pair_difference_rows(ratings.raters, values, times, codes, level)
    tests = wald_and_chi_square_rows(wald, {"cochran_q": q_test(values, times)}, n, NAMES)
    rows = (*shares, *differences, *tests)
    # Q has the chi-squared distribution of independent units: with clusters the Wald test leads
    sizes = clusters_by_factor(factors, codes)
    leading = NAMES[WALD if factors else "cochran_q"]
    disagreement = f"raters disagree about {count(mixed, 'unit')} of {count(n)}"
    cautions = cautions_of_tests(wald, mixed, disagreement)
    if dropped:
        text = f"{count(dropped, 'unit')} not rated by all {k} raters"
        affects = "all numbers: they hold for the complete units"
        cautions.insert(0, caution("SS301", text, affects=affects))
    extras = {"df_denominator": wald.df_denominator} if isinstance(wald, WaldTest) else {}
    clusters = min(sizes.values(), default=None)
    facts = cluster_facts(rows) if factors else {}
    fit = {"nobs": int(n), "n_clusters": clusters, "method": leading, **facts}
    references = (*METRIC.references, *(CLUSTERED if factors else ()))
    title = f"Cochran's Q: share of '{shorten(ratings.levels[1])}' by {count(k, 'rater')}"
    counts = {"units": int(n), "raters": k, "units that raters disagree about": int(mixed)} | sizes
    return Result(
        metric="cochran_q",
        title=title,
        inference=f"{leading}; {cluster_text(factors, 'units')}",
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=(*share_cautions(ratings, factors, rows), *cautions),
        references=references,
        design=ratings,
        extras={"dropped": dropped, **extras},
    )


def rater_share_row(
    name: str, values: FloatArray, times: FloatArray, codes: Sequence[IntArray], level: float
) -> Row:
    """Share of a rater with its interval."""
    n = float(times.sum())
    row = Row(
        term=name, group="share", key=(("rater", name),), estimate=float(times @ values) / n, n=n
    )
    if codes:  # Wilson's interval of the effective sample size (Korn & Graubard 1998)
        share = clustered_share(values, times, codes, trials=n, level=level)
        row = replace(row, n_clusters=share.clusters)
        return with_share(row, share, level, clustered=True, method=EFFECTIVE)
    low, high = (
        float(end[0]) for end in wilson(np.array([row.estimate]), np.array([n]), level=level)
    )
    return with_ends(row, low, high, level, method="Wilson's interval", interval="score")


def pair_difference_rows(
    raters: Sequence[str],
    values: FloatArray,
    times: FloatArray,
    codes: Sequence[IntArray],
    level: float,
) -> list[Row]:
    """Differences of the shares of all pairs of raters, with p adjusted by Holm."""
    pairs = list(combinations(range(len(raters)), 2)) if len(raters) <= MOST_PAIRED else []
    rows = []
    for i, j in pairs:
        key = (("rater", raters[i]), ("other", raters[j]))
        row = Row(
            term=f"{raters[i]} - {raters[j]}",
            group="difference",
            key=key,
            role="difference",
            n=float(times.sum()),
        )
        rows.append(with_share_difference(row, values[:, i], values[:, j], times, codes, level))
    return rows_with_holm(rows, family="pairs of raters")


def sentence(result: Result) -> str:
    """Return the shares and the leading test."""
    shares = [
        f"{shorten(r.term)} {number(r.estimate, 3, bounded=True)}"
        for r in result.rows
        if r.group == "share"
    ]
    tests = {
        r.group: wald_or_chi_square_text(r, NAMES[r.term], result.extras.get("df_denominator"))
        for r in result.rows
        if r.role == "test"
    }
    # with clusters Q is printed last, as what would be found without them
    tail = f" Ignoring the clusters: {tests[IGNORING]}." if IGNORING in tests else ""
    size = sample_text(result, "units", "unit")
    value = shorten(result.design.levels[1])
    return f"Over {size}, the share of '{value}' was: {listing(shares, 6)}; {tests['test']}.{tail}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the share of each rater with its interval."""
    from socialstats.figures import forest

    settings = {"xlabel": f"Share of '{shorten(result.design.levels[1], 20)}'", "reference": None}
    return forest([r for r in result.rows if r.group == "share"], ax=ax, **{**settings, **options})


def complete_units(design: Ratings) -> tuple[FloatArray, BoolArray]:
    """Return the values of the units that all raters rated, (units, raters), and which units these are."""
    table = design.matrix()
    complete = np.asarray(~np.isnan(table).any(axis=1))
    return table[complete], complete


def sample_complete_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units that all raters rated: the share of each rater is the mean of 0 and 1."""
    design = result.design
    values, complete = complete_units(design)
    of_rater = dict(zip(design.raters, values.T, strict=True))
    differences: dict[RowKey, FloatArray] = {
        ("difference", f"{first} - {second}"): of_rater[first] - of_rater[second]
        for first, second in combinations(of_rater, 2)
        if len(of_rater) <= MOST_PAIRED
    }
    shares: dict[RowKey, FloatArray] = {
        ("share", rater): value for rater, value in of_rater.items()
    }
    factors = design.factors(result.settings["cluster"])
    yield PlainSample(
        count=design.unit_count[complete],
        plain=weighted_means(shares | differences),
        factors=tuple(factor.take(complete) for factor in factors),
        alike=values,
        signs=differences,
        yes_or_no=True,
    )


def ask_for_q(result: Result) -> Iterator[PeerNumbers]:
    """Q of statsmodels; of independent units also their Wilson intervals, and mid-p tests by scipy."""
    (sample,) = sample_complete_units(result)
    values, complete = complete_units(result.design)
    count = result.design.unit_count[complete].astype(np.int64)
    group = IGNORING if sample.factors else "test"
    theirs = load_peer("statsmodels.stats.contingency_tables", "cochrans_q")
    test = theirs(np.repeat(values, count, axis=0))
    numbers = {"statistic": float(test.statistic), "df": float(test.df)}
    numbers["p_value"] = float(test.pvalue)
    never = not np.ptp(values, axis=1).any()
    note = "statsmodels divides 0 by 0 when raters never disagree" if never else ""
    row = (group, "cochran_q")
    yield PeerNumbers(package="statsmodels", row=row, numbers=numbers, note=note)
    # shares of clusters, and their t tests, follow from the definition
    if sample.factors:
        return
    for rater, value in zip(result.design.raters, values.T, strict=True):
        ends = wilson_ends(float(count @ value), float(count.sum()), result.settings["level"])
        yield PeerNumbers(package="statsmodels", row=("share", rater), ends=ends)
    yield from ask_for_mid_p(sample.signs, count)


METRIC = Metric(
    name="cochran_q",
    title="Shares of several raters on the same units (Cochran's Q)",
    design="ratings",
    function=cochran_q,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_complete_units, peers=ask_for_q),
    estimand="The share of units to which each rater gives the second of two levels, and whether all have the same.",
    assumptions=(
        "every unit is rated by every rater",
        "clusters (or units, where none are declared) are independent of each other",
        "Q: some ten units or more that raters disagree about",
    ),
    references=("cochran1950", "wilson1927", "tango1998", "holm1979"),
    swap="none",  # rows are named by rater
    values="binary",
)
