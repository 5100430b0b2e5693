"""Simulations of two models compared: fits of the same pairs, items chosen, ratings of the same units."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import expit
from tally import Line, Tally

import socialstats as ss
from socialstats.choices.bradley_terry.difference import bradley_terry_difference
from socialstats.choices.win_rate_difference import win_rate_difference
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.studies import StudyOptions
from socialstats.studies.comparisons import fit_model

OPTIONS = StudyOptions(resamples=399, seed=1)
ITEMS, URGENCIES, PAIR_SD = 20, 3, 1.0
NODES = np.polynomial.hermite_e.hermegauss(31)
HOLDS = (0.92, 0.985)


def layout() -> pd.DataFrame:
    """Every pair of 20 items in nine combinations of urgencies."""
    rows = [
        (a, b, ua, ub)
        for a, b in combinations(range(ITEMS), 2)
        for ua in range(URGENCIES)
        for ub in range(URGENCIES)
    ]
    return pd.DataFrame(rows, columns=["a", "b", "ua", "ub"])


def design_of(
    rows: pd.DataFrame, won: np.ndarray, weight: np.ndarray | None = None
) -> ss.Comparisons:
    """Comparisons of items called i00, i01, ... in two groups; `weight` for expected wins."""
    names = np.array([f"i{k:02d}" for k in range(ITEMS)])
    a, b = names[rows["a"]], names[rows["b"]]
    kind = np.where(np.arange(ITEMS) % 2, "odd", "even")
    frame = pd.DataFrame(
        {
            "item_a": a,
            "item_b": b,
            "winner": np.where(won, a, b),
            "urgency_a": rows["ua"],
            "urgency_b": rows["ub"],
            "kind_a": kind[rows["a"]],
            "kind_b": kind[rows["b"]],
        }
    )
    more = {} if weight is None else {"weight": "w"}
    return ss.Comparisons.from_frame(
        frame if weight is None else frame.assign(w=weight), order=False, **more
    )


def expected(log_odds: np.ndarray) -> np.ndarray:
    """Chances averaged over a normal effect of the pair."""
    z, w = NODES
    return expit(log_odds[:, None] + PAIR_SD * z) @ (w / w.sum())


def pseudo_true(rows: pd.DataFrame, log_odds: np.ndarray) -> ss.BradleyTerryResult:
    """The model closest to the averaged chances: fitted to expected wins."""
    p = expected(log_odds)
    both, won = pd.concat([rows, rows], ignore_index=True), np.repeat([True, False], len(rows))
    fit = ss.bradley_terry(design_of(both, won, np.concatenate([p, 1 - p])), "~ urgency")
    assert isinstance(fit, ss.BradleyTerryResult)
    return fit


def fits_compared(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of differences between two models that share the effect of the pair, and of urgency in sds."""
    rows = layout()
    strengths = rng.normal(0, 0.8, (2, ITEMS)) * np.array([[1.0], [0.4]])
    models = (strengths[0], strengths.sum(axis=0))
    step = rows["ua"].to_numpy() - rows["ub"].to_numpy()
    log_odds = [
        u * step + s[rows["a"]] - s[rows["b"]] for u, s in zip((0.5, 0.9), models, strict=True)
    ]
    truths = [pseudo_true(rows, x) for x in log_odds]
    names = list(truths[0].strengths)
    gap = {
        name: truths[1].row(name).estimate - truths[0].row(name).estimate
        for name in [*names, "urgency"]
    }
    worth = [np.exp([t.strengths[name] for name in names]) for t in truths]
    means = [np.array([w[::2].mean(), w[1::2].mean()]) for w in worth]
    share = means[1] / means[1].sum() - means[0] / means[0].sum()
    chosen = {
        name: np.mean(
            np.r_[
                (expected(log_odds[1]) - expected(log_odds[0]))[rows["a"] == k],
                -(expected(log_odds[1]) - expected(log_odds[0]))[rows["b"] == k],
            ]
        )
        for k, name in enumerate(names)
    }
    sds = truths[0].row("urgency").estimate / np.std(
        [truths[0].strengths[n] for n in names], ddof=1
    )
    tally = Tally(
        "Two models compared: 20 items, 190 pairs x 9",
        f"effect of the pair, shared: SD {PAIR_SD:g}",
    )
    pair = pd.factorize(rows["a"] * ITEMS + rows["b"])[0]
    for _ in range(sims):
        effect = rng.normal(0, PAIR_SD, pair.max() + 1)[pair]
        one, two = (design_of(rows, rng.random(len(rows)) < expit(x + effect)) for x in log_odds)
        fits = [fit_model(d, OPTIONS, "~ urgency", cluster="pair") for d in (two, one)]
        found = bradley_terry_difference(
            *fits, labels=("2", "1"), groups={"kind": one.group_of("kind")}
        )
        joint = "CR2, t, clustered by pair (default)"
        tally.covers(
            joint,
            "difference of strengths",
            [found.row(n) for n in names],
            [gap[n] for n in names],
            found.cautions,
        )
        tally.covers(
            joint,
            "difference of the effect",
            [found.row("urgency")],
            [gap["urgency"]],
            found.cautions,
        )
        kinds = [found.row(f"share of {kind}") for kind in ("even", "odd")]
        tally.covers(joint, "difference of shares", kinds, share.tolist(), found.cautions)
        items = win_rate_difference(two, one, labels=("2", "1"))
        tally.covers(
            "t, clustered by pair (default)",
            "difference of how often an item is chosen",
            [items.row(n) for n in names],
            [chosen[n] for n in names],
            items.cautions,
        )
        ratio = fits[1].effect_in_sds("urgency")
        tally.covers(
            "effect_in_sds (default)",
            "urgency in SDs of the strengths",
            ratio.rows[:1],
            [sds],
            ratio.cautions,
        )
    return tally.lines(
        {
            (joint, "difference of strengths"): HOLDS,
            (joint, "difference of the effect"): HOLDS,
            ("t, clustered by pair (default)", "difference of how often an item is chosen"): HOLDS,
        }
    )


