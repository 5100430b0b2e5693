"""Models compared by one number: differences on the same units, ranks, and factors of models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit
from socialstats.designs.nouns import noun_or
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.designs.tables import groupings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import ClusteredMean, cluster_sums, clustered_mean
from socialstats.inference.compare import HOLM, with_holm, with_welch
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.inference.influence import influence_df
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import (
    Drawn,
    MeanErrors,
    Sample,
    gap_errors,
    mean_errors,
    numbered,
    with_drawn,
)
from socialstats.inference.rows import with_ends, with_t
from socialstats.matching import joint_codes, match_keys
from socialstats.models.bradley_terry.covariance import holm_rank_sets
from socialstats.models.divergence import jensen_shannon
from socialstats.models.effect_sizes import pair_values
from socialstats.models.measures import (
    ALPHA,
    Measure,
    RatingParts,
    alpha_measure,
    distance_measure,
    mean_rating_measure,
)
from socialstats.models.sensitivity import condition_table, labels_of_pairs, sensitivity_terms
from socialstats.models.shares import ONE_PERSON, SourceCounts, source_counts, source_factor
from socialstats.models.size_differences import MeanSizes, SizeDifference
from socialstats.models.sources import human_source, models_of, people_of
from socialstats.models.traits import answers_and_clusters, composites
from socialstats.models.unit_means import mostly_complete
from socialstats.resampling import Units
from socialstats.results import Result, ResultGroup, Row, results_by_model
from socialstats.results.rows import Reason, distinct_cautions, negated, rows_with, share_decimals
from socialstats.rounding import AGAIN
from socialstats.sentences import (
    difference,
    direction,
    estimate,
    kind_of,
    significant,
    some_of,
    span,
)
from socialstats.tables import as_table
from socialstats.text import (
    capital,
    count,
    level_text,
    listing,
    number,
    plural_of,
    quoted,
    shorten,
    shortened,
)
from socialstats.voice import option

SIZE, PLAIN_SIZE = "B_all corrected", "B_all"
UNCORRECTED = {"sensitivity": ("S_corrected", "S"), "relationship_bias": (SIZE, PLAIN_SIZE)}
NUMBER, DIFFERENCE, RANK = "number", "difference", "rank"
LARGEST_S = 225.0
BLOCK = 2_000_000  # numbers of sums without a unit that are held at once
APART = "no unit has answers of both"
ONE = "a single cluster holds all units of both: no standard error, no test"
MOVED = "a unit of both lies in different clusters: give different units different names"
NO_SIZES = "a bias B has no standard error on the units of both: no interval and no test of sizes"
SIZES = "inverted tests of both sizes, combined"
CHANGED = "leaving out one unit makes the number undefined: no standard error, no test"
Way = Literal[
    "units", "part", "apart", "clusters"
]  # all units shared; some; neither units nor clusters; clusters only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """The differences of the pairs of one level, as cells: for levels that share no unit.

    Attributes
    ----------
    mean : ClusteredMean
    difference, count : (cells,) float64 arrays
    magnitude : float
        Largest size of a value.
    factors : tuple of Factor
        Clusters of the metric, over the cells.
    """

    mean: ClusteredMean
    difference: FloatArray
    count: FloatArray
    magnitude: float
    factors: tuple[Factor, ...]

    def sample(self, codes: Sequence[IntArray]) -> Sample:
        """Return the cells with codes of their clusters that are those of another level too."""
        shares = self.count / self.mean.n
        return Sample(
            scores=(self.difference - self.mean.mean) * shares,
            shares=shares,
            codes=codes,
            variance=self.mean.std_error**2,
            size=self.magnitude,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Number:
    """The number of one model.

    Attributes
    ----------
    row : Row
        As its metric has it, with its own interval.
    units : tuple of str
        Labels of what is independent (or lies in clusters): by these models are matched.
    clusters : tuple of tuple of str
        For each declared factor the cluster of every unit.
    sums : (units, k) array, dense or sparse
    finish : callable
        (B, k) sums -> (B,) numbers.
    value : float
        The number before it is cut at what is possible.
    linear : bool
        A mean of values of units.
    bias : float
        What sampling error adds to what `finish` makes.
    folded : bool
        A mean of sizes of which some may be those of values near 0, or of either sign.
    sizes : callable or None
        Of a mean of sizes: (units,) places -> the values with what each of these units adds, or None.
    refused : int
        Units without a number because the model refused.
    size : float
        Largest size of the numbers that it is made from, in their unit.
    pairs : Pairs or None
        Of a paired table, whose levels need not share units. Without names of its units `units` is empty.
    ratings : RatingParts or None
        Of people who are a sample: what their ratings of each unit add to the sums.
    """

    row: Row
    units: tuple[str, ...]
    clusters: tuple[tuple[str, ...], ...]
    sums: Any
    finish: Callable[[FloatArray], FloatArray]
    value: float
    linear: bool = False
    bias: float = 0.0
    folded: bool = False
    sizes: Callable[[IntArray], MeanSizes | None] | None = None
    refused: int = 0
    size: float = 1.0
    pairs: Pairs | None = None
    ratings: RatingParts | None = None

    def rating_moves(self, at: IntArray) -> tuple[RatingParts, FloatArray]:
        """Return the ratings of people who are a sample in some units, and what each adds to the number."""
        assert self.ratings is not None
        own, total = self.ratings.at(at), np.asarray(self.sums[at].sum(axis=0)).ravel()
        step = max(1, BLOCK // max(len(total), 1))
        left = [self.finish(total - own.sums[k : k + step]) for k in range(0, len(own.unit), step)]
        apart = float(self.finish(total[None])[0]) - np.concatenate([np.zeros(0), *left])
        return own, (apart - apart.mean()) * (1 - 1 / len(apart)) if len(apart) else apart

    def moves(self, at: IntArray) -> tuple[float, FloatArray]:
        """Return the number of some units less its bias, and what each adds: (1 - 1/n) (number - that without it)."""
        sums, n = self.sums[at], len(at)
        dense: FloatArray = np.asarray(
            sums if isinstance(sums, np.ndarray) else sums.toarray(), dtype=np.float64
        )
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # beyond the range of floats: NaN, no test
            total = dense.sum(axis=0)
            step = max(1, BLOCK // max(len(total), 1))
            left = np.concatenate(
                [self.finish(total - dense[k : k + step]) for k in range(0, n, step)]
            )
            value = float(self.finish(total[None])[0])
            apart = value - left
            return value - self.bias, (apart - apart.mean()) * (1 - 1 / n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How the numbers of a metric are compared.

    Attributes
    ----------
    said : str
        The number in words.
    numbers : callable
        (Result, label of the model, row) -> Number for each model of the result.
    reach : float
        The largest difference that is possible.
    best : {"highest", "lowest"}
        What has rank 1.
    others : callable
        Result -> further numbers that can be asked for: name -> (in words, what has rank 1).
    bounded : bool
        Written without a leading zero.
    about : callable
        Result -> words in brackets after the number.
    ranked : bool
        Signed differences of levels have no ranks; their own tests are a family.
    """

    said: str
    numbers: Callable[[Result, str, str | None], list[Number]]
    reach: float = np.inf
    best: str = "highest"
    bounded: bool = False
    others: Callable[[Result], Mapping[str, tuple[str, str]]] = lambda result: {}
    about: Callable[[Result], str] | None = None
    ranked: bool = True

    def of(self, wanted: str | None, results: Mapping[str, Result]) -> Kind:
        """Return how the number that is asked for is compared.

        Raises
        ------
        InputError
            If a result does not have it.
        """
        if wanted is None:
            about = self.about and self.about(next(iter(results.values())))
            return replace(self, said=f"{self.said} ({about})") if about else self
        for model, result in results.items():
            if wanted not in (known := self.others(result)):
                where = f" of '{shorten(model, 40)}'" if model else ""
                has = (
                    f"it has {quoted(list(known), 20)}, and {self.said}"
                    if known
                    else f"it has {self.said} alone"
                )
                raise InputError(
                    f"{option('number', shorten(str(wanted), 40))} is not a number for comparing models "
                    f"by {result.metric}(){where}; {has} ({option('number', None)})"
                )
        said, best = self.others(next(iter(results.values())))[wanted]
        return replace(self, said=said, best=best)


