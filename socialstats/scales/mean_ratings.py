"""Mean ratings: of all units, of the levels of each stratum, and of each rater."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from socialstats import sentences
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.cells import kish, mass, unequal
from socialstats.designs.parts import OK, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import (
    cluster_factors,
    cluster_facts,
    cluster_names,
    drawn_cautions,
    rare_answers,
    shape_cautions,
    share_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import DrawnRaters
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import share_ci, with_ends
from socialstats.inference.weights import (
    NAMED,
    WORKS,
    Weighing,
    effective_text,
    weight_cautions,
    weight_counts,
)
from socialstats.paired.unit_means import Inference, UnitSample, sample_mean_row
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.results.plots import forest_plot
from socialstats.results.rows import RowKey as RowParts
from socialstats.scales.measures import has_rating, unit_shares
from socialstats.shares.counts import ONE_PERSON, probabilities_text
from socialstats.shares.sources import People, Population, population, population_cautions
from socialstats.text import count

ALL, OF_RATER = "all units", "mean of a rater"
MOST_RATERS = 30  # more have no rows of their own


@reads(Ratings, weighted=True)
def mean_ratings(
    ratings: Ratings | TableLike,
    *,
    cluster: str | Sequence[str] | None = "declared",
    people: People = "auto",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
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
        Rows ``"all units"``, then each level of each declared stratum, then (of 2 to 30) each rater. Clusters have CR2
        standard errors and Satterthwaite's df (Bell & McCaffrey 2002). Where levels are declared, the interval is
        Wilson's between the lowest and the highest one (see Notes). So is that of values that are 0 or 1, of which both
        occur. Other means have a t interval. Units (or one cluster) and people who are a sample are crossed factors; a
        rater's own mean is of this rater. Where the design has `probabilities`, a reply counts with its expected value:
        the mean of the levels, weighted with their probabilities. With sampling weights of units (``weight=``) a unit
        counts with its weight. The error is linearised, as in R's survey, with Satterthwaite's df (clusters: CR2).

    Raises
    ------
    InputError
        For levels that are not numbers, units that stand for several alike ones, or unknown clusters.
    NothingToAnalyse
        Without a rating.

    Notes
    -----
    On a scale from a to b, let p be (mean - a) / (b - a), and V its CR2 variance, or that over units and people. The
    interval is Wilson's of p in p (1 - p) / V effective answers, with the quantile of t, and never leaves the scale.
    Where units are independent, raters fixed, and each unit has one of two levels, it is that of as many answers with
    the normal quantile.

    Nominal 95% t intervals of shares of .95 (100 units) and .99 (300 units) held .883 and .840 by enumeration, and
    these .966 and .967. Of five levels with shares .7, .2, .05, .03 and .02 and 15 to 40 units, t intervals held .88 to
    .92, and these .94 to .96. Of 8 to 60 clusters of five they held .93 to .98. Long tails are cautioned as for t
    intervals (SS312, SS317): of 8 to 40 lognormal values far from both ends, Wilson's intervals held .87 to .92.
    Caution SS212 is given where fewer than four (effective) answers are of the rarer kind.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> table = {"unit": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "value": [1, 3, 4, 4, 5, 4]}
    >>> result = mean_ratings(table, scale="interval")
    >>> round(result.row("all units").estimate, 2), round(result.row("b").estimate, 2)
    (3.5, 3.67)
    """
    checked_level(level)
    rated_units = has_rating(ratings)
    if not rated_units.any():
        raise NothingToAnalyse(f"{ratings.source}: no unit has a rating")
    if not ratings.numeric or ratings.scale == "nominal":
        raise InputError(
            f"{ratings.source}: a mean needs levels that are numbers; these are {ratings.scale} labels. The "
            "share of each label is a metric of its own, choice_shares"
        )
    if np.any(ratings.unit_count != 1):
        raise InputError(
            f"{ratings.source}: units that stand for several alike ones; give one row a rating"
        )
    expected = ratings.read_as() @ ratings.scores
    factors = cluster_factors(ratings, cluster)
    how = Inference(
        unit="unit",
        level=level,
        clusters=tuple(f.codes for f in factors),
        magnitude=float(np.abs(ratings.scores).max()),
    )
    ends, people_population, weights = (
        ratings.ends,
        population(ratings, people, factors),
        ratings.unit_weight,
    )
    weighing = (
        None if weights is None else Weighing.of_units(rated_units.astype(np.float64), weights)
    )
    # each rating is one of two levels; a unit with several has a mean between both
    single = len(ratings.levels) == 2 and ratings.repeats is None

    def mean_of(part: RatedUnits) -> Mean:
        unit = np.flatnonzero(part.members)
        drawn: tuple[DrawnRaters, ...] = ()
        if part.group != OF_RATER:  # a rater's own mean speaks of this rater alone
            people_drawn = people_population.drawn
            drawn = people_means(ratings, expected, part.members, people_drawn, how.clusters)
        weight = None if weights is None else unequal(weights[unit])
        column = part.values[unit][:, None]
        sample = UnitSample(values=column, unit=unit, how=how, drawn=drawn, weight=weight)
        facts: dict[str, Any] = {"key": part.key, "role": "estimate"}
        row = sample_mean_row(part.term, part.group, sample, test=False, **facts)
        if weight is not None and row.method:
            row = replace(row, method=f"{row.method}{NAMED}")
        return mean_with_interval(row, sample, ends, part.answers if single else math.inf)

    means = [mean_of(part) for part in rated_parts(ratings, expected)]
    rows = [mean.row for mean in means]
    by = cluster_names(factors)
    errors = f", errors clustered by {by} (CR2)" if by else ""
    kind, works = "t intervals", METRIC.references
    if ends is not None:
        kind, works = share_ci(rows), (*works, "wilson1927", "korngraubard1998")
    inference = f"{kind} over units{errors}{NAMED if weighing else ''}; {people_population.text()}"
    counts = {
        "ratings": ratings.n_rows,
        "units": int(rated_units.sum()),
        **weight_counts(weighing, "units"),
    }
    settings = {
        "cluster": [factor.name for factor in factors],
        "people": people_population.setting,
        "level": level,
    }
    cautions = (
        *rating_cautions(ratings, factors, means, people_population),
        *weight_cautions([weighing] if weighing else (), "unit", ratings),
    )
    references = (*works, *(WORKS if weighing else ()))
    extras = {"ends": ends, "people": people_population.names(ratings), "weighing": weighing}
    return Result(
        metric="mean_ratings",
        title="Mean rating" + probabilities_text(ratings),
        rows=tuple(rows),
        inference=inference,
        counts=counts,
        fit=cluster_facts(rows) if factors else {},
        settings=settings,
        cautions=cautions,
        references=references,
        design=ratings,
        extras=extras,
    )


