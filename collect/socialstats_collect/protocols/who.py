"""Who of two people is right? Asked in up to five wordings, each on record; the first that gets an answer counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from socialstats.errors import InputError
from socialstats_collect.ask import Unit
from socialstats_collect.parse import Parsed, parse_who
from socialstats_collect.protocols.base import (
    Choice,
    CollectionProtocol,
    Conversation,
    Exchange,
    Row,
    Settings,
    Varies,
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

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        most = len(self.texts) - 1
        if ladder := set(self.texts) - {"prompt", "people", *(f"rung_{k}" for k in range(1, most))}:
            texts = ", ".join(sorted(ladder))
            raise InputError(f"texts {texts}: rungs are numbered rung_1, rung_2, ... without a gap")
        self.rungs = settings.options.get("rungs", most)
        if not 1 <= self.rungs <= most:
            raise InputError(f"rungs = {self.rungs}: there are 1 to {most}")

    def conversation(self, unit: Unit) -> Conversation:
        """Ask, and ask in other words until there is an answer."""
        parent = ""
        for rung in range(self.rungs):
            text = self.worded(unit, rung)
            reply = yield self.ask(unit, text, step=f"rung {rung}", parent=parent)
            if self.read(unit, reply).label is not None:
                return
            parent = reply.key

    def worded(self, unit: Unit, rung: int) -> str:
        """Return the question in the words of a rung; those of 0 are the prompt."""
        question = self.asked(unit)
        if rung == 0:
            return question
        return filled(self.texts[f"rung_{rung}"], unit, question=question, **self.words(unit))

    def asking(self, unit: Unit) -> dict[str, str]:
        """Return the prompt and every rewording that is tried."""
        names = ["prompt", *(f"rung_{rung}" for rung in range(1, self.rungs))]
        return {name: self.worded(unit, rung) for rung, name in enumerate(names)}

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the story with its names, and the names by their numbers."""
        first, second = self.pair(unit)
        story = re.sub("NAME([12])", lambda name: unit.item[NAMES[name[1]]], unit.item["text"])
        return {"text": story, "option_1": first, "option_2": second}

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the two people by their numbers; values go by the order, as both may have the same name."""
        people = [("first", -1), ("second", 1)]
        if self.order(unit) == self.orders[1]:
            people.reverse()
        return [
            Choice(label=label, words=words, value=value, name=name)
            for label, words, (name, value) in zip("12", self.pair(unit), people, strict=True)
        ]

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return the number of a person."""
        return parse_who(text, names=self.pair(unit))

    def facts(self, unit: Unit, exchanges: Sequence[Exchange], parsed: Parsed) -> Row:
        """Return the scenario, and the wordings that were tried."""
        tried = len(exchanges)
        return {
            "scenario": unit.item.get("scenario", unit.item_id),
            "rung": tried - 1 if tried else None,
            "wordings_tried": tried,
        }

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study relationship-bias."""
        by = ["--by", "model"] if people or varies("model") else []
        return ["--study", "relationship-bias", *by]
