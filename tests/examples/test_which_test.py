"""Every row of docs/which-test.md has a table, a command and a call, whose numbers are those of other packages.

The rows, commands and calls are read from the page. A reference is made from the rows of the table by scipy,
statsmodels, scikit-learn, or by the formula that its function names; none of it uses this package.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.api import GLM, families
from statsmodels.stats import contingency_tables as tables
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

import socialstats as ss
from socialstats.cli import main
from tests.examples.test_documents import DATA, ROOT, commands

PAGE = ROOT / "docs" / "which-test.md"
ROW = re.compile(r"^\| \[[^]]+\]\(#([^)]+)\) \| [^|]+ \| ([^|]+) \| [^|]+ \|$", re.M)
SECTION = re.compile(r"^## (.+)\n((?:(?!^## ).*\n?)*)", re.M)
Known = Mapping[
    str, float | None
]  # estimate, n, df, p, low, high of a row; what is None must not be there
Rows = dict[tuple[str, str | None], Known]  # by term and group
GRADES = {"low": 0, "medium": 1, "high": 2}


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / name)


def wilson(p: float, n: float, q: float) -> tuple[float, float]:
    """Solve (p - x)^2 = q^2 x (1 - x) / n."""
    middle, reach = p + q**2 / 2 / n, q * math.sqrt(p * (1 - p) / n + q**2 / 4 / n**2)
    return (middle - reach) / (1 + q**2 / n), (middle + reach) / (1 + q**2 / n)


def share_of_clusters(means: np.ndarray, most: float = math.inf) -> Known:
    """Wilson's interval of a share with the error over clusters of one size, and t."""
    k, p = len(means), float(means.mean())
    n = min(p * (1 - p) / (means.var(ddof=1) / k), most)
    low, high = wilson(p, n, stats.t.ppf(0.975, k - 1))
    return {"estimate": p, "df": k - 1, "low": low, "high": high}


def on_fisher_z(estimate: float, error: float, df: int) -> Known:
    """t on Fisher's z."""
    z, at = math.atanh(estimate), error / (1 - estimate**2)
    low, high = (math.tanh(z + side * stats.t.ppf(0.975, df) * at) for side in (-1, 1))
    return {
        "estimate": estimate,
        "df": df,
        "p": 2 * stats.t.sf(abs(z / at), df),
        "low": low,
        "high": high,
    }


def linearised(value: Callable[[np.ndarray], float], units: int) -> float:
    """Standard error by the infinitesimal jackknife, n / (n - 1) times, of a function of the weights of units."""
    step = 1e-5
    tilts = [
        [value(np.ones(units) + side * step * (np.arange(units) == k)) for side in (1, -1)]
        for k in range(units)
    ]
    influence = np.array([(up - down) / (2 * step) for up, down in tilts])
    return float(math.sqrt((influence**2).sum() * units / (units - 1)))


def strengths(design: np.ndarray, won: np.ndarray, items: int) -> tuple[np.ndarray, np.ndarray]:
    """Strengths that sum to 0, then the other coefficients, of a logit; and their standard errors."""
    whole = np.eye(items) - 1 / items
    free, others = design[:, :items] @ whole[:, 1:], design[:, items:]
    fit = GLM(won, np.column_stack([free, others]), family=families.Binomial()).fit(tol=1e-12)
    back = np.zeros((items + others.shape[1], free.shape[1] + others.shape[1]))
    back[:items, : items - 1], back[items:, items - 1 :] = whole[:, 1:], np.eye(others.shape[1])
    return back @ fit.params, np.sqrt(np.diag(back @ fit.cov_params() @ back.T))


