"""Cochran's Q: do several raters (models, conditions) say yes equally often to the same units?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, DesignError, InputError, NothingToAnalyse, caution
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import cluster_factors, cluster_facts, cluster_text, share_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import with_ends, with_share
from socialstats.models.matched_pairs import McNemarTest, with_share_difference
from socialstats.models.matched_pairs import cochran_q as q_test
from socialstats.models.unit_means import WaldTest, robust_wald
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IGNORING = "ignoring clusters"
MOST_PAIRED = 20  # raters up to which all pairs are compared
FEW_DISCORDANT = 10
EFFECTIVE = "Wilson's interval for the effective number of units, t"
NAMES = {"cochran_q": "Cochran's Q", "robust_wald": "cluster-robust Wald test"}
MISSING = ("drop", "error")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Complete:
    """The units that every rater rated.

    Attributes
    ----------
    raters : tuple of str
    values : (units, raters) float64 array of 0 and 1
    count : (units,) float64 array
    codes : tuple of (units,) int64 arrays
        Clusters.
    dropped : int
        Units left out.
    """

    raters: tuple[str, ...]
    values: FloatArray
    count: FloatArray
    codes: tuple[IntArray, ...]
    dropped: int

    @property
    def n(self) -> float:
        """Units."""
        return float(self.count.sum())

    @property
    def mixed(self) -> float:
        """Units that raters disagree about."""
        return float(self.count @ (np.ptp(self.values, axis=1) > 0))


@reads(Ratings)
def cochran_q(
    ratings: Ratings | TableLike,
    *,
    missing: Literal["drop", "error"] = "drop",
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
        Of two levels; the share is that of the second. With a ``by`` factor: one result a level of it.
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
        units, with t). Group ``"difference"`` (up to 20 raters): each pair, first minus second, interval and p
        (Tango and mid-p; with clusters robust t, or Tango's score for effective pairs where few are discordant),
        `p_adjusted` by Holm. Group ``"test"``: ``cochran_q`` (chi-square
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
    if missing not in MISSING:
        raise InputError(f"missing={missing!r} is not one of {', '.join(MISSING)}")
    settings = {"missing": missing, "cluster": cluster, "level": level}
    return by_levels(ratings, "declared", lambda one: estimate(one, settings), Ratings)


def complete_units(design: Ratings, settings: dict[str, Any]) -> Complete:
    """Take the units that all raters rated."""
    if len(design.levels) != 2:
        raise DesignError(f"{design.source}: Cochran's Q takes two levels, these ratings have {len(design.levels)} "
                          f"({quoted(design.levels)})")  # fmt: skip
    if len(design.raters) < 2:
        raise DesignError(f"{design.source}: Cochran's Q compares raters; there is one, {quoted(design.raters)}")
    factors = cluster_factors(design, settings["cluster"])
    table = design.matrix()
    whole = ~np.isnan(table).any(axis=1)
    dropped = int(design.unit_count[~whole].sum())
    if dropped and settings["missing"] == "error":
        raise InputError(f"{design.source}: {count(dropped, 'unit')} not rated by all {len(design.raters)} raters; "
                         "missing='drop' leaves them out")  # fmt: skip
    if not whole.any():
        raise NothingToAnalyse(f"{design.source}: no unit was rated by all {len(design.raters)} raters; "
                               "take fewer with of_raters()")  # fmt: skip
    return Complete(raters=design.raters, values=table[whole], count=design.unit_count[whole],
                    codes=tuple(f.codes[whole] for f in factors), dropped=dropped)  # fmt: skip


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute shares, differences and tests of one design."""
    data = complete_units(design, settings)
    factors = cluster_factors(design, settings["cluster"])
    wald = robust_test(data)
    level = settings["level"]
    sizes = {
        f"clusters of '{shorten(f.name)}'": len(np.unique(c)) for f, c in zip(factors, data.codes, strict=True)
    }  # fmt: skip
    test = "robust_wald" if factors else "cochran_q"
    extras: dict[str, Any] = {"dropped": data.dropped}
    if isinstance(wald, WaldTest):
        extras["df_denominator"] = wald.df_denominator
    rows = (*share_rows(data, level), *difference_rows(data, level), *rows_of_tests(data, wald))
    return Result(
        metric="cochran_q",
        title=f"Cochran's Q: share of '{shorten(design.levels[1])}' by {count(len(data.raters), 'rater')}",
        inference=f"{NAMES[test]}; {cluster_text(factors, 'units')}",
        rows=rows,
        counts={"units": int(data.n), "raters": len(data.raters), "units that raters disagree about": int(data.mixed)}
        | sizes,
        fit={"nobs": int(data.n), "n_clusters": min(sizes.values(), default=None), "method": NAMES[test]}
        | (cluster_facts(rows) if factors else {}),
        settings=settings,
        cautions=(*share_cautions(design, factors, rows), *own_cautions(data, wald)),
        references=("cochran1950", "wilson1927", "tango1998", "holm1979")
        + (("bellmccaffrey2002", "cameron2011", "korngraubard1998", "pustejovskytipton2018") if factors else ()),
        design=design,
        extras=extras,
    )


