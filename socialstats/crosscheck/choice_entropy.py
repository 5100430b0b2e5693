"""Choice entropy once more: scipy.stats.entropy by pair, scipy's t tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.reread import mean_row_checks
from socialstats.crosscheck.row_arithmetic import label
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, FloatArray, Result, Verification, marked

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
    """Compare differences with the paired t, their sd, both means, and the ends of d_z with scipy's nct."""
    from scipy.stats import nct

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
    row, gap = result.row("H", group="difference"), (a.loc[both, "H"] - b.loc[both, "H"]).to_numpy()
    sd = result.row("sd", group="difference")
    checks.append(compare("sd", sd.estimate, float(gap.std(ddof=1)), **made))
    if row.undefined:
        return checks
    return checks + effect_checks(result, gap, float(gap.mean() / gap.std(ddof=1) * math.sqrt(len(gap))), nct)


def effect_checks(result: Result, difference: FloatArray, t: float, nct: object) -> list[Check]:
    """The ends of d_z put t at the tails of the noncentral t distribution."""
    row, n = result.row("d_z", group="difference"), len(difference)
    theirs = float(difference.mean() / difference.std(ddof=1))
    checks = [compare("d_z", row.estimate, theirs, package="scipy", tolerance=1e-9, why=CLOSED)]
    if row.conf_low is None or row.conf_high is None:
        return checks
    tail = (1 - result.settings["level"]) / 2
    for name, end, want in (("low", row.conf_low, 1 - tail), ("high", row.conf_high, tail)):
        share = float(nct.cdf(t, n - 1, end * np.sqrt(n)))  # type: ignore[attr-defined]
        why = "P(T <= t) at this end of d_z, against its tail"
        checks.append(compare(f"d_z, {name}: tail", marked(want, end), share, package="scipy", tolerance=1e-6, why=why))
    return checks
