"""Where a reply names an option: by its letter, by its text, or by its description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

NUMBER = r"((?<!\d)\d{1,9}(?:\.\d{1,9})?)"
MORE = r"(?:>|≥|>=|more than|over|above|greater than|at least|upwards? of|exceed(?:s|ing)?)"
LESS = r"(?:<|≤|<=|less than|under|below|fewer than|at most|lower than)"
BETWEEN = r"(?:-|~|to|and|through|or)"
PERCENT = r"\s*(?:%|percent|per cent)"
DENYING = (
    r"not|never|nor|isn't|aren't|wasn't|n't|without|unlikely|instead of|rather than|than|neither|exclud\w+|short of"
)
FILLING = (
    "quite|necessarily|really|the|a|an|in|to|be|by|placing|reach|reaching|it|at|of|option|options|answer|as|likely|that"
    "|category"
)
DENIED = re.compile(rf"(?:\b(?:{DENYING})\b(?:\s+(?:{FILLING})\b)*[\s'\"(]*)$", re.IGNORECASE)
PART_OF_MORE = r"(?<![\d.<>-])(?<!%-)(?<!% to )(?<!than )(?<!over )(?<!under )(?<!below )(?<!above )"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a closed question: its letter, its text as shown, and descriptions that may stand for it.

    Examples
    --------
    >>> Option(letter="E", text=">90%", descriptions=("universally accepted",)).letter
    'E'
    """

    letter: str
    text: str
    descriptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """One place where an option is named. ``kind`` is ``letter``, ``text`` or ``description``."""

    start: int
    end: int
    label: str
    kind: str


def mentions(text: str, options: tuple[Option, ...], start: int = 0, end: int | None = None) -> list[Mention]:
    """Return the options named in a stretch of cleaned text, in order of place; denied ones are left out.

    Examples
    --------
    >>> options = (Option(letter="D", text="75%-90%"), Option(letter="E", text=">90%"))
    >>> [(m.label, m.kind) for m in mentions("likely 75 to 90%, not >90%", options)]
    [('D', 'text')]
    """
    stop = len(text) if end is None else end
    found = []
    taken: list[tuple[int, int]] = []
    for kind, pattern, label in _patterns(options):
        for match in pattern.finditer(text, start, stop):
            place = match.span()
            if any(place[0] < b and a < place[1] for a, b in taken):
                continue
            taken.append(place)
            if label and not DENIED.search(text[max(start, place[0] - 60) : place[0]]):
                found.append(Mention(*place, label or match[0], kind))
    return sorted(found)


@lru_cache(maxsize=64)
def _patterns(options: tuple[Option, ...]) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """One pattern a way of naming an option, the most telling first; those with an empty label only cover text."""
    texts = sorted(options, key=lambda option: -len(option.text))
    wanted = [("text", text_pattern(option.text), option.letter) for option in texts]
    covered = [("cover", _other_percentage(), "")]
    described = [
        ("description", _verbatim(words), option.letter)
        for option in options
        for words in sorted(option.descriptions, key=len, reverse=True)
    ]
    lettered = [("letter", _lettered(option.letter), option.letter) for option in options]
    return tuple(
        (kind, re.compile(pattern, re.IGNORECASE if kind != "letter" else 0), label)
        for kind, pattern, label in [*wanted, *covered, *described, *lettered]
    )


def text_pattern(text: str) -> str:
    """Return a pattern for an option's text: percentages and ranges in their spellings, anything else word for word.

    Examples
    --------
    >>> bool(re.fullmatch(text_pattern("75%-90%"), "75 to 90 %")), bool(re.fullmatch(text_pattern(">90%"), "over 90%"))
    (True, True)
    """
    plain = text.replace(" ", "")
    if match := re.fullmatch(rf"{NUMBER}%?-{NUMBER}%", plain):
        low, high = (re.escape(side) for side in match.groups())
        return rf"(?<![\d.]){low}\s*%?\s*{BETWEEN}\s*{high}{PERCENT}"
    if match := re.fullmatch(rf"([<>]){NUMBER}%", plain):
        words = MORE if match[1] == ">" else LESS
        return rf"{words}\s*{re.escape(match[2])}{PERCENT}"
    if match := re.fullmatch(rf"{NUMBER}%", plain):
        return rf"{PART_OF_MORE}{match[1]}{PERCENT}(?!\s*{BETWEEN}\s*\d)"
    return _verbatim(text)


def _other_percentage() -> str:
    """Any other statement of a percentage or a range: it names no option, and hides the numbers inside it."""
    return rf"(?:{MORE}|{LESS})?\s*{NUMBER}\s*%?\s*(?:{BETWEEN}\s*{NUMBER}\s*)?%"


def _verbatim(words: str) -> str:
    spaced = r"\s+".join(re.escape(word) for word in words.split())
    return rf"(?<!\w){spaced}(?!\w)"


def _lettered(letter: str) -> str:
    return (
        rf"(?<![\w'])(?:[Oo]ption|OPTION|[Cc]ategory|[Cc]hoice|[Aa]nswer)s?:?\s+[(\[\"']*{letter}(?![\w'])"
        rf"|[(\[]{letter}[)\]]"
        rf"|(?<![\w'&.-]){letter}(?=\)|\]|:\s|\.\s{'+' if letter.isdigit() else '*'}[<>\d])"
    )
