"""Choice shares once more: pandas counts, statsmodels' Wilson intervals, scipy's chi-square, regressions by cluster."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.choice_changes import change_checks
from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.rated_table import rated_table
from socialstats.crosscheck.row_arithmetic import relative, same_p
from socialstats.crosscheck.share_errors import clustered_share_checks
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

COUNTED = "the same counts, divided"
CLOSED = "the same closed form in another order of arithmetic"
EQUAL = "clusters of one size: CR2 is the plain sandwich times sqrt(G/(G - 1))"


def verify(result: Result) -> Verification:
    """Recompute the shares of all rows, and standard errors, intervals and tests of all units."""
    table = rated_table(result, "stratum")
    base = str(result.settings["reference"])
    names = list(result.extras["counts"])
    levels = list(result.extras["counts"][base])
    rows = iter(result.rows)
    cells = [None, *sorted_cells(table, result)]
    checks: list[Check] = []
    for cell in cells:
        part = table if cell is None else table[table["cell"] == cell]
        for name in names:
            own = part[part["source"] == name]
            checks += [c for level in levels for c in share_checks(result, next(rows), own, level, cell is None)]
    for name in (n for n in names if n != base):
        for some in (cells[:1], cells[1:]):
            for cell in some:
                part = table if cell is None else table[table["cell"] == cell]
                pair = both_rated(part, name, base)
                checks += [c for level in levels for c in gap_checks(next(rows), pair, (name, base), level)]
            swaps = [next(rows) for _ in some]
            plain = [next(rows) for _ in some]
            for cell, row, other in zip(some, swaps, plain, strict=True):
                part = table if cell is None else table[table["cell"] == cell]
                checks += chi_checks(row, other, both_rated(part, name, base), (name, base))
    changes = change_checks(result, table, names, rows)
    return Verification(checks=(*gathered(checks, cells), *changes))


def gathered(checks: list[Check], cells: list[str | None]) -> list[Check]:
    """Keep the checks of all units, and of the strata the largest difference and what disagrees."""
    if len(cells) < 2:
        return checks
    strata = [c for c in checks if any(f", {cell}]" in c.quantity for cell in cells[1:])]
    whole = [c for c in checks if c not in strata]
    return [*whole, worst(strata, "numbers of strata"), *(c for c in strata if c.ok is False)]


def sorted_cells(table: pd.DataFrame, result: Result) -> list[str]:
    """Cells in the order of the rows."""
    return list(table.attrs["cells"]) if result.counts.get("strata") else []


def both_rated(part: pd.DataFrame, name: str, base: str) -> pd.DataFrame:
    """Ratings of two sources in the units that both rated."""
    units = set(part.loc[part["source"] == name, "unit"]) & set(part.loc[part["source"] == base, "unit"])
    return part[part["unit"].isin(units) & part["source"].isin([name, base])]


def share_checks(result: Result, row: Row, own: pd.DataFrame, level: str, whole: bool) -> list[Check]:
    """Compare a share; of all units its standard error, df and Wilson's interval."""
    where = f"{level} [{row.group}]"
    if row.estimate is None:
        return []
    hits = (own["value"] == level).to_numpy(dtype=float)
    checks = [
        compare(where, row.estimate, float(hits.mean()), package="pandas", tolerance=1e-12, why=COUNTED)
    ]  # fmt: skip
    if not whole or row.conf_low is None:
        return checks
    if not own["clustered"].any() and not own["unit"].duplicated().any() and row.method == "Wilson":
        from statsmodels.stats.proportion import proportion_confint

        level_ = row.conf_level or 0.95
        ends = proportion_confint(hits.sum(), len(hits), alpha=1 - level_, method="wilson")
        return checks + [
            compare(f"{where}, {name}", ours, float(theirs), package="statsmodels", tolerance=1e-9, why=CLOSED)
            for name, ours, theirs in (("low", row.conf_low, ends[0]), ("high", row.conf_high, ends[1]))
        ]
    settings = result.settings
    groups = own[["left", "right"] if own["crossed"].any() else ["left"]].to_numpy()
    return checks + clustered_share_checks(
        replace(row, term=where, group=None), hits, np.ones(len(hits)), groups, answers=len(hits),
        level=settings["level"], ends=settings["ci"] == "wilson",
    )  # fmt: skip


def error_checks(where: str, row: Row, values: Any, groups: Any, own: pd.DataFrame) -> list[Check]:
    """Compare the standard error with a regression on the mean, where clusters have one size."""
    from statsmodels.regression.linear_model import OLS

    codes, sizes = np.unique(groups, return_inverse=True)[1], np.unique(groups, return_counts=True)[1]
    if own["crossed"].any() or np.ptp(sizes) > 0 or row.std_error is None:
        return []
    options = {"groups": codes, "use_correction": False}
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=options)
    theirs = float(fit.bse[0]) * math.sqrt(len(sizes) / (len(sizes) - 1))
    return [compare(f"{where}, s.e.", row.std_error, theirs, package="statsmodels", tolerance=1e-9, why=EQUAL)]


def gap_checks(row: Row, pair: pd.DataFrame, names: tuple[str, str], level: str) -> list[Check]:
    """Compare a difference; its standard error where units have equally many ratings and clusters one size."""
    where = f"{level} [{row.group}]"
    if row.estimate is None:
        return []
    hit = pair.assign(hit=(pair["value"] == level).astype(float))
    shares = hit.groupby("source")["hit"].mean()
    gap = float(shares[names[0]] - shares[names[1]])
    checks = [compare(where, row.estimate, gap, package="pandas", tolerance=1e-12, why=COUNTED)]
    wide = hit.groupby(["unit", "source"])["hit"].agg(["mean", "size"]).unstack()
    if any(np.ptp(wide["size"][name].to_numpy()) > 0 for name in names):
        return checks
    values = (wide["mean"][names[0]] - wide["mean"][names[1]]).to_numpy()
    groups = pair.drop_duplicates("unit").set_index("unit").loc[wide.index, "left"].to_numpy()
    return checks + error_checks(where, row, values, groups, pair)


def chi_checks(row: Row, plain: Row, pair: pd.DataFrame, names: tuple[str, str]) -> list[Check]:
    """Compare chi-square, df and the p-value of independent ratings with scipy's."""
    from scipy.stats import chi2_contingency

    if row.statistic is None:
        return []
    counts = pair.groupby(["source", "value"]).size().unstack(fill_value=0).loc[list(names)].to_numpy()
    test = chi2_contingency(counts, correction=False)
    where = f"any level [{row.group}]"
    return [
        relative(f"{where}, chi-square", row.statistic, float(test.statistic), "scipy", CLOSED, size=1e-6),
        relative(f"{where}, df", row.df, float(test.dof), "scipy", CLOSED),
        same_p(f"{where}, p of independent ratings", plain.p_value, float(test.pvalue), "scipy", CLOSED),
    ]
