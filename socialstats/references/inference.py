"""Uncertainty: resampling, clusters, small samples, families of tests, choices of analysis."""

from __future__ import annotations

from socialstats.references.work import Reference

INFERENCE: dict[str, Reference] = {
    "steegen2016": Reference(
        authors="Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W.", year=2016,
        title="Increasing transparency through a multiverse analysis",
        venue="Perspectives on Psychological Science, 11(5), 702-712", doi="10.1177/1745691616658637"),
    "white1982": Reference(
        authors="White, H.", year=1982, title="Maximum likelihood estimation of misspecified models",
        venue="Econometrica, 50(1), 1-25", doi="10.2307/1912526"),
    "liangzeger1986": Reference(
        authors="Liang, K.-Y., & Zeger, S. L.", year=1986,
        title="Longitudinal data analysis using generalized linear models",
        venue="Biometrika, 73(1), 13-22", doi="10.1093/biomet/73.1.13"),
    "cameron2011": Reference(
        authors="Cameron, A. C., Gelbach, J. B., & Miller, D. L.", year=2011,
        title="Robust inference with multiway clustering",
        venue="Journal of Business & Economic Statistics, 29(2), 238-249", doi="10.1198/jbes.2010.07136"),
    "satterthwaite1946": Reference(
        authors="Satterthwaite, F. E.", year=1946,
        title="An approximate distribution of estimates of variance components",
        venue="Biometrics Bulletin, 2(6), 110-114", doi="10.2307/3002019"),
    "cochran1964": Reference(
        authors="Cochran, W. G.", year=1964, title="Approximate significance levels of the Behrens-Fisher test",
        venue="Biometrics, 20(1), 191-195", doi="10.2307/2528069"),
    "box1953": Reference(
        authors="Box, G. E. P.", year=1953, title="Non-normality and tests on variances",
        venue="Biometrika, 40(3-4), 318-335", doi="10.1093/biomet/40.3-4.318"),
    "cornfieldtukey1956": Reference(
        authors="Cornfield, J., & Tukey, J. W.", year=1956, title="Average values of mean squares in factorials",
        venue="The Annals of Mathematical Statistics, 27(4), 907-949", doi="10.1214/aoms/1177728067"),
    "raoscott1984": Reference(
        authors="Rao, J. N. K., & Scott, A. J.", year=1984,
        title="On chi-squared tests for multiway contingency tables with cell proportions estimated from survey data",
        venue="The Annals of Statistics, 12(1), 46-60", doi="10.1214/aos/1176346391"),
    "hotelling1931": Reference(
        authors="Hotelling, H.", year=1931, title="The generalization of Student's ratio",
        venue="The Annals of Mathematical Statistics, 2(3), 360-378", doi="10.1214/aoms/1177732979"),
    "quenouille1956": Reference(
        authors="Quenouille, M. H.", year=1956, title="Notes on bias in estimation",
        venue="Biometrika, 43(3-4), 353-360", doi="10.1093/biomet/43.3-4.353"),
    "imbensmanski2004": Reference(
        authors="Imbens, G. W., & Manski, C. F.", year=2004,
        title="Confidence intervals for partially identified parameters",
        venue="Econometrica, 72(6), 1845-1857", doi="10.1111/j.1468-0262.2004.00555.x"),
    "romanowolf2005": Reference(
        authors="Romano, J. P., & Wolf, M.", year=2005,
        title="Exact and approximate stepdown methods for multiple hypothesis testing",
        venue="Journal of the American Statistical Association, 100(469), 94-108",
        doi="10.1198/016214504000000539"),
    "holm1979": Reference(
        authors="Holm, S.", year=1979, title="A simple sequentially rejective multiple test procedure",
        venue="Scandinavian Journal of Statistics, 6(2), 65-70"),
    "efron1987": Reference(
        authors="Efron, B.", year=1987, title="Better bootstrap confidence intervals",
        venue="Journal of the American Statistical Association, 82(397), 171-185",
        doi="10.1080/01621459.1987.10478410"),
    "davisonhinkley1997": Reference(
        authors="Davison, A. C., & Hinkley, D. V.", year=1997, title="Bootstrap methods and their application",
        venue="Cambridge University Press", doi="10.1017/CBO9780511802843"),
    "wilson1927": Reference(
        authors="Wilson, E. B.", year=1927,
        title="Probable inference, the law of succession, and statistical inference",
        venue="Journal of the American Statistical Association, 22(158), 209-212",
        doi="10.1080/01621459.1927.10502953"),
    "owen2007": Reference(
        authors="Owen, A. B.", year=2007, title="The pigeonhole bootstrap",
        venue="The Annals of Applied Statistics, 1(2), 386-411", doi="10.1214/07-AOAS122"),
    "fisher1935": Reference(
        authors="Fisher, R. A.", year=1935, title="The design of experiments", venue="Oliver and Boyd"),
    "phipsonsmyth2010": Reference(
        authors="Phipson, B., & Smyth, G. K.", year=2010,
        title="Permutation p-values should never be zero: Calculating exact p-values when permutations are randomly "
              "drawn",
        venue="Statistical Applications in Genetics and Molecular Biology, 9(1), 39", doi="10.2202/1544-6115.1585"),
    "pustejovskytipton2018": Reference(
        authors="Pustejovsky, J. E., & Tipton, E.", year=2018,
        title="Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects "
              "models",
        venue="Journal of Business & Economic Statistics, 36(4), 672-683", doi="10.1080/07350015.2016.1247004"),
    "bellmccaffrey2002": Reference(
        authors="Bell, R. M., & McCaffrey, D. F.", year=2002,
        title="Bias reduction in standard errors for linear regression with multi-stage samples",
        venue="Survey Methodology, 28(2), 169-181"),
    "hochberg1988": Reference(
        authors="Hochberg, Y.", year=1988, title="A sharper Bonferroni procedure for multiple tests of significance",
        venue="Biometrika, 75(4), 800-802", doi="10.1093/biomet/75.4.800"),
    "benjamini1995": Reference(
        authors="Benjamini, Y., & Hochberg, Y.", year=1995,
        title="Controlling the false discovery rate: A practical and powerful approach to multiple testing",
        venue="Journal of the Royal Statistical Society: Series B, 57(1), 289-300",
        doi="10.1111/j.2517-6161.1995.tb02031.x"),
    "benjaminiyekutieli2001": Reference(
        authors="Benjamini, Y., & Yekutieli, D.", year=2001,
        title="The control of the false discovery rate in multiple testing under dependency",
        venue="The Annals of Statistics, 29(4), 1165-1188", doi="10.1214/aos/1013699998"),
    "westfallyoung1993": Reference(
        authors="Westfall, P. H., & Young, S. S.", year=1993,
        title="Resampling-based multiple testing: Examples and methods for p-value adjustment", venue="Wiley"),
    "levy2024": Reference(
        authors="Levy, S., Adler, W. D., Karver, T. S., Dredze, M., & Kaufman, M. R.", year=2024,
        title="Gender bias in decision-making with large language models: A study of relationship conflicts",
        venue="Findings of the Association for Computational Linguistics: EMNLP 2024, 5777-5800",
        doi="10.18653/v1/2024.findings-emnlp.331"),
    "efrontibshirani1993": Reference(
        authors="Efron, B., & Tibshirani, R. J.", year=1993, title="An introduction to the bootstrap",
        venue="Chapman & Hall", doi="10.1201/9780429246593"),
    "welch1947": Reference(
        authors="Welch, B. L.", year=1947,
        title="The generalization of 'Student's' problem when several different population variances are involved",
        venue="Biometrika, 34(1/2), 28-35", doi="10.1093/biomet/34.1-2.28"),
    "mcfadden1974": Reference(
        authors="McFadden, D.", year=1974, title="Conditional logit analysis of qualitative choice behavior",
        venue="In P. Zarembka (Ed.), Frontiers in econometrics (pp. 105-142). Academic Press"),
    "schucany1971": Reference(
        authors="Schucany, W. R., Gray, H. L., & Owen, D. B.", year=1971, title="On bias reduction in estimation",
        venue="Journal of the American Statistical Association, 66(335), 524-533",
        doi="10.1080/01621459.1971.10482296"),
    "canay2017": Reference(
        authors="Canay, I. A., Romano, J. P., & Shaikh, A. M.", year=2017,
        title="Randomization tests under an approximate symmetry assumption",
        venue="Econometrica, 85(3), 1013-1030", doi="10.3982/ECTA13081"),
    "pearson1900": Reference(
        authors="Pearson, K.", year=1900,
        title="On the criterion that a given system of deviations from the probable in the case of a correlated system "
              "of variables is such that it can be reasonably supposed to have arisen from random sampling",
        venue="Philosophical Magazine, Series 5, 50(302), 157-175", doi="10.1080/14786440009463897"),
    "raoscott1981": Reference(
        authors="Rao, J. N. K., & Scott, A. J.", year=1981,
        title="The analysis of categorical data from complex sample surveys: Chi-squared tests for goodness of fit and "
              "independence in two-way tables",
        venue="Journal of the American Statistical Association, 76(374), 221-230",
        doi="10.1080/01621459.1981.10477633"),
}  # fmt: skip