def bradley_terry(rows: pd.DataFrame, names: Sequence[str], more: Sequence[str]) -> Rows:
    """Wald tests of a logit with the items' signs, who was shown first, and further columns."""
    items = sorted({*rows["a"], *rows["b"]})
    signs = np.array(
        [[(row.a == item) - 1.0 * (row.b == item) for item in items] for row in rows.itertuples()]
    )
    design = np.column_stack(
        [signs, np.where(rows["first"] == rows["a"], 1, -1), *(rows[name] for name in more)]
    )
    found, errors = strengths(design, (rows["winner"] == rows["a"]).to_numpy(), len(items))
    met = [int(((rows["a"] == item) | (rows["b"] == item)).sum()) for item in items] + [
        len(rows)
    ] * (1 + len(more))
    known: Rows = {}
    for name, estimate, error, n in zip([*items, "order", *names], found, errors, met, strict=True):
        group = "strength" if name in items else "order" if name == "order" else "covariate"
        known[name, group] = {
            "estimate": estimate,
            "p": 2 * stats.norm.sf(abs(estimate / error)),
            "n": n,
            "df": None,
        }
    return known


def choices() -> Rows:
    rows = table("choices.csv").rename(columns={"item_a": "a", "item_b": "b", "order": "first"})
    return bradley_terry(rows, [], [])


def urgent_choices() -> Rows:
    rows = table("role_choices.csv").rename(columns={"left": "a", "right": "b"})
    return bradley_terry(rows.assign(urgency=rows["x"] - rows["y"]), ["urgency"], ["urgency"])


def win_rates() -> Rows:
    """Each item meets two others once per prompt, so that prompts are clusters of one size."""
    rows = table("choices.csv")
    known: Rows = {}
    for item in sorted({*rows["item_a"]}):
        own = rows[(rows["item_a"] == item) | (rows["item_b"] == item)]
        means = (own["winner"] == item).groupby(own["prompt"]).mean().to_numpy()
        known[item, "win rate"] = {**share_of_clusters(means, len(own)), "n": len(own)}
    return known


def accuracy() -> Rows:
    means = table("accuracy.csv").groupby("topic")["correct"].mean().to_numpy()
    return {("all units", "mean"): {**share_of_clusters(means), "n": 60, "p": None}}


def answer_shares() -> Rows:
    values = table("trial.csv")["answer"]
    known: Rows = {}
    for level in ("worse", "same", "better"):
        low, high = proportion_confint((values == level).sum(), 70, method="wilson")
        known[level, "this source"] = {
            "estimate": (values == level).mean(),
            "n": 70,
            "low": low,
            "high": high,
        }
    return known


def mcnemar() -> Rows:
    wide = table("answers.csv").pivot(index="item", columns="condition", values="correct")
    more, less = (
        int((wide["reminded"] > wide["plain"]).sum()),
        int((wide["plain"] > wide["reminded"]).sum()),
    )
    n = more + less
    exact = tables.mcnemar([[0, more], [less, 0]], exact=True).pvalue
    asymptotic = tables.mcnemar([[0, more], [less, 0]], exact=False, correction=False)
    mid = 2 * (stats.binom.cdf(less, n, 0.5) - stats.binom.pmf(less, n, 0.5) / 2)
    return {
        ("difference", None): {"estimate": (more - less) / len(wide), "n": 100, "p": mid},
        ("exact", "test"): {"p": exact, "n": 100},
        ("mid_p", "test"): {"p": mid},
        ("asymptotic", "test"): {"p": asymptotic.pvalue, "df": 1},
    }


def signed_rank(gaps: np.ndarray) -> float:
    """Exact p of the signed-rank test with midranks: the sums of all sign changes, by convolution."""
    gaps = gaps[gaps != 0]
    doubled = np.rint(2 * stats.rankdata(np.abs(gaps))).astype(int)
    ways = np.array([1.0])
    for rank in doubled:
        ways = np.convolve(ways, np.eye(rank + 1)[0] + np.eye(rank + 1)[rank])
    chance, at = ways / ways.sum(), int(doubled[gaps > 0].sum())
    return float(min(1.0, 2 * min(chance[at:].sum(), chance[: at + 1].sum())))


def paired() -> Rows:
    rows = table("scores.csv")
    test, gap = stats.ttest_rel(rows["after"], rows["before"]), rows["after"] - rows["before"]
    low, high = test.confidence_interval()
    return {
        ("difference", None): {
            "estimate": gap.mean(),
            "n": 40,
            "df": 39,
            "p": test.pvalue,
            "low": low,
            "high": high,
        },
        ("wilcoxon", "test"): {"p": signed_rank(gap.round(6).to_numpy())},
    }


