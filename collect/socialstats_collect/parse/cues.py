"""How replies announce an answer, in a few languages, and what sets an option's letter off from the words after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Place = tuple[str, tuple[int, int]]
"""A label and where it stands."""

Names = tuple[tuple[str, str], ...]
"""Labels, each with a pattern of how it is written; the pattern says where letter case does not matter."""

WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that put no spaces between words
BEFORE = rf"(?<![^\W{WIDE}])(?<![\w]')"  # no word begins before; an option may follow such a script at once
AFTER = rf"(?![^\W{WIDE}])(?!'\w)"
_NOUN = (
    "answer|response|reply|choice|option|pick|selection|estimate|verdict|vote|decision|rating|conclusion|winner"
    "|réponse|choix|antwort|wahl|respuesta|elección|resposta|risposta|scelta|ответ"
    "|答案|回答|答え|正解|选择|選擇|選択|정답|답"
)
_LINK = (
    "is|would be|should be|will be|must be|goes to|est|serait|ist|lautet|wäre|es|sería|è|sarebbe|é|是|为|為|は"
    "|[:=→>)\\]]|-+>?"
)
_FILLING = (
    "indeed|clearly|definitely|likely|probably|therefore|option|answer|number|letter|category|choice|person|that|the"
    "|l'option|la|die|der|opción|opzione|opção|选项|選項|[:#]"
)
_ADVERB = "(?:still |probably |therefore |definitely |rather |have to |likely |thus |then |also |just ){0,3}"
_SAYING = (
    rf"\b(?=[ijyesdв])(?:i(?:'d|'ll| would| will)? {_ADVERB}(?:choose|select|pick|say|answer|go with|go for|vote for"
    r"|estimate|guess|opt for|lean towards?|side with|agree with|rate it)(?: that)?"
    r"|i(?:'m| am) (?:with|going with|inclined to say|leaning towards?)"
    r"|i (?:think|believe)(?: that)?(?: it(?:'s| is))?|you (?:choose|select|pick)"
    r"|je (?:dirais|choisis|choisirais|pense)(?: que)?|ich (?:würde|wähle|sage|nehme|denke|entscheide mich für)"
    r"|elijo|escojo|diría|scelgo|direi|выбираю)|(?:^|[.!?,;:\n]\s*)it(?:'s| is)"
    r"|我(?:会|會)?(?:选择|選擇|选|選|认为(?:是)?)|[选選]|私は"
)
_ANY_NOUN = f"(?=[{''.join(word[0] for word in _NOUN.split('|'))}])(?:{_NOUN})"
CUE = (
    rf"(?i:(?:(?:(?<![^\W{WIDE}]){_ANY_NOUN}\s*[\"'\])]?\s*(?:{_LINK})|{_SAYING}|(?:^|\s)A:"
    rf"|\b(?=[ths])(?:therefore|hence|thus|so)\s*[,:])"
    rf"(?:\s*(?:{_FILLING})(?!\w)){{0,6}}"
    r"|(?:^|[\n.!?])\s*(?:option|letter|choice|number|no\.|#|person|select|pick|choose))"
    r"[\s\"'(\[【「（:-]{0,9})"
)
_REASON = "because|since|as|for|over|rather|instead|due|given|is|would|sagen|wählen"
SET_OFF = (
    rf"(?=\s*(?:[)\]】」）:;!?。．、(]|[\"'](?!\s*\w)|\.(?!\d)|$|\n|\s-|--|[{WIDE}]|(?:{_REASON})\b|,(?!\s*\w(?!\w))))"
)
_JOIN = r"(?:or|and|to|vs|oder|und|ou|et|maybe|perhaps|possibly|probably|或|和|か|と|[/&|,+~?]|-)"
_OPENING = (
    r"(?i:[\s>\"'(\[#_|→=【「（-]{0,9}(?:(?:sure|ok|okay|certainly|of course|definitely|probably|clearly|yes|hmm)"
    r"\s*[,.!:]*\s+)?(?:(?:option|letter|choice|number|no\.|#)\s*)?[\"'(\[]{0,3})"
)


def lettered(letters: Sequence[str]) -> Names:
    """Return names that are single letters, or other words, as they stand."""
    return tuple((letter, re.escape(letter)) for letter in letters)


@lru_cache(maxsize=64)
def _any(before: str, names: Names, after: str) -> re.Pattern[str]:
    """One of the names after a pattern; group n of the match is the n-th name."""
    return re.compile(f"{before}(?:{'|'.join(f'({pattern})' for _, pattern in names)}){after}")


@lru_cache(maxsize=256)
def _another(label: str, names: Names, least: int) -> re.Pattern[str]:
    others = "|".join(f"({pattern})" for one, pattern in names if one != label) or "(?!)"
    joined = rf"[)\].:\s\"']{{0,9}}(?:{_JOIN}[\s\"'(\[]{{0,3}}){{{least},3}}(?:option\s+)?(?:{others}){AFTER}"
    return re.compile(joined, re.IGNORECASE)


def hedged(text: str, end: int, label: str, names: Names, least: int = 1, stop: int | None = None) -> list[Place]:
    """Return the other name to which the text goes straight on after one: ``A or B``, ``D, maybe E``.

    Parameters
    ----------
    text, end
        The text, and where the name in it ends.
    label, names
        The label of that name, and all names.
    least
        How many joining words must stand between: with 0, ``A) 75%-90%`` hedges where 75%-90% is another name.
    stop
        Where to stop looking; the end of the text by default.

    Examples
    --------
    >>> names = lettered("DE")
    >>> hedged("D) or E", 1, "D", names), hedged("D, because E is too much", 1, "D", names)
    ([('E', (6, 7))], [])
    """
    match = _another(label, names, least).match(text, end, len(text) if stop is None else stop)
    others = [one for one, _ in names if one != label]
    return [(others[match.lastindex - 1], match.span(match.lastindex))] if match and match.lastindex else []


def stated(text: str, names: Names) -> list[Place]:
    """Return the names that a text announces as its answer; where it hedges, all that it hedges between.

    Examples
    --------
    >>> stated("I'd say B, since A can wait.", lettered("AB")), stated("Vitamin B", lettered("AB"))
    ([('B', (8, 9))], [])
    >>> [label for label, _ in stated("Answer: A or B", lettered("AB"))]
    ['A', 'B']
    """
    return [one for match in _any(CUE + BEFORE, names, AFTER).finditer(text) for one in _said(match, text, names)]


def leading(text: str, names: Names) -> list[Place]:
    """Return the names with which lines begin, each set off from what follows.

    Examples
    --------
    >>> leading("(B) Aunt", lettered("AB")), leading("A nurse", lettered("AB"))
    ([('B', (1, 2))], [])
    """
    begins = _any(rf"(?m:^){_OPENING}", names, AFTER)
    return [one for match in begins.finditer(text) for one in _said(match, text, names)]


def _said(match: re.Match[str], text: str, names: Names) -> list[Place]:
    """A name and the one it is hedged with; nothing where the name is not set off from what follows."""
    group = match.lastindex or 0
    label = names[group - 1][0]
    others = hedged(text, match.end(), label, names)
    return [(label, match.span(group)), *others] if others or _SET_OFF.match(text, match.end()) else []


_SET_OFF = re.compile(SET_OFF)


def alone(text: str, letters: Sequence[str]) -> Place | None:
    """Return the letter that is the whole reply, in either case.

    Examples
    --------
    >>> alone(" (b). ", ("A", "B")), alone("b or so", ("A", "B"))
    (('B', (2, 3)), None)
    """
    for letter in letters:
        whole = rf"{_OPENING}({re.escape(letter)})[\s)\]】」）\"'.!;:,。]{{0,9}}"
        if match := re.fullmatch(whole, text, re.IGNORECASE):
            return letter, match.span(1)
    return None
