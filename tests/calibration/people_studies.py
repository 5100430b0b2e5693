"""Simulations with people as a sample: shares, differences, similarities, refusals and means, drawn or fixed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from tally import Line, Tally

import socialstats as ss
from socialstats.arrays import FloatArray

LEVELS = ("comply", "deviate", "escalate")
SHAPES = {"even shares": (1 / 3, 1 / 3, 1 / 3), "skewed shares (.85/.12/.03)": (0.85, 0.12, 0.03)}
OTHER = (0.6, 0.3, 0.1)  # shares of a model that differs from people
PEOPLE, UNITS, RUNS = (7, 30), (30, 100), 5
SD = 1.0  # standard deviation of log-odds by unit, by person, and by unit for the model
DRAWN, FIXED = "units and people (default)", "people fixed"
WAYS = {DRAWN: "auto", FIXED: "fixed"}
HOLDS, RATE, DRAWS = (0.91, 0.99), (0.0, 0.08), (20, 600)


def softmax(log_odds: FloatArray) -> FloatArray:
    """Probabilities from log-odds."""
    e = np.exp(log_odds - log_odds.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def true_shares(base: FloatArray) -> FloatArray:
    """Mean shares over all units and people, by 20 tables of 600 units and 600 people drawn once."""
    rng, total = np.random.default_rng(3), np.zeros(len(base))
    tables, size = DRAWS
    for _ in range(tables):
        units, people = rng.normal(0, SD, (size, 1, len(base))), rng.normal(0, SD, (1, size, len(base)))
        total += softmax(np.log(base) + units + people).mean(axis=(0, 1))
    return np.asarray(total / tables)


def answers(rng: np.random.Generator, chances: FloatArray) -> FloatArray:
    """One answer for each set of probabilities."""
    return np.asarray((rng.random((*chances.shape[:-1], 1)) > chances.cumsum(axis=-1)[..., :-1]).sum(axis=-1))


def long(values: FloatArray, source: str, labels: tuple[Any, ...], stem: str) -> pd.DataFrame:
    """(units, raters) answers as a long table."""
    unit, rater = (x.ravel() for x in np.indices(values.shape))
    names = np.array([f"{stem}{k}" for k in range(values.shape[1])])
    return pd.DataFrame({"unit": unit, "rater": names[rater], "source": source,
                         "value": np.array(labels)[values.ravel()]})  # fmt: skip


def table(rng: np.random.Generator, units: int, people: int, base: FloatArray, *models: FloatArray) -> ss.Ratings:
    """People with habits of their own, and models whose runs in a unit repeat each other, on the same units."""
    unit = rng.normal(0, SD, (units, 1, len(base)))
    habits = rng.normal(0, SD, (1, people, len(base)))
    parts = [long(answers(rng, softmax(np.log(base) + unit + habits)), "human", LEVELS, "person ")]
    for k, own in enumerate(models):
        chances = softmax(np.log(own) + unit + rng.normal(0, SD, (units, 1, len(base))))
        given = answers(rng, np.repeat(chances, RUNS, axis=1))
        parts.append(long(given, f"model {k}", LEVELS, f"model {k} run "))
    return ss.Ratings.from_frame(pd.concat(parts), scale="nominal", levels=list(LEVELS), rater_source="source")


def similarity(p: FloatArray, q: FloatArray) -> float:
    """1 minus the divergence in bits, from entropies."""
    entropy = [-(x * np.log2(x)).sum() for x in ((p + q) / 2, p, q)]
    return float(1 - entropy[0] + (entropy[1] + entropy[2]) / 2)


def people_shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of shares, differences and similarities, and rejections of equal shares, of people as drawn."""
    lines: list[Line] = []
    for (shape, base), people, units in product(SHAPES.items(), PEOPLE, UNITS):
        true, far = true_shares(np.array(base)), true_shares(np.array(OTHER))
        setting = f"{shape}, {people} people, {units} units"
        held = Tally("Shares and similarity, people drawn", setting)
        tests = Tally("Test of equal shares, people drawn", setting, nominal=0.05)
        for _ in range(sims):
            design = table(rng, units, people, np.array(base), np.array(base), np.array(OTHER))
            for called, how in WAYS.items():
                found = ss.choice_shares(design, permutations=99, people=how)
                for group, truth in (("human", true), ("model 0 - human", 0 * true), ("model 1 - human", far - true)):
                    kind = "share of people" if group == "human" else "model minus people"
                    for level, value in zip(LEVELS, truth, strict=True):
                        quantity = f"{kind}, true share {dict(zip(LEVELS, true, strict=True))[level]:.2f}"
                        held.covers(called, kind if shape.startswith("even") else quantity,
                                    [found.row(level, group=group)], [value], found.cautions)  # fmt: skip
                p = found.row("any level", group="model 0 - human").p_value
                if p is not None:
                    tests.add(called, "rejected at 5%", p <= 0.05, found.cautions)
                like = ss.js_similarity(design, permutations=99, splits=99, people=how)
                for name, value in (("model 0", 1.0), ("model 1", similarity(true, far))):
                    held.covers(called, f"similarity, truth {value:.3f}", [like.row(name)], [value], like.cautions)
        lines += held.lines({key: HOLDS for key in held.shares if key[0] == DRAWN and not key[1].startswith("share of")
                             and shape.startswith("even")})  # fmt: skip
        lines += tests.lines({(DRAWN, "rejected at 5%"): RATE})
    return sorted(lines, key=lambda line: line.study)


def people_means(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of shares of refusals, and size of differences of models met by the same people."""
    lines: list[Line] = []
    for people, units in product(PEOPLE, UNITS):
        setting = f"{people} people, {units} units"
        means = Tally("Refusals, people drawn", setting)
        gaps = Tally("Models compared by similarity, people drawn", setting, nominal=0.05)
        refused = true_shares(np.array([0.9, 0.1]))[1]
        rate, far = np.array(SHAPES["even shares"]), np.array(OTHER)
        for _ in range(sims):
            chance = softmax(np.log([0.9, 0.1]) + rng.normal(0, SD, (units, 1, 2)) + rng.normal(0, SD, (1, people, 2)))
            replies = long(answers(rng, chance), "human", ("yes", "refused"), "p")
            design = table(rng, units, people, rate, far, far)
            for called, how in WAYS.items():
                shares = ss.reply_shares(replies, refusal="refused", scale="nominal", people=how)
                means.covers(called, f"share refused, truth {refused:.2f}", [shares.row("refused")], [refused],
                             shares.cautions)  # fmt: skip
                like = ss.js_similarity(design, permutations=99, splits=99, people=how)
                gaps.add(called, "similarity: rejected at 5%",
                         ss.compare_models(like).row("model 0 - model 1").p_value <= 0.05)  # fmt: skip
        lines += means.lines({}) + gaps.lines({(DRAWN, "similarity: rejected at 5%"): RATE})
    return sorted(lines, key=lambda line: line.study)


PEOPLE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "people_shares": people_shares, "people_means": people_means,
}  # fmt: skip
