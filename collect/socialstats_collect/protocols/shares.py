"""What share of people agrees? Ordered options, in several forms, in rising or falling order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats.errors import InputError
from socialstats_collect.ask import Unit
from socialstats_collect.parse import Option, Parsed, parse_options
from socialstats_collect.protocols.base import (
    Choice,
    CollectionProtocol,
    Exchange,
    Row,
    Settings,
    Varies,
    fields,
    filled,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PARTS = {"letter", "share", "meaning"}


class Shares(CollectionProtocol):
    """Ordinal question: ordered options, five of them unless the text ``options`` says otherwise.

    Items: ``text`` (a rule of thumb); best with ``area``. Text ``options``: one line per option in rising order, its
    words and its meaning with a colon between. Factor ``prompt``: the texts ``form_...`` to ask with, or a form of the
    user's own. Forms are ``options`` (the options alone), ``described`` (each with its meaning) and ``table`` (a table
    of their meanings). ``answer`` is A (the lowest) to E whatever order was shown. The table is read by the study
    ordinal-alignment together with people's answers; ``source`` and ``rater`` are the model.

    Examples
    --------
    >>> [option.text for option in Shares(Settings()).offered("falling")][:2]
    ['>90%', '75%-90%']
    """

    name = "ordinal"
    orders = ("rising", "falling")
    columns = ("text",)
    provides: Mapping[str, tuple[str, ...]] = {
        "prompt": ("options",),
        "form": ("letter", "share", "meaning"),
    }
    lists = ("options",)
    family = "form"
    factors: Mapping[str, Sequence[str]] = {"prompt": ("options",)}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        forms = [name for name in self.texts if name.startswith("form_")]
        self.known = {"prompt": [name.removeprefix("form_") for name in forms]}
        lines = [line.partition(":") for line in self.lines("options")]
        self.shares = [(share.strip(), meaning.strip()) for share, _, meaning in lines]
        if not 2 <= len(self.shares) <= len(LETTERS) or len(set(self.shares)) < len(self.shares):
            line = "such as '50%: people are divided'"
            raise InputError(f"text 'options' needs 2 to 26 lines, each another option, {line}")
        self.letters = LETTERS[: len(self.shares)]

    def form(self, unit: Unit) -> str:
        """Return the text that shows the options."""
        return self.texts[f"form_{unit.factors['prompt']}"]

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the options as a form shows them: each line that names a part of an option, for every option."""
        lines: list[str] = []
        options = self.offered(self.order(unit))
        for line in self.form(unit).split("\n"):
            for option in options if PARTS & {*fields(line)} else options[:1]:
                meaning = "".join(option.descriptions)
                parts = {"letter": option.letter, "share": option.text, "meaning": meaning}
                lines.append(filled(line, unit, **parts))
        return {"options": "\n".join(lines)}

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the options in the order drawn, with their meanings where the form has them; values rise from A."""
        order = self.order(unit)
        described = "meaning" in fields(self.form(unit))
        values = self.letters if order == "rising" else self.letters[::-1]
        choices = []
        for option, value in zip(self.offered(order), values, strict=True):
            words = ": ".join([option.text, *(option.descriptions if described else ())])
            choices.append(Choice(label=option.letter, words=words, value=value, name=value))
        return choices

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return the letter of an option as shown."""
        return parse_options(text, self.offered(self.order(unit)))

    def facts(self, unit: Unit, exchanges: Sequence[Exchange], parsed: Parsed) -> Row:
        """Return the model as the source of the answer and as its rater."""
        model = unit.factors["model"]
        return {"source": model, "rater": model}

    def offered(self, order: str) -> tuple[Option, ...]:
        """Return the options as shown: letters always run from A, the shares rise or fall."""
        pairs = self.shares if order == "rising" else self.shares[::-1]
        return tuple(
            Option(letter=letter, text=share, descriptions=(meaning,) if meaning else ())
            for letter, (share, meaning) in zip(self.letters, pairs, strict=True)
        )

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study ordinal-alignment; people are shared by all forms of the prompt."""
        raters = ["--map", "rater=model"]
        if people:
            raters = ["--map", "rater=rater", "--map", "rater_source=source"]
        words = ["--study", "ordinal-alignment", "--map", "unit=item_id", *raters]
        words += ["--map", "value=answer", "--map", "status=answer_status"]
        words += ["--levels", ",".join(self.letters)]
        if varies("area"):
            words += ["--strata", "area"]
        if varies("prompt"):
            words += ["--by", "prompt", *(["--shared", "people"] if people else [])]
        return words
