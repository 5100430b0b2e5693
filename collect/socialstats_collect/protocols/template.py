"""Any question of the user's own: one prompt an item, read by a parser of choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Choice,
    CollectionProtocol,
    Settings,
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
        columns = fields(self.texts["prompt"])
        self.columns = tuple(name for name in columns if name not in {"model", "item_id"})
        self.key = str(settings.options.get("key", "Answer"))
        self.reads = str(settings.options.get("parser", "none"))
        if self.reads not in PARSERS:
            raise InputError(f"parser '{self.reads}' is not one of {', '.join(PARSERS)}")
        self.offered = tuple(_option(choice) for choice in settings.options.get("choices", ()))
        if self.reads == "options" and len(self.offered) < 2:
            fix = 'Add choices = [{letter = "A", text = "yes"}, ...].'
            raise InputError(Problem(message="parser 'options' needs choices", fix=fix))
        letters = [option.letter for option in self.offered]
        labels = {
            "none": [],
            "options": letters,
            "json": [*map(str, settings.options.get("labels") or letters or ("A", "B"))],
            "action": [*ACTIONS],
        }
        self.labels: Sequence[str] = labels[self.reads]

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the labels, each with the text of the choice of that letter, where there is one."""
        texts = {option.letter: option.text for option in self.offered}
        return [
            Choice(label=label, words=texts.get(label, label), value=label) for label in self.labels
        ]

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return what the chosen parser reads."""
        if self.reads == "options":
            return parse_options(text, self.offered)
        if self.reads == "action":
            return parse_action(text)
        if self.reads == "json":
            return parse_answer(text, key=self.key, labels=self.labels)
        if not text.strip():
            return Parsed(status="empty", rule="empty")
        return super().parse(unit, text)

    def cure(self, prompt: str, key: str) -> str:
        """Return what to ask for, or what to declare."""
        cure, keys = super().cure(prompt, key), [*keys_asked(prompt)]
        if self.reads != "json" or not keys:
            return cure
        return f'{cure.removesuffix(".")}, or declare key = "{keys[0]}" in [protocol].'


def _option(choice: object) -> Option:
    if not isinstance(choice, dict) or not {"letter", "text"} <= choice.keys():
        raise InputError(f"choices: {choice!r} is not a table with letter and text")
    descriptions = tuple(str(words) for words in choice.get("descriptions", ()))
    letter, text = str(choice["letter"]), str(choice["text"])
    return Option(letter=letter, text=text, descriptions=descriptions)
