"""Models compared by one number: differences on the same units, ranks, and factors of models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit
from socialstats.choices.bradley_terry.covariance import holm_rank_sets
from socialstats.choices.conditions import condition_table, labels_of_pairs, sensitivity_terms
from socialstats.designs.nouns import noun_or
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.designs.tables import groupings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean, sums_by_cluster
from socialstats.inference.compare import HOLM, rows_with_holm, with_welch
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.inference.influence import influence_df
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import (
    DrawnRaters,
    MeanErrors,
    SeparateSample,
    dense_codes,
    gap_errors,
    mean_errors,
    with_drawn,
)
from socialstats.inference.rows import with_ends, with_t
from socialstats.matching import match_keys, shared_codes
from socialstats.paired.pair_values import pair_values
from socialstats.paired.size_differences import MeanSizes, SizeDifference
from socialstats.paired.unit_means import mostly_complete
from socialstats.resampling import PlanUnits
from socialstats.results import Result, ResultGroup, Row, results_by_model
from socialstats.results.rows import (
    Reason,
    distinct_cautions,
    negate_row,
    rows_with,
    share_decimals,
)
from socialstats.rounding import AGAIN
from socialstats.scales.measures import (
    ALPHA,
    Measure,
    RatingParts,
    alpha_measure,
    distance_measure,
    mean_rating_measure,
)
from socialstats.scales.traits import answers_and_clusters, composites
from socialstats.sentences import (
    apa_interval,
    difference,
    direction,
    estimate_text,
    is_significant,
    name_of_interval,
    some_of,
)
from socialstats.shares.counts import ONE_PERSON, SourceCounts, source_counts, source_factor
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.sources import human_source, models_of, people_of
from socialstats.tables import as_table
from socialstats.text import (
    capital,
    count,
    listing,
    number,
    percent_of,
    plural_of,
    quoted,
    shorten,
    shortened,
)
from socialstats.voice import option

SIZE = "B_all corrected"
PLAIN_SIZE = "B_all"
# the number that is compared, and the one in its place where some result has no corrected number
UNCORRECTED = {"sensitivity": ("S_corrected", "S"), "relationship_bias": (SIZE, PLAIN_SIZE)}
# groups of rows
NUMBER = "number"
DIFFERENCE = "difference"
RANK = "rank"
# 100 (1 + 1/4 + 1): win rates as far from their targets 1, 1/2 and 0 as they can be
LARGEST_S = 225.0
BLOCK = 2_000_000  # numbers of sums without a unit that are in memory at once
NO_SHARED_UNIT = "no unit has answers of both"
SINGLE_CLUSTER = "a single cluster holds all units of both: no standard error, no test"
MOVED = "a unit of both lies in different clusters: give different units different names"
NO_SIZES = "a bias B has no standard error on the units of both: no interval and no test of sizes"
SIZES = "inverted tests of both sizes, combined"
CHANGED = "leaving out one unit makes the number undefined: no standard error, no test"
# all units shared; some; neither units nor clusters; clusters only
Way = Literal["units", "part", "apart", "clusters"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairDifferences:
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

    def sample(self, codes: Sequence[IntArray]) -> SeparateSample:
        """Return the cells with codes of their clusters that are those of another level too."""
        # a mean over pairs: each cell adds its deviation, weighted by the pairs that it stands for
        shares = self.count / self.mean.n
        return SeparateSample(
            scores=(self.difference - self.mean.mean) * shares,
            shares=shares,
            codes=codes,
            variance=self.mean.std_error**2,
            size=self.magnitude,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelNumber:
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
    pairs : PairDifferences or None
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
    pairs: PairDifferences | None = None
    ratings: RatingParts | None = None

    def rating_influence(self, at: IntArray) -> tuple[RatingParts, FloatArray]:
        """Return the ratings of people who are a sample in some units, and what each adds to the number."""
        assert self.ratings is not None
        ratings = self.ratings.at(at)
        total = np.asarray(self.sums[at].sum(axis=0)).ravel()
        if not len(ratings.unit):
            return ratings, np.zeros(0)
        return ratings, self._jackknife(total, ratings.sums)[1]

    def influence(self, at: IntArray) -> tuple[float, FloatArray]:
        """Return the number of some units less its bias, and what each adds: (1 - 1/n) (number - that without it)."""
        sums = self.sums[at]
        dense: FloatArray = np.asarray(
            sums if isinstance(sums, np.ndarray) else sums.toarray(), dtype=np.float64
        )
        # beyond the range of floats: NaN, no test
        with np.errstate(over="ignore", invalid="ignore"):
            value, influence = self._jackknife(dense.sum(axis=0), dense)
            return value - self.bias, influence

    def _jackknife(self, total: FloatArray, parts: FloatArray) -> tuple[float, FloatArray]:
        """Return the number of total sums, (k,), and what each part, (n, k), adds to it, (n,).

        The jackknife's variance (Efron & Tibshirani, 1993, eq. 11.5) is n / (n - 1) times the sum of their squares.
        """
        step = max(1, BLOCK // max(len(total), 1))
        without = [self.finish(total - parts[k : k + step]) for k in range(0, len(parts), step)]
        value = float(self.finish(total[None])[0])
        change = value - np.concatenate(without)
        return value, (change - change.mean()) * (1 - 1 / len(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRule:
    """How the numbers of a metric are compared.

    Attributes
    ----------
    phrase : str
        The number in words.
    numbers : callable
        (Result, label of the model, row) -> ModelNumber for each model of the result.
    reach : float
        The largest difference that is possible.
    best : {"highest", "lowest"}
        What has rank 1.
    further : callable
        Result -> further numbers that can be asked for: name -> (in words, what has rank 1).
    bounded : bool
        Written without a leading zero.
    about : callable
        Result -> words in brackets after the number.
    ranked : bool
        Signed differences of levels have no ranks; their own tests are a family.
    """

    phrase: str
    numbers: Callable[[Result, str, str | None], list[ModelNumber]]
    reach: float = np.inf
    best: str = "highest"
    bounded: bool = False
    further: Callable[[Result], Mapping[str, tuple[str, str]]] = lambda result: {}
    about: Callable[[Result], str] | None = None
    ranked: bool = True

    def select(self, number_name: str | None, results: Mapping[str, Result]) -> ComparisonRule:
        """Return how the number that is asked for is compared.

        Raises
        ------
        InputError
            If a result does not have it.
        """
        if number_name is None:
            about = self.about and self.about(next(iter(results.values())))
            return replace(self, phrase=f"{self.phrase} ({about})") if about else self
        for model, result in results.items():
            if number_name not in (names := self.further(result)):
                where = f" of '{shorten(model, 40)}'" if model else ""
                has = f"it has {self.phrase} alone"
                if names:
                    has = f"it has {quoted(list(names), 20)}, and {self.phrase}"
                raise InputError(
                    f"{option('number', shorten(str(number_name), 40))} is not a number for comparing models "
                    f"by {result.metric}(){where}; {has} ({option('number', None)})"
                )
        phrase, best = self.further(next(iter(results.values())))[number_name]
        return replace(self, phrase=phrase, best=best)


def number_or_nan(row: Row) -> float:
    """Return the estimate of a row, NaN where there is none."""
    return np.nan if row.estimate is None else float(row.estimate)


def sums_to_means(sums: FloatArray) -> FloatArray:
    """(B, 2) sums of values and of units -> (B,) means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def cluster_labels(
    design: Any, cluster: Any, rows: IntArray | None = None
) -> tuple[tuple[str, ...], ...]:
    """Return the label of each row (unit) in the declared clusters that a metric used."""
    labels = []
    for factor in cluster_factors(design, cluster):
        codes = factor.codes if rows is None else factor.codes[rows]
        labels.append(tuple(np.array(factor.levels, dtype=object)[codes].tolist()))
    return tuple(labels)


