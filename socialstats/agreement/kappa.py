"""Cohen's kappa of pairs of raters, and raters that change places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit, unique_rows
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.infer import Disagreement, Estimand
from socialstats.resampling import PlanUnits
from socialstats.text import count, listing, shorten, shortened
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    from scipy.sparse import csr_array


RefusalRule = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(RefusalRule)
SEPARATOR = " | "
COUNTED_DIRECTLY = 4096  # possible rows up to which a table of all of them is counted
MOST_PAIRS = 100_000  # pairs of raters with a number each: about 20 s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingPatterns:
    """Distinct rows of ratings (within clusters), with how many units have them.

    Attributes
    ----------
    raters : tuple of str
    levels : tuple of str
        Those of the design, and ``"(refusal)"`` where refusals count as a level.
    codes : (cells, raters) int64 array
        Index into `levels`; -1 where there is no rating. Of raters who are not told apart, a column is a place among
        the unit's sorted ratings.
    count : (cells,) float64 array
        Units.
    clusters : tuple of (cells,) int64 arrays
        None, one or two cluster factors.
    """

    raters: tuple[str, ...]
    levels: tuple[str, ...]
    codes: IntArray
    count: FloatArray
    clusters: tuple[IntArray, ...] = ()

    @property
    def n_units(self) -> int:
        """Units, alike ones counted each."""
        return int(self.count.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings used."""
        return int(self.count @ (self.codes >= 0).sum(axis=1))

    def units(self) -> PlanUnits:
        """Resampling units: clusters, or single units where there are none."""
        return PlanUnits.clusters(*self.clusters) if self.clusters else PlanUnits.rows(self.count)


def rating_patterns(
    design: Ratings,
    factors: Sequence[Factor] = (),
    *,
    raters: Sequence[str] | None = None,
    refusal: str = "missing",
    among: BoolArray | None = None,
    least: int = 2,
    by_rater: bool = True,
) -> RatingPatterns:
    """Count the units of a design by their row of ratings.

    Parameters
    ----------
    design : Ratings
    factors : sequence of Factor
        Cluster factors over the units.
    raters : sequence of str, optional
        Columns, in this order; all raters by default.
    refusal : {"missing", "level"}
        Whether a refusal is no rating, or a level of its own.
    among : (units,) bool array, optional
        Units to count; all by default.
    least : int
        Ratings a unit needs to count.
    by_rater : bool
        False: who gave a rating does not matter. The table then grows with the ratings of a unit, not with the raters.

    Raises
    ------
    InputError
        If a rater is unknown or named twice, or `refusal` is not an option.
    """
    check_allowed("refusal", refusal, REFUSALS)
    chosen = columns_of_raters(design, raters)
    is_rated = design.status == OK
    value, levels = design.value, design.levels
    if refusal == "level":
        refused = design.status == REFUSAL
        is_rated = is_rated | refused
        value, levels = np.where(refused, len(levels), value), (*levels, "(refusal)")
    use = slice(None) if is_rated.all() else is_rated
    unit, value, row = design.unit[use], value[use], design.rater[use]
    if not by_rater:
        # the row of a rating is its place among the sorted ratings of its unit
        order = np.lexsort((value, unit))
        unit, value = unit[order], value[order]
        row = np.arange(len(unit)) - np.searchsorted(unit, unit)
    n_rows = len(design.raters) if by_rater else int(row.max(initial=-1)) + 1
    # (raters, units): raters first, so that sums run along memory; -1 where there is no rating
    table = np.full((n_rows, len(design.units)), -1, dtype=np.int64)
    table[row, unit] = value
    ratings = [table[c] for c in chosen] if by_rater else list(table)
    kept = np.add.reduce([codes >= 0 for codes in ratings], dtype=np.int64) >= least
    kept = kept if among is None else kept & among
    keys = [*(factor.codes for factor in factors), *ratings]
    keys = keys if kept.all() else [key[kept] for key in keys]
    distinct, n_units = distinct_rows(keys, design.unit_count[kept])
    n = len(factors)
    return RatingPatterns(
        raters=tuple(design.raters[c] for c in chosen),
        levels=levels,
        codes=distinct[:, n:],
        count=n_units,
        clusters=tuple(distinct[:, j] for j in range(n)),
    )


