"""Sensitivity S: how far the choices are from following urgency alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    largest_share,
    units_of,
)
from socialstats.inference.intervals import checked_level, critical_value
from socialstats.inference.rows import with_ends
from socialstats.models.conditions import ConditionTable, Weighting, condition_table, table_cautions
from socialstats.models.sensitivity_index import (
    CORRECTED,
    LARGEST,
    PLUG_IN,
    TERMS,
    ReferenceLine,
    group_codes,
    in_words,
    reference_lines,
    sensitivity_terms,
)
from socialstats.models.sensitivity_pairs import difference_sentence, paired_difference
from socialstats.registry import Metric
from socialstats.resampling import Bootstrap, Interval, Units, basic, bootstrap, choose, jackknife
from socialstats.resampling.chance import checked_seed
from socialstats.resampling.intervals import check_resamples
from socialstats.results import FloatArray, Result, ResultGroup, Row, by_levels
from socialstats.text import interval, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ci = Literal["jackknife", "basic", "percentile", "bca"]
CIS: tuple[str, ...] = get_args(Ci)
METHODS = {
    "jackknife": "jackknife t", "basic": "basic bootstrap", "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
}  # fmt: skip
ROUNDING = 1e-12
EMPTY = "no item has a comparison under some condition"
SAME = "every resample gives the same value: no interval"
LESS = "without one of the clusters some condition is empty: no jackknife interval"
OUTSIDE = "the interval lies below 0: fewer differences from the target than chance alone makes"
ONCE = "no item has two comparisons under some condition, so the noise cannot be estimated"


@reads(Comparisons)
def sensitivity(
    comparisons: Comparisons | TableLike,
    covariate: str = "urgency",
    *,
    weights: Weighting = "opponent",
    cluster: str | Sequence[str] | None = "pair",
    resamples: int = 2000,
    seed: int = 0,
    ci: Ci = "jackknife",
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far choices are from following urgency alone, and nothing else.

    S = 100 sum over l of mean over items i of (p_il - t_l)^2, where p_il is item i's win rate when its urgency
    is higher, equal or lower, and t = 1, 1/2, 0. S is 0 when urgency alone decides; at most 225.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        With a numeric covariate for each side. With a ``by`` factor: one result a level.
    covariate : str
    weights : {"opponent", "pooled"}
        As in `win_rates`.
    cluster : str, pair of str or None
        What is resampled as a whole: ``"pair"`` (all comparisons of the same two items), ``"declared"``, names
        of declared factors (two are crossed), or None for single rows.
    resamples, seed : int
        Of the bootstraps.
    ci : {"jackknife", "basic", "percentile", "bca"}
        ``"jackknife"``: t with G - 1 degrees of freedom for G clusters, one of which is left out at a time; two crossed
        factors, a single cluster, and comparisons of which no item has two under some condition (so that there is no
        ``S_corrected``) have the basic bootstrap in its place.
    level : float
    groups : mapping of item to group, optional
        Adds the reference line of a ranking group by group.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows ``S`` (plug-in), ``S_corrected``, the components ``S_higher``, ``S_equal``, ``S_lower`` that sum to
        S, and their corrected values. `extras` holds ``reference_lines`` (exact for this design) and, of bootstraps,
        the ``bootstrap`` and ``monte_carlo_error`` of the interval's ends by term.

    Raises
    ------
    InputError
        For an unknown option, covariate or cluster; items without a group.
    UndefinedStatistic
        If a condition holds no comparison at all.

    Notes
    -----
    Noise in p adds its variance to (p - t)^2: the plug-in S is too high. ``S_corrected`` subtracts
    p(1-p)/(n-1), the unbiased estimate of that variance for n independent comparisons of one p. Ties counted as
    halves, and opponents with different p, vary less than that: it then takes off too much. Jackknife intervals of both
    S and ``S_corrected`` lie around ``S_corrected``, with the standard error of the jackknife of the term (total less
    one pair): S is too high by what ``S_corrected`` takes off. In a resample noise is added once more, so that
    percentile intervals are shifted up twice; ``ci="basic"`` takes the shift off: for S, 2 S - quantiles of S*; for
    ``S_corrected``, S_corrected - (quantiles of S*_corrected - S), because S is the truth from which the resamples
    come. Intervals are cut to the possible range; those of S are widened to hold S where its bias exceeds their half
    width (choices near the target). An ``S_corrected`` below 0 says less than chance, and its interval begins there.

    Coverage of nominal 95 % intervals in 1,000 simulations each (all pairs x 9 of 4, 6 and 10 items, 24 of the pairs of
    12, 72 of 24; nine choosers from coin flips to a strong urgency effect, without and with a pair effect of sd 1):
    ``jackknife`` .936 to .999 (above .99 where a hierarchy decides, as then the opponents vary too: 1.5 to 1.8 times as
    long as needed, with 4 items up to 3.6), ``basic`` .81 to .99 with 4 items, .82 to .99 with 24 pairs of 12, .89 to
    1.0 with others; ``percentile`` .03 to .96 for S (24 items, 216 pairs).

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, section 5.2.
    doi:10.1017/CBO9780511802843
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> result = sensitivity(design)
    >>> s = result.row("S")
    >>> s.conf_low <= s.estimate <= s.conf_high
    True
    >>> [round(line.value, 1) for line in result.extras["reference_lines"]]
    [0.0, 50.5, 76.1, 125.0]
    """
    if ci not in CIS:
        raise InputError(f"ci='{ci}' is not one of {', '.join(CIS)}")
    check_resamples(resamples, checked_level(level))
    settings: dict[str, Any] = {
        "covariate": covariate, "weights": weights, "cluster": cluster, "resamples": resamples,
        "seed": checked_seed(seed), "ci": ci, "level": level, "groups": None if groups is None else dict(groups),
    }  # fmt: skip
    return by_levels(comparisons, "declared", lambda one: estimate(one, settings))


