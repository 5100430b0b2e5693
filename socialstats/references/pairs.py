"""Pairs: McNemar's test and its relatives, effect sizes, equivalence, power."""

from __future__ import annotations

from socialstats.references.work import Reference

PAIRS: dict[str, Reference] = {
    "berger1982": Reference(
        authors="Berger, R. L.", year=1982, title="Multiparameter hypothesis testing and acceptance sampling",
        venue="Technometrics, 24(4), 295-300", doi="10.2307/1267823"),
    "student1908": Reference(
        authors="Student", year=1908, title="The probable error of a mean", venue="Biometrika, 6(1), 1-25",
        doi="10.1093/biomet/6.1.1"),
    "wilcoxon1945": Reference(
        authors="Wilcoxon, F.", year=1945, title="Individual comparisons by ranking methods",
        venue="Biometrics Bulletin, 1(6), 80-83", doi="10.2307/3001968"),
    "pratt1959": Reference(
        authors="Pratt, J. W.", year=1959,
        title="Remarks on zeros and ties in the Wilcoxon signed rank procedures",
        venue="Journal of the American Statistical Association, 54(287), 655-667",
        doi="10.1080/01621459.1959.10501526"),
    "hedges1981": Reference(
        authors="Hedges, L. V.", year=1981,
        title="Distribution theory for Glass's estimator of effect size and related estimators",
        venue="Journal of Educational Statistics, 6(2), 107-128", doi="10.3102/10769986006002107"),
    "steigerfouladi1997": Reference(
        authors="Steiger, J. H., & Fouladi, R. T.", year=1997,
        title="Noncentrality interval estimation and the evaluation of statistical models",
        venue="In L. L. Harlow, S. A. Mulaik, & J. H. Steiger (Eds.), What if there were no significance tests? "
              "(pp. 221-257). Erlbaum"),
    "morrisdeshon2002": Reference(
        authors="Morris, S. B., & DeShon, R. P.", year=2002,
        title="Combining effect size estimates in meta-analysis with repeated measures and independent-groups designs",
        venue="Psychological Methods, 7(1), 105-125", doi="10.1037/1082-989X.7.1.105"),
    "cumming2012": Reference(
        authors="Cumming, G.", year=2012,
        title="Understanding the new statistics: Effect sizes, confidence intervals, and meta-analysis",
        venue="Routledge", doi="10.4324/9780203807002"),
    "schuirmann1987": Reference(
        authors="Schuirmann, D. J.", year=1987,
        title="A comparison of the two one-sided tests procedure and the power approach for assessing the "
              "equivalence of average bioavailability",
        venue="Journal of Pharmacokinetics and Biopharmaceutics, 15(6), 657-680", doi="10.1007/BF01068419"),
    "lakens2018": Reference(
        authors="Lakens, D., Scheel, A. M., & Isager, P. M.", year=2018,
        title="Equivalence testing for psychological research: A tutorial",
        venue="Advances in Methods and Practices in Psychological Science, 1(2), 259-269",
        doi="10.1177/2515245918770963"),
    "mcnemar1947": Reference(
        authors="McNemar, Q.", year=1947,
        title="Note on the sampling error of the difference between correlated proportions or percentages",
        venue="Psychometrika, 12(2), 153-157",
        doi="10.1007/BF02295996"),
    "edwards1948": Reference(
        authors="Edwards, A. L.", year=1948,
        title="Note on the correction for continuity in testing the significance of the difference "
              "between correlated proportions",
        venue="Psychometrika, 13(3), 185-187",
        doi="10.1007/BF02289261"),
    "fagerland2013": Reference(
        authors="Fagerland, M. W., Lydersen, S., & Laake, P.", year=2013,
        title="The McNemar test for binary matched-pairs data: Mid-p and asymptotic are better than exact "
              "conditional",
        venue="BMC Medical Research Methodology, 13, 91",
        doi="10.1186/1471-2288-13-91"),
    "clopper1934": Reference(
        authors="Clopper, C. J., & Pearson, E. S.", year=1934,
        title="The use of confidence or fiducial limits illustrated in the case of the binomial",
        venue="Biometrika, 26(4), 404-413",
        doi="10.1093/biomet/26.4.404"),
    "tango1998": Reference(
        authors="Tango, T.", year=1998,
        title="Equivalence test and confidence interval for the difference in proportions for the paired- "
              "sample design",
        venue="Statistics in Medicine, 17(8), 891-908",
        doi="10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B"),
    "newcombe1998": Reference(
        authors="Newcombe, R. G.", year=1998,
        title="Improved confidence intervals for the difference between binomial proportions based on "
              "paired data",
        venue="Statistics in Medicine, 17(22), 2635-2650",
        doi="10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C"),
    "bonettprice2012": Reference(
        authors="Bonett, D. G., & Price, R. M.", year=2012,
        title="Adjusted Wald confidence interval for a difference of binomial proportions based on paired "
              "data",
        venue="Journal of Educational and Behavioral Statistics, 37(4), 479-488",
        doi="10.3102/1076998611411915"),
    "agrestimin2005": Reference(
        authors="Agresti, A., & Min, Y.", year=2005,
        title="Simple improved confidence intervals for comparing matched proportions",
        venue="Statistics in Medicine, 24(5), 729-740",
        doi="10.1002/sim.1781"),
    "obuchowski1998": Reference(
        authors="Obuchowski, N. A.", year=1998,
        title="On the comparison of correlated proportions for clustered data",
        venue="Statistics in Medicine, 17(13), 1495-1507",
        doi="10.1002/(SICI)1097-0258(19980715)17:13<1495::AID-SIM863>3.0.CO;2-I"),
    "durkalski2003": Reference(
        authors="Durkalski, V. L., Palesch, Y. Y., Lipsitz, S. R., & Rust, P. F.", year=2003,
        title="Analysis of clustered matched-pair data",
        venue="Statistics in Medicine, 22(15), 2417-2428",
        doi="10.1002/sim.1438"),
    "yang2010": Reference(
        authors="Yang, Z., Sun, X., & Hardin, J. W.", year=2010,
        title="A note on the tests for clustered matched-pair binary data",
        venue="Biometrical Journal, 52(5), 638-652",
        doi="10.1002/bimj.201000035"),
    "eliasziw1991": Reference(
        authors="Eliasziw, M., & Donner, A.", year=1991,
        title="Application of the McNemar test to non-independent matched pair data",
        venue="Statistics in Medicine, 10(12), 1981-1991",
        doi="10.1002/sim.4780101211"),
    "bowker1948": Reference(
        authors="Bowker, A. H.", year=1948,
        title="A test for symmetry in contingency tables",
        venue="Journal of the American Statistical Association, 43(244), 572-574",
        doi="10.1080/01621459.1948.10483284"),
    "stuart1955": Reference(
        authors="Stuart, A.", year=1955,
        title="A test for homogeneity of the marginal distributions in a two-way classification",
        venue="Biometrika, 42(3/4), 412-416",
        doi="10.1093/biomet/42.3-4.412"),
    "maxwell1970": Reference(
        authors="Maxwell, A. E.", year=1970,
        title="Comparing the classification of subjects by two independent judges",
        venue="The British Journal of Psychiatry, 116(535), 651-655",
        doi="10.1192/bjp.116.535.651"),
    "cochran1950": Reference(
        authors="Cochran, W. G.", year=1950,
        title="The comparison of percentages in matched samples",
        venue="Biometrika, 37(3/4), 256-266",
        doi="10.1093/biomet/37.3-4.256"),
    "cohen1988": Reference(
        authors="Cohen, J.", year=1988, title="Statistical power analysis for the behavioral sciences (2nd ed.)",
        venue="Lawrence Erlbaum"),
    "connor1987": Reference(
        authors="Connor, R. J.", year=1987,
        title="Sample size for testing differences in proportions for the paired-sample design",
        venue="Biometrics, 43(1), 207-211", doi="10.2307/2531961"),
    "donnerklar2000": Reference(
        authors="Donner, A., & Klar, N.", year=2000,
        title="Design and analysis of cluster randomization trials in health research", venue="Arnold"),
}  # fmt: skip
