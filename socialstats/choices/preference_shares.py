"""Preference shares: the share of each group of items in the total worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.special import expit, logit

from socialstats.arrays import FloatArray, IntArray
from socialstats.choices.bradley_terry.definition import CLOSE, sample_fit, strengths_by_choix
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import takes_formula
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.intervals import critical_values, not_zero, two_sided_p
from socialstats.inference.rows import with_ends
from socialstats.inference.sides import one_sided, side_text, two_sided_level
from socialstats.registry import Metric, fit_of
from socialstats.resampling import Replicates, basic, percentile
from socialstats.resampling.engine import lost_caution
from socialstats.resampling.options import Alternative, checked_alternative
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers, key_of_row
from socialstats.results.equations import EquationSample, ParameterFunction
from socialstats.rounding import FITTED, RESAMPLED
from socialstats.sentences import estimate_text as estimated
from socialstats.shares.counts import Scale, group_portions, group_shares, share_gradient
from socialstats.text import count, percent, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.choices.bradley_terry import BradleyTerryBootstrap, BradleyTerryResult

ScaleOption = Literal["arithmetic", "geometric", "both"]
Ci = Literal["basic", "percentile", "delta"]
By = Literal["auto", "pair", "row", "cluster"]
Ungrouped = Literal["error", "leave_out"]
TOO_FEW = "too few refits had finite strengths for an interval"
AT_THE_END = "the share is closer to 0 or 1 than a floating-point number can be: no interval"


@takes_formula(Comparisons)
def preference_shares(
    fit: Any,
    groups: Mapping[str, str],
    *,
    scale: ScaleOption = "both",
    alternative: Alternative = "two_sided",
    ci: Ci = "delta",
    by: By = "auto",
    ungrouped: Ungrouped = "error",
    refits: Any = None,
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
    alternative : {"two_sided", "greater", "less"}
        Of each share against an equal one. One-sided: the intervals have one end. The other is 0 or 1.
    ci : {"delta", "basic", "percentile"}
        ``"delta"``: linearised on the logit scale with the fit's covariance (and t quantile, with clusters).
        ``"basic"`` and ``"percentile"``: from refits, on the logit scale; these rows have no test.
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
        Rows: term = group, group = scale; estimate in (0, 1), sums to 1 over groups; n_units = items of the group.
        std_error is that of the delta method. With ``ci="delta"`` statistic, df and p test an equal share (1 over the
        number of groups): p is below 1 - level where the interval excludes it. `extras`: ``portions`` (each item's
        portion of its group's worth).

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
    options = (("scale", scale, ScaleOption), ("ci", ci, Ci), ("ungrouped", ungrouped, Ungrouped))
    for name, value, allowed in options:
        check_allowed(name, value, get_args(allowed))
    alternative = checked_alternative(alternative)
    inner = two_sided_level(level, alternative)
    fit = fit_of(fit, columns, "preference_shares()")
    items = tuple(i for i in fit.strengths if i in groups or ungrouped == "error")
    names, codes = group_members(items, groups)
    strengths = strengths_of(fit, items)
    by = resampling_unit(fit, by, refits)
    if ci == "delta":
        bootstrap_fit, replicates = None, None
    else:
        bootstrap_fit = (
            refits if refits is not None else fit.bootstrap(by=by, resamples=resamples, seed=seed)
        )
        # refits have every item of the fit, shares those with a group
        columns_of_items = [k for k, item in enumerate(fit.strengths) if item in items]
        replicates = usable_refits(bootstrap_fit, resamples, len(fit.strengths))[
            :, columns_of_items
        ]
    rows = [
        one_sided(row, alternative, level)
        for scale_name in (get_args(Scale) if scale == "both" else (scale,))
        for row in scale_rows(
            fit,
            items,
            names,
            codes,
            scale_name,
            replicates,
            getattr(bootstrap_fit, "refused", ""),
            ci,
            inner,
        )
    ]
    lost = (
        None
        if replicates is None
        else lost_caution(resamples - len(replicates), resamples, "intervals of the shares")
    )
    source_cautions = getattr(
        bootstrap_fit, "cautions", fit.cautions
    )  # refits have their own, else those of the fit
    portions = group_portions(strengths, codes)
    inference, facts = "delta method, logit scale", dict[str, Any](method=ci)
    if ci != "delta":
        inference = f"{ci} bootstrap intervals by {by}"
        facts |= {"seed": seed, "resamples": resamples}
    settings = {
        "groups": {item: groups[item] for item in items},
        "scale": scale,
        "alternative": alternative,
        "ci": ci,
        "by": by,
        "ungrouped": ungrouped,
        "resamples": resamples,
        "seed": seed,
        "level": level,
    }
    cautions = (
        size_caution(items, names, codes, portions),
        *((lost,) if lost else ()),
        *(c for c in source_cautions if c.code != "SS204"),
    )
    portions_of_items = dict(zip(items, portions.tolist(), strict=True))
    return Result(
        metric="preference_shares",
        title="Preference shares of groups",
        inference=inference,
        rows=tuple(rows),
        counts={**fit.counts, "groups": len(names)},
        fit=facts,
        settings=settings,
        cautions=cautions,
        references=("bradley1952", "davisonhinkley1997"),
        design=fit.design,
        extras={"fit": fit, "portions": portions_of_items},
    )


def strengths_of(fit: BradleyTerryResult, items: Sequence[str]) -> FloatArray:
    """Return the log-strengths of some items."""
    strengths = fit.strengths
    return np.array([strengths[item] for item in items], dtype=np.float64)


def group_members(
    items: Sequence[str], groups: Mapping[str, str]
) -> tuple[tuple[str, ...], IntArray]:
    """Names of the groups, sorted, and the group code of each item."""
    lost, unknown = [i for i in items if i not in groups], sorted(set(groups) - set(items))
    if lost:
        raise InputError(
            f"groups: no group for {quoted(lost)} ({count(len(lost), 'item')}); give every item one"
        )
    if unknown:
        raise InputError(
            f"groups: {quoted(unknown)} not among the items of the fit; leave them out"
        )
    # groups in alphabetical order
    names, codes = np.unique(
        np.array([groups[i] for i in items], dtype=object), return_inverse=True
    )
    if len(names) < 2:
        raise InputError(
            "groups: all items are in one group, whose share is 1; name at least two groups"
        )
    return tuple(names.tolist()), codes.astype(np.int64)


def resampling_unit(
    fit: BradleyTerryResult, by: By, refits: BradleyTerryBootstrap | None = None
) -> By:
    """Return what refits resample: what the caller says, or else the clusters that the fit has, or pairs of items."""
    if by != "auto":
        return by
    of_refits: By | None = getattr(refits, "settings", {}).get("by")
    return of_refits or ("cluster" if fit.settings.get("cluster") else "pair")


def usable_refits(refits: BradleyTerryBootstrap, resamples: int, n_items: int) -> FloatArray:
    """Strengths of the refits that have finite ones, (usable, items)."""
    strengths = np.asarray(refits.strengths, dtype=np.float64)
    if strengths.ndim != 2 or strengths.shape[1] != n_items or len(strengths) > resamples:
        raise InputError(
            f"refits: shape {strengths.shape} is not that of {resamples} refits of {n_items} items"
        )
    finite = strengths[np.isfinite(strengths).all(axis=1)]
    if not len(finite):
        raise UndefinedStatistic(
            f"none of {count(resamples, 'refit')} had finite strengths; use {option('ci', 'delta')}"
        )
    return finite


def scale_rows(
    fit: BradleyTerryResult,
    items: Sequence[str],
    names: Sequence[str],
    codes: IntArray,
    scale: Scale,
    replicates: FloatArray | None,
    refused: str,
    ci: Ci,
    level: float,
) -> list[Row]:
    """Return one row a group: its share, with an interval made on the logit scale.

    Parameters
    ----------
    replicates : (refits, items) array, optional
        Without refits the interval is that of the delta method, with the fit's t or normal.
    refused : str
        Why refits give no intervals; empty where they do.
    """
    strengths = strengths_of(fit, items)
    # (groups,) shares, and their gradients by the strengths of all items
    share = group_shares(strengths[None, :], codes, scale)[0]
    errors, df, why = fit.errors_of(items, share_gradient(strengths, codes, scale))
    # the logit has no value at 0 and 1, where rounding can put a share
    inside = np.where((share > 0) & (share < 1), share, np.nan)
    if replicates is None:
        # d logit(p) / dp = 1 / (p (1 - p))
        reach = critical_values(level, df) * errors / (inside * (1 - inside))
        low, high = logit(inside) - reach, logit(inside) + reach
    else:
        boot = Replicates(
            estimate=logit(inside),
            replicates=logit(group_shares(replicates, codes, scale)),
            n_degenerate=np.zeros(len(share), dtype=np.int64),
            size=FITTED / RESAMPLED,
        )
        ends = basic(boot, level=level) if ci == "basic" else percentile(boot, level=level)
        low, high = ends.low, ends.high
        why = next(filter(None, ends.undefined), "")
        if refused:
            why = f"{refused}; use {option('ci', 'delta')}"
    rows, sizes = [], np.bincount(codes)
    for g, name in enumerate(names):
        key = ("group", name), ("scale", scale)
        row = Row(term=name, group=scale, key=key, role="estimate", estimate=float(share[g]))
        row = replace(row, n_units=int(sizes[g]), limits=(0.0, 1.0), method=f"{ci}, logit scale")
        if errors[g] > 0:
            row = replace(row, std_error=float(errors[g]))
        if replicates is None and errors[g] > 0 and 0 < share[g] < 1:
            row = against_equal(row, len(names), float(df[g]))
        undefined_end = refused or np.isnan(low[g])
        undefined = ""
        if undefined_end:
            undefined = why or TOO_FEW if 0 < share[g] < 1 else AT_THE_END
        rows.append(
            with_ends(row, float(expit(low[g])), float(expit(high[g])), level, why=undefined)
        )
    return rows


def against_equal(row: Row, groups: int, df: float) -> Row:
    """Return a share with its test against an equal share, 1 over the number of groups, on the logit scale."""
    p = row.estimate or 0.0
    # the error of p over p (1 - p) is that of its logit
    statistic = float((logit(p) - logit(1 / groups)) * p * (1 - p) / (row.std_error or 1.0))
    finite_df = None if np.isinf(df) else df
    p_value = float(not_zero(two_sided_p(np.array(statistic), finite_df)))
    return replace(
        row,
        test="z" if finite_df is None else "t",
        statistic=statistic,
        df=finite_df,
        p_value=p_value,
    )


def size_caution(
    items: Sequence[str], names: Sequence[str], codes: IntArray, portions: FloatArray
) -> Caution:
    """Caution SS110: group sizes, and the item that holds most of its group's worth."""
    sizes = np.bincount(codes)
    several = np.where(sizes[codes] > 1, portions, -1.0)
    # groups of one item hold all of their worth in it
    top = int(np.argmax(several))
    low, high = int(sizes.min()), int(sizes.max())
    which = f"groups such as {shorten(names[0], 30)}"
    detail = (
        f"{which} have {low} to {high} items"
        if low < high
        else f"{which} have {count(low, 'item')} each"
    )
    if several[top] > 0:
        group, share = int(codes[top]), percent(float(portions[top]))
        detail += (
            f"; {shorten(items[top])} alone holds {share} of the worth of its group "
            f"{shorten(names[group])} ({count(int(sizes[group]), 'item')})"
        )
    fix = "report geometric shares and strengths too"
    return caution("SS110", detail, affects="arithmetic shares most", fix=fix)


