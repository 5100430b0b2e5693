"""A log made ready: what prints can stand for, the value of any definition, and our own estimate of a mean."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.audit.numbers import printed as read
from socialstats.claims.definitions import NumberDefinition, harness_name
from socialstats.claims.formulas import ERRORS, OURS, Parts, mean_by_size, mean_equal, parts_of
from socialstats.claims.samples import COUNTING, Reading, RowTable, Sample, name_and_k, take
from socialstats.claims.types import KEYS, Claim, Log
from socialstats.designs.suspects import FEWEST
from socialstats.designs.vocabulary import CLUSTER_NAME
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import critical_value
from socialstats.inference.means import MeanErrors, mean_errors
from socialstats.inference.proportions import effective_share_interval
from socialstats.rounding import no_variation_reason
from socialstats.text import quoted

FULL = 1e-12
"""Relative difference of two ways to sum the same numbers: 16 digits less what n additions lose."""
DUST = 1e-14
"""What rounding leaves of a difference of numbers of size 1, where the result is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The numbers that a printed text can stand for.

    Attributes
    ----------
    value : float
    low, high : float
        Half a unit of the last printed digit around `value` (`value` itself when `full`); both ends count, whatever
        way ties were rounded.
    full : bool
        The text has all digits of a float: only the number itself matches, up to 1e-12 relative.
    """

    value: float
    low: float
    high: float
    full: bool

    def holds(self, number: float | None, *, size: float = 1.0, noise: float = 0.0) -> bool:
        """Return whether a number can have been printed like this.

        Parameters
        ----------
        number : float or None
        size : float
            Largest size of the values that the number comes from: scale of rounding errors.
        noise : float
            Monte-Carlo error to allow for.
        """
        if number is None or not math.isfinite(number):
            return False
        slack = max(FULL * max(abs(number), abs(self.value)), DUST * size) + noise
        if self.full:
            return abs(number - self.value) <= slack
        return self.low - slack <= number <= self.high + slack


def target_of(printed: str, *, full: bool) -> Target | None:
    """Read a printed number; None where the text is no number.

    Parameters
    ----------
    printed : str
        Digits as printed; a percent sign divides by 100.
    full : bool
        See `Target`.

    Examples
    --------
    >>> target = target_of("0.812", full=False)
    >>> target.holds(0.81249), target.holds(0.8126)
    (True, False)
    >>> target_of("81.2%", full=False).high
    0.8125
    >>> target_of("N/A", full=False) is None
    True
    """
    try:
        number = read(printed).share()
    except InputError:
        return None
    low = -math.inf if number.low is None else float(number.low)
    high = math.inf if number.high is None else float(number.high)
    if full and number.relation == "=":
        return Target(
            value=float(number.value), low=float(number.value), high=float(number.value), full=True
        )
    return Target(value=float(number.value), low=low, high=high, full=False)


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
        said = {key: str(value) for key, value in claim.settings.items() if value is not None}
        if "weights" in said:
            sample = replace(sample, weight=self.known_weights(claim, said["weights"], reading))
        elif self.weight_column:
            with suppress(InputError):  # nobody said that it weighs these rows
                sample = replace(
                    sample, weight=self.known_weights(claim, self.weight_column, reading)
                )
        resamples = int(str(claim.settings.get("resamples") or RESAMPLES))
        return replace(
            sample, level=float(said.get("conf_level", sample.level)), resamples=resamples
        )

    def known_weights(self, claim: Claim, column: str, reading: Reading) -> FloatArray:
        """Return `weights`, computed or refused once."""
        key = column, key_of(claim.select, reading)
        if key not in self.weighed:
            try:
                self.weighed[key] = self.weights(claim, column, reading)
            except InputError as error:
                self.weighed[key] = error
        found = self.weighed[key]
        if isinstance(found, InputError):
            raise found
        return found

    def weights(self, claim: Claim, column: str, reading: Reading) -> FloatArray:
        """Return the mean weight of each unit of a claim's sample."""
        import pandas as pd

        if column not in self.table.columns:
            known = quoted(self.table.columns, 12)
            raise InputError(f"no column {quoted([column])} with the weights; columns: {known}")
        numbers = pd.to_numeric(self.table.frame[column], errors="coerce").to_numpy(
            np.float64, na_value=np.nan
        )
        weighed = RowTable(
            frame=self.table.frame,
            value=np.where(np.isnan(self.table.value), np.nan, numbers),
            status=self.table.status,
            known=self.table.known,
        )
        found = take(weighed, claim.select, reading).value
        if len(found) != self.sample(claim.select, reading).n:
            raise InputError(f"column {quoted([column])} lacks weights for some rows")
        return found

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
        found = []
        for part in claim.parts:
            select = {**claim.select, **part}
            about = [c for c in self.claims if dict(c.select) == select and not c.parts]
            if not any(c.quantity == "mean" for c in about):
                raise InputError("there are neither rows nor a printed mean of each part")
            n = next((float(c.n) for c in about if c.n), math.nan)
            found.append(
                (self.printed_number(about, "mean"), self.printed_number(about, "std_error"), n)
            )
        mean, error, size = np.array(found).T
        return Parts(mean=mean, error=error, n=size, value=np.empty(0))

    @staticmethod
    def printed_number(claims: Sequence[Claim], quantity: str) -> float:
        """Return the first printed number of a quantity; NaN where there is none."""
        targets = [target_of(c.printed, full=False) for c in claims if c.quantity == quantity]
        return next((t.value for t in targets if t is not None), math.nan)

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
        fits = [target is not None and target.holds(f(parts)) for f in (mean_by_size, mean_equal)]
        if any(fits):
            return default if all(fits) else fits[0]
    return default


