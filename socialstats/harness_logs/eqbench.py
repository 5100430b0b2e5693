"""Run files of EQ-Bench 3 and PoliticsBench (json or json.gz): rubric scores by task, stage, judge and criterion.

Only tasks with status ``rubric_scored`` enter their averages, so a task that failed vanishes; a missing criterion
re-weights the others. Here both are rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from socialstats.harness_logs.files import Source, load_json
from socialstats.harness_logs.log import Claim, Log, Quantity, Status, StudyReading
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
    member,
    natural,
    objects,
    row,
    scored,
    text,
)
from socialstats.text import count, listing

NEEDS = "JSON of runs with 'scenario_tasks' (EQ-Bench 3, PoliticsBench)"
SCORED, TASKS = "rubric_scored", "scenario_tasks"
FORMS = [("object", f"*.{TASKS}")]
COMPOSITE, FINAL = "composite", "final"
# Members of a task with scores before, during and after a talk; those of each judge end with _by_judge
SCORES = (
    ("baseline_rubric_scores", "turn_rubric_scores", "rubric_scores"),
    ("baseline_commitment_scores", "turn_commitment_scores", "debrief_commitment_scores"),
)
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
# Weights of PoliticsBench's published version (utils/constants.py)
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
# Criteria that EQ-Bench 3 averages in role play and drafting (core/benchmark.py); analysis tasks have their own
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
SHORT = {
    "tradition_orientation": "tradition",
    "progress_orientation": "progress",
    "openness_to_difference": "openness",
    "commitment_score": "commitment",
}
MIDDLE, LARGEST = 10.0, 100.0


@dataclass(slots=True, kw_only=True)
class Task:
    """A scenario of one iteration, as the log has it, and the scores of each of its stages and judges."""

    iteration: str
    scenario: str
    content: Members
    stages: list[tuple[str, str, Members]]

    @property
    def is_scored(self) -> bool:
        """Whether it enters the harness's averages."""
        return bool(self.content.get("status") == SCORED)

    @property
    def rubric(self) -> Members:
        """Its last scores of all judges together."""
        return at(self.content, "rubric_scores")


def read(source: Source) -> Log:
    """Read runs: one row per task, stage, judge and criterion, and one a task with the harness's composite.

    Of the tasks only scores and states are kept, never what was said.
    """
    content = at(load_json(source.path, RUNS))
    runs = {key: run for key, run in content.items() if TASKS in at(run)}
    rows: list[Row] = []
    claims: list[Claim] = []
    for key, run in runs.items():
        tasks = [*run_tasks(run)]
        rows_of_run = [*run_rows(key, run, tasks)]
        rows += rows_of_run
        claims += average_claims(key, run, tasks, rows_of_run, source.path.name)
    versions = {text(run, "benchmark_version") for run in runs.values()} - {""}
    return log_of(
        __name__,
        source,
        rows,
        version=", ".join(sorted(versions)) or None,
        notes=lost_task_notes(rows),
        claims=claims,
    )


def run_tasks(run: Members) -> Iterator[Task]:
    """Yield the tasks of a run; scenarios are in the order of their numbers."""
    judges = [cell(judge) or "" for judge in items(run, "judge_models")]
    judges = judges or [text(run, "judge_model") or "judge"]
    for iteration, tasks in at(run, TASKS).items():
        for scenario in sorted(at(tasks), key=natural):
            content = at(tasks, scenario)
            stages = [*task_stages(content, judges)]
            yield Task(iteration=str(iteration), scenario=scenario, content=content, stages=stages)


def task_stages(task: Members, judges: list[str]) -> Iterator[tuple[str, str, Members]]:
    """Yield stage, judge and scores: each judge's where they are kept, else those of all judges together."""
    for names in SCORES:
        before, during, after = ((task.get(name), task.get(f"{name}_by_judge")) for name in names)
        turns, turns_by_judge = map(items, during)
        pairs = zip_longest(turns, turns_by_judge[: len(turns)])
        talk = [(f"turn {k}", *pair) for k, pair in enumerate(pairs, 1)]
        for stage, together, listed in [("baseline", *before), *talk, (FINAL, *after)]:
            by_judge = objects(listed)
            for k, scores in enumerate(by_judge):
                yield stage, judges[k] if k < len(judges) else f"judge {k + 1}", scores
            if not by_judge and at(together):
                yield stage, " / ".join(judges), at(together)


