"""Differences of strengths and effects between two fits of the same pairs of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.compare import with_resamples
from socialstats.inference.intervals import checked_level
from socialstats.metrics.bradley_terry.result import BradleyTerryResult
from socialstats.models.shares import group_shares
from socialstats.resampling.engine import Replicates
from socialstats.results import Result, Row
from socialstats.text import count, quoted

MOST_LOST = 0.01  # share of the resamples without finite strengths
Kind = Literal["effect", "strength", "share"]


def bradley_terry_difference(
    first: BradleyTerryResult,
    second: BradleyTerryResult,
    *,
    labels: tuple[str, str] = ("first", "second"),
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Result:
    """Estimate the differences of strengths and effects between two fits of the same pairs: first minus second.

    Parameters
    ----------
    first, second : BradleyTerryResult
        Of the same pairs of items, as ``bradley_terry`` makes them.
    labels : pair of str
    groups : mapping of str to mapping of item to group, optional
        Groupings of the items: differences of the groups' shares (arithmetic mean of exp strength) too.
    level : float
    resamples, seed : int
        Pairs of items are resampled in both fits together, and both models are fitted again.

    Returns
    -------
    Result
        Groups ``"effect"``, ``"strength"`` and ``"share"``: basic intervals, z from the bootstrap standard error.

    Raises
    ------
    InputError
        If the pairs of items are not the same.
    UndefinedStatistic
        If more than 1% of the resamples have no finite strengths in one of the models.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge University Press.

    Examples
    --------
    >>> from socialstats import bradley_terry
    >>> items = [(a, b) for a in "abcdefgh" for b in "abcdefgh" if a < b] * 4
    >>> pairs = {"item_a": [a for a, _ in items], "item_b": [b for _, b in items]}
    >>> one, two = (
    ...     bradley_terry(pairs | {"winner": [pair[k < 28 * n] for k, pair in enumerate(items)]}) for n in (1, 3)
    ... )
    >>> found = bradley_terry_difference(one, two, resamples=200)
    >>> round(found.row("a", group="strength").estimate, 3) == round(one.strengths["a"] - two.strengths["a"], 3)
    True
    """
    if first.design.pair.levels != second.design.pair.levels:
        raise InputError("the two fits are of other pairs of items: fit both on the pairs that both have")
    one, two = (refitted(fit, groups or {}, resamples, seed) for fit in (first, second))
    return difference_of(one, two, labels, checked_level(level))


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


def refitted(
    fit: BradleyTerryResult, groups: Mapping[str, Mapping[str, Any]], resamples: int, seed: int
) -> Refitted:  # fmt: skip
    """Refit a model on resampled pairs of items; the same seed draws the same pairs for any design of them.

    Resamples without a finite estimate keep their place, so that those of two fits can be matched.
    """
    boot = fit.bootstrap(by="pair", resamples=resamples, seed=seed)
    items = tuple(fit.strengths)
    effects = [name for name in fit.names if name not in fit.strengths]
    coefficients = fit.coef()
    estimate = [np.array([coefficients[name] for name in (*effects, *items)])]
    drawn = [boot.effects, boot.strengths]
    kinds: dict[str, Kind] = {**dict.fromkeys(effects, "effect"), **dict.fromkeys(items, "strength")}
    strengths = np.array([[fit.strengths[item] for item in items]])
    for k, (name, own) in enumerate(groups.items()):
        at = [j for j, item in enumerate(items) if item in own]
        labels = sorted({str(own[items[j]]) for j in at})
        if len(labels) < 2:
            continue
        codes = np.array([labels.index(str(own[items[j]])) for j in at], dtype=np.int64)
        estimate.append(group_shares(strengths[:, at], codes, "arithmetic")[0])
        drawn.append(group_shares(boot.strengths[:, at], codes, "arithmetic"))
        where = f" ({name})" if k else ""
        kinds |= {f"share of {label}{where}": "share" for label in labels}
    every = np.full((len(boot.ok), len(kinds)), np.nan)
    every[boot.ok] = np.concatenate(drawn, axis=1)
    return Refitted(fit=fit, kinds=kinds, estimate=np.concatenate(estimate), replicates=every, ok=boot.ok)


def difference_of(one: Refitted, two: Refitted, labels: tuple[str, str], level: float) -> Result:
    """Return first minus second of every number that both have, with basic intervals over joint resamples."""
    used = one.ok & two.ok
    lost = int((~used).sum())
    if lost > MOST_LOST * len(used):
        raise UndefinedStatistic(
            f"{count(lost)} of {count(len(used), 'resample')} had no finite strengths in one of the two"
        )
    pairs = len(one.fit.design.pair.levels)
    names = [name for name in one.kinds if name in two.kinds]
    at, other = ([list(r.kinds).index(name) for name in names] for r in (one, two))
    boot = Replicates(
        estimate=one.estimate[at] - two.estimate[other],
        replicates=one.replicates[used][:, at] - two.replicates[used][:, other],
        n_degenerate=np.zeros(len(names), dtype=np.int64),
    )
    rows = with_resamples(
        [
            Row(
                term=name,
                group=one.kinds[name],
                role="difference",
                n_clusters=pairs,
                limits=(-1.0, 1.0) if one.kinds[name] == "share" else None,
            )
            for name in names
        ],
        boot,
        level,
    )
    return Result(
        metric="bradley_terry", title=f"Differences between two models: {labels[0]} minus {labels[1]}",
        rows=tuple(rows), inference=f"{count(pairs, 'pair')} of items resampled in both together, "
        f"{count(len(boot.replicates))} refits{f' ({lost} without finite strengths left out)' if lost else ''}: basic "
        "intervals, z from the bootstrap s.e.", counts={"pairs": pairs},
        settings={"labels": labels},
        references=("davisonhinkley1997",), design=(one.fit.design, two.fit.design),
        words=f"Differences of strengths and effects: {quoted(labels[:1])} minus {quoted(labels[1:])}.",
        extras={"fits": (one.fit, two.fit)},
        check="socialstats.crosscheck.bradley_terry:difference_checks",
    )  # fmt: skip
