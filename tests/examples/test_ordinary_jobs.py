"""Ordinary jobs as users of other packages type them: each runs at the first try, and gives the number of the peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import choix
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix
from statsmodels.formula.api import ols
from statsmodels.stats import contingency_tables as ct
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

import socialstats as ss

RNG = np.random.default_rng(17)
# Student's sleep data, as R's datasets have them
EXTRA = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
EXTRA += [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
SLEEP = pd.DataFrame({"extra": EXTRA, "group": [1] * 10 + [2] * 10, "ID": [*range(1, 11)] * 2})
ONE, TWO = EXTRA[:10], EXTRA[10:]
RATED = pd.DataFrame(RNG.integers(1, 6, (30, 3)), columns=["ann", "bob", "cid"])
ANIMALS, SEEN = (RNG.choice(["bird", "cat", "dog"], 40) for _ in range(2))
PAIRS = [tuple(RNG.choice(4, 2, replace=False).tolist()) for _ in range(60)]
GAMES = pd.DataFrame(PAIRS, columns=["winner", "loser"])
FIT = choix.opt_pairwise(4, PAIRS)
TRIAL = pd.DataFrame({"arm": ["drug"] * 25 + ["none"] * 20, "better": RNG.integers(0, 2, 45)})
ARMS = pd.crosstab(TRIAL.arm, TRIAL.better)
MATRIX = RATED.T.to_numpy(dtype=float, copy=True)
MATRIX[0, 3] = np.nan
Job = tuple[Callable[[], Any], Callable[[], Any]]

JOBS: dict[str, Job] = {
    "R: t.test(Pair(extra[group == 1], extra[group == 2]) ~ 1)": (
        lambda: ss.paired_difference(ONE, TWO).row("difference").p_value,
        lambda: 0.002832890197384256,  # as R prints it
    ),
    "R: t.test(extra ~ group, sleep)": (
        lambda: ss.two_means("extra ~ group", SLEEP.drop(columns="ID")).pvalue,
        lambda: 0.0793941401873582,  # as R prints it
    ),
    "R: t.test(extra ~ group, sleep)$conf.int": (
        lambda: ss.two_means("extra ~ group", data=SLEEP.drop(columns="ID")).confidence_interval(),
        lambda: (-3.3654832307117104, 0.2054832307117102),  # as R prints it
    ),
    "reshape: sleep pivoted, first and second by their labels": (
        lambda: (
            ss.paired_difference(
                SLEEP.pivot(index="ID", columns="group", values="extra"), first=1, second=2
            )
            .row("difference")
            .p_value
        ),
        lambda: stats.ttest_rel(ONE, TWO).pvalue,
    ),
    "effectsize: cohens_d(extra ~ group, paired)": (
        lambda: ss.effect_sizes("extra ~ group + unit(ID)", SLEEP).row("d_z").estimate,
        lambda: np.mean(np.subtract(ONE, TWO)) / np.std(np.subtract(ONE, TWO), ddof=1),
    ),
    "effectsize: rank_biserial(x, y)": (
        lambda: 2 * ss.two_ordinal(ONE, TWO).row("superiority").estimate - 1,
        lambda: 2 * stats.mannwhitneyu(ONE, TWO).statistic / 100 - 1,
    ),
    "coin: wilcoxsign_test(one ~ two, zero.method = 'Wilcoxon', distribution = 'exact')": (
        lambda: ss.paired_difference(ONE[:4], TWO[:4]).row("wilcoxon").p_value,
        lambda: stats.wilcoxon(ONE[:4], TWO[:4], method="exact").pvalue,
    ),
    "exact2x2: mcnemar.exact(x)": (
        lambda: ss.mcnemar([[150, 15], [5, 30]], test="exact").row("difference").p_value,
        lambda: stats.binomtest(5, 20).pvalue,
    ),
    "R: binom.test(14, 20), of a share by Clopper and Pearson's peer Wilson": (
        lambda: ss.choice_shares(["yes", "no"], count=[14, 6]).row("yes").conf_high,
        lambda: proportion_confint(14, 20, method="wilson")[1],
    ),
    "irr: kappa2(ratings[, 1:2], 'equal')": (
        lambda: ss.weighted_kappa(RATED[["ann", "bob"]], weights="equal").params.iloc[0],
        lambda: cohen_kappa_score(RATED.ann, RATED.bob, weights="linear"),
    ),
    "irr: kappam.light(ratings)": (
        lambda: ss.weighted_kappa(RATED, weights="unweighted").row("mean").estimate,
        lambda: np.mean(
            [
                cohen_kappa_score(RATED[a], RATED[b])
                for a, b in (("ann", "bob"), ("ann", "cid"), ("bob", "cid"))
            ]
        ),
    ),
    "irr: kappam.fleiss(ratings)": (
        lambda: ss.fleiss_kappa(RATED).row("kappa").estimate,
        lambda: fleiss_kappa(aggregate_raters(RATED.to_numpy())[0]),
    ),
    "irr: agree(ratings, tolerance = 1)": (
        lambda: ss.percent_agreement(RATED[["ann", "bob"]], tolerance=1).params.iloc[0],
        lambda: np.mean(abs(RATED.ann - RATED.bob) <= 1),
    ),
    "scipy: ttest_ind of groupby": (
        lambda: ss.two_means(*[rows["extra"] for _, rows in SLEEP.groupby("group")]).statistic,
        lambda: stats.ttest_ind(ONE, TWO, equal_var=False).statistic,
    ),
    "scipy: mannwhitneyu(x, y, alternative='less')": (
        lambda: ss.two_ordinal(ONE, TWO, alternative="less").row("rank_sum").statistic,
        lambda: stats.mannwhitneyu(ONE, TWO, alternative="less").statistic,
    ),
    "scipy: permutation_test of pairs": (
        lambda: ss.permute((ONE, TWO), lambda x, y: np.mean(x - y), paired=True).pvalue,
        lambda: (
            stats.permutation_test(
                (ONE, TWO),
                lambda x, y: np.mean(x - y),
                permutation_type="samples",
                n_resamples=np.inf,
            ).pvalue
        ),
    ),
    "scipy: spearmanr(df.ann, df.bob).statistic": (
        lambda: ss.spearman_rho(RATED.ann, RATED.bob).params.iloc[0],
        lambda: stats.spearmanr(RATED.ann, RATED.bob).statistic,
    ),
    "statsmodels: ols('extra ~ 1').fit().conf_int(alpha=0.1)": (
        lambda: ss.mean_ratings(SLEEP.extra).conf_int(alpha=0.1).to_numpy()[0],
        lambda: ols("extra ~ 1", SLEEP).fit().conf_int(alpha=0.1).to_numpy()[0],
    ),
    "statsmodels: mcnemar(Table2x2.from_data(...).table)": (
        lambda: (
            ss.mcnemar(ct.Table2x2([[30, 12], [5, 53]]).table, test="exact")
            .row("difference")
            .p_value
        ),
        lambda: ct.mcnemar(ct.Table2x2([[30, 12], [5, 53]]).table).pvalue,
    ),
    "statsmodels: SquareTable.from_data(labels).symmetry()": (
        lambda: ss.symmetry(pd.crosstab(ANIMALS, SEEN)).row("bowker").p_value,
        lambda: ct.SquareTable(pd.crosstab(ANIMALS, SEEN), shift_zeros=False).symmetry().pvalue,
    ),
    "statsmodels: confint_proportions_2indep of a crosstab": (
        lambda: ss.two_proportions(ARMS).confidence_interval(),
        lambda: confint_proportions_2indep(
            ARMS[1].iloc[0], 25, ARMS[1].iloc[1], 20, method="newcomb"
        ),
    ),
    "statsmodels: multipletests of p-values of results": (
        lambda: ss.adjust([ss.two_means(ONE, TWO).pvalue, 0.03, 0.001], "fdr_by").tidy()[
            "p_adjusted"
        ],
        lambda: multipletests(
            [stats.ttest_ind(ONE, TWO, equal_var=False).pvalue, 0.03, 0.001], method="fdr_by"
        )[1],
    ),
    "sklearn: cohen_kappa_score(y1, y2) of labels": (
        lambda: ss.weighted_kappa(ANIMALS, SEEN, scale="nominal").params.iloc[0],
        lambda: cohen_kappa_score(ANIMALS, SEEN),
    ),
    "sklearn: kappa of confusion_matrix(y1, y2)": (
        lambda: ss.weighted_kappa(confusion_matrix(ANIMALS, SEEN), scale="nominal").params.iloc[0],
        lambda: cohen_kappa_score(ANIMALS, SEEN),
    ),
    "sklearn: accuracy_score(y_true, y_pred)": (
        lambda: ss.percent_agreement(ANIMALS, SEEN, scale="nominal").params.iloc[0],
        lambda: accuracy_score(ANIMALS, SEEN),
    ),
    "krippendorff: alpha(reliability_data) with gaps": (
        lambda: (
            ss.krippendorff_alpha(MATRIX, raters_in="rows", scale="ordinal").row("alpha").estimate
        ),
        lambda: pytest.importorskip("krippendorff").alpha(MATRIX, level_of_measurement="ordinal"),
    ),
    "krippendorff: alpha(reliability_data) as vectors": (
        lambda: ss.krippendorff_alpha(*MATRIX, scale="nominal").row("alpha").estimate,
        lambda: pytest.importorskip("krippendorff").alpha(MATRIX, level_of_measurement="nominal"),
    ),
    "choix: opt_pairwise(n_items, data)": (
        lambda: ss.bradley_terry(PAIRS).params.sort_index().to_numpy(),
        lambda: FIT - FIT.mean(),
    ),
    "choix: probabilities([0, 2], params)": (
        lambda: ss.bradley_terry(PAIRS).predict([("0", "2")]).params.iloc[0],
        lambda: choix.probabilities([0, 2], FIT)[0],
    ),
    "BradleyTerry2: BTabilities of winners and losers": (
        lambda: ss.bradley_terry(GAMES).contrast("0", "2").params.iloc[0],
        lambda: FIT[0] - FIT[2],
    ),
    "pingouin: ttest(x, y, paired=True)['CI95']": (
        lambda: ss.paired_difference(ONE, TWO).confidence_interval(),
        lambda: tuple(stats.ttest_rel(ONE, TWO).confidence_interval()),
    ),
    "pingouin: wilcoxon(x, y)": (
        lambda: ss.paired_difference(RATED.ann, RATED.bob).row("wilcoxon").statistic,
        lambda: stats.rankdata(abs(GAPS))[GAPS > 0].sum(),
    ),
}
GAPS = (RATED.ann - RATED.bob).to_numpy()
GAPS = GAPS[GAPS != 0]


@pytest.mark.parametrize("name", JOBS)
def test_a_job_gives_the_peers_number_at_the_first_try(name: str) -> None:
    ours, peer = JOBS[name]
    assert np.asarray(ours()) == pytest.approx(np.asarray(peer()), rel=1e-5, abs=1e-6)
