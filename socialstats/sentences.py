"""Sentences about estimates, tests and ranks: the templates that pages, terminal and quotations share (APA 7)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from socialstats.designs.vocabulary import FIXED
from socialstats.results.rows import Interval, Row, Test
from socialstats.text import (
    as_given,
    as_words,
    capital,
    count,
    count_with_noun,
    interval,
    listing,
    number,
    p_value,
    percent_of,
    plural_of,
)

__all__ = [
    "agreement_sentence",
    "because",
    "difference",
    "direction",
    "equivalence_sentence",
    "estimate_text",
    "first_ranked",
    "more_clusters_sentence",
    "reference_sentence",
    "name_of_interval",
    "more_of",
    "no_significance_sentence",
    "of_two_methods",
    "p_of",
    "rank_with_interval",
    "reliable",
    "is_significant",
    "some_of",
    "apa_interval",
    "stat",
    "statistic_of",
    "tied_first",
    "no_number",
    "with_p",
]

Direction = Literal["above", "below", "none"]
LETTERS = {"t": "t", "z": "z", "chi2": "\u03c7\u00b2", "f": "F"}
TESTS: dict[Test, str] = {
    "t": "t",
    "z": "z",
    "chi2": "chi-square",
    "f": "F",
    "exact": "exact",
    "mid_p": "mid-p",
    "score": "score",
    "permutation": "permutation",
    "sign_flip": "sign-flip",
    "signed_rank": "signed-rank",
    "exact_signed_rank": "exact signed-rank",
    "rank_sum": "rank-sum",
    "exact_rank_sum": "exact rank-sum",
}
INTERVALS: dict[Interval, str] = {
    "t": "t",
    "z": "z",
    "adjusted_z": "adjusted z",
    "score": "score",
    "exact": "exact",
    "jackknife": "jackknife t",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
    "studentized": "bootstrap t",
    "noncentral_t": "noncentral t",
    "noncentral_chi2": "noncentral chi-square",
    "profile": "profile likelihood",
    "fisher_z": "Fisher z",
    "one_sided": "one-sided",
    "test_inversion": "inverted-test",
    "korn_graubard": "effective-number score",
    "outer_ends": "wider-of-two",
}
# intervals whose test is of the same method: it is significant where the interval excludes the null value
TESTS_OF_INTERVALS: dict[Interval, tuple[Test, ...]] = {
    "t": ("t", "f"),
    "z": ("z", "chi2"),
    "score": ("score", "z", "chi2"),
    "exact": ("exact",),
    "jackknife": ("t",),
    "noncentral_t": ("t",),
    "fisher_z": ("t", "z"),
    "profile": ("chi2",),
    "test_inversion": ("permutation", "sign_flip"),
}
# degrees of freedom nearer than this to a whole number are printed as one
INTEGER_TOLERANCE = 1e-6


def name_of_interval(row: Row, kind: str = "") -> str:
    """Return what an interval is called: a word of its own, and ``approximate`` where a caution touches it.

    Examples
    --------
    >>> from socialstats.errors import caution
    >>> row = Row(term="d", conf_low=0.2, cautions=(caution("SS312"),))
    >>> name_of_interval(row, "unadjusted"), name_of_interval(Row(term="d"))
    ('unadjusted approximate ', '')
    """
    return "".join(f"{word} " for word in (kind, "approximate" * row.approximate) if word)


def apa_interval(row: Row, *, kind: str = "") -> str:
    """Return the interval of a row, with the decimals of the row; an end that is left out of one is open.

    Examples
    --------
    >>> from socialstats.errors import caution
    >>> apa_interval(Row(term="d", conf_low=0.2, conf_high=1.0, conf_level=0.9, cautions=(caution("SS312"),)))
    'approximate 90% CI [0.20, 1.00]'
    >>> apa_interval(Row(term="d", conf_low=0.2, conf_level=0.95))
    '95% CI [0.20, ∞)'
    """
    return name_of_interval(row, kind) + interval(
        *(row.ends() or (None, None)), level=row.conf_level or 0.95
    )


def estimate_text(row: Row, *, unit: str = "", kind: str = "") -> str:
    """Return the estimate with its interval, with the decimals of the row. A share stays a share, as in tables.

    Parameters
    ----------
    row : Row
    unit : str
        Stands after the estimate.
    kind : str
        Word before the interval: unadjusted, simultaneous.

    Examples
    --------
    >>> row = Row(term="d", estimate=0.612, conf_low=0.602, conf_high=0.6231, conf_level=0.95, limits=(0.0, 1.0))
    >>> estimate_text(row)
    '.612, 95% CI [.602, .623]'
    """
    if row.estimate is None:
        return f"undefined ({row.undefined or 'no estimate'})"
    value = number(row.shown())
    if not row.has_interval:
        return f"{value}{unit}" + (
            f", no interval: {because(row.undefined)}" if row.undefined else ""
        )
    return f"{value}{unit}, {apa_interval(row, kind=kind)}"


def statistic_of(row: Row) -> str:
    """Return statistic and p-value; nothing where there is neither.

    Examples
    --------
    >>> statistic_of(Row(term="d", statistic=-2.37, df=23.54, p_value=0.026, p_adjusted=0.053, test="t"))
    't(23.5) = −2.37, p_Holm = .053'
    """
    letter, parts = LETTERS.get(row.test or ""), []
    if letter and row.statistic is not None:
        is_integer = (
            row.df is not None
            and math.isfinite(row.df)
            and abs(row.df - round(row.df)) < INTEGER_TOLERANCE
        )
        finite = row.df is not None and math.isfinite(row.df)
        degrees = f"({number(row.df, 0 if is_integer else 1)})" if finite and letter != "z" else ""
        parts.append(f"{letter}{degrees} = {number(row.statistic, 2)}")
    p = p_of(row)
    return ", ".join([*parts, p] if p else parts)


def p_of(row: Row) -> str:
    """Return the p-value, the adjusted one where there is one: ``p_Holm = .053``."""
    if row.p_adjusted is not None:
        return p_value(row.p_adjusted, name="p_Holm")
    return p_value(row.p_value) if row.p_value is not None else ""


def stat(row: Row, *, unit: str = "") -> str:
    """Return estimate, interval, test and p: ``0.31, 95% CI [0.12, 0.50], t(23) = 3.40, p = .002``.

    An interval that disagrees with the adjusted p is called unadjusted. Interval and test of two methods, which can
    disagree, are both named.

    Examples
    --------
    >>> row = Row(term="d", estimate=-2.4, conf_low=-4.4, conf_high=-0.4, p_value=0.025, p_adjusted=0.076)
    >>> stat(row)
    '−2.40, unadjusted 95% CI [−4.40, −0.40], p_Holm = .076'
    >>> stat(Row(term="d", estimate=0.4, conf_low=0.1, conf_high=0.7, p_value=0.06, interval="basic", test="sign_flip"))
    '0.40, basic bootstrap 95% CI [0.10, 0.70], sign-flip test p = .060'
    """
    apart = row.p_adjusted is not None and row.has_interval and reliable(row) != is_significant(row)
    kind, test = "unadjusted" if apart else "", statistic_of(row)
    if test and row.has_interval and of_two_methods(row):
        kind = f"{kind} {INTERVALS[row.interval or 't']}".lstrip()
        test = test if test != p_of(row) else f"{TESTS[row.test or 't']} test {test}"
    why = row.undefined if test and not row.has_interval and row.estimate is not None else None
    # the reason stands last
    without_reason = replace(row, undefined=None) if why else row
    text = estimate_text(without_reason, unit=unit, kind=kind) + (f", {test}" if test else "")
    return f"{text}; no interval: {because(why)}" if why else text


def of_two_methods(row: Row) -> bool:
    """Return whether interval and test of a row are of different methods, and so can disagree."""
    return (
        row.interval is not None
        and row.test is not None
        and row.test not in TESTS_OF_INTERVALS.get(row.interval, ())
    )


def direction(row: Row, reference: float = 0.0) -> Direction:
    """Return on which side of a reference the interval lies; ``none`` where it includes it or there is no interval."""
    if row.conf_low is not None and row.conf_low > reference:
        return "above"
    return "below" if row.conf_high is not None and row.conf_high < reference else "none"


def reliable(row: Row, reference: float = 0.0) -> bool:
    """Return whether the interval excludes a reference."""
    return direction(row, reference) != "none"


def with_p(row: Row) -> bool:
    """Return whether a row has a p-value."""
    return row.p_value is not None or row.p_adjusted is not None


def is_significant(row: Row, alpha: float | None = None) -> bool:
    """Return whether p, adjusted where it is, lies below 1 - confidence level (or `alpha`); False without p."""
    p = row.p_value if row.p_adjusted is None else row.p_adjusted
    least = round(1 - (row.conf_level or 0.95), 12) if alpha is None else alpha
    return p is not None and p < least


def reference_sentence(quantity: str, row: Row, reference: float, name: str) -> str:
    """Compare an estimate with a reference, by its interval.

    Examples
    --------
    >>> row = Row(term="B", estimate=-0.37, conf_low=-0.56, conf_high=-0.18, conf_level=0.95)
    >>> reference_sentence("Bias B", row, 0.0, "no bias")
    'Bias B was −0.37, 95% CI [−0.56, −0.18], below no bias (0).'
    """
    if row.estimate is None:
        return no_number(quantity, row.undefined or "no estimate")
    value = number(reference, 0 if float(reference).is_integer() else 2, bounded=row.bounded)
    if not row.has_interval:
        return f"{quantity} was {stat(row)}; {name} is {value}."
    side = {"above": "above", "below": "below", "none": "not reliably different from"}[
        direction(row, reference)
    ]
    return f"{quantity} was {stat(row)}, {side} {name} ({value})."


def difference(
    quantity: str, a: str, b: str, row: Row, *, verb: str = "was", at: str = "for", side: str = ""
) -> str:
    """Compare two by the row of their difference (a minus b): by its p where it has one, else by its interval.

    `side` is what is said of a one-sided test.

    Examples
    --------
    >>> row = Row(term="d", estimate=0.2, conf_low=-0.1, conf_high=0.5, conf_level=0.95, p_value=0.19)
    >>> difference("the mean score", "a", "b", row)
    'The mean score did not differ significantly between a and b (difference = 0.20, 95% CI [−0.10, 0.50], p = .190).'
    >>> difference("the mean score", "a", "b", Row(term="d", estimate=-0.2, conf_low=-0.3, conf_high=-0.1))
    'The mean score was lower for a than b (difference = −0.20, 95% CI [−0.30, −0.10]).'
    """
    if row.estimate is None:
        return no_number(
            f"The difference in {quantity} between {a} and {b}", row.undefined or "no estimate"
        )
    has_p = with_p(row)
    clear = is_significant(row) if has_p else reliable(row)
    numbers = f"(difference = {stat(row)}{side})"
    if clear:
        word = "higher" if row.estimate > 0 else "lower"
        return f"{capital(quantity)} {verb} {word} {at} {a} than {b} {numbers}."
    if not has_p and not row.has_interval:
        why = "" if row.undefined else ", without interval or test"
        return f"The difference in {quantity} between {a} and {b} was {numbers[14:-1]}{why}."
    how = "significantly" if has_p else "reliably"
    return f"{capital(quantity)} did not differ {how} between {a} and {b} {numbers}."


def equivalence_sentence(
    a: str, b: str, row: Row, bound: float, p: float | None, *, unit: str = ""
) -> str:
    """State whether two were equivalent within plus or minus a bound (two one-sided tests).

    `row` is the difference with its interval at level 1 - 2 alpha; `p` is the larger of the two one-sided p-values;
    `unit` follows the bound.

    Examples
    --------
    >>> row = Row(term="d", estimate=0.01, conf_low=-0.05, conf_high=0.07, conf_level=0.9)
    >>> equivalence_sentence("a", "b", row, 0.1, 0.012)
    'a and b were equivalent within ±0.1 (90% CI [−0.05, 0.07], TOST p = .012).'
    """
    low, high = row.conf_low, row.conf_high
    inside = low is not None and high is not None and -bound < low and high < bound
    size = (as_given(bound).lstrip("0") if row.bounded else as_given(bound)) + unit
    if low is None or high is None:
        return no_number(
            f"Equivalence of {a} and {b} within \u00b1{size}", row.undefined or "no interval"
        )
    verdict = "equivalent" if inside else "not shown to be equivalent"
    tested = "" if p is None else f", {p_value(p, name='TOST p')}"
    return f"{a} and {b} were {verdict} within \u00b1{size} ({apa_interval(row)}{tested})."


def agreement_sentence(name: str, row: Row, units: int, raters: int | None, band: str = "") -> str:
    """State a coefficient of agreement with its band.

    Examples
    --------
    >>> row = Row(term="alpha", estimate=0.71, conf_low=0.62, conf_high=0.79, limits=(-math.inf, 1.0))
    >>> agreement_sentence("α", row, 120, 3, "reliably below .80")
    'Agreement was α = .710, 95% CI [.620, .790] (120 units, 3 raters), reliably below .80.'
    """
    sizes = [count(units, "unit"), *([] if raters is None else [count(raters, "rater")])]
    agreement = f"Agreement was {name} = {estimate_text(row)} ({', '.join(sizes)})"
    return agreement + (f", {band}." if band else ".")


def rank_with_interval(item: str, row: Row, of: int, level: float, *, simultaneous: bool) -> str:
    """State a rank with its interval; one of several ranks leaves the rank open, and so it is an estimate.

    Examples
    --------
    >>> row = Row(term="gpt", estimate=1.0, conf_low=1.0, conf_high=42.0)
    >>> rank_with_interval("gpt", row, 59, 0.95, simultaneous=False)
    'gpt had estimated rank 1 of 59, 95% marginal rank interval [1, 42].'
    """
    rank, low, high = (
        count(round(value or 0.0)) for value in (row.estimate, row.conf_low, row.conf_high)
    )
    interval = f"{name_of_interval(row)}{percent_of(level)} {'simultaneous' if simultaneous else 'marginal'}"
    verb = "ranked" if low == high else "had estimated rank"
    return f"{item} {verb} {rank} of {count(of)}, {interval} rank interval [{low}, {high}]."


def first_ranked(
    item: str,
    strength: Row,
    runner_up: str,
    win: Row,
    *,
    clear: bool,
    adjusted: bool = True,
    decided: bool = False,
) -> str:
    """State who ranked first in a Bradley-Terry fit, and whether its lead over the next was clear.

    `adjusted`: whether the first rank is, adjusted for all items; where it is not, nothing is said to rank first.
    `decided`: the probability is one of comparisons without a tie.
    """
    how = (
        "not clear"
        if not clear
        else "clear"
        if adjusted
        else "not clear when adjusted for all items"
    )
    lead = f"its lead over {runner_up} " + (
        "could not be tested" if win.conf_low is None else f"was {how}"
    )
    chance = f"{'unadjusted ' if clear and not adjusted else ''}win probability {'without a tie ' * decided}"
    win_text, against = (
        estimate_text(row)
        if row.conf_low is not None
        else f"{number(row.shown(), bounded=row.bounded)}, no interval"
        for row in (strength, win)
    )
    start = f"{item} had the largest log-strength ({win_text})"
    if clear and adjusted:
        start = f"{item} ranked first (log-strength {win_text})"
    return f"{start}; {lead} ({chance}{against})."


def tied_first(names: Sequence[str], of: int, what: str, score: str) -> str:
    """State which of several ranked first together.

    Examples
    --------
    >>> tied_first(["a", "b"], 3, "item", "log-strength 0.10")
    '2 of 3 items tied for first (log-strength 0.10): a and b.'
    """
    return f"{count(len(names))} of {count(of, what)} tied for first ({score}): {listing(names)}."


def no_number(quantity: str, reason: str, *, plural: bool = False) -> str:
    """State that there is no number, and why.

    Examples
    --------
    >>> no_number("the strengths of m2", "'a' never lost", plural=True)
    "The strengths of m2 are undefined: 'a' never lost."
    """
    return f"{capital(quantity)} {'are' if plural else 'is'} undefined: {because(reason)}."


def because(reason: str) -> str:
    """Return a reason as it stands after a colon: without a colon of its own, and without a final full stop.

    Examples
    --------
    >>> because("no variation: every rating is 'a: b'.")
    "no variation; every rating is 'a: b'"
    """
    return re.sub(r": (?=(?:[^']*'[^']*')*[^']*$)", "; ", reason).rstrip(".")


def more_clusters_sentence(more: int, unit: str, quantity: str) -> str:
    """State how many more clusters make an interval half as long.

    Examples
    --------
    >>> more_clusters_sentence(300, "pairs", "the difference")
    'To know the difference twice as precisely, collect about 300 more pairs.'
    """
    return f"To know {quantity} twice as precisely, collect about {count(more)} more {unit}."


def more_of(cluster: str | None, unit: str = "units") -> str:
    """Name in the plural what can be collected: clusters by their column, or units where there is none.

    Nothing where the clusters are what a table compares, such as models: they are no sample that grows.

    Examples
    --------
    >>> more_of("story"), more_of("batch_id"), more_of(None, "pairs"), more_of("model")
    ('stories', 'clusters of batch id', 'pairs', '')
    """
    if cluster is None:
        return unit
    word = as_words(cluster)
    if {cluster.lower(), word.lower()} & set(FIXED):
        return ""
    return (
        plural_of(word)
        if word.isalpha() and word.islower() and word[-1:] != "s"
        else f"clusters of {word}"
    )


def no_significance_sentence(
    n: int, tests: str, *, family: Sequence[str] = (), adjusted: bool = True
) -> str:
    """State that no test of a family was significant."""
    return some_of(0, n, tests, family=family, adjusted=adjusted)


def some_of(
    clear: int, n: int, tests: str, *, family: Sequence[str] = (), adjusted: bool = True
) -> str:
    """State how many tests of a family were significant; a single test is not adjusted.

    Examples
    --------
    >>> some_of(3, 45, "differences between two models")
    '3 of 45 differences between two models were significant (Holm).'
    >>> some_of(0, 1, "differences between two models")
    'The difference between two models was not significant.'
    """
    within = f" over {listing(list(family))}" if family else ""
    if n == 1:
        return f"The {count_with_noun(1, tests).removeprefix('1 ')} was {'' if clear else 'not '}significant."
    text = f"{count(clear) if clear else 'None'} of {count_with_noun(n, tests)}"
    return f"{text} {'was' if clear < 2 else 'were'} significant ({f'Holm{within}' if adjusted else 'unadjusted'})."
