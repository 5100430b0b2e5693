"""How much an answer depends on what is taken as independent, and on any single cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.results import Check, Result, Row
from socialstats.studies.estimates import (
    cluster_ways,
    clusters_caption,
    design_effect,
    digits_for,
    numbers_text,
    p_text,
)
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, number, p_value, shorten

Way = str | tuple[str, str] | None
STILL = 1e-12


def dependence_block(
    factors: tuple[Factor, ...],
    compute: Callable[[Way], Result],
    *,
    rows: str,
    quantity: str,
    bounded: bool = False,
    lead: Callable[[Result], Row] = lambda result: result.rows[0],
    naive: tuple[str, Result] | None = None,
) -> Block | None:
    """Show one estimate under each assumption about dependence; None where no cluster is declared.

    Parameters
    ----------
    factors : tuple of Factor
    compute : callable
        Cluster option -> Result.
    rows : str
        What is independent without clusters: pairs, units.
    quantity : str
    bounded : bool
        The estimate cannot exceed 1 in size.
    lead : callable
        Result -> the row of the estimate; by default the first.
    naive : (label, Result), optional
        What even less dependence than without clusters would give; stands first.
    """
    if not factors:
        return None
    found: dict[str, Result] = {} if naive is None else {naive[0]: naive[1]}
    problems: dict[str, str] = {}
    for label, way in cluster_ways(factors, rows).items():
        try:
            found[label] = compute(way)
        except SocialStatsError as error:
            problems[label] = str(error)
    lines = {label: lead(result) for label, result in found.items()}
    shown = tuple(replace(row, term=label) for label, row in lines.items())
    digits = digits_for(list(lines.values()))
    return Block(
        id="dependence",
        question=f"What does the dependence of the {rows} do to the answer?",
        sentences=(_dependence_sentence(lines, rows, bounded, digits),),
        draw=partial(forest, shown, sort=False, xlabel=quantity, digits=digits, label="Assumption"),
        figure_title=f"{quantity[0].upper()}{quantity[1:]} under each assumption about dependence",
        caption="The estimate is that of the same data; what changes is how much they are worth.",
        tables=(_dependence_table(lines, problems, quantity, digits),),
        results=tuple(found.values()),
    )


def _dependence_sentence(lines: Mapping[str, Row], rows: str, bounded: bool, digits: int) -> str:
    """Say what the row-level test would have claimed, beside each clustered one."""
    said = {
        label: numbers_text(row, digits=digits, bounded=bounded)
        + (f", {p_value(row.p_value)}" if row.p_value is not None else "")
        for label, row in lines.items()
    }
    naive, *others = said
    rest = "; ".join(f"{label}: {said[label]}" for label in others)
    return f"With {naive}, a row-level test would have claimed {said[naive]}. {rest[:1].upper()}{rest[1:]}."


def _dependence_table(lines: Mapping[str, Row], problems: Mapping[str, str], quantity: str, digits: int) -> Table:
    cells: list[tuple[str | float | int | None, ...]] = [
        (label, r.n_clusters, r.estimate, r.std_error, r.conf_low, r.conf_high, p_text(r.p_value),
         effect_text(r, lines), r.undefined)
        for label, r in lines.items()
    ]  # fmt: skip
    cells += [(label, *[None] * 7, problem) for label, problem in problems.items()]
    return Table(
        caption=f"{quantity[0].upper()}{quantity[1:]} under each assumption about dependence",
        header=("Assumption", "Clusters", "Estimate", "SE", "Low", "High", "p", "Design effect", "Why not"),
        cells=tuple(cells),
        digits=digits,
    )


def effect_text(row: Row, lines: Mapping[str, Row]) -> str | None:
    """Write by how many times an assumption multiplies the variance, against the first one."""
    effect = design_effect(row, next(iter(lines.values())))
    return None if effect is None else number(effect, 2)


def with_design_effect(
    blocks: Sequence[Block], factors: Sequence[Factor], *, lead: Callable[[Result], Row] = lambda result: result.rows[0]
) -> tuple[Block, ...]:
    """Say the clusters and their design effect in the caption of the first block that draws a figure.

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
    said = clusters_caption(factors, effect)
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not said or first is None:
        return tuple(blocks)
    caption = blocks[first].caption
    named = "clusters: " + " x ".join(f"{count(len(np.unique(f.codes)))} of {f.name}" for f in factors)
    if named in caption and effect is not None:  # the caption names them already
        caption = caption.replace(named, f"{named}, design effect {number(effect, 1)}")
    else:
        caption = f"{caption} {said[0].upper()}{said[1:]}.".lstrip()
    return (*blocks[:first], replace(blocks[first], caption=caption), *blocks[first + 1 :])


