"""The numbered cautions: causes, effects and remedies, and their page of the site."""

from __future__ import annotations

from collections.abc import Mapping

from socialstats.errors import CAUTIONS, InputError
from socialstats.text import unknown

INTRODUCTION = """\
# Cautions

A result carries numbered cautions (`result.cautions`). Its summary, its page and `socialstats check` print them with
what was found in the data; `socialstats explain SS202` prints what stands here. A code keeps its meaning from release
to release. `socialstats report --fail-on caution` ends with exit code 1 when the page has one of severity caution or
stop. Where a default fails in simulations, [calibration](calibration.md) says which caution warns of it.
"""
GROUPS = {
    "1": "Models of comparisons",
    "2": "Dependence and resampling",
    "3": "Data and design",
    "4": "Reports",
}

ADVICE: Mapping[str, tuple[str, str]] = {
    "SS101": (
        "Every strength",
        "Compare items of the separate groups, or analyse each group alone.",
    ),
    "SS102": (
        "Every strength",
        "Report the penalty or prior. Collect wins and losses of the items named.",
    ),
    "SS103": (
        "Strengths of these items and their intervals",
        "Collect more comparisons of these items.",
    ),
    "SS104": (
        "Model-based standard errors",
        'Use `cluster="pair"` or `vcov="sandwich"`, or add covariates.',
    ),
    "SS105": (
        "Strengths and win rates, pulled towards equality",
        'Use `ties="davidson"`, or exclude ties.',
    ),
    "SS106": (
        "The order effect",
        'Declare who was shown first: `order=COLUMN` or `order="item_a"` (`--order`).',
    ),
    "SS107": (
        "Win rates and S, which do not adjust for the order",
        "Balance or randomise the order within stories.",
    ),
    "SS108": ("Win rates and S", "Randomise the order independently of the covariate."),
    "SS109": ("None; ties are a parameter of the model", "No action is needed."),
    "SS110": ("Arithmetic shares most", "Report geometric shares and strengths as well."),
    "SS111": (
        "First rank, its lead, signs of effects",
        "Quote the fit that the design supports, and name it.",
    ),
    "SS201": (
        "Standard errors, intervals, p-values",
        'Use the declared clusters: `cluster="declared"`.',
    ),
    "SS202": (
        "Intervals: t intervals are conservative, bootstrap intervals too short",
        "Collect more clusters; prefer t intervals.",
    ),
    "SS203": (
        "Joint tests and simultaneous rank intervals",
        "Collect more clusters; individual CIs are usable.",
    ),
    "SS204": (
        "Bootstrap intervals",
        "Collect more data per unit, or use the intervals of the model.",
    ),
    "SS205": ("Standard errors, which account for the clusters", "No action is needed."),
    "SS206": (
        "Joint tests and intervals, which may be conservative",
        "Compare with one factor alone: `cluster=`.",
    ),
    "SS207": (
        "Standard errors, which follow the weights",
        "Check that the weights are sampling weights, not counts.",
    ),
    "SS208": (
        "Intervals, which assume homogeneous clusters",
        "Quote differences; collect data in more clusters.",
    ),
    "SS209": (
        "Intervals, tests and ranks of the items named",
        "Collect more clusters, or exclude these items.",
    ),
    "SS210": (
        "Coefficients that depend on this cluster",
        "Report their degrees of freedom; collect more clusters.",
    ),
    "SS211": (
        "Intervals of rare outcomes, which can be too short",
        "Check whether the conclusion holds without the largest clusters.",
    ),
    "SS212": (
        "Intervals of shares near 0 or 1, which can be too short",
        "Collect more clusters, or report counts.",
    ),
    "SS213": (
        "One-sided t tests of equivalence",
        "Collect more pairs, or test a transformed value.",
    ),
    "SS214": (
        "The number of that function, its error and its interval",
        "Use values in the function, and not positions or labels.",
    ),
    "SS215": (
        "Intervals and tests, which do not speak of other people",
        'Collect ratings of five people or more, or use `people="random"`.',
    ),
    "SS216": (
        "Intervals and tests, which can be too short where values go with the weights",
        "See whether the conclusion holds with trimmed weights; report the effective number.",
    ),
    "SS301": (
        "n, and all estimates if rows are not missing at random",
        "Check which rows these are, and why.",
    ),
    "SS302": (
        "Win rates under these conditions, which are undefined",
        "Collect comparisons under these conditions.",
    ),
    "SS303": (
        "Entropies; means where repeats differ",
        "Quote the bias-corrected value, or the mean over clusters.",
    ),
    "SS304": ("The plug-in estimate", "Quote the bias-corrected estimate."),
    "SS305": ("Comparisons with published values", "Use the reference lines of the page."),
    "SS306": ("All estimates for these labels", "Spell each label in one way."),
    "SS307": ("No estimate", "Declare `covariates=` to use the columns."),
    "SS308": (
        "No estimate, unless it should be adjusted for the covariates",
        "Use `--adjust NAME`.",
    ),
    "SS309": ("All estimates", "Exchange rows and columns: `raters_in=`, or `unit=` and `rater=`."),
    "SS310": (
        "Distances between levels, or the sign of differences",
        "Declare `scale=`, `levels=` or `conditions=`.",
    ),
    "SS311": (
        "Standard errors, intervals, p-values",
        "Declare the column if its rows are dependent: `cluster=`.",
    ),
    "SS312": ("The interval", "Collect more units; treat the interval as approximate."),
    "SS313": (
        "The coefficient there, which is 0 or undefined whatever the agreement",
        "Rate units that differ.",
    ),
    "SS314": (
        "Chi-square and t tests, Wald intervals",
        "Quote the exact or mid-p test; with clusters, the score test.",
    ),
    "SS315": (
        "Which units and raters are included",
        "Check that ratings are missing at random; see the rule for refusals.",
    ),
    "SS316": ("Significance", "Quote the test that was chosen in advance."),
    "SS317": (
        "t intervals of means, and of standardised differences",
        'Use `ci="studentized"`; collect more units.',
    ),
    "SS318": (
        "The sign of a mean score; changes and differences are unaffected",
        "Score neutral texts and name them as controls.",
    ),
    "SS319": ("All estimates", "Read the replies that changed, and report which parsing was used."),
    "SS320": ("Which study is made", "Name the column: `--map rater_source=COLUMN`."),
    "SS321": (
        "n, standard errors, intervals, p-values",
        "Remove copies, or number the answers and declare a cluster.",
    ),
    "SS322": ("Tests that treat rows as independent", "Test over units or clusters."),
    "SS323": (
        "n and all estimates",
        "Declare the column: `count=` (`--count`), or `count=False` if it is none.",
    ),
    "SS324": (
        "n and all estimates",
        "Declare the column: `count=` (`--count`), or `count=False` if it is none.",
    ),
    "SS325": (
        "All estimates",
        "Declare the codes as missing, `na=` (`--na`), or the levels, `levels=`.",
    ),
    "SS326": (
        "All estimates",
        "Name the columns of the raters; in a questionnaire, each row is a rater.",
    ),
    "SS328": (
        "n, standard errors, intervals, p-values",
        "Keep one row of each, unless both orders were asked for.",
    ),
    "SS327": (
        "Which conditions are compared, and the sign of differences",
        "Name both columns: `first=`, `second=` (`--map`).",
    ),
    "SS329": ("Intervals of agreement, which can be too short", "Rate more units."),
    "SS330": (
        "Weighted coefficients",
        'Use `weights="ordinal"` or a matrix, or declare `scale="interval"`.',
    ),
    "SS331": (
        "Estimates from probabilities",
        "Request a bare answer and more `top_logprobs`; compare the sampled answers.",
    ),
    "SS332": (
        "Means of that score, and its changes",
        "Clarify what judges are to score, and report each judge.",
    ),
    "SS333": (
        "The estimate",
        "Collect more answers per unit, or compare only estimates with the same bias.",
    ),
    "SS341": ("None; units, not repeats, are treated as independent", "No action is needed."),
    "SS342": ("Means and ranks of models", "Compare models on the units that they share."),
    "SS345": (
        "Tests and shares of levels, which ignore their order",
        'Use `scale="numeric"` with `levels=` in order, or declare `scale="nominal"`.',
    ),
    "SS346": (
        "Scores of the scale, and their differences",
        "Read the items, and name those that are worded the other way in reversed.",
    ),
    "SS344": ("None of the numbers", "No action is needed."),
    "SS343": (
        "Estimates for that model",
        "Report each separately: `--by model_returned` or `--by endpoint`.",
    ),
    "SS401": ("All results", "Do not quote them as findings."),
    "SS402": ("The estimate named", "Do not quote it until the difference is explained."),
    "SS403": ("Displayed labels, not estimates", "See the table for full labels."),
}


