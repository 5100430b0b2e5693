"""McNemar once more: statsmodels' tests, scipy's binomial, Tango by profile likelihood, least squares with clusters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import CR2, counted, mean_error, mean_errors, unfloored_check
from socialstats.crosscheck.paired_tables import (
    CLOSED,
    MOST_ROWS,
    TOO_MANY,
    cross_table,
    ends,
    expanded,
    near,
    pair_table,
    set_aside,
)
from socialstats.crosscheck.row_arithmetic import end_checks, label, quantile, relative, same_p, tail_p
from socialstats.crosscheck.shares import LINEAR, ROOTS, clustered_share_checks, effective_pairs, wilson_roots
from socialstats.results import Check, FloatArray, Result, Row, Verification
from socialstats.results.verification import Published

if TYPE_CHECKING:
    import pandas as pd

PROFILE = "score interval by numerical profile likelihood; ends agree to the optimiser's tolerance"
IGNORING = "ignoring clusters"


def verify(result: Result) -> Verification:
    """Recompute cells, difference, odds ratio, their intervals and the tests."""
    design = result.design
    factors = design.factors(result.settings["cluster"])
    data = pair_table(design, factors)
    table = cross_table(data, 2)
    row = result.rows[0]
    checks = [near("difference", row.estimate, float((data["d"] * data["n"]).sum() / data["n"].sum()), "pandas")]
    checks += pair_tests(result, table, IGNORING if factors else "test")
    checks += difference_interval(result, table, result.row("difference", group=IGNORING) if factors else row)
    checks += odds_ratio(result, table, result.row("odds_ratio", group=IGNORING) if factors else result.rows[1])
    checks += table_checks(result, table)
    if factors:
        checks += clustered(result, data, [factor.name for factor in factors])
    return Verification(checks=(*checks, *copy_checks(result, checks)))


def clustered(result: Result, data: pd.DataFrame, names: list[str]) -> list[Check]:
    """Everything that clusters lead to, from one row a pair."""
    row, rows = result.rows[0], expanded(data)
    if rows is None:
        return [set_aside("std_error", row.std_error, None, "statsmodels", TOO_MANY)]
    checks = odds_checks(result, rows, len(names))
    d, codes = rows["d"].to_numpy(dtype=np.float64), rows[[f"g{k}" for k in range(len(names))]].to_numpy()
    score_leads = (row.method or "").startswith("Tango")
    if row.std_error is not None:
        checks += robust(result, rows, len(names), interval=not score_leads)
    shown = row if score_leads else replace(row, conf_low=None)
    checks += score_checks(shown, result.row("score", group="test"), d, codes, result.settings["level"])
    if "unfloored_std_error" in result.extras:
        checks.append(unfloored_check(result.extras["unfloored_std_error"], d, codes))
    for k, name in enumerate(names):
        group = "test" if len(names) == 1 else f"{name} alone"
        checks += cluster_checks(result, rows, k, group)
        test = result.row("robust_t", group=group)
        if len(names) == 2 and test.df is not None:
            checks += t_test(test, float(d.mean()), *mean_error(d, codes[:, [k]]), CR2)
    return checks


def t_test(row: Row, mean: float, error: float, df: float, why: str) -> list[Check]:
    """Statistic, df and p of a mean over its error."""
    return [
        relative(label(row, "statistic"), row.statistic, mean / error, "scipy", why, size=1e-6),
        relative(label(row, "df"), row.df, df, "scipy", why),
        same_p(label(row, "p"), row.p_value, tail_p(mean / error, df), "scipy", why),
    ]


def score_checks(row: Row, test: Row, d: FloatArray, groups: Any, level: float) -> list[Check]:
    """Tango's interval of a row, and statistic, df and p of a test row, for the effective number of pairs."""
    found = effective_pairs(d, groups)
    if found is None:
        return []
    table, df = found
    out = ends(row, *profile_interval(table, level, df), "scipy", PROFILE, 1e-6) if row.conf_low is not None else []
    if test.statistic is None or not d.any():
        return out
    value = profile_score(table, 0.0)
    return [
        *out, relative(label(test, "statistic"), test.statistic, value, "scipy", PROFILE, 1e-6, 1e-3),
        relative(label(test, "df"), test.df, df, "numpy", CR2, 1e-7),
        same_p(label(test, "p"), test.p_value, tail_p(value, df), "scipy", PROFILE, 1e-5),
    ]  # fmt: skip