def only(
    column: int, finish: Callable[[FloatArray], FloatArray]
) -> Callable[[FloatArray], FloatArray]:
    """Return one column of what `finish` makes."""
    return lambda sums: np.asarray(finish(sums)[:, column])


def ratio(sums: FloatArray) -> FloatArray:
    """(B, 2) sums of values and of units -> (B,) means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def labels_of(
    design: Any, cluster: Any, rows: IntArray | None = None
) -> tuple[tuple[str, ...], ...]:
    """Return the label of each row (unit) in the declared clusters that a metric used."""
    found = []
    for factor in cluster_factors(design, cluster):
        codes = factor.codes if rows is None else factor.codes[rows]
        found.append(tuple(np.array(factor.levels, dtype=object)[codes].tolist()))
    return tuple(found)


def of_sensitivity(result: Result, model: str, wanted: str | None) -> list[Number]:
    """S, corrected for sampling error or plug-in, by pair of items (or by the clusters that the metric took)."""
    design, settings = result.design, result.settings
    corrected = result.row("S_corrected")
    at = 0 if wanted == "S" else 1
    table = condition_table(design, settings["covariate"], settings["weights"]).statistics
    factors = cluster_factors(design, settings["cluster"])
    if not factors:
        raise InputError(
            "compare_models() matches models by pair of items or by cluster, and these numbers have "
            f"neither: take sensitivity() with {option('cluster', 'pair')}"
        )
    names = [" | ".join(pair) for pair in labels_of_pairs(design)]
    labels = [
        np.array(names if factor.name == design.pair.name else factor.levels, dtype=object)[
            factor.codes
        ].tolist()
        for factor in factors
    ]
    both = list(zip(*labels, strict=True))
    place = {label: k for k, label in enumerate(dict.fromkeys(both))}
    sums = Units.clusters(np.array([place[label] for label in both], dtype=np.int64)).total(table)
    row = (result.row("S"), corrected)[at]
    return [
        Number(
            row=replace(row, term=model),
            units=tuple(" & ".join(label) for label in place),
            clusters=tuple(zip(*place, strict=True)) if len(labels) > 1 else (),
            sums=sums.tocsr(),
            finish=only(
                at,
                lambda total: sensitivity_terms(
                    np.ascontiguousarray(total), len(design.items), drawn=design.replies is None
                ),
            ),
            value=float(row.estimate) if row.estimate is not None else np.nan,
            size=LARGEST_S,
        )
    ]


def of_bias(result: Result, model: str, wanted: str | None) -> list[Number]:
    """B_all, the mean size of the biases, or the bias B of two groups, by scenario and pair of names."""
    found, name = result.extras["analysis"], wanted or SIZE
    size = name in UNCORRECTED["relationship_bias"]
    row = result.row(name, group="overall" if size else "bias")
    each, weight = found.every_bias()
    if not size:
        term = next(k for k, pair in enumerate(found.pairs) if found.bias_row(pair).term == name)
        each, weight = found.bias(found.pairs[term]), np.ones(1)
    means, answers = found.means, found.answers
    k = len(means.cells)
    used = (
        (np.abs(each).sum(axis=0) > 0)[means.cell]
        if len(each)
        else np.zeros(len(means.cell), dtype=bool)
    )
    there, place = np.unique(answers.unit[used], return_inverse=True)
    sums = np.zeros((len(there), 2 * k))
    np.add.at(sums, (place, means.cell[used]), (means.weight * answers.score)[used])
    np.add.at(sums, (place, k + means.cell[used]), means.weight[used])

    def finish(total: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            own = np.nan_to_num(total[:, :k] / total[:, k:]) @ each.T
        lost = ((total[:, k:] <= 0) & (np.abs(each).sum(axis=0) > 0)).any(axis=1)
        return np.where(lost, np.nan, (np.abs(own) if size else own) @ weight)

    design, value = result.design, float(row.estimate) if row.estimate is not None else np.nan
    known, how = result.extras["estimates"], result.settings
    return [
        Number(
            row=replace(row, term=model),
            units=tuple(design.units[u] for u in there.tolist()),
            sums=sums,
            finish=finish,
            clusters=labels_of(design, result.settings["cluster"], there),
            linear=not size,
            value=value,
            bias=found.size - value if name == SIZE else 0.0,
            folded=size and not isinstance(known, str) and not known.signs_reliable(how["level"]),
            sizes=(lambda at: found.sizes(there[at], how["aggregate"], how["seed"]))
            if size
            else None,
        )
    ]


def biases_of(result: Result) -> dict[str, tuple[str, str]]:
    """Return B_all, and the bias of each two groups of names: rank 1 has the highest, which favours the first most."""
    return {
        SIZE: ("bias-corrected B_all", "lowest"),
        PLAIN_SIZE: ("uncorrected B_all", "lowest"),
    } | {row.term: (f"bias B, {row.term}", "highest") for row in result.rows if row.group == "bias"}


def drawn_people(design: Ratings, settings: Mapping[str, Any]) -> BoolArray:
    """Return the raters whom a result takes as a sample."""
    people = people_of(design)
    return people if settings.get("people") == "random" else np.zeros_like(people)


def of_measure(measure: Measure, row: Row, model: str, design: Ratings, cluster: Any) -> Number:
    """A measure of ratings, by unit."""
    at = np.flatnonzero(measure.defined)
    return Number(
        row=replace(row, term=model),
        units=tuple(design.units[k] for k in at.tolist()),
        clusters=labels_of(design, cluster, at),
        sums=measure.statistics[at],
        finish=only(0, measure.finish),
        value=float(row.estimate) if row.estimate is not None else np.nan,
        linear=measure.name != ALPHA,
        size=measure.size,
        ratings=None if measure.ratings is None else measure.ratings.at(at),
    )


def of_distance(result: Result, model: str, wanted: str | None) -> list[Number]:
    """ADA-Met of each model of the result, by unit; people's answers are the same for all."""
    design, settings = result.design, result.settings
    if (settings.get("ties"), settings.get("refusal")) != ("mean", "max"):
        raise InputError(
            f"compare_models() takes ada_met() with {option('ties', 'mean')} and "
            f"{option('refusal', 'max')}"
        )
    found = []
    for row in rows_with(result.rows, "model"):
        measure = distance_measure(design, design.of_raters([row.term]))
        if measure is not None:
            judged = design.of_raters([row.term])
            found.append(of_measure(measure, row, row.term, judged, settings["cluster"]))
    return found


def of_ratings(result: Result, model: str, wanted: str | None) -> list[Number]:
    """Krippendorff's alpha, or the mean rating over units."""
    design = result.design
    alone = human_source(design) is None
    scaled = replace(design, scale=result.settings.get("scale") or design.scale)
    if not alone:
        return []
    drawn = drawn_people(design, result.settings)
    measure = (
        alpha_measure(scaled)
        if result.metric == "krippendorff_alpha"
        else mean_rating_measure(scaled, drawn)
    )
    if measure is None:
        return []
    return [
        of_measure(
            measure, result.rows[0], model, design, result.settings.get("cluster", "declared")
        )
    ]


