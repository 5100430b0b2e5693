"""Simulations about relationship bias: scenarios x pairs of names, both with effects of their own."""

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

    The log-odds that the second name is chosen are position + scenario + liking + taste + advantage. Liking is that of
    the second group minus that of the first. Taste is the scenario's for either group, advantage that of a name of the
    pair. The truth is the mean over scenarios and pairs like these.

    Attributes
    ----------
    scenarios, pairs : int
    liking : tuple of float
        Of each group.
    taste_sd, pair_sd : float
    parts : tuple of int
        Scenarios of each part (a topic, a kind); they sum to `scenarios`. No parts by default.
    times : tuple of float
        What `liking` is multiplied by in each part; all 1 by default.
    """

    scenarios: int
    pairs: int
    liking: tuple[float, float, float]
    taste_sd: float
    pair_sd: float
    parts: tuple[int, ...] = ()
    times: tuple[float, ...] = ()

    @property
    def part(self) -> Any:
        """(scenarios,) array: the part of each scenario."""
        return (
            np.repeat(np.arange(len(self.parts)), self.parts)
            if self.parts
            else np.zeros(self.scenarios, dtype=int)
        )

    def draw(self, rng: np.random.Generator) -> ss.Ratings:
        """Answers to scenarios x pairs of groups x pairs of names x both orders."""
        shape = (self.scenarios, len(PAIRS_OF_GROUPS), self.pairs, 2)
        s, g, p, order = (x.ravel() for x in np.indices(shape))
        sides = np.array(PAIRS_OF_GROUPS)
        first, second = sides[g, order], sides[g, 1 - order]
        own = POSITION + SCENARIO_SD * rng.standard_normal(self.scenarios)
        times = np.array(self.times or (1.0,))[
            self.part if self.times else np.zeros(self.scenarios, dtype=int)
        ]
        taste = times[:, None] * np.array(self.liking) + self.taste_sd * rng.standard_normal(
            (self.scenarios, 3)
        )
        advantage = self.pair_sd * rng.standard_normal(shape[1:3])
        eta = (
            own[s]
            + taste[s, second]
            - taste[s, first]
            + np.where(order == 0, 1, -1) * advantage[g, p]
        )
        value = (rng.random(len(s)) < expit(eta)).astype(np.int64)
        return design(s, g * self.pairs + p, first, second, value, self.part[s])

    def bias(self, a: int, b: int, times: float = 1.0) -> float:
        """True B_ab: S_ba - S_ab with S = 2 E expit(...) - 1 by Gauss-Hermite."""
        sd = np.sqrt(SCENARIO_SD**2 + 2 * self.taste_sd**2 + self.pair_sd**2)

        def score(lead: float) -> float:
            return float(2 * (WEIGHTS / WEIGHTS.sum()) @ expit(POSITION + lead + sd * NODES) - 1)

        gap = times * (self.liking[a] - self.liking[b])
        return score(gap) - score(-gap)

    def truths(self, times: float = 1.0) -> FloatArray:
        """B of every pair of groups, in the order of the rows."""
        return np.array([self.bias(a, b, times) for a, b in PAIRS_OF_GROUPS])


def design(scenario: Any, pair: Any, first: Any, second: Any, value: Any, part: Any) -> ss.Ratings:
    """Answers as ratings, one unit each."""
    n = len(value)

    def factor(name: str, codes: Any) -> Factor:
        return Factor(
            name=name,
            codes=codes.astype(np.int64),
            levels=tuple(f"{k:03d}" for k in range(codes.max() + 1)),
        )

    groups = {
        name: Factor(name=name, codes=codes.astype(np.int64), levels=GROUPS)
        for name, codes in (("group_first", first), ("group_second", second))
    }
    groups["part"] = factor("part", part)
    return ss.Ratings(
        units=tuple(f"{k:05d}" for k in range(n)),
        raters=("model",),
        levels=("-1", "1"),
        scores=np.array([-1.0, 1.0]),
        scale="nominal",
        unit=np.arange(n),
        rater=np.zeros(n, dtype=np.int64),
        value=value,
        status=np.zeros(n, dtype=np.int8),
        unit_count=np.ones(n),
        numeric=True,
        strata=groups,
        clusters=(factor("scenario", scenario), factor("pair", pair)),
    )


def made(scenarios: int, pairs: int, *liking: float, **more: Any) -> Couples:
    """Couples whose scenarios vary more than their pairs of names."""
    return Couples(
        **{
            "scenarios": scenarios,
            "pairs": pairs,
            "liking": liking,
            "taste_sd": 0.5,
            "pair_sd": 0.3,
        }
        | more
    )


SOME = (0.0, 0.1, 0.5)
SETTINGS = {
    "no bias, 29 x 20": made(29, 20, 0.0, 0.0, 0.0),
    "small biases, 29 x 20": made(29, 20, 0.0, 0.05, 0.15),
    "biases, 29 x 20": made(29, 20, *SOME),
    "large biases, 29 x 20": made(29, 20, 0.0, 0.8, 2.0),
    "biases, name pairs matter as much, 29 x 20": made(29, 20, *SOME, taste_sd=0.4, pair_sd=0.5),
    "biases, 80 x 20": made(80, 20, *SOME),
    "biases, 3 pairs a kind, 29 x 3": made(29, 3, *SOME),
    "biases, 3 pairs a kind that matter as much, 29 x 3": made(
        29, 3, *SOME, taste_sd=0.4, pair_sd=0.5
    ),
}
TOPICS = made(15, 20, *SOME, parts=(2, 3, 4, 6))
KINDS = made(29, 20, *SOME, parts=(16, 13), times=(1.0, 2.0))
CROSSED = "scenario x pair, V1 + V2 - V12, Cochran's df (default)"
WAYS: dict[str, dict[str, Any]] = {
    "scenario alone, CR2": {"cluster": "scenario"},
    "answers independent": {"cluster": None},
}
SIZE_HOLDS = (0.92, 1.0)  # with few degrees of freedom the interval reaches 0, and is too long
INVERTED = "inverted tests, scenario x pair (default)"
COMPARED = {
    "no bias, 29 x 20",
    "biases, 29 x 20",
    "biases, 3 pairs a kind, 29 x 3",
}  # with the other ways, which is slow
STUDY = "Relationship bias: scenarios x pairs of names, three groups"


def biases(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of B and B_all, and false positives of the tests where nobody is favoured."""
    lines: list[Line] = []
    for name, couples in SETTINGS.items():
        truth = couples.truths()
        cover, errors = Tally(STUDY, name), Tally(STUDY, name, nominal=0.05)
        for _ in range(sims):
            one(cover, errors, couples.draw(rng), truth, name in COMPARED)
        lines += (
            cover.lines({(CROSSED, "B"): HOLDS, (INVERTED, "B_all"): SIZE_HOLDS}) + errors.lines()
        )
    return lines + of_parts(rng, sims)


