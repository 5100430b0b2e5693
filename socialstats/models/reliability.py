"""What the coefficients of agreement of any number of raters share: their options, their rows, their cautions.

A coefficient brings its statistics, its finish and its linearised values; here they become rows with intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.intervals import checked_level, critical_value, two_sided_p
from socialstats.inference.linearised import linearised_error
from socialstats.models.agreement_weights import AgreementWeights, weights_of
from socialstats.models.pair_values import whole
from socialstats.models.rating_counts import REFUSALS, RatingCounts, merged, rating_counts
from socialstats.resampling import Units, bootstrap, choose, jackknife
from socialstats.resampling.intervals import check_resamples
from socialstats.results import Row
from socialstats.text import count, shorten

CiName = Literal["closed", "percentile", "basic", "bca"]
CI: tuple[str, ...] = get_args(CiName)
NO_ERROR = 1e-12
MOST_LEVELS = 2000
FEWEST_UNITS = 3  # two units give alpha two influences of one size: an interval of no meaning
NAMES = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
NO_PAIR = "no unit has two ratings: agreement needs two or more raters of the same unit"
ALIKE = "all {what} are rated alike: an interval would have no width, whatever their number"
FULL = "no variation: the weights say that all levels given agree fully"
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
        return {
            "nobs": int(row.n or 0),
            "n_clusters": row.n_clusters,
            "df": None if row.df is None else whole(row.df),
            "method": row.method,
            **drawn,
        }


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
    """Return the design of the raters asked for."""
    if options.raters is not None:
        if not design.raters_known:
            raise InputError("raters= needs raters with names; these ratings are counts of levels")
        design = design.of_raters(options.raters)
    return design


def groups_of(design: Ratings, options: AgreementOptions, *, least: int) -> list[Group]:
    """All units, and then the units of each level of the stratum; units with fewer than `least` ratings left out.

    Raises
    ------
    NothingToAnalyse
        If no unit has two ratings.
    """
    parts: list[tuple[str | None, Ratings]] = [(None, design)]
    if options.stratum is not None:
        parts += list(design.split_units(options.stratum).items())
    out = []
    for name, part in parts:
        counts = rating_counts(part, refusal=options.refusal)
        if name is None and not np.any(counts.size > 1):
            raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
        counts = counts.keep(counts.size >= least)
        factors = cluster_factors(part, options.cluster)
        codes = tuple(factor.codes[counts.index] for factor in factors)
        out.append(Group(name=name, design=part, counts=counts if codes else merged(counts), clusters=codes))
    return out


def reliability_weights(design: Ratings, weights: Any, kind: str, refusal: str) -> AgreementWeights:
    """Return the weights of the levels, with a row and column for refusals where these are a level.

    Raises
    ------
    InputError
        If there are too many levels for a table of weights, or a refusal is a level and the levels are weighted.
    """
    if len(design.levels) > MOST_LEVELS:
        raise InputError(
            f"{count(len(design.levels), 'different value')}, too many for levels of agreement (at most "
            f"{count(MOST_LEVELS)}): group the values, or use krippendorff_alpha(scale='interval')"
        )
    chosen = weights_of(design, weights, kind=kind)
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    if refusal == "missing":
        return chosen
    if chosen.name != "unweighted":
        raise InputError(f"refusal='level' needs weights='unweighted': '{chosen.name}' has no place for a refusal")
    return AgreementWeights(name=chosen.name, matrix=np.eye(len(design.levels) + 1))


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
    why = no_error(group)
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
    if group.counts.varies:
        return FULL
    return CONSTANT.format(level=shorten(group.counts.levels[int(group.counts.level[0])]))


def no_error(group: Group) -> str:
    """Say why a coefficient has no interval; empty where it has one."""
    if group.n_clusters is not None and group.n_clusters < 2:
        return "all units are in one cluster: no standard error"
    if group.counts.n_units < FEWEST_UNITS:
        return f"{count(group.counts.n_units, 'unit')}: too few for a standard error"
    if group.counts.agrees:
        return "perfect agreement in every unit: an interval would have no width, whatever the number of units"
    return ""


def closed(group: Group, coefficient: Coefficient, level: float) -> dict[str, Any]:
    """Row fields of the t interval with the linearised standard error, cut at 1, and of the test of 0."""
    error, df = linearised_error(coefficient.values(), group.counts.copies, group.clusters)
    if not error > NO_ERROR:
        return {"undefined": ALIKE.format(what="clusters" if group.clusters else "units")}
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
        return {"undefined": ALIKE.format(what="clusters" if group.clusters else "units")}, None
    jack = jackknife(coefficient.statistics, coefficient.finish, units) if options.ci == "bca" and len(
        units.sizes) == 1 else None  # fmt: skip
    found = choose(options.ci, boot, level=options.level, jack=jack)
    what = "clusters" if group.clusters else "units"
    fields: dict[str, Any] = {
        "std_error": float(boot.std_error[0]),
        "method": f"{NAMES[options.ci]} bootstrap of {what}",
    }
    if found.undefined[0]:
        fields["undefined"] = found.undefined[0]
    else:
        ends = float(found.low[0]), float(found.high[0])
        if ends[0] <= coefficient.estimate <= ends[1]:
            fields |= {"conf_low": ends[0], "conf_high": min(1.0, ends[1]), "conf_level": options.level}
        else:
            fields["undefined"] = "the bootstrap interval leaves the estimate out: too few or too uneven units"
    return fields, boot.caution("the interval")
