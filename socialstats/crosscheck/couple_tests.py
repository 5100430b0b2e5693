"""Tests of couples once more: one difference a scenario, sign flips, McNemar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.couple_records import Key, bias_contrasts, cell_means, value_of, weighted
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_tables import near
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, same_p
from socialstats.results import Check, FloatArray, Result, Row

if TYPE_CHECKING:
    import pandas as pd

MC_WIDTH = 5.0
WITH_T, LESS = "scipy's t test", "exact p less the point probability"
EXACT_FLIPS = 13


def scenario_values(table: pd.DataFrame, a: str, b: str) -> FloatArray:
    """One difference a scenario and rater (rows and columns), NaN where an order is missing."""
    means = table.groupby(["scenario", "rater", "group_first", "group_second"])["score"].mean().unstack([2, 3])
    if (a, b) not in means or (b, a) not in means:
        return np.empty((0, 1))
    return (means[b, a] - means[a, b]).unstack("rater").dropna(how="all").to_numpy(dtype=np.float64)


def scenario_checks(row: Row, flip: Row, values: FloatArray, level: float) -> list[Check]:
    """Every number of the t test of scenarios' differences, and of their sign flips."""
    from scipy import stats

    if not len(values):
        return []
    mean = np.nanmean(values, axis=1)
    n = float(len(mean))
    checks = [near(label(r, "n"), r.n, n, "pandas") for r in (row, flip)]
    if row.estimate is not None:
        checks.append(near(label(row), row.estimate, float(mean.mean()), "pandas"))
    if row.std_error is not None:
        test = stats.ttest_1samp(mean, 0.0)
        ends = test.confidence_interval(level)
        checks += [
            relative(label(row, "s.e."), row.std_error, float(stats.sem(mean))),
            relative(label(row, "statistic"), row.statistic, float(test.statistic), size=1e-6),
            relative(label(row, "df"), row.df, float(test.df)),
            same_p(label(row, "p"), row.p_value, float(test.pvalue), "scipy", WITH_T),
            *end_checks(row, max(float(ends.low), -2.0), min(float(ends.high), 2.0)),
        ]
    if flip.p_value is not None:
        checks.append(near(label(flip, "sum"), flip.statistic, float(mean.sum()), "pandas"))
        checks.append(flip_check(mean[:, None], np.ones(1), flip))
    return checks


def flip_check(values: FloatArray, weight: FloatArray, row: Row) -> Check:
    """Sign flips of rows by scipy, exact or within their Monte-Carlo error; the statistic is sum of w abs(mean)."""
    from scipy import stats

    n = (~np.isnan(values)).sum(axis=0)
    filled = np.nan_to_num(values)
    exact = len(values) <= EXACT_FLIPS
    draws = 2 ** len(values) if exact else 4999

    def size(index: FloatArray, axis: int) -> FloatArray:
        sign = np.moveaxis(np.sign(index), axis, -1)
        return np.asarray(np.round(np.abs(sign @ filled / n) @ weight, 12))

    permuted: Any = stats.permutation_test
    found = permuted(
        (np.ones(len(values)),), size, permutation_type="samples", vectorized=True, alternative="greater",
        n_resamples=np.inf if exact else draws, rng=np.random.default_rng(1),
    )  # fmt: skip
    p = row.p_value or 0.0
    if exact:
        return same_p(label(row, "p"), p, float(found.pvalue), "scipy", "all patterns of signs")
    error = MC_WIDTH * np.sqrt(p * (1 - p) * (1 / draws + 1e-4)) + 2 / draws
    why = f"{draws:,} random flips: {MC_WIDTH:g} Monte-Carlo standard errors"
    return compare(label(row, "p"), p, float(found.pvalue), package="scipy", tolerance=float(error), why=why)


def overall_flip_checks(result: Result, table: pd.DataFrame, pairs: list[tuple[str, str, str]]) -> list[Check]:
    """Sign flips of all groups' differences together."""
    row = result.row("B_all", group="scenario sign flip")
    if row.p_value is None:
        return []
    parts = [one for _, a, b in pairs for one in [wide_values(table, a, b)] if one is not None]
    values = np.hstack(aligned(parts))
    weight = np.concatenate([np.full(p.shape[1], 1 / p.shape[1] / len(parts)) for p in parts])
    values = values[~np.isnan(values).all(axis=1)]
    observed = float(np.abs(np.nanmean(values, axis=0)) @ weight)
    n = float(table["scenario"].nunique())
    return [near(label(row, "n"), row.n, n, "pandas"), near(label(row), row.statistic, observed, "pandas"),
            flip_check(values, weight, row)]  # fmt: skip


