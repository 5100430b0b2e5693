"""Sensitivity S once more: pandas over rows, and scipy's bootstrap over pairs of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from socialstats.crosscheck.long import compare, long_table
from socialstats.results import Check, Result, Verification

if TYPE_CHECKING:
    import pandas as pd

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
RESAMPLES = 200
GONE = 1e-9  # of a sum: what rounding leaves of one that is taken away whole


def verify(result: Result) -> Verification:
    """Recompute S, its corrected value and components; for single designs also errors and intervals by pair."""
    settings = result.settings
    if "labels" in settings:
        parts = [brute(long_table(d, settings["covariate"]), settings["weights"]) for d in result.design]
        values = {term: parts[0][term] - parts[1][term] for term in parts[0]}
        return Verification(checks=tuple(term_checks(result, values, "difference")))
    table = long_table(result.design, settings["covariate"])
    checks = term_checks(result, brute(table, settings["weights"]), None)
    if settings["cluster"] == "pair" and result.fit["method"] == "jackknife":
        checks += jackknife_checks(result, table)
    elif settings["cluster"] == "pair":
        checks.append(error_check(result, table))
    return Verification(checks=tuple(checks))


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


def jackknife_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """Recompute errors and ends with one pair of items left out at a time, and scipy's t."""
    from scipy.stats import t

    share = table["w"].to_numpy()
    if result.settings["weights"] == "opponent":
        share = 1 / table.groupby(["item", "opponent", "condition"])["w"].transform("sum").to_numpy() * share
    parts = table.assign(win=share * table["score"], share=share, square=table["w2"] * (share / table["w"]) ** 2)
    sums = parts.groupby(["pair", "condition", "item"])[["win", "share", "square"]].sum()
    whole = sums.groupby(["condition", "item"]).sum()
    left = []
    for _, own in sums.groupby(level="pair"):
        less = whole.sub(own.droplevel("pair"), fill_value=0)
        left.append(of_sums(less[less["share"] > GONE * whole["share"]]))
    found = {term: np.array([one[term] for one in left]) for term in left[0]}
    centre, n = of_sums(whole), len(left)
    level, largest = result.settings["level"], {"S": 225.0, "S_equal": 25.0}
    checks, why = [], "S of the sums without one pair, by pandas"
    for term, values in found.items():
        row = result.row(term)
        if row.conf_low is None or row.estimate is None:
            continue
        error = float(np.sqrt((n - 1) * np.var(values)))
        reach = float(t.ppf((1 + level) / 2, n - 1)) * error
        name = term.removesuffix("_corrected")
        middle, most = centre[f"{name}_corrected"], largest.get(name, 100.0)
        ends = min(max(middle - reach, 0.0), row.estimate), max(min(middle + reach, most), row.estimate)
        for what, ours, theirs in (
            ("s.e.", row.std_error, error), ("low", row.conf_low, ends[0]), ("high", row.conf_high, ends[1])
        ):  # fmt: skip
            checks.append(compare(f"{term}, {what}", ours, theirs, package="scipy", tolerance=1e-8 * most, why=why))
    return checks


def of_sums(sums: pd.DataFrame) -> dict[str, float]:
    """S and its parts from sums of wins, weights and squared weights by condition and item."""
    means = {}
    for condition, target in TARGETS.items():
        own = sums.loc[condition]
        p, n = own["win"] / own["share"], own["share"] ** 2 / own["square"]
        several = n > 1 + 1e-9
        noise = (p * (1 - p) / (n - 1))[several].mean()
        means[f"S_{condition}"] = 100 * float(((p - target) ** 2).mean())
        means[f"S_{condition}_corrected"] = means[f"S_{condition}"] - 100 * float(noise)
    plain = sum(means[f"S_{c}"] for c in TARGETS)
    return {"S": plain, "S_corrected": sum(means[f"S_{c}_corrected"] for c in TARGETS), **means}


def error_check(result: Result, table: pd.DataFrame) -> Check:
    """Compare the bootstrap s.e. of S with scipy's bootstrap of the list of pairs."""
    from scipy.stats import bootstrap

    share = table["w"].to_numpy()
    if result.settings["weights"] == "opponent":
        share = share / table.groupby(["item", "opponent", "condition"])["w"].transform("sum").to_numpy()
    place, _ = table.groupby(["condition", "item"]).ngroup().to_numpy(), None
    target = table.groupby(["condition", "item"], sort=True)["condition"].first().map(TARGETS).to_numpy()
    order = table.groupby("pair").ngroup().to_numpy()
    k, m = len(target), int(order.max()) + 1
    wins, weight = np.zeros((m, k)), np.zeros((m, k))
    np.add.at(wins, (order, place), share * table["score"].to_numpy())
    np.add.at(weight, (order, place), share)

    def statistic(pairs: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        w = weight[pairs].sum(axis=0)
        there = w > 0
        squares = (wins[pairs].sum(axis=0)[there] / w[there] - target[there]) ** 2
        return float(100 * sum(squares[target[there] == t].mean() for t in TARGETS.values()))

    drawn = bootstrap(
        (np.arange(m),), statistic, n_resamples=RESAMPLES, vectorized=False, method="percentile",
        rng=np.random.default_rng(result.settings["seed"] + 1),
    )  # fmt: skip
    ours, theirs = result.row("S").std_error, float(drawn.standard_error)
    z = (drawn.bootstrap_distribution - drawn.bootstrap_distribution.mean()) / theirs
    kurtosis = max(3.0, float((z**4).mean()))
    wide = 5 * theirs * np.sqrt((kurtosis - 1) / 4 * (1 / RESAMPLES + 1 / result.settings["resamples"]))
    why = "five Monte-Carlo standard errors of a standard deviation, sqrt((kurtosis - 1)/(4 B)) each"
    return compare("S, bootstrap s.e.", ours, theirs, package="scipy", tolerance=float(wide), why=why)
