"""Pairs of several levels without order: which shares differ, are practically equal, or are not settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from socialstats.designs.paired import Paired
from socialstats.metrics.symmetry import symmetry
from socialstats.results import Result, Row
from socialstats.studies.estimates import digits_for, numbers_text
from socialstats.studies.outcome import Mark
from socialstats.studies.paired_blocks import margins, minus
from socialstats.studies.verdicts import Verdict, is_inside, verdict
from socialstats.text import as_given, count, listing, number, p_value, shorten

MOST_NAMED = 3  # levels whose numbers the answer gives
MOST_MARKS = 8  # levels on the number line


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The verdict on each level.

    Attributes
    ----------
    together : Result
        Intervals that hold for all levels at once: each at level 1 - alpha / k (Bonferroni).
    narrow : Result or None
        Intervals of two one-sided tests, at level 1 - 2 alpha; None without a smallest effect.
    smallest : float or None
    level : float
        Of all simultaneous intervals together.
    """

    together: Result
    narrow: Result | None
    smallest: float | None
    level: float

    def verdicts(self) -> dict[str, Verdict]:
        """Say for each level what its simultaneous interval settles, the largest difference first."""
        rows = sorted(margins(self.together), key=lambda row: -abs(row.estimate or 0.0))
        return {row.term: verdict(row, bounds=row, smallest=self.smallest) for row in rows}

    def all_equal(self) -> bool:
        """Tell whether every share is shown to differ by less than the smallest effect: no adjustment is needed.

        That all differences are small is claimed only if every single test claims it (an intersection-union test).
        """
        if self.narrow is None or self.smallest is None:
            return False
        return all(is_inside(row, self.smallest) for row in margins(self.narrow))


def levels_of(design: Paired, main: Result, *, level: float, smallest: float | None) -> Levels:
    """Compute the intervals that the verdicts need."""
    k = len(margins(main))
    narrow: Any = None if smallest is None else symmetry(design, level=2 * level - 1)
    together: Any = symmetry(design, level=1 - (1 - level) / k)
    return Levels(together=together, narrow=narrow, smallest=smallest, level=level)


def answer_of_levels(design: Paired, main: Result, levels: Levels) -> str:
    """Return the verdict on the shares of several levels; intervals decide, not the p-value of the joint test."""
    first, second = (shorten(name, 40) for name in design.conditions)
    found = levels.verdicts()
    known = [row for row in margins(levels.together) if row.conf_low is not None]
    if not known:
        return f"No verdict: {margins(levels.together)[0].undefined or 'no share has an interval'}."
    if levels.narrow is not None and levels.smallest is not None and levels.all_equal():
        widest = levels.narrow.row(next(iter(found)), group="margin")
        return (
            f"Practically equal: no share of a level differs by {as_given(levels.smallest)} or more between {first} "
            f"and {second}; the widest difference is that of {told(widest)}."
        )
    differ = [name for name, settled in found.items() if settled in ("above", "below")]
    if not differ:
        row = levels.together.row(next(iter(found)), group="margin")
        return (
            f"The data do not settle whether {first} and {second} give different shares of the {count(len(found))} "
            f"levels; the widest difference is that of {told(row, levels.level)}, {minus(design)} ({joint(main)})."
        )
    said = "; ".join(
        f"{told(levels.together.row(name, group='margin'), levels.level)}, more frequent under "
        f"{first if found[name] == 'above' else second}" for name in differ[:MOST_NAMED]
    )  # fmt: skip
    more = len(differ) - MOST_NAMED
    said += f"; and {count(more)} more" if more > 0 else ""
    return (
        f"Yes, shares of levels differ, {minus(design)}: {said}.{rest(found)} The intervals hold for all "
        f"{count(len(found))} levels at once; {joint(main)}."
    )


def rest(found: dict[str, Verdict]) -> str:
    """Name the levels that are practically equal, and those that are not settled."""
    equal = [shorten(name, 30) for name, settled in found.items() if settled == "equal"]
    unsettled = [shorten(name, 30) for name, settled in found.items() if settled == "open"]
    text = f" Practically equal: {listing(equal)}." if equal else ""
    return text + (f" Not settled: {listing(unsettled)}." if unsettled else "")


def told(row: Row, together: float | None = None) -> str:
    """Name a level with its difference and interval; `together` is the level of all simultaneous intervals."""
    shown = row if together is None else replace(row, conf_level=together)
    text = numbers_text(shown, digits=digits_for([row]), bounded=True)
    return f"'{shorten(row.term, 40)}' {text if together is None else text.replace('CI [', 'simultaneous CI [')}"


def joint(main: Result) -> str:
    """Return the test of all levels together."""
    test = next(row for row in main.rows if row.group == "test")
    return f"{test.method}, {p_value(test.p_value)}" if test.p_value is not None else f"no joint test: {test.undefined}"


def equivalence_words(levels: Levels) -> str:
    """Say for which levels the difference is shown to be practically nothing."""
    assert levels.narrow is not None
    assert levels.smallest is not None
    rows = margins(levels.narrow)
    inside = [shorten(row.term, 30) for row in rows if is_inside(row, levels.smallest)]
    size = as_given(levels.smallest)
    said = (
        "The intervals of all levels lie" if len(inside) == len(rows)
        else f"Of {count(len(rows))} levels, the intervals of {listing(inside)} lie" if inside
        else "The interval of no level lies"
    )  # fmt: skip
    return f"{said} between {as_given(-levels.smallest)} and {size}. Margins are called equal only where all do."


def methods_of_levels(level: float) -> str:
    """Say how the verdicts are made."""
    return (
        "A level is called more frequent under one condition where its interval at level 1 - alpha / k excludes zero "
        f"(k levels, alpha = {number(1 - level, 3, bounded=True)}: Bonferroni, so that all hold at once)."
    )


def marks_of_levels(levels: Levels) -> tuple[Mark, ...]:
    """Return the differences of the shares, the largest first, for the number line."""
    rows: Sequence[Row] = sorted(margins(levels.together), key=lambda row: -abs(row.estimate or 0.0))[:MOST_MARKS]
    return tuple(
        Mark(label=shorten(row.term, 48), value=row.estimate, low=row.conf_low, high=row.conf_high,
             undefined=row.undefined or "") for row in rows
    )  # fmt: skip
