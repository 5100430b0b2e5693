"""Choice shares recomputed: pandas counts, Wilson's ends as roots, scipy's chi-square, matrices of clusters."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import errors_of_mean, mean_row_checks
from socialstats.crosscheck.long import IS, compare, rated_table, with_levels
from socialstats.crosscheck.people import Part, joined_errors, numbers
from socialstats.crosscheck.people import joint_checks as people_checks
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    label,
    relative,
    same_p,
    wald_checks,
)
from socialstats.crosscheck.shares import clustered_share_checks, mean_checks
from socialstats.crosscheck.swapping import swap_check
from socialstats.crosscheck.weights import LINEARISED, weighted_errors
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

COUNTED = "the same counts, divided"
CLOSED = "the same closed form in another order of arithmetic"


def verify(result: Result) -> Verification:
    """Recompute shares, differences and changes of all rows, with standard errors, intervals and tests."""
    levels = list(result.extras["counts"][str(result.settings["reference"])])
    table = with_levels(rated_table(result, "stratum"), result.design, levels)
    held = result.design.unit_weight
    table["held"] = (
        1.0 if held is None else held[result.design.unit[table.index.to_numpy(dtype=int)]]
    )
    base, reference = result.settings["base"], str(result.settings["reference"])
    parts = {
        cell: table if cell is None else table[table["cell"] == cell]
        for cell in [None, *table.attrs["cells"]]
    }
    pairs: dict[Any, pd.DataFrame] = {}
    moved: dict[Any, tuple[pd.DataFrame, list[Part | None]]] = {}
    families: dict[Any, list[Row]] = {}
    shares = cluster_shares(table, result) if base is not None else None
    checks: list[Check] = []
    for row in result.rows:
        name, cell, less = str(row.label("source")), row.label("stratum"), row.label("reference")
        families.setdefault(
            (
                row.role,
                row.test if row.role == "test" else None,
                name,
                less,
                cell is None,
                row.label("base"),
            ),
            [],
        ).append(row)
        if shares is not None and row.label("base") is not None:
            if (name, less, cell) not in moved:
                own, drawn = (
                    change(shares, name, less, str(cell), str(base)),
                    bool(result.extras["people"]),
                )
                people = (
                    change_people(table, own, (name, less), str(cell), str(base)) if drawn else []
                )
                moved[name, less, cell] = own, people
            own, people = moved[name, less, cell]
            make = joint_checks if row.role == "test" else level_checks
            checks += make(row, own) if not any(people) else change_checks(row, own, people, levels)
        elif row.label("entropy") is not None:
            checks += entropy_checks(result, row, parts[cell][parts[cell]["source"] == name])
        elif row.role == "estimate":
            checks += rating_checks(result, row, parts[cell][parts[cell]["source"] == name])
        else:
            if (name, cell) not in pairs:
                pairs[name, cell] = both_rated(parts[cell], name, reference)
            checks += (equality_checks if row.role == "test" else gap_checks)(
                result, row, pairs[name, cell], (name, reference)
            )
    for rows in families.values():
        if any(row.p_adjusted is not None for row in rows):
            checks += adjusted_checks(rows)
    return Verification(checks=tuple(checks))


def both_rated(part: pd.DataFrame, name: str, base: str) -> pd.DataFrame:
    """Ratings of two sources in the units that both rated."""
    units = set(part.loc[part["source"] == name, "unit"]) & set(
        part.loc[part["source"] == base, "unit"]
    )
    return part[part["unit"].isin(units) & part["source"].isin([name, base])]


def rating_checks(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a share of ratings; without declared clusters a unit with several ratings is one."""
    if row.estimate is None:
        return []
    names = ["g0", "g1"] if own["crossed"].any() else ["left"]
    alone = not own["clustered"].any() and not own["unit"].duplicated().any()
    codes = np.column_stack(
        [np.unique(own[name], return_inverse=True)[1].ravel() for name in names]
    )
    hits = np.asarray(own[f"{IS}{row.term}"], dtype=np.float64)
    probable = bool(np.any(own[[name for name in own if str(name).startswith(IS)]].to_numpy() % 1))
    codes = codes[:, :0] if alone and not probable else codes
    held = own["held"].to_numpy(dtype=float)
    people = Part.of(own, hits[:, None], held / held.sum(), alone=True)
    if np.ptp(held):
        p, errors = (
            float(np.average(hits, weights=held)),
            joined_errors(weighted_errors(hits, held, codes), [people]),
        )
        checks = [
            compare(label(row), row.estimate, p, package="pandas", tolerance=1e-10, why=COUNTED)
        ]
        answers = math.inf if probable else float(held.sum() ** 2 / (held @ held))
        return checks + clustered_share_checks(
            row, p, errors, answers=answers, level=result.settings["level"]
        )
    return mean_checks(
        result,
        row,
        hits,
        np.ones(len(hits)),
        codes,
        math.inf if probable else float(len(hits)),
        people,
    )


