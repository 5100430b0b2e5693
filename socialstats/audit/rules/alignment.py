"""Published sums of distances to an unknown answer key: can they belong to these answers? The check and its rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from socialstats.audit.documents.sheets import Cell, Sheet
from socialstats.audit.numbers import Finding, Printed, printed, unchecked, weighed
from socialstats.audit.rules.answer_keys import AnswerKeys, levels_of
from socialstats.audit.rules.answers import between, listed, sheet_of
from socialstats.audit.rules.problems import RuleProblems
from socialstats.audit.rules.rule import Rule
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import FILTER, Allowed, ColumnName, wrong_keys
from socialstats.text import count, listing, shorten

Sums = Mapping[Any, Mapping[Any, Any]]
Answers = Mapping[Any, Mapping[Any, float | None]]
Rows = list[tuple[Fraction | None, ...]]
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

    def misfit(sources: Sequence[Any], rows: Rows) -> tuple[float, Fraction]:
        goals = [printed(value).bounds for value in sources]
        return AnswerKeys(goals, rows, levels_of(rows, low, high), missing).least_misfit()

    findings = []
    for group, units in _units(sums, answers, groups).items():
        goals, sources = list(sums[group].values()), list(sums[group])
        # units of other groups are drawn by the shuffles only
        drawn = list(answers) if shuffles else units
        row_of = dict(
            zip(drawn, _answer_rows(drawn, answers, sources, low, high, missing), strict=True)
        )
        rows, generator = [row_of[unit] for unit in units], np.random.default_rng(seed)
        noticed = 0
        for _ in range(shuffles):
            order = generator.permutation(len(drawn))[: len(rows)]
            noticed += misfit(goals, [row_of[drawn[i]] for i in order])[1] > 0
        finding = _finding(group, len(goals), len(rows), *misfit(goals, rows))
        if finding.verdict != "not_checkable":
            finding = replace(finding, noticed=noticed, neighbours=shuffles)
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


def _answer_rows(
    units: Sequence[Any],
    answers: Answers,
    sources: Sequence[Any],
    low: int,
    high: int,
    missing: float | None,
) -> Rows:
    """Return the answers to each unit, in the order of the sources."""

    def checked(unit: Any, source: Any) -> Fraction | None:
        name = f"'{shorten(str(source))}'"
        if source not in answers[unit]:
            message = f"source {name} has a published sum but no answer to unit '{unit}'"
            raise InputError(message)
        value = answers[unit][source]
        if value is None:
            if missing is None:
                message = f"{name} did not answer unit '{unit}': say with missing= what that counts"
                raise InputError(message)
            return None
        if not low <= value <= high:
            raise InputError(f"answer {value} of {name} is outside {low} to {high}")
        return Fraction(value)

    return [tuple(checked(unit, source) for source in sources) for unit in units]


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
    intervals: dict[Any, dict[Any, Printed]] = {}
    for group, units in _units(sums, answers, by_position(groups, order)).items():
        sources = list(sums[group])
        rows = _answer_rows(units, answers, sources, low, high, missing)
        partners = [partner[unit] for unit in units]
        joined = _answer_rows(partners, answers, sources, low, high, missing)
        goals = [printed(value).bounds for value in sums[group].values()]
        keys = AnswerKeys(goals, rows, levels_of([*rows, *joined], low, high), missing)
        after = keys.distances_to(joined)
        intervals[group] = {
            source: between(keys.least_sum(after[:, :, j]), -keys.least_sum(-after[:, :, j]))
            for j, source in enumerate(sources)
        }
    return intervals


def _finding(group: Any, sums: int, units: int, misfit: float, proved: Fraction) -> Finding:
    name = f"{shorten(str(group))}: {count(sums, 'sum')} over {count(units, 'unit')}"
    finding = Finding(
        rule=RULE,
        verdict="not_checkable",
        message=f"{name}: the solver found no answer key (misfit {misfit:.3g}), but no exact proof",
        details={"misfit": misfit, "proved": proved, "sources": sums, "units": units},
    )
    if misfit > FEASIBLE and proved <= 0:
        return finding
    return _decided(
        replace(finding, published=f"{sums} sums"),
        proved,
        impossible=f"{name} cannot come from these answers in this order, whatever the answer key. "
        f"In all the sums miss by at least {float(proved):.4g} (proved exactly)",
        possible=f"{name} are possible: some answer key gives them",
    )


def _decided(finding: Finding, gap: Fraction, *, impossible: str, possible: str) -> Finding:
    """Return the finding of sums that miss by a gap: above 0 no answer key gives them."""
    if gap <= 0:
        return replace(finding, verdict="agree", message=possible, expected="an answer key exists")
    return replace(
        finding,
        verdict="disagree",
        severity="major",
        message=f"sources disagree: {impossible}",
        expected="no answer key",
        gap=gap,
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
        message = f"alignment needs {', '.join(absent)}"
        if not absent:
            message = f"there is no table '{shorten(strange[0])}'"
        yield Problem(message=message, fix=fix)
        return
    sums, answers, units = (ColumnName(name, sheets[name].columns) for name in names)
    allowed: Allowed = {
        **dict.fromkeys(("check", "compute", "name", "note", "recorded"), object),
        **dict.fromkeys(("table", "answers", "units"), str),
        **dict.fromkeys(WHOLE, int),
        "refusals": list,
        "where": dict.fromkeys(sums.known, FILTER),
        "sum": sums,
        "source": [_in_both(sums, answers)],
        "answer": answers,
        "sort_by": units,
        "unit": _in_both(answers, units),
        "group": _in_both(sums, units),
    }
    yield from wrong_keys(given, allowed)


def _in_both(first: ColumnName, second: ColumnName) -> ColumnName:
    """Return the columns that two tables share."""
    columns = [name for name in first.known if name in second.known]
    return ColumnName(f"{first.table} or {second.table}", columns)


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
        findings = alignment(sums, answers, groups, **rule.options)
    except InputError as error:
        return [_not_checkable(rule, str(error))]
    source = sheets[given["table"]].sources[0]
    return [
        replace(
            finding,
            title=rule.name,
            cells=tuple(cell.key for cell in cells[group].values()),
            where=f"{source}: {shorten(str(group))}, units and groups joined {ordered}",
        )
        for group, finding in zip(sums, findings, strict=True)
    ]


def _not_checkable(rule: Rule, message: str) -> Finding:
    return replace(unchecked(rule.check, message), title=rule.name)


def recorded(rule: Rule) -> list[Finding]:
    """Return the recorded findings of a check whose tables are not available.

    ``recorded`` has ``files`` (which they were) and ``misfit``: of each group the least misfit, 0 where a key exists.
    """
    if "recorded" not in rule.parameters:
        message = f"needs {rule.absent}: give it on the command line"
        return [replace(_not_checkable(rule, message), where=rule.table)]
    record = rule.parameters["recorded"]
    source = f"recorded of {record['files']}; not computed here: give the files on the command line"
    findings = []
    for group, misfit in record["misfit"].items():
        details = {"misfit": float(misfit), "recorded": record["files"]}
        finding = replace(_not_checkable(rule, ""), where=group, published="sums", details=details)
        missed = f"the sums miss by at least {misfit:g}"
        impossible = f"the sums cannot come from these answers in this order; {missed} ({source})"
        possible = f"some answer key gives the sums ({source})"
        gap = Fraction(str(misfit))
        findings.append(_decided(finding, gap, impossible=impossible, possible=possible))
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