RATERS, PEOPLE, LEVELS = 3, 9, 5
MODELS = {"one": (0.0, 0.8), "two": (0.5, 1.2)}  # shift and noise


def tables(
    rng: np.random.Generator, units: int, same: bool = False
) -> tuple[ss.Ratings, ss.Ratings]:
    """Ratings of units by two models (three runs each) that share what a unit is like; nine people before both."""
    truth, view = rng.normal(0, 1, units), rng.normal(0, 0.5, units)
    people = (
        np.digitize(truth[:, None] + rng.normal(0, 0.7, (units, PEOPLE)), (-1.5, -0.5, 0.5, 1.5))
        + 1
    )
    found = []
    for shift, noise in (MODELS["one"],) * 2 if same else MODELS.values():
        runs = (
            np.digitize(
                (truth + view + shift)[:, None] + rng.normal(0, noise, (units, RATERS)),
                (-1.5, -0.5, 0.5, 1.5),
            )
            + 1
        )
        parts = []
        for values, source in ((people, "human"), (runs, "model")):
            unit, rater = (x.ravel() for x in np.indices(values.shape))
            parts.append(
                pd.DataFrame(
                    {
                        "unit": unit,
                        "rater": [f"{source} {r}" for r in rater],
                        "value": values.ravel(),
                        "source": source,
                    }
                )
            )
        frame = pd.concat(parts)
        found.append((frame, frame[frame["source"] == "model"].drop(columns="source")))
    return found[0], found[1]  # type: ignore[return-value]


def read(frame: pd.DataFrame) -> ss.Ratings:
    """Ordinal ratings 1 to 5."""
    more = {"rater_source": "source"} if "source" in frame else {}
    return ss.Ratings.from_frame(frame, levels=list("12345"), scale="ordinal", **more)


def values(rng: np.random.Generator, units: int, same: bool) -> dict[str, float]:
    """The differences of the population: of many units."""
    one, two = tables(rng, units, same)
    found = {}
    for k in (0, 1):  # with people (distance), without (alpha)
        result = ratings_difference(read(two[k]), read(one[k]), labels=("2", "1"), resamples=100)
        found |= {row.term: row.estimate for row in result.rows if row.estimate is not None}
    return found