def entropy_checks(result: Result, row: Row, own: pd.DataFrame) -> list[Check]:
    """Compare a mean entropy, of units whose replies all have probabilities or of single replies, with scipy's."""
    from scipy.stats import entropy

    known = ~np.isnan(result.design.probabilities[own.index.to_numpy(dtype=int)]).any(axis=1)
    names = ["g0", "g1"] if own["crossed"].any() else ["left"]
    levels = [name for name in own if str(name).startswith(IS)]
    own = own.assign(
        known=known, **{name: np.unique(own[name], return_inverse=True)[1] for name in names}
    )
    if row.label("entropy") == "H":
        units = own.groupby("unit")[[*levels, *names, "known"]].mean()
        own = units[units["known"] == 1]
    else:
        own = own[own["known"]]
    if row.estimate is None:
        return [
            compare(
                label(row),
                None,
                float(len(own)) or None,
                package="pandas",
                tolerance=0,
                why=COUNTED,
            )
        ]
    values = entropy(own[levels].to_numpy(), axis=1, base=2)
    checks = [
        compare(
            label(row),
            row.estimate,
            float(values.mean()),
            package="scipy",
            tolerance=1e-9,
            why=CLOSED,
        )
    ]
    if row.std_error is None:
        return checks
    return checks + mean_row_checks(
        row,
        values,
        own[names].to_numpy(dtype=int),
        result.settings["level"],
        cut=(0.0, math.log2(len(levels))),
    )


def gap_checks(result: Result, row: Row, pair: pd.DataFrame, names: tuple[str, str]) -> list[Check]:
    """Compare a difference, and the t of its linearised values: p + n (hits - p ratings) / all ratings of a unit."""
    if row.estimate is None:
        return []
    sums, values = linear_values(pair, names, row.term)
    held = (
        pair.drop_duplicates("unit").set_index("unit").loc[sums.index, "held"].to_numpy(dtype=float)
    )
    gap = float(np.average(values, weights=held))
    checks = [
        compare(
            label(row), row.estimate, float(gap), package="pandas", tolerance=1e-12, why=COUNTED
        )
    ]
    if row.std_error is None:
        return checks
    columns = ["g0", "g1"] if pair["crossed"].any() else ["left"]
    groups = pair.drop_duplicates("unit").set_index("unit").loc[sums.index, columns]
    codes = np.column_stack([np.unique(groups[c], return_inverse=True)[1].ravel() for c in columns])
    people = people_of_pair(pair, names, [row.term])
    if np.ptp(held):
        alone = not pair["clustered"].any()
        errors = joined_errors(
            weighted_errors(values, held, codes[:, :0] if alone else codes), people
        )
        level, error = result.settings["level"], math.sqrt(errors.variance)
        out = [*checks, relative(label(row, "s.e."), row.std_error, error, "numpy", LINEARISED)]
        return [
            *out,
            *wald_checks(row, level, gap, error, errors.df, cut=(-1.0, 1.0), why=LINEARISED),
        ]
    errors = joined_errors(errors_of_mean(values, codes), people)
    return checks + mean_row_checks(
        row, values, codes, result.settings["level"], cut=(-1.0, 1.0), errors=errors
    )


def linear_values(
    pair: pd.DataFrame, names: tuple[str, str], level: str
) -> tuple[pd.DataFrame, FloatArray]:
    """Sums by unit and source, and the values by unit whose mean is the difference of two shares."""
    hit = pair.assign(hit=pair[f"{IS}{level}"])
    sums: Any = hit.groupby(["unit", "source"])["hit"].agg(["sum", "size"]).unstack(fill_value=0.0)
    held: Any = hit.groupby("unit")["held"].first().loc[sums.index]
    values: Any = 0.0
    for name, sign in zip(names, (1, -1), strict=True):
        hits, sizes = sums["sum"][name], sums["size"][name]
        p = (held * hits).sum() / (held * sizes).sum()
        values = values + sign * (p + held.sum() * (hits - p * sizes) / (held * sizes).sum())
    return sums, values.to_numpy()


