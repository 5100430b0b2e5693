"""Scores of traits by judges: settings, weights, answers, units of analysis, judges and their zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.instrument import declared
from socialstats.designs.parts import OK, Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import as_named
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, Problem, caution
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.paired.pair_values import checked_number
from socialstats.paired.unit_means import (
    CIS,
    Inference,
    UnitClusters,
    mostly_complete,
    unit_clusters,
)
from socialstats.results import Row
from socialstats.scales.trait_weights import checked_weights
from socialstats.tables import as_table
from socialstats.text import as_given, count, interval, listing, number, p_value, quoted, shorten
from socialstats.voice import check_allowed, option

MissingTrait = Literal["error", "drop_unit"]
MISSING_TRAIT = ("error", "drop_unit")
PARTS = ("model", "scenario", "stage", "wording")
ONLY = ("all", "all", "all", "1")  # the level of a part that a design does not have


def declared_options(options: Mapping[str, Any], design: Ratings) -> dict[str, Any]:
    """Return options with weights, scale and centre of the instrument that a table declares, unless some are given."""
    instrument = design.instrument
    if (
        instrument is None
        or options["weights"] is not None
        or options["score_range"] is not None
        or options["free_weights"]
    ):
        return dict(options)
    return {
        **options,
        "weights": instrument.used,
        "score_range": instrument.scale,
        "centre": instrument.centre,
    }


def checked_settings(options: Mapping[str, Any], **allowed: Sequence[str]) -> dict[str, Any]:
    """Return the options of a metric of trait scores: choices and numbers checked, weights by trait, stages a tuple.

    Parameters
    ----------
    options : mapping of str to object
        Option -> value; weights stay None where ``trait`` is None.
    **allowed
        Option -> what it may be.

    Raises
    ------
    InputError
        Naming the value and what is allowed.
    """
    checked_level(options["level"])
    scale = None if options["score_range"] is None else checked_range(options["score_range"])
    free = options["free_weights"] or scale is not None
    for name, choices in {**allowed, "missing_trait": MISSING_TRAIT, "ci": CIS}.items():
        check_allowed(name, options[name], choices)
    weights, stages = options["weights"], options["stages"]
    if stages is not None:
        stages = (stages,) if isinstance(stages, str) else tuple(stages)
    return {
        **options,
        "score_range": scale,
        "centre": checked_number(options["centre"], "centre"),
        "weights": None if options["trait"] is None else checked_weights(weights, free=free),
        "stages": stages,
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredAnswers:
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
        """Average values of answers over wordings: (answers, ...) -> (models, scenarios, stages, ...), NaN for none."""
        flat, shape = self.question_codes()
        n = np.bincount(flat, minlength=math.prod(shape))
        sums = np.column_stack(
            [np.bincount(flat, column, len(n)) for column in values.reshape(len(values), -1).T]
        )
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / n[:, None]).reshape(*shape, *values.shape[1:])

    def question_codes(self) -> tuple[IntArray, tuple[int, int, int]]:
        """Number the model, scenario and stage of each answer: (answers,) int64 array, and how many there are."""
        shape = (len(self.models), len(self.scenarios), len(self.stages))
        return np.ravel_multi_index(tuple(self.codes[:, :3].T), shape), shape

    def complete_scenarios(self) -> tuple[IntArray, int]:
        """Return in how many scenarios each model has answers at all stages, and how many scenarios there are."""
        flat, shape = self.question_codes()
        # (models, scenarios, stages); a stage or scenario that no answer has does not count
        answered = np.bincount(flat, minlength=math.prod(shape)).reshape(shape) > 0
        has_all_stages = answered[:, :, answered.any(axis=(0, 1))].all(axis=2)
        return has_all_stages.sum(axis=1), int(answered.any(axis=(0, 2)).sum())

    def n_levels(self) -> list[int]:
        """Return how many models, scenarios, stages and wordings have an answer."""
        return [len(np.unique(codes)) for codes in self.codes.T]


def trait_table(
    data: Any,
    *,
    weights: Mapping[str, float] | None = None,
    traits: Sequence[str] | None = None,
    model: str | None = "model",
    scenario: str = "scenario",
    stage: str | None = None,
    wording: str | None = None,
    trait: str | None = "trait",
    judge: str = "judge",
    cluster: str | Sequence[str] = (),
    by: str | None = None,
    refusal: str | Sequence[str] = (),
    na: str | Sequence[str] = (),
    missing: Literal["error", "drop"] = "drop",
) -> Ratings:
    """Read a table with one column per trait: the traits that have weights, in strata called as the caller calls them.

    Parameters
    ----------
    data, model, scenario, stage, wording, judge, cluster, by, refusal, na, missing
        As in `trait_ratings`.
    weights : mapping of str to float, optional
        Its traits are those that are read, unless `traits` names others; by default those that the table declares.
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
        raise InputError(
            f"{option('trait', None)}: name {option('unit')}, {option('rater')} and {option('value')}, "
            "the columns of a table with one score a row"
        )
    if weights is None and traits is None:
        data = as_table(as_named(data))
        instrument = declared(data)
        weights = None if instrument is None else instrument.used
    design = trait_ratings(
        data,
        traits=list(checked_weights(weights, free=True)) if traits is None else traits,
        model=model,
        scenario=scenario,
        stage=stage,
        wording=wording,
        judge=judge,
        cluster=cluster,
        by=by,
        refusal=refusal,
        na=na,
        missing=missing,
    )
    names = {
        "model": model,
        "scenario": scenario,
        "stage": stage,
        "wording": wording,
        "trait": trait,
    }
    strata = {}
    for part, factor in design.strata.items():
        name = names.get(part) or part
        strata[name] = replace(factor, name=name)
    return replace(design, strata=strata)


