"""Run files of EQ-Bench 3 and PoliticsBench (json or json.gz): rubric scores by task, stage, judge and criterion.

Only tasks with status ``rubric_scored`` enter their averages, so a task that failed vanishes; a missing criterion
re-weights the others. Here both are rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from socialstats.harness_logs.files import Source, load_json
from socialstats.harness_logs.log import Claim, Log, StudyReading
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    Score,
    at,
    cell,
    claim,
    is_number,
    items,
    log_of,
    natural,
    row,
    scored,
)
from socialstats.text import count, listing

NEEDS = "JSON of runs with 'scenario_tasks' (EQ-Bench 3, PoliticsBench)"
SCORED, TASKS = "rubric_scored", "scenario_tasks"
FORMS = [("object", f"*.{TASKS}")]
COMPOSITE, FINAL = "composite", "final"
SCORES = (
    ("baseline_rubric_scores", "turn_rubric_scores", "rubric_scores"),
    ("baseline_commitment_scores", "turn_commitment_scores", "debrief_commitment_scores"),
)
"""Members of a task with scores before, during and after a talk; those of each judge end with ``_by_judge``."""
TASK = dict.fromkeys(
    (
        "status",
        "error",
        "rubric_run_error",
        "test_model",
        *(f"{name}{of}" for names in SCORES for name in names for of in ("", "_by_judge")),
    )
)
RUNS = {"*": {"*": None, TASKS: {"*": {"*": TASK}}}}
POLITICS = {
    "tradition_orientation": -1.125,
    "progress_orientation": 1.0,
    "authority_deference": -1.125,
    "egalitarianism": 1.125,
    "risk_aversion": -0.875,
    "openness_to_difference": 1.125,
    "individual_responsibility": -0.875,
    "collective_responsibility": 0.875,
    "moral_certainty": -1.0,
    "nuanced_pragmatism": 0.875,
}
"""Weights of PoliticsBench's published version (utils/constants.py)."""
STANDARD = frozenset(
    (
        "demonstrated_empathy",
        "pragmatic_ei",
        "depth_of_insight",
        "social_dexterity",
        "emotional_reasoning",
        "message_tailoring",
        "theory_of_mind",
        "subtext_identification",
        "intellectual_grounding",
        "correctness",
    )
)
"""Criteria that EQ-Bench 3 averages in role play and drafting (core/benchmark.py); analysis tasks have their own."""
SHORT = {
    "tradition_orientation": "tradition",
    "progress_orientation": "progress",
    "openness_to_difference": "openness",
    "commitment_score": "commitment",
}
MIDDLE, LARGEST = 10.0, 100.0
Runs = dict[str, Members]


def read(source: Source) -> Log:
    """Read runs: one row per task, stage, judge and criterion, and one a task with the harness's composite.

    Of the tasks only scores and states are kept, never what was said.
    """
    found = at(load_json(source.path, RUNS))
    runs: Runs = {key: run for key, run in found.items() if TASKS in at(run)}
    rows = [r for key, run in runs.items() for r in _of_run(key, run)]
    versions = {
        str(run["benchmark_version"]) for run in runs.values() if run.get("benchmark_version")
    }
    return log_of(
        __name__,
        source,
        rows,
        version=", ".join(sorted(versions)) or None,
        notes=_notes(rows),
        claims=(c for key, run in runs.items() for c in _claims(key, run, rows, source.path.name)),
    )


def _tasks(run: Mapping[str, Any]) -> Iterator[tuple[str, str, Members]]:
    for iteration, tasks in at(run, TASKS).items():
        for scenario in sorted(at(tasks), key=natural):
            yield str(iteration), scenario, at(tasks[scenario])


def _of_run(key: str, run: Members) -> Iterator[Row]:
    judges = [cell(j) or "" for j in items(run, "judge_models")] or [
        cell(run.get("judge_model")) or "judge"
    ]
    tasks = [
        (iteration, scenario, task, list(_stages(task, judges)))
        for iteration, scenario, task in _tasks(run)
    ]
    known = dict.fromkeys(
        name for *_, stages in tasks for _, _, scores in stages for name in scores
    )
    politics = any(name in POLITICS for name in known)
    fixed = {*POLITICS} if politics else STANDARD
    totals = any(
        task.get("rubric_scores") or task.get("status") != SCORED for _, _, task, _ in tasks
    )
    for iteration, scenario, task, stages in tasks:
        common = {
            "model": run.get("model_name")
            or run.get("test_model")
            or task.get("test_model")
            or key,
            "task": "politicsbench" if politics else "eqbench3",
            "unit": scenario,
            "epoch": iteration,
        }
        about = {"run": key, "scenario": scenario, "task_status": cell(task.get("status"))}
        for stage, judge, scores in stages:
            expected = (
                [name for name in known if name in scores or name in fixed]
                if fixed & {*scores}
                else [*scores]
            )
            for name in expected:
                score = scored(scores.get(name), absent="missing")
                yield row(
                    **common,
                    scorer=name,
                    filter=stage,
                    score=score,
                    answer=None if score[1] == "ok" else scores.get(name),
                    metadata={
                        **about,
                        "stage": stage,
                        "judge": judge,
                        "trait": SHORT.get(name, name),
                    },
                )
        if totals:
            score = _composite(task, politics)
            answer = None if score[1] == "ok" else task.get("error")
            yield row(
                **common, scorer=COMPOSITE, filter=FINAL, score=score, answer=answer, metadata=about
            )


