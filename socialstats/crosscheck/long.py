"""Comparisons and ratings as long pandas tables: the start of every brute-force check."""

from __future__ import annotations

import math
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

import numpy as np

import socialstats
from socialstats.designs.comparisons import Comparisons
from socialstats.results import Check
from socialstats.results.verification import PEERS, install_line

if TYPE_CHECKING:
    import pandas as pd

NAMES = {1.0: "higher", 0.0: "equal", -1.0: "lower"}


LABEL = "direct sums"


def direct(quantity: str, ours: float | None, theirs: float, tolerance: float, why: str) -> Check:
    """Make a check against direct sums."""
    ok = bool(ours is not None and abs(ours - theirs) <= tolerance)
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=theirs,
        package=LABEL,
        version=socialstats.__version__,
        tolerance=tolerance,
        ok=ok,
        why=why,
    )


def long_table(design: Comparisons, covariate: str | None = None) -> pd.DataFrame:
    """Return two records a comparison (a cell where rows are weighted or parts of replies), one for each of its items.

    Columns: item, opponent, score, w, w2 (squared weights), pair, cell, row (one number for both records of a
    comparison), copies (comparisons of a row), and condition where a covariate is named.
    """
    import pandas as pd

    items = np.array(design.items, dtype=object)
    score = np.array([1.0, 0.0, 0.5])[design.outcome]
    base = {
        "a": items[design.item_a],
        "b": items[design.item_b],
        "score": score,
        "w": design.weight,
        "w2": design.weight_sq,
        "cell": np.arange(len(score)),
        "copies": design.count,
    }
    if covariate is not None:
        sides = design.covariates[covariate]
        base["sign"] = np.sign(np.asarray(sides.a, dtype=float) - np.asarray(sides.b, dtype=float))
    table = pd.DataFrame(base)
    if not design.weighted and design.replies is None:
        table = table.loc[table.index.repeat(design.count.astype(int))].assign(
            w=1.0, w2=1.0, copies=1.0
        )
    table["row"] = np.arange(len(table))
    table["pair"] = [" | ".join(sorted(pair)) for pair in zip(table["a"], table["b"], strict=True)]
    swapped = table.rename(columns={"a": "b", "b": "a"}).assign(score=1 - table["score"])
    if covariate is not None:
        swapped["sign"] = -table["sign"]
    both = pd.concat([table, swapped], ignore_index=True).rename(
        columns={"a": "item", "b": "opponent"}
    )
    if covariate is not None:
        both["condition"] = both["sign"].map(NAMES)
    return both


@cache
def version(package: str) -> str:
    """Return the installed version of a package, its metadata read once; empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def compare(
    quantity: str,
    ours: float | None,
    theirs: float | None,
    *,
    package: str,
    tolerance: float,
    why: str,
    note: str = "",
) -> Check:
    """Make one check; a number that exists on one side only is a disagreement, one that became NaN not compared."""
    if theirs is not None and math.isnan(theirs):
        absent = package in PEERS and not version(package)
        theirs, note = (
            None,
            note or (install_line(package) if absent else f"{package} gave no number"),
        )
    if ours is None and theirs is None:
        ok: bool | None = None
    elif ours is None or theirs is None:
        ok = None if note else False
    else:
        ok = bool(abs(ours - theirs) <= tolerance)
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=None if theirs is None else float(theirs),
        package=package,
        version=version(package),
        tolerance=tolerance,
        ok=ok,
        why=why,
        note=note,
    )


def worst(checks: list[Check], many: str) -> Check:
    """Keep the check with the largest difference; its name says of how many."""
    from dataclasses import replace

    failed = [c for c in checks if c.ok is False]
    chosen = max(failed or checks, key=lambda c: c.difference or 0.0)
    return replace(
        chosen, quantity=f"{chosen.quantity} (largest difference of {len(checks)} {many})"
    )
