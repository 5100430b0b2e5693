"""Who of two people is right: a number, a name, or both where they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from socialstats_collect.parse.cues import (
    AFTER,
    BEFORE,
    WIDE,
    Names,
    alone,
    corrected,
    hedged,
    named,
    pattern_of,
    stated,
)
from socialstats_collect.parse.text import (
    Clean,
    Parsed,
    Place,
    Rule,
    clean,
    in_fields,
    read_by,
    values_of,
)

DIGITS = ("1", "2")
SURELY = (
    "(?:(?:the one|the person|in this case|here) (?:who is |who's )?|more |clearly |definitely |probably |actually "
    "|entirely |absolutely )*"
)
RIGHT = (
    rf"(?:\s*\((?:option )?\d\))?(?:(?:\s+(?:is|was|would be)|'s)\s+{SURELY}(?:right|correct|in the right)\b"
    r"|\s+has a point and is right\b|\s+(?:hat|hätte)\s+recht\b|\s+a raison\b|\s+tiene (?:la )?razón\b|\s+ha ragione\b"
    r"|\s*是对的|\s*是正确的|\s*[がは]正しい)"
)
UNSURE = re.compile(
    r"(?:\b(?:not|never|neither|nor|nobody|no one|doubt|whether|if|unless|when|either|cannot|both)\b|n't\b"
    r"|\b(?:says|thinks|claims|argues|feels|believes|insists|said|thought|claimed|told)\b)[^.;!?\n]{0,40}$"
    r"|(?:^|[\n.!?]\s*)is\s+$",
    re.IGNORECASE,
)
REASON = r"\s*(?:because|since|as|who|for)\b"
END = AFTER.replace("(?!'\\w)", "(?!'(?!s\\b)\\w)")  # the name's own 's is not a part of it


def parse_who(raw: str, names: tuple[str, str]) -> Parsed:
    """Return "1" or "2": whom of two people a reply calls right.

    A number and a name beside it must belong together; an echo of both options, a denial (``James is not
    right``) and two answers are none. Names count with their capital letter: ``It will depend`` does not name Will.

    Parameters
    ----------
    raw
        The reply as it came.
    names
        The first and the second person, as they were named in the question.

    Examples
    --------
    >>> parse_who("2) Mary", ("James", "Mary")).label, parse_who("1) Mary", ("James", "Mary")).status
    ('2', 'ambiguous')
    """
    people = clean(names[0]).text, clean(names[1]).text
    marks = _marks_of(people)

    def rules(text: Clean) -> Iterator[Rule]:
        marked = _marked(text.text, people)
        fields = [value for value in values_of(text.text, "answer") if value.complete]
        alike = people[0].casefold() == people[1].casefold()
        yield "mismatched", [] if alike else _mismatched(marked, marks)
        yield "whole", _whole(text.text, people, marks)
        yield in_fields(
            fields, lambda value: [label for label, _ in _whole(str(value), people, marks)]
        )
        yield "stated", _stated(marked, marks)
        yield "called_right", _called_right(marked, marks)
        yield "begun", _leading_options(marked, marks)

    right = tuple((digit, f"(?:{ways})(?:{RIGHT})?") for digit, ways in _options(marks))
    return read_by(raw, rules, lambda text: corrected(_marked(text, people), right))


MARKS = ("\N{CYRILLIC CAPITAL LETTER ZEMLYA}", "\N{CYRILLIC CAPITAL LETTER DZELO}")
WIDE_MARKS = ("\N{CJK UNIFIED IDEOGRAPH-3401}", "\N{CJK UNIFIED IDEOGRAPH-3402}")
IS_WIDE = re.compile(f"[{WIDE}]")


def _marks_of(names: tuple[str, str]) -> tuple[str, str]:
    """Return the letters that stand for the two names, so that one set of patterns serves all names.

    Words of wide letters, as in Chinese, stand without blanks between them: their names have a wide mark.
    """
    first, second = (
        WIDE_MARKS[place] if IS_WIDE.match(name) else MARKS[place]
        for place, name in enumerate(names)
    )
    return (first, second) if names[0] != names[1] else (first, first)


BEGINS, ENDS = re.compile(BEFORE), re.compile(END)


def _marked(text: str, names: tuple[str, str]) -> str:
    """Return a text of the same length in which marks stand for the letters of each name.

    The longer name comes first: Mary Ann before Ann, Jean-Luc before Jean, which count where they stand alone. The
    letters of the longer name are never the shorter one: Jean-Lucas is neither Jean nor Jean-Luc.
    """
    marks = dict(zip(names, _marks_of(names), strict=True))
    longest, spelled = max(names, key=len), text
    # no pattern is compiled, as a design may have thousands of names
    for name in sorted({*names} - {""}, key=len, reverse=True):
        within = -1 if name == longest else longest.find(name)
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            part = 0 <= within <= start and spelled.startswith(longest, start - within)
            if not part and BEGINS.match(text, start) and ENDS.match(text, end):
                text = f"{text[:start]}{marks[name] * len(name)}{text[end:]}"
            start = text.find(name, start + 1)
    return text


def _name(marks: tuple[str, str], number: int) -> str:
    """Return the pattern of one name in a marked text."""
    return rf"{BEFORE}(?-i:{marks[number - 1]}++){END}"  # all of its letters, as wide ones end anywhere


@lru_cache(maxsize=16)
def _options(names: tuple[str, str]) -> Names:
    """Return ways of naming the first and the second: the digit set off, with or without the name; or the name."""
    ways = []
    for number, digit in enumerate(DIGITS, 1):
        name = _name(names, number)
        alone = rf"{name}(?:\s*\((?:option )?{number}\))?" if names[0] != names[1] else "(?!)"
        ways.append(
            (
                digit,
                rf"(?<!\.){BEFORE}{number}(?![^\W{WIDE}]|%|\.\d)(?:\s*[).:\]-]{{0,3}}\s*\(?{name}\)?)?|{alone}",
            )
        )
    return tuple(ways)


def _whole(text: str, names: tuple[str, str], marks: tuple[str, str]) -> list[Place]:
    """Return the option that is the reply and nothing more; then a name counts in any case."""
    bare = text.strip(" .!\n").casefold()
    plain = [
        (digit, (0, len(text)))
        for digit, name in zip(DIGITS, names, strict=True)
        if bare == name.casefold()
    ]
    return alone(_marked(text, names), _options(marks)) or plain


def _stated(text: str, names: tuple[str, str]) -> list[Place]:
    """Return options after words such as "the answer is" or "I would choose"; a hedge names both."""
    return [
        (label, place)
        for label, place in stated(text, _options(names))
        if not UNSURE.search(text, max(0, place[0] - 20), place[0])
    ]


def _leading_options(text: str, names: tuple[str, str]) -> list[Place]:
    """Return options with which lines begin; nothing in them takes it back, and a name alone begins the reply."""
    patterns = [_name(names, 1), _name(names, 2)]
    numbered = [
        rf"{number}\s*[).:\]-]+\s*(?:{name}|$|{REASON})|{number}(?:\s*$|,?{REASON})"
        for number, name in enumerate(patterns, 1)
    ]
    plain = [rf"{name}\s*(?:,?{REASON}|[.!](?!\w)|$|\s-\s)" for name in patterns]
    places: list[Place] = []
    for start, ways in (("^", numbered), (r"\A\s*", plain)):
        begins = rf"(?im){start}[^\S\n]*(?:sure|okay|ok)?(?:[^\S\n]|[,.!:]){{0,9}}[(\[]?"
        pairs = tuple(zip(DIGITS, ways, strict=True))
        for match in pattern_of(begins, pairs, "").finditer(text):
            (place,) = named(match, pairs)
            places += [place, *hedged(text, place, _options(names))]
            second = "2" if place[0] == "1" else "1"
            if re.compile(rf"\W{{0,9}}{second}\s*[).:\]]").match(text, match.end()):
                places.append((second, place[1]))
    return places


def _called_right(text: str, names: tuple[str, str]) -> list[Place]:
    """Return who is called right, ``NAME is right``, said by the model itself and not as a condition or a question."""
    options = _options(names)
    joined = pattern_of("(?i)", options, r",?\s+(?:and|or|&)\s+$")
    right = pattern_of(
        "(?i)(?:person )?",
        options,
        rf"(?:\s*[).:\]-]{{1,3}})?{RIGHT}(?!\s*(?:\?|(?:if|unless|or)\b))",
    )
    places: list[Place] = []
    for match in right.finditer(text):
        before = text[max(0, match.start() - 80) : match.start()]
        if not UNSURE.search(_clause(before)) and not joined.search(before):
            places += named(match, options)
    return places


def _clause(before: str) -> str:
    """Return the words of the same clause: a comma with but or so begins a new one, and so does "right and"."""
    return re.split(
        r",\s+(?:but|so|and|then|while)\b|\b(?:wrong|right),? (?:and|but)\b|[,;:]\s", before
    )[-1]


def _mismatched(text: str, names: tuple[str, str]) -> list[Place]:
    """Return both people, where a number stands beside the wrong name, as in ``1) Mary`` where 1 is James."""
    wrong = [
        rf"(?<![\w.]){number}\s*[).:\]-]+\s*{name}|{name}\s*\((?:option )?{number}\)"
        for number, name in ((1, _name(names, 2)), (2, _name(names, 1)))
    ]
    match = pattern_of("(?i)", tuple(zip(DIGITS, wrong, strict=True)), "").search(text)
    return [(digit, match.span()) for digit in DIGITS] if match else []
