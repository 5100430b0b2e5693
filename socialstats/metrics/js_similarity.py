"""Similarity of answers of two sources: one minus their Jensen-Shannon divergence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    small_sample,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level, critical_value, critical_values
from socialstats.inference.rows import with_ends
from socialstats.models.agreement import Refusal
from socialstats.models.divergence import jackknife_moments, jensen_shannon, quadratic_moments, unit_corrected
from socialstats.models.kappa import exchange_test
from socialstats.models.power import quadratic_intervals
from socialstats.models.shares import (
    Cells,
    SourceCounts,
    cells_of,
    free_label,
    source_cautions,
    source_counts,
    swap_test,
)
from socialstats.models.split_half import Halves, half_parts, log_error, mean_divergence, noise_ratio, split_half
from socialstats.registry import Metric
from socialstats.resampling import ChanceTest, Replicates, Units, basic, bootstrap, percentile
from socialstats.resampling.permutation import checked_draws, checked_seed
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, digits_of, interval, listing, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FLAT = 1e-24  # a variance below is 0 but for rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What the caller chose; `resamples`, `permutations` and `seed` are those of the bootstrap and the test."""

    aggregate: str
    resamples: int
    permutations: int
    seed: int
    ci: str = "percentile"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Divergences:
    """Of m groups of units: all of them, each cell, and (with cells) the mean of the cells.

    Attributes
    ----------
    plain, corrected : (m,) float64 arrays
        NaN where there is none.
    variance, df : (m,) float64 array or None
        By the jackknife: of the plug-in divergences of pooled shares; within units of the corrected ones, with an
        allowance for the bias that is left (without df).
    chance : (2, m) float64 array or None
        tr(AV) and tr((AV)^2) of pooled shares (`quadratic_moments`), what the noncentral interval needs.
    similar : Replicates or None
        Similarities of the resamples, moved by twice the bias so that they lie around the corrected one; None where no
        bootstrap was asked for.
    test : ChanceTest or None
        Of all units and of each cell.
    """

    plain: FloatArray
    corrected: FloatArray
    similar: Replicates | None
    test: ChanceTest | None
    variance: FloatArray | None = None
    df: FloatArray | None = None
    chance: FloatArray | None = None


def with_all(sums: FloatArray) -> FloatArray:
    """(B, cells, ...) sums to (B, 1 + cells, ...): all units first."""
    return np.concatenate([sums.sum(axis=1, keepdims=True), sums], axis=1)


def with_mean(values: FloatArray, several: bool) -> FloatArray:
    """(B, 1 + cells) values to (B, m): the mean of the cells last; without cells (B, 1)."""
    if not several:
        return values[:, :1]
    return np.concatenate([values, values[:, 1:].mean(axis=1, keepdims=True)], axis=1)


def compared(
    data: SourceCounts, cells: Cells, pair: tuple[int, int], codes: Sequence[IntArray], how: How
) -> Divergences:
    """Compare a source with the reference.

    Parameters
    ----------
    data : SourceCounts
    cells : Cells
    pair : (reference, source)
        Places in `data.sources`.
    codes : sequence of (units,) int64 arrays
        Cluster factors.
    how : How
    """
    first, second = (data.counts[:, k] for k in pair)
    make = pooled if how.aggregate == "pooled" else by_unit
    return make(first, second, data.copies, cells, tuple(codes), how)


def pooled(
    first: FloatArray, second: FloatArray, copies: FloatArray, cells: Cells, codes: tuple[IntArray, ...], how: How
) -> Divergences:
    """Divergence of the pooled shares of each cell."""
    n, levels = first.shape
    size, several = max(len(cells.labels), 1), bool(cells.labels)
    table = np.zeros((n, size, 2, levels))
    table[np.arange(n), cells.codes] = np.stack([first, second], axis=1) * copies[:, None, None]

    def finish(sums: FloatArray) -> FloatArray:
        every = with_all(sums.reshape(-1, size, 2, levels))
        return with_mean(jensen_shannon(every[:, :, 0], every[:, :, 1]), several)

    flat = table.reshape(n, -1)
    plain = finish(flat.sum(axis=0)[None, :])[0]
    if few(codes, copies):
        return Divergences(plain=plain, corrected=np.full(len(plain), math.nan), similar=None, test=None)
    moments = jackknife_moments(flat, finish, copies, codes, touching(table, several))
    bias, variance = moments.bias, moments.variance
    if several:
        bias[-1] = bias[1:-1].mean()
    test = swaps(table, codes, copies, how)
    if how.ci == "noncentral":
        parts = [with_all(table)[:, k : k + 1] for k in range(1 + size)] if several else [table]
        chance = np.array([quadratic_moments(part, copies, codes) for part in (*parts, *([table] * several))]).T
        return Divergences(plain=plain, corrected=plain - bias, similar=None, test=test, variance=variance,
                           df=moments.df, chance=chance)  # fmt: skip
    units = Units.clusters(*codes) if codes else Units.rows(copies)
    boot = bootstrap(flat, finish, units, resamples=how.resamples, seed=how.seed)
    similar = Replicates(  # a replicate has the bias twice: of the sample from the truth, and its own from the sample
        estimate=1 - (plain - bias), replicates=1 - (boot.replicates - 2 * bias), n_degenerate=boot.n_degenerate
    )
    return Divergences(plain=plain, corrected=plain - bias, similar=similar, test=test, variance=variance)


