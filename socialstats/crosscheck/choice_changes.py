"""Changes of choice shares once more: pandas tables of clusters, scipy's t and statsmodels' Hotelling test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import relative
from socialstats.results import Check, FloatArray, Result, Row

if TYPE_CHECKING:
    import pandas as pd

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
