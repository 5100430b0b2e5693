"""Preference shares: how much of the total worth each group of items holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from scipy.special import expit, logit

from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.intervals import critical_values
from socialstats.inference.rows import with_ends
from socialstats.models.shares import Scale, group_portions, group_shares, share_gradient
from socialstats.registry import Metric, fit_of
from socialstats.resampling import Interval, Replicates, basic, percentile
from socialstats.resampling.engine import lost_caution
from socialstats.resampling.units import FloatArray, IntArray
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, percent, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ScaleOption = Literal["arithmetic", "geometric", "both"]
Ci = Literal["basic", "percentile", "delta"]
By = Literal["auto", "pair", "row", "cluster"]
Ungrouped = Literal["error", "leave_out"]
SCALES: tuple[Scale, ...] = get_args(Scale)
CIS: tuple[str, ...] = get_args(Ci)
TOO_FEW = "too few refits had finite strengths for an interval"
AT_THE_END = "the share is closer to 0 or 1 than a floating-point number can be: no interval"


class Refits(Protocol):
    """Bootstrap refits: log-strengths (B, items) in the order of the fit's `strengths`, NaN where none exist."""

    @property
    def strengths(self) -> FloatArray:
        """Log-strengths of the refits."""
        ...


class Fit(Protocol):
    """What preference shares need of a Bradley-Terry fit."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients."""
        ...

    @property
    def covariance(self) -> FloatArray | None:
        """Covariance of the coefficients."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """n at every level."""
        ...

    @property
    def strengths(self) -> Mapping[str, float]:
        """Log-strength of each item."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the caller of the fit chose."""
        ...

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before the fit is quoted."""
        ...

    def bootstrap(self, *, by: Any, resamples: int, seed: int) -> Refits:
        """Refit on resamples."""
        ...


def preference_shares(
    fit: Fit | Comparisons | TableLike,
    groups: Mapping[str, str],
    *,
    scale: ScaleOption = "both",
    ci: Ci = "basic",
    by: By = "auto",
    ungrouped: Ungrouped = "error",
    refits: Refits | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    **columns: Any,
) -> Result:
    """Estimate each group's share of preference from the strengths of its items.

    P_g = m_g / sum over groups h of m_h, m_g the mean worth of the group's items: the arithmetic mean of
    exp(strength), or (geometric) exp of the mean strength.

    Parameters
    ----------
    fit : BradleyTerryResult, Comparisons, data frame, mapping of columns, or path of a file
        Comparisons are fitted by `bradley_terry` with its defaults.
    groups : mapping of item to group
        Every item of the fit (see `ungrouped`), and no other.
    scale : {"both", "arithmetic", "geometric"}
        The arithmetic mean follows the few strongest items of a group; the geometric one treats all alike.
    ci : {"basic", "percentile", "delta"}
        ``"basic"`` on the logit scale, from refits, which takes off the upward bias of exp; ``"delta"`` needs no
        refits: linearised on the logit scale with the fit's covariance (and t quantile, with clusters).
    by : {"auto", "pair", "row", "cluster"}
        What the refits resample; ``"auto"``: what `refits` resampled, else the clusters of the fit where it has them,
        else pairs of items.
    ungrouped : {"error", "leave_out"}
        Items without a group: an error, or in no share (they stay in the model that estimates the strengths).
    refits : optional
        What ``fit.bootstrap(by=by, resamples=resamples, seed=seed)`` returned, where several groupings share it.
    resamples, seed : int
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows: term = group, group = scale; estimate in (0, 1), sums to 1 over groups; std_error from the delta
        method; n_units = items of the group. `extras`: ``portions`` (each item's portion of its group's worth).

    Raises
    ------
    InputError
        For items without a group, unknown items, a single group, or unknown options.
    UndefinedStatistic
        If no refit had finite strengths.

    References
    ----------
    Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika, 39(3/4), 324-345.
    Davison, A. C., & Hinkley, D. V. (1997). doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from socialstats.datasets import journal_citations
    >>> groups = dict.fromkeys(["Biometrika", "Comm Statist", "JRSS-B"], "other") | {"JASA": "general"}
    >>> shares = preference_shares(journal_citations(), groups, ci="delta")
    >>> round(sum(row.estimate for row in shares.rows if row.group == "geometric"), 9)
    1.0
    """
    check_options(scale, ci, level, ungrouped)
    fit = fit_of(fit, columns, "preference_shares()")
    items = tuple(i for i in fit.strengths if i in groups or ungrouped == "error")
    names, codes = group_members(items, groups)
    strengths = np.array([fit.strengths[item] for item in items], dtype=np.float64)
    at = [k for k, item in enumerate(fit.strengths) if item in items]
    by = resampled(fit, by, refits)
    made = None if ci == "delta" else refits if refits is not None else fit.bootstrap(
        by=by, resamples=resamples, seed=seed
    )  # fmt: skip
    drawn = None if made is None else usable_refits(fit, made, resamples)[:, at]
    refused = f"{why}; use ci='delta'" if (why := getattr(made, "refused", "")) else ""
    scales = SCALES if scale == "both" else (scale,)
    rows: list[Row] = []
    for one in scales:
        error = delta_errors(fit, items, strengths, codes, one)
        ends = intervals(strengths, codes, one, drawn, error, ci, level)
        share = group_shares(strengths[None, :], codes, one)[0]
        rows += rows_of(names, codes, share, one, error, ends, ci, level, refused)
    lost = () if drawn is None else refit_caution(drawn, resamples)
    known = getattr(made, "cautions", fit.cautions)  # of the refits those that concern them, else the fit's
    portions = group_portions(strengths, codes)
    return Result(
        metric="preference_shares",
        title="Preference shares of groups",
        inference="delta method, logit scale" if ci == "delta" else f"{ci} bootstrap intervals by {by}",
        rows=tuple(rows),
        counts={**fit.counts, "groups": len(names)},
        fit={"method": ci, **({} if ci == "delta" else {"seed": seed, "resamples": resamples})},
        settings={
            "groups": {item: groups[item] for item in items}, "scale": scale, "ci": ci, "by": by,
            "ungrouped": ungrouped, "resamples": resamples, "seed": seed, "level": level,
        },
        cautions=(size_caution(items, names, codes, portions), *lost, *(c for c in known if c.code != "SS204")),
        references=("bradley1952", "davisonhinkley1997"),
        design=getattr(fit, "design", None),
        extras={"fit": fit, "portions": dict(zip(items, portions.tolist(), strict=True))},
    )  # fmt: skip


def check_options(scale: str, ci: str, level: float, ungrouped: str = "error") -> None:
    """Raise InputError for an unknown option."""
    if scale not in get_args(ScaleOption):
        raise InputError(f"scale='{scale}' is not one of {', '.join(get_args(ScaleOption))}")
    if ci not in CIS:
        raise InputError(f"ci='{ci}' is not one of {', '.join(CIS)}")
    if ungrouped not in get_args(Ungrouped):
        raise InputError(f"ungrouped='{ungrouped}' is not one of {', '.join(get_args(Ungrouped))}")
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}")


def group_members(items: Sequence[str], groups: Mapping[str, str]) -> tuple[tuple[str, ...], IntArray]:
    """Names of the groups, sorted, and the group code of each item."""
    lost, unknown = [i for i in items if i not in groups], sorted(set(groups) - set(items))
    if lost:
        raise InputError(f"groups: no group for {quoted(lost)} ({count(len(lost), 'item')}); give every item one")
    if unknown:
        raise InputError(f"groups: {quoted(unknown)} not among the items of the fit; leave them out")
    names, codes = np.unique(np.array([groups[i] for i in items], dtype=object), return_inverse=True)
    if len(names) < 2:
        raise InputError("groups: all items are in one group, whose share is 1; name at least two groups")
    return tuple(names.tolist()), codes.astype(np.int64)


def resampled(fit: Fit, by: By, refits: Refits | None = None) -> By:
    """Return what refits resample: what the caller says, or else the clusters that the fit has, or pairs of items."""
    if by != "auto":
        return by
    known: By | None = getattr(refits, "settings", {}).get("by")
    return known or ("cluster" if fit.settings.get("cluster") else "pair")


def usable_refits(fit: Fit, made: Refits, resamples: int) -> FloatArray:
    """Strengths of the refits that have finite ones, (usable, items)."""
    drawn = np.asarray(made.strengths, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != len(fit.strengths) or len(drawn) > resamples:
        raise InputError(f"refits: shape {drawn.shape} is not that of {resamples} refits of {len(fit.strengths)} items")
    kept = drawn[np.isfinite(drawn).all(axis=1)]
    if not len(kept):
        raise UndefinedStatistic(f"none of {count(resamples, 'refit')} had finite strengths; use ci='delta'")
    return kept


def refit_caution(refits: FloatArray, resamples: int) -> tuple[Caution, ...]:
    """Caution SS204 when more than 1 % of the refits had no finite strengths."""
    found = lost_caution(resamples - len(refits), resamples, "intervals of the shares")
    return () if found is None else (found,)


def delta_errors(
    fit: Fit, items: Sequence[str], strengths: FloatArray, codes: IntArray, scale: Scale
) -> tuple[FloatArray, FloatArray, str] | None:
    """Delta-method standard errors of the shares (NaN where there are none), df, and why there are none.

    None where the fit has no covariance of the strengths.
    """
    gradient = share_gradient(strengths, codes, scale)
    own: Callable[..., tuple[FloatArray, FloatArray, str]] | None = getattr(fit, "errors_of", None)
    if own is not None:
        return own(items, gradient)
    if fit.covariance is None or any(item not in fit.names for item in items):
        return None
    place = [fit.names.index(item) for item in items]
    variance = np.einsum("gi,ij,gj->g", gradient, fit.covariance[np.ix_(place, place)], gradient)
    df = next((row.df for row in getattr(fit, "rows", ()) if row.df is not None), np.inf)
    return np.sqrt(np.maximum(variance, 0.0)), np.full(len(variance), df), ""


def intervals(
    strengths: FloatArray,
    codes: IntArray,
    scale: Scale,
    refits: FloatArray | None,
    error: tuple[FloatArray, FloatArray, str] | None,
    ci: Ci,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of the shares, made on the logit scale; delta intervals use the fit's t or normal."""
    share = group_shares(strengths[None, :], codes, scale)[0]
    share = np.where((share > 0) & (share < 1), share, np.nan)
    if refits is None:
        if error is None:
            raise InputError("ci='delta' needs a fit with the covariance of its strengths; use ci='basic'")
        half = critical_values(level, error[1]) * error[0] / (share * (1 - share))
        return expit(logit(share) - half), expit(logit(share) + half)
    replicates = logit(group_shares(refits, codes, scale))
    none_lost = np.zeros(len(share), dtype=np.int64)
    boot = Replicates(estimate=logit(share), replicates=replicates, n_degenerate=none_lost)
    ends: Interval = basic(boot, level=level) if ci == "basic" else percentile(boot, level=level)
    return expit(ends.low), expit(ends.high)


