"""Effect sizes recomputed: pingouin for d_z and d_av, scipy for r, Hedges' J and the noncentral t, resamples anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_difference import near, skipped
from socialstats.crosscheck.paired_tables import Vectors, vectors
from socialstats.crosscheck.resamples import (
    CLOSE,
    RESAMPLED,
    Cells,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.row_arithmetic import end_checks, field_checks, label
from socialstats.results import Check, Result, Row, Verification, as_published
from socialstats.results.peers import load_peer

PAIRED_CI = (
    "pingouin's compute_esci(paired=True) is no noncentral-t interval, and it rounds; "
    "its g uses another d and J"
)
TERMS = ("d_z", "d_av", "d_rm")
ROUNDING = 1e-12
MOST_LEFT_OUT = 2000
MANY = "too many pairs to leave each out in turn"
CLOSED = ("noncentral_t", "jackknife", "outer_ends")  # intervals without resamples
LEFT = "sizes without each pair (cluster), computed from its values again"
HALF_DIGITS = 1e-6  # the root of 1 - r, where r is near 1


def verify(result: Result) -> Verification:
    """Recompute the sizes from data or summary numbers, and put the ends of d_z back into the noncentral t."""
    pairs = vectors(result.design, None) if result.design is not None else None
    checks = data_checks(result, pairs) if pairs is not None else summary_checks(result)
    drawn = bootstrap_checks(result) if result.design is not None else []
    return Verification(checks=(*checks, *gamma_checks(result), *interval_checks(result), *drawn))


def data_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare d_z and d_av with pingouin, d_z and d_rm with scipy's t and correlation."""
    from scipy.stats import pearsonr, ttest_rel

    d, rows = pairs.x - pairs.y, {r.term: r for r in result.rows}
    checks = pingouin_checks(rows, pairs)
    if rows["d_z"].estimate is not None:
        test: Any = ttest_rel(pairs.x, pairs.y)
        checks.append(
            near(
                "d_z from t",
                rows["d_z"].estimate,
                float(test.statistic) / math.sqrt(len(d)),
                "scipy",
            )
        )
    if rows["d_rm"].estimate is not None:
        r = float(pearsonr(pairs.x, pairs.y).statistic)
        theirs = float(d.mean() / d.std(ddof=1) * math.sqrt(2 * (1 - r)))
        why = "the root of 1 - r keeps half the digits where r is near 1"
        size = HALF_DIGITS * max(1.0, abs(rows["d_z"].estimate or 0.0))
        checks.append(near("d_rm", rows["d_rm"].estimate, theirs, "scipy", why, relative=size))
    return checks


def pingouin_checks(rows: Mapping[str, Row], pairs: Vectors) -> list[Check]:
    """Compare d_z and d_av with pingouin, whose d_av has no sign."""
    shown = {name: ours for name in ("d_z", "d_av") if (ours := rows[name].estimate) is not None}
    compute_effsize = load_peer("pingouin", "compute_effsize")

    sign = float(np.mean(pairs.x - pairs.y))
    checks = []
    for name, ours in shown.items():
        kind = {"d_z": "cohen_dz", "d_av": "cohen"}[name]
        theirs = float(compute_effsize(pairs.x, pairs.y, paired=True, eftype=kind))
        signed = math.copysign(theirs, sign) if name == "d_av" and theirs else theirs
        checks.append(near(name, ours, signed, "pingouin"))
    return checks


def summary_checks(result: Result) -> list[Check]:
    """Recompute sizes from the summary numbers that were given."""
    s = result.extras["summary"]
    found = {"d_z": None if s.t is None else s.t / math.sqrt(s.n), "d_av": None, "d_rm": None}
    if s.mean is not None and s.sd_first is not None and s.sd_second is not None:
        found["d_av"] = s.mean / float(np.sqrt(np.mean(np.square([s.sd_first, s.sd_second]))))
        if s.r is not None and s.t is not None:
            scale = math.sqrt(s.sd_first**2 + s.sd_second**2 - 2 * s.r * s.sd_first * s.sd_second)
            found["d_rm"] = s.mean / scale * math.sqrt(2 * (1 - s.r))
    checks = []
    for row in result.rows:
        theirs = found.get(row.term)
        if theirs is not None and row.estimate is not None:
            checks.append(near(row.term, row.estimate, theirs, "numpy", relative=1e-6))
    return checks


def hedges(df: float) -> float:
    """Hedges' correction by scipy's gamma function."""
    from scipy.special import gammaln

    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))


def gamma_checks(result: Result) -> list[Check]:
    """Compare g_z with Hedges' correction by scipy's gamma function."""
    row, s = result.row("g_z"), result.extras["summary"]
    if row.estimate is None:
        return []
    return [near("g_z", row.estimate, hedges(s.n - 1) * s.t / math.sqrt(s.n), "scipy")]


