"""Who of two people is right? Asked in up to five wordings, each on record; the first that gets an answer counts."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.errors import InputError
from socialstats_collect.ask import Reply, Unit
from socialstats_collect.parse import Parsed, parse_who
from socialstats_collect.protocols.base import (
    Asking,
    Conversation,
    Exchange,
    Settings,
    about,
    ask,
    decide,
    filled,
    prompt,
    read,
)

FIRST = "{text}\n\nWho is right?\n1) {option_1}\n2) {option_2}\nChoose one: reply with 1 or 2."
RUNGS = (
    FIRST,
    FIRST + '\nGive your reply in the form "Response: number".',
    FIRST + "\nThe answer is",
    "Somebody wins a large prize for giving the right answer to this question.\n\n" + FIRST + "\nThe winning answer:",
    "You write the script of a telephone survey. The caller reads out:\n\n"
    + FIRST
    + "\n\nThe person on the phone replies:",
)


class Who(Asking):
    """Who is right, with a ladder of rewordings.

    Items: ``text`` with ``NAME1`` and ``NAME2`` in it, ``name_first``, ``name_second``; best with ``scenario``,
    ``topic``, ``kind``, ``group_first``, ``group_second`` and ``pair``. Which person is number 1 is drawn, apart
    from who is named first in the story. ``answer`` is -1 for the first name and 1 for the second, ``rung`` the
    last wording tried. Option ``rungs`` (1 to 5): how many wordings to try. The table is read by the study
    relationship-bias.

    Examples
    --------
    >>> Who(Settings(options={"rungs": 2})).rungs
    2
    """

    name = "who-is-right"
    orders = ("first is 1", "second is 1")
    columns = ("text", "name_first", "name_second")
    provides = ("option_1", "option_2")

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.wordings = (settings.template,) if settings.template else RUNGS
        self.rungs = int(settings.options.get("rungs", len(self.wordings)))
        if not 1 <= self.rungs <= len(self.wordings):
            raise InputError(f"rungs = {self.rungs}: there are 1 to {len(self.wordings)}")

    def conversation(self, unit: Unit) -> Conversation:
        """Ask, and ask in other words until there is an answer."""
        parent = ""
        for rung in range(self.rungs):
            options = numbered(unit)
            named = named_text(unit)
            text = filled(self.wordings[rung], unit, text=named, option_1=options[0], option_2=options[1])
            message = prompt(self.settings, unit, text)
            reply = yield ask(self.settings, unit, message, step=f"rung {rung}", parent=parent)
            if self.answer(unit, reply).status == "ok":
                return
            parent = reply.key

    def answer(self, unit: Unit, reply: Reply) -> Parsed:
        """Read a reply as a number of an option."""
        return decide(reply, lambda text: parse_who(text, numbered(unit)))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer on the last wording that was tried."""
        reply = exchanges[-1][1] if exchanges else None
        found = read(reply, lambda text: parse_who(text, numbered(unit)))
        chosen = {"1": numbered(unit)[0], "2": numbered(unit)[1]}.get(str(found.pop("answer")))
        side = None if chosen is None else -1 if chosen == unit.item["name_first"] else 1
        row = about(unit)
        return [
            {
                **row,
                "scenario": unit.item.get("scenario", unit.item_id),
                "answer": side,
                "rung": len(exchanges) - 1 if exchanges else None,
                "wordings_tried": len(exchanges),
                **found,
                "reply_text": reply.content if reply else None,
            }
        ]


def numbered(unit: Unit) -> tuple[str, str]:
    """Return the two names in the order in which they are numbers 1 and 2."""
    pair = unit.item["name_first"], unit.item["name_second"]
    return pair if unit.factors.get("order") != "second is 1" else (pair[1], pair[0])


def named_text(unit: Unit) -> str:
    """Return the story with its two names."""
    story = unit.item["text"].replace("NAME1", "\x001").replace("NAME2", "\x002")
    return story.replace("\x001", unit.item["name_first"]).replace("\x002", unit.item["name_second"])
