"""What a log holds: rows that were scored, and the numbers its harness printed about them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["ok", "error", "unscored", "unparsed", "refusal", "missing"]
"""What became of a row. Only ``ok`` rows have a value; every other row is counted, never dropped."""

Quantity = Literal[
    "mean",
    "std_error",
    "std_dev",
    "variance",
    "conf_low",
    "conf_high",
    "median",
    "sum",
    "count",
    "share",
    "other",
]
"""What a claim says it is. ``other`` is listed as not computable, with the harness's own name for it."""

KEYS = ("model", "task", "unit", "epoch", "scorer", "filter", "value", "answer", "status")
"""The columns every log's rows have, in this order; all further columns are the sample's metadata."""

SCORE_TEXT = "score_text"
"""A further column, where two texts stand for one value: the score as the log writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A number that a harness (or a paper, or a person) printed, and the rows it is about.

    Parameters
    ----------
    name
        As the harness writes it: ``accuracy``, ``acc_stderr,none``, ``stderr (cluster=scenario)``.
    quantity
        What kind of number it is.
    printed
        The number exactly as it stands in the file; its last digit says how far it was rounded.
    where
        File and place in it, for messages: ``results.json: results.boolq["acc,none"]``.
    select
        Column to value: the rows it is about, such as ``{"scorer": "choice", "task": "boolq"}``.
    parts
        For a number about groups (mean of group means, pooled standard error): one ``select`` per part, in the
        order of the file. Empty for a number about its own rows.
    settings
        What the log says about how it was computed. ``reducer`` is how repeats of a unit were joined (``mean``,
        ``median``, ``mode``, ``max``, ``at_least_k``, ``pass_at_k``). ``cluster`` and ``weights`` are columns.
        ``ddof``, ``conf_level``, ``method`` (``normal``, ``t``, ``bootstrap``) and ``resamples`` are those of the
        interval. ``by_size`` has group weights. ``over_parts`` is ``mean`` for a standard error that is the mean of
        those of the parts. ``errors`` (``dropped``, ``zero``, ``kept``) is what became of unscored repeats; those kept
        spoil a mean. ``undefined`` (``0``, ``mean``) is what is printed where there is no standard error. ``to_float``
        is how labels became numbers.
    n
        How many rows or units the harness says it is about.

    Examples
    --------
    >>> Claim(name="accuracy", quantity="mean", printed="0.75", select={"scorer": "match"}).printed
    '0.75'
    """

    name: str
    quantity: Quantity
    printed: str
    where: str = ""
    select: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[Mapping[str, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReading:
    """How `report` reads the rows of a log.

    Parameters
    ----------
    options
        Words of the command line, such as ``("--study", "norm-goal")``.
    wide
        Column whose values become columns before; empty for none.

    Examples
    --------
    >>> StudyReading(options=("--study", "norm-goal")).sentence()
    'the converted table is read by: socialstats report TABLE --study norm-goal'
    """

    options: tuple[str, ...]
    wide: str = ""

    @property
    def study(self) -> str | None:
        """The study that reads the rows; None where the table tells."""
        at = self.options.index("--study") + 1 if "--study" in self.options else None
        return None if at is None else self.options[at]

    def sentence(self) -> str:
        """Return the commands that read a log in two steps."""
        words = shlex.join(self.options)
        if not self.wide:
            return f"the converted table is read by: socialstats report TABLE {words}"
        return (
            f"one column for each {self.wide} is read: socialstats convert LOG --wide {self.wide} -o TABLE, "
            f"then socialstats report TABLE {words}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Another harness's run as tidy rows, with what the harness says about them.

    Parameters
    ----------
    harness
        ``inspect``, ``lm-eval``, ``helm``, ...
    version
        The harness's version that wrote the log, where it says so.
    files
        What was read.
    rows
        One row a unit, epoch (repeat), scorer (and filter): the columns ``KEYS`` (``value`` a float or missing,
        ``status`` a ``Status``, the others text), then the sample's metadata. Repeats of one unit share ``unit``.
    claims
        The harness's own numbers.
    notes
        What the reader wants said: counts of rows by status, traps of this format that this log shows.
    reading
        How `report` reads the rows, where they are those of a study.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"unit": ["a", "b"], "value": [1.0, 0.0], "status": ["ok", "ok"]})
    >>> Log(harness="toy", files=("toy.json",), rows=rows).harness
    'toy'
    """

    harness: str
    files: tuple[str, ...]
    rows: pd.DataFrame
    version: str | None = None
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    reading: StudyReading | None = None


def version_of(text: str | None) -> tuple[int, ...]:
    """Return the leading numbers of a version; empty where there are none.

    Examples
    --------
    >>> version_of("0.4.9.1"), version_of("0.4.13.dev0"), version_of(None)
    ((0, 4, 9, 1), (0, 4, 13), ())
    """
    match = re.match(r"\s*v?(\d+(?:\.\d+)*)", text or "")
    return tuple(int(part) for part in match[1].split(".")) if match else ()
