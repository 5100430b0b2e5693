"""Sensitivity S: how far the choices are from following urgency alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.dependence import cluster_cautions, cluster_factors, cluster_text, units_of
from socialstats.models.conditions import ConditionTable, Weighting, condition_table, table_cautions
from socialstats.models.sensitivity_index import (
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
from socialstats.results import FloatArray, Result, ResultGroup, Row, by_levels
from socialstats.text import interval, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ci = Literal["basic", "percentile", "bca"]
CIS: tuple[str, ...] = get_args(Ci)
EMPTY = "no item has a comparison under some condition"
SAME = "every resample gives the same value: no interval"
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
    ci: Ci = "basic",
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
    ci : {"basic", "percentile", "bca"}
    level : float
    groups : mapping of item to group, optional
        Adds the reference line of a ranking group by group.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows ``S`` (plug-in), ``S_corrected``, the components ``S_higher``, ``S_equal``, ``S_lower`` that sum to
        S, and their corrected values. `extras` holds ``reference_lines`` (exact for this design), the
        ``bootstrap``, and ``monte_carlo_error`` of the interval's ends by term.

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
    halves, and opponents with different p, vary less than that: it then takes off too much. In a resample the same
    happens again, so percentile intervals are shifted up twice; ``ci="basic"`` takes the shift off: for S,
    2 S - quantiles of S*; for ``S_corrected``, S_corrected - (quantiles of S*_corrected - S), because S is the
    truth from which the resamples come. Intervals are cut to the possible range, and widened to hold their own
    estimate where its bias exceeds the interval's width (choices near the target).

    Coverage of nominal 95 % intervals in 250 simulations each (24 items, 216 pairs x 9, six truths from coin flips
    to a strong urgency effect, without and with a pair effect of sd 1): ``basic`` .952 to 1.000 for S and for
    S_corrected (above .99 only when a hierarchy decides, where resampling pairs also varies the opponents);
    ``percentile`` .03 to .96 for S. ``bca`` does not repair the bias and is often undefined.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, section 5.2.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> result = sensitivity(design, resamples=200)
    >>> s = result.row("S")
    >>> s.conf_low <= s.estimate <= s.conf_high
    True
    >>> [round(line.value, 1) for line in result.extras["reference_lines"]]
    [0.0, 50.5, 76.1, 125.0]
    """
    if ci not in CIS:
        raise InputError(f"ci='{ci}' is not one of {', '.join(CIS)}")
    settings: dict[str, Any] = {
        "covariate": covariate, "weights": weights, "cluster": cluster, "resamples": resamples, "seed": seed,
        "ci": ci, "level": level, "groups": None if groups is None else dict(groups),
    }  # fmt: skip
    return by_levels(comparisons, "declared", lambda one: estimate(one, settings))


def estimate(design: Comparisons, settings: dict[str, Any]) -> Result:
    """Compute S of one design."""
    codes = group_codes(design.items, settings["groups"])
    table = condition_table(design, settings["covariate"], settings["weights"])
    factors = cluster_factors(design, settings["cluster"])
    boot, ends = resampled(design, table, units_of(design, factors), len(factors), settings)
    lines, ci = reference_lines(design, table, settings["weights"], codes), settings["ci"]
    errors = zip(ends.error_low.tolist(), ends.error_high.tolist(), strict=True)
    return Result(
        metric="sensitivity",
        title=f"Sensitivity to {settings['covariate']}",
        inference=f"{ci} bootstrap intervals, {cluster_text(factors)}",
        rows=rows_of(boot, ends, design),
        counts={"comparisons": design.n_rows, "items": len(design.items), "pairs": len(design.pair.levels)},
        fit={
            "nobs": design.n_rows, "n_clusters": boot.units.n_clusters, "seed": settings["seed"],
            "resamples": settings["resamples"], "method": ci,
        },
        settings=dict(settings),
        cautions=(
            *table_cautions(design, table), *cluster_cautions(design, factors), *own_cautions(boot, lines)
        ),
        references=("davisonhinkley1997",) if ci != "bca" else ("davisonhinkley1997", "efron1987"),
        design=design,
        extras={
            "reference_lines": lines, "bootstrap": boot, "monte_carlo_error": dict(zip(TERMS, errors, strict=True)),
        },
    )  # fmt: skip


