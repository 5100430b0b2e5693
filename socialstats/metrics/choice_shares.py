"""Shares of levels among the ratings of each source, and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import cluster_factors, cluster_facts, cluster_text, share_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_mean
from socialstats.models.agreement import Refusal
from socialstats.models.matched_pairs import hotelling
from socialstats.models.shares import (
    RESAMPLED,
    Cells,
    How,
    PairTable,
    SourceCounts,
    cells_of,
    chi_square,
    common,
    free_label,
    level_shares,
    share_differences,
    share_row,
    share_text,
    source_cautions,
    source_counts,
    swap_p,
)
from socialstats.registry import Metric
from socialstats.resampling.permutation import checked_draws, checked_seed, sign_flip
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HUMAN = "human"
SWAPPED = "sources swapped in whole clusters"
ROW_LEVEL = "chi-square of ratings taken as independent"


def base_source(data: SourceCounts, reference: str | None) -> int:
    """Return the place of the source that others are compared with."""
    if reference is not None:
        return data.index(reference, "reference")
    return data.sources.index(HUMAN) if HUMAN in data.sources else 0


def all_rows(
    data: SourceCounts, cells: Cells, codes: tuple[Any, ...], first: int, settings: dict[str, Any]
) -> list[Row]:
    """Shares of all units and of each stratum, then differences and tests, adjusted over the strata."""
    every = np.ones(len(cells.codes), dtype=bool)
    among = [every, *(cells.codes == k for k in range(len(cells.labels)))]
    how = How(ci=settings["ci"], level=settings["level"], resamples=settings["resamples"], seed=settings["seed"])
    names = group_names(data, cells, first)
    size = len(data.sources)
    rows = [
        one_share(data, k, j, names[g * size + k], units, codes, how)
        for g, units in enumerate(among) for k in range(size) for j in range(len(data.levels))
    ]  # fmt: skip
    after = size * len(among)
    for k in range(size):
        if k == first:
            continue
        pairs = [
            (names[after + g], common(data.counts[:, k], data.counts[:, first], data.copies, codes, units))
            for g, units in enumerate(among)
        ]
        after += len(among)
        rows += family(pairs[:1], data, settings, "levels")
        rows += family(pairs[1:], data, settings, "levels and strata")
    return rows


def group_names(data: SourceCounts, cells: Cells, first: int) -> list[str]:
    """Names of the groups of rows: shares by stratum and source, then differences by source and stratum.

    Labels of strangers may spell each other's names ("a, b" of source "a"): such names get an apostrophe.
    """
    strata = [None, *cells.labels]
    wanted = [name if label is None else f"{name}, {label}" for label in strata for name in data.sources]
    gaps = [f"{name} - {data.sources[first]}" for k, name in enumerate(data.sources) if k != first]
    wanted += [gap if label is None else f"{gap}, {label}" for gap in gaps for label in strata]
    names: list[str] = []
    for name in wanted:
        names.append(free_label(name, names))
    return names


def one_share(
    data: SourceCounts, k: int, j: int, group: str, units: BoolArray, codes: tuple[Any, ...], how: How
) -> Row:
    """Row of the share of a level."""
    counts = np.where(units[:, None], data.counts[:, k], 0.0)
    rated = counts.sum(axis=1) > 0
    row = Row(term=data.levels[j], group=group)
    if not rated.any():
        return replace(row, n=0.0, n_units=0, undefined="no rating")
    shares = level_shares(counts, j, data.copies, codes)
    made = share_row(row, shares, how)
    made = replace(made, n_units=int(data.copies[rated].sum()))
    return made if codes else replace(made, n_clusters=None, leverage=None, effective=None)


def family(
    pairs: Sequence[tuple[str, PairTable]], data: SourceCounts, settings: dict[str, Any], over: str
) -> list[Row]:
    """Differences and tests of two sources in some strata, with Holm's p over all of them."""
    gaps, tests = [], []
    for group, pair in pairs:
        if not len(pair.copies):
            gone = Row(term="", group=group, n=0.0, n_units=0, undefined="no unit was rated by both sources")
            gaps += [replace(gone, term=one) for one in data.levels]
            tests += [[replace(gone, term=term) for term in terms_of_tests(data)]]
            continue
        found = zip(data.levels, share_differences(pair), strict=True)
        gaps += [difference_row(Row(term=one, group=group), mean, pair, settings) for one, mean in found]
        tests.append(rows_of_tests(group, pair, data, settings))
    return [*adjusted(gaps, over), *adjusted([t[0] for t in tests], "strata"), *(t[1] for t in tests)]


