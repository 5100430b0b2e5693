"""Make the simulated role-conflict data: the seeded generator behind `role_conflict()`.

``python -m socialstats.datasets.simulate_role_conflict`` writes the three files again, byte for byte. Every random
number comes from the raw uniforms of numpy's PCG64, which are the same on every platform and numpy version."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtri

from socialstats.arrays import FloatArray
from socialstats.datasets.catalogue import DATA, data_rows
from socialstats.datasets.simulating import csv_bytes, generator, normals, ranks, write_files
from socialstats.designs.cited import SCHWARTZ

CITED = {
    "family": (0.05, 0.01, 0.01, 0.04, 0.02, 0.20, 0.08, 0.10, 0.45, 0.04),
    "occupation": (0.06, 0.01, 0.01, 0.28, 0.06, 0.24, 0.18, 0.02, 0.10, 0.04),
    "society": (0.05, 0.02, 0.01, 0.08, 0.05, 0.20, 0.14, 0.05, 0.18, 0.22),
    "interpersonal": (0.10, 0.05, 0.05, 0.05, 0.02, 0.13, 0.06, 0.03, 0.45, 0.06),
    "religion": (0.05, 0.01, 0.01, 0.04, 0.02, 0.10, 0.15, 0.40, 0.14, 0.08),
}  # chances of the first value of a story, by domain of the chosen role
SECOND = 0.176  # share of the stories that cite two values
REPEATED = 0.3  # share of the stories that cite first what the pair's stories tend to cite
SEPARATOR = ";"
LABELLED = 300
LABELS = ("A", "Tie", "B")  # which story is more urgent: that of role a, neither, that of role b
PEOPLE, JUDGES = 3, 3
PERSON_RIGHT, JUDGE_RIGHT = 0.92, 0.72
FAR = 0.1  # share of the errors about A or B that name the other side instead of a tie
LABEL_HEADER = ("scenario", "rater", "kind", "label")


def cited_values(domains: Sequence[Sequence[str]], seed: int) -> list[list[str]]:
    """Draw the values that each story cites.

    Parameters
    ----------
    domains : sequence of pairs, of stories, of str
        Domain of the role that was chosen.
    seed : int

    Returns
    -------
    list of lists of str
        One or two values a story, joined; the first is, for three stories in ten, the pair's own for that domain.
    """
    rng = generator(seed)
    names = list(CITED)
    tables = {name: np.cumsum(np.array(row) / sum(row)) for name, row in CITED.items()}
    uniform = rng.random((len(domains), len(names)))
    draws = rng.random((len(domains), len(domains[0]), 4))
    texts = []
    for i, stories in enumerate(domains):
        row = []
        for k, domain in enumerate(stories):
            repeat, first, two, second = draws[i, k].tolist()
            at = uniform[i, names.index(domain)] if repeat < REPEATED else first
            value = _place(tables[domain], at)
            cited = [SCHWARTZ[value]]
            if two < SECOND:
                cited.append(SCHWARTZ[_place(_without(domain, value), second)])
            row.append(SEPARATOR.join(cited))
        texts.append(row)
    return texts


def _place(table: FloatArray, at: float) -> int:
    return min(int(np.searchsorted(table, at, side="right")), len(SCHWARTZ) - 1)


def _without(domain: str, value: int) -> FloatArray:
    left = np.array(CITED[domain], dtype=np.float64)
    left[value] = 0.0
    return np.asarray(np.cumsum(left / left.sum()))


def true_story_shares() -> dict[str, dict[str, float]]:
    """Return the chance that a story cites a value, by domain of the chosen role.

    p_v + 0.176 sum over u other than v of p_u p_v / (1 - p_u): the first value, or a second one that differs from it.

    Examples
    --------
    >>> round(sum(true_story_shares()["family"].values()), 3)
    1.176
    """
    by_domain = {}
    for domain, row in CITED.items():
        p = np.array(row)
        second = np.array(
            [sum(p[u] * p[v] / (1 - p[u]) for u in range(len(p)) if u != v) for v in range(len(p))]
        )
        by_domain[domain] = dict(zip(SCHWARTZ, (p + SECOND * second).tolist(), strict=True))
    return by_domain


def labelled_stories(urgencies: Mapping[str, tuple[int, int]], seed: int) -> list[tuple[str, ...]]:
    """Draw 300 stories and label them: the reference, three people and three judges, which situation is more urgent.

    A rater is right with a chance of his own kind; errors about A or B are mostly ties.
    """
    rng = generator(seed)
    scenarios = list(urgencies)
    drawn = np.sort(rng.random(len(scenarios)).argsort()[:LABELLED])
    raters = [(f"person {k + 1}", "person", PERSON_RIGHT) for k in range(PEOPLE)]
    raters += [(f"judge {k + 1}", "judge", JUDGE_RIGHT) for k in range(JUDGES)]
    rows: list[tuple[str, ...]] = []
    for index in drawn.tolist():
        a, b = urgencies[scenarios[index]]
        truth = 1 - int(np.sign(a - b))
        rows.append((scenarios[index], "reference", "reference", LABELS[truth]))
        for name, kind, right in raters:
            uniform, where = rng.random(2).tolist()
            label = truth if uniform < right else _wrong(truth, where)
            rows.append((scenarios[index], name, kind, LABELS[label]))
    return rows


def _wrong(truth: int, where: float) -> int:
    if truth == 1:
        return 0 if where < 0.5 else 2
    return 2 - truth if where < FAR else 1


SEED = 20261122
URGENCY_EFFECT = 0.5
ORDER_EFFECT = 0.3
PAIR_SD = 0.5
ROLE_SD = 0.8
DOMAIN_MEANS = {
    "family": 0.6,
    "occupation": 0.8,
    "society": 0.0,
    "interpersonal": -0.6,
    "religion": -0.4,
}
URGENCIES = (1, 2, 3)
COUNTERPARTS = (
    ("grandfather", "grandmother", "grandparent"),
    ("father", "mother", "parent"),
    ("son", "daughter", "child"),
    ("brother", "sister", "sibling"),
    ("husband", "wife", "spouse"),
    ("boyfriend", "girlfriend"),
    ("pastor", "priest", "nun", "imam", "rabbi"),
    ("christian", "muslim", "jewish", "buddhist", "hindu"),
)
HEADER = (
    "scenario",
    "role_a",
    "role_b",
    "domain_a",
    "domain_b",
    "urgency_a",
    "urgency_b",
    "first",
    "choice",
    "values",
)

Record = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What the generator makes: the true strengths (log scale), the rows of the table and of the labels, as text."""

    strengths: dict[str, float]
    rows: list[tuple[str, ...]]
    labels: list[tuple[str, ...]]


