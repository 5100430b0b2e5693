"""The rows beside the test of a mean difference once more: errors, means, spreads, correlation, ranks, flips."""

from __future__ import annotations

import math

import numpy as np

from socialstats.crosscheck.clusters import CR2, mean_error, unfloored_check
from socialstats.crosscheck.pair_table import Vectors
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    label,
    quantile,
    relative,
    same_p,
    tail_p,
)
from socialstats.results import Check, Result, Row

CLOSED = "the same closed form in another order of arithmetic"
IGNORING = "ignoring clusters"
ALIKE = "clusters weighing alike"


def row_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare what no test compares: standard errors, the summary rows, and the statistics of ranks and flips."""
    d, alone = pairs.x - pairs.y, [r for r in result.rows if r.term == "difference" and r.group in (None, IGNORING)]
    out = []
    for row in alone:
        size = float(d.std())
        out.append(relative(label(row), row.estimate, float(d.mean()), "numpy", CLOSED, size=size))
        if row.std_error is None:
            continue
        if row.group == IGNORING or not pairs.groups.shape[1]:
            theirs = float(d.std(ddof=1) / math.sqrt(len(d)))
            out.append(relative(label(row, "s.e."), row.std_error, theirs, "numpy", CLOSED))
        t = (float(row.estimate or 0.0) - result.settings["null"]) / row.std_error
        out.append(relative(label(row, "statistic"), row.statistic, t, "numpy", CLOSED, size=1e-6))
    return [*out, *alike_checks(result, pairs), *summaries(result, pairs), *statistics(result, pairs)]


def alike_checks(result: Result, pairs: Vectors) -> list[Check]:
    """The mean of the means of clusters by pandas, its test by scipy."""
    import pandas as pd
    from scipy.stats import ttest_1samp

    row = next((r for r in result.rows if r.group == ALIKE), None)
    if row is None or row.std_error is None:
        return []
    options = result.settings
    means = pd.Series(pairs.x - pairs.y).groupby(pairs.groups[:, 0]).mean().to_numpy()
    side = {"two_sided": "two-sided"}.get(options["alternative"], options["alternative"])
    test = ttest_1samp(means, options["null"], alternative=side)
    ends = test.confidence_interval(options["level"])
    why, size = "a t test of the means by pandas", float(np.abs(means).max())
    return [
        relative(label(row), row.estimate, float(means.mean()), "pandas", why, size=size),
        relative(label(row, "s.e."), row.std_error, float(means.std(ddof=1) / len(means) ** 0.5), "pandas", why),
        relative(label(row, "t"), row.statistic, float(test.statistic), "scipy", why, size=1e-6),
        relative(label(row, "df"), row.df, float(test.df), "scipy", why),
        same_p(label(row, "p"), row.p_value, float(test.pvalue), "scipy", why),
        *end_checks(row, float(ends.low), float(ends.high), "scipy", why),
    ]


def summaries(result: Result, pairs: Vectors) -> list[Check]:
    """Means and standard deviations by numpy, and the correlation by scipy."""
    from scipy.stats import pearsonr

    out, d = [], pairs.x - pairs.y
    first, second = result.design.conditions
    columns = {"mean": (pairs.x, pairs.y), "sd": (pairs.x, pairs.y)}
    for group, values in columns.items():
        rows = [r for r in result.rows if r.group == group][:2]
        for row, name, x in zip(rows, (first, second), values, strict=True):
            theirs = float(x.mean() if group == "mean" else x.std(ddof=1)) if len(x) > 1 or group == "mean" else None
            if theirs is not None:
                ours = row.estimate if row.term == name else None
                size = float(np.abs(x).max())
                out.append(relative(label(row), ours, theirs, "numpy", CLOSED, size=size))
    row = result.row("difference", group="sd")
    if len(d) > 1:
        size = float(np.abs(np.concatenate([pairs.x, pairs.y])).max())
        out.append(relative(label(row), row.estimate, float(d.std(ddof=1)), "numpy", CLOSED, size=size))
    r = result.row("r")
    if r.estimate is not None:
        out.append(relative(label(r), r.estimate, float(pearsonr(pairs.x, pairs.y).statistic), size=1.0, why=CLOSED))
    return out


def statistics(result: Result, pairs: Vectors) -> list[Check]:
    """The sum of the positive ranks, and the mean difference from `null` that signs are flipped for."""
    from scipy.stats import rankdata

    values, out = pairs.x - pairs.y - result.settings["null"], []
    scale = float(np.abs(np.concatenate([pairs.x, pairs.y, [result.settings["null"]]])).max())
    row = result.row("sign_flip")
    if row.statistic is not None:
        out.append(relative(label(row, "statistic"), row.statistic, float(values.mean()), "numpy", CLOSED, size=scale))
    row = result.row("wilcoxon")
    if row.statistic is not None:
        places = int(np.floor(12 - np.log10(scale)))  # differences that tie are equal up to rounding
        kept = np.round(values, places)
        kept = kept[kept != 0]
        theirs = float(rankdata(np.abs(kept))[kept > 0].sum())
        out.append(relative(label(row, "V"), row.statistic, theirs, "scipy", CLOSED, size=1.0))
    return out


def crossed_checks(result: Result, row: Row, pairs: Vectors) -> list[Check]:
    """Two crossed factors: standard error, degrees of freedom, p and ends."""
    d, options = pairs.x - pairs.y, result.settings
    error, df = mean_error(d, pairs.groups)
    side, null = options["alternative"], options["null"]
    out = [
        relative(label(row, "s.e., two crossed factors"), row.std_error, error, "numpy", CR2),
        relative(label(row, "df"), row.df, df, "scipy", CR2),
        same_p(label(row, "p"), row.p_value, tail_p((float(d.mean()) - null) / error, df, side)),
    ]
    if "unfloored_std_error" in result.extras:
        out.append(unfloored_check(result.extras["unfloored_std_error"], d, pairs.groups))
    if options.get("ci", "closed") == "closed":
        reach = quantile(options["level"] if side == "two_sided" else 2 * options["level"] - 1, df) * error
        low = None if side == "less" else float(d.mean()) - reach
        high = None if side == "greater" else float(d.mean()) + reach
        out += end_checks(row, low, high, "scipy", CR2)
    return out
