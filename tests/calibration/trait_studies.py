"""Simulations about trait profiles: scenarios drawn, judges fixed or drawn too; and the change of spreads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tally import Line, Tally

import socialstats as ss
from socialstats.inference.dependence import spread_cautions
from socialstats.inference.rows import with_spread
from socialstats.results import Row

RESAMPLES = 399
WEIGHTS = {"pro": 5.0, "con": -5.0}
MEAN, CHANGE, JUDGE_SD, INTERPLAY_SD = 12.0, -5.0, 6.0, 3.0
SIZES = ((10, 3), (20, 3), (20, 8), (60, 3))
SHAPES = ("normal", "skewed")
HOLDS = (0.92, 0.98)
WORDING_SD = (6.0, 3.0)


@dataclass(frozen=True)
class Play:
    """One model in scenarios and two stages; composites of scenarios are normal, or exponential and so skewed."""

    scenarios: int
    judges: int
    shape: str = "normal"

    def draw(self, rng: np.random.Generator) -> tuple[ss.Ratings, float]:
        """Scores, and the mean offset of these judges.

        The score of ``pro`` is 10 + C/10 plus noise, of ``con`` 10 - C/10 plus noise, rounded: rounding to whole
        numbers adds noise and (the noise has SD 1) no bias.
        """
        s, j = self.scenarios, self.judges
        level = rng.standard_normal(s) if self.shape == "normal" else rng.exponential(size=s) - 1
        offset = JUDGE_SD * rng.standard_normal(j)
        c = MEAN + 10 * level[:, None, None] + np.array([-CHANGE / 2, CHANGE / 2])[:, None] + offset
        c = c + INTERPLAY_SD * rng.standard_normal((s, 1, j)) + 4 * rng.standard_normal((s, 2, 1))
        scenario, stage, judge = (x.ravel() for x in np.indices(c.shape))
        rows = pd.DataFrame({"scenario": scenario, "stage": stage, "judge": judge})
        return ss.trait_ratings(
            with_scores(rows, c.ravel(), rng), traits=list(WEIGHTS), model=None
        ), offset.mean()


def with_scores(rows: pd.DataFrame, c: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Add the scores of composites."""
    scores = 10 + np.array([1, -1])[:, None] * c / 10 + rng.standard_normal((2, len(c)))
    return rows.assign(**{t: np.round(x).astype(int) for t, x in zip(WEIGHTS, scores, strict=True)})


METHODS = {
    "t, judges fixed (default)": {},
    "BCa, judges fixed": {"ci": "bca"},
    "two-way t, judges drawn": {"judges": "random"},
}


def composites(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the composite for these judges and for judges like them, and of the change between stages."""
    lines: list[Line] = []
    for shape in SHAPES:
        for scenarios, judges in SIZES if shape == "normal" else SIZES[1:2]:
            setting = f"{shape} scenarios, {scenarios} scenarios, {judges} judges"
            tally = Tally("Composite of traits: scenarios drawn, judges fixed or drawn", setting)
            for _ in range(sims):
                design, offset = Play(scenarios, judges, shape).draw(rng)
                for name, options in METHODS.items():
                    found = ss.trait_profile(
                        design,
                        weights=WEIGHTS,
                        free_weights=True,
                        model=None,
                        activation=None,
                        resamples=RESAMPLES,
                        seed=1,
                        **options,
                    )
                    level = found.row("all", group="composite")
                    change = found.row("all", group="composite change: 1 minus 0")
                    tally.covers(
                        name, "mean of these judges", [level], [MEAN + offset], found.cautions
                    )
                    drawn = name.removesuffix(
                        " (default)"
                    )  # fixed judges claim nothing about judges like them
                    tally.covers(drawn, "mean of judges like them", [level], [MEAN], found.cautions)
                    tally.covers(name, "change", [change], [CHANGE], found.cautions)
            must = {("t, judges fixed (default)", "change"): HOLDS} if judges == 3 else {}
            lines += tally.lines(must)
    return lines


def spreads(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the change of the mean sd of three wordings (times sqrt(pi)/2 of the true sd, with the noise)."""
    noise = np.sum(np.square(list(WEIGHTS.values()))) * (1 + 1 / 12)
    truth = float(np.sqrt(np.pi) / 2 * np.diff([-np.sqrt(sd**2 + noise) for sd in WORDING_SD])[0])
    lines: list[Line] = []
    for scenarios in (10, 20, 60):
        tally = Tally(
            "Change of the spread over wordings", f"{scenarios} scenarios, three wordings"
        )
        for _ in range(sims):
            c = 10 * rng.standard_normal((scenarios, 1, 1)) + np.array(WORDING_SD)[
                :, None
            ] * rng.standard_normal((scenarios, 2, 3))
            scenario, stage, wording = (x.ravel() for x in np.indices(c.shape))
            rows = pd.DataFrame(
                {"scenario": scenario, "stage": stage, "wording": wording, "judge": "j"}
            )
            design = ss.trait_ratings(
                with_scores(rows, c.ravel(), rng), traits=list(WEIGHTS), model=None
            )
            for name, ci in (("t (default)", "closed"), ("BCa", "bca")):
                found = ss.paraphrase_spread(
                    design,
                    weights=WEIGHTS,
                    free_weights=True,
                    model=None,
                    ci=ci,
                    resamples=RESAMPLES,
                    seed=1,
                )
                tally.covers(
                    name,
                    f"truth {truth:.3f}",
                    [found.row("0 minus 1", group="change")],
                    [truth],
                    found.cautions,
                )
        lines += tally.lines({("t (default)", f"truth {truth:.3f}"): HOLDS})
    return lines


SDS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "normal": (lambda rng, n: rng.standard_normal(n), 1.0),
    "uniform": (lambda rng, n: rng.random(n), 12**-0.5),
    "t with 5 df": (lambda rng, n: rng.standard_t(5, n), (5 / 3) ** 0.5),
    "exponential": (lambda rng, n: rng.exponential(size=n), 1.0),
    "lognormal, SD of logs 0.5": (
        lambda rng, n: rng.lognormal(0, 0.5, n),
        float(np.expm1(0.25) * np.exp(0.25)) ** 0.5,
    ),
    "lognormal, SD of logs 1": (
        lambda rng, n: rng.lognormal(0, 1, n),
        float(np.expm1(1.0) * np.exp(1.0)) ** 0.5,
    ),
}


