"""What protocols share: items, factors and conversation of one, prompt templates, and a reply's columns."""

from __future__ import annotations

import json
import re
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
    names = [*dict.fromkeys(columns)]
    problems = []
    for name in fields(template, source=source):
        if name not in names:
            fix = meant(name, names).strip() or "Add the column to the items, or mend the template."
            only = f"but the items have only {', '.join(names)}"
            message = f"the template needs a column '{name}', {only}"
            problems.append(Problem(message=message, source=source, fix=fix))
    if problems:
        raise InputError(problems)


Conversation = Generator[Ask, Reply, None]
"""Yields requests and is sent their replies; it ends when the unit needs nothing more."""

Exchange = tuple[Ask, Reply]
Row = dict[str, object]
"""A row of a table, by column."""

Step = tuple[str, str]
"""The name of a step of a conversation, and the model that is asked in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An answer that a question allows.

    Parameters
    ----------
    label
        What the parser reads in replies.
    words
        The answer as a person is shown it.
    value
        What the table has for it.
    name
        The column of its probability is ``p_NAME``; there is none without a name.
    """

    label: str
    words: str
    value: object
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A reply in the form that a text asks for, and what its parser makes of it.

    Parameters
    ----------
    text, prompt
        Name of the text, and what is sent.
    reply
        In the form that the text asks for.
    labels, parsed
        What stands in the reply, and what the parser read: by key, where it has several, or else by "".
    """

    text: str
    prompt: str
    reply: str
    labels: Mapping[str, str]
    parsed: Mapping[str, Parsed]


IN_BRACES = re.compile(r"\{[^{}]*\}")
KEY = re.compile(r'["\u201c]([^"\u201c\u201d\n:]{1,80})["\u201d]\s*:\s*(-?\d+(?:\.\d+)?(?![\w.]))?')
"""A key of the JSON that a prompt shows, and the number that it shows beside it."""


def keys_asked(prompt: str) -> dict[str, str]:
    """Return the keys of the JSON reply that a prompt shows, each with the number beside it, if any.

    Examples
    --------
    >>> keys_asked('Reply as {"care": 7, "why": "..."}, and nothing else. "Care": concern for others')
    {'care': '7', 'why': ''}
    """
    keys = [key for braces in IN_BRACES.findall(prompt) for key in KEY.finditer(braces)]
    return {key[1].strip(): key[2] or "" for key in keys}


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
    same = [name for name in keys if name.casefold() == key.casefold()]
    reply = dict.fromkeys(keys, "because") | {(same or keys)[0]: label}
    return json.dumps(reply, ensure_ascii=False)


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
    folder = files("socialstats_collect") / "new" / name / "texts"
    texts = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir())
    return {name.removesuffix(".txt"): text.removesuffix("\n") for name, text in texts}


class CollectionProtocol:
    """A way of asking: by default one question with a few answers. Instances hold no state of a run.

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
    column
        The column of the answers.
    key
        The key of a JSON reply under which the parser looks for the answer.
    any_case
        Whether a label counts in any letter case where probabilities are read.
    probable
        Options of the report that read the probabilities of answers in place of the sampled ones.
    instrument
        What judges score; None where there are none.
    ranges
        The scores of judges, each with the lowest and the highest.
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
    column = "answer"
    key = "answer"
    any_case = False
    probable: tuple[str, ...] = ("--probabilities", "p_")
    instrument: Instrument | None = None
    ranges: Mapping[str, tuple[float, float]] = {}

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        wrong: list[Problem] = []
        for name, kind in self.takes.items():
            if name in settings.options:
                wrong += wrong_value(f"protocol.{name}", settings.options[name], kind)
        if wrong:
            raise InputError(wrong)
        defaults = default_texts(self.name)
        for name in settings.texts:
            if name not in defaults and not (self.family and name.startswith(f"{self.family}_")):
                fix = meant(name, defaults).strip() or f"There are: {', '.join(sorted(defaults))}."
                message = f"protocol {self.name} has no text '{name}'"
                raise InputError(Problem(message=message, fix=fix))
        self.texts: Mapping[str, str] = {**defaults, **settings.texts}

    # what is asked

    def names(self, text: str) -> tuple[str, ...] | None:
        """Return the names that a text may use beside columns and factors; None of a list, which uses none."""
        if text in self.lists:
            return None
        text = "prompt" if text == "people" else text
        family, _, _ = text.partition("_")
        return self.provides.get(text) or self.provides.get(family, ())

    def unordered(self) -> bool:
        """Return whether the prompt shows nothing of the order of the options, so that none may be drawn."""
        return len(self.orders) > 1 and SHOW_OPTIONS.isdisjoint(fields(self.texts["prompt"]))

    def once(self, item: Mapping[str, str]) -> bool:
        """Return whether an item is asked once, whatever the models: a control text, which judges score."""
        return False

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the answers of a unit, in the order shown; empty where any text is one."""
        return ()

    def order(self, unit: Unit) -> str:
        """Return the order in which the options of a unit are shown."""
        return unit.factors.get("order") or self.orders[0]

    def pair(self, unit: Unit) -> tuple[str, str]:
        """Return what the last two of the columns hold, in the order drawn."""
        first, second = (unit.item[name] for name in self.columns[-2:])
        return (second, first) if self.order(unit) == self.orders[1] else (first, second)

    def words(self, unit: Unit) -> dict[str, str]:
        """Return what the prompt of a unit may use beside its columns and factors, by name."""
        return {}

    def lines(self, text: str) -> list[str]:
        """Return the entries of a list."""
        return [line.strip() for line in self.texts[text].splitlines() if line.strip()]

    def asked(self, unit: Unit, text: str = "prompt") -> str:
        """Return the prompt of a unit, or another text as the unit fills it."""
        return filled(self.texts[text], unit, **self.words(unit))

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

    # what was answered

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return the label that a reply of a unit gives."""
        return Parsed(status="ok", rule="whole", label=text)

    def read(self, unit: Unit, reply: Reply | None) -> Parsed:
        """Return what a reply says: a person's choice, a block, a marked refusal, an answer, or a refusal in words.

        A filter's block and a marked refusal are refusals whatever else stands there. A cut-off reply is parsed as far
        as it goes.
        """
        if reply is None:
            return Parsed(status="empty", rule=MISSING)
        if reply.choice is not None:
            return Parsed(status="ok", rule="person", label=reply.choice)
        if reply.status in REFUSED:
            return Parsed(status="refusal", rule=REFUSED[reply.status])
        return self.parse(unit, reply.content)

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[Row]:
        """Return the table's rows for a unit, one at least: by default the answer of the last reply."""
        reply = exchanges[-1][1] if exchanges else None
        parsed, choices = self.read(unit, reply), self.choices(unit)
        values: dict[str | None, object] = {choice.label: choice.value for choice in choices}
        row = {**about(unit), **self.facts(unit, exchanges, parsed)}
        row[self.column] = values.get(parsed.label, parsed.label)
        row["answer_status"] = parsed.status if reply else MISSING
        row |= {"rule": parsed.rule, "conflict": parsed.conflict, **cells_of_reply(reply)}
        named = sorted((choice.name, choice.label) for choice in choices if choice.name)
        if named and self.settings.parameters.get("logprobs"):
            row |= self.probabilities(unit, dict(named), reply, parsed)
        return [row]

    def steps(self, unit: Unit) -> Sequence[tuple[Step, ...]]:
        """Return the steps on which each row of a unit rests; none: on all, and it holds the last reply."""
        return [()]

    def facts(self, unit: Unit, exchanges: Sequence[Exchange], parsed: Parsed) -> Row:
        """Return what the row of an answer has beside the columns that all rows have."""
        return {}

    def probabilities(
        self, unit: Unit, labels: Mapping[str, str], reply: Reply | None, parsed: Parsed
    ) -> Row:
        """Return the probabilities of the answers as columns.

        Parameters
        ----------
        unit
        labels
            Name in the table -> label as the reply spells it: the column of ``first`` is ``p_first``.
        reply, parsed
            The reply, and what it says.
        """
        read = ChoiceProbabilities(reason="no_answer")
        if reply and parsed.label is not None:
            read = choice_probabilities(
                reply.logprobs,
                reply.content,
                [*labels.values()],
                parsed.span,
                any_case=self.any_case,
            )
        least = 0.0 if read.bound is not None and read.bound <= UNLISTED else None
        shares = {f"p_{name}": read.p.get(label) for name, label in labels.items()}
        columns: Row = {name: least if share is None else share for name, share in shares.items()}
        return columns | {"p_rest": read.rest, "p_bound": read.bound, "p_reason": read.reason}

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of ``socialstats report`` with which the study of the protocol reads the table."""
        return []

    # what is rehearsed before anybody is asked

    def asking(self, unit: Unit) -> dict[str, str]:
        """Return every text that asks a unit's model for an answer, by name."""
        return {"prompt": self.asked(unit)}

    def examples(self, unit: Unit) -> Iterator[Example]:
        """Yield a reply for each answer, in the form that the texts ask for, as the parser reads it."""
        # what an item says is no form of a reply
        bare = replace(unit, item=dict.fromkeys(unit.item, ""))
        for text, prompt in self.asking(bare).items():
            for choice in self.choices(unit):
                reply = as_asked(prompt, self.key, choice.label)
                yield Example(
                    text=text,
                    prompt=prompt,
                    reply=reply,
                    labels={"": choice.label},
                    parsed={"": self.parse(unit, reply)},
                )

    def faults(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """Yield what else is wrong with what a unit would be asked, and how to mend it."""
        yield from ()

    def cure(self, prompt: str, key: str) -> str:
        """Return what to do where the parser does not read, under a key, the replies that a prompt asks for."""
        keys = keys_asked(prompt)
        place = f" in place of {quoted(list(keys), 3)}" if keys else ""
        return f'Ask for the key "{self.key}"{place}, and for one of the answers as it is declared.'


SHOW_OPTIONS = {"option_a", "option_b", "option_1", "option_2", "actions", "names", "options"}
"""Names in a prompt where options stand."""


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


def about(unit: Unit) -> Row:
    """Return the columns with which every row of a unit begins: identifier, factors, replicate.

    The order of the options is called ``option_order``: ``order`` means other things to the studies.
    """
    named = {
        "option_order" if name == "order" else name: level or NO_WORDS
        for name, level in unit.factors.items()
    }
    return {"item_id": unit.item_id, **named, "replicate": unit.replicate}


def cells_of_reply(reply: Reply | None) -> Row:
    """Return the columns of the reply that a row holds."""
    return {
        "parser_version": VERSION,
        "reply_status": reply.status if reply else MISSING,
        "blocked_by": reply.blocked_by or None if reply else None,
        "reply_text": reply.content if reply else None,
    }


UNLISTED = 0.001
"""The most that an answer which is not among the likeliest tokens may have, to count as 0."""

REFUSED: Mapping[str, str] = {"blocked": "blocked", "refusal": "marked_refusal"}
"""Statuses of a reply that say that it is a refusal, whatever its words, and the rule by which it is read."""

MISSING = "missing"
"""Status of a unit without any answer on record."""