def resampled(
    design: Comparisons, table: ConditionTable, units: Units, n_factors: int, settings: dict[str, Any]
) -> tuple[Bootstrap, Interval]:
    """Return the bootstrap of all terms and their intervals."""

    def finish(sums: FloatArray) -> FloatArray:
        return sensitivity_terms(sums, len(design.items))

    boot = bootstrap(table.statistics, finish, units, resamples=settings["resamples"], seed=settings["seed"])
    if np.isnan(boot.estimate[0]):
        raise UndefinedStatistic(f"S is undefined: {EMPTY}; it needs higher, equal and lower {settings['covariate']}")
    if settings["ci"] == "basic":
        return boot, basic(boot, level=settings["level"], centre=boot.estimate[PLUG_IN])
    jack = jackknife(table.statistics, finish, units) if settings["ci"] == "bca" and n_factors < 2 else None
    return boot, choose(settings["ci"], boot, level=settings["level"], jack=jack)


def rows_of(boot: Bootstrap, ends: Interval, design: Comparisons) -> tuple[Row, ...]:
    """Rows of S, its corrected value and the components, intervals cut to the possible range."""
    rows = []
    flat, errors = boot.is_constant, boot.std_error
    for j, term in enumerate(TERMS):
        value = boot.estimate[j]
        corrected = term.endswith("corrected")
        defined = not np.isnan(value)
        why = SAME if flat[j] or flat[PLUG_IN[j]] else ends.undefined[j]
        known = defined and not why
        rows.append(
            Row(
                term=term,
                group="corrected" if corrected else "plug_in",
                estimate=float(value) if defined else None,
                std_error=float(errors[j]) if known else None,
                conf_low=float(min(max(ends.low[j], 0.0), value)) if known else None,
                conf_high=float(max(min(ends.high[j], LARGEST[j]), value)) if known else None,
                conf_level=ends.level if known else None,
                n=float(design.n_rows),
                n_units=len(design.items),
                n_clusters=boot.units.n_clusters,
                method=f"{ends.method} bootstrap" + (", centred" if corrected and ends.method == "basic" else ""),
                undefined=None if known else why if defined else ONCE if corrected else EMPTY,
            )
        )
    return tuple(rows)


def own_cautions(boot: Bootstrap, lines: Sequence[ReferenceLine]) -> tuple[Caution, ...]:
    """Cautions SS304 (noise in the plug-in S), SS305 (the published baseline) and SS204."""
    plug_in, corrected = boot.estimate[:2]
    said = ", ".join(f"{line.label} give {number(line.value, 1)}" for line in lines[1:2])
    said += f" and a random ranking {number(lines[2].value, 1)}"
    size, better = "", "S corrected for noise where it exists"
    if not np.isnan(corrected):
        size = f"about {number(plug_in - corrected)} of S = {number(plug_in)} is the scatter of single comparisons"
        better = f"S corrected for noise ({number(corrected)})"
    found = [
        caution("SS304", size or "noise in the win rates raises S", affects="S, most where comparisons are few",
                fix=f"quote {better}, or compare only designs with equal counts"),
        caution(
            "SS305",
            f"the role-conflict study's random baseline of about 100 is none of these: on this design {said}",
            affects="what S is compared with",
            fix="use the reference lines",
        ),
    ]  # fmt: skip
    lost = boot.caution("intervals of S")
    return (*found, lost) if lost else tuple(found)


@reads(Comparisons, tables=2)
def sensitivity_difference(
    first: Comparisons | TableLike,
    second: Comparisons | TableLike,
    covariate: str = "urgency",
    *,
    labels: tuple[str, str] = ("first", "second"),
    weights: Weighting = "opponent",
    unmatched: Literal["error", "drop"] = "error",
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
    resamples, seed : int
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    Result
        Rows with the terms of `sensitivity`: group ``"difference"`` with basic intervals (centred for the
        corrected terms), and the estimates of both designs in groups named by `labels`. z and p only for
        ``S`` and ``S_corrected``: estimate over bootstrap s.e., hypothesis: no difference.

    Raises
    ------
    InputError
        If pairs are unmatched, options unknown, or a design has a ``by`` factor.
    UndefinedStatistic
        If S is undefined for either.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from socialstats.datasets import role_conflict
    >>> from socialstats.designs.comparisons import Comparisons
    >>> design = Comparisons.from_frame(role_conflict(), covariates=["urgency"])
    >>> sensitivity_difference(design, design, resamples=100).row("S", group="difference").estimate
    0.0
    """
    return paired_difference(
        first, second, covariate, labels=labels, weights=weights, unmatched=unmatched,
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
