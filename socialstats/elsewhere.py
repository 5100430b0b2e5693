"""What functions of R, scipy, statsmodels, pingouin and others are called here; read where a name is not found."""

from __future__ import annotations

from collections.abc import Mapping

PAIRS, GROUPS = "ss.paired_difference(x, y)", "ss.two_means(x, y)"
SHARES = "ss.two_proportions(count=[14, 32], nobs=[70, 80])"
# names elsewhere -> what to write here
CALLS: Mapping[str, str] = {
    "ttest_rel pairwise_tests": PAIRS,
    "ttest_ind CompareMeans": GROUPS,
    "t_test ttest": f"{PAIRS} of pairs, {GROUPS} of two groups",
    "ttest_1samp DescrStatsW": "ss.paired_difference(ss.Paired.one_sample(x, bound=0))",
    "wilcoxon wilcoxsign_test": "ss.paired_difference(x, y).row('wilcoxon')",
    "wilcox_test": "ss.paired_difference(x, y).row('wilcoxon') of pairs, ss.two_ordinal(x, y) of two groups",
    "mannwhitneyu mwu ranksums brunnermunzel rank_biserial": "ss.two_ordinal(x, y)",
    "fisher_exact fisher_test prop_test proportions_ztest test_proportions_2indep": SHARES,
    "confint_proportions_2indep proportion_effectsize": SHARES,
    "mcnemar_test mcnemar_exact exact2x2 Table2x2": "ss.mcnemar([[30, 12], [5, 53]])",
    "bowker SquareTable mh_test": "ss.symmetry(pd.crosstab(first, second))",
    "cochrans_q cochran": "ss.cochran_q(*array.T)",
    "cohen_kappa_score cohens_kappa cohen_kappa kappa kappa2 Kappa": "ss.weighted_kappa(ann, bob)",
    "kappam_light": "ss.weighted_kappa(ann, bob, cid)",
    "kappam_fleiss aggregate_raters": "ss.fleiss_kappa(ann, bob, cid)",
    "kripp_alpha alpha krippendorff": "ss.krippendorff_alpha(ann, bob, cid)",
    "accuracy_score agree": "ss.percent_agreement(ann, bob)",
    "spearmanr": "ss.spearman_rho(ann, bob)",
    "multipletests p_adjust multicomp fdrcorrection": "ss.adjust(p, 'bh')",
    "BTm btmodel ilsr_pairwise opt_pairwise lsr_pairwise": "ss.bradley_terry(list(zip(winners, losers)))",
    "compute_effsize cohens_d cohen_d hedges_g": "ss.effect_sizes(x, y) of pairs",
    "tost ttost_paired tsum_TOST": "ss.equivalence(ss.paired_difference(x, y), margin=0.5)",
    "binom_test binomtest proportion_confint": "ss.choice_shares(['yes', 'no'], count=[14, 6])",
    "permutation_test independence_test": "ss.permute((x, y), function, paired=True)",
    "power_t_test power_ttest TTestPower": "ss.power_paired_t(n=34, effect=0.5)",
    "multinom MNLogit": "ss.multinomial_logit(table)",
    "glht": "ss.bradley_terry(table).contrast('A', 'B')",
    "boot": "ss.bootstrap(x, function)",
}
# names elsewhere -> the function that has what is not here
ABSENT: Mapping[str, str] = {
    "cronbach_alpha": "pingouin.cronbach_alpha",
    "kendalltau": "scipy.stats.kendalltau",
    "pearsonr corr": "scipy.stats.pearsonr",
    "chi2_contingency chisq_test": "scipy.stats.chi2_contingency",
    "f_oneway aov anova": "scipy.stats.f_oneway",
    "kruskal": "scipy.stats.kruskal",
    "friedmanchisquare friedman": "scipy.stats.friedmanchisquare",
    "lm ols OLS": "statsmodels.formula.api.ols",
}


def here(name: str) -> str:
    """Return what to write for the name of a function of another package; empty for any other name.

    Examples
    --------
    >>> here("ttest_rel"), here("kendalltau"), here("nonsense")
    ('. Write ss.paired_difference(x, y)', '. There is none: scipy.stats.kendalltau has it', '')
    """
    for names, call in CALLS.items():
        if name in names.split():
            return f". Write {call}"
    for names, other in ABSENT.items():
        if name in names.split():
            return f". There is none: {other} has it"
    return ""