def robust_test(data: Complete) -> WaldTest | McNemarTest | str | None:
    """Robust test that all raters have the same share; None without clusters."""
    if not data.codes:
        return None
    if not data.mixed:
        return McNemarTest(statistic=0.0, df=None, p=1.0)
    return robust_wald(data.values - data.values.mean(axis=1, keepdims=True), data.count, data.codes)


def share_rows(data: Complete, level: float) -> list[Row]:
    """Share of each rater with its interval."""
    rows = []
    for name, values in zip(data.raters, data.values.T, strict=True):
        row = Row(term=name, group="share", estimate=float(data.count @ values) / data.n, n=data.n)
        if not data.codes:
            low, high = (float(end[0]) for end in wilson(np.array([row.estimate]), np.array([data.n]), level=level))
            rows.append(with_ends(row, low, high, level, method="Wilson's interval"))
            continue
        found = clustered_share(values, data.count, data.codes, trials=data.n, level=level)
        row = replace(row, n_clusters=found.clusters)
        rows.append(with_share(row, found, level, clustered=True, method=EFFECTIVE))
    return rows


def difference_rows(data: Complete, level: float) -> list[Row]:
    """Differences of the shares of all pairs of raters, with p adjusted by Holm."""
    if len(data.raters) > MOST_PAIRED:
        return []
    pairs = list(combinations(range(len(data.raters)), 2))
    return with_holm([
        with_share_difference(
            Row(term=f"{data.raters[i]} - {data.raters[j]}", group="difference", n=data.n), data.values[:, i],
            data.values[:, j], data.count, data.codes, level,
        )
        for i, j in pairs
    ])  # fmt: skip


def rows_of_tests(data: Complete, wald: WaldTest | McNemarTest | str | None) -> list[Row]:
    """Cochran's Q; with clusters the robust test leads."""
    found = q_test(data.values, data.count)
    plain = Row(term="cochran_q", group="test" if wald is None else IGNORING, statistic=found.statistic, df=found.df,
                p_value=found.p, n=data.n, method=NAMES["cochran_q"])  # fmt: skip
    if wald is None:
        return [plain]
    base: dict[str, Any] = {"term": "robust_wald", "group": "test", "n": data.n, "method": NAMES["robust_wald"]}
    if isinstance(wald, str):
        return [Row(**base, undefined=wald), plain]
    return [Row(**base, statistic=wald.statistic, df=wald.df, p_value=wald.p), plain]


def own_cautions(data: Complete, wald: WaldTest | McNemarTest | str | None) -> tuple[Caution, ...]:
    """Cautions SS301 (incomplete units), SS314 (few units that raters disagree about) and SS206."""
    found = []
    if data.dropped:
        said = f"{count(data.dropped, 'unit')} not rated by all {len(data.raters)} raters"
        found.append(caution("SS301", said, affects="all numbers: they hold for the complete units"))
    if data.mixed < FEW_DISCORDANT:
        said = f"raters disagree about {count(data.mixed, 'unit')} of {count(data.n)}"
        said += ": p is 1 by definition" if not data.mixed else ""
        found.append(caution("SS314", said, affects="chi-square and F tests"))
    if isinstance(wald, WaldTest) and wald.cautious:
        found.append(caution("SS206", "V1 + V2 - V12 was too small or not positive; a larger variance took its place",
                             affects="the robust test, which is cautious"))  # fmt: skip
    return tuple(found)


def sentence(result: Result) -> str:
    """Say the shares and the leading test."""
    shares = [f"{shorten(r.term)} {number(r.estimate, 3, bounded=True)}" for r in result.rows if r.group == "share"]
    clusters = [
        count(n, what.replace("clusters", "cluster", 1), what) for what, n in result.counts.items() if "of '" in what
    ]
    size = count(result.counts["units"], "unit") + (f" in {listing(clusters)}" if clusters else "")
    lead = next(r for r in result.rows if r.group == "test")
    ignoring = [r for r in result.rows if r.group == IGNORING]
    tail = f"; ignoring the clusters, {said(result, ignoring[0])}" if ignoring else ""
    value = shorten(result.design.levels[1])
    return f"Over {size}, the share of '{value}' was: {listing(shares, 6)}; {said(result, lead)}{tail}."


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


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the share of each rater with its interval."""
    from socialstats.figures import forest

    settings = {"xlabel": f"Share of '{shorten(result.design.levels[1], 20)}'", "reference": None, "digits": 3}
    return forest([r for r in result.rows if r.group == "share"], ax=ax, **{**settings, **options})


METRIC = Metric(
    name="cochran_q",
    title="Shares of several raters on the same units (Cochran's Q)",
    design="ratings",
    function=cochran_q,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.cochran_q:verify",
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
