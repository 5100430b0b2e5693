"""The mean difference once more: scipy and statsmodels for t, clusters, Wilcoxon and sign flips."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import CR2, mean_error, unfloored_check
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import Vectors, vectors
from socialstats.crosscheck.resamples import RESAMPLED, Cells, mean_with_error, redrawn, resampled_checks, sampled_check
from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile, relative, same_p, tail_p
from socialstats.results import Check, FloatArray, Result, Row, Verification

CLOSED = "the same closed form in another order of arithmetic"
SIDES: dict[str, Any] = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
MOST_LISTED = 16
MOST_SIGNS = 6_000_000
NOISE = 16 * float(np.finfo(np.float64).eps)
IGNORING = "ignoring clusters"


def verify(result: Result) -> Verification:
    """Recompute difference, error, t, df, p, interval, and the tests beside them."""
    options = result.settings
    pairs = vectors(result.design, options["cluster"])
    if pairs is None:
        return Verification(checks=(skipped("difference", "scipy", "too many pairs to write out one by one"),))
    d = pairs.x - pairs.y
    checks = [near("difference", result.rows[0].estimate, float(np.mean(d)), "scipy")]
    checks += alone_checks(result, pairs) + clustered_checks(result, d, pairs)
    checks += rank_checks(result, d) + flip_checks(result, d, pairs) + row_checks(result, pairs)
    checks += bootstrap_checks(result)
    return Verification(checks=tuple(checks))


def skipped(quantity: str, package: str, note: str) -> Check:
    """A number that the peer does not have."""
    return Check(
        quantity=quantity, ours=None, theirs=None, package=package, version=version(package), tolerance=0.0, ok=None,
        note=note,
    )  # fmt: skip


def near(
    name: str, ours: float | None, theirs: float, package: str, why: str = CLOSED, relative: float = 1e-8
) -> Check:
    """Compare two numbers, to a tolerance relative to the larger of 1 and their size."""
    if ours is None and not np.isfinite(theirs):
        return skipped(name, package, "undefined on both sides")
    return compare(name, ours, theirs, package=package, tolerance=relative * max(1.0, abs(theirs)), why=why)


def alone_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare the t test of independent pairs with scipy's ttest_rel."""
    from scipy.stats import ttest_1samp, ttest_rel

    options, n = result.settings, len(pairs.x)
    row = next((r for r in result.rows if r.group == IGNORING and r.term == "difference"), result.rows[0])
    if row.statistic is None or (row is result.rows[0] and pairs.groups.shape[1]):
        return []
    alternative = SIDES[options["alternative"]]
    test: Any = (
        ttest_rel(pairs.x, pairs.y, alternative=alternative)
        if not options["null"]
        else ttest_1samp(pairs.x - pairs.y, options["null"], alternative=alternative)
    )
    checks = [
        near("t of independent pairs", row.statistic, float(test.statistic), "scipy"),
        near("df of independent pairs", row.df, float(n - 1), "scipy"),
        same_p("p of independent pairs", row.p_value, float(test.pvalue), "scipy", CLOSED),
    ]
    if row is not result.rows[0] or options["ci"] == "closed":
        ends = test.confidence_interval(options["level"])
        for name, ours, theirs in (("low", row.conf_low, ends.low), ("high", row.conf_high, ends.high)):
            checks.append(near(f"{name} of independent pairs", ours, float(theirs), "scipy"))
    return checks


def clustered_checks(result: Result, d: FloatArray, pairs: Vectors) -> list[Check]:
    """Compare clustered errors: CR1 by statsmodels, CR2 and two factors written out."""
    row, factors = result.rows[0], pairs.groups.shape[1]
    if not factors or row.std_error is None:
        return []
    if factors == 2:
        return crossed_checks(result, row, pairs)
    from statsmodels.regression.linear_model import OLS

    options = {"groups": pairs.groups[:, 0], "use_correction": True}
    cr1 = float(OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds=options).bse[0])
    error, df = mean_error(d, pairs.groups)
    return [
        near("s.e., CR1", result.extras["std_errors"].get("CR1"), cr1, "statsmodels"),
        near("s.e., CR2", row.std_error, error, "numpy", CR2),
        near("df, CR2", row.df, df, "scipy", CR2),
        *t_checks(result, row),
    ]


def t_checks(result: Result, row: Row) -> list[Check]:
    """Compare p and interval of the leading test with scipy's t distribution."""
    from scipy.stats import t as distribution

    options = result.settings
    assert row.estimate is not None
    assert row.std_error is not None
    assert row.df is not None
    t = (row.estimate - options["null"]) / row.std_error
    tails = {
        "two_sided": 2 * distribution.sf(abs(t), row.df), "greater": distribution.sf(t, row.df),
        "less": distribution.cdf(t, row.df),
    }  # fmt: skip
    checks = [same_p("p", row.p_value, float(tails[options["alternative"]]))]
    if options["ci"] == "closed" and options["alternative"] == "two_sided":
        ends = distribution.interval(options["level"], row.df, loc=row.estimate, scale=row.std_error)
        checks += [
            near("low", row.conf_low, float(ends[0]), "scipy"),
            near("high", row.conf_high, float(ends[1]), "scipy"),
        ]
    return checks


