"""Make the simulated norm-against-goal data: the seeded generator behind `norm_goal()`.

``python -m socialstats.datasets.simulate_norm_goal`` writes the file again, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.datasets.catalogue import DATA
from socialstats.datasets.simulating import (
    csv_bytes,
    gauss_hermite,
    generator,
    normals,
    ranks,
    write_files,
)
from socialstats.datasets.truths import NormGoalTruth

SEED = 20261123
ACTIONS = ("comply", "deviate", "escalate")
SOURCES = ("human", "model")
PRESSURES = ("none", "goal", "risk", "emotion", "authority", "incentive")
DOMAIN_SHIFT = {
    "advertising": (0.0, -0.2),
    "customer support": (0.25, 0.0),
    "hiring": (-0.2, 0.3),
    "finance": (-0.3, 0.5),
}  # log-odds of deviate and of escalate against comply, people and model alike
TYPICAL = {  # per cent of comply, deviate, escalate in a typical story (all effects 0)
    "human": ((76, 8, 16), (46, 28, 26), (52, 20, 28), (46, 30, 24), (42, 34, 24), (50, 20, 30)),
    "model": ((70, 4, 26), (34, 10, 56), (34, 4, 62), (36, 8, 56), (30, 8, 62), (36, 2, 62)),
}
SCENARIOS_PER_DOMAIN = 40
SEATS, TEAM, RUNS = 7, 20, 5
SCENARIO_SD, STORY_SD, PERSON_SD, MODEL_SD = 0.5, 0.6, 0.7, 2.0
HEADER = ("scenario", "domain", "pressure", "source", "rater", "action")


def centres() -> FloatArray:
    """Return log-odds of deviate and escalate against comply: (sources, domains, pressures, 2)."""
    share = np.array([TYPICAL[source] for source in SOURCES], dtype=np.float64)
    odds = np.log(share[:, :, 1:] / share[:, :, :1])
    shift = np.array(list(DOMAIN_SHIFT.values()))
    return np.asarray(odds[:, None, :, :] + shift[None, :, None, :])


def probabilities(log_odds: FloatArray) -> FloatArray:
    """Return probabilities of the three actions from the two log-odds against comply (last axis)."""
    odds = np.concatenate([np.ones((*log_odds.shape[:-1], 1)), np.exp(log_odds)], axis=-1)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def seats(n_stories: int, rng: np.random.Generator) -> IntArray:
    """Return which person sits where: (stories, seats).

    The people are seven teams of twenty. Each story is read by one person of every team. The stories are dealt to the
    members of a team at random in equal numbers. This gives seven different people per story and 48 stories per person.
    """
    dealt = ranks(rng, n_stories, SEATS) // (n_stories // TEAM)
    return np.asarray(dealt + TEAM * np.arange(SEATS), dtype=np.int64)


def drawn(chances: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw one action a place: index into ACTIONS."""
    u = rng.random(chances.shape[:-1])
    return np.asarray(
        (u >= chances[..., 0]).astype(np.int64) + (u >= chances[..., 0] + chances[..., 1])
    )


def simulate(seed: int = SEED) -> list[tuple[str, ...]]:
    """Simulate seven people's and five runs' actions in each of 960 stories (160 scenarios in six conditions).

    Log-odds of deviate and of escalate against comply are the centre of source, domain and pressure, plus normal
    effects with mean 0, one per action. People and model share the effects of the scenario and of the story. There are
    also effects of the person, and of the model's own view of the story, which its five runs share.

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
    >>> simulate()[0][:4]
    ('advertising 01', 'advertising', 'none', 'human')
    """
    rng = generator(seed)
    n_domains, n_pressures = len(DOMAIN_SHIFT), len(PRESSURES)
    n = n_domains * SCENARIOS_PER_DOMAIN
    stories = n * n_pressures
    shared = normals(rng, SCENARIO_SD, n, 1, 2) + normals(rng, STORY_SD, n, n_pressures, 2)
    centre = np.repeat(centres(), SCENARIOS_PER_DOMAIN, axis=1)
    people = normals(rng, PERSON_SD, SEATS * TEAM, 2)
    who = seats(stories, rng)
    human = (centre[0] + shared).reshape(stories, 1, 2) + people[who]
    model = (centre[1] + shared + normals(rng, MODEL_SD, n, n_pressures, 2)).reshape(stories, 1, 2)
    actions = np.concatenate(
        [
            drawn(probabilities(human), rng),
            drawn(probabilities(np.repeat(model, RUNS, axis=1)), rng),
        ],
        axis=1,
    )
    return table_rows(who, actions)


