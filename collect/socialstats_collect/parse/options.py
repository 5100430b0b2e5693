"""A choice among lettered options, named by letter, text or description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from socialstats_collect.parse.cues import AFTER, BEFORE, SET_OFF, alone, announced, hedged
from socialstats_collect.parse.text import LONGEST, Clean, Parsed, clean, readable, refuses, values_of

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


SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^a-z\s])|\n+")
MARKED = re.compile(
    r"\b(?:correct |right |best |most \w+ |final |plausible )*(?:answer|response|choice|option|estimate|selection)\s*"
    r"(?:would be|is|should be|will be|:|=)"
    r"(?:\s*(?:likely|probably|indeed|therefore|option|answer|category|that|:))*\s*[-:\s\"'(\[]*$",
    re.IGNORECASE,
)
CONDITIONAL = re.compile(r"^\W*(?:if|when|unless|for example|e\.g\.)\b", re.IGNORECASE)
TICK = re.compile(r"\[[xX✓✔]\]|[✓✔✅☑]|<-|←|\((?:my |the )?(?:answer|choice|selected|chosen)\)", re.IGNORECASE)
SHORT = re.compile(r"[^\W\d]+")  # one word, as yes or often: too common to count in the middle of a sentence
LISTED = 3  # so many different options one after another are an echo of the question


def parse_options(raw: str, options: tuple[Option, ...]) -> Parsed:
    """Return which option a reply chooses.

    The rules, first that finds an answer: the first line begins with an option; a line or sentence says "the answer
    is"; a later line begins with an option; the first sentence that names exactly one option; else a refusal, or
    nothing. Tables and lists that repeat the options are passed over, and so are denied and conditional mentions.

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
    text = readable(raw)
    if isinstance(text, Parsed):
        return text
    if found_in := _field(text, options):
        return found_in
    if one := alone(text.text, [option.letter for option in options]):
        start = text.text.casefold().rfind(one.casefold())
        return Parsed(status="ok", label=one, rule="first_line", span=text.span(start, start + len(one)))
    if ticked := _ticked(raw, options):
        return ticked
    whole = text.text
    text = Clean(_echo(options).sub(lambda echo: " " * len(echo[0]), whole), text.origin)
    spans = _unlisted(text.text, options)
    found = next(_answers(text.text, spans, options), None)
    if found is None:
        return _without(whole, spans, options)
    mention, rule = found
    later = {m.label for m, how in _answers(text.text, spans, options) if how in ("first_line", "marked")}
    conflict, span = bool(later - {mention.label}), text.span(mention.start, mention.end)
    return Parsed(status="ok", label=mention.label, rule=rule, conflict=conflict, span=span)


def _field(text: Clean, options: tuple[Option, ...]) -> Parsed | None:
    """A whole JSON object with an answer: its value is read as a reply of its own."""
    found = [one for one in values_of(text.text, "answer") if one.whole] if "{" in text.text else []
    read = {parse_options(str(one.value), options).label for one in found if not isinstance(one.value, dict | list)}
    if len(read) > 1:
        return Parsed(status="ambiguous", rule="several", conflict=True)
    label = read.pop() if read else None
    return (
        Parsed(status="ok", label=label, rule="json", span=text.span(found[0].start, found[0].end)) if label else None
    )


def _ticked(raw: str, options: tuple[Option, ...]) -> Parsed | None:
    """A list of the options in which exactly one is in bold or has a tick."""
    if not TICK.search(raw) and "**" not in raw:
        return None
    leads, marked = set(), []
    for line in re.finditer(r"[^\n\r]+", raw[:LONGEST]):
        text = clean(line[0])
        if lead := _lead(text.text, (0, len(text.text)), options):
            leads.add(lead.label)
            if TICK.search(line[0]) or line[0].lstrip(" -").startswith("**"):
                marked.append((lead.label, line.span()))
    if len(leads) < min(LISTED, len(options)) or len(marked) != 1:
        return None
    return Parsed(status="ok", label=marked[0][0], rule="ticked", span=marked[0][1])


@lru_cache(maxsize=64)
def _echo(options: tuple[Option, ...]) -> re.Pattern[str]:
    """All options in their order with nothing between them: an echo of the question."""
    names = [
        rf"[-(\[]{{0,2}}{re.escape(option.letter)}\s?[)\].:]{{1,2}}\s{{0,3}}{text_pattern(option.text)}"
        for option in options
    ]
    return re.compile(r"\s{0,3}[,;/|.]?\s{0,3}(?:or\s|and\s)?".join(names), re.IGNORECASE)


def _without(text: str, spans: list[tuple[int, int]], options: tuple[Option, ...]) -> Parsed:
    if refuses(text):
        return Parsed(status="refusal", rule="refusal")
    named = {m.label for start, end in spans for m in mentions(text, options, start, end)}
    named |= {m[1] for m in re.finditer(rf"(?<![\w'])([{''.join(o.letter for o in options)}])(?![\w'])", text)}
    if len(named) > 1:
        return Parsed(status="ambiguous", rule="several")
    return Parsed(status="unparsed", rule="none")


def _answers(text: str, spans: list[tuple[int, int]], options: tuple[Option, ...]) -> Iterator[tuple[Mention, str]]:
    """Yield answers by rule, the most telling rule first."""
    leads = [(number, lead) for number, span in enumerate(spans) if (lead := _lead(text, span, options))]
    if leads and leads[0][0] == 0:
        yield leads[0][1], "first_line"
    pieces = [piece for span in spans for piece in _sentences(text, span)]
    for start, end in pieces:
        if CONDITIONAL.match(text[start:end]):
            continue
        for mention in _marked(text, start, end, options):
            yield mention, "marked"
    for _, lead in leads:
        yield lead, "line"
    for start, end in pieces:
        here = [] if CONDITIONAL.match(text[start:end]) else mentions(text, options, start, end)
        here = [m for m in here if m.kind != "text" or not SHORT.fullmatch(text[m.start : m.end])]
        if len({m.label for m in here}) == 1 and not _hedged(text[here[0].end : end], here[0].label, options):
            yield here[0], "mention"