def rows_of(
    names: Sequence[str],
    codes: IntArray,
    share: FloatArray,
    scale: Scale,
    error: tuple[FloatArray, FloatArray, str] | None,
    ends: tuple[FloatArray, FloatArray],
    ci: str,
    level: float,
    refused: str = "",
) -> list[Row]:
    """One row a group; `refused` says why none has an interval."""
    low, high = (np.full(len(share), np.nan), np.full(len(share), np.nan)) if refused else ends
    no_interval = refused or (error[2] if ci == "delta" and error is not None and error[2] else TOO_FEW)
    return [
        with_ends(
            Row(
                term=name, group=scale, estimate=float(share[g]), n_units=int(np.sum(codes == g)),
                std_error=float(error[0][g]) if error is not None and error[0][g] > 0 else None,
                method=f"{ci}, logit scale",
            ),
            float(low[g]), float(high[g]), level,
            why="" if not np.isnan(low[g]) else no_interval if 0 < share[g] < 1 else AT_THE_END,
        )
        for g, name in enumerate(names)
    ]  # fmt: skip


def size_caution(items: Sequence[str], names: Sequence[str], codes: IntArray, portions: FloatArray) -> Caution:
    """Caution SS110: group sizes, and the item that holds most of its group's worth."""
    sizes = np.bincount(codes)
    several = np.where(sizes[codes] > 1, portions, -1.0)
    top = int(np.argmax(several))
    detail = f"groups have {sizes.min()} to {sizes.max()} items"
    if several[top] > 0:
        detail += (
            f"; '{shorten(items[top])}' alone holds {percent(float(portions[top]))} of the worth of its group "
            f"'{shorten(names[codes[top]])}' ({count(int(sizes[codes[top]]), 'item')})"
        )
    fix = "read the geometric shares and the strengths beside them"
    return caution("SS110", detail, affects="arithmetic shares most", fix=fix)


