"""The page of numbered cautions: ``python -m socialstats.cautions > docs/cautions.md``."""

from __future__ import annotations

from collections.abc import Mapping

from socialstats.errors import CAUTIONS, InputError

INTRODUCTION = """\
# Cautions

Made by `python -m socialstats.cautions > docs/cautions.md`; a test compares the two.

A result carries numbered cautions (`result.cautions`). Its summary, its page and `socialstats check` print them with
what was found in the data; `socialstats explain SS202` prints what stands here. A code keeps its meaning from release
to release. `socialstats report --fail-on caution` ends with exit code 1 when the page has one of severity caution or
stop. Where a default fails in simulations, [calibration](calibration.md) says which caution warns of it.
"""
GROUPS = {"1": "Models of comparisons", "2": "Dependence and resampling", "3": "Data and design", "4": "Reports"}

ADVICE: Mapping[str, tuple[str, str]] = {
    "SS101": ("Every strength", "Compare items of the separate groups, or analyse each group alone."),
    "SS102": ("Every strength", "Report the penalty or prior. Collect wins and losses of the items named."),
    "SS103": ("Strengths of these items and their intervals", "Collect more comparisons of these items."),
    "SS104": ("Model-based standard errors", "Use `cluster=\"pair\"` or `vcov=\"sandwich\"`, or add covariates."),
    "SS105": ("Strengths and win rates, pulled towards equality", "Use `ties=\"davidson\"`, or exclude ties."),
    "SS106": ("The order effect", "Declare who was shown first: `order=COLUMN` or `order=\"item_a\"` (`--order`)."),
    "SS107": ("Win rates and S, which do not adjust for the order", "Balance or randomise the order within stories."),
    "SS108": ("Win rates and S", "Randomise the order independently of the covariate."),
    "SS109": ("None; ties are a parameter of the model", "No action is needed."),
    "SS110": ("Arithmetic shares most", "Report geometric shares and strengths as well."),
    "SS111": ("First rank, its lead, signs of effects", "Quote the fit that the design supports, and name it."),
    "SS201": ("Standard errors, intervals, p-values", "Use the declared clusters: `cluster=\"declared\"`."),
    "SS202": ("Intervals: t intervals are conservative, bootstrap intervals too short",
              "Collect more clusters; prefer t intervals."),
    "SS203": ("Joint tests and simultaneous rank intervals", "Collect more clusters; individual CIs are usable."),
    "SS204": ("Bootstrap intervals", "Collect more data per unit, or use the intervals of the model."),
    "SS205": ("Standard errors, which account for the clusters", "No action is needed."),
    "SS206": ("Joint tests and intervals, which may be conservative", "Compare with one factor alone: `cluster=`."),
    "SS207": ("Standard errors, which follow the weights", "Check that the weights are sampling weights, not counts."),
    "SS208": ("Intervals, which assume homogeneous clusters", "Quote differences; collect data in more clusters."),
    "SS209": ("Intervals, tests and ranks of the items named", "Collect more clusters, or exclude these items."),
    "SS210": ("Coefficients that depend on this cluster", "Report their degrees of freedom; collect more clusters."),
    "SS211": ("Intervals of rare outcomes, which can be too short",
              "Check whether the conclusion holds without the largest clusters."),
    "SS212": ("Intervals of shares near 0 or 1, which can be too short", "Collect more clusters, or report counts."),
    "SS213": ("One-sided t tests of equivalence", "Collect more pairs, or test a transformed value."),
    "SS301": ("n, and all estimates if rows are not missing at random", "Check which rows these are, and why."),
    "SS302": ("Win rates under these conditions, which are undefined", "Collect comparisons under these conditions."),
    "SS303": ("Entropies; means where repeats differ", "Quote the bias-corrected value, or the mean over clusters."),
    "SS304": ("The plug-in estimate", "Quote the bias-corrected estimate."),
    "SS305": ("Comparisons with published values", "Use the reference lines of the page."),
    "SS306": ("All estimates for these labels", "Spell each label in one way."),
    "SS307": ("No estimate", "Declare `covariates=` to use the columns."),
    "SS308": ("No estimate, unless it should be adjusted for the covariates", "Use `--adjust NAME`."),
    "SS309": ("All estimates", "Exchange rows and columns: `raters_in=`, or `unit=` and `rater=`."),
    "SS310": ("Distances between levels, or the sign of differences", "Declare `scale=`, `levels=` or `conditions=`."),
    "SS311": ("Standard errors, intervals, p-values", "Declare the column if its rows are dependent: `cluster=`."),
    "SS312": ("The interval", "Collect more units; treat the interval as approximate."),
    "SS313": ("The coefficient there, which is 0 or undefined whatever the agreement", "Rate units that differ."),
    "SS314": ("Chi-square and t tests, Wald intervals",
              "Quote the exact or mid-p test; with clusters, the score test."),
    "SS315": ("Which units and raters are included",
              "Check that ratings are missing at random; see the rule for refusals."),
    "SS316": ("Significance", "Quote the test that was chosen in advance."),
    "SS317": ("t intervals of means, and of standardised differences", "Use `ci=\"studentized\"`; collect more units."),
    "SS318": ("The sign of a mean score; changes and differences are unaffected",
              "Score neutral texts and name them as controls."),
    "SS319": ("All estimates", "Read the replies that changed, and report which parsing was used."),
    "SS320": ("Which study is made", "Name the column: `--map rater_source=COLUMN`."),
    "SS321": ("n, standard errors, intervals, p-values", "Remove copies, or number the answers and declare a cluster."),
    "SS322": ("Tests that treat rows as independent", "Test over units or clusters."),
    "SS323": ("n and all estimates", "Declare the column: `count=` (`--count`), or `count=False` if it is none."),
    "SS324": ("n and all estimates", "Declare the column: `count=` (`--count`), or `count=False` if it is none."),
    "SS325": ("All estimates", "Declare the codes as missing, `na=` (`--na`), or the levels, `levels=`."),
    "SS326": ("All estimates", "Name the columns of the raters; in a questionnaire, each row is a rater."),
    "SS328": ("n, standard errors, intervals, p-values", "Keep one row of each, unless both orders were asked for."),
    "SS327": ("Which conditions are compared, and the sign of differences",
              "Name both columns: `first=`, `second=` (`--map`)."),
    "SS329": ("Intervals of agreement, which can be too short", "Rate more units."),
    "SS330": ("Weighted coefficients", "Use `weights=\"ordinal\"` or a matrix, or declare `scale=\"interval\"`."),
    "SS331": ("Estimates from probabilities",
              "Request a bare answer and more `top_logprobs`; compare the sampled answers."),
    "SS341": ("None; units, not repeats, are treated as independent", "No action is needed."),
    "SS342": ("Means and ranks of models", "Compare models on the units that they share."),
    "SS343": ("Estimates for that model", "Report each separately: `--by model_returned` or `--by endpoint`."),
    "SS401": ("All results", "Do not quote them as findings."),
    "SS402": ("The estimate named", "Do not quote it until the difference is explained."),
    "SS403": ("Displayed labels, not estimates", "See the table for full labels."),
}  # fmt: skip


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
    Cause:  Few clusters.
    Effect: Intervals: t intervals are conservative, bootstrap intervals too short.
    Remedy: Collect more clusters; prefer t intervals.
    """
    code = code.upper()
    if code not in CAUTIONS:
        raise InputError(f"no caution '{code}'; cautions: {', '.join(CAUTIONS)}")
    cause, effect, remedy = parts(code)
    return f"{code} ({CAUTIONS[code][0]})\nCause:  {cause}\nEffect: {effect}\nRemedy: {remedy}"


def parts(code: str) -> tuple[str, str, str]:
    """Return cause, effect and remedy of a caution, as sentences."""
    cause, (effect, remedy) = CAUTIONS[code][1], ADVICE[code]
    return f"{cause[:1].upper()}{cause[1:]}.", f"{effect}.", remedy


def page() -> str:
    """Return the page that lists every caution.

    Examples
    --------
    >>> page().splitlines()[0]
    '# Cautions'
    """
    lines = [INTRODUCTION]
    for first, title in GROUPS.items():
        lines += [f"## {title}", ""]
        for code in CAUTIONS:
            if code.startswith(f"SS{first}"):
                severity, short = CAUTIONS[code]
                cause, effect, remedy = parts(code)
                lines += [f"### {code}: {short}", "", f"- Cause ({severity}): {cause}", f"- Effect: {effect}"]
                lines += [f"- Remedy: {remedy}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
