"""Similarity of answers of two sources: one minus their Jensen-Shannon divergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.arrays import IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    shape_cautions,
    small_sample_caution,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level
from socialstats.registry import Metric, reads
from socialstats.resampling.options import checked_seed
from socialstats.resampling.permutation import checked_draws
from socialstats.results import Result, ResultGroup, Row
from socialstats.shares.ceiling import LEAST, ceiling
from socialstats.shares.counts import (
    SourceCounts,
    StratumCells,
    cells_of,
    probabilities_text,
    source_cautions,
    source_counts,
)
from socialstats.shares.plain_similarity import ask_for_distances, sample_similarities
from socialstats.shares.pooled_similarity import pooled
from socialstats.shares.similarity import ComparedSources, Similarities
from socialstats.shares.similarity_rows import similarity_rows
from socialstats.shares.sources import People, population, population_cautions
from socialstats.shares.unit_similarity import within_units
from socialstats.text import count, listing, number, p_value, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Aggregate = Literal["pooled", "unit"]
Ci = Literal["noncentral", "t", "percentile", "basic"]
MOST_NAMED = 3  # sources in a sentence
MOST_DRAWN = 200


@reads(Ratings, labels="shares")
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
    people: People = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how alike the answers of each source and of a reference source are: 1 minus their JS divergence.

    JSS = 1 - (KL(p || m) + KL(q || m))/2 in bits, with p and q the shares of the levels and m = (p + q)/2 (Lin 1991): 1
    for equal shares, 0 where the sources share no level. The plug-in value is too small, most with few ratings. The
    corrected one takes off its jackknife bias, estimated from the independent units (clusters). Repeated runs of a
    model therefore count as dependent. Within units the jackknife leaves out one and two ratings of the unit, of one
    source after the other (its second order). A value may exceed 1 by chance: equal sources have about 1 on average.

    Pooled replies with `probabilities` count with these. They carry no noise of drawing, and the jackknife, which knows
    units alone, takes off what noise there is. Within units it leaves single answers out, and all count as drawn.

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
        the bootstraps). ``"t"`` has G - 1 degrees of freedom for G units (clusters). For the remaining bias it adds the
        square of half of the correction's second-order change to the jackknife's variance (92 to 98% in simulations of
        20 to 960 units). ``"noncentral"`` takes the plug-in divergence as a scaled noncentral chi-square, which knows
        that it cannot be below 0 (Rao & Scott 1984). Its upper end (the lower one of the similarity) reaches at least
        that of the jackknife t around the corrected one. Its degrees of freedom come from the kurtosis of what units
        add (`socialstats.inference.influence`). It was simulated 600 to 1,000 times each for 10, 30, 80 and 200 units
        with three people and five runs. Shares were even, uneven or equal, and common to all units or not. It covered
        .93 to .995 (.98/.02 against .90/.10 with 30 units: .92), 1.0 to 1.3 times as long as four standard deviations
        of the estimate. The others are bootstraps of units (clusters), moved by twice the bias (the sample has it, and
        the resamples again). They are cut at 0 and 1 but never short of the estimate. Percentiles covered 93 to 100%
        (100% for equal shares), basic intervals 78 to 100%.
    permutations : int
        Of the test of equal shares.
    splits : int
        Random halvings for the ceiling. They do not depend on `seed`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    people : {"auto", "random", "fixed"}
        Whether human raters are a sample, as in `choice_shares`. The ceiling is of these people alone.
    level : float
    resamples, seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units (group None), each cell, and the mean of the cells: a row named after each source (corrected, with
        interval). ``<source> (plug-in)`` has an interval of what as many ratings give on average, the jackknife's t.
        For pooled shares it has the wider limits of that and of the corrected interval less the correction.
        ``<reference> (split-half)`` is the ceiling: how alike two random halves of the reference's ratings of each unit
        are. It is corrected as the sources are, and so 1 but for chance. ``<reference> (split-half, plug-in)`` is the
        ceiling of plug-in values. It has a t interval of the logarithm of the divergence, by the jackknife over
        independent units. The corrected ceiling has the same interval less the bias. Neither has one where the
        reference gave a level fewer than five times. `statistic` is the plug-in divergence, p that of equal shares.
        Pooled, the two sources swap their names in whole clusters (not with two crossed factors); by unit, raters are
        exchanged within units. `extras`: ``uncut``: the corrected similarities of all units before they are cut at 0
        and 1; ``ceiling_error``: Monte-Carlo errors of the ceiling, group by group. ``levels``, ``shares`` (of each
        source in all units).

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
    check_allowed("aggregate", aggregate, get_args(Aggregate))
    settings = {
        "reference": reference,
        "source": source,
        "cell": cell,
        "aggregate": aggregate,
        "refusal": refusal,
        "ci": chosen_ci(ci, aggregate),
        "permutations": checked_draws(permutations, "permutations"),
        "splits": checked_draws(splits, "splits"),
        "cluster": cluster,
        "people": people,
        "level": checked_level(level),
        "resamples": resamples,
        "seed": checked_seed(seed),
    }
    return estimate(ratings, settings)


def chosen_ci(ci: str | None, aggregate: str) -> str:
    """Return the kind of interval.

    Raises
    ------
    InputError
        For an unknown kind, or one that does not fit the aggregate.
    """
    if ci is not None and ci not in get_args(Ci):
        raise InputError(f"{option('ci', ci)} is not one of {', '.join(get_args(Ci))}")
    if ci == "noncentral" and aggregate == "unit":
        raise InputError(
            f"{option('ci', 'noncentral')} is for pooled shares; with {option('aggregate', 'unit')} use "
            f"{option('ci', 't')}"
        )
    if ci == "t" and aggregate == "pooled":
        raise InputError(
            f"{option('ci', 't')} is for {option('aggregate', 'unit')}; for pooled shares use "
            f"{option('ci', 'noncentral')}"
        )
    return ci or ("noncentral" if aggregate == "pooled" else "t")


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compare the sources of one design."""
    factors = cluster_factors(design, settings["cluster"])
    # within units the correction counts single answers
    is_pooled = settings["aggregate"] == "pooled"
    unable = "resamples within units take the ratings of a unit as they are"
    if is_pooled or settings["ci"] == "t":
        unable = ""
    whose = population(design, settings["people"], factors, unable=unable)
    data = source_counts(
        design, settings["source"], settings["refusal"], probable=is_pooled, drawn=whose.drawn
    )
    whose = whose.for_sources(data.people)
    reference = data.index(settings["reference"], "reference")
    cells = cells_of(design, settings["cell"], "cell")
    compared = [k for k in range(len(data.sources)) if k != reference]
    if not compared:
        raise NothingToAnalyse(
            f"{design.source}: '{shorten(settings['reference'])}' is the only {data.name}"
        )
    codes = tuple(factor.codes for factor in factors)
    compare = pooled if is_pooled else within_units
    similarities: dict[int, Similarities] = {}
    for k in compared:
        sources = sources_compared(data, (reference, k), cells, codes)
        similarities[k] = compare(sources, settings)
    of_sources = [
        similarity_rows(data, (reference, k), similar, cells, codes, settings)
        for k, similar in similarities.items()
    ]
    of_ceiling, drawing_errors = ceiling(data, reference, cells, codes, settings)
    # group by group: the rows of each source, then the ceiling
    by_group = zip(*of_sources, of_ceiling, strict=True)
    rows = tuple(row for group in by_group for pair in group for row in pair)
    totals = (data.counts * data.copies[:, None, None]).sum(axis=0)
    largest = largest_share(data.copies, factors)
    lost = [similar.lost for similar in similarities.values() if similar.lost is not None]
    means = {
        data.sources[k]: similar.mean
        for k, similar in similarities.items()
        if similar.mean is not None
    }
    counts = {
        "ratings": round(totals.sum()),
        "units": int(data.copies[data.n.sum(axis=1) > 0].sum()),
        "sources compared": len(compared),
    }
    if cells.labels:
        counts["cells"] = len(cells.labels)
    uncut = {
        data.sources[k]: 1 - float(similar.corrected[0]) for k, similar in similarities.items()
    }
    shares = {
        name: tuple((total / max(total.sum(), 1.0)).tolist())
        for name, total in zip(data.sources, totals, strict=True)
    }
    inference = f"{interval_text(settings)}; {cluster_text(factors, 'units')}; {whose.text()}"
    dfs = [row.df for row in rows if row.df is not None]
    fit = {
        "nobs": round(totals.sum()),
        "n_clusters": rows[0].n_clusters,
        "method": settings["ci"],
        "seed": settings["seed"],
        "resamples": settings["resamples"],
        "effective_df": min(dfs, default=None) if factors else None,
        "largest_leverage": largest if factors else None,
    }
    unknown_df = [None] if settings["ci"] in RESAMPLED else None
    shapes = shape_cautions(means.values(), names=[*means], what="units")
    of_clusters = cluster_cautions(design, factors, df=unknown_df, largest=largest)
    cautions = (
        *plug_in_cautions([pair for pairs in of_sources for pair in pairs]),
        *rare_levels(data, codes, settings),
        *rare_people(data),
        *shapes,
        *source_cautions(data),
        *of_clusters,
        *population_cautions(whose),
        *lost[:1],
    )
    title = (
        f"Jensen-Shannon similarity to {shorten(settings['reference'])} ({settings['aggregate']})"
    )
    if is_pooled:
        title += probabilities_text(design)
    return Result(
        metric="js_similarity",
        title=title,
        inference=inference,
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings | {"source": data.name, "people": whose.setting},
        cautions=cautions,
        references=METRIC.references,
        design=design,
        extras={
            "people": whose.names(design),
            "levels": data.levels,
            "uncut": uncut,
            "shares": shares,
            "ceiling_error": drawing_errors,
        },
    )


