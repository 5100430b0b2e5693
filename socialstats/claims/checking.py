"""Recompute what a log claims from its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from socialstats.claims.bench import Bench
from socialstats.claims.definitions import usable_columns
from socialstats.claims.judge import judge
from socialstats.claims.judged import Checked
from socialstats.claims.own import cluster_column
from socialstats.claims.rows import RowTable
from socialstats.claims.target import digits_in
from socialstats.claims.traps import traps
from socialstats.claims.types import Claim, Log
from socialstats.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Precision = Literal["auto", "full", "printed"]
ROUNDING = ("eq-bench", "eqbench", "eqbench3", "eq-bench3", "politicsbench", "roleconflictbench", "promptfoo-csv")
"""Harnesses whose files hold rounded numbers; the others write all digits of a float."""
MANY_DIGITS = 12


def check(
    log: Log | pd.DataFrame,
    claims: Sequence[Claim] | None = None,
    *,
    cluster: str | None = None,
    precision: Precision = "auto",
    only_claims: bool = False,
) -> Checked:
    """Recompute every claimed number from the rows, and say which stand.

    A number is *reproduced* when the definition that the log documents gives it; *explained* when another definition
    does (repeats averaged or not, another divisor, other clusters, other rows, percent, ...; every one that fits is
    named); *inconsistent* when it cannot be, whatever the rows; *not_reproduced* when nothing gives it.

    Parameters
    ----------
    log : Log or DataFrame
        A log as a reader returns it; or its rows: a column ``value``, and ``unit``, ``epoch``, ``scorer``, ``status``,
        ... where there are any (`socialstats.claims.KEYS`); further columns are metadata.
    claims : sequence of Claim, optional
        Numbers beyond those of the log.
    cluster : str, optional
        Column whose levels are the independent units of our own intervals; ``"none"`` for units. Default: the clusters
        that the log's claims name, or a column with the name of a cluster (scenario, group, story, ...).
    precision : {"auto", "full", "printed"}
        ``printed``: a number stands for everything that rounds to it. ``full``: it has all digits of a float, and only
        the number itself counts, to 1e-12. ``auto``: full for a harness' own numbers unless it is known to round,
        printed for `claims` with fewer than 12 digits.
    only_claims : bool
        Leave out the log's own numbers.

    Returns
    -------
    Checked

    Raises
    ------
    InputError
        For an unknown option or cluster, and rows without a column ``value``.

    References
    ----------
    Brown, N. J. L., & Heathers, J. A. J. (2017). The GRIM test. doi:10.1177/1948550616673876

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.claims import Claim, check
    >>> rows = pd.DataFrame({"unit": ["a", "a", "b", "b"], "value": [1, 1, 0, 1]})
    >>> checked = check(rows, [Claim(name="accuracy", quantity="mean", printed="0.75")])
    >>> checked.judged[0].verdict, checked.ok
    ('reproduced', True)
    """
    if precision not in get_args(Precision):
        raise InputError(f"precision={precision!r} is none of {', '.join(get_args(Precision))}")
    if not isinstance(log, Log):
        log = Log(harness="", files=(), rows=log)
    source = ", ".join(log.files) or "the rows"
    table = RowTable.of(log.rows, source)
    given = tuple(claims or ())
    known = () if only_claims else log.claims
    every = (*log.claims, *given)
    column = cluster_column(table, every, cluster)
    bench = Bench(log=log, table=table, claims=every, columns=usable_columns(table, every, column),
                  weight_column=next((name for name in table.columns if "weight" in name.lower()), ""))  # fmt: skip
    own = [judge(bench, c, full=is_full(c, precision, harness=log.harness), cluster=column) for c in known]
    judged = own + [judge(bench, c, full=is_full(c, precision), cluster=column) for c in given]
    return Checked(
        source=source, harness=log.harness, version=log.version or "", judged=tuple(judged),
        rows=dict(Counter(table.status.tolist())), notes=log.notes, cautions=traps(bench, column),
    )  # fmt: skip


def is_full(claim: Claim, precision: Precision, *, harness: str | None = None) -> bool:
    """Tell whether a number is printed with all its digits (harness None: it is not the log's own)."""
    if precision != "auto":
        return precision == "full"
    if "decimals" in claim.settings:
        return False
    if digits_in(claim.printed) >= MANY_DIGITS:
        return True
    return harness is not None and harness.lower() not in ROUNDING
