"""The number that models are compared by, as a function of sums over units: one rule for each metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.choices.conditions import condition_table, labels_of_pairs, sensitivity_terms
from socialstats.designs.parts import REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.means import SeparateSample
from socialstats.paired.pair_values import pair_values
from socialstats.paired.size_differences import MeanSizes
from socialstats.resampling import PlanUnits
from socialstats.results import Result, Row
from socialstats.results.rows import rows_with
from socialstats.scales.measures import (
    ALPHA,
    Measure,
    RatingParts,
    alpha_measure,
    distance_measure,
    mean_rating_measure,
)
from socialstats.scales.traits import answers_and_clusters, composites
from socialstats.shares.counts import SourceCounts, source_counts, source_factor
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.sources import human_source, people_of
from socialstats.text import quoted, shorten
from socialstats.voice import option

SIZE = "B_all corrected"
PLAIN_SIZE = "B_all"
# the number that is compared, and the one in its place where some result has no corrected number
UNCORRECTED = {"sensitivity": ("S_corrected", "S"), "relationship_bias": (SIZE, PLAIN_SIZE)}
# 100 (1 + 1/4 + 1): win rates as far from their targets 1, 1/2 and 0 as they can be
LARGEST_S = 225.0
BLOCK = 2_000_000  # numbers of sums without a unit that are in memory at once


# groups of rows
NUMBER = "number"
RANK = "rank"


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
    superlative : str
        What the model with rank 1 is, in everyday terms; empty where the number has none.
    """

    phrase: str
    numbers: Callable[[Result, str, str | None], list[ModelNumber]]
    reach: float = np.inf
    best: str = "highest"
    bounded: bool = False
    further: Callable[[Result], Mapping[str, tuple[str, str]]] = lambda result: {}
    about: Callable[[Result], str] | None = None
    ranked: bool = True
    superlative: str = ""

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
        # no group of names is the best of two
        superlative = self.superlative if best == self.best else ""
        return replace(self, phrase=phrase, best=best, superlative=superlative)


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
        superlative="follows the rule most closely",
        further=lambda result: dict(SENSITIVITIES),
    ),
    "relationship_bias": ComparisonRule(
        phrase="bias-corrected B_all",
        numbers=bias_numbers,
        reach=4.0,
        best="lowest",
        superlative="is least biased",
        further=bias_names,
    ),
    "js_similarity": ComparisonRule(
        phrase="Jensen-Shannon similarity",
        numbers=similarity_numbers,
        reach=1.0,
        bounded=True,
        superlative="is most like people",
    ),
    "ada_met": ComparisonRule(
        phrase="distance from people (ADA-Met)",
        numbers=distance_numbers,
        best="lowest",
        superlative="is nearest to the answers of people",
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
