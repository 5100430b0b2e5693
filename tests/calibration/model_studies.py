"""Simulations about models, topics, groups and prompts that are compared: tests of differences that are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from couple_studies import GROUPS, PAIRS_OF_GROUPS, POSITION, SOME, design, made
from scipy.special import expit
from tally import Line, Tally

import socialstats as ss
from socialstats.designs.parts import Factor
from socialstats.inference.compare import rows_with_holm
from socialstats.inference.dependence import mean_cautions
from socialstats.results import Result, Row
from socialstats.scales.bias_analysis import read_analysis
from socialstats.scales.bias_terms import gap_terms, stratum_codes
from socialstats.scales.couples import cell_scores

MODELS = 6
RATE, FAMILY = (0.03, 0.07), (0.0, 0.07)
LEVELS = ("comply", "deviate", "escalate")
Make = Callable[[np.random.Generator], Result]
NAMES = [f"m{k}" for k in range(MODELS)]


def rated(rng: np.random.Generator, units: int, clusters: int = 0) -> Result:
    """Mean ratings of units (in clusters) that are hard for all models; models have tastes of their own."""
    cluster = np.arange(units) % clusters if clusters else np.arange(units)
    hard = rng.normal(0, 1, units) + rng.normal(0, 1, max(clusters, 1))[cluster if clusters else 0]
    taste = rng.normal(0, 0.7, (MODELS, max(clusters, 1)))[:, cluster if clusters else 0 * cluster]
    values = np.clip(
        np.round(4 + hard + (taste if clusters else 0) + rng.normal(0, 1, (MODELS, units))), 0, 8
    )
    more = {"cluster": "cluster"} if clusters else {}
    return compared(
        {
            name: ss.mean_ratings(
                pd.DataFrame(
                    {
                        "unit": np.arange(units),
                        "rater": "r",
                        "value": own.astype(int),
                        "cluster": cluster,
                    }
                ),
                levels=list(range(9)),
                scale="interval",
                **more,
            )
            for name, own in zip(NAMES, values, strict=True)
        }
    )


def compared(results: dict[str, Result] | Result, **options: Any) -> Result:
    """Compare the models of a simulation."""
    return ss.compare_models(results, **options)


def norms(rng: np.random.Generator, units: int, people: int) -> Result:
    """ADA-Met of models that answer alike, from the same people."""
    item = rng.normal(2.2, 0.8, units)
    crowd = item + 0.3 * rng.normal(size=(people, 1)) + 0.8 * rng.normal(size=(people, units))
    own = item + 0.4 + 0.7 * rng.normal(size=(MODELS, units))
    value = np.clip(np.round(np.concatenate([crowd, own])), 0, 4).astype(int)
    rater, unit = np.indices(value.shape)
    frame = pd.DataFrame({"unit": unit.ravel(), "value": value.ravel()})
    frame["rater"] = [f"p{k}" if k < people else NAMES[k - people] for k in rater.ravel()]
    frame["source"] = np.where(rater.ravel() < people, "human", "model")
    design = ss.Ratings.from_frame(
        frame, levels=list(range(5)), scale="ordinal", rater_source="source"
    )
    return compared(ss.ada_met(design, resamples=100))


def choosers(rng: np.random.Generator, roles: int) -> Result:
    """S of models with the same strengths and sense of urgency; pairs of roles lean for all and for each model."""
    strength = np.linspace(-0.8, 0.8, roles)
    rows = [
        (a, b, u, v) for a, b in combinations(range(roles), 2) for u in range(3) for v in range(3)
    ]
    a, b, u, v = np.array(rows).T
    pair = a * roles + b
    lean = rng.normal(0, 0.6, roles * roles)
    found = {}
    for name in NAMES:
        own = rng.normal(0, 0.6, roles * roles)
        won = rng.random(len(rows)) < expit(
            strength[a] - strength[b] + 0.7 * (u - v) + lean[pair] + own[pair]
        )
        frame = pd.DataFrame(
            {
                "item_a": [f"r{k}" for k in a],
                "item_b": [f"r{k}" for k in b],
                "urgency_a": u,
                "urgency_b": v,
            }
        )
        frame["winner"] = np.where(won, frame["item_a"], frame["item_b"])
        found[name] = ss.sensitivity(
            ss.Comparisons.from_frame(frame, covariates=["urgency"], order=False)
        )
    return compared(found)


def couples(
    rng: np.random.Generator, scenarios: int, pairs: int, liking: float, number: str | None
) -> Result:
    """Biases of models that like alike; scenarios and pairs of names have tastes, for all models and for each."""
    shared = rng.normal(0, 0.5, scenarios), rng.normal(0, 0.3, pairs)
    found = {}
    for name in NAMES:
        taste = shared[0] + rng.normal(0, 0.4, scenarios), shared[1] + rng.normal(0, 0.2, pairs)
        rows = []
        for k, (first, second, side) in enumerate((("w", "m", 1), ("m", "w", -1))):
            scenario, pair = (x.ravel() for x in np.indices((scenarios, pairs)))
            odds = -0.3 + side * (-liking - taste[0][scenario] - taste[1][pair])
            said = np.where(rng.random(len(odds)) < expit(odds), 1, -1)
            rows.append(
                pd.DataFrame(
                    {
                        "scenario": scenario,
                        "pair": pair,
                        "group_first": first,
                        "group_second": second,
                        "answer": said,
                        "order": k,
                    }
                )
            )
        found[name] = ss.relationship_bias(pd.concat(rows).drop(columns="order"), resamples=100)
    return ss.compare_models(found, number)


def actions(rng: np.random.Generator, units: int) -> Result:
    """Similarity of models with one set of shares to people with another; runs of a unit mostly agree."""
    parts = []
    for source, shares, size, n in (
        ("human", (0.5, 0.3, 0.2), 6.0, 7),
        *((m, (0.3, 0.2, 0.5), 0.7, 5) for m in NAMES),
    ):
        chances = rng.dirichlet(size * np.array(shares), units)
        value = (rng.random((units, n, 1)) > chances.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
        unit, rater = (x.ravel() for x in np.indices(value.shape))
        parts.append(
            pd.DataFrame(
                {
                    "unit": unit,
                    "rater": rater,
                    "source": source,
                    "value": np.array(LEVELS)[value.ravel()],
                }
            )
        )
    design = ss.Ratings.from_frame(
        pd.concat(parts), scale="nominal", levels=list(LEVELS), rater_source="source"
    )
    return compared(ss.js_similarity(design, permutations=99, splits=99))


def profiles(rng: np.random.Generator, scenarios: int) -> Result:
    """Composites of models over stages, scored by three judges in the same scenarios."""
    hard = rng.normal(0, 2, scenarios)
    rows = [
        (
            name,
            f"s{k}",
            stage,
            judge,
            np.clip(round(10 + hard[k] + rng.normal(0, 2)), 0, 20),
            np.clip(round(10 - hard[k] + rng.normal(0, 2)), 0, 20),
        )
        for name in NAMES
        for k in range(scenarios)
        for stage in ("before", "after")
        for judge in ("a", "b", "c")
    ]
    frame = pd.DataFrame(rows, columns=["model", "scenario", "stage", "judge", "open", "strict"])
    return compared(ss.trait_profile(frame, weights={"open": 5, "strict": -5}, baseline="before"))


SETTINGS: dict[
    str, tuple[Make, bool]
] = {  # True: the rates are insisted on; those of B_all near 0 are low
    "mean rating, 20 units": (lambda rng: rated(rng, 20), True),
    "mean rating, 100 units": (lambda rng: rated(rng, 100), True),
    "mean rating, 120 units in 12 clusters": (lambda rng: rated(rng, 120, 12), True),
    "ADA-Met, 30 people, 40 units": (lambda rng: norms(rng, 40, 30), True),
    "ADA-Met, 30 people, 200 units": (lambda rng: norms(rng, 200, 30), True),
    "S, 10 roles (45 pairs)": (lambda rng: choosers(rng, 10), True),
    "S, 16 roles (120 pairs)": (lambda rng: choosers(rng, 16), True),
    "B, 15 scenarios x 12 pairs of names": (lambda rng: couples(rng, 15, 12, 0.4, "m - w"), True),
    "B_all, 15 scenarios x 12 pairs of names, B about .3": (
        lambda rng: couples(rng, 15, 12, 0.4, None),
        False,
    ),
    "B_all, 15 scenarios x 12 pairs of names, no bias": (
        lambda rng: couples(rng, 15, 12, 0.0, None),
        False,
    ),
    "Jensen-Shannon similarity, 40 units": (lambda rng: actions(rng, 40), True),
    "Jensen-Shannon similarity, 160 units": (lambda rng: actions(rng, 160), True),
    "composite, 12 scenarios": (lambda rng: profiles(rng, 12), True),
}


def rejections(
    study: str,
    settings: Mapping[str, tuple[Make, bool | None]],
    rng: np.random.Generator,
    sims: int,
    method: str,
) -> list[Line]:
    """Rejections of differences that are none: of one of many, and of any (adjusted p) where there are several."""
    lines: list[Line] = []
    for name, (make, insisted) in settings.items():
        tally = Tally(study, name, nominal=0.05)
        for _ in range(sims):
            found = make(rng)
            gaps = [
                row for row in found.rows if row.role == "difference" and row.p_value is not None
            ]
            for family in dict.fromkeys(kind_of(row) for row in gaps):
                own = [row for row in gaps if kind_of(row) == family]
                said = f"{family}, " if family else ""
                tally.add(
                    method,
                    f"{said}a difference, p < .05",
                    float(np.mean([row.p_value < 0.05 for row in own])),
                    found.cautions,
                )
                if len(own) > 1 and own[0].p_adjusted is not None:
                    any_one = min(row.p_adjusted for row in own) < 0.05
                    tally.add(method, f"{said}any difference, Holm", float(any_one), found.cautions)
        rates = {key: FAMILY if key[1].endswith("Holm") else RATE for key in tally.shares}
        must = {key: rate for key, rate in rates.items() if insisted or rate == FAMILY}
        lines += tally.lines(
            {} if insisted is None else must
        )  # None: a caution says that they fail
    return lines


def kind_of(row: Row) -> str:
    """What a difference between levels is of, B or S; else nothing."""
    return "" if row.label("first level") is None else "B" if row.label("group") else "S"


def model_comparisons(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of differences of models that are alike in law, on the same units; one of many, and any of all."""
    study = "Six models compared on the same units, with equal numbers"
    return rejections(study, SETTINGS, rng, sims, "t of what units add (default)")


