"""Levels of values and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import narwhals as nw

from socialstats.designs.aliases import LevelOrder, Levels, Pair, Texts, TextSet
from socialstats.designs.vocabulary import LATER, without_accents, word_couples
from socialstats.errors import InputError
from socialstats.tables import Table, as_number, label_text
from socialstats.tables.lazy import asks
from socialstats.text import shorten
from socialstats.voice import Word, option

POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
# a number of a file with decimal commas
DECIMAL_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?")
DIGITS = r"[+-]?\d+(?:[.,]\d+)?"
# how numbers are written for people: shapes and cures
SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"{DIGITS}\s?%"), "Write percentages as plain numbers, as 28.4"),
    (re.compile(r"[\u2212\u2013]\d+(?:[.,]\d+)?%?"), "Write a minus as the hyphen '-'"),
    (
        re.compile(r"[+-]?\d{1,3}(?:[,\u0020\u00a0\u2009\u202f']\d{3})+\.\d+"),
        "Write no marks between thousands, as 1234.5",
    ),
    (
        re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+"),
        "Write no marks between thousands and a decimal point, as 1234.5",
    ),
    (
        re.compile(r"[+-]?\d{1,3}(?:[\u0020\u00a0\u2009\u202f']\d{3})+"),
        "Write no marks between thousands, as 1234",
    ),
    (re.compile(r"[+-]?\d{1,3}(?:,\d{3}){2,}"), "Write no marks between thousands, as 1234567"),
    (
        re.compile(r"[+-]?[1-9]\d{0,2},\d{3}"),
        "Write 1234 for thousands, or 1.234 for a decimal comma",
    ),
    (re.compile(r"[+-]?\d*,\d+"), "Write decimals with a point, as 1.5"),
    (
        re.compile(r"[$\u20ac\u00a3]\s?\d+(?:\.\d+)?"),
        "Write amounts without the sign of the currency",
    ),
)
OPPOSITES: tuple[Pair, ...] = (("false", "true"), ("no", "yes"))
UNORDERED_OPPOSITES = word_couples(
    "incorrect correct, wrong right, fail pass, failed passed, i c, nein ja, falsch richtig, falsch wahr, non "
    "oui, faux vrai, no si, nao sim, nee ja, nej ja, incorrecto correcto, errado certo, incorreto correto, sbagliato "
    "corretto, n y, f t, falso vero, fout goed, onjuist juist, "
    "错 对, 错误 正确, 否 是, いいえ はい, 不正解 正解, ✗ ✓, × ○"
)


def other_spelling(
    labels: TextSet, *, semicolons: bool = False
) -> tuple[re.Pattern[str], str] | None:
    """Return how values that all look like numbers are spelled otherwise than 1234.5, and the cure; None where not so.

    In a file with semicolons a point before three digits may stand between thousands.

    Examples
    --------
    >>> other_spelling(["28.4%", "3"])[1], other_spelling(["28.4%", "many"]), other_spelling(["1,5", "2"])[1]
    ('Write percentages as plain numbers, as 28.4', None, 'Write decimals with a point, as 1.5')
    """
    broken = [label for label in labels if as_number(label) is not None and "." in label]
    if semicolons and broken and all(POINTS.fullmatch(label.strip()) for label in broken):
        return (
            POINTS,
            "Write 1000 for a thousand, and 1.0 for one: a file with semicolons may mean either",
        )
    odd = [label for label in labels if as_number(label) is None]
    if not odd or not all(
        any(pattern.fullmatch(label.strip()) for pattern, _ in SPELLINGS) for label in odd
    ):
        return None
    return next(
        (p, cure) for p, cure in SPELLINGS if any(p.fullmatch(label.strip()) for label in odd)
    )


def without_decimal_comma(labels: TextSet) -> TextSet:
    """Return the numbers without a decimal comma, where more numbers have one; else nothing.

    Examples
    --------
    >>> without_decimal_comma(["4,96", "4,44", "3", "4.4"]), without_decimal_comma(["1,5", "2.5"])
    ({'4.4'}, set())
    """
    odd = {label for label in labels if not DECIMAL_COMMA.fullmatch(label.strip())}
    commas = sum("," in label for label in labels if label not in odd)
    return odd if commas > len(odd) else set()


def declared_levels(levels: LevelOrder) -> Levels | None:
    """Return declared levels as labels.

    Raises
    ------
    InputError
        For levels that are missing, repeated, or one text that was meant as several.

    Examples
    --------
    >>> declared_levels(["low", "high"]), declared_levels(range(1, 4)), declared_levels(None)
    (('low', 'high'), ('1', '2', '3'), None)
    """
    if levels is None:
        return None
    if isinstance(levels, str):
        listed = option("levels", [part.strip() for part in levels.split(",")])
        raise InputError(f"{option('levels', levels)} is one text. Pass a sequence: {listed}")
    try:
        labels = [label_text(level) for level in levels]
    except TypeError as error:
        raise InputError(
            f"{option('levels', levels)} is not a sequence of labels ({error})"
        ) from error
    texts = tuple(level for level in labels if level is not None)
    if len(texts) < len(labels) or not texts:
        raise InputError(
            f"{option('levels')} needs at least one level, and no level may be empty or missing"
        )
    numbers = [as_number(level) for level in texts]
    keys: Sequence[Any] = texts if None in numbers else numbers
    if twice := [level for level, key in zip(texts, keys, strict=True) if keys.count(key) > 1]:
        raise InputError(f"{option('levels')} names '{twice[0]}' twice")
    return texts


def codes_in(labels: Texts, levels: Texts) -> list[int]:
    """Return the place of each label in `levels`, -1 for none; as numbers where every level is a number.

    Examples
    --------
    >>> codes_in(["1.0", "2", "x"], ["1", "2"]), codes_in(["b"], ["a", "b"])
    ([0, 1, -1], [1])
    """
    numbers = [as_number(level) for level in levels]
    exact = {level: code for code, level in enumerate(levels)}
    if None in numbers:
        return [exact.get(label, -1) for label in labels]
    by_number = {number: code for code, number in enumerate(numbers)}
    return [
        exact[label] if label in exact else by_number.get(as_number(label), -1) for label in labels
    ]


TIMED = ("test", "treatment", "training", "intervention", "line", "up")
"""What follows a word of time in one word: pretest, baseline."""


def later_and_earlier(labels: Texts) -> Pair | None:
    """Return two of some labels, the later one first, where they say what came first, or what was tried on what.

    Examples
    --------
    >>> later_and_earlier(["pre", "post"]), later_and_earlier(["After the talk", "Before it"])
    (('post', 'pre'), ('After the talk', 'Before it'))
    >>> later_and_earlier(["posture", "pressure"]), later_and_earlier(["a", "b"])
    (None, None)
    """

    def says(label: str, word: str) -> bool:
        plain = without_accents(label).casefold().strip()
        first = re.match(r"t\d+|[^\W\d_]+", plain)
        begun = first[0] if first is not None else ""
        return (
            begun == word
            or (begun.startswith(word) and begun.removeprefix(word) in TIMED)
            or (not word.isascii() and plain.startswith(word))
        )

    for early, late in LATER:
        later = next((label for label in labels if says(label, late)), None)
        earlier = next((label for label in labels if says(label, early)), None)
        if later is not None and earlier is not None and later != earlier:
            return later, earlier
    return None


def two_in_order(table: Table, column: str, labels: Texts) -> Pair | None:
    """Return the two labels of a column with the first of a difference first; None where nothing tells their order.

    The type of the column tells it, or labels that say what came later, or was tried on what.
    """
    declared = categories(table, column)
    if declared is not None:
        first, second = (label for label in declared if label in labels)
        return first, second
    if (timed := later_and_earlier(labels)) is not None:
        return timed
    levels = table.categories(column) if table.has(column) else ()
    # no order of letters: somebody chose it
    chosen = [label for label in levels if label in labels] == [*labels[::-1]]
    return (labels[1], labels[0]) if chosen else None


NEGATIONS = ("un", "in", "im", "non", "non-", "not ", "not_", "dis")
LONGEST_PREFIX = 4


def opposites(labels: TextSet) -> Pair | None:
    """Return (zero, one) when the labels are yes/no, correct/incorrect, pass/fail and the like, each in one spelling.

    Examples
    --------
    >>> opposites(["True", "False"]), opposites(["yes"]), opposites(["yes", "Yes"]), opposites(["good", "bad"])
    (('False', 'True'), ('no', 'yes'), None, None)
    >>> opposites(["PASS", "FAIL"]), opposites(["pass"]), opposites(["supported", "unsupported"])
    (('FAIL', 'PASS'), None, ('unsupported', 'supported'))
    """
    if not labels or len(labels) > 2:
        return None
    folded = {without_accents(label).strip().casefold(): label for label in labels}
    short, long = sorted(folded, key=len) if len(folded) == 2 else ("", "")
    # unsupported, supported
    if len(short) > LONGEST_PREFIX and any(long == prefix + short for prefix in NEGATIONS):
        return folded[long], folded[short]
    for pair in (*OPPOSITES, *(pair for pair in UNORDERED_OPPOSITES if set(pair) == set(folded))):
        if set(folded) <= set(pair) and len(folded) == len(labels):
            like = next(iter(labels))
            spell = str.upper if like.isupper() else str.capitalize if like[:1].isupper() else str
            low, high = (folded.get(word) or spell(word) for word in pair)
            return low, high
    return None


def sort_labels(labels: TextSet) -> Levels:
    """Sort labels: by number where every label is one, else by code point.

    Examples
    --------
    >>> sort_labels(["10", "9"]), sort_labels(["b", "10", "a"])
    (('9', '10'), ('10', 'a', 'b'))
    """
    numbers = {label: as_number(label) for label in labels}
    if None in numbers.values():
        return tuple(sorted(labels))
    return tuple(sorted(labels, key=lambda label: (numbers[label] or 0.0, label)))


def number_label(value: float) -> str:
    """Return the label of a number.

    Examples
    --------
    >>> number_label(3.0), number_label(0.5), number_label(-0.0)
    ('3', '0.5', '0')
    """
    return label_text(value + 0.0) or ""


@asks
def categories(table: Table, column: str) -> Levels | None:
    """Return the levels of an ordered categorical (pandas, pyarrow) or an enumeration (polars, DuckDB); else None."""
    if table.stacked is not None and column == table.stacked.column:
        # the order of the columns that were stacked is that of `Long`
        return None
    dtype = table.dtype(column)
    levels = dtype.categories if isinstance(dtype, nw.Enum) else _ordered_dictionary(table, column)
    if levels is None:
        return None
    texts = [label_text(category) for category in levels]
    return tuple(label for label in texts if label is not None)


def _ordered_dictionary(table: Table, column: str) -> LevelOrder:
    """Return the dictionary of a pyarrow column that is declared as ordered; None where its chunks have several."""
    if not table.frame.implementation.is_pyarrow():
        return None
    values: Any = table.frame.to_native()[column]
    if not getattr(values.type, "ordered", False):
        return None
    dictionaries = {tuple(chunk.dictionary.to_pylist()) for chunk in values.chunks}
    return dictionaries.pop() if len(dictionaries) == 1 else None


def which_counts(used: Texts) -> str:
    """Return how the one of two levels that counts as 1 is declared; it stands last."""
    if len(used) != 2:
        return f"{option('levels', (Word('ZERO'), Word('ONE')))}, the one that counts as 1 last"
    forward, backward = (option("levels", pair) for pair in (tuple(used), tuple(used[::-1])))
    return (
        f"{forward} if '{shorten(used[1])}' counts as 1, or {backward} if '{shorten(used[0])}' does"
    )
