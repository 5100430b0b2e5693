"""Agreement of a judge with people beside that of people with each other, on the same units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.agreement_weights import WeightsKind, reliability_weights
from socialstats.agreement.pair_tables import LEAST_CHANCE
from socialstats.agreement.rating_tables import MOST_NUMBERS, level_table
from socialstats.agreement.reliability import METHODS
from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_facts,
    cluster_text,
    small_sample_caution,
    smallest_cluster_count,
)
from socialstats.inference.how import How
from socialstats.inference.infer import Estimand, infer
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_inferred
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.results.plots import forest_plot
from socialstats.results.rows import undefined_text
from socialstats.scales.judged_units import (
    JudgedUnits,
    PeopleAndJudges,
    judged_units,
    people_and_judges,
)
from socialstats.text import count, listing, number, shorten
from socialstats.voice import option

DIFFERENCE, JUDGE, PEOPLE = "difference", "judge with people", "people with people"
SMALL = 50
NO_PEOPLE = (
    "no unit with a rating of this judge has ratings of two people; have two or more people rate the units that the "
    "judge rated"
)
FLAT = "no variation: raters gave levels that do not disagree, so agreement by chance is complete"


@reads(Ratings)
def judge_agreement(
    ratings: Ratings | TableLike,
    *,
    reference: str | None = None,
    source: str | None = None,
    weights: Any = "auto",
    kind: WeightsKind = "agreement",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how well a judge agrees with people, beside how well people agree with each other.

    Both are weighted kappas, 1 - Do/De, pooled over pairs of raters on the same units. One is of the judge and each
    person, the other of each two people. Do is the mean disagreement of two ratings of one unit (units weighted by
    their number of people). De is that of ratings of any two units.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With raters in groups that tell people from judges (``rater_source=`` or ``rater_groups=``); with a ``by``
        factor: one result a level. Refusals are no ratings.
    reference : str, optional
        Level of the rater group that holds the people. By default the only level whose name means people (human,
        people, crowd, annotators, experts, ...), or the only one beside levels called judge, model or LLM. Else, of the
        two levels of ``rater_source=``, the one with several raters beside the one with a single rater.
    source : str, optional
        Name of the rater group; by default that of ``rater_source=``, then the others, until one tells.
    weights, kind
        Weights of agreement, as in `weighted_kappa`; by default unweighted for nominal levels, else quadratic.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For each judge (`group`) the rows ``difference``, ``judge with people`` and ``people with people``. The
        difference is the judge's kappa with people minus that of people with each other, with t, df and p. All are on
        the units that the judge and at least two people rated (`n_units`; `n` ratings of people in them).

        `extras`: ``people``, ``judges``, ``group``, ``level``, ``named``, ``shared``, ``weights``. ``named`` is what
        people are called, ``shared`` for each judge the units that any person rated as well.

    Raises
    ------
    InputError
        Where no rater group tells people from judges, for an unknown group or level, or an unknown option.

    Notes
    -----
    When nothing is missing, both are the pooled kappa of `weighted_kappa` (Conger 1980) of these pairs. Judge and
    person are compared with the same people, one at a time and never with a majority. So a judge who rates like people
    has an expected difference of 0 for any number of people.

    Agreement by chance uses the judge's own ratings, so a judge who gives one level to every unit has kappa 0. With
    people's ratings in their place such a judge could agree at .5 (quadratic weights).

    The standard error linearises both kappas in the weight of each unit (cluster), as they share their units. Each
    kappa has an interval by Fisher's z, as in `weighted_kappa`. People and judges are taken as fixed. Simulations had
    30 or 60 units, or 12 or 15 clusters of four, with two to five people and an exchangeable judge. In 1,000 of each,
    nominal 95% intervals of the difference held 0 in 92.7 to 95.5%.

    References
    ----------
    Conger, A. J. (1980). Integration and generalization of kappas for multiple raters. doi:10.1037/0033-2909.88.2.322
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.
    Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test for LLM-as-a-judge: How to
    statistically justify replacing human annotators with LLMs. ACL 2025, 16051-16081.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"unit": [1, 2, 3, 4] * 3, "rater": ["ann"] * 4 + ["bob"] * 4 + ["gpt"] * 4,
    ...                      "kind": ["human"] * 8 + ["model"] * 4, "value": [1, 2, 3, 4, 1, 2, 4, 4, 2, 2, 4, 3]})
    >>> result = judge_agreement(Ratings.from_frame(rows, scale="interval", rater_source="kind"))
    >>> [round(row.estimate, 3) for row in result.rows]
    [-0.202, 0.714, 0.917]
    """
    settings = {
        "reference": reference,
        "source": source,
        "weights": weights,
        "kind": kind,
        "cluster": cluster,
        "level": checked_level(level),
    }
    weights = reliability_weights(ratings, weights, kind, "missing")
    sides = people_and_judges(ratings, source, reference)
    if sides is None:
        raise InputError(
            f"{ratings.source}: no rater group tells people from judges. Declare a column such as human and model with "
            f"{option('rater_source', typed='--map rater_source=COLUMN')}, or name the group with {option('source')} "
            f"and its level with {option('reference')}"
        )
    factors = cluster_factors(ratings, cluster)
    judged_by_name = judged_units(ratings, sides)
    disagreement = 1 - weights.matrix  # (levels, levels)
    rows = tuple(
        row
        for name, units in judged_by_name.items()
        for row in judge_rows(name, units, factors, disagreement, level)
    )
    n_units = len({unit for units in judged_by_name.values() for unit in units.index.tolist()})
    # the header is about the first judge with a difference
    first = next((row for row in rows if row.estimate is not None), rows[0])
    fit = {
        "nobs": int(first.n or 0),
        "n_clusters": first.n_clusters,
        "df": first.df,
        "method": first.method,
        **cluster_facts(rows),
    }
    extras = {
        "people": sides.people,
        "judges": sides.judges,
        "group": sides.group,
        "level": sides.level,
        "named": sides.description,
        "shared": {name: units.n_shared for name, units in judged_by_name.items()},
        "weights": weights.matrix,
    }
    counts = {
        "units": n_units,
        "people": len(sides.people),
        "judges": len(sides.judges),
    }
    return Result(
        metric="judge_agreement",
        title=f"Judge against {sides.description} ({weights.name} kappa)",
        inference="t intervals of differences and Fisher z intervals of kappas, with linearised standard errors; "
        + cluster_text(factors, "units"),
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings
        | {"weights": weights.name, "source": sides.group, "reference": sides.level},
        cautions=(*weights.cautions, *cautions(ratings, sides, judged_by_name, factors)),
        references=METRIC.references,
        design=ratings,
        extras=extras,
    )


