"""Rules for the values of a run file, and the errors of those that break one."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import Allowed, wrong_keys
from socialstats.text import shorten
from socialstats_collect.secrets import address_parts, remember
from socialstats_collect.tally import MOST, amount

OPENAI = "OPENAI_API_KEY"
SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?\s*")
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
VARIABLE = re.compile(r"[A-Za-z_]\w{0,39}", re.ASCII)
# lower case and digits: rarely the name of a variable
LIKE_A_KEY = re.compile(r"(?=.*[a-z])(?=.*\d).{16,}")
LONG_ENOUGH = 16  # characters of a key that stands in a text by no accident
PROXIES = ("http", "https", "socks5", "socks5h")
FREE_TABLES = "factors|texts|prices"  # tables whose keys are names that the user chose
# names under which clients take keys; signs may stand between their words
SECRET = (
    "x? (api|access|secret) key|(proxy )?authorization|((bearer|access|auth|api) )?token|bearer|(client )?secret|"
    "password|cookie"
).replace(" ", "[-_]*")
HEADERS = "((extra|default)[-_]*)?headers"


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What the values of some keys may not be.

    Attributes
    ----------
    keys
        Pattern of the keys, each with its tables before it: ``limits.timeout``.
    broken
        Tells whether a value breaks the rule.
    message, fix
        What is wrong, with ``{key}`` and ``{value}``, and what to do.
    """

    keys: str
    broken: Callable[[Any], bool]
    message: str
    fix: str = ""


def seconds(value: str | float) -> float | None:
    """Return a span of time in seconds; None where it is none, or 0.

    Examples
    --------
    >>> seconds("30 min"), seconds(2), seconds("0 s"), seconds("soon")
    (1800.0, 2.0, None, None)
    """
    span = SPAN.fullmatch(str(value))
    if span is None or not amount(float(span[1])):
        return None
    return float(span[1]) * SECONDS[(span[2] or "s")[0]]


def has_password(value: object) -> bool:
    """Return whether the address of a proxy holds a user or a password."""
    parts = address_parts(str(value), *PROXIES)
    return parts is not None and bool(parts.username or parts.password)


def is_no_variable(value: object) -> bool:
    """Return whether a value is not the name of a variable; it may be the key in place of its name, and is hidden."""
    name = str(value)
    if VARIABLE.fullmatch(name) and (name in os.environ or not LIKE_A_KEY.fullmatch(name)):
        return False
    remember(name)
    return True


FORBIDDEN = (
    "'{key}' does not belong in a run file",
    "Remove it: keys come from the environment, and key_env names the variable.",
)
KEYS_OF_KEYS = (
    ValueRule(
        rf"(?!{FREE_TABLES})(.*\.)?({SECRET})", lambda value: isinstance(value, str), *FORBIDDEN
    ),
    ValueRule(rf"(?!{FREE_TABLES})(.*\.)?{HEADERS}", lambda _: True, *FORBIDDEN),
)
RULES = (
    ValueRule(
        r"replicates|limits\.\w+",
        lambda value: isinstance(value, int | float) and value <= 0,
        "{key} = {value} is not positive",
    ),
    ValueRule(
        r"replicates|limits\.\w+",
        lambda value: isinstance(value, int | float) and not (value <= 0 or amount(value)),
        f"{{key}} = {{value}} is not a finite number up to {MOST:.0e}",
        "Leave it out where there is none.",
    ),
    ValueRule(
        r"limits\.patience",
        lambda value: isinstance(value, str) and seconds(value) is None,
        "{key} = {value} is no span of time",
        'Write "90 s", "30 min" or "8 h".',
    ),
    ValueRule(
        r"prices\..*\.(input|output)",
        lambda value: amount(value) is None,
        "{key} = {value} is not a finite number of at least 0",
        f"Write a number from 0 to {MOST:.0e}.",
    ),
    ValueRule(
        r"endpoint(s\..+)?\.proxy",
        lambda value: address_parts(str(value), *PROXIES) is None,
        "{key} is no address",
        'Write it as proxy = "http://host:port".',
    ),
    ValueRule(
        r"endpoint(s\..+)?\.proxy",
        has_password,
        "{key} has a user or a password",
        "Put the address into the variable HTTPS_PROXY, and set trust_env = true in its place.",
    ),
    ValueRule(
        r"endpoint(s\..+)?\.key_env",
        is_no_variable,
        "{key} is not the name of a variable",
        f'It is the name of a variable, such as "{OPENAI}"; the key itself stands in the environment.',
    ),
    # JSON has no such values: endpoints and logs could not hold them
    ValueRule(
        r"(?!limits|prices).*",
        lambda value: (
            isinstance(value, date | time)
            or (isinstance(value, float) and not math.isfinite(value))
        ),
        "{key} = {value} is no text, and no finite number",
        "Write a date, a time, or another word in quotes.",
    ),
)


def check_values(
    values: dict[str, Any], allowed: Allowed, needed: Mapping[str, str], source: str
) -> None:
    """Raise where a run file has an unknown or mistyped key, or a value that breaks a rule.

    Raises
    ------
    InputError
        Keys of endpoints first, then everything else that is wrong.
    """
    refuse(broken_rules(values, KEYS_OF_KEYS), source)
    refuse([*wrong_keys(values, allowed, needed=needed), *broken_rules(values, RULES)], source)


def broken_rules(values: dict[str, Any], rules: Sequence[ValueRule]) -> Iterator[Problem]:
    """Yield a problem for each value that breaks a rule."""
    for key, value in entries(values):
        for rule in rules:
            if re.fullmatch(rule.keys, key, re.IGNORECASE) and rule.broken(value):
                text = shorten(repr(value) if isinstance(value, str) else str(value))
                yield Problem(message=rule.message.format(key=key, value=text), fix=rule.fix)


def entries(values: dict[str, Any] | list[Any], where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every entry of a table, at any depth: its key with those of its tables, and its value.

    Examples
    --------
    >>> list(entries({"stop": ["a"]}))
    [('stop', ['a']), ('stop.1', 'a')]
    """
    for key, value in values.items() if isinstance(values, dict) else enumerate(values, 1):
        yield f"{where}{key}", value
        if isinstance(value, dict | list):
            yield from entries(value, f"{where}{key}.")


def refuse(problems: Iterator[Problem] | Sequence[Problem], source: str) -> None:
    """Raise where there are problems, with the file in which they stand."""
    within = [
        replace(problem, source=", ".join(filter(None, (source, problem.source))))
        for problem in problems
    ]
    if within:
        raise InputError(within)


def refuse_keys(variables: Sequence[str], texts: Mapping[str, str], source: str) -> None:
    """Hide the keys that variables hold from now on, and raise where one stands in a text.

    It would be sent as words, and written to tables.
    """
    problems = []
    for variable in variables:
        key = os.environ.get(variable, "").strip()
        remember(key)
        for place, text in texts.items():
            if len(key) >= LONG_ENOUGH and key in text:
                message = f"the key of {variable} stands in {place}"
                problems.append(Problem(message=message, fix="Remove it, and make a new key."))
    refuse(problems, source)
