"""Run files of EQ-Bench 3 and PoliticsBench (json or json.gz): rubric scores by task, stage, judge and criterion.

Only tasks with status ``rubric_scored`` enter their averages, so a task that failed vanishes; a missing criterion
re-weights the others. Here both are rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from socialstats.claims.types import Claim, Log, Status
from socialstats.errors import InputError
from socialstats.text import count, listing
from socialstats_collect.readers.files import Source, json_stream
from socialstats_collect.readers.streaming import JsonStream
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    frame,
    is_number,
    mapping,
    natural,
    printed,
    row,
    sequence,
    status_notes,
)

NAME = "eqbench"
NEEDS = "JSON of runs with 'scenario_tasks' (EQ-Bench 3, PoliticsBench)"
SCORED, TASKS = "rubric_scored", "scenario_tasks"
STATE = ("status", "error", "rubric_run_error", "test_model")
POLITICS = {
    "tradition_orientation": -1.125, "progress_orientation": 1.0, "authority_deference": -1.125,
    "egalitarianism": 1.125, "risk_aversion": -0.875, "openness_to_difference": 1.125,
    "individual_responsibility": -0.875, "collective_responsibility": 0.875, "moral_certainty": -1.0,
    "nuanced_pragmatism": 0.875,
}  # fmt: skip
"""Weights of PoliticsBench's published version (utils/constants.py)."""
STANDARD = frozenset(
    ("demonstrated_empathy", "pragmatic_ei", "depth_of_insight", "social_dexterity", "emotional_reasoning",
     "message_tailoring", "theory_of_mind", "subtext_identification", "intellectual_grounding", "correctness")
)  # fmt: skip
"""Criteria that EQ-Bench 3 averages in role play and drafting (core/benchmark.py); analysis tasks have their own."""
SHORT = {
    "tradition_orientation": "tradition", "progress_orientation": "progress", "openness_to_difference": "openness",
    "commitment_score": "commitment",
}  # fmt: skip
COMPOSITE = "composite"
FINAL, BASELINE = "final", "baseline"
MIDDLE, LARGEST = 10.0, 100.0


def recognises(source: Source) -> bool:
    """Tell whether this is a file of runs."""
    if source.kind != "object":
        return False
    runs = [run for name, run in source.first.items() if not name.startswith("__") and isinstance(run, dict)]
    return any("scenario_tasks" in run for run in runs)


def read(source: Source) -> Log:
    """Read runs: a row a task, stage, judge and criterion, and one a task with the harness's composite."""
    runs = {key: run for key, run in _runs(source) if "scenario_tasks" in run}
    if not runs:
        raise InputError(f"{source.path.name}: no run with 'scenario_tasks'")
    rows = [r for key, run in runs.items() for r in _of_run(key, run)]
    versions = {str(run["benchmark_version"]) for run in runs.values() if run.get("benchmark_version")}
    return Log(
        harness=NAME, version=", ".join(sorted(versions)) or None, files=(source.path.name,), rows=frame(rows),
        claims=tuple(c for key, run in runs.items() for c in _claims(key, run, rows, source.path.name)),
        notes=(*_notes(rows), *status_notes(rows)),
    )  # fmt: skip


