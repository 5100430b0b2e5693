"""Shares of replies that gave no rating: refused, missing or unreadable, by source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import MISSING, OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.inference.dependence import (
    cluster_factors,
    cluster_names,
    drawn_cautions,
    share_cautions,
    smallest_cluster_count,
)
from socialstats.inference.means import DrawnRaters
from socialstats.inference.rows import share_ci
from socialstats.registry import reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PlainSample, sample_of_mean
from socialstats.shares.counts import free_label, interval_options, merge_cells, share_row
from socialstats.shares.sources import People, population, population_cautions
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import option

KINDS = {
    "usable": (OK,),
    "refused": (REFUSAL,),
    "missing or unreadable": (MISSING,),
    "refused at most": (REFUSAL, MISSING),
}
RATER, ALL = "rater", "all sources"
Part = tuple[str, str]  # a source, or a level of the stratum


@reads(Ratings, labels="single")
def reply_shares(
    ratings: Ratings | TableLike,
    *,
    source: str | None = None,
    stratum: str | None = None,
    cluster: str | Sequence[str] | None = "declared",
    people: People = "auto",
    level: float = 0.95,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the share of the replies of each source that is usable, refused, and missing or unreadable.

    A reply is a row of the table: a rating, a refusal (`refusal=`), or no rating of those that count. Questions that
    were never asked have no row and are not counted.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result per level.
    source : str, optional
        Declared group of raters whose levels have rows of their own, or ``"rater"``: each rater has.
    stratum : str, optional
        Declared stratum of units, such as the condition of a question: each source has rows for each of its levels too.
    cluster : str, sequence of str or None
        Declared factors of units whose levels are independent; without any, units are. None: replies are.
    people : {"auto", "random", "fixed"}
        Whether human raters are a sample, as in `choice_shares`.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all sources, and each: rows ``"usable"``, ``"refused"``, ``"missing or unreadable"``, ``"refused at most"``
        (the worst case: whatever is missing or unreadable was a refusal; the best case is ``"refused"``), `group` the
        source. With `stratum` the same of all sources and of each at each level, `group` ``source, level``.
        Wilson's interval for the number of independent replies that the clustered error speaks for (Korn & Graubard
        1998).

    Raises
    ------
    InputError
        For an unknown source, stratum or cluster.
    NothingToAnalyse
        Without a reply.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> table = {"unit": [1, 2, 3, 4] * 2, "rater": ["m1"] * 4 + ["m2"] * 4,
    ...          "value": ["yes", "no", "cannot say", "", "yes", "no", "no", "yes"]}
    >>> result = reply_shares(table, refusal="cannot say", scale="nominal", source="rater")
    >>> [result.row(kind, group="m1").estimate for kind in ("usable", "refused", "missing or unreadable")]
    [0.5, 0.25, 0.25]
    """
    design = ratings
    assert isinstance(design, Ratings)
    how = interval_options("auto", level, 0, 0, ("auto",))
    if not len(design.status):
        raise NothingToAnalyse(f"{design.source}: no reply")
    factors = cluster_factors(design, cluster)
    codes = [factor.codes[design.unit] for factor in factors]
    # replies to one unit depend on each other
    if not codes and cluster is not None:
        codes = [design.unit]
    people_population = population(
        design, people, factors, used=np.ones(len(design.status), dtype=bool)
    )
    rows, names, of_people = [], list[str](), list[Row]()
    for key, inside in replies_of_parts(design, source, stratum).items():
        names.append(free_label(", ".join(label for _, label in key), names))
        weight = design.unit_count[design.unit[inside]]
        clusters_inside = [code[inside] for code in codes]
        drawn = people_replies(design, inside, people_population.drawn, codes)
        for kind, status in KINDS.items():
            n = float(weight.sum())
            hit = np.isin(design.status[inside], status).astype(np.float64)  # (replies inside,)
            row = Row(
                term=kind,
                group=names[-1],
                key=(("kind", kind), *key),
                role="estimate",
                n=n,
                n_clusters=smallest_cluster_count(clusters_inside),
            )
            shares = replace(
                merge_cells(hit, weight, clusters_inside, n),
                drawn=tuple(group(hit) for group in drawn),
            )
            rows.append(share_row(row, shares, how))
            of_people += rows[-1:] if drawn else []
    what = cluster_names(factors) or "unit"
    independent = f"clusters of {what}" if codes else "replies independent"
    counts = {
        "replies": int(design.unit_count[design.unit].sum()),
        "units": int(design.unit_count.sum()),
    }
    settings = {
        "source": source,
        "stratum": stratum,
        "cluster": [factor.name for factor in factors],
        "level": level,
        "units": bool(codes) and not factors,
        "people": people_population.setting,
    }
    cautions = (
        *share_cautions(design, factors, rows),
        *drawn_cautions(of_people, people_population.n),
        *population_cautions(people_population),
    )
    return Result(
        metric="choice_shares",
        title="Replies that could be used",
        rows=tuple(rows),
        inference=f"{share_ci(rows)}; {independent}; {people_population.text()}",
        counts=counts,
        settings=settings,
        cautions=cautions,
        references=("wilson1927", "korngraubard1998"),
        design=design,
        extras={"people": people_population.names(design)},
        words=lost_replies_text(rows),
        check=Definition(samples=sample_replies),
    )