def touching(table: FloatArray, several: bool) -> FloatArray:
    """(units, m) array: which units enter which group."""
    each = table.sum(axis=(2, 3)) > 0
    some = each.any(axis=1, keepdims=True)
    return np.asarray(np.concatenate([some, each, some] if several else [some], axis=1), dtype=np.float64)


def few(codes: Sequence[IntArray], copies: FloatArray) -> bool:
    """Tell whether there is a single independent unit."""
    return min((len(np.unique(c)) for c in codes), default=int(copies.sum())) < 2


def swaps(table: FloatArray, codes: tuple[IntArray, ...], copies: FloatArray, how: How) -> ChanceTest | None:
    """Swap the sources in whole clusters; None with two crossed factors, whose clusters overlap."""
    if len(codes) == 2:
        return None
    n, levels = len(table), table.shape[3]
    if codes:
        code, rows = codes[0], table
    else:  # alike units are swapped one by one
        times = copies.astype(np.int64)
        rows = np.repeat(table / copies[:, None, None, None], times, axis=0)
        code, n = np.arange(len(rows)), len(rows)
    every = with_all(rows)
    totals = every.sum(axis=(0, 3))
    shares = every / np.where(totals > 0, totals, 1.0)[None, :, :, None]

    def finish(one: FloatArray, two: FloatArray) -> FloatArray:
        return jensen_shannon(one.reshape(len(one), -1, levels), two.reshape(len(two), -1, levels))

    first, second = (shares[:, :, k].reshape(n, -1) for k in (0, 1))
    return swap_test(first, second, finish, code, permutations=how.permutations, seed=how.seed)


def with_allowance(spread: FloatArray, corrected: FloatArray, first_order: FloatArray) -> FloatArray:
    """Variance with the square of about half of what the second order takes off, for the bias that is left.

    NaN where units do not differ.
    """
    return np.where(spread > FLAT, spread + ((corrected - first_order) / 2) ** 2, math.nan)


