"""Make the simulated who-is-right data: the seeded generator behind `relationship_bias()`.

``python -m socialstats.datasets.simulate_relationship_bias`` writes the file again, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.special import expit

from socialstats.arrays import FloatArray, IntArray
from socialstats.datasets.catalogue import DATA
from socialstats.datasets.simulating import (
    csv_bytes,
    gauss_hermite,
    generator,
    normals,
    write_files,
)
from socialstats.datasets.truths import RelationshipBiasTruth

SEED = 3  # the seed of 1 to 5 with which a test of rows finds a false difference between neutral and man
GROUPS = ("woman", "man", "neutral")
TYPES = (
    ("woman", "man"),
    ("man", "woman"),
    ("woman", "neutral"),
    ("neutral", "woman"),
    ("man", "neutral"),
    ("neutral", "man"),
    ("woman", "woman"),
    ("man", "man"),
    ("neutral", "neutral"),
)
TOPICS = (
    ("cooking", 2),
    ("care of children", 4),
    ("housework", 4),
    ("intimacy", 6),
    ("money", 5),
    ("friends", 3),
    ("having children", 4),
    ("household in general", 1),
)
EGALITARIAN = (1, 2, 2, 3, 2, 1, 2, 0)  # scenarios of each topic; the others are traditional
FAVOUR = {"egalitarian": 0.6, "traditional": 0.3}
POSITION, SCENARIO_SD, TASTE_SD, PAIR_SD = -0.4, 1.0, 0.5, 0.3
ANSWER_RATES = (0.93, 0.6, 0.5, 0.4, 0.4)
NAMES, PAIRS = 10, 20
HEADER = (
    "scenario",
    "topic",
    "kind",
    "group_first",
    "group_second",
    "name_first",
    "name_second",
    "pair",
    "rung",
    "answer",
)


def name_pairs(first: str, second: str) -> list[tuple[str, str, str]]:
    """List the 20 pairs of names of a type as (pair, name first, name second).

    A type and its reverse share their 20 pairs, with the order swapped. A type of one group has ten pairs, each in
    both orders.

    Examples
    --------
    >>> name_pairs("man", "woman")[0]
    ('woman-man 01', 'man 01', 'woman 01')
    """
    if first == second:
        ring = [
            (f"{first} {i + 1:02d}", f"{first} {(i + 1) % NAMES + 1:02d}") for i in range(NAMES)
        ]
        ordered = [(k, *pair) for k, pair in enumerate(ring)] + [
            (k, *pair[::-1]) for k, pair in enumerate(ring)
        ]
        return [(f"{first}-{first} {k + 1:02d}", earlier, later) for k, earlier, later in ordered]
    earlier, later = sorted((first, second), key=("woman", "man", "neutral").index)
    met = [
        (f"{earlier} {k % NAMES + 1:02d}", f"{later} {(k + 3 * (k // NAMES)) % NAMES + 1:02d}")
        for k in range(PAIRS)
    ]
    pairs = met if first == earlier else [pair[::-1] for pair in met]
    return [(f"{earlier}-{later} {k + 1:02d}", *pair) for k, pair in enumerate(pairs)]


def scenarios() -> list[tuple[str, str, str]]:
    """List the 29 scenarios as (scenario, topic, kind), 13 egalitarian and 16 traditional."""
    listed: list[tuple[str, str, str]] = []
    for (topic, size), egalitarian in zip(TOPICS, EGALITARIAN, strict=True):
        for k in range(size):
            kind = "egalitarian" if k < egalitarian else "traditional"
            listed.append((f"scenario {len(listed) + 1:02d}", topic, kind))
    return listed


def rungs(u: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the last wording that was tried (0 to 4) and whether it was answered (1 or 0), from uniforms (..., 5)."""
    answered = u < np.array(ANSWER_RATES)
    has_answer = answered.any(axis=-1)
    last = np.where(has_answer, answered.argmax(axis=-1), len(ANSWER_RATES) - 1)
    return last.astype(np.int64), np.asarray(has_answer, dtype=np.int64)


