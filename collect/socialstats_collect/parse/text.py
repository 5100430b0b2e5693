"""What all parsers share: a reply made readable, values in its JSON, refusals, and what a parser answers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

VERSION = "5"
"""Raised whenever any reply would parse differently; stored beside every parsed row."""

LONGEST = 20_000  # characters of a reply that are read: an answer stands long before
"""Characters of a reply, thinking apart, that are read: nobody needs more for an answer, and it bounds hostile ones."""

LINES = 2_000
"""Line breaks, after blank lines are shortened, in a reply that is read."""

Status = Literal["ok", "corrected", "refusal", "ambiguous", "unparsed", "empty", "out_of_range"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """One reply, read.

    Parameters
    ----------
    label
        The answer, or None: a label is given only with the statuses ``ok`` and ``corrected``.
    status
        ``ok``; ``corrected`` (withdraws its first answer); ``refusal`` (gives no answer); ``ambiguous`` (two answers);
        ``unparsed``; ``empty``; ``out_of_range`` (outside the scale: missing, never clamped).
    rule
        Name of the rule that decided, for tables of how answers were read.
    conflict
        Whether a later part of the reply states another answer, and does not say that it corrects the first. The
        label follows the first.
    span
        Start and end of the deciding text in the raw reply, in characters.

    Examples
    --------
    >>> Parsed(status="empty", rule="empty").label is None
    True
    """

    status: Status
    rule: str
    label: str | None = None
    conflict: bool = False
    span: tuple[int, int] | None = None


AMBIGUOUS = Parsed(status="ambiguous", rule="several", conflict=True)
REFUSED = Parsed(status="refusal", rule="refusal")

Place = tuple[str, tuple[int, int]]
"""A label and where it stands in a cleaned reply."""

Rule = tuple[str, Iterable[Place]]
"""The name of a way of reading, and the answers that it finds."""

Correction = tuple[int, list[Place]]
"""Where a text begins to correct itself, and the answer it gives then; several where it hedges."""

THINKING = re.compile(
    r"<(/?)(?:think|thinking|reasoning|thought)>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE
)
FINAL = "<|channel|>final<|message|>"
EDITS = re.compile(
    r"(?P<open><(?:final_?)?answer>)|(?P<close></(?:final_?)?answer>)"
    r"|(?:\${1,2}|\\\(|\\\[)?[ ]?\\boxed[ ]?\{[ ]?(?:\\(?:text|textbf|mathrm|mathbf)[ ]?\{)?"
    r"(?P<boxed>[^{}\n]{1,200})\}{1,2}"
    r"(?:[ ]?(?:\${1,2}|\\\)|\\\]))?"
    r"|(?P<lines>\s*\n\s*\n\s*)|(?P<blanks>[^\S\n]{4,})"
    r"|(?P<gone>~~[^~\n]{1,200}~~|<\|[a-z_]{1,40}\|>|[*`]+)",
    re.IGNORECASE,
)
WRITTEN = {"open": "\nAnswer: ", "close": "\n", "lines": "\n\n", "blanks": "   ", "gone": ""}
PLAIN = {
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **{
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "＂": '"',
        "„": '"',
        "‚": "'",
        "«": '"',
        "»": '"',
        "\r": "\n",
    },
}
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}
CELL: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    **dict.fromkeys(range(0x7F, 0xA0), 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), "?"),
}


def printable(raw: str) -> str:
    """Return a reply as a table's cell can hold it, of the same length: nothing in it is invisible or not Unicode.

    Control characters become their pictures (NUL: U+2400) or U+FFFD, but line feeds and tabs stay. A lone surrogate
    becomes a question mark.

    Examples
    --------
    >>> printable("A\\x00\\tB\\ud800")
    'A␀\\tB?'
    """
    return raw.translate(CELL)


@dataclass(frozen=True, slots=True)
class Clean:
    """Cleaned text; ``origin[i]`` is the place of its character ``i`` in the raw reply."""

    text: str
    origin: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw place of a stretch of the cleaned text.

        Examples
        --------
        >>> clean("**B**").span(0, 1)
        (2, 3)
        """
        return self.origin[start], self.origin[end - 1] + 1