def pair_tests(result: Result, table: FloatArray, group: str) -> list[Check]:
    """Exact, asymptotic, corrected and mid-p tests."""
    from scipy.stats import binom
    from statsmodels.stats.contingency_tables import mcnemar

    b, c = table[1, 0], table[0, 1]
    rows = {name: result.row(name, group=group) for name in ("exact", "mid_p", "asymptotic", "continuity")}
    exact = mcnemar(table, exact=True)
    checks = [same_p("exact p", rows["exact"].p_value, exact.pvalue, "statsmodels", CLOSED)]
    half = min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5) - binom.pmf(b, b + c, 0.5))
    checks.append(same_p("mid-p", rows["mid_p"].p_value, half, "scipy", "twice the tail less the point probability"))
    for name, correct in (("asymptotic", False), ("continuity", True)):
        if b + c == 0:
            note = "statsmodels divides 0 by 0 without discordant pairs (corrected: statistic inf, p 0)"
            checks.append(set_aside(name, rows[name].p_value, None, "statsmodels", note))
            continue
        theirs = mcnemar(table, exact=False, correction=correct)
        if correct and b == c:
            note = "statsmodels corrects b = c too, to 1/(b + c); R does not: statistic 0, p 1"
            checks.append(set_aside(name, rows[name].p_value, float(theirs.pvalue), "statsmodels", note))
            continue
        checks.append(near(f"{name} statistic", rows[name].statistic, theirs.statistic, "statsmodels"))
        checks.append(same_p(f"{name} p", rows[name].p_value, theirs.pvalue, "statsmodels", CLOSED))
    return checks + second_opinion(rows["asymptotic"], rows["exact"], table)


def second_opinion(asymptotic: Row, exact: Row, table: FloatArray) -> list[Check]:
    """Compare with pingouin, which needs both values in both columns and a discordant pair."""
    possible = table.sum(axis=0).all() and table.sum(axis=1).all() and table[0, 1] + table[1, 0]
    if not possible or table.sum() > MOST_ROWS:
        return []
    import pandas as pd
    from pingouin import chi2_mcnemar

    i, j = np.divmod(np.repeat(np.arange(4), table.ravel().astype(int)), 2)
    _, stats = chi2_mcnemar(pd.DataFrame({"x": i, "y": j}), "x", "y", correction=False)
    found = stats.loc["mcnemar"]
    names = {name.replace("-", "_"): name for name in stats.columns}
    return [
        near("chi-square", asymptotic.statistic, found["chi2"], "pingouin", close=1e-6),
        same_p("chi-square p", asymptotic.p_value, found[names["p_approx"]], "pingouin", CLOSED, 1e-6),
        same_p("exact p", exact.p_value, found[names["p_exact"]], "pingouin", CLOSED, 1e-6),
    ]


def difference_interval(result: Result, table: FloatArray, row: Row) -> list[Check]:
    """The interval that takes pairs as independent."""
    if row.conf_low is None:
        return []
    level, kind = result.settings["level"], result.settings["difference_ci"]
    if kind == "tango":
        return ends(row, *profile_interval(table, level), "scipy", PROFILE, 1e-6)
    if kind == "newcombe":
        return ends(row, *square_and_add(table, level), "statsmodels", "Wilson's intervals of statsmodels, combined")
    from scipy.stats import norm

    extra = {"wald": 0.0, "bonett_price": 1.0, "agresti_min": 0.5}[kind]
    d = np.repeat([1.0, -1.0, 0.0], 3)[[0, 3, 6]]
    weight = np.array([table[1, 0] + extra, table[0, 1] + extra, table[0, 0] + table[1, 1] + (2 - 2 * extra)])
    if kind == "wald":
        weight[2] = table[0, 0] + table[1, 1]
    mean = float(np.average(d, weights=weight))
    spread = math.sqrt(float(np.average((d - mean) ** 2, weights=weight)) / weight.sum())
    low, high = norm.interval(level, mean, spread)
    return ends(row, max(low, -1.0), min(high, 1.0), "scipy", "moments of -1, 0, 1 with the added pairs")


