"""Weighted composite of trait scores that judges gave: by model and stage, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.metrics.trait_profile.options import Options, checked_options, chosen_baseline, spread_of_weights
from socialstats.metrics.trait_profile.rows import Profile
from socialstats.metrics.trait_profile.sensitivity import judge_ranges, weight_rows
from socialstats.metrics.trait_profile.words import plot, sentence
from socialstats.models.judge_zeros import JudgeZeros
from socialstats.models.trait_answers import (
    Answers,
    MissingTrait,
    Names,
    answers_of,
    check_range,
    chosen_stages,
    composites,
    declared_wording,
    factor_of,
    trait_table,
)
from socialstats.models.unit_means import CiName, Inference, UnitClusters, size_cautions, unit_clusters
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, by_levels
from socialstats.text import count


@reads(trait_table, Ratings)
def trait_profile(
    ratings: Ratings | TableLike,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    stages: Sequence[str] | None = None,
    baseline: str | None = None,
    unit_of_analysis: Literal["scenario", "model"] = "scenario",
    judges: Literal["fixed", "random"] = "fixed",
    zero: float | Mapping[str, float] | None = None,
    activation: float | None = 14.0,
    activated: Literal["mean", "each"] = "mean",
    entropy: Literal["nats", "bits"] | None = None,
    missing_trait: MissingTrait = "error",
    model: str | None = "model",
    scenario: str = "scenario",
    stage: str | None = "stage",
    wording: str | None = None,
    trait: str = "trait",
    cluster: str | Sequence[str] | None = "declared",
    ci: CiName = "closed",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the weighted composite of trait scores, by model and stage.

    An answer's composite, as one judge sees it, is the sum over traits of weight x (score - centre); weights add up to
    0 and their absolute values to ten, so that it lies between -100 and 100 for scores from 0 to 20. It is averaged
    over wordings and judges first, over stages and models where a row says so, and last over the units of analysis,
    whose variation is the error.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are traits of answers, with strata for model, scenario, stage, trait (and wording), as `trait_ratings`
        makes them; or a table with one column a trait (by default those of the weights). With a ``by`` factor: one
        result a level.
    weights : mapping of str to float, optional
        Weight of each trait; by default the ten traits of staged role play (`socialstats.models.trait_weights`).
    centre : float
        Neutral score, the middle of a scale from 0.
    free_weights : bool
        Allow weights of any sum and scores of any range.
    stages : sequence of str, optional
        Only these, in this order.
    baseline : str, optional
        Stage that others are compared with: by default ``"baseline"`` where there is one, else the first.
    unit_of_analysis : {"scenario", "model"}
        What is drawn at random: scenarios (models are those of interest), or models (each with its mean over
        scenarios).
    judges : {"fixed", "random"}
        ``"random"``: judges are drawn too: mean squares of units of analysis and judges, with Cochran's degrees
        of freedom (`socialstats.inference.crossed_mean`); V1 + V2 - V12 where units have clusters.
    zero : float, mapping of judge to float, or result of `judge_zeros`, optional
        The judges' own zero: rows of the composite minus it. That of `judge_zeros` follows the weights, and its error
        is in these rows: variances add, with Cochran's degrees of freedom. Numbers are taken as known.
    activation : float or None
        Score from which a trait is active; None: no activation rows.
    activated : {"mean", "each"}
        Count traits by the judges' mean score, or for each judge and average the counts.
    entropy : {"nats", "bits"} or None
        Rows of the entropy of the traits' shares in an answer's scores (the judges' means): -sum p ln p with p = score
        / sum of scores; largest, ln of the number of traits, where all scores are alike. None: no such rows.
    missing_trait : {"error", "drop_unit"}
        An answer that some judge did not score on some trait: an error, or left out whole and counted (SS301).
        Weights are never spread over the other traits.
    model, scenario, stage, wording, trait : str or None
        Names of the strata. None for model or stage: there is one; for wording: ``"wording"`` where it is declared.
    cluster : str, sequence of str or None
        Declared factors that hold whole units of analysis; factors inside these (or equal) are accounted for. None:
        units of analysis are independent.
    ci : {"closed", "percentile", "basic", "bca", "studentized"}
        t interval, or bootstrap of the units of analysis (clusters).
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `trait_ratings` or `read_ratings`.

    Returns
    -------
    Result
        Term the model, group: ``composite`` (over all stages; t against 0), ``composite: STAGE``,
        ``composite minus zero`` (also by stage), ``composite change: STAGE minus BASELINE`` (paired t, Holm over models
        and stages), ``composite d_z: ...`` (noncentral t), the same of ``activation`` (levels without a test) and of
        ``entropy`` (of all models together), ``without judge 'JUDGE'`` (also minus zero), ``equal weights``,
        ``lowest of other weights``, ``highest of other weights`` (their method names the set; with ``... minus zero``
        under the zero of `judge_zeros`, and ``... minus these``: paired difference to the composite). ``other weights
        of all models`` and ``other weights minus these of all models`` (paired t, Holm over the sets): term the set of
        weights. Groups ending in ``of all models``: the mean over models, term the stage or change. ``score: MODEL``:
        mean of each trait; ``active of all models``: share of answers in which a trait is active; ``composite
        difference``: any two of up to 15 models, paired, Holm over the pairs; ``judge offset``: a judge's composite
        minus the judges' mean. `extras`: ``weight_sensitivity`` (set of weights -> model -> composite),
        ``leave_one_judge_out`` (model -> lowest, highest), ``range``, ``weights``.

    Raises
    ------
    InputError
        For an unknown option, weights that are not balanced, scores out of range, traits without a weight, scores that
        are missing, or clusters that cut across units of analysis.
    NothingToAnalyse
        If no answer has all its scores.

    References
    ----------
    Student. (1908). The probable error of a mean. doi:10.1093/biomet/6.1.1
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Steiger, J. H., & Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of statistical models.
    Cochran, W. G. (1964). Approximate significance levels of the Behrens-Fisher test. doi:10.2307/2528069
    Cornfield, J., & Tukey, J. W. (1956). Average values of mean squares in factorials. doi:10.1214/aoms/1177728067
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136

    Examples
    --------
    >>> table = {"model": ["m"] * 6, "scenario": ["a", "a", "b", "b", "c", "c"], "stage": ["start", "end"] * 3,
    ...          "judge": ["j"] * 6, "openness": [12, 15, 11, 12, 13, 17], "tradition": [9, 8, 10, 8, 10, 9]}
    >>> result = trait_profile(table, baseline="start", weights={"openness": 5, "tradition": -5})
    >>> row = result.row("m", group="composite change: end minus start")
    >>> round(row.estimate, 2), row.df, round(row.p_value, 3)
    (20.0, 2.0, 0.02)
    """
    options = checked_options(
        weights=weights, centre=centre, free_weights=free_weights, stages=stages, baseline=baseline,
        unit_of_analysis=unit_of_analysis, judges=judges, zero=zero, activation=activation, activated=activated,
        entropy=entropy, missing_trait=missing_trait, cluster=cluster, ci=ci, level=level, resamples=resamples,
        seed=seed,
        names=Names(model=model, scenario=scenario, stage=stage, wording=wording, trait=trait),
    )  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def estimate(design: Ratings, options: Options) -> Result:
    """Compute the profile of one design."""
    names = options.names
    names = Names(
        model=names.model, scenario=names.scenario, stage=names.stage, trait=names.trait,
        wording=declared_wording(design, names.wording),
    )  # fmt: skip
    part, stages = chosen_stages(design, names, options.stages)
    answers = answers_of(part, names, tuple(options.weights), stages, missing=options.missing_trait)
    if not options.free_weights:
        check_range(answers, options.centre)
    unit = factor_of(part, options.unit_of_analysis, getattr(names, options.unit_of_analysis))
    clusters = unit_clusters(part, unit, options.cluster, judges=options.judges, ci=options.ci)
    profile = profile_of(answers, clusters, options)
    rows = profile.rows()
    other, values = weight_rows(profile)
    return Result(
        metric="trait_profile",
        title="Weighted composite of trait scores",
        inference=inference_text(profile, clusters),
        rows=(*rows, *other),
        counts=counts_of(answers, clusters),
        fit={"nobs": len(answers.codes) * len(answers.judges), "method": "t" if options.ci == "closed" else options.ci,
             "seed": options.seed, "resamples": None if options.ci == "closed" else options.resamples,
             **cluster_facts(rows)},
        settings=settings_of(options, profile),
        cautions=(*clusters.cautions, *own_cautions(profile)),
        references=references(options),
        design=design,
        extras={
            "weight_sensitivity": values, "leave_one_judge_out": judge_ranges(rows, answers.judges),
            "weights": dict(options.weights), "range": (-spread_of_weights(options), spread_of_weights(options)),
        },
    )  # fmt: skip


