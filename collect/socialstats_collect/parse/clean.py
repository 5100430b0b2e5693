"""A reply made readable: plain characters, no markup, and every place still known in the raw text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.IGNORECASE | re.DOTALL)
MARKUP = set("*`")
DASHES = dict.fromkeys("‐‑‒–—―−﹣－", "-")
QUOTES = {"“": '"', "”": '"', "‘": "'", "’": "'", "＂": '"'}
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


@dataclass(frozen=True, slots=True)
class Clean:
    """Cleaned text; ``origin[i]`` is the place of its character ``i`` in the raw reply."""

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the raw place of a stretch of the cleaned text.

        Examples
        --------
        >>> clean("**B**").span(0, 1)
        (2, 3)
        """
        if not 0 <= start < end <= len(self.origin):
            return None
        return self.origin[start], self.origin[end - 1] + 1


def clean(raw: str) -> Clean:
    """Return a reply with NFKC characters, plain dashes and quotes, without thinking blocks and emphasis marks.

    Examples
    --------
    >>> clean("<think>A?</think>**Ｂ** – yes").text
    'B - yes'
    """
    hidden = [False] * len(raw)
    for block in THINKING.finditer(raw):
        hidden[block.start() : block.end()] = [True] * (block.end() - block.start())
    letters: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(raw):
        if hidden[place] or character in MARKUP or unicodedata.category(character) in INVISIBLE:
            continue
        for piece in _plain(character):
            letters.append(piece)
            origin.append(place)
    return Clean("".join(letters), tuple(origin))


def _plain(character: str) -> str:
    if character < "\x80":
        return character
    plain = unicodedata.normalize("NFKC", character)
    return "".join(DASHES.get(piece, QUOTES.get(piece, piece)) for piece in plain)
