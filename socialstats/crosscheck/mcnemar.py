"""McNemar recomputed: statsmodels' tests, scipy's binomial, Tango by profile likelihood, clustered least squares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, counted, mean_error, mean_errors, unfloored_check
from socialstats.crosscheck.paired_difference import SIDES
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
from socialstats.crosscheck.peers import load_peer
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    inner_level,
    label,
    quantile,
    relative,
    same_p,
    tail_p,
    with_open_end,
)
from socialstats.crosscheck.shares import (
    LINEAR,
    ROOTS,
    clustered_share_checks,
    effective_pairs,
    wilson_roots,
)
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.verification import Published

if TYPE_CHECKING:
    import pandas as pd

NEAR_TOP = 1e-6  # a minimiser finds the top of a likelihood to the root of the rounding error
PROFILE = "score interval by numerical profile likelihood; ends agree to the optimiser's tolerance"
IGNORING = "ignoring clusters"
COUNTED = "every sum of signs counted with whole numbers"
SHARES, HALVES, ODDS = (-1.0, 1.0), (-0.5, 0.5), (0.0, math.inf)
MOST_SUMS = 2_000_000  # clusters times their largest sum: what is counted in a second


def verify(result: Result) -> Verification:
    """Recompute cells, difference, odds ratio, their intervals and the tests."""
    factors = result.design.factors(result.settings["cluster"])
    data = pair_table(result.design, factors)
    table = cross_table(data, 2)
    difference, odds = (
        result.row(term, group=IGNORING if factors else None)
        for term in ("difference", "odds_ratio")
    )
    checks = [
        *pair_tests(result, table, IGNORING if factors else "test"),
        *difference_interval(result, table, difference),
        *odds_interval(result, table, odds),
        *table_checks(result, table),
    ]
    if factors:
        checks += clustered(result, data, [factor.name for factor in factors])
    return Verification(checks=(*checks, *copy_checks(result, checks)))


def clustered(result: Result, data: pd.DataFrame, names: list[str]) -> list[Check]:
    """Statistics of clusters, from one row per pair."""
    row, rows, side = result.rows[0], expanded(data), result.settings["alternative"]
    inner = inner_level(result.settings)
    if rows is None:
        return [set_aside("std_error", row.std_error, None, "statsmodels", TOO_MANY)]
    checks = odds_checks(result, rows, len(names))
    d, codes = (
        rows["d"].to_numpy(dtype=np.float64),
        rows[[f"g{k}" for k in range(len(names))]].to_numpy(),
    )
    by_score = row.interval == "score"
    if row.std_error is not None:
        error, df = mean_error(d, codes)
        checks += field_checks(row, "numpy", CR2, std_error=error)
        checks += t_checks(result.row("robust_t", group="test"), float(d.mean()), error, df, side)
        if not by_score:
            reach = quantile(inner, df) * error
            both = with_open_end(float(d.mean()) - reach, float(d.mean()) + reach, side, SHARES)
            checks += ends(row, *both, "scipy", CR2)
    shown = row if by_score else replace(row, conf_low=None)
    checks += score_checks(shown, result.row("score", group="test"), d, codes, inner, side)
    if "unfloored_std_error" in result.extras:
        checks.append(unfloored_check(result.extras["unfloored_std_error"], d, codes))
    for k, name in enumerate(names):
        group = "test" if len(names) == 1 else f"{name} alone"
        checks += cluster_checks(result, rows, k, group)
        if len(names) == 2:
            error, df = mean_error(d, codes[:, [k]])
            checks += t_checks(
                result.row("robust_t", group=group), float(d.mean()), error, df, side
            )
    return checks


def t_checks(row: Row, mean: float, error: float, df: float, side: str) -> list[Check]:
    """Statistic, df and p of a mean over its error; none of a row without a test."""
    if row.df is None:
        return []
    return field_checks(
        row, "scipy", CR2, statistic=mean / error, df=df, p_value=tail_p(mean / error, df, side)
    )


def score_checks(
    row: Row, test: Row, d: FloatArray, groups: Any, level: float, side: str
) -> list[Check]:
    """Tango's interval of a row, and statistic, df and p of a test row, for the effective number of pairs."""
    found = effective_pairs(d, groups)
    if found is None:
        return []
    table, df = found
    out = []
    if row.conf_low is not None:
        out = ends(
            row,
            *with_open_end(*profile_interval(table, level, df), side, SHARES),
            "scipy",
            PROFILE,
            1e-6,
        )
    if test.statistic is None or not d.any():
        return out
    value = profile_score(table, 0.0)
    return [
        *out,
        relative(label(test, "statistic"), test.statistic, value, "scipy", PROFILE, 1e-6, 1e-3),
        relative(label(test, "df"), test.df, df, "numpy", CR2, 1e-7),
        same_p(label(test, "p"), test.p_value, tail_p(value, df, side), "scipy", PROFILE, 1e-5),
    ]