def profile_score(table: FloatArray, delta: float) -> float:
    """Tango's statistic against a difference of `delta`, the constrained likelihood maximised numerically."""
    from scipy.optimize import minimize_scalar
    from scipy.special import xlogy

    b, c, n = table[1, 0], table[0, 1], table.sum()
    least, most = max(0.0, -delta), (1 - delta) / 2  # of P(second only)

    def loss(q: float) -> float:
        return -float(xlogy(b, q + delta) + xlogy(c, q) + xlogy(n - b - c, 1 - 2 * q - delta))

    with np.errstate(all="ignore"):
        fit = minimize_scalar(loss, bounds=(least, most), method="bounded", options={"xatol": 1e-13})
        q = min((least, most, float(fit.x)), key=loss)
    return float(b - c - n * delta) / math.sqrt(max(n * (2 * q + delta * (1 - delta)), 1e-300))


def profile_interval(table: FloatArray, level: float, df: float | None = None) -> tuple[float, float]:
    """Tango's interval: invert the score test, the constrained likelihood maximised numerically."""
    from scipy.optimize import brentq

    found = (table[1, 0] - table[0, 1]) / table.sum()
    z = quantile(level, df)

    def score(delta: float) -> float:
        return profile_score(table, delta)

    with np.errstate(all="ignore"):
        edge, step = 1 - 1e-12, 1e-9
        low = -1.0 if found == -1 else brentq(lambda x: score(x) - z, -edge, found - step)
        high = 1.0 if found == 1 else brentq(lambda x: score(x) + z, found + step, edge)
    return float(low), float(high)


def square_and_add(table: FloatArray, level: float) -> tuple[float, float]:
    """Newcombe's method 10 from statsmodels' Wilson intervals."""
    from statsmodels.stats.proportion import proportion_confint

    n, sides = table.sum(), (table[1].sum(), table[:, 1].sum())
    (l1, u1), (l2, u2) = (proportion_confint(x, n, alpha=1 - level, method="wilson") for x in sides)
    p1, p2 = sides[0] / n, sides[1] / n
    product = float(np.prod(table.sum(axis=0)) * np.prod(table.sum(axis=1)))
    top = float(np.linalg.det(table)) if product else 0.0
    top = max(top - n / 2, 0.0) if top > 0 else top
    phi = top / math.sqrt(product) if product else 0.0
    matrix = np.array([[1.0, -phi], [-phi, 1.0]])
    down, up = np.array([p1 - l1, u2 - p2]), np.array([u1 - p1, p2 - l2])
    reach = [math.sqrt(max(float(v @ matrix @ v), 0.0)) for v in (down, up)]
    return p1 - p2 - reach[0], p1 - p2 + reach[1]


def odds_ratio(result: Result, table: FloatArray, row: Row) -> list[Check]:
    """The matched odds ratio and its interval, from scipy's binomial test."""
    from scipy.stats import binomtest, norm

    b, c = int(table[1, 0]), int(table[0, 1])
    if not c:
        return [set_aside("odds_ratio", None, None, "scipy", "no pair is second only: no finite odds ratio")]
    checks = [near("odds_ratio", result.rows[1].estimate, b / c, "pandas", close=1e-10)]
    if row.conf_low is None:
        return checks
    level, kind = result.settings["level"], result.settings["odds_ratio_ci"]
    if kind == "wald":
        reach = norm.ppf((1 + level) / 2) * math.sqrt(1 / b + 1 / c)
        return checks + ends(row, b / c * math.exp(-reach), b / c * math.exp(reach), "scipy")
    found = binomtest(b, b + c).proportion_ci(level, method=kind)
    why = "interval of the binomial share, as odds; scipy finds its ends by root finding"
    return checks + ends(row, found.low / (1 - found.low), found.high / (1 - found.high), "scipy", why, 1e-7)


