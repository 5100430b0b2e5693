"""Misprints: single digits of a table that would settle disagreements of several checks at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats.audit.documents.sheets import Cell
from socialstats.audit.numbers import Finding, Printed, as_decimal, builtin, decimals_of, printed
from socialstats.audit.rules.binding import Bound

DIGITS = "0123456789"
LEAST = 2  # one disagreement can nearly always be settled by some digit: that is no evidence
TRIED = 400  # cells whose digits are tried
FITTING = ("agree", "no_power")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A digit that would settle disagreements.

    Attributes
    ----------
    where : str
    cell : (file, line, column)
    printed, instead : str
        The number as printed, and with one digit changed.
    settles, leaves : int
        Disagreements in which the number takes part: those that would be gone, and those that would stay.
    keeps : int
        Agreements in which the number takes part, and which would stay.
    others : tuple of str
        Other single digits of this cell that would settle as much.
    """

    where: str
    cell: tuple[str, int, str]
    printed: str
    instead: str
    settles: int
    leaves: int
    keeps: int
    others: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """One sentence."""
        also = f" (so would {', '.join(self.others)})" if self.others else ""
        disagreements = self.settles + self.leaves
        share = f"{self.settles} of {disagreements}" if self.leaves else f"all {self.settles}"
        return (
            f"with {self.instead} for {self.printed} ({self.where}) {share} disagreements that it takes part in "
            f"would be gone, and none would be new{also}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        return builtin(self)


def single_digits(number: Printed) -> list[Printed]:
    """Return the numbers that differ from a printed one in a single digit.

    Examples
    --------
    >>> [x.text for x in single_digits(printed("3.9"))][:10]
    ['0.9', '1.9', '2.9', '4.9', '5.9', '6.9', '7.9', '8.9', '9.9', '3.0']
    """
    places = decimals_of(number.unit)
    text = as_decimal(number.value, places)
    sign = "%" if number.percent else ""
    others = []
    for i, old in enumerate(text):
        for new in DIGITS.replace(old, "") if old.isdigit() else "":
            changed = text[:i] + new + text[i + 1 :]
            other = printed(changed, rounding=number.rounding, decimals=places)
            others.append(replace(other, percent=number.percent, text=changed + sign))
    return others


def digit_repairs(
    numbers: Mapping[str, Any], checks: Sequence[Callable[[Mapping[str, Printed]], Finding]]
) -> list[tuple[str, str, int]]:
    """Search one changed digit of one number that settles disagreements of several checks and causes none.

    Parameters
    ----------
    numbers : mapping of name to printed number
    checks : sequence of callable
        Each is given the numbers and returns a `Finding`.

    Returns
    -------
    list of (name, number with one digit changed, disagreements that it settles)
        Those that settle most; empty where no digit settles at least two.

    Examples
    --------
    >>> from socialstats.audit import sum_to
    >>> checks = [
    ...     lambda x: sum_to([x["a"], x["b"]], x["row"], counts=True),
    ...     lambda x: sum_to([x["a"], x["c"]], x["column"], counts=True),
    ... ]
    >>> digit_repairs({"a": "39", "b": "10", "c": "5", "row": "99", "column": "94"}, checks)
    [('a', '89', 2)]
    """
    original = {name: printed(value) for name, value in numbers.items()}
    failed_before = [check(original).verdict == "disagree" for check in checks]
    repairs = []
    for name, number in original.items():
        for other in single_digits(number) if number.relation == "=" else []:
            failed = [check({**original, name: other}).verdict == "disagree" for check in checks]
            broken = any(now and not then for now, then in zip(failed, failed_before, strict=True))
            if not broken:
                repairs.append((name, other.text, sum(failed_before) - sum(failed)))
    most = max((settled for _, _, settled in repairs), default=0)
    return [repair for repair in repairs if repair[2] == most >= LEAST]


def repairs_of(results: Sequence[tuple[Bound, Finding]]) -> tuple[Repair, ...]:
    """Find the cells of which one digit settles two or more disagreements, and breaks no agreement."""
    touching: dict[tuple[str, int, str], list[Bound]] = defaultdict(list)
    cells: dict[tuple[str, int, str], Cell] = {}
    for bound in (bound for bound, _ in results if bound.exacting):
        for cell in {c.key: c for c in bound.printed_cells}.values():
            touching[cell.key].append(bound)
            cells[cell.key] = cell
    verdicts = {id(bound): finding.verdict for bound, finding in results}
    failures = {
        key: independent(bound for bound in bounds if verdicts[id(bound)] == "disagree")
        for key, bounds in touching.items()
    }
    repeated = [key for key in failures if failures[key] >= LEAST]
    suspects = sorted(repeated, key=lambda key: -failures[key])[:TRIED]
    repairs = [_repair(cells[key], touching[key], verdicts) for key in suspects]
    return tuple(repair for repair in repairs if repair is not None)


def independent(bounds: Iterable[Bound]) -> int:
    """Count checks with different cells: two checks of the same cells are one piece of evidence."""
    return len({frozenset(cell.key for cell in bound.cells) for bound in bounds})


def _repair(cell: Cell, bounds: Sequence[Bound], verdicts: Mapping[int, str]) -> Repair | None:
    if cell.number is None or cell.number.relation != "=":
        return None
    bad = [bound for bound in bounds if verdicts[id(bound)] == "disagree"]
    good = [bound for bound in bounds if verdicts[id(bound)] == "agree"]
    fitting = []
    for other in single_digits(cell.number):
        swap = {cell.key: replace(cell, number=other)}
        # those that disagree are few, and rarely two fit: the many others are run after them
        settled = [bound for bound in bad if bound.run(swap).verdict in FITTING]
        evidence = independent(settled)
        if evidence >= LEAST and all(bound.run(swap).verdict in FITTING for bound in good):
            fitting.append((evidence, len(settled), other))
    if not fitting:
        return None
    most = max((evidence, settles) for evidence, settles, _ in fitting)
    best = [other.text for evidence, settles, other in fitting if (evidence, settles) == most]
    return Repair(
        where=f"{cell.source} line {cell.line}, column {cell.column}",
        cell=cell.key,
        printed=cell.number.text,
        instead=best[0],
        settles=most[1],
        leaves=len(bad) - most[1],
        keeps=len(good),
        others=tuple(best[1:4]),
    )
