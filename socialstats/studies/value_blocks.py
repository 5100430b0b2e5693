"""Values cited by the choices, by domain of the chosen role: shares of stories and of labels, side by side."""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.designs.cited import ChosenLabels, chosen_labels
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import NothingToAnalyse
from socialstats.figures import forest, heat
from socialstats.figures.heat import MOST_GROUPS
from socialstats.metrics.label_counts import cited_text, label_counts
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import design_effect, numbers_text
from socialstats.studies.outcome import Block, Table
from socialstats.studies.pair_model import default_cluster
from socialstats.text import count, number, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADER = ("Chosen", "Value", "Stories that cite it", "Share of stories", "Low", "High", "Share of values", "Low ",
          "High ", "Stories", "Values", "Why not")  # fmt: skip
MOST_TOLD = 6
STORY, VALUE = ("story", "stories"), ("value", "values")


def value_blocks(design: Comparisons, groups: list[str], options: StudyOptions) -> tuple[Block, ...]:
    """Return one block a grouping of the items, where the table says what each row cites; none otherwise."""
    if design.cited is None:
        return ()
    found = []
    for group in groups:
        try:
            chosen = chosen_labels(design, group, cluster=default_cluster(design))
        except NothingToAnalyse:
            continue
        common: dict[str, Any] = {"level": options.level, "resamples": options.resamples, "seed": options.seed}
        result, loose = (label_counts(chosen.lists, cluster=cluster, **common) for cluster in ("declared", None))
        found.append(value_block(result, chosen, group, spread(result, loose)))
    return tuple(found)


def spread(result: Result, loose: Result) -> float | None:
    """Return the median over all shares of the design effect of the clusters; None without clusters."""
    if not result.settings["cluster"]:
        return None
    pairs = ((own, other) for own, other in zip(result.rows, loose.rows, strict=True) if own.std_error)
    effects = [effect for own, other in pairs if (effect := design_effect(own, other)) is not None]
    return statistics.median(effects) if effects else None


def value_block(result: Result, chosen: ChosenLabels, group: str, effect: float | None) -> Block:
    """Return the block: what is cited most where each group is chosen, its heat map, and both shares with intervals."""
    trios = [result.rows[k : k + 3] for k in range(0, len(result.rows), 3)]
    cells = tuple(
        (
            one.group or f"(any {group})", one.term, int(one.estimate or 0), *_share(of_units), *_share(of_labels),
            int(of_units.n or 0), int(of_labels.n or 0), of_units.undefined or of_labels.undefined,
        )
        for one, of_units, of_labels in trios
    )  # fmt: skip
    shown = tuple(
        replace(of_labels, term=one.term, group=one.group) for one, _, of_labels in trios if one.group is not None
    )
    overall = tuple(replace(of_labels, term=one.term) for one, _, of_labels in trios if one.group is None)
    return Block(
        id=f"values-{group}",
        question=f"Which values are cited, by {group} of the chosen role?",
        sentences=(cited_text(result, unit=STORY, label=VALUE), *leaders(shown, group)),
        draw=draw_of(shown, overall),
        figure_title=f"Share of the values cited where the column's {group} was chosen",
        caption=caption_of_values(result, chosen, effect),
        tables=(Table(caption=f"Values cited by {group} of the chosen role", header=HEADER, cells=cells),),
        results=(result,),
    )


def draw_of(shown: tuple[Row, ...], overall: tuple[Row, ...]) -> partial[Axes] | None:
    """Return what draws the heat map; a forest of all rows together where it would have too many cells."""
    fits = max(len({row.term for row in shown}), len({row.group for row in shown})) <= MOST_GROUPS
    if not fits:
        return partial(forest, overall[:60], xlabel="share of values", digits=3, reference=None)
    even = 1 / max(len(overall), 1)
    farthest = max((abs((row.estimate or even) - even) for row in shown), default=even) or even
    return partial(heat, shown, neutral=even, extreme=farthest, xlabel="chosen")


def caption_of_values(result: Result, chosen: ChosenLabels, effect: float | None) -> str:
    """Say how the values were told apart, what the shares are of, what was left out, and how the intervals are made."""
    apart = (
        f"Values of a story are separated by '{chosen.sep}'. " if chosen.sep else "A story cites one value at most. "
    )
    ties = f" {count(chosen.ties, 'tie')} left out: no role was chosen." if chosen.ties else ""
    return (
        f"{apart}Shares of stories add to the number of values a story cites, shares of values to 1; a published count "
        f"by domain may mean either. No colour: as often as if all values were cited alike; n: values cited there. "
        f"{count(result.counts['units'], *STORY)}; {made_by(result, chosen, effect)}.{ties}"
    )


def made_by(result: Result, chosen: ChosenLabels, effect: float | None) -> str:
    """Say how the intervals are made, and what the clusters do to the variances."""
    made = result.inference.split("; ")[0]
    if not chosen.lists.clusters:
        return f"{made}; stories taken as independent"
    names = " x ".join(
        f"{count(len(np.unique(f.codes)))} {'pairs of roles' if f.name == 'pair' else f'of {shorten(f.name, 40)}'}"
        for f in chosen.lists.clusters
    )
    return f"{made}; clusters: {names}" + ("" if effect is None else f" (design effect {number(effect, 1)}, median)")


def leaders(rows: tuple[Row, ...], group: str) -> tuple[str, ...]:
    """Name the value with the largest share in each group, with its interval."""
    best: dict[str, Row] = {}
    for row in rows:
        name = row.group or ""
        if (row.estimate or 0.0) > (best[name].estimate or 0.0 if name in best else 0.0):
            best[name] = row
    if not best:
        return ()
    told = [
        f"{shorten(name, 40)}: {shorten(row.term, 40)} ({numbers_text(row, digits=3, bounded=True)})"
        for name, row in list(best.items())[:MOST_TOLD]
    ]  # fmt: skip
    return (f"Largest share of the values cited, by {group} of the chosen role: {'; '.join(told)}.",)


def _share(row: Row) -> tuple[float | None, float | None, float | None]:
    return row.estimate, row.conf_low, row.conf_high


__all__ = ["value_block", "value_blocks"]
