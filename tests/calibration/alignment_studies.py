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
CLEAR, MIXED, ENDS = 0.8, 1.2, 2.0  # sd of single answers
SIZES = ((100, 40, CLEAR), (400, 100, CLEAR), (100, 40, MIXED), (400, 100, MIXED), (400, 100, ENDS))
SAID = {
    CLEAR: "half of them a unit",
    MIXED: "half of them a unit, answers that scatter widely",
    ENDS: "half of them a unit, answers that pile up at both ends",
}
GROUPS = (
    ((20, 20), 0.0),
    ((8, 32), 0.0),
    ((3, 3), 0.0),
    ((20, 20), 0.3),
)  # people of two groups, and their shift
DRAWS = 1500
EDGES = np.array([-np.inf, 0.5, 1.5, 2.5, 3.5, np.inf])
HOLDS, NEAR = (0.92, 0.985), (0.92, 1.0)


@dataclass(frozen=True)
class Norms:
    """People (half of them a unit) and a model for each bias answer units; latent normal values are rounded to 0-4."""

    units: int
    people: int
    sd: float = CLEAR

    def side(self, sizes: tuple[int, int]) -> np.ndarray:
        """Group of each person; every second person asked about half of the units is of the other half."""
        order = (
            np.arange(self.people).reshape(2, -1).T.ravel()
        )  # couples, who share the units between them
        side = np.empty(self.people, dtype=np.int64)
        side[order] = np.repeat([0, 1], sizes)
        return side

    def answers(
        self, rng: np.random.Generator, sizes: tuple[int, int] | None = None, shift: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Answers of people (people, units), whether they were asked, and answers of the models (models, units)."""
        item = MEAN + ITEM_SD * rng.standard_normal(self.units)
        own = PERSON_SD * rng.standard_normal((self.people, 1))
        if sizes is not None:
            own += shift * np.where(self.side(sizes) == 0, -1.0, 1.0)[:, None]
        people = item + own + self.sd * rng.standard_normal((self.people, self.units))
        models = (
            item
            + np.array(BIASES)[:, None]
            + MODEL_SD * rng.standard_normal((len(BIASES), self.units))
        )
        one = rng.random((self.people // 2, self.units)) < 0.5
        asked = np.concatenate([one, ~one])
        return rounded(people), asked, rounded(models)

    def draw(
        self, rng: np.random.Generator, sizes: tuple[int, int] | None = None, shift: float = 0.0
    ) -> Ratings:
        """One table of ratings; with `sizes` its people are of two groups."""
        people, asked, models = self.answers(rng, sizes, shift)
        groups = {"source": sources(self.people, len(models))}
        if sizes is not None:
            groups["side"] = replace(factor("side", [*self.side(sizes), -1, -1]), levels=("a", "b"))
        given = np.concatenate([asked, np.ones(models.shape, dtype=bool)])
        rater, unit = np.nonzero(given)
        order = np.lexsort((rater, unit))
        value = np.concatenate([people, models])[rater, unit][order]
        raters = [f"h{k:03d}" for k in range(self.people)] + [f"m{k}" for k in range(len(models))]
        return Ratings(
            units=tuple(f"{u:04d}" for u in range(self.units)),
            raters=tuple(raters),
            levels=tuple("01234"),
            scores=np.arange(5.0),
            scale="ordinal",
            unit=unit[order],
            rater=rater[order],
            value=value,
            status=np.zeros(len(value), dtype=np.int8),
            unit_count=np.ones(self.units),
            numeric=True,
            rater_groups=groups,
        )

    def expected(self, rng: np.random.Generator) -> np.ndarray:
        """Mean distance of each model with as many people as these, over many tables."""
        found = []
        for _ in range(DRAWS):
            found.append(np.nanmean(distances(*self.answers(rng)), axis=1))
        return np.mean(found, axis=0)


def distances(people: np.ndarray, asked: np.ndarray, models: np.ndarray) -> np.ndarray:
    """Distances of models from modes, (models, units); NaN where nobody was asked."""
    counts = np.stack([((people == level) & asked).sum(axis=0) for level in range(LEVELS)], axis=1)
    top = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    with np.errstate(invalid="ignore"):
        return np.abs((top @ np.arange(5.0)) / top.sum(axis=1) - models)


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
        truths = {
            "with as many people": norms.expected(rng),
            "from the population's mode": without_noise(sd),
        }
        tally = Tally(
            "ADA-Met: people and units resampled", f"{units} units, {people} people, {SAID[sd]}"
        )
        for k in range(sims):
            others = (
                ("centred", "basic") if k % 3 == 0 and sd != ENDS else ()
            )  # to be seen, not to be relied on
            one(tally, norms.draw(rng), truths, ("two_way", *others))
        lines += tally.lines(insisted(tally, HOLDS if sd != ENDS else NEAR))
    return [*lines, *groups_of_people(rng, sims)]


def groups_of_people(rng: np.random.Generator, sims: int) -> list[Line]:
    """Do interval and test of two groups' difference hold, of like and unlike, and of very small groups?"""
    lines = []
    for sizes, shift in GROUPS:
        norms = Norms(100, sum(sizes))
        truth = difference(norms, sizes, shift, rng)
        setting = f"groups of {sizes[0]} and {sizes[1]} people, " + (
            f"{2 * shift:g} apart" if shift else "alike"
        )
        tally = Tally("ADA-Met: two groups of people", setting)
        tests = Tally("ADA-Met: two groups of people", setting, nominal=0.05)
        for _ in range(2 * sims // 3):
            found = ss.ada_met(norms.draw(rng, sizes, shift), group="side", resamples=199, seed=1)
            for k, bias in enumerate(BIASES):
                row = found.row(f"m{k}", group="side: a - b")
                tally.covers(
                    "t, corrected for group size (default)",
                    f"difference, bias {bias:g}",
                    [row],
                    [truth[k]],
                    found.cautions,
                )
                if shift == 0:
                    p = found.extras["permutation_p"]["a - b"][f"m{k}"]
                    tests.add(
                        "t, corrected for group size (default)",
                        f"test, bias {bias:g}",
                        (row.p_value or 1) < 0.05,
                        found.cautions,
                    )
                    tests.add("people permuted", f"test, bias {bias:g}", p < 0.05)
        lines += [*tally.lines(dict.fromkeys(tally.shares, NEAR)), *tests.lines()]
    return lines


def difference(
    norms: Norms, sizes: tuple[int, int], shift: float, rng: np.random.Generator
) -> np.ndarray:
    """Mean difference of each model beyond sizes: 0 of alike groups; of like sizes that over many tables."""
    if shift == 0:
        return np.zeros(len(BIASES))
    found = []
    for _ in range(DRAWS):
        people, asked, models = norms.answers(rng, sizes, shift)
        first = norms.side(sizes) == 0
        sides = [distances(people[one], asked[one], models) for one in (first, ~first)]
        found.append(np.nanmean(sides[0] - sides[1], axis=1))
    return np.mean(found, axis=0)


def one(
    tally: Tally, design: Ratings, truths: dict[str, np.ndarray], kinds: tuple[str, ...]
) -> None:
    """Intervals of one table."""
    for ci in kinds:
        found = ss.ada_met(design, ci=ci, resamples=RESAMPLES, seed=1)
        for k, bias in enumerate(BIASES):
            row = found.row(f"m{k}", group=None)
            for name, truth in truths.items():
                own = (
                    named(ci) if name.startswith("with as many") else ci
                )  # no interval claims to hold the other truth
                tally.covers(
                    own, f"{name}, bias {bias:g}: {truth[k]:.3f}", [row], [truth[k]], found.cautions
                )


def insisted(
    tally: Tally, holds: tuple[float, float]
) -> dict[tuple[str, str], tuple[float, float]]:
    """What must hold: the default for its truth."""
    return {
        key: holds
        for key in tally.shares
        if key[0] == named("two_way") and key[1].startswith("with as many")
    }


def named(ci: str) -> str:
    """Name a method."""
    return "two-way t (default)" if ci == "two_way" else ci


ALIGNMENT_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "ada_met": alignment
}
