"""Answers of models beside the answers of a reference, unit by unit: what ADA-Met is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, OK, REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import listing, quoted, shorten

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NOT_ASKED, EXCLUDED = -1, -2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Answers to the units that the reference and a model answered, joined by unit.

    Attributes
    ----------
    scores : (k,) float64 array, ascending
    labels : tuple of str
        Levels in the order of `scores`.
    unit : (units,) int64 array
        Index of each unit in the design.
    weight : (units,) float64 array
        Alike units.
    people, models : int64 arrays
        Indexes of raters in the design: reference raters with an answer, and all others.
    table : (people, units * k) sparse array
        1 where a person gave the unit this level.
    answer : (models, units) int64 array
        Level; k a refusal (or what counts as one); -1 not asked; -2 unparsed and left out.
    status : (models, units) int64 array
        0 ok, 1 missing, 2 refusal, -1 not asked.
    left_out : tuple of str
        Units that a model answered and no reference rater did.
    unanswered : int
        Units of the reference that no model was asked.
    """

    scores: FloatArray
    labels: tuple[str, ...]
    unit: IntArray
    weight: FloatArray
    people: IntArray
    models: IntArray
    table: csr_array
    answer: IntArray
    status: IntArray
    left_out: tuple[str, ...]
    unanswered: int

    def counts(self, people: FloatArray) -> FloatArray:
        """Weighted answers of the reference, (b, people) to (b, units, k); resamples lie side by side in memory."""
        from scipy.sparse import csr_array

        product = csr_array(self.table.T) @ np.ascontiguousarray(people.T)
        return product.reshape(len(self.unit), len(self.scores), len(people)).transpose(2, 0, 1)

    def of_people(self, index: IntArray) -> Answers:
        """Return the same units with the answers of some of the people."""
        from dataclasses import replace

        return replace(self, people=self.people[index], table=self.table[index])


def source_of(design: Ratings, source: str, reference: str | None) -> tuple[Factor, int]:
    """Return the factor of the raters' sources, and the code of the reference.

    Raises
    ------
    InputError
        If there is no such rater group, or it has no such level.
    """
    known = design.rater_groups
    name = design.columns.get("rater_source", source) if source == "source" and source not in known else source
    if name not in known:
        raise InputError(
            f"source='{shorten(source)}' is no rater group (declared: {quoted(list(known)) or 'none'}). Say which "
            "raters are the reference: make the design with rater_source= (--rater-source), a column of human and model"
        )
    factor = known[name]
    chosen = "human" if reference is None else reference
    if chosen not in factor.levels:
        what = "no reference= is given, and 'human'" if reference is None else f"reference='{shorten(reference)}'"
        raise InputError(f"{what} is no level of '{shorten(name)}'. Levels: {quoted(factor.levels, 10)}")
    return factor, factor.levels.index(chosen)


def collect(design: Ratings, source: Factor, reference: int, unparsed: str) -> Answers:
    """Join the answers of models and reference by unit.

    Raises
    ------
    InputError
        For nominal levels: they have no positions.
    NothingToAnalyse
        If there is no model, or no unit that both answered.
    """
    from scipy.sparse import csr_array

    if design.scale == "nominal":
        raise InputError(
            f"the levels {quoted(design.levels)} are nominal, and a distance needs their order: declare levels= from "
            "lowest to highest and scale='ordinal' (--scale ordinal)"
        )
    ours = source.codes[design.rater] == reference
    human = ours & (design.status == OK)
    units = np.intersect1d(design.unit[human], design.unit[~ours])
    models = np.unique(design.rater[~ours])
    if not len(units):
        named = listing([shorten(level) for level in source.levels])
        raise NothingToAnalyse(
            f"{design.source}: no unit has an answer of the reference ('{shorten(source.levels[reference])}') and of a "
            f"rater outside it (sources: {named}); units are joined by their labels"
        )
    order = np.argsort(design.scores, kind="stable")
    rank = np.append(np.argsort(order), -1)
    place = np.full(len(design.units), -1, dtype=np.int64)
    place[units] = np.arange(len(units))
    human &= place[design.unit] >= 0
    people, row = np.unique(design.rater[human], return_inverse=True)
    column = place[design.unit[human]] * len(order) + rank[design.value[human]]
    shape = (len(people), len(units) * len(order))
    asked = ~ours & (place[design.unit] >= 0)
    return Answers(
        scores=design.scores[order], labels=tuple(design.levels[k] for k in order.tolist()), unit=units,
        weight=design.unit_count[units], people=people, models=models,
        table=csr_array((np.ones(len(row)), (row, column)), shape=shape),
        **answers_of(design, asked, place, models, rank, unparsed),
        left_out=tuple(design.units[u] for u in np.setdiff1d(design.unit[~ours], units).tolist()),
        unanswered=len(np.setdiff1d(design.unit[ours & (design.status == OK)], units)),
    )  # fmt: skip


