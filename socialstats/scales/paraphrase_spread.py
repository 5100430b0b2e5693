"""Standard deviation of a model's answers over wordings of the same question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.paired.pair_values import ROUNDING_ERRORS, merge_ties
from socialstats.paired.signed_rank import signed_rank
from socialstats.paired.unit_means import (
    CiName,
    Inference,
    UnitSample,
    d_z_row,
    empty_row,
    few_units_cautions,
    sample_across_models,
    sample_mean_row,
    sample_of_model,
)
from socialstats.registry import Metric, reads
from socialstats.resampling import ALTERNATIVES, Alternative
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.plots import forest_plot
from socialstats.results.rows import RowKey, rows_with
from socialstats.scales.plain_scores import (
    KEYS,
    across_units,
    clusters_of_units,
    models_together,
    plain_d_z,
    plain_mean,
    sample_of_units,
    scores_of_traits,
    weighted_scores,
)
from socialstats.scales.traits import (
    MissingTrait,
    ScoredAnswers,
    answers_and_clusters,
    checked_settings,
    composites,
    declared_options,
    incomplete_cautions,
    inference_of,
    result_header,
    row_text,
    trait_table,
)
from socialstats.tables import EPSILON
from socialstats.text import capital, count, number, p_value, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

UNITS = ("scenario", "model", "answer")
SIDES = {"two_sided": "two-sided ", "greater": "one-sided ", "less": "one-sided "}
DEPENDENT = "units are clustered, and Wilcoxon's test treats them as independent"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spreads:
    """Standard deviations over wordings.

    Attributes
    ----------
    answers : Answers
    cells : (models, scenarios, stages, 1) float64 array
        NaN where a question lacks a wording.
    wordings : mapping of stage to int
        Stages with two wordings or more.
    lacking : int
        Questions of these stages that lack a wording.
    magnitude : float
        Largest size of a value.
    """

    answers: ScoredAnswers
    cells: FloatArray
    wordings: Mapping[str, int]
    lacking: int
    magnitude: float

    @property
    def n(self) -> int:
        """Questions (model, scenario, stage) with a spread."""
        return int(np.isfinite(self.cells).sum())

    @property
    def ends(self) -> tuple[str, str] | None:
        """First and last stage with wordings."""
        stages = tuple(self.wordings)
        return (stages[0], stages[-1]) if len(stages) > 1 else None

    def stage(self, name: str) -> FloatArray:
        """(models, scenarios, 1) float64 array of a stage's spreads."""
        return np.asarray(self.cells[:, :, self.answers.stages.index(name)])

    def pooled(self) -> dict[str, float]:
        """Root of the mean variance, by stage."""
        return {s: math.sqrt(float(np.nanmean(self.stage(s) ** 2))) for s in self.wordings}


def spreads_of(answers: ScoredAnswers, values: FloatArray) -> Spreads:
    """Take standard deviations (n - 1) over wordings of the same model, scenario and stage.

    Parameters
    ----------
    answers : Answers
    values : (answers,) float64 array

    Raises
    ------
    NothingToAnalyse
        If no question has two wordings.
    """
    flat, shape = answers.question_codes()
    asked = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
    # one answer each: its value less the mean of its question
    residuals = values - answers.cells(values).ravel()[flat]
    n_wordings = {
        s: len(np.unique(answers.codes[answers.codes[:, 2] == t, 3]))
        for t, s in enumerate(answers.stages)
    }
    # a question that lacks a wording of its stage would have another spread than the others
    complete = (asked == np.array(list(n_wordings.values()))) & (asked > 1)
    wordings = {s: k for t, (s, k) in enumerate(n_wordings.items()) if complete[:, :, t].any()}
    if not wordings:
        raise NothingToAnalyse("no question was asked in two wordings: there is no spread")
    # (models, scenarios, stages): the mean of squares times k over k - 1 is the variance of k wordings
    deviation = np.sqrt(answers.cells(residuals**2) * asked / np.maximum(asked - 1, 1))
    reworded = np.array([k > 1 for k in n_wordings.values()])
    lacking = (asked > 0) & ~complete & reworded
    return Spreads(
        answers=answers,
        cells=np.where(complete, deviation, np.nan)[..., None],
        wordings=wordings,
        lacking=int(lacking.sum()),
        magnitude=max(1.0, float(np.abs(values).max())),
    )


def sample_of(cells: FloatArray, how: Inference) -> UnitSample:
    """Return one value a unit of analysis from (models, scenarios, 1) cells."""
    # every model in every scenario is a unit of its own, or one of them is averaged over
    return (
        sample_across_models(cells, how)
        if how.unit != "answer"
        else sample_of_model(cells.reshape(-1, 1), how)
    )