LEVEL = 0.95
T_INTERVAL, WILSON = "t interval", "Wilson interval"
ALIKE = no_variation_reason("clusters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A mean with its t interval over units or clusters.

    Attributes
    ----------
    estimate, std_error, conf_low, conf_high : float or None
        CR2 standard error with Satterthwaite degrees of freedom where units are clustered.
    level : float
    method : str
        Wilson's interval with the effective number of trials for scores known to lie between 0 and 1. It keeps to that
        range and exists where all scores are equal. Otherwise, a t interval.
    n_units, n_clusters : int or None
    cluster : str
        Column; empty where units count as independent.
    independent : bool
        Whether units are known to count as independent where there are no clusters.
    undefined : str
        Why there is no standard error.
    """

    estimate: float | None = None
    std_error: float | None = None
    conf_low: float | None = None
    conf_high: float | None = None
    level: float = LEVEL
    n_units: int | None = None
    n_clusters: int | None = None
    cluster: str = ""
    method: str = ""
    independent: bool = True
    undefined: str = ""


def cluster_column(table: RowTable, claims: Sequence[Claim], given: str | None) -> str:
    """Choose the clusters: the caller's, those the log itself declares, or a column with the name of a cluster.

    Parameters
    ----------
    table : RowTable
    claims : sequence of Claim
    given : str or None
        ``"none"`` for independent units.

    Raises
    ------
    InputError
        If the rows have no such column.
    """
    if given == "none":
        return ""
    if given is not None:
        if given not in table.columns:
            raise InputError(
                f"no column {quoted([given])} to cluster by; columns: {quoted(table.columns, 12)}"
            )
        return given
    declared = [str(c.settings["cluster"]) for c in claims if c.settings.get("cluster")]
    for name in declared:
        if name in table.columns:
            return name
    units = len(np.unique(table.units())) if len(table) else 0
    for name in table.columns:
        if name in KEYS or not CLUSTER_NAME.search(name.replace(".", "_").replace("/", "_")):
            continue
        if FEWEST <= len(table.column(name)[1]) < units:
            return name
    return ""


def own_estimate(bench: Bench, claim: Claim, reading: Reading, cluster: str) -> Own | None:
    """Return our estimate of a claim's mean; None for claims about something else, or without rows.

    Parts are independent, each with its own clusters: V = sum w_k^2 s.e._k^2 with w_k = 1/K or n_k/N; degrees of
    freedom V^2 / sum (w_k^2 s.e._k^2)^2 / df_k (Satterthwaite 1946).
    """
    try:
        samples = [bench.sample({**claim.select, **part}, reading) for part in claim.parts or ({},)]
        by_size = bool(claim.parts) and weighs_by_size(bench, claim, bench.parts(claim, reading))
    except InputError:
        return None
    size = np.array([float(s.n) for s in samples])
    share = size / size.sum() if by_size else np.full(len(samples), 1 / len(samples))
    found = [clustered_mean(s.value, np.ones(s.n), codes_of(s, cluster)) for s in samples]
    clusters = sum(f.clusters[0] for f in found if f.clusters) or None
    mean = float(share @ np.array([f.mean for f in found]))
    base = Own(
        estimate=mean,
        n_units=int(sum(f.n for f in found)),
        n_clusters=clusters,
        cluster=cluster if clusters else "",
        undefined=next((f.undefined for f in found if f.undefined), ""),
    )
    if are_shares(bench, claim, reading) and 0 <= mean <= 1:  # a mean of other scores is no share
        return with_shares(base, samples, share, cluster)
    if not any(np.ptp(s.value) for s in samples):
        return replace(
            base, undefined=UNKNOWN.format(samples[0].value[0]) if len(samples) == 1 else ALIKE
        )
    if base.undefined:
        return base
    variance = share**2 * np.array([f.std_error**2 for f in found])
    joint = (
        variance.sum() ** 2 / np.sum(variance**2 / np.array([f.df for f in found]))
        if len(found) > 1
        else 0.0
    )
    df = float(joint) or found[0].df
    error = math.sqrt(float(variance.sum()))
    reach = critical_value(base.level, df) * error
    return replace(
        base, std_error=error, conf_low=mean - reach, conf_high=mean + reach, method=T_INTERVAL
    )


SCALED = re.compile(r"likert|rating|scale|max_?score|max_?value", re.IGNORECASE)
PROPORTION = re.compile(
    r"\b(acc(uracy)?|exact_match|em|correct|pass[@\d]*|share|win_rate)\b", re.IGNORECASE
)
UNKNOWN = "all scores are {:g}, and nothing in the log says that their scale ends at 0 and 1"


def are_shares(bench: Bench, claim: Claim, reading: Reading) -> bool:
    """Return whether scores are known to lie between 0 and 1; an unknown scale is none of shares.

    All values of the scorer in the log count, in whatever group. A group of a 1-7 scale may have only the value 1.
    Where all are 0, or all 1, the log must therefore have a metric called accuracy or similar, and no whole number
    above 1. A scorer called scale, rating, ..., or such a column of metadata with a number above 1, tells of more
    levels.
    """
    if claim.quantity == "share" or name_and_k(reading.repeats)[0] in COUNTING:
        return True
    table, scorer = bench.table, str(claim.select.get("scorer", ""))
    there = ~np.isnan(table.value)
    mine = there & table.where({"scorer": scorer}) if scorer else there
    values, others = np.unique(table.value[mine]), table.value[there]
    scales = [
        label for name in table.columns if SCALED.search(name) for label in table.column(name)[1]
    ]
    if (
        not len(values)
        or values[0] < 0
        or values[-1] > 1
        or SCALED.search(f"{scorer} {claim.name}".replace("_", " "))
    ):
        return False
    if any(float(found) > 1 for label in scales for found in re.findall(r"\d+(?:\.\d+)?", label)):
        return False
    names = " ".join(
        c.name for c in (claim, *bench.claims) if c.select.get("scorer", "") == scorer or c is claim
    )
    named = PROPORTION.search(names.replace("_", " ") + " " + names) and not np.any(
        (others > 1) & (others % 1 == 0)
    )
    return len(values) > 1 or 0 < values[0] < 1 or bool(named)


def codes_of(sample: Sample, cluster: str) -> list[IntArray]:
    """Clusters of the units of a sample; none where it does not have them."""
    return (
        [np.unique(sample.columns[cluster], return_inverse=True)[1]]
        if cluster in sample.columns
        else []
    )


def with_shares(base: Own, samples: Sequence[Sample], share: FloatArray, cluster: str) -> Own:
    """Fill in Wilson's interval for the effective number of trials; none where a part is a single cluster or unit."""
    parts = [mean_errors(*centred(s.value), codes_of(s, cluster), size=1.0) for s in samples]
    variance, df, effective, largest, rounding = (
        np.array([float(getattr(part, name)[0]) for part in parts])
        for name in ("variance", "df", "effective", "largest", "rounding")
    )
    if np.isnan(variance).any():
        return replace(base, undefined=base.undefined or "a part is a single cluster: no interval")
    own = share**2 * variance if variance.any() else share**2 / effective
    errors = MeanErrors.of_statistic(
        variance=float(share**2 @ variance),
        df=float(own.sum() ** 2 / np.sum(own**2 / df)),
        clusters=float(base.n_clusters or base.n_units or 0),
        effective=1 / float(np.sum(share**2 / effective)),
        largest=float((share * largest).max()),
        rounding=float(np.linalg.norm(share * rounding)),
    )
    mean, trials = (
        np.array([base.estimate or 0.0]),
        float(sum(max(s.ok_rows, s.n) for s in samples)),
    )
    low, high, _ = effective_share_interval(mean, errors, trials, level=base.level)
    error = None if np.isnan(errors.std_error[0]) else float(errors.std_error[0])
    return replace(
        base,
        std_error=error,
        conf_low=float(low[0]),
        conf_high=float(high[0]),
        method=WILSON,
        undefined="" if error is not None else base.undefined or ALIKE,
    )


def centred(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the scores and the shares of a mean, (n, 1) each."""
    mean = values[0] if np.all(values == values[0]) else values.mean()
    return ((values - mean) / len(values))[:, None], np.full((len(values), 1), 1 / len(values))
