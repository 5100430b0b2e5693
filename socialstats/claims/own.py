"""Our own estimate beside a printed mean: interval and clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.claims.bench import Bench
from socialstats.claims.rows import RowTable
from socialstats.claims.samples import Reading, Sample
from socialstats.claims.types import KEYS, Claim
from socialstats.claims.weighting import weighs_by_size
from socialstats.designs.suspects import FEWEST, NAME
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.intervals import critical_value
from socialstats.inference.means import MeanErrors, mean_errors, varies
from socialstats.inference.proportions import share_interval
from socialstats.resampling.units import FloatArray, IntArray
from socialstats.text import quoted

LEVEL = 0.95
T_INTERVAL, WILSON = "t interval", "Wilson interval"
ALIKE = "the mean is the same in every cluster: no standard error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A mean with its t interval over units or clusters.

    Attributes
    ----------
    estimate, std_error, conf_low, conf_high : float or None
        CR2 standard error with Satterthwaite degrees of freedom where units are clustered.
    level : float
    method : str
        Wilson's interval with the effective number of trials for scores between 0 and 1, which keeps to that range
        and exists where all scores are equal; else a t interval.
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
            raise InputError(f"no column {quoted([given])} to cluster by; columns: {quoted(table.columns, 12)}")
        return given
    declared = [str(c.settings["cluster"]) for c in claims if c.settings.get("cluster")]
    for name in declared:
        if name in table.columns:
            return name
    units = len(np.unique(table.units())) if len(table) else 0
    for name in table.columns:
        if name in KEYS or not NAME.search(name.replace(".", "_").replace("/", "_")):
            continue
        if FEWEST <= len(table.column(name)[1]) < units:
            return name
    return ""


def own_estimate(bench: Bench, claim: Claim, reading: Reading, cluster: str) -> Own | None:
    """Return our estimate of a claim's mean; None for claims about something else, or without rows."""
    try:
        if claim.parts:
            return of_parts(bench, claim, reading, cluster)
        return of_sample(bench.sample(claim.select, reading), cluster)
    except InputError:
        return None


def fitted(sample: Sample, cluster: str) -> ClusteredMean:
    """Mean of a sample with CR2 where its units lie in clusters."""
    return clustered_mean(sample.value, np.ones(sample.n), codes_of(sample, cluster))


def codes_of(sample: Sample, cluster: str) -> list[IntArray]:
    """Clusters of the units of a sample; none where it does not have them."""
    return [np.unique(sample.columns[cluster], return_inverse=True)[1]] if cluster in sample.columns else []


def of_sample(sample: Sample, cluster: str) -> Own:
    """Estimate from one sample."""
    found = fitted(sample, cluster)
    base = own_of([found], np.ones(1), cluster)
    if is_share(sample.value):
        return with_shares(base, [sample], np.ones(1), cluster)
    return base if base.undefined else with_interval(base, found.std_error, found.df)


def of_parts(bench: Bench, claim: Claim, reading: Reading, cluster: str) -> Own:
    """Estimate from several independent parts, each with its own clusters.

    V = sum w_k^2 s.e._k^2 with w_k = 1/K or n_k/N; degrees of freedom V^2 / sum (w_k^2 s.e._k^2)^2 / df_k
    (Satterthwaite 1946).
    """
    samples = [bench.sample({**claim.select, **part}, reading) for part in claim.parts]
    size = np.array([float(s.n) for s in samples])
    by_size = weighs_by_size(bench, claim, bench.parts(claim, reading))
    share = size / size.sum() if by_size else np.full(len(samples), 1 / len(samples))
    found = [fitted(s, cluster) for s in samples]
    base = own_of(found, share, cluster)
    if all(is_share(s.value) for s in samples):
        return with_shares(base, samples, share, cluster)
    if base.undefined:
        return base
    variance = share**2 * np.array([f.std_error**2 for f in found])
    df = float(variance.sum() ** 2 / np.sum(variance**2 / np.array([f.df for f in found])))
    return with_interval(base, math.sqrt(float(variance.sum())), df)


def own_of(found: Sequence[ClusteredMean], share: FloatArray, cluster: str) -> Own:
    """Return the mean of parts, without its interval."""
    clusters = sum(f.clusters[0] for f in found if f.clusters) or None
    return Own(
        estimate=float(share @ np.array([f.mean for f in found])), n_units=int(sum(f.n for f in found)),
        n_clusters=clusters, cluster=cluster if clusters else "",
        undefined=next((f.undefined for f in found if f.undefined), ""),
    )  # fmt: skip


def is_share(value: FloatArray) -> bool:
    """Tell whether all values lie between 0 and 1, so that an interval must."""
    return bool(np.all((value >= 0) & (value <= 1)))


def with_interval(base: Own, std_error: float, df: float) -> Own:
    """Fill in the t interval."""
    mean, reach = base.estimate or 0.0, critical_value(base.level, df) * std_error
    return replace(base, std_error=std_error, conf_low=mean - reach, conf_high=mean + reach, method=T_INTERVAL)


def with_shares(base: Own, samples: Sequence[Sample], share: FloatArray, cluster: str) -> Own:
    """Fill in Wilson's interval for the effective number of trials; none where a part is a single cluster or unit."""
    parts = [mean_errors(*centred(s.value), codes_of(s, cluster)) for s in samples]
    variance, df, effective, largest = (
        np.array([float(getattr(part, name)[0]) for part in parts])
        for name in ("variance", "df", "effective", "largest")
    )
    if np.isnan(variance).any():
        return replace(base, undefined=base.undefined or "a part is a single cluster: no interval")
    own = share**2 * variance if variance.any() else share**2 / effective
    errors = MeanErrors.of(
        variance=float(share**2 @ variance), df=float(own.sum() ** 2 / np.sum(own**2 / df)),
        clusters=float(base.n_clusters or base.n_units or 0), effective=1 / float(np.sum(share**2 / effective)),
        largest=float((share * largest).max()),
    )  # fmt: skip
    mean, trials = np.array([base.estimate or 0.0]), float(sum(max(s.ok_rows, s.n) for s in samples))
    low, high, _ = share_interval(mean, errors, trials, level=base.level)
    error = math.sqrt(float(errors.variance[0])) if varies(mean * (1 - mean), errors)[0] else None
    return replace(
        base, std_error=error, conf_low=float(low[0]), conf_high=float(high[0]), method=WILSON,
        undefined="" if error is not None else base.undefined or ALIKE,
    )  # fmt: skip


def centred(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the scores and the shares of a mean, (n, 1) each."""
    mean = values[0] if np.all(values == values[0]) else values.mean()
    return ((values - mean) / len(values))[:, None], np.full((len(values), 1), 1 / len(values))
