"""How much answers vary with the wording of a question: the standard deviation over wordings, and its change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.metrics.paraphrase_spread.options import Options, checked_options
from socialstats.metrics.paraphrase_spread.rows import Spreads, change_rows, spread_rows, spreads_of
from socialstats.metrics.paraphrase_spread.words import plot, sentence
from socialstats.models.trait_answers import (
    Answers,
    MissingTrait,
    Names,
    answers_of,
    check_range,
    chosen_stages,
    composites,
    factor_of,
    trait_table,
)
from socialstats.models.unit_means import CiName, Inference, UnitClusters, size_cautions, unit_clusters
from socialstats.registry import Metric
from socialstats.resampling import Alternative
from socialstats.results import Result, ResultGroup, by_levels
from socialstats.text import count


@reads(trait_table, Ratings)
def paraphrase_spread(
    ratings: Ratings | TableLike,
    *,
    wording: str = "wording",
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    stages: Sequence[str] | None = None,
    change: Sequence[str] | None = None,
    unit_of_analysis: Literal["scenario", "model", "answer"] = "scenario",
    alternative: Alternative = "greater",
    missing_trait: MissingTrait = "error",
    model: str | None = "model",
    scenario: str = "scenario",
    stage: str | None = "stage",
    trait: str | None = "trait",
    cluster: str | Sequence[str] | None = "declared",
    ci: CiName = "closed",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far apart a model's answers to wordings of the same question are.

    The value of an answer is the judges' mean composite (`trait_profile`) or score; its spread is the standard
    deviation (n - 1) over the wordings of the same scenario, stage and model. Stages asked in one wording have none.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        As in `trait_profile`, with a stratum of wordings. With a ``by`` factor: one result a level.
    wording : str
        Its name.
    weights, centre, free_weights
        As in `trait_profile`; not used with ``trait=None``.
    stages : sequence of str, optional
        Only these, in this order.
    change : pair of str, optional
        Two stages, first minus second: by default the first and the last with wordings.
    unit_of_analysis : {"scenario", "model", "answer"}
        What is independent: scenarios (mean over models), models (mean over scenarios), or every model in every
        scenario.
    alternative : {"two_sided", "greater", "less"}
        Of Wilcoxon's test: by default the spread is greater at the first stage. The t test is two-sided.
    missing_trait : {"error", "drop_unit"}
        As in `trait_profile`; a question that then lacks a wording of its stage is left out.
    model, scenario, stage, trait : str or None
        Names of the strata. None for model or stage: there is one; for trait: the values are those whose spread counts.
    cluster : str, sequence of str or None
        Declared factors that hold whole units of analysis; None: units of analysis are independent.
    ci : {"closed", "percentile", "basic", "bca", "studentized"}
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `trait_ratings` or `read_ratings`.

    Returns
    -------
    Result
        ``spread`` by stage (group ``"spread"``, term the stage; group ``"spread: STAGE"``, term the model). Group
        ``"change"``, term ``FIRST minus SECOND``: mean change with paired t, df and p; ``"wilcoxon"``: V and p
        (exact below 50 changes without ties and zeros); ``"d_z"``. `extras`: ``pooled_sd`` (stage -> root of the mean
        variance: the standard deviation of wordings without the small-sample bias of the mean sd) and ``wordings``
        (stage -> number).

    Raises
    ------
    InputError
        For an unknown option or stage, no wordings, or scores as in `trait_profile`.
    NothingToAnalyse
        If no question was asked in two wordings.

    Notes
    -----
    The judges' and the model's own noise are part of the spread; they are the same at all stages asked alike, so that
    the change of variances is that of wordings, and the change of spreads understates it.

    References
    ----------
    Student. (1908). The probable error of a mean. doi:10.1093/biomet/6.1.1
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. doi:10.2307/3001968

    Examples
    --------
    >>> from socialstats import Ratings
    >>> rows = {"unit": list(range(12)), "judge": ["j"] * 12, "value": [3, 9, 4, 4, 1, 6, 5, 8, 2, 2, 7, 8],
    ...         "scenario": list("aabbccaabbcc"), "stage": ["first"] * 6 + ["last"] * 6, "wording": [1, 2] * 6}
    >>> design = Ratings.from_frame(rows, strata=["scenario", "stage", "wording"])
    >>> result = paraphrase_spread(design, model=None, trait=None)
    >>> [round(row.estimate, 2) for row in result.rows[:3]]
    [2.59, 0.94, 1.65]
    """
    options = checked_options(
        weights=weights, centre=centre, free_weights=free_weights, stages=stages, change=change,
        unit_of_analysis=unit_of_analysis, alternative=alternative, missing_trait=missing_trait, cluster=cluster, ci=ci,
        level=level, resamples=resamples, seed=seed,
        names=Names(model=model, scenario=scenario, stage=stage, wording=wording, trait=trait),
    )  # fmt: skip
    return by_levels(ratings, "declared", lambda one: estimate(one, options), Ratings)