class RatedUnits(NamedTuple):
    """Units whose mean rating is a row: values of all units, which of them count, and the ratings that these have."""

    term: str
    group: str
    key: RowParts
    values: FloatArray
    members: BoolArray
    answers: int


def rated_parts(design: Ratings, expected: FloatArray) -> Iterator[RatedUnits]:
    """Yield all units, those of each level of each stratum, and those of each rater; `expected` is of each rating."""
    rated_units, values = has_rating(design), unit_shares(design) @ design.scores
    rated = design.status == OK
    n_ratings = np.bincount(design.unit[rated], minlength=len(design.units))
    yield RatedUnits(ALL, "mean", (), values, rated_units, int(n_ratings.sum()))
    for name, factor in design.strata.items():
        for code, label in enumerate(factor.levels):
            members = rated_units & (factor.codes == code)
            n, key = int(n_ratings[members].sum()), (("stratum", name), ("level", label))
            yield RatedUnits(label, f"mean by {name}", key, values, members, n)
    # a row for each rater, unless there are too many to read
    for code, rater in enumerate(design.raters if 1 < len(design.raters) <= MOST_RATERS else ()):
        of_rater = (design.rater == code) & rated
        by_unit, members = np.zeros(len(design.units)), np.zeros(len(design.units), dtype=bool)
        by_unit[design.unit[of_rater]] = expected[of_rater]
        members[design.unit[of_rater]] = True
        n = int(members.sum())
        yield RatedUnits(rater, OF_RATER, (("rater", rater),), by_unit, members, n)


