"""Printed numbers as intervals of values, and findings: whether other numbers agree with them, and with what power."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, get_args

from socialstats.errors import InputError, Problem
from socialstats.text import shorten

Rounding = Literal["half", "truncate", "floor", "ceil", "any"]
Relation = Literal["=", "<", ">"]
MINUS_SIGNS = "−‐‑‒–—﹣－"
SPACES = " \t\u00a0\u2007\u2009\u202f"
NUMBER = re.compile(
    r"(?P<relation><=|>=|<|>|=|≤|≥)?(?P<sign>[+-])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<power>-\d{1,3}|\+?\d{1,2}))?(?P<percent>%)?",
    re.ASCII,
)
RELATIONS: dict[str, Relation] = {"<": "<", "<=": "<", "≤": "<", ">": ">", ">=": ">", "≥": ">"}
FIX = "Write it as a plain number such as 0.25, 1,234, 45%, −.3, 1.2e-5 or <.001, or name it among the missing ones"
LONGEST = 60
LARGEST = 10**15  # no sample is larger
ENDLESS = Fraction(10**30)  # the end of an open interval
PERCENT = 2  # plain numbers from here on, beside others with %, are percentages


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A number as it was printed, and the closed interval of the values that print so.

    Attributes
    ----------
    text : str
        The string, exactly.
    value : Fraction
        The number that it shows, in printed units: 45 for ``45%``.
    unit : Fraction
        One unit of the last digit: 1/100 for ``0.30``. 0 for a number known exactly.
    low, high : Fraction or None
        Ends of the interval, both included; None where it is open (``<.001`` has no low end).
    percent : bool
        Whether the string ends with ``%``.
    relation : {"=", "<", ">"}
    rounding : {"half", "truncate", "floor", "ceil", "any"}

    Examples
    --------
    >>> printed("0.30").low, printed("0.30").high, printed("45%").percent
    (Fraction(59, 200), Fraction(61, 200), True)
    """

    text: str
    value: Fraction
    unit: Fraction
    low: Fraction | None
    high: Fraction | None
    percent: bool = False
    relation: Relation = "="
    rounding: Rounding = "half"

    def __str__(self) -> str:
        return self.text

    @property
    def reach(self) -> tuple[Fraction, Fraction]:
        """Both ends; one that is open is farther than any number."""
        low = -ENDLESS if self.low is None else self.low
        high = ENDLESS if self.high is None else self.high
        return low, high

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Both ends of a number that has them; an error for ``<`` and ``>``."""
        if self.low is None or self.high is None:
            raise InputError(f"'{self.text}' is a bound, not a number: this check needs a number")
        return self.low, self.high

    def holds(self, value: Fraction) -> bool:
        """Return whether a value may have been printed so."""
        return self.meets(value, value)

    def meets(self, low: Fraction, high: Fraction) -> bool:
        """Return whether any value from `low` to `high` may have been printed so."""
        least, most = self.reach
        return least <= high and low <= most

    def share(self, scale: int = 1) -> Printed:
        """Return a percentage as the share that it is; other numbers are divided by their scale, such as 100.

        Examples
        --------
        >>> printed("45%").share().low, printed("0.45").share().text
        (Fraction(89, 200), '0.45')
        """
        return self.over(100 if self.percent else scale)

    def over(self, divisor: int) -> Printed:
        """Return the number divided by another, and no percentage any more."""
        low, high = (None if end is None else end / divisor for end in (self.low, self.high))
        value, unit = self.value / divisor, self.unit / divisor
        return replace(self, value=value, unit=unit, low=low, high=high, percent=False)

    def neighbour(self, steps: int) -> Printed:
        """Return the number that is `steps` units of the last digit higher, printed in the same way."""
        near = self.shifted(steps)
        text = as_decimal(near.value, decimals_of(self.unit))
        return replace(near, text=text + ("%" if self.percent else ""))

    def shifted(self, steps: int) -> Printed:
        """Return the same with its text left as it is: for the many neighbours that are only compared."""
        value = self.value + steps * self.unit
        low, high = interval_of(value, self.unit, self.rounding)
        return replace(self, value=value, low=low, high=high, relation="=")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise InputError unless the value of a named setting is allowed."""
    if value not in allowed:
        raise InputError(f"{name}={value!r} is not one of {', '.join(allowed)}")