def pair_tests(result: Result, table: FloatArray, group: str) -> list[Check]:
    """Exact, asymptotic, corrected and mid-p tests: p, what they count (b), and their single degree of freedom."""
    from scipy.stats import binom, binomtest

    mcnemar = load_peer("statsmodels.stats.contingency_tables", "mcnemar")

    b, c = float(table[1, 0]), float(table[0, 1])
    rows = {
        name: result.row(name, group=group)
        for name in ("exact", "mid_p", "asymptotic", "continuity")
    }
    side, point = result.settings["alternative"], float(binom.pmf(b, b + c, 0.5))
    if side == "two_sided":
        tail, package = mcnemar(table, exact=True).pvalue, "statsmodels"
        half = min(1.0, 2 * float(binom.cdf(min(b, c), b + c, 0.5)) - point)
    else:
        tail, package = (
            (binomtest(int(b), int(b + c), alternative=side).pvalue if b + c else 1.0),
            "scipy",
        )
        half = tail - point / 2
    checks = [
        *field_checks(rows["exact"], package, CLOSED, p_value=tail),
        *field_checks(rows["mid_p"], "scipy", "the tails less the point probability", p_value=half),
    ]
    for name in ("exact", "mid_p"):
        checks += field_checks(rows[name], "pandas", CLOSED, statistic=b) if b + c else []
    for name, correct in (("asymptotic", False), ("continuity", True)):
        row = rows[name]
        checks += field_checks(row, "numpy", CLOSED, df=1.0)
        if b + c == 0:
            note = "statsmodels divides by 0 without discordant pairs"
            checks.append(set_aside(name, row.p_value, None, "statsmodels", note))
            continue
        theirs = mcnemar(table, exact=False, correction=correct)
        if correct and b == c:
            note = "statsmodels corrects b = c too, to 1/(b + c); R does not: statistic 0"
            checks.append(set_aside(name, row.p_value, float(theirs.pvalue), "statsmodels", note))
            continue
        checks.append(near(f"{name} statistic", row.statistic, theirs.statistic, "statsmodels"))
        p = root_tail(float(theirs.statistic), b - c, side)
        checks += field_checks(
            row, "statsmodels", CLOSED, p_value=float(theirs.pvalue) if p is None else p
        )
    return checks + (
        second_opinion(rows["asymptotic"], rows["exact"], table) if side == "two_sided" else []
    )


def root_tail(chi_square: float, sign: float, side: str) -> float | None:
    """Return the normal tail of the signed root of a chi-square with one degree of freedom; None for two sides."""
    if side == "two_sided":
        return None
    return tail_p(math.copysign(math.sqrt(chi_square), sign), None, side)


def second_opinion(asymptotic: Row, exact: Row, table: FloatArray) -> list[Check]:
    """Compare with pingouin, which needs both values in both columns and a discordant pair."""
    possible = table.sum(axis=0).all() and table.sum(axis=1).all() and table[0, 1] + table[1, 0]
    if not possible or table.sum() > MOST_ROWS:
        return []
    import pandas as pd

    chi2_mcnemar = load_peer("pingouin", "chi2_mcnemar")

    i, j = np.divmod(np.repeat(np.arange(4), table.ravel().astype(int)), 2)
    _, stats = chi2_mcnemar(pd.DataFrame({"x": i, "y": j}), "x", "y", correction=False)
    found = stats.loc["mcnemar"]
    return [
        near("chi-square", asymptotic.statistic, found["chi2"], "pingouin", close=1e-6),
        same_p("chi-square p", asymptotic.p_value, found["p_approx"], "pingouin", CLOSED, 1e-6),
        same_p("exact p", exact.p_value, found["p_exact"], "pingouin", CLOSED, 1e-6),
    ]


