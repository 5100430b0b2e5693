"""The new command: a first declaration of a study, guessed from a table or a run, with the reason of each guess."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.vocabulary import BASELINES, CONTROLS, without_accents
from socialstats.errors import InputError
from socialstats.proposals.study_guess import (
    Guess,
    guess_of,
    guess_with,
    kind_of_values,
    met_by_units,
)
from socialstats.studies.declared.scoring import rest_correlations
from socialstats.studies.plan_files import read_plan
from socialstats.tables import read_table
from socialstats.tables.toml_files import toml_value
from socialstats.text import number, quoted
from socialstats_collect.drafting import is_run, run_table

Comments = Mapping[str, str]
COLUMN = 34  # at which comments begin
MOST_PAIRS = 3  # labels of a condition that are all compared with each other
BARE = re.compile(r"[A-Za-z0-9_-]+")
HEAD = """# A study of your own, guessed from {source}. Read every line, and correct it: docs/own-study.md.
# Then: {commands}
"""
OF_TABLE = (
    "socialstats check {source} --study {target}",
    "socialstats report {source} --study {target} -o page.html",
)
OF_RUN = (
    "socialstats collect {target} --dry-run",
    "socialstats collect {target}, socialstats tidy LOG.jsonl -o table.csv",
    "socialstats report table.csv --study {target} -o page.html",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDraft:
    """A guess, and what else the file of a study says.

    Attributes
    ----------
    guess : Guess
    ranges : mapping of str to pair of float
        The lowest and the highest value of scales; empty where the table says them.
    collect : str
        The section of what is asked; empty for a table.
    commands : tuple of str
        What to do next.
    """

    guess: Guess
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    collect: str = ""
    commands: tuple[str, ...] = OF_TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftContrast:
    """Two labels of a condition that are compared, the reason of their order, and the metric.

    `within` tells whether units have both labels.
    """

    name: str
    condition: ColumnProfile
    pair: tuple[str, str]
    why: str
    within: bool
    metric: str


def run(options: argparse.Namespace) -> int:
    """Write a first declaration of a study; nothing is replaced.

    Raises
    ------
    InputError
        Where the file is there already, and for a table without values of scales.
    """
    target = options.output or "study.toml"
    if target != "-" and Path(target).exists():
        raise InputError(
            f"{target} is there already, and new replaces nothing. Name another file with -o"
        )
    named = "study.toml" if target == "-" else target
    draft = draft_of(options, named)
    words = {"source": shlex.quote(options.data), "target": shlex.quote(named)}
    commands = [line.format(**words) for line in draft.commands]
    head = HEAD.format(source=options.data, commands="\n#       ".join(commands))
    text = head + declaration_of(draft, Path(options.data).stem)
    if target == "-":
        sys.stdout.write(text)
        return 0
    with Path(target).open("x", encoding="utf-8") as file:
        file.write(text)
    read_plan(target)
    print(f"wrote {target}. Read it, then: {commands[0]}", file=sys.stderr)
    return 0


def draft_of(options: argparse.Namespace, target: str) -> StudyDraft:
    """Return the draft of a study: from a run file, a log of collect, or a table."""
    path = Path(options.data)
    if not is_run(path):
        table = read_table(options.data, options.input_format, options.encoding)
        return StudyDraft(guess=guess_of(table))
    run = run_table(path)
    guess = guess_with(run.table, run.parts, [*run.ranges], "as collect writes it")
    beside = os.path.relpath(run.file, Path(target).parent) if run.file else ""
    # a study names files of its folder only
    inside = beside and not beside.startswith("..")
    lines = toml_section("[collect]", {"run": beside}, {"run": "what is asked"}) if inside else ""
    commands = OF_RUN if inside else OF_TABLE
    ranges = {name: run.ranges[items[0]] for name, items in guess.scales.items() if run.ranges}
    return StudyDraft(guess=guess, ranges=ranges, collect=lines, commands=commands)


def declaration_of(draft: StudyDraft, stem: str) -> str:
    """Return the file: study, data, scales, contrasts, questions, a table, and what is words."""
    guess = draft.guess
    drafted = drafted_contrasts(guess)
    sections = [study_section(stem), *data_sections(draft)]
    sections += [scale_section(draft, name, items) for name, items in guess.scales.items()]
    sections += [contrast_section(contrast) for contrast in drafted]
    sections += question_sections(guess, drafted)
    return "\n\n".join([*sections, *filter(None, [draft.collect])]) + "\n"


def toml_section(
    head: str, entries: Mapping[str, Any], why: Comments | None = None, lines: Sequence[str] = ()
) -> str:
    """Return a section of a file: its keys with comments, and further lines.

    Examples
    --------
    >>> print(toml_section("[study]", {"name": "s"}, {"name": "short"}))
    [study]
    name = "s"                         # short
    """
    why = why or {}
    written = [f"{key} = {toml_value(value)}" for key, value in entries.items()]
    comments = [f" # {why[key]}" if key in why else "" for key in entries]
    keys = [
        f"{line:<{COLUMN}}{comment}".rstrip()
        for line, comment in zip(written, comments, strict=True)
    ]
    return "\n".join([head, *keys, *lines])


def study_section(stem: str) -> str:
    """Return the section of name and title."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", without_accents(stem)).strip("-").casefold()
    entries = {
        "name": name or "own-study",
        "title": f"What does {stem} show?",
        "status": "exploratory",
    }
    status = '"confirmatory": what contrasts expect was written down before the data'
    return toml_section("[study]", entries, {"status": status})