def cross_domain_pairs(roles: Sequence[Record]) -> list[tuple[Record, Record]]:
    """List the pairs of roles that can meet: different domains, and not of two different genders.

    Parameters
    ----------
    roles : sequence of mappings
        With the keys ``role``, ``domain`` and ``gender`` (empty where the role has none).

    Returns
    -------
    list of pairs
        In the order of `roles`; 1,546 for the 65 roles of the data set.

    Examples
    --------
    >>> len(cross_domain_pairs(data_rows("role_conflict_roles.csv")))
    1546
    """
    return [
        (role_a, role_b)
        for role_a, role_b in itertools.combinations(roles, 2)
        if role_a["domain"] != role_b["domain"]
        and not (role_a["gender"] and role_b["gender"] and role_a["gender"] != role_b["gender"])
    ]


def true_strengths(roles: Sequence[Record], rng: np.random.Generator) -> dict[str, float]:
    """Draw each role's log-strength: the mean of its domain plus a normal deviation, to two decimals.

    Counterparts (father, mother and parent; the clergy of every religion; its members) share one deviation, so
    gender and religion have no effect, by construction.
    """
    leader = {role: group[0] for group in COUNTERPARTS for role in group}
    deviation: dict[str, float] = {}
    strengths = {}
    for role in roles:
        name = leader.get(role["role"], role["role"])
        if name not in deviation:
            deviation[name] = ROLE_SD * float(ndtri(rng.random()))
        strengths[role["role"]] = round(DOMAIN_MEANS[role["domain"]] + deviation[name], 2)
    return strengths


