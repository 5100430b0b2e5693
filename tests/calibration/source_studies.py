"""Simulations about people and a model whose runs repeat each other: similarity, shares, and tests of equal shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from tally import Line, Tally

import socialstats as ss
from socialstats.arrays import FloatArray
from socialstats.inference.dependence import shape_cautions
from socialstats.shares.ceiling import ceiling
from socialstats.shares.counts import SourceCounts, StratumCells
from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.js_similarity import rare_levels
from socialstats.shares.pooled_similarity import pooled
from socialstats.shares.similarity import ComparedSources
from socialstats.shares.similarity_rows import similarity_rows
from socialstats.shares.unit_similarity import within_units

RESAMPLES, PERMUTATIONS, SPLITS = 399, 199, 99
PEOPLE, RUNS = 7, 5
LEVELS = ("comply", "deviate", "escalate")
HUMAN = (0.5, 0.3, 0.2)
MODELS = {
    "equal shares": HUMAN,
    "nearly equal": (0.45, 0.29, 0.26),
    "similar": (0.35, 0.25, 0.4),
    "different": (0.2, 0.1, 0.7),
}
UNITS = (20, 40, 160)
SPREAD, REPEATS = 6.0, 0.7  # Dirichlet sizes: people of a unit differ, runs of a unit mostly agree
HOLDS, RATE = (0.92, 0.985), (0.0, 0.075)


HALVES = "t of the logarithm (default)"
WITHIN = {"t": "t (default)", "percentile": "percentile"}
CEILINGS = {
    "7 people, 20 units": (7, 20, HUMAN),
    "7 people, 160 units": (7, 160, HUMAN),
    "3 people, 40 units": (3, 40, HUMAN),
    "7 people, 40 units, shares .8, .1, .1": (7, 40, (0.8, 0.1, 0.1)),
}
INTERVALS = {"noncentral": "noncentral (default)", "percentile": "percentile", "basic": "basic"}


def table(
    rng: np.random.Generator, units: int, model: tuple[float, ...], *, spread: float = REPEATS
) -> ss.Ratings:
    """Seven people and five runs a unit; shares of a unit are Dirichlet, so that their means are exact."""
    parts = []
    for source, shares, size, n in (
        ("human", HUMAN, SPREAD, PEOPLE),
        ("model", model, spread, RUNS),
    ):
        chances = rng.dirichlet(size * np.array(shares), units)
        value = (rng.random((units, n, 1)) > chances.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
        unit, rater = (x.ravel() for x in np.indices(value.shape))
        answers = np.array(LEVELS)[value.ravel()]
        parts.append(
            pd.DataFrame({"unit": unit, "rater": rater, "source": source, "value": answers})
        )
    return ss.Ratings.from_frame(
        pd.concat(parts), scale="nominal", levels=list(LEVELS), rater_source="source"
    )


def similarity(p: tuple[float, ...], q: tuple[float, ...]) -> float:
    """1 minus the divergence in bits, from entropies."""
    one, two = np.array(p), np.array(q)
    entropy = [-(x * np.log2(x)).sum() for x in ((one + two) / 2, one, two)]
    return float(1 - entropy[0] + (entropy[1] + entropy[2]) / 2)


def similarities(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the similarity by the noncentral interval and by two bootstraps."""
    lines: list[Line] = []
    fast = {"permutations": 99, "splits": SPLITS, "resamples": RESAMPLES, "seed": 1}
    for name, model in MODELS.items():
        true = similarity(HUMAN, model)
        for units in UNITS:
            tally = Tally(
                "Jensen-Shannon similarity: 7 people, 5 runs that mostly agree",
                f"{name}, {units} units",
            )
            for _ in range(sims):
                design = table(rng, units, model)
                for ci, called in INTERVALS.items():
                    found = ss.js_similarity(design, ci=ci, **fast)
                    tally.covers(
                        called, f"truth {true:.3f}", [found.row("model")], [true], found.cautions
                    )
            must = {(INTERVALS["noncentral"], f"truth {true:.3f}"): HOLDS} if units >= 40 else {}
            lines += tally.lines(must)
    return lines


def pair_truth(
    people: tuple[float, ...], model: tuple[float, ...], spread: float = REPEATS
) -> float:
    """Similarity of the shares behind the ratings of a unit, mean over 400,000 units drawn once."""
    rng = np.random.default_rng(5)
    one, two = (
        rng.dirichlet(size * np.array(p), 400_000)
        for size, p in ((SPREAD, people), (spread, model))
    )

    def entropy(x: np.ndarray) -> np.ndarray:
        return np.asarray(-(x * np.log2(np.maximum(x, 1e-300))).sum(axis=1))

    return float(1 - (entropy((one + two) / 2) - (entropy(one) + entropy(two)) / 2).mean())