def columns_of_raters(design: Ratings, raters: Sequence[str] | None) -> list[int]:
    """Index of each named rater."""
    if raters is None:
        return list(range(len(design.raters)))
    column_of_rater = {name: k for k, name in enumerate(design.raters)}
    for name in raters:
        if name not in column_of_rater:
            listed = listing([shorten(rater) for rater in design.raters], most=10)
            raise InputError(f"no rater '{shorten(str(name))}'. Raters: {listed}")
    if len(set(raters)) < len(raters):
        raise InputError(f"a rater is named twice: {listing([shorten(name) for name in raters])}")
    return [column_of_rater[name] for name in raters]


def distinct_rows(keys: Sequence[IntArray], count_: FloatArray) -> tuple[IntArray, FloatArray]:
    """Distinct rows of some columns in ascending order, and the sum of `count_` over each.

    Rows become whole numbers: counted directly where there are few possible ones, else sorted. Rows too long for that
    are compared as they are.

    Examples
    --------
    >>> rows, n = distinct_rows([np.array([1, 0, 1]), np.array([-1, 2, -1])], np.ones(3))
    >>> rows.tolist(), n.tolist()
    ([[0, 2], [1, -1]], [1.0, 2.0])
    """
    if not len(count_):
        return np.zeros((0, len(keys)), dtype=np.int64), count_
    low = [int(key.min()) for key in keys]
    span = tuple(int(key.max()) - least + 1 for key, least in zip(keys, low, strict=True))
    n_possible = math.prod(span)
    if n_possible >= 2**62:
        distinct, _, row = unique_rows(np.column_stack(keys))
        totals = np.bincount(row, weights=count_, minlength=len(distinct))
        return distinct, totals.astype(np.float64)
    # mixed radix: the first column is the most significant, so numbers ascend as rows do
    row_number = np.zeros(len(count_), dtype=np.int64)
    for key, s, least in zip(keys, span, low, strict=True):
        row_number = row_number * s + (key - least)
    if n_possible <= COUNTED_DIRECTLY + 4 * len(count_):
        rows = np.flatnonzero(np.bincount(row_number, minlength=n_possible))
        totals = np.bincount(row_number, weights=count_, minlength=n_possible)[rows]
    else:
        rows, inverse = np.unique(row_number, return_inverse=True)
        totals = np.bincount(inverse, weights=count_, minlength=len(rows))
    distinct = np.empty((len(rows), len(keys)), dtype=np.int64)
    for k in reversed(range(len(keys))):  # numpy's unravel_index takes 64 keys at most
        rows, code = np.divmod(rows, span[k])
        distinct[:, k] = code + low[k]
    return distinct, totals.astype(np.float64)


def units_by_stratum(design: Ratings, stratum: str | None) -> list[tuple[str | None, BoolArray]]:
    """Return which units to take: all (group None) and, where a stratum is named, those of each of its levels.

    Raises
    ------
    InputError
        If no stratum (or cluster) of that name is declared.
    """
    all_units: list[tuple[str | None, BoolArray]] = [(None, np.ones(len(design.units), dtype=bool))]
    if stratum is None:
        return all_units
    declared = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if stratum not in declared:
        listed = ", ".join(f"'{shorten(name)}'" for name in declared) or "none"
        raise InputError(
            f"no stratum '{shorten(stratum)}'. Declared: {listed}; declare others with {option('strata')}"
        )
    factor = declared[stratum]
    return [
        *all_units,
        *((level, factor.codes == code) for code, level in enumerate(factor.levels)),
    ]


