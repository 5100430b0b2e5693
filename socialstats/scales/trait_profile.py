"""Weighted composite of trait scores, by model and stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.dependence import spread_cautions
from socialstats.paired.pair_values import checked_number
from socialstats.paired.unit_means import (
    JUDGES,
    CiName,
    few_units_cautions,
)
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.plots import rows_of_group
from socialstats.results.rows import (
    Role,
    lowest_and_highest,
    rows_with,
    undefined_text,
)
from socialstats.scales.judge_zeros import JudgeZeros, zero_facts, zero_of
from socialstats.scales.plain_profile import sample_profile, tests_together
from socialstats.scales.profile_rows import (
    ALL,
    Profile,
    baseline_stage,
    composite_range,
    measure_limits,
    play_stages,
    profile_rows,
    trait_groups_of,
)
from socialstats.scales.traits import (
    MissingTrait,
    answers_and_clusters,
    checked_settings,
    declared_options,
    incomplete_cautions,
    inference_of,
    pooled_models,
    result_header,
    row_text,
    score_scale,
    trait_table,
)
from socialstats.scales.weight_rows import weight_rows
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENTROPIES = ("nats", "bits")


def judge_ranges(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Lowest and highest composite with one judge left out, by term."""
    by_term: dict[str, list[float]] = {}
    for row in (
        *rows_with(rows, "without", "model", measure="composite"),
        *rows_with(rows, "without", measure="composite"),
    ):
        if row.estimate is not None:
            by_term.setdefault(row.label("model") or "all models", []).append(row.estimate)
    return {term: (min(values), max(values)) for term, values in by_term.items()}


def sentence(result: Result) -> str:
    """Return the highest and lowest composite, and the largest change from the baseline."""
    counts = result.counts
    place = [count(counts[what], what[:-1]) for what in ("scenarios", "stages", "judges")]
    unit = result.settings["unit_of_analysis"]
    start = f"Over {listing(place)}, "
    ends = [number(x, 0 if x == round(x) else 2) for x in result.extras["range"]]
    has_scale = score_scale(result.settings) is not None
    scale = f"the composite ({ends[0]} to {ends[1]})" if has_scale else "the composite"
    return f"{start}{levels_text(result, scale, unit)}{largest_change_text(result)}."


def levels_text(result: Result, scale: str, unit: str) -> str:
    """Name the composite: of all models where they are the units of analysis, else the highest and the lowest."""
    if unit == "model":
        (row,) = rows_with(result.rows, measure="composite")
        return f"{scale} of {count(len(result.extras['pooled']), 'model')} (the units of analysis) {row_numbers(row)}"
    of_models = rows_with(result.rows, "model", measure="composite")
    if all(r.estimate is None for r in of_models):
        return f"{scale} is undefined ({undefined_text(of_models)})"
    if len(of_models) == 1:
        return f"{scale} of '{shorten(of_models[0].term)}' {row_numbers(of_models[0])}"
    low, high = lowest_and_highest(of_models)
    best, worst = (
        f"{quoted([r.term for r in end], 3)} ({row_numbers(end[0], '')})" for end in (high, low)
    )
    if number(high[0].estimate) == number(low[0].estimate):
        return f"{scale} of all {count(len(of_models), 'model')} {row_numbers(high[0])}"
    return (
        f"{scale} of {count(len(of_models), 'model')} was highest for {best} and lowest for {worst}"
    )


def change_name(row: Row) -> str:
    """Return ``stage 4 minus baseline`` of a row of changes."""
    return f"{row.label('stage')} minus {row.label('baseline')}"


def size_of(result: Result, row: Row) -> Row | None:
    """Return the row of d_z of a change."""
    return next((r for r in result.rows if r.role == "effect_size" and r.key == row.key), None)


def pooled_rows(
    result: Result, *dimensions: str, role: Role = "estimate", **facts: str
) -> list[Row]:
    """Return the rows of all models together; of the only model where there is one.

    Parameters
    ----------
    result : Result
    *dimensions : str
        Those that the keys have beside the model.
    role : str
    **facts : str
        Labels that the keys have.
    """
    joint = rows_with(result.rows, *dimensions, role=role, **facts)
    return joint or rows_with(result.rows, *dimensions, "model", role=role, **facts)