def difference_interval(result: Result, table: FloatArray, row: Row) -> list[Check]:
    """The interval that takes pairs as independent."""
    if row.conf_low is None:
        return []
    level, kind, side = (
        inner_level(result.settings),
        result.settings["difference_ci"],
        result.settings["alternative"],
    )
    if kind == "tango":
        return ends(
            row,
            *with_open_end(*profile_interval(table, level), side, SHARES),
            "scipy",
            PROFILE,
            1e-6,
        )
    if kind == "newcombe":
        both = with_open_end(*square_and_add(table, level), side, SHARES)
        return ends(row, *both, "statsmodels", "Wilson's intervals of statsmodels, combined")
    extra, pairs = {"wald": (0.0, 0.0), "bonett_price": (1.0, 2.0), "agresti_min": (0.5, 2.0)}[kind]
    b, c, n = table[1, 0] + extra, table[0, 1] + extra, table.sum() + pairs
    d, weight = np.array([1.0, -1.0, 0.0]), np.array([b, c, n - b - c])
    mean = float(np.average(d, weights=weight))
    reach = quantile(level, None) * math.sqrt(
        float(np.average((d - mean) ** 2, weights=weight)) / n
    )
    both = with_open_end(mean - reach, mean + reach, side, SHARES)
    return ends(row, *both, "scipy", "moments of -1, 0, 1 with the added pairs")


def profile_score(table: FloatArray, delta: float) -> float:
    """Tango's statistic against a difference of `delta`, the constrained likelihood maximised numerically."""
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import xlogy

    b, c, n = table[1, 0], table[0, 1], table.sum()
    least, most = max(0.0, -delta), (1 - delta) / 2  # limits of P(second only)

    def loss(q: float) -> float:
        return -float(xlogy(b, q + delta) + xlogy(c, q) + xlogy(n - b - c, 1 - 2 * q - delta))

    def slope(q: float) -> float:
        return float(b / (q + delta) + c / q - 2 * (n - b - c) / (1 - 2 * q - delta))

    with np.errstate(all="ignore"):
        fit = minimize_scalar(
            loss, bounds=(least, most), method="bounded", options={"xatol": 1e-13}
        )
        q = min((least, most, float(fit.x)), key=loss)
        low, high = max(least, q - NEAR_TOP), min(most, q + NEAR_TOP)
        if (
            least < low and high < most and slope(low) > 0 > slope(high)
        ):  # the likelihood is flat at its top
            q = float(brentq(slope, low, high, xtol=1e-16))
    return float(b - c - n * delta) / math.sqrt(max(n * (2 * q + delta * (1 - delta)), 1e-300))


def profile_interval(
    table: FloatArray, level: float, df: float | None = None
) -> tuple[float, float]:
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
    proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")

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


def odds_interval(result: Result, table: FloatArray, row: Row) -> list[Check]:
    """The interval of the matched odds ratio of independent pairs, from scipy's binomial test."""
    from scipy.stats import binomtest

    b, c = int(table[1, 0]), int(table[0, 1])
    if not c:
        return [
            set_aside(
                "odds_ratio", None, None, "scipy", "no pair is second only: no finite odds ratio"
            )
        ]
    if row.conf_low is None:
        return []
    level, kind, side = (
        inner_level(result.settings),
        result.settings["odds_ratio_ci"],
        result.settings["alternative"],
    )
    if kind == "wald":
        reach = quantile(level, None) * math.sqrt(1 / b + 1 / c)
        low, high = with_open_end(b / c * math.exp(-reach), b / c * math.exp(reach), side, ODDS)
        return end_checks(row, low, high, least=row.estimate or 0.0)
    found = binomtest(b, b + c).proportion_ci(level, method=kind)
    why = "interval of the binomial share, as odds; scipy finds its ends by root finding"
    low, high = (float(end) / (1 - float(end)) for end in (found.low, found.high))
    low, high = with_open_end(low, high, side, ODDS)
    return end_checks(row, low, high, "scipy", why, 1e-7)


def table_checks(result: Result, table: FloatArray) -> list[Check]:
    """Shares, cells, differences, odds ratios, Cohen's g, and the errors that take pairs as independent."""
    proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")

    n, b, c = float(table.sum()), float(table[1, 0]), float(table[0, 1])
    first, second = result.design.conditions
    shares = {"both": table[1, 1], "first only": b, "second only": c, "neither": table[0, 0]}
    sides = [(first, table[1].sum()), (second, table[:, 1].sum())]
    found: list[Check] = []
    for row in result.rows:
        theirs = {
            "odds_ratio": b / c if c else None,
            "cohens_g": b / (b + c) - 0.5 if b + c else None,
            "difference": (b - c) / n,
        }.get(row.term)
        if row.group == "cell":
            theirs = float(shares[row.term]) / n
        elif row.group == "proportion":
            name, share = sides.pop(0)
            theirs = float(share) / n if row.term == name else None
        elif row.group not in (None, IGNORING):
            continue
        if row.estimate is not None:
            found.append(relative(label(row), row.estimate, theirs, "pandas", CLOSED, size=1e-3))
        alone = row.group == IGNORING or row.n_clusters is None
        if row.term == "difference" and row.std_error is not None and alone and n < MOST_SUMS:
            d = np.repeat([1.0, -1.0, 0.0], np.array([b, c, n - b - c], dtype=np.int64))
            found += field_checks(row, "numpy", CLOSED, std_error=float(d.std() / math.sqrt(n)))
        if row.term == "cohens_g" and row.conf_low is not None and alone:
            low, high = proportion_confint(
                b, b + c, alpha=1 - inner_level(result.settings), method="wilson"
            )
            both = with_open_end(
                float(low) - 0.5, float(high) - 0.5, result.settings["alternative"], HALVES
            )
            found += end_checks(row, *both, "statsmodels", CLOSED)
    return found


