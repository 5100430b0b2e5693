"""Choice entropy once more: scipy.stats.entropy by pair, scipy's t tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import mean_row_checks
from socialstats.crosscheck.effect_sizes import d_z_checks
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import label
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, Result, Verification

if TYPE_CHECKING:
    import pandas as pd

TERMS = ("H", "H_corrected")

CLOSED = "the same closed form in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute the mean entropies and their t intervals, or the paired t test of a difference."""
    base = result.settings["base"]
    if "labels" in result.settings:
        return Verification(checks=tuple(difference_checks(result, base)))
    return Verification(checks=tuple(mean_checks(result, pair_values(result.design, base))))


def pair_values(design: Comparisons, base: float) -> pd.DataFrame:
    """Entropies (H, corrected by Miller-Madow) and cluster codes of each pair, by its label."""
    import pandas as pd
    from scipy.stats import entropy

    table = long_table(design)
    first = table[table["item"] < table["opponent"]]
    sums = first.assign(ws=first["w"] * first["score"]).groupby("pair")[["ws", "w", "w2"]].sum()
    rates = (sums["ws"] / sums["w"]).to_numpy()
    plain = np.asarray(entropy([rates, 1 - rates], base=base))
    both, n = (rates > 0) & (rates < 1), (sums["w"] ** 2 / sums["w2"]).to_numpy()
    better = plain + both / (2 * n * math.log(base))
    codes = {f.name: f.codes[first.groupby("pair")["cell"].first()[sums.index]] for f in design.clusters}
    return pd.DataFrame({"H": plain, "H_corrected": better, **codes}, index=sums.index)


def mean_checks(result: Result, values: pd.DataFrame) -> list[Check]:
    """Compare the means, their errors, degrees of freedom and intervals."""
    checks: list[Check] = []
    cluster = result.settings["cluster"]
    names = [f.name for f in result.design.factors(cluster) if f.name != "pair"]
    groups = values[names].to_numpy() if names else np.arange(len(values))[:, None]
    for term in TERMS:
        x, row = values[term].to_numpy(), result.row(term)
        checks.append(compare(term, row.estimate, float(x.mean()), package="scipy", tolerance=1e-10, why=CLOSED))
        if row.std_error is not None:
            checks += mean_row_checks(row, x, groups, result.settings["level"])
    return checks


def difference_checks(result: Result, base: float) -> list[Check]:
    """Compare differences with the paired t, their sd, both means, and d_z with its ends."""
    a, b = (pair_values(design, base) for design in result.design)
    both = a.index.intersection(b.index)
    checks: list[Check] = []
    made: dict[str, Any] = {"package": "scipy", "tolerance": 1e-10, "why": CLOSED}
    for term in TERMS:
        gap, row = (a.loc[both, term] - b.loc[both, term]).to_numpy(), result.row(term, group="difference")
        checks.append(compare(label(row), row.estimate, float(gap.mean()), **made))
        if row.std_error is not None:
            checks += mean_row_checks(row, gap, np.arange(len(gap))[:, None], result.settings["level"])
        for side, name in zip((a, b), result.settings["labels"], strict=True):
            own = result.row(term, group=name)
            checks.append(compare(label(own), own.estimate, float(side.loc[both, term].mean()), **made))
    gap = (a.loc[both, "H"] - b.loc[both, "H"]).to_numpy()
    sd = result.row("sd", group="difference")
    checks.append(compare("sd", sd.estimate, float(gap.std(ddof=1)), **made))
    size = result.row("d_z", group="difference")
    if size.estimate is not None:
        theirs = float(gap.mean() / gap.std(ddof=1))
        checks.append(compare("d_z", size.estimate, theirs, package="scipy", tolerance=1e-9, why=CLOSED))
    return checks if size.conf_low is None else checks + d_z_checks(size, gap, result.settings["level"])
