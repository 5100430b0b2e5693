"""Label counts once more: pandas tables, statsmodels' Wilson intervals, a regression through the origin for ratios."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.designs.label_lists import LabelLists
from socialstats.results import Check, Result, Row, Verification

COUNTED = "the same counts, divided"
CLOSED = "the same closed form in another order of arithmetic"
RATIO = "weighted regression on a constant, weights the labels of a unit: its sandwich times sqrt(n/(n - 1))"


def verify(result: Result) -> Verification:
    """Recompute counts and shares of all rows, and intervals and standard errors of independent units."""
    import pandas as pd

    lists: LabelLists = result.design
    cells = np.repeat(np.arange(len(lists.count)), lists.count.astype(int))
    table = pd.DataFrame(lists.cited[cells], columns=list(lists.labels))
    checks: list[Check] = []
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    for one, of_units, of_labels in trios:
        part = table
        if one.group is not None and lists.group is not None:
            part = table[lists.group.codes[cells] == lists.group.levels.index(one.group)]
        hits, sizes = part[one.term], part.sum(axis=1)
        where = f"{one.term} [{one.group or 'all units'}]"
        values = ((one, "count", hits.sum()), (of_units, "of units", hits.mean()))
        for row, name, theirs in (*values, (of_labels, "of labels", hits.sum() / max(sizes.sum(), 1))):
            if row.estimate is not None:
                checks.append(compare(f"{where}, {name}", row.estimate, float(theirs), package="pandas",
                                      tolerance=1e-9, why=COUNTED))  # fmt: skip
        if not result.settings["cluster"]:
            checks += wilson_checks(where, of_units, hits.to_numpy())
            checks += ratio_checks(where, of_labels, hits.to_numpy(), sizes.to_numpy())
    return Verification(checks=tuple(checks))


def wilson_checks(where: str, row: Row, hits: Any) -> list[Check]:
    """Compare Wilson's interval of a share of units."""
    from statsmodels.stats.proportion import proportion_confint

    if row.conf_low is None or row.method != "Wilson":
        return []
    ends = proportion_confint(hits.sum(), len(hits), alpha=1 - (row.conf_level or 0.95), method="wilson")
    return [
        compare(f"{where}, {name}", ours, float(theirs), package="statsmodels", tolerance=1e-9, why=CLOSED)
        for name, ours, theirs in (("low", row.conf_low, ends[0]), ("high", row.conf_high, ends[1]))
    ]


def ratio_checks(where: str, row: Row, hits: Any, sizes: Any) -> list[Check]:
    """Compare the standard error of a share of labels."""
    from statsmodels.regression.linear_model import WLS

    if row.std_error is None:
        return []
    used = sizes > 0
    fit = WLS(hits[used] / sizes[used], np.ones(int(used.sum())), weights=sizes[used]).fit(cov_type="HC0")
    theirs = float(fit.bse[0]) * math.sqrt(len(hits) / (len(hits) - 1))
    return [
        compare(f"{where}, s.e. of labels", row.std_error, theirs, package="statsmodels", tolerance=1e-9, why=RATIO)
    ]
