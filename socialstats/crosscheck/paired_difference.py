"""The mean difference recomputed: scipy and statsmodels for t, clusters, Wilcoxon and sign flips."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck import weights
from socialstats.crosscheck.clusters import CR2, errors_of_mean, mean_error, unfloored_check
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import CLOSED, Vectors, set_aside, vectors
from socialstats.crosscheck.resamples import (
    RESAMPLED,
    Cells,
    mean_with_error,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    inner_level,
    label,
    relative,
    same_p,
    wald_checks,
)
from socialstats.results import Check, Result, Verification
from socialstats.results.peers import load_peer

SIDES: dict[str, Any] = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
MOST_LISTED = 16
MOST_SIGNS = 6_000_000
NOISE = 16 * float(np.finfo(np.float64).eps)
RANKS = "sums of mid-ranks with binomial numbers of positive ones; scipy's exact test has no ties"
IGNORING, ALIKE = "ignoring clusters", "clusters weighing alike"


def verify(result: Result) -> Verification:
    """Recompute difference, error, t, df, p, interval, and the tests beside them."""
    if result.design.weighted:
        return weights.paired(result)
    pairs = vectors(result.design, result.settings["cluster"])
    if pairs is None:
        return Verification(
            checks=(skipped("difference", "scipy", "too many pairs to write out one by one"),)
        )
    d = pairs.x - pairs.y
    return Verification(
        checks=(
            *(clustered_checks(result, d, pairs.groups) if pairs.groups.shape[1] else ()),
            *t_checks(result, d, pairs.groups),
            *rank_checks(result, pairs.x, pairs.y),
            *flip_checks(result, d, pairs),
            *summaries(result, pairs),
            *bootstrap_checks(result),
        )
    )


def skipped(quantity: str, package: str, note: str) -> Check:
    """A number that the peer does not have."""
    return set_aside(quantity, None, None, package, note)


def near(
    name: str,
    ours: float | None,
    theirs: float,
    package: str,
    why: str = CLOSED,
    relative: float = 1e-8,
) -> Check:
    """Compare two numbers, to a tolerance relative to the larger of 1 and their size."""
    if ours is None and not np.isfinite(theirs):
        return skipped(name, package, "undefined on both sides")
    return compare(
        name, ours, theirs, package=package, tolerance=relative * max(1.0, abs(theirs)), why=why
    )


def clustered_checks(result: Result, d: FloatArray, groups: Any) -> list[Check]:
    """Compare the leading row of clustered pairs: CR1 by statsmodels, CR2 and two factors written out."""
    row, options, mean = result.rows[0], result.settings, float(d.mean())
    scale = float(max(np.abs(result.design.first).max(), np.abs(result.design.second).max()))
    out = [relative(label(row), row.estimate, mean, "numpy", CLOSED, size=scale)]
    if row.std_error is None:
        return out
    error, df = mean_error(d, groups)
    out += field_checks(row, "numpy", CR2, std_error=error)
    out += wald_checks(
        row,
        options["level"],
        mean,
        error,
        df,
        null=options["null"],
        alternative=options["alternative"],
        ends=options["ci"] == "closed",
        why=CR2,
    )
    if "unfloored_std_error" in result.extras:
        errors = errors_of_mean(d, groups)
        out.append(unfloored_check(result.extras["unfloored_std_error"], errors))
    if groups.shape[1] == 1:
        OLS = load_peer("statsmodels.regression.linear_model", "OLS")

        settings = {"groups": groups[:, 0], "use_correction": True}
        cr1 = float(OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds=settings).bse[0])
        out.append(near("s.e., CR1", result.extras["std_errors"].get("CR1"), cr1, "statsmodels"))
    return out


def t_checks(result: Result, d: FloatArray, groups: Any) -> list[Check]:
    """Compare the t tests of independent pairs, and of the means of clusters by pandas, with scipy's."""
    import pandas as pd
    from scipy.stats import ttest_1samp

    options, out = result.settings, []
    scale = float(max(np.abs(result.design.first).max(), np.abs(result.design.second).max()))
    for row in (row for row in result.rows if row.term == "difference"):
        if row.group == ALIKE:
            values, why = (
                pd.Series(d).groupby(groups[:, 0]).mean().to_numpy(),
                "a t test of the means by pandas",
            )
        elif row.group == IGNORING or (row.group is None and not groups.shape[1]):
            values, why = d, CLOSED
        else:
            continue
        out.append(
            relative(label(row), row.estimate, float(values.mean()), "numpy", why, size=scale)
        )
        if row.std_error is None:
            continue
        test: Any = ttest_1samp(values, options["null"], alternative=SIDES[options["alternative"]])
        error = float(values.std(ddof=1) / math.sqrt(len(values)))
        theirs = {"std_error": error, "statistic": float(test.statistic), "df": float(test.df)}
        out += field_checks(row, "scipy", why, p_value=float(test.pvalue), **theirs)
        if row.group is not None or options["ci"] == "closed":
            low, high = test.confidence_interval(options["level"])
            out += end_checks(row, float(low), float(high), "scipy", why, least=error)
    return out


