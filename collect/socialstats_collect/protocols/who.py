"""Who of two people is right? Asked in up to five wordings, each on record; the first that gets an answer counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from socialstats.errors import InputError
from socialstats_collect.ask import Reply, Unit
from socialstats_collect.parse import Parsed, parse_who
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Conversation,
    Exchange,
    Settings,
    Varies,
    about,
    decide,
    filled,
)

NAMES = {"1": "name_first", "2": "name_second"}


class Who(CollectionProtocol):
    """Who is right, with a ladder of rewordings.

    Items: ``text`` with ``NAME1`` and ``NAME2`` in it, ``name_first``, ``name_second``; best with ``scenario``,
    ``topic``, ``kind``, ``group_first``, ``group_second`` and ``pair``. Which person is number 1 is drawn, apart from
    who is named first in the story. ``answer`` is -1 for the first name and 1 for the second. ``rung`` is the last
    wording tried. Texts: ``prompt``, and ``rung_1``, ``rung_2``, ... around its ``{question}``. Option ``rungs``: how
    many of them to try. The table is read by the study relationship-bias.

    Examples
    --------
    >>> Who(Settings(options={"rungs": 2})).rungs
    2
    """

    name = "who-is-right"
    takes: Mapping[str, Any] = {"rungs": int}
    orders = ("first is 1", "second is 1")
    columns = ("text", "name_first", "name_second")
    provides: Mapping[str, tuple[str, ...]] = {
        "prompt": ("option_1", "option_2"),
        "rung": ("question", "option_1", "option_2"),
    }
    family = "rung"
    people = "answer"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        most = len(self.texts) - 1
        if ladder := set(self.texts) - {"prompt", "people", *(f"rung_{k}" for k in range(1, most))}:
            raise InputError(
                f"texts {', '.join(sorted(ladder))}: rungs are numbered rung_1, rung_2, ... without a gap"
            )
        self.rungs = settings.options.get("rungs", most)
        if not 1 <= self.rungs <= most:
            raise InputError(f"rungs = {self.rungs}: there are 1 to {most}")

    def conversation(self, unit: Unit) -> Conversation:
        """Ask, and ask in other words until there is an answer."""
        parent = ""
        for rung in range(self.rungs):
            text = self.worded(unit, rung)
            reply = yield self.ask(unit, text, step=f"rung {rung}", parent=parent)
            if self.answer(unit, reply).label is not None:
                return
            parent = reply.key

    def answer(self, unit: Unit, reply: Reply) -> Parsed:
        """Read a reply as a number of an option."""
        return decide(reply, self.parser(unit))

    def worded(self, unit: Unit, rung: int) -> str:
        """Return the question in the words of a rung; those of 0 are the prompt."""
        text = self.asked(unit)
        return (
            filled(self.texts[f"rung_{rung}"], unit, question=text, **self.words(unit))
            if rung
            else text
        )

    def asking(self, unit: Unit) -> dict[str, str]:
        """Return the prompt and every rewording that is tried."""
        return {
            f"rung_{rung}" if rung else "prompt": self.worded(unit, rung)
            for rung in range(self.rungs)
        }

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return the numbers of the two people."""
        return ("1", "2")

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return what reads a number or a name."""
        return partial(parse_who, names=self.pair(unit))

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the story with its names, and the names by their numbers."""
        one, two = self.pair(unit)
        story = re.sub("NAME([12])", lambda name: unit.item[NAMES[name[1]]], unit.item["text"])
        return {"text": story, "option_1": one, "option_2": two}

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the two people by their numbers."""
        return list(zip("12", self.pair(unit), strict=True))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer on the last wording that was tried."""
        # by the order drawn: both people may have the same name
        numbers = ("2", "1") if unit.factors.get("order") == self.orders[1] else ("1", "2")
        found = self.read(
            exchanges, self.parser(unit), dict(zip(("first", "second"), numbers, strict=True))
        )
        chosen = found.pop("answer")
        return [
            {
                **about(unit),
                "scenario": unit.item.get("scenario", unit.item_id),
                "answer": None if chosen is None else -1 if chosen == numbers[0] else 1,
                "rung": len(exchanges) - 1 if exchanges else None,
                "wordings_tried": len(exchanges),
                **found,
            }
        ]

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study relationship-bias."""
        return [
            "--study",
            "relationship-bias",
            *(["--by", "model"] if people or varies("model") else []),
        ]