def sentence(result: Result) -> str:
    """Say the shares, largest first, on the first scale asked for."""
    scale = result.rows[0].group
    rows = sorted((r for r in result.rows if r.group == scale), key=lambda r: -(r.estimate or 0.0))
    level = result.settings["level"]
    parts = [
        f"{shorten(r.term)} {number(r.estimate, 3, bounded=True)}, "
        + interval(r.conf_low, r.conf_high, 3, level=level, bounded=True)
        for r in rows
    ]
    text = f"Preference shares ({scale} mean worth): " + "; ".join(parts)
    others = [r for r in result.rows if r.group != scale]
    best = max(others, key=lambda r: r.estimate or 0.0, default=None)
    if best is not None and best.term != rows[0].term:
        return (
            f"{text}. The order depends on the mean: by the {best.group} mean {shorten(best.term)} leads with "
            f"{number(best.estimate, 3, bounded=True)}, "
            f"{interval(best.conf_low, best.conf_high, 3, level=level, bounded=True)}."
        )
    return f"{text}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of one scale (`scale=`, the first by default) with their intervals."""
    from socialstats.figures import forest

    scale = options.pop("scale", result.rows[0].group)
    rows = [row for row in result.rows if row.group == scale]
    fair = 1 / len(rows) if rows else None
    return forest(rows, ax=ax, **{"xlabel": f"Share of preference ({scale})", "reference": fair, **options})


METRIC = Metric(
    name="preference_shares",
    title="Preference shares",
    design="comparisons",
    function=preference_shares,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.preference_shares:verify",
    estimand="Mean worth of a group of items over the sum of the groups' mean worths.",
    assumptions=("the Bradley-Terry model that gave the strengths",),
    references=("bradley1952", "davisonhinkley1997"),
    swap="invariant",
)