def judge_rows(
    name: str,
    judged: JudgedUnits,
    factors: Sequence[Factor],
    disagreement: FloatArray,
    level: float,
) -> list[Row]:
    """Rows of one judge: the difference, and the two kappas it is the difference of."""
    codes = tuple(factor.codes[judged.index] for factor in factors)
    clusters = smallest_cluster_count(codes)
    base = Row(
        term="",
        group=name,
        key=(("judge", name),),
        n=float(judged.n_ratings),
        n_units=judged.n_units,
        n_clusters=clusters,
    )
    kappas = [replace(base, term=t, key=(*base.key, ("pairs", t))) for t in (JUDGE, PEOPLE)]
    key = (*base.key, ("pairs", JUDGE), ("minus", PEOPLE))
    # kappas lie between -1 and 1
    gap = replace(base, term=DIFFERENCE, key=key, role="difference", limits=(-2.0, 2.0))
    rows = [gap, *kappas]
    if not judged.n_units:
        return [replace(row, undefined=NO_PEOPLE, reason="no_data") for row in rows]
    # the difference and both kappas are linearised in the weight of each unit, which all three share
    judge, people = judged.kappas(disagreement)
    values = (judge.value - people.value, judge.value, people.value)
    influences = (judge.influence - people.influence, judge.influence, people.influence)
    # (units,) share of each unit; deviations from the mean influence sum to 0, as `Estimand` needs
    share = judged.copies / judged.copies.sum()
    how = How(ci="closed", cluster=None, level=level, resamples=0, seed=0)
    out = []
    for row, value, deviation in zip(rows, values, influences, strict=True):
        if math.isnan(value):
            out.append(replace(row, undefined=FLAT, reason="no_variation"))
            continue
        # kappas are bounded, so that Fisher's z holds for them and t for their difference
        tested, influence = row.term == DIFFERENCE, (deviation - share @ deviation) * share
        estimand = Estimand(
            estimate=np.array([value]),
            shares=share[:, None],
            copies=judged.copies,
            influence=partial(np.reshape, influence, (-1, 1)),
            bounded=not tested,
            fisher=not tested,
        )
        (inference,), _ = infer(estimand, codes, how)
        row = with_inferred(replace(row, estimate=value), inference, level, test=tested)
        out.append(
            replace(
                row,
                df=inference.df,
                method=METHODS[inference.kind] if inference.low is not None else None,
            )
        )
    return out


