"""Paired comparisons: Bradley-Terry models, ties, ranks, penalties, sensitivity."""

from __future__ import annotations

from socialstats.references.work import Reference

COMPARISONS: dict[str, Reference] = {
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
    "cattelan2012": Reference(
        authors="Cattelan, M.", year=2012,
        title="Models for paired comparison data: A review with emphasis on dependent data",
        venue="Statistical Science, 27(3), 412-433", doi="10.1214/12-STS396"),
    "mogstad2024": Reference(
        authors="Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D.", year=2024,
        title="Inference for ranks with applications to mobility across neighbourhoods and academic "
              "achievement across countries",
        venue="The Review of Economic Studies, 91(1), 476-518", doi="10.1093/restud/rdad006"),
    "shannon1948": Reference(
        authors="Shannon, C. E.", year=1948, title="A mathematical theory of communication",
        venue="Bell System Technical Journal, 27(3), 379-423", doi="10.1002/j.1538-7305.1948.tb01338.x"),
    "miller1955": Reference(
        authors="Miller, G. A.", year=1955, title="Note on the bias of information estimates",
        venue="In H. Quastler (Ed.), Information theory in psychology (pp. 95-100). Free Press"),
    "konis2007": Reference(
        authors="Konis, K.", year=2007,
        title="Linear programming algorithms for detecting separated data in binary logistic regression models",
        venue="DPhil thesis, University of Oxford"),
    "leone1961": Reference(
        authors="Leone, F. C., Nelson, L. S., & Nottingham, R. B.", year=1961, title="The folded normal distribution",
        venue="Technometrics, 3(4), 543-550", doi="10.1080/00401706.1961.10489974"),
    "chuanglai2000": Reference(
        authors="Chuang, C.-S., & Lai, T. L.", year=2000, title="Hybrid resampling methods for confidence intervals",
        venue="Statistica Sinica, 10(1), 1-50"),
    "zoudonner2008": Reference(
        authors="Zou, G. Y., & Donner, A.", year=2008,
        title="Construction of confidence limits about effect measures: A general approach",
        venue="Statistics in Medicine, 27(10), 1693-1702", doi="10.1002/sim.3095"),
}  # fmt: skip