def rank_checks(result: Result, x: FloatArray, y: FloatArray) -> list[Check]:
    """Compare Wilcoxon's p with scipy's, as exact or normal as ours is, and the sum of the positive ranks."""
    from scipy.stats import rankdata

    row, d, null = result.row("wilcoxon"), x - y, result.settings["null"]
    if row.p_value is None:
        return []
    sizes = np.max([np.abs(x), np.abs(y), np.full(len(d), abs(null))], axis=0)
    scale, values = float(sizes.max()), without_rounding(d - null, sizes)
    kept = values[values != 0]
    theirs = float(rankdata(np.abs(kept))[kept > 0].sum())
    out = [relative(label(row, "V"), row.statistic, theirs, "scipy", CLOSED, size=1.0)]
    if np.ptp(d) < 1e5 * NOISE * scale:
        note = "the differences are so small that scipy would rank rounding noise"
        return [*out, skipped("Wilcoxon p", "scipy", note)]
    side = result.settings["alternative"]
    plain = scipy_rank_p(values, side, "approx", corrected=False)
    out.append(
        same_p(
            "Wilcoxon p, no correction",
            result.extras["wilcoxon"]["p_normal"],
            plain,
            "scipy",
            CLOSED,
            1e-7,
        )
    )
    if row.test != "exact_signed_rank":
        theirs = scipy_rank_p(values, side, "approx", corrected=True)
        return [*out, same_p("Wilcoxon p", row.p_value, theirs, "scipy", CLOSED, 1e-7)]
    if len(np.unique(np.abs(kept))) == len(kept):
        theirs = scipy_rank_p(values, side, "exact", corrected=False)
        return [*out, same_p("Wilcoxon p", row.p_value, theirs, "scipy", CLOSED, 1e-7)]
    return [*out, same_p("Wilcoxon p", row.p_value, exact_rank_p(kept, side), "numpy", RANKS, 1e-7)]


