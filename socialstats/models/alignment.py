"""Distances of answers from the modes of groups (ADA-Met), their variance and resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.resampling import Units
from socialstats.resampling.engine import factor_blocks
from socialstats.resampling.permutation import TIE
from socialstats.rounding import AGAIN, EPS, SPARE, gated, left_of_sums
from socialstats.text import listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NOT_ASKED, EXCLUDED = -1, -2
Distances = tuple[
    FloatArray, FloatArray
]  # (b, units, levels) distances, and (b, units) 1 where they are known, else 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
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
    def once(self) -> FloatArray:
        """Answers of the reference, (units, k)."""
        return np.asarray(self.counts(np.ones((1, len(self.people))))[0])

    def distances(self, counts: FloatArray) -> Distances:
        """Distances (..., units, k + 1) from the modes of counts and, as 0 or 1, whether there is a mode."""
        found, known = mode_distances(counts, self.scores, self.ties, self.refusal)
        return found, known.astype(np.float64)

    def of_people(self, index: IntArray) -> Answers:
        """Return the same units with the answers of some of the people."""
        return replace(self, people=self.people[index], table=self.table[index])

    @property
    def block(self) -> int:
        """Resamples computed at once; depends on the table alone, and so do the sums' roundings."""
        return int(max(8, BLOCK_MEMORY // (8 * len(self.unit) * (len(self.scores) + 1))))


def source_of(design: Ratings, source: str, reference: str | None) -> tuple[Factor, int]:
    """Return the factor of the raters' sources, and the code of the reference.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    known = design.rater_groups
    name = (
        design.columns.get("rater_source", source)
        if source == "source" and source not in known
        else source
    )
    if name not in known:
        raise InputError(
            f"{option('source', shorten(source))} is no rater group (declared: {quoted(list(known)) or 'none'}). Say "
            f"which raters are the reference: make the design with {option('rater_source', typed='--rater-source')}, "
            "a column of human and model"
        )
    factor = known[name]
    chosen = "human" if reference is None else reference
    if chosen not in factor.levels:
        none = f"no {option('reference')} is given, and 'human'"
        what = none if reference is None else option("reference", shorten(reference))
        raise InputError(
            f"{what} is not a level of '{shorten(name)}'. Levels: {quoted(factor.levels, 10)}"
        )
    return factor, factor.levels.index(chosen)


def collect(
    design: Ratings,
    source: Factor,
    reference: int,
    *,
    unparsed: str,
    ties: str,
    refusal: str | float,
) -> Answers:
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
    ours = source.codes[design.rater] == reference
    human = ours & (design.status == OK)
    units, models = (
        np.intersect1d(design.unit[human], design.unit[~ours]),
        np.unique(design.rater[~ours]),
    )
    if not len(units):
        named = listing([shorten(level) for level in source.levels])
        raise NothingToAnalyse(
            f"{design.source}: no unit has an answer of the reference ('{shorten(source.levels[reference])}') and of a "
            f"rater outside it (sources: {named}); units are joined by their labels"
        )
    order = np.argsort(design.scores, kind="stable")
    rank, k = np.append(np.argsort(order), -1), len(order)
    left_out, unanswered = (np.setdiff1d(design.unit[asked], units) for asked in (~ours, human))
    place = np.full(len(design.units), -1, dtype=np.int64)
    place[units] = np.arange(len(units))
    human &= place[design.unit] >= 0
    people, row = np.unique(design.rater[human], return_inverse=True)
    column = place[design.unit[human]] * k + rank[design.value[human]]
    given = np.ones(len(row))
    asked = ~ours & (place[design.unit] >= 0)
    value = np.where(design.status == REFUSAL, k, rank[design.value])
    value = np.where(design.status == MISSING, k if unparsed == "refusal" else EXCLUDED, value)
    answer, status = (np.full((len(models), len(units)), NOT_ASKED) for _ in range(2))
    at = np.searchsorted(models, design.rater[asked]), place[design.unit[asked]]
    read = design.read_as(refusals=True)[:, [*order, k]]
    read[design.status == MISSING, k] = float(unparsed == "refusal")
    if design.shared is not None:  # a person's answers to a unit count as one
        of_person, level = np.nonzero(read[human][:, :k])
        given = read[human][of_person, level]
        row, column = row[of_person], place[design.unit[human]][of_person] * k + level
    shares = np.zeros((len(models), len(units), k + 1))
    shares[at] = read[asked]
    answer[at], status[at] = value[asked], design.status[asked]
    return Answers(
        scores=design.scores[order],
        labels=tuple(design.levels[k] for k in order.tolist()),
        unit=units,
        weight=design.unit_count[units],
        people=people,
        models=models,
        table=csr_array((given, (row, column)), shape=(len(people), len(units) * k)),
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
    def of(cls, shares: Sequence[FloatArray], minus: Sequence[FloatArray] = ()) -> Targets:
        """Make means of shares (units, k + 1) of each possible answer; a row of zeros is a unit that does not count.

        The last means are differences: less the shares in `minus`, over the units that have both.
        """
        from scipy.sparse import csr_array, vstack

        picks, counted = [], []
        for j, one in enumerate(shares, len(minus) - len(shares)):
            other = minus[j] if j >= 0 else None
            has = np.asarray(
                one.any(axis=1) if other is None else one.any(axis=1) & other.any(axis=1)
            )
            picks.append(
                csr_array((one if other is None else (one - other) * has[:, None]).reshape(1, -1))
            )
            counted.append(csr_array(has.astype(np.float64)[None, :]))
        return cls(pick=csr_array(vstack(picks)), asked=csr_array(vstack(counted)))

    def means(self, distances: FloatArray, weight: FloatArray) -> FloatArray:
        """Weighted means, (b, units, k + 1) and (b, units) to (b, means); NaN where no unit counts."""
        flat = (distances * weight[..., None]).reshape(len(weight), -1)
        total, size = (self.pick @ np.ascontiguousarray(flat.T)).T, self.sizes(weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(size > 0, total / size, np.nan)

    def sizes(self, weight: FloatArray) -> FloatArray:
        """Sum of the weights that count, (b, units) to (b, means)."""
        return np.asarray((self.asked @ np.ascontiguousarray(weight.T)).T)


def model_shares(answers: Answers) -> list[FloatArray]:
    """Answers of each model as shares (units, k + 1); refusals are left out where the rule says so."""
    counted = np.append(np.ones(len(answers.scores)), float(answers.refusal != "exclude"))
    return [*(answers.shares * counted)]


def constant_shares(answers: Answers) -> list[FloatArray]:
    """Answers that need no model: the same to every unit, one level after the other; and each equally often."""
    k = len(answers.scores)
    always = [*np.eye(k, k + 1), np.append(np.full(k, 1 / k), 0.0)]
    return [np.tile(one, (len(answers.unit), 1)) for one in always]


ModeTies = Literal["mean", "low", "high", "nearest", "drop"]
MODE_TIES: tuple[str, ...] = get_args(ModeTies)
RefusalRule = Literal["max", "item_max", "exclude"]
REFUSAL_RULES: tuple[str, ...] = get_args(RefusalRule)


def mode_distances(
    counts: FloatArray, scores: FloatArray, ties: str, refusal: str | float
) -> tuple[FloatArray, BoolArray]:
    """Return how far each level, and a refusal, lies from the mode of each row of counts.

    Parameters
    ----------
    counts : (..., k) float64 array
        Answers of each level; any numbers from 0 upwards.
    scores : (k,) float64 array, ascending
        Positions of the levels.
    ties : {"mean", "low", "high", "nearest", "drop"}
        Where several levels have the most answers: the mean of their scores, the lowest, the highest, the one nearest
        to the answer, or no mode.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale, the largest distance of any level from this mode, none (0 is
        filled in), or a number.

    Returns
    -------
    distances : (..., k + 1) float64 array
        The last column is the refusal. 0 where there is no mode.
    known : (...) bool array
        Whether there is a mode.

    Examples
    --------
    >>> distances, known = mode_distances(np.array([[0.0, 3, 3, 0]]), np.arange(4.0), "mean", "max")
    >>> distances.tolist(), known.tolist()
    ([[1.5, 0.5, 0.5, 1.5, 3.0]], [True])
    """
    most = counts.max(axis=-1)
    known = most > 0
    tied = counts == most[..., None]
    if ties == "drop":
        known = known & (tied.sum(axis=-1) == 1)
    out = np.empty_like(
        counts, shape=(*counts.shape[:-1], len(scores) + 1)
    )  # laid out as the counts are
    if ties == "nearest":
        gaps = np.abs(np.subtract.outer(scores, scores))
        out[..., :-1] = np.where(tied[..., None], gaps, np.inf).min(axis=-2)
    else:
        if ties in ("low", "high"):
            line = scores if ties == "low" else scores[::-1]
            mode = line[(tied if ties == "low" else tied[..., ::-1]).argmax(axis=-1)]
        else:
            mode = (tied * scores).sum(axis=-1) / tied.sum(axis=-1)
        np.abs(mode[..., None] - scores, out=out[..., :-1])
    if isinstance(refusal, str):
        width = float(scores[-1] - scores[0])
        out[..., -1] = {"max": width, "item_max": out[..., :-1].max(axis=-1), "exclude": 0.0}[
            refusal
        ]
    else:
        out[..., -1] = refusal
    out[~known] = 0.0
    return out, known


EXACT_UP_TO = 13  # scenarios whose 2^n patterns are all counted
FLIPS = 10_000
BLOCK = 2_000


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
    >>> found = flipped_mean_absolute(np.array([[0.5], [1.0], [0.25]]), np.ones(1))
    >>> round(found.observed, 4), round(found.null_mean, 4), found.p_value
    (0.5833, 0.3333, 0.25)
    """
    known = ~np.isnan(values)
    some = known.any(axis=1)
    table = np.where(known, values, 0.0)[some]
    n = known.sum(axis=0)
    if some.sum() < 2 or not np.all(n):
        return "a single scenario: there are no signs to flip"
    scaled = table / n
    observed = float(np.abs(scaled.sum(axis=0)) @ weight)
    exact = len(scaled) <= EXACT_UP_TO
    found = np.concatenate(
        [np.asarray(np.abs(sign @ scaled) @ weight) for sign in patterns(len(scaled), exact, seed)]
    )
    extreme = int((found >= observed - TIE * max(float(np.abs(scaled).sum()), 1e-300)).sum())
    p = extreme / len(found) if exact else (extreme + 1) / (len(found) + 1)
    error = 0.0 if exact else float(found.std(ddof=1)) / np.sqrt(len(found))
    return FlippedMean(
        observed=observed,
        null_mean=float(found.mean()),
        mc_error=float(error),
        p_value=p,
        flips=0 if exact else len(found),
    )


def patterns(n: int, exact: bool, seed: int) -> list[FloatArray]:
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


def apart(one: Distances, other: Distances) -> Distances:
    """Difference of two groups' distances over the units for which both have a mode."""
    known = one[1] * other[1]
    return (one[0] - other[0]) * known[..., None], known


def seed_of(seed: int, stream: int) -> int:
    """Return the seed of a further independent stream."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1)[0])


def unit_draws(
    answers: Answers, clusters: Sequence[IntArray], resamples: int, seed: int
) -> Iterator[FloatArray]:
    """Weights of the units, (b, units): drawn singly, or with their (one or two crossed) clusters."""
    units = Units.clusters(*clusters) if clusters else Units.rows(answers.weight)
    for drawn in factor_blocks(units, resamples=resamples, seed=seed, block=answers.block):
        yield (units.product(drawn).T[units.unit] * answers.weight[:, None]).T


def people_draws(answers: Answers, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of the people is drawn, (b, people); a single one always once."""
    size, block = len(answers.people), answers.block
    if size > 1:
        units = Units.clusters(np.arange(size))
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
    ceiling : (distance, known), (units, k) float64 arrays, or None
        One more set: the distance of a person's answer from the mode of the others, by the level that they gave.
    stream : int
        Of the random numbers of the first group.
    """

    groups: list[Answers]
    targets: list[Targets]
    pairs: list[tuple[int, int]]
    ceiling: tuple[FloatArray, FloatArray] | None
    stream: int

    @classmethod
    def everyone(cls, answers: Answers, targets: Targets) -> Panel:
        """All people in one group, and each of them against the others."""
        k = len(answers.scores)
        others = np.maximum(answers.once[:, None, :] - np.eye(k), 0.0)  # (units, level left out, k)
        found, known = answers.distances(others)
        alone = Targets.of([np.ones((len(answers.unit), 1))])
        return cls(
            groups=[answers],
            targets=[targets, alone],
            pairs=[],
            ceiling=(np.diagonal(found[..., :k], axis1=1, axis2=2), known),
            stream=1,
        )

    @classmethod
    def by_group(
        cls, answers: Answers, targets: Targets, people: Sequence[IntArray], *, pairs: bool = True
    ) -> Panel:
        """Groups of people, given by their positions in `answers.people`, and the differences of each two."""
        two = list(combinations(range(len(people)), 2)) if pairs else []
        return cls(
            groups=[answers.of_people(index) for index in people],
            pairs=two,
            targets=[targets] * (len(people) + len(two)),
            ceiling=None,
            stream=2,
        )

    @property
    def raters(self) -> list[int]:
        """People behind each set; of two groups those of the smaller."""
        sizes = [len(one.people) for one in self.groups]
        return [
            *sizes,
            *(min(sizes[i], sizes[j]) for i, j in self.pairs),
            *([sizes[0]] if self.ceiling else []),
        ]

    def seen(self, counts: list[FloatArray]) -> list[Distances]:
        """Distances of each set, from the counts (b, units, k) of each group."""
        found = [one.distances(own) for one, own in zip(self.groups, counts, strict=True)]
        out = [*found, *(apart(found[i], found[j]) for i, j in self.pairs)]
        if self.ceiling is not None:
            distance, known = self.ceiling
            size = np.einsum("buk,uk->bu", counts[0], known)
            total = np.einsum("buk,uk->bu", counts[0], distance * known)
            own = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
            out.append((own[..., None], (size > 0).astype(np.float64)))
        return out

    def sample(self) -> list[Distances]:
        """Distances of each set, everybody counted once."""
        return self.seen([one.once[None] for one in self.groups])

    def resampled(self, resamples: int, seed: int) -> Iterator[list[Distances]]:
        """Distances of each set with people drawn within their group, block by block."""
        draws = [
            people_draws(one, resamples, seed_of(seed, self.stream + g))
            for g, one in enumerate(self.groups)
        ]
        for weights in zip(*draws, strict=True):
            yield self.seen(
                [one.counts(own) for one, own in zip(self.groups, weights, strict=True)]
            )

    def dealt(self, permutations: int, seed: int, stream: int) -> FloatArray:
        """Means of each set with the people dealt anew to groups of the same sizes, (permutations, sets, means)."""
        from scipy.sparse import csr_array, vstack

        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, PERMUTED, stream])))
        member = np.repeat(np.arange(len(self.groups)), [len(one.people) for one in self.groups])
        first, found = self.groups[0], []
        pool = replace(first, table=csr_array(vstack([one.table for one in self.groups])))
        for start in range(0, permutations, first.block):
            b = min(first.block, permutations - start)
            dealt = rng.permuted(np.tile(member, (b, 1)), axis=1)
            sets = self.seen(
                [pool.counts((dealt == g).astype(np.float64)) for g in range(len(self.groups))]
            )
            found.append(np.stack(self.means(sets, first.weight), axis=1))
        return np.concatenate(found)

    def means(self, sets: Sequence[Distances], units: FloatArray) -> list[FloatArray]:
        """Means (b, m) of the first sets, with the units weighted."""
        return [
            own.means(found, units * known)
            for own, (found, known) in zip(self.targets, sets, strict=False)
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

        n, width, self.raters = len(weight), sample[0].shape[-1] + 1, raters
        self.farthest = float(sample[0].max(initial=0.0))
        self.value = targets.means(sample[0], weight * sample[1])[0]
        pick, asked = targets.pick.tocoo(), targets.asked.tocoo()
        mean = np.concatenate([pick.coords[0], asked.coords[0]]).astype(np.int64)
        unit = np.concatenate([pick.coords[1] // (width - 1), asked.coords[1]]).astype(np.int64)
        column = unit * width + np.append(
            pick.coords[1] % (width - 1), np.full(asked.nnz, width - 1)
        )
        each = np.concatenate([pick.data, -np.nan_to_num(self.value)[asked.coords[0]]])
        shape = (len(self.value), n * width)
        self.whole = csr_array((each * weight[unit], (mean, column)), shape=shape)

        codes = list(clusters) or [np.arange(n)]
        if len(codes) == 2:
            codes.append(unique_rows(np.column_stack(codes))[2])
        levels = 1 + max(int(code.max()) for code in codes)
        numbers = np.concatenate(
            [(p * shape[0] + mean) * levels + code[unit] for p, code in enumerate(codes)]
        )
        keys, place = np.unique(numbers, return_inverse=True)
        scale = (
            weight[unit] if clusters else np.sqrt(weight[unit])
        )  # alike units are independent of each other
        entries = np.tile(each * scale, len(codes)), (place.ravel(), np.tile(column, len(codes)))
        self.sums, self.owner = csr_array(entries, shape=(len(keys), shape[1])), keys // levels

        counted = targets.asked.toarray() * sample[1]
        self.size = np.asarray(counted @ weight)
        touched = np.array(
            [[len(np.unique(code[one > 0])) for one in counted] for code in codes], dtype=np.float64
        )
        self.pieces = touched[:2].min(axis=0) if clusters else self.size
        self.signs = np.repeat(
            np.array([1.0, 1.0, -1.0])[: len(codes), None], len(self.value), axis=1
        )
        if len(codes) == 3:
            inner = (touched[2] == touched[1], touched[2] == touched[0])
            self.signs = np.select(
                inner, ([[1.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]]), self.signs
            )
        squares = self.signs * self._by_mean((self.sums @ features(*sample))[:, 0] ** 2)
        total = np.max(
            [squares.sum(axis=0), *squares], axis=0
        )  # V1 + V2 - V12 may fall below either
        with np.errstate(invalid="ignore", divide="ignore"):
            self.units = np.where(
                self.pieces > 1, self.pieces / (self.pieces - 1) * total / self.size**2, np.nan
            )
        self.count, self.means = 0, list[FloatArray]()
        self.moments = np.zeros((2, len(keys)))

    def _by_mean(self, values: FloatArray) -> FloatArray:
        """Sum the pieces' numbers, (pieces,) to (factors, means)."""
        sums: FloatArray = np.bincount(self.owner, values, self.signs.size).astype(np.float64)
        return sums.reshape(self.signs.shape)

    def add(self, distances: FloatArray, known: FloatArray) -> None:
        """Take in resamples of the people."""
        drawn = features(distances, known)
        sums = self.sums @ drawn
        self.means.append(np.asarray(self.whole @ drawn).T)
        self.moments += np.array([sums.sum(axis=1), np.einsum("pb,pb->p", sums, sums)])
        self.count += len(known)

    def spread(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return standard errors, degrees of freedom, and what resampled modes add to the means: (means,) arrays.

        The variances over units and people are added, those of resampled people P / (P - 1) times.

        Their degrees of freedom are those of Satterthwaite (1946): (a + b)^2 / (a^2 / (G - 1) + b^2 / (P - 1));
        of two or three people P - 1 at most, as their variance is known too badly for that. Errors are NaN where
        units and people are alike.
        """
        b, few, units = self.count, max(self.raters - 1, 1), self.units
        total, squares = self.moments
        own = (self.signs * self._by_mean((squares - total**2 / b) / (b - 1))).sum(axis=0)
        means = np.concatenate(self.means)
        apart = means.var(axis=0, ddof=1) - own
        lost = (
            SPARE * EPS * (self._by_mean(squares / (b - 1)).sum(axis=0) + (means**2).mean(axis=0))
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            people = np.where(apart > lost, apart, 0.0) / self.size**2 * self.raters / few
            df = (units + people) ** 2 / (units**2 / (self.pieces - 1) + people**2 / few)
            bias = means.mean(axis=0) / self.size
        error = gated(np.sqrt(units + people), left_of_sums(0.0, AGAIN * self.farthest))
        return error, np.minimum(df, few) if self.raters < FEWEST else df, bias


def features(distances: FloatArray, known: FloatArray) -> FloatArray:
    """Distances (b, units, k + 1) beside whether they are known (b, units), as columns: (units * (k + 2), b)."""
    b, n, width = distances.shape
    out = np.empty((n, width + 1, b))
    out[:, :-1], out[:, -1] = distances.transpose(1, 2, 0), known.T
    return out.reshape(-1, b)


def resampled(
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
        for watch, found in zip(watches, sets, strict=False):
            watch.add(*found)
        if kept:
            blocks.append(panel.means(sets[:kept], next(units)))
    return [np.concatenate(means) for means in zip(*blocks, strict=True)]