def similar_units(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the similarity within units, averaged: runs that mostly agree, and runs as spread as people."""
    lines: list[Line] = []
    fast = {
        "aggregate": "unit",
        "permutations": 99,
        "splits": SPLITS,
        "resamples": RESAMPLES,
        "seed": 1,
    }
    for spread, kind in ((REPEATS, "mostly agree"), (SPREAD, "differ as people do")):
        for name in ("equal shares", "different"):
            true = pair_truth(HUMAN, MODELS[name], spread)
            quantity = f"truth {true:.3f}"
            for units in UNITS:
                tally = Tally(
                    "Similarity within units: 7 people, 5 runs",
                    f"runs {kind}, {name}, {units} units",
                )
                for _ in range(sims):
                    design = table(rng, units, MODELS[name], spread=spread)
                    for ci, called in WITHIN.items():
                        found = ss.js_similarity(design, ci=ci, **fast)
                        tally.covers(called, quantity, [found.row("model")], [true], found.cautions)
                insisted = spread == REPEATS and units >= 40
                lines += tally.lines({(WITHIN["t"], quantity): HOLDS} if insisted else {})
    return lines


def own_ratings(
    rng: np.random.Generator, people: int, units: int, shares: tuple[float, ...]
) -> SourceCounts:
    """Counts of people's ratings alone."""
    chances = rng.dirichlet(SPREAD * np.array(shares), units)
    counts = rng.multinomial(people, chances).astype(np.float64)[:, None, :]
    return SourceCounts(
        name="source", sources=("human",), levels=LEVELS, counts=counts, copies=np.ones(units)
    )


def ceilings(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the split-half ceiling; its truth is its mean over 2,000 other tables of this size."""
    lines: list[Line] = []
    for name, (people, units, human) in CEILINGS.items():
        tally = Tally("Split-half ceiling of the similarity", name)
        cells = StratumCells(names=(), labels=(), codes=np.zeros(units, dtype=np.int64))
        for aggregate in ("pooled", "unit"):
            settings = {"aggregate": aggregate, "splits": SPLITS, "level": 0.95}
            rows = [
                ceiling(own_ratings(rng, people, units, human), 0, cells, (), settings)[0][0][1]
                for _ in range(2000 + sims)
            ]
            true = float(np.mean([row.estimate for row in rows[:2000]]))
            for row in rows[2000:]:
                tally.covers(HALVES, f"{aggregate}, truth {true:.4f}", [row], [true])
        lines += tally.lines({(line.method, line.quantity): HOLDS for line in tally.lines()})
    return lines


PLUG_IN = {
    "equal": (HUMAN, HUMAN),
    "similar": (HUMAN, MODELS["similar"]),
    "different": (HUMAN, MODELS["different"]),
    "uneven (.90/.08/.02, .97/.02/.01)": ((0.9, 0.08, 0.02), (0.97, 0.02, 0.01)),
}
WAYS = {"pooled": ("noncentral", pooled), "unit": ("t", within_units)}


def two_sources(
    rng: np.random.Generator, units: int, people: int, shares: tuple[tuple[float, ...], ...]
) -> FloatArray:
    """(units, 2, levels) counts of some people and of five runs that mostly agree."""
    sides = ((SPREAD, people), (REPEATS, RUNS))
    return np.stack(
        [
            rng.multinomial(n, rng.dirichlet(size * np.array(p), units)).astype(np.float64)
            for p, (size, n) in zip(shares, sides, strict=True)
        ],
        axis=1,
    )


def plug_in(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of plug-in similarities of their mean over 3,000 tables of this size, and of corrected ones."""
    lines: list[Line] = []
    for aggregate, (ci, compare) in WAYS.items():
        settings = {"aggregate": aggregate, "ci": ci, "permutations": 99, "seed": 0, "level": 0.95}
        for name, given in PLUG_IN.items():
            for units, people in product((6, 20, 60, 200), (5, 30)):
                study = f"Plug-in and corrected similarity, {'within units' if aggregate == 'unit' else 'pooled'}"
                tally = Tally(study, f"{name}, {units} units, {people} people")
                drawn = [
                    two_sources(rng, units, people, given)
                    for _ in range(3000 if units < 100 else 1000)
                ]
                tables = (
                    drawn
                    if aggregate == "unit"
                    else [counts.sum(axis=0, keepdims=True) for counts in drawn]
                )
                plain = 1 - np.mean([jensen_shannon(one[:, 0], one[:, 1]).mean() for one in tables])
                true = similarity(*given) if aggregate == "pooled" else pair_truth(*given)
                cells = StratumCells(names=(), labels=(), codes=np.zeros(units, dtype=np.int64))
                for counts in drawn[: sims if aggregate == "pooled" else sims // 3]:
                    data = SourceCounts(
                        name="source",
                        sources=("human", "model"),
                        levels=LEVELS,
                        counts=counts,
                        copies=np.ones(units),
                    )
                    sources = ComparedSources(
                        first=counts[:, 0], second=counts[:, 1], copies=np.ones(units), cells=cells
                    )
                    found = compare(sources, settings)
                    rows = similarity_rows(data, (0, 1), found, cells, (), settings)[0]
                    said = [
                        *rare_levels(data, (), settings),
                        *(shape_cautions([found.mean]) if found.mean else ()),
                    ]
                    for row, called, truth in zip(
                        rows, ("corrected", "plug-in"), (true, plain), strict=True
                    ):
                        tally.covers(
                            f"{ci} (default)"
                            if called == "corrected" or aggregate == "unit"
                            else "outer limits (default)",
                            called,
                            [row],
                            [truth],
                            said,
                        )
                lines += tally.lines(
                    {
                        key: (0.92, 1.0)
                        for key in tally.shares
                        if key[0].startswith("outer") and units > 6
                    }
                )
    return lines


def shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of shares and of their differences."""
    lines: list[Line] = []
    model = MODELS["different"]
    for units in UNITS:
        tally = Tally("Choice shares: 7 people, 5 runs that mostly agree", f"{units} units")
        for _ in range(sims):
            found = ss.choice_shares(table(rng, units, model), permutations=99)
            groups = (
                ("people", "human", HUMAN),
                ("model", "model", model),
                ("model - human", "model - human", tuple(np.subtract(model, HUMAN))),
            )
            for called, group, truth in groups:
                rows = [found.row(level, group=group) for level in LEVELS]
                method = (
                    "t, paired units (default)"
                    if called == "model - human"
                    else "Wilson, units as clusters (default)"
                )
                tally.covers(method, called, rows, truth, found.cautions)
        lines += tally.lines()
    return lines


def equal_shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of equal shares, which are true, by F and by the chi-square of ratings."""
    lines: list[Line] = []
    for units in UNITS:
        tally = Tally(
            "Test of equal shares of people and model, which are true",
            f"{units} units",
            nominal=0.05,
        )
        for _ in range(sims):
            found = ss.choice_shares(
                table(rng, units, HUMAN), permutations=PERMUTATIONS, seed=int(rng.integers(1 << 30))
            )
            for term, called in (
                ("any level", "F over units and people (default)"),
                ("any level (ratings independent)", "chi-square of ratings"),
            ):
                tally.add(called, "rejected at 5%", found.row(term).p_value <= 0.05, found.cautions)
        lines += tally.lines({("F over units and people (default)", "rejected at 5%"): RATE})
    return lines


ANSWERS = (2, 7)  # a model answers a unit 2 to 6 times
MOST_UNITS = 40_000  # units behind the true distance


def answered_again(rng: np.random.Generator, units: int, model: tuple[float, ...]) -> ss.Ratings:
    """Seven people answer a unit once, and a model two to six times."""
    parts, once, again = [], np.full(units, PEOPLE), rng.integers(*ANSWERS, units)
    for source, shares, size, times in (
        ("human", HUMAN, SPREAD, once),
        ("model", model, REPEATS, again),
    ):
        chances = rng.dirichlet(size * np.array(shares), units)
        unit = np.repeat(np.arange(units), times)
        value = (rng.random((len(unit), 1)) > chances.cumsum(axis=1)[unit, :-1]).sum(axis=1)
        number = np.arange(len(unit)) - np.repeat(times.cumsum() - times, times)
        rater = [f"person {k}" for k in number] if source == "human" else "model"
        run = 1 if source == "human" else number + 1
        rows = {
            "unit": unit,
            "rater": rater,
            "source": source,
            "run": run,
            "value": np.array(LEVELS)[value],
        }
        parts.append(pd.DataFrame(rows))
    return ss.Ratings.from_frame(
        pd.concat(parts), repeat="run", scale="ordinal", levels=list(LEVELS), rater_source="source"
    )


def shares_of_answers(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of shares, similarity and distance where a model counts with the shares of its answers."""
    lines: list[Line] = []
    quick = {"permutations": 99, "splits": SPLITS, "resamples": RESAMPLES}
    for name in ("equal shares", "different"):
        model = MODELS[name]
        many = answered_again(np.random.default_rng(6), MOST_UNITS, model)
        distance = ss.ada_met(many, resamples=99).row("model", group=None).estimate
        for units in UNITS[:2]:
            tally = Tally(
                "Repeated answers beside people: a model of 2 to 6 answers",
                f"{name}, {units} units",
            )
            for _ in range(sims):
                design = answered_again(rng, units, model)
                nominal = replace(design, scale="nominal")
                found = ss.choice_shares(nominal, permutations=99)
                for group, truth in (
                    ("model", model),
                    ("model - human", tuple(np.subtract(model, HUMAN))),
                ):
                    rows = [found.row(level, group=group) for level in LEVELS]
                    tally.covers("choice_shares (default)", group, rows, truth, found.cautions)
                found = ss.js_similarity(nominal, **quick)
                tally.covers(
                    "js_similarity (default)",
                    "similarity",
                    [found.row("model")],
                    [similarity(HUMAN, model)],
                    found.cautions,
                )
                found = ss.ada_met(design, resamples=RESAMPLES)
                tally.covers(
                    "ada_met (default)",
                    "distance",
                    [found.row("model", group=None)],
                    [distance],
                    found.cautions,
                )
            lines += tally.lines()
    return lines


SOURCE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "similarities": similarities,
    "source_shares": shares,
    "equal_shares": equal_shares,
    "ceilings": ceilings,
    "similar_units": similar_units,
}