def adjusted(rows: Sequence[Row], over: str) -> list[Row]:
    """Add Holm's p-values over the rows that have a p, where there are several."""
    return with_holm(rows, f"Holm over {{m}} {over}", fewest=2)


def sized(row: Row, pair: PairTable) -> Row:
    """Say from how many ratings, units and clusters of both sources a row was computed."""
    clusters = min((len(np.unique(code)) for code in pair.codes), default=None)
    return replace(row, n=float(pair.totals.sum()), n_units=int(pair.copies.sum()), n_clusters=clusters)


def difference_row(row: Row, mean: ClusteredMean, pair: PairTable, settings: dict[str, Any]) -> Row:
    """Row of a difference of shares."""
    made = replace(sized(row, pair), estimate=mean.mean, method=f"t, paired units ({mean.kind})")
    return with_mean(made, mean, settings["level"], within=(-1.0, 1.0))


def terms_of_tests(data: SourceCounts) -> tuple[str, str]:
    """Terms of the tests of any difference: by swapping, and as if ratings were independent."""
    return free_label("any level", data.levels), free_label("any level (ratings independent)", data.levels)


def rows_of_tests(group: str, pair: PairTable, data: SourceCounts, settings: dict[str, Any]) -> list[Row]:
    """Rows of the tests of equal shares."""
    swap_term, plain_term = terms_of_tests(data)
    base, chi = sized(Row(term=swap_term, group=group), pair), chi_square(pair)
    if chi.undefined:
        return [replace(base, undefined=chi.undefined), replace(base, term=plain_term, undefined=chi.undefined)]
    base = replace(base, statistic=chi.statistic, df=float(chi.df))
    test = swap_p(pair, permutations=settings["permutations"], seed=settings["seed"])
    plain = replace(base, term=plain_term, p_value=chi.p_value, method=ROW_LEVEL)
    if test is None or math.isnan(test.p_value[0]):
        why = "two crossed factors: no swap of whole clusters" if test is None else "a single cluster: no test"
        return [replace(base, statistic=None, df=None, undefined=why), plain]
    method = f"chi-square; {SWAPPED}, {count(test.draws, 'draw')}"
    return [replace(base, p_value=float(test.p_value[0]), method=method), plain]


TESTED = "t over clusters; p by flipping the signs of whole clusters"
JOINT = "Hotelling's T-squared of all levels"
FLIPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changes:
    """Changes of shares of one source (or of two sources' difference) from the base to one stratum.

    Attributes
    ----------
    group : str
    values : (clusters, levels) float64 array
        Of the clusters that have ratings in both strata.
    ratings : float
    reach : float
        Largest size that a change can have: 1, or 2 for a difference of changes.
    """

    group: str
    values: FloatArray
    ratings: float
    reach: float = 1.0


def change_rows(
    data: SourceCounts, cells: Cells, codes: tuple[IntArray, ...], first: int, settings: dict[str, Any]
) -> list[Row]:
    """Rows of the changes of each source, then of the other sources less the reference; nothing without `base`."""
    if settings["base"] is None:
        return []
    base = base_cell(cells, settings["base"])
    if len(codes) != 1:
        raise InputError(
            f"base='{shorten(settings['base'])}' compares strata within clusters: declare one cluster= (--cluster), "
            f"such as the scenario that each stratum varies, not {len(codes)}"
        )
    found: list[list[Changes]] = []
    shares = [cluster_shares(data, k, cells, codes[0]) for k in range(len(data.sources))]
    others = [k for k in range(len(data.sources)) if k != first]
    for k, name in enumerate(data.sources):
        found.append(of_source(shares[k], shares[k], name, cells, base))
    for k in others:
        name = f"{data.sources[k]} - {data.sources[first]}"
        found.append(of_source(shares[k], shares[first], name, cells, base))
    rows: list[Row] = []
    for some in found:
        made = [rows_of(one, data.levels, settings) for one in some]
        rows += adjusted([row for own, _ in made for row in own], "levels and strata")
        rows += adjusted([joint for _, joint in made], "strata")
    return named_apart(rows)