def wide_values(table: pd.DataFrame, a: str, b: str) -> pd.DataFrame | None:
    """Differences with scenarios as rows, and the raters who have both orders as columns."""
    means = table.groupby(["scenario", "rater", "group_first", "group_second"])["score"].mean().unstack([2, 3])
    if (a, b) not in means or (b, a) not in means:
        return None
    whole = cell_means(weighted(table, "pooled"))
    raters = [next(iter(one))[1] for one in bias_contrasts(whole, a, b)]
    found: pd.DataFrame = (means[b, a] - means[a, b]).unstack("rater")
    return found[raters] if raters else None


def aligned(parts: list[pd.DataFrame]) -> list[FloatArray]:
    """Return the parts with the same scenarios in the same order."""
    scenarios = sorted({s for part in parts for s in part.index})
    return [part.reindex(scenarios).to_numpy(dtype=np.float64) for part in parts]


def couple_table(table: pd.DataFrame, a: str, b: str) -> FloatArray:
    """2 x 2 table of complete couples: who is chosen with a first, by who is chosen with b first."""
    mine = table[table["group_first"].isin((a, b)) & table["group_second"].isin((a, b))]
    mine = mine[mine["group_first"] != mine["group_second"]].assign(
        favours_a=lambda t: (t["score"] == -1.0) == (t["group_first"] == a),
        copy=lambda t: t.groupby(["scenario", "pair", "who", "group_first"]).cumcount(),
    )
    keys = ["scenario", "pair", "who", "copy"]
    wide = mine.pivot_table(index=keys, columns="group_first", values="favours_a", aggfunc="first")
    wide = wide.reindex(columns=[a, b]).dropna()
    one, two = wide[a].astype(bool), wide[b].astype(bool)
    # McNemar's margins are "the first place is chosen": a with a first, not a with b first
    cells = [[(one & ~two).sum(), (one & two).sum()], [(~one & ~two).sum(), (~one & two).sum()]]
    return np.array(cells, dtype=np.float64)


def mcnemar_checks(chi: Row, mid: Row, cells: FloatArray) -> list[Check]:
    """Every number of both tests of complete couples."""
    from scipy.stats import binom
    from statsmodels.stats.contingency_tables import mcnemar

    if chi.undefined or not cells.sum():
        return []
    for_a, for_b = cells[0, 1], cells[1, 0]
    checks = [near(label(chi), chi.estimate, 2 * (for_a - for_b) / cells.sum(), "pandas"),
              *(near(label(row, "couples"), row.n, float(cells.sum()), "pandas") for row in (chi, mid)),
              near(label(chi, "discordant"), chi.n_units, for_a + for_b, "pandas")]  # fmt: skip
    if not for_a + for_b:
        return checks
    plain, exact = mcnemar(cells, exact=False, correction=False), mcnemar(cells, exact=True).pvalue
    half = exact - binom.pmf(min(for_a, for_b), for_a + for_b, 0.5)
    return [
        *checks, relative(label(chi, "statistic"), chi.statistic, float(plain.statistic), "statsmodels", size=1e-6),
        near(label(chi, "df"), chi.df, 1.0, "statsmodels"),
        same_p(label(chi, "p"), chi.p_value, float(plain.pvalue), "statsmodels"),
        near(label(mid, "first group"), mid.statistic, float(for_a), "pandas"),
        same_p(label(mid, "p"), mid.p_value, float(half) if for_a != for_b else 1.0, "statsmodels", LESS),
    ]  # fmt: skip


def size_of(means: dict[Key, float], pairs: list[tuple[str, str, str]], level: str) -> float:
    """B_all: the mean over pairs of groups of the raters' mean abs(B)."""
    each = [bias_contrasts(means, a, b, level) for _, a, b in pairs]
    return float(np.mean([np.mean([abs(value_of(c, means)) for c in one]) for one in each if one]))