def of_similarity(result: Result, model: str, wanted: str | None) -> list[Number]:
    """Jensen-Shannon similarity of each source to the reference, by unit: what sums are made of is not corrected."""
    design, settings = result.design, result.settings
    if settings["aggregate"] != "pooled":
        raise InputError(
            f"compare_models() takes js_similarity() with {option('aggregate', 'pooled')}"
        )
    data = source_counts(
        design, settings["source"], settings["refusal"], drawn=drawn_people(design, settings)
    )
    first = data.index(settings["reference"], "reference")
    levels, people, factor = (
        len(data.levels),
        data.counts[:, first],
        source_factor(design, settings["source"], False),
    )
    found = []
    for k, name in enumerate(data.sources):
        own = data.counts[:, k]
        at = np.flatnonzero((own.sum(axis=1) > 0) & (people.sum(axis=1) > 0))
        row = next(
            (r for r in result.rows if r.group is None and r.role == "estimate" and r.term == name),
            None,
        )
        if k == first or row is None:
            continue
        mine = factor.codes[design.rater] == factor.levels.index(name)
        found.append(
            Number(
                row=row,
                units=tuple(design.units[u] for u in at.tolist()),
                clusters=labels_of(design, settings["cluster"], at),
                refused=len(np.setdiff1d(design.unit[mine & (design.status == REFUSAL)], at)),
                sums=np.concatenate([people[at], own[at]], axis=1) * data.copies[at, None],
                finish=lambda total: 1 - jensen_shannon(total[:, :levels], total[:, levels:]),
                value=float(result.extras["uncut"].get(name, np.nan)),
                ratings=similar_ratings(design, data, (first, k), at),
            )
        )
    return found


def similar_ratings(
    design: Ratings, data: SourceCounts, sides: tuple[int, int], at: IntArray
) -> RatingParts | None:
    """Return the ratings of people who are a sample, of the reference or of a source, in some units."""
    found = []
    for side, k in enumerate(sides):
        own = data.people[k] if data.people else None
        if own is not None:
            counts = own.counts * data.copies[own.unit, None]
            sums = np.concatenate([counts, np.zeros_like(counts)][:: 1 - 2 * side], axis=1)
            found.append((own.unit, [design.raters[r] for r in own.rater.tolist()], sums))
    if not found:
        return None
    unit, rater, sums = zip(*found, strict=True)
    every = RatingParts(
        unit=np.concatenate(unit),
        rater=tuple(label for labels in rater for label in labels),
        sums=np.concatenate(sums),
    )
    return every.at(at)


def of_profile(result: Result, model: str, wanted: str | None) -> list[Number]:
    """The composite of each model over all stages, by scenario."""
    answers, clusters = answers_and_clusters(
        result.design, result.settings, judges=result.settings["judges"]
    )
    if result.settings["unit_of_analysis"] != "scenario":
        raise InputError(
            f"compare_models() takes trait_profile() with {option('unit_of_analysis', 'scenario')}"
        )
    given = composites(answers.scores, result.settings["weights"], result.settings["centre"]).mean(
        axis=1
    )
    cells = answers.cells(given)  # (models, scenarios, stages)
    found = []
    zero = result.settings["zero"]
    taken_off = (
        float(np.mean([zero[judge] for judge in answers.judges]))
        if isinstance(zero, Mapping)
        else zero or 0.0
    )
    against = {} if zero is None else {"against": "zero"}
    for row in rows_with(result.rows, "model", measure="composite", **against):
        own = cells[answers.models.index(row.label("model") or "")]
        course = own[:, np.isfinite(own).any(axis=0)].mean(axis=1) - taken_off
        at = np.flatnonzero(np.isfinite(course))
        names = tuple(answers.scenarios[k] for k in at.tolist())
        found.append(
            Number(
                row=replace(row, term=row.label("model") or row.term),
                units=names,
                clusters=tuple(
                    tuple(factor.levels[code] for code in codes[at].tolist())
                    for factor, codes in zip(clusters.factors, clusters.codes, strict=True)
                ),
                sums=np.column_stack([course[at], np.ones(len(at))]),
                finish=ratio,
                linear=True,
                size=float(np.abs(given).max()) + abs(taken_off),
                value=float(row.estimate) if row.estimate is not None else np.nan,
            )
        )
    return found


def of_pairs(result: Result, model: str, wanted: str | None) -> list[Number]:
    """The mean difference of the pairs, or the difference of shares, by unit where units have names."""
    design, cluster = result.design, result.settings["cluster"]
    difference = pair_values(design).difference if design.scale == "numeric" else design.difference
    magnitude = float(max(np.abs(design.first).max(), np.abs(design.second).max()))
    factors = cluster_factors(design, cluster)
    mean = clustered_mean(
        difference, design.count, [factor.codes for factor in factors], magnitude=magnitude
    )
    at = np.zeros(0, dtype=np.int64) if design.units is None else design.units.cell
    row = result.rows[0]
    return [
        Number(
            row=replace(row, term=model),
            units=() if design.units is None else tuple(design.units.names()),
            clusters=labels_of(design, cluster, at),
            sums=np.column_stack([difference[at], np.ones(len(at))]),
            finish=ratio,
            value=float(row.estimate) if row.estimate is not None else np.nan,
            linear=True,
            size=magnitude,
            pairs=Pairs(
                mean=mean,
                difference=difference,
                count=design.count,
                magnitude=magnitude,
                factors=factors,
            ),
        )
    ]


def direction_of(result: Result) -> str:
    """Name the conditions of pairs in the order of their difference; of two levels also the one that is counted."""
    design = result.design
    order = " minus ".join(shorten(name, 30) for name in design.conditions)
    return f"'{shorten(design.levels[1], 30)}', {order}" if design.scale == "binary" else order