def rank_checks(result: Result, d: FloatArray) -> list[Check]:
    """Compare Wilcoxon's p with scipy's, as exact or normal as ours is."""
    from scipy.stats import wilcoxon

    row = result.row("wilcoxon")
    if row.p_value is None:
        return []
    design, null = result.design, result.settings["null"]
    size = max(np.abs(design.first).max(), np.abs(design.second).max(), abs(null))
    if np.ptp(d) < 1e5 * NOISE * size:
        return [skipped("Wilcoxon p", "scipy", "the differences are so small that scipy would rank rounding noise")]
    values = np.round(d - null, int(np.floor(-np.log10(NOISE * size))))  # scipy would rank rounding noise
    ours = result.extras["wilcoxon"]
    exact = "exact" in (row.method or "")
    theirs: Any = wilcoxon(
        values, zero_method="wilcox", correction=not exact, alternative=SIDES[result.settings["alternative"]],
        method="exact" if exact else "approx",
    )  # fmt: skip
    checks = [same_p("Wilcoxon p", row.p_value, float(theirs.pvalue), "scipy", CLOSED, 1e-7)]
    if ours["p_normal"] is not None:
        plain: Any = wilcoxon(
            values, zero_method="wilcox", correction=False, alternative=SIDES[result.settings["alternative"]],
            method="approx",
        )  # fmt: skip
        checks.append(same_p("Wilcoxon p, no correction", ours["p_normal"], float(plain.pvalue), "scipy", CLOSED, 1e-7))
    return checks


def on_grid(values: FloatArray) -> FloatArray:
    """Return decimals of at most six places as whole numbers, whose sums tie exactly; other values as they are."""
    for places in range(7):
        scaled = values * 10.0**places
        whole = np.round(scaled)
        if np.all(whole != 0) and np.all(np.abs(scaled - whole) <= 1e-9 * np.abs(scaled)):
            return whole
    return values


def flip_checks(result: Result, d: FloatArray, pairs: Vectors) -> list[Check]:
    """Compare the sign flips with scipy's permutation test: exactly when small, else by both Monte-Carlo errors."""
    from scipy.stats import permutation_test

    row, options = result.row("sign_flip"), result.settings
    if row.p_value is None:
        return []
    values = d - options["null"]
    if pairs.groups.shape[1]:
        values = np.bincount(pairs.groups[:, 0], values)
    values = on_grid(values[np.abs(values) > 1e-12 * np.abs(d).max()])
    if len(values) < 2:
        return [skipped("sign flips, p", "scipy", "scipy's permutation test needs two units that differ from null")]
    if len(values) > 5_000:
        return [skipped("sign flips, p", "scipy", "too many units for scipy's permutation test")]
    listed = len(values) <= MOST_LISTED
    draws = 2 ** len(values) if listed else max(5_000, min(100_000, MOST_SIGNS // len(values)))
    test: Any = permutation_test  # its type stubs leave out inf
    theirs = test(
        (values,), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=np.inf if listed else draws, batch=1000,
        alternative=SIDES[options["alternative"]], rng=np.random.default_rng(0),
    )  # fmt: skip
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
    whose = "both are Monte-Carlo" if draws and own else "scipy's is Monte-Carlo" if draws else "ours is Monte-Carlo"
    other = "" if draws and own else ", ours is exact" if draws else ", scipy lists all flips"
    why = f"{whose}{other}: five standard errors" + (", and 1/(B + 1) a side that scipy adds" if draws else "")
    tolerance = 5 * (error + own) + added
    note = f"p is below what {draws:,} draws tell from 0: checked is only that it is small" if tolerance > ours else ""
    return compare("sign flips, p", ours, theirs, package="scipy", tolerance=tolerance, why=why, note=note)


def bootstrap_checks(result: Result) -> list[Check]:
    """Compute the mean difference of every resample, and for studentized intervals its error, from its own pairs."""
    settings, design, row = result.settings, result.design, result.rows[0]
    if settings["ci"] not in RESAMPLED or (row.conf_low is None and row.conf_high is None):
        return []
    factors = design.factors(settings["cluster"])
    cells, d = Cells.of(design.count, [f.codes for f in factors]), design.first - design.second
    groups = factors[0].codes if factors else None
    statistic = mean_with_error(cells, d, groups if settings["ci"] == "studentized" and factors else None)
    drawn = redrawn(cells, statistic, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"])
    level = settings["level"] if settings["alternative"] == "two_sided" else 2 * settings["level"] - 1
    out = resampled_checks(row, drawn, settings["ci"], level, error=False)
    if drawn is None:
        return out
    from statsmodels.stats.weightstats import DescrStatsW

    def peer(times: FloatArray) -> float:
        return float(DescrStatsW(d, weights=times).mean)

    mine, seed = drawn.replicates[:, 0], settings["seed"]
    return out + sampled_check("difference", cells, mine, peer, seed=seed, package="statsmodels")


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
