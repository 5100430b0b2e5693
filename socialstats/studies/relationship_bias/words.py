"""Sentences about biases of couples."""

from __future__ import annotations

from dataclasses import replace

from socialstats import sentences
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, Row
from socialstats.scales.bias_analysis import BIAS, CORRECTED, MOST, NULL, OVERALL, PLAIN
from socialstats.studies.estimates import Verdict, equivalence_bounds, planned_verdict
from socialstats.studies.page import StudyOptions
from socialstats.studies.verdicts import (
    Conclusion,
    certainty_of,
    data_show,
    is_shown,
    of_ten,
    verdict_of,
)
from socialstats.text import count, listing, number, p_value, shorten

DIGITS = 2


def biases_of(main: Result) -> list[Row]:
    """Return the rows of B."""
    return [row for row in main.rows if row.group == BIAS]


def told_biases(main: Result) -> list[Row]:
    """Return the rows of B as pages tell them: the p of a single one is not adjusted."""
    rows = biases_of(main)
    return [replace(row, p_adjusted=None) for row in rows] if len(rows) == 1 else rows


def verdict_on(row: Row, options: StudyOptions) -> Verdict:
    """Return the verdict on a bias: by its adjusted p, and by the smallest effect of interest where one was given."""
    bounds = equivalence_bounds(row)
    return planned_verdict(
        row, alpha=1 - options.level, bounds=bounds, smallest=options.smallest_effect
    )


def sides(row: Row) -> tuple[str, str]:
    """Return the two groups of a bias, ready for a sentence."""
    return shorten(row.label("group") or "", 40), shorten(row.label("other") or "", 40)


def favoured(row: Row, options: StudyOptions, *, brief: bool = False) -> str:
    """Return who was favoured, or that the bias was equivalent to 0, not significant, inconclusive or undefined.

    Parameters
    ----------
    row : Row
        A bias.
    options : StudyOptions
    brief : bool
        With the adjusted p alone, without the statistic.

    Examples
    --------
    >>> row = Row(term="woman - man", key=(("group", "woman"), ("other", "man")), estimate=0.3, conf_low=0.1,
    ...           conf_high=0.5, conf_level=0.95, statistic=3.1, df=19.0, p_value=0.006, p_adjusted=0.012, test="t")
    >>> favoured(row, StudyOptions())
    "'woman' names were favoured over 'man' names (B = 0.30, 95% CI [0.10, 0.50], t(19) = 3.10, p_Holm = .012)."
    """
    first, second = (f"'{side}'" for side in sides(row))
    high, low = (first, second) if (row.estimate or 0.0) > 0 else (second, first)
    if row.estimate is None:
        return sentences.no_number(
            f"Bias for {first} versus {second} names", row.undefined or "no estimate"
        )
    if row.p_value is None and row.conf_low is None:
        if abs(row.estimate) == MOST:
            return (
                f"{high} names were chosen over {low} names in all {count(row.n or 0)} answers (B = "
                f"{number(row.estimate, 0)}, the largest possible; without variation there is no standard error)."
            )
        why = f": {row.undefined.rstrip('.')}" if row.undefined else ""
        return f"B for {first} versus {second} names was {number(row.estimate)}, without interval or test{why}."
    what = verdict_on(row, options)
    if what == "equal":
        bounds, near = equivalence_bounds(row), options.smallest_effect or 0.0
        return sentences.equivalence_sentence(
            f"{first} names", f"{second} names", bounds, near, None
        )
    shown = replace(row, statistic=None) if brief else row
    numbers = f"(B = {sentences.stat(shown)})"
    if what in ("above", "below"):
        return f"{high} names were favoured over {low} names {numbers}."
    if row.p_value is None:
        return f"{first} versus {second} names: inconclusive, the CI includes 0 {numbers}."
    after = row.p_adjusted is not None and sentences.is_significant(replace(row, p_adjusted=None))
    return f"{first} versus {second} names: not significant{' after Holm correction' if after else ''} {numbers}."


