"""Options as R, scipy, statsmodels and pingouin call them: refused with a call that gives the peer's number."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.power import TTestPower

import socialstats as ss
from socialstats.designs.calls import keywords
from socialstats.designs.habits import habits
from socialstats.errors import InputError

RNG = np.random.default_rng(31)
X, Y = RNG.normal(size=18), RNG.normal(0.5, 1.4, size=18)
GAP = [*X[:17], np.nan]
A, B = RNG.integers(1, 5, 40), RNG.integers(1, 5, 40)
SQUARE = [[30, 12], [5, 53]]
LONG = pd.DataFrame(
    {"who": [*range(18)] * 2, "when": ["pre"] * 18 + ["post"] * 18, "score": [*X, *Y]}
)
GAMES = pd.DataFrame(
    {"home": [*"AABCBC"], "away": [*"BCCAAB"], "hw": [4, 3, 2, 1, 2, 2], "aw": [1, 2, 3, 4, 3, 2]}
)
BEATEN = pd.DataFrame(
    [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "c")], columns=["w", "l"]
)
FIT = ss.bradley_terry(list(zip(BEATEN.w, BEATEN.l, strict=True)))
PIVOT = pd.DataFrame(
    {
        "who": [*range(1, 7)] * 2,
        "when": [1] * 6 + [2] * 6,
        "score": [3, 4, 5, 2, 1, 4, 4, 5, 3, 3, 2, 5],
    }
).pivot(index="who", columns="when", values="score")
Call = Callable[[], Any]


class Habit(NamedTuple):
    """What is typed, what is said, what works, and the peer's number."""

    typed: Call
    said: str
    works: Call
    peer: float | None = None


def p(result: Any, term: str = "difference") -> float:
    return float(result.row(term).p_value)


