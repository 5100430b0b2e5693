"""A comparison of models in words: the extremes, the differences, and what was significant."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from socialstats.results import Row
from socialstats.results.rows import negate_row
from socialstats.scales.model_differences import DIFFERENCE
from socialstats.scales.model_numbers import NUMBER, RANK, ComparisonRule
from socialstats.sentences import (
    apa_interval,
    difference,
    direction,
    estimate_text,
    is_significant,
    name_of_interval,
    some_of,
)
from socialstats.text import (
    capital,
    count,
    listing,
    number,
    percent_of,
    plural_of,
    shorten,
    shortened,
)

MOST_NAMED = 3  # significant differences that sentences name
FEWEST_DF = 5  # a test with fewer degrees of freedom is named


def sorted_numbers(rows: Sequence[Row], best: str) -> list[Row]:
    """Return the numbers that exist, rank 1 first."""
    sign = -1.0 if best == "highest" else 1.0
    return sorted(
        (row for row in rows if row.group == NUMBER and row.estimate is not None),
        key=lambda row: sign * (row.estimate or 0.0),
    )


def named_differences(rows: Sequence[Row]) -> list[Row]:
    """Return the differences that sentences name: the significant ones of up to three, else the largest."""
    tested = [row for row in rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    significant_rows = [row for row in tested if is_significant(row)]
    if 0 < len(significant_rows) <= MOST_NAMED:
        return significant_rows
    return sorted(tested, key=lambda row: -abs(row.estimate or 0.0))[:1]


def with_the(phrase: str) -> str:
    """Return a quantity with its article; one that belongs to a person has none.

    Examples
    --------
    >>> with_the("mean rating"), with_the("Krippendorff's alpha")
    ('the mean rating', "Krippendorff's alpha")
    """
    return phrase if "'s " in phrase else f"the {phrase}"


def model_difference_sentence(row: Row, phrase: str, *, shared: bool = False) -> str:
    """Return the difference of two models as a sentence, the model with the larger number first."""
    larger, smaller = (shorten(row.label(side) or "", 40) for side in ("model", "minus"))
    if (row.estimate or 0.0) < 0:
        larger, smaller, row = smaller, larger, negate_row(row)
    quantity = f"{with_the(phrase)}{' on shared units' if shared else ''}"
    return difference(quantity, larger, smaller, row)


def sentence(
    rows: Sequence[Row],
    phrase: str,
    rule: ComparisonRule,
    level: float,
    noun: str,
    *,
    shared: Collection[str] = (),
) -> str:
    """Return the highest and the lowest number; for two their difference, for more what is significant, and ranks.

    `shared`: terms of the differences that are on shared units only.
    """
    numbers = sorted_numbers(rows, rule.best)
    if not numbers:
        return f"No {noun} has a {phrase}."
    differences = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in differences if row.p_adjusted is not None]
    if numbers[0].estimate == numbers[-1].estimate and rule.ranked:
        return extremes_sentence(rows, phrase, rule, noun)
    text = f"{extremes_sentence(rows, phrase, rule, noun)} {differences_sentence(rows, phrase, noun, shared=shared)}"
    ranks = [row for row in rows if row.group == RANK]
    if len(differences) == 1 or not tested or not ranks:
        return text
    first = [row.term for row in ranks if row.conf_low == 1]
    approximate = name_of_interval(ranks[0])
    later = [row.term for row in numbers if row.term not in first]
    who = f"all but {listing(shortened(later), 5)}" if later and len(later) < len(first) else ""
    return (
        f"{text} {capital(f'{approximate}{percent_of(level)}')} simultaneous rank intervals included rank 1 (the "
        f"{rule.best}) for {count(len(first))} of {count(len(numbers), noun)} ({who or listing(shortened(first), 5)})."
    )


def extremes_sentence(rows: Sequence[Row], phrase: str, rule: ComparisonRule, noun: str) -> str:
    """Return the highest and the lowest number, or the one number of all."""
    numbers = sorted_numbers(rows, rule.best)
    low, high = (numbers[0], numbers[-1]) if rule.best == "lowest" else (numbers[-1], numbers[0])
    if low.estimate == high.estimate:
        if len({apa_interval(row) for row in numbers}) == 1:
            models = count(len(numbers), noun)
            return (
                f"{capital(with_the(phrase))} was the same for all {models} ({estimate_text(low)})."
            )
        # several numbers beyond what is possible are equal at the limit, and their intervals are not
        at = "cut at " * (low.limits is not None and low.estimate in low.limits)
        bounds = listing(
            [f"{shorten(row.term, 40)}: {apa_interval(row)}" for row in numbers], most=4
        )
        return (
            f"{capital(with_the(phrase))} of each {noun} was {at}{number(low.shown())} ({bounds})."
        )
    tied = [sum(row.estimate == end.estimate for row in numbers) - 1 for end in (high, low)]
    highest, lowest = (
        f"{shorten(end.term, 40)} ({estimate_text(end)})"
        + f", tied with {count(n, f'other {noun}')}" * (n > 0)
        for end, n in zip((high, low), tied, strict=True)
    )
    return f"{capital(with_the(phrase))} was highest for {highest}{',' * (tied[0] > 0)} and lowest for {lowest}."


def differences_sentence(
    rows: Sequence[Row], phrase: str, noun: str, *, shared: Collection[str] = ()
) -> str:
    """Return the difference of two models, or how many of several were significant, and what could not be tested."""
    differences = [row for row in rows if row.group == DIFFERENCE]
    tested = [row for row in differences if row.p_adjusted is not None]
    models = count(sum(row.group == NUMBER and row.estimate is not None for row in rows), noun)
    if not tested and not (len(differences) == 1 and differences[0].conf_low is not None):
        intervals = [row for row in differences if row.conf_low is not None]
        excluding = count(sum(direction(row) != "none" for row in intervals))
        n = count(len(intervals), "difference")
        more = f" Unadjusted CIs of {excluding} of {n} excluded 0." if intervals else ""
        return f"No difference of {models} could be tested ({differences[0].undefined}).{more}"
    if len(differences) == 1:
        # Holm's p of one test is its own
        row = replace(differences[0], p_adjusted=None)
        return model_difference_sentence(row, phrase, shared=row.term in shared)
    untested = len(differences) - len(tested)
    what = f"{'tested ' if untested else ''}differences between {plural_of(noun)}"
    text = some_of(sum(is_significant(row) for row in tested), len(tested), what)
    why = {row.undefined for row in differences if row.p_adjusted is None}
    reason = f" ({why.pop()})" if len(why) == 1 else ""
    if untested:
        text += f" {count(untested, 'difference')} could not be tested{reason}."
    return text


def comparison_text(
    rows: Sequence[Row],
    phrase: str,
    rule: ComparisonRule,
    level: float,
    noun: str,
    *,
    shared: Collection[str] = (),
) -> str:
    """Return `sentence`, and which models differ from which."""
    first = sentence(rows, phrase, rule, level, noun, shared=shared)
    return " ".join([first, *details_sentences(rows, phrase, rule, shared=shared)])


def details_sentences(
    rows: Sequence[Row], phrase: str, rule: ComparisonRule, *, shared: Collection[str] = ()
) -> list[str]:
    """State which models differ from which and how far at most, and which test has few degrees of freedom.

    Nothing without tests. `shared`: as of `sentence`.
    """
    tested = [row for row in rows if row.group == DIFFERENCE and row.p_adjusted is not None]
    if not tested:
        return []
    texts = []
    if len(tested) > 1:
        numbers = sorted_numbers(rows, rule.best)
        if sum(is_significant(row) for row in tested) > MOST_NAMED:
            texts += [apart_sentence(rows, tested, numbers[end].term) for end in (0, -1)]
        texts += [
            model_difference_sentence(row, phrase, shared=row.term in shared)
            for row in named_differences(rows)
        ]
    fewest = min(tested, key=lambda row: math.inf if row.df is None else row.df)
    if fewest.df is not None and fewest.df < FEWEST_DF:
        pair = listing([shorten(name, 40) for name in models_of_difference(fewest)])
        df = number(fewest.df, 0 if float(fewest.df).is_integer() else 1)
        texts.append(f"The test of {pair} had only {df} degrees of freedom. Collect more units.")
    return texts


def models_of_difference(row: Row) -> tuple[str, str]:
    """Return the two models of a difference."""
    return row.label("model") or "", row.label("minus") or ""


def apart_sentence(rows: Sequence[Row], tested: Sequence[Row], model: str) -> str:
    """State from how many others a model differed significantly, and by name the fewer of both kinds."""
    ranks = [row.estimate for row in rows if row.group == RANK and row.term == model]
    rank = f" (rank {number(ranks[0], 0)})" if ranks else ""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for row in tested:
        pair = models_of_difference(row)
        if model in pair:
            kinds[is_significant(row)] += [name for name in pair if name != model]
    differing, alike = kinds[True], kinds[False]
    total = count(len(differing) + len(alike), "other")
    text = f"{shorten(model, 40)}{rank} differed significantly from"
    if not differing or not alike:
        return f"{text} {'all' if differing else 'none of the'} {total}."
    names = listing(shortened(alike if len(alike) <= len(differing) else differing))
    exceptions = f"all but {names}" if len(alike) <= len(differing) else names
    return f"{text} {count(len(differing))} of {total} ({exceptions})."