def by_unit(
    first: FloatArray, second: FloatArray, copies: FloatArray, cells: Cells, codes: tuple[IntArray, ...], how: How
) -> Divergences:
    """Mean over units of the divergence within the unit."""
    size, several = max(len(cells.labels), 1), bool(cells.labels)
    kept = np.flatnonzero((first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    if not len(kept):
        none = np.full(size + 2 if several else 1, math.nan)
        return Divergences(plain=none, corrected=none, similar=None, test=None)
    one, two, weight, cell = first[kept], second[kept], copies[kept], cells.codes[kept]
    table = np.zeros((len(kept), size, 4))
    values = [jensen_shannon(one, two), unit_corrected(one, two), unit_corrected(one, two, 1), np.ones(len(kept))]
    table[np.arange(len(kept)), cell] = np.column_stack(values) * weight[:, None]
    known = ~np.isnan(table)

    def finish(sums: FloatArray) -> FloatArray:
        every = with_all(sums.reshape(-1, size, 4))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.concatenate([with_mean(every[:, :, k] / every[:, :, 3], several) for k in range(3)], axis=1)

    own = [c[kept] for c in codes]
    test = exchange_test(one, two, weight, cell, size, permutations=how.permutations, seed=how.seed)
    whole = finish(table.reshape(len(kept), -1).sum(axis=0)[None, :])[0]
    m = len(whole) // 3
    plain, corrected, first_order = (whole[k * m : (k + 1) * m] for k in range(3))
    if few(own, weight):
        return Divergences(plain=plain, corrected=corrected, similar=None, test=test)
    flat = np.where(known, table, 0.0).reshape(len(kept), -1)
    if how.ci == "t":
        met = np.zeros((len(kept), size, 1, 1))
        met[np.arange(len(kept)), cell] = 1.0
        spread = jackknife_moments(flat, lambda sums: finish(sums)[:, m : 2 * m], weight, tuple(own),
                                   touching(met, several)).variance  # fmt: skip
        variance = with_allowance(spread, corrected, first_order)
        return Divergences(plain=plain, corrected=corrected, similar=None, test=test, variance=variance)
    units = Units.clusters(*own) if own else Units.rows(weight)
    boot = bootstrap(flat, finish, units, resamples=how.resamples, seed=how.seed)
    similar = Replicates(
        estimate=1 - corrected, replicates=1 - boot.replicates[:, m : 2 * m], n_degenerate=boot.n_degenerate[m : 2 * m]
    )
    return Divergences(plain=plain, corrected=corrected, similar=similar, test=test)


ALONE = "a single independent unit: no correction, no interval and no test"
SINGLE = "a source with a single rating of a unit: that unit's divergence has no correction"
FLAT_VARIANCE = 1e-24  # a variance below is 0 but for rounding
NO_VARIANCE = "leaving out any unit leaves the divergence as it is: it shows no variance to judge it by"
FLAT_UNITS = "every unit gives the same similarity, so there is no interval"
SAME = "all resamples give the same value, so there is no interval"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """Ends of m intervals with standard errors; where there is none `undefined` says why."""

    low: FloatArray
    high: FloatArray
    error: FloatArray
    undefined: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place:
    """Groups of units that rows are about: their labels (None: all units), ratings by source, units and clusters.

    Attributes
    ----------
    labels : tuple of (str or None)
    cell : tuple of (units,) bool arrays
    """

    labels: tuple[str | None, ...]
    cell: tuple[np.ndarray[Any, np.dtype[np.bool_]], ...]


def places(cells: Cells) -> Place:
    """All units, each cell, and the mean of the cells."""
    every = np.ones(len(cells.codes), dtype=bool)
    if not cells.labels:
        return Place(labels=(None,), cell=(every,))
    mean = free_label(f"mean of {len(cells.labels)} cells", cells.labels)
    each = tuple(cells.codes == k for k in range(len(cells.labels)))
    return Place(labels=(None, *cells.labels, mean), cell=(every, *each, every))


def similarity_rows(
    data: SourceCounts, pair: tuple[int, int], found: Divergences, place: Place, codes: Sequence[IntArray],
    settings: dict[str, Any],
) -> list[list[Row]]:  # fmt: skip
    """Two rows a group of units, corrected and plug-in, of one source."""
    name = data.sources[pair[1]]
    plain_name = free_label(f"{name} (plug-in)", data.sources)
    ends = interval_of(found, settings)
    out = []
    for k, label in enumerate(place.labels):
        base = sized(Row(term=name, group=label), data, pair, place.cell[k], codes, settings)
        why = "" if not math.isnan(found.plain[k]) else nothing(data, pair, settings["aggregate"])
        plain = None if why else 1 - float(found.plain[k])
        first = replace(base, undefined=why) if why else corrected_row(base, found, k, ends, settings)
        out.append([first, replace(base, term=plain_name, estimate=plain, undefined=why or None, method="plug-in")])
    return out


def interval_of(found: Divergences, settings: dict[str, Any]) -> Ends | None:
    """Intervals of the corrected similarities, with standard errors, and why one is missing."""
    if settings["ci"] == "noncentral":
        return noncentral(found, settings["level"])
    if settings["ci"] == "t":
        return t_errors(found)
    boot = found.similar
    if boot is None:
        return None
    ends = (percentile if settings["ci"] == "percentile" else basic)(boot, level=settings["level"])
    why = tuple(SAME if flat else one for flat, one in zip(boot.is_constant.tolist(), ends.undefined, strict=True))
    return Ends(low=ends.low, high=ends.high, error=boot.std_error, undefined=why)


def noncentral(found: Divergences, level: float) -> Ends | None:
    """Noncentral chi-square intervals of divergences, whose upper ends reach those of the jackknife t intervals.

    The lower end alone says whether shares may be equal, and the jackknife's, of a statistic that is flat there, always
    says yes.
    """
    if found.variance is None or found.chance is None or found.df is None:
        return None
    low, high = quadratic_intervals(found.plain, found.chance[0], found.chance[1], level)
    error = np.sqrt(np.where(found.variance > FLAT_VARIANCE, found.variance, np.nan))
    reach = critical_values(level, found.df) * error
    low = np.where(np.isnan(low), found.corrected - reach, low)
    high = np.fmax(high, found.corrected + reach)
    why = tuple(NO_VARIANCE if alike else "" for alike in np.isnan(error).tolist())
    return Ends(low=1 - high, high=1 - low, error=error, undefined=why)


def t_errors(found: Divergences) -> Ends | None:
    """Standard errors of corrected similarities; the ends follow from the degrees of freedom of each row."""
    if found.variance is None:
        return None
    with np.errstate(invalid="ignore"):
        error = np.sqrt(found.variance)
    why = tuple("" if one > 0 else FLAT_UNITS for one in error.tolist())
    return Ends(low=np.full(len(error), math.nan), high=np.full(len(error), math.nan), error=error, undefined=why)


def nothing(data: SourceCounts, pair: tuple[int, int], aggregate: str) -> str:
    """Say that there is nothing to compare."""
    names = " and ".join(f"'{shorten(data.sources[k])}'" for k in pair)
    return f"no unit rated by both {names}" if aggregate == "unit" else f"no ratings of both {names} in every cell"


def corrected_row(base: Row, found: Divergences, k: int, ends: Ends | None, settings: dict[str, Any]) -> Row:
    """Row of a corrected similarity with its interval and test."""
    value = float(found.corrected[k])
    row = tested(base, found.test, k, settings)
    if math.isnan(value):
        reason = SINGLE if settings["aggregate"] == "unit" else ALONE
        return replace(row, undefined=reason)
    similar = min(max(1 - value, 0.0), 1.0)  # similarities are in [0, 1]
    end = "" if similar == 1 - value else f", cut at {similar:g}, beyond which its correction leads"
    row = replace(row, estimate=similar, method=f"{row.method}{end}")
    if ends is None or ends.undefined[k]:
        return replace(row, undefined=ALONE if ends is None else ends.undefined[k])
    error, low, high = float(ends.error[k]), float(ends.low[k]), float(ends.high[k])
    if settings["ci"] == "t":
        df = ((row.n_units if row.n_clusters is None else row.n_clusters) or 2) - 1.0
        if df < 1:
            return replace(row, undefined=ALONE)
        reach = critical_value(settings["level"], df) * error
        row, low, high = replace(row, df=df), 1 - value - reach, 1 - value + reach
    error_of = error if error > 0 else None
    return with_ends(row, low, high, settings["level"], within=(0.0, 1.0), hold=True, std_error=error_of)


def tested(row: Row, test: ChanceTest | None, k: int, settings: dict[str, Any]) -> Row:
    """Add the test of equal shares, where there is one."""
    corrected = "jackknife" if settings["aggregate"] == "pooled" else "rating-jackknife"
    named = {
        "noncentral": "noncentral chi-square, lower end not above the jackknife t's",
        "t": "t interval with an allowance for the bias left",
    }
    how = named.get(settings["ci"], f"{settings['ci']} bootstrap")
    method = f"{corrected}-corrected, {how}"
    if (
        test is None
        or k >= len(test.p_value)
        or math.isnan(test.p_value[k])
        or (row.n_clusters or row.n_units or 0) < 2
    ):
        return replace(row, method=method)
    return replace(
        row, statistic=float(test.statistic[k]), p_value=float(test.p_value[k]),
        method=f"{method}; {test.method}, {count(test.draws, 'draw')}",
    )  # fmt: skip


def sized(
    row: Row, data: SourceCounts, pair: tuple[int, int], cell: Any, codes: Sequence[IntArray], settings: dict[str, Any]
) -> Row:
    """Say from how many ratings, units and clusters a row was computed."""
    n = data.n[:, list(pair)]
    used = cell & ((n > 0).all(axis=1) if settings["aggregate"] == "unit" else (n > 0).any(axis=1))
    clusters = min((len(np.unique(c[used])) for c in codes), default=None)
    return replace(
        row, n=float((n[used].sum(axis=1) * data.copies[used]).sum()), n_units=int(data.copies[used].sum()),
        n_clusters=clusters,
    )  # fmt: skip


LEAST = 5  # ratings of each level from which the interval holds (tests/calibration/source_studies.py)
ONE_UNIT = "a single independent unit: no interval"
EQUAL = "the halves do not vary: no interval"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Top:
    """Mean divergences of two halves in m groups of units, their Monte-Carlo errors, and errors of their logarithms."""

    value: FloatArray
    drawing: FloatArray
    log_error: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Own:
    """Ratings of the reference: (units, levels) counts, alike units, names of the levels and of the source."""

    counts: FloatArray
    copies: FloatArray
    levels: tuple[str, ...]
    name: str


def ceiling(
    data: SourceCounts, reference: int, cells: Cells, place: Place, codes: Sequence[IntArray], settings: dict[str, Any]
) -> tuple[list[Row], dict[str, Any]]:
    """Rows of how alike two random halves of the reference's ratings are, and the same at the sources' sizes."""
    pooled, size = settings["aggregate"] == "pooled", max(len(cells.labels), 1)
    halves = split_half(
        data.counts[:, reference], data.copies, cells.codes, size, splits=settings["splits"], pooled=pooled
    )
    drawn = halves.values if cells.labels else halves.values[:, :1]
    if cells.labels:
        drawn = np.concatenate([drawn, drawn[:, 1:].mean(axis=1, keepdims=True)], axis=1)
    errors = drawn.std(axis=0, ddof=1) / math.sqrt(len(drawn))
    top = Top(value=drawn.mean(axis=0), drawing=errors,
              log_error=errors_of(data, reference, cells, tuple(codes), halves, pooled))  # fmt: skip
    term = free_label(f"{data.sources[reference]} (split-half)", data.sources)
    own = Own(counts=data.counts[:, reference], copies=data.copies, levels=data.levels, name=data.sources[reference])
    within: list[tuple[BoolArray, ...]] = [(cell,) for cell in place.cell]
    if cells.labels:
        within[-1] = place.cell[1:-1]  # the mean of the cells
    rows = [
        ceiling_row(Row(term=term, group=label), k, top, own, each, codes, settings)
        for k, (label, each) in enumerate(zip(place.labels, within, strict=True))
    ]
    more: dict[str, Any] = {"ceiling_error": dict(zip(keys(place), errors.tolist(), strict=True))}
    if pooled:
        more["ceiling_at_size"] = at_size(data, reference, top.value, cells, place)
    return rows, more


def errors_of(
    data: SourceCounts, reference: int, cells: Cells, codes: tuple[IntArray, ...], halves: Halves, pooled: bool
) -> FloatArray:
    """(m,) standard errors of the logarithms of the mean divergences, by the jackknife over independent units.

    Pooled, of their second-order form; within units, of the mean of what the units' own halves give.
    """
    own, several = data.counts[:, reference], bool(cells.labels)
    used = own.sum(axis=1) >= 2
    parts = half_parts(own) if pooled else np.column_stack([np.where(used, halves.units, 0.0), used])
    n, size, k = len(own), max(len(cells.labels), 1), parts.shape[1]
    table = np.zeros((n, size, k))
    table[np.arange(n), cells.codes] = parts * data.copies[:, None]
    met = np.zeros((n, size))
    met[np.arange(n), cells.codes] = used
    every = np.concatenate([met.any(axis=1, keepdims=True), met, met.any(axis=1, keepdims=True)], axis=1)

    def finish(sums: FloatArray) -> FloatArray:
        found = with_all(sums.reshape(-1, size, k))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = mean_divergence(found) if pooled else found[:, :, 0] / found[:, :, 1]
        return with_mean(values, several)

    touched = every if several else every[:, :1]
    return log_error(table.reshape(n, -1), finish, data.copies, codes, touched)


def keys(place: Place) -> list[str]:
    """Names of the groups in `extras`."""
    cells = [label for label in place.labels if label is not None]
    return [free_label("all units", cells), *cells]


def ceiling_row(
    row: Row, k: int, top: Top, own: Own, within: Sequence[BoolArray], codes: Sequence[IntArray],
    settings: dict[str, Any],
) -> Row:  # fmt: skip
    """Row of the similarity of two halves: divergence times exp(-+ t s.e. of its logarithm), t with G - 1 df."""
    n = own.counts.sum(axis=1)
    used = np.any(within, axis=0) & (n >= 2)
    row = replace(
        row, n=float(n[used] @ own.copies[used]), n_units=int(own.copies[used].sum()),
        n_clusters=min((len(np.unique(c[used])) for c in codes), default=None),
        method=f"plug-in, mean of {count(settings['splits'], 'random halving')}; t interval of the logarithm of the "
        "divergence, by the jackknife",
    )  # fmt: skip
    value, df = float(top.value[k]), float((row.n_units if row.n_clusters is None else row.n_clusters) or 0) - 1
    if math.isnan(value):
        return replace(row, undefined=f"no unit with two ratings of '{shorten(own.name)}'")
    row = replace(row, estimate=1 - value)
    rare = rare_level(own, [cell & used for cell in within]) if settings["aggregate"] == "pooled" else ""
    if df < 1 or rare or not top.log_error[k] > 0:
        return replace(row, undefined=ONE_UNIT if df < 1 else rare or EQUAL)
    error = math.hypot(float(top.log_error[k]), float(top.drawing[k]) / value)
    reach = math.exp(critical_value(settings["level"], df) * error)
    ends = 1 - value * reach, 1 - value / reach
    return with_ends(row, *ends, settings["level"], within=(0.0, 1.0), std_error=value * error, df=df)


def rare_level(own: Own, groups: Sequence[BoolArray]) -> str:
    """Say that some level is rare in some group of units, so that the ceiling of pooled ratings has no interval.

    Whether a level occurs once or not at all moves the noise of pooled halves as much as a frequent level does, and the
    sample does not say how often it would.
    """
    for group in groups:
        given = own.copies[group] @ own.counts[group]
        if given.min() < LEAST:
            level = shorten(own.levels[int(given.argmin())], 40)
            return f"'{level}' was given {count(float(given.min()), 'time')}: no interval below {LEAST}"
    return ""


def at_size(data: SourceCounts, reference: int, halves: FloatArray, cells: Cells, place: Place) -> dict[str, Any]:
    """Ceiling of the plug-in similarity at each source's own number of ratings: 1 - (1 - split-half) x noise ratio."""
    sizes = np.array([data.copies[cell] @ data.n[cell] for cell in place.cell])
    out: dict[str, Any] = {}
    for k, name in enumerate(data.sources):
        if k == reference:
            continue
        less = halves * noise_ratio(sizes[:, k], sizes[:, reference])
        if cells.labels:
            less[-1] = less[1:-1].mean()
        out[name] = dict(zip(keys(place), (1 - less).tolist(), strict=True))
    return out


Aggregate = Literal["pooled", "unit"]
Ci = Literal["noncentral", "t", "percentile", "basic"]
SAID, MOST_DRAWN = 3, 200
FEW_RATINGS = 5


@reads(Ratings)
def js_similarity(
    ratings: Ratings | TableLike,
    *,
    reference: str = "human",
    source: str | None = None,
    cell: str | Sequence[str] | None = None,
    aggregate: Aggregate = "pooled",
    refusal: Refusal = "missing",
    ci: Ci | None = None,
    permutations: int = 2000,
    splits: int = 200,
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how alike the answers of each source and of a reference source are: 1 minus their JS divergence.

    JSS = 1 - (KL(p || m) + KL(q || m))/2 in bits, with p and q the shares of the levels and m = (p + q)/2 (Lin 1991):
    1 for equal shares, 0 where the sources share no level. The plug-in value is too small, most with few ratings; the
    corrected one takes off its jackknife bias, estimated from the independent units (clusters), so that runs of a
    model that repeat each other count as what they are. Within units the jackknife leaves out one and two ratings of
    the unit, of one source after the other (its second order). A value may exceed 1 by chance: equal sources have about
    1 on average.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    reference : str
        The source that the others are compared with.
    source : str, optional
        Declared group of raters that says the source, or ``"rater"`` (each rater is a source). By default the only
        one, or the one called source; without any, each rater.
    cell : str or sequence of str, optional
        Declared strata: one cell for each combination of their levels, and the mean of the cells.
    aggregate : {"pooled", "unit"}
        Shares of all ratings of a cell, or the mean over units of the similarity within the unit.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own.
    ci : {"noncentral", "t", "percentile", "basic"}, optional
        By default ``"noncentral"`` for pooled shares, ``"t"`` within units (the only kinds there are for each beside
        the bootstraps). ``"t"`` has G - 1 degrees of freedom for G units (clusters) and adds to the jackknife's
        variance the square of half of what the second order of the correction changes, for the bias that is left
        (92 to 98 % in simulations of 20 to 960 units). ``"noncentral"`` takes
        the plug-in divergence as a scaled noncentral chi-square, which knows that it cannot be below 0 (Rao & Scott
        1984); its upper end (the lower one of the similarity) reaches at least that of the jackknife t around the
        corrected one, with degrees of freedom from the kurtosis of what units add
        (`socialstats.inference.influence`). In 600 to 1,000 simulations each of 10, 30, 80 and 200 units (three people
        and five runs; even, uneven and equal shares; units alike or each with its own shares) it covered .93 to .995
        (.98/.02 against .90/.10 with 30 units: .92), 1.0 to 1.3 times as long as four standard deviations of the
        estimate. The others are bootstraps of units (clusters), moved by
        twice the bias (the sample has it, and the resamples once more), cut at 0 and 1 but never short of the estimate:
        percentiles covered 93 to 100 % (100 % for equal shares), basic intervals 78 to 100 %.
    permutations : int
        Of the test of equal shares.
    splits : int
        Random halvings for the ceiling. They do not depend on `seed`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    level : float
    resamples, seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units (group None), each cell, and the mean of the cells: a row named after each source (corrected,
        with interval), ``<source> (plug-in)``, and ``<reference> (split-half)``, the ceiling: the plug-in similarity
        of two random halves of the reference's ratings of each unit, with a t interval of the logarithm of their
        divergence (the jackknife over independent units; none where the reference gave a level fewer than five times).
        `statistic` is the plug-in divergence, p that
        of equal shares: the two sources swap their names in whole clusters (pooled; not with two crossed factors), or
        raters are exchanged within units (unit). `extras`: ``ceiling_at_size``, by source: the ceiling at its number
        of ratings, to set beside the plug-in value; ``ceiling_error``: Monte-Carlo errors; ``levels``, ``shares``
        (of each source in all units).

    Raises
    ------
    InputError
        For an unknown option, source, stratum or cluster.
    NothingToAnalyse
        If there is a single source, or no rating.

    References
    ----------
    Lin, J. (1991). Divergence measures based on the Shannon entropy. doi:10.1109/18.61115
    Rao, J. N. K., & Scott, A. J. (1984). The Annals of Statistics, 12(1), 46-60. doi:10.1214/aos/1176346391
    Quenouille, M. H. (1956). Notes on bias in estimation. doi:10.1093/biomet/43.3-4.353
    Schucany, W. R., Gray, H. L., & Owen, D. B. (1971). On bias reduction in estimation.
    doi:10.1080/01621459.1971.10482296
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). doi:10.3982/ECTA13081

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": list("pqrstuvw") * 2, "rater": ["ann"] * 8 + ["bot"] * 8,
    ...                      "source": ["human"] * 8 + ["model"] * 8, "value": list("xxxxxyyzxyyzzzzz")})
    >>> design = Ratings.from_frame(rows, scale="nominal", rater_source="source")
    >>> result = js_similarity(design)
    >>> round(result.row("model (plug-in)").estimate, 4), round(result.row("model").estimate, 4)
    (0.7375, 0.944)
    """
    if aggregate not in get_args(Aggregate):
        raise InputError(f"aggregate='{aggregate}' is not one of {', '.join(get_args(Aggregate))}")
    settings = {
        "reference": reference, "source": source, "cell": cell, "aggregate": aggregate, "refusal": refusal,
        "ci": chosen_ci(ci, aggregate),
        "permutations": checked_draws(permutations, "permutations"), "splits": checked_draws(splits, "splits"),
        "cluster": cluster, "level": checked_level(level), "resamples": resamples, "seed": checked_seed(seed),
    }  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, settings), Ratings)


def chosen_ci(ci: str | None, aggregate: str) -> str:
    """Return the kind of interval.

    Raises
    ------
    InputError
        For an unknown kind, or one that does not fit the aggregate.
    """
    if ci is None:
        return "noncentral" if aggregate == "pooled" else "t"
    if ci not in get_args(Ci):
        raise InputError(f"ci='{ci}' is not one of {', '.join(get_args(Ci))}")
    if ci == "noncentral" and aggregate == "unit":
        raise InputError("ci='noncentral' is for pooled shares; with aggregate='unit' use ci='t'")
    if ci == "t" and aggregate == "pooled":
        raise InputError("ci='t' is for aggregate='unit'; for pooled shares use ci='noncentral'")
    return ci


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compare the sources of one design."""
    factors = cluster_factors(design, settings["cluster"])
    data = source_counts(design, settings["source"], settings["refusal"])
    first, cells = data.index(settings["reference"], "reference"), cells_of(design, settings["cell"], "cell")
    others = [k for k in range(len(data.sources)) if k != first]
    if not others:
        raise NothingToAnalyse(f"{design.source}: '{shorten(settings['reference'])}' is the only {data.name}")
    codes = [factor.codes for factor in factors]
    how = How(
        aggregate=settings["aggregate"], resamples=settings["resamples"], permutations=settings["permutations"],
        seed=settings["seed"], ci=settings["ci"],
    )  # fmt: skip
    found = [compared(data, cells, (first, k), codes, how) for k in others]
    place = places(cells)
    parts = [
        similarity_rows(data, (first, k), one, place, codes, settings) for k, one in zip(others, found, strict=True)
    ]
    top, more = ceiling(data, first, cells, place, codes, settings)
    rows = [r for g, limit in enumerate(top) for r in (*(row for part in parts for row in part[g]), limit)]
    lost = [one.similar.caution() for one in found if one.similar is not None]
    pooled = (data.counts * data.copies[:, None, None]).sum(axis=0)
    largest = largest_share(data.copies, factors)
    return Result(
        metric="js_similarity",
        title=f"Jensen-Shannon similarity to {shorten(settings['reference'])} ({settings['aggregate']})",
        inference=f"{interval_text(settings)}; {cluster_text(factors, 'units')}",
        rows=tuple(rows),
        counts=counts_of(data, others, len(cells.labels)),
        fit={"nobs": int(pooled.sum()), "n_clusters": rows[0].n_clusters, "method": settings["ci"],
             "seed": settings["seed"], "resamples": settings["resamples"],
             "effective_df": min((row.df for row in rows if row.df is not None), default=None) if factors else None,
             "largest_leverage": largest if factors else None},
        settings=settings | {"source": data.name},
        cautions=(*own_cautions(rows), *rare_levels(data, settings), *source_cautions(data),
                  *cluster_cautions(design, factors, df=[None] if settings["ci"] in RESAMPLED else None,
                                    largest=largest),
                  *(c for c in lost[:1] if c)),
        references=METRIC.references,
        design=design,
        extras={"levels": data.levels, "uncut": {
            data.sources[k]: 1 - float(one.corrected[0]) for k, one in zip(others, found, strict=True)}, "shares": {
            name: tuple((one / max(one.sum(), 1.0)).tolist())
            for name, one in zip(data.sources, pooled, strict=True)}, **more},
    )  # fmt: skip


