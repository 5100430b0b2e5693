"""Symmetry and marginal homogeneity of k levels under two conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text, largest_share
from socialstats.inference.intervals import checked_level
from socialstats.models.matched_pairs import McNemarTest, bowker, stuart_maxwell, with_share_difference
from socialstats.models.unit_means import WaldTest, robust_wald
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, listing, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_DISCORDANT = 10
IGNORING = "ignoring clusters"
NAMES = {
    "bowker": "Bowker's test of symmetry",
    "stuart_maxwell": "Stuart-Maxwell test of marginal homogeneity",
    "robust_wald": "cluster-robust Wald test of marginal homogeneity",
}


@reads(Paired)
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
        With levels (nominal, or two). With a ``by`` factor: one result a level of it.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Group ``"margin"``: for each level that occurs its share under the first condition minus under the second, with
        interval and p (independent pairs: Tango, mid-p; clusters: robust t, or the score of Tango for effective pairs
        where few are discordant), `p_adjusted` by Holm over the levels.
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
    return by_levels(paired, "declared", lambda one: estimate(one, settings), Paired)


def estimate(design: Paired, settings: dict[str, Any]) -> Result:
    """Compute margins and tests of one design."""
    if design.scale == "numeric":
        raise DesignError(f"{design.source}: symmetry takes levels, these values are numbers; "
                          "paired_difference() takes numbers")  # fmt: skip
    if not design.n_pairs:
        raise NothingToAnalyse(f"{design.source}: no pair to compare")
    factors = cluster_factors(design, settings["cluster"])
    table = design.square()
    used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    square = table[np.ix_(used, used)]
    wald = marginal_wald(design, used, factors) if factors else None
    rows = (*margin_rows(design, used, factors, settings["level"]), *rows_of_tests(square, wald, design.n_pairs))
    sizes = {f"clusters of '{shorten(f.name)}'": len(np.unique(f.codes)) for f in factors}
    extras: dict[str, Any] = {"table": square, "levels": tuple(design.levels[k] for k in used)}
    if isinstance(wald, WaldTest):
        extras["df_denominator"] = wald.df_denominator
    dfs = [row.df for row in rows if row.group == "margin" and row.conf_low is not None and row.df is not None]
    largest = largest_share(design.count, factors)
    return Result(
        metric="symmetry",
        title=f"Symmetry of {count(len(used), 'level')}: {shorten(design.conditions[0])} and "
        f"{shorten(design.conditions[1])}",
        inference=f"{rows[0].method}; {NAMES['robust_wald' if factors else 'stuart_maxwell']}; "
        f"{cluster_text(factors, 'pairs')}",
        rows=rows,
        counts={"pairs": design.n_pairs, "levels": len(used)} | sizes,
        fit={
            "nobs": design.n_pairs,
            "n_clusters": min(sizes.values(), default=None),
            "method": "chi-square tests",
            "effective_df": min(dfs, default=None),
            "largest_leverage": largest if factors else None,
        },
        settings=settings,
        cautions=(*cluster_cautions(design, factors, df=dfs, largest=largest), *own_cautions(square, wald)),
        references=("bowker1948", "stuart1955", "maxwell1970", "tango1998", "holm1979")
        + (("bellmccaffrey2002", "cameron2011", "pustejovskytipton2018") if factors else ()),
        design=design,
        extras=extras,
    )


def indicators(design: Paired, used: Any) -> tuple[FloatArray, FloatArray]:
    """(cells, levels) arrays of 0 and 1: which level each cell has under the first and the second condition."""
    first, second = (np.equal.outer(v.astype(np.int64), used) for v in (design.first, design.second))
    return first.astype(np.float64), second.astype(np.float64)


def marginal_wald(design: Paired, used: Any, factors: tuple[Factor, ...]) -> WaldTest | McNemarTest | str:
    """Robust test that all differences of shares are 0."""
    first, second = indicators(design, used)
    if not np.any(first != second):
        return McNemarTest(statistic=0.0, df=None, p=1.0)
    return robust_wald(first - second, design.count, [f.codes for f in factors])


def margin_rows(design: Paired, used: Any, factors: tuple[Factor, ...], level: float) -> list[Row]:
    """Differences of the shares of each level, first minus second, with p adjusted by Holm."""
    first, second = indicators(design, used)
    codes = [f.codes for f in factors]
    clusters = min((len(np.unique(c)) for c in codes), default=None)
    base = Row(term="", group="margin", n=float(design.n_pairs), n_clusters=clusters)
    return with_holm([
        with_share_difference(
            replace(base, term=design.levels[u]), first[:, k], second[:, k], design.count, codes, level
        )
        for k, u in enumerate(used.tolist())
    ])  # fmt: skip


def rows_of_tests(table: FloatArray, wald: WaldTest | McNemarTest | str | None, n: int) -> list[Row]:
    """Rows of the tests; with clusters the robust one leads."""
    group = "test" if wald is None else IGNORING
    rows = [
        Row(term=name, group=group, statistic=t.statistic, df=t.df, p_value=t.p, n=float(n), method=NAMES[name])
        for name, t in (("stuart_maxwell", stuart_maxwell(table)), ("bowker", bowker(table)))
    ]
    if wald is None:
        return rows
    base: dict[str, Any] = {"term": "robust_wald", "group": "test", "n": float(n), "method": NAMES["robust_wald"]}
    if isinstance(wald, str):
        return [Row(**base, undefined=wald), *rows]
    return [Row(**base, statistic=wald.statistic, df=wald.df, p_value=wald.p), *rows]


def own_cautions(table: FloatArray, wald: WaldTest | McNemarTest | str | None) -> tuple[Caution, ...]:
    """Cautions SS314 (few pairs that differ) and SS206 (a covariance that was not positive)."""
    found = []
    discordant = float(table.sum() - np.trace(table))
    if discordant < FEW_DISCORDANT:
        said = f"{count(discordant, 'discordant pair')} of {count(float(table.sum()))}"
        said += ": p is 1 by definition" if not discordant else ""
        found.append(caution("SS314", said, affects="chi-square and F tests"))
    if isinstance(wald, WaldTest) and wald.cautious:
        found.append(caution("SS206", "V1 + V2 - V12 was too small or not positive; a larger variance took its place",
                             affects="the robust test, which is cautious"))  # fmt: skip
    return tuple(found)


def sentence(result: Result) -> str:
    """Say the leading test, Bowker's, and the largest shift."""
    first, second = (shorten(c) for c in result.design.conditions)
    clusters = [
        count(n, what.replace("clusters", "cluster", 1), what) for what, n in result.counts.items() if "of '" in what
    ]
    size = count(result.counts["pairs"], "pair") + (f" in {listing(clusters)}" if clusters else "")
    margins = [r for r in result.rows if r.group == "margin"]
    most = max(margins, key=lambda r: abs(r.estimate or 0.0))
    ends = interval(most.conf_low, most.conf_high, 3, level=result.settings["level"], bounded=True)
    shift = f"the largest shift is that of '{shorten(most.term)}', {number(most.estimate, 3, bounded=True)}"
    tests = "; ".join(said(result, r) for r in result.rows if r.group == "test")
    ignoring = [r for r in result.rows if r.group == IGNORING]
    tail = f"; ignoring the clusters: {', '.join(said(result, r) for r in ignoring)}" if ignoring else ""
    shown = f", {ends} ({(most.method or '').split(';')[0]})" if most.conf_low is not None else ", without an interval"
    return f"Over {size}: {tests}; {shift} ({first} minus {second}){shown}{tail}."


