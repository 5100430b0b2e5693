"""Differences of two tables of ratings once more: pandas for means and distances, krippendorff for alpha."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.results import Check, Result, Row

PLAIN = "the same numbers, averaged unit by unit"


def checks_of(result: Result) -> list[Check]:
    """Recompute every difference.

    Parameters
    ----------
    result : Result
        `group` of its rows says the kind of number; ``extras["parts"]`` holds both tables on common units,
        ``extras["people"]`` the rater group that tells people, where they are among the raters.
    """
    rows, parts, people = result.rows, result.extras["parts"], result.extras["people"]
    one = parts[0]
    tables = [long_table(design, people) for design in parts]
    shares = {f"share of {level}": level for level in one.levels}
    checks = []
    for row in rows:
        if row.estimate is None:
            continue
        if row.group == "alpha":
            ours = [alpha(tables, one, k) for k in (0, 1)]
            package = "krippendorff"
        else:
            ours = paired_means(row, tables, one, shares)
            package = "pandas"
        checks.append(
            compare(f"difference of {row.term}", row.estimate, ours[0] - ours[1], package=package, tolerance=1e-9,
                    why=PLAIN)
        )  # fmt: skip
    return checks


def long_table(design: Ratings, people: Any) -> Any:
    """Return one row a rating: unit, rater, code of the level (-1 a refusal), score, whether a person gave it."""
    import pandas as pd

    given = (design.status == OK) | (design.status == REFUSAL)
    human = np.zeros(len(design.raters), dtype=bool)
    if people is not None:
        factor = design.rater_groups[people.name]
        human = np.asarray(factor.codes == factor.levels.index(people.human))
    code = np.where(design.status == OK, design.value, -1)[given]
    scores = np.append(design.scores, np.nan)
    return pd.DataFrame({"unit": design.unit[given], "rater": design.rater[given], "code": code, "score": scores[code],
                         "person": human[design.rater[given]]})  # fmt: skip


def paired_means(row: Row, tables: Sequence[Any], design: Ratings, shares: dict[str, str]) -> list[float]:
    """Return a mean of both tables over the units that both know."""
    found = []
    for table in tables:
        judged = table[~table["person"]]
        if row.group == "distance":
            judged = judged.assign(x=distances(table, design))
        elif row.group == "shares":
            judged = judged[judged["code"] >= 0].assign(x=lambda f: f["code"] == design.levels.index(shares[row.term]))
        else:
            judged = judged[judged["code"] >= 0].assign(x=lambda f: f["score"])
        found.append(judged.groupby("unit")["x"].mean().dropna())
    common = found[0].index.intersection(found[1].index)
    return [float(means[common].mean()) for means in found]


def distances(table: Any, design: Ratings) -> Any:
    """Return the distance of each answer that is not a person's from the people's mode; refusals: the scale's width."""
    people = table[table["person"] & (table["code"] >= 0)]
    modes = people.groupby("unit")["score"].agg(lambda scores: scores.mode().mean())
    judged = table[~table["person"]]
    far = (judged["score"] - judged["unit"].map(modes)).abs()
    width = float(design.scores.max() - design.scores.min())
    return far.where(judged["code"] >= 0, width).where(judged["unit"].isin(modes.index))


def alpha(parts: Sequence[Any], design: Ratings, k: int) -> float:
    """Return Krippendorff's alpha of one of two tables, of the units that have two ratings in both."""
    from krippendorff import alpha as theirs

    tables = [table[table["code"] >= 0] for table in parts]
    sizes = [table.groupby("unit").size() for table in tables]
    common = set(sizes[0].index[sizes[0] > 1]) & set(sizes[1].index[sizes[1] > 1])
    own = tables[k][tables[k]["unit"].isin(common)]
    codes = own.pivot(index="rater", columns="unit", values="score").to_numpy(dtype=float)
    scale: Any = design.scale
    return float(theirs(codes, level_of_measurement=scale, value_domain=sorted(np.unique(codes[~np.isnan(codes)]))))
