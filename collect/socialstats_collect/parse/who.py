"""Who of two people is right: a number, a name, or both where they belong together."""

from __future__ import annotations

import re

from socialstats_collect.parse.clean import Clean, clean
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import Parsed

STATED = re.compile(
    r"(?:\b(?:answer|response|choice|verdict)\s*(?:is|:|would be)"
    r"(?:\s*(?:indeed|clearly|definitely|option|number|therefore|:))*"
    r"|\bi(?:'d| would| will)?\s+(?:choose|select|pick|say|answer|go with)(?:\s+(?:option|number|that))*"
    r"|\byou (?:choose|select|pick))\s*[\"'(\[]*$",
    re.IGNORECASE,
)
SURELY = "(?:the one (?:who is |who's )?|more |clearly |definitely |probably |actually |entirely )*"
RIGHT = rf"\s+(?:is|was|would be)\s+{SURELY}(?:right|correct)\b"


def parse_who(raw: str, names: tuple[str, str]) -> Parsed:
    """Return "1" or "2": whom of two people a reply calls right.

    A number and a name beside it must belong together; an echo of both options, a denial (``James is not
    right``) and two answers are none.

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
    text = clean(raw)
    if not text.text.strip():
        return Parsed(status="empty", rule="empty")
    if _mismatched(text.text, names):
        return Parsed(status="ambiguous", rule="number_and_name_differ", conflict=True)
    for rule in (_whole, _stated, _begun, _called_right, _single):
        found = rule(text.text, names)
        labels = {label for label, _ in found}
        if len(labels) > 1:
            return Parsed(status="ambiguous", rule="several", conflict=True)
        if labels:
            return _answer(text, found[0], rule.__name__.strip("_"))
    if refuses(text.text):
        return Parsed(status="refusal", rule="refusal")
    return Parsed(status="unparsed", rule="none")


Place = tuple[str, tuple[int, int]]


def _answer(text: Clean, found: Place, rule: str) -> Parsed:
    return Parsed(status="ok", label=found[0], rule=rule, span=text.span(*found[1]))


def _option(names: tuple[str, str], number: int) -> str:
    """A pattern for naming person ``number``: the digit set off, with the name or without; or the name alone."""
    name = re.escape(names[number - 1])
    return rf"(?:(?<![\w.]){number}(?![\w%]|\.\d)(?:\s*[).:\]-]+)?(?:\s*{name}(?!\w))?|(?<!\w){name}(?!\w))"


def _whole(text: str, names: tuple[str, str]) -> list[Place]:
    """The reply is one option and nothing more."""
    found = []
    for number in (1, 2):
        if match := re.fullmatch(
            rf"[\s\"'(\[]*(?:(?:answer|response)\s*[:=]\s*)?[(\[]?({_option(names, number)})[\s\"')\].!:]*",
            text,
            re.IGNORECASE,
        ):
            found.append((str(number), match.span(1)))
    return found


def _stated(text: str, names: tuple[str, str]) -> list[Place]:
    """After words such as "the answer is" or "I would choose"."""
    return [
        (str(number), match.span())
        for number in (1, 2)
        for match in re.finditer(_option(names, number), text, re.IGNORECASE)
        if STATED.search(text[max(0, match.start() - 60) : match.start()])
    ]


def _begun(text: str, names: tuple[str, str]) -> list[Place]:
    """Lines that begin with an option which nothing in them takes back."""
    found = []
    for line in re.finditer(r"[^\n]+", text):
        for number in (1, 2):
            match = re.match(
                rf"\s*[(\[]?({number}\s*[).:\]-]+\s*(?:{re.escape(names[number - 1])}(?!\w)|$|(?=\w)))",
                line[0],
                re.IGNORECASE,
            )
            if match:
                place = (line.start() + match.start(1), line.start() + match.end(1))
                found.append((str(number), place))
                if re.match(
                    rf"\s*(?:or\b|and\b|/|:)\s*{_option(names, 3 - number)}", line[0][match.end() :], re.IGNORECASE
                ):
                    found.append((str(3 - number), place))
    return found


def _called_right(text: str, names: tuple[str, str]) -> list[Place]:
    """``NAME is right``."""
    return [
        (str(number), match.span())
        for number in (1, 2)
        for match in re.finditer(rf"{_option(names, number)}{RIGHT}", text, re.IGNORECASE)
        if not re.search(
            r"\b(?:not|neither|nor|whether|if|both|and|or)\s+(?:\w+\s+)?$", text[: match.start()], re.IGNORECASE
        )
    ]


def _single(text: str, names: tuple[str, str]) -> list[Place]:
    """A short reply that names one person only, without a denial."""
    if len(text.split()) > 12 or re.search(r"\b(?:not|neither|both|n't|or)\b", text, re.IGNORECASE):
        return []
    return [
        (str(number), match.span())
        for number in (1, 2)
        for match in re.finditer(rf"(?<!\w){re.escape(names[number - 1])}(?!\w)", text, re.IGNORECASE)
    ]


def _mismatched(text: str, names: tuple[str, str]) -> bool:
    """Whether a number stands before the wrong name, as in ``1) Mary`` where 1 is James."""
    if names[0].casefold() == names[1].casefold():
        return False
    return any(
        re.search(rf"(?<![\w.]){number}\s*[).:\]-]+\s*{re.escape(names[2 - number])}(?!\w)", text, re.IGNORECASE)
        for number in (1, 2)
    )
