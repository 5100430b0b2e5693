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
from socialstats.inference.proportions import effective_trials, wilson
from socialstats.resampling.units import FloatArray
from socialstats.text import quoted

LEVEL = 0.95
T_INTERVAL, WILSON = "t interval", "Wilson interval"


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
    codes = [sample.columns[cluster]] if cluster in sample.columns else []
    return clustered_mean(sample.value, np.ones(sample.n), codes)


def of_sample(sample: Sample, cluster: str) -> Own:
    """Estimate from one sample."""
    found = fitted(sample, cluster)
    clusters = found.clusters[0] if found.clusters else None
    base = Own(
        estimate=found.mean, n_units=sample.n, n_clusters=clusters, cluster=cluster if clusters else "",
        undefined=found.undefined,
    )  # fmt: skip
    trials = float(max(sample.ok_rows, sample.n)) if is_share(sample.value) else None
    return with_interval(base, found.std_error, found.df, trials)


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
    clusters = sum(f.clusters[0] for f in found if f.clusters) or None
    base = Own(
        estimate=float(share @ np.array([f.mean for f in found])), n_units=int(size.sum()), n_clusters=clusters,
        cluster=cluster if clusters else "", undefined=next((f.undefined for f in found if f.undefined), ""),
    )  # fmt: skip
    if base.undefined:
        return base
    shares = all(is_share(s.value) for s in samples)
    variance = share**2 * np.array([f.std_error**2 for f in found])
    df = float(variance.sum() ** 2 / np.sum(variance**2 / np.array([f.df for f in found])))
    trials = float(sum(max(s.ok_rows, s.n) for s in samples)) if shares else None
    return with_interval(base, math.sqrt(float(variance.sum())), df, trials)


def is_share(value: FloatArray) -> bool:
    """Tell whether all values lie between 0 and 1, so that an interval must."""
    return bool(np.all((value >= 0) & (value <= 1)))


def with_interval(base: Own, std_error: float, df: float, trials: float | None) -> Own:
    """Fill in the interval: t, or Wilson's with the effective number of trials where values lie between 0 and 1."""
    mean = base.estimate or 0.0
    if trials is None:
        if base.undefined:
            return base
        reach = critical_value(base.level, df) * std_error
        return replace(base, std_error=std_error, conf_low=mean - reach, conf_high=mean + reach, method=T_INTERVAL)
    groups = float(base.n_clusters or base.n_units or 0)
    variance = np.array([0.0 if base.undefined else std_error**2])
    effective = effective_trials(np.array([mean]), variance, np.array([groups]), np.array([trials]))
    tail = np.array([df]) if not base.undefined else None
    low, high = wilson(np.array([mean]), effective, level=base.level, df=tail)
    return replace(
        base, std_error=None if base.undefined else std_error, conf_low=min(float(low[0]), mean),
        conf_high=max(float(high[0]), mean), method=WILSON,
    )  # fmt: skip
