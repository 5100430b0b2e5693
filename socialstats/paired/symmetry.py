"""Symmetry and marginal homogeneity of k levels under two conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.paired import Paired
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    smallest_cluster_count,
)
from socialstats.inference.intervals import checked_level
from socialstats.paired.matched_pairs import (
    CLUSTERED_SCORE,
    bowker,
    stuart_maxwell,
    with_share_difference,
)
from socialstats.paired.pair_values import IGNORING, clusters_by_factor, sample_text
from socialstats.paired.peers import ask_for_mid_p
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
from socialstats.sentences import apa_interval
from socialstats.text import count, number, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGINS = {
    "mid_p": "Tango's score interval",
    "score": CLUSTERED_SCORE,
    "t": "cluster-robust t",
}  # tests of a level
NO_EXCHANGE = "statsmodels divides 0 by 0 where two levels never exchange"
NAMES = {
    "bowker": "Bowker's test of symmetry",
    "stuart_maxwell": "Stuart-Maxwell test of marginal homogeneity",
    "robust_wald": "cluster-robust Wald test of marginal homogeneity",
}


@reads(Paired, square=True)
def symmetry(
    paired: Paired | TableLike,
    *,
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Test whether two conditions give the same levels: Bowker's symmetry, Stuart and Maxwell's margins.

    Marginal homogeneity: each level is as frequent under the first condition as under the second. Symmetry: changes
    from i to j are as frequent as from j to i (which implies it). For two levels both are McNemar's chi-square.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        With levels (nominal, or two). With a ``by`` factor: one result per level of it.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Group ``"margin"``: for each level that occurs its share under the first condition minus under the second, with
        interval and p, `p_adjusted` by Holm over the levels. For independent pairs these are Tango's and mid-p. With
        clusters: robust t, or the score of Tango for effective pairs where few are discordant.
        Group ``"test"``: ``bowker`` and ``stuart_maxwell`` (chi-square, df, p). With clusters ``robust_wald`` leads
        (F; `df` is its numerator's, the denominator's is ``extras["df_denominator"]``) and the others stand in group
        ``"ignoring clusters"``. `extras`: ``table``, ``levels``.

    Raises
    ------
    DesignError
        If the values are numbers.
    InputError
        For an unknown cluster, or a level not between 0 and 1.
    NothingToAnalyse
        If there is no pair.

    References
    ----------
    Bowker, A. H. (1948). doi:10.1080/01621459.1948.10483284
    Stuart, A. (1955). doi:10.1093/biomet/42.3-4.412
    Maxwell, A. E. (1970). doi:10.1192/bjp.116.535.651

    Examples
    --------
    >>> judges = {"A": ["no", "no", "so", "so", "yes", "yes"], "B": ["no", "so", "so", "yes", "yes", "no"],
    ...           "units": [20, 9, 15, 4, 30, 3]}
    >>> row = symmetry(judges, first="A", second="B", count="units", scale="nominal").row("bowker")
    >>> row.statistic, row.df
    (16.0, 3.0)
    """
    checked_level(level)
    settings = {"cluster": cluster, "level": level}
    if paired.scale == "numeric":
        raise DesignError(
            f"{paired.source}: symmetry takes levels, but these values are numbers. Say {option('scale', 'nominal')} "
            "where they are labels; paired_difference() compares numbers"
        )
    if not paired.n_pairs:
        raise NothingToAnalyse(f"{paired.source}: no pair to compare")
    factors = cluster_factors(paired, cluster)
    codes = [factor.codes for factor in factors]
    table = paired.square()
    # levels without a pair would be empty rows and columns, whose tests do not exist
    levels_used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    square = table[np.ix_(levels_used, levels_used)]
    # (pairs, levels) indicators of the level under either condition; their difference has the margins as means
    first, second = (
        np.equal.outer(v.astype(np.int64), levels_used).astype(np.float64)
        for v in (paired.first, paired.second)
    )
    wald = robust_test(first - second, paired.count, codes)
    clusters = smallest_cluster_count(codes)
    margins = []
    for k, name in enumerate(paired.levels[u] for u in levels_used.tolist()):
        row = Row(
            term=name,
            group="margin",
            key=(("level", name),),
            role="difference",
            n=float(paired.n_pairs),
            limits=(-1.0, 1.0),
            n_clusters=clusters,
        )
        row = with_share_difference(row, first[:, k], second[:, k], paired.count, codes, level)
        margins.append(row)
    # with clusters these stand beside the robust test, as of independent pairs
    plain = {"stuart_maxwell": stuart_maxwell(square), "bowker": bowker(square)}
    rows = (
        *rows_with_holm(margins, family="levels"),
        *wald_and_chi_square_rows(wald, plain, float(paired.n_pairs), NAMES),
    )
    sizes = clusters_by_factor(factors, codes)
    shown = [row for row in rows if row.group == "margin" and row.conf_low is not None]
    dfs = [row.df for row in shown if row.df is not None]
    largest = largest_share(paired.count, factors)
    conditions = " and ".join(shorten(name) for name in paired.conditions)
    test = NAMES[WALD if factors else "stuart_maxwell"]
    # pairs of one level under both conditions tell nothing of symmetry
    discordant = float(square.sum() - np.trace(square))
    discordant_text = f"{count(discordant, 'discordant pair')} of {count(float(square.sum()))}"
    # a row has one df; that of the denominator of F is beside it
    extras = {"df_denominator": wald.df_denominator} if isinstance(wald, WaldTest) else {}
    fit = {
        "nobs": paired.n_pairs,
        "n_clusters": clusters,
        "method": "chi-square tests",
        "effective_df": min(dfs, default=None),
        "largest_leverage": largest if factors else None,
    }
    cautions = (
        *cluster_cautions(paired, factors, df=dfs, largest=largest),
        *cautions_of_tests(wald, discordant, discordant_text),
    )
    title = f"Symmetry of {count(len(levels_used), 'level')}: {conditions}"
    inference = f"{rows[0].method}; {test}; {cluster_text(factors, 'pairs')}"
    counts = {"pairs": paired.n_pairs, "levels": len(levels_used)} | sizes
    references = METRIC.references + (
        ("bellmccaffrey2002", "cameron2011", "pustejovskytipton2018") if factors else ()
    )
    return Result(
        metric="symmetry",
        title=title,
        inference=inference,
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=references,
        design=paired,
        extras={"table": square, "levels": tuple(paired.levels[k] for k in levels_used), **extras},
    )