def effect_sizes() -> Rows:
    """d_z with the noncentral t interval; g_z by Hedges' exact correction."""
    rows = table("scores.csv")
    gap = rows["after"] - rows["before"]
    d, n = gap.mean() / gap.std(ddof=1), len(gap)
    t = d * math.sqrt(n)
    low, high = (
        optimize.brentq(lambda c, p=p: stats.nct.cdf(t, n - 1, c) - p, -10, 10) / math.sqrt(n)
        for p in (0.975, 0.025)
    )
    correction = math.exp(special.gammaln((n - 1) / 2) - special.gammaln((n - 2) / 2)) / math.sqrt(
        (n - 1) / 2
    )
    mean_sd = math.sqrt((rows["after"].var() + rows["before"].var()) / 2)
    return {
        ("d_z", None): {"estimate": d, "n": 40, "low": low, "high": high},
        ("g_z", None): {"estimate": d * correction, "n": 40},
        ("d_av", None): {"estimate": gap.mean() / mean_sd},
    }


def equivalence() -> Rows:
    rows = table("scores.csv")
    p, *tests = ttost_paired(rows["after"], rows["before"], -1, 1)
    sides = {("above low", "test"): tests[0], ("below high", "test"): tests[1]}
    return {key: {"p": side[1], "df": 39} for key, side in sides.items()} | {
        ("equivalence", "test"): {"p": p, "n": 40}
    }


def symmetry() -> Rows:
    wide = table("ratings.csv").pivot(index="unit", columns="rater", values="value")
    square = tables.SquareTable(
        pd.crosstab(wide["ann"], wide["bob"]).reindex(index=GRADES, columns=GRADES), False
    )
    bowker, margins = square.symmetry(), square.homogeneity(method="stuart_maxwell")
    return {
        ("bowker", "test"): {"p": bowker.pvalue, "df": bowker.df, "n": 48},
        ("stuart_maxwell", "test"): {"p": margins.pvalue, "df": margins.df, "n": 48},
    }


def cochran() -> Rows:
    wide = table("benchmark.csv").pivot(index=["task", "item"], columns="model", values="correct")
    test = tables.cochrans_q(wide.to_numpy())
    shares: Rows = {(model, "share"): {"estimate": wide[model].mean(), "n": 75} for model in wide}
    return shares | {("cochran_q", "test"): {"p": test.pvalue, "df": test.df, "n": 75}}


def grades(name: str, value: str, raters: Sequence[str]) -> np.ndarray:
    wide = table(name).pivot(index="unit", columns="rater", values=value)[[*raters]]
    return wide.replace(GRADES).to_numpy(dtype=float)


def alpha_of(values: np.ndarray, weights: np.ndarray, less: int = 1) -> float:
    """Ordinal alpha of complete ratings, units weighted (Krippendorff 2019, chapter 12); errors are of `less` = 0."""
    levels, m = np.unique(values), values.shape[1]
    counts = np.array([(values == level).sum(axis=1) for level in levels]).T * 1.0
    n = weights @ counts
    between = (
        np.array(
            [
                [n[min(c, k) : max(c, k) + 1].sum() - (n[c] + n[k]) / 2 for k in range(len(n))]
                for c in range(len(n))
            ]
        )
        ** 2
    )
    observed = weights @ np.einsum("uc,uk,ck->u", counts, counts, between) / (m - 1)
    return float(1 - (n.sum() - less) * observed / (n @ between @ n))


def kappa_of(values: np.ndarray, weights: np.ndarray, pairs: Sequence[tuple[int, int]]) -> float:
    """Quadratic kappa pooled over pairs of raters (Conger 1980), by mean squares of differences."""
    seen = sum(weights @ (values[:, a] - values[:, b]) ** 2 for a, b in pairs) / weights.sum()
    mean = weights @ values / weights.sum()
    spread = weights @ values**2 / weights.sum()
    chance = sum(spread[a] + spread[b] - 2 * mean[a] * mean[b] for a, b in pairs)
    return float(1 - seen / chance)


