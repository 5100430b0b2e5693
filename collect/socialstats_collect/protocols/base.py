"""What protocols share: items, factors and conversation of one, prompt templates, and a reply's columns."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from socialstats.designs.instrument import Instrument
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import wrong_value
from socialstats.text import meant, quoted
from socialstats_collect.ask import Ask, Message, Reply, Unit
from socialstats_collect.parse import VERSION, ChoiceProbabilities, Parsed, choice_probabilities

PART = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|[{}]")


def fields(template: str, *, source: str = "template") -> tuple[str, ...]:
    """Return the columns a template needs, in order of appearance.

    Raises
    ------
    InputError
        For a brace that is neither a column nor doubled.

    Examples
    --------
    >>> fields("{name} and {other}, {{not this}}")
    ('name', 'other')
    """
    names = []
    for part in PART.finditer(template):
        if part[0] in "{}":
            fix = "Write a column as {column}, and a brace itself twice: {{ or }}"
            message = f"a lone '{part[0]}' at character {part.start() + 1}"
            raise InputError(Problem(message=message, source=source, fix=fix))
        if part[1] is not None:
            names.append(part[1].strip())
    return tuple(dict.fromkeys(names))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its columns filled in; braces inside the values are left alone.

    Raises
    ------
    InputError
        For a column that is not there, as in a log whose items were changed.

    Examples
    --------
    >>> fill("Is {name} right?", {"name": "{x}"})
    'Is {x} right?'
    """
    if lost := [name for name in fields(template) if name not in values]:
        raise InputError(
            f"an item has no column '{lost[0]}', which its text needs: the log was changed, or cut off"
        )
    return PART.sub(
        lambda part: values[part[1].strip()] if part[1] is not None else part[0][0],
        template,
    )


def require(template: str, columns: Iterable[str], *, source: str) -> None:
    """Raise where a template names a column that is not there.

    Raises
    ------
    InputError
        Naming the column, what there is, and the nearest spelling.
    """
    known = list(dict.fromkeys(columns))
    problems = []
    for name in [one for one in fields(template, source=source) if one not in known]:
        fix = meant(name, known).strip() or "Add the column to the items, or mend the template."
        message = (
            f"the template needs a column '{name}', but the items have only {', '.join(known)}"
        )
        problems.append(Problem(message=message, source=source, fix=fix))
    if problems:
        raise InputError(problems)


Conversation = Generator[Ask, Reply, None]
"""Yields requests and is sent their replies; it ends when the unit needs nothing more."""

