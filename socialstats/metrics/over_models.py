"""Numbers of several models together: their mean, their spread, and groups of models, with models as the sample."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.compare import with_holm, with_welch
from socialstats.inference.dependence import shape_cautions, small_sample, spread_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_mean, with_spread
from socialstats.results import Result, ResultGroup, Row, results_by_model
from socialstats.sentences import estimate
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import option

Wanted = str | tuple[str, str | None]
ANYWHERE = (-math.inf, math.inf)
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
    >>> made = {m: mean_ratings({"unit": [1, 2, 3], "rater": ["r"] * 3, "value": x}, levels=[1, 2, 3, 4, 5])
    ...         for m, x in answers.items()}
    >>> result = over_models(made, ["all units"], groups={"size": {"m1": "small", "m2": "small", "m3": "large",
    ...                                                            "m4": "large"}})
    >>> result.row("all units", group="size: large - small").estimate
    2.0
    """
    found = results_by_model(results, "over_models")
    checked_level(level)
    metrics = {result.metric for result in found.values()}
    if len(metrics) != 1:
        raise InputError(
            f"over_models() takes results of one metric, not {quoted(sorted(metrics)) or 'none'}"
        )
    (metric,) = metrics
    factors = checked_groups(found, groups or {})
    made: list[Row] = []
    values: dict[str, dict[str, float]] = {}
    lacking: dict[str, tuple[str, ...]] = {}
    limits: dict[str, tuple[float, float]] = {}
    shapes: list[ClusteredMean] = []
    for wanted in [rows] if isinstance(rows, str) else rows:
        name, own, tested = values_of(found, wanted)
        values[name], lacking[name] = own, tuple(model for model in found if model not in own)
        limits[name] = limits_of(metric, wanted, found)
        made += number_rows(name, own, factors, level, limits[name], tested=tested)
        parts = [
            own,
            *(
                {m: x for m, x in own.items() if given.get(m) == at}
                for given in factors.values()
                for at in dict.fromkeys(given.values())
            ),
        ]
        shapes += [mean_over(list(part.values())) for part in parts if part]
    return Result(
        metric=metric,
        title=f"{next(iter(found.values())).title}, over models",
        rows=tuple(made),
        inference="t over models; wider limits of Bonett's and jackknife intervals of spreads; Welch's t of groups",
        counts={"models": len(found)},
        settings={"level": level, "rows": tuple(values), "groups": factors},
        references=("welch1947", "bonett2006", "efrontibshirani1993", "holm1979"),
        design=None,
        cautions=(
            *shape_cautions(shapes, what="models"),
            *group_cautions(made),
            *spread_cautions(made, "model"),
        ),
        words=words_of(made, len(found)),
        extras={"values": values, "lacking": lacking, "limits": limits},
        check="socialstats.crosscheck.over_models:checks_of",
    )


