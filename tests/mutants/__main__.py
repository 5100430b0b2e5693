"""Plant random errors and count those that tests notice: ``python -m tests.mutants [MUTANTS]``.

Environment: SEED repeats a run, JOBS is the number of processes. Each run has a seed of its own, which it prints. Every
operator is drawn equally often, and each of its sites is equally likely. A mutant lives in a copy of the project.
"""

from __future__ import annotations

import difflib
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tests.mutants.operators import OPERATORS, Mutant, is_another_program, mutants
from tests.mutants.subjects import QUICK, ROOMS, Subjects, environment, measure

TOP = Path(__file__).parents[2]
MUTANTS = 120
SHARE = 0.95  # the least share that tests must notice
LEFT_OUT = (".*", "build", "dist", "*.egg-info", "__pycache__", "collect-demo")
GIGABYTES = 6  # the most address space, which a mutant without end would fill
SURVIVED = 0
STRANGE = (5, -signal.SIGTERM, -signal.SIGINT)  # no test collected, or ended by somebody else


def draw(seed: int, n: int) -> list[Mutant]:
    """Draw mutants, as many by each operator."""
    drawing = random.Random(seed)
    pools: defaultdict[str, list[Mutant]] = defaultdict(list)
    paths = sorted(path for room in ROOMS for path in (TOP / "socialstats" / room).rglob("*.py"))
    for path in paths:
        for mutant in mutants(path.relative_to(TOP).as_posix(), path.read_bytes()):
            pools[mutant.operator].append(mutant)
    drawn: list[Mutant] = []
    while len(drawn) < n and any(pools.values()):
        pool = pools[list(OPERATORS)[len(drawn) % len(OPERATORS)]]
        mutant = pool.pop(drawing.randrange(len(pool)))
        source = (TOP / mutant.path).read_bytes()
        if is_another_program(source, mutant.edit.of(source)):
            drawn.append(mutant)
    return drawn


def try_in(copy: Path, mutant: Mutant, subjects: Subjects) -> str | None:
    """Return what notices a mutant in a copy of the project; None where all tests pass."""
    path, tests = copy / mutant.path, subjects.of(mutant.path, mutant.function)
    if not tests:
        return None
    before = path.read_bytes()
    try:
        _write(path, mutant.edit.of(before))
        return run(copy, tests, 60 + 5 * sum(subjects.seconds[test] for test in tests))
    finally:
        _write(path, before)


def run(copy: Path, tests: list[str], seconds: float) -> str | None:
    """Run tests until one fails, and return which one; None where all pass. CPU and memory have limits."""
    (copy / "tests.txt").write_text("\n".join(tests), encoding="utf-8")
    limits = f'ulimit -t {seconds:.0f}; ulimit -v {GIGABYTES * 2**20}; exec "$@"'
    command = [
        "sh",
        "-c",
        limits,
        "sh",
        sys.executable,
        "-m",
        "pytest",
        *QUICK,
        "-x",
        "-n",
        "0",
        "-rfE",
        "--tb=no",
    ]
    done = subprocess.run(
        [*command, "@tests.txt"],
        cwd=copy,
        env=environment(copy),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == SURVIVED:
        return None
    if done.returncode in STRANGE:
        raise RuntimeError(
            f"pytest ended with {done.returncode}, which says nothing of a mutant: {done.stdout}"
        )
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[-1] if failed else f"exit {done.returncode}"


def _write(path: Path, source: bytes) -> None:
    """Write a module and forget its compiled form, which may be as old and as long."""
    path.write_bytes(source)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def diff(mutant: Mutant) -> str:
    """Return the lines that a mutant changes."""
    before = (TOP / mutant.path).read_bytes()
    old, new = before.decode().splitlines(), mutant.edit.of(before).decode().splitlines()
    return "\n".join(list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:])


def try_all(drawn: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, str | None]]:
    """Yield each mutant with what notices it."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        copies: Queue[Path] = Queue()
        for k in range(jobs):
            copies.put(
                Path(
                    shutil.copytree(
                        TOP, Path(folder, str(k)), ignore=shutil.ignore_patterns(*LEFT_OUT)
                    )
                )
            )
        first = copies.get()
        subjects = measure(first, jobs)
        copies.put(first)
        print(f"{len(subjects.seconds)} tests pass without a mutant", flush=True)

        def attempt(mutant: Mutant) -> tuple[Mutant, str | None]:
            copy = copies.get()
            try:
                return mutant, try_in(copy, mutant, subjects)
            finally:
                copies.put(copy)

        yield from pool.map(attempt, drawn)


def main(seed: int, n: int, jobs: int) -> bool:
    """Print the share noticed by operator, and survivors; return whether enough are noticed."""
    drawn = draw(seed, n)
    noticed: Counter[str] = Counter()
    survivors = []
    for k, (mutant, notice) in enumerate(try_all(drawn, jobs), 1):
        noticed[mutant.operator] += notice is not None
        if notice is None:
            survivors.append(mutant)
        print(
            f"{k}: {mutant.path}:{mutant.line} {mutant.operator}: {notice or 'SURVIVED'}",
            flush=True,
        )
    drawn_by = Counter(mutant.operator for mutant in drawn)
    for mutant in survivors:
        print(
            f"\n{mutant.path}:{mutant.line} in {mutant.function or 'the module'}, {mutant.operator}\n{diff(mutant)}"
        )
    print(f"\nSEED={seed}")
    for operator, total in drawn_by.items():
        print(f"{operator:17} {noticed[operator]:3} of {total:3}")
    share = noticed.total() / len(drawn)
    print(
        f"{'all':17} {noticed.total():3} of {len(drawn):3}, {share:.1%}; at least {SHARE:.0%} are needed"
    )
    return share >= SHARE


if __name__ == "__main__":
    chosen = int(os.environ.get("SEED") or secrets.randbelow(10**6))
    print(f"SEED={chosen}", flush=True)
    many = max(1, int(sys.argv[1])) if len(sys.argv) > 1 else MUTANTS
    sys.exit(not main(chosen, many, int(os.environ.get("JOBS") or os.cpu_count() or 1)))
