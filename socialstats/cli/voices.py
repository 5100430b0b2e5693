"""How a command says the settings that messages name: ``--levels a,b``, not ``levels=['a', 'b']``."""

from __future__ import annotations

import shlex
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from socialstats.designs.settings import COMPUTED, READ
from socialstats.designs.vocabulary import UNNUMBERED, spelled
from socialstats.errors import Caution
from socialstats.voice import Voice, Word, python

OPTIONS = {
    one.key: one.option
    for one in (*READ, *COMPUTED)
    if one.key not in ("map", "group", "unmatched")
}
OPTIONS |= {"raters_in": "--raters", "columns": "--level-columns", "format": "--input-format"}
PARTS = spelled(
    "unit condition value rater status rater_source item_a item_b winner weight wins_a wins_b score_a score_b drawn "
    "first second group values scenario pair group_first group_second answer wording stage judge model trait task "
    "repeat"
)
# groups have metrics of their own, and the others are options of files
OF_EVERY_METRIC = ("format", "encoding", "group", "overwrite")
SPECIAL = set("\"'`$&;|<>*?#()\\")  # characters that a shell does not leave alone


def of_tables(name: str, value: Any, typed: str) -> str:
    """Return a setting as commands that read a table write it; other settings are marked as Python's.

    Examples
    --------
    >>> of_tables("levels", ["no", "so so"], ""), of_tables("unit", "question", ""), of_tables("cluster", Word(), "")
    ("--levels 'no,so so'", '--map unit=question', '--cluster')
    >>> of_tables("missing", "drop", "--missing drop"), of_tables("ci", "percentile", "")
    ('--missing drop', "ci='percentile' (in Python)")
    """
    if typed:
        return typed
    if name == "covariates":
        x = next(iter(value or ("X",)))
        return f"--map {x}_a=COLUMN --map {x}_b=COLUMN"
    if (name, value) == ("cluster", "declared"):  # a word of Python: here it would be a column
        return in_python(name, value)
    if value is False and name in ("order", "values"):
        return f"--map {name}="
    if value is True and name == "repeat":
        return f"--map {name}={UNNUMBERED}"
    if isinstance(value, str | int | float | Sequence) and not isinstance(value, bool):
        if name in OPTIONS:
            return f"{OPTIONS[name]} {word(value)}".rstrip()
        if name in PARTS or name.endswith(("_a", "_b")):
            column = f"{name}={value or 'COLUMN'}"
            return f"--map {shell_quoted(column)}"
    return in_python(name, value)


def of_metric(kinds: Mapping[str, Sequence[Any]]) -> Voice:
    """Return how ``estimate`` says a setting: every keyword of the metric, or of its table, is an option.

    Parameters
    ----------
    kinds : mapping of str to sequence
        Types that each keyword takes.

    Examples
    --------
    >>> say = of_metric({"ci": [str], "free_weights": [bool]})
    >>> say("ci", "percentile", ""), say("free_weights", True, ""), say("draws", 5, "")
    ('--ci percentile', '--free-weights', 'draws=5 (in Python)')
    """

    def say(name: str, value: Any, typed: str) -> str:
        if name not in kinds and name not in OF_EVERY_METRIC:
            return in_python(name, value)
        option = "--input-format" if name == "format" else f"--{name.replace('_', '-')}"
        if isinstance(value, bool) and {*kinds.get(name, ())} <= {bool, types.NoneType}:
            return option if value else option.replace("--", "--no-")
        return f"{option} {word(value)}".rstrip()

    return say


def in_python(name: str, value: Any) -> str:
    """Return a setting that the command lacks as text."""
    return f"{python(name, value, '')} (in Python)"


def word(value: Any) -> str:
    """Write a value as one word of a command line.

    Examples
    --------
    >>> word(["a", "b, c"]), word({"urgency": ("left", "right")}), word(0.5), word("")
    ('\\'a,"b, c"\\'', 'urgency=left:right', '0.5', "''")
    """
    if value == "" and not isinstance(value, Word):
        return "''"
    if value is True:
        return "true"
    if isinstance(value, Mapping):
        value = [
            f"{key}={part if isinstance(part, str) else ':'.join(map(str, part))}"
            for key, part in value.items()
        ]
    several = isinstance(value, Sequence) and not isinstance(value, str)
    return shell_quoted(
        ",".join(f'"{part}"' if "," in str(part) else str(part) for part in value)
        if several
        else str(value)
    )


def shell_quoted(text: str) -> str:
    """Return a text as a shell takes it."""
    return shlex.quote(text) if any(c in SPECIAL or c.isspace() for c in text) else text


def hint(cautions: Iterable[Caution]) -> str:
    """Return a line that names the command which explains cautions, or nothing where there are none."""
    codes = sorted({raised.code for raised in cautions})
    return f"explained by: socialstats explain {' '.join(codes)}\n" if codes else ""
