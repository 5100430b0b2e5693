"""Logs of other harnesses to one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError, NothingToAnalyse
from socialstats.harness_logs.log import KEYS, Log
from socialstats.text import listing, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd


PER_SCORE = ("value", "answer", "status", "scorer", "trait", "weight", "threshold", "passed")
LOG = "log"


def table_of(logs: Sequence[Log]) -> pd.DataFrame:
    """Stack the rows of all logs in one table; of several, the column ``log`` names the file.

    Raises
    ------
    NothingToAnalyse
        If the logs hold no row.
    """
    import pandas as pd

    if not sum(len(log.rows) for log in logs):
        raise NothingToAnalyse(
            f"{quoted([log.files[0] for log in logs])}: a log without samples: there is no row to write"
        )
    if len(logs) == 1:
        return logs[0].rows
    if len({"status" in log.rows.columns for log in logs}) > 1:
        questions = [log.files[0] for log in logs if "status" not in log.rows.columns]
        raise InputError(
            f"answers, and questions without answers ({quoted(questions)}): convert these files on their own"
        )
    parts = [log.rows.assign(**{LOG: log.files[0]}) for log in logs if len(log.rows)]
    return pd.concat(parts, ignore_index=True)


def wide(table: pd.DataFrame, column: str = "scorer") -> pd.DataFrame:
    """Give every value of a column (scorer, trait) a column of its own; rows without one are left out.

    Parameters
    ----------
    table
        Rows of a log.
    column
        Whose values become columns.

    Raises
    ------
    InputError
        If there is no such column, or two rows share a place.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"unit": ["u", "u"], "scorer": ["a", "b"], "value": [1.0, 0.5], "status": ["ok", "ok"]})
    >>> wide(rows).to_dict("records")
    [{'unit': 'u', 'a': 1.0, 'b': 0.5}]
    """
    import pandas as pd

    if column not in table.columns or column == "value":
        names = listing([str(name) for name in table.columns if name != "value"], 20)
        raise InputError(f"--wide {column}: the rows have no such column. Columns: {names}")
    index = [str(name) for name in table.columns if name not in (*PER_SCORE, column)]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in table.to_dict("records"):
        label = row[column]
        if not isinstance(label, str) or not label:
            continue
        place = tuple(None if row[name] != row[name] else row[name] for name in index)
        name = f"score_{label}" if label in index else label
        scores = rows.setdefault(place, dict(zip(index, place, strict=True)))
        if name in scores:
            at = ", ".join(
                f"{k} {shorten(str(v), 30)}"
                for k, v in zip(index, place, strict=True)
                if k in KEYS and v
            )
            raise InputError(
                f"two rows at {at} for {column} '{shorten(name)}': leave out --wide, or choose a column"
            )
        scores[name] = row["value"]
    return pd.DataFrame(list(rows.values()))
