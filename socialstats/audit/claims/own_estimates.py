"""Our own estimate of a mean beside the number that a log prints, with its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.audit.claims.bench import Bench, weighs_by_size
from socialstats.audit.claims.samples import COUNTING, Reading, RowTable, Sample, name_and_k
from socialstats.designs.suspects import FEWEST
from socialstats.designs.vocabulary import CLUSTER_NAME
from socialstats.errors import InputError
from socialstats.harness_logs.log import KEYS, Claim
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import critical_value
from socialstats.inference.means import MeanErrors, mean_errors
from socialstats.inference.proportions import effective_share_interval
from socialstats.rounding import no_variation_reason
from socialstats.text import quoted

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
    sizes = np.array([float(sample.n) for sample in samples])
    weights = sizes / sizes.sum() if by_size else np.full(len(samples), 1 / len(samples))
    means = [clustered_mean(s.value, np.ones(s.n), codes_of(s, cluster)) for s in samples]
    clusters = sum(mean.clusters[0] for mean in means if mean.clusters) or None
    estimate = float(weights @ np.array([mean.mean for mean in means]))
    base = Own(
        estimate=estimate,
        n_units=int(sum(mean.n for mean in means)),
        n_clusters=clusters,
        cluster=cluster if clusters else "",
        undefined=next((mean.undefined for mean in means if mean.undefined), ""),
    )
    errors = combined_errors(samples, weights, cluster)
    # a mean of other scores is no share
    if 0 <= estimate <= 1 and are_shares(bench, claim, reading):
        trials = float(sum(max(sample.ok_rows, sample.n) for sample in samples))
        return with_share_interval(base, errors, trials)
    if not any(np.ptp(sample.value) for sample in samples):
        value = samples[0].value[0]
        return replace(base, undefined=ALIKE if len(samples) > 1 else UNKNOWN.format(value))
    if base.undefined:
        return base
    error = math.sqrt(float(errors.variance[0]))
    reach = critical_value(base.level, float(errors.df[0])) * error
    return replace(
        base,
        std_error=error,
        conf_low=estimate - reach,
        conf_high=estimate + reach,
        method=T_INTERVAL,
    )


def combined_errors(samples: Sequence[Sample], weights: FloatArray, cluster: str) -> MeanErrors:
    """Return the errors of the weighted mean of independent samples (df: Satterthwaite 1946)."""
    parts = [mean_errors(*centred(s.value), codes_of(s, cluster), size=1.0) for s in samples]
    variance, df, clusters, effective, largest, rounding = (
        np.array([float(getattr(part, name)[0]) for part in parts]) for name in PARTS_OF_ERRORS
    )
    per_answer = weights**2 / effective
    added = weights**2 * variance if variance.any() else per_answer
    return MeanErrors.of_statistic(
        variance=float(weights**2 @ variance),
        df=float(added.sum() ** 2 / np.sum(added**2 / df)),
        clusters=float(clusters.sum()),
        effective=1 / float(per_answer.sum()),
        largest=float((weights * largest).max()),
        rounding=float(np.linalg.norm(weights * rounding)),
    )


PARTS_OF_ERRORS = ("variance", "df", "clusters", "effective", "largest", "rounding")


def with_share_interval(base: Own, errors: MeanErrors, trials: float) -> Own:
    """Fill in Wilson's interval for the effective number of trials; none where a part is a single cluster or unit."""
    if np.isnan(errors.variance[0]):
        return replace(base, undefined=base.undefined or "a part is a single cluster: no interval")
    mean = np.array([base.estimate or 0.0])
    low, high, _ = effective_share_interval(mean, errors, trials, level=base.level)
    error = float(errors.std_error[0])
    varies = not math.isnan(error)
    return replace(
        base,
        std_error=error if varies else None,
        conf_low=float(low[0]),
        conf_high=float(high[0]),
        method=WILSON,
        undefined="" if varies else base.undefined or ALIKE,
    )


SCALED = re.compile(r"likert|rating|scale|max_?score|max_?value", re.IGNORECASE)
PROPORTION = re.compile(
    r"\b(acc(uracy)?|exact_match|em|correct|pass[@\d]*|share|win_rate)\b", re.IGNORECASE
)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
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
    scored = ~np.isnan(table.value)
    of_scorer = scored & table.where({"scorer": scorer}) if scorer else scored
    values = np.unique(table.value[of_scorer])
    if not len(values) or values[0] < 0 or values[-1] > 1:
        return False
    named_scale = SCALED.search(f"{scorer} {claim.name}".replace("_", " "))
    if named_scale or _has_wider_scale(table):
        return False
    if len(values) > 1 or 0 < values[0] < 1:
        return True
    others = table.value[scored]
    more_levels = np.any((others > 1) & (others % 1 == 0))
    return not more_levels and _is_proportion(bench, claim, scorer)


def _has_wider_scale(table: RowTable) -> bool:
    """Return whether a column of metadata tells of a scale that goes beyond 1."""
    columns = [name for name in table.columns if SCALED.search(name)]
    labels = [label for name in columns for label in table.column(name)[1]]
    return any(float(number) > 1 for label in labels for number in NUMBER.findall(label))


def _is_proportion(bench: Bench, claim: Claim, scorer: str) -> bool:
    """Return whether a metric of the scorer is called accuracy or similar."""
    metrics = [c for c in bench.claims if c.select.get("scorer", "") == scorer]
    names = " ".join(metric.name for metric in (claim, *metrics))
    return PROPORTION.search(f"{names.replace('_', ' ')} {names}") is not None


def codes_of(sample: Sample, cluster: str) -> list[IntArray]:
    """Clusters of the units of a sample; none where it does not have them."""
    if cluster not in sample.columns:
        return []
    return [np.unique(sample.columns[cluster], return_inverse=True)[1]]


def centred(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the scores and the shares of a mean, (n, 1) each."""
    mean = values[0] if np.all(values == values[0]) else values.mean()
    return ((values - mean) / len(values))[:, None], np.full((len(values), 1), 1 / len(values))