def gwet_of(values: np.ndarray, weights: np.ndarray) -> float:
    """AC2 with quadratic weights of complete ratings (Gwet 2014, chapter 5)."""
    levels = np.arange(3)
    agreed = 1 - (levels[:, None] - levels[None, :]) ** 2 / 4
    counts = np.array([(values == level).sum(axis=1) for level in levels]).T * 1.0
    m = values.shape[1]
    observed = (
        weights @ ((counts * (counts @ agreed - 1)).sum(axis=1) / m / (m - 1)) / weights.sum()
    )
    share = weights @ counts / m / weights.sum()
    chance = agreed.sum() / 3 / 2 * (share * (1 - share)).sum()
    return float((observed - chance) / (1 - chance))


def agreement() -> Rows:
    values = grades("ratings.csv", "value", ("ann", "bob", "cid"))
    one, pairs = np.ones(48), [*itertools.combinations(range(3), 2)]
    alpha, gwet = alpha_of(values, one), gwet_of(values, one)
    kappas = {
        (a, b): cohen_kappa_score(values[:, a], values[:, b], weights="quadratic") for a, b in pairs
    }
    error, spread = (
        linearised(lambda w: gwet_of(values, w), 48),
        linearised(lambda w: alpha_of(values, w, 0), 48),
    )
    names = ("ann", "bob", "cid")
    return {
        ("alpha", None): {
            "estimate": alpha,
            "n": 144,
            "df": 47,
            "p": 2 * stats.t.sf(abs(alpha / spread), 47),
        },
        ("AC2", None): {
            "estimate": gwet,
            "n": 144,
            "df": 47,
            "p": 2 * stats.t.sf(abs(gwet / error), 47),
        },
        ("mean", None): {"estimate": float(np.mean([*kappas.values()])), "n": 144, "df": 47},
        ("pooled", None): {"estimate": kappa_of(values, one, pairs), "n": 144, "df": 47},
        **{
            (f"{names[a]} | {names[b]}", None): {"estimate": kappa, "n": 48}
            for (a, b), kappa in kappas.items()
        },
    }


def rank_correlations() -> Rows:
    names = ("ann", "bob", "cid")
    values = grades("judged.csv", "grade", names)
    known: Rows = {}
    for a, b in itertools.combinations(range(3), 2):
        rho = stats.spearmanr(values[:, a], values[:, b]).statistic
        known[f"{names[a]} | {names[b]}", None] = {"estimate": rho, "n": 60, "df": 59}
    return known


def judge() -> Rows:
    """Pooled kappas of the judge with each person, and of people; their difference by the infinitesimal jackknife."""
    values = grades("judged.csv", "grade", ("ann", "bob", "cid", "m1"))
    people, judged = [(0, 1), (0, 2), (1, 2)], [(0, 3), (1, 3), (2, 3)]

    def gap(weights: np.ndarray) -> float:
        return kappa_of(values, weights, judged) - kappa_of(values, weights, people)

    one = np.ones(60)
    error = linearised(gap, 60)
    reach = stats.t.ppf(0.975, 59) * error
    return {
        ("difference", "m1"): {
            "estimate": gap(one),
            "n": 180,
            "df": 59,
            "p": 2 * stats.t.sf(abs(gap(one) / error), 59),
            "low": gap(one) - reach,
            "high": gap(one) + reach,
        },
        ("judge with people", "m1"): {"estimate": kappa_of(values, one, judged), "df": 59},
        ("people with people", "m1"): {"estimate": kappa_of(values, one, people), "df": 59},
    }


def flips() -> Rows:
    """Of five answers with r right ones, r (5 - r) / 10 of the pairs differ; the errors are those over 60 items."""
    right = table("samples.csv").groupby(["model", "item"])["correct"].sum()
    rates = (right * (5 - right) / 10).unstack("model")
    known: Rows = {
        (model, None): {**share_of_clusters(rates[model].to_numpy()), "n": 60} for model in rates
    }
    return known | {("all", None): {**share_of_clusters(rates.mean(axis=1).to_numpy()), "n": 120}}


