"""Answers in JSON fields: a letter, one of a few actions, or scores on a closed scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from socialstats.designs.vocabulary import ACTIONS
from socialstats_collect.parse.cues import (
    AFTER,
    BEFORE,
    OPENING,
    Names,
    alone,
    corrected,
    leading,
    lettered,
    name_places,
    named,
    pattern_of,
    stated,
)
from socialstats_collect.parse.text import (
    AMBIGUOUS,
    REFUSED,
    Clean,
    FieldValue,
    Parsed,
    Place,
    Rule,
    clean,
    in_fields,
    read_by,
    readable,
    refuses,
    values_of,
)


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
    names = lettered(labels)

    def rules(text: Clean) -> Iterator[Rule]:
        values = values_of(text.text, key)
        yield in_fields(values, lambda value: _labels(value, names))
        if not values:
            begun = leading(text.text, names)
            bracketed = name_places(text.text, r"[(\[]", names, r"[)\]]")
            yield "bare", alone(text.text, names)
            yield "stated", stated(text.text, names)
            yield "bare", [*begun, *bracketed] if begun else ()

    return read_by(raw, rules, lambda text: corrected(text, names))


ANSWER_FIELDS = ("choice", "option", "label", "letter", "answer", "value")
HEDGE = re.compile(r"\b(?:or|and|both|either|neither|nor)\b|[/&?]|\w\s*,\s*\w\s*$", re.IGNORECASE)
NOT_CHOSEN = re.compile(
    r",?\s*\b(?:not|over|rather than|instead of)\s+(?:option\s+)?[(\"']*\w[)\"']*\s*$",
    re.IGNORECASE,
)


def _labels(value: object, names: Names) -> set[str]:
    """Return the labels a value names: one when it is set off at its beginning or announced, several when it hedges."""
    if isinstance(value, list):
        return {label for part in value for label in _labels(part, names)}
    if isinstance(value, dict):
        return _labels(inner(value, ANSWER_FIELDS), names)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return set()
    text = NOT_CHOSEN.sub("", str(value).strip(" \\"))
    spelled = {label for label, pattern in names if re.search(rf"{BEFORE}{pattern}{AFTER}", text)}
    hedge = len(spelled) > 1 and HEDGE.search(text)
    if hedge and not alone(text, names):
        return spelled
    places = alone(text, names) or leading(text, names) or stated(text, names)
    return {label for label, _ in places}


def inner(value: dict[str, object], names: Sequence[str]) -> object:
    """Return the first of some members of an object, in any letter case."""
    members = {name.strip().casefold(): member for name, member in value.items()}
    return next((members[name] for name in names if name in members), None)


def values_named(raw: str, names: Sequence[str], *, key: str = "Value") -> tuple[str, ...]:
    """Return which of a list of names a field of a JSON reply gives, in the order of the list.

    Examples
    --------
    >>> values_named('{"Answer": "A", "Value": "Benevolence, security"}', ("Security", "Benevolence", "Power"))
    ('Security', 'Benevolence')
    """
    texts = [str(value.value).casefold() for value in values_of(clean(raw).text, key)]
    return tuple(
        name
        for name in names
        if any(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text) for text in texts)
    )


NOUNS: Mapping[str, tuple[str, ...]] = {
    "comply": ("compliance",),
    "deviate": ("deviation", "違反"),
    "escalate": ("escalation",),
}
"""Spellings that count as the value of a field only: ``the compliance department`` chooses nothing."""
CONTRAST = r"\b(?:rather than|instead of)\s+(?:to\s+)?|,\s+not\s+|\(\s*not\s+"
DENIED = (
    r"(?:\b(?:not|never|cannot|without|avoid\w*|refus\w+|declin\w+|hesitat\w+|unable|fail\w*|neither|nor|non|against"
    r"|no longer|no (?:need|reason|point|cause))\b|n't\b)[-\s]+(?:(?:to|be|the|in|of|\w{1,20}ly)\s+){0,4}"
)
DENIED_AFTER = re.compile(
    r"(?:せず|しない|しません|(?:す|する)べきでは|ではな|できない|できません|するつもりは|は(?:しない|でき))"
)
ENDED = r"[\s\"')\]]*(?:[.:;!\n]|\s-\s)"


def parse_action(
    raw: str, *, key: str = "action", actions: Mapping[str, Sequence[str]] = ACTIONS
) -> Parsed:
    """Return the one action a reply names: under a key of its JSON where there is one, else anywhere.

    Two actions, or an action that is only denied, are no answer.

    Examples
    --------
    >>> parse_action("「遵守」").label, parse_action("comply or escalate").status
    ('comply', 'ambiguous')
    >>> parse_action('{"action": "Deviate", "explanation": "I will not comply."}').label
    'deviate'
    """
    more = {name: (*spellings, *NOUNS.get(name, ())) for name, spellings in actions.items()}

    def rules(text: Clean) -> Iterator[Rule]:
        values = values_of(text.text, key)
        yield in_fields(values, lambda value: _named(str(value), more))
        if not values:
            spots = _named(text.text, actions)
            yield "first_line", _first_action(text.text, actions) if len(spots) > 1 else ()
            yield "named", spots.items()

    return read_by(raw, rules, lambda text: corrected(text, _spelled(actions)))


def _first_action(text: str, actions: Mapping[str, Sequence[str]]) -> list[Place]:
    """Return the action with which a reply begins, set off from the rest, where no later line begins with another."""
    names = _spelled(actions)
    begun = name_places(text, f"(?m:^){OPENING}", names, ENDED)
    return begun if len(dict(begun)) == 1 and "\n" not in text[: begun[0][1][0]] else []


def _spelled(actions: Mapping[str, Sequence[str]]) -> Names:
    edged = {
        name: [rf"\b{re.escape(word)}\b" if word.isascii() else word for word in actions[name]]
        for name in actions
    }
    return tuple((name, f"(?i:{'|'.join(spellings)})") for name, spellings in edged.items())


def _named(text: str, actions: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Return the actions a text names with their first places; a denied one makes the text name two.

    ``逸脱せず遵守`` names both, on purpose: which one is meant is not ours to guess.
    """
    before = f"(?i)(?:(?P<contrast>{CONTRAST})|(?P<denied>{DENIED}))?"
    names = _spelled(actions)
    places: dict[str, tuple[int, int]] = {}
    for match in pattern_of(before, names, "").finditer(text):
        for label, place in named(match, names) if not match["contrast"] else ():
            denied = match["denied"] or DENIED_AFTER.match(text, match.end())
            places.setdefault(f"not {label}" if denied else label, place)
    return places if any(not name.startswith("not ") for name in places) else {}


NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\d)[-+])?\d+(?:\.\d+)?(?![\w%]|[.,]\d)")
SCORE_FIELDS = ("score", "value", "rating")


def parse_scores(raw: str, keys: Sequence[str], *, low: float, high: float) -> dict[str, Parsed]:
    """Return the score a reply gives each key; a number outside the scale is missing and flagged, never clamped.

    A score is a number, or a text with one number, or with one number and the scale's maximum (``15/20``; ``out of
    20, I give 7``). Truth values and texts with two candidates are not scores.

    Examples
    --------
    >>> read = parse_scores('{"empathy": "15/20", "risk": 150}', ("empathy", "risk", "order"), low=0, high=20)
    >>> read["empathy"].label, read["risk"].status, read["order"].status
    ('15', 'out_of_range', 'unparsed')
    """
    text = readable(raw)
    if isinstance(text, Parsed):
        return dict.fromkeys(keys, text)
    return {
        key: _score(text.text, values_of(text.text, clean(key).text), low, high) for key in keys
    }


def _score(text: str, values: list[FieldValue], low: float, high: float) -> Parsed:
    if not values:
        refused = refuses(text) and "{" not in text
        return REFUSED if refused else Parsed(status="unparsed", rule="missing_key")
    numbers = {_number(value.value, high) for value in values}
    if len(numbers) > 1:
        return AMBIGUOUS
    number = numbers.pop()
    if number is None:
        return Parsed(status="unparsed", rule="not_a_number")
    if not low <= number <= high:
        return Parsed(status="out_of_range", rule="number")
    return Parsed(status="ok", label=f"{number + 0.0:g}", rule="number")


def _number(value: object, high: float) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return _number(inner(value, SCORE_FIELDS), high)
    if isinstance(value, list) and len(value) == 1:
        return _number(value[0], high)
    return _written(value, high) if isinstance(value, str) else None


def _written(text: str, high: float) -> float | None:
    """Return one number; or one number beside the scale's maximum, said as such."""
    most = f"{high:g}"
    bare = re.sub(
        rf"(?:/|\bout of|\bof)\s*{re.escape(most)}(?![\d.])", " ", text, flags=re.IGNORECASE
    )
    numbers = NUMBER.findall(bare)
    digits = re.findall(r"\d+(?:\.\d+)?", bare)
    return float(numbers[0]) if len(numbers) == len(digits) == 1 else None
