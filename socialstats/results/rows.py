"""The row of a result, its fixed columns, and rows as tables of text."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from itertools import permutations, product
from numbers import Real
from statistics import median_low
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.errors import APPROXIMATE, Caution, InputError
from socialstats.matching import match_keys
from socialstats.text import MISSING, Shown, digits_of, number, quoted, rounded, shortened
from socialstats.text import markdown as escaped

if TYPE_CHECKING:
    import pandas as pd

OUT_OF_RANGE = "beyond the range of floating-point numbers: give the values in another unit"


def checked_level(level: float, fix: str = "") -> float:
    """Return a confidence level, or raise `InputError` when it is no number between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}{fix}")
    return level


Role = Literal[
    "estimate",
    "difference",
    "effect_size",
    "component",
    "test",
    "rank",
    "reference",
    "spread",
    "count",
]
Interval = Literal[
    "t",
    "z",
    "adjusted_z",
    "score",
    "exact",
    "jackknife",
    "percentile",
    "basic",
    "bca",
    "studentized",
    "noncentral_t",
    "noncentral_chi2",
    "profile",
    "fisher_z",
    "one_sided",
    "test_inversion",
    "korn_graubard",
    "outer_ends",
]
Test = Literal[
    "t",
    "z",
    "chi2",
    "f",
    "exact",
    "mid_p",
    "score",
    "permutation",
    "sign_flip",
    "signed_rank",
    "exact_signed_rank",
    "rank_sum",
    "exact_rank_sum",
]
Reason = Literal[
    "no_variation",
    "one_cluster",
    "one_unit",
    "perfect_agreement",
    "unidentified",
    "no_interval",
    "missed",
    "no_data",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One term of a result. Empty fields do not apply to the term.

    Those of `TIDY_COLUMNS` are the columns of `tidy()`; `leverage`, `effective`, `key`, `role`, `interval`, `test`,
    `family`, `limits`, `cautions` and `places` are fields only.

    Attributes
    ----------
    term : str
        What is estimated: an item, a coefficient, a component.
    by : str
        Level of the `by=` variable (for example the model) this row belongs to.
    group : str
        Family of terms or subgroup: ``strength``, ``order``, a condition, a rater group.
    estimate, std_error : float
        In the unit that the metric's documentation states.
    conf_low, conf_high, conf_level : float
    statistic, df, p_value : float
        Test of the hypothesis that the metric's documentation states.
    p_adjusted : float
        p-value adjusted over the family that `method` names.
    n : float
        Rows (or sum of weights) behind this term; `n_units`, `n_clusters` likewise.
    method : str
        How the interval and the test were obtained.
    undefined : str
        Why `estimate`, its interval or its test is missing.
    leverage : float
        Largest share of the denominator that one cluster holds.
    effective : float
        Independent answers that would give a share the variance it has under clusters. Of a standard deviation, normal
        values that would give it the uncertainty it has.
    key : tuple of (dimension, label)
        The facts that `term` and `group` render: ``(("judge", "gpt"), ("stage", "3"))``; see `label`.
    role : str
        What kind of row it is: one of `Role`.
    interval, test : str
        How the ends and the p-value were made: one of `Interval`, one of `Test`; `method` renders them.
    family : str
        Over which tests `p_adjusted` is adjusted.
    reason : str
        Why there is no estimate or no interval, one of `Reason`; `undefined` renders it.
    limits : pair of float
        What the quantity can be.
    cautions : tuple of Caution
        Those that touch the row, of the results that it stood in.
    places : int
        Decimals that the row is printed with, where they are not those of its error; see `printed_together`.
    """

    term: str
    by: str | None = None
    group: str | None = None
    estimate: float | None = None
    std_error: float | None = None
    conf_low: float | None = None
    conf_high: float | None = None
    conf_level: float | None = None
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    n: float | None = None
    n_units: int | None = None
    n_clusters: int | None = None
    method: str | None = None
    undefined: str | None = None
    leverage: float | None = None
    effective: float | None = None
    key: tuple[tuple[str, str], ...] = ()
    role: Role | None = None
    interval: Interval | None = None
    test: Test | None = None
    family: str | None = None
    reason: Reason | None = None
    limits: tuple[float, float] | None = field(default=None, compare=False)
    cautions: tuple[Caution, ...] = field(default=(), compare=False, repr=False)
    places: int | None = field(default=None, compare=False)

    def label(self, dimension: str) -> str | None:
        """Return the label that the row has in a dimension of its key, or None.

        Examples
        --------
        >>> Row(term="b1 of stage 3", key=(("judge", "b1"), ("stage", "3"))).label("stage")
        '3'
        """
        return dict(self.key).get(dimension)

    @property
    def name(self) -> str:
        """The term, with the group in brackets where there is one."""
        return f"{self.term} [{self.group}]" if self.group else self.term

    @property
    def has_interval(self) -> bool:
        """Whether the row has an interval; a one-sided one may have a single end."""
        return self.conf_low is not None or self.conf_high is not None

    @property
    def approximate(self) -> bool:
        """Whether the row has an interval that a caution calls approximate."""
        return self.has_interval and any(said.code in APPROXIMATE for said in self.cautions)

    @property
    def bounded(self) -> bool:
        """Whether the quantity cannot exceed 1 in size by its definition, and so is printed without a leading zero.

        Of coefficients of agreement, whose lower limit is open, the upper one decides.
        """
        low, high = self.limits or (-math.inf, math.inf)
        return high <= 1 and (low >= -1 or math.isinf(low))

    @property
    def decimals(self) -> int:
        """Decimals of estimate, error and limits wherever they are printed.

        There are 3 where the quantity cannot exceed 1 in size, and for differences of two such; 2 otherwise. More are
        printed where the error is smaller; fewer where it is 10 or more, of a quantity without limits. In a result,
        rows of one column share them.

        Examples
        --------
        >>> share = Row(term="share", estimate=0.25, std_error=0.2, limits=(0.0, 1.0))
        >>> share.decimals, Row(term="d", std_error=0.2).decimals, Row(term="d", std_error=20.0).decimals
        (3, 2, 1)
        """
        return self.own_decimals if self.places is None else self.places

    @property
    def own_decimals(self) -> int:
        """Decimals that the row would have alone."""
        error, low, high = self.std_error, self.conf_low, self.conf_high
        if error is None and low is not None and high is not None:
            error = (high - low) / 4
        digits = digits_of(error, 3 if self.in_thousandths else 2)
        return digits if self.limits is None else max(digits, 2)

    @property
    def in_thousandths(self) -> bool:
        """Whether the quantity cannot exceed 1 in size, or is a difference of two such."""
        limits = self.limits or (-math.inf, math.inf)
        return self.bounded or (self.role == "difference" and max(map(abs, limits)) <= 2)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0, of a quantity that can be on either side."""
        can = self.limits is None or self.limits[0] < 0
        low, high = self.conf_low, self.conf_high
        return can and ((low is not None and low > 0) or (high is not None and high < 0))

    def ends(self, digits: int | None = None) -> tuple[float, float] | None:
        """Return both ends as they are printed, one that is left out as infinite; None without an interval.

        Examples
        --------
        >>> Row(term="d", conf_low=0.25).ends(), Row(term="d").ends()
        ((0.25, inf), None)
        """
        if not self.has_interval:
            return None
        low, high = self.shown("conf_low", digits), self.shown("conf_high", digits)
        return -math.inf if low is None else low, math.inf if high is None else high

    def shown(self, name: str = "estimate", digits: int | None = None) -> Shown | None:
        """Return estimate, error or a limit with the decimals that it is printed with; None where there is none.

        A limit of an interval that excludes 0 is not printed as 0: it has the decimals that show its first digit.

        Parameters
        ----------
        name : str
            Field of the row.
        digits : int, optional
            Decimals; by default those of the row.

        Examples
        --------
        >>> number(Row(term="share", estimate=0.25, limits=(0.0, 1.0)).shown())
        '.250'
        >>> row = Row(term="d", estimate=0.2, std_error=0.1, conf_low=0.0041, conf_high=0.4)
        >>> number(row.shown("conf_low")), number(row.shown("conf_high"))
        ('0.004', '0.40')
        """
        value = getattr(self, name)
        if value is None:
            return None
        digits = self.decimals if digits is None else digits
        if name in ("conf_low", "conf_high") and self.excludes_zero:
            digits = next((d for d in range(digits, 6) if abs(value) >= 0.5 * 10.0**-d), digits)
        return Shown(value, digits, self.bounded, self)


def negated(row: Row) -> Row:
    """Return a difference with the sign of estimate, limits and statistic changed."""
    estimate, statistic, low, high = (
        None if value is None else -value
        for value in (row.estimate, row.statistic, row.conf_high, row.conf_low)
    )
    return replace(row, estimate=estimate, statistic=statistic, conf_low=low, conf_high=high)


def touches(said: Caution, row: Row) -> bool:
    """Return whether a caution is about a row: about all, or by one of its names."""
    return said.rows is None or not set(said.rows).isdisjoint(
        (row.name, row.term, row.group, row.role, *(label for _, label in row.key))
    )


def under(row: Row, cautions: Iterable[Caution]) -> Row:
    """Return a row with the cautions that touch it; a row that moves to another result keeps those of its first."""
    new = [said for said in cautions if touches(said, row) and said not in row.cautions]
    return replace(row, cautions=(*row.cautions, *new)) if new else row


def matched_rows(first: Sequence[Row], second: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return the rows of two results that are about the same: with the same term, group, level and key.

    Examples
    --------
    >>> first, second = ([Row(term=term) for term in terms] for terms in ("ab", "ca"))
    >>> [(a.term, b.term) for a, b in matched_rows(first, second)]
    [('a', 'a')]
    """
    match = match_keys(
        *([(row.term, row.group, row.by, row.key) for row in rows] for rows in (first, second))
    )
    return [(first[i], second[j]) for i, j in np.transpose(match.places).tolist()]


def together(rows: Iterable[Row]) -> tuple[Caution, ...]:
    """Return the cautions of several rows, each once, for what is made of them all."""
    return tuple(dict.fromkeys(said for row in rows for said in row.cautions))


MOST_TOGETHER = (
    3  # differences (of three models); what suits more of them has needlessly many decimals
)
Places = tuple[int, int, int]  # where two estimates and their difference stand


def parts_of(rows: Sequence[Row]) -> list[Places]:
    """Return where the rows stand of each difference of two estimates: both of them, then the difference.

    Keys of two estimates differ in one label. The key of their difference has both labels in its place, such as
    ``("model", "a"), ("minus", "b")``. Only estimates that subtract to the difference count: one of shared units alone,
    or of other values, has none here.

    Examples
    --------
    >>> keys = [(("model", "a"),), (("model", "b"),), (("model", "a"), ("minus", "b"))]
    >>> found = zip(keys, (0.25, 0.125, 0.125), ("estimate", "estimate", "difference"))
    >>> parts_of([Row(term="", key=key, estimate=x, role=role) for key, x, role in found])
    [(0, 1, 2)]
    """
    known: dict[tuple[frozenset[tuple[str, str]], str], list[tuple[str, int]]] = {}
    gaps = [
        at for at, row in enumerate(rows) if row.role == "difference" and row.estimate is not None
    ]
    for at, row in enumerate(rows if gaps else ()):
        if row.role not in ("difference", "test", "rank") and row.estimate is not None:
            for of in row.key:
                known.setdefault((frozenset(row.key) - {of}, of[1]), []).append((of[0], at))
    found = []
    for at in gaps:
        key = tuple(one for one in rows[at].key if one[0] not in FACTS)
        for one, two in permutations(key, 2):
            rest = frozenset(key) - {one, two}
            sides = product(*(known.get((rest, label), ()) for _, label in (one, two)))
            both = (
                (a, b) for (of, a), (same, b) in sides if of == same and _subtract(rows, a, b, at)
            )
            if pair := next(both, None):
                found.append((*pair, at))
                break
    return found


FACTS = (
    "family",
    "interval name",
    "test name",
)  # entries in a key that are no labels of what is estimated


def _subtract(rows: Sequence[Row], first: int, second: int, at: int) -> bool:
    a, b, gap = (rows[k].estimate or 0.0 for k in (first, second, at))
    return math.isclose(a - b, gap, rel_tol=TIED, abs_tol=TIED * max(abs(a), abs(b)))


def subtracts(rows: Sequence[Row], places: Places, digits: int) -> bool:
    """Return whether two estimates, printed with so many decimals, subtract to their difference printed likewise."""
    a, b, gap = (
        int(rounded(rows[k].estimate or 0.0, digits).replace(".", "").replace(",", ""))
        for k in places
    )
    return a - b == gap


Column = tuple[Role | None, tuple[float, float] | bool | None]


def column_of(row: Row) -> Column:
    """Return in which column of numbers a row stands: that of its role and of what its quantity can be."""
    return row.role, row.in_thousandths or row.limits


def columns_of(rows: Sequence[Row]) -> dict[Column, list[int]]:
    """Return where the rows of each column stand, of those that have a number."""
    columns: dict[Column, list[int]] = {}
    for at, row in enumerate(rows):
        if row.estimate is not None or row.std_error is not None:
            columns.setdefault(column_of(row), []).append(at)
    return columns


def printed_together(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows with the decimals that they share: those of one role and the same limits stand in one column.

    They take the typical count. A row that needs two more, and one that would be printed as 0 beside an interval that
    excludes 0, keep their own. A column then takes one more where that makes printed estimates subtract to the
    printed differences, if at most three differences share an estimate. Calling it again changes nothing.

    Examples
    --------
    >>> rows = [Row(term="", std_error=se) for se in (0.2, 0.2, 0.002, 0.00002)]
    >>> [row.decimals for row in printed_together(tuple(rows))]
    [2, 2, 2, 5]
    """
    digits, columns = [row.decimals for row in rows], columns_of(rows)
    for places in columns.values():
        common = median_low(rows[k].own_decimals for k in places)
        for k in places:
            own = rows[k].own_decimals
            vanishes = rows[k].excludes_zero and abs(rows[k].estimate or 1.0) < 0.5 * 10.0**-common
            digits[k] = max(rows[k].places or 0, own if vanishes or own > common + 1 else common)
    _subtract_at(rows, list(columns.values()), digits)
    return tuple(
        row if row.decimals == d else replace(row, places=d)
        for row, d in zip(rows, digits, strict=True)
    )


def _subtract_at(rows: Sequence[Row], columns: Sequence[Sequence[int]], digits: list[int]) -> None:
    """Raise the decimals of columns whose printed estimates do not subtract to the printed differences."""
    triples = parts_of(rows)
    if not triples:
        return
    joined = {k: {k} for places in triples for k in places[:2]}
    for first, second, _ in triples:
        if joined[first] is not joined[second]:
            whole = joined[first] | joined[second]
            joined |= dict.fromkeys(whole, whole)
    families: dict[int, list[Places]] = {}
    for places in triples:
        families.setdefault(id(joined[places[0]]), []).append(places)
    few = [places for own in families.values() if len(own) <= MOST_TOGETHER for places in own]
    enough = _fewest(rows, few, digits) if few else None
    if enough is not None:
        members = {k for places in few for k in places}
        for column in columns:
            for k in column if members.intersection(column) else ():
                digits[k] = max(digits[k], enough)


def _fewest(rows: Sequence[Row], own: Sequence[Places], digits: Sequence[int]) -> int | None:
    """Return the fewest decimals at which all these estimates subtract to their differences, or None."""
    members = {k for places in own for k in places}
    base = max(digits[k] for k in {k for k in members if rows[k].std_error is not None} or members)
    return next(
        (d for d in (base, base + 1) if all(subtracts(rows, places, d) for places in own)), None
    )


def rows_with(
    rows: Sequence[Row], *dimensions: str, role: str = "estimate", **labels: str
) -> list[Row]:
    """Return the rows of a role whose key has these dimensions and no others.

    Parameters
    ----------
    rows : sequence of Row
    *dimensions : str
        With any label.
    role : str
    **labels
        Dimensions with this label.

    Examples
    --------
    >>> rows = [Row(term=t, role="estimate", key=(("model", t), ("stage", "3"))) for t in ("m1", "m2")]
    >>> [row.term for row in rows_with(rows, "model", stage="3")], rows_with(rows, "model"), rows_with(rows, stage="3")
    (['m1', 'm2'], [], [])
    """
    wanted = {*dimensions, *labels}
    return [
        row
        for row in rows
        if row.role == role
        and {name for name, _ in row.key} == wanted
        and labels.items() <= dict(row.key).items()
    ]


def extremes(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows with the lowest and those with the highest estimate, ties (to `TIED`) included.

    Parameters
    ----------
    rows : sequence of Row
        At least one with an estimate; those without one are left out.

    Examples
    --------
    >>> low, high = extremes([Row(term=name, estimate=x) for name, x in (("a", 2.0), ("b", 1.0), ("c", 2.0))])
    >>> [row.term for row in low], [row.term for row in high]
    (['b'], ['a', 'c'])
    """
    known = [(row.estimate, row) for row in rows if row.estimate is not None]
    ends = [end(value for value, _ in known) for end in (min, max)]
    low, high = (
        [row for value, row in known if math.isclose(value, end, rel_tol=TIED, abs_tol=TIED)]
        for end in ends
    )
    return low, high


TIED = 1e-8  # estimates nearer than this to each other (relative, and absolute) are equal: rounding


def within_floats(row: Row) -> Row:
    """Return a row whose numbers are all finite: what overflowed is undefined, with what was computed from it."""
    beyond = [name for name in NUMBERS if math.isinf(getattr(row, name) or 0.0)]
    if not beyond:
        return row
    first = min(NUMBERS.index(name) for name in beyond)
    gone: dict[str, Any] = dict.fromkeys(
        ("conf_low", "conf_high", "conf_level") if first < 4 else ()
    )
    gone |= dict.fromkeys(beyond) | dict.fromkeys(NUMBERS[4:] if first in (0, 1, 4) else ())
    why = f"its {beyond[0].replace('_', ' ')} is {OUT_OF_RANGE}"
    return replace(row, **gone, undefined=row.undefined or why)


NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted")
BESIDE = (
    "leverage",
    "effective",
    "key",
    "role",
    "interval",
    "test",
    "family",
    "limits",
    "cautions",
    "places",
)
TIDY_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(Row) if f.name not in BESIDE)
TEXT_COLUMNS = ("term", "by", "group", "method", "undefined", "reason")
GLANCE_COLUMNS = (
    "nobs",
    "n_clusters",
    "loglik",
    "aic",
    "bic",
    "df",
    "converged",
    "iterations",
    "method",
    "seed",
    "resamples",
    "effective_df",
    "largest_leverage",
)


def tidy_table(rows: Sequence[Row], *, all: bool = False) -> pd.DataFrame:
    """Return one line per row: the columns that hold a value, or `all`; term and estimate always."""
    import pandas as pd

    kinds = {name: object if name in TEXT_COLUMNS else "float64" for name in TIDY_COLUMNS}
    columns = {
        name: pd.Series([getattr(row, name) for row in rows], dtype=kind)
        for name, kind in kinds.items()
    }
    always = TIDY_COLUMNS if all else ("term", "estimate")
    return pd.DataFrame(
        {name: values for name, values in columns.items() if name in always or values.notna().any()}
    )


def plain(value: Any) -> Any:
    """Turn numpy scalars, arrays, tuples and mappings into built-in types; NaN and infinity into None/text.

    Examples
    --------
    >>> plain({"a": np.float64(2.0), "b": (np.int64(1), float("nan"))})
    {'a': 2.0, 'b': [1, None]}
    """
    if value is None or type(value) in (str, int, bool):  # most values: the tests below take longer
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


SMALLEST_P = 0.00005
LONGEST = 40  # characters of a cell
WHOLE = ("n", "n_units", "n_clusters")
NOT_PRINTED = (
    "method",
    "conf_level",
    "undefined",
    "reason",
)  # what is undefined stands in notes below a table


def printed(rows: Sequence[Row], by: str = "by") -> tuple[list[str], list[list[str]]]:
    """Return the columns that hold something and the cells of rows, as text; `by` heads the column of levels."""
    shown = [
        c
        for c in TIDY_COLUMNS
        if c not in NOT_PRINTED and any(getattr(r, c) is not None for r in rows)
    ]
    shown.sort(key=lambda column: column != "by")
    columns = [_cells(rows, c) for c in shown]
    return [by if c == "by" else c for c in shown], [
        list(line) for line in zip(*columns, strict=True)
    ]


def _cells(rows: Sequence[Row], column: str) -> list[str]:
    """Return a column as text; labels are cut together, so that different ones stay different."""
    if column in TEXT_COLUMNS:
        return shortened([getattr(row, column) or MISSING for row in rows], LONGEST)
    return [_cell(row, column) for row in rows]


def _cell(row: Row, column: str) -> str:
    value = getattr(row, column)
    if column in ("p_value", "p_adjusted") and value is not None and value < SMALLEST_P:
        return "<.0001"
    counts = column == "df" or (column == "estimate" and row.role == "count")
    whole = column in WHOLE or (counts and value is not None and value % 1 == 0)
    return number(value, 0 if whole else 4)


def undefined_text(rows: Sequence[Row], most: int = 3) -> str:
    """State why rows have no value: the reason, after it whose it is where there are several reasons.

    Examples
    --------
    >>> rows = [Row(term=name, undefined=why) for name, why in (("a", "one unit"), ("b", "no unit"), ("c", "no unit"))]
    >>> undefined_text(rows), undefined_text(rows[1:])
    ("one unit ('a'); no unit ('b' and 'c')", 'no unit')
    """
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.undefined:
            reasons.setdefault(row.undefined, []).append(row.term)
    if len(reasons) < 2:
        return "".join(reasons)
    said = [f"{why} ({quoted(terms, most)})" for why, terms in reasons.items()]
    return "; ".join(said[:most] + [f"{len(said) - most} more reasons"] * (len(said) > most))


def aligned(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a table with words on the left and numbers on the right of their columns."""
    lines = [list(head), *cells]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    left = [
        name in TEXT_COLUMNS or (k == 0 and name not in TIDY_COLUMNS) for k, name in enumerate(head)
    ]
    return "\n".join(
        "  ".join(
            c.ljust(w) if words else c.rjust(w)
            for c, w, words in zip(line, widths, left, strict=True)
        ).rstrip()
        for line in lines
    )


def worded(head: Sequence[str], right: Sequence[bool] | None = None) -> list[bool]:
    """Return which columns hold words: all but those that `right` names; of terms, their names tell."""
    if right is not None:
        return [not one for one in right]
    return [name in TEXT_COLUMNS or name not in TIDY_COLUMNS for name in head]


def markdown(
    head: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool] | None = None
) -> str:
    r"""Return a Markdown table; `right` says which columns hold numbers, where they are not those of terms.

    Examples
    --------
    >>> print(markdown(["term", "estimate"], [["a|b", "0.5"]]))
    | term | estimate |
    |:--|--:|
    | a\|b | 0.5 |
    """
    words = worded(head, right)
    rule = "|".join(":--" if left else "--:" for left in words)
    names = [
        name if name in TIDY_COLUMNS and right is None else escaped(name, sys.maxsize)
        for name in head
    ]
    lines = [
        names,
        *(
            [
                escaped(cell, sys.maxsize) if left else cell
                for cell, left in zip(line, words, strict=True)
            ]
            for line in cells
        ),
    ]
    body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([body[0], f"|{rule}|", *body[1:]])


def html(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return an HTML table, for notebooks, with numbers on the right of their columns.

    Examples
    --------
    >>> html(["term", "estimate"], [["<a>", "0.5"]])[:82]
    '<table><thead><tr><th style="text-align:left">term</th><th style="text-align:right'
    """
    sides = [
        f' style="text-align:{"left" if words else "right;white-space:nowrap;padding-left:1em"}"'
        for words in worded(head)
    ]
    heads = "".join(
        f"<th{side}>{escape(name)}</th>" for name, side in zip(head, sides, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(f'<td{side}>{escape(cell)}</td>' for cell, side in zip(line, sides, strict=True))}</tr>"
        for line in cells
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def in_unit(row: Row, unit: float) -> Row:
    """Return a row of a number of values that were divided by a unit, in the unit of the values."""
    names = () if unit == 1 else ("estimate", "std_error", "conf_low", "conf_high")
    return replace(
        row, **{n: value * unit for n in names if (value := getattr(row, n)) is not None}
    )
