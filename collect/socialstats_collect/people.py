"""People as raters of a run's items: what they are shown, the rows their answers make, and files that come back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count, quoted
from socialstats_collect.ask import Ask, Reply, Unit, digest
from socialstats_collect.design import RunDesign
from socialstats_collect.items import read_rows
from socialstats_collect.protocols.base import Choice, fields

HUMAN = "human"
KEYS = ("item_id", "rater", "source")
NOT_KEPT = {"question_id", "question_shown", "choices_shown", "rater_id", "saved_at"}
FOREIGN = "The form was made from another design: tidy the log of that run, or make a new form."


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it came: its file, its line (in a list: its place), its columns."""

    source: str
    line: int
    cells: dict[str, str]

    def cell(self, name: str) -> str:
        """Return what stands in a column, without blanks around it."""
        return self.cells.get(name, "").strip()

    def problem(self, message: str) -> Problem:
        """Return a problem at the place of the answer."""
        return Problem(message=message, source=self.source, lines=(self.line,))


@dataclass(frozen=True, slots=True)
class Question:
    """A unit as a person is asked it; `content` is the hash of what the texts take from its item."""

    design: RunDesign
    unit: Unit
    content: bytes

    @property
    def choices(self) -> Sequence[Choice]:
        """What a person chooses from, as shown."""
        return self.design.protocol.choices(self.unit)

    @property
    def id(self) -> str:
        """Hash of the item's content and the options as shown; neither its name nor the words above it count."""
        words = [choice.words for choice in self.choices]
        return digest([self.design.protocol.name, self.content.hex(), words])[:16]

    @property
    def text(self) -> str:
        """What stands above the choices."""
        text = self.design.protocol.asked(self.unit, "people")
        return re.sub(r"\n\s*\n", "\n\n", text).strip()

    def row(self, answer: str) -> dict[str, object] | None:
        """Return the row of an answer, as the table spells it or in its words; None where it is no option."""
        labels: dict[str, str | None] = {"": None}
        labels |= {choice.words: choice.label for choice in self.choices}
        labels |= {str(choice.value): choice.label for choice in self.choices}
        if answer not in labels:
            return None
        protocol, label = self.design.protocol, labels[answer]
        reply = Reply(key="", status="ok" if label else "empty", choice=label)
        (row,) = protocol.rows(self.unit, [(Ask(model=HUMAN, messages=()), reply)])
        unseen = {*self.design.factors} - {"model", *fields(protocol.texts["people"])}
        return row | dict.fromkeys(unseen & row.keys())

    def orders(self, order: str = "") -> list[Question]:
        """Return the question with its options in an order; in each where none is named."""
        names = self.design.protocol.orders
        if len(names) < 2:
            return [self]
        several = [{**self.unit.factors, "order": name} for name in names if order in ("", name)]
        return [replace(self, unit=replace(self.unit, factors=factors)) for factors in several]


def questions(design: RunDesign) -> Iterator[Question]:
    """Yield one question an item: factors at their first level, options in the order drawn for the models.

    Raises
    ------
    InputError
        Where people cannot answer what the models are asked.
    """
    protocol = design.protocol
    if "people" not in protocol.texts or not protocol.choices(next(design.units())):
        fix = "A template needs a text 'people' (what stands above the choices), and choices or labels."
        message = f"protocol {protocol.name} asks nothing of people"
        raise InputError(Problem(message=message, fix=fix))
    first = {name: levels[:1] for name, levels in design.factors.items()} | {"model": (HUMAN,)}
    order = "balanced" if design.order == "all" else design.order
    contents = {item.id: content for content, item in design.contents(design.asked)}
    for unit in replace(design, factors=first, replicates=1, order=order).units():
        yield Question(design, unit, contents[unit.item_id])


def people_rows(design: RunDesign, path: Path) -> tuple[list[dict[str, object]], list[str]]:
    """Return people's answers to the items of a run as rows of its table, without the items' columns, and notes.

    Parameters
    ----------
    design
        Of the run.
    path
        A file, or a folder of them: what a form wrote, or a table with one row per answer. Its columns are ``item_id``,
        ``rater``, the answer (empty: none), and what is known of the rater. ``source`` is ``human`` unless a column
        says another.

    Raises
    ------
    InputError
        For missing columns, an answer that is no option, or answers to other words. Also for a rater who answers an
        item twice, an alias of two raters, or a column that contradicts the items. Each problem has its file and line.
    NothingToAnalyse
        Where no row is about an item of the run.
    """
    people = People(design)
    answers, notes = read_answers(path, people.column)
    for answer in answers:
        people.take(answer)
    if problems := [*people.problems, *people.foreign()]:
        raise InputError(problems[:20])
    if not people.rows:
        raise NothingToAnalyse(f"{path.name}: no answer to an item of this run")
    return people.rows, [people.summary(), *notes, *people.several_forms()]


