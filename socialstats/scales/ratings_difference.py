"""Differences of two tables of ratings of the same units: means, shares of levels, alpha, distance from people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.inference.compare import with_resampled_t
from socialstats.inference.dependence import cluster_names, small_sample_caution
from socialstats.inference.rows import ANYWHERE
from socialstats.matching import Match, match_keys
from socialstats.paired.paired_difference import METRIC as PAIRED
from socialstats.registry import reads
from socialstats.resampling import PlanUnits, bootstrap_sums
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers
from socialstats.results.peers import load_peer
from socialstats.scales.measures import (
    ALPHA,
    DISTANCE,
    SHARES,
    Measure,
    alpha_measure,
    distance_measure,
    level_share_measure,
    mean_rating_measure,
    spread_over_units,
)
from socialstats.shares.sources import RaterSource, human_source, raters_of
from socialstats.text import count, quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

FEW = 10


def measures(design: Ratings) -> dict[str, Measure]:
    """Return what can be said of a table of ratings: mean, shares of levels, alpha, distance from people's mode."""
    # people give the mode that the others are compared with; without people all raters are judged
    source = human_source(design)
    judged = design
    if source is not None:
        judged = design.of_raters(
            [rater for other in source.others for rater in raters_of(design, source, other)]
        )
    by_measure = [distance_measure(design, judged)] if source is not None else []
    makers = [mean_rating_measure, level_share_measure]
    if source is None:
        makers.append(alpha_measure)
    # labels have no mean, and single raters no alpha
    for make in makers:
        try:
            by_measure.append(make(judged))
        except SocialStatsError:
            continue
    where = match_keys(judged.units, design.units).places[1]
    return {
        m.name: spread_over_units(m, where, len(design.units)) for m in by_measure if m is not None
    }


def on_common_units(first_design: Ratings, second_design: Ratings, match: Match) -> list[Ratings]:
    """Return both designs on the units that both have; units are sorted, so they then stand in the same order.

    Raises
    ------
    NothingToAnalyse
        If no unit is common.
    InputError
        If units stand for several alike ones: such units cannot be matched. If one lies in different clusters.
    """
    if not match.keys:
        raise NothingToAnalyse("no unit was rated in both")
    if np.any(first_design.unit_count != 1) or np.any(second_design.unit_count != 1):
        raise InputError(
            "units that stand for several alike ones cannot be matched; give one row a rating"
        )
    others = {factor.name: factor for factor in second_design.clusters}
    for factor in first_design.clusters:
        other = others.get(factor.name)
        if other is None:
            continue
        labels = match.values(factor.labels(), other.labels())
        differing = np.flatnonzero(labels[0] != labels[1])
        if len(differing):
            unit, first, second = (
                shorten(str(values[differing[0]]), 40) for values in (match.keys, *labels)
            )
            raise InputError(
                f"unit '{unit}' lies in two clusters of '{shorten(factor.name)}', '{first}' and "
                f"'{second}': give different units different names"
            )
    return [
        design.take(np.isin(design.unit, places), note="units of both")
        for design, places in zip((first_design, second_design), match.places, strict=True)
    ]