# what a caution means for the conclusion, in the words of a newspaper, for the opening of a page
PLAIN: Mapping[str, str] = {
    "SS107": "The order in which options were shown changed the choices, and the numbers are not corrected for it",
    "SS201": "Some rows belong together, and the ranges do not allow for it",
    "SS202": "The data come from few independent groups, so the ranges are less reliable",
    "SS203": "The data come from few independent groups, so the joint tests may be wrong",
    "SS212": "In some shares nearly all answers are alike, so their ranges may be too short",
    "SS312": "The sample is small, so some ranges are less reliable",
    "SS314": "The data come from few independent groups, so the tests may be wrong",
    "SS317": "Some values are rare or far from the others, so their ranges may be too short",
    "SS322": "Repeated answers of one source were alike, so more of them add little",
    "SS332": "The judges agree too little about a score",
    "SS333": "Chance makes some numbers too large or too small, and they are not corrected for it",
}

# the same of a caution that has its basis: what there is little of
COUNTED: Mapping[str, str] = {
    "SS107": "Options were chosen more often when shown {basis}, and the numbers are not corrected for it",
    "SS202": "The data come from only {basis}, so the ranges are less reliable",
    "SS312": "The data have only {basis}, so some ranges are less reliable",
}
# the same of a caution about some numbers
COUNTED_OF: Mapping[str, str] = {
    "SS202": "Few independent groups stand behind {numbers} ({basis}), so their ranges are less reliable",
    "SS212": "Few rare answers stand behind {numbers} ({basis}): their ranges may be too short",
}