def robust(result: Result, data: pd.DataFrame, factors: int, *, interval: bool) -> list[Check]:
    """Standard error, t, p and (with `interval`) ends: by clusters."""
    from scipy.stats import t

    row, test = result.rows[0], result.row("robust_t", group="test")
    d = np.asarray(data["d"], dtype=np.float64)
    groups = np.column_stack([np.asarray(data[f"g{k}"]) for k in range(factors)])
    error, df = mean_error(d, groups)
    low, high = t.interval(result.settings["level"], df, d.mean(), error)
    return [
        near("std_error", row.std_error, error, "numpy", CR2, 1e-8),
        *t_test(test, float(d.mean()), error, df, CR2),
        *(ends(row, max(float(low), -1.0), min(float(high), 1.0), "scipy", CR2) if interval else []),
    ]


COUNTED = "every sum of signs counted with whole numbers"
MOST_SUMS = 2_000_000  # clusters times their largest sum: what is counted in a second


def table_checks(result: Result, table: FloatArray) -> list[Check]:
    """Shares, cells, and the numbers that take pairs as independent: g, s.e., df and statistics of the tests."""
    n, b, c = float(table.sum()), float(table[1, 0]), float(table[0, 1])
    first, second = result.design.conditions
    shares = {"both": table[1, 1], "first only": b, "second only": c, "neither": table[0, 0]}
    wanted: dict[tuple[str | None, str], float] = {("cell", name): float(x) / n for name, x in shares.items()}
    found = [relative(label(r), r.estimate, wanted[r.group, r.term], "pandas", CLOSED, size=1e-3)
             for r in result.rows if (r.group, r.term) in wanted]  # fmt: skip
    sides = [r for r in result.rows if r.group == "proportion"]
    for row, name, share in zip(sides, (first, second), (table[1].sum(), table[:, 1].sum()), strict=True):
        ours = row.estimate if row.term == name else None
        found.append(relative(label(row), ours, float(share) / n, "pandas", CLOSED, size=1e-3))
    alone = [r for r in result.rows if r.term == "difference" and r.method and r.std_error is not None]
    for row in (r for r in alone if r.group == IGNORING or r.n_clusters is None):
        d = np.repeat([1.0, -1.0, 0.0], np.array([b, c, n - b - c], dtype=np.int64)) if n < MOST_SUMS else None
        if d is not None:
            found.append(relative(label(row, "s.e."), row.std_error, float(d.std() / math.sqrt(n)), "numpy", CLOSED))
        found.append(relative(label(row), row.estimate, (b - c) / n, "pandas", CLOSED, size=1e-3))
    return [*found, *g_checks(result, b, c), *plain_tests(result, b, c)]


def g_checks(result: Result, b: float, c: float) -> list[Check]:
    """Cohen's g, and Wilson's interval of it; the odds ratio beside clusters."""
    from statsmodels.stats.proportion import proportion_confint

    row, out = result.row("cohens_g"), []
    if row.estimate is not None:
        out.append(relative(label(row), row.estimate, b / (b + c) - 0.5, "pandas", CLOSED, size=1e-3))
    if row.conf_low is not None and row.n_clusters is None:
        low, high = proportion_confint(b, b + c, alpha=1 - result.settings["level"], method="wilson")
        out += end_checks(row, float(low) - 0.5, float(high) - 0.5, "statsmodels", CLOSED)
    for odds in (r for r in result.rows if r.term == "odds_ratio" and r.estimate is not None):
        out.append(relative(label(odds), odds.estimate, b / c, "pandas", CLOSED))
    return out


def plain_tests(result: Result, b: float, c: float) -> list[Check]:
    """What the tests of independent pairs count (b), and their single degree of freedom."""
    out = []
    for row in result.rows:
        if row.term in ("exact", "mid_p") and row.statistic is not None:
            ours = row.statistic if b + c else 0.0
            out.append(relative(label(row, "statistic"), ours, b if b + c else 0.0, "pandas", CLOSED))
        if row.term in ("asymptotic", "continuity") and row.df is not None:
            out.append(relative(label(row, "df"), row.df, 1.0, "statsmodels", CLOSED))
    return out


