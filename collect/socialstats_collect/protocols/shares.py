"""What share of people agrees? Five ordered options, in three forms, in rising or falling order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats_collect.ask import Unit
from socialstats_collect.parse import Option, Parsed, parse_options
from socialstats_collect.protocols.base import (
    Asking,
    Conversation,
    Exchange,
    about,
    ask,
    filled,
    prompt,
    read,
)

SHARES = ("<1%", "5%-25%", "50%", "75%-90%", ">90%")
MEANING = (
    "hardly anybody agrees",
    "some people agree, but few",
    "people are divided",
    "most people agree",
    "practically everybody agrees",
)
LETTERS = "ABCDE"
TEMPLATE = """Here is a rule of thumb:

{text}

What share of people probably agree with it?
{options}

Put your answer on the first line."""


class Shares(Asking):
    """Five-option ordinal question.

    Items: ``text`` (a rule of thumb); best with ``area``. Factor ``prompt``: ``options`` (the options alone),
    ``described`` (each with its meaning), ``table`` (the options, and a table of their meanings). ``answer`` is A
    (<1 %) to E (>90 %) whatever order was shown. The table is read by the study ordinal-alignment together with
    people's answers.

    Examples
    --------
    >>> [option.text for option in offered("falling")][:2]
    ['>90%', '75%-90%']
    """

    name = "ordinal"
    own_template = TEMPLATE
    orders = ("rising", "falling")
    columns = ("text",)
    provides = ("options",)
    known: Mapping[str, Sequence[str]] = {"prompt": ("options", "described", "table")}
    factors: Mapping[str, Sequence[str]] = {"prompt": ("options",)}

    def conversation(self, unit: Unit) -> Conversation:
        """Ask once."""
        text = filled(self.template, unit, options=listed(unit.factors["prompt"], unit.factors.get("order", "rising")))
        yield ask(self.settings, unit, prompt(self.settings, unit, text))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer in rising letters."""
        reply = exchanges[0][1] if exchanges else None
        order = unit.factors.get("order", "rising")
        found = read(reply, lambda text: self.parse(text, order))
        if found["answer"] is not None and order == "falling":
            found["answer"] = LETTERS[::-1][LETTERS.index(str(found["answer"]))]
        return [
            {
                **about(unit),
                "source": "model",
                "rater": unit.factors["model"],
                **found,
                "reply_text": reply.content if reply else None,
            }
        ]

    def parse(self, text: str, order: str) -> Parsed:
        """Read a reply in the letters that were shown."""
        return parse_options(text, offered(order))


def offered(order: str) -> tuple[Option, ...]:
    """Return the options as shown: letters always run from A, the shares rise or fall."""
    pairs = list(zip(SHARES, MEANING, strict=True))
    if order == "falling":
        pairs.reverse()
    return tuple(
        Option(letter=letter, text=share, descriptions=(meaning,))
        for letter, (share, meaning) in zip(LETTERS, pairs, strict=True)
    )


def listed(form: str, order: str) -> str:
    """Return the options as one of the three forms shows them."""
    options = offered(order)
    lines = [f"{option.letter}) {option.text}" for option in options]
    if form == "described":
        return "\n".join(f"{line}: {o.descriptions[0]}" for line, o in zip(lines, options, strict=True))
    if form == "table":
        table = ["| Share | Meaning |", "| --- | --- |", *(f"| {o.text} | {o.descriptions[0]} |" for o in options)]
        return "\n".join([*lines, "", *table])
    return "\n".join(lines)
