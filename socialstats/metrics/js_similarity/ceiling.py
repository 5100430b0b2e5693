"""The ceiling: how alike two random halves of the reference's own ratings are, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.intervals import critical_value
from socialstats.inference.rows import with_ends
from socialstats.metrics.js_similarity.estimates import with_all, with_mean
from socialstats.metrics.js_similarity.rows import Place
from socialstats.models.half_noise import half_parts, log_error, mean_divergence
from socialstats.models.source_counts import Cells, SourceCounts, free_label
from socialstats.models.split_half import Halves, noise_ratio, split_half
from socialstats.results import Row
from socialstats.text import count, shorten

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
