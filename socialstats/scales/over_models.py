"""Numbers of several models together: their mean, their spread, and groups of models, with models as the sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from socialstats.arrays import FloatArray, size_unit
from socialstats.crosscheck.definition import Definition
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import rows_with_holm, with_welch
from socialstats.inference.dependence import shape_cautions, small_sample_caution, spread_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_mean, with_spread
from socialstats.results import Result, ResultGroup, Row, results_by_model
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.rows import RowKey
from socialstats.scales.plain_scores import plain_mean, plain_sd, sample_of_values
from socialstats.sentences import estimate_text, is_significant, some_of, stat
from socialstats.text import capital, count, listing, quoted, shorten
from socialstats.voice import option

Wanted = str | tuple[str, str | None]
MOST_STATED = 3  # differences between groups of models in the sentence
ANYWHERE = (-math.inf, math.inf)
# What the numbers of a metric can be; others can be anything.
LIMITS: dict[str, tuple[float, float]] = {
    "relationship_bias": (-2.0, 2.0),
    "sensitivity": (0.0, 225.0),
    "js_similarity": (0.0, 1.0),
    "choice_shares": (0.0, 1.0),
    "reply_shares": (0.0, 1.0),
    "label_counts": (0.0, 1.0),
    "win_rates": (0.0, 1.0),
    "majority_vote_accuracy": (0.0, 1.0),
    "krippendorff_alpha": (-1.0, 1.0),
    "ada_met": (0.0, math.inf),
}
FEWEST = 4  # models of a group from which Welch's t holds
SIZES = ("B_all", "B_all corrected")  # sizes of relationship_bias, not below 0


def over_models(
    results: ResultGroup | Mapping[str, Result],
    rows: Sequence[Wanted],
    *,
    groups: Mapping[str, Mapping[str, str]] | None = None,
    level: float = 0.95,
) -> Result:
    """Estimate the mean of numbers over models, their spread, and differences between groups of models.

    Models are the sample: the t interval of the mean speaks of models like these, not of other scenarios. For inference
    on other scenarios with the same models, use the metric itself with the models as its raters
    (`relationship_bias(..., aggregate="rater")`, `trait_profile(...)`).

    Parameters
    ----------
    results : ResultGroup, or mapping of model to Result
        Of one metric, one result a model.
    rows : sequence of str, or of (str, str)
        Which numbers: a row's term, or its term and group, such as ``("B_all", "overall")``.
    groups : mapping of str to mapping of model to str, optional
        Factors of models: name -> model -> level (``{"safety": {"m1": "tuned", ...}}``). A model without a level is in
        no group of that factor.
    level : float

    Returns
    -------
    Result
        For each number, group ``"mean over models"``: the mean, t with n - 1 degrees of freedom, and the test of 0
        where the metric tests it. ``"SD over models"``: the standard deviation (n - 1) with the wider limits of
        Bonett's (2006) and the jackknife's interval; ``"FACTOR = LEVEL"``: the mean of a group.
        ``"FACTOR: ONE - OTHER"``: differences of groups, Welch's (1947) t, Holm over the pairs of levels.
        Ends are cut at what the metric can be.
        A group of one model has no interval. `extras`: ``values`` (number -> model -> value), ``lacking`` (number ->
        models without one), ``limits``.

    Raises
    ------
    InputError
        For an unknown number, or results of several metrics. For a factor that names a model without a result, or of
        which no model has a level.
    NothingToAnalyse
        If no model has the number.

    References
    ----------
    Welch, B. L. (1947). doi:10.1093/biomet/34.1-2.28
    Bonett, D. G. (2006). doi:10.1016/j.csda.2004.10.003

    Examples
    --------
    >>> from socialstats import mean_ratings
    >>> answers = {"m1": [1, 2, 3], "m2": [2, 3, 4], "m3": [3, 5, 4], "m4": [5, 5, 5]}
    >>> results = {m: mean_ratings({"unit": [1, 2, 3], "rater": ["r"] * 3, "value": x}, levels=[1, 2, 3, 4, 5])
    ...         for m, x in answers.items()}
    >>> result = over_models(results, ["all units"], groups={"size": {"m1": "small", "m2": "small", "m3": "large",
    ...                                                            "m4": "large"}})
    >>> result.row("all units", group="size: large - small").estimate
    2.0
    """
    by_model = results_by_model(results, "over_models")
    checked_level(level)
    metrics = {result.metric for result in by_model.values()}
    if len(metrics) != 1:
        raise InputError(
            f"over_models() takes results of one metric, not {quoted(sorted(metrics)) or 'none'}"
        )
    (metric,) = metrics
    factors = levels_of_models(by_model, groups or {})
    all_rows: list[Row] = []
    values: dict[str, dict[str, float]] = {}
    lacking: dict[str, tuple[str, ...]] = {}
    limits: dict[str, tuple[float, float]] = {}
    shapes: list[ClusteredMean] = []
    for spec in [rows] if isinstance(rows, str) else rows:
        number = number_of(by_model, spec)
        name, values[number.name] = number.name, number.values
        lacking[name] = tuple(model for model in by_model if model not in number.values)
        limits[name] = number_limits(metric, spec, by_model)
        all_rows += number_rows(number, factors, level, limits[name])
        # the means whose shape cautions look at: of all models, and of every group
        samples = [list(number.values.values())]
        for level_by_model in factors.values():
            samples += values_by_level(number.values, level_by_model).values()
        shapes += [mean_over(sample) for sample in samples]
    title = f"{next(iter(by_model.values())).title}, over models"
    cautions = (
        *shape_cautions(shapes, what="models"),
        *group_cautions(all_rows),
        *spread_cautions(all_rows, "model"),
    )
    return Result(
        metric=metric,
        title=title,
        rows=tuple(all_rows),
        inference="t over models; wider limits of Bonett's and jackknife intervals of spreads; Welch's t of groups",
        counts={"models": len(by_model)},
        settings={"level": level, "rows": tuple(values), "groups": factors},
        references=("welch1947", "bonett2006", "efrontibshirani1993", "holm1979"),
        design=None,
        cautions=cautions,
        words=f"{means_text(all_rows, len(by_model))}{group_differences_text(all_rows)}",
        extras={"values": values, "lacking": lacking, "limits": limits},
        check=Definition(samples=sample_models, peers=ask_for_group_tests),
    )


def levels_of_models(
    results: Mapping[str, Result], groups: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return the levels of the models that have one, factor by factor."""
    by_factor = {}
    for factor, levels in groups.items():
        if lost := [str(model) for model in levels if model not in results]:
            raise InputError(
                f"{option('groups')}: '{shorten(str(factor))}' names {quoted(lost, 5)}, without a result. "
                f"Models: {quoted(list(results), 20)}"
            )
        by_factor[str(factor)] = {
            model: str(levels[model]) for model in results if levels.get(model) not in (None, "")
        }
        if not by_factor[str(factor)]:
            raise InputError(
                f"{option('groups')}: no model has a level of '{shorten(str(factor))}'. Models: "
                f"{quoted(list(results), 20)}; it names {quoted(list(map(str, levels)), 20)}"
            )
    return by_factor


