"""Jensen-Shannon similarity: how alike the shares of answers of two sources are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    small_sample,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level
from socialstats.metrics.js_similarity.ceiling import ceiling
from socialstats.metrics.js_similarity.estimates import How, compared
from socialstats.metrics.js_similarity.rows import places, similarity_rows
from socialstats.models.rating_counts import Refusal
from socialstats.models.source_counts import SourceCounts, cells_of, source_cautions, source_counts
from socialstats.registry import Metric
from socialstats.resampling.chance import checked_draws, checked_seed
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, digits_of, interval, listing, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Aggregate = Literal["pooled", "unit"]
Ci = Literal["noncentral", "t", "percentile", "basic"]
SAID, MOST_DRAWN = 3, 200
FEW_RATINGS = 5


@reads(Ratings)
def js_similarity(
    ratings: Ratings | TableLike,
    *,
    reference: str = "human",
    source: str | None = None,
    cell: str | Sequence[str] | None = None,
    aggregate: Aggregate = "pooled",
    refusal: Refusal = "missing",
    ci: Ci | None = None,
    permutations: int = 2000,
    splits: int = 200,
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how alike the answers of each source and of a reference source are: 1 minus their JS divergence.

    JSS = 1 - (KL(p || m) + KL(q || m))/2 in bits, with p and q the shares of the levels and m = (p + q)/2 (Lin 1991):
    1 for equal shares, 0 where the sources share no level. The plug-in value is too small, most with few ratings; the
    corrected one takes off its jackknife bias, estimated from the independent units (clusters), so that runs of a
    model that repeat each other count as what they are. Within units the jackknife leaves out one and two ratings of
    the unit, of one source after the other (its second order). A value may exceed 1 by chance: equal sources have about
    1 on average.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    reference : str
        The source that the others are compared with.
    source : str, optional
        Declared group of raters that says the source, or ``"rater"`` (each rater is a source). By default the only
        one, or the one called source; without any, each rater.
    cell : str or sequence of str, optional
        Declared strata: one cell for each combination of their levels, and the mean of the cells.
    aggregate : {"pooled", "unit"}
        Shares of all ratings of a cell, or the mean over units of the similarity within the unit.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own.
    ci : {"noncentral", "t", "percentile", "basic"}, optional
        By default ``"noncentral"`` for pooled shares, ``"t"`` within units (the only kinds there are for each beside
        the bootstraps). ``"t"`` has G - 1 degrees of freedom for G units (clusters) and adds to the jackknife's
        variance the square of half of what the second order of the correction changes, for the bias that is left
        (92 to 98 % in simulations of 20 to 960 units). ``"noncentral"`` takes
        the plug-in divergence as a scaled noncentral chi-square, which knows that it cannot be below 0 (Rao & Scott
        1984); its upper end (the lower one of the similarity) reaches at least that of the jackknife t around the
        corrected one, with degrees of freedom from the kurtosis of what units add
        (`socialstats.inference.influence`). In 600 to 1,000 simulations each of 10, 30, 80 and 200 units (three people
        and five runs; even, uneven and equal shares; units alike or each with its own shares) it covered .93 to .995
        (.98/.02 against .90/.10 with 30 units: .92), 1.0 to 1.3 times as long as four standard deviations of the
        estimate. The others are bootstraps of units (clusters), moved by
        twice the bias (the sample has it, and the resamples once more), cut at 0 and 1 but never short of the estimate:
        percentiles covered 93 to 100 % (100 % for equal shares), basic intervals 78 to 100 %.
    permutations : int
        Of the test of equal shares.
    splits : int
        Random halvings for the ceiling. They do not depend on `seed`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    level : float
    resamples, seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units (group None), each cell, and the mean of the cells: a row named after each source (corrected,
        with interval), ``<source> (plug-in)``, and ``<reference> (split-half)``, the ceiling: the plug-in similarity
        of two random halves of the reference's ratings of each unit, with a t interval of the logarithm of their
        divergence (the jackknife over independent units; none where the reference gave a level fewer than five times).
        `statistic` is the plug-in divergence, p that
        of equal shares: the two sources swap their names in whole clusters (pooled; not with two crossed factors), or
        raters are exchanged within units (unit). `extras`: ``ceiling_at_size``, by source: the ceiling at its number
        of ratings, to set beside the plug-in value; ``ceiling_error``: Monte-Carlo errors; ``levels``, ``shares``
        (of each source in all units).

    Raises
    ------
    InputError
        For an unknown option, source, stratum or cluster.
    NothingToAnalyse
        If there is a single source, or no rating.

    References
    ----------
    Lin, J. (1991). Divergence measures based on the Shannon entropy. doi:10.1109/18.61115
    Rao, J. N. K., & Scott, A. J. (1984). The Annals of Statistics, 12(1), 46-60. doi:10.1214/aos/1176346391
    Quenouille, M. H. (1956). Notes on bias in estimation. doi:10.1093/biomet/43.3-4.353
    Schucany, W. R., Gray, H. L., & Owen, D. B. (1971). On bias reduction in estimation.
    doi:10.1080/01621459.1971.10482296
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). doi:10.3982/ECTA13081

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": list("pqrstuvw") * 2, "rater": ["ann"] * 8 + ["bot"] * 8,
    ...                      "source": ["human"] * 8 + ["model"] * 8, "value": list("xxxxxyyzxyyzzzzz")})
    >>> design = Ratings.from_frame(rows, scale="nominal", rater_source="source")
    >>> result = js_similarity(design)
    >>> round(result.row("model (plug-in)").estimate, 4), round(result.row("model").estimate, 4)
    (0.7375, 0.944)
    """
    if aggregate not in get_args(Aggregate):
        raise InputError(f"aggregate='{aggregate}' is not one of {', '.join(get_args(Aggregate))}")
    settings = {
        "reference": reference, "source": source, "cell": cell, "aggregate": aggregate, "refusal": refusal,
        "ci": chosen_ci(ci, aggregate),
        "permutations": checked_draws(permutations, "permutations"), "splits": checked_draws(splits, "splits"),
        "cluster": cluster, "level": checked_level(level), "resamples": resamples, "seed": checked_seed(seed),
    }  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, settings), Ratings)


