"""Simulations about relationship bias: 29 scenarios x 20 pairs of names, both with effects of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit
from simulate import FloatArray
from tally import Line, Tally

import socialstats as ss
from socialstats.designs.parts import Factor

RESAMPLES = 399
HOLDS = (0.92, 0.98)
GROUPS = ("man", "neutral", "woman")
PAIRS_OF_GROUPS = tuple(combinations(range(3), 2))
POSITION, SCENARIO_SD = -0.4, 1.0
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Couples:
    """Every scenario asked with every pair of names of every two groups, in both orders.

    The log-odds that the second name is chosen are position + scenario + (liking of the second group - liking of the
    first) + taste of the scenario for either + advantage of one name of the pair. The truth is the mean over scenarios
    and pairs like these.

    Attributes
    ----------
    scenarios, pairs : int
    liking : tuple of float
        Of each group.
    taste_sd, pair_sd : float
    """

    scenarios: int
    pairs: int
    liking: tuple[float, float, float]
    taste_sd: float
    pair_sd: float

    def draw(self, rng: np.random.Generator) -> ss.Ratings:
        """Answers to scenarios x pairs of groups x pairs of names x both orders."""
        shape = (self.scenarios, len(PAIRS_OF_GROUPS), self.pairs, 2)
        s, g, p, order = (x.ravel() for x in np.indices(shape))
        sides = np.array(PAIRS_OF_GROUPS)
        first, second = sides[g, order], sides[g, 1 - order]
        own = POSITION + SCENARIO_SD * rng.standard_normal(self.scenarios)
        taste = np.array(self.liking) + self.taste_sd * rng.standard_normal((self.scenarios, 3))
        advantage = self.pair_sd * rng.standard_normal(shape[1:3])
        eta = own[s] + taste[s, second] - taste[s, first] + np.where(order == 0, 1, -1) * advantage[g, p]
        value = (rng.random(len(s)) < expit(eta)).astype(np.int64)
        return design(s, g * self.pairs + p, first, second, value)

    def bias(self, a: int, b: int) -> float:
        """True B_ab: S_ba - S_ab with S = 2 E expit(...) - 1 by Gauss-Hermite."""
        sd = np.sqrt(SCENARIO_SD**2 + 2 * self.taste_sd**2 + self.pair_sd**2)

        def score(lead: float) -> float:
            return float(2 * (WEIGHTS / WEIGHTS.sum()) @ expit(POSITION + lead + sd * NODES) - 1)

        gap = self.liking[a] - self.liking[b]
        return score(gap) - score(-gap)

    def truths(self) -> FloatArray:
        """B of every pair of groups, in the order of the rows."""
        return np.array([self.bias(a, b) for a, b in PAIRS_OF_GROUPS])


def design(scenario: Any, pair: Any, first: Any, second: Any, value: Any) -> ss.Ratings:
    """Answers as ratings, one unit each."""
    n = len(value)

    def factor(name: str, codes: Any) -> Factor:
        return Factor(name=name, codes=codes.astype(np.int64), levels=tuple(f"{k:03d}" for k in range(codes.max() + 1)))

    groups = {
        name: Factor(name=name, codes=codes.astype(np.int64), levels=GROUPS)
        for name, codes in (("group_first", first), ("group_second", second))
    }
    return ss.Ratings(
        units=tuple(f"{k:05d}" for k in range(n)), raters=("model",), levels=("-1", "1"),
        scores=np.array([-1.0, 1.0]), scale="nominal", unit=np.arange(n), rater=np.zeros(n, dtype=np.int64),
        value=value, status=np.zeros(n, dtype=np.int8), unit_count=np.ones(n), numeric=True, strata=groups,
        clusters=(factor("scenario", scenario), factor("pair", pair)),
    )  # fmt: skip


SETTINGS = {
    "no bias, 29 x 20": Couples(scenarios=29, pairs=20, liking=(0.0, 0.0, 0.0), taste_sd=0.5, pair_sd=0.3),
    "biases, 29 x 20": Couples(scenarios=29, pairs=20, liking=(0.0, 0.1, 0.5), taste_sd=0.5, pair_sd=0.3),
    "biases, name pairs matter as much, 29 x 20": Couples(
        scenarios=29, pairs=20, liking=(0.0, 0.1, 0.5), taste_sd=0.4, pair_sd=0.5
    ),
    "biases, 80 x 20": Couples(scenarios=80, pairs=20, liking=(0.0, 0.1, 0.5), taste_sd=0.5, pair_sd=0.3),
}
WAYS = {
    "scenario x pair, V1 + V2 - V12 (default)": {}, "scenario alone, CR2": {"cluster": "scenario"},
    "answers independent": {"cluster": None},
}  # fmt: skip


def biases(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of B and B_all, and false positives of the tests where nobody is favoured."""
    lines: list[Line] = []
    for name, couples in SETTINGS.items():
        truth = couples.truths()
        study = "Relationship bias: scenarios x pairs of names, three groups"
        cover, errors = Tally(study, name), Tally(study, name, nominal=0.05)
        for _ in range(sims):
            one(cover, errors, couples.draw(rng), truth)
        must = {(next(iter(WAYS)), "B"): HOLDS}
        lines += cover.lines(must) + errors.lines()
    return lines


def one(cover: Tally, errors: Tally, data: ss.Ratings, truth: FloatArray) -> None:
    """Note what one table gives."""
    for way, options in WAYS.items():
        result: Any = ss.relationship_bias(data, groups=GROUPS, resamples=RESAMPLES, seed=1, **options)
        rows = [row for row in result.rows if row.group == "bias"]
        cover.covers(way, "B", rows, truth)
        if not options:
            main = result
    cover.covers("bootstrap", "B_all, interval", [main.row("B_all corrected", group="overall")], [np.abs(truth).mean()])
    if not truth.any():
        groups = {
            "multivariate t, scenario x pair": "overall, without any bias", "sign flips of scenarios":
            "scenario sign flip",
        }  # fmt: skip
        for way, group in groups.items():
            errors.add(way, "B_all, test", float((main.row("B_all", group=group).p_value or 1.0) < 0.05))
        naive = [main.row(row.term, group="McNemar, ignoring clusters") for row in main.rows if row.group == "bias"]
        errors.add(
            "McNemar, couples independent", "B, test", float(np.mean([(r.p_value or 1.0) < 0.05 for r in naive]))
        )


COUPLE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {"relationship_bias": biases}
