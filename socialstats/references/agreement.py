"""Agreement of raters, majorities, and divergence of sources."""

from __future__ import annotations

from socialstats.references.work import Reference

AGREEMENT: dict[str, Reference] = {
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
    "calderon2025": Reference(
        authors="Calderon, N., Reichart, R., & Dror, R.", year=2025,
        title="The alternative annotator test for LLM-as-a-judge: How to statistically justify replacing human "
              "annotators with LLMs",
        venue="Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics, 16051-16081"),
    "condorcet1785": Reference(
        authors="Condorcet, M. J. A. N. de Caritat, marquis de", year=1785,
        title="Essai sur l'application de l'analyse à la probabilité des décisions rendues à la pluralité des voix",
        venue="Imprimerie Royale"),
    "lin1991": Reference(
        authors="Lin, J.", year=1991, title="Divergence measures based on the Shannon entropy",
        venue="IEEE Transactions on Information Theory, 37(1), 145-151", doi="10.1109/18.61115"),
}  # fmt: skip
