"""One tool, one data set, one fresh process: print CPU and wall seconds of each call, peak memory, and strengths.

``python measure.py JOB DATA.pickle CALLS``, or ``python measure.py data NAME OUT.pickle`` to make the data.
"""

from __future__ import annotations

import importlib
import json
import pickle
import resource
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

SEED = 20261122
NU = 0.93  # 30% ties


def cpu() -> float:
    """CPU seconds of this process and of its finished children."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def peak_mb() -> float:
    """Peak resident memory of this process, in 10^6 bytes (Linux counts in units of 1,024 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU and wall seconds of a call, and what it returned."""
    start_cpu, start = cpu(), time.perf_counter()
    value = call()
    return cpu() - start_cpu, time.perf_counter() - start, value


def role_conflict() -> pd.DataFrame:
    """The project's simulated choices, as the arenas write them."""
    import numpy as np
    import pandas as pd

    from socialstats.datasets import role_conflict as choices

    data = choices()
    won = np.where(data["role_a"] == data["choice"], "model_a", "model_b")
    return pd.DataFrame({"model_a": data["role_a"], "model_b": data["role_b"], "winner": won})


def battles(rows: int = 2_000_000, items: int = 200) -> pd.DataFrame:
    """Simulate battles from Davidson's model: P(a) : P(b) : P(tie) = e^(d/2) : e^(-d/2) : nu."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(SEED)
    strength = rng.normal(0, 0.6, items)
    a = rng.integers(0, items, rows)
    b = (a + rng.integers(1, items, rows)) % items
    gap = (strength[a] - strength[b]) / 2
    weights = np.stack([np.exp(gap), np.exp(-gap), np.full(rows, NU)])
    edge = rng.random(rows) * weights.sum(axis=0)
    outcome = (edge > weights[0]).astype(int) + (edge > weights[0] + weights[1])
    names = np.array([f"model-{i:03d}" for i in range(items)])
    said = np.array(["model_a", "model_b", "tie"])
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": said[outcome]})


def load(path: str) -> pd.DataFrame:
    """Read a pickled data frame that this script wrote."""
    with open(path, "rb") as file:
        return pickle.load(file)


def run(job: str, path: str, calls: int) -> dict[str, Any]:
    """Call a job several times."""
    name, _, argument = job.partition(":")
    module, _, function = name.rpartition(".")
    maker = getattr(importlib.import_module(module or "tools"), function)
    task = maker() if not argument else maker(int(argument) if argument.isdigit() else argument)
    frame = load(path)
    if hasattr(task, "prepare"):
        frame = task.prepare(frame)
    loaded = peak_mb()
    seconds, strengths = [], None
    for _ in range(calls):
        used, wall, strengths = timed(lambda: task(frame))
        seconds.append((used, wall))
    return {"seconds": seconds, "peak": peak_mb(), "loaded": loaded, "strengths": strengths}


def after_group_by(path: str, copies: int) -> dict[str, Any]:
    """Time reading and fitting apart, for the same battles repeated `copies` times."""
    import pandas as pd

    from socialstats import Comparisons, bradley_terry

    frame = pd.concat([load(path).head(200_000)] * copies, ignore_index=True)
    read, _, design = timed(lambda: Comparisons.from_frame(frame))
    fits = sorted(timed(lambda: bradley_terry(design, cluster=None))[0] for _ in range(9))
    return {"rows": len(frame), "cells": len(design.count), "read": read, "fit": fits[4]}


def main(arguments: list[str]) -> dict[str, Any]:
    """Do what the command line says."""
    if arguments[0] == "data":
        known = {"role_conflict": role_conflict, "battles": battles}
        made = known.get(arguments[1]) or getattr(
            importlib.import_module("agreement_tools"), arguments[1]
        )
        frame = made()
        with open(arguments[2], "wb") as file:
            pickle.dump(frame, file)
        ties = float((frame["winner"] == "tie").mean()) if arguments[1] in known else 0.0
        return {"rows": len(frame), "ties": ties}
    if arguments[0] == "group-by":
        return after_group_by(arguments[1], int(arguments[2]))
    return run(arguments[0], arguments[1], int(arguments[2]))


if __name__ == "__main__":
    json.dump(main(sys.argv[1:]), sys.stdout)