def printed(
    value: Any,
    *,
    decimals: int | None = None,
    rounding: Rounding = "half",
    decimal: Literal[".", ","] = ".",
    strip: str = "",
) -> Printed:
    """Read a number as it was printed.

    Parameters
    ----------
    value : str, int, Decimal, float, Fraction or Printed
        A string is best: it keeps trailing zeros. A float counts as its shortest decimals, so lost trailing zeros make
        the interval wider, never narrower. An int or a whole float is rounded to units. A Fraction is exact.
    decimals : int, optional
        Decimals that were printed, where trailing zeros are lost: 0.3 with ``decimals=3`` is 0.300.
    rounding : {"half", "truncate", "floor", "ceil", "any"}
        ``half``: half a unit of the last digit to both sides, ends included, which allows rounding half up, down and to
        even. ``truncate``: digits were cut off. ``any``: one unit to both sides.
    decimal : {".", ","}
        Decimal mark; with ``,`` points separate thousands.
    strip : str
        Characters that may follow or precede the number and mean nothing here, such as ``*†``.

    Returns
    -------
    Printed

    Raises
    ------
    InputError
        For anything that is not one number.

    Examples
    --------
    >>> [str(printed(x).value) for x in ("1,546", "−.25", "1.2e-5", "< .001", 0.3)]
    ['1546', '-1/4', '3/250000', '1/1000', '3/10']
    >>> printed(0.3, decimals=3).unit
    Fraction(1, 1000)
    """
    if isinstance(value, Printed):
        return value
    one_of("rounding", rounding, get_args(Rounding))
    if isinstance(value, Fraction):
        return Printed(text=str(value), value=value, unit=Fraction(0), low=value, high=value)
    return _read(_as_text(value), decimals, rounding, decimal, strip)


@functools.lru_cache(maxsize=1 << 16)  # many rules read the same cells
def _read(text: str, decimals: int | None, rounding: Rounding, decimal: str, strip: str) -> Printed:
    match = NUMBER.fullmatch(_plain(text, decimal, strip))
    if not match or len(text) > LONGEST:
        raise InputError(f"'{shorten(text)}' is not a printed number. {FIX}")
    digits = match["digits"].replace(",", "").rstrip(".")
    power = int(match["power"] or 0)
    size = Fraction(digits) * Fraction(10) ** power
    number = -size if match["sign"] == "-" else size
    places = len(digits.partition(".")[2]) - power
    if decimals is not None and decimals < places:
        raise InputError(
            f"'{shorten(text)}' has more than {decimals} decimals: give decimals={places} or more"
        )
    unit = Fraction(10) ** -(places if decimals is None else decimals)
    relation = RELATIONS.get(match["relation"] or "=", "=")
    ends: dict[Relation, tuple[Fraction | None, Fraction | None]] = {
        "<": (None, number),
        ">": (number, None),
        "=": interval_of(number, unit, rounding),
    }
    low, high = ends[relation]
    return Printed(
        text=text.strip(),
        value=number,
        unit=unit,
        low=low,
        high=high,
        percent=bool(match["percent"]),
        relation=relation,
        rounding=rounding,
    )


