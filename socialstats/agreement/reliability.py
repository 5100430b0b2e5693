"""Agreement of raters corrected for chance: weights, counts of ratings, coefficients and their rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from socialstats import sentences
from socialstats.arrays import AnyArray, FloatArray, IntArray, scale_free
from socialstats.designs.options import texts
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, OK, REFUSAL, REFUSALS, REFUSED, Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    rare_level_cautions,
    small_sample_caution,
)
from socialstats.inference.how import NAMES, How
from socialstats.inference.infer import Disagreement, Estimand, infer
from socialstats.inference.rows import with_inferred
from socialstats.paired.pair_values import whole_df
from socialstats.results import Result, Row
from socialstats.results.rows import Reason
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array


WeightsName = Literal["unweighted", "linear", "quadratic", "ordinal", "ratio"]
WEIGHTS: tuple[str, ...] = get_args(WeightsName)
WeightsKind = Literal["agreement", "disagreement"]
KINDS: tuple[str, ...] = get_args(WeightsKind)
NEAR = 1e-12  # share of the largest weight within which weights are equal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementWeights:
    """Weights with the name they go by.

    Attributes
    ----------
    name : str
        One of `WEIGHTS`, or ``"custom"``.
    matrix : (levels, levels) float64 array
        Symmetric, between 0 and 1, ones on the diagonal.
    cautions : tuple of Caution
        SS330, where ordinal levels are numbers at unequal distances.
    """

    name: str
    matrix: FloatArray
    cautions: tuple[Caution, ...] = ()


# weights as irr, statsmodels and vcd call them
SPELLED = {
    "squared": "quadratic",
    "fc": "quadratic",
    "Fleiss-Cohen": "quadratic",
    "equal": "linear",
    "ca": "linear",
    "Equal-Spacing": "linear",
}


def weights_of(
    design: Ratings, weights: Any = "auto", *, kind: str = "agreement"
) -> AgreementWeights:
    """Return the agreement weights of a design's levels.

    Parameters
    ----------
    design : Ratings
    weights : str or (levels, levels) matrix
        ``"auto"``: unweighted for nominal levels, quadratic for all others. Names of irr, vcd and statsmodels are
        taken too.
    kind : {"agreement", "disagreement"}
        What a matrix holds.

    Raises
    ------
    InputError
        As `agreement_weights`; also for distances between levels that are declared to have no order, and for None:
        other packages mean unweighted agreement by it, or their default.
    NothingToAnalyse
        Without a rating.
    """
    if not design.levels:
        raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
    weights = SPELLED.get(weights, weights) if isinstance(weights, str) else weights
    name = weights if isinstance(weights, str) else "custom"
    if weights is None:
        raise InputError(
            f"{option('weights', None)} is unweighted in scikit-learn, and elsewhere the default. Say "
            f"{option('weights', 'unweighted')}, or {option('weights', 'quadratic')}; {option('weights', 'auto')} is "
            "the first for nominal levels, and the second for all others"
        )
    if name == "auto":
        name = weights = "unweighted" if design.scale == "nominal" else "quadratic"
    needs_order = name in WEIGHTS and name != "unweighted"
    if needs_order and design.scale == "nominal" and not design.numeric:
        raise InputError(
            f"{option('weights', name)} needs levels in an order, and these are nominal: "
            f"{quoted(list(design.levels))}. Declare "
            f"{option('levels', [Word('lowest'), Word('...'), Word('highest')])} and {option('scale', 'ordinal')}, or "
            f"use {option('weights', 'unweighted')}"
        )
    matrix = agreement_weights(weights, design.scores, kind=kind, levels=design.levels)
    return AgreementWeights(name=name, matrix=matrix, cautions=score_cautions(design, name))


def score_cautions(design: Ratings, name: str) -> tuple[Caution, ...]:
    """Caution SS330: weights follow the numbers of ordinal levels (as irrCAC), not their ranks (as vcd, psych)."""
    if (
        design.scale != "ordinal"
        or not design.numeric
        or name not in ("linear", "quadratic", "ratio")
    ):
        return ()
    steps = np.diff(np.sort(scale_free(design.scores)))
    if len(steps) < 2 or np.ptp(steps) <= NEAR * steps.max():
        return ()
    distances = f"the distances of the numbers {listing(design.levels, 6)}, not of their ranks"
    message = f"{option('weights', name)} take {distances}"
    fix = f"{option('weights', 'ordinal')} takes ranks, or pass a matrix"
    return (caution("SS330", message, affects="the coefficient", fix=fix),)


def agreement_weights(
    weights: Any,
    scores: Sequence[float] | FloatArray,
    *,
    kind: str = "agreement",
    levels: Sequence[str] | None = None,
) -> FloatArray:
    """Return the (levels, levels) matrix of agreement weights.

    Parameters
    ----------
    weights : {"unweighted", "linear", "quadratic", "ordinal", "ratio"} or (levels, levels) matrix
        With x the scores and d = x_i - x_j: linear 1 - abs(d)/range, quadratic 1 - (d/range)^2 (Cohen 1968), ratio 1 -
        (d/(x_i + x_j))^2 over its largest value, ordinal 1 - C(m, 2)/C(k, 2) with m the number of levels from i to j,
        both included (Gwet 2014). A data frame is put in the order of `levels` by its labels.
    scores : (levels,) array
        Numbers of the levels, all different.
    kind : {"agreement", "disagreement"}
        What a matrix holds: agreement has ones on its diagonal, disagreement zeros. Disagreement weights v (of any
        size) become 1 - v/max(v).
    levels : sequence of str, optional
        Labels, for messages and to order a data frame.

    Returns
    -------
    (levels, levels) float64 array
        Symmetric, between 0 and 1, ones on the diagonal.

    Raises
    ------
    InputError
        For an unknown name, scores that are equal or not finite, or ratio weights of negative scores. Also for a matrix
        that is not square, symmetric, of the right size and of the `kind` that was declared.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. doi:10.1037/h0026256
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> agreement_weights("quadratic", [1, 2, 5]).round(4).tolist()
    [[1.0, 0.9375, 0.0], [0.9375, 1.0, 0.4375], [0.0, 0.4375, 1.0]]
    >>> agreement_weights([[0, 1, 3], [1, 0, 6], [3, 6, 0]], [1, 2, 3], kind="disagreement")[0].tolist()
    [1.0, 0.8333333333333334, 0.5]
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 1 or not len(x) or not np.all(np.isfinite(x)) or len(np.unique(x)) != len(x):
        raise InputError(
            f"scores of the levels must be different finite numbers, not {shorten(str(x.tolist()))}"
        )
    check_allowed("kind", kind, KINDS)
    if not isinstance(weights, str):
        return from_matrix(order_by_levels(weights, levels), len(x), kind)
    if weights not in WEIGHTS:
        raise InputError(
            f"{option('weights', shorten(weights))} is not one of {', '.join(WEIGHTS)}, nor a matrix"
        )
    if kind != "agreement":
        raise InputError(
            f"{option('kind', kind)} describes a matrix; {option('weights', weights)} need none: leave "
            "kind out"
        )
    return np.ones((1, 1)) if len(x) == 1 else 1 - level_distances(weights, x)