def wording_spread_rows(spreads: Spreads, how: Inference) -> list[Row]:
    """Rows of the mean spread by stage, then of each model where scenarios are the units of analysis."""
    facts: dict[str, Any] = {"test": False, "role": "estimate"}
    out = [
        sample_mean_row(s, "spread", sample_of(spreads.stage(s), how), key=(("stage", s),), **facts)
        for s in spreads.wordings
    ]
    # models are told apart where scenarios are what varies
    models = spreads.answers.models
    if how.unit == "scenario" and len(models) > 1:
        for s in spreads.wordings:
            for k, m in enumerate(models):
                sample, key = (
                    sample_of_model(spreads.stage(s)[k], how),
                    (("model", m), ("stage", s)),
                )
                out.append(sample_mean_row(m, f"spread: {s}", sample, key=key, **facts))
    return out


def spread_change_rows(
    spreads: Spreads, how: Inference, ends: tuple[str, str], alternative: Alternative
) -> tuple[list[Row], dict[str, float]]:
    """Rows of the change between two stages: t, Wilcoxon, d_z; with all p-values of Wilcoxon's test.

    Raises
    ------
    InputError
        For a stage without wordings.
    """
    unknown = [s for s in ends if s not in spreads.wordings]
    if unknown:
        with_wordings = quoted(list(spreads.wordings), 20)
        raise InputError(
            f"change: stage '{shorten(str(unknown[0]))}' has no wordings; stages with some: {with_wordings}"
        )
    sample = sample_of(spreads.stage(ends[0]) - spreads.stage(ends[1]), how)
    key = (("stage", ends[0]), ("baseline", ends[1]))
    ranked, p_values = wilcoxon_row(sample, alternative, key)
    return [
        sample_mean_row(f"{ends[0]} minus {ends[1]}", "change", sample, key=key, role="difference"),
        ranked,
        d_z_row("d_z", "change", sample, key=key, role="effect_size"),
    ], p_values


def wilcoxon_row(
    sample: UnitSample, alternative: Alternative, key: RowKey
) -> tuple[Row, dict[str, float]]:
    """Row of Wilcoxon's signed-rank test, exact given the ranks where they tie or are few, and its p-values."""
    n = len(sample.unit)
    row = Row(term="wilcoxon", group="change", n=float(n), n_units=n, key=key, role="test")
    if not n:
        return empty_row("wilcoxon", "change", sample.how, key=key, role="test"), {}
    if sample.how.dependent:
        return replace(row, undefined=DEPENDENT), {}
    # ties that rounding broke would get different ranks
    values = merge_ties(sample.means, ROUNDING_ERRORS * EPSILON * sample.how.magnitude)
    try:
        ranks = signed_rank(values, np.ones(n))
    except UndefinedStatistic as error:
        return replace(row, undefined=str(error)), {}
    p_values = {
        "p_normal_corrected": ranks.p_normal(alternative),
        "p_normal": ranks.p_normal(alternative, corrected=False),
    }
    exact = ranks.p_exact(alternative)
    if exact is not None:
        p_values["p_exact"] = exact
    p, use_exact = ranks.p_value(alternative)
    how = "exact" if use_exact else "normal, continuity correction"
    return replace(
        row,
        statistic=ranks.v,
        p_value=p,
        test="exact_signed_rank" if use_exact else "signed_rank",
        method=f"Wilcoxon signed rank, {alternative.replace('_', '-')}, {how}",
    ), p_values


def sentence(result: Result) -> str:
    """Return the mean spread at the two stages compared (or the first), the change, and its tests."""
    ends, unit = result.settings["change"], result.settings["unit_of_analysis"]
    shown = rows_with(result.rows, "stage")
    if ends is not None:
        shown = sorted((r for r in shown if r.term in ends), key=lambda r: ends.index(r.term))
    at = " and ".join(f"{level_text(r)} at '{shorten(r.term)}'" for r in shown)
    n = count(shown[0].n_units or 0, {"answer": "model-by-scenario cell"}.get(unit, unit))
    text = f"The mean standard deviation over wordings was {at}, over {n}."
    return text if ends is None else f"{text} {capital(spread_change_text(result))}."


def level_text(row: Row) -> str:
    """Estimate and interval of a row, or why there is none."""
    if row.estimate is None:
        return f"undefined ({row.undefined})"
    return row_text(row) + ("," if row.conf_low is not None else "")