def sensitivity_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """S, corrected for sampling error or plug-in, by pair of items (or by the clusters that the metric took)."""
    design = result.design
    settings = result.settings
    corrected = result.row("S_corrected")
    column = 0 if number_name == "S" else 1  # as `sensitivity_terms` orders them
    table = condition_table(design, settings["covariate"], settings["weights"]).statistics
    factors = cluster_factors(design, settings["cluster"])
    if not factors:
        raise InputError(
            "compare_models() matches models by pair of items or by cluster, and these numbers have "
            f"neither: take sensitivity() with {option('cluster', 'pair')}"
        )
    pairs = [" | ".join(pair) for pair in labels_of_pairs(design)]
    labels = []
    for factor in factors:
        levels = pairs if factor.name == design.pair.name else factor.levels
        labels.append(np.array(levels, dtype=object)[factor.codes].tolist())
    # a unit is a cluster, or a combination of two crossed ones
    combined = list(zip(*labels, strict=True))
    index = {label: k for k, label in enumerate(dict.fromkeys(combined))}
    codes = np.array([index[label] for label in combined], dtype=np.int64)
    row = (result.row("S"), corrected)[column]

    def finish(total: FloatArray) -> FloatArray:
        sums = np.ascontiguousarray(total)
        drawn = design.replies is None
        return np.asarray(sensitivity_terms(sums, len(design.items), drawn=drawn)[:, column])

    # a unit lies in a level of each of two crossed factors; the levels of one factor are units
    clusters = tuple(zip(*index, strict=True)) if len(labels) > 1 else ()
    sums = PlanUnits.clusters(codes).total(table).tocsr()
    return [
        ModelNumber(
            row=replace(row, term=model),
            units=tuple(" & ".join(label) for label in index),
            clusters=clusters,
            sums=sums,
            finish=finish,
            value=number_or_nan(row),
            size=LARGEST_S,
        )
    ]


