"""How replies announce an answer, in a few languages, and what sets an option's letter off from the words after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Place = tuple[str, tuple[int, int]]
"""A label and where it stands."""

WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that put no spaces between words
BEFORE = rf"(?<![^\W{WIDE}])(?<![\w]')"  # no word begins before; an option may follow such a script at once
AFTER = rf"(?![^\W{WIDE}])(?!'\w)"
_NOUN = (
    "answer|response|reply|choice|pick|selection|estimate|verdict|vote|decision|rating|conclusion|winner"
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
_ADVERB = "(?:still |probably |therefore |definitely |rather |have to |likely |thus |then |also |just )*"
_SAYING = (
    rf"\bi(?:'d|'ll| would| will)? {_ADVERB}(?:choose|select|pick|say|answer|go with|go for|vote for|estimate|guess"
    r"|opt for|lean towards?|side with|agree with|rate it)(?: that)?"
    r"|\bi(?:'m| am) (?:with|going with|inclined to say|leaning towards?)"
    r"|\bi (?:think|believe)(?: that)?(?: it(?:'s| is))?|(?:^|[.!?,;:\n]\s*)it(?:'s| is)|\byou (?:choose|select|pick)"
    r"|\bje (?:dirais|choisis|choisirais|pense)(?: que)?|\bich (?:würde|wähle|sage|nehme|denke|entscheide mich für)"
    r"|\b(?:elijo|escojo|diría|scelgo|direi|выбираю)|我(?:会|會)?(?:选择|選擇|选|選|认为(?:是)?)|(?:选|選)|私は"
)
CUE = re.compile(
    rf"(?:(?:(?<![^\W{WIDE}])(?:{_NOUN})\s*[\"'\])]?\s*(?:{_LINK})|{_SAYING}|(?:^|\s)A:"
    rf"|\b(?:therefore|hence|thus|so)\s*[,:])"
    rf"(?:\s*(?:{_FILLING})(?!\w))*|(?:^|[\n.!?])\s*(?:option|letter|choice|number|no\.|#|person|select|pick|choose))"
    r"[\s\"'(\[【「（:]*$",
    re.IGNORECASE,
)
_REASON = "because|since|as|for|over|rather|instead|due|given|is|would|sagen|wählen"
SET_OFF = (
    rf"(?=\s*(?:[)\]】」）:;!?。．、(]|[\"'](?!\s*\w)|\.(?!\d)|$|\n|\s-|--|[{WIDE}]|(?:{_REASON})\b|,(?!\s*\w(?!\w))))"
)
_JOIN = r"(?:or|and|to|vs|oder|und|ou|et|maybe|perhaps|possibly|probably|或|和|か|と|[/&|,+~?]|-)"
FAR = 60  # characters before an answer in which its announcement may stand


def hedged(rest: str, others: str) -> bool:
    """Whether the text after an option goes straight on to another one: ``A or B``, ``D, maybe E``.

    Parameters
    ----------
    rest
        The text after the option.
    others
        A pattern for the other options.

    Examples
    --------
    >>> hedged(") or E", "E"), hedged(", because E is too much", "E")
    (True, False)
    """
    joined = rf"[)\].:\s\"']{{0,9}}(?:{_JOIN}[\s\"'(\[]*){{1,3}}(?:option\s+)?(?:{others}){AFTER}"
    return bool(others) and bool(re.match(joined, rest, re.IGNORECASE))


def announced(text: str, place: int) -> bool:
    """Whether the words before a place announce an answer, as in ``the answer is`` or ``je dirais``.

    Examples
    --------
    >>> announced("I'd say D", 8), announced("Vitamin D", 8)
    (True, False)
    """
    return CUE.search(text[max(0, place - FAR) : place]) is not None


@lru_cache(maxsize=64)
def _letter(letter: str) -> re.Pattern[str]:
    return re.compile(rf"{BEFORE}{re.escape(letter)}{AFTER}{SET_OFF}")


def stated(text: str, letters: Sequence[str]) -> list[Place]:
    """Return the letters that a text announces as its answer; where it hedges, all that it hedges between.

    Examples
    --------
    >>> stated("I'd say B, since A can wait.", ("A", "B"))
    [('B', (8, 9))]
    >>> [label for label, _ in stated("Answer: A or B", ("A", "B"))]
    ['A', 'B']
    """
    found: list[Place] = []
    for letter in letters:
        others = _others(letter, letters)
        for match in re.finditer(rf"{BEFORE}{re.escape(letter)}{AFTER}", text):
            if not announced(text, match.start()):
                continue
            if other := _second(text[match.end() :], others):
                found += [(letter, match.span()), (other, match.span())]
            elif _letter(letter).match(text, match.start()):
                found.append((letter, match.span()))
    return sorted(found, key=lambda one: one[1])


def _others(letter: str, letters: Sequence[str]) -> str:
    return "|".join(re.escape(one) for one in letters if one != letter)


def _second(rest: str, others: str) -> str:
    if not hedged(rest, others):
        return ""
    found = re.search(others, rest, re.IGNORECASE)
    return found[0] if found else ""


_OPENING = (
    r"[\s>\"'(\[#_|→=【「（-]{0,9}(?:(?:sure|ok|okay|certainly|of course|definitely|probably|clearly|yes|hmm)"
    r"\s*[,.!:]*\s+)?"
    r"(?:(?:option|letter|choice|number|no\.|#)\s*)?[\"'(\[]{0,3}"
)


def leading(text: str, letters: Sequence[str]) -> list[Place]:
    """Return the letters with which lines begin, each set off from what follows.

    Examples
    --------
    >>> leading("(B) Aunt", ("A", "B")), leading("A nurse", ("A", "B"))
    ([('B', (1, 2))], [])
    """
    found: list[Place] = []
    for line in re.finditer(r"[^\n\r]+", text):
        for letter in letters:
            match = re.match(rf"{_OPENING}(?-i:({re.escape(letter)}){AFTER}{SET_OFF})", line[0], re.IGNORECASE)
            if match:
                place = (line.start() + match.start(1), line.start() + match.end(1))
                found.append((letter, place))
                if other := _second(line[0][match.end() :], _others(letter, letters)):
                    found.append((other, place))
    return found


def alone(text: str, letters: Sequence[str]) -> str | None:
    """Return the letter that is the whole reply, in either case.

    Examples
    --------
    >>> alone(" (b). ", ("A", "B")), alone("b or so", ("A", "B")) is None
    ('B', True)
    """
    for letter in letters:
        if re.fullmatch(rf"{_OPENING}{re.escape(letter)}[\s)\]】」）\"'.!;:,。]{{0,9}}", text, re.IGNORECASE):
            return letter
    return None
