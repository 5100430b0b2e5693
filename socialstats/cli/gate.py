"""The gate command: exit 1 unless numbers of a table meet requirements, for continuous integration."""

from __future__ import annotations

import argparse
import json
import operator
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from socialstats import __version__
from socialstats.cli.estimate import cautions_of, function_of, parser_of
from socialstats.cli.helping import Parser
from socialstats.cli.options import words_of
from socialstats.cli.parsers.estimate import NAMES
from socialstats.cli.parsers.gate import FORMATS, PARSER, add_own_options
from socialstats.cli.signatures import typed_value
from socialstats.cli.voices import of_metric
from socialstats.cli.writing import Entry, as_junit, as_summary, write
from socialstats.designs.aliases import Fields, Texts
from socialstats.errors import APPROXIMATE, Caution, InputError, MissingDependency, SocialStatsError
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import negate_row
from socialstats.sentences import stat
from socialstats.tables.writing import writing
from socialstats.text import count, listing, number, p_value, quoted, unknown
from socialstats.voice import speaking

SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
FIELDS = ("estimate", "conf_low", "conf_high", "std_error", "p_value", "p_adjusted", "df", "n")
LIMITS = ("conf_low", "conf_high")
REQUIREMENT = re.compile(
    r"\s*(?P<quantity>\w+)\s*\[(?P<of>.+)\]\s*\.\s*(?P<field>\w+)\s*(?P<sign>[<>]=?)\s*(?P<limit>[-+\d.eE]+)\s*"
)
MEANS = {"pair": "paired_difference", "one": "mean_ratings"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What a number must be: ``quantity[of].field sign limit``."""

    text: str
    quantity: str
    of: str
    field: str
    sign: str
    limit: float

    @classmethod
    def parsed(cls, text: str) -> Requirement:
        """Read a requirement.

        Raises
        ------
        InputError
            For a text of another form, an unknown field or a limit that is no number.

        Examples
        --------
        >>> one = Requirement.parsed("mean[new - old].conf_low > -0.02")
        >>> one.quantity, one.of, one.field, one.sign, one.limit
        ('mean', 'new - old', 'conf_low', '>', -0.02)
        """
        match = REQUIREMENT.fullmatch(text)
        form = 'write QUANTITY[TERM].FIELD > NUMBER, such as "mean[new - old].conf_low > -0.02"'
        if match is None:
            raise InputError(f"--require {text}: not a requirement; {form}")
        parts = match.groupdict()
        if parts["field"] not in FIELDS:
            raise InputError(
                f"--require {text}: no field '{parts['field']}'; fields: {listing([*FIELDS], 9)}"
            )
        try:
            limit = float(parts.pop("limit"))
        except ValueError:
            raise InputError(f"--require {text}: the limit is not a number; {form}") from None
        return cls(text=text.strip(), limit=limit, **parts)


def run(options: argparse.Namespace) -> int:
    """Compute what the requirements name, say which are met, and return 0 where all are, else 1."""
    parser = Parser(prog="socialstats gate", **PARSER)
    add_own_options(parser)
    settings, words = parser.parse_known_args(options.words, options)
    if not settings.require:
        raise InputError('name what must hold: --require "mean[new - old].conf_low > -0.02"')
    requirements = [Requirement.parsed(text) for text in settings.require]
    with writing(words_of({"words": words}), overwrite=settings.overwrite):
        entries, values, cautions = judged(requirements, words)
        write(settings, lambda kind, color: rendered(kind, entries, values, cautions), FORMATS)
    for entry in entries if settings.output else ():
        print(line_of(entry), file=sys.stderr)
    for warning in cautions:
        print(f"caution: {warning}", file=sys.stderr)
    return int(any(entry.wrong for entry in entries))


def judged(
    requirements: Sequence[Requirement], words: Texts
) -> tuple[list[Entry], list[float | None], list[str]]:
    """Return an entry and a value for each requirement, and the cautions of the results that they rest on.

    Raises
    ------
    InputError
        For an unknown quantity, term or option, and what the metrics refuse.
    """
    results, strange = dict[Any, Any](), list[set[str]]()
    entries, values, cautions = list[Entry](), list[float | None](), dict[str, None]()
    if not words or words[0].startswith("--"):
        raise InputError("name the table first: socialstats gate TABLE --require REQUIREMENT")
    for requirement in requirements:
        name, implied, term = metric_of(requirement)
        parser, hints = parser_of(function_of(name))
        options, strange_words = parser.parse_known_args(
            _as_conditions(words) if implied else list(words)
        )
        strange.append({word for word in strange_words if word.startswith("--")})
        typed = {
            key: typed_value(key, word, hints[key])
            for key, word in vars(options).items()
            if key in hints and word is not None
        }
        if implied and {"first", "second"} & {
            *typed
        }:  # a row for each unit: the columns are the conditions
            sides = (typed.get("first"), typed.get("second"))
            if sides != implied.pop("conditions"):
                raise InputError(
                    f"--require {requirement.text}: name the columns in this order with --first and --second"
                )
        try:
            with speaking(of_metric(hints)):
                key = (name, repr(sorted((typed | implied).items())))
                result = results[key] = results.get(key) or function_of(name)(
                    *options.tables, **typed, **implied
                )
            warnings = cautions_of(result)
            cautions |= dict.fromkeys(map(str, warnings))
            row = row_of(result, term, requirement)
            values.append(getattr(row, requirement.field))
            entries.append(entry_of(requirement, row, words[0], warnings))
        except (InputError, MissingDependency):
            raise
        except SocialStatsError as error:  # a statistic that does not exist meets no requirement
            values.append(None)
            entries.append(
                Entry(
                    source=words[0],
                    name=requirement.text,
                    verdict="fails",
                    reason=str(error),
                    wrong=True,
                    cells=("undefined",),
                )
            )
    if idle := sorted(set.intersection(*strange)):
        near = f". {near_option}" if (near_option := parser.nearest(idle)) else ""
        raise InputError(f"no metric of these requirements has the option {quoted(idle)}{near}")
    if any(
        requirement.field.startswith("p_") and requirement.sign.startswith(">")
        for requirement in requirements
    ):
        cautions[
            "A large p value is no evidence that two are equal: require a limit of the interval"
        ] = None
    return entries, values, list(cautions)


def metric_of(requirement: Requirement) -> tuple[str, Fields, str]:
    """Return the metric of a requirement, options that it implies, and the term of its row."""
    if requirement.quantity != "mean":
        if requirement.quantity not in NAMES:
            wrong = unknown("quantity", requirement.quantity, ["mean", *NAMES], "quantities")
            raise InputError(f"--require {requirement.text}: {wrong}")
        return requirement.quantity, {}, requirement.of.strip()
    first, minus, second = (part.strip() for part in requirement.of.partition(" - "))
    if minus:
        return MEANS["pair"], {"conditions": (first, second)}, "difference"
    return MEANS["one"], {}, first


def _as_conditions(words: Texts) -> list[str]:
    """Return the words with the column of models as that of conditions: a difference of means pairs them."""
    if any(word.split("=")[0] == "--condition" for word in words):
        return list(words)
    return [
        "--condition" + word.removeprefix("--rater") if word.split("=")[0] == "--rater" else word
        for word in words
    ]


def row_of(result: Result | ResultGroup, term: str, requirement: Requirement) -> Row:
    """Return the row that a requirement names.

    Raises
    ------
    InputError
        Where no row, or several rows, have the term.
    """
    rows = result.rows() if isinstance(result, ResultGroup) else result.rows
    named = {
        row: {
            row.term,
            *(f"{part}: {row.term}" for part in (row.group, row.by, f"{row.by}, {row.group}")),
        }
        for row in rows
    }
    matching = [row for row, names in named.items() if term in names]
    leading = [row for row in matching if row.group is None and row.by is None]
    if not matching and " - " in term:
        turned = " - ".join(reversed(term.split(" - ", 1)))
        matching = [
            negate_row(row)
            for row, names in named.items()
            if turned in names and row.role == "difference"
        ]
    if len(matching) == 1 or len(leading) == 1:
        return (leading if len(matching) > 1 else matching)[0]
    labels = dict.fromkeys(
        row.term if row.group is None else f"{row.group}: {row.term}" for row in matching or rows
    )
    problem = f"several rows are called '{term}'" if matching else f"no term '{term}'"
    raise InputError(f"--require {requirement.text}: {problem}; terms: {quoted([*labels], 20)}")


def entry_of(
    requirement: Requirement, row: Row, source: str, cautions: Sequence[Caution] = ()
) -> Entry:
    """Return whether a row meets its requirement; a missing number does not, nor one that a caution stops.

    The reason names the cautions that stop it, and those that make its interval approximate, such as few units. Where
    two models have the same value in every unit, nothing changed: the limits of their difference count as 0.
    """
    stops = [str(warning) for warning in cautions if warning.severity == "stop"]
    loose = [
        f"{warning.code} {warning.short}"
        for warning in row.cautions
        if row.approximate and warning.code in APPROXIMATE
    ]
    value = getattr(row, requirement.field)
    unchanged = (
        row.role == "difference"
        and row.estimate == 0
        and row.reason == "no_variation"
        and requirement.field in LIMITS
    )
    judged = 0.0 if unchanged and value is None else value
    met = judged is not None and not stops and SIGNS[requirement.sign](judged, requirement.limit)
    is_whole = requirement.field in ("n", "df") and value is not None and value % 1 == 0
    digits = 0 if is_whole else max(4, len(f"{requirement.limit:g}".partition(".")[2]) + 1)
    printed = (
        "undefined"
        if value is None
        else p_value(value)
        if requirement.field.startswith("p_")
        else number(value, digits)
    )
    reason = (
        (f"nothing changed, {requirement.field} counts as 0: " if unchanged else "")
        + (row.undefined or f"there is no {requirement.field}")
        if value is None
        else "; ".join([f"{row.term}: {stat(row)}", *stops, *loose])
    )
    return Entry(
        source=source,
        name=requirement.text,
        verdict="met" if met else "fails",
        reason=reason,
        wrong=not met,
        cells=(printed,),
    )


def line_of(entry: Entry) -> str:
    """Return an entry as one line."""
    return f"{entry.verdict}: {entry.name} ({entry.cells[0]}; {entry.reason})"


def headline(entries: Sequence[Entry]) -> str:
    """Return how many requirements are met."""
    failed = sum(entry.wrong for entry in entries)
    return f"{count(len(entries) - failed)} of {count(len(entries), 'requirement')} met."


def rendered(
    kind: str, entries: Sequence[Entry], values: Sequence[float | None], cautions: Texts
) -> str:
    """Return the outcome in one of the formats."""
    if kind == "junit":
        return as_junit("socialstats gate", entries)
    if kind == "md":
        return as_summary(
            "socialstats gate",
            headline(entries),
            entries,
            ("Value",),
            [f"Caution: {c}" for c in cautions],
        )
    if kind == "json":
        listed = [
            {
                "requirement": entry.name,
                "met": not entry.wrong,
                "value": value,
                "reason": entry.reason,
            }
            for entry, value in zip(entries, values, strict=True)
        ]
        summary = {
            "ok": not any(entry.wrong for entry in entries),
            "requirements": listed,
            "cautions": list(cautions),
        }
        return json.dumps({"socialstats": __version__, **summary}, indent=1) + "\n"
    return "\n".join([*map(line_of, entries), headline(entries)]) + "\n"