def factor_of(design: Ratings, part: str, name: str | None) -> Factor:
    """Return the stratum (or cluster) that plays a part; a part that is None has one level.

    Raises
    ------
    InputError
        If nothing of that name is declared.
    """
    if name is None:
        level = ONLY[PARTS.index(part)] if part in PARTS else "value"
        return Factor(name=part, codes=np.zeros(len(design.units), dtype=np.int64), levels=(level,))
    factors = {**{f.name: f for f in design.clusters}, **design.strata}
    if name not in factors:
        raise InputError(
            f"no stratum '{shorten(name)}' for the {part}. Declared: {quoted(list(factors)) or 'none'}; "
            f"make the design with trait_ratings(), declare {option('strata')}, or name the one meant with "
            f"{option(part)}"
        )
    return factors[name]


def chosen_stages(
    design: Ratings, name: str | None, stages: Sequence[str] | None
) -> tuple[Ratings, tuple[str, ...]]:
    """Return the ratings of some stages, and these in the order given.

    Raises
    ------
    InputError
        For a stage that is not there, or given twice.
    """
    factor = factor_of(design, "stage", name)
    if stages is None:
        return design, factor.levels
    wanted = (stages,) if isinstance(stages, str) else tuple(stages)
    unknown = [s for s in wanted if s not in factor.levels]
    if unknown or not wanted or len(set(wanted)) < len(wanted):
        twice = f"{option('stages', list(wanted))}: name each stage once"
        fault = f"no stage '{shorten(str(unknown[0]))}'" if unknown else twice
        raise InputError(
            f"{fault}. Stages: {listing([shorten(s) for s in factor.levels], most=20)}"
        )
    if len(wanted) == len(factor.levels):
        return design, wanted
    wanted_codes = [factor.levels.index(s) for s in wanted]
    return design.take(
        np.isin(factor.codes[design.unit], wanted_codes), note=f"stages {listing(wanted, most=4)}"
    ), wanted


