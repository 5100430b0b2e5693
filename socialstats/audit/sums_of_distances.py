"""The alignment check as a rules file writes it: which columns are sums, answers, units, sources, groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.audit.alignment import alignment, by_position
from socialstats.audit.finding import Finding
from socialstats.audit.sheets import Sheet, matches
from socialstats.errors import InputError
from socialstats.text import listing, shorten

if TYPE_CHECKING:
    from socialstats.audit.rulebook import Rule, _Reading

NEEDED = ("table", "sum", "group", "source", "answers", "unit", "answer")
KEYS = ("check", "name", "note", "where", *NEEDED, "units", "sort_by", "low", "high", "missing", "refusals", "shuffles")


def read_alignment(file: _Reading, place: str, given: dict[str, Any], sheets: Mapping[str, Sheet]) -> Rule | None:
    """Check a rule of this kind.

    Keys: ``table`` (of the sums) with columns ``sum``, ``group`` and ``source`` (one or several); ``answers`` (a table)
    with the same source columns, ``unit`` and ``answer``; ``units`` (a table with unit and group; by default the
    answers); ``sort_by`` (a column of it: group labels are taken by position after sorting by it); ``low``, ``high``;
    ``missing`` (distance of a refusal), ``refusals`` (labels of refusals); ``shuffles``.
    """
    from socialstats.audit.rulebook import Rule

    absent = [key for key in NEEDED if key not in given]
    if absent:
        file.wrong(f"{place}alignment needs {', '.join(absent)}", f"Keys: {', '.join(KEYS)}")
        return None
    tables = {key: given.get(key, given["answers"]) for key in ("table", "answers", "units")}
    strange = [name for name in tables.values() if str(name) not in sheets]
    if strange:
        file.wrong(f"{place}there is no table '{shorten(str(strange[0]))}'", f"Tables: {listing(list(sheets), 20)}")
        return None
    lists = [given["source"] if isinstance(given["source"], list) else [given["source"]], given.get("refusals", [])]
    if not isinstance(lists[1], list) or not isinstance(given.get("where", {}), dict):
        file.wrong(f'{place}refusals must be a list of labels, where {{ column = "label" }}')
        return None
    sources = lists[0]
    wanted = {
        "table": [given["sum"], given["group"], *sources], "answers": [given["unit"], given["answer"], *sources],
        "units": [given["unit"], given["group"], *([given["sort_by"]] if "sort_by" in given else [])],
    }  # fmt: skip
    lost = [(tables[k], c) for k, columns in wanted.items() for c in columns if c not in sheets[tables[k]].columns]
    for table, column in lost:
        columns = ", ".join(sheets[table].columns)
        file.wrong(f"{place}table {table} has no column '{shorten(str(column))}'", f"Columns: {columns}")
    whole: dict[str, Any] = {key: given[key] for key in ("low", "high", "missing", "shuffles") if key in given}
    for key in (key for key, value in whole.items() if not isinstance(value, int)):
        file.wrong(f"{place}{key} = {whole[key]!r} must be a whole number")
    if lost or any(not isinstance(value, int) for value in whole.values()):
        return None
    return Rule(name=str(given.get("name", "alignment")), check="alignment", table=given["table"],
                note=str(given.get("note", "")), where=given.get("where", {}),
                parameters={**given, "source": sources, "units": tables["units"]}, options=whole)  # fmt: skip


def run_alignment(rule: Rule, sheets: Mapping[str, Sheet]) -> list[Finding]:
    """Make the check: one finding a group."""
    given = rule.parameters
    sums, cells = _sums(sheets[given["table"]], rule)
    answers = _answers(sheets[given["answers"]], given)
    units = sheets[given["units"]]
    rows: dict[Any, int] = {units.label(row, given["unit"]): row for row in range(len(units.rows))}
    groups = {unit: units.label(row, given["group"]) for unit, row in rows.items()}
    if "sort_by" in given:
        groups = by_position(groups, sorted(rows, key=lambda unit: units.rows[rows[unit]][given["sort_by"]]))
    ordered = "by position after sorting" if "sort_by" in given else "by key"
    try:
        found = alignment(sums, answers, groups, **rule.options)
    except InputError as error:
        return [Finding(rule="alignment", verdict="not_checkable", title=rule.name, message=str(error))]
    return [
        replace(finding, title=rule.name, cells=tuple(cells[group]),
                where=f"{sheets[given['table']].sources[0]}: {shorten(str(group))}, units and groups joined {ordered}")
        for group, finding in zip(sums, found, strict=True)
    ]  # fmt: skip


def _sums(sheet: Sheet, rule: Rule) -> tuple[dict[str, dict[Any, Any]], dict[str, list[tuple[str, int, str]]]]:
    given = rule.parameters
    sums: dict[str, dict[Any, Any]] = {}
    cells: dict[str, list[tuple[str, int, str]]] = {}
    for row in range(len(sheet.rows)):
        if not matches(sheet, row, rule.where):
            continue
        group, cell = sheet.label(row, given["group"]), sheet.cell(row, given["sum"])
        source = tuple(sheet.label(row, column) for column in given["source"])
        if cell.number is None:
            continue
        if source in sums.setdefault(group, {}):
            raise InputError(f"{sheet.name} line {cell.line}: {', '.join(source)} has a second sum in '{group}'")
        sums[group][source] = cell.number
        cells.setdefault(group, []).append(cell.key)
    return sums, cells


def _answers(sheet: Sheet, given: Mapping[str, Any]) -> dict[str, dict[Any, float | None]]:
    refusals = {str(label) for label in given.get("refusals", ())}
    answers: dict[str, dict[Any, float | None]] = {}
    for row in range(len(sheet.rows)):
        unit = sheet.label(row, given["unit"])
        source = tuple(sheet.label(row, column) for column in given["source"])
        if source in answers.setdefault(unit, {}):
            raise InputError(f"{sheet.name} line {sheet.lines[row]}: {', '.join(source)} answers unit '{unit}' twice")
        refused = sheet.label(row, given["answer"]) in refusals
        number = None if refused else sheet.cell(row, given["answer"]).number
        answers[unit][source] = None if number is None else float(number.value)
    return answers