def sentence(result: Result) -> str:
    """Return the shares as sentences, largest first, on the first scale asked for."""
    scale = result.rows[0].group
    rows = sorted((r for r in result.rows if r.group == scale), key=lambda r: -(r.estimate or 0.0))
    side = side_text(result.settings["alternative"])
    text = f"Preference shares ({scale} mean worth){side}: "
    text += "; ".join(f"{shorten(r.term)} {estimated(r)}" for r in rows)
    others = [r for r in result.rows if r.group != scale]
    best = max(others, key=lambda r: r.estimate or 0.0, default=rows[0])
    if best.term == rows[0].term:
        return f"{text}."
    return f"{text}. By the {best.group} mean {shorten(best.term)} ranked first, {estimated(best)}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of one scale (`scale=`, the first by default) with their intervals."""
    from socialstats.figures import forest

    scale = options.pop("scale", result.rows[0].group)
    rows = [row for row in result.rows if row.group == scale]
    fair = 1 / len(rows) if rows else None
    return forest(
        rows, ax=ax, **{"xlabel": f"Share of preference ({scale})", "reference": fair, **options}
    )


def sample_groups(result: Result) -> Iterator[EquationSample | str]:
    """Yield the model of the fit, with the shares of the groups of items."""
    members = members_of_groups(result)
    estimates = {}
    for row in result.rows:
        share = partial(plain_share, members, str(row.group), row.term)
        estimates[key_of_row(row)] = ParameterFunction(share, "logit", 1 / len(members))
    yield sample_fit(result.extras["fit"], estimates)


