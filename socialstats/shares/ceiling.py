"""The ceiling of similarity: how alike two random halves of the reference's ratings of each unit are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.intervals import critical_value
from socialstats.inference.rows import cut_at_limits, with_ends
from socialstats.results import Row
from socialstats.shares.counts import SourceCounts, StratumCells, free_label
from socialstats.shares.divergence import jackknife_moments
from socialstats.shares.similarity import still
from socialstats.shares.similarity_rows import SINGLE_UNIT, sized, undefined
from socialstats.shares.split_half import (
    half_parts,
    log_error,
    mean_divergence,
    mean_of_units,
    split_half,
)
from socialstats.text import count, shorten

# units with a rating of each level from which intervals hold (tests/calibration/source_studies.py)
LEAST = 5
TOO_FEW = "no unit with four ratings, whose halves could be corrected"
UNIT_INTERVAL = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Halves:
    """Divergences of random halves of each group of units, (groups,) float64 arrays; NaN where there is none.

    Attributes
    ----------
    divergence : array
        Mean over the halvings.
    drawing_error : array
        Its Monte-Carlo error.
    corrected : array
        The same less its bias.
    log_error : array
        Standard error of its logarithm, with that of drawing.
    """

    divergence: FloatArray
    drawing_error: FloatArray
    corrected: FloatArray
    log_error: FloatArray


def halves_of(
    counts: FloatArray,
    copies: FloatArray,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
) -> Halves:
    """Halve the (units, levels) ratings of the reference, and tell how far halves are apart.

    The standard error is that of the jackknife over independent units: pooled, of the second-order form of the
    divergence. Within units it is that of the mean of what the units' own halves give. So is the bias pooled; within
    units it is that of the ratings.
    """
    pooled = settings["aggregate"] != "unit"
    used = counts.sum(axis=1) >= 2
    drawn, units, corrected = split_half(
        counts, copies, cells, splits=settings["splits"], pooled=pooled
    )
    divergence = drawn.mean(axis=0)
    drawing_error = drawn.std(axis=0, ddof=1) / math.sqrt(settings["splits"])
    parts = np.column_stack([np.where(used, units, 0.0), used])
    if pooled:
        parts = half_parts(counts)
    finish = cells.by_group(mean_divergence if pooled else mean_of_units)
    entered = cells.units_in_groups(used)
    table = cells.in_columns(parts * copies[:, None])
    errors = log_error(table, finish, copies, codes, entered)
    if pooled:
        bias = jackknife_moments(table, finish, copies, codes, entered).bias
        if cells.labels:
            bias[-1] = bias[1:-1].mean()
        corrected = divergence - bias
    of_drawing = drawing_error / np.where(divergence > 0, divergence, math.nan)
    return Halves(
        divergence=divergence,
        drawing_error=drawing_error,
        corrected=corrected,
        log_error=np.hypot(errors, of_drawing),
    )


def ceiling(
    data: SourceCounts,
    reference: int,
    cells: StratumCells,
    codes: tuple[IntArray, ...],
    settings: Mapping[str, Any],
) -> tuple[list[tuple[Row, Row]], tuple[float, ...]]:
    """Rows of how alike two random halves of the reference's ratings are, corrected and plug-in, and their
    Monte-Carlo errors.

    The interval of the plug-in divergence is itself times exp(-+ t s.e. of its logarithm), t with G - 1 df. The
    corrected one is less its bias, as those of the sources are (`halves_of`). Its interval is the same, moved by the
    bias.
    """
    counts, name = data.counts[:, reference], data.sources[reference]
    # probabilities have no halves
    probable = bool(np.any(counts % 1))
    if probable:
        counts = np.zeros_like(counts)
    halves = halves_of(counts, data.copies, cells, codes, settings)
    ratings = counts.sum(axis=1)
    entered = cells.units_in_groups(ratings >= 2)
    nothing = f"no unit with two ratings of '{shorten(name)}'"
    if probable:
        nothing = f"replies of '{shorten(name)}' count with probabilities, which have no halves"
    rows = []
    for k, group in enumerate(cells.groups):
        plain = Row(
            term=free_label(f"{name} (split-half, plug-in)", data.sources),
            group=group,
            key=(("source", name), *cells.key(group)),
            role="component",
            method=f"plug-in, mean of {count(settings['splits'], 'random halving')}; t interval of the logarithm "
            "of the divergence, by the jackknife",
        )
        plain = sized(plain, ratings, entered[:, k], data.copies, codes)
        corrected = replace(
            plain,
            term=free_label(f"{name} (split-half)", data.sources),
            role="reference",
            method=f"{plain.method}; less its bias",
        )
        if math.isnan(halves.divergence[k]):
            rows.append((undefined(corrected, nothing), undefined(plain, nothing)))
            continue
        # the mean of the cells has no interval where a level is rare in some cell
        is_mean = k > 0 and k == len(cells.groups) - 1
        groups = entered[:, 1:-1] if is_mean else entered[:, [k]]
        rare = ""
        if settings["aggregate"] != "unit":
            rare = rare_level(counts * data.copies[:, None], groups, data.levels)
        why = rare or ("" if halves.log_error[k] > 0 else still(codes))
        rows.append(ceiling_rows(corrected, plain, halves, k, why, settings))
    return rows, tuple(halves.drawing_error.tolist())


def ceiling_rows(
    corrected: Row,
    plain: Row,
    halves: Halves,
    k: int,
    why: str,
    settings: Mapping[str, Any],
) -> tuple[Row, Row]:
    """Fill both rows of a group of units, the k-th; `why` says why there is no interval."""
    divergence = float(halves.divergence[k])
    df = float((plain.n_clusters if plain.n_clusters is not None else plain.n_units) or 0) - 1
    plain = replace(plain, estimate=1 - divergence)
    bias = divergence - float(halves.corrected[k])
    if math.isnan(bias):
        within = settings["aggregate"] == "unit"
        corrected = undefined(corrected, TOO_FEW if within else SINGLE_UNIT)
    else:
        corrected = cut_at_limits(corrected, 1 - divergence + bias, UNIT_INTERVAL)
    if df < 1:
        why = SINGLE_UNIT
    if why:
        if not corrected.undefined:
            corrected = undefined(corrected, why)
        return corrected, undefined(plain, why)
    level, error = settings["level"], float(halves.log_error[k])
    reach = math.exp(critical_value(level, df) * error)
    low, high = 1 - divergence * reach, 1 - divergence / reach
    facts: dict[str, Any] = {"interval": "t", "std_error": divergence * error, "df": df}
    plain = with_ends(plain, low, high, level, within=UNIT_INTERVAL, **facts)
    if not corrected.undefined:
        corrected = with_ends(
            corrected, low + bias, high + bias, level, within=UNIT_INTERVAL, hold=True, **facts
        )
    return corrected, plain


def rare_level(counts: FloatArray, groups: BoolArray, levels: Sequence[str]) -> str:
    """Return that some level is rare in some group of units, so that the ceiling of pooled ratings has no interval.

    Whether a level occurs once or not at all moves the noise of pooled halves as much as a frequent level does. The
    sample does not show how often it would.
    """
    for totals in groups.T.astype(np.float64) @ counts:
        if totals.min() < LEAST:
            level = shorten(levels[int(totals.argmin())], 40)
            return f"'{level}' was given {count(float(totals.min()), 'time')}: no interval below {LEAST}"
    return ""
