"""Comparisons and ratings as long pandas tables: the start of every brute-force check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

import numpy as np

import socialstats
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, Result
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


REFUSED = "(refusal)"


def rated_table(result: Result, option: str) -> pd.DataFrame:
    """Return unit, value, rater, source, cell, left (cluster, or unit), and whether clusters are declared, and crossed.

    `person` says who is one of several people of a source who are a sample.

    Parameters
    ----------
    result : Result
        With settings ``source``, ``refusal``, ``cluster`` and that of the strata.
    option : str
        Name of the setting that names the strata. Their cells, in order, are in ``attrs["cells"]``.
    """
    import pandas as pd

    design: Ratings = result.design
    settings = result.settings
    frame = design.table()
    frame = frame.loc[frame.index.repeat(frame["count"].astype(int))]
    copy = frame.groupby(["unit", "rater"]).cumcount().astype(str)
    out = pd.DataFrame({"unit": frame["unit"] + " #" + copy, "value": frame["value"]})
    out["source"] = frame["rater"].map(sources(design, str(settings["source"])))
    if settings["refusal"] == "level":
        out.loc[frame["status"] == "refusal", "value"] = (
            REFUSED if REFUSED not in design.levels else f"{REFUSED} "
        )
    (labels, cells), factors = (
        cells_of(design, settings[option]),
        design.factors(settings["cluster"]),
    )
    out["cell"] = frame["unit"].map(dict(zip(design.units, labels, strict=True)))
    for k, factor in enumerate(factors):
        out[f"g{k}"] = frame["unit"].map(
            dict(zip(design.units, factor.codes.tolist(), strict=True))
        )
    out["left"] = out["g0"] if factors else out["unit"]
    out["clustered"], out["crossed"] = bool(factors), len(factors) == 2
    out["rater"] = frame["rater"]
    out = out.dropna(subset=["value", "source"])
    several = out.groupby("source")["rater"].transform("nunique") > 1
    out["person"] = out["rater"].isin(result.extras.get("people", ())) & several
    out.attrs["cells"] = cells
    return out


IS = "is "


def with_levels(table: pd.DataFrame, design: Ratings, levels: Sequence[str]) -> pd.DataFrame:
    """Add what each rating counts for each level: 1 for its value, or the probabilities of a reply."""
    read = np.column_stack([table["value"] == level for level in levels]).astype(float)
    if design.probabilities is not None:
        known = np.flatnonzero(table["value"].isin(design.levels))
        read[known, : len(design.levels)] = design.read_as()[table.index[known]]
    return table.assign(
        **{f"{IS}{level}": column for level, column in zip(levels, read.T, strict=True)}
    )


def cells_of(design: Ratings, names: str | Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the cell of each unit, the levels of its strata joined, and all cells in order (none without strata)."""
    known = {**{factor.name: factor for factor in design.clusters}, **design.strata}
    factors = [known[name] for name in ([names] if isinstance(names, str) else names or [])]
    if not factors:
        return [""] * len(design.units), []
    of_units = list(zip(*(factor.codes.tolist() for factor in factors), strict=True))
    parts = {
        key: [f.levels[k] for f, k in zip(factors, key, strict=True)]
        for key in sorted(set(of_units))
    }
    labels = {key: ", ".join(part) for key, part in parts.items()}
    if len(set(labels.values())) < len(labels):  # 'a, b' and 'c' against 'a' and 'b, c'
        labels = {key: " | ".join(map(repr, part)) for key, part in parts.items()}
    return [labels[key] for key in of_units], list(labels.values())


def sources(design: Ratings, name: str) -> dict[str, str | None]:
    """Source of each rater; all raters are one source where there is no name."""
    if not name:
        return dict.fromkeys(
            design.raters, "all raters" if len(design.raters) > 1 else "this source"
        )
    group = design.rater_groups.get(name)
    labels = (
        design.raters
        if group is None
        else [group.levels[c] if c >= 0 else None for c in group.codes.tolist()]
    )
    return dict(zip(design.raters, labels, strict=True))
