"""Simulations with people as a sample: shares, differences, similarities, refusals and means, drawn or fixed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from tally import Line, Tally

import socialstats as ss
from socialstats.arrays import FloatArray

LEVELS = ("comply", "deviate", "escalate")
SHAPES = {"even shares": (1 / 3, 1 / 3, 1 / 3), "skewed shares (.85/.12/.03)": (0.85, 0.12, 0.03)}
OTHER = (0.6, 0.3, 0.1)  # shares of a model that differs from people
RUNS = 5
TABLES = ((5, 30), (7, 100), (30, 30), (30, 100))  # people, units
SOME = ((10, 2), (30, 3))  # people, and how many of them rate a unit
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
        units, people = (
            rng.normal(0, SD, (size, 1, len(base))),
            rng.normal(0, SD, (1, size, len(base))),
        )
        total += softmax(np.log(base) + units + people).mean(axis=(0, 1))
    return np.asarray(total / tables)


def answers(rng: np.random.Generator, chances: FloatArray) -> FloatArray:
    """One answer for each set of probabilities."""
    return np.asarray(
        (rng.random((*chances.shape[:-1], 1)) > chances.cumsum(axis=-1)[..., :-1]).sum(axis=-1)
    )


def long(values: FloatArray, source: str, labels: tuple[Any, ...], stem: str) -> pd.DataFrame:
    """(units, raters) answers as a long table."""
    unit, rater = (x.ravel() for x in np.indices(values.shape))
    names = np.array([f"{stem}{k}" for k in range(values.shape[1])])
    return pd.DataFrame(
        {
            "unit": unit,
            "rater": names[rater],
            "source": source,
            "value": np.array(labels)[values.ravel()],
        }
    )


def table(
    rng: np.random.Generator, units: int, people: int, base: FloatArray, *models: FloatArray
) -> ss.Ratings:
    """People with habits of their own, and models whose runs in a unit repeat each other, on the same units."""
    unit = rng.normal(0, SD, (units, 1, len(base)))
    habits = rng.normal(0, SD, (1, people, len(base)))
    parts = [long(answers(rng, softmax(np.log(base) + unit + habits)), "human", LEVELS, "person ")]
    for k, own in enumerate(models):
        chances = softmax(np.log(own) + unit + rng.normal(0, SD, (units, 1, len(base))))
        given = answers(rng, np.repeat(chances, RUNS, axis=1))
        parts.append(long(given, f"model {k}", LEVELS, f"model {k} run "))
    return ss.Ratings.from_frame(
        pd.concat(parts), scale="nominal", levels=list(LEVELS), rater_source="source"
    )


def similarity(p: FloatArray, q: FloatArray) -> float:
    """1 minus the divergence in bits, from entropies."""
    entropy = [-(x * np.log2(x)).sum() for x in ((p + q) / 2, p, q)]
    return float(1 - entropy[0] + (entropy[1] + entropy[2]) / 2)


def people_shares(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of shares, differences and similarities, and rejections of equal shares, of people as drawn."""
    lines: list[Line] = []
    for (shape, base), (people, units) in product(SHAPES.items(), TABLES):
        true, far = true_shares(np.array(base)), true_shares(np.array(OTHER))
        setting = f"{shape}, {people} people, {units} units"
        held = Tally("Shares and similarity, people drawn", setting)
        tests = Tally("Test of equal shares, people drawn", setting, nominal=0.05)
        for _ in range(sims):
            design = table(rng, units, people, np.array(base), np.array(base), np.array(OTHER))
            for called, how in WAYS.items():
                found = ss.choice_shares(design, permutations=99, people=how)
                for group, truth in (
                    ("human", true),
                    ("model 0 - human", 0 * true),
                    ("model 1 - human", far - true),
                ):
                    kind = "share of people" if group == "human" else "model minus people"
                    for level, value in zip(LEVELS, truth, strict=True):
                        quantity = (
                            f"{kind}, true share {dict(zip(LEVELS, true, strict=True))[level]:.2f}"
                        )
                        row = found.row(level, group=group)
                        named = kind if shape.startswith("even") else quantity
                        held.covers(called, named, [row], [value], row.cautions)
                row = found.row("any level", group="model 0 - human")
                if row.p_value is not None:
                    tests.add(called, "rejected at 5%", row.p_value <= 0.05, row.cautions)
                like = ss.js_similarity(design, permutations=99, splits=99, people=how)
                for name, value in (("model 0", 1.0), ("model 1", similarity(true, far))):
                    row = like.row(name)
                    held.covers(
                        called, f"similarity, truth {value:.3f}", [row], [value], row.cautions
                    )
        lines += held.lines(
            {
                key: HOLDS
                for key in held.shares
                if key[0] == DRAWN
                and not key[1].startswith("share of")
                and shape.startswith("even")
            }
        )
        lines += tests.lines({(DRAWN, "rejected at 5%"): RATE})
    return sorted(lines, key=lambda line: line.study)


RATED = {
    "five levels": (0.1, 0.2, 0.4, 0.2, 0.1),
    "five levels, most the highest": (0.02, 0.03, 0.05, 0.2, 0.7),
    "yes or no": (0.5, 0.5),
    "yes or no, .9": (0.1, 0.9),
}
PARTS = (0.3, 0.2, 0.5)  # variance of a rating by unit, by person, and of their intersection