def ratings_compared(rng: np.random.Generator, sims: int) -> list[Line]:
    """Coverage of differences of mean, share, alpha and ADA-Met, and rejections where there is none."""
    truth, lines = values(rng, 60_000, False), []
    quantities: dict[str, Callable[[str], bool]] = {
        "mean rating": lambda t: t == "mean rating",
        "shares of levels": lambda t: t.startswith("share of"),
        "alpha (ordinal)": lambda t: t.startswith("alpha"),
        "ADA-Met": lambda t: t == "ADA-Met",
    }
    for units in (20, 40, 150):
        tally = Tally(
            "Two models compared: ratings of the same units, 3 runs each", f"{units} units"
        )
        null = Tally("Two models compared: ratings, no difference", f"{units} units", nominal=0.05)
        for _ in range(sims):
            for same, place in ((False, tally), (True, null)):
                one, two = tables(rng, units, same)
                made = [
                    ratings_difference(
                        read(two[k]), read(one[k]), labels=("2", "1"), **OPTIONS.chosen()
                    )
                    for k in (0, 1)
                ]
                rows = {row.term: row for result in made for row in result.rows}
                said = [c for result in made for c in result.cautions]
                for name, wanted in quantities.items():
                    own = [row for term, row in rows.items() if wanted(term)]
                    if place is tally:
                        tally.covers(
                            "bootstrap s.e., t (default)",
                            name,
                            own,
                            [truth[row.term] for row in own],
                            said,
                        )
                    else:
                        tests = [row.p_value < 0.05 for row in own if row.p_value is not None]
                        null.add(
                            "bootstrap s.e., t (default)",
                            name,
                            float(np.mean(tests or [False])),
                            said,
                        )
        must = (
            {("bootstrap s.e., t (default)", name): HOLDS for name in quantities}
            if units > 20
            else {}
        )
        lines += tally.lines(must) + null.lines()
    return sorted(lines, key=lambda line: line.study)


def leaderboards(rng: np.random.Generator, sims: int) -> list[Line]:
    """Mean over tasks, and difference of two models, of right and wrong answers to tasks of equal and unequal size."""
    boards: dict[str, tuple[list[int], list[float], list[float]]] = {
        "5 tasks of 30": ([30] * 5, [0.7] * 5, [0.7] * 5),
        "tasks of 20 and 1,000": ([20, 1000], [0.95, 0.7], [0.95, 0.7]),
        "tasks of 5, 5 and 200": ([5, 5, 200], [0.9, 0.9, 0.7], [0.9, 0.9, 0.7]),
        "tasks of 10 and 500, one all right": ([10, 500], [1.0, 0.7], [0.9, 0.7]),
        "one task of 200, 2% wrong": ([200], [0.98], [0.98]),
    }
    lines: list[Line] = []
    for name, (sizes, one, two) in boards.items():
        tally = Tally("Two models in a leaderboard of right and wrong answers", name)
        task = np.repeat([f"task {k}" for k in range(len(sizes))], sizes)
        rows = pd.DataFrame(
            {
                "model": np.repeat(["a", "b"], len(task)),
                "task": np.tile(task, 2),
                "item": np.tile(np.arange(len(task)), 2),
            }
        )
        p = np.concatenate([np.repeat(one, sizes), np.repeat(two, sizes)])
        for _ in range(sims):
            right = (rng.random(len(p)) < p).astype(int)
            found = ss.leaderboard(
                rows.assign(score=right), unit="item", rater="model", value="score"
            )
            tally.covers(
                "outer limits (default)",
                "mean",
                [r for r in found.rows if r.term == "a"][:1],
                [float(np.mean(one))],
                found.cautions,
            )
            tally.covers(
                "t of paired differences (default)",
                "difference",
                [found.row("a - b")],
                [float(np.mean(one) - np.mean(two))],
                found.cautions,
            )
        lines += tally.lines()
    return lines


def sensitivities_compared(rng: np.random.Generator, sims: int) -> list[Line]:
    """Difference of S between two models that share the effect of the pair: equal slopes, and one twice as steep."""
    rows = layout()
    step = np.sign(rows["ua"].to_numpy() - rows["ub"].to_numpy())
    pair = pd.factorize(rows["a"] * ITEMS + rows["b"])[0]
    lines: list[Line] = []
    for name, slopes in {"equal slopes": (0.8, 0.8), "slopes .8 and 1.6": (0.8, 1.6)}.items():
        tally = Tally("Difference of S between two models", name)
        s = [
            100
            * float(
                (
                    (expected(slope * np.array([1.0, 0.0, -1.0])) - np.array([1.0, 0.5, 0.0])) ** 2
                ).sum()
            )
            for slope in slopes
        ]
        for _ in range(sims):
            lean = PAIR_SD * rng.standard_normal(pair.max() + 1)[pair]
            one, two = (
                design_of(rows, rng.random(len(rows)) < expit(slope * step + lean))
                for slope in slopes
            )
            found = ss.sensitivity_difference(one, two, resamples=399, seed=1)
            for row in found.rows:
                if row.group == "difference" and row.term in ("S", "S_corrected"):
                    tally.covers(
                        "jackknife t (default)", row.term, [row], [s[0] - s[1]], found.cautions
                    )
        lines += tally.lines()
    return lines


COMPARE_STUDIES = {
    "leaderboards": leaderboards,
    "sensitivities_compared": sensitivities_compared,
    "fits_compared": fits_compared,
    "ratings_compared": ratings_compared,
}