class ModelNumber(NamedTuple):
    """A number of several models: its name, its value by model, and whether the metric tests it against 0."""

    name: str
    values: dict[str, float]
    tested: bool


def values_by_level(
    values: Mapping[str, float], level_by_model: Mapping[str, str]
) -> dict[str, list[float]]:
    """Return the values of the models of each level, in the order of the models."""
    groups: dict[str, list[float]] = {}
    for model, value in values.items():
        if model in level_by_model:
            groups.setdefault(level_by_model[model], []).append(value)
    return groups


def number_of(results: Mapping[str, Result], spec: Wanted) -> ModelNumber:
    """Return a number of the results.

    Raises
    ------
    InputError
        If no result has such a row, or several.
    NothingToAnalyse
        If it is undefined everywhere.
    """
    term, *group = (spec,) if isinstance(spec, str) else spec
    value_by_model: dict[str, float] = {}
    tested, present = False, False
    for model, result in results.items():
        rows = [
            row for row in result.rows if row.term == term and (not group or row.group == group[0])
        ]
        # a term may stand in several groups of rows
        if len(rows) > 1:
            raise InputError(
                f"rows: '{shorten(term)}' names {len(rows)} rows; say which with its group, one of "
                f"{quoted(sorted({str(row.group) for row in rows}), 12)}"
            )
        present = present or bool(rows)
        tested = tested or any(row.p_value is not None for row in rows)
        if rows and rows[0].estimate is not None:
            value_by_model[model] = rows[0].estimate
    if not present:
        terms = list(dict.fromkeys(row.term for result in results.values() for row in result.rows))
        raise InputError(f"rows: no result has '{shorten(term)}'; rows: {quoted(terms, 20)}")
    if not value_by_model:
        raise NothingToAnalyse(f"'{shorten(term)}' is undefined for every model")
    # a number of a group is named by both, as terms of groups repeat
    name = f"{term} [{group[0]}]" if group and group[0] is not None else term
    return ModelNumber(name, value_by_model, tested)