def bias_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """B_all, the mean size of the biases, or the bias B of two groups, by scenario and pair of names."""
    analysis = result.extras["analysis"]
    name = number_name or SIZE
    is_size = name in UNCORRECTED["relationship_bias"]
    row = result.row(name, group="overall" if is_size else "bias")
    contrasts, weight = analysis.every_bias()  # (biases, cells): a bias is a sum of means of cells
    if not is_size:
        groups = next(pair for pair in analysis.pairs if analysis.bias_row(pair).term == name)
        contrasts = analysis.bias(groups)
        weight = np.ones(1)
    cell_means = analysis.means
    answers = analysis.answers
    k = len(cell_means.cells)
    counts = np.zeros(k, dtype=bool)  # cells that a bias uses
    if len(contrasts):
        counts = np.abs(contrasts).sum(axis=0) > 0
    in_use = counts[cell_means.cell]
    units, unit_of_answer = np.unique(answers.unit[in_use], return_inverse=True)
    cell = cell_means.cell[in_use]
    cell_weight = cell_means.weight[in_use]
    # (units, 2 k): sums of weighted scores by cell, then sums of weights
    sums = np.zeros((len(units), 2 * k))
    np.add.at(sums, (unit_of_answer, cell), (cell_means.weight * answers.score)[in_use])
    np.add.at(sums, (unit_of_answer, k + cell), cell_weight)

    def finish(total: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            biases = np.nan_to_num(total[:, :k] / total[:, k:]) @ contrasts.T
        # a bias that uses an empty cell is unknown; other empty cells have coefficient 0
        empty = ((total[:, k:] <= 0) & counts).any(axis=1)
        return np.where(empty, np.nan, (np.abs(biases) if is_size else biases) @ weight)

    def sizes(at: IntArray) -> MeanSizes | None:
        values: MeanSizes | None = analysis.sizes(
            units[at], settings["aggregate"], settings["seed"]
        )
        return values

    design = result.design
    value = number_or_nan(row)
    estimates = result.extras["estimates"]
    settings = result.settings
    # the size of a bias whose interval excludes 0 has a known sign, and is linear in the data
    unsigned = not isinstance(estimates, str) and not estimates.signs_reliable(settings["level"])
    number = ModelNumber(
        row=replace(row, term=model),
        units=tuple(design.units[u] for u in units.tolist()),
        sums=sums,
        finish=finish,
        clusters=cluster_labels(design, settings["cluster"], units),
        linear=not is_size,
        value=value,
    )
    if is_size:
        bias = analysis.size - value if name == SIZE else 0.0
        number = replace(number, bias=bias, folded=unsigned, sizes=sizes)
    return [number]


def bias_names(result: Result) -> dict[str, tuple[str, str]]:
    """Return B_all, and the bias of each two groups of names: rank 1 has the highest, which favours the first most."""
    return {
        SIZE: ("bias-corrected B_all", "lowest"),
        PLAIN_SIZE: ("uncorrected B_all", "lowest"),
    } | {row.term: (f"bias B, {row.term}", "highest") for row in result.rows if row.group == "bias"}


def sampled_people(design: Ratings, settings: Mapping[str, Any]) -> BoolArray:
    """Return the raters whom a result takes as a sample."""
    people = people_of(design)
    return people if settings.get("people") == "random" else np.zeros_like(people)


def measure_number(
    measure: Measure, row: Row, model: str, design: Ratings, cluster: Any
) -> ModelNumber:
    """A measure of ratings, by unit."""
    units = np.flatnonzero(measure.defined)

    def finish(sums: FloatArray) -> FloatArray:
        # the measure itself is the first column; others are its terms
        return np.asarray(measure.finish(sums)[:, 0])

    number = ModelNumber(
        row=replace(row, term=model),
        units=tuple(design.units[k] for k in units.tolist()),
        clusters=cluster_labels(design, cluster, units),
        sums=measure.statistics[units],
        finish=finish,
        value=number_or_nan(row),
    )
    ratings = None if measure.ratings is None else measure.ratings.at(units)
    return replace(number, linear=measure.name != ALPHA, size=measure.size, ratings=ratings)


def distance_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """ADA-Met of each model of the result, by unit; people's answers are the same for all."""
    design = result.design
    settings = result.settings
    # under other rules the distance of an answer is no fixed number of its unit
    if (settings.get("ties"), settings.get("refusal")) != ("mean", "max"):
        raise InputError(
            f"compare_models() takes ada_met() with {option('ties', 'mean')} and "
            f"{option('refusal', 'max')}"
        )
    numbers = []
    for row in rows_with(result.rows, "model"):
        answers = design.of_raters([row.term])
        measure = distance_measure(design, answers)
        if measure is not None:
            numbers.append(measure_number(measure, row, row.term, answers, settings["cluster"]))
    return numbers


def rating_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """Krippendorff's alpha, or the mean rating over units."""
    design = result.design
    settings = result.settings
    if human_source(design) is not None:  # agreement with people is no number of a model alone
        return []
    scaled = replace(design, scale=settings.get("scale") or design.scale)
    if result.metric == "krippendorff_alpha":
        measure = alpha_measure(scaled)
    else:
        measure = mean_rating_measure(scaled, sampled_people(design, settings))
    if measure is None:
        return []
    cluster = settings.get("cluster", "declared")
    return [measure_number(measure, result.rows[0], model, design, cluster)]


def similarity_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """Jensen-Shannon similarity of each source to the reference, by unit: what sums are made of is not corrected."""
    design = result.design
    settings = result.settings
    if settings["aggregate"] != "pooled":
        raise InputError(
            f"compare_models() takes js_similarity() with {option('aggregate', 'pooled')}"
        )
    data = source_counts(
        design, settings["source"], settings["refusal"], drawn=sampled_people(design, settings)
    )
    reference = data.index(settings["reference"], "reference")
    reference_counts = data.counts[:, reference]  # (units, levels)
    factor = source_factor(design, settings["source"], False)
    levels = len(data.levels)
    estimates = {
        row.term: row for row in result.rows if row.group is None and row.role == "estimate"
    }
    numbers = []
    for k, name in enumerate(data.sources):
        if k == reference or name not in estimates:
            continue
        counts = data.counts[:, k]
        units = np.flatnonzero((counts.sum(axis=1) > 0) & (reference_counts.sum(axis=1) > 0))
        of_source = factor.codes[design.rater] == factor.levels.index(name)
        labels = tuple(design.units[u] for u in units.tolist())
        refused = design.unit[of_source & (design.status == REFUSAL)]
        # (units, 2 levels): answers of the reference, then those of the source
        side_counts = np.concatenate([reference_counts[units], counts[units]], axis=1)
        numbers.append(
            ModelNumber(
                row=estimates[name],
                units=labels,
                clusters=cluster_labels(design, settings["cluster"], units),
                refused=len(np.setdiff1d(refused, units)),
                sums=side_counts * data.copies[units, None],
                finish=lambda total: 1 - jensen_shannon(total[:, :levels], total[:, levels:]),
                value=float(result.extras["uncut"].get(name, np.nan)),
                ratings=similarity_ratings(design, data, (reference, k), units),
            )
        )
    return numbers


def similarity_ratings(
    design: Ratings, data: SourceCounts, sources: tuple[int, int], at: IntArray
) -> RatingParts | None:
    """Return the ratings of people who are a sample, of the reference or of a source, in some units."""
    parts = []
    for side, k in enumerate(sources):
        people = data.people[k] if data.people else None
        if people is not None:
            counts = people.counts * data.copies[people.unit, None]
            halves = [counts, np.zeros_like(counts)]  # the reference's counts, then the source's
            sums = np.concatenate(halves if side == 0 else halves[::-1], axis=1)
            parts.append((people.unit, [design.raters[r] for r in people.rater.tolist()], sums))
    if not parts:
        return None
    unit, rater, sums = zip(*parts, strict=True)
    ratings = RatingParts(
        unit=np.concatenate(unit),
        rater=tuple(label for labels in rater for label in labels),
        sums=np.concatenate(sums),
    )
    return ratings.at(at)


def profile_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """The composite of each model over all stages, by scenario."""
    answers, clusters = answers_and_clusters(
        result.design, result.settings, judges=result.settings["judges"]
    )
    if result.settings["unit_of_analysis"] != "scenario":
        raise InputError(
            f"compare_models() takes trait_profile() with {option('unit_of_analysis', 'scenario')}"
        )
    weights, centre, zero = (result.settings[name] for name in ("weights", "centre", "zero"))
    answer_composites = composites(answers.scores, weights, centre).mean(axis=1)  # over judges
    cells = answers.cells(answer_composites)  # (models, scenarios, stages)
    numbers = []
    neutral = zero or 0.0
    if isinstance(zero, Mapping):
        neutral = float(np.mean([zero[judge] for judge in answers.judges]))
    against = {} if zero is None else {"against": "zero"}
    for row in rows_with(result.rows, "model", measure="composite", **against):
        composite = cells[answers.models.index(row.label("model") or "")]
        by_scenario = composite[:, np.isfinite(composite).any(axis=0)].mean(axis=1) - neutral
        complete = np.flatnonzero(np.isfinite(by_scenario))
        labels = tuple(
            tuple(factor.levels[code] for code in codes[complete].tolist())
            for factor, codes in zip(clusters.factors, clusters.codes, strict=True)
        )
        numbers.append(
            ModelNumber(
                row=replace(row, term=row.label("model") or row.term),
                units=tuple(answers.scenarios[k] for k in complete.tolist()),
                clusters=labels,
                sums=np.column_stack([by_scenario[complete], np.ones(len(complete))]),
                finish=sums_to_means,
                linear=True,
                size=float(np.abs(answer_composites).max()) + abs(neutral),
                value=number_or_nan(row),
            )
        )
    return numbers


def pair_numbers(result: Result, model: str, number_name: str | None) -> list[ModelNumber]:
    """The mean difference of the pairs, or the difference of shares, by unit where units have names."""
    design = result.design
    cluster = result.settings["cluster"]
    difference = pair_values(design).difference if design.scale == "numeric" else design.difference
    magnitude = float(max(np.abs(design.first).max(), np.abs(design.second).max()))
    # levels that share no unit need the mean with its own errors; others are matched by unit
    factors = cluster_factors(design, cluster)
    mean = clustered_mean(
        difference, design.count, [factor.codes for factor in factors], magnitude=magnitude
    )
    cells = np.zeros(0, dtype=np.int64) if design.units is None else design.units.cell
    row = result.rows[0]
    pairs = PairDifferences(
        mean=mean, difference=difference, count=design.count, magnitude=magnitude, factors=factors
    )
    names = () if design.units is None else tuple(design.units.names())
    sums = np.column_stack([difference[cells], np.ones(len(cells))])
    return [
        ModelNumber(
            row=replace(row, term=model),
            units=names,
            clusters=cluster_labels(design, cluster, cells),
            sums=sums,
            finish=sums_to_means,
            value=number_or_nan(row),
            linear=True,
            size=magnitude,
            pairs=pairs,
        )
    ]


def condition_order(result: Result) -> str:
    """Name the conditions of pairs in the order of their difference; of two levels also the one that is counted."""
    design = result.design
    order = " minus ".join(shorten(name, 30) for name in design.conditions)
    return f"'{shorten(design.levels[1], 30)}', {order}" if design.scale == "binary" else order


SENSITIVITIES = {
    "S": ("plug-in sensitivity S", "lowest"),
    "S_corrected": ("corrected sensitivity S", "lowest"),
}
COMPARISON_RULES: dict[str, ComparisonRule] = {
    "sensitivity": ComparisonRule(
        phrase="corrected sensitivity S",
        numbers=sensitivity_numbers,
        reach=LARGEST_S,
        best="lowest",
        further=lambda result: dict(SENSITIVITIES),
    ),
    "relationship_bias": ComparisonRule(
        phrase="bias-corrected B_all",
        numbers=bias_numbers,
        reach=4.0,
        best="lowest",
        further=bias_names,
    ),
    "js_similarity": ComparisonRule(
        phrase="Jensen-Shannon similarity", numbers=similarity_numbers, reach=1.0, bounded=True
    ),
    "ada_met": ComparisonRule(
        phrase="distance from people (ADA-Met)", numbers=distance_numbers, best="lowest"
    ),
    "trait_profile": ComparisonRule(phrase="composite", numbers=profile_numbers),
    "krippendorff_alpha": ComparisonRule(
        phrase="Krippendorff's alpha", numbers=rating_numbers, reach=2.0, bounded=True
    ),
    "mean_ratings": ComparisonRule(phrase="mean rating", numbers=rating_numbers),
    "paired_difference": ComparisonRule(
        phrase="mean difference", numbers=pair_numbers, about=condition_order, ranked=False
    ),
    "mcnemar": ComparisonRule(
        phrase="difference in shares",
        numbers=pair_numbers,
        reach=2.0,
        about=condition_order,
        ranked=False,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelDifference:
    """Two models on the units of both.

    Attributes
    ----------
    estimate : float
    influence : (units,) float64 array
        What each unit adds to the difference.
    codes : list of (units,) int64 arrays
        Clusters.
    size : float
        As of `ModelNumber`.
    drawn : tuple of DrawnRaters
        What people who are a sample add.
    complete : bool
        Whether both have these units alone.
    why : str
        Why there is no test.
    folded : bool
        As of `ModelNumber`, of one of both.
    sizes : SizeDifference or None
        Of `folded`.
    """

    estimate: float
    influence: FloatArray
    codes: list[IntArray]
    drawn: tuple[DrawnRaters, ...] = ()
    size: float = 1.0
    complete: bool = True
    why: str = ""
    folded: bool = False
    sizes: SizeDifference | None = None

    @property
    def unit(self) -> float:
        """The unit of the influence; see `size_unit`."""
        return size_unit(self.influence)

    def errors(self, *, linear: bool = True) -> MeanErrors:
        """Return the error of the difference, by what units (clusters) and people who are a sample add to it.

        It is in the unit of the influence. For numbers that are not means, the degrees of freedom over units are at
        most those of `influence_df`.
        """
        n = len(self.influence)
        unit = self.unit
        scores = (self.influence / unit)[:, None]
        shares = np.full((n, 1), 1 / max(n, 1))
        errors = mean_errors(scores, shares, self.codes, size=AGAIN * n * self.size / unit)
        if not linear and len(self.codes) < 2:
            code = self.codes[0] if self.codes else np.arange(n)
            sums = sums_by_cluster(np.unique(code, return_inverse=True)[1], self.influence / unit)
            most_df = influence_df(sums[:, None], np.ones(len(sums)))
            errors = replace(errors, df=np.minimum(errors.df, most_df))
        drawn = tuple(replace(group, scores=group.scores / unit) for group in self.drawn)
        return with_drawn(errors, drawn)


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchedModels:
    """All models, matched by the labels of their units."""

    numbers: tuple[ModelNumber, ...]
    influence_of_all: dict[int, tuple[float, FloatArray]] = field(default_factory=dict)
    all_sizes: dict[int, MeanSizes | None] = field(default_factory=dict)

    @cached_property
    def codes(self) -> list[list[IntArray]]:
        """Clusters of the units of each model, by codes that are the same for all models."""
        depth = max(len(number.clusters) for number in self.numbers)
        # a model without clusters has its units in their place, so that all have equally many factors
        labels = [
            [*number.clusters, *[number.units] * (depth - len(number.clusters))]
            for number in self.numbers
        ]
        joint = [shared_codes(*(clusters_of[k] for clusters_of in labels)) for k in range(depth)]
        return [[codes[j] for codes in joint] for j in range(len(self.numbers))]

    def influence(self, k: int) -> tuple[float, FloatArray]:
        """What each unit of a model adds to its number, computed once."""
        if k not in self.influence_of_all:
            self.influence_of_all[k] = self.numbers[k].influence(
                np.arange(len(self.numbers[k].units))
            )
        return self.influence_of_all[k]

    def difference(self, j: int, k: int) -> ModelDifference | None:
        """The difference of two models on the units of both; of all units of both, that of their own numbers."""
        first = self.numbers[j]
        second = self.numbers[k]
        # most models have the same units: what each adds is then computed once a model
        if first.units and first.units == second.units:
            complete = True
            places: tuple[IntArray, ...] = (np.arange(len(first.units)),) * 2
            a, influence_first = self.influence(j)
            b, influence_second = self.influence(k)
        else:
            match = match_keys(first.units, second.units)
            if not match.keys:
                return None
            complete = match.complete
            places = match.places
            (a, influence_first), (b, influence_second) = (
                n.influence(i) for n, i in zip((first, second), places, strict=True)
            )
        # on all units of both, also in another order, it is that of the numbers themselves
        return ModelDifference(
            estimate=first.value - second.value if complete else a - b,
            influence=influence_first - influence_second,
            size=max(first.size, second.size),
            complete=complete,
            drawn=self.drawn((j, k), places),
            codes=[code[places[0]] for code in self.codes[j]],
            why=self.moved(j, k, places),
            **self.sizes(j, k, places),
        )

    def sizes(self, j: int, k: int, at: Sequence[IntArray]) -> dict[str, Any]:
        """Return whether a size of two models folds, and then their difference in some units."""
        first = self.numbers[j]
        second = self.numbers[k]
        if not (first.folded or second.folded) or first.sizes is None or second.sizes is None:
            return {"folded": first.folded or second.folded}
        sizes_first, sizes_second = (
            self.sizes_of(m, places) for m, places in zip((j, k), at, strict=True)
        )
        if sizes_first is None or sizes_second is None:
            return {"folded": True}
        codes = [code[at[0]] for code in self.codes[j]]
        return {
            "folded": True,
            "sizes": SizeDifference.from_sizes(sizes_first, sizes_second, codes),
        }

    def sizes_of(self, k: int, at: IntArray) -> MeanSizes | None:
        """Return the values whose sizes a number averages, in some units; of all its units computed once."""
        sizes = self.numbers[k].sizes
        assert sizes is not None
        if len(at) < len(self.numbers[k].units):
            return sizes(at)
        if k not in self.all_sizes:
            self.all_sizes[k] = sizes(np.arange(len(at)))
        return self.all_sizes[k]

    def drawn(self, models: Sequence[int], at: Sequence[IntArray]) -> tuple[DrawnRaters, ...]:
        """Return what people who are a sample add to one number, or to a number less another, in some units.

        People are matched by their labels. Units are the same in both, by their places in `at`.
        """
        scores, shares, cluster, rater, side = [], [], [], list[str](), []
        # with people as a sample there is one cluster factor at most: people are the second
        codes = self.codes[models[0]]
        code = codes[0][at[0]] if codes else np.arange(len(at[0]))
        for k, (m, units) in enumerate(zip(models, at, strict=True)):
            if self.numbers[m].ratings is None:
                continue
            ratings, influence = self.numbers[m].rating_influence(units)
            if not len(influence):
                continue
            scores.append(influence * (1 - 2 * k))  # the second number is subtracted
            # (ratings,): ratings of one number count alike
            shares.append(np.full(len(influence), 1 / len(influence)))
            cluster.append(code[ratings.unit])
            rater += ratings.rater
            side.append(np.full(len(influence), k == 1))
        if not scores:
            return ()
        second = np.concatenate(side)
        has_two_sides = bool(second.any() and not second.all())
        rater_codes = np.unique(np.array(rater, dtype=object), return_inverse=True)[1]
        drawn = DrawnRaters(
            scores=np.concatenate(scores)[:, None],
            shares=np.concatenate(shares)[:, None],
            cluster=dense_codes(np.concatenate(cluster))[0],
            rater=dense_codes(rater_codes)[0],
            second=second if has_two_sides else None,
        )
        return (drawn,)

    def moved(self, j: int, k: int, at: Sequence[IntArray]) -> str:
        """State that a unit of two levels of pairs lies in different clusters, or return empty text."""
        if self.numbers[j].pairs is None:
            return ""
        agree = all(
            np.array_equal(a[at[0]], b[at[1]])
            for a, b in zip(self.codes[j], self.codes[k], strict=True)
        )
        return "" if agree else MOVED


def model_difference_row(
    first: Row,
    second: Row,
    difference: ModelDifference | None,
    reach: float,
    level: float,
    *,
    linear: bool,
) -> Row:
    """Return the row of the difference of two models: t, by what units (clusters) add to it.

    Sizes of values near 0 are not near normal: their interval and test are those of `SizeDifference`. For numbers that
    are not means, the degrees of freedom are at most those of `influence_df`, as few units may decide.
    """
    row = empty_difference(first, second)
    if difference is None:
        return replace(row, undefined=NO_SHARED_UNIT, reason="no_data")
    n = len(difference.influence)
    clusters = min((len(np.unique(code)) for code in difference.codes), default=None)
    row = replace(row, n=float(n), n_units=n, n_clusters=clusters)
    if difference.why:
        return replace(row, undefined=difference.why, reason="unidentified")
    # a unit that decides whether the number exists, or one model without it
    if np.isnan(difference.estimate):
        return replace(
            row, undefined=first.undefined or second.undefined or CHANGED, reason="no_data"
        )
    row = replace(row, estimate=difference.estimate)
    if difference.folded:
        if difference.sizes is None:
            return replace(row, undefined=NO_SIZES, reason="no_interval")
        # each of the two sizes lies between 0 and half of the largest difference
        low, high = difference.sizes.interval(level, most=reach / 2)
        return with_ends(
            row,
            low,
            high,
            level,
            within=(-reach / 2, reach / 2),
            hold=True,
            method=SIZES,
            p_value=difference.sizes.p_value(),
            interval="test_inversion",
        )
    if not np.isfinite(difference.influence).all():
        return replace(row, undefined=CHANGED, reason="no_interval")
    if any(group.raters < 2 for group in difference.drawn):
        return replace(row, undefined=ONE_PERSON, reason="unidentified")
    errors = difference.errors(linear=linear)
    if np.isnan(errors.variance[0]):
        return replace(row, undefined=SINGLE_CLUSTER, reason="one_cluster")
    method = "t of the difference on the units of both"
    method += ", over units and raters" if difference.drawn else ""
    error = float(errors.std_error[0]) * difference.unit
    return with_t(row, error, float(errors.df[0]), level, within=(-reach, reach), method=method)


def empty_difference(first: Row, second: Row) -> Row:
    """Return the row of a difference without its numbers."""
    return Row(
        term=f"{first.term} - {second.term}",
        group=DIFFERENCE,
        role="difference",
        cautions=distinct_cautions((first, second)),
        key=(("model", first.term), ("minus", second.term)),
    )


def row_without_shared_units(
    first: Row,
    second: Row,
    pairs: tuple[PairDifferences, PairDifferences],
    reach: float,
    level: float,
) -> tuple[Row, Way]:
    """Return the difference of two levels of pairs that share no unit, and whether they share clusters.

    Levels without a common cluster are independent: Welch's standard error and degrees of freedom, each variance with
    those of the level's own mean. Where clusters are in both, they are summed over both (`gap_errors`).
    """
    means = [side.mean for side in pairs]
    joint_factors = []  # for each factor the codes of both levels, equal where labels are equal
    for factors in zip(*(side.factors for side in pairs), strict=True):
        joint = shared_codes(*(factor.levels for factor in factors))
        joint_factors.append([c[factor.codes] for c, factor in zip(joint, factors, strict=True)])
    common = any(len(np.intersect1d(*codes)) for codes in joint_factors)
    row = replace(
        empty_difference(first, second),
        n=sum(mean.n for mean in means),
        n_units=int(sum(mean.n for mean in means)),
        estimate=means[0].mean - means[1].mean,
    )
    reasons = [
        f"{shorten(r.term, 40)}: {mean.undefined}"
        for r, mean in zip((first, second), means, strict=True)
        if mean.undefined
    ]
    way: Way = "clusters" if common else "apart"
    clusters = min((len(np.unique(np.concatenate(c))) for c in joint_factors), default=None)
    if reasons:
        reason: Reason = "no_variation"
        if any(mean.clusters and min(mean.clusters) < 2 for mean in means):
            reason = "one_cluster"
        elif min(mean.n for mean in means) < 2:
            reason = "one_unit"
        return replace(row, n_clusters=clusters, undefined="; ".join(reasons), reason=reason), way
    within = (-reach, reach)
    if not common:
        row_first, row_second = [
            replace(
                r,
                estimate=mean.mean,
                std_error=mean.std_error,
                n_units=int(mean.n),
                n_clusters=None,
            )
            for r, mean in zip((first, second), means, strict=True)
        ]
        dfs = (means[0].df, means[1].df)
        row = with_welch(row, row_first, row_second, level, within=within, dfs=dfs)
        return replace(row, n_clusters=clusters, method="Welch's t of two independent levels"), way
    samples = [side.sample([codes[k] for codes in joint_factors]) for k, side in enumerate(pairs)]
    error, df = gap_errors(*samples)
    method = "t of the difference, by the clusters of both levels"
    row = replace(row, n_clusters=clusters)
    return with_t(row, error, df, level, within=within, method=method), way


def rank_rows(
    rows: Sequence[Row], differences: Sequence[Row], best: str, level: float
) -> list[Row]:
    """Return the rank of each model with a number, with a set that covers all ranks at once (Holm)."""
    ranked = [row for row in rows if row.estimate is not None]
    cautions = distinct_cautions(ranked)
    index = {row.term: k for k, row in enumerate(ranked)}
    sign = 1.0 if best == "highest" else -1.0
    difference, p = (np.full((len(ranked), len(ranked)), np.nan) for _ in range(2))
    # differences without a test stay NaN: they place nobody
    for row in differences:
        cell = tuple(index.get(row.label(side) or "") for side in ("model", "minus"))
        if None not in cell and row.p_value is not None and row.estimate is not None:
            difference[cell] = sign * row.estimate
            difference[cell[::-1]] = -sign * row.estimate
            p[cell] = p[cell[::-1]] = row.p_value
    strength = sign * np.array([row.estimate for row in ranked], dtype=np.float64)
    # rank sets need the order alone, and squares of large numbers would overflow
    strength /= np.abs(strength).max(initial=0.0) or 1.0
    sets = holm_rank_sets(strength, difference, p, level=level, simultaneous=True)
    ranks = []
    for row in rows:
        rank = Row(term=row.term, group=RANK, role="rank", key=(("model", row.term),))
        k = index.get(row.term)
        if k is None:
            ranks.append(replace(rank, undefined=row.undefined))
            continue
        rank = replace(
            rank,
            estimate=float(sets.rank[k]),
            method="simultaneous rank set, Holm's method, step-down",
            cautions=cautions,
        )
        ranks.append(with_ends(rank, float(sets.low[k]), float(sets.high[k]), level))
    return ranks


class ModelEntry(NamedTuple):
    """The number of a model, with the label of its result and the result."""

    label: str
    result: Result
    number: ModelNumber


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
    negative. p is 1 less the level at which it ends at 0 (`socialstats.paired.size_differences.SizeDifference`).

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
    by_model = (
        {"": results}
        if isinstance(results, Result)
        else results_by_model(results, "compare_models")
    )
    checked_level(level)
    rule, number = comparison_rule(by_model, number)
    entries = [
        ModelEntry(model, result, model_number)
        for model, result in by_model.items()
        for model_number in rule.numbers(result, model, number)
    ]
    check_scales(by_model)
    averaged: tuple[str, ...] = ()
    left_out: dict[str, str] = {}
    if average:
        entries, averaged, left_out = average_entries(entries, level)
    # one result with all models, one result per model, or several results with several models each
    several = len(by_model) > 1
    single_numbers = len(entries) == len(by_model)
    numbers: tuple[ModelNumber, ...] = ()
    for label, _, model_number in entries:
        row = model_number.row
        if several and row.term != label:
            row = replace(row, term=f"{label}: {row.term}")
        numbers += (replace(model_number, row=row),)
    if len(numbers) < 2:
        raise InputError(
            f"compare_models() compares two models or more; these results have {count(len(numbers))}"
        )
    matched = MatchedModels(numbers=numbers)
    # signed differences keep the decimals of their pages
    more_key = () if rule.ranked else (("measure", "difference"),)
    number_rows = [
        replace(
            row,
            group=NUMBER,
            role="estimate",
            key=(("model", row.term), *more_key),
            p_adjusted=None,
        )
        for row in (model_number.row for model_number in numbers)
    ]
    number_rows = number_rows if rule.ranked else rows_with_holm(number_rows, HOLM, fewest=2)
    linear = all(model_number.linear for model_number in numbers)
    raters = raters_text(by_model, numbers)
    tested = [
        difference_and_way(number_rows, matched, j, k, rule, level, linear=linear)
        for j, k in combinations(range(len(numbers)), 2)
    ]
    differences = rows_with_holm([row for row, _ in tested], HOLM)
    ways = {row.term: way for row, way in tested}
    shared = frozenset(term for term, way in ways.items() if way == "part")
    first_result = next(iter(by_model.values()))
    noun = (
        noun_or(results.by, "group")
        if isinstance(results, ResultGroup) and single_numbers
        else "model"
    )
    phrase = rule.phrase
    ranks = rank_rows(number_rows, differences, rule.best, level) if rule.ranked else []
    rows = share_decimals((*number_rows, *ranks, *differences))
    settings = {"number": phrase, "best": rule.best, "level": level}
    if raters:
        settings["people"] = people_setting(by_model.values())
    named_units = {name for model_number in numbers for name in model_number.units}
    # pairs without names of their units are different units
    unnamed = (m.pairs.mean.n for m in numbers if m.pairs is not None and not m.units)
    words = sentence(rows, phrase, rule, level, noun, shared=shared)
    inference = f"{listing(ways_of_comparing(ways))}; {dependence_text(first_result)}"
    inference += f"; {raters}" * bool(raters)
    inference += "; rank sets by Holm's method" * rule.ranked
    cautions = (
        *left_out_caution(averaged, left_out),
        *(differing_models_caution(by_model) if single_numbers and not average else ()),
        *missing_units_caution(numbers, ways),
    )
    works = ["efrontibshirani1993"] * rule.ranked + ["bellmccaffrey2002", "holm1979"]
    works += ["mogstad2024"] * rule.ranked
    works += ["welch1947"] * ("apart" in ways.values())
    works += ["zoudonner2008"] * any(model_number.folded for model_number in numbers)
    extras = {
        "by_model": results_of_models(rows[: len(numbers)], numbers, entries, phrase),
        "numbers": numbers,
        "kind": rule,
        "shared": shared,
        "ways": ways,
        "noun": noun,
        "unit": independent_units(first_result),
        "cluster": independent_clusters(first_result),
        "pairs": pairs_are_independent(first_result),
        "crossed": several and len(entries) > len(by_model),
        "average": average,
        "averaged": averaged,
        "left_out": left_out,
    }
    return Result(
        metric=first_result.metric,
        title=f"{count(len(numbers), 'model')} by {phrase}",
        rows=rows,
        inference=inference,
        counts={"models": len(numbers), "units": len(named_units) + sum(map(int, unnamed))},
        settings=settings,
        cautions=cautions,
        references=tuple(works),
        design=first_result.design,
        words=words + common_text(averaged, left_out, noun),
        extras=extras,
        check="socialstats.crosscheck.compare_models:checks_of",
    )


def comparison_rule(
    results: Mapping[str, Result], number: str | None
) -> tuple[ComparisonRule, str | None]:
    """Return how results are compared, and the name of the number, None for the default of their metric."""
    metrics = {result.metric for result in results.values()}
    if len(metrics) != 1 or not metrics <= set(COMPARISON_RULES):
        raise InputError(
            f"compare_models() takes results of one of {quoted(list(COMPARISON_RULES), 20)}, not "
            f"{quoted(sorted(metrics), 10) or 'none'}"
        )
    metric = metrics.pop()
    corrected, plain = UNCORRECTED.get(metric, ("", ""))
    # one kind of number for all: corrected and uncorrected ones do not compare
    if (
        corrected
        and number is None
        and any(r.row(corrected).estimate is None for r in results.values())
    ):
        number = plain
    return COMPARISON_RULES[metric].select(number, results), number


def results_of_models(
    rows: Sequence[Row], numbers: Sequence[ModelNumber], entries: Sequence[ModelEntry], phrase: str
) -> dict[str, Result]:
    """Return a result of each model with its number alone, as `over_models` takes them."""
    results = {}
    for row, model_number, entry in zip(rows, numbers, entries, strict=True):
        alone = replace(row, term=phrase, group=None, key=model_number.row.key)
        # the words stay those of the metric
        result = entry.result
        results[row.term] = replace(result, rows=(alone,), words=result.sentence())
    return results


def average_entries(
    entries: Sequence[ModelEntry], level: float
) -> tuple[list[ModelEntry], tuple[str, ...], dict[str, str]]:
    """Return one number per result, the mean of its models; the models that are averaged; why others are not."""
    by_level: dict[str, dict[str, ModelNumber]] = {}
    for entry in entries:
        by_level.setdefault(entry.label, {})[entry.number.row.term] = entry.number
    results = {entry.label: entry.result for entry in entries}
    models, left_out = common_models(by_level)
    means = {
        label: average_numbers(label, [by_model[name] for name in models], level)
        for label, by_model in by_level.items()
    }
    averages = [ModelEntry(label, results[label], mean) for label, mean in means.items()]
    return averages, models, left_out


def people_setting(results: Iterable[Result]) -> str:
    """Return how results take people: ``"random"``, ``"fixed"`` or, where they differ, ``"mixed"``."""
    ways = {str(result.settings.get("people", "fixed")) for result in results}
    return ways.pop() if len(ways) == 1 else "mixed"


def raters_text(results: Mapping[str, Result], numbers: Sequence[ModelNumber]) -> str:
    """State whose population differences speak of, where models are compared by ratings; else nothing."""
    designs = [result.design for result in results.values()]
    if not all(isinstance(design, Ratings) for design in designs):
        return ""
    ratings = [number.ratings for number in numbers if number.ratings is not None]
    people = {label for part in ratings for label in part.rater}
    if people:
        fixed = [model for model, result in results.items() if people_setting([result]) == "fixed"]
        described = f"raters of {quoted(fixed, 3)}" if fixed else "models"
        return f"{count(len(people), 'human rater')} as a sample, {described} as they are"
    n = len({rater for design in designs for rater in design.raters})
    return f"for {'this source' if n == 1 else f'these {count(n)} raters'}"


WAYS: dict[Way, str] = {
    "units": "t of differences on the units of both, by what each unit adds to them (jackknife)",
    "apart": "Welch's t of levels without a common unit",
    "clusters": "t of differences by clusters that both levels have",
}


def ways_of_comparing(ways: Mapping[str, Way]) -> list[str]:
    """Return by which tests models are compared."""
    used = {"units" if way == "part" else way for way in ways.values()}
    return [text for way, text in WAYS.items() if way in used]


def difference_and_way(
    rows: Sequence[Row],
    matched: MatchedModels,
    j: int,
    k: int,
    rule: ComparisonRule,
    level: float,
    *,
    linear: bool,
) -> tuple[Row, Way]:
    """Return the difference of two models, and on which units it is."""
    first = matched.numbers[j]
    second = matched.numbers[k]
    difference = matched.difference(j, k)
    if difference is None and first.pairs is not None and second.pairs is not None:
        return row_without_shared_units(
            rows[j], rows[k], (first.pairs, second.pairs), rule.reach, level
        )
    row = model_difference_row(rows[j], rows[k], difference, rule.reach, level, linear=linear)
    return row, "units" if difference is None or difference.complete else "part"


def check_scales(results: Mapping[str, Result]) -> None:
    """Raise InputError where numbers have no common unit: ratings on other levels, pairs of other conditions."""
    pairs: dict[str, tuple[str, ...]] = {}
    for model, result in results.items():
        design = result.design
        if isinstance(design, Paired):
            factors = cluster_factors(design, result.settings["cluster"])
            names = (factor.name for factor in factors)
            pairs[model] = (*design.conditions, *design.levels, *names)
    for model, facts in pairs.items():
        first = next(iter(pairs))
        if facts != pairs[first]:
            raise InputError(
                f"pairs of '{shorten(first, 40)}' have the conditions, levels and clusters "
                f"{quoted(pairs[first], 8)}, those of '{shorten(model, 40)}' {quoted(facts, 8)}: their "
                f"differences are not compared. Read both with the same {option('conditions')}, "
                f"{option('levels')} and {option('cluster')}"
            )
    scales = {
        model: result.design.levels
        for model, result in results.items()
        if isinstance(result.design, Ratings) and result.design.levels_declared
    }
    first_model, *other_models = scales or ("",)
    for model in other_models:
        if scales[model] != scales[first_model]:
            raise InputError(
                f"ratings of '{shorten(first_model, 40)}' have the levels {quoted(scales[first_model], 8)}, those of "
                f"'{shorten(model, 40)}' {quoted(scales[model], 8)}: numbers on different scales are not "
                f"compared. Read both with the same {option('levels')}"
            )


def common_models(
    by_level: Mapping[str, Mapping[str, ModelNumber]],
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the models whose numbers are averaged at every level, and why each other one is left out.

    Raises
    ------
    InputError
        If no model has a number at every level.
    """
    models = list(dict.fromkeys(model for by_model in by_level.values() for model in by_model))
    left_out: dict[str, str] = {}
    for model in models:
        lacking = [
            level
            for level, by_model in by_level.items()
            if model not in by_model or np.isnan(by_model[model].value)
        ]
        if lacking:
            left_out[model] = f"no number at {quoted(lacking, 5)}"
    shared = [model for model in models if model not in left_out]
    if not shared:
        raise InputError(
            f"no model has a number at each of {quoted(list(by_level), 10)}: there is no mean over the "
            f"same models ({option('average', True)})"
        )
    # a model with few units would leave few for the means of all
    for level, by_model in by_level.items():
        units = len({name for model in shared for name in by_model[model].units})
        n_units = np.array([len(by_model[model].units) for model in shared])
        suffice = mostly_complete(n_units, units)
        for model, n, suffices in zip(shared, n_units.tolist(), suffice.tolist(), strict=True):
            if not suffices:
                left_out.setdefault(
                    model, f"{count(n)} of {count(units, 'unit')} at '{shorten(level, 40)}'"
                )
    return tuple(model for model in shared if model not in left_out), left_out


def common_text(models: Sequence[str], left_out: Mapping[str, str], noun: str) -> str:
    """State of which models the numbers of levels are, where some were left out."""
    if not left_out:
        return ""
    return (
        f" These numbers are of the {count(len(models), 'model')} that every {noun} has ({quoted(models, 5)}); left "
        f"out: {left_out_text(left_out)}."
    )


def left_out_text(left_out: Mapping[str, str]) -> str:
    """Name the models that are left out, each with the reason."""
    return listing([f"'{shorten(model, 40)}' ({why})" for model, why in left_out.items()], 5)


def left_out_caution(models: Sequence[str], left_out: Mapping[str, str]) -> tuple[Caution, ...]:
    """Caution SS342: models that are not in a mean over models, as they lack a level or most of its units."""
    if not left_out:
        return ()
    return (
        caution(
            "SS342",
            f"levels are compared on the {count(len(models), 'model')} that all have; left out: "
            f"{left_out_text(left_out)}",
            affects="levels, whose comparison says nothing of the models left out",
            fix="collect the missing answers",
        ),
    )


def differing_models_caution(results: Mapping[str, Result]) -> tuple[Caution, ...]:
    """Caution SS342: models of some levels that others lack, where one number is of all models of a level."""
    models_of_level = {
        level: set(models_of(result.design)) if isinstance(result.design, Ratings) else set()
        for level, result in results.items()
    }
    # levels without any common model are compared as they are: the factor may be the model itself
    all_models = set.union(*models_of_level.values())
    shared = set.intersection(*models_of_level.values())
    missing = {
        level: sorted(all_models - models)
        for level, models in models_of_level.items()
        if models != all_models
    }
    if not missing or not shared:
        return ()
    lacking = listing(
        [f"'{shorten(level, 40)}' lacks {quoted(names, 5)}" for level, names in missing.items()], 5
    )
    return (
        caution(
            "SS342",
            f"levels pool different models: {lacking}",
            affects="numbers and differences of levels that pool their models",
            fix="compare the levels on the models that all of them have",
        ),
    )


def average_numbers(label: str, numbers: Sequence[ModelNumber], level: float) -> ModelNumber:
    """Return the mean of the numbers of some models, by the units that all of them have, with its t interval."""
    match = match_keys(*(number.units for number in numbers))
    units = match.keys
    places = match.places
    dense = [
        np.asarray(
            number.sums[k] if isinstance(number.sums, np.ndarray) else number.sums[k].toarray()
        )
        for number, k in zip(numbers, places, strict=True)
    ]
    # the sums of all models side by side, (units, sum of their k)
    ends = np.cumsum([0, *(part.shape[1] for part in dense)]).tolist()

    def finish(sums: FloatArray) -> FloatArray:
        parts = [
            number.finish(sums[:, a:b])
            for number, a, b in zip(numbers, ends[:-1], ends[1:], strict=True)
        ]
        return np.asarray(np.mean(parts, axis=0))

    first = numbers[0]
    clusters = tuple(tuple(labels[k] for k in places[0].tolist()) for labels in first.clusters)
    sums = np.concatenate(dense, axis=1)
    if match.complete:
        value = float(np.mean([number.value for number in numbers]))
    else:
        value = float(finish(sums.sum(axis=0)[None])[0])
    parts = []
    padded = []
    for model_number, k, start, end in zip(numbers, places, ends[:-1], ends[1:], strict=True):
        if model_number.ratings is not None:
            parts.append(model_number.ratings.at(k))
            # a person adds to the sums of the rated model alone
            padded.append(np.pad(parts[-1].sums, ((0, 0), (start, ends[-1] - end))))
    ratings = None
    if parts:
        ratings = RatingParts(
            unit=np.concatenate([part.unit for part in parts]),
            rater=tuple(label for part in parts for label in part.rater),
            sums=np.concatenate(padded),
        )
    average = ModelNumber(
        row=Row(term=label),
        units=units,
        clusters=clusters,
        sums=sums,
        finish=finish,
        value=value,
        linear=first.linear,
        size=max(number.size for number in numbers),
        ratings=ratings,
    )
    matched = MatchedModels(numbers=(average,))
    all_units = np.arange(len(units))
    row = Row(term=label, estimate=None if np.isnan(value) else value)
    code = matched.codes[0]
    influence = average.influence(all_units)[1]
    drawn = matched.drawn((0,), (all_units,))
    # its error is that of a difference from 0
    alone = ModelDifference(
        estimate=value, influence=influence, codes=code, drawn=drawn, size=average.size
    )
    if row.estimate is not None:
        errors = alone.errors()
        error = float(errors.std_error[0]) * alone.unit
        row = with_t(row, error, float(errors.df[0]), level, test=False)
    return replace(
        average,
        row=replace(row, n_units=len(units), method=f"mean of {count(len(numbers), 'model')}, t"),
    )


def dependence_text(result: Result) -> str:
    """State what the errors of differences take as independent."""
    if result.metric == "sensitivity":
        return cluster_text(cluster_factors(result.design, result.settings["cluster"]))
    if result.metric == "trait_profile":
        return "scenarios (or the clusters that hold them)"
    return cluster_text(
        cluster_factors(result.design, result.settings.get("cluster", "declared")), "units"
    )


def fewest_clusters(result: Result) -> Factor | None:
    """Return the cluster factor with the fewest levels; None where units are independent."""
    factors = cluster_factors(result.design, result.settings.get("cluster", "declared"))
    return min(factors, key=lambda factor: len(factor.levels)) if factors else None


def pairs_are_independent(result: Result) -> bool:
    """Return whether pairs of items are what is independent."""
    factor = fewest_clusters(result)
    return result.metric == "sensitivity" and factor is not None and factor.name == "pair"


def independent_clusters(result: Result) -> str | None:
    """Return the name of the clusters that are independent; None for units, scenarios and pairs of items."""
    if result.metric == "trait_profile" or pairs_are_independent(result):
        return None
    factor = fewest_clusters(result)
    return None if factor is None else factor.name


def independent_units(result: Result) -> str:
    """Return what is independent, in the plural: the clusters of the factor with the fewest, or the units."""
    if result.metric == "trait_profile":
        return "scenarios"
    factor = fewest_clusters(result)
    if factor is None:
        return "units"
    if pairs_are_independent(result):
        return "pairs of items"
    return f"clusters of {shorten(factor.name, 40)}"


def missing_units_caution(
    numbers: Sequence[ModelNumber], ways: Mapping[str, Way]
) -> tuple[Caution, ...]:
    """Caution SS342: models that lack units which others have; levels that share none with any other are left aside."""
    sharing: dict[int, ModelNumber] = {}  # by identity: numbers hold arrays, and are not hashable
    for couple, way in zip(combinations(numbers, 2), ways.values(), strict=True):
        if way in ("units", "part"):
            sharing |= {id(number): number for number in couple}
    numbers = list(sharing.values())
    all_units = {name for number in numbers for name in number.units}
    incomplete = [
        (number.row.term, len(all_units) - len(number.units), number.refused)
        for number in numbers
        if len(number.units) < len(all_units)
    ]
    if not incomplete:
        return ()
    shared = len(match_keys(*(number.units for number in numbers)).keys)
    lacking = listing(
        [
            f"'{shorten(model, 40)}' {count(n)}"
            + (f" ({count(refused)} refused)" if refused else "")
            for model, n, refused in incomplete
        ],
        5,
    )
    # where every missing answer is a refusal, there is nothing to collect
    all_refused = all(n == refused for _, n, refused in incomplete)
    return (
        caution(
            "SS342",
            f"of {count(len(all_units), 'unit')} these lack: {lacking}; all models share {count(shared)}",
            affects=(
                "numbers, which are over each model's own units; differences are on the units "
                "that both models have"
            ),
            fix="report the refusals beside the numbers"
            if all_refused
            else "collect the missing units",
        ),
    )


def sorted_numbers(rows: Sequence[Row], best: str) -> list[Row]:
    """Return the numbers that exist, rank 1 first."""
    sign = -1.0 if best == "highest" else 1.0
    return sorted(
        (row for row in rows if row.group == NUMBER and row.estimate is not None),
        key=lambda row: sign * (row.estimate or 0.0),
    )


MOST_NAMED = 3  # significant differences that sentences name


def named_differences(rows: Sequence[Row]) -> list[Row]:
    """Return the differences that sentences name: the significant ones of up to three, else the largest."""
    tested = [row for row in rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    significant_rows = [row for row in tested if is_significant(row)]
    if 0 < len(significant_rows) <= MOST_NAMED:
        return significant_rows
    return sorted(tested, key=lambda row: -abs(row.estimate or 0.0))[:1]


def with_the(phrase: str) -> str:
    """Return a quantity with its article; one that belongs to a person has none.

    Examples
    --------
    >>> with_the("mean rating"), with_the("Krippendorff's alpha")
    ('the mean rating', "Krippendorff's alpha")
    """
    return phrase if "'s " in phrase else f"the {phrase}"


def model_difference_sentence(row: Row, phrase: str, *, shared: bool = False) -> str:
    """Return the difference of two models as a sentence, the model with the larger number first."""
    larger, smaller = (shorten(row.label(side) or "", 40) for side in ("model", "minus"))
    if (row.estimate or 0.0) < 0:
        larger, smaller, row = smaller, larger, negate_row(row)
    quantity = f"{with_the(phrase)}{' on shared units' if shared else ''}"
    return difference(quantity, larger, smaller, row)


def sentence(
    rows: Sequence[Row],
    phrase: str,
    rule: ComparisonRule,
    level: float,
    noun: str,
    *,
    shared: Collection[str] = (),
) -> str:
    """Return the highest and the lowest number; for two their difference, for more what is significant, and ranks.

    `shared`: terms of the differences that are on shared units only.
    """
    numbers = sorted_numbers(rows, rule.best)
    if not numbers:
        return f"No {noun} has a {phrase}."
    differences = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in differences if row.p_adjusted is not None]
    if numbers[0].estimate == numbers[-1].estimate and rule.ranked:
        return extremes_sentence(rows, phrase, rule, noun)
    text = f"{extremes_sentence(rows, phrase, rule, noun)} {differences_sentence(rows, phrase, noun, shared=shared)}"
    ranks = [row for row in rows if row.group == RANK]
    if len(differences) == 1 or not tested or not ranks:
        return text
    first = [row.term for row in ranks if row.conf_low == 1]
    approximate = name_of_interval(ranks[0])
    later = [row.term for row in numbers if row.term not in first]
    who = f"all but {listing(shortened(later), 5)}" if later and len(later) < len(first) else ""
    return (
        f"{text} {capital(f'{approximate}{percent_of(level)}')} simultaneous rank intervals included rank 1 (the "
        f"{rule.best}) for {count(len(first))} of {count(len(numbers), noun)} ({who or listing(shortened(first), 5)})."
    )


def extremes_sentence(rows: Sequence[Row], phrase: str, rule: ComparisonRule, noun: str) -> str:
    """Return the highest and the lowest number, or the one number of all."""
    numbers = sorted_numbers(rows, rule.best)
    low, high = (numbers[0], numbers[-1]) if rule.best == "lowest" else (numbers[-1], numbers[0])
    if low.estimate == high.estimate:
        if len({apa_interval(row) for row in numbers}) == 1:
            models = count(len(numbers), noun)
            return (
                f"{capital(with_the(phrase))} was the same for all {models} ({estimate_text(low)})."
            )
        # several numbers beyond what is possible are equal at the limit, and their intervals are not
        at = "cut at " * (low.limits is not None and low.estimate in low.limits)
        bounds = listing(
            [f"{shorten(row.term, 40)}: {apa_interval(row)}" for row in numbers], most=4
        )
        return (
            f"{capital(with_the(phrase))} of each {noun} was {at}{number(low.shown())} ({bounds})."
        )
    tied = [sum(row.estimate == end.estimate for row in numbers) - 1 for end in (high, low)]
    highest, lowest = (
        f"{shorten(end.term, 40)} ({estimate_text(end)})"
        + f", tied with {count(n, f'other {noun}')}" * (n > 0)
        for end, n in zip((high, low), tied, strict=True)
    )
    return f"{capital(with_the(phrase))} was highest for {highest}{',' * (tied[0] > 0)} and lowest for {lowest}."


def differences_sentence(
    rows: Sequence[Row], phrase: str, noun: str, *, shared: Collection[str] = ()
) -> str:
    """Return the difference of two models, or how many of several were significant, and what could not be tested."""
    differences = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in differences if row.p_adjusted is not None]
    models = count(sum(row.group == NUMBER and row.estimate is not None for row in rows), noun)
    if not tested and not (len(differences) == 1 and differences[0].conf_low is not None):
        intervals = [row for row in differences if row.conf_low is not None]
        excluding = count(sum(direction(row) != "none" for row in intervals))
        n = count(len(intervals), "difference")
        more = f" Unadjusted CIs of {excluding} of {n} excluded 0." if intervals else ""
        return f"No difference of {models} could be tested ({differences[0].undefined}).{more}"
    if len(differences) == 1:
        # Holm's p of one test is its own
        row = replace(differences[0], p_adjusted=None)
        return model_difference_sentence(row, phrase, shared=row.term in shared)
    untested = len(differences) - len(tested)
    what = f"{'tested ' if untested else ''}differences between {plural_of(noun)}"
    text = some_of(sum(is_significant(row) for row in tested), len(tested), what)
    why = {row.undefined for row in differences if row.p_adjusted is None}
    reason = f" ({why.pop()})" if len(why) == 1 else ""
    if untested:
        text += f" {count(untested, 'difference')} could not be tested{reason}."
    return text


# what the column of the models may be called in their own table
MODEL_NAMES = ("model", "source", "rater", "name")


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
    models_of_table, columns = groupings(read, MODEL_NAMES, "model")
    missing = [model for model in models if model not in models_of_table]
    if missing:
        raise InputError(
            f"{read.source}: no row of {quoted(missing)}; it has {quoted(sorted(models_of_table), 20)}. Give each "
            "model that is compared a row, under the name that it has in the data"
        )
    factors = {
        factor: {model: levels[model] for model in models if model in levels}
        for factor, levels in columns.items()
    }
    return {factor: levels for factor, levels in factors.items() if levels}