def spread_change_text(result: Result) -> str:
    """Change with its tests."""
    row, ranks, size = (r for r in result.rows if r.label("baseline") is not None)
    if row.estimate is None:
        return f"the change is undefined ({row.undefined})"
    text = f"the change ({shorten(row.term, 80)}) was {row_text(row)}"
    if size.estimate is not None:
        text += f", d_z = {number(size.estimate)}"
    if ranks.statistic is not None:
        digits = 0 if ranks.statistic == round(ranks.statistic) else 1
        side = SIDES[result.settings["alternative"]]
        text += (
            f", Wilcoxon's V = {number(ranks.statistic, digits)}, {side}{p_value(ranks.p_value)}"
        )
    return text + (f" ({row.undefined})" if row.undefined else "")


def spread_rows(result: Result) -> list[Row]:
    """Return the mean spreads by stage, and by model where there are several; at most 200, as a figure holds."""
    rows = rows_with(result.rows, "stage")
    # models stand below the mean of all
    for row in rows_with(result.rows, "model", "stage"):
        rows.append(replace(row, term=f"{row.term} ({row.label('stage')})"))
    return rows[:200]


@reads(trait_table, Ratings)
def paraphrase_spread(
    ratings: Ratings | TableLike,
    *,
    wording: str = "wording",
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    score_range: tuple[float, float] | None = None,
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
    """Estimate the standard deviation of a model's answers over wordings of the same question.

    The value of an answer is the judges' mean composite (`trait_profile`) or score. Its spread is the standard
    deviation (n - 1) over the wordings of the same scenario, stage and model. Stages asked in one wording have none.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        As in `trait_profile`, with a stratum of wordings. With a ``by`` factor: one result per level.
    wording : str
        Its name.
    weights, centre, free_weights, score_range
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
        (exact below 50 changes and where ranks tie, zeros left out); ``"d_z"``. `extras`: ``pooled_sd`` (stage -> root
        of the mean variance: the standard deviation of wordings without the small-sample bias of the mean sd) and
        ``wordings`` (stage -> number).

    Raises
    ------
    InputError
        For an unknown option or stage, no wordings, or scores as in `trait_profile`.
    NothingToAnalyse
        If no question was asked in two wordings.

    Notes
    -----
    The judges' and the model's own noise are part of the spread. They are the same at all stages asked alike. The
    change of variances is therefore that of wordings, and the change of spreads understates it.

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
    arguments = {
        name: value for name, value in locals().items() if name not in ("ratings", "columns")
    }
    if trait is None and weights is not None:
        raise InputError(
            f"{option('weights')} need traits; with {option('trait', None)} the values themselves are "
            "compared"
        )
    if change is not None and (
        isinstance(change, str) or len(set(change)) != 2 or len(change) != 2
    ):
        raise InputError(f"change must name two different stages, not {change!r}")
    arguments = arguments if trait is None else declared_options(arguments, ratings)
    settings = checked_settings(arguments, unit_of_analysis=UNITS, alternative=ALTERNATIVES)
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute the spreads of one design."""
    answers, clusters = answers_and_clusters(design, settings)
    weights, scores = settings["weights"], answers.scores
    values = scores[:, :, 0] if weights is None else composites(scores, weights, settings["centre"])
    spreads = spreads_of(answers, values.mean(axis=1))
    how = inference_of(settings, clusters, spreads.magnitude, answers)
    ends = spreads.ends if settings["change"] is None else tuple(settings["change"])
    changes, ranks = list[Row](), None
    if ends is not None:
        changes, ranks = spread_change_rows(spreads, how, ends, settings["alternative"])
    rows, (models, scenarios, *_) = (
        (*wording_spread_rows(spreads, how), *changes),
        answers.n_levels(),
    )
    cautions = []
    for n, what, lacks, affects, fix in (
        (answers.left_out, "answer", "scores", "the questions they belong to", "scores"),
        (spreads.lacking, "question", "wordings of the stage", "n", "answers"),
    ):
        if n:
            detail = f"{count(n, what)} without all {lacks}"
            again = f"collect the {fix} again"
            cautions.append(caution("SS301", detail, affects=affects, fix=again))
    if how.unit != "answer":
        cautions += incomplete_cautions(answers, how)
    # the number of units of analysis decides on cautions
    units = {"scenario": len(answers.scenarios), "model": len(answers.models), "answer": spreads.n}[
        how.unit
    ]
    counts = {
        "questions": spreads.n,
        "models": models,
        "scenarios": scenarios,
        "stages": len(spreads.wordings),
        "judges": len(answers.judges),
        **{f"clusters ({f.name})": len(np.unique(f.codes)) for f in clusters.factors},
    }
    extras = {
        "pooled_sd": spreads.pooled(),
        "wordings": dict(spreads.wordings),
        **({} if ranks is None else {"wilcoxon": ranks}),
    }
    references = (*METRIC.references, *(("davisonhinkley1997",) if how.ci != "closed" else ()))
    return Result(
        metric="paraphrase_spread",
        title="Standard deviation over wordings",
        **result_header(answers, clusters, how, rows, f"{how.unit}s"),
        rows=rows,
        counts=counts,
        settings={**settings, "change": ends},
        cautions=(
            *clusters.cautions,
            *cautions,
            *few_units_cautions(units, how, len(answers.judges)),
        ),
        references=references,
        design=design,
        extras=extras,
    )


def sample_spreads(result: Result) -> Iterator[PlainSample]:
    """Yield the units of analysis of each row, with their spreads over wordings or changes of these."""
    (spreads, models), settings = plain_spreads(result), result.settings
    clusters = clusters_of_units(result.design, settings["unit_of_analysis"], settings)
    for row in result.rows:
        key = row.group, row.term
        if row.role != "test" and row.n:
            estimate = plain_d_z if row.role == "effect_size" else plain_mean
            values = spreads_of_row(result, row, spreads, models)
            yield sample_of_units(key, values, clusters, estimate, level=settings["level"])


def plain_spreads(result: Result) -> tuple[pd.Series[float], list[Any]]:
    """Return the standard deviation over wordings of the judges' mean, and the models that have all stages.

    Standard deviations are of each model, scenario and stage.
    """
    import pandas as pd

    settings = result.settings
    scores, weights = scores_of_traits(result.design, settings), settings["weights"]
    values = scores.iloc[:, 0]
    if weights is not None:
        values = weighted_scores(scores, settings["centre"], pd.Series(weights))
    answers = values.groupby(level=KEYS).mean()
    n_wordings = answers.reset_index().groupby("stage")["wording"].nunique()
    questions = answers.groupby(level=KEYS[:3])
    size = questions.size()
    # a question that lacks a wording of its stage has another spread than the others
    complete = size == n_wordings.reindex(size.index.get_level_values("stage")).to_numpy()
    return questions.std(ddof=1)[complete].dropna(), models_together(scores)


def spreads_of_row(
    result: Result, row: Row, spreads: pd.Series[float], models: list[Any]
) -> pd.DataFrame:
    """Return the spreads, or their changes, that a row is about: a row for each unit of analysis."""
    model, start = row.label("model"), row.label("baseline")
    cells = spreads.xs(row.label("stage"), level="stage")
    if start is not None:
        cells = (cells - spreads.xs(start, level="stage")).dropna()
    if model is not None:
        return cells.xs(model, level="model").to_frame()
    unit = result.settings["unit_of_analysis"]
    if unit == "answer":
        return cells.to_frame()
    return across_units(cells.to_frame(), unit, models)


def ask_for_signed_ranks(result: Result) -> Iterator[PeerNumbers]:
    """Yield scipy's signed-rank test; its exact distribution is that of ranks without ties."""
    from scipy.stats import wilcoxon

    (spreads, models), alternative = plain_spreads(result), result.settings["alternative"]
    for row in result.rows:
        if row.role != "test" or row.p_value is None:
            continue
        # rounding would break ties
        changes = spreads_of_row(result, row, spreads, models).iloc[:, 0].round(10).to_numpy()
        changes = changes[changes != 0]
        exact = row.test == "exact_signed_rank"
        method: dict[str, Any] = {"method": "exact" if exact else "approx", "correction": not exact}
        side = alternative.replace("_", "-")
        greater = wilcoxon(changes, alternative="greater", **method)
        test = wilcoxon(changes, alternative=side, **method)
        numbers = {"statistic": float(greater.statistic), "p_value": float(test.pvalue)}
        if exact and len(np.unique(np.abs(changes))) < len(changes):
            del numbers["p_value"]
        yield PeerNumbers(package="scipy", row=(row.group, row.term), numbers=numbers, close=1e-7)


METRIC = Metric(
    name="paraphrase_spread",
    title="Standard deviation over wordings",
    design="ratings",
    function=paraphrase_spread,
    sentence=sentence,
    plot=forest_plot(spread_rows, xlabel="Standard deviation over wordings"),
    definition=Definition(samples=sample_spreads, peers=ask_for_signed_ranks),
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