def collect_answers(
    design: Ratings,
    names: Mapping[str, Any],
    traits: Sequence[str],
    stages: Sequence[str],
    *,
    missing: str = "error",
) -> ScoredAnswers:
    """Collect the scores of each answer.

    Parameters
    ----------
    design : Ratings
    names : mapping of str to str or None
        Part (`PARTS` and ``trait``) -> its stratum.
    traits : sequence of str
        Every trait, in the order wanted; where the trait is None one name for the value itself.
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
    require_numeric_scores(design)
    factors = {part: factor_of(design, part, names[part]) for part in (*PARTS, "trait")}
    trait = trait_codes(
        factors["trait"], traits if names["trait"] is not None else factors["trait"].levels
    )
    # the stages in the order wanted; -1 for one that is not
    stage_codes = np.array(
        [stages.index(s) if s in stages else -1 for s in factors["stage"].levels]
    )
    codes = np.column_stack(
        [factors[p].codes if p != "stage" else stage_codes[factors[p].codes] for p in PARTS]
    )
    # answers: the combinations of model, scenario, stage and wording that occur
    distinct, first, answer_of_unit = unique_rows(codes)
    answers = ScoredAnswers(
        models=factors["model"].levels,
        scenarios=factors["scenario"].levels,
        stages=tuple(stages),
        wordings=factors["wording"].levels,
        judges=design.raters,
        traits=tuple(traits),
        codes=distinct.astype(np.int64),
        scores=np.full((len(distinct), len(design.raters), len(traits)), np.nan),
        unit=first,
        left_out=0,
    )
    check_units(answers, answer_of_unit, trait)
    ok = design.status == OK
    unit, judge = design.unit[ok], design.rater[ok]
    answers.scores[answer_of_unit[unit], judge, trait[unit]] = design.scores[design.value[ok]]
    return complete_answers(answers, design, missing)


def require_numeric_scores(design: Ratings) -> None:
    """Raise InputError for values that are no numbers, counted units, or judges that nobody can tell apart."""
    if not design.numeric:
        raise InputError(f"scores must be numbers; the levels are {quoted(design.levels)}")
    if not design.raters_known or np.any(design.unit_count != 1):
        raise InputError(
            "scores need one rating a row with its judge; this design is made from counts"
        )


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
            f"trait {quoted(extra)} has no weight. Give it one in {option('weights')} (0 leaves it out of the "
            "composite), or make the design without it"
        )
    if absent:
        raise InputError(
            f"weights name trait {quoted(absent)}, which no answer has; traits: {quoted(factor.levels, 12)}"
        )
    code_of_level = np.array([list(traits).index(t) for t in factor.levels], dtype=np.int64)
    return np.asarray(code_of_level[factor.codes])


def answer_name(answers: ScoredAnswers, k: int) -> str:
    """Name an answer."""
    levels = (answers.models, answers.scenarios, answers.stages, answers.wordings)
    return ", ".join(
        f"{part} '{shorten(level[code], 40)}'"
        for part, level, code in zip(PARTS, levels, answers.codes[k].tolist(), strict=True)
        if len(level) > 1
    )


def check_units(answers: ScoredAnswers, answer: IntArray, trait: IntArray) -> None:
    """Raise InputError for two units of the same answer and trait."""
    # one key for each combination of answer and trait
    key, n = np.unique(answer * len(answers.traits) + trait, return_counts=True)
    repeated = key[n > 1]
    if len(repeated):
        k, t = divmod(int(repeated[0]), len(answers.traits))
        raise InputError(
            f"several units are trait '{shorten(answers.traits[t])}' of one answer ({answer_name(answers, k)}), "
            f"and so for {len(repeated):,} in all. Declare what tells them apart as a stratum and name it with "
            f"{option('wording')}"
        )


def complete_answers(answers: ScoredAnswers, design: Ratings, missing: str) -> ScoredAnswers:
    """Report answers without all their scores, or leave them out."""
    source = design.source
    is_missing = np.isnan(answers.scores)
    incomplete = is_missing.any(axis=(1, 2))
    if not incomplete.any():
        return answers
    if missing == "error":
        unscored = unscored_stages(answers, is_missing, design)
        if unscored:
            raise InputError(unscored)
        raise InputError(
            [
                missing_scores(answers, k, is_missing[k], source)
                for k in np.flatnonzero(incomplete).tolist()
            ]
        )
    is_complete = ~incomplete
    if not is_complete.any():
        raise NothingToAnalyse(f"{source}: no answer has the scores of all judges on all traits")
    return replace(
        answers,
        codes=answers.codes[is_complete],
        scores=answers.scores[is_complete],
        unit=answers.unit[is_complete],
        left_out=int(incomplete.sum()),
    )


def unscored_stages(
    answers: ScoredAnswers,
    is_missing: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    design: Ratings,
) -> list[Problem]:
    """State which judges scored no answer of a whole stage: one problem, not one an answer."""
    if len(answers.stages) < 2:
        return []
    judge, stage = design.columns.get("rater", "rater"), design.columns.get("stage", "stage")
    stage_codes = answers.codes[:, PARTS.index("stage")]
    problems = []
    for s in np.unique(stage_codes).tolist():
        label = answers.stages[s]
        never = is_missing[stage_codes == s].all(axis=(0, 2))
        for j in np.flatnonzero(never).tolist():
            name = answers.judges[j]
            problems.append(
                Problem(
                    message=f"judge '{shorten(name, 40)}' scored no answer of stage '{shorten(label, 40)}'",
                    source=design.source,
                    fix="Collect these scores, or leave out the judge or the stage "
                    f"(--exclude {judge}={name}, --exclude {stage}={label})",
                )
            )
    return problems


def missing_scores(
    answers: ScoredAnswers,
    k: int,
    is_missing: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    source: str,
) -> Problem:
    """State which scores an answer lacks."""
    judges = [answers.judges[j] for j in np.flatnonzero(is_missing.any(axis=1))]
    traits = [answers.traits[t] for t in np.flatnonzero(is_missing.any(axis=0))]
    where = answer_name(answers, k) or "the answer"
    return Problem(
        message=f"{where}: no score of {quoted(traits, 3)} by {quoted(judges, 3)}",
        source=source,
        fix=f"Fill it in, or say {option('missing_trait', 'drop_unit')} to leave such answers out; weights are never "
        "spread over the other traits",
    )


def answers_and_clusters(
    design: Ratings, settings: Mapping[str, Any], *, judges: str = "fixed"
) -> tuple[ScoredAnswers, UnitClusters]:
    """Return the answers that the settings of a metric choose, and the clusters of its units of analysis.

    Where the wording is None it is ``wording`` if that is declared.

    Raises
    ------
    InputError
        As `chosen_stages`, `collect_answers`, `check_range` (unless the weights are free) and `unit_clusters`.
    """
    design, stages = chosen_stages(design, settings["stage"], settings["stages"])
    weights = settings["weights"]
    traits = ("value",) if weights is None else tuple(weights)
    names = dict(settings)
    if settings["wording"] is None and "wording" in design.strata:
        names["wording"] = "wording"
    answers = collect_answers(design, names, traits, stages, missing=settings["missing_trait"])
    if weights is not None and (scale := score_scale(settings)) is not None:
        check_range(answers, scale, design.source)
    unit = analysis_unit_factor(design, settings)
    clusters = unit_clusters(design, unit, settings["cluster"], judges=judges, ci=settings["ci"])
    return answers, clusters


def analysis_unit_factor(design: Ratings, settings: Mapping[str, Any]) -> Factor:
    """Return the units of analysis over the units of the design; an answer is a model in a scenario."""
    kind = settings["unit_of_analysis"]
    if kind != "answer":
        return factor_of(design, kind, settings[kind])
    model, scenario = (factor_of(design, part, settings[part]) for part in ("model", "scenario"))
    # every combination has a level, also those without an answer
    levels = tuple(f"{m} | {s}" for m in model.levels for s in scenario.levels)
    return Factor(
        name="answer", codes=model.codes * len(scenario.levels) + scenario.codes, levels=levels
    )


def inference_of(
    settings: Mapping[str, Any], clusters: UnitClusters, magnitude: float, answers: ScoredAnswers
) -> Inference:
    """Return how the settings of a metric reckon uncertainty; `magnitude` is the largest size of a value.

    Rows of all models are of those that have all stages in half of the scenarios or more.
    """
    return Inference(
        unit=settings["unit_of_analysis"],
        judges=settings.get("judges", "fixed"),
        ci=settings["ci"],
        level=settings["level"],
        resamples=settings["resamples"],
        seed=settings["seed"],
        clusters=clusters.codes,
        magnitude=magnitude,
        pooled=mostly_complete(*answers.complete_scenarios()),
    )


def pooled_models(answers: ScoredAnswers, how: Inference) -> list[str]:
    """Return the models that rows of all models are of."""
    return [answers.models[k] for k in np.flatnonzero(how.pooled_of(len(answers.models)))]


def incomplete_cautions(answers: ScoredAnswers, how: Inference) -> tuple[Caution, ...]:
    """Caution SS301: models without answers to some scenarios or stages, and those left out of rows of all models."""
    # models need all stages of half of the scenarios to be in rows of all models
    n_complete, n_scenarios = answers.complete_scenarios()
    flat, shape = answers.question_codes()
    n_empty = math.prod(shape) - len(np.unique(flat))
    if not n_empty:
        return ()
    lacking = [
        f"'{shorten(model, 40)}' ({count(n)} of {n_scenarios})"
        for model, n in zip(answers.models, n_complete.tolist(), strict=True)
        if n < n_scenarios
    ]
    message = f"{count(n_empty, 'cell')} of model, scenario and stage without an answer"
    pooled = pooled_models(answers, how)
    left_out = [model for model in answers.models if model not in pooled]
    if len(answers.models) > 1:
        message += f"; models with all stages in some of the scenarios only: {listing(lacking, 6)}"
    if left_out:
        message += f"; rows of all models are without {quoted(left_out, 6)} (fewer than half of the scenarios)"
    affects = "rows over stages, changes and rows of all models, which rest on what is complete"
    return (
        caution(
            "SS301",
            message,
            affects=affects,
            fix=f"n says how many units a row rests on; leave out models that lack much ({option('exclude')})",
        ),
    )


def result_header(
    answers: ScoredAnswers, clusters: UnitClusters, how: Inference, rows: Iterable[Row], units: str
) -> dict[str, Any]:
    """Return what a result says above its rows: `inference` (`units` names the units of analysis) and `fit`."""
    closed = how.ci == "closed"
    intervals = "t intervals" if closed else f"bootstrap intervals ({how.ci})"
    independence = (
        cluster_text(clusters.factors, "units")
        if clusters.factors
        else f"{how.unit}s independent of each other"
    )
    fit = {
        "nobs": len(answers.codes) * len(answers.judges),
        "method": "t" if closed else how.ci,
        "seed": how.seed,
        "resamples": None if closed else how.resamples,
        **cluster_facts(rows),
    }
    return {"inference": f"{intervals}; units of analysis: {units}; {independence}", "fit": fit}


def row_text(row: Row, *, adjusted: bool = False) -> str:
    """Write estimate, interval and test of a row; the p-value of the test by itself, or the one adjusted by Holm."""
    text = number(row.estimate)
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)}"
    if row.statistic is None or row.df is None:
        return text
    p = p_value(row.p_adjusted, name="p_Holm") if adjusted else p_value(row.p_value)
    return f"{text}, t({number(row.df, 0 if row.df == round(row.df) else 2)}) = {number(row.statistic)}, {p}"


def composites(scores: FloatArray, weights: Mapping[str, float], centre: float) -> FloatArray:
    """Sum of weight times (score - centre) over the last axis."""
    return np.asarray((scores - centre) @ np.array(list(weights.values())))


def composite_ratings(
    design: Ratings,
    stages: Sequence[str],
    weights: Mapping[str, float],
    centre: float,
    *,
    rounded: bool = False,
) -> Ratings:
    """Return one rating an answer and judge: the composite, or the nearest whole number.

    Parameters
    ----------
    design : Ratings
        With strata scenario, stage and trait; answers without all scores are left out.
    stages : sequence of str
        In their order.
    weights, centre
        As of `trait_profile`.
    rounded : bool

    Returns
    -------
    Ratings
        Stages are strata, and scenarios are clusters.
    """
    parts = ("model", "scenario", "stage", "wording", "trait")
    names = {part: part if part in design.strata else None for part in parts}
    answers = collect_answers(design, names, tuple(weights), stages, missing="drop_unit")
    values = composites(answers.scores, weights, centre)
    n, k = values.shape
    unit, judge = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    table = {
        "unit": unit,
        "judge": np.array(answers.judges)[judge],
        "value": np.round(values.ravel()) if rounded else values.ravel(),
        "stage": np.array(answers.stages)[answers.codes[unit, 2]],
        "scenario": np.array(answers.scenarios)[answers.codes[unit, 1]],
    }
    return Ratings.from_frame(table, strata=["stage"], cluster="scenario", source=design.source)


def score_scale(settings: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the lowest and the highest score: as declared, else 0 and twice the centre; None with free weights."""
    if settings["score_range"] is not None:
        low, high = settings["score_range"]
        return low, high
    return None if settings["free_weights"] else (0.0, 2 * float(settings["centre"]))


