"""Two Bradley-Terry models of the same pairs of items, refitted together on the same resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, UndefinedStatistic
from socialstats.inference.compare import with_resamples
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.models.sensitivity import common_pairs
from socialstats.models.shares import group_shares
from socialstats.resampling.engine import Replicates
from socialstats.results import Check, Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.pair_model import fit_model
from socialstats.text import count, quoted

MOST_REFITS = 1000
MOST_LOST = 0.01  # share of the resamples without finite strengths
Kind = Literal["effect", "strength", "share"]
EFFECT: Kind = "effect"
STRENGTH: Kind = "strength"
SHARE: Kind = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refitted:
    """A fit with its refits: numbers by name, and the same numbers of every resample.

    Attributes
    ----------
    fit : BradleyTerryResult
    kinds : mapping of name to kind
    estimate : (k,) array
    replicates : (B, k) array
        NaN in the resamples without a finite estimate.
    ok : (B,) bool array
        Which resamples have one.
    """

    fit: BradleyTerryResult
    kinds: Mapping[str, Kind]
    estimate: FloatArray
    replicates: FloatArray
    ok: BoolArray


class ModelDifference(Result):
    """Differences between two fits; ``extras["fits"]`` holds both."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute the differences of strengths and effects from both models fitted by statsmodels or scipy."""
        from socialstats.crosscheck.bradley_terry import peer_estimates

        theirs = [peer_estimates(fit) for fit in self.extras["fits"]]
        checks = []
        for row in self.rows:
            if row.group == "share" or row.estimate is None:
                continue
            value = theirs[0][row.term] - theirs[1][row.term]
            checks.append(
                Check(quantity=f"difference of {row.term}", ours=row.estimate, theirs=value, package="statsmodels",
                      version="", tolerance=1e-6, ok=abs(row.estimate - value) <= 1e-6,
                      why="two maxima, each found to 1e-8 or better")
            )  # fmt: skip
        return checks


def on_common_pairs(
    first: Comparisons, second: Comparisons
) -> tuple[Comparisons, Comparisons, int, tuple[Caution, ...]]:
    """Return both designs on the pairs of items that both have, how many those are, and what was left out."""
    one, two, pairs, cautions = common_pairs(first, second, "drop")
    return one, two, len(pairs), cautions


def refit(
    design: Comparisons, options: StudyOptions, formula: str | None, groupings: Mapping[str, Mapping[str, Any]]
) -> Refitted:  # fmt: skip
    """Fit a model and refit it on resampled pairs of items; the same seed draws the same pairs for any design of them.

    Resamples without a finite estimate keep their place, so that those of two fits can be matched.
    """
    fit = fit_model(design, options, formula, cluster="pair")
    boot = fit.bootstrap(by="pair", resamples=min(options.resamples, MOST_REFITS), seed=options.seed)
    items = tuple(fit.strengths)
    effects = [name for name in fit.names if name not in fit.strengths]
    coefficients = fit.coef()
    estimate = np.array([coefficients[name] for name in (*effects, *items)])
    drawn = np.concatenate([boot.effects, boot.strengths], axis=1)
    kinds: dict[str, Kind] = {**dict.fromkeys(effects, EFFECT), **dict.fromkeys(items, STRENGTH)}
    strengths = np.array([[fit.strengths[item] for item in items]])
    for k, (name, groups) in enumerate(groupings.items()):
        at = [j for j, item in enumerate(items) if item in groups]
        labels = sorted({str(groups[items[j]]) for j in at})
        if len(labels) < 2:
            continue
        codes = np.array([labels.index(str(groups[items[j]])) for j in at], dtype=np.int64)
        estimate = np.concatenate([estimate, group_shares(strengths[:, at], codes, "arithmetic")[0]])
        drawn = np.concatenate([drawn, group_shares(boot.strengths[:, at], codes, "arithmetic")], axis=1)
        where = f" ({name})" if k else ""
        kinds |= {f"share of {label}{where}": SHARE for label in labels}
    every = np.full((len(boot.ok), drawn.shape[1]), np.nan)
    every[boot.ok] = drawn
    return Refitted(fit=fit, kinds=kinds, estimate=estimate, replicates=every, ok=boot.ok)


def difference(one: Refitted, two: Refitted, labels: tuple[str, str], options: StudyOptions, pairs: int) -> Result:
    """Return first minus second of every number that both have, with basic intervals over joint resamples.

    Raises
    ------
    UndefinedStatistic
        If more than 1 % of the resamples have no finite strengths in one of the models.
    """
    used = one.ok & two.ok
    lost = int((~used).sum())
    if lost > MOST_LOST * len(used):
        raise UndefinedStatistic(
            f"{count(lost)} of {count(len(used), 'resample')} had no finite strengths in one of the two"
        )
    names = [name for name in one.kinds if name in two.kinds]
    at, other = ([list(r.kinds).index(name) for name in names] for r in (one, two))
    boot = Replicates(
        estimate=one.estimate[at] - two.estimate[other],
        replicates=one.replicates[used][:, at] - two.replicates[used][:, other],
        n_degenerate=np.zeros(len(names), dtype=np.int64),
    )
    rows = with_resamples(
        [Row(term=name, group=one.kinds[name], n_clusters=pairs) for name in names], boot, options.level
    )
    return ModelDifference(
        metric="bradley_terry", title=f"Differences between two models: {labels[0]} minus {labels[1]}",
        rows=tuple(rows), inference=f"{count(pairs, 'pair')} of items resampled in both together, "
        f"{count(len(boot.replicates))} refits{f' ({lost} without finite strengths left out)' if lost else ''}: basic "
        "intervals, z from the bootstrap s.e.", counts={"pairs": pairs},
        settings={"labels": labels},
        references=("davisonhinkley1997",), design=(one.fit.design, two.fit.design),
        words=f"Differences of strengths and effects: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras={"fits": (one.fit, two.fit)},
    )  # fmt: skip
