"""Scores that judges give, one a key of a JSON reply, on a closed scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from socialstats_collect.parse.clean import clean
from socialstats_collect.parse.objects import Found, values_of
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import LONGEST, Parsed

NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\d)[-+])?\d+(?:\.\d+)?(?![\w%]|[.,]\d)")
INNER = ("score", "value", "rating")


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
    text = clean(raw)
    if not text.text.strip():
        return {key: Parsed(status="empty", rule="empty") for key in keys}
    if len(text.text) > LONGEST:
        return {key: Parsed(status="unparsed", rule="too_long") for key in keys}
    return {key: _score(text.text, values_of(text.text, key), low, high) for key in keys}


def _score(text: str, found: list[Found], low: float, high: float) -> Parsed:
    if not found:
        refused = refuses(text) and "{" not in text
        return Parsed(status="refusal" if refused else "unparsed", rule="refusal" if refused else "missing_key")
    read = {_number(one.value, high) for one in found}
    if len(read) > 1:
        return Parsed(status="ambiguous", rule="several", conflict=True)
    number = read.pop()
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
        inner = {name.casefold(): one for name, one in value.items()}
        return next((_number(inner[name], high) for name in INNER if name in inner), None)
    if isinstance(value, list) and len(value) == 1:
        return _number(value[0], high)
    return _written(value, high) if isinstance(value, str) else None


def _written(text: str, high: float) -> float | None:
    """One number; or one number beside the scale's maximum, said as such."""
    most = f"{high:g}"
    rest = re.sub(rf"(?:/|\bout of|\bof)\s*{re.escape(most)}(?![\d.])", " ", text, flags=re.IGNORECASE)
    numbers = NUMBER.findall(rest)
    digits = re.findall(r"\d+(?:\.\d+)?", rest)
    return float(numbers[0]) if len(numbers) == len(digits) == 1 else None