def pair_names(raters: Sequence[str]) -> dict[tuple[int, int], str]:
    """Name every pair of raters ``a | b``; each in double quotes (doubled inside) where labels hold the separator.

    Examples
    --------
    >>> pair_names(["ann", "bob"]), pair_names(["a|b", "c"])
    ({(0, 1): 'ann | bob'}, {(0, 1): '"a|b" | "c"'})
    """
    plain = not any(SEPARATOR.strip() in rater for rater in raters)
    names = [rater if plain else '"' + rater.replace('"', '""') + '"' for rater in raters]
    n = len(raters)
    return {(i, j): f"{names[i]}{SEPARATOR}{names[j]}" for i in range(n) for j in range(i + 1, n)}


def pair_in_quotes(name: str) -> str:
    """Return the name of a pair for a sentence, in quotes unless `pair_names` put its raters in quotes.

    Examples
    --------
    >>> pair_in_quotes("ann | bob"), pair_in_quotes('"a|b" | "c"')
    ("'ann | bob'", '"a|b" | "c"')
    """
    (shown,) = shortened([name])
    return shown if name.startswith('"') and name.endswith('"') else f"'{shown}'"


def too_many_pairs_reason(raters: int) -> str:
    """State why a number for each pair of raters is not made; empty text where there are few enough.

    Examples
    --------
    >>> too_many_pairs_reason(3), too_many_pairs_reason(2335)
    ('', '2,335 raters make 2,724,945 pairs, more than the 100,000 that are taken one by one')
    """
    pairs = raters * (raters - 1) // 2
    if pairs <= MOST_PAIRS:
        return ""
    limit = f"more than the {count(MOST_PAIRS)} that are taken one by one"
    return f"{count(raters, 'rater')} make {count(pairs, 'pair')}, {limit}"


def missing_rating_cautions(
    design: Ratings, patterns: RatingPatterns, refusal: str
) -> tuple[Caution, ...]:
    """Caution SS315 when not everybody rated every unit; says how many refusals are among the missing ratings."""
    missing = patterns.n_units * len(patterns.raters) - patterns.n_ratings
    if not missing:
        return ()
    copies = design.unit_count[design.unit]
    refused = 0 if refusal == "level" else int(copies[design.status == REFUSAL].sum())
    among = f" ({count(refused, 'refusal')} in the whole table taken as missing)" if refused else ""
    message = f"{count(missing, 'rating')} missing{among}; each pair of raters is compared on the units that both rated"
    return (caution("SS315", message, affects="pairs, which stand on different units"),)


def require_pairs(design: Ratings, patterns: RatingPatterns) -> None:
    """Raise where no unit, or a single one, has ratings of two raters.

    Raises
    ------
    NothingToAnalyse
        Without a unit that has two ratings.
    UndefinedStatistic
        With one rater, or one such unit.
    """
    if len(patterns.raters) < 2:
        raise UndefinedStatistic(
            f"{design.source}: agreement needs at least two raters; the only one is "
            f"'{shorten(''.join(patterns.raters))}'"
        )
    if patterns.n_units < 2:
        none = patterns.n_units == 0
        raise (NothingToAnalyse if none else UndefinedStatistic)(
            f"{design.source}: agreement needs at least 2 units with ratings of two raters; of "
            f"{count(int(design.unit_count.sum()), 'unit')} {'none' if none else 'one'} has"
        )


NONE_LEFT = 1e-12  # expected disagreement below which kappa is undefined
DENSE = 10_000  # numbers up to which a table is made densely


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairKappa:
    """Kappa of two raters.

    Attributes
    ----------
    n : float
        Units rated by both.
    table : (levels, levels) float64 array
        Units by the level of the first rater (rows) and of the second (columns).
    observed, expected : float
        Weighted agreement, po and pe; NaN without units.
    kappa : float
        NaN where it does not exist.
    null_error : float
        Standard error under the hypothesis that kappa is 0 (Fleiss, Cohen & Everitt 1969).
    """

    n: float
    table: FloatArray
    observed: float
    expected: float
    kappa: float
    null_error: float

    @property
    def constant(self) -> tuple[int | None, int | None]:
        """Level that each rater always chose; None for a rater who varied."""
        used = [np.flatnonzero(self.table.sum(axis=axis)) for axis in (1, 0)]
        first, second = (int(levels[0]) if len(levels) == 1 else None for levels in used)
        return first, second