@reads(Ratings, tables=2)
def ratings_difference(
    first: Ratings | TableLike,
    second: Ratings | TableLike,
    *,
    labels: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result:
    """Estimate the differences of two tables of ratings of the same units: first minus second.

    Rows of what both tables have: the mean rating, the share of each of at most 12 levels, Krippendorff's alpha. With a
    rater group that has a level called human, ADA-Met of the others replaces alpha. Units are matched by their labels.
    People's ratings, where they give the mode, are fixed.

    Parameters
    ----------
    first, second : Ratings, data frame, mapping of columns, or path of a file
        Without ``by`` (take ``design.split()[level]``).
    labels : pair of str
    level : float
    resamples, seed : int
        Of the bootstrap of the units (clusters) of both.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Groups ``"mean"``, ``"shares"``, ``"alpha"``, ``"distance"``: the difference -+ t s.e. with G - 1 degrees of
        freedom for G resampled units. The bootstrap's standard error is multiplied by sqrt(G / (G - 1)), by which it is
        too small (Davison & Hinkley 1997, section 2.3). Only units of both tables count.

    Raises
    ------
    NothingToAnalyse
        If no unit, or no number, is common.
    InputError
        If units stand for several alike ones: such units cannot be matched.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge University Press.
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> one = {"unit": [1, 2, 3, 4], "rater": ["a"] * 4, "value": [3, 4, 5, 5]}
    >>> two = {"unit": [1, 2, 3, 4], "rater": ["a"] * 4, "value": [2, 4, 3, 4]}
    >>> round(ratings_difference(one, two, scale="interval").row("mean rating").estimate, 3)
    1.0
    """
    match = match_keys(first.units, second.units)
    first_common, second_common = on_common_units(first, second, match)
    of_first, of_second = measures(first_common), measures(second_common)
    common = [
        (a, of_second[name])
        for name, a in of_first.items()
        if name in of_second and of_second[name].terms == a.terms
    ]
    # a difference needs units with the number in both tables
    defined_units = [a.defined & b.defined for a, b in common]
    parts = [
        m.statistics * defined[:, None]
        for pair, defined in zip(common, defined_units, strict=True)
        for m in pair
    ]
    if not parts:
        raise NothingToAnalyse("the two tables have no number in common")
    units = (
        PlanUnits.clusters(*(f.codes for f in first_common.clusters))
        if first_common.clusters
        else PlanUnits.rows(np.ones(len(first_common.units)))
    )
    finish, sizes = (
        partial(finish_of, common),
        np.array([max(a.size, b.size) for a, b in common for _ in a.terms]),
    )
    boot = bootstrap_sums(
        np.concatenate(parts, axis=1), finish, units, resamples=resamples, seed=seed, size=sizes
    )
    g = (
        min(len(f.levels) for f in first_common.clusters)
        if first_common.clusters
        else len(first_common.units)
    )
    terms = [
        (a.name, term, int(n.sum()))
        for (a, _), n in zip(common, defined_units, strict=True)
        for term in a.terms
    ]
    errors = boot.std_error
    rows = []
    for j, (kind, term, n) in enumerate(terms):
        limits = WITHIN.get(kind)
        row = Row(term=term, group=kind, role="difference", n_units=n, n_clusters=g, limits=limits)
        value, error = float(boot.estimate[j]), float(errors[j])
        rows.append(with_resampled_t(row, value, error, g, level, within=limits or ANYWHERE))
    lost = boot.caution("intervals of the differences")
    by = cluster_names(first_common.clusters) or "unit"
    cautions = (
        *match.cautions("unit", [quoted([label]) for label in labels], "every row"),
        *small_sample_caution(
            g,
            FEW,
            f"{count(g)} of {shorten(by, 40)}: a bootstrap of so few knows little about their spread",
            affects="intervals and tests of differences",
            fix="compare on more units",
        ),
        *(() if lost is None else (lost,)),
    )
    extras = {
        "parts": (first, second),
        "people": (human_source(first_common), human_source(second_common)),
        "matched": match.text("unit", [quoted([label]) for label in labels]),
    }
    title = f"Differences between two tables of ratings: {labels[0]} minus {labels[1]}"
    inference = (
        f"{count(resamples, 'bootstrap resample')} by {by}, the same for both; t with {g - 1} df"
    )
    return Result(
        metric="krippendorff_alpha",
        title=title,
        rows=tuple(rows),
        inference=inference,
        counts={"units": len(first_common.units), "clusters": g},
        settings={"labels": labels},
        cautions=cautions,
        references=("davisonhinkley1997", "krippendorff2019"),
        design=(first_common, second_common),
        words=f"Differences on the same units: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras=extras,
        check=Definition(peers=ask_for_differences),
    )


def finish_of(pairs: Sequence[tuple[Measure, Measure]], sums: FloatArray) -> FloatArray:
    """(B, k) sums of every measure of both tables, one after the other -> (B, m) differences."""
    out, start = [], 0
    for a, b in pairs:
        split, end = (
            start + a.statistics.shape[1],
            start + a.statistics.shape[1] + b.statistics.shape[1],
        )
        with np.errstate(invalid="ignore"):  # sums beyond the range of floats: no difference
            out.append(a.finish(sums[:, start:split]) - b.finish(sums[:, split:end]))
        start = end
    return np.concatenate(out, axis=1)


LIMITS = {SHARES: (0.0, 1.0), ALPHA: (-math.inf, 1.0)}  # what the numbers can be
WITHIN = {SHARES: (-1.0, 1.0), ALPHA: (-2.0, 2.0)}  # what differences can be


def values_of(design: Ratings) -> Mapping[str, Mapping[str, float]]:
    """Return every number of one table, by measure and term."""
    values = {}
    for name, m in measures(design).items():
        estimates = m.finish(m.statistics.sum(axis=0)[None, :])[0]
        values[name] = dict(zip(m.terms, (float(x) for x in estimates), strict=True))
    return values


def rows_of_levels(values: Mapping[str, Mapping[str, Mapping[str, float]]], kind: str) -> list[Row]:
    """Return the numbers of one measure of several tables (`values_of` of each, by name) as rows."""
    return [
        Row(
            term=term,
            key=(("level", name), ("number", term)),
            estimate=value,
            limits=LIMITS.get(kind),
        )
        for name, by_measure in values.items()
        for term, value in by_measure.get(kind, {}).items()
    ]


def ask_for_differences(result: Result) -> Iterator[PeerNumbers]:
    """Yield the difference of each number, of both tables as they were given, joined by the labels of units."""
    designs, sources = result.extras["parts"], result.extras["people"]
    tables = [long_answers(*part) for part in zip(designs, sources, strict=True)]
    for row in result.rows:
        if row.group == ALPHA:
            package, numbers = "krippendorff", alphas_of_both(tables, designs[0].scale)
        else:
            package, numbers = "pandas", means_of_both(row, tables, designs)
        yield PeerNumbers(
            package=package,
            row=(row.group, row.term),
            numbers={"estimate": numbers[0] - numbers[1]},
        )


def long_answers(design: Ratings, source: RaterSource | None) -> pd.DataFrame:
    """Return a row for each rating or refusal: unit, rater, code (-1 a refusal), score, whether it is a person's.

    Columns ``p0``, ``p1``, ... have the probability of each level.
    """
    import pandas as pd

    answered = (design.status == OK) | (design.status == REFUSAL)
    is_person = np.zeros(len(design.raters), dtype=bool)
    if source is not None:
        factor = design.rater_groups[source.name]
        is_person = factor.codes == factor.levels.index(source.human)
    code = np.where(design.status == OK, design.value, -1)[answered]
    # the code of a refusal, -1, takes the NaN at the end
    scores, rater = np.append(design.scores, np.nan)[code], design.rater[answered]
    columns = {
        "unit": np.array(design.units, dtype=object)[design.unit[answered]],
        "rater": rater,
        "code": code,
        "score": scores,
        "person": is_person[rater],
    }
    shares = {f"p{level}": share for level, share in enumerate(design.read_as()[answered].T)}
    return pd.DataFrame({**columns, **shares})


def means_of_both(
    row: Row, tables: Sequence[pd.DataFrame], designs: Sequence[Ratings]
) -> list[float]:
    """Return a mean over units of each table, of the units that have it in both."""
    by_unit = []
    for table, design in zip(tables, designs, strict=True):
        judged = table[~table["person"]].copy()
        if row.group == DISTANCE:
            judged["x"] = distances_from_people(table, design)
        elif row.group == SHARES:
            levels = [f"share of {level}" for level in design.levels]
            judged["x"] = judged[f"p{levels.index(row.term)}"].where(judged["code"] >= 0)
        else:
            shares = judged[[f"p{level}" for level in range(len(design.levels))]]
            judged["x"] = (shares * design.scores).sum(axis=1).where(judged["code"] >= 0)
        by_unit.append(judged.dropna(subset="x").groupby("unit")["x"].mean())
    common = by_unit[0].index.intersection(by_unit[1].index)
    return [float(means[common].mean()) for means in by_unit]


def distances_from_people(table: pd.DataFrame, design: Ratings) -> pd.Series[float]:
    """Return how far answers are from the people's mode of their unit; refusals are as far as the scale is wide."""
    people = table[table["person"] & (table["code"] >= 0)]
    modes = people.groupby("unit")["score"].agg(lambda scores: scores.mode().mean())
    judged = table[~table["person"]]
    mode = judged["unit"].map(modes)
    far = mode * 0.0
    for level, score in enumerate(design.scores.tolist()):
        far += judged[f"p{level}"] * (mode - score).abs()
    width = float(design.scores.max() - design.scores.min())
    distances: pd.Series[float] = far.where(judged["code"] >= 0, width).where(mode.notna())
    return distances


def alphas_of_both(tables: Sequence[pd.DataFrame], scale: str) -> list[float]:
    """Return Krippendorff's alpha of each table, of the units that have two ratings in both."""
    alpha = load_peer("krippendorff", "alpha")
    rated = [table[table["code"] >= 0] for table in tables]
    repeated = [table.groupby("unit").filter(lambda unit: len(unit) > 1) for table in rated]
    common = set(repeated[0]["unit"]) & set(repeated[1]["unit"])
    alphas = []
    for table in rated:
        inside = table[table["unit"].isin(common)]
        scores = inside.pivot(index="rater", columns="unit", values="score").to_numpy(dtype=float)
        domain = sorted(np.unique(scores[~np.isnan(scores)]))
        alphas.append(float(alpha(scores, level_of_measurement=scale, value_domain=domain)))
    return alphas


def ask_for_matched_groups(result: Result) -> Iterator[PeerNumbers]:
    """Yield what packages have for a paired difference, and the difference of two groups' means by unit.

    ``extras["ratings"]`` holds the ratings, ``extras["groups"]`` the factor of raters and its two levels.
    """
    import pandas as pd

    if PAIRED.definition is not None:
        yield from PAIRED.definition.peers(result)
    design, (name, first, second) = result.extras["ratings"], result.extras["groups"]
    rated = design.status == OK
    table = pd.DataFrame(
        {
            "unit": design.unit[rated],
            "group": design.rater_groups[name].labels()[design.rater[rated]],
            "value": (design.read_as() @ design.scores)[rated],
        }
    )
    means = table.groupby(["unit", "group"])["value"].mean().unstack("group")
    difference = (means[first] - means[second]).dropna().mean()
    row = result.rows[0]
    yield PeerNumbers(
        package="pandas", row=(row.group, row.term), numbers={"estimate": float(difference)}
    )


def with_matched_groups(result: Result) -> Result:
    """Return a paired difference of two groups of raters, to be recomputed from their ratings too."""
    assert PAIRED.definition is not None
    definition = Definition(samples=PAIRED.definition.samples, peers=ask_for_matched_groups)
    return replace(result, check=definition)
