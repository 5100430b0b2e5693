"""Sensitivity S recomputed: pandas over rows, its jackknife, and its bootstrap with rows drawn by numpy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.resamples import (
    CLOSE,
    OTHER,
    WHY,
    Cells,
    Redrawn,
    half_width,
    spread_error,
)
from socialstats.crosscheck.row_arithmetic import (
    inner_level,
    kurtosis_df,
    label,
    quantile,
    relative,
    statistic_checks,
)
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
TERMS = ("S", "S_corrected", *(f"S_{c}" for c in TARGETS), *(f"S_{c}_corrected" for c in TARGETS))
PLUG_IN = (0, 0, 2, 3, 4, 2, 3, 4)  # the plug-in term of each
LARGEST = (225.0, 225.0, 100.0, 25.0, 100.0, 100.0, 25.0, 100.0)
CORRECTED = (1, 1, 5, 6, 7, 5, 6, 7)  # the corrected term of each
ONCE, BLOCK = 1e-9, 64
LEFT = "S of the sums without one unit (cluster)"


def verify(result: Result) -> Verification:
    """Recompute S, its corrected value and components, and the standard errors and ends.

    Of a difference, whose pairs are left out or resampled in both designs together, also the estimates of both.
    """
    settings, several = result.settings, "labels" in result.settings
    designs = [design.whole() for design in (result.design if several else [result.design])]
    tables = [long_table(design, settings["covariate"]) for design in designs]
    pairs = sorted(set(tables[0]["pair"]))
    made = [
        sums_of(table, settings["weights"], design, settings["cluster"], pairs)
        for table, design in zip(tables, designs, strict=True)
    ]
    cells, noisy = made[0][1], all(design.replies is None for design in designs)

    def terms(times: FloatArray) -> FloatArray:
        """Return the terms where rows of the cells occur so many times, (B, cells) -> (B, 8)."""
        parts = [
            terms_of(times / cells.count @ sums, conditions, noisy) for sums, _, conditions in made
        ]
        return parts[0] - parts[1] if several else parts[0]

    whole = [
        terms_of(sums.sum(axis=0)[None, :], conditions, noisy)[0] for sums, _, conditions in made
    ]
    value = whole[0] - whole[1] if several else whole[0]
    group = "difference" if several else None
    shown = (
        [(value, group), *zip(whole, settings["labels"], strict=True)]
        if several
        else [(value, None)]
    )
    checks = [
        compare(
            term,
            result.row(term, group=name).estimate,
            None if math.isnan(x) else x if several else max(x, 0.0),
            package="pandas",
            tolerance=1e-8,
            why="the same sums in another order",
        )
        for values, name in shown
        for term, x in zip(TERMS, values.tolist(), strict=True)
    ]
    rows = [result.row(term, group=group) for term in TERMS]
    if result.fit["method"] == "jackknife":
        left = terms(np.array(list(cells.without_one())))
        return Verification(checks=(*checks, *jackknife_checks(result, rows, value, left, cells)))
    drawn = list(cells.draws(settings["resamples"], settings["seed"]))
    blocks = [
        terms(np.array(drawn[start : start + BLOCK])) for start in range(0, len(drawn), BLOCK)
    ]
    bca = result.fit["method"] == "bca" and len(cells.codes) < 2
    found = Redrawn(
        estimate=value,
        replicates=np.concatenate(blocks),
        copies=cells.copies,
        seeded=cells.seeded,
        left=terms(np.array(list(cells.without_one()))) if bca else None,
    )
    checks += [check for k, row in enumerate(rows) for check in term_ends(result, row, found, k)]
    side = settings.get("alternative", "two_sided")
    tests = (check for row in rows for check in statistic_checks(row, alternative=side))
    return Verification(checks=(*checks, *tests))


def jackknife_checks(
    result: Result, rows: Sequence[Row], value: FloatArray, left: FloatArray, cells: Cells
) -> list[Check]:
    """Compare standard errors, df, tests and ends with those of leaving out each unit (cluster) in turn.

    Intervals and tests are those of the corrected terms; the ends reach to the estimate.
    """
    n, checks = int(cells.copies.sum()), []
    for k, row in enumerate(rows):
        if row.conf_low is None or row.estimate is None:
            continue
        two = "labels" in result.settings
        side, level = result.settings.get("alternative", "two_sided"), inner_level(result.settings)
        least, most = (-math.inf, math.inf) if two else (0.0, LARGEST[k])
        each = np.repeat(left[:, k], cells.copies)
        error, df = math.sqrt((n - 1) * float(np.var(each))), kurtosis_df(each) if two else n - 1.0
        reach, shown = quantile(level, df) * error, row.estimate
        middle = float(value[CORRECTED[k]])
        low, high = min(max(middle - reach, least), shown), max(min(middle + reach, most), shown)
        low, high = opened(low, high, side, k)
        wanted = (
            ("s.e.", row.std_error, error),
            ("low", row.conf_low, low),
            ("high", row.conf_high, high),
        )
        checks += [
            compare(
                label(row, name),
                ours,
                theirs,
                package="scipy",
                tolerance=1e-8 * LARGEST[0],
                why=LEFT,
            )
            for name, ours, theirs in wanted
        ]
        checks.append(relative(label(row, "df"), row.df, df, "scipy", LEFT))
        checks += statistic_checks(replace(row, estimate=middle), df=row.df, alternative=side)
    return checks


def opened(low: float, high: float, side: str, k: int) -> tuple[float, float]:
    """Return an interval of a difference whose end beyond the alternative is as far as term k can differ."""
    return (-LARGEST[k] if side == "less" else low), (LARGEST[k] if side == "greater" else high)


def sums_of(
    table: pd.DataFrame, weights: str, design: Comparisons, cluster: Any, pairs: list[str]
) -> tuple[FloatArray, Cells, Any]:
    """Return wins, weights and squared weights by cell and (condition, item), (cells, 3 k), the cells, and conditions.

    A cell is a cluster of one factor, else the design's cell: a comparison of alike ones for single rows.
    """
    share = table["w"]
    if weights == "opponent":
        share = share / table.groupby(["item", "opponent", "condition"])["w"].transform("sum")
    groups = table.groupby(["condition", "item"], sort=True)
    k, conditions = groups.ngroup().to_numpy(), groups["condition"].first().to_numpy()
    factors = [] if cluster == "pair" else list(design.factors(cluster))
    if cluster == "pair":
        code, size = np.searchsorted(pairs, table["pair"]), len(pairs)
    elif len(factors) == 1:
        levels, dense = np.unique(factors[0].codes, return_inverse=True)
        code, size = dense.ravel()[table["cell"].to_numpy()], len(levels)
    else:
        code, size = table["cell"].to_numpy(), len(design.count)
    alone = cluster == "pair" or len(factors) == 1
    cells = (
        Cells.of(np.ones(size), [np.arange(size)])
        if alone
        else Cells.of(design.count, [f.codes for f in factors])
    )
    sums = np.zeros((size, 3, len(conditions)))
    squares = table["w2"] * (share / table["w"]) ** 2
    for j, values in enumerate((share * table["score"], share, squares)):
        np.add.at(sums[:, j], (code, k), values.to_numpy())
    return sums.reshape(size, -1), cells, conditions


def terms_of(sums: FloatArray, conditions: Any, drawn: bool) -> FloatArray:
    """S and its parts, plug-in and corrected (of drawn winners), from (B, 3 k) sums; NaN where a condition is empty."""
    wins, weight, squares = np.moveaxis(sums.reshape(len(sums), 3, -1), 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no item is NaN
        p, n = wins / weight, weight**2 / squares
        noise = np.where((n > 1 + ONCE) & drawn, p * (1 - p) / (n - 1), np.nan)
        of = [(conditions == name, target) for name, target in TARGETS.items()]
        plain = np.array(
            [100 * np.nanmean((p[:, here] - target) ** 2, axis=1) for here, target in of]
        )
        better = plain - np.array([100 * np.nanmean(noise[:, here], axis=1) for here, _ in of])
    return np.vstack([plain.sum(axis=0), better.sum(axis=0), plain, better]).T


def term_ends(result: Result, row: Row, found: Redrawn, k: int) -> list[Check]:
    """Compare standard error and ends of a term; basic intervals of a corrected term are centred at the plug-in one."""
    if row.conf_low is None or row.estimate is None:
        return []
    settings, value, single = result.settings, float(row.estimate), "labels" not in result.settings
    ci = result.fit["method"] if single else "basic"
    level, side = inner_level(settings), settings.get("alternative", "two_sided")
    low, high = found.ends(ci, k, level)
    if ci == "basic":
        shift = float(found.estimate[PLUG_IN[k]] - found.estimate[k])
        low, high = low + shift, high + shift
    if single:
        low, high = max(low, 0.0), min(high, LARGEST[k])
    low, high = opened(min(low, value), max(high, value), side, k)
    x, tails = found.finite(k), ((1 - level) / 2, (1 + level) / 2)
    reach = CLOSE if found.seeded else spread_error(x)
    why = WHY if found.seeded else OTHER
    checks = [relative(label(row, "s.e."), row.std_error, found.std_error(k), "numpy", why, reach)]
    for name, ours, theirs, tail in (
        ("low", row.conf_low, low, tails[0]),
        ("high", row.conf_high, high, tails[1]),
    ):
        room = CLOSE * max(abs(theirs), high - low) if found.seeded else half_width(x, tail)
        checks.append(
            compare(label(row, name), ours, theirs, package="numpy", tolerance=room, why=why)
        )
    return checks