def pair_kappa(table: FloatArray, w: FloatArray) -> PairKappa:
    """Kappa of a square table of counts.

    Parameters
    ----------
    table : (levels, levels) float64 array
    w : (levels, levels) float64 array
        Agreement weights.

    Notes
    -----
    With e_i = sum_j w_ij c_j, f_j = sum_i w_ij r_i and pe the agreement by chance (Fleiss, Cohen & Everitt 1969):
    var0 = (sum r_i c_j (w_ij - e_i - f_j)^2 - pe^2) / (n (1 - pe)^2).
    pe^2 is the square of a mean; here the terms are centred first.

    Examples
    --------
    >>> k = pair_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]), np.eye(2))
    >>> round(k.kappa, 4), round(k.null_error, 4)
    (0.4, 0.1386)
    """
    n = float(table.sum())
    p = table / max(n, 1.0)
    # margins of the first and of the second rater
    r, c = p.sum(axis=1), p.sum(axis=0)
    do, de = float(((1 - w) * p).sum()), float(r @ (1 - w) @ c)
    kappa = null_error = math.nan
    if n and de > NONE_LEFT:
        # e_i + f_j of the notes, and the terms of var0
        margins, chance = (w @ c)[:, None] + (r @ w)[None, :], np.outer(r, c)
        terms = w - margins
        null_variance = float((chance * (terms - (chance * terms).sum()) ** 2).sum()) / n
        null_error = math.sqrt(null_variance) / de
        kappa = 1 - do / de if do > NONE_LEFT else 1.0
        if 1 in (np.count_nonzero(r), np.count_nonzero(c)):
            kappa = null_error = 0.0  # Do = De, without rounding
    return PairKappa(
        n=n,
        table=table,
        observed=1 - do if n else math.nan,
        expected=1 - de if n else math.nan,
        kappa=kappa,
        null_error=null_error,
    )