def interval_text(settings: dict[str, Any]) -> str:
    """Say how the intervals were obtained."""
    if settings["ci"] == "noncentral":
        return "noncentral chi-square intervals, lower ends not above those of the jackknife t"
    if settings["ci"] == "t":
        return "t intervals over units by the jackknife, with an allowance for the bias that is left"
    return f"{settings['ci']} bootstrap intervals, {count(settings['resamples'])} resamples, seed {settings['seed']}"


def counts_of(data: Any, others: list[int], cells: int) -> dict[str, int]:
    """Ratings, units, sources compared and cells."""
    rated = data.n.sum(axis=1) > 0
    size = int((data.n.sum(axis=1) * data.copies).sum())
    counts = {"ratings": size, "units": int(data.copies[rated].sum()), "sources compared": len(others)}
    return counts | ({"cells": cells} if cells else {})


def own_cautions(rows: list[Row]) -> tuple[Caution, ...]:
    """Caution SS304: by how much the plug-in values are too small."""
    gains = [one.estimate - two.estimate for one, two in pairwise(rows)
             if two.method == "plug-in" and one.estimate is not None and two.estimate is not None]  # fmt: skip
    if not gains:
        return ()
    said = f"sampling noise makes plug-in similarities too small, by up to {number(max(gains), 3, bounded=True)} here"
    return (caution("SS304", said, affects="rows called plug-in", fix="quote the corrected rows"),)