def checked_groups(
    results: Mapping[str, Result], groups: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return the levels of the models that have one, factor by factor."""
    found = {}
    for factor, levels in groups.items():
        if lost := [str(model) for model in levels if model not in results]:
            raise InputError(
                f"{option('groups')}: '{shorten(str(factor))}' names {quoted(lost, 5)}, without a result. "
                f"Models: {quoted(list(results), 20)}"
            )
        found[str(factor)] = {
            model: str(levels[model]) for model in results if levels.get(model) not in (None, "")
        }
        if not found[str(factor)]:
            raise InputError(
                f"{option('groups')}: no model has a level of '{shorten(str(factor))}'. Models: "
                f"{quoted(list(results), 20)}; it names {quoted(list(map(str, levels)), 20)}"
            )
    return found


def values_of(results: Mapping[str, Result], wanted: Wanted) -> tuple[str, dict[str, float], bool]:
    """Return the name of a number, its value by model, and whether the metric tests it against 0.

    Raises
    ------
    InputError
        If no result has such a row, or several.
    NothingToAnalyse
        If it is undefined everywhere.
    """
    term, *rest = (wanted,) if isinstance(wanted, str) else wanted
    own: dict[str, float] = {}
    tested, there = False, False
    for model, result in results.items():
        rows = [
            row for row in result.rows if row.term == term and (not rest or row.group == rest[0])
        ]
        if len(rows) > 1:
            raise InputError(
                f"rows: '{shorten(term)}' names {len(rows)} rows; say which with its group, one of "
                f"{quoted(sorted({str(row.group) for row in rows}), 12)}"
            )
        there = there or bool(rows)
        tested = tested or any(row.p_value is not None for row in rows)
        if rows and rows[0].estimate is not None:
            own[model] = rows[0].estimate
    if not there:
        known = list(dict.fromkeys(row.term for result in results.values() for row in result.rows))
        raise InputError(f"rows: no result has '{shorten(term)}'; rows: {quoted(known, 20)}")
    if not own:
        raise NothingToAnalyse(f"'{shorten(term)}' is undefined for every model")
    return term if not rest or rest[0] is None else f"{term} [{rest[0]}]", own, tested


def limits_of(metric: str, wanted: Wanted, results: Mapping[str, Result]) -> tuple[float, float]:
    """Return what a number can be; the size of biases is not below 0."""
    low, high = LIMITS.get(metric, ANYWHERE)
    term = wanted if isinstance(wanted, str) else wanted[0]
    rows = [row for result in results.values() for row in result.rows if row.term == term]
    return (0.0 if any(row.label("quantity") in SIZES for row in rows) else low), high


def number_rows(
    name: str,
    own: Mapping[str, float],
    factors: Mapping[str, Mapping[str, str]],
    level: float,
    limits: tuple[float, float],
    *,
    tested: bool,
) -> list[Row]:
    """Rows of one number: mean and spread over all models, then each factor's groups and their differences."""
    rows = [
        mean_of(name, "mean over models", list(own.values()), level, limits, tested, key=()),
        with_spread(
            Row(term=name, group="SD over models", role="spread", key=(("number", name),)),
            np.array(list(own.values())),
            level,
        ),
    ]
    width = (limits[0] - limits[1], limits[1] - limits[0])
    for factor, given in factors.items():
        parts: dict[str, list[float]] = {}
        for model, value in own.items():
            if model in given:
                parts.setdefault(given[model], []).append(value)
        means = {
            label: mean_of(
                name,
                f"{factor} = {label}",
                some,
                level,
                limits,
                tested,
                key=(("factor", factor), ("level", label)),
            )
            for label, some in sorted(parts.items())
        }
        gaps = [
            with_welch(
                Row(
                    term=name,
                    group=f"{factor}: {one} - {other}",
                    role="difference",
                    method="Welch's t over models",
                    key=(("number", name), ("factor", factor), ("one", one), ("other", other)),
                    n=float(len(parts[one]) + len(parts[other])),
                ),
                means[one],
                means[other],
                level,
                within=width,
            )
            for one, other in combinations(means, 2)
        ]
        rows += [*means.values(), *with_holm(gaps, family=f"{name} by {factor}")]
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
    return small_sample(
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


def mean_of(
    name: str,
    group: str,
    values: Sequence[float],
    level: float,
    limits: tuple[float, float],
    tested: bool,
    key: tuple[tuple[str, str], ...],
) -> Row:
    """Row of the mean of some models."""
    n = len(values)
    found = mean_over(values)
    row = Row(
        term=name,
        group=group,
        role="estimate",
        key=(("number", name), *key),
        estimate=found.mean,
        n=float(n),
        n_units=n,
        method="t over models",
    )
    if n < 2:
        return replace(
            row, undefined="one model: no interval for models like it", reason="one_unit"
        )
    return with_mean(row, found, level, within=limits, test=tested)


def words_of(rows: Sequence[Row], models: int) -> str:
    """State the means over all models."""
    said = [
        f"the mean of {shorten(row.term, 50)} was {estimate(row)}"
        for row in rows
        if row.group == "mean over models"
    ]
    return f"Over {count(models, 'model')} (the sample), {listing(said, most=6)}."
