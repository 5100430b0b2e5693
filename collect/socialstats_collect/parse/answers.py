"""A choice between two lettered options, given as JSON with Answer, Reason and Value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from socialstats_collect.parse.clean import clean
from socialstats_collect.parse.objects import Found, values_of
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import Parsed


def parse_answer(raw: str, *, key: str = "Answer", labels: Sequence[str] = ("A", "B")) -> Parsed:
    """Return the label under a key of a JSON reply, whole or broken.

    A label counts when it stands alone or is set off from the words after it (``(B) Aunt``, ``B. AUNT``): the letter A
    inside a word never does. Two different answers are ambiguous.

    Parameters
    ----------
    raw
        The reply as it came.
    key
        Name of the field that holds the answer.
    labels
        The labels allowed, compared without letter case.

    Examples
    --------
    >>> parse_answer('{"Answer": "B. AUNT", "Reason": "..."}').label
    'B'
    >>> parse_answer('{"Answer": "A or B"}').status, parse_answer("I cannot choose.").status
    ('ambiguous', 'refusal')
    """
    text = clean(raw)
    if not text.text.strip():
        return Parsed(status="empty", rule="empty")
    found = values_of(text.text, key)
    if not found:
        return _bare(text.text.strip(), labels) or _nothing(text.text)
    read = [(_labels(one.value, labels), one) for one in found]
    distinct = {label for several, _ in read for label in several}
    if len(distinct) > 1:
        return Parsed(status="ambiguous", rule="several", conflict=True)
    if not distinct:
        return Parsed(status="refusal" if _refused(found) else "unparsed", rule="value")
    first = next(one for several, one in read if several)
    return Parsed(
        status="ok",
        label=distinct.pop(),
        rule="json" if first.whole else "salvaged",
        span=text.span(first.start, first.end),
    )


def _labels(value: object, labels: Sequence[str]) -> set[str]:
    """The labels a value names: one when it is set off at its beginning or stands alone, several when it hedges."""
    if isinstance(value, list):
        return {label for one in value for label in _labels(one, labels)}
    if isinstance(value, bool) or not isinstance(value, str | int):
        return set()
    text = str(value).strip()
    named = {
        label
        for label in labels
        if re.search(
            rf"(?<![\w']){re.escape(label)}(?![\w'])", text, 0 if len(text) > 3 + len(label) else re.IGNORECASE
        )
    }
    leads = {
        label
        for label in labels
        if re.match(
            rf"(?:option|choice|answer)?\s*[(\[\"']*{re.escape(label)}(?:\s*[)\].:,-]|\s*[\"']*$)", text, re.IGNORECASE
        )
        or re.fullmatch(rf"(?:option|choice|answer)\s+{re.escape(label)}\b.*", text, re.IGNORECASE)
    }
    return named if len(named) > 1 and _hedges(text) else leads


def _hedges(text: str) -> bool:
    return bool(re.search(r"\b(?:or|and|both|either|neither|nor)\b|[/&]", text, re.IGNORECASE))


def _bare(text: str, labels: Sequence[str]) -> Parsed | None:
    """The whole reply is a label, as a model answers that ignores the form."""
    for label in labels:
        if re.fullmatch(
            rf"(?:answer\s*[:=-]\s*)?[(\[\"']*(?:option\s+)?{re.escape(label)}[)\]\"'.]*", text, re.IGNORECASE
        ):
            return Parsed(status="ok", label=label, rule="bare")
    return None


def _refused(found: list[Found]) -> bool:
    return any(isinstance(one.value, str) and refuses(one.value) for one in found)


def _nothing(text: str) -> Parsed:
    return Parsed(status="refusal", rule="refusal") if refuses(text) else Parsed(status="unparsed", rule="none")


def values_named(raw: str, names: Sequence[str], *, key: str = "Value") -> tuple[str, ...]:
    """Return which of a list of names a field of a JSON reply gives, in the order of the list.

    Examples
    --------
    >>> values_named('{"Answer": "A", "Value": "Benevolence, security"}', ("Security", "Benevolence", "Power"))
    ('Security', 'Benevolence')
    """
    texts = [str(found.value).casefold() for found in values_of(clean(raw).text, key)]
    return tuple(
        name for name in names if any(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text) for text in texts)
    )
