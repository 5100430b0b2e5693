"""Rows, options and sentences that all coefficients of agreement share: of all units, and of each stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from socialstats import sentences
from socialstats.agreement.coefficients import Coefficient
from socialstats.agreement.rating_counts import (
    NO_PAIR,
    RatingCounts,
    group_alike_units,
    rating_counts,
)
from socialstats.arrays import IntArray
from socialstats.designs.options import texts
from socialstats.designs.parts import MISSING, OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import REFUSALS
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    rare_level_cautions,
    small_sample_caution,
)
from socialstats.inference.how import NAMES, How
from socialstats.inference.infer import infer
from socialstats.inference.rows import with_inferred
from socialstats.paired.pair_values import whole_df
from socialstats.registry import Metric
from socialstats.results import Result, Row
from socialstats.results.plots import forest_plot
from socialstats.results.rows import Reason
from socialstats.text import count, shorten
from socialstats.voice import Word, check_allowed, option

CiName = Literal["closed", "percentile", "basic", "bca"]
CI: tuple[str, ...] = get_args(CiName)
OnUndefined = Literal["nan", "raise"] | float
METHODS = {
    "t": "linearised s.e., t interval",
    "fisher": "error by clusters, Fisher z, t",
    "disagreements": "Korn and Graubard's interval of the share of disagreement",
    "hull": "Fisher z and Korn and Graubard's interval of the share of disagreement, the wider at each end",
}
FULL = "no variation: the weights say that all levels given agree fully"
ONE_UNIT = "one unit has two ratings: disagreement within it is all the disagreement there is"
CONSTANT = "no variation: every rating is '{level}', so agreement by chance is complete"


def checked_on_undefined(value: object) -> OnUndefined:
    """Return what to do where a coefficient is undefined: "nan", "raise", or 1.0; else raise InputError."""
    if value in ("nan", "raise"):
        return "nan" if value == "nan" else "raise"
    if not isinstance(value, bool) and isinstance(value, int | float) and value == 1:
        return 1.0
    raise InputError(f"{option('on_undefined', value)} is not one of 'nan', 'raise', 1.0")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(How):
    """Options that all coefficients take, checked; see `krippendorff_alpha`."""

    refusal: str
    raters: Sequence[str] | None
    stratum: str | None
    on_undefined: Any

    def __post_init__(self) -> None:
        """Raise InputError for an impossible option."""
        self.check(CI)
        check_allowed("refusal", self.refusal, REFUSALS)
        checked_on_undefined(self.on_undefined)

    @property
    def settings(self) -> dict[str, Any]:
        """All options, as a result records them."""
        raters = None if self.raters is None else texts(self.raters)
        return asdict(self) | {"raters": raters}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitGroup:
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


def unit_groups(design: Ratings, options: AgreementOptions, *, least: int) -> list[UnitGroup]:
    """All units, and then the units of each level of the stratum; units with fewer than `least` ratings left out.

    Raises
    ------
    NothingToAnalyse
        If no unit has two ratings.
    """
    parts: list[tuple[str | None, Ratings]] = [(None, design)]
    if options.stratum is not None:
        parts += list(design.split_units(options.stratum).items())
    groups: list[UnitGroup] = []
    for name, part in parts:
        counts = rating_counts(part, refusal=options.refusal)
        if name is None and not np.any(counts.size > 1):
            raise NothingToAnalyse(f"{design.source}: {NO_PAIR}")
        counts = counts.keep(counts.size >= least)
        codes = tuple(
            factor.codes[counts.index] for factor in cluster_factors(part, options.cluster)
        )
        if not codes:
            counts = group_alike_units(counts)
        groups.append(UnitGroup(name=name, design=part, counts=counts, clusters=codes))
    return groups


def reliability(
    metric: Metric,
    design: Ratings,
    options: AgreementOptions,
    coefficient: Callable[[UnitGroup], Coefficient | None],
    *,
    term: str,
    title: str,
    least: int,
    settings: Mapping[str, Any],
    extras: Callable[[UnitGroup], dict[str, Any]],
    tests: Callable[[UnitGroup], tuple[Row, ...]] = lambda _: (),
    cautions: Sequence[Caution] = (),
    further: Sequence[Caution] = (),
) -> Result:
    """Return the result of a coefficient of all units and of each level of the stratum.

    Parameters
    ----------
    metric : Metric
    design : Ratings
    options : AgreementOptions
    coefficient : callable
        Returns the coefficient of a group of units; None where it does not exist.
    term, title : str
    least : int
        Ratings that a unit needs to enter.
    settings : mapping
        Those beside `options`.
    extras, tests : callable
        Of all units: what a result has beside its rows; further rows.
    cautions, further : sequence of Caution
        Said before and after those about clusters and missing ratings.

    Raises
    ------
    InputError
        For raters that are not known.
    UndefinedStatistic
        If a coefficient does not exist and ``on_undefined="raise"``.
    """
    if options.raters is not None:
        if not design.raters_known:
            raise InputError(
                f"{option('raters')} needs raters with names; these ratings are counts of levels"
            )
        design = design.of_raters(texts(options.raters))
    groups = unit_groups(design, options, least=least)
    estimates = [
        coefficient_row(term, group, coefficient(group), options, title) for group in groups
    ]
    rows = [estimate.row for estimate in estimates]
    largest = max(estimate.largest_cluster for estimate in estimates)
    of_clusters = agreement_cautions(design, groups, rows, options, largest)
    of_rows = one_of_each_code(chain.from_iterable(estimate.cautions for estimate in estimates))
    row, counts = rows[0], groups[0].counts
    raters = {"raters": len(design.raters)} if design.raters_known else {}
    fit = {
        "nobs": int(row.n or 0),
        "n_clusters": row.n_clusters,
        "df": None if row.df is None else whole_df(row.df),
        "method": row.method,
        "effective_df": row.df,
        "largest_leverage": largest or None,
        **options.drawn,
    }
    return Result(
        metric=metric.name,
        title=title,
        inference=inference_text(design, options),
        rows=(*rows, *tests(groups[0])),
        counts={"units": counts.n_units, **raters, "ratings": counts.n_ratings},
        fit=fit,
        settings={**settings, **options.settings},
        cautions=(*cautions, *of_clusters, *further, *of_rows),
        references=metric.references,
        design=design,
        extras=extras(groups[0]),
    )


def one_of_each_code(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the first caution of each code, about the rows of all of them."""
    by_code: dict[str, Caution] = {}
    for warning in cautions:
        first = by_code.setdefault(warning.code, warning)
        rows = tuple(dict.fromkeys(chain(first.rows or (), warning.rows or ())))
        by_code[warning.code] = replace(first, rows=rows or None)
    return list(by_code.values())


