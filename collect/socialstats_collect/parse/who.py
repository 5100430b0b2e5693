"""Who of two people is right: a number, a name, or both where they belong together."""

from __future__ import annotations

import re
from functools import lru_cache

from socialstats_collect.parse.cues import AFTER, BEFORE, WIDE, Names, Place, alone, hedged, stated
from socialstats_collect.parse.text import Parsed, clean, readable, settled, unanswered, values_of

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
LEAD_IN = (
    r"(?:(?:it'?s|it is|clearly|definitely|probably|right|verdict|winner|sure|certainly|okay|ok|hmm|well|person"
    r"|the (?:one|person) who is right is|who is right\?)[\s,.:!]*)*"
)
REASON = r"\s*(?:because|since|as|who|for)\b"
END = AFTER.replace("(?!'\\w)", "(?!'(?!s\\b)\\w)")  # the name's own 's is not a part of it
PLAIN_END = r"[\s\"')\].!:]{0,9}"


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
    text = readable(raw)
    if isinstance(text, Parsed):
        return text
    people = clean(names[0]).text, clean(names[1]).text
    if _mismatched(text.text, people):
        return Parsed(status="ambiguous", rule="number_and_name_differ", conflict=True)
    for rule in (_whole, _field, _stated, _called_right, _begun):
        if found := settled(rule(text.text, people), rule.__name__.strip("_"), text):
            return found
    return unanswered(text.text)


@lru_cache(maxsize=20_000)
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern once: a design has hundreds of pairs of names, more than the cache of re holds."""
    return re.compile(text, re.IGNORECASE)


def _name(names: tuple[str, str], number: int) -> str:
    """A pattern for one name that is not a part of the other: Ann beside Mary Ann, Jean beside Jean-Luc."""
    name, other = names[number - 1], names[2 - number]
    after = f"(?!{re.escape(other[len(name) :])})" if other != name and other.startswith(name) else ""
    before = f"(?<!{re.escape(other[: -len(name)])})" if name and other != name and other.endswith(name) else ""
    return rf"{before}{BEFORE}(?-i:{re.escape(name)}){END}{after}"


def _option(names: tuple[str, str], number: int) -> str:
    """A pattern for naming person ``number``: the digit set off, with the name or without; or the name alone."""
    name = _name(names, number)
    return (
        rf"(?:(?<!\.){BEFORE}{number}(?![^\W{WIDE}]|%|\.\d)(?:\s*[).:\]-]{{0,3}}\s*\(?{name}\)?)?"
        rf"|{name}(?:\s*\((?:option )?{number}\))?)"
    )


def _options(names: tuple[str, str]) -> Names:
    return tuple((digit, _option(names, number)) for number, digit in enumerate(DIGITS, 1))


def _whole(text: str, names: tuple[str, str]) -> list[Place]:
    """The reply is one option and nothing more; then a name counts in any case."""
    found = []
    for number in (1, 2):
        way = rf"(?:(?:answer|response)\s*[:=]\s*)?[(\[]?({_option(names, number)})"
        for whole in (rf"[\s\"'(\[]{{0,9}}{way}", rf"\s*{LEAD_IN}({_name(names, number)}|{number})(?:番です)?"):
            if match := _pattern(rf"{whole}{PLAIN_END}").fullmatch(text):
                found.append((str(number), match.span(1)))
        if names[0] != names[1] and text.strip(" .!\n").casefold() == names[number - 1].casefold():
            found.append((str(number), (0, len(text))))
    return found or [one for one in [alone(text, DIGITS)] if one]


def _field(text: str, names: tuple[str, str]) -> list[Place]:
    """A field of a JSON reply."""
    return [
        (label, (one.start, one.end))
        for one in values_of(text, "answer")
        if one.whole
        for label, _ in _whole(str(one.value), names)
    ]


def _stated(text: str, names: tuple[str, str]) -> list[Place]:
    """After words such as "the answer is" or "I would choose"; a hedge names both."""
    return [
        (label, place)
        for label, place in stated(text, _options(names))
        if not UNSURE.search(text, max(0, place[0] - 20), place[0])
    ]


def _begun(text: str, names: tuple[str, str]) -> list[Place]:
    """Lines that begin with an option which nothing in them takes back; a name alone only at the very beginning."""
    found: list[Place] = []
    ways = [rf"({n}\s*[).:\]-]+\s*(?:{_name(names, n)}|$|{REASON})|{n}(?:\s*$|,?{REASON}))" for n in (1, 2)]
    ways += [rf"(?<!\n)({_name(names, n)})\s*(?:,?{REASON}|[.!](?!\w)|$|\s-\s)" for n in (1, 2)]
    opening = r"^[^\S\n]*(?:sure|okay|ok)?(?:[^\S\n]|[,.!:]){0,9}[(\[]?"
    for match in _pattern(rf"(?m){opening}(?:{'|'.join(ways)})").finditer(text):
        group = match.lastindex or 0
        if group < 3 or not text[: match.start()].strip():
            label, other = ("1", "2") if group % 2 else ("2", "1")
            listed = re.compile(rf"\W{{0,9}}{other}\s*[).:\]]").match(text, match.end())
            found += [(label, match.span(group)), *hedged(text, match.end(), label, _options(names))]
            found += [(other, match.span(group))] if listed else []
    return found


def _called_right(text: str, names: tuple[str, str]) -> list[Place]:
    """``NAME is right``, said by the model itself and not as a condition or a question."""
    found = []
    for number in (1, 2):
        other = _option(names, 3 - number)
        for match in _pattern(rf"(?:person )?{_option(names, number)}(?:\s*[).:\]-]{{1,3}})?{RIGHT}").finditer(text):
            before = text[max(0, match.start() - 80) : match.start()]
            if UNSURE.search(_own(before)) or _pattern(rf"{other},?\s+(?:and|or|&)\s+$").search(before):
                continue
            if not re.match(r"\s*(?:\?|if\b|unless\b|or\b)", text[match.end() :]):
                found.append((str(number), match.span()))
    return found


def _own(before: str) -> str:
    """The words of the same clause: a comma with but or so begins a new one, and so does "right and"."""
    return re.split(r",\s+(?:but|so|and|then|while)\b|\b(?:wrong|right),? (?:and|but)\b|[,;:]\s", before)[-1]


def _mismatched(text: str, names: tuple[str, str]) -> bool:
    """Whether a number stands beside the wrong name, as in ``1) Mary`` where 1 is James."""
    if names[0].casefold() == names[1].casefold():
        return False
    return any(
        _pattern(rf"(?<![\w.]){number}\s*[).:\]-]+\s*{_name(names, 3 - number)}").search(text)
        or _pattern(rf"{_name(names, 3 - number)}\s*\((?:option )?{number}\)").search(text)
        for number in (1, 2)
    )