def _marked(text: str, start: int, end: int, options: tuple[Option, ...]) -> Iterator[Mention]:
    for mention in _with_bare_letters(text, start, end, options):
        one_word = mention.kind == "text" and SHORT.fullmatch(text[mention.start : mention.end])
        if one_word and not re.match(SET_OFF, text[mention.end : end]):
            continue
        before = text[max(0, start - 40, mention.start - 200) : mention.start]
        if MARKED.search(before) or announced(before, len(before)):
            if not _hedged(text[mention.end : end], mention.label, options):
                yield mention
            return


def _with_bare_letters(text: str, start: int, end: int, options: tuple[Option, ...]) -> list[Mention]:
    letters = "".join(re.escape(option.letter) for option in options)
    bare = re.finditer(rf"{BEFORE}[{letters}]{AFTER}{SET_OFF}", text[start:end])
    return sorted(
        [
            *mentions(text, options, start, end),
            *(Mention(start + b.start(), start + b.end(), b[0], "letter") for b in bare),
        ]
    )


OPENING = (
    r"(?:[\s>\"'(\[#_|→=【「（-]|\[[ xX✓]\]){0,9}(?:\d\.\s*)?"
    r"(?:(?:sure|ok|okay|certainly|of course|definitely|probably|clearly|therefore|thus|so|hence|letter)"
    r"\s*[,.!:]*\s+){0,2}"
    r"(?:(?:my )?(?:final )?(?:answer|response|option|choice)\s*[\])]?\s*[:.=-]?\s*){0,3}[\"'(\[]{0,3}"
)
LEAD_OFF = (
    r"(?=\s*[)\]:!;。]|\s*\.(?!\d)|\s*,(?!\s*\w(?!\w))|\s+-|\s*$|\s*{text}|[\"'](?!\s*\w)|[】」）]"
    r"|\s(?:\(|rather\b|because\b|since\b)|[\u3040-\u30ff])"
)


def _lead(text: str, span: tuple[int, int], options: tuple[Option, ...]) -> Mention | None:
    """The option a line begins with: its letter set off from what follows, its text, or its description."""
    line = text[span[0] : span[1]]
    for kind, pattern, letter in _lead_patterns(options):
        match = pattern.match(line)
        if match and not _hedged(line[match.end() :], letter, options):
            return Mention(span[0] + match.start(1), span[0] + match.end(1), letter, kind)
    return None


@lru_cache(maxsize=64)
def _lead_patterns(options: tuple[Option, ...]) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    patterns = []
    for option in options:
        text = text_pattern(option.text)
        opening = OPENING.replace(">", "", 1) if option.text.startswith(">") else OPENING
        if SHORT.fullmatch(option.text):
            text += r"(?=\s*(?:[.,;:!)\]\"'-]|$))"
        ways = [("letter", re.escape(option.letter) + LEAD_OFF.replace("{text}", text)), ("text", text)]
        ways += [("description", re.escape(words)) for words in option.descriptions]
        for kind, way in ways:
            cased = f"(?-i:{way})" if kind == "letter" and option.letter.isalpha() else way
            patterns.append((kind, re.compile(f"{opening}({cased})", re.IGNORECASE), option.letter))
    return tuple(patterns)


def _hedged(rest: str, letter: str, options: tuple[Option, ...]) -> bool:
    """Whether the text after an option goes on to another one: ``D) or E)``, ``D, maybe E``, ``A) 75%-90%``."""
    own, others = _hedge_patterns(letter, options)
    if match := own.match(rest):
        rest = rest[match.end() :]
    elif others.match(rest):
        return True
    return bool(others.pattern) and hedged(rest, others.pattern)


@lru_cache(maxsize=256)
def _hedge_patterns(letter: str, options: tuple[Option, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The rest of an option's own name, and the names of the others."""
    own = [option for option in options if option.letter == letter]
    words = "|".join(f"(?:{text_pattern(option.text)})" for option in own)
    others = [rf"{re.escape(o.letter)}(?!\w)|{text_pattern(o.text)}" for o in options if o.letter != letter]
    return (
        re.compile(rf"[)\].:\s-]{{0,5}}(?:{words})[)\s]{{0,3}}", re.IGNORECASE),
        re.compile(rf"[)\].:\s-]{{0,5}}(?:{'|'.join(others)})"),
    )


def _unlisted(text: str, options: tuple[Option, ...]) -> list[tuple[int, int]]:
    """Return the places of the lines, without blank ones, tables, and lists that go through the options."""
    lines = [m.span() for m in re.finditer(r"[^\n\r]+", text) if m[0].strip()]
    order = {option.letter: rank for rank, option in enumerate(options)}
    leads = [order[lead.label] if (lead := _lead(text, span, options)) else -1 for span in lines]
    echoed = [_is_table(text[start:end]) for start, end in lines]
    for first in range(len(lines)):
        last = first + 1
        while last < len(lines) and -1 < leads[last - 1] < leads[last]:
            last += 1
        if last - first >= (2 if options[0].letter.isdigit() else LISTED):
            echoed[first:last] = [True] * (last - first)
    return [span for span, gone in zip(lines, echoed, strict=True) if not gone]


def _is_table(line: str) -> bool:
    return line.count("|") >= 2


def _sentences(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    start = span[0]
    for gap in SENTENCE.finditer(text, *span):
        yield start, gap.start()
        start = gap.end()
    if start < span[1]:
        yield start, span[1]
