"""Win rates of items and groups, and their differences, recomputed: pandas over rows, errors by clusters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, Errors, codes_of, counted, errors_by, mean_error
from socialstats.crosscheck.long import compare, long_table
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, tail_p
from socialstats.crosscheck.shares import ROOTS, clustered_share_checks, wilson_roots
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same sums in another order"
SANDWICH = "CR2 of a weighted mean whose rows are clusters of their own, by sums"
ALL = "all"


def verify(result: Result) -> Verification:
    """Recompute rates, standard errors and intervals of every item, and of all items together."""
    design, settings = result.design.whole(), result.settings
    long = long_table(design, settings["covariate"])
    if settings["covariate"] is None:
        long["condition"] = result.rows[0].group
    table = with_shares(long, pooled=settings["weights"] == "pooled")
    factors = design.factors(settings["cluster"]) if settings["ci"] == "cluster" else ()
    codes = codes_of(factors, table["cell"].to_numpy())
    columns = {
        name: table[name].to_numpy()
        for name in ("score", "rate", "w", "w2", "row", "of_item", "of_all")
    }
    named: dict[Any, Row] = {(row.term, row.group): row for row in result.rows}
    pooled = settings["weights"] == "pooled"
    groups = [
        (key, at, "of_item") for key, at in table.groupby(["item", "condition"]).indices.items()
    ]
    if ALL not in design.items and settings["covariate"] is not None:
        groups += [
            ((ALL, name), at, "of_all") for name, at in table.groupby("condition").indices.items()
        ]
    checks: list[Check] = []
    for key, at, share in groups:
        own = {name: column[at] for name, column in columns.items()}
        ratio = pooled and share == "of_all"  # one ratio, around its own value
        if ratio:
            own["rate"] = np.full(len(at), own[share] @ own["score"])
        checks += rate_checks(result, named[key], own, own[share], codes[at], capped=not ratio)
    return Verification(checks=tuple(checks))


def with_shares(table: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Add the share of each record in the rate of its item (sum 1), and in that of all items."""
    met = table.groupby(["condition", "item", "opponent"])["w"].transform("sum")
    each = table["w"] if pooled else table["w"] / met
    total = each.groupby([table["condition"], table["item"]]).transform("sum")
    table = table.assign(of_item=each / total)
    table["rate"] = (
        (table["of_item"] * table["score"])
        .groupby([table["condition"], table["item"]])
        .transform("sum")
    )
    items = table.groupby("condition")["item"].transform("nunique")
    whole = each.groupby(table["condition"]).transform("sum")
    return table.assign(of_all=each / whole if pooled else table["of_item"] / items)


def rate_checks(
    result: Result,
    row: Row,
    rows: dict[str, FloatArray],
    share: FloatArray,
    codes: FloatArray,
    *,
    capped: bool,
) -> list[Check]:
    """Compare a rate, its standard error and both ends."""
    settings, p = result.settings, float(share @ rows["score"])
    checks = [compare(label(row), row.estimate, p, package="pandas", tolerance=1e-10, why=SAME)]
    if row.conf_low is None:
        return checks
    n = 1 / float(
        rows["w2"] @ (share / rows["w"]) ** 2
    )  # independent comparisons that the rate is worth
    n = n if result.design.replies is None else math.inf
    if settings["ci"] == "wilson":
        proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")

        error = math.sqrt(p * (1 - p) / n)
        low, high = proportion_confint(p * n, n, alpha=1 - settings["level"], method="wilson")
        ends = end_checks(row, float(low), float(high), "statsmodels", "the same closed form", 1e-8)
    elif codes.shape[1]:
        errors = errors_by(share * (rows["score"] - rows["rate"]), share, codes)
        most = n if capped else math.inf
        return checks + clustered_share_checks(
            row, p, errors, answers=most, level=settings["level"]
        )
    else:
        errors = independent_errors(rows, share, result.design.weighted)
        error, trials = math.sqrt(errors.variance), counted(p * (1 - p), errors, n)
        ends = end_checks(
            row, *wilson_roots(p, trials, settings["level"], None), "numpy", ROOTS, 1e-7
        )
    if row.std_error is not None:
        checks.append(relative(label(row, "s.e."), row.std_error, error, "numpy", SANDWICH, 1e-8))
    return checks + ends


