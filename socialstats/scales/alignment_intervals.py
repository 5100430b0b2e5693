"""Options of ADA-Met, the state of its computation, and intervals over people and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.how import How
from socialstats.inference.rows import with_ends, with_t
from socialstats.resampling import basic, percentile
from socialstats.resampling.engine import Replicates
from socialstats.resampling.intervals import check_resamples
from socialstats.results import Row
from socialstats.results.rows import OUT_OF_RANGE, Reason
from socialstats.rounding import no_variation_reason
from socialstats.scales.alignment import (
    MODE_TIES,
    REFUSAL_RULES,
    JoinedAnswers,
    Panel,
    TwoWay,
    join_answers,
    source_and_reference,
)
from socialstats.voice import check_allowed, option

AlignmentCi = Literal["two_way", "centred", "percentile", "basic"]
CIS: tuple[str, ...] = get_args(AlignmentCi)
Unparsed = Literal["exclude", "refusal"]
UNPARSED: tuple[str, ...] = get_args(Unparsed)
# why a row has no number or no interval
NO_UNIT = "no unit has an answer of this model that counts and a mode of the reference"
CONSTANT = no_variation_reason("units and the people")
ALONE = "a single unit or cluster: no interval"
OUTSIDE = "the interval excludes the estimate: the modes of the resamples are noisier; use "
METHODS = {
    "two_way": "t of people and units",
    "centred": "two-way bootstrap, centred percentile",
    "percentile": "two-way bootstrap, percentile",
    "basic": "two-way bootstrap, basic",
}
# why there is no interval, in words and as a code; ("", None) where there is one
Why = tuple[str, Reason | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentOptions(How):
    """Options of `ada_met`."""

    reference: str | None
    source: str
    ties: str
    refusal: Any
    unparsed: str
    group: str | None
    stratum: str | None

    def check_all(self) -> None:
        """Raise InputError for an impossible option."""
        # all intervals but those of t rest on resamples, and t on resampled people
        self.check(CIS)
        check_allowed("ties", self.ties, MODE_TIES)
        check_allowed("unparsed", self.unparsed, UNPARSED)
        if isinstance(self.refusal, int | float) and not isinstance(self.refusal, bool):
            possible = math.isfinite(self.refusal) and self.refusal >= 0
        else:
            possible = self.refusal in REFUSAL_RULES
        if not possible:
            raise InputError(
                f"{option('refusal', self.refusal)} is not one of {', '.join(REFUSAL_RULES)}, or a distance of 0 "
                "or more"
            )
        if self.group is not None and self.group in (self.stratum, self.source):
            raise InputError(
                f"{option('group', self.group)} is the stratum or the source too; name an attribute of "
                "the raters"
            )
        check_resamples(self.resamples, self.level)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignmentState:
    """A design with its joined answers.

    Attributes
    ----------
    reference : str
        Label of the source that is the reference.
    factors : tuple of Factor
        Clusters of the units, over all units of the design.
    clusters : tuple of (units,) int64 arrays
        The same over the units compared.
    """

    design: Ratings
    options: AlignmentOptions
    source: Factor
    reference: str
    answers: JoinedAnswers
    factors: tuple[Factor, ...]

    @classmethod
    def from_design(cls, design: Ratings, options: AlignmentOptions) -> AlignmentState:
        """Join the answers."""
        source, code = source_and_reference(design, options.source, options.reference)
        rule = options.refusal if isinstance(options.refusal, str) else float(options.refusal)
        answers = join_answers(
            design, source, code, unparsed=options.unparsed, ties=options.ties, refusal=rule
        )
        # beyond 2^200 or below 2^-200 squares of distances overflow or vanish
        if size_unit(answers.scores) != 1:
            raise InputError(f"{design.source}: distances between levels are {OUT_OF_RANGE}")
        return cls(
            design=design,
            options=options,
            source=source,
            reference=source.levels[code],
            answers=answers,
            factors=cluster_factors(design, options.cluster),
        )

    @property
    def clusters(self) -> tuple[IntArray, ...]:
        """Clusters of the units compared."""
        return tuple(factor.codes[self.answers.unit] for factor in self.factors)

    @property
    def models(self) -> list[str]:
        """Labels of the models."""
        return [self.design.raters[m] for m in self.answers.models.tolist()]

    @property
    def tied(self) -> BoolArray:
        """(units,) bool array: several levels have most answers."""
        counts = self.answers.pooled_counts  # (units, levels)
        return np.asarray((counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1)

    @property
    def leverage(self) -> float:
        """Largest share of the units that one cluster holds, or of the answers that one person gave."""
        weight = self.answers.weight
        answers_of_person = self.answers.table.sum(axis=1)
        # without clusters each unit is one
        shares = [
            np.bincount(codes, weight).max() / weight.sum()
            for codes in self.clusters or (np.arange(len(weight)),)
        ]
        return float(max(answers_of_person.max() / answers_of_person.sum(), *shares))

    def no_resampling(self, n_people: int) -> Why:
        """Return why this many people and these units cannot be resampled, with its code, or an empty text."""
        for factor, codes in zip(self.factors, self.clusters, strict=True):
            if len(np.unique(codes)) < 2:
                return f"a single level of the cluster '{factor.name}': no interval", "one_cluster"
        if self.answers.weight.sum() < 2:
            return "a single unit: no interval", "one_unit"
        if n_people < 2:
            return "a single reference rater: no interval", "no_interval"
        return "", None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilledRows:
    """Rows with their intervals.

    Attributes
    ----------
    rows : list of Row
    bias : (rows,) float64 array
        Mean of the resamples minus the estimate.
    df : float or None
        Least degrees of freedom of a t interval.
    caution : Caution or None
        SS204.
    """

    rows: list[Row]
    bias: FloatArray
    df: float | None = None
    caution: Caution | None = None


def fill_intervals(
    state: AlignmentState,
    rows: Sequence[Row],
    means: Sequence[TwoWay],
    drawn: Sequence[FloatArray],
    why: Why,
    shift: FloatArray | float = 0.0,
) -> FilledRows:
    """Fill rows with the estimates of the sample less `shift`, and the intervals that `ci` names.

    Parameters
    ----------
    state : AlignmentState
    rows : sequence of Row
        Their names; differences may be below 0.
    means : sequence of TwoWay
        Of the sample, and with ``ci="two_way"`` of the resampled people.
    drawn : sequence of (resamples, means) float64 arrays
        Resamples of a bootstrap.
    why : (str, Reason or None)
        Why nothing can be resampled, or an empty text.
    """
    value = np.concatenate([mean.value for mean in means]) - shift
    size = np.concatenate([mean.size for mean in means])  # units of each mean
    # the crossed factor with fewer levels limits the degrees of freedom
    clusters = min(len(np.unique(codes)) for codes in state.clusters) if state.factors else None
    filled = []
    for row, estimate, n in zip(rows, value.tolist(), size.tolist(), strict=True):
        row = replace(row, n=n, n_units=int(n), n_clusters=clusters)
        if np.isnan(estimate):
            filled.append(replace(row, method=None, undefined=NO_UNIT, reason="no_data"))
        else:
            method = row.method or METHODS[state.options.ci]
            row = replace(row, estimate=estimate, method=method)
            filled.append(replace(row, undefined=why[0] or None, reason=why[1]))
    if why[0]:
        return FilledRows(rows=filled, bias=np.full(len(filled), np.nan))
    if state.options.ci == "two_way":
        return fill_t_intervals(state, filled, means)
    return fill_bootstrap_intervals(state, filled, value, np.hstack(drawn) - shift)


def lower_limit(row: Row) -> float:
    """Return what the quantity cannot be below."""
    return -math.inf if row.role == "difference" else 0.0


def fill_t_intervals(
    state: AlignmentState, rows: Sequence[Row], means: Sequence[TwoWay]
) -> FilledRows:
    """Fill rows with t intervals over people and units, and tests of differences."""
    std_error, df, bias = (
        np.concatenate(parts) for parts in zip(*(mean.spread() for mean in means), strict=True)
    )
    pieces = np.concatenate([mean.pieces for mean in means])  # clusters (units) of each mean
    level = state.options.level
    filled = []
    numbers = zip(std_error.tolist(), df.tolist(), pieces.tolist(), strict=True)
    for row, (error, df_of_row, n_pieces) in zip(rows, numbers, strict=True):
        if row.estimate is None:
            filled.append(row)
        elif n_pieces < 2:
            reason: Reason = "one_cluster" if state.factors else "one_unit"
            filled.append(replace(row, undefined=ALONE, reason=reason))
        elif not error > 0:
            filled.append(replace(row, undefined=CONSTANT, reason="no_variation"))
        else:
            row = replace(row, df=df_of_row)
            within = (lower_limit(row), math.inf)
            test = row.role == "difference"
            filled.append(with_t(row, error, df_of_row, level, within=within, test=test))
    dfs = [
        df_of_row
        for row, df_of_row in zip(filled, df.tolist(), strict=True)
        if row.conf_level and row.role != "difference"
    ]
    # differences over few shared units have few df: the fit is described by its models
    return FilledRows(rows=filled, bias=bias, df=min(dfs, default=None))


def fill_bootstrap_intervals(
    state: AlignmentState, rows: Sequence[Row], value: FloatArray, drawn: FloatArray
) -> FilledRows:
    """Fill rows with the intervals of a bootstrap of people and units, (resamples, rows)."""
    ci = state.options.ci
    level = state.options.level
    width = float(state.answers.scores[-1] - state.answers.scores[0])
    boot = Replicates(
        estimate=value, replicates=drawn, n_degenerate=np.isnan(drawn).sum(axis=0), size=width
    )
    bias = np.where(np.all(np.isnan(drawn), axis=0), np.nan, boot.bias)  # NaN: no resample counts
    # Davison & Hinkley (1997, section 5.2): equation 5.6 is basic, 5.18 percentile
    ends = (basic if ci == "basic" else percentile)(boot, level=level)
    errors = boot.std_error
    filled = []
    for j, row in enumerate(rows):
        if row.estimate is None:
            filled.append(row)
            continue
        # "centred" moves percentiles until the mean of the resamples is the estimate
        shift = bias[j] if ci == "centred" else 0.0
        low, high = (
            max(float(end - shift), lower_limit(row)) for end in (ends.low[j], ends.high[j])
        )
        # modes of resamples are noisier: their distances can all exceed the estimate
        outside = not low <= row.estimate <= high or low == high
        why = ends.undefined[j] or (OUTSIDE + option("ci", "centred") if outside else "")
        row = replace(row, std_error=float(errors[j]) if errors[j] > 0 else None)
        kind: Literal["basic", "percentile"] = "basic" if ci == "basic" else "percentile"
        filled.append(with_ends(row, low, high, level, why=why, interval=kind))
    return FilledRows(rows=filled, bias=bias, caution=boot.caution("intervals"))


def two_way_means(state: AlignmentState, panel: Panel) -> list[TwoWay]:
    """Return the means of the sample, for each set of a panel."""
    sets = zip(panel.targets, panel.sample(), panel.raters, strict=True)
    return [
        TwoWay(targets, sample, state.answers.weight, state.clusters, n)
        for targets, sample, n in sets
    ]
