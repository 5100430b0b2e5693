"""Tables of a rules file that are computed from raw answers: counts, shares, means, agreement, realigned sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from socialstats.audit.checks.arithmetic import exact_count
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.numbers import Printed, as_decimal, located, printed
from socialstats.errors import InputError, NothingToAnalyse, Problem, UndefinedStatistic
from socialstats.tables.toml_files import FILTER, ColumnName, wrong_keys
from socialstats.text import count

CLOSE = Fraction(1, 10**9)  # what a statistic in floating point may be wrong by
AGREEMENT = ("krippendorff_alpha", "fleiss_kappa", "weighted_kappa", "percent_agreement")
BY_LABEL = ("counts", "shares")
COMPUTED = (*BY_LABEL, "mean", "sd", *AGREEMENT, "realigned")
ROLES = ("unit", "rater")
LEVELS = ("nominal", "ordinal", "interval", "ratio")
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


def wrong_settings(how: Mapping[str, Any], answers: Sheet) -> Iterator[Problem]:
    """Yield what is wrong with the keys of a computed table."""
    compute, where = how.get("compute"), dict.fromkeys(answers.columns, FILTER)
    column = ColumnName("of the answers", answers.columns)
    yield from wrong_keys(
        how,
        {
            "answers": str,
            "recorded": str,
            "compute": COMPUTED,
            "answer": column,
            "by": [column],
            "where": where,
            **dict.fromkeys(ROLES, column if compute in AGREEMENT else object),
            "labels": list,
            "level": LEVELS,
            "weights": object,
            "empty": object,
            "ddof": (0, 1),
            "groups": {"*": {"*": where}},
        },
    )
    for key in ("compute", "answer", *(ROLES if compute in AGREEMENT else ())):
        if key not in how:
            fix = (
                f"One of: {', '.join(COMPUTED)}"
                if key == "compute"
                else "Give the name of a column"
            )
            yield Problem(message=f"what is computed of answers needs {key}", fix=fix)
    if isinstance(how.get("groups"), dict) and len(how["groups"]) > 1:
        yield Problem(
            message="groups must be one new column",
            fix='{ column = { "A and B" = { old = ["A", "B"] } } }',
        )
    if how.get("level", "nominal") != "nominal" and compute not in AGREEMENT:
        fix = f"It is of: {', '.join(AGREEMENT)}"
        yield Problem(message=f"level has no meaning for compute = '{compute}'", fix=fix)


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
        One row per answer.
    how : mapping
        ``compute``, ``answer`` and ``by`` (columns), ``where``, ``labels`` (those that are counted), ``unit``,
        ``rater``, ``level``, ``weights``, ``ddof``. ``empty``: the label of an empty answer, which otherwise is none.
        ``groups``: for groups that share rows, a column's name, and the rows of each of its labels.

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
    named = [
        (column, label, where)
        for column, of in how.get("groups", {}).items()
        for label, where in of.items()
    ]
    groups: dict[tuple[str, ...], list[Given]] = {}
    for _, label, where in named or [("", "", {})]:
        for row in answers.where(how.get("where", {}), where):
            answer = answers.label(row, how["answer"]) or str(how.get("empty", ""))
            one = Given(
                answer,
                answers.lines[row],
                *(answers.label(row, how[k]) if k in how else "" for k in ROLES),
            )
            key = tuple(answers.label(row, column) for column in by)
            groups.setdefault((*([label] if named else []), *key), []).append(one)
    by = [*how.get("groups", {}), *by]
    rows: list[tuple[dict[str, str], Printed | str]] = []
    for key, given in groups.items():
        labels = dict(zip(by, key, strict=True))
        valid = [one for one in given if one.answer]
        if compute in BY_LABEL:
            rows += [
                (labels | {LABEL: label}, number)
                for label, number in _by_label(compute, valid, how)
            ]
        else:
            rows.append(
                (
                    labels,
                    (_agreement if compute in AGREEMENT else _moment)(compute, valid, how, answers),
                )
            )
    return sheet_of(
        name, rows, (*by, *([LABEL] if compute in BY_LABEL else [])), answers.sources[0]
    )


def sheet_of(
    name: str,
    rows: Sequence[tuple[Mapping[str, str], Printed | str]],
    by: Sequence[str],
    source: str,
) -> Sheet:
    """Return computed numbers as a table: its cells hold intervals, which the rules that use them keep, or a reason."""
    return Sheet(
        name=name,
        columns=(*by, VALUE),
        rows=tuple({**labels, VALUE: str(number)} for labels, number in rows),
        lines=tuple(range(1, len(rows) + 1)),
        sources=(f"{name} (computed from {source})",) * len(rows),
        numbers={
            row: None if isinstance(number, str) else number for row, (_, number) in enumerate(rows)
        },
    )


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
    return sheet_of(
        sheet.name, rows, by, f"answers that are not here; recorded in {sheet.sources[0]}"
    )


def _by_label(
    compute: str, given: Sequence[Given], how: Mapping[str, Any]
) -> list[tuple[str, Printed]]:
    counted = Counter(one.answer for one in given)
    labels = [str(label) for label in how.get("labels", sorted(counted))]
    over = max(len(given), 1) if compute == "shares" else 1
    return [(label, between(*[Fraction(counted[label], over)] * 2)) for label in labels]


def _moment(
    compute: str, given: Sequence[Given], how: Mapping[str, Any], answers: Sheet
) -> Printed | str:
    """Return the exact mean, or the standard deviation with the interval of its square root."""
    first = {one.answer: one.line for one in reversed(given)}
    place = Problem(message="", source=answers.sources[0], column=how["answer"])
    value = {
        label: located(label, replace(place, lines=(line,))).value for label, line in first.items()
    }
    counted, n = Counter(value[one.answer] for one in given), len(given)
    ddof = 0 if compute == "mean" else int(how.get("ddof", 1))
    if n <= ddof:
        return f"the {compute.upper() if compute == 'sd' else compute} of {count(n, 'answer')} is undefined"
    mean = sum((x * k for x, k in counted.items()), Fraction(0)) / n
    if compute == "mean":
        return between(mean, mean)
    spread = Fraction(
        math.sqrt(sum((k * (x - mean) ** 2 for x, k in counted.items()), Fraction(0)) / (n - ddof))
    )
    return between(spread * (1 - CLOSE), spread * (1 + CLOSE))


def _agreement(
    compute: str, given: Sequence[Given], how: Mapping[str, Any], answers: Sheet
) -> Printed | str:
    """Return a coefficient of agreement by the package's metric of this name."""
    import socialstats

    level = how.get("level", "nominal")
    columns: dict[str, list[Any]] = {
        role: [getattr(one, role) for one in given] for role in (*ROLES, "answer")
    }
    if level != "nominal" and "labels" not in how:
        place = Problem(message="", source=answers.sources[0], column=how["answer"])
        columns["answer"] = [
            float(located(one.answer, replace(place, lines=(one.line,))).value) for one in given
        ]
    settings: dict[str, Any] = {"unit": "unit", "rater": "rater", "value": "answer", "scale": level}
    settings |= {"levels": [str(label) for label in how["labels"]]} if "labels" in how else {}
    settings |= {"weights": how["weights"]} if "weights" in how else {}
    settings |= {} if compute in ("krippendorff_alpha", "fleiss_kappa") else {"pairs": "pooled"}
    metric: Callable[..., Any] = getattr(socialstats, compute)
    try:
        row = metric(columns, **settings).rows[0]
    except InputError as error:
        place = Problem(
            message=f"{compute}: {error}", source=answers.sources[0], column=how["answer"]
        )
        raise InputError(place) from error
    except (NothingToAnalyse, UndefinedStatistic) as error:
        return f"{compute} is undefined: {error}"
    if row.estimate is None:
        return f"{compute} is undefined: {row.undefined}"
    return between(Fraction(row.estimate) - CLOSE, Fraction(row.estimate) + CLOSE)