def changes_of(result: Result, measure: str = "composite") -> list[Row]:
    """Return the changes of all models against the baseline; of the only model where there is one."""
    return pooled_rows(result, "stage", "baseline", role="difference", measure=measure)


def last_change(result: Result, measure: str = "composite") -> Row:
    """Return the change at the last stage of the play; at the last stage where there is no play."""
    rows = changes_of(result, measure)
    return next(
        (row for row in reversed(rows) if row.label("stage") in result.settings["interaction"]),
        rows[-1],
    )


def units_of(result: Result) -> str:
    """Return the units of analysis behind the last change of a result: ``8 models``."""
    unit = str(result.settings["unit_of_analysis"])
    return count(changes_of(result)[-1].n or result.counts[f"{unit}s"], unit)


def largest_change_text(result: Result) -> str:
    """Return the largest change of all models (of the only model) from the baseline."""
    several = result.counts["models"] > 1
    changes = [row for row in changes_of(result) if row.estimate is not None]
    if several:
        changes = [row for row in changes if row.label("model") is None]
    if not changes:
        return ""
    row = max(changes, key=lambda r: abs(r.estimate or 0.0))
    size = size_of(result, row)
    all_models = len(result.extras["pooled"]) == result.counts["models"]
    models = ""
    if several:
        n_models = count(len(result.extras["pooled"]), "model")
        models = "of all models " if all_models else f"of {n_models} "
    text = f"; the largest change {models}was {shorten(change_name(row))}: {row_numbers(row, '', adjusted=True)}"
    if size is not None and size.estimate is not None:
        text += f", d_z = {number(size.estimate)}"
    return text


def row_numbers(row: Row, verb: str = "was ", *, adjusted: bool = False) -> str:
    """Estimate, interval and test of a row, or why there is none."""
    if row.estimate is None:
        return f"is undefined ({row.undefined})"
    return f"{verb}{row_text(row, adjusted=adjusted)}" + (
        f" ({row.undefined})" if row.undefined else ""
    )


def plot(
    result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any
) -> Axes:
    """Draw one group of rows with their intervals: by default the composites of the models, or of the stages."""
    from socialstats.figures import forest

    groups = list(dict.fromkeys(r.group for r in result.rows if r.group is not None))
    # composites of the models, or by stage where the models are the units of analysis
    default = "composite" if "composite" in groups else f"composite by stage {ALL}"
    chosen = group or (default if default in groups else groups[0])
    settings = {"xlabel": shorten(chosen), "sort": False}
    return forest(rows_of_group(result, chosen), ax=ax, **{**settings, **options})


