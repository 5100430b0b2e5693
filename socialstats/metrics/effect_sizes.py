"""Standardised mean differences of pairs: d_z, g_z, d_av, d_rm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text, units_of
from socialstats.inference.intervals import checked_level
from socialstats.models.effect_sizes import TERMS, Summary, completed, moments, not_normal, summary_of
from socialstats.models.noncentral_t import d_z_interval, hedges_j
from socialstats.models.pair_values import (
    PairValues,
    checked_choice,
    cluster_counts,
    condition_names,
    pair_values,
    place_of,
)
from socialstats.registry import Metric
from socialstats.resampling import Bootstrap, Interval, bootstrap, choose, jackknife
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CIS = ("auto", "noncentral_t", "percentile", "basic", "bca")
FEW_PAIRS = 30
ROUNDING = 1e-12  # spreads of resamples below this share of the value
REFERENCES = ("cohen1988", "cumming2012", "morrisdeshon2002", "hedges1981", "steigerfouladi1997")
NOT_VARYING = "the differences do not vary: no standardised size"
NEEDS = {
    "d_z": "t, or mean and sd", "g_z": "t, or mean and sd", "d_av": "mean, sd_first and sd_second", "d_rm": "t and r"
}  # fmt: skip


@reads(Paired)
def effect_sizes(
    paired: Paired | TableLike,
    *,
    cluster: str | Sequence[str] | None = "declared",
    ci: Literal["auto", "noncentral_t", "percentile", "basic", "bca"] = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate standardised mean differences of pairs, first minus second, with signs.

    With M and S the mean and standard deviation of the differences, S1 and S2 those of the conditions, r their
    correlation:

        d_z  = M / S                         g_z = J(n - 1) d_z, J exact (Hedges 1981)
        d_av = M / sqrt((S1^2 + S2^2) / 2)   d_rm = d_z sqrt(2 (1 - r))

    They answer different questions and differ a lot when r is high: always name the one you quote.

    Parameters
    ----------
    paired : Paired, data frame, mapping of columns, or path of a file
        Numbers, or two levels (0 and 1). With a ``by`` factor: one result a level of it.
    cluster : str, sequence of str or None
        ``"declared"``: all declared clusters; one or two names; None takes pairs as independent (caution SS201).
    ci : {"auto", "noncentral_t", "percentile", "basic", "bca"}
        ``"auto"``: noncentral t for d_z and g_z of independent pairs, unless skewness and kurtosis of the differences
        contradict it (caution SS317); then, for the others and within clusters, BCa bootstrap; percentile bootstrap
        for two crossed factors. ``"noncentral_t"`` gives d_av and d_rm no interval, and
        needs independent pairs.
    level : float
    resamples : int
    seed : int
    **columns
        Of a data frame or file: its columns, by the keywords of `read_paired`.

    Returns
    -------
    Result
        Rows ``d_z``, ``g_z``, ``d_av``, ``d_rm``; `std_error` from the bootstrap where there is one. `extras`:
        ``summary`` (n, mean, sd, sd_first, sd_second, r, t) and ``hedges_j``.

    Raises
    ------
    InputError
        For an unknown option or cluster, noncentral t with clusters, or fewer than two pairs.
    DesignError
        For nominal values.

    References
    ----------
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences (2nd ed.).
    Cumming, G. (2012). Understanding the new statistics. doi:10.4324/9780203807002
    Morris, S. B., & DeShon, R. P. (2002). doi:10.1037/1082-989X.7.1.105
    Hedges, L. V. (1981). doi:10.3102/10769986006002107

    Examples
    --------
    >>> scores = {"before": [2, 3, 4, 4, 2], "after": [3, 5, 4, 6, 5]}
    >>> result = effect_sizes(scores, first="after", second="before", ci="noncentral_t")
    >>> {row.term: round(row.estimate, 3) for row in result.rows}
    {'d_z': 1.403, 'g_z': 1.12, 'd_av': 1.492, 'd_rm': 1.487}
    """
    checked_level(level)
    checked_choice(ci, CIS, "ci")
    return by_levels(paired, "declared", lambda one: estimate(one, cluster, ci, level, resamples, seed), Paired)


