"""Variance of ADA-Met over people and units, the noise of single answers counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.alignment import Targets

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MEMORY = 8_000_000  # bytes of residuals at once
FEWEST = 4  # people from which Satterthwaite's degrees of freedom hold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """What each independent piece (a unit, or a cluster of units) adds to each mean.

    Attributes
    ----------
    sign : float
        1; for two crossed factors -1 for the pieces that share both.
    sums : (pieces, units * (k + 2)) sparse array
        Sums of residuals, from distances and whether they are known.
    target : (pieces,) int64 array
        The mean that a piece belongs to.
    """

    sign: float
    sums: csr_array
    target: IntArray

    def squares(self, values: FloatArray, n: int) -> FloatArray:
        """Sum of the pieces' numbers by mean, (pieces,) to (n,)."""
        return np.asarray(self.sign * np.bincount(self.target, values, n), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Residuals:
    """Residuals of means of distances, summed to independent pieces: weight * (distance - mean).

    Attributes
    ----------
    whole : (means, units * (k + 2)) sparse array
    parts : tuple of Part
        One; of two crossed factors three, whose squares are V1 + V2 - V12 (Cameron, Gelbach & Miller 2011, eq. 2.13).
    pieces, weight : (means,) float64 arrays
        Independent pieces (the fewer of two factors), and units, behind each mean.
    """

    whole: csr_array
    parts: tuple[Part, ...]
    pieces: FloatArray
    weight: FloatArray

    @classmethod
    def of(
        cls, targets: Targets, value: FloatArray, known: FloatArray, weight: FloatArray, clusters: Sequence[IntArray]
    ) -> Residuals:
        """Write residuals of the means `value` as sums over distances, (units * (k + 1)), and `known`, (units,)."""
        from scipy.sparse import csr_array

        n = len(weight)
        row, column, each = residual_entries(targets, value, n)
        unit = column // (targets.pick.shape[1] // n + 1)
        whole = csr_array((each * weight[unit], (row, column)), shape=(len(value), column_count(targets, n)))
        codes = list(clusters) or [np.arange(n)]
        if len(codes) == 2:
            codes.append(np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel())
        scale = weight[unit] if len(clusters) else np.sqrt(weight[unit])  # alike units are independent of each other
        parts = [
            part(1.0 - 2.0 * (k == 2), row, column, each * scale, code[unit], whole.shape[1])
            for k, code in enumerate(codes)
        ]
        asked = targets.asked.toarray() * known
        size = np.asarray(asked @ weight)
        touched = [np.array([len(np.unique(code[one > 0])) for one in asked], dtype=np.float64) for code in codes[:2]]
        return cls(whole=whole, parts=tuple(parts), pieces=np.min(touched, axis=0) if clusters else size, weight=size)

    def pieces_of(self, features: FloatArray) -> list[FloatArray]:
        """Residuals of each part's pieces, (units * (k + 2), b) to (pieces, b) arrays."""
        return [np.asarray(one.sums @ features) for one in self.parts]

    @property
    def block(self) -> int:
        """Resamples whose pieces fit into memory."""
        return int(max(1, MEMORY // (8 * max(1, *(len(one.target) for one in self.parts)))))

    def unit_variance(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Variance of the means over units (clusters): G / (G - 1) * sum of squared pieces / W^2, (means,)."""
        n = len(self.weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = sum((one.squares(x**2, n) for one, x in zip(self.parts, sums, strict=True)), np.zeros(n))
            largest = [one.squares(x**2, n) for one, x in zip(self.parts, sums, strict=True) if one.sign > 0]
            total = np.max([total, *largest], axis=0)  # V1 + V2 - V12 may fall below either
            return np.asarray(self.pieces / (self.pieces - 1) * total / self.weight**2)


def column_count(targets: Targets, units: int) -> int:
    """Columns of residuals: the distances of a unit, and whether they are known."""
    return targets.pick.shape[1] + units


def residual_entries(targets: Targets, value: FloatArray, units: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows (means), columns (unit by unit: k + 1 distances, known) and entries of the residuals."""
    pick, asked = targets.pick.tocoo(), targets.asked.tocoo()
    width = targets.pick.shape[1] // units + 1
    row, level, unit = pick.coords[0], pick.coords[1] % (width - 1), pick.coords[1] // (width - 1)
    rows = np.concatenate([row, asked.coords[0]]).astype(np.int64)
    columns = np.concatenate([unit * width + level, asked.coords[1] * width + width - 1]).astype(np.int64)
    return rows, columns, np.concatenate([pick.data, -np.nan_to_num(value)[asked.coords[0]]])


def part(sign: float, row: IntArray, column: IntArray, each: FloatArray, code: IntArray, width: int) -> Part:
    """Sum the entries of each mean within the levels of a factor."""
    from scipy.sparse import csr_array

    levels = int(code.max(initial=0)) + 1
    keys, place = np.unique(row * levels + code, return_inverse=True)
    sums = csr_array((each, (place.ravel(), column)), shape=(len(keys), width))
    return Part(sign=sign, sums=sums, target=keys // levels)


def features(distances: FloatArray, known: FloatArray) -> FloatArray:
    """Distances (b, units, k + 1) beside whether they are known (b, units), as columns: (units * (k + 2), b)."""
    b, n, width = distances.shape
    out = np.empty((n, width + 1, b))
    np.multiply(distances.transpose(1, 2, 0), known.T[:, None], out=out[:, :-1])
    out[:, -1] = known.T
    return out.reshape(-1, b)


@dataclass(slots=True, kw_only=True)
class PeopleSpread:
    """What drawing the people adds to the variance of means: the covariance that they make between pieces.

    Resampled people move a mean by their own ways, which all units share, and by the noise of single answers, which
    the variance over units has already. The latter is the sum of the pieces' own variances, and is taken off.
    """

    residuals: Residuals
    count: int = 0
    means: list[FloatArray] = field(default_factory=list)
    moments: list[list[FloatArray]] = field(default_factory=list)

    def add(self, drawn: FloatArray) -> None:
        """Take in the features of resamples of the people, (units * (k + 2), b)."""
        sums = self.residuals.pieces_of(drawn)
        self.means.append(np.asarray(self.residuals.whole @ drawn).T)
        ones = np.ones(drawn.shape[1])
        fresh = [[x @ ones, np.einsum("pb,pb->p", x, x)] for x in sums]
        for total, more in zip(self.moments, fresh, strict=bool(self.count)):
            for moment, one in zip(total, more, strict=True):
                moment += one
        self.moments = self.moments or fresh
        self.count += drawn.shape[1]

    def variance(self) -> FloatArray:
        """Variance that the people add, not below 0, (means,)."""
        r, b = self.residuals, self.count
        own = np.zeros(len(r.weight))
        for one, (total, squares) in zip(r.parts, self.moments, strict=True):
            own += one.squares((squares - total**2 / b) / (b - 1), len(own))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.maximum(np.concatenate(self.means).var(axis=0, ddof=1) - own, 0.0) / r.weight**2)

    @property
    def bias(self) -> FloatArray:
        """Mean of the resamples minus the mean of the sample, (means,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.concatenate(self.means).mean(axis=0) / self.residuals.weight)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spread:
    """Standard errors of means with their degrees of freedom; (means,) arrays.

    Attributes
    ----------
    error, df : float64 arrays
    people : float64 array
        Variance that the people add.
    bias : float64 array
        What resampled modes add to the mean.
    """

    error: FloatArray
    df: FloatArray
    people: FloatArray
    bias: FloatArray

    @classmethod
    def of(cls, spread: PeopleSpread, units: FloatArray, raters: int) -> Spread:
        """Add the variances over units and people, of resamples P / (P - 1) times.

        Their degrees of freedom are those of Satterthwaite (1946): (a + b)^2 / (a^2 / (G - 1) + b^2 / (P - 1));
        of two or three people P - 1 at most, as their variance is known too badly for that.
        """
        few = max(raters - 1, 1)
        people, pieces = spread.variance() * raters / few, spread.residuals.pieces
        with np.errstate(invalid="ignore", divide="ignore"):
            below = units**2 / (pieces - 1) + people**2 / few
            df = (units + people) ** 2 / below
        if raters < FEWEST:
            df = np.minimum(df, few)
        return cls(error=np.sqrt(units + people), df=df, people=people, bias=spread.bias)

    def first(self, n: int) -> Spread:
        """Return the first n means."""
        return self.take(slice(n))

    def take(self, which: slice | IntArray) -> Spread:
        """Return some of the means."""
        return replace(self, **{name: getattr(self, name)[which] for name in self.__dataclass_fields__})

    @classmethod
    def joined(cls, *parts: Spread) -> Spread:
        """Put the means of several side by side."""
        return cls(**{name: np.concatenate([getattr(one, name) for one in parts]) for name in cls.__dataclass_fields__})


@dataclass(slots=True, kw_only=True)
class Watch:
    """Means of the sample, watched while the people are resampled.

    Attributes
    ----------
    units : (means,) float64 array
        Variance over units.
    people : PeopleSpread
    raters : int
        People (of two groups: in the smaller).
    """

    units: FloatArray
    people: PeopleSpread
    raters: int

    @classmethod
    def start(
        cls, targets: Targets, value: FloatArray, sample: tuple[FloatArray, FloatArray], weight: FloatArray,
        clusters: Sequence[IntArray], raters: int,
    ) -> Watch:  # fmt: skip
        """Begin with the sample's distances (1, units, k + 1) and whether they are known (1, units)."""
        residuals = Residuals.of(targets, value, sample[1][0], weight, clusters)
        units = residuals.unit_variance([x[:, 0] for x in residuals.pieces_of(features(*sample))])
        return cls(units=units, people=PeopleSpread(residuals=residuals), raters=raters)

    def add(self, distances: FloatArray, known: FloatArray) -> None:
        """Take in resamples of the people."""
        block = self.people.residuals.block
        for start in range(0, len(known), block):
            some = slice(start, start + block)
            self.people.add(features(distances[some], known[some]))

    def spread(self) -> Spread:
        """Return the standard errors."""
        return Spread.of(self.people, self.units, self.raters)