def gaps(data: ss.Ratings, name: str, rows: str = "biases") -> Result:
    """Return the tests of differences of B (and S) between levels of a stratum, without what else a result has."""
    settings = {
        "scenario": "scenario",
        "pair": "pair",
        "group_first": "group_first",
        "group_second": "group_second",
        "groups": GROUPS,
        "answers": (-1, 1),
        "couples": "all",
        "aggregate": "pooled",
        "cluster": "declared",
        "stratum": name,
        "stratum_rows": rows,
        "level": 0.95,
    }
    found, _ = read_analysis(data, settings)
    codes, levels = stratum_codes(data, found.answers, name)
    parts = {
        level: replace(found, means=cell_scores(found.answers.take(codes == k), "pooled"))
        for k, level in enumerate(levels)
    }
    terms = gap_terms(found, parts, settings)
    kinds = [
        [t.row for t in terms if (t.row.label("first") is None) == of_bias]
        for of_bias in (True, False)
    ]
    said = mean_cautions(data, found.factors, [t.mean for t in terms], what="couples", bounded=True)
    return Result(
        metric="relationship_bias",
        title="",
        design=data,
        cautions=said,
        rows=tuple(row for kind in kinds for row in rows_with_holm(kind)),
    )


def parts(rng: np.random.Generator, *sizes: int) -> Result:
    """Biases of three groups of names in topics (kinds) of some scenarios each, with 12 pairs of names a kind."""
    return gaps(
        made(sum(sizes), 12, *SOME, parts=sizes).draw(rng),
        "part",
        "scores" if len(sizes) == 2 else "biases",
    )


