"""What is drawn again of data in pieces: units, clusters, two crossed factors, each within strata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.cells import several
from socialstats.designs.parts import Factor
from socialstats.designs.redrawn import Pieces
from socialstats.errors import InputError
from socialstats.resampling.engine import PlanUnits, draw_singly, factor_blocks
from socialstats.text import count, plural_of, quoted, shorten
from socialstats.voice import option

# resamples whose draws are held at once
BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnLevels:
    """Levels that are drawn among themselves: those of a factor, or of one stratum of it.

    Attributes
    ----------
    factor : int
        Place of the factor; 0 where pieces are drawn.
    levels : (levels,) int64 array
    """

    factor: int
    levels: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResamplingPlan:
    """Pieces, and what of them is independent.

    Attributes
    ----------
    pieces : Pieces
    factors : tuple of Factor
        Whose levels are drawn, of two crossed ones both; empty where each piece is independent.
    codes : tuple of (pieces,) int64 arrays
        Level of each piece, numbered without gaps, for each factor; the pieces themselves without factors.
    strata : Factor or None
        Over the pieces: levels are drawn within each of its levels.
    """

    pieces: Pieces
    factors: tuple[Factor, ...]
    codes: tuple[IntArray, ...]
    strata: Factor | None = None

    @classmethod
    def from_factors(
        cls, pieces: Pieces, factors: Sequence[Factor], strata: Factor | None = None
    ) -> ResamplingPlan:
        """Make a plan.

        Raises
        ------
        InputError
            For a factor with a single level, or one that lies in another. For strata of crossed factors, and strata
            that cut clusters or have a single one.
        """
        codes = tuple(np.unique(factor.codes, return_inverse=True)[1].ravel() for factor in factors)
        codes = codes or (np.arange(pieces.size),)
        plan = cls(pieces=pieces, factors=tuple(factors), codes=codes, strata=strata)
        for factor, n in zip(factors, plan.sizes, strict=False):
            if n < 2:
                raise InputError(
                    f"'{shorten(factor.name)}' has a single level, which cannot be drawn again. Name a "
                    f"factor with more levels ({option('cluster')})"
                )
        if not factors and pieces.size < 2:
            raise InputError(
                f"a single {pieces.noun} cannot be drawn again. Collect more {plural_of(pieces.noun)}"
            )
        if len(factors) == 2:
            for inner, outer in ((0, 1), (1, 0)):
                if not len(several(codes[inner], codes[outer])):
                    inner_name, outer_name = (shorten(factors[k].name) for k in (inner, outer))
                    raise InputError(
                        f"each level of '{inner_name}' lies in one of '{outer_name}': they are not crossed. Name "
                        f"{option('cluster', outer_name)} alone"
                    )
        if strata is not None:
            plan.check_strata(strata)
        return plan

    def check_strata(self, strata: Factor) -> None:
        """Raise InputError for strata within which nothing can be drawn."""
        name, noun = shorten(strata.name), self.noun
        if len(self.factors) == 2:
            raise InputError(
                f"{option('strata', strata.name)}: two crossed factors are not drawn within strata"
            )
        in_several = several(self.codes[0], strata.codes)
        if len(in_several):
            labels = (
                [self.factors[0].levels[k] for k in in_several.tolist()] if self.factors else []
            )
            raise InputError(
                f"{count(len(in_several), noun)} ({quoted(labels, 3)}) lie in several strata of '{name}'. Name "
                "strata that hold whole clusters"
            )
        singletons = [
            strata.levels[k] for k, n in zip(*self._stratum_sizes(), strict=True) if n < 2
        ]
        if singletons:
            raise InputError(
                f"strata of '{name}' with a single {noun} ({quoted(singletons, 3)}) have no spread. Join them "
                f"with others, or use {option('strata', None)}"
            )

    def _stratum_sizes(self) -> tuple[list[int], list[int]]:
        """Return the strata and how many levels each has."""
        strata, n_levels = np.unique(self.stratum, return_counts=True)
        return strata.tolist(), n_levels.tolist()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Levels of each factor, or pieces."""
        return tuple(int(code.max()) + 1 for code in self.codes)

    @property
    def fewest(self) -> int:
        """Independent things: of two factors, levels of the one with fewer."""
        return min(self.sizes)

    @property
    def noun(self) -> str:
        """What is drawn, in the singular."""
        if not self.factors:
            return self.pieces.noun
        return (
            "cluster" if [factor.name for factor in self.factors] != [self.pieces.unit] else "unit"
        )

    @property
    def names(self) -> list[str]:
        """Names of the factors."""
        return [factor.name for factor in self.factors]

    @property
    def clustered(self) -> bool:
        """Whether clusters are drawn, and not units or pieces."""
        return bool(self.factors) and self.names != [self.pieces.unit]

    @property
    def stratum(self) -> IntArray:
        """(levels,) int64 array: the stratum of each level of the factor."""
        assert self.strata is not None
        stratum = np.zeros(self.sizes[0], dtype=np.int64)
        # pieces of a level have the same stratum: `check_strata`
        stratum[self.codes[0]] = self.strata.codes
        return stratum

    def parts(self) -> list[DrawnLevels]:
        """Return the levels that are drawn among themselves: of each factor, or of each stratum."""
        if self.strata is None:
            return [DrawnLevels(factor=k, levels=np.arange(n)) for k, n in enumerate(self.sizes)]
        stratum = self.stratum
        return [
            DrawnLevels(factor=0, levels=np.flatnonzero(stratum == k)) for k in np.unique(stratum)
        ]

    def draws(self, resamples: int, seed: int) -> Iterator[tuple[IntArray, ...]]:
        """Yield how often each level of each factor is drawn, for one resample after the other.

        Without strata these are the draws of `socialstats.resampling.bootstrap_sums` for the same clusters and seed.
        """
        if self.strata is None:
            units = (
                PlanUnits.clusters(*self.codes)
                if self.factors
                else PlanUnits.rows(np.ones(self.pieces.size))
            )
            for block in factor_blocks(units, resamples=resamples, seed=seed, block=BLOCK):
                for k in range(len(block[0])):
                    yield tuple(times[k].astype(np.int64) for times in block)
            return
        parts = self.parts()
        streams = [
            np.random.Generator(np.random.PCG64(child))
            for child in np.random.SeedSequence(seed).spawn(len(parts))
        ]
        for start in range(0, resamples, BLOCK):
            n = min(BLOCK, resamples - start)
            times = np.zeros((n, self.sizes[0]), dtype=np.int64)
            for rng, part in zip(streams, parts, strict=True):
                times[:, part.levels] = draw_singly(rng, n, len(part.levels), None)
            for row in times:
                yield (row,)

    def data(self, times: Sequence[IntArray]) -> Any:
        """Return the data of a resample: every piece as often as its levels were drawn, as copies apart."""
        # one (pieces,) array for each factor: how often the level of the piece was drawn
        times_of_piece = [n[code] for n, code in zip(times, self.codes, strict=True)]
        copies = np.prod(times_of_piece, axis=0)
        index = np.repeat(np.arange(self.pieces.size), copies)
        # the copies of a piece are numbered from 0
        copy = np.arange(len(index)) - np.repeat(np.cumsum(copies) - copies, copies)
        names = self.names or [""]
        if len(times_of_piece) == 1:
            return self.pieces.drawn(index, {names[0]: copy})
        second = times_of_piece[1][index]
        return self.pieces.drawn(index, {names[0]: copy // second, names[1]: copy % second})

    def without(self, factor: int, levels: Any) -> Any:
        """Return the data without some levels of a factor."""
        return self.pieces.take(~np.isin(self.codes[factor], levels))

    def without_cell(self, first: int, second: int) -> Any:
        """Return the data without the pieces of one level of each of two factors."""
        return self.pieces.take((self.codes[0] != first) | (self.codes[1] != second))

    def shares(self) -> list[FloatArray]:
        """Return the share of the pieces that each level of each factor holds."""
        return [np.bincount(code) / self.pieces.size for code in self.codes]

    def counts(self) -> dict[str, int]:
        """Return how many pieces, and levels of each factor, there are, by what they are called."""
        levels = {
            factor.name if self.clustered else "units": n
            for factor, n in zip(self.factors, self.sizes, strict=False)
        }
        return {plural_of(self.pieces.noun): self.pieces.size, **levels}

    def text(self) -> str:
        """Name what is drawn: ``24 clusters (story)``, ``40 units x 6 raters``.

        Of two crossed factors both are named.
        """
        if not self.factors:
            text = count(self.pieces.size, self.pieces.noun)
        elif not self.clustered:
            text = count(self.sizes[0], "unit")
        else:
            clusters = zip(self.factors, self.sizes, strict=True)
            text = " x ".join(f"{n:,} of {shorten(factor.name, 40)}" for factor, n in clusters)
            text = f"clusters: {text}"
        if self.strata is None or self.pieces.groups == self.strata.name:
            return text
        return f"{text}, within {count(len(np.unique(self.strata.codes)), 'stratum', 'strata')}"
