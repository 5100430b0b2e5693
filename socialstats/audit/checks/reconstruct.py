"""SPRITE: the samples of whole numbers that a printed mean and standard deviation leave possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.audit.checks.whole_numbers import grim, grimmer, multiples, square_ends
from socialstats.audit.checks.whole_samples import (
    Ends,
    SearchLimit,
    all_samples,
    mean_and_skew,
    range_of,
    some_samples,
)
from socialstats.audit.numbers import Finding, Printed, Rounding, builtin, printed, whole
from socialstats.errors import InputError
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST, STEPS, TRIES = (
    20_000,
    300_000,
    40,
)  # samples and branches of a complete search; walks without a new sample
PROGRAMS, WIDEST, LARGEST = (
    2_000,
    200,
    100_000,
)  # sums k times steps of the integer programs; steps; people


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconstruction:
    """What a printed mean and standard deviation leave possible.

    Attributes
    ----------
    finding : Finding
        Of GRIMMER; where it is a disagreement no sample exists.
    values : tuple of Fraction
        What one person's score may be.
    samples : tuple of tuple of int
        How often each value occurs, one tuple a sample.
    complete : bool
        True when these are all samples; else they are some, found by random walks.
    lowest, highest, skew : (float, float) or None
        Range of the share at the lowest value, of that at the highest, and of the skew: over all samples where
        `complete`, else over those found. None where no sample was found; the skew of equal scores does not exist.
    exact_lowest, exact_highest : (float, float) or None
        Over all samples: by complete search or by integer programs. None where they were not solved.
    """

    finding: Finding
    values: tuple[Fraction, ...]
    samples: tuple[tuple[int, ...], ...] = ()
    complete: bool = True
    lowest: tuple[float, float] | None = None
    highest: tuple[float, float] | None = None
    skew: tuple[float, float] | None = None
    exact_lowest: tuple[float, float] | None = None
    exact_highest: tuple[float, float] | None = None

    @property
    def message(self) -> str:
        """What follows, in a few sentences."""
        if not self.samples:
            no_walk = (
                f"{self.finding.message}; no sample was found: that is no proof that there is none"
            )
            return self.finding.message if self.complete else no_walk
        many = count(len(self.samples), "sample")
        every = f"all {many}" if len(self.samples) > 1 else "exactly one sample"
        said = [
            f"{every} with this mean and standard deviation {'were' if len(self.samples) > 1 else 'was'} found"
            if self.complete
            else f"{many} with this mean and standard deviation were found; there may be more"
        ]
        over = "over all samples" if self.complete else "over the samples found"
        named = (
            ("lowest", self.lowest, self.exact_lowest),
            ("highest", self.highest, self.exact_highest),
        )
        for end, found, exact in named:
            at = f"the share at {end} value, {number(float(self.values[0 if end == 'lowest' else -1]), 2)}"
            where = "over all samples" if exact else over
            said.append(f"{at.replace('at ', 'at the ', 1)}, is {_between(exact or found)} {where}")
        said.append(
            f"the skew is {_between(self.skew)} {over}" if self.skew else "the skew is undefined"
        )
        return ". ".join(sentence[0].upper() + sentence[1:] for sentence in said) + "."

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        values = [float(value) for value in self.values]
        finding = self.finding.to_dict()
        return builtin(self) | {"message": self.message, "values": values, "finding": finding}

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the samples: of each value the smallest and largest share, and some samples."""
        from socialstats.figures import reconstructed

        return reconstructed(
            [float(value) for value in self.values], self.samples, ax=ax, **options
        )


def _between(ends: tuple[float, float] | None) -> str:
    low, high = (number(end, 2) for end in ends or (math.nan, math.nan))
    return low if low == high else f"between {low} and {high}"


