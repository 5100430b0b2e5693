"""Simulations of public functions that have a study of no subject: each called as its readers call it.

A setting draws a table and returns what was estimated of it. These are the rows of each quantity with their truths, and
the rows whose test has a true null hypothesis. The method of a line is the name of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from made import Raters, factor, quadratic_kappa
from scipy.special import expit, softmax
from share_studies import rates
from simulate import marginal
from source_studies import similarity
from tally import Line, Tally
from trait_studies import WEIGHTS, WORDING_SD, with_scores
from two_group_studies import TWO_GROUPS

import socialstats as ss
from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import UndefinedStatistic
from socialstats.results import Row

RELATED = 0.3  # intraclass correlation in clusters
LIKERT, TOP = (0.1, 0.2, 0.4, 0.2, 0.1), (0.02, 0.03, 0.05, 0.2, 0.7)  # shares of five levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What one simulation estimated.

    Attributes
    ----------
    intervals : mapping of quantity to (row, truth) pairs
    tests : mapping of quantity to rows whose null hypothesis is true
    """

    intervals: Mapping[str, Sequence[tuple[Row, float]]] = field(default_factory=dict)
    tests: Mapping[str, Sequence[Row]] = field(default_factory=dict)


Draw = Callable[[np.random.Generator], Drawn]


def simulated(
    name: str, settings: Mapping[str, Draw], rng: np.random.Generator, sims: int
) -> list[Line]:
    """Return the coverage of intervals and the size of tests of one function, in each setting."""
    lines: list[Line] = []
    method = f"{name} (default)"
    for setting, draw in settings.items():
        holds = Tally(f"{name}: intervals", setting)
        rejects = Tally(f"{name}: tests of true null hypotheses", setting, nominal=0.05)
        for _ in range(sims):
            try:
                found = draw(rng)
            except UndefinedStatistic:
                continue
            for quantity, pairs in found.intervals.items():
                rows = [row for row, _ in pairs]
                holds.covers(method, quantity, rows, [truth for _, truth in pairs], said_of(rows))
            for quantity, tested in found.tests.items():
                p = [row.p_value for row in tested if row.p_value is not None]
                if p:
                    rejects.add(method, quantity, float(np.mean(np.less(p, 0.05))), said_of(tested))
        lines += holds.lines() + rejects.lines()
    return lines


def said_of(rows: Sequence[Row]) -> list[Any]:
    """Return the cautions that touch any of some rows."""
    return [said for row in rows for said in row.cautions]