def clean(raw: str) -> Clean:
    """Return a reply with NFKC characters, plain dashes and quotes, without thinking blocks and emphasis marks.

    Answer tags and LaTeX boxes become plain words; what is struck through is gone. A thinking block that is never
    closed hides the rest; a closing tag without an opening one hides what is before it. Long blanks are shortened, so
    that no pattern can dwell on them, and little more than `LONGEST` characters are kept.

    Examples
    --------
    >>> clean("<think>A?</think>**Ｂ** – yes").text, clean(r"It is $\\boxed{\\text{D}}$").text
    ('B - yes', 'It is D')
    """
    letters: list[str] = []
    origin: list[int] = []
    for start, end in _outside_thinking(raw):
        place = start
        for edit in EDITS.finditer(raw, start, end):
            _keep(raw, place, edit.start(), letters, origin)
            if edit.lastgroup == "boxed":
                _keep(raw, *edit.span("boxed"), letters, origin)
            else:
                words = WRITTEN[str(edit.lastgroup)]
                letters.append(words)
                origin.extend([edit.start()] * len(words))
            place = edit.end()
            if len(origin) > LONGEST:
                break
        else:
            _keep(raw, place, end, letters, origin)
    return Clean("".join(letters), origin)


def _outside_thinking(raw: str) -> list[tuple[int, int]]:
    """Return the stretches of a reply outside its thinking."""
    start = raw.rfind(FINAL) + len(FINAL) if FINAL in raw else 0
    stretches: list[tuple[int, int]] = []
    inside = False
    for tag in THINKING.finditer(raw, start):
        if tag.lastindex and tag[tag.lastindex]:
            # a closing tag; without an opening one it hides what is before it
            stretches, start, inside = stretches if inside else [], tag.end(), False
        elif not inside:
            stretches.append((start, tag.start()))
            inside = True
    return stretches if inside else [*stretches, (start, len(raw))]


def _keep(raw: str, start: int, end: int, letters: list[str], origin: list[int]) -> None:
    """Take over a stretch, character by character."""
    end = min(end, start + LONGEST + 1)
    for place, character in enumerate(raw[start:end], start):
        plain = _plain(character)
        letters.append(plain)
        origin.extend([place] * len(plain))


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    if unicodedata.category(character) in INVISIBLE:
        return ""
    plain = unicodedata.normalize("NFKC", character)
    return "".join(PLAIN.get(piece, piece) for piece in plain)


VALUE = r"[ :]{0,3}\\?[\"']?\s{0,9}[:=]\s{0,9}"
WORD = (
    r"\\?(?:\"([^\"\\\n]*(?:\\.[^\"\\\n]*){0,50})\"|'([^'\\\n]*(?:\\.[^'\\\n]*){0,50})'"  # quoted
    r"|\[\s*[\"']?([^\"'\]\n,]{0,200})[\"']?\s*\]"  # a list of one
    r"|([^\s,;}\]\"'][^,;}\]\n\"']*))"  # bare
)
START = r"(?<![\w\]])(?:(?<![\w,.;:] )|(?<=final )|(?<=my )|(?<=correct )|(?<=the )|(?<=[,;] ))"
MORE = re.compile(
    r"\s*(?:or|and|/|\||&)\s*[^,;}\]\n]{1,100}|(?<=\d),\d+", re.IGNORECASE
)  # a decimal comma, too
PATIENCE = 100_000
"""Characters that are decoded in vain before a reply's JSON is given up; a brace that begins none counts for 100."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value under a wanted key, and its place in the text. ``complete`` says that it came from complete JSON."""

    value: object
    start: int
    end: int
    complete: bool


def values_of(text: str, key: str) -> list[FieldValue]:
    """Return every value that a text gives a key, at any depth; letter case and Unicode form of the key do not matter.

    Complete JSON objects are read first; only where there are none is the text searched for ``"key": value``.

    Examples
    --------
    >>> [value.value for value in values_of('Sure! {"answer": "B", "Reason": "x"}', "Answer")]
    ['B']
    >>> [value.value for value in values_of('{"Answer": "A", "Reason": "It is im', "Answer")]
    ['A']
    """
    return [*_decoded_values(text, key)] or [*_salvaged_values(text, key)]


