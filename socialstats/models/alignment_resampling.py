"""Two-way resamples of ADA-Met: people and units drawn anew, every mode computed anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.alignment import Answers, Targets, targets_of
from socialstats.models.alignment_variance import Spread, Watch
from socialstats.models.modes import mode_distances
from socialstats.resampling import Units
from socialstats.resampling.units import factor_blocks

BLOCK_MEMORY = 1_500_000  # bytes of one block of distances: about what stays in the cache
PERMUTED = 1_000_003  # stream of the permutations


Distances = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What counts as the mode, and as the distance of a refusal; see `mode_distances`."""

    ties: str
    refusal: str | float

    def distances(self, counts: FloatArray, scores: FloatArray) -> Distances:
        """Distances (..., k + 1) and, as 0 or 1, whether there is a mode."""
        found, known = mode_distances(counts, scores, self.ties, self.refusal)
        return found, known.astype(np.float64)


def block_size(answers: Answers) -> int:
    """Resamples computed at once; depends on the table alone, and so do the sums' roundings."""
    return int(max(8, BLOCK_MEMORY // (8 * len(answers.unit) * (len(answers.scores) + 1))))


def seed_of(seed: int, stream: int) -> int:
    """Return the seed of a further independent stream."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1)[0])


def unit_draws(answers: Answers, clusters: Sequence[IntArray], resamples: int, seed: int) -> Iterator[FloatArray]:
    """Weights of the units, (b, units): drawn singly, or with their (one or two crossed) clusters."""
    units = Units.clusters(*clusters) if clusters else Units.rows(answers.weight)
    for drawn in factor_blocks(units, resamples=resamples, seed=seed, block=block_size(answers)):
        yield (units.product(drawn).T[units.unit] * answers.weight[:, None]).T


def people_draws(answers: Answers, size: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of `size` people is drawn, (b, size); a single one always once."""
    block = block_size(answers)
    if size > 1:
        units = Units.clusters(np.arange(size))
        yield from (drawn[0] for drawn in factor_blocks(units, resamples=resamples, seed=seed, block=block))
        return
    for start in range(0, resamples, block):
        yield np.ones((min(block, resamples - start), size))


def whole_replicates(
    answers: Answers, targets: Targets, clusters: Sequence[IntArray], rules: Rules, resamples: int, seed: int
) -> FloatArray:
    """Replicates of the targets and, last, of the ceiling: (resamples, means + 1)."""
    ceiling = Ceiling.of(answers, rules)
    drawn = zip(
        people_draws(answers, len(answers.people), resamples, seed_of(seed, 1)),
        unit_draws(answers, clusters, resamples, seed),
        strict=True,
    )
    return np.concatenate([whole(answers, targets, ceiling, rules, people, units) for people, units in drawn])


def whole(
    answers: Answers, targets: Targets, ceiling: Ceiling, rules: Rules, people: FloatArray, units: FloatArray
) -> FloatArray:
    """Targets and ceiling for weights of people (b, people) and of units (b, units)."""
    counts = answers.counts(people)
    distances, known = rules.distances(counts, answers.scores)
    return np.column_stack([targets.means(distances, units * known), ceiling.mean(counts, units)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ceiling:
    """Distance of a person's answer from the mode of the other people.

    Attributes
    ----------
    distance : (units, k) float64 array
        By the level that the person gave.
    known : (units, k) float64 array
        1 where the others have a mode.
    """

    distance: FloatArray
    known: FloatArray

    @classmethod
    def of(cls, answers: Answers, rules: Rules) -> Ceiling:
        """Leave one answer of each level out of the counts of each unit."""
        counts = answers.counts(np.ones((1, len(answers.people))))[0]
        k = len(answers.scores)
        others = np.maximum(counts[:, None, :] - np.eye(k), 0.0)  # (units, level left out, k)
        found, known = rules.distances(others, answers.scores)
        return cls(distance=np.diagonal(found[..., :k], axis1=1, axis2=2), known=known)

    def mean(self, counts: FloatArray, units: FloatArray) -> FloatArray:
        """Mean over units of the mean over the people that count, (b, units, k) and (b, units) to (b,)."""
        own, known = self.each(counts)
        weight = units * known
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((own * weight).sum(axis=1) / weight.sum(axis=1))

    def each(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean of each unit over the people that count, and, as 0 or 1, whether there are any: (b, units)."""
        size = np.einsum("buk,uk->bu", counts, self.known)
        total = np.einsum("buk,uk->bu", counts, self.distance * self.known)
        return np.divide(total, size, out=np.zeros_like(total), where=size > 0), (size > 0).astype(np.float64)


def whole_spread(
    answers: Answers, targets: Targets, clusters: Sequence[IntArray], rules: Rules, value: FloatArray, resamples: int,
    seed: int,
) -> Spread:  # fmt: skip
    """Standard errors of the targets and, last, of the ceiling, of which `value` has the means."""
    ceiling, people = Ceiling.of(answers, rules), len(answers.people)
    alone = targets_of([("", None)], [np.ones((len(answers.unit), 1))])

    def seen(drawn: FloatArray) -> tuple[Distances, Distances]:
        counts = answers.counts(drawn)
        own, known = ceiling.each(counts)
        return rules.distances(counts, answers.scores), (own[..., None], known)

    first = seen(np.ones((1, people)))
    means = ((targets, value[:-1]), (alone, value[-1:]))
    watches = [
        Watch.start(some, own, sample, answers.weight, clusters, people)
        for (some, own), sample in zip(means, first, strict=True)
    ]
    for drawn in people_draws(answers, people, resamples, seed_of(seed, 1)):
        for watch, found in zip(watches, seen(drawn), strict=True):
            watch.add(*found)
    return Spread.joined(*(watch.spread() for watch in watches))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupMeans:
    """Means by group of people and their paired differences.

    Attributes
    ----------
    means : (b, groups, m) float64 array
        Over the units that the group has a mode for.
    differences : (b, pairs, m) float64 array
        First minus second group of each pair of `itertools.combinations`, over the units that both have a mode for.
    """

    means: FloatArray
    differences: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[GroupMeans]) -> GroupMeans:
        """Put blocks of resamples together."""
        return cls(
            means=np.concatenate([part.means for part in parts]),
            differences=np.concatenate([part.differences for part in parts]),
        )


def group_means(targets: Targets, found: list[Distances], units: FloatArray, *, pairs: bool = True) -> GroupMeans:
    """Means, and differences where they are wanted, from the distances of each group."""
    means = [targets.means(distances, units * known) for distances, known in found]
    gaps = [pair_difference(targets, one, other, units) for one, other in combinations(found, 2)] if pairs else []
    none = np.empty((len(units), 0, len(targets.names)))
    return GroupMeans(means=np.stack(means, axis=1), differences=np.stack(gaps, axis=1) if gaps else none)


def apart(one: Distances, other: Distances) -> Distances:
    """Difference of the distances, and whether both are known."""
    return one[0] - other[0], one[1] * other[1]


def pair_difference(targets: Targets, one: Distances, other: Distances, units: FloatArray) -> FloatArray:
    """Mean difference over the units for which both groups have a mode, (b, m)."""
    gap, known = apart(one, other)
    return targets.means(gap, units * known)


def sampled_groups(answers: Answers, targets: Targets, rules: Rules, groups: list[IntArray]) -> GroupMeans:
    """Means and differences of the sample; `groups` are positions in `answers.people`."""
    counts = [answers.of_people(index).counts(np.ones((1, len(index)))) for index in groups]
    return group_means(targets, [rules.distances(one, answers.scores) for one in counts], answers.weight[None, :])


def resampled_groups(
    answers: Answers,
    targets: Targets,
    clusters: Sequence[IntArray],
    rules: Rules,
    groups: list[IntArray],
    resamples: int,
    seed: int,
    watches: GroupWatches | None = None,
) -> GroupMeans:
    """Resamples: people drawn within their group, the same draw of units for every group.

    With `watches` these take in the resamples of the people, and the differences, which nobody then needs, are left
    out.
    """
    parts = [answers.of_people(index) for index in groups]
    people = [people_draws(answers, len(index), resamples, seed_of(seed, 2 + g)) for g, index in enumerate(groups)]
    units = unit_draws(answers, clusters, resamples, seed)
    blocks = []
    for drawn, *weights in zip(units, *people, strict=True):
        found = [rules.distances(part.counts(one), answers.scores) for part, one in zip(parts, weights, strict=True)]
        if watches is not None:
            watches.add(found)
        blocks.append(group_means(targets, found, drawn, pairs=watches is None))
    return GroupMeans.joined(blocks)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupWatches:
    """Watches of the means by group and of the differences of each pair of groups."""

    groups: list[Watch]
    pairs: list[Watch]

    @classmethod
    def start(
        cls, answers: Answers, targets: Targets, clusters: Sequence[IntArray], rules: Rules, people: list[IntArray],
        sample: GroupMeans,
    ) -> GroupWatches:  # fmt: skip
        """Begin with the sample, of which `sample` has the means."""
        sizes = [len(index) for index in people]
        found = [
            rules.distances(answers.of_people(index).counts(np.ones((1, len(index)))), answers.scores)
            for index in people
        ]
        more = answers.weight, clusters
        groups = [
            Watch.start(targets, value, one, *more, size)
            for value, one, size in zip(sample.means[0], found, sizes, strict=True)
        ]
        pairs = [
            Watch.start(targets, value, apart(*two), *more, min(both))
            for value, two, both in zip(
                sample.differences[0], combinations(found, 2), combinations(sizes, 2), strict=True
            )
        ]
        return cls(groups=groups, pairs=pairs)

    def add(self, found: list[Distances]) -> None:
        """Take in the distances by group in resamples of the people."""
        for watch, one in zip(self.groups, found, strict=True):
            watch.add(*one)
        for watch, two in zip(self.pairs, combinations(found, 2), strict=True):
            watch.add(*apart(*two))


def permuted_groups(
    answers: Answers, targets: Targets, rules: Rules, groups: list[IntArray], permutations: int, seed: int
) -> GroupMeans:
    """Means with the people dealt anew to groups of the same sizes."""
    blocks = [
        group_means(targets, [rules.distances(one, answers.scores) for one in counts], units, pairs=False)
        for counts, units in dealt_counts(answers, groups, permutations, seed, 0)
    ]
    return GroupMeans.joined(blocks)


def dealt_counts(
    answers: Answers, groups: list[IntArray], permutations: int, seed: int, stream: int
) -> Iterator[tuple[list[FloatArray], FloatArray]]:
    """Counts of each group, (b, units, k), with the people dealt anew, and the weights of the units."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, PERMUTED, stream])))
    pool = np.concatenate(groups)
    member = np.repeat(np.arange(len(groups)), [len(index) for index in groups])
    part, block = answers.of_people(pool), block_size(answers)
    total = part.counts(np.ones((1, len(pool))))
    for start in range(0, permutations, block):
        b = min(block, permutations - start)
        dealt = rng.permuted(np.tile(member, (b, 1)), axis=1)
        counts = [part.counts((dealt == g).astype(np.float64)) for g in range(len(groups) - 1)]
        counts.append(total - np.sum(counts, axis=0))  # whole numbers: nothing is rounded
        yield counts, np.tile(answers.weight[:, None], b).T


def permuted_pairs(
    answers: Answers, targets: Targets, rules: Rules, groups: list[IntArray], permutations: int, seed: int
) -> FloatArray:
    """Differences with the people of each two groups dealt anew to these two, (permutations, pairs, m)."""
    found = []
    for j, pair in enumerate(combinations(groups, 2)):
        blocks = []
        for counts, units in dealt_counts(answers, list(pair), permutations, seed, 1 + j):
            one, other = (rules.distances(each, answers.scores) for each in counts)
            blocks.append(pair_difference(targets, one, other, units))
        found.append(np.concatenate(blocks))
    return np.stack(found, axis=1) if found else np.empty((permutations, 0, len(targets.names)))
