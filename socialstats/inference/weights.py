"""Sampling weights of units: how many equal ones they count as, and what results say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from socialstats.arrays import FloatArray
from socialstats.designs.cells import kish
from socialstats.designs.groups import Groups
from socialstats.errors import Caution, InputError, caution
from socialstats.text import count as counted
from socialstats.text import number

UNEVEN = 2.0  # Kish's design effect from which t intervals of means were too short (`weight_cautions`)
NO_RANKS = "ranks and signs count each pair once, and these have sampling weights"
NAMED = ", sampling weights"


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
    def of(cls, count: FloatArray, weight: FloatArray) -> Weighing:
        """Return what the weights of some units do."""
        return cls(units=float(count.sum()), effective=kish(count, weight))

    @property
    def design_effect(self) -> float:
        """Units to an effective one: the factor of the variance of a mean that weights have nothing to do with."""
        return self.units / self.effective


def group_weighings(design: Groups) -> tuple[Weighing, ...]:
    """Return what the weights of either group do; nothing without weights."""
    if design.weight is None:
        return ()
    sides = (design.group == code for code in (0, 1))
    return tuple(Weighing.of(design.count[mine], design.weight[mine]) for mine in sides)


def both(sides: Sequence[Weighing]) -> Weighing | None:
    """Return the sums over groups; None without any."""
    if not sides:
        return None
    return Weighing(units=sum(side.units for side in sides), effective=sum(side.effective for side in sides))


def weight_counts(found: Weighing | None, what: str) -> dict[str, int]:
    """Return the effective number of units as a count of a result; nothing without weights.

    Examples
    --------
    >>> weight_counts(Weighing(units=30.0, effective=14.1), "pairs"), weight_counts(None, "pairs")
    ({'effective pairs': 14}, {})
    """
    return {} if found is None else {f"{EFFECTIVE} {what}": round(found.effective)}


EFFECTIVE = "effective"


def effective_text(found: Weighing | None) -> str:
    """Return what a sentence says of weights after a number of units; nothing without any.

    Examples
    --------
    >>> effective_text(Weighing(units=30.0, effective=14.1)), effective_text(None)
    ('effective number 14.1', '')
    """
    return "" if found is None else f"effective number {number(found.effective, 1)}"


def weight_cautions(found: Weighing | None, what: str, design: Weighted) -> tuple[Caution, ...]:
    """Caution SS207, where weights are uneven.

    Nominal 95% t intervals of normal values with lognormal weights held .95 (sigma .5, design effect 1.3) and .93
    (sigma 1, 2.1) of 30 units. Where values went with the weights (r = .5) they held .94 and .89; of 200 units .95 and
    .92.
    """
    if found is None or found.design_effect <= UNEVEN:
        return ()
    said = (
        f"{counted(found.units, what)} with weights in '{design.columns.get('weight', 'weight')}' count as "
        f"{number(found.effective, 1)} equal ones (Kish; design effect {number(found.design_effect, 1)})"
    )
    affects = "standard errors, and intervals: nominal 95% ones of such weights held in .89 to .94 of simulations"
    return (caution("SS207", said, affects=affects, fix="see whether the conclusion holds with trimmed weights"),)


def refuse_resamples(found: Weighing | None, asked: str, design: Weighted) -> None:
    """Refuse an interval from resamples of units with weights.

    Raises
    ------
    InputError
    """
    if found is not None:
        raise InputError(
            f"{design.source}: {asked} resamples units as if they were alike, and these have sampling weights. Leave "
            "it out: the interval is then of the linearised standard error"
        )
