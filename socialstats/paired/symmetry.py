"""Symmetry and marginal homogeneity of k levels under two conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
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
from socialstats.sentences import direction, estimate_text, no_number
from socialstats.text import count, listing, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGINS = {
    "mid_p": "Tango's score interval",
    "score": CLUSTERED_SCORE,
    "t": "cluster-robust t",
}  # intervals by the test of a level
SIMULTANEOUS = "simultaneous"  # group of the intervals that hold for all levels together
MOST_NAMED = 3  # levels whose numbers a sentence states
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
        Group ``"simultaneous"``: the same differences with intervals that hold for all k levels together, each at
        level 1 - (1 - `level`) / k (Bonferroni). The sentence calls a level different where this interval excludes 0.
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
    margins, simultaneous = [], []
    joint_level = bonferroni_level(level, len(levels_used))
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
        differ = partial(with_share_difference, row, first[:, k], second[:, k], paired.count, codes)
        margins.append(differ(level))
        simultaneous.append(simultaneous_row(differ(joint_level)))
    # with clusters these stand beside the robust test, as of independent pairs
    plain = {"stuart_maxwell": stuart_maxwell(square), "bowker": bowker(square)}
    rows = (
        *rows_with_holm(margins, family="levels"),
        *simultaneous,
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


def bonferroni_level(level: float, tests: int) -> float:
    """Return the level of each of some intervals that hold together at a level (Bonferroni).

    Examples
    --------
    >>> round(bonferroni_level(0.95, 5), 6)
    0.99
    """
    return 1 - (1 - level) / tests


def simultaneous_row(row: Row) -> Row:
    """Return the difference of a level with its simultaneous interval; its test stands in the row of the margin."""
    return replace(
        row,
        term=f"{row.term} (simultaneous)",
        group=SIMULTANEOUS,
        key=(*row.key, ("intervals", SIMULTANEOUS)),
        method=f"{MARGINS[row.test or 't']}, Bonferroni",
        statistic=None,
        p_value=None,
        test=None,
    )


def simultaneous_intervals(result: Result) -> list[Row]:
    """Return the levels with their simultaneous intervals, the largest difference first, under the names of levels."""
    rows = [
        replace(row, term=row.label("level") or row.term)
        for row in result.rows
        if row.group == SIMULTANEOUS
    ]
    return sorted(rows, key=lambda row: -abs(row.estimate or 0.0))


def sentence(result: Result) -> str:
    """Return which levels differ by simultaneous intervals, with the leading test, and the other tests."""
    pairs = sample_text(result, "pairs", "pair")
    return f"{verdict_sentence(result, f' over {pairs}')} {other_tests_sentence(result)}"


def verdict_sentence(result: Result, over: str = "") -> str:
    """Return which levels were more frequent under which condition; intervals decide, not the p of the joint test.

    Parameters
    ----------
    result : Result
        Of `symmetry`.
    over : str
        The pairs in words, after a blank.
    """
    first, second = (f"'{shorten(name, 40)}'" for name in result.design.conditions)
    rows = simultaneous_intervals(result)
    joint = next(test_in_words(result, row) for row in result.rows if row.role == "test")
    bounded = [row for row in rows if row.conf_low is not None]
    if not bounded:
        return no_number("The difference in shares", rows[0].undefined or "no interval")
    differing = [row for row in rows if direction(row) != "none"]
    if not differing:
        return (
            f"The shares of the {count(len(rows))} levels did not differ reliably between {first} and {second}{over}; "
            f"the largest difference was that of {difference_of_level(result, rows[0])} ({joint})."
        )
    parts = []
    for row in differing[:MOST_NAMED]:
        higher = first if direction(row) == "above" else second
        parts.append(f"that of {difference_of_level(result, row)} was higher for {higher}")
    more = len(differing) - MOST_NAMED
    if more > 0:
        parts.append(f"{count(more)} more differed")
    text = f"Shares differed reliably between {first} and {second}{over} ({joint}): {'; '.join(parts)}."
    inconclusive = [row for row in bounded if direction(row) == "none"]
    undefined = [row for row in rows if row.conf_low is None]
    listed = [*listed_levels("Inconclusive", inconclusive), *listed_levels("Undefined", undefined)]
    return " ".join([text, *listed])


def listed_levels(heading: str, rows: Sequence[Row]) -> list[str]:
    """Return the names of some levels below a heading; nothing without levels."""
    names = [shorten(row.term, 30) for row in rows]
    return [f"{heading}: {listing(names)}."] if names else []


def difference_of_level(result: Result, row: Row) -> str:
    """Name a level with its difference and interval, at the level of all simultaneous intervals together."""
    together = replace(row, conf_level=result.settings["level"])
    return f"'{shorten(row.term, 40)}' ({estimate_text(together, kind=SIMULTANEOUS)})"


def test_in_words(result: Result, row: Row) -> str:
    """Return a test with its statistic, df and p."""
    denominator = result.extras.get("df_denominator")
    return wald_or_chi_square_text(row, NAMES[row.term], denominator)


def other_tests_sentence(result: Result) -> str:
    """Return the tests that do not lead; those that take pairs as independent are called so."""
    _, *tests = [row for row in result.rows if row.role == "test"]
    texts = ", ".join(test_in_words(result, row) for row in tests)
    alone = any(row.group == IGNORING for row in tests)
    return f"{'Ignoring the clusters' if alone else 'Other tests'}: {texts}."


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
    sample = PlainSample(
        count=pairs.count,
        plain=weighted_means(differences),
        factors=pairs.factors(result.settings["cluster"]),
        alike=np.column_stack([pairs.first, pairs.second]),
        signs=differences,
    )
    yield sample
    # intervals that hold together have a level of their own
    joint: dict[RowKey, FloatArray] = {
        (SIMULTANEOUS, f"{level} (simultaneous)"): d for (_, level), d in differences.items()
    }
    used = np.unique([pairs.first, pairs.second])
    yield replace(
        sample,
        plain=weighted_means(joint),
        signs=joint,
        level=bonferroni_level(result.settings["level"], len(used)),
    )


def ask_for_symmetry(result: Result) -> Iterator[PeerNumbers]:
    """Both chi-square tests of statsmodels; of independent pairs also mid-p tests by scipy."""
    from scipy.stats import chi2

    sample = next(sample_level_pairs(result))
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
