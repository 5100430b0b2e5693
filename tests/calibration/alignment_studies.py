"""Simulations about ADA-Met: does an interval hold the distance expected with as many people, or that without noise?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from made import factor
from scipy.special import ndtr
from tally import Line, Tally

import socialstats as ss
from socialstats import Ratings
from socialstats.designs.parts import Factor

RESAMPLES = 399
LEVELS = 5
MEAN, ITEM_SD, PERSON_SD, MODEL_SD = 2.6, 0.7, 0.3, 0.5
BIASES = (0.0, 0.8)
CLEAR, MIXED = 0.8, 1.2  # sd of single answers
SIZES = ((100, 40, CLEAR), (400, 100, CLEAR), (100, 40, MIXED), (400, 100, MIXED))
SAID = {CLEAR: "half of them a unit", MIXED: "half of them a unit, answers that scatter widely"}
POPULATION = "population's mode, extrapolated"
DRAWS = 1500
EDGES = np.array([-np.inf, 0.5, 1.5, 2.5, 3.5, np.inf])
HOLDS, NEAR = (0.92, 0.985), (0.92, 1.0)


@dataclass(frozen=True)
class Norms:
    """People (half of them a unit) and a model for each bias answer units; latent normal values are rounded to 0-4."""

    units: int
    people: int
    sd: float = CLEAR

    def answers(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Answers of people (people, units), whether they were asked, and answers of the models (models, units)."""
        item = MEAN + ITEM_SD * rng.standard_normal(self.units)
        own = PERSON_SD * rng.standard_normal((self.people, 1))
        people = item + own + self.sd * rng.standard_normal((self.people, self.units))
        models = item + np.array(BIASES)[:, None] + MODEL_SD * rng.standard_normal((len(BIASES), self.units))
        one = rng.random((self.people // 2, self.units)) < 0.5
        asked = np.concatenate([one, ~one])
        return rounded(people), asked, rounded(models)

    def draw(self, rng: np.random.Generator) -> Ratings:
        """One table of ratings."""
        people, asked, models = self.answers(rng)
        given = np.concatenate([asked, np.ones(models.shape, dtype=bool)])
        rater, unit = np.nonzero(given)
        order = np.lexsort((rater, unit))
        value = np.concatenate([people, models])[rater, unit][order]
        raters = [f"h{k:03d}" for k in range(self.people)] + [f"m{k}" for k in range(len(models))]
        return Ratings(
            units=tuple(f"{u:04d}" for u in range(self.units)), raters=tuple(raters), levels=tuple("01234"),
            scores=np.arange(5.0), scale="ordinal", unit=unit[order], rater=rater[order], value=value,
            status=np.zeros(len(value), dtype=np.int8), unit_count=np.ones(self.units), numeric=True,
            rater_groups={"source": sources(self.people, len(models))},
        )  # fmt: skip

    def expected(self, rng: np.random.Generator) -> np.ndarray:
        """Mean distance of each model with as many people as these, over many tables."""
        found = []
        for _ in range(DRAWS):
            people, asked, models = self.answers(rng)
            counts = np.stack([((people == level) & asked).sum(axis=0) for level in range(LEVELS)], axis=1)
            top = counts == counts.max(axis=1, keepdims=True)
            found.append(np.abs((top @ np.arange(5.0)) / top.sum(axis=1) - models).mean(axis=1))
        return np.mean(found, axis=0)


def rounded(latent: np.ndarray) -> np.ndarray:
    """Answers 0 to 4."""
    return np.clip(np.rint(latent), 0, LEVELS - 1).astype(np.int64)


def sources(people: int, models: int) -> Factor:
    """The factor of sources."""
    return replace(factor("source", [0] * people + [1] * models), levels=("human", "model"))


def without_noise(answer_sd: float) -> np.ndarray:
    """Mean distance of each model from the likeliest answer of the population, by sums over latent item values."""
    z = np.linspace(-8, 8, 64_001)
    density = np.exp(-(z**2) / 2)
    item = MEAN + ITEM_SD * z
    sd = np.hypot(PERSON_SD, answer_sd)
    mode = np.diff(ndtr((EDGES - item[:, None]) / sd), axis=1).argmax(axis=1)
    out = []
    for bias in BIASES:
        model = np.diff(ndtr((EDGES - item[:, None] - bias) / MODEL_SD), axis=1)
        distance = (model * np.abs(mode[:, None] - np.arange(LEVELS))).sum(axis=1)
        out.append((distance * density).sum() / density.sum())
    return np.array(out)


def alignment(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of ADA-Met by each interval, of two truths."""
    lines = []
    for units, people, sd in SIZES:
        norms = Norms(units, people, sd)
        truths = {"with as many people": norms.expected(rng), "from the population's mode": without_noise(sd)}
        tally = Tally("ADA-Met: people and units resampled", f"{units} units, {people} people, {SAID[sd]}")
        for _ in range(sims):
            one(tally, norms.draw(rng), truths)
        lines += tally.lines(insisted(tally, sd))
    return lines


def one(tally: Tally, design: Ratings, truths: dict[str, np.ndarray]) -> None:
    """Intervals of one table."""
    for ci in ("two_way", "centred", "basic"):
        found = ss.ada_met(design, ci=ci, resamples=RESAMPLES, seed=1)
        for k, bias in enumerate(BIASES):
            row = found.row(f"m{k}", group=None)
            for name, truth in truths.items():
                tally.covers(named(ci), f"{name}, bias {bias:g}: {truth[k]:.3f}", [row], [truth[k]])
            if ci == "two_way":
                name, truth = "from the population's mode", truths["from the population's mode"]
                row = found.row(f"m{k}", group="population's mode")
                tally.covers(POPULATION, f"{name}, bias {bias:g}: {truth[k]:.3f}", [row], [truth[k]])


def insisted(tally: Tally, sd: float) -> dict[tuple[str, str], tuple[float, float]]:
    """What must hold: the default for its truth, and the extrapolation where leading levels are not nearly tied."""
    must = {key: HOLDS for key in tally.shares if key[0] == named("two_way") and key[1].startswith("with as many")}
    return must | ({key: NEAR for key in tally.shares if key[0] == POPULATION} if sd == CLEAR else {})


def named(ci: str) -> str:
    """Name a method."""
    return "two-way t (default)" if ci == "two_way" else ci


ALIGNMENT_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {"ada_met": alignment}
