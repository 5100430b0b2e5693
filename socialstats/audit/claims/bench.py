"""A log made ready: what prints can stand for, and the value of any definition."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.audit.claims.definitions import NumberDefinition, harness_name
from socialstats.audit.claims.formulas import (
    ERRORS,
    OURS,
    Parts,
    mean_by_size,
    mean_equal,
    parts_of,
)
from socialstats.audit.claims.samples import Reading, RowTable, Sample, take
from socialstats.audit.numbers import Printed, printed
from socialstats.errors import InputError
from socialstats.harness_logs.log import Claim, Log
from socialstats.inference.intervals import critical_value
from socialstats.text import quoted

FULL = 1e-12
"""Relative difference of two ways to sum the same numbers: 16 digits less what n additions lose."""
DUST = 1e-14
"""What rounding leaves of a difference of numbers of size 1, where the result is 0."""


def target_of(text: str, *, full: bool) -> Printed | None:
    """Read a printed number; None where the text is no number.

    Parameters
    ----------
    text : str
        Digits as printed; a percent sign divides by 100.
    full : bool
        The text has all digits of a float: it stands for the number itself, not for all that round to it.

    Examples
    --------
    >>> target = target_of("0.812", full=False)
    >>> may_be_printed(target, 0.81249), may_be_printed(target, 0.8126)
    (True, False)
    >>> float(target_of("81.2%", full=False).high)
    0.8125
    >>> target_of("N/A", full=False) is None
    True
    """
    try:
        number = printed(text).share()
    except InputError:
        return None
    if not full or number.relation != "=":
        return number
    return replace(number, unit=Fraction(0), low=number.value, high=number.value)


def may_be_printed(
    target: Printed, number: float | None, *, size: float = 1.0, noise: float = 0.0
) -> bool:
    """Return whether a number can have been printed like this, whatever way ties were rounded.

    Parameters
    ----------
    target : Printed
    number : float or None
    size : float
        Largest size of the values that the number comes from: scale of rounding errors.
    noise : float
        Monte-Carlo error to allow for.
    """
    if number is None or not math.isfinite(number):
        return False
    slack = max(FULL * max(abs(number), abs(float(target.value))), DUST * size) + noise
    low, high = map(float, target.reach)
    return low - slack <= number <= high + slack


def digits_in(printed: str) -> int:
    """Return the significant digits of a printed number, 0 for other text.

    Examples
    --------
    >>> digits_in("0.11063265039459795"), digits_in("0.050"), digits_in("N/A")
    (17, 2, 0)
    """
    mantissa = printed.strip().lower().partition("e")[0]
    return len("".join(ch for ch in mantissa if ch.isdigit()).lstrip("0")) or int("0" in mantissa)


RESAMPLES = 1000
"""Of a bootstrap whose log does not say: the default of Inspect and of openai/evals."""
SURE = 4.0
"""Monte-Carlo errors that a drawn number may be away: 1 in 16,000 right numbers is further."""
Key = tuple[tuple[tuple[str, str], ...], Reading]


def key_of(select: Mapping[str, str], reading: Reading) -> Key:
    """Return what names a sample."""
    return tuple(sorted((str(k), str(v)) for k, v in select.items())), reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bench:
    """A log and everything computed from it so far.

    Attributes
    ----------
    log : Log
    table : RowTable
    claims : tuple of Claim
        All claims about this log, its own and others.
    columns : tuple of str
        Columns that formulas may group by.
    weight_column : str
        A column that may hold weights, where claims name none; empty without one.
    """

    log: Log
    table: RowTable
    claims: tuple[Claim, ...]
    columns: tuple[str, ...] = ()
    weight_column: str = ""
    samples: dict[Key, Sample] = field(default_factory=dict)
    weighed: dict[tuple[str, Key], FloatArray | InputError] = field(default_factory=dict)

    def sample(self, select: Mapping[str, str], reading: Reading) -> Sample:
        """Return the sample of a selection; `InputError` where there is none."""
        key = key_of(select, reading)
        if key not in self.samples:
            self.samples[key] = take(self.table, select, reading, self.columns)
        return self.samples[key]

    def sample_for(self, claim: Claim, reading: Reading) -> Sample:
        """Return the sample of a claim, with the level, resamples and weights that its settings name."""
        sample = self.sample(claim.select, reading)
        settings = {key: str(value) for key, value in claim.settings.items() if value is not None}
        if "weights" in settings:
            sample = replace(sample, weight=self.known_weights(claim, settings["weights"], reading))
        elif self.weight_column:
            with suppress(InputError):  # nobody said that it weighs these rows
                sample = replace(
                    sample, weight=self.known_weights(claim, self.weight_column, reading)
                )
        resamples = int(str(claim.settings.get("resamples") or RESAMPLES))
        return replace(
            sample, level=float(settings.get("conf_level", sample.level)), resamples=resamples
        )

    def known_weights(self, claim: Claim, column: str, reading: Reading) -> FloatArray:
        """Return `weights`, computed or refused once."""
        key = column, key_of(claim.select, reading)
        if key not in self.weighed:
            try:
                self.weighed[key] = self.weights(claim, column, reading)
            except InputError as error:
                self.weighed[key] = error
        weights = self.weighed[key]
        if isinstance(weights, InputError):
            raise weights
        return weights

    def weights(self, claim: Claim, column: str, reading: Reading) -> FloatArray:
        """Return the mean weight of each unit of a claim's sample."""
        import pandas as pd

        if column not in self.table.columns:
            columns = quoted(self.table.columns, 12)
            raise InputError(f"no column {quoted([column])} with the weights; columns: {columns}")
        numbers = pd.to_numeric(self.table.frame[column], errors="coerce").to_numpy(
            np.float64, na_value=np.nan
        )
        weighed = RowTable(
            frame=self.table.frame,
            value=np.where(np.isnan(self.table.value), np.nan, numbers),
            status=self.table.status,
            cached=self.table.cached,
        )
        weights = take(weighed, claim.select, reading).value
        if len(weights) != self.sample(claim.select, reading).n:
            raise InputError(f"column {quoted([column])} lacks weights for some rows")
        return weights

    def value(self, claim: Claim, definition: NumberDefinition) -> float:
        """Return what a definition gives for a claim; NaN where it does not exist."""
        sample = self.sample_for(claim, definition.reading)
        if definition.column and definition.column not in sample.columns:
            return math.nan
        return definition.scale * definition.entry.compute(sample, definition.column)

    def noise(self, claim: Claim, definition: NumberDefinition, value: float) -> float:
        """Return how far a harness' random draws may move its number: 0 for formulas without any."""
        if not definition.entry.random:
            return 0.0
        sample = self.sample_for(claim, definition.reading)
        if not definition.formula.startswith("percentile"):
            return SURE * abs(value) / math.sqrt(2 * sample.resamples)
        plain = ERRORS["clustered" if definition.column else "plain"].compute(
            sample, definition.column
        )
        error = definition.scale * plain
        z = critical_value(sample.level)
        tail = (1 - sample.level) / 2
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        drawn = math.sqrt(tail * (1 - tail) * (1 / sample.resamples + 1 / OURS)) / density
        return SURE * error * drawn + definition.scale * float(np.ptp(sample.value)) / sample.n

    def cancellation(self, claim: Claim, definition: NumberDefinition, value: float) -> float:
        """Return what rounding may have added to a spread that a harness computed as mean of squares less squared mean.

        HELM does so for the spread between trials: where trials agree, 1e-17 is left of a variance of 0, and 3e-9 of a
        standard deviation.
        """
        if not definition.formula.startswith("between"):
            return 0.0
        dust = DUST * self.size(claim, definition.reading) ** 2
        return dust if definition.quantity == "variance" else math.sqrt(value**2 + dust) - value

    def size(self, claim: Claim, reading: Reading) -> float:
        """Return the largest size of the values behind a claim."""
        return float(np.abs(self.sample(claim.select, reading).value).max())

    def repeats(self, claim: Claim) -> int:
        """Return the most repeats of any unit."""
        chosen = self.table.where(claim.select)
        return int(np.unique(self.table.units()[chosen], return_counts=True)[1].max())

    def parts(self, claim: Claim, reading: Reading) -> Parts:
        """Return the parts of a claim about a group: from rows, or where there are none from printed numbers."""
        try:
            return parts_of(
                [self.sample({**claim.select, **part}, reading) for part in claim.parts]
            )
        except InputError:
            if any(self.has_rows({**claim.select, **part}) for part in claim.parts):
                raise
            return self.printed_parts(claim)

    def has_rows(self, select: Mapping[str, str]) -> bool:
        """Return whether any row is selected."""
        try:
            return bool(self.table.where(select).any())
        except InputError:
            return False

    def printed_parts(self, claim: Claim) -> Parts:
        """Return the means, standard errors and sizes that the log prints about the parts of a claim."""
        rows = []
        for part in claim.parts:
            select = {**claim.select, **part}
            about = [c for c in self.claims if dict(c.select) == select and not c.parts]
            if not any(c.quantity == "mean" for c in about):
                raise InputError("there are neither rows nor a printed mean of each part")
            n = next((float(c.n) for c in about if c.n), math.nan)
            numbers = [self.printed_number(about, name) for name in ("mean", "std_error")]
            rows.append((*numbers, n))
        mean, error, size = np.array(rows).T
        return Parts(mean=mean, error=error, n=size, value=np.empty(0))

    @staticmethod
    def printed_number(claims: Sequence[Claim], quantity: str) -> float:
        """Return the first printed number of a quantity; NaN where there is none."""
        targets = [target_of(c.printed, full=False) for c in claims if c.quantity == quantity]
        return next((float(t.value) for t in targets if t is not None), math.nan)

    def siblings(self, claim: Claim) -> list[Claim]:
        """Return the other claims about the same rows or parts."""
        return [
            c
            for c in self.claims
            if c is not claim and c.select == claim.select and c.parts == claim.parts
        ]


SHORT = 8  # characters: a longer printed mean is not a rounded one


def weighs_by_size(bench: Bench, claim: Claim, parts: Parts) -> bool:
    """Return whether the parts of a group are weighted by size; where the log does not say, its printed mean does.

    Where that fits both, or neither, the harness' default counts: lm-eval weights by size.
    """
    default = harness_name(bench.log.harness) == "lm-eval"
    if "by_size" in claim.settings:
        return bool(claim.settings["by_size"])
    means = [c for c in bench.siblings(claim) if c.quantity == "mean"]
    for other in [claim] if claim.quantity in ("mean", "share") else means:
        target = target_of(other.printed, full=len(other.printed) > SHORT)
        fits = [
            target is not None and may_be_printed(target, f(parts))
            for f in (mean_by_size, mean_equal)
        ]
        if any(fits):
            return default if all(fits) else fits[0]
    return default