class People:
    """Answers of people, matched with the questions of a design.

    Attributes
    ----------
    column
        Of the answers.
    rows, problems
        Of the answers that were taken.
    """

    def __init__(self, design: RunDesign) -> None:
        self.column = design.protocol.column
        self.rows: list[dict[str, object]] = []
        self.problems: list[Problem] = []
        self._asked = {question.unit.item_id: question for question in questions(design)}
        self._first: dict[tuple[str, str], Answer] = {}
        self._strange: dict[str, list[str]] = {}
        self._other = self._moved = 0

    @cached_property
    def _by_content(self) -> dict[str, Question]:
        orders = [order for question in self._asked.values() for order in question.orders()]
        return {question.id: question for question in orders}

    def take(self, answer: Answer) -> None:
        """Add the row of an answer, or what is wrong with it."""
        choice, rater = answer.cell(self.column), answer.cell("rater")
        if not (rater or choice):
            return
        several = self._questions(answer)
        if not several:
            self._other += 1
            return
        rows = [row for question in several if (row := question.row(choice)) is not None]
        if fault := self._fault(answer, several[0], len(rows) < len(several)):
            self.problems.append(answer.problem(fault))
            return
        # an order that nobody wrote down leaves empty what depends on it
        row = {
            name: value if all(other[name] == value for other in rows) else None
            for name, value in rows[0].items()
        }
        about_rater = answer.cells.keys() - row.keys() - NOT_KEPT
        row |= {name: value for name, value in answer.cells.items() if name in about_rater}
        self.rows.append(row | {"rater": rater, "source": answer.cells.get("source") or HUMAN})

    def _questions(self, answer: Answer) -> list[Question]:
        """Return the question that was answered, in each order in which it may have been shown."""
        item, mark = answer.cell("item_id"), answer.cell("question_id")
        question = self._asked.get(item)
        several = question.orders(answer.cell("option_order")) if question else []
        if mark and mark not in {one.id for one in several}:
            several = [self._by_content[mark]] if mark in self._by_content else []
            self._moved += len(several)
        if not several and (mark or question):
            self._strange.setdefault(answer.source, []).append(item)
        return several

    def _fault(self, answer: Answer, question: Question, unread: bool) -> str:
        """Return what is wrong with an answer; empty where nothing is."""
        rater, item = answer.cell("rater"), question.unit.item
        first = self._first.setdefault((question.unit.item_id, rater), answer)
        for name in (answer.cells.keys() & item.keys()) - {*KEYS, self.column}:
            value = answer.cells[name]
            if value and value != item[name]:
                return f"{name} is '{value}', in the items of the run '{item[name]}'"
        if first is not answer:
            where = f"{first.source} " if first.source != answer.source else ""
            name = question.unit.item_id
            return f"'{rater}' answered '{name}' in {where}line {first.line} already"
        if unread:
            labels = ", ".join(str(choice.value) for choice in question.choices)
            wrong = f"{self.column} '{answer.cell(self.column)}' is not one of {labels}"
            return f"{wrong}; leave it empty where nothing was chosen"
        return "" if rater else "no rater"

    def foreign(self) -> Iterator[Problem]:
        """Yield a problem for each file about other words; an item that the run no longer has is no fault."""
        read = {answer.source for answer in self._first.values()}
        for source, items in self._strange.items():
            if source not in read or self._asked.keys() & {*items}:
                answers = f"{count(len(items), 'answer')} to other words or options"
                message = f"{answers} than this run has: {quoted(items)}"
                yield Problem(message=message, source=source, fix=FOREIGN)

    def summary(self) -> str:
        """State how many rows there are, of whom and about what."""
        raters = count(len({row["rater"] for row in self.rows}), "rater")
        items = count(len({row["item_id"] for row in self.rows}), "item")
        words = [f"{count(len(self.rows), 'row')} of people, {raters}, about {items}"]
        if self._other:
            words.append(f"{count(self._other, 'row')} about other items left out")
        if self._moved:
            words.append(f"{count(self._moved, 'answer')} found again by content")
        return "; ".join(words)

    def several_forms(self) -> Iterator[str]:
        """State where people were shown several forms."""
        forms = {str(row["form_id"]) for row in self.rows if row.get("form_id")}
        if len(forms) > 1:
            yield f"people were shown {len(forms)} forms: compare them by the column form_id"


def read_answers(path: Path, column: str) -> tuple[list[Answer], list[str]]:
    """Read one file or those of a folder; of the files that one rater saved with the form, the latest.

    Raises
    ------
    InputError
        For missing columns, and for an alias of two raters.
    """
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name[0] != ".")
    answers = [Answer(file.name, line, row) for file in files for line, row in read_rows(file)]
    latest: dict[str, tuple[str, str]] = {}
    for answer in answers:
        absent = [name for name in ("item_id", "rater", column) if name not in answer.cells]
        if absent:
            raise InputError(answer.problem(f"no column {', '.join(absent)}"))
        if rater := answer.cell("rater_id"):
            saved = (answer.cell("saved_at"), answer.source)
            latest[rater] = max(latest.get(rater, saved), saved)
    current: list[Answer] = []
    notes: dict[str, None] = {}
    owners: dict[str, Answer] = {}
    for answer in answers:
        rater, alias = answer.cell("rater_id"), answer.cell("rater")
        _, last = latest.get(rater, ("", answer.source))
        if last != answer.source:
            notes[f"{answer.source} left out: {last} is of the same rater, and later"] = None
            continue
        current.append(answer)
        owner = owners.setdefault(alias, answer)
        if alias and owner.cell("rater_id") != rater:
            message = f"'{alias}' is another rater in {owner.source}"
            fix = "Change 'rater' in one of them."
            raise InputError(Problem(message=message, source=answer.source, fix=fix))
    return current, [*notes]
