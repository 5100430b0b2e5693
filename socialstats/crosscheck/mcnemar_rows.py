"""The smaller numbers of McNemar once more: cells, shares, Cohen's g, odds ratio by clusters, tests by clusters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import counted, mean_errors
from socialstats.crosscheck.paired_tables import CLOSED, set_aside
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, same_p
from socialstats.crosscheck.shares import LINEAR, ROOTS, clustered_share_checks, wilson_roots
from socialstats.results import Check, FloatArray, Result, Row
from socialstats.results.verification import Published

if TYPE_CHECKING:
    import pandas as pd

IGNORING = "ignoring clusters"
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