def people_of_pair(
    pair: pd.DataFrame, names: tuple[str, str], levels: list[str]
) -> list[Part | None]:
    """Return what people who are a sample add to the differences of the shares of some levels."""
    found = []
    for name, sign in zip(names, (1.0, -1.0), strict=True):
        own = pair[pair["source"] == name]
        values = own[[f"{IS}{level}" for level in levels]].to_numpy(dtype=float)
        found.append(Part.of(own, values, own["held"] / own["held"].sum(), sign=sign))
    return found


def equality_checks(
    result: Result, row: Row, pair: pd.DataFrame, names: tuple[str, str]
) -> list[Check]:
    """Compare chi-square, df and p of independent ratings with scipy's, and p of swaps with other swaps."""
    from scipy.stats import chi2_contingency

    if row.statistic is None:
        return []
    levels = [name for name in pair if str(name).startswith(IS) and pair[name].any()]
    if row.test == "f":
        return f_checks(row, pair, names, [str(name).removeprefix(IS) for name in levels])
    test = chi2_contingency(
        pair.groupby("source")[levels].sum().loc[list(names)].to_numpy(), correction=False
    )
    checks = [
        relative(
            label(row, "chi-square"),
            row.statistic,
            float(test.statistic),
            "scipy",
            CLOSED,
            size=1e-6,
        ),
        relative(label(row, "df"), row.df, float(test.dof), "scipy", CLOSED),
    ]
    if row.test == "chi2":
        return [same_p(label(row, "p"), row.p_value, float(test.pvalue), "scipy", CLOSED), *checks]
    sums = pair.groupby(["unit", "source"])[levels].sum()
    units = sums.index.get_level_values("unit").unique()
    sides = [
        sums.xs(name, level="source").reindex(units, fill_value=0).to_numpy(dtype=float)
        for name in names
    ]
    sizes = [side.sum() for side in sides]
    left = pair.drop_duplicates("unit").set_index("unit").loc[units, "left"].to_numpy()
    shares = sides[0] / sizes[0], sides[1] / sizes[1]
    return [
        *checks,
        swap_check(
            row, shares, left, partial(chi_square, sizes=sizes), result.settings["permutations"]
        ),
    ]


def f_checks(
    row: Row, pair: pd.DataFrame, names: tuple[str, str], levels: list[str]
) -> list[Check]:
    """Compare the F test of equal shares of all levels, units (or clusters) and people being crossed factors."""
    both = [linear_values(pair, names, level) for level in levels]
    values = np.column_stack([each for _, each in both])
    left = pair.drop_duplicates("unit").set_index("unit").loc[both[0][0].index, "left"].to_numpy()
    mean, n = values.mean(axis=0), len(values)
    return people_checks(
        row, mean, (values - mean) / n, np.full(n, 1 / n), left, people_of_pair(pair, names, levels)
    )


