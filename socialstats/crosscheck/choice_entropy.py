"""Choice entropy recomputed: scipy.stats.entropy by pair, scipy's t tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import mean_row_checks
from socialstats.crosscheck.jackknife import d_z_checks
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import label
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

TERMS = ("H", "H_corrected")
PROBABLE = ("H", "H_reply")
MADE: dict[str, Any] = {
    "package": "scipy",
    "tolerance": 1e-10,
    "why": "the same closed form in another order of arithmetic",
}


def verify(result: Result) -> Verification:
    """Recompute the mean entropies and their t intervals, or the paired t test of a difference."""
    base, cluster = result.settings["base"], result.settings.get("cluster", "pair")
    if "labels" in result.settings:
        return Verification(checks=tuple(difference_checks(result, base)))
    design = result.design.whole()
    values, checks = pair_values(design, base), []
    names = [f.name for f in design.factors(cluster) if f.name != "pair"]
    groups = values[names].to_numpy() if names else np.arange(len(values))[:, None]
    for term in TERMS if result.design.replies is None else PROBABLE:
        checks += mean_checks(result, result.row(term), values[term].to_numpy(), groups)
    return Verification(checks=tuple(checks))


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
    codes = {
        f.name: f.codes[first.groupby("pair")["cell"].first()[sums.index]] for f in design.clusters
    }
    replies = {}
    if design.replies is not None:
        of_reply = first.assign(
            reply=design.replies.codes[first["cell"]], ws=first["w"] * first["score"]
        )
        won = of_reply.groupby(["pair", "reply"])["ws"].sum().clip(0, 1)
        each = won.map(lambda p: float(entropy([p, 1 - p], base=base)))
        replies = {"H_reply": each.groupby("pair").mean().loc[sums.index]}
    return pd.DataFrame({"H": plain, "H_corrected": better, **replies, **codes}, index=sums.index)


def mean_checks(result: Result, row: Row, values: FloatArray, groups: Any) -> list[Check]:
    """Compare a mean, its error, degrees of freedom and interval."""
    most, level = math.log(2) / math.log(result.settings["base"]), result.settings["level"]
    cut = (-most, most) if row.role == "difference" else (0.0, most)
    mean = compare(label(row), row.estimate, min(max(float(values.mean()), cut[0]), cut[1]), **MADE)
    if row.std_error is None:
        return [mean]
    side = result.settings.get("alternative", "two_sided")
    return [mean, *mean_row_checks(row, values, groups, level, cut=cut, alternative=side)]


def difference_checks(result: Result, base: float) -> list[Check]:
    """Compare differences with the paired t, their sd, both means, and d_z with its ends."""
    a, b = (pair_values(design, base) for design in result.design)
    both = a.index.intersection(b.index)
    checks: list[Check] = []
    for term in TERMS:
        one, two = (side.loc[both, term].to_numpy() for side in (a, b))
        row = result.row(term, group="difference")
        checks += mean_checks(result, row, one - two, np.arange(len(both))[:, None])
        for values, name in zip((one, two), result.settings["labels"], strict=True):
            own = result.row(term, group=name)
            checks.append(compare(label(own), own.estimate, float(values.mean()), **MADE))
    gap = (a.loc[both, "H"] - b.loc[both, "H"]).to_numpy()
    sd = result.row("sd", group="difference")
    checks.append(compare("sd", sd.estimate, float(gap.std(ddof=1)), **MADE))
    size = result.row("d_z", group="difference")
    if size.estimate is not None:
        theirs = float(gap.mean() / gap.std(ddof=1))
        checks.append(compare("d_z", size.estimate, theirs, **(MADE | {"tolerance": 1e-9})))
    return (
        checks
        if size.conf_low is None
        else checks + d_z_checks(size, gap, result.settings["level"])
    )
