"""The one test and the one interval of a result, as scipy has them, and what other packages call the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results.rows import TIDY_COLUMNS, Row
from socialstats.text import listing

# rows that a message names
MOST = 5
# what other packages call a part of a result -> what to write here
THEIRS: Mapping[str, str] = {
    **dict.fromkeys(("p", "pval", "p_val", "p_value"), "pvalue, or row(term).p_value"),
    **dict.fromkeys(
        ("estimate", "coefficients", "coefs", "beta", "abilities"), "params, or row(term).estimate"
    ),
    **dict.fromkeys(
        ("kappa", "alpha", "rho", "odds_ratio", "power"), "params, or row(term).estimate"
    ),
    **dict.fromkeys(("stderr", "std_error", "std_err", "se"), "bse, or row(term).std_error"),
    **dict.fromkeys(
        ("tvalues", "zvalues", "statistics"), "tidy()['statistic'], or row(term).statistic"
    ),
    **dict.fromkeys(("df", "dof", "df_resid"), "row(term).df"),
    **dict.fromkeys(("ci", "interval"), "confint(), or row(term).conf_low"),
    **dict.fromkeys(("pvals_corrected", "reject", "p_adjusted"), "tidy()['p_adjusted']"),
    **dict.fromkeys(("summary_frame", "to_frame", "to_dataframe", "to_pandas"), "tidy()"),
    "to_csv": "tidy().to_csv(path)",
    "to_json": "to_dict()",
    "summary2": "summary()",
    "llf": "fit['loglik']",
}


class Ends(NamedTuple):
    """Both ends of an interval, one that is left out as infinite."""

    low: float
    high: float


def call_of(row: Row, rows: Sequence[Row]) -> str:
    """Return the call of `Result.row` that returns a row.

    Examples
    --------
    >>> rows = [Row(term="a", group="mean"), Row(term="a", group="sd"), Row(term="b")]
    >>> [call_of(row, rows) for row in rows]
    ["row('a', group='mean')", "row('a', group='sd')", "row('b')"]
    """
    alone = row.group is None or sum(r.term == row.term for r in rows) == 1
    return f"row({row.term!r})" if alone else f"row({row.term!r}, group={row.group!r})"


def call_for(key: object, rows: Sequence[Row]) -> str:
    """Return what to write for a term, a column of `tidy()` or a place, where brackets are written.

    Examples
    --------
    >>> rows = [Row(term="d")]
    >>> call_for("d", rows), call_for("p_value", rows), call_for(0, rows)
    ("row('d')", "tidy()['p_value']", 'statistic, pvalue, or rows[0]')
    """
    if isinstance(key, int):
        return f"statistic, pvalue, or rows[{key}]"
    matches = [row for row in rows if key in (row.term, row.name)]
    if matches:
        return call_of(matches[0], rows)
    return f"tidy()[{key!r}]" if key in TIDY_COLUMNS else "row(term), or tidy()[column]"


def only_row(
    rows: Sequence[Row],
    has_value: Callable[[Row], bool],
    title: str,
    what: str,
    field: str,
    every: str,
) -> Row:
    """Return the only row that holds something, of those that hold it or say why they do not.

    Parameters
    ----------
    rows : sequence of Row
    has_value : callable
        Whether a row holds it.
    title, what : str
        Of the result; what is asked for, for messages.
    field, every : str
        How to read it of one row, and of all.

    Raises
    ------
    InputError
        Where several rows hold it; the message has a call for each.
    UndefinedStatistic
        Where none holds it.

    Examples
    --------
    >>> rows = [Row(term="a", p_value=0.2), Row(term="b", p_value=0.1)]
    >>> only_row(rows, lambda row: row.p_value is not None, "Two tests", "p-value", "p_value", "pvalues")
    Traceback (most recent call last):
    socialstats.errors.InputError: 2 rows of this result have a p-value. Say which: row('a').p_value and ...
    """
    could = [row for row in rows if has_value(row) or row.undefined]
    if len(could) == 1 and has_value(could[0]):
        return could[0]
    if not any(map(has_value, could)):
        why = listing(list(dict.fromkeys(str(row.undefined) for row in could)), most=2)
        raise UndefinedStatistic(f"{title} has no {what}" + (f": {why}" if why else ""))
    calls = [
        f"{call_of(row, rows)}.{field}"
        + ("" if has_value(row) else f" (there is none: {row.undefined})")
        for row in could
    ]
    raise InputError(
        f"{len(could)} rows of this result have a {what}. Say which: {listing(calls, most=MOST)}. All: {every}"
    )


def lone_ends(rows: Sequence[Row], title: str) -> Ends:
    """Return the interval of the one tested row that has one, or else of the one row with an interval.

    Raises
    ------
    InputError, UndefinedStatistic
        As `only_row`.

    Examples
    --------
    >>> lone_ends([Row(term="d", conf_low=0.1, p_value=0.03), Row(term="m", conf_low=1.0, conf_high=2.0)], "A t test")
    Ends(low=0.1, high=inf)
    """
    tested = [row for row in rows if row.p_value is not None and row.has_interval]
    row = only_row(
        tested if len(tested) == 1 and not tested[0].undefined else rows,
        lambda r: r.has_interval,
        title,
        "interval",
        "conf_low",
        "confint()",
    )
    low, high = row.conf_low, row.conf_high
    return Ends(-math.inf if low is None else low, math.inf if high is None else high)