def profile_of(answers: Answers, clusters: UnitClusters, options: Options) -> Profile:
    """Put answers, inference and composites together."""
    how = Inference(
        unit=options.unit_of_analysis, judges=options.judges, ci=options.ci, level=options.level,
        resamples=options.resamples, seed=options.seed, clusters=clusters.codes,
        magnitude=max(spread_of_weights(options), float(np.abs(answers.scores).max())),
    )  # fmt: skip
    values = composites(answers.scores, options.weights, options.centre)
    return Profile(
        answers=answers, how=how, options=options, baseline=chosen_baseline(options.baseline, answers.stages),
        composite=answers.cells(values),
    )  # fmt: skip


def counts_of(answers: Answers, clusters: UnitClusters) -> dict[str, int]:
    """Count what there is at every level."""
    seen = [len(np.unique(answers.codes[:, k])) for k in range(4)]
    out = {"answers": len(answers.codes), "models": seen[0], "scenarios": seen[1], "stages": seen[2]}
    if len(answers.wordings) > 1:
        out["wordings"] = seen[3]
    named = {f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors}
    return {**out, "judges": len(answers.judges), "traits": len(answers.traits), **named}


def inference_text(profile: Profile, clusters: UnitClusters) -> str:
    """Name units of analysis, judges and clusters."""
    how = profile.how
    units = count(len(profile.answers.scenarios if how.unit == "scenario" else profile.answers.models), how.unit)
    judges = "drawn" if how.judges == "random" else "fixed"
    interval = "t intervals" if how.ci == "closed" else f"bootstrap intervals ({how.ci})"
    apart = cluster_text(clusters.factors, "units") if clusters.factors else f"{how.unit}s independent of each other"
    return f"{interval}; units of analysis: {units}; judges {judges}; {apart}"


