"""Any question of the user's own: one prompt an item, read by a parser of choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Unit
from socialstats_collect.parse import (
    ACTIONS,
    Option,
    Parsed,
    parse_action,
    parse_answer,
    parse_options,
)
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Exchange,
    Settings,
    about,
    fields,
    keys_asked,
)

PARSERS = ("none", "options", "json", "action")


class Template(CollectionProtocol):
    """One prompt an item.

    Options of the run file (``[protocol]``): ``parser`` (``none``, ``options``, ``json``, ``action``), ``choices`` (a
    list of ``{letter, text}``), ``key`` and ``labels`` (for ``json``; the letters of the choices by default). Text
    ``people``: what a person is shown above the choices or labels.

    Examples
    --------
    >>> settings = Settings(texts={"prompt": "Is {act} fine? (A) yes (B) no"}, options={"parser": "json"})
    >>> Template(settings).columns
    ('act',)
    """

    name = "template"
    takes: Mapping[str, Any] = {"parser": str, "choices": list, "labels": list, "key": str}

    def __init__(self, settings: Settings) -> None:
        if "prompt" not in settings.texts:
            fix = 'Add template = "..." to the run file.'
            raise InputError(Problem(message="this protocol needs a prompt", fix=fix))
        super().__init__(settings)
        self.texts = settings.texts
        self.columns = tuple(
            name for name in fields(self.texts["prompt"]) if name not in {"model", "item_id"}
        )
        self.key = str(settings.options.get("key", "Answer"))
        self.reads = str(settings.options.get("parser", "none"))
        if self.reads not in PARSERS:
            raise InputError(f"parser '{self.reads}' is not one of {', '.join(PARSERS)}")
        self.offered = tuple(_option(one) for one in settings.options.get("choices", ()))
        if self.reads == "options" and len(self.offered) < 2:
            fix = 'Add choices = [{letter = "A", text = "yes"}, ...].'
            raise InputError(Problem(message="parser 'options' needs choices", fix=fix))
        self.shown = [str(one) for one in settings.options.get("labels", ())] or [
            one.letter for one in self.offered
        ]
        self.people = (
            "answer" if self.shown and self.reads != "none" and "people" in self.texts else ""
        )

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the labels, each with the text of the choice of that letter, where there is one."""
        words = {one.letter: one.text for one in self.offered}
        return [(label, words.get(label, label)) for label in self.shown]

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer, how it was read, and the text."""
        return [{**about(unit), **self.read(exchanges, self.parse, {})}]

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return the labels of JSON answers, the letters of the choices, or the actions."""
        if self.reads == "json":
            return self.shown or ("A", "B")
        return {"options": [one.letter for one in self.offered], "action": tuple(ACTIONS)}.get(
            self.reads, ()
        )

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return the chosen parser."""
        return self.parse

    def cure(self, prompt: str) -> str:
        """Return what to ask for, or what to declare."""
        first = next(iter(keys_asked(prompt)), "")
        other = (
            f', or declare key = "{first}" in [protocol]' if self.reads == "json" and first else ""
        )
        return f"{super().cure(prompt).removesuffix('.')}{other}."

    def parse(self, text: str) -> Parsed:
        """Read a reply with the chosen parser."""
        if self.reads == "options":
            return parse_options(text, self.offered)
        if self.reads == "action":
            return parse_action(text)
        if self.reads == "json":
            return parse_answer(text, key=self.key, labels=self.shown or ("A", "B"))
        return (
            Parsed(status="ok", rule="whole", label=text)
            if text.strip()
            else Parsed(status="empty", rule="empty")
        )


def _option(one: object) -> Option:
    if not isinstance(one, dict) or not {"letter", "text"} <= set(one):
        raise InputError(f"choices: {one!r} is not a table with letter and text")
    descriptions = one.get("descriptions", ())
    return Option(
        letter=str(one["letter"]),
        text=str(one["text"]),
        descriptions=tuple(str(d) for d in descriptions),
    )