def sources_compared(
    data: SourceCounts, pair: tuple[int, int], cells: StratumCells, codes: tuple[IntArray, ...]
) -> ComparedSources:
    """Return the answers of the reference and of a source, with their people who are a sample."""
    drawn = dict(enumerate(data.people))
    people = []
    for side, source in enumerate(pair):
        raters = drawn.get(source)
        if raters is not None:
            people.append((side, raters))
    return ComparedSources(
        first=data.counts[:, pair[0]],
        second=data.counts[:, pair[1]],
        copies=data.copies,
        cells=cells,
        codes=codes,
        people=people,
    )


def interval_text(settings: Mapping[str, Any]) -> str:
    """Describe how the intervals were obtained."""
    if settings["ci"] == "noncentral":
        return "noncentral chi-square intervals, widened to the lower limit of the jackknife t"
    if settings["ci"] == "t":
        return (
            "t intervals over units by the jackknife, with an allowance for the bias that is left"
        )
    return f"{settings['ci']} bootstrap intervals, {count(settings['resamples'])} resamples, seed {settings['seed']}"


def plug_in_cautions(pairs: Sequence[tuple[Row, Row]], where: str = "here") -> tuple[Caution, ...]:
    """Caution SS304: by how much the plug-in values are too small; `pairs` are corrected and plug-in rows."""
    gains = [
        corrected.estimate - plain.estimate
        for corrected, plain in pairs
        if corrected.estimate is not None and plain.estimate is not None
    ]
    if not gains:
        return ()
    most = number(max(gains), 3, bounded=True)
    return (
        caution(
            "SS304",
            f"sampling noise makes plug-in similarities too small, by up to {most} {where}",
            affects="rows called plug-in",
            fix="quote the corrected rows",
            rows=[plain.term for _, plain in pairs],
        ),
    )


