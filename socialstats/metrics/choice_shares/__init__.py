"""Choice shares: how often each source chose each level, and by how much two sources differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.dependence import cluster_factors, cluster_facts, cluster_text, share_cautions
from socialstats.inference.intervals import checked_level
from socialstats.metrics.choice_shares.changes import change_rows
from socialstats.metrics.choice_shares.rows import SWAPPED, all_rows, base_source
from socialstats.models.rating_counts import Refusal
from socialstats.models.source_counts import cells_of, source_cautions, source_counts
from socialstats.models.unit_shares import RESAMPLED, share_text
from socialstats.registry import Metric
from socialstats.resampling.chance import checked_draws, checked_seed
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
