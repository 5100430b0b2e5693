"""Choice entropy once more: scipy.stats.entropy by pair, scipy's t tests."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.effect_sizes import hull_checks, jackknife_t, sizes_of
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import same_p
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check, FloatArray, Result, Verification

CLOSED = "the same closed form in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute the mean entropy and its t interval, or the paired t test of a difference."""
    base = result.settings["base"]
    if "labels" in result.settings:
        return Verification(checks=tuple(difference_checks(result, base)))
    values = pair_values(result.design, base)
    return Verification(checks=tuple(mean_checks(result, values)))


def pair_values(design: Comparisons, base: float) -> dict[str, float]:
    """Entropy of each pair, by the pair's label."""
    from scipy.stats import entropy

    table = long_table(design)
    first = table[table["item"] < table["opponent"]]
    sums = first.assign(ws=first["w"] * first["score"]).groupby("pair")[["ws", "w"]].sum()
    rates = (sums["ws"] / sums["w"]).to_numpy()
    return dict(zip(sums.index, np.asarray(entropy([rates, 1 - rates], base=base)), strict=True))


def mean_checks(result: Result, values: dict[str, float]) -> list[Check]:
    """Compare the mean and, where pairs are independent, its interval."""
    from scipy.stats import ttest_1samp

    x, row = np.array(list(values.values())), result.row("H")
    checks = [compare("H", row.estimate, float(x.mean()), package="scipy", tolerance=1e-10, why=CLOSED)]
    if result.settings["cluster"] in (None, "pair") and row.conf_low is not None:
        ends = ttest_1samp(x, 0.0).confidence_interval(result.settings["level"])
        checks.append(compare("H, low", row.conf_low, float(ends.low), package="scipy", tolerance=1e-9, why=CLOSED))
        checks.append(compare("H, high", row.conf_high, float(ends.high), package="scipy", tolerance=1e-9, why=CLOSED))
    return checks


def difference_checks(result: Result, base: float) -> list[Check]:
    """Compare difference, t, df, p and interval with ttest_rel, and the ends of d_z with scipy's nct."""
    from scipy.stats import ttest_rel

    a, b = (pair_values(design, base) for design in result.design)
    names = sorted(set(a) & set(b))
    x, y = np.array([a[k] for k in names]), np.array([b[k] for k in names])
    row = result.row("H", group="difference")
    checks = [
        compare("difference in H", row.estimate, float(np.mean(x - y)), package="scipy", tolerance=1e-10, why=CLOSED)
    ]
    if row.undefined:
        return checks
    test = ttest_rel(x, y)
    ends = test.confidence_interval(result.settings["level"])
    for name, ours, theirs in (
        ("t", row.statistic, test.statistic), ("df", row.df, test.df), ("p", row.p_value, test.pvalue),
        ("low", row.conf_low, ends.low), ("high", row.conf_high, ends.high),
    ):  # fmt: skip
        if name == "p":
            checks.append(same_p(name, ours, float(theirs), "scipy", CLOSED))
            continue
        close = 1e-8 * max(1.0, abs(float(theirs)))
        checks.append(compare(name, ours, float(theirs), package="scipy", tolerance=close, why=CLOSED))
    return checks + effect_checks(result, x - y, float(test.statistic))


def effect_checks(result: Result, difference: FloatArray, t: float) -> list[Check]:
    """The ends of d_z: the jackknife's by hand, or t at the tails of the noncentral t distribution."""
    row, n = result.row("d_z", group="difference"), len(difference)
    theirs = float(difference.mean() / difference.std(ddof=1))
    checks = [compare("d_z", row.estimate, theirs, package="scipy", tolerance=1e-9, why=CLOSED)]
    if row.conf_low is None or row.conf_high is None:
        return checks
    level, ones = result.settings["level"], np.ones(n)
    zeros = np.zeros(n)
    sizes = np.array([sizes_of(difference, zeros, ones - (np.arange(n) == k)) for k in range(n)])
    jack = jackknife_t(sizes_of(difference, zeros, ones), sizes, ones, 0, level)[2:]
    return checks + hull_checks("d_z", (row.conf_low, row.conf_high), t, n, jack, level)