def rare_levels(data: SourceCounts, settings: dict[str, Any]) -> tuple[Caution, ...]:
    """Caution SS312: pooled shares of levels that a source chose fewer than five times.

    Of simulated pairs of shares only .98/.02 against .90/.10 of 30 units, with 1.8 expected in one source, had nominal
    95 % intervals that held less than .94 (.92).
    """
    if settings["ci"] != "noncentral":
        return ()
    totals = np.tensordot(data.copies, data.counts, axes=1)
    used = (totals > 0).any(axis=0)
    rarest = [(name, float(totals[k][used].min())) for k, name in enumerate(data.sources) if totals[k].sum()]
    few = [shorten(name) for name, least in rarest if least < FEW_RATINGS]
    return small_sample(
        min((least for _, least in rarest), default=FEW_RATINGS), FEW_RATINGS,
        f"{listing(few)} chose a level fewer than {FEW_RATINGS} times",
        affects="pooled similarities, whose 95% intervals held .92 to .995 in such simulations",
        fix="collect more ratings",
    )  # fmt: skip


def sentence(result: Result) -> str:
    """Say the similarity of each source in all units, its ceiling, and the mean of the cells."""
    whole = [row for row in result.rows if row.group is None]
    pairs = [(whole[k], whole[k + 1]) for k in range(0, len(whole) - 1, 2)]
    said = "; ".join(one_source(one, two) for one, two in pairs[:SAID])
    more = f"; and {count(len(pairs) - SAID)} more" if len(pairs) > SAID else ""
    top = whole[-1]
    own = shorten(str(result.settings["reference"]))
    limit = "" if top.estimate is None else f" Two random halves of the {own} ratings: {ceiling_text(top)}."
    return (
        f"Jensen-Shannon similarity to {shorten(str(result.settings['reference']))} over "
        f"{count(result.counts['units'], 'unit')} and {count(result.counts['ratings'], 'rating')}: {said}{more}.{limit}"
    )


