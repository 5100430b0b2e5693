"""Small random tables of every design and study, with what is thin, alike, missing or extreme about them.

A table comes with the keywords that read it, in Python (``reading``) and as options of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from socialstats import datasets

Rng = np.random.Generator
MAPPED = (
    "item_a",
    "item_b",
    "winner",
    "weight",
    "wins_a",
    "wins_b",
    "draws",
    "values",
    "unit",
    "condition",
    "value",
    "first",
    "second",
    "rater",
    "rater_source",
    "status",
)  # parts that the command line takes with --map
OPTIONS = {"rater_groups": "--rater-groups"}
ODD = ("<b>", "O'Hara", "x | y", "x", "y", "Zo\u00eb", "1", "02", "A, B", "a\u202eb", "w" * 70)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A table, how it is read, and what is computed.

    Attributes
    ----------
    kind : str
        Which of `KINDS` made it.
    frame : DataFrame
    reading : dict
        Keywords of the functions that read tables.
    options : dict
        Further options of ``socialstats report``, by their key.
    beside : dict of str to DataFrame
        Tables beside it, by the option that names their file.
    unit, value, source : str
        Columns: of what is independent, of the answers (empty for several), of those that answer.
    """

    kind: str
    frame: pd.DataFrame
    reading: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, pd.DataFrame] = field(default_factory=dict)
    unit: str = ""
    value: str = ""
    source: str = ""

    def written(self, folder: Path) -> list[str]:
        """Write all tables, and return the words of ``socialstats report`` that read them."""
        self.frame.to_csv(folder / "table.csv", index=False)
        words = [str(folder / "table.csv"), *self.arguments()]
        for key, frame in self.beside.items():
            frame.to_csv(folder / f"{key}.csv", index=False)
            words += [f"--{key.replace('_', '-')}", str(folder / f"{key}.csv")]
        return words

    def arguments(self) -> list[str]:
        """Return the options of ``socialstats report``, without the tables."""
        words: list[str] = []
        for key, value in {**self.reading, **self.options}.items():
            if key in MAPPED:
                words += ["--map", f"{'ties' if key == 'draws' else key}={value}"]
                continue
            flag = OPTIONS.get(key, f"--{key.replace('_', '-')}")
            if key in ("levels", "conditions", "raters", "units", "level_columns"):
                words += [flag, ",".join(map(str, value))]
                continue
            for each in value if isinstance(value, list | tuple) else [value]:
                words.append(f"{flag}={each}")
        return words


def chance(rng: Rng, p: float) -> bool:
    return bool(rng.random() < p)


