"""Couples once more: one record an answer, read from the design again with labels for everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.results import Result

if TYPE_CHECKING:
    import pandas as pd

CELL = ["level", "rater", "group_first", "group_second"]
Key = tuple[str, Any, str, str]  # level of the stratum ("" for all answers), rater, groups of both names


def records(result: Result) -> pd.DataFrame:
    """Return one record an answer, repeated by its count (each copy is a unit): labels, score and clusters.

    ``rater`` is 0 where raters are pooled, ``who`` who answered; ``stratum`` the level of the stratum, if there is one.
    """
    import pandas as pd

    design: Ratings = result.design
    options = result.settings
    known = {**design.strata, **{f.name: f for f in design.clusters}}
    ok = design.status == 0
    unit = design.unit[ok]
    first = design.levels[np.flatnonzero([same(v, options["answers"][0]) for v in design.levels])[0]]
    table = pd.DataFrame({
        "score": np.where(np.array(design.levels, dtype=object)[design.value[ok]] == first, -1.0, 1.0),
        "rater": design.rater[ok] if options["aggregate"] == "rater" else 0, "who": design.rater[ok], "row": unit,
    })  # fmt: skip
    names = {name: options[name] for name in ("scenario", "pair", "group_first", "group_second")}
    if options["stratum"] is not None:
        names["stratum"] = options["stratum"]
    for part, name in names.items():
        table[part] = np.array(known[name].levels, dtype=object)[known[name].codes[unit]]
    for k, factor in enumerate(design.factors(options["cluster"])):
        table[f"g{k}"] = factor.codes[unit]
    table = table.loc[table.index.repeat(design.unit_count[unit].astype(int))]
    table["copy"] = table.groupby(level=0).cumcount()
    table = table[table[["group_first", "group_second"]].isin(result.extras["groups"]).all(axis=1)]
    table = complete(table) if options["couples"] == "complete" else table
    return table.assign(unit=table.groupby(["row", "copy"]).ngroup()).reset_index(drop=True)


def same(label: str, answer: Any) -> bool:
    """Tell whether a label is this answer, as text or as a number."""
    try:
        return float(label) == float(answer)
    except (TypeError, ValueError):
        return label == str(answer)


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out couples of two groups with answers in one order only."""
    groups = table[["group_first", "group_second"]]
    kind = groups.apply(lambda r: " / ".join(sorted(map(str, r))), axis=1)
    orders = table.groupby([table["scenario"], table["pair"], table["who"], kind])["group_first"].transform("nunique")
    return table[(orders == 2) | (table["group_first"] == table["group_second"])]


def weighted(table: pd.DataFrame, aggregate: str, level: str = "") -> pd.DataFrame:
    """Return the answers of a level with the weight of each in the mean of its cell (alike, or scenarios alike)."""
    mine = table if level == "" else table[table["stratum"] == level]
    mine = mine.assign(level=level, w=1.0)
    if aggregate == "scenario":
        mine["w"] = 1 / mine.groupby([*CELL, "scenario"])["score"].transform("size")
    return mine


def cell_means(table: pd.DataFrame) -> dict[Key, float]:
    """Weighted mean of each cell: level, rater, both groups."""
    total = table.assign(x=table["w"] * table["score"]).groupby(CELL)[["x", "w"]].sum()
    found: dict[Any, float] = (total["x"] / total["w"]).to_dict()
    return found


def bias_contrasts(means: dict[Key, float], a: str, b: str, level: str = "") -> list[dict[Key, float]]:
    """B_ab = S_ba - S_ab of each rater who has both orders, as coefficients of cells."""
    raters = sorted({key[1] for key in means if key[0] == level})
    each = [{(level, r, b, a): 1.0, (level, r, a, b): -1.0} for r in raters]
    return [one for one in each if set(one) <= set(means)]


def score_contrasts(means: dict[Key, float], a: str, b: str, level: str = "") -> list[dict[Key, float]]:
    """S_ab of each rater who has it."""
    return [{key: 1.0} for key in sorted(means) if (key[0], key[2], key[3]) == (level, a, b)]


def position_contrasts(means: dict[Key, float], level: str = "") -> list[dict[Key, float]]:
    """Mean of the scores of couples of one group, of each rater who has some."""
    found = []
    for r in sorted({key[1] for key in means if key[0] == level}):
        own = [key for key in means if key[:2] == (level, r) and key[2] == key[3]]
        found.append(dict.fromkeys(own, 1 / len(own)) if own else {})
    return [one for one in found if one]


def mean_contrast(each: list[dict[Key, float]]) -> dict[Key, float]:
    """Average the coefficients over raters."""
    return {key: value / len(each) for one in each for key, value in one.items()}


def value_of(contrast: dict[Key, float], means: dict[Key, float]) -> float:
    """Return the value of a contrast."""
    return float(sum(c * means[key] for key, c in contrast.items()))
