"""Wall and CPU seconds, size and memory of whole pages: the bundled examples, and ten models of 13,914 choices each."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

EXAMPLES = ("role-conflict", "relationship-bias", "norm-goal", "social-norms", "staged-values")
MODELS = 10
FLIPPED = 0.1  # share of the choices that each further model makes the other way
SEED = 20261122
TURNS = 3
TARGETS = {"role-conflict": 10.0, "ten models": 60.0}  # wall seconds
LARGEST = 1_000_000  # bytes
PEAK = (
    "import resource, sys; from socialstats.cli import main; code = main(); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
)


def ten_models(path: Path) -> int:
    """Write the simulated choices of ten models (each flips a tenth of the bundled ones), and return the rows."""
    import numpy as np
    import pandas as pd

    from socialstats.datasets import role_conflict

    base, rng, parts = role_conflict(), np.random.default_rng(SEED), []
    other = np.where(base["role_a"] == base["choice"], base["role_b"], base["role_a"])
    for k in range(MODELS):
        flip = rng.random(len(base)) < (FLIPPED if k else 0.0)
        parts.append(base.assign(choice=np.where(flip, other, base["choice"]), model=f"model {k}"))
    table = pd.concat(parts)
    table.to_csv(path, index=False)
    return len(table)


def measure(arguments: list[str], target: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Make a page in a fresh process."""
    command = [sys.executable, "-c", PEAK, "report", *arguments, "-o", target.name, "--quiet"]
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        command, env=environment, cwd=target.parent, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    page = target.read_bytes()
    cpu = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return {
        "wall": wall,
        "cpu": cpu,
        "bytes": len(page),
        "peak": int(done.stdout.split()[-1]) * 1024 / 1e6,
        "sha256": hashlib.sha256(page).hexdigest(),
    }


def page_times(environment: dict[str, str]) -> list[dict[str, Any]]:
    """Measure every page, each time under another hash seed; the same bytes are asked of all turns."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [sys.executable, __file__, str(Path(folder, "ten.csv"))],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        rows = int(made.stdout)
        cases = [(name, ["--example", name]) for name in EXAMPLES]
        cases.append(("ten models", ["ten.csv", "--study", "role-conflict", "--by", "model"]))
        for name, arguments in cases:
            turns = [
                measure(
                    arguments,
                    Path(folder, "page.html"),
                    environment | {"PYTHONHASHSEED": str(turn + 1)},
                )
                for turn in range(1 if name == "ten models" else TURNS)
            ]
            found.append(
                {
                    "name": f"{name}, {rows:,} rows" if name == "ten models" else name,
                    "target": TARGETS.get(name),
                    **{key: median(turn[key] for turn in turns) for key in ("wall", "cpu", "peak")},
                    "bytes": turns[0]["bytes"],
                    "same": len({turn["sha256"] for turn in turns}) == 1,
                    "turns": len(turns),
                }
            )
            print(f"  {name}: {found[-1]['wall']:.1f} s wall", file=sys.stderr)
    return found


def section(found: list[dict[str, Any]]) -> str:
    """Return the section of the benchmark page."""
    lines = []
    for one in found:
        target = (
            ""
            if one["target"] is None
            else f" (target {one['target']:.0f} s: {'met' if one['wall'] <= one['target'] else 'not met'})"
        )
        size = f"{one['bytes'] / 1000:,.0f}" + (
            "" if one["bytes"] < LARGEST else " (target 1,000: not met)"
        )
        same = "" if one["turns"] == 1 else "yes" if one["same"] else "no"
        times = f"{one['wall']:.1f} s{target} | {one['cpu']:.1f} s"
        lines.append(f"| {one['name']} | {times} | {one['peak']:.0f} | {size} | {same} |\n")
    return (
        "## Whole pages\n\n`socialstats report` from start to written page, verification, multiverse and 2,000 "
        f"resamples included; two processes where the system has them. Medians of {TURNS} runs (ten models: one), each "
        "under another hash seed.\n\n| page | wall | CPU | peak MB | KB | same bytes |\n|---|--:|--:|--:|--:|---|\n"
        + "".join(lines)
    )


if __name__ == "__main__":  # in a process of its own: the one that measures stays small
    print(ten_models(Path(sys.argv[1])))