def data_sections(draft: StudyDraft) -> list[str]:
    """Return the sections of values, and of the parts of columns with the reason of each."""
    guess = draft.guess
    entries: dict[str, Any] = {}
    why = {
        "levels": "from low to high",
        "scale": 'or "ordinal", with levels = [LOWEST, ..., HIGHEST]',
    }
    if ends := shared_range(draft):
        why["range"] = "the lowest and the highest value that an item can have"
    elif ends := value_range(guess):
        why["range"] = "the lowest and the highest value that an item can have; these occur"
    if ends:
        entries["range"] = [plain_number(end) for end in ends]
    kind = kind_of_values(guess)
    value = guess.first("value")
    if value is not None and kind == "ordered":
        entries["levels"] = conventional_order([*value.levels])
    elif value is not None and kind == "labels":
        entries["scale"] = "nominal"
    if is_incomplete(guess):
        entries["missing"] = "drop"
        why["missing"] = "units that lack an answer are left out, and counted"
    left = [c.name for c in guess.free()]
    idle = [f"# columns that play no part: {quoted(left, 12)}"] if left else []
    rows = [] if "unit" in guess.parts or guess.duel else ["# no unit: each row is one"]
    parts = {part: one_or_all([c.name for c in columns]) for part, columns in guess.parts.items()}
    sections = [
        toml_section("[data]", entries, why, idle) if entries or idle else "",
        toml_section("[data.map]", parts, guess.why, rows) if parts or rows else "",
    ]
    return [*filter(None, sections)]


def is_incomplete(guess: Guess) -> bool:
    """Return whether answers are missing, or whole rows of units that are compared."""
    values = guess.parts.get("value") or item_columns(guess)
    if any(column.filled < column.rows for column in values):
        return True
    unit = guess.first("unit")
    conditions = [
        c for c in guess.parts.get("condition", ()) if unit and met_by_units(guess, unit, c)
    ]
    return any(
        unit is not None and guess.profile.combinations(unit, c) < unit.size * c.size
        for c in conditions
    )


def shared_range(draft: StudyDraft) -> tuple[float, ...]:
    """Return the range of the first scale, which those that have another one state themselves."""
    return next(iter(draft.ranges.values()), ())


def plain_number(value: float) -> int | float:
    """Return a whole number without decimals."""
    return int(value) if float(value).is_integer() else value


def value_range(guess: Guess) -> tuple[float, ...]:
    """Return the lowest and the highest number of all items; nothing for labels."""
    columns = [value] if (value := guess.first("value")) else item_columns(guess)
    numbers = [x for column in columns for x in column.numbers or ()]
    if not guess.scales or any(column.numbers is None for column in columns):
        return ()
    return min(numbers), max(numbers)


def item_columns(guess: Guess, items: Sequence[str] = ()) -> list[ColumnProfile]:
    """Return the columns of items; by default those of all scales."""
    names = items or [name for columns in guess.scales.values() for name in columns]
    return [c for c in map(guess.profile.column, names) if c is not None]


