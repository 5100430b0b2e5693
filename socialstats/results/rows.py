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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from socialstats.errors import APPROXIMATE, Caution, InputError
from socialstats.matching import match_keys
from socialstats.text import MISSING, Shown, fixed_decimals, number, quoted, shortened
from socialstats.text import markdown as escaped

if TYPE_CHECKING:
    import pandas as pd

OUT_OF_RANGE = "beyond the range of floating-point numbers: give the values in another unit"


def checked_level(level: float, fix: str = "") -> float:
    """Return a confidence level, or raise `InputError` when it is no number between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}{fix}")
    return level


def digits_of(std_error: float | None, least: int = 2) -> int:
    """Return the decimals that show an estimate and one digit of its error: `least` or more; fewer for large errors.

    Examples
    --------
    >>> digits_of(0.4), digits_of(0.031), digits_of(0.0002), digits_of(40.0), digits_of(1e4), digits_of(None)
    (2, 2, 4, 1, 0, 2)
    """
    if not std_error or not math.isfinite(std_error):
        return least
    if std_error >= 10:
        return 0 if std_error >= 100 else 1
    return min(max(least, math.ceil(-math.log10(std_error))), 6)


# (dimension, label) pairs that say what a row is about
RowKey = tuple[tuple[str, str], ...]
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
        Decimals that the row is printed with, where they are not those of its error; see `share_decimals`.
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
    key: RowKey = ()
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
        return self.has_interval and any(caution.code in APPROXIMATE for caution in self.cautions)

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
        return self.decimals_alone if self.places is None else self.places

    @property
    def decimals_alone(self) -> int:
        """Decimals that the row would have alone."""
        # a share of resamples with the same first rank is no rank
        if self.role == "rank" and not self.bounded:
            return 0
        error = self.std_error
        low = self.conf_low
        high = self.conf_high
        if error is None and low is not None and high is not None:
            # a 95% interval is about four standard errors long
            error = (high - low) / 4
        digits = digits_of(error, 3 if self.in_thousandths else 2)
        # large errors take decimals away, but never from a quantity with limits, such as a percentage
        return digits if self.limits is None else max(digits, 2)

    @property
    def in_thousandths(self) -> bool:
        """Whether the quantity cannot exceed 1 in size, or is a difference of two such."""
        limits = self.limits or (-math.inf, math.inf)
        return self.bounded or (self.role == "difference" and max(map(abs, limits)) <= 2)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0, of a quantity that can be on either side."""
        if self.limits is not None and self.limits[0] >= 0:
            return False
        low = self.conf_low
        high = self.conf_high
        return (low is not None and low > 0) or (high is not None and high < 0)

    def ends(self, digits: int | None = None) -> tuple[float, float] | None:
        """Return both ends as they are printed, one that is left out as infinite; None without an interval.

        Examples
        --------
        >>> Row(term="d", conf_low=0.25).ends(), Row(term="d").ends()
        ((0.25, inf), None)
        """
        if not self.has_interval:
            return None
        low = self.shown("conf_low", digits)
        high = self.shown("conf_high", digits)
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
            # a value is printed as 0 with d decimals if it is below half of the last one
            digits = next((d for d in range(digits, 6) if abs(value) >= 0.5 * 10.0**-d), digits)
        return Shown(value, digits, self.bounded, self)


def negate_row(row: Row) -> Row:
    """Return a difference with the sign of estimate, limits and statistic changed."""
    # the limits change places with their sign
    estimate, statistic, low, high = (
        None if value is None else -value
        for value in (row.estimate, row.statistic, row.conf_high, row.conf_low)
    )
    return replace(row, estimate=estimate, statistic=statistic, conf_low=low, conf_high=high)


def touches(caution: Caution, row: Row) -> bool:
    """Return whether a caution is about a row: about all, or by one of its names."""
    return caution.rows is None or not set(caution.rows).isdisjoint(
        (row.name, row.term, row.group, row.role, *(label for _, label in row.key))
    )


def add_cautions(row: Row, cautions: Iterable[Caution]) -> Row:
    """Return a row with the cautions that touch it; a row that moves to another result keeps those of its first."""
    new = [caution for caution in cautions if touches(caution, row) and caution not in row.cautions]
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


def distinct_cautions(rows: Iterable[Row]) -> tuple[Caution, ...]:
    """Return the cautions of several rows, each once, for what is made of them all."""
    return tuple(dict.fromkeys(caution for row in rows for caution in row.cautions))


# differences (of three models); what suits more of them has needlessly many decimals
MOST_TOGETHER = 3


