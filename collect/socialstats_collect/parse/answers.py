"""A choice between two lettered options, given as JSON with Answer, Reason and Value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from socialstats_collect.parse.clean import clean
from socialstats_collect.parse.cues import AFTER, BEFORE, alone, leading, stated
from socialstats_collect.parse.objects import Found, values_of
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import LONGEST, Parsed


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
    if len(text.text) > LONGEST:
        return Parsed(status="unparsed", rule="too_long")
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


INNER = ("choice", "option", "label", "letter", "answer", "value")
CONTRAST = re.compile(r",?\s*\b(?:not|over|rather than|instead of)\s+(?:option\s+)?[(\"']*\w[)\"']*\s*$", re.IGNORECASE)


def _labels(value: object, labels: Sequence[str]) -> set[str]:
    """The labels a value names: one when it is set off at its beginning or announced, several when it hedges."""
    if isinstance(value, list):
        return {label for one in value for label in _labels(one, labels)}
    if isinstance(value, dict):
        inner = {name.strip().casefold(): one for name, one in value.items()}
        return next((_labels(inner[name], labels) for name in INNER if name in inner), set())
    if isinstance(value, bool) or not isinstance(value, str | int):
        return set()
    text = CONTRAST.sub("", str(value).strip(" \\"))
    if one := alone(text, labels):
        return {one}
    named = {label for label in labels if re.search(rf"{BEFORE}{re.escape(label)}{AFTER}", text)}
    if len(named) > 1 and _hedges(text):
        return named
    return {label for label, _ in leading(text, labels)} or {label for label, _ in stated(text, labels)}


def _hedges(text: str) -> bool:
    return bool(re.search(r"\b(?:or|and|both|either|neither|nor)\b|[/&?]|\w\s*,\s*\w\s*$", text, re.IGNORECASE))


def _bare(text: str, labels: Sequence[str]) -> Parsed | None:
    """No field of that name: the reply is a label, announces one, or begins with one."""
    if one := alone(text, labels):
        return Parsed(status="ok", label=one, rule="bare")
    for rule, found in (("stated", stated(text, labels)), ("bare", leading(text, labels))):
        several = {label for label, _ in found}
        if rule == "bare" and several:
            several |= set(re.findall(rf"[(\[]({'|'.join(map(re.escape, labels))})[)\]]", text))
        if len(several) > 1:
            return Parsed(status="ambiguous", rule="several", conflict=True)
        if several:
            return Parsed(status="ok", label=several.pop(), rule=rule)
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