def without_rounding(d: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return differences of numbers of these sizes in twelve digits of the numbers: those that tie are then equal."""
    unit = 10.0 ** (np.floor(np.log10(np.where(sizes > 0, sizes, 1.0))) - 12)
    return np.array([float(f"{x:.12g}") for x in (np.round(d / unit) * unit).tolist()])


def scipy_rank_p(
    values: FloatArray, side: str, method: Literal["exact", "approx"], *, corrected: bool
) -> float:
    """Return scipy's p-value of Wilcoxon's test, zeros left out."""
    from scipy.stats import wilcoxon

    found: Any = wilcoxon(
        values, zero_method="wilcox", correction=corrected, alternative=SIDES[side], method=method
    )
    return float(found.pvalue)


def exact_rank_p(d: FloatArray, alternative: str) -> float:
    """Return the p-value of the sum of positive mid-ranks, from its distribution over all patterns of signs.

    Differences of one size have one mid-rank, and a binomial number of them is positive. Doubled ranks are whole.

    Examples
    --------
    >>> exact_rank_p(np.array([1.0, 1, 1, 1, 2]), "two_sided")
    0.0625
    """
    from scipy.stats import binom, rankdata

    doubled = np.round(2 * rankdata(np.abs(d))).astype(np.int64)
    doubled //= np.gcd.reduce(doubled)
    chance = np.ones(1)
    for rank, times in zip(*np.unique(doubled, return_counts=True), strict=True):
        wider = np.zeros(len(chance) + int(rank * times))
        for positive in range(int(times) + 1):
            start = int(positive * rank)
            wider[start : start + len(chance)] += binom.pmf(positive, times, 0.5) * chance
        chance = wider
    seen = int(doubled[d > 0].sum())
    above, below = float(chance[seen:].sum()), float(chance[: seen + 1].sum())
    if alternative == "two_sided":
        return min(1.0, 2 * min(above, below))
    return above if alternative == "greater" else below


ROUNDED = (
    4.5e-16  # what rounding can leave of a difference of two numbers, as a share of the larger
)
STEP = 1e-3  # the largest noise of values, in steps of a grid, at which the grid is told


def on_grid(values: FloatArray, noise: FloatArray) -> FloatArray:
    """Return decimals of at most six places as whole numbers, whose sums tie exactly; other values as they are."""
    for places in range(7):
        scaled = values * 10.0**places
        whole = np.round(scaled)
        left = np.minimum(noise * 10.0**places, STEP)
        if np.all(whole != 0) and np.all(
            np.abs(scaled - whole) <= np.maximum(1e-9 * np.abs(scaled), left)
        ):
            return whole
    return values


def flip_checks(result: Result, d: FloatArray, pairs: Vectors) -> list[Check]:
    """Compare the sign flips with scipy's permutation test: exactly when small, else by both Monte-Carlo errors."""
    from scipy.stats import permutation_test

    row, options = result.row("sign_flip"), result.settings
    if row.p_value is None:
        return []
    values, noise = d - options["null"], ROUNDED * np.maximum(np.abs(pairs.x), np.abs(pairs.y))
    if pairs.groups.shape[1]:
        values, noise = (
            np.bincount(pairs.groups[:, 0], column).astype(float) for column in (values, noise)
        )
    kept = np.abs(values) > np.maximum(1e-12 * np.abs(d).max(), noise)
    values = on_grid(values[kept], noise[kept])
    if len(values) < 2:
        return [
            skipped(
                "sign flips, p",
                "scipy",
                "scipy's permutation test needs two units that differ from null",
            )
        ]
    if len(values) > 5_000:
        return [skipped("sign flips, p", "scipy", "too many units for scipy's permutation test")]
    listed = len(values) <= MOST_LISTED
    draws = 2 ** len(values) if listed else max(5_000, min(100_000, MOST_SIGNS // len(values)))
    test: Any = permutation_test  # its type stubs leave out inf
    theirs = test(
        (values,),
        lambda x, axis: np.sum(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf if listed else draws,
        batch=1000,
        alternative=SIDES[options["alternative"]],
        rng=np.random.default_rng(0),
    )
    p = float(theirs.pvalue)
    if listed and not result.extras["flip_error"]:
        return [near("sign flips, p", row.p_value, p, "scipy", "both list all sign flips")]
    return [flip_check(row.p_value, p, 0 if listed else draws, result)]


def flip_check(ours: float, theirs: float, draws: int, result: Result) -> Check:
    """Compare p of sign flips, one or both of which are random; scipy lists all where `draws` is 0."""
    # scipy doubles the smaller tail of a two-sided test: twice the error of that tail
    sides = 2 if result.settings["alternative"] == "two_sided" else 1
    own, error, added = result.extras["flip_error"] or 0.0, 0.0, 0.0
    if draws:
        tail = max(ours / sides, 1 / draws)
        error, added = sides * float(np.sqrt(tail * (1 - tail) / draws)), sides / (draws + 1)
    whose = (
        "both are Monte-Carlo"
        if draws and own
        else "scipy's is Monte-Carlo"
        if draws
        else "ours is Monte-Carlo"
    )
    other = "" if draws and own else ", ours is exact" if draws else ", scipy lists all flips"
    why = f"{whose}{other}: five standard errors" + (
        ", and 1/(B + 1) a side that scipy adds" if draws else ""
    )
    tolerance = 5 * (error + own) + added
    note = (
        f"p is below what {draws:,} draws tell from 0: checked is only that it is small"
        if tolerance > ours
        else ""
    )
    return compare(
        "sign flips, p", ours, theirs, package="scipy", tolerance=tolerance, why=why, note=note
    )


def bootstrap_checks(result: Result) -> list[Check]:
    """Compute the mean difference of every resample, and for studentized intervals its error, from its own pairs."""
    settings, design, row = result.settings, result.design, result.rows[0]
    if settings["ci"] not in RESAMPLED or (row.conf_low is None and row.conf_high is None):
        return []
    factors = design.factors(settings["cluster"])
    cells, d = Cells.of(design.count, [f.codes for f in factors]), design.first - design.second
    groups = factors[0].codes if factors else None
    statistic = mean_with_error(
        cells, d, groups if settings["ci"] == "studentized" and factors else None
    )
    drawn = redrawn(
        cells, statistic, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"]
    )
    level = inner_level(settings)
    out = resampled_checks(row, drawn, settings["ci"], level, error=False)
    if drawn is None:
        return out
    DescrStatsW = load_peer("statsmodels.stats.weightstats", "DescrStatsW")

    def peer(times: FloatArray) -> float:
        return float(DescrStatsW(d, weights=times).mean)

    mine, seed = drawn.replicates[:, 0], settings["seed"]
    return out + sampled_check("difference", cells, mine, peer, seed=seed, package="statsmodels")


def summaries(result: Result, pairs: Vectors) -> list[Check]:
    """Means and standard deviations by numpy, the correlation by scipy, and what signs are flipped for."""
    from scipy.stats import pearsonr

    null, out = result.settings["null"], []
    d, size = pairs.x - pairs.y, float(np.abs([pairs.x, pairs.y]).max())
    for group in ("mean", "sd"):
        columns = [
            *zip(result.design.conditions, (pairs.x, pairs.y), strict=True),
            ("difference", d),
        ]
        for row, (name, x) in zip(
            (r for r in result.rows if r.group == group), columns, strict=False
        ):
            ours = row.estimate if row.term == name else None
            theirs = float(x.mean() if group == "mean" else x.std(ddof=1))
            out.append(relative(label(row), ours, theirs, "numpy", CLOSED, size=size))
    r, row = result.row("r"), result.row("sign_flip")
    if r.estimate is not None:
        out.append(
            relative(
                label(r),
                r.estimate,
                float(pearsonr(pairs.x, pairs.y).statistic),
                size=1.0,
                why=CLOSED,
            )
        )
    if row.statistic is not None:
        theirs = float((d - null).mean())
        most = max(size, abs(null))
        out.append(
            relative(label(row, "statistic"), row.statistic, theirs, "numpy", CLOSED, size=most)
        )
    return out