def cautions(
    design: Ratings,
    sides: PeopleAndJudges,
    judged_by_name: dict[str, JudgedUnits],
    factors: Sequence[Factor],
) -> tuple[Caution, ...]:
    """Cautions on clusters, few units, raters without a group, and units that people or judges did not rate."""
    out = list(cluster_cautions(design, tuple(factors)))
    least = min(units.n_units for units in judged_by_name.values())
    if least and not factors:
        detail = f"{count(least, 'unit')} with ratings of a judge and of two people"
        out += small_sample_caution(least, SMALL, detail, fix=f"rate {SMALL} units or more")
    if sides.left_out:
        detail = f"{count(len(sides.left_out), 'rater')} without a '{shorten(sides.group)}'"
        out.append(
            caution(
                "SS301", detail, affects="the comparison of judge and people", fix="give each one"
            )
        )
    # people's agreement needs two people, so that units with one are left out on either side
    lost = max(units.n_shared - units.n_units for units in judged_by_name.values())
    if lost:
        detail = f"up to {count(lost, 'unit')} of a judge with a rating of one person only"
        out.append(
            caution(
                "SS315", detail, affects="these units are left out, to compare on the same ones"
            )
        )
    return tuple(out)


def sentence(result: Result) -> str:
    """Compare the first judge with people, and give the differences of the others."""
    gaps = [row for row in result.rows if row.term == DIFFERENCE]
    estimated = [row for row in gaps if row.estimate is not None]
    if not estimated:
        why = undefined_text([replace(row, term=row.group or "") for row in gaps])
        return f"Agreement of judges with people is undefined: {why}."
    text = judge_sentence(result, str(estimated[0].group))
    # further judges are told by their difference alone
    if len(estimated) == 1:
        return text
    others = [
        f"{number(row.estimate, 2, bounded=True)} ({shorten(row.group or '')})"
        for row in estimated[1:]
    ]
    return f"{text} The difference of the other judges was {listing(others, most=8)}."


def judge_sentence(result: Result, judge: str, *, adjusted: float | None = None) -> str:
    """Compare the agreement of a judge with people with that among people.

    Parameters
    ----------
    result : Result
        Of `judge_agreement`.
    judge : str
        Name of a judge with an estimate.
    adjusted : float, optional
        p of the difference, adjusted by Holm's method over several judges; it decides in place of p.
    """
    gap, with_people, among_people = (
        result.row(term, group=judge) for term in (DIFFERENCE, JUDGE, PEOPLE)
    )
    people, who, on = result.extras["named"], f"'{shorten(judge)}'", count(gap.n_units or 0, "unit")
    verdict = sentences.difference(
        f"agreement with {people}",
        who,
        f"{people} themselves",
        replace(gap, p_adjusted=adjusted),
    )
    numbers = [number(row.shown()) for row in (with_people, among_people)]
    return f"{verdict} Kappa was {numbers[0]} for {who} and {numbers[1]} among {people}, on the same {on}."


def agreement_rows(result: Result) -> list[Row]:
    """Rows of both agreements of every judge, named for a figure; people once where they are the same for all."""
    rows = [row for row in result.rows if row.term != DIFFERENCE]
    # where all judges share their units, people's agreement is one number, drawn once
    same = len({(row.estimate, row.n_units) for row in rows if row.term == PEOPLE}) == 1
    named = []
    for k, row in enumerate(rows):
        who = shorten(row.group or "", 40)
        if row.term == JUDGE:
            named.append(replace(row, term=f"{who} with {result.extras['named']}", group=None))
        elif not same or k == len(rows) - 1:
            where = "" if same else f" (units of {who})"
            named.append(
                replace(row, term=f"{result.extras['named']} with each other{where}", group=None)
            )
    return named


