"""Tables of a rules file that are computed from raw answers: counts, shares, means, agreement, realigned sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from socialstats.audit.arithmetic import exact_count
from socialstats.audit.numbers import Printed, as_decimal, located, printed
from socialstats.audit.sheets import Sheet
from socialstats.errors import InputError, NothingToAnalyse, Problem, UndefinedStatistic
from socialstats.text import count, listing, quoted, shorten

CLOSE = Fraction(1, 10**9)  # what a statistic in floating point may be wrong by
AGREEMENT = ("krippendorff_alpha", "fleiss_kappa", "weighted_kappa", "percent_agreement")
BY_LABEL = ("counts", "shares")
COMPUTED = (*BY_LABEL, "mean", "sd", *AGREEMENT, "realigned")
ROLES = ("unit", "rater")
LEVELS = ("nominal", "ordinal", "interval", "ratio")
KEYS = (
    "answers",
    "compute",
    "answer",
    "by",
    "where",
    "unit",
    "rater",
    "labels",
    "level",
    "weights",
    "empty",
    "ddof",
    "groups",
)
VALUE, LOW, HIGH, LABEL = "value", "low", "high", "label"


@dataclass(frozen=True, slots=True)
class Given:
    """One answer with its unit, its rater and its line."""

    answer: str
    line: int
    unit: str = ""
    rater: str = ""


def between(low: Fraction, high: Fraction) -> Printed:
    """Return a computed number that lies between two ends; exact where they are equal."""
    ends = dict.fromkeys((low, high) if high - low > 10 * CLOSE else [(low + high) / 2])
    text = " to ".join(as_decimal(end, 6).rstrip("0").rstrip(".") for end in ends)
    return Printed(text=text, value=(low + high) / 2, unit=Fraction(0), low=low, high=high)


def wrong_settings(how: Mapping[str, Any], columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return what is wrong with the keys of a computed table, each with its fix."""
    compute, found = how.get("compute"), []
    if compute not in COMPUTED:
        return [(f"compute = {shorten(repr(compute))} is not computed from answers", f"One of: {', '.join(COMPUTED)}")]
    groups = how.get("groups", {})
    forms: dict[str, tuple[Any, str]] = {
        "by": ((str, list), "a column or a list of columns"), "labels": (list, "a list of labels"),
        "where": (dict, 'a filter such as { column = "label" }'),
        "groups": (dict, 'one new column with its labels, { column = { "A and B" = { old = ["A", "B"] } } }'),
    }  # fmt: skip
    broken = [key for key, (kind, _) in forms.items() if key in how and not isinstance(how[key], kind)]
    nested = [*groups.values()] if isinstance(groups, dict) else []
    filters = [where for of in nested for where in (of.values() if isinstance(of, dict) else [of])]
    if len(nested) > 1 or not all(isinstance(where, dict) for where in filters):
        broken.append("groups")
    found += [(f"{key} must be {forms[key][1]}", "") for key in dict.fromkeys(broken)]
    needs = ("answer", *(ROLES if compute in AGREEMENT else ()))
    found += [(f"compute = '{compute}' needs {key}", "Give the name of a column") for key in needs if key not in how]
    if not broken:
        named = [(key, how[key]) for key in needs if key in how] + [("by", column) for column in listed(how.get("by"))]
        named += [("where", column) for column in how.get("where", {})]
        named += [("groups", column) for where in filters for column in where]
        found += [(f"{key}: the answers have no column '{shorten(str(column))}'", f"Columns: {quoted(columns, 20)}")
                  for key, column in named if column not in columns]  # fmt: skip
    for key, allowed in (("level", LEVELS), ("ddof", (0, 1))):
        if key in how and (how[key] not in allowed or isinstance(how[key], bool)):
            fix = f"One of: {listing([str(value) for value in allowed])}"
            found.append((f"{key} = {shorten(repr(how[key]))} is not allowed", fix))
    if how.get("level", "nominal") != "nominal" and compute not in AGREEMENT:
        found.append((f"level has no meaning for compute = '{compute}'", f"It is of: {', '.join(AGREEMENT)}"))
    return found


def listed(given: Any) -> list[Any]:
    """Return a list as it is, one thing as a list of it, nothing as an empty list."""
    return list(given) if isinstance(given, list | tuple) else [] if given is None else [given]


def computed(name: str, answers: Sheet, how: Mapping[str, Any]) -> Sheet:
    """Compute a table from a sheet of raw answers: one row a group, and a label for counts and shares.

    Parameters
    ----------
    name : str
        Of the table.
    answers : Sheet
        One row an answer.
    how : mapping
        ``compute``, ``answer`` and ``by`` (columns), ``where``, ``labels`` (those that are counted), ``empty`` (the
        label of an empty answer, which otherwise is none), ``unit``, ``rater``, ``level``, ``weights``, ``ddof``;
        ``groups`` (a column's name, and of each of its labels the rows that it holds) for groups that share rows.

    Returns
    -------
    Sheet
        Columns of ``by``, ``label``, ``value``; a group of which the statistic does not exist has the reason.

    Raises
    ------
    InputError
        For answers that are no numbers where numbers are needed, with file, line and column.
    """
    by, compute = listed(how.get("by")), str(how["compute"])
    named = [(column, label, where) for column, of in how.get("groups", {}).items() for label, where in of.items()]
    groups: dict[tuple[str, ...], list[Given]] = {}
    for _, label, where in named or [("", "", {})]:
        for row in answers.where(how.get("where", {}), where):
            answer = answers.label(row, how["answer"]) or str(how.get("empty", ""))
            one = Given(answer, answers.lines[row], *(answers.label(row, how[k]) if k in how else "" for k in ROLES))
            key = tuple(answers.label(row, column) for column in by)
            groups.setdefault((*([label] if named else []), *key), []).append(one)
    by = [*how.get("groups", {}), *by]
    rows: list[tuple[dict[str, str], Printed | str]] = []
    for key, given in groups.items():
        labels = dict(zip(by, key, strict=True))
        valid = [one for one in given if one.answer]
        if compute in BY_LABEL:
            rows += [(labels | {LABEL: label}, number) for label, number in _by_label(compute, valid, how)]
        else:
            rows.append((labels, (_agreement if compute in AGREEMENT else _moment)(compute, valid, how, answers)))
    return sheet_of(name, rows, (*by, *([LABEL] if compute in BY_LABEL else [])), answers.sources[0])