def rare_levels(
    data: SourceCounts, codes: Sequence[IntArray], settings: Mapping[str, Any]
) -> tuple[Caution, ...]:
    """Caution SS312: pooled shares of levels that a source gave to fewer than five units (or clusters).

    In simulated tables nominal 95% intervals then covered .88 to .93. Runs of a unit mostly agreed, and a level with a
    share of .01 to .1 was given to fewer than five of 20 to 200 units. Units are counted because such ratings are many.
    """
    if settings["ci"] != "noncentral":
        return ()
    # (units, sources, levels): units with a rating of a level
    carriers = (data.counts > 0) * data.copies[:, None, None]
    for code in codes[:1]:
        carriers = np.stack([(carriers[code == k] > 0).any(axis=0) for k in np.unique(code)])
    n_carriers = carriers.sum(axis=0)
    occurring = n_carriers.sum(axis=0) > 0
    fewest = {
        name: float(of_source[occurring].min())
        for name, of_source in zip(data.sources, n_carriers, strict=True)
        if of_source.sum()
    }
    few = [name for name, n in fewest.items() if n < LEAST]
    units = "clusters" if codes else "units"
    return small_sample_caution(
        min(fewest.values(), default=LEAST),
        LEAST,
        f"{quoted(few)} gave a level to fewer than {LEAST} {units}",
        affects="pooled similarities, whose 95% intervals held .88 to .995 in such simulations",
        fix="collect more units",
    )