def one_or_all(names: list[str]) -> str | list[str]:
    """Return a name, or several."""
    return names[0] if len(names) == 1 else names


def scale_section(draft: StudyDraft, name: str, items: Sequence[str]) -> str:
    """Return the section of a scale; items that may be reversed are named in a comment."""
    guess = draft.guess
    key = name if BARE.fullmatch(name) else toml_value(name)
    head = f"[scale.{key}]"
    entries: dict[str, Any] = {"items": [*items]}
    ends = draft.ranges.get(name, ())
    if ends != shared_range(draft):
        entries["range"] = [*map(plain_number, ends)]
    if "value" in guess.parts:
        return toml_section(head, entries)
    columns = item_columns(guess, items)
    if any(column.numbers is None for column in columns):
        labels = sorted({label for column in columns for label in column.levels})
        if order := conventional_order(labels):
            return toml_section(head, {**entries, "options": order}, {"options": "low to high"})
        order_them = "# put these in order, from low to high, and take the # of the next line away"
        return toml_section(head, entries, lines=[order_them, f"# options = {toml_value(labels)}"])
    correlations = rest_correlations(guess.profile.values(columns).T)
    low = {c.name: r for c, r in zip(columns, correlations.tolist(), strict=True) if r < 0}
    if not low:
        return toml_section(head, entries)
    named = ", ".join(f"{name} ({number(r, 2, bounded=True)})" for name, r in low.items())
    lines = [
        f"# negative correlation with the other items: {named}; if worded the other way:",
        f"# reversed = {toml_value([*low])}",
    ]
    return toml_section(head, entries, lines=lines)


def drafted_contrasts(guess: Guess) -> list[DraftContrast]:
    """Return what is compared of each condition: two labels, each with the control, or each of three with each.

    A condition that no metric compares has none.
    """
    kind = "numbers" if guess.scales else kind_of_values(guess)
    unit = guess.first("unit")
    drafted: list[DraftContrast] = []
    for condition in guess.parts.get("condition", []):
        within = unit is not None and met_by_units(guess, unit, condition)
        metric = QUESTIONS[kind].pairs if within else QUESTIONS[kind].groups
        # labels of several raters have no mean, which pairs and groups would compare
        if not metric or (kind != "numbers" and "rater" in guess.parts):
            continue
        pairs, why = pairs_of_labels(condition)
        for pair in pairs:
            drafted.append(
                DraftContrast(
                    name=f"difference{len(drafted) + 1 if drafted else ''}",
                    condition=condition,
                    pair=pair,
                    why=why,
                    within=within,
                    metric=metric,
                )
            )
    return drafted


def pairs_of_labels(condition: ColumnProfile) -> tuple[list[tuple[str, str]], str]:
    """Return the labels of a condition that are compared, in pairs, and the reason of their order."""
    levels = condition.levels
    if pair := later_and_earlier(levels):
        return [(x, pair[1]) for x in levels if x != pair[1]], "the later minus the earlier"
    plain = [x for x in levels if without_accents(x).casefold() in (*CONTROLS, *BASELINES)][:1]
    if plain:
        return [(x, plain[0]) for x in levels if x not in plain], "the control stands second"
    if len(levels) <= MOST_PAIRS:
        return [*combinations(levels, 2)], "in the order of letters: turn it where needed"
    return [(x, levels[0]) for x in levels[1:]], "each with the first in the order of letters"


