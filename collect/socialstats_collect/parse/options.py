"""A choice among lettered options, named by letter, text or description."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from socialstats_collect.parse.cues import (
    AFTER,
    BEFORE,
    CLOSING,
    CUE,
    OPENING,
    SET_OFF,
    Names,
    alone,
    concluded,
    corrected,
    hedged,
    lettered,
    name_places,
    named,
    pattern_of,
)
from socialstats_collect.parse.text import (
    BORDER,
    Clean,
    Parsed,
    Place,
    Rule,
    in_fields,
    read_by,
    refuses,
    values_of,
)

NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
MORE = r"(?:[>≥]=?|(?=[moague])(?:more than|over|above|greater than|at least|upwards? of|exceed(?:s|ing)?))"
LESS = r"(?:[<≤]=?|(?=[lubfa])(?:less than|under|below|fewer than|at most|lower than))"
BETWEEN = r"(?:-|~|to|and|through|or)"
PERCENT = r"\s*(?:%|percent|per cent)"
SHARE = re.compile(rf"(?:({NUMBER})%?-|([<>]))?({NUMBER})%")
"""An option that is a percentage, or a range of them: its lower end, its sign, its other end."""
BARE = re.compile(
    rf"{OPENING}(?i:(?:(?:about|around|approximately|roughly|circa|ungefähr|etwa|environ|unos)\s+|[~≈]\s*)?)(?<!-)({NUMBER}){PERCENT}"
    rf"(?i:\s*of (?:the )?people)?{CLOSING}"
)
DENIED = (
    r"\b(?=[niawurtes])(?:not|never|nor|isn't|aren't|wasn't|without|unlikely|instead of|rather than|than|neither"
    r"|exclud\w+|short of)\b(?:\s+(?:quite|necessarily|really|the|a|an|in|to|be|by|placing|reach|reaching|it|at|of"
    r"|option|options|answer|as|likely|that|category)\b){0,6}[\s'\"(]{0,9}"
)


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


def text_pattern(text: str) -> str:
    """Return a pattern for an option's text: percentages and ranges in their spellings, anything else word for word.

    Examples
    --------
    >>> bool(re.fullmatch(text_pattern("75%-90%"), "75 to 90%")), bool(re.fullmatch(text_pattern(">90%"), "over 90%"))
    (True, True)
    """
    match = SHARE.fullmatch(text.replace(" ", ""))
    if not match:
        return _verbatim(text)
    below, sign, end = match.groups()
    number = rf"{re.escape(end)}{PERCENT}"
    if below:
        return rf"(?<![\d.])(?:>\s*)?{re.escape(below)}\s*%?\s*{BETWEEN}\s*{number}"
    if sign:
        return rf"{MORE if sign == '>' else LESS}\s*{number}"
    return rf"(?<![\d.<>-]){number}(?!\s*{BETWEEN}\s*\d)"


def _verbatim(words: str) -> str:
    spaced = r"\s+".join(re.escape(word) for word in words.split())
    return rf"(?<!\w){spaced}(?!\w)"


SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^a-z\s])|\n+")
Span = tuple[int, int]
Line = tuple[Span, Place | None]
CONDITIONAL = re.compile(r"\W*(?:if|when|unless|for example|e\.g\.)\b", re.IGNORECASE)
TICK = re.compile(
    r"\[[xX✓✔]\]|[✓✔✅☑]|<-|←|\((?:my |the )?(?:answer|choice|selected|chosen)\)", re.IGNORECASE
)
SHORT = re.compile(
    r"[^\W\d]{2,}"
)  # one word, as yes or often: too common to count in the middle of a sentence
MOST = 20  # answers of one reply's JSON that are read
LISTED = 3  # so many different options one after another are an echo of the question


def parse_options(raw: str, options: tuple[Option, ...]) -> Parsed:
    """Return which option a reply chooses.

    The first rule that finds an answer counts. (1) The first line begins with an option. (2) A line or sentence says
    "the answer is". (3) A later line begins with an option. (4) A sentence names exactly one option. Otherwise there is
    a refusal, or nothing. Tables and lists that repeat the options are passed over, and so are denied and conditional
    mentions.

    Parameters
    ----------
    raw
        The reply as it came.
    options
        The options of the question, in their order.

    Examples
    --------
    >>> scale = (Option(letter="A", text="<1%"), Option(letter="B", text="5%-25%"), Option(letter="C", text="50%"))
    >>> parse_options("5%-25%\\n\\nA) <1%\\nB) 5%-25%\\nC) 50%", scale).label
    'B'
    >>> parse_options("A or B", scale).status
    'ambiguous'
    """

    def rules(text: Clean) -> Iterator[Rule]:
        values = values_of(text.text, "answer")
        fields = [
            value for value in values if value.complete and not isinstance(value.value, dict | list)
        ]
        yield in_fields(
            fields[:MOST], lambda value: filter(None, [parse_options(str(value), options).label])
        )
        yield "first_line", alone(text.text, lettered([option.letter for option in options]))
        lines = _lines(text.text, options)
        yield "ticked", _ticked(raw, text, lines, len(options))
        unechoed = _echo(options).sub(lambda echo: " " * len(echo[0]), text.text)
        if unechoed != text.text:
            lines = _lines(unechoed, options)
        lines = _unlisted(unechoed, lines, options)
        pieces = [piece for line in lines for piece in _sentences(unechoed, *line[0])]
        mentions = _by_piece(_mentions(unechoed, options), pieces)
        yield from _answer_rules(unechoed, lines, pieces, mentions, options)
        if not refuses(text.text):
            named = [place for here in mentions for place in here]
            letters = re.finditer(
                rf"(?<![\w'])[{''.join(o.letter for o in options)}](?![\w'])", text.text
            )
            named += [(letter[0], letter.span()) for letter in letters]
            yield from _percentage(text.text, options)
            yield "several", named if len({label for label, _ in named}) > 1 else ()

    return read_by(raw, rules, lambda text: corrected(text, _spellings(options)))


def _percentage(text: str, options: tuple[Option, ...]) -> Iterator[Rule]:
    """Yield the option in whose range a reply falls that is one percentage; at the end of a range it is undecided."""
    match = BARE.match(text)
    for option in options if match else ():
        share = SHARE.fullmatch(option.text.replace(" ", ""))
        if match and share and (share[1] or share[2]):
            low, high = sorted(
                (float(share[1] or (100 if share[2] == ">" else 0)), float(share[3]))
            )
            place = (option.letter, match.span(1))
            if float(match[1]) in (low, high):
                yield BORDER, [place]
            if low < float(match[1]) < high:
                yield "within", [place]


def _ticked(raw: str, text: Clean, lines: list[Line], most: int) -> list[Place]:
    """Return the option of a list in which exactly one is in bold or has a tick."""
    leads = [(place[0], span) for span, place in lines if place]
    if len({label for label, _ in leads}) < min(LISTED, most):
        return []
    marked = []
    for label, (start, end) in leads:
        line = raw[
            text.origin[start - 1] + 1 if start else 0 : text.origin[end]
            if end < len(text.text)
            else None
        ]
        if TICK.search(line) or line.lstrip(" -").startswith("**"):
            marked.append((label, (start, end)))
    return marked if len(marked) == 1 else []


@lru_cache(maxsize=64)
def _echo(options: tuple[Option, ...]) -> re.Pattern[str]:
    """Return the pattern of all options in their order with nothing between them: an echo of the question."""
    names = [
        rf"[-(\[]{{0,2}}{re.escape(option.letter)}\s?[)\].:]{{1,2}}\s{{0,3}}{text_pattern(option.text)}"
        for option in options
    ]
    return re.compile(r"\s{0,3}[,;/|.]?\s{0,3}(?:or\s|and\s)?".join(names), re.IGNORECASE)


def _answer_rules(
    text: str,
    lines: list[Line],
    pieces: list[Span],
    mentions: list[list[Place]],
    options: tuple[Option, ...],
) -> Iterator[Rule]:
    """Yield answers by rule, the most telling rule first."""
    leads = [place for _, place in lines if place]
    yield "first_line", leads[:1] if leads and lines[0][1] else ()
    names, announcing = _spellings(options), _answering(options, SET_OFF)
    announced = _by_piece(name_places(text, CUE, announcing), pieces)
    sentences: list[tuple[int, list[Place]]] = []
    for (start, end), marked, here in zip(pieces, announced, mentions, strict=True):
        if CONDITIONAL.match(text, start, end):
            continue
        if marked and not _hedged(text, marked[0], end, names):
            yield "marked", marked[:1]
        sentences.append((end, [place for place in here if not SHORT.fullmatch(text, *place[1])]))
    yield "line", leads[:1]
    for end, here in sentences:
        if len(dict(here)) == 1 and not _hedged(text, here[0], end, names):
            yield "mention", here


def _hedged(text: str, place: Place, end: int, names: Names) -> bool:
    """Return whether an option is joined to another one, or is a letter with another option's text beside it."""
    bare = text.endswith(place[0], *place[1])
    return bool(hedged(text, place, names, 0 if bare else 1, end))