def estimate(design: Ratings, options: Options) -> Result:
    """Compute the spreads of one design."""
    part, stages = chosen_stages(design, options.names, options.stages)
    traits = tuple(options.weights) if options.weights is not None else ("value",)
    answers = answers_of(part, options.names, traits, stages, missing=options.missing_trait)
    spreads = spreads_of(answers, values_of(answers, options))
    clusters = unit_clusters(part, unit_factor(part, options), options.cluster, judges="fixed", ci=options.ci)
    how = Inference(
        unit=options.unit_of_analysis, ci=options.ci, level=options.level, resamples=options.resamples,
        seed=options.seed, clusters=clusters.codes, magnitude=spreads.magnitude,
    )  # fmt: skip
    changed, more = change_rows(spreads, how, options)
    rows = (*spread_rows(spreads, how), *changed)
    return Result(
        metric="paraphrase_spread",
        title="Standard deviation over wordings",
        inference=inference_text(how, clusters),
        rows=rows,
        counts=counts_of(spreads, clusters),
        fit={"nobs": len(answers.codes) * len(answers.judges), "method": "t" if options.ci == "closed" else options.ci,
             "seed": options.seed, "resamples": None if options.ci == "closed" else options.resamples,
             **cluster_facts(rows)},
        settings=settings_of(options, spreads),
        cautions=(*clusters.cautions, *own_cautions(spreads, how)),
        references=(*METRIC.references, *(("davisonhinkley1997",) if options.ci != "closed" else ())),
        design=design,
        extras={"pooled_sd": spreads.pooled(), "wordings": dict(spreads.wordings), **more},
    )  # fmt: skip


def values_of(answers: Answers, options: Options) -> FloatArray:
    """Return each answer's value: the judges' mean composite, or score; (answers,) float64."""
    if options.weights is None:
        return np.asarray(answers.scores[:, :, 0].mean(axis=1))
    if not options.free_weights:
        check_range(answers, options.centre)
    return np.asarray(composites(answers.scores, options.weights, options.centre).mean(axis=1))


def unit_factor(design: Ratings, options: Options) -> Factor:
    """Return the units of analysis over the units of the design; an answer is a model in a scenario."""
    names = options.names
    model, scenario = (factor_of(design, part, getattr(names, part)) for part in ("model", "scenario"))
    if options.unit_of_analysis != "answer":
        return model if options.unit_of_analysis == "model" else scenario
    levels = tuple(f"{m} | {s}" for m in model.levels for s in scenario.levels)
    return Factor(name="answer", codes=model.codes * len(scenario.levels) + scenario.codes, levels=levels)


def counts_of(spreads: Spreads, clusters: UnitClusters) -> dict[str, int]:
    """Count what there is at every level."""
    answers = spreads.answers
    seen = [len(np.unique(answers.codes[:, k])) for k in range(2)]
    named = {f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors}
    return {
        "questions": spreads.n, "models": seen[0], "scenarios": seen[1], "stages": len(spreads.wordings),
        "judges": len(answers.judges), **named,
    }  # fmt: skip


def inference_text(how: Inference, clusters: UnitClusters) -> str:
    """Name units of analysis and clusters."""
    interval = "t intervals" if how.ci == "closed" else f"bootstrap intervals ({how.ci})"
    apart = cluster_text(clusters.factors, "units") if clusters.factors else f"{how.unit}s independent of each other"
    return f"{interval}; units of analysis: {how.unit}s; {apart}"


def settings_of(options: Options, spreads: Spreads) -> dict[str, object]:
    """Echo the options."""
    names = {name: getattr(options.names, name) for name in Names.__dataclass_fields__}
    plain = {name: getattr(options, name) for name in Options.__dataclass_fields__ if name != "names"}
    return {**plain, **names, "change": options.change or spreads.ends}


def own_cautions(spreads: Spreads, how: Inference) -> tuple[Caution, ...]:
    """Cautions SS301 (answers, questions and stages left out) and SS312 (few units)."""
    found: list[Caution] = []
    if spreads.answers.left_out:
        said = f"{count(spreads.answers.left_out, 'answer')} without all scores"
        found.append(caution("SS301", said, affects="the questions they belong to", fix="collect the scores again"))
    if spreads.lacking:
        said = f"{count(spreads.lacking, 'question')} without all wordings of the stage"
        found.append(caution("SS301", said, affects="n", fix="collect the answers again"))
    units = {"scenario": len(spreads.answers.scenarios), "model": len(spreads.answers.models)}
    return (*found, *size_cautions(units.get(how.unit, spreads.n), how, len(spreads.answers.judges)))


METRIC = Metric(
    name="paraphrase_spread",
    title="Standard deviation over wordings",
    design="ratings",
    function=paraphrase_spread,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.paraphrase_spread:verify",
    estimand="Mean standard deviation of a model's answers to wordings of the same question, by stage.",
    assumptions=(
        "the units of analysis (or the named clusters of them) are independent",
        "wordings are draws from those that mean the same; scores are on an interval scale",
        "Wilcoxon: changes are symmetric about 0 under the hypothesis",
    ),
    references=("student1908", "wilcoxon1945"),
    values="traits",
    options={"weights": {"caring": 2.0, "open": 3.0, "strict": -4.0, "wary": -1.0}},
)
