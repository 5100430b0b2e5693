"""What the coefficients of agreement of any number of raters share: their options, their rows, their cautions.

A coefficient brings its statistics, its finish and its linearised values; here they become rows with intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.how import NAMES, How
from socialstats.inference.infer import Disagreement, Estimand, infer
from socialstats.inference.rows import with_inferred
from socialstats.models.agreement_weights import AgreementWeights, weights_of
from socialstats.models.pair_values import whole
from socialstats.models.rating_counts import REFUSALS, RatingCounts, merged, rating_counts
from socialstats.results import Row
from socialstats.text import count, shorten

CiName = Literal["closed", "percentile", "basic", "bca"]
CI: tuple[str, ...] = get_args(CiName)
NO_ERROR = 1e-12
MOST_LEVELS = 2000
METHODS = {
    "t": "linearised s.e., t interval", "fisher": "error by clusters, Fisher z, t",
    "disagreements": "Korn and Graubard's interval of the share of disagreement",
    "hull": "Fisher z and Korn and Graubard's interval of the share of disagreement, the wider at each end",
}  # fmt: skip
NO_PAIR = "no unit has two ratings: agreement needs two or more raters of the same unit"
FULL = "no variation: the weights say that all levels given agree fully"
CONSTANT = "no variation: every rating is '{level}', so agreement by chance is complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(How):
    """Options that all coefficients take; see `krippendorff_alpha`."""

    refusal: str
    raters: tuple[str, ...] | None
    stratum: str | None
    on_undefined: Any

    def check_all(self) -> None:
        """Raise InputError for an impossible option."""
        self.check(CI)
        if self.refusal not in REFUSALS:
            raise InputError(f"refusal='{self.refusal}' is not one of {', '.join(REFUSALS)}")
        allowed = self.on_undefined in ("nan", "raise") or (
            isinstance(self.on_undefined, float | int)
            and not isinstance(self.on_undefined, bool)
            and self.on_undefined == 1
        )
        if not allowed:
            raise InputError(f"on_undefined={self.on_undefined!r} is not one of 'nan', 'raise', 1.0")

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        names = ("refusal", "raters", "stratum", "ci", "cluster", "on_undefined", "level", "resamples", "seed")
        return {name: getattr(self, name) for name in names}

    def fit(self, row: Row, largest: float) -> dict[str, Any]:
        """Return the header of a result whose first row is this one."""
        return {
            "nobs": int(row.n or 0), "n_clusters": row.n_clusters, "df": None if row.df is None else whole(row.df),
            "method": row.method, "effective_df": row.df, "largest_leverage": largest or None, **self.drawn,
        }  # fmt: skip


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
    apart, weight : callable, (units,) float64 array
        Disagreement within each unit, from 0 to 1, and what the unit weighs in its mean.
    expected : float
        That disagreement by chance: the coefficient is 1 - sum weight apart / sum weight / expected.
    """

    estimate: float
    statistics: Any
    finish: Callable[[FloatArray], FloatArray]
    values: Callable[[], FloatArray]
    apart: FloatArray
    weight: FloatArray
    expected: float

    def estimand(self, copies: FloatArray) -> Estimand:
        """Return what the room of inference needs."""
        n, weight = copies.sum(), copies * self.weight
        shares = weight / weight.sum()

        def influence() -> FloatArray:
            values = self.values()
            return np.asarray((values - copies @ values / n) * copies / n)[:, None]

        return Estimand(
            estimate=np.array([self.estimate]), influence=influence, shares=(copies / n)[:, None], copies=copies,
            statistics=self.statistics, finish=self.finish, disagreement=Disagreement(
                values=(shares * self.apart)[:, None], shares=shares[:, None], expected=np.array([self.expected])
            ),
        )  # fmt: skip


NOTHING = np.zeros(0)
UNDEFINED = Coefficient(
    estimate=math.nan, statistics=None, finish=np.asarray, values=lambda: NOTHING, apart=NOTHING, weight=NOTHING,
    expected=math.nan,
)  # fmt: skip


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


def coefficient_rows(
    term: str, groups: Sequence[Group], coefficients: Sequence[Coefficient], options: AgreementOptions
) -> tuple[tuple[Row, ...], tuple[Caution, ...], float]:
    """Make the rows of a coefficient, of all units and of each level of the stratum, with their intervals.

    Returns
    -------
    tuple
        Rows, cautions, and the largest share of a coefficient that one cluster holds.

    Raises
    ------
    UndefinedStatistic
        If a coefficient does not exist and ``on_undefined="raise"``.
    """
    made = [coefficient_row(term, *one, options) for one in zip(groups, coefficients, strict=True)]
    cautions: dict[str, Caution] = {}
    for _, _, found in made:
        for one in found:
            cautions.setdefault(one.code, one)
    return tuple(row for row, _, _ in made), tuple(cautions.values()), max(largest for _, largest, _ in made)


def coefficient_row(
    term: str, group: Group, coefficient: Coefficient, options: AgreementOptions
) -> tuple[Row, float, tuple[Caution, ...]]:
    """Make the row of a coefficient, with the largest share of a cluster and cautions."""
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
            return Row(**known, undefined=why), 0.0, ()
        return Row(**known, estimate=1.0, undefined=f"{why}; set to 1 by on_undefined"), 0.0, ()
    (found,), cautions = infer(coefficient.estimand(counts.copies), group.clusters, options)
    what = "clusters" if group.clusters else "units"
    method = METHODS.get(found.kind) or f"{NAMES[found.kind]} bootstrap of {what}"
    tested = options.ci == "closed"
    row = Row(**known, estimate=coefficient.estimate, method=None if found.why and found.std_error is None else method)
    return with_inferred(row, found, options.level, test=tested), found.largest, cautions


def undefined_reason(group: Group) -> str:
    """Say why a coefficient does not exist."""
    if group.n_paired == 0:
        return NO_PAIR
    if group.counts.varies:
        return FULL
    return CONSTANT.format(level=shorten(group.counts.levels[int(group.counts.level[0])]))