MOST_CHECKED = 200


class LeftOut(Result):
    """The estimate without each cluster in turn; ``extras["factor"]`` is the cluster factor."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the difference without each cluster (of many: the ends of the range) from the pairs, by pandas."""
        import pandas as pd

        design, factor = self.design, self.extras["factor"]
        pairs = pd.DataFrame({"gap": design.first - design.second, "n": design.count})
        pairs["cluster"] = [factor.levels[code] for code in factor.codes.tolist()]
        checks = []
        for row in self.rows if len(self.rows) <= MOST_CHECKED else outer_rows(self):
            others = pairs[pairs["cluster"] != row.term]
            theirs = float((others["gap"] * others["n"]).sum() / others["n"].sum())
            ours, tolerance = row.estimate or 0.0, 1e-9 * max(1.0, abs(theirs))
            checks.append(Check(quantity=f"difference without '{row.term}'", ours=ours, theirs=theirs, package="pandas",
                                version=pd.__version__, tolerance=tolerance, ok=abs(ours - theirs) <= tolerance,
                                why="sums in another order"))  # fmt: skip
        return checks


def leave_one_out(design: Paired, factor: Factor, lead: Row, metric: str) -> Result:
    """Return the mean difference without each cluster in turn, sorted: (S - S_g) / (n - n_g)."""
    k = len(factor.levels)
    sums = np.bincount(factor.codes, weights=design.count * design.difference, minlength=k)
    sizes = np.bincount(factor.codes, weights=design.count, minlength=k)
    left = sizes.sum() - sizes
    values = (sums.sum() - sums) / left
    order = np.argsort(values, kind="stable")
    rows = tuple(
        Row(term=factor.levels[g], group=f"without this {factor.name}", estimate=float(values[g]), n=float(left[g]),
            method="mean difference of the other pairs")
        for g in order.tolist()
    )  # fmt: skip
    low, high = rows[0], rows[-1]
    name = shorten(factor.name, 40)
    digits = digits_for([lead])
    words = (
        f"Leaving out one {name} at a time, the difference runs from {number(low.estimate, digits)} (without "
        f"'{shorten(low.term, 40)}') to {number(high.estimate, digits)} (without '{shorten(high.term, 40)}'); with "
        f"all of them it is {number(lead.estimate, digits)}."
    )
    return LeftOut(
        metric=metric, title=f"Difference without each {name}", rows=rows, inference="a range, not an interval",
        counts={"pairs": design.n_pairs, name: k}, design=design, words=words, extras={"factor": factor},
    )  # fmt: skip


def influence_block(results: Mapping[str, Result], *, digits: int = 3) -> Block | None:
    """Show the range of the estimate when one cluster is left out; None without clusters to leave out."""
    if not results:
        return None
    rows = tuple(
        replace(row, term=f"without {shorten(row.term, 28)}")
        for result in results.values() for row in outer_rows(result)
    )  # fmt: skip
    return Block(
        id="influence",
        question="Does the answer hang on a single cluster?",
        sentences=tuple(result.sentence() for result in results.values()),
        tables=(
            Table(
                caption="Smallest and largest estimate when one cluster is left out",
                header=("Left out", "Cluster", "Estimate", "Pairs left"),
                cells=tuple((r.term, (r.group or "").removeprefix("without this "), r.estimate, int(r.n or 0))
                            for r in rows),
                digits=digits,
            ),
        ),
        results=tuple(results.values()),
    )  # fmt: skip


def outer_rows(result: Result) -> tuple[Row, ...]:
    """Return the smallest and the largest row, once where they agree."""
    return result.rows[:1] if len(result.rows) == 1 else (result.rows[0], result.rows[-1])
