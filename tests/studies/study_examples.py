"""One small table for each study, and its outcome: what the acceptance checks of every page run on.

A new study adds a line to `EXAMPLES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from study_tables import LEVELS, answers, ratings, scores

from socialstats import datasets
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.model_scores import model_scores
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Outcome
from socialstats.tables import as_table

FAST = StudyOptions(resamples=200, verify=False)
HOSTILE = (
    "</script><script>alert(1)</script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    "\u202eesrever\u202c",
    "r" * 300,
    "nul\x00nul",
    '" onload="x',
    "&lt;b&gt;",
    "{{ 7 * 7 }}",
    "$a_1$ \u2028 line",
    "https://evil.example/x.js",
    "\u6f22\u5b57",
    "p = .000",
)


def choices(items: int = 8, seed: int = 5, urgency: bool = True) -> pd.DataFrame:
    """Every pair of roles, three stories each: the more urgent one tends to be chosen, and so do some roles."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        for j in range(i + 1, items):
            for k in range(4):
                a, b = (i, j) if rng.random() < 0.5 else (j, i)
                ua, ub = (int(v) for v in rng.integers(1, 4, 2))
                drive = 0.9 * (ua - ub) * urgency + 0.25 * (a - b) + 0.3
                won = rng.random() < 1 / (1 + np.exp(-drive))
                rows.append(
                    (
                        f"role {a}",
                        f"role {b}",
                        f"role {a if won else b}",
                        f"story {i}-{j}-{k // 2}",
                        f"role {a}",
                        ua,
                        ub,
                        ("family", "work")[a % 2],
                        ("family", "work")[b % 2],
                    )
                )
    names = [
        "item_a",
        "item_b",
        "winner",
        "story",
        "order",
        "urgency_a",
        "urgency_b",
        "domain_a",
        "domain_b",
    ]
    frame = pd.DataFrame(rows, columns=names)
    return frame if urgency else frame[["item_a", "item_b", "winner", "story", "order"]]


def relabelled(frame: pd.DataFrame, hostile: bool, *columns: str) -> pd.DataFrame:
    """Put strangers' strings in place of the labels of some columns, which share their labels."""
    if not hostile:
        return frame
    labels = list(dict.fromkeys(str(v) for column in columns for v in frame[column]))
    new = {old: HOSTILE[k] if k < len(HOSTILE) else old for k, old in enumerate(labels)}
    return frame.assign(**{column: [new[str(v)] for v in frame[column]] for column in columns})


def role_conflict(hostile: bool) -> Comparisons:
    frame = relabelled(choices(), hostile, "item_a", "item_b", "winner", "order")
    return Comparisons.from_frame(frame, cluster="story")


def follows_urgency(hostile: bool) -> Comparisons:
    """Choices that the more urgent side always wins: no strengths can be estimated."""
    frame = choices()
    more = frame["urgency_a"] - frame["urgency_b"]
    frame["winner"] = frame["item_a"].where(
        more > 0, frame["item_b"].where(more < 0, frame["winner"])
    )
    return Comparisons.from_frame(
        relabelled(frame, hostile, "item_a", "item_b", "winner", "order"), cluster="story"
    )


def comparisons(hostile: bool) -> Comparisons:
    frame = relabelled(choices(urgency=False), hostile, "item_a", "item_b", "winner", "order")
    return Comparisons.from_frame(frame, cluster="story")


def groups(hostile: bool) -> Groups:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "person": [f"p{k:02d}" for k in range(60)],
            "arm": np.repeat(["drug", "placebo"], 30),
            "ward": [f"ward {k // 5}" for k in range(60)],
        }
    )
    frame["score"] = np.round(rng.normal(20, 4, 60) + 2 * (frame["arm"] == "drug"), 1)
    return Groups.from_frame(relabelled(frame, hostile, "arm", "ward"), cluster="ward")


def paired(hostile: bool) -> Paired:
    frame = relabelled(relabelled(answers(), hostile, "condition"), hostile, "scenario")
    frame = frame.assign(item=frame["scenario"] + frame["item"])
    first, second = ("reminded", "plain") if not hostile else HOSTILE[1::-1]
    return Paired.from_frame(frame, conditions=(first, second), cluster="scenario")


def agreement(hostile: bool) -> Ratings:
    frame = relabelled(
        relabelled(relabelled(ratings(), hostile, "judge"), hostile, "domain"), hostile, "story"
    )
    options: dict[str, Any] = {
        "strata": "domain",
        "cluster": "story",
        "rater_groups": "kind",
        "refusal": "refused",
    }
    return Ratings.from_frame(frame, levels=list(LEVELS), **options)


def one_source(hostile: bool) -> Ratings:
    frame = relabelled(leaderboard_frame(), hostile, "model", "task")
    frame = relabelled(frame[frame["model"] == frame["model"].iloc[-1]], hostile, "story")
    return Ratings.from_frame(frame, unit=["task", "item"], strata="task", cluster="story")


def compare(hostile: bool) -> Comparisons:
    parts = [choices(seed=seed).assign(model=name) for seed, name in ((5, "m1"), (6, "m2"))]
    frame = relabelled(
        relabelled(pd.concat(parts), hostile, "model"),
        hostile,
        "item_a",
        "item_b",
        "winner",
        "order",
    )
    return Comparisons.from_frame(frame, cluster="story", by="model")


def relationship_bias(hostile: bool) -> Ratings:
    """Six scenarios of the bundled simulation, three names of each group."""
    frame = datasets.relationship_bias()
    kept = list(dict.fromkeys(frame["scenario"]))[::5][:6]
    frame = frame[
        frame["scenario"].isin(kept) & frame["name_first"].str.endswith(("01", "02", "03"))
    ]
    frame = relabelled(frame, hostile, "scenario").reset_index(drop=True)
    read = STUDIES["relationship-bias"].read
    assert read is not None
    design: Ratings = read(as_table(frame))
    return design


