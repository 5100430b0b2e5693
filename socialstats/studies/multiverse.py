"""Sensitivity of an answer to analysis variants, dependence and single clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.parts import Factor
from socialstats.errors import SocialStatsError
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_rows
from socialstats.studies.estimates import (
    Column,
    cluster_ways,
    clusters_caption,
    design_effect,
    p_cell,
    table_of,
    whole,
)
from socialstats.studies.page import Block, PageTable
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import add_labels, row_term
from socialstats.text import Shown, as_words, capital, count, number, shorten

if TYPE_CHECKING:
    from socialstats.designs.ratings import Ratings

MOST_LEFT_OUT = 12  # levels of a factor that are left out one at a time
INDEPENDENT = ("clusters", "units independent", {"cluster": None})


def other_analyses(what: str) -> str:
    """Return the question whether a number depends on the analysis variant."""
    return f"Does {what} depend on the analysis variant?"


def multiverse_block(
    result: Result, *, id: str, question: str, quantity: str, note: str = ""
) -> Block:
    """Return the block of a multiverse: one row per analysis variant, the page's own as the vertical line."""
    title = f"{capital(quantity)} by analysis variant"
    block = ask_rows(
        id,
        question,
        result,
        result.rows,
        quantity=quantity,
        say=[result.sentence()],
        draw=interval_points(result.rows[0].estimate, label="Analysis variant"),
        names=row_term,
        table=variants_table({"": result}, title),
        note=f"CIs are unadjusted; line: this page's estimate. {note}".strip(),
        part="appendix",
    )
    assert block is not None
    return replace(block, figure_title=title)


def variants_table(results: Mapping[str, Result], title: str) -> PageTable:
    """Return the analysis variants of estimates by name, each with its shift from the estimate of the page."""
    rows, names = [], []
    shifts: dict[int, Shown] = {}
    for name, result in results.items():
        page = result.rows[0].estimate or 0.0
        for row in result.rows:
            rows.append(row)
            names.append(f"{shorten(name, 40)}: {row.term}" if name else row.term)
            if row.estimate is not None:
                shifts[id(row)] = Shown(row.estimate - page, row.decimals, row.bounded)
    columns: dict[str, Column] = {
        "Choice": "group",
        "Estimate": "estimate",
        "Shift": lambda row: shifts.get(id(row)),
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "n": whole("n"),
        "Interval": "method",
        "Why not": "undefined",
    }
    return table_of(rows, title, ("Analysis variant", names), columns)


def analysis_variants(
    page: Variant,
    compute: Callable[..., Any],
    design: Ratings,
    analyses: Sequence[tuple[str, str, Mapping[str, Any]]],
    strata: Sequence[str] | None = None,
    tables: Iterable[tuple[str, str, Callable[[], Any]]] = (),
) -> list[Variant]:
    """Return the page's own analysis, others by their options, and those without one level of a stratum of units.

    Where the design has clusters, one takes units as independent.

    Parameters
    ----------
    page : Variant
        Its `lead` takes the row of the estimate from each result.
    compute : callable
        (design, **options) -> Result.
    design : Ratings
    analyses : sequence of (choice, label, options)
    strata : sequence of str, optional
        Strata whose levels are left out, one at a time; by default all.
    tables : iterable of (choice, label, callable)
        Further tables, as of `list_variants`.
    """
    analyses = [*analyses, *([INDEPENDENT] if design.clusters else [])]
    parts = []
    for name, factor in design.strata.items():
        chosen = strata is None or name in strata
        if not chosen or not 1 < len(factor.levels) <= MOST_LEFT_OUT:
            continue
        for code, level in enumerate(factor.levels):
            remaining = partial(
                design.take, factor.codes[design.unit] != code, note="one level left out"
            )
            choice = f"leave one {as_words(name)} out"
            parts.append((choice, without_label(name, level), remaining))
    return list_variants(page, compute, design, analyses, [*parts, *tables])


def list_variants(
    page: Variant,
    compute: Callable[..., Any],
    design: Any,
    analyses: Iterable[tuple[str, str, Mapping[str, Any]]],
    tables: Iterable[tuple[str, str, Callable[[], Any]]] = (),
) -> list[Variant]:
    """Return the page's own analysis, others by their options, and the same of other tables.

    Parameters
    ----------
    page : Variant
    compute : callable
        (design, **options) -> Result.
    design : object
    analyses : iterable of (choice, label, options)
    tables : iterable of (choice, label, callable)
        () -> another design.
    """

    def of_table(make: Callable[[], Any]) -> Any:
        return compute(make())

    variants = [page]
    for choice, label, options in analyses:
        again = partial(compute, design, **options)
        variants.append(replace(page, choice=choice, label=label, compute=again))
    for choice, label, make in tables:
        again = partial(of_table, make)
        variants.append(replace(page, choice=choice, label=label, compute=again))
    return distinct(variants)