def estimate(
    design: Paired, cluster: str | Sequence[str] | None, ci: str, level: float, resamples: int, seed: int
) -> Result:
    """Compute the effect sizes of one design."""
    pairs = pair_values(design)
    factors = cluster_factors(design, cluster)
    if factors and ci == "noncentral_t":
        raise InputError("ci='noncentral_t' needs independent pairs; use ci='bca', or cluster=None to ignore clusters")
    summary = summary_of(pairs)
    kinds = interval_kinds(factors, ci)
    shaped = not_normal(pairs, summary, kinds["d_z"])
    if shaped and ci == "auto":
        kinds |= {"d_z": "bca", "g_z": "bca"}
    defined = any(value is not None for value in summary.sizes().values())
    drawn = resampled(design, pairs, factors, kinds, level, resamples, seed) if defined else None
    rows = tuple(row_of(term, summary, kinds[term], drawn, factors, level) for term in ("d_z", "g_z", "d_av", "d_rm"))
    used = dict.fromkeys(kind for kind in kinds.values() if kind)
    lost = drawn[0].caution("bootstrap intervals") if drawn else None
    return Result(
        metric="effect_sizes",
        title=f"Standardised mean differences: {' minus '.join(condition_names(design))}",
        inference=f"{' and '.join(kind_text(kind) for kind in used)}; {cluster_text(factors, 'pairs')}",
        rows=rows,
        counts={"pairs": pairs.n, **cluster_counts(factors)},
        fit={"nobs": pairs.n, "method": ", ".join(used), "seed": seed, "resamples": resamples if drawn else None},
        settings={"cluster": cluster, "ci": ci, "level": level, "resamples": resamples, "seed": seed},
        cautions=(
            *cluster_cautions(design, factors),
            *small(pairs, used),
            *shaped,
            *((lost,) if lost else ()),
        ),
        references=(*REFERENCES, *(("efron1987",) if "bca" in used else ())),
        design=design,
        extras={"summary": summary, "hedges_j": hedges_j(pairs.n - 1) if pairs.n > 2 else None},
    )


def interval_kinds(factors: Sequence[Factor], ci: str) -> dict[str, str]:
    """Return the kind of interval of each term; empty text for none."""
    if ci == "noncentral_t":
        return {"d_z": ci, "g_z": ci, "d_av": "", "d_rm": ""}
    drawn = ci if ci != "auto" else "percentile" if len(factors) == 2 else "bca"
    exact = "noncentral_t" if ci == "auto" and not factors else drawn
    return {"d_z": exact, "g_z": exact, "d_av": drawn, "d_rm": drawn}


def kind_text(kind: str) -> str:
    """Name a kind of interval."""
    return {"noncentral_t": "noncentral t", "bca": "BCa bootstrap"}.get(kind, f"{kind} bootstrap")


def resampled(
    design: Paired, pairs: PairValues, factors: Sequence[Factor], kinds: dict[str, str], level: float, resamples: int,
    seed: int,
) -> tuple[Bootstrap, Interval] | None:  # fmt: skip
    """Return the bootstrap of d_z, d_av, d_rm and its intervals, where any is asked for."""
    kind = kinds["d_av"]
    if not kind:
        return None
    units = units_of(design, factors)
    table, finish = moments(pairs)
    boot = bootstrap(table, finish, units, resamples=resamples, seed=seed)
    jack = jackknife(table, finish, units) if kind == "bca" and len(factors) < 2 else None
    return boot, choose(kind, boot, level=level, jack=jack)


def row_of(
    term: str, summary: Summary, kind: str, drawn: tuple[Bootstrap, Interval] | None, factors: Sequence[Factor],
    level: float,
) -> Row:  # fmt: skip
    """Make the row of one effect size."""
    n, clusters = summary.n, min(cluster_counts(factors).values(), default=None)
    base = Row(term=term, n=n, n_units=int(n), n_clusters=clusters, method=kind_text(kind) if kind else None)
    value = summary.sizes()["d_z" if term == "g_z" else term]
    if value is None:
        return with_values(base, undefined=missing_size(term, summary))
    if term == "g_z" and n <= 2:
        return with_values(base, undefined="Hedges' correction needs at least 3 pairs")
    j = hedges_j(n - 1) if term == "g_z" else 1.0
    if not kind:
        return with_values(
            base, estimate=value, undefined="the noncentral t has no interval for this size; use ci='bca'"
        )
    if kind == "noncentral_t":
        assert summary.t is not None
        try:
            low, high = d_z_interval(summary.t, n, level)
        except UndefinedStatistic as found_none:
            return with_values(base, estimate=j * value, undefined=str(found_none))
        return with_values(base, estimate=j * value, conf_low=j * low, conf_high=j * high, conf_level=level)
    assert drawn is not None
    boot, found = drawn
    at = TERMS.index("d_z" if term == "g_z" else term)
    error = float(boot.std_error[at]) * j
    ends = (j * float(found.low[at]), j * float(found.high[at]))
    least = ROUNDING * max(1.0, abs(value))
    why = found.undefined[at] or ("" if ends[1] - ends[0] > least else "all resamples give the same value")
    return with_values(
        base, estimate=j * value, std_error=error if error > least else None, conf_low=None if why else ends[0],
        conf_high=None if why else ends[1], conf_level=None if why else level, undefined=why or None,
    )  # fmt: skip