class CoefficientRow(NamedTuple):
    """Row of a coefficient, the largest share that a cluster has in it, and its cautions."""

    row: Row
    largest_cluster: float
    cautions: tuple[Caution, ...]


def why_undefined(group: UnitGroup, term: str) -> tuple[str, Reason]:
    """Return why a coefficient of a group does not exist, in words and as a field.

    Chance agreement of AC1 and AC2 is divided by the number of levels minus one; declared levels count.
    """
    counts = group.counts
    if group.n_paired == 0:
        return NO_PAIR, "no_data"
    if not counts.varies and term in ("AC1", "AC2"):
        return (
            f"a single level, '{shorten(counts.levels[int(counts.level[0])])}': {term} needs two",
            "no_variation",
        )
    if not counts.varies:
        return CONSTANT.format(level=shorten(counts.levels[int(counts.level[0])])), "no_variation"
    return (ONE_UNIT, "one_unit") if group.n_paired == 1 else (FULL, "no_variation")


def coefficient_row(
    term: str,
    group: UnitGroup,
    coefficient: Coefficient | None,
    options: AgreementOptions,
    title: str,
) -> CoefficientRow:
    """Return the row of a coefficient, undefined with its reason where there is none."""
    counts = group.counts
    row = Row(
        term=term,
        group=group.name,
        key=() if group.name is None else (("stratum", group.name),),
        role="estimate",
        n=float(counts.n_ratings),
        n_units=counts.n_units,
        n_clusters=group.n_clusters,
    )
    if coefficient is None:
        why, reason = why_undefined(group, term)
        if options.on_undefined == "raise":
            raise UndefinedStatistic(
                f"{term}{f' of {shorten(group.name)}' if group.name else ''}: {why}"
            )
        row = replace(row, undefined=why, reason=reason)
        if options.on_undefined != "nan" and reason == "no_variation":
            row = replace(row, estimate=1.0, undefined=f"{why}; set to 1 by on_undefined")
        return CoefficientRow(row, 0.0, ())
    (inferred,), cautions = infer(
        coefficient.estimand(counts.copies), group.clusters, options, title, [row.name]
    )
    method = (
        METHODS.get(inferred.kind)
        or f"{NAMES[inferred.kind]} bootstrap of {'clusters' if group.clusters else 'units'}"
    )
    has_error = not inferred.why or inferred.std_error is not None
    row = replace(row, estimate=coefficient.estimate, method=method if has_error else None)
    row = with_inferred(row, inferred, options.level, test=options.ci == "closed")
    return CoefficientRow(row, inferred.largest, cautions)


SMALL = 50  # units below which SS312 asks for more


def inference_text(design: Ratings, options: AgreementOptions) -> str:
    """State how the intervals were obtained."""
    factors = cluster_factors(design, options.cluster)
    over = cluster_text(factors, "units")
    if options.ci == "closed":
        kind = (
            "Fisher z intervals with standard errors by"
            if factors
            else "t intervals with linearised standard errors;"
        )
        return f"{kind} {over}"
    return f"{NAMES[options.ci]} bootstrap intervals, {count(options.resamples)} resamples, seed {options.seed}; {over}"


