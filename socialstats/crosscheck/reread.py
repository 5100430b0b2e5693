"""Two readings of the same replies once more: pandas joins them, clusters give the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import mean_row_checks
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Row

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same answers, averaged in another order"
OF_ONE = {"mean before": "before", "mean after": "after"}


def checks_of(result: Result) -> list[Check]:
    """Recompute every row from the two tables of ratings, joined by pandas.

    Parameters
    ----------
    result : Result
        ``design`` holds both readings, the key of a row its quantity, rater and level of the by factor.
    """
    table = joined(result)
    checks: list[Check] = []
    for row in result.rows:
        own = table
        for column in ("rater", "by"):
            own = own if row.label(column) is None else own[own[column] == row.label(column)]
        checks += share_of(result, row, own) if row.label("quantity") == "share" else mean_of(result, row, own)
    return checks


def joined(result: Result) -> pd.DataFrame:
    """Return one row an answer: unit, rater, by, label and score in both readings, clusters."""
    import pandas as pd

    tables = []
    for design in result.design:
        by = np.zeros(len(design.unit), dtype=np.int64) if design.by is None else design.by.codes
        names = np.array([*design.levels, None], dtype=object)
        scores = np.append(design.scores, np.nan)
        columns: dict[str, Any] = {
            "unit": np.array(design.units, dtype=object)[design.unit],
            "rater": np.array(design.raters, dtype=object)[design.rater],
            "by": "" if design.by is None else np.array(design.by.levels, dtype=object)[by],
            "label": [(*pair,) for pair in zip(design.status.tolist(), names[design.value].tolist(), strict=True)],
            "score": np.where(design.status == 0, scores[design.value], np.nan),
        }
        columns |= {f"cluster{k}": factor.codes[design.unit] for k, factor in enumerate(design.clusters)}
        tables.append(pd.DataFrame(columns))
    second = tables[1][["unit", "rater", "by", "label", "score"]]
    return tables[0].merge(second, on=["unit", "rater", "by"], suffixes=("_before", "_after"), validate="1:1")


def groups_of(own: pd.DataFrame) -> Any:
    """(answers, factors) array of the clusters' codes: the declared ones, or the unit."""
    import pandas as pd

    columns = [name for name in own.columns if name.startswith("cluster")] or ["unit"]
    return np.column_stack([pd.factorize(own[name], sort=True)[0] for name in columns])


def share_of(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a share of changed answers, its error and Wilson's interval."""
    changed = (own["label_before"] != own["label_after"]).to_numpy(dtype=float)
    codes = groups_of(own).tolist()
    found = {k: (x, 1.0, tuple(c)) for k, (x, c) in enumerate(zip(changed.tolist(), codes, strict=True))}
    return share_checks(result, row, found, float(len(changed)))


def mean_of(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a mean (or a change of it), its error, t, p and interval."""
    known = own[own["score_before"].notna() & own["score_after"].notna()]
    gap = known["score_after"] - known["score_before"]
    reading = OF_ONE.get(row.label("quantity") or "")
    values = (gap if reading is None else known[f"score_{reading}"]).to_numpy()
    name = " ".join(word for word in (row.group, row.by, row.term) if word)
    out = [compare(name, row.estimate, float(values.mean()), package="pandas", tolerance=1e-10, why=SAME)]
    if row.std_error is None:
        return out
    return out + mean_row_checks(row, values, groups_of(known), result.settings["level"])
