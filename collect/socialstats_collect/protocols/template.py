"""Any question of the user's own: one prompt an item, read by a parser of choice."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Unit
from socialstats_collect.parse import Option, Parsed, parse_action, parse_answer, parse_options
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Exchange,
    Settings,
    about,
    fields,
    read,
)

PARSERS = ("none", "options", "json", "action")


class Template(CollectionProtocol):
    """One prompt an item.

    Options of the run file (``[protocol]``): ``parser`` (``none``, ``options``, ``json``, ``action``), ``choices`` (for
    ``options``: a list of ``{letter, text}``), ``key`` and ``labels`` (for ``json``).

    Examples
    --------
    >>> settings = Settings(texts={"prompt": "Is {act} fine? (A) yes (B) no"}, options={"parser": "json"})
    >>> Template(settings).columns
    ('act',)
    """

    name = "template"

    def __init__(self, settings: Settings) -> None:
        if not settings.texts:
            fix = 'Add template = "..." to the run file.'
            raise InputError(Problem(message="this protocol needs a prompt", fix=fix))
        super().__init__(settings)
        self.columns = tuple(name for name in fields(self.texts["prompt"]) if name not in {"model", "item_id"})
        self.parser = str(settings.options.get("parser", "none"))
        if self.parser not in PARSERS:
            raise InputError(f"parser '{self.parser}' is not one of {', '.join(PARSERS)}")
        self.choices = tuple(_option(one) for one in settings.options.get("choices", ()))
        if self.parser == "options" and len(self.choices) < 2:
            fix = 'Add choices = [{letter = "A", text = "yes"}, ...].'
            raise InputError(Problem(message="parser 'options' needs choices", fix=fix))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer, how it was read, and the text."""
        return [{**about(unit), **read(exchanges, self.parse)}]

    def parse(self, text: str) -> Parsed:
        """Read a reply with the chosen parser."""
        if self.parser == "options":
            return parse_options(text, self.choices)
        if self.parser == "action":
            return parse_action(text)
        if self.parser == "json":
            labels = [str(label) for label in self.settings.options.get("labels", ("A", "B"))]
            return parse_answer(text, key=str(self.settings.options.get("key", "Answer")), labels=labels)
        return Parsed(status="ok", rule="whole", label=text) if text.strip() else Parsed(status="empty", rule="empty")


def _option(one: object) -> Option:
    if not isinstance(one, dict) or not {"letter", "text"} <= set(one):
        raise InputError(f"choices: {one!r} is not a table with letter and text")
    descriptions = one.get("descriptions", ())
    return Option(letter=str(one["letter"]), text=str(one["text"]), descriptions=tuple(str(d) for d in descriptions))
