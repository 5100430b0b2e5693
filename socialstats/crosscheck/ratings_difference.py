"""Two tables or readings of ratings recomputed: pandas joins and averages, krippendorff for alpha, clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.clusters import mean_row_checks
from socialstats.crosscheck.engine import verify
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.shares import share_checks
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.results import Check, Result, Row
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

PLAIN = "the same numbers, averaged unit by unit"


def checks_of(result: Result) -> list[Check]:
    """Recompute every difference.

    Parameters
    ----------
    result : Result
        `group` of its rows says the kind of number. ``extras["parts"]`` holds both tables as they were given, whose
        units are matched here by their labels. ``extras["people"]`` has the rater group of each that tells people,
        where they are among its raters.
    """
    rows, parts, people = result.rows, result.extras["parts"], result.extras["people"]
    one = parts[0]
    tables = [long_table(design, source) for design, source in zip(parts, people, strict=True)]
    shares = {f"share of {level}": level for level in one.levels}
    checks = []
    for row in rows:
        if row.estimate is None:
            continue
        if row.group == "alpha":
            ours = [alpha(tables, one, k) for k in (0, 1)]
            package = "krippendorff"
        else:
            ours = paired_means(row, tables, parts, shares)
            package = "pandas"
        checks.append(
            compare(
                f"difference of {row.term}",
                row.estimate,
                ours[0] - ours[1],
                package=package,
                tolerance=1e-9 * max(1.0, *map(abs, ours)),
                why=PLAIN,
            )
        )
    return checks


def long_table(design: Ratings, people: Any) -> Any:
    """Return one row per rating: unit, rater, level (-1 a refusal), score, whether human, weight of each level."""
    import pandas as pd

    given = (design.status == OK) | (design.status == REFUSAL)
    human = np.zeros(len(design.raters), dtype=bool)
    if people is not None:
        factor = design.rater_groups[people.name]
        human = np.asarray(factor.codes == factor.levels.index(people.human))
    code = np.where(design.status == OK, design.value, -1)[given]
    scores, read = np.append(design.scores, np.nan), enumerate(design.read_as()[given].T)
    units = np.array(design.units, dtype=object)[design.unit[given]]
    return pd.DataFrame(
        {
            "unit": units,
            "rater": design.rater[given],
            "code": code,
            "score": scores[code],
            "person": human[design.rater[given]],
            **{f"p{k}": own for k, own in read},
        }
    )


def paired_means(
    row: Row, tables: Sequence[Any], parts: Sequence[Ratings], shares: dict[str, str]
) -> list[float]:
    """Return a mean of both tables over the units that both know."""
    found = []
    for table, design in zip(tables, parts, strict=True):
        judged = table[~table["person"]]
        if row.group == "distance":
            judged = judged.assign(x=distances(table, design))
        else:
            judged = judged[judged["code"] >= 0]
            if row.group == "shares":
                judged = judged.assign(x=judged[f"p{design.levels.index(shares[row.term])}"])
            else:
                judged = judged.assign(
                    x=sum(judged[f"p{k}"] * score for k, score in enumerate(design.scores))
                )
        found.append(judged.groupby("unit")["x"].mean().dropna())
    common = found[0].index.intersection(found[1].index)
    return [float(means[common].mean()) for means in found]


def distances(table: Any, design: Ratings) -> Any:
    """Return the distance of each answer that is not a person's from the people's mode; refusals: the scale's width."""
    people = table[table["person"] & (table["code"] >= 0)]
    modes = people.groupby("unit")["score"].agg(lambda scores: scores.mode().mean())
    judged = table[~table["person"]]
    mode = judged["unit"].map(modes)
    far = sum(judged[f"p{k}"] * (mode - score).abs() for k, score in enumerate(design.scores))
    width = float(design.scores.max() - design.scores.min())
    return far.where(judged["code"] >= 0, width).where(judged["unit"].isin(modes.index))


def alpha(parts: Sequence[Any], design: Ratings, k: int) -> float:
    """Return Krippendorff's alpha of one of two tables, of the units that have two ratings in both."""
    theirs = load_peer("krippendorff", "alpha")

    tables = [table[table["code"] >= 0] for table in parts]
    sizes = [table.groupby("unit").size() for table in tables]
    common = set(sizes[0].index[sizes[0] > 1]) & set(sizes[1].index[sizes[1] > 1])
    own = tables[k][tables[k]["unit"].isin(common)]
    codes = own.pivot(index="rater", columns="unit", values="score").to_numpy(dtype=float)
    scale: Any = design.scale
    return float(
        theirs(
            codes,
            level_of_measurement=scale,
            value_domain=sorted(np.unique(codes[~np.isnan(codes)])),
        )
    )


