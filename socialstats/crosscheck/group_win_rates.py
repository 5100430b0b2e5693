"""Win rates between groups once more: pandas averages the comparisons of two groups, clusters give the errors."""

from __future__ import annotations

import numpy as np

from socialstats.crosscheck.shares import mean_checks
from socialstats.results import Check, Result


def verify(result: Result) -> list[Check]:
    """Recompute every rate, its error and its interval from the comparisons, one line each."""
    import pandas as pd

    design = result.design
    group = pd.Series(result.extras["groups"])
    items = np.array(design.items, dtype=object)
    names = result.settings["cluster"]
    pair = [f"{a}|{b}" for a, b in np.sort(np.column_stack([items[design.item_a], items[design.item_b]]), axis=1)]
    known = {factor.name: factor.codes for factor in design.clusters}
    table = pd.DataFrame({"a": group[items[design.item_a]].to_numpy(), "b": group[items[design.item_b]].to_numpy(),
                          "outcome": design.outcome, "weight": design.weight, "times": design.count,
                          "squares": design.weight_sq})  # fmt: skip
    table = table.loc[table.index.repeat(table["times"].astype(int))]
    table[["weight", "squares"]] = table[["weight", "squares"]].div(table["times"], axis=0)
    if not names:  # every comparison is a cluster of its own
        names, known = ["row"], {"row": np.arange(len(table))}
    pair = np.repeat(pair, design.count.astype(int)).tolist()
    known = {name: code if name == "row" else np.repeat(code, design.count.astype(int)) for name, code in known.items()}
    for k, name in enumerate(names):
        table[f"cluster{k}"] = known[name] if name in known else pd.factorize(np.array(pair))[0]
    checks: list[Check] = []
    for row in result.rows:
        one, two = row.label("group"), row.label("other")
        own = table[((table["a"] == one) & (table["b"] == two)) | ((table["a"] == two) & (table["b"] == one))]
        first = own["outcome"].map({0: 1.0, 1: 0.0, 2: 0.5}).to_numpy()
        values = np.where(own["a"] == one, first, 1 - first)
        codes = own[[f"cluster{k}" for k in range(len(names))]].to_numpy(dtype=np.int64).reshape(len(own), len(names))
        answers = float(own["weight"].sum() ** 2 / own["squares"].sum())
        checks += mean_checks(result, row, values, own["weight"].to_numpy(dtype=float), codes, answers)
    return checks