def number_limits(metric: str, spec: Wanted, results: Mapping[str, Result]) -> tuple[float, float]:
    """Return what a number can be; the size of biases is not below 0."""
    low, high = LIMITS.get(metric, ANYWHERE)
    term = spec if isinstance(spec, str) else spec[0]
    rows = [row for result in results.values() for row in result.rows if row.term == term]
    if any(row.label("quantity") in SIZES for row in rows):
        low = 0.0
    return low, high


def number_rows(
    number: ModelNumber,
    factors: Mapping[str, Mapping[str, str]],
    level: float,
    limits: tuple[float, float],
) -> list[Row]:
    """Rows of one number: mean and spread over all models, then each factor's groups and their differences."""
    name, tested, all_values = number.name, number.tested, list(number.values.values())
    spread = Row(term=name, group="SD over models", role="spread", key=(("number", name),))
    rows = [
        group_mean_row(name, "mean over models", all_values, level, limits, tested, key=()),
        with_spread(spread, np.array(all_values), level),
    ]
    width = (limits[0] - limits[1], limits[1] - limits[0])  # what differences can be
    for factor, level_by_model in factors.items():
        parts = values_by_level(number.values, level_by_model)
        means = {}
        for label, values in sorted(parts.items()):
            key = (("factor", factor), ("level", label))
            means[label] = group_mean_row(
                name, f"{factor} = {label}", values, level, limits, tested, key=key
            )
        gaps = []
        for first, second in combinations(means, 2):
            row = Row(
                term=name,
                group=f"{factor}: {first} - {second}",
                role="difference",
                method="Welch's t over models",
                key=(("number", name), ("factor", factor), ("one", first), ("other", second)),
                n=float(len(parts[first]) + len(parts[second])),
            )
            gaps.append(with_welch(row, means[first], means[second], level, within=width))
        rows += [*means.values(), *rows_with_holm(gaps, family=f"{name} by {factor}")]
    return rows