def with_values(row: Row, **values: Any) -> Row:
    """Return a row with some more fields filled."""
    return replace(row, **values)


def missing_size(term: str, summary: Summary) -> str:
    """Say why an effect size is missing."""
    if summary.t is None and term != "d_av" and summary.mean is not None:
        return NOT_VARYING
    if term == "d_av" and summary.sd_first is not None and not summary.varies:
        return "the values do not vary: no standardised size"
    if term == "d_rm" and summary.r is None and 0 in (summary.sd_first, summary.sd_second):
        return "a condition does not vary: no correlation"
    return f"not given: {NEEDS[term]}"


def small(pairs: PairValues, used: dict[str, None]) -> tuple[Caution, ...]:
    """Caution SS312 for bootstrap intervals of few pairs."""
    if pairs.n >= FEW_PAIRS or not set(used) - {"noncentral_t"}:
        return ()
    return (caution("SS312", f"{pairs.n} pairs", affects="bootstrap intervals, which tend to be too short"),)


def effect_sizes_from_summary(
    *,
    n: int,
    t: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    sd_first: float | None = None,
    sd_second: float | None = None,
    r: float | None = None,
    level: float = 0.95,
) -> Result:
    """Compute standardised mean differences from published numbers of independent pairs.

    Parameters
    ----------
    n : int
        Pairs.
    t : float, optional
        Of the paired test.
    mean : float, optional
        Mean difference, first minus second.
    sd : float, optional
        Standard deviation of the differences (n - 1).
    sd_first, sd_second : float, optional
        Standard deviations of the conditions.
    r : float, optional
        Correlation of the conditions.
    level : float

    Returns
    -------
    Result
        As `effect_sizes`: d_z and g_z with noncentral-t intervals, d_av and d_rm without; a size whose numbers are
        not given says so.

    Raises
    ------
    InputError
        For impossible numbers, the same thing said twice, or too little for any size.

    References
    ----------
    As `effect_sizes`.

    Examples
    --------
    >>> row = effect_sizes_from_summary(t=-4.0621277, n=10).row("d_z")
    >>> round(row.estimate, 4), round(row.conf_low, 4), round(row.conf_high, 4)
    (-1.2846, -2.118, -0.4146)
    """
    checked_level(level)
    given = {"n": n, "t": t, "mean": mean, "sd": sd, "sd_first": sd_first, "sd_second": sd_second, "r": r}
    summary = completed(n=n, t=t, mean=mean, sd=sd, sd_first=sd_first, sd_second=sd_second, r=r)
    kinds = interval_kinds((), "noncentral_t")
    return Result(
        metric="effect_sizes",
        title="Standardised mean differences, from summary numbers",
        inference="noncentral t; pairs taken as independent",
        rows=tuple(row_of(term, summary, kinds[term], None, (), level) for term in ("d_z", "g_z", "d_av", "d_rm")),
        counts={"pairs": int(n)},
        fit={"nobs": int(n), "method": "noncentral_t"},
        settings={**given, "level": level},
        references=REFERENCES,
        extras={"summary": summary, "hedges_j": hedges_j(n - 1) if n > 2 else None},
    )


def sentence(result: Result) -> str:
    """Say d_z with its interval, and the others."""
    row = next((r for r in result.rows if r.estimate is not None), result.rows[0])
    names = f" ({' minus '.join(condition_names(result.design))})" if result.design is not None else ""
    where = place_of(result.counts)
    if row.estimate is None:
        return (
            f"The standardised mean difference{names} over {count(row.n or 0, 'pair')} is undefined: {row.undefined}."
        )
    shown = [f"{r.term} = {number(r.estimate)}" for r in result.rows if r.estimate is not None and r is not row]
    known = row.conf_low is not None
    span = f", {interval(row.conf_low, row.conf_high, level=result.settings['level'])} ({row.method})" if known else ""
    text = f"The standardised mean difference{names} was {row.term} = {number(row.estimate)}{span}"
    others = f"; {', '.join(shown)}" if shown else ""
    return f"{text}, over {count(row.n or 0, 'pair')}{where}{others}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the effect sizes with their intervals."""
    from socialstats.figures import forest

    return forest(result.rows, ax=ax, **{"xlabel": "Standardised mean difference", "sort": False, **options})


METRIC = Metric(
    name="effect_sizes",
    title="Standardised mean differences of pairs",
    design="paired",
    function=effect_sizes,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.effect_sizes:verify",
    estimand="Mean difference of pairs over a standard deviation: of the differences, or of the conditions.",
    assumptions=(
        "pairs (or the named clusters of pairs) are independent",
        "noncentral t: differences are normal",
    ),
    references=REFERENCES,
    swap="negates",
    values="numeric",
)