def is_number(text: str, **how: Any) -> bool:
    """Return whether a text is one printed number."""
    try:
        printed(text, **how)
    except InputError:
        return False
    return True


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        number = math.nan if isinstance(value, bool) or value is None else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{value!r} is not a printed number. {FIX}")
    if isinstance(value, int | Decimal):
        return str(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _plain(text: str, decimal: str, strip: str) -> str:
    """Drop what means nothing, and write signs and marks in one way."""
    if decimal not in (".", ","):
        raise InputError(f"decimal={decimal!r} is not '.' or ','")
    plain = text.strip().strip(strip).strip()
    plain = "".join("-" if ch in MINUS_SIGNS else ch for ch in plain)
    if decimal == ",":
        plain = plain.translate({ord("."): ",", ord(","): "."})
    plain = re.sub(rf"(?<=\d)[{SPACES}](?=\d{{3}}(?!\d))", ",", plain)
    return re.sub(rf"(?<=[<>=≤≥+-])[{SPACES}]+|[{SPACES}]+(?=%)", "", plain)


def interval_of(value: Fraction, unit: Fraction, rounding: Rounding) -> tuple[Fraction, Fraction]:
    """Return the closed interval of the values that are printed as `value`.

    Examples
    --------
    >>> interval_of(Fraction(-3), Fraction(1), "truncate")
    (Fraction(-4, 1), Fraction(-3, 1))
    """
    if rounding == "half":
        return value - unit / 2, value + unit / 2
    up = rounding in ("ceil", "any") or (rounding == "truncate" and value <= 0)
    down = rounding in ("floor", "any") or (rounding == "truncate" and value >= 0)
    return (value - unit if up else value), (value + unit if down else value)


def decimals_of(unit: Fraction) -> int:
    """Return the decimals of a unit of the last digit: 2 for 1/100, 0 for 1 and more."""
    return len(str(math.ceil(1 / unit) - 1)) if 0 < unit < 1 else 0


def as_decimal(value: Fraction, decimals: int) -> str:
    """Write an exact number with a fixed count of decimals, rounded half to even.

    Examples
    --------
    >>> as_decimal(Fraction(-1, 3), 2), as_decimal(Fraction(1546), 0)
    ('-0.33', '1546')
    """
    scaled = round(value * 10**decimals)
    whole, rest = divmod(abs(scaled), 10**decimals)
    return ("-" if scaled < 0 else "") + (
        f"{whole}.{rest:0{decimals}d}" if decimals else str(whole)
    )


def whole(value: Any, name: str, *, least: int = 1) -> int:
    """Read a whole number of something, such as a sample size.

    Raises
    ------
    InputError
        If it is not whole, or less than `least`.

    Examples
    --------
    >>> whole("1,546", "n")
    1546
    """
    number = printed(value)
    if number.relation != "=" or number.value.denominator != 1 or number.value < least:
        raise InputError(
            f"{name}={shorten(number.text)} must be a whole number of at least {least}"
        )
    if number.value > LARGEST:
        raise InputError(
            f"{name}={shorten(number.text)} is above {LARGEST:,}: no such number can be right"
        )
    return int(number.value)


def same_units(numbers: Sequence[Printed]) -> list[Printed]:
    """Return numbers in one unit: shares, where percentages and plain numbers are mixed.

    Plain numbers are percentages, too, where one of them is 2 or more.

    Examples
    --------
    >>> [str(n.value) for n in same_units([printed("45%"), printed("0.45")])]
    ['9/20', '9/20']
    >>> [str(n.value) for n in same_units([printed("45%"), printed("0.5"), printed("55")])]
    ['45', '1/2', '55']
    """
    plain = [number for number in numbers if not number.percent]
    mixed = 0 < len(plain) < len(numbers)
    if not mixed or any(abs(number.value) >= PERCENT for number in plain):
        return list(numbers)
    return [number.share() for number in numbers]


def located(value: str, problem: Problem, **how: Any) -> Printed:
    """Read a printed number of a table; an error names its place."""
    try:
        return printed(value, **how)
    except InputError as error:
        message = str(error).removesuffix(FIX).rstrip(" .")
        raise InputError(replace(problem, message=message, fix=FIX)) from error


Verdict = Literal["agree", "disagree", "no_power", "not_checkable"]
Severity = Literal["none", "minor", "major"]
Basis = Literal["numbers", "sentence", "words", "quotation", "note"]
NEIGHBOURS = 10
MINOR_UNITS = 1  # a gap of at most one unit of the last digit
POWERLESS = "every other number nearby would have passed, too"
FINER = Fraction(1, 100)  # from here on a number may have been rounded twice on its way to another
TWICE = Fraction(
    1, 20
)  # what rounding first to one more digit adds to a rounding error, in units of the last digit


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check of published numbers.

    Attributes
    ----------
    rule : str
        Name of the check.
    verdict : {"agree", "disagree", "no_power", "not_checkable"}
        ``no_power``: the check agrees with every number that could have been printed. ``not_checkable``: a number that
        the check needs is missing, or does not exist. So is the sentence of a claim that is only noted.
    severity : {"none", "minor", "major"}
        Of a disagreement: minor where at most one unit of the last digit, or one other convention, parts the numbers.
        Minor, too, where the claim that is tested was not found word by word in a document.
    basis : {"numbers", "sentence", "words", "quotation", "note"}
        What is tested. ``numbers``: printed numbers against each other. ``sentence``: a claim whose sentence was found
        in the document. ``words``: one that was found there by the words of a note. ``quotation``: one that a rule
        quotes, without a document. ``note``: one in a rule's own words, which no sentence makes.
    message : str
        One sentence.
    published, expected : str
        The number as printed, and what the other numbers imply.
    implied : (Fraction, Fraction) or None
        The ends of what the other numbers imply, where that is an interval of the published number.
    gap : Fraction
        How far the published number is from the nearest possible one, in units of its last digit; 0 when they agree.
    noticed, neighbours : int
        The power: of so many `neighbours` (the nearest other numbers that could have been printed), how many this check
        would have `noticed`. Both 0 where it is not computed.
    where : str
        The place: table, line, column, labels.
    title : str
        Name of the rule in a rules file.
    cells : tuple of (str, int, str)
        Table, line and column of each printed number that took part.
    passage : str
        The claim that is tested; else the sentence or the caption that the number stands in, where there is one.
    changes : str
        What it changes, in one sentence: the side of the level, the sign, the order; empty where it changes nothing.
    beside : tuple of str
        Of a disagreement: names of the rules by which the same number agrees with others.
    details : mapping of str to value
        Numbers behind the message.

    Examples
    --------
    >>> import socialstats as ss
    >>> found = ss.audit.grim("5.19", 40)
    >>> found.verdict, found.expected, f"{found.power:.2f}"
    ('disagree', '5.175 or 5.2', '0.40')
    """

    rule: str
    verdict: Verdict
    message: str
    severity: Severity = "none"
    basis: Basis = "numbers"
    published: str = ""
    expected: str = ""
    implied: tuple[Fraction, Fraction] | None = None
    gap: Fraction = Fraction(0)
    noticed: int = 0
    neighbours: int = 0
    where: str = ""
    title: str = ""
    cells: tuple[tuple[str, int, str], ...] = ()
    passage: str = ""
    changes: str = ""
    beside: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """True unless the sources disagree."""
        return self.verdict != "disagree"

    @property
    def power(self) -> float | None:
        """Share of the nearest other numbers that the check would have noticed; None where it is not computed."""
        return self.noticed / self.neighbours if self.neighbours else None

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        values = builtin(self)
        del values["gap"], values["implied"]
        return values | {"gap_units": float(self.gap), "power": self.power}


def builtin(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as built-in types."""
    return {part.name: plain(getattr(record, part.name)) for part in fields(record)}


def plain(value: Any) -> Any:
    """Return a detail as a built-in type."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def shown(low: Fraction, high: Fraction, unit: Fraction) -> str:
    """Write an interval with two decimals more than the number that it is compared with."""
    decimals = decimals_of(unit) + 2 if unit else 4
    ends = [
        as_decimal(end, decimals).rstrip("0").rstrip(".") if decimals else str(end)
        for end in (low, high)
    ]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def neighbours_noticed(
    number: Printed,
    accepts: Callable[[Printed], bool],
    printable: Callable[[Printed], bool] = lambda x: True,
) -> tuple[int, int]:
    """Count the nearest other numbers that could have been printed, and those that a check would not accept.

    Parameters
    ----------
    number : Printed
    accepts : callable
        Tells whether the check accepts another number.
    printable : callable
        Tells whether a number could be printed at all, as a p-value above 1 could not.

    Returns
    -------
    noticed, neighbours : int
        (0, 0) for a bound and for an exact number.
    """
    if number.relation != "=" or not number.unit:
        return 0, 0
    near = [number.shifted(steps) for steps in range(-NEIGHBOURS, NEIGHBOURS + 1) if steps]
    others = [x for x in near if printable(x)]
    return sum(not accepts(other) for other in others), len(others)


def unchecked(rule: str, message: str, said: Any = None) -> Finding:
    """Return the finding of a check of a printed number for which something is missing, or does not exist."""
    return Finding(
        rule=rule,
        verdict="not_checkable",
        message=message,
        published="" if said is None else str(said),
    )


def possible(
    rule: str,
    said: str,
    asked: dict[str, Printed],
    accepts: Callable[..., bool],
    *,
    yes: str,
    no: str,
    shares: Sequence[str] = (),
) -> Finding:
    """Judge whether printed numbers are possible together, and with what power.

    Parameters
    ----------
    rule : str
    said : str
        The numbers as printed.
    asked : mapping of name to Printed
    accepts : callable
        Takes the numbers in this order and tells whether they are possible.
    yes, no : str
        What is said of possible and of impossible ones.
    shares : sequence of str
        Names of numbers that are never below 0 or above 1.
    """
    noticed = of = 0
    for name, number in asked.items():

        def instead(other: Printed, name: str = name) -> bool:
            return accepts(*(asked | {name: other}).values())

        def printable(other: Printed, name: str = name) -> bool:
            return name not in shares or 0 <= other.value <= 1

        counted = neighbours_noticed(number, instead, printable)
        noticed, of = noticed + counted[0], of + counted[1]
    finding = Finding(
        rule=rule, verdict="agree", message=yes, published=said, noticed=noticed, neighbours=of
    )
    if accepts(*asked.values()):
        return weighed(finding)
    message = f"sources disagree: {no}"
    return replace(finding, verdict="disagree", severity="major", message=message)


def absolute(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return the range of the absolute value of a number between two ends."""
    least = Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def gap_of(number: Printed, low: Fraction, high: Fraction) -> Fraction:
    """Return the distance of a printed number's interval from another, in units of its last digit."""
    least, most = number.reach
    return max(low - most, least - high, Fraction(0)) / (number.unit or 1)


def compare(
    rule: str,
    number: Printed,
    low: Fraction,
    high: Fraction,
    *,
    source: str,
    expected: str = "",
    details: Mapping[str, Any] | None = None,
    against: Fraction | None = None,
    slack: Fraction = TWICE,
    name: str = "",
) -> Finding:
    """Compare a printed number with the interval that other numbers imply.

    Where rounded numbers imply it, a gap of `slack` units of the last digit is left to numbers that were rounded twice.

    Parameters
    ----------
    rule : str
    number : Printed
    low, high : Fraction
        All values from `low` to `high` are possible.
    source : str
        What implies them, as the subject of "implies": ``the sum of 3 parts``.
    expected : str
        The interval in words; by default its ends.
    details : mapping, optional
    against : Fraction, optional
        Unit of the last digit of the one printed number whose interval it is. With the same unit they are the same
        quantity only if they are the same number: two that only touch are one unit apart.
    slack : Fraction
        0 for numbers that come from a program, such as p.
    name : str
        What the number is, for the message: ``p``.
    """
    expected = expected or shown(low, high, number.unit)
    # bounds and exact numbers are not rounded; between numbers of like units there is no digit for a second rounding
    once = number.relation != "=" or not number.unit
    if against is not None:
        once = once or FINER * number.unit < against < number.unit / FINER
    slack = Fraction(0) if once or low == high else slack

    def apart(other: Printed) -> Fraction:
        gap = gap_of(other, low, high)
        touching = other.low == high or other.high == low
        return gap + 1 if against == number.unit and (gap or touching) else gap

    gap = apart(number)
    twice = not once and 0 < gap <= TWICE
    equals = "= " if name and number.relation == "=" else ""
    printed_as = f"{name} {equals}{number.text}".strip()
    implied = f"{name} = {expected}" if name else expected
    finding = possible(
        rule,
        number.text,
        {name: number},
        lambda other: apart(other) <= slack,
        yes=f"{printed_as} agrees with {source}, {implied}{' (rounded twice)' * twice}",
        no=f"{printed_as} is printed, {source} gives {implied}{'; rounded twice, it would fit' * twice}",
    )
    minor = not finding and gap <= MINOR_UNITS
    return replace(
        finding,
        severity="minor" if minor else finding.severity,
        expected=expected,
        implied=(low, high),
        gap=gap,
        details=dict(details or {}),
    )


def weighed(finding: Finding, powerless: str = POWERLESS) -> Finding:
    """Return an agreement that no other number nearby would have spoilt as one without power.

    Examples
    --------
    >>> weighed(Finding(rule="hull", verdict="agree", message="2 agrees", neighbours=20)).message
    '2 agrees; every other number nearby would have passed, too'
    """
    if finding.verdict != "agree" or not finding.neighbours or finding.noticed:
        return finding
    return replace(finding, verdict="no_power", message=f"{finding.message}; {powerless}")