MATCHED = "mean ratings of both groups, matched by the labels of the units"


def group_gap_checks(result: Result) -> list[Check]:
    """Match two groups of raters by unit again, from the ratings, and recompute the paired test.

    Parameters
    ----------
    result : Result
        Of `paired_difference`. ``extras["ratings"]`` holds the ratings; ``extras["groups"]`` the name of the factor of
        raters and its two levels.
    """
    import pandas as pd

    design, (name, first, second) = result.extras["ratings"], result.extras["groups"]
    factor, row = design.rater_groups[name], result.rows[0]
    given = design.status == OK
    groups = factor.labels()
    table = pd.DataFrame(
        {
            "unit": np.array(design.units, dtype=object)[design.unit[given]],
            "group": groups[design.rater[given]],
            "value": (design.read_as() @ design.scores)[given],
        }
    )
    means = (
        table.groupby(["unit", "group"])["value"].mean().unstack("group")[[first, second]].dropna()
    )
    gaps = means[first] - means[second]
    size = max(1.0, float(np.abs(design.scores).max()))
    return [
        compare(
            "difference of matched units",
            row.estimate,
            float(gaps.mean()),
            package="pandas",
            tolerance=1e-9 * size,
            why=MATCHED,
        ),
        compare(
            "units of both groups",
            row.n,
            float(len(gaps)),
            package="pandas",
            tolerance=0.0,
            why=MATCHED,
        ),
        *verify(result, result.entry().definition).checks,
    ]


SAME = "the same answers, averaged in another order"
OF_ONE = {"mean before": "before", "mean after": "after"}


def rereading_checks(result: Result) -> list[Check]:
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
        checks += (
            share_of(result, row, own)
            if row.label("quantity") == "share"
            else mean_of(result, row, own)
        )
    return checks


def joined(result: Result) -> pd.DataFrame:
    """Return one row per answer: unit, rater, by, label and score in both readings, clusters."""
    import pandas as pd

    tables = []
    for design in result.design:
        by = np.zeros(len(design.unit), dtype=np.int64) if design.by is None else design.by.codes
        names = np.array([*design.levels, None], dtype=object)
        scores = np.append(design.scores, np.nan)
        columns: dict[str, Any] = {
            "unit": np.array(design.units, dtype=object)[design.unit],
            "rater": np.array(design.raters, dtype=object)[design.rater],
            "by": ""
            if design.by is None
            else np.array([*design.by.levels, ""], dtype=object)[by],  # people: none
            "label": [
                (*pair,)
                for pair in zip(design.status.tolist(), names[design.value].tolist(), strict=True)
            ],
            "score": np.where(design.status == 0, scores[design.value], np.nan),
        }
        columns |= {
            f"cluster{k}": factor.codes[design.unit] for k, factor in enumerate(design.clusters)
        }
        tables.append(pd.DataFrame(columns))
    second = tables[1][["unit", "rater", "by", "label", "score"]]
    return tables[0].merge(
        second, on=["unit", "rater", "by"], suffixes=("_before", "_after"), validate="1:1"
    )


def groups_of(own: pd.DataFrame) -> Any:
    """(answers, factors) array of the clusters' codes: the declared ones, or the unit."""
    import pandas as pd

    columns = [name for name in own.columns if name.startswith("cluster")] or ["unit"]
    return np.column_stack([pd.factorize(own[name], sort=True)[0] for name in columns])


def share_of(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a share of changed answers, its error and Wilson's interval."""
    changed = (own["label_before"] != own["label_after"]).to_numpy(dtype=float)
    codes = groups_of(own).tolist()
    found = {
        k: (x, 1.0, tuple(c)) for k, (x, c) in enumerate(zip(changed.tolist(), codes, strict=True))
    }
    return share_checks(result, row, found, float(len(changed)))


def mean_of(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a mean (or a change of it), its error, t, p and interval."""
    known = own[own["score_before"].notna() & own["score_after"].notna()]
    gap = known["score_after"] - known["score_before"]
    reading = OF_ONE.get(row.label("quantity") or "")
    values = (gap if reading is None else known[f"score_{reading}"]).to_numpy()
    name = " ".join(word for word in (row.group, row.by, row.term) if word)
    out = [
        compare(
            name, row.estimate, float(values.mean()), package="pandas", tolerance=1e-10, why=SAME
        )
    ]
    if row.std_error is None:
        return out
    return out + mean_row_checks(row, values, groups_of(known), result.settings["level"])