def largest_kappa(pair: PairKappa, w: FloatArray, name: str, scores: FloatArray) -> float | None:
    """Return the largest kappa that the two margins allow; None for weights other than the named orders.

    Unweighted: sum of min(r_i, c_i) on the diagonal (Cohen 1960). Linear, quadratic and ordinal weights fall with the
    distance between levels faster than linearly or as fast, so matching the sorted ratings agrees most.
    """
    if np.isnan(pair.kappa) or name not in ("unweighted", "linear", "quadratic", "ordinal"):
        return None
    order = np.argsort(scores)
    r, c = (pair.table.sum(axis=axis)[order] / pair.n for axis in (1, 0))
    if name == "unweighted":
        largest = float(np.minimum(r, c).sum())
    else:
        # quantile coupling of the two margins: sorted ratings are matched
        cuts = np.unique(np.concatenate([[0.0], np.cumsum(r), np.cumsum(c)]))
        middle, mass = (cuts[:-1] + cuts[1:]) / 2, np.diff(cuts)
        i, j = (np.minimum(np.searchsorted(np.cumsum(x), middle), len(x) - 1) for x in (r, c))
        largest = float(mass @ w[np.ix_(order, order)][i, j])
    return min(1.0, (largest - pair.expected) / (1 - pair.expected))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KappaTable:
    """Kappa of several pairs of raters, with what joint inference needs.

    A rating is that of a cell by both raters of a pair. Numbers are the kappas of the pairs and, of several, their mean
    and the pooled kappa.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Columns of the patterns.
    kappas : tuple of PairKappa
    mean, pooled : float
        Mean of the pairs' kappas (Light 1971), and 1 - sum n Do / sum n De over pairs (Conger 1980 when every rater
        rated every unit). NaN where no pair has one.
    used : (pairs,) bool array
        Pairs whose kappa exists, on two units or more: those in `mean`.
    cell, pair, place : (ratings,) int64 arrays
        Cells that both raters of a pair rated, the pair, and the place in its flattened square table.
    weights : (levels, levels) float64 array
    count : (cells,) float64 array
    """

    pairs: tuple[tuple[int, int], ...]
    kappas: tuple[PairKappa, ...]
    mean: float
    pooled: float
    used: BoolArray
    cell: IntArray
    pair: IntArray
    place: IntArray
    weights: FloatArray
    count: FloatArray

    def by_pair(self, values: FloatArray) -> csr_array:
        """Place a value of each rating into a sparse (cells, pairs) array."""
        from scipy.sparse import csr_array

        shape = (len(self.count), len(self.kappas))
        return csr_array((values, (self.cell, self.pair)), shape=shape)

    def members(self) -> csr_array:
        """(pairs, numbers) sparse array, 1 for the pairs that a number is of: one, those in the mean, all."""
        from scipy.sparse import csr_array, eye_array, hstack

        n = len(self.kappas)
        together = np.column_stack([self.used, np.ones(n)])[:, : 2 * (n > 1)]
        return csr_array(hstack([eye_array(n), csr_array(together)]))

    def estimand(self) -> Estimand:
        """Return what the room of inference needs of all numbers.

        A kappa that is 0 whatever the other rater does, as one never varies, has no uncertainty and is left out.
        """
        from scipy.sparse import csr_array

        values = [
            math.nan if pair.n < 2 or None not in pair.constant else pair.kappa
            for pair in self.kappas
        ]
        if len(values) > 1:
            values += [self.mean, self.pooled]
        n_pairs = self.by_pair(self.count[self.cell]) @ self.members()
        # the units of a cell that any pair rated weigh as many as they are
        rated = csr_array(n_pairs.sign() * self.count[:, None])
        return Estimand(
            estimate=np.array(values),
            influence=self.influence,
            shares=shares_of_columns(rated),
            copies=self.count,
            statistics=self.statistics(),
            finish=self.finish,
            disagreement=self.disagreement(n_pairs),
            fisher=True,
            large_sample=True,
        )

    def influence(self) -> csr_array:
        """First-order effect of the units of each cell on each number, (cells, numbers).

        A unit with ratings i and j moves kappa by ((1 - kappa)(b_i + a_j - De) - v_ij) / (n De), b_i = sum_j v_ij c_j
        and a_j = sum_i v_ij r_i: the derivative of 1 - Do/De. Squared and summed over units it is the variance of
        Fleiss, Cohen & Everitt. The pooled kappa has its own value in place of kappa and sum n De in place of n De.
        """
        from scipy.sparse import csr_array, hstack

        v = 1 - self.weights
        tables = np.array([pair.table for pair in self.kappas])
        n = np.maximum(tables.sum(axis=(1, 2)), 1.0)
        r, c = tables.sum(axis=2) / n[:, None], tables.sum(axis=1) / n[:, None]
        de = np.array([1 - pair.expected for pair in self.kappas])
        first, second = np.divmod(self.place, len(v))
        # b_i + a_j - De, and v_ij
        chance = (c @ v.T)[self.pair, first] + (r @ v)[self.pair, second] - de[self.pair]
        disagreement, units = v.ravel()[self.place], self.count[self.cell]

        # kappa and n De are those of the pair of each rating, or the same for all
        def moves(kappa: FloatArray | float, by_chance: FloatArray | float) -> csr_array:
            return self.by_pair(units * ((1 - kappa) * chance - disagreement) / by_chance)

        kappa = np.where(self.used, [pair.kappa for pair in self.kappas], 0.0)
        by_chance = np.where(self.used, n * de, math.inf)
        of_pairs = moves(kappa[self.pair], by_chance[self.pair])
        if len(n) == 1:
            return of_pairs
        of_mean = of_pairs @ (self.used / max(self.used.sum(), 1))
        of_pooled = moves(self.pooled, float(np.nansum(n * de))).sum(axis=1)
        together = np.nan_to_num(np.column_stack([of_mean, of_pooled]))
        return csr_array(hstack([of_pairs, csr_array(together)]))

    def disagreement(self, n_pairs: csr_array) -> Disagreement:
        """Return the disagreements of all numbers, scaled to be 1 at most.

        Of the mean they are those of the pairs in it together, of the pooled kappa those of all pairs.

        Parameters
        ----------
        n_pairs : (cells, numbers) sparse array
            Pairs of ratings of the units of each cell.
        """
        largest = max(float((1 - self.weights).max()), NONE_LEFT)
        v, members = (1 - self.weights).ravel() / largest, self.members()
        apart = self.by_pair(self.count[self.cell] * v[self.place]) @ members
        # n De of each pair, 0 of those without units
        by_chance = np.nan_to_num([pair.n * (1 - pair.expected) for pair in self.kappas]) / largest
        total = np.maximum(n_pairs.sum(axis=0), 1.0)
        return Disagreement(
            values=apart / total, shares=n_pairs / total, expected=by_chance @ members / total
        )

    def statistics(self) -> csr_array | FloatArray:
        """Return what each cell adds to the sums of each pair: (cells, pairs x (2 levels + 1)), sparse unless small.

        For each pair: margins of the first and of the second rater, and weighted agreement.
        """
        from scipy.sparse import csr_array

        k, n = len(self.weights), self.count[self.cell]
        start = self.pair * (2 * k + 1)
        first, second = np.divmod(self.place, k)
        column = np.concatenate([start + first, start + k + second, start + 2 * k])
        value = np.concatenate([n, n, n * self.weights.ravel()[self.place]])
        at = (np.tile(self.cell, 3), column)
        shape = (len(self.count), len(self.kappas) * (2 * k + 1))
        if shape[0] * shape[1] > DENSE:
            return csr_array((value, at), shape=shape)
        dense: FloatArray = np.zeros(shape)
        dense[at] = value  # no place twice: a cell has one level a rater
        return dense

    def finish(self, sums: FloatArray) -> FloatArray:
        """Turn sums of `statistics` into kappas, their mean over the `used` pairs, and the pooled kappa."""
        return kappas_of_sums(sums, self.weights, self.used)