@reads(trait_table, Ratings)
def trait_profile(
    ratings: Ratings | TableLike,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    score_range: tuple[float, float] | None = None,
    stages: Sequence[str] | None = None,
    baseline: str | None = None,
    unit_of_analysis: Literal["scenario", "model"] = "scenario",
    judges: Literal["fixed", "random"] = "fixed",
    zero: float | Mapping[str, float] | None = None,
    activation: float | None = 14.0,
    activated: Literal["mean", "each"] = "mean",
    entropy: Literal["nats", "bits"] | None = None,
    changes: Literal["baseline", "all"] = "baseline",
    interaction: Sequence[str] | None = None,
    trait_groups: Mapping[str, Sequence[str]] | None = None,
    limits: tuple[float, float] | None = None,
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

    An answer's composite, as one judge scores it, is the sum over traits of weight x (score - centre). Weights add up
    to 0 and their absolute values to ten. So it lies between -100 and 100 for scores from 0 to 20. It is averaged over
    wordings and judges, over stages and models where a row says so, and over the units of analysis. The variation of
    these units is the error.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Units are traits of answers, with strata for model, scenario, stage, trait (and wording), as `trait_ratings`
        makes them. Or a table with one column per trait (by default those of the weights). With a ``by`` factor: one
        result per level.
    weights : mapping of str to float, optional
        Weight of each trait. By default those that the table declares (`socialstats tidy`), with their scale and its
        centre. Without these, those of the ten traits of staged role play (`socialstats.scales.trait_weights`).
    centre : float
        Neutral score, the middle of a scale from 0.
    free_weights : bool
        Allow weights of any sum and scores of any range.
    score_range : pair of float, optional
        Lowest and highest score, for weights of any sum and size. By default scores run from 0 to twice the centre.
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
        The judges' neutral point: rows of the composite minus it. That of `judge_zeros` follows the weights. Its error
        is in these rows: variances add, with Cochran's degrees of freedom. Numbers are taken as known.
    activation : float or None
        Score from which a trait is active; None: no activation rows.
    activated : {"mean", "each"}
        Count traits by the judges' mean score, or for each judge and average the counts.
    entropy : {"nats", "bits"} or None
        Rows of the entropy of the traits' shares in an answer's scores (the judges' means): -sum p ln p with p = score
        / sum of scores. Its maximum is ln of the number of traits, where all scores are alike. None: no such rows.
    changes : {"baseline", "all"}
        ``"all"``: also the mean of the stages of the play minus the baseline, and any two other stages, with d_z. With
        several models the latter are of all models together.
    interaction : sequence of str, optional
        The stages of the play, averaged there; by default all but the baseline and those called debrief.
    trait_groups : mapping of str to sequence of str, optional
        Groups of traits whose mean scores are compared; by default those of weights above and below 0.
    limits : pair of float, optional
        What a composite can be, at which intervals are cut; by default as the weights say, with free ones unknown.
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
        Rows of each model have the model as term. Groups:

        - ``composite``: over all stages, t against 0
        - ``composite: STAGE``: at each stage
        - ``composite minus zero``: the same relative to the zero
        - ``composite change: STAGE minus BASELINE``: paired t, Holm over models and stages
        - ``composite d_z: STAGE minus BASELINE``: noncentral t
        - ``activation ...``: the same of the number of active traits, levels without a test
        - ``entropy ...``: the same, of all models together
        - ``without judge 'JUDGE'``: also minus zero
        - ``equal weights``, ``lowest of other weights``, ``highest of other weights``: their method names the set. Also
          ``... minus zero`` (of `judge_zeros`) and ``... minus these``, the paired difference to the composite
        - ``other weights of all models``, ``other weights minus these of all models``: the term is the set of weights;
          paired t, Holm over the sets
        - ``... of all models``: the mean over models in scenarios where all have a value; the term is the stage or
          change. A model with all stages in fewer than half of the scenarios is left out (SS301 names it)
        - ``score: MODEL``: mean of each trait
        - ``score of traits: GROUP``, ``score of traits: GROUP minus GROUP``: means of groups of traits, paired
        - ``composite: SD over scenarios``, ``composite: SD over models``: with the wider limits of Bonett's and the
          jackknife's interval
        - ``active of all models``: share of answers in which a trait is active
        - ``composite difference``: any two of up to 15 models, paired, Holm over the pairs
        - ``judge offset``: a judge's composite minus the judges' mean

        `extras`: ``pooled`` (models in rows of all models), ``weight_sensitivity`` (set of weights -> model ->
        composite), ``leave_one_judge_out`` (model -> lowest, highest), ``range``, ``weights``.

    Raises
    ------
    InputError
        For an unknown option, weights that are not balanced, or traits without a weight. For scores out of range or
        missing, and clusters that cut across units of analysis.
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
    Bonett, D. G. (2006). doi:10.1016/j.csda.2004.10.003
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.

    Examples
    --------
    >>> table = {"model": ["m"] * 6, "scenario": ["a", "a", "b", "b", "c", "c"], "stage": ["start", "end"] * 3,
    ...          "judge": ["j"] * 6, "openness": [12, 15, 11, 12, 13, 17], "tradition": [9, 8, 10, 8, 10, 9]}
    >>> result = trait_profile(table, baseline="start", weights={"openness": 5, "tradition": -5})
    >>> row = result.row("m", group="composite change: end minus start")
    >>> round(row.estimate, 2), row.df, round(row.p_value, 3)
    (20.0, 2.0, 0.02)
    """
    arguments = {
        name: value for name, value in locals().items() if name not in ("ratings", "columns")
    }
    settings = checked_settings(
        declared_options(arguments, ratings),
        unit_of_analysis=("scenario", "model"),
        judges=JUDGES,
        activated=("mean", "each"),
    )
    check_allowed("changes", changes, ("baseline", "all"))
    if entropy is not None:
        check_allowed("entropy", entropy, ENTROPIES)
    if isinstance(zero, JudgeZeros):
        settings["zero"] = replace(zero.under(settings["weights"]), centre=settings["centre"])
    if activation is not None:
        settings["activation"] = checked_number(activation, "activation")
    if settings["score_range"] is None and not free_weights and settings["centre"] <= 0:
        raise InputError(
            f"{option('centre', centre)}: scores run from 0 to twice the centre, so it must be above 0"
        )
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute the profile of one design."""
    answers, clusters = answers_and_clusters(design, settings, judges=settings["judges"])
    settings = {**settings, "baseline": baseline_stage(settings["baseline"], answers.stages)}
    settings |= {
        "interaction": play_stages(settings, answers.stages),
        "trait_groups": trait_groups_of(settings, answers.traits),
    }
    zero, ends = zero_of(settings["zero"], answers.judges), composite_range(settings)
    # rounding is a share of the largest number behind a composite
    magnitude = max(*map(abs, ends), 1.0, float(np.abs(answers.scores).max()))
    how = inference_of(settings, clusters, magnitude, answers)
    profile = Profile(answers=answers, how=how, settings=settings, zero=zero)
    rows, (other_weights, values) = profile_rows(profile), weight_rows(profile)
    judges_drawn = how.judges == "random"
    units = count(len(answers.scenarios if how.unit == "scenario" else answers.models), how.unit)
    n = dict(zip(("models", "scenarios", "stages", "wordings"), answers.n_levels(), strict=True))
    # a single wording is no level to count
    if len(answers.wordings) < 2:
        del n["wordings"]
    counts = {
        "answers": len(answers.codes),
        **n,
        "judges": len(answers.judges),
        "traits": len(answers.traits),
        **{f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors},
    }
    extras = {
        "limits": measure_limits(settings, len(answers.traits)),
        "weight_sensitivity": values,
        "leave_one_judge_out": judge_ranges(rows),
        "pooled": pooled_models(answers, how),
        "weights": dict(settings["weights"]),
        "range": ends,
    }
    references = (
        *METRIC.references,
        *(("cochran1964",) if isinstance(zero, JudgeZeros) and not judges_drawn else ()),
        *(("cochran1964", "cornfieldtukey1956", "cameron2011") if judges_drawn else ()),
        *(("davisonhinkley1997",) if how.ci != "closed" else ()),
    )
    cautions = (*clusters.cautions, *profile_cautions(profile), *spread_cautions(rows, "value"))
    return Result(
        metric="trait_profile",
        title="Weighted composite of trait scores",
        **result_header(
            answers, clusters, how, rows, f"{units}; judges {'drawn' if judges_drawn else 'fixed'}"
        ),
        rows=(*rows, *other_weights),
        counts=counts,
        settings=settings | zero_facts(settings["zero"], zero),
        cautions=cautions,
        references=references,
        design=design,
        extras=extras,
    )


def profile_cautions(profile: Profile) -> tuple[Caution, ...]:
    """Cautions SS301 (answers left out, scenarios that not every model has), SS312 and SS202."""
    cautions: list[Caution] = []
    answers = profile.answers
    if answers.left_out:
        total = count(answers.left_out + len(answers.codes))
        detail = f"{count(answers.left_out, 'answer')} without all scores, of {total}"
        cautions.append(
            caution(
                "SS301", detail, affects="every row that needs them", fix="collect the scores again"
            )
        )
    units = len(answers.scenarios if profile.how.unit == "scenario" else answers.models)
    if isinstance(profile.zero, JudgeZeros):
        cautions += profile.zero.cautions()
    return (
        *cautions,
        *incomplete_cautions(answers, profile.how),
        *few_units_cautions(units, profile.how, len(answers.judges)),
    )


METRIC = Metric(
    name="trait_profile",
    title="Weighted composite of trait scores",
    design="ratings",
    function=trait_profile,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_profile, family=tests_together),
    estimand="Mean over scenarios (or models) of the sum of weight x (score - centre), averaged over judges.",
    assumptions=(
        "the units of analysis (or the named clusters of them) are independent",
        "weights are given, not estimated; scores are on an interval scale",
        "judges='fixed': results do not generalise to other judges",
    ),
    references=(
        "student1908",
        "holm1979",
        "steigerfouladi1997",
        "bonett2006",
        "efrontibshirani1993",
    ),
    values="traits",
    options={"weights": {"caring": 2.0, "open": 3.0, "strict": -4.0, "wary": -1.0}},
)