class DifferencePlaces(NamedTuple):
    """Where two estimates and their difference stand among rows."""

    first: int
    second: int
    difference: int


def difference_places(rows: Sequence[Row]) -> list[DifferencePlaces]:
    """Return where the rows stand of each difference of two estimates: both of them, then the difference.

    Keys of two estimates differ in one label. The key of their difference has both labels in its place, such as
    ``("model", "a"), ("minus", "b")``. Only estimates that subtract to the difference count: one of shared units alone,
    or of other values, has none here.

    Examples
    --------
    >>> keys = [(("model", "a"),), (("model", "b"),), (("model", "a"), ("minus", "b"))]
    >>> fields = zip(keys, (0.25, 0.125, 0.125), ("estimate", "estimate", "difference"))
    >>> difference_places([Row(term="", key=key, estimate=x, role=role) for key, x, role in fields])
    [DifferencePlaces(first=0, second=1, difference=2)]
    """
    differences = [
        at for at, row in enumerate(rows) if row.role == "difference" and row.estimate is not None
    ]
    # (the key without one entry, the label of that entry) -> its dimension and the place of the row
    estimates: dict[tuple[frozenset[tuple[str, str]], str], list[tuple[str, int]]] = {}
    for at, row in enumerate(rows if differences else ()):
        if row.role not in ("difference", "test", "rank") and row.estimate is not None:
            for entry in row.key:
                dimension, label = entry
                entries = frozenset(row.key) - {entry}
                estimates.setdefault((entries, label), []).append((dimension, at))
    triples = []
    for at in differences:
        key = tuple(entry for entry in rows[at].key if entry[0] not in FACTS)
        for first, second in permutations(key, 2):
            common = frozenset(key) - {first, second}
            sides = (estimates.get((common, label), ()) for _, label in (first, second))
            pairs = (
                (a, b)
                for (dimension_a, a), (dimension_b, b) in product(*sides)
                if dimension_a == dimension_b and _subtract(rows, a, b, at)
            )
            if pair := next(pairs, None):
                triples.append(DifferencePlaces(*pair, at))
                break
    return triples


# entries in a key that are no labels of what is estimated
FACTS = ("family", "interval name", "test name")


def _subtract(rows: Sequence[Row], first: int, second: int, at: int) -> bool:
    a, b, difference = (rows[k].estimate or 0.0 for k in (first, second, at))
    return math.isclose(a - b, difference, rel_tol=TIED, abs_tol=TIED * max(abs(a), abs(b)))


def subtracts(rows: Sequence[Row], places: DifferencePlaces, digits: int) -> bool:
    """Return whether two estimates, printed with so many decimals, subtract to their difference printed likewise."""
    a, b, difference = (
        int(fixed_decimals(rows[k].estimate or 0.0, digits).replace(".", "").replace(",", ""))
        for k in places
    )
    return a - b == difference


Column = tuple[Role | None, tuple[float, float] | bool | None]


def print_column(row: Row) -> Column:
    """Return in which column of numbers a row stands: that of its role and of what its quantity can be."""
    return row.role, row.in_thousandths or row.limits


def places_by_column(rows: Sequence[Row]) -> dict[Column, list[int]]:
    """Return where the rows of each column stand, of those that have a number."""
    columns: dict[Column, list[int]] = {}
    for at, row in enumerate(rows):
        if row.estimate is not None or row.std_error is not None:
            columns.setdefault(print_column(row), []).append(at)
    return columns