def people_means(
    design: Ratings,
    values: FloatArray,
    members: BoolArray,
    drawn: BoolArray,
    clusters: Sequence[IntArray],
) -> tuple[DrawnRaters, ...]:
    """Return what people who are a sample add to the mean over some units of a unit's mean rating.

    Parameters
    ----------
    design : Ratings
    values : (ratings,) float64 array
        Number of each rating.
    members : (units,) bool array
        The units of the mean.
    drawn : (raters,) bool array
        People who are a sample.
    clusters : none or one (units,) int64 array
    """
    rated = (design.status == OK) & members[design.unit]
    rows = np.flatnonzero(rated & drawn[design.rater])
    if not len(rows):
        return ()
    n = np.bincount(design.unit[rated], minlength=len(design.units))
    unit = design.unit[rows]
    # a rating weighs the share of its unit over the unit's ratings; fixed raters have part in the mean too
    total = None if len(rows) == rated.sum() else 1.0
    share = mass(members.astype(np.float64), design.unit_weight) / members.sum()
    return (
        DrawnRaters.of_means(
            values[rows, None],
            share[unit] / n[unit],
            clusters[0][unit] if clusters else unit,
            design.rater[rows],
            total=total,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A row of a mean, and what its cautions need.

    Attributes
    ----------
    row : Row
    mean : ClusteredMean or None
        None without a unit, or where a single person is no sample.
    drawn : bool
        People are a sample.
    yes_no : bool
        Each unit has one of the two ends.
    at_ends : bool
        Half of the units or more have one of the ends, so that values have no long tail.
    """

    row: Row
    mean: ClusteredMean | None
    drawn: bool = False
    yes_no: bool = False
    at_ends: bool = False

    @property
    def bounded(self) -> bool:
        """Whether the interval is Wilson's."""
        return self.row.interval == "score"


def mean_with_interval(
    row: Row, sample: UnitSample, ends: tuple[float, float] | None, answers: float
) -> Mean:
    """Return a row of a mean with its t interval or, between two ends, with Wilson's.

    Parameters
    ----------
    row : Row
        With its t interval.
    sample : UnitSample
    ends : pair of float, or None
    answers : float
        Yes-or-no answers behind the values: most that an interval may count; infinite for more levels than two.
    """
    if not len(sample.unit):
        return Mean(row=row, mean=None)
    # one person shows no variance between people
    if any(group.raters < 2 for group in sample.drawn):
        undefined = with_ends(row, None, None, sample.how.level, why=ONE_PERSON)
        return Mean(
            row=replace(undefined, std_error=None, df=None, reason="unidentified"), mean=None
        )
    mean, drawn = sample.mean(), bool(sample.drawn)
    row = replace(row, df=None if mean.undefined else mean.df)
    if ends is None:
        return Mean(row=row, mean=mean, drawn=drawn)
    values, codes = sample.parts()
    p = (values - ends[0]) / (ends[1] - ends[0])  # share of the scale below a value
    extreme = np.isin(values, ends)
    yes_no = bool(extreme.all()) and math.isfinite(answers)
    n, ones, sampled = float(len(p)), np.ones(len(p)), sample.weight is not None
    people = [replace(group, scores=group.scores / (ends[1] - ends[0])) for group in sample.drawn]
    # an interval counts no more than the answers there are, fewer where units weigh unequally (Kish 1965)
    trials = (n if yes_no else answers) * kish(ones, sample.weight) / n
    share = clustered_share(
        p,
        mass(ones, sample.weight),
        codes,
        trials=trials,
        alike=ones,
        level=sample.how.level,
        drawn=people,
        sampled=sampled,
    )
    # without an error Wilson's interval is of values at both ends only, whose variance is p (1 - p)
    if share.low is None or share.high is None or (share.std_error is None and not extreme.all()):
        return Mean(row=row, mean=mean, drawn=drawn)
    low, high, effective = share.low, share.high, share.trials
    # units that are independent yes-or-no answers: Wilson's interval as it is, with the normal quantile
    if yes_no and not codes and not drawn and not sampled:
        below, above = wilson(np.array([share.estimate]), np.array([n]), level=sample.how.level)
        low, high, effective = float(below[0]), float(above[0]), None
    low, high = (ends[0] + end * (ends[1] - ends[0]) for end in (low, high))
    error = ", CR2 error" if codes else ""
    if drawn or len(codes) > 1:
        error = ", two-way error"
    row = replace(row, undefined=None, reason=None, method=f"Wilson{error}{NAMED * sampled}")
    row = with_ends(
        row,
        low,
        high,
        sample.how.level,
        within=ends,
        interval="score",
        effective=effective,
        df=None if effective is None else share.df,
    )
    return Mean(
        row=row, mean=mean, drawn=drawn, yes_no=yes_no, at_ends=bool(2 * extreme.sum() >= n)
    )


def rating_cautions(
    design: Ratings, factors: Sequence[Factor], means: Sequence[Mean], whose: Population
) -> tuple[Caution, ...]:
    """Return cautions of clusters, of rare answers, of shape, and of people (SS201 to SS215, SS312, SS317)."""
    rows = [mean.row for mean in means]
    shown = share_cautions(design, factors, rows)
    # values near an end have no long tail, so that their cautions have limits of their own
    for bounded, at_ends in ((False, False), (True, False), (True, True)):
        alike = [
            mean
            for mean in means
            if mean.mean and not mean.yes_no and (mean.bounded, mean.at_ends) == (bounded, at_ends)
        ]
        shown += shape_cautions(
            [mean.mean for mean in alike if mean.mean],
            names=[mean.row.name for mean in alike],
            what="units",
            interval="score" if bounded else "t",
            bounded=at_ends,
        )
    people = [mean.row for mean in means if mean.drawn]
    return (
        *shown,
        *rare_answers(rows),
        *drawn_cautions(people, whose.n),
        *population_cautions(whose),
    )


def sentence(result: Result) -> str:
    """State the mean of all units."""
    weighing = result.extras.get("weighing")
    units = (
        f" over {count(weighing.units, 'unit')} ({effective_text(weighing)})" if weighing else ""
    )
    return f"The mean rating{units} was {sentences.estimate_text(result.rows[0])}."


def sample_ratings(result: Result) -> Iterator[PlainSample]:
    """Yield the ratings that each row speaks of: those of all units, of a stratum, or of a rater."""
    design: Ratings = result.design
    rated = np.flatnonzero(design.status == OK)
    unit, rater = design.unit[rated], design.rater[rated]
    raters = np.array(design.raters, dtype=object)[rater]
    is_person = np.isin(raters, list(result.extras["people"]))
    for row in result.rows:
        inside = np.ones(len(rated), dtype=bool)
        of_rater, stratum = row.label("rater"), row.label("stratum")
        if of_rater is not None:
            inside = raters == of_rater
        elif stratum is not None:
            inside = design.strata[stratum].labels()[unit] == row.label("level")
        # a rater's own mean speaks of this rater alone
        drawn = is_person & (of_rater is None)
        key = (row.group, row.term)
        if inside.any():
            people = np.where(drawn, rater, -1)[inside]
            yield mean_sample(result, key, rated[inside], people)


def mean_sample(result: Result, key: RowKey, ratings: IntArray, people: IntArray) -> PlainSample:
    """Return the sample of a mean over units of their mean rating: units, or ratings where people are a sample."""
    design: Ratings = result.design
    score = (design.read_as() @ design.scores)[ratings]
    # place of the unit of each rating among the units
    units, place = np.unique(design.unit[ratings], return_inverse=True)
    weight = np.ones(len(units)) if design.unit_weight is None else design.unit_weight[units]
    size = np.bincount(place)
    by_unit = np.bincount(place, score) / size
    factors = [f.take(units) for f in design.factors(result.settings["cluster"] or None)]
    at_ends = bool(np.isin(by_unit, result.extras["ends"] or ()).all())
    answers = math.inf
    if len(design.levels) == 2 and design.repeats is None:
        answers = float(len(units) if at_ends else len(ratings))
    effective = float(weight.sum() ** 2 / (weight @ weight)) / len(units)
    count, value, of_people = weight, by_unit, None
    single_units = not factors and bool((people >= 0).any())
    if (people >= 0).any():
        of_people = Factor(name="person", codes=people, levels=design.raters)
        factors = factors or [Factor(name="unit", codes=np.arange(len(units)), levels=())]
        factors = [replace(factor, codes=factor.codes[place]) for factor in factors]
        # a rating weighs the share of its unit over the unit's ratings
        count, value = (weight / size)[place], score

    def mean(times: FloatArray) -> dict[RowKey, float]:
        return {key: float((times * count) @ value / (times @ count))}

    return PlainSample(
        count=np.ones(len(count)),
        plain=mean,
        factors=tuple(factors),
        people=of_people,
        independent_units=single_units,
        alike=np.column_stack([count, value]),
        counted={key: count},
        answers={key: answers * effective},
        unbiased=True,
    )


METRIC = Metric(
    name="mean_ratings",
    title="Mean ratings",
    design="ratings",
    function=mean_ratings,
    sentence=sentence,
    plot=forest_plot(xlabel="mean rating", reference=None),
    definition=Definition(samples=sample_ratings),
    estimand="The mean over units of a unit's mean rating.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "the levels are numbers whose differences mean the same everywhere",
    ),
    references=("bellmccaffrey2002",),
    swap="none",
    values="numeric",
    raters="pooled",
)
