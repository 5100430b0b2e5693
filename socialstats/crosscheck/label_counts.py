"""Label counts once more: pandas tables, statsmodels' Wilson intervals, ratios by sums over units or clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.crosscheck.share_errors import clustered_share_checks
from socialstats.designs.label_lists import LabelLists
from socialstats.results import Check, Result, Row, Verification

COUNTED = "the same counts, divided"
CLOSED = "the same closed form in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute counts, shares, their standard errors and intervals."""
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
        factors = lists.factors() if result.settings["cluster"] else ()
        units = cells[part.index.to_numpy()]
        groups = np.column_stack([f.codes[units] for f in factors]) if factors else part.index.to_numpy()[:, None]
        some = {"level": result.settings["level"], "ends": result.settings["ci"] == "wilson"}
        if factors:
            checks += clustered_share_checks(of_units, hits, np.ones(len(hits)), groups, answers=len(hits), **some)
        else:
            checks += wilson_checks(where, of_units, hits.to_numpy())
        most = float(sizes.sum()) if factors else math.inf
        ratio = (hits / sizes.where(sizes > 0, 1)).to_numpy()
        checks += clustered_share_checks(of_labels, ratio, sizes, groups, answers=most, **some)
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