def rare_people(data: SourceCounts) -> tuple[Caution, ...]:
    """Caution SS212: a level of which fewer than one of the people who are a sample would account for all ratings.

    Log-odds of people differed with a standard deviation of 1, and a level had a share of .07. Nominal 95% intervals
    held .89 (7 people, 100 units), and .945 with 30 people.
    """
    few = []
    # people are listed only where some are a sample
    for k, people in enumerate(data.people):
        ratings = data.copies @ data.counts[:, k]
        n = 0 if people is None else len(np.unique(people.rater))
        if n and ratings[ratings > 0].min() * n < ratings.sum():
            few.append(f"{count(n)} people of {quoted([data.sources[k]])}")
    if not few:
        return ()
    return (
        caution(
            "SS212",
            f"fewer than one of {listing(few)} would account for the rarest level",
            affects="similarities: nominal 95% intervals held in .89 to .95 of simulations",
            fix="ask more people",
        ),
    )


def sentence(result: Result) -> str:
    """State the similarity of each source in all units, and its ceiling."""
    of_all = [row for row in result.rows if row.group is None]
    *pairs, (top, plain) = zip(of_all[::2], of_all[1::2], strict=True)
    text = "; ".join(source_text(*pair) for pair in pairs[:MOST_NAMED])
    n_more = len(pairs) - MOST_NAMED
    text += f"; and {count(n_more)} more" if n_more > 0 else ""
    reference = shorten(str(result.settings["reference"]))
    units, ratings = (
        count(result.counts[what], what.removesuffix("s")) for what in ("units", "ratings")
    )
    text = f"Jensen-Shannon similarity to {reference} over {units} and {ratings}: {text}."
    if plain.estimate is None:
        return text
    halves = replace(top, term=f"Two random halves of the {reference} ratings:")
    return f"{text} {source_text(halves, plain)}."


def source_text(row: Row, plain: Row) -> str:
    """State the similarity of one source with interval and test."""
    beside = "" if plain.estimate is None else f" (plug-in {number(plain.shown())})"
    test = "" if row.p_value is None else f", {p_value(row.p_value)} against equal shares"
    return f"{shorten(row.term)} {sentences.estimate_text(row)}{beside}{test}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the corrected similarities with intervals, each group with its ceiling (of all units beyond 200 rows)."""
    from socialstats.figures import forest

    rows = [row for row in result.rows if row.role != "component"]
    if len(rows) > MOST_DRAWN:
        rows = [row for row in rows if row.group is None]
    named = [
        row if row.group is None else replace(row, term=f"{row.term}, {row.group}") for row in rows
    ]
    settings = {"xlabel": result.title, "sort": False, "reference": None}
    return forest(named, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="js_similarity",
    title="Jensen-Shannon similarity",
    design="ratings",
    function=js_similarity,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_similarities, peers=ask_for_distances),
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