def _stages(task: Members, judges: list[str]) -> Iterator[tuple[str, str, Members]]:
    """Yield stage, judge and scores: each judge's where they are kept, else those of all judges together."""
    for names in SCORES:
        before, during, after = ((task.get(name), task.get(f"{name}_by_judge")) for name in names)
        turns, each = map(items, during)
        talk = [
            (f"turn {k}", *turn) for k, turn in enumerate(zip_longest(turns, each[: len(turns)]), 1)
        ]
        stages = [("baseline", *before), *talk, (FINAL, *after)]
        for stage, scores, listed in stages:
            for k, held in enumerate(items(listed)):
                yield stage, judges[k] if k < len(judges) else f"judge {k + 1}", at(held)
            if not items(listed) and at(scores):
                yield stage, " / ".join(judges), at(scores)


def composite(scores: Mapping[str, Any], *, politics: bool) -> float | None:
    """Join a task's criteria as the harness does.

    PoliticsBench: 100 times the weighted mean of (score - 10) / 10 over the criteria that are there, cut at -100 and
    100 (core/benchmark.py, _calculate_final_trait_ideology_score). EQ-Bench 3: their mean.

    Examples
    --------
    >>> composite({"egalitarianism": 15, "moral_certainty": 10}, politics=True).__round__(2)
    26.47
    """
    allowed = POLITICS if politics else STANDARD
    held = {name: float(v) for name, v in scores.items() if name in allowed and is_number(v)}
    if not held:
        return None
    if not politics:
        return sum(held.values()) / len(held)
    total = sum(POLITICS[name] * (v - MIDDLE) for name, v in held.items())
    share = LARGEST * total / sum(abs(POLITICS[name]) * MIDDLE for name in held)
    return max(-LARGEST, min(LARGEST, share))


def _composite(task: Members, politics: bool) -> Score:
    counted = task.get("status") == SCORED
    value = composite(at(task, "rubric_scores"), politics=politics) if counted else None
    failed = value is None and (
        task.get("error") or task.get("rubric_run_error") or task.get("status") == "error"
    )
    return scored(value, failed=bool(failed), absent="unscored" if counted else "missing")


def _claims(key: str, run: Members, rows: list[Row], file: str) -> Iterator[Claim]:
    """Return the two averages of a run; a mean over tasks of which some have other criteria is not recomputed."""
    results = at(run, "results")
    tables = [
        frozenset(at(t, "rubric_scores")) for _, _, t in _tasks(run) if t.get("status") == SCORED
    ]
    alike = (
        any({*table} & {*POLITICS} for table in tables) or len({t & STANDARD for t in tables}) == 1
    )
    counts = [
        r for r in rows if r.get("run") == key and r["scorer"] == COMPOSITE and r["status"] == "ok"
    ]
    for name, scorer in (
        ("average_rubric_score", COMPOSITE),
        ("average_commitment_score", "commitment_score"),
    ):
        select = {"run": key, "scorer": scorer, "filter": FINAL}
        yield from claim(
            name,
            "mean" if scorer != COMPOSITE or alike else "other",
            results.get(name),
            f"{file}: {key}.results.{name}",
            select,
            n=len(counts) or None,
            reducer="none",
        )


def _notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    tasks = [r for r in rows if r["scorer"] == COMPOSITE]
    if gone := [r for r in tasks if r["status"] in ("error", "missing")]:
        names = listing([f"{r['unit']} ({r['task_status']})" for r in gone], most=6)
        yield f"{count(len(gone), 'task')} of {len(tasks)} vanish from the harness's averages: {names}"
    if short := {r["unit"] for r in rows if r["status"] == "missing" and r["scorer"] != COMPOSITE}:
        yield f"criteria are missing in {count(len(short), 'scenario')}: the harness's composite re-weights the others"
    if any(r["task"] == "politicsbench" for r in rows):
        yield StudyReading(options=("--study", "staged-values"), wide="trait")
