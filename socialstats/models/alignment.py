"""Distances of answers from the modes of groups (ADA-Met), their variance and resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.resampling import Units
from socialstats.resampling.engine import factor_blocks
from socialstats.resampling.permutation import TIE
from socialstats.text import listing, quoted, shorten

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NOT_ASKED, EXCLUDED = -1, -2


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
    status : (models, units) int64 array
        0 ok, 1 missing, 2 refusal, -1 not asked.
    left_out : tuple of str
        Units that a model answered and no reference rater did.
    unanswered : int
        Units of the reference that no model was asked.
    """

    scores: FloatArray
    labels: tuple[str, ...]
    unit: IntArray
    weight: FloatArray
    people: IntArray
    models: IntArray
    table: csr_array
    answer: IntArray
    status: IntArray
    left_out: tuple[str, ...]
    unanswered: int

    def counts(self, people: FloatArray) -> FloatArray:
        """Weighted answers of the reference, (b, people) to (b, units, k); resamples lie side by side in memory."""
        from scipy.sparse import csr_array

        product = csr_array(self.table.T) @ np.ascontiguousarray(people.T)
        return product.reshape(len(self.unit), len(self.scores), len(people)).transpose(2, 0, 1)

    def of_people(self, index: IntArray) -> Answers:
        """Return the same units with the answers of some of the people."""
        from dataclasses import replace

        return replace(self, people=self.people[index], table=self.table[index])


def source_of(design: Ratings, source: str, reference: str | None) -> tuple[Factor, int]:
    """Return the factor of the raters' sources, and the code of the reference.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    known = design.rater_groups
    name = design.columns.get("rater_source", source) if source == "source" and source not in known else source
    if name not in known:
        raise InputError(
            f"source='{shorten(source)}' is no rater group (declared: {quoted(list(known)) or 'none'}). Say which "
            "raters are the reference: make the design with rater_source= (--rater-source), a column of human and model"
        )
    factor = known[name]
    chosen = "human" if reference is None else reference
    if chosen not in factor.levels:
        what = "no reference= is given, and 'human'" if reference is None else f"reference='{shorten(reference)}'"
        raise InputError(f"{what} is no level of '{shorten(name)}'. Levels: {quoted(factor.levels, 10)}")
    return factor, factor.levels.index(chosen)


def collect(design: Ratings, source: Factor, reference: int, unparsed: str) -> Answers:
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
            f"the levels {quoted(design.levels)} are nominal, and a distance needs their order: declare levels= from "
            "lowest to highest and scale='ordinal' (--scale ordinal)"
        )
    ours = source.codes[design.rater] == reference
    human = ours & (design.status == OK)
    units = np.intersect1d(design.unit[human], design.unit[~ours])
    models = np.unique(design.rater[~ours])
    if not len(units):
        named = listing([shorten(level) for level in source.levels])
        raise NothingToAnalyse(
            f"{design.source}: no unit has an answer of the reference ('{shorten(source.levels[reference])}') and of a "
            f"rater outside it (sources: {named}); units are joined by their labels"
        )
    order = np.argsort(design.scores, kind="stable")
    rank = np.append(np.argsort(order), -1)
    place = np.full(len(design.units), -1, dtype=np.int64)
    place[units] = np.arange(len(units))
    human &= place[design.unit] >= 0
    people, row = np.unique(design.rater[human], return_inverse=True)
    column = place[design.unit[human]] * len(order) + rank[design.value[human]]
    shape = (len(people), len(units) * len(order))
    asked = ~ours & (place[design.unit] >= 0)
    return Answers(
        scores=design.scores[order], labels=tuple(design.levels[k] for k in order.tolist()), unit=units,
        weight=design.unit_count[units], people=people, models=models,
        table=csr_array((np.ones(len(row)), (row, column)), shape=shape),
        **answers_of(design, asked, place, models, rank, unparsed),
        left_out=tuple(design.units[u] for u in np.setdiff1d(design.unit[~ours], units).tolist()),
        unanswered=len(np.setdiff1d(design.unit[ours & (design.status == OK)], units)),
    )  # fmt: skip


def answers_of(
    design: Ratings, asked: Any, place: IntArray, models: IntArray, rank: IntArray, unparsed: str
) -> dict[str, IntArray]:
    """Return the answer and the status of each model's answer to each unit, coded as in `Answers`."""
    k, status = len(rank) - 1, design.status[asked].astype(np.int64)
    value = np.where(status == REFUSAL, k, rank[design.value[asked]])
    value = np.where(status == MISSING, k if unparsed == "refusal" else EXCLUDED, value)
    at = np.searchsorted(models, design.rater[asked]), place[design.unit[asked]]
    out = {name: np.full((len(models), int(place.max()) + 1), NOT_ASKED) for name in ("answer", "status")}
    out["answer"][at], out["status"][at] = value, status
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Targets:
    """Means over units, as sums of chosen distances: one column a mean.

    Attributes
    ----------
    names : tuple of (term, stratum or None)
    pick : (means, units * (k + 1)) sparse array
        Share of each possible answer.
    asked : (means, units) sparse array
        1 where the unit counts.
    """

    names: tuple[tuple[str, str | None], ...]
    pick: csr_array
    asked: csr_array

    def beside(self, more: Targets) -> Targets:
        """Return these means and then others."""
        from scipy.sparse import csr_array, vstack

        return Targets(
            names=(*self.names, *more.names), pick=csr_array(vstack([self.pick, more.pick])),
            asked=csr_array(vstack([self.asked, more.asked])),
        )  # fmt: skip

    def means(self, distances: FloatArray, weight: FloatArray) -> FloatArray:
        """Weighted means, (b, units, k + 1) and (b, units) to (b, means); NaN where no unit counts."""
        flat = (distances * weight[..., None]).reshape(len(weight), -1)
        total = (self.pick @ np.ascontiguousarray(flat.T)).T
        size = (self.asked @ np.ascontiguousarray(weight.T)).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(size > 0, total / size, np.nan)


