"""Distances of answers from the modes of groups (ADA-Met), their variance and resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.parts import MISSING, OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.resampling import PlanUnits
from socialstats.resampling.engine import factor_blocks
from socialstats.resampling.permutation import TIE
from socialstats.rounding import AGAIN, EPS, SPARE, gated, left_of_sums
from socialstats.scales.modes import mode_distances
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NOT_ASKED, EXCLUDED = -1, -2


class Distances(NamedTuple):
    """Distances (b, units, levels), and (b, units) 1 where the unit has a mode, else 0."""

    values: FloatArray
    has_mode: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedAnswers:
    """Answers to the units that the reference and a model answered, joined by unit.

    Attributes
    ----------
    scores : (k,) float64 array, ascending
    labels : tuple of str
        Levels in the order of `scores`.
    unit : (units,) int64 array
        Index of each unit in the design.
    weight : (units,) float64 array
        Alike units.
    people, models : int64 arrays
        Indexes of raters in the design: reference raters with an answer, and all others.
    table : (people, units * k) sparse array
        1 where a person gave the unit this level.
    answer : (models, units) int64 array
        Level; k a refusal (or what counts as one); -1 not asked; -2 unparsed and left out.
    shares : (models, units, k + 1) float64 array
        Each answer as 1, or the probabilities of a reply's levels; all 0 for -1 and -2.
    status : (models, units) int64 array
        0 ok, 1 missing, 2 refusal, -1 not asked.
    left_out : tuple of str
        Units that a model answered and no reference rater did.
    unanswered : int
        Units of the reference that no model was asked.
    ties : str
    refusal : str or float
        What counts as the mode, and as the distance of a refusal; see `mode_distances`.
    """

    scores: FloatArray
    labels: tuple[str, ...]
    unit: IntArray
    weight: FloatArray
    people: IntArray
    models: IntArray
    table: csr_array
    answer: IntArray
    shares: FloatArray
    status: IntArray
    left_out: tuple[str, ...]
    unanswered: int
    ties: str
    refusal: str | float

    def counts(self, people: FloatArray) -> FloatArray:
        """Weighted answers of the reference, (b, people) to (b, units, k); resamples lie side by side in memory."""
        product: FloatArray = self.table.T.tocsr() @ np.ascontiguousarray(people.T)
        return product.reshape(len(self.unit), len(self.scores), len(people)).transpose(2, 0, 1)

    @property
    def pooled_counts(self) -> FloatArray:
        """Answers of the reference, (units, k)."""
        return np.asarray(self.counts(np.ones((1, len(self.people))))[0])

    def distances(self, counts: FloatArray) -> Distances:
        """Distances (..., units, k + 1) from the modes of counts and, as 0 or 1, whether there is a mode."""
        values, has_mode = mode_distances(counts, self.scores, self.ties, self.refusal)
        return Distances(values, has_mode.astype(np.float64))

    def of_people(self, index: IntArray) -> JoinedAnswers:
        """Return the same units with the answers of some of the people."""
        return replace(self, people=self.people[index], table=self.table[index])

    @property
    def block(self) -> int:
        """Resamples computed at once; depends on the table alone, and so do the sums' roundings."""
        return int(max(8, BLOCK_MEMORY // (8 * len(self.unit) * (len(self.scores) + 1))))


def source_and_reference(design: Ratings, source: str, reference: str | None) -> tuple[Factor, int]:
    """Return the factor of the raters' sources, and the code of the reference.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    groups = design.rater_groups
    name = source
    if source == "source" and source not in groups:
        name = design.columns.get("rater_source", source)
    if name not in groups:
        raise InputError(
            f"{option('source', shorten(source))} is no rater group (declared: {quoted(list(groups)) or 'none'}). Say "
            f"which raters are the reference: make the design with {option('rater_source', typed='--rater-source')}, "
            "a column of human and model"
        )
    factor = groups[name]
    level = "human" if reference is None else reference
    if level not in factor.levels:
        none = f"no {option('reference')} is given, and 'human'"
        subject = none if reference is None else option("reference", shorten(reference))
        raise InputError(
            f"{subject} is not a level of '{shorten(name)}'. Levels: {quoted(factor.levels, 10)}"
        )
    return factor, factor.levels.index(level)


def join_answers(
    design: Ratings,
    source: Factor,
    reference: int,
    *,
    unparsed: str,
    ties: str,
    refusal: str | float,
) -> JoinedAnswers:
    """Join the answers of models and reference by unit.

    Raises
    ------
    InputError
        For nominal levels: they have no positions.
    NothingToAnalyse
        If there is no model, or no unit that both answered.
    """
    from scipy.sparse import csr_array

    if design.scale == "nominal":
        raise InputError(
            f"the levels {quoted(design.levels)} are nominal, and a distance needs their order: declare "
            f"{option('levels')} from lowest to highest and {option('scale', 'ordinal', '--scale ordinal')}"
        )
    by_reference = source.codes[design.rater] == reference
    human = by_reference & (design.status == OK)
    units = np.intersect1d(design.unit[human], design.unit[~by_reference])
    models = np.unique(design.rater[~by_reference])
    if not len(units):
        sources = listing([shorten(level) for level in source.levels])
        raise NothingToAnalyse(
            f"{design.source}: no unit has an answer of the reference ('{shorten(source.levels[reference])}') and of a "
            f"rater outside it (sources: {sources}); units are joined by their labels"
        )
    order = np.argsort(design.scores, kind="stable")
    rank, k = np.append(np.argsort(order), -1), len(order)
    left_out = np.setdiff1d(design.unit[~by_reference], units)
    unanswered = np.setdiff1d(design.unit[human], units)
    # index of each unit of the design among those that both answered; -1 for others
    index = np.full(len(design.units), -1, dtype=np.int64)
    index[units] = np.arange(len(units))
    human &= index[design.unit] >= 0
    # the table of people, (people, units * k): one entry for each answer
    people, row = np.unique(design.rater[human], return_inverse=True)
    column = index[design.unit[human]] * k + rank[design.value[human]]
    entries = np.ones(len(row))
    by_model = ~by_reference & (index[design.unit] >= 0)
    value = np.where(design.status == REFUSAL, k, rank[design.value])
    value = np.where(design.status == MISSING, k if unparsed == "refusal" else EXCLUDED, value)
    answer, status = (np.full((len(models), len(units)), NOT_ASKED) for _ in range(2))
    cell = np.searchsorted(models, design.rater[by_model]), index[design.unit[by_model]]
    probabilities = design.read_as(refusals=True)[:, [*order, k]]
    probabilities[design.status == MISSING, k] = float(unparsed == "refusal")
    if design.shared is not None:  # a person's answers to a unit count as one
        rating, level = np.nonzero(probabilities[human][:, :k])
        entries = probabilities[human][rating, level]
        row, column = row[rating], index[design.unit[human]][rating] * k + level
    shares = np.zeros((len(models), len(units), k + 1))
    shares[cell] = probabilities[by_model]
    answer[cell], status[cell] = value[by_model], design.status[by_model]
    return JoinedAnswers(
        scores=design.scores[order],
        labels=tuple(design.levels[k] for k in order.tolist()),
        unit=units,
        weight=design.unit_count[units],
        people=people,
        models=models,
        table=csr_array((entries, (row, column)), shape=(len(people), len(units) * k)),
        answer=answer,
        shares=shares,
        status=status,
        left_out=tuple(design.units[u] for u in left_out.tolist()),
        unanswered=len(unanswered),
        ties=ties,
        refusal=refusal,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Targets:
    """Means over units, as sums of chosen distances: one column per mean.

    Attributes
    ----------
    pick : (means, units * (k + 1)) sparse array
        Share of each possible answer; of a difference, minus that of the other.
    asked : (means, units) sparse array
        1 where the unit counts.
    """

    pick: csr_array
    asked: csr_array

    @classmethod
    def from_shares(cls, shares: Sequence[FloatArray], minus: Sequence[FloatArray] = ()) -> Targets:
        """Make means of shares (units, k + 1) of each possible answer; a row of zeros is a unit that does not count.

        The last means are differences: less the shares in `minus`, over the units that have both.
        """
        from scipy.sparse import csr_array, vstack

        picks, counted = [], []
        # j counts up to 0 where the differences begin
        for j, share in enumerate(shares, len(minus) - len(shares)):
            has_answer = np.asarray(share.any(axis=1))
            if j >= 0:
                has_answer = has_answer & minus[j].any(axis=1)
                share = (share - minus[j]) * has_answer[:, None]
            picks.append(csr_array(share.reshape(1, -1)))
            counted.append(csr_array(has_answer.astype(np.float64)[None, :]))
        return cls(pick=csr_array(vstack(picks)), asked=csr_array(vstack(counted)))

    def means(self, distances: FloatArray, weight: FloatArray) -> FloatArray:
        """Weighted means, (b, units, k + 1) and (b, units) to (b, means); NaN where no unit counts."""
        # resamples lie side by side in memory (`JoinedAnswers.counts`), and stay there
        weighted = (distances * weight[..., None]).transpose(1, 2, 0)
        columns = np.ascontiguousarray(weighted.reshape(-1, len(weight)))
        total, size = (self.pick @ columns).T, self.sizes(weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(size > 0, total / size, np.nan)

    def sizes(self, weight: FloatArray) -> FloatArray:
        """Sum of the weights that count, (b, units) to (b, means)."""
        return np.asarray((self.asked @ np.ascontiguousarray(weight.T)).T)


def model_shares(answers: JoinedAnswers) -> list[FloatArray]:
    """Answers of each model as shares (units, k + 1); refusals are left out where the rule says so."""
    counted = np.append(np.ones(len(answers.scores)), float(answers.refusal != "exclude"))
    return [*(answers.shares * counted)]


def constant_shares(answers: JoinedAnswers) -> list[FloatArray]:
    """Answers that need no model: the same to every unit, one level after the other; and each equally often."""
    k = len(answers.scores)
    always = [*np.eye(k, k + 1), np.append(np.full(k, 1 / k), 0.0)]
    return [np.tile(share, (len(answers.unit), 1)) for share in always]


ModeTies = Literal["mean", "low", "high", "nearest", "drop"]
MODE_TIES: tuple[str, ...] = get_args(ModeTies)
RefusalRule = Literal["max", "item_max", "exclude"]
REFUSAL_RULES: tuple[str, ...] = get_args(RefusalRule)

EXACT_UP_TO = 13  # scenarios whose 2^n patterns are all counted
FLIPS = 10_000  # random patterns where there are more scenarios
BLOCK = 2_000  # random patterns in memory at once


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedMean:
    """The mean absolute value under random signs.

    Attributes
    ----------
    observed : float
        Of the data.
    null_mean : float
        Its mean over the patterns of signs: the value that no bias at all would give on average.
    mc_error : float
        Monte-Carlo standard error of `null_mean`; 0 where all patterns were counted.
    p_value : float
        Share of patterns with a mean absolute value at least as large; never 0.
    flips : int
        Random patterns; 0 where all were counted.
    """

    observed: float
    null_mean: float
    mc_error: float
    p_value: float
    flips: int


def flipped_mean_absolute(
    values: FloatArray, weight: FloatArray, *, seed: int = 0
) -> FlippedMean | str:
    """Flip the signs of whole scenarios and average the absolute means of the columns.

    Under the hypothesis that a scenario's differences are as likely as their negatives (all columns together), all
    patterns of signs are equally likely.

    Parameters
    ----------
    values : (scenarios, columns) array
        NaN where a scenario has no difference.
    weight : (columns,) array
        Of the columns in the mean of absolute values; sums to 1.
    seed : int
        Of the random patterns, drawn where there are more than 13 scenarios.

    Returns
    -------
    FlippedMean, or str
        The reason where there is none.

    Examples
    --------
    >>> flipped = flipped_mean_absolute(np.array([[0.5], [1.0], [0.25]]), np.ones(1))
    >>> round(flipped.observed, 4), round(flipped.null_mean, 4), flipped.p_value
    (0.5833, 0.3333, 0.25)
    """
    defined = ~np.isnan(values)
    has_value = defined.any(axis=1)
    table = np.where(defined, values, 0.0)[has_value]
    n = defined.sum(axis=0)
    if has_value.sum() < 2 or not np.all(n):
        return "a single scenario: there are no signs to flip"
    # what a scenario adds to the mean of each column
    shares = table / n
    observed = float(np.abs(shares.sum(axis=0)) @ weight)
    exact = len(shares) <= EXACT_UP_TO
    blocks = sign_patterns(len(shares), exact, seed)
    null = np.concatenate([np.asarray(np.abs(signs @ shares) @ weight) for signs in blocks])
    tolerance = TIE * max(float(np.abs(shares).sum()), 1e-300)
    extreme = int((null >= observed - tolerance).sum())
    p = extreme / len(null) if exact else (extreme + 1) / (len(null) + 1)
    error = 0.0 if exact else float(null.std(ddof=1)) / np.sqrt(len(null))
    return FlippedMean(
        observed=observed,
        null_mean=float(null.mean()),
        mc_error=float(error),
        p_value=p,
        flips=0 if exact else len(null),
    )


def sign_patterns(n: int, exact: bool, seed: int) -> list[FloatArray]:
    """Return all patterns of n signs (the first positive: the others are mirrored), or random ones, in blocks."""
    if exact:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return [1.0 - 2.0 * bits.astype(np.float64)]
    rng = np.random.Generator(np.random.PCG64(seed))
    return [
        2.0 * rng.integers(0, 2, size=(BLOCK, n)).astype(np.float64) - 1
        for _ in range(FLIPS // BLOCK)
    ]


BLOCK_MEMORY = 1_500_000  # bytes of one block of distances: about what stays in the cache
PERMUTED = 1_000_003  # stream of the permutations
FEWEST = 4  # people from which Satterthwaite's degrees of freedom hold


def distance_difference(first: Distances, second: Distances) -> Distances:
    """Difference of two groups' distances over the units for which both have a mode."""
    has_mode = first.has_mode * second.has_mode
    values = first.values - second.values
    values *= has_mode[..., None]
    return Distances(values, has_mode)


def stream_seed(seed: int, stream: int) -> int:
    """Return the seed of a further independent stream."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1)[0])


def unit_draws(
    answers: JoinedAnswers, clusters: Sequence[IntArray], resamples: int, seed: int
) -> Iterator[FloatArray]:
    """Weights of the units, (b, units): drawn singly, or with their (one or two crossed) clusters."""
    units = PlanUnits.clusters(*clusters) if clusters else PlanUnits.rows(answers.weight)
    for drawn in factor_blocks(units, resamples=resamples, seed=seed, block=answers.block):
        yield (units.product(drawn).T[units.unit] * answers.weight[:, None]).T


def people_draws(answers: JoinedAnswers, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of the people is drawn, (b, people); a single one always once."""
    size, block = len(answers.people), answers.block
    if size > 1:
        units = PlanUnits.clusters(np.arange(size))
        yield from (
            drawn[0] for drawn in factor_blocks(units, resamples=resamples, seed=seed, block=block)
        )
        return
    for start in range(0, resamples, block):
        yield np.ones((min(block, resamples - start), size))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """People whose answers make modes, and the distances from these: of each group, then of other sets.

    Attributes
    ----------
    groups : list of Answers
        Everyone, or the answers of groups of people.
    targets : list of Targets
        The means of each set.
    pairs : list of (int, int)
        Groups whose difference is a set.
    ceiling : Distances of (units, k) float64 arrays, or None
        One more set: the distance of a person's answer from the mode of the others, by the level that they gave.
    stream : int
        Of the random numbers of the first group.
    """

    groups: list[JoinedAnswers]
    targets: list[Targets]
    pairs: list[tuple[int, int]]
    ceiling: Distances | None
    stream: int

    @classmethod
    def everyone(cls, answers: JoinedAnswers, targets: Targets) -> Panel:
        """All people in one group, and each of them against the others."""
        k = len(answers.scores)
        # (units, level left out, k): the answers of all but one person, who gave this level
        without_person = np.maximum(answers.pooled_counts[:, None, :] - np.eye(k), 0.0)
        distances, has_mode = answers.distances(without_person)
        of_level = np.diagonal(distances[..., :k], axis1=1, axis2=2)
        all_units = Targets.from_shares([np.ones((len(answers.unit), 1))])
        return cls(
            groups=[answers],
            targets=[targets, all_units],
            pairs=[],
            ceiling=Distances(of_level, has_mode),
            stream=1,
        )

    @classmethod
    def by_group(
        cls,
        answers: JoinedAnswers,
        targets: Targets,
        people: Sequence[IntArray],
        *,
        pairs: bool = True,
    ) -> Panel:
        """Groups of people, given by their positions in `answers.people`, and the differences of each two."""
        compared = list(combinations(range(len(people)), 2)) if pairs else []
        return cls(
            groups=[answers.of_people(index) for index in people],
            pairs=compared,
            targets=[targets] * (len(people) + len(compared)),
            ceiling=None,
            stream=2,
        )

    @property
    def raters(self) -> list[int]:
        """People behind each set; of two groups those of the smaller."""
        sizes = [len(group.people) for group in self.groups]
        return [
            *sizes,
            *(min(sizes[i], sizes[j]) for i, j in self.pairs),
            *([sizes[0]] if self.ceiling else []),
        ]

    def set_distances(self, counts: list[FloatArray]) -> list[Distances]:
        """Distances of each set, from the counts (b, units, k) of each group."""
        sets = [
            group.distances(of_group) for group, of_group in zip(self.groups, counts, strict=True)
        ]
        sets += [distance_difference(sets[i], sets[j]) for i, j in self.pairs]
        if self.ceiling is not None:
            distance, has_mode = self.ceiling
            size = np.einsum("buk,uk->bu", counts[0], has_mode)
            total = np.einsum("buk,uk->bu", counts[0], distance * has_mode)
            mean = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
            sets.append(Distances(mean[..., None], (size > 0).astype(np.float64)))
        return sets

    def sample(self) -> list[Distances]:
        """Distances of each set, everybody counted once."""
        return self.set_distances([group.pooled_counts[None] for group in self.groups])

    def resampled(self, resamples: int, seed: int) -> Iterator[list[Distances]]:
        """Distances of each set with people drawn within their group, block by block."""
        draws = [
            people_draws(group, resamples, stream_seed(seed, self.stream + g))
            for g, group in enumerate(self.groups)
        ]
        for weights in zip(*draws, strict=True):
            counts = [
                group.counts(drawn) for group, drawn in zip(self.groups, weights, strict=True)
            ]
            yield self.set_distances(counts)

    def permuted_means(self, permutations: int, seed: int, stream: int) -> FloatArray:
        """Means of each set with the people dealt anew to groups of the same sizes, (permutations, sets, means)."""
        from scipy.sparse import csr_array, vstack

        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, PERMUTED, stream])))
        sizes = [len(group.people) for group in self.groups]
        group_of_person = np.repeat(np.arange(len(self.groups)), sizes)
        first, blocks = self.groups[0], []
        pool = replace(first, table=csr_array(vstack([group.table for group in self.groups])))
        for start in range(0, permutations, first.block):
            b = min(first.block, permutations - start)
            dealt = rng.permuted(np.tile(group_of_person, (b, 1)), axis=1)
            counts = [pool.counts((dealt == g).astype(np.float64)) for g in range(len(sizes))]
            sets = self.set_distances(counts)
            blocks.append(np.stack(self.means(sets, first.weight), axis=1))
        return np.concatenate(blocks)

    def means(self, sets: Sequence[Distances], units: FloatArray) -> list[FloatArray]:
        """Means (b, m) of the first sets, with the units weighted."""
        return [
            targets.means(distances.values, units * distances.has_mode)
            for targets, distances in zip(self.targets, sets, strict=False)
        ]


