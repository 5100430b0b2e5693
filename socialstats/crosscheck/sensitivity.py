"""Sensitivity S once more: pandas over rows, its jackknife, and its bootstrap with rows drawn by numpy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.resamples import CLOSE, OTHER, WHY, Cells, Redrawn, half_width, spread_error
from socialstats.crosscheck.row_arithmetic import label, quantile, relative, statistic_checks
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
TERMS = ("S", "S_corrected", *(f"S_{c}" for c in TARGETS), *(f"S_{c}_corrected" for c in TARGETS))
PLUG_IN = (0, 0, 2, 3, 4, 2, 3, 4)  # the plug-in term of each
LARGEST = {"S": 225.0, "S_higher": 100.0, "S_equal": 25.0, "S_lower": 100.0}
CORRECTED = (1, 1, 5, 6, 7, 5, 6, 7)  # the corrected term of each
ONCE, BLOCK = 1e-9, 64
LEFT = "S of the sums without one unit (cluster)"


def verify(result: Result) -> Verification:
    """Recompute S, its corrected value and components, and the standard errors and ends."""
    settings = result.settings
    if "labels" in settings:
        parts = [brute(long_table(d, settings["covariate"]), settings["weights"]) for d in result.design]
        values = {term: parts[0][term] - parts[1][term] for term in parts[0]}
        checks = term_checks(result, values, "difference")
        for name, own in zip(settings["labels"], parts, strict=True):
            checks += term_checks(result, own, name)
        jackknifed, better = result.fit["method"] == "jackknife", result.row("S_corrected", group="difference")
        checks += [
            c for row in result.rows if row.statistic is not None
            for c in statistic_checks(replace(row, estimate=better.estimate) if jackknifed else row, df=row.df)
        ]  # fmt: skip
        tables = [long_table(d, settings["covariate"]) for d in result.design]
        return Verification(checks=(*checks, *(jackknife_rows if jackknifed else resampled_rows)(result, tables)))
    table = long_table(result.design, settings["covariate"])
    checks = term_checks(result, brute(table, settings["weights"]), None)
    rows = jackknife_rows if result.fit["method"] == "jackknife" else resampled_rows
    return Verification(checks=(*checks, *rows(result, [table])))


def term_checks(result: Result, values: dict[str, float], group: str | None) -> list[Check]:
    """Compare every term."""
    checks = []
    for term, value in values.items():
        theirs = None if np.isnan(value) else value
        ours = result.row(term, group=group).estimate
        why = "the same sums in another order"
        checks.append(compare(term, ours, theirs, package="pandas", tolerance=1e-8, why=why))
    return checks


def brute(table: pd.DataFrame, weights: str) -> dict[str, float]:
    """S by group-bys over rows."""
    means = {}
    for condition, target in TARGETS.items():
        rates, n = rates_of(table[table["condition"] == condition], weights)
        plug_in = 100 * float(((rates - target) ** 2).mean())
        noise = (rates * (1 - rates) / (n - 1))[n > 1]
        means[f"S_{condition}"] = plug_in
        means[f"S_{condition}_corrected"] = plug_in - 100 * float(noise.mean())
    plain = sum(means[f"S_{c}"] for c in TARGETS)
    return {"S": plain, "S_corrected": sum(means[f"S_{c}_corrected"] for c in TARGETS), **means}


def rates_of(rows: pd.DataFrame, weights: str) -> tuple[pd.Series, pd.Series]:
    """Win rate of each item, and the number of comparisons it is worth."""
    rows = rows.assign(ws=rows["w"] * rows["score"])[["item", "opponent", "ws", "w", "w2"]]
    if weights != "opponent":
        sums = rows.groupby("item")[["ws", "w", "w2"]].sum()
        return sums["ws"] / sums["w"], sums["w"] ** 2 / sums["w2"]
    met = rows.groupby(["item", "opponent"])[["ws", "w", "w2"]].sum()
    each = met.assign(p=met["ws"] / met["w"], worth=met["w2"] / met["w"] ** 2).groupby("item")
    return each["p"].mean(), each.size() ** 2 / each["worth"].sum()


def jackknife_rows(result: Result, tables: list[pd.DataFrame]) -> list[Check]:
    """Compare standard errors, degrees of freedom and ends with those of leaving out each unit (cluster) in turn.

    Parameters
    ----------
    result : Result
    tables : list of DataFrame
        One design; or two, whose pairs are left out together and whose terms are subtracted.
    """
    settings, several = result.settings, len(tables) > 1
    pairs = sorted(set(tables[0]["pair"])) if several else []
    made = [sums_of(table, settings["weights"], design, settings["cluster"], pairs)
            for table, design in zip(tables, designs_of(result), strict=True)]  # fmt: skip
    cells = made[0][1]
    kept, n = np.array(list(cells.without_one())) / cells.count, int(cells.copies.sum())

    def terms(how: FloatArray) -> FloatArray:
        parts = [terms_of(how @ sums, conditions) for sums, _, conditions in made]
        return parts[0] - parts[1] if several else parts[0]

    left, value = terms(kept), terms(np.ones((1, kept.shape[1])))[0]
    checks: list[Check] = []
    for k, term in enumerate(TERMS):
        row, most = result.row(term, group="difference" if several else None), LARGEST[term.removesuffix("_corrected")]
        if row.conf_low is None or row.estimate is None:
            continue
        error = math.sqrt((n - 1) * float(np.var(np.repeat(left[:, k], cells.copies))))
        reach = quantile(settings["level"], n - 1) * error
        middle, shown = float(value[CORRECTED[k]]), float(row.estimate)
        least, most = (-math.inf, math.inf) if several else (0.0, most)
        low, high = min(max(middle - reach, least), shown), max(min(middle + reach, most), shown)
        wanted = (("s.e.", row.std_error, error), ("low", row.conf_low, low), ("high", row.conf_high, high))
        checks += [compare(label(row, name), ours, theirs, package="scipy", tolerance=1e-8 * LARGEST["S"], why=LEFT)
                   for name, ours, theirs in wanted]  # fmt: skip
        checks.append(relative(label(row, "df"), row.df, n - 1.0, "numpy", LEFT))
    return checks


def resampled_rows(result: Result, tables: list[pd.DataFrame]) -> list[Check]:
    """Compare standard errors and ends with those of resamples drawn here.

    Parameters
    ----------
    result : Result
    tables : list of DataFrame
        One design; or two that are resampled together by pair, whose terms are subtracted.
    """
    settings, pairs = result.settings, sorted(set(tables[0]["pair"]))
    made = [sums_of(table, settings["weights"], design, settings["cluster"], pairs)
            for table, design in zip(tables, designs_of(result), strict=True)]  # fmt: skip
    cells = made[0][1]
    drawn = np.array(list(cells.draws(settings["resamples"], settings["seed"]))) / cells.count
    replicates = np.zeros((len(drawn), len(TERMS)))
    for start in range(0, len(drawn), BLOCK):
        some = drawn[start : start + BLOCK]
        parts = [terms_of(some @ sums, conditions) for sums, _, conditions in made]
        replicates[start : start + BLOCK] = parts[0] - parts[1] if len(parts) > 1 else parts[0]
    whole = [terms_of(sums.sum(axis=0)[None, :], conditions)[0] for sums, _, conditions in made]
    value = whole[0] - whole[1] if len(whole) > 1 else whole[0]
    left = None
    if result.fit.get("method") == "bca" and len(cells.codes) < 2:
        kept = np.array(list(cells.without_one())) / cells.count
        left = terms_of(kept @ made[0][0], made[0][2])
    found = Redrawn(estimate=value, replicates=replicates, left=left, copies=cells.copies, seeded=cells.seeded)
    group = "difference" if len(tables) > 1 else None
    return [c for k, term in enumerate(TERMS) for c in term_ends(result, result.row(term, group=group), found, k)]


def designs_of(result: Result) -> list[Comparisons]:
    """Return the design, or both designs of a difference."""
    return list(result.design) if "labels" in result.settings else [result.design]


def sums_of(
    table: pd.DataFrame, weights: str, design: Comparisons, cluster: Any, pairs: list[str]
) -> tuple[FloatArray, Cells, Any]:
    """Return wins, weights and squared weights by cell and (condition, item), (cells, 3 k), the cells, and conditions.

    A cell is a cluster of one factor, else the design's cell: a comparison of alike ones for single rows.
    """
    share = table["w"]
    if weights == "opponent":
        share = share / table.groupby(["item", "opponent", "condition"])["w"].transform("sum")
    k = table.groupby(["condition", "item"], sort=True).ngroup().to_numpy()
    conditions = table.groupby(["condition", "item"], sort=True)["condition"].first().to_numpy()
    factors = [] if cluster == "pair" else list(design.factors(cluster))
    if cluster == "pair":
        pairs = pairs or sorted(set(table["pair"]))
        code = np.searchsorted(pairs, table["pair"])
        size = len(pairs)
        cells = Cells.of(np.ones(size), [np.arange(size)])
    elif len(factors) == 1:
        levels, dense = np.unique(factors[0].codes, return_inverse=True)
        code, size = dense.ravel()[table["cell"].to_numpy()], len(levels)
        cells = Cells.of(np.ones(size), [np.arange(size)])
    else:
        code, size = table["cell"].to_numpy(), len(design.count)
        cells = Cells.of(design.count, [f.codes for f in factors])
    sums = np.zeros((size, 3, len(conditions)))
    squares = table["w2"] * (share / table["w"]) ** 2
    for j, values in enumerate((share * table["score"], share, squares)):
        np.add.at(sums[:, j], (code, k), values.to_numpy())
    return sums.reshape(size, -1), cells, conditions


def terms_of(sums: FloatArray, conditions: Any) -> FloatArray:
    """S and its parts, plug-in and corrected, from (B, 3 k) sums; NaN where a condition is empty."""
    wins, weight, squares = np.moveaxis(sums.reshape(len(sums), 3, -1), 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, n = wins / weight, weight**2 / squares
        noise = np.where(n > 1 + ONCE, p * (1 - p) / (n - 1), np.nan)
        plain, less = [], []
        for name, target in TARGETS.items():
            here = conditions == name
            plain.append(100 * mean_known((p[:, here] - target) ** 2))
            less.append(100 * mean_known(noise[:, here]))
    better = [one - two for one, two in zip(plain, less, strict=True)]
    return np.column_stack([sum(plain), sum(better), *plain, *better])


def mean_known(values: FloatArray) -> FloatArray:
    """Mean of each row's numbers that exist; NaN where none does."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def term_ends(result: Result, row: Row, found: Redrawn, k: int) -> list[Check]:
    """Compare standard error and ends of a term; basic intervals of a corrected term are centred at the plug-in one."""
    if row.conf_low is None or row.estimate is None:
        return []
    settings, value, single = result.settings, float(row.estimate), "labels" not in result.settings
    ci = result.fit["method"] if single else "basic"
    low, high = found.ends(ci, k, settings["level"])
    if ci == "basic":
        shift = float(found.estimate[PLUG_IN[k]] - found.estimate[k])
        low, high = low + shift, high + shift
    if single:
        low, high = max(low, 0.0), min(high, LARGEST[row.term.removesuffix("_corrected")])
    x, tails = found.finite(k), ((1 - settings["level"]) / 2, (1 + settings["level"]) / 2)
    reach = CLOSE if found.seeded else spread_error(x)
    why = WHY if found.seeded else OTHER
    checks = [relative(label(row, "s.e."), row.std_error, found.std_error(k), "numpy", why, reach)]
    for name, ours, theirs, tail in (("low", row.conf_low, min(low, value), tails[0]),
                                     ("high", row.conf_high, max(high, value), tails[1])):  # fmt: skip
        room = CLOSE * max(abs(theirs), high - low) if found.seeded else half_width(x, tail)
        checks.append(compare(label(row, name), ours, theirs, package="numpy", tolerance=room, why=why))
    return checks