def sample_judged_units(result: Result) -> Iterator[PlainSample]:
    """Yield the units that a judge and two people or more rated, for each judge."""
    design: Ratings = result.design
    table = level_table(design, "missing")
    levels = np.arange(len(result.extras["weights"]))
    people = [design.raters.index(name) for name in result.extras["people"]]
    factors = design.factors(result.settings["cluster"])
    for judge in result.extras["judges"]:
        judged = table[:, design.raters.index(judge)]
        by_people = table[:, people]
        units = np.flatnonzero((judged >= 0) & ((by_people >= 0).sum(axis=1) >= 2))
        if not len(units) or len(units) * len(people) * len(levels) > MOST_NUMBERS:
            continue
        # 1 where a person gave a unit a level, (units, people, levels); and the judge, (units, levels)
        of_people = (by_people[units][:, :, None] == levels).astype(np.float64)
        of_judge = (judged[units][:, None] == levels).astype(np.float64)
        alike = np.column_stack([judged[units], by_people[units]]).astype(np.float64)
        yield PlainSample(
            count=design.unit_count[units],
            plain=kappas_of_judge(judge, of_judge, of_people, 1 - result.extras["weights"]),
            factors=tuple(factor.take(units) for factor in factors),
            alike=alike,
            size=1.0,
            cost=1 + of_people[0].size / 10,
        )


def kappas_of_judge(
    judge: str, of_judge: FloatArray, of_people: FloatArray, apart: FloatArray
) -> Callable[[FloatArray], dict[RowKey, float]]:
    """Return the function from the units of each cell to both kappas, 1 - (disagreement) / (that by chance).

    Parameters
    ----------
    judge : str
    of_judge : (cells, levels) float64 array
    of_people : (cells, people, levels) float64 array
    apart : (levels, levels) float64 array
        Disagreement of two levels.
    """
    tally = of_people.sum(axis=1)
    size = tally.sum(axis=1)
    # pairs of two people in a unit, and of the judge with a person; each person's rating weighs the same
    between_people = ((tally @ apart) * tally).sum(axis=1) / (size - 1)
    with_judge = ((of_judge @ apart) * tally).sum(axis=1)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        n = float(count @ size)
        margins = np.einsum("u,upl->pl", count, of_people)
        all_people = margins.sum(axis=0)
        judged = (count * size) @ of_judge
        # pairs of two different people by chance, and of the judge with a person
        apart_people = all_people @ apart @ all_people - ((margins @ apart) * margins).sum()
        pairs = n**2 - (margins.sum(axis=1) ** 2).sum()
        people_chance, judge_chance = apart_people / pairs, judged @ apart @ all_people / n**2
        people = kappa_of(count @ between_people / n, people_chance)
        with_people = kappa_of(count @ with_judge / n, judge_chance)
        kappas = {DIFFERENCE: with_people - people, JUDGE: with_people, PEOPLE: people}
        return {(judge, term): float(value) for term, value in kappas.items()}

    return estimates


def kappa_of(disagreement: float, by_chance: float) -> float:
    """Return 1 - (disagreement) / (that by chance), NaN where there is none by chance."""
    return 1 - disagreement / by_chance if by_chance > LEAST_CHANCE else math.nan


METRIC = Metric(
    name="judge_agreement",
    title="Judge against people",
    design="ratings",
    function=judge_agreement,
    sentence=sentence,
    plot=forest_plot(agreement_rows, xlabel="kappa: 1 = perfect agreement, 0 = chance"),
    definition=Definition(samples=sample_judged_units),
    estimand="Agreement of a judge with people minus that of people with each other, on the same units: weighted "
    "kappas pooled over pairs of raters.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "the people and the judges at hand are the ones of interest; other people may agree more or less",
        "who rated which unit does not depend on the values",
    ),
    references=("conger1980", "gwet2014", "calderon2025"),
    values="sources",
)