def sources() -> Rows:
    """Shares of actions of people and of the model, and Pearson's chi-square as if answers were independent."""
    rows = table("norm_choices.csv")
    rows = rows[rows["pressure"] == "none"]
    counts = pd.crosstab(rows["source"], rows["action"])
    test = stats.chi2_contingency(counts, correction=False)
    known: Rows = {
        ("any level (ratings independent)", "model - human"): {
            "p": test.pvalue,
            "df": test.dof,
            "n": 240,
        }
    }
    by_unit = pd.crosstab([rows["scenario"], rows["source"]], rows["action"])
    by_unit = by_unit.div(by_unit.sum(axis=1), axis=0).unstack("source")
    p = {}
    for action in counts:
        gap = by_unit[action, "model"] - by_unit[action, "human"]
        low, high = stats.t.interval(0.95, 19, gap.mean(), stats.sem(gap))
        p[action] = stats.ttest_1samp(gap, 0).pvalue
        known[action, "model - human"] = {
            "estimate": gap.mean(),
            "df": 19,
            "p": p[action],
            "low": low,
            "high": high,
        }
        for source in counts.index:
            share = counts.loc[source, action] / counts.loc[source].sum()
            known[action, str(source)] = {"estimate": share, "n": counts.loc[source].sum()}
    halves = counts.div(counts.sum(axis=1), axis=0).to_numpy()
    middle = halves.mean(axis=0)
    entropy = lambda shares: float(stats.entropy(shares, base=2))  # noqa: E731
    plain = 1 - (entropy(middle) - (entropy(halves[0]) + entropy(halves[1])) / 2)
    return known | {("model (plug-in)", None): {"estimate": plain, "n": 240}}


def distances() -> Rows:
    """Mean distance of each model's answer from the mode, or the mean of tied modes, of people; a refusal counts 4."""
    rows = table("norm_answers.csv")
    place = rows["answer"].map({level: k for k, level in enumerate("ABCDE")})
    people = rows["source"] == "human"
    counts = pd.crosstab(rows["item"][people], place[people])
    modes = {
        item: np.mean([level for level in counts if own[level] == own.max()])
        for item, own in counts.iterrows()
    }
    known: Rows = {}
    for model, own in rows[~people].groupby("rater"):
        gaps = [
            4.0 if row.answer == "F" else abs("ABCDE".index(row.answer) - modes[row.item])
            for row in own.itertuples()
        ]
        known[str(model), None] = {"estimate": float(np.mean(gaps)), "n": 40}
    return known


def board() -> Rows:
    wide = (
        table("benchmark.csv")
        .query("task == 'law'")
        .pivot(index="item", columns="model", values="correct")
    )
    pairs = [*itertools.combinations(wide.columns, 2)]
    tests = [stats.ttest_rel(wide[one], wide[two]) for one, two in pairs]
    known: Rows = {}
    for (one, two), test in zip(pairs, tests, strict=True):
        low, high = test.confidence_interval()
        known[f"{one} - {two}", "difference"] = {
            "estimate": (wide[one] - wide[two]).mean(),
            "n": 25,
            "df": 24,
            "p": test.pvalue,
            "low": low,
            "high": high,
        }
    for key, p in zip(
        [*known], multipletests([test.pvalue for test in tests], method="holm")[1], strict=True
    ):
        known[key] = {**known[key], "p_adjusted": p}
    for model in wide:
        low, high = proportion_confint(wide[model].sum(), 25, method="wilson")
        known[model, "mean"] = {"estimate": wide[model].mean(), "n": 25, "low": low, "high": high}
    return known


def traits() -> Rows:
    """Composites by the published weights, which sum to 10 in size, of stages that weigh the same: t over scenarios."""
    from socialstats.scales.trait_weights import TRAIT_WEIGHTS

    rows = ss.datasets.staged_values()
    score = sum(weight * (rows[trait] - 10) for trait, weight in TRAIT_WEIGHTS.items())
    stages = score.groupby(
        [rows[name] for name in ("model", "scenario", "stage", "wording")]
    ).mean()
    means = (
        stages.groupby(["model", "scenario", "stage"]).mean().groupby(["model", "scenario"]).mean()
    )
    known: Rows = {}
    for model, own in means.groupby("model"):
        test = stats.ttest_1samp(own, 0)
        low, high = test.confidence_interval()
        known[str(model), "composite"] = {
            "estimate": own.mean(),
            "n": 20,
            "df": 19,
            "p": test.pvalue,
            "low": low,
            "high": high,
        }
    return known


