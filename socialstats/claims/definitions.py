"""Definitions of a printed number: the documented one, and the others that are tried when it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.claims.formulas import COUNTS, DEVIATIONS, ERRORS, MEANS, SUMS, Formula, median, squared
from socialstats.claims.intervals import ends
from socialstats.claims.repeats import POOLED, words_of
from socialstats.claims.rows import RowTable
from socialstats.claims.samples import ALL_FILTERS, FILTER, OK, UNPARSED, WITHOUT, ZERO, Reading, Sample
from socialstats.claims.types import KEYS, SCORE_TEXT, Claim
from socialstats.text import shorten

PERCENT = 100.0
MOST_COLUMNS = 12
REDUCERS = ("mean", POOLED, "first", "median", "mode", "max", "min")
FORMULAS: dict[str, Mapping[str, Formula]] = {
    "mean": MEANS,
    "share": MEANS,
    "std_error": ERRORS,
    "std_dev": DEVIATIONS,
    "variance": squared(DEVIATIONS),
    "conf_low": ends("conf_low"),
    "conf_high": ends("conf_high"),
    "median": {"median": Formula(words="median", compute=median), "mean": MEANS["mean"]},
    "sum": SUMS,
    "count": COUNTS,
}
NO_SCALE = ("count", "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Rows, repeats, formula and scale: all that a number depends on.

    Attributes
    ----------
    reading : Reading
    quantity, formula : str
        Keys of `FORMULAS`.
    column : str
        That the formula groups by; empty for others.
    scale : float
        1, or 100 for percent.
    """

    reading: Reading
    quantity: str
    formula: str
    column: str = ""
    scale: float = 1.0

    @property
    def entry(self) -> Formula:
        """The formula."""
        return FORMULAS[self.quantity][self.formula]

    def words(self, *, repeated: bool) -> str:
        """Say the definition; how repeats are joined only where there are any."""
        parts = [self.entry.words.replace("{column}", f"'{shorten(self.column)}'"), self.reading.words()]
        if repeated:
            parts.insert(1, words_of(self.reading.repeats))
        if self.scale == PERCENT:
            parts.append("in percent")
        return "; ".join(part for part in parts if part)

    def departures(self, other: Definition) -> int:
        """Count the choices in which two definitions differ."""
        return (
            (self.reading.rows != other.reading.rows)
            + (self.reading.repeats != other.reading.repeats)
            + ((self.formula, self.column) != (other.formula, other.column))
            + (self.scale != other.scale)
        )


def candidate_columns(table: RowTable) -> tuple[str, ...]:
    """Return columns that rows may be grouped by: at least two values, and fewer than rows."""
    found = []
    for name in table.columns:
        if (name in KEYS and name not in ("task", "epoch", "model")) or name == SCORE_TEXT:
            continue
        codes, labels = table.column(name)
        if 1 < len(labels) < len(codes):
            found.append(name)
    return tuple(found[:MOST_COLUMNS])


def usable_columns(table: RowTable, claims: Sequence[Claim], cluster: str) -> tuple[str, ...]:
    """Return the columns that any definition needs: those that claims name, our clusters, and the candidates."""
    named = [str(c.settings[key]) for c in claims for key in ("cluster", "macro") if c.settings.get(key)]
    wanted = dict.fromkeys([*named, cluster, "epoch", *candidate_columns(table)])
    return tuple(name for name in wanted if name in table.columns)


def formula_choices(quantity: str, columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return formulas of a quantity with each column that they may use, simple ones first."""
    plain = [(key, "") for key, f in FORMULAS[quantity].items() if not f.by_column]
    grouped = [(key, column) for key, f in FORMULAS[quantity].items() if f.by_column for column in columns]
    return plain + grouped


def is_redundant(definition: Definition, sample: Sample) -> bool:
    """Tell whether a definition must give what a simpler one gives, whatever the scores: it says nothing of its own."""
    column = sample.columns.get(definition.column)
    if column is not None and not np.ptp(column):
        return True
    if definition.formula in ("full", "positive", "share", "share_t", "share_z"):
        return bool(np.isin(sample.value, (0.0, 1.0)).all())
    if column is not None and len(np.unique(column)) == sample.n:  # a group a unit
        return definition.formula not in ("groups",)
    return definition.formula == "rows" and definition.quantity == "std_error" and sample.n == sample.ok_rows


def row_choices(claim: Claim, table: RowTable) -> list[str]:
    """Return the ways to choose rows that differ for this claim."""
    found = [OK, *([UNPARSED] if "unparsed" in table.status else []), ZERO]
    if "filter" in claim.select and "filter" in table.columns:
        others = [label for label in table.column("filter")[1] if label != claim.select["filter"]]
        found += [ALL_FILTERS] * bool(others) + [FILTER + label for label in others[:4]]
    return found + [WITHOUT + name for name in claim.select if name not in KEYS]


def repeat_choices(claim: Claim, repeats: int) -> list[str]:
    """Return the ways to join repeats: one where no unit has any."""
    if repeats < 2:
        return ["mean"]
    counts = [f"{name}_{k}" for k in sorted({2, repeats}) for name in ("at_least", "pass_at", "pass_k")]
    return [*REDUCERS, *counts]


def others(claim: Claim, base: Definition, table: RowTable, repeats: int, *, most: int) -> Iterator[Definition]:
    """Return definitions that differ from the documented one in at most `most` choices, the simplest first.

    Writing a number in percent is not counted as a difference.

    Parameters
    ----------
    claim : Claim
    base : Definition
    table : RowTable
    repeats : int
        Most repeats of one unit.
    most : int
    """
    columns = candidate_columns(table)
    columns += tuple(c for c in (base.column,) if c and c not in columns)
    found = [
        Definition(reading=Reading(rows=rows, repeats=how), quantity=base.quantity, formula=key, column=column)
        for rows in dict.fromkeys([base.reading.rows, *row_choices(claim, table)])
        for how in dict.fromkeys([base.reading.repeats, *repeat_choices(claim, repeats)])
        for key, column in dict.fromkeys([(base.formula, base.column), *formula_choices(base.quantity, columns)])
    ]
    kept = [d for d in found if 0 < d.departures(base) <= most]
    scaled = [] if base.quantity in NO_SCALE else [replace(d, scale=PERCENT) for d in [base, *kept]]
    yield from sorted([*kept, *scaled], key=lambda d: d.departures(base))
