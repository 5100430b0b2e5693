"""Sums of distances to an unknown answer key: a linear program with an exact proof, and its rule in a rules file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from socialstats.audit.numbers import Finding, Printed, printed, weighed
from socialstats.audit.sheets import Sheet
from socialstats.errors import InputError
from socialstats.text import count, listing, shorten

if TYPE_CHECKING:
    from socialstats.audit.rules import Rule, _Reading

FEASIBLE = 1e-6  # a misfit of the linear program below this is rounding of its solver
FINEST = 10**6  # denominators of the exact proof
RULE = "alignment"


def alignment(
    sums: Mapping[Any, Mapping[Any, Any]],
    answers: Mapping[Any, Mapping[Any, float | None]],
    groups: Mapping[Any, Any],
    *,
    low: int = 0,
    high: int = 4,
    missing: float | None = None,
    shuffles: int = 0,
    seed: int = 20260101,
) -> tuple[Finding, ...]:
    """Check whether published sums of distances abs(h_i - s_ij) can belong to these answers s_ij in these groups.

    The answer key h_i (such as the mode of people's answers to unit i) is unknown; it may be any number from `low` to
    `high`. For each group the sums over its units, one for each source j, must come from one and the same key. Between
    neighbouring whole levels every abs(h - s_j) is linear, so the vectors of distances of a unit lie in the convex hull
    of those of the whole levels, and a linear program decides whether any mixture gives the sums:

        minimise sum_j abs(r_j)  subject to  sum_i sum_a w_ia abs(a - s_ij) + r_j = D_j,  sum_a w_ia = 1,  w >= 0.

    A positive minimum is proved with exact fractions: for every y with abs(y_j) <= 1,
    sum_j y_j D_j - sum_i max_a sum_j y_j abs(a - s_ij) is at most the minimum (weak duality), and y is the solver's
    dual solution, rounded. Then no key whatever gives these sums: the answers, the groups or the sums are misordered or
    other ones. A minimum of 0 proves nothing: the sums are possible.

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

    by_group = _units(sums, answers, groups)
    scale = (low, high, missing)
    findings = []
    for group, printed_sums in sums.items():
        goals = [printed(value) for value in printed_sums.values()]
        drawn = answers if shuffles else by_group[group]
        every = {unit: _row(unit, answers[unit], list(printed_sums), *scale) for unit in drawn}
        rows = [every[unit] for unit in by_group[group]]
        draws, generator = list(every.values()), np.random.default_rng(seed)
        noticed = 0
        for _ in range(shuffles):
            some = [draws[i] for i in generator.permutation(len(draws))[: len(rows)]]
            noticed += _solve(goals, some, *scale)[1] > 0
        finding = _finding(group, goals, len(rows), *_solve(goals, rows, *scale))
        decided = finding.verdict != "not_checkable"
        finding = replace(finding, noticed=noticed * decided, neighbours=shuffles * decided)
        findings.append(weighed(finding, "every random order would have fitted, too"))
    return tuple(findings)


def by_position(labels: Mapping[Any, Any], order: Sequence[Hashable]) -> dict[Any, Any]:
    """Give each unit, in the order of `labels`, the label of the unit that stands at its place in another order.

    What joining two lists by position does when one of them was sorted.

    Examples
    --------
    >>> by_position({1: "x", 2: "y", 3: "y"}, [3, 1, 2])
    {1: 'y', 2: 'x', 3: 'y'}
    """
    if sorted(map(str, order)) != sorted(map(str, labels)):
        raise InputError("the other order does not hold the same units")
    return {unit: labels[other] for unit, other in zip(labels, order, strict=True)}


def _units(sums: Mapping[Any, Any], answers: Mapping[Any, Any], groups: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    """Return the units of each group, joined by key."""
    by_group: dict[Any, list[Any]] = {group: [] for group in sums}
    for unit in answers:
        if unit not in groups:
            raise InputError(f"unit '{shorten(str(unit))}' has answers but no group")
        if groups[unit] in by_group:
            by_group[groups[unit]].append(unit)
    for group, units in by_group.items():
        if not units:
            raise InputError(f"group '{shorten(str(group))}' has a published sum but no unit with answers")
    return by_group


def _row(
    unit: Any, given: Mapping[Any, float | None], sources: list[Any], low: int, high: int, missing: float | None
) -> tuple[Fraction | None, ...]:
    """Return one unit's answers in the order of the sources."""
    row: list[Fraction | None] = []
    for source in sources:
        if source not in given:
            raise InputError(f"source '{shorten(str(source))}' has a published sum but no answer to unit '{unit}'")
        value = given[source]
        if value is None and missing is None:
            raise InputError(
                f"'{shorten(str(source))}' did not answer unit '{unit}': say with missing= what that counts"
            )
        if value is not None and not low <= value <= high:
            raise InputError(f"answer {value} of '{shorten(str(source))}' is outside {low} to {high}")
        row.append(None if value is None else Fraction(value))
    return tuple(row)


def _solve(
    goals: list[Printed], rows: list[tuple[Fraction | None, ...]], low: int, high: int, missing: float | None
) -> tuple[float, Fraction]:
    """Return the least misfit of the linear program, and the exact lower bound that its dual solution proves."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, kron, vstack

    gone = Fraction(missing or 0)
    whole = sorted({Fraction(a) for a in range(low, high + 1)} | {s for row in rows for s in row if s})
    exact = [[[gone if s is None else abs(a - s) for s in row] for a in whole] for row in rows]
    cube = np.array(exact, dtype=np.float64)  # units x levels x sources
    units, levels, sources = cube.shape
    mix = csr_array(cube.reshape(units * levels, sources).T)
    eye = csr_array(np.eye(sources))
    ones = hstack([kron(csr_array(np.eye(units)), csr_array(np.ones((1, levels)))), csr_array((units, 3 * sources))])
    equal = vstack([hstack([mix, eye, -eye, -eye]), ones])  # weights, misfit up and down, the sum itself
    ends = [tuple(float(end) for end in goal.bounds) for goal in goals]
    cost = np.r_[np.zeros(units * levels), np.ones(2 * sources), np.zeros(sources)]
    limits = [(0.0, None)] * (units * levels + 2 * sources) + ends
    solve: Any = linprog  # its types do not know sparse matrices
    found = solve(cost, A_eq=equal, b_eq=np.r_[np.zeros(sources), np.ones(units)], bounds=limits, method="highs")
    if not found.success:
        raise InputError(f"the linear program could not be solved: {found.message}")
    dual = [float(y) for y in found.eqlin.marginals[:sources]]
    return float(found.fun), max(_proved(goals, exact, dual, sign) for sign in (1, -1))


def _proved(goals: list[Printed], exact: list[list[list[Fraction]]], dual: list[float], sign: int) -> Fraction:
    """Lower bound of the misfit from weak duality, in exact fractions, with the dual solution rounded into its box."""
    y = [max(Fraction(-1), min(Fraction(1), Fraction(sign * v).limit_denominator(FINEST))) for v in dual]
    bound = sum((v * goal.bounds[0 if v > 0 else 1] for v, goal in zip(y, goals, strict=True)), Fraction(0))
    for levels in exact:
        bound -= max(sum((v * d for v, d in zip(y, level, strict=True)), Fraction(0)) for level in levels)
    return bound


def _finding(group: Any, goals: list[Printed], units: int, misfit: float, proved: Fraction) -> Finding:
    name = f"{shorten(str(group))}: {count(len(goals), 'sum')} over {count(units, 'unit')}"
    base = Finding(
        rule=RULE, verdict="not_checkable",
        message=f"{name}: the solver found no answer key (misfit {misfit:.3g}), but no exact proof",
        details={"misfit": misfit, "proved": proved, "sources": len(goals), "units": units},
    )  # fmt: skip
    if proved > 0:
        message = (
            f"sources disagree: {name} cannot come from these answers in this order, whatever the answer key; "
            f"the sums miss by at least {float(proved):.4g} in all (proved exactly)"
        )
        return replace(base, verdict="disagree", severity="major", message=message, published=f"{len(goals)} sums",
                       expected="no answer key", gap=proved)  # fmt: skip
    if misfit > FEASIBLE:
        return base
    return replace(base, verdict="agree", message=f"{name} are possible: some answer key gives them",
                   published=f"{len(goals)} sums", expected="an answer key exists")  # fmt: skip


NEEDED = ("table", "sum", "group", "source", "answers", "unit", "answer")
KEYS = (
    "check", "name", "note", "where", *NEEDED, "units", "sort_by", "low", "high", "missing", "refusals", "shuffles",
    "recorded",
)  # fmt: skip


def read_alignment(file: _Reading, place: str, given: dict[str, Any], sheets: Mapping[str, Sheet]) -> Rule | None:
    """Check a rule of this kind.

    Keys: ``table`` (of the sums) with columns ``sum``, ``group`` and ``source`` (one or several); ``answers`` (a table)
    with the same source columns, ``unit`` and ``answer``; ``units`` (a table with unit and group; by default the
    answers); ``sort_by`` (a column of it: group labels are taken by position after sorting by it); ``low``, ``high``;
    ``missing`` (distance of a refusal), ``refusals`` (labels of refusals); ``shuffles``.
    """
    from socialstats.audit.rules import Rule

    absent = [key for key in NEEDED if key not in given]
    if absent:
        file.wrong(f"{place}alignment needs {', '.join(absent)}", f"Keys: {', '.join(KEYS)}")
        return None
    tables = {key: given.get(key, given["answers"]) for key in ("table", "answers", "units")}
    strange = [name for name in tables.values() if str(name) not in sheets]
    if strange:
        file.wrong(f"{place}there is no table '{shorten(str(strange[0]))}'", f"Tables: {listing(list(sheets), 20)}")
        return None
    sources = given["source"] if isinstance(given["source"], list) else [given["source"]]
    if not isinstance(given.get("refusals", []), list) or not isinstance(given.get("where", {}), dict):
        file.wrong(f'{place}refusals must be a list of labels, where {{ column = "label" }}')
        return None
    wanted = {
        "table": [given["sum"], given["group"], *sources], "answers": [given["unit"], given["answer"], *sources],
        "units": [given["unit"], given["group"], *([given["sort_by"]] if "sort_by" in given else [])],
    }  # fmt: skip
    lost = [(tables[k], c) for k, columns in wanted.items() for c in columns if c not in sheets[tables[k]].columns]
    for table, column in lost:
        columns = ", ".join(sheets[table].columns)
        file.wrong(f"{place}table {table} has no column '{shorten(str(column))}'", f"Columns: {columns}")
    whole: dict[str, Any] = {key: given[key] for key in ("low", "high", "missing", "shuffles") if key in given}
    broken = [key for key, value in whole.items() if not isinstance(value, int)]
    for key in broken:
        file.wrong(f"{place}{key} = {whole[key]!r} must be a whole number")
    if lost or broken:
        return None
    return Rule(name=str(given.get("name", "alignment")), check="alignment", table=given["table"],
                note=str(given.get("note", "")), where=given.get("where", {}),
                parameters={**given, "source": sources, "units": tables["units"]}, options=whole)  # fmt: skip


def run_alignment(rule: Rule, sheets: Mapping[str, Sheet]) -> list[Finding]:
    """Make the check: one finding a group; without its tables, the findings that the rules file recorded of them."""
    given = rule.parameters
    if rule.absent:
        return recorded(rule)
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


def recorded(rule: Rule) -> list[Finding]:
    """Return what a rules file says that a check found on tables that are not here.

    ``recorded`` has ``files`` (which they were) and ``misfit``: of each group the least misfit, 0 where a key exists.
    """
    if "recorded" not in rule.parameters:
        message = f"needs {rule.absent}: give it on the command line"
        return [Finding(rule=rule.check, verdict="not_checkable", title=rule.name, where=rule.table, message=message)]
    held = rule.parameters["recorded"]
    said = f"recorded of {held['files']}; not computed here: give the files on the command line"
    findings = []
    for group, misfit in held["misfit"].items():
        verdict = f"cannot come from these answers in this order; the sums miss by at least {misfit:g}"
        found = Finding(
            rule=rule.check, verdict="disagree", severity="major", title=rule.name, where=group,
            gap=Fraction(str(misfit)),
            message=f"sources disagree: the sums {verdict} ({said})", published="sums", expected="no answer key",
            details={"misfit": float(misfit), "recorded": held["files"]},
        )  # fmt: skip
        if not misfit:
            message = f"some answer key gives the sums ({said})"
            found = replace(found, verdict="agree", severity="none", message=message, expected="an answer key exists")
        findings.append(found)
    return findings


def _sums(sheet: Sheet, rule: Rule) -> tuple[dict[str, dict[Any, Any]], dict[str, list[tuple[str, int, str]]]]:
    given = rule.parameters
    sums: dict[str, dict[Any, Any]] = {}
    cells: dict[str, list[tuple[str, int, str]]] = {}
    for row in sheet.where(rule.where):
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
