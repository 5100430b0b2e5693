"""From divergences to rows: similarities with their intervals and tests, and the ceiling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.inference.intervals import critical_value, critical_values
from socialstats.inference.rows import with_ends
from socialstats.metrics.js_similarity.estimates import Divergences
from socialstats.models.noncentral_chi2 import quadratic_intervals
from socialstats.models.source_counts import Cells, SourceCounts, free_label
from socialstats.resampling import ChanceTest, basic, percentile
from socialstats.results import Row
from socialstats.text import count, shorten

ALONE = "a single independent unit: no correction, no interval and no test"
SINGLE = "a source with a single rating of a unit: that unit's divergence has no correction"
FLAT_VARIANCE = 1e-24  # a variance below is 0 but for rounding
FLAT = "leaving out any unit leaves the divergence as it is: it shows no variance to judge it by"
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
    why = tuple(FLAT if alike else "" for alike in np.isnan(error).tolist())
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
