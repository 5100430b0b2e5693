"""Many raters: how the kappas of their pairs spread, and the pairs at both ends, instead of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.errors import NothingToAnalyse, UndefinedStatistic
from socialstats.figures import forest
from socialstats.metrics.weighted_kappa import weighted_kappa
from socialstats.models.raters import pair_names
from socialstats.results import Check, Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import rows_table
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, number

MOST_RATERS = 30  # more have too many pairs to list them all
FEWEST_UNITS = 10  # of a pair at an end of the distribution
ENDS = 5
PLACES = {"smallest": 0.0, "10th percentile": 0.1, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75,
          "90th percentile": 0.9, "largest": 1.0}  # fmt: skip


class PairKappas(Result):
    """Quantiles of the kappas of all pairs of raters; ``extras["weights"]`` as in `weighted_kappa`."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Compute the kappa of every pair from its own table, and the quantiles anew."""
        from socialstats.crosscheck.weighted_kappa import checks_of

        checks: Sequence[Check] = checks_of(self, PLACES)
        return checks


def kappas_of(kappa: Result) -> dict[str, tuple[float, float]]:
    """Return kappa and number of units of each pair of raters that has a kappa."""
    found = next(iter(kappa.extras["pairs"].values()))
    known = ((name, one["kappa"], one["n"]) for name, one in found.items() if one["kappa"] is not None)
    return {name: (kappa, n) for name, kappa, n in known if np.isfinite(kappa)}


def spread_of(kappa: Result) -> PairKappas:
    """Return quantiles of the kappas of all pairs (linear between the values, as numpy and R's type 7)."""
    found = kappas_of(kappa)
    values = np.array([value for value, _ in found.values()])
    rows = tuple(
        Row(term=name, group="pairs", estimate=float(np.quantile(values, place)), n=float(len(values)))
        for name, place in PLACES.items()
    )
    return PairKappas(
        metric="weighted_kappa", title=f"{kappa.title} of all pairs of raters, distribution", rows=rows,
        inference="no intervals: the pairs that are there", counts={"pairs": len(values)},
        settings=dict(kappa.settings), references=kappa.references, design=kappa.design,
        words=f"The median of {count(len(values), 'kappa')} is {number(rows[3].estimate, 3, bounded=True)}.",
        extras={"weights": kappa.extras["weights"]},
    )  # fmt: skip


def at_the_ends(kappa: Result, design: Ratings, options: StudyOptions) -> list[Result]:
    """Return kappa of the pairs with the largest and the smallest ones, of those with ten units in common."""
    enough = {name: value for name, (value, n) in kappas_of(kappa).items() if n >= FEWEST_UNITS}
    order = sorted(enough, key=lambda name: (-enough[name], name))
    chosen = order if len(order) <= 2 * ENDS else [*order[:ENDS], *order[-ENDS:]]
    codes = {name: pair for pair, name in pair_names(design.raters).items()}
    found = []
    for name in chosen:
        a, b = (design.raters[code] for code in codes[name])
        try:
            one: Any = weighted_kappa(design.of_raters((a, b)), level=options.level)
        except (UndefinedStatistic, NothingToAnalyse):
            continue
        found.append(one)
    return found


def many_pairs_block(design: Ratings, kappa: Result | None, options: StudyOptions) -> Block | None:
    """Return the distribution of the pairs' kappas and its ends; None for few raters, or without two kappas."""
    if kappa is None or len(design.raters) <= MOST_RATERS or len(kappas_of(kappa)) < 2:
        return None
    spread, ends = spread_of(kappa), at_the_ends(kappa, design, options)
    rows = [replace(one.rows[0], group=None) for one in ends]
    joint = [replace(row, group=None) for row in kappa.rows if row.group is None]
    place = {row.term: number(row.estimate, 3, bounded=True) for row in spread.rows}
    pairs = len(design.raters) * (len(design.raters) - 1) // 2
    cells = tuple((row.term, row.estimate) for row in spread.rows)
    return Block(
        id="pairs",
        question="Which raters agree with each other?",
        sentences=(
            f"Of {count(pairs, 'pair')} of raters {count(spread.counts['pairs'])} have a kappa: half of these lie "
            f"between {place['lower quartile']} and {place['upper quartile']}, the median is {place['median']}, the "
            f"ends are {place['smallest']} and {place['largest']}.",
        ),
        draw=partial(forest, [*joint, *rows], sort=False, digits=2, xlabel="kappa"),
        figure_title=f"{kappa.title}: all pairs together, and the pairs at both ends",
        caption=f"{count(len(design.raters), 'rater')} are too many to list every pair. The ends are those of pairs "
        f"with {FEWEST_UNITS} units in common or more; picked as extremes, they would be less extreme in new data.",
        tables=(
            Table(caption="Kappas of all pairs of raters", header=("Of all pairs", "Kappa"), cells=cells),
            rows_table([*joint, *rows], f"{kappa.title}: together, and the pairs at both ends", term="Pair"),
        ),
        results=(spread, *ends),
    )  # fmt: skip


__all__ = ["MOST_RATERS", "PairKappas", "kappas_of", "many_pairs_block", "spread_of"]