def contrast_section(contrast: DraftContrast) -> str:
    """Return the section of a contrast."""
    entries = {"column": contrast.condition.name, "pair": [*contrast.pair]}
    expect = f'{"# expect = " + toml_value("greater"):<{COLUMN}} # or "less": what you expect'
    why = {"pair": f"the first minus the second ({contrast.why})"}
    return toml_section(f"[contrast.{contrast.name}]", entries, why, [expect])


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of values of a kind, and the metrics that answer: of the level, of pairs, of groups.

    A metric that does not exist for a kind is empty.
    """

    ask: str
    level: str
    pairs: str
    groups: str


SHARES = "How often is each label chosen?"
QUESTIONS = {
    "numbers": Questions(
        "How high are the means?", "mean_ratings", "paired_difference", "two_means"
    ),
    "ordered": Questions(SHARES, "choice_shares", "symmetry", "two_ordinal"),
    "labels": Questions(SHARES, "choice_shares", "symmetry", ""),
}


def question_sections(guess: Guess, drafted: Sequence[DraftContrast]) -> list[str]:
    """Return questions: means, contrasts, agreement of raters; and the means as a table."""
    if guess.duel:
        return duel_questions(guess)
    # scores of scales are numbers
    kind = "numbers" if guess.scales else kind_of_values(guess)
    words = QUESTIONS[kind]
    if guess.pair:
        return pair_questions(guess, words)
    source, rater, unit = map(guess.first, ("source", "rater", "unit"))
    sides = [c.name for c in (source, *guess.parts.get("condition", ())) if c is not None]
    dimensions = [*(["scale"] if guess.scales else []), *sides]
    level_cells = dimensions
    if kind != "numbers" and rater is None and source is not None and guess.parts.get("kind"):
        # sources are the raters, and shares are those of each kind
        level_cells = [name for name in dimensions if name != source.name]
    units, reasons = answer_units(guess) if kind != "numbers" else ({}, {})
    sections = [question("level", words.ask, words.level, level_cells, units, reasons)]
    for contrast in drafted:
        remaining = [name for name in dimensions if name != contrast.condition.name]
        first, second = contrast.pair
        ask = f"How much do {first} and {second} differ?"
        named = {"contrast": contrast.name, **units}
        why = {"metric": f"units have {'both labels' if contrast.within else 'one of the labels'}"}
        why |= reasons
        sections.append(question(contrast.name, ask, contrast.metric, remaining, named, why))
    if rater is not None and unit is not None:
        rated = {"unit": one_or_all([unit.name, *sides])}
        ask = "Do the raters agree?"
        cells = dimensions[: bool(guess.scales)]
        why = {"unit": "what is rated"}
        sections.append(question("agreement", ask, "krippendorff_alpha", cells, rated, why))
    if len(dimensions) > 1 and kind == "numbers":
        columns, *rows = dimensions
        entries = {"title": "Means", "question": "level", "rows": rows, "columns": columns}
        sections.append(toml_section("[[table]]", entries))
    return sections


def answer_units(guess: Guess) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the option that takes each repeated answer as a unit, and why: labels have no mean."""
    unit, repeat = map(guess.first, ("unit", "repeat"))
    if unit is None or repeat is None:
        return {}, {}
    return {"unit": [unit.name, repeat.name]}, {"unit": "labels have no mean over repeats"}


def question(
    id: str,
    ask: str,
    metric: str,
    dimensions: Sequence[str],
    options: Mapping[str, Any] | None = None,
    why: Comments | None = None,
) -> str:
    """Return the section of a question."""
    cells = {"each": [*dimensions]} if dimensions else {}
    entries = {"id": id, "ask": ask, "metric": metric, **cells, **(options or {})}
    return toml_section("[[question]]", entries, why)


def pair_questions(guess: Guess, words: Questions) -> list[str]:
    """Return the questions of two columns of values of each row: their difference, and each of them."""
    first, second = guess.pair
    column = guess.profile.column(first)
    numbers = {*(column.numbers or ())} if column is not None else set()
    metric = "mcnemar" if numbers <= {0.0, 1.0} and numbers else words.pairs
    sides = [c.name for c in guess.parts.get("source", ())]
    options = {"first": first, "second": second, **guess.options}
    ask = f"How much do {first} and {second} differ?"
    why = {"first": "the first minus the second"}
    sections = [question("difference", ask, metric, sides, options, why)]
    # counted rows have no units
    for k, name in enumerate(() if guess.options else guess.pair, 1):
        asks = f"{name}: {words.ask}"
        sections.append(question(f"level-{k}", asks, words.level, sides, {"value": name}))
    return sections


def duel_questions(guess: Guess) -> list[str]:
    """Return the questions of comparisons of two items: strengths, and shares of wins."""
    sides = [c.name for c in guess.parts.get("source", ())]
    options = {**guess.duel, **guess.options}
    strengths = "How strong are the items, given whom each met?"
    wins = "How often does each item win?"
    return [
        question("strengths", strengths, "bradley_terry", sides, options),
        question("wins", wins, "win_rates", sides, options),
    ]