def cited() -> Rows:
    lists = table("cited.csv")["values"].str.split(";")
    every = lists.explode()
    known: Rows = {}
    for label in every.unique():
        k = int(lists.map(lambda own, label=label: label in own).sum())
        low, high = proportion_confint(k, 80, method="wilson")
        known[label, None] = {"estimate": k, "n": 80}
        known[f"{label} (share of units)", None] = {
            "estimate": k / 80,
            "n": 80,
            "low": low,
            "high": high,
        }
        known[f"{label} (share of labels)", None] = {
            "estimate": (every == label).mean(),
            "n": len(every),
        }
    return known


def arms(column: str) -> list[pd.Series]:
    rows = table("trial.csv")
    return [rows[column][rows["arm"] == arm] for arm in ("drug", "placebo")]


def two_shares() -> Rows:
    k, n = zip(*(((arm == "yes").sum(), len(arm)) for arm in arms("passed")), strict=True)
    low, high = confint_proportions_2indep(k[0], n[0], k[1], n[1], method="newcomb")
    p = stats.fisher_exact([[k[0], n[0] - k[0]], [k[1], n[1] - k[1]]]).pvalue
    known: Rows = {
        ("difference", None): {
            "estimate": k[0] / n[0] - k[1] / n[1],
            "n": 70,
            "p": p,
            "low": low,
            "high": high,
            "df": None,
        }
    }
    for name, own, size in zip(("drug", "placebo"), k, n, strict=True):
        ends = proportion_confint(own, size, method="wilson")
        known[name, "share"] = {"estimate": own / size, "n": size, "low": ends[0], "high": ends[1]}
    return known


def two_averages() -> Rows:
    drug, placebo = arms("score")
    test = stats.ttest_ind(drug, placebo, equal_var=False)
    low, high = test.confidence_interval()
    return {
        ("difference", None): {
            "estimate": drug.mean() - placebo.mean(),
            "n": 70,
            "df": test.df,
            "p": test.pvalue,
            "low": low,
            "high": high,
        }
    }


def two_orders() -> Rows:
    drug, placebo = (arm.map({"worse": 0, "same": 1, "better": 2}) for arm in arms("answer"))
    above = np.sign(drug.to_numpy()[:, None] - placebo.to_numpy()[None, :])
    test = stats.brunnermunzel(placebo, drug)
    ranks = [
        stats.rankdata(np.concatenate([drug, placebo]))[part]
        for part in (slice(0, 35), slice(35, None))
    ]
    own = [stats.rankdata(arm) for arm in (drug, placebo)]
    v = [np.var(r - o, ddof=1) for r, o in zip(ranks, own, strict=True)]
    df = (v[0] / 35 + v[1] / 35) ** 2 / ((v[0] / 35) ** 2 / 34 + (v[1] / 35) ** 2 / 34)
    return {
        ("superiority", None): {
            "estimate": (above.mean() + 1) / 2,
            "n": 70,
            "df": df,
            "p": test.pvalue,
        }
    }


def groups_within() -> Rows:
    p, above, below = ttost_ind(*arms("score"), -2, 2, usevar="unequal")
    return {
        ("above low", "test"): {"p": above[1], "df": above[2]},
        ("below high", "test"): {"p": below[1]},
        ("equivalence", "test"): {"p": p, "df": below[2], "n": 70},
    }


REFERENCES: dict[str, Callable[[], Rows]] = {
    "bradley_terry": choices,
    "bradley_terry-with-a-covariate": urgent_choices,
    "win_rates": win_rates,
    "mean_ratings": accuracy,
    "choice_shares-of-one-source": answer_shares,
    "mcnemar": mcnemar,
    "paired_difference": paired,
    "effect_sizes": effect_sizes,
    "equivalence": equivalence,
    "symmetry": symmetry,
    "cochran_q": cochran,
    "krippendorff_alpha": agreement,
    "spearman_rho": rank_correlations,
    "judge_agreement": judge,
    "flip_rate": flips,
    "choice_shares": sources,
    "ada_met": distances,
    "leaderboard": board,
    "trait_profile": traits,
    "label_counts": cited,
    "two_proportions": two_shares,
    "two_means": two_averages,
    "two_ordinal": two_orders,
    "equivalence-of-groups": groups_within,
}
FIELDS = {
    "estimate": "estimate",
    "n": "n",
    "df": "df",
    "p": "p_value",
    "p_adjusted": "p_adjusted",
    "low": "conf_low",
    "high": "conf_high",
}