def targets_of(names: list[tuple[str, str | None]], shares: list[FloatArray]) -> Targets:
    """Make targets of shares (units, k + 1) of each possible answer; a row of zeros is a unit that does not count."""
    from scipy.sparse import csr_array, vstack

    return Targets(
        names=tuple(names),
        pick=csr_array(vstack([csr_array(one.reshape(1, -1)) for one in shares])),
        asked=csr_array(vstack([csr_array((one.sum(axis=1) > 0).astype(np.float64)[None, :]) for one in shares])),
    )


def difference_targets(pairs: list[tuple[tuple[str, str | None], FloatArray, FloatArray]]) -> Targets:
    """Make targets of differences, (name, shares of the one, shares of the other); units count that have both."""
    from scipy.sparse import csr_array, vstack

    picks, both = [], []
    for _, one, other in pairs:
        has = (one.sum(axis=1) > 0) & (other.sum(axis=1) > 0)
        picks.append(csr_array(((one - other) * has[:, None]).reshape(1, -1)))
        both.append(csr_array(has.astype(np.float64)[None, :]))
    return Targets(
        names=tuple(name for name, _, _ in pairs), pick=csr_array(vstack(picks)), asked=csr_array(vstack(both))
    )


def model_shares(answers: Answers, refusal: str | float) -> list[FloatArray]:
    """Answers of each model as shares (units, k + 1); refusals are left out where the rule says so."""
    k = len(answers.scores)
    out = []
    for given in answers.answer:
        one = np.zeros((len(given), k + 1))
        used = (given >= 0) & ((given < k) | (refusal != "exclude"))
        one[np.flatnonzero(used), given[used]] = 1.0
        out.append(one)
    return out


def constant_shares(answers: Answers) -> tuple[list[str], list[FloatArray]]:
    """Reference lines that need no model: the same answer to every unit, and each answer equally often."""
    k, n = len(answers.scores), len(answers.unit)
    shares = [np.tile(np.eye(k + 1)[level], (n, 1)) for level in range(k)]
    shares.append(np.tile(np.append(np.full(k, 1 / k), 0.0), (n, 1)))
    return [*(f"always {label}" for label in answers.labels), "uniform answer"], shares


