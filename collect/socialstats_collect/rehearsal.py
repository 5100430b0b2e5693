"""Before anybody is asked: replies as the texts ask for them, read by the parsers that will read the replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from socialstats.errors import InputError, Problem
from socialstats.text import count, quoted, shorten
from socialstats_collect.ask import Ask, Unit
from socialstats_collect.budget import most_tokens
from socialstats_collect.design import RunDesign
from socialstats_collect.protocols.base import CollectionProtocol, Example, keys_asked
from socialstats_collect.tally import tokens_of

MOST_ITEMS = 200  # items whose replies are rehearsed; the texts and parsers of all are the same
MOST_PROBLEMS = 20
Fault = tuple[object, str, str]
"""What it is about, with one problem each; the message; the fix."""


def rehearse(design: RunDesign) -> list[str]:
    """Read an example of every answer with its parser, and return notes.

    Parameters
    ----------
    design
        What would be asked.

    Raises
    ------
    InputError
        Where a parser does not read the replies that a text asks for. It names the run file, who would be asked, the
        key or the answer, and the fix.
    """
    problems = dict[object, Problem]()
    for unit in _rehearsed_units(design):
        for about, message, fix in _faults(design.protocol, unit):
            problem = Problem(message=message, source=design.run_file, fix=fix)
            problems.setdefault(about, problem)
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems:
        raise InputError([*problems.values()][:MOST_PROBLEMS])
    return [*_undeclared(design.protocol)]


def _rehearsed_units(design: RunDesign) -> Iterator[Unit]:
    """Yield the first item in every cell, then other items in the first cell."""
    once = design.protocol.once
    items = [item for item in design.asked if not once(item.columns)] or design.asked
    first = {name: levels[:1] for name, levels in design.factors.items()}
    cells = replace(design, items=tuple(items[:1]), replicates=1)
    items_in_first = replace(cells, items=tuple(items[1:MOST_ITEMS]), factors=first)
    return chain(islice(cells.units(), MOST_ITEMS), items_in_first.units())


def _faults(protocol: CollectionProtocol, unit: Unit) -> Iterator[Fault]:
    """Yield what is wrong with what a unit would be asked."""
    labels = Counter(choice.label for choice in protocol.choices(unit))
    twice = [label for label, times in labels.items() if times > 1]
    if twice:
        message = f"answers have the same label: {quoted(twice, 5)}"
        yield message, message, "Give each answer a label of its own."
    for message, fix in protocol.faults(unit):
        yield message, message, fix
    for example in protocol.examples(unit):
        yield from _example_faults(protocol, unit, example)


def _example_faults(protocol: CollectionProtocol, unit: Unit, example: Example) -> Iterator[Fault]:
    """Yield what is wrong with the reading of an example, or with its length."""
    settings = protocol.settings
    who, parameters = "model", settings.parameters
    models: tuple[str, ...] = (unit.factors["model"],)
    if example.text == "judge":
        who, models, parameters = "judge", settings.judges, settings.judge_parameters
    reply = f"a reply as text '{example.text}' asks for"
    names = f"{who}{'s' if len(models) > 1 else ''} {quoted(models, 5)}"
    for key, label in example.labels.items():
        parsed = example.parsed[key]
        if parsed.status != "ok" or parsed.label != label:
            what = f"has no readable score of '{key}'" if key else f"is not read as '{label}'"
            why = parsed.rule if parsed.label is None else f"read as '{parsed.label}'"
            message = f"{names}: {reply} {what} ({why}): {shorten(example.reply, 120)}"
            yield (example.text, key, models), message, protocol.cure(example.prompt, key)
    for model in models:
        most = most_tokens(Ask(model=model, messages=(), parameters=parameters))
        needed = tokens_of(example.reply, model)
        if most is not None and needed > most:
            cost = f"has about {count(needed, 'token')}, and max_tokens = {most} would cut it"
            yield (example.text, model), f"{who} '{model}': {reply} {cost}", "Raise max_tokens."


def _undeclared(protocol: CollectionProtocol) -> Iterator[str]:
    """State which scores a judge text asks for that nobody reads."""
    declared = {name.casefold() for name in protocol.ranges}
    text = protocol.texts.get("judge", "").replace("{{", "{").replace("}}", "}")
    keys = [key for key in keys_asked(text) if key.casefold() not in declared]
    if declared and keys:
        undeclared = f"{quoted(keys, 5)}, which [protocol] does not declare"
        yield f"text 'judge' asks for {undeclared}: it is not read"
