"""Mean ratings: of all units, of the levels of each stratum, and of each rater."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats import sentences
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.dependence import cluster_cautions, cluster_factors, drawn_cautions, small_sample
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import Drawn
from socialstats.models.shares import of_probabilities
from socialstats.models.sources import People, population, population_cautions
from socialstats.models.unit_means import FEW_UNITS, Inference, Sample, answered, mean_row, unit_shares
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.text import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALL = "all units"
MOST_RATERS = 30  # more have no rows of their own


@reads(Ratings)
def mean_ratings(
    ratings: Ratings | TableLike, *, cluster: str | Sequence[str] | None = "declared", people: People = "auto",
    level: float = 0.95, **columns: Any,
) -> Result | ResultGroup:  # fmt: skip
    """Estimate mean ratings: a unit counts with the mean of its ratings; the sample is one of units (or clusters).

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Of levels that are numbers. With a ``by`` factor: one result a level.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    people : {"auto", "random", "fixed"}
        ``"random"``: human raters are a sample, as units are, and errors are those of both as crossed factors.
        ``"fixed"``: errors speak of these raters alone. ``"auto"``: a sample, where five or more are known and at most
        one cluster is declared (`choice_shares`).
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows ``"all units"``, then each level of each declared stratum, then (of 2 to 30) each rater. Each is a mean and
        its t interval; clusters have CR2 standard errors and Satterthwaite's df (Bell & McCaffrey 2002). Units
        (or one cluster) and people who are a sample are crossed factors; a rater's own mean is of this rater. Where the
        design has `probabilities`, a reply counts with its expected value: the mean of the levels, weighted with their
        probabilities.

    Raises
    ------
    InputError
        For levels that are not numbers, units that stand for several alike ones, or unknown clusters.
    NothingToAnalyse
        Without a rating.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.

    Examples
    --------
    >>> table = {"unit": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "value": [1, 3, 4, 4, 5, 4]}
    >>> result = mean_ratings(table, scale="interval")
    >>> round(result.row("all units").estimate, 2), round(result.row("b").estimate, 2)
    (3.5, 3.67)
    """
    return estimate(ratings, cluster=cluster, people=people, level=checked_level(level))


def estimate(design: Ratings, *, cluster: Any, people: str, level: float) -> Result:
    """Compute the means of one design."""
    if not design.numeric or design.scale == "nominal":
        raise InputError(f"{design.source}: a mean needs levels that are numbers; these are {design.scale} labels")
    if np.any(design.unit_count != 1):
        raise InputError(f"{design.source}: units that stand for several alike ones; give one row a rating")
    values, known, expected = unit_shares(design) @ design.scores, answered(design), design.read_as() @ design.scores
    if not known.any():
        raise NothingToAnalyse(f"{design.source}: no unit has a rating")
    factors = cluster_factors(design, cluster)
    how = Inference(unit="unit", level=level, clusters=tuple(f.codes for f in factors),
                    magnitude=float(np.abs(design.scores).max()))  # fmt: skip
    whose = population(design, people, factors)
    rows = list[Row]()

    def put(term: str, group: str, values: FloatArray, held: BoolArray, **part: str) -> None:
        unit = np.flatnonzero(held)
        drawn = () if "rater" in part else people_means(design, expected, held, whose.drawn, how.clusters)
        sample = Sample(values=values[unit][:, None], unit=unit, how=how, drawn=drawn)
        rows.append(mean_row(term, group, sample, test=False, key=tuple(part.items()), role="estimate"))

    put(ALL, "mean", values, known)
    for name, factor in design.strata.items():
        for code, label in enumerate(factor.levels):
            put(label, f"mean by {name}", values, known & (factor.codes == code), stratum=name, level=label)
    for code, rater in enumerate(design.raters if 1 < len(design.raters) <= MOST_RATERS else ()):
        given = (design.rater == code) & (design.status == OK)
        own, held = np.zeros(len(design.units)), np.zeros(len(design.units), dtype=bool)
        own[design.unit[given]], held[design.unit[given]] = expected[given], True
        put(rater, "mean of a rater", own, held, rater=rater)
    by = " x ".join(f.name for f in factors)
    drawn_rows = [row for row in rows if whose.drawn.any() and row.label("rater") is None]
    return Result(
        metric="mean_ratings", title="Mean rating" + of_probabilities(design), rows=tuple(rows),
        inference=f"t intervals over units{f', errors clustered by {by} (CR2)' if by else ''}; {whose.text()}",
        counts={"ratings": design.n_rows, "units": int(known.sum())},
        settings={"cluster": [factor.name for factor in factors], "people": whose.setting,
                  "level": level},
        cautions=(*cluster_cautions(design, factors, df=()), *few_units(rows), *drawn_cautions(drawn_rows, whose.n),
                  *population_cautions(whose)), references=METRIC.references,
        design=design, extras={"people": whose.names(design)},
    )  # fmt: skip


def people_means(
    design: Ratings, values: FloatArray, held: BoolArray, drawn: BoolArray, clusters: Sequence[IntArray]
) -> tuple[Drawn, ...]:
    """Return what people who are a sample add to the mean over some units of a unit's mean rating."""
    given = (design.status == OK) & held[design.unit]
    rows = np.flatnonzero(given & drawn[design.rater])
    if not len(rows):
        return ()
    n = np.bincount(design.unit[given], minlength=len(design.units))
    unit = design.unit[rows]
    weight = 1 / (n[unit] * held.sum())
    total = None if len(rows) == given.sum() else 1.0
    return (Drawn.of(values[rows, None], weight, clusters[0][unit] if clusters else unit, design.rater[rows],
                     total=total),)  # fmt: skip


def few_units(rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Caution SS312 of the rows whose t interval rests on few units (clusters)."""
    sizes = {row.name: row.n_clusters or row.n_units or 0 for row in rows if row.conf_low is not None}
    least, what = min(sizes.values(), default=FEW_UNITS), "cluster" if any(row.n_clusters for row in rows) else "unit"
    return small_sample(
        least, FEW_UNITS, f"{count(least, what)}; t needs values close to normal", affects="intervals of such means",
        fix=f"collect more {what}s", rows=[name for name, size in sizes.items() if size < FEW_UNITS],
    )  # fmt: skip


def sentence(result: Result) -> str:
    """State the mean of all units."""
    return f"The mean rating was {sentences.estimate(result.rows[0])}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the means as a forest."""
    from socialstats.figures import forest

    return forest(result.rows, ax=ax, **{"sort": False, "reference": None, "xlabel": "mean rating", **options})


METRIC = Metric(
    name="mean_ratings", title="Mean ratings", design="ratings", function=mean_ratings, sentence=sentence, plot=plot,
    crosscheck="socialstats.crosscheck.mean_ratings:checks_of",
    estimand="The mean over units of a unit's mean rating.",
    assumptions=("units (or the named clusters) are independent draws from the units of interest",
                 "the levels are numbers whose differences mean the same everywhere"),
    references=("bellmccaffrey2002",), swap="none", values="numeric",
)  # fmt: skip