def shown_first(n_pairs: int, n_conditions: int, rng: np.random.Generator) -> FloatArray:
    """Return +1 (a first) or -1 (b first), (pairs, conditions): half of the pairs each in every condition.

    So the order of presentation is random and exactly balanced within every combination of urgencies.
    """
    return np.where(ranks(rng, n_pairs, n_conditions) < n_pairs // 2, 1.0, -1.0)


def simulate(seed: int = SEED) -> Simulation:
    """Simulate one choice for each pair of roles and each of the nine combinations of urgencies.

    The log-odds that role a is chosen are

        strength_a - strength_b + 0.5 (urgency_a - urgency_b) + 0.3 first + pair,

    with ``first`` +1 where a was shown first and -1 where b was, and ``pair`` normal with mean 0 and standard deviation
    0.5, drawn once per pair. The nine choices of a pair are not independent. Values cited and labels come from
    generators of their own (seeds one and two above).

    Parameters
    ----------
    seed : int
        Of numpy's PCG64; the default makes the bundled data.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> simulate().rows[0]
    ('1', 'air traffic controller', 'grandfather', 'occupation', 'family', '1', '1', 'grandfather', ...)
    """
    rng = generator(seed)
    roles = data_rows("role_conflict_roles.csv")
    strengths = true_strengths(roles, rng)
    swap = rng.random(len(pairs := cross_domain_pairs(roles))) < 0.5
    pairs = [
        (role_b, role_a) if turn else (role_a, role_b)
        for (role_a, role_b), turn in zip(pairs, swap, strict=True)
    ]
    levels = list(itertools.product(URGENCIES, URGENCIES))
    first = shown_first(len(pairs), len(levels), rng)
    gap = np.array([strengths[a["role"]] - strengths[b["role"]] for a, b in pairs])
    steps = np.array([a - b for a, b in levels], dtype=np.float64)
    pair_effect = normals(rng, PAIR_SD, len(pairs))
    log_odds = (gap + pair_effect)[:, None] + URGENCY_EFFECT * steps + ORDER_EFFECT * first
    a_chosen = rng.random(log_odds.shape) < expit(log_odds)
    domains = [
        [(a if chosen else b)["domain"] for chosen in row]
        for (a, b), row in zip(pairs, a_chosen.tolist(), strict=True)
    ]
    cited = cited_values(domains, seed + 1)
    rows: list[tuple[str, ...]] = []
    for i, (a, b) in enumerate(pairs):
        sides = (a["role"], b["role"])
        for k, (urgency_a, urgency_b) in enumerate(levels):
            first_role, chosen = sides[int(first[i, k] < 0)], sides[int(not a_chosen[i, k])]
            urgency = (str(urgency_a), str(urgency_b))
            rows.append(
                (
                    str(len(rows) + 1),
                    *sides,
                    a["domain"],
                    b["domain"],
                    *urgency,
                    first_role,
                    chosen,
                    cited[i][k],
                )
            )
    urgencies = {row[0]: (int(row[5]), int(row[6])) for row in rows}
    return Simulation(strengths=strengths, rows=rows, labels=labelled_stories(urgencies, seed + 2))


def files(simulation: Simulation) -> dict[str, bytes]:
    """Return the contents of the three files, uncompressed, by name."""
    strengths = [(role, f"{value:.2f}") for role, value in simulation.strengths.items()]
    return {
        "role_conflict.csv.gz": csv_bytes(HEADER, simulation.rows),
        "role_conflict_labels.csv.gz": csv_bytes(LABEL_HEADER, simulation.labels),
        "role_conflict_truth.csv": csv_bytes(("role", "strength"), strengths),
    }


def write(folder: Path) -> None:
    """Write the simulated table and its true strengths into `folder`."""
    write_files(files(simulate()), folder)


if __name__ == "__main__":
    write(Path(str(DATA)))