def group_cautions(rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Caution SS312: a group of two or three models, against which Welch's t is tested.

    Of true nulls it rejected .065 to .12 at .05 where a group of two or three models was compared with ten or sixteen
    (200,000 normal simulations each). It rejected .02 to .03 of two against two, and .04 to .06 from four models on.
    """
    least = min(
        (row.n_units or 0 for row in rows if row.label("level") and (row.n_units or 0) > 1),
        default=FEWEST,
    )
    return small_sample_caution(
        least,
        FEWEST,
        f"a group of {count(least, 'model')}",
        affects="Welch's tests of such a group, which rejected "
        ".02 to .12 of true nulls at .05 in simulations",
        fix="name groups of at least four models",
    )


def mean_over(values: Sequence[float]) -> ClusteredMean:
    """Return the mean of numbers of models, who are the sample."""
    return clustered_mean(
        np.array(values), np.ones(len(values)), magnitude=float(np.abs(values).max())
    )


def group_mean_row(
    name: str,
    group: str,
    values: Sequence[float],
    level: float,
    limits: tuple[float, float],
    tested: bool,
    key: RowKey,
) -> Row:
    """Row of the mean of some models."""
    n = len(values)
    mean = mean_over(values)
    row = Row(
        term=name,
        group=group,
        role="estimate",
        key=(("number", name), *key),
        estimate=mean.mean,
        n=float(n),
        n_units=n,
        method="t over models",
    )
    if n < 2:
        return replace(
            row, undefined="one model: no interval for models like it", reason="one_unit"
        )
    return with_mean(row, mean, level, within=limits, test=tested)


def means_text(rows: Sequence[Row], models: int) -> str:
    """State the means over all models."""
    sentences = [
        f"the mean of {shorten(row.term, 50)} was {estimate_text(row)}"
        for row in rows
        if row.group == "mean over models"
    ]
    return f"Over {count(models, 'model')} (the sample), {listing(sentences, most=6)}."


def group_differences_text(rows: Sequence[Row]) -> str:
    """State how many differences between groups of models were significant, and the largest; nothing without tests."""
    tested = [row for row in rows if row.role == "difference" and row.p_adjusted is not None]
    if not tested:
        return ""
    significant = [row for row in tested if is_significant(row)]
    what = "differences between groups of models"
    tally = some_of(len(significant), len(tested), what, family=("each factor",))
    largest = sorted(significant, key=lambda row: -abs(row.estimate or 0.0))[:MOST_STATED]
    texts = [f"{capital(shorten(row.group or '', 60))}: {stat(row)}." for row in largest]
    return " ".join(["", tally, *texts])


def models_of_row(result: Result, row: Row) -> tuple[FloatArray, FloatArray]:
    """Return the values of the models of a row, and those of the group that is subtracted."""
    values = result.extras["values"][row.label("number")]
    factor = row.label("factor")
    if factor is None:
        return np.array(list(values.values())), np.zeros(0)
    groups = values_by_level(values, result.settings["groups"][factor])
    level, subtracted = row.label("one") or row.label("level"), row.label("other")
    first, second = (np.array(groups.get(str(name), [])) for name in (level, subtracted))
    return first, second


def sample_models(result: Result) -> Iterator[PlainSample]:
    """Yield the models of each mean and each standard deviation."""
    for row in result.rows:
        if row.role != "difference" and row.estimate is not None:
            values, _ = models_of_row(result, row)
            estimate = plain_sd if row.role == "spread" else plain_mean
            yield sample_of_values((row.group, row.term), values, estimate)


def ask_for_group_tests(result: Result) -> Iterator[PeerNumbers]:
    """Yield scipy's test of the means of two groups of models; the estimate is the middle of its interval."""
    from scipy.stats import ttest_ind

    for row in result.rows:
        if row.role != "difference" or row.std_error is None:
            continue
        first, second = models_of_row(result, row)
        # squares of large or small values leave the range of floats
        unit = size_unit(first, second)
        test = ttest_ind(first / unit, second / unit, equal_var=False)
        ends = test.confidence_interval(result.settings["level"])
        lower, upper = unit * ends.low, unit * ends.high
        numbers = {
            "estimate": (lower + upper) / 2,
            "statistic": float(test.statistic),
            "df": float(test.df),
            "p_value": float(test.pvalue),
        }
        least, most = result.extras["limits"][row.label("number")]
        cut = max(lower, least - most), min(upper, most - least)
        yield PeerNumbers(package="scipy", row=(row.group, row.term), numbers=numbers, ends=cut)