def copy_checks(result: Result, made: Sequence[Check]) -> list[Check]:
    """Compare statistic, df and p of the difference with what was found for the test that leads."""
    row, lead = result.rows[0], result.row(result.extras["lead"], group="test")
    known = {
        check.ours.at: check for check in made if isinstance(check.ours, Published) and check.ok
    }
    out = []
    for name in ("statistic", "df", "p_value"):
        ours, other = getattr(row, name), getattr(lead, name)
        check = known.get(other.at) if isinstance(other, Published) else None
        if ours is not None and check is not None:
            out.append(
                replace(
                    check,
                    quantity=label(row, name),
                    ours=ours,
                    ok=abs(ours - check.theirs) <= check.tolerance,
                )
            )
    return out


def odds_checks(result: Result, data: pd.DataFrame, factors: int) -> list[Check]:
    """The intervals of odds ratio and g by clusters: Wilson's of the share of first only among discordant pairs."""
    odds, g = result.row("odds_ratio"), result.row("cohens_g")
    mixed, level, side = (
        data[data["d"] != 0],
        inner_level(result.settings),
        result.settings["alternative"],
    )
    if g.conf_low is None or g.estimate is None:
        return []
    groups = mixed[[f"g{k}" for k in range(factors)]].to_numpy()
    x = (mixed["d"] > 0).to_numpy(dtype=np.float64)
    as_share = replace(
        g,
        estimate=g.estimate + 0.5,
        conf_low=g.conf_low + 0.5,
        conf_high=(g.conf_high or 0.0) + 0.5,
    )
    p, errors = float(x.mean()), mean_errors(x, groups)
    out = clustered_share_checks(as_share, p, errors, answers=len(x), level=level, side=side)
    if not errors.known or not odds.has_interval:
        return out
    low, high = wilson_roots(p, counted(p * (1 - p), errors, len(x)), level, errors.df)
    out.append(relative(label(odds, "df"), odds.df, errors.df, "scipy", LINEAR, 1e-7))
    both = with_open_end(low / (1 - low), high / (1 - high), side, ODDS)
    return out + end_checks(odds, *both, "numpy", ROOTS, 1e-6)


def cluster_checks(result: Result, data: pd.DataFrame, factor: int, group: str) -> list[Check]:
    """The tests of one cluster factor, from a, b, c, d, n (pairs), gap (b - c) and mixed (b + c) of each cluster."""
    from scipy.stats import chi2

    rows = {r.term: r for r in result.rows if r.group == group and r.statistic is not None}
    kind = 2 * data["first"] + data["second"]
    flags = {
        name: (kind == code).astype(float)
        for name, code in (("a", 3), ("b", 2), ("c", 1), ("d", 0))
    }
    cells = data.assign(**flags).groupby(f"g{factor}")[["a", "b", "c", "d"]].sum()
    cells = cells.assign(
        n=cells.sum(axis=1), gap=cells["b"] - cells["c"], mixed=cells["b"] + cells["c"]
    )
    side = result.settings["alternative"]
    out = means_checks(rows.get("cluster_means_t"), cells, result.settings["level"], side)
    if not cells["mixed"].any():
        return out
    for name, statistic in chi_squares(cells).items():
        if name in rows:
            sign = float((cells["gap"] / cells["n"] if name == "durkalski" else cells["gap"]).sum())
            tail = root_tail(statistic, sign, side)
            p = float(chi2.sf(statistic, 1)) if tail is None else tail
            out += field_checks(rows[name], "scipy", CLOSED, statistic=statistic, df=1.0, p_value=p)
    return out + flip_check(rows.get("sign_flip"), cells, side)