def _by_piece(places: list[Place], pieces: list[Span]) -> list[list[Place]]:
    """Return the places that begin in each piece; both are in the order of the text."""
    here: list[list[Place]] = [[] for _ in pieces]
    starts = [start for start, _ in pieces]
    for label, place in places:
        number = bisect_right(starts, place[0]) - 1
        if number >= 0 and place[0] < pieces[number][1]:
            here[number].append((label, place))
    return here


def _mentions(text: str, options: tuple[Option, ...]) -> list[Place]:
    """Return every place where an option is named by its text, a description or its letter in marks, and not denied."""
    pattern, labels = _naming(options)
    places = []
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        label = labels.get(group, match[group])
        if label and not match["denied"]:
            places.append((label, match.span(group)))
    return places


@lru_cache(maxsize=64)
def _naming(options: tuple[Option, ...]) -> tuple[re.Pattern[str], dict[int, str]]:
    """Return all ways of naming an option, and the label of each group: "" is another percentage, None a letter."""
    ways = [
        (_text(option), option.letter)
        for option in sorted(options, key=lambda option: -len(option.text))
    ]
    ways.append(
        (rf"(?i:(?:(?:{MORE}|{LESS})\s*)?(?<!\d){NUMBER}\s*%?\s*(?:{BETWEEN}\s*{NUMBER}\s*)?%)", "")
    )
    ways += [(_described(option), option.letter) for option in options]
    letters = "|".join(
        sorted((re.escape(option.letter) for option in options), key=len, reverse=True)
    )
    announced = r"(?<![\w'])(?i:option|category|choice|answer)s?:?\s+[(\[\"']{0,9}"
    closing = rf"\)|\]|:\s|\.\s{'+' if options[0].letter.isdigit() else '*'}[<>\d]"
    marked = (
        rf"(?:{announced}(?=(?:{letters})(?![\w']))|[(\[](?=(?:{letters})[)\]])"
        rf"|(?<![\w'&.-])(?=(?:{letters})(?:{closing})))({letters})"
    )
    odd = {
        re.escape(words[0])
        for o in options
        for words in (o.text, *o.descriptions)
        if words and not words[0].isalnum()
    }
    begins = rf"(?=(?<![^\W\d])\w|[<>≤≥]=?\s*\d|[(\[](?:{letters})[)\]]|{'|'.join(odd - set('<>')) or '(?!)'})"
    pattern = (
        f"{begins}(?P<denied>(?i:{DENIED}))?(?:{'|'.join(f'({way})' for way, _ in ways)}|{marked})"
    )
    return re.compile(pattern), {group: label for group, (_, label) in enumerate(ways, 2)}


