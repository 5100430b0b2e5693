"""How far apart a model's answers to wordings of the same question are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic, caution
from socialstats.inference.dependence import cluster_facts, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.models.effect_sizes import ROUNDING_ERRORS, checked_choice, checked_number, merged, signed_rank
from socialstats.models.traits import (
    MISSING_TRAIT,
    Answers,
    MissingTrait,
    Names,
    answers_of,
    check_range,
    checked_weights,
    chosen_stages,
    composites,
    factor_of,
    trait_table,
)
from socialstats.models.unit_means import (
    CIS,
    NO_UNIT,
    CiName,
    Inference,
    Sample,
    UnitClusters,
    across,
    d_z_row,
    mean_row,
    of_one,
    size_cautions,
    unit_clusters,
)
from socialstats.registry import Metric
from socialstats.resampling import ALTERNATIVES, Alternative
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.tables import EPSILON
from socialstats.text import count, interval, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


UNITS = ("scenario", "model", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose, checked."""

    weights: Mapping[str, float] | None
    centre: float
    free_weights: bool
    stages: tuple[str, ...] | None
    change: tuple[str, str] | None
    unit_of_analysis: str
    alternative: Alternative
    missing_trait: str
    names: Names
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    seed: int


def checked_options(
    *, weights: Mapping[str, float] | None, centre: float, free_weights: bool, stages: Sequence[str] | None,
    change: Sequence[str] | None, level: float, names: Names, **others: Any,
) -> Options:  # fmt: skip
    """Check the options of `paraphrase_spread`."""
    checked_level(level)
    allowed = {"unit_of_analysis": UNITS, "alternative": ALTERNATIVES, "missing_trait": MISSING_TRAIT, "ci": CIS}
    for name, choices in allowed.items():
        checked_choice(others[name], choices, name)
    if names.trait is None and weights is not None:
        raise InputError("weights= need traits; with trait=None the values themselves are compared")
    if change is not None and (isinstance(change, str) or len(set(change)) != 2 or len(change) != 2):
        raise InputError(f"change must name two different stages, not {change!r}")
    used = None if names.trait is None else checked_weights(weights, free=free_weights)
    return Options(
        weights=used, centre=checked_number(centre, "centre"), free_weights=free_weights, names=names,
        stages=None if stages is None else (stages,) if isinstance(stages, str) else tuple(stages),
        change=None if change is None else (change[0], change[1]), level=level, **others,
    )  # fmt: skip


DEPENDENT = "units are clustered: Wilcoxon's test takes them as independent"


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

    answers: Answers
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


def spreads_of(answers: Answers, values: FloatArray) -> Spreads:
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
    shape = (len(answers.models), len(answers.scenarios), len(answers.stages))
    flat = np.ravel_multi_index(tuple(answers.codes[:, :3].T), shape)
    size = int(np.prod(shape))
    n = np.bincount(flat, minlength=size)
    mean = np.bincount(flat, values, size) / np.maximum(n, 1)
    squares = np.bincount(flat, (values - mean[flat]) ** 2, size)
    asked = n.reshape(shape)
    times = {s: len(np.unique(answers.codes[answers.codes[:, 2] == t, 3])) for t, s in enumerate(answers.stages)}
    full = (asked == np.array(list(times.values()))) & (asked > 1)
    wordings = {s: k for t, (s, k) in enumerate(times.items()) if full[:, :, t].any()}
    if not wordings:
        raise NothingToAnalyse("no question was asked in two wordings: there is no spread")
    deviation = np.sqrt(squares / np.maximum(n - 1, 1)).reshape(shape)
    several = np.array([k > 1 for k in times.values()])
    return Spreads(
        answers=answers, cells=np.where(full, deviation, np.nan)[..., None], wordings=wordings,
        lacking=int(((asked > 0) & ~full & several).sum()), magnitude=max(1.0, float(np.abs(values).max())),
    )  # fmt: skip


def sample_of(cells: FloatArray, how: Inference) -> Sample:
    """Return one value a unit of analysis from (models, scenarios, 1) cells."""
    if how.unit != "answer":
        return across(cells, how)
    flat = cells.reshape(-1, 1)
    keep = np.flatnonzero(np.isfinite(flat[:, 0]))
    return Sample(values=flat[keep], unit=keep, how=how)


def spread_rows(spreads: Spreads, how: Inference) -> list[Row]:
    """Rows of the mean spread by stage, then of each model where scenarios are the units of analysis."""
    out = [mean_row(s, "spread", sample_of(spreads.stage(s), how), test=False) for s in spreads.wordings]
    models = spreads.answers.models
    if how.unit == "scenario" and len(models) > 1:
        out += [mean_row(m, f"spread: {s}", of_one(spreads.stage(s)[k], how), test=False)
                for s in spreads.wordings for k, m in enumerate(models)]  # fmt: skip
    return out