def halves(rng: np.random.Generator, raters: int) -> Result:
    """Biases of two groups of raters who answer the same couples; scenarios and names have tastes, for all and each."""
    shape = 2 * raters, 15, len(PAIRS_OF_GROUPS), 12, 2
    r, s, g, p, order = (x.ravel() for x in np.indices(shape))
    sides, n = np.array(PAIRS_OF_GROUPS), len(r) // shape[0]
    first, second = sides[g, order], sides[g, 1 - order]
    effects = ((15, 3), 0.4, 0.3), ((3, 12), 0.2, 0.2), ((15,), 1.0, 0.3)
    taste, edge, own = (
        rng.normal(0, of_all, (1, *size)) + rng.normal(0, of_each, (shape[0], *size))
        for size, of_all, of_each in effects
    )
    taste = taste + np.array(SOME)
    eta = (
        POSITION
        + own[r, s]
        + taste[r, s, second]
        - taste[r, s, first]
        + np.where(order == 0, 1, -1) * edge[r, g, p]
    )
    value = (rng.random(len(r)) < expit(eta)).astype(np.int64)
    one = design(s[:n], (g * 12 + p)[:n], first[:n], second[:n], value[:n], s[:n])
    return gaps(
        replace(
            one,
            raters=tuple(f"r{k}" for k in range(shape[0])),
            unit=np.tile(one.unit, shape[0]),
            rater=r,
            value=value,
            status=np.zeros(len(r), dtype=np.int8),
            rater_groups={
                "half": Factor(name="half", codes=np.repeat([0, 1], raters), levels=("a", "b"))
            },
        ),
        "half",
        "scores",
    )


