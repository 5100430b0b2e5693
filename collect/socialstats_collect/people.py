"""People as raters of a run's items: what they are shown, the rows their answers make, and files that come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.text import count, quoted
from socialstats_collect.ask import Ask, Reply, Unit, digest
from socialstats_collect.design import RunDesign
from socialstats_collect.items import read_rows
from socialstats_collect.protocols.base import fields, filled

HUMAN = "human"
NOT_KEPT = {"question_id", "question_shown", "choices_shown", "rater_id", "saved_at"}
FOREIGN = "The form was made from another design: tidy the log of that run, or make a new form."
Given = tuple[str, int, dict[str, str]]
"""An answer as it came: its file, its line (in a list: its place), its columns."""


@dataclass(frozen=True, slots=True)
class Question:
    """A unit as a person is asked it; `content` is the hash of what the texts take from its item."""

    design: RunDesign
    unit: Unit
    content: bytes

    @property
    def id(self) -> str:
        """Hash of the item's content and the options as shown; neither its name nor the words above it count."""
        words = [words for _, words in self.design.protocol.choices(self.unit)]
        return digest([self.design.protocol.name, self.content.hex(), words])[:16]

    @property
    def text(self) -> str:
        """What stands above the choices."""
        text = filled(
            self.design.protocol.texts["people"], self.unit, **self.design.protocol.words(self.unit)
        )
        return re.sub(r"\n\s*\n", "\n\n", text).strip()

    @property
    def answers(self) -> list[tuple[str, str, dict[str, object]]]:
        """Each answer as the table spells it, its words, and its row; the last one is none."""
        protocol, found = self.design.protocol, []
        unseen = {*self.design.factors} - {"model", *fields(protocol.texts["people"])}
        for label, words in [*protocol.choices(self.unit), (None, "")]:
            reply = Reply(key="", status="empty" if label is None else "ok", choice=label)
            row = protocol.rows(self.unit, [(Ask(model=HUMAN, messages=()), reply)])[0]
            value = "" if label is None else str(row[protocol.people])
            found.append((value, words, {**row, **dict.fromkeys(unseen & row.keys())}))
        return found

    def row(self, answer: str) -> dict[str, object] | None:
        """Return the row of an answer: as the table spells it, or in its words."""
        found = self.answers
        return (
            {words: row for _, words, row in found} | {value: row for value, _, row in found}
        ).get(answer)

    def orders(self, order: str = "") -> list[Question]:
        """Return the question with its options in an order; in each where none is named."""
        if len(names := self.design.protocol.orders) < 2:
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
    if not design.protocol.people:
        fix = "A template needs a text 'people' (what stands above the choices), and choices or labels."
        raise InputError(
            Problem(message=f"protocol {design.protocol.name} asks nothing of people", fix=fix)
        )
    first = {**{name: levels[:1] for name, levels in design.factors.items()}, "model": (HUMAN,)}
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
    column = design.protocol.people
    asked = {one.unit.item_id: one for one in questions(design)}
    given, notes = _given(path, column)
    renamed = cache(
        lambda: {one.id: one for question in asked.values() for one in question.orders()}
    )
    found: list[dict[str, object]] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    strange: dict[str, list[str]] = {}
    other = again = 0
    for source, line, row in given:
        identifier, rater, answer = (row[name].strip() for name in ("item_id", "rater", column))
        if not (rater or answer):
            continue
        order, mark = (row.get(name, "").strip() for name in ("option_order", "question_id"))
        several = asked[identifier].orders(order) if identifier in asked else []
        if mark and mark not in {one.id for one in several}:
            several = [renamed()[mark]] if mark in renamed() else []
            again += len(several)
        if not several and (mark or identifier in asked):
            strange.setdefault(source, []).append(identifier)
        if not several:
            other += 1
            continue
        rows = [known for one in several if (known := one.row(answer)) is not None]
        unit = several[0].unit
        place = seen.setdefault((unit.item_id, rater), (source, line))
        said = "" if rater else "no rater"
        if len(rows) < len(several):
            labels = ", ".join(value for value, *_ in several[0].answers[:-1])
            said = f"{column} '{answer}' is not one of {labels}; leave it empty where nothing was chosen"
        if place != (source, line):
            where = f"{place[0]} " if place[0] != source else ""
            said = f"'{rater}' answered '{unit.item_id}' in {where}line {place[1]} already"
        for name in row.keys() & unit.item.keys() - {"item_id", "rater", "source", column}:
            if row[name] and row[name] != unit.item[name]:
                said = f"{name} is '{row[name]}', in the items of the run '{unit.item[name]}'"
        if said:
            problems.append(Problem(message=said, source=source, lines=(line,)))
            continue
        same = {
            name: value if all(value == one[name] for one in rows) else None
            for name, value in rows[0].items()
        }
        more = {name: value for name, value in row.items() if name not in NOT_KEPT | rows[0].keys()}
        found.append({**same, **more, "rater": rater, "source": row.get("source") or HUMAN})
    read = {name for name, _ in seen.values()}
    for source, ids in strange.items():  # an item that the run no longer has is no fault
        if source not in read or asked.keys() & {*ids}:
            words = f"{count(len(ids), 'answer')} to other words or options than this run has: {quoted(ids)}"
            problems.append(Problem(message=words, source=source, fix=FOREIGN))
    if problems:
        raise InputError(problems[:20])
    if not found:
        raise NothingToAnalyse(f"{path.name}: no answer to an item of this run")
    raters = count(len({row["rater"] for row in found}), "rater")
    about = count(len({row["item_id"] for row in found}), "item")
    left = f"; {count(other, 'row')} about other items left out" if other else ""
    moved = f"; {count(again, 'answer')} found again by content" if again else ""
    forms = {str(row["form_id"]) for row in found if row.get("form_id")}
    if len(forms) > 1:
        notes.append(f"people were shown {len(forms)} forms: compare them by the column form_id")
    return found, [
        f"{count(len(found), 'row')} of people, {raters}, about {about}{left}{moved}",
        *notes,
    ]


def _given(path: Path, column: str) -> tuple[list[Given], list[str]]:
    """Read one file or those of a folder; of the files that one rater saved with the form, the latest."""
    files = sorted(one for one in path.iterdir() if one.name[0] != ".") if path.is_dir() else [path]
    given = [(file.name, line, row) for file in files for line, row in read_rows(file)]
    saved: dict[str, list[tuple[str, str]]] = {}
    for source, line, row in given:
        if absent := [name for name in ("item_id", "rater", column) if name not in row]:
            raise InputError(
                Problem(message=f"no column {', '.join(absent)}", source=source, lines=(line,))
            )
        saved.setdefault(row.get("rater_id", ""), []).append((row.get("saved_at", ""), source))
    latest = {who: max(files)[1] for who, files in saved.items() if who}
    kept = [one for one in given if latest.get(one[2].get("rater_id", ""), one[0]) == one[0]]
    owners: dict[str, tuple[str, str]] = {}
    for source, _, row in kept:
        who, first = owners.setdefault(row["rater"].strip(), (row.get("rater_id", ""), source))
        if row["rater"].strip() and who != row.get("rater_id", ""):
            fix = "Change 'rater' in one of them."
            raise InputError(
                Problem(
                    message=f"'{row['rater']}' is another rater in {first}", source=source, fix=fix
                )
            )
    pairs = {source: latest[who] for who, files in saved.items() if who for _, source in files}
    return kept, [
        f"{source} left out: {last} is of the same rater, and later"
        for source, last in pairs.items()
        if source != last
    ]