def where(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """Return the rows whose fields have these values."""
    return [
        row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def groups_of(rng: np.random.Generator, units: int, clusters: int) -> IntArray:
    """Return the cluster of each unit; each unit is one where there are none."""
    return np.arange(units) if not clusters else np.repeat(np.arange(clusters), units // clusters)


def chances(rng: np.random.Generator, p: float, group: IntArray, clusters: int) -> FloatArray:
    """Return the chance of a yes in each unit: p, or that of its cluster."""
    if not clusters:
        return np.full(len(group), p)
    return rates(rng, p, RELATED, (1, clusters))[0][group]


def table_of(
    columns: Mapping[str, Any], group: IntArray, clusters: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table with its cluster column, where there are clusters, and the keyword that declares it."""
    frame = pd.DataFrame(dict(columns))
    if not clusters:
        return frame, {}
    return frame.assign(story=group), {"cluster": "story"}


def levels_drawn(
    rng: np.random.Generator,
    shares: Sequence[float],
    group: IntArray,
    clusters: int,
    columns: int = 1,
) -> IntArray:
    """Return levels, (units, columns), with the shares; correlated within clusters by a normal value of each."""
    raters = Raters(reliability=0.0, shares=np.array(shares))
    value = rng.standard_normal((len(group), columns))
    if clusters:
        value = (
            np.sqrt(1 - RELATED) * value
            + np.sqrt(RELATED) * rng.standard_normal((clusters, 1))[group]
        )
    return np.searchsorted(raters.cuts, value)


# --- means and shares of ratings


def mean_of_levels(
    rng: np.random.Generator, shares: Sequence[float], units: int, clusters: int = 0
) -> Drawn:
    """Mean of ratings from 1 to the number of levels; of two levels from 0 to 1."""
    scores = np.arange(len(shares)) + (len(shares) > 2)
    group = groups_of(rng, units, clusters)
    value = scores[levels_drawn(rng, shares, group, clusters)[:, 0]]
    frame, more = table_of({"unit": range(units), "rater": "r", "value": value}, group, clusters)
    found = ss.mean_ratings(frame, levels=scores.tolist(), scale="interval", **more)
    return Drawn(intervals={"mean": [(found.rows[0], float(scores @ np.array(shares)))]})


def mean_of_numbers(rng: np.random.Generator, shape: str, units: int) -> Drawn:
    """Mean of numbers without declared ends, of mean 0 or, lognormal, exp(.5)."""
    value = rng.standard_normal(units)
    value, truth = (np.exp(value), float(np.exp(0.5))) if shape == "lognormal" else (value, 0.0)
    found = ss.mean_ratings(
        {"unit": range(units), "rater": ["r"] * units, "value": value}, scale="interval"
    )
    return Drawn(intervals={"mean": [(found.rows[0], truth)]})


def mean_of_repeats(rng: np.random.Generator, p: float, units: int, repeats: int) -> Drawn:
    """Mean of yes or no with several raters of a unit, who mostly agree."""
    chance = rates(rng, p, 0.6, (1, units))[0]
    value = rng.random((units, repeats)) < chance[:, None]
    unit, rater = (x.ravel() for x in np.indices(value.shape))
    found = ss.mean_ratings(
        {"unit": unit, "rater": rater, "value": value.ravel().astype(int)},
        levels=[0, 1],
        scale="interval",
    )
    return Drawn(intervals={"mean": [(found.rows[0], p)]})


MEANS: dict[str, Draw] = {
    "yes or no, .5, 15 units": partial(mean_of_levels, shares=(0.5, 0.5), units=15),
    "yes or no, .95, 100 units": partial(mean_of_levels, shares=(0.05, 0.95), units=100),
    "yes or no, .99, 50 units": partial(mean_of_levels, shares=(0.01, 0.99), units=50),
    "five levels, symmetric, 15 units": partial(mean_of_levels, shares=LIKERT, units=15),
    "five levels, mostly the highest, 15 units": partial(mean_of_levels, shares=TOP, units=15),
    "five levels, mostly the highest, 60 units": partial(mean_of_levels, shares=TOP, units=60),
    "normal, 15 units": partial(mean_of_numbers, shape="normal", units=15),
    "lognormal, 15 units": partial(mean_of_numbers, shape="lognormal", units=15),
    "lognormal, 40 units": partial(mean_of_numbers, shape="lognormal", units=40),
    "yes or no, .8, 8 clusters of 5": partial(
        mean_of_levels, shares=(0.2, 0.8), units=40, clusters=8
    ),
    "yes or no, .95, 40 clusters of 5": partial(
        mean_of_levels, shares=(0.05, 0.95), units=200, clusters=40
    ),
    "five levels, mostly the highest, 8 clusters of 5": partial(
        mean_of_levels, shares=TOP, units=40, clusters=8
    ),
    "five levels, mostly the highest, 40 clusters of 5": partial(
        mean_of_levels, shares=TOP, units=200, clusters=40
    ),
    "yes or no, .8, 40 units rated five times": partial(
        mean_of_repeats, p=0.8, units=40, repeats=5
    ),
}


def usable_replies(
    rng: np.random.Generator, p: float, units: int, repeats: int, clusters: int = 0
) -> Drawn:
    """Share of replies that are refused, of several replies to a unit."""
    group = groups_of(rng, units, clusters)
    chance = (
        rates(rng, p, RELATED, (1, units))[0] if not clusters else chances(rng, p, group, clusters)
    )
    refused = rng.random((units, repeats)) < chance[:, None]
    unit, run = (x.ravel() for x in np.indices(refused.shape))
    value = np.where(refused.ravel(), "refused", rng.choice(["a", "b"], unit.size))
    columns = {"unit": unit, "rater": run, "value": value}
    frame, more = table_of(columns, group[unit], clusters)
    found = ss.reply_shares(frame, refusal="refused", scale="nominal", levels=["a", "b"], **more)
    rows = where(found.rows, term="refused")
    return Drawn(intervals={"refused": [(row, p) for row in rows]})


REPLIES: dict[str, Draw] = {
    f"{p:g} refused, {units} units asked {repeats} times"
    + (f", {clusters} clusters" if clusters else ""): partial(
        usable_replies, p=p, units=units, repeats=repeats, clusters=clusters
    )
    for p, units, repeats, clusters in (
        (0.3, 20, 1, 0),
        (0.3, 40, 5, 0),
        (0.03, 100, 3, 0),
        (0.3, 64, 3, 8),
        (0.03, 320, 3, 40),
    )
}


def cited_labels(rng: np.random.Generator, units: int, clusters: int = 0) -> Drawn:
    """Shares of units that cite each label, and of labels; one label is rare."""
    share = np.array([0.6, 0.25, 0.03])
    group = groups_of(rng, units, clusters)
    cites = np.column_stack([rng.random(units) < chances(rng, p, group, clusters) for p in share])
    texts = [";".join(np.array(["care", "duty", "harm"])[row]) for row in cites]
    frame, more = table_of({"cites": texts}, group, clusters)
    found = ss.label_counts(frame, labels="cites", sep=";", levels=["care", "duty", "harm"], **more)
    intervals = {}
    for name, p, total in zip(("care", "duty", "harm"), share, share / share.sum(), strict=True):
        kind = "rare label" if name == "harm" else "other labels"
        for what, truth in (("share of units", p), ("share of labels", total)):
            intervals.setdefault(f"{what}, {kind}", []).append(
                (found.row(f"{name} ({what})"), float(truth))
            )
    return Drawn(intervals=intervals)


LABELS: dict[str, Draw] = {
    "30 units": partial(cited_labels, units=30),
    "150 units": partial(cited_labels, units=150),
    "8 clusters of 10": partial(cited_labels, units=80, clusters=8),
    "40 clusters of 5": partial(cited_labels, units=200, clusters=40),
}

# --- several raters of a unit


def rated(
    rng: np.random.Generator, raters: int, p: float, units: int, clusters: int, right: float
) -> tuple[pd.DataFrame, dict[str, Any], FloatArray]:
    """Raters who give the true yes or no of a unit with a chance of `right`, lower in hard clusters; and the truth."""
    group = groups_of(rng, units, clusters)
    truth = rng.random(units) < p
    chance = chances(rng, right, group, clusters)
    value = truth[:, None] ^ (rng.random((units, raters)) >= chance[:, None])
    unit, rater = (x.ravel() for x in np.indices(value.shape))
    frame, more = table_of(
        {"unit": unit, "rater": [f"r{k}" for k in rater], "value": value.ravel().astype(int)},
        group[unit],
        clusters,
    )
    return frame, more, truth.astype(np.float64)


def moments(right: float, clusters: int) -> tuple[float, float, float]:
    """Return the first three moments of the chance to be right: of a beta distribution in clusters."""
    if not clusters:
        return right, right**2, right**3
    a, b = right * (1 / RELATED - 1), (1 - right) * (1 / RELATED - 1)
    first = a / (a + b)
    second = first * (a + 1) / (a + b + 1)
    return first, second, second * (a + 2) / (a + b + 2)


def equal_pairs(rng: np.random.Generator, units: int, right: float, clusters: int = 0) -> Drawn:
    """Percent agreement of three raters."""
    frame, more, _ = rated(rng, 3, 0.5, units, clusters, right)
    found = ss.percent_agreement(frame, levels=[0, 1], scale="nominal", **more)
    first, second, _ = moments(right, clusters)
    return Drawn(intervals={"agreement": [(found.rows[0], 1 - 2 * first + 2 * second)]})


def equal_guesses(rng: np.random.Generator, units: int, right: float, clusters: int = 0) -> Drawn:
    """Brennan and Prediger's kappa of two raters and two levels: twice their agreement, less 1."""
    frame, more, _ = rated(rng, 2, 0.5, units, clusters, right)
    result = ss.brennan_prediger(frame, levels=[0, 1], scale="nominal", **more)
    first, second, _ = moments(right, clusters)
    return Drawn(intervals={"kappa": [(result.rows[0], 1 - 4 * first + 4 * second)]})


def asked_again(rng: np.random.Generator, units: int, right: float, clusters: int = 0) -> Drawn:
    """Flip rate of three answers of a model to each unit."""
    frame, more, _ = rated(rng, 3, 0.5, units, clusters, right)
    found = ss.flip_rate(
        frame.assign(model="m").rename(columns={"rater": "draw"}),
        rater="model",
        repeat="draw",
        **more,
    )
    first, second, _ = moments(right, clusters)
    return Drawn(intervals={"flip rate": [(found.rows[0], 2 * first - 2 * second)]})


def votes(rng: np.random.Generator, units: int, right: float, clusters: int = 0) -> Drawn:
    """Accuracy of the majority of three raters, and of one."""
    frame, more, truth = rated(rng, 3, 0.5, units, clusters, right)
    known = {unit: int(value) for unit, value in enumerate(truth)}
    found = ss.majority_vote_accuracy(frame, truth=known, levels=[0, 1], scale="nominal", **more)
    first, second, third = moments(right, clusters)
    return Drawn(
        intervals={
            "majority": [(found.row("accuracy"), 3 * second - 2 * third)],
            "single rater": [(found.row("single rater"), first)],
        }
    )


def by_size(draw: Callable[..., Drawn]) -> dict[str, Draw]:
    """Return settings of raters who are mostly or nearly always right."""
    return {
        f"right {right:g}, {units} units"
        + (f" in {clusters} clusters" if clusters else ""): partial(
            draw, units=units, right=right, clusters=clusters
        )
        for right, units, clusters in (
            (0.8, 20, 0),
            (0.8, 80, 0),
            (0.98, 60, 0),
            (0.8, 60, 6),
            (0.8, 200, 40),
            (0.98, 200, 40),
        )
    }


def judged(
    rng: np.random.Generator, shares: Sequence[float], units: int, clusters: int = 0
) -> Drawn:
    """A judge who rates as three people do: equal kappas, whose difference is 0."""
    raters = Raters(reliability=0.7, shares=np.array(shares), raters=4)
    design = raters.draw(rng, units, clusters)
    kinds = factor("kind", [0, 0, 0, 1])
    design = replace(design, rater_groups={"kind": replace(kinds, levels=("human", "model"))})
    found = ss.judge_agreement(design, source="kind", reference="human")
    gap, own, people = found.rows
    kappa = quadratic_kappa(raters.joint())
    return Drawn(
        intervals={"difference": [(gap, 0.0)], "kappas": [(own, kappa), (people, kappa)]},
        tests={"difference": [gap]},
    )


JUDGES: dict[str, Draw] = {
    f"{kind}, {units} units" + (f" in {clusters} clusters" if clusters else ""): partial(
        judged, shares=shares, units=units, clusters=clusters
    )
    for kind, shares in (
        ("three even levels", (1 / 3,) * 3),
        ("five levels, most of them the lowest", (0.6, 0.2, 0.1, 0.06, 0.04)),
    )
    for units, clusters in ((20, 0), (100, 0), (48, 6), (200, 40))
}


def equal_raters(rng: np.random.Generator, p: float, units: int, clusters: int = 0) -> Drawn:
    """Cochran's Q of three raters with equal shares of yes, who share the difficulty of a unit."""
    group = groups_of(rng, units, clusters)
    own = rates(rng, p, RELATED, (3, clusters))[:, group].T if clusters else np.full((units, 3), p)
    easy = rng.random(units) < 0.3  # the raters agree on these units
    value = np.where(
        easy[:, None],
        rng.random((units, 1)) < own.mean(axis=1, keepdims=True),
        rng.random((units, 3)) < own,
    ).astype(int)
    columns = {"a": value[:, 0], "b": value[:, 1], "c": value[:, 2]}
    frame, more = table_of(columns, group, clusters)
    found = ss.cochran_q(frame, raters=["a", "b", "c"], levels=[0, 1], scale="nominal", **more)
    lead = next(row for row in found.rows if row.group == "test")
    gaps = where(found.rows, group="difference")
    return Drawn(
        intervals={
            "share": [(row, p) for row in where(found.rows, group="share")],
            "difference": [(row, 0.0) for row in gaps],
        },
        tests={"Q, or Wald's": [lead], "a difference": gaps},
    )


RATERS: dict[str, Draw] = {
    f"{p:g}, {units} units" + (f" in {clusters} clusters" if clusters else ""): partial(
        equal_raters, p=p, units=units, clusters=clusters
    )
    for p, units, clusters in (
        (0.5, 20, 0),
        (0.5, 100, 0),
        (0.04, 100, 0),
        (0.5, 60, 6),
        (0.5, 200, 40),
        (0.04, 200, 40),
    )
}


def homogeneous(
    rng: np.random.Generator, shares: Sequence[float], units: int, clusters: int = 0
) -> Drawn:
    """Levels under two conditions with equal margins: the second is that of the first, or drawn anew."""
    group = groups_of(rng, units, clusters)
    both = levels_drawn(rng, shares, group, clusters, 2)
    if clusters:  # what a cluster prefers differs by condition
        both[:, 1] = levels_drawn(rng, shares, group, clusters)[:, 0]
    kept = rng.random(units) < 0.5
    one, two = both[:, 0], np.where(kept, both[:, 0], both[:, 1])
    frame, more = table_of({"one": one, "two": two}, group, clusters)
    found = ss.symmetry(frame, first="one", second="two", scale="nominal", **more)
    tests = where(found.rows, group="test")
    margins = where(found.rows, group="margin")
    return Drawn(
        intervals={"difference of a level": [(row, 0.0) for row in margins]},
        tests={"a level": margins, **{row.term: [row] for row in tests}},
    )


MARGINS: dict[str, Draw] = {
    f"{kind}, {units} pairs" + (f" in {clusters} clusters" if clusters else ""): partial(
        homogeneous, shares=shares, units=units, clusters=clusters
    )
    for kind, shares in (("even levels", (0.4, 0.35, 0.25)), ("a rare level", (0.7, 0.27, 0.03)))
    for units, clusters in ((30, 0), (150, 0), (60, 6), (200, 40))
}

# --- comparisons


def groups_meet(rng: np.random.Generator, each: int, p: float, times: int, sd: float) -> Drawn:
    """Items of two groups meet; pairs of items have leans of their own."""
    names = [f"{g}{k}" for g in "xy" for k in range(each)]
    rows = [(a, b) for a in names[:each] for b in names[each:]]
    base = brent_log_odds(p, sd)
    odds = base + sd * rng.standard_normal(len(rows))
    wins = rng.binomial(times, expit(odds))
    one, other = (np.repeat([row[k] for row in rows], times) for k in (0, 1))
    won = np.concatenate([np.arange(times) < k for k in wins])
    frame = pd.DataFrame({"item_a": one, "item_b": other, "winner": np.where(won, one, other)})
    found = ss.group_win_rates(frame, {name: name[0] for name in names}, order=False)
    return Drawn(intervals={"rate": [(found.row("x", group="y"), p)]})


def brent_log_odds(p: float, sd: float) -> float:
    """Return the log-odds whose probability, averaged over leans, is p."""
    from scipy.optimize import brentq

    return float(brentq(lambda x: marginal(np.array([x]), sd)[0] - p, -20.0, 20.0))


MEETINGS: dict[str, Draw] = {
    f"rate {p:g}, {each * each} pairs of items, {times} times each, leans of SD {sd:g}": partial(
        groups_meet, each=each, p=p, times=times, sd=sd
    )
    for p, each, times, sd in (
        (0.5, 2, 10, 0.0),
        (0.5, 2, 10, 1.0),
        (0.7, 5, 6, 1.0),
        (0.05, 5, 6, 1.0),
        (0.05, 10, 6, 0.0),
    )
}


def entropies(rng: np.random.Generator, items: int, times: int, workers: int) -> Drawn:
    """Entropy of the choices of pairs; the truth of the plug-in value is that of so many choices a pair."""
    names = [f"i{k:02d}" for k in range(items)]
    pairs = list(combinations(range(items), 2))
    strength = np.linspace(-1, 1, items)
    chance = expit([strength[a] - strength[b] + 0.5 * rng.standard_normal() for a, b in pairs])
    wins = rng.binomial(times, chance)
    rows = [
        (names[a], names[b], names[a] if k < won else names[b], f"w{(k + j) % workers}")
        for j, ((a, b), won) in enumerate(zip(pairs, wins, strict=True))
        for k in range(times)
    ]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "worker"])
    found = ss.choice_entropy(frame, order=False)
    return Drawn(
        intervals={"H of so many choices": [(found.row("H"), expected_entropy(items, times))]}
    )


def expected_entropy(items: int, times: int) -> float:
    """Return the expected plug-in entropy of a pair over its leans (Gauss-Hermite) and its choices, in bits."""
    from scipy.stats import binom

    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    strength = np.linspace(-1, 1, items)
    gaps = np.array([strength[a] - strength[b] for a, b in combinations(range(items), 2)])
    won = np.arange(times + 1)
    p = won / times
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.nan_to_num(p * np.log2(p)) - np.nan_to_num((1 - p) * np.log2(1 - p))
    chance = expit(gaps[:, None] + 0.5 * nodes)
    return float(
        ((binom.pmf(won, times, chance[..., None]) @ bits) @ weights / weights.sum()).mean()
    )


ENTROPIES: dict[str, Draw] = {
    f"{items} items, {times} choices a pair": partial(
        entropies, items=items, times=times, workers=8
    )
    for items, times in ((4, 8), (8, 4), (8, 20), (16, 8))
}

# --- two readings, two sources, summaries


def read_twice(
    rng: np.random.Generator, share: float, units: int, repeats: int, clusters: int = 0
) -> tuple[Any, Any]:
    """Ratings from 1 to 5 and a second reading that draws some of them anew, more in some units than in others."""
    group = groups_of(rng, units, clusters)
    chance = (
        chances(rng, share, group, clusters)
        if clusters
        else rates(rng, share, RELATED, (1, units))[0]
    )
    changes = rng.random((units, repeats)) < chance[:, None]
    value = 1 + levels_drawn(rng, LIKERT, np.arange(units), 0, repeats)
    moved = np.where(
        value > 2, value - rng.integers(1, 3, value.shape), value + rng.integers(1, 3, value.shape)
    )
    unit, rater = (x.ravel() for x in np.indices(value.shape))
    frame, more = table_of(
        {
            "unit": unit,
            "rater": rater,
            "one": value.ravel(),
            "two": np.where(changes, moved, value).ravel(),
        },
        group[unit],
        clusters,
    )
    return tuple(
        ss.Ratings.from_frame(frame, value=name, levels=[1, 2, 3, 4, 5], scale="ordinal", **more)
        for name in ("one", "two")
    )  # type: ignore[return-value]


def changed(
    rng: np.random.Generator, share: float, units: int, repeats: int, clusters: int = 0
) -> Drawn:
    """Share of answers that a second reading changes."""
    found = ss.changed_shares(*read_twice(rng, share, units, repeats, clusters))
    return Drawn(intervals={"share": [(found.rows[0], share)]})


def moved(
    rng: np.random.Generator, share: float, units: int, repeats: int, clusters: int = 0
) -> Drawn:
    """Mean change of the score, whose expectation is that of ratings that change."""
    found = ss.changed_means(*read_twice(rng, share, units, repeats, clusters))
    if not found.rows:
        return Drawn()
    truth = share * 1.5 * float(np.sum(np.where(np.arange(1, 6) > 2, -1, 1) * np.array(LIKERT)))
    return Drawn(
        intervals={"mean change": [(found.row("all answers", group="change of the mean"), truth)]}
    )


def by_change(draw: Callable[..., Drawn]) -> dict[str, Draw]:
    """Return settings of second readings."""
    return {
        f"{share:g} changed, {units} units, {repeats} replies each"
        + (f", {clusters} clusters" if clusters else ""): partial(
            draw, share=share, units=units, repeats=repeats, clusters=clusters
        )
        for share, units, repeats, clusters in (
            (0.3, 15, 1, 0),
            (0.3, 60, 3, 0),
            (0.02, 100, 3, 0),
            (0.3, 64, 3, 8),
            (0.02, 200, 3, 40),
        )
    }


def in_groups(compare: Callable[..., Any], rng: np.random.Generator) -> Drawn:
    """Compare two groups of one distribution."""
    result, term, truth = compare(rng)
    row = result.row(term)
    ranks = (
        {"rank sum": [one for one in result.rows if one.group == "test"]}
        if term == "superiority"
        else {}
    )
    return Drawn(intervals={term: [(row, truth)]}, tests={term: [row], **ranks})


def summary(rng: np.random.Generator, shape: str, pairs: int, d_z: float) -> Drawn:
    """d_z from n and t, as printed."""
    noise = (
        rng.standard_normal(pairs) if shape == "normal" else -(rng.standard_exponential(pairs) - 1)
    )
    values = d_z + noise
    t = float(values.mean() / values.std(ddof=1) * np.sqrt(pairs))
    found = ss.effect_sizes_from_summary(n=pairs, t=t)
    return Drawn(intervals={"d_z": [(found.row("d_z"), d_z)]})


SUMMARIES: dict[str, Draw] = {
    f"{shape} differences, {pairs} pairs, d_z {d_z:g}": partial(
        summary, shape=shape, pairs=pairs, d_z=d_z
    )
    for shape, pairs, d_z in (
        ("normal", 10, 0.5),
        ("normal", 60, 0.5),
        ("exponential", 20, 1.0),
        ("exponential", 100, 1.0),
    )
}


def topics(
    rng: np.random.Generator, n: int, levels: int, rare: bool, domains: int, units: int = 10
) -> Drawn:
    """Actions of four people and a model in topics with tastes of their own; sources and domains do not differ."""
    base = np.append(np.zeros(levels - 1), -2.5 if rare else 0.0)
    taste = base + rng.normal(0, 0.5, (n, levels))
    size = n * units
    topic = np.repeat(np.arange(n), units)
    actions = [f"a{k}" for k in range(levels)]
    p = softmax(taste, axis=1)[topic]
    drawn = (rng.random((size, 5, 1)) > p.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    unit, rater = (x.ravel() for x in np.indices(drawn.shape))
    frame = pd.DataFrame(
        {
            "unit": unit,
            "rater": [f"p{k}" for k in rater],
            "who": np.where(rater == 4, "model", "human"),
            "value": np.array(actions)[drawn.ravel()],
            "topic": topic[unit],
            "domain": topic[unit] % domains,
        }
    )
    found = ss.multinomial_logit(
        frame,
        unit="unit",
        rater="rater",
        value="value",
        rater_groups="who",
        strata="domain",
        cluster="topic",
        scale="nominal",
    )
    by_kind = {
        kind: [row for row in found.rows if row.label("kind") == kind]
        for kind in ("source", "domain")
    }
    single = {
        f"coefficient of {kind}": where(rows, role="estimate") for kind, rows in by_kind.items()
    }
    joint = {f"joint test of {kind}": where(rows, role="test") for kind, rows in by_kind.items()}
    intervals = {"coefficient of source": [(row, 0.0) for row in single["coefficient of source"]]}
    return Drawn(intervals=intervals, tests=single | joint)


TOPICS: dict[str, Draw] = {
    f"{n} topics in {domains} domains, {levels} actions"
    + (", one of them rare" if rare else ""): partial(
        topics, n=n, levels=levels, rare=rare, domains=domains
    )
    for n, domains, levels, rare in (
        (12, 4, 3, False),
        (12, 4, 2, False),
        (24, 4, 3, False),
        (24, 4, 2, True),
        (48, 4, 3, False),
    )
}

# --- few clusters, where the study of a subject has none


def clustered_effect(rng: np.random.Generator, clusters: int, size: int, d_z: float) -> Drawn:
    """d_z of normal differences in clusters, whose standard deviation is 1 over all pairs."""
    group = np.repeat(np.arange(clusters), size)
    noise = np.sqrt(RELATED) * rng.standard_normal(clusters)[group]
    noise = noise + np.sqrt(1 - RELATED) * rng.standard_normal(len(group))
    before = rng.standard_normal(len(group))
    table = {"before": before, "after": before + d_z + noise, "story": group}
    found = ss.effect_sizes(table, first="after", second="before", cluster="story")
    return Drawn(intervals={"d_z": [(found.row("d_z"), d_z)]})


def board(
    rng: np.random.Generator, shape: str, units: int, clusters: int = 0, p: float = 0.5
) -> Drawn:
    """Two models with equal mean scores; their scores have an effect of the unit (cluster) in common and one alone."""
    group = groups_of(rng, units, clusters)
    if shape == "yes or no":
        own = (
            rates(rng, p, RELATED, (2, clusters))[:, group] if clusters else np.full((2, units), p)
        )
        scores, truth = (rng.random((2, units)) < own).astype(float), p
    else:
        effect = rng.standard_normal((3, clusters))[:, group] if clusters else np.zeros((3, units))
        scores = 0.5 * effect[0] + 0.5 * effect[1:] + rng.standard_normal((2, units))
        scores = scores if shape == "normal" else np.exp(scores)
        truth = 0.0 if shape == "normal" else float(np.exp((1 + 0.5 * bool(clusters)) / 2))
    model, unit = (x.ravel() for x in np.indices(scores.shape))
    frame, more = table_of(
        {"model": np.array(["elm", "oak"])[model], "item": unit, "score": scores.ravel()},
        group[unit],
        clusters,
    )
    found = ss.leaderboard(frame, **more)
    gaps = where(found.rows, role="difference")
    return Drawn(
        intervals={
            "mean": [(row, truth) for row in where(found.rows, group="mean")],
            "difference": [(row, 0.0) for row in gaps],
        },
        tests={"difference": gaps},
    )


BOARDS: dict[str, Draw] = {
    "yes or no, .5, 30 units": partial(board, shape="yes or no", units=30),
    "yes or no, .99, 100 units": partial(board, shape="yes or no", units=100, p=0.99),
    "lognormal, 20 units": partial(board, shape="lognormal", units=20),
    "lognormal, 60 units": partial(board, shape="lognormal", units=60),
    "normal, 8 clusters of 5": partial(board, shape="normal", units=40, clusters=8),
    "lognormal, 8 clusters of 5": partial(board, shape="lognormal", units=40, clusters=8),
    "yes or no, .8, 8 clusters of 5": partial(
        board, shape="yes or no", units=40, clusters=8, p=0.8
    ),
    "yes or no, .95, 40 clusters of 5": partial(
        board, shape="yes or no", units=200, clusters=40, p=0.95
    ),
}


def distances(rng: np.random.Generator, clusters: int, size: int, p: float) -> Drawn:
    """Distance of a model from people who all give level 2 of 0 to 4; in hard clusters it is farther off."""
    units = clusters * size
    group = np.repeat(np.arange(clusters), size)
    off = rng.binomial(2, chances(rng, p, group, clusters)) * rng.choice([-1, 1], units)
    rows = [(unit, f"p{k}", "human", 2) for unit in range(units) for k in range(5)]
    rows += [(unit, "m", "model", 2 + int(off[unit])) for unit in range(units)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    frame["story"] = group[frame["unit"]]
    found = ss.ada_met(
        frame,
        levels=list(range(5)),
        scale="ordinal",
        rater_source="source",
        cluster="story",
        resamples=99,
    )
    return Drawn(intervals={"distance": [(found.rows[0], 2 * p)]})


def similar(rng: np.random.Generator, clusters: int, size: int, own: Sequence[float]) -> Drawn:
    """Similarity of a model to five people, whose shares differ by cluster (Dirichlet)."""
    people = np.array([0.5, 0.3, 0.2])
    group = np.repeat(np.arange(clusters), size)
    rows = []
    for source, shares, raters in (("human", people, 5), ("model", np.array(own), 3)):
        chance = rng.dirichlet(8 * shares, clusters)[group]
        value = (rng.random((len(group), raters, 1)) > chance.cumsum(axis=1)[:, None, :-1]).sum(
            axis=2
        )
        rows += [
            (unit, f"{source} {k}", source, "abc"[value[unit, k]], group[unit])
            for unit in range(len(group))
            for k in range(raters)
        ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value", "story"])
    found = ss.js_similarity(
        frame,
        scale="nominal",
        levels=list("abc"),
        rater_source="source",
        cluster="story",
        permutations=99,
        splits=99,
        resamples=99,
    )
    truth = similarity(tuple(people), tuple(own))
    return Drawn(intervals={"similarity": [(found.row("model"), truth)]})


def profile_design(
    rng: np.random.Generator, clusters: int, size: int, wordings: int, skewed: bool = False
) -> ss.Ratings:
    """Scores of scenarios in clusters at two stages: a change of the composite of -5, or of the spread of wordings.

    With `skewed` the spread of each scenario is multiplied by an exponential number.
    """
    scenarios = clusters * size
    group = np.repeat(np.arange(clusters), size)
    level = 10 * rng.standard_normal((clusters, 1, 1))[group] + 6 * rng.standard_normal(
        (scenarios, 1, 1)
    )
    noise = rng.standard_normal((scenarios, 2, wordings))
    if wordings > 1:
        factors = rng.standard_exponential((scenarios, 1, 1)) if skewed else 1.0
        c = level + factors * np.array(WORDING_SD)[:, None] * noise
    else:
        change = np.array([2.5, -2.5]) + 4 * rng.standard_normal((clusters, 2))[group]
        c = level + change[:, :, None] + 3 * noise
    scenario, stage, wording = (x.ravel() for x in np.indices(c.shape))
    rows = pd.DataFrame(
        {"scenario": scenario, "stage": stage, "judge": "j", "topic": group[scenario]}
    )
    rows = rows.assign(wording=wording) if wordings > 1 else rows
    return ss.trait_ratings(
        with_scores(rows, c.ravel(), rng), traits=list(WEIGHTS), model=None, cluster="topic"
    )


def composite_change(rng: np.random.Generator, clusters: int, size: int) -> Drawn:
    """Change of the composite between two stages."""
    design = profile_design(rng, clusters, size, 1)
    found = ss.trait_profile(
        design, weights=WEIGHTS, free_weights=True, model=None, activation=None, resamples=99
    )
    return Drawn(
        intervals={"change": [(found.row("all", group="composite change: 1 minus 0"), -5.0)]}
    )


def spread_change(
    rng: np.random.Generator, clusters: int, size: int, skewed: bool = False
) -> Drawn:
    """Change of the spread of three wordings; the noise of the scores is part of it (as in `trait_studies.spreads`)."""
    design = profile_design(rng, clusters, size, 3, skewed)
    cluster = "declared" if size > 1 else None
    found = ss.paraphrase_spread(
        design, weights=WEIGHTS, free_weights=True, model=None, resamples=99, cluster=cluster
    )
    noise = np.sum(np.square(list(WEIGHTS.values()))) * (1 + 1 / 12)
    factors = -np.log1p(-(np.arange(4000) + 0.5) / 4000) if skewed else np.ones(1)
    means = [np.mean(np.sqrt((factors * sd) ** 2 + noise)) for sd in WORDING_SD]
    truth = float(np.sqrt(np.pi) / 2 * (means[0] - means[1]))
    return Drawn(intervals={"change": [(found.row("0 minus 1", group="change"), truth)]})


def in_clusters(draw: Callable[..., Drawn], size: int, **more: Any) -> dict[str, Draw]:
    """Return settings of few and of many clusters."""
    return {
        f"{k} clusters of {size}": partial(draw, clusters=k, size=size, **more) for k in (8, 40)
    }


SUBJECTS: dict[str, dict[str, Draw]] = {
    "mean_ratings": MEANS,
    "reply_shares": REPLIES,
    "label_counts": LABELS,
    "percent_agreement": by_size(equal_pairs),
    "flip_rate": by_size(asked_again),
    "brennan_prediger": by_size(equal_guesses),
    "majority_vote_accuracy": by_size(votes),
    "judge_agreement": JUDGES,
    "cochran_q": RATERS,
    "symmetry": MARGINS,
    "group_win_rates": MEETINGS,
    "choice_entropy": ENTROPIES,
    "changed_shares": by_change(changed),
    "changed_means": by_change(moved),
    **{
        metric: {setting: partial(in_groups, compare) for setting, compare in found.items()}
        for metric, found in TWO_GROUPS.items()
    },
    "effect_sizes_from_summary": SUMMARIES,
    "multinomial_logit": TOPICS,
    "leaderboard": BOARDS,
    "effect_sizes": in_clusters(clustered_effect, 5, d_z=0.5),
    "ada_met": in_clusters(distances, 5, p=0.3),
    "js_similarity": in_clusters(similar, 5, own=(0.3, 0.3, 0.4)),
    "trait_profile": in_clusters(composite_change, 3),
    "paraphrase_spread": {
        **in_clusters(spread_change, 3),
        **{
            f"skewed spreads, {n} scenarios": partial(
                spread_change, clusters=n, size=1, skewed=True
            )
            for n in (15, 60)
        },
    },
}

FUNCTION_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    f"function_{name}": partial(simulated, name, settings) for name, settings in SUBJECTS.items()
}