def simulate(seed: int = SEED) -> list[tuple[str, ...]]:
    """Simulate who is right in 29 scenarios, nine types of couples, 20 pairs of names.

    The log-odds that the second name is chosen are

        position + scenario + liking(second) - liking(first) + pair,

    liking(group) is the favour of the scenario's kind for a woman (otherwise 0) plus the scenario's own taste for the
    group. The pair's part is the advantage of one of the two names, with its sign turned when the order is.

    Parameters
    ----------
    seed : int
        Of numpy's PCG64; the default makes the bundled data.

    Returns
    -------
    list of tuples of str
        The rows, in the order of HEADER.

    Examples
    --------
    >>> simulate()[0][:6]
    ('scenario 01', 'cooking', 'egalitarian', 'woman', 'man', 'woman 01')
    """
    rng = generator(seed)
    scenario_list = scenarios()
    position = POSITION + normals(rng, SCENARIO_SD, len(scenario_list))
    liking = normals(rng, TASTE_SD, len(scenario_list), len(GROUPS))
    liking[:, 0] += [FAVOUR[kind] for _, _, kind in scenario_list]
    labels = sorted({pair for kind in TYPES for pair, _, _ in name_pairs(*kind)})
    advantage = dict(zip(labels, normals(rng, PAIR_SD, len(labels)).tolist(), strict=True))
    u = rng.random((len(scenario_list), len(TYPES), PAIRS))
    rung, answered = rungs(rng.random((len(scenario_list), len(TYPES), PAIRS, len(ANSWER_RATES))))
    rows: list[tuple[str, ...]] = []
    for s, scenario in enumerate(scenario_list):
        for t, (first, second) in enumerate(TYPES):
            lead = position[s] + liking[s, GROUPS.index(second)] - liking[s, GROUPS.index(first)]
            for k, (pair, name_a, name_b) in enumerate(name_pairs(first, second)):
                sign = 1.0 if name_b == higher(pair, name_a, name_b) else -1.0
                answer = "1" if u[s, t, k] < expit(lead + sign * advantage[pair]) else "-1"
                reply = answer if answered[s, t, k] else ""
                rows.append(
                    (*scenario, first, second, name_a, name_b, pair, str(rung[s, t, k]), reply)
                )
    return rows


def higher(pair: str, name_a: str, name_b: str) -> str:
    """Return the name that the pair's advantage is for: that of the group named first in `pair`, by its number."""
    group = pair.split("-")[0]
    return min((name for name in (name_a, name_b) if name.startswith(group)), default=name_a)


def second_chosen(log_odds: float, sd: float) -> float:
    """Return the mean of expit(log_odds + sd z) over a standard normal z."""
    z, weight = gauss_hermite()
    return float((weight * expit(log_odds + sd * z)).sum())


def truth() -> RelationshipBiasTruth:
    """Return what the simulation put in."""
    share = {"egalitarian": sum(EGALITARIAN) / 29, "traditional": 1 - sum(EGALITARIAN) / 29}
    scores: dict[tuple[str, str, str], float] = {}
    for first, second in TYPES:
        tastes = 0.0 if first == second else 2 * TASTE_SD**2
        sd = float(np.sqrt(SCENARIO_SD**2 + tastes + PAIR_SD**2))
        for kind, favour in FAVOUR.items():
            shift = favour * ((second == "woman") - (first == "woman"))
            scores[kind, first, second] = 2 * second_chosen(POSITION + shift, sd) - 1
        scores["all", first, second] = sum(
            share[kind] * scores[kind, first, second] for kind in FAVOUR
        )
    bias = {
        (kind, a, b): scores[kind, b, a] - scores[kind, a, b]
        for kind in (*FAVOUR, "all")
        for a, b in (("woman", "man"), ("woman", "neutral"), ("neutral", "man"))
    }
    return RelationshipBiasTruth(
        scores=scores,
        bias=bias,
        favour=dict(FAVOUR),
        position=POSITION,
        scenario_sd=SCENARIO_SD,
        taste_sd=TASTE_SD,
        pair_sd=PAIR_SD,
        answer_rates=ANSWER_RATES,
    )


def files() -> dict[str, bytes]:
    """Return the content of the file, uncompressed, by name."""
    return {"relationship_bias.csv.gz": csv_bytes(HEADER, simulate())}


if __name__ == "__main__":
    write_files(files(), Path(str(DATA)))