def agreement_cautions(
    design: Ratings,
    groups: Sequence[UnitGroup],
    rows: Sequence[Row],
    options: AgreementOptions,
    largest: float,
) -> tuple[Caution, ...]:
    """Cautions on clusters, small samples, constant ratings, and missing ratings."""
    factors: tuple[Factor, ...] = cluster_factors(design, options.cluster)
    with_interval = [row for row in rows if row.conf_low is not None]
    df = [row.df for row in with_interval]
    cautions = list(cluster_cautions(design, factors, df=df, largest=largest, rows=with_interval))
    units, counts = groups[0].n_paired, groups[0].counts
    if not factors and with_interval:
        fix = f"rate {SMALL} units or more, or read the interval as approximate"
        rated = f"{count(units, 'unit')} with two or more ratings"
        cautions += small_sample_caution(units, SMALL, rated, fix=fix, basis=rated)
    units_of_level = np.bincount(counts.level, counts.copies[counts.unit], len(counts.levels))
    cautions += rare_level_cautions(
        units_of_level.astype(np.float64), counts.n_units, groups[0].n_clusters
    )
    constant = [row for row in rows if row.reason == "no_variation"]
    if constant:
        where = ", ".join(shorten(row.group) for row in constant[:5] if row.group) or "all units"
        cautions.append(
            caution(
                "SS313",
                f"every rating is the same in {where}",
                affects="the coefficient there",
                fix="take units that differ: a reliability needs something to tell apart",
            )
        )
    return (*cautions, *missing_cautions(design, groups[0], options))


def undeclared_levels_caution(design: Ratings, depends: str) -> tuple[Caution, ...]:
    """Caution SS310 where agreement by chance depends on the number of levels, and none were declared.

    `depends` is the start of a sentence: what depends on their number.
    """
    # levels that nobody chose count in the agreement by chance
    if design.levels_declared:
        return ()
    levels = count(len(design.levels), "level")
    detail = f"{levels} occur and none were declared; {depends} on their number"
    fix = f"declare {option('levels', [Word('...')])} with all possible levels"
    return (caution("SS310", detail, affects="the coefficient", fix=fix),)


def missing_cautions(
    design: Ratings, group: UnitGroup, options: AgreementOptions
) -> tuple[Caution, ...]:
    """Caution SS315: refusals, missing ratings, and units with fewer than two ratings."""
    copies = design.unit_count[design.unit]
    refused, rated, unparsed = (
        int(copies[design.status == status].sum()) for status in (REFUSAL, OK, MISSING)
    )
    units = int(design.unit_count.sum())
    cells, n_unpaired = units * len(design.raters), units - group.n_paired
    parts = []
    if refused:
        how = "counted as a level" if options.refusal == "level" else "counted as missing"
        parts.append(f"{count(refused, 'refusal')} {how}")
    if cells > rated + refused and design.raters_known and not spread_evenly(design):
        parts.append(
            f"{count(cells - rated - refused)} of {count(cells)} ratings missing or not asked for"
        )
    if unparsed and design.raters_known and unparsed < cells - rated - refused:
        parts.append(f"{count(unparsed)} of them written as missing")
    if n_unpaired:
        parts.append(f"{count(n_unpaired, 'unit')} with fewer than two ratings")
    if not parts:
        return ()
    return (
        caution(
            "SS315",
            "; ".join(parts),
            affects="which ratings enter; units must be missing at random",
        ),
    )


def spread_evenly(design: Ratings) -> bool:
    """Return whether ratings were shared out: every unit has as many as any other, with none refused or missing.

    Where people rate a part of the units each, most cells of the table of units by raters are empty by design. Nothing
    is missing then.
    """
    rated = np.bincount(design.unit, minlength=len(design.units))
    return bool(np.all(design.status == OK) and len(rated) > 0 and rated.min() == rated.max())


def reliability_sentence(result: Result, name: str) -> str:
    """State the coefficient of all units with its interval, its test of 0 and its sample.

    Parameters
    ----------
    result : Result
        With counts of units, raters (where known) and ratings, and the coefficient of all units as its first row.
    name : str
        Of the coefficient, in words.
    """
    row, n = result.rows[0], result.counts
    if row.estimate is None:
        return sentences.no_number(name, row.undefined or "no estimate")
    sample = [count(n[f"{noun}s"], noun) for noun in ("unit", "rater", "rating") if f"{noun}s" in n]
    sample += [count(row.n_clusters, "cluster")] if row.n_clusters else []
    how = "" if row.conf_low is None or row.statistic is not None else f", {row.method}"
    return f"{name} was {sentences.stat(row)}{how} ({', '.join(sample)})."


def coefficient_rows(result: Result) -> list[Row]:
    """Return the coefficient of all units and of each stratum, named for a figure."""
    return [
        replace(row, term=row.group or "all units", group=None)
        for row in result.rows
        if row.role == "estimate"
    ]


reliability_plot = forest_plot(coefficient_rows)