def families(rng: np.random.Generator, units: int) -> Result:
    """Alpha of three groups of four raters who agree alike, on the same units."""
    item = rng.normal(0, 1, units)
    found = {}
    for name in ("a", "b", "c"):
        value = np.clip(
            np.round(2 + item + rng.normal(0, 0.4, units) + rng.normal(0, 0.8, (4, units))), 0, 4
        )
        rater, unit = (x.ravel() for x in np.indices(value.shape))
        frame = pd.DataFrame({"unit": unit, "rater": rater, "value": value.ravel().astype(int)})
        design = ss.Ratings.from_frame(frame, levels=list(range(5)), scale="ordinal")
        found[name] = ss.krippendorff_alpha(design)
    return compared(found)


def groups(rng: np.random.Generator, sizes: tuple[int, ...], draw: Callable[..., Any]) -> Result:
    """Numbers of models of some groups, with models as the sample."""
    table = {"unit": [1, 2, 3], "rater": ["r"] * 3, "value": [1, 2, 3]}
    one = ss.mean_ratings(table, levels=[1, 2, 3], scale="interval")
    values = draw(rng, sum(sizes))
    found = {
        f"m{k}": replace(one, rows=(replace(one.rows[0], estimate=float(x)),))
        for k, x in enumerate(values)
    }
    level = np.repeat([f"g{k}" for k in range(len(sizes))], sizes).tolist()
    return ss.over_models(
        found, ["all units"], groups={"group": dict(zip(found, level, strict=True))}
    )


def prompts(rng: np.random.Generator, units: int, people: int) -> Result:
    """ADA-Met of three prompts, the mean over four models; people are shared, prompts move models in each unit."""
    item = rng.normal(2.2, 0.8, units)
    crowd = item + 0.3 * rng.normal(size=(people, 1)) + 0.8 * rng.normal(size=(people, units))
    model = item + 0.4 + 0.5 * rng.normal(size=(4, units))
    found = {}
    for name in ("plain", "table", "story"):
        own = model + 0.4 * rng.normal(size=(1, units)) + 0.5 * rng.normal(size=(4, units))
        value = np.clip(np.round(np.concatenate([crowd, own])), 0, 4).astype(int)
        rater, unit = (x.ravel() for x in np.indices(value.shape))
        frame = pd.DataFrame({"unit": unit, "value": value.ravel(), "rater": rater})
        frame["source"] = np.where(rater < people, "human", "model")
        design = ss.Ratings.from_frame(
            frame, levels=list(range(5)), scale="ordinal", rater_source="source"
        )
        found[name] = ss.ada_met(design, resamples=100)
    return compared(found, average=True)


def normal(rng: np.random.Generator, n: int) -> Any:
    """Normal numbers."""
    return rng.standard_normal(n)


def lognormal(rng: np.random.Generator, n: int) -> Any:
    """Numbers with a long tail."""
    return rng.lognormal(size=n)


LEVEL_SETTINGS: dict[str, tuple[Make, bool | None]] = {
    "three topics of 8 scenarios x 12 pairs": (lambda rng: parts(rng, 8, 8, 8), True),
    "topics of 2, 3 and 4 scenarios x 12 pairs": (lambda rng: parts(rng, 2, 3, 4), False),
    "traditional and egalitarian, 16 and 13 scenarios x 12": (lambda rng: parts(rng, 16, 13), True),
    "two groups of 4 raters, 15 scenarios x 12": (lambda rng: halves(rng, 4), True),
    "alpha of three groups of raters, 40 units": (lambda rng: families(rng, 40), True),
    "three prompts, 4 models, 10 people, 40 units": (lambda rng: prompts(rng, 40, 10), True),
}
GROUP_SETTINGS: dict[str, tuple[Make, bool | None]] = {
    "normal, 4 and 4 models": (lambda rng: groups(rng, (4, 4), normal), True),
    "normal, 3 and 16 models": (lambda rng: groups(rng, (3, 16), normal), None),
    "normal, 3, 5 and 10 models": (lambda rng: groups(rng, (3, 5, 10), normal), True),
    "normal, 2 and 2 models": (lambda rng: groups(rng, (2, 2), normal), False),
    "lognormal, 4 and 4 models": (lambda rng: groups(rng, (4, 4), lognormal), False),
    "lognormal, 3 and 16 models": (lambda rng: groups(rng, (3, 16), lognormal), False),
}


def level_comparisons(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of differences, which are none, of topics, kinds, groups of raters and prompts, and of models."""
    study = "Topics, kinds, groups of raters, prompts with equal numbers"
    return [
        *rejections(study, LEVEL_SETTINGS, rng, sims, "t on the units of both (default)"),
        *rejections(
            "Groups of models with equal means, models as the sample",
            GROUP_SETTINGS,
            rng,
            4 * sims,
            "Welch's t (default)",
        ),
    ]


MODEL_STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "model_comparisons": model_comparisons,
    "level_comparisons": level_comparisons,
}
