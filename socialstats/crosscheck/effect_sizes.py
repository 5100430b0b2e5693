"""Effect sizes once more: pingouin for d_z and d_av, scipy for r, Hedges' J and the noncentral t."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.pair_table import Vectors, vectors
from socialstats.crosscheck.paired_difference import near, skipped
from socialstats.crosscheck.row_arithmetic import end_checks
from socialstats.models.effect_sizes import Summary
from socialstats.results import Check, Result, Row, Verification

PAIRED_CI = (
    "pingouin's compute_esci(paired=True) is no noncentral-t interval, and it rounds; its g uses another d and J"
)
DRAWN = "no package has this interval for these units; the engine is checked against R's boot in the tests"


def verify(result: Result) -> Verification:
    """Recompute the sizes from data or summary numbers, and put the ends of d_z back into the noncentral t."""
    pairs = vectors(result.design, None) if result.design is not None else None
    checks = data_checks(result, pairs) if pairs is not None else summary_checks(result)
    return Verification(checks=(*checks, *gamma_checks(result), *interval_checks(result)))


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
        size = 1e-6 * max(1.0, abs(rows["d_z"].estimate or 0.0))
        checks.append(near("d_rm", rows["d_rm"].estimate, theirs, "scipy", why, relative=size))
    return checks


def summary_checks(result: Result) -> list[Check]:
    """Recompute sizes from the summary numbers that were given."""
    s: Summary = result.extras["summary"]
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


def gamma_checks(result: Result) -> list[Check]:
    """Compare g_z with Hedges' correction by scipy's gamma function."""
    from scipy.special import gammaln

    row, s = result.row("g_z"), result.extras["summary"]
    if row.estimate is None:
        return []
    df = s.n - 1
    j = float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))
    return [near("g_z", row.estimate, j * s.t / math.sqrt(s.n), "scipy")]


def interval_checks(result: Result) -> list[Check]:
    """Put the ends of d_z into scipy's noncentral t distribution, or say why there is nothing to compare."""
    from scipy.special import gammaln
    from scipy.stats import nct

    row: Row = result.row("d_z")
    if row.conf_low is None or row.conf_high is None:
        return []
    if row.method != "noncentral t":
        return [skipped("interval of d_z", "pingouin", DRAWN)]
    s, tail = result.extras["summary"], (1 - result.settings["level"]) / 2
    checks = [skipped("interval of d_z", "pingouin", PAIRED_CI)]
    for name, end, want in (("low", row.conf_low, 1 - tail), ("high", row.conf_high, tail)):
        # P(T <= t | c) = 1 - P(T <= -t | -c): scipy is better for t >= 0
        sign = 1.0 if s.t >= 0 else -1.0
        share = float(nct.cdf(abs(s.t), s.n - 1, sign * end * math.sqrt(s.n)))
        share = share if sign > 0 else 1 - share
        why = "P(T <= t) at this end of d_z, against its tail"
        checks.append(near(f"d_z, {name}: tail", want, share, "scipy", why, relative=1e-7))
    g = result.row("g_z")
    if g.conf_low is not None and g.conf_high is not None and g.method == row.method:
        df = s.n - 1
        j = float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))
        checks += end_checks(g, j * row.conf_low, j * row.conf_high, "scipy", "Hedges' J times the ends of d_z")
    return checks