def base_cell(cells: Cells, base: str) -> int:
    """Return the place of the base among the strata."""
    if base not in cells.labels:
        raise InputError(
            f"base='{shorten(base)}' is no level of stratum=. Levels: {quoted(cells.labels, 10) or 'none'}"
        )
    return cells.labels.index(base)


def cluster_shares(data: SourceCounts, k: int, cells: Cells, code: IntArray) -> tuple[FloatArray, FloatArray]:
    """Shares of a source by cluster and stratum, (clusters, strata, levels), and ratings, (clusters, strata)."""
    dense = np.unique(code, return_inverse=True)[1]
    shape = int(dense.max()) + 1, len(cells.labels), len(data.levels)
    counts = np.zeros(shape)
    np.add.at(counts, (dense, cells.codes), data.counts[:, k] * data.copies[:, None])
    size = counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts / size[..., None], size


def of_source(
    one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray], name: str, cells: Cells, base: int
) -> list[Changes]:
    """Changes of one source, or of one less another."""
    out = []
    for q, label in enumerate(cells.labels):
        if q == base:
            continue
        sides = (one,) if one is other else (one, other)
        used = np.all([(size[:, q] > 0) & (size[:, base] > 0) for _, size in sides], axis=0)
        moved = [shares[used, q] - shares[used, base] for shares, _ in sides]
        ratings = sum(float(size[used][:, [q, base]].sum()) for _, size in sides)
        values = moved[0] if len(sides) == 1 else moved[0] - moved[1]
        out.append(
            Changes(
                group=f"{name}: {label} - {cells.labels[base]}", values=values, ratings=ratings, reach=float(len(sides))
            )
        )
    return out


def rows_of(one: Changes, levels: Sequence[str], settings: dict[str, Any]) -> tuple[list[Row], Row]:
    """Rows of the levels, and the row of any change."""
    base = Row(term="", group=one.group, n=one.ratings, n_clusters=len(one.values))
    joint = replace(base, term=free_label("any level", levels))
    if not len(one.values):
        gone = "no cluster has ratings in both strata"
        return [replace(base, term=level, undefined=gone) for level in levels], replace(joint, undefined=gone)
    rows = [
        level_row(replace(base, term=level), one.values[:, j], one.reach, settings) for j, level in enumerate(levels)
    ]
    test = hotelling(one.values[:, :-1])
    if test.undefined:
        return rows, replace(joint, undefined=test.undefined)
    return rows, replace(joint, statistic=test.statistic, df=float(test.df), p_value=test.p_value, method=JOINT)


def level_row(row: Row, values: FloatArray, reach: float, settings: dict[str, Any]) -> Row:
    """Row of the mean change of one level."""
    mean = clustered_mean(values, np.ones(len(values)), magnitude=1.0)
    row = replace(row, estimate=mean.mean, method=TESTED)
    row = replace(with_mean(row, mean, settings["level"], within=(-reach, reach)), p_value=None)
    if row.undefined:
        return row
    try:
        test = sign_flip(np.round(values, 12), flips=FLIPS, seed=settings["seed"])
    except UndefinedStatistic:
        return row
    return replace(row, p_value=float(test.p_value[0]))


def named_apart(rows: list[Row]) -> list[Row]:
    """Give groups that labels of strangers spell alike an apostrophe."""
    seen: set[tuple[str, str | None]] = set()
    out = []
    for row in rows:
        while (row.term, row.group) in seen:
            row = replace(row, group=f"{row.group}'")
        seen.add((row.term, row.group))
        out.append(row)
    return out


Ci = Literal["auto", "wilson", "percentile", "basic", "bca"]
SAID = 4
MOST_DRAWN = 200


