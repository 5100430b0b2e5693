"""Before anybody is asked: replies as the texts ask for them, read by the parsers that will read the replies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from socialstats.errors import InputError, Problem
from socialstats.text import count, quoted, shorten
from socialstats_collect.ask import Ask, Unit
from socialstats_collect.budget import most_tokens
from socialstats_collect.design import RunDesign
from socialstats_collect.protocols.base import Example, keys_asked
from socialstats_collect.tally import tokens_of

MOST_ITEMS = 200  # items whose replies are rehearsed; the texts and parsers of all are the same
MOST_PROBLEMS = 20


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
    for unit in _units(design):
        for problem in _faults(design, unit):
            problems.setdefault(problem.message, problem)
        for example in design.protocol.examples(unit):
            for model, problem in _problems(design, unit, example):
                # one for all answers
                problems.setdefault((example.text, example.key, model), problem)
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems:
        raise InputError(list(problems.values())[:MOST_PROBLEMS])
    return list(dict.fromkeys(_unread(design)))


def _units(design: RunDesign) -> Iterator[Unit]:
    """Yield the first item in every cell, then other items in the first cell."""
    once = design.protocol.once
    items = [item for item in design.asked if not once(item.columns)] or list(design.asked)
    small = replace(design, items=tuple(items[:1]), factors=design.factors, replicates=1)
    yield from islice(small.units(), MOST_ITEMS)
    first = {name: levels[:1] for name, levels in design.factors.items()}
    yield from replace(
        design, items=tuple(items[1:MOST_ITEMS]), factors=first, replicates=1
    ).units()


def _faults(design: RunDesign, unit: Unit) -> Iterator[Problem]:
    labels = [choice.label for choice in design.protocol.choices(unit)]
    if twice := [label for label in dict.fromkeys(labels) if labels.count(label) > 1]:
        fix = "Give each answer a label of its own."
        yield Problem(
            message=f"answers have the same label: {quoted(twice, 5)}",
            source=design.run_file,
            fix=fix,
        )
    for message, fix in design.protocol.faults(unit):
        yield Problem(message=message, source=design.run_file, fix=fix)


def _problems(design: RunDesign, unit: Unit, example: Example) -> Iterator[tuple[str, Problem]]:
    """Yield what is wrong with the reading of an example, or with its length, and of which model."""
    settings = design.protocol.settings
    who, parameters = "model", settings.parameters
    models: tuple[str, ...] = (unit.factors["model"],)
    if example.text == "judge":
        who, models, parameters = "judge", settings.judges, settings.judge_parameters
    asked = f"a reply as text '{example.text}' asks for"
    parsed = example.parsed
    if parsed.status != "ok" or parsed.label != example.wanted:
        what = f"is not read as '{example.wanted}'"
        if example.key:
            what = f"has no readable score of '{example.key}'"
        why = parsed.rule if parsed.label is None else f"read as '{parsed.label}'"
        names = f"{who}{'s' if len(models) > 1 else ''} {quoted(models, 5)}"
        message = f"{names}: {asked} {what} ({why}): {shorten(example.reply, 120)}"
        yield models[0], Problem(message=message, source=design.run_file, fix=example.fix)
        return
    for model in models:
        most = most_tokens(Ask(model=model, messages=(), parameters=parameters))
        needed = tokens_of(example.reply, model)
        if most is not None and needed > most:
            cost = f"has about {count(needed, 'token')}, and max_tokens = {most} would cut it"
            message = f"{who} '{model}': {asked} {cost}"
            yield model, Problem(message=message, source=design.run_file, fix="Raise max_tokens.")


def _unread(design: RunDesign) -> Iterator[str]:
    """State which scores a judge text asks for that nobody reads."""
    unit = next(_units(design), None)
    declared = (
        {example.key.casefold() for example in design.protocol.examples(unit) if example.key}
        if unit
        else set()
    )
    prompt = design.protocol.texts.get("judge", "")
    if declared and (
        others := [
            key
            for key in keys_asked(prompt.replace("{{", "{").replace("}}", "}"))
            if key.casefold() not in declared
        ]
    ):
        yield f"text 'judge' asks for {quoted(others, 5)}, which [protocol] does not declare: it is not read"
