"""A reply made readable: plain characters, no markup, and every place still known in the raw text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

THINKING = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE)
FINAL = "<|channel|>final<|message|>"
EDITS = re.compile(
    r"(?P<open><(?:final_?)?answer>)|(?P<close></(?:final_?)?answer>)"
    r"|(?:\${1,2}|\\\(|\\\[)?[ ]?\\boxed[ ]?\{[ ]?(?:\\(?:text|textbf|mathrm|mathbf)[ ]?\{)?"
    r"(?P<boxed>[^{}\n]{1,200})\}{1,2}"
    r"(?:[ ]?(?:\${1,2}|\\\)|\\\]))?"
    r"|(?P<struck>~~[^~\n]{1,200}~~)|(?P<token><\|[a-z_]{1,40}\|>)",
    re.IGNORECASE,
)
SAID = {"open": "\nAnswer: ", "close": "\n", "struck": "", "token": ""}
DROPPED = re.compile(r"[*`]+")
DASHES = dict.fromkeys("‐‑‒–—―−﹣－", "-")
QUOTES = {"“": '"', "”": '"', "‘": "'", "’": "'", "＂": '"', "„": '"', "‚": "'", "«": '"', "»": '"'}
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


@dataclass(frozen=True, slots=True)
class Clean:
    """Cleaned text; ``origin[i]`` is the place of its character ``i`` in the raw reply."""

    text: str
    origin: list[int]

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

    Answer tags and LaTeX boxes become plain words; what is struck through is gone. A thinking block that is never
    closed hides the rest; a closing tag without an opening one hides what is before it.

    Examples
    --------
    >>> clean("<think>A?</think>**Ｂ** – yes").text, clean(r"It is $\\boxed{\\text{D}}$").text
    ('B - yes', 'It is D')
    """
    letters: list[str] = []
    origin: list[int] = []
    for start, end in _seen(raw):
        place = start
        for edit in EDITS.finditer(raw, start, end):
            _keep(raw, place, edit.start(), letters, origin)
            if edit.lastgroup == "boxed":
                _keep(raw, *edit.span("boxed"), letters, origin)
            else:
                said = SAID[str(edit.lastgroup)]
                letters.append(said)
                origin.extend([edit.start()] * len(said))
            place = edit.end()
        _keep(raw, place, end, letters, origin)
    return Clean("".join(letters), origin)


def _seen(raw: str) -> Iterator[tuple[int, int]]:
    """The stretches of a reply outside its thinking."""
    start = raw.rfind(FINAL) + len(FINAL) if FINAL in raw else 0
    shown: list[tuple[int, int]] = []
    inside = False
    for tag in THINKING.finditer(raw, start):
        if tag.lastindex and tag[tag.lastindex]:  # a closing tag; without an opening one it hides what is before it
            shown, start, inside = shown if inside else [], tag.end(), False
        elif not inside:
            shown.append((start, tag.start()))
            inside = True
    return iter(shown if inside else [*shown, (start, len(raw))])


def _keep(raw: str, start: int, end: int, letters: list[str], origin: list[int]) -> None:
    """Take over a stretch, character by character where it is not plain ASCII."""
    place = start
    for mark in [*DROPPED.finditer(raw, start, end), None]:
        stop = mark.start() if mark else end
        piece = raw[place:stop]
        if piece.isascii():
            letters.append(piece)
            origin.extend(range(place, stop))
        else:
            for offset, character in enumerate(piece, place):
                plain = _plain(character)
                letters.append(plain)
                origin.extend([offset] * len(plain))
        place = mark.end() if mark else end


def _plain(character: str) -> str:
    if character < "\x80":
        return character
    if unicodedata.category(character) in INVISIBLE:
        return ""
    plain = unicodedata.normalize("NFKC", character)
    return "".join(DASHES.get(piece, QUOTES.get(piece, piece)) for piece in plain)