def one(cover: Tally, errors: Tally, data: ss.Ratings, truth: FloatArray, compared: bool) -> None:
    """Note what one table gives."""
    size = [np.abs(truth).mean()]
    main: Any = ss.relationship_bias(data, groups=GROUPS, seed=1)
    cover.covers(
        CROSSED, "B", [row for row in main.rows if row.group == "bias"], truth, main.cautions
    )
    cover.covers(
        INVERTED, "B_all", [main.row("B_all corrected", group="overall")], size, main.cautions
    )
    for way, options in WAYS.items() if compared else ():
        result: Any = ss.relationship_bias(data, groups=GROUPS, seed=1, **options)
        cover.covers(
            way, "B", [row for row in result.rows if row.group == "bias"], truth, result.cautions
        )
    if compared:
        drawn: Any = ss.relationship_bias(
            data, groups=GROUPS, resamples=RESAMPLES, seed=1, ci="percentile"
        )
        cover.covers("bootstrap", "B_all", [drawn.row("B_all corrected", group="overall")], size)
    if not truth.any():
        false_positives(errors, main)


def false_positives(errors: Tally, main: Any) -> None:
    """Note which tests reject that nobody is favoured."""
    groups = {
        "correlated t, scenario x pair (default)": "overall, without any bias",
        "sign flips of scenarios": "scenario sign flip",
    }
    for way, group in groups.items():
        errors.add(
            way,
            "B_all, test",
            float((main.row("B_all", group=group).p_value or 1.0) < 0.05),
            main.cautions,
        )
    naive = [
        main.row(row.term, group="McNemar, ignoring clusters")
        for row in main.rows
        if row.group == "bias"
    ]
    errors.add(
        "McNemar, couples independent",
        "B, test",
        float(np.mean([(r.p_value or 1.0) < 0.05 for r in naive])),
    )


def of_parts(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage within topics of few scenarios, and of the difference of two kinds."""
    topics, kinds = (
        Tally(STUDY, "biases, topics of 2 to 6 scenarios x 20"),
        Tally(STUDY, "biases in kinds of 16 and 13"),
    )
    must = {}
    for _ in range(sims):
        result: Any = ss.relationship_bias(TOPICS.draw(rng), groups=GROUPS, seed=1, stratum="part")
        for k, n in enumerate(TOPICS.parts):
            rows = [row for row in result.rows if row.group == f"part = {k:03d}"]
            must |= within(topics, rows, TOPICS.truths(), f" of {n} scenarios", result.cautions)
        result = ss.relationship_bias(KINDS.draw(rng), groups=GROUPS, seed=1, stratum="part")
        first, second = (KINDS.truths(times) for times in KINDS.times)
        must |= within(
            kinds,
            [row for row in result.rows if row.group == "part = 001"],
            second,
            " of 13 scenarios",
            result.cautions,
        )
        gaps = [row for row in result.rows if row.group == "000 - 001"]
        kinds.covers(CROSSED, "difference of B", gaps[:3], first - second, result.cautions)
        kinds.covers(
            "both intervals combined",
            "difference of B_all",
            gaps[3:],
            [np.abs(first).mean() - np.abs(second).mean()],
            result.cautions,
        )
    must |= {
        (CROSSED, "difference of B"): HOLDS,
        ("both intervals combined", "difference of B_all"): HOLDS,
    }
    return topics.lines(must) + kinds.lines(must)


def within(
    tally: Tally, rows: list[Any], truth: FloatArray, what: str, said: Any
) -> dict[tuple[str, str], tuple[float, float]]:
    """Note what the rows of a part hold; return what is insisted on."""
    tally.covers(CROSSED, f"B{what}", [row for row in rows if " - " in row.term], truth, said)
    better = [row for row in rows if row.term == "B_all corrected"]
    tally.covers(INVERTED, f"B_all{what}", better, [np.abs(truth).mean()], said)
    return {(CROSSED, f"B{what}"): HOLDS, (INVERTED, f"B_all{what}"): SIZE_HOLDS}


COUPLE_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "relationship_bias": biases
}
