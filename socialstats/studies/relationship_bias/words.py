"""Verdicts on biases of couples, in words."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.metrics.relationship_bias import BIAS, CORRECTED, MCNEMAR, MOST, NULL, OVERALL, PLAIN
from socialstats.results import Result, Row
from socialstats.studies.estimates import Verdict, df_text, equivalence_bounds, numbers_text, planned_verdict
from socialstats.studies.page import StudyOptions
from socialstats.text import capital, count, inconclusive, interval, number, p_value, shorten


def biases_of(main: Result) -> list[Row]:
    """Return the rows of B."""
    return [row for row in main.rows if row.group == BIAS]


def settled(row: Row, options: StudyOptions) -> Verdict:
    """Say what a bias settles: by its adjusted p, and by the smallest effect where one was given."""
    bounds = equivalence_bounds(row)
    return planned_verdict(row, alpha=1 - options.level, bounds=bounds, smallest=options.smallest_effect)


def sides(row: Row) -> tuple[str, str]:
    """Return the two groups of a bias, ready for a sentence."""
    return shorten(row.label("group") or "", 40), shorten(row.label("other") or "", 40)


def favoured(row: Row, options: StudyOptions, *, brief: bool = False) -> str:
    """Say who is favoured over whom, or that it is inconclusive; `brief`: with the adjusted p alone.

    Examples
    --------
    >>> row = Row(term="woman - man", key=(("group", "woman"), ("other", "man")), estimate=0.3, conf_low=0.1,
    ...           conf_high=0.5, conf_level=0.95, statistic=3.1, df=19.0, p_value=0.006, p_adjusted=0.012)
    >>> favoured(row, StudyOptions()).partition(", t(19)")[0]
    "'woman' names are favoured over 'man' names (B = 0.30, 95% CI [0.10, 0.50]"
    """
    first, second = (f"'{side}'" for side in sides(row))
    high, low = (first, second) if (row.estimate or 0.0) > 0 else (second, first)
    if row.estimate is None or (row.p_value is None and row.conf_low is None):
        if row.estimate is None or abs(row.estimate) != MOST:
            return f"No verdict on {first} and {second} names ({numbers_text(row)})"
        return (
            f"{high} names were chosen over {low} names in all {count(row.n or 0)} answers (B = "
            f"{number(row.estimate, 0)}, the largest there can be; no standard error, as no answer differs)"
        )
    inside, what = bias_text(row, brief=brief), settled(row, options)
    if what == "equal":
        near = number(options.smallest_effect)
        return f"{first} and {second} names are practically equal, within ±{near} ({inside})"
    if what in ("above", "below"):
        return f"{high} names are favoured over {low} names ({inside})"
    alone = row.p_adjusted is not None and row.p_value is not None and row.p_value < 1 - options.level
    start = "after adjustment for several tests " if alone else ""
    return capital(f"{start}{inconclusive(f'{first} or {second} names are favoured')} ({inside})")


def bias_text(row: Row, *, brief: bool = False) -> str:
    """Write B with its interval and test (`brief`: the adjusted p alone, where there is one)."""
    text = f"B = {number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.p_value is not None and not (brief and row.p_adjusted is not None):
        text += f", t({df_text(row.df)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    if row.p_adjusted is not None:
        text += f", {p_value(row.p_adjusted, name='Holm-adjusted p')}"
    return text


def answer(main: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return who is favoured, B_all beside what chance gives it, and what a row-level test would have claimed."""
    biases = biases_of(main)
    ordered = sorted(biases, key=lambda row: {"open": 1, "none": 2}.get(settled(row, options), 0))
    said = ". ".join(favoured(row, options, brief=True) for row in ordered)
    first = (
        f"{said}. B of '{shorten(biases[0].term, 60)}' is positive where '{sides(biases[0])[0]}' names are favoured."
    )
    plain, better = (main.row(term, group=OVERALL) for term in (PLAIN, CORRECTED))
    null = main.row(PLAIN, group=NULL)
    second = f"Over all pairs of groups the mean size of the bias is {numbers_text(better)} (B_all, corrected)"
    if null.estimate is not None:
        second += (
            f"; uncorrected it is {number(plain.estimate)}, and would be {number(null.estimate)} on average if nobody "
            f"were favoured (test of no bias: {p_value(null.p_value)})"
        )
    naive, n = disagreements(main, biases, options), main.counts["complete couples"]
    third = f"A test that takes the {n:,} couples as independent would have claimed {naive}."
    return (first, f"{second}.", *([third] if naive else []))


def mean_words(each: Result | None) -> tuple[str, ...]:
    """Say the size of the bias of each model by itself, averaged over models that weigh alike."""
    if each is None:
        return ()
    better, n = each.row(CORRECTED, group=OVERALL), each.counts["raters"]
    return (f"The mean over these {count(n, 'model')} of B_all, corrected, is {numbers_text(better)}.",)


def disagreements(main: Result, biases: Sequence[Row], options: StudyOptions) -> str:
    """Name what McNemar's test calls significant and the clustered test leaves open."""
    claims = []
    for row in biases:
        naive = main.row(row.term, group=MCNEMAR)
        if naive.p_value is not None and naive.p_value < 1 - options.level and settled(row, options) == "open":
            one, other = sides(row) if (naive.estimate or 0.0) > 0 else sides(row)[::-1]
            p = p_value(naive.p_value)
            claims.append(f"that '{one}' names are favoured over '{other}' names ({p}, not adjusted)")
    return "; ".join(claims)