def estimate(design: Comparisons, settings: dict[str, Any]) -> Result:
    """Compute S of one design."""
    codes = group_codes(design.items, settings["groups"])
    table = condition_table(design, settings["covariate"], settings["weights"])
    factors = cluster_factors(design, settings["cluster"])
    units, ci = units_of(design, factors), settings["ci"]
    found = jackknifed(design, table, units, settings) if ci == "jackknife" and len(factors) < 2 else None
    if found is None:
        ci = "basic" if ci == "jackknife" else ci
        found = resampled(design, table, units, len(factors), settings | {"ci": ci})
    boot, groups = found.boot, units.n_clusters
    lines = reference_lines(design, table, settings["weights"], codes)
    extras: dict[str, Any] = {"reference_lines": lines}
    if boot is not None:
        errors = zip(found.ends.error_low.tolist(), found.ends.error_high.tolist(), strict=True)
        extras |= {"bootstrap": boot, "monte_carlo_error": dict(zip(TERMS, errors, strict=True))}
    largest = largest_share(design.weight, factors)
    more = {"bca": ("efron1987",), "jackknife": ("efrontibshirani1993",)}.get(ci, ())
    return Result(
        metric="sensitivity",
        title=f"Sensitivity to {settings['covariate']}",
        inference=f"{METHODS[ci]} intervals, {cluster_text(factors)}",
        rows=rows_of(found, groups, design),
        counts={"comparisons": design.n_rows, "items": len(design.items), "pairs": len(design.pair.levels)},
        fit={
            "nobs": design.n_rows, "n_clusters": groups, "seed": settings["seed"],
            "resamples": None if boot is None else settings["resamples"], "method": ci, "effective_df": found.df,
            "largest_leverage": largest if factors else None,
        },
        settings=dict(settings),
        cautions=(
            *table_cautions(design, table),
            *cluster_cautions(design, factors, df=[found.df], largest=largest),
            *own_cautions(found, lines),
        ),
        references=("davisonhinkley1997", *more),
        design=design,
        extras=extras,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """Estimates of all terms with standard errors and intervals, (8,) arrays.

    Attributes
    ----------
    estimate, std_error : float64 arrays
    ends : Interval
    df : float or None
        Of jackknife intervals.
    boot : Bootstrap or None
    """

    estimate: FloatArray
    std_error: FloatArray
    ends: Interval
    df: float | None = None
    boot: Bootstrap | None = None


def jackknifed(design: Comparisons, table: ConditionTable, units: Units, settings: dict[str, Any]) -> Found | None:
    """Jackknife t intervals of all terms around their corrected values; None where S has no corrected value."""
    left = jackknife(table.statistics, lambda sums: sensitivity_terms(sums, len(design.items)), units)
    value = left.estimate
    defined(value, settings)
    n = float(left.copies.sum())
    if np.isnan(value[1]) or n < 2:
        return None
    error, none = left.std_error, np.full(len(value), np.nan)
    reach = critical_value(settings["level"], n - 1) * error
    still = (error <= ROUNDING * np.array(LARGEST)) | (error <= ROUNDING * np.array(LARGEST))[PLUG_IN]
    why = [SAME if s else LESS if np.isnan(e) else "" for e, s in zip(error, still, strict=True)]
    ends = Interval(
        low=value[CORRECTED] - reach, high=value[CORRECTED] + reach, error_low=none, error_high=none,
        undefined=tuple(why), method="jackknife", level=settings["level"],
    )  # fmt: skip
    return Found(estimate=value, std_error=error, ends=ends, df=n - 1)


def defined(value: FloatArray, settings: dict[str, Any]) -> None:
    """Raise `UndefinedStatistic` where S does not exist."""
    if np.isnan(value[0]):
        raise UndefinedStatistic(f"S is undefined: {EMPTY}; it needs higher, equal and lower {settings['covariate']}")


def resampled(
    design: Comparisons, table: ConditionTable, units: Units, n_factors: int, settings: dict[str, Any]
) -> Found:
    """Return the bootstrap of all terms and their intervals."""

    def finish(sums: FloatArray) -> FloatArray:
        return sensitivity_terms(sums, len(design.items))

    boot = bootstrap(table.statistics, finish, units, resamples=settings["resamples"], seed=settings["seed"])
    defined(boot.estimate, settings)
    if settings["ci"] == "basic":
        ends = basic(boot, level=settings["level"], centre=boot.estimate[PLUG_IN])
    else:
        jack = jackknife(table.statistics, finish, units) if settings["ci"] == "bca" and n_factors < 2 else None
        ends = choose(settings["ci"], boot, level=settings["level"], jack=jack)
    flat = boot.is_constant | boot.is_constant[PLUG_IN]
    why = tuple(SAME if f else one for f, one in zip(flat, ends.undefined, strict=True))
    return Found(estimate=boot.estimate, std_error=boot.std_error, ends=replace(ends, undefined=why), boot=boot)


def rows_of(found: Found, clusters: int | None, design: Comparisons) -> tuple[Row, ...]:
    """Rows of S, its corrected value and the components, intervals cut to the possible range."""
    rows, ends = [], found.ends
    for j, term in enumerate(TERMS):
        value = float(found.estimate[j])
        corrected = term.endswith("corrected")
        why = (ONCE if corrected else EMPTY) if np.isnan(value) else ends.undefined[j]
        if not why and ends.high[j] <= 0:
            why = OUTSIDE
        centred = ", centred" if corrected and ends.method == "basic" else ""
        around = " around S corrected" if ends.method == "jackknife" and not corrected else ""
        row = Row(
            term=term, group="corrected" if corrected else "plug_in", estimate=None if np.isnan(value) else value,
            n=float(design.n_rows), n_units=len(design.items), n_clusters=clusters,
            method=f"{METHODS[ends.method]}{around}{centred}",
        )  # fmt: skip
        rows.append(with_ends(
            row, float(ends.low[j]), float(ends.high[j]), ends.level, why=why, within=(0.0, float(LARGEST[j])),
            hold=True, std_error=float(found.std_error[j]), df=found.df,
        ))  # fmt: skip
    return tuple(rows)


def own_cautions(found: Found, lines: Sequence[ReferenceLine]) -> tuple[Caution, ...]:
    """Cautions SS304 (noise in the plug-in S), SS305 (the published baseline) and SS204."""
    plug_in, corrected = found.estimate[:2]
    said = ", ".join(f"{line.label} give {number(line.value, 1)}" for line in lines[1:2])
    said += f" and a random ranking {number(lines[2].value, 1)}"
    size, better = "", "S corrected for noise where it exists"
    if not np.isnan(corrected):
        size = f"about {number(plug_in - corrected)} of S = {number(plug_in)} is the scatter of single comparisons"
        better = f"S corrected for noise ({number(corrected)})"
    cautions = [
        caution("SS304", size or "noise in the win rates raises S", affects="S, most where comparisons are few",
                fix=f"quote {better}, or compare only designs with equal counts"),
        caution(
            "SS305",
            f"the role-conflict study's random baseline of about 100 is none of these: on this design {said}",
            affects="what S is compared with",
            fix="use the reference lines",
        ),
    ]  # fmt: skip
    lost = found.boot.caution("intervals of S") if found.boot is not None else None
    return (*cautions, lost) if lost else tuple(cautions)


@reads(Comparisons, tables=2)
def sensitivity_difference(
    first: Comparisons | TableLike,
    second: Comparisons | TableLike,
    covariate: str = "urgency",
    *,
    labels: tuple[str, str] = ("first", "second"),
    weights: Weighting = "opponent",
    unmatched: Literal["error", "drop"] = "error",
    ci: Literal["jackknife", "basic"] = "jackknife",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    **columns: Any,
) -> Result:
    """Estimate the difference in S of two choosers who judged the same pairs.

    S(first) - S(second): negative when the first is closer to following urgency. Pairs of items are matched by
    name and resampled together, so what makes a pair hard for both cancels.

    Parameters
    ----------
    first, second : Comparisons, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    covariate : str
    labels : pair of str
    weights : {"opponent", "pooled"}
    unmatched : {"error", "drop"}
        What to do with pairs that only one of the designs has; dropped pairs are listed (caution SS301).
    ci : {"jackknife", "basic"}
        ``"jackknife"``: over pairs of items, both designs together, around the corrected difference, t with one degree
        of freedom less than there are pairs (without a corrected value: ``"basic"``). ``"basic"``: bootstrap.
    resamples, seed : int
        Of the bootstrap.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows with the terms of `sensitivity`: group ``"difference"`` with intervals, and the estimates of both designs
        in groups named by `labels`. Tests of no difference only for ``S`` and ``S_corrected``: t, the corrected
        difference over its jackknife s.e.; with ``"basic"`` z, the estimate over its bootstrap s.e.

    Raises
    ------
    InputError
        If pairs are unmatched, options unknown, or a design has a ``by`` factor.
    UndefinedStatistic
        If S is undefined for either.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.
    Davison, A. C., & Hinkley, D. V. (1997). doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> sensitivity_difference(design, design, resamples=100).row("S", group="difference").estimate
    0.0
    """
    if ci not in ("jackknife", "basic"):
        raise InputError(f"ci='{ci}' is not one of jackknife, basic")
    return paired_difference(
        first, second, covariate, labels=labels, weights=weights, unmatched=unmatched, ci=ci,
        resamples=resamples, seed=seed, level=level,
    )  # fmt: skip


def sentence(result: Result) -> str:
    """Say S with its interval and the nearest reference lines."""
    if "labels" in result.settings:
        return difference_sentence(result)
    plain, corrected = result.row("S"), result.row("S_corrected")
    level = result.settings["level"]
    text = f"Sensitivity to {result.settings['covariate']} was S = {number(plain.estimate)}, "
    text += interval(plain.conf_low, plain.conf_high, level=level)
    if corrected.estimate is not None:
        text += f"; corrected for the noise of single comparisons, {number(corrected.estimate)}"
    lines: tuple[ReferenceLine, ...] = result.extras["reference_lines"]
    text += " (" + ", ".join(f"{number(line.value, 1)} = {line.label}" for line in lines) + ")."
    return text


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw S on a number line beside its reference lines (differences: a forest)."""
    from socialstats.figures import Mark, forest, strip

    if "labels" in result.settings:
        rows = [replace(r, term=in_words(r.term)) for r in result.rows if r.group == "difference"]
        return forest(rows, ax=ax, **{"sort": False, **options})
    marks = [
        Mark(label=in_words(t), value=r.estimate, low=r.conf_low, high=r.conf_high, undefined=r.undefined or "")
        for t in TERMS[:2] for r in [result.row(t)]
    ]  # fmt: skip
    lines = [Mark(label=x.label, value=x.value, kind="reference") for x in result.extras["reference_lines"]]
    return strip([*marks, *lines], ax=ax, **{"xlabel": "Sensitivity S", **options})


METRIC = Metric(
    name="sensitivity",
    title="Sensitivity S",
    design="comparisons",
    function=sensitivity,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.sensitivity:verify",
    estimand="100 times the summed mean squared distance of conditional win rates from 1, 1/2 and 0.",
    assumptions=(
        "clusters (by default pairs of items) are independent",
        "the noise that S_corrected takes off is that of independent comparisons",
    ),
    references=("davisonhinkley1997", "efron1987"),
    swap="invariant",
)