def value_spreads(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of standard deviations of values (of models, of scenarios) by their shape and number."""
    lines: list[Line] = []
    method = "outer limits of Bonett's and the jackknife's (default)"
    for name, (draw, truth) in SDS.items():
        for n in (6, 12, 30, 60, 100, 200):
            tally = Tally("Standard deviation of values of unknown shape", f"{name}, n = {n}")
            for _ in range(sims):
                row = with_spread(Row(term="sd", role="spread"), draw(rng, n), 0.95)
                tally.covers(
                    method, "standard deviation", [row], [truth], spread_cautions([row], "value")
                )
            lines += tally.lines(
                {(method, "standard deviation"): (0.92, 1.0)}
                if name in ("normal", "uniform")
                else {}
            )
    return lines


MEANS = {
    "rows 10, columns 6, rest 3": (10, 6, 3),
    "rows 10, columns 2, rest 3": (10, 2, 3),
    "rows 3, columns 10, rest 1": (3, 10, 1),
    "rows 6, columns 0, rest 3": (6, 0, 3),
}
TABLES = ((10, 3), (20, 2), (20, 3), (60, 3), (200, 3), (20, 8))
TEXTS = {"10 neutral texts": 10, "3 neutral texts": 3, "one neutral text of 3 control texts": 1}
TEXT_SD = 4.0


def two_way(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the mean of a table of units by judges, both drawn, by sizes and standard deviations."""
    from socialstats.inference.crossed_mean import crossed_mean

    lines: list[Line] = []
    for n, k in TABLES:
        tally = Tally("Mean over drawn units and drawn judges", f"{n} units, {k} judges")
        for _ in range(sims):
            parts = (
                rng.standard_normal((n, 1)),
                rng.standard_normal((1, k)),
                rng.standard_normal((n, k)),
            )
            for name, sds in MEANS.items():
                x = sum(sd * part for sd, part in zip(sds, parts, strict=True))
                low, high = crossed_mean(x, magnitude=100.0).interval(0.95)
                tally.covers(
                    "mean squares, Cochran's df (default)", name, [Ends(low, high)], [0.0], True
                )  # SS202, always
        lines += tally.lines(
            {("mean squares, Cochran's df (default)", name): HOLDS for name in MEANS}
            if k > 2
            else {}
        )
    return lines


@dataclass(frozen=True)
class Ends:
    """Both ends of an interval."""

    conf_low: float
    conf_high: float


def controls(rng: np.random.Generator, leans: np.ndarray, offset: np.ndarray) -> pd.DataFrame:
    """Scores of control texts, each judge with the offset."""
    c = leans[:, None] + offset
    text, judge = (x.ravel() for x in np.indices(c.shape))
    return with_scores(pd.DataFrame({"text": text, "judge": judge}), c.ravel(), rng)


def zeros(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of the composite minus the neutral point of the judges, known or estimated, with or without error."""
    lines: list[Line] = []
    for setting, neutral in TEXTS.items():
        tally = Tally(
            "Composite minus the neutral point of the judges", f"20 scenarios, 3 judges, {setting}"
        )
        for _ in range(sims):
            offset = JUDGE_SD * rng.standard_normal(3)
            c = (
                MEAN
                + 10 * rng.standard_normal((20, 1))
                + offset
                + INTERPLAY_SD * rng.standard_normal((20, 3))
            )
            scenario, judge = (x.ravel() for x in np.indices(c.shape))
            rows = with_scores(pd.DataFrame({"scenario": scenario, "judge": judge}), c.ravel(), rng)
            design = ss.trait_ratings(rows, traits=list(WEIGHTS), model=None)
            leans = (
                TEXT_SD * rng.standard_normal(neutral)
                if neutral > 1
                else np.array([0.0, 40.0, -50.0])
            )
            texts = ss.trait_ratings(
                controls(rng, leans, offset), traits=list(WEIGHTS), model=None, scenario="text"
            )
            chosen = [str(k) for k in range(neutral)]
            zero = ss.judge_zeros(texts, weights=WEIGHTS, free_weights=True, texts=chosen)
            for name, value in (
                ("error of the zero in (default)", zero),
                ("zero taken as known", dict(zero)),
            ):
                found = ss.trait_profile(
                    design,
                    weights=WEIGHTS,
                    free_weights=True,
                    model=None,
                    stage=None,
                    activation=None,
                    zero=value,
                )
                tally.covers(
                    name,
                    "composite minus zero",
                    [found.row("all", group="composite minus zero")],
                    [MEAN],
                    found.cautions,
                )
        lines += tally.lines({("error of the zero in (default)", "composite minus zero"): HOLDS})
    return lines


TRAIT_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "traits": composites,
    "wordings": spreads,
    "two_way": two_way,
    "zeros": zeros,
}