Exchange = tuple[Ask, Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCalls:
    """The calls behind a row of the table.

    Parameters
    ----------
    reply
        The call whose reply the row holds; None: there is none yet.
    judge
        The call in which a judge scored it.
    calls
        All calls that led to the row, those of earlier wordings included.
    steps
        Step and model of the calls that the row takes; empty: every call of the unit.
    """

    reply: Exchange | None = None
    judge: Exchange | None = None
    calls: tuple[Exchange, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()

    def takes(self, ask: Ask) -> bool:
        """Return whether a call is one of the row's."""
        return not self.steps or (ask.step, ask.model) in self.steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A reply in the form that a text asks for, and what its parser makes of it.

    Parameters
    ----------
    text
        Name of the text.
    models
        Who would be asked with it.
    parameters
        What would be sent with it.
    reply, wanted
        The reply, and the label that stands in it.
    parsed
        What the parser read.
    key
        The key that was looked for, where a reply has several.
    fix
        What to do where it was read wrong.
    """

    text: str
    models: tuple[str, ...]
    parameters: Mapping[str, Any]
    reply: str
    wanted: str
    parsed: Parsed
    key: str = ""
    fix: str = ""


SHOWN = re.compile(r"\{[^{}]*\}")
ASKED = re.compile(
    r'["\u201c]([^"\u201c\u201d\n:]{1,80})["\u201d]\s*:\s*(-?\d+(?:\.\d+)?(?![\w.]))?'
)
"""A key of the JSON that a prompt shows, and the number that it shows beside it."""


def keys_asked(prompt: str) -> dict[str, str]:
    """Return the keys of the JSON reply that a prompt shows, each with the number beside it, if any.

    Examples
    --------
    >>> keys_asked('Reply as {"care": 7, "why": "..."}, and nothing else. "Care": concern for others')
    {'care': '7', 'why': ''}
    """
    shown = [match for braces in SHOWN.finditer(prompt) for match in ASKED.finditer(braces[0])]
    return {match[1].strip(): match[2] or "" for match in shown}


def as_asked(prompt: str, key: str, label: str) -> str:
    """Return a reply in the form that a prompt asks for: JSON with the keys that it shows, or the label alone.

    The label stands under the key, or under the first one where the prompt shows others.

    Examples
    --------
    >>> as_asked('Reply: {"answer": "A" or "B", "why": "..."}', "Answer", "B"), as_asked("A or B?", "Answer", "B")
    ('{"answer": "B", "why": "because"}', 'B')
    """
    keys = list(keys_asked(prompt))
    if not keys:
        return label
    place = next((one for one in keys if one.casefold() == key.casefold()), keys[0])
    return json.dumps(
        {one: label if one == place else "because" for one in keys}, ensure_ascii=False
    )


Varies = Callable[[str], bool]
"""Tells whether a column of a table holds more than one value, the absent ones aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run file sets for its protocol.

    Parameters
    ----------
    texts
        Texts that replace the protocol's own, by name: ``prompt``, ``judge``, ``rung_1``, ...
    system
        A system message, for every conversation.
    parameters
        Sent with every request of the respondents.
    judges
        Models that score replies, for protocols that use them.
    judge_parameters
        Sent with the judges' requests.
    options
        The protocol's own settings, checked by it.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    judge_parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@cache
def default_texts(name: str) -> Mapping[str, str]:
    """Return a protocol's own texts by name, as `collect --new` writes them.

    Examples
    --------
    >>> default_texts("who-is-right")["rung_2"]
    '{question}\\nThe answer is'
    """
    found = sorted(
        (files("socialstats_collect") / "new" / name / "texts").iterdir(), key=lambda one: one.name
    )
    return {
        one.name.removesuffix(".txt"): one.read_text("utf-8").removesuffix("\n") for one in found
    }


class CollectionProtocol(ABC):
    """A way of asking. Instances are made from `Settings` and hold no state of a run.

    Attributes
    ----------
    columns
        Columns that the items must have (or factors of the same name).
    orders
        Names of the orders in which options can be shown; one name where there is nothing to order.
    texts
        Every text that is sent, by name: the protocol's own, or what the run file has in their place.
    provides
        By text, the names it may use beside columns and factors; a text of a `family`, as ``rung_1``, goes by its name.
    lists
        Texts with one entry a line.
    family
        What a text's name may begin with that the protocol does not have: a further rung, a further form.
    factors
        Factors of the protocol's own, with the levels used by default.
    known
        Factors whose levels are fixed by the protocol, with all levels there are.
    takes
        Keys of the table ``[protocol]`` beside its name, with what each may hold.
    people
        The column of people's answers to the same items; empty where no person is asked.
    key
        The key of a JSON reply under which the parser looks for the answer.
    probable
        Options of the report that read the probabilities of answers in place of the sampled ones.
    instrument
        What judges score; None where there are none.
    """

    name = ""
    columns: tuple[str, ...] = ()
    orders: tuple[str, ...] = ("as given",)
    provides: Mapping[str, tuple[str, ...]] = {}
    lists: tuple[str, ...] = ()
    family = ""
    factors: Mapping[str, Sequence[str]] = {}
    known: Mapping[str, Sequence[str]] = {}
    takes: Mapping[str, Any] = {}
    people = ""
    key = "answer"
    probable: tuple[str, ...] = ("--probabilities", "p_")
    instrument: Instrument | None = None

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        given = ((name, value) for name, value in settings.options.items() if name in self.takes)
        if wrong := [
            one
            for name, value in given
            for one in wrong_value(f"protocol.{name}", value, self.takes[name])
        ]:
            raise InputError(wrong)
        own = default_texts(self.name)
        for name in settings.texts:
            if name not in own and not (self.family and name.startswith(f"{self.family}_")):
                fix = meant(name, own).strip() or f"There are: {', '.join(sorted(own))}."
                raise InputError(
                    Problem(message=f"protocol {self.name} has no text '{name}'", fix=fix)
                )
        self.texts: Mapping[str, str] = {**own, **settings.texts}

    def names(self, text: str) -> tuple[str, ...] | None:
        """Return the names that a text may use beside columns and factors; None of a list, which uses none."""
        text = "prompt" if text == "people" else text
        return (
            None
            if text in self.lists
            else self.provides.get(text, self.provides.get(text.partition("_")[0], ()))
        )

    def unordered(self) -> bool:
        """Return whether the prompt shows nothing of the order of the options, so that none may be drawn."""
        shown = {"option_a", "option_b", "option_1", "option_2", "actions", "names", "options"}
        return len(self.orders) > 1 and not shown & set(fields(self.texts["prompt"]))

    def once(self, item: Mapping[str, str]) -> bool:
        """Return whether an item is asked once, whatever the models: a control text, which judges score."""
        return False

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of ``socialstats report`` with which the study of the protocol reads the table."""
        return []

    def words(self, unit: Unit) -> dict[str, str]:
        """Return what the prompt of a unit may use beside its columns and factors, by name."""
        return {}

    def asked(self, unit: Unit) -> str:
        """Return the prompt of a unit."""
        return filled(self.texts["prompt"], unit, **self.words(unit))

    def conversation(self, unit: Unit) -> Conversation:
        """Return the conversation with a unit's model: one question, whose answer stays on record, however it is."""
        yield self.ask(unit, self.asked(unit))

    def ask(
        self,
        unit: Unit,
        text: str,
        *,
        after: Sequence[Message] = (),
        step: str = "answer",
        parent: str = "",
    ) -> Ask:
        """Return a request to a unit's own model; a seed in the parameters moves on with the replicates.

        Parameters
        ----------
        unit, text
            Who is asked, and what.
        after
            The messages of the conversation so far; without them it begins, with the system message where there is one.
        step, parent
            As in `Ask`.
        """
        sent = dict(self.settings.parameters)
        if isinstance(sent.get("seed"), int):
            sent["seed"] += unit.replicate - 1
        if self.settings.system and not after:
            after = ({"role": "system", "content": filled(self.settings.system, unit)},)
        messages = (*after, {"role": "user", "content": text})
        return Ask(
            model=unit.factors["model"],
            messages=messages,
            parameters=sent,
            step=step,
            replicate=unit.replicate,
            parent=parent,
        )

    def pair(self, unit: Unit) -> tuple[str, str]:
        """Return what the last two of the columns hold, in the order drawn."""
        one, two = (unit.item[name] for name in self.columns[-2:])
        return (two, one) if unit.factors.get("order") == self.orders[1] else (one, two)

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return what a person chooses from, as shown: the label that the parser would read, and the words."""
        return []

    @abstractmethod
    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return the table's rows for a unit: at least one, also where nothing was answered."""

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return every answer that the parser should read in replies of a unit; empty where any text is one."""
        return ()

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return what reads the replies of a unit."""
        return lambda text: Parsed(status="ok", rule="whole", label=text)

    def asking(self, unit: Unit) -> dict[str, str]:
        """Return every text that asks a unit's model for an answer, by name."""
        return {"prompt": self.asked(unit)}

    def examples(self, unit: Unit) -> Iterator[Example]:
        """Yield a reply for each answer, in the form that the texts ask for, as the parser reads it."""
        bare = replace(
            unit, item=dict.fromkeys(unit.item, "")
        )  # what an item says is no form of a reply
        for text, prompt in self.asking(bare).items():
            for label in self.labels(unit):
                reply = as_asked(prompt, self.key, label)
                yield Example(
                    text=text,
                    models=(unit.factors["model"],),
                    parameters=self.settings.parameters,
                    reply=reply,
                    wanted=label,
                    parsed=self.parser(unit)(reply),
                    fix=self.cure(prompt),
                )

    def faults(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """Yield what else is wrong with what a unit would be asked, and how to mend it."""
        yield from ()

    def cure(self, prompt: str) -> str:
        """Return what to do where the parser does not read the replies that a prompt asks for."""
        given = keys_asked(prompt)
        want = f'the key "{self.key}"' + (f" in place of {quoted(list(given), 3)}" if given else "")
        return f"Ask for {want}, and for one of the answers as it is declared."

    def sources(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[RowCalls]:
        """Return the calls behind each of the rows: the last reply is that of the row, unless a protocol differs."""
        return [RowCalls(reply=exchanges[-1] if exchanges else None, calls=tuple(exchanges))]

    def read(
        self,
        exchanges: Sequence[Exchange],
        parser: Callable[[str], Parsed],
        labels: Mapping[str, str],
        *,
        any_case: bool = False,
    ) -> dict[str, object]:
        """Return what the last reply says as columns, and where log-probabilities are asked for those of labels.

        The columns: answer, answer_status, rule, conflict, the reply's status and text. A cut-off reply is parsed as
        far as it goes.

        Parameters
        ----------
        exchanges
        parser
        labels
            Name in the table -> label as the reply spells it: the column of ``first`` is ``p_first``.
        any_case
            As in `choice_probabilities`.
        """
        reply = exchanges[-1][1] if exchanges else None
        parsed = decide(reply, parser) if reply else Parsed(status="empty", rule=NOT_ASKED)
        found: dict[str, object] = {
            "answer": parsed.label,
            "answer_status": parsed.status if reply else NOT_ASKED,
            "rule": parsed.rule,
            "conflict": parsed.conflict,
            "parser_version": VERSION,
            "reply_status": reply.status if reply else NOT_ASKED,
            "blocked_by": reply.blocked_by or None if reply else None,
            "reply_text": reply.content if reply else None,
        }
        if labels and self.settings.parameters.get("logprobs"):
            told = ChoiceProbabilities(reason="no_answer")
            if reply and parsed.label is not None:
                told = choice_probabilities(
                    reply.logprobs,
                    reply.content,
                    [*labels.values()],
                    parsed.span,
                    any_case=any_case,
                )
            least = 0.0 if told.bound is not None and told.bound <= UNLISTED else None
            given = ((name, told.p.get(label)) for name, label in labels.items())
            found |= {f"p_{name}": least if p is None else p for name, p in given}
            found |= {"p_rest": told.rest, "p_bound": told.bound, "p_reason": told.reason}
        return found

    def lines(self, text: str) -> list[str]:
        """Return the entries of a list."""
        return [line.strip() for line in self.texts[text].splitlines() if line.strip()]


def filled(template: str, unit: Unit, **more: str) -> str:
    """Return a template filled with a unit's columns, its factors, and what a protocol adds."""
    return fill(template, {**unit.item, **unit.factors, "item_id": unit.item_id, **more})


def replay(
    protocol: CollectionProtocol, unit: Unit, reply_to: Callable[[str], Reply | None]
) -> tuple[list[Exchange], Ask | None]:
    """Return a unit's requests and replies as far as a record goes, and the next request; None when finished."""
    conversation = protocol.conversation(unit)
    exchanges: list[Exchange] = []
    ask = next(conversation, None)
    while ask is not None and (reply := reply_to(ask.key)) is not None:
        exchanges.append((ask, reply))
        try:
            ask = conversation.send(reply)
        except StopIteration:
            ask = None
    return exchanges, ask


NO_WORDS = "nothing added"
"""How the table calls an empty level of a factor: an empty cell would be a missing value."""


def about(unit: Unit) -> dict[str, object]:
    """Return the columns with which every row of a unit begins: identifier, factors, replicate.

    The order of the options is called ``option_order``: ``order`` means other things to the studies.
    """
    named = {
        "option_order" if name == "order" else name: level or NO_WORDS
        for name, level in unit.factors.items()
    }
    return {"item_id": unit.item_id, **named, "replicate": unit.replicate}


UNLISTED = 0.001
"""The most that an answer which is not among the likeliest tokens may have, to count as 0."""

REFUSED = ("blocked", "refusal")
"""Statuses of a reply that say that it is a refusal, whatever its words."""

NOT_ASKED = "missing"
"""Status of a unit without any answer on record."""


def decide(reply: Reply, parser: Callable[[str], Parsed]) -> Parsed:
    """Return what a reply says: a person's choice, a block, a marked refusal, an answer, or a refusal in words.

    A filter's block and a marked refusal are refusals whatever else stands there.
    """
    if reply.choice is not None:
        return Parsed(status="ok", rule="person", label=reply.choice)
    if reply.status in REFUSED:
        return Parsed(
            status="refusal", rule="blocked" if reply.status == "blocked" else "marked_refusal"
        )
    return parser(reply.content)
