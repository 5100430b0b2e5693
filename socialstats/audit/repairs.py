"""Single digits: one changed digit of one number that would settle several disagreements and cause none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from socialstats.audit.binding import Bound
from socialstats.audit.finding import Finding
from socialstats.audit.numbers import Printed, as_decimal, decimals_of, printed
from socialstats.audit.sheets import Cell, Sheet

LEAST = 2  # one disagreement can nearly always be settled by some digit: that is no evidence
TRIED = 400  # cells whose digits are tried


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
        share = f"all {self.settles}" if not self.leaves else f"{self.settles} of {self.settles + self.leaves}"
        return (f"with {self.instead} for {self.printed} ({self.where}) {share} disagreements that it takes part in "
                f"would be gone, and none would be new{also}")  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        return asdict(self) | {"cell": list(self.cell), "others": list(self.others)}


def single_digits(number: Printed) -> list[Printed]:
    """Return the numbers that differ from a printed one in a single digit.

    Examples
    --------
    >>> [x.text for x in single_digits(printed("3.9"))][:10]
    ['0.9', '1.9', '2.9', '4.9', '5.9', '6.9', '7.9', '8.9', '9.9', '3.0']
    """
    places = decimals_of(number.unit)
    text = as_decimal(number.value, places)
    found = []
    for i, old in enumerate(text):
        for new in "0123456789" if old.isdigit() else "":
            if new != old:
                changed = text[:i] + new + text[i + 1 :]
                again = printed(changed, rounding=number.rounding, decimals=places)
                found.append(replace(again, percent=number.percent, text=changed + ("%" if number.percent else "")))
    return found


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
    known = {name: printed(value) for name, value in numbers.items()}
    before = [check(known).verdict == "disagree" for check in checks]
    found = []
    for name, number in known.items():
        for other in single_digits(number) if number.relation == "=" else []:
            after = [check({**known, name: other}).verdict == "disagree" for check in checks]
            if not any(new and not old for new, old in zip(after, before, strict=True)):
                found.append((name, other.text, sum(before) - sum(after)))
    most = max((settled for _, _, settled in found), default=0)
    return [one for one in found if one[2] == most >= LEAST]


def repairs_of(made: Sequence[tuple[Bound, Finding]], sheets: Mapping[str, Sheet]) -> tuple[Repair, ...]:
    """Find the cells of which one digit settles two or more disagreements, and breaks no agreement."""
    touching: dict[tuple[str, int, str], list[Bound]] = defaultdict(list)
    cells: dict[tuple[str, int, str], Cell] = {}
    for bound, _ in made:
        for cell in {c.key: c for c in bound.printed_cells}.values():
            touching[cell.key].append(bound)
            cells[cell.key] = cell
    verdicts = {id(bound): finding.verdict for bound, finding in made}
    bad = {key: independent(b for b in of if verdicts[id(b)] == "disagree") for key, of in touching.items()}
    suspects = sorted((key for key in bad if bad[key] >= LEAST), key=lambda key: -bad[key])[:TRIED]
    found = [_repair(cells[key], touching[key], sheets, verdicts) for key in suspects]
    return tuple(repair for repair in found if repair is not None)


def independent(bounds: Iterable[Bound]) -> int:
    """Count checks with different cells: two checks of the same cells are one piece of evidence."""
    return len({frozenset(cell.key for cell in bound.cells) for bound in bounds})


def _repair(
    cell: Cell, bounds: Sequence[Bound], sheets: Mapping[str, Sheet], verdicts: Mapping[int, str]
) -> Repair | None:
    if cell.number is None or cell.number.relation != "=":
        return None
    bad = [b for b in bounds if verdicts[id(b)] == "disagree"]
    good = [b for b in bounds if verdicts[id(b)] == "agree"]
    fitting = []
    for other in single_digits(cell.number):
        swap = {cell.key: replace(cell, number=other)}
        if all(b.run(sheets, swap).verdict == "agree" for b in good):
            settled = [b for b in bad if b.run(sheets, swap).verdict == "agree"]
            if independent(settled) >= LEAST:
                fitting.append((independent(settled), len(settled), other))
    if not fitting:
        return None
    most = max(found[:2] for found in fitting)
    best = [other for *settled, other in fitting if tuple(settled) == most]
    where = f"{cell.source} line {cell.line}, column {cell.column}"
    return Repair(
        where=where, cell=cell.key, printed=cell.number.text, instead=best[0].text, settles=most[1],
        leaves=len(bad) - most[1], keeps=len(good), others=tuple(other.text for other in best[1:4]),
    )  # fmt: skip