# when a caution is given, where its short text leaves that open
CAUSES: Mapping[str, str] = {
    "SS101": "Some groups of items were never compared with each other, even indirectly.",
    "SS102": "Firth's penalty or pseudo-wins were requested, which shrink strengths.",
    "SS103": "An item has fewer than 10 comparisons.",
    "SS104": "Pearson's chi-square of the wins by pair of items is large for its degrees of freedom.",
    "SS106": "The first item column was taken as shown first, because no column says who was.",
    "SS107": "The role that was shown first was chosen significantly more, or less, often.",
    "SS108": "The role with the higher covariate was shown first more, or less, often than half of the time.",
    "SS110": "An arithmetic share grows with the spread of strengths and changes with the items of a group.",
    "SS111": "The leader, the certainty of its lead or a sign differs between fits with and without the order effect.",
    "SS201": "The design declares clusters, and intervals of single rows were requested.",
    "SS202": "A number rests on few clusters, or on few effective ones where their sizes differ.",
    "SS203": "The covariance matrix of all coefficients is singular.",
    "SS204": "More than 1% of the resamples were left out.",
    "SS206": "The difference V1 + V2 - V12 of two crossed clusters was too small or negative.",
    "SS208": "Some pairs or clusters were observed too rarely to show their own variation.",
    "SS209": "An item occurs in one cluster only, so that item and cluster cannot be separated.",
    "SS210": "One cluster has most of the leverage of a coefficient.",
    "SS211": "One cluster holds a large part of a number, or sizes are so uneven that few clusters count.",
    "SS212": "A share rests on few effective answers of the rarer kind, or a difference on few units that differ.",
    "SS214": "The function of `bootstrap` or `jackknife` gave another number for the same rows in another order.",
    "SS215": "Two to four people rated, or two crossed clusters were declared beside five or more.",
    "SS216": "Units with sampling weights count as fewer than two thirds of their number, and as fewer than 400.",
    "SS213": "The differences have a long tail, or there are too few of them to show one.",
    "SS301": "Values were missing, unread, refused or excluded on request; the caution counts them by step.",
    "SS303": "Pairs or units have unequal numbers of repeats, or one comparison only.",
    "SS304": "Entropies, distances and absolute values have a bias in small samples that does not average out.",
    "SS333": "Distances and absolute values have a bias in small samples, and these have no corrected value.",
    "SS305": "A baseline of about 100 was published for S; coin flips give another value on this design.",
    "SS306": "Two spellings of what may be one label occur in a column.",
    "SS309": "The table has more raters than units, which is rare.",
    "SS310": "The order was guessed from the labels, or numbers were taken as a scale.",
    "SS311": "Rows with the same label of an unused column are alike beyond chance. "
    "The test has level .02, and .1 where the column is called like a cluster (Holm).",
    "SS312": "Intervals of samples of this size missed the nominal coverage in simulations.",
    "SS313": "A rater gave all units the same value, or all ratings of a stratum are the same.",
    "SS314": "Only pairs that differ between the conditions carry information, and these are few.",
    "SS315": "Some units lack ratings of some raters.",
    "SS316": "Tests with different assumptions lie on both sides of the significance level.",
    "SS317": "Values are skewed or have long tails, as seen in their skewness or kurtosis.",
    "SS318": "No control texts were scored, so that judges may lean.",
    "SS319": "The column of a second parsing has other answers for some replies.",
    "SS320": "No column was named as the source; this one says who is a person and who is a model.",
    "SS321": "Some rows equal another row in every column, an identifier among them.",
    "SS322": "Runs of a model agree with each other more than people do.",
    "SS323": "A column of whole numbers stands beside rows that are all different.",
    "SS324": "A column of whole numbers may say how often each row occurred.",
    "SS325": "Values such as 99 or -1 lie outside the other values of a scale.",
    "SS329": "Raters disagree about very few units, or one level is rare.",
    "SS330": "The distances between the numbers of the levels are unequal, and differ from those of ranks.",
    "SS331": "Other answers hold much of the probability, or many replies have no probabilities.",
    "SS332": "Krippendorff's alpha of the judges is below .667, the customary minimum.",
    "SS341": "A rater scored a unit several times.",
    "SS342": "Some models lack scores of some units.",
    "SS345": "Three or more levels in order were compared as categories, without a declared scale.",
    "SS346": "As keyed, an item of a scale correlates negatively with the sum of its other items.",
    "SS344": "Labels of an unused column repeat, and rows do not depend on them beyond chance.",
    "SS343": "The answers of one model carry several returned names or endpoints.",
    "SS402": "The difference is above the tolerance of the check.",
    "SS403": "Some labels are long or hold characters that cannot be displayed.",
}