def change_rows(spreads: Spreads, how: Inference, options: Options) -> tuple[list[Row], dict[str, Any]]:
    """Rows of the change between two stages: t, Wilcoxon, d_z; with all p-values of Wilcoxon's test.

    Raises
    ------
    InputError
        For a stage without wordings.
    """
    ends = options.change or spreads.ends
    if ends is None:
        return [], {}
    unknown = [s for s in ends if s not in spreads.wordings]
    if unknown:
        known = quoted(list(spreads.wordings), 20)
        raise InputError(f"change: stage '{shorten(str(unknown[0]))}' has no wordings; stages with some: {known}")
    sample = sample_of(spreads.stage(ends[0]) - spreads.stage(ends[1]), how)
    name = f"{ends[0]} minus {ends[1]}"
    ranked, variants = rank_row(sample, options)
    return [mean_row(name, "change", sample), ranked, d_z_row("d_z", "change", sample)], {"wilcoxon": variants}


def rank_row(sample: Sample, options: Options) -> tuple[Row, dict[str, float]]:
    """Row of Wilcoxon's signed-rank test (as R's ``wilcox.test``), and its p-values."""
    row = Row(term="wilcoxon", group="change", n=float(len(sample.unit)), n_units=len(sample.unit))
    if sample.how.dependent or not len(sample.unit):
        return replaced(row, DEPENDENT if len(sample.unit) else NO_UNIT.format(sample.how.unit)), {}
    values = merged(sample.means, ROUNDING_ERRORS * EPSILON * sample.how.magnitude)
    try:
        ranks = signed_rank(values, np.ones(len(values)))
    except UndefinedStatistic as error:
        return replaced(row, str(error)), {}
    found = {"p_normal_corrected": ranks.p_normal(options.alternative),
             "p_normal": ranks.p_normal(options.alternative, corrected=False)}  # fmt: skip
    exact = ranks.p_exact(options.alternative)
    if exact is not None:
        found["p_exact"] = exact
    use = "p_exact" if ranks.exact_as_r and exact is not None else "p_normal_corrected"
    how = "exact" if use == "p_exact" else "normal, continuity correction"
    said = f"Wilcoxon signed rank, {options.alternative.replace('_', '-')}, {how}"
    return Row(term="wilcoxon", group="change", statistic=ranks.v, p_value=found[use], n=row.n, n_units=row.n_units,
               method=said), found  # fmt: skip


def replaced(row: Row, why: str) -> Row:
    """Return a row that says why it has no test."""
    return Row(term=row.term, group=row.group, n=row.n, n_units=row.n_units, undefined=why)


def sentence(result: Result) -> str:
    """Say the mean spread at the two stages compared (or the first), the change, and its tests."""
    ends = result.settings["change"]
    spreads = [r for r in result.rows if r.group == "spread"]
    shown = [r for r in spreads if ends is None or r.term in ends]
    if ends is not None:
        shown = sorted(shown, key=lambda r: ends.index(r.term))
    at = " and ".join(f"{level_text(r)} at '{shorten(r.term)}'" for r in shown)
    unit = result.settings["unit_of_analysis"]
    n = count(shown[0].n_units or 0, {"answer": "model-by-scenario cell"}.get(unit, unit))
    text = f"The mean standard deviation over wordings was {at}, over {n}"
    if ends is None:
        return f"{text}."
    change = result.rows[[r.group for r in result.rows].index("change")]
    return f"{text}; {change_text(change, result)}."


def level_text(row: Row) -> str:
    """Estimate and interval of a row, or why there is none."""
    if row.estimate is None:
        return f"undefined ({row.undefined})"
    text = number(row.estimate)
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)},"
    return text


def change_text(row: Row, result: Result) -> str:
    """Change with its tests."""
    if row.estimate is None:
        return f"the change is undefined ({row.undefined})"
    text = f"the change ({shorten(row.term, 80)}) was {number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.df is not None:
        df = number(row.df, 0 if row.df == round(row.df) else 2)
        text += f", t({df}) = {number(row.statistic)}, {p_value(row.p_value)}"
    size, ranks = result.row("d_z", group="change"), result.row("wilcoxon", group="change")
    if size.estimate is not None:
        text += f", d_z = {number(size.estimate)}"
    if ranks.statistic is not None:
        side = {"two_sided": "two-sided ", "greater": "one-sided ", "less": "one-sided "}[
            result.settings["alternative"]
        ]
        digits = 0 if ranks.statistic == round(ranks.statistic) else 1
        text += f", Wilcoxon's V = {number(ranks.statistic, digits)}, {side}{p_value(ranks.p_value)}"
    return text + (f" ({row.undefined})" if row.undefined else "")


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the mean spread by stage, and by model where there are several, with the intervals."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = []
    for row in result.rows:
        if row.group == "spread":
            rows.append(row)
        elif (row.group or "").startswith("spread: "):
            rows.append(replace(row, term=f"{row.term} ({(row.group or '').removeprefix('spread: ')})"))
    settings = {"xlabel": "Standard deviation over wordings", "sort": False}
    return forest(rows[:200], ax=ax, **{**settings, **options})


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