def answers_of(
    design: Ratings, asked: Any, place: IntArray, models: IntArray, rank: IntArray, unparsed: str
) -> dict[str, IntArray]:
    """Return the answer and the status of each model's answer to each unit, coded as in `Answers`."""
    k, status = len(rank) - 1, design.status[asked].astype(np.int64)
    value = np.where(status == REFUSAL, k, rank[design.value[asked]])
    value = np.where(status == MISSING, k if unparsed == "refusal" else EXCLUDED, value)
    at = np.searchsorted(models, design.rater[asked]), place[design.unit[asked]]
    out = {name: np.full((len(models), int(place.max()) + 1), NOT_ASKED) for name in ("answer", "status")}
    out["answer"][at], out["status"][at] = value, status
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Targets:
    """Means over units, as sums of chosen distances: one column a mean.

    Attributes
    ----------
    names : tuple of (term, stratum or None)
    pick : (means, units * (k + 1)) sparse array
        Share of each possible answer.
    asked : (means, units) sparse array
        1 where the unit counts.
    """

    names: tuple[tuple[str, str | None], ...]
    pick: csr_array
    asked: csr_array

    def beside(self, more: Targets) -> Targets:
        """Return these means and then others."""
        from scipy.sparse import csr_array, vstack

        return Targets(
            names=(*self.names, *more.names), pick=csr_array(vstack([self.pick, more.pick])),
            asked=csr_array(vstack([self.asked, more.asked])),
        )  # fmt: skip

    def means(self, distances: FloatArray, weight: FloatArray) -> FloatArray:
        """Weighted means, (b, units, k + 1) and (b, units) to (b, means); NaN where no unit counts."""
        flat = (distances * weight[..., None]).reshape(len(weight), -1)
        total = (self.pick @ np.ascontiguousarray(flat.T)).T
        size = (self.asked @ np.ascontiguousarray(weight.T)).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(size > 0, total / size, np.nan)


def targets_of(names: list[tuple[str, str | None]], shares: list[FloatArray]) -> Targets:
    """Make targets of shares (units, k + 1) of each possible answer; a row of zeros is a unit that does not count."""
    from scipy.sparse import csr_array, vstack

    return Targets(
        names=tuple(names),
        pick=csr_array(vstack([csr_array(one.reshape(1, -1)) for one in shares])),
        asked=csr_array(vstack([csr_array((one.sum(axis=1) > 0).astype(np.float64)[None, :]) for one in shares])),
    )


def difference_targets(pairs: list[tuple[tuple[str, str | None], FloatArray, FloatArray]]) -> Targets:
    """Make targets of differences, (name, shares of the one, shares of the other); units count that have both."""
    from scipy.sparse import csr_array, vstack

    picks, both = [], []
    for _, one, other in pairs:
        has = (one.sum(axis=1) > 0) & (other.sum(axis=1) > 0)
        picks.append(csr_array(((one - other) * has[:, None]).reshape(1, -1)))
        both.append(csr_array(has.astype(np.float64)[None, :]))
    return Targets(
        names=tuple(name for name, _, _ in pairs), pick=csr_array(vstack(picks)), asked=csr_array(vstack(both))
    )


def model_shares(answers: Answers, refusal: str | float) -> list[FloatArray]:
    """Answers of each model as shares (units, k + 1); refusals are left out where the rule says so."""
    k = len(answers.scores)
    out = []
    for given in answers.answer:
        one = np.zeros((len(given), k + 1))
        used = (given >= 0) & ((given < k) | (refusal != "exclude"))
        one[np.flatnonzero(used), given[used]] = 1.0
        out.append(one)
    return out


def constant_shares(answers: Answers) -> tuple[list[str], list[FloatArray]]:
    """Reference lines that need no model: the same answer to every unit, and each answer equally often."""
    k, n = len(answers.scores), len(answers.unit)
    shares = [np.tile(np.eye(k + 1)[level], (n, 1)) for level in range(k)]
    shares.append(np.tile(np.append(np.full(k, 1 / k), 0.0), (n, 1)))
    return [*(f"always {label}" for label in answers.labels), "uniform answer"], shares