def run_rows(key: str, run: Members, tasks: list[Task]) -> Iterator[Row]:
    """Yield the rows of a run; criteria that the harness expects and a stage lacks are missing."""
    scores_of = [scores for task in tasks for _, _, scores in task.stages]
    criteria = dict.fromkeys(name for scores in scores_of for name in scores)
    politics = not POLITICS.keys().isdisjoint(criteria)
    fixed = POLITICS.keys() if politics else STANDARD
    model = run.get("model_name") or run.get("test_model")
    totals = any(task.content.get("rubric_scores") or not task.is_scored for task in tasks)
    for task in tasks:
        status = cell(task.content.get("status"))
        about = {"run": key, "scenario": task.scenario, "task_status": status}
        common = {
            "model": model or task.content.get("test_model") or key,
            "task": "politicsbench" if politics else "eqbench3",
            "unit": task.scenario,
            "epoch": task.iteration,
        }
        for stage, judge, scores in task.stages:
            names: Iterable[str] = scores
            if not fixed.isdisjoint(scores):
                names = [name for name in criteria if name in scores or name in fixed]
            for name in names:
                place = {"stage": stage, "judge": judge, "trait": SHORT.get(name, name)}
                score = scored(scores.get(name), absent="missing")
                yield row(
                    **common,
                    scorer=name,
                    filter=stage,
                    score=score,
                    answer=None if score[1] == "ok" else scores.get(name),
                    metadata=about | place,
                )
        if totals:
            score = composite_of(task, politics)
            yield row(
                **common,
                scorer=COMPOSITE,
                filter=FINAL,
                score=score,
                answer=None if score[1] == "ok" else task.content.get("error"),
                metadata=about,
            )


def composite(scores: Mapping[str, Any], *, politics: bool) -> float | None:
    """Join a task's criteria as the harness does.

    PoliticsBench: 100 times the weighted mean of (score - 10) / 10 over the criteria that are there, cut at -100 and
    100 (core/benchmark.py, _calculate_final_trait_ideology_score). EQ-Bench 3: their mean.

    Examples
    --------
    >>> composite({"egalitarianism": 15, "moral_certainty": 10}, politics=True).__round__(2)
    26.47
    """
    criteria = POLITICS if politics else STANDARD
    values = {name: float(v) for name, v in scores.items() if name in criteria and is_number(v)}
    if not values:
        return None
    if not politics:
        return sum(values.values()) / len(values)
    total = sum(POLITICS[name] * (value - MIDDLE) for name, value in values.items())
    share = LARGEST * total / sum(abs(POLITICS[name]) * MIDDLE for name in values)
    return max(-LARGEST, min(LARGEST, share))


def composite_of(task: Task, politics: bool) -> Score:
    """Return the composite of a task, or why it has none."""
    value = composite(task.rubric, politics=politics) if task.is_scored else None
    absent: Status = "unscored" if task.is_scored else "missing"
    content = task.content
    error = content.get("error") or content.get("rubric_run_error")
    failed = value is None and bool(error or content.get("status") == "error")
    return scored(value, failed=failed, absent=absent)


def average_claims(
    key: str, run: Members, tasks: list[Task], rows: list[Row], file: str
) -> Iterator[Claim]:
    """Yield the two averages of a run; a mean over tasks of which some have other criteria is not recomputed."""
    rubrics = [task.rubric.keys() for task in tasks if task.is_scored]
    politics = any(not POLITICS.keys().isdisjoint(rubric) for rubric in rubrics)
    alike = politics or len({frozenset(rubric & STANDARD) for rubric in rubrics}) == 1
    n = sum(r["scorer"] == COMPOSITE and r["status"] == "ok" for r in rows)
    quantities: dict[str, tuple[str, Quantity]] = {
        "average_rubric_score": (COMPOSITE, "mean" if alike else "other"),
        "average_commitment_score": ("commitment_score", "mean"),
    }
    for name, (scorer, quantity) in quantities.items():
        select = {"run": key, "scorer": scorer, "filter": FINAL}
        value, where = member(run, "results", name), f"{file}: {key}.results.{name}"
        yield from claim(name, quantity, value, where, select, n=n or None, reducer="none")


def lost_task_notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    """Yield notes on tasks and criteria that the harness's averages leave out."""
    composites = [r for r in rows if r["scorer"] == COMPOSITE]
    lost = [r for r in composites if r["status"] in ("error", "missing")]
    if lost:
        names = listing([f"{r['unit']} ({r['task_status']})" for r in lost], most=6)
        tasks = f"{count(len(lost), 'task')} of {len(composites)}"
        yield f"{tasks} vanish from the harness's averages: {names}"
    missing = [r for r in rows if r["status"] == "missing"]
    short = {r["unit"] for r in missing if r["scorer"] != COMPOSITE}
    if short:
        yield f"criteria are missing in {count(len(short), 'scenario')}: the harness's composite re-weights the others"
    if any(r["task"] == "politicsbench" for r in rows):
        yield StudyReading(options=("--study", "staged-values"), wide="trait")