def shares_of_columns(table: csr_array) -> csr_array:
    """Divide the columns of a table by their sums; those of zeros stay."""
    from scipy.sparse import csr_array

    total = table.sum(axis=0)
    return csr_array(table / np.where(total > 0, total, 1.0))


def kappa_table(
    patterns: RatingPatterns, w: FloatArray, pairs: Sequence[tuple[int, int]]
) -> KappaTable:
    """Compute kappa of pairs of raters, each on the units that both rated.

    Parameters
    ----------
    patterns : Patterns
    w : (levels, levels) float64 array
        Agreement weights.
    pairs : sequence of (int, int)
        Columns of `patterns.codes`.
    """
    k, shared, places, kappas, sums = len(w), [], [], [], []
    for a, b in pairs:
        first, second = patterns.codes[:, a], patterns.codes[:, b]
        cells = np.flatnonzero((first >= 0) & (second >= 0))
        place = first[cells] * k + second[cells]
        table = np.bincount(place, patterns.count[cells], k * k).reshape(k, k).astype(np.float64)
        shared.append(cells)
        places.append(place)
        kappas.append(pair_kappa(table, w))
        sums += [table.sum(axis=1), table.sum(axis=0), [(table * w).sum()]]
    sizes = [len(cells) for cells in shared]
    used = np.array([pair.n >= 2 and not math.isnan(pair.kappa) for pair in kappas])
    # the kappa of a single pair is the mean and the pooled kappa too
    estimates = kappas_of_sums(np.concatenate(sums)[None, :], w, used)[0].tolist()
    return KappaTable(
        pairs=tuple(pairs),
        kappas=tuple(kappas),
        mean=estimates[-2:][0],
        pooled=estimates[-1],
        used=used,
        cell=np.concatenate(shared),
        pair=np.repeat(np.arange(len(sizes)), sizes),
        place=np.concatenate(places),
        weights=w,
        count=patterns.count,
    )