def sections() -> dict[str, str]:
    """Return the text of each section by its anchor."""
    return {
        title.lower().replace(" ", "-"): text
        for title, text in SECTION.findall(PAGE.read_text(encoding="utf-8"))
    }


def rows_of_page() -> dict[str, list[str]]:
    """Return the metrics of each row of the page, by the section that it links to."""
    found = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {anchor: re.findall(r"`([a-z_]+)`", metrics) for anchor, metrics in found}


def test_every_row_has_a_section_and_a_reference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    rows = rows_of_page()
    assert len(lines) == len(rows) == len(ROW.findall(text))
    assert {*rows} == {*REFERENCES} == {*sections()}


def calls(code: str, metric: str) -> list[str]:
    """Return the calls of a metric in a Python session."""
    lines = [line[4:] for line in code.splitlines() if line.startswith((">>> ", "... "))]
    tree = ast.parse("\n".join(lines))
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"ss.{metric}"
    ]


def setup(code: str) -> str:
    """Return the statements of a session that read tables."""
    lines = [line[4:] for line in code.splitlines() if line.startswith((">>> ", "... "))]
    return "\n".join(
        ast.unparse(node)
        for node in ast.parse("\n".join(lines)).body
        if isinstance(node, ast.Assign) and "ss." not in ast.unparse(node.value)
    )


def results(
    anchor: str, metric: str, capsys: pytest.CaptureFixture[str]
) -> tuple[list[Any], list[Any]]:
    """Return the rows that the command of a section prints, and those of its call in Python."""
    text = sections()[anchor]
    typed, told = [], []
    for language, block in [
        (language, block) for language, block in blocks_of(text) if language in ("sh", "pycon")
    ]:
        if language == "sh":
            for command in commands(block):
                words = shlex.split(command)
                if words[-2:-1] == [">"]:
                    assert main(words[1:-2]) == 0
                    Path(words[-1]).write_text(capsys.readouterr().out, encoding="utf-8")
                elif words[1:3] == ["estimate", metric]:
                    assert main([*words[1:], "--format", "json"]) == 0, capsys.readouterr().err
                    typed.append(json.loads(capsys.readouterr().out)["terms"])
                elif words[1] == "report":
                    assert main([*words[1:], "--no-verify", "-q"]) == 0, capsys.readouterr().err
        else:
            names: dict[str, Any] = {"ss": ss, "pd": pd}
            exec(setup(block), names)
            told += [
                json.loads(json.dumps(eval(call, names).to_dict()["terms"]))
                for call in calls(block, metric)
            ]
    assert typed, f"{anchor}: no command of {metric}"
    assert told, f"{anchor}: no call of {metric}"
    return typed[0], told[0]


def without_reason(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the text that names an option, as commands or calls write it."""
    return {name: value for name, value in row.items() if name != "undefined"}


def blocks_of(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.slow
@pytest.mark.parametrize("anchor", REFERENCES)
def test_command_and_call_give_the_numbers_of_other_packages(
    anchor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    found: dict[tuple[str, str | None], Any] = {}
    for metric in rows_of_page()[anchor]:
        typed, told = results(anchor, metric, capsys)
        assert [without_reason(row) for row in typed] == [without_reason(row) for row in told]
        found |= {(row["term"], row.get("group")): row for row in typed}
    reference = REFERENCES[anchor]()
    assert {*reference} <= {*found}, {*reference} - {*found}
    for key, known in reference.items():
        for name, value in known.items():
            ours = found[key].get(FIELDS[name])
            assert ours == (value if value is None else pytest.approx(value, rel=1e-6, abs=1e-9)), (
                key,
                name,
            )