def level_distances(name: str, x: FloatArray) -> FloatArray:
    """Distances between levels as a share of the largest one, (levels, levels)."""
    k = len(x)
    x = scale_free(x)
    gap = np.abs(x[:, None] - x[None, :])
    if name == "unweighted":
        return 1 - np.eye(k)
    if name == "ordinal":
        # C(m, 2), m = steps + 1 levels from one to the other in the order of the scores
        rank = np.argsort(np.argsort(x))
        steps = np.abs(rank[:, None] - rank[None, :]).astype(np.float64)
        raw = (steps + 1) * steps / 2
    elif name == "ratio":
        if np.any(x < 0):
            raise InputError(
                f"{option('weights', 'ratio')} needs levels of at least 0, not {x.min():g}; use "
                "'quadratic'"
            )
        total = x[:, None] + x[None, :]
        raw = np.divide(gap, total, out=np.zeros_like(gap), where=total > 0) ** 2
    else:
        raw = gap / gap.max() if name == "linear" else (gap / gap.max()) ** 2
    share: FloatArray = raw / raw.max()
    return share


def order_by_levels(weights: Any, levels: Sequence[str] | None) -> AnyArray:
    """Return a matrix as an array; a labelled one (data frame) in the order of the levels."""
    if hasattr(weights, "loc") and hasattr(weights, "columns") and levels is not None:
        names = [[str(label) for label in labels] for labels in (weights.index, weights.columns)]
        unlabelled = [str(i) for i in range(len(levels))]
        if names[0] == names[1] == unlabelled and set(unlabelled) != set(levels):
            return np.asarray(weights)
        for part, labels in zip(("rows", "columns"), names, strict=True):
            if sorted(labels) != sorted(levels):
                raise InputError(
                    f"the {part} of the weights are {quoted(labels)}, the levels {quoted(list(levels))}; "
                    "name both alike, or pass a plain matrix in the order of the levels"
                )
        rows, columns = ([labels.index(level) for level in levels] for labels in names)
        return np.asarray(weights)[np.ix_(rows, columns)]
    return np.asarray(weights)


def from_matrix(weights: AnyArray, k: int, kind: str) -> FloatArray:
    """Check a custom matrix and return it as agreement weights."""
    try:
        w = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a matrix of weights must hold numbers ({shorten(str(error))})"
        ) from error
    if w.shape != (k, k):
        size = " x ".join(map(str, w.shape)) or "a single number"
        raise InputError(
            f"the weights are {size}; {k} levels need a {k} x {k} matrix, in the order of the levels"
        )
    if not np.all(np.isfinite(w)):
        raise InputError(
            "the matrix of weights has cells that are missing or infinite; fill all of them"
        )
    if np.abs(w - w.T).max() > NEAR * max(1.0, np.abs(w).max()):
        i, j = np.argwhere(np.abs(w - w.T) > NEAR * max(1.0, np.abs(w).max()))[0]
        raise InputError(
            f"the weights are not symmetric: row {i + 1}, column {j + 1} is {w[i, j]:g} and row {j + 1}, column "
            f"{i + 1} is {w[j, i]:g}; raters are exchangeable, give both the same"
        )
    # what stands on the diagonal of this kind of weights
    on, other_kind = (1, "disagreement") if kind == "agreement" else (0, "agreement")
    diagonal = np.diag(w)
    if np.any(np.abs(diagonal - on) > NEAR):
        hint = (
            f"; these look like {other_kind} weights: pass {option('kind', other_kind)}"
            if np.all(diagonal == 1 - on)
            else ""
        )
        raise InputError(
            f"{kind} weights have {on} on the diagonal, these have {diagonal.tolist()}{hint}"
        )
    if kind == "agreement" and (w.min() < 0 or w.max() > 1 + NEAR):
        beyond = w.min() if w.min() < 0 else w.max()
        raise InputError(f"agreement weights lie between 0 and 1, not {beyond:g}; rescale them")
    if w.min() < 0:
        raise InputError(f"disagreement weights are not negative, these have {w.min():g}")
    if len(w) == 1:
        return np.ones((1, 1))
    if np.all(w >= 1) if kind == "agreement" else w.max() <= 0:
        raise InputError(f"all {kind} weights are {on}: every choice would agree with every other")
    return np.minimum(w, 1.0) if kind == "agreement" else 1 - w / w.max()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingCounts:
    """Ratings of each unit by level.

    Attributes
    ----------
    unit, level : (triplets,) int64 arrays
        Sorted by unit, then level; each combination once.
    n : (triplets,) float64 array
        How many raters gave the unit this level; at least 1.
    size : (units,) float64 array
        Ratings of each unit.
    copies : (units,) float64 array
        How many alike units each stands for.
    index : (units,) int64 array
        Position of each unit in the design.
    levels : tuple of str
    scores : (levels,) float64 array
    """

    unit: IntArray
    level: IntArray
    n: FloatArray
    size: FloatArray
    copies: FloatArray
    index: IntArray
    levels: tuple[str, ...]
    scores: FloatArray

    @property
    def n_units(self) -> int:
        """Units, alike ones counted."""
        return int(self.copies.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings in these units."""
        return int(self.copies @ self.size)

    @property
    def margins(self) -> FloatArray:
        """(levels,) float64 array: how often each level was given."""
        weights = self.n * self.copies[self.unit]
        return np.bincount(self.level, weights=weights, minlength=len(self.levels)).astype(
            np.float64
        )

    @property
    def varies(self) -> bool:
        """Return whether more than one level was given."""
        return bool(np.any(self.level != self.level[:1]))

    @property
    def agrees(self) -> bool:
        """Return whether all ratings of a unit are the same, in every unit."""
        return len(self.unit) == len(self.size)

    def table(self) -> csr_array:
        """Counts as a sparse (units, levels) array."""
        return self.sparse(self.n)

    def sparse(self, values: FloatArray) -> csr_array:
        """Place a value of each triplet into a sparse (units, levels) array."""
        return sparse_by_rows(values, self.unit, self.level, (len(self.size), len(self.levels)))

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each triplet over the triplets of each unit."""
        return np.bincount(self.unit, weights=values, minlength=len(self.size)).astype(np.float64)

    def keep(self, mask: Any) -> RatingCounts:
        """Some of the units."""
        kept_units = np.flatnonzero(mask)
        # -1 for units that are left out
        new_index = np.full(len(self.size), -1, dtype=np.int64)
        new_index[kept_units] = np.arange(len(kept_units))
        is_kept = new_index[self.unit] >= 0
        return replace(
            self,
            unit=new_index[self.unit[is_kept]],
            level=self.level[is_kept],
            n=self.n[is_kept],
            size=self.size[kept_units],
            copies=self.copies[kept_units],
            index=self.index[kept_units],
        )


def sparse_by_rows(
    values: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]
) -> csr_array:
    """Make a sparse array of values whose rows are ascending, without sorting them again."""
    from scipy.sparse import csr_array

    # indptr of the compressed rows
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
    return csr_array((values, column, start), shape=shape)