def interval_checks(result: Result) -> list[Check]:
    """Compare the intervals without resamples: noncentral t, jackknife t, or the wider limits of both."""
    s, design, level = result.extras["summary"], result.design, result.settings["level"]
    factors = design.factors(result.settings["cluster"]) if design is not None else ()
    known = [row for row in result.rows if row.interval in CLOSED]
    needed = any(row.interval != "noncentral_t" for row in known) and len(factors) < 2
    sizes = left_out(design, factors[0].codes if factors else None) if needed else None
    out = [skipped("interval of d_z", "pingouin", PAIRED_CI)] if known else []
    for row in known:
        j = hedges(s.n - 1) if row.term == "g_z" else 1.0
        at = TERMS.index("d_z" if row.term == "g_z" else row.term)
        if row.interval != "noncentral_t" and sizes is None:
            out += too_many(row)
            continue
        error, df, *jack = jackknife_t(*sizes, at, level) if sizes is not None else (math.nan,) * 4
        out += field_checks(row, "numpy", LEFT, 1e-6, std_error=j * error, df=df)
        if row.interval == "jackknife":
            out += end_checks(row, j * jack[0], j * jack[1], "scipy", LEFT, 1e-6)
        else:
            ends = (math.nan, math.nan)
            if row.interval != "noncentral_t":
                gaps = np.repeat(design.first - design.second, design.count.astype(np.int64))
                ends = short_of_zero((jack[0], jack[1]), s.t, gaps, level)
            out += hull_checks(row, s.t, s.n, ends, level, factor=j)
    return out


def hull_checks(
    row: Row, t: float, n: float, jack: tuple[float, float], level: float, *, factor: float = 1.0
) -> list[Check]:
    """Compare each end with the jackknife's, or (where the noncentral t reaches further) put it into scipy's.

    Parameters
    ----------
    row : Row
    t, n : float
        mean / (sd / sqrt(n)), and values.
    jack : pair of float
        Ends of the jackknife t interval of d_z; not a number where there is none.
    level : float
    factor : float
        The row's number over d_z (Hedges' J).
    """
    from scipy.stats import nct

    if row.conf_low is None or row.conf_high is None:
        return []
    tail, out = (1 - level) / 2, []
    wide = (row.conf_high - row.conf_low) / factor
    for which, shown, other, want in (
        ("low", row.conf_low, jack[0], 1 - tail),
        ("high", row.conf_high, jack[1], tail),
    ):
        # P(T <= t | c) = 1 - P(T <= -t | -c): scipy is better for t >= 0
        sign, end, outward = (
            1.0 if t >= 0 else -1.0,
            shown / factor,
            -1.0 if which == "low" else 1.0,
        )
        share = float(nct.cdf(abs(t), n - 1, sign * end * math.sqrt(n)))
        if math.isnan(share) and sign * end < 0:  # scipy has none far out; it is no less than at 0
            share = float(nct.cdf(abs(t), n - 1, 0.0))
        share = share if sign > 0 else 1 - share
        further = outward * (other - end) > 1e-6 * wide
        close = abs(end - other) <= 1e-6 * wide and outward * (want - share) >= -1e-6
        if (
            further or close
        ):  # the jackknife's end; where it is that, the noncentral t must not reach further
            out.append(near(label(row, which), shown, other * factor, "scipy", LEFT, relative=1e-6))
            continue
        why = "P(T <= t) at this end of d_z, against its tail"
        out.append(
            near(
                label(row, f"{which}: tail"),
                as_published(want, shown),
                share,
                "scipy",
                why,
                relative=1e-6,
            )
        )
    return out


def too_many(row: Row) -> list[Check]:
    """State that an interval was not compared."""
    shown = {"low": row.conf_low, "high": row.conf_high, "s.e.": row.std_error, "df": row.df}
    return [
        compare(label(row, name), ours, None, package="numpy", tolerance=0.0, why=LEFT, note=MANY)
        for name, ours in shown.items()
    ]


def d_z_checks(row: Row, values: FloatArray, level: float) -> list[Check]:
    """Compare the ends of d_z of single values, which `hull_checks` describes."""
    n, ones, zeros = len(values), np.ones(len(values)), np.zeros(len(values))
    if n > MOST_LEFT_OUT:
        return too_many(row)
    left = values[
        np.argwhere(~np.eye(n, dtype=bool))[:, 1].reshape(n, n - 1)
    ]  # (n, n - 1): without each value
    moves = np.ptp(left, axis=1) > ROUNDING * np.abs(left).max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.where(moves, left.mean(axis=1) / left.std(axis=1, ddof=1), np.nan)[:, None]
    jack = jackknife_t(sizes_of(values, zeros, ones), sizes, ones, 0, level)[2:]
    if row.interval == "jackknife":
        return end_checks(row, *jack, "scipy", LEFT, 1e-6)
    t = float(values.mean() / values.std(ddof=1)) * math.sqrt(n)
    return hull_checks(row, t, n, short_of_zero(jack, t, values, level), level)


def short_of_zero(
    jack: tuple[float, float], t: float, values: FloatArray, level: float
) -> tuple[float, float]:
    """Return the jackknife's ends; one beyond 0 on the log scale, if the long tail is on the side of a t that rejects.

    Parameters
    ----------
    jack : pair of float
    t : float
    values : (n,) float64 array
        Differences, one for each pair.
    level : float
    """
    from scipy.stats import t as distribution

    rejects = abs(t) > distribution.ppf((1 + level) / 2, len(values) - 1)
    if not (rejects and jack[0] <= 0 <= jack[1]):
        return jack
    size = t / math.sqrt(len(values))
    inner = size * math.exp(-(jack[1] - jack[0]) / 2 / abs(size))
    return (inner, jack[1]) if t > 0 else (jack[0], inner)