@reads(Ratings)
def choice_shares(
    ratings: Ratings | TableLike,
    *,
    source: str | None = None,
    reference: str | None = None,
    stratum: str | Sequence[str] | None = None,
    base: str | None = None,
    refusal: Refusal = "missing",
    ci: Ci = "auto",
    permutations: int = 2000,
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the share of each level among the ratings of each source, and the differences between sources.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    source : str, optional
        Declared group of raters that says the source, or ``"rater"`` (each rater is a source). By default the only
        one, or the one called source; without any, all raters are one source.
    reference : str, optional
        The source that is subtracted from the others; by default ``"human"`` where there is one, else the first.
    stratum : str or sequence of str, optional
        Declared strata of units: rows for each combination of their levels follow those of all units.
    base : str, optional
        A level of `stratum`, such as no pressure: rows of the changes from it to the other levels, paired within the
        one declared cluster (the scenario that the strata vary).
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own.
    ci : {"auto", "wilson", "percentile", "basic", "bca"}
        Of the shares. ``"auto"`` is Wilson's, with the number of independent ratings that the clusters leave (CR2
        standard error, t quantile; Korn & Graubard 1998). Else a bootstrap of clusters.
    permutations : int
        Of the test of equal shares.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent. Ratings of one
        unit never are.
    level : float
    resamples, seed : int
        Of the bootstrap; `seed` of the test too.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units, then for each stratum: the shares (term: the level, group: ``source`` or ``source, stratum``);
        for each other source the differences ``other - reference`` on the units that both rated, with t interval (cut
        at -1 and 1), t, df, p and p_adjusted (Holm over levels and strata; over levels for all units); and
        ``any level``: is there any difference. There `statistic` is Pearson's chi-square; p comes from swapping the two
        sources in whole clusters (units where none are declared), and in the row ``any level (ratings independent)``
        from the chi-square distribution, which counts ratings of one unit as independent. With `base` the changes
        follow, groups ``source: stratum - base`` and (difference of differences) ``other - reference: stratum -
        base``: means over clusters of the change of the share, with t interval, p from flipping the signs of
        whole clusters, and Holm over levels and strata; and ``any level``, Hotelling's T-squared of all levels.
        `extras`: ``counts`` (source -> level -> ratings).

    Raises
    ------
    InputError
        For an unknown option, source, stratum or cluster.
    NothingToAnalyse
        If there is no rating.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Pearson, K. (1900). doi:10.1080/14786440009463897
    Hotelling, H. (1931). The generalization of Student's ratio. doi:10.1214/aoms/1177732979
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). doi:10.3982/ECTA13081

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": ["p", "q", "r", "s"] * 2, "rater": ["ann"] * 4 + ["bot"] * 4,
    ...                      "source": ["human"] * 4 + ["model"] * 4, "value": list("xxyyxxxy")})
    >>> result = choice_shares(Ratings.from_frame(rows, scale="nominal", rater_source="source"))
    >>> result.row("x", group="model").estimate, result.row("x", group="model - human").estimate
    (0.75, 0.25)
    """
    if ci not in get_args(Ci):
        raise InputError(f"ci='{ci}' is not one of {', '.join(get_args(Ci))}")
    settings = {
        "source": source, "reference": reference, "stratum": stratum, "base": base, "refusal": refusal,
        "ci": "wilson" if ci == "auto" else ci, "permutations": checked_draws(permutations, "permutations"),
        "cluster": cluster, "level": checked_level(level), "resamples": resamples, "seed": checked_seed(seed),
    }  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, settings), Ratings)


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute the shares of one design."""
    factors = cluster_factors(design, settings["cluster"])
    data = source_counts(design, settings["source"], settings["refusal"], alone=True)
    cells = cells_of(design, settings["stratum"], "stratum")
    codes = tuple(factor.codes for factor in factors)
    first = base_source(data, settings["reference"])
    rows = [*all_rows(data, cells, codes, first, settings), *change_rows(data, cells, codes, first, settings)]
    pooled = (data.counts * data.copies[:, None, None]).sum(axis=0)
    rated = data.n.sum(axis=1) > 0
    made = "Wilson intervals" if settings["ci"] == "wilson" else f"bootstrap ({settings['ci']}) intervals"
    return Result(
        metric="choice_shares",
        title="Choice shares",
        inference=f"{made}, differences by t; {cluster_text(factors, 'units')}",
        rows=tuple(rows),
        counts={"ratings": int(pooled.sum()), "units": int(data.copies[rated].sum()), "sources": len(data.sources),
                **({"strata": len(cells.labels)} if cells.labels else {})},
        fit={"nobs": int(pooled.sum()), "method": settings["ci"], "seed": settings["seed"]}
        | (cluster_facts(rows) if factors else {})
        | ({"resamples": settings["resamples"]} if settings["ci"] in RESAMPLED else {}),
        settings=settings | {"source": data.name, "reference": data.sources[first]},
        cautions=(*source_cautions(data), *share_cautions(design, factors, rows)),
        references=METRIC.references,
        design=design,
        extras={"counts": {
            name: dict(zip(data.levels, one.tolist(), strict=True))
            for name, one in zip(data.sources, pooled, strict=True)}},
    )  # fmt: skip