def settings_of(options: Options, profile: Profile) -> dict[str, Any]:
    """Echo the options."""
    names = {name: getattr(options.names, name) for name in Names.__dataclass_fields__}
    plain = {name: getattr(options, name) for name in Options.__dataclass_fields__ if name != "names"}
    return {**plain, **names, **zero_of(options.zero), "baseline": profile.baseline}


def zero_of(zero: float | Mapping[str, float] | None) -> dict[str, Any]:
    """Echo the zero, its error, and the control texts that it comes from."""
    if not isinstance(zero, JudgeZeros):
        return {"zero": dict(zero) if isinstance(zero, Mapping) else zero, "zero_error": None, "zero_texts": None}
    error, scores = zero.error(), zero.scores.tolist()
    texts = {text: {judge: dict(zip(zero.traits, given, strict=True))
                    for judge, given in zip(zero.judges, rows, strict=True)}
             for text, rows in zip(zero.texts, scores, strict=True)}  # fmt: skip
    known = None if error is None else {"std_error": error.std_error, "df": error.df, "basis": error.basis}
    return {"zero": dict(zero), "zero_error": known, "zero_texts": texts, "zero_neutral": list(zero.neutral)}


def own_cautions(profile: Profile) -> tuple[Caution, ...]:
    """Cautions SS301 (answers left out, scenarios that not every model has), SS312 and SS202."""
    found: list[Caution] = []
    answers = profile.answers
    if answers.left_out:
        said = (
            f"{count(answers.left_out, 'answer')} without all scores, of {count(answers.left_out + len(answers.codes))}"
        )
        found.append(caution("SS301", said, affects="every row that needs them", fix="collect the scores again"))
    empty = int(np.isnan(profile.composite[..., 0]).sum())
    if empty:
        said = f"{count(empty, 'cell')} of model, scenario and stage without an answer"
        affects = "rows over stages, changes and rows of all models, which rest on what is complete"
        found.append(caution("SS301", said, affects=affects, fix="n says how many units a row rests on"))
    units = len(answers.scenarios if profile.how.unit == "scenario" else answers.models)
    return (*found, *size_cautions(units, profile.how, len(answers.judges)))


def references(options: Options) -> tuple[str, ...]:
    """Keys of the methods used."""
    told = ("cochran1964",) if isinstance(options.zero, JudgeZeros) and options.judges != "random" else ()
    more = ("cochran1964", "cornfieldtukey1956", "cameron2011") if options.judges == "random" else ()
    drawn = ("davisonhinkley1997",) if options.ci != "closed" else ()
    return (*METRIC.references, *told, *more, *drawn)


METRIC = Metric(
    name="trait_profile",
    title="Weighted composite of trait scores",
    design="ratings",
    function=trait_profile,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.trait_profile:verify",
    estimand="Mean over scenarios (or models) of the sum of weight x (score - centre), averaged over judges.",
    assumptions=(
        "the units of analysis (or the named clusters of them) are independent",
        "weights are given, not estimated; scores are on an interval scale",
        "judges='fixed': nothing is said about other judges",
    ),
    references=("student1908", "holm1979", "steigerfouladi1997"),
    values="traits",
    options={"weights": {"caring": 2.0, "open": 3.0, "strict": -4.0, "wary": -1.0}},
)
