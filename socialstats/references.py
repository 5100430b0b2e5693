"""The literature behind the methods: one entry a work, cited by key everywhere else."""

from __future__ import annotations

from dataclasses import dataclass

from socialstats.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A published work.

    Attributes
    ----------
    authors, year, title, venue, doi : str
        `doi` is empty where the work has none.
    """

    authors: str
    year: int
    title: str
    venue: str
    doi: str = ""

    def __str__(self) -> str:
        text = f"{self.authors} ({self.year}). {self.title}. {self.venue}."
        return f"{text} doi:{self.doi}" if self.doi else text


REFERENCES: dict[str, Reference] = {
    "steegen2016": Reference(
        authors="Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W.", year=2016,
        title="Increasing transparency through a multiverse analysis",
        venue="Perspectives on Psychological Science, 11(5), 702-712", doi="10.1177/1745691616658637"),
    "bradley1952": Reference(
        authors="Bradley, R. A., & Terry, M. E.", year=1952,
        title="Rank analysis of incomplete block designs: I. The method of paired comparisons",
        venue="Biometrika, 39(3/4), 324-345", doi="10.2307/2334029"),
    "ford1957": Reference(
        authors="Ford, L. R., Jr.", year=1957,
        title="Solution of a ranking problem from binary comparisons",
        venue="American Mathematical Monthly, 64(8), 28-33", doi="10.2307/2308513"),
    "raokupper1967": Reference(
        authors="Rao, P. V., & Kupper, L. L.", year=1967,
        title="Ties in paired-comparison experiments: A generalization of the Bradley-Terry model",
        venue="Journal of the American Statistical Association, 62(317), 194-204",
        doi="10.1080/01621459.1967.10482901"),
    "davidson1970": Reference(
        authors="Davidson, R. R.", year=1970,
        title="On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
        venue="Journal of the American Statistical Association, 65(329), 317-328",
        doi="10.1080/01621459.1970.10481082"),
    "davidsonbeaver1977": Reference(
        authors="Davidson, R. R., & Beaver, R. J.", year=1977,
        title="On extending the Bradley-Terry model to incorporate within-pair order effects",
        venue="Biometrics, 33(4), 693-702", doi="10.2307/2529467"),
    "stigler1994": Reference(
        authors="Stigler, S. M.", year=1994,
        title="Citation patterns in the journals of statistics and probability",
        venue="Statistical Science, 9(1), 94-108", doi="10.1214/ss/1177010655"),
    "agresti2002": Reference(
        authors="Agresti, A.", year=2002, title="Categorical data analysis (2nd ed.)",
        venue="Wiley", doi="10.1002/0471249688"),
    "firth1993": Reference(
        authors="Firth, D.", year=1993, title="Bias reduction of maximum likelihood estimates",
        venue="Biometrika, 80(1), 27-38", doi="10.1093/biomet/80.1.27"),
    "firth2004": Reference(
        authors="Firth, D., & de Menezes, R. X.", year=2004, title="Quasi-variances",
        venue="Biometrika, 91(1), 65-80", doi="10.1093/biomet/91.1.65"),
    "hunter2004": Reference(
        authors="Hunter, D. R.", year=2004, title="MM algorithms for generalized Bradley-Terry models",
        venue="The Annals of Statistics, 32(1), 384-406", doi="10.1214/aos/1079120141"),
    "turnerfirth2012": Reference(
        authors="Turner, H., & Firth, D.", year=2012,
        title="Bradley-Terry models in R: The BradleyTerry2 package",
        venue="Journal of Statistical Software, 48(9), 1-21", doi="10.18637/jss.v048.i09"),
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
    "cattelan2012": Reference(
        authors="Cattelan, M.", year=2012,
        title="Models for paired comparison data: A review with emphasis on dependent data",
        venue="Statistical Science, 27(3), 412-433", doi="10.1214/12-STS396"),
    "mogstad2024": Reference(
        authors="Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D.", year=2024,
        title="Inference for ranks with applications to mobility across neighbourhoods and academic "
              "achievement across countries",
        venue="The Review of Economic Studies, 91(1), 476-518", doi="10.1093/restud/rdad006"),
    "romanowolf2005": Reference(
        authors="Romano, J. P., & Wolf, M.", year=2005,
        title="Exact and approximate stepdown methods for multiple hypothesis testing",
        venue="Journal of the American Statistical Association, 100(469), 94-108",
        doi="10.1198/016214504000000539"),
    "berger1982": Reference(
        authors="Berger, R. L.", year=1982, title="Multiparameter hypothesis testing and acceptance sampling",
        venue="Technometrics, 24(4), 295-300", doi="10.2307/1267823"),
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
    "shannon1948": Reference(
        authors="Shannon, C. E.", year=1948, title="A mathematical theory of communication",
        venue="Bell System Technical Journal, 27(3), 379-423", doi="10.1002/j.1538-7305.1948.tb01338.x"),
    "miller1955": Reference(
        authors="Miller, G. A.", year=1955, title="Note on the bias of information estimates",
        venue="In H. Quastler (Ed.), Information theory in psychology (pp. 95-100). Free Press"),
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
    "fisher1935": Reference(
        authors="Fisher, R. A.", year=1935, title="The design of experiments", venue="Oliver and Boyd"),
    "phipsonsmyth2010": Reference(
        authors="Phipson, B., & Smyth, G. K.", year=2010,
        title="Permutation p-values should never be zero: Calculating exact p-values when permutations are randomly "
              "drawn",
        venue="Statistical Applications in Genetics and Molecular Biology, 9(1), 39", doi="10.2202/1544-6115.1585"),
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
    "konis2007": Reference(
        authors="Konis, K.", year=2007,
        title="Linear programming algorithms for detecting separated data in binary logistic regression models",
        venue="DPhil thesis, University of Oxford"),
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
    "cohen1960": Reference(
        authors="Cohen, J.", year=1960, title="A coefficient of agreement for nominal scales",
        venue="Educational and Psychological Measurement, 20(1), 37-46", doi="10.1177/001316446002000104"),
    "cohen1968": Reference(
        authors="Cohen, J.", year=1968,
        title="Weighted kappa: Nominal scale agreement provision for scaled disagreement or partial credit",
        venue="Psychological Bulletin, 70(4), 213-220", doi="10.1037/h0026256"),
    "fleiss1969": Reference(
        authors="Fleiss, J. L., Cohen, J., & Everitt, B. S.", year=1969,
        title="Large sample standard errors of kappa and weighted kappa",
        venue="Psychological Bulletin, 72(5), 323-327", doi="10.1037/h0028106"),
    "light1971": Reference(
        authors="Light, R. J.", year=1971,
        title="Measures of response agreement for qualitative data: Some generalizations and alternatives",
        venue="Psychological Bulletin, 76(5), 365-377", doi="10.1037/h0031643"),
    "conger1980": Reference(
        authors="Conger, A. J.", year=1980, title="Integration and generalization of kappas for multiple raters",
        venue="Psychological Bulletin, 88(2), 322-328", doi="10.1037/0033-2909.88.2.322"),
    "korngraubard1998": Reference(
        authors="Korn, E. L., & Graubard, B. I.", year=1998,
        title="Confidence intervals for proportions with small expected number of positive counts estimated from "
              "survey data",
        venue="Survey Methodology, 24(2), 193-201"),
    "krippendorff2011": Reference(
        authors="Krippendorff, K.", year=2011, title="Computing Krippendorff's alpha-reliability",
        venue="University of Pennsylvania, Annenberg School for Communication, Departmental Papers 43"),
    "krippendorff2019": Reference(
        authors="Krippendorff, K.", year=2019,
        title="Content analysis: An introduction to its methodology (4th ed.)", venue="Sage",
        doi="10.4135/9781071878781"),
    "gwet2008": Reference(
        authors="Gwet, K. L.", year=2008,
        title="Computing inter-rater reliability and its variance in the presence of high agreement",
        venue="British Journal of Mathematical and Statistical Psychology, 61(1), 29-48",
        doi="10.1348/000711006X126600"),
    "gwet2014": Reference(
        authors="Gwet, K. L.", year=2014,
        title="Handbook of inter-rater reliability (4th ed.)", venue="Advanced Analytics"),
    "fleiss1971": Reference(
        authors="Fleiss, J. L.", year=1971, title="Measuring nominal scale agreement among many raters",
        venue="Psychological Bulletin, 76(5), 378-382", doi="10.1037/h0031619"),
    "fleiss1979": Reference(
        authors="Fleiss, J. L., Nee, J. C. M., & Landis, J. R.", year=1979,
        title="Large sample variance of kappa in the case of different sets of raters",
        venue="Psychological Bulletin, 86(5), 974-977", doi="10.1037/0033-2909.86.5.974"),
    "condorcet1785": Reference(
        authors="Condorcet, M. J. A. N. de Caritat, marquis de", year=1785,
        title="Essai sur l'application de l'analyse à la probabilité des décisions rendues à la pluralité des voix",
        venue="Imprimerie Royale"),
    "levy2024": Reference(
        authors="Levy, S., Adler, W. D., Karver, T. S., Dredze, M., & Kaufman, M. R.", year=2024,
        title="Gender bias in decision-making with large language models: A study of relationship conflicts",
        venue="Findings of the Association for Computational Linguistics: EMNLP 2024, 5777-5800",
        doi="10.18653/v1/2024.findings-emnlp.331"),
    "leone1961": Reference(
        authors="Leone, F. C., Nelson, L. S., & Nottingham, R. B.", year=1961, title="The folded normal distribution",
        venue="Technometrics, 3(4), 543-550", doi="10.1080/00401706.1961.10489974"),
    "lin1991": Reference(
        authors="Lin, J.", year=1991, title="Divergence measures based on the Shannon entropy",
        venue="IEEE Transactions on Information Theory, 37(1), 145-151", doi="10.1109/18.61115"),
    "efrontibshirani1993": Reference(
        authors="Efron, B., & Tibshirani, R. J.", year=1993, title="An introduction to the bootstrap",
        venue="Chapman & Hall", doi="10.1201/9780429246593"),
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
    "brownheathers2017": Reference(
        authors="Brown, N. J. L., & Heathers, J. A. J.", year=2017,
        title="The GRIM test: A simple technique detects numerous anomalies in the reporting of results in psychology",
        venue="Social Psychological and Personality Science, 8(4), 363-369", doi="10.1177/1948550616673876"),
    "anaya2016": Reference(
        authors="Anaya, J.", year=2016,
        title="The GRIMMER test: A method for testing the validity of reported measures of variability",
        venue="PeerJ Preprints, 4, e2400v1", doi="10.7287/peerj.preprints.2400v1"),
    "allard2018": Reference(
        authors="Allard, A.", year=2018,
        title="Analytic-GRIMMER: A new way of testing the possibility of standard deviations", venue="Web page"),
    "heathersbrown2019": Reference(
        authors="Heathers, J. A. J., & Brown, N. J. L.", year=2019,
        title="DEBIT: A simple consistency test for binary data", venue="OSF, https://osf.io/5vb3u"),
    "bhatiadavis2000": Reference(
        authors="Bhatia, R., & Davis, C.", year=2000, title="A better bound on the variance",
        venue="American Mathematical Monthly, 107(4), 353-357", doi="10.1080/00029890.2000.12005203"),
}  # fmt: skip


def citation(key: str) -> str:
    """Return a reference as text.

    Raises
    ------
    InputError
        If the key is unknown.

    Examples
    --------
    >>> citation("ford1957")
    'Ford, L. R., Jr. (1957). Solution of a ranking problem from binary comparisons. ...doi:10.2307/2308513'
    """
    if key not in REFERENCES:
        raise InputError(f"no reference '{key}'; references: {', '.join(sorted(REFERENCES))}")
    return str(REFERENCES[key])
