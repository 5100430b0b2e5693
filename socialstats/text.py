"""Numbers as text, the one place that decides how a figure is printed.

APA 7: no leading zero for quantities that cannot exceed 1 in size, ``p < .001`` and never ``.000``, a true
minus sign, never ``-0.00``, thousands separated by commas.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

MINUS = "\u2212"
MISSING = "\u2014"


class Shown(float):
    """A number with the decimals that it is printed with, and whether it cannot exceed 1 in size by its definition.

    `row` is the row of a result that it was read from, where there is one.
    """

    __slots__ = ("bounded", "digits", "row")
    bounded: bool
    digits: int
    row: Any

    def __new__(
        cls, value: float, digits: int = 2, bounded: bool = False, row: Any = None
    ) -> Shown:
        """Make a number with its decimals."""
        number = super().__new__(cls, value)
        number.digits, number.bounded, number.row = digits, bounded, row
        return number


class PValue(Shown):
    """A p-value of a table, which is printed as ``.031`` or ``< .001``."""

    __slots__ = ()


def number(value: float | None, digits: int = 2, *, bounded: bool = False) -> str:
    """Format a number with a fixed count of decimals.

    Parameters
    ----------
    value : float or None
        None and NaN print as a dash.
    digits : int
        Decimals.
    bounded : bool
        True for quantities that cannot exceed 1 in size (p, kappa, shares): drops the leading zero. A `Shown` value
        has decimals and flag of its own, and a `PValue` is printed by its relation.

    Examples
    --------
    >>> number(-0.001), number(1234.5, 1), number(-0.25, bounded=True), number(Shown(0.4, 3, True))
    ('0.00', '1,234.5', '−.25', '.400')
    """
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "\u221e" if value > 0 else f"{MINUS}\u221e"
    if isinstance(value, PValue):
        return p_value(float(value), name="").strip(" =")
    if isinstance(value, Shown):
        digits, bounded = value.digits, value.bounded
    text = fixed_decimals(abs(value), digits)
    if bounded and text.startswith("0."):
        text = text[1:]
    is_zero = not any(ch in "123456789" for ch in text)
    return f"{MINUS}{text}" if value < 0 and not is_zero else text


def fixed_decimals(value: float, digits: int) -> str:
    """Return a number with fixed decimals; a half, as the number is written, is rounded to the even digit.

    Binary fractions lie beside such halves: 87 / 400 is a little less than .2175. A reader who divides by hand finds
    the half. (R's ``round`` gives .218 here too, but .713 for .7125.)

    Examples
    --------
    >>> fixed_decimals(87 / 400, 3), f"{87 / 400:.3f}", fixed_decimals(0.5125, 3), fixed_decimals(1234.5, 1)
    ('0.218', '0.217', '0.512', '1,234.5')
    """
    written = repr(float(value))
    if (
        written.endswith("5")
        and len(written.partition(".")[2]) == digits + 1
        and "e" not in written
    ):
        return f"{Decimal(written).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN):,}"
    return f"{value:,.{digits}f}"


def p_value(value: float | None, *, name: str = "p") -> str:
    """Format a p-value with its relation.

    Examples
    --------
    >>> p_value(0.0312), p_value(0.00001), p_value(1.0)
    ('p = .031', 'p < .001', 'p > .999')

    More decimals are printed where rounding would reach .05:

    >>> p_value(0.0497), p_value(0.05)
    ('p = .0497', 'p = .050')
    """
    if value is None or math.isnan(value):
        return f"{name} undefined"
    if value < 0.001:
        return f"{name} < .001"
    if value > 0.999:
        return f"{name} > .999"
    digits = next((d for d in range(3, 7) if round(value, d) != 0.05), 3)
    return f"{name} = {number(value, digits, bounded=True)}"


def percent(value: float | None, digits: int = 1) -> str:
    """Format a share as a percentage.

    Examples
    --------
    >>> percent(0.3911)
    '39.1%'
    """
    return MISSING if value is None or math.isnan(value) else f"{number(100 * value, digits)}%"


def interval(
    low: float | None,
    high: float | None,
    digits: int = 2,
    *,
    level: float = 0.95,
    bounded: bool = False,
) -> str:
    """Format an interval with its level; an infinite end is open.

    Examples
    --------
    >>> interval(0.171, 0.43), interval(-math.inf, 1)
    ('95% CI [0.17, 0.43]', '95% CI (−∞, 1.00]')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return f"{percent_of(level)} CI undefined"
    return f"{percent_of(level)} CI {brackets(low, high, digits, bounded=bounded)}"


def brackets(low: float, high: float, digits: int = 2, *, bounded: bool = False) -> str:
    """Format both ends; an infinite one is open.

    Examples
    --------
    >>> brackets(0.171, 0.43), brackets(0.171, math.inf)
    ('[0.17, 0.43]', '[0.17, ∞)')
    """
    inside = f"{number(low, digits, bounded=bounded)}, {number(high, digits, bounded=bounded)}"
    return f"{'(' if math.isinf(low) else '['}{inside}{')' if math.isinf(high) else ']'}"


def as_given(value: float) -> str:
    """Write a number that somebody chose with the decimals that it was given.

    Examples
    --------
    >>> as_given(0.5), as_given(-0.0002), as_given(3.0)
    ('0.5', '−0.0002', '3')
    """
    digits = next(
        (d for d in range(7) if abs(value - round(value, d)) <= 1e-12 * max(1.0, abs(value))), 6
    )
    return number(value, digits)


def percent_of(level: float) -> str:
    """Format a confidence level: 0.95 as '95%'."""
    return f"{100 * level:g}%"


def significance_level_text(level: float) -> str:
    """Format 1 minus a confidence level.

    Examples
    --------
    >>> significance_level_text(0.95), significance_level_text(0.999)
    ('.05', '.001')
    """
    return as_given(1 - level).lstrip("0")


def count(n: float, singular: str = "", plural: str = "") -> str:
    """Format a count with thousands commas and, where given, its noun.

    Examples
    --------
    >>> count(13914), count(1, "row"), count(2, "role pair"), count(2, "story"), count(2, "survey")
    ('13,914', '1 row', '2 role pairs', '2 stories', '2 surveys')
    >>> count(2, "ip hash"), count(2, "brief no"), count(2, "class"), count(2, "tax")
    ('2 ip hashes', '2 brief nos.', '2 classes', '2 taxes')
    """
    text = f"{round(n):,}" if float(n).is_integer() else number(n, 1)
    if not singular:
        return text
    return f"{text} {singular if n == 1 else plural or plural_of(singular)}"


def plural_of(noun: str) -> str:
    """Return the plural of an English noun, by its ending.

    Examples
    --------
    >>> plural_of("vacancy"), plural_of("hash"), plural_of("value"), plural_of("by")
    ('vacancies', 'hashes', 'values', 'bys')
    """
    # short for number
    if re.search(r"(?:^|\s)no$", noun):
        return f"{noun}s."
    if re.search("(?:s|x|z|ch|sh)$", noun):
        return f"{noun}es"
    return re.sub(r"(?<=\w\w[^aeiou\W])y$", "ie", noun) + "s"


def count_with_noun(n: float, what: str) -> str:
    """Format a count with words whose noun is plural: the noun is the first word in -s, or a last word "clusters".

    Examples
    --------
    >>> count_with_noun(2, "discordant pairs"), count_with_noun(1, "discordant pairs")
    ('2 discordant pairs', '1 discordant pair')
    >>> count_with_noun(1, "labels cited"), count_with_noun(1, "people")
    ('1 label cited', '1 person')
    """
    words = what.split(" ")
    if n == 1:
        last = words[-1] == "clusters"
        at = (
            len(words) - 1
            if last
            else next((k for k, word in enumerate(words) if word.endswith("s")), None)
        )
        if at is not None:
            words[at] = re.sub("ie$", "y", words[at][:-1])
    return f"{count(n)} {' '.join('person' if n == 1 and word == 'people' else word for word in words)}"


def with_article(noun: str) -> str:
    """Return a word with its indefinite article.

    Examples
    --------
    >>> with_article("ordinal"), with_article("ratio")
    ('an ordinal', 'a ratio')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def listing(names: Sequence[str], most: int = 5) -> str:
    """Join names in a sentence, naming at most `most`.

    Examples
    --------
    >>> listing(["a", "b", "c"]), listing(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def as_words(name: str, width: int = 40) -> str:
    """Write the name of a column as words, cut for display.

    Examples
    --------
    >>> as_words("marital_status"), as_words("gpt.score")
    ('marital status', 'gpt.score')
    """
    return shorten(" ".join(name.replace("_", " ").split()) or name, width)


def capital(text: str) -> str:
    """Return a text as the start of a sentence: with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def quoted(names: Sequence[str], most: int = 5) -> str:
    """Like `listing`, with each name in quotes and long names cut."""
    quotes = [f"'{name}'" for name in shortened(names[:most])]
    return listing([*quotes, *names[most:]], most)


def meant(word: str, names_in_use: Iterable[str]) -> str:
    """Ask whether the nearest of some names was meant; empty where none is near.

    Examples
    --------
    >>> meant("claster", ["cluster", "by"]), meant("j3", ["J3"]), meant("x", ["cluster"])
    ("Did you mean 'cluster'? ", "Did you mean 'J3'? ", '')
    """
    names = list(names_in_use)
    close = [n for n in names if n.casefold() == word.casefold()]
    close = close or difflib.get_close_matches(word, names, n=1)
    return f"Did you mean '{close[0]}'? " if close else ""


def unknown(kind: str, word: str, available: Iterable[str], all_of: str = "") -> str:
    """Return that nothing of a kind has a name, with the nearest name and all that there are.

    Examples
    --------
    >>> unknown("metric", "mcnemr", ["symmetry", "mcnemar"])
    "no metric 'mcnemr'. Did you mean 'mcnemar'? Metrics: symmetry, mcnemar"
    """
    names = list(available)
    return f"no {kind} '{shorten(word)}'. {meant(word, names)}{capital(all_of or kind + 's')}: {', '.join(names)}"


def markdown(text: str, width: int = 400) -> str:
    r"""Write text so that Markdown and HTML show it as it is, on one line.

    Examples
    --------
    >>> markdown("<b> a_b | c")
    '&lt;b&gt; a\\_b \\| c'
    """
    safe = shorten(text, width).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~#$])", r"\\\1", safe)


def shorten(label: str, width: int = 60) -> str:
    """Cut a label for display and make its control characters visible.

    Examples
    --------
    >>> shorten("a" * 10, width=5), shorten("two\\nlines")
    ('aaaa…', 'two lines')
    """
    # a label may be a text of millions of characters
    start = _printable(label[: width + 1])
    return start if len(start) <= width else start[: width - 1] + "…"


REPLACEMENT = "\ufffd"  # stands for a character that nobody sees


def visible_text(text: str) -> str:
    """Make control, formatting and unpaired surrogate characters visible as U+FFFD; white space becomes a space.

    Examples
    --------
    >>> visible_text("two\\nlines"), visible_text("no\\x00thing") == "no\\ufffdthing"
    ('two lines', True)
    """
    if text.isprintable():
        return text
    return "".join(
        ch if ch.isprintable() else " " if ch.isspace() else REPLACEMENT
        for ch in text.replace("\r\n", " ")
    )


def _printable(label: str) -> str:
    if label.isprintable():
        return label
    return "".join(ch if ch.isprintable() else " " for ch in label)


# stands between the raters of a pair
BETWEEN = " | "


def shortened(labels: Sequence[str], width: int = 60) -> list[str]:
    """Cut labels that are shown together, so that no two of them become equal.

    A label that is too long is cut in the middle; of ``"one | two"`` each part by itself. Parts that would look the
    same are cut less, so a label can be longer than `width`.

    Parameters
    ----------
    labels : sequence of str
        Equal ones stay equal.
    width : int
        Characters of a label.

    Examples
    --------
    >>> shortened(["llama-3-70b-2024-04-18", "llama-3-70b-2024-07-23", "gpt"], width=12)
    ['llama-…04-18', 'llama-…07-23', 'gpt']
    >>> shortened(["llama-3-70b-2024-04-18 | gpt-4", "llama-3-8b-2024-04-18 | gpt-4"], width=21)
    ['llama-3-70…2024-04-18 | gpt-4', 'llama-3-8b-2024-04-18 | gpt-4']
    """
    labels = [_printable(label) for label in labels]
    long = [label.split(BETWEEN) for label in labels if len(label) > width]
    most = max((len(parts) for parts in long), default=1)
    # parts of a pair share the width
    room = max((width - len(BETWEEN) * (most - 1)) // most, LEAST)
    parts = list(dict.fromkeys(part for label_parts in long for part in label_parts))
    rooms = dict.fromkeys(parts, room)
    # each turn lengthens the parts of labels that look alike, until all differ or stand in full
    while True:
        short = {part: _middle(part, rooms[part]) for part in parts}
        cut = [
            label
            if len(label) <= width
            else BETWEEN.join(map(short.__getitem__, label.split(BETWEEN)))
            for label in labels
        ]
        owners: dict[str, set[str]] = {}
        for text, label in zip(cut, labels, strict=True):
            owners.setdefault(text, set()).add(label)
        alike = {
            label
            for labels_of_text in owners.values()
            if len(labels_of_text) > 1
            for label in labels_of_text
            if len(label) > width
        }
        # a part that stands in full cannot tell two labels apart
        lengthen = {
            part for label in alike for part in label.split(BETWEEN) if len(part) > rooms[part]
        }
        if not lengthen:
            return cut
        rooms |= {part: rooms[part] + WIDER for part in lengthen}


# characters of a part that is cut, and by how many it grows while it looks like another
LEAST, WIDER = (
    3,
    4,
)


LETTERS_BEFORE = re.compile(r"[^\W\d_]*$")
NEGATIONS = re.compile(r"(?i)\b(not|no|never|non|without|nicht|kein\w*|pas|ne|sin)\b|n't\b")


def _middle(text: str, width: int) -> str:
    """Cut the middle of a text, so that what stays cannot read as its opposite.

    The tail begins with a whole word: "disagree" does not become "agree". No negation is in what is cut.

    Examples
    --------
    >>> _middle("Strongly disagree", 16), _middle("Strongly disagree", 11), _middle("agree, but not in full", 16)
    ('Strongl…disagree', 'Strongly d…', 'agree, but not …')
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    head, start = width - 1 - tail, len(text) - tail
    letters = LETTERS_BEFORE.search(text[:start]) if text[start : start + 1].isalpha() else None
    word = start if letters is None else letters.start()
    # the tail would begin inside of a word that the head does not show
    if head < word + LEAST and word < start:
        start = word if len(text) - word <= width - 1 - LEAST else len(text)
        head = width - 1 - (len(text) - start)
    if start == len(text) or any(
        no.start() < start and no.end() > head for no in NEGATIONS.finditer(text)
    ):
        return f"{text[: width - 1]}…"
    return f"{text[:head]}…{text[start:]}"
