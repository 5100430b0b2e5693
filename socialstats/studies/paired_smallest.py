"""The smallest effect that matters, checked before anything is computed; and the decimals of a difference."""

from __future__ import annotations

from socialstats.designs.paired import Paired
from socialstats.errors import InputError
from socialstats.results import Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import error_of
from socialstats.text import digits_of, listing, shorten


def check_smallest(design: Paired, options: StudyOptions) -> None:
    """Refuse a smallest effect that the values cannot have.

    Raises
    ------
    InputError
        For a difference of shares of 1 or more, standard deviations of shares or of clustered pairs.
    """
    smallest = options.smallest_effect
    if smallest is None:
        return
    given = f"smallest_effect={smallest:g}"
    shares = design.scale != "numeric"
    if shares and options.effect_scale == "d_z":
        raise InputError("effect_scale='d_z' is for numbers; the smallest difference of two shares is raw, as 0.05")
    if shares and smallest >= 1:
        meant = f"; did you mean {smallest / 100:g}?" if smallest < 100 else ""
        raise InputError(f"{given} cannot be: differences of shares lie within -1 and 1{meant}")
    if options.effect_scale == "d_z" and design.clusters:
        names = listing([f"'{shorten(factor.name, 40)}'" for factor in design.clusters])
        raise InputError(
            f"effect_scale='d_z' needs independent pairs, and they are clustered by {names}: say the smallest effect "
            "in the unit of the values (effect_scale='raw'), or leave cluster= out if the pairs are independent"
        )


def decimals(design: Paired, lead: Row) -> int:
    """Return the decimals of the leading estimate: at least 3 for shares, 2 for numbers."""
    return digits_of(error_of(lead), 2 if design.scale == "numeric" else 3)
