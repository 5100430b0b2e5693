"""B_all, the mean absolute bias: its size, what chance alone would give, and its interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.metrics.relationship_bias.analysis import Analysis, differences
from socialstats.metrics.relationship_bias.options import Options
from socialstats.metrics.relationship_bias.rows import FLIP
from socialstats.models.couples import folded_mean, inference, linear
from socialstats.models.mean_absolute import (
    FlippedMean,
    NoBias,
    flipped_mean_absolute,
    influence_correlation,
    no_bias,
)
from socialstats.resampling import Bootstrap, basic, percentile
from socialstats.results import Row
from socialstats.text import count, shorten

PLAIN, CORRECTED, OVERALL, NULL = "B_all", "B_all corrected", "overall", "overall, without any bias"
METHOD = "bootstrap interval of the population's mean absolute bias (basic, less the bias, to percentile), cut at 0"


def mean_absolute(found: Analysis) -> float | None:
    """B_all: the mean of abs(B) over the pairs of groups; None where none has both orders."""
    listed, weight = found.each_bias()
    if not listed:
        return None
    values = np.array([found.means.coefficients(one) @ found.means.mean for one in listed])
    return float(np.abs(values) @ weight)


def answers_of(found: Analysis) -> float:
    """Answers to couples of two groups, which B_all is made of."""
    answers = found.data.answers
    return float(answers.count[answers.first != answers.second].sum())


def corrected(found: Analysis) -> float | str:
    """B_all less its bias, at least 0; or why there is none.

    Each estimate of B is taken as normal around the true one with its robust standard error s; E abs(N(B, s)) -
    abs(B) at the estimate is subtracted.
    """
    listed, weight = found.each_bias()
    data = found.data
    excess = []
    for one in listed:
        combined = linear(found.means, found.means.coefficients(one), len(data.design.units))
        spread = inference(combined, data.design.unit_count, data.codes)
        if spread.undefined:
            return spread.undefined
        excess.append(folded_mean(combined.estimate, spread.std_error) - abs(combined.estimate))
    return max((mean_absolute(found) or 0.0) - float(np.array(excess) @ weight), 0.0)


def flips(found: Analysis, seed: int) -> FlippedMean | str:
    """Mean absolute bias when the differences of whole scenarios change their sign at random."""
    columns = []
    for pair in found.data.pairs:
        table = differences(found, pair)
        have = [next(iter(one))[0] for one in found.bias(pair)]
        columns += [table[:, found.raters.index(r)] for r in have]
    if not columns:
        return "no pair of groups was answered in both orders"
    return flipped_mean_absolute(np.column_stack(columns), found.each_bias()[1], seed=seed)


def overall_rows(found: Analysis, boot: Bootstrap | str, options: Options) -> list[Row]:
    """Rows of B_all as it is, and corrected for its bias; both have the interval of what they estimate."""
    plain, n = mean_absolute(found), answers_of(found)
    if plain is None:
        why = "no pair of groups was answered in both orders"
        return [Row(term=term, group=OVERALL, undefined=why) for term in (PLAIN, CORRECTED)]
    better = corrected(found)
    first, second = (Row(term=term, group=OVERALL, n=n) for term in (PLAIN, CORRECTED))
    first = replace(first, estimate=plain)
    second = replace(second, undefined=better) if isinstance(better, str) else replace(second, estimate=better)
    ends = single_cluster(found) or interval_of(first, second, boot, options)
    if isinstance(ends, str):
        return [replace(row, undefined=row.undefined or ends) for row in (first, second)]
    return [replace(row, **ends) if row.estimate is not None else row for row in (first, second)]


def single_cluster(found: Analysis) -> str:
    """Say that a bias rests on one level of a cluster: resamples repeat it, and cannot tell how it varies."""
    data = found.data
    for one in found.each_bias()[0]:
        used = linear(found.means, found.means.coefficients(one), len(data.design.units)).touched > 0
        for factor in data.factors:
            if len(np.unique(factor.codes[used])) < 2:
                return f"a bias rests on a single {shorten(factor.name)}: no interval"
    return ""


def interval_of(plain: Row, better: Row, boot: Bootstrap | str, options: Options) -> dict[str, Any] | str:
    """Fields of the bootstrap interval and of the bootstrap's standard error.

    Resamples of an absolute value lie too high. From below the interval is the basic one less the bootstrap's estimate
    of the bias, from above the percentile one: each end errs to the safe side, where an interval that is basic, or
    percentile, at both ends holds the truth too seldom. It is widened to hold both rows.
    """
    if isinstance(boot, str):
        return boot
    below, above = basic(boot, level=options.level), percentile(boot, level=options.level)
    if below.undefined[-1] or above.undefined[-1]:
        return below.undefined[-1] or above.undefined[-1]
    held = [row.estimate for row in (plain, better) if row.estimate is not None]
    low, high = max(float(below.low[-1] - boot.bias[-1]), 0.0), min(float(above.high[-1]), 2.0)
    low, high = min(low, *held), max(high, *held)
    if not low < high:
        return "the bootstrap interval has no width"
    sd = float(boot.std_error[-1])
    return {"conf_low": low, "conf_high": high, "conf_level": options.level, "std_error": sd if sd > 0 else None,
            "n_clusters": boot.units.n_clusters, "method": METHOD}  # fmt: skip


def without_bias(found: Analysis, seed: int) -> NoBias | str:
    """B_all if no group were favoured, by the clustered standard errors of the biases; or why that is not known."""
    listed, weight = found.each_bias()
    if not listed:
        return "no pair of groups was answered in both orders"
    data = found.data
    each = [linear(found.means, found.means.coefficients(one), len(data.design.units)) for one in listed]
    spread = [inference(one, data.design.unit_count, data.codes) for one in each]
    why = next((one.undefined for one in spread if one.undefined), "")
    if why:
        return why
    influence = np.column_stack([one.influence for one in each])
    return no_bias(
        mean_absolute(found) or 0.0, np.array([one.std_error for one in spread]),
        influence_correlation(influence, data.codes), weight, df=min(one.df for one in spread), seed=seed,
    )  # fmt: skip


def null_row(found: Analysis, null: NoBias | str) -> Row:
    """Row of B_all without any bias: its mean (`estimate`), and the test (`statistic`: B_all)."""
    if isinstance(null, str):
        return Row(term=PLAIN, group=NULL, undefined=null)
    names = " x ".join(f.name for f in found.data.factors)
    who = f"clusters of {names}" if names else "units independent"
    return Row(term=PLAIN, group=NULL, estimate=null.null_mean, statistic=mean_absolute(found), df=null.df,
               p_value=null.p_value, n=answers_of(found),
               method=f"multivariate t of the biases, {who}, {count(null.draws)} draws")  # fmt: skip


def flip_row(found: Analysis, flipped: FlippedMean | str) -> Row:
    """Row of the test that the differences of scenarios are as likely as their negatives; `statistic` is B_all."""
    if isinstance(flipped, str):
        return Row(term=PLAIN, group=FLIP, undefined=flipped)
    how = f"{count(flipped.flips)} random flips" if flipped.flips else "exact"
    n = len(np.unique(found.data.answers.scenario))
    return Row(term=PLAIN, group=FLIP, statistic=flipped.observed, p_value=flipped.p_value, n=float(n),
               method=f"sign flip of scenarios, {how}")  # fmt: skip