def rating_counts(design: Ratings, *, refusal: str = "missing") -> RatingCounts:
    """Count the ratings of each unit by level; units without a rating are left out.

    Parameters
    ----------
    design : Ratings
    refusal : {"missing", "level"}
        What a refusal is: no rating, or the last level, even without refusals. The latter is for nominal levels only,
        as a refusal has no place in an order.

    Raises
    ------
    InputError
        For an unknown option.
    """
    unit, _, value, levels = select_ratings(design, refusal)
    scores = scale_free(design.scores)
    # a level of refusals comes last
    scores = np.append(scores, scores.max(initial=-1.0) + 1)[: len(levels)]
    # one key for each combination of unit and level
    keys, n = np.unique(unit * len(levels) + value, return_counts=True)
    index, unit = np.unique(keys // max(len(levels), 1), return_inverse=True)
    size = np.bincount(unit, weights=n, minlength=len(index)).astype(np.float64)
    return RatingCounts(
        unit=unit.astype(np.int64),
        level=keys % max(len(levels), 1),
        n=n.astype(np.float64),
        size=size,
        copies=design.unit_count[index],
        index=index.astype(np.int64),
        levels=levels,
        scores=np.asarray(scores, dtype=np.float64),
    )


class CountedRatings(NamedTuple):
    """Unit, rater and level of the ratings that count, each (ratings,), and the levels with that of refusals."""

    unit: IntArray
    rater: IntArray
    level: IntArray
    levels: tuple[str, ...]


def select_ratings(design: Ratings, refusal: str) -> CountedRatings:
    """Return the ratings that count, refused ones as missing or as a level of their own."""
    check_allowed("refusal", refusal, REFUSALS)
    refused = design.status == REFUSAL
    if refusal == "missing":
        used = design.status == OK
        value, levels = design.value, design.levels
    else:
        used = refused | (design.status == OK)
        value = np.where(refused, len(design.levels), design.value)
        levels = (*design.levels, refusal_level_name(design.levels))
    return CountedRatings(design.unit[used], design.rater[used], value[used], levels)


def raters_and_levels(design: Ratings, refusal: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Rater and level of the ratings that count, and how many alike units each stands for."""
    unit, rater, value, _ = select_ratings(design, refusal)
    return rater, value, design.unit_count[unit]


def refusal_level_name(levels: Sequence[str]) -> str:
    """Name the level of refusals so that no other level has the name."""
    name = REFUSED
    while name in levels:
        name = f"({name})"
    return name


def group_alike_units(counts: RatingCounts) -> RatingCounts:
    """Count units with the same ratings together (their `index` is that of the first of them).

    For single units as resampling units only: which cluster a unit is in does not enter.
    """
    # units with the same random number are alike: the sum over levels of count x random number
    generator = np.random.default_rng(20110621)
    random = generator.integers(1, 2**63, size=len(counts.levels), dtype=np.uint64)
    hashes = np.zeros(len(counts.size), dtype=np.uint64)
    np.add.at(hashes, counts.unit, counts.n.astype(np.uint64) * random[counts.level])
    _, first, pattern = np.unique(hashes, return_index=True, return_inverse=True)
    table = counts.table()
    collide = abs(table - table[first[pattern]]).sum() > 0  # two patterns with one hash
    if len(first) == len(counts.size) or collide:
        return counts
    copies = np.bincount(pattern, weights=counts.copies)
    order = np.argsort(first)
    patterns = counts.keep(np.isin(np.arange(len(counts.size)), first))
    return replace(patterns, copies=copies[order].astype(np.float64))


ChanceOfLevels = Callable[[FloatArray, FloatArray], FloatArray]
"""(B, levels) shares of the levels, (levels, levels) weights -> what each level adds to chance, times its share."""
NO_ERROR = 1e-12  # disagreement expected by chance that is rounding


class ObservedAndChance(NamedTuple):
    """Observed and chance agreement, and the (levels,) shares of the levels."""

    observed: float
    chance: float
    shares: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ChanceAgreement:
    """Per-unit statistics of one of the coefficients.

    Attributes
    ----------
    chance : ChanceOfLevels
        The definition of agreement by chance.
    weights : (levels, levels) float64 array
    counts : RatingCounts
        Of units with at least one rating.
    """

    chance: ChanceOfLevels
    weights: FloatArray
    counts: RatingCounts

    @cached_property
    def shares(self) -> csr_array:
        """r_ik / r_i, sparse (units, levels)."""
        return self.counts.sparse(self.counts.n / self.counts.size[self.counts.unit])

    @cached_property
    def pair_statistics(self) -> FloatArray:
        """(units, 3): share of the pairs of raters that agree, by weight (0 of one rating), whether paired, and 1."""
        counts, m = self.counts, self.counts.size
        # r*_ik of Gwet (2014) at each triplet: ratings of the unit that agree with level k, by weight
        agreeing = np.asarray((counts.table() @ self.weights)[counts.unit, counts.level])
        pairs = counts.per_unit(counts.n * (agreeing - 1))
        agreement = np.divide(pairs, m * (m - 1), out=np.zeros_like(m), where=m > 1)
        return np.column_stack([agreement, m > 1, np.ones(len(m))])

    def statistics(self) -> csr_array:
        """Return what is resampled, (units, 3 + levels): agreement, whether paired, whether rated, and shares."""
        from scipy.sparse import csr_array, hstack

        statistics = hstack([csr_array(self.pair_statistics), self.shares], format="csr")
        return csr_array(statistics.multiply(self.counts.copies[:, None]))

    def finish(self, sums: FloatArray) -> FloatArray:
        """(B, 3 + levels) sums -> (B, 1) coefficients; NaN where no unit is paired or chance agreement is 1."""
        observed, expected = self.parts(sums)
        defined = 1 - expected > NO_ERROR
        coefficient = np.full_like(observed, np.nan)
        np.divide(observed - expected, 1 - expected, out=coefficient, where=defined)
        return coefficient[:, None]

    def parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(B, 3 + levels) sums -> observed and chance agreement, each (B,)."""
        # units with two ratings, and with any, in each resample
        paired, rated = (np.where(sums[:, k] > 0, sums[:, k], np.nan) for k in (1, 2))
        pi = sums[:, 3:] / rated[:, None]
        return sums[:, 0] / paired, np.asarray((self.chance(pi, self.weights) * pi).sum(axis=1))

    def overall(self) -> ObservedAndChance:
        """Return the agreement of all units."""
        sums = np.asarray(self.statistics().sum(axis=0), dtype=np.float64)[None, :]
        observed, chance = self.parts(sums)
        shares = np.asarray(sums[0, 3:] / sums[0, 2])
        return ObservedAndChance(float(observed[0]), float(chance[0]), shares)

    def coefficient(self) -> Coefficient:
        """Return the coefficient with each unit's linearised value, whose mean is the coefficient (Gwet 2014).

        The standard error is that of their mean. Units with one rating enter the level shares only; their number is
        taken as fixed, as Gwet does.
        """
        observed, expected, pi = self.overall()
        value = (observed - expected) / (1 - expected)
        agreement, paired, rated = self.pair_statistics.T
        # n / n', units rated over units with two ratings (Gwet 2014)
        per_pair = float(self.counts.copies @ rated / (self.counts.copies @ paired))

        def values() -> FloatArray:
            chance = self.shares @ self.chance(pi, self.weights) - expected
            return np.asarray(
                (per_pair * (agreement - expected * paired) - 2 * (1 - value) * chance)
                / (1 - expected)
            )

        return Coefficient(
            estimate=value,
            statistics=self.statistics(),
            finish=self.finish,
            values=values,
            disagreement=paired - agreement,
            weight=paired,
            expected=1 - expected,
        )

    def extras(self) -> dict[str, Any]:
        """Observed and chance agreement, shares of the levels and weights."""
        observed, chance, shares = self.overall()
        return {
            "observed_agreement": observed,
            "chance_agreement": chance,
            "levels": self.counts.levels,
            "shares": shares,
            "weights": self.weights,
        }


def conger_chance(
    rater: IntArray, level: IntArray, copies: FloatArray, weights: FloatArray
) -> float:
    """Chance agreement of Conger's (1980) kappa, in which each rater keeps their own level shares.

    pe = sum_kl w_kl times the mean over pairs of raters g != h of p_gk p_hl. Here p_gk is the share of rater g's
    ratings that are k (Conger 1980; Gwet 2014 for weights and missing ratings).

    Parameters
    ----------
    rater, level : (ratings,) int64 arrays
        At least two raters.
    copies : (ratings,) float64 array
        Alike units that each rating stands for.
    weights : (levels, levels) float64 array
    """
    names, dense = np.unique(rater, return_inverse=True)
    raters, q = len(names), len(weights)
    # (raters, levels): counts, and shares p_gk
    n = np.bincount(dense * q + level, weights=copies, minlength=raters * q).reshape(raters, q)
    share = n / n.sum(axis=1, keepdims=True)
    total = share.sum(axis=0)
    # sum over g != h of p_gk p_hl: that over all pairs less that of each rater with itself
    products = np.outer(total, total) - share.T @ share
    return float((weights * products).sum() / (raters * (raters - 1)))


def fleiss_null(counts: RatingCounts) -> float:
    """Standard error of unweighted Fleiss' kappa where there is no agreement beyond chance.

    var0 = 2 / (N m (m - 1)) * ((sum p q)^2 - sum p q (q - p)) / (sum p q)^2, q = 1 - p (Fleiss, Nee & Landis 1979).

    Parameters
    ----------
    counts : RatingCounts
        All units rated by the same number m of raters, and ratings that vary.
    """
    m, units = float(counts.size[0]), counts.copies.sum()
    p = counts.margins / counts.margins.sum()
    q = 1 - p
    pq = p @ q
    variance = 2 / (units * m * (m - 1)) * (pq**2 - np.sum(p * q * (q - p))) / pq**2
    return float(np.sqrt(variance))


PAIRS_AT_ONCE = 2_000_000  # pairs of triplets in memory at once
BLOCK = 1024  # levels whose ratio distances are in memory at once
NO_SPREAD = 1e-12  # share of the numbers' size below which a spread is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlphaSums:
    """What is resampled.

    Attributes
    ----------
    statistics : (units, k) sparse array
        Alike units counted.
    finish : callable
        (B, k) sums -> Do, De and the number n of pairable values, each (B,).
    """

    statistics: csr_array
    finish: Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

    def total(self) -> FloatArray:
        """Sums of the whole sample, (1, k)."""
        return np.asarray(self.statistics.sum(axis=0), dtype=np.float64)[None, :]

    def alpha(self, sums: FloatArray) -> FloatArray:
        """(B, k) sums -> (B, 1) alphas; NaN where the values do not vary."""
        do, de, n = self.finish(sums)
        ratio = np.full_like(do, np.nan)
        np.divide((n - 1) * do, de, out=ratio, where=de > 0)
        return np.asarray(1 - ratio)[:, None]


def alpha_sums(counts: RatingCounts, scale: str) -> AlphaSums:
    """Per-unit statistics of alpha and its finish, for one of the four scales.

    Parameters
    ----------
    counts : RatingCounts
        Of units with at least two ratings.
    scale : {"nominal", "ordinal", "interval", "ratio"}

    Notes
    -----
    De = sum n_c n_k d_ck: nominal sum n_c (n - n_c), interval 2 (n sum x^2 - (sum x)^2), ordinal the same of the
    mid-ranks of the resample.

    Raises
    ------
    InputError
        For ratio distances between negative numbers.
    """
    from scipy.sparse import csr_array, hstack

    if scale == "ratio" and counts.scores.min() < 0:
        least = counts.levels[int(counts.scores.argmin())]
        raise InputError(
            f"{option('scale', 'ratio')} needs values of at least 0, not {least}; use {option('scale', 'interval')} "
            "where 0 is not the absence of what is measured"
        )
    if scale == "interval":
        x = centred_scores(counts)
        moments = [counts.per_unit(counts.n * x[counts.level] ** p) for p in range(3)]
        parts = [csr_array(np.column_stack([observed_disagreement(counts, scale), *moments]))]
    elif scale == "ordinal":
        first, second, pairs = pairs_of_levels(counts)
        parts = [pairs, counts.table()]
    else:
        parts = [csr_array(observed_disagreement(counts, scale)[:, None]), counts.table()]

    def finish(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        if scale == "interval":
            do, n, s1, s2 = sums.T
            return do, zero_rounding(2 * (n * s2 - s1**2), n * s2), n
        margins = np.ascontiguousarray(sums[:, -len(counts.levels) :])
        n, x = margins.sum(axis=1), mid_ranks(margins) if scale == "ordinal" else counts.scores
        expected = (margins * distances_to_all(margins, x, scale)).sum(axis=1)
        if scale != "ordinal":
            return sums[:, 0], expected, n
        # the mid-ranks of each resample: distances are squared differences of its own ranks
        squared = (x[:, first] - x[:, second]) ** 2
        do = 2 * np.einsum("bp,bp->b", sums[:, : len(first)], squared)
        return do, zero_rounding(expected, n**4), n

    statistics = csr_array(hstack(parts, format="csr"))
    # each row times its alike units, without a product of sparse arrays
    statistics.data *= np.repeat(counts.copies, np.diff(statistics.indptr))
    return AlphaSums(statistics=statistics, finish=finish)


def centred_scores(counts: RatingCounts) -> FloatArray:
    """Scores minus their mean over the ratings: the same differences with less rounding."""
    # the distances do not change, and less is lost to rounding
    x: FloatArray = counts.scores - counts.margins @ counts.scores / counts.margins.sum()
    return x


def mid_ranks(margins: FloatArray) -> FloatArray:
    """Mid-ranks of the levels around the middle rank: cumulated counts less half a level's own, less n/2."""
    ranks: FloatArray = (
        np.cumsum(margins, axis=-1) - margins / 2 - margins.sum(axis=-1, keepdims=True) / 2
    )
    return ranks


def zero_rounding(value: FloatArray, size: FloatArray) -> FloatArray:
    """Value with 0 where it is rounding error of quantities of this size."""
    return np.where(value > NO_SPREAD * size, value, 0.0)


def observed_disagreement(
    counts: RatingCounts, scale: str, scores: FloatArray | None = None
) -> FloatArray:
    """What one unit adds to Do, (units,): sum_ck n_uc n_uk d_ck / (m_u - 1) (ordinal: `scores` are mid-ranks)."""
    m = counts.size
    if scale == "nominal":
        disagreement = m**2 - counts.per_unit(counts.n**2)
    elif scale == "ratio":
        disagreement = np.zeros(len(m))
        for a, b in pairs_within(counts):
            x, y = counts.scores[counts.level[a]], counts.scores[counts.level[b]]
            part = 2 * counts.n[a] * counts.n[b] * ((x - y) / (x + y)) ** 2
            disagreement += np.bincount(counts.unit[a], weights=part, minlength=len(m))
    else:
        x = (centred_scores(counts) if scores is None else scores)[counts.level]
        mean = counts.per_unit(counts.n * x) / m
        disagreement = 2 * m * counts.per_unit(counts.n * (x - mean[counts.unit]) ** 2)
    return np.asarray(disagreement / (m - 1))


def pairs_of_levels(counts: RatingCounts) -> tuple[IntArray, IntArray, csr_array]:
    """Pairs of levels that share a unit: lower level, higher level, and (units, pairs) coincidences o_ck."""
    blocks = [
        (counts.unit[a], counts.level[a], counts.level[b], counts.n[a] * counts.n[b])
        for a, b in pairs_within(counts)
    ]
    unit, low, high, n = (np.concatenate([block[i] for block in blocks]) for i in range(4))
    k = len(counts.levels)
    keys, column = np.unique(low * k + high, return_inverse=True)
    values = n / (counts.size[unit] - 1)
    return keys // k, keys % k, sparse_by_rows(values, unit, column, (len(counts.size), len(keys)))


def pairs_within(counts: RatingCounts) -> Iterator[tuple[IntArray, IntArray]]:
    """Positions (a, b) of the pairs of triplets a < b of the same unit, some units at a time."""
    distinct = np.bincount(counts.unit, minlength=len(counts.size))
    start = np.concatenate([[0], np.cumsum(distinct)])
    block = np.cumsum(distinct * (distinct - 1) // 2) // PAIRS_AT_ONCE
    for k in range(int(block.max(initial=0)) + 1):
        units = np.flatnonzero(block == k)
        rows = np.arange(start[units[0]], start[units[-1] + 1]) if len(units) else np.arange(0)
        after = start[counts.unit[rows] + 1] - rows - 1  # triplets of the unit that come later
        a = np.repeat(rows, after)
        b = a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(after) - after, after)
        yield a, b


def coincidence_matrix(counts: RatingCounts) -> FloatArray:
    """(levels, levels) coincidences o_ck; row sums are the margins."""
    n = counts.n * (counts.copies / (counts.size - 1))[counts.unit]
    products = (counts.table().T @ counts.sparse(n)).toarray()
    matrix: FloatArray = products - np.diag(
        np.bincount(counts.level, weights=n, minlength=len(counts.levels))
    )
    return matrix


def distances_to_all(margins: FloatArray, x: FloatArray, scale: str) -> FloatArray:
    """sum_k n_k d_ck for each level c and each row of margins, (B, levels); `x` are scores, or mid-ranks (B, levels).

    Ratio distances ((c - k) / (c + k))^2 are taken some levels at a time.
    """
    n = margins.sum(axis=-1, keepdims=True)
    if scale == "nominal":
        return np.asarray(n - margins)
    if scale != "ratio":
        s1, s2 = ((margins * x**p).sum(axis=-1, keepdims=True) for p in (1, 2))
        return np.asarray(n * x**2 - 2 * x * s1 + s2)
    sums = np.empty_like(margins)
    for start in range(0, len(x), BLOCK):
        block = slice(start, start + BLOCK)
        # in place: these tables are the largest in memory
        distance, total = x[:, None] - x[None, block], x[:, None] + x[None, block]
        total[total == 0] = 1.0  # 0 and 0
        distance /= total
        distance *= distance
        sums[:, block] = margins @ distance
    return sums


def alpha_influence(counts: RatingCounts, scale: str) -> FloatArray:
    """Derivative of alpha' = 1 - n Do/De by the weight of each unit (times 1 unit), (units,).

    The sum over all units, alike ones counted, is 0. With fixed distances this is the linearisation behind Gwet's
    (2014, chapter 6) standard error of alpha. For ordinal levels the ranks' own dependence on the units is included.
    """
    margins, m = counts.margins, counts.size
    n, x = margins.sum(), level_positions(counts, scale)
    d_do, distance_to_all = (
        observed_disagreement(counts, scale, x),
        distances_to_all(margins[None, :], x, scale)[0],
    )
    do, de = counts.copies @ d_do, margins @ distance_to_all
    d_de = 2 * counts.per_unit(counts.n * distance_to_all[counts.level])
    if scale == "ordinal":
        rank_do, rank_de = moving_ranks(counts, x)
        d_do, d_de = d_do + rank_do, d_de + rank_de
    # the quotient rule, with n, Do and De each changed by one more unit
    slope: FloatArray = -(m * do + n * d_do - n * do * d_de / de) / de
    return slope


def level_positions(counts: RatingCounts, scale: str) -> FloatArray:
    """Places of the levels whose squared differences are the distances (ratio and nominal: their scores)."""
    return {"interval": centred_scores(counts), "ordinal": mid_ranks(counts.margins)}.get(
        scale, counts.scores
    )


def largest_distance(counts: RatingCounts, scale: str) -> float:
    """Largest distance of two levels that were given."""
    if scale == "nominal":
        return 1.0
    position = level_positions(counts, scale)[counts.margins > 0]
    low, high = float(position.min()), float(position.max())
    return ((high - low) / (high + low)) ** 2 if scale == "ratio" else (high - low) ** 2


def moving_ranks(counts: RatingCounts, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Change of Do and De through the mid-ranks that one more unit of each kind brings."""
    margins = counts.margins
    within = counts.per_unit(counts.n * r[counts.level]) / counts.size
    m = counts.size[counts.unit]
    factor = (counts.n * m / (m - 1)) * counts.copies[counts.unit]
    deviations = r[counts.level] - within[counts.unit]
    # half the derivatives of Do and of De by the rank of each level
    d_do = np.bincount(counts.level, weights=factor * deviations, minlength=len(r))
    d_de = margins * (margins.sum() * r - margins @ r)
    changes = []
    # the rank of c grows by n_u above c's own level, by half of it within: 4 sum_c g_c rho_uc
    for g in (d_do, d_de):
        above = np.cumsum(g[::-1])[::-1] - g / 2
        changes.append(4 * counts.per_unit(counts.n * above[counts.level]))
    return changes[0], changes[1]


CiName = Literal["closed", "percentile", "basic", "bca"]
CI: tuple[str, ...] = get_args(CiName)
OnUndefined = Literal["nan", "raise"] | float
MOST_LEVELS = 2000  # a table of weights of this many levels takes 32 MB
METHODS = {
    "t": "linearised s.e., t interval",
    "fisher": "error by clusters, Fisher z, t",
    "disagreements": "Korn and Graubard's interval of the share of disagreement",
    "hull": "Fisher z and Korn and Graubard's interval of the share of disagreement, the wider at each end",
}
NO_PAIR = "no unit has two ratings: agreement needs two or more raters of the same unit"
FULL = "no variation: the weights say that all levels given agree fully"
ONE_UNIT = "one unit has two ratings: disagreement within it is all the disagreement there is"
CONSTANT = "no variation: every rating is '{level}', so agreement by chance is complete"


def checked_on_undefined(value: object) -> OnUndefined:
    """Return what to do where a coefficient is undefined: "nan", "raise", or 1.0; else raise InputError."""
    if value in ("nan", "raise"):
        return "nan" if value == "nan" else "raise"
    if not isinstance(value, bool) and isinstance(value, int | float) and value == 1:
        return 1.0
    raise InputError(f"{option('on_undefined', value)} is not one of 'nan', 'raise', 1.0")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(How):
    """Options that all coefficients take, checked; see `krippendorff_alpha`."""

    refusal: str
    raters: Sequence[str] | None
    stratum: str | None
    on_undefined: Any

    def __post_init__(self) -> None:
        """Raise InputError for an impossible option."""
        self.check(CI)
        check_allowed("refusal", self.refusal, REFUSALS)
        checked_on_undefined(self.on_undefined)

    @property
    def settings(self) -> dict[str, Any]:
        """All options, as a result records them."""
        names = (
            "refusal",
            "raters",
            "stratum",
            "ci",
            "cluster",
            "on_undefined",
            "level",
            "resamples",
            "seed",
        )
        raters = None if self.raters is None else texts(self.raters)
        return {name: getattr(self, name) for name in names} | {"raters": raters}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficient:
    """One coefficient of one group of units.

    Attributes
    ----------
    estimate : float
        NaN where it does not exist.
    statistics, finish
        As for `socialstats.resampling.bootstrap_sums`.
    values : callable
        Returns the linearised values of the units, whose mean has the standard error of the coefficient.
    disagreement, weight : (units,) float64 arrays
        Disagreement within each unit, from 0 to 1, and what the unit weighs in its mean.
    expected : float
        That disagreement by chance: the coefficient is 1 - sum weight disagreement / sum weight / expected.
    least : float
        What the coefficient cannot be below.
    """

    estimate: float
    statistics: Any
    finish: Callable[[FloatArray], FloatArray]
    values: Callable[[], FloatArray]
    disagreement: FloatArray
    weight: FloatArray
    expected: float
    least: float = -math.inf

    def estimand(self, copies: FloatArray) -> Estimand:
        """Return what the room of inference needs."""
        n, weight = copies.sum(), copies * self.weight
        shares = weight / weight.sum()

        def influence() -> FloatArray:
            values = self.values()
            return np.asarray((values - copies @ values / n) * copies / n)[:, None]

        return Estimand(
            estimate=np.array([self.estimate]),
            influence=influence,
            shares=(copies / n)[:, None],
            copies=copies,
            statistics=self.statistics,
            finish=self.finish,
            disagreement=Disagreement(
                values=(shares * self.disagreement)[:, None],
                shares=shares[:, None],
                expected=np.array([self.expected]),
            ),
            least=self.least,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitGroup:
    """The units of one row: all of them, or one level of a stratum.

    Attributes
    ----------
    name : str or None
    design : Ratings
    counts : RatingCounts
        Units with a rating (or with two); alike ones together unless there are clusters.
    clusters : tuple of (units,) int64 arrays
    """

    name: str | None
    design: Ratings
    counts: RatingCounts
    clusters: tuple[IntArray, ...]

    @property
    def n_paired(self) -> int:
        """Units with two ratings or more."""
        return int(self.counts.copies[self.counts.size > 1].sum())

    @property
    def n_clusters(self) -> int | None:
        """Levels of the (smaller) cluster factor; None without clusters."""
        return min(len(np.unique(codes)) for codes in self.clusters) if self.clusters else None


def unit_groups(design: Ratings, options: AgreementOptions, *, least: int) -> list[UnitGroup]:
    """All units, and then the units of each level of the stratum; units with fewer than `least` ratings left out.

    Raises
    ------
    NothingToAnalyse
        If no unit has two ratings.
    """
    parts: list[tuple[str | None, Ratings]] = [(None, design)]
    if options.stratum is not None:
        parts += list(design.split_units(options.stratum).items())
    groups: list[UnitGroup] = []
    for name, part in parts:
        counts = rating_counts(part, refusal=options.refusal)
        if name is None and not np.any(counts.size > 1):
            raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
        counts = counts.keep(counts.size >= least)
        codes = tuple(
            factor.codes[counts.index] for factor in cluster_factors(part, options.cluster)
        )
        if not codes:
            counts = group_alike_units(counts)
        groups.append(UnitGroup(name=name, design=part, counts=counts, clusters=codes))
    return groups


def reliability_weights(design: Ratings, weights: Any, kind: str, refusal: str) -> AgreementWeights:
    """Return the weights of the levels, with a row and column for refusals where these are a level.

    Raises
    ------
    InputError
        If there are too many levels for a table of weights, or a refusal is a level and the levels are weighted.
    """
    if len(design.levels) > MOST_LEVELS:
        raise InputError(
            f"{count(len(design.levels), 'different value')}, too many for levels of agreement (at most "
            f"{count(MOST_LEVELS)}): group the values, or use krippendorff_alpha(scale='interval')"
        )
    agreement = weights_of(design, weights, kind=kind)
    if refusal == "missing":
        return agreement
    if agreement.name != "unweighted":
        raise InputError(
            f"{option('refusal', 'level')} needs {option('weights', 'unweighted')}: '{agreement.name}' has "
            "no place for a refusal"
        )
    return AgreementWeights(name=agreement.name, matrix=np.eye(len(design.levels) + 1))


def reliability(
    metric: str,
    design: Ratings,
    options: AgreementOptions,
    coefficient: Callable[[UnitGroup], Coefficient | None],
    *,
    term: str,
    title: str,
    least: int,
    settings: Mapping[str, Any],
    extras: Callable[[UnitGroup], dict[str, Any]],
    references: Sequence[str],
    tests: Callable[[UnitGroup], tuple[Row, ...]] = lambda _: (),
    cautions: Sequence[Caution] = (),
    further: Sequence[Caution] = (),
) -> Result:
    """Return the result of a coefficient of all units and of each level of the stratum.

    Parameters
    ----------
    metric, term, title : str
    design : Ratings
    options : AgreementOptions
    coefficient : callable
        Returns the coefficient of a group of units; None where it does not exist.
    least : int
        Ratings that a unit needs to enter.
    settings : mapping
        Those beside `options`.
    extras, tests : callable
        Of all units: what a result has beside its rows; further rows.
    references : sequence of str
    cautions, further : sequence of Caution
        Said before and after those about clusters and missing ratings.

    Raises
    ------
    InputError
        For raters that are not known.
    UndefinedStatistic
        If a coefficient does not exist and ``on_undefined="raise"``.
    """
    if options.raters is not None:
        if not design.raters_known:
            raise InputError(
                f"{option('raters')} needs raters with names; these ratings are counts of levels"
            )
        design = design.of_raters(texts(options.raters))
    groups = unit_groups(design, options, least=least)
    estimates = [
        coefficient_row(term, group, coefficient(group), options, title) for group in groups
    ]
    rows = [estimate.row for estimate in estimates]
    largest = max(estimate.largest_cluster for estimate in estimates)
    of_clusters = agreement_cautions(design, groups, rows, options, largest)
    of_rows = one_of_each_code(chain.from_iterable(estimate.cautions for estimate in estimates))
    row, counts = rows[0], groups[0].counts
    raters = {"raters": len(design.raters)} if design.raters_known else {}
    fit = {
        "nobs": int(row.n or 0),
        "n_clusters": row.n_clusters,
        "df": None if row.df is None else whole_df(row.df),
        "method": row.method,
        "effective_df": row.df,
        "largest_leverage": largest or None,
        **options.drawn,
    }
    return Result(
        metric=metric,
        title=title,
        inference=inference_text(design, options),
        rows=(*rows, *tests(groups[0])),
        counts={"units": counts.n_units, **raters, "ratings": counts.n_ratings},
        fit=fit,
        settings={**settings, **options.settings},
        cautions=(*cautions, *of_clusters, *further, *of_rows),
        references=tuple(references),
        design=design,
        extras=extras(groups[0]),
    )


def one_of_each_code(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the first caution of each code, about the rows of all of them."""
    by_code: dict[str, Caution] = {}
    for warning in cautions:
        first = by_code.setdefault(warning.code, warning)
        rows = tuple(dict.fromkeys(chain(first.rows or (), warning.rows or ())))
        by_code[warning.code] = replace(first, rows=rows or None)
    return list(by_code.values())


class CoefficientRow(NamedTuple):
    """Row of a coefficient, the largest share that a cluster has in it, and its cautions."""

    row: Row
    largest_cluster: float
    cautions: tuple[Caution, ...]


def why_undefined(group: UnitGroup, term: str) -> tuple[str, Reason]:
    """Return why a coefficient of a group does not exist, in words and as a field.

    Chance agreement of AC1 and AC2 is divided by the number of levels minus one; declared levels count.
    """
    counts = group.counts
    if group.n_paired == 0:
        return NO_PAIR, "no_data"
    if not counts.varies and term in ("AC1", "AC2"):
        return (
            f"a single level, '{shorten(counts.levels[int(counts.level[0])])}': {term} needs two",
            "no_variation",
        )
    if not counts.varies:
        return CONSTANT.format(level=shorten(counts.levels[int(counts.level[0])])), "no_variation"
    return (ONE_UNIT, "one_unit") if group.n_paired == 1 else (FULL, "no_variation")


def coefficient_row(
    term: str,
    group: UnitGroup,
    coefficient: Coefficient | None,
    options: AgreementOptions,
    title: str,
) -> CoefficientRow:
    """Return the row of a coefficient, undefined with its reason where there is none."""
    counts = group.counts
    row = Row(
        term=term,
        group=group.name,
        key=() if group.name is None else (("stratum", group.name),),
        role="estimate",
        n=float(counts.n_ratings),
        n_units=counts.n_units,
        n_clusters=group.n_clusters,
    )
    if coefficient is None:
        why, reason = why_undefined(group, term)
        if options.on_undefined == "raise":
            raise UndefinedStatistic(
                f"{term}{f' of {shorten(group.name)}' if group.name else ''}: {why}"
            )
        row = replace(row, undefined=why, reason=reason)
        if options.on_undefined != "nan" and reason == "no_variation":
            row = replace(row, estimate=1.0, undefined=f"{why}; set to 1 by on_undefined")
        return CoefficientRow(row, 0.0, ())
    (inferred,), cautions = infer(
        coefficient.estimand(counts.copies), group.clusters, options, title, [row.name]
    )
    method = (
        METHODS.get(inferred.kind)
        or f"{NAMES[inferred.kind]} bootstrap of {'clusters' if group.clusters else 'units'}"
    )
    has_error = not inferred.why or inferred.std_error is not None
    row = replace(row, estimate=coefficient.estimate, method=method if has_error else None)
    row = with_inferred(row, inferred, options.level, test=options.ci == "closed")
    return CoefficientRow(row, inferred.largest, cautions)


SMALL = 50  # units below which SS312 asks for more


def inference_text(design: Ratings, options: AgreementOptions) -> str:
    """State how the intervals were obtained."""
    factors = cluster_factors(design, options.cluster)
    over = cluster_text(factors, "units")
    if options.ci == "closed":
        kind = (
            "Fisher z intervals with standard errors by"
            if factors
            else "t intervals with linearised standard errors;"
        )
        return f"{kind} {over}"
    return f"{NAMES[options.ci]} bootstrap intervals, {count(options.resamples)} resamples, seed {options.seed}; {over}"


def agreement_cautions(
    design: Ratings,
    groups: Sequence[UnitGroup],
    rows: Sequence[Row],
    options: AgreementOptions,
    largest: float,
) -> tuple[Caution, ...]:
    """Cautions on clusters, small samples, constant ratings, and missing ratings."""
    factors: tuple[Factor, ...] = cluster_factors(design, options.cluster)
    with_interval = [row for row in rows if row.conf_low is not None]
    df = [row.df for row in with_interval]
    cautions = list(cluster_cautions(design, factors, df=df, largest=largest, rows=with_interval))
    units, counts = groups[0].n_paired, groups[0].counts
    if not factors and with_interval:
        fix = f"rate {SMALL} units or more, or read the interval as approximate"
        cautions += small_sample_caution(
            units, SMALL, f"{count(units, 'unit')} with two or more ratings", fix=fix
        )
    units_of_level = np.bincount(counts.level, counts.copies[counts.unit], len(counts.levels))
    cautions += rare_level_cautions(
        units_of_level.astype(np.float64), counts.n_units, groups[0].n_clusters
    )
    constant = [row for row in rows if row.reason == "no_variation"]
    if constant:
        where = ", ".join(shorten(row.group) for row in constant[:5] if row.group) or "all units"
        cautions.append(
            caution(
                "SS313",
                f"every rating is the same in {where}",
                affects="the coefficient there",
                fix="take units that differ: a reliability needs something to tell apart",
            )
        )
    return (*cautions, *missing_cautions(design, groups[0], options))


def undeclared_levels_caution(design: Ratings, depends: str) -> tuple[Caution, ...]:
    """Caution SS310 where agreement by chance depends on the number of levels, and none were declared.

    `depends` is the start of a sentence: what depends on their number.
    """
    # levels that nobody chose count in the agreement by chance
    if design.levels_declared:
        return ()
    levels = count(len(design.levels), "level")
    detail = f"{levels} occur and none were declared; {depends} on their number"
    fix = f"declare {option('levels', [Word('...')])} with all possible levels"
    return (caution("SS310", detail, affects="the coefficient", fix=fix),)


def missing_cautions(
    design: Ratings, group: UnitGroup, options: AgreementOptions
) -> tuple[Caution, ...]:
    """Caution SS315: refusals, missing ratings, and units with fewer than two ratings."""
    copies = design.unit_count[design.unit]
    refused, rated, unparsed = (
        int(copies[design.status == status].sum()) for status in (REFUSAL, OK, MISSING)
    )
    units = int(design.unit_count.sum())
    cells, n_unpaired = units * len(design.raters), units - group.n_paired
    parts = []
    if refused:
        how = "counted as a level" if options.refusal == "level" else "counted as missing"
        parts.append(f"{count(refused, 'refusal')} {how}")
    if cells > rated + refused and design.raters_known and not spread_evenly(design):
        parts.append(
            f"{count(cells - rated - refused)} of {count(cells)} ratings missing or not asked for"
        )
    if unparsed and design.raters_known and unparsed < cells - rated - refused:
        parts.append(f"{count(unparsed)} of them written as missing")
    if n_unpaired:
        parts.append(f"{count(n_unpaired, 'unit')} with fewer than two ratings")
    if not parts:
        return ()
    return (
        caution(
            "SS315",
            "; ".join(parts),
            affects="which ratings enter; units must be missing at random",
        ),
    )


def spread_evenly(design: Ratings) -> bool:
    """Return whether ratings were shared out: every unit has as many as any other, with none refused or missing.

    Where people rate a part of the units each, most cells of the table of units by raters are empty by design. Nothing
    is missing then.
    """
    rated = np.bincount(design.unit, minlength=len(design.units))
    return bool(np.all(design.status == OK) and len(rated) > 0 and rated.min() == rated.max())


def reliability_sentence(result: Result, name: str) -> str:
    """State the coefficient of all units with its interval, its test of 0 and its sample.

    Parameters
    ----------
    result : Result
        With counts of units, raters (where known) and ratings, and the coefficient of all units as its first row.
    name : str
        Of the coefficient, in words.
    """
    row, n = result.rows[0], result.counts
    if row.estimate is None:
        return sentences.no_number(name, row.undefined or "no estimate")
    sample = [count(n[f"{noun}s"], noun) for noun in ("unit", "rater", "rating") if f"{noun}s" in n]
    sample += [count(row.n_clusters, "cluster")] if row.n_clusters else []
    how = "" if row.conf_low is None or row.statistic is not None else f", {row.method}"
    return f"{name} was {sentences.stat(row)}{how} ({', '.join(sample)})."


def reliability_plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the coefficient of all units and of each stratum with the intervals."""
    from socialstats.figures import forest

    rows = [
        replace(row, term=row.group or "all units", group=None)
        for row in result.rows
        if row.role == "estimate"
    ]
    return forest(rows, ax=ax, **{"xlabel": result.title, "sort": False, **options})