def members_of_groups(result: Result) -> dict[str, list[int]]:
    """Return the places of the items of each group among the parameters."""
    places = {item: k for k, item in enumerate(result.extras["fit"].items)}
    members: dict[str, list[int]] = {}
    for item, group in result.settings["groups"].items():
        members.setdefault(group, []).append(places[item])
    return members


def plain_share(
    members: Mapping[str, list[int]], scale: str, group: str, strengths: FloatArray
) -> float:
    """Return the share of a group: the mean worth of its items over the sum of those of all groups."""
    means = {}
    for name, places in members.items():
        if scale == "geometric":
            means[name] = float(np.exp(np.mean(strengths[places])))
        else:
            means[name] = float(np.mean(np.exp(strengths[places])))
    return means[group] / sum(means.values())


def ask_choix(result: Result) -> Iterator[PeerNumbers]:
    """Yield the shares of choix' strengths, where choix has the model."""
    strengths = strengths_by_choix(result.extras["fit"])
    if strengths is None:
        return
    members = members_of_groups(result)
    for row in result.rows:
        share = plain_share(members, str(row.group), row.term, strengths)
        yield PeerNumbers(
            package="choix", row=key_of_row(row), numbers={"estimate": share}, close=CLOSE
        )


METRIC = Metric(
    name="preference_shares",
    title="Preference shares",
    design="comparisons",
    function=preference_shares,
    sentence=sentence,
    plot=plot,
    definition=Definition(equations=sample_groups, peers=ask_choix),
    estimand="Mean worth of a group of items over the sum of the groups' mean worths.",
    assumptions=("the Bradley-Terry model that gave the strengths",),
    references=("bradley1952", "davisonhinkley1997"),
    swap="invariant",
)
