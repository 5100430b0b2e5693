"""What share of people agrees? Ordered options, in several forms, in rising or falling order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats.errors import InputError
from socialstats_collect.ask import Unit
from socialstats_collect.parse import Option, parse_options
from socialstats_collect.protocols.base import (
    Asking,
    Conversation,
    Exchange,
    Rows,
    Settings,
    about,
    ask,
    fields,
    filled,
    prompt,
    read,
    varies,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PARTS = {"letter", "share", "meaning"}


class Shares(Asking):
    """Ordinal question: ordered options, five of them unless the text ``options`` says otherwise.

    Items: ``text`` (a rule of thumb); best with ``area``. Text ``options``: one line an option in rising order, its
    words and its meaning with a colon between. Factor ``prompt``: the texts ``form_...`` to ask with; ``options`` (the
    options alone), ``described`` (each with its meaning), ``table`` (the options, and a table of their meanings), or a
    form of the user's own. ``answer`` is A (the lowest) to E whatever order was shown. The table is read by the study
    ordinal-alignment together with people's answers; ``source`` and ``rater`` are the model.

    Examples
    --------
    >>> [option.text for option in Shares(Settings()).offered("falling")][:2]
    ['>90%', '75%-90%']
    """

    name = "ordinal"
    orders = ("rising", "falling")
    columns = ("text",)
    provides: Mapping[str, tuple[str, ...]] = {"prompt": ("options",), "form": ("letter", "share", "meaning")}
    lists = ("options",)
    family = "form"
    factors: Mapping[str, Sequence[str]] = {"prompt": ("options",)}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.known = {"prompt": [name.removeprefix("form_") for name in self.texts if name.startswith("form_")]}
        self.shares = [tuple(part.strip() for part in line.partition(":")[::2]) for line in self.lines("options")]
        if not 2 <= len(self.shares) <= len(LETTERS) or len(set(self.shares)) < len(self.shares):
            raise InputError(
                "text 'options' needs 2 to 26 lines, each another option, such as '50%: people are divided'"
            )
        self.letters = LETTERS[: len(self.shares)]
        self.people = ("answer", tuple(self.letters))

    def conversation(self, unit: Unit) -> Conversation:
        """Ask once."""
        listed = self.listed(unit.factors["prompt"], unit)
        yield ask(self.settings, unit, prompt(self.settings, unit, filled(self.texts["prompt"], unit, options=listed)))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the answer in rising letters."""
        reply = exchanges[0][1] if exchanges else None
        order = unit.factors.get("order", "rising")
        found = read(reply, lambda text: parse_options(text, self.offered(order)))
        if found["answer"] is not None and order == "falling":
            found["answer"] = self.letters[::-1][self.letters.index(str(found["answer"]))]
        model = unit.factors["model"]
        return [
            {
                **about(unit),
                "source": model,
                "rater": model,
                **found,
                "reply_text": reply.content if reply else None,
            }
        ]

    def offered(self, order: str) -> tuple[Option, ...]:
        """Return the options as shown: letters always run from A, the shares rise or fall."""
        pairs = self.shares if order == "rising" else self.shares[::-1]
        return tuple(
            Option(letter=letter, text=share, descriptions=(meaning,) if meaning else ())
            for letter, (share, meaning) in zip(self.letters, pairs, strict=True)
        )

    def listed(self, form: str, unit: Unit) -> str:
        """Return the options as a form shows them: each line that names a part of an option, for every option."""
        shown: list[str] = []
        options = self.offered(unit.factors.get("order", "rising"))
        for line in self.texts[f"form_{form}"].split("\n"):
            each = options if PARTS & set(fields(line)) else options[:1]
            shown += [filled(line, unit, letter=o.letter, share=o.text, meaning="".join(o.descriptions)) for o in each]
        return "\n".join(shown)

    def report(self, rows: Rows) -> list[str]:
        """Return the options of the study ordinal-alignment; people are shared by all forms of the prompt."""
        people, forms = any(row.get("model") is None for row in rows), varies(rows, "prompt")
        rater = ["--map", "rater=rater", "--map", "rater_source=source"] if people else ["--map", "rater=model"]
        return ["--study", "ordinal-alignment", "--map", "unit=item_id", *rater, "--map", "value=answer", "--map",
                "status=answer_status", "--levels", ",".join(self.letters),
                *(["--strata", "area"] if varies(rows, "area") else []), *(["--by", "prompt"] if forms else []),
                *(["--shared", "people"] if forms and people else [])]  # fmt: skip