def sentence(result: Result) -> str:
    """Return the leading test, Bowker's, and the largest shift."""
    first, second = (shorten(c) for c in result.design.conditions)
    by_group: dict[str | None, list[str]] = {"test": [], IGNORING: []}
    for row in result.rows:
        if row.role == "test":
            by_group[row.group].append(
                wald_or_chi_square_text(row, NAMES[row.term], result.extras.get("df_denominator"))
            )
    most = max(
        (r for r in result.rows if r.group == "margin"), key=lambda r: abs(r.estimate or 0.0)
    )
    shift = f"The largest shift was that of '{shorten(most.term)}', {number(most.shown())}"
    tail = f"Ignoring the clusters: {', '.join(by_group[IGNORING])}." if by_group[IGNORING] else ""
    shown = (
        f", {apa_interval(most)} ({MARGINS[most.test or 't']})"
        if most.conf_low is not None
        else ", without an interval"
    )
    tests = "; ".join(by_group["test"])
    text = f"Over {sample_text(result, 'pairs', 'pair')}: {tests}. {shift} ({first} minus {second}){shown}."
    return f"{text} {tail}".rstrip()


def plot(result: Result, ax: Axes | None = None, *, kind: str = "margins", **options: Any) -> Axes:
    """Draw the differences of the shares (``kind="margins"``), or the square table (``kind="table"``)."""
    from socialstats.figures import forest, square

    first, second = (shorten(c, 20) for c in result.design.conditions)
    if kind == "table":
        shown = {"levels": result.extras["levels"], "conditions": result.design.conditions}
        return square(result.extras["table"], ax=ax, **{**shown, **options})
    if kind != "margins":
        raise InputError(f"{option('kind', kind)} is not one of margins, table")
    settings = {"xlabel": f"Difference of shares ({first} minus {second})", "sort": False}
    return forest([r for r in result.rows if r.group == "margin"], ax=ax, **{**settings, **options})


def sample_level_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs: the share of a level is the mean of 0 and 1, its difference that of 1, 0 and -1."""
    pairs = result.design
    differences: dict[RowKey, FloatArray] = {
        ("margin", level): (pairs.first == k).astype(np.float64) - (pairs.second == k)
        for k, level in enumerate(pairs.levels)
    }
    yield PlainSample(
        count=pairs.count,
        plain=weighted_means(differences),
        factors=pairs.factors(result.settings["cluster"]),
        alike=np.column_stack([pairs.first, pairs.second]),
        signs=differences,
    )


def ask_for_symmetry(result: Result) -> Iterator[PeerNumbers]:
    """Both chi-square tests of statsmodels; of independent pairs also mid-p tests by scipy."""
    from scipy.stats import chi2

    (sample,) = sample_level_pairs(result)
    pairs = result.design
    if not sample.factors:
        yield from ask_for_mid_p(sample.signs, sample.count)
    k = len(pairs.levels)
    table = np.zeros((k, k))
    np.add.at(table, (pairs.first.astype(np.int64), pairs.second.astype(np.int64)), pairs.count)
    levels_used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    square = table[np.ix_(levels_used, levels_used)]
    exchanged = (square + square.T)[np.triu_indices(len(square), 1)]
    # by default statsmodels adds a half to empty cells, which is another test
    note = "" if len(exchanged) and exchanged.all() else NO_EXCHANGE
    peer = load_peer("statsmodels.stats.contingency_tables", "SquareTable")
    theirs = peer(square, shift_zeros=False)
    tests = {
        "bowker": theirs.symmetry(),
        "stuart_maxwell": theirs.homogeneity(method="stuart_maxwell"),
    }
    for term, test in tests.items():
        numbers = {"statistic": float(test.statistic), "df": float(test.df)}
        # statsmodels takes 1 less the distribution function, which rounds small p away
        numbers["p_value"] = float(chi2.sf(numbers["statistic"], numbers["df"]))
        row = (IGNORING if sample.factors else "test", term)
        yield PeerNumbers(package="statsmodels", row=row, numbers=numbers, note=note)


METRIC = Metric(
    name="symmetry",
    title="Symmetry and marginal homogeneity",
    design="paired",
    function=symmetry,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_level_pairs, peers=ask_for_symmetry),
    estimand="How much the share of each level differs between two conditions, first minus second, and whether changes "
    "between levels go both ways equally often.",
    assumptions=(
        "every unit is seen once under each condition",
        "clusters (or pairs, where none are declared) are independent of each other",
        "chi-square tests: some ten discordant pairs or more",
    ),
    references=("bowker1948", "stuart1955", "maxwell1970", "tango1998", "holm1979"),
    swap="negates",
    values="nominal",
)
