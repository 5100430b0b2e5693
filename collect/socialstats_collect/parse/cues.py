"""How replies announce an answer, in a few languages, and what sets an option's letter off from the words after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from socialstats_collect.parse.text import Correction, Place

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
    rf"(?=\s*(?:[)\]】」）:;!?。．、(]|[\"'](?!\s*\w)|\.(?!\d)|$|\n|\s-|--|[{WIDE}]|"
    rf"(?:{_REASON})\b|,(?!\s*[^\WI](?!\w))))"
)
_JOIN = r"(?:or|and|to|vs|oder|und|ou|et|maybe|perhaps|possibly|probably|或|和|か|と|[/&|,+~?]|-)"
OPENING = (
    r"(?i:(?:[\s>\"'(\[#_|→=【「（-]|\[[ xX✓]\]){0,9}(?:\d\.\s*(?!\d\W*\Z))??"
    r"(?:(?:sure|ok|okay|certainly|of course|definitely|probably|clearly|therefore|thus|so|hence|hmm|well"
    r"|yes(?=[\s,.!:]+[(\[]?\w\b))\s*[,.!:]*\s+){0,2}"
    r"(?:(?:my )?(?:final )?(?:answer|action|decision|response|option|letter|choice|number|no\.(?=\s*\d)|#)"
    r"\s*[\])]?\s*[:.=-]?\s*){0,3}"
    r"[\"'(\[]{0,3})"
)
_WHOLE = (
    r"(?:(?:it'?s|it is|right|verdict|winner|person|the (?:one|person) who is right is|who is right\?)"
    r"[\s,.:!]+){0,3}"
)
CLOSING = r"(?:番です)?[\s)\]】」）\"'.!:;,。]{0,9}\Z"


_CORRECTED = (
    r"no[\s,.:-]{1,5}(?:wait|actually|sorry)|(?:oh[\s,]{1,5})?wait(?:[\s,.-]{1,5}no)?|actually(?:[\s,.]{1,5}no)?"
    r"|correction|scratch that|strike that|i mean|i meant|oops|my mistake|i take (?:that|it) back|hold on(?=[,.!])"
    r"|on second thoughts?|(?:let me|i(?:'ll| will| must| have to| need to|'d like to| would like to))"
    r" (?:correct|revise|change|reconsider|rethink)(?: (?:that|this|it|myself|my (?:answer|choice|response)))?"
    r"|nein[\s,.]{1,5}(?:warte\w{0,3}|moment|doch)|warte(?: mal| kurz)?|moment(?: mal)?|eigentlich|korrektur"
    r"|ich meine|ich korrigiere(?: mich)?"
    r"|non[\s,.]{1,5}(?:attends|attendez|pardon)|attendez|en fait|je veux dire|je (?:me )?corrige"
    r"|no[\s,.]{1,5}espera\w{0,3}|espera(?:[\s,.]{1,5}no)?|en realidad|corrección|quiero decir|me corrijo|mejor dicho"
    r"|更正|等等|不对|訂正|いや"
)
_ON = (
    r"i|it|that|this|the|my|final|correct|right|best|better|new|answer|option|choice|letter|number|person|action|no|hmm|so|then"
    r"|is|be|should|would|will|must|think|believe|say|choose|pick|select|go|going|with|to|make|mean|meant|'s|'d|'ll|'m|am"
    r"|la|die|der|antwort|ist|réponse|est|respuesta|es|opción|je|ich|quiero|decir|actually|wait|nein|non"
)
CORRECTING = (
    r"(?i:(?:(?m:^)|[\n.!?;。…)(,-])[\s\"']{0,3}(?:(?:but|oh|hmm|uh|well|um|oops|sorry|pardon|perdón|mais|aber|pero)"
    r"[\s,.]{1,5}){0,2}"
    rf"(?:{_CORRECTED})(?!\w)(?:[\s,.:;!，。：…\"'(\[-]|(?:{_ON})(?!\w)){{0,20}})"
)
CONCLUDING = (
    rf"(?i::[^\n]{{1,300}}?\b(?:so|therefore|thus|hence)\b(?:[\s,.:\"'(]|(?:{_ON})(?!\w)){{0,20}})"
)
ENDED = (
    r"(?=[\s)\]\"'】」）]{0,9}(?:$|\n|[.!;。}](?!\d|\s{1,3}[a-z])|-\s"
    r"|,?\s{0,3}(?i:not|because|since|rather than|instead)\b)"
    r"|\s{1,3}(?i:(?:is|seems|fits)\s{1,3}(?:the |a )?(?:more |most )?(?:accurate|appropriate|better|best|correct"
    r"|likely))\s{0,3}(?:[.!]|$))"
)
_ENDED = re.compile(ENDED)


def lettered(letters: Sequence[str]) -> Names:
    """Return names that are single letters, or other words, as they stand."""
    return tuple((letter, re.escape(letter)) for letter in letters)


@lru_cache(maxsize=20_000)
def pattern_of(before: str, names: Names, after: str) -> re.Pattern[str]:
    """Compile one of the names after a pattern, group n for the n-th; a design has hundreds of pairs of names."""
    return re.compile(
        f"{before}(?:{'|'.join(f'({pattern})' for _, pattern in names) or '(?!)'}){after}"
    )


def named(match: re.Match[str] | None, names: Names) -> list[Place]:
    """Return the name that a pattern of `pattern_of` found; groups of what stands before it come first."""
    group = (match.lastindex or 0) if match else 0
    which = group - 1 - (match.re.groups - len(names)) if match else -1
    return [(names[which][0], match.span(group))] if match and which >= 0 else []


def name_places(text: str, before: str, names: Names, after: str = "") -> list[Place]:
    """Return every place where a text has a name between two patterns."""
    matches = pattern_of(before, names, after).finditer(text)
    return [place for match in matches for place in named(match, names)]


def hedged(
    text: str, place: Place, names: Names, least: int = 1, stop: int | None = None
) -> list[Place]:
    """Return the other name to which the text goes straight on after one: ``A or B``, ``D, maybe E``.

    Parameters
    ----------
    text, place
        The text, and a label with the place of its name in it.
    names
        All names.
    least
        How many joining words must stand between: with 0, ``A) 75%-90%`` hedges where 75%-90% is another name.
    stop
        Where to stop looking; the end of the text by default.

    Examples
    --------
    >>> names = lettered("DE")
    >>> hedged("D) or E", ("D", (0, 1)), names), hedged("D, because E is too much", ("D", (0, 1)), names)
    ([('E', (6, 7))], [])
    """
    others = _others(place[0], names)
    pattern = pattern_of(_JOINED[least], others, AFTER)
    return named(pattern.match(text, place[1][1], len(text) if stop is None else stop), others)


_JOINED = [
    rf"(?i)[)\].:\s\"']{{0,9}}(?:{_JOIN}[\s\"'(\[]{{0,3}}){{{least},3}}(?:option\s+)?"
    for least in (0, 1)
]


@lru_cache(maxsize=20_000)
def _others(label: str, names: Names) -> Names:
    return tuple(name for name in names if name[0] != label)


def stated(text: str, names: Names) -> list[Place]:
    """Return the names that a text announces as its answer; where it hedges, all that it hedges between.

    Examples
    --------
    >>> stated("I'd say B, since A can wait.", lettered("AB")), stated("Vitamin B", lettered("AB"))
    ([('B', (8, 9))], [])
    >>> [label for label, _ in stated("Answer: A or B", lettered("AB"))]
    ['A', 'B']
    """
    return _set_off(CUE + BEFORE, text, names)


def leading(text: str, names: Names) -> list[Place]:
    """Return the names with which lines begin, each set off from what follows.

    Examples
    --------
    >>> leading("(B) Aunt", lettered("AB")), leading("A nurse", lettered("AB"))
    ([('B', (1, 2))], [])
    """
    return _set_off(rf"(?m:^){OPENING}", text, names)


def _set_off(before: str, text: str, names: Names) -> list[Place]:
    """Return names and those they are hedged with; nothing where a name is not set off from what follows."""
    places = []
    for match in pattern_of(before, names, AFTER).finditer(text):
        (place,) = named(match, names)
        others = hedged(text, place, names)
        place = concluded(text, place, names)
        places += [place, *others] if others or _SET_OFF.match(text, match.end()) else []
    return places


_SET_OFF = re.compile(SET_OFF)


def corrected(text: str, names: Names) -> Correction | None:
    """Return the last name that a text gives in place of what it said before, unless it goes back to another.

    Examples
    --------
    >>> corrected("A - no wait, D", lettered("AD"))
    (2, [('D', (13, 14))])
    >>> corrected("A. Actually, D can wait.", lettered("AD")) is None
    True
    """
    last: Correction | None = None
    for match in pattern_of(CORRECTING + BEFORE, names, AFTER).finditer(text):
        (place,) = named(match, names)
        others = hedged(text, place, names)
        if others or _ENDED.match(text, match.end()):
            last = match.start(), [place, *others]
    if last:
        after = text[last[1][0][1][1] :]
        back = name_places(after, rf"(?i:\bno\b[\s,.]{{0,5}}){BEFORE}", names, AFTER)
        later = dict([*stated(after, names), *back])
        return last if later.keys() <= {last[1][0][0]} else None
    return None


def concluded(text: str, place: Place, names: Names, stop: int | None = None) -> Place:
    """Return the name with which a line ends that begins with ``A:`` for answer; else the one given.

    Examples
    --------
    >>> concluded("A: it is common, so D.", ("A", (0, 1)), lettered("AD"))
    ('D', (20, 21))
    """
    if not (place[0] == "A" and text.startswith("A:", place[1][0])):
        return place
    ends = pattern_of(CONCLUDING + BEFORE, names, AFTER + ENDED)
    return next(
        iter(named(ends.match(text, place[1][1], len(text) if stop is None else stop), names)),
        place,
    )


def alone(text: str, names: Names) -> list[Place]:
    """Return the name that is the whole reply, in either case.

    Examples
    --------
    >>> alone(" (b). ", lettered("AB")), alone("b or so", lettered("AB"))
    ([('B', (2, 3))], [])
    """
    return named(pattern_of(f"(?i){OPENING}{_WHOLE}", names, CLOSING).match(text), names)