def copy_checks(result: Result, made: Sequence[Check]) -> list[Check]:
    """Compare statistic, df and p of the difference with what was found for the test that leads."""
    row, lead = result.rows[0], result.row(result.extras["lead"], group="test")
    known = {check.ours.at: check for check in made if isinstance(check.ours, Published) and check.ok}
    out = []
    for name in ("statistic", "df", "p_value"):
        ours, other = getattr(row, name), getattr(lead, name)
        check = known.get(other.at) if isinstance(other, Published) else None
        if ours is not None and check is not None:
            out.append(
                replace(check, quantity=label(row, name), ours=ours, ok=abs(ours - check.theirs) <= check.tolerance)
            )
    return out


def odds_checks(result: Result, data: pd.DataFrame, factors: int) -> list[Check]:
    """The intervals of odds ratio and g by clusters: Wilson's of the share of first only among discordant pairs."""
    odds, g = result.row("odds_ratio"), result.row("cohens_g")
    mixed, level = data[data["d"] != 0], result.settings["level"]
    if g.conf_low is None or g.estimate is None:
        return []
    groups = mixed[[f"g{k}" for k in range(factors)]].to_numpy()
    x = (mixed["d"] > 0).to_numpy(dtype=np.float64)
    as_share = replace(g, estimate=g.estimate + 0.5, conf_low=g.conf_low + 0.5, conf_high=(g.conf_high or 0.0) + 0.5)
    p, errors = float(x.mean()), mean_errors(x, groups)
    out = clustered_share_checks(as_share, p, errors, answers=len(x), level=level)
    if not errors.known or odds.conf_low is None:
        return out
    low, high = wilson_roots(p, counted(p * (1 - p), errors, len(x)), level, errors.df)
    out.append(relative(label(odds, "df"), odds.df, errors.df, "scipy", LINEAR, 1e-7))
    return out + end_checks(odds, low / (1 - low), high / (1 - high), "numpy", ROOTS, 1e-6)


def cluster_checks(result: Result, data: pd.DataFrame, factor: int, group: str) -> list[Check]:
    """The tests of one cluster factor, from b, c and pairs of each cluster."""
    from scipy.stats import chi2

    rows = {r.term: r for r in result.rows if r.group == group and r.statistic is not None}
    cells = cluster_table(data, factor)
    out = means_checks(rows.get("cluster_means_t"), cells, result.settings["level"])
    if not cells["mixed"].any():
        return out
    for name, statistic in chi_squares(cells).items():
        row = rows.get(name)
        if row is not None:
            out += [relative(label(row, "statistic"), row.statistic, statistic, "pandas", CLOSED, size=1e-6),
                    relative(label(row, "df"), row.df, 1.0, "pandas", CLOSED),
                    same_p(label(row, "p"), row.p_value, float(chi2.sf(statistic, 1)))]  # fmt: skip
    return out + flip_check(rows.get("sign_flip"), cells)


def cluster_table(data: pd.DataFrame, factor: int) -> pd.DataFrame:
    """Return for each cluster: a, b, c, d, n (pairs), gap (b - c), mixed (b + c)."""
    kind = 2 * data["first"] + data["second"]
    flags = {name: (kind == code).astype(float) for name, code in (("a", 3), ("b", 2), ("c", 1), ("d", 0))}
    cells = data.assign(**flags).groupby(f"g{factor}")[["a", "b", "c", "d"]].sum()
    return cells.assign(n=cells.sum(axis=1), gap=cells["b"] - cells["c"], mixed=cells["b"] + cells["c"])


