"""Cautions of healthy tables: ten kinds of tables without a fault, through each metric and page that reads them.

    python tests/calibration/healthy.py [--draws 25] [--only KIND]

A healthy table has a sample of the usual size, declared clusters, declared levels and no missing value. A caution that
most of them carry tells readers nothing. At most 5% of the calls may have one, and none may be in every draw of a call.
What is information, whatever the data, is a note.

Not called are metrics for which a table is not healthy. `choice_entropy` takes pairs of items as independent. Where
judges differ with an SD of 1 (20 judges, 6 items), its interval held .88 of 500 simulations: SS201 is right there.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "reports")]

from socialstats import Comparisons, Groups, Paired, Ratings, datasets  # noqa: E402
from socialstats.datasets.simulate_staged_values import JUDGE_OFFSET, TRAIT_SD, WEIGHTS, trait_means  # noqa: E402
from socialstats.datasets.simulating import rounded  # noqa: E402
from socialstats.designs.model_scores import model_scores  # noqa: E402
from socialstats.errors import Caution  # noqa: E402
from socialstats.metrics import METRICS  # noqa: E402
from socialstats.studies import STUDIES, StudyOptions, pick, run_study  # noqa: E402
from socialstats.tables import as_table  # noqa: E402
from socialstats_reports.arrangement import arranged  # noqa: E402

MOST, DRAWS = 0.05, 25  # share of calls that may have a caution; draws of each table
LEVELS = ("very bad", "bad", "neutral", "good", "very good")


def levels_of(latent: Any, cuts: Any = (-1.5, -0.5, 0.5, 1.5)) -> np.ndarray:
    """Return latent values as ordered levels."""
    return np.searchsorted(cuts, latent)


def arena(rng: np.random.Generator) -> Comparisons:
    """Every two of six models meet in 80 prompts, judged by 20 judges, who also differ in taste."""
    strength, taste = np.linspace(-0.6, 0.6, 6), 0.3 * rng.standard_normal((20, 6))
    rows = []
    for prompt in range(80):
        suits = 0.3 * rng.standard_normal(6)
        for a in range(6):
            for b in range(a + 1, 6):
                judge = int(rng.integers(20))
                x = strength + taste[judge] + suits
                one, two = (a, b) if rng.random() < 0.5 else (b, a)
                won = one if rng.random() < 1 / (1 + np.exp(x[two] - x[one])) else two
                rows.append(
                    (f"model {one}", f"model {two}", f"model {won}", f"j{judge}", f"p{prompt}")
                )
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "judge", "prompt"])
    return Comparisons.from_frame(frame, cluster=["judge", "prompt"], order="item_a")


def options(rng: np.random.Generator) -> Comparisons:
    """Pairs of twelve options of three kinds with an urgency each, six stories a pair."""
    rows = []
    for a in range(12):
        for b in range(a + 1, 12):
            lean = 0.3 * rng.standard_normal()
            for _ in range(6):
                one, two = (a, b) if rng.random() < 0.5 else (b, a)
                ua, ub = (int(v) for v in rng.integers(1, 4, 2))
                x = 0.8 * (ua - ub) + 0.08 * (one - two) + (lean if one == a else -lean)
                won = one if rng.random() < 1 / (1 + np.exp(-x)) else two
                kinds = ("family", "work", "law")
                rows.append(
                    (
                        f"o{one:02d}",
                        f"o{two:02d}",
                        f"o{won:02d}",
                        ua,
                        ub,
                        kinds[one % 3],
                        kinds[two % 3],
                    )
                )
    names = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "domain_a", "domain_b"]
    return Comparisons.from_frame(pd.DataFrame(rows, columns=names), cluster="pair", order="item_a")


def accuracy(rng: np.random.Generator) -> Ratings:
    """Three models answer the same 200 items right or wrong."""
    ease = rng.standard_normal(200)
    rows = [
        (f"m{m}", f"q{k:03d}", int(rng.random() < 1 / (1 + np.exp(-ease[k] - 0.4 * m))))
        for m in range(3)
        for k in range(200)
    ]
    return model_scores(pd.DataFrame(rows, columns=["model", "item", "correct"]))


def before_after(rng: np.random.Generator) -> Paired:
    """60 units with a score before and after."""
    before = rng.normal(50, 10, 60)
    after = before + rng.normal(3, 6, 60)
    frame = pd.DataFrame(
        {"id": [f"s{k:02d}" for k in range(60)], "before": before, "after": after}
    ).round(2)
    long = frame.melt("id", var_name="time", value_name="score")
    return Paired.from_frame(
        long, unit="id", condition="time", value="score", conditions=("after", "before")
    )


def two_groups(rng: np.random.Generator) -> Groups:
    """50 people in each of two arms, with a score."""
    frame = pd.DataFrame(
        {
            "person": [f"p{k:03d}" for k in range(100)],
            "arm": np.repeat(["new", "old"], 50),
            "score": np.round(rng.normal(20, 4, 100) + np.repeat([1.5, 0.0], 50), 2),
        }
    )
    return Groups.from_frame(frame)


def likert(rng: np.random.Generator) -> Ratings:
    """80 texts rated by five raters on five levels."""
    truth = rng.standard_normal(80)
    rows = [
        (f"t{u:02d}", f"r{r}", LEVELS[levels_of(1.3 * truth[u] + 0.8 * rng.standard_normal())])
        for u in range(80)
        for r in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    return Ratings.from_frame(frame, levels=list(LEVELS), scale="ordinal")


def people_and_models(rng: np.random.Generator) -> Ratings:
    """60 norms rated by 60 people who mostly agree, and by four models, on five levels.

    Modes of 40 people with noise of .8 inflate distances by up to their standard error (intervals held .85 of the
    smallest in 150 simulations): SS333 is right there.
    """
    truth = rng.uniform(-2, 2, 60)
    noise = {
        **{f"person {k:02d}": 0.4 for k in range(60)},
        **{f"model {k}": 0.6 + 0.2 * k for k in range(4)},
    }
    rows = [
        (
            f"n{u:02d}",
            who,
            "human" if who.startswith("person") else "model",
            LEVELS[levels_of(truth[u] + sd * rng.standard_normal())],
        )
        for u in range(60)
        for who, sd in noise.items()
    ]
    frame = pd.DataFrame(rows, columns=["item", "rater", "source", "answer"])
    return Ratings.from_frame(
        frame,
        unit="item",
        rater="rater",
        value="answer",
        rater_source="source",
        levels=list(LEVELS),
        scale="ordinal",
    )


def actions(rng: np.random.Generator) -> Ratings:
    """80 scenarios, of which 30 people and ten runs of a model choose one of three actions."""
    rows = []
    for u in range(80):
        human = rng.dirichlet([4, 3, 3])
        model = 0.6 * human + 0.4 * rng.dirichlet([3, 4, 3])
        for source, n, p in (("human", 30, human), ("model", 10, model)):
            rows += [
                (f"s{u:02d}", f"{source} {k}", source, ("stay", "leave", "ask")[rng.choice(3, p=p)])
                for k in range(n)
            ]
    frame = pd.DataFrame(rows, columns=["scenario", "rater", "source", "action"])
    return Ratings.from_frame(
        frame,
        unit="scenario",
        rater="rater",
        value="action",
        rater_source="source",
        scale="nominal",
    )


def one_model(rng: np.random.Generator) -> Ratings:
    """One model chooses one of three answers in 150 scenarios."""
    frame = pd.DataFrame(
        {
            "scenario": [f"s{k:03d}" for k in range(150)],
            "rater": "model",
            "answer": rng.choice(["yes", "no", "unsure"], 150, p=[0.5, 0.3, 0.2]),
        }
    )
    return Ratings.from_frame(
        frame, unit="scenario", rater="rater", value="answer", scale="nominal"
    )


def staged(rng: np.random.Generator) -> Any:
    """Trait scores of 26 models in 40 scenarios and three stages, by three judges who agree."""
    stages, judges, models, scenarios = ("baseline", "stage 1", "stage 2"), 3, 26, 40
    shape = (scenarios, len(stages), judges, models)
    composite = (
        20 * rng.standard_normal(models)
        + np.array([0.0, 4.0, -3.0])[:, None, None]
        + 10 * rng.standard_normal((scenarios, 1, 1, 1))
        + 6 * rng.standard_normal((scenarios, 1, 1, models))
        + np.array(JUDGE_OFFSET)[:, None]
    )
    traits = rounded(
        trait_means(np.broadcast_to(composite, shape)) + rng.normal(0, TRAIT_SD, (*shape, 10)),
        0,
        20,
    )
    labels = product(
        (f"scenario {k:02d}" for k in range(scenarios)),
        stages,
        (f"judge {k + 1}" for k in range(judges)),
        (f"model {k:02d}" for k in range(models)),
    )
    frame = pd.DataFrame(list(labels), columns=["scenario", "stage", "judge", "model"])
    read = STUDIES["staged-values"].read
    assert read is not None
    return read(
        as_table(frame.assign(**dict(zip(WEIGHTS, traits.reshape(-1, 10).T.tolist(), strict=True))))
    )


def neutral_texts() -> Ratings:
    """The bundled scores of texts whose composite is known."""
    return STUDIES["staged-values"].beside["controls"](as_table(datasets.staged_values_controls()))


@dataclass(frozen=True)
class Kind:
    """A kind of table, the metrics that read it with their options, and the study of its page (None: it has none)."""

    make: Callable[[np.random.Generator], Any]
    metrics: dict[str, dict[str, Any]]
    study: str | None = None
    settings: Callable[[], dict[str, Any]] = dict


OF_KINDS = {f"o{k:02d}": ("family", "work", "law")[k % 3] for k in range(12)}
AGREEMENT: dict[str, dict[str, Any]] = {
    name: {}
    for name in (
        "krippendorff_alpha",
        "weighted_kappa",
        "fleiss_kappa",
        "gwet_ac",
        "percent_agreement",
        "spearman_rho",
        "icc",
    )
}
KINDS: dict[str, Kind] = {
    "arena": Kind(arena, {"bradley_terry": {}, "win_rates": {"covariate": None}}, "comparisons"),
    "options": Kind(
        options,
        {
            "bradley_terry": {},
            "win_rates": {},
            "sensitivity": {},
            "choice_entropy": {},
            "group_win_rates": {"groups": OF_KINDS},
        },
        "role-conflict",
    ),
    "accuracy": Kind(
        accuracy, {"leaderboard": {}, "mean_ratings": {}, "cochran_q": {}}, "leaderboard"
    ),
    "before and after": Kind(
        before_after,
        {"paired_difference": {}, "effect_sizes": {}, "equivalence": {"low": -2.0, "high": 2.0}},
        "paired",
    ),
    "two groups": Kind(two_groups, {"two_means": {}}, "groups"),
    "likert": Kind(likert, AGREEMENT, "agreement"),
    "people and models": Kind(
        people_and_models,
        {"ada_met": {}, "js_similarity": {}, "spearman_rho": {}},
        "ordinal-alignment",
    ),
    "actions": Kind(actions, {"js_similarity": {}, "choice_shares": {}}, "norm-goal"),
    "one model": Kind(one_model, {"choice_shares": {}}, None),
    "staged values": Kind(staged, {}, "staged-values", lambda: {"controls": neutral_texts()}),
}


@dataclass
class Counted:
    """How often calls of one kind had a caution, and which codes."""

    calls: Counter[str] = field(default_factory=Counter)
    cautioned: Counter[str] = field(default_factory=Counter)
    codes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    said: dict[str, str] = field(default_factory=dict)

    def add(self, call: str, cautions: tuple[Caution, ...]) -> None:
        """Count one call."""
        serious = {one.code: str(one) for one in cautions if one.severity != "info"}
        self.calls[call] += 1
        self.cautioned[call] += bool(serious)
        self.codes[call].update(list(serious))
        self.said |= {f"{call}: {code}": text for code, text in serious.items()}


def calls_of(
    kind: Kind, design: Any, resamples: int = 200
) -> Iterator[tuple[str, tuple[Caution, ...]]]:
    """Yield each call on a table, and its cautions."""
    for name, chosen in kind.metrics.items():
        known = inspect.signature(METRICS[name].function).parameters
        given = {"resamples": resamples} if "resamples" in known else {}
        result = METRICS[name].function(design, **given, **chosen)
        yield name, tuple(result.cautions)
    settings = StudyOptions(resamples=resamples, verify=False, **kind.settings())
    if kind.study is not None:
        page = arranged(run_study(pick(STUDIES, kind.study, design), design, settings))
        yield (
            "report",
            tuple(said.caution for said in page.cautions),
        )  # those of the main results, as readers count


def counted(name: str, draws: int = DRAWS) -> Counted:
    """Run every call of a kind on several draws."""
    found = Counted()
    for draw in range(draws):
        design = KINDS[name].make(np.random.default_rng([20261129, draw]))
        for call, cautions in calls_of(KINDS[name], design):
            found.add(call, cautions)
    return found


def main() -> int:
    """Print the share of calls with a caution; exit with 1 where it is above 5%, or a caution is always there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--only", choices=KINDS, default=None)
    asked = parser.parse_args()
    warnings.simplefilter("error")
    calls = cautioned = 0
    always = []
    for name in [asked.only] if asked.only else KINDS:
        found = counted(name, asked.draws)
        for call, n in found.calls.items():
            calls, cautioned = calls + n, cautioned + found.cautioned[call]
            codes = ", ".join(f"{code} {k / n:.2f}" for code, k in found.codes[call].most_common())
            print(f"{name:20} {call:20} {found.cautioned[call] / n:5.2f}  {codes}", flush=True)
            for code in found.codes[call]:
                print(f"      {found.said[f'{call}: {code}'][:300]}")
            always += [f"{name}, {call}: {code}" for code, k in found.codes[call].items() if k == n]
    print(
        f"{cautioned} of {calls} calls have a caution ({cautioned / calls:.3f}); in every draw: {always or 'none'}"
    )
    return int(cautioned > MOST * calls or bool(always))


if __name__ == "__main__":
    sys.exit(main())