def kappas_of_sums(sums: FloatArray, w: FloatArray, used: BoolArray) -> FloatArray:
    """(B, pairs x (2 levels + 1)) sums -> (B, pairs + 2): kappa of each pair, mean over `used`, pooled; NaN if none.

    Of a single pair (B, 1): the three are the same.
    """
    k = len(w)
    parts = sums.reshape(len(sums), -1, 2 * k + 1)
    r, c, agree = parts[..., :k], parts[..., k : 2 * k], parts[..., -1]
    # units that both rated, by pair
    n = np.einsum("bpi->bp", r)
    with np.errstate(divide="ignore", invalid="ignore"):
        do, de = n - agree, np.einsum("bpj,bpj->bp", r @ (1 - w), c) / n  # both times n
        kappa = np.where(de > NONE_LEFT * n, 1 - do / de, np.nan)
        if len(used) == 1:
            return kappa
        in_mean = np.where(used, kappa, np.nan)
        defined = ~np.isnan(in_mean)
        mean = np.where(defined, in_mean, 0.0).sum(axis=1) / defined.sum(axis=1)
        total = np.nansum(de, axis=1)
        pooled = np.where(total > NONE_LEFT * n.sum(axis=1), 1 - do.sum(axis=1) / total, np.nan)
    return np.column_stack([kappa, mean, pooled])


def agreement_matrix(design: Ratings, tolerance: float, refusal: str) -> FloatArray:
    """(levels, levels) array: 1 where two levels agree (refusals, if a level, with themselves only)."""
    if isinstance(tolerance, bool) or not tolerance >= 0:
        raise InputError(f"tolerance must be at least 0, not {tolerance!r}")
    if tolerance > 0 and design.scale == "nominal" and not design.numeric:
        raise InputError(
            f"{option('tolerance', Word(f'{tolerance:g}'))} needs levels in an order, and these are nominal; declare "
            f"{option('levels', [Word('lowest'), Word('...'), Word('highest')])} and {option('scale', 'ordinal')}"
        )
    unit = size_unit(design.scores)
    scores = design.scores / unit
    distance = np.abs(scores[:, None] - scores[None, :])
    agree = (distance <= tolerance / unit * (1 + 1e-12)).astype(np.float64)
    if refusal == "missing":
        return agree
    k = len(agree)
    with_refusals: FloatArray = np.eye(k + 1)
    with_refusals[:k, :k] = agree
    return with_refusals


def unit_agreement(part: RatingPatterns, agree: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of the pairs of ratings of each cell's units that agree, and the number of such pairs.

    With r_k ratings of level k: (sum_kl r_k r_l a_kl - r) / (r (r - 1)) (Gwet 2014, with weights a).
    """
    k = len(agree)
    cell, rater = np.nonzero(part.codes >= 0)
    n_cells = len(part.count)
    cell_and_level = cell * k + part.codes[cell, rater]
    r = np.bincount(cell_and_level, minlength=n_cells * k).reshape(n_cells, k).astype(np.float64)
    total = r.sum(axis=1)
    # ordered pairs of ratings that agree, less each rating with itself
    share: FloatArray = (((r @ agree) * r).sum(axis=1) - total) / (total * (total - 1))
    return share, total * (total - 1) / 2