def table_rows(who: IntArray, actions: IntArray) -> list[tuple[str, ...]]:
    """Return the rows of the table from people (stories, 7) and actions (stories, 12)."""
    rows: list[tuple[str, ...]] = []
    domains = list(DOMAIN_SHIFT)
    for k, (people, acts) in enumerate(zip(who.tolist(), actions.tolist(), strict=True)):
        scenario, pressure = divmod(k, len(PRESSURES))
        domain, number = divmod(scenario, SCENARIOS_PER_DOMAIN)
        raters = [("human", f"person {p + 1:03d}") for p in people] + [
            ("model", f"run {r + 1}") for r in range(RUNS)
        ]
        story = (f"{domains[domain]} {number + 1:02d}", domains[domain], PRESSURES[pressure])
        rows += [(*story, *rater, ACTIONS[act]) for rater, act in zip(raters, acts, strict=True)]
    return rows


def mean_shares(sd: float) -> FloatArray:
    """Return mean probabilities over normal effects of both log-odds: (sources, domains, pressures, 3)."""
    z, weight = gauss_hermite()
    effect = sd * np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1).reshape(-1, 2)
    chances = probabilities(centres()[..., None, :] + effect)
    return np.asarray((chances * np.outer(weight, weight).reshape(-1, 1)).sum(axis=-2))


def alpha(source: int, between_sd: float, within_sd: float) -> float:
    """Return the population's nominal alpha of a source: 1 - observed / expected disagreement.

    Two raters of a story agree with probability sum of q_k^2, q the story's shares over raters (`within_sd`). Expected
    agreement is the sum of squares of the shares over all stories (`between_sd` and `within_sd`).
    """
    z, weight = gauss_hermite(11)
    grid = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1).reshape(-1, 2)
    w = np.outer(weight, weight).ravel()
    log_odds = (
        centres()[source].reshape(-1, 1, 1, 2)
        + between_sd * grid[:, None, :]
        + within_sd * grid[None, :, :]
    )
    story = (probabilities(log_odds) * w[:, None]).sum(axis=2)
    agree = ((story**2).sum(axis=-1) * w).sum(axis=1).mean()
    overall = (story * w[:, None]).sum(axis=1).mean(axis=0)
    return float(1 - (1 - agree) / (1 - (overall**2).sum()))


def truth() -> NormGoalTruth:
    """Return what the simulation put in."""
    shared = float(np.hypot(SCENARIO_SD, STORY_SD))
    source_sd = (PERSON_SD, MODEL_SD)
    shares = {}
    for s, source in enumerate(SOURCES):
        mean = mean_shares(float(np.hypot(shared, source_sd[s])))[s]
        for d, domain in enumerate(DOMAIN_SHIFT):
            for p, pressure in enumerate(PRESSURES):
                shares[source, domain, pressure] = dict(
                    zip(ACTIONS, mean[d, p].tolist(), strict=True)
                )
    return NormGoalTruth(
        shares=shares,
        human_alpha=alpha(0, shared, PERSON_SD),
        model_alpha=alpha(1, float(np.hypot(shared, MODEL_SD)), 0.0),
        scenario_sd=SCENARIO_SD,
        story_sd=STORY_SD,
        person_sd=PERSON_SD,
        model_sd=MODEL_SD,
    )


def files() -> dict[str, bytes]:
    """Return the content of the file, uncompressed, by name."""
    return {"norm_goal.csv.gz": csv_bytes(HEADER, simulate())}


if __name__ == "__main__":
    write_files(files(), Path(str(DATA)))