def one_of(rng: Rng, *choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


def size(rng: Rng, most: int = 40) -> int:
    """Return a number of units: one, two, few or more."""
    return int(one_of(rng, 1, 2, 3, 4, 6, 8, 12, 20, most))


def names(rng: Rng, n: int, stem: str) -> list[str]:
    """Return n labels, of which some are strange now and then."""
    made = [f"{stem}{k:02d}" for k in range(n)]
    if chance(rng, 0.1):
        for at in rng.choice(n, min(n, 3), replace=False).tolist():
            made[at] = f"{one_of(rng, *ODD)} {at}"
    return made


def clusters(rng: Rng, n: int) -> list[str]:
    """Return the cluster of each of n units: all one, each its own, two, uneven, or several of like size."""
    most = int(one_of(rng, 1, n, 2, 3, max(n // 3, 1)))
    codes = (
        rng.integers(0, most, n)
        if chance(rng, 0.6)
        else np.minimum(rng.geometric(0.5, n) - 1, most - 1)
    )
    return [f"c{k}" for k in (np.arange(n) if most == n else codes).tolist()]


def comparisons(rng: Rng, *, levels: int = 0) -> Drawn:
    """Comparisons of items: with ties, order, covariates, groups of items, clusters, counts or weights."""
    items = names(rng, int(rng.integers(2, 6)), "item ")
    pairs = [(a, b) for a in items for b in items if a < b]
    pairs = [
        pairs[k]
        for k in sorted(rng.choice(len(pairs), int(rng.integers(1, len(pairs) + 1)), replace=False))
    ]
    how, tied = (
        one_of(rng, "chance", "strength", "always a", "strongest"),
        one_of(rng, 0.0, 0.0, 0.2, 1.0),
    )
    group = {item: one_of(rng, "home", "work") for item in items}
    rows = []
    for _ in range(size(rng, 80)):
        a, b = pairs[rng.integers(len(pairs))]
        if chance(rng, 0.5):
            a, b = b, a
        ua, ub = (int(u) for u in rng.integers(1, 4, 2))
        drive = {
            "chance": 0.0,
            "strength": 0.6 * (items.index(a) - items.index(b)) + 0.7 * (ua - ub),
            "always a": 99.0,
            "strongest": 99.0 * (items.index(a) - items.index(b)),
        }[how]
        won = (
            "tie"
            if chance(rng, tied)
            else a
            if chance(rng, 1 / (1 + np.exp(-np.clip(drive, -99, 99))))
            else b
        )
        rows.append((a, b, won, one_of(rng, a, b), ua, ub, group[a], group[b]))
    frame = pd.DataFrame(
        rows,
        columns=[
            "item_a",
            "item_b",
            "winner",
            "shown",
            "urgency_a",
            "urgency_b",
            "domain_a",
            "domain_b",
        ],
    )
    reading: dict[str, Any] = {"item_a": "item_a", "item_b": "item_b", "winner": "winner"}
    options: dict[str, Any] = {}
    frame["judge"], frame["story"] = clusters(rng, len(frame)), clusters(rng, len(frame))
    declared = one_of(rng, [], [], ["judge"], ["story"], ["judge", "story"])
    reading |= {"cluster": declared} if declared else {}
    frame = frame.drop(
        columns=[c for c in ("judge", "story") if c not in declared and chance(rng, 0.8)]
    )
    if chance(rng, 0.6):
        reading["order"] = one_of(rng, "shown", "item_a")
    elif chance(rng, 0.5):
        frame = frame.drop(columns="shown")
    if chance(rng, 0.4):
        frame = frame.drop(columns=["urgency_a", "urgency_b"])
    elif chance(rng, 0.2):
        frame[["urgency_a", "urgency_b"]] = 2
    if chance(rng, 0.5):
        frame = frame.drop(columns=["domain_a", "domain_b"])
    if chance(rng, 0.15):
        frame["times"] = rng.integers(0, 4, len(frame))
        reading["count"] = "times"
    elif chance(rng, 0.15):
        frame["w"] = rng.choice([0.5, 1.0, 2.0, 0.01], len(frame))
        reading["weight"] = "w"
    coding = one_of(rng, "label", "label", "label", "side", "score", "probability", "counts")
    if coding != "label":
        frame, reading = coded(rng, frame, reading, coding)
    if chance(rng, 0.15):
        frame["cites"] = [one_of(rng, "care", "duty; care", "", "fame") for _ in range(len(frame))]
        reading["values"] = "cites"
    if levels:
        frame["model"] = [f"m{k}" for k in rng.integers(0, levels, len(frame))]
        reading["by"] = "model"
    options |= (
        {"ties": one_of(rng, "auto", "davidson", "rao_kupper", "half", "none")}
        if chance(rng, 0.3)
        else {}
    )
    options |= (
        {"penalty": "firth"} if chance(rng, 0.3) else {"prior": 0.5} if chance(rng, 0.5) else {}
    )
    options |= (
        {"study": one_of(rng, "comparisons", "role-conflict")}
        if not levels and chance(rng, 0.4)
        else {}
    )
    if "urgency_a" in frame and options.get("study") == "comparisons" and chance(rng, 0.5):
        options["adjust"] = "urgency"
    beside = (
        {"item_groups": groups_of(rng, items, "item")}
        if options.get("study") == "role-conflict"
        else {}
    )
    return Drawn(
        kind="comparisons",
        frame=frame,
        reading=reading,
        options=options,
        beside=beside if chance(rng, 0.5) else {},
        unit="story" * ("story" in frame),
        value="winner" * ("winner" in frame),
        source="model" * bool(levels),
    )


def coded(
    rng: Rng, frame: pd.DataFrame, reading: dict[str, Any], coding: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Write the winner as a side, as a score, as a probability, or as counts of wins."""
    won = np.where(
        frame["winner"] == "tie", 0.5, (frame["winner"] == frame["item_a"]).astype(float)
    )
    if coding == "side":
        return frame.assign(winner=np.select([won == 1, won == 0], ["a", "b"], "tie")), reading
    if coding == "score":
        return frame.assign(winner=won), reading | (
            {"winner_coding": "score"} if chance(rng, 0.6) else {}
        )
    if coding == "probability":
        p = np.clip(won + rng.normal(0, 0.2, len(frame)), 0, 1).round(3)
        return frame.assign(winner=p), {**reading, "winner_coding": "probability"}
    wins = [rng.poisson(2, len(frame)) for _ in range(2)]
    counted = frame.drop(columns="winner").assign(
        wins_a=wins[0] * (won > 0), wins_b=wins[1] * (won < 1)
    )
    rest = {
        key: value for key, value in reading.items() if key not in ("winner", "count", "weight")
    }
    if chance(rng, 0.3):
        return counted.assign(draws=rng.poisson(0.5, len(frame))), {
            **rest,
            "wins_a": "wins_a",
            "wins_b": "wins_b",
            "draws": "draws",
        }
    return counted, {**rest, "wins_a": "wins_a", "wins_b": "wins_b"}


def groups_of(rng: Rng, labels: Sequence[str], what: str) -> pd.DataFrame:
    """Return groups of items or models, of which some are not in the data, and some have no group."""
    known = [label for label in labels if chance(rng, 0.9)] + ["a stranger"] * chance(rng, 0.3)
    known = known or list(labels)
    return pd.DataFrame(
        {
            what: known,
            "kind": [one_of(rng, "x", "y", "y", "") for _ in known],
            "size": [one_of(rng, "s", "l") for _ in known],
        }
    )


def compared(rng: Rng) -> Drawn:
    """Comparisons by several models."""
    return replace(comparisons(rng, levels=int(rng.integers(2, 5))), kind="compared")


def numbers(rng: Rng, n: int, kind: str) -> Any:
    """Return n values: 0/1, numbers, or one of three labels; some constant, some extreme."""
    if kind == "binary":
        return (rng.random(n) < one_of(rng, 0.0, 0.05, 0.5, 0.5, 0.9, 1.0)).astype(int)
    if kind == "nominal":
        return rng.choice(
            ["no", "so", "yes"], n, p=one_of(rng, (1.0, 0.0, 0.0), (0.3, 0.4, 0.3), (0.9, 0.1, 0.0))
        )
    scale, offset = one_of(
        rng, (1.0, 0.0), (1.0, 0.0), (0.0, 3.0), (1e150, 0.0), (1e-150, 0.0), (1.0, 1e6)
    )
    values = scale * rng.normal(size=n) + offset
    return np.round(values) if scale == 1.0 and chance(rng, 0.5) else values


def paired(rng: Rng) -> Drawn:
    """Units under two conditions, in a long or a wide table."""
    n, kind = size(rng, 60), one_of(rng, "binary", "numeric", "numeric", "nominal")
    units, values = names(rng, n, "u"), [numbers(rng, n, kind) for _ in range(2)]
    if kind == "numeric" and chance(rng, 0.3):
        values[1] = values[0] + one_of(rng, 0.0, 1.0, 0.1)
    groups = clusters(rng, n)
    models = [f"m{k}" for k in rng.integers(0, 3, n)]
    reading: dict[str, Any] = {"scale": "nominal"} if kind == "nominal" else {}
    options: dict[str, Any] = {}
    if chance(rng, 0.3):
        frame = pd.DataFrame(
            {"unit": units, "before": values[0], "after": values[1], "story": groups}
        )
        reading |= {
            "first": "after",
            "second": "before",
            **({"unit": "unit"} if chance(rng, 0.7) else {}),
        }
        if chance(rng, 0.2):
            frame["times"] = rng.integers(1, 4, n)
            reading = {key: value for key, value in reading.items() if key != "unit"} | {
                "count": "times"
            }
    else:
        parts = [
            pd.DataFrame(
                {"unit": units, "condition": name, "value": x, "story": groups, "model": models}
            )
            for name, x in zip(("before", "after"), values, strict=True)
        ]
        lost = [part[rng.random(n) > one_of(rng, 0.0, 0.0, 0.2)] for part in parts]
        frame = pd.concat(lost, ignore_index=True)
        reading |= {"unit": "unit", "condition": "condition", "value": "value", "missing": "drop"}
        reading |= {"conditions": ["after", "before"]} if chance(rng, 0.5) else {}
        if chance(rng, 0.2):
            more = parts[0].assign(condition="later")
            frame, reading["conditions"] = (
                pd.concat([frame, more], ignore_index=True),
                ["later", "before"],
            )
        reading |= {"by": "model"} if chance(rng, 0.3) else {}
    reading |= {"cluster": ["story"]} if chance(rng, 0.4) else {}
    if kind != "nominal" and chance(rng, 0.3):
        options |= {"smallest_effect": 0.1 if kind == "binary" else one_of(rng, 0.1, 1.0)}
        options |= {"effect_scale": "d_z"} if kind == "numeric" and chance(rng, 0.3) else {}
    return Drawn(
        kind="paired",
        frame=frame,
        reading=reading,
        options=options,
        unit="unit",
        value="value" * ("value" in frame),
        source="condition" * ("condition" in frame),
    )


def ratings(rng: Rng) -> Drawn:
    """Units rated by people and models, who miss other units each: ordinal, numbers or labels; some refused."""
    n, k = size(rng), int(rng.integers(1, 6))
    kind = one_of(rng, "ordinal", "ordinal", "numeric", "nominal")
    units, raters = names(rng, n, "u"), names(rng, k, "r")
    labels: Sequence[Any] = {"ordinal": ("low", "medium", "high"), "nominal": ("x", "y", "z")}.get(
        kind, (1, 2, 3, 5)
    )
    source = {rater: one_of(rng, "human", "model") for rater in raters}
    group, domain = clusters(rng, n), [one_of(rng, "home", "work") for _ in range(n)]
    truth, rows = rng.integers(0, len(labels), n), []
    lost = {
        name: set(rng.choice(n, int(n * one_of(rng, 0.0, 0.0, 0.2, 0.5)), replace=False).tolist())
        for name in ("human", "model")
    }
    same = {
        rater: one_of(rng, "varied", "varied", "varied", "constant", "truth") for rater in raters
    }
    for u in range(n):
        for rater in raters:
            if u in lost[source[rater]] or chance(rng, 0.05):
                continue
            code = {
                "varied": int(rng.integers(len(labels))),
                "constant": 0,
                "truth": int(truth[u]),
            }[same[rater]]
            value = "refused" if chance(rng, 0.05) and source[rater] == "model" else labels[code]
            rows.append(
                (
                    units[u],
                    rater,
                    value,
                    source[rater],
                    group[u],
                    domain[u],
                    one_of(rng, "m1", "m2"),
                )
            )
    frame = pd.DataFrame(
        rows, columns=["unit", "rater", "value", "source", "story", "domain", "prompt"]
    )
    reading: dict[str, Any] = {
        "unit": "unit",
        "rater": "rater",
        "value": "value",
        "refusal": ["refused"],
    }
    reading |= {"levels": list(labels)} if kind == "ordinal" or chance(rng, 0.5) else {}
    reading |= (
        {"scale": one_of(rng, "ordinal", "nominal")}
        if kind == "ordinal" and chance(rng, 0.3)
        else {}
    )
    reading |= {"scale": "nominal"} if kind == "nominal" else {}
    reading |= {"rater_source": "source"} if chance(rng, 0.6) else {}
    reading |= {"cluster": ["story"]} if chance(rng, 0.4) else {}
    reading |= {"strata": ["domain"]} if chance(rng, 0.4) else {}
    reading |= {"by": "prompt"} if chance(rng, 0.25) else {}
    if "by" in reading and "rater_source" in reading and chance(rng, 0.4):
        frame = frame.assign(
            prompt=frame["prompt"].where(frame["source"] == "model", "")
        ).drop_duplicates(["unit", "rater", "prompt"])
        reading["shared"] = "people"
    if chance(rng, 0.15):
        p = np.round(rng.dirichlet([1.0] * len(labels), len(frame)), 4)
        for j, label in enumerate(labels):
            frame[f"p_{label}"] = np.where(frame["source"] == "model", p[:, j].astype(str), "")
        reading["probabilities"] = "p_"
    if chance(rng, 0.15):
        swapped = frame["value"].to_numpy()[rng.permutation(len(frame))]
        frame["again"] = np.where(
            rng.random(len(frame)) < one_of(rng, 0.0, 0.1, 0.9), swapped, frame["value"]
        )
        reading["reread"] = "again"
    options = {
        "study": one_of(rng, "agreement", "compare-ratings", "ordinal-alignment", "norm-goal")
    }
    options = options if chance(rng, 0.5) else {}
    return Drawn(
        kind="ratings",
        frame=frame,
        reading=reading,
        options=options,
        unit="unit",
        value="value",
        source="source",
    )


def wide_ratings(rng: Rng) -> Drawn:
    """Units as rows with a column for each rater, or counts of the levels."""
    n, k = size(rng), int(rng.integers(2, 5))
    if chance(rng, 0.2):
        frame = pd.DataFrame({f"q{j}": rng.integers(1, one_of(rng, 2, 3, 6), k) for j in range(n)})
        frame["who"] = [f"r{j}" for j in range(k)]
        return Drawn(
            kind="wide ratings",
            frame=frame,
            reading={"units": [f"q{j}" for j in range(n)], "rater": "who"},
            unit="who",
            value="q0",
        )
    if chance(rng, 0.5):
        frame = pd.DataFrame({f"r{j}": rng.integers(1, one_of(rng, 2, 3, 6), n) for j in range(k)})
        return Drawn(
            kind="wide ratings",
            frame=frame,
            reading={"raters": list(frame), "design": "ratings"},
            value="r0",
        )
    frame = pd.DataFrame({name: rng.integers(0, 4, n) for name in ("low", "medium", "high")})
    return Drawn(
        kind="wide ratings",
        frame=frame,
        reading={"level_columns": list(frame), "design": "ratings"},
        value="low",
    )


def board(rng: Rng) -> Drawn:
    """Scores of models on items of tasks, some of them repeated."""
    items = [
        (f"t{t}", f"t{t} i{k}")
        for t in range(int(rng.integers(1, 4)))
        for k in range(size(rng, 20))
    ]
    story, kind = clusters(rng, len(items)), one_of(rng, "binary", "binary", "numeric")
    rows = []
    for m in range(int(one_of(rng, 1, 2, 2, 3, 4))):
        ease, kept = one_of(rng, 0.0, 0.3, 0.6, 1.0), one_of(rng, 1.0, 1.0, 0.7)
        for (task, item), own in zip(items, story, strict=True):
            for _ in range(one_of(rng, 1, 1, 1, 2)):
                score = (
                    int(rng.random() < ease)
                    if kind == "binary"
                    else round(float(rng.normal(ease)), 2)
                )
                if chance(rng, kept):
                    rows.append((f"m{m}", task, item, own, score))
    frame = pd.DataFrame(rows, columns=["model", "task", "item", "story", "score"])
    reading: dict[str, Any] = {"cluster": ["story"]} if chance(rng, 0.4) else {}
    options: dict[str, Any] = {"study": "leaderboard"}
    options |= {"pooling": one_of(rng, "tasks", "units")} if chance(rng, 0.4) else {}
    frame = frame.drop(columns="task") if chance(rng, 0.3) else frame
    return Drawn(
        kind="board",
        frame=frame,
        reading=reading,
        options=options,
        unit="item",
        value="score",
        source="model",
        beside=models_of(rng, frame, "model"),
    )


def models_of(rng: Rng, frame: pd.DataFrame, column: str) -> dict[str, pd.DataFrame]:
    """Return a table of factors of the models now and then."""
    labels = list(dict.fromkeys(frame[column]))
    return {"models": groups_of(rng, labels, "model")} if chance(rng, 0.15) and labels else {}


@cache
def bundled(name: str) -> pd.DataFrame:
    return getattr(datasets, name)()


def some(rng: Rng, frame: pd.DataFrame, **most: int) -> pd.DataFrame:
    """Return the rows of a few labels of each column named."""
    for column, n in most.items():
        labels = list(dict.fromkeys(frame[column]))
        chosen = rng.choice(
            len(labels), min(int(rng.integers(1, n + 1)), len(labels)), replace=False
        )
        frame = frame[frame[column].isin([labels[k] for k in chosen.tolist()])]
    return frame.reset_index(drop=True)


def norm_goal(rng: Rng) -> Drawn:
    frame = some(rng, bundled("norm_goal"), scenario=12, pressure=3)
    people, models = frame[frame["source"] == "human"], frame[frame["source"] != "human"]
    frame = pd.concat([some(rng, people, rater=20), some(rng, models, rater=5)], ignore_index=True)
    reading: dict[str, Any] = {
        "unit": "scenario",
        "rater": "rater",
        "value": "action",
        "rater_source": "source",
    }
    reading |= {"scale": "nominal", "strata": ["domain"]}
    reading |= {"by": "pressure"} if frame["pressure"].nunique() > 1 else {}
    return Drawn(
        kind="norm-goal",
        frame=frame,
        reading=reading,
        options={"study": "norm-goal"},
        unit="scenario",
        value="action",
        source="source",
    )


def social_norms(rng: Rng) -> Drawn:
    frame = some(rng, bundled("social_norms"), item=20)
    people, models = frame[frame["source"] == "human"], frame[frame["source"] != "human"]
    frame = pd.concat([some(rng, people, rater=30), some(rng, models, rater=4)], ignore_index=True)
    reading = {
        "unit": "item",
        "rater": "rater",
        "value": "answer",
        "rater_source": "source",
        "levels": list("ABCDE"),
        "refusal": ["F"],
        "strata": ["area"],
        "rater_groups": ["gender"],
    }
    reading |= {"cluster": ["area"]} if chance(rng, 0.2) else {}
    return Drawn(
        kind="social-norms",
        frame=frame,
        reading=reading,
        options={"study": "ordinal-alignment"},
        unit="item",
        value="answer",
        source="source",
    )


def role_conflict(rng: Rng) -> Drawn:
    frame, roles = bundled("role_conflict"), list(dict.fromkeys(bundled("role_conflict")["role_a"]))
    roles = [
        roles[k] for k in rng.choice(len(roles), int(rng.integers(2, 7)), replace=False).tolist()
    ]
    frame = frame[frame["role_a"].isin(roles) & frame["role_b"].isin(roles)]
    frame = frame.sample(min(size(rng, 200), len(frame)), random_state=int(rng.integers(2**31)))
    if chance(rng, 0.5):
        prior: dict[str, Any] = {"prior": 0.5}
    else:
        prior = {"penalty": "firth"} if chance(rng, 0.4) else {}
    reading = {"item_a": "role_a", "item_b": "role_b", "winner": "choice", "order": "first"}
    beside = {"item_groups": groups_of(rng, roles, "role")} if chance(rng, 0.3) else {}
    if chance(rng, 0.3):
        checked = bundled("role_conflict_labels")
        beside["label_check"] = some(rng, checked, **{checked.columns[0]: 20})
    frame = frame if chance(rng, 0.5) else frame.drop(columns="values")
    return Drawn(
        kind="role-conflict",
        frame=frame,
        reading=reading,
        options={"study": "role-conflict", **prior},
        beside=beside,
        unit="scenario",
        value="choice",
        source="first",
    )


def relationship_bias(rng: Rng) -> Drawn:
    frame = some(rng, bundled("relationship_bias"), scenario=6, name_first=8)
    frame = frame.drop(columns=[c for c in ("topic", "kind", "rung") if chance(rng, 0.5)])
    beside = {}
    if chance(rng, 0.3):
        groups = dict(zip(frame["name_first"], frame["group_first"], strict=True))
        rows = [
            (name, group, "" if group == "neutral" else group, f"p{k}", one_of(rng, "man", "woman"))
            for name, group in groups.items()
            for k in range(3)
            if chance(rng, 0.9)
        ]
        beside["name_check"] = pd.DataFrame(
            rows, columns=["name", "group", "expected", "phrasing", "answer"]
        )
    return Drawn(
        kind="relationship-bias",
        frame=frame,
        options={"study": "relationship-bias"},
        unit="scenario",
        value="answer",
        source="group_first",
        beside=beside,
    )


def staged_values(rng: Rng) -> Drawn:
    frame = some(rng, bundled("staged_values"), scenario=8, model=4, judge=3, stage=6, wording=3)
    frame = frame.drop(columns=[c for c in ("commitment",) if chance(rng, 0.3)])
    options: dict[str, Any] = {"study": "staged-values"}
    options |= {"weights": one_of(rng, "paper", "equal")} if chance(rng, 0.2) else {}
    beside = models_of(rng, frame, "model")
    if chance(rng, 0.3):
        texts = frame.drop_duplicates(["judge", "scenario"]).assign(
            text=lambda rows: rows["scenario"] + " neutral"
        )
        texts["text"] = np.where(
            rng.random(len(texts)) < 0.5, "neutral " + texts["scenario"], texts["scenario"]
        )
        beside["controls"] = texts.drop(columns=["scenario", "stage", "wording", "model"])
    if chance(rng, 0.3):
        answers = frame[["model", "scenario"]].drop_duplicates().reset_index(drop=True)
        beside["stances"] = answers.assign(
            answer=range(len(answers)),
            stance=[one_of(rng, "pro", "con") for _ in range(len(answers))],
        )
    return Drawn(
        kind="staged-values",
        frame=frame,
        options=options,
        unit="scenario",
        value="openness",
        source="model",
        beside=beside,
    )


KINDS: tuple[Callable[[Rng], Drawn], ...] = (
    comparisons,
    comparisons,
    compared,
    paired,
    paired,
    ratings,
    ratings,
    ratings,
    wide_ratings,
    board,
    board,
    norm_goal,
    social_norms,
    role_conflict,
    relationship_bias,
    staged_values,
)


def one_unit(rng: Rng, drawn: Drawn) -> Drawn:
    """Keep one or two units."""
    units = (
        list(dict.fromkeys(drawn.frame[drawn.unit]))[: int(rng.integers(1, 3))]
        if drawn.unit
        else []
    )
    return (
        drawn if not units else with_frame(drawn, drawn.frame[drawn.frame[drawn.unit].isin(units)])
    )


def other_units(rng: Rng, drawn: Drawn) -> Drawn:
    """Drop another unit of each source."""
    if not drawn.unit or not drawn.source:
        return drawn
    frame, units = drawn.frame, list(dict.fromkeys(drawn.frame[drawn.unit]))
    for label in dict.fromkeys(frame[drawn.source]):
        frame = frame[
            (frame[drawn.source] != label) | (frame[drawn.unit] != units[rng.integers(len(units))])
        ]
    return with_frame(drawn, frame)


def constant_source(rng: Rng, drawn: Drawn) -> Drawn:
    """Let each source give one value, or one of them."""
    if not drawn.value or not drawn.source:
        return drawn
    frame = drawn.frame.copy()
    for label in dict.fromkeys(frame[drawn.source]):
        own = frame[drawn.source] == label
        if chance(rng, 0.7):
            frame.loc[own, drawn.value] = frame[drawn.value].iloc[int(rng.integers(len(frame)))]
    return with_frame(drawn, frame)


def blanks(rng: Rng, drawn: Drawn) -> Drawn:
    """Empty some cells."""
    frame = drawn.frame.astype(object)
    for column in rng.choice(frame.columns, min(2, len(frame.columns)), replace=False):
        frame.loc[rng.random(len(frame)) < one_of(rng, 0.05, 0.3), column] = ""
    return with_frame(drawn, frame)


def fewer(rng: Rng, drawn: Drawn) -> Drawn:
    """Keep some rows at random."""
    return with_frame(drawn, drawn.frame[rng.random(len(drawn.frame)) < one_of(rng, 0.1, 0.5, 0.9)])


def repeated(rng: Rng, drawn: Drawn) -> Drawn:
    """Repeat some rows as they are."""
    frame = drawn.frame
    return with_frame(
        drawn, pd.concat([frame, frame[rng.random(len(frame)) < one_of(rng, 0.1, 1.0)]])
    )


def alike(rng: Rng, drawn: Drawn) -> Drawn:
    """Copy the whole table with other units and another cluster, as replies at temperature 0."""
    if not drawn.unit:
        return drawn
    copies = [
        drawn.frame.assign(
            **{drawn.unit: drawn.frame[drawn.unit].astype(str) + f" {k}", "run": f"run {k}"}
        )
        for k in range(int(rng.integers(2, 5)))
    ]
    reading = {**drawn.reading, "cluster": ["run"]} if chance(rng, 0.7) else drawn.reading
    return replace(with_frame(drawn, pd.concat(copies)), reading=reading)


def renamed(rng: Rng, drawn: Drawn) -> Drawn:
    """Call columns otherwise, and name them."""
    frame, reading = drawn.frame, dict(drawn.reading)
    mapped = {key: column for key, column in reading.items() if key in MAPPED and column in frame}
    new = {
        column: f"{one_of(rng, 'Col', 'my column', 'x')} {k}"
        for k, column in enumerate(mapped.values())
    }
    reading |= {key: new[column] for key, column in mapped.items()}
    for key in ("order", "count", "by"):
        reading |= {key: new[reading[key]]} if reading.get(key) in new else {}
    for key in ("cluster", "strata", "rater_groups"):
        reading |= (
            {key: [new.get(column, column) for column in reading[key]]} if key in reading else {}
        )
    called = {
        name: new.get(getattr(drawn, name), getattr(drawn, name))
        for name in ("unit", "value", "source")
    }
    return replace(with_frame(drawn, frame.rename(columns=new)), reading=reading, **called)


def with_frame(drawn: Drawn, frame: pd.DataFrame) -> Drawn:
    """Return what was drawn with another table, unless that is empty."""
    return replace(drawn, frame=frame.reset_index(drop=True)) if len(frame) else drawn


CHANGES: tuple[Callable[[Rng, Drawn], Drawn], ...] = (
    one_unit,
    other_units,
    other_units,
    other_units,
    constant_source,
    constant_source,
    blanks,
    fewer,
    fewer,
    repeated,
    alike,
    alike,
    renamed,
)


def draw(seed: int, k: int) -> Drawn:
    """Return table k of a seed."""
    rng = np.random.default_rng([seed, k])
    drawn = KINDS[rng.integers(len(KINDS))](rng)
    for _ in range(int(one_of(rng, 0, 1, 1, 2, 3))):
        if len(drawn.frame):
            drawn = CHANGES[rng.integers(len(CHANGES))](rng, drawn)
    if chance(rng, 0.3):
        drawn = with_frame(drawn, drawn.frame.sample(frac=1, random_state=int(rng.integers(2**31))))
    options = {**drawn.options, "resamples": 100}
    options |= {"level": one_of(rng, 0.9, 0.99, 0.5)} if chance(rng, 0.2) else {}
    options |= {"missing": "drop"} if "missing" not in drawn.reading and chance(rng, 0.3) else {}
    options |= {"seed": int(rng.integers(1000))} if chance(rng, 0.2) else {}
    return replace(drawn, options=options)