def independent_errors(rows: dict[str, FloatArray], share: FloatArray, weighted: bool) -> Errors:
    """Variance of a rate of independent comparisons, each a cluster; a weighted cell stands for several alike."""
    _, first, code = np.unique(rows["row"], return_index=True, return_inverse=True)
    alike = rows["w"][first] ** 2 / rows["w2"][first] if weighted else np.ones(len(first))
    e, f = (
        np.bincount(code, share * (rows["score"] - rows["rate"])),
        np.bincount(code, share) / alike,
    )
    variance = float(np.sum(e**2 / alike / (1 - f)))
    return Errors(
        variance=variance,
        df=math.nan,
        plain=variance,
        largest=float(f.max()),
        effective=1 / float(np.sum(alike * f**2)),
    )


COUNTED = "the same counts, divided"


def difference_checks(result: Result) -> list[Check]:
    """Recompute every difference, and error, df and p of the clearest ones.

    Parameters
    ----------
    result : Result
        One row an item; ``extras`` has the matched ``stories``, and of how many rows (``clearest``), by the size of t,
        the errors are recomputed.
    """
    import pandas as pd

    rows, stories, clearest = result.rows, result.extras["stories"], result.extras["clearest"]

    names = np.array(stories.items, dtype=object)
    sides = [
        pd.DataFrame(
            {
                "item": names[own],
                **stories.clusters,
                "one": stories.chose[0] == is_low,
                "two": stories.chose[1] == is_low,
            }
        )
        for own, is_low in ((stories.low, True), (stories.high, False))
    ]
    table = pd.concat(sides, ignore_index=True)
    table["gap"] = table["one"].astype(float) - table["two"].astype(float)
    means = matched_means(result)
    checks = [
        compare(
            f"difference of '{row.term}'",
            row.estimate,
            float(means[row.term]),
            package="pandas",
            tolerance=1e-12,
            why=COUNTED,
        )
        for row in rows
        if row.estimate is not None
    ]
    tested = sorted(
        (r for r in rows if r.statistic is not None), key=lambda r: -abs(r.statistic or 0.0)
    )[:clearest]
    for row in tested:
        checks += error_checks(row, table[table["item"] == row.term], list(stories.clusters))
    return checks


def matched_means(result: Result) -> Any:
    """Return the mean difference of each item over the stories of both designs, matched here by what describes them."""
    import pandas as pd

    designs = [design.whole() for design in result.design]
    shared = [set(design.covariates) for design in designs]
    factors = [{factor.name for factor in design.clusters} for design in designs]
    tables = [
        story_table(design, set.intersection(*shared), set.intersection(*factors))
        for design in designs
    ]
    sides = [c for c in tables[0] if c.startswith(("item", "covariate"))]
    keys = (
        sides,
        [*sides, *(c for c in tables[0] if c.startswith("cluster"))],
        [c for c in tables[0] if c != "score"],
    )
    key = next(key for key in keys if not any(table.duplicated(key).any() for table in tables))
    both = (
        tables[0].merge(tables[1], on=key, suffixes=("", " of the other"), validate="1:1").dropna()
    )
    gap = both["score"] - both["score of the other"]
    parts = [
        pd.DataFrame({"item": both[side], "gap": sign * gap})
        for side, sign in (("item 0", 1), ("item 1", -1))
    ]
    return pd.concat(parts).groupby("item")["gap"].mean()


def story_table(design: Any, covariates: set[str], clusters: set[str]) -> Any:
    """Return a row for each comparison: its items in the order of their labels, what describes them, the first's score.

    A tie has no score.
    """
    import pandas as pd

    names = np.array(design.items, dtype=object)
    a, b = names[design.item_a], names[design.item_b]
    turned = a > b
    columns: dict[str, Any] = {}
    described = [("item", a, b)]
    described += [
        (f"covariate {name}", design.covariates[name].a, design.covariates[name].b)
        for name in covariates
    ]
    for name, of_a, of_b in described:
        columns |= {
            f"{name} 0": np.where(turned, of_b, of_a),
            f"{name} 1": np.where(turned, of_a, of_b),
        }
    columns |= {f"cluster {f.name}": f.labels() for f in design.clusters if f.name in clusters}
    columns["shown first"] = np.where(turned, -design.first, design.first)
    score = np.array([1.0, 0.0, np.nan])[design.outcome]
    return pd.DataFrame({**columns, "score": np.where(turned, 1 - score, score)})


def error_checks(row: Row, table: Any, clusters: list[str]) -> list[Check]:
    """Compare standard error, df and p of one item."""
    gap = table["gap"].to_numpy()
    error, df = mean_error(gap, table[clusters].to_numpy())
    values = (
        ("s.e.", row.std_error, error),
        ("df", row.df, df),
        ("p", row.p_value, tail_p(gap.mean() / error, df)),
    )
    return [
        compare(f"{what} of '{row.term}'", ours, theirs, package="scipy", tolerance=1e-8, why=CR2)
        for what, ours, theirs in values
    ]
