"""Fuzz ``socialstats report`` and the library: ``python -m tests.fuzz [TABLES]``; environment: SEED, TABLE, JOBS.

Each run has a seed of its own, which it prints. SEED=n repeats a run, TABLE=k one table of it, and leaves its files.
"""

from __future__ import annotations

import os
import secrets
import shlex
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.fuzz.checks import CODES, faults_of
from tests.fuzz.tables import draw

TABLES = 2_000


def one(seed: int, k: int) -> tuple[int, str, int, list[str]]:
    """Return number, kind, exit code and faults of one table."""
    drawn = draw(seed, k)
    with tempfile.TemporaryDirectory() as folder:
        return k, drawn.kind, *faults_of(drawn, Path(folder), seed, k)


def again(seed: int, k: int) -> int:
    """Run one table, print its options, and leave its files."""
    drawn, folder = draw(seed, k), Path(tempfile.mkdtemp())
    code, faults = faults_of(drawn, folder, seed, k)
    print("socialstats report", shlex.join(drawn.written(folder)))
    print(f"exit {code}", *faults, sep="\n")
    return bool(faults)


def fuzz(seed: int, tables: int, jobs: int) -> list[str]:
    """Run tables of a seed, print what they came to, and return the faults."""
    codes: Counter[str] = Counter()
    faults = []
    with ProcessPoolExecutor(jobs) as pool:
        for k, kind, code, found in pool.map(partial(one, seed), range(tables), chunksize=4):
            codes[CODES.get(code, "page" if code == 0 else f"exit {code}")] += 1
            faults += [f"SEED={seed} TABLE={k} ({kind}): {fault}" for fault in found]
            for fault in found:
                print(f"TABLE={k} ({kind}): {fault}", flush=True)
    print(f"SEED={seed}: {tables} tables; {dict(codes)}; {len(faults)} faults")
    return faults


if __name__ == "__main__":
    chosen = int(os.environ.get("SEED") or secrets.randbelow(10**6))
    if os.environ.get("TABLE"):
        sys.exit(again(chosen, int(os.environ["TABLE"])))
    print(f"SEED={chosen}", flush=True)
    many = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    sys.exit(bool(fuzz(chosen, many, int(os.environ.get("JOBS") or os.cpu_count() or 1))))