def chosen_ci(ci: str | None, aggregate: str) -> str:
    """Return the kind of interval.

    Raises
    ------
    InputError
        For an unknown kind, or one that does not fit the aggregate.
    """
    if ci is None:
        return "noncentral" if aggregate == "pooled" else "t"
    if ci not in get_args(Ci):
        raise InputError(f"ci='{ci}' is not one of {', '.join(get_args(Ci))}")
    if ci == "noncentral" and aggregate == "unit":
        raise InputError("ci='noncentral' is for pooled shares; with aggregate='unit' use ci='t'")
    if ci == "t" and aggregate == "pooled":
        raise InputError("ci='t' is for aggregate='unit'; for pooled shares use ci='noncentral'")
    return ci


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compare the sources of one design."""
    factors = cluster_factors(design, settings["cluster"])
    data = source_counts(design, settings["source"], settings["refusal"])
    first, cells = data.index(settings["reference"], "reference"), cells_of(design, settings["cell"], "cell")
    others = [k for k in range(len(data.sources)) if k != first]
    if not others:
        raise NothingToAnalyse(f"{design.source}: '{shorten(settings['reference'])}' is the only {data.name}")
    codes = [factor.codes for factor in factors]
    how = How(
        aggregate=settings["aggregate"], resamples=settings["resamples"], permutations=settings["permutations"],
        seed=settings["seed"], ci=settings["ci"],
    )  # fmt: skip
    found = [compared(data, cells, (first, k), codes, how) for k in others]
    place = places(cells)
    parts = [
        similarity_rows(data, (first, k), one, place, codes, settings) for k, one in zip(others, found, strict=True)
    ]
    top, more = ceiling(data, first, cells, place, codes, settings)
    rows = [r for g, limit in enumerate(top) for r in (*(row for part in parts for row in part[g]), limit)]
    lost = [one.similar.caution() for one in found if one.similar is not None]
    pooled = (data.counts * data.copies[:, None, None]).sum(axis=0)
    largest = largest_share(data.copies, factors)
    return Result(
        metric="js_similarity",
        title=f"Jensen-Shannon similarity to {shorten(settings['reference'])} ({settings['aggregate']})",
        inference=f"{interval_text(settings)}; {cluster_text(factors, 'units')}",
        rows=tuple(rows),
        counts=counts_of(data, others, len(cells.labels)),
        fit={"nobs": int(pooled.sum()), "n_clusters": rows[0].n_clusters, "method": settings["ci"],
             "seed": settings["seed"], "resamples": settings["resamples"],
             "effective_df": min((row.df for row in rows if row.df is not None), default=None) if factors else None,
             "largest_leverage": largest if factors else None},
        settings=settings | {"source": data.name},
        cautions=(*own_cautions(rows), *rare_levels(data, settings), *source_cautions(data),
                  *cluster_cautions(design, factors, df=[None] if settings["ci"] in RESAMPLED else None,
                                    largest=largest),
                  *(c for c in lost[:1] if c)),
        references=METRIC.references,
        design=design,
        extras={"levels": data.levels, "uncut": {
            data.sources[k]: 1 - float(one.corrected[0]) for k, one in zip(others, found, strict=True)}, "shares": {
            name: tuple((one / max(one.sum(), 1.0)).tolist())
            for name, one in zip(data.sources, pooled, strict=True)}, **more},
    )  # fmt: skip


def interval_text(settings: dict[str, Any]) -> str:
    """Say how the intervals were obtained."""
    if settings["ci"] == "noncentral":
        return "noncentral chi-square intervals, lower ends not above those of the jackknife t"
    if settings["ci"] == "t":
        return "t intervals over units by the jackknife, with an allowance for the bias that is left"
    return f"{settings['ci']} bootstrap intervals, {count(settings['resamples'])} resamples, seed {settings['seed']}"


def counts_of(data: Any, others: list[int], cells: int) -> dict[str, int]:
    """Ratings, units, sources compared and cells."""
    rated = data.n.sum(axis=1) > 0
    size = int((data.n.sum(axis=1) * data.copies).sum())
    counts = {"ratings": size, "units": int(data.copies[rated].sum()), "sources compared": len(others)}
    return counts | ({"cells": cells} if cells else {})


def own_cautions(rows: list[Row]) -> tuple[Caution, ...]:
    """Caution SS304: by how much the plug-in values are too small."""
    gains = [one.estimate - two.estimate for one, two in pairwise(rows)
             if two.method == "plug-in" and one.estimate is not None and two.estimate is not None]  # fmt: skip
    if not gains:
        return ()
    said = f"sampling noise makes plug-in similarities too small, by up to {number(max(gains), 3, bounded=True)} here"
    return (caution("SS304", said, affects="rows called plug-in", fix="quote the corrected rows"),)


def rare_levels(data: SourceCounts, settings: dict[str, Any]) -> tuple[Caution, ...]:
    """Caution SS312: pooled shares of levels that a source chose fewer than five times.

    Of simulated pairs of shares only .98/.02 against .90/.10 of 30 units, with 1.8 expected in one source, had nominal
    95 % intervals that held less than .94 (.92).
    """
    if settings["ci"] != "noncentral":
        return ()
    totals = np.tensordot(data.copies, data.counts, axes=1)
    used = (totals > 0).any(axis=0)
    rarest = [(name, float(totals[k][used].min())) for k, name in enumerate(data.sources) if totals[k].sum()]
    few = [shorten(name) for name, least in rarest if least < FEW_RATINGS]
    return small_sample(
        min((least for _, least in rarest), default=FEW_RATINGS), FEW_RATINGS,
        f"{listing(few)} chose a level fewer than {FEW_RATINGS} times",
        affects="pooled similarities, whose 95% intervals held .92 to .995 in such simulations",
        fix="collect more ratings",
    )  # fmt: skip


def sentence(result: Result) -> str:
    """Say the similarity of each source in all units, its ceiling, and the mean of the cells."""
    whole = [row for row in result.rows if row.group is None]
    pairs = [(whole[k], whole[k + 1]) for k in range(0, len(whole) - 1, 2)]
    said = "; ".join(one_source(one, two) for one, two in pairs[:SAID])
    more = f"; and {count(len(pairs) - SAID)} more" if len(pairs) > SAID else ""
    top = whole[-1]
    own = shorten(str(result.settings["reference"]))
    limit = "" if top.estimate is None else f" Two random halves of the {own} ratings: {ceiling_text(top)}."
    return (
        f"Jensen-Shannon similarity to {shorten(str(result.settings['reference']))} over "
        f"{count(result.counts['units'], 'unit')} and {count(result.counts['ratings'], 'rating')}: {said}{more}.{limit}"
    )


def one_source(row: Row, plain: Row) -> str:
    """Say one source's similarity with interval and test."""
    if row.estimate is None:
        known = "" if plain.estimate is None else f" (plug-in {decimals(plain.estimate)})"
        return f"{shorten(row.term)} undefined, {row.undefined}{known}"
    ends = f", {interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)}"
    known = ends if row.conf_low is not None else f", {row.undefined}"
    test = "" if row.p_value is None else f", {p_value(row.p_value)} against equal shares"
    return f"{shorten(row.term)} {decimals(row.estimate)}{known} (plug-in {decimals(plain.estimate)}){test}"


