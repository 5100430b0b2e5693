"""What share of people agrees? Ordered options, in several forms, in rising or falling order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from socialstats.errors import InputError
from socialstats_collect.ask import Unit
from socialstats_collect.parse import Option, Parsed, parse_options
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Exchange,
    Settings,
    Varies,
    about,
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
    people = "answer"
    factors: Mapping[str, Sequence[str]] = {"prompt": ("options",)}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.known = {
            "prompt": [
                name.removeprefix("form_") for name in self.texts if name.startswith("form_")
            ]
        }
        self.shares = [
            tuple(part.strip() for part in line.partition(":")[::2])
            for line in self.lines("options")
        ]
        if not 2 <= len(self.shares) <= len(LETTERS) or len(set(self.shares)) < len(self.shares):
            raise InputError(
                "text 'options' needs 2 to 26 lines, each another option, such as '50%: people are divided'"
            )
        self.letters = LETTERS[: len(self.shares)]

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the options as a form shows them: each line that names a part of an option, for every option."""
        shown: list[str] = []
        options = self.offered(unit.factors.get("order", "rising"))
        for line in self.texts[f"form_{unit.factors['prompt']}"].split("\n"):
            for one in options if PARTS & set(fields(line)) else options[:1]:
                meaning = "".join(one.descriptions)
                shown.append(filled(line, unit, letter=one.letter, share=one.text, meaning=meaning))
        return {"options": "\n".join(shown)}

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the options in the order drawn, with their meanings where the form of the prompt has them."""
        whole = "meaning" in fields(self.texts[f"form_{unit.factors['prompt']}"])
        return [
            (one.letter, ": ".join((one.text, *one.descriptions) if whole else (one.text,)))
            for one in self.offered(unit.factors.get("order", "rising"))
        ]

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return the letters of the options."""
        return self.letters

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return what reads the letter of an option as shown."""
        return partial(parse_options, options=self.offered(unit.factors.get("order", "rising")))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer in rising letters."""
        order = unit.factors.get("order", "rising")
        rising = dict(
            zip(
                self.letters, self.letters if order == "rising" else self.letters[::-1], strict=True
            )
        )
        found = self.read(exchanges, self.parser(unit), rising)
        found["answer"] = rising.get(str(found["answer"]))
        return [
            {
                **about(unit),
                "source": unit.factors["model"],
                "rater": unit.factors["model"],
                **found,
            }
        ]

    def offered(self, order: str) -> tuple[Option, ...]:
        """Return the options as shown: letters always run from A, the shares rise or fall."""
        pairs = self.shares if order == "rising" else self.shares[::-1]
        return tuple(
            Option(letter=letter, text=share, descriptions=(meaning,) if meaning else ())
            for letter, (share, meaning) in zip(self.letters, pairs, strict=True)
        )

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study ordinal-alignment; people are shared by all forms of the prompt."""
        forms = varies("prompt")
        rater = (
            ["--map", "rater=rater", "--map", "rater_source=source"]
            if people
            else ["--map", "rater=model"]
        )
        return [
            "--study",
            "ordinal-alignment",
            "--map",
            "unit=item_id",
            *rater,
            "--map",
            "value=answer",
            "--map",
            "status=answer_status",
            "--levels",
            ",".join(self.letters),
            *(["--strata", "area"] if varies("area") else []),
            *(["--by", "prompt"] if forms else []),
            *(["--shared", "people"] if forms and people else []),
        ]
