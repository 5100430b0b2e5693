"""Relationship bias once more: pandas group means, least squares with clustered errors, McNemar and t elsewhere.

The table is read from the design again, one record an answer, with labels for everything; B is a contrast of a
saturated (weighted) regression of the answers on their cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.paired_tables import MOST_ROWS, TOO_MANY, near, set_aside
from socialstats.crosscheck.row_arithmetic import same_p
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same means in another order of arithmetic"
SANDWICH = "the same sandwich from another implementation"
MC_WIDTH = 5.0
WITH_T, LESS = "scipy's t test", "exact p less the point probability"


def verify(result: Result) -> Verification:
    """Recompute B, S, B_all, their clustered standard errors, and the tests beside them.

    Returns
    -------
    Verification
        The largest difference of each kind.
    """
    table = records(result)
    biases = [row for row in result.rows if row.group == "bias"]
    checks = [
        mean_checks(result, table), error_checks(result, table, biases), mcnemar_checks(result, table),
        scenario_checks(result, table), overall_checks(result, table),
    ]  # fmt: skip
    return Verification(checks=tuple(worst(c, "rows") if len(c) > 1 else c[0] for c in checks if c))


def records(result: Result) -> pd.DataFrame:
    """Return one record an answer (repeated by its count): labels, score, and its weight in the mean of its cell."""
    import pandas as pd

    design: Ratings = result.design
    options = result.settings
    known = {**design.strata, **{f.name: f for f in design.clusters}}
    ok = design.status == 0
    unit = design.unit[ok]
    first = design.levels[np.flatnonzero([same(v, options["answers"][0]) for v in design.levels])[0]]
    table = pd.DataFrame({
        "score": np.where(np.array(design.levels, dtype=object)[design.value[ok]] == first, -1.0, 1.0),
        "rater": design.rater[ok] if options["aggregate"] == "rater" else 0, "who": design.rater[ok], "unit": unit,
    })  # fmt: skip
    for name in ("scenario", "pair", "group_first", "group_second"):
        factor = known[options[name]]
        table[name] = np.array(factor.levels, dtype=object)[factor.codes[unit]]
    for k, factor in enumerate(design.factors(options["cluster"])):
        table[f"g{k}"] = factor.codes[unit]
    table = table.loc[table.index.repeat(design.unit_count[unit].astype(int))].reset_index(drop=True)
    table = table[table["group_first"].isin(result.extras["groups"])]
    table = table[table["group_second"].isin(result.extras["groups"])]
    if options["couples"] == "complete":
        table = complete(table)
    return weighted(table, options["aggregate"])


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


def weighted(table: pd.DataFrame, aggregate: str) -> pd.DataFrame:
    """Add the cell of each answer, and its weight (answers alike, or scenarios alike)."""
    keys = ["rater", "group_first", "group_second"]
    table = table.assign(w=1.0, cell=table.groupby(keys).ngroup())
    if aggregate == "scenario":
        table["w"] = 1 / table.groupby(["cell", "scenario"])["score"].transform("size")
    return table


def cell_means(table: pd.DataFrame) -> dict[tuple[Any, str, str], float]:
    """Weighted mean of each cell."""
    sums = table.assign(x=table["w"] * table["score"]).groupby(["rater", "group_first", "group_second"])[["x", "w"]]
    total = sums.sum()
    found: dict[Any, float] = (total["x"] / total["w"]).to_dict()
    return found


def bias_of(means: dict[tuple[Any, str, str], float], a: str, b: str) -> list[float]:
    """B of each rater who has both orders."""
    raters = sorted({key[0] for key in means})
    return [means[r, b, a] - means[r, a, b] for r in raters if (r, a, b) in means and (r, b, a) in means]


def pairs_of(result: Result) -> list[tuple[str, str, str]]:
    """Term and both groups of every bias."""
    groups = result.extras["groups"]
    terms = {row.term for row in result.rows if row.group == "bias"}
    every = [(f"{a} - {b}", a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]]
    return [one for one in every if one[0] in terms]


def mean_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """B, S and the effects of the position by group means."""
    means = cell_means(table)
    raters = sorted({key[0] for key in means})
    theirs = {(term, "bias"): bias_of(means, a, b) for term, a, b in pairs_of(result)}
    for a in result.extras["groups"]:
        theirs[a, "position"] = [means[r, a, a] for r in raters if (r, a, a) in means]
        for b in result.extras["groups"]:
            theirs[f"{a}, {b}", "score"] = [means[r, a, b] for r in raters if (r, a, b) in means]
    return [
        near(
            f"{row.term} [{row.group}]", row.estimate, float(np.mean(theirs[row.term, str(row.group)])), "pandas", SAME
        )
        for row in result.rows
        if row.estimate is not None and (row.term, row.group) in theirs
    ]


def overall_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """B_all, the mean of absolute values."""
    row = result.row("B_all", group="overall")
    each = [bias_of(cell_means(table), a, b) for _, a, b in pairs_of(result)]
    if row.estimate is None:
        return []
    theirs = float(np.mean([np.mean(np.abs(one)) for one in each if one]))
    return [near("B_all", row.estimate, theirs, "pandas", SAME), *corrected_checks(result, each)]


def corrected_checks(result: Result, each: list[list[float]]) -> list[Check]:
    """B_all less the excess of folded normal means, where every B is of one rater."""
    from scipy.stats import foldnorm

    row = result.row("B_all corrected")
    errors = [r.std_error for r in result.rows if r.group == "bias"]
    if row.estimate is None or any(len(one) != 1 for one in each) or None in errors:
        return []
    excess = [
        foldnorm.mean(abs(one[0]) / se, scale=se) - abs(one[0]) for one, se in zip(each, errors, strict=True) if se
    ]
    theirs = max(float(np.mean(np.abs(each)) - np.mean(excess)), 0.0)
    return [near("B_all corrected", row.estimate, theirs, "scipy", "the same integral in another closed form")]


def error_checks(result: Result, table: pd.DataFrame, rows: list[Row]) -> list[Check]:
    """Clustered standard errors of B by regression."""
    if len(table) > MOST_ROWS:
        return [set_aside("standard errors", None, None, "statsmodels", TOO_MANY)]
    checks = []
    for row, (_, a, b) in zip(rows, pairs_of(result), strict=True):
        if row.std_error is None:
            continue
        theirs = regression_error(table, a, b)
        if theirs is None:
            note = "statsmodels has no errors of this kind: a unit with several answers, or clusters of units of one"
            checks.append(set_aside(f"s.e. of {row.term}", row.std_error, None, "statsmodels", note))
        else:
            checks.append(near(f"s.e. of {row.term}", row.std_error, theirs, "statsmodels", SANDWICH, 1e-7))
    return checks


def regression_error(table: pd.DataFrame, a: str, b: str) -> float | None:
    """Standard error of B: a contrast of cell means in weighted least squares, with clustered errors."""
    mine, contrast = contrast_of(table, a, b)
    codes = [mine[name].to_numpy() for name in ("g0", "g1") if name in mine]
    if not codes:
        return None if mine["unit"].duplicated().any() else independent_error(mine, contrast)
    return two_way(mine, contrast, codes) if len(codes) == 2 else one_way(mine, contrast, codes[0])


def contrast_of(table: pd.DataFrame, a: str, b: str) -> tuple[pd.DataFrame, FloatArray]:
    """Return the answers of raters who have both orders, and the coefficient of each of their cells."""
    both = ((table["group_first"] == a) & (table["group_second"] == b)) | (
        (table["group_first"] == b) & (table["group_second"] == a)
    )
    mine = table[both]
    mine = mine[mine.groupby("rater")["group_first"].transform("nunique") == 2]
    cells = mine.drop_duplicates("cell").sort_values("cell")
    return mine, np.where(cells["group_first"] == b, 1.0, -1.0) / mine["rater"].nunique()


def fitted(mine: pd.DataFrame) -> Any:
    """Weighted regression of the answers on dummies of the cells."""
    import pandas as pd
    import statsmodels.api as sm

    dummies = pd.get_dummies(mine["cell"]).sort_index(axis=1).to_numpy(dtype=float)
    return sm.WLS(mine["score"].to_numpy(), dummies, weights=mine["w"].to_numpy()).fit()


def two_way(mine: pd.DataFrame, contrast: FloatArray, codes: list[FloatArray]) -> float:
    """V1 + V2 - V12 with G/(G-1) for each, not below the larger of V1 and V2."""
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    both, one, two = cov_cluster_2groups(fitted(mine), codes[0], codes[1], use_correction=False)
    sizes = [len(np.unique(c)) for c in codes]
    sizes.append(len(np.unique(np.column_stack(codes), axis=0)))
    parts = [
        float(contrast @ v @ contrast) * g / (g - 1) for v, g in zip((one, two, one + two - both), sizes, strict=True)
    ]
    return float(np.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1])))


def one_way(mine: pd.DataFrame, contrast: FloatArray, code: FloatArray) -> float:
    """Sums of the residuals by cluster, each over 1 - its share of the units (CR2 of a mean)."""
    import pandas as pd

    off = mine["w"] * fitted(mine).resid * contrast[mine["cell"].rank(method="dense").astype(int).to_numpy() - 1]
    off = off / mine.groupby("cell")["w"].transform("sum")
    sums = off.groupby(pd.Series(code, index=mine.index)).sum()
    units = pd.Series(mine["unit"].to_numpy()).groupby(np.asarray(code)).nunique()
    return float(np.sqrt((sums**2 / (1 - units / units.sum())).sum()))


def independent_error(mine: pd.DataFrame, contrast: FloatArray) -> float:
    """HC0 with n/(n-1)."""
    cov = fitted(mine).get_robustcov_results("HC0").cov_params()
    return float(np.sqrt(contrast @ cov @ contrast * len(mine) / (len(mine) - 1)))


def couple_table(table: pd.DataFrame, a: str, b: str) -> FloatArray:
    """2 x 2 table of complete couples: who is chosen with a first, by who is chosen with b first."""
    mine = table[table["group_first"].isin((a, b)) & table["group_second"].isin((a, b))]
    mine = mine[mine["group_first"] != mine["group_second"]].assign(
        favours_a=lambda t: (t["score"] == -1.0) == (t["group_first"] == a),
        copy=lambda t: t.groupby(["scenario", "pair", "who", "group_first"]).cumcount(),
    )
    keys = ["scenario", "pair", "who", "copy"]
    wide = mine.pivot_table(index=keys, columns="group_first", values="favours_a", aggfunc="first")
    wide = wide.reindex(columns=[a, b]).dropna()
    one, two = wide[a].astype(bool), wide[b].astype(bool)
    # McNemar's margins are "the first place is chosen": a with a first, not a with b first
    cells = [[(one & ~two).sum(), (one & two).sum()], [(~one & ~two).sum(), (~one & two).sum()]]
    return np.array(cells, dtype=np.float64)


def mcnemar_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """Chi-square and mid-p of complete couples."""
    from scipy.stats import binom
    from statsmodels.stats.contingency_tables import mcnemar

    checks = []
    for term, a, b in pairs_of(result):
        chi, mid = (result.row(term, group=f"{name}, ignoring clusters") for name in ("McNemar", "McNemar mid-p"))
        if chi.undefined:
            continue
        cells = couple_table(table, a, b)
        for_a, for_b = cells[0, 1], cells[1, 0]
        checks.append(near(f"B of couples, {term}", chi.estimate, 2 * (for_a - for_b) / cells.sum(), "pandas", SAME))
        if for_a + for_b:
            theirs = mcnemar(cells, exact=False, correction=False)
            checks.append(near(f"chi-square of {term}", chi.statistic, float(theirs.statistic), "statsmodels"))
            exact = mcnemar(cells, exact=True).pvalue - binom.pmf(min(for_a, for_b), for_a + for_b, 0.5)
            if for_a != for_b:
                checks.append(
                    same_p(
                        f"mid-p of {term}",
                        mid.p_value,
                        float(exact),
                        "statsmodels",
                        LESS,
                    )
                )
    return checks


def scenario_checks(result: Result, table: pd.DataFrame) -> list[Check]:
    """t test on one difference a scenario, and random sign flips."""
    from scipy import stats

    checks = []
    for term, a, b in pairs_of(result):
        row, flip = result.row(term, group="scenario means"), result.row(term, group="scenario sign flip")
        means = table.groupby(["scenario", "rater", "group_first", "group_second"])["score"].mean().reset_index()
        wide = means.pivot_table(index=["scenario", "rater"], columns=["group_first", "group_second"], values="score")
        if (a, b) not in wide or (b, a) not in wide or row.statistic is None:
            continue
        values = (wide[b, a] - wide[a, b]).dropna().groupby("scenario").mean().to_numpy()
        test = stats.ttest_1samp(values, 0.0)
        checks += [near(f"t of scenarios, {term}", row.statistic, float(test.statistic), "scipy", close=1e-8),
                   same_p(f"p of scenarios, {term}", row.p_value, float(test.pvalue), "scipy", WITH_T)]  # fmt: skip
        if flip.p_value is not None:
            checks.append(flip_check(values, flip))
    return checks


def flip_check(values: FloatArray, row: Row) -> Check:
    """Sign flips drawn by scipy, within their Monte-Carlo error."""
    from scipy import stats

    draws = 4999
    found = stats.permutation_test(
        (values,), lambda x, axis: np.round(np.sum(x, axis=axis), 9), permutation_type="samples", vectorized=True,
        n_resamples=draws, random_state=np.random.default_rng(1),
    )  # fmt: skip
    p = float(row.p_value or 0.0)
    error = MC_WIDTH * np.sqrt(p * (1 - p) / draws) + 2 / draws
    why = f"{draws:,} random flips: {MC_WIDTH:g} Monte-Carlo standard errors"
    return compare(f"sign flip of {row.term}", p, float(found.pvalue), package="scipy", tolerance=float(error), why=why)
