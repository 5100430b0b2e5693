"""Choice shares once more: pandas counts, Wilson's ends as roots, scipy's chi-square, matrices of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import mean_row_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.rated_table import rated_table
from socialstats.crosscheck.row_arithmetic import adjusted_checks, label, relative, same_p
from socialstats.crosscheck.shares import mean_checks
from socialstats.crosscheck.swapping import swap_check
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

COUNTED = "the same counts, divided"
CLOSED = "the same closed form in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute shares, differences and changes of all rows, with standard errors, intervals and tests."""
    table = rated_table(result, "stratum")
    base = str(result.settings["reference"])
    names = list(result.extras["counts"])
    levels = list(result.extras["counts"][base])
    rows = iter(result.rows)
    cells = [None, *sorted_cells(table, result)]
    parts = {cell: table if cell is None else table[table["cell"] == cell] for cell in cells}
    checks: list[Check] = []
    for part in parts.values():
        for name in names:
            own = part[part["source"] == name]
            checks += [c for level in levels for c in rating_checks(result, next(rows), own, level)]
    for name in (n for n in names if n != base):
        for some in (cells[:1], cells[1:]):
            pairs = [both_rated(parts[cell], name, base) for cell in some]
            gaps = [[next(rows) for _ in levels] for _ in some]
            swaps = [next(rows) for _ in some]
            plain = [next(rows) for _ in some]
            for pair, own_gaps, row, other in zip(pairs, gaps, swaps, plain, strict=True):
                for level, gap in zip(levels, own_gaps, strict=True):
                    checks += gap_checks(result, gap, pair, (name, base), level)
                checks += chi_checks(result, row, other, pair, (name, base))
            for family in ([gap for own_gaps in gaps for gap in own_gaps], swaps):
                if any(row.p_adjusted is not None for row in family):
                    checks += adjusted_checks(family)
    return Verification(checks=(*checks, *change_checks(result, table, names, rows)))


def sorted_cells(table: pd.DataFrame, result: Result) -> list[str]:
    """Cells in the order of the rows."""
    return list(table.attrs["cells"]) if result.counts.get("strata") else []


def both_rated(part: pd.DataFrame, name: str, base: str) -> pd.DataFrame:
    """Ratings of two sources in the units that both rated."""
    units = set(part.loc[part["source"] == name, "unit"]) & set(part.loc[part["source"] == base, "unit"])
    return part[part["unit"].isin(units) & part["source"].isin([name, base])]


def rating_checks(result: Result, row: Row, own: pd.DataFrame, level: str) -> list[Check]:
    """Compare a share of ratings; without declared clusters a unit with several ratings is one."""
    if row.estimate is None:
        return []
    names = ["g0", "g1"] if own["crossed"].any() else ["left"]
    alone = not own["clustered"].any() and not own["unit"].duplicated().any()
    codes = np.column_stack([np.unique(own[name], return_inverse=True)[1].ravel() for name in names])
    hits = np.asarray(own["value"] == level, dtype=np.float64)
    return mean_checks(result, row, hits, np.ones(len(hits)), codes[:, :0] if alone else codes, float(len(hits)))


def gap_checks(result: Result, row: Row, pair: pd.DataFrame, names: tuple[str, str], level: str) -> list[Check]:
    """Compare a difference, and the t of its linearised values: p + n (hits - p ratings) / all ratings of a unit."""
    if row.estimate is None:
        return []
    hit = pair.assign(hit=(pair["value"] == level).astype(float))
    sums = hit.groupby(["unit", "source"])["hit"].agg(["sum", "size"]).unstack(fill_value=0.0)
    values: Any = 0.0
    gap = 0.0
    for name, sign in zip(names, (1, -1), strict=True):
        hits, sizes = sums["sum"][name], sums["size"][name]
        p = hits.sum() / sizes.sum()
        gap += sign * p
        values = values + sign * (p + len(sums) * (hits - p * sizes) / sizes.sum())
    checks = [compare(label(row), row.estimate, float(gap), package="pandas", tolerance=1e-12, why=COUNTED)]
    if row.std_error is None:
        return checks
    columns = ["g0", "g1"] if pair["crossed"].any() else ["left"]
    groups = pair.drop_duplicates("unit").set_index("unit").loc[sums.index, columns]
    codes = np.column_stack([np.unique(groups[c], return_inverse=True)[1].ravel() for c in columns])
    return checks + mean_row_checks(row, values.to_numpy(), codes, result.settings["level"], cut=(-1.0, 1.0))


