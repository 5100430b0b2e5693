"""B_all, the mean absolute bias: its size, what chance alone would give, and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.compare import with_both_intervals
from socialstats.inference.rows import NO_WIDTH, with_ends
from socialstats.metrics.relationship_bias.analysis import Analysis, differences
from socialstats.metrics.relationship_bias.options import Options
from socialstats.metrics.relationship_bias.rows import FLIP
from socialstats.models.couples import Linear, folded_mean, inference, linear
from socialstats.models.mean_absolute import FlippedMean, flipped_mean_absolute
from socialstats.models.mean_size import Estimates, NoBias, influence_correlation, size_interval
from socialstats.resampling import Bootstrap, basic, percentile
from socialstats.results import Row
from socialstats.text import count, number, shorten

NEITHER = "no pair of groups was answered in both orders"
MOST = 2.0
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


def joint(found: Analysis) -> Estimates | str:
    """Every B that B_all averages, with their clustered errors and correlations; or why those are not known.

    Pairs of groups have pairs of names of their own, so that each has its own chi-square of the error; raters within a
    pair of groups share it.
    """
    listed, weight = found.each_bias()
    if not listed:
        return NEITHER
    data = found.data
    each = [linear(found.means, found.means.coefficients(one), len(data.design.units)) for one in listed]
    spread = [inference(one, data.design.unit_count, data.codes) for one in each]
    why = single_cluster(found, each) or next((one.undefined for one in spread if one.undefined), "")
    if why:
        return why
    used = np.any([one.touched > 0 for one in each], axis=0)
    influence = np.column_stack([one.influence[used] for one in each])
    kinds = [tuple(sorted({group for cell in one for group in cell[1:]})) for one in listed]
    return Estimates(
        value=np.array([one.estimate for one in each]), error=np.array([one.std_error for one in spread]),
        df=np.array([one.df for one in spread]), weight=weight,
        correlation=influence_correlation(influence, [code[used] for code in data.codes]),
        block=np.array([sorted(set(kinds)).index(kind) for kind in kinds]),
    )  # fmt: skip


def drawn_errors(known: Estimates | str, options: Options) -> FloatArray:
    """Draw errors of the biases; none where their standard errors are not known."""
    return np.empty((0, 0)) if isinstance(known, str) else known.drawn(options.seed)


def corrected(joint: Estimates) -> float:
    """B_all less its bias, at least 0.

    Each estimate of B is taken as normal around the true one with its robust standard error s; E abs(N(B, s)) -
    abs(B) at the estimate is subtracted.
    """
    means = [folded_mean(b, s) for b, s in zip(joint.value.tolist(), joint.error.tolist(), strict=True)]
    return max(joint.size - float((np.array(means) - np.abs(joint.value)) @ joint.weight), 0.0)


def flips(found: Analysis, seed: int) -> FlippedMean | str:
    """Mean absolute bias when the differences of whole scenarios change their sign at random."""
    columns = []
    for pair in found.data.pairs:
        table = differences(found, pair)
        have = [next(iter(one))[0] for one in found.bias(pair)]
        columns += [table[:, found.raters.index(r)] for r in have]
    if not columns:
        return NEITHER
    return flipped_mean_absolute(np.column_stack(columns), found.each_bias()[1], seed=seed)


def size_rows(found: Analysis, group: str, known: Estimates | str, errors: FloatArray, options: Options) -> list[Row]:
    """Rows of B_all as it is, and corrected for its bias; both have the interval of what they estimate."""
    size = mean_absolute(found)
    plain, better = (Row(term=term, group=group, n=answers_of(found)) for term in (PLAIN, CORRECTED))
    plain = replace(plain, estimate=size)
    if isinstance(known, str):
        return [replace(plain, undefined=known), replace(better, undefined=known)]
    better = replace(better, estimate=corrected(known))
    low, high = size_interval(known, errors, level=options.level, most=MOST)
    low, high = min(low, better.estimate or 0.0), max(high, better.estimate or 0.0)
    why, how = "" if low < high else NO_WIDTH, method_of_overall(found, known)
    return [with_ends(row, low, high, options.level, why=why, hold=True, method=how) for row in (plain, better)]


def method_of_overall(found: Analysis, known: Estimates) -> str:
    """Say how the interval was obtained."""
    names = " x ".join(f.name for f in found.data.factors)
    df = number(float(known.df.min()), 0 if float(known.df.min()) % 1 == 0 else 1)
    return f"tests inverted, correlated t of {df} df, " + (f"clusters of {names}" if names else "units independent")


def gap_row(first: list[Row], second: list[Row], group: str) -> Row:
    """Difference of B_all corrected between two levels: names that both share make its interval longer than it needs
    to be.
    """
    one, two = first[1], second[1]
    fields = {"n": (one.n or 0.0) + (two.n or 0.0), "method": f"{one.method}; both intervals combined"}
    return with_both_intervals(Row(term=CORRECTED, group=group), one, two, **fields)


def overall_rows(
    found: Analysis, boot: Bootstrap | None, known: Estimates | str, errors: FloatArray, options: Options
) -> list[Row]:
    """Rows of B_all of all answers, with the interval that is asked for."""
    if mean_absolute(found) is None:
        return [Row(term=term, group=OVERALL, undefined=NEITHER) for term in (PLAIN, CORRECTED)]
    rows = size_rows(found, OVERALL, known, errors, options)
    if boot is None or isinstance(known, str):
        return rows
    bare = [replace(row, method=None, undefined=None) for row in rows]
    return with_resampled_size(bare, boot, options.level)


def single_cluster(found: Analysis, each: Sequence[Linear]) -> str:
    """Say that a bias rests on one level of a cluster, which cannot tell how others would differ."""
    for one in each:
        for factor in found.data.factors:
            if len(np.unique(factor.codes[one.touched > 0])) < 2:
                return f"a bias rests on a single {shorten(factor.name)}: no interval"
    return ""


def with_resampled_size(rows: list[Row], boot: Bootstrap, level: float) -> list[Row]:
    """Give both rows of B_all the bootstrap interval, and the bootstrap's standard error.

    Resamples of an absolute value lie too high. From below the interval is the basic one less the bootstrap's estimate
    of the bias, from above the percentile one: each end errs to the safe side, where an interval that is basic, or
    percentile, at both ends holds the truth too seldom. It is widened to hold both rows.
    """
    below, above = basic(boot, level=level), percentile(boot, level=level)
    held = [row.estimate for row in rows if row.estimate is not None]
    low, high = max(float(below.low[-1] - boot.bias[-1]), 0.0), min(float(above.high[-1]), MOST)
    low, high, sd = min(low, *held), max(high, *held), float(boot.std_error[-1])
    why = below.undefined[-1] or above.undefined[-1] or ("" if low < high else NO_WIDTH)
    fields: dict[str, Any] = {
        "std_error": sd if sd > 0 else None,
        "n_clusters": boot.units.n_clusters,
        "method": METHOD,
    }
    fields["std_error"] = sd if sd > 0 else None
    return [with_ends(row, low, high, level, why=why, **fields) for row in rows]


def null_row(found: Analysis, null: NoBias | str) -> Row:
    """Row of B_all without any bias: its mean (`estimate`), and the test (`statistic`: B_all)."""
    if isinstance(null, str):
        return Row(term=PLAIN, group=NULL, undefined=null)
    names = " x ".join(f.name for f in found.data.factors)
    who = f"clusters of {names}" if names else "units independent"
    return Row(term=PLAIN, group=NULL, estimate=null.null_mean, statistic=mean_absolute(found), df=null.df,
               p_value=null.p_value, n=answers_of(found),
               method=f"correlated t of the biases, {who}, {count(null.draws)} draws")  # fmt: skip


def flip_row_of_overall(found: Analysis, flipped: FlippedMean | str) -> Row:
    """Row of the test that the differences of scenarios are as likely as their negatives; `statistic` is B_all."""
    if isinstance(flipped, str):
        return Row(term=PLAIN, group=FLIP, undefined=flipped)
    how = f"{count(flipped.flips)} random flips" if flipped.flips else "exact"
    n = len(np.unique(found.data.answers.scenario))
    return Row(term=PLAIN, group=FLIP, statistic=flipped.observed, p_value=flipped.p_value, n=float(n),
               method=f"sign flip of scenarios, {how}")  # fmt: skip