def sheet_of(
    name: str, rows: Sequence[tuple[Mapping[str, str], Printed | str]], by: Sequence[str], source: str
) -> Sheet:
    """Return computed numbers as a table: its cells hold intervals, which the rules that use them keep, or a reason."""
    return Sheet(
        name=name, columns=(*by, VALUE), rows=tuple({**labels, VALUE: str(number)} for labels, number in rows),
        lines=tuple(range(1, len(rows) + 1)), sources=(f"{name} (computed from {source})",) * len(rows),
        numbers={row: None if isinstance(number, str) else number for row, (_, number) in enumerate(rows)},
    )  # fmt: skip


def recorded_sheet(sheet: Sheet) -> Sheet:
    """Return a table of recorded results, with a column ``value`` or ``low`` and ``high``, as a computed one."""
    by = [column for column in sheet.columns if column not in (VALUE, LOW, HIGH)]
    ends = (LOW, HIGH) if LOW in sheet.columns else (VALUE, VALUE)
    rows = []
    for row in range(len(sheet.rows)):
        low, high = (sheet.cell(row, column).number or printed("") for column in ends)
        number = between(low.bounds[0], high.bounds[1]) if LOW in ends else exact_count(low)
        labels = {column: sheet.rows[row][column] for column in by}
        rows.append((labels, replace(number, text=f"{number.text}, recorded")))
    return sheet_of(sheet.name, rows, by, f"answers that are not here; recorded in {sheet.sources[0]}")


def _by_label(compute: str, given: Sequence[Given], how: Mapping[str, Any]) -> list[tuple[str, Printed]]:
    counted = Counter(one.answer for one in given)
    labels = [str(label) for label in how.get("labels", sorted(counted))]
    over = max(len(given), 1) if compute == "shares" else 1
    return [(label, between(*[Fraction(counted[label], over)] * 2)) for label in labels]


def _moment(compute: str, given: Sequence[Given], how: Mapping[str, Any], answers: Sheet) -> Printed | str:
    """Return the exact mean, or the standard deviation with the interval of its square root."""
    first = {one.answer: one.line for one in reversed(given)}
    place = Problem(message="", source=answers.sources[0], column=how["answer"])
    value = {label: located(label, replace(place, lines=(line,))).value for label, line in first.items()}
    counted, n = Counter(value[one.answer] for one in given), len(given)
    ddof = 0 if compute == "mean" else int(how.get("ddof", 1))
    if n <= ddof:
        return f"the {compute} of {count(n, 'answer')} does not exist"
    mean = sum((x * k for x, k in counted.items()), Fraction(0)) / n
    if compute == "mean":
        return between(mean, mean)
    spread = Fraction(math.sqrt(sum((k * (x - mean) ** 2 for x, k in counted.items()), Fraction(0)) / (n - ddof)))
    return between(spread * (1 - CLOSE), spread * (1 + CLOSE))


def _agreement(compute: str, given: Sequence[Given], how: Mapping[str, Any], answers: Sheet) -> Printed | str:
    """Return a coefficient of agreement by the package's metric of this name."""
    import socialstats

    level = how.get("level", "nominal")
    columns: dict[str, list[Any]] = {role: [getattr(one, role) for one in given] for role in (*ROLES, "answer")}
    if level != "nominal" and "labels" not in how:
        place = Problem(message="", source=answers.sources[0], column=how["answer"])
        columns["answer"] = [float(located(one.answer, replace(place, lines=(one.line,))).value) for one in given]
    settings: dict[str, Any] = {"unit": "unit", "rater": "rater", "value": "answer", "scale": level}
    settings |= {"levels": [str(label) for label in how["labels"]]} if "labels" in how else {}
    settings |= {"weights": how["weights"]} if "weights" in how else {}
    settings |= {} if compute in ("krippendorff_alpha", "fleiss_kappa") else {"pairs": "pooled"}
    metric: Callable[..., Any] = getattr(socialstats, compute)
    try:
        row = metric(columns, **settings).rows[0]
    except InputError as error:
        place = Problem(message=f"{compute}: {error}", source=answers.sources[0], column=how["answer"])
        raise InputError(place) from error
    except (NothingToAnalyse, UndefinedStatistic) as error:
        return f"{compute} does not exist: {error}"
    if row.estimate is None:
        return f"{compute} does not exist: {row.undefined}"
    return between(Fraction(row.estimate) - CLOSE, Fraction(row.estimate) + CLOSE)