def share_decimals(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows with the decimals that they share: those of one role and the same limits stand in one column.

    They take the typical count. A row that needs two more, and one that would be printed as 0 beside an interval that
    excludes 0, keep their own. A column then takes one more where that makes printed estimates subtract to the
    printed differences, if at most three differences share an estimate. Calling it again changes nothing.

    Examples
    --------
    >>> rows = [Row(term="", std_error=se) for se in (0.2, 0.2, 0.002, 0.00002)]
    >>> [row.decimals for row in share_decimals(tuple(rows))]
    [2, 2, 2, 5]
    """
    digits = [row.decimals for row in rows]
    columns = places_by_column(rows)
    for places in columns.values():
        common = median_low(rows[k].decimals_alone for k in places)
        for k in places:
            alone = rows[k].decimals_alone
            vanishes = rows[k].excludes_zero and abs(rows[k].estimate or 1.0) < 0.5 * 10.0**-common
            needed = alone if vanishes or alone > common + 1 else common
            digits[k] = max(rows[k].places or 0, needed)
    _subtract_at(rows, list(columns.values()), digits)
    return tuple(
        row if row.decimals == d else replace(row, places=d)
        for row, d in zip(rows, digits, strict=True)
    )


def _subtract_at(rows: Sequence[Row], columns: Sequence[Sequence[int]], digits: list[int]) -> None:
    """Raise the decimals of columns whose printed estimates do not subtract to the printed differences."""
    triples = difference_places(rows)
    if not triples:
        return
    # estimates that differences connect, directly or by others, are one component
    component = {k: {k} for places in triples for k in places[:2]}
    for first, second, _ in triples:
        if component[first] is not component[second]:
            union = component[first] | component[second]
            component |= dict.fromkeys(union, union)
    families: dict[int, list[DifferencePlaces]] = {}
    for places in triples:
        families.setdefault(id(component[places.first]), []).append(places)
    small = [family for family in families.values() if len(family) <= MOST_TOGETHER]
    few = [places for family in small for places in family]
    enough = _fewest(rows, few, digits) if few else None
    if enough is not None:
        members = {k for places in few for k in places}
        for column in columns:
            for k in column if members.intersection(column) else ():
                digits[k] = max(digits[k], enough)


def _fewest(
    rows: Sequence[Row], triples: Sequence[DifferencePlaces], digits: Sequence[int]
) -> int | None:
    """Return the fewest decimals at which all these estimates subtract to their differences, or None."""
    members = {k for places in triples for k in places}
    common = max(
        digits[k] for k in {k for k in members if rows[k].std_error is not None} or members
    )
    return next(
        (d for d in (common, common + 1) if all(subtracts(rows, places, d) for places in triples)),
        None,
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
    names = {*dimensions, *labels}
    return [
        row
        for row in rows
        if row.role == role
        and {name for name, _ in row.key} == names
        and labels.items() <= dict(row.key).items()
    ]


def lowest_and_highest(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows with the lowest and those with the highest estimate, ties (to `TIED`) included.

    Parameters
    ----------
    rows : sequence of Row
        At least one with an estimate; those without one are left out.

    Examples
    --------
    >>> low, high = lowest_and_highest([Row(term=name, estimate=x) for name, x in (("a", 2.0), ("b", 1.0), ("c", 2.0))])
    >>> [row.term for row in low], [row.term for row in high]
    (['b'], ['a', 'c'])
    """
    estimates = [(row.estimate, row) for row in rows if row.estimate is not None]
    ends = [end(value for value, _ in estimates) for end in (min, max)]
    low, high = (
        [row for value, row in estimates if math.isclose(value, end, rel_tol=TIED, abs_tol=TIED)]
        for end in ends
    )
    return low, high


# estimates nearer than this to each other (relative, and absolute) are equal: rounding
TIED = 1e-8


def undefine_overflow(row: Row) -> Row:
    """Return a row whose numbers are all finite: what overflowed is undefined, with what was computed from it."""
    beyond = [name for name in NUMBERS if math.isinf(getattr(row, name) or 0.0)]
    if not beyond:
        return row
    # an overflow takes with it what is computed from it: limits of an estimate or error, and all tests
    earliest = min(NUMBERS.index(name) for name in beyond)
    cleared: dict[str, Any] = dict.fromkeys(
        ("conf_low", "conf_high", "conf_level") if earliest < 4 else ()
    )
    cleared |= dict.fromkeys(beyond) | dict.fromkeys(NUMBERS[4:] if earliest in (0, 1, 4) else ())
    why = f"its {beyond[0].replace('_', ' ')} is {OUT_OF_RANGE}"
    return replace(row, **cleared, undefined=row.undefined or why)


# in the order of their computation: an overflow takes later ones with it
NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted")
# fields that are no columns of `tidy`
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
# facts of a result in one line, in the order of `glance`
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

    # a column of numbers without any is still one of numbers
    kinds = {name: object if name in TEXT_COLUMNS else "float64" for name in TIDY_COLUMNS}
    columns = {
        name: pd.Series([getattr(row, name) for row in rows], dtype=kind)
        for name, kind in kinds.items()
    }
    always = TIDY_COLUMNS if all else ("term", "estimate")
    return pd.DataFrame(
        {name: values for name, values in columns.items() if name in always or values.notna().any()}
    )


def builtin_value(value: Any) -> Any:
    """Turn numpy scalars, arrays, tuples and mappings into built-in types; NaN and infinity into None/text.

    Examples
    --------
    >>> builtin_value({"a": np.float64(2.0), "b": (np.int64(1), float("nan"))})
    {'a': 2.0, 'b': [1, None]}
    """
    # most values: the tests below take longer
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, Mapping):
        return {str(k): builtin_value(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return builtin_value(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [builtin_value(v) for v in value]
    if isinstance(value, np.generic):
        return builtin_value(value.item())
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


# smaller ones would be printed as 0 with four decimals
SMALLEST_P = 0.00005
# characters of a cell
LONGEST = 40
# columns of whole numbers
COUNT_COLUMNS = ("n", "n_units", "n_clusters")
# what is undefined stands in notes below a table
NOT_PRINTED = ("method", "conf_level", "undefined", "reason")


def text_table(rows: Sequence[Row], by: str = "by") -> tuple[list[str], list[list[str]]]:
    """Return the columns that hold something and the cells of rows, as text; `by` heads the column of levels."""
    names = [
        c
        for c in TIDY_COLUMNS
        if c not in NOT_PRINTED and any(getattr(r, c) is not None for r in rows)
    ]
    names.sort(key=lambda column: column != "by")
    columns = [_column_texts(rows, c) for c in names]
    lines = [list(line) for line in zip(*columns, strict=True)]
    return [by if c == "by" else c for c in names], lines


def _column_texts(rows: Sequence[Row], column: str) -> list[str]:
    """Return a column as text; labels are cut together, so that different ones stay different."""
    if column in TEXT_COLUMNS:
        return shortened([getattr(row, column) or MISSING for row in rows], LONGEST)
    return [_cell_text(row, column) for row in rows]


def _cell_text(row: Row, column: str) -> str:
    value = getattr(row, column)
    if column in ("p_value", "p_adjusted") and value is not None and value < SMALLEST_P:
        return "<.0001"
    may_be_count = column == "df" or (column == "estimate" and row.role == "count")
    is_integer = column in COUNT_COLUMNS or (may_be_count and value is not None and value % 1 == 0)
    return number(value, 0 if is_integer else 4)


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
    explained = [f"{why} ({quoted(terms, most)})" for why, terms in reasons.items()]
    return "; ".join(
        explained[:most] + [f"{len(explained) - most} more reasons"] * (len(explained) > most)
    )


def aligned_text(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a table with words on the left and numbers on the right of their columns."""
    lines = [list(head), *cells]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    # the first column of a table that is none of terms has their labels
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


def word_columns(head: Sequence[str], numeric: Sequence[bool] | None = None) -> list[bool]:
    """Return which columns hold words: all but those that `numeric` names; of terms, their names tell."""
    if numeric is not None:
        return [not is_numeric for is_numeric in numeric]
    return [name in TEXT_COLUMNS or name not in TIDY_COLUMNS for name in head]


def markdown_table(
    head: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool] | None = None
) -> str:
    r"""Return a Markdown table; `right` says which columns hold numbers, where they are not those of terms.

    Examples
    --------
    >>> print(markdown_table(["term", "estimate"], [["a|b", "0.5"]]))
    | term | estimate |
    |:--|--:|
    | a\|b | 0.5 |
    """
    words = word_columns(head, right)
    rule = "|".join(":--" if left else "--:" for left in words)
    # names of columns of `tidy` keep their underscores
    names = [
        name if name in TIDY_COLUMNS and right is None else escaped(name, sys.maxsize)
        for name in head
    ]
    lines = [f"| {' | '.join(names)} |", f"|{rule}|"]
    for line in cells:
        texts = (
            escaped(cell, sys.maxsize) if left else cell
            for cell, left in zip(line, words, strict=True)
        )
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def html_table(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return an HTML table, for notebooks, with numbers on the right of their columns.

    Examples
    --------
    >>> html_table(["term", "estimate"], [["<a>", "0.5"]])[:82]
    '<table><thead><tr><th style="text-align:left">term</th><th style="text-align:right'
    """
    sides = [
        f' style="text-align:{"left" if words else "right;white-space:nowrap;padding-left:1em"}"'
        for words in word_columns(head)
    ]
    heads = "".join(
        f"<th{side}>{escape(name)}</th>" for name, side in zip(head, sides, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(f'<td{side}>{escape(cell)}</td>' for cell, side in zip(line, sides, strict=True))}</tr>"
        for line in cells
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def rescaled_row(row: Row, unit: float) -> Row:
    """Return a row of a number of values that were divided by a unit, in the unit of the values."""
    names = () if unit == 1 else ("estimate", "std_error", "conf_low", "conf_high")
    return replace(
        row, **{n: value * unit for n in names if (value := getattr(row, n)) is not None}
    )