ModeTies = Literal["mean", "low", "high", "nearest", "drop"]
MODE_TIES: tuple[str, ...] = get_args(ModeTies)
RefusalRule = Literal["max", "item_max", "exclude"]
REFUSAL_RULES: tuple[str, ...] = get_args(RefusalRule)
MOST_SETS = 1024  # sets of levels whose modes are worked out beforehand


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
        Several levels with most answers: the mean of the scores of all of them, the lowest, the highest, the one
        nearest to the answer, or no mode.
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
    most = largest(counts)
    known = most > 0
    tied = [counts[..., level] == most for level in range(len(scores))]
    if ties == "drop":
        known = known & (np.sum(tied, axis=0, dtype=np.int64) == 1)
    out = np.empty_like(counts, shape=(*counts.shape[:-1], len(scores) + 1))  # laid out as the counts are
    if ties == "nearest":
        out[..., :-1] = nearest_distances(np.stack(tied, axis=-1), scores)
    else:
        mode = modes_of(tied, scores, ties)
        for level, score in enumerate(scores):
            np.abs(mode - score, out=out[..., level])
    out[..., -1] = refused_distance(out[..., :-1], scores, refusal)
    if not known.all():
        out[~known] = 0.0
    return out, known


def largest(counts: FloatArray) -> FloatArray:
    """Return the largest of each row, (..., k) to (...); level by level, which for few levels is the fastest."""
    most = np.copy(counts[..., 0])
    for level in range(1, counts.shape[-1]):
        np.maximum(most, counts[..., level], out=most)
    return most


def modes_of(tied: list[BoolArray], scores: FloatArray, ties: str) -> FloatArray:
    """Return one score for the tied levels, k arrays of (...) to (...); of few levels each set is worked out once."""
    sets = 1 << len(scores)
    if sets <= MOST_SETS < tied[0].size:
        code = np.zeros_like(tied[0], dtype=np.uint16)
        for level, one in enumerate(tied):
            code |= one * np.uint16(1 << level)
        each = modes_of([np.arange(sets) >> level & 1 > 0 for level in range(len(scores))], scores, ties)
        return np.asarray(each[code.astype(np.intp)])
    total, size = (np.zeros_like(tied[0], dtype=np.float64) for _ in range(2))
    order = list(zip(tied, scores.tolist(), strict=True))
    if ties in ("low", "high"):
        for one, score in reversed(order) if ties == "low" else order:
            np.copyto(total, score, where=one)  # the last one written stands
        return total
    for one, score in order:
        total += one * score
        size += one
    return np.asarray(total / np.maximum(size, 1.0))


def nearest_distances(top: BoolArray, scores: FloatArray) -> FloatArray:
    """Return the distance of each level from the nearest of the tied ones, (..., k)."""
    out = np.full(top.shape, np.inf)
    for level, score in enumerate(scores):
        reach = np.where(top[..., level, None], np.abs(scores - score), np.inf)
        np.minimum(out, reach, out=out)
    return np.where(np.isfinite(out), out, 0.0)


def refused_distance(distances: FloatArray, scores: FloatArray, refusal: str | float) -> FloatArray | float:
    """Return the distance that a refusal counts."""
    if refusal == "item_max":
        return np.asarray(distances.max(axis=-1))
    if refusal == "max":
        return float(scores[-1] - scores[0])
    return 0.0 if isinstance(refusal, str) else float(refusal)


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


def flipped_mean_absolute(values: FloatArray, weight: FloatArray, *, seed: int = 0) -> FlippedMean | str:
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
    found = np.concatenate([np.asarray(np.abs(sign @ scaled) @ weight) for sign in patterns(len(scaled), exact, seed)])
    extreme = int((found >= observed - TIE * max(float(np.abs(scaled).sum()), 1e-300)).sum())
    p = extreme / len(found) if exact else (extreme + 1) / (len(found) + 1)
    error = 0.0 if exact else float(found.std(ddof=1)) / np.sqrt(len(found))
    return FlippedMean(
        observed=observed, null_mean=float(found.mean()), mc_error=float(error), p_value=p,
        flips=0 if exact else len(found),
    )  # fmt: skip


def patterns(n: int, exact: bool, seed: int) -> list[FloatArray]:
    """Return all patterns of n signs (the first positive: the others are mirrored), or random ones, in blocks."""
    if exact:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return [1.0 - 2.0 * bits.astype(np.float64)]
    rng = np.random.Generator(np.random.PCG64(seed))
    return [2.0 * rng.integers(0, 2, size=(BLOCK, n)).astype(np.float64) - 1 for _ in range(FLIPS // BLOCK)]


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
    the variance over units has already. The latter is the sum of the pieces' own variances, and is subtracted.
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