def one_source(row: Row, plain: Row) -> str:
    """Say one source's similarity with interval and test."""
    if row.estimate is None:
        known = "" if plain.estimate is None else f" (plug-in {decimals(plain.estimate)})"
        return f"{shorten(row.term)} undefined, {row.undefined}{known}"
    ends = f", {interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)}"
    known = ends if row.conf_low is not None else f", {row.undefined}"
    test = "" if row.p_value is None else f", {p_value(row.p_value)} against equal shares"
    return f"{shorten(row.term)} {decimals(row.estimate)}{known} (plug-in {decimals(plain.estimate)}){test}"


def ceiling_text(row: Row) -> str:
    """Write the ceiling with as many decimals as its error has, and its interval."""
    digits = digits_of(row.std_error, 3)
    text = number(row.estimate, digits, bounded=True)
    if row.conf_low is None:
        return text
    ends = interval(row.conf_low, row.conf_high, digits, level=row.conf_level or 0.95, bounded=True)
    return f"{text}, {ends}"


def decimals(value: float | None) -> str:
    """Write a similarity."""
    return number(value, 3, bounded=True)


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the corrected similarities with intervals, each group with its ceiling (of all units beyond 200 rows)."""
    from dataclasses import replace

    from socialstats.figures import forest

    shown = [r for r in result.rows if r.method != "plug-in"]
    if len(shown) > MOST_DRAWN:
        shown = [r for r in shown if r.group is None]
    named = [r if r.group is None else replace(r, term=f"{r.term}, {r.group}") for r in shown]
    settings = {"xlabel": result.title, "sort": False, "digits": 3, "reference": None}
    return forest(named, ax=ax, **{**settings, **options})


METRIC = Metric(
    name="js_similarity",
    title="Jensen-Shannon similarity",
    design="ratings",
    function=js_similarity,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.js_similarity:verify",
    estimand="One minus the Jensen-Shannon divergence, in bits, of the shares of the levels in two sources.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "the test of pooled shares: which source is which is exchangeable, cluster by cluster",
        "aggregate='unit': ratings of a unit are independent draws from their source's shares in that unit",
    ),
    references=(
        "lin1991",
        "raoscott1984",
        "quenouille1956",
        "schucany1971",
        "efrontibshirani1993",
        "canay2017",
        "phipsonsmyth2010",
    ),
    values="sources",
)
