"""Numbers that cannot be, whatever the rows: each rule returns a sentence, or nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

import numpy as np

from socialstats.audit.checks.whole_numbers import grim
from socialstats.audit.claims.bench import Bench, may_be_printed, target_of
from socialstats.audit.claims.samples import Reading, Sample
from socialstats.audit.numbers import Printed
from socialstats.errors import InputError
from socialstats.harness_logs.log import Claim
from socialstats.text import count, quoted, with_article

MEANS = ("mean", "share", "median")
Rule = Callable[[Bench, Claim, Printed, Sample | None], str]


def number_of(claim: Claim) -> float | None:
    """Return a claim's number; None where it prints none."""
    target = target_of(claim.printed, full=False)
    return None if target is None else float(target.value)


def printed_mean(bench: Bench, claim: Claim) -> float | None:
    """Return the mean that the log prints about the same rows."""
    return next(
        (number_of(c) for c in bench.siblings(claim) if c.quantity in ("mean", "share")), None
    )


def zero_error(bench: Bench, claim: Claim, target: Printed, sample: Sample | None) -> str:
    """An s.e. of 0 where scores differ, or where a mean of 0/1 scores lies strictly between 0 and 1."""
    if claim.quantity != "std_error" or target.value != 0:
        return ""
    if sample is not None:
        if sample.n < 2 or float(np.ptp(sample.value)) == 0:
            return ""
        spread = float(sample.value.std(ddof=1))
        least = spread / math.sqrt(sample.n)
        if target.unit and target.reach[1] >= least:
            return ""
        return f"a standard error of 0, but the {sample.n:,} scores differ (s.d. {spread:.4g}): it is {least:.6g}"
    mean = printed_mean(bench, claim)
    if mean is None or not 0 < mean < 1:
        return ""
    n = claim.n
    said = f"a standard error of 0 beside a mean of {mean:.6g}: scores between 0 and 1 with that mean differ"
    if n is None or n < 2:
        return said
    return f"{said}; if they are 0 or 1, it is √(p(1 − p)/(n − 1)) = {math.sqrt(mean * (1 - mean) / (n - 1)):.6g}"


def as_if_binary(bench: Bench, claim: Claim, target: Printed) -> str:
    """Without rows: whether a standard error is that of scores of 0 and 1 with the printed mean and n."""
    mean, n = printed_mean(bench, claim), claim.n
    if (
        claim.quantity != "std_error"
        or claim.parts
        or mean is None
        or n is None
        or n < 2
        or not 0 <= mean <= 1
    ):
        return ""
    expected = math.sqrt(mean * (1 - mean) / (n - 1))
    known = f"scores of 0 or 1 with the printed mean and n have {expected:.6g}"
    return f"{known}, as printed" if may_be_printed(target, expected) else known


def outside_interval(bench: Bench, claim: Claim, target: Printed, sample: Sample | None) -> str:
    """The end of an interval on the wrong side of the mean, or of the other end."""
    if claim.quantity not in ("conf_low", "conf_high"):
        return ""
    low = claim.quantity == "conf_low"
    mean = printed_mean(bench, claim)
    if mean is not None and (target.reach[0] > mean if low else target.reach[1] < mean):
        end, side = ("lower", "above") if low else ("upper", "below")
        return f"the interval's {end} end lies {side} the mean {mean:.6g}"
    return ""


def negative(bench: Bench, claim: Claim, target: Printed, sample: Sample | None) -> str:
    """A standard error, deviation, variance or count below 0."""
    if claim.quantity in ("std_error", "std_dev", "variance", "count") and target.reach[1] < 0:
        return f"{with_article(QUANTITY_WORDS[claim.quantity])} cannot be negative"
    return ""


def outside_range(bench: Bench, claim: Claim, target: Printed, sample: Sample | None) -> str:
    """A mean or median beyond all scores."""
    if claim.quantity not in MEANS or sample is None or not sample.n:
        return ""
    scores = (
        bench.sample(claim.select, Reading(repeats="pooled")).value
        if not claim.parts
        else sample.value
    )
    low, high = float(scores.min()), float(scores.max())
    if target.meets(Fraction(low), Fraction(high)):
        return ""
    only = len(scores) == 1
    return (
        f"the only score is {low:.6g}"
        if only
        else f"all {len(scores):,} scores lie between {low:.6g} and {high:.6g}"
    )


def not_whole(bench: Bench, claim: Claim, target: Printed, sample: Sample | None) -> str:
    """A mean of 0/1 scores that no whole number of ones gives, for the n of the log, its units or its rows (GRIM)."""
    if claim.quantity not in ("mean", "share") or claim.parts or sample is None:
        return ""
    if not np.isin(bench.sample(claim.select, Reading(repeats="pooled")).value, (0.0, 1.0)).all():
        return ""
    sizes = sorted({n for n in (claim.n, sample.ok_rows, sample.rows) if n})
    if any(has_count(target, n) for n in sizes):
        return ""
    return f"no whole number of ones among {' or '.join(f'{n:,}' for n in sizes)} scores of 0 or 1 gives this mean"


def has_count(target: Printed, n: int) -> bool:
    """Return whether k/n is printed so for a whole k (Brown & Heathers 2017).

    Examples
    --------
    >>> from socialstats.audit.numbers import printed
    >>> has_count(printed("0.81"), 16), has_count(printed("0.80"), 16)
    (True, False)
    """
    if target.unit:
        return bool(grim(target, n))
    return may_be_printed(target, round(float(target.value) * n) / n)


def not_printed(claim: Claim) -> str:
    """A number that the log declares and does not print."""
    if claim.printed.strip():
        return ""
    said = [
        f"{name} {quoted([str(value)])}"
        for name, value in claim.settings.items()
        if name in ("cluster", "method")
    ]
    apart = f" ({', '.join(said)})" if said else ""
    return f"the log declares it{apart}, but holds no such number"


def scores_with_parts(bench: Bench, claim: Claim) -> str:
    """Scores that are mappings or lists, which the harness counted as 0."""
    name = claim.select.get("scorer")
    if name is None or "scorer" not in bench.table.columns:
        return ""
    codes, labels = bench.table.column("scorer")
    held = [i for i, label in enumerate(labels) if label.startswith(f"{name}/")]
    if name in labels or not held:
        return ""
    parts = []
    for i in held[:4]:
        values = bench.table.value[(codes == i) & ~np.isnan(bench.table.value)]
        if len(values):
            parts.append(f"{labels[i].removeprefix(f'{name}/')} has mean {values.mean():.6g}")
    return (
        f"each score of '{name}' holds {count(len(held), 'number')} by name, which a plain metric counts as 0 each; "
        f"by the rows, {', '.join(parts) or 'none has a value'}. Metrics for each name give their numbers"
    )


QUANTITY_WORDS = {
    "mean": "mean",
    "std_error": "standard error",
    "std_dev": "standard deviation",
    "variance": "variance",
    "conf_low": "lower end of the interval",
    "conf_high": "upper end of the interval",
    "median": "median",
    "sum": "sum",
    "count": "count",
    "share": "share",
    "other": "number",
}
DECISIVE = (zero_error, outside_interval, negative)
"""Looked at before other definitions are tried: no definition makes them right."""
LATE = (outside_range, not_whole)
"""Looked at when no definition gave the number."""


def first_of(
    rules: tuple[Rule, ...], bench: Bench, claim: Claim, target: Printed, sample: Sample | None
) -> str:
    """Return the sentence of the first rule that speaks."""
    for rule in rules:
        with suppress(InputError):
            if said := rule(bench, claim, target, sample):
                return said
    return ""