def ceiling_text(row: Row) -> str:
    """Write the ceiling with as many decimals as its error has, and its interval."""
    digits = digits_of(row.std_error, 3)
    text = number(row.estimate, digits, bounded=True)
    if row.conf_low is None:
        return text
    ends = interval(row.conf_low, row.conf_high, digits, level=row.conf_level or 0.95, bounded=True)
    return f"{text}, {ends}"


def decimals(value: float | None) -> str:
    """Write a similarity."""
    return number(value, 3, bounded=True)


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the corrected similarities with intervals, each group with its ceiling (of all units beyond 200 rows)."""
    from dataclasses import replace

    from socialstats.figures import forest

    shown = [r for r in result.rows if r.method != "plug-in"]
    if len(shown) > MOST_DRAWN:
        shown = [r for r in shown if r.group is None]
    named = [r if r.group is None else replace(r, term=f"{r.term}, {r.group}") for r in shown]
    settings = {"xlabel": result.title, "sort": False, "digits": 3, "reference": None}
    return forest(named, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="js_similarity",
    title="Jensen-Shannon similarity",
    design="ratings",
    function=js_similarity,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.js_similarity:verify",
    estimand="One minus the Jensen-Shannon divergence, in bits, of the shares of the levels in two sources.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "the test of pooled shares: which source is which is exchangeable, cluster by cluster",
        "aggregate='unit': ratings of a unit are independent draws from their source's shares in that unit",
    ),
    references=(
        "lin1991",
        "raoscott1984",
        "quenouille1956",
        "schucany1971",
        "efrontibshirani1993",
        "canay2017",
        "phipsonsmyth2010",
    ),
    values="sources",
)