def left_out(design: Any, groups: Any) -> tuple[list[float], FloatArray, FloatArray] | None:
    """Sizes of all pairs, (units, 3) sizes without each pair (cluster), and how many alike units each is.

    None for too many pairs to compute them one by one.
    """
    if len(design.count) > MOST_LEFT_OUT:
        return None
    places = range(len(design.count)) if groups is None else np.unique(groups)
    rows, copies = [], []
    for place in places:
        times = design.count.copy()
        if groups is None:
            times[place] -= 1
        else:
            times[groups == place] = 0
        copies.append(design.count[place] if groups is None else 1.0)
        rows.append(sizes_of(design.first, design.second, times))
    return sizes_of(design.first, design.second, design.count), np.array(rows), np.array(copies)


def jackknife_t(
    whole: list[float], sizes: FloatArray, copies: FloatArray, at: int, level: float
) -> tuple[float, float, float, float]:
    """Standard error, df and ends of one size by the jackknife; the df from scipy's kurtosis.

    The variance of a variance is V^2 (2/(n - 1) + g/n) with excess kurtosis g; that of chi-square, 2 V^2 / df.
    """
    from scipy.stats import kurtosis
    from scipy.stats import t as distribution

    written = np.repeat(sizes[:, at], copies.astype(np.int64))
    n = len(written)
    if not np.ptp(written) > 0:
        return (math.nan,) * 4
    error = math.sqrt((n - 1) * float(np.var(written)))
    spread = 2 / (n - 1) + float(kurtosis(written)) / n
    df = min(max(2 / spread, 1.0), n - 1.0)
    reach = float(distribution.ppf((1 + level) / 2, df)) * error
    return error, df, whole[at] - reach, whole[at] + reach


def bootstrap_checks(result: Result) -> list[Check]:
    """Compute the sizes of every resample from its own means, variances and correlation."""
    shown = {row.term: row for row in result.rows if row.interval in RESAMPLED}
    if not shown:
        return []
    design, settings = result.design, result.settings
    cells = Cells.of(design.count, [f.codes for f in design.factors(settings["cluster"])])
    ci = str(next(iter(shown.values())).interval)

    def sizes(times: FloatArray) -> list[float]:
        return sizes_of(design.first, design.second, times)

    drawn = redrawn(
        cells, sizes, ci=ci, resamples=settings["resamples"], seed=settings["seed"], cost=8.0
    )
    out = []
    for term, row in shown.items():
        column, j = (
            TERMS.index("d_z" if term == "g_z" else term),
            hedges(row.n - 1) if term == "g_z" and row.n else 1.0,
        )
        close = HALF_DIGITS if term == "d_rm" else CLOSE
        out += resampled_checks(
            row, drawn, ci, settings["level"], column=column, factor=j, close=close
        )
    if drawn is not None:
        for column, kind in ((0, "cohen_dz"), (1, "cohen")):
            peer = peer_of(design.first, design.second, kind)
            name, seed = TERMS[column], settings["seed"]
            out += sampled_check(
                name, cells, drawn.replicates[:, column], peer, seed=seed, package="pingouin"
            )
    return out


def sizes_of(x: FloatArray, y: FloatArray, times: FloatArray) -> list[float]:
    """d_z, d_av and d_rm of values taken so many times; NaN where values that are taken do not vary."""
    here = times > 0
    x, y, n = x[here], y[here], times[here].astype(np.int64)
    if n.sum() < 2:
        return [math.nan] * 3
    d = x - y
    least = ROUNDING * float(max(np.abs(x).max(), np.abs(y).max()))
    (v1, cov), (_, v2) = np.cov(x, y, fweights=n)
    mean = float(np.average(d, weights=n))
    d_z = mean / math.sqrt(float(np.cov(d, fweights=n))) if np.ptp(d) > least else math.nan
    moves = [float(np.ptp(values)) > least for values in (x, y)]
    d_av = mean / math.sqrt((v1 + v2) / 2) if any(moves) else math.nan
    r = float(np.clip(cov / math.sqrt(v1 * v2), -1, 1)) if all(moves) else math.nan
    return [d_z, d_av, d_z * math.sqrt(2 * (1 - r))]


def peer_of(x: FloatArray, y: FloatArray, kind: str) -> Any:
    """pingouin's effect size of the rows of a resample, with the sign of the mean difference."""
    compute_effsize = load_peer("pingouin", "compute_effsize")

    def size(times: FloatArray) -> float:
        rows = np.repeat(np.arange(len(x)), times.astype(np.int64))
        found = float(compute_effsize(x[rows], y[rows], paired=True, eftype=kind))
        return (
            math.copysign(found, float(np.mean(x[rows] - y[rows])))
            if kind == "cohen" and found
            else found
        )

    return size
