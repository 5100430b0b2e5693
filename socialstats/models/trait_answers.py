"""Answers scored on traits by judges: from ratings to one score for each answer, judge and trait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.models.trait_weights import checked_weights
from socialstats.text import count, listing, number, quoted, shorten

MissingTrait = Literal["error", "drop_unit"]
MISSING_TRAIT = ("error", "drop_unit")
PARTS = ("model", "scenario", "stage", "wording")
ONLY = ("all", "all", "all", "1")  # the level of a part that a design does not have


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The strata that say which answer a unit belongs to, and which trait of it."""

    model: str | None = "model"
    scenario: str | None = "scenario"
    stage: str | None = "stage"
    wording: str | None = "wording"
    trait: str | None = "trait"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Scores of answers.

    Attributes
    ----------
    models, scenarios, stages, wordings, judges, traits : tuple of str
    codes : (answers, 4) int64 array
        Model, scenario, stage and wording of each answer.
    scores : (answers, judges, traits) float64 array
        Complete: no NaN.
    unit : (answers,) int64 array
        A unit of the design that belongs to the answer.
    left_out : int
        Answers without all their scores.
    """

    models: tuple[str, ...]
    scenarios: tuple[str, ...]
    stages: tuple[str, ...]
    wordings: tuple[str, ...]
    judges: tuple[str, ...]
    traits: tuple[str, ...]
    codes: IntArray
    scores: FloatArray
    unit: IntArray
    left_out: int

    def cells(self, values: FloatArray) -> FloatArray:
        """Average values of answers over wordings: (answers, k) -> (models, scenarios, stages, k), NaN where none."""
        shape = (len(self.models), len(self.scenarios), len(self.stages))
        flat = np.ravel_multi_index(tuple(self.codes[:, :3].T), shape)
        n = np.bincount(flat, minlength=int(np.prod(shape)))
        sums = np.column_stack([np.bincount(flat, values[:, j], len(n)) for j in range(values.shape[1])])
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / n[:, None]).reshape(*shape, -1)


def trait_table(
    data: Any, *, weights: Mapping[str, float] | None = None, traits: Sequence[str] | None = None,
    model: str | None = "model", scenario: str = "scenario", stage: str | None = None, wording: str | None = None,
    trait: str | None = "trait", judge: str = "judge", cluster: str | Sequence[str] = (), by: str | None = None,
    refusal: str | Sequence[str] = (), na: str | Sequence[str] = (), missing: Literal["error", "drop"] = "drop",
) -> Ratings:  # fmt: skip
    """Read a table with one column a trait: the traits that have weights, in strata called as the caller calls them.

    Parameters
    ----------
    data, model, scenario, stage, wording, judge, cluster, by, refusal, na, missing
        As in `trait_ratings`.
    weights : mapping of str to float, optional
        Its traits are those that are read, unless `traits` names others.
    traits : sequence of str, optional
        Columns that hold the scores, one a trait.
    trait : str
        Name for the stratum of traits.

    Raises
    ------
    InputError
        Where `trait` is None: the values of such a table are in one column.
    """
    if trait is None:
        raise InputError("trait=None: name unit=, rater= and value=, the columns of a table with one score a row")
    chosen = list(checked_weights(weights, free=True)) if traits is None else traits
    done = trait_ratings(
        data, traits=chosen, model=model, scenario=scenario, stage=stage, wording=wording, judge=judge,
        cluster=cluster, by=by, refusal=refusal, na=na, missing=missing,
    )  # fmt: skip
    named = {"model": model, "scenario": scenario, "stage": stage, "wording": wording, "trait": trait}
    called = {own: named.get(own) or own for own in done.strata}
    return replace(done, strata={called[own]: replace(f, name=called[own]) for own, f in done.strata.items()})


def factor_of(design: Ratings, part: str, name: str | None) -> Factor:
    """Return the stratum (or cluster) that plays a part; a part that is None has one level.

    Raises
    ------
    InputError
        If nothing of that name is declared.
    """
    if name is None:
        only = ONLY[PARTS.index(part)] if part in PARTS else "value"
        return Factor(name=part, codes=np.zeros(len(design.units), dtype=np.int64), levels=(only,))
    known = {**{f.name: f for f in design.clusters}, **design.strata}
    if name not in known:
        raise InputError(
            f"no stratum '{shorten(name)}' for the {part}. Declared: {quoted(list(known)) or 'none'}; make the design "
            f"with trait_ratings(), declare strata=, or name the one meant with {part}="
        )
    return known[name]


def declared_wording(design: Ratings, wording: str | None) -> str | None:
    """Return the stratum of wordings: the one named, else ``wording`` where it is declared."""
    return "wording" if wording is None and "wording" in design.strata else wording


def chosen_stages(design: Ratings, names: Names, stages: Sequence[str] | None) -> tuple[Ratings, tuple[str, ...]]:
    """Return the ratings of some stages, and these in the order given.

    Raises
    ------
    InputError
        For a stage that is not there, or given twice.
    """
    factor = factor_of(design, "stage", names.stage)
    if stages is None:
        return design, factor.levels
    wanted = (stages,) if isinstance(stages, str) else tuple(stages)
    unknown = [s for s in wanted if s not in factor.levels]
    if unknown or not wanted or len(set(wanted)) < len(wanted):
        said = f"no stage '{shorten(str(unknown[0]))}'" if unknown else f"stages={list(wanted)!r}: name each stage once"
        raise InputError(f"{said}. Stages: {listing([shorten(s) for s in factor.levels], most=20)}")
    if len(wanted) == len(factor.levels):
        return design, wanted
    codes = [factor.levels.index(s) for s in wanted]
    return design.take(np.isin(factor.codes[design.unit], codes), note=f"stages {listing(wanted, most=4)}"), wanted


def answers_of(
    design: Ratings, names: Names, traits: Sequence[str], stages: Sequence[str], *, missing: str = "error",
) -> Answers:  # fmt: skip
    """Collect the scores of each answer.

    Parameters
    ----------
    design : Ratings
    names : Names
    traits : sequence of str
        Every trait, in the order wanted; with ``names.trait`` None one name for the value itself.
    stages : sequence of str
        Every stage, in the order wanted.
    missing : {"error", "drop_unit"}
        An answer that a judge did not score on a trait is an error, or left out whole.

    Raises
    ------
    InputError
        For values that are no numbers, unknown or unweighted traits, two units of the same answer and trait, and
        scores that are missing.
    NothingToAnalyse
        If no answer has all its scores.
    """
    check_numbers(design)
    factors = {part: factor_of(design, part, getattr(names, part)) for part in (*PARTS, "trait")}
    trait = trait_codes(factors["trait"], traits if names.trait is not None else factors["trait"].levels)
    place = np.array([stages.index(s) if s in stages else -1 for s in factors["stage"].levels])
    codes = np.column_stack([factors[p].codes if p != "stage" else place[factors[p].codes] for p in PARTS])
    answers, first, answer = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    answer = answer.reshape(-1)
    made = Answers(
        models=factors["model"].levels, scenarios=factors["scenario"].levels, stages=tuple(stages),
        wordings=factors["wording"].levels, judges=design.raters, traits=tuple(traits), codes=answers.astype(np.int64),
        scores=np.full((len(answers), len(design.raters), len(traits)), np.nan), unit=first, left_out=0,
    )  # fmt: skip
    check_units(made, answer, trait)
    ok = design.status == OK
    unit = design.unit[ok]
    made.scores[answer[unit], design.rater[ok], trait[unit]] = design.scores[design.value[ok]]
    return complete(made, design.source, missing)


def check_numbers(design: Ratings) -> None:
    """Raise InputError for values that are no numbers, counted units, or judges that nobody can tell apart."""
    if not design.numeric:
        raise InputError(f"scores must be numbers; the levels are {quoted(design.levels)}")
    if not design.raters_known or np.any(design.unit_count != 1):
        raise InputError("scores need one rating a row with its judge; this design is made from counts")


def trait_codes(factor: Factor, traits: Sequence[str]) -> IntArray:
    """Return the place of each unit's trait in `traits`.

    Raises
    ------
    InputError
        For traits of the design that `traits` does not name, and the other way round.
    """
    extra = [t for t in factor.levels if t not in traits]
    absent = [t for t in traits if t not in factor.levels]
    if extra:
        raise InputError(
            f"trait {quoted(extra)} has no weight. Give it one in weights= (0 leaves it out of the composite), or make "
            "the design without it"
        )
    if absent:
        raise InputError(
            f"weights name trait {quoted(absent)}, which no answer has; traits: {quoted(factor.levels, 12)}"
        )
    place = np.array([list(traits).index(t) for t in factor.levels], dtype=np.int64)
    return np.asarray(place[factor.codes])


def named(answers: Answers, k: int) -> str:
    """Name an answer."""
    levels = (answers.models, answers.scenarios, answers.stages, answers.wordings)
    return ", ".join(
        f"{part} '{shorten(level[code], 40)}'"
        for part, level, code in zip(PARTS, levels, answers.codes[k].tolist(), strict=True)
        if len(level) > 1
    )


def check_units(answers: Answers, answer: IntArray, trait: IntArray) -> None:
    """Raise InputError for two units of the same answer and trait."""
    key, times = np.unique(answer * len(answers.traits) + trait, return_counts=True)
    bad = key[times > 1]
    if len(bad):
        k, t = divmod(int(bad[0]), len(answers.traits))
        raise InputError(
            f"several units are trait '{shorten(answers.traits[t])}' of one answer ({named(answers, k)}), and so for "
            f"{len(bad):,} in all. Declare what tells them apart as a stratum and name it with wording="
        )


def complete(answers: Answers, source: str, missing: str) -> Answers:
    """Report answers without all their scores, or leave them out."""
    lacking = np.isnan(answers.scores)
    bad = lacking.any(axis=(1, 2))
    if not bad.any():
        return answers
    if missing == "error":
        raise InputError([problem(answers, k, lacking[k], source) for k in np.flatnonzero(bad).tolist()])
    keep = ~bad
    if not keep.any():
        raise NothingToAnalyse(f"{source}: no answer has the scores of all judges on all traits")
    return replace(
        answers, codes=answers.codes[keep], scores=answers.scores[keep], unit=answers.unit[keep],
        left_out=int(bad.sum()),
    )  # fmt: skip


def problem(answers: Answers, k: int, lacking: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], source: str) -> Problem:
    """Say which scores an answer lacks."""
    judges = [answers.judges[j] for j in np.flatnonzero(lacking.any(axis=1))]
    traits = [answers.traits[t] for t in np.flatnonzero(lacking.any(axis=0))]
    where = named(answers, k) or "the answer"
    return Problem(
        message=f"{where}: no score of {quoted(traits, 3)} by {quoted(judges, 3)}", source=source,
        fix="Fill it in, or say missing_trait='drop_unit' to leave such answers out; weights are never spread over the "
            "other traits",
    )  # fmt: skip


def composites(scores: FloatArray, weights: Mapping[str, float], centre: float) -> FloatArray:
    """Sum of weight times (score - centre) over the last axis."""
    return np.asarray((scores - centre) @ np.array(list(weights.values())))


def check_range(answers: Answers, centre: float) -> None:
    """Raise InputError for scores outside 0 to twice the centre."""
    bad = (answers.scores < 0) | (answers.scores > 2 * centre)
    if bad.any():
        k, j, t = (int(x) for x in np.argwhere(bad)[0])
        where = ", ".join(x for x in (named(answers, k), f"judge '{shorten(answers.judges[j])}'") if x)
        raise InputError(
            f"the score {number(float(answers.scores[k, j, t]), 2)} of trait '{shorten(answers.traits[t])}' ({where}) "
            f"is outside 0 to {number(2 * centre, 2)} ({count(int(bad.sum()), 'such score')} in all). "
            "Correct it, or say centre= (half of the highest score), or free_weights=True"
        )