CASES: dict[str, Habit] = {
    "scipy popmean": Habit(
        lambda: ss.paired_difference(X, Y, popmean=1),
        "Say null=1",
        lambda: p(ss.paired_difference(X, Y, null=1)),
        stats.ttest_1samp(X - Y, 1).pvalue,
    ),
    "R mu of two groups": Habit(
        lambda: ss.two_means(X, Y, mu=0.5),
        "Say null=0.5",
        lambda: p(ss.two_means(X, Y, null=0.5)),
        stats.ttest_ind(X - 0.5, Y, equal_var=False).pvalue,
    ),
    "scipy equal_var": Habit(
        lambda: ss.two_means(X, Y, equal_var=False),
        "Welch's t, with a variance for each group. Student's t has one: scipy.stats.ttest_ind(x, y). "
        "Leave equal_var= out",
        lambda: p(ss.two_means(X, Y)),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "statsmodels usevar": Habit(
        lambda: ss.two_means(X, Y, usevar="unequal"),
        "Leave usevar= out",
        lambda: p(ss.two_means(X, Y)),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "scipy nan_policy": Habit(
        lambda: ss.paired_difference(GAP, Y, nan_policy="omit"),
        "Say missing='drop'",
        lambda: p(ss.paired_difference(GAP, Y, missing="drop")),
        stats.ttest_rel(GAP, Y, nan_policy="omit").pvalue,
    ),
    "scipy nan_policy of two groups": Habit(
        lambda: ss.two_means(GAP, Y, nan_policy="omit"),
        "Say missing='drop'",
        lambda: p(ss.two_means(GAP, Y, missing="drop")),
        stats.ttest_ind(GAP, Y, equal_var=False, nan_policy="omit").pvalue,
    ),
    "scipy axis": Habit(
        lambda: ss.two_means(np.column_stack([X, Y]), axis=0),
        "two_means(*array.T)",
        lambda: p(ss.two_means(*np.column_stack([X, Y]).T)),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "statsmodels exact": Habit(
        lambda: ss.mcnemar(SQUARE, exact=True),
        "Say test='exact'",
        lambda: p(ss.mcnemar(SQUARE, test="exact")),
        mcnemar(SQUARE, exact=True).pvalue,
    ),
    "statsmodels exact=False": Habit(
        lambda: ss.mcnemar(SQUARE, exact=False),
        "Say test='continuity'",
        lambda: p(ss.mcnemar(SQUARE, test="continuity")),
        mcnemar(SQUARE, exact=False).pvalue,
    ),
    "statsmodels correction": Habit(
        lambda: ss.mcnemar(SQUARE, exact=False, correction=False),
        "Say test='asymptotic'",
        lambda: p(ss.mcnemar(SQUARE, test="asymptotic")),
        mcnemar(SQUARE, exact=False, correction=False).pvalue,
    ),
    "exact2x2 midp": Habit(
        lambda: ss.mcnemar(SQUARE, midp=True),
        "Say test='mid_p'",
        lambda: p(ss.mcnemar(SQUARE, test="mid_p")),
    ),
    "scipy method of rank sums": Habit(
        lambda: ss.two_ordinal(X, Y, method="exact"),
        "exact, also with ties",
        lambda: p(ss.two_ordinal(X, Y), "rank_sum"),
        stats.mannwhitneyu(X, Y, method="exact").pvalue,
    ),
    "coin distribution": Habit(
        lambda: ss.paired_difference(X, Y, distribution="exact", correct=False),
        "Leave distribution= and correct= out",
        lambda: p(ss.paired_difference(X, Y), "wilcoxon"),
        stats.wilcoxon(X, Y, method="exact").pvalue,
    ),
    "scipy zero_method": Habit(
        lambda: ss.paired_difference(A, B, zero_method="pratt"),
        "result.extras['wilcoxon']['p_pratt_exact']",
        lambda: ss.paired_difference(A, B).extras["wilcoxon"]["p_pratt"],
        stats.wilcoxon(A - B, zero_method="pratt", method="asymptotic", correction=False).pvalue,
    ),
    "pandas method": Habit(
        lambda: ss.spearman_rho(A, B, method="spearman"),
        "scipy.stats.kendalltau(x, y), scipy.stats.pearsonr(x, y). Leave method= out",
        lambda: ss.spearman_rho(A, B).rows[0].estimate,
        stats.spearmanr(A, B).statistic,
    ),
    "sklearn labels": Habit(
        lambda: ss.weighted_kappa(A, B, labels=[1, 2, 3, 4]),
        "Say levels=[1, 2, 3, 4]",
        lambda: ss.weighted_kappa(A, B, levels=[1, 2, 3, 4]).rows[0].estimate,
        cohen_kappa_score(A, B, weights="quadratic"),
    ),
    "irr weight": Habit(
        lambda: ss.weighted_kappa(A, B, weight="equal"),
        "Say weights='equal'",
        lambda: ss.weighted_kappa(A, B, weights="equal").rows[0].estimate,
        cohen_kappa_score(A, B, weights="linear"),
    ),
    "statsmodels wt": Habit(
        lambda: ss.weighted_kappa(A, B, wt="linear"),
        "Say weights='linear'",
        lambda: ss.weighted_kappa(A, B, weights="linear").rows[0].estimate,
        cohen_kappa_score(A, B, weights="linear"),
    ),
    "irr method": Habit(
        lambda: ss.krippendorff_alpha(A, B, method="ordinal"),
        "Say scale='ordinal'",
        lambda: ss.krippendorff_alpha(A, B, scale="ordinal").rows[0].estimate,
    ),
    "scipy confidence_level and n_resamples": Habit(
        lambda: ss.bootstrap(
            X, np.mean, confidence_level=0.9, n_resamples=999, rng=1, method="percentile"
        ),
        "Say level=0.9, resamples=999, seed=1, ci='percentile'",
        lambda: (
            ss.bootstrap(X, np.mean, level=0.9, resamples=999, seed=1, ci="percentile")
            .rows[0]
            .estimate
        ),
        X.mean(),
    ),
    "pingouin columns": Habit(
        lambda: ss.paired_difference(LONG, dv="score", within="when", subject="who"),
        "Say value='score', condition='when', unit='who'",
        lambda: p(ss.paired_difference(LONG, value="score", condition="when", unit="who")),
        stats.ttest_rel(X, Y).pvalue,
    ),
    "pingouin between": Habit(
        lambda: ss.two_means(data=LONG, dv="score", between="when"),
        "Say value='score', group='when'",
        lambda: p(ss.two_means(LONG.drop(columns="who"), value="score", group="when")),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "BradleyTerry2 columns": Habit(
        lambda: ss.bradley_terry(GAMES, player1="home", player2="away", outcome=["hw", "aw"]),
        "Say item_a='home', item_b='away', wins_a='hw', wins_b='aw'",
        lambda: ss.bradley_terry(
            GAMES, item_a="home", item_b="away", wins_a="hw", wins_b="aw", order=False
        ).params.sum(),
        0.0,
    ),
    "statsmodels power": Habit(
        lambda: ss.power_paired_t(effect_size=0.5, nobs=34, sig_level=0.05),
        "Say effect=0.5, n=34, alpha=0.05",
        lambda: ss.power_paired_t(effect=0.5, n=34, alpha=0.05).row("power").estimate,
        TTestPower().power(0.5, 34, 0.05),
    ),
    "statsmodels alpha of p-values": Habit(
        lambda: ss.adjust([0.01, 0.04], method="fdr_bh", alpha=0.05),
        "Compare tidy()['p_adjusted'] with it. Leave alpha= out",
        lambda: ss.adjust([0.01, 0.04], method="fdr_bh").tidy()["p_adjusted"][0],
        0.02,
    ),
    "alpha of an interval": Habit(
        lambda: ss.two_means(X, Y, alpha=0.1),
        "Say level=0.9",
        lambda: ss.two_means(X, Y, level=0.9).rows[0].conf_low,
        stats.ttest_ind(X, Y, equal_var=False).confidence_interval(0.9).low,
    ),
    "R's names with points": Habit(
        lambda: ss.two_means(X, Y, **{"conf.level": 0.9, "var.equal": False}),
        "Leave var.equal= out. Say level=0.9",
        lambda: ss.two_means(X, Y, level=0.9).rows[0].conf_low,
        stats.ttest_ind(X, Y, equal_var=False).confidence_interval(0.9).low,
    ),
    "multcomp and pingouin of a fit": Habit(
        lambda: FIT.pairwise(padjust="holm", confidence_level=0.9),
        "pairwise() has no option padjust=, confidence_level=. Say adjust='holm', level=0.9",
        lambda: FIT.pairwise(adjust="holm", level=0.9).rows[0].estimate,
        FIT.contrast("a", "b").rows[0].estimate,
    ),
    "pingouin tail": Habit(
        lambda: ss.two_means(X, Y, tail="less"),
        "Say alternative='less'",
        lambda: p(ss.two_means(X, Y, alternative="less")),
        stats.ttest_ind(X, Y, equal_var=False, alternative="less").pvalue,
    ),
    "scipy wilcoxon of differences": Habit(
        lambda: ss.paired_difference(X - Y),
        "paired_difference(ss.Paired.one_sample(values, bound=0))",
        lambda: p(ss.paired_difference(ss.Paired.one_sample(X - Y, bound=0))),
        stats.ttest_1samp(X - Y, 0).pvalue,
    ),
    "pingouin ttest with a number": Habit(
        lambda: ss.paired_difference(X, 0.2),
        "paired_difference(ss.Paired.one_sample(values, bound=0.2))",
        lambda: p(ss.paired_difference(ss.Paired.one_sample(X, bound=0.2))),
        stats.ttest_1samp(X, 0.2).pvalue,
    ),
    "paired of two groups": Habit(
        lambda: ss.two_means(X, Y, paired=True),
        "Pairs: ss.paired_difference(x, y)",
        lambda: p(ss.paired_difference(X, Y)),
        stats.ttest_rel(X, Y).pvalue,
    ),
    "vectors by name": Habit(
        lambda: ss.paired_difference(x=X, y=Y),
        "Two vectors: paired_difference(first, second)",
        lambda: p(ss.paired_difference(X, Y)),
        stats.ttest_rel(X, Y).pvalue,
    ),
    "vectors as sides": Habit(
        lambda: ss.paired_difference(first=X, second=Y),
        "first= and second= would name columns of a table. Two vectors",
        lambda: p(ss.paired_difference(X, Y)),
        stats.ttest_rel(X, Y).pvalue,
    ),
    "formula second": Habit(
        lambda: ss.two_means(LONG, "score ~ when"),
        "two_means('score ~ when', data)",
        lambda: p(ss.two_means("score ~ when", LONG.drop(columns="who"))),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "C() in a formula": Habit(
        lambda: ss.two_means("score ~ C(when)", LONG),
        "write when for C(when)",
        lambda: p(ss.two_means("score ~ when", LONG.drop(columns="who"))),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "two columns": Habit(
        lambda: ss.paired_difference({"x": X, "y": Y}),
        "Where each condition has a column, say first='x' (--map first=x), second='y'",
        lambda: p(ss.paired_difference({"x": X, "y": Y}, first="x", second="y")),
        stats.ttest_rel(X, Y).pvalue,
    ),
    "two columns of groups": Habit(
        lambda: ss.two_means(pd.DataFrame({"x": X, "y": Y})),
        "data['x'], data['y']",
        lambda: p(ss.two_means(*(pd.DataFrame({"x": X, "y": Y})[name] for name in "xy"))),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "statsmodels margins": Habit(
        lambda: ss.weighted_kappa(pd.crosstab(A, B, margins=True)),
        "table.iloc[:-1, :-1]",
        lambda: ss.weighted_kappa(pd.crosstab(A, B, margins=True).iloc[:-1, :-1]).rows[0].estimate,
        cohen_kappa_score(A, B, weights="quadratic"),
    ),
    "margins of two groups": Habit(
        lambda: ss.two_proportions(pd.crosstab(A > 2, B > 2, margins=True)),
        "'All') are the sums of the others",
        lambda: p(ss.two_proportions(pd.crosstab(A > 2, B > 2))),
        stats.fisher_exact(pd.crosstab(A > 2, B > 2)).pvalue,
    ),
    "scipy binomtest": Habit(
        lambda: ss.choice_shares(14, 20),
        "choice_shares(['yes', 'no'], count=[14, 6])",
        lambda: ss.choice_shares(["yes", "no"], count=[14, 6]).row("yes").conf_low,
        stats.binomtest(14, 20).proportion_ci(method="wilson").low,
    ),
    "pandas shares": Habit(
        lambda: ss.choice_shares(pd.Series([*"aabbbc"]).value_counts(normalize=True)),
        "these are shares already. Their counts have an interval: choice_shares(labels, count=counts)",
        lambda: ss.choice_shares([*"abc"], count=[2, 3, 1]).row("b").estimate,
        0.5,
    ),
    "two vectors of equivalence": Habit(
        lambda: ss.equivalence(X, Y, low=-2, high=2),
        "Pairs: equivalence(ss.paired_difference(x, y), ...)",
        lambda: p(ss.equivalence(ss.paired_difference(X, Y), low=-2, high=2), "equivalence"),
        max(
            stats.ttest_1samp(X - Y, -2, alternative="greater").pvalue,
            stats.ttest_1samp(X - Y, 2, alternative="less").pvalue,
        ),
    ),
    "choix rankings": Habit(
        lambda: ss.bradley_terry([("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b")]),
        "[row.index(item) + 1 for row in rows]",
        lambda: ss.bradley_terry(
            {"a": [1, 2, 2], "b": [2, 1, 3], "c": [3, 3, 1]}, ranks=["a", "b", "c"]
        ).params.sum(),
        0.0,
    ),
    "winner and loser": Habit(
        lambda: ss.bradley_terry(BEATEN, winner="w", loser="l"),
        "Say item_a='w', item_b='l', winner='w'",
        lambda: ss.bradley_terry(BEATEN, item_a="w", item_b="l", winner="w").params["a"],
        float(ss.bradley_terry(list(zip(BEATEN.w, BEATEN.l, strict=True))).params["a"]),
    ),
    "winners and losers by name": Habit(
        lambda: ss.bradley_terry(winners=BEATEN.w, losers=BEATEN.l),
        "bradley_terry(list(zip(winners, losers)))",
        lambda: ss.bradley_terry(list(zip(BEATEN.w, BEATEN.l, strict=True))).params.sum(),
        0.0,
    ),
    "sklearn weights by place": Habit(
        lambda: ss.weighted_kappa(A, B, "linear"),
        "by name, not by place: 'linear'. Say weights='linear'",
        lambda: ss.weighted_kappa(A, B, weights="linear").rows[0].estimate,
        cohen_kappa_score(A, B, weights="linear"),
    ),
    "columns by place": Habit(
        lambda: ss.two_means(LONG, "score", "when"),
        "not by place: 'score' and 'when'. Options: null=",
        lambda: p(ss.two_means(LONG.drop(columns="who"), value="score", group="when")),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "values and the labels of their groups": Habit(
        lambda: ss.two_means(LONG.score, (LONG.when == "post").astype(int).rename("group")),
        "the second vector holds labels. Two vectors: two_means(x, y). Values and their groups",
        lambda: p(ss.two_means(LONG.score, group=LONG.when)),
        stats.ttest_ind(X, Y, equal_var=False).pvalue,
    ),
    "scipy vectorized": Habit(
        lambda: ss.bootstrap(X, np.mean, vectorized=False),
        "one resample at a time. Leave vectorized= out",
        lambda: ss.bootstrap(X, np.mean, resamples=99).rows[0].estimate,
        X.mean(),
    ),
    "options by place of power": Habit(
        lambda: ss.power_paired_t(0.5, 34),  # type: ignore[misc]
        "takes its options by name: n=, effect=, power=",
        lambda: ss.power_paired_t(n=34, effect=0.5).row("power").estimate,
        TTestPower().power(0.5, 34, 0.05),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_has_the_call_and_the_call_the_number(name: str) -> None:
    case = CASES[name]
    with pytest.raises(InputError) as caught:
        case.typed()
    assert case.said in str(caught.value)
    found = case.works()
    if case.peer is not None:
        assert found == pytest.approx(case.peer, rel=1e-9, abs=1e-9)


def test_habits_name_options_and_functions_that_exist() -> None:
    """No message sends anybody to an option that is not there."""
    functions_of_tables = [
        function
        for name in dir(ss)
        if callable(function := getattr(ss, name)) and not isinstance(function, type)
    ]
    fits = [ss.BradleyTerryResult.contrast, ss.BradleyTerryResult.pairwise]
    options = {key for function in (*functions_of_tables, *fits) for key in options_of(function)}
    for habit in habits()["renamed"]:
        assert {*habit["ours"].split()} <= options, habit["theirs"]
    for habit in habits()["text"]:
        for name in habit["functions"].split():
            known = {*options_of(getattr(ss, name))}
            assert known.isdisjoint(habit["theirs"].split()), (name, habit["theirs"])


def options_of(function: Any) -> list[str]:
    readers = vars(function).get("readers", ())
    own = [
        key
        for key, part in inspect.signature(function).parameters.items()
        if part.kind is not part.VAR_KEYWORD
    ]
    return [*own, *(key for reader in readers for key in keywords(reader))]


def test_an_unknown_option_of_nobody_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"two_means.. has no option zzz=. Options: null, "):
        ss.two_means(X, Y, zzz="red")
    with pytest.raises(TypeError, match="colour"):
        ss.power_paired_t(n=3, colour=2)  # type: ignore[call-arg]


@pytest.mark.parametrize("function", [ss.paired_difference, ss.weighted_kappa, ss.symmetry])
def test_whole_scores_of_units_by_condition_are_no_counts_of_pairs(function: Any) -> None:
    """A label that is on both sides makes no crosstab: units are numbered like conditions."""
    said = r"may count pairs .* data\.reindex.* A row for each unit: data\.rename_axis\('unit'\)"
    with pytest.raises(InputError, match=said):
        function(PIVOT.rename_axis("k"))
    if function is ss.weighted_kappa:
        read = function(PIVOT.rename_axis("unit")).rows[0].estimate
        assert read == pytest.approx(cohen_kappa_score(PIVOT[1], PIVOT[2], weights="quadratic"))
        return
    with pytest.raises(InputError, match=r"first='1' .*second='2'"):
        function(PIVOT.rename_axis("ID"))


def test_what_the_message_says_of_a_pivoted_table_works() -> None:
    read = ss.paired_difference(PIVOT.rename_axis("unit"), first=1, second=2)
    assert read.rows[0].p_value == pytest.approx(stats.ttest_rel(PIVOT[1], PIVOT[2]).pvalue)
    crossed = pd.crosstab(pd.Series(A, name="k"), pd.Series(np.minimum(B, 3), name="model"))
    with pytest.raises(InputError, match="may count pairs"):
        ss.weighted_kappa(crossed)
    whole = crossed.reindex(index=range(1, 5), columns=range(1, 5), fill_value=0)
    assert ss.weighted_kappa(whole).rows[0].estimate == pytest.approx(
        cohen_kappa_score(A, np.minimum(B, 3), weights="quadratic")
    )
