"""Krippendorff's alpha: agreement of any number of raters, at four levels of measurement, with missing ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.agreement.coefficients import Coefficient
from socialstats.agreement.rating_counts import RatingCounts, sparse_by_rows
from socialstats.agreement.rating_tables import Tallies, cost_of_levels, tallies_of
from socialstats.agreement.reliability import (
    AgreementOptions,
    CiName,
    UnitGroup,
    reliability,
    reliability_plot,
    reliability_sentence,
)
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.level_orders import SCALES, Scale
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.errors import InputError
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup
from socialstats.results.definitions import (
    DisagreementParts,
    PeerNumbers,
    PlainSample,
    RowKey,
)
from socialstats.results.peers import load_peer
from socialstats.text import shorten
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# Results hold the coincidences of so many levels: 40,000 numbers.
MOST_LEVELS_SHOWN = 200
MOST_OF_PEER = (
    2_000_000  # numbers of an array of the krippendorff package, which holds three such arrays
)


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


@reads(Ratings)
def krippendorff_alpha(
    ratings: Ratings | TableLike,
    *,
    scale: Scale | None = None,
    refusal: Refusal = "missing",
    raters: Sequence[str] | None = None,
    stratum: str | None = None,
    ci: CiName = "closed",
    cluster: str | Sequence[str] | None = "declared",
    on_undefined: Literal["nan", "raise"] | float = "nan",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Krippendorff's alpha: 1 minus observed over expected disagreement.

    With o_ck the coincidences of values c and k within units, n_c their margins, n their sum and d_ck^2 the squared
    distance of two values, alpha = 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2 (Krippendorff 2011). Distances:
    nominal 0 or 1; ordinal the difference of pooled mid-ranks; interval c - k; ratio (c - k)/(c + k).

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level. Units with fewer than two ratings do not enter.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        Distance between values; that of the design by default. Interval and ratio distances need numbers, ordinal
        ones the order of the levels.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own (nominal only).
    raters : sequence of str, optional
        Only these raters.
    stratum : str, optional
        A declared stratum (or cluster) of the units: one more row for each of its levels.
    ci : {"closed", "percentile", "basic", "bca"}
        ``"closed"``: t interval with the linearised standard error (for ordinal distances the change of the ranks is
        included). It is cut at 1, and at -1/(m - 1), the lowest alpha of units with m ratings or more: with two
        raters at -1. Else bootstrap of units with their own margins. Without disagreement
        the lower end is that of Korn and Graubard (1998); of clusters see `socialstats.inference.infer.infer`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    on_undefined : {"nan", "raise", 1.0}
        Where the ratings do not vary alpha is undefined: a row with the reason, an exception, or the number 1.
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``alpha`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also t, df
        and p of alpha = 0. `extras` (all units): ``observed_disagreement`` = sum o_ck d_ck^2 / n,
        ``expected_disagreement`` = sum n_c n_k d_ck^2 / (n (n - 1)), ``n_pairable`` = n, ``levels``, ``margins`` and
        ``coincidences`` (levels x levels, up to 200 levels).

    Raises
    ------
    InputError
        For an unknown option, an order or distance that the levels do not have, or negative values with ratio.
    NothingToAnalyse
        If no unit has two ratings.
    UndefinedStatistic
        With ``on_undefined="raise"``.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> rows = {"unit": [1, 1, 2, 2, 3, 3, 4, 4], "rater": ["a", "b"] * 4, "value": [1, 1, 2, 3, 3, 3, 1, 2]}
    >>> result = krippendorff_alpha(rows, unit="unit", rater="rater", value="value", scale="ordinal")
    >>> round(result.row("alpha").estimate, 4)
    0.7083
    """
    options = AgreementOptions(
        refusal=refusal,
        raters=raters,
        stratum=stratum,
        ci=ci,
        cluster=cluster,
        on_undefined=on_undefined,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    used = checked_scale(ratings, scale, options.refusal)
    return reliability(
        METRIC,
        ratings,
        options,
        partial(alpha, scale=used),
        term="alpha",
        title=f"Krippendorff's alpha ({used})",
        least=2,
        settings={"scale": used},
        extras=partial(extras, scale=used),
    )


def checked_scale(design: Ratings, scale: str | None, refusal: str) -> str:
    """Return the scale to use.

    Raises
    ------
    InputError
        If the levels do not have the order or the distances that the scale needs.
    """
    used = design.scale if scale is None else scale
    check_allowed("scale", used, SCALES)
    # a refusal has no distance from the levels of a scale
    if refusal == "level" and used != "nominal":
        raise InputError(
            f"{option('refusal', 'level')} needs {option('scale', 'nominal')}: a refusal has no place on "
            f"the {used} scale"
        )
    # numbers have all distances, and labels are the same or not
    if used == "nominal" or design.numeric:
        return used
    if used in ("interval", "ratio"):
        raise InputError(
            f"{option('scale', used)} needs numbers; the levels are {', '.join(map(shorten, design.levels[:5]))}. "
            f"Use {option('scale', 'ordinal')} for levels in order, else 'nominal'"
        )
    if not design.levels_declared:
        raise InputError(
            f"{option('scale', used)} needs the order of the levels: declare "
            f"{option('levels', [Word('lowest'), Word('...'), Word('highest')])}; they are "
            f"{', '.join(map(shorten, design.levels[:5]))}"
        )
    return used


def alpha(group: UnitGroup, scale: str) -> Coefficient | None:
    """Alpha of a group of units; None where ratings do not vary, and of one unit (0 whatever its ratings are)."""
    counts = group.counts
    if not counts.varies or counts.n_units < 2:
        return None
    sums, largest = alpha_sums(counts, scale), largest_distance(counts, scale)
    _, (expected,), (n,) = sums.finish(sums.total())
    # D_o and D_e over the largest distance, so that both are shares between 0 and 1
    disagreement = (
        observed_disagreement(counts, scale, level_positions(counts, scale)) / counts.size / largest
    )
    return Coefficient(
        estimate=float(sums.alpha(sums.total())[0, 0]),
        statistics=sums.statistics,
        finish=sums.alpha,
        values=lambda: counts.n_units * alpha_influence(counts, scale),
        disagreement=disagreement,
        weight=counts.size,
        expected=float(expected / (n * (n - 1))) / largest,
        least=lowest_alpha(int(counts.size.min())),
    )


def lowest_alpha(fewest: int) -> float:
    """Return the lowest alpha of units with so many ratings or more, however many units there are.

    Squared distances within a unit of m ratings add up to m times their sum of squares. Within all units these are at
    most the sum of squares of all values. So observed disagreement is at most m / (m - 1) times that by chance.

    Examples
    --------
    >>> lowest_alpha(2), lowest_alpha(5)
    (-1.0, -0.25)
    """
    return -1 / (fewest - 1)


def extras(group: UnitGroup, scale: str) -> dict[str, Any]:
    """Observed and expected disagreement (0 where ratings do not vary), margins and coincidences of all units."""
    counts, n = group.counts, float(group.counts.n_ratings)
    observed_sum, expected = 0.0, 0.0
    if counts.varies:
        by_unit = observed_disagreement(counts, scale, level_positions(counts, scale))  # (units,)
        observed_sum = float(counts.copies @ by_unit)
        sums = alpha_sums(counts, scale)
        expected = float(sums.finish(sums.total())[1][0])
    shown = len(counts.levels) <= MOST_LEVELS_SHOWN
    coincidences = {"coincidences": coincidence_matrix(counts)} if shown else {}
    # D_o = sum o_ck d_ck^2 / n, D_e = sum n_c n_k d_ck^2 / (n (n - 1)) (Krippendorff 2011)
    return {
        "observed_disagreement": observed_sum / n,
        "expected_disagreement": expected / (n * (n - 1)),
        "n_pairable": counts.n_ratings,
        "levels": counts.levels,
        "margins": counts.margins,
        **coincidences,
    }


def sentence(result: Result) -> str:
    """State alpha with its interval and sample."""
    return reliability_sentence(result, f"Krippendorff's alpha ({result.settings['scale']})")


def sample_alpha(result: Result) -> Iterator[PlainSample]:
    """Yield units with two ratings or more, by level, and alpha from the distances of all pairs of ratings."""
    scale = result.settings["scale"]
    scores = np.append(result.design.scores, np.nan)
    for group, tallies in tallies_of(result, least=2):
        if len(tallies.count):
            used = tallies.table.sum(axis=0) > 0
            yield alpha_sample(group, tallies, used, scores[used], scale)


def alpha_sample(
    group: str | None, tallies: Tallies, used: BoolArray, scores: FloatArray, scale: str
) -> PlainSample:
    """Return the sample of one alpha: 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2 of n ratings."""
    table, size = tallies.table[:, used], tallies.size
    key, linear = (group, "alpha"), (group, "alpha with n for n - 1")

    def apart(count: FloatArray) -> tuple[FloatArray, FloatArray]:
        distance = squared_distances(scale, scores, count @ table)
        return distance, ((table @ distance) * table).sum(axis=1) / (size - 1)

    distance, within = apart(tallies.count)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        # ordinal distances follow from the margins, all others from the levels alone
        between, inside = apart(count) if scale == "ordinal" else (distance, within)
        margins = count @ table
        of_all = float(margins @ between @ margins)
        n = float(count @ size)
        ratio = float(count @ inside) / of_all if of_all > 0 else np.nan
        return {key: 1 - (n - 1) * ratio, linear: 1 - n * ratio}

    margins = tallies.count @ table
    of_all = float(margins @ distance @ margins)
    n, largest = float(tallies.count @ size), float(distance.max())
    parts = {}
    if largest > 0:
        expected = of_all / (n * (n - 1)) / largest
        parts[key] = DisagreementParts(
            within=within / size / largest, weight=size, expected=expected
        )
    return PlainSample(
        count=tallies.count,
        plain=estimates,
        factors=tallies.factors,
        alike=table,
        # a linear approximation has no factor for small samples
        linear={key: linear},
        disagreements=parts,
        cost=cost_of_levels(len(scores)),
    )


def squared_distances(scale: str, scores: FloatArray, margins: FloatArray) -> FloatArray:
    """Return the squared distances of all pairs of levels on a scale, (levels, levels)."""
    x = np.cumsum(margins) - margins / 2 if scale == "ordinal" else scores
    if scale == "nominal":
        return 1 - np.eye(len(margins))
    apart = x[:, None] - x
    if scale == "ratio":
        total = x[:, None] + x
        apart = apart / np.where(total > 0, total, 1.0)
    return np.asarray(apart**2)


def ask_krippendorff(result: Result) -> Iterator[PeerNumbers]:
    """Alpha of the krippendorff package.

    It takes float counts, as small integers overflow in it, and the ascending values that occur as its domain.
    """
    scores = np.append(result.design.scores, result.design.scores.max(initial=0.0) + 1)
    for group, tallies in tallies_of(result, least=2):
        used = np.flatnonzero(tallies.count @ tallies.table)
        units, row = int(tallies.count.sum()), (group, "alpha")
        if len(used) < 2:
            continue
        if units * len(used) ** 2 > MOST_OF_PEER:
            note = f"needs {units:,} x {len(used):,} x {len(used):,} numbers at once"
            numbers = {"estimate": np.nan}
        else:
            theirs = load_peer("krippendorff", "alpha")
            value = theirs(
                value_counts=tallies.units()[:, used],
                value_domain=scores[used].tolist(),
                level_of_measurement=result.settings["scale"],
            )
            note, numbers = "", {"estimate": float(value)}
        yield PeerNumbers(package="krippendorff", row=row, numbers=numbers, note=note)


METRIC = Metric(
    name="krippendorff_alpha",
    title="Krippendorff's alpha",
    design="ratings",
    function=krippendorff_alpha,
    sentence=sentence,
    plot=reliability_plot,
    definition=Definition(samples=sample_alpha, peers=ask_krippendorff),
    estimand="One minus the ratio of disagreement within units to disagreement between any two of the values used.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are interchangeable; whether a rating is missing does not depend on its value",
        "the distance between values is that of the scale",
    ),
    references=("krippendorff2011", "krippendorff2019", "gwet2014"),
    swap="invariant",
)
