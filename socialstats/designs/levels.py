"""What a value is: a number, one of two opposites, or one of the declared levels; never an order by alphabet."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import narwhals as nw

from socialstats.errors import InputError
from socialstats.tables import Table, as_number, as_text
from socialstats.text import quoted

DECIMAL_COMMA = re.compile(r"-?\d+,\d+\Z")
OPPOSITES: tuple[tuple[str, str], ...] = (("false", "true"), ("no", "yes"))


def refuse_decimal_commas(labels: Sequence[str], place: str) -> None:
    """Refuse values that all look like numbers, some of them with a decimal comma.

    Raises
    ------
    InputError
        With the cure.
    """
    commas = [label for label in labels if DECIMAL_COMMA.match(label)]
    if not commas or any(as_number(label) is None for label in labels if label not in commas):
        return
    raise InputError(
        f"{place}: the values look like numbers with a comma ({quoted(commas, 3)}). Numbers are written with a "
        "point, as 1.5: write the file so, or read it with pandas.read_csv(..., decimal=',') and pass the data frame; "
        "if these are labels, say scale='nominal' (--scale nominal)"
    )


def declared_levels(levels: Sequence[Any] | None) -> tuple[str, ...] | None:
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
        listed = ", ".join(repr(part.strip()) for part in levels.split(","))
        raise InputError(f"levels={levels!r} is one text. Pass a sequence: levels=[{listed}]")
    try:
        found = [as_text(level) for level in levels]
    except TypeError as error:
        raise InputError(f"levels={levels!r} is not a sequence of labels ({error})") from error
    done = tuple(level for level in found if level is not None)
    if len(done) < len(found) or not done:
        raise InputError("levels= needs at least one level, and no level may be empty or missing")
    numbers = [as_number(level) for level in done]
    keys: Sequence[Any] = done if None in numbers else numbers
    twice = next((level for level, key in zip(done, keys, strict=True) if keys.count(key) > 1), None)
    if twice is not None:
        raise InputError(f"levels= names '{twice}' twice")
    return done


def codes_in(labels: Sequence[str], levels: Sequence[str]) -> list[int]:
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
    return [exact[label] if label in exact else by_number.get(as_number(label), -1) for label in labels]


def opposites(labels: Collection[str]) -> tuple[str, str] | None:
    """Return (zero, one) when the labels are true/false or yes/no, each in one spelling.

    Examples
    --------
    >>> opposites(["True", "False"]), opposites(["yes"]), opposites(["yes", "Yes"]), opposites(["good", "bad"])
    (('False', 'True'), ('no', 'yes'), None, None)
    """
    if not labels or len(labels) > 2:
        return None
    folded = {label.casefold(): label for label in labels}
    for pair in OPPOSITES:
        if set(folded) <= set(pair) and len(folded) == len(labels):
            like = next(iter(labels))
            spelled = [folded.get(word) or _spelled_like(word, like) for word in pair]
            return spelled[0], spelled[1]
    return None


def _spelled_like(word: str, like: str) -> str:
    return word.upper() if like.isupper() else word.capitalize() if like[:1].isupper() else word


def in_order(labels: Collection[str]) -> tuple[str, ...]:
    """Sort labels: by number where every label is one, else by code point.

    Examples
    --------
    >>> in_order(["10", "9"]), in_order(["b", "10", "a"])
    (('9', '10'), ('10', 'a', 'b'))
    """
    numbers = {label: as_number(label) for label in labels}
    if None in numbers.values():
        return tuple(sorted(labels))
    return tuple(sorted(labels, key=lambda label: (numbers[label] or 0.0, label)))


def plain_number(value: float) -> str:
    """Return the label of a number.

    Examples
    --------
    >>> plain_number(3.0), plain_number(0.5), plain_number(-0.0)
    ('3', '0.5', '0')
    """
    return as_text(value + 0.0) or ""


def categories(table: Table, column: str) -> tuple[str, ...] | None:
    """Return the levels of an ordered categorical (pandas) or an enumeration (polars, DuckDB); None for others."""
    dtype = table.frame.select(column).collect_schema()[column]
    if not isinstance(dtype, nw.Enum):
        return None
    texts = [as_text(category) for category in dtype.categories]
    return tuple(label for label in texts if label is not None)
