"""Logs in the shape that three versions of Inspect write, with numbers by plain Python as each version defines them.

The definitions are those of Inspect's CHANGELOG.md: 0.3.64 (variance by n - 1, clusters), 0.3.83 (groups), 0.3.101
(pass@k from the threshold on), 0.3.113 and 0.3.123 (unscored samples and repeats), 0.3.221 (one cluster, few repeats).
"""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter

VERSIONS = {"0.3.60": (0, 3, 60), "0.3.120": (0, 3, 120), "0.3.260": (0, 3, 260)}
SCALES = {
    "bits": [0.0, 1.0],
    "letters": ["C", "I", "P", "N"],
    "likert": [1, 2, 3, 4, 5, 6, 7],
    "ones": [1],
    "shares": [0.0, 0.25, 0.5, 1.0],
    "beyond": [0.0, 1.0, 2.0, 3.0],
}
NUMBERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def pass_at(values, k, version):
    total = len(values)
    right = sum(v == 1 if version < (0, 3, 101) else v >= 1 for v in values)
    if total < k:
        return 1.0 if version < (0, 3, 221) else math.nan
    return 1 - math.comb(total - right, k) / math.comb(total, k)


def reduced(labels, reducer, version):
    """One number for the repeats of a sample; NaN where it is not scored."""
    values = [NUMBERS.get(label, label) for label in labels]
    if version >= (0, 3, 123):
        labels = [label for label in labels if label == label]
        values = [v for v in values if v == v]
        if not values:
            return math.nan
    name, _, k = reducer.rpartition("_")
    if name == "at_least":
        return float(sum(v >= 1 for v in values) >= int(k))
    if name == "pass_at":
        return pass_at(values, int(k), version)
    if reducer == "mode":
        label = Counter(labels).most_common(1)[0][0]
        return float(NUMBERS.get(label, label))
    return float(
        {"mean": statistics.mean, "median": statistics.median, "max": max}[reducer](values)
    )


def clustered(values, clusters, version):
    mean, sums = math.fsum(values) / len(values), {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    if len(sums) < 2:
        return 0.0 if version >= (0, 3, 221) else math.nan
    return math.sqrt(len(sums) / (len(sums) - 1) * math.fsum(s * s for s in sums.values())) / len(
        values
    )


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def metrics_of(values, clusters, groups, version):
    """What Inspect prints: metric to (value, params, group)."""
    if version < (0, 3, 113) and any(v != v for v in values):
        return {name: (math.nan, {}, None) for name in ("mean", "stderr", "std")}
    kept = [(v, c, g) for v, c, g in zip(values, clusters, groups, strict=True) if v == v]
    values, clusters, groups = ([each[i] for each in kept] for i in range(3))
    if not values:
        return {name: (math.nan, {}, None) for name in ("mean", "stderr", "std")}
    found = {
        "mean": (math.fsum(values) / len(values), {}, None),
        "std": (deviation(values), {}, None),
        "stderr": (deviation(values) / math.sqrt(len(values)), {}, None),
    }
    if version >= (0, 3, 64):
        found["var"] = (deviation(values) ** 2, {}, None)
        found["stderr2"] = (clustered(values, clusters, version), {"cluster": "story"}, None)
    if version >= (0, 3, 130):
        of = {
            g: [v for v, own in zip(values, groups, strict=True) if own == g]
            for g in dict.fromkeys(groups)
        }
        by = {"group_key": "arm", "metric": {"name": "mean", "params": {}}, "all": "groups"}
        for group, held in of.items():
            found[group] = (math.fsum(held) / len(held), by, "grouped")
        found["all"] = (
            statistics.fmean([math.fsum(h) / len(h) for h in of.values()]),
            by,
            "grouped",
        )
    return found


def made(seed, name):
    """A log of a version: its content as JSON."""
    version, rng = VERSIONS[name], random.Random(f"{name} {seed}")
    scales = list(SCALES)
    scale, epochs = scales[seed % len(scales)], rng.choice([1, 2, 3, 4, 5])
    units = rng.choice([1, 2, 5, 8, 13, 21]) if seed % 10 == 9 else rng.randint(5, 24)
    share = rng.choice([0, 0, 0.15]) if scale != "letters" else 0
    many = rng.choice([1, 2, 4, 6])
    story = [f"s{rng.randrange(many)}" for _ in range(units)]
    arm = [rng.choice("xyz") for _ in range(units)]
    given = [
        [math.nan if rng.random() < share else rng.choice(SCALES[scale]) for _ in range(epochs)]
        for _ in range(units)
    ]
    known = [
        "mean",
        "max",
        "at_least_1",
        f"at_least_{epochs}",
        "pass_at_1",
        f"pass_at_{epochs}",
        "median",
        "mode",
    ]
    reducers = rng.sample(known[: 6 if share else 8], 3) if epochs > 1 else ["mean"]
    scores = []
    for reducer in dict.fromkeys(reducers):
        values = [reduced(labels, reducer, version) for labels in given]
        found = metrics_of(values, story, arm, version)
        held = {
            key: {"name": "stderr" if key == "stderr2" else key, "value": value}
            | {"params" if version >= (0, 3, 113) else "options": params}
            | ({"group": group} if group else {})
            for key, (value, params, group) in found.items()
        }
        counted = {"scored_samples": sum(v == v for v in values)} if version >= (0, 3, 113) else {}
        about = {"name": "judge", "scorer": "judge", "params": {}, "reducer": reducer}
        scores.append({**about, "metrics": held, **counted})
    samples = [
        {
            "id": f"u{i}",
            "epoch": e,
            "input": "?",
            "target": "x",
            "metadata": {"story": story[i], "arm": arm[i], "weight": 1 + i % 4},
            "scores": {"judge": {"value": label, "answer": str(label)}},
        }
        for i, labels in enumerate(given)
        for e, label in enumerate(labels, 1)
    ]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "t",
            "model": "m",
            "dataset": {},
            "packages": {"inspect_ai": name},
            "config": {"epochs": epochs, "epochs_reducer": reducers},
        },
        "results": {
            "total_samples": units * epochs,
            "completed_samples": units * epochs,
            "scores": scores,
        },
        "samples": samples,
    }