def chi_square(p: FloatArray, q: FloatArray, sizes: list[float]) -> FloatArray:
    """Chi-square of (B, levels) shares, scaled to sum 1, of samples of these sizes."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = (x / x.sum(axis=1, keepdims=True) for x in (p, q))
        both = (sizes[0] * p + sizes[1] * q) / sum(sizes)
        terms = np.where(both > 0, (p - q) ** 2 / both, 0.0)
    return np.asarray(terms.sum(axis=1) * sizes[0] * sizes[1] / sum(sizes))


TABLED = "the same mean of a table of clusters"
SAME = "the same test in another order of arithmetic"
NO_DF = "its F has no degrees of freedom"


def cluster_shares(table: pd.DataFrame, result: Result) -> pd.DataFrame:
    """Shares of the levels by cluster, source and stratum."""
    levels = list(result.extras["counts"][str(result.settings["reference"])])
    return (
        table.groupby(["left", "source", "cell"])[[f"{IS}{level}" for level in levels]]
        .mean()
        .set_axis(levels, axis=1)
    )


def change(shares: pd.DataFrame, name: str, less: str | None, cell: str, base: str) -> pd.DataFrame:
    """Changes by cluster of one source, or of one less another, where all shares are there."""
    sources, cells = (shares.index.get_level_values(level) for level in ("source", "cell"))
    own, *other = (
        shares[(sources == who) & (cells == cell)].droplevel(["source", "cell"])
        - shares[(sources == who) & (cells == base)].droplevel(["source", "cell"])
        for who in (name, less)
        if who is not None
    )
    return (own - other[0]).dropna() if other else own.dropna()


def change_people(
    table: pd.DataFrame, moved: pd.DataFrame, sides: tuple[str, str | None], cell: str, base: str
) -> list[Part | None]:
    """Return what people who are a sample add to the mean changes over clusters, which count alike."""
    found: list[Part | None] = []
    for name, sign in zip(sides, (1.0, -1.0), strict=True):
        own = table[
            (table["source"] == name)
            & table["cell"].isin([cell, base])
            & table["left"].isin(moved.index)
        ]
        own = own.assign(
            weight=1 / own.groupby(["left", "cell"])["value"].transform("size") / len(moved)
        )
        own = own[own["person"]]
        if not len(own):
            continue
        x, w = (
            own[[f"{IS}{level}" for level in moved]].to_numpy(dtype=float),
            own["weight"].to_numpy(),
        )
        second, e, f = (own["cell"] == base).to_numpy(), np.zeros(x.shape), np.zeros(len(w))
        for side, way in ((~second, sign), (second, -sign)):
            e[side] = way * w[side, None] * (x[side] - np.average(x[side], axis=0, weights=w[side]))
            f[side] = w[side] / w[side].sum()
        found.append(
            Part(e=e, f=f, left=numbers(own["left"]), rater=numbers(own["rater"]), second=second)
        )
    return found


def change_checks(
    row: Row, moved: pd.DataFrame, people: list[Part | None], levels: list[str]
) -> list[Check]:
    """Compare a mean change with its t, or the F of all levels, with clusters and people as crossed factors."""
    values, n = moved.to_numpy(), len(moved)
    if row.role == "test":
        mean = values.mean(axis=0)
        return people_checks(
            row, mean, (values - mean) / n, np.full(n, 1 / n), np.arange(n), people
        )
    if row.estimate is None:
        return []
    j = levels.index(row.term)
    theirs = float(values[:, j].mean())
    checks = [
        compare(label(row), row.estimate, theirs, package="pandas", tolerance=1e-12, why=TABLED)
    ]
    if row.std_error is None:
        return checks
    errors = joined_errors(errors_of_mean(values[:, j], np.arange(n)[:, None]), people, j)
    reach = 1.0 if row.label("reference") is None else 2.0
    return checks + mean_row_checks(
        row,
        values[:, j],
        np.arange(n)[:, None],
        row.conf_level or 0.95,
        cut=(-reach, reach),
        errors=errors,
    )


def level_checks(row: Row, moved: pd.DataFrame) -> list[Check]:
    """Compare a mean, its t and its interval, cut at what a change of a share (or a difference of two) can be."""
    from scipy import stats

    if row.estimate is None:
        return []
    values = moved[row.term].to_numpy()
    checks = [
        compare(
            label(row),
            row.estimate,
            float(values.mean()),
            package="pandas",
            tolerance=1e-12,
            why=TABLED,
        )
    ]
    if row.conf_low is None:
        return checks
    test = stats.ttest_1samp(values, 0.0)
    most = 1.0 if row.label("reference") is None else 2.0
    low, high = (
        min(max(float(end), -most), most)
        for end in test.confidence_interval(row.conf_level or 0.95)
    )
    pairs = (
        ("t", row.statistic, test.statistic),
        ("low", row.conf_low, low),
        ("high", row.conf_high, high),
    )
    return checks + [
        relative(
            label(row, name), ours, float(other), "scipy", SAME, size=1.0 if name == "t" else 0.0
        )
        for name, ours, other in pairs
    ]


def joint_checks(row: Row, moved: pd.DataFrame) -> list[Check]:
    """Compare Hotelling's test; with as many clusters as means there is none, and statsmodels divides by 0."""
    values = moved.iloc[:, :-1].to_numpy()
    if row.p_value is None or row.statistic is None:
        return []
    if len(values) <= values.shape[1]:
        return [
            compare(
                label(row),
                row.statistic,
                None,
                package="statsmodels",
                tolerance=0.0,
                why=SAME,
                note=NO_DF,
            )
        ]
    test_mvmean = load_peer("statsmodels.stats.multivariate", "test_mvmean")

    theirs = test_mvmean(values)
    pairs = (
        ("T-squared", row.statistic, float(theirs.t2)),
        ("p", row.p_value, float(theirs.pvalue)),
    )
    return [
        relative(label(row, name), ours, other, "statsmodels", SAME) for name, ours, other in pairs
    ]