def _text(option: Option) -> str:
    return f"(?i:{text_pattern(option.text)})"


def _lettered(option: Option) -> str:
    return rf"{re.escape(option.letter)}[)\].:,(\s-]{{0,5}}{_text(option)}"


def _described(option: Option) -> str:
    words = sorted(option.descriptions, key=len, reverse=True)
    return f"(?i:{'|'.join(map(_verbatim, words)) or '(?!)'})"


@lru_cache(maxsize=64)
def _spellings(options: tuple[Option, ...]) -> Names:
    """Return an option by its letter or its text, for what a reply goes on to."""
    return tuple(
        (option.letter, rf"{_lettered(option)}|{re.escape(option.letter)}(?!\w)|{_text(option)}")
        for option in options
    )


LEAD_OFF = (
    r"(?=\s*[)\]:!;。]|\s*\.(?!\d)|\s*,(?!\s*(?!I\b)\w(?!\w))|\s+-|\s*$|[\"'](?!\s*\w)|[】」）]"
    r"|\s(?:\(|rather\b|because\b|since\b)|[\u3040-\u30ff])"
)  # from the rest of a line: ``D is ...`` may go anywhere


@lru_cache(maxsize=64)
def _answering(options: tuple[Option, ...], off: str) -> Names:
    """Return an option as an answer: its letter set off from what follows, its text, or its description."""
    names = []
    for option in options:
        text, short = _text(option), rf"(?!\s*[(\[]){off}" if SHORT.fullmatch(option.text) else ""
        letter = rf"{BEFORE}(?:{_lettered(option)}|{re.escape(option.letter)}{AFTER}{off})"
        names.append((option.letter, rf"{letter}|{text}{short}|{_described(option)}"))
    return tuple(names)


def _lines(text: str, options: tuple[Option, ...]) -> list[Line]:
    """Return the places of the lines that are not blank, each with the option it begins with, if any."""
    lines: list[Line] = []
    names, answers = _spellings(options), _answering(options, LEAD_OFF)
    for line in re.finditer(r"[^\n]*\S[^\n]*", text):
        begun = named(pattern_of(OPENING, answers, "").match(text, *line.span()), answers)
        leads = [place for place in begun if not _hedged(text, place, line.end(), names)]
        lines.append((line.span(), concluded(text, leads[0], names, line.end()) if leads else None))
    return lines


def _unlisted(text: str, lines: list[Line], options: tuple[Option, ...]) -> list[Line]:
    """Return the lines without tables, and lists that go through the options."""
    order = {option.letter: rank for rank, option in enumerate(options)}
    least = 2 if options[0].letter.isdigit() else LISTED
    unlisted: list[Line] = []
    listed: list[Line] = []
    before = -1
    for line in [*lines, ((0, 0), None)]:
        rank = order[line[1][0]] if line[1] else -1
        if listed and not -1 < before < rank:
            unlisted += listed if len(listed) < least else []
            listed = []
        listed.append(line)
        before = rank
    return [line for line in unlisted if text.count("|", *line[0]) < 2]


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    for gap in SENTENCE.finditer(text, start, end):
        yield start, gap.start()
        start = gap.end()
    if start < end:
        yield start, end