def chi_squares(cells: pd.DataFrame) -> dict[str, float]:
    """The four chi-squares of clustered pairs, as their authors write them; NaN where they divide by 0."""
    k, gap, n = len(cells), cells["gap"], cells["n"]
    free = gap - n * gap.sum() / n.sum()
    top, own, off = float(gap.sum()) ** 2, float((gap**2).sum()), float((free**2).sum())
    rate, many = gap / n, k / max(k - 1, 1)
    parts = {
        "obuchowski": (top, many * own),
        "durkalski": (float(rate.sum()) ** 2, float((rate**2).sum())),
        "yang": (top, many * (own + off) / 2),
        "eliasziw": (top, float(cells["mixed"].sum()) * design_effect(cells)),
    }
    return {name: ratio(*part) for name, part in parts.items()}


def ratio(one: float, other: float) -> float:
    """Divide; NaN where the other is 0."""
    return one / other if other else math.nan


def design_effect(cells: pd.DataFrame) -> float:
    """Eliasziw and Donner's 1 + (n_c - 1) rho, at least 1 (1991)."""
    n, k, mixed = cells["n"], len(cells), cells["mixed"]
    mean = n.mean()
    if mean <= 1 or (mixed > 0).sum() < 2:
        return math.nan
    rates, total = (
        cells[["a", "b", "c", "d"]].div(n, axis=0),
        cells[["a", "b", "c", "d"]].sum() / n.sum(),
    )
    bms = float((rates.sub(total, axis=1) ** 2).mul(n, axis=0).to_numpy().sum()) / k
    wms = float((rates * (1 - rates)).mul(n, axis=0).to_numpy().sum()) / (k * (mean - 1))
    size = mean - float(((n - mean) ** 2).sum()) / (k * (k - 1) * mean)
    rho = max(ratio(bms - wms, bms + (size - 1) * wms), 0.0)
    rho = rho / (rho + float(total["b"] + total["c"]) * (1 - rho)) if rho else 0.0
    some = int((mixed > 0).sum())
    average = float(mixed.sum()) / some
    around = float(((mixed - average) ** 2).sum()) - (k - some) * average**2
    typical = average - around / (some * (some - 1) * average)
    return max(1 + (typical + some * (average - typical) - 1) * rho, 1.0)


def means_checks(row: Row | None, cells: pd.DataFrame, level: float, side: str) -> list[Check]:
    """The t test of cluster means with scipy."""
    from scipy.stats import ttest_1samp

    if row is None or row.std_error is None:
        return []
    means = (cells["gap"] / cells["n"]).to_numpy()
    found: Any = ttest_1samp(means, 0.0, alternative=SIDES[side])
    low, high = found.confidence_interval(level)
    theirs = {
        "estimate": means.mean(),
        "std_error": means.std(ddof=1) / math.sqrt(len(means)),
        "statistic": found.statistic,
        "df": found.df,
        "p_value": found.pvalue,
    }
    out = field_checks(row, "scipy", CLOSED, **{name: float(x) for name, x in theirs.items()})
    return out + end_checks(
        row, *with_open_end(float(low), float(high), side, SHARES), "scipy", CLOSED
    )


def flip_check(row: Row | None, cells: pd.DataFrame, side: str) -> list[Check]:
    """Count the signs of the clusters that give at least the observed sum, with whole numbers of any length."""
    if row is None:
        return []
    gaps = [abs(int(x)) for x in cells["gap"] if x]
    observed = int(cells["gap"].sum())
    out = [relative(label(row, "statistic"), row.statistic, float(observed), "pandas", CLOSED)]
    if len(gaps) * (2 * sum(gaps) + 1) > MOST_SUMS:
        return [
            *out,
            set_aside(
                label(row, "p"), row.p_value, None, "numpy", "too many sums of signs to count"
            ),
        ]
    ways: Counter[int] = Counter({0: 1})
    for gap in gaps:
        further: Counter[int] = Counter()
        for total, many in ways.items():
            further[total + gap] += many
            further[total - gap] += many
        ways = further
    two, sign = side == "two_sided", -1 if side == "less" else 1
    far = sum(
        many
        for total, many in ways.items()
        if (abs(total) >= abs(observed) if two else sign * total >= sign * observed)
    )
    theirs = (
        far / 2 ** len(gaps)
        if len(gaps) < 1000
        else math.exp(math.log(far) - len(gaps) * math.log(2))
    )
    return [*out, same_p(label(row, "p"), row.p_value, theirs, "numpy", COUNTED)]