def norm_goal(hostile: bool) -> Ratings:
    """Some scenarios of the bundled simulation, under two pressures."""
    frame = datasets.norm_goal()
    kept = [name for k, name in enumerate(dict.fromkeys(frame["scenario"])) if k % 8 == 0]
    pressures = list(dict.fromkeys(frame["pressure"]))[:2]
    frame = frame[frame["scenario"].isin(kept) & frame["pressure"].isin(pressures)]
    frame = relabelled(relabelled(frame, hostile, "scenario"), hostile, "pressure").reset_index(
        drop=True
    )
    return Ratings.from_frame(
        frame,
        unit="scenario",
        rater="rater",
        value="action",
        rater_source="source",
        scale="nominal",
        strata="domain",
        by="pressure",
    )


def staged_values(hostile: bool) -> Any:
    """Five scenarios and two models of the bundled simulation."""
    frame = datasets.staged_values()
    scenarios, models = (list(dict.fromkeys(frame[name])) for name in ("scenario", "model"))
    frame = frame[frame["scenario"].isin(scenarios[:5]) & frame["model"].isin(models[:2])]
    frame = relabelled(relabelled(frame, hostile, "scenario"), hostile, "model").reset_index(
        drop=True
    )
    read = STUDIES["staged-values"].read
    assert read is not None
    return read(as_table(frame))


def ordinal_alignment(hostile: bool) -> Ratings:
    """Forty items of the bundled simulation."""
    frame = datasets.social_norms()
    kept = list(dict.fromkeys(frame["item"]))[::10]
    frame = relabelled(frame[frame["item"].isin(kept)], hostile, "area").reset_index(drop=True)
    return Ratings.from_frame(
        frame,
        unit="item",
        rater="rater",
        value="answer",
        rater_source="source",
        levels=list("ABCDE"),
        refusal="F",
        strata="area",
        rater_groups="gender",
    )


def compare_ratings(hostile: bool) -> Ratings:
    parts = [ratings(seed).assign(model=name) for seed, name in ((1, "m1"), (2, "m2"))]
    frame = relabelled(relabelled(pd.concat(parts), hostile, "model"), hostile, "story")
    return Ratings.from_frame(
        frame.drop(columns="domain"), levels=list(LEVELS), by="model", refusal="refused"
    )


def leaderboard_frame() -> pd.DataFrame:
    """Four models on items of three tasks in stories; one model lacks some items, and a task has fewer items."""
    rng = np.random.default_rng(4)
    items = [
        (task, k)
        for task, size in (("maths", 30), ("law", 20), ("ethics", 30))
        for k in range(size)
    ]
    ease = rng.normal(size=len(items))
    rows = [
        (
            f"m{m}",
            task,
            k,
            f"{task} {k // 2}",
            int(rng.random() < 1 / (1 + np.exp(-ease[i] - 0.4 * m))),
        )
        for m in range(4)
        for i, (task, k) in enumerate(items)
        if m or k > 2
    ]
    return pd.DataFrame(rows, columns=["model", "task", "item", "story", "correct"])


def leaderboard(hostile: bool) -> Ratings:
    frame = leaderboard_frame()
    frame = relabelled(
        relabelled(relabelled(frame, hostile, "model"), hostile, "task"), hostile, "story"
    )
    return model_scores(frame, cluster="story")


def survey(hostile: bool) -> Ratings:
    """Return answers of 24 people to five questions."""
    rng = np.random.default_rng(11)
    rows = [
        (f"p{p:02}", f"question {q}", int(np.clip(np.rint(rng.normal(2 + q / 2, 1)), 1, 5)))
        for p in range(24)
        for q in range(5)
    ]
    table = pd.DataFrame(rows, columns=["respondent", "question", "value"])
    table = relabelled(table, hostile, "question")
    return Ratings.from_frame(table, unit="question", rater="respondent", value="value")


EXAMPLES: dict[str, Callable[[bool], Any]] = {
    "role-conflict": role_conflict,
    "comparisons": comparisons,
    "compare": compare,
    "paired": paired,
    "groups": groups,
    "agreement": agreement,
    "relationship-bias": relationship_bias,
    "norm-goal": norm_goal,
    "staged-values": staged_values,
    "ordinal-alignment": ordinal_alignment,
    "compare-ratings": compare_ratings,
    "leaderboard": leaderboard,
    "one-source": one_source,
    "survey": survey,
}
MORE: dict[str, tuple[str, Callable[[bool], Any]]] = {
    "paired, of numbers": (
        "paired",
        lambda hostile: Paired.from_frame(relabelled(scores(), hostile, "time")),
    ),
    "paired, by model": (
        "paired",
        lambda hostile: Paired.from_frame(
            relabelled(
                pd.concat([scores(1).assign(model="m1"), scores(2).assign(model="m2")]),
                hostile,
                "model",
            ),
            by="model",
        ),
    ),
    "role-conflict, without strengths": ("role-conflict", follows_urgency),
}  # further pages of the same studies
PAGES = {**{name: (name, make) for name, make in EXAMPLES.items()}, **MORE}


def outcome_of(name: str, *, hostile: bool = False, verify: bool = False) -> Outcome:
    """Run the study of an example."""
    study, make = PAGES[name]
    options = replace(FAST, verify=verify, smallest_effect=0.05 if study == "paired" else None)
    return run_study(STUDIES[study], make(hostile), options)
