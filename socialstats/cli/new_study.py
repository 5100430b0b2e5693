"""The new command: a first declaration of a study, guessed from a table, with the reason of each guess."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from socialstats.cli.guesses import is_cluster
from socialstats.cli.plan import read_plan, toml_value
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import contrasts, model_columns, names_raters, people_among
from socialstats.designs.vocabulary import (
    BASELINES,
    CONTROLS,
    KINDS_OF,
    REPEATS,
    SOURCES,
    UNITS,
    VALUES,
    without_accents,
)
from socialstats.errors import InputError
from socialstats.studies.declared.scoring import rest_correlations
from socialstats.tables import Table, read_table
from socialstats.text import as_given, count, number, quoted

Columns = list[ColumnProfile]
MOST_GRADES = 12  # labels of an item
MOST_LABELS = 6  # labels of a condition that is not called so
MOST_ITEMS = 60
WITHIN = 1.5  # labels of a condition that a unit has on average
UNNAMED = ("unnamed", "lettered")  # contrasts that only their labels tell
FEWEST_ITEMS = 2
BARE = re.compile(r"[A-Za-z0-9_-]+")
STEM = re.compile(r"[\W_]*\d+[a-zA-Z]?$")
HEAD = """# A study of your own, guessed from {source}. Read every line, and correct it: docs/own-study.md.
# Then: socialstats check {source} --study {target}
#       socialstats report {source} --study {target} -o page.html
"""


@dataclass
class Guess:
    """What the columns of a table may be.

    Attributes
    ----------
    parts : dict of part to columns
    scales : dict of name to items
    item, value : Column or None
        Of a table with a row for each item.
    why : dict of str to str
        The reason of each part.
    """

    profile: TableProfile
    parts: dict[str, Columns] = field(default_factory=dict)
    scales: dict[str, list[str]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> set[str]:
        """The columns that play a part."""
        return {column.name for columns in self.parts.values() for column in columns}

    def free(self) -> Columns:
        """Return the columns that vary and play no part."""
        items = {item for names in self.scales.values() for item in names}
        return [c for c in self.profile.varying() if c.name not in self.used | items]

    def take(self, part: str, columns: Sequence[ColumnProfile], why: str) -> None:
        """Let columns play a part, for a reason."""
        if columns:
            self.parts[part] = [*columns]
            self.why[part] = why

    def first(self, part: str) -> ColumnProfile | None:
        """Return the first column of a part."""
        return next(iter(self.parts.get(part, ())), None)


def run_new(options: argparse.Namespace) -> int:
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
    table = read_table(options.data, options.input_format, options.encoding)
    named = "study.toml" if target == "-" else target
    text = HEAD.format(source=options.data, target=named) + declaration_of(table, guess_of(table))
    if target == "-":
        sys.stdout.write(text)
        return 0
    with Path(target).open("x", encoding="utf-8") as file:
        file.write(text)
    read_plan(target)
    print(
        f"wrote {target}. Read it, then: socialstats report {options.data} --study {target}",
        file=sys.stderr,
    )
    return 0


def guess_of(table: Table) -> Guess:
    """Return what the columns of a table may be: names and labels first, then how they are crossed.

    Raises
    ------
    InputError
        Where no column holds values.
    """
    guess = Guess(TableProfile(table))
    profile = guess.profile
    take_sources(guess)
    take_items(guess)
    if not guess.scales:
        take_values(guess)
    compared = [made for made in contrasts(profile) if made.kind != "source"]
    if "kind" not in guess.parts:
        kinds = [c for c in guess.free() if c.called(SOURCES) and people_among(c)]
        guess.take("kind", kinds[:1], "tells people from models")
    take_units(guess)
    repeats = [c for c in guess.free() if c.called(REPEATS) and c.numbers is not None]
    guess.take("repeat", repeats[:1], "called like repeated answers, whose mean counts")
    if "value" in guess.parts:
        unnamed = [
            made.column for made in compared if made.kind in UNNAMED and made.column.size > 2
        ]
        numbered = [c for c in guess.free() if c.text and is_numbered(c)]
        take_item_column(guess, [*numbered, *(c for c in guess.free() if c in unnamed)])
    take_conditions(guess, [made.column for made in compared])
    if "value" in guess.parts and not guess.scales:
        take_item_column(guess, guess.free())
    take_clusters(guess)
    return guess


def take_sources(guess: Guess) -> None:
    """Take the columns of models and raters; a column of people and models tells the kinds of what lies within it."""
    profile = guess.profile
    models = model_columns(profile)[:1]
    mixed = [c for c in models or guess.free() if c.size <= MOST_LABELS and people_among(c)][:1]
    texts = [c for c in guess.free() if c.text and not c.prose]
    within = [
        c for c in texts if mixed and c.size > mixed[0].size and profile.constant(mixed[0], c)
    ]
    if within:
        guess.take("kind", mixed, "holds people and models")
        guess.take("rater", within[:1], "each of its labels is of one kind")
        return
    guess.take("source", models, "called like models, or holding names of models")
    raters = [c for c in guess.free() if names_raters(profile, c)]
    guess.take("rater", raters[:1], "called like raters or judges")


def take_conditions(guess: Guess, compared: Columns) -> None:
    """Take columns that are compared by their names, or else texts of few labels that differ within units."""
    named = [c for c in compared if c in guess.free() and not c.called(KINDS_OF)]
    guess.take("condition", named[:2], "labels that each unit or answer has one of")
    unit = guess.first("unit")
    if not named and unit is not None:
        few = [c for c in guess.free() if c.text and c.size <= MOST_LABELS and not c.prose]
        within = [c for c in few if guess.profile.combinations(unit, c) > WITHIN * unit.size]
        guess.take("condition", within[:1], "a few labels, of which each unit has several")


def take_clusters(guess: Guess) -> None:
    """Take a column that is called like clusters and has one label for each unit."""
    unit = guess.first("unit")
    if unit is not None:
        nested = [c for c in guess.free() if is_cluster(c) and guess.profile.constant(c, unit)]
        guess.take("cluster", nested[:1], "units with one label depend on each other")


def take_items(guess: Guess) -> None:
    """Take columns of grades whose names differ in a number as the items of a scale."""
    stems: dict[str, list[str]] = {}
    for column in guess.free():
        if is_item(column) and STEM.search(column.name):
            stems.setdefault(STEM.sub("", column.name), []).append(column.name)
    guess.scales = {
        stem or "scale": names for stem, names in stems.items() if len(names) >= FEWEST_ITEMS
    }


def is_item(column: ColumnProfile) -> bool:
    """Return whether a column holds grades: few whole or half numbers, or labels of a known order."""
    if not column.discrete or column.size > MOST_GRADES or column.describes or column.numbering:
        return False
    return column.numbers is not None or bool(conventional_order([*column.levels]))


def take_units(guess: Guess) -> None:
    """Take the column that is called like units and has most labels, or has most labels at all."""
    free = [c for c in guess.free() if c.names_things and not c.prose]
    called = [
        c for c in free if c.called(UNITS) and not (c.called(VALUES) and c.numbers is not None)
    ]
    chosen = sorted(called or [c for c in free if c.text], key=lambda c: -c.size)[:1]
    named = "called like units" if called else "the text with most labels"
    for column in chosen:
        rows = column.rows / column.size
        guess.take(
            "unit",
            [column],
            f"{named}; {count(column.size, 'label')}, {as_given(round(rows, 1))} rows each",
        )
    if not chosen and (rater := guess.first("rater")) is not None and rater.unique:
        # persons who answer themselves
        guess.parts["unit"] = guess.parts.pop("rater")
        guess.why["unit"] = "one row each"
        del guess.why["rater"]


def take_values(guess: Guess) -> None:
    """Take the column of values: numbers, or labels of a column that is called like answers.

    Raises
    ------
    InputError
        Where there is none.
    """
    free = [c for c in guess.free() if not (c.describes or c.numbering)]
    numbers = [c for c in free if c.numbers is not None]
    called = [c for c in numbers if c.called(VALUES)]
    grades = [c for c in numbers if is_item(c)]
    if len(grades) >= FEWEST_ITEMS and not called:
        guess.scales = {c.name: [c.name] for c in grades}
        return
    labels = [c for c in free if c.text and c.called(VALUES) and c.size <= MOST_GRADES]
    if called or (numbers and not labels):
        why = "called like values" if called else "the first column of numbers"
        guess.take("value", (called or numbers)[:1], why)
    elif labels:
        guess.take("value", labels[:1], "called like values, which are labels")
    else:
        raise InputError(
            f"{guess.profile.table.source}: no column holds numbers or labels that are called like values. "
            "'socialstats init' guesses a plan for comparisons"
        )


def take_item_column(guess: Guess, columns: Columns) -> None:
    """Take the column that tells the rows of an answer apart: each of its labels is an item."""
    parts = [c for part, own in guess.parts.items() if part != "value" for c in own]
    value = guess.first("value")
    if value is None or kind_of_values(guess) == "labels" or not parts:
        return
    rows = guess.profile.combinations(*parts)
    for column in columns:
        things = (
            column.text and not column.prose and column.names_things and column.size <= MOST_ITEMS
        )
        if things and guess.profile.combinations(*parts, column) > rows:
            guess.take("item", [column], "each answer has a row for each of its labels")
            guess.scales = scales_of_labels([*column.levels])
            return


def is_numbered(column: ColumnProfile) -> bool:
    """Return whether some labels differ in a number alone, as those of items of a scale do."""
    return len(scales_of_labels([*column.levels])) < column.size


def scales_of_labels(labels: Sequence[str]) -> dict[str, list[str]]:
    """Return scales of labels: those that differ in a number belong together, each other label is one of its own.

    Examples
    --------
    >>> scales_of_labels(["care1", "care2", "loyalty"])
    {'care': ['care1', 'care2'], 'loyalty': ['loyalty']}
    """
    scales: dict[str, list[str]] = {}
    for label in labels:
        scales.setdefault(STEM.sub("", label) or label, []).append(label)
    return scales


def declaration_of(table: Table, guess: Guess) -> str:
    """Return the file: study, data, scales, contrasts, questions and a table."""
    sections = [study_section(table), parts_section(guess)]
    sections += [scale_section(guess, name, items) for name, items in guess.scales.items()]
    sections += [
        contrast_section(name, condition) for name, condition in contrast_names(guess).items()
    ]
    return "\n\n".join([*sections, *question_sections(guess)]) + "\n"


def study_section(table: Table) -> str:
    """Return the section of name and title."""
    stem = Path(table.source).stem
    name = re.sub(r"[^A-Za-z0-9]+", "-", without_accents(stem)).strip("-").casefold() or "own-study"
    return (
        f"[study]\nname = {toml_value(name)}\ntitle = {toml_value(f'What does {stem} show?')}"
        '\nstatus = "exploratory"          # "confirmatory": what contrasts expect was written down before the data'
    )


def parts_section(guess: Guess) -> str:
    """Return the section of the parts of columns, with the reason of each."""
    lines = ["[data]"]
    left = [c.name for c in guess.free()]
    if left:
        lines.append(f"# columns that play no part: {quoted(left, 12)}")
    if ends := value_range(guess):
        lines.append("# the lowest and the highest value that an item can have; these occur")
        lines.append(f"range = {toml_value(ends)}")
    value = guess.first("value")
    if value is not None and kind_of_values(guess) == "ordered":
        levels = toml_value(conventional_order([*value.levels]))
        lines.append(f"levels = {levels}   # from low to high")
    if kind_of_values(guess) == "labels":
        lines.append(
            'scale = "nominal"              # or "ordinal", with levels = [LOWEST, ..., HIGHEST]'
        )
    lines += ["", "[data.map]"]
    if "unit" not in guess.parts:
        lines.append('# unit = "..."                 no column names units, so each row is one')
    for part, columns in guess.parts.items():
        names = toml_value(one_or_all([c.name for c in columns]))
        lines.append(f"{f'{part} = {names}':<30} # {guess.why[part]}")
    return "\n".join(lines)


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


def kind_of_values(guess: Guess) -> str:
    """Return whether values are numbers, labels with a known order, or other labels."""
    value = guess.first("value")
    if value is None or not value.text:
        return "numbers"
    return "ordered" if conventional_order([*value.levels]) else "labels"


def one_or_all(names: list[str]) -> str | list[str]:
    """Return a name, or several."""
    return names[0] if len(names) == 1 else names


def item_columns(guess: Guess) -> Columns:
    """Return the columns whose values are those of items."""
    if (value := guess.first("value")) is not None:
        return [value]
    names = [name for items in guess.scales.values() for name in items]
    return [c for c in map(guess.profile.column, names) if c is not None]


def value_range(guess: Guess) -> list[int | float]:
    """Return the lowest and the highest number of all items; nothing for labels."""
    columns = item_columns(guess)
    numbers = [x for column in columns for x in column.numbers or ()]
    if not guess.scales or any(column.numbers is None for column in columns):
        return []
    return [int(x) if x.is_integer() else x for x in (min(numbers), max(numbers))]


def scale_section(guess: Guess, name: str, items: Sequence[str]) -> str:
    """Return the section of a scale; items that may be reversed are named in a comment."""
    key = name if BARE.fullmatch(name) else toml_value(name)
    lines = [f"[scale.{key}]", f"items = {toml_value(list(items))}"]
    if "value" in guess.parts:
        return "\n".join(lines)
    columns = [c for c in map(guess.profile.column, items) if c is not None]
    if any(column.numbers is None for column in columns):
        labels = {label for column in columns for label in column.levels}
        lines.append(
            f"options = {toml_value(conventional_order(sorted(labels)))}   # from low to high"
        )
        return "\n".join(lines)
    correlations = rest_correlations(guess.profile.values(columns).T)
    low = {c.name: r for c, r in zip(columns, correlations.tolist(), strict=True) if r < 0}
    if low:
        named = ", ".join(f"{name} ({number(r, 2, bounded=True)})" for name, r in low.items())
        lines.append(
            f"# negative correlation with the other items: {named}; if worded the other way:"
        )
        lines.append(f"# reversed = {toml_value([*low])}")
    return "\n".join(lines)


def contrast_names(guess: Guess) -> dict[str, ColumnProfile]:
    """Return the conditions of a guess by the names of their contrasts."""
    conditions = guess.parts.get("condition", [])
    return {f"difference{k if k > 1 else ''}": c for k, c in enumerate(conditions, 1)}


def contrast_section(name: str, condition: ColumnProfile) -> str:
    """Return the section of a contrast: the first two labels of a condition, a control as the second."""
    pair = later_and_earlier(condition.levels)
    why = "the later minus the earlier"
    if pair is None:
        plain = [
            x for x in condition.levels if without_accents(x).casefold() in (*CONTROLS, *BASELINES)
        ]
        treated = [x for x in condition.levels if x not in plain[:1]]
        pair = (treated[0], plain[0]) if plain else (condition.levels[0], condition.levels[1])
        why = (
            "the control stands second"
            if plain
            else "in the order of letters: turn it where needed"
        )
    more = f"; further labels: {quoted(condition.levels, 8)}" if condition.size > 2 else ""
    return (
        f"# the first minus the second ({why}{more})\n[contrast.{name}]\n"
        f"column = {toml_value(condition.name)}\npair = {toml_value(list(pair))}\n"
        '# expect = "greater"              # or "less": the direction that you expect'
    )


def question_sections(guess: Guess) -> list[str]:
    """Return questions: means, the contrast, agreement of raters; and the means as a table."""
    source, rater, unit = map(guess.first, ("source", "rater", "unit"))
    sides = [c.name for c in (source, *guess.parts.get("condition", ())) if c is not None]
    dimensions = [*(["scale"] if guess.scales else []), *sides]
    # scores of scales are numbers
    kind = "numbers" if guess.scales else kind_of_values(guess)
    asked = QUESTIONS[kind]
    if kind != "numbers":
        alone = rater is None and source is not None  # then the sources are the raters
        shown = [name for name in dimensions if not (alone and source and name == source.name)]
        sections = [question("level", asked.ask, asked.level, shown)]
    else:
        sections = [question("level", asked.ask, asked.level, dimensions)]
    for name, condition in contrast_names(guess).items():
        within = unit is not None and met_by_units(guess, unit, condition)
        metric = asked.pairs if within else asked.groups
        # labels of several raters have no mean, which pairs and groups would compare
        if not metric or (kind != "numbers" and rater is not None):
            continue
        why = "each unit has both labels" if within else "units have one of the labels"
        remaining = [dimension for dimension in dimensions if dimension != condition.name]
        ask = f"How much does it differ by {condition.name}?"
        lines = question(name, ask, metric, remaining, why)
        sections.append(f"{lines}\ncontrast = {toml_value(name)}")
    if rater is not None and unit is not None:
        joint = [unit.name, *sides]
        lines = question(
            "agreement",
            "Do the raters agree?",
            "krippendorff_alpha",
            dimensions[: bool(guess.scales)],
        )
        sections.append(f"{lines}\nunit = {toml_value(one_or_all(joint))}   # what is rated")
    if len(dimensions) > 1 and kind == "numbers":
        columns, *rows = dimensions
        sections.append(
            f'[[table]]\ntitle = "Means"\nquestion = "level"\n'
            f"rows = {toml_value(rows)}\ncolumns = {toml_value(columns)}"
        )
    return sections


def question(id: str, ask: str, metric: str, dimensions: Sequence[str], why: str = "") -> str:
    """Return the section of a question."""
    comment = f"   # {why}" if why else ""
    return (
        f"[[question]]\nid = {toml_value(id)}\nask = {toml_value(ask)}\nmetric = {toml_value(metric)}{comment}"
        f"\neach = {toml_value(list(dimensions))}"
    )


def met_by_units(guess: Guess, unit: ColumnProfile, condition: ColumnProfile) -> bool:
    """Return whether most units occur with several labels of a condition."""
    return guess.profile.combinations(unit, condition) > WITHIN * unit.size
