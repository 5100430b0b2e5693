"""The numbered cautions as a page: ``python -m socialstats.cautions > docs/cautions.md``."""

from __future__ import annotations

from collections.abc import Mapping

from socialstats.errors import CAUTIONS

INTRODUCTION = """\
# Cautions

Made by `python -m socialstats.cautions > docs/cautions.md`; a test compares the two.

A result carries numbered cautions (`result.cautions`), which its summary, its page and `socialstats check` print with
what was seen in the data. A code keeps its meaning from release to release. `socialstats report --fail-on caution` ends
with exit code 1 when the page has one of severity caution or stop.
"""
GROUPS = {"1": "Models of comparisons", "2": "Dependence and resampling", "3": "Data and design", "4": "Reports"}
HEAD = ("| code | severity | what it says | numbers concerned | what to do |", "|---|---|---|---|---|")

ADVICE: Mapping[str, tuple[str, str]] = {
    "SS101": ("Every strength", "Compare items of the separate groups, or analyse each group alone."),
    "SS102": ("Every strength", "Report the penalty or prior; collect wins and losses of the items named."),
    "SS103": ("Strengths of these items and their intervals", "Collect more comparisons of these items."),
    "SS104": ("Model-based standard errors", "Use `cluster=\"pair\"` or `vcov=\"sandwich\"`; add covariates."),
    "SS105": ("Strengths and win rates, pulled towards equality", "Use `ties=\"davidson\"`, or leave ties out."),
    "SS106": ("The order effect", "Say who was shown first: `order=COLUMN` or `order=\"item_a\"` (`--order`)."),
    "SS107": ("Win rates and S, which do not adjust for the order", "Balance or randomise the order within stories."),
    "SS108": ("Win rates and S", "Randomise the order independently of the covariate."),
    "SS109": ("None; ties are a parameter of the model", "No action is needed."),
    "SS110": ("Arithmetic shares most", "Read the geometric shares and the strengths beside them."),
    "SS111": ("The leader, its lead, signs of effects", "Quote the fit that the design supports, and say which."),
    "SS201": ("Standard errors, intervals, p-values", "Use the declared clusters: `cluster=\"declared\"`."),
    "SS202": ("Intervals: by t they are long, of resamples too short", "Collect more clusters; prefer t intervals."),
    "SS203": ("Joint tests and rank sets", "Collect more clusters; single intervals are usable."),
    "SS204": ("Bootstrap intervals", "Collect more data per unit, or use the intervals of the model."),
    "SS205": ("Standard errors, which account for the clusters", "No action is needed."),
    "SS206": ("Joint tests and intervals, which may be conservative", "Compare with one factor alone: `cluster=`."),
    "SS207": ("Standard errors, which follow the weights", "Check that the weights are sampling weights, not counts."),
    "SS208": ("Intervals that assume alike clusters", "Quote differences; collect comparisons in more clusters."),
    "SS209": ("Intervals, tests and ranks of the items named", "Collect more clusters; leave these items out."),
    "SS210": ("Coefficients that rest on this cluster", "Read their degrees of freedom; collect more clusters."),
    "SS211": ("Intervals of rare outcomes, which can be too short",
              "See whether the conclusion holds without the largest clusters."),
    "SS212": ("Intervals of shares near 0 or 1, which can be too short", "Collect more clusters, or quote counts."),
    "SS213": ("One-sided t tests of equivalence", "Collect more pairs, or test a transformed value."),
    "SS301": ("n, and every number if rows are not missing at random", "Check which rows these are, and why."),
    "SS302": ("Win rates under these conditions, which are undefined", "Collect comparisons under these conditions."),
    "SS303": ("Entropies; means where repeats differ", "Quote the corrected value, or the mean over clusters."),
    "SS304": ("The plug-in value", "Quote the corrected value beside it."),
    "SS305": ("Comparisons with published values", "Use the reference lines of the page."),
    "SS306": ("Every number of these labels", "Write each label in one way."),
    "SS307": ("None of the numbers", "Declare `covariates=` to use the columns."),
    "SS308": ("None, unless the covariates should be held equal", "Use `--adjust NAME`."),
    "SS309": ("Every number", "Exchange rows and columns: `raters_in=`, or `unit=` and `rater=`."),
    "SS310": ("Distances between levels, or the sign of differences", "Declare `scale=`, `levels=` or `conditions=`."),
    "SS311": ("Standard errors, intervals, p-values", "Declare the column if its rows are dependent: `cluster=`."),
    "SS312": ("The interval", "Collect more units; read the interval as approximate."),
    "SS313": ("The coefficient there, 0 or undefined at any agreement", "Rate units that differ."),
    "SS314": ("Chi-square and t tests, Wald intervals",
              "Quote the exact or mid-p test; with clusters, the score test."),
    "SS315": ("Which units and raters enter", "Check that ratings are missing at random; see the rule for refusals."),
    "SS316": ("The conclusion at 5%", "Quote the test that was chosen in advance."),
    "SS317": ("t intervals of means, and of standardised differences", "Use `ci=\"studentized\"`; collect more units."),
    "SS318": ("Whether a model leans, not changes and differences", "Score neutral texts and name them as controls."),
    "SS319": ("Every number", "Read the replies that changed, and report which parsing counts."),
    "SS320": ("Which study is made", "Name the column: `--map rater_source=COLUMN`."),
    "SS321": ("n, standard errors, intervals, p-values", "Remove copies, or number the answers and declare a cluster."),
    "SS322": ("Tests that count rows", "Count units or clusters."),
    "SS323": ("n, and every number", "Declare the column: `count=` (`--count`), or `count=False` if it is none."),
    "SS324": ("n, and every number", "Declare the column: `count=` (`--count`), or `count=False` if it is none."),
    "SS325": ("Every number", "Declare the codes as missing, `na=` (`--na`), or the levels, `levels=`."),
    "SS326": ("Every number", "Name the columns of the raters; the rows of a questionnaire are its raters."),
    "SS328": ("n, standard errors, intervals, p-values", "Keep one row of each, unless both orders were asked for."),
    "SS327": ("The sign of differences, and which conditions", "Name both columns: `first=`, `second=` (`--map`)."),
    "SS329": ("Intervals of agreement, which can be too short", "Rate more units."),
    "SS330": ("Weighted coefficients", "Use `weights=\"ordinal\"` or a matrix, or declare `scale=\"interval\"`."),
    "SS331": ("Numbers from probabilities", "Ask for a bare answer and more `top_logprobs`; see the sampled answers."),
    "SS341": ("None; units are taken as independent, not repeats", "No action is needed."),
    "SS342": ("Means and ranks of models", "Compare models on the units that all of them share."),
    "SS343": ("Numbers of that model", "Report each by itself: `--by model_returned` or `--by endpoint`."),
    "SS401": ("Everything on the page", "Quote nothing as a finding."),
    "SS402": ("The number named", "Do not quote it before the difference is explained."),
    "SS403": ("Labels as shown, not the numbers", "Look the full labels up in the table."),
}  # fmt: skip


def page() -> str:
    """Return the page that lists every caution.

    Examples
    --------
    >>> page().splitlines()[0]
    '# Cautions'
    """
    lines = [INTRODUCTION]
    for first, title in GROUPS.items():
        codes = [code for code in CAUTIONS if code.startswith(f"SS{first}")]
        lines += [f"## {title}", "", *HEAD]
        for code in codes:
            severity, short = CAUTIONS[code]
            lines.append(" | ".join((f"| {code}", severity, short, *ADVICE[code])) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