def sprite(
    mean: Any,
    sd: Any,
    n: Any,
    *,
    low: Any,
    high: Any,
    items: Any = 1,
    ddof: int = 1,
    samples: int = 100,
    seed: int = 0,
    rounding: Rounding = "half",
) -> Reconstruction:
    """Find samples of n whole numbers with a printed mean and standard deviation (SPRITE).

    All of them where a complete search is small; else different ones from random walks with a seed. The shares at the
    ends of the scale are bounded over all samples by integer programs. Impossibility is proved by `grimmer` or by
    complete search, never by a walk that finds nothing.

    Parameters
    ----------
    mean, sd : printed numbers
    n : whole number
    low, high : whole numbers
        Ends of the scale of one item.
    items : whole number
        Whole-number items averaged for each person.
    ddof : {0, 1}
        Divisor n - ddof of the variance.
    samples : int
        Different samples that are looked for where not all are found.
    seed : int
    rounding : {"half", "truncate", "floor", "ceil", "any"}

    Returns
    -------
    Reconstruction

    Raises
    ------
    InputError
        For text that is no number, a scale without width or wider than 200 steps, n below 2.

    References
    ----------
    Heathers, J. A., Anaya, J., van der Zee, T., & Brown, N. J. L. (2018). Recovering data from summary statistics:
    Sample Parameter Reconstruction via Iterative TEchniques (SPRITE). PeerJ Preprints, 6, e26968v1.

    Examples
    --------
    >>> found = sprite("3.00", "1.58", 5, low=1, high=5)
    >>> found.complete, found.samples, found.exact_highest
    (True, ((1, 1, 1, 1, 1),), (0.2, 0.2))
    """
    middle, spread = printed(mean, rounding=rounding), printed(sd, rounding=rounding)
    people, per = whole(n, "n", least=2), whole(items, "items")
    ends = tuple(
        whole(end, name, least=-(10**9)) * per for end, name in ((low, "low"), (high, "high"))
    )
    if ddof not in (0, 1) or samples < 1:
        raise InputError(f"ddof={ddof!r} must be 0 or 1, samples={samples!r} at least 1")
    if not 0 < ends[1] - ends[0] <= WIDEST or people > LARGEST:
        raise InputError(
            f"low={low}, high={high}, n={people}: at most {WIDEST} steps and {LARGEST:,} people"
        )
    finding = grimmer(middle, spread, people, low=low, high=high, items=per, ddof=1 if ddof else 0)
    values = tuple(Fraction(y, per) for y in range(ends[0], ends[1] + 1))
    squares = _squares(middle, spread, people, per, ddof, (ends[0], ends[1]))
    if finding.verdict == "disagree" or not squares:
        return Reconstruction(finding=finding, values=values)
    return _found(
        Reconstruction(finding=finding, values=values),
        people,
        (ends[0], ends[1]),
        squares,
        samples,
        seed,
    )


def _squares(
    mean: Printed, sd: Printed, n: int, items: int, ddof: int, scale: Ends
) -> dict[int, Ends]:
    """Return the sums k that the mean allows, each with the least and the largest sum of squares of the sd."""
    low, high = (max(end, Fraction(0)) * items for end in sd.bounds)
    squares = {}
    for k in multiples(*mean.bounds, Fraction(1, n * items)):
        least, most = square_ends(k, (low, high), n, ddof)
        if n * scale[0] <= k <= n * scale[1] and least <= most:
            squares[k] = least, most
    return squares


def _found(
    base: Reconstruction, n: int, scale: Ends, squares: dict[int, Ends], wanted: int, seed: int
) -> Reconstruction:
    try:
        samples = all_samples(n, *scale, squares, most=max(MOST, wanted), steps=STEPS)
        complete = True
    except SearchLimit:
        samples = some_samples(n, *scale, squares, wanted=wanted, seed=seed, tries=TRIES)
        complete = False
    if complete and not samples:
        message = (
            f"sources disagree: {base.finding.message.removesuffix(' is possible')} is "
            f"printed, but no sample has it"
        )
        gone = replace(base.finding, verdict="disagree", severity="major", message=message)
        return replace(base, finding=gone)
    skews = [
        skew for sample in samples if not math.isnan(skew := mean_and_skew(sample, scale[0])[1])
    ]
    ends = [
        (min(s[end] for s in samples) / n, max(s[end] for s in samples) / n) if samples else None
        for end in (0, -1)
    ]
    exact: list[tuple[float, float] | None] = ends if complete else [None, None]
    if not complete and len(squares) * (scale[1] - scale[0]) <= PROGRAMS:
        pick = np.eye(scale[1] - scale[0] + 1)
        for place, end in enumerate((0, -1)):
            least, most = range_of(n, *scale, squares, pick[end])
            exact[place] = (least / n, most / n)
    return replace(
        base,
        samples=tuple(samples),
        complete=complete,
        lowest=ends[0],
        highest=ends[1],
        skew=(min(skews), max(skews)) if skews else None,
        exact_lowest=exact[0],
        exact_highest=exact[1],
    )


