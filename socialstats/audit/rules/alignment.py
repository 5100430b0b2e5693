"""Published sums of distances to an unknown answer key: can they belong to these answers? The check and its rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.documents.sheets import Cell, Sheet
from socialstats.audit.numbers import Finding, Printed, printed, weighed
from socialstats.audit.rules.answer_keys import AnswerKeys, levels_of
from socialstats.audit.rules.answers import between, listed, sheet_of
from socialstats.audit.rules.problems import RuleProblems
from socialstats.audit.rules.rule import Rule
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import FILTER, ColumnName, wrong_keys
from socialstats.text import count, listing, shorten

Sums = Mapping[Any, Mapping[Any, Any]]
Answers = Mapping[Any, Mapping[Any, float | None]]
FEASIBLE = 1e-6  # a misfit of the linear program below this is rounding of its solver
RULE = "alignment"


def alignment(
    sums: Sums,
    answers: Answers,
    groups: Mapping[Any, Any],
    *,
    low: int = 0,
    high: int = 4,
    missing: float | None = None,
    shuffles: int = 0,
    seed: int = 0,
) -> tuple[Finding, ...]:
    """Check whether published sums of distances abs(h_i - s_ij) can belong to these answers s_ij in these groups.

    The answer key h_i (such as the mode of people's answers to unit i) is unknown; it may be any number from `low` to
    `high`. For each group the sums over its units, one for each source j, must come from one and the same key. Between
    neighbouring whole levels every abs(h - s_j) is linear. The vectors of distances of a unit therefore lie in the
    convex hull of those of the whole levels. A linear program decides whether any mixture gives the sums:

        minimise sum_j abs(r_j)  subject to  sum_i sum_a w_ia abs(a - s_ij) + r_j = D_j,  sum_a w_ia = 1,  w >= 0.

    A positive minimum is proved with exact fractions. For every y with abs(y_j) <= 1, sum_j y_j D_j - sum_i max_a sum_j
    y_j abs(a - s_ij) is at most the minimum (weak duality), and y is the solver's dual solution, rounded. Then no key
    gives these sums: the answers, the groups or the sums are misordered or not the original ones. A minimum of 0 proves
    nothing: the sums are possible.

    Parameters
    ----------
    sums : mapping of group to mapping of source to printed number
    answers : mapping of unit to mapping of source to number or None
        Scores from `low` to `high`; None for a refusal.
    groups : mapping of unit to group
        Joined with `answers` by unit.
    low, high : int
        Ends of the scale of the key.
    missing : float, optional
        Distance that a refusal counts as, whatever the key.
    shuffles : int
        The power: how many of so many random reassignments of the answers to the groups would have been noticed.
    seed : int
        Of the shuffles.

    Returns
    -------
    tuple of Finding
        One a group of `sums`; ``gap`` is the least possible misfit, summed over sources; ``details["proved"]`` is the
        exact lower bound of the misfit.

    Raises
    ------
    InputError
        For units without a group, groups without units, sources without answers, refusals without `missing`, scores
        outside the scale.

    Examples
    --------
    >>> sums = {"g": {"a": "2", "b": "2"}}
    >>> answers = {1: {"a": 0, "b": 4}, 2: {"a": 0, "b": 4}}
    >>> found, = alignment(sums, answers, {1: "g", 2: "g"})
    >>> found.verdict, found.details["proved"]
    ('disagree', Fraction(3, 1))
    """
    import numpy as np

    def misfit(rows: Sequence[tuple[Fraction | None, ...]]) -> tuple[float, Fraction]:
        return AnswerKeys(
            [goal.bounds for goal in goals], rows, levels_of(rows, low, high), missing
        ).least_misfit()

    by_group = _units(sums, answers, groups)
    findings = []
    for group, printed_sums in sums.items():
        goals = [printed(value) for value in printed_sums.values()]
        drawn = answers if shuffles else by_group[group]
        every = {
            unit: _row(unit, answers[unit], list(printed_sums), low, high, missing)
            for unit in drawn
        }
        rows = [every[unit] for unit in by_group[group]]
        draws, generator = list(every.values()), np.random.default_rng(seed)
        noticed = 0
        for _ in range(shuffles):
            noticed += (
                misfit([draws[i] for i in generator.permutation(len(draws))[: len(rows)]])[1] > 0
            )
        finding = _finding(group, goals, len(rows), *misfit(rows))
        decided = finding.verdict != "not_checkable"
        finding = replace(finding, noticed=noticed * decided, neighbours=shuffles * decided)
        findings.append(weighed(finding, "every random order would have fitted, too"))
    return tuple(findings)


def by_position(labels: Mapping[Any, Any], order: Sequence[Hashable]) -> dict[Any, Any]:
    """Give each unit, in the order of `labels`, the label of the unit that stands at its place in another order.

    Joining two lists by position does this when one of them was sorted.

    Examples
    --------
    >>> by_position({1: "x", 2: "y", 3: "y"}, [3, 1, 2])
    {1: 'y', 2: 'x', 3: 'y'}
    """
    if sorted(map(str, order)) != sorted(map(str, labels)):
        raise InputError("the other order does not hold the same units")
    return {unit: labels[other] for unit, other in zip(labels, order, strict=True)}


def _units(
    sums: Mapping[Any, Any], answers: Mapping[Any, Any], groups: Mapping[Any, Any]
) -> dict[Any, list[Any]]:
    """Return the units of each group, joined by key."""
    by_group: dict[Any, list[Any]] = {group: [] for group in sums}
    for unit in answers:
        if unit not in groups:
            raise InputError(f"unit '{shorten(str(unit))}' has answers but no group")
        if groups[unit] in by_group:
            by_group[groups[unit]].append(unit)
    for group, units in by_group.items():
        if not units:
            raise InputError(
                f"group '{shorten(str(group))}' has a published sum but no unit with answers"
            )
    return by_group


def _row(
    unit: Any,
    given: Mapping[Any, float | None],
    sources: list[Any],
    low: int,
    high: int,
    missing: float | None,
) -> tuple[Fraction | None, ...]:
    """Return one unit's answers in the order of the sources."""
    row: list[Fraction | None] = []
    for source in sources:
        if source not in given:
            raise InputError(
                f"source '{shorten(str(source))}' has a published sum but no answer to unit '{unit}'"
            )
        value = given[source]
        if value is None and missing is None:
            raise InputError(
                f"'{shorten(str(source))}' did not answer unit '{unit}': say with missing= what that counts"
            )
        if value is not None and not low <= value <= high:
            raise InputError(
                f"answer {value} of '{shorten(str(source))}' is outside {low} to {high}"
            )
        row.append(None if value is None else Fraction(value))
    return tuple(row)


def realigned(
    sums: Sums,
    answers: Answers,
    groups: Mapping[Any, Any],
    order: Sequence[Hashable],
    *,
    low: int = 0,
    high: int = 4,
    missing: float | None = None,
) -> dict[Any, dict[Any, Printed]]:
    """Return what the sums can be after realignment, where two lists were joined by position and one was sorted.

    The sums D_j of a group were made of abs(h_k - s_kj), where the key h_k at place k is that of unit order[k]. The
    answers s_kj are those of the unit at place k of `groups`. Joined by unit, the sum is that of abs(h_k - s_j) with
    the answers of unit order[k]. The least and the largest such sum, over all keys that give D, are found by linear
    programs. The ends are lower and upper bounds by weak duality, exact for the solver's dual solution as rounded.

    Parameters
    ----------
    sums, answers, low, high, missing
        As in `alignment`.
    groups : mapping of unit to group
        In the order that the answers stood in.
    order : sequence of unit
        The order that the key stood in.

    Returns
    -------
    mapping of group to mapping of source to Printed
        Intervals.

    Raises
    ------
    InputError
        As `alignment`; and where no key gives the sums of a group in this order.

    Examples
    --------
    >>> from fractions import Fraction
    >>> answers = {1: {"a": 0}, 2: {"a": 4}, 3: {"a": 4}}
    >>> found = realigned({"g": {"a": Fraction(1)}}, answers, {1: "g", 2: "g", 3: "g"}, [2, 3, 1])
    >>> found["g"]["a"].text
    '7 to 9'
    """
    partner = dict(zip(groups, order, strict=True))
    made: dict[Any, dict[Any, Printed]] = {}
    for group, units in _units(sums, answers, by_position(groups, order)).items():
        rows, true = (
            [_row(unit, answers[unit], list(sums[group]), low, high, missing) for unit in some]
            for some in (units, [partner[unit] for unit in units])
        )
        goals = [printed(value).bounds for value in sums[group].values()]
        keys = AnswerKeys(goals, rows, levels_of([*rows, *true], low, high), missing)
        after = keys.distances_to(true)
        made[group] = {
            source: between(keys.least_sum(after[:, :, j]), -keys.least_sum(-after[:, :, j]))
            for j, source in enumerate(sums[group])
        }
    return made


def _finding(
    group: Any, goals: list[Printed], units: int, misfit: float, proved: Fraction
) -> Finding:
    name = f"{shorten(str(group))}: {count(len(goals), 'sum')} over {count(units, 'unit')}"
    base = Finding(
        rule=RULE,
        verdict="not_checkable",
        message=f"{name}: the solver found no answer key (misfit {misfit:.3g}), but no exact proof",
        details={"misfit": misfit, "proved": proved, "sources": len(goals), "units": units},
    )
    if proved > 0:
        message = (
            f"sources disagree: {name} cannot come from these answers in this order, whatever the answer key. "
            f"In all the sums miss by at least {float(proved):.4g} (proved exactly)"
        )
        return replace(
            base,
            verdict="disagree",
            severity="major",
            message=message,
            published=f"{len(goals)} sums",
            expected="no answer key",
            gap=proved,
        )
    if misfit > FEASIBLE:
        return base
    return replace(
        base,
        verdict="agree",
        message=f"{name} are possible: some answer key gives them",
        published=f"{len(goals)} sums",
        expected="an answer key exists",
    )


WHOLE = ("low", "high", "missing", "shuffles")
NEEDED = ("table", "sum", "group", "source", "answers", "unit", "answer")


def read_alignment(
    file: RuleProblems, place: str, given: dict[str, Any], sheets: Mapping[str, Sheet]
) -> Rule | None:
    """Check a rule of this kind.

    Keys: ``table`` (of the sums) with columns ``sum``, ``group`` and ``source`` (one or several); ``answers`` (a table)
    with the same source columns, ``unit`` and ``answer``. ``units`` (a table with unit and group; by default the
    answers). ``sort_by`` (a column of it: group labels are taken by position after sorting by it); ``low``, ``high``.
    ``missing`` (distance of a refusal), ``refusals`` (labels of refusals); ``shuffles``.
    """
    if not file.fits(place, wrong_settings(given, sheets)):
        return None
    whole: dict[str, Any] = {key: given[key] for key in WHOLE if key in given}
    return Rule(
        name=str(given.get("name", "alignment")),
        check="alignment",
        table=given["table"],
        note=str(given.get("note", "")),
        where=given.get("where", {}),
        parameters=given,
        options=whole,
    )


def wrong_settings(given: Mapping[str, Any], sheets: Mapping[str, Sheet]) -> Iterator[Problem]:
    """Yield what is wrong with the keys of an alignment."""
    absent = [key for key in NEEDED if key not in given]
    names = [str(given.get(key, given.get("answers"))) for key in ("table", "answers", "units")]
    if absent or not {*names} <= sheets.keys():
        fix = f"Tables: {listing(list(sheets), 20)}" if not absent else ""
        strange = [name for name in names if name not in sheets]
        message = (
            f"alignment needs {', '.join(absent)}"
            if absent
            else f"there is no table '{shorten(strange[0])}'"
        )
        yield Problem(message=message, fix=fix)
        return
    sums, answers, units = (ColumnName(name, sheets[name].columns) for name in names)
    both = ColumnName(
        f"{sums.table} or {answers.table}", [name for name in sums.known if name in answers.known]
    )
    yield from wrong_keys(
        given,
        {
            **dict.fromkeys(("check", "compute", "name", "note", "recorded"), object),
            **dict.fromkeys(("table", "answers", "units"), str),
            **dict.fromkeys(WHOLE, int),
            "refusals": list,
            "where": dict.fromkeys(sums.known, FILTER),
            "sum": sums,
            "source": [both],
            "answer": answers,
            "sort_by": units,
            "unit": ColumnName(
                f"{answers.table} or {units.table}",
                [name for name in answers.known if name in units.known],
            ),
            "group": ColumnName(
                f"{sums.table} or {units.table}",
                [name for name in sums.known if name in units.known],
            ),
        },
    )


def run_alignment(rule: Rule, sheets: Mapping[str, Sheet]) -> list[Finding]:
    """Make the check: one finding a group; without its tables, the findings that the rules file recorded of them."""
    given = rule.parameters
    if rule.absent:
        return recorded(rule)
    cells, sums, answers = _inputs(sheets, given)
    groups, order = _groups(sheets, given)
    groups = by_position(groups, order) if order else groups
    ordered = "by position after sorting" if "sort_by" in given else "by key"
    try:
        found = alignment(sums, answers, groups, **rule.options)
    except InputError as error:
        return [
            Finding(rule="alignment", verdict="not_checkable", title=rule.name, message=str(error))
        ]
    return [
        replace(
            finding,
            title=rule.name,
            cells=tuple(cell.key for cell in cells[group].values()),
            where=f"{sheets[given['table']].sources[0]}: {shorten(str(group))}, units and groups joined {ordered}",
        )
        for group, finding in zip(sums, found, strict=True)
    ]


def recorded(rule: Rule) -> list[Finding]:
    """Return the recorded findings of a check whose tables are not available.

    ``recorded`` has ``files`` (which they were) and ``misfit``: of each group the least misfit, 0 where a key exists.
    """
    if "recorded" not in rule.parameters:
        message = f"needs {rule.absent}: give it on the command line"
        return [
            Finding(
                rule=rule.check,
                verdict="not_checkable",
                title=rule.name,
                where=rule.table,
                message=message,
            )
        ]
    held = rule.parameters["recorded"]
    said = f"recorded of {held['files']}; not computed here: give the files on the command line"
    findings = []
    for group, misfit in held["misfit"].items():
        verdict = (
            f"cannot come from these answers in this order; the sums miss by at least {misfit:g}"
        )
        found = Finding(
            rule=rule.check,
            verdict="disagree",
            severity="major",
            title=rule.name,
            where=group,
            gap=Fraction(str(misfit)),
            message=f"sources disagree: the sums {verdict} ({said})",
            published="sums",
            expected="no answer key",
            details={"misfit": float(misfit), "recorded": held["files"]},
        )
        if not misfit:
            message = f"some answer key gives the sums ({said})"
            found = replace(
                found,
                verdict="agree",
                severity="none",
                message=message,
                expected="an answer key exists",
            )
        findings.append(found)
    return findings


def _groups(
    sheets: Mapping[str, Sheet], given: Mapping[str, Any]
) -> tuple[dict[str, str], list[str]]:
    """Return the group of each unit, and the units in the order of ``sort_by``, where that is given."""
    units = sheets[given.get("units", given["answers"])]
    rows: dict[str, int] = {units.label(row, given["unit"]): row for row in range(len(units.rows))}
    groups = {unit: units.label(row, given["group"]) for unit, row in rows.items()}
    if "sort_by" not in given:
        return groups, []
    return groups, sorted(rows, key=lambda unit: units.rows[rows[unit]][given["sort_by"]])


def _by_source(
    sheet: Sheet, given: Mapping[str, Any], outer: str, column: str
) -> dict[str, dict[Any, Cell]]:
    """Return the cells of a column by group (or unit) and source."""
    found: dict[str, dict[Any, Cell]] = {}
    for row in sheet.where(given.get("where", {}) if column == "sum" else {}):
        label, cell = sheet.label(row, given[outer]), sheet.cell(row, given[column])
        source = tuple(sheet.label(row, name) for name in listed(given["source"]))
        if source in found.setdefault(label, {}):
            said = f"{', '.join(source)} has a second {column} in {outer} '{label}'"
            raise InputError(f"{sheet.name} line {cell.line}: {said}")
        found[label][source] = cell
    return found


def _inputs(
    sheets: Mapping[str, Sheet], given: Mapping[str, Any]
) -> tuple[dict[str, dict[Any, Cell]], Sums, Answers]:
    """Return the cells of the published sums and their numbers, and the answers, None for a refusal; all by source."""
    cells = _by_source(sheets[given["table"]], given, "group", "sum")
    cells = {
        group: {source: cell for source, cell in of.items() if cell.number}
        for group, of in cells.items()
    }
    sheet = sheets[given["answers"]]
    missing = (*sheet.reading.missing, *map(str, given.get("refusals", ())))
    said = _by_source(
        replace(sheet, reading=replace(sheet.reading, missing=missing)), given, "unit", "answer"
    )
    sums = {
        group: {source: cell.number for source, cell in of.items()} for group, of in cells.items()
    }
    answers = {
        unit: {
            source: float(cell.number.value) if cell.number else None for source, cell in of.items()
        }
        for unit, of in said.items()
    }
    return cells, sums, answers


def realigned_sheet(name: str, sheets: Mapping[str, Sheet], given: Mapping[str, Any]) -> Sheet:
    """Return the sums after realignment as a table: group, columns of the source, and the interval as ``value``."""
    _, sums, answers = _inputs(sheets, given)
    groups, order = _groups(sheets, given)
    scale = {key: given[key] for key in ("low", "high", "missing") if key in given}
    found = realigned(sums, answers, groups, order or list(groups), **scale)
    by = (given["group"], *listed(given["source"]))
    rows = [
        ({given["group"]: group, **dict(zip(by[1:], source, strict=True))}, number)
        for group, of in found.items()
        for source, number in of.items()
    ]
    return sheet_of(name, rows, by, f"{given['table']} and {given['answers']}")
