"""Models compared by one number: differences on the same units, ranks, and factors of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.covariance import holm_rank_sets
from socialstats.designs.nouns import noun_or
from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import groupings
from socialstats.designs.vocabulary import MODEL_NAMES
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.compare import HOLM, rows_with_holm
from socialstats.inference.dependence import cluster_factors, cluster_text
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_ends, with_t
from socialstats.matching import match_keys
from socialstats.paired.unit_means import mostly_complete
from socialstats.results import Result, ResultGroup, Row, results_by_model
from socialstats.results.rows import (
    distinct_cautions,
    share_decimals,
)
from socialstats.scales.measures import (
    RatingParts,
)
from socialstats.scales.model_differences import (
    MatchedModels,
    ModelDifference,
    Way,
    model_difference_row,
    row_without_shared_units,
)
from socialstats.scales.model_numbers import (
    COMPARISON_RULES,
    NUMBER,
    RANK,
    UNCORRECTED,
    ComparisonRule,
    ModelNumber,
)
from socialstats.scales.model_words import comparison_text
from socialstats.scales.plain_models import MODELS_COMPARED
from socialstats.shares.sources import models_of
from socialstats.tables import as_table
from socialstats.text import (
    count,
    listing,
    quoted,
    shorten,
)
from socialstats.voice import option


def rank_rows(
    rows: Sequence[Row], differences: Sequence[Row], best: str, level: float
) -> list[Row]:
    """Return the rank of each model with a number, with a set that covers all ranks at once (Holm)."""
    ranked = [row for row in rows if row.estimate is not None]
    cautions = distinct_cautions(ranked)
    index = {row.term: k for k, row in enumerate(ranked)}
    sign = 1.0 if best == "highest" else -1.0
    difference, p = (np.full((len(ranked), len(ranked)), np.nan) for _ in range(2))
    # differences without a test stay NaN: they place nobody
    for row in differences:
        cell = tuple(index.get(row.label(side) or "") for side in ("model", "minus"))
        if None not in cell and row.p_value is not None and row.estimate is not None:
            difference[cell] = sign * row.estimate
            difference[cell[::-1]] = -sign * row.estimate
            p[cell] = p[cell[::-1]] = row.p_value
    strength = sign * np.array([row.estimate for row in ranked], dtype=np.float64)
    # rank sets need the order alone, and squares of large numbers would overflow
    strength /= np.abs(strength).max(initial=0.0) or 1.0
    sets = holm_rank_sets(strength, difference, p, level=level, simultaneous=True)
    ranks = []
    for row in rows:
        rank = Row(term=row.term, group=RANK, role="rank", key=(("model", row.term),))
        k = index.get(row.term)
        if k is None:
            ranks.append(replace(rank, undefined=row.undefined))
            continue
        rank = replace(
            rank,
            estimate=float(sets.rank[k]),
            method="simultaneous rank set, Holm's method, step-down",
            cautions=cautions,
        )
        ranks.append(with_ends(rank, float(sets.low[k]), float(sets.high[k]), level))
    return ranks


class ModelEntry(NamedTuple):
    """The number of a model, with the label of its result and the result."""

    label: str
    result: Result
    number: ModelNumber


def compare_models(
    results: ResultGroup | Mapping[str, Result] | Result,
    number: str | None = None,
    *,
    level: float = 0.95,
    average: bool = False,
) -> Result:
    """Compare models (prompts, sources) by one number of a metric: every two of them on the same units, and ranks.

    The difficulty that a unit has for all models cancels in their differences. With d_u the change of a model's number
    without unit u, a unit adds (1 - 1/n) d_u to it (for a mean: its value minus the mean, over n). Standard errors and
    degrees of freedom of a difference are those of its sums by cluster. They are CR2 with Satterthwaite's df (two
    crossed clusters: the larger of V1, V2 and V1 + V2 - V12, with Cochran's). Clusters are those of the metric.

    Levels of a paired table need not share units, as groups of people do not. Levels without a common unit and cluster
    are independent, with Welch's s.e. and df. Clusters of both levels are summed over both.

    Parameters
    ----------
    results : ResultGroup, mapping of model to Result, or Result
        Of `sensitivity`, `relationship_bias` (B_all corrected), `js_similarity`, `ada_met`, `trait_profile`
        (composite), `krippendorff_alpha`, `mean_ratings`, `paired_difference` or `mcnemar` (the mean difference, or
        that of the shares). One result per model, or one with all models (`js_similarity`, `ada_met`,
        `trait_profile`). Of `sensitivity`, S corrected for sampling error is compared, or the plug-in S of all where
        one has no other.
    number : str, optional
        Another row: ``"S"`` (plug-in) of `sensitivity`; of `relationship_bias` ``"B_all"`` (uncorrected) or the bias
        of two groups of names, such as ``"man - woman"``.
    level : float
    average : bool
        For results that have several models each, such as one result per prompt: compare the means over their models,
        which are fixed. Only models count that have the number in every result. Of these, models that lack more than
        half of the units of a result are left out too (caution SS342 names them). The mean is over the units that the
        others have.

    Returns
    -------
    Result
        Group ``"number"``: the number of each model with its own interval, as its metric has it. ``"rank"``: its rank
        (1 for the lowest S, B_all and ADA-Met, else for the highest) with a set; all sets hold at once (Mogstad et al.
        2024, by Holm's method). Signed differences of pairs have no ranks; the tests of their levels are a family of
        their own (Holm). ``"difference"``: any two models, first minus second, on the units that both have; t, Holm
        over all pairs. `extras`: ``by_model`` (model -> a `Result` with its number alone, as `over_models` takes them),
        ``averaged`` and ``left_out`` (the models of an average, and model -> why it is not in it). ``ways`` has the
        units of each difference: ``"units"`` (the same), ``"part"`` (those of both), ``"apart"`` (independent levels)
        or ``"clusters"`` (those of both levels).

    Raises
    ------
    InputError
        For results of several metrics or of one that is not listed here. For options of it that are not comparable,
        an unknown number, ratings on different declared scales, pairs of other conditions, or fewer than two models.
        With `average`, for results that have no model in common.

    Notes
    -----
    Differences of B_all have the t test where each B of both models has an interval without 0, so that its size has a
    known sign. Elsewhere sizes fold at 0, by more where errors are larger, and the t test of models with unequal errors
    is not valid. The interval then combines those of both sizes (Zou & Donner 2008), with their correlation where it is
    negative. p is 1 less the level at which it ends at 0 (`socialstats.paired.size_differences.SizeDifference`).

    Where a result of `js_similarity` or `mean_ratings` takes people as a sample, errors are those of two crossed
    factors, units (or one cluster) and people. What each rating of a person adds, by leaving it out, is summed by
    person. People are the same for all models if they have the same labels. Else raters are fixed, as models always
    are. Of `ada_met` raters are fixed here: the mode of the people jumps when a rating is left out. Its own rows have
    the differences from the nearest model with people as a sample.

    Units of pairs are matched by their names. Units without names (rows of a wide table without a column of units,
    counted pairs) are different units.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Welch, B. L. (1947). doi:10.1093/biomet/34.1-2.28
    Mogstad, M., Romano, J. P., Shaikh, A. M., & Wilhelm, D. (2024). doi:10.1093/restud/rdad006

    Examples
    --------
    >>> from socialstats import mean_ratings
    >>> answers = {"m1": [1, 2, 3, 2], "m2": [2, 3, 5, 4]}
    >>> made = {m: mean_ratings({"unit": [1, 2, 3, 4], "rater": ["r"] * 4, "value": x}, levels=[1, 2, 3, 4, 5])
    ...         for m, x in answers.items()}
    >>> row = compare_models(made).row("m1 - m2")
    >>> row.estimate, row.df, round(row.p_value, 4)
    (-1.5, 3.0, 0.0138)
    """
    by_model = (
        {"": results}
        if isinstance(results, Result)
        else results_by_model(results, "compare_models")
    )
    checked_level(level)
    rule, number = comparison_rule(by_model, number)
    entries = [
        ModelEntry(model, result, model_number)
        for model, result in by_model.items()
        for model_number in rule.numbers(result, model, number)
    ]
    check_scales(by_model)
    averaged: tuple[str, ...] = ()
    left_out: dict[str, str] = {}
    if average:
        entries, averaged, left_out = average_entries(entries, level)
    # one result with all models, one result per model, or several results with several models each
    several = len(by_model) > 1
    single_numbers = len(entries) == len(by_model)
    numbers: tuple[ModelNumber, ...] = ()
    for label, _, model_number in entries:
        row = model_number.row
        if several and row.term != label:
            row = replace(row, term=f"{label}: {row.term}")
        numbers += (replace(model_number, row=row),)
    if len(numbers) < 2:
        raise InputError(
            f"compare_models() compares two models or more; these results have {count(len(numbers))}"
        )
    matched = MatchedModels(numbers=numbers)
    # signed differences keep the decimals of their pages
    more_key = () if rule.ranked else (("measure", "difference"),)
    number_rows = [
        replace(
            row,
            group=NUMBER,
            role="estimate",
            key=(("model", row.term), *more_key),
            p_adjusted=None,
        )
        for row in (model_number.row for model_number in numbers)
    ]
    number_rows = number_rows if rule.ranked else rows_with_holm(number_rows, HOLM, fewest=2)
    linear = all(model_number.linear for model_number in numbers)
    raters = raters_text(by_model, numbers)
    tested = [
        difference_and_way(number_rows, matched, j, k, rule, level, linear=linear)
        for j, k in combinations(range(len(numbers)), 2)
    ]
    differences = rows_with_holm([row for row, _ in tested], HOLM)
    ways = {row.term: way for row, way in tested}
    shared = frozenset(term for term, way in ways.items() if way == "part")
    first_result = next(iter(by_model.values()))
    noun = (
        noun_or(results.by, "group")
        if isinstance(results, ResultGroup) and single_numbers
        else "model"
    )
    phrase = rule.phrase
    ranks = rank_rows(number_rows, differences, rule.best, level) if rule.ranked else []
    rows = share_decimals((*number_rows, *ranks, *differences))
    settings = {"number": phrase, "best": rule.best, "level": level}
    if raters:
        settings["people"] = people_setting(by_model.values())
    named_units = {name for model_number in numbers for name in model_number.units}
    # pairs without names of their units are different units
    unnamed = (m.pairs.mean.n for m in numbers if m.pairs is not None and not m.units)
    words = comparison_text(rows, phrase, rule, level, noun, shared=shared)
    inference = f"{listing(ways_of_comparing(ways))}; {dependence_text(first_result)}"
    inference += f"; {raters}" * bool(raters)
    inference += "; rank sets by Holm's method" * rule.ranked
    cautions = (
        *left_out_caution(averaged, left_out),
        *(differing_models_caution(by_model) if single_numbers and not average else ()),
        *missing_units_caution(numbers, ways),
    )
    works = ["efrontibshirani1993"] * rule.ranked + ["bellmccaffrey2002", "holm1979"]
    works += ["mogstad2024"] * rule.ranked
    works += ["welch1947"] * ("apart" in ways.values())
    works += ["zoudonner2008"] * any(model_number.folded for model_number in numbers)
    extras = {
        "by_model": results_of_models(rows[: len(numbers)], numbers, entries, phrase),
        "numbers": numbers,
        "kind": rule,
        "shared": shared,
        "ways": ways,
        "noun": noun,
        "unit": independent_units(first_result),
        "cluster": independent_clusters(first_result),
        "pairs": pairs_are_independent(first_result),
        "crossed": several and len(entries) > len(by_model),
        "average": average,
        "averaged": averaged,
        "left_out": left_out,
    }
    return Result(
        metric=first_result.metric,
        title=f"{count(len(numbers), 'model')} by {phrase}",
        rows=rows,
        inference=inference,
        counts={"models": len(numbers), "units": len(named_units) + sum(map(int, unnamed))},
        settings=settings,
        cautions=cautions,
        references=tuple(works),
        design=first_result.design,
        words=words + common_text(averaged, left_out, noun),
        extras=extras,
        check=MODELS_COMPARED,
    )


def comparison_rule(
    results: Mapping[str, Result], number: str | None
) -> tuple[ComparisonRule, str | None]:
    """Return how results are compared, and the name of the number, None for the default of their metric."""
    metrics = {result.metric for result in results.values()}
    if len(metrics) != 1 or not metrics <= set(COMPARISON_RULES):
        raise InputError(
            f"compare_models() takes results of one of {quoted(list(COMPARISON_RULES), 20)}, not "
            f"{quoted(sorted(metrics), 10) or 'none'}"
        )
    metric = metrics.pop()
    corrected, plain = UNCORRECTED.get(metric, ("", ""))
    # one kind of number for all: corrected and uncorrected ones do not compare
    if (
        corrected
        and number is None
        and any(r.row(corrected).estimate is None for r in results.values())
    ):
        number = plain
    return COMPARISON_RULES[metric].select(number, results), number


def results_of_models(
    rows: Sequence[Row], numbers: Sequence[ModelNumber], entries: Sequence[ModelEntry], phrase: str
) -> dict[str, Result]:
    """Return a result of each model with its number alone, as `over_models` takes them."""
    results = {}
    for row, model_number, entry in zip(rows, numbers, entries, strict=True):
        alone = replace(row, term=phrase, group=None, key=model_number.row.key)
        # the words stay those of the metric
        result = entry.result
        results[row.term] = replace(result, rows=(alone,), words=result.sentence())
    return results


def average_entries(
    entries: Sequence[ModelEntry], level: float
) -> tuple[list[ModelEntry], tuple[str, ...], dict[str, str]]:
    """Return one number per result, the mean of its models; the models that are averaged; why others are not."""
    by_level: dict[str, dict[str, ModelNumber]] = {}
    for entry in entries:
        by_level.setdefault(entry.label, {})[entry.number.row.term] = entry.number
    results = {entry.label: entry.result for entry in entries}
    models, left_out = common_models(by_level)
    means = {
        label: average_numbers(label, [by_model[name] for name in models], level)
        for label, by_model in by_level.items()
    }
    averages = [ModelEntry(label, results[label], mean) for label, mean in means.items()]
    return averages, models, left_out


def people_setting(results: Iterable[Result]) -> str:
    """Return how results take people: ``"random"``, ``"fixed"`` or, where they differ, ``"mixed"``."""
    ways = {str(result.settings.get("people", "fixed")) for result in results}
    return ways.pop() if len(ways) == 1 else "mixed"


def raters_text(results: Mapping[str, Result], numbers: Sequence[ModelNumber]) -> str:
    """State whose population differences speak of, where models are compared by ratings; else nothing."""
    designs = [result.design for result in results.values()]
    if not all(isinstance(design, Ratings) for design in designs):
        return ""
    ratings = [number.ratings for number in numbers if number.ratings is not None]
    people = {label for part in ratings for label in part.rater}
    if people:
        fixed = [model for model, result in results.items() if people_setting([result]) == "fixed"]
        described = f"raters of {quoted(fixed, 3)}" if fixed else "models"
        return f"{count(len(people), 'human rater')} as a sample, {described} as they are"
    n = len({rater for design in designs for rater in design.raters})
    return f"for {'this source' if n == 1 else f'these {count(n)} raters'}"


WAYS: dict[Way, str] = {
    "units": "t of differences on the units of both (jackknife)",
    "apart": "Welch's t of levels without a common unit",
    "clusters": "t of differences by clusters that both levels have",
}


def ways_of_comparing(ways: Mapping[str, Way]) -> list[str]:
    """Return by which tests models are compared."""
    used = {"units" if way == "part" else way for way in ways.values()}
    return [text for way, text in WAYS.items() if way in used]


def difference_and_way(
    rows: Sequence[Row],
    matched: MatchedModels,
    j: int,
    k: int,
    rule: ComparisonRule,
    level: float,
    *,
    linear: bool,
) -> tuple[Row, Way]:
    """Return the difference of two models, and on which units it is."""
    first = matched.numbers[j]
    second = matched.numbers[k]
    difference = matched.difference(j, k)
    if difference is None and first.pairs is not None and second.pairs is not None:
        return row_without_shared_units(
            rows[j], rows[k], (first.pairs, second.pairs), rule.reach, level
        )
    row = model_difference_row(rows[j], rows[k], difference, rule.reach, level, linear=linear)
    return row, "units" if difference is None or difference.complete else "part"


def check_scales(results: Mapping[str, Result]) -> None:
    """Raise InputError where numbers have no common unit: ratings on other levels, pairs of other conditions."""
    pairs: dict[str, tuple[str, ...]] = {}
    for model, result in results.items():
        design = result.design
        if isinstance(design, Paired):
            factors = cluster_factors(design, result.settings["cluster"])
            names = (factor.name for factor in factors)
            pairs[model] = (*design.conditions, *design.levels, *names)
    for model, facts in pairs.items():
        first = next(iter(pairs))
        if facts != pairs[first]:
            raise InputError(
                f"pairs of '{shorten(first, 40)}' have the conditions, levels and clusters "
                f"{quoted(pairs[first], 8)}, those of '{shorten(model, 40)}' {quoted(facts, 8)}: their "
                f"differences are not compared. Read both with the same {option('conditions')}, "
                f"{option('levels')} and {option('cluster')}"
            )
    scales = {
        model: result.design.levels
        for model, result in results.items()
        if isinstance(result.design, Ratings) and result.design.levels_declared
    }
    first_model, *other_models = scales or ("",)
    for model in other_models:
        if scales[model] != scales[first_model]:
            raise InputError(
                f"ratings of '{shorten(first_model, 40)}' have the levels {quoted(scales[first_model], 8)}, those of "
                f"'{shorten(model, 40)}' {quoted(scales[model], 8)}: numbers on different scales are not "
                f"compared. Read both with the same {option('levels')}"
            )


def common_models(
    by_level: Mapping[str, Mapping[str, ModelNumber]],
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the models whose numbers are averaged at every level, and why each other one is left out.

    Raises
    ------
    InputError
        If no model has a number at every level.
    """
    models = list(dict.fromkeys(model for by_model in by_level.values() for model in by_model))
    left_out: dict[str, str] = {}
    for model in models:
        lacking = [
            level
            for level, by_model in by_level.items()
            if model not in by_model or np.isnan(by_model[model].value)
        ]
        if lacking:
            left_out[model] = f"no number at {quoted(lacking, 5)}"
    shared = [model for model in models if model not in left_out]
    if not shared:
        raise InputError(
            f"no model has a number at each of {quoted(list(by_level), 10)}: there is no mean over the "
            f"same models ({option('average', True)})"
        )
    # a model with few units would leave few for the means of all
    for level, by_model in by_level.items():
        units = len({name for model in shared for name in by_model[model].units})
        n_units = np.array([len(by_model[model].units) for model in shared])
        suffice = mostly_complete(n_units, units)
        for model, n, suffices in zip(shared, n_units.tolist(), suffice.tolist(), strict=True):
            if not suffices:
                left_out.setdefault(
                    model, f"{count(n)} of {count(units, 'unit')} at '{shorten(level, 40)}'"
                )
    return tuple(model for model in shared if model not in left_out), left_out


def common_text(models: Sequence[str], left_out: Mapping[str, str], noun: str) -> str:
    """State of which models the numbers of levels are, where some were left out."""
    if not left_out:
        return ""
    return (
        f" These numbers are of the {count(len(models), 'model')} that every {noun} has ({quoted(models, 5)}); left "
        f"out: {left_out_text(left_out)}."
    )


def left_out_text(left_out: Mapping[str, str]) -> str:
    """Name the models that are left out, each with the reason."""
    return listing([f"'{shorten(model, 40)}' ({why})" for model, why in left_out.items()], 5)


def left_out_caution(models: Sequence[str], left_out: Mapping[str, str]) -> tuple[Caution, ...]:
    """Caution SS342: models that are not in a mean over models, as they lack a level or most of its units."""
    if not left_out:
        return ()
    return (
        caution(
            "SS342",
            f"levels are compared on the {count(len(models), 'model')} that all have; left out: "
            f"{left_out_text(left_out)}",
            affects="levels, whose comparison says nothing of the models left out",
            fix="collect the missing answers",
        ),
    )


def differing_models_caution(results: Mapping[str, Result]) -> tuple[Caution, ...]:
    """Caution SS342: models of some levels that others lack, where one number is of all models of a level."""
    models_of_level = {
        level: set(models_of(result.design)) if isinstance(result.design, Ratings) else set()
        for level, result in results.items()
    }
    # levels without any common model are compared as they are: the factor may be the model itself
    all_models = set.union(*models_of_level.values())
    shared = set.intersection(*models_of_level.values())
    missing = {
        level: sorted(all_models - models)
        for level, models in models_of_level.items()
        if models != all_models
    }
    if not missing or not shared:
        return ()
    lacking = listing(
        [f"'{shorten(level, 40)}' lacks {quoted(names, 5)}" for level, names in missing.items()], 5
    )
    return (
        caution(
            "SS342",
            f"levels pool different models: {lacking}",
            affects="numbers and differences of levels that pool their models",
            fix="compare the levels on the models that all of them have",
        ),
    )


def average_numbers(label: str, numbers: Sequence[ModelNumber], level: float) -> ModelNumber:
    """Return the mean of the numbers of some models, by the units that all of them have, with its t interval."""
    match = match_keys(*(number.units for number in numbers))
    units = match.keys
    places = match.places
    dense = [
        np.asarray(
            number.sums[k] if isinstance(number.sums, np.ndarray) else number.sums[k].toarray()
        )
        for number, k in zip(numbers, places, strict=True)
    ]
    # the sums of all models side by side, (units, sum of their k)
    ends = np.cumsum([0, *(part.shape[1] for part in dense)]).tolist()

    def finish(sums: FloatArray) -> FloatArray:
        parts = [
            number.finish(sums[:, a:b])
            for number, a, b in zip(numbers, ends[:-1], ends[1:], strict=True)
        ]
        return np.asarray(np.mean(parts, axis=0))

    first = numbers[0]
    clusters = tuple(tuple(labels[k] for k in places[0].tolist()) for labels in first.clusters)
    sums = np.concatenate(dense, axis=1)
    if match.complete:
        value = float(np.mean([number.value for number in numbers]))
    else:
        value = float(finish(sums.sum(axis=0)[None])[0])
    parts = []
    padded = []
    for model_number, k, start, end in zip(numbers, places, ends[:-1], ends[1:], strict=True):
        if model_number.ratings is not None:
            parts.append(model_number.ratings.at(k))
            # a person adds to the sums of the rated model alone
            padded.append(np.pad(parts[-1].sums, ((0, 0), (start, ends[-1] - end))))
    ratings = None
    if parts:
        ratings = RatingParts(
            unit=np.concatenate([part.unit for part in parts]),
            rater=tuple(label for part in parts for label in part.rater),
            sums=np.concatenate(padded),
        )
    average = ModelNumber(
        row=Row(term=label),
        units=units,
        clusters=clusters,
        sums=sums,
        finish=finish,
        value=value,
        linear=first.linear,
        size=max(number.size for number in numbers),
        ratings=ratings,
    )
    matched = MatchedModels(numbers=(average,))
    all_units = np.arange(len(units))
    row = Row(term=label, estimate=None if np.isnan(value) else value)
    code = matched.codes[0]
    influence = average.influence(all_units)[1]
    drawn = matched.drawn((0,), (all_units,))
    # its error is that of a difference from 0
    alone = ModelDifference(
        estimate=value, influence=influence, codes=code, drawn=drawn, size=average.size
    )
    if row.estimate is not None:
        errors = alone.errors()
        error = float(errors.std_error[0]) * alone.unit
        row = with_t(row, error, float(errors.df[0]), level, test=False)
    return replace(
        average,
        row=replace(row, n_units=len(units), method=f"mean of {count(len(numbers), 'model')}, t"),
    )


def dependence_text(result: Result) -> str:
    """State what the errors of differences take as independent."""
    if result.metric == "sensitivity":
        return cluster_text(cluster_factors(result.design, result.settings["cluster"]))
    if result.metric == "trait_profile":
        return "scenarios (or the clusters that hold them)"
    return cluster_text(
        cluster_factors(result.design, result.settings.get("cluster", "declared")), "units"
    )


def fewest_clusters(result: Result) -> Factor | None:
    """Return the cluster factor with the fewest levels; None where units are independent."""
    factors = cluster_factors(result.design, result.settings.get("cluster", "declared"))
    return min(factors, key=lambda factor: len(factor.levels)) if factors else None


def pairs_are_independent(result: Result) -> bool:
    """Return whether pairs of items are what is independent."""
    factor = fewest_clusters(result)
    return result.metric == "sensitivity" and factor is not None and factor.name == "pair"


def independent_clusters(result: Result) -> str | None:
    """Return the name of the clusters that are independent; None for units, scenarios and pairs of items."""
    if result.metric == "trait_profile" or pairs_are_independent(result):
        return None
    factor = fewest_clusters(result)
    return None if factor is None else factor.name


def independent_units(result: Result) -> str:
    """Return what is independent, in the plural: the clusters of the factor with the fewest, or the units."""
    if result.metric == "trait_profile":
        return "scenarios"
    factor = fewest_clusters(result)
    if factor is None:
        return "units"
    if pairs_are_independent(result):
        return "pairs of items"
    return f"clusters of {shorten(factor.name, 40)}"


def missing_units_caution(
    numbers: Sequence[ModelNumber], ways: Mapping[str, Way]
) -> tuple[Caution, ...]:
    """Caution SS342: models that lack units which others have; levels that share none with any other are left aside."""
    sharing: dict[int, ModelNumber] = {}  # by identity: numbers hold arrays, and are not hashable
    for couple, way in zip(combinations(numbers, 2), ways.values(), strict=True):
        if way in ("units", "part"):
            sharing |= {id(number): number for number in couple}
    numbers = list(sharing.values())
    all_units = {name for number in numbers for name in number.units}
    incomplete = [
        (number.row.term, len(all_units) - len(number.units), number.refused)
        for number in numbers
        if len(number.units) < len(all_units)
    ]
    if not incomplete:
        return ()
    shared = len(match_keys(*(number.units for number in numbers)).keys)
    lacking = listing(
        [
            f"'{shorten(model, 40)}' {count(n)}"
            + (f" ({count(refused)} refused)" if refused else "")
            for model, n, refused in incomplete
        ],
        5,
    )
    # where every missing answer is a refusal, there is nothing to collect
    all_refused = all(n == refused for _, n, refused in incomplete)
    return (
        caution(
            "SS342",
            f"of {count(len(all_units), 'unit')} these lack: {lacking}; all models share {count(shared)}",
            affects=(
                "numbers, which are over each model's own units; differences are on the units "
                "that both models have"
            ),
            fix="report the refusals beside the numbers"
            if all_refused
            else "collect the missing units",
        ),
    )


def factors_of_models(table: Any, models: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the factors of models that a table has, such as family, size or safety.

    Parameters
    ----------
    table : data frame, or mapping of columns
        Column ``model`` (or ``source``, ``rater``, ``name``) with one row a model, and a column for each factor. An
        empty field is no level.
    models : sequence of str
        Those that are compared; the table may have others.

    Returns
    -------
    dict of factor to dict of model to level
        As `over_models` takes them.

    Raises
    ------
    DesignError
        If no column names the models, or there is no other one.
    InputError
        If a model has two rows, or one that is compared has none.

    Examples
    --------
    >>> factors_of_models({"model": ["m1", "m2", "m3"], "family": ["a", "b", "b"]}, ["m1", "m2"])
    {'family': {'m1': 'a', 'm2': 'b'}}
    """
    read = as_table(table, "models")
    models_of_table, columns = groupings(read, MODEL_NAMES, "model")
    missing = [model for model in models if model not in models_of_table]
    if missing:
        raise InputError(
            f"{read.source}: no row of {quoted(missing)}; it has {quoted(sorted(models_of_table), 20)}. Give each "
            "model that is compared a row, under the name that it has in the data"
        )
    factors = {
        factor: {model: levels[model] for model in models if model in levels}
        for factor, levels in columns.items()
    }
    return {factor: levels for factor, levels in factors.items() if levels}