def grim_map(
    n: Sequence[int],
    *,
    decimals: int = 2,
    items: int = 1,
    values: Sequence[tuple[Any, int]] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw which means of n whole numbers are possible (GRIM), the paper's own values marked.

    Parameters
    ----------
    n : sequence of int
        From the first to the last of it.
    decimals : int
        Of the printed means: 1 or 2.
    items : int
    values : sequence of (printed mean, n)
    ax : Axes, optional

    Returns
    -------
    Axes
        Across: the decimals of the mean; up: n. ``ax.figure``'s description is in ``ax.get_label()``.

    Examples
    --------
    >>> grim_map(range(5, 41), values=[("5.19", 40)]).get_label().partition(":")[0]
    'Possible means of 5 to 40 whole numbers, by the 2 decimals of the mean'
    """
    from socialstats.figures import possible

    sizes, steps = range(min(n), max(n) + 1), 10**decimals
    if decimals not in (1, 2) or len(sizes) > 200 or min(n) < 1:
        raise InputError(
            f"decimals={decimals} must be 1 or 2, and n at most 200 sizes of at least 1"
        )
    ends = [(Fraction(2 * d - 1, 2 * steps), Fraction(2 * d + 1, 2 * steps)) for d in range(steps)]
    cells = [
        [len(multiples(*end, Fraction(1, size * items))) > 0 for end in ends] for size in sizes
    ]
    marks = [
        (
            float(printed(mean).value % 1),
            size,
            str(mean),
            grim(mean, size, items=items).verdict != "disagree",
        )
        for mean, size in values
    ]
    title = f"Possible means of {sizes[0]} to {sizes[-1]} whole numbers, by the {decimals} decimals of the mean"
    return possible(
        cells,
        (0.0, 1 / steps),
        (float(sizes[0]), 1.0),
        marks=marks,
        title=title,
        xlabel="Decimals of the mean",
        ylabel="n",
        ax=ax,
    )


def grimmer_map(
    mean: Any,
    sd: Any,
    n: int,
    *,
    low: int | None = None,
    high: int | None = None,
    items: int = 1,
    around: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Draw which pairs of mean and standard deviation near a printed one n whole numbers can have (GRIMMER).

    Parameters
    ----------
    mean, sd : printed numbers
    n, low, high, items : as in `grimmer`
    around : int
        Units of the last digit to each side, at most 50.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> grimmer_map("3.44", "2.47", 18, around=2).get_label().partition(":")[0]
    'Possible pairs of mean and standard deviation of 18 whole numbers'
    """
    from socialstats.figures import possible

    middle, spread = printed(mean), printed(sd)
    if not middle.unit or not spread.unit or not 0 < around <= 50:
        raise InputError(
            "a map needs a printed mean and SD with a last digit, and around from 1 to 50"
        )
    near = range(-around, around + 1)
    ups = [k for k in near if spread.value + k * spread.unit >= 0]
    cells = [
        [
            grimmer(
                middle.shifted(i), spread.shifted(k), n, low=low, high=high, items=items
            ).verdict
            != "disagree"
            for i in near
        ]
        for k in ups
    ]
    first = float(middle.shifted(-around).value), float(spread.shifted(ups[0]).value)
    marks = [
        (
            float(middle.value),
            float(spread.value),
            f"{middle.text} ({spread.text})",
            cells[ups.index(0)][around],
        )
    ]
    return possible(
        cells,
        (first[0], float(middle.unit)),
        (first[1], float(spread.unit)),
        marks=marks,
        title=f"Possible pairs of mean and standard deviation of {n} whole numbers",
        xlabel="Mean",
        ylabel="Standard deviation",
        ax=ax,
    )