def multiverse_question(
    metric: str,
    quantity: str,
    variants: Sequence[Variant],
    *,
    reference: float,
    words: str = "",
    what: str = "",
    note: str = "",
    id: str = "multiverse",
) -> Block:
    """Ask whether an estimate depends on the analysis variant.

    Parameters
    ----------
    metric, variants, reference, words
        As of `multiverse`.
    quantity : str
        What is estimated: ``distance of model a``.
    what : str
        The same in the question, where it is shorter.
    note : str
        Last sentences of the caption.
    id : str
        Anchor on the page.
    """
    result = multiverse(metric, f"the {quantity}", variants, reference=reference, words=words)
    question = other_analyses(f"the {what or quantity}")
    return multiverse_block(result, id=id, question=question, quantity=quantity, note=note)


Way = str | tuple[str, str] | None


def dependence_block(
    names: Sequence[str],
    compute: Callable[[Way], Result],
    *,
    rows: str,
    quantity: str,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
    naive: tuple[str, Result] | None = None,
) -> Block | None:
    """Return the block of one estimate under each assumption about dependence; None where no cluster is declared.

    Parameters
    ----------
    names : sequence of str
        Of the clusters.
    compute : callable
        Cluster option -> Result.
    rows : str
        What is independent without clusters: pairs, units.
    quantity : str
    lead : callable
        Result -> the row of the estimate; by default the first.
    naive : (label, Result), optional
        What even less dependence than without clusters would give; stands first.
    """
    if not names:
        return None
    by_cluster: dict[str, Result] = {} if naive is None else {naive[0]: naive[1]}
    lost = []
    for label, way in cluster_ways(names, rows).items():
        try:
            by_cluster[label] = compute(way)
        except SocialStatsError as error:
            lost.append(Row(term=label, undefined=str(error)))
    estimates = [replace(lead(result), term=label) for label, result in by_cluster.items()]
    columns: dict[str, Column] = {
        "Clusters": "n_clusters",
        "Estimate": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "p": lambda row: p_cell(row.p_value),
        "Design effect": lambda row: number_or_none(design_effect(row, estimates[0])),
        "Why not": "undefined",
    }
    title = f"{capital(quantity)} by assumption about dependence"
    block = ask_rows(
        "dependence",
        f"Does the answer depend on the clustering of {rows}?",
        by_cluster,
        estimates,
        quantity=quantity,
        say=[dependence_sentence(estimates, rows if naive is None else "rows")],
        draw=interval_points(label="Assumption"),
        names=row_term,
        table=table_of([*estimates, *lost], title, ("Assumption", "term"), columns),
        note="Same data; only the assumed dependence differs.",
        part="appendix",
    )
    return block and replace(block, figure_title=title)


def number_or_none(value: float | None) -> str | None:
    """Return a number with two decimals, as a cell has it."""
    return None if value is None else number(value, 2)


def dependence_sentence(rows: Sequence[Row], what: str) -> str:
    """Return the estimate under independence, then under each kind of clustering."""
    first, *others = (sentences.stat(replace(row, statistic=None, p_adjusted=None)) for row in rows)
    texts = [f"{capital(row.term)}: {text}." for row, text in zip(rows[1:], others, strict=True)]
    return " ".join([f"Treating {what} as independent gave {first}.", *texts])


def with_design_effect(
    blocks: Sequence[Block],
    factors: Sequence[Factor],
    *,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
) -> tuple[Block, ...]:
    """Add clusters and their design effect to the caption of the first block with a figure.

    Parameters
    ----------
    blocks : sequence of Block
        With that of `dependence_block`, whose first result takes rows as independent, and whose last has all clusters.
    factors : sequence of Factor
    lead : callable
        Result -> the row of the estimate.
    """
    ways = next((block.results for block in blocks if block.id == "dependence"), ())
    effect = design_effect(lead(ways[-1]), lead(ways[0])) if len(ways) > 1 else None
    text = clusters_caption(factors, effect)
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not text or first is None:
        return tuple(blocks)
    caption = blocks[first].caption
    named = "clusters: " + " x ".join(
        f"{count(len(np.unique(f.codes)))} of {f.name}" for f in factors
    )
    if named in caption and effect is not None:  # the caption names them already
        caption = caption.replace(named, f"{named}, design effect {number(effect, 1)}")
    else:
        caption = f"{caption} {capital(text)}.".lstrip()
    return (*blocks[:first], replace(blocks[first], caption=caption), *blocks[first + 1 :])


def influence_block(results: Mapping[str, Result]) -> Block | None:
    """Return the block of estimates without one cluster each; None without clusters to leave out."""
    rows = [
        add_labels([row], cluster=result.extras["factor"].name)[0]
        for result in results.values()
        for row in outer_rows(result)
    ]
    if not rows:
        return None
    columns: dict[str, Column] = {
        "Cluster": lambda row: row.label("cluster"),
        "Estimate": "estimate",
        "Pairs left": whole("n"),
    }
    names = [f"without {shorten(row.term, 28)}" for row in rows]
    caption = "Smallest and largest estimate when one cluster is omitted"
    return Block(
        id="influence",
        question="Does the answer depend on a single cluster?",
        sentences=tuple(result.sentence() for result in results.values()),
        tables=(table_of(rows, caption, ("Omitted", names), columns),),
        results=tuple(results.values()),
        part="appendix",
    )


def outer_rows(result: Result) -> tuple[Row, ...]:
    """Return the smallest and the largest row, once where they agree."""
    return result.rows[:1] if len(result.rows) == 1 else (result.rows[0], result.rows[-1])
