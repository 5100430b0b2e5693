"""Answers on relationships as an analysis: mean scores of couples of groups, and combinations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.levels import codes_in
from socialstats.designs.parts import OK, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import cluster_factors, cluster_names
from socialstats.paired.mean_sizes import MeanSizeEstimates, influence_correlation
from socialstats.paired.size_differences import MeanSizes
from socialstats.results import Row
from socialstats.results.rows import RowKey
from socialstats.scales.couples import (
    Aggregate,
    CellScores,
    CoupleAnswers,
    Couples,
    LinearCombination,
    cell_scores,
    clustered_difference_of,
    clustered_mean_of,
    combine_cells,
    match_couples,
)
from socialstats.tables import label_text
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import Word, option

CiName = Literal["closed", "percentile", "basic"]
CoupleRule = Literal["all", "complete"]
StratumRows = Literal["biases", "scores"]
Settings = dict[str, Any]  # the options of `relationship_bias`, which documents them
ALLOWED = {"couples": CoupleRule, "aggregate": Aggregate, "ci": CiName, "stratum_rows": StratumRows}
BIAS, POSITION, MEAN, SCORE = "bias", "position", "position, mean", "score"
BOTH, APART = "position, both orders", "different groups"
MEANS, FLIP = "scenario means", "scenario sign flip"
MCNEMAR, MID_P = "McNemar, ignoring clusters", "McNemar mid-p, ignoring clusters"
PLAIN, CORRECTED, OVERALL, NULL = "B_all", "B_all corrected", "overall", "overall, without any bias"
SAME = "same groups"
MOST = 2.0  # the largest size of B
ONE_ORDER = "couples of these groups have answers in one order only"
NEITHER = "no pair of groups was answered in both orders"
ALIKE = "couples of one kind were always answered alike: no standard error, no test"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """Mean scores of one set of answers, and the combinations that are asked for.

    A combination is a (raters, cells) array of coefficients of the mean scores, a line for each rater who has all of
    its cells. Its value is the mean over these raters.

    Attributes
    ----------
    design : Ratings
    factors : tuple of Factor
        Clusters.
    groups : tuple of str
    pairs : tuple of (int, int)
        Two groups that met, in the order of `groups`.
    means : CellScores
    """

    design: Ratings
    factors: tuple[Factor, ...]
    groups: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    means: CellScores

    @property
    def answers(self) -> CoupleAnswers:
        """The answers behind the means."""
        return self.means.answers

    @property
    def raters(self) -> list[int]:
        """Codes of the raters that have cells of their own; 0 where raters are pooled."""
        return sorted({cell[0] for cell in self.means.cells})

    @property
    def clusters(self) -> str:
        """The clusters in words."""
        names = cluster_names(self.factors)
        return f"clusters of {names}" if names else "units independent"

    def bias_row(self, pair: tuple[int, int], **fields: Any) -> Row:
        """Return a row about two groups, named by the one that a positive number favours first."""
        first, second = (self.groups[k] for k in pair)
        return Row(term=f"{first} - {second}", key=(("group", first), ("other", second)), **fields)

    def couple_row(self, a: int, b: int, **fields: Any) -> Row:
        """Return a row about couples whose first name is of group a, and the second of b."""
        first, second = self.groups[a], self.groups[b]
        term = first if a == b else f"{first}, {second}"
        return Row(term=term, key=(("first", first), ("second", second)), **fields)

    def combination(self, *cells: tuple[float, int, int]) -> FloatArray:
        """Combine cells given as (coefficient, first, second)."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        lines = []
        for rater in self.raters:
            coefficients = {(rater, a, b): value for value, a, b in cells}
            if set(coefficients) <= set(place):
                lines.append([coefficients.get(cell, 0.0) for cell in self.means.cells])
        return np.array(lines).reshape(-1, len(place))

    def bias(self, pair: tuple[int, int]) -> FloatArray:
        """B_ab = S_ba - S_ab."""
        return self.combination((1.0, *pair[::-1]), (-1.0, *pair))

    def position(self) -> FloatArray:
        """Mean of the scores S_aa of all groups that met their own kind."""
        indicators = [
            [float(rater == cell[0] and cell[1] == cell[2]) for cell in self.means.cells]
            for rater in self.raters
        ]
        lines = [np.array(indicator) / sum(indicator) for indicator in indicators if sum(indicator)]
        return np.array(lines).reshape(-1, len(self.means.cells))

    def both_orders(self) -> FloatArray:
        """Mean of (S_ab + S_ba)/2, in which B cancels, of the pairs of groups that have both orders."""
        place = {cell: k for k, cell in enumerate(self.means.cells)}
        lines = []
        for rater in self.raters:
            cells = [[(rater, *pair), (rater, *pair[::-1])] for pair in self.pairs]
            present = [cell for orders in cells if set(orders) <= set(place) for cell in orders]
            if present:
                at = [place[cell] for cell in present]
                lines.append(np.bincount(at, minlength=len(place)) / len(at))
        return np.array(lines).reshape(-1, len(place))

    def linear(self, coefficients: FloatArray) -> LinearCombination | None:
        """Return the value of a combination with its influence; None where no rater has the cells."""
        if not len(coefficients):
            return None
        return combine_cells(self.means, coefficients.mean(axis=0), len(self.design.units))

    def mean(self, combination: LinearCombination) -> ClusteredMean:
        """Return the clustered mean behind a combination."""
        return clustered_mean_of(
            combination, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def gap(self, first: LinearCombination, second: LinearCombination) -> ClusteredMean:
        """Return the difference of two combinations, each with a mean of its own."""
        return clustered_difference_of(
            first, second, self.design.unit_count, [factor.codes for factor in self.factors]
        )

    def single_factor(self, combination: LinearCombination) -> str:
        """Return the factor of which a combination has one level only; empty where there is none."""
        touched = combination.touched > 0
        for factor in self.factors:
            if len(np.unique(factor.codes[touched])) < 2:
                return factor.name
        return ""

    def every_bias(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients of every B that the mean size averages, and weights: pairs alike, raters within a pair alike."""
        by_pair = [lines for lines in map(self.bias, self.pairs) if len(lines)]
        if not by_pair:
            return np.empty((0, 0)), np.empty(0)
        # pairs of groups weigh alike, and raters within a pair
        weights = [np.full(len(lines), 1 / len(lines) / len(by_pair)) for lines in by_pair]
        return np.concatenate(by_pair), np.concatenate(weights)

    def sizes(self, units: IntArray, aggregate: Aggregate, seed: int) -> MeanSizes | None:
        """Every B that B_all averages, in some units, with what each of these adds; None where an error is unknown."""
        inside = np.isin(self.answers.unit, units)
        analysis = self
        if not inside.all():
            analysis = replace(self, means=cell_scores(self.answers.take(inside), aggregate))
        estimates = joint_estimates(analysis)
        if isinstance(estimates, str):
            return None
        lines, _ = analysis.every_bias()
        biases = [combine_cells(analysis.means, line, len(analysis.design.units)) for line in lines]
        return MeanSizes(
            estimates=estimates,
            influence=np.column_stack([line.influence[units] for line in biases]),
            seed=seed,
        )

    @property
    def size(self) -> float | None:
        """B_all, the mean of abs(B) over the pairs of groups; None where none has both orders."""
        lines, weights = self.every_bias()
        return float(np.abs(lines @ self.means.mean) @ weights) if len(lines) else None

    @property
    def mixed(self) -> float:
        """Answers to couples of two groups, which B_all is made of."""
        return float(self.answers.count[self.answers.first != self.answers.second].sum())


def read_analysis(design: Ratings, settings: Settings) -> tuple[Analysis, Couples]:
    """Take the answers and their groups from a design; the couples are those before incomplete ones are left out.

    Raises
    ------
    DesignError
        If a factor is not declared, or an answer is neither of the two.
    InputError
        For groups that do not occur.
    NothingToAnalyse
        If nothing was answered.
    """
    factors = cluster_factors(design, settings["cluster"])
    scenario, pair, first, second = (
        unit_factor(design, settings[name], name)
        for name in ("scenario", "pair", "group_first", "group_second")
    )
    groups = ordered_groups((*first.levels, *second.levels), settings["groups"])
    ok = np.flatnonzero(design.status == OK)
    unit = design.unit[ok]
    codes = answer_codes(design, settings["answers"])
    # an answer scores -1 for the first name and 1 for the second; probable replies are weighted means of both
    score_of_level = np.array([-1.0 if k == codes[0] else 1.0 for k in range(len(design.levels))])
    group_codes = [codes_of(factor, groups)[unit] for factor in (first, second)]
    answers = CoupleAnswers(
        score=design.read_as()[ok] @ score_of_level,
        count=design.unit_count[unit],
        unit=unit,
        scenario=scenario.codes[unit],
        pair=pair.codes[unit],
        rater=design.rater[ok],
        first=group_codes[0],
        second=group_codes[1],
    ).take((group_codes[0] >= 0) & (group_codes[1] >= 0))
    if not len(answers.score):
        raise NothingToAnalyse(f"{design.source}: no couple of {quoted(groups)} was answered")
    asked = match_couples(answers)
    if not len(asked.key):
        raise DesignError(
            f"{design.source}: no couple of two different groups was answered; relationship_bias "
            f"compares couples (a, b) with couples (b, a) of {quoted(groups)}"
        )
    if settings["couples"] == "complete":
        # couples of one group have no other order, and stay
        answers = answers.take(np.append(asked.complete, True)[asked.of_answer])
        if not len(answers.score):
            raise NothingToAnalyse(
                f"{design.source}: no couple was answered in both orders "
                f"({option('couples', 'complete')})"
            )
    pairs = tuple(sorted({(a, b) for a, b in asked.key[:, :2].tolist()}))
    means = cell_scores(answers, settings["aggregate"])
    return Analysis(design=design, factors=factors, groups=groups, pairs=pairs, means=means), asked


def unit_factor(design: Ratings, name: str, part: str) -> Factor:
    """Return a stratum or cluster of the units.

    Raises
    ------
    DesignError
        If it is not declared.
    """
    factors = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if name not in factors:
        listed = ", ".join(f"'{shorten(declared)}'" for declared in factors) or "none"
        raise DesignError(
            f"{design.source}: no stratum or cluster '{shorten(name)}' of the units. Declared: {listed}; "
            f"name it with {option(part)}, or pass the table itself, one answer a row"
        )
    return factors[name]


def ordered_groups(present: Sequence[str], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the groups in the order asked for, or sorted."""
    occurring = sorted(set(present))
    if asked is None:
        return tuple(occurring)
    unknown = [group for group in asked if group not in occurring]
    if unknown:
        raise InputError(
            f"groups: no group '{shorten(str(unknown[0]))}'. Groups: {quoted(occurring, 20)}"
        )
    if len(set(asked)) < len(asked) or len(asked) < 2:
        raise InputError(
            f"{option('groups', listing(list(asked)))} must be at least two different groups of {quoted(occurring, 20)}"
        )
    return asked


def codes_of(factor: Factor, groups: Sequence[str]) -> Any:
    """(units,) int64 array: the place of each unit's level among the groups, -1 for others."""
    return np.array(
        [groups.index(g) if g in groups else -1 for g in factor.levels], dtype=np.int64
    )[factor.codes]


def answer_codes(design: Ratings, answers: tuple[Any, ...]) -> list[int]:
    """Return the places of both answers among the levels; refuse any other answer that occurs."""
    labels, values = (
        [label_text(answer) or "" for answer in answers],
        design.value[design.status == OK],
    )
    codes = codes_in(labels, design.levels)
    others = [design.levels[code] for code in np.unique(values).tolist() if code not in codes]
    if others:
        n = int(np.isin(values, codes, invert=True).sum())
        raise DesignError(
            f"{design.source}: {count(n, 'answer')} neither '{shorten(labels[0])}' (the first name) nor "
            f"'{shorten(labels[1])}' (the second): {quoted(others)}. Say which two answers count with "
            f"{option('answers', (Word('first'), Word('second')))}, and declare the others as "
            f"{option('refusal')} or {option('na')}"
        )
    return codes


def joint_estimates(analysis: Analysis) -> MeanSizeEstimates | str:
    """Every B that B_all averages, with their clustered errors and correlations; or why those are not known.

    Pairs of groups have pairs of names of their own, so that each has its own chi-square of the error. Raters within a
    pair of groups share it.
    """
    lines, weight = analysis.every_bias()
    if not len(lines):
        return NEITHER
    biases = [combine_cells(analysis.means, bias, len(analysis.design.units)) for bias in lines]
    lone_factor = next(filter(None, map(analysis.single_factor, biases)), "")
    if lone_factor:
        return f"a bias rests on a single {shorten(lone_factor)}: no interval"
    means = [analysis.mean(bias) for bias in biases]
    why = next((mean.undefined for mean in means if mean.undefined), "")
    if why:
        return why
    used = np.any([bias.touched > 0 for bias in biases], axis=0)
    influence = np.column_stack([bias.influence[used] for bias in biases])  # (units used, biases)
    codes = [factor.codes[used] for factor in analysis.factors]
    block = [np.full(len(analysis.bias(pair)), k) for k, pair in enumerate(analysis.pairs)]
    return MeanSizeEstimates(
        value=np.array([bias.estimate for bias in biases]),
        error=np.array([mean.std_error for mean in means]),
        df=np.array([mean.df for mean in means]),
        weight=weight,
        correlation=influence_correlation(influence, codes),
        block=np.concatenate(block),
    )


def level_key(level: str | None) -> RowKey:
    """Return the level of the stratum as a part of a row's key; nothing of all answers."""
    return () if level is None else (("level", level),)