SENSITIVITIES = {
    "S": ("plug-in sensitivity S", "lowest"),
    "S_corrected": ("corrected sensitivity S", "lowest"),
}
KINDS: dict[str, Kind] = {
    "sensitivity": Kind(
        said="corrected sensitivity S",
        numbers=of_sensitivity,
        reach=LARGEST_S,
        best="lowest",
        others=lambda result: dict(SENSITIVITIES),
    ),
    "relationship_bias": Kind(
        said="bias-corrected B_all", numbers=of_bias, reach=4.0, best="lowest", others=biases_of
    ),
    "js_similarity": Kind(
        said="Jensen-Shannon similarity", numbers=of_similarity, reach=1.0, bounded=True
    ),
    "ada_met": Kind(said="distance from people (ADA-Met)", numbers=of_distance, best="lowest"),
    "trait_profile": Kind(said="composite", numbers=of_profile),
    "krippendorff_alpha": Kind(
        said="Krippendorff's alpha", numbers=of_ratings, reach=2.0, bounded=True
    ),
    "mean_ratings": Kind(said="mean rating", numbers=of_ratings),
    "paired_difference": Kind(
        said="mean difference", numbers=of_pairs, about=direction_of, ranked=False
    ),
    "mcnemar": Kind(
        said="difference in shares", numbers=of_pairs, reach=2.0, about=direction_of, ranked=False
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """Two models on the units of both.

    Attributes
    ----------
    estimate : float
    moves : (units,) float64 array
        What each unit adds to the difference.
    codes : list of (units,) int64 arrays
        Clusters.
    size : float
        As of `Number`.
    drawn : tuple of Drawn
        What people who are a sample add.
    whole : bool
        Whether both have these units alone.
    why : str
        Why there is no test.
    folded : bool
        As of `Number`, of one of both.
    sizes : SizeDifference or None
        Of `folded`.
    """

    estimate: float
    moves: FloatArray
    codes: list[IntArray]
    drawn: tuple[Drawn, ...] = ()
    size: float = 1.0
    whole: bool = True
    why: str = ""
    folded: bool = False
    sizes: SizeDifference | None = None

    @property
    def unit(self) -> float:
        """The unit of the moves; see `size_unit`."""
        return size_unit(self.moves)

    def errors(self, *, linear: bool = True) -> MeanErrors:
        """Return the error of the difference, by what units (clusters) and people who are a sample add to it.

        It is in the unit of the moves. For numbers that are not means, the degrees of freedom over units are at most
        those of `influence_df`.
        """
        n, unit = len(self.moves), self.unit
        moves, shares = (self.moves / unit)[:, None], np.full((n, 1), 1 / max(n, 1))
        found = mean_errors(moves, shares, self.codes, size=AGAIN * n * self.size / unit)
        if not linear and len(self.codes) < 2:
            code = self.codes[0] if self.codes else np.arange(n)
            sums = cluster_sums(np.unique(code, return_inverse=True)[1], self.moves / unit)
            found = replace(
                found, df=np.minimum(found.df, influence_df(sums[:, None], np.ones(len(sums))))
            )
        return with_drawn(
            found, tuple(replace(one, scores=one.scores / unit) for one in self.drawn)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """All models, matched by the labels of their units."""

    numbers: tuple[Number, ...]
    whole: dict[int, tuple[float, FloatArray]] = field(default_factory=dict)
    every_size: dict[int, MeanSizes | None] = field(default_factory=dict)

    @cached_property
    def codes(self) -> list[list[IntArray]]:
        """Clusters of the units of each model, by codes that are the same for all models."""
        depth = max(len(one.clusters) for one in self.numbers)
        labels = [
            [*one.clusters, *[one.units] * (depth - len(one.clusters))] for one in self.numbers
        ]
        joint = [joint_codes(*(own[k] for own in labels)) for k in range(depth)]
        return [[codes[j] for codes in joint] for j in range(len(self.numbers))]

    def moves(self, k: int) -> tuple[float, FloatArray]:
        """What each unit of a model adds to its number, computed once."""
        if k not in self.whole:
            self.whole[k] = self.numbers[k].moves(np.arange(len(self.numbers[k].units)))
        return self.whole[k]

    def contest(self, j: int, k: int) -> Contest | None:
        """The difference of two models on the units of both; of all units of both, that of their own numbers."""
        one, two = self.numbers[j], self.numbers[k]
        size = max(one.size, two.size)
        if one.units and one.units == two.units:
            every = np.arange(len(one.units))
            return Contest(
                estimate=one.value - two.value,
                moves=self.moves(j)[1] - self.moves(k)[1],
                codes=self.codes[j],
                drawn=self.drawn((j, k), (every, every)),
                size=size,
                why=self.moved(j, k),
                **self.sizes(j, k, (every, every)),
            )
        match = match_keys(one.units, two.units)
        if not match.keys:
            return None
        at, same = match.places, match.complete
        (a, first), (b, second) = (n.moves(i) for n, i in zip((one, two), at, strict=True))
        return Contest(
            estimate=one.value - two.value if same else a - b,
            moves=first - second,
            size=size,
            whole=same,
            drawn=self.drawn((j, k), at),
            codes=[code[at[0]] for code in self.codes[j]],
            why=self.moved(j, k, *at),
            **self.sizes(j, k, at),
        )

    def sizes(self, j: int, k: int, at: Sequence[IntArray]) -> dict[str, Any]:
        """Return whether a size of two models folds, and then their difference in some units."""
        one, two = self.numbers[j], self.numbers[k]
        if not (one.folded or two.folded) or one.sizes is None or two.sizes is None:
            return {"folded": one.folded or two.folded}
        first, second = (self.sizes_of(m, places) for m, places in zip((j, k), at, strict=True))
        if first is None or second is None:
            return {"folded": True}
        codes = [code[at[0]] for code in self.codes[j]]
        return {"folded": True, "sizes": SizeDifference.from_sizes(first, second, codes)}

    def sizes_of(self, k: int, at: IntArray) -> MeanSizes | None:
        """Return the values whose sizes a number averages, in some units; of all its units computed once."""
        sizes = self.numbers[k].sizes
        assert sizes is not None
        if len(at) < len(self.numbers[k].units):
            return sizes(at)
        if k not in self.every_size:
            self.every_size[k] = sizes(np.arange(len(at)))
        return self.every_size[k]

    def drawn(self, which: Sequence[int], at: Sequence[IntArray]) -> tuple[Drawn, ...]:
        """Return what people who are a sample add to one number, or to a number less another, in some units.

        People are matched by their labels. Units are the same in both, by their places in `at`.
        """
        scores, shares, cluster, rater, side = [], [], [], list[str](), []
        codes = self.codes[which[0]]
        code = codes[0][at[0]] if codes else np.arange(len(at[0]))
        for k, (m, units) in enumerate(zip(which, at, strict=True)):
            if self.numbers[m].ratings is None:
                continue
            own, moves = self.numbers[m].rating_moves(units)
            if not len(moves):
                continue
            scores.append(moves * (1 - 2 * k))
            shares.append(np.full(len(moves), 1 / len(moves)))
            cluster.append(code[own.unit])
            rater += own.rater
            side.append(np.full(len(moves), k == 1))
        if not scores:
            return ()
        second = np.concatenate(side)
        both = bool(second.any() and not second.all())
        return (
            Drawn(
                scores=np.concatenate(scores)[:, None],
                shares=np.concatenate(shares)[:, None],
                cluster=numbered(np.concatenate(cluster))[0],
                rater=numbered(np.unique(np.array(rater, dtype=object), return_inverse=True)[1])[0],
                second=second if both else None,
            ),
        )

    def moved(self, j: int, k: int, *at: IntArray) -> str:
        """State that a unit of two levels of pairs lies in different clusters, or return empty text."""
        if self.numbers[j].pairs is None:
            return ""
        one, two = at or (slice(None), slice(None))
        same = all(
            np.array_equal(a[one], b[two])
            for a, b in zip(self.codes[j], self.codes[k], strict=True)
        )
        return "" if same else MOVED


def difference_row(
    one: Row, two: Row, found: Contest | None, reach: float, level: float, *, linear: bool
) -> Row:
    """Return the row of the difference of two models: t, by what units (clusters) add to it.

    Sizes of values near 0 are not near normal: their interval and test are those of `SizeDifference`. For numbers that
    are not means, the degrees of freedom are at most those of `influence_df`, as few units may decide.
    """
    row = named_gap(one, two)
    if found is None:
        return replace(row, undefined=APART, reason="no_data")
    n = len(found.moves)
    clusters = min((len(np.unique(code)) for code in found.codes), default=None)
    row = replace(row, n=float(n), n_units=n, n_clusters=clusters)
    if found.why:
        return replace(row, undefined=found.why, reason="unidentified")
    if np.isnan(found.estimate):
        return replace(row, undefined=one.undefined or two.undefined or CHANGED, reason="no_data")
    row = replace(row, estimate=found.estimate)
    if found.folded:
        if found.sizes is None:
            return replace(row, undefined=NO_SIZES, reason="no_interval")
        low, high = found.sizes.interval(level, most=reach / 2)
        return with_ends(
            row,
            low,
            high,
            level,
            within=(-reach / 2, reach / 2),
            hold=True,
            method=SIZES,
            p_value=found.sizes.p_value(),
            interval="test_inversion",
        )
    if not np.isfinite(found.moves).all():
        return replace(row, undefined=CHANGED, reason="no_interval")
    if any(group.raters < 2 for group in found.drawn):
        return replace(row, undefined=ONE_PERSON, reason="unidentified")
    errors = found.errors(linear=linear)
    if np.isnan(errors.variance[0]):
        return replace(row, undefined=ONE, reason="one_cluster")
    method = "t of the difference on the units of both" + ", over units and raters" * bool(
        found.drawn
    )
    error = float(errors.std_error[0]) * found.unit
    return with_t(row, error, float(errors.df[0]), level, within=(-reach, reach), method=method)


def named_gap(one: Row, two: Row) -> Row:
    """Return the row of a difference without its numbers."""
    return Row(
        term=f"{one.term} - {two.term}",
        group=DIFFERENCE,
        role="difference",
        cautions=distinct_cautions((one, two)),
        key=(("model", one.term), ("minus", two.term)),
    )


def apart_row(
    one: Row, two: Row, sides: tuple[Pairs, Pairs], reach: float, level: float
) -> tuple[Row, Way]:
    """Return the difference of two levels of pairs that share no unit, and whether they share clusters.

    Levels without a common cluster are independent: Welch's standard error and degrees of freedom, each variance with
    those of the level's own mean. Where clusters are in both, they are summed over both (`gap_errors`).
    """
    means = [side.mean for side in sides]
    joint = [
        [
            codes[factor.codes]
            for codes, factor in zip(joint_codes(*(f.levels for f in both)), both, strict=True)
        ]
        for both in zip(*(side.factors for side in sides), strict=True)
    ]
    common = any(len(np.intersect1d(*both)) for both in joint)
    row = replace(
        named_gap(one, two),
        n=sum(mean.n for mean in means),
        n_units=int(sum(mean.n for mean in means)),
        estimate=means[0].mean - means[1].mean,
    )
    lost = [
        f"{shorten(r.term, 40)}: {mean.undefined}"
        for r, mean in zip((one, two), means, strict=True)
        if mean.undefined
    ]
    way: Way = "clusters" if common else "apart"
    clusters = min((len(np.unique(np.concatenate(both))) for both in joint), default=None)
    if lost:
        alone = any(mean.clusters and min(mean.clusters) < 2 for mean in means)
        reason: Reason = (
            "one_cluster"
            if alone
            else "one_unit"
            if min(m.n for m in means) < 2
            else "no_variation"
        )
        return replace(row, n_clusters=clusters, undefined="; ".join(lost), reason=reason), way
    within = (-reach, reach)
    if not common:
        first, second = [
            replace(
                r,
                estimate=mean.mean,
                std_error=mean.std_error,
                n_units=int(mean.n),
                n_clusters=None,
            )
            for r, mean in zip((one, two), means, strict=True)
        ]
        made = with_welch(row, first, second, level, within=within, dfs=(means[0].df, means[1].df))
        return replace(made, n_clusters=clusters, method="Welch's t of two independent levels"), way
    error, df = gap_errors(
        *(side.sample([both[k] for both in joint]) for k, side in enumerate(sides))
    )
    return with_t(
        replace(row, n_clusters=clusters),
        error,
        df,
        level,
        within=within,
        method="t of the difference, by the clusters of both levels",
    ), way


def rank_rows(rows: Sequence[Row], gaps: Sequence[Row], best: str, level: float) -> list[Row]:
    """Return the rank of each model with a number, with a set that covers all ranks at once (Holm)."""
    known = [row for row in rows if row.estimate is not None]
    near = distinct_cautions(known)
    place, sign = {row.term: k for k, row in enumerate(known)}, 1.0 if best == "highest" else -1.0
    difference, p = (np.full((len(known), len(known)), np.nan) for _ in range(2))
    for row in gaps:
        at = tuple(place.get(row.label(side) or "") for side in ("model", "minus"))
        if None not in at and row.p_value is not None and row.estimate is not None:
            difference[at], difference[at[::-1]] = sign * row.estimate, -sign * row.estimate
            p[at] = p[at[::-1]] = row.p_value
    strength = sign * np.array([row.estimate for row in known], dtype=np.float64)
    strength /= np.abs(strength).max(initial=0.0) or 1.0
    sets = holm_rank_sets(strength, difference, p, level=level, simultaneous=True)
    found = {
        row.term: with_ends(
            Row(
                term=row.term,
                group=RANK,
                role="rank",
                key=(("model", row.term),),
                estimate=float(sets.rank[k]),
                method="simultaneous rank set, Holm's method, step-down",
                cautions=near,
            ),
            float(sets.low[k]),
            float(sets.high[k]),
            level,
        )
        for k, row in enumerate(known)
    }
    return [
        found.get(
            row.term,
            Row(
                term=row.term,
                group=RANK,
                role="rank",
                key=(("model", row.term),),
                undefined=row.undefined,
            ),
        )
        for row in rows
    ]


def compare_models(
    results: ResultGroup | Mapping[str, Result] | Result,
    number: str | None = None,
    *,
    level: float = 0.95,
    average: bool = False,
) -> Result:
    """Compare models (prompts, sources) by one number of a metric: every two of them on the same units, and ranks.

    The difficulty that a unit has for all models cancels in their differences. With d_u the change of a model's number
    without unit u, a unit adds (1 - 1/n) d_u to it (for a mean: its value minus the mean, over n). Standard errors and
    degrees of freedom of a difference are those of its sums by cluster. They are CR2 with Satterthwaite's df (two
    crossed clusters: the larger of V1, V2 and V1 + V2 - V12, with Cochran's). Clusters are those of the metric.

    Levels of a paired table need not share units, as groups of people do not. Levels without a common unit and cluster
    are independent, with Welch's s.e. and df. Clusters of both levels are summed over both.

    Parameters
    ----------
    results : ResultGroup, mapping of model to Result, or Result
        Of `sensitivity`, `relationship_bias` (B_all corrected), `js_similarity`, `ada_met`, `trait_profile`
        (composite), `krippendorff_alpha`, `mean_ratings`, `paired_difference` or `mcnemar` (the mean difference, or
        that of the shares). One result per model, or one with all models (`js_similarity`, `ada_met`,
        `trait_profile`). Of `sensitivity`, S corrected for sampling error is compared, or the plug-in S of all where
        one has no other.
    number : str, optional
        Another row: ``"S"`` (plug-in) of `sensitivity`; of `relationship_bias` ``"B_all"`` (uncorrected) or the bias
        of two groups of names, such as ``"man - woman"``.
    level : float
    average : bool
        For results that have several models each, such as one result per prompt: compare the means over their models,
        which are fixed. Only models count that have the number in every result. Of these, models that lack more than
        half of the units of a result are left out too (caution SS342 names them). The mean is over the units that the
        others have.

    Returns
    -------
    Result
        Group ``"number"``: the number of each model with its own interval, as its metric has it. ``"rank"``: its rank
        (1 for the lowest S, B_all and ADA-Met, else for the highest) with a set; all sets hold at once (Mogstad et al.
        2024, by Holm's method). Signed differences of pairs have no ranks; the tests of their levels are a family of
        their own (Holm). ``"difference"``: any two models, first minus second, on the units that both have; t, Holm
        over all pairs. `extras`: ``by_model`` (model -> a `Result` with its number alone, as `over_models` takes them),
        ``averaged`` and ``left_out`` (the models of an average, and model -> why it is not in it). ``ways`` has the
        units of each difference: ``"units"`` (the same), ``"part"`` (those of both), ``"apart"`` (independent levels)
        or ``"clusters"`` (those of both levels).

    Raises
    ------
    InputError
        For results of several metrics or of one that is not listed here. For options of it that are not comparable,
        an unknown number, ratings on different declared scales, pairs of other conditions, or fewer than two models.
        With `average`, for results that have no model in common.

    Notes
    -----
    Differences of B_all have the t test where each B of both models has an interval without 0, so that its size has a
    known sign. Elsewhere sizes fold at 0, by more where errors are larger, and the t test of models with unequal errors
    is not valid. The interval then combines those of both sizes (Zou & Donner 2008), with their correlation where it is
    negative. p is 1 less the level at which it ends at 0 (`socialstats.models.size_differences.SizeDifference`).

    Where a result of `js_similarity` or `mean_ratings` takes people as a sample, errors are those of two crossed
    factors, units (or one cluster) and people. What each rating of a person adds, by leaving it out, is summed by
    person. People are the same for all models if they have the same labels. Else raters are fixed, as models always
    are. Of `ada_met` raters are fixed here: the mode of the people jumps when a rating is left out. Its own rows have
    the differences from the nearest model with people as a sample.

    Units of pairs are matched by their names. Units without names (rows of a wide table without a column of units,
    counted pairs) are different units.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Welch, B. L. (1947). doi:10.1093/biomet/34.1-2.28
    Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D. (2024). doi:10.1093/restud/rdad006

    Examples
    --------
    >>> from socialstats import mean_ratings
    >>> answers = {"m1": [1, 2, 3, 2], "m2": [2, 3, 5, 4]}
    >>> made = {m: mean_ratings({"unit": [1, 2, 3, 4], "rater": ["r"] * 4, "value": x}, levels=[1, 2, 3, 4, 5])
    ...         for m, x in answers.items()}
    >>> row = compare_models(made).row("m1 - m2")
    >>> row.estimate, row.df, round(row.p_value, 4)
    (-1.5, 3.0, 0.0138)
    """
    found = (
        {"": results}
        if isinstance(results, Result)
        else results_by_model(results, "compare_models")
    )
    checked_level(level)
    metrics = {result.metric for result in found.values()}
    if len(metrics) != 1 or not metrics <= set(KINDS):
        raise InputError(
            f"compare_models() takes results of one of {quoted(list(KINDS), 20)}, not "
            f"{quoted(sorted(metrics), 10) or 'none'}"
        )
    metric = metrics.pop()
    better, plain = UNCORRECTED.get(metric, ("", ""))
    if better and number is None and any(r.row(better).estimate is None for r in found.values()):
        number = plain
    kind = KINDS[metric].of(number, found)
    made = [
        (model, result, one)
        for model, result in found.items()
        for one in kind.numbers(result, model, number)
    ]
    check_scales(found)
    both: tuple[str, ...] = ()
    left: dict[str, str] = {}
    if average:
        several = {
            model: {one.row.term: one for name, _, one in made if name == model} for model in found
        }
        several = {model: ones for model, ones in several.items() if ones}
        both, left = in_common(several)
        made = [
            (model, found[model], averaged(model, [ones[name] for name in both], level))
            for model, ones in several.items()
        ]
    names = [
        f"{model}: {one.row.term}" if len(found) > 1 and one.row.term != model else one.row.term
        for model, _, one in made
    ]
    numbers = tuple(
        replace(one, row=replace(one.row, term=name))
        for name, (_, _, one) in zip(names, made, strict=True)
    )
    if len(numbers) < 2:
        raise InputError(
            f"compare_models() compares two models or more; these results have {count(len(numbers))}"
        )
    matched = Field(numbers=numbers)
    more = (
        () if kind.ranked else (("measure", "difference"),)
    )  # such rows keep the decimals of their pages
    own = [
        replace(
            one.row,
            group=NUMBER,
            role="estimate",
            key=(("model", one.row.term), *more),
            p_adjusted=None,
        )
        for one in numbers
    ]
    own = own if kind.ranked else with_holm(own, HOLM, fewest=2)
    linear = all(one.linear for one in numbers)
    whose = raters_text(found, numbers)
    made_gaps = [
        gap_row(own, matched, j, k, kind, level, linear=linear)
        for j, k in combinations(range(len(numbers)), 2)
    ]
    gaps, ways = (
        with_holm([row for row, _ in made_gaps], HOLM),
        {row.term: way for row, way in made_gaps},
    )
    first = next(iter(found.values()))
    noun = (
        noun_or(results.by, "group")
        if isinstance(results, ResultGroup) and len(made) == len(found)
        else "model"
    )
    said, shared = kind.said, frozenset(term for term, way in ways.items() if way == "part")
    ranks = rank_rows(own, gaps, kind.best, level) if kind.ranked else []
    rows = share_decimals((*own, *ranks, *gaps))
    alone = {
        row.term: replace(
            result,
            rows=(replace(row, term=said, group=None, key=one.row.key),),
            words=result.sentence(),
        )
        for row, one, (_, result, _) in zip(rows[: len(own)], numbers, made, strict=True)
    }
    return Result(
        metric=metric,
        title=f"{count(len(own), 'model')} by {said}",
        rows=rows,
        inference=f"{listing(ways_text(ways))}; {dependence(first)}"
        + f"; {whose}" * bool(whose)
        + "; rank sets by Holm's method" * kind.ranked,
        counts={
            "models": len(own),
            "units": len({name for one in numbers for name in one.units})
            + sum(
                int(one.pairs.mean.n) for one in numbers if one.pairs is not None and not one.units
            ),
        },
        settings={"number": said, "best": kind.best, "level": level}
        | ({"people": people_taken(found.values())} if whose else {}),
        cautions=(
            *uncommon(both, left),
            *(other_raters(found) if len(made) == len(found) and not average else ()),
            *unmatched(numbers, ways),
        ),
        references=(
            *["efrontibshirani1993"] * kind.ranked,
            "bellmccaffrey2002",
            "holm1979",
            *["mogstad2024"] * kind.ranked,
            *["welch1947"] * ("apart" in ways.values()),
            *["zoudonner2008"] * any(one.folded for one in numbers),
        ),
        design=first.design,
        words=sentence(rows, said, kind, level, noun, shared=shared)
        + common_text(both, left, noun),
        extras={
            "by_model": alone,
            "numbers": numbers,
            "kind": kind,
            "shared": shared,
            "ways": ways,
            "noun": noun,
            "unit": unit_of(first),
            "cluster": cluster_of(first),
            "pairs": by_pairs(first),
            "crossed": len(found) > 1 and len(made) > len(found),
            "average": average,
            "averaged": both,
            "left_out": left,
        },
        check="socialstats.crosscheck.compare_models:checks_of",
    )


def people_taken(results: Iterable[Result]) -> str:
    """Return how results take people: ``"random"``, ``"fixed"`` or, where they differ, ``"mixed"``."""
    ways = {str(result.settings.get("people", "fixed")) for result in results}
    return ways.pop() if len(ways) == 1 else "mixed"


def raters_text(results: Mapping[str, Result], numbers: Sequence[Number]) -> str:
    """State whose population differences speak of, where models are compared by ratings; else nothing."""
    designs = [result.design for result in results.values()]
    if not all(isinstance(design, Ratings) for design in designs):
        return ""
    people = {label for one in numbers if one.ratings is not None for label in one.ratings.rater}
    if people:
        fixed = [model for model, result in results.items() if people_taken([result]) == "fixed"]
        others = f"raters of {quoted(fixed, 3)}" if fixed else "models"
        return f"{count(len(people), 'human rater')} as a sample, {others} as they are"
    n = len({rater for design in designs for rater in design.raters})
    return f"for {'this source' if n == 1 else f'these {count(n)} raters'}"


WAYS: dict[Way, str] = {
    "units": "t of differences on the units of both, by what each unit adds to them (jackknife)",
    "apart": "Welch's t of levels without a common unit",
    "clusters": "t of differences by clusters that both levels have",
}


def ways_text(ways: Mapping[str, Way]) -> list[str]:
    """Return by which tests models are compared."""
    found = {"units" if way == "part" else way for way in ways.values()}
    return [text for way, text in WAYS.items() if way in found]


def gap_row(
    own: Sequence[Row], matched: Field, j: int, k: int, kind: Kind, level: float, *, linear: bool
) -> tuple[Row, Way]:
    """Return the difference of two models, and on which units it is."""
    one, two = matched.numbers[j], matched.numbers[k]
    found = matched.contest(j, k)
    if found is None and one.pairs is not None and two.pairs is not None:
        return apart_row(own[j], own[k], (one.pairs, two.pairs), kind.reach, level)
    row = difference_row(own[j], own[k], found, kind.reach, level, linear=linear)
    return row, "units" if found is None or found.whole else "part"


def check_scales(results: Mapping[str, Result]) -> None:
    """Raise InputError where numbers have no common unit: ratings on other levels, pairs of other conditions."""
    pairs = {
        model: (
            *result.design.conditions,
            *result.design.levels,
            *(factor.name for factor in cluster_factors(result.design, result.settings["cluster"])),
        )
        for model, result in results.items()
        if isinstance(result.design, Paired)
    }
    for model, said in pairs.items():
        first = next(iter(pairs))
        if said != pairs[first]:
            raise InputError(
                f"pairs of '{shorten(first, 40)}' have the conditions, levels and clusters "
                f"{quoted(pairs[first], 8)}, those of '{shorten(model, 40)}' {quoted(said, 8)}: their "
                f"differences are not compared. Read both with the same {option('conditions')}, "
                f"{option('levels')} and {option('cluster')}"
            )
    scales = {
        model: result.design.levels
        for model, result in results.items()
        if isinstance(result.design, Ratings) and result.design.levels_declared
    }
    one, *others = scales or ("",)
    for other in others:
        if scales[other] != scales[one]:
            raise InputError(
                f"ratings of '{shorten(one, 40)}' have the levels {quoted(scales[one], 8)}, those of "
                f"'{shorten(other, 40)}' {quoted(scales[other], 8)}: numbers on different scales are not "
                f"compared. Read both with the same {option('levels')}"
            )


def in_common(
    several: Mapping[str, Mapping[str, Number]],
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the models whose numbers are averaged at every level, and why each other one is left out.

    Raises
    ------
    InputError
        If no model has a number at every level.
    """
    models = list(dict.fromkeys(model for ones in several.values() for model in ones))
    left: dict[str, str] = {}
    for model in models:
        lacking = [
            at for at, ones in several.items() if model not in ones or np.isnan(ones[model].value)
        ]
        if lacking:
            left[model] = f"no number at {quoted(lacking, 5)}"
    both = [model for model in models if model not in left]
    if not both:
        raise InputError(
            f"no model has a number at each of {quoted(list(several), 10)}: there is no mean over the "
            f"same models ({option('average', True)})"
        )
    for at, ones in several.items():
        units = len({name for model in both for name in ones[model].units})
        has = np.array([len(ones[model].units) for model in both])
        for model, n, kept in zip(
            both, has.tolist(), mostly_complete(has, units).tolist(), strict=True
        ):
            if not kept:
                left.setdefault(
                    model, f"{count(n)} of {count(units, 'unit')} at '{shorten(at, 40)}'"
                )
    return tuple(model for model in both if model not in left), left


def common_text(both: Sequence[str], left: Mapping[str, str], noun: str) -> str:
    """State of which models the numbers of levels are, where some were left out."""
    if not left:
        return ""
    return (
        f" These numbers are of the {count(len(both), 'model')} that every {noun} has ({quoted(both, 5)}); left "
        f"out: {left_text(left)}."
    )


def left_text(left: Mapping[str, str]) -> str:
    """Name the models that are left out, each with the reason."""
    return listing([f"'{shorten(model, 40)}' ({why})" for model, why in left.items()], 5)


def uncommon(both: Sequence[str], left: Mapping[str, str]) -> tuple[Caution, ...]:
    """Caution SS342: models that are not in a mean over models, as they lack a level or most of its units."""
    return (
        ()
        if not left
        else (
            caution(
                "SS342",
                f"levels are compared on the {count(len(both), 'model')} that all have; left out: {left_text(left)}",
                affects="levels, whose comparison says nothing of the models left out",
                fix="collect the missing answers",
            ),
        )
    )


def other_raters(results: Mapping[str, Result]) -> tuple[Caution, ...]:
    """Caution SS342: models of some levels that others lack, where one number is of all models of a level."""
    has = {
        level: set(models_of(result.design)) if isinstance(result.design, Ratings) else set()
        for level, result in results.items()
    }
    every = set.union(*has.values())
    shared = set.intersection(*has.values())
    lost = {level: sorted(every - own) for level, own in has.items() if own != every}
    if not lost or not shared:
        return ()
    said = listing(
        [f"'{shorten(level, 40)}' lacks {quoted(names, 5)}" for level, names in lost.items()], 5
    )
    return (
        caution(
            "SS342",
            f"levels pool different models: {said}",
            affects="numbers and differences of levels that pool their models",
            fix="compare the levels on the models that all of them have",
        ),
    )


def averaged(label: str, numbers: Sequence[Number], level: float) -> Number:
    """Return the mean of the numbers of some models, by the units that all of them have, with its t interval."""
    match = match_keys(*(one.units for one in numbers))
    common, at = match.keys, match.places
    dense = [
        np.asarray(one.sums[k] if isinstance(one.sums, np.ndarray) else one.sums[k].toarray())
        for one, k in zip(numbers, at, strict=True)
    ]
    ends = np.cumsum([0, *(part.shape[1] for part in dense)]).tolist()

    def finish(sums: FloatArray) -> FloatArray:
        parts = [
            one.finish(sums[:, a:b]) for one, a, b in zip(numbers, ends[:-1], ends[1:], strict=True)
        ]
        return np.asarray(np.mean(parts, axis=0))

    first = numbers[0]
    clusters = tuple(tuple(labels[k] for k in at[0].tolist()) for labels in first.clusters)
    whole = match.complete
    sums = np.concatenate(dense, axis=1)
    value = (
        float(np.mean([one.value for one in numbers]))
        if whole
        else float(finish(sums.sum(axis=0)[None])[0])
    )
    given = [
        (one.ratings.at(k), before, ends[-1] - after)
        for one, k, before, after in zip(numbers, at, ends[:-1], ends[1:], strict=True)
        if one.ratings is not None
    ]
    ratings = (
        RatingParts(
            unit=np.concatenate([own.unit for own, _, _ in given]),
            rater=tuple(label for own, _, _ in given for label in own.rater),
            sums=np.concatenate([np.pad(own.sums, ((0, 0), beside)) for own, *beside in given]),
        )
        if given
        else None
    )
    made = Number(
        row=Row(term=label),
        units=common,
        clusters=clusters,
        sums=sums,
        finish=finish,
        value=value,
        linear=first.linear,
        size=max(one.size for one in numbers),
        ratings=ratings,
    )
    matched, every = Field(numbers=(made,)), np.arange(len(common))
    row, code = Row(term=label, estimate=None if np.isnan(value) else value), matched.codes[0]
    moves = made.moves(every)[1]
    drawn = matched.drawn((0,), (every,))
    own = Contest(estimate=value, moves=moves, codes=code, drawn=drawn, size=made.size)
    if row.estimate is not None:
        errors = own.errors()
        row = with_t(
            row, float(errors.std_error[0]) * own.unit, float(errors.df[0]), level, test=False
        )
    return replace(
        made,
        row=replace(row, n_units=len(common), method=f"mean of {count(len(numbers), 'model')}, t"),
    )


def dependence(result: Result) -> str:
    """State what the errors of differences take as independent."""
    if result.metric == "sensitivity":
        return cluster_text(cluster_factors(result.design, result.settings["cluster"]))
    if result.metric == "trait_profile":
        return "scenarios (or the clusters that hold them)"
    return cluster_text(
        cluster_factors(result.design, result.settings.get("cluster", "declared")), "units"
    )


def smallest_factor(result: Result) -> Factor | None:
    """Return the cluster factor with the fewest levels; None where units are independent."""
    factors = cluster_factors(result.design, result.settings.get("cluster", "declared"))
    return min(factors, key=lambda factor: len(factor.levels)) if factors else None


def by_pairs(result: Result) -> bool:
    """Return whether pairs of items are what is independent."""
    factor = smallest_factor(result)
    return result.metric == "sensitivity" and factor is not None and factor.name == "pair"


def cluster_of(result: Result) -> str | None:
    """Return the name of the clusters that are independent; None for units, scenarios and pairs of items."""
    factor = (
        None if result.metric == "trait_profile" or by_pairs(result) else smallest_factor(result)
    )
    return None if factor is None else factor.name


def unit_of(result: Result) -> str:
    """Return what is independent, in the plural: the clusters of the factor with the fewest, or the units."""
    if result.metric == "trait_profile":
        return "scenarios"
    factor = smallest_factor(result)
    if factor is None:
        return "units"
    return "pairs of items" if by_pairs(result) else f"clusters of {shorten(factor.name, 40)}"


def unmatched(numbers: Sequence[Number], ways: Mapping[str, Way]) -> tuple[Caution, ...]:
    """Caution SS342: models that lack units which others have; levels that share none with any other are left aside."""
    pairs = zip(combinations(numbers, 2), ways.values(), strict=True)
    numbers = list(
        {id(one): one for both, way in pairs if way in ("units", "part") for one in both}.values()
    )
    every = {name for one in numbers for name in one.units}
    lost = [
        (one.row.term, len(every) - len(one.units), one.refused)
        for one in numbers
        if len(one.units) < len(every)
    ]
    if not lost:
        return ()
    shared = len(match_keys(*(one.units for one in numbers)).keys)
    said = listing(
        [
            f"'{shorten(model, 40)}' {count(n)}"
            + (f" ({count(refused)} refused)" if refused else "")
            for model, n, refused in lost
        ],
        5,
    )
    asked = all(n == refused for _, n, refused in lost)
    return (
        caution(
            "SS342",
            f"of {count(len(every), 'unit')} these lack: {said}; all models share {count(shared)}",
            affects=(
                "numbers, which are over each model's own units; differences are on the units "
                "that both models have"
            ),
            fix="report the refusals beside the numbers" if asked else "collect the missing units",
        ),
    )


def ordered(rows: Sequence[Row], best: str) -> list[Row]:
    """Return the numbers that exist, rank 1 first."""
    sign = -1.0 if best == "highest" else 1.0
    return sorted(
        (row for row in rows if row.group == NUMBER and row.estimate is not None),
        key=lambda row: sign * (row.estimate or 0.0),
    )


MOST_TOLD = 3  # significant differences that sentences name


def told_gaps(rows: Sequence[Row]) -> list[Row]:
    """Return the differences that sentences name: the significant ones of up to three, else the largest."""
    tested = [row for row in rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    clear = [row for row in tested if significant(row)]
    return (
        clear
        if 0 < len(clear) <= MOST_TOLD
        else sorted(tested, key=lambda row: -abs(row.estimate or 0.0))[:1]
    )


def the(said: str) -> str:
    """Return a quantity with its article; one that belongs to a person has none.

    Examples
    --------
    >>> the("mean rating"), the("Krippendorff's alpha")
    ('the mean rating', "Krippendorff's alpha")
    """
    return said if "'s " in said else f"the {said}"


def gap_sentence(row: Row, said: str, *, shared: bool = False) -> str:
    """Return the difference of two models as a sentence, the model with the larger number first."""
    one, other = (shorten(row.label(side) or "", 40) for side in ("model", "minus"))
    if (row.estimate or 0.0) < 0:
        one, other, row = other, one, negated(row)
    return difference(f"{the(said)}{' on shared units' if shared else ''}", one, other, row)


def sentence(
    rows: Sequence[Row],
    said: str,
    kind: Kind,
    level: float,
    noun: str,
    *,
    shared: Collection[str] = (),
) -> str:
    """Return the highest and the lowest number; for two their difference, for more what is significant, and ranks.

    `shared`: terms of the differences that are on shared units only.
    """
    known = ordered(rows, kind.best)
    if not known:
        return f"No {noun} has a {said}."
    gaps = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in gaps if row.p_adjusted is not None]
    if known[0].estimate == known[-1].estimate and kind.ranked:
        return extremes(rows, said, kind, noun)
    text = f"{extremes(rows, said, kind, noun)} {gaps_sentence(rows, said, noun, shared=shared)}"
    ranks = [row for row in rows if row.group == RANK]
    if len(gaps) == 1 or not tested or not ranks:
        return text
    first, near = [row.term for row in ranks if row.conf_low == 1], kind_of(ranks[0])
    later = [row.term for row in known if row.term not in first]
    who = f"all but {listing(shortened(later), 5)}" if later and len(later) < len(first) else ""
    return (
        f"{text} {capital(f'{near}{level_text(level)}')} simultaneous rank intervals included rank 1 (the "
        f"{kind.best}) for {count(len(first))} of {count(len(known), noun)} ({who or listing(shortened(first), 5)})."
    )


def extremes(rows: Sequence[Row], said: str, kind: Kind, noun: str) -> str:
    """Return the highest and the lowest number, or the one number of all."""
    known = ordered(rows, kind.best)
    low, high = (known[0], known[-1]) if kind.best == "lowest" else (known[-1], known[0])
    if low.estimate == high.estimate:
        if len({span(row) for row in known}) == 1:
            return f"{capital(the(said))} was the same for all {count(len(known), noun)} ({estimate(low)})."
        at = "cut at " * (low.limits is not None and low.estimate in low.limits)
        bounds = listing([f"{shorten(row.term, 40)}: {span(row)}" for row in known], most=4)
        return f"{capital(the(said))} of each {noun} was {at}{number(low.shown())} ({bounds})."
    alike = [sum(row.estimate == end.estimate for row in known) - 1 for end in (high, low)]
    ends = [
        f"{shorten(end.term, 40)} ({estimate(end)})"
        + f", tied with {count(n, f'other {noun}')}" * (n > 0)
        for end, n in zip((high, low), alike, strict=True)
    ]
    return f"{capital(the(said))} was highest for {ends[0]}{',' * (alike[0] > 0)} and lowest for {ends[1]}."


def gaps_sentence(
    rows: Sequence[Row], said: str, noun: str, *, shared: Collection[str] = ()
) -> str:
    """Return the difference of two models, or how many of several were significant, and what could not be tested."""
    gaps = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in gaps if row.p_adjusted is not None]
    models = count(sum(row.group == NUMBER and row.estimate is not None for row in rows), noun)
    if not tested and not (len(gaps) == 1 and gaps[0].conf_low is not None):
        held = [row for row in gaps if row.conf_low is not None]
        clear = count(sum(direction(row) != "none" for row in held))
        more = (
            f" Unadjusted CIs of {clear} of {count(len(held), 'difference')} excluded 0."
            if held
            else ""
        )
        return f"No difference of {models} could be tested ({gaps[0].undefined}).{more}"
    if len(gaps) == 1:
        return gap_sentence(replace(gaps[0], p_adjusted=None), said, shared=gaps[0].term in shared)
    lost = len(gaps) - len(tested)
    what = f"{'tested ' if lost else ''}differences between {plural_of(noun)}"
    text = some_of(sum(significant(row) for row in tested), len(tested), what)
    why = {row.undefined for row in gaps if row.p_adjusted is None}
    reason = f" ({why.pop()})" if len(why) == 1 else ""
    return text + (f" {count(lost, 'difference')} could not be tested{reason}." if lost else "")


MODEL_NAMES = (
    "model",
    "source",
    "rater",
    "name",
)  # what the column of the models may be called in their own table


def factors_of_models(table: Any, models: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the factors of models that a table has, such as family, size or safety.

    Parameters
    ----------
    table : data frame, or mapping of columns
        Column ``model`` (or ``source``, ``rater``, ``name``) with one row a model, and a column for each factor. An
        empty field is no level.
    models : sequence of str
        Those that are compared; the table may have others.

    Returns
    -------
    dict of factor to dict of model to level
        As `over_models` takes them.

    Raises
    ------
    DesignError
        If no column names the models, or there is no other one.
    InputError
        If a model has two rows, or one that is compared has none.

    Examples
    --------
    >>> factors_of_models({"model": ["m1", "m2", "m3"], "family": ["a", "b", "b"]}, ["m1", "m2"])
    {'family': {'m1': 'a', 'm2': 'b'}}
    """
    read = as_table(table, "models")
    named, known = groupings(read, MODEL_NAMES, "model")
    lost = [model for model in models if model not in named]
    if lost:
        raise InputError(
            f"{read.source}: no row of {quoted(lost)}; it has {quoted(sorted(named), 20)}. Give each "
            "model that is compared a row, under the name that it has in the data"
        )
    own = {
        factor: {model: levels[model] for model in models if model in levels}
        for factor, levels in known.items()
    }
    return {factor: levels for factor, levels in own.items() if levels}