class TwoWay:
    """Variance of means over units and people, from residuals: weight * (distance - mean).

    Residuals are summed to independent pieces: of each mean one a unit, or one a cluster. For two crossed factors the
    squares are V1 + V2 - V12 (Cameron, Gelbach & Miller 2011, eq. 2.13). Of two factors that are nested in the units of
    a mean the coarser one alone counts. Resampled people move a mean by their own
    ways, which all units share. They also move it by the noise of single answers, which the variance over units
    contains already. The latter is the sum of the pieces' own variances, and is subtracted.

    Parameters
    ----------
    targets : Targets
    sample : Distances
        Of the sample, (1, units, k + 1) and (1, units).
    weight : (units,) float64 array
    clusters : sequence of (units,) int64 arrays
    raters : int
        People (of two groups: in the smaller).

    Attributes
    ----------
    value : (means,) float64 array
        Of the sample.
    size, pieces : (means,) float64 arrays
        Units, and independent pieces (the fewer of two factors), behind each mean.
    units : (means,) float64 array
        Variance over units: G / (G - 1) * sum of squared pieces / W^2.
    farthest : float
        Largest distance of an answer.
    """

    def __init__(
        self,
        targets: Targets,
        sample: Distances,
        weight: FloatArray,
        clusters: Sequence[IntArray],
        raters: int,
    ) -> None:
        from scipy.sparse import csr_array

        n, width, self.raters = len(weight), sample.values.shape[-1] + 1, raters
        self.farthest = float(sample.values.max(initial=0.0))
        self.value = targets.means(sample.values, weight * sample.has_mode)[0]
        # residuals as a product with `distance_columns`, (means, units * (k + 2)): the shares of the distances; the
        # column that tells whether there is a mode has minus the mean
        pick, asked = targets.pick.tocoo(), targets.asked.tocoo()
        mean = np.concatenate([pick.coords[0], asked.coords[0]]).astype(np.int64)
        unit = np.concatenate([pick.coords[1] // (width - 1), asked.coords[1]]).astype(np.int64)
        level = np.append(pick.coords[1] % (width - 1), np.full(asked.nnz, width - 1))
        column = unit * width + level
        entry = np.concatenate([pick.data, -np.nan_to_num(self.value)[asked.coords[0]]])
        shape = (len(self.value), n * width)
        self.residuals = csr_array((entry * weight[unit], (mean, column)), shape=shape)

        codes = list(clusters) or [np.arange(n)]
        if len(codes) == 2:
            codes.append(unique_rows(np.column_stack(codes))[2])
        levels = 1 + max(int(code.max()) for code in codes)
        # pieces: the clusters of each factor, for each mean
        numbers = np.concatenate(
            [(p * shape[0] + mean) * levels + code[unit] for p, code in enumerate(codes)]
        )
        keys, piece = np.unique(numbers, return_inverse=True)
        # alike units are independent of each other
        scale = weight[unit] if clusters else np.sqrt(weight[unit])
        entries = np.tile(entry * scale, len(codes)), (piece.ravel(), np.tile(column, len(codes)))
        self.sums = csr_array(entries, shape=(len(keys), shape[1]))
        self.factor_and_mean = keys // levels

        counted = targets.asked.toarray() * sample.has_mode
        self.size = np.asarray(counted @ weight)
        # (factors, means): clusters with a unit that counts
        n_clusters = np.array(
            [[len(np.unique(code[units > 0])) for units in counted] for code in codes],
            dtype=np.float64,
        )
        self.pieces = n_clusters[:2].min(axis=0) if clusters else self.size
        signs = np.array([1.0, 1.0, -1.0])[: len(codes), None]
        self.signs = np.repeat(signs, len(self.value), axis=1)
        if len(codes) == 3:
            # as many combinations as clusters of a factor: it is nested in the other, which alone counts
            nested = (n_clusters[2] == n_clusters[1], n_clusters[2] == n_clusters[0])
            alone = ([[1.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]])
            self.signs = np.select(nested, alone, self.signs)
        piece_sums = (self.sums @ distance_columns(*sample))[:, 0]
        squares = self.signs * self._by_mean(piece_sums**2)
        # V1 + V2 - V12 may fall below either
        total = np.max([squares.sum(axis=0), *squares], axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = self.pieces / (self.pieces - 1) * total / self.size**2
            self.units = np.where(self.pieces > 1, variance, np.nan)
        self.count, self.means = 0, list[FloatArray]()
        self.moments = np.zeros((2, len(keys)))

    def _by_mean(self, values: FloatArray) -> FloatArray:
        """Sum the pieces' numbers, (pieces,) to (factors, means)."""
        sums = np.bincount(self.factor_and_mean, values, self.signs.size).astype(np.float64)
        return np.asarray(sums.reshape(self.signs.shape))

    def add(self, distances: FloatArray, has_mode: FloatArray) -> None:
        """Take in resamples of the people."""
        columns = distance_columns(distances, has_mode)
        sums = self.sums @ columns
        self.means.append(np.asarray(self.residuals @ columns).T)
        self.moments += np.array([sums.sum(axis=1), np.einsum("pb,pb->p", sums, sums)])
        self.count += len(has_mode)

    def spread(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return standard errors, degrees of freedom, and what resampled modes add to the means: (means,) arrays.

        The variances over units and people are added, those of resampled people P / (P - 1) times.

        Their degrees of freedom are those of Satterthwaite (1946): (a + b)^2 / (a^2 / (G - 1) + b^2 / (P - 1));
        of two or three people P - 1 at most, as their variance is known too badly for that. Errors are NaN where
        units and people are alike.
        """
        b, people_df, units = self.count, max(self.raters - 1, 1), self.units
        total, squares = self.moments
        # the noise of single answers: the pieces' own variances over the resamples
        variances = (squares - total**2 / b) / (b - 1)
        noise = (self.signs * self._by_mean(variances)).sum(axis=0)
        means = np.concatenate(self.means)
        difference = means.var(axis=0, ddof=1) - noise
        rounding = (
            SPARE * EPS * (self._by_mean(squares / (b - 1)).sum(axis=0) + (means**2).mean(axis=0))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            people = np.where(difference > rounding, difference, 0.0)
            people = people / self.size**2 * self.raters / people_df
            df = (units + people) ** 2 / (units**2 / (self.pieces - 1) + people**2 / people_df)
            bias = means.mean(axis=0) / self.size
        error = gated(np.sqrt(units + people), left_of_sums(0.0, AGAIN * self.farthest))
        return error, np.minimum(df, people_df) if self.raters < FEWEST else df, bias


def distance_columns(distances: FloatArray, has_mode: FloatArray) -> FloatArray:
    """Distances (b, units, k + 1) beside whether there is a mode (b, units), as columns: (units * (k + 2), b)."""
    b, n, width = distances.shape
    columns = np.empty((n, width + 1, b))
    columns[:, :-1], columns[:, -1] = distances.transpose(1, 2, 0), has_mode.T
    return columns.reshape(-1, b)


def resample_people(
    panel: Panel,
    watches: Sequence[TwoWay],
    clusters: Sequence[IntArray],
    resamples: int,
    seed: int,
    *,
    kept: int,
) -> list[FloatArray]:
    """Resample the people: each set of the panel is shown to its watch.

    Returns
    -------
    list of (resamples, means) float64 arrays
        Means of the first `kept` sets, with the same draw of units for each of them.
    """
    blocks: list[list[FloatArray]] = []
    units = unit_draws(panel.groups[0], clusters, resamples, seed)
    for sets in panel.resampled(resamples, seed):
        for watch, distances in zip(watches, sets, strict=False):
            watch.add(*distances)
        if kept:
            blocks.append(panel.means(sets[:kept], next(units)))
    return [np.concatenate(means) for means in zip(*blocks, strict=True)]