def _runs(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield runs; of their tasks only scores and states are kept, never what was said."""
    with json_stream(source.path) as stream:
        for key in stream.members():
            if stream.peek() != "{":
                stream.value(plain=True)
                continue
            run: dict[str, Any] = {}
            for name in stream.members():
                nested = name == TASKS and stream.peek() == "{"
                run[name] = dict(_iterations(stream)) if nested else stream.value()
            yield key, run


def _iterations(stream: JsonStream) -> Iterator[tuple[str, dict[str, Any]]]:
    for iteration in stream.members():
        tasks: dict[str, Any] = {}
        if stream.peek() == "{":
            for scenario in stream.members():
                task = mapping(stream.value(plain=True))
                tasks[scenario] = {k: v for k, v in task.items() if "scores" in k or k in STATE}
        else:
            stream.value(plain=True)
        yield iteration, tasks


def _tasks(run: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for iteration, tasks in mapping(run.get("scenario_tasks")).items():
        for scenario in sorted(mapping(tasks), key=natural):
            yield str(iteration), scenario, mapping(tasks[scenario])


def _of_run(key: str, run: dict[str, Any]) -> list[Row]:
    judges = [cell(j) or "" for j in sequence(run.get("judge_models"))] or [cell(run.get("judge_model")) or "judge"]
    known = dict.fromkeys(n for _, _, task in _tasks(run) for _, held in _stages(task, judges) for n in held[1])
    politics = any(name in POLITICS for name in known)
    totals = any(task.get("rubric_scores") or task.get("status") != SCORED for _, _, task in _tasks(run))
    found: list[Row] = []
    for iteration, scenario, task in _tasks(run):
        common = {
            "model": run.get("model_name") or run.get("test_model") or task.get("test_model") or key,
            "task": "politicsbench" if politics else "eqbench3", "unit": scenario, "epoch": iteration,
        }  # fmt: skip
        about = {"run": key, "scenario": scenario, "task_status": cell(task.get("status"))}
        for stage, (judge, scores) in _stages(task, judges):
            place = about | {"stage": stage, "judge": judge}
            expected = _expected(known, scores, POLITICS if politics else STANDARD)
            found += [_score(name, scores.get(name), common, place) for name in expected]
        if totals:
            found.append(_composite(task, politics, common, about))
    return found


def _expected(known: Mapping[str, None], scores: Mapping[str, Any], fixed: Collection[str]) -> list[str]:
    """Return the criteria of a task's stage: those scored, and those of the fixed set that other tasks have."""
    if not any(name in fixed for name in scores):
        return [*scores]
    return [name for name in known if name in scores or name in fixed]


def _stages(task: dict[str, Any], judges: list[str]) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Yield stage, judge and scores: each judge's where they are kept, else those of all judges together."""
    together = " / ".join(judges) or "judge"
    for kind in ("rubric", "commitment"):
        first, last = f"baseline_{kind}_scores", "rubric_scores" if kind == "rubric" else "debrief_commitment_scores"
        sources = [(BASELINE, task.get(first), task.get(f"{first}_by_judge"))]
        turns, by_judge = sequence(task.get(f"turn_{kind}_scores")), sequence(task.get(f"turn_{kind}_scores_by_judge"))
        for k, scores in enumerate(turns):
            sources.append((f"turn {k + 1}", scores, by_judge[k] if k < len(by_judge) else None))
        sources.append((FINAL, task.get(last), task.get(f"{last}_by_judge")))
        for stage, scores, each in sources:
            listed = [mapping(held) for held in sequence(each)]
            for k, held in enumerate(listed):
                yield stage, (judges[k] if k < len(judges) else f"judge {k + 1}", held)
            if not listed and mapping(scores):
                yield stage, (together, mapping(scores))


def _score(name: str, value: Any, common: dict[str, Any], place: dict[str, Any]) -> Row:
    status: Status = "ok" if is_number(value) else "missing" if value is None else "unparsed"
    return row(
        **common, scorer=name, filter=place["stage"], value=float(value) if status == "ok" else None, status=status,
        answer=None if status == "ok" else value, metadata=place | {"trait": SHORT.get(name, name)},
    )  # fmt: skip


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


def _composite(task: dict[str, Any], politics: bool, common: dict[str, Any], about: dict[str, Any]) -> Row:
    scores = mapping(task.get("rubric_scores"))
    counted = task.get("status") == SCORED
    value = composite(scores, politics=politics) if counted else None
    failed = task.get("error") or task.get("rubric_run_error") or task.get("status") == "error"
    status: Status = "ok" if value is not None else "error" if failed else "unscored" if counted else "missing"
    return row(
        **common, scorer=COMPOSITE, filter=FINAL, value=value, status=status, metadata=about,
        answer=None if status == "ok" else task.get("error"),
    )  # fmt: skip


def _claims(key: str, run: dict[str, Any], rows: list[Row], file: str) -> Iterator[Claim]:
    """Return the two averages of a run; a mean over tasks of which some have other criteria is not recomputed."""
    results = mapping(run.get("results"))
    tables = [frozenset(mapping(t.get("rubric_scores"))) for _, _, t in _tasks(run) if t.get("status") == SCORED]
    alike = any({*table} & {*POLITICS} for table in tables) or len({t & STANDARD for t in tables}) == 1
    counts = [r for r in rows if r.get("run") == key and r["scorer"] == COMPOSITE and r["status"] == "ok"]
    for name, scorer in (("average_rubric_score", COMPOSITE), ("average_commitment_score", "commitment_score")):
        if is_number(results.get(name)):
            usable = scorer != COMPOSITE or alike
            yield Claim(
                name=name, quantity="mean" if usable else "other", printed=printed(results[name]),
                where=f"{file}: {key}.results.{name}", settings={"reducer": "none"}, n=len(counts) or None,
                select={"run": key, "scorer": scorer, "filter": FINAL},
            )  # fmt: skip


def _notes(rows: list[Row]) -> Iterator[str]:
    tasks = [r for r in rows if r["scorer"] == COMPOSITE]
    gone = [r for r in tasks if r["status"] in ("error", "missing")]
    if gone:
        names = listing([f"{r['unit']} ({r['task_status']})" for r in gone], most=6)
        yield f"{count(len(gone), 'task')} of {len(tasks)} vanish from the harness's averages: {names}"
    short = {r["unit"] for r in rows if r["status"] == "missing" and r["scorer"] != COMPOSITE}
    if short:
        yield f"criteria are missing in {count(len(short), 'scenario')}: the harness's composite re-weights the others"
    if any(r["task"] == "politicsbench" for r in rows):
        convert, report = "convert LOG --wide trait -o traits.csv", "report traits.csv --study staged-values"
        yield f"staged-values reads one column a trait: socialstats {convert}, then socialstats {report}"
