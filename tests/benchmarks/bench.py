"""`make bench`: our code and its peers on the same data in one run; writes docs/benchmarks.md.

Every measurement is a fresh process with one thread, and tools take turns, so that whatever else the machine does
touches them alike. This process stays small: a child's peak memory counts what it inherits.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import page as pages
import plan
import report_times

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def environment() -> dict[str, str]:
    """The environment of the measured processes: one thread, this checkout importable and, as installed, compiled."""
    paths = [
        str(ROOT),
        str(ROOT / "reports"),
        str(ROOT / "collect"),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**known, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONPATH": os.pathsep.join(paths)}


def child(*arguments: object) -> dict[str, Any]:
    """Run measure.py with some arguments, and read what it prints."""
    command = [sys.executable, str(HERE / "measure.py"), *map(str, arguments)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def run_task(entries: tuple[Any, ...], data: dict[str, str]) -> list[dict[str, Any]]:
    """Measure the entries of a task in turns, and summarise each."""
    runs: list[list[dict[str, Any]]] = [[] for _ in entries]
    for turn in range(max(entry.repeats for entry in entries)):
        for entry, done in zip(entries, runs, strict=True):
            if turn < entry.repeats:
                done.append(child(entry.job, data[entry.data], entry.calls))
                print(
                    f"  {entry.tool} {entry.what}: {done[-1]['seconds'][-1][0]:.4g} CPU s",
                    file=sys.stderr,
                )
    return [summary(entry, done, runs[0]) for entry, done in zip(entries, runs, strict=True)]


def summary(entry: Any, runs: list[dict[str, Any]], ours: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over processes: first call, later calls (the first again if there is only one), peak memory."""
    later = [one["seconds"][1:] or one["seconds"] for one in runs]
    return {
        "entry": entry,
        "first": entry.scale * median(one["seconds"][0][0] for one in runs),
        "cpu": entry.scale * median(median(c for c, _ in calls) for calls in later),
        "wall": entry.scale * median(median(w for _, w in calls) for calls in later),
        "peak": max(one["peak"] for one in runs),
        "loaded": max(one["loaded"] for one in runs),
        "gap": largest_gap(runs[0]["strengths"], ours[0]["strengths"], entry.centred)
        if entry.same_model
        else None,
    }


def largest_gap(
    theirs: dict[str, float] | None, ours: dict[str, float] | None, centred: bool = True
) -> float | None:
    """Largest difference of two sets of numbers, after centring each where asked."""
    if not theirs or not ours or theirs is ours:
        return None
    mean_theirs, mean_ours = (sum(x.values()) / len(x) if centred else 0.0 for x in (theirs, ours))
    return max(abs(theirs[k] - mean_theirs - ours[k] + mean_ours) for k in ours)


def start_times() -> dict[str, Any]:
    """Wall and CPU seconds of importing the package and of --help (median of 5), and which heavy modules load."""
    heavy = "[m for m in ('sklearn','pingouin','openai','matplotlib') if m in sys.modules]"
    codes = {
        "import socialstats": f"import sys, socialstats; print({heavy})",
        "socialstats --help": "import socialstats.cli as c; c.main(['--help'])",
    }
    found: dict[str, Any] = {}
    for name, code in codes.items():
        walls, done = [], None
        for _ in range(5):
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", code], env=environment(), capture_output=True, text=True
            )
            walls.append(time.perf_counter() - start)
        assert done is not None
        found[name] = {
            "wall": median(walls),
            "ok": done.returncode == 0,
            "said": done.stdout.strip()[:60],
        }
    return found


def main() -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    everything = [*plan.TASKS, "group-by", "start", "pages"]
    parser.add_argument(
        "--only", choices=everything, action="append", help="some tasks; the page keeps the others"
    )
    parser.add_argument("--no-write", action="store_true", help="print only")
    chosen = parser.parse_args()
    wanted = set(chosen.only or everything)
    tasks: dict[str, list[dict[str, Any]]] = {}
    more: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        needed = {entry.data for name in wanted & {*plan.TASKS} for entry in plan.TASKS[name][1]}
        needed |= {"battles"} if "group-by" in wanted else set()
        data = {name: str(Path(folder, f"{name}.pickle")) for name in sorted(needed)}
        made = {name: child("data", name, path) for name, path in data.items()}
        for name, (title, entries) in plan.TASKS.items():
            if name in wanted:
                print(title, file=sys.stderr)
                tasks[name] = run_task(entries, data)
        if "group-by" in wanted:
            more["group-by"] = [child("group-by", data["battles"], copies) for copies in (1, 10)]
    if "start" in wanted:
        more["start"] = start_times()
    if "pages" in wanted:
        more["pages"] = report_times.page_times(environment())
    found = pages.sections(plan.TASKS, tasks, more, made)
    print("\n".join(found.values()))
    if not chosen.no_write:
        target = ROOT / "docs" / "benchmarks.md"
        before = (
            pages.kept(target.read_text(encoding="utf-8"))
            if chosen.only and target.exists()
            else {}
        )
        target.write_text(pages.page(before | found), encoding="utf-8")
        pages.put_into_tour(
            ROOT / "docs" / "tour.md", pages.short_rows(tasks), keep=bool(chosen.only)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