def asked(rng: np.random.Generator, units: int, people: int, each: int) -> pd.DataFrame:
    """Which of the people rate each unit, as many for each unit."""
    order = rng.permuted(np.tile(np.arange(people), (units, 1)), axis=1)[:, :each]
    return pd.DataFrame({"unit": np.repeat(np.arange(units), each), "rater": order.ravel()})


def numbers(rng: np.random.Generator, table: pd.DataFrame) -> FloatArray:
    """Standard normal ratings, of which units and people have parts."""
    sizes = [table["unit"].max() + 1, table["rater"].max() + 1, len(table)]
    by_unit, by_person, rest = (
        np.sqrt(part) * rng.standard_normal(n) for part, n in zip(PARTS, sizes, strict=True)
    )
    return np.asarray(by_unit[table["unit"]] + by_person[table["rater"]] + rest)


def means_of_people(
    rng: np.random.Generator, setting: str, units: int, people: int, each: int, sims: int
) -> list[Line]:
    """Coverage of mean ratings of numbers and of levels."""
    held = Tally("Mean ratings, people drawn", setting)
    for _ in range(sims):
        frame = asked(rng, units, people, each)
        latent = numbers(rng, frame)
        for name, shares in {"numbers": (), **RATED}.items():
            cuts = norm.ppf(np.cumsum(shares)[:-1])
            scores = np.arange(len(shares)) + (len(shares) > 2)
            value = scores[np.searchsorted(cuts, latent)] if shares else latent
            levels = {"levels": scores.tolist()} if shares else {}
            design = ss.Ratings.from_frame(frame.assign(value=value), scale="interval", **levels)
            for called, how in WAYS.items():
                row = ss.mean_ratings(design, people=how).rows[0]
                held.covers(called, name, [row], [float(scores @ np.array(shares))], row.cautions)
    return held.lines({(DRAWN, name): HOLDS for name in ("numbers", "five levels", "yes or no")})


def gaps_of_people(
    rng: np.random.Generator, setting: str, units: int, people: int, sims: int
) -> list[Line]:
    """Rejections of equal mean ratings, and similarities to people, of two models met by the same people."""
    gaps = Tally(
        "Models compared by mean rating or similarity, people drawn", setting, nominal=0.05
    )
    rate, far = np.array(SHAPES["even shares"]), np.array(OTHER)
    for _ in range(sims):
        frame = asked(rng, units, people, people)
        shared = numbers(rng, frame)
        tables = {
            f"model {k}": ss.Ratings.from_frame(
                frame.assign(value=shared + numbers(rng, frame)), scale="interval"
            )
            for k in range(2)
        }
        design = table(rng, units, people, rate, far, far)
        for called, how in WAYS.items():
            rated = {name: ss.mean_ratings(one, people=how) for name, one in tables.items()}
            like = ss.js_similarity(design, permutations=99, splits=99, people=how)
            for name, results in (("mean rating", rated), ("similarity", like)):
                row = ss.compare_models(results).row("model 0 - model 1")
                if row.p_value is not None:
                    gaps.add(called, f"{name}: rejected at 5%", row.p_value <= 0.05, row.cautions)
    return gaps.lines(
        {(DRAWN, f"{name}: rejected at 5%"): RATE for name in ("mean rating", "similarity")}
    )


def refusals_of_people(
    rng: np.random.Generator, setting: str, units: int, people: int, sims: int
) -> list[Line]:
    """Coverage of shares of refusals."""
    held = Tally("Refusals, people drawn", setting)
    truth = true_shares(np.array([0.9, 0.1]))[1]
    for _ in range(sims):
        chance = softmax(
            np.log([0.9, 0.1])
            + rng.normal(0, SD, (units, 1, 2))
            + rng.normal(0, SD, (1, people, 2))
        )
        replies = long(answers(rng, chance), "human", ("yes", "refused"), "p")
        for called, how in WAYS.items():
            row = ss.reply_shares(replies, refusal="refused", scale="nominal", people=how).row(
                "refused"
            )
            held.covers(called, f"share refused, truth {truth:.2f}", [row], [truth], row.cautions)
    return held.lines()


def people_means(rng: np.random.Generator, sims: int) -> list[Line]:
    """Mean ratings of all units by all people, and by some of them."""
    tables = [
        (f"{people} people, {units} units", units, people, people) for people, units in TABLES
    ]
    tables += [
        (f"{people} people, 60 units rated by {each} of them", 60, people, each)
        for people, each in SOME
    ]
    return [line for table in tables for line in means_of_people(rng, *table, sims)]


def people_refusals(rng: np.random.Generator, sims: int) -> list[Line]:
    """Shares of refusals."""
    return [
        line
        for people, units in TABLES
        for line in refusals_of_people(rng, f"{people} people, {units} units", units, people, sims)
    ]


def people_gaps(rng: np.random.Generator, sims: int) -> list[Line]:
    """Differences of models met by the same people."""
    return [
        line
        for people, units in TABLES
        for line in gaps_of_people(rng, f"{people} people, {units} units", units, people, sims)
    ]


PEOPLE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "people_shares": people_shares,
    "people_means": people_means,
    "people_refusals": people_refusals,
    "people_gaps": people_gaps,
}