def _composed(name: str) -> str:
    """Return a key as keys are compared."""
    return unicodedata.normalize("NFC", name).casefold()


def _decoded_values(text: str, key: str) -> Iterator[FieldValue]:
    """Values of complete JSON objects, in all their pairs: a key may be given twice."""
    members: list[tuple[str, object]] = []

    def keep(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members.extend(pairs)
        return dict(pairs)

    composed = _composed(key)
    decoder = json.JSONDecoder(strict=False, parse_constant=str, object_pairs_hook=keep)
    place, patience = text.find("{"), PATIENCE
    while place >= 0 and patience > 0:
        members.clear()
        try:
            _, end = decoder.raw_decode(text, place)
            for name, value in members:
                if _composed(name.strip(" :*_")) == composed:
                    begin = max(place, text.find(f'"{name}"', place, end) + len(name) + 2)
                    at = text.find(str(value), begin, end)
                    yield FieldValue(value, begin, at + len(str(value)) if at >= 0 else end, True)
        except json.JSONDecodeError as error:
            patience -= 100 + error.pos - place
            end = place + 1
        except (ValueError, RecursionError):
            return  # an integer of thousands of digits; thousands of braces
        place = text.find("{", end)


def _salvaged_values(text: str, key: str) -> Iterator[FieldValue]:
    """Values after a key at the beginning of a line or a field; ``"A" or "B"`` is one value."""
    forms = "|".join(
        re.escape(form) for form in dict.fromkeys((key, unicodedata.normalize("NFD", key)))
    )
    for match in re.finditer(rf"{START}(?:{forms}){VALUE}{WORD}", text, re.IGNORECASE):
        group = match.lastindex or 0
        more = MORE.match(text, match.end())
        value = text[match.start(group) : more.end()] if more else match[group]
        yield FieldValue(value.strip(), match.start(group), match.end(group), False)


_CANNOT = (
    r"(?:can(?:no|')?t|can not|could not|couldn't|am (?:not able|unable)|'m (?:not able|unable)"
    r"|will not|won't|would not|wouldn't|must decline)"
)
_ANSWERING = (
    "agree|answer|assist|choose|comment|complete|condone|create|decide|determine|discuss|engage|estimate|evaluate|fulfil"
    "|fulfill|generate|give|help|judge|make|offer|participate|pick|provide|rate|respond|say|select|speculate|support|take"
)
_MISSING = "personal |any |enough |access |specific |the ability|sufficient |data|an opinion|opinions|statistics"
_HARD = "(?:difficult|hard|challenging|tricky)"
_BOTH = (
    "(?:of them |of you |people |sides |parties |are |is )+(?:right|correct|wrong|at fault|valid)"
)
REFUSAL = re.compile(
    r"\b(?:"
    rf"(?:i|we)\s?{_CANNOT}\b(?:\s+\w+){{0,3}}?\s+(?:{_ANSWERING})\b"
    r"|as an? (?:ai|artificial|large language|language)\b"
    r"|i(?:'m| am) (?:(?:just |only )?an? (?:ai|language model|large language model|assistant)|sorry|afraid)\b"
    rf"|(?:do not|don't) have (?:{_MISSING})"
    r"|(?:it's|is) (?:not possible|impossible|not appropriate|inappropriate|not ethical)\b"
    rf"|it(?:'s| is) (?:\w+ )?{_HARD} to (?:\w+ )?(?:determine|say|estimate|give|provide|judge|tell|know)"
    r"|i(?:'d| would) (?:rather|prefer) not\b"
    r"|(?:decline|refuse) to\b"
    rf"|(?:both|neither) {_BOTH}"
    r"|there is no (?:right|correct|single|definitive|clear) (?:answer|person)"
    r"|je ne (?:peux|suis) pas\b.{0,30}\b(?:répondre|juger|choisir|capable)"
    r"|(?:kann|möchte) (?:ich |das |diese frage )*nicht (?:beantworten|beurteilen|entscheiden)"
    r"|no puedo (?:responder|contestar|elegir|juzgar|decidir)"
    r")|(?:无法|不能|無法)(?:回答|判断|判斷|选择|選擇|提供)"
    r"|申し訳|回答できません|お答えできません|判断できません|できかねます"
    r"|^\W{0,99}(?:i (?:do not|don't) know|no answer)\b",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Return whether a cleaned reply declines in its first `LONGEST` characters.

    Examples
    --------
    >>> refuses("I'm sorry, but I can't help with that."), refuses("Most people would agree.")
    (True, False)
    """
    return REFUSAL.search(text[:LONGEST]) is not None


TELLING = ("first_line", "marked")
"""Rules by which a later answer contradicts the first one."""

BORDER = "border"
"""The rule of a percentage between two options: it is no answer, and this is the reason."""


def readable(raw: str) -> Clean | Parsed:
    """Return a reply made readable, or why it is not read: it is empty, or longer than any answer."""
    text = clean(raw)
    if not text.text.strip():
        return Parsed(status="empty", rule="empty")
    long = len(text.text) > LONGEST or text.text.count("\n") > LINES
    return Parsed(status="unparsed", rule="too_long") if long else text


def read_by(
    raw: str,
    rules: Callable[[Clean], Iterator[Rule]],
    correction: Callable[[str], Correction | None],
) -> Parsed:
    """Return the answer of the first rule that finds one, or what the reply is instead.

    Parameters
    ----------
    raw
        The reply as it came. An empty one is not read, nor one that is longer than any answer.
    rules
        Makes of the cleaned reply the names of rules, in their order, with the answers that each finds. Two answers
        of one rule are ambiguous.
    correction
        Finds in the cleaned text the answer that is said to replace others.
    """
    text = readable(raw)
    if isinstance(text, Parsed):
        return text
    if (last := correction(text.text)) and (final := _replaced(text, rules, *last)):
        return final
    following = rules(text)
    for rule, places in following:
        labels = dict(reversed([*places]))
        if rule == BORDER and labels:
            return replace(AMBIGUOUS, rule=BORDER)
        if len(labels) > 1:
            return AMBIGUOUS
        for label, place in labels.items():
            # an answer in a field is not taken back beside it
            telling = [rule for rule in following if rule[0] in TELLING] if rule != "json" else []
            later = {label for _, places in telling for label, _ in places}
            conflict, span = bool(later - {label}), text.span(*place)
            return Parsed(status="ok", label=label, rule=rule, conflict=conflict, span=span)
    return REFUSED if refuses(text.text) else Parsed(status="unparsed", rule="none")


def _replaced(
    text: Clean, rules: Callable[[Clean], Iterator[Rule]], cue: int, final: list[Place]
) -> Parsed | None:
    """Return the answer of a correction, if all others that a rule finds stand before it.

    What a reply quotes, or says in a field of its JSON beside the answer, corrects nothing.
    """
    label, place = final[0]
    earlier: list[tuple[int, int]] = []
    for part in (text, Clean(text.text[:cue], text.origin)):
        answers = ((rule, [*places]) for rule, places in rules(part))
        rule, places = next(((rule, places) for rule, places in answers if places), ("", []))
        earlier = [span for name, span in places if name != label]
        if earlier:
            break
    if not earlier or max(earlier)[0] >= cue:
        return None
    before, between = text.text[:cue], text.text[max(end for _, end in earlier) : cue]
    opened = before.count("{") > before.count("}") or before.count('"') % 2
    apart = text.text[cue] == "," and re.search(r"[^\W\d]{2}", between)
    if (opened or apart) and not any(start <= cue < end for start, end in earlier):
        return None
    if len(final) > 1:
        return AMBIGUOUS
    return Parsed(status="corrected", rule=rule, label=label, span=text.span(*place))


def in_fields(values: Sequence[FieldValue], labels: Callable[[object], Iterable[str]]) -> Rule:
    """Return the labels that values name, each in the place of its value, by a rule that says whether JSON is whole."""
    rule = "json" if values and values[0].complete else "salvaged"
    places = (
        (label, (value.start, value.end)) for value in values for label in labels(value.value)
    )
    return rule, [*places]