def explained(code: str) -> str:
    """Return the cause, the effect and the remedy of a caution as lines of text.

    Raises
    ------
    InputError
        If no caution has this code; the message lists those there are.

    Examples
    --------
    >>> print(explained("SS202"))
    SS202 (caution)
    Cause:  Few clusters. A number rests on few clusters, or on few effective ones where their sizes differ.
    Effect: Intervals: t intervals are conservative, bootstrap intervals too short.
    Remedy: Collect more clusters; prefer t intervals.
    """
    code = code.upper()
    if code not in CAUTIONS:
        raise InputError(unknown("caution", code, CAUTIONS))
    cause, effect, remedy = cause_effect_remedy(code)
    return f"{code} ({CAUTIONS[code][0]})\nCause:  {cause}\nEffect: {effect}\nRemedy: {remedy}"


def cause_effect_remedy(code: str) -> tuple[str, str, str]:
    """Return cause, effect and remedy of a caution, as sentences."""
    cause, (effect, remedy) = CAUTIONS[code][1], ADVICE[code]
    return f"{cause[:1].upper()}{cause[1:]}. {CAUSES.get(code, '')}".rstrip(), f"{effect}.", remedy


def cautions_page() -> str:
    """Return the page that lists every caution.

    Examples
    --------
    >>> cautions_page().splitlines()[0]
    '# Cautions'
    """
    lines = [INTRODUCTION]
    for first, title in GROUPS.items():
        lines += [f"## {title}", ""]
        for code in CAUTIONS:
            if code.startswith(f"SS{first}"):
                severity, short = CAUTIONS[code]
                cause, effect, remedy = cause_effect_remedy(code)
                lines += [f"### {code}: {short}", "", f"- Severity: {severity}"]
                lines += [f"- Cause: {cause}", f"- Effect: {effect}", f"- Remedy: {remedy}", ""]
    return "\n".join(lines)