def answer(main: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return B_all corrected with the test of no bias, then who was favoured, significant biases first."""
    ordered = sorted(
        told_biases(main), key=lambda row: {"open": 1, "none": 2}.get(verdict_on(row, options), 0)
    )
    said = [favoured(row, options, brief=True) for row in ordered]
    pairs = listing([f"'{shorten(row.term, 60)}'" for row in biases_of(main)], most=4)
    sign = f"Bias B (−2 to 2) of {pairs} is positive if names of the group before the minus sign are favoured."
    return (size_text(main), " ".join([sign, *said]))


def verdict_on_groups(main: Result) -> Conclusion:
    """Return whose side the model takes, most clearly, or that the data do not show it."""
    rows = [row for row in told_biases(main) if row.estimate is not None]
    shown = [row for row in rows if is_shown(row, 0.0)]
    if not shown:
        return verdict_of(
            "The data do not show that the model sides with any group of names", certainty="open"
        )
    row = max(shown, key=lambda row: abs(row.estimate or 0.0))
    first, second = sides(row)
    high, low = (first, second) if (row.estimate or 0.0) > 0 else (second, first)
    # B is 2 where all answers of both orders take one side, so (B + 2) / 4 of the choices
    share = (abs(row.estimate or 0.0) + MOST) / (2 * MOST)
    size = f", in {of_ten(share)} choices between them"
    return verdict_of(
        f"{data_show(row)} the model sides more with '{high}' than with '{low}' names",
        size,
        certainty=certainty_of(row),
    )


def size_text(main: Result, *, brief: bool = False) -> str:
    """Return B_all corrected with its interval and the test that no group is favoured; `brief`: numbers alone."""
    better, null = main.row(CORRECTED, group=OVERALL), main.row(PLAIN, group=NULL)
    quantity = "mean absolute bias (B_all, bias-corrected)"
    if better.estimate is None:
        return sentences.no_number(quantity, better.undefined or "no estimate")
    numbers = sentences.estimate_text(better)
    if null.p_value is None:
        return f"The {quantity} was {numbers}; the test of no bias is undefined: {null.undefined}."
    if brief:
        return f"B_all (bias-corrected) was {numbers}, test of no bias {p_value(null.p_value)}."
    level = better.conf_level or float(main.settings["level"])
    claim = (
        "Choices depended on the groups of the names"
        if sentences.is_significant(null, round(1 - level, 12))
        else ("Choices did not depend significantly on the groups of the names")
    )
    return f"{claim} (test of no bias, {p_value(null.p_value)}). The {quantity} was {numbers}."


def mean_words(each: Result | None) -> tuple[str, ...]:
    """Return B_all averaged over models that weigh alike."""
    if each is None:
        return ()
    better, n = each.row(CORRECTED, group=OVERALL), each.counts["raters"]
    numbers = sentences.estimate_text(better)
    return (f"The mean of B_all (bias-corrected) over these {count(n, 'model')} was {numbers}.",)


def halving_words(main: Result) -> tuple[str, ...]:
    """Return by how many clusters of every factor the interval of B_all is halved; nothing without an interval.

    The interval inverts tests of correlated t's. It is taken to have the quantile of that with the fewest degrees of
    freedom, which grow with the clusters. The sentence says `about`: a mean over several biases has quantiles that fall
    less, and an end that is cut at 0 does not move.
    """
    better, df = main.row(CORRECTED, group=OVERALL), main.fit["effective_df"]
    more = [
        (clusters_to_halve(better, main.counts[name], df=df), name)
        for name in ("scenarios", "pairs of names")
    ]
    known = [(n, name) for n, name in more if n]
    if len(known) < len(more):
        return ()
    (n, first), *rest = known
    return (
        sentences.more_clusters_sentence(
            n, listing([first, *(f"{count(k)} more {name}" for k, name in rest)]), "B_all"
        ),
    )
