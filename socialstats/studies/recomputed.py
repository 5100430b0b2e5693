"""How many of the numbers that a page shows were recomputed by independent code, and why the others were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from socialstats.results import KINDS, Recomputed, Row, Verification
from socialstats.results.verification import COUNTED, COUNTS, Lack, worst_of
from socialstats.studies.page import Outcome, PageTable
from socialstats.text import Shown

FIELDS = (*KINDS, *COUNTED)
OWN = tuple(name for name in KINDS if name != "p_adjusted")
TEST = ("statistic", "df", "p_value")
OF_ROWS = (*FIELDS, "conf_level", "leverage", "effective")


class Number(NamedTuple):
    """A number of a row: it is the same one under another label and with the other sign.

    `of` tells it from an equal number of another row: by estimate and limits without their signs. A row that lacks one
    of these is known by all its numbers. Copies in figures and families of tests may lack the others.
    """

    of: tuple[object, ...]
    field: str
    value: float


def numbers_of(row: Row) -> Iterator[Number]:
    """Yield the numbers that a row has: estimate, error, limits, test, and counts."""
    sizes = {name: abs(value) for name in FIELDS if (value := getattr(row, name)) is not None}
    ends = sorted(sizes.pop(name) for name in ("conf_low", "conf_high") if name in sizes)
    further = (
        ()
        if ends and "estimate" in sizes
        else ((name, size) for name, size in sizes.items() if name in OWN)
    )
    of = (row.interval, sizes.get("estimate"), *ends, *further)
    yield from (
        Number((*of, row.test) if name in TEST else of, name, size) for name, size in sizes.items()
    )
    yield from (Number(of, "conf_low", size) for size in ends)


def shown_numbers(outcome: Outcome) -> Counter[tuple[str, Number]]:
    """Return the numbers of the rows on a page, by level: those of results, figures and tables, each once."""
    numbers: Counter[tuple[str, Number]] = Counter()
    for level, rows in rows_shown(outcome):
        numbers |= Counter((level, number) for row in rows for number in numbers_of(row))
    return numbers


def rows_shown(outcome: Outcome) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield the rows of each result, figure and table of a page, with the level that it is about."""
    for block in outcome.blocks:
        yield from ((block.level, result.rows) for result in block.results)
        yield block.level, distinct(block.drawn)
        yield from ((block.level, held_by(table)) for table in block.tables)
    yield from (("", held_by(table)) for table in outcome.data)


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Return each row once."""
    return list({id(row): row for row in rows}.values())


def held_by(table: PageTable) -> list[Row]:
    """Return the rows that a table was made from, or that its cells were read from."""
    cells = (cell for line in table.cells for cell in line)
    read = (cell.row for cell in cells if isinstance(cell, Shown) and cell.row is not None)
    return distinct((*table.rows, *read))


def values_outside(outcome: Outcome, numbers: Iterable[Number]) -> Counter[Lack]:
    """Count the numbers of tables and of the number line that no row has: counts, and values of other kinds."""
    every = {number.value for number in numbers}
    every_value = {value for value in every if not float(value).is_integer()}
    lacks: Counter[Lack] = Counter()
    tables = [*outcome.data, *(table for block in outcome.blocks for table in block.tables)]
    for table in tables:
        of_rows = {
            abs(float(value))
            for row in held_by(table)
            for name in OF_ROWS
            if (value := getattr(row, name)) is not None
        }
        for cell in (cell for line in table.cells for cell in line):
            if not isinstance(cell, int | float) or isinstance(cell, bool):
                continue
            if abs(cell) not in of_rows and abs(cell) not in every_value:
                lacks["counts" if isinstance(cell, int) else "outside"] += 1
    lacks["counts"] += len(outcome.flow)
    return lacks


def recomputed(
    outcome: Outcome, verifications: Mapping[str, Verification] | None = None
) -> Recomputed:
    """Count the numbers of a page by whether independent code recomputed them.

    Parameters
    ----------
    outcome : Outcome
    verifications : mapping of str to Verification, optional
        Its verifications, where they were made elsewhere.

    Returns
    -------
    Recomputed
        Of the rows of its results, figures and tables, each number once, and of what its tables hold beside them. The
        sentences render numbers of these rows.
    """
    checked: dict[Number, list[bool | None]] = {}
    why: dict[Number, Lack] = {}
    for verification in (
        outcome.verifications if verifications is None else verifications
    ).values():
        numbers, lacks = verification.numbers(), verification.lacks()
        for k, row in enumerate(verification.rows):
            for number in numbers_of(row):
                places = (
                    [(k, number.field)]
                    if number.field != "conf_low"
                    else [(k, "conf_low"), (k, "conf_high")]
                )
                at = next(
                    (at for at in places if at in numbers and _is(row, at[1], number.value)), None
                )
                checked.setdefault(number, []).append(numbers[at] if at else None)
                why[number] = (
                    (lacks.get(at, "peer") if at else "counts")
                    if number.field not in COUNTED
                    else "counts"
                )
    numbers_shown = shown_numbers(outcome)
    outside = values_outside(outcome, (number for _, number in numbers_shown))
    # numbers of one kind with the same checks are counted together
    alike: Counter[tuple[str, frozenset[bool | None], Lack]] = Counter()
    for (_, number), n in numbers_shown.items():
        checks = frozenset(checked.get(number, [None]))
        alike[KINDS.get(number.field, COUNTS), checks, reason(number, why)] += n
    return Recomputed.of(
        (
            *(
                (kind, worst_of(checks, any_true=True), lack, n)
                for (kind, checks, lack), n in alike.items()
            ),
            *(
                (COUNTS if lack == "counts" else "other values", None, lack, n)
                for lack, n in outside.items()
            ),
        )
    )


def reason(number: Number, why: Mapping[Number, Lack]) -> Lack:
    """Return why a number was not recomputed."""
    return "counts" if number.field in COUNTED else why.get(number, "result")


def _is(row: Row, name: str, size: float) -> bool:
    value = getattr(row, name)
    return value is not None and abs(value) == size
