"""Which tools run on which data, how often, and what is said about them."""

from __future__ import annotations

from dataclasses import dataclass

CHOIX_REFITS = 15
EVALICA_REFITS = 200
LOOPED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the table.

    Attributes
    ----------
    tool, what : str
    job : str
        Function in `tools`, with its arguments.
    data : str
        Function in `measure` or `agreement_tools` that makes it.
    errors : str
        What uncertainty the tool's answer comes with.
    calls : int
        Calls in one process: the first is reported apart from the median of the others.
    repeats : int
        Fresh processes.
    scale : float
        Factor to the size asked for, where the tool was given less to do.
    target : float
        CPU ratio to ours that the project asks for (0: none).
    same_model : bool
        True when the strengths should agree with ours.
    by_first : bool
        True when the target is about the first call in a process.
    centred : bool
        True when the answers are log-strengths, which are compared after centring; else as they are.
    seconds : float
        CPU seconds that our own later calls may take (0: no such target).
    """

    tool: str
    what: str
    job: str
    data: str
    errors: str
    calls: int
    repeats: int
    scale: float = 1.0
    target: float = 0.0
    same_model: bool = True
    by_first: bool = False
    centred: bool = True
    seconds: float = 0.0


OURS = "socialstats"
TASKS: dict[str, tuple[str, tuple[Entry, ...]]] = {
    "fit": (
        "One Bradley-Terry fit: 13,914 rows, 65 items, from a pandas data frame of text to strengths",
        (
            Entry(
                tool=OURS,
                what="with covariance",
                job="ours_fit",
                data="role_conflict",
                errors="full covariance",
                calls=21,
                repeats=5,
            ),
            Entry(
                tool="evalica",
                what="bradley_terry",
                job="evalica_fit",
                data="role_conflict",
                errors="none",
                calls=21,
                repeats=5,
                target=1.5,
            ),
            Entry(
                tool="statsmodels",
                what="GLM on counts",
                job="statsmodels_fit",
                data="role_conflict",
                errors="full covariance",
                calls=6,
                repeats=3,
            ),
            Entry(
                tool="choix",
                what="ilsr_pairwise",
                job="choix_fit",
                data="role_conflict",
                errors="none",
                calls=4,
                repeats=3,
            ),
            Entry(
                tool="arena-rank",
                what="fit and sandwich",
                job="arena_fit",
                data="role_conflict",
                errors="standard errors",
                calls=2,
                repeats=2,
            ),
            Entry(
                tool="choix",
                what="opt_pairwise",
                job="choix_fit:opt_pairwise",
                data="role_conflict",
                errors="none",
                calls=2,
                repeats=1,
            ),
            Entry(
                tool="choix",
                what="mm_pairwise",
                job="choix_fit:mm_pairwise",
                data="role_conflict",
                errors="none",
                calls=2,
                repeats=1,
            ),
        ),
    ),
    "bootstrap": (
        "1,000 bootstrap refits by row with percentile intervals, same data, reading and first fit included",
        (
            Entry(
                tool=OURS,
                what="bootstrap(by='row')",
                job="ours_bootstrap",
                data="role_conflict",
                errors="percentile",
                calls=4,
                repeats=5,
            ),
            Entry(
                tool="evalica",
                what=f"bootstrap, percentile, {EVALICA_REFITS} refits x {1000 // EVALICA_REFITS}",
                job=f"evalica_bootstrap:{EVALICA_REFITS}",
                data="role_conflict",
                errors="percentile",
                calls=1,
                repeats=3,
                scale=1000 / EVALICA_REFITS,
                target=30,
            ),
            Entry(
                tool="choix",
                what=f"ilsr_pairwise on resampled rows, {CHOIX_REFITS} refits x {1000 / CHOIX_REFITS:.1f}",
                job=f"choix_bootstrap:{CHOIX_REFITS}",
                data="role_conflict",
                errors="percentile",
                calls=1,
                repeats=3,
                scale=1000 / CHOIX_REFITS,
                target=200,
            ),
        ),
    ),
    "battles": (
        "2,000,000 battles of 200 items, 30% ties (simulated from Davidson's model), from a pandas data frame",
        (
            Entry(
                tool=OURS,
                what="Davidson with covariance",
                job="ours_fit",
                data="battles",
                errors="full covariance",
                calls=3,
                repeats=3,
            ),
            Entry(
                tool="evalica",
                what="newman (Davidson's model)",
                job="evalica_fit:newman",
                data="battles",
                errors="none",
                calls=2,
                repeats=3,
                target=10,
            ),
            Entry(
                tool="evalica",
                what="bradley_terry (ties as halves)",
                job="evalica_fit",
                data="battles",
                errors="none",
                calls=2,
                repeats=2,
                target=10,
                same_model=False,
            ),
            Entry(
                tool="arena-rank",
                what="ties as halves, sandwich",
                job="arena_fit",
                data="battles",
                errors="standard errors",
                calls=2,
                repeats=1,
                target=25,
                same_model=False,
                by_first=True,
            ),
        ),
    ),
    "kappa": (
        "Quadratic kappa of two raters with a percentile interval: 13,914 units, 3 levels, 2,000 resamples",
        (
            Entry(
                tool=OURS,
                what="weighted_kappa(ci='percentile')",
                job="agreement_tools.ours_kappa",
                data="two_raters",
                errors="percentile",
                calls=11,
                repeats=5,
                centred=False,
            ),
            Entry(
                tool="scikit-learn",
                what=f"cohen_kappa_score in a loop, {LOOPED} resamples x {2000 // LOOPED}",
                job=f"agreement_tools.sklearn_kappa:{LOOPED}",
                data="two_raters",
                errors="percentile",
                calls=2,
                repeats=3,
                scale=2000 / LOOPED,
                target=1000,
                centred=False,
            ),
        ),
    ),
    "alpha": (
        "Ordinal alpha with a percentile interval: 400 units x 100 raters, half missing, 5 levels, 2,000 resamples",
        (
            Entry(
                tool=OURS,
                what="krippendorff_alpha(ci='percentile')",
                job="agreement_tools.ours_alpha",
                data="many_raters",
                errors="percentile",
                calls=11,
                repeats=5,
                centred=False,
            ),
            Entry(
                tool="krippendorff",
                what=f"alpha in a loop, {LOOPED} resamples x {2000 // LOOPED}",
                job=f"agreement_tools.krippendorff_loop:{LOOPED}",
                data="many_raters",
                errors="percentile",
                calls=2,
                repeats=3,
                scale=2000 / LOOPED,
                target=250,
                centred=False,
            ),
        ),
    ),
    "sign_flips": (
        "Sign-flip test of a mean of 1,546 differences, 100,000 flips",
        (
            Entry(
                tool=OURS,
                what="sign_flip(exact=False)",
                job="agreement_tools.ours_flips",
                data="differences",
                errors="p-value",
                calls=6,
                repeats=5,
                centred=False,
            ),
            Entry(
                tool="scipy",
                what="permutation_test(batch=2000)",
                job="agreement_tools.scipy_flips",
                data="differences",
                errors="p-value",
                calls=2,
                repeats=2,
                target=40,
                centred=False,
            ),
        ),
    ),
    "crossed": (
        "Bootstrap of a mean over two crossed factors: 316 persons x 24 items, 2,000 resamples",
        (
            Entry(
                tool=OURS,
                what="bootstrap over two factors",
                job="agreement_tools.ours_crossed",
                data="persons_by_items",
                errors="percentile",
                calls=6,
                repeats=5,
                centred=False,
                seconds=0.5,
            ),
            Entry(
                tool="numpy",
                what="rows and columns drawn in a loop",
                job="agreement_tools.numpy_crossed:2000",
                data="persons_by_items",
                errors="percentile",
                calls=3,
                repeats=3,
                centred=False,
            ),
        ),
    ),
}
