"""Labels exchanged between independent things, or within them: every arrangement, or random ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.permutation import MOST_LISTED, SMALLEST, monte_carlo_p

# share of the largest number by which equal numbers can differ by rounding
TIE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shuffle:
    """Entries that exchange their labels within groups.

    Attributes
    ----------
    label : (entries,) int64 array
    group : (entries,) int64 array
        Labels move within a group of entries.
    entry : (pieces,) int64 array
        The entry whose label a piece has.
    """

    label: IntArray
    group: IntArray
    entry: IntArray

    @classmethod
    def between(cls, label: IntArray, block: IntArray, stratum: IntArray | None = None) -> Shuffle:
        """Exchange labels between blocks, of which each has one, within strata.

        Parameters
        ----------
        label, block : (pieces,) int64 arrays
        stratum : (pieces,) int64 array, optional

        Examples
        --------
        >>> shuffle = Shuffle.between(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
        >>> shuffle.arrangements, [codes.tolist() for codes in shuffle.all_arrangements()]
        (2, [[0, 0, 1, 1], [1, 1, 0, 0]])
        """
        _, first, entry = np.unique(block, return_index=True, return_inverse=True)
        group = np.zeros(len(first), dtype=np.int64) if stratum is None else stratum[first]
        return cls(label=label[first], group=group, entry=entry.ravel())

    @classmethod
    def within(cls, label: IntArray, block: IntArray) -> Shuffle:
        """Exchange the labels that occur in a block with each other, in each block alike for all of its pieces.

        Examples
        --------
        >>> shuffle = Shuffle.within(np.array([0, 1, 0, 1]), np.array([0, 0, 0, 0]))
        >>> [codes.tolist() for codes in shuffle.all_arrangements()]
        [[0, 1, 0, 1], [1, 0, 1, 0]]
        """
        width = int(label.max(initial=0)) + 1
        keys, entry = np.unique(block * width + label, return_inverse=True)
        return cls(label=keys % width, group=keys // width, entry=entry.ravel())

    @classmethod
    def flips(cls, block: IntArray) -> Shuffle:
        """Exchange two sides (0: as they are) in whole blocks.

        Examples
        --------
        >>> [codes.tolist() for codes in Shuffle.flips(np.array([0, 0, 1])).all_arrangements()]
        [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
        """
        code = np.unique(block, return_inverse=True)[1].ravel()
        blocks = int(code.max()) + 1
        return cls(
            label=np.tile([0, 1], blocks), group=np.repeat(np.arange(blocks), 2), entry=2 * code
        )

    @property
    def arrangements(self) -> int:
        """How many different arrangements there are."""
        total = 1
        for labels in self.labels_of_groups():
            total *= math.factorial(len(labels))
            # labels that are equal do not make another arrangement
            for n in Counter(labels).values():
                total //= math.factorial(n)
        return total

    @property
    def listed(self) -> bool:
        """Whether every arrangement is computed."""
        return self.arrangements <= MOST_LISTED

    def labels_of_groups(self) -> list[list[int]]:
        """Return the labels of each group."""
        order = np.argsort(self.group, kind="stable")
        cuts = np.flatnonzero(np.diff(self.group[order])) + 1
        return [part.tolist() for part in np.split(self.label[order], cuts)]

    def all_arrangements(self) -> Iterator[IntArray]:
        """Yield the labels of the pieces in every arrangement; that of the data is one of them."""
        order = np.argsort(self.group, kind="stable")
        for arranged in product(
            *(list(distinct_orders(sorted(labels))) for labels in self.labels_of_groups())
        ):
            label = np.empty_like(self.label)
            label[order] = np.concatenate([np.array(part, dtype=np.int64) for part in arranged])
            yield label[self.entry]

    def random_arrangements(self, permutations: int, seed: int) -> Iterator[IntArray]:
        """Yield the labels of the pieces in random arrangements."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        order = np.argsort(self.group, kind="stable")
        group, label = self.group[order], np.empty_like(self.label)
        for _ in range(permutations):
            # sorted by group, at random within each
            shuffled = np.lexsort((rng.random(len(group)), group))
            label[order] = self.label[order][shuffled]
            yield label[self.entry]


def distinct_orders(labels: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the different orders of labels, which are sorted.

    Examples
    --------
    >>> list(distinct_orders([0, 0, 1]))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    if not labels:
        yield ()
    for k, label in enumerate(labels):
        if k == 0 or label != labels[k - 1]:
            for following in distinct_orders([*labels[:k], *labels[k + 1 :]]):
                yield (label, *following)


def p_of_draws(
    null: FloatArray, observed: float, alternative: str, *, exact: bool
) -> tuple[float, float]:
    """Return p and its Monte-Carlo standard error (0 where every arrangement was computed).

    Two-sided p is twice the smaller of both tails, at most 1, as in scipy.stats.permutation_test.

    Parameters
    ----------
    null : (arrangements,) float64 array
        Without NaN.
    observed : float
    alternative : {"two_sided", "greater", "less"}
    exact : bool

    Examples
    --------
    >>> p_of_draws(np.array([-3.0, -1.0, 1.0, 3.0]), 3.0, "two_sided", exact=True)
    (0.5, 0.0)
    """
    tolerance = TIE * float(np.abs(np.append(null, observed)).max())
    above = int((null >= observed - tolerance).sum())
    below = int((null <= observed + tolerance).sum())
    extreme = {"greater": above, "less": below}.get(alternative, min(above, below))
    n_tails = 2.0 if alternative == "two_sided" else 1.0
    if exact:
        return min(1.0, max(SMALLEST, n_tails * extreme / len(null))), 0.0
    p, error = monte_carlo_p(np.array(extreme), len(null))
    return min(1.0, n_tails * float(p)), n_tails * float(error)
