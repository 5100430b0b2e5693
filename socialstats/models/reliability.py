"""What the coefficients of agreement of any number of raters share: their options, their rows, their cautions.

A coefficient brings its statistics, its finish and its linearised values; here they become rows with intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from socialstats.designs.parts import Factor, FloatArray, IntArray
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.models.agreement_weights import AgreementWeights
from socialstats.models.dependence import cluster_cautions, cluster_factors, cluster_text
from socialstats.models.intervals import checked_level, critical_value, two_sided_p
from socialstats.models.linearised import linearised_error
from socialstats.models.rating_counts import REFUSALS, RatingCounts, merged, rating_counts
from socialstats.resampling import Units, bootstrap, choose, jackknife
from socialstats.resampling.intervals import check_resamples
from socialstats.results import Row
from socialstats.text import count, interval, listing, number, p_value, shorten

CiName = Literal["closed", "percentile", "basic", "bca"]
CI: tuple[str, ...] = get_args(CiName)
SMALL = 50
NO_ERROR = 1e-12
NO_PAIR = "no unit has two ratings: agreement needs two or more raters of the same unit"
CONSTANT = "no variation: every rating is '{level}', so agreement by chance is complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions:
    """Options that all coefficients take; see `krippendorff_alpha`."""

    refusal: str
    raters: tuple[str, ...] | None
    stratum: str | None
    ci: str
    cluster: Any
    on_undefined: Any
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        if self.ci not in CI:
            raise InputError(f"ci='{self.ci}' is not one of {', '.join(CI)}")
        if self.refusal not in REFUSALS:
            raise InputError(f"refusal='{self.refusal}' is not one of {', '.join(REFUSALS)}")
        allowed = self.on_undefined in ("nan", "raise") or (
            isinstance(self.on_undefined, float | int)
            and not isinstance(self.on_undefined, bool)
            and self.on_undefined == 1
        )
        if not allowed:
            raise InputError(f"on_undefined={self.on_undefined!r} is not one of 'nan', 'raise', 1.0")
        if self.ci != "closed":
            check_resamples(self.resamples, self.level)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def fit(self, row: Row) -> dict[str, Any]:
        """Return the header of a result whose first row is this one."""
        drawn = {} if self.ci == "closed" else {"seed": self.seed, "resamples": self.resamples}
        return {"nobs": int(row.n or 0), "n_clusters": row.n_clusters, "method": row.method, **drawn}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficient:
    """One coefficient of one group of units.

    Attributes
    ----------
    estimate : float
        NaN where it does not exist.
    statistics, finish
        As for `socialstats.resampling.bootstrap`.
    values : callable
        Returns the linearised values of the units, whose mean has the standard error of the coefficient.
    """

    estimate: float
    statistics: Any
    finish: Callable[[FloatArray], FloatArray]
    values: Callable[[], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Group:
    """The units of one row: all of them, or one level of a stratum.

    Attributes
    ----------
    name : str or None
    design : Ratings
    counts : RatingCounts
        Units with a rating (or with two); alike ones together unless there are clusters.
    clusters : tuple of (units,) int64 arrays
    """

    name: str | None
    design: Ratings
    counts: RatingCounts
    clusters: tuple[IntArray, ...]

    @property
    def n_paired(self) -> int:
        """Units with two ratings or more."""
        return int(self.counts.copies[self.counts.size > 1].sum())

    @property
    def n_clusters(self) -> int | None:
        """Levels of the (smaller) cluster factor; None without clusters."""
        return min(len(np.unique(codes)) for codes in self.clusters) if self.clusters else None


def chosen_raters(design: Ratings, options: AgreementOptions) -> Ratings:
    """Return the design of the raters asked for.

    Raises
    ------
    NothingToAnalyse
        If no unit has two ratings.
    """
    if options.raters is not None:
        if not design.raters_known:
            raise InputError("raters= needs raters with names; these ratings are counts of levels")
        design = design.of_raters(options.raters)
    counts = rating_counts(design, refusal=options.refusal)
    if not np.any(counts.size > 1):
        raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
    return design


def groups_of(design: Ratings, options: AgreementOptions, *, least: int) -> list[Group]:
    """All units, and then the units of each level of the stratum; units with fewer than `least` ratings left out."""
    parts: list[tuple[str | None, Ratings]] = [(None, design)]
    if options.stratum is not None:
        parts += list(design.split_units(options.stratum).items())
    out = []
    for name, part in parts:
        counts = rating_counts(part, refusal=options.refusal)
        counts = counts.keep(counts.size >= least)
        factors = cluster_factors(part, options.cluster)
        codes = tuple(factor.codes[counts.index] for factor in factors)
        out.append(Group(name=name, design=part, counts=counts if codes else merged(counts), clusters=codes))
    return out


def reliability_weights(design: Ratings, weights: AgreementWeights, refusal: str) -> AgreementWeights:
    """Return the weights with a row and column for refusals, where these are a level.

    Raises
    ------
    InputError
        If a refusal is a level and the weights are not the unweighted ones.
    """
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    if refusal == "missing":
        return weights
    if weights.name != "unweighted":
        raise InputError(f"refusal='level' needs weights='unweighted': '{weights.name}' has no place for a refusal")
    return AgreementWeights(name=weights.name, matrix=np.eye(len(design.levels) + 1))


def coefficient_row(
    term: str, group: Group, coefficient: Coefficient, options: AgreementOptions
) -> tuple[Row, Caution | None]:
    """Make the row of a coefficient with its interval.

    Raises
    ------
    UndefinedStatistic
        If the coefficient does not exist and ``on_undefined="raise"``.
    """
    counts = group.counts
    known: dict[str, Any] = {
        "term": term, "group": group.name, "n": float(counts.n_ratings), "n_units": counts.n_units,
        "n_clusters": group.n_clusters,
    }  # fmt: skip
    if math.isnan(coefficient.estimate):
        why = undefined_reason(group)
        if options.on_undefined == "raise":
            raise UndefinedStatistic(f"{term}{f' of {shorten(group.name)}' if group.name else ''}: {why}")
        if options.on_undefined == "nan" or group.n_paired == 0:
            return Row(**known, undefined=why), None
        return Row(**known, estimate=1.0, undefined=f"{why}; set to 1 by on_undefined"), None
    known["estimate"] = coefficient.estimate
    why = no_error(group, coefficient)
    if why:
        return Row(**known, undefined=why), None
    if options.ci == "closed":
        return Row(**known, **closed(group, coefficient, options.level)), None
    fields, found = resampled(group, coefficient, options)
    return Row(**known, **fields), found


def undefined_reason(group: Group) -> str:
    """Say why a coefficient does not exist."""
    if group.n_paired == 0:
        return NO_PAIR
    return CONSTANT.format(level=shorten(group.counts.levels[int(group.counts.level[0])]))


def no_error(group: Group, coefficient: Coefficient) -> str:
    """Say why a coefficient has no interval; empty where it has one."""
    if group.n_clusters is not None and group.n_clusters < 2:
        return "all units are in one cluster: no standard error"
    if group.counts.n_units < 2:
        return "one unit has no standard error"
    if group.counts.agrees:
        return "perfect agreement in every unit: an interval would have no width, whatever the number of units"
    values = coefficient.values()
    if np.ptp(values) <= NO_ERROR * max(1.0, float(np.abs(values).max())):
        return "all units are rated alike: an interval would have no width, whatever the number of units"
    return ""


def closed(group: Group, coefficient: Coefficient, level: float) -> dict[str, Any]:
    """Row fields of the t interval with the linearised standard error, cut at 1, and of the test of 0."""
    error, df = linearised_error(coefficient.values(), group.counts.copies, group.clusters)
    if not error > NO_ERROR:
        return {"undefined": "all clusters agree alike: an interval would have no width"}
    reach = critical_value(level, df) * error
    t = coefficient.estimate / error
    return {
        "std_error": error, "conf_low": coefficient.estimate - reach, "conf_level": level,
        "conf_high": min(1.0, coefficient.estimate + reach), "statistic": t, "df": df,
        "p_value": float(two_sided_p(np.asarray(t), df)), "method": "linearised s.e., t interval",
    }  # fmt: skip


def resampled(
    group: Group, coefficient: Coefficient, options: AgreementOptions
) -> tuple[dict[str, Any], Caution | None]:
    """Row fields of a bootstrap interval of units or clusters, and caution SS204."""
    units = Units.clusters(*group.clusters) if group.clusters else Units.rows(group.counts.copies)
    try:
        boot = bootstrap(
            coefficient.statistics, coefficient.finish, units, resamples=options.resamples, seed=options.seed
        )
    except UndefinedStatistic as error:
        return {"undefined": str(error)}, None
    if boot.is_constant[0]:
        return {"undefined": "every resample gave the same number: an interval would have no width"}, None
    jack = jackknife(coefficient.statistics, coefficient.finish, units) if options.ci == "bca" and len(
        units.sizes) == 1 else None  # fmt: skip
    found = choose(options.ci, boot, level=options.level, jack=jack)
    what = "clusters" if group.clusters else "units"
    fields: dict[str, Any] = {"std_error": float(boot.std_error[0]), "method": f"{options.ci} bootstrap of {what}"}
    if found.undefined[0]:
        fields["undefined"] = found.undefined[0]
    else:
        ends = float(found.low[0]), float(found.high[0])
        if ends[0] <= coefficient.estimate <= ends[1]:
            fields |= {"conf_low": ends[0], "conf_high": min(1.0, ends[1]), "conf_level": options.level}
        else:
            fields["undefined"] = "the bootstrap interval leaves the estimate out: too few or too uneven units"
    return fields, boot.caution("the interval")


def inference_text(design: Ratings, options: AgreementOptions) -> str:
    """Say how the intervals were obtained."""
    over = cluster_text(cluster_factors(design, options.cluster), "units")
    if options.ci == "closed":
        return f"t intervals with linearised standard errors; {over}"
    return f"{options.ci} bootstrap intervals, {count(options.resamples)} resamples, seed {options.seed}; {over}"


def agreement_cautions(
    design: Ratings, groups: Sequence[Group], rows: Sequence[Row], options: AgreementOptions
) -> tuple[Caution, ...]:
    """Cautions on clusters, small samples, constant ratings, and missing ratings."""
    factors: tuple[Factor, ...] = cluster_factors(design, options.cluster)
    found = list(cluster_cautions(design, factors))
    units = groups[0].n_paired
    if units < SMALL and not factors:
        fix = f"rate {SMALL} units or more, or read the interval as approximate"
        found.append(caution("SS312", f"{count(units, 'unit')} with two or more ratings", affects="intervals", fix=fix))
    still = [row for row in rows if row.undefined and row.undefined.startswith("no variation")]
    if still:
        where = ", ".join(shorten(row.group) for row in still[:5] if row.group) or "all units"
        found.append(caution("SS313", f"every rating is the same in {where}", affects="the coefficient there",
                             fix="take units that differ: a reliability needs something to tell apart"))  # fmt: skip
    return (*found, *missing_cautions(design, groups[0], options))


def missing_cautions(design: Ratings, group: Group, options: AgreementOptions) -> tuple[Caution, ...]:
    """Caution SS315: refusals, missing ratings, and units with fewer than two ratings."""
    copies = design.unit_count[design.unit]
    refused = int(copies[design.status == REFUSAL].sum())
    rated = int(copies[design.status == OK].sum())
    cells = int(design.unit_count.sum()) * len(design.raters)
    unparsed = int(copies[design.status == MISSING].sum())
    alone = int(design.unit_count.sum()) - group.n_paired
    said = []
    if refused:
        as_what = "counted as a level" if options.refusal == "level" else "counted as missing"
        said.append(f"{count(refused, 'refusal')} {as_what}")
    if cells > rated + refused and design.raters_known:
        said.append(f"{count(cells - rated - refused)} of {count(cells)} ratings missing or not asked for")
    if unparsed and design.raters_known and unparsed < cells - rated - refused:
        said.append(f"{count(unparsed)} of them written as missing")
    if alone:
        said.append(f"{count(alone, 'unit')} with fewer than two ratings")
    if not said:
        return ()
    return (caution("SS315", "; ".join(said), affects="which ratings enter; units must be missing at random"),)


def reliability_counts(design: Ratings, counts: RatingCounts) -> dict[str, int]:
    """Number of units, raters (where they are known) and ratings of a result."""
    raters = {"raters": len(design.raters)} if design.raters_known else {}
    return {"units": counts.n_units, **raters, "ratings": counts.n_ratings}


def reliability_sentence(result: Any, name: str) -> str:
    """Say the coefficient of all units with its interval and what it was computed from.

    Parameters
    ----------
    result : Result
        With counts of units, raters (where known) and ratings, and the coefficient of all units as its first row.
    name : str
        Of the coefficient, in words.
    """
    row, n = result.rows[0], result.counts
    known = [count(n[f"{what}s"], what) for what in ("unit", "rater", "rating") if f"{what}s" in n]
    of = listing(known)
    start = f"{name} of {of}"
    if row.estimate is None:
        return f"{start} does not exist: {row.undefined}."
    value = f"{start} was {number(row.estimate, 3, bounded=True)}"
    if row.conf_low is None:
        return f"{value}, without an interval: {row.undefined}."
    ends = interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)
    over = f", over {count(row.n_clusters, 'cluster')}" if row.n_clusters else ""
    if row.statistic is None:
        return f"{value}, {ends} ({row.method}{over})."
    return f"{value}, {ends}, t({number(row.df, 0)}) = {number(row.statistic)}, {p_value(row.p_value)}{over}."


def reliability_rows(result: Any, term: str) -> list[Row]:
    """Rows of the coefficient `term` for a figure, named by their group."""
    return [replace(row, term=row.group or "all units", group=None) for row in result.rows if row.term == term]
