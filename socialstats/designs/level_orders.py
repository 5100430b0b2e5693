"""Orders of levels that everybody knows: letters, words of a scale, degrees of two opposites."""

from __future__ import annotations

import re
from typing import Literal

from socialstats.designs.aliases import Levels, Texts
from socialstats.designs.vocabulary import AGAINST, DEGREES, LEVEL_ORDERS, MIDDLE, NOT

CODE = re.compile(r"AO?\d\d?")
# before the word of a scale of one pole
NONE = "not at all "


Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: Levels = ("nominal", "ordinal", "interval", "ratio")


def conventional_order(levels: Texts) -> list[str]:
    """Return levels in an order that everybody knows; an empty list where there is none.

    Examples
    --------
    >>> conventional_order(["High", "Low"]), conventional_order(["C", "A", "B"]), conventional_order(["red", "blue"])
    (['Low', 'High'], ['A', 'B', 'C'], [])
    """
    if len(levels) > 2 and all(
        len(label) == 1 and label.isascii() and label.isalpha() for label in levels
    ):
        return sorted(levels)
    numbered = {label: CODE.fullmatch(label) for label in levels}
    # answer codes of LimeSurvey
    if len(levels) > 3 and all(numbered.values()):
        return sorted(levels)
    for order in LEVEL_ORDERS:
        if all(label.strip().casefold() in order for label in levels):
            return sorted(levels, key=lambda label: order.index(label.strip().casefold()))
    if steps := of_one_pole(levels):
        return steps
    placed = {label: place(label, levels) for label in levels}
    positions = [at for at in placed.values() if at is not None]
    graded = any(abs(at) not in (0, DEGREES[""]) for at in positions)
    distinct = len({*positions}) == len(positions) == len(levels) > 2
    two_sided = graded and distinct and min(positions) < 0 < max(positions)
    return sorted(levels, key=lambda label: placed[label] or 0) if two_sided else []


def of_one_pole(levels: Texts) -> list[str]:
    """Return levels of one word from none of it to all of it; an empty list where they are no such scale.

    Examples
    --------
    >>> of_one_pole(["Very fair", "Not at all fair", "Slightly fair"])
    ['Not at all fair', 'Slightly fair', 'Very fair']
    """
    texts = {label: " ".join(label.casefold().split()) for label in levels}
    none = [label for label, text in texts.items() if text.startswith(NONE)]
    steps = {label: degree_of(text) for label, text in texts.items() if label not in none}
    words = {texts[label].removeprefix(NONE).strip() for label in none} | {
        word for _, word in steps.values()
    }
    degrees = [degree for degree, _ in steps.values()]
    if len(none) != 1 or len(levels) < 3 or len(words) != 1 or len({*degrees}) < len(degrees):
        return []
    return [*none, *sorted(steps, key=lambda label: steps[label][0])]


def place(label: str, levels: Texts) -> int | None:
    """Return where a level stands on a scale of two poles, such as (very) acceptable and unacceptable; None if not so.

    Examples
    --------
    >>> levels = ["Very unfair", "Unfair", "Neutral", "Fair"]
    >>> [place(level, levels) for level in levels]
    [-4, -3, 0, 3]
    """
    text = " ".join(label.casefold().split())
    degree, word = degree_of(text)
    words = {degree_of(" ".join(level.casefold().split()))[1] for level in levels}
    if text in MIDDLE or text.startswith("neither "):
        return 0
    if any(f"{no}{word}" in words for no in NOT) or word in dict(AGAINST).values():
        return degree
    negated = any(word.removeprefix(no) in words for no in NOT if word.startswith(no))
    return -degree if negated or word in dict(AGAINST) else None


def degree_of(text: str) -> tuple[int, str]:
    """Split a level into how strongly it is meant, and its word."""
    degree = max((d for d in DEGREES if text.startswith(f"{d} ")), key=len, default="")
    return DEGREES[degree], text.removeprefix(degree).strip()