def checked_range(scale: Any) -> tuple[float, float]:
    """Return the ends of a scale.

    Raises
    ------
    InputError
        For what is no pair of finite numbers, the lower first.
    """
    if isinstance(scale, str) or not isinstance(scale, Sequence) or len(scale) != 2:
        raise InputError(f"{option('score_range', scale)}: name the lowest and the highest score")
    low, high = (checked_number(end, "score_range") for end in scale)
    if low >= high:
        raise InputError(f"{option('score_range', scale)}: the lowest score comes first")
    return low, high


def check_range(answers: ScoredAnswers, scale: tuple[float, float], source: str) -> None:
    """Raise InputError for scores outside the scale."""
    low, high = scale
    outside = (answers.scores < low) | (answers.scores > high)
    if outside.any():
        k, j, t = (int(x) for x in np.argwhere(outside)[0])
        where = ", ".join(
            x for x in (answer_name(answers, k), f"judge '{shorten(answers.judges[j])}'") if x
        )
        message = (
            f"the score {number(float(answers.scores[k, j, t]), 2)} of trait '{shorten(answers.traits[t])}' ({where}) "
            f"is outside {as_given(low)} to {number(high, 2)} ({count(int(outside.sum()), 'such score')} in all)"
        )
        fix = (
            f"Correct it, or say which scale was asked for: {option('score_range')}, or low "
            f"and high beside the weights"
        )
        raise InputError(Problem(source=source, message=message, fix=fix))