def chi_checks(result: Result, row: Row, plain: Row, pair: pd.DataFrame, names: tuple[str, str]) -> list[Check]:
    """Compare chi-square, df and p of independent ratings with scipy's, and p of swaps with other swaps."""
    from scipy.stats import chi2_contingency

    if plain.statistic is None:
        return []
    counts = pair.groupby(["source", "value"]).size().unstack(fill_value=0).loc[list(names)].to_numpy()
    test = chi2_contingency(counts, correction=False)
    checks = [same_p(label(plain, "p"), plain.p_value, float(test.pvalue), "scipy", CLOSED)]
    for one in (row, plain) if row.statistic is not None else (plain,):
        checks += [relative(label(one, "chi-square"), one.statistic, float(test.statistic), "scipy", CLOSED, size=1e-6),
                   relative(label(one, "df"), one.df, float(test.dof), "scipy", CLOSED)]  # fmt: skip
    if row.p_value is None:
        return checks
    sums = pair.groupby(["unit", "source", "value"]).size().unstack(fill_value=0)
    units = sums.index.get_level_values("unit").unique()
    sides = [sums.xs(name, level="source").reindex(units, fill_value=0).to_numpy(dtype=float) for name in names]
    sizes = [side.sum() for side in sides]
    left = pair.drop_duplicates("unit").set_index("unit").loc[units, "left"].to_numpy()
    shares = sides[0] / sizes[0], sides[1] / sizes[1]
    swapped = partial(chi_square, sizes=sizes)
    return [*checks, swap_check(row, shares, left, swapped, result.settings["permutations"])]


def chi_square(p: FloatArray, q: FloatArray, sizes: list[float]) -> FloatArray:
    """Chi-square of (B, levels) shares, scaled to sum 1, of samples of these sizes."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = (x / x.sum(axis=1, keepdims=True) for x in (p, q))
        both = (sizes[0] * p + sizes[1] * q) / sum(sizes)
        terms = np.where(both > 0, (p - q) ** 2 / both, 0.0)
    return np.asarray(terms.sum(axis=1) * sizes[0] * sizes[1] / sum(sizes))


TABLED = "the same mean of a table of clusters"
SAME = "the same test in another order of arithmetic"


def change_checks(result: Result, table: pd.DataFrame, names: list[str], rows: Iterator[Row]) -> list[Check]:
    """Compare what is left of the rows: changes of each source, and of the others less the reference."""
    settings = result.settings
    if settings["base"] is None:
        return []
    base, reference = str(settings["base"]), str(settings["reference"])
    counts = table.groupby(["left", "source", "cell"])["value"].value_counts().unstack(fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0).reindex(
        columns=list(result.extras["counts"][reference]), fill_value=0
    )
    cells = [cell for cell in table.attrs["cells"] if cell != base]
    checks: list[Check] = []
    for name, less in [(n, None) for n in names] + [(n, reference) for n in names if n != reference]:
        moved = [change(shares, name, less, cell, base) for cell in cells]
        for one in moved:
            for level in shares.columns:
                checks += level_checks(next(rows), one[level].to_numpy())
        for one in moved:
            checks += joint_checks(next(rows), one)
    return checks


def change(shares: pd.DataFrame, name: str, less: str | None, cell: str, base: str) -> pd.DataFrame:
    """Changes by cluster of one source, or of one less another, where all shares are there."""
    own = part(shares, name, cell) - part(shares, name, base)
    if less is not None:
        own = own - (part(shares, less, cell) - part(shares, less, base))
    return own.dropna()


def part(shares: pd.DataFrame, source: str, cell: str) -> pd.DataFrame:
    """Shares of one source in one stratum, by cluster."""
    index = shares.index
    kept = (index.get_level_values("source") == source) & (index.get_level_values("cell") == cell)
    return shares[kept].droplevel(["source", "cell"])


def level_checks(row: Row, values: FloatArray) -> list[Check]:
    """Compare a mean, its t and its interval."""
    from scipy import stats

    where = f"{row.term} [{row.group}]"
    if row.estimate is None:
        return []
    test = stats.ttest_1samp(values, 0.0) if row.conf_low is not None else None
    mean = float(values.mean())
    checks = [compare(where, row.estimate, mean, package="pandas", tolerance=1e-12, why=TABLED)]
    if test is not None:
        low, high = test.confidence_interval(row.conf_level or 0.95)
        pairs = (("t", row.statistic, test.statistic), ("low", row.conf_low, low), ("high", row.conf_high, high))
        checks += [relative(f"{where}, {name}", ours, float(other), "scipy", SAME) for name, ours, other in pairs]
    return checks


def joint_checks(row: Row, values: pd.DataFrame) -> list[Check]:
    """Compare Hotelling's test."""
    if row.p_value is None or row.statistic is None:
        return []
    from statsmodels.stats.multivariate import test_mvmean

    theirs = test_mvmean(values.iloc[:, :-1].to_numpy())
    where = f"{row.term} [{row.group}]"
    pairs = (("T-squared", row.statistic, float(theirs.t2)), ("p", row.p_value, float(theirs.pvalue)))
    return [relative(f"{where}, {name}", ours, other, "statsmodels", SAME) for name, ours, other in pairs]
