"""Effect sizes once more: pingouin for d_z and d_av, scipy for r, Hedges' J and the noncentral t, resamples anew."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.bootstrap import CLOSE, RESAMPLED, redrawn, resampled_checks, sampled_check
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.pair_table import Vectors, vectors
from socialstats.crosscheck.paired_difference import near, skipped
from socialstats.crosscheck.row_arithmetic import end_checks
from socialstats.results import Check, FloatArray, Result, Row, Verification, marked

PAIRED_CI = (
    "pingouin's compute_esci(paired=True) is no noncentral-t interval, and it rounds; its g uses another d and J"
)
TERMS = ("d_z", "d_av", "d_rm")
ROUNDING = 1e-12
HALF_DIGITS = 1e-6  # the root of 1 - r, where r is near 1


def verify(result: Result) -> Verification:
    """Recompute the sizes from data or summary numbers, and put the ends of d_z back into the noncentral t."""
    pairs = vectors(result.design, None) if result.design is not None else None
    checks = data_checks(result, pairs) if pairs is not None else summary_checks(result)
    drawn = bootstrap_checks(result) if result.design is not None else []
    return Verification(checks=(*checks, *gamma_checks(result), *interval_checks(result), *drawn))


def data_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare d_z and d_av with pingouin, d_rm with scipy's correlation."""
    from pingouin import compute_effsize
    from scipy.stats import pearsonr, ttest_rel

    d, rows = pairs.x - pairs.y, {r.term: r for r in result.rows}
    checks = []
    if rows["d_z"].estimate is not None:
        theirs = float(compute_effsize(pairs.x, pairs.y, paired=True, eftype="cohen_dz"))
        checks.append(near("d_z", rows["d_z"].estimate, theirs, "pingouin"))
        test: Any = ttest_rel(pairs.x, pairs.y)
        checks.append(near("d_z from t", rows["d_z"].estimate, float(test.statistic) / math.sqrt(len(d)), "scipy"))
    if rows["d_av"].estimate is not None:
        theirs = float(compute_effsize(pairs.x, pairs.y, paired=True, eftype="cohen"))
        signed = math.copysign(theirs, float(d.mean())) if theirs else theirs
        checks.append(near("d_av", rows["d_av"].estimate, signed, "pingouin"))
    if rows["d_rm"].estimate is not None:
        r = float(pearsonr(pairs.x, pairs.y).statistic)
        theirs = float(d.mean() / d.std(ddof=1) * math.sqrt(2 * (1 - r)))
        why = "the root of 1 - r keeps half the digits where r is near 1"
        size = HALF_DIGITS * max(1.0, abs(rows["d_z"].estimate or 0.0))
        checks.append(near("d_rm", rows["d_rm"].estimate, theirs, "scipy", why, relative=size))
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
    """Put the ends of d_z and g_z into scipy's noncentral t distribution, where they are from it."""
    from scipy.stats import nct

    row: Row = result.row("d_z")
    if row.conf_low is None or row.conf_high is None or row.method != "noncentral t":
        return []
    s, tail = result.extras["summary"], (1 - result.settings["level"]) / 2
    checks = [skipped("interval of d_z", "pingouin", PAIRED_CI)]
    for name, end, want in (("low", row.conf_low, 1 - tail), ("high", row.conf_high, tail)):
        # P(T <= t | c) = 1 - P(T <= -t | -c): scipy is better for t >= 0
        sign = 1.0 if s.t >= 0 else -1.0
        share = float(nct.cdf(abs(s.t), s.n - 1, sign * end * math.sqrt(s.n)))
        share = share if sign > 0 else 1 - share
        why = "P(T <= t) at this end of d_z, against its tail"
        checks.append(near(f"d_z, {name}: tail", marked(want, end), share, "scipy", why, relative=1e-7))
    g = result.row("g_z")
    if g.conf_low is not None and g.conf_high is not None and g.method == row.method:
        j = hedges(s.n - 1)
        checks += end_checks(g, j * row.conf_low, j * row.conf_high, "scipy", "Hedges' J times the ends of d_z")
    return checks


def bootstrap_checks(result: Result) -> list[Check]:
    """Compute the sizes of every resample from its own means, variances and correlation."""
    shown = {r.term: r for r in result.rows if r.method and r.method.split(" ")[0].lower() in RESAMPLED}
    if not shown or not any(r.std_error is not None or r.conf_low is not None for r in shown.values()):
        return []
    design, settings = result.design, result.settings
    cells = Cells.of(design.count, [f.codes for f in design.factors(settings["cluster"])])
    ci = str(next(iter(shown.values())).method).split(" ")[0].lower()

    def sizes(times: FloatArray) -> list[float]:
        return sizes_of(design.first, design.second, times)

    drawn = redrawn(cells, sizes, ci=ci, resamples=settings["resamples"], seed=settings["seed"], cost=8.0)
    out = []
    for term, row in shown.items():
        column, j = TERMS.index("d_z" if term == "g_z" else term), hedges(row.n - 1) if term == "g_z" and row.n else 1.0
        close = HALF_DIGITS if term == "d_rm" else CLOSE
        out += resampled_checks(row, drawn, ci, settings["level"], column=column, factor=j, close=close)
    if drawn is not None:
        for column, kind in ((0, "cohen_dz"), (1, "cohen")):
            peer = peer_of(design.first, design.second, kind)
            name, seed = TERMS[column], settings["seed"]
            out += sampled_check(name, cells, drawn.replicates[:, column], peer, seed=seed, package="pingouin")
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
    from pingouin import compute_effsize

    def size(times: FloatArray) -> float:
        rows = np.repeat(np.arange(len(x)), times.astype(np.int64))
        found = float(compute_effsize(x[rows], y[rows], paired=True, eftype=kind))
        return math.copysign(found, float(np.mean(x[rows] - y[rows]))) if kind == "cohen" and found else found

    return size
