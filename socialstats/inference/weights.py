"""Sampling weights of units: how many equal ones they count as, and what results say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from socialstats.arrays import FloatArray
from socialstats.designs.cells import kish
from socialstats.designs.groups_data import GroupsData
from socialstats.errors import Caution, InputError, caution
from socialstats.text import count as counted
from socialstats.text import number

# Kish's design effect from which t intervals of means were too short (`weight_cautions`)
UNEVEN = 1.5
# effective units from which they held .93 and more
ENOUGH = 400.0
NO_RANKS = "ranks and signs count each pair once, and these have sampling weights"
NAMED = ", sampling weights"
# cited where units have weights
WORKS = ("lumley2004", "kish1965")


class Weighted(Protocol):
    """A design whose units may have sampling weights."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Columns by part."""

    @property
    def source(self) -> str:
        """What the table is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What unequal weights do to a number of units.

    Attributes
    ----------
    units : float
    effective : float
        (sum w)^2 / sum w^2 (Kish 1965).
    """

    units: float
    effective: float

    @classmethod
    def of_units(cls, count: FloatArray, weight: FloatArray) -> Weighing:
        """Return what the weights of some units do."""
        return cls(units=float(count.sum()), effective=kish(count, weight))

    @property
    def design_effect(self) -> float:
        """Units to an effective one: the factor of the variance of a mean that weights have nothing to do with."""
        return self.units / self.effective


def group_weighings(design: GroupsData) -> tuple[Weighing, ...]:
    """Return what the weights of either group do; nothing without weights."""
    if design.weight is None:
        return ()
    sides = (design.group == code for code in (0, 1))
    return tuple(
        Weighing.of_units(design.count[in_group], design.weight[in_group]) for in_group in sides
    )


def sum_weighings(sides: Sequence[Weighing]) -> Weighing | None:
    """Return the sums over groups; None without any."""
    if not sides:
        return None
    return Weighing(
        units=sum(side.units for side in sides), effective=sum(side.effective for side in sides)
    )


def weight_counts(weighing: Weighing | None, what: str) -> dict[str, int]:
    """Return the effective number of units as a count of a result; nothing without weights.

    Examples
    --------
    >>> weight_counts(Weighing(units=30.0, effective=14.1), "pairs"), weight_counts(None, "pairs")
    ({'effective pairs': 14}, {})
    """
    return {} if weighing is None else {f"{EFFECTIVE} {what}": round(weighing.effective)}


EFFECTIVE = "effective"


def effective_text(weighing: Weighing | None) -> str:
    """Return what a sentence says of weights after a number of units; nothing without any.

    Examples
    --------
    >>> effective_text(Weighing(units=30.0, effective=14.1)), effective_text(None)
    ('effective number 14.1', '')
    """
    return "" if weighing is None else f"effective number {number(weighing.effective, 1)}"


def weight_cautions(
    weighings: Sequence[Weighing], what: str, design: Weighted
) -> tuple[Caution, ...]:
    """Caution SS216, where weights are uneven, and the effective units of a number of them are few.

    Nominal 95% t intervals of normal values with lognormal weights (sigma 1, design effect 2.1 to 2.7) held .93 of 30
    units and .94 of 200. Where values went with the weights (r = .5) they held .89 of 30 and .92 of 200 and of 400.
    With sigma .8 and r = .8 (design effect 1.8) they held .90 of 60, .92 of 200, .94 of 400; with sigma .6 (1.4) .93 of
    60. A sample that lacks the largest weights looks even, and has the worst intervals.
    """
    uneven = [
        weighing
        for weighing in weighings
        if weighing.design_effect > UNEVEN and weighing.effective < ENOUGH
    ]
    if not uneven:
        return ()
    worst = max(uneven, key=lambda weighing: weighing.design_effect)
    detail = (
        f"{counted(worst.units, what)} with weights in '{design.columns.get('weight', 'weight')}' count as "
        f"{number(worst.effective, 1)} equal ones (Kish; design effect {number(worst.design_effect, 1)})"
    )
    affects = "intervals and tests: nominal 95% ones held in .87 to .94 of simulations where values went with weights"
    return (
        caution(
            "SS216",
            detail,
            affects=affects,
            fix="see whether the conclusion holds with trimmed weights",
        ),
    )


def refuse_resamples(weighing: Weighing | None, asked: str, design: Weighted) -> None:
    """Refuse an interval from resamples of units with weights.

    Raises
    ------
    InputError
    """
    if weighing is not None:
        raise InputError(
            f"{design.source}: {asked} resamples units as if they were alike, and these have sampling weights. Leave "
            "it out: the interval is then of the linearised standard error"
        )