def people_replies(
    design: Ratings, inside: BoolArray, drawn: BoolArray, codes: Sequence[IntArray]
) -> list[Callable[[FloatArray], DrawnRaters]]:
    """Return what makes, of hits of some replies, what people who are a sample add; nothing for a single rater."""
    by_people = drawn[design.rater[inside]]
    # the only rater of a source is no sample
    if not by_people.any() or len(np.unique(design.rater[inside])) < 2:
        return []
    rows = np.flatnonzero(inside)[by_people]
    weight, cluster = design.unit_count[design.unit[rows]], codes[0][rows] if codes else rows
    # where models replied too, people's replies are a part of the weight of all
    total = None if by_people.all() else float(design.unit_count[design.unit[inside]].sum())
    return [
        lambda hit: DrawnRaters.of_means(
            hit[by_people, None], weight, cluster, design.rater[rows], total=total
        )
    ]


def sources_of(design: Ratings, source: str | None) -> dict[str, BoolArray]:
    """Return which replies are of all sources, and of each.

    Raises
    ------
    InputError
        If there is no such group of raters.
    """
    inside_by_source: dict[str, BoolArray] = {ALL: np.ones(len(design.status), dtype=bool)}
    if source is None:
        return inside_by_source
    if source == RATER and source not in design.rater_groups:
        return inside_by_source | {name: design.rater == k for k, name in enumerate(design.raters)}
    if source not in design.rater_groups:
        raise InputError(
            f"{option('source', source)} is no group of raters; groups: "
            f"{quoted([*design.rater_groups, RATER])}"
        )
    factor = design.rater_groups[source]
    code = factor.codes[design.rater]
    return inside_by_source | {
        name: code == k for k, name in enumerate(factor.levels) if np.any(code == k)
    }


def replies_of_parts(
    design: Ratings, source: str | None, stratum: str | None
) -> dict[tuple[Part, ...], BoolArray]:
    """Return which replies are of all sources and of each, then the same of each level of a stratum.

    Raises
    ------
    InputError
        If there is no such group of raters, or no such stratum.
    """
    by_source = sources_of(design, source)
    inside_by_part: dict[tuple[Part, ...], BoolArray] = {
        (("source", name),): inside for name, inside in by_source.items()
    }
    if stratum is None:
        return inside_by_part
    if stratum not in design.strata:
        raise InputError(
            f"{option('stratum', shorten(stratum))} is no declared stratum; there are "
            f"{quoted([*design.strata]) or 'none'}"
        )
    factor = design.strata[stratum]
    code = factor.codes[design.unit]
    parts = {
        (("source", name), ("stratum", label)): inside & (code == k)
        for name, inside in by_source.items()
        for k, label in enumerate(factor.levels)
    }
    return inside_by_part | {key: inside for key, inside in parts.items() if inside.any()}


def lost_replies_text(rows: Sequence[Row]) -> str:
    """Return how many replies could not be used, of all sources and where their share is largest."""
    lost = {
        row.group or "": 1 - (row.estimate or 0.0)
        for row in rows
        if row.term == "usable" and row.label("stratum") is None
    }
    # the first rows are of all sources
    n = next(row.n or 0 for row in rows)
    overall = lost.pop(ALL)
    text = f"{count(round(overall * n))} of {count(n, 'reply', 'replies')} could not be used"
    text += f" ({number(overall, 3, bounded=True)})" if overall else ""
    if lost and max(lost.values()) > 0:
        worst = sorted((name for name in lost if lost[name] > 0), key=lambda name: -lost[name])[:3]
        text += ", most from " + listing(
            [f"{shorten(w, 40)} ({number(lost[w], 3, bounded=True)})" for w in worst]
        )
    return f"{text}."


def sample_replies(result: Result) -> Iterator[PlainSample]:
    """Yield the replies of each source and stratum, with whether they are of the kind that a row counts."""
    design, settings = result.design, result.settings
    count = design.unit_count[design.unit]
    factors = tuple(
        replace(factor, codes=factor.codes[design.unit])
        for factor in design.factors(settings["cluster"] or None)
    )
    if settings["units"]:
        factors = (Factor(name="unit", levels=design.units, codes=design.unit),)
    source_of_rater = raters = np.array(design.raters, dtype=object)
    if settings["source"] in design.rater_groups:
        source_of_rater = design.rater_groups[settings["source"]].labels()
    is_person = np.isin(raters, list(result.extras["people"]))
    people = Factor(
        name=RATER,
        levels=design.raters,
        codes=np.where(is_person[design.rater], design.rater, -1),
    )
    for row in result.rows:
        inside = np.ones(len(count), dtype=bool)
        source, stratum = row.label("source"), row.label("stratum")
        if source not in (None, ALL):
            inside &= source_of_rater[design.rater] == source
        if stratum is not None:
            inside &= design.strata[settings["stratum"]].labels()[design.unit] == stratum
        hit = np.isin(design.status, KINDS[row.term]).astype(np.float64)
        # a single rater is no sample of people
        several = len(np.unique(design.rater[inside])) > 1 and (people.codes[inside] >= 0).any()
        yield sample_of_mean(
            (row.group, row.term),
            np.where(inside, hit, np.nan),
            count,
            factors,
            people=people if several else None,
        )