def sentence(result: Result) -> str:
    """Say the shares of all units, and of two sources the differences with the test of any."""
    base = str(result.settings["reference"])
    names = [base, *(name for name in result.extras["counts"] if name != base)]
    said = "; ".join(f"{shorten(name)}: {shares_of(result, name)}" for name in names[:2])
    more = f"; {count(len(names) - 2, 'more source')} in the rows" if len(names) > 2 else ""
    text = (
        f"Shares of {count(result.counts['ratings'], 'rating')} of {count(result.counts['units'], 'unit')}: "
        f"{said}{more}."
    )
    if len(names) < 2:
        return text
    rows = result.rows[n_shares(result) :]  # differences of all units come first, source by source
    k = len(result.extras["counts"][base])
    return f"{text} {difference_text(rows[:k], rows[k])}"


def n_shares(result: Result) -> int:
    """Return how many rows are shares: they come first."""
    counts = result.extras["counts"]
    return sum(len(one) for one in counts.values()) * (1 + result.counts.get("strata", 0))


def shares_of(result: Result, name: str) -> str:
    """Say the shares of one source."""
    rows = [row for row in result.rows[: n_shares(result)] if row.group == name]
    parts = [
        f"{shorten(row.term)} {share_text(row)}" if row.estimate is not None else f"{shorten(row.term)} undefined"
        for row in rows[:SAID]
    ]
    return ", ".join(parts) + (f" and {len(rows) - SAID} more levels" if len(rows) > SAID else "")


def difference_text(gaps: Sequence[Row], test: Row) -> str:
    """Say the differences of two sources, and the test of any."""
    name = shorten(gaps[0].group or "")
    if gaps[0].estimate is None:
        return f"{name}: {gaps[0].undefined}."
    said = ", ".join(gap_text(row) for row in gaps[:SAID])
    if test.p_value is None or test.statistic is None:
        return f"{name}: {said}."
    return (
        f"{name}: {said}; any difference: chi-square({number(test.df, 0)}) = {number(test.statistic)}, "
        f"{p_value(test.p_value)} ({SWAPPED})."
    )


def gap_text(row: Row) -> str:
    """Say one difference."""
    text = f"{shorten(row.term)} {number(row.estimate, 3, bounded=True)}"
    if row.conf_low is None:
        return text
    ends = interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)
    adjusted_p = "" if row.p_adjusted is None else f", {p_value(row.p_adjusted, name='adjusted p')}"
    return f"{text}, {ends}{adjusted_p}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of all units and (up to 200 rows) of the strata with their intervals."""
    from socialstats.figures import forest

    kept = result.rows[: n_shares(result)]
    if len(kept) > MOST_DRAWN:
        kept = kept[: len(kept) // (1 + result.counts.get("strata", 0))]
    shown = [replace(r, term=f"{r.term} ({r.group})") for r in kept]
    settings = {"xlabel": "Share of ratings", "sort": False, "reference": None, "digits": 3}
    return forest(shown, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="choice_shares",
    title="Choice shares",
    design="ratings",
    function=choice_shares,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.choice_shares:verify",
    estimand="The share of each level among the ratings of a source, and its difference between two sources.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "a source's ratings are missing without regard to their value",
        "test of any difference: which source is which is exchangeable, cluster by cluster",
    ),
    references=(
        "wilson1927",
        "korngraubard1998",
        "pearson1900",
        "hotelling1931",
        "holm1979",
        "canay2017",
        "phipsonsmyth2010",
    ),
    values="sources",
)