def chi_squares(cells: pd.DataFrame) -> dict[str, float]:
    """The four chi-squares of clustered pairs, as their authors write them."""
    k, gap, n = len(cells), cells["gap"], cells["n"]
    free = gap - n * gap.sum() / n.sum()
    top, own = float(gap.sum()) ** 2, float((gap**2).sum()) * k / (k - 1)
    rate = gap / n
    return {
        "obuchowski": top / own,
        "durkalski": float(rate.sum()) ** 2 / float((rate**2).sum()),
        "yang": top / (0.5 * (own + float((free**2).sum()) * k / (k - 1))),
        "eliasziw": top / (float(cells["mixed"].sum()) * design_effect(cells)),
    }


def design_effect(cells: pd.DataFrame) -> float:
    """Eliasziw and Donner's 1 + (n_c - 1) rho, at least 1 (1991)."""
    n, k, mixed = cells["n"], len(cells), cells["mixed"]
    mean = n.mean()
    if mean <= 1 or (mixed > 0).sum() < 2:
        return math.nan
    rates, total = cells[["a", "b", "c", "d"]].div(n, axis=0), cells[["a", "b", "c", "d"]].sum() / n.sum()
    bms = float((rates.sub(total, axis=1) ** 2).mul(n, axis=0).to_numpy().sum()) / k
    wms = float((rates * (1 - rates)).mul(n, axis=0).to_numpy().sum()) / (k * (mean - 1))
    size = mean - float(((n - mean) ** 2).sum()) / (k * (k - 1) * mean)
    rho = max((bms - wms) / (bms + (size - 1) * wms), 0.0)
    rho = rho / (rho + float(total["b"] + total["c"]) * (1 - rho)) if rho else 0.0
    some = int((mixed > 0).sum())
    average = float(mixed.sum()) / some
    around = float(((mixed - average) ** 2).sum()) - (k - some) * average**2
    typical = average - around / (some * (some - 1) * average)
    return max(1 + (typical + some * (average - typical) - 1) * rho, 1.0)


def means_checks(row: Row | None, cells: pd.DataFrame, level: float) -> list[Check]:
    """The t test of cluster means with scipy."""
    from scipy.stats import ttest_1samp

    if row is None or row.std_error is None:
        return []
    means = (cells["gap"] / cells["n"]).to_numpy()
    found: Any = ttest_1samp(means, 0.0)
    low, high = found.confidence_interval(level)
    error = float(means.std(ddof=1) / math.sqrt(len(means)))
    return [
        relative(label(row), row.estimate, float(means.mean()), "scipy", CLOSED, size=1e-3),
        relative(label(row, "s.e."), row.std_error, error, "scipy", CLOSED),
        relative(label(row, "statistic"), row.statistic, float(found.statistic), "scipy", CLOSED, size=1e-6),
        relative(label(row, "df"), row.df, float(found.df), "scipy", CLOSED),
        same_p(label(row, "p"), row.p_value, float(found.pvalue), "scipy", CLOSED),
        *end_checks(row, max(float(low), -1.0), min(float(high), 1.0), "scipy", CLOSED),
    ]


def flip_check(row: Row | None, cells: pd.DataFrame) -> list[Check]:
    """Count the signs of the clusters that give at least the observed sum, with whole numbers of any length."""
    if row is None:
        return []
    gaps = [abs(int(x)) for x in cells["gap"] if x]
    observed = int(cells["gap"].sum())
    out = [relative(label(row, "statistic"), row.statistic, float(observed), "pandas", CLOSED)]
    if len(gaps) * (2 * sum(gaps) + 1) > MOST_SUMS:
        return [*out, set_aside(label(row, "p"), row.p_value, None, "numpy", "too many sums of signs to count")]
    ways: Counter[int] = Counter({0: 1})
    for gap in gaps:
        further: Counter[int] = Counter()
        for total, many in ways.items():
            further[total + gap] += many
            further[total - gap] += many
        ways = further
    far = sum(many for total, many in ways.items() if abs(total) >= abs(observed))
    theirs = far / 2 ** len(gaps) if len(gaps) < 1000 else math.exp(math.log(far) - len(gaps) * math.log(2))
    return [*out, same_p(label(row, "p"), row.p_value, theirs, "numpy", COUNTED)]
