"""The probability of each answer, from the log-probabilities that an endpoint returns beside a reply's tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MARKS = " \t\n\r\"'`*_#([{<>)]}.,:;!?"
"""What may stand around a label in its token: one byte each."""

ROUNDED = 0.01
"""How far a sum of probabilities may exceed 1: some servers compute them with two digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceProbabilities:
    """Probabilities of the labels at the token that carries the answer.

    Parameters
    ----------
    p
        The probability of each label, over its listed spellings; None where none of them is listed. Empty with a
        reason.
    rest
        One less the sum of ``p``: other answers, and what is not listed. None with a reason.
    unlisted
        One less the sum over all listed tokens: the most that any label can have beyond its ``p``.
    bound
        The most that one token which is not listed can have: the smallest probability among the likeliest tokens, or
        ``unlisted`` where that is less.
    reason
        Why nothing is known: ``none_given``, ``malformed``, ``tokens_differ`` (from the reply's text),
        ``no_answer_token``, ``shared_first_token`` (a listed token begins two labels).
    """

    p: Mapping[str, float | None] = field(default_factory=dict)
    rest: float | None = None
    unlisted: float | None = None
    bound: float | None = None
    reason: str | None = None


def choice_probabilities(
    logprobs: Mapping[str, Any] | None,
    text: str,
    labels: Sequence[str],
    place: tuple[int, int] | None = None,
    *,
    any_case: bool = False,
) -> ChoiceProbabilities:
    """Return the probability of each label where a reply gives its answer, given all that the reply said before.

    All spellings of a label count, also with blanks or marks around it (``A``, `` A``, ``(A``, ``A.``), and tokens that
    begin this label alone (``com`` for comply).

    Parameters
    ----------
    logprobs
        ``choices[0].logprobs``: ``{"content": [{"token": str, "logprob": float, "bytes": [int], "top_logprobs":
        [{"token": str, "logprob": float, "bytes": [int]}]}]}``, natural logarithms.
    text
        The reply, as it came.
    labels
        The labels, in order.
    place
        Where the parser found its answer in the reply, in characters (`Parsed.span`); by default anywhere. The answer
        token is the first one there that begins a label which the reply then spells in full.
    any_case
        Whether ``a`` counts as ``A``: True only where the parser takes it so.

    Examples
    --------
    >>> top = [{"token": "A", "logprob": -0.105361}, {"token": " B", "logprob": -2.995732}]
    >>> read = choice_probabilities({"content": [{**top[0], "top_logprobs": top}]}, "A", ("A", "B", "C"))
    >>> round(read.p["A"], 3), round(read.p["B"], 3), read.p["C"], round(read.bound, 3), round(read.rest, 3)
    (0.9, 0.05, None, 0.05, 0.05)
    """
    content = (logprobs or {}).get("content")
    if not content:
        return ChoiceProbabilities(reason="none_given")
    try:
        tokens = [_bytes(token) for token in content]
        offset = b"".join(tokens).rfind(_encoded(text))
        if offset < 0:
            return ChoiceProbabilities(reason="tokens_differ")
        place = place or (0, len(text))
        number = _answer_token(tokens, text, offset, labels, place, any_case)
        if number is None:
            return ChoiceProbabilities(reason="no_answer_token")
        chosen = content[number]
        likeliest = {
            _bytes(likely): math.exp(likely["logprob"])
            for likely in chosen.get("top_logprobs") or ()
        }
        listed = likeliest | {tokens[number]: math.exp(chosen["logprob"])}
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return ChoiceProbabilities(reason="malformed")
    if not math.fsum(listed.values()) <= 1.0 + ROUNDED:
        return ChoiceProbabilities(reason="malformed")
    sums: dict[str, float | None] = dict.fromkeys(labels)
    for token, probability in listed.items():
        if probability == 0.0:  # OpenAI gives -9999 for a token that is not among those it lists
            continue
        begun = _labels_begun(token.decode("utf-8", "replace"), labels, any_case)
        if len(begun) > 1:
            return ChoiceProbabilities(reason="shared_first_token")
        for label in begun:
            sums[label] = (sums[label] or 0.0) + probability
    rest = max(0.0, 1.0 - math.fsum(p for p in sums.values() if p is not None))
    unlisted = max(0.0, 1.0 - math.fsum(listed.values()))
    bound = min([unlisted, *(p for p in likeliest.values() if p > 0.0)])
    return ChoiceProbabilities(p=sums, rest=rest, unlisted=unlisted, bound=bound)


def _bytes(token: Mapping[str, Sequence[int] | str]) -> bytes:
    """Return a token as bytes: half a character is no text."""
    numbers = token.get("bytes")
    if numbers and not isinstance(numbers, str):
        return bytes(numbers)
    return _encoded(str(token["token"]))


def _encoded(text: str) -> bytes:
    """Return a text in UTF-8; half a character has a place of its own."""
    return text.encode("utf-8", "surrogatepass")


def _labels_begun(token: str, labels: Sequence[str], any_case: bool) -> list[str]:
    """Return the labels that a token spells, or begins where nothing but the rest of the word can follow."""
    fold = str.casefold if any_case else str
    left = fold(token.lstrip(MARKS))
    word = left.rstrip(MARKS)
    if not word:
        return []
    if left != word:
        return [label for label in labels if fold(label) == word]
    return [label for label in labels if fold(label).startswith(word)]


def _answer_token(
    tokens: Sequence[bytes],
    text: str,
    offset: int,
    labels: Sequence[str],
    place: tuple[int, int],
    any_case: bool,
) -> int | None:
    """Return the number of the first token in a place of the text that begins a label, a word of its own there."""
    fold = str.casefold if any_case else str
    low, high = (len(_encoded(text[:end])) for end in place)
    after = -offset
    for number, token in enumerate(tokens):
        word = token.decode("utf-8", "replace")
        begins = after + len(word) - len(word.lstrip(MARKS))
        after += len(token)
        for label in _labels_begun(word, labels, any_case) if low <= begins < high else ():
            following = _encoded(text)[begins:].decode("utf-8", "replace")
            end = len(label)
            same = fold(following[:end]) == fold(label)
            if same and not following[end : end + 1].isalnum():
                return number
    return None
