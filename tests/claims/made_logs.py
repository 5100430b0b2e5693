"""Logs in the shapes that harnesses write, made from given scores, with numbers computed here by plain Python."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pandas as pd

from socialstats.claims import Claim, Log

SAMPLES = Path(__file__).parents[3] / "shared" / "data" / "harness_samples"
NEEDS_SAMPLES = f"the sample logs are not here ({SAMPLES.name})"


def rows(scores, *, scorer="match", **columns):
    """A frame with a row for each epoch of each unit; `scores` maps unit to its values, or is a list of values."""
    if not isinstance(scores, dict):
        scores = {f"u{i}": [value] for i, value in enumerate(scores)}
    found = []
    for i, (unit, values) in enumerate(scores.items()):
        for epoch, value in enumerate(values, 1):
            status = "error" if value is None else "ok"
            extra = {name: held[i] for name, held in columns.items()}
            found.append(
                {
                    "model": "m",
                    "task": "t",
                    "unit": unit,
                    "epoch": epoch,
                    "scorer": scorer,
                    "filter": None,
                    "value": value,
                    "answer": "",
                    "status": status,
                    **extra,
                }
            )
    return pd.DataFrame(found)


def log_of(frame, *claims, harness="inspect", version="0.3.285", **more):
    return Log(
        harness=harness,
        version=version,
        files=("log.json",),
        rows=frame,
        claims=tuple(claims),
        **more,
    )


def claim(quantity, printed, *, name=None, scorer="match", select=None, **more):
    chosen = {"scorer": scorer} if select is None else select
    return Claim(
        name=name or quantity, quantity=quantity, printed=str(printed), select=chosen, **more
    )


def std_error(values, ddof=1):
    spread = statistics.variance(values) if ddof else statistics.pvariance(values)
    return math.sqrt(spread / len(values))


def clustered_error(values, clusters):
    """sqrt(C/(C-1) sum_c (sum of residuals)^2) / n, written out."""
    mean = math.fsum(values) / len(values)
    sums = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    count = len(sums)
    return math.sqrt(count / (count - 1) * math.fsum(s * s for s in sums.values())) / len(values)


def lm_eval_parts(family, work):
    """Rows of two tasks, and the selections of a group of them."""
    frames = [
        rows(values, scorer="acc").assign(task=task, filter="none")
        for task, values in (("family", family), ("work", work))
    ]
    select = {"scorer": "acc", "filter": "none"}
    return pd.concat(frames, ignore_index=True), tuple(
        {**select, "task": task} for task in ("family", "work")
    )