def said(result: Result, row: Row) -> str:
    """Say a test with its statistic, df and p."""
    name = NAMES[row.term]
    if row.undefined:
        return f"{name} undefined ({row.undefined})"
    if row.df is None:
        return f"{name} {p_value(row.p_value)}"
    robust = row.term == "robust_wald"
    dfs = number(row.df, 0) + (f", {number(result.extras['df_denominator'], 1)}" if robust else "")
    return f"{name} {'F' if robust else 'chi-square'}({dfs}) = {number(row.statistic)}, {p_value(row.p_value)}"


def plot(result: Result, ax: Axes | None = None, *, kind: str = "margins", **options: Any) -> Axes:
    """Draw the differences of the shares (``kind="margins"``), or the square table (``kind="table"``)."""
    from socialstats.figures import forest, square

    first, second = (shorten(c, 20) for c in result.design.conditions)
    if kind == "table":
        shown = {"levels": result.extras["levels"], "conditions": result.design.conditions}
        return square(result.extras["table"], ax=ax, **{**shown, **options})
    if kind != "margins":
        raise InputError(f"kind={kind!r} is not one of margins, table")
    settings = {"xlabel": f"Difference of shares ({first} minus {second})", "sort": False, "digits": 3}
    return forest([r for r in result.rows if r.group == "margin"], ax=ax, **{**settings, **options})


METRIC = Metric(
    name="symmetry",
    title="Symmetry and marginal homogeneity",
    design="paired",
    function=symmetry,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.symmetry:verify",
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
